"""Challenges: their completions against other solvers and plain enumeration, and that they are what was wished."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from positions import FEWER, cases

from helpers import solution_set
from puzzlesat.cover.instance import build_instance
from puzzlesat.errors import PuzzleError
from puzzlesat.play import challenge as making
from puzzlesat.play.challenge import Wish, challenges
from puzzlesat.puzzle.load import load_instance
from puzzlesat.solvers.run import Limits


@given(case=cases(), count=st.integers(1, 3), completions=st.integers(1, 3), seed=st.integers(0, 99))
@settings(max_examples=max(1, FEWER.max_examples // 2))
def test_random_puzzles(case, count, completions, seed):
    built = case.position.built
    try:
        made = challenges(built, count, Wish(completions), seed, Limits())
    except PuzzleError as error:
        assert not case.solutions or "no position that has exactly" in str(error)
        assume(False)
    assert 1 <= len(made) <= count
    assert len({c.position.placed for c in made}) == len(made)
    for one in made:
        placed = one.position.placed
        assert {frozenset(s) for s in one.completions} == {s for s in case.solutions if s.issuperset(one.position.everything)}
        assert len(one.completions) == completions
        assert one.made_from in one.completions
        assert one.confirmed
        without = [case.containing(set(placed) - {o}) for o in placed]
        assert one.minimal == all(n > completions for n in without)
    again = challenges(built, count, Wish(completions), seed, Limits())
    assert [c.position.placed for c in again] == [c.position.placed for c in made]


@pytest.mark.parametrize("name", ["absolut-knifflig", "soma", "hexiamonds-spinner"])
def test_puzzles_of_every_kind(name):
    built = build_instance(load_instance(name))
    made = challenges(built, 3, Wish(), 5, Limits())
    assert len(made) == 3
    assert [c.nodes for c in made] == sorted(c.nodes for c in made)
    for one in made:
        assert len(solution_set(built.problem, given=one.position.placed)) == 1
    hardest = min(made, key=lambda c: len(c.position.placed))
    assert hardest.minimal
    for option in hardest.position.placed:
        assert len(solution_set(built.problem, given=[o for o in hardest.position.placed if o != option])) > 1


def test_as_many_pieces_and_completions_as_wished():
    built = build_instance(load_instance("soma"))
    for one in challenges(built, 3, Wish(2, 4, 4, exactly=True), 1, Limits()):
        assert len(one.position.placed) == 4
        assert len(solution_set(built.problem, given=one.position.placed)) == 2


def test_solutions_of_different_classes():
    """Absolut knifflig has 37 classes of four."""
    built = build_instance(load_instance("absolut-knifflig"))
    made = challenges(built, 8, Wish(1, 8, 8, exactly=True), 1, Limits())
    images = {min(tuple(sorted(image[list(c.made_from)].tolist())) for image in built.problem.images) for c in made}
    assert len(images) == 8


def test_where_not_all_solutions_can_be_listed(monkeypatch):
    monkeypatch.setattr(making, "LISTED_FOR_CHALLENGES", 100)
    monkeypatch.setattr(making, "FEW", 50)
    built = build_instance(load_instance("soma"))
    made = challenges(built, 4, Wish(), 5, Limits())
    assert len({c.made_from for c in made}) == 4
    assert [c.made_from for c in challenges(built, 4, Wish(), 5, Limits())] == [c.made_from for c in made]


@pytest.mark.parametrize(
    ("name", "wish", "said"),
    [
        ("mutilated-chessboard", Wish(), "mutilated-chessboard has no solution, so there is no position to start from"),
        ("soma", Wish(1, 0, 0, exactly=True), "no position with 0 pieces placed that has exactly 1 completion was found in 3 solutions"),
    ],
)
def test_what_cannot_be_had(monkeypatch, name, wish, said):
    monkeypatch.setattr(making, "TRIES", 3)
    with pytest.raises(PuzzleError, match=said):
        challenges(build_instance(load_instance(name)), 1, wish, 1, Limits())


def test_stopped_before_the_first_position():
    limits = Limits()
    limits.stop.set()
    assert challenges(build_instance(load_instance("soma")), 3, Wish(), 1, limits) == []
    assert challenges(build_instance(load_instance("soma")), 3, Wish(), 1, Limits(seconds=1e-6).begun()) == []
