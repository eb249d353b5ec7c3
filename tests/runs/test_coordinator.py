"""Runs from the first unit to the last, with units that only pretend: what they come to is known."""

from __future__ import annotations

from puzzlesat.runs import coordinator, pretend
from puzzlesat.runs.executors import Processes
from puzzlesat.runs.opening import Heading, open_store

HEADING = Heading("pretended", "1", "{}", audit=0.0)


def total(store):
    return sum(answer.result["found"] for answer in store.answers())


def run(path, task, workers, heading=HEADING, **options):
    with open_store(path, heading) as store:
        store.add([(pretend.SUBJECT, [task])])
        return coordinator.run(store, workers, **options), total(store)


def test_a_run_in_processes(tmp_path):
    workers = Processes(2, pretend.answers)
    end, found = run(tmp_path / "a.sqlite", pretend.task(300, 3), workers)
    assert end.complete
    assert found == pretend.total(range(300))
