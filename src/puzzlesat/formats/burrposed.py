"""Which assembly of its turned and mirrored copies BurrTools keeps, and in which order it has the pieces.

It keeps the least one: turns are compared by their numbers, then places. First comes the piece that has the fewest symmetries in common
with the result, as long as there is one of it; then the others as the file has them, equal ones in the order of their turns and places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from puzzlesat.cover.images import padded_images
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.formats.burrtools import GRIDS
from puzzlesat.formats.burrturns import laid
from puzzlesat.formats.xmpuzzle import voxel_of
from puzzlesat.grid.lattice import AtomId, Grid
from puzzlesat.puzzle.data import Mark, Puzzle, Tile
from puzzlesat.puzzle.placements import orientations

Row = tuple[int, ...]
Pose = Callable[[Sequence[int]], Row]
Turned = tuple[int, ...]
"""The number of a turn, and a place."""


def pose_of(built: BuiltInstance) -> Pose:
    """Return what gives, for an assembly, the placements of the one that BurrTools keeps, in the order of its pieces.

    The puzzle is on one of BurrTools' grids in space.
    """
    puzzle, placements = built.puzzle, built.placements
    kind, steps = GRIDS.index(puzzle.grid.name), np.array(puzzle.grid.layout.steps)
    images = padded_images(built.problem)
    first = _compared_first(puzzle) if len(images) > 1 else None
    order = sorted(range(len(puzzle.tiles)), key=lambda tile: (tile != first, tile))

    @cache
    def turn(tile: int, orientation: int, option: int) -> int:
        there = placements[option]
        own = puzzle.tiles[tile]
        found = laid(kind, _voxels(puzzle.grid, own.atoms, own.marks), (0, 0, 0), _voxels(puzzle.grid, there.atoms, there.marks))
        return -1 if found is None else found[1]

    some: dict[tuple[int, int], int] = {}

    def turned(option: int) -> Turned:
        tile, orientation = int(placements.tile[option]), int(placements.orientation[option])
        one = some.setdefault((tile, orientation), option)  # placements of one orientation have one turn
        return (turn(tile, orientation, one), *(placements.cell[option] @ steps).tolist())

    def ordered(row: Sequence[int]) -> Row:
        copies = [(int(placements.tile[o]), o) for o in row]
        return tuple(o for _, _, o in sorted((tile, turned(o) if [t for t, _ in copies].count(tile) > 1 else (), o) for tile, o in copies))

    def pose(row: Sequence[int]) -> Row:
        left = np.unique(np.sort(images[:, list(row)], axis=1), axis=0)
        for tile in order:
            if len(left) == 1:
                break
            looks = [sorted(turned(o) for o in one if placements.tile[o] == tile) for one in left.tolist()]
            least = min(looks)
            left = left[[look == least for look in looks]]
        return ordered(left[0].tolist())

    return pose


def _voxels(grid: Grid, atoms: Sequence[AtomId], marks: Sequence[Mark]) -> dict[tuple[int, int, int], str]:
    names = {mark.face: mark.name for mark in marks}
    return {voxel_of(grid, atom): names.get(atom, "") for atom in atoms}


def _compared_first(puzzle: Puzzle) -> int | None:
    """The tile that is compared first; None where there may be several of it, or tiles may be left out."""
    if any(tile.low != tile.high for tile in puzzle.tiles):
        return None
    common = _conjugates(puzzle.grid, _symmetries(puzzle.grid, _as_tile(puzzle)))
    number = [(tile.low, len(common & _symmetries(puzzle.grid, tile))) for tile in puzzle.tiles]
    first = number.index(min(number))
    return first if puzzle.tiles[first].low == 1 else None


def _as_tile(puzzle: Puzzle) -> Tile:
    """The form as a tile with its colours; atoms that may stay empty have others."""
    form = puzzle.form
    names = {atom: f"{form.colours.get(atom, '')}{'+' if atom in form.optional else ''}" for atom in form.atoms}
    return replace(puzzle.tiles[0], atoms=tuple(names), marks=tuple(sorted(Mark(atom, atom, name) for atom, name in names.items())))


def _symmetries(grid: Grid, tile: Tile) -> set[int]:
    """The motions of the grid, by number, that take a tile to itself."""
    looks = [next((o.atoms, o.marks) for o in orientations(grid, replace(tile, symmetries=(i,)))) for i in range(len(grid.motions))]
    return {i for i, look in enumerate(looks) if look == looks[0]}


def _conjugates(grid: Grid, motions: set[int]) -> set[int]:
    """These motions, and those that do the same seen from another side."""
    matrices = np.array([motion.matrix for motion in grid.motions])
    number = {matrix.tobytes(): i for i, matrix in enumerate(matrices)}
    backward = [next(j for j, other in enumerate(matrices) if (one @ other == matrices[0]).all()) for one in matrices]
    return {number[(one @ matrices[i] @ matrices[back]).tobytes()] for i in motions for one, back in zip(matrices, backward, strict=True)}
