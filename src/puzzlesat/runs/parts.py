"""A count of one puzzle in parts, as a worker does it: parts that take long are parted again, and every part is counted for good once.

The first task is a plan: for each problem of the puzzle (see ``problems``) it finds out who counts it soonest, and where that takes seconds
it is all that there is to do. What is left goes on as tasks with parts for about ``UNIT_SECONDS``, by estimates (D. E. Knuth, "Estimating
the efficiency of backtrack programs", Mathematics of Computation 29, 1975). A task that was wrong about that finishes what it can, and the
rest goes on again; each time that a part is parted its parts have fewer options, so this ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log10
from random import Random
from threading import Event
from typing import Any, Final

from puzzlesat.cover.parts import split
from puzzlesat.errors import PuzzleError
from puzzlesat.runs import attempt
from puzzlesat.runs.attempt import Attempt
from puzzlesat.runs.jobs import AUDIT, FIRST, Done, Job, Task
from puzzlesat.runs.partwork import Open, Unit, facts_as_json, facts_of, found_in, group_of, parts_of, solvers_of
from puzzlesat.runs.problems import WHOLE, kept_problem
from puzzlesat.runs.recount import again
from puzzlesat.runs.subjects import Loaded
from puzzlesat.solvers.machine import all_cores, default_memory
from puzzlesat.solvers.run import LIMIT, MEMORY, STOPPED, Clock, Limits
from puzzlesat.solvers.strategy import SEARCH, TALLY

DO: Final = "parts"
PLAN: Final[Task] = {"do": DO, "plan": True}
"""The first task of a count in parts. With ``most`` nothing follows where all parts would take more CPU seconds by the estimate."""

UNIT_SECONDS = 30.0
"""CPU seconds that a task is made for,"""
LEAST_SECONDS, TASKS = 10.0, 20
"""where all that is left makes so many tasks; else they are made for less, but for so many seconds at least, so that all have work."""
MOST_PARTS = 200
"""So many are made at once of what is handed out; those who get them go on."""
QUICK_SECONDS = 6.0
"""What the backtracker does in that it does at once, without a question whether the tally is faster."""
TRIAL_SECONDS = 2.0
"""What the tally gets to count a problem before it is estimated how long each would take."""
SILENT_SECONDS = 1.0
"""After so many without a share of the whole that is done, the backtracker will not have done all of it at once."""
DIVES, DIVE_SECONDS = 10, 0.1
"""Ways down the search tree for an estimate; each ends at a part that is done in so many seconds, or of which so much is done in these:"""
ENOUGH = 0.05
DIVING_SECONDS = 3.0
"""After so many no further way is gone down."""
LEVELS = 3
"""How often a problem may be parted before the tally manages a part of it, for the tally to be considered."""
FAR_TOO_LONG: Final[Mapping[str, float]] = {TALLY: 1.5, SEARCH: 0.3}
"""So many times as long as a task is made for: what takes longer by its estimate is parted without being tried, for what a solver has done
when time is up is lost. For the backtracker parts cost next to nothing, the tally does the same twice in two."""
LONGEST = 2.0
"""So many times as long as a task is made for may a part alone take a solver that loses what it has done when it is ended."""
HANGS_SECONDS = 600.0
"""CPU seconds that no task takes: by them it is seen that a worker hangs."""
RELUCTANT = 0.1
"""Of the time of a task, what must be left for another part to be begun."""
LOST_SECONDS: Final[Mapping[str, float]] = {TALLY: 10.0, SEARCH: 2.0}
"""What may be lost of a part where somebody stops it, and again when that is done the next time."""


def do(subject: Loaded, job: Job, stop: Event) -> Done:
    """Plan a count, count parts, or count again what is known of some.

    Raises PuzzleError with everything that is wrong with the puzzle, and where there is too little memory.
    """
    memory = job.memory or default_memory() // all_cores()
    limits = Limits(stop=stop, memory=memory, cores=1, cpu=True)
    if job.role != FIRST and job.known is not None:
        return again(subject, job, limits)
    result: dict[str, Any] = {}
    if job.task.get("plan"):
        facts = facts_of(subject)
        result["puzzle"] = facts_as_json(facts)
        waiting = [Open(of) for of in facts.problems]  # that of all solutions last: the others are small
    else:
        solver, share = job.task.get("solver"), _shares(job.task)
        waiting = [Open(of, part, solver, share) for of, part in reversed(parts_of(subject, job.task["parts"]))]
    unit = Unit(subject, replace(limits, seconds=UNIT_SECONDS), waiting)
    _count(unit)
    follow = _follow(unit, job)
    estimate = sum(task["estimate"] for task in follow)
    most = job.task.get("most")
    if most is not None and unit.clock.seconds + estimate > most:
        result["too_large"], follow = round(estimate), []
    complete = unit.begun or not stop.is_set()
    return Done({**result, **found_in(unit)}, follow, complete, solvers_of(unit), dict(unit.work))


def _shares(task: Task) -> float | None:
    """The seconds that each part of a task may take."""
    number = sum(len(group["parts"]) for group in task["parts"])
    return None if task.get("estimate") is None else task["estimate"] / max(1, number)


def _count(unit: Unit) -> None:
    """Count part after part until there is none, time is up, or somebody stops it; what is left is waiting."""
    while unit.waiting and not (unit.begun and _time_is_up(unit)):
        one = unit.waiting.pop()
        if one.solver is None:
            ended = _try_both(unit, one)
        elif one.solver == TALLY:
            ended = _tally(unit, one)
        else:
            ended = _backtrack(unit, one)
        if ended or unit.limits.stop.is_set():
            return


def _time_is_up(unit: Unit) -> bool:
    """Whether to leave what is waiting to another task: it would rather not be done in the time left."""
    least = 0.0 if unit.waiting[-1].estimate is None else unit.estimate(unit.waiting[-1])
    tried = unit.waiting[-1].solver == TALLY or least <= FAR_TOO_LONG[SEARCH] * UNIT_SECONDS  # else it is parted
    return unit.left < RELUCTANT * UNIT_SECONDS or (tried and least > unit.left)  # what is done of it when time is up is lost


def _try_both(unit: Unit, one: Open) -> bool:
    """Find out who counts a problem soonest, and count it where that is in time; tell whether this task is to end."""
    quick = min(QUICK_SECONDS, unit.left)
    for name, seconds, most, silent in ((SEARCH, quick, quick, SILENT_SECONDS), (TALLY, TRIAL_SECONDS, None, None)):
        tried = unit.attempt(one, name, seconds, most=most, silent=silent)
        if tried.complete:
            return False
        if tried.status == STOPPED:  # what was searched for long does not take much longer, or it would have been given up
            long = name == SEARCH and tried.seconds >= LOST_SECONDS[SEARCH]
            return _left_off(unit, replace(one, solver=SEARCH) if long else one, tried)
        if name == SEARCH and (tried.refusal is not None or tried.status == MEMORY):
            return _cannot(unit, one, tried)
    by_search = _by_dives(unit, one)
    by_tally = None if by_search <= QUICK_SECONDS else _by_tally(unit, one, by_search)
    name, estimate = (SEARCH, by_search) if by_tally is None or by_tally > by_search else (TALLY, by_tally)
    if one.of not in unit.finished:
        known = replace(one, solver=name, estimate=estimate)
        if estimate > unit.left:
            unit.for_others += _in_parts(unit, known)
        else:
            unit.waiting.append(known)
        unit.further = True
    return False


def _in_parts(unit: Unit, whole: Open) -> list[Open]:
    """Part a part until each of its parts is for one task, or there are many; the largest first, so that nobody waits long for the last."""
    assert whole.solver is not None
    parts, small = deque([whole]), list[Open]()
    while parts and len(parts) + len(small) < MOST_PARTS:
        one = parts.popleft()
        long = unit.estimate(one) > FAR_TOO_LONG[whole.solver] * UNIT_SECONDS
        smaller = unit.parts(one, one.estimate) if long else []
        parts.extend(smaller)
        small += [] if smaller else [one]
    return sorted([*small, *parts], key=unit.estimate, reverse=True)


def _by_dives(unit: Unit, one: Open) -> float:
    """Estimate the seconds that the backtracker takes for a part: the mean over random ways down the tree of parts.

    A part at the end of a way stands for as many as there were branches on it (Knuth 1975); the mean is right whatever the tree. What is
    above the level at which the way before this one nearly ended is not tried.
    """
    problem = kept_problem(unit.subject.kept, unit.subject.built(), one.of)
    draw, clock = Random(0), Clock(unit.limits)
    total, level, dives = 0.0, 0, 0
    while dives < DIVES and (not dives or clock.seconds < DIVING_SECONDS) and not unit.limits.stop.is_set():
        part, branches, depth = one.part, 1, 0
        while not unit.limits.stop.is_set():
            parts = split(problem, part)
            if depth >= level or not parts:
                done = attempt.attempt(problem, part, SEARCH, replace(unit.limits, seconds=DIVE_SECONDS))
                if done.complete or done.share > ENOUGH or not parts:
                    total += branches * (done.seconds if done.complete else done.estimate or done.seconds)
                    break
            part, branches, depth = draw.choice(parts), branches * len(parts), depth + 1
        level, dives = max(0, depth - 1), dives + 1
    return total / max(1, dives)


def _by_tally(unit: Unit, one: Open, by_search: float) -> float | None:
    """Estimate the seconds that the tally takes for a part, from one of its parts that it manages; None where it does not, or not sooner.

    Where it manages the whole part, that is counted.
    """
    problem = kept_problem(unit.subject.kept, unit.subject.built(), one.of)
    parts, branches = [one.part], 1
    for _ in range(LEVELS):
        sample = replace(one, part=parts[len(parts) // 2])
        limits = replace(unit.limits, seconds=min(max(TRIAL_SECONDS, by_search / 300), UNIT_SECONDS, by_search / branches))
        done = attempt.attempt(problem, sample.part, TALLY, limits)
        if done.complete:
            if sample.part == one.part:
                unit.finish(one, TALLY, done)
            return done.seconds * branches
        if done.status == STOPPED or (done.refusal is not None and not done.too_large):
            return None
        if not (parts := split(problem, sample.part, by_tiles=True)):
            return None
        branches *= len(parts)
    return None


def _tally(unit: Unit, one: Open) -> bool:
    """Count a part by the tally; what is too large for it, or takes far longer than a task is made for, is parted."""
    if unit.estimate(one) > FAR_TOO_LONG[TALLY] * UNIT_SECONDS and unit.part(one, one.estimate):
        return False
    alone = not unit.begun
    done = unit.attempt(one, TALLY, LONGEST * UNIT_SECONDS if alone else unit.left)
    if done.complete:
        return False
    if done.refusal is not None and not done.too_large:
        unit.waiting.append(replace(one, solver=SEARCH))
        return False
    if done.status == STOPPED:
        return _left_off(unit, one, done)
    if not (alone or done.too_large):
        unit.waiting.append(one)
        return True
    if not unit.part(one, max(one.estimate or 0.0, LONGEST * UNIT_SECONDS)):
        unit.waiting.append(replace(one, solver=SEARCH))
    return False


def _backtrack(unit: Unit, one: Open) -> bool:
    """Count a part by the backtracker; what looks too long is parted at once."""
    known = one.estimate is not None
    if known and unit.estimate(one) > FAR_TOO_LONG[SEARCH] * UNIT_SECONDS and unit.part(one, one.estimate):
        return False
    left = unit.left
    done = unit.attempt(one, SEARCH, left, most=left)
    if done.complete:
        return False
    if done.status != LIMIT or done.refusal is not None:
        return _cannot(unit, one, done)
    if not unit.part(one, max(done.estimate or 0.0, done.seconds)):
        unit.attempt(one, SEARCH, None)  # there is nothing in it to be parted
    return False


def _cannot(unit: Unit, one: Open, tried: Attempt) -> bool:
    """End a task that was stopped; raise what else keeps the last solver that could from counting."""
    if tried.refusal is not None:
        raise tried.refusal
    if tried.status == MEMORY:
        raise PuzzleError("there is too little memory for a count in parts; allow more with --memory, or run fewer jobs")
    return _left_off(unit, one, tried)


def _left_off(unit: Unit, one: Open, tried: Attempt) -> bool:
    """Leave a part that was stopped to whoever goes on: in parts where much was lost with it, so that not as much is lost again."""
    much = one.solver is not None and tried.seconds >= LOST_SECONDS[one.solver]
    if not (much and unit.part(one, max(tried.estimate or 0.0, tried.seconds))):
        unit.waiting.append(one)
    return True


def _follow(unit: Unit, job: Job) -> list[Task]:
    """The tasks that go on with what is waiting.

    A task that is to be audited, and has counted no part of all solutions, has one that goes on with a single part audited in its stead.
    """
    waiting = [*reversed(unit.waiting), *unit.for_others]
    whole = [one for one in waiting if one.of == WHOLE]
    audited = []
    if job.task.get(AUDIT) and whole and WHOLE not in unit.finished:
        audited = [Random(job.unit).choice(whole)]
        waiting.remove(audited[0])
    memory = {} if job.memory is None else {"memory": job.memory}
    return [
        {
            "do": DO,
            "parts": [group_of(unit.subject, bundle[0].of, [one.part for one in bundle])],
            **({} if bundle[0].solver is None else {"solver": bundle[0].solver}),
            **_said_of(sum(map(unit.estimate, bundle))),
            "seconds": HANGS_SECONDS,
            **({AUDIT: True} if bundle is audited else {}),
            **memory,
        }
        for bundle in [*([audited] if audited else []), *_bundles(unit, waiting)]
    ]


def _bundles(unit: Unit, waiting: Sequence[Open]) -> list[list[Open]]:
    """Parts that go to a task together: of one problem, for one solver."""
    most = min(UNIT_SECONDS, max(LEAST_SECONDS, sum(map(unit.estimate, waiting)) / TASKS))
    bundles: list[list[Open]] = []
    for one in waiting:
        last = bundles[-1] if bundles else [one]
        alike = (one.of, one.solver) == (last[0].of, last[0].solver)
        if bundles and alike and sum(map(unit.estimate, [*last, one])) <= most:
            last.append(one)
        else:
            bundles.append([one])
    return bundles


def _said_of(estimate: float) -> dict[str, Any]:
    """An estimate, and by its size the kind of the task: those that take long are not to be handed out together with short ones."""
    return {"estimate": float(f"{estimate:.3g}"), "step": f"about 1e{round(log10(max(estimate, 1e-3)))} s"}
