"""The re-check on the geometry accepts exactly the solutions, and rejects mutated ones."""

import tracemalloc
from dataclasses import replace
from itertools import islice, product

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from helpers import load, solution_set
from puzzlesat.base.errors import NotSupportedError
from puzzlesat.base.limits import Limits
from puzzlesat.checker.values import TooLarge
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.listing import solutions
from puzzlesat.counting.plan import Plan
from puzzlesat.counting.verdict import Judgement
from puzzlesat.proofs import solution_checks
from puzzlesat.proofs.solution_checks import cover_check, solution_check
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.studies.settle import wrong_solution
from strategies import puzzles
from test_random_puzzles import fixed_numbers, judged_and_built
from tiers import every


def as_row(options):
    return np.array([sorted(options) or [-1]], dtype=np.int32)


@given(table=puzzles(flat=False, ruled=True), fixed=fixed_numbers, data=st.data())
def test_recheck_accepts_solutions_and_nothing_else(table, fixed, data):
    judged, built = judged_and_built(table, fixed)
    assume(judged.all)
    found = solution_set(built.problem)
    recheck = solution_check(built)
    assert all(recheck(as_row(s)) is None for s in found)
    solution = data.draw(st.sampled_from(sorted(found)))
    placement = st.integers(0, len(built.placements) - 1)
    dropped = data.draw(st.sets(st.sampled_from(solution), max_size=2)) if solution else set()
    added = data.draw(st.sets(placement, max_size=2)) if built.placements else set()
    mutated = tuple(sorted((set(solution) - dropped) | added))
    note(f"{solution} became {mutated}")
    assert (recheck(as_row(mutated)) is None) == (mutated in found)


@pytest.mark.full
@given(table=puzzles(flat=False, ruled=True), data=st.data())
def test_a_placement_used_twice_is_rejected(table, data):
    judged, built = judged_and_built(table)
    assume(judged.all)
    solution = data.draw(st.sampled_from(sorted(solution_set(built.problem))))
    assume(solution)
    recheck = solution_check(built)
    assert "overlap" in recheck(as_row([*solution, solution[0]]))


DOMINOES = {
    "title": "t", "grid": "square", "flips": True, "tiles": {"D": {"picture": "██", "copies": "any"}}, "form": {"box": [16, 16]},
}  # fmt: skip


@pytest.mark.full
@every("make, rules", product(["geometry", "cover"], [{}, {"solutions": {"no_crossroads": True}}, {"solutions": {"fault_free": True}}]))
def test_many_large_solutions_take_little_memory(make, rules):
    """An array of solutions times placements times atoms once took 20 GiB for dominoes in 40x40."""
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
    """Make all puzzles exceed a limit of the checker."""

    def refuse(*_arguments, **_options):
        raise TooLarge("it has too many atoms")

    monkeypatch.setattr(solution_checks, "read_puzzle", refuse)


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
    """The verdict on a printed solution is "not known"; lists have no such verdict, so they are refused."""
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
