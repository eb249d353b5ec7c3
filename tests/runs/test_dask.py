"""A study with the workers of a real Dask cluster, in which a worker or the scheduler is killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress

import pytest

from puzzlesat.base.errors import PuzzleError
from puzzlesat.studies import Study, open_to_read, run_study, workers

distributed = pytest.importorskip("distributed")
STUDY = {"name": "S", "puzzles": [{"from": ["dominoes-4x4", "dominoes-6x6"]}], "steps": [{"find": "count"}]}


def test_where_no_scheduler_answers():
    with pytest.raises(PuzzleError, match="no scheduler answers there"), workers(None, "tcp://127.0.0.1:1"):
        pass
    with pytest.raises(PuzzleError, match="--jobs is for processes"), workers(2, "tcp://127.0.0.1:1"):
        pass


@pytest.mark.full
@pytest.mark.parametrize("kill", [False, True])
def test_units_are_answered_by_a_cluster(tmp_path, kill):
    study = Study.of(STUDY, tmp_path / "study.toml")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        if kill:
            number = next(iter(cluster.workers.values())).process.pid
            timer = threading.Timer(3.0, os.kill, (number, signal.SIGKILL))
            timer.start()
        with workers(None, cluster.scheduler_address) as there:
            ran = run_study(study, tmp_path / "a.sqlite", there)
    assert ran.complete, ran.why
    assert [(row.puzzle, row.all, row.agree) for row in ran.rows] == [("dominoes-4x4", 36, True), ("dominoes-6x6", 6728, True)]


class Cluster:
    """A scheduler and two workers, each a separate process, at a fixed address."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address, self.folder, self.processes = f"tcp://127.0.0.1:{self.port}", folder, []

    def start(self):
        scheduler = ["scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"]
        worker = ["worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(self.folder)]
        for words in (scheduler, worker, worker):
            command = [sys.executable, "-m", "dask", *words]
            self.processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True))
            if words is scheduler:
                self.wait()

    def wait(self):
        """Wait until the scheduler accepts connections."""
        until = time.monotonic() + 120
        while time.monotonic() < until:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            time.sleep(0.1)
        raise TimeoutError

    def kill(self):
        """Kill the scheduler first, then its workers and their children."""
        for process in self.processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.processes = []


@pytest.mark.slow
def test_a_scheduler_that_is_killed_and_started_again_loses_nothing(tmp_path):
    study = Study.of(STUDY, tmp_path / "study.toml")
    cluster, store, known = Cluster(tmp_path), tmp_path / "a.sqlite", []

    def heard(_):
        if not known:
            with open_to_read(store) as seen:
                known.append(int(seen.meta["answers"]))
            cluster.kill()
            cluster.start()

    with ExitStack() as stack:
        stack.callback(cluster.kill)
        cluster.start()
        there = stack.enter_context(workers(None, cluster.address))
        ran = run_study(study, store, there, heard=heard)
    assert known, ran.why
    assert ran.complete, ran.why
    assert [(row.puzzle, row.all, row.agree) for row in ran.rows] == [("dominoes-4x4", 36, True), ("dominoes-6x6", 6728, True)]
    with open_to_read(store) as seen:
        assert seen.faults() == []
        assert int(seen.meta["answers"]) >= known[0]
