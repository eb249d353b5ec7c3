"""A count of one puzzle in a store: what identifies it, and the report of what its units have found out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from puzzlesat.base import Status, many
from puzzlesat.counting import Disagreement, Plan, Report, Row, Sample, read_twice
from puzzlesat.formats import raw_tables_in, tables_in
from puzzlesat.puzzles import BuiltInstance, reduce
from puzzlesat.solvers import LISTING, family, tile_to_break
from puzzlesat.studies import audit
from puzzlesat.studies.cover_parts import wrong_cover
from puzzlesat.studies.opening import StudyHeading, chain_faults, faults_of
from puzzlesat.studies.store import DISPUTED, DONE, UNSETTLED, Reader, Stored, UnitFound, to_json
from puzzlesat.studies.tables import PARTS, InParts, Sum, Totals
from puzzlesat.studies.trust import trust_of
from puzzlesat.studies.units import FIRST, JUDGE, WHOLE, Loaded, Subject, fingerprint, make_subject, problem_named, subject_of

NOT_OF_THE_PUZZLE = ("title", "source", "expect")
"""Keys of an instance that may change while it is counted."""


def subject_in(name: str, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None) -> Subject:
    """Return the one puzzle of a name, or in a file, as plain data. Raises PuzzleError for everything that is wrong with it.

    ``rules`` are keys of [solutions] in the place of its own; then nothing is expected of its counts.
    """
    tables_in(name, problem, rules=rules, single=True)
    ((own, table, path),) = raw_tables_in(name, problem, rules=rules)
    return make_subject(own, table, path)


def heading_of(subject: Subject, share: float) -> StudyHeading:
    """Return what a store of the count of a puzzle says of itself; figures that are expected may change."""
    puzzle = {key: value for key, value in subject.table.items() if key not in NOT_OF_THE_PUZZLE}
    digest = sha256(to_json(["count", puzzle, dict(subject.files)]).encode()).hexdigest()
    return StudyHeading(subject.name, digest, to_json({"name": subject.name, "count": subject.name}), share)


def with_its_tile(subject: Subject, built: BuiltInstance) -> Subject:
    """Return a subject that names the tile on which the symmetry is broken: all units keep to it, also those of a later version."""
    tile = None if built.instance.break_on else tile_to_break(built.problem)
    return subject if tile is None else subject_of(subject.name, {**subject.table, "break_on": tile}, subject.files)


def as_begun(built: BuiltInstance, begun: Subject) -> BuiltInstance:
    """Return a puzzle with the tile that the store of its count names; an older store names none, and keeps to that of the rule."""
    tile = built.instance.break_on or begun.table.get("break_on")
    return replace(built, instance=replace(built.instance, break_on=tile))


def totals_of(store: Reader, subject: int) -> list[Totals]:
    """Return what the units of each count in parts of a puzzle add up to, with the parts."""
    counts = InParts()
    for unit in store.found(subject):
        if unit.do == PARTS:
            counts.add(unit)
    return counts.totals()


def report_of(store: Reader, subject: int, built: BuiltInstance, stopped: bool) -> tuple[Report, Totals]:
    """Return what a count in a store has found out so far: only where every unit is done, and all parts are there, it is complete."""
    with store.at_one_moment():
        units = _units(store, subject)
        trust = trust_of(store, subject)
        faulty = [Disagreement("store", fault) for fault in (*chain_faults(store), *faults_of(store, subject))]
    known = units.sum.totals()
    reduced = reduce(built.problem, break_on=built.instance.break_on)
    bad = [*_disputes(units), *faulty, *(_uncovered(built, known) if known.complete else ())]
    status: Status = "complete" if known.complete and not bad else "interrupted" if stopped else "limit reached"
    rows = _rows(units, known, status)
    plan = Plan(tuple(dict.fromkeys(row.solver for row in rows)) or (LISTING,))
    report = Report(
        built, plan, reduced, known.counts, status, known.found, rows, known.burnside, tuple(bad), units=units.number,
        counted_once=not trust.full, confidence=trust.words,
    )  # fmt: skip
    return report.read_again(read_twice(built)) if report.complete else report, known


def wrong_parts(store: Reader, subject: int) -> list[str]:
    """Return in sentences what is wrong with the parts of each count of a puzzle of which every unit is done."""
    complete = [known for known in totals_of(store, subject) if known.complete]
    built = Loaded(store.subject(subject)).built() if complete else None
    return [bad.what for known in complete if built is not None for bad in _uncovered(built, known)]


@dataclass
class _By:
    """What a solver did: so many answers, and what they took; where it counted again, how many of these are settled, and what it found."""

    answers: int = 0
    cpu: float = 0.0
    work: Counter[str] = field(default_factory=Counter)
    settled: int = 0
    found: int = 0
    independent: bool = True
    """Whether another kind of solver counted first all that is settled."""


@dataclass
class _CountedUnits:
    """What a report needs of the units of a puzzle, taken one after the other: there may be a million."""

    number: int = 0
    done: int = 0
    doubted: list[int] = field(default_factory=list)
    sum: Sum = field(default_factory=Sum)
    first: defaultdict[str, _By] = field(default_factory=lambda: defaultdict(_By))
    """Who counted first,"""
    again: defaultdict[str, _By] = field(default_factory=lambda: defaultdict(_By))
    """and who counted some of it again."""
    sampled: Counter[str] = field(default_factory=Counter)
    """Of settled answers by which SAT did some subparts, too: how many these are (``answers``), and of ``parts``, ``found`` and ``of``."""


def _units(store: Reader, subject: int) -> _CountedUnits:
    """Go through the units of a puzzle."""
    units = _CountedUnits()
    for unit, answers in store.units_with_answers(subject):
        settled = unit.state == DONE
        units.number += 1
        units.done += settled
        if unit.state in (DISPUTED, UNSETTLED):
            units.doubted.append(unit.id)
        said = [answer for answer in answers if answer.error is None]
        if unit.task["do"] == PARTS:
            result = next((answer.result for answer in said if answer.counts), None)
            cpu = sum(answer.cpu for answer in answers)
            units.sum.add(UnitFound(unit.id, unit.parent, PARTS, unit.state, unit.task.get("estimate"), cpu, result=result))
        _note_solvers(units, said, settled)
    return units


def _note_solvers(units: _CountedUnits, answers: Sequence[Stored], settled: bool) -> None:
    """Take note of who gave the answers to a unit; of several the one that counted the most. Who found the same again counts once."""
    counted_by = next((_name(answer) for answer in answers if answer.role == FIRST), "")
    standing = next((answer for answer in answers if answer.counts), None)
    found_again: set[str] = set()
    for answer in filter(_name, answers):
        by = (units.first if answer.role == FIRST else units.again)[_name(answer)]
        by.answers += 1
        by.cpu += answer.cpu
        by.work.update(answer.work)
        if answer.role == FIRST or not settled or standing is None or not audit.confirms(standing.result, answer.result):
            continue
        if (sampled := answer.result.get("sampled")) is not None and not found_again:
            units.sampled.update({"answers": 1, **{key: sampled[key] for key in ("parts", "found", "of")}})
        if _name(answer) not in found_again:
            found_again.add(_name(answer))
            by.settled += 1
            by.found += sum(group["found"] for group in answer.result["parts"] if group["of"] == WHOLE)
            by.independent = by.independent and bool(counted_by) and family(counted_by) != family(_name(answer))


def _name(answer: Stored) -> str:
    return answer.solver.split(", ")[0]


def _disputes(units: _CountedUnits) -> list[Disagreement]:
    return [Disagreement("audit", f"unit {number} has answers that differ") for number in units.doubted]


def _uncovered(built: BuiltInstance, known: Totals) -> list[Disagreement]:
    """What is wrong with the parts that are done, told without those who parted the puzzle: they must be all of it, each once."""
    bad = []
    for name, parts in known.parts.items():
        problem = problem_named(built, name)
        if known.problems.get(name, {fingerprint(problem)}) != {fingerprint(problem)}:
            bad.append(Disagreement("store", f"the parts that count {_words(name)} are of another problem than this puzzle's"))
        elif (wrong := wrong_cover(problem, parts)) is not None:
            bad.append(Disagreement("store", f"the parts that count {_words(name)} do not cover everything exactly once: {wrong}"))
    return bad


def _words(name: str) -> str:
    return "all solutions" if name == WHOLE else f"those {name}"


def _rows(units: _CountedUnits, known: Totals, status: Status) -> tuple[Row, ...]:
    """What each solver did: who counted first, the one with the most units before the others; then who counted some of it again."""
    ordered = sorted(units.first.items(), key=lambda one: -one[1].cpu)
    together = f"{many(units.done, 'unit')}" if units.done == units.number else f"{units.done:,} of {many(units.number, 'unit')}"
    rows = []
    for number, (name, by) in enumerate(ordered):
        how = f"in {together}" if number == 0 else f"{many(by.answers, 'unit')} of these"
        found = known.found if number == 0 and status == "complete" else None
        rows.append(Row(name, found, status, how, by.cpu, dict(by.work)))
    for name, by in units.again.items():
        how = f"{by.settled:,} of {many(units.number, 'unit')} again"
        whole = status == "complete" and by.settled == units.number
        sample = None if whole else Sample(by.settled, units.number, by.found)
        independent = bool(by.settled) and by.independent
        found = known.found if whole else None
        rows.append(Row(name, found, "complete" if whole else "limit reached", how, by.cpu, dict(by.work), sample, independent=independent))
    return (*rows, *([_sampled(units)] if units.sampled["answers"] else []))


def _sampled(units: _CountedUnits) -> Row:
    """What SAT did of units that the backtracker counted twice; its seconds are among those of the second time."""
    answers, parts, found, of = (units.sampled[key] for key in ("answers", "parts", "found", "of"))
    how = f"{many(parts, 'subpart')} of about {of:,}, of {answers:,} of {many(units.number, 'unit')}"
    return Row(JUDGE, None, "limit reached", how, 0.0, {}, Sample(parts, of, found), independent=True)
