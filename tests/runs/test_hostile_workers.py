"""Workers that want to do harm to whoever gives them work: nothing of what they send is opened, and nothing of it is recorded."""

import json
import os
import pickle
from concurrent.futures import Executor, Future
from dataclasses import replace

import pretend
import pytest
from hostile import Trap

from puzzlesat import __version__
from puzzlesat.base.errors import PuzzleError
from puzzlesat.studies import coordinator, dask, wire
from puzzlesat.studies.executors import OfExecutor
from puzzlesat.studies.opening import StudyHeading, open_store
from puzzlesat.studies.units import Job, MalformedError, RaisedError, VersionError
from tiers import every

UNITS = 12
JOB = Job(1, pretend.SUBJECT, pretend.task(5, 5), version=__version__)


def told():
    """The answer of an honest worker, as JSON has it."""
    return json.loads(wire.done(pretend.answers, [JOB]))["answers"][0]


def test_what_goes_and_what_comes_is_the_same_afterwards(monkeypatch):
    (answer,) = wire.read_answers(wire.do(wire.write_jobs(pretend.answers, [JOB])), [JOB])
    assert answer.result == {"found": pretend.total(range(5)), "parts": [[0, 5]]}
    assert answer.follow == []
    text = json.dumps({"answers": [told() | {"certificate": "AAH/"}], "failed": None}).encode()
    assert wire.read_answers(text, [JOB])[0].certificate == b"\x00\x01\xff"
    monkeypatch.setattr(wire, "MOST_CERTIFICATE", 2)
    with pytest.raises(RaisedError, match="certificate"):
        wire.read_answers(wire.done(lambda jobs: [replace(answer, certificate=b"123")], [JOB]), [JOB])
    monkeypatch.setattr(wire, "MOST_BYTES", 100)
    with pytest.raises(MalformedError, match="more than"):
        wire.read_answers(wire.done(pretend.answers, [JOB]), [JOB])


CHANGES = [
    ({"believe": "me"}, "believe"),
    ({"unit": 2}, "there was no request for unit 2"),
    ({"unit": "1"}, "unit"),
    ({"role": "audit"}, "there was no request"),
    ({"process": 2**63}, "process"),
    ({"process": -1}, "process"),
    ({"cpu": -1.0}, "cpu"),
    ({"wall": float("inf")}, "Infinity"),
    ({"complete": 1}, "complete"),
    ({"host": "\ud800"}, "JSON"),
    ({"host": "x" * 10_001}, "host"),
    ({"certificate": "#"}, "certificate"),
    ({"result": []}, "result"),
    ({"result": {"found": 1}}, "parts"),
    ({"result": {"found": float("nan"), "parts": []}}, "NaN"),
    ({"result": {"found": 1, "parts": [], "further": 1}}, "further"),
    ({"follow": [{"do": "harm"}]}, "harm"),
    ({"follow": [{}]}, "do"),
    ({"follow": [{"do": "pretend", "seconds": "1"}]}, "seconds"),
    ({"follow": [{"do": "pretend", "estimate": -1}]}, "estimate"),
    ({"follow": [{"do": "pretend", "memory": 2**62}]}, "memory"),
    ({"follow": [{"do": "pretend", "x": json.loads("[" * 40 + "]" * 40)}]}, "levels"),
]


@every("change, words", CHANGES)
def test_what_is_not_exactly_an_answer_is_none(change, words):
    text = json.dumps({"answers": [told() | change], "failed": None}).encode()
    with pytest.raises(MalformedError, match=f"a worker sent something that is not an answer: .*{words}"):
        wire.read_answers(text, [JOB])


@every("text", [b"", b"null", b"[]", b"{", b"[" * 100_000, b"\xff", pickle.dumps(Trap()), "{}", None, Trap()])
def test_what_is_no_text_is_no_answer(text):
    with pytest.raises(MalformedError):
        wire.read_answers(text, [JOB])


def test_a_worker_of_another_version_reads_no_further():
    asked = json.loads(wire.write_jobs(pretend.answers, [JOB])) | {"version": "0.0.7", "jobs": "of another kind"}
    with pytest.raises(VersionError, match=r"0\.0\.7"):
        wire.read_answers(wire.do(json.dumps(asked).encode()), [JOB])


class Lying(Executor):
    """An executor that answers by itself, and some times with what is no answer."""

    def __init__(self, text, times):
        self.text, self.times = text, times

    def submit(self, function, *arguments):
        future = Future()
        self.times -= 1
        future.set_result(self.text if self.times >= 0 else function(*arguments))
        return future


def run(path, workers, numbers=UNITS, patience=60.0):
    """Run units that pretend, each with one number; return how it ended, and the answers."""
    with open_store(path, StudyHeading("pretended", "1", "{}", 0.0)) as store:
        store.add([(pretend.SUBJECT, [{**pretend.task(1), "from": first, "to": first + 1} for first in range(numbers)])])
        end = coordinator.run(store, workers, patience=patience)
        return end, list(store.answers())


@every("text", [pickle.dumps(Trap()), b'{"answers":[{"unit":1}]}', Trap()])
def test_an_executor_that_answers_what_is_no_answer(tmp_path, text):
    end, answers = run(tmp_path / "once", OfExecutor(Lying(text, 1), 1, do=pretend.answers))
    assert end.complete
    assert sum(answer.result["found"] for answer in answers) == pretend.total(range(UNITS))
    end, answers = run(tmp_path / "always", OfExecutor(Lying(b"?", 1000), 1, do=pretend.answers), patience=0.1)
    assert "there is no living worker (a worker sent something that is not an answer" in end.why
    assert not end.complete
    assert answers == []


distributed = pytest.importorskip("distributed", reason="what is done on a cluster is tried with Dask: pip install '.[cluster]'")


def test_no_way_leads_to_a_pickle_that_is_opened(tmp_path, monkeypatch):
    from distributed.scheduler import KilledWorker

    trap = Trap(tmp_path / "opened", os.getpid() + 1)  # made, as it seems, by another process
    pickled = pickle.dumps(trap)
    theirs = distributed.protocol
    with dask.nothing_opened():
        found = theirs.loads(theirs.dumps({"a": theirs.ToPickle(trap), "b": theirs.to_serialize(trap)}))
        assert [isinstance(one, dask.UnopenedError) for one in found.values()] == [True, True]
        assert isinstance(theirs.pickle.loads(pickled), dask.UnopenedError)
        assert theirs.loads(theirs.dumps({"a": theirs.to_serialize(b"bytes")})) == {"a": b"bytes"}
        assert isinstance(theirs.pickle.loads(b"no pickle"), dask.UnopenedError)
        error = theirs.pickle.loads(pickle.dumps(KilledWorker("task", trap, 3)))  # what a scheduler says of workers that died
        assert (type(error), error.deaths, str(error)) == (dask.DeadlyError, 4, "4 workers died of it")
    assert not (tmp_path / "opened").exists()
    theirs.pickle.loads(pickled)  # as it is without
    assert (tmp_path / "opened").exists()
    monkeypatch.setattr(dask, "_replace", lambda: None)  # a version of Dask that opens them all the same
    with pytest.raises(PuzzleError, match="opens what workers send"), dask.nothing_opened():
        raise AssertionError
