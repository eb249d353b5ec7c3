"""What the parts of a count that are done add up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from puzzlesat.counting.counts import Counts
from puzzlesat.cover.parts import Part
from puzzlesat.runs.problems import WHOLE
from puzzlesat.runs.steps import IMPOSSIBLE, NOT_DECIDED, SOLVABLE
from puzzlesat.runs.store import DONE, Found


@dataclass(frozen=True)
class Totals:
    """How far a count in parts is."""

    counts: Counts
    """What is known; all of it only where every unit is done."""
    complete: bool
    """Whether every part is counted, and nothing is in doubt."""
    found: int
    """Solutions in the parts done: a lower bound of ``all``."""
    share: float
    """How much of the work is done, by the estimates of what is left."""
    left: float
    """CPU seconds that are left, by these estimates."""
    burnside: bool | None
    """Whether Burnside's lemma confirms that ``distinct`` is a whole number; None where it is not known."""
    too_large: float | None = None
    """The CPU seconds that all of it would take, where a plan has found that to be more than it may."""
    parts: Mapping[str, list[Part]] = field(default_factory=dict)
    """For each problem of the puzzle, the parts that are done, where they were asked for."""
    problems: Mapping[str, set[str]] = field(default_factory=dict)
    """For each, the fingerprints of the problems that these are of: there must be one."""


class Sum:
    """What units of one count add up to so far, one after the other, in whatever order."""

    def __init__(self, *, with_parts: bool = True) -> None:
        self._with_parts = with_parts
        self._found: Counter[str] = Counter()
        self._parts: dict[str, list[Part]] = {}
        self._problems: dict[str, set[str]] = {}
        self._facts: Mapping[str, Any] | None = None
        self._all_done, self._spent, self._left = True, 0.0, 0.0
        self._too_large: float | None = None

    def add(self, unit: Found) -> None:
        """Take a unit into account."""
        result = unit.result if unit.state == DONE else None
        self._spent += unit.cpu
        if result is None:
            self._all_done = False
            self._left += float(unit.estimate or 0.0)
            return
        self._facts = result.get("puzzle", self._facts)
        self._too_large = result.get("too_large", self._too_large)
        for group in result["parts"]:
            self._found[group["of"]] += group["found"]
            self._problems.setdefault(group["of"], set()).add(group["problem"])
            if self._with_parts:
                self._parts.setdefault(group["of"], []).extend(tuple(part) for part in group["parts"])

    def totals(self) -> Totals:
        """Return what they add up to."""
        facts, found, spent, left = self._facts, self._found, self._spent, self._left
        complete = self._all_done and facts is not None and self._too_large is None
        for name in () if facts is None or not self._with_parts else (problem for _, problem in facts["problem_of"]):
            self._parts.setdefault(name, [])
        share = 1.0 if complete else spent / (spent + left) if left else 0.0
        counts, burnside = _counts(facts, found) if complete and facts is not None else (Counts(), None)
        return Totals(counts, complete, found[WHOLE], share, left, burnside, self._too_large, self._parts, self._problems)


class InParts:
    """The counts in parts of one puzzle, each with the units that follow from its plan. Two plans, with other limits, are two counts."""

    def __init__(self, *, with_parts: bool = True) -> None:
        self._with_parts = with_parts
        self._plan: dict[int, int] = {}
        """For each unit, the plan that it follows from."""
        self._sums: dict[int, Sum] = {}

    def add(self, unit: Found) -> None:
        """Take a unit into account: they come in the order of their numbers."""
        plan = self._plan[unit.unit] = self._plan.get(unit.parent or 0, unit.unit)
        if plan not in self._sums:
            self._sums[plan] = Sum(with_parts=self._with_parts)
        self._sums[plan].add(unit)

    def totals(self) -> list[Totals]:
        """Return what the units of each count add up to."""
        return [one.totals() for one in self._sums.values()]


def totals(units: Iterable[Found]) -> Totals:
    """Return what the units of one count add up to."""
    added = Sum()
    for unit in units:
        added.add(unit)
    return added.totals()


def _counts(facts: Mapping[str, Any], found: Mapping[str, int]) -> tuple[Counts, bool]:
    """The counts that follow from what was found in each problem of a puzzle."""
    fixed = {symmetry: found.get(problem, 0) for symmetry, problem in facts["problem_of"]}
    all_, copies, turns = found.get(WHOLE, 0), facts["copies"], facts["turns"]
    none = None if all_ else 0
    labelled = 0 if not all_ else None if copies is None else all_ * copies
    return Counts(
        labelled=labelled,
        all=all_,
        distinct=sum(fixed.values()) // len(fixed),
        fixed=fixed,
        fixed_labelled=None if all_ else dict.fromkeys(fixed, 0),
        labelled_distinct=none,
        labelled_turns=0 if not all_ else None if labelled is None or turns is None else labelled * turns,
    ), sum(fixed.values()) % len(fixed) == 0


def outcome(known: Totals) -> dict[str, Any]:
    """Return what a count in parts came to, with the keys of the result of a whole puzzle; a count only where it is complete."""
    counts = known.counts
    verdict = SOLVABLE if known.found else IMPOSSIBLE if known.complete else NOT_DECIDED
    return {
        "verdict": verdict,
        **({"argument": "count"} if verdict == IMPOSSIBLE else {}),
        "labelled": counts.labelled,
        "all": counts.all,
        "distinct": counts.distinct,
        "agree": False if known.burnside is False else None,
    }
