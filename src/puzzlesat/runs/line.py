"""What is to be done next: the units of a store that are left, in batches, none of them twice at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from puzzlesat.runs.jobs import AUDIT, FIRST, Answer, Job
from puzzlesat.runs.store import LEFT, OPEN, Store

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


class Line:
    """The units that are left, but those that were taken out of it and not put back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._again = deque(unit for state in LEFT if state != OPEN for unit in store.left(state))
        self._alone: deque[int] = deque()
        self._fresh: deque[Job] = deque()
        self._last = 0
        self._taken: dict[str, tuple[float, float]] = {}
        """Of each kind of units the mean of the seconds that they take, and the variance."""

    def take(self) -> Batch | None:
        """Take out what is to be done next: units to be checked, those that are done alone, tiny ones together; None: nothing is left."""
        for some in (self._again, self._alone):
            if some:
                job = self._store.job(some.popleft())
                apart = self._store.places(job.unit) if job.role != FIRST else ()
                return Batch([job], apart, suspect=some is self._alone)
        if not self._fresh:
            units = self._store.left(OPEN, after=self._last, most=AT_ONCE)
            self._last = max(units, default=self._last)
            self._fresh.extend(map(self._store.job, units))
        return self._together() if self._fresh else None

    def add(self, unit: int) -> None:
        """Put in a unit that was answered and is to be done by somebody else."""
        self._again.append(unit)

    def put_back(self, jobs: Iterable[Job]) -> None:
        """Put back what was not done; each is then done alone."""
        self._alone.extend(job.unit for job in jobs)

    def learn(self, jobs: Sequence[Job], answers: Sequence[Answer]) -> None:
        """Note what units took."""
        kinds: Mapping[int, str] = {job.unit: _kind(job) for job in jobs}
        for answer in answers:
            if answer.unit in kinds:
                mean, variance = self._taken.get(kinds[answer.unit], (answer.wall, 0.0))
                off = answer.wall - mean
                changed = mean + WEIGHT_OF_NEW * off, (1 - WEIGHT_OF_NEW) * (variance + WEIGHT_OF_NEW * off * off)
                self._taken[kinds[answer.unit]] = changed

    def _together(self) -> Batch:
        """The next unit, with as many of those after it as surely take little time together, and are of the same kind."""
        kind = _kind(self._fresh[0])
        mean, variance = self._taken.get(kind, (BATCH_SECONDS, 0.0))
        most = min(BATCH_SECONDS / max(mean + DEVIATIONS * sqrt(variance), 1e-9), len(self._fresh) / SHARE_OF_NEXT)
        jobs = [self._fresh.popleft()]
        while self._fresh and len(jobs) + 1 <= most and _kind(self._fresh[0]) == kind:
            jobs.append(self._fresh.popleft())
        return Batch(jobs)


def _kind(job: Job) -> str:
    """Of which units it is said together how long they take."""
    return f"{job.task['do']} {job.task.get('step', '')} {AUDIT if job.role != FIRST else FIRST}"
