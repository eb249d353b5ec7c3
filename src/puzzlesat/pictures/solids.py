"""Solids as plain data for pages that draw them from any side, and the turns and flips of a piece held in the hand.

Points are Cartesian, in the unit of length of the Gram matrix: x to the right, y to the back, z upwards. ``bodies3d.js`` turns the solids,
and ``bodies.js`` projects them as the pictures do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Any

import numpy as np

from puzzlesat.base import Reals
from puzzlesat.pictures.bodies import LIGHT
from puzzlesat.pictures.canvases import Canvas
from puzzlesat.pictures.geometry import VIEW, VIEW_OF_BALLS, atom_faces, ball_radius, half_breadth, home, polytope_faces, shapes
from puzzlesat.pictures.isometric import SHARES, axes, spans
from puzzlesat.puzzles import AtomId, Grid, Orientation, Symmetry, Tile, translate

DECIMALS = 12
"""Decimal places of coordinates. Scripts compute from them which points lie in one plane and which lie in front."""

Corner = tuple[int, ...]


def solid3d_as_json(board: Canvas, atoms: Sequence[AtomId]) -> dict[str, Any] | None:
    """Return the atoms of a form in space as plain data; None in the plane.

    ``kinds`` has for each atom of the unit cell its ``middle``, its ``corners`` and its ``faces``. A face is the numbers of its corners,
    counterclockwise as seen from outside, and its outward normal. The ``span`` of an atom is its extent along the ``axes``, relative to its
    middle; ``ends`` are the ends of an edge, which is drawn as a bar of breadth ``2 half``. ``atoms`` are rows ``[cell.., kind, layer]``,
    and ``behind[a][f]`` is the atom on the other side of face f of atom a, or -1. ``view`` maps a point to the coordinates of the pictures:
    right, down and towards the eye; ``light`` is the direction of the light in these coordinates, and ``factor`` their pixels a unit.
    """
    grid = board.grid
    if grid.dimension < 3:
        return None
    near = [translate(a, home(atoms)) for a in atoms]
    heights = [board.shapes.heights(a)[:1] for a in near]  # empty for atoms that are not drawn
    number = {height: i for i, (height,) in enumerate(sorted({tuple(h) for h in heights if h}))}
    return {
        "basis": board.shapes.basis.round(DECIMALS).tolist(),
        "view": _view(grid).round(DECIMALS).tolist(),
        "light": LIGHT.round(DECIMALS).tolist(),
        "factor": board.factor,
        "radius": ball_radius(grid) if grid.of_balls else 0,
        "half": half_breadth(grid) if any(len(a.vertices) == 2 for a in grid.atoms) else 0,
        "shares": SHARES,
        "axes": [] if grid.of_balls else _plain(_cartesian(grid, axes(grid))),
        "kinds": [_kind(grid, a) for a in range(len(grid.atoms))],
        "atoms": [[*a, *([number[h] for h in height] or [0])] for a, height in zip(near, heights, strict=True)],
        "layers": len(number),
        "behind": behind(grid, near),
    }


def behind(grid: Grid, atoms: Sequence[AtomId]) -> list[list[int]]:
    """Return for each face of each atom the number of the atom that shares the face, or -1.

    Corners are compared exactly. Flat atoms and bars share no face, because both sides of them are visible.
    """
    scale = lcm(*(x.denominator for atom in grid.atoms for v in atom.vertices for x in v))
    faces = [
        [sorted(tuple(int(scale * x) for x in corner) for corner in face) for face in polytope_faces(grid, a)] if _solid(grid, a) else []
        for a in range(len(grid.atoms))
    ]
    owners: dict[tuple[Corner, ...], list[int]] = defaultdict(list)
    moved = []
    for i, (*cell, a) in enumerate(atoms):
        own = [tuple(tuple(x + scale * c for x, c in zip(corner, cell, strict=True)) for corner in face) for face in faces[a]]
        for face in own:
            owners[face].append(i)
        moved.append(own)
    return [
        [next((j for j in owners[face] if j != i), -1) for face in own] or [-1] * len(_outward(grid, atoms[i][-1]))
        for i, own in enumerate(moved)
    ]


def _solid(grid: Grid, number: int) -> bool:
    """Return whether an atom has a volume: a flat atom has only two faces."""
    return len(grid.atoms[number].vertices) > 3 and len(polytope_faces(grid, number)) > 2


def _kind(grid: Grid, number: int) -> dict[str, Any]:
    atom = grid.atoms[number]
    here = _points(grid, [atom.centre])
    corners: list[list[float]] = []
    faces = []
    for points, normal in _outward(grid, number):
        rows = _plain(points)
        corners += [row for row in rows if row not in corners]
        faces.append([[corners.index(row) for row in rows], _plain(normal)])
    found: dict[str, Any] = {"middle": _plain(here[0]), "corners": corners, "faces": faces}
    if not grid.of_balls:
        ends = spans(grid)[number] - _cartesian(grid, axes(grid)) @ here[0]
        found["span"] = _plain(np.nan_to_num(ends))
    if len(atom.vertices) == 2:
        found["ends"] = _plain(_points(grid, atom.vertices))
    return found


def _outward(grid: Grid, number: int) -> list[tuple[Reals, Reals]]:
    """The faces of an atom of the unit cell, counterclockwise as seen from outside, with their outward normals.

    The faces of a polytope are in the order of ``polytope_faces``.
    """
    origin: AtomId = (*([0] * grid.dimension), number)
    found = []
    for face in atom_faces(grid, origin):
        points, normal = _cartesian(grid, face.corners), _cartesian(grid, face.normal)
        turned = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0) @ normal
        found.append((points if turned > 0 else points[::-1], normal))
    return found


def _view(grid: Grid) -> Reals:
    return VIEW_OF_BALLS if grid.of_balls else VIEW


def _cartesian(grid: Grid, seen: Reals) -> Reals:
    """Convert picture coordinates to Cartesian coordinates. The view matrix is orthogonal, so its transpose is its inverse."""
    return np.asarray(seen @ _view(grid).T)


def _points(grid: Grid, points: Sequence[Sequence[Fraction]]) -> Reals:
    return np.asarray(np.array([[float(x) for x in p] for p in points]) @ shapes(grid).basis)


def _plain(numbers: Reals) -> list[Any]:
    return list((numbers.round(DECIMALS) + 0.0).tolist())


TURN_DECIMALS = 6
"""Decimal places to which matrices are compared."""


@dataclass(frozen=True)
class HandSteps:
    """The results of each step from one orientation: indices of orientations of the same tile."""

    turn: int
    """Clockwise as seen from above, by the smallest angle that the tile's symmetries allow."""
    back: int
    flip: int | None
    """In the plane the mirror image, left for right; in space the piece tipped over to the front. None if the tile does not allow it."""
    mirror: int | None
    """In space the mirror image, if the tile may be mirrored."""


def steps(grid: Grid, tile: Tile, found: Sequence[Orientation]) -> list[HandSteps]:
    """Return the results of turning and flipping for each orientation of a tile."""
    if tile.listed:  # step through the list of placements
        return [HandSteps((i + 1) % len(found), (i - 1) % len(found), None, None) for i in range(len(found))]
    index = {(o.atoms, o.marks): i for i, o in enumerate(found)}
    made = ways(grid)
    mirrors = any(grid.motions[i].mirror for i in tile.symmetries)

    def leads(i: int, way: Sequence[Symmetry]) -> int | None:
        here = replace(tile, atoms=found[i].atoms, marks=found[i].marks)
        bodies = (here.transform(g) for g in way)
        return next((index[body] for body in bodies if body in index), None)

    def step(i: int) -> HandSteps:
        turn, back, tip = (leads(i, way) for way in (made.turn, made.back, made.tip))
        mirror = leads(i, made.mirror) if mirrors else None
        here = (i if turn is None else turn, i if back is None else back)
        return HandSteps(*here, mirror, None) if grid.dimension == 2 else HandSteps(*here, tip, mirror)

    all_steps = [step(i) for i in range(len(found))]
    return all_steps if grid.dimension == 2 else _everywhere(all_steps)


def _everywhere(found: list[HandSteps]) -> list[HandSteps]:
    """Return the steps if they reach all orientations. Otherwise let tipping lead from each cycle of turns to the next cycle.

    The second case occurs for balls: a motion that maps some balls to balls need not be a symmetry of the grid, and some steps are not
    possible everywhere.
    """
    rounds: list[list[int]] = []
    for i in range(len(found)):
        if not any(i in cycle for cycle in rounds):
            rounds.append(_reached(i, [[s.turn] for s in found]))
    if not rounds or len(_reached(0, [[j for j in (s.turn, s.flip, s.mirror) if j is not None] for s in found])) == len(found):
        return found
    following = {i: rounds[(n + 1) % len(rounds)][0] for n, cycle in enumerate(rounds) for i in cycle}
    return [replace(s, flip=following[i]) for i, s in enumerate(found)]


def _reached(start: int, leads: Sequence[Sequence[int]]) -> list[int]:
    """Return the nodes that can be reached from ``start``, beginning with ``start``."""
    found = [start]
    for here in found:
        found += [there for there in leads[here] if there not in found]
    return found


@dataclass(frozen=True)
class HandWays:
    """The symmetries of a grid for each step, in order of preference."""

    turn: tuple[Symmetry, ...]
    back: tuple[Symmetry, ...]
    tip: tuple[Symmetry, ...]
    mirror: tuple[Symmetry, ...]


@cache
def ways(grid: Grid) -> HandWays:
    """Return turns round the vertical axis, sorted by angle, and mirrors, sorted by closeness to the mirror that exchanges left and right.

    In space a piece is tipped by the rotation that, together with the first turn, generates the most orientations. Ties prefer the axis
    nearest to the left-right axis, then the smallest angle.
    """
    matrix = {g: cartesian(grid, g) for g in grid.motions}
    proper = [g for g in grid.motions if not g.mirror and not np.allclose(matrix[g], np.eye(grid.dimension))]
    left_right = np.diag([-1.0, *([1.0] * (grid.dimension - 1))])
    mirror = sorted((g for g in grid.motions if g.mirror), key=lambda g: _rounded(np.linalg.norm(matrix[g] - left_right)))
    if grid.dimension == 2:
        clockwise = sorted(proper, key=lambda g: -(g.degrees or 0) % 360)
        return HandWays(tuple(clockwise), tuple(sorted(proper, key=lambda g: (g.degrees or 0) % 360)), (), tuple(mirror))
    spin = {g: _spin(matrix[g]) for g in proper}

    def upright(g: Symmetry) -> float:
        return _rounded(1 - abs(spin[g][0][2]))

    level = min(map(upright, proper), default=0.0)
    turns = [g for g in proper if upright(g) == level]

    turn = sorted(turns, key=lambda g: _rounded((-spin[g][1] if spin[g][0][2] > 0 else spin[g][1]) % (2 * np.pi)))  # clockwise
    tips = [g for g in proper if g not in turns]
    reached = {g: _generated([matrix[turn[0]], matrix[g]], len(proper) + 1) for g in tips}
    tip = sorted(tips, key=lambda g: (-reached[g], _rounded(1 - abs(spin[g][0][0])), _rounded(spin[g][1]), _rounded(-spin[g][0][0])))
    return HandWays(tuple(turn), tuple(reversed(turn)), tuple(tip), tuple(mirror))


def cartesian(grid: Grid, motion: Symmetry) -> Reals:
    """Return the matrix of a motion for Cartesian column vectors, y upwards as in pictures."""
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


def _generated(generators: Sequence[Reals], most: int) -> int:
    """Order of the group generated by matrices, counted up to ``most``: motions of balls may generate an infinite group."""
    found: set[bytes] = set()
    todo = [np.eye(len(generators[0]))]
    while todo and len(found) < most:
        here = todo.pop()
        code = (np.round(here, TURN_DECIMALS) + 0.0).tobytes()
        if code not in found:
            found.add(code)
            todo += [here @ g for g in generators]
    return len(found)


def _rounded(x: float | np.floating) -> float:
    return round(float(x), TURN_DECIMALS)
