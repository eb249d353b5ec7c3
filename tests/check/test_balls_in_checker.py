"""Balls in the eyes of the checker: how their pieces may be turned, which of them are neighbours, which motions a form of them has."""

from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wide_statements import Rebuilt, wide_statement

from compare import built_with_fixed
from helpers import load
from puzzlesat.check.balls import ball_motions, nearest
from puzzlesat.check.grid import determinant
from puzzlesat.check.puzzle import _ways, read_puzzle
from puzzlesat.check.rejected import Rejected
from puzzlesat.cover.instance import build_instance
from puzzlesat.puzzle.load import load_instance
from random_puzzles import SEAMS, random_puzzle
from tiers import every

PAIR = [[1, 1, 1], [1, 2, 1]]
HOOK = [[1, 1, 1], [1, 2, 1], [1, 3, 1], [1, 1, 2]]
"""Four balls of a layer in which each has six neighbours, not their own mirror image there."""
APART = [[1, 1, 1], [1, 2, 1], [1, 3, 1], [2, 1, 3]]
"""A row of three, and a ball that lies in no plane with it in which there are other directions of neighbours."""
OTHER_GRIDS = {"cubic": ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 6), "body-centred": ([[3, -1, -1], [-1, 3, -1], [-1, -1, 3]], 8)}


def table_of(atoms, form=None, **more):
    tile = {"atoms": atoms, "copies": "any"} | ({"parts": 2} if atoms == APART else {})
    table = {"title": "T", "grid": "balls", "flips": True, "tiles": {"A": tile}}
    return table | {"form": {"optional": "all"} | (form or {"box": [3, 4, 3]})} | more


def rebuilt(table):
    """The puzzle of a table, as the checker and as the program have it."""
    built = build_instance(load(table))
    found = Rebuilt(wide_statement(table, built))
    found.demand_the_program(built)
    return found


@pytest.mark.full
@every("name", ["ball-room-1", "ball-room-2", "ball-room-3", "kanoodle-pyramid"])
def test_the_program_says_the_same_of_the_instances(name):
    built = build_instance(load_instance(name))
    Rebuilt(wide_statement({"form": {}}, built)).demand_the_program(built)


@pytest.mark.full
@given(random=st.randoms(use_true_random=False), fixed=st.one_of(st.none(), st.integers(0, 1000)), turned=st.booleans())
def test_the_program_says_the_same_of_random_puzzles(random, fixed, turned):
    """Of the puzzles that are drawn the tiles are not turned; here they are turned and flipped as well."""
    table = random_puzzle(random, want=["grid: balls", *random.sample(SEAMS[:3], random.randint(0, 1))])
    if turned:
        table |= {"flips": random.random() < 0.5, "turns": "all"}
    built, _ = built_with_fixed(table, fixed)
    Rebuilt(wide_statement(table, built)).demand_the_program(built)


@pytest.mark.full
def test_motions_are_those_of_the_definition():
    """Each keeps lengths, takes two directions to two, and no ball lattice to itself; with each its inverse is there, up to symmetries."""
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
@every("name", OTHER_GRIDS)
def test_neighbours_are_the_nearest(name):
    gram, number = OTHER_GRIDS[name]
    said = wide_statement(table_of(HOOK), build_instance(load(table_of(HOOK))))
    said |= {"gram": [[str(x) for x in row] for row in gram], "symmetries": _symmetries(gram)}
    said["tiles"][0]["symmetries"] = [0]
    grid = read_puzzle(said, wide=True).grid
    assert len(nearest(grid)) == number
    for motion in ball_motions(grid):
        assert motion.denominator > 1


def _symmetries(gram):
    """Those of a lattice of balls, the identity first."""
    vectors = list(product((-1, 0, 1), repeat=3))

    def scalar(v, w):
        return sum(v[i] * gram[i][j] * w[j] for i in range(3) for j in range(3))

    bases = ((u, v, w) for u, v, w in product(vectors, repeat=3) if all(scalar(x, x) == gram[0][0] for x in (u, v, w)))
    fits = [b for b in bases if all(scalar(b[i], b[j]) == gram[i][j] for i in range(3) for j in range(3))]
    matrices = sorted((list(map(list, zip(*b, strict=True))) for b in fits), reverse=True)
    matrices.sort(key=lambda m: m != [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    return [{"name": f"s{i}", "matrix": m, "image": [0], "shift": [[0, 0, 0]]} for i, m in enumerate(matrices)]


@pytest.mark.full
def test_a_piece_in_a_plane_is_turned_in_it():
    """By 60 degrees as well, for which the grid has no turn: then it lies as its mirror image does."""
    table = table_of(HOOK, flips=False)
    looks = [{p.look for p in found.placements} for found in (Rebuilt(_without_the_plane(table)), rebuilt(table), rebuilt(table_of(HOOK)))]
    assert looks[0] < looks[1] == looks[2]
    assert 2 * len(looks[0]) == len(looks[1])


@pytest.mark.full
@every("flips", [False, True])
def test_mirrors_are_for_tiles_that_may_be_mirrored(flips):
    found = rebuilt(table_of(HOOK, flips=flips))
    assert any(go.mirror for go in _ways(found.puzzle.grid, found.puzzle.tiles[0])) == flips


@pytest.mark.full
def test_a_tile_that_is_not_turned_is_not_turned_in_its_plane():
    assert not rebuilt(table_of(HOOK, flips=False, turns="none")).puzzle.tiles[0].in_its_plane


def _without_the_plane(table):
    said = wide_statement(table, build_instance(load(table)))
    for tile in said["tiles"]:
        del tile["in_its_plane"]
    return said


@pytest.mark.full
def test_a_row_that_lies_apart_from_a_ball_is_not_turned_about_itself():
    said = wide_statement(table_of(APART), build_instance(load(table_of(APART))))
    plain, turned = (Rebuilt(statement) for statement in (_without_the_plane(table_of(APART)), said))
    assert {p.look for p in plain.placements} == {p.look for p in turned.placements}


@pytest.mark.full
@every("mirrored", ["same", "different"])
def test_a_flat_form_has_motions_that_the_grid_has_not(mirrored):
    """In its layer a hexagon is turned by 60 degrees, where the grid has such turns only together with a mirror."""
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


def test_squares_have_no_plane_to_be_turned_in():
    table = table_of(PAIR) | {"grid": "cube"}
    said = wide_statement(table, build_instance(load(table)))
    said["tiles"][0]["in_its_plane"] = False
    with pytest.raises(Rejected, match="unknown key 'in_its_plane'"):
        read_puzzle(said, wide=True)
