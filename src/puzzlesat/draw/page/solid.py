"""What the script of a page needs to draw a solution in space as a body, together and exploded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from puzzlesat.draw.canvas import Canvas
from puzzlesat.draw.geometry import BALL, Vectors, polytope_faces, shapes
from puzzlesat.draw.isometric import APART, EYE, LIGHT, SCREEN
from puzzlesat.draw.svg import disc, path
from puzzlesat.grid.lattice import AtomId

BALL_ITSELF, SHINE = -1, -2
"""Stand for the direction of what is round."""


def solid_as_json(board: Canvas, atoms: Sequence[AtomId]) -> dict[str, Any] | None:
    """Return for each atom its middle and the faces that look at the eye; None in the plane.

    A face is its path, how light it is, a number for its direction, the number of the atom behind which it hides (or -1), and its sides,
    each with a number that it shares with the faces that meet there.
    """
    if board.grid.dimension < 3:
        return None
    scale = shapes(board.grid).basis
    corners = [[np.array([[float(x) for x in p] for p in f]) @ scale + _move(board, a) for f in _faces(board, a)] for a in atoms]
    owners: dict[frozenset[tuple[float, ...]], list[int]] = {}
    for i, faces in enumerate(corners):
        for face in faces:
            owners.setdefault(_key(face), []).append(i)
    sides: dict[frozenset[tuple[float, ...]], int] = {}
    directions: dict[tuple[float, ...], int] = {}
    found = []
    for i, faces in enumerate(corners):
        seen = []
        for face in faces:
            normal = np.cross(face[1] - face[0], face[2] - face[1])
            normal = normal / np.linalg.norm(normal)
            if normal @ EYE > 1e-6:
                behind = next((j for j in owners[_key(face)] if j != i), -1)
                direction = directions.setdefault(tuple((normal.round(6) + 0.0).tolist()), len(directions))
                light = round(0.75 * (max(0.0, float(normal @ LIGHT)) - 0.62), 3)
                around = [np.array(pair) for pair in zip(face, np.roll(face, -1, axis=0), strict=True)]
                seen.append(
                    [
                        path(_flat(board, face)),
                        light,
                        direction,
                        behind,
                        [[sides.setdefault(_key(s), len(sides)), path(_flat(board, s), closed=False)] for s in around],
                    ]
                )
        if board.shapes.drawn(atoms[i]) == BALL:
            centre, radius = _flat(board, _middle(board, atoms[i])), board.radius
            seen.append([disc(centre, radius), -0.12, BALL_ITSELF, -1, []])
            seen.append([disc(centre + np.array([0.2, -0.3]) * radius, 0.45 * radius), 0.3, SHINE, -1, []])
        found.append(seen)
    middles = [_middle(board, a) for a in atoms]
    return {
        "eye": EYE.round(4).tolist(),
        "screen": (SCREEN * [board.factor, -board.factor]).T.round(4).tolist(),
        "apart": APART,
        "reach": round(_reach(board, corners, middles), 1),
        "middles": [m.round(4).tolist() for m in middles],
        "faces": found,
    }


def _faces(board: Canvas, atom: AtomId) -> Sequence[Any]:
    return polytope_faces(board.grid, atom[-1]) if len(board.grid.atoms[atom[-1]].vertices) > 2 else ()


def _move(board: Canvas, atom: AtomId) -> Vectors:
    return np.asarray(np.array(atom[:-1], dtype=np.float64) @ board.shapes.basis)


def _middle(board: Canvas, atom: AtomId) -> Vectors:
    return np.asarray(np.array([float(x) for x in board.grid.centre(atom)]) @ board.shapes.basis)


def _flat(board: Canvas, points: Vectors) -> Vectors:
    return np.asarray(points @ SCREEN * [board.factor, -board.factor])


def _reach(board: Canvas, corners: Sequence[Sequence[Vectors]], middles: Sequence[Vectors]) -> float:
    """How far an atom reaches from its middle on the screen, in pixels."""
    spans = [float(np.linalg.norm(f - m, axis=1).max()) for faces, m in zip(corners, middles, strict=True) for f in faces]
    return max(max(spans, default=0.0) * board.factor, board.radius) + 2.0


def _key(points: Vectors) -> frozenset[tuple[float, ...]]:
    return frozenset(tuple(p) for p in (points.round(6) + 0.0).tolist())
