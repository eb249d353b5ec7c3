"""The tally against brute force and the other solvers."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from brute_force import TooMuch, cover_solutions
from helpers import load, solution_set
from puzzlesat.cover.build import build
from puzzlesat.cover.quotient import quotient
from puzzlesat.errors import NotSupportedError, PuzzleError
from puzzlesat.solvers.registry import solver
from puzzlesat.solvers.run import Limits
from puzzlesat.solvers.tally import levels, shapes
from strategies import cover_problems, puzzles


def tallied(problem, given=()):
    outcome = solver("tally")(problem)(lambda rows: None, Limits(), given=given)
    assert outcome.complete
    return outcome.found


def enumerated(problem, given=()):
    try:
        return len(list(cover_solutions(problem, given)))
    except TooMuch:
        assume(False)


@given(problem=cover_problems(coloured_needs=True), data=st.data())
def test_it_counts_what_enumeration_finds_or_refuses(problem, data):
    numbers = st.integers(0, problem.size - 1)
    prefix = data.draw(st.lists(numbers, max_size=3, unique=True)) if problem.size else []
    try:
        assert tallied(problem) == enumerated(problem)
        assert tallied(problem, prefix) == enumerated(problem, prefix)
    except NotSupportedError as error:
        assert "colours that must" in str(error) or "fills no position" in str(error)


@given(table=puzzles())
def test_it_counts_random_puzzles_as_the_backtracker_does(table):
    try:
        problem = build(load(table)).problem
    except PuzzleError:
        assume(False)
    try:
        assert tallied(problem) == len(solution_set(problem, "backtrack"))
    except NotSupportedError as error:
        assert "fills no position" in str(error)


@given(table=puzzles(), data=st.data())
def test_a_quotient_has_the_solutions_that_the_symmetry_fixes(table, data):
    try:
        problem = build(load(table)).problem
    except PuzzleError:
        assume(False)
    assume(len(problem.symmetries) > 1)
    number = data.draw(st.integers(0, len(problem.symmetries) - 1))
    image = problem.images[number]
    fixed = [s for s in solution_set(problem, "backtrack") if {int(image[o]) for o in s} == set(s)]
    small = quotient(problem, number)
    assert len(solution_set(small, "backtrack")) == len(fixed)
    assert len(solution_set(small, "sat")) == len(fixed)
    try:
        assert tallied(small) == len(fixed)
    except NotSupportedError as error:
        assert "fills no position" in str(error)


WAYS = {
    "shapes of several words": [(shapes, "_steps", lambda moves: None)],
    "remainders modulo primes": [(levels, "MOST_WAYS", 2)],
    "a hash table of records": [(levels, "DENSE_BITS", -1)],
    "both": [(levels, "DENSE_BITS", -1), (levels, "MOST_WAYS", 2)],
    "several cores": [(levels, "ENTRIES_TO_SHARE", 0), (levels, "ENTRIES_A_TURN", 1)],
    "the last level in parts": [(levels._Ways, "_parts", lambda *_: 3)],
    "small steps": [(levels, "ENTRIES_A_TURN", 1), (shapes, "SHAPES_A_TURN", 1), (shapes, "FIRST_SHAPES", 1), (shapes, "FIRST_EDGES", 1)],
}


@pytest.mark.parametrize("way", WAYS)
@given(problem=cover_problems(), table=puzzles())
def test_all_ways_of_the_tally_count_the_same(way, problem, table):
    with pytest.MonkeyPatch.context() as patch:
        for place, name, value in WAYS[way]:
            patch.setattr(place, name, value)
        try:
            assert tallied(problem) == enumerated(problem)
            problem = build(load(table)).problem
            assert tallied(problem) == len(solution_set(problem, "backtrack"))
        except NotSupportedError as error:
            assert "fills no position" in str(error)
        except PuzzleError:
            assume(False)


def test_the_last_place_of_a_hash_table_belongs_to_records():
    """It was cleared as if it were the place for what is refused, which only dense tables have: 1 instead of 4."""
    tiles = {"t0": {"atoms": [[2, 2, "f"]]}, "t1": {"atoms": [[3, 1, "f"], [3, 2, "f"]]}, "t2": {"atoms": [[4, 1, "f"], [4, 2, "f"]]}}
    form = {"box": [4, 2], "remove": [[1, 1, "f"], [1, 2, "f"], [2, 1, "f"]]}
    problem = build(load({"title": "random", "grid": "square", "flips": False, "tiles": tiles, "form": form})).problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels, "DENSE_BITS", -1)
        assert tallied(problem) == 4
