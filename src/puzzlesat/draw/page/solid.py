"""What the script of a page needs to draw a solution in space as bodies, together and exploded: ``bodies.js``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from puzzlesat.arrays import Reals
from puzzlesat.draw.apart import SHARES, axes, spans
from puzzlesat.draw.bodies import lightness
from puzzlesat.draw.canvas import Canvas
from puzzlesat.draw.geometry import ball_radius
from puzzlesat.draw.skin import EDGE_ON, Key, atom_faces, home, key, middle
from puzzlesat.grid.lattice import AtomId, translate

DECIMALS = 10
"""Of a pixel: the script finds by calculation what lies in one plane, and in front of it."""


def solid_as_json(board: Canvas, atoms: Sequence[AtomId]) -> dict[str, Any] | None:
    """Return for each atom its middle and the faces that look at the eye, in pixels to the right, down and towards it; None in the plane.

    A face is the numbers of its corners, how light it is, a number for its direction, and the number of the atom behind which it hides
    (or -1). Atoms are in each other if their spans, counted from their middles, have something in common along all axes.
    """
    grid = board.grid
    if grid.dimension < 3:
        return None
    move = home(atoms)
    atoms = [translate(a, move) for a in atoms]
    owners: dict[Key, list[int]] = {}
    for i, atom in enumerate(atoms):
        for face in atom_faces(grid, atom):
            owners.setdefault(key(face.corners), []).append(i)
    points: dict[Key, int] = {}
    corners: list[Any] = []
    directions: dict[Key, int] = {}
    found = []
    for i, atom in enumerate(atoms):
        seen = []
        for face in atom_faces(grid, atom):
            if face.normal[2] > EDGE_ON:
                behind = next((j for j in owners[key(face.corners)] if j != i), -1)
                direction = directions.setdefault(key(face.normal[None]), len(directions))
                around = [points.setdefault(key(corner[None]), len(points)) for corner in face.corners]
                corners += [_pixels(board, face.corners[around.index(new)]) for new in range(len(corners), len(points))]
                seen.append([around, round(lightness(face.normal), 3), direction, behind])
        found.append(seen)
    return {
        "radius": round(ball_radius(grid) * board.factor, DECIMALS) if grid.of_balls else 0,
        "shares": SHARES,
        "middles": [_pixels(board, middle(grid, a)) for a in atoms],
        "kinds": [a[-1] for a in atoms],
        "axes": [] if grid.of_balls else axes(grid).round(9).tolist(),
        "spans": [] if grid.of_balls else [_pixels(board, _span(board, number)) for number in range(len(grid.atoms))],
        "corners": corners,
        "faces": found,
    }


def _pixels(board: Canvas, lengths: Reals) -> list[Any]:
    return list(((lengths * board.factor).round(DECIMALS) + 0.0).tolist())


def _span(board: Canvas, number: int) -> Reals:
    """From where to where an atom reaches along the axes, counted from its middle; no length for one that is not drawn."""
    here = middle(board.grid, (*([0] * board.grid.dimension), number))
    return np.asarray(np.nan_to_num(spans(board.grid)[number] - axes(board.grid) @ here))
