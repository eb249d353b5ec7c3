"""The workers of a run: processes of this machine, any executor of ``concurrent.futures``, or a Dask cluster through its own client.

Everyone who can reach a Dask scheduler can run code on its workers and read their messages; Dask's documentation tells how to protect it.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Protocol

from puzzlesat.base import ChildPool, PuzzleError, all_cores
from puzzlesat.studies.units import Place
from puzzlesat.studies.work import answer, answer_in_child

SCHEDULER_SECONDS = 10
"""Timeout of a connection to a Dask scheduler."""


class Workers(Protocol):
    """The interface of the coordinator to its workers."""

    def submit(self, text: str, apart: Collection[Place]) -> Future[str] | None:
        """Send a unit to a free worker other than the processes ``apart``; return None if no such worker is free."""

    def free(self) -> int:
        """Return the number of units that can be sent now."""

    def answered(self, future: Future[str], place: Place) -> None:
        """Record which process sent an answer."""

    def give_up(self, future: Future[str]) -> None:
        """End the process that works for a future, if that is possible."""

    def stop(self) -> None:
        """Send the signal to stop to the workers that have units, if that is possible."""

    def end(self) -> None:
        """End all workers at once."""


class Processes:
    """Processes of this machine: ``jobs`` of them, or two if ``jobs`` is 1, since a second answer needs another process."""

    def __init__(self, jobs: int | None = None, *, first: ChildPool | None = None) -> None:
        self._jobs = jobs or all_cores()
        pools = [first or ChildPool(1), *(ChildPool(1) for _ in range(max(1, self._jobs - 1)))]
        self._places: dict[ChildPool, Place | None] = dict.fromkeys(pools)
        """Pools of one process each, which another process replaces when it ends, and the process that has answered last in each."""
        self._last: dict[Future[str], ChildPool] = {}
        """The last unit of each pool."""
        self._stopped = False
        for pool in pools[:2]:  # these load the program while the coordinator reads its puzzles
            pool.submit(import_module, "puzzlesat.studies.work")

    def submit(self, text: str, apart: Collection[Place]) -> Future[str] | None:
        """Send a unit to a free process, preferably one that has answered before."""
        busy = {pool for future, pool in self._last.items() if not future.done()}
        others = [pool for pool, place in self._places.items() if pool not in busy and place not in apart]
        if not self.free() or not others:
            return None
        pool = min(others, key=lambda pool: self._places[pool] is None)
        future = pool.submit(answer, text)
        self._places[pool] = None  # until it answers: the process may end before
        self._last = {other: own for other, own in self._last.items() if own is not pool} | {future: pool}
        return future

    def free(self) -> int:
        """Return the number of units that can be sent now, so that at most ``jobs`` processes work at a time."""
        return 0 if self._stopped else self._jobs - sum(not future.done() for future in self._last)

    def answered(self, future: Future[str], place: Place) -> None:
        """Record which process sent an answer."""
        if (pool := self._last.get(future)) is not None:
            self._places[pool] = place

    def give_up(self, future: Future[str]) -> None:
        """Kill the process that works for a future."""
        if not future.done():
            pool = self._last.pop(future)
            pool.kill()
            del self._places[pool]
            self._places[ChildPool(1)] = None

    def stop(self) -> None:
        """Send the processes the signal to stop."""
        self._stopped = True
        for pool in self._places:
            pool.stop()

    def end(self) -> None:
        """Kill all processes."""
        for pool in self._places:
            pool.kill()
        for pool in self._places:
            pool.shutdown()


class ExecutorWorkers:
    """Any executor of ``concurrent.futures``, which chooses the process itself. Its owner must shut it down."""

    def __init__(
        self, executor: Executor, slots: int | Callable[[], int] | None = None, *, answering: Callable[[str], str] = answer_in_child
    ) -> None:
        self._executor, self._answering = executor, answering
        self._slots: Callable[[], int] = slots if callable(slots) else lambda: slots or all_cores()
        self._flying: set[Future[str]] = set()

    def submit(self, text: str, apart: Collection[Place]) -> Future[str] | None:
        """Send a unit to the executor."""
        if not self.free():
            return None
        try:
            future = self.executor_for(apart).submit(self._answering, text)
        except OSError:  # a lost scheduler may return
            return None
        self._flying.add(future)
        return future

    def executor_for(self, apart: Collection[Place]) -> Executor:
        """Return the executor for a unit that the processes ``apart`` have answered."""
        return self._executor

    def free(self) -> int:
        """Return the number of units that can be sent now."""
        self._flying = {future for future in self._flying if not future.done()}
        return self._slots() - len(self._flying)

    def answered(self, future: Future[str], place: Place) -> None:
        """Do nothing: the executor chooses the process."""

    def give_up(self, future: Future[str]) -> None:
        """Cancel a unit, if it has not begun."""
        future.cancel()
        self._flying.discard(future)

    def stop(self) -> None:
        """Cancel the units that have not begun."""
        for future in self._flying:
            future.cancel()

    end = stop


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
        except Exception:  # the scheduler is gone; the client reconnects by itself
            return 0

    def executor_for(self, apart: Collection[Place]) -> Executor:
        """Return an executor of the workers on other hosts, if there are any; the scheduler may choose other workers if these are gone."""
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
    """Yield ``jobs`` processes of this machine (None: one for each core), or the workers of the Dask scheduler at the address ``dask``.

    ``first`` is a process that has begun to load the program. Raises PuzzleError if both ``jobs`` and ``dask`` are stated, or if no
    scheduler answers.
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
