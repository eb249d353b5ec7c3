"""What a person does to a piece in the hand: turn it, turn it back, flip it; as steps from each orientation to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from puzzlesat.arrays import Reals
from puzzlesat.draw.geometry import shapes
from puzzlesat.grid.lattice import Grid, Symmetry
from puzzlesat.puzzle.data import Tile
from puzzlesat.puzzle.placements import Orientation
from puzzlesat.puzzle.tiles import transform

DECIMALS = 6
"""To which matrices are compared."""


@dataclass(frozen=True)
class Steps:
    """Where each step leads from an orientation: the index of another of the same tile, or of itself."""

    turn: int
    """Clockwise as seen from above, by the smallest angle that the tile may be turned by."""
    back: int
    flip: int | None
    """In the plane the mirror image, left for right; in space tipped over, to the front. None where the tile may not be."""
    mirror: int | None
    """In space the mirror image of a tile that may be mirrored."""


def steps(grid: Grid, tile: Tile, found: Sequence[Orientation]) -> list[Steps]:
    """Return for each orientation of a tile where turning and flipping lead."""
    if tile.listed:  # from each placement of the list to the next
        return [Steps((i + 1) % len(found), (i - 1) % len(found), None, None) for i in range(len(found))]
    index = {(o.atoms, o.marks): i for i, o in enumerate(found)}
    made = ways(grid)
    mirrors = any(grid.motions[i].mirror for i in tile.symmetries)

    def leads(i: int, way: Sequence[Symmetry]) -> int | None:
        here = replace(tile, atoms=found[i].atoms, marks=found[i].marks)
        bodies = (transform(here, g) for g in way)
        return next((index[body] for body in bodies if body in index), None)

    def step(i: int) -> Steps:
        turn, back, tip = (leads(i, way) for way in (made.turn, made.back, made.tip))
        mirror = leads(i, made.mirror) if mirrors else None
        here = (i if turn is None else turn, i if back is None else back)
        return Steps(*here, mirror, None) if grid.dimension == 2 else Steps(*here, tip, mirror)

    all_steps = [step(i) for i in range(len(found))]
    return all_steps if grid.dimension == 2 else _everywhere(all_steps)


def _everywhere(found: list[Steps]) -> list[Steps]:
    """The same steps where they lead to all orientations; else tipping leads from those of one round of turns to those of the next.

    That is so for balls: what takes some of them to balls need not be a symmetry of the grid, and not each step is possible everywhere.
    """
    rounds: list[list[int]] = []
    for i in range(len(found)):
        if not any(i in known for known in rounds):
            rounds.append(_reached(i, [[s.turn] for s in found]))
    if not rounds or len(_reached(0, [[j for j in (s.turn, s.flip, s.mirror) if j is not None] for s in found])) == len(found):
        return found
    following = {i: rounds[(n + 1) % len(rounds)][0] for n, known in enumerate(rounds) for i in known}
    return [replace(s, flip=following[i]) for i, s in enumerate(found)]


def _reached(start: int, leads: Sequence[Sequence[int]]) -> list[int]:
    """What can be reached from somewhere, that first."""
    found = [start]
    for here in found:
        found += [there for there in leads[here] if there not in found]
    return found


@dataclass(frozen=True)
class Ways:
    """The symmetries of a grid that make each step, the one that is most like it first."""

    turn: tuple[Symmetry, ...]
    back: tuple[Symmetry, ...]
    tip: tuple[Symmetry, ...]
    mirror: tuple[Symmetry, ...]


@cache
def ways(grid: Grid) -> Ways:
    """Turns round the vertical axis by their angles; mirrors by how near they are to one that exchanges left and right.

    In space a piece is tipped by the turn which together with the first of the others leads to most orientations: of several by that
    round the axis nearest to the one from left to right, by the smallest angle.
    """
    matrix = {g: cartesian(grid, g) for g in grid.motions}
    proper = [g for g in grid.motions if not g.mirror and not np.allclose(matrix[g], np.eye(grid.dimension))]
    left_right = np.diag([-1.0, *([1.0] * (grid.dimension - 1))])
    mirror = sorted((g for g in grid.motions if g.mirror), key=lambda g: _rounded(np.linalg.norm(matrix[g] - left_right)))
    if grid.dimension == 2:
        clockwise = sorted(proper, key=lambda g: -(g.degrees or 0) % 360)
        return Ways(tuple(clockwise), tuple(sorted(proper, key=lambda g: (g.degrees or 0) % 360)), (), tuple(mirror))
    spin = {g: _spin(matrix[g]) for g in proper}

    def upright(g: Symmetry) -> float:
        return _rounded(1 - abs(spin[g][0][2]))

    level = min(map(upright, proper), default=0.0)
    turns = [g for g in proper if upright(g) == level]

    def clockwise_angle(g: Symmetry) -> float:
        axis, angle = spin[g]
        return _rounded((-angle if axis[2] > 0 else angle) % (2 * np.pi))

    turn = sorted(turns, key=clockwise_angle)
    tips = [g for g in proper if g not in turns]
    reached = {g: _generated([matrix[turn[0]], matrix[g]], len(proper) + 1) for g in tips}
    tip = sorted(tips, key=lambda g: (-reached[g], _rounded(1 - abs(spin[g][0][0])), _rounded(spin[g][1]), _rounded(-spin[g][0][0])))
    return Ways(tuple(turn), tuple(reversed(turn)), tuple(tip), tuple(mirror))


def cartesian(grid: Grid, motion: Symmetry) -> Reals:
    """Return the matrix of a motion for Cartesian columns, as pictures have them (y upwards)."""
    basis = shapes(grid).basis.T
    matrix: Reals = basis @ np.array(motion.matrix, dtype=np.float64) @ np.linalg.inv(basis) / motion.over
    return matrix


def _spin(matrix: Reals) -> tuple[Reals, float]:
    """The axis of a rotation in space, and the angle (up to π) counterclockwise round it."""
    angle = float(np.arccos(np.clip((np.trace(matrix) - 1) / 2, -1, 1)))
    values, vectors = np.linalg.eigh(matrix + matrix.T)
    axis = vectors[:, int(np.argmax(values))]
    odd = np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    return (axis if axis @ odd >= 0 else -axis), angle


def _generated(some: Sequence[Reals], most: int) -> int:
    """The order of the group that some matrices generate, up to a number: motions of balls may generate one without end."""
    found: set[bytes] = set()
    todo = [np.eye(len(some[0]))]
    while todo and len(found) < most:
        here = todo.pop()
        code = (np.round(here, DECIMALS) + 0.0).tobytes()
        if code not in found:
            found.add(code)
            todo += [here @ g for g in some]
    return len(found)


def _rounded(x: float | np.floating) -> float:
    return round(float(x), DECIMALS)
