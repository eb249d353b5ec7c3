"""The one who runs a study: hands out what is left, takes in answers, and sees to it that whoever dies, and when, nothing is lost.

What is with a worker is known here alone, in memory. A coordinator that dies leaves all of that undone in the store, and no trace of it.
The time of day plays no part in it: clocks jump.

What is to be done next: the units of a store that are left, in batches, none of them twice at a time.

Running a study: its store is opened, what is new is added, and all that is left is done by whoever there is to do it.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future
from contextlib import suppress
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic
from typing import Any, ParamSpec, TypeVar

from puzzlesat.base import SHARE, SILENT, ChildEndedError, ChildPool, Progress, PuzzleError, all_cores, many
from puzzlesat.studies.audit import MOST_CAUGHT, Evidence, Place
from puzzlesat.studies.executors import NO_WORKER, OfExecutor, Processes, Workers
from puzzlesat.studies.opening import cure, open_store
from puzzlesat.studies.reviewing import has_evidence, look_at_all
from puzzlesat.studies.store import DISPUTED, DONE, LEFT, MOST_DEATHS, OPEN, SET_ASIDE, UNSETTLED, Caught, Change, Store
from puzzlesat.studies.study import Study, read_study
from puzzlesat.studies.units import AUDIT, FIRST, Answer, Job, MalformedError, RaisedError, VersionError
from puzzlesat.version import VERSION

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


class UnitQueue:
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


P = ParamSpec("P")
T = TypeVar("T")

POLL_SECONDS = 0.2
PATIENCE_SECONDS = 60.0
"""How long it is tried again where there is no worker, or one after another dies."""
MOST_PAUSE_SECONDS = 5.0
LOST_IN_A_ROW = 2
"""Losses without an answer between them after which it is asked, without a job, whether anybody is there at all."""
LOOK_FOR_HUNG_SECONDS = 1.0
LEAVING_SECONDS = 60.0
"""How long workers that were told to leave off may take for it."""
SLACK = 10.0
SLACK_SECONDS = 600.0
"""A job may take so many times its CPU seconds, and so many more, by the clock: then its worker hangs."""

MOST_HELD = 16
"""Batches that wait for somebody else than those who are free; then others go first that nobody has done yet."""
MOST_UNBELIEVED = 5
"""After so many batches in a row of nobody who is believed the run ends."""

NOBODY = (
    "no worker is trusted any more: {host} gave answers that were refuted ('puzzlesat runs' lists them); "
    "continue with other machines, or check the memory and the processor of this one"
)
KILLED = f"it ended the process that worked on it {MOST_DEATHS} times, each time with no other work, perhaps for lack of memory"
LEFT_OFF = f"its workers stopped {MOST_DEATHS} times without an answer"
HUNG = f"it gave no answer long after its CPU time was over, {MOST_DEATHS} times"
GONE = (OSError, ImportError, RuntimeError)
"""What is raised where jobs cannot be handed out."""


@dataclass(frozen=True)
class End:
    """How a run ended, and how far it came."""

    states: Mapping[str, int]
    """How many units of the study are in each state."""
    stopped: bool = False
    """Whether it was told to."""
    why: str | None = None
    """Why it could not go on, in a sentence."""
    caught: Sequence[Caught] = ()
    """Who gave wrong answers, in this run or before."""

    @property
    def complete(self) -> bool:
        """Whether every unit is done: only then is a total one."""
        return self.states[DONE] == sum(self.states.values())

    @property
    def left(self) -> int:
        """How many units are to be done yet."""
        return sum(self.states[state] for state in LEFT)

    @property
    def sentences(self) -> list[str]:
        """What must be said of it: why it ended, what disagrees, what was set aside."""
        said = [] if self.why is None else [self.why]
        for host, number in Counter(who.host for who in self.caught).items():
            again = "its answers are computed again, and more often" if number < MOST_CAUGHT else "none of its answers are used"
            said.append(f"{host}: {many(number, 'process', 'processes')} gave answers that were refuted; {again}")
        if number := self.states[UNSETTLED] + self.states[DISPUTED]:
            said.append(f"{many(number, 'unit')} with answers that disagree: no total that includes them is complete")
        if number := self.states[SET_ASIDE]:
            said.append(f"{many(number, 'unit')} set aside: the next start tries again")
        if self.left and (self.stopped or self.why):
            said.append(f"{many(self.left, 'unit')} left: run it again to resume")
        return said


@dataclass
class _Flight:
    """A batch that is with a worker."""

    batch: Batch
    until: float | None
    """When the worker hangs, if there is no answer."""
    alone: bool
    """Whether nothing but this can be at fault if it is lost."""


def run(
    store: Store, workers: Workers, *, stop: Event | None = None, progress: Progress = SILENT, patience: float = PATIENCE_SECONDS
) -> End:
    """Do all that is left of a study, until ``stop`` is set, and tell how far it is; the workers are of no use after that.

    Raises PuzzleError where workers have another version of puzzlesat, or the file of the store is damaged.
    """
    store.retry()
    coordinator = _Coordinator(store, workers, stop or Event(), progress, patience)
    try:
        coordinator.work()
        coordinator.leave()
    finally:
        workers.end()
    return coordinator.end()


class _Coordinator:
    def __init__(self, store: Store, workers: Workers, stop: Event, progress: Progress, patience: float) -> None:
        self.store, self.workers, self.stop, self.progress, self.patience = store, workers, stop, progress, patience
        self.line = UnitQueue(store)
        self.states = Counter(store.counts_by_state())
        self.answered, self.cpu = store.cpu_seconds()
        self.flying: dict[Future[list[Answer]], _Flight] = {}
        self.home: SimpleQueue[Future[Any]] = SimpleQueue()
        self.next: Batch | None = None
        """What was taken out of the line and has found no room yet."""
        self.held: deque[Batch] = deque()
        """What waits for another process than those that are free, while others go on."""
        self.inspected: dict[Future[list[Evidence]], list[Answer]] = {}
        """Answers whose evidence is being looked at."""
        self.inspector = ChildPool(1)
        """Who looks at it: no worker."""
        self.dismissed: frozenset[Place] = frozenset()
        self.unbelieved = 0
        """How many batches in a row came from processes that are not believed."""
        self.lost = 0
        """How many were lost in a row, without an answer between them."""
        self.trouble: float | None = None
        """Since when nobody answers."""
        self.pause_until = self.look_for_hung_at = 0.0
        self.why: str | None = None
        self.unwritten = False
        """Whether the store could not be written."""
        self.refused: PuzzleError | None = None

    def work(self) -> None:
        """Hand out and take in, until nothing is left, or something says stop."""
        while not self.stop.is_set() and self.why is None and self.refused is None:
            self.hand_out()
            if not (self.flying or self.next or self.held or self.inspected) and self.trouble is None:
                return
            answers = self.take_in()
            self.hand_out()  # nobody waits until that is on the disk
            self.record(answers)
            self.give_up_hung()

    def leave(self) -> None:
        """Tell the workers to leave off, take in what they finished, and let the rest be."""
        if self.flying:
            self.workers.stop()
        for future in self.flying:
            future.cancel()
        until = monotonic() + LEAVING_SECONDS
        while (self.flying or self.inspected) and monotonic() < until and not self.unwritten:
            self.record(self.take_in())
        self.inspector.kill()
        if self.refused is not None:
            raise self.refused

    # out ---------------------------------------------------------------------------------------------------------------------

    def hand_out(self) -> None:
        """Hand out as much as there is room for; after losses without an answer, a question whether anybody is there."""
        if monotonic() < self.pause_until:
            return
        if self.lost >= LOST_IN_A_ROW:
            if all(flight.batch.jobs for flight in self.flying.values()):
                self.send(Batch(()))
            return
        for batch in [*self.held]:
            if self.has_room(batch) and self.send(batch):
                self.held.remove(batch)
        while True:
            self.next = self.next or self.take_out()
            if self.next is None or not self.has_room(self.next):
                break
            if self.send(self.next):
                self.next = None
            elif self.next.apart and self.trouble is None:
                self.held.append(self.next)
                self.next = None
            else:
                break
        if self.held and self.next is None and self.has_room(self.held[0]) and self.send(self.held[0], fresh=True):
            self.held.popleft()

    def take_out(self) -> Batch | None:
        """Take the next batch out of the line, unless many wait already for somebody else than those who are there."""
        while True:
            batch = self.line.take(again=len(self.held) < MOST_HELD)
            if batch is None or not batch.more:
                return batch
            change = self.written(self.store.settle, batch.jobs[0].unit)  # two alike may be enough by now
            if change is not None and change.state in LEFT:
                return batch
            self.line.back(job.unit for job in batch.jobs)
            self.note([change])

    def has_room(self, batch: Batch) -> bool:
        """Tell whether a batch can be handed out now."""
        slots = self.workers.slots()
        if not slots:
            self.in_trouble(NO_WORKER)
            return False
        if self.workers.shared and self.flying and (batch.suspect or any(flight.batch.suspect for flight in self.flying.values())):
            return False  # it is to be known whose fault a loss is
        return len(self.flying) < slots

    def send(self, batch: Batch, *, fresh: bool = False) -> bool:
        """Hand out a batch, if need be to a process that is begun for it (``fresh``); tell whether that was possible."""
        alone = len(batch.jobs) == 1 and (batch.suspect or not self.workers.shared)
        try:
            future = self.workers.submit(batch.jobs, batch.apart, fresh=fresh)
        except Exception as error:
            if not self.workers.lost(error) and not isinstance(error, GONE):
                raise
            self.in_trouble(str(error))
            return False
        if future is None:
            return False
        if self.lost < LOST_IN_A_ROW and self.trouble is not None:
            self.trouble = None
            self.tell()  # and no more that they are waited for
        self.flying[future] = _Flight(batch, _hung_at(batch.jobs), alone)
        future.add_done_callback(self.home.put)
        return True

    def in_trouble(self, error: str) -> None:
        """Wait a while before more is handed out, or end where that was tried for too long."""
        now = monotonic()
        self.trouble = now if self.trouble is None else self.trouble
        since = now - self.trouble
        self.pause_until = now + min(MOST_PAUSE_SECONDS, (since + POLL_SECONDS) / 2)
        self.progress.of(f"{error}, waiting {max(0.0, self.patience - since):.0f} s more: {self.workers.cure},")({})
        if since > self.patience:
            self.why = f"there is no living worker ({error}); it was tried again for {self.patience:.0f} seconds; {self.workers.cure}"
        else:
            with suppress(*GONE):
                self.workers.renew()

    # in ----------------------------------------------------------------------------------------------------------------------

    def take_in(self) -> list[tuple[Answer, Evidence | None]]:
        """Take in what has come home, or wait for a moment; return the answers to be recorded, with what their evidence shows."""
        answers: list[tuple[Answer, Evidence | None]] = []
        for future in self.come_home():
            if (inspected := self.inspected.pop(future, None)) is not None:
                answers += zip(inspected, self.seen(future, len(inspected)), strict=True)
                continue
            flight = self.flying.pop(future, None)
            if flight is None:  # it was given up before
                continue
            try:
                found = future.result()
            except Exception as error:
                self.failed(flight, error)
            else:
                self.lost, self.trouble, self.pause_until = 0, None, 0.0
                self.line.learn(flight.batch.jobs, found)
                answers += self.inspect(flight, self.wanted(flight, found))
        return answers

    def inspect(self, flight: _Flight, found: Sequence[Answer]) -> list[tuple[Answer, Evidence | None]]:
        """Let the evidence of answers be looked at, by a process that gave none of them; return those that have none."""
        subjects = {job.unit: job.subject for job in flight.batch.jobs}
        looked_at = [one for one in found if self.store.checks and one.error is None and has_evidence(one.result, one.certificate)]
        if looked_at:
            what = [(subjects[answer.unit], answer.result, answer.certificate) for answer in looked_at]
            future = self.inspector.submit(look_at_all, what)
            self.inspected[future] = looked_at
            future.add_done_callback(self.home.put)
        return [(answer, None) for answer in found if answer not in looked_at]

    def seen(self, future: Future[list[Evidence]], number: int) -> list[Evidence | None]:
        """What the evidence of answers shows; nothing where nobody could look at it."""
        try:
            return [*future.result()]
        except (ChildEndedError, CancelledError, PuzzleError, MemoryError, OSError):
            return [None] * number

    def record(self, answers: Sequence[tuple[Answer, Evidence | None]]) -> None:
        """Record answers together."""
        if not answers:
            return
        seen = {answer.unit: what for answer, what in answers if what is not None}
        self.line.back(answer.unit for answer, _ in answers)
        changes = self.written(self.store.record, [answer for answer, _ in answers], seen) or ()
        self.note(changes)
        for unit in {answer.unit for answer, _ in answers} - {change.unit for change in changes}:
            if self.store.is_left(unit):  # it was asked for as something else than what is wanted now that somebody was caught
                self.line.add(unit)
        self.answered, self.cpu = self.answered + len(answers), self.cpu + sum(answer.cpu for answer, _ in answers)
        if self.store.disbelieved != self.dismissed:
            self.dismissed = self.store.disbelieved
            self.workers.dismiss(self.dismissed)
        doubted = not any(self.store.is_believed((answer.host, answer.process)) for answer, _ in answers)
        self.unbelieved = self.unbelieved + 1 if doubted else 0
        if self.unbelieved >= max(MOST_UNBELIEVED, 2 * len(self.flying)):
            self.why = NOBODY.format(host=answers[-1][0].host)
        self.tell()

    def come_home(self) -> list[Future[Any]]:
        """Wait for a moment, and return all batches that are done."""
        home = []
        with suppress(Empty):
            home.append(self.home.get(timeout=POLL_SECONDS))
            while True:
                home.append(self.home.get_nowait())
        return home

    def wanted(self, flight: _Flight, found: Sequence[Answer]) -> list[Answer]:
        """Those answers that were asked for and are whole; the jobs of which there are none are done again."""
        asked = {(job.unit, job.role): job for job in flight.batch.jobs}
        answers = [answer for answer in found if answer.complete and asked.pop((answer.unit, answer.role), None) is not None]
        if asked:
            self.again(replace(flight, alone=flight.alone and not self.stop.is_set()), list(asked.values()), LEFT_OFF)
        return answers

    def failed(self, flight: _Flight, error: Exception) -> None:
        """See to jobs of which there is no answer, but an exception."""
        jobs = flight.batch.jobs
        lost = self.workers.lost(error)
        if isinstance(error, MalformedError):
            self.lose(flight, str(error), lost, said=f"{error}, {MOST_DEATHS} times")
        elif lost or isinstance(error, CancelledError):
            self.lose(flight, str(error) or type(error).__name__, lost)
        elif isinstance(error, VersionError):
            self.refused = error
        elif isinstance(error, ImportError | AttributeError):
            self.refused = PuzzleError(f"a worker cannot run the jobs ({error}): it needs puzzlesat {VERSION}")
        elif len(jobs) == 1:
            said = str(error) if isinstance(error, RaisedError) else f"{type(error).__name__}: {error}"
            self.note([self.written(self.store.set_aside, jobs[0].unit, said)])
            self.tell()
        else:
            self.line.put_back(jobs)

    def lose(self, flight: _Flight, error: str, deaths: int = 1, *, said: str = KILLED) -> None:
        """See to jobs that were lost with their worker, or that ended several; 0: with the way to it."""
        self.lost += 1
        if self.lost >= LOST_IN_A_ROW:
            self.in_trouble(error)
        self.again(replace(flight, alone=flight.alone and deaths > 0), flight.batch.jobs, said, deaths)

    def again(self, flight: _Flight, jobs: Sequence[Job], error: str, deaths: int = 1) -> None:
        """Let jobs be done again, each alone; one that was alone, and that once too often, is set aside."""
        if flight.alone:
            change = self.written(self.store.blame, jobs[0].unit, error, deaths)
            self.note([change])
            if change is None or change.state == SET_ASIDE:
                self.tell()
                return
        self.line.put_back(jobs)

    def give_up_hung(self) -> None:
        """End workers that do not answer."""
        now = monotonic()
        if now < self.look_for_hung_at:
            return
        self.look_for_hung_at = now + LOOK_FOR_HUNG_SECONDS
        for future, flight in [*self.flying.items()]:
            if flight.until is not None and flight.until < now:
                del self.flying[future]
                self.workers.give_up(future)
                self.again(flight, flight.batch.jobs, HUNG)

    def written(self, write: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T | None:
        """Write into the store; where that cannot be done the run ends, and what could not be written is done again some day."""
        try:
            return write(*arguments, **options)
        except sqlite3.OperationalError as error:
            self.why, self.unwritten = f"{self.store.path}: {cure(error)}", True
            return None

    def note(self, changes: Iterable[Change | None]) -> None:
        """Take note of what became of units."""
        for change in filter(None, changes):
            self.states[change.was] -= 1
            self.states[change.state] += 1
            self.states[OPEN] += change.new
            if change.state in LEFT:
                self.line.add(change.unit, change.alike)

    # ahead -------------------------------------------------------------------------------------------------------------------

    def tell(self) -> None:
        """Tell how far it is."""
        units = sum(self.states.values())
        left = sum(self.states[state] for state in LEFT)
        self.progress(
            {SHARE: 1_000_000 * (units - left) // max(units, 1), "units": units - left, "open_units": left, "cpu_seconds": int(self.cpu)}
        )

    def end(self) -> End:
        """How it ended."""
        return End(dict(self.states), self.stop.is_set(), self.why, self.store.caught())


def _hung_at(jobs: Sequence[Job]) -> float | None:
    """When a worker that gets some jobs has taken so long that it hangs."""
    if not jobs or any(job.seconds is None for job in jobs):
        return None
    return monotonic() + SLACK_SECONDS + SLACK * sum(job.seconds or 0 for job in jobs)


def run_study(
    study: Study | Path | str,
    store: Path | str | None = None,
    *,
    executor: Executor | Workers | None = None,
    jobs: int | None = None,
    stop: Event | None = None,
    progress: Progress = SILENT,
) -> End:
    """Do all of a study that is left, and return how far it is; its answers are in the store, a file named like the study's if not said.

    The work is done by so many processes of this machine (``jobs``; by default as many as there are cores), or by an executor such as
    those of ``concurrent.futures``. Raises PuzzleError for what is wrong with the study, or with the file of the store.
    """
    path = None if isinstance(study, Study) else Path(study)
    if path is not None:
        study = read_study(path)
    assert isinstance(study, Study)
    file = Path(store) if store is not None else (path or Path(study.name)).with_suffix(".sqlite")
    with open_store(file, study.heading) as opened:
        study.add_to(opened)
        return run(opened, _workers(executor, jobs), stop=stop, progress=progress)


def _workers(executor: Executor | Workers | None, jobs: int | None) -> Workers:
    """Whoever does the work."""
    if executor is None:
        return Processes(jobs or all_cores())
    return OfExecutor(executor, jobs) if isinstance(executor, Executor) else executor
