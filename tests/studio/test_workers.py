"""The processes of a server: work that ignores the stop signal, work that obeys it, and the processes afterwards."""

import asyncio
import os
import sys
import time
from contextlib import aclosing
from pathlib import Path

import pytest

from puzzlesat.base import processes
from puzzlesat.base.errors import ContradictionError
from puzzlesat.pages.studio import server
from puzzlesat.pages.studio.server import (
    LONG,
    QUESTIONS,
    QUICK,
    STUDIO_LONG,
    STUDIO_PROCESSES,
    STUDIO_QUICK,
    STUDIO_WARM,
    QuestionWorkers,
    answer,
)
from tiers import every

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are others there")


WARM_UP = server.warm_up


def acted(question, body):
    """Replaces the answer to a question, in the child."""
    if body["do"] == "number":
        return "done", {"number": os.getpid()}
    processes.Child.tell(("found", {"number": os.getpid()}))
    if body["do"] == "heed":
        processes.Child.told_to_stop.wait()
        return "done", {}
    time.sleep(1000)  # deaf
    return "done", {}


def nothing():
    """Replaces the warm-up."""


def something_missing():
    """Replaces the warm-up: a library is missing."""
    return server.broken(ImportError("No module named 'numba'"))


def dying():
    """Replaces the warm-up: the process dies."""
    os._exit(3)


@pytest.fixture(autouse=True)
def deaf(monkeypatch):
    monkeypatch.setattr(server, "answer", acted)
    monkeypatch.setattr(server, "warm_up", nothing)


def run(play):
    """Run a coroutine with workers, which end with it."""

    async def whole():
        workers = QuestionWorkers()
        workers.begin()
        try:
            return await play(workers)
        finally:
            await workers.end()
            assert not workers._living

    return asyncio.run(whole())


async def asked(workers, question="count", **body):
    """Return all events of a question."""
    async with aclosing(workers.events(question, body)) as events:
        return [event async for event in events]


async def begun(workers, do, question="count"):
    """Return the events of a question that has sent one, and its process."""
    events = workers.events(question, {"do": do})
    _, told = await anext(events)
    child = next(child for child in workers._living if child.process.pid == told["number"])
    return events, child


async def gone(child):
    while child.process.poll() is None:
        await asyncio.sleep(0.01)


@pytest.mark.full
def test_who_asks_next_does_not_wait_for_deaf_work(monkeypatch):
    monkeypatch.setattr(server, "STUDIO_LEAVE_OFF_SECONDS", 1000)

    async def play(workers):
        left = [await begun(workers, "deaf") for _ in range(STUDIO_LONG)]
        for events, _ in left:
            await events.aclose()
        ((kind, what),) = await asked(workers, do="number")
        assert kind == "done"
        assert all(child.process.poll() is None for _, child in left)  # still at it
        assert what["number"] not in [child.process.pid for _, child in left]
        workers.kill()

    run(play)


@pytest.mark.full
def test_deaf_work_is_killed_and_replaced(monkeypatch):
    monkeypatch.setattr(server, "STUDIO_LEAVE_OFF_SECONDS", 0.05)

    async def play(workers):
        for _ in range(2 * STUDIO_PROCESSES):
            events, child = await begun(workers, "deaf")
            await events.aclose()
            await gone(child)
        await asyncio.sleep(0)
        while len(workers._idle) < STUDIO_WARM:
            await asyncio.sleep(0.01)
        assert len(workers._living) <= STUDIO_PROCESSES

    run(play)


@pytest.mark.full
def test_work_that_heeds_goes_on_with_the_next_question(monkeypatch):
    monkeypatch.setattr(server, "STUDIO_LEAVE_OFF_SECONDS", 1000)

    async def play(workers):
        events, child = await begun(workers, "heed")
        await events.aclose()
        while child not in workers._idle:
            await asyncio.sleep(0.01)
        numbers = set()
        for _ in range(2 * STUDIO_WARM):
            numbers.add((await asked(workers, do="number"))[0][1]["number"])
        assert child.process.pid in numbers
        again, _ = await begun(workers, "heed")  # a stop for the previous question does not affect it
        waiting = asyncio.create_task(anext(again))
        await asyncio.sleep(0.3)
        assert not waiting.done()
        waiting.cancel()

    run(play)


@pytest.mark.full
def test_no_more_work_at_the_same_time_than_there_may_be():
    async def play(workers):
        long = [await begun(workers, "deaf", "count") for _ in range(STUDIO_LONG)]
        quick = [await begun(workers, "deaf", "hint") for _ in range(STUDIO_QUICK)]
        waiting = [asyncio.create_task(asked(workers, question, do="number")) for question in ("count", "hint")]
        await asyncio.sleep(0.3)
        assert not any(task.done() for task in waiting)
        await long[0][0].aclose()
        await waiting[0]
        assert not waiting[1].done()
        await quick[0][0].aclose()
        await waiting[1]
        workers.kill()

    run(play)


@pytest.mark.full
@every(
    "warm, said",
    [
        (something_missing, "puzzlesat is not installed as it should be: No module named 'numba'; install it anew"),
        (dying, "ended before it was"),
    ],
)
def test_a_broken_program_is_told_once_and_not_tried_for_ever(monkeypatch, capsys, warm, said):
    monkeypatch.setattr(server, "warm_up", warm)
    started = []
    begin = QuestionWorkers._started
    monkeypatch.setattr(QuestionWorkers, "_started", lambda self: (started.append(begin(self)), started[-1])[1])

    async def play(workers):
        while workers._leaving:
            await asyncio.sleep(0.01)
        before = len(started)
        ((kind, _),) = await asked(workers, do="number")  # questions are still answered
        return kind, before

    assert run(play) == ("done", STUDIO_WARM)
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_what_cannot_be_loaded_is_a_sentence(monkeypatch):
    monkeypatch.setattr(server, "import_module", lambda name: (_ for _ in ()).throw(ImportError("No module named 'numba'")))
    kind, what = answer("library", {})
    assert (kind, what) == ("failed", {"error": [server.broken(ImportError("No module named 'numba'"))]})
    assert WARM_UP() == what["error"][0]


@pytest.mark.full
def test_at_the_end_everything_fails_in_a_sentence():
    stopped = [("failed", {"error": ["the studio was stopped in the terminal"]})]

    async def play(workers):
        events, child = await begun(workers, "deaf")
        while workers._idle:  # as if other questions used the processes too
            workers._idle.pop()
        workers.kill()
        assert [event async for event in events] == stopped
        assert await asked(workers, do="number") == stopped  # also after the end
        await gone(child)

    run(play)


def test_every_question_has_a_function_and_every_module_a_question():
    folder = Path(server.__file__).parent / "tasks"
    assert sorted(server.TASKS) == sorted(file.stem for file in folder.glob("*.py") if file.stem != "__init__")
    assert all(map(callable, map(server.task, QUESTIONS))) and set(QUESTIONS.values()) == {LONG, QUICK}


@every(
    "error, said",
    [
        (MemoryError(), "out of memory; "),
        (RecursionError(), "the file is nested too deeply"),
        (ContradictionError("two solvers differ"), "two solvers differ"),
        (KeyError("secret"), "the program made a mistake"),
        (RuntimeError("secret"), "the program made a mistake"),
    ],
)
def test_whatever_is_raised_is_a_sentence(monkeypatch, capsys, error, said):
    from puzzlesat.pages.studio.tasks import open

    def fails(question, tell):
        raise error

    monkeypatch.setattr(open, "answer_library", fails)
    kind, what = answer("library", {})
    (sentence,) = what["error"]
    assert (kind, sentence.startswith(said)) == ("failed", True)
    assert "secret" not in sentence
    terminal = capsys.readouterr().err
    assert ("secret" in terminal) == ("mistake" in said)
    assert "Traceback" not in terminal
