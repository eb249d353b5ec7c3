"""Deal the same work for many forms, or choices of tiles: first in this process, and to several processes if it takes long."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, TypeVar

from puzzlesat.base import ALONE_SECONDS, SILENT, ChildEndedError, Limits, Progress, dealt, memory_left, told_to_stop
from puzzlesat.designing.tile_set import Kit

A_MOMENT = 0.05
"""Seconds before its end in which a work may have been ended already, by a clock of a solver's own."""

T = TypeVar("T")
Answer = TypeVar("Answer")
Work = Callable[[Kit, T, Limits, Progress], Answer]
"""What is done with one thing: the limits are its own, and begin with it. A function of some module, or a partial one."""
Telling = Callable[[str], AbstractContextManager[Progress]]
"""Begins to tell of something by its title."""


def quietly(_: str) -> AbstractContextManager[Progress]:
    """Tell nobody."""
    return nullcontext(SILENT)


@dataclass(frozen=True)
class Working:
    """How the work is done."""

    limits: Limits
    """For each thing; its ``stop`` ends it all."""
    jobs: int = 1
    """So many processes at most."""
    telling: Telling = quietly


def deal(
    kit: Kit, named: Iterable[tuple[str, T]], work: Work[T, Answer], working: Working
) -> Generator[tuple[T, Answer | None], None, None]:
    """Do some work with each of many things, and yield its answer as soon as it is there, until told to stop.

    In order as long as one process is enough. Then what is left is dealt out, and so is what that one process was at, from its beginning.
    What is lost with its process is tried once more when nothing else is at work; lost again, it has no answer (None).
    """
    left = deque(named)
    limits, stop = working.limits, working.limits.stop
    ends = limits.now + ALONE_SECONDS
    while left and not stop.is_set():
        name, item = left[0]
        worth = working.jobs > 1 and len(left) > 1
        with working.telling(name) as told:
            answer = work(kit, item, replace(limits, until=ends) if worth else limits, told)
        if worth and limits.now > ends - A_MOMENT and not stop.is_set():
            yield from _shared(kit, left, work, working)
            return
        left.popleft()
        yield item, answer


def _shared(
    kit: Kit, left: Iterable[tuple[str, T]], work: Work[T, Answer], working: Working
) -> Generator[tuple[T, Answer | None], None, None]:
    """The same by other processes, the last first: made forms become larger, and the largest is not to be begun when all else is done.

    Then comes what was lost, one at a time.
    """
    asked = working.limits
    packed = pickle.dumps((kit, work))
    named = [*left][::-1]
    done, things = 0, len(named)
    with working.telling(kit.title) as told:
        for jobs in (_processes(working), 1):
            memory = asked.memory or Limits().free_memory() // jobs
            calls = (
                (one, partial(_in_child, packed, one[1], asked.seconds, memory, cpu=asked.cpu)) for one in named if not asked.stop.is_set()
            )
            lost = []
            with closing(dealt(jobs, calls, asked.stop)) as dealing:
                for one, call in dealing:
                    name, item = one
                    try:
                        answer = call.result()
                    except ChildEndedError:
                        lost.append(one)
                        continue
                    done += 1
                    told.of(name)({"done": done, "in_all": things})
                    yield item, answer
            named = lost
    for _, item in named:
        yield item, None


def _processes(working: Working) -> int:
    """As many as there is memory for."""
    memory = working.limits.memory
    return working.jobs if memory is None else max(1, min(working.jobs, memory_left() // memory))


def _in_child(packed: bytes, item: object, seconds: float | None, memory: int, *, cpu: bool) -> Any:
    kit, work = _unpacked(packed)
    return work(kit, item, Limits(seconds=seconds, stop=told_to_stop, memory=memory, cores=1, cpu=cpu), SILENT)


@lru_cache(maxsize=1)
def _unpacked(packed: bytes) -> tuple[Kit, Work[Any, Any]]:
    found: tuple[Kit, Work[Any, Any]] = pickle.loads(packed)
    return found
