"""Positions of random puzzles: completions, removals and the next piece, against plain enumeration."""

from itertools import combinations

import pytest
from hypothesis import assume, given
from positions import FEWER, cases

import puzzlesat
from helpers import load
from puzzlesat.base.limits import Limits
from puzzlesat.playing import position as counting
from puzzlesat.playing.hint import first_wrong, further, take_back
from puzzlesat.playing.position import COMPLETING, Completions, count_completions, dead_ends, is_finished, list_completions, position_of
from puzzlesat.puzzles.building import build_instance
from puzzlesat.solvers import backtrack


@given(case=cases())
@FEWER
def test_completions_are_those_of_plain_enumeration(case):
    problem, placed = case.position.built.problem, case.position.placed
    expected = {s for s in case.solutions if s.issuperset(placed)}
    assert count_completions(problem, placed, Limits()) == Completions(len(expected), True)
    rows, every = list_completions(problem, placed, Limits())
    found = [frozenset(case.position.everything) | {o for o in row if o >= 0} for row in rows.tolist()]
    assert every
    assert len(found) == len(expected)
    assert set(found) == expected
    assert is_finished(case.position) == (frozenset(case.position.everything) in case.solutions)
    if dead_ends(case.position):
        assert not expected
    at_most_two = count_completions(problem, placed, Limits(solutions=2))
    assert at_most_two.found == min(2, len(expected))
    # the tally counts if the backtracker takes too long
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "COMPLETING", tuple(step for step in COMPLETING if step.solver != "backtrack"))
        known = count_completions(problem, placed, Limits())
    number = case.containing(placed)
    assert known.possible == (number > 0)
    assert known.found == number if known.exact else 1 <= known.found <= number


def test_a_position_for_which_memory_does_not_do_is_not_said_to_take_too_long(monkeypatch):
    problem = build_instance(puzzlesat.load("dominoes-4x4")).problem
    monkeypatch.setattr(backtrack, "turns", lambda *_, **__: (_ for _ in ()).throw(MemoryError))
    for ask in (count_completions, list_completions):
        with pytest.raises(MemoryError):
            ask(problem, (), Limits())


@given(case=cases(wrong=True))
@FEWER
def test_what_to_take_back_is_what_plain_enumeration_says(case):
    placed = case.position.placed
    assume(not case.containing(placed))
    wrong = next(i for i in range(len(placed) + 1) if not case.containing(placed[:i]))
    assert first_wrong(case.position, Limits()) == (wrong - 1 if wrong else None)
    back = take_back(case.position, Limits())
    if not case.solutions:
        assert (back.choices, back.solvable) == ((), False)
        return
    size = len(placed) - max(len(s.intersection(placed)) for s in case.solutions)
    expected = {c: case.containing(set(placed) - set(c)) for c in combinations(placed, size)}
    assert back.fewest
    assert back.every
    assert {r.pieces: r.completions for r in back.choices} == {c: Completions(n, True) for c, n in expected.items() if n}
    numbers = [r.completions.found for r in back.choices]
    assert numbers == sorted(numbers, reverse=True)


@given(case=cases())
@FEWER
def test_the_next_piece_is_shared_by_as_many_completions_as_it_says(case):
    placed = case.position.placed
    expected = [s for s in case.solutions if s.issuperset(placed)]
    one = further(case.position, Limits())
    if one is None:
        assert all(s == set(case.position.everything) for s in expected)
        return
    assert one.option not in case.position.everything
    assert one.every
    assert one.listed == len(expected)
    assert one.shared == case.containing([*placed, one.option])
    best = max(case.containing([*placed, o]) for o in range(len(case.position.built.placements)) if o not in case.position.everything)
    assert one.shared == best
    assert one.forced == (one.shared == len(expected))
    if one.reason is not None:
        assert one.forced


def test_a_finished_position_to_which_nothing_can_be_added_has_no_next_piece():
    """There is room, but the condition forbids every piece."""
    rule = {"name": "no piece", "tiles": {"A": 1}, "equals": 0}
    form = {"box": [2, 1], "optional": "all"}
    tiles = {"A": {"picture": "#", "copies": [0, 2]}}
    built = build_instance(load({"title": "empty", "grid": "square", "flips": True, "tiles": tiles, "form": form, "conditions": [rule]}))
    position = position_of(built, [])
    assert is_finished(position)
    assert count_completions(built.problem, (), Limits()) == Completions(1, True)
    assert further(position, Limits()) is None
