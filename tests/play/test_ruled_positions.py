"""Hints and challenges of puzzles with rules on solutions, compared with a plain list of the solutions."""

from random import Random

import pytest

from helpers import load, solution_set
from puzzlesat.base.errors import PuzzleError
from puzzlesat.base.limits import Limits
from puzzlesat.playing.challenge import Wish, challenges, hardest
from puzzlesat.playing.hardness import difficulty
from puzzlesat.playing.hint import look_at, sentences
from puzzlesat.playing.position import checked_position
from puzzlesat.puzzles.building import build_instance
from tiers import every

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
    """Dominoes and squares in a square of nine cells."""
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


def test_pieces_that_cannot_be_coloured_are_a_dead_end():
    """Three dominoes around a point need three colours."""
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
