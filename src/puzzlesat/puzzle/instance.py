"""An instance: a puzzle with its name, its source and its expected counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from puzzlesat.config.schema import ExpectTable, InstanceFile
from puzzlesat.display import Displayed
from puzzlesat.puzzle.data import Puzzle

NAMELESS = "this puzzle"


@dataclass(frozen=True)
class Written:
    """A puzzle as its files state it, for the second reader."""

    puzzle: Mapping[str, Any]
    """Its TOML tables."""
    path: Path
    """Its file; the models and grids that it names are beside this file, or in the package."""
    files: Mapping[str, str]
    """Texts of models and grids that come with the puzzle and are in no folder, by name."""


@dataclass(frozen=True, eq=False, repr=False)
class Instance(Displayed):
    """A puzzle with its name, its source and its expected counts. No count depends on these; only ``puzzle`` decides the counts.

    ``Instance(puzzle)`` is a puzzle without a name and without expected counts.
    """

    puzzle: Puzzle
    """Everything that a count depends on."""
    name: str = NAMELESS
    """Its short name, as ``load`` takes it."""
    title: str = NAMELESS
    """Its full name."""
    path: Path | None = None
    """Its file; error messages begin with it."""
    source: str = ""
    """Where the puzzle comes from."""
    expect: ExpectTable = field(default_factory=ExpectTable)
    """The expected counts, and who published them."""
    break_on: str | None = None
    """The tile on which the symmetry is broken; None if the program chooses. It affects only the speed and which placements are left."""
    together: tuple[frozenset[str], ...] = ()
    """Groups of tiles that may stay together when a solution is taken apart, once some pieces are away."""
    mirrored_stated: bool = False
    """Whether the instance itself states if mirrored solutions count as the same; else its model does."""
    file: InstanceFile | None = None
    """The contents of its file, or the table that it was made from. Other forms get their tiles and rules from here."""
    written: Written | None = None
    """The text that it was read from; None for a puzzle made in another way."""

    def _says(self) -> tuple[Any, ...]:
        return (self.name, self.title, self.source, self.expect, self.break_on, self.together, self.mirrored_stated, self.puzzle)

    def __eq__(self, other: object) -> bool:
        return self._says() == other._says() if isinstance(other, Instance) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, self.puzzle))

    def __repr__(self) -> str:
        return f"<Instance {self.name!r}: {self.puzzle.in_short}>"

    @property
    def credit(self) -> str:
        """Who published the expected counts, or else where the puzzle comes from."""
        return self.expect.source or self.source


def instance_of(puzzle: Instance | Puzzle) -> Instance:
    """Return an instance as it is, and a bare puzzle as an instance without a name."""
    return puzzle if isinstance(puzzle, Instance) else Instance(puzzle)
