"""A solution of a puzzle, and sequences of solutions, which make each solution on access."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, overload

from puzzlesat.base import Displayed, Rows, many
from puzzlesat.puzzles.building import BuiltInstance
from puzzlesat.puzzles.placements import Placement

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = ("number", "names", "tiles")
"""The columns of a table of solutions."""
Draw = Callable[[Sequence[int]], str]
"""A function that draws a solution, given by its options, in text."""


@dataclass(frozen=True, eq=False, repr=False)
class Solution(Displayed):
    """A solution: a set of placements. ``print`` draws it in text; a notebook shows a picture.

    Two solutions are equal if their placements and their puzzles are equal.
    """

    built: BuiltInstance
    """The puzzle with all its placements."""
    options: tuple[int, ...]
    """The numbers of the placements, ascending: indices of ``built.placements``."""
    draw: Draw
    """The function that draws it in text."""
    number: int | None = None
    """Its number, from 1, if you asked for it by number or drew it at random."""
    of: int | None = None
    """The number of all solutions, if it has a number."""

    @property
    def placements(self) -> tuple[Placement, ...]:
        """The placements, each with tile, orientation, first cell, atoms and marks."""
        return tuple(self.built.placements[o] for o in self.options)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the placements, such as ``Q.1@3.1``."""
        return tuple(self.built.problem.options[o] for o in self.options)

    @property
    def tiles(self) -> tuple[str, ...]:
        """The names of the tiles, one for each placement, in the order of ``names``."""
        puzzle, tile = self.built.puzzle, self.built.placements.tile
        return tuple(puzzle.tiles[int(tile[o])].name for o in self.options)

    @property
    def bits(self) -> tuple[str, ...]:
        """The atoms that each placement covers, as hexadecimal bit arrays."""
        return tuple(self.built.bit_array(o) for o in self.options)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Solution):
            return NotImplemented
        return self.options == other.options and self.built.puzzle == other.built.puzzle

    def __hash__(self) -> int:
        return hash((self.options, self.built.puzzle))

    def __repr__(self) -> str:
        return f"Solution({self.built.instance.name!r}, {' '.join(self.names)!r})"

    def __str__(self) -> str:
        return self.draw(self.options)


class Solutions(Sequence[Solution]):
    """Solutions of one puzzle, stored as placement numbers. Indexing makes a ``Solution``."""

    def __init__(self, built: BuiltInstance | None, rows: Rows | Sequence[Sequence[int]]) -> None:
        self._built = built
        self._rows = rows

    @property
    def _puzzle(self) -> BuiltInstance:
        """The puzzle of the solutions. Raises IndexError without a puzzle, because there are no solutions then."""
        if self._built is None:
            raise IndexError("there are no solutions")
        return self._built

    @cached_property
    def _draw(self) -> Draw:
        drawn: Draw = Displayed.display("drawing", self._puzzle).plain
        return drawn

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> Solution: ...
    @overload
    def __getitem__(self, at: slice) -> Solutions: ...
    def __getitem__(self, at: int | slice) -> Solution | Solutions:
        if isinstance(at, slice):
            return Solutions(self._built, self._rows[at])
        return Solution(self._puzzle, tuple(int(o) for o in self._rows[at] if o >= 0), self._draw)

    def to_pandas(self) -> DataFrame:
        """Return a table, one row a solution: its ``number`` here, from 1, and the ``names`` and ``tiles`` of its placements."""
        from pandas import DataFrame

        rows = [(number, solution.names, solution.tiles) for number, solution in enumerate(self, start=1)]
        return DataFrame(rows, columns=list(COLUMNS))

    def __repr__(self) -> str:
        return f"<{many(len(self), 'solution')}{'' if self._built is None else f' of {self._built.instance.name!r}'}>"
