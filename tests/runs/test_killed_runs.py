"""Kills at random moments: the next start has every answer that was written, counts nothing twice, and ends right."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from random import Random

import pytest
from pretend import Pretended, board, done
from test_coordinator import Splitting

from puzzlesat.studies.store import open_to_read
from puzzlesat.studies.tables import table

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills are others there")
SUBJECTS = [board(4, 4), board(4, 5), board(4, 6), board(3, 4)]
TRUTH = {"board-4x4": 36, "board-4x5": 95, "board-4x6": 281, "board-3x4": 11}


def answers(path):
    if not path.exists() or not path.stat().st_size:
        return 0
    with open_to_read(path) as store:
        assert store.faults() == []
        return int(store.meta["answers"])


def run_killed(path, seconds, parts):
    """A run in a process of its own, which is killed after some seconds; return whether it had ended."""
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
    done(folder / "warm", SUBJECTS, Splitting() if parts else Pretended(), parts=parts)  # answers are known from here on
    with open_to_read(folder / "warm") as store:
        wanted = {row.puzzle: row.all for row in table(store)}
    assert wanted == TRUTH
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
            assert {row.puzzle: row.all for row in table(store)} == TRUTH
            assert store.faults() == []


def test_some_kills_of_a_run(tmp_path):
    killed_until_done(tmp_path, 4, parts=False)


@pytest.mark.slow
@pytest.mark.parametrize("parts", [False, True])
def test_many_kills_of_a_run(tmp_path, parts):
    killed_until_done(tmp_path, 150, parts=parts)


@pytest.mark.slow
@pytest.mark.parametrize("whom", ["coordinator", "worker"])
def test_real_processes_are_killed_and_the_same_command_goes_on(tmp_path, whom):
    """What is killed again and again gets on: what was lost with it gets less time, until its parts fit."""
    store = tmp_path / "a.sqlite"
    command = [sys.executable, "-m", "puzzlesat", "count", "bedlam", "--store", str(store), "--jobs", "1", "--json"]
    output = ""
    for kills in range(40):
        program = subprocess.Popen(command, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            output, _ = program.communicate(timeout=10 + kills // 2)
            break
        except subprocess.TimeoutExpired:
            if whom == "worker":
                children = subprocess.run(["pgrep", "-P", str(program.pid)], capture_output=True, text=True, check=False).stdout.split()
                for child in children[:1]:
                    os.kill(int(child), signal.SIGKILL)
                output, _ = program.communicate(timeout=170)
                break
            program.kill()
            program.communicate()
            answers(store)
    assert '"all": 460464' in output
    assert '"distinct": 19186' in output
