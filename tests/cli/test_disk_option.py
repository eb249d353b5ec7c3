"""The options --disk and --disk-space: bad ones get one message, and nothing is left of a count."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from puzzlesat.counting.tallied import LOCK
from puzzlesat.files import locked
from puzzlesat.solvers.tally import disk, solve

HOLDING = """
import pathlib, sys
from puzzlesat.files import locked
with locked(pathlib.Path(sys.argv[1]), "this"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_count_on_a_disk_leaves_nothing_there(run, tmp_path, monkeypatch):
    monkeypatch.setattr(solve, "SWEPT_FROM", 10)
    result = run("count", "stones-and-bones-triangle-8", "--solver", "tally", "--disk", tmp_path / "new" / "folder")
    assert result.status == 0
    assert "25,321" in result.output
    assert list((tmp_path / "new" / "folder").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_bad_usage(run, tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    result = run("count", "stones-and-bones-triangle-8", "--solver", "tally", "--disk", str(tmp_path / "file"))
    assert result.status == 2
    assert "--disk" in result.output
    assert "choose a folder in which you may write" in result.output
    assert result.exception is None


@pytest.mark.parametrize("space", ["0", "-1", "much"])
def test_a_bad_size_is_bad_usage(run, space, tmp_path):
    result = run("count", "stones-and-bones-triangle-8", "--disk", str(tmp_path), "--disk-space", space)
    assert result.status == 2
    assert "--disk-space" in result.output


def test_a_full_disk_stops_the_count_early_and_keeps_what_was_done(run, tmp_path, monkeypatch):
    monkeypatch.setattr(solve, "SWEPT_FROM", 10)
    monkeypatch.setattr(disk, "RESERVE", 1 << 62)
    result = run("count", "stones-and-bones-triangle-17", "--solver", "tally", "--memory", "0.01", "--disk", str(tmp_path))
    assert result.status == 3
    assert "there is no space left at" in result.output
    assert "not known" in result.output


def test_a_second_count_in_the_same_folder_is_refused(run, tmp_path):
    """Also of another puzzle: parts of both may be the same. After a kill, the folder is free."""
    count = ["count", "stones-and-bones-triangle-8", "--solver", "tally", "--disk"]
    holding = subprocess.Popen([sys.executable, "-c", HOLDING, tmp_path / LOCK], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holding.stdout.readline()
        found = run(*count, tmp_path)
        assert (found.status, found.exception) == (2, None)
        at_work = f"process {holding.pid} is using it; wait until it is done, or choose another; nothing was changed"
        assert found.output == f"puzzlesat: --disk {tmp_path}: {at_work}\n"
        assert [p.name for p in tmp_path.iterdir()] == [LOCK]
        assert run(*count, tmp_path / "other").status == 0
    finally:
        holding.kill()
        holding.communicate()
    assert (tmp_path / LOCK).exists(), "it was killed"
    assert run(*count, tmp_path).status == 0
    assert [p.name for p in tmp_path.iterdir()] == ["other"]


def test_a_folder_that_this_process_uses_already(run, tmp_path):
    with locked(tmp_path / LOCK, "this"):
        found = run("count", "stones-and-bones-triangle-8", "--solver", "tally", "--disk", tmp_path)
    assert found.status == 2
    assert f"process {os.getpid()} is using it" in found.output
