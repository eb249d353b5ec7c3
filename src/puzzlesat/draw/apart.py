"""How far the bodies of an exploded picture are moved: away from the middle, so that no two of them run into each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations

import numpy as np

from puzzlesat.arrays import Flags, Reals
from puzzlesat.draw.geometry import ball_radius
from puzzlesat.draw.skin import atom_faces, middle, seen
from puzzlesat.grid.lattice import AtomId, Grid

SHARES = (1.15, 1.4, 1.7, 2.1, 2.6)
"""How far a body may move, as a share of its distance from the middle; the first at which all are clear of each other is taken."""
TOUCH = 1e-6
"""Bodies that are in each other by less only touch."""


def moved_apart(grid: Grid, bodies: Sequence[Sequence[AtomId]]) -> list[Reals] | None:
    """Return how far each body is moved, as the eye sees it; None where interlocking bodies run into each other at every distance."""
    middles = [np.array([middle(grid, a) for a in body]) for body in bodies]
    centre = np.concatenate(middles).mean(axis=0)
    for share in SHARES:
        shifts: list[Reals] = [share * (m.mean(axis=0) - centre) for m in middles]
        moved = [m + s for m, s in zip(middles, shifts, strict=True)]
        if not (_balls_meet(moved, 2 * ball_radius(grid)) if grid.of_balls else _polytopes_meet(grid, bodies, shifts)):
            return shifts
    return None


def _balls_meet(bodies: Sequence[Reals], diameter: float) -> bool:
    """Whether balls of two bodies are in each other, from their centres."""
    return any(bool((np.linalg.norm(one[:, None] - other, axis=2) < diameter - TOUCH).any()) for one, other in combinations(bodies, 2))


def _polytopes_meet(grid: Grid, bodies: Sequence[Sequence[AtomId]], shifts: Sequence[Reals]) -> bool:
    """Whether two bodies are in each other.

    Two convex polytopes are apart if and only if they are so along the normal of a face or the common normal of two edges
    (the separating axis theorem; Gottschalk, Lin, Manocha, OBBTree, 1996).
    """
    known = spans(grid)
    low, high = [], []
    for body, shift in zip(bodies, shifts, strict=True):
        drawn = [a for a in body if np.isfinite(known[a[-1]]).all()]
        moves = (seen(grid, [a[:-1] for a in drawn]) + shift) @ axes(grid).T
        own = known[[a[-1] for a in drawn]]
        low.append(moves + own[:, 0])
        high.append(moves + own[:, 1])
    for i, j in combinations(range(len(bodies)), 2):
        if not _common(low[i].min(axis=0), high[i].max(axis=0), low[j].min(axis=0), high[j].max(axis=0)).all():
            continue
        if _common(low[i][:, None], high[i][:, None], low[j], high[j]).all(axis=2).any():
            return True
    return False


def _common(low: Reals, high: Reals, other_low: Reals, other_high: Reals) -> Flags:
    """Which intervals have more than a point in common."""
    return np.asarray(np.minimum(high, other_high) - np.maximum(low, other_low) > TOUCH)


@cache
def axes(grid: Grid) -> Reals:
    """Return the directions, as the eye sees them, of which one tells any two atoms of a grid apart that have no point inside both."""
    faces = [face for number in range(len(grid.atoms)) for face in atom_faces(grid, _at_origin(grid, number))]
    edges = _directions([b - a for face in faces for a, b in face.sides()])
    crossed = [np.cross(a, b) for a, b in combinations(edges, 2)]
    return _directions([face.normal for face in faces] + [c for c in crossed if np.linalg.norm(c) > TOUCH])


def _directions(vectors: Sequence[Reals]) -> Reals:
    """Reals of length 1, those that differ in sign or length once."""
    found: dict[tuple[float, ...], Reals] = {}
    for vector in vectors:
        unit = (vector / np.linalg.norm(vector)).round(9) + 0.0
        first = unit[np.flatnonzero(np.abs(unit) > TOUCH)[0]]
        unit = unit * np.sign(first)
        found.setdefault(tuple(unit.round(5).tolist()), unit)
    return np.array(list(found.values()))


@cache
def spans(grid: Grid) -> Reals:
    """Return from where to where each atom of the unit cell reaches along the axes; nan for one that is not drawn."""
    found = np.full((len(grid.atoms), 2, len(axes(grid))), np.nan)
    for number in range(len(grid.atoms)):
        corners = [face.corners for face in atom_faces(grid, _at_origin(grid, number))]
        if corners:
            along = np.concatenate(corners) @ axes(grid).T
            found[number] = along.min(axis=0), along.max(axis=0)
    return found


def _at_origin(grid: Grid, number: int) -> AtomId:
    return (*([0] * grid.dimension), number)
