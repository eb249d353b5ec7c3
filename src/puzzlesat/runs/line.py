"""What is to be done next: the units of a store that are left, in batches, none of them twice at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from puzzlesat.runs.jobs import AUDIT, FIRST, Answer, Job
from puzzlesat.runs.store import OPEN, Store

BATCH_SECONDS = 0.5
"""So long a batch of tiny units takes, by what such units took."""
SHARE_OF_NEXT = 8
"""What part of the units that come next a batch is at most: in the end none waits behind others while a worker is free."""
AT_ONCE = 500
"""Units that are read from the store together."""
WEIGHT_OF_NEW = 0.2
"""Of each new unit, in what is known of how long units take."""
DEVIATIONS = 2.0
"""Beyond the mean: units of which some take long are not put together, or the others would wait for those."""


@dataclass(frozen=True)
class Batch:
    """Jobs that go to a worker together."""

    jobs: Sequence[Job]
    apart: Sequence[tuple[str, int]] = ()
    """Processes that had better not do them: an audit is to be done elsewhere."""
    suspect: bool = False
    """Whether they were lost before, and so may be what ends workers."""
    more: bool = False
    """Whether two have answered alike, and it is to be looked once more whether that is enough."""


class Line:
    """The units that are left, but those that were taken out of it and not put back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._again: deque[int] = deque()
        self._more: deque[int] = deque()
        """Units that two have answered alike: whether they are to be done once more is known when all others are done."""
        self._alone: deque[int] = deque()
        self._out: set[int] = set()
        self._fresh: deque[Job] = deque()
        self._last = 0
        self._taken: dict[str, tuple[float, float]] = {}
        """Of each kind of units the mean of the seconds that they take, and the variance."""
        for unit, alike in store.again():
            self.add(unit, alike)

    def take(self, *, again: bool = True) -> Batch | None:
        """Take out what is to be done next: units to be checked, those that are done alone, tiny ones together; None: nothing is left.

        Units that two have answered alike come last. Without ``again`` only what nobody has done yet.
        """
        for some in (self._again, self._alone) if again else (self._alone,):
            while some:
                if (batch := self._one(some.popleft(), suspect=some is self._alone)) is not None:
                    return batch
        if not self._fresh:
            units = self._store.left(OPEN, after=self._last, most=AT_ONCE)
            self._last = max(units, default=self._last)
            self._fresh.extend(map(self._store.job, units))
        if self._fresh:
            return self._together()
        while again and self._more:
            if (batch := self._one(self._more.popleft(), more=True)) is not None:
                return batch
        return None

    def add(self, unit: int, alike: int = 0) -> None:
        """Put in a unit that is to be done by somebody else; so many say the same so far."""
        (self._more if alike > 1 else self._again).append(unit)

    def back(self, units: Iterable[int]) -> None:
        """Take note that units are not with a worker any more, nor on their way into the store."""
        self._out.difference_update(units)

    def put_back(self, jobs: Iterable[Job]) -> None:
        """Put back what was not done; each is then done alone."""
        units = [job.unit for job in jobs]
        self.back(units)
        self._alone.extend(units)

    def learn(self, jobs: Sequence[Job], answers: Sequence[Answer]) -> None:
        """Note what units took."""
        kinds: Mapping[int, str] = {job.unit: _kind(job) for job in jobs}
        for answer in answers:
            if answer.unit in kinds:
                mean, variance = self._taken.get(kinds[answer.unit], (answer.wall, 0.0))
                off = answer.wall - mean
                changed = mean + WEIGHT_OF_NEW * off, (1 - WEIGHT_OF_NEW) * (variance + WEIGHT_OF_NEW * off * off)
                self._taken[kinds[answer.unit]] = changed

    def _one(self, unit: int, *, suspect: bool = False, more: bool = False) -> Batch | None:
        """A batch of one unit, best for none of those who have answered it; None: it is with somebody, or there is nothing to be done."""
        if unit in self._out or not self._store.is_left(unit):
            return None
        self._out.add(unit)
        return Batch([self._store.job(unit)], self._store.places(unit), suspect, more)

    def _together(self) -> Batch:
        """The next unit, with as many of those after it as surely take little time together, and are of the same kind."""
        kind = _kind(self._fresh[0])
        mean, variance = self._taken.get(kind, (BATCH_SECONDS, 0.0))
        most = min(BATCH_SECONDS / max(mean + DEVIATIONS * sqrt(variance), 1e-9), len(self._fresh) / SHARE_OF_NEXT)
        jobs = [self._fresh.popleft()]
        while self._fresh and len(jobs) + 1 <= most and _kind(self._fresh[0]) == kind:
            jobs.append(self._fresh.popleft())
        self._out.update(job.unit for job in jobs)
        return Batch(jobs)


def _kind(job: Job) -> str:
    """Of which units it is said together how long they take."""
    return f"{job.task['do']} {job.task.get('step', '')} {AUDIT if job.role != FIRST else FIRST}"
