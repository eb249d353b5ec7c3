"""Distribute work to child processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, TypeVar

from puzzlesat.base.limits import Limits
from puzzlesat.base.processes import Child, ChildEndedError, calls_dealt

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Work = Callable[[Item, Limits], Answer]


def dealt(
    make: Callable[[], Work[Item, Answer]], items: Iterable[Item], jobs: int, limits: Callable[[], Limits]
) -> Generator[tuple[Item, Answer | ChildEndedError], None, None]:
    """Yield each item with its answer, or with the error if its child died, as soon as one of ``jobs`` children returns it.

    ``make`` returns the function that works on one item. It must be a function of a module, or a partial of one; each child calls it
    once, for all its items. ``limits`` returns the limits of the next item: a child gets their seconds and memory, and one core. If
    their ``stop`` is set, children stop early; items may still be taken and answered after that.
    """
    packed, stop = pickle.dumps(make), limits().stop
    calls = ((item, _call(packed, item, limits())) for item in items)
    with closing(calls_dealt(jobs, calls, stop)) as dealing:
        for item, call in dealing:
            answer: Answer | ChildEndedError
            try:
                answer = call.result()
            except ChildEndedError as ended:
                answer = ended
            yield item, answer


def _call(packed: bytes, item: Any, limits: Limits) -> Callable[[], Any]:
    return partial(_in_child, packed, item, Limits(seconds=limits.seconds, memory=limits.memory, cores=1, cpu=limits.cpu))


def _in_child(packed: bytes, item: Any, limits: Limits) -> Any:
    return _made(packed)(item, replace(limits, stop=Child.told_to_stop))


@lru_cache(maxsize=1)
def _made(packed: bytes) -> Work[Any, Any]:
    made: Work[Any, Any] = pickle.loads(packed)()
    return made
