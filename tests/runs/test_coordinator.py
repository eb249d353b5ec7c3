"""Runs from the first unit to the last, with units that only pretend: what they come to is known. What goes wrong is injected."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import pairwise
from multiprocessing import get_context
from threading import Event

import pytest

import puzzlesat
from puzzlesat.children import ChildEndedError
from puzzlesat.errors import PuzzleError
from puzzlesat.progress import SHARE, Progress
from puzzlesat.runs import coordinator, line, pretend, store
from puzzlesat.runs.executors import OfExecutor, Processes
from puzzlesat.runs.jobs import Job
from puzzlesat.runs.opening import Heading, open_store, open_to_read

HEADING = Heading("pretended", "1", "{}", audit=0.0)
TWICE = replace(HEADING, audit=1.0)
PATIENCE = 60.0


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


def run(path, task, workers=None, heading=HEADING, **options):
    """Run, and return how that ended."""
    with open_store(path, heading) as kept:
        kept.add([(pretend.SUBJECT, [task])])
        return coordinator.run(kept, workers or Processes(2, do=pretend.answers), **options)


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


def answers_as_they_came(path):
    with open_to_read(path) as kept:
        order = dict(kept.connection.execute("SELECT unit, id FROM answers"))
        return sorted(kept.answers(), key=lambda answer: order[answer.unit])


def fault(at, kind, **others):
    return {"at": at, "kind": kind, **others}


# what goes well --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_unit_is_done_once(path, jobs):
    end = run(path, pretend.task(300, 3), Processes(jobs, do=pretend.answers))
    assert end.complete
    assert end.sentences == []
    assert is_whole(path, 300)
    assert Counter(answer.unit for answer in answers(path)) == dict.fromkeys((unit.id for unit in units(path)), 1)


def test_a_run_that_is_done_does_nothing_more(path):
    run(path, pretend.task(10))
    before = path.read_bytes()[200:]
    workers = Processes(1, do=pretend.answers)
    workers.submit = None
    assert run(path, pretend.task(10), workers).complete
    assert path.read_bytes()[200:] == before


def test_tiny_units_go_and_come_in_batches(path, monkeypatch):
    written = []
    record = store.Store.record
    monkeypatch.setattr(store.Store, "record", lambda kept, answers, seen=None: written.append(len(answers)) or record(kept, answers, seen))
    with open_store(path, HEADING) as kept:
        kept.add([(pretend.SUBJECT, [pretend.task(n + 1) | {"from": n} for n in range(2000)])])
        assert coordinator.run(kept, Processes(2, do=pretend.answers)).complete
    assert sum(written) == 2000
    assert len(written) < 200
    assert is_whole(path, 2000)


def test_nobody_waits_behind_a_long_one(path):
    """One unit of seconds among tiny ones, with which it may be taken together: a few of those, and none while another process is free."""
    with open_store(path, HEADING) as kept:
        seconds = {300: 2.0}
        kept.add([(pretend.SUBJECT, [pretend.task(n + 1, sleep=seconds.get(n, 0.001)) | {"from": n} for n in range(400)])])
        assert coordinator.run(kept, Processes(2, do=pretend.answers)).complete
    order = [answer.unit for answer in answers_as_they_came(path)]
    assert len(order) - order.index(301) < 40


def test_units_of_which_some_take_long_are_not_taken_together(path, monkeypatch):
    monkeypatch.setattr(line, "BATCH_SECONDS", 0.05)
    sizes = []
    submit = Processes.submit
    monkeypatch.setattr(
        Processes, "submit", lambda self, jobs, apart=(), **how: sizes.append(len(jobs)) or submit(self, jobs, apart, **how)
    )
    with open_store(path, HEADING) as kept:
        kept.add([(pretend.SUBJECT, [pretend.task(n + 1, sleep=0.1 * (n % 5 == 0)) | {"from": n} for n in range(100)])])
        assert coordinator.run(kept, Processes(2, do=pretend.answers)).complete
    assert max(sizes[10:]) <= 2


def test_it_goes_on_where_it_was_stopped(path):
    """At any moment; what a worker had finished is kept."""
    ends = []
    for most in (3, 10, 40, 10**9):
        stop = Event()
        listener = lambda _, counters: counters["units"] > most and stop.set()  # noqa: B023, E731
        ends.append(run(path, pretend.task(100, sleep=0.01), stop=stop, progress=Progress(listener)))
    assert [end.stopped for end in ends] == [True, True, True, False]
    assert [end.complete for end in ends] == [False, False, False, True]
    assert "run it again to resume" in ends[0].sentences[-1]
    assert is_whole(path, 100)
    assert len(answers(path)) == len(units(path))


def test_it_tells_how_far_it_is(path):
    told = []
    run(path, pretend.task(50), progress=Progress(lambda _, counters: told.append(counters)))
    assert told[-1] == {SHARE: 1_000_000, "units": 50, "open_units": 0, "cpu_seconds": told[-1]["cpu_seconds"]}
    assert all(counters["units"] >= before["units"] for before, counters in pairwise(told))


def test_the_time_of_day_plays_no_part(path, monkeypatch):
    """It jumps by years between any two looks at it."""
    chance = random.Random(1)
    monkeypatch.setattr(time, "time", lambda: chance.uniform(0, 2**32))
    monkeypatch.setattr(time, "time_ns", lambda: chance.randrange(2**62))
    monkeypatch.setattr(store, "now", lambda: f"{chance.randrange(1900, 2999)}-01-01")
    assert run(path, pretend.task(60, sleep=0.002, seconds=1), heading=TWICE).complete
    assert is_whole(path, 60)


# audits ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(("numbers", "roles"), [(40, ["first", "audit", "again"]), (90, ["first", "audit"])])
def test_what_is_done_again_is_done_by_another_process(path, jobs, numbers, roles):
    """Three times where there are few units; one process alone is replaced by others."""
    assert run(path, pretend.task(numbers, sleep=0.005), Processes(jobs, do=pretend.answers), heading=TWICE).complete
    by = {}
    for answer in answers(path):
        by.setdefault(answer.unit, []).append((answer.role, answer.process))
    assert all([role for role, _ in same] == roles for same in by.values())
    assert all(len({process for _, process in same}) == len(roles) for same in by.values())
    assert {unit.alike for unit in units(path)} == {len(roles)}


def test_who_must_not_do_an_audit_does_something_else_until_another_is_free(path):
    """The first process has counted what is to be audited, the second is busy for long."""
    short, long = pretend.task(1, sleep=0.02), pretend.task(2, sleep=3.0) | {"from": 1}
    more = [pretend.task(n + 1, sleep=0.02) | {"from": n} for n in range(2, 8)]
    with open_store(path, replace(HEADING, audit=1e-9)) as kept:  # of its own accord it does none again
        kept.add([(pretend.SUBJECT, [short | {"audit": True}, long, *more])])
        assert coordinator.run(kept, Processes(2, do=pretend.answers)).complete
    same = [answer for answer in answers(path) if answer.unit == 1]
    assert [answer.role for answer in same] == ["first", "audit", "again"]
    assert len({answer.process for answer in same}) == 3
    came = {answer.unit: number for number, answer in enumerate(answers_as_they_came(path))}
    assert all(came[unit] < came[1] for unit in came if unit > 2)  # others did not wait for that


def test_a_share_is_done_twice(path):
    with open_store(path, replace(HEADING, audit=0.1)) as kept:
        kept.add([(pretend.SUBJECT, [pretend.task(n + 1) | {"from": n} for n in range(1000)])])
        assert coordinator.run(kept, Processes(2, do=pretend.answers)).complete
    assert 50 < sum(answer.role == "audit" for answer in answers(path)) < 150
    assert sum(unit.audit for unit in units(path)) == sum(answer.role == "audit" for answer in answers(path))
    assert {(unit.audit, unit.alike) for unit in units(path)} == {(True, 2), (False, 1)}
    assert is_whole(path, 1000)


@pytest.mark.parametrize("wrong", ["first", "audit"])
def test_a_wrong_answer_is_caught_and_settled_by_others(path, wrong):
    end = run(path, pretend.task(90, faults=[fault(7, "wrong", roles=[wrong])]), Processes(2, do=pretend.answers), heading=TWICE)
    assert end.complete
    assert is_whole(path, 90)
    (who,) = end.caught
    of_unit = [answer for answer in answers(path) if answer.unit == who.unit]
    roles = [answer.role for answer in of_unit]
    assert roles == ["first", "audit", *["third"] * roles.count("third"), *["again"] * roles.count("again")]
    assert 1 <= roles.count("third") <= 2  # three are needed as long as few units are known
    lie = next(answer for answer in of_unit if answer.role == wrong)  # it is still there
    assert (who.host, who.process, lie.counts) == (lie.host, lie.process, False)
    assert {answer.result["found"] for answer in of_unit if answer is not lie} == {lie.result["found"] - 1}
    assert "1 process gave answers that were refuted; its answers are computed again, and more often" in end.sentences[0]
    for unit in units(path):  # all that the machine did was done by five who were not caught
        said = {answer.process for answer in answers(path) if answer.unit == unit.id and answer.process != who.process}
        assert len(said) >= 5
        assert unit.alike >= 5


def test_answers_that_always_differ_stay_open_to_everybody(path):
    faults = [fault(7, "wrong", by=3 + 2**k, once=str(path.with_name(f"fault {k}"))) for k in range(6)]
    end = run(path, pretend.task(30, faults=faults), heading=TWICE)
    assert not end.complete
    assert end.states == dict.fromkeys(store.STATES, 0) | {store.DONE: 29, store.UNSETTLED: 1}
    assert "no total that includes them is complete" in end.sentences[-1]
    before = len(answers(path))
    again = run(path, pretend.task(30, faults=faults), heading=TWICE)
    assert (again.states, len(answers(path))) == (end.states, before)  # a new start changes nothing


def test_without_an_audit_nobody_sees_a_wrong_answer(path):
    """So the tests above see what they say."""
    assert run(path, pretend.task(30, faults=[fault(7, "wrong")])).complete
    assert found(path)[0] == pretend.total(range(30)) + 1


# units that fail -------------------------------------------------------------------------------------------------------------


def test_a_unit_that_ends_its_worker_is_set_aside(path):
    end = run(path, pretend.task(60, 2, faults=[fault(10, "dies")]))
    assert end.states[store.SET_ASIDE] == 1
    assert end.sentences == ["1 unit set aside: the next start tries again"]
    [unit] = [unit for unit in units(path) if unit.state == store.SET_ASIDE]
    assert unit.deaths == store.MOST_DEATHS
    assert "ended the process" in unit.error


@pytest.mark.parametrize("kind", ["dies", "raises"])
def test_that_a_unit_is_set_aside_is_told_at_once(path, kind):
    told = []
    task = pretend.task(1, faults=[fault(0, kind)]) if kind == "dies" else pretend.task(1, burn="no number")
    run(path, task, progress=Progress(lambda _, counters: told.append(counters)))
    assert [counters["open_units"] for counters in told if "units" in counters] == [0]


def test_units_that_end_their_workers_do_not_keep_others_from_being_done(path, tmp_path):
    """Many, and first among many; at the next start they are well."""
    with open_store(path, TWICE) as kept:
        tasks = [pretend.task(n + 1) | {"from": n} for n in range(100)]
        for n in (0, 1, 2, 50, 99):
            files = [str(tmp_path / f"{n} {k}") for k in range(store.MOST_DEATHS + 1)]  # once perhaps with others
            tasks[n]["faults"] = [fault(n, "dies", once=file) for file in files]
        kept.add([(pretend.SUBJECT, tasks)])
        end = coordinator.run(kept, Processes(2, do=pretend.answers))
        assert end.states == dict.fromkeys(store.STATES, 0) | {store.DONE: 95, store.SET_ASIDE: 5}
        assert end.why is None
        assert coordinator.run(kept, Processes(2, do=pretend.answers)).complete
    assert is_whole(path, 100)


def test_one_in_a_batch_of_tiny_units_ends_its_worker(path):
    with open_store(path, HEADING) as kept:
        tasks = [pretend.task(n + 1) | {"from": n, "faults": [fault(1500, "dies")]} for n in range(2000)]
        kept.add([(pretend.SUBJECT, tasks)])
        end = coordinator.run(kept, Processes(2, do=pretend.answers))
    assert end.states == dict.fromkeys(store.STATES, 0) | {store.DONE: 1999, store.SET_ASIDE: 1}
    assert {unit.deaths for unit in units(path) if unit.state == store.DONE} == {0}  # alone they were well


def test_what_the_puzzle_is_to_blame_for_is_said(path):
    end = run(path, pretend.task(30, faults=[fault(20, "bad")]))
    assert end.states[store.SET_ASIDE] == 1
    assert [unit.error for unit in units(path) if unit.error] == ["this number cannot be added"]


def raises(jobs):
    """A worker with a bug."""
    if any(job.task["from"] == 5 for job in jobs):
        raise ValueError("what nobody thought of")
    return pretend.answers(jobs)


def test_an_exception_that_nobody_thought_of_is_the_unit_s_alone(path):
    with open_store(path, HEADING) as kept:
        kept.add([(pretend.SUBJECT, [pretend.task(n + 1) | {"from": n} for n in range(20)])])
        end = coordinator.run(kept, Processes(1, do=raises))
    assert end.states == dict.fromkeys(store.STATES, 0) | {store.DONE: 19, store.SET_ASIDE: 1}
    assert [unit.error for unit in units(path) if unit.error] == ["ValueError: what nobody thought of"]


def leaves_off(jobs):
    """A worker that never finishes, without being told to stop."""
    return [replace(answer, complete=False) for answer in pretend.answers(jobs)]


def test_a_worker_that_never_finishes_does_not_go_on_for_ever(path):
    end = run(path, pretend.task(1), Processes(1, do=leaves_off))
    assert end.states[store.SET_ASIDE] == 1
    assert "stopped 3 times without an answer" in units(path)[0].error


def test_a_worker_that_hangs_is_killed(path, monkeypatch, tmp_path):
    """The clock leaps half a second after one hangs, and not before: on a busy machine others may take long."""
    monkeypatch.setattr(coordinator, "SLACK_SECONDS", 20.0)
    monkeypatch.setattr(coordinator, "LOOK_FOR_HUNG_SECONDS", 0.1)
    hung = [tmp_path / f"hung {k}" for k in range(2 + store.MOST_DEATHS)]

    def clock():
        long_hung = [file for file in hung if file.exists() and time.time() - file.stat().st_mtime > 0.5]
        return time.monotonic() + 100 * len(long_hung)

    monkeypatch.setattr(coordinator, "monotonic", clock)
    end = run(path, pretend.task(10, seconds=0.01, faults=[fault(3, "hangs", once=str(hung[0]))]))
    assert hung[0].exists()
    assert end.complete
    assert is_whole(path, 10)
    other = path.with_name("other.sqlite")
    faults = [fault(3, "hangs", once=str(file)) for file in hung[1:]]  # once perhaps with others
    end = run(other, pretend.task(4, seconds=0.01, faults=faults), Processes(1, do=pretend.answers))
    assert end.states == dict.fromkeys(store.STATES, 0) | {store.DONE: 3, store.SET_ASIDE: 1}
    assert "no answer long after" in units(other)[-1].error


# workers that fail ----------------------------------------------------------------------------------------------------------


def test_workers_of_another_version_are_refused(path, monkeypatch):
    monkeypatch.setattr(store, "__version__", "0.0.1")
    with pytest.raises(PuzzleError, match="must be the same"):
        run(path, pretend.task(10))
    assert [unit.state for unit in units(path)] == [store.OPEN]
    assert answers(path) == []


def lacks(jobs):
    """A worker whose puzzlesat is so old that it has no runs."""
    raise ModuleNotFoundError("No module named 'puzzlesat.runs'")


def test_workers_without_runs_are_refused(path):
    with pytest.raises(PuzzleError, match=r"needs puzzlesat 0\."):
        run(path, pretend.task(10), Processes(1, do=lacks))


def dies(jobs):
    """A worker in which nothing works."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_workers_that_all_die_are_no_unit_s_fault(path):
    with open_store(path, HEADING) as kept:
        kept.add([(pretend.SUBJECT, [pretend.task(n + 1) | {"from": n} for n in range(50)])])
        end = coordinator.run(kept, Processes(2, do=dies), patience=0.5)
    assert end.states == dict.fromkeys(store.STATES, 0) | {store.OPEN: 50}
    assert end.why.startswith("there is no living worker (")
    assert run(path, pretend.task(1)).complete


class Nobody(Processes):
    def slots(self):
        return 0


class Broken(Processes):
    def submit(self, jobs, apart=(), *, fresh=False):
        raise ConnectionError("no scheduler answers")


@pytest.mark.parametrize(("workers", "words"), [(Nobody, "there is no worker"), (Broken, "no scheduler answers")])
def test_nobody_is_there(path, workers, words):
    told = []
    with open_store(path, HEADING) as kept:
        kept.add([(pretend.SUBJECT, [pretend.task(5)])])
        awaited = workers(1, do=pretend.answers)
        awaited.cure = "start one"
        end = coordinator.run(kept, awaited, patience=0.5, progress=Progress(lambda what, counters: told.append(what)))
    assert end.why == f"there is no living worker ({words}); it was tried again for 0 seconds; start one"
    assert end.sentences[-1] == "1 unit left: run it again to resume"
    assert set(told) <= {f"{words}, waiting {seconds} s more: start one," for seconds in (0, 1)}
    assert told


def test_they_come_back(path):
    class Away(Processes):
        times = 0

        def submit(self, jobs, apart=(), *, fresh=False):
            Away.times += 1
            if Away.times in (1, 5, 6):
                raise ConnectionError("no scheduler answers")
            return super().submit(jobs, apart, fresh=fresh)

    told = []
    with open_store(path, HEADING) as kept:
        kept.add([(pretend.SUBJECT, [pretend.task(20)])])
        workers = Away(1, do=pretend.answers)
        assert coordinator.run(
            kept, workers, progress=Progress(lambda what, counters: told.append(("waiting" in what, Away.times)))
        ).complete
    assert told[:2] == [(True, 1), (False, 2)]  # as soon as somebody is there, it is not said any more that nobody is
    assert is_whole(path, 20)


class TwoDie(Processes):
    """The first two of three jobs are lost, the third is answered, all at once; after that nobody dies."""

    waiting = ()

    def submit(self, jobs, apart=(), *, fresh=False):
        if self.waiting is None:
            return super().submit(jobs, apart, fresh=fresh)
        future = Future()
        self.waiting = (*self.waiting, (future, jobs))
        if len(self.waiting) == 3:
            for number, (each, theirs) in enumerate(self.waiting):
                each.set_exception(ChildEndedError(-9)) if number < 2 else each.set_result(pretend.answers(theirs))
            self.waiting = None
        return future


def test_an_answer_beside_two_losses_does_not_end_the_run(path):
    with open_store(path, HEADING) as kept:
        kept.add([(pretend.SUBJECT, [pretend.task(n + 1) | {"from": n} for n in range(3)])])
        assert coordinator.run(kept, TwoDie(3, do=pretend.answers)).complete
    assert is_whole(path, 3)


# other executors -------------------------------------------------------------------------------------------------------------


def pool():
    """Return two processes that have begun: the pool of Python 3.11 stumbles, and leaves them, where it begins one while another dies."""
    made = ProcessPoolExecutor(2, get_context("spawn"))
    wait([made.submit(int) for _ in range(2)])
    return made


def test_any_executor_will_do(path):
    with ThreadPoolExecutor(3) as threads:
        assert run(path, pretend.task(100), OfExecutor(threads, 3, do=pretend.answers), heading=TWICE).complete
        assert threads.submit(int, "1").result() == 1  # it belongs to whoever gave it
    assert is_whole(path, 100)


def test_a_pool_that_breaks_is_made_anew(path, tmp_path):
    faults = [fault(n, "dies", once=str(tmp_path / str(n))) for n in (3, 20)] + [fault(30, "dies")]
    end = run(path, pretend.task(40, 1, faults=faults), OfExecutor(pool, 2, do=pretend.answers))
    assert end.states[store.SET_ASIDE] == 1
    [unit] = [unit for unit in units(path) if unit.state == store.SET_ASIDE]
    assert unit.task["from"] == 30
    assert set(found(path)[1]) >= {3, 20}


def test_a_pool_that_breaks_for_good_ends_the_run(path, tmp_path):
    with pool() as broken:
        end = run(path, pretend.task(40, 1, faults=[fault(20, "dies")]), OfExecutor(broken, 2, do=pretend.answers), patience=0.5)
    assert "no living worker" in end.why
    assert run(path, pretend.task(40, 1, faults=[fault(20, "dies")])).states[store.OPEN] == 0


# memory ----------------------------------------------------------------------------------------------------------------------


def test_jobs_that_need_much_memory_are_not_done_at_once():
    workers = Processes(3, do=pretend.answers, memory=10)
    jobs = [
        Job(n, pretend.SUBJECT, pretend.task(1, sleep=0.2), memory=size, version=puzzlesat.__version__)
        for n, size in enumerate([8, 8, 2, 99])
    ]
    try:
        first = workers.submit(jobs[:1])
        assert workers.submit(jobs[1:2]) is None
        small = workers.submit(jobs[2:3])
        wait([first, small])
        second = workers.submit(jobs[1:2])
        assert workers.submit(jobs[3:]) is None
        wait([second])
        assert workers.submit(jobs[3:]).result()  # more than there is: it is tried alone
    finally:
        workers.end()


def test_a_run_of_units_that_need_all_the_memory(path, tmp_path):
    end = run(path, pretend.task(12, sleep=0.02, memory=8), Processes(3, do=pretend.answers, memory=10), heading=TWICE)
    assert end.complete
    assert is_whole(path, 12)
