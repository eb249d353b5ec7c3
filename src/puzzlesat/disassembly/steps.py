"""Compute the directions in which pieces of a grid slide, and the free distances between its atoms: exact geometry.

Pieces stop only at lattice points, but everything that they sweep on the way must be free. Cubes and prisms move as in BurrTools. For other
grids BurrTools has no rule, so the same rule is used for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import gcd, isqrt, lcm

import numpy as np

from puzzlesat.base import Longs, NotSupportedError
from puzzlesat.disassembly.kernel import NEVER, Shorts
from puzzlesat.puzzles import AtomId, Cell, Grid, Puzzle

LONGEST = 16
"""Largest ratio of the squared lengths of a step and the shortest step. Inexact coordinates can give sides along longer vectors."""
Vector = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class GridSteps:
    """The directions of a grid, and the free distances of its atoms. Vectors of the plane have the third coordinate 0."""

    directions: Longs
    """Array (directions, 3): primitive lattice vectors; opposite ones have the indices 2 i and 2 i + 1."""
    frames: Longs
    """Array (directions, 3, 3): unimodular matrices. Each maps its direction to (0, 0, 1), so the first two coordinates of the image of a
    cell are its line along the direction, and the last one is its position on the line."""
    reach: int
    """Largest distance, in each coordinate, of two lines with atoms that meet."""
    meets: Shorts
    """Array (directions, atoms, atoms, 2 reach + 1, 2 reach + 1): the free distance, less w, of an atom of cell 0 that moves along the
    direction before an atom of the cell that the frame maps to (u, v, w); NEVER: they do not meet."""


@cache
def steps_of(grid: Grid) -> GridSteps:
    """Return the steps of a grid. Raises NotSupportedError if its tiles cover edges or slots instead of faces, polytopes or balls."""
    atoms = _bodies(grid)
    forth = _directions(grid)
    ahead = [_frame(d) for d in forth]
    meeting = _balls_meet if grid.of_balls else _bodies_meet
    found = [meeting(grid, direction, frame) for direction, frame in zip(forth, ahead, strict=True)]
    reach = max((abs(x) for table in found for _, _, u, v in table for x in (u, v)), default=0)
    meets = np.full((2 * len(forth), atoms, atoms, 2 * reach + 1, 2 * reach + 1), NEVER, dtype=np.int16)
    for i, table in enumerate(found):
        for (a, b, u, v), after in table.items():
            meets[2 * i, a, b, reach + u, reach + v] = after
            meets[2 * i + 1, b, a, reach - u, reach - v] = after  # seen from b, a moves the opposite way
    directions = [v for d in forth for v in (d, _minus(d))]
    frames = [(u, v, w) for u, v, along in ahead for w in (along, _minus(along))]
    return GridSteps(np.array(directions, dtype=np.int64), np.array(frames, dtype=np.int64), reach, meets)


def may_hold(puzzle: Puzzle) -> bool:
    """Return True if solutions may fail to come apart: in space, and in the plane if a tile is as wide as the form, like a frame.

    Tiles with listed placements in the plane are not bodies: a queen covers her row.
    """
    grid, form = puzzle.grid, puzzle.form
    if grid.dimension == 2 and any(tile.listed for tile in puzzle.tiles):
        return False
    if form.wrap is not None or sum(1 if t.high is None else t.high for t in puzzle.tiles) < 2:
        return False
    try:
        _bodies(grid)
    except NotSupportedError:
        return False
    wide = _extent(form.atoms)
    return grid.dimension == 3 or any(sorted(_extent(tile.atoms)) == sorted(wide) for tile in puzzle.tiles)


def _extent(atoms: Iterable[AtomId]) -> list[int]:
    """Return the extent of atoms along each coordinate, in cells."""
    return [max(axis) - min(axis) for axis in zip(*(a[:-1] for a in atoms), strict=True)]


def _bodies(grid: Grid) -> int:
    """Return the number of atoms of a cell. Raises NotSupportedError unless tiles cover faces in the plane, polytopes in space or balls."""
    covered = [atom for atom in grid.atoms if atom.role == "cover"]
    if not grid.of_balls and any(_rank(_differences(atom.vertices)) < grid.dimension for atom in covered):
        raise NotSupportedError(f"on grid {grid.name!r} pieces consist of edges or slots, which cannot slide apart")
    return len(grid.atoms)


# directions -------------------------------------------------------------------------------------------------------------------


def _directions(grid: Grid) -> list[Vector]:
    """Return one direction of each opposite pair: those in which faces of atoms slide along each other, and the shortest lattice steps.

    The directions in which a piece is free form a cone bounded by the planes of touching faces. If the piece can move at all, it can move
    along an edge of the cone, which lies in two of these planes (in the plane: along a side). Balls touch in the planes across the lines to
    their neighbours. For cubes and prisms, these are the directions of BurrTools.
    """
    short = _short_steps(grid)
    if grid.of_balls:
        planes = [_across(grid, v) for v in short]
    else:
        planes = [n for atom in grid.atoms if atom.role == "cover" for n in _face_normals(atom.vertices, grid.dimension)]
    if grid.dimension == 2:
        lines = [(n[1], -n[0], 0) for n in planes]
    else:
        lines = [line for m, n in combinations(_once(planes), 2) if any(line := _cross(m, n))]
    longest = LONGEST * min(_length(grid, v) for v in short)
    return _once([*short, *(line for line in _once(lines) if _length(grid, line) <= longest)])


def _short_steps(grid: Grid) -> list[Vector]:
    """Return the lattice vectors of the least lengths that span space (or the plane)."""
    most = 2
    vectors = [_in_space(v) for v in product(range(-most, most + 1), repeat=grid.dimension) if any(v)]
    by_length: dict[Fraction, list[Vector]] = {}
    for v in vectors:
        by_length.setdefault(_length(grid, v), []).append(v)
    found: list[Vector] = []
    for length in sorted(by_length):
        found += by_length[length]
        if _rank(found) == grid.dimension:
            return _once(found)
    raise AssertionError("the basis itself goes all ways")


def _once(vectors: Iterable[Iterable[int]]) -> list[Vector]:
    """Return distinct primitive vectors, one of each opposite pair: its last coordinate other than 0 is positive."""
    found: dict[Vector, None] = {}
    for vector in vectors:
        x, y, z = vector
        over = gcd(x, y, z)
        own = (x // over, y // over, z // over)
        found[own if own[::-1] > (0, 0, 0) else _minus(own)] = None
    return sorted(found, key=lambda v: (sum(map(abs, v)), [-x for x in v]))


# free distances of two atoms ----------------------------------------------------------------------------------------------------


Table = dict[tuple[int, int, int, int], int]
"""Entries of ``GridSteps.meets`` by (a, b, u, v): two atoms of a cell, and the line of the cell of b."""


def _bodies_meet(grid: Grid, direction: Vector, frame: tuple[Vector, ...]) -> Table:
    """Return the free distances of convex bodies.

    The Minkowski difference b - a is convex, bounded by planes parallel to a face of one or to an edge of each. a moved by t overlaps b if
    and only if t times the direction is inside it.
    """
    scale, bodies = _scaled(grid)
    normals = np.array(_normals(grid), dtype=np.int64)
    speed = normals @ np.array(direction, dtype=np.int64)
    still = speed == 0
    columns = np.array(_inverse(frame), dtype=np.int64)[:, :2]  # the cells on the lines (1, 0) and (0, 1), at w = 0
    table: Table = {}
    for (a, one), (b, other) in product(bodies.items(), repeat=2):
        gap = (other @ normals.T).max(axis=0) - (one @ normals.T).min(axis=0)
        spread = np.abs(((other[:, None] - one).reshape(-1, 3) @ np.array(frame).T)[:, :2]).max(axis=0)
        most_u, most_v = (-(-int(x) // scale) for x in spread)
        lines = np.array([*product(range(-most_u, most_u + 1), range(-most_v, most_v + 1))])
        bounds = gap + scale * (lines @ columns.T @ normals.T)
        for i in np.flatnonzero((bounds[:, still] > 0).all(axis=1)).tolist():
            if (begins := _begins(bounds[i], speed * scale)) is not None:
                table[a, b, int(lines[i, 0]), int(lines[i, 1])] = begins
    return table


def _begins(bound: Longs, speed: Longs) -> int | None:
    """Return the whole steps before the first t where ``speed t < bound`` in all rows with speed other than 0; None if there is none."""
    first, by = _largest(bound[speed < 0], speed[speed < 0])
    last, over = _largest(-bound[speed > 0], speed[speed > 0])
    return first // by if first * over < -last * by else None


def _largest(above: Longs, below: Longs) -> tuple[int, int]:
    """Return the largest of some fractions; its denominator is positive."""
    best, over = 0, 0
    for a, b in zip((above * np.sign(below)).tolist(), abs(below).tolist(), strict=True):
        if not over or a * over > best * b:
            best, over = a, b
    return best, over


def _balls_meet(grid: Grid, direction: Vector, frame: tuple[Vector, ...]) -> Table:
    """Return the free distances of balls. The squared distance of two centres is a quadratic polynomial in t."""
    over = lcm(*(x.denominator for row in grid.gram for x in row))
    gram = [[int(x * over) for x in row] for row in grid.gram]

    def scalar(one: Cell, other: Cell) -> int:
        return sum(x * g * y for x, row in zip(one, gram, strict=True) for g, y in zip(row, other, strict=True))

    diameter = min(scalar(v, v) for v in _short_steps(grid))
    length = scalar(direction, direction)
    columns = list(zip(*_inverse(frame), strict=True))
    table: Table = {}
    most = 1
    while True:
        before = len(table)
        for u, v in product(range(-most, most + 1), repeat=2):
            cell = tuple(u * x + v * y for x, y in zip(columns[0], columns[1], strict=True))
            ahead = scalar(direction, cell)
            within = ahead**2 - length * (scalar(cell, cell) - diameter)
            if within > 0:  # they overlap from (ahead - √within) / length on
                root = isqrt(within)
                table[0, 0, u, v] = (ahead - root - (root * root < within)) // length
        if len(table) == before and most > 2:  # the lines with balls that meet fill a disk, which is complete
            return table
        most += 1


# bodies in integer coordinates ------------------------------------------------------------------------------------------------------------


@cache
def _scaled(grid: Grid) -> tuple[int, dict[int, Longs]]:
    """Return a common denominator of all vertices, and the vertices, times it, of every atom that tiles cover."""
    scale = lcm(*(x.denominator for atom in grid.atoms for v in atom.vertices for x in v))
    return scale, {
        a: np.array([_in_space([int(x * scale) for x in v]) for v in atom.vertices], dtype=np.int64)
        for a, atom in enumerate(grid.atoms)
        if atom.role == "cover"
    }


@cache
def _normals(grid: Grid) -> list[Vector]:
    """Return normals, in both directions, of all planes that can bound the Minkowski difference of two atoms. More normals do no harm."""
    bodies = _scaled(grid)[1].values()
    edges = _once(_less(w, v) for body in bodies for v, w in combinations(map(_in_space, body.tolist()), 2))
    if grid.dimension == 2:
        found = _once((e[1], -e[0], 0) for e in edges)
    else:
        found = _once(n for d, e in combinations(edges, 2) if any(n := _cross(d, e)))
    return [*found, *map(_minus, found)]


def _face_normals(vertices: Iterable[Iterable[Fraction]], dimension: int) -> Iterator[Vector]:
    """Yield the normals of the faces (in the plane: sides) of a convex body, possibly more than once."""
    own = [tuple(v) for v in vertices]
    scale = lcm(*(x.denominator for v in own for x in v))
    points = [_in_space([int(x * scale) for x in v]) for v in own]
    for corners in combinations(points, dimension):
        across = [_less(c, corners[0]) for c in corners[1:]]
        normal = (across[0][1], -across[0][0], 0) if dimension == 2 else _cross(across[0], across[1])
        heights = {_dot(normal, _less(p, corners[0])) for p in points}
        if any(normal) and (min(heights) == 0 or max(heights) == 0):
            yield normal


def _across(grid: Grid, vector: Vector) -> Vector:
    """Return the normal, as a row vector, of the plane perpendicular to a lattice vector."""
    row = [sum(x * g for x, g in zip(vector, column, strict=True)) for column in grid.gram]
    scale = lcm(*(x.denominator for x in row))
    return _in_space([int(x * scale) for x in row])


def _frame(direction: Vector) -> tuple[Vector, ...]:
    """Return a unimodular matrix that maps a primitive vector to (0, 0, 1), by Euclid's algorithm on its coordinates."""
    rows = [[int(i == j) for j in range(3)] + [direction[i]] for i in range(3)]
    while sum(row[3] != 0 for row in rows) > 1:
        least = min((row for row in rows if row[3]), key=lambda row: abs(row[3]))
        for row in rows:
            if row is not least:
                times = row[3] // least[3]
                row[:] = [x - times * y for x, y in zip(row, least, strict=True)]
    rows.sort(key=lambda row: row[3] != 0)
    last = [x * rows[2][3] for x in rows[2][:3]]
    return _in_space(rows[0][:3]), _in_space(rows[1][:3]), _in_space(last)


def _inverse(matrix: tuple[Vector, ...]) -> tuple[Vector, ...]:
    """Return the inverse of a unimodular matrix."""
    a, b, c = matrix
    determinant = _dot(a, _cross(b, c))
    columns = [_cross(b, c), _cross(c, a), _cross(a, b)]
    return tuple(_in_space([determinant * column[i] for column in columns]) for i in range(3))


def _differences(vertices: Iterable[Iterable[Fraction]]) -> list[list[Fraction]]:
    return [[y - x for x, y in zip(v, w, strict=True)] for v, w in combinations(vertices, 2)]


def _rank(vectors: Iterable[Iterable[Fraction | int]]) -> int:
    """Return the dimension of the span of vectors."""
    return int(np.linalg.matrix_rank(np.array([[float(x) for x in v] for v in vectors])))


def _length(grid: Grid, vector: Vector) -> Fraction:
    """Return the squared length of a vector."""
    own = vector[: grid.dimension]
    return sum((x * g * y for x, row in zip(own, grid.gram, strict=True) for g, y in zip(row, own, strict=True)), start=Fraction(0))


def _in_space(vector: Iterable[int]) -> Vector:
    x, y, *rest = vector
    return (int(x), int(y), int(rest[0]) if rest else 0)


def _cross(v: Vector, w: Vector) -> Vector:
    return v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]


def _dot(v: Vector, w: Vector) -> int:
    return v[0] * w[0] + v[1] * w[1] + v[2] * w[2]


def _less(v: Vector, w: Vector) -> Vector:
    return v[0] - w[0], v[1] - w[1], v[2] - w[2]


def _minus(v: Vector) -> Vector:
    return -v[0], -v[1], -v[2]
