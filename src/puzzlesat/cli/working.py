"""The work on one puzzle, from its first line to its last: within what limits, and how far it is.

What a command may take for one puzzle: seconds and memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from puzzlesat.base import Limits, Progress
from puzzlesat.cli.functions.given import begun_by_command
from puzzlesat.cli.terminal import progress, stoppable


@dataclass(frozen=True)
class Bounds:
    """The options ``--time``, ``--memory``, ``--cpu``, ``--disk`` and ``--disk-space``, as they were given."""

    time: float | None = None
    """Seconds."""
    memory: float | None = None
    """Gibibytes."""
    cpu: bool = False
    """Whether seconds are those that processors work."""
    disk: Path | None = None
    """A folder for what does not fit into memory."""
    disk_space: float | None = None
    """Gibibytes."""

    def limits(self, stop: Event, solutions: int | None = None) -> Limits:
        """Return when to stop; they have not begun."""
        room, disk = gibibytes(self.memory), gibibytes(self.disk_space)
        return Limits(solutions, self.time, stop, room, disk=self.disk, disk_space=disk, cpu=self.cpu)

    def after(self, seconds: float) -> Bounds:
        """Return what is left when so many seconds were spent."""
        return self if self.time is None else replace(self, time=max(0.0, self.time - seconds))


def gibibytes(number: float | None) -> int | None:
    """Return so many gibibytes as bytes."""
    return None if number is None else int(number * 2**30)


@contextmanager
def working(title: str, bounds: Bounds, solutions: int | None = None, *, stop: Event | None = None) -> Iterator[tuple[Limits, Progress]]:
    """Yield the limits of the work on one puzzle, which begin here, and what shows how far it is and ends it by EndedError.

    Without an event of the caller's own, Ctrl-C ends this work alone.
    """
    with stoppable() if stop is None else nullcontext(stop) as told_to_stop, progress(title) as told:
        limits = bounds.limits(told_to_stop, solutions).begun()
        work = limits, limits.heeding(told)
        before = begun_by_command.set(work)
        try:
            yield work
        finally:
            begun_by_command.reset(before)
