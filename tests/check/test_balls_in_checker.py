"""Balls in the checker: how pieces of balls can be turned, which balls are neighbours, and which motions a form of balls has."""

from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wide_statements import Rebuilt, rebuilt, wide_statement

from compare import built_with_fixed
from helpers import load
from puzzlesat.checker.grid import ball_motions, determinant, nearest
from puzzlesat.checker.puzzle import read_puzzle
from puzzlesat.checker.values import Rejected
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from random_puzzles import SEAMS, random_puzzle
from tiers import every

PAIR = [[1, 1, 1], [1, 2, 1]]
HOOK = [[1, 1, 1], [1, 2, 1], [1, 3, 1], [1, 1, 2]]
"""Four balls of a layer in which each has six neighbours, not their own mirror image there."""


def table_of(atoms, form=None, **more):
    table = {"title": "T", "grid": "balls", "flips": True, "tiles": {"A": {"atoms": atoms, "copies": "any"}}}
    return table | {"form": {"optional": "all"} | (form or {"box": [3, 4, 3]})} | more


@pytest.mark.full
@every("name", ["ball-room-1", "ball-room-2", "ball-room-3", "kanoodle-pyramid"])
def test_the_program_says_the_same_of_the_instances(name):
    built = build_instance(load_instance(name))
    Rebuilt(wide_statement({"form": {}}, built)).demand_the_program(built)


@pytest.mark.full
@given(random=st.randoms(use_true_random=False), fixed=st.one_of(st.none(), st.integers(0, 1000)), turned=st.booleans())
def test_the_program_says_the_same_of_random_puzzles(random, fixed, turned):
    """Random puzzles have no turns; here tiles are also turned and flipped."""
    table = random_puzzle(random, want=["grid: balls", *random.sample(SEAMS[:3], random.randint(0, 1))])
    if turned:
        table |= {"flips": random.random() < 0.5, "turns": "all"}
    built, _ = built_with_fixed(table, fixed)
    Rebuilt(wide_statement(table, built)).demand_the_program(built)


@pytest.mark.full
def test_motions_are_those_of_the_definition():
    """Each motion keeps lengths and maps two directions to two others, but not the lattice to itself; inverses are included."""
    grid = rebuilt(table_of(HOOK)).puzzle.grid
    steps, found = nearest(grid), ball_motions(grid)
    assert len(steps) == 12
    assert len({(m.matrix, m.denominator) for m in found}) == len(found) == 192
    for motion in found:
        n = range(3)
        columns = [[Fraction(row[i], motion.denominator) for row in motion.matrix] for i in n]
        assert all(grid.product(columns[i], columns[j]) == grid.gram[i][j] for i, j in product(n, n))
        assert abs(determinant(columns)) == 1
        kept = [step for step in steps if motion.vector(step) in steps]
        assert any(determinant([*pair, other]) for pair in permutations(kept, 2) for other in steps)
        assert any(motion.vector(step) is None for step in steps)


@pytest.mark.full
@every("mirrored", ["same", "different"])
def test_a_flat_form_has_motions_that_the_grid_has_not(mirrored):
    """In its layer a hexagon can be turned by 60 degrees; the grid has such turns only together with a mirror."""
    hexagon = [[1, 2, 1], [1, 3, 1], [1, 1, 2], [1, 2, 2], [1, 3, 2], [1, 1, 3], [1, 2, 3]]
    found = rebuilt(table_of(PAIR, {"atoms": hexagon}, mirrored=mirrored))
    own = {m.permutation.tobytes() for m in found.motions if m.number < len(found.puzzle.symmetries)}
    assert len(own) == (12 if mirrored == "same" else 6)
    assert len({m.permutation.tobytes() for m in found.motions}) == 12


@pytest.mark.full
@every("rules", [{"apart": [["A"]]}, {"apart": [["A"]], "strictly": True}, {"colours": 2}, {"touch_border": "all"}, {"inside": ["A"]}])
def test_rules_on_solutions_look_at_neighbours(rules):
    found = rebuilt(table_of(PAIR, {"box": [3, 3, 3]}, solutions=rules))
    steps = nearest(found.puzzle.grid)
    for o, p in list(enumerate(found.placements))[::7]:
        for q, other in enumerate(found.placements):
            if o < q and p.look[0].isdisjoint(other.look[0]) and "apart" in rules:
                near = any(tuple(x - y for x, y in zip(a[:-1], b, strict=False)) in steps for a, b in product(p.look[0], other.look[0]))
                assert found.keeps([o, q]) != near
    border = {p.look[0] for p in found.placements}
    assert border or "inside" in rules


@every("wide", [False, True])
def test_the_plane_is_for_wide_statements(wide):
    said = wide_statement(table_of(HOOK), build_instance(load(table_of(HOOK))))
    if wide:
        said["tiles"][0]["in_its_plane"] = 1
    with pytest.raises(Rejected, match="true or false" if wide else "unknown key 'in_its_plane'"):
        read_puzzle(said, wide=wide)
