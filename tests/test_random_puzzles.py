"""Random small puzzles on every grid: everything from the file to the counts, against plain enumeration."""

from hypothesis import assume, given, note
from hypothesis import strategies as st

from brute_force import TooMuch
from compare import as_judged, check_counts, check_everything
from compare import judged_and_built as judged_and_built_table
from helpers import solution_set, whole_solutions
from puzzlesat.counting.crosscheck import Plan, count
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.reductions import reduce, remove_dead
from puzzlesat.solvers import backtrack
from puzzlesat.solvers.registry import SOLVERS, listing
from strategies import GRIDS, puzzles, to_toml
from tiers import in_parts

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
            reduced = reduce(built.problem, symmetry=symmetry, dead=dead, break_on=built.instance.break_on)
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


@given(table=puzzles(ruled=True))
def test_a_transformed_copy_has_as_many_solutions(table):
    judged, built = judged_and_built(table)
    copy, name = built.puzzle.transformed_copy()
    note(name)
    assert len(solution_set(build_instance(copy).problem)) == judged.all
