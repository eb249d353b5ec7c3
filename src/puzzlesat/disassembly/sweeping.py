"""What an atom sweeps in one step, and how high it reaches, from the geometry of the grid in whole numbers.

This is for those who hold answers against the grid: it shares nothing with what the search knows of the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from math import gcd, lcm
from typing import Any

import numpy as np

from puzzlesat.disassembly.stepping import Sweeps
from puzzlesat.grid.lattice import AtomId, Cell, Grid

Point = tuple[int, ...]
"""In lattice coordinates, multiplied so that the corners of all atoms are whole."""
WORD = 1 << 62
"""Numbers less than this can be reckoned with in words."""


@cache
def sweeps_of(grid: Grid, directions: tuple[Cell, ...]) -> Sweeps:
    """Return what every atom of a grid sweeps in each of some directions, and what else of them it takes to replay moves."""
    scale, gram, corners = _whole(grid)
    start, places = [0], list[list[int]]()
    height, low, high, gap = list[list[int]](), list[list[int]](), list[list[int]](), list[int]()
    for direction in directions:
        for number in range(len(grid.atoms)):
            places += [_in_space(place) for place in swept(grid, number, direction)]
            start.append(len(places))
        along = tuple(sum(x * g for x, g in zip(direction, column, strict=True)) for column in gram)
        height.append([*(scale * x for x in along), *[0] * (3 - grid.dimension), scale * _dot(along, direction)])
        low.append([min(_dot(along, v) for v in own) for own in corners])
        high.append([max(_dot(along, v) for v in own) for own in corners])
        gap.append(scale * scale * _scalar(gram, direction, direction) * _diameter(grid) if grid.of_balls else 0)
    return Sweeps(
        direction=np.array([[*d, *[0] * (3 - grid.dimension)] for d in directions], dtype=np.int64).reshape(-1, 3),
        start=np.array(start, dtype=np.int32),
        place=np.array(places, dtype=np.int64).reshape(-1, 4),
        atoms=len(grid.atoms),
        height=np.array(height, dtype=np.int64),
        low=np.array(low, dtype=np.int64),
        high=np.array(high, dtype=np.int64),
        gap=np.array(gap, dtype=np.int64),
    )


def _in_space(atom: AtomId) -> list[int]:
    return [*atom[:-1], *[0] * (4 - len(atom)), atom[-1]]


@cache
def swept(grid: Grid, number: int, step: Cell) -> tuple[AtomId, ...]:
    """The places into which an atom of the cell 0 comes when it goes one step: those that it enters by more than its skin.

    Two convex bodies have no point within both if a plane lies between them that is parallel to a face of one of them, or to an edge of
    each. Planes parallel to any two lines from corner to corner are tried; these are more, and do no harm.
    """
    home = tuple([0] * grid.dimension)
    if grid.of_balls:
        far = 2 + max(map(abs, step))
        cells = product(range(-far, far + 1), repeat=3)
        return tuple((*cell, 0) for cell in cells if cell != home and _passes(grid, step, cell))
    scale, _, corners = _whole(grid)
    path = [_ahead(v, by, scale) for v in corners[number] for by in (home, step)]
    normals = np.array(_normals(grid, _line(step)), dtype=object)
    far = int(abs(normals).max()) * grid.dimension * 4 * max(abs(x) for p in path for x in p) * scale
    kind: Any = np.int64 if far < WORD else object  # Python's numbers have no end
    normals = normals.astype(kind)
    here = np.array(path, dtype=kind) @ normals.T
    found: list[AtomId] = []
    for other, own in enumerate(corners):
        if grid.atoms[other].role != "cover":
            continue
        ranges = [
            range((min(p) - max(q)) // scale + 1, -(-(max(p) - min(q)) // scale))
            for p, q in zip(zip(*path, strict=True), zip(*own, strict=True), strict=True)
        ]
        places = [cell for cell in product(*ranges) if (cell, other) != (home, number)]
        there = np.array(own, dtype=kind) @ normals.T
        moved = scale * np.array(places, dtype=kind).reshape(-1, grid.dimension) @ normals.T
        parted = (here.max(axis=0) <= there.min(axis=0) + moved) | (there.max(axis=0) + moved <= here.min(axis=0))
        found += [(*cell, other) for cell, apart in zip(places, parted.any(axis=1).tolist(), strict=True) if not apart]
    return tuple(found)


@cache
def _lines(corners: tuple[Point, ...]) -> frozenset[Point]:
    """The directions from corner to corner; those of the edges are among them."""
    return frozenset(_line([x - y for x, y in zip(v, w, strict=True)]) for v, w in combinations(corners, 2))


def _line(vector: Sequence[int]) -> Point:
    """One of all the vectors along the same line."""
    over = gcd(*vector)
    sign = 1 if next(x for x in vector if x) > 0 else -1
    return tuple(sign * x // over for x in vector)


@cache
def _normals(grid: Grid, line: Point) -> list[Point]:
    """The normals of the planes along two of the lines from corner to corner of atoms, and along a step (in the plane: of the lines)."""
    corners = _whole(grid)[2]
    lines = sorted({line}.union(*(_lines(own) for own, atom in zip(corners, grid.atoms, strict=True) if atom.role == "cover")))
    if grid.dimension == 2:
        return [(-y, x) for x, y in lines]
    crossed = ((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]) for a, b in combinations(lines, 2))
    return sorted({_line(n) for n in crossed if any(n)})


def _passes(grid: Grid, step: Cell, cell: Cell) -> bool:
    """Whether a ball that goes a step is nearer to that of a cell, somewhere on its way, than a diameter."""
    gram = _whole(grid)[1]
    length, ahead = _scalar(gram, step, step), _scalar(gram, step, cell)
    nearest = min(length, max(0, ahead))  # in parts of the step
    gap = [length * c - nearest * s for c, s in zip(cell, step, strict=True)]
    return _scalar(gram, gap, gap) < length * length * _diameter(grid)


# the grid in whole numbers ------------------------------------------------------------------------------------------------------


@cache
def _whole(grid: Grid) -> tuple[int, tuple[Point, ...], tuple[tuple[Point, ...], ...]]:
    """A number by which the corners of all atoms become whole, a multiple of the Gram matrix that is, and these corners."""
    scale = lcm(*(x.denominator for atom in grid.atoms for v in atom.vertices for x in v))
    over = lcm(*(x.denominator for row in grid.gram for x in row))
    corners = tuple(tuple(tuple(int(x * scale) for x in v) for v in atom.vertices) for atom in grid.atoms)
    return scale, tuple(tuple(int(x * over) for x in row) for row in grid.gram), corners


@cache
def _diameter(grid: Grid) -> int:
    """The square of the diameter of balls, of which neighbours touch."""
    gram = _whole(grid)[1]
    return min(_scalar(gram, n[:-1], n[:-1]) for n in grid.neighbours((0,) * (grid.dimension + 1)))


def _scalar(gram: tuple[Point, ...], v: Sequence[int], w: Sequence[int]) -> int:
    return sum(x * g * y for x, row in zip(v, gram, strict=True) for g, y in zip(row, w, strict=True))


def _dot(v: Sequence[int], w: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(v, w, strict=True))


def _ahead(corner: Point, by: Cell, scale: int) -> Point:
    return tuple(x + scale * y for x, y in zip(corner, by, strict=True))
