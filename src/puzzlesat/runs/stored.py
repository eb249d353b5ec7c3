"""A count of one puzzle in a store: what is asked for, and the report of what its units have found out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from puzzlesat.config.read import read_table
from puzzlesat.counting.report import Disagreement, Report, Row, Sample
from puzzlesat.cover.covering import wrong_cover
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.cover.reduce import reduce
from puzzlesat.errors import many
from puzzlesat.formats.foreign import is_foreign, read_tables
from puzzlesat.formats.puzzles import table_in
from puzzlesat.runs.faults import faults_of
from puzzlesat.runs.jobs import FIRST, Subject
from puzzlesat.runs.opening import Heading
from puzzlesat.runs.problems import WHOLE, fingerprint, problem_named
from puzzlesat.runs.store import DISPUTED, DONE, UNSETTLED, Reader, Stored, Unit, to_json
from puzzlesat.runs.subjects import Loaded, make_subject
from puzzlesat.runs.table import counts_in_parts
from puzzlesat.runs.totals import Totals, UnitOfParts, totals
from puzzlesat.solvers.registry import family
from puzzlesat.solvers.run import COMPLETE, LIMIT, STOPPED, Status
from puzzlesat.solvers.strategy import JUDGE, LISTING, Plan

NOT_OF_THE_PUZZLE = ("title", "source", "expect")
"""Keys of an instance that may change while it is counted."""


def subject_in(name: str, problem: int | str | None = None) -> Subject:
    """Return the one puzzle of a name, or in a file, as plain data. Raises PuzzleError for everything that is wrong with it."""
    own, _, path = table_in(name, problem)
    tables: Mapping[str, Any] = {one.name: one.table for one in read_tables(path)} if is_foreign(path) else {own: read_table(path)}
    return make_subject(own, tables[own], path)


def heading_of(subject: Subject, share: float) -> Heading:
    """Return what a store of the count of a puzzle says of itself; figures that are expected may change."""
    puzzle = {key: value for key, value in subject.table.items() if key not in NOT_OF_THE_PUZZLE}
    digest = sha256(to_json(["count", puzzle, dict(subject.files)]).encode()).hexdigest()
    return Heading(subject.name, digest, to_json({"name": subject.name, "count": subject.name}), share)


def units_of_parts(store: Reader, subject: int) -> list[UnitOfParts]:
    """Return the units of a puzzle as its totals need them."""
    return [unit for count in _counts(store, subject) for unit in count]


def _counts(store: Reader, subject: int) -> Iterable[list[UnitOfParts]]:
    """The units of each count in parts of a puzzle."""
    units = list(store.units(subject))
    return counts_in_parts(units, {unit.id: list(store.answers(unit.id, standing=False)) for unit in units})


def report_of(store: Reader, subject: int, built: BuiltInstance, stopped: bool) -> tuple[Report, Totals]:
    """Return what a count in a store has found out so far: only where every unit is done, and all parts are there, it is complete."""
    known = totals(units_of_parts(store, subject))
    units = {unit.id: unit for unit in store.units(subject)}
    reduced = reduce(built.problem, break_on=built.instance.break_on)
    faulty = (Disagreement("store", fault) for fault in faults_of(store, subject))
    bad = [*_disputes(units), *faulty, *(_uncovered(built, known) if known.complete else ())]
    status: Status = COMPLETE if known.complete and not bad else STOPPED if stopped else LIMIT
    rows = _rows(store, units, known, status)
    plan = Plan(tuple(dict.fromkeys(row.solver for row in rows)) or (LISTING,))
    return Report(plan, built, reduced, known.counts, status, known.found, rows, known.burnside, tuple(bad), units=len(units)), known


def wrong_parts(store: Reader, subject: int) -> list[str]:
    """Return in sentences what is wrong with the parts of each count of a puzzle of which every unit is done."""
    complete = [known for known in map(totals, _counts(store, subject)) if known.complete]
    built = Loaded(store.subject(subject)).built() if complete else None
    return [bad.what for known in complete if built is not None for bad in _uncovered(built, known)]


def _disputes(units: Mapping[int, Unit]) -> list[Disagreement]:
    doubted = [unit.id for unit in units.values() if unit.state in (DISPUTED, UNSETTLED)]
    return [Disagreement("audit", f"unit {number} has answers that differ") for number in doubted]


def _uncovered(built: BuiltInstance, known: Totals) -> list[Disagreement]:
    """What is wrong with the parts that are done, told without those who parted the puzzle: they must be all of it, each once."""
    bad = []
    for name, parts in known.parts.items():
        problem = problem_named(built, name)
        if known.problems.get(name, {fingerprint(problem)}) != {fingerprint(problem)}:
            bad.append(Disagreement("store", f"the parts that count {_words(name)} are of another problem than there is here"))
        elif (wrong := wrong_cover(problem, parts)) is not None:
            bad.append(Disagreement("store", f"the parts that count {_words(name)} are not all there is, each once: {wrong}"))
    return bad


def _words(name: str) -> str:
    return "all solutions" if name == WHOLE else f"those {name}"


def _rows(store: Reader, units: Mapping[int, Unit], known: Totals, status: Status) -> tuple[Row, ...]:
    """What each solver did: who counted first, the one with the most units before the others; then who counted some of it again."""
    first, again = defaultdict[str, list[Stored]](list), defaultdict[str, list[Stored]](list)
    counted_by: dict[int, str] = {}
    for answer in store.answers(standing=False):
        if answer.unit in units and answer.error is None and answer.solver:
            name = answer.solver.split(", ")[0]  # of several the one that counted the most
            (first if answer.role == FIRST else again)[name].append(answer)
            if answer.role == FIRST:
                counted_by[answer.unit] = name
    ordered = sorted(first.items(), key=lambda one: -sum(answer.cpu for answer in one[1]))
    done = sum(unit.state == DONE for unit in units.values())
    together = f"{many(done, 'unit')}" if done == len(units) else f"{done:,} of {many(len(units), 'unit')}"
    rows = []
    for number, (name, answers) in enumerate(ordered):
        how = f"in {together}" if number == 0 else f"{many(len(answers), 'unit')} of these"
        cpu, work = sum(answer.cpu for answer in answers), _work(answers)
        rows.append(Row(name, known.found if number == 0 and status == COMPLETE else None, status, how, cpu, work))
    for name, answers in again.items():
        settled = [answer for answer in answers if units[answer.unit].state == DONE]
        found = sum(group["found"] for answer in settled for group in answer.result["parts"] if group["of"] == WHOLE)
        how = f"{len(settled)} of {many(len(units), 'unit')} again"
        sample = Sample(len(settled), len(units), found)
        independent = bool(settled) and all(family(counted_by[answer.unit]) != family(name) for answer in settled)
        rows.append(Row(name, None, LIMIT, how, sum(a.cpu for a in answers), _work(answers), sample, independent=independent))
    by_sat = [answer for answers in again.values() for answer in answers if "sampled" in answer.result and units[answer.unit].state == DONE]
    return (*rows, *([_sampled(by_sat, len(units))] if by_sat else []))


def _sampled(answers: list[Stored], units: int) -> Row:
    """What SAT did of units that the backtracker counted twice; its seconds are among those of the second time."""
    parts, found, of = (sum(answer.result["sampled"][key] for answer in answers) for key in ("parts", "found", "of"))
    how = f"{many(parts, 'subpart')} of about {of:,}, of {len(answers):,} of {many(units, 'unit')}"
    return Row(JUDGE, None, LIMIT, how, 0.0, {}, Sample(parts, of, found), independent=True)


def _work(answers: list[Stored]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for answer in answers:
        total.update(answer.work)
    return dict(total)
