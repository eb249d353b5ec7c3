"""Balls: which are neighbours, and the motions of a piece of balls that are no symmetries of the grid (``docs/format/space.md``).

Such a motion takes two directions of neighbours to two directions of neighbours, and the balls of the piece to balls of the grid; other
balls it may take to where no ball is. It has a matrix of fractions: whole numbers over a common denominator.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import gcd, lcm
from operator import add, sub

from .grid import Atom, Grid, Matrix, Point, determinant, times, turned, vectors_within


@dataclass(frozen=True)
class BallMotion:
    """A motion of balls that are whole steps of the lattice apart; ``around`` one of them, which it takes to 0."""

    matrix: Matrix
    """Times the denominator."""
    denominator: int
    around: Point = (0, 0, 0)

    @property
    def mirror(self) -> bool:
        """Whether left and right are exchanged."""
        return determinant(self.matrix) < 0

    def vector(self, step: Point) -> Point | None:
        """Return where a step of the lattice goes; None where that is none."""
        there = turned(self.matrix, step)
        return None if any(x % self.denominator for x in there) else tuple(x // self.denominator for x in there)

    def __call__(self, atom: Atom, move: Point) -> Atom:
        """Return where a ball goes, translated by ``move`` afterwards."""
        there = self.vector((*map(sub, atom[:-1], self.around),))
        assert there is not None, "the motion takes the ball to where none is"
        return (*map(add, there, move), atom[-1])

    def about(self, balls: Iterable[Atom]) -> BallMotion | None:
        """Return the motion for these balls; None where it takes one of them to where no ball is."""
        around, *others = sorted(balls)
        if any(self.vector((*map(sub, ball[:-1], around[:-1]),)) is None for ball in others):
            return None
        return BallMotion(self.matrix, self.denominator, around[:-1])


@cache
def nearest(grid: Grid) -> tuple[Point, ...]:
    """Return the steps from a ball to those that are as near as any."""
    near = vectors_within(grid.gram, min(row[i] for i, row in enumerate(grid.gram)))
    lengths = {v: grid.product(v, v) for v in near if any(v)}
    least = min(lengths.values())
    return tuple(sorted(v for v, length in lengths.items() if length == least))


@cache
def ball_motions(grid: Grid) -> tuple[BallMotion, ...]:
    """Return the motions that take two directions of neighbours to two such, those of them that are no symmetries of the grid."""
    steps = nearest(grid)
    length = {(u, v): grid.product(u, v) for u, v in permutations(steps, 2) if u != tuple(-x for x in v)}
    # what takes u and v to two directions takes v and u, and -u and v, to two, too
    some = [(u, v) for u, v in length if u < v and u < tuple(-x for x in u)]
    found: dict[tuple[Matrix, int], BallMotion] = {}
    for before in some:
        back, divisor = _adjugate(_frame(grid, *before, 1))
        for after in (pair for pair, product_of in length.items() if product_of == length[before]):
            for side in (1, -1):
                matrix = times(tuple(zip(*_frame(grid, *after, side), strict=True)), tuple(zip(*back, strict=True)))
                common = gcd(divisor, *(x for row in matrix for x in row)) * (1 if divisor > 0 else -1)
                if divisor != common:
                    motion = BallMotion(tuple(tuple(x // common for x in row) for row in matrix), divisor // common)
                    found[motion.matrix, motion.denominator] = motion
    return tuple(found[key] for key in sorted(found))


def _frame(grid: Grid, u: Point, v: Point, side: int) -> Matrix:
    """Two vectors, and one at right angles to both: equally long for all that are so and make the same angle."""
    unit = lcm(*(x.denominator for row in grid.gram for x in row))
    across = _cross(u, v)
    normal, _ = _adjugate(tuple(tuple(int(x * unit) for x in row) for row in grid.gram))
    return u, v, tuple(side * x for x in turned(normal, across))


def _adjugate(matrix: Matrix) -> tuple[Matrix, int]:
    """The inverse of a matrix of three rows times its determinant, and this."""
    a, b, c = matrix
    columns = _cross(b, c), _cross(c, a), _cross(a, b)
    return tuple(zip(*columns, strict=True)), sum(x * y for x, y in zip(a, columns[0], strict=True))


def _cross(u: Point, v: Point) -> Point:
    (a, b, c), (d, e, f) = u, v
    return b * f - c * e, c * d - a * f, a * e - b * d
