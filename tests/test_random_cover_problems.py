"""Random small cover problems, including those that no puzzle makes: every solver and every step against plain enumeration."""

from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

import puzzlesat
from brute_force import TooMuch, puzzleless_solutions
from helpers import solution_set, solve, whole_solutions
from puzzlesat.base import Limits, NotSupportedError, padded_rows
from puzzlesat.counting import AUTO, Plan, count_cover
from puzzlesat.counting.comparison import partition
from puzzlesat.formats.exact_covers import ExactCover
from puzzlesat.proofs.statement import cover_check
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.reductions import exclusions, remove_dead
from puzzlesat.solvers import AT_MOST_ONE, backtrack, encode, registry
from puzzlesat.solvers.registry import entry, listing
from search_paths import COUNTING, LISTING, answer
from strategies import cover_problems, enumerated, problem_of, some_options
from tiers import every, in_parts, tries
from try_problems import random_problem, symmetric_problem

LAYOUTS = [f"backtrack:{layout}" for layout in backtrack.LAYOUTS]
SOLVERS = [*listing(), *LAYOUTS, *(f"sat:{engine}:{code}" for engine in ("glucose4", "cadical153") for code in AT_MOST_ONE)]


@every("name", SOLVERS, fast=3)
@given(data=st.data(), problem=cover_problems())
def test_solver_finds_what_enumeration_finds(name, data, problem):
    assert solution_set(problem, name) == enumerated(problem)
    prefix = some_options(data, problem, 3)
    assert solution_set(problem, name, prefix) == enumerated(problem, prefix)


@every("name", SOLVERS, fast=3)
@given(problem=cover_problems(coloured_needs=True))
def test_a_solver_is_right_or_refuses_what_its_row_says_that_it_cannot(name, problem):
    try:
        found = solution_set(problem, name)
    except NotSupportedError:
        assert "coloured items that must be covered" in entry(name).cannot
        assert (problem.coloured & (problem.low > 0)).any()
    else:
        assert found == enumerated(problem)


@given(problem=cover_problems(), name=st.sampled_from([*listing(), *LAYOUTS]), limit=st.integers(1, 4))
def test_a_limit_on_solutions_gives_that_many_of_them(problem, name, limit):
    expected = enumerated(problem)
    rows, outcome = solve(problem, name, limits=Limits(solutions=limit))
    assert set(rows) <= expected
    assert len(set(rows)) == len(rows) == min(limit, len(expected))
    if len(expected) > limit:
        assert outcome.status == "limit reached"
        assert not outcome.complete


@given(problem=cover_problems(coloured_needs=True), code=st.sampled_from(sorted(AT_MOST_ONE)), data=st.data())
def test_formula_has_as_many_models_as_the_problem_has_solutions(problem, code, data):
    prefix = some_options(data, problem, 3)
    expected = enumerated(problem, prefix)
    assume(len(expected) <= 400)
    cnf = encode(problem, encoding=code, given=prefix)
    models = [] if not all(cnf.clauses) else list(_models(cnf))
    assert {tuple(v - 1 for v in m[: problem.size] if v > 0) for m in models} == expected
    assert len(models) == len(expected)


def _models(cnf):
    """All models over all variables, including variables in no clause."""
    every = range(1, cnf.variables + 1)
    with Solver(name="minisat22", bootstrap_with=[*cnf.clauses, *([v, -v] for v in every)]) as solver:
        while solver.solve():
            values = set(solver.get_model())
            model = [v if v in values else -v for v in every]
            yield model
            if not model:
                return
            solver.add_clause([-v for v in model])


@given(problem=cover_problems(coloured_needs=True))
def test_removal_of_dead_options_changes_no_solution(problem):
    reduced = remove_dead(problem)
    assert whole_solutions(reduced, "sat") == enumerated(problem)
    assert enumerated(reduced) == {tuple(_number(reduced, o) for o in s) for s in enumerated(problem)}


def _number(reduced, option):
    return option if reduced.origin is None else reduced.origin.tolist().index(option)


@given(problem=cover_problems(), parts=st.integers(2, 8), name=st.sampled_from([*listing(), *LAYOUTS]))
def test_the_parts_together_have_every_solution_once(problem, parts, name):
    found = [s for prefix in partition(problem, parts) for s in solution_set(problem, name, prefix)]
    assert sorted(found) == sorted(enumerated(problem))


@given(problem=cover_problems(coloured_needs=True))
def test_conflicts_are_the_pairs_that_no_cover_can_hold(problem):
    n = problem.size
    exclude = exclusions(problem)
    matrix = np.array([exclude.of(o) for o in range(n)])
    free = replace(problem, low=problem.low * 0, conditions=(), forced=())
    pairs = {s for s in enumerated(free) if len(s) == 2} if n <= 12 else set()
    for a in range(n):
        for b in range(a + 1, n):
            excluded = bool(matrix[a, b // 8] >> (b % 8) & 1)
            assert excluded == bool(matrix[b, a // 8] >> (a % 8) & 1)
            if problem.high[problem.items_of(a)].all() and problem.high[problem.items_of(b)].all():  # otherwise it is in no cover
                assert excluded == ((a, b) not in pairs)
        assert not matrix[a, a // 8] >> (a % 8) & 1


@given(problem=cover_problems())
def test_longest_is_a_bound_and_antichain_is_true_only_of_antichains(problem):
    solutions = enumerated(problem)
    assert all(len(s) <= problem.longest for s in solutions)
    if problem.antichain:
        sets = [set(s) for s in solutions]
        assert not any(a < b for a in sets for b in sets)


# counts of cover problems without a puzzle ------------------------------------------------------------------------------------


@given(problem=cover_problems(coloured_needs=True), data=st.data())
def test_the_check_of_solutions(problem, data):
    solutions = sorted(enumerated(problem))
    check = cover_check(problem)
    assert check(padded_rows(solutions)) is None
    subset = tuple(sorted(data.draw(st.sets(st.integers(0, problem.size - 1))))) if problem.size else ()
    assert (check(padded_rows([*solutions, subset])) is None) == (subset in solutions)


@pytest.mark.full
@settings(max_examples=15)
@given(problem=cover_problems(coloured_needs=True))
def test_every_solver_counts_or_refuses(problem):
    solutions = enumerated(problem)
    report = count_cover(ExactCover("random", problem, ()), Plan(solvers=(AUTO, *registry.SOLVERS), full=True))
    assert (report.complete, report.found) == (True, len(solutions))
    assert report.agree is not False
    assert report.agree is True or "backtrack" in [row.solver for row in report.rows if row.refusal is not None]


def test_a_search_that_had_all_the_time_there_is_ends_the_count():
    """The next solver gets no time beyond the limit."""
    problem = build_instance(puzzlesat.load("octogram").puzzle).problem
    report = count_cover(ExactCover("octogram", problem, ()), Plan(limits=Limits(seconds=0.01)))
    assert [(row.solver, row.status) for row in report.rows] == [("backtrack", "limit reached")]


def test_a_solver_that_errs_is_found_out(monkeypatch):
    """A solver that misses a solution contradicts the first solver. False solutions are found by the check of solutions."""
    real = backtrack.solve

    def wrong(problem, on_solutions, limits, *args, **keys):
        return real(problem, lambda rows: on_solutions(np.where(rows == 3, 2, rows)), limits, *args, **keys)

    monkeypatch.setattr(backtrack, "solve", wrong)
    report = count_cover(ExactCover("spoilt", problem_of([[0], [0], [1], [1]], [1, 1]), ()), Plan(solvers=("backtrack", "sat")))
    assert report.agree is False
    assert {d.solver for d in report.disagreements} >= {"sat"}


# every way to search a cover problem, on problems that most ways support ---------------------------------------------


@cache
def with_solutions(make, seed):
    """A problem with its solutions, enumerated once for all ways; None if it is too large for the judge."""
    problem = make(Random(seed))
    try:
        return problem, set(puzzleless_solutions(problem))
    except TooMuch:
        return problem, None


@in_parts("name", [*LISTING, *COUNTING], 4, fast=6)
def test_a_way_finds_what_enumeration_finds(name):
    answered, most = 0, tries(200)
    for seed in range(most):
        problem, expected = with_solutions(random_problem, seed)
        found = answer(name, problem)
        if found is not None:
            assert expected is not None, f"seed {seed}"
            assert found == (expected if name in LISTING else len(expected)), f"seed {seed}"
            answered += 1
    assert answered > most / 8


@in_parts("name", COUNTING, 4, fast=3)
def test_a_way_counts_what_enumeration_finds_where_there_are_symmetries(name):
    answered, most = 0, tries(140)
    for seed in range(most):
        problem, expected = with_solutions(symmetric_problem, seed)
        found = answer(name, problem)
        if found is not None and expected is not None:
            assert found == len(expected), f"seed {seed}"
            answered += 1
    assert answered > most / 8
