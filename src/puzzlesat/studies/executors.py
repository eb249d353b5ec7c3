"""The workers of a run: processes of this machine, any executor of ``concurrent.futures``, or a Dask cluster through its own client.

Whoever can reach a Dask scheduler can run code on its workers and read what they send, as with any Dask: protect it as Dask's pages say.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from puzzlesat.base import ChildPool, Limits, PuzzleError
from puzzlesat.studies.units import Place
from puzzlesat.studies.work import answer, answer_in_child

SCHEDULER_SECONDS = 10
"""How long a Dask scheduler has to answer."""


class Workers(Protocol):
    """The workers, as the coordinator uses them."""

    def submit(self, text: str, apart: Collection[Place]) -> Future[str] | None:
        """Send a unit to a free worker that is none of these processes; return None if there is none now."""

    def free(self) -> int:
        """Return how many more units can be sent now."""

    def give_up(self, future: Future[str]) -> None:
        """End the process that does not answer, if that is possible."""

    def stop(self) -> None:
        """Tell those at work to leave off, if that is possible."""

    def end(self) -> None:
        """End them all at once."""


@dataclass
class _Lane:
    """A process of this machine; another takes its place when it ends."""

    children: ChildPool
    future: Future[str] | None = None
    place: Place | None = None
    """The process that answered last."""

    @property
    def busy(self) -> bool:
        """Whether it has a unit."""
        return self.future is not None and not self.future.done()


class Processes:
    """Processes of this machine. There is one more than work at a time, if it takes two to answer a unit twice."""

    def __init__(self, jobs: int | None = None, *, first: ChildPool | None = None) -> None:
        self._jobs = jobs or Limits().usable_cores
        self._lanes = [_Lane(first or ChildPool(1)), *(_Lane(ChildPool(1)) for _ in range(max(1, self._jobs - 1)))]
        self._stopped = False
        for lane in self._lanes[:2]:  # they load the program while the coordinator reads its puzzles
            lane.children.submit(import_module, "puzzlesat.studies.work")

    def submit(self, text: str, apart: Collection[Place]) -> Future[str] | None:
        """Send a unit to a process; one that has not answered anything yet is another one than those that have."""
        if not self.free():
            return None
        idle = [lane for lane in self._lanes if not lane.busy]
        for lane in idle:
            if lane.future is not None and (lane.future.cancelled() or lane.future.exception() is not None):
                lane.place = None  # its process ended
        if not (others := [lane for lane in idle if lane.place not in apart]):
            return None
        lane = min(others, key=lambda lane: lane.place is None)
        lane.future = lane.children.submit(answer, text)
        return lane.future

    def free(self) -> int:
        """Return how many processes may begin to work."""
        return 0 if self._stopped else self._jobs - sum(lane.busy for lane in self._lanes)

    def answered(self, future: Future[str], place: Place) -> None:
        """Take note which process gave an answer."""
        for lane in self._lanes:
            if lane.future is future:
                lane.place = place

    def give_up(self, future: Future[str]) -> None:
        """Kill the process that does not answer."""
        for number, lane in enumerate(self._lanes):
            if lane.future is future:
                lane.children.kill()
                self._lanes[number] = _Lane(ChildPool(1))

    def stop(self) -> None:
        """Tell the processes to leave off."""
        self._stopped = True
        for lane in self._lanes:
            lane.children.stop()

    def end(self) -> None:
        """Kill the processes."""
        for lane in self._lanes:
            lane.children.kill()
        for lane in self._lanes:
            lane.children.shutdown()


class ExecutorWorkers:
    """Any executor of ``concurrent.futures``, which chooses the process itself; it is left to its maker in the end."""

    def __init__(
        self, executor: Executor, slots: int | Callable[[], int] | None = None, *, answering: Callable[[str], str] = answer_in_child
    ) -> None:
        self._executor, self._answering = executor, answering
        self._slots: Callable[[], int] = slots if callable(slots) else lambda: slots or Limits().usable_cores
        self._flying: set[Future[str]] = set()

    def submit(self, text: str, apart: Collection[Place]) -> Future[str] | None:
        """Hand out a unit."""
        if not self.free():
            return None
        try:
            future = self.executor_for(apart).submit(self._answering, text)
        except OSError:  # a scheduler that is gone may come back
            return None
        self._flying.add(future)
        return future

    def executor_for(self, apart: Collection[Place]) -> Executor:
        """Return the executor for a unit that these processes have answered."""
        return self._executor

    def free(self) -> int:
        """Return how many more units it takes."""
        self._flying = {future for future in self._flying if not future.done()}
        return self._slots() - len(self._flying)

    def give_up(self, future: Future[str]) -> None:
        """Cancel a unit, if it has not begun."""
        future.cancel()
        self._flying.discard(future)

    def stop(self) -> None:
        """Cancel the units that have not begun."""
        for future in self._flying:
            future.cancel()

    def end(self) -> None:
        """Wait for nothing."""
        self.stop()


class DaskWorkers(ExecutorWorkers):
    """The workers of a Dask cluster; a second answer comes from another host, if there is one."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._hosts: dict[str, str] = {}
        """The host of each worker, by the worker's address."""
        super().__init__(client.get_executor(pure=False, retries=3), self._threads)

    def _threads(self) -> int:
        try:
            return sum(self._client.ncores().values())
        except Exception:  # the scheduler is gone; the client tries to reach it again
            return 0

    def executor_for(self, apart: Collection[Place]) -> Executor:
        """Return an executor of the workers on other hosts; the scheduler may choose others if these are gone."""
        hosts = {host for host, _ in apart}
        workers = list(self._client.ncores()) if hosts else []
        if new := [address for address in workers if address not in self._hosts]:
            self._hosts |= self._client.run(socket.gethostname, workers=new, on_error="ignore")
        elsewhere = [address for address in workers if self._hosts.get(address) not in hosts]
        if not elsewhere or len(elsewhere) == len(workers):
            return self._executor
        executor: Executor = self._client.get_executor(pure=False, retries=3, workers=elsewhere, allow_other_workers=True)
        return executor


@contextmanager
def workers(jobs: int | None, dask: str | None, first: ChildPool | None = None) -> Iterator[Workers]:
    """Yield processes of this machine, so many or one for each core; or the workers of the Dask scheduler at an address.

    ``first`` is a process that has begun to load the program.

    Raises PuzzleError if both are named, or if no scheduler answers there.
    """
    if dask is None:
        yield Processes(jobs, first=first)
        return
    if jobs is not None:
        raise PuzzleError("--jobs is for processes of this machine; with --dask as many are at work as the cluster has")
    try:
        from distributed import Client
    except ImportError:
        raise PuzzleError('--dask needs Dask: pip install "puzzlesat[cluster]"') from None
    try:
        client: Any = Client(dask, timeout=SCHEDULER_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise PuzzleError(f"--dask {dask}: no scheduler answers there ({error}); start one with 'dask scheduler'") from None
    with client:
        yield DaskWorkers(client)
