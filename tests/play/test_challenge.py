"""Challenges and the fewest given pieces: against other solvers, every choice of pieces, and the wishes."""

from itertools import combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from positions import FEWER, cases

from helpers import solution_set
from puzzlesat.base.errors import ContradictionError, PuzzleError
from puzzlesat.base.limits import Limits
from puzzlesat.playing import challenge
from puzzlesat.playing.challenge import Wish, all_solutions, challenges, hardest
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance


@pytest.mark.full
@given(case=cases(), count=st.integers(1, 3), completions=st.integers(1, 3), seed=st.integers(0, 99))
@settings(max_examples=max(1, FEWER.max_examples // 2))
def test_challenges_of_random_puzzles(case, count, completions, seed):
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


@pytest.mark.full
def test_solutions_of_different_classes():
    """Absolut knifflig has 37 classes of four solutions."""
    built = build_instance(load_instance("absolut-knifflig"))
    made = challenges(built, 8, Wish(1, 8, 8, exactly=True), 1, Limits())
    images = {min(tuple(sorted(image[list(c.made_from)].tolist())) for image in built.problem.images) for c in made}
    assert len(images) == 8


@pytest.mark.full
def test_challenges_of_the_soma_cube(monkeypatch):
    """Wishes for numbers of pieces and completions; more solutions than can be listed; a stop before the first position."""
    built = build_instance(load_instance("soma"))
    for one in challenges(built, 3, Wish(2, 4, 4, exactly=True), 1, Limits()):
        assert len(one.position.placed) == 4
        assert len(solution_set(built.problem, given=one.position.placed)) == 2
    limits = Limits()
    limits.stop.set()
    assert challenges(built, 3, Wish(), 1, limits) == challenges(built, 3, Wish(), 1, Limits(seconds=1e-6).begun()) == []
    monkeypatch.setattr(challenge, "LISTED_FOR_CHALLENGES", 100)
    monkeypatch.setattr(challenge, "FEW", 50)
    made = [c.made_from for c in challenges(built, 4, Wish(), 5, Limits())]
    assert len(set(made)) == 4
    assert [c.made_from for c in challenges(built, 4, Wish(), 5, Limits())] == made
    monkeypatch.setattr(challenge, "TRIES", 3)
    none = "no position with 0 pieces placed that has exactly 1 completion was found in 3 solutions"
    with pytest.raises(PuzzleError, match=none):
        challenges(built, 1, Wish(1, 0, 0, exactly=True), 1, Limits())


def fewest(solutions, forced):
    """Return the least number of pieces that leaves one solution, by trying every choice; None if there is none."""
    for size in range(max(map(len, solutions)) + 1):
        for solution in solutions:
            for some in combinations(sorted(solution - forced), size):
                if sum(other.issuperset(some) for other in solutions) == 1:
                    return size
    return None


@pytest.mark.full
@given(case=cases())
@FEWER
def test_the_hardest_of_random_puzzles(case):
    built = case.position.built
    assume(case.solutions and sum(2 ** len(s) for s in case.solutions) * len(case.solutions) < 1_000_000)
    least = fewest(case.solutions, set(built.problem.forced))
    if least is None:
        with pytest.raises(PuzzleError, match="each solution is a part of another"):
            hardest(built, 1, Limits())
        return
    found = hardest(built, 1, Limits())
    assert found.listed == len(case.solutions)
    made = found.challenge
    assert made.least
    assert made.minimal
    assert made.confirmed
    assert len(made.position.placed) == least
    assert case.containing(made.position.everything) == 1


@pytest.mark.full
@given(case=cases(), seed=st.integers(0, 9))
@FEWER
def test_where_not_all_are_listed_no_solution_has_fewer(case, seed):
    """The result is still minimal for each drawn solution."""
    built = case.position.built
    assume(2 <= len(case.solutions) <= 50)
    forced = set(built.problem.forced)
    assume(fewest(case.solutions, forced) is not None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(challenge, "LISTED_FOR_HARDEST", 1)
        found = hardest(built, seed, Limits())
    assert found.listed is None
    made = found.challenge
    assert case.containing(made.position.everything) == 1
    own = frozenset(made.made_from)
    for size in range(len(made.position.placed)):
        assert all(case.containing(some) > 1 for some in combinations(sorted(own - forced), size))
    if made.least:
        assert len(made.position.placed) == fewest(case.solutions, forced)


@pytest.mark.full
def test_what_was_found_before_time_is_up_is_not_called_least(monkeypatch):
    built = build_instance(load_instance("soma"))
    limits, seen = Limits(), []
    limits.stop.set()
    assert hardest(built, 1, limits) is None
    limits = Limits()
    own = challenge._SolutionTable.least

    def one(table, *rest):
        seen.append(own(table, *rest))
        if len(seen) == 1:
            limits.stop.set()
        return seen[-1]

    monkeypatch.setattr(challenge._SolutionTable, "least", one)
    found = hardest(built, 1, limits)
    assert (found.challenge.least, found.tried) == (False, 1)
    assert len(found.challenge.position.placed) == len(seen[0])
    assert "too few: 1 solution was tried" in found.words


@pytest.mark.full
def test_a_list_that_lacks_a_solution_is_found_out(monkeypatch):
    def short(*args, **rest):
        rows, every = all_solutions(*args, **rest)
        return rows[:-1], every

    monkeypatch.setattr(challenge, "all_solutions", short)
    with pytest.raises(ContradictionError, match="11,519 solutions are listed, and tally counts 11,520"):
        hardest(build_instance(load_instance("soma")), 1, Limits())


def test_a_puzzle_without_a_solution():
    built = build_instance(load_instance("mutilated-chessboard"))
    with pytest.raises(PuzzleError, match="has no solution"):
        hardest(built, 1, Limits())
    with pytest.raises(PuzzleError, match="mutilated-chessboard has no solution, so there is no position to start from"):
        challenges(built, 1, Wish(), 1, Limits())
