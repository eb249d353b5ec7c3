"""What the parts of a count that are done add up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from puzzlesat.counting.counts import Counts
from puzzlesat.cover.parts import Part
from puzzlesat.runs.jobs import Task
from puzzlesat.runs.problems import WHOLE
from puzzlesat.runs.steps import IMPOSSIBLE, NOT_DECIDED, SOLVABLE
from puzzlesat.runs.store import DONE


@dataclass(frozen=True)
class UnitOfParts:
    """A unit as the totals need it."""

    task: Task
    state: str
    result: Mapping[str, Any] | None = None
    """Of the answer that stands; None where there is none."""
    cpu: float = 0.0
    """CPU seconds that its answers took."""


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
    """For each problem of the puzzle, the parts that are done."""
    problems: Mapping[str, set[str]] = field(default_factory=dict)
    """For each, the fingerprints of the problems that these are of: there must be one."""


def totals(units: Iterable[UnitOfParts]) -> Totals:
    """Return what the units of one puzzle that are done add up to."""
    found: Counter[str] = Counter()
    parts: dict[str, list[Part]] = {}
    problems: dict[str, set[str]] = {}
    facts: Mapping[str, Any] | None = None
    complete, spent, left, too_large = True, 0.0, 0.0, None
    for unit in units:
        result = unit.result if unit.state == DONE else None
        spent += unit.cpu
        if result is None:
            complete = False
            left += float(unit.task.get("estimate") or 0.0)
            continue
        facts = result.get("puzzle", facts)
        too_large = result.get("too_large", too_large)
        for group in result["parts"]:
            found[group["of"]] += group["found"]
            parts.setdefault(group["of"], []).extend(tuple(part) for part in group["parts"])
            problems.setdefault(group["of"], set()).add(group["problem"])
    complete = complete and facts is not None and too_large is None
    for name in () if facts is None else (problem for _, problem in facts["problem_of"]):
        parts.setdefault(name, [])
    share = 1.0 if complete else spent / (spent + left) if left else 0.0
    counts, burnside = _counts(facts, found) if complete and facts is not None else (Counts(), None)
    return Totals(counts, complete, found[WHOLE], share, left, burnside, too_large, parts, problems)


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


def outcome(units: Iterable[UnitOfParts]) -> dict[str, Any]:
    """Return what a count in parts came to, with the keys of the result of a whole puzzle; a count only where it is complete."""
    known = totals(units)
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
