"""Kills at random moments: the next start has every answer that was written, counts nothing twice, and ends right."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from random import Random

import psutil
import pytest
from pretend import Pretended, board, done
from test_coordinator import Splitting

from puzzlesat.studies.store import open_to_read

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills are others there")
SUBJECTS = [board(4, 4), board(4, 5), board(4, 6), board(3, 4)]
TRUTH = {"board-4x4": 36, "board-4x5": 95, "board-4x6": 281, "board-3x4": 11}


def answers(path):
    with closing(sqlite3.connect(path)) as known:
        if not known.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:  # killed before the end of its first transaction
            return 0
    with open_to_read(path) as store:
        assert store.faults() == []
        return int(store.meta["answers"])


def run_killed(path, seconds, parts):
    """A run in a separate process, which is killed after some seconds; return whether it had ended."""
    child = os.fork()
    if not child:
        try:
            there = Splitting() if parts else Pretended()
            done(path, SUBJECTS, there, parts=parts)
        finally:
            os._exit(0)
    time.sleep(seconds)
    ended, _ = os.waitpid(child, os.WNOHANG)
    if not ended:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return bool(ended)


def killed_until_done(folder, kills, *, parts):
    draw, left, number = Random(kills), kills, 0
    done(folder / "warm", SUBJECTS, Splitting() if parts else Pretended(), parts=parts)  # later calls find the answers in the cache
    with open_to_read(folder / "warm") as store:
        assert {row.puzzle: row.all for row in store.rows()} == TRUTH
    while left > 0:
        path, before = folder / f"{number}", 0
        number += 1
        while left > 0 and not run_killed(path, draw.uniform(0.005, 0.12), parts):
            left -= 1
            known = answers(path)
            assert known >= before
            before = known
        done(path, SUBJECTS, Splitting() if parts else Pretended(), parts=parts)
        with open_to_read(path) as store:
            assert {row.puzzle: row.all for row in store.rows()} == TRUTH
            assert store.faults() == []


def test_some_kills_of_a_run(tmp_path):
    killed_until_done(tmp_path, 4, parts=False)


@pytest.mark.slow
@pytest.mark.parametrize("parts", [False, True])
def test_many_kills_of_a_run(tmp_path, parts):
    killed_until_done(tmp_path, 150, parts=parts)


COMMAND = [sys.executable, "-m", "puzzlesat", "count", "bedlam", "--jobs", "1", "--json", "--store"]


def cpu_seconds(program):
    """The CPU seconds of a program and of its workers."""
    total = 0.0
    with suppress(psutil.Error):
        for process in [program, *program.children(recursive=True)]:
            with suppress(psutil.Error):
                times = process.cpu_times()
                total += times.user + times.system
    return total


@pytest.mark.slow
def test_a_count_that_is_killed_after_a_few_seconds_again_and_again_gets_on(tmp_path):
    """Five CPU seconds of all processes are two and a half seconds on two cores, including the start of Python and numba."""
    store, known = tmp_path / "a.sqlite", [0]
    for _ in range(14):
        with subprocess.Popen([*COMMAND, store], cwd=tmp_path, stdout=subprocess.DEVNULL) as program:
            while program.poll() is None and cpu_seconds(psutil.Process(program.pid)) < 5:
                time.sleep(0.02)
            program.kill()
        known.append(answers(store))
    assert known == sorted(known)
    assert known[-1] > known[4] > 0
    ended(tmp_path, store)


@pytest.mark.slow
def test_a_count_whose_workers_are_killed_ends_right(tmp_path):
    draw, store = Random(1), tmp_path / "a.sqlite"
    with subprocess.Popen([*COMMAND, store], cwd=tmp_path, stdout=subprocess.DEVNULL) as program:
        for _ in range(12):
            time.sleep(draw.uniform(1, 6))
            with suppress(psutil.Error):
                for child in psutil.Process(program.pid).children()[:1]:
                    child.kill()
        program.wait(600)
    ended(tmp_path, store)


def ended(folder, store):
    """Resume the command and assert that it ends with the right result."""
    output = subprocess.run([*COMMAND, store], cwd=folder, capture_output=True, text=True, check=True, timeout=900).stdout
    assert '"all": 460464' in output
    assert '"distinct": 19186' in output
    assert answers(store)
