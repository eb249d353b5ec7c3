"""Solutions by number, found without a list, against the sorted list: by plain enumeration and by other solvers."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puzzlesat
from helpers import load, solution_set
from puzzlesat.base.arrays import padded_rows
from puzzlesat.base.errors import NotSupportedError, PuzzleError
from puzzlesat.base.limits import Clock, Limits
from puzzlesat.puzzles.building import build_instance
from puzzlesat.solvers.registry import SOLVERS, numbering, solver
from puzzlesat.solvers.tally import ranks, shapes
from puzzlesat.solvers.tally.moves import positions_of, scan_order
from puzzlesat.solvers.tally.ranks import in_order
from strategies import cover_problems, enumerated, large_puzzle, puzzles, some_options
from tiers import every

NUMBERING = [name for name, row in SOLVERS.items() if row.numbers]
WAYS = {
    "as it is": [],
    "shapes of several words": [(shapes, "_steps", lambda moves: None)],
    "small steps": [(ranks, "FIRST_STATES", 1), (ranks, "SHAPES_A_TURN", 1), (ranks, "STATES_A_TURN", 1), (ranks, "GROWTH", 1)],
    "numbers of several words": [(ranks, "FIRST_WORDS", 3)],
}


def numbered(problem, given=(), name="tally", limits=None):
    """All solutions in the order of their numbers."""
    outcome, find = numbering(name)(problem, limits or Limits(), given=given)
    assert outcome.complete
    return [find(number) for number in range(outcome.found)]


def by_the_book(problem, solutions, given=()):
    """Sort solutions by the option at each position in turn; no option comes last. Only if no options are given."""
    order = scan_order(problem, positions_of(problem))

    def at(solution):
        options = {int(item): option for option in solution for item in problem.items_of(option)}
        return [options.get(int(position), problem.size) for position in order]

    return sorted(solutions, key=at)


def by_way(way, problem, given=()):
    """The solutions in the order of their numbers, found in one of the ways; None if it refuses."""
    with pytest.MonkeyPatch.context() as patch:
        for place, name, value in WAYS[way]:
            patch.setattr(place, name, value)
        try:
            return numbered(problem, given)
        except NotSupportedError as error:
            assert any(what in str(error) for what in ("colours that must", "fills no position"))
            return None


@pytest.mark.full
@every("way", WAYS)
@given(problem=cover_problems(coloured_needs=True), data=st.data())
def test_numbers_are_those_of_the_ordered_list_of_all_solutions(way, problem, data):
    for chosen in ([], some_options(data, problem, 3)):
        expected = enumerated(problem, chosen)
        found = by_way(way, problem, chosen)
        if found is None:
            continue
        assert set(found) == expected
        assert len(found) == len(expected)
        rows = in_order(problem, padded_rows(sorted(expected)), chosen)
        assert [tuple(o for o in row if o >= 0) for row in rows.tolist()] == found
        if not chosen and not problem.forced:
            assert found == by_the_book(problem, expected)


@pytest.mark.full
@every("way", WAYS, fast=1)
@given(table=puzzles(flat=False))
def test_numbers_of_random_puzzles(way, table):
    try:
        problem = build_instance(load(table)).problem.without_implied()
    except PuzzleError:
        assume(False)
    if (found := by_way(way, problem)) is None:
        return
    expected = solution_set(problem, "backtrack")
    assert len(found) == len(expected)
    assert set(found) == expected
    if not problem.forced:
        assert found == by_the_book(problem, expected)


@pytest.mark.slow
def test_numbers_of_large_puzzles():
    """Puzzles large enough to find states from both ends, with several words per window, colours, and optional atoms."""
    seen = Counter()
    for seed in range(120):
        try:
            problem = build_instance(load(large_puzzle(Random(seed)))).problem.without_implied()
            outcome, find = numbering("tally")(problem, Limits(memory=1 << 28))
        except (PuzzleError, NotSupportedError):
            continue
        seen["puzzles"] += 1
        seen["impossible"] += not outcome.found
        if outcome.found > 5000:
            some = Random(seed).sample(range(outcome.found), 20)
            rows = padded_rows([find(number) for number in sorted(some)])
            assert in_order(problem, rows[::-1]).tolist() == rows.tolist()
            assert len(np.unique(rows, axis=0)) == len(rows)
            seen["many"] += 1
            continue
        expected = solution_set(problem, "backtrack")
        found = [find(number) for number in range(outcome.found)]
        assert found == by_the_book(problem, expected)
        seen["listed"] += bool(found)
    assert seen["listed"] > 20
    assert seen["many"] > 5
    assert seen["impossible"] > 5


def dominoes(width, height, squares=0):
    tiles = {"d": {"atoms": [[1, 1, "f"], [1, 2, "f"]], "copies": "any"}, "t": {"atoms": [[1, 1, "f"]], "copies": [0, squares]}}
    return build_instance(load({"title": "t", "grid": "square", "flips": True, "tiles": tiles, "form": {"box": [width, height]}})).problem


@pytest.mark.full
@every("name", NUMBERING)
@every(("mib", "what"), [(1, "shapes and what they lead to"), (8, "states and more, each with its number,")])
def test_too_little_memory_is_refused(name, mib, what):
    with pytest.raises(NotSupportedError, match=f"{what} need more than {mib} MiB; allow more with --memory"):
        numbering(name)(dominoes(10, 12, squares=99), Limits(memory=mib << 20))


@pytest.mark.full
@every("once", ["interrupted", "limit reached", "out of memory"])
@every("way", ["counted", "numbered"])
def test_what_was_stopped_is_never_complete(way, once, monkeypatch):
    """A limit may be reported only once, such as one on memory that is checked now and then; this once gave a complete count of 0."""
    problem = build_instance(puzzlesat.load("dominoes-4x4")).problem
    solver("tally")(problem)(None, Limits())  # compile first, because compiling asks too
    numbering("tally")(problem, Limits())
    said = iter([once])
    monkeypatch.setattr(Clock, "verdict", lambda self, found: next(said, None))
    outcome = solver("tally")(problem)(None, Limits()) if way == "counted" else numbering("tally")(problem, Limits())[0]
    assert outcome.status == once
    assert not outcome.complete


@every("name", NUMBERING)
def test_a_limit_of_time_gives_no_number(name):
    outcome, find = numbering(name)(dominoes(14, 14), Limits(seconds=0))
    assert not outcome.complete
    assert outcome.found == 0
    with pytest.raises(IndexError):
        find(0)
