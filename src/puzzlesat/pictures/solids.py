"""Bodies as plain data, for a page that draws them from any side; and what a person does to a piece in the hand.

Points are Cartesian, in units of length of the Gram matrix: x to the right, y to the back, z upwards. ``bodies3d.js`` turns them, and
``bodies.js`` sees them as the pictures do.
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
"""Of a unit of length: a script finds by calculation what lies in one plane, and in front of it."""

Corner = tuple[int, ...]


def solid3d_as_json(board: Canvas, atoms: Sequence[AtomId]) -> dict[str, Any] | None:
    """Return the atoms of a form in space as plain data; None in the plane.

    ``kinds`` has for each atom of the unit cell its ``middle``, its ``corners`` and its ``faces``, each the numbers of its corners,
    counterclockwise from outside, and its normal to the outside; its ``span`` is from where to where it reaches along the ``axes``,
    counted from its middle, and ``ends`` are those of an edge, which a bar as broad as ``2 half`` stands for. ``atoms`` are rows
    ``[cell.., kind, layer]``, and ``behind[a][f]`` is the atom on the other side of face f of atom a, or -1. ``view`` takes a point to the
    right, down and towards the eye of the pictures, in which ``light`` is where the light comes from; ``factor`` are their pixels.
    """
    grid = board.grid
    if grid.dimension < 3:
        return None
    near = [translate(a, home(atoms)) for a in atoms]
    heights = [board.shapes.heights(a)[:1] for a in near]  # none of what is not drawn
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
    """Return for each face of each atom the number of the atom with which it shares the face, or -1.

    Corners are compared exactly. Flat atoms and the bars of edges share no face: both of their sides are seen.
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
    """Whether an atom has an inside: more than the two sides of what is flat."""
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
    """The faces of an atom of the unit cell, counterclockwise from outside, with their normals to the outside.

    Those of a polytope are in the order of its exact ones.
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
    """What the eye of the pictures sees, in Cartesian coordinates: the view is a turn with a mirror, so its transpose undoes it."""
    return np.asarray(seen @ _view(grid).T)


def _points(grid: Grid, points: Sequence[Sequence[Fraction]]) -> Reals:
    return np.asarray(np.array([[float(x) for x in p] for p in points]) @ shapes(grid).basis)


def _plain(numbers: Reals) -> list[Any]:
    return list((numbers.round(DECIMALS) + 0.0).tolist())


TURN_DECIMALS = 6
"""To which matrices are compared."""


@dataclass(frozen=True)
class HandSteps:
    """Where each step leads from an orientation: the index of another of the same tile, or of itself."""

    turn: int
    """Clockwise as seen from above, by the smallest angle that the tile may be turned by."""
    back: int
    flip: int | None
    """In the plane the mirror image, left for right; in space tipped over, to the front. None where the tile may not be."""
    mirror: int | None
    """In space the mirror image of a tile that may be mirrored."""


def steps(grid: Grid, tile: Tile, found: Sequence[Orientation]) -> list[HandSteps]:
    """Return for each orientation of a tile where turning and flipping lead."""
    if tile.listed:  # from each placement of the list to the next
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
class HandWays:
    """The symmetries of a grid that make each step, the one that is most like it first."""

    turn: tuple[Symmetry, ...]
    back: tuple[Symmetry, ...]
    tip: tuple[Symmetry, ...]
    mirror: tuple[Symmetry, ...]


@cache
def ways(grid: Grid) -> HandWays:
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
        return HandWays(tuple(clockwise), tuple(sorted(proper, key=lambda g: (g.degrees or 0) % 360)), (), tuple(mirror))
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
    return HandWays(tuple(turn), tuple(reversed(turn)), tuple(tip), tuple(mirror))


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
        code = (np.round(here, TURN_DECIMALS) + 0.0).tobytes()
        if code not in found:
            found.add(code)
            todo += [here @ g for g in some]
    return len(found)


def _rounded(x: float | np.floating) -> float:
    return round(float(x), TURN_DECIMALS)
