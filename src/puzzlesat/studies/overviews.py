"""How far a run is: what is done and what is left, how long yet, who has done it, what disagrees, what is set aside.

How long what is left of a run will take: by what such units took, and by what followed from them.

A unit that is not done costs its own seconds and those of all that will follow from it, of which nothing is in the store yet. Both are
foreseen from the units of its kind that are done: the seconds of each, with those of the units that came of it, where such as are not done
themselves count with what is foreseen of them. Sizes differ: what whole puzzles take grows with the area of the form, by the line that fits
the logarithms best, as far as the limits let it; parts of a count say themselves how long they may take, and are wrong by a factor that is
much the same for all. A unit that has been with a worker for long is one of those that take long.

The range is that of nine chances in ten, if the logarithms of what units take were normal around that line: by how much they differ is
taken from those that are done, and as long as these are few from what is usual.
"""

from __future__ import annotations

import os
import socket
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from math import exp, log, sqrt
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from puzzlesat.base import SHARE, Flags, Longs, Progress, Reals, Shorts, many
from puzzlesat.counting import Verdict
from puzzlesat.studies import audit
from puzzlesat.studies.audit import LEFT_OUT, head_of
from puzzlesat.studies.opening import chain_faults
from puzzlesat.studies.store import DISPUTED, DONE, LEFT, OPEN, SET_ASIDE, UNSETTLED, Reader, Stored, Unit
from puzzlesat.studies.stored import wrong_parts
from puzzlesat.studies.tables import NEW, Row
from puzzlesat.studies.trust import Trust, trust_of
from puzzlesat.studies.units import CONTRADICTION, IMPOSSIBLE, SOLVABLE

KIND = """CASE
    WHEN json_extract(task, '$.do') = 'steps' THEN coalesce(json_extract(task, '$.steps[0].find'), 'steps')
    WHEN json_extract(task, '$.plan') THEN 'plan of parts'
    ELSE json_extract(task, '$.do') END"""
"""What a unit is for: the first of its steps, or what is done with its parts."""
UNITS = f"""SELECT units.id, coalesce(parent, 0), subject, {KIND}, state, json_extract(task, '$.estimate'), json_extract(task, '$.seconds'),
    (SELECT cpu FROM answers WHERE unit = units.id ORDER BY answers.id LIMIT 1), (SELECT total(cpu) FROM answers WHERE unit = units.id),
    (SELECT count(*) FROM answers WHERE unit = units.id)
    FROM units ORDER BY units.id"""

Seconds = npt.NDArray[np.float32]
"""Of many units: as exactly as that is known, and no memory for more."""
LATEST = 100
"""Answers by which it is said how many processes are at work."""
LEAST_SECONDS = 0.01
"""What a unit takes at least, where logarithms are taken."""
ROUNDS = 8
"""So often what follows from units is foreseen anew by what was foreseen of it: after that it hardly changes."""
FEW = 5
"""Fewer units than that say nothing of how seconds grow with the area."""
STEEPEST = 0.25
"""The most by which the logarithm of the seconds may grow with each face of a form."""
USUAL, AS_MANY = 3.0, 4
"""The variance of the logarithms that is usual, as much worth as that of so many units that are done."""
ENOUGH = 10
"""So many units that are done say as much of the mean as the normal distribution does."""
MOST_VARIANCE = 4.0
CLOSE = 0.001
MOST_DEEP = 10_000
"""Units that follow one from the other; more there are in no store that was not changed."""
ALIKE = 0.2
"""The variance that is left however many units are done: those to come are not like them."""
QUANTILE = 1.645
"""So many deviations up and down nine chances in ten lie."""


@dataclass(frozen=True)
class Forecast:
    """Seconds that what is left will take, and between which bounds."""

    seconds: float
    low: float
    high: float
    longest: float = 0.0
    """What the longest unit that is left takes, of ``seconds``."""

    def by_the_clock(self, processes: int) -> Forecast:
        """Return the same for so many processes: a unit is done by one."""
        share = max(1 / max(1, processes), self.longest / max(self.seconds, LEAST_SECONDS))
        return Forecast(self.seconds * share, self.low * share, self.high * share, self.longest)


UNIT = np.dtype([
    ("id", np.int64), ("parent", np.int64), ("subject", np.int32), ("kind", np.int16), ("left", np.bool_), ("open", np.bool_),
    ("twice", np.bool_), ("estimate", np.float32), ("limit", np.float32), ("first", np.float32), ("spent", np.float32),
])  # fmt: skip
"""A unit, as far as it matters here: its number and that of the unit that it follows from (0: none); the number of its kind, another one
for units that say what they may take (``estimate``); whether anything is left of it, whether all of it is (``open``), and whether it was
done more than once; the CPU seconds that it may take at most, that its first answer took, and that all of its answers took. What is not
known is not a number.

Units stand in the order of their numbers."""


class CostLine(NamedTuple):
    """What units of one kind take, with all that follows from them."""

    ratio: float
    """To what they say themselves that they take; else the seconds of one whose form has ``middle`` faces."""
    slope: float
    """By how much the logarithm of that grows with each face."""
    middle: float
    most: float
    """So many times its limit one takes at most, with what follows."""
    number: int
    """How many units say so,"""
    variance: float
    """and the square of by how much they differ from that, as a share of it."""
    longest: float = 0.0
    """What the longest of them took."""

    def of(self, estimate: Seconds, limit: Seconds, faces: Seconds) -> Reals:
        """Return what units of the kind take that say so, or whose forms have so many faces.

        Of n + 1 one takes longer than n that are done (I. J. Good, "The population frequencies of species", Biometrika 40, 1953): somewhere
        between the longest of these and its limit, and small ones are done first.
        """
        if not np.isnan(estimate).any():
            return np.asarray(self.ratio * np.maximum(estimate, LEAST_SECONDS), dtype=np.float64)
        seen = self.ratio * np.exp(self.slope * np.nan_to_num(faces - self.middle))
        further = np.sqrt(self.longest * limit * self.most) / (self.number + 1)
        return np.asarray(np.fmin(seen + np.nan_to_num(further), limit * self.most), dtype=np.float64)


UNSEEN = CostLine(1.0, 0.0, 0.0, 1.0, 1, exp(USUAL) - 1)
"""Of units like which none was done: they take what they say."""


# of a store ------------------------------------------------------------------------------------------------------------------------


def forecast(store: Reader, areas: Mapping[int, int], processes: int, now: datetime | None = None) -> Forecast | None:
    """Foresee how long what is left of a run will take; None where nothing is known of that.

    ``areas``: how many faces the forms of the puzzles have, by their numbers in the store; ``processes`` are at work, if anybody is.
    """
    if not any(number for state, number in store.counts_by_state().items() if state in LEFT):
        return Forecast(0.0, 0.0, 0.0)
    silent = _silent(store, now or datetime.now(timezone.utc)) if _at_work(store.path) else 0.0
    return foresee(units_of(store), areas, silent=silent, at_work=processes)


def processes_of_late(store: Reader) -> int:
    """Return how many processes gave the latest answers."""
    return len(set(store.connection.execute("SELECT host, process FROM answers ORDER BY at DESC, id DESC LIMIT ?", (LATEST,))))


LOOK_SECONDS = 2.0
"""Seconds from one forecast to the next while a run goes on,"""
LOOKING = 0.02
"""and the share of the time that they take at most: of a million units a forecast takes a while."""


def with_share(progress: Progress, store: Reader) -> Progress:
    """Return what tells the same as ``progress``, with the share of the work that is done by the latest forecast."""
    look_at, left = float("-inf"), 0.0

    def listen(what: str, counters: Mapping[str, int]) -> None:
        nonlocal look_at, left
        if "cpu_seconds" in counters:
            if (began := monotonic()) >= look_at:
                left = seen.seconds if (seen := forecast(store, {}, processes_of_late(store))) is not None else 0.0
                now = monotonic()
                look_at = now + max(LOOK_SECONDS, (now - began) / LOOKING)
            done = counters["cpu_seconds"]
            counters = {**counters, SHARE: int(1e6 * done / (done + left))} if done and left else counters
        progress.listener(what or "counting", counters)

    return Progress(listen)


def units_of(store: Reader) -> Any:
    """Return the units of a store, as ``UNIT`` has them."""
    kinds: dict[tuple[str, bool], int] = {}

    def rows() -> Iterator[tuple[Any, ...]]:
        for unit, parent, subject, kind, state, *seconds, answers in store.connection.execute(UNITS):
            like = kinds.setdefault((kind, seconds[0] is None), len(kinds))
            said = (float("nan") if one is None else one for one in seconds)
            yield unit, parent, subject, like, state in LEFT, state == OPEN, answers > 1, *said

    return np.fromiter(rows(), dtype=UNIT)


def _silent(store: Reader, now: datetime) -> float:
    """Seconds since the latest answer: those that wait for units now have waited as long."""
    (latest,) = store.connection.execute("SELECT max(at) FROM answers").fetchone()
    with suppress(TypeError, ValueError):  # there is no answer, or no time
        return max(0.0, (now - datetime.fromisoformat(latest)).total_seconds())
    return 0.0


def _at_work(path: Path) -> bool:
    """Tell whether somebody runs the study, by the file that says so: on another machine it is taken for true."""
    path = Path(os.path.realpath(path))
    try:
        number, host = path.with_name(f"{path.name}.lock").read_text(encoding="utf-8").split()
        return host != socket.gethostname() or _is_alive(int(number))
    except (OSError, ValueError):
        return False


# of plain data ---------------------------------------------------------------------------------------------------------------------


def foresee(units: Any, areas: Mapping[int, int], *, silent: float = 0.0, at_work: int = 1) -> Forecast | None:
    """Foresee what is left of all units (``UNIT``) will take; None: nothing like that was done.

    So many processes are ``at_work``, of which none has answered for the last ``silent`` seconds.
    """
    faces = _faces(units, areas)
    lines = lines_of(units, faces)
    seen = _seen(units, faces, lines)
    late = np.flatnonzero(units["open"])[:at_work]  # units are handed out in the order of their numbers
    seen[late] = np.fmax(seen[late], _after(silent + _overtaken(units)[late] / max(1, at_work), units["first"]))
    known = units["left"] & np.isfinite(seen)
    if not known.any() or not lines:
        return None
    low, high = _bounds(units["kind"][known], units["open"][known], seen[known], lines)
    seconds = float(seen[known].mean()) * int(units["left"].sum())
    return Forecast(seconds, seconds * low, seconds * high, float(seen[known].max()))


def lines_of(units: Any, faces: Seconds) -> dict[int, CostLine]:
    """Return what units of each kind take, by those that are done, with what followed from them, or is foreseen to."""
    lines: dict[int, CostLine] = {}
    answered = np.isfinite(units["first"])
    above, depth = _above(units)
    for _ in range(ROUNDS):
        whole = units["spent"] + np.where(units["left"], np.nan_to_num(_seen(units, faces, lines)), 0.0)
        for level in range(int(depth.max(initial=0)), 0, -1):
            np.add.at(whole, above[depth == level], whole[depth == level])
        before = lines
        lines = {}
        for kind in np.unique(units["kind"][answered]).tolist():
            own = answered & (units["kind"] == kind)
            lines[kind] = _line(units["estimate"][own], units["spent"][own], whole[own], faces[own])
        if before and all(abs(line.ratio / before[kind].ratio - 1) < CLOSE for kind, line in lines.items()):
            break
    return lines


def _faces(units: Any, areas: Mapping[int, int]) -> Seconds:
    """How many faces the form of each unit's puzzle has."""
    of = np.full(int(units["subject"].max(initial=0)) + 1, np.nan, dtype=np.float32)
    for subject, area in areas.items():
        if subject < of.size:
            of[subject] = area
    return np.asarray(of[units["subject"]], dtype=np.float32)


def _above(units: Any) -> tuple[Longs, Shorts]:
    """For each unit the place of the one that it follows from, and how many are above it."""
    place = np.minimum(np.searchsorted(units["id"], units["parent"]), max(0, units.size - 1))
    follows: Flags = (units["id"][place] == units["parent"]) if units.size else np.zeros(0, dtype=np.bool_)
    depth = np.zeros(units.size, dtype=np.int16)
    while True:
        deeper: Shorts = np.where(follows, depth[place] + 1, 0).astype(np.int16)
        if (deeper == depth).all() or deeper.max(initial=0) > MOST_DEEP:
            return place, depth
        depth = deeper


def _seen(units: Any, faces: Seconds, lines: Mapping[int, CostLine]) -> Reals:
    """What each unit takes from now on, with what follows, if nothing of it were done; infinite where nothing like it was done."""
    seen: Reals = units["estimate"].astype(np.float64)
    for kind, line in lines.items():
        own = units["kind"] == kind
        seen[own] = line.of(units["estimate"][own], units["limit"][own], faces[own])
    again = units["left"] & ~units["open"]  # somebody is to do the same once more, which took others so much, or so many times as much
    first, twice = units["first"], units["twice"]
    if again.any():
        more = (units["spent"] - first)[twice]
        seen[again] = np.fmin(first[again] * more.sum() / first[twice].sum(), more.mean()) if twice.any() else first[again]
    return seen


def _line(estimate: Seconds, spent: Seconds, whole: Reals, faces: Seconds) -> CostLine:
    """What units of one kind take, where these said that, took so much, and so much with what followed."""
    costs = np.maximum(whole, LEAST_SECONDS)
    slope, middle, most = 0.0, 0.0, 1.0
    fitted = np.maximum(estimate.astype(np.float64), LEAST_SECONDS)
    if np.isnan(fitted).any():
        slope, middle = _slope(faces, costs)
        fitted = np.exp(slope * np.nan_to_num(faces - middle))
        most = max(1.0, float(costs.sum() / max(float(spent.sum()), LEAST_SECONDS)))
    off, number = np.log(costs / fitted), costs.size
    squares = float(((off - off.mean()) ** 2).sum())
    normal, plain = float(off.mean()) + squares / number / 2, log(float(costs.sum() / fitted.sum()))
    ratio = exp((ENOUGH * min(normal, plain + 1) + number * plain) / (ENOUGH + number))
    differ = float(np.mean((costs / fitted * fitted.sum() / costs.sum() - 1) ** 2))
    usual = exp(min((squares + AS_MANY * USUAL) / (number + AS_MANY), MOST_VARIANCE)) - 1
    return CostLine(ratio, slope, middle, most, number, max(differ, usual), float(costs.max()))


def _slope(faces: Seconds, costs: Reals) -> tuple[float, float]:
    """By how much the logarithm of the costs grows with each face, and the mean of the faces; no growth where few units say so."""
    known = np.isfinite(faces)
    if known.sum() < FEW or not faces[known].std():
        return 0.0, 0.0
    x, y = faces[known] - faces[known].mean(), np.log(costs[known])
    slope = float((x @ (y - y.mean())) / (x @ x))
    error = sqrt(float(((y - y.mean() - slope * x) ** 2).sum()) / max(1, x.size - 2) / float(x @ x))
    return (min(slope, STEEPEST) if slope > 2 * error else 0.0), float(faces[known].mean())


def _bounds(kinds: Shorts, opened: Flags, seen: Reals, lines: Mapping[int, CostLine]) -> tuple[float, float]:
    """By what factors what is foreseen may be off: the units to come differ, and those that are known might have been others."""
    square = UNSEEN.variance * float((seen[~opened] ** 2).sum())
    for kind in np.unique(kinds).tolist():
        line, own = lines.get(kind, UNSEEN), seen[kinds == kind]
        square += line.variance * float((own**2).sum() + own.sum() ** 2 / line.number) + ALIKE * float(own.sum() ** 2)
    deviation = sqrt(log(1 + square / max(float(seen.sum()), LEAST_SECONDS) ** 2))
    return exp(-QUANTILE * deviation), exp(QUANTILE * deviation)


def _overtaken(units: Any) -> Reals:
    """For each unit, what those after it have taken that are done: all this time it was at work."""
    spent = np.where(units["open"], 0.0, units["spent"])
    return np.asarray(spent[::-1].cumsum()[::-1] - spent, dtype=np.float64)


def _after(seconds: Reals, first: Seconds) -> Reals:
    """What units take from then on that have taken so many seconds: as those did that took longer, else as long again."""
    longer = [first[first > one] for one in seconds.tolist()]
    return np.array([some.mean() - one if some.size else one for one, some in zip(seconds.tolist(), longer, strict=True)])


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

    @property
    def settled(self) -> bool:
        """Whether a third answer has settled it."""
        return self.state == DONE

    @property
    def keys(self) -> list[str]:
        """The keys of the results that differ, without those that may."""
        every = dict.fromkeys(key for answer in self.answers for key in answer["result"])
        return [key for key in every if key not in LEFT_OUT and len({repr(answer["result"].get(key)) for answer in self.answers}) > 1]


@dataclass(frozen=True)
class Aside:
    """A unit that nobody could do."""

    puzzle: str
    unit: int
    why: str


@dataclass(frozen=True)
class WorkDone:
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
    by_host: Mapping[str, WorkDone]
    by_version: Mapping[str, WorkDone]
    by_solver: Mapping[str, WorkDone]
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
        return bool(self.wrong or self.wrong_parts or self.faults or self.unsettled or self.verdicts.get(CONTRADICTION))

    @property
    def unsettled(self) -> int:
        """How many units have answers that differ, and no third one that settles it."""
        return sum(not dispute.settled for dispute in self.disputes)

    @property
    def known_fates(self) -> dict[str, int]:
        """What became of what was published: without puzzles of which nothing was, and nothing if nothing is known."""
        return {fate: n for fate, n in self.fates.items() if fate != NEW and (n != self.puzzles or fate != Verdict.UNKNOWN)}

    @property
    def units_left(self) -> int:
        """How many units are not done."""
        return sum(self.states.values()) - self.states[DONE]

    @property
    def record(self) -> dict[str, Any]:
        """The same as the JSON object that docs/json.md describes."""
        left = self.units_left
        why = None if self.complete else f"{many(left, 'unit')} {'is' if left == 1 else 'are'} not done"
        return asdict(self) | {"trust": self.trust.record} | {"complete": self.complete, "why": why, "disagrees": self.disagrees}


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
            chain=str(head_of(store.connection, meta["digest"])),
            audits=_by_number(audits),
            faults=_faults(store, rows),
            disputes=disputes,
            aside=_aside(store, names),
            left=None if seen is None else seen.seconds,
            left_between=None if seen is None else (seen.low, seen.high),
            left_by_the_clock=None if clock is None else (clock.low, clock.high),
            processes=processes,
        )


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


def _done(store: Reader, by: str) -> dict[str, WorkDone]:
    """What was done, by whoever did it."""
    found = store.connection.execute(f"SELECT {by}, count(*), total(cpu) FROM answers WHERE {by} != '' GROUP BY {by} ORDER BY {by}")
    return {who: WorkDone(number, cpu) for who, number, cpu in found}


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


def _is_alive(number: int) -> bool:
    """Tell whether there is a process of this number. On Windows the signal 0, which asks so elsewhere, would end it."""
    import psutil

    return bool(psutil.pid_exists(number))
