"""What is to be done next: the units of a store that are left, in batches, none of them twice at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from puzzlesat.runs.jobs import AUDIT, FIRST, Answer, Job
from puzzlesat.runs.store import LEFT, OPEN, Store

BATCH_SECONDS = 0.5
"""So long a batch of tiny units takes, by what such units took."""
MOST_IN_BATCH = 500
AT_ONCE = 500
"""Units that are read from the store together."""
WEIGHT_OF_NEW = 0.2
"""Of each new unit, in the mean of what units take."""


@dataclass(frozen=True)
class Batch:
    """Jobs that go to a worker together."""

    jobs: Sequence[Job]
    apart: Sequence[tuple[str, int]] = ()
    """Processes that had better not do them: an audit is to be done elsewhere."""
    suspect: bool = False
    """Whether they were lost before, and so may be what ends workers."""
    seconds: float | None = None
    """What they will take, by what such units took; None: that is not known."""


class Line:
    """The units that are left, but those that were taken out of it and not put back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._again = deque(unit for state in LEFT if state != OPEN for unit in store.left(state))
        self._alone: deque[int] = deque()
        self._fresh: deque[Job] = deque()
        self._last = 0
        self._means: dict[str, float] = {}

    def take(self) -> Batch | None:
        """Take out what is to be done next: units to be checked, those that are done alone, tiny ones together; None: nothing is left."""
        for some in (self._again, self._alone):
            if some:
                job = self._store.job(some.popleft())
                apart = self._store.places(job.unit) if job.role != FIRST else ()
                return Batch([job], apart, some is self._alone, self._means.get(_kind(job)))
        if not self._fresh:
            units = self._store.left(OPEN, self._last, AT_ONCE)
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
                before = self._means.get(kinds[answer.unit], answer.wall)
                self._means[kinds[answer.unit]] = before + WEIGHT_OF_NEW * (answer.wall - before)

    def _together(self) -> Batch:
        """The next unit, with as many of those after it as take little time together, and are of the same kind."""
        kind = _kind(self._fresh[0])
        mean = self._means.get(kind)
        most = 1 if mean is None else max(1, int(min(MOST_IN_BATCH, BATCH_SECONDS / max(mean, 1e-9))))
        jobs = [self._fresh.popleft()]
        while self._fresh and len(jobs) < most and _kind(self._fresh[0]) == kind:
            jobs.append(self._fresh.popleft())
        return Batch(jobs, seconds=None if mean is None else mean * len(jobs))


def _kind(job: Job) -> str:
    """Of which units it is said together how long they take."""
    return f"{job.task['do']} {job.task.get('step', '')} {AUDIT if job.role != FIRST else FIRST}"
