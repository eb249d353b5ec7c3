"""The grid as a certificate states it: a lattice, the atoms of its unit cell, and all its symmetries, of which none may be missing.

A piece of balls has further motions, which are no symmetries of the grid (``docs/format/space.md``). Such a motion takes two directions of
neighbours to two directions of neighbours, and the balls of the piece to balls of the grid; other balls it may take to where no ball is.
It has a matrix of fractions: whole numbers over a common denominator.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import permutations, product
from math import gcd, isqrt, lcm, prod
from operator import add, sub
from typing import Any, TypeVar

from .values import Rejected, TooLarge, array, different, fraction, index, name, read_all, table, text, whole

Atom = tuple[int, ...]
"""Cell and number of the atom in the unit cell."""
Point = tuple[int, ...]
Matrix = tuple[tuple[int, ...], ...]
Number = TypeVar("Number", int, Fraction)
MOST_ATOMS, MOST_CORNERS = 200, 2000
"""Of a unit cell: all motions of the lattice are tried on them."""
MOST_VECTORS = 10_000
"""Lattice vectors that are looked at for the images of one basis vector."""
FAR = 1_000_000
"""Entries of the matrix of a symmetry are no larger."""


@dataclass(frozen=True)
class StatedSymmetry:
    """A symmetry of the grid: atom ``(c, a)`` goes to ``(matrix c + shift[a], image[a])``."""

    matrix: Matrix
    image: tuple[int, ...]
    shift: tuple[Point, ...]

    def __call__(self, atom: Atom, move: Point) -> Atom:
        """Return where an atom goes, translated by ``move`` afterwards."""
        turned = (sum(m * c for m, c in zip(row, atom, strict=False)) for row in self.matrix)
        return (*(t + s + d for t, s, d in zip(turned, self.shift[atom[-1]], move, strict=True)), self.image[atom[-1]])

    def vector(self, step: Point) -> Point:
        """Return where a step of the lattice goes."""
        return turned(self.matrix, step)

    @property
    def mirror(self) -> bool:
        """Whether left and right are exchanged."""
        return determinant(self.matrix) < 0


@dataclass(frozen=True, eq=False)
class CheckedGrid:
    """A grid, found to be well-formed."""

    gram: tuple[tuple[Fraction, ...], ...]
    unit: int
    """Coordinates of corners are multiples of 1/unit, and held as whole multiples of that."""
    corners: tuple[frozenset[Point], ...]
    """Of each atom of the unit cell."""
    kinds: tuple[str, ...]
    symmetries: tuple[StatedSymmetry, ...] = ()
    motions: tuple[tuple[Matrix, Point], ...] = ()
    """Each symmetry as a matrix and the translation after it, in units and modulo the lattice."""

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return len(self.gram)

    @property
    def of_balls(self) -> bool:
        """Whether the atoms are balls, which can be moved in more ways than the lattice of their centres."""
        return self.dimension == 3 and len(self.corners) == len(self.corners[0]) == 1

    @cached_property
    def faces_at(self) -> list[list[Atom]]:
        """For each atom of the cell at 0 the faces (atoms of the kind of the first) whose corners include all of its own."""
        return [self.faces_with(corners) for corners in self.corners]

    def faces_with(self, here: frozenset[Point]) -> list[Atom]:
        """Return the faces whose corners include some points, given in units."""
        one = min(here)
        found = set()
        for a, kind in enumerate(self.kinds):
            for corner in self.corners[a] if kind == self.kinds[0] else ():
                move = [x - y for x, y in zip(one, corner, strict=True)]
                if not any(x % self.unit for x in move) and moved(here, [-x for x in move]) <= self.corners[a]:
                    found.add((*(x // self.unit for x in move), a))
        return sorted(found)

    def is_group(self, numbers: Iterable[int]) -> bool:
        """Tell whether some symmetries are a group: with any two also the one that is both after each other."""
        wanted, generators = {self.motions[i] for i in numbers}, []
        group = {self.still}
        for element in sorted(wanted):
            if element not in group:
                generators.append(element)
                group = rim = {self.still}
                while rim and group <= wanted:
                    rim = {self.after(g, h) for g in rim for h in generators} - group
                    group = group | rim
        return group == wanted

    def generated(self, numbers: Iterable[int]) -> frozenset[tuple[Matrix, Point]]:
        """Return the motions that are made of some symmetries."""
        group = rim = {self.still}
        while rim:
            rim = {self.after(g, self.motions[i]) for g in rim for i in numbers} - group
            group = group | rim
        return frozenset(group)

    def product(self, v: Point, w: Point) -> Fraction:
        """Return the scalar product of two vectors in lattice coordinates."""
        n = range(self.dimension)
        return sum((v[i] * self.gram[i][j] * w[j] for i in n for j in n), Fraction(0))

    @property
    def still(self) -> tuple[Matrix, Point]:
        """The motion that leaves everything where it is."""
        n = self.dimension
        return tuple(tuple(int(i == j) for j in range(n)) for i in range(n)), (0,) * n

    def after(self, one: tuple[Matrix, Point], other: tuple[Matrix, Point]) -> tuple[Matrix, Point]:
        """Return the motion that is one after another."""
        (m, s), (k, t) = one, other
        return times(m, k), tuple((x + y) % self.unit for x, y in zip(turned(m, t), s, strict=True))


def read_grid(said: Mapping[str, Any]) -> CheckedGrid:
    """Return the grid of a puzzle; of those of the last puzzles, one that is stated in the same words is returned again.

    Raises Rejected unless the Gram matrix is symmetric and positive definite, each atom lies at a place of its own, and the symmetries are
    all those motions of the lattice, up to its translations, that take atoms to atoms of their kind.
    """
    return _read_grid(json.dumps({key: said[key] for key in ("gram", "atoms", "symmetries")}))


@lru_cache(maxsize=16)
def _read_grid(stated: str) -> CheckedGrid:
    said = json.loads(stated)
    gram = _read_gram(said["gram"])
    unit, corners, kinds = _read_atoms(said["atoms"], len(gram))
    grid = CheckedGrid(gram, unit, corners, kinds)
    symmetries = tuple(read_all(said["symmetries"], "puzzle.symmetries", lambda s, where: _read_symmetry(s, where, grid)))
    motions = different((_motion(number, s, grid) for number, s in enumerate(symmetries)), "puzzle.symmetries")
    _check_complete(grid, motions)
    return replace(grid, symmetries=symmetries, motions=motions)


def _read_gram(stated: Any) -> tuple[tuple[Fraction, ...], ...]:
    n = len(array(stated, "puzzle.gram"))
    gram = tuple(tuple(fraction(x, "puzzle.gram") for x in array(row, "puzzle.gram", n)) for row in stated)
    if n not in (2, 3):
        raise Rejected("puzzle.gram: a lattice has 2 or 3 dimensions")
    if any(gram[i][j] != gram[j][i] for i in range(n) for j in range(i)):
        raise Rejected("puzzle.gram: scalar products are symmetric")
    if any(determinant(tuple(row[:k] for row in gram[:k])) <= 0 for k in range(1, n + 1)):
        raise Rejected("puzzle.gram: not the scalar products of a lattice, because they are not positive definite")
    return gram


def _read_atoms(stated: Any, dimension: int) -> tuple[int, tuple[frozenset[Point], ...], tuple[str, ...]]:
    atoms = read_all(stated, "puzzle.atoms", lambda a, where: table(a, where, ("name", "kind", "vertices")))
    if not 1 <= len(atoms) <= MOST_ATOMS:
        raise TooLarge(f"puzzle.atoms: a unit cell has 1 to {MOST_ATOMS} atoms, not {len(atoms):,}")
    different((text(a["name"], "puzzle.atoms: name") for a in atoms), "puzzle.atoms: name")
    kinds = tuple(text(a["kind"], "puzzle.atoms: kind") for a in atoms)
    points = [
        read_all(a["vertices"], f"puzzle.atoms[{i}].vertices", lambda v, where: _read_point(v, where, dimension))
        for i, a in enumerate(atoms)
    ]
    if not all(points) or sum(map(len, points)) > MOST_CORNERS:
        raise TooLarge(f"puzzle.atoms: each has vertices, and all together {MOST_CORNERS:,} at most")
    unit = 1
    for denominator in {x.denominator for of_atom in points for v in of_atom for x in v}:
        unit = lcm(unit, denominator)
        whole(unit, "puzzle.atoms: common denominator of the vertices")
    corners = tuple(
        frozenset(different((tuple(int(x * unit) for x in v) for v in of_atom), f"puzzle.atoms[{i}].vertices"))
        for i, of_atom in enumerate(points)
    )
    if len({(kind, home(c, unit)) for kind, c in zip(kinds, corners, strict=True)}) < len(atoms):
        raise Rejected("puzzle.atoms: two of one kind lie at the same place")
    if len(atoms) > 1 and any(len(c) == 1 and kind == kinds[0] for kind, c in zip(kinds, corners, strict=True)):
        raise Rejected("puzzle.atoms: a ball, which has one vertex, must be the only atom of its grid")
    return unit, corners, kinds


def _read_point(stated: Any, where: str, dimension: int) -> tuple[Fraction, ...]:
    return tuple(fraction(x, where) for x in array(stated, where, dimension))


def _read_symmetry(stated: Any, where: str, grid: CheckedGrid) -> StatedSymmetry:
    said, n = table(stated, where, ("name", "matrix", "image", "shift")), grid.dimension
    name(said["name"], f"{where}.name")

    def rows(key: str, size: int) -> tuple[Point, ...]:
        return tuple(
            tuple(whole(x, f"{where}.{key}", -FAR, FAR) for x in array(row, f"{where}.{key}", n))
            for row in array(said[key], f"{where}.{key}", size)
        )

    image = tuple(index(i, f"{where}.image", len(grid.corners)) for i in array(said["image"], f"{where}.image", len(grid.corners)))
    return StatedSymmetry(rows("matrix", n), image, rows("shift", len(grid.corners)))


def _motion(number: int, symmetry: StatedSymmetry, grid: CheckedGrid) -> tuple[Matrix, Point]:
    """The matrix, and the one translation by which it takes each atom where the symmetry says. Raises Rejected where there is none."""
    m, n, unit = symmetry.matrix, range(grid.dimension), grid.unit
    if any(sum((m[k][i] * grid.gram[k][q] * m[q][j] for k in n for q in n), Fraction(0)) != grid.gram[i][j] for i in n for j in n):
        raise Rejected(f"puzzle: symmetry {number} does not keep lengths and angles")
    moves = set()
    for a, (image, shift) in enumerate(zip(symmetry.image, symmetry.shift, strict=True)):
        here = frozenset(turned(m, v) for v in grid.corners[a])
        there = moved(grid.corners[image], [unit * s for s in shift])
        move = tuple(t - s for s, t in zip(min(here), min(there), strict=True))
        if grid.kinds[a] != grid.kinds[image] or moved(here, move) != there:
            raise Rejected(f"puzzle: symmetry {number} does not take atom {a} to atom {image}")
        moves.add(move)
    if len(moves) > 1:
        raise Rejected(f"puzzle: symmetry {number} moves different atoms differently")
    return m, tuple(x % unit for x in moves.pop())


def _check_complete(grid: CheckedGrid, motions: tuple[tuple[Matrix, Point], ...]) -> None:
    """Raise Rejected unless the lattice has all translations that take atoms to atoms, and the motions, which do so, are all there are.

    Those with one matrix differ by such a translation; so there is one, or none, for each matrix.
    """
    if finer := [move for move in _translations(grid, grid.still[0]) if any(move)]:
        move = ", ".join(str(Fraction(x, grid.unit)) for x in min(finer))
        raise Rejected(
            f"puzzle.gram: the lattice of its grid has not all translations of it: {move} takes all atoms to atoms; "
            "state the grid by a smaller cell"
        )
    stated = {matrix for matrix, _ in motions}
    for matrix in _isometries(grid.gram):
        if matrix not in stated and any(True for _ in _translations(grid, matrix)):
            raise Rejected("puzzle.symmetries: not all symmetries of the grid; with fewer of them, more solutions would count as distinct")


def _translations(grid: CheckedGrid, matrix: Matrix) -> Iterator[Point]:
    """The translations, modulo the lattice, that after a matrix take the atoms to atoms of their kind."""
    looks = [(kind, len(corners)) for kind, corners in zip(grid.kinds, grid.corners, strict=True)]
    rarest = min(looks, key=looks.count)
    there = {(kind, home(corners, grid.unit)) for kind, corners in zip(grid.kinds, grid.corners, strict=True)}
    here = [frozenset(turned(matrix, v) for v in corners) for corners in grid.corners]
    first = min(here[looks.index(rarest)])
    targets = {min(corners) for look, corners in zip(looks, grid.corners, strict=True) if look == rarest}
    for move in {tuple((t - s) % grid.unit for s, t in zip(first, target, strict=True)) for target in targets}:
        if all((kind, home(moved(corners, move), grid.unit)) in there for kind, corners in zip(grid.kinds, here, strict=True)):
            yield move


def _isometries(gram: tuple[tuple[Fraction, ...], ...]) -> Iterator[Matrix]:
    """Every whole matrix that keeps the scalar products: its columns are vectors as long as those of the basis, at the same angles."""
    n = len(gram)
    unit = lcm(*(x.denominator for row in gram for x in row))
    g = [[int(x * unit) for x in row] for row in gram]

    def product_of(v: Point, w: Point) -> int:
        return sum(x * sum(e * y for e, y in zip(row, w, strict=True)) for x, row in zip(v, g, strict=True))

    def further(columns: list[Point]) -> Iterator[Matrix]:
        k = len(columns)
        if k == n:
            yield tuple(zip(*columns, strict=True))
            return
        for v in vectors[k]:
            if all(product_of(v, columns[i]) == g[k][i] for i in range(k)):
                yield from further([*columns, v])

    box = vectors_within(gram, max(gram[k][k] for k in range(n)))
    vectors = [[v for v in box if product_of(v, v) == g[k][k]] for k in range(n)]
    yield from further([])


def vectors_within(gram: tuple[tuple[Fraction, ...], ...], length: Fraction) -> list[Point]:
    """Return vectors among which are all those whose scalar product with themselves is no more than ``length``."""
    n = range(len(gram))
    minors: list[Fraction] = [determinant([row[:i] + row[i + 1 :] for k, row in enumerate(gram) if k != i]) for i in n]
    volume = determinant(gram)
    # a vector of length² l has no entry beyond the root of l times the entry of the inverse matrix
    sides = [isqrt(int(length * minor / volume)) for minor in minors]
    if prod(2 * side + 1 for side in sides) > MOST_VECTORS:
        raise TooLarge("puzzle.gram: the basis of the lattice is too oblique; take shorter vectors")
    return list(product(*(range(-side, side + 1) for side in sides)))


def back(symmetry: Callable[[Atom, Point], Atom], form: frozenset[Atom]) -> Point:
    """Return the translation that brings a form, after a symmetry, back to its corner."""
    still = (0,) * (len(min(form)) - 1)
    corner, there = (list(map(min, list(zip(*atoms, strict=True))[:-1])) for atoms in (form, [symmetry(a, still) for a in form]))
    return tuple(c - d for c, d in zip(corner, there, strict=True))


def turned(matrix: Matrix, point: Point) -> Point:
    """Return the matrix times a point."""
    return tuple(sum(m * x for m, x in zip(row, point, strict=True)) for row in matrix)


def times(one: Matrix, other: Matrix) -> Matrix:
    """Return the product of two matrices."""
    return tuple(tuple(sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*other, strict=True)) for row in one)


def moved(points: Iterable[Point], move: Sequence[int]) -> frozenset[Point]:
    """Return points after a translation."""
    return frozenset(tuple(x + d for x, d in zip(p, move, strict=True)) for p in points)


def home(points: frozenset[Point], unit: int) -> frozenset[Point]:
    """Return points moved by a lattice vector to where all sets that differ by one are the same."""
    return moved(points, [-(x - x % unit) for x in min(points)])


def determinant(m: Sequence[Sequence[Number]]) -> Number:
    """Return the determinant of a matrix of up to three rows, or few more."""
    if len(m) == 1:
        return m[0][0]
    total = m[0][0] * 0
    for j in range(len(m)):
        minor = m[0][j] * determinant([tuple(row[:j]) + tuple(row[j + 1 :]) for row in m[1:]])
        total = total - minor if j % 2 else total + minor
    return total


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
def nearest(grid: CheckedGrid) -> tuple[Point, ...]:
    """Return the steps from a ball to those that are as near as any."""
    near = vectors_within(grid.gram, min(row[i] for i, row in enumerate(grid.gram)))
    lengths = {v: grid.product(v, v) for v in near if any(v)}
    least = min(lengths.values())
    return tuple(sorted(v for v, length in lengths.items() if length == least))


@cache
def ball_motions(grid: CheckedGrid) -> tuple[BallMotion, ...]:
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


def _frame(grid: CheckedGrid, u: Point, v: Point, side: int) -> Matrix:
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
