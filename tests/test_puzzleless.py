"""Cover problems without a puzzle: count them, check the counts, and check every solution against the items."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlesat
from puzzlesat.base.limits import Limits
from puzzlesat.counting.cover_problem import count_cover
from puzzlesat.counting.plan import AUTO, Plan
from puzzlesat.formats.exact_covers import ExactCover
from puzzlesat.proofs.solution_checks import cover_check
from puzzlesat.puzzles.building import build_instance
from puzzlesat.solvers.registry import SOLVERS
from strategies import cover_problems, enumerated, problem_of


def rows_of(solutions):
    width = max(map(len, solutions), default=1) or 1
    return np.array([[*s, *[-1] * (width - len(s))] for s in solutions], dtype=np.int32).reshape(-1, width)


@given(problem=cover_problems(coloured_needs=True), data=st.data())
def test_the_check_of_solutions(problem, data):
    solutions = sorted(enumerated(problem))
    check = cover_check(problem)
    assert check(rows_of(solutions)) is None
    subset = tuple(sorted(data.draw(st.sets(st.integers(0, problem.size - 1))))) if problem.size else ()
    assert (check(rows_of([*solutions, subset])) is None) == (subset in solutions)


@pytest.mark.full
@settings(max_examples=15)
@given(problem=cover_problems(coloured_needs=True))
def test_counts(problem):
    solutions = enumerated(problem)
    report = count_cover(ExactCover("random", problem, ()), Plan(solvers=(AUTO, *SOLVERS), full=True))
    assert (report.complete, report.found) == (True, len(solutions))
    assert report.agree is not False
    assert report.agree is True or "backtrack" in [row.solver for row in report.rows if row.refusal is not None]


def exact_cover(n):
    """n items, and two options that cover each."""
    return problem_of([[k // 2] for k in range(2 * n)], [1] * n)


@pytest.mark.full
def test_a_count_that_ends_early_is_none():
    report = count_cover(ExactCover("many", exact_cover(12), ()), Plan(solvers=("backtrack", "sat"), limits=Limits(solutions=7)))
    assert (report.complete, report.agree) == (False, None)
    assert len(report.rows) == 1
    report = count_cover(ExactCover("many", exact_cover(12), ()), Plan(solvers=("backtrack", "sat"), budget=30))
    assert (report.found, report.agree) == (4096, True)


def test_a_search_that_had_all_the_time_there_is_ends_the_count():
    """The next solver gets no time beyond the limit."""
    problem = build_instance(puzzlesat.load("octogram").puzzle).problem
    report = count_cover(ExactCover("octogram", problem, ()), Plan(limits=Limits(seconds=0.01)))
    assert [(row.solver, row.status) for row in report.rows] == [("backtrack", "limit reached")]


def test_a_solver_that_errs_is_found_out(monkeypatch):
    """A solver that misses a solution contradicts the first solver; one with false solutions is found by the check alone."""
    from puzzlesat.solvers import backtrack

    real = backtrack.solve

    def wrong(problem, on_solutions, limits, *args, **keys):
        return real(problem, lambda rows: on_solutions(np.where(rows == 3, 2, rows)), limits, *args, **keys)

    monkeypatch.setattr(backtrack, "solve", wrong)
    report = count_cover(ExactCover("spoilt", exact_cover(2), ()), Plan(solvers=("backtrack", "sat")))
    assert report.agree is False
    assert {d.solver for d in report.disagreements} >= {"sat"}
