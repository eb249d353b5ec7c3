"""The table of solvers: each row is true, and its omissions are detected."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import solution_set
from puzzlesat.base.errors import NotSupportedError, PuzzleError
from puzzlesat.base.limits import Limits
from puzzlesat.puzzles.problem import Colouring
from puzzlesat.solvers.registry import SOLVERS, Solver, entry, listing, lists, solver, spelled
from strategies import cover_problems, enumerated, problem_of, some_options
from tiers import every

TEMPLATE = Solver(name="template", says="plain search in Python", module="puzzlesat.solvers.template")
PLAIN = problem_of([[0], [1], [0, 1]], [1, 1])
SMALL = {
    "nothing in particular": (PLAIN, 2),
    "coloured items that must be covered": (problem_of([[0, 1], [0, 1]], [1, 1], coloured=[1], colours=[[0, 1], [0, 2]]), 2),
    "options that fill nothing once": (problem_of([[0], [1], [1]], [1, 0], [1, 2]), 4),
    "solutions that can be coloured": (replace(PLAIN, colouring=Colouring(np.array([[0, 1]], dtype=np.int32), 1)), 1),
}
"""A small problem with each feature that some solver refuses, and what none refuses, with the number of its solutions."""
each_solver = every("name", [*SOLVERS, "template"])


@pytest.fixture(autouse=True)
def template(monkeypatch):
    """The table has the template solver, too."""
    monkeypatch.setitem(SOLVERS, "template", TEMPLATE)


@each_solver
def test_a_solver_names_itself_counts_hands_over_and_can_be_asked_again(name):
    ask, blocks = solver(name)(PLAIN), []
    outcome = ask(None, Limits())
    assert (outcome.solver, outcome.found, outcome.status) == (name, 2, "complete")
    found = ask(blocks.append, Limits()).found
    assert sum(map(len, blocks)) == (found if lists(name) else 0)
    assert [ask(None, Limits(), given=given).found for given in ((), (2,), (0,), (0, 2), ())] == [2, 1, 1, 0, 2]


@every("feature", SMALL)
@each_solver
def test_a_solver_refuses_what_its_row_says_and_nothing_else(name, feature):
    problem, number = SMALL[feature]
    ask = solver(name)(problem)
    if feature in entry(name).cannot:
        with pytest.raises(NotSupportedError, match=f"^{name}: "):
            ask(None, Limits())
    else:
        assert ask(None, Limits()).found == number


@each_solver
def test_a_limit_on_solutions_is_kept_or_refused(name):
    ask = solver(name)(PLAIN)
    if "a limit on the number of solutions" in entry(name).cannot:
        with pytest.raises(NotSupportedError, match=f"^{name}: "):
            ask(None, Limits(solutions=1))
    else:
        outcome = ask(None, Limits(solutions=1))
        assert (outcome.found, outcome.status) == (1, "limit reached")


def test_a_name_that_is_not_in_the_table_is_refused():
    for wrong in ("xcover", "", "Sat", "backtrack:fast", "tally:", "sat:glucose4:pairwise:more"):
        with pytest.raises(PuzzleError, match="there is no solver"):
            solver(wrong)
    with pytest.raises(PuzzleError, match="there is no solver 'satt'; did you mean 'sat'"):
        solver("satt")


def test_help_texts_name_the_variants_last(monkeypatch):
    monkeypatch.undo()
    assert spelled(listing()) == "backtrack, sat, cpsat, backtrack:LAYOUT, sat:ENGINE[:ENCODING]"


@pytest.mark.full
@settings(max_examples=30)
@given(problem=cover_problems(coloured_needs=True), data=st.data())
def test_the_solver_to_start_from_finds_what_enumeration_finds(problem, data):
    prefix = some_options(data, problem)
    assert solution_set(problem, "template", prefix) == enumerated(problem, prefix)
