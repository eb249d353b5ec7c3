"""Positions of random puzzles, and of puzzles with rules on solutions: completions, hints and challenges against plain enumeration."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import assume, given
from positions import FEWER, cases

import puzzlesat
from helpers import load, solution_set
from puzzlesat.base import Limits, PuzzleError
from puzzlesat.playing import Wish, challenges, difficulty, hardest
from puzzlesat.playing import position as counting
from puzzlesat.playing.hint import first_wrong, further, look_at, sentences, take_back
from puzzlesat.playing.position import Completions, checked_position, count_completions, is_finished, position_of
from puzzlesat.puzzles.building import build_instance
from puzzlesat.solvers import backtrack
from tiers import every


@given(case=cases())
@FEWER
def test_completions_are_those_of_plain_enumeration(case):
    problem, placed = case.position.built.problem, case.position.placed
    expected = {s for s in case.solutions if s.issuperset(placed)}
    assert count_completions(problem, placed, Limits()) == Completions(len(expected), True)
    rows, whole = counting.list_completions(problem, placed, Limits())
    found = [frozenset(case.position.everything) | {o for o in row if o >= 0} for row in rows.tolist()]
    assert whole
    assert len(found) == len(expected)
    assert set(found) == expected
    assert is_finished(case.position) == (frozenset(case.position.everything) in case.solutions)
    if counting.dead_ends(case.position):
        assert not expected
    at_most_two = count_completions(problem, placed, Limits(solutions=2))
    assert at_most_two.found == min(2, len(expected))
    # the tally counts if the backtracker takes too long
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "COMPLETING", tuple(step for step in counting.COMPLETING if step.solver != "backtrack"))
        known = count_completions(problem, placed, Limits())
    number = case.containing(placed)
    assert known.possible == (number > 0)
    assert known.found == number if known.exact else 1 <= known.found <= number


def test_a_position_for_which_memory_does_not_do_is_not_said_to_take_too_long(monkeypatch):
    problem = build_instance(puzzlesat.load("dominoes-4x4")).problem
    monkeypatch.setattr(backtrack, "turns", lambda *_, **__: (_ for _ in ()).throw(MemoryError))
    for ask in (count_completions, counting.list_completions):
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


RULES = {
    "colours": {"colours": 2},
    "strictly": {"colours": 3, "strictly": True},
    "colours and more": {"colours": 3, "apart": [["S"]]},
    "no crossroads": {"no_crossroads": True},
    "fault-free": {"fault_free": True},
    "symmetric": {"symmetric": "turn 180"},
    "outline": {"symmetric_outline": [{"tiles": ["S"], "under": "mirror 90"}]},
    "border": {"touch_border": ["D"], "inside": ["S"]},
    "held": {"holds": [{"tiles": ["D"], "atoms": [[1, 1], [2, 2], [3, 3]], "equals": 1}]},
    "named": {"forbidden": ["D.1@1.1"], "one_of": [["S.1@2.2", "D.1@2.3"]]},
}


def tiling(rules, **more):
    """Dominoes and squares in a square of nine."""
    tiles = {"D": {"atoms": [[1, 1], [2, 1]], "copies": [0, 4]}, "S": {"atoms": [[1, 1]], "copies": [1, 5]}}
    return {"title": "T", "grid": "square", "flips": True, "tiles": tiles, "form": {"box": [3, 3]}, "solutions": rules} | more


def positions(built, random, number):
    """Yield beginnings of solutions without rules, with a random part of the pieces; some can be finished."""
    own = {name: o for o, name in enumerate(built.problem.options)}
    plain = build_instance(load(tiling({})))
    for row in random.sample(sorted(solution_set(plain.problem)), number):
        names = [plain.problem.options[o] for o in row if plain.problem.options[o] in own]
        yield [own[name] for name in random.sample(names, random.randint(0, len(names)))]


@pytest.mark.full
@every("rules", RULES)
def test_a_hint_says_what_the_list_of_all_solutions_says(rules):
    built = build_instance(load(tiling(RULES[rules])))
    solutions = {frozenset(row) for row in solution_set(built.problem)}
    assert solutions
    seen = set()
    for placed in [[], *(list(s) for s in sorted(map(sorted, solutions))[:2]), *positions(built, Random(rules), 12)]:
        position = checked_position(built, placed)
        hint = look_at(position, more=True, limits=Limits(seconds=30))
        having = [s for s in solutions if s >= set(placed)]
        assert hint.completions.exact
        assert hint.completions.found == len(having)
        assert hint.finished == (frozenset(placed) in solutions)
        assert not (hint.dead_ends and having)
        assert sentences(hint)
        if hint.further is not None:
            with_it = sum(hint.further.option in s for s in having)
            assert with_it > 0
            assert hint.further.forced == (with_it == len(having))
        if not having and placed:
            assert hint.take_back is not None
            fewest = min(len(set(placed) - s) for s in solutions)
            assert {len(choice.pieces) for choice in hint.take_back.choices} == {fewest}
            for choice in hint.take_back.choices:
                assert choice.completions.found == sum(s >= set(placed) - set(choice.pieces) for s in solutions) > 0
        assert difficulty(position, Limits()).possible == bool(having)
        seen.add(bool(having))
    assert seen == {True, False}


def test_a_forbidden_placement_is_named():
    built = build_instance(load(tiling(RULES["named"])))
    with pytest.raises(PuzzleError, match=r"^solutions\.forbidden of .* leaves 'D\.1@1\.1' out$"):
        built.options_by_name(["D.1@1.1"])


def test_pieces_that_cannot_be_coloured_are_a_dead_end():
    """Three dominoes round a point need three colours."""
    built = build_instance(load(tiling({"colours": 2})))
    names = {name: o for o, name in enumerate(built.problem.options)}
    hint = look_at(checked_position(built, [names[n] for n in ("D.1@1.1", "D.2@1.2", "D.1@2.2")]), more=False, limits=Limits())
    assert hint.dead_ends[0] == "2 colours are too few for the pieces that are placed"
    assert not hint.completions.possible


@pytest.mark.full
@every("rules", ["colours", "strictly", "colours and more", "symmetric", "named"])
def test_a_challenge_has_the_solutions_that_the_list_has(rules):
    built = build_instance(load(tiling(RULES[rules])))
    solutions = {frozenset(row) for row in solution_set(built.problem)}
    for made in challenges(built, 3, Wish(), 5, Limits()):
        assert [frozenset(made.made_from)] == [s for s in solutions if s >= set(made.position.everything)]
        assert made.confirmed
    least = hardest(built, 1, Limits()).challenge
    assert sum(s >= set(least.position.placed) for s in solutions) == 1
    assert least.least


def test_a_puzzle_whose_solutions_all_break_the_rule_has_no_position():
    with pytest.raises(PuzzleError, match="has no solution"):
        challenges(build_instance(load(tiling({"colours": 1}))), 1, Wish(), 5, Limits())
