"""Run a study, count one puzzle in a store, or check instances in a store: what the command line starts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

from puzzlesat.base import SILENT, Limits, Progress, PuzzleError, Status, listed, many
from puzzlesat.counting import CHECKING_SECONDS, Counts, Disagreement, Plan, Report, Row, Sample, fixed_again, read_twice
from puzzlesat.formats import raw_tables_in, tables_in
from puzzlesat.puzzles import BuiltInstance, Instance, reduce
from puzzlesat.solvers import LISTING, family, tile_to_break
from puzzlesat.studies.coordinator import Coordinator, End, RunOptions, run
from puzzlesat.studies.executors import Processes, Workers
from puzzlesat.studies.overviews import Forecast, forecast
from puzzlesat.studies.settle import Parts, differing, wrong_parts
from puzzlesat.studies.store import OPEN, SETTLED, Reader, Store, StudyHeading, UnitRow, open_store
from puzzlesat.studies.study import Study, in_file, kept_library
from puzzlesat.studies.tables import COLUMNS, PuzzleRow, name_of, row_of, summary, table, why_open
from puzzlesat.studies.units import NOT_COUNTED, WHOLE, Loaded, Question, Subject, loaded, make_subject, subject_of
from puzzlesat.version import VERSION

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, repr=False)
class Ran:
    """The results of a study."""

    rows: tuple[PuzzleRow, ...]
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


def run_study(
    study: Study,
    file: Path,
    there: Workers,
    options: RunOptions | None = None,
    *,
    stop: Event | None = None,
    progress: Progress = SILENT,
    begun: Callable[[int], None] = lambda _: None,
    heard: Callable[[PuzzleRow], None] = lambda _: None,
) -> Ran:
    """Do all of a study that is left, and return what is known of its puzzles.

    ``begun`` gets the number of puzzles that are done already, and ``heard`` the row of each other one as soon as it is done. Raises
    PuzzleError if the study or the store is wrong.
    """
    began = monotonic()
    options = replace(options or RunOptions(), single=study.single)
    with open_store(file, study.heading) as store:
        with store.change():
            _add_puzzles(store, study)

        def told(number: int) -> None:
            heard(row_of(store, number, store.puzzle(number)))

        coordinator = Coordinator(store, study.steps, there, options, stop or Event(), progress, told)
        end = run(coordinator, begun)
        rows = tuple(table(store))
    unknown = why_open(rows, count=any(step.find == "count" for step in study.steps))
    said = [] if end.complete else end.sentences or ["units are left"]
    return Ran(rows, end, file, "; ".join([*said, *filter(None, [unknown])]) or None, monotonic() - began)


def _add_puzzles(store: Store, study: Study) -> None:
    own = {subject.key for subject in study.subjects}
    if strange := [subject.name for _, subject in store.puzzles() if subject.key not in own]:
        raise PuzzleError(
            f"{store.path}: it has {many(len(strange), 'puzzle')} that the study does not name any more, or that have changed: "
            f"{listed(strange, 3)}; put them back, or choose another file for the store (--store)"
        )
    for subject in study.subjects:
        store.add_puzzle(subject)


# one puzzle ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StoredCount:
    """What the store of a count knows of it."""

    report: Report
    complete: bool
    """Whether every part is settled, and the parts are the whole puzzle."""
    end: End
    """How the work at it ended this time."""
    done: int
    """Units that are settled,"""
    units: int
    """of so many that are known so far."""
    cpu: float
    """CPU seconds that it took so far."""
    share: float
    """The share of the search space that is settled."""
    left: Forecast | None
    """CPU seconds that it will take; None: there is no forecast."""


def subject_in(name: str, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None) -> Subject:
    """Return the one puzzle of a name, or in a file, as plain data. Raises PuzzleError for everything that is wrong with it.

    ``rules`` are keys of [solutions] in the place of its own; then nothing is expected of its counts.
    """
    tables_in(name, problem, rules=rules, single=True)
    ((own, table_, path),) = raw_tables_in(name, problem, rules=rules)
    return make_subject(own, table_, path)


def count_in_store(
    subject: Subject,
    instance: Instance,
    file: Path,
    there: Workers,
    limits: Limits,
    *,
    options: RunOptions | None = None,
    progress: Progress = SILENT,
) -> StoredCount:
    """Count a puzzle in units until it is done or told to stop, or resume its count, and return what is known then."""
    own, options = Loaded(subject, instance), options or RunOptions()
    puzzle = {key: value for key, value in subject.table.items() if key not in NOT_COUNTED}
    digest = sha256(json.dumps(["count", puzzle, subject.files], ensure_ascii=False, sort_keys=True).encode()).hexdigest()
    with open_store(file, StudyHeading(subject.name, digest, "{}", options.single)) as store:
        known = next(store.puzzles(), None)
        begun = with_tile(store, own, limits.memory) if known is None else known[1]
        coordinator = Coordinator(store, (), there, options, limits.stop, progress, lambda _: None)
        with store.change():
            number = store.add_puzzle(begun)
            if known is None:
                coordinator.begin_parts(number, limits.memory)
        end = run(coordinator)
        report, parts = _report(store, number, own.built(memory=limits.memory), loaded(begun).instance, end)
        states, left = store.states(), forecast(store)
        cpu = sum(unit.cpu for unit in store.units())
    done = states[SETTLED]
    found = StoredCount(report, report.complete, end, done, done + end.left + states["set aside"], cpu, parts.share, left)
    if report.complete and report.agree is not False and not report.counted_once:
        again = Limits(seconds=CHECKING_SECONDS, memory=limits.memory, stop=limits.stop).begun()
        return replace(found, report=fixed_again(report, again, progress))
    return found


def with_tile(store: Store, puzzle: Loaded, memory: int | None) -> Subject:
    """Return a puzzle with the tile by which its search is shortest; without it if the last start was killed while it looked for one."""
    subject, killed = puzzle.subject, "choosing" in store.meta
    with store.change():
        store.note(choosing="1")
    built = puzzle.built(memory=memory)
    tile = None if killed or puzzle.instance.break_on else tile_to_break(built.problem)
    return subject if tile is None else subject_of(subject.name, {**subject.table, "break_on": tile}, subject.files)


def _report(store: Reader, number: int, built: BuiltInstance, begun: Instance, end: End) -> tuple[Report, Parts]:
    """Return the report on a count in a store: it is complete only if every part is settled, and the parts are the whole puzzle."""
    parts, units = store.parts(number), [unit for unit in store.units(number) if unit.question.find == "part"]
    built = replace(built, instance=replace(built.instance, break_on=begun.break_on))
    wrong = [Disagreement("store", fault) for fault in store.faults()]
    wrong += [Disagreement("unit", f"unit {u.id:,} has answers that differ") for u in units if u.state != SETTLED and differing(u.answers)]
    if parts.complete:
        wrong += [Disagreement("store", said) for said in wrong_parts(loaded(store.puzzle(number)), parts)]
    complete = parts.complete and not wrong
    status: Status = "complete" if complete else "interrupted" if end.stopped else "limit reached"
    counts = parts.counts() if complete else Counts()
    rows = _solver_rows(units, parts, complete=complete)
    plan = Plan(tuple(dict.fromkeys(row.solver for row in rows)) or (LISTING,))
    found = parts.found.get(WHOLE, 0)
    words = f"{many(parts.once, 'unit')} counted once" if parts.once else "every unit counted by two processes"
    report = Report(
        built, plan, reduce(built.problem, break_on=begun.break_on), counts, status, found, rows, parts.burnside, tuple(wrong),
        units=parts.settled + parts.open, counted_once=bool(parts.once), confidence=words,
    )  # fmt: skip
    return report.read_again(read_twice(built)) if report.complete else report, parts


def _solver_rows(units: Sequence[UnitRow], parts: Parts, *, complete: bool) -> tuple[Row, ...]:
    """What each solver did: those of the first answers, the one with the most work first, then those of the second answers."""
    settled = [(unit, unit.result) for unit in units if unit.result is not None and unit.result.claim is not None]
    number, in_all = len(settled), many(parts.settled + parts.open, "unit")
    first: dict[str, list[float]] = {}
    second: dict[str, list[tuple[float, int, bool]]] = {}
    for unit, result in settled:
        one = unit.answers[result.by].answer
        first.setdefault(one.solver, []).append(one.cpu)
        if result.second is not None and result.claim is not None:
            other = unit.answers[result.second].answer
            found = (result.claim.found or 0) if unit.question.of == WHOLE else 0
            second.setdefault(other.solver, []).append((other.cpu, found, family(one.solver) != family(other.solver)))
    status, all_ = ("complete", parts.found.get(WHOLE)) if complete else ("limit reached", None)
    rows = []
    for place, (name, cpu) in enumerate(sorted(first.items(), key=lambda pair: -sum(pair[1]))):
        how = f"in {in_all}" if complete and not place else f"{many(len(cpu), 'unit')} of {in_all}"
        rows.append(Row(name, None if place else all_, status, how, sum(cpu), {}))  # type: ignore[arg-type]
    for name, done in second.items():
        whole = complete and len(done) == number
        sample = None if whole else Sample(len(done), parts.settled + parts.open, sum(found for _, found, _ in done))
        how, independent = f"{many(len(done), 'unit')} of {in_all} again", all(apart for _, _, apart in done)
        own = (all_, "complete") if whole else (None, "limit reached")
        rows.append(Row(name, own[0], own[1], how, sum(cpu for cpu, _, _ in done), {}, sample, independent=independent))  # type: ignore[arg-type]
    return tuple(rows)


# instances that state their counts -----------------------------------------------------------------------------------------------


def instances_to_check(files: Sequence[Path]) -> list[Subject]:
    """Return the instances of files that state expected counts, each by its own name."""
    library = kept_library()
    found = (subject for file in files for subject in in_file(file, library) if subject.table.get("expect"))
    return [subject_of(name_of(subject), subject.table, subject.files) for subject in found]


Told = Callable[[str, Mapping[str, Any] | None, str | None], None]
"""Gets the name of an instance; with the result of its check, or the reason why there is none."""


class StoredChecks:
    """The checks of some instances in a store, or in none."""

    def __init__(self, file: Path | None, subjects: Sequence[Subject], plan: Plan) -> None:
        self._file, self._plan = file, plan
        self._subjects = {subject.key: subject for subject in subjects}
        self.number = len(self._subjects)
        """How many instances there are."""

    def run(self, jobs: int | None, stop: Event, progress: Progress, begun: Callable[[int], None], tell: Told) -> End:
        """Check what is not known, and tell of each instance; ``begun`` gets the number of those that are known."""
        heading = StudyHeading("puzzlesat check", "puzzlesat check", single=True)
        with ExitStack() as stack:
            file = self._file or Path(stack.enter_context(TemporaryDirectory(prefix="puzzlesat-"))) / "check.sqlite"
            store = stack.enter_context(open_store(file, heading))
            with store.change():
                numbers = {store.add_puzzle(subject): self._question(subject) for subject in self._subjects.values()}
                units = {number: store.add_unit(UnitRow(0, number, question, ())) for number, question in numbers.items()}
                asked = set(units.values())
                for unit in [unit for unit in store.units(state=OPEN) if unit.id not in asked]:
                    store.remove(unit.id)
            known = [number for number, unit in units.items() if store.unit(unit).state == SETTLED]
            told: set[int] = set()

            def heard(number: int) -> None:
                unit = store.unit(units[number])
                told.add(number)
                result = None if unit.result is None else json.loads(unit.answers[unit.result.by].answer.report or "null")
                tell(store.puzzle(number).name, result, unit.why)

            for number in known:
                heard(number)
            begun(len(known))
            end = run(Coordinator(store, (), Processes(jobs), RunOptions(single=True), stop, progress, heard))
            for number in units.keys() - told:
                if store.unit(units[number]).why is not None:
                    heard(number)
            return end

    def _question(self, subject: Subject) -> Question:
        """The question of a check: another one for other figures, in another way, or by another version of the program."""
        plan = self._plan
        figures = sha256(json.dumps(subject.table.get("expect", {}), sort_keys=True).encode()).hexdigest()[:16]
        how: dict[str, Any] = {"solvers": [*plan.solvers], "budget": plan.budget, "full": plan.full, "time": plan.limits.seconds}
        how |= {"cpu": plan.limits.cpu, "expect": figures, "version": VERSION}
        return Question(find="check", memory=plan.limits.memory, check={key: value for key, value in how.items() if value is not None})
