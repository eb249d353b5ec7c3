"""How long what is left of a run will take: by what such units took, and by what followed from them.

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
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from math import exp, log, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from puzzlesat.arrays import Flags, Longs, Reals, Shorts
from puzzlesat.children import is_alive
from puzzlesat.runs.store import LEFT, OPEN, Reader

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


class Line(NamedTuple):
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


UNKNOWN = Line(1.0, 0.0, 0.0, 1.0, 1, exp(USUAL) - 1)
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
        return host != socket.gethostname() or is_alive(int(number))
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


def lines_of(units: Any, faces: Seconds) -> dict[int, Line]:
    """Return what units of each kind take, by those that are done, with what followed from them, or is foreseen to."""
    lines: dict[int, Line] = {}
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


def _seen(units: Any, faces: Seconds, lines: Mapping[int, Line]) -> Reals:
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


def _line(estimate: Seconds, spent: Seconds, whole: Reals, faces: Seconds) -> Line:
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
    return Line(ratio, slope, middle, most, number, max(differ, usual), float(costs.max()))


def _slope(faces: Seconds, costs: Reals) -> tuple[float, float]:
    """By how much the logarithm of the costs grows with each face, and the mean of the faces; no growth where few units say so."""
    known = np.isfinite(faces)
    if known.sum() < FEW or not faces[known].std():
        return 0.0, 0.0
    x, y = faces[known] - faces[known].mean(), np.log(costs[known])
    slope = float((x @ (y - y.mean())) / (x @ x))
    error = sqrt(float(((y - y.mean() - slope * x) ** 2).sum()) / max(1, x.size - 2) / float(x @ x))
    return (min(slope, STEEPEST) if slope > 2 * error else 0.0), float(faces[known].mean())


def _bounds(kinds: Shorts, opened: Flags, seen: Reals, lines: Mapping[int, Line]) -> tuple[float, float]:
    """By what factors what is foreseen may be off: the units to come differ, and those that are known might have been others."""
    square = UNKNOWN.variance * float((seen[~opened] ** 2).sum())
    for kind in np.unique(kinds).tolist():
        line, own = lines.get(kind, UNKNOWN), seen[kinds == kind]
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
