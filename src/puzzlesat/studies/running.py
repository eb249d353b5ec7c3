"""Run a study, count one puzzle in a store, or check instances in a store: what the command line starts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

from puzzlesat.base import SILENT, Limits, Progress, PuzzleError
from puzzlesat.counting import CHECKING_SECONDS, Plan, Report, fixed_again
from puzzlesat.puzzles import Instance
from puzzlesat.studies import coordinator
from puzzlesat.studies.audit import SHARE
from puzzlesat.studies.check import task_of
from puzzlesat.studies.coordinator import End, run_study
from puzzlesat.studies.executors import Processes, Workers
from puzzlesat.studies.opening import StudyHeading, open_store, open_to_read
from puzzlesat.studies.overviews import Forecast, forecast, processes_of_late, with_share
from puzzlesat.studies.parts import HANGS_SECONDS, PLAN
from puzzlesat.studies.store import DONE, OPEN, SET_ASIDE, Reader, Store
from puzzlesat.studies.stored import as_begun, heading_of, report_of, with_its_tile
from puzzlesat.studies.study import Study, in_file, kept_library
from puzzlesat.studies.tables import COLUMNS, Row, done_before, finished, name_of, row_of, summary, table, why_open
from puzzlesat.studies.units import COUNT, Loaded, Result, Subject, subject_of

if TYPE_CHECKING:
    from pandas import DataFrame


@contextmanager
def workers(jobs: int | None, dask: str | None) -> Iterator[Workers]:
    """Yield processes of this machine, so many or one for each core; or the workers of the Dask scheduler at an address.

    Raises PuzzleError if both are named, or if no scheduler answers there.
    """
    if dask is None:
        yield Processes(jobs)
        return
    if jobs is not None:
        raise PuzzleError("--jobs is for processes of this machine; with --dask as many are at work as the cluster has")
    from puzzlesat.studies.dask import cluster

    with cluster(dask) as there:
        yield there


class Watch:
    """The puzzles of a run that are finished, as it goes on: it reads the store beside the coordinator, which writes it."""

    def __init__(self, store: Path, progress: Progress) -> None:
        self._store, self._stack = store, ExitStack()
        self._reader: Reader | None = None
        self._since, self.known = 0, 0
        """``known``: how many puzzles were finished before."""
        self.progress = progress
        """Tells of the work with the share that is done, as soon as there is a store to ask."""
        with suppress(PuzzleError), open_to_read(store) as before:  # if it is wrong, opening it to write says so
            self._since, self.known = done_before(before)

    def close(self) -> None:
        """Read no more."""
        self._stack.close()

    def rows(self) -> Iterator[Row]:
        """Yield the row of each puzzle that was finished since the last call."""
        if self._reader is None:
            self._reader = self._stack.enter_context(open_to_read(self._store))
            self.progress = with_share(self.progress, self._reader)
        self._since, numbers = finished(self._reader, self._since)
        for number in numbers:
            yield row_of(self._reader, number, self._reader.subject(number))


@dataclass(frozen=True, repr=False)
class Ran:
    """The results of a study."""

    rows: tuple[Row, ...]
    """One row for each puzzle, with its ``verdict``, its counts and how they were obtained."""
    end: End
    """How the run ended; ``sentences`` has its warnings."""
    store: Path
    """The file of all results."""
    why: str | None
    """Why not everything is known that the study asks, in a sentence; None if it is."""
    seconds: float = 0.0
    """How long the call took."""

    @property
    def complete(self) -> bool:
        """Whether everything is known that the study asks."""
        return self.why is None

    @property
    def sentence(self) -> str:
        """The answer in one sentence: how many puzzles can be solved, how many cannot, and how many are left."""
        return summary(self.rows)

    def __repr__(self) -> str:
        return f"<Ran {self.store.name}: {self.sentence}>"

    def to_pandas(self) -> DataFrame:
        """Return a table, one row a puzzle, with the columns of the CSV file that ``puzzlesat runs --export`` writes."""
        from pandas import DataFrame

        return DataFrame([row.cells for row in self.rows], columns=list(COLUMNS))


def run_to_table(study: Study, store: Path, there: Workers, *, stop: Event | None = None, progress: Progress = SILENT) -> Ran:
    """Do all of a study that is left, and return what is known of its puzzles.

    Raises PuzzleError if the study or the store is wrong.
    """
    began = monotonic()
    end = run_study(study, store, executor=there, stop=stop, progress=progress)
    with open_to_read(store) as done:
        rows = tuple(table(done))
    unknown = why_open(rows, count=any(step.find == COUNT for step in study.steps))
    said = [] if end.complete else end.sentences or ["units are left"]
    return Ran(rows, end, store, "; ".join([*said, *filter(None, [unknown])]) or None, monotonic() - began)


# one puzzle ------------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StoredCount:
    """What the store of a count knows of it."""

    report: Report
    complete: bool
    """Whether every part is counted, and nothing is in doubt."""
    end: End
    """How the work at it ended this time."""
    done: int
    """Units that are done,"""
    units: int
    """of so many that are known so far."""
    cpu: float
    """CPU seconds that it took so far."""
    left: Forecast | None
    """CPU seconds that it will take; None: there is no forecast."""

    @property
    def share(self) -> float:
        """The share of the work that is done, as far as it is known."""
        if self.complete:
            return 1.0
        if self.left is None:
            return 0.0
        return self.cpu / (self.cpu + self.left.seconds) if self.left.seconds else 1.0


def count_in_store(
    subject: Subject,
    instance: Instance,
    file: Path,
    there: Workers,
    limits: Limits,
    *,
    audit: float | None = None,
    progress: Progress = SILENT,
) -> StoredCount:
    """Count a puzzle until it is done or told to stop, or resume its count, and return what is known then.

    ``audit`` is the share of the units that are done again (None: the default).
    """
    built, memory = Loaded(subject, instance).built(memory=limits.memory), limits.memory
    with open_store(file, heading_of(subject, SHARE if audit is None else audit)) as store:
        if not any(True for _ in store.subjects()):
            room = {} if memory is None else {"memory": memory}
            store.add([(with_its_tile(subject, built), [{**PLAN, "seconds": HANGS_SECONDS, "audit": True, **room}])])
        end = coordinator.run(store, there, stop=limits.stop, progress=with_share(progress, store))
        number = next(number for number, _ in store.subjects())
        report, known = report_of(store, number, as_begun(built, store.subject(number)), end.stopped)
        states = store.counts_by_state()
        left = forecast(store, {}, processes_of_late(store))
        found = StoredCount(report, known.complete, end, states[DONE], sum(states.values()), store.cpu_seconds()[1], left)
    if report.complete and report.agree is not False and not report.counted_once:
        again = Limits(seconds=CHECKING_SECONDS, memory=memory, stop=limits.stop).begun()
        return replace(found, report=fixed_again(report, again, progress))
    return found


# instances that state their counts -------------------------------------------------------------------------------------------------

HEADING = StudyHeading("puzzlesat check", "puzzlesat check", "{}", audit=0.0)


def instances_to_check(files: Sequence[Path]) -> list[Subject]:
    """Return the instances of files that state expected counts, each by its own name."""
    library = kept_library()
    found = (subject for file in files for subject in in_file(file, library) if subject.table.get("expect"))
    return [subject_of(name_of(subject), subject.table, subject.files) for subject in found]


class StoredChecks:
    """The checks of some instances in a store."""

    def __init__(self, store: Store, subjects: Sequence[Subject], plan: Plan) -> None:
        self._store = store
        tasks = {subject.key: (subject, task_of(subject, plan)) for subject in subjects}
        self.number = len(tasks)
        """How many instances there are."""
        store.forget(unit.id for unit in store.units() if unit.state == OPEN)
        store.add((subject, [task]) for subject, task in tasks.values())
        stated = {key: json.loads(json.dumps(task)) for key, (_, task) in tasks.items()}
        self.waiting = {unit.id for unit in store.units() if unit.task == stated.get(store.subject(unit.subject).key)}
        """The units of the instances that ``news`` has not yielded."""

    def news(self) -> Iterator[tuple[str, Result | None, str | None]]:
        """Yield the name of each instance that was finished since the last call; with the result of its check, or why there is none."""
        for unit in [unit for unit in self._store.units() if unit.id in self.waiting and unit.state in (DONE, SET_ASIDE)]:
            self.waiting.discard(unit.id)
            result = next((answer.result for answer in self._store.answers(unit.id) if answer.error is None), None)
            yield self._store.subject(unit.subject).name, result, unit.error

    def run(self, jobs: int | None, stop: Event, progress: Progress) -> End:
        """Check what is not known, until it is done or told to stop."""
        return coordinator.run(self._store, Processes(jobs), stop=stop, progress=progress)


@contextmanager
def open_checks(file: Path | None, subjects: Sequence[Subject], plan: Plan) -> Iterator[StoredChecks]:
    """Yield the checks of instances, those known from a file among them; it gets what is found. Without a file nothing is kept."""
    with TemporaryDirectory(prefix="puzzlesat-") as folder, open_store(file or Path(folder) / "check.sqlite", HEADING) as store:
        yield StoredChecks(store, subjects, plan)
