"""A solution of a puzzle, and many of them: each is made of its placement numbers when you ask for it.

The images of solutions under the symmetries of a problem, and the least of them, which stands for the class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from puzzlesat.base import Displayed, Flags, Ints, Rows, first_difference, least, many, sorted_rows
from puzzlesat.puzzles.building import BuiltInstance
from puzzlesat.puzzles.placements import Placement
from puzzlesat.puzzles.problem import CoverProblem

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = ("number", "names", "tiles")
"""The columns of a table of solutions, a row each."""
Draw = Callable[[Sequence[int]], str]
"""Draws a solution, given by its options, in text."""


@dataclass(frozen=True, eq=False, repr=False)
class Solution(Displayed):
    """A set of placements that is a valid answer. ``print`` draws it in text; a notebook shows a picture.

    Two solutions are equal if they have the same placements and are of equal puzzles.
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
    """How many solutions there are, if it has a number."""

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
        return tuple(bit_array(self.built, o) for o in self.options)

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
    """Solutions of one puzzle. It holds placement numbers; each ``Solution`` is made when you ask for it."""

    def __init__(self, built: BuiltInstance | None, rows: Rows | Sequence[Sequence[int]]) -> None:
        self._built = built
        self._rows = rows

    @property
    def _puzzle(self) -> BuiltInstance:
        """The puzzle of the solutions; if there is no puzzle, there is no solution either."""
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


def bit_array(built: BuiltInstance, option: int) -> str:
    """Return the atoms of the form that a placement covers as a hexadecimal number: the first atom is its highest bit.

    Atoms are counted cell by cell, rows bottom to top and left to right, as in the form. A last digit is filled up with zeros.
    """
    atoms = len(built.puzzle.form.atoms)
    width = -(-atoms // 4) * 4
    value = sum(1 << (width - 1 - int(i)) for i in built.problem.items_of(option) if i < atoms)
    return f"{value:0{width // 4}X}"


MOST_TOGETHER = 2_000_000
"""Numbers of all images that are made at once."""


def padded_images(problem: CoverProblem) -> Ints:
    """Return the array (symmetries, options + 1) of the image of each option, the identity first; at the end that of -1, the padding."""
    images = np.arange(problem.size, dtype=np.int32)[None] if problem.images is None else problem.images
    return np.hstack([images, np.full((len(images), 1), -1, dtype=np.int32)])


def are_least(images: Ints, rows: Rows, given: Sequence[int] = ()) -> Flags:
    """Return for each solution whether none of its images, or of those which contain the options ``given``, comes before it.

    ``images`` is what ``padded_images`` returns.
    """
    found = []
    for some, moved in _all_images(images, rows):
        later = first_difference(moved, some) >= 0
        for option in given:
            later |= (moved != option).all(axis=-1)
        found.append(later.all(axis=0))
    return np.concatenate(found) if found else np.ones(len(rows), dtype=np.bool_)


def least_images(images: Ints, rows: Rows) -> Rows:
    """Return the least image of each solution."""
    found = [least(moved) for _, moved in _all_images(images, rows)]
    return np.concatenate(found) if found else rows


def one_of_each(images: Ints, rows: Rows, tile: Ints) -> Rows:
    """Return the least images of solutions of a problem whose symmetry is broken on a tile, which has these options: each only once.

    Solutions come more than once where a symmetry leaves the placement of the tile as it is: the least of those that have it counts.
    """
    is_its = np.isin(np.arange(images.shape[1]), tile)
    found = [rows[:0]]
    for some, moved in _all_images(images, rows):
        own = some[is_its[some]]  # each has one
        elsewhere = images[:, own] != own
        once = (elsewhere | (first_difference(moved, some) >= 0)).all(axis=0)
        found.append(least(moved[:, once]))
    return np.concatenate(found)


def distinct_rows(problem: CoverProblem, rows: Rows) -> Rows:
    """Return the least image of each solution, once and in order: a row for each class."""
    return np.unique(least_images(padded_images(problem), rows), axis=0)


def unmoved(problem: CoverProblem, rows: Rows) -> Flags:
    """Return an array (symmetries, solutions): which symmetries leave which solutions unchanged."""
    images = padded_images(problem)
    found = [(moved == some).all(axis=-1) for some, moved in _all_images(images, rows)]
    return np.concatenate(found, axis=1) if found else np.ones((len(images), len(rows)), dtype=np.bool_)


def _all_images(images: Ints, rows: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Some solutions after the other, and the array (symmetries, solutions, width) of their images."""
    if not rows.size:
        return
    together = max(1, MOST_TOGETHER // (len(images) * rows.shape[1]))
    for first in range(0, len(rows), together):
        some = rows[first : first + together]
        moved = images[:, some]  # the padding stands at the same places in all of them
        yield some, sorted_rows(moved.reshape(-1, some.shape[1])).reshape(moved.shape)
