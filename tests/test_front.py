"""Placements, symmetries, the cover problem and its reduction, computed with arrays, against plain loops; and their size limits."""

import time
from dataclasses import replace
from itertools import combinations_with_replacement
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import load
from plain_front import plain_exclusions, plain_placements, plain_reduction, plain_symmetries
from puzzlesat.base import Limits, PuzzleError, padded_rows
from puzzlesat.proofs.statement import solution_check
from puzzlesat.puzzles import build_instance, reductions, symmetry, wrap
from puzzlesat.puzzles import placements as laying
from puzzlesat.puzzles import problem as problems
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.placements import Lists, all_placements
from puzzlesat.puzzles.problem import Condition, OptionImages
from puzzlesat.puzzles.puzzle import SolutionRules
from puzzlesat.puzzles.reductions import exclusions, reduce, remove_dead
from puzzlesat.puzzles.symmetry import form_symmetries
from random_puzzles import FEATURES, SEAMS, random_puzzle
from strategies import cover_problems, large_puzzle, problem_of, to_toml
from tiers import every, in_parts, tries

WAYS = ("matrix", "masks", "sparse")


def reduce_in(way, patch, witnesses):
    """Have problems of all sizes reduced in one of the three ways, with few witnesses."""
    patch.setattr(reductions, "MAX_IN_A_MATRIX", 2500 if way == "matrix" else 0)
    patch.setattr(reductions, "FIRST_WITNESSES", witnesses)
    sparse = {"SPARSE": 1e-9, "WITNESSES": 1 + witnesses, "AT_ONCE": 40, "MAX_ITEMS": 5} if way == "sparse" else {"MAX_DOUBTS": -1}
    for name, value in sparse.items():
        patch.setattr(reductions, name, value)


def check_front(puzzle):
    """Arrays and loops give the same results in the same order; rules on solutions come later, and conditions have a separate judge."""
    puzzle = replace(puzzle, solutions=SolutionRules(), rules=())
    placements, plain = all_placements(puzzle), plain_placements(puzzle)
    assert list(placements) == plain
    assert [placements[i] for i in range(-len(plain), 0)] == plain
    assert list(placements.names) == [p.name for p in plain] == [placements.names[i] for i in range(len(plain))]
    names, images, _ = form_symmetries(puzzle, placements)
    assert len(names) == len(images) == len(set(names))
    assert images[0].tolist() == list(range(len(plain)))
    assert set(map(tuple, images.tolist())) == plain_symmetries(puzzle, plain)
    return placements


def check_problem(problem):
    """Check which options exclude each other, and which remain after the reduction."""
    exclude, plain = exclusions(problem), plain_exclusions(problem)
    rows = [np.unpackbits(exclude.of(o), count=problem.size, bitorder="little").astype(bool) for o in range(problem.size)]
    assert np.array_equal(np.array(rows, dtype=bool).reshape(plain.shape), plain)
    if len(problem.tiles):
        assert [o.tolist() for o in problem.options_of_tiles] == [problem.options_of[t].tolist() for t in problem.tiles]
    left = remove_dead(problem)
    origin = np.arange(problem.size) if left.origin is None else left.origin
    assert origin.tolist() == np.flatnonzero(plain_reduction(problem)).tolist()


def check_table(table, fixed=None):
    print(to_toml(table))  # shown where it fails
    puzzle = load(table).puzzle
    names = list(build_instance(puzzle).placements.names)
    if fixed is not None and names:
        puzzle = replace(puzzle, fixed=(names[fixed % len(names)],))
    check_front(puzzle)
    check_problem(build_instance(puzzle).problem)


def test_a_placement_is_named_by_its_lowest_square_and_the_leftmost_of_these():
    tile = {"J": {"atoms": [[1, 1], [2, 1], [3, 1], [1, 2]]}}
    puzzle = load({"title": "J", "grid": "square", "flips": False, "tiles": tile, "form": {"box": [3, 2]}}).puzzle
    assert list(all_placements(puzzle).names) == ["J.1@1.1", "J.3@3.1"]


@in_parts("feature", FEATURES, 5, fast=3)
def test_arrays_say_what_loops_say_of_each_feature(feature):
    random = Random(feature)
    for _ in range(tries(5)):
        check_table(random_puzzle(random, want=(feature,)), random.choice([None, 5]))


@pytest.mark.full
@every("part", range(8), fast=1)
def test_arrays_say_what_loops_say_where_numbers_grow(part, monkeypatch):
    monkeypatch.setattr(laying, "MAX_TOGETHER", 5)
    monkeypatch.setattr(wrap, "MAX_IN_A_BOX", -(10**12))
    monkeypatch.setattr(laying, "LARGEST_CODE", 300)
    monkeypatch.setattr(symmetry, "MAX_MOVED", 3)
    reduce_in(("masks", "sparse")[part % 2], monkeypatch, part // 2 % 3)
    random = Random(part)
    for _ in range(tries(10)):
        check_table(random_puzzle(random))


@given(problem=cover_problems(coloured_needs=True), way=st.sampled_from(WAYS), witnesses=st.integers(0, 3))
def test_cover_problems_are_reduced_as_loops_reduce_them(problem, way, witnesses):
    with pytest.MonkeyPatch.context() as patch:
        reduce_in(way, patch, witnesses)
        check_problem(problem)


@every("colour", [[0, 0, 0, 0], [0, 1, 0, 2], [0, 1, 0, 1], [0, 0, 0, 1]])
def test_an_option_without_items_excludes_nothing_and_one_without_colour_every_other(colour):
    problem = problem_of([[], [0], [], [1], [0, 1], []], [1, 1], coloured=[1] if any(colour) else [], colours=[colour])
    check_problem(problem)
    check_problem(replace(problem, coloured=np.array([False, True])))


def test_sums_are_made_list_by_list(monkeypatch):
    monkeypatch.setattr(laying, "MAX_ADDED", 2)
    lengths = [0, 3, 1, 0, 0, 2, 4]
    lists = Lists(np.concatenate([[0], np.cumsum(lengths)]), np.arange(10, dtype=np.int32)[::-1])
    weights = 3 ** np.arange(10)
    assert lists.sums(weights).tolist() == [int(weights[lists[i]].sum()) for i in range(len(lengths))]
    assert Lists(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)).sums(weights).tolist() == []


@pytest.mark.full
@every("part", range(4))
@every("way", WAYS)
def test_large_puzzles_are_reduced_as_loops_reduce_them(part, way, monkeypatch):
    reduce_in(way, monkeypatch, part)
    random = Random(part)
    for _ in range(tries(6)):
        puzzle = load(large_puzzle(random)).puzzle
        placements = all_placements(puzzle)
        if len(placements) < 400:
            assert list(placements) == plain_placements(puzzle)
            check_problem(build_instance(puzzle).problem)


@pytest.mark.full
@every("seam", SEAMS)
def test_arrays_say_what_loops_say_of_marks_across_each_seam(seam):
    random = Random(seam)
    for _ in range(tries(40)):
        check_table(random_puzzle(random, want=(seam, "marks")))


def test_a_tile_that_goes_straight_over_a_removed_crossing_has_no_place():
    table = {"title": "ring", "grid": "square-edges", "flips": True, "tiles": {"I": {"atoms": [[1, 1, "e"], [2, 1, "e"]], "copies": "any"}}}
    form = {"box": [3, 3], "wrap": [{"move": [3, 0]}, {"move": [0, 3]}]}
    for removed, places in (([], 18), ([[2, 2, "x"]], 16)):
        puzzle = load(table | {"form": form | {"remove": removed}}).puzzle
        assert len(check_front(puzzle)) == places


@pytest.mark.full
def test_what_needs_too_much_memory_is_refused_with_the_figure():
    puzzle = load_instance("bedlam").puzzle
    with pytest.raises(PuzzleError, match=r"its 4,188 placements need 0\.0\d+ GiB of memory, more than the 9\.31e-07 that may"):
        build_instance(puzzle, limits=Limits(memory=1000))
    with pytest.raises(PuzzleError, match=r"its 24 symmetries of 4,188 placements need"):
        form_symmetries(puzzle, all_placements(puzzle), limits=Limits(memory=100_000))


@pytest.mark.full
def test_what_is_too_large_is_not_reduced_and_that_is_said(monkeypatch):
    problem = build_instance(load_instance("tritetratan").puzzle).problem
    found = reduce(problem, break_on="K")
    assert (found.placements, found.after_symmetry, found.after_reduction) == (1421, 1331, 1140)
    assert found.words == "1,421; after symmetry breaking (tile K): 1,331; after reduction: 1,140"
    monkeypatch.setattr(reductions, "MAX_IN_A_MATRIX", 0)
    monkeypatch.setattr(reductions, "MAX_MASKS", 1000)
    found = reduce(problem, break_on="K")
    assert (found.problem.size, found.after_reduction) == (1331, None)
    assert found.words.endswith("1,331; not reduced, because it would take too long")


# images of solutions --------------------------------------------------------------------------------------------------------

sets_of_options = st.lists(st.sets(st.integers(0, 7), max_size=6).map(lambda own: tuple(sorted(own))), max_size=12)
groups = st.lists(st.permutations(range(8)), max_size=5).map(lambda others: [list(range(8)), *others])


@pytest.mark.parametrize("together", [1, 100, 2_000_000])
@given(sets_of_options, groups)
def test_the_least_of_all_images(together, rows, group):
    problem = SimpleNamespace(size=8, images=np.array(group, dtype=np.int32))
    solutions, images = padded_rows(rows), OptionImages(problem)
    judged = [[tuple(sorted(g[o] for o in row)) for g in group] for row in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(problems, "MAX_TOGETHER", together)
        assert [tuple(r[r >= 0].tolist()) for r in images.least(solutions)] == [min(own) for own in judged]
        assert images.are_least(solutions).tolist() == [own[0] == min(own) for own in judged]
        assert OptionImages(problem).unmoved(solutions).T.tolist() == [[image == own[0] for image in own] for own in judged]


def test_without_symmetries_each_solution_stands_for_itself():
    problem, rows = SimpleNamespace(size=4, images=None), padded_rows([(0, 2), (1, 2, 3), ()])
    images = OptionImages(problem)
    assert images.least(rows).tolist() == rows.tolist() == [[0, 2, -1], [1, 2, 3], [-1, -1, -1]]
    assert images.are_least(rows).all()
    assert OptionImages(problem).unmoved(rows).all()
    nothing = np.empty((0, 3), dtype=np.int32)
    assert images.least(nothing).shape == (0, 3)
    assert OptionImages(problem).unmoved(nothing).shape == (1, 0)


# sums that the tiles can reach, and forms of thousands of atoms --------------------------------------------------------------


def weighed(tiles, modulus):
    """A cover problem whose options are tiles, by the least and most copies of each and the weights of its options; and their condition."""
    lists = [[number] for number, (*_, weights) in enumerate(tiles) for _ in weights]
    problem = problem_of(lists, [low for low, _, _ in tiles], [high for _, high, _ in tiles], tiles=range(len(tiles)))
    return problem, Condition("c", np.array([w for *_, weights in tiles for w in weights]), 0, 0, modulus)


TILE = st.tuples(st.integers(0, 3), st.integers(0, 4), st.lists(st.integers(-3, 3), min_size=7, max_size=9))


@given(st.lists(TILE, min_size=1, max_size=3), st.integers(0, 5).filter(lambda m: m != 1))
def test_sums_are_those_of_plain_enumeration(tiles, modulus):
    tiles = [(low, low + more, weights) for low, more, weights in tiles]
    sums = {0}
    for low, high, weights in tiles:
        own = {sum(c) for n in range(low, high + 1) for c in combinations_with_replacement(sorted(set(weights)), n)}
        sums = {s + o for s in sums for o in own}
    expected = {s % modulus for s in sums} if modulus else sums
    problem, condition = weighed(tiles, modulus)
    assert problem.reachable_sums(condition).tolist() == sorted(expected)


@every(
    "tiles, modulus",
    [
        ([(0, 40_000, [-2, 2] * 20_000)], 0),
        ([(0, 36, list(range(0, 36_000, 999)))] * 6, 0),
        ([(0, 4, list(range(1, 90_000, 7)))] * 12, 99_991),
        ([(0, 1, [1, 2])], 999_999_937),
    ],
    fast=1,
)
def test_sums_that_take_long_are_left_off(tiles, modulus):
    """Each condition took seconds without a check of the time limit."""
    problem, condition = weighed(tiles, modulus)
    began = time.process_time()
    assert problem.reachable_sums(condition) is None
    assert time.process_time() - began < 0.1


@pytest.mark.full
def test_a_form_of_thousands_of_atoms_is_begun_soon():
    """A digit in place of a blank turned a triangle of side 9 into one of side 99; half a minute passed before a limit was checked."""
    tiles = {"stone": {"picture": ".⬢.\n⬢.⬢", "copies": "any"}, "bone": {"picture": "⬢.⬢.⬢", "copies": "any"}}
    built = build_instance(load({"title": "T", "grid": "hexagon", "flips": True, "tiles": tiles, "form": {"triangle": 66}}).puzzle)
    begun = time.process_time()
    solution_check(built)
    for condition in built.problem.conditions:
        built.problem.reachable_sums(condition)
    assert built.problem.conditions
    assert time.process_time() - begun < 8
