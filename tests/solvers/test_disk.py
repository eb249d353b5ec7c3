"""The tally on disk: counts as in memory, resumes after a kill, and gives no result if the disk is full."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from time import monotonic, sleep

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from test_sweep import STONES_AND_BONES, endless_puzzles, listed, triangle

from helpers import load, solution_set
from puzzlesat.base import Limits, NotSupportedError, Progress, PuzzleError
from puzzlesat.kernels import kernel
from puzzlesat.puzzles.building import build_instance
from puzzlesat.solvers.registry import solver
from puzzlesat.solvers.tally import disk, levels, moves, shapes, solve, sweep
from strategies import cover_problems, enumerated, puzzles
from tally_ways import every_second
from tiers import every


class KilledError(Exception):
    """Raised in place of the death of the process."""


def swept(problem, place, go_on=lambda *_: None, memory=0, most=None):
    made, _, _ = moves.make_moves(problem)
    return sweep.sweep(made, shapes.Work(memory, 2, go_on, disk=disk.disk_for(place, most, *made)))


@pytest.mark.full
@given(problem=endless_puzzles(), memory=st.sampled_from([0, 200, 1000]))
def test_frontiers_on_a_disk_give_the_same_count(problem, memory, tmp_path_factory):
    place = tmp_path_factory.mktemp("disk")
    assert swept(problem, place, memory=memory) == listed(problem)


@pytest.mark.full
@given(problem=endless_puzzles(), after=st.integers(0, 60), again=st.integers(0, 60))
def test_a_sweep_that_was_ended_goes_on(problem, after, again, tmp_path_factory):
    """Die twice, at any point: the final count is the same, and no file is left without a checkpoint."""
    place = tmp_path_factory.mktemp("disk")
    steps = 0

    def dying(most):
        left = most

        def go_on(*_):
            nonlocal left, steps
            left, steps = left - 1, steps + 1
            if left < 0:
                raise KilledError

        return go_on

    for most in (after, again):
        try:
            swept(problem, place, dying(most))
        except KilledError:
            left = [file.name for file in next(place.iterdir()).iterdir()]
            assert len(left) in (0, 3)
    assert swept(problem, place) == listed(problem)


def test_the_folder_is_empty_at_the_end_and_a_second_run_takes_up_the_first(tmp_path, monkeypatch):
    monkeypatch.setattr(solve, "SWEPT_FROM", 100)
    problem, limits = triangle(11), Limits(memory=1 << 16, disk=tmp_path)
    taken_up = []
    inner = sweep._taken_up
    monkeypatch.setattr(sweep, "_taken_up", lambda said, work: taken_up.append(said["place"]) or inner(said, work))
    with monkeypatch.context() as full:
        full.setattr(disk.PileOfFiles, "add", after_calls(disk.PileOfFiles.add, 3))
        with pytest.raises(NotSupportedError, match=r"no space left at .*; finished work is kept there"):
            solver("tally")(problem)(None, limits)
    assert [file.name for file in tmp_path.iterdir()] != []
    outcome = solver("tally")(problem)(None, limits)
    assert (outcome.found, outcome.complete) == (STONES_AND_BONES[11], True)
    assert taken_up
    assert list(tmp_path.iterdir()) == []


WAYS = {
    "plain": [],
    "levels in memory beside others on the disk": [(levels._LevelWays, "_room", every_second)],
    "remainders modulo primes": [(levels, "MAX_WAYS", 2)],
    "numbers that become longer": [(levels, "MAX_SHORT", 2)],
    "a hash table of records, several cores": [(levels, "DENSE_BITS", -1), (levels, "ENTRIES_TO_SHARE", 0), (levels, "ENTRIES_A_TURN", 1)],
}


@pytest.mark.full
@every("way", WAYS, fast=1)
@given(problem=cover_problems(), table=puzzles(flat=False), ends=st.lists(st.integers(0, 12), max_size=3))
def test_levels_on_a_disk_give_the_same_count_however_often_the_run_is_ended(way, problem, table, ends, tmp_path_factory):
    place = tmp_path_factory.mktemp("disk")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels._LevelWays, "_room", lambda *_, **__: 0)
        patch.setattr(solve, "can_sweep", lambda *_: False)
        for where, name, value in WAYS[way]:
            patch.setattr(where, name, value)
        try:
            assert ended(problem, place, ends) == len(enumerated(problem))
            problem = build_instance(load(table)).problem
            assert ended(problem, place, ends) == len(solution_set(problem, "backtrack"))
        except NotSupportedError as error:
            assert "fills no position" in str(error)
        except PuzzleError:
            assume(False)
    assert list(place.iterdir()) == []


def ended(problem, place, ends):
    """Return the count of a run that is killed after each number of progress reports in ``ends``, and then runs to its end."""
    for end in ends:
        left = end

        def tell(counters):
            nonlocal left
            left -= 1
            if left < 0:
                raise KilledError

        progress = Progress(lambda what, counters: tell(counters))
        with suppress(KilledError):
            solver("tally")(problem)(None, Limits(disk=place), progress=progress)
    outcome = solver("tally")(problem)(None, Limits(disk=place))
    assert outcome.complete
    return outcome.found


@pytest.mark.full
def test_a_run_goes_on_from_the_last_level(tmp_path, monkeypatch):
    """The second run does not repeat the work of the first."""
    table = {"title": "t", "model": "pentominoes", "form": {"box": [20, 3]}}
    problem = build_instance(load(table)).problem
    monkeypatch.setattr(levels._LevelWays, "_room", lambda *_, **__: 0)
    whole = solver("tally")(problem)(None, Limits(disk=tmp_path))
    assert whole.found == 8
    steps = []
    step = levels._LevelWays._step
    monkeypatch.setattr(levels._LevelWays, "_step", lambda *a, **k: steps.append(1) or step(*a, **k))
    assert ended(problem, tmp_path, [8]) == 8
    assert len(steps) < 2 * 10
    again = solver("tally")(problem)(None, Limits(disk=tmp_path))
    assert again.work["states"] == whole.work["states"]


def after_calls(add, most):
    """The disk becomes full after some calls."""
    calls = 0

    def counted(*arguments):
        nonlocal calls
        calls += 1
        if calls > most:
            raise disk.DiskFullError("there is no space left at x; finished work is kept there")
        add(*arguments)

    return counted


@pytest.mark.full
def test_no_more_than_the_space_that_is_given_is_taken(tmp_path, monkeypatch):
    with pytest.raises(disk.DiskFullError):
        swept(triangle(11), tmp_path, most=20_000)
    assert sum(file.stat().st_size for file in tmp_path.rglob("*")) < 60_000
    assert swept(triangle(11), tmp_path) == STONES_AND_BONES[11]
    monkeypatch.setattr(disk, "RESERVE", 1 << 62)  # a disk with little free space
    with pytest.raises(disk.DiskFullError):
        swept(triangle(8), tmp_path)


@pytest.mark.full
def test_another_problem_does_not_take_up_what_is_there(tmp_path):
    cut_short(tmp_path)
    assert swept(triangle(8), tmp_path) == STONES_AND_BONES[8]
    assert swept(triangle(9), tmp_path) == STONES_AND_BONES[9]


def cut_short(place):
    """Sweep a triangle of 9, and die during the sweep."""

    def die(what, states, share):
        if states > 1000:
            raise KilledError

    with pytest.raises(KilledError):
        swept(triangle(9), place, die)


def test_a_program_of_other_sources_does_not_take_up_what_is_there(tmp_path, monkeypatch):
    made, _, _ = moves.make_moves(triangle(9))
    place = disk.disk_for(tmp_path, None, *made).folder
    assert disk.disk_for(tmp_path, None, *made).folder == place
    assert {sweep.__name__, levels.__name__, sweep.__name__} <= kernel.sources(solve.__name__)
    monkeypatch.setattr(disk, "digest", lambda module: "other")
    assert disk.disk_for(tmp_path, None, *made).folder != place


@pytest.mark.full
@every("damage", ["truncate", "remove", "no checkpoint", "no JSON", "a list"], fast=1)
def test_what_was_damaged_is_not_taken_up(damage, tmp_path):
    cut_short(tmp_path)
    checkpoint = next(tmp_path.rglob(disk.CHECKPOINT))
    column = next(file for file in checkpoint.parent.iterdir() if file.suffix == ".0")
    if damage == "truncate":
        os.truncate(column, column.stat().st_size - 8)
    elif damage == "remove":
        column.unlink()
    elif damage == "no checkpoint":
        checkpoint.unlink()
    else:
        checkpoint.write_text("[1]" if damage == "a list" else "{", encoding="utf-8")
    assert swept(triangle(9), tmp_path) == STONES_AND_BONES[9]


def test_shards_that_are_done_are_not_counted_again(tmp_path, monkeypatch):
    tiles = {"a": {"atoms": [[1, 1, "f"], [2, 1, "f"]]}, "b": {"atoms": [[1, 1, "f"], [2, 1, "f"], [3, 1, "f"]]}}
    table = {"title": "t", "grid": "square", "flips": True, "tiles": tiles, "form": {"box": [5, 1]}}
    problem = build_instance(load(table)).problem
    inner, counted = solve._count_at_once, []

    def in_shards(problem, *arguments):
        counted.append(problem.size)
        if len(counted) == 1 or (len(counted) == 3 and not again):
            raise solve.TooLargeError("too large") if len(counted) == 1 else KilledError
        return inner(problem, *arguments)

    monkeypatch.setattr(solve, "_count_at_once", in_shards)
    again = False
    with pytest.raises(KilledError):
        solver("tally")(problem)(None, Limits(disk=tmp_path))
    first = len(counted) - 1
    counted.clear()
    again = True
    assert solver("tally")(problem)(None, Limits(disk=tmp_path)).found == 2
    assert len(counted) - 1 < first + 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.full
def test_a_command_that_was_killed_goes_on(tmp_path):
    """The command is killed by kill -9 while it runs; the second run ends with the count and an empty folder."""
    instance = tmp_path / "t.toml"
    instance.write_text('title = "T"\nmodel = "stones-and-bones"\n[form]\ntriangle = 17\n', encoding="utf-8")
    place = tmp_path / "disk"
    asked = f"count {instance} --solver tally --memory 0.01 --disk {place} --json"
    command = [sys.executable, "-m", "puzzlesat", *asked.split()]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
        until = monotonic() + 120
        while monotonic() < until and not list(place.rglob(disk.CHECKPOINT)):
            sleep(0.02)
        running.send_signal(signal.SIGKILL)
    assert list(place.rglob(disk.CHECKPOINT))
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f'"all": {STONES_AND_BONES[17]}' in done.stdout
    assert list(place.iterdir()) == []
