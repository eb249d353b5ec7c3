"""Regions of a grid: boxes, convex polygons and polytopes, and the connected parts of a set of atoms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import ceil, floor, prod

from puzzlesat.errors import PuzzleError
from puzzlesat.grid.lattice import AtomId, Grid

MOST_CELLS = 100_000


def check_cells(cells: int, what: str = "cells") -> None:
    """Raise PuzzleError where a region has more cells than can be worked with, before it is made."""
    if cells > MOST_CELLS:
        raise PuzzleError(f"{cells:,} {what}; expected {MOST_CELLS:,} at most")


def box(grid: Grid, sides: Sequence[int]) -> set[AtomId]:
    """Return all atoms of the main kind in the cells from [1, 1] to ``sides``. Raises PuzzleError where they are too many."""
    check_cells(prod(sides))
    cells = product(*(range(1, side + 1) for side in sides))
    return {(*cell, a) for cell in cells for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind}


def polygon(grid: Grid, corners: Sequence[Sequence[Fraction]]) -> set[AtomId]:
    """Return all atoms of the main kind whose centre lies in a convex polygon (plane grids; either sense of rotation).

    Raises PuzzleError where it reaches over too many cells.
    """
    xs, ys = zip(*corners, strict=True)
    check_cells((ceil(max(xs)) - floor(min(xs))) * (ceil(max(ys)) - floor(min(ys))), "cells within its reach")
    found: set[AtomId] = set()
    for a in (a for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind):
        right, up = grid.centre((0, 0, a))
        for y in range(floor(min(ys)) - 1, ceil(max(ys)) + 1):
            for low, high in _in_row(corners, up + y):
                found |= {(x, y, a) for x in range(ceil(low - right), floor(high - right) + 1)}
    return found


def _in_row(corners: Sequence[Sequence[Fraction]], y: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
    """From where to where a convex polygon reaches at a height, for each sense in which its corners may go round."""
    xs, ys = zip(*corners, strict=True)
    if not min(ys) <= y <= max(ys):
        return
    for sense in (1, -1):
        low, high = Fraction(min(xs)), Fraction(max(xs))  # they matter where all corners lie in one line, or are one point
        for p, q in zip(corners, [*corners[1:], corners[0]], strict=True):
            rise = sense * (q[1] - p[1])
            most = sense * (q[0] - p[0]) * (y - p[1]) + rise * p[0]  # the edge keeps what has rise * x <= most
            if rise > 0:
                high = min(high, Fraction(most, rise))
            elif rise < 0:
                low = max(low, Fraction(most, rise))
            elif most < 0:
                break
        else:
            yield low, high


def is_convex(corners: Sequence[Sequence[Fraction]]) -> bool:
    """Tell whether corners go once round a convex polygon, in either sense."""
    count = len(corners)
    turns = []
    for i, q in enumerate(corners):
        p, r = corners[i - 1], corners[(i + 1) % count]
        turns.append((q[0] - p[0]) * (r[1] - q[1]) - (q[1] - p[1]) * (r[0] - q[0]))
    one_sense = all(t >= 0 for t in turns) or all(t <= 0 for t in turns)
    # a star turns in one sense too, but its corners do not all lie on one side of each edge
    return one_sense and any(turns) and all(inside(tuple(c), corners) for c in corners)


def shape(grid: Grid, name: str, size: int) -> set[AtomId]:
    """Return a form of the grid file's ``shapes`` of a given size, e.g. a triangle of side 5. Raises PuzzleError where it is too large."""
    corners = [[Fraction(a * size + b) for a, b in corner] for corner in grid.shapes[name]]
    return polygon(grid, corners) if grid.dimension == 2 else polytope(grid, corners)


def polytope(grid: Grid, corners: Sequence[Sequence[Fraction]]) -> set[AtomId]:
    """Return all atoms of the main kind whose centre lies in the convex hull of points of space, or on its border.

    Raises PuzzleError where it reaches over too many cells, and where the points are several and lie in one plane.
    """
    axes = [*zip(*corners, strict=True)]
    check_cells(prod(ceil(max(axis)) - floor(min(axis)) + 1 for axis in axes), "cells within its reach")
    bounds = _bounds(corners)
    if bounds is None:
        raise PuzzleError("its corners lie in one plane; expected corners of a body")
    reach = [range(floor(min(axis)) - 1, ceil(max(axis)) + 1) for axis in axes]
    atoms = [(*cell, a) for cell in product(*reach) for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
    return {atom for atom in atoms if all(_along(normal, grid.centre(atom)) <= most for normal, most in bounds)}


def _bounds(corners: Sequence[Sequence[Fraction]]) -> set[tuple[tuple[Fraction, ...], Fraction]] | None:
    """Return the half spaces ``normal x <= most`` whose intersection is the hull of the corners. None where several lie in one plane."""
    signs = [tuple(Fraction(sign * (i == axis)) for i in range(3)) for axis in range(3) for sign in (1, -1)]
    # the box alone bounds a single point, as a shape of size 1 often is
    found = {(normal, max(_along(normal, c) for c in corners)) for normal in signs}
    points = sorted({tuple(c) for c in corners})
    for p, q, r in combinations(points, 3):
        (a, b, c), (d, e, f) = (tuple(y - x for x, y in zip(p, other, strict=True)) for other in (q, r))
        normal = (b * f - c * e, c * d - a * f, a * e - b * d)
        for way in (normal, tuple(-x for x in normal)) if any(normal) else ():
            if all(_along(way, other) <= _along(way, p) for other in points):
                found.add((way, _along(way, p)))
    flat = any((tuple(-x for x in normal), -most) in found for normal, most in found)
    in_a_line = len(points) == 2  # and no three points make a plane
    return None if len(points) > 1 and (flat or in_a_line) else found


def _along(normal: Sequence[Fraction], point: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(normal, point, strict=True)), Fraction(0))


Neighbours = Callable[[AtomId], list[AtomId]]


def parts(grid: Grid, atoms: Iterable[AtomId], neighbours: Neighbours | None = None) -> list[set[AtomId]]:
    """Split atoms of the main kind into parts connected across sides, largest first."""
    near = neighbours or grid.neighbours
    left = {a for a in atoms if grid.atoms[a[-1]].kind == grid.main_kind}
    found = []
    while left:
        part, rim = set[AtomId](), {left.pop()}
        while rim:
            part |= rim
            rim = {b for a in rim for b in near(a)} & left
            left -= rim
        found.append(part)
    return sorted(found, key=len, reverse=True)


def inside(point: Sequence[Fraction], corners: Sequence[Sequence[Fraction]]) -> bool:
    """Tell whether a point lies in a convex polygon, or on its border."""
    turns = [
        (q[0] - p[0]) * (point[1] - p[1]) - (q[1] - p[1]) * (point[0] - p[0])
        for p, q in zip(corners, [*corners[1:], corners[0]], strict=True)
    ]
    # the box matters where all corners lie in one line, or are one point
    boxed = all(min(axis) <= x <= max(axis) for x, axis in zip(point, zip(*corners, strict=True), strict=True))
    return boxed and (all(t >= 0 for t in turns) or all(t <= 0 for t in turns))
