"""Solutions by number and at random: every number once, equal chances, and the same results on all machines."""

from collections import Counter
from dataclasses import replace
from itertools import islice
from math import sqrt
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puzzlesat
from helpers import load, solution_set
from puzzlesat.base import ContradictionError, Limits, NotSupportedError, Outcome, PuzzleError, padded_rows
from puzzlesat.counting import listing as numbering
from puzzlesat.counting.listing import Numbered, number_solutions, random_solutions, solutions
from puzzlesat.proofs.statement import solution_check
from puzzlesat.puzzles.building import build_instance
from puzzlesat.solvers.tile_choice import item_to_break
from strategies import cover_problems, puzzles, some_options
from tiers import every

LISTED = ["absolut-knifflig", "dominoes-4x4", "pentominoes-3x20", "domino-and-square-3x2"]


def chi_square(counts, classes):
    """Return how far draws are from equal probabilities, in standard deviations (Wilson and Hilferty, 1931)."""
    assert len(counts) <= classes
    expected = sum(counts.values()) / classes
    value = sum((n - expected) ** 2 for n in counts.values()) / expected + (classes - len(counts)) * expected
    freedom = classes - 1
    return ((value / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / sqrt(2 / (9 * freedom))


def classes_of(problem, rows):
    return {tuple(row) for row in problem.option_images.least(padded_rows(sorted(rows))).tolist()}


@every("name", LISTED, fast=1)
def test_every_number_is_one_solution_and_every_solution_has_one(name):
    everything = {s.options for s in puzzlesat.solve(name)}
    found = list(puzzlesat.solve(name, nth=range(1, len(everything) + 1)))
    assert [s.number for s in found] == list(range(1, len(everything) + 1))
    assert {s.of for s in found} == {len(everything)}
    assert {s.options for s in found} == everything


@pytest.mark.full
@every(("name", "given"), [("dominoes-4x4", []), ("absolut-knifflig", []), ("dominoes-4x4", ["D.1@2.2"])], fast=1)
def test_draws_have_equal_chances(name, given):
    problem = puzzlesat.load(name)
    all_of_them = len(list(puzzlesat.solve(problem, given=given)))
    drawn = Counter(s.options for s in puzzlesat.solve(problem, random=40 * all_of_them, seed=1, given=given))
    assert len(drawn) == all_of_them
    assert abs(chi_square(drawn, all_of_them)) < 4


@pytest.mark.full
@every("given", [[], ["D.1@1.1"], ["D.2@1.1", "D.2@4.3"]])
def test_draws_up_to_symmetry_have_equal_chances(given):
    """Classes of dominoes on 4 x 4 have from one to eight solutions."""
    found = [s.options for s in puzzlesat.solve("dominoes-4x4", given=given)]
    problem = build_instance(puzzlesat.load("dominoes-4x4")).problem
    classes = classes_of(problem, found)
    drawn = Counter(s.options for s in puzzlesat.solve("dominoes-4x4", random=100 * len(classes), seed=2, distinct=True, given=given))
    assert set(drawn) == {s.options for s in puzzlesat.solve("dominoes-4x4", distinct=True, given=given)}
    assert set(drawn) <= set(found)
    assert classes_of(problem, drawn) == classes
    assert len(drawn) == len(classes)
    assert abs(chi_square(drawn, len(classes))) < 4


@pytest.mark.full
def test_the_order_is_fixed_and_a_seed_draws_the_same_for_ever():
    (solution,) = puzzlesat.solve("pentominoes-6x10", nth=4711)
    assert " ".join(solution.names) == ("F.7@4.2 I.1@2.1 L.3@10.3 N.2@9.2 P.7@8.4 T.2@1.1 U.3@1.5 V.3@7.4 W.1@6.2 X.1@2.3 Y.6@7.1 Z.6@6.4")
    numbers = [s.number for s in puzzlesat.solve("dominoes-8x8", random=4, seed=12345)]
    assert numbers == [s.number for s in islice(puzzlesat.solve("dominoes-8x8", random=9, seed=12345), 4)]
    assert numbers == [6_989_722, 12_292_420, 170_611, 5_010_346]
    assert len({tuple(s.number for s in puzzlesat.solve("dominoes-8x8", random=3)) for _ in range(4)}) == 4


def test_a_number_below_a_bound_has_equal_chances_for_every_bound():
    for bound in (1, 2, 3, 5, 8, 13, 2**64, 10**30):
        random = Random(bound)
        draws = [numbering._below(random, bound) for _ in range(2000)]
        assert all(0 <= n < bound for n in draws)
        parts = min(bound, 8)
        if parts > 1 and bound in (2, 3, 5, 8, 2**64, 10**30):
            assert abs(chi_square(Counter(n * parts // bound for n in draws), parts)) < 4


def built_and_chosen(table, data):
    """A random puzzle, built, and up to two of its options that solutions must contain."""
    try:
        built = build_instance(load(table))
    except PuzzleError:
        assume(False)
    return built, some_options(data, built.problem)


@pytest.mark.full
@given(table=puzzles(flat=False), data=st.data())
def test_random_puzzles_by_their_numbers(table, data):
    built, chosen = built_and_chosen(table, data)
    expected = solution_set(built.problem, given=chosen)
    ways = [number_solutions(built, name, Limits(), chosen) for name in (None, "backtrack", "sat")]
    lists = [[way.solution(number) for number in range(1, way.count + 1)] for way in ways]
    assert lists[0] == lists[1] == lists[2]
    assert set(lists[0]) == expected
    assert len(lists[0]) == len(expected)


@given(problem=cover_problems(coloured_needs=True))
def test_random_cover_problems_by_their_numbers(problem):
    """If both the tally and the backtracker refuse, the next solver lists them."""
    solutions = number_solutions(problem, None, Limits(), ())
    found = [solutions.solution(number) for number in range(1, solutions.count + 1)]
    assert set(found) == solution_set(problem, "sat")
    assert len(found) == len(set(found))


@pytest.mark.full
@given(table=puzzles(flat=False), data=st.data())
def test_one_of_each_class_of_those_with_a_placement(table, data):
    """This holds even if the least image of a solution lacks the given placements; the class was once missing then."""
    built, chosen = built_and_chosen(table, data)
    given_names = [built.problem.options[o] for o in chosen]
    found = solution_set(built.problem, given=chosen)
    kept = [s.options for s in puzzlesat.solve(built.instance, given=given_names, distinct=True)]
    classes = classes_of(built.problem, found) if found else set()
    assert set(kept) <= found
    assert len(kept) == len(classes)
    assert (classes_of(built.problem, kept) if kept else set()) == classes


@every(
    "name",
    ["diabolical-cube", "hexiamonds-x", "hexiamonds-trefoil", "instant-insanity", "langford-7", "absolut-knifflig"],
    fast=("absolut-knifflig",),
)
def test_the_least_image_of_each_class_comes_once(name, monkeypatch):
    monkeypatch.setattr(numbering, "SMALL", 0)
    built = build_instance(puzzlesat.load(name))
    assert item_to_break(built.problem) is not None
    every = padded_rows([*solutions(built, "backtrack", Limits())])
    least = every[built.problem.option_images.are_least(every)]
    found = [*solutions(built, "backtrack", Limits(), distinct=True)]
    assert sorted(found) == sorted(tuple(row[row >= 0].tolist()) for row in least)


def test_a_wrong_solution_is_never_handed_over():
    built = build_instance(puzzlesat.load("dominoes-4x4"))
    good = next(iter(solution_set(built.problem)))
    broken = Numbered(Outcome("tally", 1, "complete", 0.0, {}), lambda number: good[:-1], solution_check(built), built.problem)
    with pytest.raises(ContradictionError, match="tally found a solution that fails"):
        broken.solution(1)
    with pytest.raises(ContradictionError):
        next(random_solutions(broken, 1))


@pytest.mark.full
def test_a_list_that_is_not_finished_has_no_numbers():
    """With broken symmetry, a truncated list has too few images, which is not an internal error."""
    built = build_instance(puzzlesat.load("pentominoes-6x10"))
    stopped = number_solutions(built, "sat", Limits(seconds=0.3), ())
    assert (stopped.outcome.status, stopped.count) == ("limit reached", 0)


def test_too_many_to_put_in_order_are_refused(monkeypatch):
    monkeypatch.setattr(numbering, "MAX_ORDERED", 100)
    assert len(list(puzzlesat.solve("dominoes-4x4", nth=[1, 36], solver="backtrack"))) == 2
    with pytest.raises(NotSupportedError, match="backtrack: there are more than 100 solutions, too many to list and put in order"):
        next(puzzlesat.solve("absolut-knifflig", nth=1, solver="backtrack"))


@every(
    ("wish", "said"),
    [
        ({"nth": 0}, "there is no solution 0: dominoes-4x4 has 36 solutions, counted from 1"),
        ({"nth": [1, 37, 10**30]}, f"there is no solution 37, {10**30}: dominoes-4x4 has 36 solutions"),
        ({"random": 0}, "expected a number of solutions, 1 or more, got 0"),
        ({"random": 1, "seconds": 0}, "seconds: 0 leaves nothing"),
        ({"random": 1, "seconds": 1e-9}, "dominoes-4x4: limit reached before the solutions were counted"),
    ],
)
def test_wishes_that_cannot_be_met(wish, said):
    with pytest.raises(PuzzleError, match=said.replace("(", r"\(")):
        list(puzzlesat.solve("dominoes-4x4", **wish))


def test_draws_where_there_is_no_solution():
    assert list(puzzlesat.solve("dominoes-4x4", random=3, given=["D.1@1.1", "D.2@1.1"])) == []
    assert list(puzzlesat.solve("dominoes-4x4", random=3, distinct=True, given=["D.1@1.1", "D.2@1.1"])) == []
    assert list(puzzlesat.solve("dominoes-4x4", nth=[])) == []


@pytest.mark.full
def test_numbers_beyond_64_bits(tmp_path):
    """Dominoes on 16 x 16: the first solution, the last, and draws; the count equals Kasteleyn's formula."""
    file = tmp_path / "many.toml"
    file.write_text('title = "T"\nmodel = "dominoes"\n[form]\nbox = [16, 16]\n', encoding="utf-8")
    count = 2444888770250892795802079170816
    first, last = puzzlesat.solve(file, nth=[1, count])
    assert first.of == last.of == count
    assert first.options != last.options
    drawn = [s.number for s in puzzlesat.solve(file, random=200, seed=4)]
    assert abs(chi_square(Counter(10 * n // (count + 1) for n in drawn), 10)) < 4
    with pytest.raises(PuzzleError, match=r"has 2,444,888,770,250,892,795,802,079,170,816 solutions"):
        list(puzzlesat.solve(file, nth=count + 1))


@pytest.mark.full
def test_where_the_tally_lacks_memory_nobody_lists_for_hours(monkeypatch):
    """One-sided pentominoes in 9x10 with 3 GiB were once refused after a minute, or listed endlessly."""
    asked = []
    find = numbering._numbered

    def counted(problem, name, limits, given, progress):
        asked.append((name, limits.seconds))
        if name == "backtrack":
            return Outcome(name, 7, "limit reached", 0.0, {}), lambda number: ()
        return find(problem, name, replace(limits, memory=1 << 20, shapes=None), given, progress)

    monkeypatch.setattr(numbering, "_numbered", counted)
    problem = build_instance(puzzlesat.load("solid-pentominoes-3x4x5")).problem
    with pytest.raises(NotSupportedError, match="allow more with --memory"):
        numbering.number_solutions(problem, None, Limits(), ())
    assert asked == [("tally", 60), ("backtrack", 10), ("tally", None)]
