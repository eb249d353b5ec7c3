"""The sweep of the tally: what does not fit into memory lies on disk, and a run that was ended goes on."""

from __future__ import annotations

import json

import numpy as np
import pytest

from helpers import load
from puzzlesat.cover.build import build
from puzzlesat.errors import PuzzleError
from puzzlesat.solvers.tally import stored, sweep
from puzzlesat.solvers.tally.levels import Work
from puzzlesat.solvers.tally.moves import make_moves
from puzzlesat.solvers.tally.shapes import TooLargeError

MEMORY = 1 << 30


def stones_and_bones(side):
    """The triangle of hexagons; moves and record."""
    cells = [[x, y] for y in range(side) for x in range(side - y)]
    tiles = {"stone": {"atoms": [[0, 0], [1, 0], [0, 1]], "copies": "any"}, "bone": {"atoms": [[0, 0], [1, 0], [2, 0]], "copies": "any"}}
    table = {"title": "Stones and bones", "grid": "hexagon", "flips": True, "tiles": tiles, "form": {"atoms": cells}}
    return make_moves(build(load(table).puzzle).problem)[:2]


def swept(moves, record, memory=MEMORY, disk=None, most=None, go_on=lambda states: None):
    return sum(sweep.sweep(moves, record, most, Work(memory, 2, go_on), disk).values())


# OEIS A377309 (J. Propp; D. Desjardins): terms 12, 14, 15 and 17, the last beyond 64 bits
@pytest.mark.parametrize(
    ("side", "ways"), [(12, 41333676318), (14, 410382321560202), (15, 83918368144461643), (17, 8025244898075570226296)], ids=str
)
def test_stones_and_bones_as_published(side, ways):
    assert swept(*stones_and_bones(side)) == ways


def test_numbers_take_as_many_words_as_they_need():
    """Squares one by one, two kinds of them: 2²⁰⁰ ways, four words."""
    tiles = {name: {"atoms": [[0, 0]], "copies": "any", "marks": []} for name in "ab"}
    tiles["b"] = {"atoms": [[0, 0], [1, 0]], "copies": "any"}
    table = {"title": "Fibonacci", "grid": "square", "flips": True, "turns": "none", "tiles": tiles, "form": {"box": [400, 1]}}
    before, ways = 1, 1
    for _ in range(399):
        before, ways = ways, before + ways
    assert ways > 2**256
    assert swept(*make_moves(build(load(table).puzzle).problem)[:2]) == ways


def test_frontiers_that_do_not_fit_are_refused_with_the_figure_or_lie_on_disk(tmp_path):
    moves, record = stones_and_bones(12)
    with pytest.raises(TooLargeError, match=r"states and the one before need \d+ MiB; allow more with --memory"):
        swept(moves, record, memory=1 << 10)
    assert swept(moves, record, memory=1 << 10, disk=tmp_path) == 41333676318
    assert not any(tmp_path.iterdir())


def test_more_shapes_than_asked_for_are_refused():
    with pytest.raises(TooLargeError, match="more than 100 shapes at once"):
        swept(*stones_and_bones(12), most=100)


class _EndedError(Exception):
    """Somebody ended the run."""


@pytest.mark.parametrize("memory", [MEMORY, 1 << 10], ids=["in memory", "on disk"])
def test_a_run_that_was_ended_goes_on_from_the_frontier_kept(tmp_path, memory):
    moves, record = stones_and_bones(12)
    runs = 0

    def end_after(turns):
        left = iter(range(turns))

        def go_on(states):
            if next(left, None) is None:
                raise _EndedError

        return go_on

    positions = []
    while True:
        try:
            ways = swept(moves, record, memory, tmp_path, go_on=end_after(40))
            break
        except _EndedError:
            runs += 1
            (folder,) = tmp_path.iterdir()
            positions.append(json.loads((folder / stored.NAMED).read_text())["position"])
            assert len(list(folder.iterdir())) == 2, "one frontier, and what is said of it"
    assert ways == 41333676318
    assert runs >= 3
    assert positions == sorted(set(positions))
    assert not any(tmp_path.iterdir())


def test_a_frontier_is_kept_now_and_then_so_that_a_kill_loses_little(tmp_path, monkeypatch):
    monkeypatch.setattr(sweep, "SECONDS_TO_KEEP", 0)
    moves, record = stones_and_bones(9)
    kept = []
    keep_frontier = sweep.keep_frontier

    def keep_and_look(folder, position, frontier):
        keep_frontier(folder, position, frontier)
        found, again = stored.kept_frontier(folder)
        assert found == position
        assert np.array_equal(again.key, frontier.key)
        assert np.array_equal(again.ways, frontier.ways)
        kept.append(position)

    monkeypatch.setattr(sweep, "keep_frontier", keep_and_look)
    assert swept(moves, record, disk=tmp_path) == 591103
    assert kept == list(range(1, 46))


def test_another_problem_does_not_go_on_from_what_was_kept(tmp_path):
    def ended(states):
        if states > 1000:
            raise _EndedError

    with pytest.raises(_EndedError):
        swept(*stones_and_bones(12), disk=tmp_path, go_on=ended)
    assert any(tmp_path.iterdir())
    assert swept(*stones_and_bones(11), disk=tmp_path) == 603105309
    assert swept(*stones_and_bones(12), disk=tmp_path) == 41333676318


def test_a_folder_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(PuzzleError, match="file: Not a directory; name another folder with --disk"):
        swept(*stones_and_bones(6), disk=tmp_path / "file")


def test_a_full_disk_is_named_and_what_was_kept_stays(tmp_path, monkeypatch):
    moves, record = stones_and_bones(12)
    allocate = stored.os.posix_fallocate

    def full(file, begin, size):
        if size > 20_000:
            raise OSError(28, "No space left on device")
        allocate(file, begin, size)

    monkeypatch.setattr(stored.os, "posix_fallocate", full)
    with pytest.raises(PuzzleError, match="No space left on device for a frontier of"):
        swept(moves, record, memory=1 << 10, disk=tmp_path)
    monkeypatch.undo()
    (folder,) = tmp_path.iterdir()
    assert json.loads((folder / stored.NAMED).read_text())["position"] > 5
    assert swept(moves, record, memory=1 << 10, disk=tmp_path) == 41333676318
