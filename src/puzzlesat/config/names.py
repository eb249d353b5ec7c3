"""Other names of the package's puzzles (``names.toml``): shop names, makers, names in other languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from puzzlesat.config.files import text_of
from puzzlesat.config.read import table_of

Names = Mapping[str, Sequence[str]]
"""By instance or family."""


@dataclass(frozen=True)
class OtherNames:
    """The tables of the file."""

    also: Names
    """Other names of the same puzzles."""
    like: Names
    """Puzzles that the package lacks, with the puzzles of the package that are most like them."""


@cache
def other_names() -> OtherNames:
    """Return the names that the file holds."""
    file = Path(str(files(__package__).joinpath("names.toml")))
    tables = table_of(text_of(file), file)
    return OtherNames(tables["also"], tables["like"])


def names_of(names: Names, instance: Path) -> tuple[str, ...]:
    """Return the other names of an instance, then those of its family."""
    return tuple(dict.fromkeys((*names.get(instance.stem, ()), *names.get(instance.parent.name, ()))))
