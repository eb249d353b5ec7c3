"""The fewest given pieces: against every choice of pieces of every solution, and on puzzles whose solutions are too many to list."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from positions import FEWER, cases

from helpers import solution_set
from puzzlesat.cover.instance import build_instance
from puzzlesat.errors import ContradictionError, PuzzleError
from puzzlesat.play import hardest as making
from puzzlesat.play.challenge import all_solutions
from puzzlesat.play.hardest import hardest
from puzzlesat.puzzle.load import load_instance
from puzzlesat.solvers.run import Limits


def fewest(solutions, forced):
    """By trying every choice of pieces, the small ones first; None where no choice leaves one solution."""
    for size in range(max(map(len, solutions)) + 1):
        for solution in solutions:
            for some in combinations(sorted(solution - forced), size):
                if sum(other.issuperset(some) for other in solutions) == 1:
                    return size
    return None


@given(case=cases())
@FEWER
def test_random_puzzles(case):
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


@given(case=cases(), seed=st.integers(0, 9))
@FEWER
def test_where_not_all_are_listed_no_solution_has_fewer(case, seed):
    """Then what is found for the solutions drawn is still the least of each of them."""
    built = case.position.built
    assume(2 <= len(case.solutions) <= 50)
    forced = set(built.problem.forced)
    assume(fewest(case.solutions, forced) is not None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "LISTED_FOR_HARDEST", 1)
        found = hardest(built, seed, Limits())
    assert found.listed is None
    made = found.challenge
    assert case.containing(made.position.everything) == 1
    own = frozenset(made.made_from)
    for size in range(len(made.position.placed)):
        assert all(case.containing(some) > 1 for some in combinations(sorted(own - forced), size))
    if made.least:
        assert len(made.position.placed) == fewest(case.solutions, forced)


@pytest.mark.parametrize(("name", "pieces"), [("soma", 2), ("absolut-knifflig", 1), ("tritetratan", 1)])
def test_real_puzzles(name, pieces):
    built = build_instance(load_instance(name))
    found = hardest(built, 1, Limits())
    assert found.challenge.least
    assert found.recounted
    assert len(found.challenge.position.placed) == pieces
    solutions = [frozenset(s) for s in solution_set(built.problem)]
    assert found.listed == len(solutions)
    placed = set(found.challenge.position.placed)
    assert sum(s >= placed for s in solutions) == 1
    uses = [sum(o in s for s in solutions) for o in range(built.problem.size)]
    if pieces == 2:  # so no piece alone does
        assert 1 not in uses


def test_stopped():
    limits = Limits()
    limits.stop.set()
    assert hardest(build_instance(load_instance("soma")), 1, limits) is None


def test_what_was_found_before_time_is_up_is_not_called_least(monkeypatch):
    built = build_instance(load_instance("soma"))
    limits, seen = Limits(), []
    own = making._Table.least

    def one(table, *rest):
        seen.append(own(table, *rest))
        if len(seen) == 1:
            limits.stop.set()
        return seen[-1]

    monkeypatch.setattr(making._Table, "least", one)
    found = hardest(built, 1, limits)
    assert (found.challenge.least, found.tried) == (False, 1)
    assert len(found.challenge.position.placed) == len(seen[0])
    assert "too few: 1 solution was tried" in found.words


def test_a_list_that_lacks_a_solution_is_found_out(monkeypatch):
    def short(*args, **rest):
        rows, every = all_solutions(*args, **rest)
        return rows[:-1], every

    monkeypatch.setattr(making, "all_solutions", short)
    with pytest.raises(ContradictionError, match="11,519 solutions are listed, and tally counts 11,520"):
        hardest(build_instance(load_instance("soma")), 1, Limits())


def test_a_puzzle_without_a_solution():
    built = build_instance(load_instance("mutilated-chessboard"))
    with pytest.raises(PuzzleError, match="has no solution"):
        hardest(built, 1, Limits())
