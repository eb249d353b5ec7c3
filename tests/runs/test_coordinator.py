"""Runs from the first unit to the last, with units that only pretend: their total is known. Faults are injected.

Most workers are played within this process; a test whose subject is a real process belongs to the full tier.
"""

import os
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import pairwise
from threading import Event

import pretend
import pytest
from liar import within

import puzzlesat
from puzzlesat.base.errors import PuzzleError
from puzzlesat.base.processes import ChildEndedError
from puzzlesat.base.progress import SHARE, Progress
from puzzlesat.studies import audit, coordinator, store
from puzzlesat.studies.executors import OfExecutor, Processes
from puzzlesat.studies.opening import StudyHeading, open_store, open_to_read
from puzzlesat.studies.units import Job
from tiers import every

HEADING = StudyHeading("pretended", "1", "{}", audit=0.0)
TWICE = replace(HEADING, audit=1.0)


@pytest.fixture
def mortal(monkeypatch):
    """A played worker that is to kill its process is lost, as if it were one."""
    real = os.kill

    def kill(process, number):
        if process == os.getpid():
            raise ChildEndedError(-number)
        real(process, number)

    monkeypatch.setattr(os, "kill", kill)


def processes(number, do=pretend.answers):
    """Real processes."""
    return Processes(number, do=do)


def run(path, tasks, workers=None, heading=HEADING, **options):
    """Run one task or several, and return how that ended."""
    with open_store(path, heading) as kept:
        kept.connection.execute("PRAGMA synchronous = OFF")
        kept.add([(pretend.SUBJECT, tasks if isinstance(tasks, list) else [tasks])])
        return coordinator.run(kept, workers or within(), **options)


def single(numbers, **others):
    """Tasks of one number each."""
    return [pretend.task(n + 1, **others) | {"from": n} for n in range(numbers)]


def found(path):
    """The total of the answers that stand, and the numbers that they are of, which must be disjoint."""
    with open_to_read(path) as kept:
        answers = list(kept.answers())
    numbers = Counter(n for answer in answers for part in answer.result["parts"] for n in range(*part))
    assert set(numbers.values()) <= {1}
    return sum(answer.result["found"] for answer in answers), sorted(numbers)


def is_whole(path, numbers):
    return found(path) == (pretend.total(range(numbers)), list(range(numbers)))


def units(path):
    with open_to_read(path) as kept:
        return list(kept.units())


def answers(path):
    with open_to_read(path) as kept:
        return list(kept.answers(standing=False))


def fault(at, kind, **others):
    return {"at": at, "kind": kind, **others}


def states(**numbers):
    """Numbers of units in all states."""
    return dict.fromkeys(store.STATES, 0) | {getattr(store, name): number for name, number in numbers.items()}


@every("workers, number", [(within, 1), (within, 3), pytest.param(processes, 2, id="processes")], fast=("1", "3"))
def test_every_unit_is_done_once(tmp_path, workers, number):
    path, told = tmp_path / "study.sqlite", []
    end = run(path, pretend.task(100, 3), workers(number), progress=Progress(lambda _, counters: told.append(counters)))
    assert (end.complete, end.sentences) == (True, [])
    assert is_whole(path, 100)
    done = units(path)
    assert Counter(answer.unit for answer in answers(path)) == dict.fromkeys((unit.id for unit in done), 1)
    assert told[-1] == {SHARE: 1_000_000, "units": len(done), "open_units": 0, "cpu_seconds": told[-1]["cpu_seconds"]}
    assert all(counters["units"] >= before["units"] for before, counters in pairwise(told))
    before, idle = path.read_bytes()[200:], within()
    idle.submit = None
    assert run(path, pretend.task(100, 3), idle).complete
    assert path.read_bytes()[200:] == before


def test_it_goes_on_where_it_was_stopped(path):
    """At any moment; what a worker had finished is kept."""
    ends = []
    for most in (3, 10, 40, 10**9):
        stop = Event()
        listener = lambda _, counters: counters["units"] > most and stop.set()  # noqa: B023, E731
        ends.append(run(path, pretend.task(100), stop=stop, progress=Progress(listener)))
    assert [end.stopped for end in ends] == [True, True, True, False]
    assert [end.complete for end in ends] == [False, False, False, True]
    assert "run it again to resume" in ends[0].sentences[-1]
    assert is_whole(path, 100)
    assert len(answers(path)) == len(units(path))


@every("wrong", ["first", "audit"])
def test_a_wrong_answer_is_caught_and_settled_by_others(tmp_path, monkeypatch, wrong):
    path = tmp_path / "study.sqlite"
    monkeypatch.setattr(audit, "FEW_UNITS", 0)
    end = run(path, single(12, faults=[fault(7, "wrong", roles=[wrong])]), heading=TWICE)
    assert end.complete
    assert is_whole(path, 12)
    (who,) = end.caught
    of_unit = [answer for answer in answers(path) if answer.unit == who.unit]
    roles = [answer.role for answer in of_unit]
    assert roles == ["first", "audit", "third", *["again"] * roles.count("again")]
    lie = next(answer for answer in of_unit if answer.role == wrong)  # it is still there
    assert (who.host, who.process, lie.counts) == (lie.host, lie.process, False)
    assert {answer.result["found"] for answer in of_unit if answer is not lie} == {lie.result["found"] - 1}
    assert "1 process gave answers that were refuted; its answers are computed again, and more often" in end.sentences[0]
    said_of = answers(path)
    for unit in units(path):  # all that the machine did was done by five who were not caught
        said = {answer.process for answer in said_of if answer.unit == unit.id and answer.process != who.process}
        assert len(said) >= 5
        assert unit.alike >= 5
    unseen = path.with_name("unseen")  # without an audit nobody sees it
    assert run(unseen, pretend.task(30, faults=[fault(7, "wrong")])).complete
    assert found(unseen)[0] == pretend.total(range(30)) + 1


@every("workers", [within, processes], fast=1)
def test_a_unit_that_ends_its_worker_is_set_aside(tmp_path, mortal, workers):
    path = tmp_path / "study.sqlite"
    told, task = [], pretend.task(60, 2, faults=[fault(10, "dies")])
    end = run(path, task, workers(2), progress=Progress(lambda _, counters: told.append(counters)))
    assert (end.states[store.SET_ASIDE], told[-1]["open_units"]) == (1, 0)
    assert end.sentences == ["1 unit set aside: the next start tries again"]
    [unit] = [unit for unit in units(path) if unit.state == store.SET_ASIDE]
    assert unit.deaths == store.MOST_DEATHS
    assert "ended the process" in unit.error


@pytest.mark.full
def test_units_that_end_their_workers_do_not_keep_others_from_being_done(path, mortal):
    """Many, and first among many; at the next start they are well."""
    tasks = single(60)
    for n in (0, 1, 2, 30, 59):
        files = [str(path.with_name(f"{n} {k}")) for k in range(store.MOST_DEATHS + 1)]  # once perhaps with others
        tasks[n]["faults"] = [fault(n, "dies", once=file) for file in files]
    end = run(path, tasks)
    assert (end.states, end.why) == (states(DONE=55, SET_ASIDE=5), None)
    assert {unit.deaths for unit in units(path) if unit.state == store.DONE} == {0}  # alone they were well
    assert run(path, tasks).complete
    assert is_whole(path, 60)


def raises(jobs):
    """A worker with a bug."""
    if any(job.task["from"] == 5 for job in jobs):
        raise ValueError("what nobody thought of")
    return pretend.answers(jobs)


def leaves_off(jobs):
    """A worker that never finishes one unit, without being told to stop."""
    return [replace(answer, complete=answer.unit != 6) for answer in pretend.answers(jobs)]


BLAMED = [
    ([fault(4, "bad")], pretend.answers, "this number cannot be added"),
    ([], raises, "ValueError: what nobody thought of"),
    ([], leaves_off, "its workers stopped 3 times without an answer"),
]


@every("faults, do, words", BLAMED)
def test_an_error_is_the_unit_s_alone(tmp_path, faults, do, words):
    path = tmp_path / "study.sqlite"
    assert run(path, single(20, faults=faults), within(do=do)).states == states(DONE=19, SET_ASIDE=1)
    assert [unit.error for unit in units(path) if unit.error] == [words]


@pytest.mark.full
def test_a_worker_that_hangs_is_killed(path, monkeypatch, tmp_path):
    """The clock leaps half a second after one hangs, and not before: on a busy machine others may take long."""
    monkeypatch.setattr(coordinator, "SLACK_SECONDS", 20.0)
    monkeypatch.setattr(coordinator, "LOOK_FOR_HUNG_SECONDS", 0.1)
    hung = [tmp_path / f"hung {k}" for k in range(2 + store.MOST_DEATHS)]

    def clock():
        long_hung = [file for file in hung if file.exists() and time.time() - file.stat().st_mtime > 0.5]
        return time.monotonic() + 100 * len(long_hung)

    monkeypatch.setattr(coordinator, "monotonic", clock)
    end = run(path, pretend.task(10, seconds=0.01, faults=[fault(3, "hangs", once=str(hung[0]))]), processes(2))
    assert hung[0].exists()
    assert end.complete
    assert is_whole(path, 10)
    other = path.with_name("other.sqlite")
    faults = [fault(3, "hangs", once=str(file)) for file in hung[1:]]  # once perhaps with others
    end = run(other, pretend.task(4, seconds=0.01, faults=faults), processes(1))
    assert end.states == states(DONE=3, SET_ASIDE=1)
    assert "no answer long after" in units(other)[-1].error


def lacks(jobs):
    """A worker whose puzzlesat is so old that it has no runs."""
    raise ModuleNotFoundError("No module named 'puzzlesat.studies'")


def test_workers_of_another_version_are_refused(path, monkeypatch):
    with pytest.raises(PuzzleError, match=r"needs puzzlesat 0\."):
        run(path, pretend.task(10), within(do=lacks))
    monkeypatch.setattr(store, "VERSION", "0.0.1")
    with pytest.raises(PuzzleError, match="must be the same"):
        run(path.with_name("other"), pretend.task(10))
    for refused in (path, path.with_name("other")):
        assert [unit.state for unit in units(refused)] == [store.OPEN]
        assert answers(refused) == []


def dies(jobs):
    """A worker in which nothing works."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_workers_that_all_die_are_no_unit_s_fault(path, mortal):
    end = run(path, single(50), within(do=dies), patience=0.1)
    assert end.states == states(OPEN=50)
    assert end.why.startswith("there is no living worker (")
    assert run(path, pretend.task(1)).complete


@pytest.mark.full
def test_jobs_that_need_much_memory_are_not_done_at_once():
    workers = Processes(3, do=pretend.answers, memory=10)
    jobs = [
        Job(n, pretend.SUBJECT, pretend.task(1, sleep=0.2), memory=size, version=puzzlesat.__version__)
        for n, size in enumerate([8, 8, 2, 99])
    ]
    try:
        first = workers.submit(jobs[:1])
        assert workers.submit(jobs[1:2]) is None
        wait([first, workers.submit(jobs[2:3])])
        second = workers.submit(jobs[1:2])
        assert workers.submit(jobs[3:]) is None
        wait([second])
        assert workers.submit(jobs[3:]).result()  # more than there is: it is tried alone
    finally:
        workers.end()


def test_any_executor_will_do(path):
    with ThreadPoolExecutor(3) as threads:
        assert run(path, pretend.task(20), OfExecutor(threads, 3, do=pretend.answers), heading=TWICE).complete
        assert threads.submit(int, "1").result() == 1  # it belongs to whoever gave it
    assert is_whole(path, 20)
