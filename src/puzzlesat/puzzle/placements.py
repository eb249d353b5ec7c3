"""Every orientation of every tile at every place in the form, as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np

from puzzlesat.arrays import Flags, Ints, Longs
from puzzlesat.grid.lattice import AtomId, Cell, Grid
from puzzlesat.puzzle.data import Mark, Puzzle, Tile
from puzzlesat.puzzle.marking import Marking
from puzzlesat.puzzle.tiles import bodies

MOST_ADDED = 50_000
"""Lists whose sums are made at once."""


@dataclass(frozen=True)
class Orientation:
    """One turned or mirrored form of a tile, with smallest coordinates 0; or a placement that is listed, where it lies."""

    number: int
    """1 + the index of the first symmetry of the grid that yields it (Logelium's numbering)."""
    atoms: tuple[AtomId, ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Placement:
    """One orientation of a tile at one place."""

    tile: int
    orientation: int
    cell: Cell
    """The first cell: lowest row (and layer), leftmost in it."""
    name: str
    atoms: tuple[AtomId, ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists of numbers of different lengths, one after the other: list i is ``numbers[start[i]:start[i + 1]]``."""

    start: Longs
    numbers: Ints

    def __getitem__(self, i: int) -> Ints:
        return self.numbers[self.start[i] : self.start[i + 1]]

    @property
    def lengths(self) -> Longs:
        """The length of each list."""
        lengths: Longs = np.diff(self.start)
        return lengths

    @property
    def owners(self) -> Ints:
        """For each number, the list in which it stands."""
        return np.repeat(np.arange(len(self.start) - 1, dtype=np.int32), self.lengths)

    def rows(self, chosen: Longs, width: int) -> Ints:
        """Return some lists, none longer than ``width``, as the rows of an array padded with -1."""
        place = self.start[chosen][:, None] + np.arange(width)
        inside = place < self.start[chosen + 1][:, None]
        if inside.all():
            return np.asarray(self.numbers[place])
        rows = np.full((len(chosen), width), -1, dtype=np.int32)
        rows[inside] = self.numbers[place[inside]]
        return rows

    def those(self, kept: Flags) -> Lists:
        """Return some of the lists, in the same order."""
        return Lists(np.concatenate([[0], np.cumsum(self.lengths[kept])]), self.numbers[np.repeat(kept, self.lengths)])

    def sums(self, weights: Longs) -> Longs:
        """Return for each list the sum of the weights of its numbers."""
        sums: Longs = np.empty(len(self.start) - 1, dtype=np.int64)
        for first in range(0, len(sums), MOST_ADDED):
            start = self.start[first : first + MOST_ADDED + 1]
            running = np.concatenate([[0], np.cumsum(weights[self.numbers[start[0] : start[-1]]])])
            sums[first : first + MOST_ADDED] = np.diff(running[start - start[0]])
        return sums


@dataclass(frozen=True, eq=False)
class Placements(Sequence[Placement]):
    """The placements of a puzzle: arrays with a row, or a list, for each; an object is made of one when it is asked for."""

    puzzle: Puzzle
    tile: Ints
    orientation: Ints
    cell: Ints
    """Array (placements, dimension): the first cells."""
    atoms: Lists
    """The atoms covered, by their numbers in the order of the form (``form.numbering``)."""
    marks: Lists
    """The marks and colours shown, by their codes in ``marking``."""
    marking: Marking

    def __len__(self) -> int:
        return len(self.tile)

    @overload
    def __getitem__(self, index: int) -> Placement: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Placement]: ...
    def __getitem__(self, index: int | slice) -> Placement | Sequence[Placement]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        atoms = self.puzzle.form.numbering.atoms
        return Placement(
            tile=int(self.tile[i]),
            orientation=int(self.orientation[i]),
            cell=tuple(self.cell[i].tolist()),
            name=self.names[i],
            atoms=tuple(atoms[a] for a in self.atoms[i].tolist()),
            marks=tuple(self.marking.mark(code) for code in self.marks[i].tolist()),
        )

    def those(self, kept: Flags) -> Placements:
        """Return some of them, in the same order."""
        tile, orientation, cell = (array[kept] for array in (self.tile, self.orientation, self.cell))
        return Placements(self.puzzle, tile, orientation, cell, self.atoms.those(kept), self.marks.those(kept), self.marking)

    @cached_property
    def names(self) -> Names:
        """The name of each placement."""
        return Names([t.name for t in self.puzzle.tiles], self.tile, self.orientation, self.cell)


@dataclass(frozen=True, eq=False)
class Names(Sequence[str]):
    """The names of placements, such as ``Q.1@3.1``; a name is made when it is asked for."""

    tiles: Sequence[str]
    tile: Ints
    orientation: Ints
    cell: Ints

    def __len__(self) -> int:
        return len(self.tile)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return tuple(self._some(index))
        i = range(len(self))[index]
        return f"{self.tiles[self.tile[i]]}.{self.orientation[i]}@{'.'.join(map(str, self.cell[i].tolist()))}"

    def __iter__(self) -> Iterator[str]:
        return self._some(slice(None))

    def _some(self, chosen: slice) -> Iterator[str]:
        tiles = (self.tiles[t] for t in self.tile[chosen].tolist())
        cells = [".".join(map(str, cell)) for cell in self.cell[chosen].tolist()]
        return (f"{t}.{o}@{c}" for t, o, c in zip(tiles, self.orientation[chosen].tolist(), cells, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and not isinstance(other, str) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


def orientations(grid: Grid, tile: Tile) -> list[Orientation]:
    """Return the different orientations of a tile in the order of the symmetries that yield them.

    Where its placements are listed, these are its orientations, numbered as in the list, and as they lie.
    """
    if tile.listed:
        return [Orientation(number, atoms, ()) for number, atoms in enumerate(tile.listed, start=1)]
    return [Orientation(index + 1, *body) for body, index in bodies(grid, tile).items()]
