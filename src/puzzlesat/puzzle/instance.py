"""An instance: a puzzle with its names, where it comes from, and what is expected of its counts."""

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
    """A puzzle as it is written in files, for whoever reads it once more by other code."""

    puzzle: Mapping[str, Any]
    """Its tables, as TOML has them."""
    path: Path
    """Its file: the models and grids that it names are beside that, or in the package."""
    files: Mapping[str, str]
    """Texts of models and grids by name, where they are in no folder but come along with the puzzle."""


@dataclass(frozen=True, eq=False, repr=False)
class Instance(Displayed):
    """A puzzle and what is said of it. No count depends on any of that: it is shown, or held against a count that is known already.

    A puzzle alone is an instance of which nothing is said: ``Instance(puzzle)``.
    """

    puzzle: Puzzle
    name: str = NAMELESS
    title: str = NAMELESS
    path: Path | None = None
    """The file that it comes from; messages begin with it."""
    source: str = ""
    expect: ExpectTable = field(default_factory=ExpectTable)
    break_on: str | None = None
    """The tile on which symmetry is broken, if that is not left to the program: a matter of speed, and of the placements that are left."""
    together: tuple[frozenset[str], ...] = ()
    """Tiles of which the pieces need not come apart from each other, where it is asked whether solutions do."""
    mirrored_stated: bool = False
    """Whether it says itself if mirrored answers count as the same, and does not leave that to its model."""
    file: InstanceFile | None = None
    """What its file says, or the table that it was made from: for other forms, the same tiles and rules are read from there."""
    written: Written | None = None
    """Where it was read from; None for a puzzle that was made otherwise."""

    def __repr__(self) -> str:
        return f"<Instance {self.name!r}: {self.puzzle.in_short}>"

    @property
    def credit(self) -> str:
        """Who says what is expected, or else where the puzzle comes from."""
        return self.expect.source or self.source


def instance_of(puzzle: Instance | Puzzle) -> Instance:
    """Return an instance as it is, and a puzzle alone as one of which nothing is said."""
    return puzzle if isinstance(puzzle, Instance) else Instance(puzzle)
