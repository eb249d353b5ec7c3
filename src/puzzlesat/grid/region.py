"""Regions of a grid: boxes, convex polygons, and the connected parts of a set of atoms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
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
    reach = range(floor(min(xs)) - 1, ceil(max(xs)) + 1), range(floor(min(ys)) - 1, ceil(max(ys)) + 1)
    faces = [(x, y, a) for x, y in product(*reach) for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
    return {face for face in faces if inside(grid.centre(face), corners)}


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
    return polygon(grid, corners)


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
