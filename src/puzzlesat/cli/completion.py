"""What the shell offers when a word of a command is completed.

Only names of files are looked at, so that it is quick. Where nothing is offered the shell offers files itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from puzzlesat.config.package import data_folder, design_files, grid_files, instance_files, model_files
from puzzlesat.formats.table import read, suffixes, written
from puzzlesat.solvers.registry import SOLVERS, listing
from puzzlesat.solvers.strategy import AUTO, CERTIFICATE

ENCODINGS = ("mixed", "pairwise", "sequential", "binary", "commander")
KINDS = ("tree", "lrat", "cadical", "tally")


def instances(incomplete: str) -> list[str]:
    """Return the instances that come with the package whose name, or FAMILY/NAME, begins so, and files of puzzles beside the user."""
    if "/" in incomplete:
        return _begin(incomplete, (f"{file.parent.name}/{file.stem}" for file in instance_files()))
    return _and_files(incomplete, (file.stem for file in instance_files()))


def tiles(incomplete: str) -> list[str]:
    """Return the models and instances whose name begins so, and files of puzzles beside the user."""
    return _and_files(incomplete, (file.stem for file in (*model_files(), *instance_files())))


def listed(incomplete: str) -> list[str]:
    """Return what ``list`` takes: families, grids and models whose name begins so."""
    families = (folder.name for folder in data_folder("instances").iterdir() if folder.is_dir())
    return _begin(incomplete, (*families, *(file.stem for file in (*grid_files(), *model_files()))))


def solvers(incomplete: str) -> list[str]:
    """Return lists of solvers, as ``--solver`` takes them, with the last one completed."""
    before, comma, last = incomplete.rpartition(",")
    names = [CERTIFICATE, *SOLVERS] if comma else [AUTO, *SOLVERS]  # auto comes first or not at all, a certificate never first
    return [f"{before}{comma}{name}" for name in names if name.startswith(last) and name not in before.split(",")]


def solver(incomplete: str) -> list[str]:
    """Return solvers that list solutions."""
    return _begin(incomplete, listing())


def formats(incomplete: str) -> list[str]:
    """Return what ``compile`` writes."""
    return _begin(incomplete, (format.name for format in written("cover problem")))


def studies(incomplete: str) -> list[str]:
    """Return the studies beside the user: files of that format whose name begins so."""
    return _beside(incomplete, (".toml",))


def designs(incomplete: str) -> list[str]:
    """Return the designs of the package whose name begins so, and files beside the user."""
    return [*_begin(incomplete, (file.stem for file in design_files())), *_beside(incomplete, (".toml",))]


def stores(incomplete: str) -> list[str]:
    """Return the stores beside the user whose name begins so."""
    return _beside(incomplete, (".sqlite",))


def encodings(incomplete: str) -> list[str]:
    """Return the at-most-one encodings."""
    return _begin(incomplete, ENCODINGS)


def kinds(incomplete: str) -> list[str]:
    """Return the kinds of certificates."""
    return _begin(incomplete, KINDS)


def _beside(incomplete: str, known: Collection[str]) -> list[str]:
    return _begin(incomplete, (file.name for file in Path().iterdir() if file.suffix in known))


def _begin(incomplete: str, words: Iterable[str]) -> list[str]:
    return sorted({word for word in words if word.startswith(incomplete)})


def _and_files(incomplete: str, names: Iterable[str]) -> list[str]:
    """Names, and with them files; where no name begins so it is left to the shell, which goes into folders as well."""
    found = _begin(incomplete, names)
    known = suffixes([*read("puzzles"), *read("cover problem")])
    return [*found, *(_beside(incomplete, known) if found else [])]
