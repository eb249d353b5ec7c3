"""An instance: a puzzle with its names, its source and its expected counts."""

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
    """The files of a puzzle, for the second reader."""

    puzzle: Mapping[str, Any]
    """Its TOML tables."""
    path: Path
    """Its file: the models and grids that it names are beside that, or in the package."""
    files: Mapping[str, str]
    """Texts of models and grids by name, if they come with the puzzle instead of from a folder."""


@dataclass(frozen=True, eq=False, repr=False)
class Instance(Displayed):
    """A puzzle with its title, source and expected counts. No count depends on these: they are shown, or compared with a count.

    A puzzle alone makes an instance without any of them: ``Instance(puzzle)``.
    """

    puzzle: Puzzle
    name: str = NAMELESS
    title: str = NAMELESS
    path: Path | None = None
    """Its file; messages begin with it."""
    source: str = ""
    expect: ExpectTable = field(default_factory=ExpectTable)
    break_on: str | None = None
    """The tile on which symmetry is broken (default: the program chooses). It changes the speed and the placements that remain."""
    together: tuple[frozenset[str], ...] = ()
    """Tiles whose pieces may stay together when solutions are taken apart."""
    mirrored_stated: bool = False
    """Whether the instance itself, not its model, states if mirrored answers count as the same."""
    file: InstanceFile | None = None
    """Its file's table. Other forms with the same tiles and rules are read from it."""
    written: Written | None = None
    """Its files; None if the puzzle was made in another way."""

    def __repr__(self) -> str:
        return f"<Instance {self.name!r}: {self.puzzle.in_short}>"

    @property
    def credit(self) -> str:
        """The source of the expected counts, or of the puzzle."""
        return self.expect.source or self.source


def instance_of(puzzle: Instance | Puzzle) -> Instance:
    """Return an instance unchanged, and a puzzle alone as an instance without title and expected counts."""
    return puzzle if isinstance(puzzle, Instance) else Instance(puzzle)
