"""One way to deal work to processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from functools import lru_cache, partial
from typing import Any, TypeVar

from puzzlesat.base.limits import Limits
from puzzlesat.base.processes import ChildEndedError, calls_dealt, told_to_stop

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Work = Callable[[Item, Limits], Answer]


def dealt(
    make: Callable[[], Work[Item, Answer]], items: Iterable[Item], jobs: int, limits: Callable[[], Limits]
) -> Generator[tuple[Item, Answer | ChildEndedError], None, None]:
    """Yield the answers of so many children, with what each is about, as soon as they are there; or how a child was ended.

    ``make`` returns the work on one thing. It is a function of some module, or a partial one: a child gets it once, and makes the work for
    all things. ``limits`` returns those of a thing that is dealt out now; a child has seconds, memory and one core. Once they are told to
    stop, the children leave off; what is still taken from ``items`` then, and answered, is the caller's matter.
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
    return partial(_in_child, packed, item, limits.seconds, limits.memory, cpu=limits.cpu)


def _in_child(packed: bytes, item: Any, seconds: float | None, memory: int | None, *, cpu: bool) -> Any:
    return _made(packed)(item, Limits(seconds=seconds, stop=told_to_stop, memory=memory, cores=1, cpu=cpu))


@lru_cache(maxsize=1)
def _made(packed: bytes) -> Work[Any, Any]:
    made: Work[Any, Any] = pickle.loads(packed)()
    return made
