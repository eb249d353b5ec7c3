"""Run a study, count one puzzle in a store, or check instances in a store; show, review and merge stores: what the command line starts."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import sha256
from math import sqrt
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

from puzzlesat.base import SILENT, VERSION, Limits, Progress, PuzzleError, listed, many, new_file
from puzzlesat.counting import CHECKING_SECONDS, Counts, Disagreement, Plan, Report, Row, Sample, Verdict, fixed_again, read_twice
from puzzlesat.formats import raw_tables_in, tables_in
from puzzlesat.puzzles import BuiltInstance, Instance, build_instance, reduce
from puzzlesat.solvers import LISTING, tile_to_break
from puzzlesat.studies.coordinator import Coordinator, End, RunOptions
from puzzlesat.studies.executors import Processes, Workers
from puzzlesat.studies.settle import ASIDE, OPEN, SETTLED, SPLIT, Parts, UnitRow, look_at, settle, wrong_parts
from puzzlesat.studies.store import Reader, Store, StudyHeading, open_store, open_to_read
from puzzlesat.studies.study import Study, in_file, kept_library
from puzzlesat.studies.tables import COLUMNS, NEW, PuzzleRow, arguments_of, by_number, counted_of, name_of, row_of, summary, table, why_open
from puzzlesat.studies.units import NOT_COUNTED, WHOLE, Question, Subject, loaded, make_subject, subject_of

if TYPE_CHECKING:
    from pandas import DataFrame

QUANTILE = 1.645
"""Half the width, in standard deviations, of the interval that contains a normal variable with probability 0.9."""


@dataclass(frozen=True, repr=False)
class Ran:
    """The results of a study."""

    rows: tuple[PuzzleRow, ...]
    """One row for each puzzle, with its ``verdict``, its counts and how they were obtained."""
    end: End
    """The end of the run; ``sentences`` has its warnings."""
    store: Path
    """The file of all results."""
    why: str | None
    """Why some questions of the study have no answer, in a sentence; None if all have one."""
    seconds: float = 0.0
    """The time of the call by the clock."""

    @property
    def complete(self) -> bool:
        """True if all questions of the study have an answer."""
        return self.why is None

    @property
    def sentence(self) -> str:
        """The results in one sentence: the numbers of solvable, impossible and undecided puzzles."""
        return summary(self.rows)

    def __repr__(self) -> str:
        return f"<Ran {self.store.name}: {self.sentence}>"

    def to_pandas(self) -> DataFrame:
        """Return a table with one row for each puzzle, and the columns of the CSV file that ``puzzlesat runs --export`` writes."""
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
    """Run or resume a study with the workers ``there``, and return its results.

    ``begun`` gets the number of puzzles that are done already, and ``heard`` the row of each other one as soon as it is done. Raises
    PuzzleError if the store does not belong to the study or cannot be used.
    """
    began = monotonic()
    options = replace(options or RunOptions(), single=study.single)
    with open_store(file, study.heading) as store:
        own = {subject.key for subject in study.subjects}
        if strange := [subject.name for _, subject in store.puzzles() if subject.key not in own]:
            raise PuzzleError(
                f"{store.path}: it has {many(len(strange), 'puzzle')} that the study does not name any more, or that have changed: "
                f"{listed(strange, 3)}; put them back, or choose another file for the store (--store)"
            )
        with store.change():
            for subject in study.subjects:
                store.add_puzzle(subject)

        def done(number: int) -> None:
            heard(row_of(store, number, store.puzzle(number)))

        end = Coordinator(store, study.steps, there, options, stop or Event(), progress, done).run(begun)
        rows = tuple(table(store))
    unknown = why_open(rows, count=any(step.find == "count" for step in study.steps))
    why = [] if end.complete else end.sentences or ["units are left"]
    return Ran(rows, end, file, "; ".join([*why, *filter(None, [unknown])]) or None, monotonic() - began)


# one puzzle ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StoredCount:
    """A count in a store, as far as it is done."""

    report: Report
    """The count; complete if every part is settled and the parts are the whole puzzle."""
    end: End
    """The end of this run."""
    cpu: float
    """CPU seconds of all answers of all runs."""
    share: float
    """The settled share of the search space."""
    left: dict[str, float] | None
    """The CPU seconds that are left, see ``forecast``."""


def subject_in(name: str, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None) -> Subject:
    """Return the puzzle of a name or in a file as plain data. Raises PuzzleError with all errors in it.

    ``rules`` replace keys of its table [solutions]; its expected figures are dropped then.
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
    """Count a puzzle in units, or resume its count, until it is done or gets the signal to stop; return what is known then."""
    options = options or RunOptions()
    puzzle = {key: value for key, value in subject.table.items() if key not in NOT_COUNTED}
    digest = sha256(json.dumps(["count", puzzle, subject.files], ensure_ascii=False, sort_keys=True).encode()).hexdigest()
    with open_store(file, StudyHeading(subject.name, digest, "{}", options.single)) as store:
        known = next(store.puzzles(), None)
        built = build_instance(instance, memory=limits.memory) if known is None else None
        begun = with_tile(store, subject, built) if built is not None else store.puzzle(1)
        coordinator = Coordinator(store, (), there, options, limits.stop, progress, lambda _: None)
        with store.change():
            number = store.add_puzzle(begun)
            if known is None:
                coordinator.begin_parts(number, limits.memory)
        end = coordinator.run()
        break_on = loaded(begun).instance.break_on
        built = built or build_instance(instance, memory=limits.memory)
        report, parts = _report(store, number, replace(built, instance=replace(instance, break_on=break_on)), end)
        found = StoredCount(report, end, sum(unit.cpu for unit in store.units()), parts.share, forecast(store))
    if report.complete and report.agree is not False and not report.counted_once:
        again = Limits(seconds=CHECKING_SECONDS, memory=limits.memory, stop=limits.stop).begun()
        return replace(found, report=fixed_again(report, again, progress))
    return found


def with_tile(store: Store, subject: Subject, built: BuiltInstance) -> Subject:
    """Return a puzzle with the tile to break its symmetry, or unchanged if an earlier run was killed while it looked for that tile."""
    killed = "choosing" in store.meta
    with store.change():
        store.note(choosing="1")
    tile = None if killed or built.instance.break_on else tile_to_break(built.problem)
    return subject if tile is None else subject_of(subject.name, {**subject.table, "break_on": tile}, subject.files)


def _report(store: Reader, number: int, built: BuiltInstance, end: End) -> tuple[Report, Parts]:
    """Return the report of a count in a store, which is complete only if every part is settled and the parts are the whole puzzle."""
    parts = store.parts(number)
    wrong = [Disagreement("store", fault) for fault in store.faults()]
    differ = [unit.id for unit in parts.leaves if unit.state != SETTLED and unit.differs]
    wrong += [Disagreement("unit", f"unit {number:,} has answers that differ") for number in differ]
    if parts.complete:
        wrong += [Disagreement("store", why) for why in wrong_parts(loaded(store.puzzle(number)), parts)]
    complete = parts.complete and not wrong
    rows = _solver_rows(parts, complete=complete)
    report = Report(
        built,
        Plan(tuple(dict.fromkeys(row.solver for row in rows)) or (LISTING,)),
        reduce(built.problem, break_on=built.instance.break_on),
        parts.counts() if complete else Counts(),
        "complete" if complete else "interrupted" if end.stopped else "limit reached",
        parts.found.get(WHOLE, 0),
        rows,
        parts.burnside,
        tuple(wrong),
        units=len(parts.leaves),
        counted_once=bool(parts.once),
        confidence=f"{many(parts.once, 'unit')} counted once" if parts.once else "every unit counted by two processes",
    )
    return report.read_again(read_twice(built)) if report.complete else report, parts


def _solver_rows(parts: Parts, *, complete: bool) -> tuple[Row, ...]:
    """Return one row for each solver of the first answers, then one for each solver of the second answers, most CPU seconds first.

    If solvers that share no search code counted each unit, the second answers together are a second count of the whole puzzle. The row of
    their first solver states it then.
    """
    settled, number = [unit for unit, _ in parts.settled], len(parts.leaves)
    confirmed, rows = all(unit.confirmed for unit in settled), []
    for second in (0, 1):
        done: dict[str, list[UnitRow]] = {}
        for unit in settled:
            for answer in unit.settled[second : second + 1]:
                done.setdefault(answer.solver, []).append(unit)
        work = {name: sum(unit.settled[second].cpu for unit in own) for name, own in done.items()}
        for place, name in enumerate(sorted(work, key=lambda name: -work[name])):
            own = done[name]
            first = not place and (confirmed or not second)
            whole = complete and (first or (bool(second) and len(own) == number))
            how = f"in {many(number, 'unit')}" if whole and not second else f"{many(len(own), 'unit')} of {many(number, 'unit')}"
            found = sum(unit.claim.found or 0 for unit in own if unit.question.of == WHOLE and unit.claim is not None)
            rows.append(
                Row(
                    name,
                    parts.found.get(WHOLE) if whole else None,
                    "complete" if whole or (complete and not second) else "limit reached",
                    f"{how} again" if second else how,
                    work[name],
                    {},
                    Sample(len(own), number, found) if second and not whole else None,
                    independent=bool(second) and all(unit.confirmed for unit in own),
                )
            )
    return tuple(rows)


# checks of instances -------------------------------------------------------------------------------------------------------------


def instances_to_check(files: Sequence[Path]) -> list[Subject]:
    """Return the instances in files that state expected figures, each once, named without their families."""
    library = kept_library()
    found = (subject for file in files for subject in in_file(file, library) if subject.table.get("expect"))
    named = (subject_of(name_of(subject), subject.table, subject.files) for subject in found)
    return list({subject.key: subject for subject in named}.values())


Told = Callable[[str, Mapping[str, Any] | None, str | None], None]
"""A function of the name of an instance, the result of its check, and the reason why there is no result."""


def check_in_store(
    file: Path | None, subjects: Sequence[Subject], plan: Plan, jobs: int | None, stop: Event, progress: Progress,
    begun: Callable[[int], None], tell: Told,
) -> End:  # fmt: skip
    """Check instances, in the store ``file`` or a temporary one. ``begun`` gets the number of results that the store has already."""
    heading = StudyHeading("puzzlesat check", "puzzlesat check", single=True)
    with ExitStack() as stack:
        file = file or Path(stack.enter_context(TemporaryDirectory(prefix="puzzlesat-"))) / "check.sqlite"
        store = stack.enter_context(open_store(file, heading))
        with store.change():
            asked = {store.add_puzzle(subject): _check_of(subject, plan) for subject in subjects}
            units = {number: store.add_unit(UnitRow(puzzle=number, question=question)) for number, question in asked.items()}
            for unit in [*store.units(state=OPEN)]:
                if unit.id != units.get(unit.puzzle):
                    store.remove(unit.id)

        def heard(number: int) -> None:
            unit = store.unit(units[number])
            result = json.loads(unit.settled[0].report or "null") if unit.settled else None
            tell(store.puzzle(number).name, result, unit.why)

        known = [number for number, unit in units.items() if store.unit(unit).state == SETTLED]
        for number in known:
            heard(number)
        begun(len(known))
        return Coordinator(store, (), Processes(jobs), RunOptions(single=True), stop, progress, heard).run()


def _check_of(subject: Subject, plan: Plan) -> Question:
    """Return the question of a check. Other expected figures, other options or another version make another question."""
    figures = sha256(json.dumps(subject.table.get("expect", {}), sort_keys=True).encode()).hexdigest()[:16]
    options: dict[str, Any] = {"solvers": [*plan.solvers], "budget": plan.budget, "full": plan.full, "time": plan.limits.seconds}
    options |= {"cpu": plan.limits.cpu, "expect": figures, "version": VERSION}
    return Question(find="check", memory=plan.limits.memory, check={key: value for key, value in options.items() if value is not None})


# progress of a run ---------------------------------------------------------------------------------------------------------------


def forecast(store: Reader) -> dict[str, float] | None:
    """Return the CPU ``seconds`` that are left, with a range ``low`` to ``high`` of nine in ten; None if nothing is done yet.

    The rest of a count in parts costs as much for its share as the settled parts; any other puzzle costs the mean of the finished ones.
    """
    done: list[float] = []
    left = seconds = variance = 0.0
    for number, _ in store.puzzles():
        units = list(store.units(number))
        spent = sum(unit.cpu for unit in units)
        if units and all(unit.state in (SETTLED, SPLIT) for unit in units):
            done.append(spent)
            continue
        share = min(1.0, store.parts(number).share)
        if not share:
            left += 1
            continue
        rest = spent / share * (1 - share)
        costs = [unit.cpu / unit.share for unit in units if unit.state == SETTLED and unit.share < 1]
        seconds += rest
        variance += rest**2 * (_spread(costs) / max(1, len(costs)) + (1 - share) / max(1, len(costs)))
    if left:
        if not done:
            return {"seconds": seconds, "low": seconds, "high": 10 * seconds} if seconds else None
        seconds += left * mean(done)
        variance += mean(done) ** 2 * _spread(done) * (left + left**2 / len(done))
    width = QUANTILE * sqrt(variance)
    return {"seconds": seconds, "low": max(0.0, seconds - width), "high": seconds + width}


def _spread(costs: Sequence[float]) -> float:
    """Return the variance of costs divided by their squared mean; 1 for fewer than two costs."""
    return statistics.variance(costs) / mean(costs) ** 2 if len(costs) > 1 and any(costs) else 1.0


def overview(store: Reader, rows: Sequence[PuzzleRow]) -> dict[str, Any]:
    """Return the progress of a run with the rows of its table, as the JSON object that docs/json.md describes."""
    units, meta, states = [*store.units()], store.meta, store.states()
    answers = [given.answer for unit in units for given in unit.answers]
    fates, verdicts = by_number(row.fate for row in rows), by_number(row.verdict for row in rows)
    number = states[OPEN] + states[ASIDE]
    found: dict[str, Any] = {
        "name": meta["name"],
        "version": meta["version"],
        "single": store.single,
        "puzzles": len(rows),
        "verdicts": verdicts,
        "counted": counted_of(rows),
        "arguments": arguments_of(rows),
        "fates": {fate: n for fate, n in fates.items() if fate != NEW and (n != len(rows) or fate != Verdict.UNKNOWN)},
        "wrong": [row.puzzle for row in rows if row.fails],
        "states": states,
        "once": sum(unit.once for unit in units),
        "by_host": by_number(answer.host for answer in answers),
        "by_solver": by_number(answer.solver for answer in answers if answer.solver),
        "cpu": sum(row.cpu for row in rows),
        "differ": store.disputes(),
        "unsettled": sum(unit.state in (OPEN, ASIDE) and unit.differs for unit in units),
        "aside": [f"{store.puzzle(u.puzzle).name}, unit {u.id:,}: {u.why}" for u in units if u.state == ASIDE],
        "faults": store.faults(),
        "chain": f"{int(meta['answers']):,} {meta['chain']}",
        "left": forecast(store),
        "complete": not number,
        "why": f"{many(number, 'unit')} not settled" if number else None,
    }
    wrong = [found[key] for key in ("wrong", "faults", "unsettled")]
    return found | {"disagrees": any(wrong) or "contradiction" in verdicts}


# review of all evidence ----------------------------------------------------------------------------------------------------------


def review(store: Reader, progress: Progress = SILENT) -> dict[str, Any]:
    """Check all evidence of a store again, and that the parts of each count are the whole puzzle.

    Return the JSON object that docs/json.md describes: the numbers of checked items, and the errors in sentences.
    """
    wrong, seen = store.faults(), Counter(answers=0, solutions=0, certificates=0, once=0)
    for number, subject in store.puzzles():
        if (parts := store.parts(number)).complete:
            wrong += [f"{subject.name}: {why}" for why in wrong_parts(loaded(subject), parts)]
        for unit in store.units(number):
            seen["once"] += unit.once
            for place, given in enumerate(unit.answers):
                answer = store.with_certificate(given.answer)
                seen.update({"answers": 1, "solutions": bool(answer.solution), "certificates": answer.certificate is not None})
                progress.of("checking the evidence again")({"answers": seen["answers"]})
                if not (answer.solution or answer.certificate):
                    continue
                again = look_at(subject, answer)
                settles = unit.result is not None and place == unit.result.by and unit.result.shown
                if (settles and not again.shows) or (again.wrong is not None and given.evidence.wrong is None):
                    wrong.append(f"{subject.name}, unit {unit.id:,}: {again.wrong or 'its evidence does not show what it claims'}")
    return {**seen, "wrong": wrong}


# merging of stores ---------------------------------------------------------------------------------------------------------------


def merge(paths: Sequence[Path], target: Path, progress: Progress = SILENT) -> dict[str, int]:
    """Merge stores of one study into the new store ``target``. A unit that is in several of them gets all their answers.

    Return the JSON object that docs/json.md describes; ``unlike`` is the number of units whose answers contradict each other. Raises
    PuzzleError, and writes nothing, for stores of different studies, and if ``target`` exists.
    """
    if target.exists():
        raise PuzzleError(f"{target}: this file exists already; choose a new file for the merged store (-o)")
    with TemporaryDirectory(prefix=".puzzlesat-", dir=target.parent) as folder:
        draft = Path(folder) / "draft"
        with open_to_read(paths[0]) as first:
            meta = first.meta
        heading, both = StudyHeading(meta["name"], meta["digest"], meta["study"], meta["single"] == "1"), Counter(compared=0, unlike=0)
        with open_store(draft, heading) as store:
            for path in paths:
                with open_to_read(path) as other, store.change():
                    _check_alike(paths[0], meta, path, other)
                    _take_over(store, other, both, progress.of(path.name))
            with store.change():
                numbers = [number for number, _ in store.puzzles()]
                settled: set[int | None] = set()  # settled units and all parts below them
                for unit in [*store.units()]:
                    if unit.parent in settled:
                        store.remove(unit.id)
                    if unit.parent in settled or unit.state == SETTLED:
                        settled.add(unit.id)
            found = {"puzzles": len(numbers), "units": sum(store.states().values()), "answers": int(store.meta["answers"])}
        with draft.open("rb") as source, new_file(target) as file:
            file.write(source.read())
    return found | both


def _check_alike(one_path: Path, ours: Mapping[str, str], path: Path, other: Reader) -> None:
    theirs = other.meta
    if ours["digest"] != theirs["digest"]:
        raise PuzzleError(f"{path}: this holds answers to another study ({theirs['name']!r}) than {one_path} ({ours['name']!r})")
    if ours["version"] != theirs["version"]:
        raise PuzzleError(f"{path}: puzzlesat {theirs['version']} made it, and {ours['version']} made {one_path}; run it with one version")
    if faults := other.faults():
        raise PuzzleError(f"{path}: it was changed or damaged ({faults[0]}); use an older copy of it")


def _take_over(store: Store, other: Reader, both: Counter[str], told: Progress) -> None:
    """Add the puzzles, units and answers of another store."""
    for done, (their_puzzle, subject) in enumerate(other.puzzles()):
        told({"puzzles": done})
        puzzle = store.add_puzzle(subject)
        if (facts := other.facts(their_puzzle)) is not None:
            store.set_facts(puzzle, facts)
        numbers: dict[int | None, int | None] = {None: None}
        for theirs in other.units(their_puzzle):
            if theirs.parent not in numbers:  # our store splits the parent otherwise or has settled it
                continue
            number = store.add_unit(theirs.model_copy(update={"puzzle": puzzle, "parent": numbers[theirs.parent]}))
            ours = store.unit(number)
            if ours.state != SETTLED and (ours.state != SPLIT or _parts(store, ours) == _parts(other, theirs)):
                numbers[theirs.id] = number
            known = [given.answer for given in ours.answers]
            new = [given for given in theirs.answers if given.answer not in known]
            for given in new:
                ours = store.add_answer(ours, given.model_copy(update={"answer": other.with_certificate(given.answer)}))
            if known and new:
                both.update(compared=1, unlike=ours.differs)
            result = settle(ours.answers, single=store.single)
            if theirs.state == SPLIT and ours.state == OPEN:
                store.mark_split(number, theirs.parts or 0)
            elif result is not None and (ours.state != SPLIT or result.claim is not None):
                store.settle(ours, result)


def _parts(store: Reader, unit: UnitRow) -> set[tuple[int, ...]]:
    return {part.prefix for part in store.units(unit.puzzle) if part.parent == unit.id}
