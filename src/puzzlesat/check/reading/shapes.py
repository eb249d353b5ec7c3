"""Forms by measure: boxes, convex polygons, and the shapes of a grid, which are convex bodies for a size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import ceil, floor, lcm
from typing import Any

from ..grid import Atom, Point
from ..rejected import Rejected
from .grids import Lattice, fraction
from .motions import cross
from .tables import listed, number

Corner = tuple[Fraction, ...]
Bound = tuple[Point, int]
"""A direction and a number: points inside have no larger product with the direction."""


def box(stated: Any, where: str, lattice: Lattice) -> list[Atom]:
    """Return the faces of all cells from 1 to so many along each direction of the lattice."""
    sides = [number(x, where) for x in listed(stated, where)]
    if len(sides) != lattice.dimension:
        raise Rejected(f"{where}: expected {lattice.dimension} numbers")
    return [(*cell, a) for cell in product(*(range(1, side + 1) for side in sides)) for a in lattice.faces]


def polygon(stated: Any, where: str, lattice: Lattice) -> list[Atom]:
    """Return the faces whose centre lies in a convex polygon."""
    corners = [tuple(fraction(x, where) for x in listed(corner, where)) for corner in listed(stated, where)]
    if lattice.dimension != 2 or any(len(corner) != 2 for corner in corners):
        raise Rejected(f"{where}: a polygon lies in the plane")
    return _within(corners, where, lattice)


def shape(name: str, size: Any, where: str, lattice: Lattice) -> list[Atom]:
    """Return the faces whose centre lies in a shape of the grid for a size: each coordinate of a corner is ``[a, b]``, meaning a n + b."""
    n = number(size, where)
    corners = [
        tuple(fraction(a, where) * n + fraction(b, where) for a, b in listed(corner, where))
        for corner in listed(lattice.said["shapes"][name], where)
    ]
    return _within(corners, where, lattice)


def _within(corners: Sequence[Corner], where: str, lattice: Lattice) -> list[Atom]:
    """The faces whose centre lies in the convex hull of some corners, or on its border."""
    grid = lattice.grid
    unit = lcm(grid.unit * lcm(*map(len, grid.corners)), *(x.denominator for corner in corners for x in corner))
    whole = sorted({tuple(int(x * unit) for x in corner) for corner in corners})
    bounds = list(_bounds(whole, where))
    ranges = [(min(axis), max(axis)) for axis in zip(*whole, strict=True)]
    found = []
    for a in lattice.faces:
        times = unit // (grid.unit * len(grid.corners[a]))
        centre = [sum(axis) * times for axis in zip(*grid.corners[a], strict=True)]
        cells = (range(ceil((low - c) / unit) - 1, floor((high - c) / unit) + 2) for c, (low, high) in zip(centre, ranges, strict=True))
        for cell in product(*cells):
            point = [c + unit * x for c, x in zip(centre, cell, strict=True)]
            inside = all(low <= x <= high for x, (low, high) in zip(point, ranges, strict=True))
            if inside and all(sum(d * x for d, x in zip(way, point, strict=True)) <= most for way, most in bounds):
                found.append((*cell, a))
    return found


def _bounds(corners: Sequence[Point], where: str) -> Iterator[Bound]:
    """Bounds that hold for all corners, and that some of them reach along each line (in space: plane) of the border.

    Together with the ranges of the coordinates they say what lies in the hull, also where it is a segment of the plane or a point.
    """
    flat = len(corners) > 1
    for some in combinations(corners, len(corners[0])) if flat else ():
        first, *others = some
        sides = [[x - y for x, y in zip(other, first, strict=True)] for other in others]
        way = _across(sides)
        if not any(way):
            continue
        height = sum(d * x for d, x in zip(way, first, strict=True))
        heights = [sum(d * x for d, x in zip(way, corner, strict=True)) for corner in corners]
        flat = flat and min(heights) == max(heights)
        if max(heights) == height:
            yield way, height
        if min(heights) == height:
            yield tuple(-d for d in way), -height
    if flat and len(corners[0]) == 3:
        raise Rejected(f"{where}: the body is flat")


def _across(sides: Sequence[Sequence[int]]) -> Point:
    """A direction whose product with one vector of the plane, or with two of space, is 0."""
    return cross(*sides) if len(sides) == 2 else (sides[0][1], -sides[0][0])
