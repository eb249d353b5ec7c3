"""A study by the workers of a real Dask cluster, one of which is killed."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from puzzlesat.base.errors import PuzzleError
from puzzlesat.studies.executors import workers
from puzzlesat.studies.running import run_study
from puzzlesat.studies.study import study_from

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
    study = study_from(STUDY, tmp_path / "study.toml")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        if kill:
            number = next(iter(cluster.workers.values())).process.pid
            timer = threading.Timer(3.0, os.kill, (number, signal.SIGKILL))
            timer.start()
        with workers(None, cluster.scheduler_address) as there:
            ran = run_study(study, tmp_path / "a.sqlite", there)
    assert ran.complete, ran.why
    assert [(row.puzzle, row.all, row.agree) for row in ran.rows] == [("dominoes-4x4", 36, True), ("dominoes-6x6", 6728, True)]
