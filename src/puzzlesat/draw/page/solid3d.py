"""What a page needs to draw a form in space from any side: the faces of each kind of atom, where the atoms are, and which faces they share.

Points are Cartesian, in units of length of the Gram matrix: x to the right, y to the back, z upwards. ``bodies3d.js`` turns them, and
``bodies.js`` sees them as the pictures do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from puzzlesat.arrays import Reals
from puzzlesat.draw.apart import SHARES, axes, spans
from puzzlesat.draw.bodies import LIGHT
from puzzlesat.draw.canvas import Canvas
from puzzlesat.draw.geometry import ball_radius, polytope_faces, shapes
from puzzlesat.draw.skin import VIEW, VIEW_OF_BALLS, atom_faces, half_breadth, home
from puzzlesat.grid.lattice import AtomId, Grid, translate

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
