"""A worker that gives one false answer in twenty never makes a total wrong; then honest workers finish the run correctly."""

from __future__ import annotations

import re
from random import Random

import pytest
from pretend import CROSS, LIES, Pretended, board, done
from test_coordinator import COUNT

from puzzlesat.cli.runs import in_short
from puzzlesat.studies.running import overview
from puzzlesat.studies.store import open_to_read
from tiers import every

TRUTH = {"board-2x3": 3, "board-4x4": 36, "board-4x5": 95, "board-4x6": 281, "board-3x4": 11}
IMPOSSIBLE = {"board-4x4-0.0-3.3": "colouring", "board-3x5": "area", "crosses": "nothing fits"}


def boards():
    sizes = [tuple(map(int, name.removeprefix("board-").split("x"))) for name in TRUTH]
    odd = [board(4, 4, missing=[(0, 0), (3, 3)], name="board-4x4-0.0-3.3"), board(3, 5), board(5, 2, tiles=CROSS, name="crosses")]
    return [*(board(*size) for size in sizes), *odd]


def right(found):
    """Tell whether all findings are right; a missing finding is not wrong."""
    for name, one in found.items():
        if name in TRUTH:
            assert one.verdict in ("solvable", "not decided"), (name, one)
            assert one.counts.get("all", TRUTH[name]) == TRUTH[name], (name, one)
        else:
            assert one.verdict in ("impossible", "not decided"), (name, one)
            assert not any(one.counts.values())


def complete(found):
    assert {name: one.counts.get("all") for name, one in found.items()} == {**TRUTH, **dict.fromkeys(IMPOSSIBLE, 0)}
    assert {name: found[name].argument for name in IMPOSSIBLE} == IMPOSSIBLE


def trial(path, lie, seed, *, parts=False):
    """One run with a liar, then one with honest workers only."""
    draw = Random(seed)
    subjects = [one for one in boards() if not parts or one.name in TRUTH]
    there = Pretended(LIES[lie], liar=draw.randrange(4), seed=seed, often=0.05)
    options = {"parts": parts, "unit_seconds": 1.0} if parts else {}
    end, found = done(path, subjects, there, **options)
    right(found)
    if not end.complete:
        end, found = done(path, subjects, Pretended(seed=seed + 1), **options)
    assert end.complete, end
    if parts:
        assert {name: one.counts["all"] for name, one in found.items()} == TRUTH
    else:
        complete(found)
    return there


@every("lie", LIES, fast=("wrong_count", "impossible", "too_long"))
def test_a_lie_now_and_then_is_no_total(tmp_path, lie):
    trial(tmp_path / "store", lie, 1)


@every("lie", ("wrong_count", "empty_part", "too_long", "another_unit", "no_answer"), fast=("empty_part",))
def test_a_lie_about_a_part(tmp_path, lie):
    trial(tmp_path / "store", lie, 2, parts=True)


@pytest.mark.full
@pytest.mark.parametrize("lie", LIES)
def test_a_thousand_runs(tmp_path, lie):
    told = sum(trial(tmp_path / f"{seed}.sqlite", lie, seed, parts=seed % 3 == 2 and lie not in NOT_OF_PARTS).told for seed in range(85))
    assert told > 2


NOT_OF_PARTS = ("wrong_distinct", "impossible", "false_solution", "another_argument")


def test_both_are_named_and_a_third_decides(path):
    there = Pretended(LIES["wrong_count"], often=1.0, seed=next(n for n in range(99) if Random(n).choice(range(4)) == 0))
    end, found = done(path, [board(4, 4)], there, COUNT)
    assert found["board-4x4"].counts["all"] == 36
    assert there.told
    (said,) = end.differ
    assert re.search(r"all': 40.* by process 1 on one; .*settled: .* on two", said)
    with open_to_read(path) as store:
        (row,) = store.rows()
        seen = overview(store, [row])
    assert row.agree is True
    assert row.differ == (said.partition(", ")[2],)
    assert (seen["unsettled"], len(seen["differ"]), seen["disagrees"]) == (0, 1, False)


def test_two_liars_on_two_hosts_that_say_the_same_win(path):
    """Documented limit: a quorum is two answers."""
    there = Pretended(LIES["wrong_count"], liar=None, often=1.0)
    _, found = done(path, [board(4, 4)], there, COUNT)
    assert found["board-4x4"].counts["all"] == 40


def test_a_study_of_single_answers_says_so(path):
    _, found = done(path, [board(4, 4)], Pretended(LIES["wrong_count"], liar=None, often=1.0), COUNT, single=True)
    assert found["board-4x4"].counts["all"] == 40
    with open_to_read(path) as store:
        (row,) = store.rows()
    assert (row.agree, row.once, "counted once" in in_short(row)) == (None, 1, True)
