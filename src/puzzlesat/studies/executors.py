"""Who does the jobs: processes of this machine, or any executor of ``concurrent.futures``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from importlib import import_module
from typing import Protocol

from puzzlesat.base import ChildEndedError, ChildPool, all_cores, memory_left
from puzzlesat.studies import wire
from puzzlesat.studies.audit import Place
from puzzlesat.studies.units import Answer, Do, Job, MalformedError

NO_WORKER = "there is no worker"


class Workers(Protocol):
    """Whoever does jobs, as the coordinator sees them."""

    shared: bool
    """Whether all lose what they do when one dies: then it is not known whose fault that was."""

    @property
    def cure(self) -> str:
        """What to do where none of them is there, or none lives."""

    def slots(self) -> int:
        """Return how many batches may be handed out at once now; 0 where nobody is there."""

    def submit(self, jobs: Sequence[Job], apart: Sequence[Place] = (), *, fresh: bool = False) -> Future[list[Answer]] | None:
        """Hand out jobs, if possible to none of these processes; return None where there is no room for them now.

        With ``fresh`` another process may be begun in the place of one that is free, so that it is none of these. No jobs are a question
        whether somebody is there. Raises what ``lost`` knows where nobody is.
        """

    def dismiss(self, places: Collection[Place]) -> None:
        """Hand out nothing more to these processes, as far as that is possible: they are not believed."""

    def lost(self, error: BaseException) -> int:
        """Return how many workers ended, one after the other, over the jobs that end with this exception; they are to be done again."""

    def give_up(self, future: Future[list[Answer]]) -> None:
        """End what does not answer, as far as that is possible."""

    def renew(self) -> None:
        """Make what is broken as a whole anew, where that is possible."""

    def stop(self) -> None:
        """Tell those at work to leave off in good order. Nothing is submitted after that."""

    def end(self) -> None:
        """End them all at once."""


def default_do() -> Do:
    """Return what workers do with jobs, unless they are told otherwise."""
    do: Do = import_module("puzzlesat.studies.worker").do
    return do


class Lane:
    """One process of this machine, and what it does; where it dies another takes its place."""

    def __init__(self) -> None:
        self.children = ChildPool(1)
        self.flying: Future[list[Answer]] | None = None
        self.memory = 0
        """The bytes that it may take now."""
        self.process = 0
        """The number of the process that answered last."""

    def submit(self, do: Do, jobs: Sequence[Job]) -> Future[list[Answer]]:
        """Hand out jobs."""
        self.flying, self.memory = self.children.submit(do, jobs), _bytes(jobs)
        return self.flying

    def renew(self) -> None:
        """Let another process be begun for what comes next."""
        self.children.kill()
        self.children, self.process = ChildPool(1), 0

    def look(self) -> None:
        """Take note of what was answered."""
        future = self.flying
        if future is None or not future.done():
            return
        self.flying, self.memory = None, 0
        if not future.cancelled() and future.exception() is None and (answers := future.result()):
            self.process = answers[-1].process


class Processes:
    """Processes of this machine, each its own: one that dies takes nothing with it but its own jobs."""

    shared = False
    cure = "use fewer processes (--jobs) if memory is short"

    def __init__(self, most: int | None = None, *, do: Do | None = None, memory: int | None = None) -> None:
        self._do = do or default_do()
        self._memory = memory if memory is not None else memory_left()
        self._lanes = [Lane() for _ in range(most or all_cores())]
        self._dismissed: frozenset[int] = frozenset()

    def slots(self) -> int:
        """Return how many processes there are."""
        return len(self._lanes)

    def submit(self, jobs: Sequence[Job], apart: Sequence[Place] = (), *, fresh: bool = False) -> Future[list[Answer]] | None:
        """Hand out jobs to a process that is free; they wait for one that is none of these, and until memory reaches for all."""
        for lane in self._lanes:
            lane.look()
            if lane.flying is None and lane.process in self._dismissed:
                lane.renew()
        if sum(lane.memory for lane in self._lanes) + _bytes(jobs) > self._memory and any(lane.flying for lane in self._lanes):
            return None
        barred = {process for _, process in apart}
        idle = [lane for lane in self._lanes if lane.flying is None]
        free = next((lane for lane in idle if lane.process not in barred), None)
        if free is None and fresh and idle:
            free = idle[0]
            free.renew()
        return None if free is None else free.submit(self._do, jobs)

    def dismiss(self, places: Collection[Place]) -> None:
        """Let another process take the place of each of these, when it has answered."""
        self._dismissed = frozenset(process for _, process in places)

    def lost(self, error: BaseException) -> bool:
        """Tell whether a process ended."""
        return isinstance(error, ChildEndedError)

    def give_up(self, future: Future[list[Answer]]) -> None:
        """Kill the process that does not answer."""
        for lane in self._lanes:
            if lane.flying is future:
                lane.children.kill()
                lane.children, lane.flying, lane.memory = ChildPool(1), None, 0

    def renew(self) -> None:
        """Do nothing: each process that ends is replaced when there is something to do."""

    def stop(self) -> None:
        """Tell the processes to leave off."""
        for lane in self._lanes:
            lane.children.stop()

    def end(self) -> None:
        """Kill the processes."""
        for lane in self._lanes:
            lane.children.kill()
        for lane in self._lanes:
            lane.children.shutdown()


class _Answered(Future[list[Answer]]):
    """The answers in a text that is yet to come; what the text says is checked when it is there."""

    def __init__(self, text: Future[bytes], jobs: Sequence[Job]) -> None:
        super().__init__()
        self._text, self._jobs = text, jobs
        text.add_done_callback(self._read)

    def cancel(self) -> bool:
        """Cancel the jobs, if they have not begun; the text then says so to this one."""
        return self._text.cancel()

    def _read(self, text: Future[bytes]) -> None:
        if text.cancelled():
            super().cancel()
            return
        try:
            self.set_result(wire.read_answers(text.result(), self._jobs))
        except Exception as error:  # for whoever asks for the answers
            self.set_exception(error)


class OfExecutor:
    """Any executor of ``concurrent.futures``; or what makes one, so that another can take the place of one that broke."""

    shared = True
    cure = "check the executor"

    def __init__(self, executor: Executor | Callable[[], Executor], slots: int | None = None, *, do: Do | None = None) -> None:
        self._make = None if isinstance(executor, Executor) else executor
        self._executor = executor if isinstance(executor, Executor) else executor()
        self._slots = slots or all_cores()
        self._do = do or default_do()

    def slots(self) -> int:
        """Return how many jobs it does at once, as was said."""
        return self._slots

    def submit(self, jobs: Sequence[Job], apart: Sequence[Place] = (), *, fresh: bool = False) -> Future[list[Answer]] | None:
        """Hand out jobs to whomever it chooses."""
        return _Answered(self._executor.submit(wire.done, self._do, jobs), jobs)

    def dismiss(self, places: Collection[Place]) -> None:
        """Do nothing: it cannot be told."""

    def lost(self, error: BaseException) -> bool:
        """Tell whether it is broken, or has answered what is no answer."""
        return isinstance(error, BrokenExecutor | ChildEndedError | MalformedError)

    def give_up(self, future: Future[list[Answer]]) -> None:
        """Cancel what has not begun; what has cannot be ended."""
        future.cancel()

    def renew(self) -> None:
        """Make another one, where it is known how."""
        if self._make is not None:
            with suppress(Exception):  # it is broken
                self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = self._make()

    def stop(self) -> None:
        """Do nothing: it cannot be told."""

    def end(self) -> None:
        """Take no more; what has begun cannot be ended. An executor that was given is left to whoever made it."""
        if self._make is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)


def _bytes(jobs: Sequence[Job]) -> int:
    """The bytes that jobs may take, one after another."""
    return max((job.memory or 0 for job in jobs), default=0)
