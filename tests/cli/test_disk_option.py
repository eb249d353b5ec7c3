"""The options --disk and --disk-space, whose files are removed after a count; and a disk that is full when a store is created."""

import os
import sqlite3
import subprocess
import sys

import pytest
from small_puzzles import fill

from puzzlesat.base.limits import LOCK
from puzzlesat.solvers.tally import disk, solve
from puzzlesat.studies import store

HOLDING = """
import pathlib, sys
from puzzlesat.base.files import locked
with locked(pathlib.Path(sys.argv[1]), "this"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.full
def test_a_count_on_a_disk_leaves_nothing_there(run, tmp_path, monkeypatch):
    monkeypatch.setattr(solve, "SWEPT_FROM", 10)
    result = run("count", "stones-and-bones-triangle-8", "--solver", "tally", "--disk", tmp_path / "new" / "folder", status=0)
    assert "25,321" in result.output
    assert list((tmp_path / "new" / "folder").iterdir()) == []


@pytest.mark.full
def test_a_full_disk_stops_the_count_early_and_keeps_what_was_done(run, tmp_path, monkeypatch):
    monkeypatch.setattr(solve, "SWEPT_FROM", 10)
    monkeypatch.setattr(disk, "RESERVE", 1 << 62)
    result = run("count", "stones-and-bones-triangle-17", "--solver", "tally", "--memory", "0.01", "--disk", str(tmp_path), status=3)
    assert "there is no space left at" in result.output
    assert "not known" in result.output


@pytest.mark.full
def test_a_second_count_in_the_same_folder_is_refused(run, tmp_path):
    """A count of another puzzle is refused too (parts may be the same); after the first process is killed, the folder is free."""
    count = ["count", "stones-and-bones-triangle-8", "--solver", "tally", "--disk"]
    holding = subprocess.Popen([sys.executable, "-c", HOLDING, tmp_path / LOCK], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holding.stdout.readline()
        found = run(*count, tmp_path, status=2)
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


def test_a_disk_that_is_full_when_a_store_is_begun(run, tmp_path, monkeypatch):
    fill(tmp_path, monkeypatch)

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store, "_prepare", full)
    ran = run("count", "dominoes.toml", "--store", "new.sqlite")
    assert ran.exception is None
    assert ran.status == 3, ran.output
    assert "new.sqlite" in ran.output
    assert "standard output" not in ran.output
    assert not os.path.exists("new.sqlite")  # noqa: PTH110
