"""Random small puzzles on every grid: the whole way from the file to the counts against plain enumeration."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from brute_force import TooMuch, judge
from helpers import body, load, solution_set, whole_solutions
from puzzlesat.counts import SolutionCounter
from puzzlesat.cover.build import build
from puzzlesat.cover.reduce import reduce, remove_dead
from puzzlesat.crosscheck import Plan, count
from puzzlesat.puzzle.transformed import transformed_copy
from puzzlesat.solvers.registry import solver
from puzzlesat.solvers.run import Limits
from strategies import GRIDS, puzzles, to_toml

CHECKERS = ["sat", "sat:cadical153:sequential", "sat:glucose4:binary", "sat:minisat22:commander", "cpsat"]


def judged_and_built(table, fixed_number=None):
    """Let the judge and the program have their say on a table, perhaps with one placement fixed."""
    note(to_toml(table))
    try:
        judged = judge(table)
    except TooMuch:
        assume(False)
    built = build(load(table))
    if fixed_number is not None and built.placements:
        chosen = built.placements[fixed_number % len(built.placements)]
        note(f"fixed: {chosen.name}")
        table = {**table, "form": {**table["form"], "fixed": [chosen.name]}}
        name = built.puzzle.tiles[chosen.tile].name
        judged = judge(table, [(name, body(built.puzzle.grid, chosen))])
        built = build(load(table))
    return judged, built


def as_judged(judged, built, solutions):
    """The program's solutions as the judge writes them."""
    piece = {name: i for i, p in enumerate(judged.pieces) for name in p.names}
    tiles = built.puzzle.tiles
    seen = [(piece[tiles[p.tile].name], *body(built.puzzle.grid, p)) for p in built.placements]
    return {frozenset(seen[o] for o in s) for s in solutions}


def check_counts(judged, built, reduced, name="backtrack"):
    """Count by the stream of solutions of a reduced problem, and compare every number."""
    counter = SolutionCounter(built, reduced)
    solver(name)(reduced)(counter.add, Limits())
    counts = counter.counts()
    assert counter.burnside()
    assert counts.all == judged.all
    assert counts.labelled == judged.labelled
    assert counts.distinct == judged.distinct
    assert sorted(counts.fixed.values()) == judged.fixed
    if judged.labelled_distinct is not None or judged.labelled is None:
        assert counts.labelled_distinct == judged.labelled_distinct
    assert counts.split == judged.split
    assert counts.split_labelled == judged.split_labelled


fixed_numbers = st.one_of(st.none(), st.none(), st.integers(0, 1000))


@pytest.mark.parametrize("grid", GRIDS)
@given(data=st.data(), fixed=fixed_numbers)
def test_counts_from_the_file_are_those_of_plain_enumeration(grid, data, fixed):
    judged, built = judged_and_built(data.draw(puzzles(grid)), fixed)
    assert len(built.placements) == judged.placements
    found = solution_set(built.problem)
    assert as_judged(judged, built, found) == judged.solutions
    for symmetry in (False, True):
        for dead in (False, True):
            reduced = reduce(built.problem, symmetry=symmetry, dead=dead, break_on=built.puzzle.break_on)
            assert reduced.after_reduction <= reduced.after_symmetry <= reduced.placements == len(built.placements)
            check_counts(judged, built, reduced.problem)


@given(table=puzzles(), fixed=fixed_numbers, checker=st.sampled_from(CHECKERS))
def test_solvers_find_the_same_sets_of_solutions(table, fixed, checker):
    judged, built = judged_and_built(table, fixed)
    assert as_judged(judged, built, solution_set(built.problem, checker)) == judged.solutions
    plain = built.problem.without_implied()
    assert solution_set(plain) == solution_set(built.problem) == solution_set(plain, checker)
    for problem in (built.problem, plain):
        broken = reduce(problem, dead=False, break_on=built.puzzle.break_on).problem
        reduced = reduce(problem, break_on=built.puzzle.break_on).problem
        expected = whole_solutions(broken)
        assert whole_solutions(broken, checker) == expected
        assert whole_solutions(reduced, checker) == whole_solutions(reduced) == expected
        assert whole_solutions(remove_dead(problem)) == whole_solutions(problem)


@given(table=puzzles(), fixed=fixed_numbers)
def test_cross_check_agrees_with_itself_and_with_enumeration(table, fixed):
    judged, built = judged_and_built(table, fixed)
    report = count(built.puzzle, Plan(solvers=("backtrack", "sat"), transformed=True))
    assert not report.disagreements
    assert report.agree
    assert (report.counts.all, report.counts.distinct) == (judged.all, judged.distinct)


@given(table=puzzles())
def test_a_transformed_copy_has_as_many_solutions(table):
    judged, built = judged_and_built(table)
    copy, name = transformed_copy(built.puzzle)
    note(name)
    assert len(solution_set(build(copy).problem)) == judged.all
