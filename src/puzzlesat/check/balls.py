"""Balls: which are neighbours, and the motions of a piece of balls that are no symmetries of the grid (``docs/format.md``, Balls).

Such a motion takes two directions of neighbours to two directions of neighbours, and the balls of the piece to balls of the grid; other
balls it may take to where no ball is. It has a matrix of fractions: whole numbers over a common denominator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import isqrt, lcm
from operator import add, sub

from .grid import Atom, Grid, Matrix, Point, determinant, turned

Fractions = tuple[tuple[Fraction, ...], ...]


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
    n, gram = grid.dimension, grid.gram
    shortest = min(gram[i][i] for i in range(n))
    # a vector of length² l has no entry beyond the root of l times the entry of the inverse matrix
    reach = [isqrt(int(shortest * row[i])) for i, row in enumerate(_inverse(gram))]
    lengths = {v: grid.product(v, v) for v in product(*(range(-r, r + 1) for r in reach)) if any(v)}
    least = min(lengths.values())
    return tuple(sorted(v for v, length in lengths.items() if length == least))


@cache
def ball_motions(grid: Grid) -> tuple[BallMotion, ...]:
    """Return the motions that take two directions of neighbours to two such, those of them that are no symmetries of the grid."""
    found: dict[tuple[Matrix, int], BallMotion] = {}
    pairs = [(u, v) for u, v in permutations(nearest(grid), 2) if u != tuple(-x for x in v)]
    # what takes u and v to two directions takes v and u, and -u and v, to two, too
    some = [(u, v) for u, v in pairs if u < v and u < tuple(-x for x in u)]
    for before, after in product(some, pairs):
        if grid.product(*before) == grid.product(*after):
            for matrix in _matrices(grid, before, after):
                denominator = lcm(*(x.denominator for row in matrix for x in row))
                if denominator > 1:
                    whole = tuple(tuple(int(x * denominator) for x in row) for row in matrix)
                    found[whole, denominator] = BallMotion(whole, denominator)
    return tuple(found[key] for key in sorted(found))


def _matrices(grid: Grid, before: tuple[Point, Point], after: tuple[Point, Point]) -> Iterator[Fractions]:
    """The two matrices that take two vectors to two others at the same angle: what is normal to them goes to either side."""
    normals = [_normal(grid, *pair) for pair in (before, after)]
    here = _inverse(_columns((*before, normals[0])))
    for side in (1, -1):
        there = _columns((*after, tuple(side * x for x in normals[1])))
        yield tuple(
            tuple(sum((x * y for x, y in zip(row, column, strict=True)), Fraction(0)) for column in _columns(here)) for row in there
        )


def _normal(grid: Grid, u: Point, v: Point) -> tuple[Fraction, ...]:
    """A vector at right angles to two others, as long for all that are equally long and at the same angle."""
    (a, b, c), (d, e, f) = u, v
    across = (b * f - c * e, c * d - a * f, a * e - b * d)
    return tuple(sum((x * y for x, y in zip(row, across, strict=True)), Fraction(0)) for row in _inverse(grid.gram))


def _columns(vectors: Sequence[Sequence[Fraction | int]]) -> Fractions:
    return tuple(tuple(map(Fraction, column)) for column in zip(*vectors, strict=True))


def _inverse(matrix: Sequence[Sequence[Fraction]]) -> Fractions:
    """The inverse of a matrix of three rows, or two."""
    n, whole = range(len(matrix)), Fraction(determinant(matrix))

    def cofactor(i: int, j: int) -> Fraction:
        rest = [[row[q] for q in n if q != j] for k, row in enumerate(matrix) if k != i]
        minor = Fraction(determinant(rest))
        return -minor if (i + j) % 2 else minor

    return tuple(tuple(cofactor(j, i) / whole for j in n) for i in n)
