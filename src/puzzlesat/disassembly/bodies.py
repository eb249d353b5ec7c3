"""The bodies of which assemblies are made: all that the search and the checks know of a puzzle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, NotSupportedError
from puzzlesat.puzzles import AtomId, BuiltInstance, Grid, Puzzle


@dataclass(frozen=True, eq=False)
class PlacedBodies:
    """Bodies on a grid, by number. An assembly is a row of their numbers."""

    grid: Grid
    places: Sequence[AtomId]
    """The atoms of the grid that bodies cover, by number."""
    start: Longs
    covered: Ints
    """Body i covers the places ``covered[start[i]:start[i + 1]]``."""
    shape: Ints
    """A number from 0 for each body, the same for all that differ by a translation."""
    cell: Ints
    """Array (bodies, dimension): bodies of one shape differ by the difference of their cells."""
    names: Sequence[str]
    member: Flags
    """Array (bodies, groups): whether a body is in a group of bodies that need not come apart from each other."""

    def atoms(self, body: int) -> list[AtomId]:
        """Return the atoms of a body."""
        return [self.places[place] for place in self.covered[self.start[body] : self.start[body + 1]].tolist()]

    def named(self, row: Sequence[int]) -> str:
        """Return the names of the bodies of an assembly."""
        return " ".join(self.names[body] for body in row)

    def groups(self, row: Sequence[int]) -> list[frozenset[int]]:
        """Return the groups of pieces of an assembly that need not come apart from each other, by their indices in it."""
        return [frozenset(np.flatnonzero(group).tolist()) for group in self.member[np.array(row, dtype=np.int64)].T]


@lru_cache(maxsize=4)
def bodies_of(built: BuiltInstance) -> PlacedBodies:
    """Return the placements of a puzzle as bodies. Raises NotSupportedError where they cannot be moved."""
    puzzle, placements, together = built.puzzle, built.placements, built.instance.together
    check_movable(puzzle)
    kinds = np.stack([placements.tile, placements.orientation], axis=1)
    member = np.array([[tile.name in names for names in together] for tile in puzzle.tiles], dtype=np.bool_)
    return PlacedBodies(
        puzzle.grid,
        puzzle.form.numbering.atoms,
        placements.atoms.start,
        placements.atoms.numbers.astype(np.int32, copy=False),
        np.unique(kinds, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32),
        placements.cell,
        built.problem.options,
        member.reshape(len(puzzle.tiles), len(together))[placements.tile],
    )


def check_movable(puzzle: Puzzle) -> None:
    """Raise NotSupportedError where the placements of pieces are listed, and where the form wraps around."""
    if puzzle.form.wrap is not None:
        raise NotSupportedError("the form wraps around, so there is nowhere to take a piece to")
    if (listed := next((tile.name for tile in puzzle.tiles if tile.listed), None)) is not None:
        raise NotSupportedError(f"the placements of tile {listed!r} are listed, so it is not known how it could move")
