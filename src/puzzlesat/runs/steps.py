"""What is to be found out of a puzzle, step by step from cheap to dear: which steps are left, and what the answers come to.

All of this is plain data, and nothing is done here: ``whole`` does the steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from puzzlesat.runs.jobs import Task

Find = Literal["proof", "solution", "count", "check"]
PROOF: Final = "proof"
SOLUTION: Final = "solution"
COUNT: Final = "count"
CHECK: Final = "check"

IMPOSSIBLE: Final = "impossible"
SOLVABLE: Final = "solvable"
NOT_DECIDED: Final = "not decided"
CONTRADICTION: Final = "contradiction"
Verdict = Literal["impossible", "solvable", "not decided", "contradiction"]

Result = Mapping[str, Any]
"""What was found out of a puzzle, as ``NOTHING`` has it."""
COUNTS = ("labelled", "all", "distinct", "labelled_distinct", "labelled_turns")
NOTHING: Result = {
    "verdict": NOT_DECIDED,
    "argument": None,
    "sentences": [],
    "solution": None,
    **dict.fromkeys(COUNTS),
    "agree": None,
    "by": None,
    "certificate": None,
    "check": None,
}
"""Nothing is known. ``verdict``, and for what is impossible ``argument`` and ``sentences``; ``solution``: names of placements; the counts,
``by`` whom, and whether another one agrees (``agree``); ``certificate``: digest and size of that of an argument; ``check``: what a check of
the figures expected has said."""


@dataclass(frozen=True)
class Step:
    """One thing to be found out."""

    find: Find
    seconds: float | None = None
    """CPU seconds that it may take; None: as many as it needs."""
    memory: int | None = None
    """Bytes that it may take."""
    seed: int = 1
    """Of a solution that is looked for by chance."""


UNIT_SECONDS: Final = 60.0
"""A search for a solution, or a count, that takes longer than that goes on as other units."""


def task_of(steps: Sequence[Step], known: Result = NOTHING) -> Task:
    """Return the task to do steps, with what is known from those before, and what one unit of it takes at most."""
    said = {"verdict": known["verdict"], "solution": known["solution"]} if known["verdict"] != NOT_DECIDED else {}
    seconds = [seconds_of(step) for step in steps]
    limits: dict[str, float | None] = {
        "seconds": None if None in seconds else sum(filter(None, seconds)),
        "memory": None if any(step.memory is None for step in steps) else max(step.memory or 0 for step in steps),
    }
    own = {key: limit for key, limit in limits.items() if limit is not None}
    return {"do": "steps", "steps": [asdict(step) for step in steps], **({"known": said} if said else {}), **own}


def seconds_of(step: Step) -> float | None:
    """Return the CPU seconds of a step that one unit takes at most; None: as many as it needs."""
    if step.find in (PROOF, CHECK):
        return step.seconds
    return UNIT_SECONDS if step.seconds is None else min(step.seconds, UNIT_SECONDS)


def rest_of(step: Step, seconds: float) -> Step | None:
    """Return what is left of a step after so many seconds; None: nothing."""
    if step.seconds is None:
        return step
    return replace(step, seconds=step.seconds - seconds) if step.seconds > seconds else None


def steps_of(task: Task) -> list[Step]:
    """Return the steps of a task."""
    return [Step(**step) for step in task["steps"]]


def known_of(task: Task) -> Result:
    """Return what a task says of the steps before."""
    return {**NOTHING, **task.get("known", {})}


def settled(step: Step, known: Result) -> bool:
    """Tell whether a step need not be done any more: what is impossible is so for all of them, but for a check, which judges figures."""
    if known["verdict"] == CONTRADICTION:
        return True
    if step.find == CHECK:
        return known["check"] is not None
    if step.find == COUNT:
        return bool(known["verdict"] == IMPOSSIBLE or known["all"] is not None)
    return bool(known["verdict"] != NOT_DECIDED)


def left(steps: Sequence[Step], known: Result) -> list[Step]:
    """Return the steps that are still to be done."""
    return [step for step in steps if not settled(step, known)]


def came_to(results: Sequence[Result]) -> Result:
    """Return what results for one puzzle come to together, those of steps and the totals of parts, in the order of their units.

    Two that cannot both be right are a contradiction, and nothing else is said then.
    """
    known = dict(NOTHING)
    for result in results:
        if (why := contradiction(known, result)) is not None:
            return {**NOTHING, "verdict": CONTRADICTION, "sentences": [why]}
        known |= {key: value for key, value in result.items() if key in NOTHING and value not in (None, [], NOT_DECIDED)}
    return known


def contradiction(one: Result, other: Result) -> str | None:
    """Say why two results cannot both be right; None where they can."""
    verdicts = {one.get("verdict"), other.get("verdict")}
    if {IMPOSSIBLE, SOLVABLE} <= verdicts:
        return "there is a solution, and a proof that there is none"
    for key in COUNTS:
        a, b = one.get(key), other.get(key)
        if a is not None and b is not None and a != b:
            return f"{key} is {a:,} and {b:,}"
    for known, verdict in ((one, other.get("verdict")), (other, one.get("verdict"))):
        number = known.get("all")
        if number is not None and verdict == (IMPOSSIBLE if number else SOLVABLE):
            return f"all is {number:,}, and the puzzle is {verdict}"
    return None
