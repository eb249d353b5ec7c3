"""Runs by the workers of a Dask cluster: real processes of a scheduler and of two workers, that are killed too."""

from __future__ import annotations

import asyncio
import random
import re
import signal
import sqlite3
import sys
import time
from collections import Counter
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import closing

import pytest
from dask_cluster import SECONDS, cluster, jobs_of, wait_for
from test_executors import STUDY
from test_survival import LINUX, finish
from try_kills import PROGRAM, VICTIMS, VICTIMS_OF_DASK, kill, kill_in, look, one_run, start
from typer.testing import CliRunner

from puzzlesat import __version__
from puzzlesat.cli.main import app
from puzzlesat.errors import PuzzleError
from puzzlesat.runs import coordinator, dask, pretend
from puzzlesat.runs.dask import OfCluster
from puzzlesat.runs.jobs import AUDIT, FIRST, MalformedError
from puzzlesat.runs.opening import Heading, open_store, open_to_read
from puzzlesat.runs.store import DONE, SET_ASIDE

pytest.importorskip("distributed", reason="what is done on a cluster is tried with Dask: pip install '.[cluster]'")

COUNTED = PROGRAM.with_name("counted_run.py")


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    """A cluster of two workers; whatever of it is killed is there again after a while."""
    with cluster(tmp_path_factory.mktemp("cluster")) as running:
        running.keep()
        yield running


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.sqlite"


def run(path, address, numbers, most=1, audit=0.0, patience=60.0, **options):
    """Run units that pretend; return how it ended, and all answers."""
    with dask.cluster(address, pretend.answers) as workers, open_store(path, Heading("pretended", "1", "{}", audit)) as store:
        store.add([(pretend.SUBJECT, [pretend.task(numbers, most, **options)])])
        end = coordinator.run(store, workers, patience=patience)
        return end, list(store.answers(standing=False))


def command(*arguments):
    """Run puzzlesat; return what ``CliRunner`` has of it."""
    return CliRunner().invoke(app, list(map(str, arguments)))


# what is killed --------------------------------------------------------------------------------------------------------------


@LINUX
@pytest.mark.parametrize(("seed", "most"), [(1, 2), pytest.param(2, 30, marks=pytest.mark.slow)])
def test_kills_at_random_moments(there, path, seed, most):
    kills = Counter()
    one_run(path, 150 * most, random.Random(seed), most, kills, longest=1.0, there=there)
    assert sum(kills.values()) == most
    assert set(kills) <= set(VICTIMS_OF_DASK)


@LINUX
@pytest.mark.full
def test_a_scheduler_that_comes_back(there, path):
    program = start(path, 200, "--dask", there.address, "--sleep", 0.02)
    time.sleep(1)
    there.kill("scheduler")
    assert program.communicate(timeout=SECONDS)[0] == "complete\n"
    assert look(path, 200, [])[1]
    assert path.with_name("errors").read_text() == ""


class Task:
    """What Dask promises, which ends with an exception."""

    key = "puzzlesat-1"

    def __init__(self, status, error):
        self.status, self.error = status, error

    def __await__(self):
        yield from ()
        raise self.error


@pytest.mark.parametrize("error", [OSError("Stream is closed"), CancelledError(), asyncio.CancelledError(), TimeoutError()])
def test_an_answer_that_is_lost_on_its_way_is_no_fault_of_the_unit(error):
    """A scheduler once ended while an answer was brought home: the unit was set aside, as if the error were its own."""
    workers, future = OfCluster.__new__(OfCluster), Future()
    workers._flying = {future: "a task"}
    asyncio.run(workers._bring(Task("finished", error), future, ()))
    assert isinstance(future.exception(), CancelledError)
    assert workers._flying == {}


def test_of_an_error_of_a_task_the_words_are_kept():
    workers, future, error = OfCluster.__new__(OfCluster), Future(), OSError("no such file")
    workers._flying = {}
    asyncio.run(workers._bring(Task("error", error), future, ()))
    assert isinstance(future.exception(), MalformedError)
    assert str(future.exception()) == "a worker raised OSError: no such file"


@LINUX
@pytest.mark.slow
def test_a_scheduler_that_does_not_come_back(path, tmp_path):
    with cluster(tmp_path) as gone:
        program = start(path, 300, "--dask", gone.address, "--sleep", 0.02, "--patience", 3)
        time.sleep(2)
        gone.kill("scheduler")
        said = program.communicate(timeout=SECONDS)[0]
    assert program.returncode == 3
    tried = (
        "it was tried again for 3 seconds; the scheduler does not answer: start it with 'dask scheduler', and workers with 'dask worker .*'"
    )
    assert re.match(rf"stopped\nthere is no living worker \(.*\); {tried}\n[\d,]+ units? left: run it again", said)
    assert path.with_name("errors").read_text() == ""
    known, complete = look(path, 300, [])
    assert known
    assert not complete
    finish(path, 300, "--sleep", 0.02)


@pytest.mark.full
def test_no_worker_is_there(path, tmp_path):
    with cluster(tmp_path, workers=0) as alone:
        end, answers = run(path, alone.address, 10, patience=2.0)
    assert "there is no worker" in end.why
    assert f"start one with 'dask worker {alone.address}'" in end.why
    assert end.left == 1
    assert answers == []


def test_workers_that_come_later(path, tmp_path):
    with cluster(tmp_path, workers=1) as late, ThreadPoolExecutor(1) as other:
        late.kill("worker 0")
        ran = other.submit(run, path, late.address, 30)
        time.sleep(1)
        late.start("worker 0")
        assert ran.result(timeout=SECONDS)[0].complete


@LINUX
def test_it_ends_in_good_order_when_told_to(there, path):
    program = start(path, 400, "--dask", there.address, "--sleep", 5, "--most", 100)
    until = time.monotonic() + SECONDS
    while not jobs_of(there) and time.monotonic() < until:
        time.sleep(0.1)
    began = time.monotonic()
    program.send_signal(signal.SIGTERM)
    said = program.communicate(timeout=SECONDS)[0]
    assert program.returncode == 3
    assert "run it again to resume" in said
    assert time.monotonic() - began < 30  # the unit takes 500 seconds
    assert path.with_name("errors").read_text() == ""


# units at fault --------------------------------------------------------------------------------------------------------------


def test_a_unit_that_ends_its_process_is_set_aside(there, path):
    end, answers = run(path, there.address, 20, faults=[{"at": 3, "kind": "dies"}])
    assert end.states[SET_ASIDE] == 1
    assert end.states[DONE] == len(answers)
    with open_to_read(path) as read:
        assert [unit.deaths for unit in read.units() if unit.state == SET_ASIDE] == [3]


@LINUX
@pytest.mark.full
def test_a_unit_that_takes_workers_along_is_set_aside(there, path):
    """The scheduler gives it to one worker after another, and says so when too many died."""
    end, _ = run(path, there.address, 20, faults=[{"at": 3, "kind": "takes its parent along"}])
    assert end.states[SET_ASIDE] == 1
    assert end.left == 0


def test_a_unit_that_hangs_is_ended(there, path, tmp_path, monkeypatch):
    monkeypatch.setattr(coordinator, "SLACK_SECONDS", 1.0)
    end, answers = run(path, there.address, 5, seconds=0.1, faults=[{"at": 0, "kind": "hangs", "once": str(tmp_path / "once")}])
    assert end.complete
    assert len(answers) == 5


def test_an_audit_is_done_elsewhere(there, path):
    wait_for(there, len(there.workers))  # one alone, where the other was killed just now, does both
    end, answers = run(path, there.address, 30, audit=1.0)
    assert end.complete
    first = {answer.unit: answer.process for answer in answers if answer.role == FIRST}
    same = [answer.unit for answer in answers if answer.role == AUDIT and answer.process == first[answer.unit]]
    assert len(first) == 30
    assert not same


def test_an_audit_is_done_on_another_machine_where_there_is_one():
    workers = object.__new__(dask.OfCluster)
    workers._threads = dict.fromkeys(["tcp://a:1", "tcp://a:2", "tcp://b:1"], 1)
    workers._homes = {("a", 7): "tcp://a:1", ("b", 7): "tcp://b:1"}
    assert workers._others([("a", 7)]) == ["tcp://b:1"]
    assert workers._others([("a", 7), ("b", 7)]) == ["tcp://a:2"]
    assert workers._others([("c", 7)]) == []
    assert workers._others([]) == []


# what is refused -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path / "study.toml"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("tcp://127.0.0.1:1", "no scheduler answers there; start one with 'dask scheduler'"),
        ("somewhere", "this is not an address such as tcp://192.0.2.1:8786"),
        ("http://127.0.0.1:80", "this is not an address such as tcp://192.0.2.1:8786"),
    ],
)
@pytest.mark.parametrize("arguments", [("run", "study.toml"), ("count", "soma", "--store", "study.sqlite")])
def test_where_no_scheduler_answers(study, monkeypatch, address, words, arguments):
    monkeypatch.setattr(dask, "ANSWER_SECONDS", 1.0)
    ran = command(*arguments, "--dask", address)
    assert ran.exit_code == 2
    assert f"puzzlesat: --dask {address}: {words}" in " ".join(ran.output.split())
    assert [file.name for file in study.parent.iterdir()] == ["study.toml"]


def test_a_worker_is_no_scheduler(study, there):
    from distributed import Client

    wait_for(there, 2)
    with Client(there.address, set_as_default=False) as client:
        worker = next(iter(client.ncores()))
    ran = command("run", "study.toml", "--dask", worker)
    assert ran.exit_code == 2
    assert "that is a worker; name the scheduler" in " ".join(ran.output.split())


def test_without_dask(study, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    ran = command("run", "study.toml", "--dask", "tcp://127.0.0.1:1")
    assert ran.exit_code == 2
    assert 'that needs Dask: pip install "puzzlesat[cluster]"' in " ".join(ran.output.split())
    assert [file.name for file in study.parent.iterdir()] == ["study.toml"]


def test_options_that_do_not_go_together(study):
    ran = command("count", "soma", "--dask", "tcp://127.0.0.1:1")
    assert ran.exit_code == 2
    assert "this option needs --store FILE" in " ".join(ran.output.split())
    ran = command("count", "soma", "--store", "a.sqlite", "--jobs", 1, "--dask", "tcp://127.0.0.1:1")
    assert ran.exit_code == 2
    assert "--jobs is for processes of this machine" in " ".join(ran.output.split())


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("__version__ = '0.0.7'", "1 worker with puzzlesat 0.0.7"),
        pytest.param("raise ModuleNotFoundError('puzzlesat')", "1 worker without puzzlesat", marks=pytest.mark.full),
    ],
)
def test_workers_with_something_else(path, tmp_path, code, words):
    """Refused before anything is done; and where one comes later, the run ends."""
    (tmp_path / "puzzlesat.py").write_text(code)
    with cluster(tmp_path, workers=1, path=[str(tmp_path), *sys.path]) as other:
        with pytest.raises(PuzzleError, match=words) as refused, dask.cluster(other.address):
            raise AssertionError
        assert __version__ in str(refused.value)
        other.kill("worker 0")
        with ThreadPoolExecutor(1) as thread:
            ran = thread.submit(run, path, other.address, 30)
            time.sleep(1)
            other.start("worker 0")
            with pytest.raises(PuzzleError, match=r"worker .*puzzlesat"):  # it may have got a job before it was asked
                ran.result(timeout=SECONDS)
    with open_to_read(path) as read:
        assert list(read.answers()) == []


# real puzzles ----------------------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_a_study_and_a_count(study, there):
    ran = command("run", "study.toml", "--dask", there.address, "--json")
    assert ran.exit_code == 0, ran.output
    assert '"distinct": 480' in ran.output
    ran = command("count", "soma", "--store", "soma.sqlite", "--dask", there.address)
    assert ran.exit_code == 0, ran.output
    assert "11,520" in ran.output


@LINUX
@pytest.mark.slow  # the cube is counted for half a minute; kills at random moments, above, lose units that pretend
@pytest.mark.parametrize("on_a_cluster", [True, False])
def test_a_puzzle_in_parts_that_is_killed(path, there, on_a_cluster):
    """Bedlam's cube in many parts, some of which are lost again and again: all of it is counted, none of it twice."""
    chance, kills, said = random.Random(7), Counter(), ""
    options = ("--dask", there.address) if on_a_cluster else ()
    while not said.startswith("complete"):
        program = start(path, "bedlam", *options, program=COUNTED)
        while sum(kills.values()) < 5 and program.poll() is None:
            time.sleep(chance.uniform(1, 5))
            who = chance.choice(VICTIMS_OF_DASK if on_a_cluster else VICTIMS)
            if program.poll() is None:
                kills[who] += kill_in(there, program, who, chance) if on_a_cluster else kill(program, who, chance)
        said = program.communicate(timeout=3 * SECONDS)[0]
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert said == "complete 460464 19186\n"
    with open_to_read(path) as store:
        assert sum(1 for _ in store.units()) > 10
