"""What a command may take for one puzzle: seconds and memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from puzzlesat.solvers.run import Limits


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
