"""The point group of a lattice: integer matrices that preserve its Gram matrix, in a fixed order, with names.

The matrices are found by trying all lattice vectors of the right length for each column (W. Plesken, B. Souvignier,
"Computing isometries of lattices", J. Symbolic Computation 24, 1997, section 3, without its refinements: dimension is 2 or 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import atan2, ceil, degrees, gcd, lcm, sqrt
from typing import TypeVar

Matrix = tuple[tuple[int, ...], ...]

Gram = tuple[tuple[Fraction, ...], ...]

Number = TypeVar("Number", int, Fraction)


def apply_matrix(matrix: tuple[tuple[int | Number, ...], ...], vector: tuple[Number, ...]) -> tuple[Number, ...]:
    """Return the matrix times the column vector."""
    return tuple(sum((m * v for m, v in zip(row, vector, strict=True)), start=vector[0] * 0) for row in matrix)


def multiply(a: tuple[tuple[Number, ...], ...], b: tuple[tuple[Number, ...], ...]) -> tuple[tuple[Number, ...], ...]:
    """Return the matrix product, which applies first b, then a."""
    return tuple(zip(*(apply_matrix(a, column) for column in zip(*b, strict=True)), strict=True))


def inverse(matrix: Matrix) -> Matrix:
    """Return the inverse of a matrix of finite order: its last power before the identity."""
    identity = tuple(tuple(int(i == j) for j in range(len(matrix))) for i in range(len(matrix)))
    power = identity
    while (following := multiply(power, matrix)) != identity:
        power = following
    return power


def isometries(gram: Gram) -> list[tuple[Matrix, bool]]:
    """Return every integer matrix M with MᵀGM = G, and whether it is a mirror; turns first, by angle."""
    n = len(gram)
    scale = lcm(*(g.denominator for row in gram for g in row))
    whole = tuple(tuple(int(g * scale) for g in row) for row in gram)
    vectors = [_vectors_of_length(whole, whole[i][i]) for i in range(n)]
    found = []
    for columns in product(*vectors):
        if all(scalar_product(whole, columns[i], columns[j]) == whole[i][j] for i in range(n) for j in range(i)):
            matrix = tuple(tuple(column[row] for column in columns) for row in range(n))
            found.append((matrix, _determinant(matrix) < 0))
    return sorted(found, key=lambda entry: _sort_key(entry[0], mirror=entry[1], gram=gram))


@cache
def cube_symmetries() -> tuple[tuple[Matrix, bool], ...]:
    """Return the 48 symmetries of a cube, each with whether it is a mirror; the identity first, then turns by angle."""
    return tuple(isometries(tuple(tuple(Fraction(i == j) for j in range(3)) for i in range(3))))


def ball_motions(gram: Gram) -> list[tuple[Matrix, int]]:
    """Return the motions of balls in space that are not symmetries of the lattice: an integer matrix and its divisor for each.

    Each motion maps two neighbours of a ball, in different directions, to two of its neighbours. So a piece in one plane, such as a row of
    a close packing, stays on balls of the lattice, although other balls do not. Turns come first, by angle.
    """
    near = shortest_vectors(gram)
    angles = {(u, v): scalar_product(gram, u, v) for u, v in product(near, repeat=2) if any(_cross(u, v))}
    # two shortest vectors are a basis of the lattice in their plane, so one pair for each plane is enough
    planes = {_primitive(_cross(u, v)): (u, v) for u, v in angles}
    found = set()
    for u, v in planes.values():
        before = _inverse(_columns(u, v, _normal(gram, u, v)))
        for (s, t), other in angles.items():
            if other == angles[u, v]:
                normal = _normal(gram, s, t)
                for third in (normal, tuple(-x for x in normal)):
                    found.add(multiply(_columns(s, t, third), before))
    motions = []
    for matrix in found:
        over = lcm(*(x.denominator for row in matrix for x in row))
        if over > 1:
            motions.append((tuple(tuple(int(x * over) for x in row) for row in matrix), over))
    return sorted(motions, key=lambda m: (_determinant(m[0]) < 0, -abs(m[0][0][0] + m[0][1][1] + m[0][2][2]), m[0]))


def shortest_vectors(gram: Gram) -> list[tuple[int, ...]]:
    """Return all shortest lattice vectors other than 0."""
    bound = min(gram[i][i] for i in range(len(gram)))
    lengths = {scalar_product(gram, v, v) for v in product(range(-2, 3), repeat=len(gram)) if any(v)}
    return _vectors_of_length(gram, min(length for length in lengths if length <= bound))


def finer_basis(gram: Gram, further: Sequence[tuple[Fraction, ...]]) -> list[tuple[Fraction, ...]]:
    """Return a basis of short vectors of the lattice that the integer vectors and some vectors with fractions generate."""
    n = len(gram)
    rows = [tuple(Fraction(int(i == j)) for j in range(n)) for i in range(n)] + list(further)
    basis = echelon(rows)
    while True:
        v, w = next(
            ((i, x) for i in range(n) for j in range(n) if i != j and _shorter(gram, x := _towards(gram, basis[i], basis[j]), basis[i])),
            (n, basis[0]),
        )
        if v == n:
            return basis
        basis[v] = w


def echelon(vectors: Iterable[tuple[Number, ...]]) -> list[tuple[Number, ...]]:
    """Return a basis of the lattice that vectors span, in echelon form with positive first entries (Hermite, unreduced)."""
    rest = [v for v in vectors if any(v)]
    basis: list[tuple[Number, ...]] = []
    for axis in range(len(rest[0]) if rest else 0):
        here = [v for v in rest if v[axis]]
        rest = [v for v in rest if not v[axis]]
        while len(here) > 1:  # Euclid's algorithm on this axis
            least = min(here, key=lambda v: abs(v[axis]))
            reduced = [less(v, v[axis] // least[axis], least) for v in here if v is not least]
            here = [least] + [v for v in reduced if v[axis]]
            rest += [v for v in reduced if not v[axis] and any(v)]
        basis += [v if v[axis] > 0 else tuple(-x for x in v) for v in here]
    return basis


def less(v: tuple[Number, ...], times: int, w: tuple[Number, ...]) -> tuple[Number, ...]:
    """Return a vector minus a multiple of another one."""
    return tuple(x - times * y for x, y in zip(v, w, strict=True))


def _towards(gram: Gram, v: tuple[Fraction, ...], w: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Return a vector minus the multiple of another vector that makes it shortest."""
    return less(v, round(scalar_product(gram, v, w) / scalar_product(gram, w, w)), w)


def _shorter(gram: Gram, v: tuple[Fraction, ...], w: tuple[Fraction, ...]) -> bool:
    return scalar_product(gram, v, v) < scalar_product(gram, w, w)


def _normal(gram: Gram, u: tuple[int, ...], v: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Return the vector product of two vectors, up to a factor that depends only on the lattice."""
    return tuple(sum((g * x for g, x in zip(row, _cross(u, v), strict=True)), Fraction(0)) for row in _adjugate(gram))


def _adjugate(m: Gram) -> Gram:
    """Return the inverse of a 3 × 3 matrix times its determinant."""
    return tuple(
        tuple(
            m[(j + 1) % 3][(i + 1) % 3] * m[(j + 2) % 3][(i + 2) % 3] - m[(j + 1) % 3][(i + 2) % 3] * m[(j + 2) % 3][(i + 1) % 3]
            for j in range(3)
        )
        for i in range(3)
    )


def _columns(*columns: Sequence[int | Fraction]) -> Gram:
    """Return the matrix with these columns."""
    return tuple(tuple(map(Fraction, row)) for row in zip(*columns, strict=True))


def _inverse(matrix: Gram) -> Gram:
    determinant = _determinant(matrix)
    return tuple(tuple(x / determinant for x in row) for row in _adjugate(matrix))


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
        # a mirror is the mirror x -> -x (if it exists), followed by a turn by this angle
        return mirror, (angle - 180) % 360 if mirror else angle, ()
    angle, axis = _space_turn(_negative(matrix) if mirror else matrix)
    return mirror, angle, axis


def _plane_angle(matrix: Matrix, gram: Gram) -> int:
    """Return the direction, in whole degrees, of the image of the first lattice vector."""
    a, b, c = float(gram[0][0]), float(gram[0][1]), float(gram[1][1])
    x, y = matrix[0][0], matrix[1][0]
    return round(degrees(atan2(y * sqrt(c - b * b / a), x * sqrt(a) + y * b / sqrt(a)))) % 360


def _space_turn(matrix: Matrix) -> tuple[int, tuple[int, ...]]:
    """Return the angle in degrees and the axis of a proper matrix in space; the axis is primitive, with a positive first entry."""
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
    """Return the shortest integer vector on the same line whose first entry other than 0 is positive."""
    sign = 1 if next(x for x in vector if x) > 0 else -1
    return tuple(sign * x // gcd(*vector) for x in vector)


def _vectors_of_length(gram: tuple[tuple[Number, ...], ...], length: Number) -> list[tuple[int, ...]]:
    """Return all integer vectors v with vᵀGv = length; they are in a box, because |v_i|² <= length · (G⁻¹)_ii."""
    n = len(gram)
    minors = [_determinant(tuple(tuple(r for j, r in enumerate(row) if j != i) for k, row in enumerate(gram) if k != i)) for i in range(n)]
    bounds = [ceil(sqrt(length * minor / _determinant(gram))) for minor in minors]
    box = product(*(range(-b, b + 1) for b in bounds))
    return [v for v in box if scalar_product(gram, v, v) == length]


def scalar_product(gram: tuple[tuple[Number, ...], ...], v: Sequence[int | Number], w: Sequence[int | Number]) -> Number:
    """Return the scalar product of two vectors in lattice coordinates."""
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
