"""Runs by the workers of a Dask cluster: real processes of a scheduler and of two workers, that are killed too."""

import asyncio
import random
import sqlite3
import sys
import time
from collections import Counter
from concurrent.futures import CancelledError, Future
from contextlib import closing, nullcontext

import pretend
import pytest
from dask_cluster import SECONDS, cluster, wait_for
from hostile import tricks
from test_recipes import STUDY
from test_survival import LINUX
from try_kills import PROGRAM, VICTIMS, VICTIMS_OF_DASK, kill, kill_in, one_run, start
from typer.testing import CliRunner

from puzzlesat import __version__
from puzzlesat.base.errors import PuzzleError, PuzzleWarning
from puzzlesat.base.progress import SILENT, Progress
from puzzlesat.cli.main import app
from puzzlesat.studies import coordinator, dask
from puzzlesat.studies.opening import StudyHeading, open_store, open_to_read
from puzzlesat.studies.store import DONE
from tiers import every

Client = pytest.importorskip("distributed", reason="what is done on a cluster is tried with Dask: pip install '.[cluster]'").Client

COUNTED = PROGRAM.with_name("counted_run.py")


def run(path, address, numbers, told=SILENT, patience=60.0):
    """Run units that pretend; return how it ended, and all answers."""
    with dask.cluster(address, pretend.answers) as workers, open_store(path, StudyHeading("pretended", "1", "{}", 0.0)) as store:
        store.add([(pretend.SUBJECT, [pretend.task(numbers)])])
        end = coordinator.run(store, workers, patience=patience, progress=told)
        return end, list(store.answers(standing=False))


def starts(there, name):
    """Progress that starts a part of a cluster as soon as the run waits for one."""
    return Progress(lambda what, _: there.start(name) if "waiting" in what and there.processes[name].poll() is not None else None)


def refused(*arguments):
    """Run puzzlesat, which refuses that; return what it says."""
    ran = CliRunner().invoke(app, list(map(str, arguments)))
    assert ran.exit_code == 2
    return " ".join(ran.output.split())


@LINUX
@pytest.mark.parametrize(("seed", "most"), [pytest.param(1, 2, marks=pytest.mark.full), pytest.param(2, 30, marks=pytest.mark.slow)])
def test_kills_at_random_moments(there, path, seed, most):
    kills = Counter()
    one_run(path, 150 * most, random.Random(seed), most, kills, longest=1.0, there=there)
    assert sum(kills.values()) == most
    assert set(kills) <= set(VICTIMS_OF_DASK)


@pytest.mark.full
def test_workers_that_come_later(path, tmp_path):
    with cluster(tmp_path, workers=1) as late:
        late.kill("worker 0")
        end, answers = run(path, late.address, 10, patience=1.0)
        assert "there is no worker" in end.why
        assert f"start one with 'dask worker {late.address}'" in end.why
        assert (end.left, answers) == (1, [])
        assert run(path, late.address, 10, told=starts(late, "worker 0"))[0].complete


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path / "study.toml"


REFUSED = {
    "--dask tcp://127.0.0.1:1": "--dask tcp://127.0.0.1:1: no scheduler answers there; start one with 'dask scheduler'",
    "--dask somewhere": "--dask somewhere: this is not an address such as tcp://192.0.2.1:8786",
    "--dask http://127.0.0.1:80": "--dask http://127.0.0.1:80: this is not an address such as tcp://192.0.2.1:8786",
    "no Dask": 'that needs Dask: pip install "puzzlesat[cluster]"',
}


@every("asked, words", REFUSED.items())
def test_where_no_scheduler_answers(study, monkeypatch, asked, words):
    monkeypatch.setattr(dask, "ANSWER_SECONDS", 0.1)
    if asked == "no Dask":
        monkeypatch.setitem(sys.modules, "distributed", None)
    address = asked.removeprefix("--dask ").replace("no Dask", "tcp://127.0.0.1:1")
    for arguments in (("run", "study.toml"), ("count", "soma", "--store", "study.sqlite")):
        assert words in refused(*arguments, "--dask", address)
        assert [file.name for file in study.parent.iterdir()] == ["study.toml"]


class Ends:
    """What Dask promises, which ends with an exception."""

    key, status = "puzzlesat-1", "finished"

    def __init__(self, error):
        self.error = error

    def __await__(self):
        yield from ()
        raise self.error


@every("error", [OSError("Stream is closed"), CancelledError(), asyncio.CancelledError(), TimeoutError()])
def test_an_answer_that_is_lost_on_its_way_is_no_fault_of_the_unit(error):
    """A scheduler once ended while an answer was brought home: the unit was set aside, as if the error were its own."""
    workers, future = object.__new__(dask.OfCluster), Future()
    workers._flying = {future: "a task"}
    asyncio.run(workers._bring(Ends(error), future, ()))
    assert isinstance(future.exception(), CancelledError)
    assert workers._flying == {}


def test_a_machine_has_one_name_and_what_it_did_is_done_again_on_another():
    workers = object.__new__(dask.OfCluster)
    workers._hosts = {}
    assert [workers._host_of("tcp://a:1", "here"), workers._host_of("tcp://a:2", "there")] == ["here", "here"]
    assert workers._host_of("tcp://b:1", "here") == "tcp://b"  # nor is it called as another one is
    assert workers._host_of("", "here") == dask.NOT_KNOWN
    workers._threads = dict.fromkeys(["tcp://a:1", "tcp://a:2", "tcp://b:1"], 1)
    workers._homes = {("a", 7): "tcp://a:1", ("b", 7): "tcp://b:1"}
    others = [workers._others(apart) for apart in ([("a", 7)], [("a", 7), ("b", 7)], [("c", 7)], [])]
    assert others == [["tcp://b:1"], ["tcp://a:2"], [], []]


def test_options_that_do_not_go_together():
    asked = ("count", "soma", "--dask", "tcp://127.0.0.1:1")
    assert "this option needs --store FILE" in refused(*asked)
    assert "--jobs is for processes of this machine" in refused(*asked, "--store", "a.sqlite", "--jobs", 1)


@pytest.mark.full
def test_workers_with_something_else(path, tmp_path):
    """Refused before anything is done; and where one comes later, the run ends."""
    own = tmp_path / "puzzlesat.py"
    own.write_text("__version__ = '0.0.7'")
    with cluster(tmp_path, workers=1, path=[str(tmp_path), *sys.path]) as other:
        with pytest.raises(PuzzleError, match=r"1 worker with puzzlesat 0\.0\.7") as refused, dask.cluster(other.address):
            raise AssertionError
        assert __version__ in str(refused.value)
        other.kill("worker 0")
        own.write_text("raise ModuleNotFoundError('puzzlesat')")
        with pytest.raises(PuzzleError, match=r"worker .*puzzlesat"):  # it may have got a job before it was asked
            run(path, other.address, 30, told=starts(other, "worker 0"))
        with pytest.raises(PuzzleError, match="1 worker without puzzlesat"), dask.cluster(other.address):
            raise AssertionError
    with open_to_read(path) as read:
        assert list(read.answers()) == []


@pytest.mark.slow
@every("trick", sorted(tricks()))
def test_a_hostile_worker(there, tmp_path, trick):
    """One worker that plays a trick on its first job, and an honest one: nothing is opened, and the total is right."""
    wait_for(there, len(there.workers))
    (there.folder / "tricks").write_text(trick)
    warned = pytest.warns(PuzzleWarning, match="gets no more jobs") if trick != "raises" else nullcontext()
    with warned:
        end, answers = run(tmp_path / "s", there.address, 12)
    assert (there.folder / "tricks").read_text() == ""
    assert not (there.folder / "opened").exists()
    assert end.complete
    assert end.states[DONE] == len(answers) == 12
    assert sum(answer.result["found"] for answer in answers) == pretend.total(range(12))


def test_units_are_done_by_a_cluster(there, path):
    end, answers = run(path, there.address, 12)
    assert end.complete
    assert sum(answer.result["found"] for answer in answers) == pretend.total(range(12))


@pytest.mark.slow
def test_a_study(study, there):
    wait_for(there, len(there.workers))
    with Client(there.address, set_as_default=False) as client:
        worker = next(iter(client.ncores()))
    assert "that is a worker; name the scheduler" in refused("run", "study.toml", "--dask", worker)
    ran = CliRunner().invoke(app, ["run", "study.toml", "--dask", there.address, "--json"])
    assert ran.exit_code == 0, ran.output
    assert '"distinct": 480' in ran.output


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
