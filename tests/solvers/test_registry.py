"""The table of solvers: what a row says is so, and what a row does not say is found out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brute_force import TooMuch, puzzleless_solutions
from helpers import solution_set
from puzzlesat.cover.problem import Colouring, CoverProblem
from puzzlesat.errors import NotSupportedError, PuzzleError
from puzzlesat.solvers.registry import SOLVERS, Solver, entry, listing, lists, solver, spelled
from puzzlesat.solvers.run import COMPLETE, LIMIT, Limits
from strategies import cover_problems

TEMPLATE = Solver(name="template", says="plain search in Python", module="puzzlesat.solvers.template")
INTS = np.int32


def problem_with(low, high, coloured, options, colours=None):
    """A cover problem of the items of each option, with the colour that it gives each."""
    start = np.cumsum([0, *map(len, options)])
    item = [i for option in options for i in option]
    colour = [0] * len(item) if colours is None else [c for option in colours for c in option]
    names = tuple(f"i{i}" for i in range(len(low)))
    arrays = [np.array(a, dtype=INTS) for a in (start, item, colour, [])]
    return CoverProblem(names, np.array(low, dtype=INTS), np.array(high, dtype=INTS), np.array(coloured, dtype=bool),
                        tuple(f"o{o}" for o in range(len(options))), *arrays)  # fmt: skip


SMALL = {
    "nothing in particular": problem_with([1, 1], [1, 1], [False, False], [[0], [1], [0, 1]]),
    "coloured items that must be covered": problem_with([1, 1], [1, 1], [False, True], [[0, 1], [0, 1]], [[0, 1], [0, 2]]),
    "options that fill nothing once": problem_with([1, 0], [1, 2], [False, False], [[0], [1], [1]]),
    "solutions that can be coloured": replace(
        problem_with([1, 1], [1, 1], [False, False], [[0], [1], [0, 1]]), colouring=Colouring(np.array([[0, 1]], dtype=INTS), 1)
    ),
}
"""A small problem with each feature that some solver refuses, and what none refuses."""
COUNTS = {
    "nothing in particular": 2,
    "coloured items that must be covered": 2,
    "options that fill nothing once": 4,
    "solutions that can be coloured": 1,
}


@pytest.fixture(params=[*SOLVERS, "template"])
def name(request, monkeypatch):
    """Each solver of the table, and the one to start from."""
    monkeypatch.setitem(SOLVERS, "template", TEMPLATE)
    return request.param


def test_a_solver_names_itself_and_counts_without_handing_over(name):
    outcome = solver(name)(SMALL["nothing in particular"])(None, Limits())
    assert (outcome.solver, outcome.found, outcome.status) == (name, 2, COMPLETE)


def test_a_solver_hands_over_what_it_counts_if_its_row_says_so(name):
    blocks = []
    found = solver(name)(SMALL["nothing in particular"])(blocks.append, Limits()).found
    assert sum(map(len, blocks)) == (found if lists(name) else 0)


@pytest.mark.parametrize("feature", SMALL)
def test_a_solver_refuses_what_its_row_says_and_nothing_else(name, feature):
    ask = solver(name)(SMALL[feature])
    if feature in entry(name).cannot:
        with pytest.raises(NotSupportedError, match=f"^{name}: "):
            ask(None, Limits())
    else:
        assert ask(None, Limits()).found == COUNTS[feature]


def test_a_limit_on_solutions_is_kept_or_refused(name):
    ask = solver(name)(SMALL["nothing in particular"])
    if "a limit on the number of solutions" in entry(name).cannot:
        with pytest.raises(NotSupportedError, match=f"^{name}: "):
            ask(None, Limits(solutions=1))
    else:
        outcome = ask(None, Limits(solutions=1))
        assert (outcome.found, outcome.status) == (1, LIMIT)


def test_a_solver_can_be_asked_again_with_options_given(name):
    ask = solver(name)(SMALL["nothing in particular"])
    assert [ask(None, Limits(), given=given).found for given in ((), (2,), (0,), (0, 2), ())] == [2, 1, 1, 0, 2]


def test_a_name_that_is_not_in_the_table_is_refused():
    for wrong in ("xcover", "", "Sat", "backtrack:fast", "tally:", "sat:glucose4:pairwise:more"):
        with pytest.raises(PuzzleError, match="there is no solver"):
            solver(wrong)
    with pytest.raises(PuzzleError, match="there is no solver 'satt'; did you mean 'sat'"):
        solver("satt")


def test_help_texts_name_the_variants_last():
    assert spelled(listing()) == "backtrack, sat, cpsat, backtrack:LAYOUT, sat:ENGINE[:ENCODING]"


@settings(max_examples=30)
@given(problem=cover_problems(coloured_needs=True), data=st.data())
def test_the_solver_to_start_from_finds_what_enumeration_finds(problem, data):
    prefix = data.draw(st.lists(st.integers(0, problem.size - 1), max_size=2, unique=True)) if problem.size else []
    try:
        expected = set(puzzleless_solutions(problem, prefix))
    except TooMuch:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SOLVERS, "template", TEMPLATE)
        assert solution_set(problem, "template", prefix) == expected
