"""The processes that answer questions: warm ones, each with one question at a time, stopped when nobody waits for its answer any more.

Whoever asks next never waits for work that nobody wants: a process that is to leave off counts no more, and another one is taken; where it
does not leave off in time it is killed and replaced.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from puzzlesat.base import Child, ChildEndedError, ContradictionError, EndedError, PuzzleError, Sentence, is_want_of_memory, shown, tell
from puzzlesat.pages.studio.telling import Event, Tell

STUDIO_LONG, STUDIO_QUICK = 2, 2
"""Questions worked on at the same time: long ones (counts, candidates, proofs), and those that are answered while one plays."""
STUDIO_PROCESSES = 6
"""Largest number of processes, with those that are stopping."""
STUDIO_WARM = 2
"""Processes that wait for questions with everything loaded."""
STUDIO_LEAVE_OFF_SECONDS = 0.5
"""Time that a process has to stop its work. After it, the process is killed and replaced."""

LONG: Final = "long"
QUICK: Final = "quick"
QUESTIONS = {
    "apart": QUICK,
    "candidates": LONG,
    "certificate": LONG,
    "challenge": LONG,
    "count": LONG,
    "difficulty": QUICK,
    "export": QUICK,
    "grids": QUICK,
    "hint": QUICK,
    "levels": LONG,
    "library": QUICK,
    "open": QUICK,
    "picture": QUICK,
    "polyforms": QUICK,
    "position": QUICK,
    "prove": LONG,
    "solutions": LONG,
    "states": QUICK,
}
"""What may be asked, each a module of ``studio.tasks``, and whether it takes long."""


# in the child ----------------------------------------------------------------------------------------------------------------


def answer(question: str, body: Mapping[str, Any]) -> Event:
    """Answer a question, and say what is wrong in the sentences of the commands."""
    told = Tell(tell)
    try:
        return "done", import_module(f"puzzlesat.pages.studio.tasks.{question}").do(dict(body), told)
    except PuzzleError as error:
        return _failed(*error.problems)
    except ContradictionError as error:
        return _failed(str(error))
    except EndedError as ended:
        return _failed(ended.words)
    except ImportError as error:
        return _failed(broken(error))
    except RecursionError:
        return _failed(Sentence("the file is nested too deeply; make a flatter one"))
    except (MemoryError, RuntimeError) as error:
        if is_want_of_memory(error):
            return _failed(Sentence("out of memory; try a smaller form or fewer pieces"))
        return _unexpected(question, error)
    except Exception as error:  # a mistake of the program is said in a sentence too, and to the terminal where it was
        return _unexpected(question, error)


def warm_up() -> str | None:
    """Load what questions need, and compile it by playing a little; return in a sentence what is missing of the program, if anything is."""
    try:
        for name in QUESTIONS:
            import_module(f"puzzlesat.pages.studio.tasks.{name}")
    except ImportError as error:
        return broken(error)
    answer("position", {"puzzle": {"name": "domino-and-square-3x2"}, "position": []})
    return None


def broken(error: ImportError) -> str:
    """Say that a part of the program cannot be loaded."""
    cure = 'install it anew: pip install --force-reinstall "puzzlesat[studio]"'
    return f"puzzlesat is not installed as it should be: {shown(str(error))}; {cure}"


def _failed(*sentences: str) -> Event:
    return "failed", {"error": list(sentences)}


def _unexpected(question: str, error: Exception) -> Event:
    return _failed(mistake(question, error))


def mistake(where: str, error: Exception) -> str:
    """Say on the terminal in a line what was raised that nobody expects; return a sentence for the page."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    print(f"puzzlesat: studio: {where}: {error!r} ({Path(last.filename).name}, line {last.lineno})", file=sys.stderr, flush=True)
    return Sentence("the program made a mistake; the terminal shows where. Your work is not lost")


ENDED: Event = _failed(Sentence("the studio was stopped in the terminal"))


# in the server ---------------------------------------------------------------------------------------------------------------


class QuestionWorkers:
    """The processes of a server. All that is done here is done in the thread of its event loop."""

    def __init__(self) -> None:
        self._idle: list[Child] = []
        self._living: set[Child] = set()
        self._room = {LONG: asyncio.Semaphore(STUDIO_LONG), QUICK: asyncio.Semaphore(STUDIO_QUICK)}
        self._changed = asyncio.Condition()
        self._threads = ThreadPoolExecutor(2 * STUDIO_PROCESSES, "studio")
        self._leaving: set[asyncio.Task[None]] = set()
        self._closed = False
        self._said: set[str] = set()

    def begin(self) -> None:
        """Start processes, and let them load what they need."""
        for _ in range(STUDIO_WARM):
            self._later(self._warm())

    async def events(self, question: str, body: Mapping[str, Any]) -> AsyncGenerator[Event, None]:
        """Let a process answer a question; yield what it tells, and at last its answer. Where this is closed, it leaves off."""
        async with self._room[QUESTIONS[question]]:
            child = await self._taken()
            if child is None:
                yield ENDED
                return
            loop = asyncio.get_running_loop()
            heard: asyncio.Queue[Event | None] = asyncio.Queue()

            def hear(event: Event) -> None:
                loop.call_soon_threadsafe(heard.put_nowait, event)

            child.heard = hear
            asking = loop.run_in_executor(self._threads, child.ask, answer, question, body)
            asking.add_done_callback(lambda _: heard.put_nowait(None))
            try:
                while (event := await heard.get()) is not None:
                    yield event
                yield self._answer(asking)
            finally:
                self._give_back(child, asking)

    def kill(self) -> None:
        """End all processes at once, from any thread: what they were asked fails, and nothing is asked any more."""
        self._closed = True
        for child in list(self._living):
            child.kill()

    async def end(self) -> None:
        """End all processes, and wait until they are gone."""
        self.kill()
        while self._leaving:
            await asyncio.wait(set(self._leaving))
        for child in self._living:
            child.end()
        self._living.clear()
        self._idle.clear()
        self._threads.shutdown()

    def _answer(self, asking: asyncio.Future[Event]) -> Event:
        try:
            return asking.result()
        except ChildEndedError as ended:
            if self._closed:
                return ENDED
            said = "the process that worked on this was ended from outside ({how}), perhaps for lack of memory; try again"
            return _failed(Sentence(said, how=str(ended)))

    async def _taken(self) -> Child | None:
        """A process with nothing to do; a new one where there is none; None where all has ended."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._closed or self._idle or len(self._living) < STUDIO_PROCESSES)
        return None if self._closed else self._idle.pop() if self._idle else self._started()

    def _started(self) -> Child:
        child = Child()
        self._living.add(child)
        return child

    def _give_back(self, child: Child, asking: asyncio.Future[Event]) -> None:
        """Keep a process that has answered; tell one that has not to leave off."""
        self._later(self._left_off(child, asking))

    async def _left_off(self, child: Child, asking: asyncio.Future[Event]) -> None:
        if not asking.done():
            child.stop()
            await asyncio.wait({asking}, timeout=STUDIO_LEAVE_OFF_SECONDS)
            if not asking.done():
                child.kill()
                await asyncio.wait({asking})
            child.go_on()
        await self._kept(child, asking.exception() is None)

    async def _kept(self, child: Child, sound: bool, *, again: bool = True) -> None:
        """Take a process back; one that died, or the one of too many that was asked least lately, is ended.

        Some are always warm, unless one died before it was (not ``again``): the next would do so too.
        """
        ended: Child | None = child
        if sound and not self._closed:
            self._idle.append(child)
            ended = self._idle.pop(0) if len(self._idle) > STUDIO_WARM else None
        if ended is not None:
            self._living.discard(ended)
            await asyncio.get_running_loop().run_in_executor(None, ended.end)
            if not sound and again and len(self._living) < STUDIO_WARM and not self._closed:
                self._later(self._warm())
        async with self._changed:
            self._changed.notify_all()

    async def _warm(self) -> None:
        """Start a process for what comes next."""
        if self._closed:
            return
        child = self._started()
        warming = asyncio.get_running_loop().run_in_executor(self._threads, child.ask, warm_up)
        await asyncio.wait({warming})
        died = warming.exception()
        self._say(warming.result() if died is None else f"a process that answers questions ended before it was ready ({died})")
        await self._kept(child, died is None, again=False)

    def _say(self, wrong: str | None) -> None:
        """Say on the terminal what is wrong with the program, once."""
        if wrong is not None and wrong not in self._said and not self._closed:
            self._said.add(wrong)
            print(f"puzzlesat: studio: {wrong}", file=sys.stderr, flush=True)

    def _later(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)
