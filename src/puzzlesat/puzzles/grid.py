"""Grids: a lattice, its atoms in exact coordinates, and what follows from them alone.

An atom of the infinite grid is a tuple of integers ``(x, y[, z], a)``: atom ``a`` of the unit cell, moved to cell ``(x, y[, z])``.

The point group of a lattice: integer matrices that preserve its Gram matrix, in a fixed order, with names.

The matrices are found by trying all lattice vectors of the right length for each column (W. Plesken, B. Souvignier,
"Computing isometries of lattices", J. Symbolic Computation 24, 1997, section 3, without its refinements: dimension is 2 or 3).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import atan2, ceil, degrees, gcd, lcm, sqrt
from typing import TypeVar

import numpy as np

from puzzlesat.base import Longs

Matrix = tuple[tuple[int, ...], ...]
Gram = tuple[tuple[Fraction, ...], ...]
Number = TypeVar("Number", int, Fraction)


def apply_matrix(matrix: Matrix, vector: tuple[Number, ...]) -> tuple[Number, ...]:
    """Return the matrix times the column vector."""
    return tuple(sum((m * v for m, v in zip(row, vector, strict=True)), start=vector[0] * 0) for row in matrix)


def multiply(a: Matrix, b: Matrix) -> Matrix:
    """Return the matrix product: first b, then a."""
    return tuple(tuple(sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)) for row in a)


def inverse(matrix: Matrix) -> Matrix:
    """Return the inverse of a matrix of finite order: its last power before the identity."""
    identity = tuple(tuple(int(i == j) for j in range(len(matrix))) for i in range(len(matrix)))
    power = identity
    while (following := multiply(power, matrix)) != identity:
        power = following
    return power


def isometries(gram: Gram) -> list[tuple[Matrix, bool]]:
    """Return every integer matrix M with MᵀGM = G, and whether it is a mirror: turns first, by angle."""
    n = len(gram)
    scale = lcm(*(g.denominator for row in gram for g in row))
    whole = tuple(tuple(int(g * scale) for g in row) for row in gram)
    vectors = [_vectors_of_length(whole, whole[i][i]) for i in range(n)]
    found = []
    for columns in product(*vectors):
        if all(_scalar(whole, columns[i], columns[j]) == whole[i][j] for i in range(n) for j in range(i)):
            matrix = tuple(tuple(column[row] for column in columns) for row in range(n))
            found.append((matrix, _determinant(matrix) < 0))
    return sorted(found, key=lambda entry: _sort_key(entry[0], mirror=entry[1], gram=gram))


def ball_motions(gram: Gram) -> list[tuple[Matrix, int]]:
    """Return the motions of balls in space that the lattice as a whole does not allow: an integer matrix each, and by what to divide it.

    Each takes two neighbours of a ball, in different directions, to two of its neighbours: a piece that lies in one plane, such as a row
    of a close packing, can so stay among the balls of the lattice though the others do not. Turns come first, by angle.
    """
    near = shortest_vectors(gram)
    angles = {(u, v): _scalar(gram, u, v) for u, v in product(near, repeat=2) if any(_cross(u, v))}
    # two shortest vectors are a basis of the lattice in their plane, so one pair a plane is enough
    planes = {_primitive(_cross(u, v)): (u, v) for u, v in angles}
    found = set()
    for u, v in planes.values():
        before = _inverse(_columns(u, v, _normal(gram, u, v)))
        for (s, t), other in angles.items():
            if other == angles[u, v]:
                normal = _normal(gram, s, t)
                for third in (normal, tuple(-x for x in normal)):
                    found.add(_product(_columns(s, t, third), before))
    motions = []
    for matrix in found:
        over = lcm(*(x.denominator for row in matrix for x in row))
        if over > 1:
            motions.append((tuple(tuple(int(x * over) for x in row) for row in matrix), over))
    return sorted(motions, key=lambda m: (_determinant(m[0]) < 0, -abs(m[0][0][0] + m[0][1][1] + m[0][2][2]), m[0]))


def shortest_vectors(gram: Gram) -> list[tuple[int, ...]]:
    """Return all shortest lattice vectors other than 0; no basis vector is shorter than they are."""
    bound = min(gram[i][i] for i in range(len(gram)))
    lengths = {_scalar(gram, v, v) for v in product(range(-2, 3), repeat=len(gram)) if any(v)}
    return _vectors_of_length(gram, min(length for length in lengths if length <= bound))


def finer_basis(gram: Gram, further: Sequence[tuple[Fraction, ...]]) -> list[tuple[Fraction, ...]]:
    """Return a basis, of short vectors, of the lattice that vectors with fractions generate together with the whole ones."""
    n = len(gram)
    rows = [tuple(Fraction(int(i == j)) for j in range(n)) for i in range(n)] + list(further)
    basis: list[tuple[Fraction, ...]] = []
    for axis in range(n):  # Euclid's algorithm leaves one row with an entry on this axis
        while len(with_entry := sorted((r for r in rows if r[axis]), key=lambda r: abs(r[axis]))) > 1:
            least = with_entry[0]
            others = [_less(r, r[axis] // least[axis], least) for r in with_entry[1:]]
            rows = [least, *others, *(r for r in rows if not r[axis])]
        basis += with_entry
        rows = [r for r in rows if not r[axis]]
    while True:
        v, w = next(
            ((i, x) for i in range(n) for j in range(n) if i != j and _shorter(gram, x := _towards(gram, basis[i], basis[j]), basis[i])),
            (n, basis[0]),
        )
        if v == n:
            return basis
        basis[v] = w


def _less(v: tuple[Fraction, ...], times: int, w: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    return tuple(x - times * y for x, y in zip(v, w, strict=True))


def _towards(gram: Gram, v: tuple[Fraction, ...], w: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """The vector less the multiple of another that makes it as short as can be."""
    return _less(v, round(scalar_product(gram, v, w) / scalar_product(gram, w, w)), w)


def _shorter(gram: Gram, v: tuple[Fraction, ...], w: tuple[Fraction, ...]) -> bool:
    return scalar_product(gram, v, v) < scalar_product(gram, w, w)


def scalar_product(gram: Gram, v: Sequence[Fraction], w: Sequence[Fraction]) -> Fraction:
    """Return the scalar product of two vectors in lattice coordinates."""
    return sum((x * g * y for x, row in zip(v, gram, strict=True) for g, y in zip(row, w, strict=True)), Fraction(0))


def _normal(gram: Gram, u: tuple[int, ...], v: tuple[int, ...]) -> tuple[Fraction, ...]:
    """A vector at right angles to two others, as long as their parallelogram is large, but for a factor that depends on the lattice."""
    return tuple(sum((g * x for g, x in zip(row, _cross(u, v), strict=True)), Fraction(0)) for row in _adjugate(gram))


def _adjugate(m: Gram) -> Gram:
    """The inverse of a 3 × 3 matrix times its determinant."""
    return tuple(
        tuple(
            m[(j + 1) % 3][(i + 1) % 3] * m[(j + 2) % 3][(i + 2) % 3] - m[(j + 1) % 3][(i + 2) % 3] * m[(j + 2) % 3][(i + 1) % 3]
            for j in range(3)
        )
        for i in range(3)
    )


def _columns(*columns: Sequence[int | Fraction]) -> Gram:
    """The matrix with these columns."""
    return tuple(tuple(map(Fraction, row)) for row in zip(*columns, strict=True))


def _inverse(matrix: Gram) -> Gram:
    determinant = _determinant(matrix)
    return tuple(tuple(x / determinant for x in row) for row in _adjugate(matrix))


def _product(a: Gram, b: Gram) -> Gram:
    return tuple(tuple(sum((x * y for x, y in zip(row, c, strict=True)), Fraction(0)) for c in zip(*b, strict=True)) for row in a)


def isometry_name(matrix: Matrix, gram: Gram, *, mirror: bool) -> tuple[str, int | None]:
    """Return a readable name and, for a turn in the plane, its angle in degrees."""
    if len(gram) == 2:
        angle = _plane_angle(matrix, gram)
        if mirror:
            return f"mirror {angle // 2 % 180}", None
        return (f"turn {angle}", angle) if angle else ("identity", 0)
    turn = _negative(matrix) if mirror else matrix
    angle, axis = _space_turn(turn)
    about = ",".join(map(str, axis))
    if not mirror:
        return (f"turn {angle} about {about}" if angle else "identity"), None
    if angle == 180:
        return f"mirror across {about}", None
    return (f"turn {angle} about {about} and inversion" if angle else "inversion"), None


def _sort_key(matrix: Matrix, *, mirror: bool, gram: Gram) -> tuple[bool, int, tuple[int, ...]]:
    if len(gram) == 2:
        angle = _plane_angle(matrix, gram)
        # a mirror is the mirror x -> -x (where there is one), followed by a turn by this angle
        return mirror, (angle - 180) % 360 if mirror else angle, ()
    angle, axis = _space_turn(_negative(matrix) if mirror else matrix)
    return mirror, angle, axis


def _plane_angle(matrix: Matrix, gram: Gram) -> int:
    """The direction, in whole degrees, to which the first lattice direction is taken."""
    a, b, c = float(gram[0][0]), float(gram[0][1]), float(gram[1][1])
    x, y = matrix[0][0], matrix[1][0]
    return round(degrees(atan2(y * sqrt(c - b * b / a), x * sqrt(a) + y * b / sqrt(a)))) % 360


def _space_turn(matrix: Matrix) -> tuple[int, tuple[int, ...]]:
    """Angle in degrees and axis of a proper matrix in space; the axis is the primitive vector with first entry positive."""
    trace = sum(matrix[i][i] for i in range(3))
    angle = {3: 0, 2: 60, 1: 90, 0: 120, -1: 180}[trace]
    if angle == 0:
        return 0, (0, 0, 0)
    rows = [[m - (i == j) for j, m in enumerate(row)] for i, row in enumerate(matrix)]
    axis = next(c for i in range(3) for j in range(i) if any(c := _cross(rows[i], rows[j])))
    axis = _primitive(axis)
    probe = next(e for e in ((1, 0, 0), (0, 1, 0), (0, 0, 1)) if any(_cross(e, axis)))
    sense = _determinant((axis, probe, apply_matrix(matrix, probe)))
    return (angle if sense >= 0 else 360 - angle), axis


def _primitive(vector: tuple[int, ...]) -> tuple[int, ...]:
    """The shortest integer vector along the same line, with its first entry that is not 0 positive."""
    sign = 1 if next(x for x in vector if x) > 0 else -1
    return tuple(sign * x // gcd(*vector) for x in vector)


def _vectors_of_length(gram: tuple[tuple[Number, ...], ...], length: Number) -> list[tuple[int, ...]]:
    """All integer vectors v with vᵀGv = length, by a box that contains them (|v_i|² <= length · (G⁻¹)_ii)."""
    n = len(gram)
    minors = [_determinant(tuple(tuple(r for j, r in enumerate(row) if j != i) for k, row in enumerate(gram) if k != i)) for i in range(n)]
    bounds = [ceil(sqrt(length * minor / _determinant(gram))) for minor in minors]
    box = product(*(range(-b, b + 1) for b in bounds))
    return [v for v in box if _scalar(gram, v, v) == length]


def _scalar(gram: tuple[tuple[Number, ...], ...], v: tuple[int, ...], w: tuple[int, ...]) -> Number:
    return sum((x * g * y for x, row in zip(v, gram, strict=True) for g, y in zip(row, w, strict=True)), start=gram[0][0] * 0)


def _determinant(m: tuple[tuple[Number, ...], ...]) -> Number:
    if len(m) == 1:
        return m[0][0]
    total = m[0][0] * 0
    for j, first in enumerate(m[0]):
        minor = first * _determinant(tuple(row[:j] + row[j + 1 :] for row in m[1:]))
        total = total + minor if j % 2 == 0 else total - minor
    return total


def _cross(v: tuple[int, ...] | list[int], w: tuple[int, ...] | list[int]) -> tuple[int, ...]:
    return (v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0])


def _negative(matrix: Matrix) -> Matrix:
    return tuple(tuple(-m for m in row) for row in matrix)


AtomId = tuple[int, ...]
Cell = tuple[int, ...]
Point = tuple[Fraction, ...]


@dataclass(frozen=True)
class Atom:
    """An indivisible part of the unit cell, as a polytope given by its vertices in lattice coordinates."""

    name: str
    kind: str
    role: str
    """``cover``: tiles cover it; ``mark``: tiles carry marks on it, it is never covered."""
    vertices: tuple[Point, ...]

    @cached_property
    def centre(self) -> Point:
        """The mean of the vertices."""
        return tuple(sum(axis, Fraction(0)) / len(self.vertices) for axis in zip(*self.vertices, strict=True))


@dataclass(frozen=True)
class Site:
    """One character of the text picture of a cell: its place, and the atoms each glyph stands for."""

    at: tuple[int, ...]
    glyphs: dict[str, tuple[int, ...]]
    optional: dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Layout:
    """How a grid is drawn in text: ``steps[i]`` are the columns, rows upwards (and layers) of lattice step ``i``."""

    steps: tuple[tuple[int, ...], ...]
    sites: tuple[Site, ...]


@dataclass(frozen=True)
class Crossing:
    """Where tiles must not cross, a tile with all the atoms ``through`` covers ``blocks`` as well."""

    through: tuple[AtomId, ...]
    blocks: tuple[AtomId, ...]


@dataclass(frozen=True)
class Symmetry:
    """A symmetry of the grid: atom ``(c, a)`` goes to ``(matrix c + shift[a], image[a])``."""

    name: str
    matrix: Matrix
    image: tuple[int, ...]
    shift: tuple[Cell, ...]
    mirror: bool
    """Whether it exchanges left and right (determinant -1)."""
    degrees: int | None
    """The angle of a turn in the plane, counterclockwise; None for mirrors and in space."""
    over: int = 1
    """What ``matrix`` is to be divided by: more than 1 for a motion of balls that takes some of the grid's balls between the others."""

    def __call__(self, atom: AtomId) -> AtomId:
        """Return the image of an atom of the infinite grid, its cell multiplied by ``over``."""
        *cell, a = atom
        moved = apply_matrix(self.matrix, tuple(cell))
        return (*(m + s for m, s in zip(moved, self.shift[a], strict=True)), self.image[a])

    def on_places(self, places: Longs) -> Longs:
        """Return the images of the rows of an array (…, dimension + 1), each an atom; their cells multiplied by ``over``."""
        own = places[..., -1]
        cells = places[..., :-1] @ np.array(self.matrix).T + np.array(self.shift)[own]
        return np.concatenate([cells, np.array(self.image)[own][..., None]], axis=-1)

    def on_grid(self, atom: AtomId) -> AtomId | None:
        """Divide the cell of a moved image by ``over``; None where that is no atom of the grid."""
        if self.over == 1:
            return atom
        return None if any(c % self.over for c in atom[:-1]) else (*(c // self.over for c in atom[:-1]), atom[-1])


@dataclass(frozen=True)
class Motion:
    """A symmetry of the grid, followed by a translation."""

    symmetry: Symmetry
    move: Cell

    def __call__(self, atom: AtomId) -> AtomId:
        """Return the image of an atom."""
        return translate(self.symmetry(atom), self.move)


@dataclass(frozen=True, eq=False)
class Grid:
    """A periodic arrangement of atoms. Everything else about it is computed from the data held here."""

    name: str
    title: str
    gram: tuple[tuple[Fraction, ...], ...]
    atoms: tuple[Atom, ...]
    layout: Layout
    rings: dict[int, tuple[AtomId, ...]]
    """For a face of the unit cell, the atoms round it, clockwise from its top left, with cells relative to it."""
    shapes: dict[str, tuple[tuple[tuple[int, int], ...], ...]]
    """Corners of a convex polygon, in space of a convex body, of size n, each coordinate ``a n + b`` as ``(a, b)``."""
    polyforms: dict[int, dict[str, str]]
    crossings: tuple[Crossing, ...]
    """One of each kind, up to the symmetries of the grid."""
    ring_names: str = ""
    """What the atoms round a face are, in order, in words."""

    def is_same(self, other: Grid) -> bool:
        """Tell whether another grid has the same name, lattice and atoms. What is computed of a grid is kept for each object."""
        return self is other or all(getattr(self, key) == getattr(other, key) for key in ("name", "gram", "atoms", "rings", "crossings"))

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return len(self.gram)

    @property
    def main_kind(self) -> str:
        """The kind that pictures draw: that of the first atom."""
        return self.atoms[0].kind

    def index(self, name: str) -> int:
        """Return the number of the atom with that name; raise KeyError if there is none."""
        for a, atom in enumerate(self.atoms):
            if atom.name == name:
                return a
        raise KeyError(name)

    def centre(self, atom: AtomId) -> Point:
        """Return the centre of an atom in lattice coordinates."""
        return tuple(c + x for c, x in zip(atom[:-1], self.atoms[atom[-1]].centre, strict=True))

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """All symmetries up to lattice translations: the identity first, turns by angle, then mirrors."""
        found: list[Symmetry] = []
        for matrix, mirror in isometries(self.gram):
            # a grid is refused where there could be two: they would differ by a translation that is none of the lattice
            for image, shift, _ in self._atom_maps(matrix):
                name, degrees = isometry_name(matrix, self.gram, mirror=mirror)
                found.append(Symmetry(name, matrix, image, shift, mirror, degrees))
        return tuple(found)

    @cached_property
    def further_translations(self) -> list[Point]:
        """The translations that take the atoms to atoms of their kind but are none of the lattice, one of each modulo the lattice."""
        n = self.dimension
        still = tuple(tuple(int(i == j) for j in range(n)) for i in range(n))
        moves = {tuple(x % 1 for x in move) for _, _, move in self._atom_maps(still)}
        return sorted(move for move in moves if any(move))

    @cached_property
    def motions(self) -> tuple[Symmetry, ...]:
        """What tiles may be turned by: the symmetries, and where atoms are balls the other motions that can take some of them to balls."""
        if self.dimension == 2 or not self.of_balls:
            return self.symmetries
        found = ball_motions(self.gram)
        further = (
            Symmetry(f"motion {number}", matrix, (0,), ((0, 0, 0),), number > len(found) // 2, None, over)
            for number, (matrix, over) in enumerate(found, start=1)
        )
        return (*self.symmetries, *further)

    @property
    def of_balls(self) -> bool:
        """Whether the atoms are balls: points, one a cell."""
        return len(self.atoms) == 1 and len(self.atoms[0].vertices) == 1

    @cached_property
    def _scaled(self) -> tuple[int, list[list[Cell]], list[Cell]]:
        """A number by which all vertices and centres become integers, these vertices, and these centres."""
        scale = lcm(*(x.denominator * len(atom.vertices) for atom in self.atoms for v in atom.vertices for x in v))
        shapes = [[tuple(int(x * scale) for x in v) for v in atom.vertices] for atom in self.atoms]
        return scale, shapes, [tuple(sum(axis) // len(shape) for axis in zip(*shape, strict=True)) for shape in shapes]

    @cached_property
    def _by_shape(self) -> dict[tuple[str, str, frozenset[Cell]], int]:
        """The atom of the unit cell of a kind and role, by its vertices modulo the lattice."""
        scale, shapes, _ = self._scaled
        return {(atom.kind, atom.role, _modulo_lattice(v, scale)): a for a, (atom, v) in enumerate(zip(self.atoms, shapes, strict=True))}

    @property
    def atoms_differ(self) -> bool:
        """Whether no two atoms of one kind have the same vertices."""
        return len({(kind, vertices) for kind, _, vertices in self._by_shape}) == len(self.atoms)

    def _atom_maps(self, matrix: Matrix) -> list[tuple[tuple[int, ...], tuple[Cell, ...], Point]]:
        """Find every translation, modulo the lattice, that maps the atoms onto the atoms after ``matrix``: where they go, and itself."""
        maps = []
        scale, shapes, centres = self._scaled
        by_shape = self._by_shape
        turned = [[apply_matrix(matrix, v) for v in vertices] for vertices in shapes]
        turned_centres = [apply_matrix(matrix, centre) for centre in centres]
        moves = [tuple(t - s for t, s in zip(target, turned_centres[0], strict=True)) for target in centres]
        # of those that differ by a lattice vector, one is enough: the first
        for move in {tuple(x % scale for x in move): move for move in reversed(moves)}.values():
            image: list[int] = []
            shift: list[Cell] = []
            for atom, vertices, turned_centre in zip(self.atoms, turned, turned_centres, strict=True):
                a = by_shape.get((atom.kind, atom.role, _modulo_lattice([_add(v, move) for v in vertices], scale)))
                if a is None:
                    break
                image.append(a)
                shift.append(tuple((c - o) // scale for c, o in zip(_add(turned_centre, move), centres[a], strict=True)))
            else:
                maps.append((tuple(image), tuple(shift), tuple(Fraction(x, scale) for x in move)))
        return maps

    @cached_property
    def _contacts(self) -> tuple[dict[AtomId, int], ...]:
        """For each atom of the cell [0, 0]: the other atoms, with the number of vertices that they share."""
        corners: dict[Point, list[AtomId]] = defaultdict(list)
        for a, atom in enumerate(self.atoms):
            for v in atom.vertices:
                base = tuple(x // 1 for x in v)
                corners[tuple(x - b for x, b in zip(v, base, strict=True))].append((*(-b for b in base), a))
        contacts = []
        for a, atom in enumerate(self.atoms):
            shared: Counter[AtomId] = Counter()
            for v in atom.vertices:
                base = tuple(int(x // 1) for x in v)
                for other in corners[tuple(x - b for x, b in zip(v, base, strict=True))]:
                    touching = translate(other, base)
                    shared[touching] += 1
            itself = (*([0] * self.dimension), a)
            del shared[itself]
            contacts.append(dict(shared))
        return tuple(contacts)

    @cached_property
    def crossing_kinds(self) -> frozenset[str]:
        """The kinds of the atoms that tiles cover where they must not be crossed."""
        return frozenset(self.atoms[a[-1]].kind for crossing in self.crossings for a in crossing.blocks)

    @cached_property
    def all_crossings(self) -> frozenset[Crossing]:
        """The crossings and their images under the symmetries, each moved so that the first of its atoms lies in the cell [0, 0]."""
        images = [(sorted(map(g, c.through)), sorted(map(g, c.blocks))) for g in self.symmetries for c in self.crossings]
        homes = [tuple(-x for x in through[0][:-1]) for through, _ in images]
        return frozenset(
            Crossing(tuple(translate(a, home) for a in through), tuple(translate(a, home) for a in blocks))
            for (through, blocks), home in zip(images, homes, strict=True)
        )

    def crossings_of(self, atoms: Iterable[AtomId], home: Callable[[AtomId], AtomId | None] | None = None) -> set[AtomId]:
        """Return the atoms that a tile with these atoms covers as well, so that no other tile crosses it.

        Where a form wraps around, ``home`` says which of its atoms an atom of the grid is: a tile may go on beyond a seam. What it covers
        there is named as it lies beside each of the atoms that it runs through.
        """
        here = set(atoms)
        found: set[AtomId] = set()
        for crossing in self.all_crossings:
            for first in crossing.through if home is not None else crossing.through[:1]:
                for atom in here:
                    move = tuple(x - y for x, y in zip(atom[:-1], first[:-1], strict=True))
                    through = [translate(a, move) for a in crossing.through] if atom[-1] == first[-1] else []
                    if through and here.issuperset(through if home is None else map(home, through)):
                        found.update(translate(a, move) for a in crossing.blocks)
        return found

    def neighbours(self, atom: AtomId) -> list[AtomId]:
        """Return the atoms of the same kind that share a side with this one: 2 vertices in the plane, 3 in space, 1 for edges.

        The neighbours of a ball are the nearest ones.
        """
        if self.of_balls:
            return [translate(atom, v) for v in self._nearest]
        kind = self.atoms[atom[-1]].kind
        side = 1 if len(self.atoms[atom[-1]].vertices) == 2 else self.dimension
        return [
            translate(other, atom[:-1])
            for other, shared in self._contacts[atom[-1]].items()
            if shared >= side and self.atoms[other[-1]].kind == kind
        ]

    @cached_property
    def _nearest(self) -> list[Cell]:
        return shortest_vectors(self.gram)

    def faces_at(self, side: AtomId) -> list[AtomId]:
        """Return the atoms of the main kind that a side, edge or slot belongs to, in a fixed order."""
        size = len(self.atoms[side[-1]].vertices)
        found = [
            translate(other, side[:-1])
            for other, shared in self._contacts[side[-1]].items()
            if shared == size and self.atoms[other[-1]].kind == self.main_kind
        ]
        return sorted(found, key=atom_order)

    def sides_of(self, face: AtomId) -> list[AtomId]:
        """Return the atoms of other kinds that lie on a face."""
        found = [
            translate(other, face[:-1])
            for other, shared in self._contacts[face[-1]].items()
            if shared == len(self.atoms[other[-1]].vertices) and self.atoms[other[-1]].kind != self.main_kind
        ]
        return sorted(found, key=atom_order)


def atom_order(atom: AtomId) -> tuple[int, ...]:
    """Sort key of atoms: layers from below, rows bottom to top, left to right, then the order inside the cell."""
    return (*reversed(atom[:-1]), atom[-1])


def translate(atom: AtomId, by: Cell) -> AtomId:
    """Move an atom by a lattice vector."""
    return (*(c + d for c, d in zip(atom[:-1], by, strict=True)), atom[-1])


def motion_of(atoms: Iterable[AtomId], symmetry: Symmetry) -> Motion | None:
    """Return the motion by which a symmetry maps a set of atoms onto itself; None where it does not."""
    here = set(atoms)
    images = [symmetry(a) for a in here]
    home = tuple(min(a[i] for a in here) - min(a[i] for a in images) for i in range(len(images[0]) - 1))
    return Motion(symmetry, home) if all(translate(a, home) in here for a in images) else None


def _add(a: Cell, b: Cell) -> Cell:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _modulo_lattice(vertices: list[Cell], scale: int) -> frozenset[Cell]:
    """The set of vertices (scaled to integers), moved by a lattice vector so that two translates become equal."""
    base = [sum(axis) // len(vertices) // scale * scale for axis in zip(*vertices, strict=True)]
    return frozenset(tuple(x - b for x, b in zip(v, base, strict=True)) for v in vertices)
