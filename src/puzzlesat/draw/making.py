"""What all meshes of pieces are made with: their sizes, the bodies of manifold3d, and the small body that makes edges."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from itertools import product
from types import ModuleType
from typing import Any

import numpy as np

from puzzlesat.arrays import Reals
from puzzlesat.errors import NotSupportedError

Manifold = Any
"""A body of manifold3d, which has no types."""
LEAST = 1e-5
"""Of a cell: so much is taken off in any case, far below what is printed and far above what is rounded."""
BEVEL = 1.0
"""Millimetres, where nobody says another."""
TO_INSTALL = 'meshes need manifold3d; install it with pip install "puzzlesat[print]"'
STEPS = 4
"""In how many parts a quarter of a rounded edge is cut."""
NEAR = float(np.cos(np.pi / 12))
"""Directions nearer to each other than 15 degrees are one."""


@dataclass(frozen=True)
class Making:
    """How pieces are made; all lengths are in millimetres."""

    cell: float = 20.0
    """The shortest side of a cell; the diameter of a ball."""
    clearance: float = 0.2
    """What is free between two pieces that touch: each loses half of it all round."""
    bevel: float | None = None
    """How much of each of the two faces at an edge is cut off; None: as is good for such pieces."""
    rounding: float = 0.0
    """The radius of edges that are rounded instead; 0: they are not."""
    thickness: float = 6.0
    """Of flat pieces; nothing is taken off this way."""
    wall: float = 0.0
    """How thick the walls of hollow pieces are; 0: pieces are solid."""
    drain: float = 0.0
    """The diameter of a hole in the wall of a hollow piece; 0: there is none."""

    def edge(self, usual: float = BEVEL) -> float:
        """Return how much of each of the two faces at an edge is lost, whatever becomes of the edge."""
        return self.rounding or (usual if self.bevel is None else self.bevel)


def library() -> ModuleType:
    """Return manifold3d. Raises NotSupportedError where it is not installed."""
    try:
        return import_module("manifold3d")
    except ImportError:
        raise NotSupportedError(TO_INSTALL) from None


def hull(points: Reals) -> Manifold:
    """Return the convex hull of points as a body."""
    return library().Manifold.hull_points(points)


def rounded(probe: Reals) -> Reals:
    """Return points of the unit sphere, among them those given, that lie evenly between these: their hull is nearly a ball.

    It reaches exactly one unit far in the directions given, so that faces which look there move by one unit.
    """
    mesh = hull(probe).to_mesh64()
    corners = np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts)]
    shares = np.array([(i, j, STEPS - i - j) for i, j in product(range(STEPS + 1), repeat=2) if i + j <= STEPS], dtype=np.float64)
    points = np.concatenate([shares @ triangle for triangle in corners])
    kept = list(probe)
    for point in points / np.linalg.norm(points, axis=1)[:, None]:
        if max(point @ other for other in kept) < NEAR:
            kept.append(point)
    return np.array(kept)
