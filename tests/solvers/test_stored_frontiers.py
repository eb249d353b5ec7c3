"""What does not fit into memory lies on disk, and a sweep that was ended goes on."""

from __future__ import annotations

import json
import resource
import signal

import numpy as np
import pytest
from test_sweep import STONES_AND_BONES, triangle

from puzzlesat.errors import PuzzleError
from puzzlesat.solvers.tally import stored, sweep
from puzzlesat.solvers.tally.moves import make_moves

MEMORY = 1 << 30
LITTLE = 1 << 12


def swept(side, memory=MEMORY, disk=None, go_on=lambda states: None):
    moves, _, _ = make_moves(triangle(side))
    return sweep.sweep(moves, sweep.Sweep(memory, 2, go_on, disk=disk))


def test_frontiers_that_do_not_fit_lie_on_disk(tmp_path):
    with pytest.raises(sweep.TooLargeError, match="allow more with --memory, or a folder for them with --disk"):
        swept(12, LITTLE)
    on_disk = 0

    def go_on(states):
        nonlocal on_disk
        on_disk += any(path.suffix == ".states" for path in tmp_path.glob("*/*"))

    assert swept(12, LITTLE, tmp_path, go_on) == STONES_AND_BONES[12]
    assert on_disk > 30
    assert not any(tmp_path.iterdir())


class _EndedError(Exception):
    """Somebody ended the run."""


def ended_after(turns):
    left = iter(range(turns))

    def go_on(states):
        if next(left, None) is None:
            raise _EndedError

    return go_on


@pytest.mark.parametrize("memory", [MEMORY, LITTLE], ids=["in memory", "on disk"])
def test_a_run_that_was_ended_goes_on_from_the_frontier_kept(tmp_path, memory):
    places = []
    while True:
        try:
            ways = swept(12, memory, tmp_path, ended_after(20))
            break
        except _EndedError:
            (folder,) = tmp_path.iterdir()
            places.append(json.loads((folder / stored.KEPT).read_text())["place"])
            assert len(list(folder.iterdir())) == 3, "one frontier, and what is said of it"
    assert ways == STONES_AND_BONES[12]
    assert len(places) >= 3
    assert places == sorted(set(places))
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("memory", [MEMORY, LITTLE], ids=["in memory", "on disk"])
def test_a_frontier_is_kept_now_and_then_so_that_a_kill_loses_little(tmp_path, monkeypatch, memory):
    monkeypatch.setattr(sweep, "SECONDS_TO_KEEP", -1)
    kept = []
    keep_frontier = sweep.keep_frontier

    def keep_and_look(folder, place, frontier):
        keep_frontier(folder, place, frontier)
        found, again = stored.kept_frontier(folder)
        assert found == place
        assert np.array_equal(again.key, frontier.key)
        assert np.array_equal(again.ways, frontier.ways)
        kept.append(place)

    monkeypatch.setattr(sweep, "keep_frontier", keep_and_look)
    assert swept(9, memory, tmp_path) == STONES_AND_BONES[9]
    assert kept == list(range(1, 46))


def test_another_problem_does_not_go_on_from_what_was_kept(tmp_path):
    with pytest.raises(_EndedError):
        swept(12, disk=tmp_path, go_on=ended_after(30))
    assert any(tmp_path.iterdir())
    assert swept(11, disk=tmp_path) == STONES_AND_BONES[11]
    assert swept(12, disk=tmp_path) == STONES_AND_BONES[12]


def test_a_folder_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(PuzzleError, match="file: Not a directory; name another folder with --disk"):
        swept(6, disk=tmp_path / "file")


def test_a_full_disk_is_named_and_what_was_kept_stays(tmp_path):
    """A limit on the size of files stands for the disk."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(PuzzleError, match=r"File too large for a frontier of more than [\d,]+ states; name another folder with --disk"):
            swept(12, LITTLE, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    (folder,) = tmp_path.iterdir()
    assert json.loads((folder / stored.KEPT).read_text())["place"] > 5
    assert swept(12, LITTLE, tmp_path) == STONES_AND_BONES[12]


def test_what_was_cut_off_is_not_gone_on_from(tmp_path):
    with pytest.raises(_EndedError):
        swept(12, disk=tmp_path, go_on=ended_after(60))
    (path,) = tmp_path.glob("*/*.ways")
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(PuzzleError, match=r"ways: it has [\d,]+ bytes, not [\d,]+, so what was kept there is of no use; remove its folder"):
        swept(12, disk=tmp_path)


@pytest.mark.parametrize("size", [5_000, 12_000, 20_001])
def test_wherever_writing_ends_nothing_is_lost_unseen(tmp_path, size):
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        with pytest.raises(PuzzleError, match="name another folder"):
            swept(11, LITTLE, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert swept(11, LITTLE, tmp_path) == STONES_AND_BONES[11]
