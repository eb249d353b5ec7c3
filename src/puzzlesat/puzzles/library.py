"""Find instances, models and grids by name or file; read the alternative names of the package's puzzles (``names.toml``)."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from puzzlesat import base
from puzzlesat.puzzles.reading import kind_of_table, read_table, table_of


def find_instance(name: str) -> Path:
    """Return the file of an instance. ``name`` is a path, or the name of an instance of the package.

    Raises PuzzleError with a near match if there is none.
    """
    path = Path(name)
    if base.is_file(path):
        return path
    if base.is_folder(path):
        raise base.PuzzleError(f"{name}: is a folder; give a file in it (only 'puzzlesat check' takes folders)")
    if path.suffix == ".toml":
        raise base.PuzzleError(f"{base.shown(name, base.LONGEST)}: {base.why_missing(path)}" + (_own_name(path.stem) or _file_beside(path)))
    known = {file.stem: file for file in base.data_files("instances")}
    known |= {f"{file.parent.name}/{file.stem}": file for file in known.values()}
    if name not in known:
        _refuse_model(name)
        if meant := _file_beside(path):
            raise base.PuzzleError(f"there is no file {base.shown(name)!r}{meant}")
        raise base.PuzzleError(f"there is no instance {base.shown(name)!r}{base.near_match(name, known) or ';'} 'puzzlesat list' shows all")
    _mention_file(name, known[name])
    return known[name]


def _mention_file(name: str, own: Path) -> None:
    """Warn if a file has the name of a puzzle of the package, because the puzzle of the package is used."""
    beside = Path(f"{name}.toml")
    if base.is_file(beside) and not beside.samefile(own):
        warnings.warn(f"{name!r} is the puzzle of the package; for the file write {beside}", base.PuzzleWarning, stacklevel=3)


def _own_name(stem: str) -> str:
    """Return a cure for a missing file if the package has an instance of its name, or an empty text."""
    return (
        f"; the one of the package is named {stem!r}, without .toml" if stem in {file.stem for file in base.data_files("instances")} else ""
    )


def _file_beside(path: Path) -> str:
    """Return a question for a puzzle file in the same folder with nearly the same name, or an empty text."""
    from difflib import get_close_matches  # imported late, so that the program starts fast

    names = {file.stem: file for file in path.parent.glob("*.toml") if base.is_file(file)} if base.is_folder(path.parent) else {}
    close = get_close_matches(path.stem, names, n=1, cutoff=0.7 if path.suffix else 1.0)
    return f"; did you mean {names[close[0]]}?" if close else ""


def _refuse_model(name: str) -> None:
    """Raise PuzzleError for the name of a model or a grid; for a model, the message lists instances with its tiles."""
    if name in {file.stem for file in base.data_files("grids")}:
        raise base.PuzzleError(f"{name!r} is a grid, not an instance; 'puzzlesat list' shows the instances")
    if name not in {file.stem for file in base.data_files("models")}:
        return
    line = re.compile(rf'^model *= *"{re.escape(name)}" *(#.*)?$', re.M)
    forms = [file.stem for file in base.data_files("instances") if line.search(file.read_text(encoding="utf-8"))]
    forms.sort(key=lambda form: (len(form), form))
    which = f"choose one of its forms: {base.listed(forms, 3)}; " if forms else ""
    raise base.PuzzleError(f"{name!r} is a model, which has no form; {which}'puzzlesat list' shows all")


def named_files(table: Mapping[str, Any], path: Path) -> Iterator[tuple[Literal["model", "grid"], str, Path]]:
    """Yield kind, name and file of the model that the table of an instance names, and of the grid that one of the two names.

    ``path`` is the file of the instance. Raises PuzzleError if a model or a grid does not exist.
    """
    if isinstance(model := table.get("model"), str):
        path = find_model(model, path)
        table = read_table(path)
        yield "model", model, path
    if isinstance(grid := table.get("grid"), str):
        yield "grid", grid, find_grid(grid, path)


def find_model(name: str, near: Path) -> Path:
    """Return the file of a model: in the folder of the instance that names it, or in the package."""
    return _beside_or_own(name, near, base.data_folder("models"), "model")


def find_grid(name: str, near: Path) -> Path:
    """Return the file of a grid: in the folder of the file that names it, or in the package."""
    return _beside_or_own(name, near, base.data_folder("grids"), "grid")


def _beside_or_own(name: str, near: Path, folder: Path, what: str) -> Path:
    found = {
        path: kind_of_table(read_table(path)) for path in (near.parent / f"{name}.toml", folder / f"{name}.toml") if base.is_file(path)
    }
    for path, kind in found.items():
        if kind == what:
            return path
    raise base.PuzzleError(f"{near}: {what}: there is no {what} {base.shown(name)!r}{_cure(name, near, folder, what, found)}")


def _cure(name: str, near: Path, folder: Path, what: str, found: dict[Path, str]) -> str:
    """Return a cure for a name that no model or grid has."""
    if found:
        path, kind = next(iter(found.items()))
        return f"; {path} is an instance" if kind == "instance" else f'; {path} is a {kind}: write {kind} = "{name}"'
    other, others = ("model", base.data_files("models")) if what == "grid" else ("grid", base.data_files("grids"))
    if name in {file.stem for file in others}:
        return f'; it is a {other}: write {other} = "{name}"'
    stem = base.shown(name.replace("\\", "/").split("/")[-1].removesuffix(".toml"))
    known = sorted(file.stem for file in folder.glob("*.toml"))
    if stem != name and (stem in known or base.is_file(near.parent / f"{stem}.toml")):
        return f'; write its name alone: {what} = "{stem}"'
    if "did you mean" in (near_name := base.near_match(stem, known)):
        return near_name
    named = f', and you write {what} = "{stem}"' if stem != name else ""
    which = f"the package has {', '.join(known)}" if what == "grid" else "'puzzlesat list' shows those of the package"
    return f"; a {what} of your own must be in {stem}.toml in the same folder as {near.name}{named}; {which}"


@dataclass(frozen=True)
class OtherNames:
    """The tables of ``names.toml``: names by instance or family."""

    also: Mapping[str, Sequence[str]]
    """Alternative names of the same puzzles."""
    like: Mapping[str, Sequence[str]]
    """Puzzles that the package lacks, by the most similar puzzles of the package."""

    def of(self, instance: Path, *, like: bool = False) -> tuple[str, ...]:
        """Return the alternative names of an instance, then those of its family; if ``like``, the similar puzzles that are missing."""
        names = self.like if like else self.also
        return tuple(dict.fromkeys((*names.get(instance.stem, ()), *names.get(instance.parent.name, ()))))


@cache
def other_names() -> OtherNames:
    """Return the contents of ``names.toml``."""
    file = Path(str(files(__package__).joinpath("names.toml")))
    tables = table_of(base.text_of(file), file)
    return OtherNames(tables["also"], tables["like"])
