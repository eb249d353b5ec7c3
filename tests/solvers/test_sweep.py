"""The sweep, which stores no shapes: tiles that may be used any number of times."""

import weakref
from functools import partial
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers import load
from helpers import solve as backtracked
from puzzlesat.base.errors import NotSupportedError, PuzzleError
from puzzlesat.base.limits import Limits
from puzzlesat.puzzles.building import build_instance
from puzzlesat.solvers.registry import solver
from puzzlesat.solvers.tally import moves, shapes, solve, sweep
from strategies import problem_of, puzzles
from tiers import every

STONES_AND_BONES = [
    1, 0, 1, 3, 0, 30, 246, 0, 25321, 591103, 0, 603105309, 41333676318, 0, 410382321560202, 83918368144461643, 0,
    8025244898075570226296, 4941312847984149589980261,
]  # fmt: skip
"""OEIS A377309, n = 0..18: a triangle of n hexagons a side tiled by stones (three that touch one another) and bones (three in a row)."""
STONES = {
    2: 1, 9: 2, 11: 8, 12: 12, 14: 72, 21: 185328, 23: 4736520, 24: 21617456, 26: 912370744, 33: 3688972842502560, 35: 717591590174000896,
    36: 9771553571471569856, 38: 3177501183165726091520,
}  # fmt: skip
"""OEIS A334875, where it is not 0: by stones alone (J. H. Conway and J. C. Lagarias: n must be 0, 2, 9 or 11 modulo 12)."""

MOST_LISTED = 20_000
"""Solutions of a random puzzle that are listed; with endless tiles there may be millions."""


def triangle(n, model="stones-and-bones"):
    return build_instance(load({"title": "triangle", "model": model, "form": {"triangle": n}})).problem


def swept(problem, memory=1 << 30):
    made, record, _ = moves.make_moves(problem)
    assert sweep.can_sweep(made, record)
    return sweep.sweep(made, shapes.Work(memory, 2, lambda *_: None))


def listed(problem, most=20_000):
    """Return the number of solutions that the backtracker lists. With unlimited tiles there may be too many to list."""
    rows, outcome = backtracked(problem, limits=Limits(solutions=most))
    assume(outcome.complete)
    return len(rows)


@st.composite
def endless_puzzles(draw):
    """Draw a puzzle with unlimited copies of all tiles that the sweep supports."""
    table = draw(puzzles(flat=False))
    for tile in table["tiles"].values():
        tile["copies"] = "any"
    for key in ("conditions", "split", "break_on", "rules"):
        table.pop(key, None)
    try:
        problem = build_instance(load(table)).problem.settle()
        assume(problem is not None)
        made, record, _ = moves.make_moves(problem)
    except (PuzzleError, NotSupportedError):
        assume(False)
    assume(sweep.can_sweep(made, record))
    assume(solver("backtrack")(problem)(None, Limits(solutions=MOST_LISTED)).complete)
    return problem


WORDS = st.lists(st.sampled_from([0, 1, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]), min_size=1, max_size=3)


@pytest.mark.full
@given(problem=endless_puzzles(), turn=st.integers(1, 3), samples=st.integers(1, 4), words=WORDS)
def test_it_counts_what_the_backtracker_lists_in_turns_and_numbers_of_any_length(problem, turn, samples, words):
    number = listed(problem)
    assert swept(problem) == number
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "STATES_A_TURN", turn)
        patch.setattr(sweep, "SAMPLES", samples)
        assert swept(problem) == number
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "NOTHING_LAID", tuple(words))
        assert swept(problem) == number * sum(word << 64 * w for w, word in enumerate(words))


@pytest.mark.full
@given(problem=endless_puzzles(), seed=st.integers(0, 1000))
def test_it_counts_the_same_in_any_order_of_the_atoms(problem, seed):
    def shuffled(problem, positions, enough):
        order = positions.copy()
        Random(seed).shuffle(order)
        return order

    expected = listed(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moves, "scan_order", shuffled)
        made, record, _ = moves.make_moves(problem)
        assume(sweep.can_sweep(made, record))
        assert swept(problem) == expected


def slanted(problem, positions, enough, slant):
    """Another order of scan: lines across the rows, at an angle."""
    places = problem.centres[positions]
    keys = places @ np.array(slant)
    return positions[np.lexsort((places[:, 1], np.round(keys, 6)))]


@pytest.mark.full
@every(("n", "ways"), list(enumerate(STONES_AND_BONES))[1:], fast=[str(n) for n in range(1, 10)])
def test_stones_and_bones_in_triangles_are_as_many_as_oeis_says(n, ways, monkeypatch):
    """Each by the order that the program takes, and by another."""
    problem = triangle(n)
    assert swept(problem) == ways
    monkeypatch.setattr(moves, "scan_order", partial(slanted, slant=(1, 0.2)))
    assert swept(problem) == ways


@pytest.mark.full
@every("n", range(1, 27), fast=[str(n) for n in range(1, 12)])
def test_stones_alone_are_as_many_as_oeis_says(n):
    assert swept(triangle(n, "stones")) == STONES.get(n, 0)


@pytest.mark.slow
@pytest.mark.parametrize("n", range(27, 39))
def test_many_stones_alone_are_as_many_as_oeis_says(n):
    assert swept(triangle(n, "stones")) == STONES.get(n, 0)


@every("n", [6, 9, 11], fast=1)
def test_shards_by_two_atoms_give_the_same_sum(n):
    """A solution covers each atom by one option: by the middle of the scan, and by a corner."""
    problem = triangle(n)
    for item in (problem.item[0], len(problem.items) // 2):
        options = problem.options_of[item]
        assert sum(swept(problem.settle([o])) for o in options) == STONES_AND_BONES[n]


def test_the_tally_sweeps_where_shapes_are_too_many(monkeypatch):
    monkeypatch.setattr(solve, "SWEPT_FROM", 100)
    outcome = solver("tally")(triangle(11))(None, Limits())
    assert (outcome.found, outcome.complete) == (STONES_AND_BONES[11], True)
    assert outcome.work["widest"] == 2611
    with pytest.raises(NotSupportedError, match="the most that auto allows"):
        solver("tally")(triangle(11))(None, Limits(shapes=100))


def test_frontiers_that_do_not_fit_are_refused():
    with pytest.raises(sweep.TooLargeError, match="allow more with --memory"):
        swept(triangle(11), memory=10_000)


def test_a_frontier_may_be_parted_where_no_state_that_is_looked_at_allows_a_move(monkeypatch):
    """Formerly the middle element of an empty list was taken."""
    monkeypatch.setattr(sweep, "STATES_A_TURN", 1)
    monkeypatch.setattr(sweep, "SAMPLES", 2)
    assert swept(problem_of([[1, 2, 3, 4], [4], [0, 2, 4], [4], [0, 3]], [1] * 5)) == 0


def test_a_stream_of_states_that_allow_no_move_ends_at_once():
    before = sweep.Frontier(np.array([1, 3], dtype=np.uint64), np.ones((2, 1), dtype=np.uint64))
    streams = sweep.Streams(np.array([5], dtype=np.uint64), np.array([0]), np.array([2]), np.empty(1, dtype=np.uint64))
    after = sweep.Frontier(np.empty(2, dtype=np.uint64), np.empty((2, 1), dtype=np.uint64))
    assert sweep.merge(before, streams, 4, after) == (0, 0)


class _Frontier:
    """A large object within a frame."""


def test_what_was_too_large_is_gone_before_another_way_is_tried(monkeypatch):
    """An exception keeps its stack frames, and these keep the frontiers. So the next attempt once had too little memory."""
    frontiers = []

    def swept(*_):
        frontier = _Frontier()
        frontiers.append(weakref.ref(frontier))
        raise solve.TooLargeError("frontiers")

    def by_shapes(*_):
        frontier = _Frontier()
        assert [each() for each in frontiers] == [None] * len(frontiers)
        frontiers.append(weakref.ref(frontier))
        raise solve.TooLargeError("shapes")

    monkeypatch.setattr(solve, "_swept", swept)
    monkeypatch.setattr(solve, "_by_shapes", by_shapes)
    with pytest.raises(NotSupportedError, match="frontiers") as refusal:
        solve.solve(triangle(8), None, Limits(shapes=1))
    assert [each() for each in frontiers] == [None] * 3, f"kept by {refusal.value!r}"
