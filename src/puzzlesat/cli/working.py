"""The work on one puzzle, from its first line to its last: within what limits, and how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import Event

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.terminal import progress, stoppable
from puzzlesat.progress import Progress
from puzzlesat.solvers.run import Limits, heeding


@contextmanager
def working(title: str, bounds: Bounds, solutions: int | None = None, *, stop: Event | None = None) -> Iterator[tuple[Limits, Progress]]:
    """Yield the limits of the work on one puzzle, which begin here, and what shows how far it is and ends it by EndedError.

    Without an event of the caller's own, Ctrl-C ends this work alone.
    """
    with stoppable() if stop is None else nullcontext(stop) as told_to_stop, progress(title) as told:
        limits = bounds.limits(told_to_stop, solutions).begun()
        yield limits, heeding(told, limits)
