"""What a command may take for one puzzle: seconds and memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Event

from puzzlesat.solvers.run import Limits


@dataclass(frozen=True)
class Bounds:
    """The options ``--time``, ``--memory`` and ``--cpu``, as they were given."""

    time: float | None = None
    """Seconds."""
    memory: float | None = None
    """Gibibytes."""
    cpu: bool = False
    """Whether seconds are those that processors work."""

    def limits(self, stop: Event, solutions: int | None = None) -> Limits:
        """Return when to stop; they have not begun."""
        return Limits(solutions, self.time, stop, gibibytes(self.memory), cpu=self.cpu)

    def after(self, seconds: float) -> Bounds:
        """Return what is left when so many seconds were spent."""
        return self if self.time is None else replace(self, time=max(0.0, self.time - seconds))


def gibibytes(number: float | None) -> int | None:
    """Return so many gibibytes as bytes."""
    return None if number is None else int(number * 2**30)
