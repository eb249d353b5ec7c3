"""How far a run is: what is done and what is left, how long yet, who has done it, what disagrees, what is set aside."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from puzzlesat.runs import audit
from puzzlesat.runs.steps import CONTRADICTION, IMPOSSIBLE, SOLVABLE
from puzzlesat.runs.store import DISPUTED, DONE, LEFT, OPEN, SET_ASIDE, UNSETTLED, Reader, Stored, Unit
from puzzlesat.runs.stored import wrong_parts
from puzzlesat.runs.table import PARTS, Row

LATEST = 100
"""Answers by which it is said how many processes are at work."""


CONFIRMED, CONTRADICTED, NOT_FOUND_AGAIN = "confirmed", "contradicted", "not found out again"
"""What becomes of units that are done twice."""


@dataclass(frozen=True)
class Dispute:
    """A unit whose answers differ, with all of them."""

    puzzle: str
    unit: int
    state: str
    """``done`` where a third answer has settled it."""
    error: str | None
    answers: Sequence[Mapping[str, Any]]
    """For each who gave it (``role``, ``solver``, ``host``, ``process``, ``version``, ``at``), whether it stands, and its ``result``."""


@dataclass(frozen=True)
class Aside:
    """A unit that nobody could do."""

    puzzle: str
    unit: int
    why: str


@dataclass(frozen=True)
class Done:
    """Some answers, and what they took."""

    answers: int
    cpu: float


@dataclass(frozen=True)
class Overview:
    """How far a run is."""

    name: str
    made: Mapping[str, str]
    """By which version, and when."""
    puzzles: int
    verdicts: Mapping[str, int]
    counted: int
    arguments: Mapping[str, int]
    fates: Mapping[str, int]
    """What became of what was published, by puzzles."""
    wrong: Sequence[str]
    """The puzzles of which a figure that is expected is not right."""
    wrong_parts: Mapping[str, Sequence[str]]
    """For puzzles that were counted in parts what is wrong with these: they must be all of the puzzle, each once."""
    states: Mapping[str, int]
    units: Mapping[str, Mapping[str, int]]
    """By what they are for, how many are in each state."""
    cpu: float
    by_host: Mapping[str, Done]
    by_version: Mapping[str, Done]
    by_solver: Mapping[str, Done]
    audits: Mapping[str, int]
    """Of the units that were done twice: how many were confirmed, contradicted, and not found out again."""
    faults: Sequence[str]
    """What cannot be so in the store."""
    disputes: Sequence[Dispute]
    aside: Sequence[Aside]
    left: float | None
    """CPU seconds that what is left will take, by what such units took; None where nothing is known of that."""
    processes: int
    """How many gave the latest answers."""

    @property
    def complete(self) -> bool:
        """Whether every unit is done."""
        return self.states[DONE] == sum(self.states.values())

    @property
    def disagrees(self) -> bool:
        """Whether answers contradict each other, or what is expected."""
        disputed = any(dispute.state != DONE for dispute in self.disputes)
        return bool(self.wrong or self.wrong_parts or self.faults or disputed or self.verdicts.get(CONTRADICTION))


def overview(store: Reader, rows: Sequence[Row]) -> Overview:
    """Return how far a run is, of which these are the rows."""
    with store.at_one_moment():
        names = dict(store.connection.execute("SELECT id, name FROM subjects"))
        kinds: dict[str, Counter[str]] = defaultdict(Counter)
        audits: Counter[str] = Counter()
        left = _Left()
        disputes, aside = [], []
        parted: dict[int, None] = {}
        for unit, answers in store.units_with_answers():
            kinds[kind_of(unit)][unit.state] += 1
            if unit.task["do"] == PARTS:
                parted[unit.subject] = None
            left.add(unit, answers)
            if (said := _audited(answers)) is not None:
                audits[said] += 1
            if _differ(unit, answers):
                disputes.append(_dispute(names[unit.subject], unit, answers))
            if unit.state == SET_ASIDE:
                aside.append(Aside(names[unit.subject], unit.id, unit.error or ""))
        meta = store.meta
        return Overview(
            name=meta["name"],
            made={"version": meta["version"], "at": meta["at"]},
            puzzles=len(rows),
            verdicts=_by_number(Counter(row.verdict for row in rows)),
            counted=sum(row.verdict == SOLVABLE and row.all is not None for row in rows),
            arguments=_by_number(Counter(row.argument or "search" for row in rows if row.verdict == IMPOSSIBLE)),
            fates=_by_number(Counter(row.fate for row in rows)),
            wrong=[row.puzzle for row in rows if row.fails],
            wrong_parts={names[number]: wrong for number in parted if (wrong := wrong_parts(store, number))},
            states=store.counts_by_state(),
            units={kind: dict(kinds[kind]) for kind in sorted(kinds)},
            cpu=store.cpu_seconds()[1],
            by_host=_done(store, "host"),
            by_version=_done(store, "version"),
            by_solver=_done(store, "solver"),
            audits=_by_number(audits),
            faults=[f"{row.puzzle}: {wrong}" for row in rows for wrong in row.faults],
            disputes=disputes,
            aside=aside,
            left=left.seconds(),
            processes=len(set(store.connection.execute("SELECT host, process FROM answers ORDER BY at DESC, id DESC LIMIT ?", (LATEST,)))),
        )


def overview_as_json(seen: Overview) -> dict[str, Any]:
    """Return an overview as the JSON object that docs/json.md describes."""
    return asdict(seen) | {"complete": seen.complete, "disagrees": seen.disagrees}


def kind_of(unit: Unit) -> str:
    """Return what a unit is for: the first of its steps, or what is done with its parts."""
    task = unit.task
    if task["do"] == "steps":
        return str(task["steps"][0]["find"]) if task.get("steps") else "steps"
    return "plan of parts" if task.get("plan") else str(task["do"])


def _by_number(counted: Counter[str]) -> dict[str, int]:
    """The most frequent first; those as frequent by name."""
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def _done(store: Reader, by: str) -> dict[str, Done]:
    """What was done, by whoever did it."""
    found = store.connection.execute(f"SELECT {by}, count(*), total(cpu) FROM answers WHERE {by} != '' GROUP BY {by} ORDER BY {by}")
    return {who: Done(number, cpu) for who, number, cpu in found}


def _differ(unit: Unit, answers: Sequence[Stored]) -> bool:
    """Whether answers to a unit differ, or did before a third one settled it."""
    said = [answer for answer in answers if answer.error is None]
    return unit.state in (DISPUTED, UNSETTLED) or any(not audit.agree(said[0].result, other.result) for other in said[1:])


def _audited(answers: Sequence[Stored]) -> str | None:
    """What those say who did a unit once more; None: nobody has."""
    said = [answer.result for answer in answers if answer.error is None]
    if len(said) < 2:
        return None
    if not all(audit.agree(said[0], other) for other in said[1:]):
        return CONTRADICTED
    return CONFIRMED if any(audit.confirms(said[0], other) for other in said[1:]) else NOT_FOUND_AGAIN


def _dispute(puzzle: str, unit: Unit, answers: Sequence[Stored]) -> Dispute:
    said = [
        {
            "role": a.role, "stands": a.counts and unit.state == DONE, "solver": a.solver, "host": a.host, "process": a.process,
            "version": a.version, "at": a.at, "result": a.result,
        }
        for a in answers
        if a.error is None
    ]  # fmt: skip
    return Dispute(puzzle, unit.id, unit.state, unit.error, said)


class _Left:
    """CPU seconds that are left, without what may follow: of each unit what it says itself that it takes, else what others like it took."""

    def __init__(self) -> None:
        self._took: dict[str, list[float]] = defaultdict(lambda: [0, 0.0])
        """Of each kind of units, how many answers there are and what they took."""
        self._like_others: Counter[str] = Counter()
        self._known: list[float] = [0, 0.0]
        """How many units are left of which something is known, and what they will take."""

    def add(self, unit: Unit, answers: Sequence[Stored]) -> None:
        """Take a unit into account."""
        took = self._took[kind_of(unit)]
        took[0] += len(answers)
        took[1] += sum(answer.cpu for answer in answers)
        if unit.state not in LEFT:
            return
        if unit.state != OPEN and answers:  # an audit takes as long as the first answer
            self._note(1, answers[0].cpu)
        elif (estimate := unit.task.get("estimate")) is not None:
            self._note(1, float(estimate))
        else:
            self._like_others[kind_of(unit)] += 1

    def seconds(self) -> float | None:
        """Return what is left; None where nothing is known of it."""
        unknown = 0
        for kind, number in self._like_others.items():
            answers, took = self._took[kind]
            if answers:
                self._note(number, number * took / answers)
            else:
                unknown += number
        known, seconds = self._known
        if not known:
            return None if unknown else 0.0
        return (known + unknown) * seconds / known

    def _note(self, number: float, seconds: float) -> None:
        self._known[0] += number
        self._known[1] += seconds
