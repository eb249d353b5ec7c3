"""How far a run is: what is done and what is left, how long yet, who has done it, what disagrees, what is set aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from puzzlesat.errors import many
from puzzlesat.runs import audit, chain
from puzzlesat.runs.faults import chain_faults
from puzzlesat.runs.forecast import KIND, forecast, processes_of_late
from puzzlesat.runs.steps import CONTRADICTION, IMPOSSIBLE, SOLVABLE
from puzzlesat.runs.store import DISPUTED, DONE, SET_ASIDE, UNSETTLED, Reader, Stored, Unit
from puzzlesat.runs.stored import wrong_parts
from puzzlesat.runs.table import Row
from puzzlesat.runs.trust import Trust, trust_as_json, trust_of

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
    trust: Trust
    """How sure all of it is, and who was caught with a wrong answer."""
    chain: str
    """The last digest of the chain of answers, and how many there are: to be noted elsewhere."""
    audits: Mapping[str, int]
    """Of the units that were done twice: how many were confirmed, contradicted, and not found out again."""
    faults: Sequence[str]
    """What cannot be so in the store."""
    disputes: Sequence[Dispute]
    aside: Sequence[Aside]
    left: float | None
    """CPU seconds that what is left will take, with what will follow from it; None where nothing is known of that,"""
    left_between: tuple[float, float] | None
    """and within which bounds these are, nine times in ten."""
    left_by_the_clock: tuple[float, float] | None
    """The same by the clock, with as many processes as worked last."""
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
    """Return how far a run is, of which these are the rows. What many units have is added up by the database: there may be a million."""
    with store.at_one_moment():
        subjects = list(store.connection.execute("SELECT id, name, key FROM subjects"))
        names = {number: name for number, name, _ in subjects}
        number_of = {key: number for number, _, key in subjects}
        audits: Counter[str] = Counter()
        disputes = []
        for unit, answers in store.units_with_answers(several=True):
            if (said := _audited(answers)) is not None:
                audits[said] += 1
            if _differ(unit, answers):
                disputes.append(_dispute(names[unit.subject], unit, answers))
        processes = processes_of_late(store)
        seen = forecast(store, {number_of[row.key]: row.area for row in rows}, processes)
        clock = None if seen is None else seen.by_the_clock(processes)
        in_parts = {row.key: number_of[row.key] for row in rows if row.in_parts}
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
            wrong_parts={names[number]: wrong for number in in_parts.values() if (wrong := wrong_parts(store, number))},
            states=store.counts_by_state(),
            units=_kinds(store),
            cpu=store.cpu_seconds()[1],
            by_host=_done(store, "host"),
            by_version=_done(store, "version"),
            by_solver=_done(store, "solver"),
            trust=trust_of(store),
            chain=str(chain.head_of(store.connection, meta["digest"])),
            audits=_by_number(audits),
            faults=_faults(store, rows),
            disputes=disputes,
            aside=_aside(store, names),
            left=None if seen is None else seen.seconds,
            left_between=None if seen is None else (seen.low, seen.high),
            left_by_the_clock=None if clock is None else (clock.low, clock.high),
            processes=processes,
        )


def overview_as_json(seen: Overview) -> dict[str, Any]:
    """Return an overview as the JSON object that docs/json.md describes."""
    left = sum(number for state, number in seen.states.items() if state != DONE)
    why = None if seen.complete else f"{many(left, 'unit')} {'is' if left == 1 else 'are'} not done"
    return asdict(seen) | {"trust": trust_as_json(seen.trust)} | {"complete": seen.complete, "why": why, "disagrees": seen.disagrees}


def _faults(store: Reader, rows: Sequence[Row]) -> list[str]:
    """What cannot be so in the store: what all rows say for that, once.

    Every row of a store whose chain is broken says so: it is gone through again only where a row says anything.
    """
    broken = chain_faults(store) if not rows or any(row.faults for row in rows) else []
    return [*broken, *(f"{row.puzzle}: {wrong}" for row in rows for wrong in row.faults if wrong not in broken)]


def _kinds(store: Reader) -> dict[str, dict[str, int]]:
    """How many units of each kind are in each state."""
    kinds: dict[str, dict[str, int]] = {}
    for kind, state, number in store.connection.execute(f"SELECT {KIND}, state, count(*) FROM units GROUP BY 1, 2 ORDER BY 1, min(id)"):
        kinds.setdefault(kind, {})[state] = number
    return kinds


def _aside(store: Reader, names: Mapping[int, str]) -> list[Aside]:
    """The units that are set aside."""
    found = store.connection.execute("SELECT subject, id, error FROM units WHERE state = ? ORDER BY id", (SET_ASIDE,))
    return [Aside(names[subject], unit, error or "") for subject, unit, error in found]


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
