"""Where a name has most room on what is seen of a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from puzzlesat.arrays import Flags, Reals
from puzzlesat.draw.svg import LARGEST, SMALLEST, breadth

TRIED = 100
"""Places that are tried for a name, about; then, three times, some round the best of them, each time closer."""
ROOMY = 1.5
"""A name stands where it could be so much larger than it is, if there is such a place."""
AROUND = np.array([(x, y) for x in (0, -2, -1, 1, 2) for y in (0, -2, -1, 1, 2)]) / 2
CLOSE = 0.92
"""The share of the room that a name takes."""
HEIGHT = 0.75
"""How high a letter is, in sizes of its font."""


@dataclass(frozen=True)
class Place:
    """The middle of a name, and the size of its letters."""

    x: float
    y: float
    size: float


def place_for(words: str, points: Reals, walls: Reals, middle: Reals) -> Place | None:
    """Return where, near some points, a name has most room, and of roomy places the one nearest to a middle; None where it is too small.

    Walls (start and end of each) are what the name must not touch; they go all round the area in which the points lie.
    """
    if not words or not len(points):
        return None
    box = np.array([breadth(words), HEIGHT]) / 2
    low, high = points.min(axis=0), points.max(axis=0)
    best, size = _best(points, walls, box, middle)
    step = float((high - low).max()) / 8
    for _ in range(3):
        if size >= ROOMY * LARGEST:
            break
        # no wall lies between a point with so much room and one that is nearer
        step = min(step, size * float(box.min()))
        best, size = _best(best + step / 2 * AROUND, walls, box, best)
        step /= 2
    return Place(float(best[0]), float(best[1]), min(size, LARGEST)) if size >= SMALLEST else None


def _best(points: Reals, walls: Reals, box: Reals, middle: Reals) -> tuple[Reals, float]:
    """The point with most room, and how large letters may be there."""
    size = np.minimum(CLOSE * _room(points, walls, box), ROOMY * LARGEST)
    best = np.lexsort((np.linalg.norm(points - middle, axis=1), -size.round(1)))[0]
    return points[best], float(size[best])


def area(polygon: Reals) -> float:
    """Return the area of a polygon."""
    x, y = polygon.T
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)


def places(parts: Sequence[Reals]) -> tuple[Reals, Reals]:
    """Return points all over convex polygons, and the middle of their area."""
    areas = np.array([area(p) for p in parts]) + 1e-9
    middles = np.array([p.mean(axis=0) for p in parts])
    spacing = (areas.sum() / TRIED) ** 0.5
    found = [middles]
    for part in parts:
        low, high = part.min(axis=0), part.max(axis=0)
        xs, ys = (np.arange(np.ceil(a / spacing), np.floor(b / spacing) + 1) * spacing for a, b in zip(low, high, strict=True))
        grid = np.array(np.meshgrid(xs, ys)).reshape(2, -1).T
        found.append(grid[inside(grid, part)])
    return np.concatenate(found), (middles * areas[:, None]).sum(axis=0) / areas.sum()


def inside(points: Reals, polygon: Reals) -> Flags:
    """Return which points lie in a convex polygon."""
    along = np.roll(polygon, -1, axis=0) - polygon
    turns = along[:, 0] * (points[:, None, 1] - polygon[:, 1]) - along[:, 1] * (points[:, None, 0] - polygon[:, 0])
    return np.asarray((turns >= 0).all(axis=1) | (turns <= 0).all(axis=1))


def sides(polygon: Reals) -> Reals:
    """Return start and end of each side of a polygon."""
    return np.stack([polygon, np.roll(polygon, -1, axis=0)], axis=1)


def _room(points: Reals, walls: Reals, box: Reals) -> Reals:
    """How many times a box may be enlarged round each point until it touches a wall; larger values than are of use are cut off."""
    low, high = points.min(axis=0) - ROOMY * LARGEST * box, points.max(axis=0) + ROOMY * LARGEST * box
    near = walls[((walls.min(axis=1) <= high) & (walls.max(axis=1) >= low)).all(axis=1)]
    start = (near[:, 0] - points[:, None]) / box
    along = (near[:, 1] - near[:, 0]) / box
    x, y = start[:, :, 0], start[:, :, 1]
    nearest = np.minimum(_larger(x, y), _larger(x + along[:, 0], y + along[:, 1])).min(axis=1, initial=ROOMY * LARGEST)
    # along a wall the larger of |x| and |y| is least at an end, where one of them is 0, or where they are equal
    for u, v in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, -1.0)):
        rise = along[:, 0] * u + along[:, 1] * v
        rise = np.where(np.abs(rise) < 1e-12, np.inf, rise)
        share = (-(x * u + y * v) / rise).clip(0, 1)
        nearest = np.minimum(nearest, _larger(x + share * along[:, 0], y + share * along[:, 1]).min(axis=1, initial=np.inf))
    return np.asarray(nearest)


def _larger(x: Reals, y: Reals) -> Reals:
    return np.maximum(np.abs(x), np.abs(y))
