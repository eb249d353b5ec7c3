"""Pieces of balls to be printed: a ball for each atom, and a neck between two that touch.

A neck keeps clear of all other balls, and of the necks of other pieces: of four balls, each touching the others, the two pairs of a piece
that is no part of the other have necks 1.4 radii apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from puzzlesat.arrays import Reals
from puzzlesat.draw.balls import BROAD
from puzzlesat.draw.geometry import BALL, ball_radius, shapes
from puzzlesat.draw.making import Making, Manifold, hull, library
from puzzlesat.grid.lattice import AtomId, Grid

SEGMENTS = 48
"""Corners of the circle of a ball, and of a neck."""


def all_balls(grid: Grid, atoms: Sequence[AtomId]) -> bool:
    """Tell whether a piece is made of balls alone."""
    return grid.dimension == 3 and all(shapes(grid).drawn(atom) == BALL for atom in atoms)


def balls_and_necks(grid: Grid, atoms: Sequence[AtomId], making: Making) -> Manifold:
    """Return a piece of balls, each smaller by the clearance; a ball has no edges to be bevelled."""
    known, bodies = shapes(grid), library()
    scale = making.cell / (2 * ball_radius(grid))
    radius, broad = (making.cell - making.clearance) / 2, BROAD * making.cell / 2 - making.clearance / 2
    middles = [scale * known.cartesian([known.corners(atom)[0]])[0] for atom in atoms]
    parts = [bodies.Manifold.sphere(radius, SEGMENTS).translate(middle.tolist()) for middle in middles]
    if broad > 0:
        touching = ((a, b) for a, b in combinations(middles, 2) if np.linalg.norm(a - b) < 1.01 * making.cell)
        parts += [_neck(a, b, broad) for a, b in touching]
    return bodies.Manifold.batch_boolean(parts, bodies.OpType.Add)


def _neck(a: Reals, b: Reals, broad: float) -> Manifold:
    """A cylinder from the middle of a ball to that of another."""
    along = (b - a) / np.linalg.norm(b - a)
    first = np.cross(along, np.eye(3)[np.argmin(abs(along))])
    first /= np.linalg.norm(first)
    second = np.cross(along, first)
    angles = np.linspace(0, 2 * np.pi, SEGMENTS, endpoint=False)[:, None]
    circle = broad * (np.cos(angles) * first + np.sin(angles) * second)
    return hull(np.concatenate([a + circle, b + circle]))
