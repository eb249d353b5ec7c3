"""How far a run is: what is settled, what is left, which answers differ; a check of all evidence; and several stores as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from puzzlesat.base import SILENT, Progress, PuzzleError, many, new_file
from puzzlesat.counting import Verdict
from puzzlesat.studies.coordinator import disputes
from puzzlesat.studies.settle import differing, look_at, settle, wrong_parts
from puzzlesat.studies.store import ASIDE, OPEN, SETTLED, SPLIT, Reader, Store, StudyHeading, UnitRow, open_store, open_to_read
from puzzlesat.studies.tables import NEW, PuzzleRow
from puzzlesat.studies.units import loaded

QUANTILE = 1.645
"""Nine times in ten a normal variable is within so many standard deviations of its mean."""


@dataclass(frozen=True)
class Forecast:
    """CPU seconds that are left."""

    seconds: float
    low: float
    high: float
    """Between ``low`` and ``high`` in about nine of ten cases."""


def forecast(store: Reader) -> Forecast | None:
    """Return the CPU seconds that are left: the mean of what was done times what is left; None if nothing is done yet."""
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
            return Forecast(seconds, seconds, 10 * seconds) if seconds else None
        mean = sum(done) / len(done)
        seconds += left * mean
        variance += mean**2 * _spread(done) * (left + left**2 / len(done))
    width = QUANTILE * sqrt(variance)
    return Forecast(seconds, max(0.0, seconds - width), seconds + width)


def _spread(costs: Sequence[float]) -> float:
    """The variance of some costs in units of their squared mean; 1 if there are too few to tell."""
    mean = sum(costs) / max(1, len(costs))
    if len(costs) < 2 or not mean:
        return 1.0
    return sum((cost / mean - 1) ** 2 for cost in costs) / (len(costs) - 1)


@dataclass(frozen=True)
class Overview:
    """How far a run is."""

    name: str
    version: str
    """The version of puzzlesat that made the store."""
    single: bool
    """Whether one answer a unit was enough."""
    puzzles: int
    verdicts: Mapping[str, int]
    counted: int
    arguments: Mapping[str, int]
    fates: Mapping[str, int]
    """What became of what was published, by puzzles."""
    wrong: Sequence[str]
    """The puzzles with a wrong expected figure."""
    states: Mapping[str, int]
    once: int
    """How many settled units rest on one process alone."""
    by_host: Mapping[str, int]
    """Answers, by host."""
    by_solver: Mapping[str, int]
    cpu: float
    differ: Sequence[str]
    """Units whose answers contradict each other, with process and host of each answer, in sentences."""
    unsettled: int
    """How many of them are not settled."""
    aside: Sequence[str]
    """Why units were set aside."""
    faults: Sequence[str]
    """What shows that the store was changed by something else than a run."""
    chain: str
    """The number of answers and the last digest of their chain: note it elsewhere."""
    left: Forecast | None
    """CPU seconds that are left."""

    @property
    def complete(self) -> bool:
        """Whether every unit is settled, or split into parts that are."""
        return self.units_left == 0

    @property
    def units_left(self) -> int:
        """How many units are not settled."""
        return sum(self.states.values()) - self.states[SETTLED] - self.states[SPLIT]

    @property
    def disagrees(self) -> bool:
        """Whether answers contradict each other, or expected figures."""
        return bool(self.wrong or self.faults or self.unsettled or self.verdicts.get("contradiction"))

    @property
    def record(self) -> dict[str, Any]:
        """The same as the JSON object that docs/json.md describes."""
        why = None if self.complete else f"{many(self.units_left, 'unit')} not settled"
        return asdict(self) | {"complete": self.complete, "why": why, "disagrees": self.disagrees}


def overview(store: Reader, rows: Sequence[PuzzleRow]) -> Overview:
    """Return how far a run is, of which these are the rows."""
    hosts, solvers = Counter[str](), Counter[str]()
    once = unsettled = 0
    aside = []
    for unit in store.units():
        hosts.update(given.answer.host for given in unit.answers)
        solvers.update(given.answer.solver for given in unit.answers if given.answer.solver)
        once += unit.result is not None and unit.result.once
        unsettled += unit.result is None and unit.state != SPLIT and differing(unit.answers)
        if unit.state == ASIDE:
            aside.append(f"{store.puzzle(unit.puzzle).name}, unit {unit.id:,}: {unit.why}")
    meta, fates = store.meta, Counter[str](row.fate for row in rows)
    known = {fate: n for fate, n in _by_number(fates).items() if fate != NEW and (n != len(rows) or fate != Verdict.UNKNOWN)}
    return Overview(
        name=meta["name"],
        version=meta["version"],
        single=store.single,
        puzzles=len(rows),
        verdicts=_by_number(Counter(row.verdict for row in rows)),
        counted=sum(row.verdict == "solvable" and row.all is not None for row in rows),
        arguments=_by_number(Counter(row.argument or "search" for row in rows if row.verdict == "impossible")),
        fates=known,
        wrong=[row.puzzle for row in rows if row.fails],
        states=store.states(),
        once=once,
        by_host=_by_number(hosts),
        by_solver=_by_number(solvers),
        cpu=sum(row.cpu for row in rows),
        differ=disputes(store),
        unsettled=unsettled,
        aside=aside,
        faults=store.faults(),
        chain=f"{int(meta['answers']):,} {meta['chain']}",
        left=forecast(store),
    )


def _by_number(counted: Counter[str]) -> dict[str, int]:
    """Sort by frequency, then by name."""
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


# all evidence once more ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Review:
    """A check of all evidence in a store."""

    answers: int
    solutions: int
    """Solutions that were checked against the geometry."""
    certificates: int
    wrong: tuple[str, ...]
    """What is wrong, in sentences."""
    once: int
    """Settled units that rest on one process alone."""


def review(store: Reader, progress: Progress = SILENT) -> Review:
    """Check all evidence of a store again, and that the parts of each count are the whole puzzle."""
    wrong, seen = store.faults(), Counter[str]()
    for number, subject in store.puzzles():
        if (parts := store.parts(number)).complete:
            wrong += [f"{subject.name}: {said}" for said in wrong_parts(loaded(subject), parts)]
        for unit in store.units(number):
            seen["once"] += unit.result is not None and unit.result.once
            for place, given in enumerate(unit.answers):
                answer = given.answer
                seen.update({"answers": 1, "solutions": bool(answer.solution), "certificates": answer.certificate is not None})
                progress.of("checking the evidence again")({"answers": seen["answers"]})
                if answer.certificate is not None:
                    answer = answer.model_copy(update={"certificate": store.certificate(answer.certificate.decode())})
                if not (answer.solution or answer.certificate):
                    continue
                again = look_at(subject, answer)
                settles = unit.result is not None and place == unit.result.by and unit.result.shown
                if (settles and not again.shows) or (again.wrong is not None and given.evidence.wrong is None):
                    wrong.append(f"{subject.name}, unit {unit.id:,}: {again.wrong or 'its evidence does not show what it claims'}")
    return Review(seen["answers"], seen["solutions"], seen["certificates"], tuple(wrong), seen["once"])


# several stores as one -----------------------------------------------------------------------------------------------------------


@dataclass
class Merged:
    """A merge in figures."""

    puzzles: int = 0
    units: int = 0
    answers: int = 0
    compared: int = 0
    """Units that had answers in several stores."""
    unlike: int = 0
    """How many of them have answers that contradict each other."""


def merge(paths: Sequence[Path], target: Path, progress: Progress = SILENT) -> Merged:
    """Write the rows of several stores of one study into a new store; a unit that several have gets the answers of all.

    Raises PuzzleError, and writes nothing, for stores of different studies, and if ``target`` exists.
    """
    if target.exists():
        raise PuzzleError(f"{target}: this file exists already; choose a new file for the merged store (-o)")
    merged = Merged()
    with TemporaryDirectory(prefix=".puzzlesat-", dir=target.parent) as folder:
        draft = Path(folder) / "draft"
        with open_to_read(paths[0]) as first:
            meta = first.meta
        heading = StudyHeading(meta["name"], meta["digest"], meta["study"], meta["single"] == "1")
        with open_store(draft, heading) as store:
            for path in paths:
                with open_to_read(path) as other:
                    _check_alike(paths[0], meta, path, other)
                    with store.change():
                        _take_over(store, other, merged, progress.of(path.name))
            with store.change():
                for number, _ in store.puzzles():
                    _drop_parts(store, number)
            merged.puzzles = sum(1 for _ in store.puzzles())
            merged.units = sum(store.states().values())
            merged.answers = int(store.meta["answers"])
        with draft.open("rb") as source, new_file(target) as file:
            file.write(source.read())
    return merged


def _check_alike(one_path: Path, ours: Mapping[str, str], path: Path, other: Reader) -> None:
    theirs = other.meta
    if ours["digest"] != theirs["digest"]:
        raise PuzzleError(f"{path}: this holds answers to another study ({theirs['name']!r}) than {one_path} ({ours['name']!r})")
    if ours["version"] != theirs["version"]:
        raise PuzzleError(f"{path}: puzzlesat {theirs['version']} made it, and {ours['version']} made {one_path}; run it with one version")
    if faults := other.faults():
        raise PuzzleError(f"{path}: it was changed or damaged ({faults[0]}); use an older copy of it")


def _take_over(store: Store, other: Reader, merged: Merged, told: Progress) -> None:
    """Take over the rows of another store."""
    for done, (their_puzzle, subject) in enumerate(other.puzzles()):
        told({"puzzles": done})
        puzzle = store.add_puzzle(subject)
        if (facts := other.facts(their_puzzle)) is not None:
            store.set_facts(puzzle, facts)
        numbers: dict[int | None, int | None] = {None: None}
        skipped: set[int | None] = set()
        for theirs in other.units(their_puzzle):
            if theirs.parent in skipped:  # the same work was split in another way here, or needs no parts
                skipped.add(theirs.id)
                continue
            number = store.add_unit(replace(theirs, puzzle=puzzle, parent=numbers[theirs.parent]))
            numbers[theirs.id] = number
            ours = store.unit(number)
            if ours.state == SETTLED or (ours.state == SPLIT and _parts(store, ours) != _parts(other, theirs)):
                skipped.add(theirs.id)
            known = [given.answer for given in ours.answers]
            new = [given for given in theirs.answers if given.answer not in known]
            for given in new:
                data = given.answer.certificate
                full = other.certificate(data.decode()) if data is not None else None
                ours = store.add_answer(ours, replace(given, answer=given.answer.model_copy(update={"certificate": full})))
            if known and new:
                merged.compared += 1
                merged.unlike += differing(ours.answers)
            _judge(store, ours, theirs)


def _parts(store: Reader, unit: UnitRow) -> set[tuple[int, ...]]:
    return {part.prefix for part in store.units(unit.puzzle) if part.parent == unit.id}


def _judge(store: Store, unit: UnitRow, theirs: UnitRow) -> None:
    """Settle a unit by the answers of all stores, or split it as one of them did."""
    if theirs.state == SPLIT and unit.state == OPEN:
        store.mark_split(unit.id, theirs.parts or 0)
        return
    result = settle(unit.answers, single=store.single)
    if result is not None and (unit.state != SPLIT or result.claim is not None):
        store.settle(unit, result)


def _drop_parts(store: Store, puzzle: int) -> None:
    """Remove the parts of units that are settled."""
    states: dict[int | None, str] = {None: OPEN}
    for unit in [*store.units(puzzle)]:
        states[unit.id] = SETTLED if states[unit.parent] == SETTLED else unit.state
        if states[unit.parent] == SETTLED:
            store.remove(unit.id)
