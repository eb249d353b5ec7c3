"""Random small puzzles on every grid: the whole way from the file to the counts, and the re-check, against plain enumeration."""

import tracemalloc
from dataclasses import replace
from itertools import combinations, islice, product
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from brute_force import TooMuch
from compare import as_judged, check_counts, check_everything
from compare import judged_and_built as judged_and_built_table
from helpers import load, solution_set, whole_solutions
from puzzlesat.base import Limits, NotSupportedError, padded_rows
from puzzlesat.checker.values import TooLarge
from puzzlesat.counting import Judgement, solutions, wrong_solution
from puzzlesat.counting.crosscheck import Plan, count
from puzzlesat.proofs import statement
from puzzlesat.proofs.statement import cover_check, solution_check
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.reductions import reduce, remove_dead
from puzzlesat.solvers import SOLVERS, backtrack, listing
from random_puzzles import FEATURES, features, possible, random_puzzle
from strategies import GRIDS, puzzles, to_toml
from tiers import every, in_parts

LAYOUTS = [f"backtrack:{layout}" for layout in backtrack.LAYOUTS]
CHECKERS = [*listing(), *LAYOUTS, "sat:cadical153:sequential", "sat:glucose4:binary", "sat:minisat22:commander"]


def judged_and_built(table, fixed_number=None):
    """Return the judge's result and the program's puzzle for a table, perhaps with one placement fixed."""
    note(to_toml(table))
    try:
        return judged_and_built_table(table, fixed_number)
    except TooMuch:
        assume(False)


fixed_numbers = st.one_of(st.none(), st.none(), st.integers(0, 1000))


@in_parts("grid", GRIDS, 4)
@given(data=st.data(), fixed=fixed_numbers)
def test_counts_from_the_file_are_those_of_plain_enumeration(grid, data, fixed):
    judged, built = judged_and_built(data.draw(puzzles(grid, flat=False, ruled=True)), fixed)
    assert len(built.placements) == judged.placements
    found = solution_set(built.problem)
    assert as_judged(judged, built, found) == judged.solutions
    for symmetry in (False, True):
        for dead in (False, True):
            for item in (built.instance.break_on, *(built.problem.items[a] for a in built.problem.breaking_atoms() if symmetry)):
                reduced = reduce(built.problem, symmetry=symmetry, dead=dead, break_on=item)
                assert reduced.after_reduction <= reduced.after_symmetry <= reduced.placements == len(built.placements)
                check_counts(judged, built, reduced.problem)


@given(table=puzzles(flat=False, ruled=True), fixed=fixed_numbers)
def test_everything_that_counts_says_what_enumeration_says(table, fixed):
    """A short version of ``tests/try_puzzles.py``, which runs for hours."""
    note(to_toml(table))
    try:
        check_everything(table, fixed)
    except TooMuch:
        assume(False)


@given(table=puzzles(flat=False, ruled=True), fixed=fixed_numbers, checker=st.sampled_from(CHECKERS))
def test_solvers_find_the_same_sets_of_solutions(table, fixed, checker):
    judged, built = judged_and_built(table, fixed)
    assert as_judged(judged, built, solution_set(built.problem, checker)) == judged.solutions
    plain = built.problem.without_implied()
    assert solution_set(plain) == solution_set(built.problem) == solution_set(plain, checker)
    for problem in (built.problem, plain):
        broken = reduce(problem, dead=False, break_on=built.instance.break_on).problem
        reduced = reduce(problem, break_on=built.instance.break_on).problem
        expected = whole_solutions(broken)
        assert whole_solutions(broken, checker) == expected
        assert whole_solutions(reduced, checker) == whole_solutions(reduced) == expected
        assert whole_solutions(remove_dead(problem)) == whole_solutions(problem)


@given(table=puzzles(ruled=True), fixed=fixed_numbers)
def test_cross_check_agrees_with_itself_and_with_enumeration(table, fixed):
    judged, built = judged_and_built(table, fixed)
    report = count(built.puzzle, Plan(solvers=tuple(SOLVERS), transformed=True))
    assert not report.disagreements
    assert report.agree
    assert report.counts.all == judged.all
    assert built.puzzle.grid.of_balls or report.counts.distinct == judged.distinct


# pairs of features ---------------------------------------------------------------------------------------------------------

PAIRS = frozenset(pair for pair in combinations(sorted(FEATURES), 2) if possible(*pair))
"""The table of pairs of features."""
TRIES = 100
"""Many times the average number of tries that the rarest pair needs."""


def pairs_of(puzzle):
    return frozenset(combinations(sorted(features(puzzle)), 2))


def test_every_feature_goes_together_with_most_others():
    for feature in FEATURES:
        assert sum(feature in pair for pair in PAIRS) > len(FEATURES) // 2


@every("step", [1, 400], fast=("400",))
def test_each_pair_occurs_when_it_is_wanted(step):
    """Ask for each missing pair: it comes within a few tries. Pairs declared impossible never come."""
    random = Random(2026)
    missing = set(sorted(PAIRS)[::step])
    while missing:
        pair = min(missing)
        for _ in range(TRIES):
            seen = pairs_of(random_puzzle(random, want=pair))
            assert seen <= PAIRS, seen - PAIRS
            missing -= seen
            if pair in seen:
                break
        assert pair not in missing, pair


# the re-check on the geometry accepts exactly the solutions ------------------------------------------------------------------


@given(table=puzzles(flat=False, ruled=True), fixed=fixed_numbers, data=st.data())
def test_recheck_accepts_solutions_and_nothing_else(table, fixed, data):
    judged, built = judged_and_built(table, fixed)
    assume(judged.all)
    found = solution_set(built.problem)
    recheck = solution_check(built)
    assert all(recheck(padded_rows([s])) is None for s in found)
    solution = data.draw(st.sampled_from(sorted(found)))
    placement = st.integers(0, len(built.placements) - 1)
    dropped = data.draw(st.sets(st.sampled_from(solution), max_size=2)) if solution else set()
    added = data.draw(st.sets(placement, max_size=2)) if built.placements else set()
    mutated = tuple(sorted((set(solution) - dropped) | added))
    note(f"{solution} became {mutated}")
    assert (recheck(padded_rows([mutated])) is None) == (mutated in found)


DOMINOES = {
    "title": "t", "grid": "square", "flips": True, "tiles": {"D": {"picture": "██", "copies": "any"}}, "form": {"box": [16, 16]},
}  # fmt: skip


@pytest.mark.full
@every("make, rules", product(["geometry", "cover"], [{}, {"solutions": {"no_crossroads": True}}, {"solutions": {"fault_free": True}}]))
def test_many_large_solutions_take_little_memory(make, rules):
    """One array of solutions times placements times atoms took 20 GiB for dominoes in 40x40."""
    built = build_instance(load({**DOMINOES, **rules}))
    rows_of_form = np.array([[o for o in range(len(built.placements)) if _lies(built, o)]], dtype=np.int32)
    recheck = solution_check(built) if make == "geometry" else cover_check(built.problem)
    one = recheck(rows_of_form)
    assert (one is None) == (not rules)
    many = np.repeat(rows_of_form, 4096, axis=0)
    bad = many.copy()
    bad[-1, 0] = bad[-1, 1]
    tracemalloc.start()
    assert recheck(many) == one
    assert tracemalloc.get_traced_memory()[1] < 160 << 20
    tracemalloc.stop()
    assert recheck(bad) is not None
    assert recheck(bad[:-1]) == one


def _lies(built, option):
    """Return whether a domino lies in a row of the form and begins at an even place of it."""
    (x, y, *_), (other, last, *_) = sorted(built.placements[option].atoms)
    return min(x, other) % 2 == built.puzzle.form.required[0][0] % 2 and y == last


@pytest.fixture
def too_large(monkeypatch):

    def refuse(*_arguments, **_options):
        raise TooLarge("it has too many atoms")

    monkeypatch.setattr(statement.checker, "read_puzzle", refuse)


@every("solvers", [("backtrack", "sat"), ("auto", "sat"), ("backtrack",)], fast=3)
def test_a_puzzle_beyond_the_limits_of_the_checker_is_counted_and_its_solutions_are_not_checked(too_large, solvers):
    report = count(load_instance("dominoes-4x4"), Plan(solvers=solvers))
    assert (report.counts.all, report.agree) == (36, True if "sat" in solvers else None)
    assert report.unchecked == "the puzzle is too large for the checker: it has too many atoms"
    assert "solutions were not checked against the geometry" in report.sentence
    words = report.confirmation.words
    assert not any("re-checked" in sentence for sentence in words)
    assert not words or f"solutions were not checked against the geometry: {report.unchecked}" in words


def test_what_the_checker_cannot_check_is_no_solution_and_no_error(too_large):
    """The verdict on a printed solution is not known; a list, which could not say so, is refused."""
    instance = load_instance("dominoes-4x4")
    built = build_instance(instance)
    (solution,) = islice(solutions(built.problem, "backtrack", Limits()), 1)
    names = [built.problem.options[o] for o in solution]
    report = count(replace(instance, expect=instance.expect.model_copy(update={"solution": names})), Plan(solvers=("backtrack",)))
    assert Judgement(report).verdicts[-1].word == "not known"
    reasons = []
    assert wrong_solution(built, names, reasons.append) is None
    assert reasons == [report.unchecked]
    with pytest.raises(NotSupportedError, match="solutions cannot be checked, because the puzzle is too large for the checker"):
        next(solutions(built, "backtrack", Limits()))
