"""Point groups: their order, the group axioms, isometries, names and numbering."""

from fractions import Fraction
from itertools import product

from brute_force import matrix_product as times
from puzzlesat.puzzles.lattice import apply_matrix, isometries
from tiers import every

SQUARE = ((1, 0), (0, 1))
HEXAGONAL = ((2, 1), (1, 2))
RECTANGULAR = ((1, 0), (0, 2))
RHOMBIC = ((3, 1), (1, 3))
OBLIQUE = ((5, 1), (1, 3))
CUBIC = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
FACE_CENTRED = ((2, 1, 1), (1, 2, 1), (1, 1, 2))
BODY_CENTRED = ((3, -1, -1), (-1, 3, -1), (-1, -1, 3))
SQUARE_PRISMS = ((1, 0, 0), (0, 1, 0), (0, 0, 3))
HEXAGONAL_PRISMS = ((2, 1, 0), (1, 2, 0), (0, 0, 3))
ORDERS = {
    SQUARE: 8,
    HEXAGONAL: 12,
    RECTANGULAR: 4,
    RHOMBIC: 4,
    OBLIQUE: 2,
    CUBIC: 48,
    FACE_CENTRED: 48,
    BODY_CENTRED: 48,
    SQUARE_PRISMS: 16,
    HEXAGONAL_PRISMS: 24,
}


def exact(gram):
    return tuple(tuple(Fraction(x) for x in row) for row in gram)


def transposed(m):
    return tuple(zip(*m, strict=True))


@every("gram", ORDERS, fast=4)
def test_isometries_are_a_group_of_that_order(gram):
    found = isometries(exact(gram))
    matrices = {m for m, _ in found}
    assert len(found) == len(matrices) == ORDERS[gram]
    assert sum(mirror for _, mirror in found) == (0 if gram == OBLIQUE else ORDERS[gram] // 2)
    assert all(times(times(transposed(m), gram), m) == gram for m in matrices)
    assert all(times(a, b) in matrices for a, b in product(matrices, repeat=2))


@every("gram", ORDERS)
def test_identity_first_then_turns_then_mirrors(gram):
    found = isometries(exact(gram))
    size = len(gram)
    assert found[0] == (tuple(tuple(int(i == j) for j in range(size)) for i in range(size)), False)
    assert [mirror for _, mirror in found] == sorted(mirror for _, mirror in found)


def test_turns_of_the_square_go_counterclockwise():
    matrices = [m for m, _ in isometries(exact(SQUARE))]
    assert [apply_matrix(m, (1, 0)) for m in matrices[:4]] == [(1, 0), (0, 1), (-1, 0), (0, -1)]


def test_mirrors_are_the_mirror_of_x_then_the_same_turns():
    matrices = [m for m, _ in isometries(exact(SQUARE))]
    mirror = matrices[4]
    assert mirror == ((-1, 0), (0, 1))
    assert matrices[4:] == [times(turn, mirror) for turn in matrices[:4]]
