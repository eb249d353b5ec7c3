"""A solution for users of the library: placements by name, with their atoms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from puzzlesat.cover.build import Built, build
from puzzlesat.formats.notation import bit_array, options_by_name
from puzzlesat.placements import Placement
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.solutions import solutions
from puzzlesat.solvers.run import Limits


@dataclass(frozen=True, repr=False)
class Solution:
    """A set of placements that is a valid answer."""

    built: Built
    options: tuple[int, ...]

    @property
    def placements(self) -> tuple[Placement, ...]:
        """The placements, with tile, orientation, first cell, atoms and marks."""
        return tuple(self.built.placements[o] for o in self.options)

    @property
    def names(self) -> tuple[str, ...]:
        """The placements in Logelium's notation, e.g. ``Q.1@3.1``."""
        return tuple(self.built.problem.options[o] for o in self.options)

    @property
    def bits(self) -> tuple[str, ...]:
        """The atoms that each placement covers, as hexadecimal bit arrays."""
        return tuple(bit_array(self.built, o) for o in self.options)

    def __repr__(self) -> str:
        return f"Solution({self.built.puzzle.name!r}, {' '.join(self.names)!r})"

    def __str__(self) -> str:
        from puzzlesat.draw.text import SolutionPictures

        return SolutionPictures(self.built).plain(self.options)


def stream(
    puzzle: Puzzle, solver: str, given: Sequence[str], distinct: bool, limit: int | None, seconds: float | None
) -> Iterator[Solution]:
    """Yield solutions; see ``puzzlesat.solve``."""
    built = build(puzzle)
    rows = solutions(built, solver, Limits(None if distinct else limit, seconds), options_by_name(built, given), distinct=distinct)
    for row in islice(rows, limit):
        yield Solution(built, row)
