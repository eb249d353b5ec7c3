"""What every solver takes and gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from time import monotonic

import numpy as np

from puzzlesat.arrays import Rows

OnSolutions = Callable[[Rows], None]
"""Gets blocks of solutions: an array (solutions, width) of option numbers, ascending in each row, padded with -1 at its end."""
OnProgress = Callable[[Mapping[str, int]], None]
"""Gets the work counters now and then."""

COMPLETE = "complete"
LIMIT = "limit reached"
STOPPED = "interrupted"
MEMORY = "out of memory"


@dataclass(frozen=True)
class Limits:
    """When to stop early, and who may ask for it."""

    solutions: int | None = None
    seconds: float | None = None
    stop: Event = field(default_factory=Event)
    memory: int | None = None
    """Bytes that a solver may take for itself; None: a share of what the machine has available."""
    shapes: int | None = None
    """Shapes beyond which the tally gives up."""
    cores: int | None = None
    """How many cores a solver may use, if it can use several; None: all."""


@dataclass(frozen=True)
class Outcome:
    """What a solver did."""

    solver: str
    found: int
    """Solutions of the problem given, each counted once."""
    status: str
    """``complete``, ``limit reached``, ``interrupted`` or ``out of memory``."""
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

    def verdict(self, found: int) -> str | None:
        """Return why to stop now, or None to go on."""
        if self.limits.stop.is_set():
            return STOPPED
        if self.limits.solutions is not None and found >= self.limits.solutions:
            return LIMIT
        if self.limits.seconds is not None and self.seconds >= self.limits.seconds:
            return LIMIT
        return None


def sorted_rows(rows: Rows) -> Rows:
    """Sort each row ascending with its padding (-1) at the end."""
    keys = rows.astype(np.uint32)
    keys.sort(axis=1)
    return keys.astype(np.int32)


def padded_rows(rows: Sequence[Sequence[int]]) -> Rows:
    """Return rows of different lengths as an array, padded with -1."""
    width = max((len(row) for row in rows), default=1) or 1
    return np.array([[*row, *[-1] * (width - len(row))] for row in rows], dtype=np.int32).reshape(len(rows), width)


def joined_rows(blocks: Sequence[Rows]) -> Rows:
    """Return blocks of rows as one array, padded with -1."""
    width = max((block.shape[1] for block in blocks), default=1)
    padded = [np.pad(block, ((0, 0), (0, width - block.shape[1])), constant_values=-1) for block in blocks]
    return np.concatenate(padded) if padded else np.empty((0, width), dtype=np.int32)
