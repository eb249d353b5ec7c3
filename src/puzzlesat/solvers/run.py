"""What every solver takes and gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Final, Literal, Protocol

from puzzlesat.progress import SILENT, Progress

if TYPE_CHECKING:
    from puzzlesat.arrays import Rows

OnSolutions = Callable[["Rows"], None]
"""Gets blocks of solutions: an array (solutions, width) of option numbers, ascending in each row, padded with -1 at its end."""

Status = Literal["complete", "limit reached", "interrupted", "out of memory"]
COMPLETE: Final = "complete"
LIMIT: Final = "limit reached"
STOPPED: Final = "interrupted"
MEMORY: Final = "out of memory"


@dataclass(frozen=True)
class Limits:
    """When to stop early, and who may ask for it."""

    solutions: int | None = None
    seconds: float | None = None
    stop: Event = field(default_factory=Event)
    memory: int | None = None
    """Bytes that a solver may take for itself; None: a share of what the machine has available."""
    disk: Path | None = None
    """A folder where a solver may put what does not fit into memory, and where it finds what an ended run left there; None: nowhere."""
    disk_space: int | None = None
    """Bytes that it may take there; None: all that is free."""
    shapes: int | None = None
    """Shapes beyond which the tally gives up."""
    cores: int | None = None
    """How many cores a solver may use, if it can use several; None: all."""

    def within(self, seconds: float | None) -> Limits:
        """Return the limits with so many seconds at most."""
        return self if seconds is None else replace(self, seconds=seconds if self.seconds is None else min(self.seconds, seconds))


@dataclass(frozen=True)
class Outcome:
    """What a solver did."""

    solver: str
    found: int
    """Solutions of the problem given, each counted once."""
    status: Status
    seconds: float
    work: Mapping[str, int]
    """Machine-independent work, e.g. nodes."""
    weighted: int | None = None
    """Solutions of the whole problem that those found stand for (see ``CoverProblem.weight``), where the solver counts them."""

    @property
    def complete(self) -> bool:
        """Whether all solutions were found: only then is ``found`` the count."""
        return self.status == COMPLETE


class Clock:
    """The time since a solver began, held against its limits."""

    def __init__(self, limits: Limits) -> None:
        self.began = monotonic()
        self.limits = limits

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return monotonic() - self.began

    @property
    def left(self) -> float | None:
        """Seconds left, or None without a limit."""
        return None if self.limits.seconds is None else max(0.0, self.limits.seconds - self.seconds)

    def share(self, share: float) -> float | None:
        """Return a share of the seconds left, or None without a limit."""
        return None if self.left is None else self.left * share

    def rest(self) -> Limits:
        """Return the limits with the seconds left."""
        return replace(self.limits, seconds=self.left)

    def verdict(self, found: int) -> Status | None:
        """Return why to stop now, or None to go on."""
        if self.limits.stop.is_set():
            return STOPPED
        if self.limits.solutions is not None and found >= self.limits.solutions:
            return LIMIT
        if self.limits.seconds is not None and self.seconds >= self.limits.seconds:
            return LIMIT
        return None


class Ask(Protocol):
    """Finds all solutions of one problem that contain the options given."""

    def __call__(
        self, on_solutions: OnSolutions | None, limits: Limits, *, given: Sequence[int] = (), progress: Progress = SILENT
    ) -> Outcome:
        """Hand blocks of solutions to ``on_solutions``, or only count them where that is None; return what was done."""
