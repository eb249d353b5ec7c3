"""The grid of a puzzle, from its table: lattice, atoms, symmetries, and the entries on pictures, rings, shapes and names.

The symmetries of a grid are computed, named, and ordered as orientations are numbered (``docs/format/grids.md``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import atan2, degrees, floor, gcd, isqrt, lcm, prod, sqrt
from typing import Any

from ..grid import Atom, CheckedGrid, Matrix, Point, StatedSymmetry, determinant, home, moved, turned
from ..values import Rejected, TooLarge, shown, text
from .tables import Table, listed, number, only

MAX_VECTORS = 10_000
"""Maximum number of lattice vectors in the search for vectors of a given length."""
ANGLES_IN_THE_PLANE = {2: 0, 1: 60, 0: 90, -1: 120, -2: 180}
"""Angles of turns in degrees, up to 180, by the trace of the matrix."""
ANGLES_IN_SPACE = {trace + 1: angle for trace, angle in ANGLES_IN_THE_PLANE.items()}


@dataclass(frozen=True)
class Turn:
    """A symmetry of a grid, with its name."""

    name: str
    does: StatedSymmetry
    mirror: bool
    behind: float
    """Degrees from the identity or, for a mirror, from mirror 90; used only in the plane."""


def turns_of(grid: CheckedGrid) -> tuple[Turn, ...]:
    """Return all symmetries of a grid, in their order: at most one for each matrix."""
    found = []
    for matrix in isometries(grid.gram):
        does = symmetry_with(grid, matrix)
        if does is not None:
            found.append((_place(grid.gram, matrix), does))
    found.sort(key=lambda entry: entry[0][:3])
    return tuple(Turn(name, does, mirror, behind) for (mirror, behind, _, name), does in found)


def isometries(gram: Sequence[Sequence[Fraction]]) -> Iterator[Matrix]:
    """Yield every integer matrix that keeps the scalar products of the lattice."""
    n = len(gram)
    unit = lcm(*(x.denominator for row in gram for x in row))
    scaled = [[int(x * unit) for x in row] for row in gram]
    # the k-th coordinate of a vector of squared length l is at most the root of l times the k-th diagonal entry of the inverse
    minors = [[[x for j, x in enumerate(row) if j != k] for i, row in enumerate(scaled) if i != k] for k in range(n)]
    longest, volume = max(scaled[k][k] for k in range(n)), determinant(scaled)
    reach = [isqrt(longest * determinant(minor) // volume) for minor in minors]
    if prod(2 * r + 1 for r in reach) > MAX_VECTORS:
        raise TooLarge("grid.gram: the basis of the lattice is too oblique")
    images = [{v: tuple(dot(row, v) for row in scaled) for v in product(*(range(-r, r + 1) for r in reach))}]
    vectors = [[(v, low) for v, low in images[0].items() if dot(v, low) == scaled[k][k]] for k in range(n)]
    for columns in product(*vectors):
        if all(dot(columns[i][0], columns[k][1]) == scaled[i][k] for k in range(n) for i in range(k)):
            yield tuple(zip(*(v for v, _ in columns), strict=True))


def dot(v: Sequence[int], w: Sequence[int]) -> int:
    """Return the sum of the products of coordinates."""
    return sum(x * y for x, y in zip(v, w, strict=True))


def symmetry_with(grid: CheckedGrid, matrix: Matrix) -> StatedSymmetry | None:
    """Return the symmetry with a matrix: a translation after it maps each atom to an atom of its kind. None if there is none."""
    looks = [(kind, len(corners)) for kind, corners in zip(grid.kinds, grid.corners, strict=True)]
    at = {(kind, home(corners, grid.unit)): a for a, (kind, corners) in enumerate(zip(grid.kinds, grid.corners, strict=True))}
    here = [frozenset(turned(matrix, v) for v in corners) for corners in grid.corners]
    rarest = min(range(len(looks)), key=lambda a: looks.count(looks[a]))
    for target in (a for a, look in enumerate(looks) if look == looks[rarest]):
        move = [t - s for s, t in zip(min(here[rarest]), min(grid.corners[target]), strict=True)]
        there = [moved(corners, move) for corners in here]
        image = [at.get((kind, home(corners, grid.unit))) for kind, corners in zip(grid.kinds, there, strict=True)]
        if None not in image:
            numbers = tuple(a for a in image if a is not None)
            shift = tuple(
                tuple((x - y) // grid.unit for x, y in zip(min(corners), min(grid.corners[b]), strict=True))
                for corners, b in zip(there, numbers, strict=True)
            )
            return StatedSymmetry(matrix, numbers, shift)
    return None


def _place(gram: Sequence[Sequence[Fraction]], matrix: Matrix) -> tuple[bool, float, Point, str]:
    """Return the sort key of a symmetry, which is whether it mirrors, its angle and its axis; and its name."""
    mirror = determinant(matrix) < 0
    if len(matrix) == 2:
        if not mirror:
            angle = _angle_in_the_plane(matrix)
            return mirror, angle, (), f"turn {angle}" if angle else "identity"
        line = _line(gram, matrix)
        return mirror, (line - 90) % 180, (), f"mirror {floor(line)}"
    turn = tuple(tuple(-x for x in row) for row in matrix) if mirror else matrix
    angle, axis = _turn_in_space(turn)
    about = ",".join(map(str, axis))
    if mirror and angle in (0, 180):
        return mirror, angle, axis, f"mirror across {about}" if angle else "inversion"
    name = f"turn {angle} about {about}" if angle else "identity"
    return mirror, angle, axis, f"{name} and inversion" if mirror else name


def _angle_in_the_plane(matrix: Matrix) -> int:
    """Return the counterclockwise angle in degrees; at most 180 if the first lattice vector goes to the side of the second."""
    angle = ANGLES_IN_THE_PLANE[matrix[0][0] + matrix[1][1]]
    return angle if matrix[1][0] >= 0 else 360 - angle


def _line(gram: Sequence[Sequence[Fraction]], matrix: Matrix) -> float:
    """Return the angle of the line that a mirror of the plane fixes, from 0 to 180 degrees; it is rounded if it is almost whole."""
    # the sum of a vector and its image lies along the line
    sums = [(matrix[0][j] + (j == 0), matrix[1][j] + (j == 1)) for j in range(2)]
    x, y = next(v for v in sums if any(v))
    long, across = gram[0][0], gram[0][0] * gram[1][1] - gram[0][1] ** 2
    angle = degrees(atan2(y * sqrt(across), float(x * long + y * gram[0][1]))) % 180
    return float(round(angle) % 180) if abs(angle - round(angle)) < 1e-9 else angle


def _turn_in_space(matrix: Matrix) -> tuple[int, Point]:
    """Return the counterclockwise angle in degrees about an axis that points to the viewer, and the axis.

    The axis is a lattice vector whose first number other than 0 is positive.
    """
    angle = ANGLES_IN_SPACE[sum(matrix[i][i] for i in range(3))]
    if angle == 0:
        return 0, ()
    axis = _axis(matrix)
    aside = next(e for e in ((1, 0, 0), (0, 1, 0)) if any(cross(axis, e)))
    counterclockwise = determinant((axis, aside, turned(matrix, aside))) >= 0
    return angle if counterclockwise else 360 - angle, axis


def _axis(matrix: Matrix) -> Point:
    """Return the axis of a turn: the sum of a vector and all its images lies along it."""
    units: tuple[Point, ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    for e in units:
        total, image = e, turned(matrix, e)
        while image != e:
            total, image = tuple(x + y for x, y in zip(total, image, strict=True)), turned(matrix, image)
        if any(total):
            whole = gcd(*total) * (1 if next(x for x in total if x) > 0 else -1)
            return tuple(x // whole for x in total)
    raise Rejected("grid: a turn has no axis")


def cross(v: Sequence[int], w: Sequence[int]) -> Point:
    """Return the cross product, whose product with both vectors is 0."""
    return v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]


KEYS = ("title", "source", "name", "gram", "symmetries", "about", "atoms", "picture", "crossings", "rings", "shapes", "polyforms")
COVER, MARK = "cover", "mark"
OF_CROSSINGS = ("through", "blocks")


@dataclass(frozen=True)
class CrossingOfAtoms:
    """A tile with all atoms ``through`` covers the atoms that it ``blocks`` as well."""

    through: tuple[Atom, ...]
    blocks: tuple[Atom, ...]


@dataclass(frozen=True, eq=False)
class Lattice:
    """A grid as its table states it."""

    grid: CheckedGrid
    """Gram matrix, corners, and kinds as a certificate states them."""
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    """The kinds in the table."""
    turns: tuple[Turn, ...]
    crossings: tuple[CrossingOfAtoms, ...]
    """The crossings in the table; the symmetries give the others."""
    said: Table

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return self.grid.dimension

    @property
    def of_balls(self) -> bool:
        """True if its atoms are balls in space. A set of balls can have motions that the whole grid has not."""
        return self.grid.of_balls

    @cached_property
    def faces(self) -> tuple[int, ...]:
        """The numbers of the atoms of the first kind."""
        return tuple(a for a, kind in enumerate(self.grid.kinds) if kind == self.grid.kinds[0])

    def is_face(self, atom: Atom) -> bool:
        """Tell whether an atom is of the first kind."""
        return self.grid.kinds[atom[-1]] == self.grid.kinds[0]

    def atom(self, stated: Any, where: str) -> Atom:
        """Return the atom that is written ``[x, y]`` or ``[x, y, "NAME"]``."""
        values, n = listed(stated, where), self.dimension
        if len(values) not in (n, n + 1):
            raise Rejected(f"{where}: expected {n} numbers and perhaps a name, got {shown(values)}")
        cell = tuple(number(x, where) for x in values[:n])
        return (*cell, self.named(values[n], where) if len(values) > n else 0)

    def atoms(self, stated: Any, where: str) -> list[Atom]:
        """Return the atoms that a list states."""
        return [self.atom(a, where) for a in listed(stated, where)]

    def named(self, name: Any, where: str) -> int:
        """Return the number of the atom with a name."""
        if name not in self.names:
            raise Rejected(f"{where}: the grid has no atom {shown(name)}")
        return self.names.index(name)

    @cached_property
    def neighbours(self) -> dict[int, tuple[Atom, ...]]:
        """The faces that share a side with each face of cell 0: an end of an edge, two corners in the plane, three in space."""
        return {a: tuple(_nearest_balls(self.grid)) if len(self.grid.corners[a]) == 1 else self._beside(a) for a in self.faces}

    def _beside(self, face: int) -> tuple[Atom, ...]:
        corners = self.grid.corners[face]
        shared = Counter(other for corner in corners for other in self.grid.faces_with(frozenset([corner])))
        side = 1 if len(corners) == 2 else self.dimension
        still = (*(0,) * self.dimension, face)
        return tuple(sorted(other for other, count in shared.items() if count >= side and other != still))


def moved_by(atom: Atom, move: Sequence[int]) -> Atom:
    """Return an atom after a translation."""
    return (*(x + d for x, d in zip(atom[:-1], move, strict=False)), atom[-1])


def at_home(atoms: Iterable[Atom], low: int = 0) -> tuple[int, ...]:
    """Return the translation after which the smallest coordinates of atoms are ``low``."""
    return tuple(low - min(axis) for axis in list(zip(*atoms, strict=True))[:-1])


def reading_order(atom: Atom) -> Point:
    """Return a sort key: from the lowest layer and row to the highest, and from left to right in a row."""
    return (*reversed(atom[:-1]), atom[-1])


def _nearest_balls(grid: CheckedGrid) -> list[Atom]:
    """Return the balls that touch the ball at 0."""
    reach = range(-2, 3)
    lengths = {
        v: sum(x * g * y for x, row in zip(v, grid.gram, strict=True) for g, y in zip(row, v, strict=True))
        for v in product(reach, repeat=grid.dimension)
        if any(v)
    }
    shortest = min(lengths.values())
    return [(*v, 0) for v, length in lengths.items() if length == shortest]


def fraction(stated: Any, where: str) -> Fraction:
    """Return a whole number, or a fraction written as text."""
    if type(stated) not in (int, str):
        raise Rejected(f"{where}: expected a number or a fraction such as '1/2', got {shown(stated)}")
    try:
        return Fraction(stated)
    except (ValueError, ZeroDivisionError):
        raise Rejected(f"{where}: {shown(stated)} is not a fraction") from None


def read_lattice(said: Table) -> Lattice:
    """Return the grid of a table."""
    only(said, "grid", KEYS, ("gram", "atoms"))
    gram = tuple(tuple(fraction(x, "grid.gram") for x in listed(row, "grid.gram")) for row in listed(said["gram"], "grid.gram"))
    atoms = [only(a, "grid.atoms", ("name", "kind", "role", "vertices"), ("name", "vertices")) for a in listed(said["atoms"], "grid.atoms")]
    kinds = tuple(text(a.get("kind", "face"), "grid.atoms: kind") for a in atoms)
    roles = [a.get("role", COVER) for a in atoms]
    if unknown := [role for role in roles if role not in (COVER, MARK)]:
        raise Rejected(f"grid.atoms: role: expected cover or mark, got {shown(unknown[0])}")
    vertices = [
        [tuple(fraction(x, "grid.atoms: vertices") for x in listed(v, "grid.atoms: vertices")) for v in a["vertices"]] for a in atoms
    ]
    unit = lcm(*(x.denominator for of_atom in vertices for v in of_atom for x in v))
    corners = tuple(frozenset(tuple(int(x * unit) for x in v) for v in of_atom) for of_atom in vertices)
    grid = CheckedGrid(gram, unit, corners, _stated_kinds(kinds, roles))
    bare = Lattice(grid, tuple(text(a["name"], "grid.atoms: name") for a in atoms), kinds, turns_of(grid), (), said)
    if said.get("symmetries", len(bare.turns)) != len(bare.turns):
        raise Rejected(f"grid.symmetries: there are {len(bare.turns)}, not {said['symmetries']}")
    crossings = tuple(
        CrossingOfAtoms(*(tuple(bare.atoms(table[key], f"grid.crossings: {key}")) for key in OF_CROSSINGS))
        for table in (only(c, "grid.crossings", OF_CROSSINGS, OF_CROSSINGS) for c in listed(said.get("crossings", []), "grid.crossings"))
    )
    return Lattice(grid, bare.names, kinds, bare.turns, crossings, said)


def _stated_kinds(kinds: Sequence[str], roles: Sequence[str]) -> tuple[str, ...]:
    """Return kinds that no symmetry exchanges: the kind of each atom, with its role if atoms of that kind have several."""
    of_kind = {kind: {role for k, role in zip(kinds, roles, strict=True) if k == kind} for kind in kinds}
    return tuple(kind if len(of_kind[kind]) == 1 else f"{kind} ({role})" for kind, role in zip(kinds, roles, strict=True))


@dataclass(frozen=True)
class Passage:
    """A crossing whose first atom lies in cell 0: a tile that has all atoms ``through`` covers the atoms that it ``blocks``, too."""

    through: tuple[Atom, ...]
    blocks: tuple[Atom, ...]


def passages(lattice: Lattice) -> tuple[Passage, ...]:
    """Return every crossing of a grid, after each symmetry, once for each of its atoms that may come first."""
    still = (0,) * lattice.dimension
    found: dict[Passage, None] = {}
    for crossing in lattice.crossings:
        for turn in lattice.turns:
            through, blocks = ([turn.does(a, still) for a in atoms] for atoms in (crossing.through, crossing.blocks))
            for first in through:
                move = [-x for x in first[:-1]]
                others = sorted(moved_by(a, move) for a in through if a != first)
                found[Passage((moved_by(first, move), *others), tuple(sorted(moved_by(a, move) for a in blocks)))] = None
    return tuple(found)


def crossed(atoms: Iterable[Atom], there: Callable[[Atom], bool], ways: Iterable[Passage]) -> set[Atom]:
    """Return the atoms blocked by the passages that begin at one of some atoms and whose other atoms are all ``there``."""
    found: set[Atom] = set()
    here = list(atoms)
    for way in ways:
        first, *others = way.through
        for atom in here:
            if atom[-1] == first[-1] and all(there(moved_by(other, atom[:-1])) for other in others):
                found.update(moved_by(a, atom[:-1]) for a in way.blocks)
    return found
