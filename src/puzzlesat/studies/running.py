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
from time import monotonic
from typing import TYPE_CHECKING, Any

from puzzlesat.base import SILENT, VERSION, Ending, Progress, PuzzleError, listed, many, new_file
from puzzlesat.counting import CHECKING_SECONDS, Counts, Disagreement, Plan, Report, Row, Sample, Verdict, fixed_again, read_twice
from puzzlesat.puzzles import BuiltInstance, Instance, build_instance, reduce
from puzzlesat.solvers import LISTING, item_to_break
from puzzlesat.studies.coordinator import Coordinator, End, RunOptions
from puzzlesat.studies.settle import ASIDE, OPEN, SETTLED, SPLIT, PuzzleUnits, UnitRow, wrong_parts
from puzzlesat.studies.store import Reader, Store, StudyHeading, open_store, open_to_read
from puzzlesat.studies.study import Study
from puzzlesat.studies.tables import COLUMNS, NEW, PuzzleRow, by_number, numbers_of, row_of, summary, why_open
from puzzlesat.studies.units import NOT_COUNTED, WHOLE, Claim, Question, Subject, loaded, subject_of
from puzzlesat.studies.work import ExecutorWorkers

if TYPE_CHECKING:
    from pandas import DataFrame

QUANTILE = 1.645
"""Half the width, in standard deviations, of the interval that contains a normal variable with probability 0.9."""


@dataclass(frozen=True, repr=False)
class Ran(Ending):
    """The results of a study: one row for each puzzle, and the file ``store`` of all results.

    ``end`` is the end of the run, with warnings in ``end.sentences``. ``why`` tells in a sentence why some questions of the study have no
    answer; it is None if all have one. ``seconds`` is the time of the call by the clock.
    """

    rows: tuple[PuzzleRow, ...]
    end: End
    store: Path

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
    there: ExecutorWorkers,
    options: RunOptions | None = None,
    *,
    heard: Callable[[PuzzleRow], None] = lambda _: None,
) -> Ran:
    """Run or resume a study with the workers ``there``, and return its results.

    ``heard`` gets the row of each puzzle as soon as it is done. Raises PuzzleError if the store does not belong to the study or cannot be
    used.
    """
    began = monotonic()
    options = options or RunOptions()
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
            heard(row_of(store.puzzle(number), store.units_of(number)))

        end = Coordinator(store, study.steps, there, replace(options, single=study.single, heard=done)).run()
        rows = tuple(store.rows())
    unknown = why_open(rows, count=any(step.find == "count" for step in study.steps))
    why = [] if end.complete else end.sentences or ["units are left"]
    return Ran(rows, end, file, why="; ".join([*why, *filter(None, [unknown])]) or None, seconds=monotonic() - began)


# one puzzle ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StoredCount:
    """A count in a store, as far as it is done: its report, the end of this run, and the CPU seconds of all answers of all runs.

    The report is complete if every part is settled and the parts are the whole puzzle. ``share`` is the settled share of the search space;
    ``left`` is the ``forecast``.
    """

    report: Report
    end: End
    cpu: float
    share: float
    left: dict[str, float] | None


def count_in_store(subject: Subject, instance: Instance, file: Path, there: ExecutorWorkers, options: RunOptions) -> StoredCount:
    """Count a puzzle in units, or resume its count, until it is done or gets the signal to stop; return what is known then.

    ``instance`` is the same puzzle; the report names its file and its expected figures.
    """
    puzzle = {key: value for key, value in subject.table.items() if key not in NOT_COUNTED}
    digest = sha256(json.dumps(["count", puzzle, subject.files], ensure_ascii=False, sort_keys=True).encode()).hexdigest()
    with open_store(file, StudyHeading(subject.name, digest, single=options.single)) as store:
        built = None if any(store.puzzles()) else build_instance(instance, limits=options.limits)
        begun = store.puzzle(1) if built is None else with_tile(store, subject, built)
        coordinator = Coordinator(store, (), there, options)
        with store.change():
            number = store.add_puzzle(begun)
            if built is not None:
                coordinator.begin_parts(number, Question(find="count", memory=options.limits.memory))
        end = coordinator.run()
        built = built or build_instance(instance, limits=options.limits)
        built = replace(built, instance=replace(instance, break_on=loaded(begun).instance.break_on))
        report, parts = _report(store, number, built, end)
        stored = StoredCount(report, end, sum(unit.cpu for unit in store.units()), parts.share, forecast(store))
    if report.complete and report.agree is not False and not report.counted_once:
        again = replace(options.limits, seconds=CHECKING_SECONDS).begun()
        return replace(stored, report=fixed_again(report, again, options.progress))
    return stored


def with_tile(store: Store, subject: Subject, built: BuiltInstance) -> Subject:
    """Return a puzzle with the tile to break its symmetry, or unchanged if there is none, or if an earlier run was killed in the search."""
    killed = "choosing" in store.meta
    with store.change():
        store.note(choosing="1")
    item = None if killed or built.instance.break_on else item_to_break(built.problem)
    tile = next((tile.name for tile in built.puzzle.tiles if tile.name == item), None)
    return subject if tile is None else subject_of(subject.name, {**subject.table, "break_on": tile}, subject.files)


def _report(store: Reader, number: int, built: BuiltInstance, end: End) -> tuple[Report, PuzzleUnits]:
    """Return the report of a count in a store, which is complete only if every part is settled and the parts are the whole puzzle."""
    parts = store.units_of(number)
    wrong = [Disagreement("store", fault) for fault in store.faults()]
    wrong += [
        Disagreement("unit", f"unit {unit.id:,} has answers that differ") for unit in parts.leaves if unit.state != SETTLED and unit.differs
    ]
    if parts.complete:
        wrong += [Disagreement("store", why) for why in wrong_parts(loaded(store.puzzle(number)), parts)]
    complete = parts.complete and not wrong
    rows = _solver_rows(parts, complete=complete)
    report = Report(
        built, Plan(tuple({row.solver: 0 for row in rows}) or (LISTING,)), reduce(built.problem, break_on=built.instance.break_on),
        parts.counts() if complete else Counts(), "complete" if complete else "interrupted" if end.stopped else "limit reached",
        parts.found.get(WHOLE, 0), rows, parts.burnside, tuple(wrong), units=len(parts.leaves), counted_once=bool(parts.once),
        confidence=f"{many(parts.once, 'unit')} counted once" if parts.once else "every unit counted by two processes",
    )  # fmt: skip
    return report.read_again(read_twice(built)) if report.complete else report, parts


def _solver_rows(parts: PuzzleUnits, *, complete: bool) -> tuple[Row, ...]:
    """Return one row for each solver of the first answers, then one for each solver of the second answers, most CPU seconds first.

    If solvers that share no search code counted each unit, the second answers together are a second count of the whole puzzle. The row of
    their first solver states it then.
    """
    number, rows = len(parts.leaves), []
    confirmed = all(unit.confirmed for unit, _ in parts.settled)
    for second in (0, 1):
        done: dict[str, list[tuple[UnitRow, Claim]]] = {}
        for unit, claim in parts.settled:
            for answer in unit.settled[second : second + 1]:
                done.setdefault(answer.solver, []).append((unit, claim))
        work = {name: sum(unit.settled[second].cpu for unit, _ in own) for name, own in done.items()}
        for place, name in enumerate(sorted(work, key=lambda name: -work[name])):
            own = done[name]
            whole = complete and ((not place and (confirmed or not second)) or (bool(second) and len(own) == number))
            how = f"in {many(number, 'unit')}" if whole and not second else f"{many(len(own), 'unit')} of {many(number, 'unit')}"
            found = sum(claim.found or 0 for unit, claim in own if unit.question.of == WHOLE)
            rows.append(Row(
                name, parts.found.get(WHOLE) if whole else None, "complete" if whole or (complete and not second) else "limit reached",
                f"{how} again" if second else how, work[name], {}, Sample(len(own), number, found) if second and not whole else None,
                independent=bool(second) and all(unit.confirmed for unit, _ in own),
            ))  # fmt: skip
    return tuple(rows)


# checks of instances -------------------------------------------------------------------------------------------------------------


Told = Callable[[str, Mapping[str, Any] | None, str | None], None]
"""A function of the name of an instance, the result of its check, and the reason why there is no result."""


def check_in_store(
    file: Path | None, subjects: Sequence[Subject], plan: Plan, there: ExecutorWorkers, options: RunOptions, tell: Told
) -> End:
    """Check the expected figures of instances, in the store ``file`` or a temporary one, and tell the result of each."""
    heading = StudyHeading("puzzlesat check", "puzzlesat check", single=True)
    with ExitStack() as stack:
        file = file or Path(stack.enter_context(TemporaryDirectory(prefix="puzzlesat-"))) / "check.sqlite"
        store = stack.enter_context(open_store(file, heading))
        store.check_sound()
        with store.change():
            store.open_again()
            questions = {store.add_puzzle(subject): _check_of(subject, plan) for subject in subjects}
            units = {number: store.add_unit(UnitRow(puzzle=number, question=question)) for number, question in questions.items()}
            for unit in [*store.units(state=OPEN)]:
                if unit.id != units.get(unit.puzzle):
                    store.remove(unit.id)

        def heard(number: int) -> None:
            unit = store.unit(units[number])
            result = json.loads(unit.settled[0].report or "null") if unit.settled else None
            tell(store.puzzle(number).name, result, unit.why)

        settled = [number for number, unit in units.items() if store.unit(unit).state == SETTLED]
        for number in settled:
            heard(number)
        options.begun(len(settled))
        return Coordinator(store, (), there, replace(options, single=True, begun=lambda _: None, heard=heard)).run()


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
        puzzle_units = store.units_of(number)
        spent, share = sum(unit.cpu for unit in puzzle_units.units), min(1.0, puzzle_units.share)
        if puzzle_units.units and all(unit.state in (SETTLED, SPLIT) for unit in puzzle_units.units):
            done.append(spent)
        elif share:
            costs = [unit.cpu / unit.share for unit in puzzle_units.units if unit.state == SETTLED and unit.share < 1]
            rest = spent / share * (1 - share)
            seconds += rest
            variance += rest**2 * (_spread(costs) + 1 - share) / max(1, len(costs))
        else:
            left += 1
    if left and not done:
        return {"seconds": seconds, "low": seconds, "high": 10 * seconds} if seconds else None
    if left:
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
    fates, number = by_number(row.fate for row in rows), states[OPEN] + states[ASIDE]
    found: dict[str, Any] = {
        "name": meta["name"], "version": meta["version"], "single": meta["single"] == "1",
        **numbers_of(rows),
        "fates": {fate: n for fate, n in fates.items() if fate != NEW and (n != len(rows) or fate != Verdict.UNKNOWN)},
        "wrong": [row.puzzle for row in rows if row.fails],
        "states": states, "once": sum(unit.once for unit in units),
        "by_host": by_number(answer.host for answer in answers),
        "by_solver": by_number(answer.solver for answer in answers if answer.solver),
        "cpu": sum(row.cpu for row in rows),
        "differ": store.disputes(), "unsettled": sum(unit.state in (OPEN, ASIDE) and unit.differs for unit in units),
        "aside": [f"{store.puzzle(u.puzzle).name}, unit {u.id:,}: {u.why}" for u in units if u.state == ASIDE],
        "faults": store.faults(), "chain": f"{int(meta['answers']):,} {meta['chain']}", "left": forecast(store),
        "complete": not number, "why": f"{many(number, 'unit')} not settled" if number else None,
    }  # fmt: skip
    return found | {"disagrees": any(found[key] for key in ("wrong", "faults", "unsettled")) or "contradiction" in found["verdicts"]}


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
        both = Counter(compared=0, unlike=0)
        with open_store(draft, StudyHeading(meta["name"], meta["digest"], meta["study"], meta["single"] == "1")) as store:
            for path in paths:
                with open_to_read(path) as other, store.change():
                    _check_alike(paths[0], meta, path, other)
                    _take_over(store, other, both, progress.of(path.name))
            with store.change():
                settled: set[int | None] = set()  # settled units and all parts below them
                for unit in [*store.units()]:
                    if unit.parent in settled:
                        store.remove(unit.id)
                    if unit.parent in settled or unit.state == SETTLED:
                        settled.add(unit.id)
                for number, _ in store.puzzles():
                    store.check_parts(number)
            puzzles, answers = sum(1 for _ in store.puzzles()), int(store.meta["answers"])
            totals = {"puzzles": puzzles, "units": sum(store.states().values()), "answers": answers}
        with draft.open("rb") as source, new_file(target) as file:
            file.write(source.read())
    return totals | both


def _check_alike(one_path: Path, ours: Mapping[str, str], path: Path, other: Reader) -> None:
    theirs = other.meta
    if ours["digest"] != theirs["digest"]:
        raise PuzzleError(f"{path}: this holds answers to another study ({theirs['name']!r}) than {one_path} ({ours['name']!r})")
    if ours["version"] != theirs["version"]:
        raise PuzzleError(f"{path}: puzzlesat {theirs['version']} made it, and {ours['version']} made {one_path}; run it with one version")
    other.check_sound()


def _take_over(store: Store, other: Reader, both: Counter[str], told: Progress) -> None:
    """Add the puzzles, units and answers of another store."""
    for done, (their_puzzle, subject) in enumerate(other.puzzles()):
        told({"puzzles": done})
        puzzle = store.add_puzzle(subject)
        if (facts := other.facts(their_puzzle)) is not None:
            store.set_facts(puzzle, facts)
        numbers: dict[int | None, int | None] = {None: None}
        for theirs in other.units(puzzle=their_puzzle):
            if theirs.parent not in numbers:  # our store splits the parent otherwise or has settled it
                continue
            number = store.add_unit(theirs.model_copy(update={"puzzle": puzzle, "parent": numbers[theirs.parent]}))
            ours = store.unit(number)
            if ours.state != SETTLED and (ours.state != SPLIT or _parts(store, ours) == _parts(other, theirs)):
                numbers[theirs.id] = number
            our_answers = [given.answer for given in ours.answers]
            new = [given for given in theirs.answers if given.answer not in our_answers]
            for given in new:
                ours = store.add_answer(ours, given.model_copy(update={"answer": other.with_certificate(given.answer)}))
            if our_answers and new:
                both.update(compared=1, unlike=ours.differs)
            ours = ours.decided(single=store.meta["single"] == "1")
            if theirs.state == SPLIT and ours.state == OPEN:
                store.mark_split(number, theirs.parts or 0, theirs.hint)
            elif ours.result is not None and (ours.state != SPLIT or ours.claim is not None):
                store.settle(ours)
            elif ours.result is None and ours.state == SETTLED:
                store.set_aside(number, "the settled answers of several stores differ")


def _parts(store: Reader, unit: UnitRow) -> set[tuple[int, ...]]:
    return {part.prefix for part in store.units(parent=unit.id)}
