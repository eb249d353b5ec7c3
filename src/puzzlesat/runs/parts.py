"""A count of one puzzle in parts, as a worker does it: parts that take long are parted again, and every part is counted for good once.

The first task is a plan: for each problem of the puzzle (see ``problems``) it tries who counts it soonest, and where that takes seconds it
is all that there is to do. What is left goes on as tasks with parts of about ``UNIT_SECONDS``, by the estimate that the share of the search
tree gives (D. E. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29, 1975). A task that was wrong about
that finishes what it can, and the rest goes on again; each time that a part is parted its parts have fewer options, so this ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from puzzlesat.cover.parts import WHOLE as ROOT
from puzzlesat.cover.parts import Part, split
from puzzlesat.errors import PuzzleError
from puzzlesat.runs.attempt import Attempt, attempt
from puzzlesat.runs.jobs import AUDIT, FIRST, Done, Job, Task
from puzzlesat.runs.problems import Facts, kept_problem, make_facts
from puzzlesat.solvers.machine import all_cores, default_memory
from puzzlesat.solvers.run import LIMIT, MEMORY, STOPPED, Clock, Limits

if TYPE_CHECKING:
    from puzzlesat.runs.subjects import Loaded

DO: Final = "parts"
PLAN: Final[Task] = {"do": DO, "plan": True}
"""The first task of a count in parts. ``seconds``: nothing follows where all parts would take more CPU seconds by the estimate."""
TALLY, BACKTRACK, CELLS = "tally", "backtrack", "backtrack:cells"

UNIT_SECONDS = 30.0
"""CPU seconds that a task is made for."""
QUICK_SECONDS = 20.0
"""What the backtracker does in that is not tried by the tally."""
TRIAL_SECONDS = 1.0
"""What the backtracker gets to say how long it will take."""
TALLY_SHARE = 0.02
"""Of a tally that must be done before it says how long it will take."""
TALLY_FASTER = 10
"""So many times as long as the tally has tried must the backtracker take, by its estimate, to leave a problem to the tally's shards."""
FAR_TOO_LONG = 4
"""So many times as long as there is time: what takes longer by its estimate is parted without being tried."""
RELUCTANT = 0.1
"""Of the time of a task, what must be left for another part to be begun."""
AUDIT_SECONDS = 30.0
"""What another solver gets to count a unit again, unless it is the last that could."""
AUDITS: Final[Mapping[str, Sequence[str]]] = {TALLY: (BACKTRACK, "sat", TALLY), BACKTRACK: (TALLY, CELLS)}
"""Who counts again what one has counted: the first that manages it in time; the last has all the time there is."""
THIRDS: Final[Mapping[str, Sequence[str]]] = {TALLY: ("sat", CELLS, TALLY), BACKTRACK: ("sat", CELLS)}
"""Who settles which of two answers is right."""


@dataclass(frozen=True)
class _Open:
    """A part that is to be counted."""

    of: str
    """The problem whose part it is."""
    part: Part = ROOT
    solver: str | None = None
    """None: it is tried who counts it soonest."""
    estimate: float | None = None
    """CPU seconds that it may take."""


@dataclass
class _Unit:
    """A task as it is done: what is left, the next part last, and what was found."""

    subject: Loaded
    limits: Limits
    """Of this task; ``seconds`` are those that it is made for."""
    waiting: list[_Open]
    finished: dict[str, list[Part]] = field(default_factory=dict)
    found: Counter[str] = field(default_factory=Counter)
    work: Counter[str] = field(default_factory=Counter)
    solvers: dict[str, None] = field(default_factory=dict)
    parted: bool = False
    """Whether some part was parted."""

    def __post_init__(self) -> None:
        self.clock = Clock(self.limits)

    @property
    def left(self) -> float:
        """Seconds left."""
        left = self.clock.left
        assert left is not None
        return left

    @property
    def begun(self) -> bool:
        """Whether anything was done, so that the task may end."""
        return bool(self.finished) or self.parted

    def attempt(self, one: _Open, name: str, seconds: float | None, most: float | None = None) -> Attempt:
        """Count a part within some seconds (None: as many as it takes); where all of it was gone through, it is finished."""
        built = self.subject.built()
        limits = replace(self.limits, seconds=seconds)
        done = attempt(kept_problem(self.subject.kept, built, one.of), one.part, name, limits, most)
        self.work.update(done.work)
        if done.complete:
            self.finish(one, name, done)
        return done

    def finish(self, one: _Open, name: str, done: Attempt) -> None:
        self.finished.setdefault(one.of, []).append(one.part)
        self.found[one.of] += done.found
        self.solvers[name] = None

    def part(self, one: _Open, estimate: float | None) -> bool:
        """Put the parts of a part in its place; tell whether there are any."""
        problem = kept_problem(self.subject.kept, self.subject.built(), one.of)
        parts = split(problem, one.part, by_tiles=one.solver == TALLY)
        each = None if estimate is None else estimate / max(1, len(parts))
        self.waiting += [replace(one, part=part, estimate=each) for part in reversed(parts)]
        self.parted = self.parted or bool(parts)
        return bool(parts)

    def result(self) -> list[dict[str, Any]]:
        """What was found, in JSON."""
        return [{"of": of, "parts": [[*part] for part in parts], "found": self.found[of]} for of, parts in self.finished.items()]


def do(subject: Loaded, job: Job, stop: Event) -> Done:
    """Plan a count, count parts, or count again what is known of some.

    Raises PuzzleError with everything that is wrong with the puzzle, and where there is too little memory.
    """
    memory = job.memory or default_memory() // all_cores()
    limits = Limits(stop=stop, memory=memory, cores=1, cpu=True)
    if job.role != FIRST and job.known is not None:
        return _again(subject, job, limits)
    result: dict[str, Any] = {}
    if job.task.get("plan"):
        facts = _facts(subject)
        result["puzzle"] = _facts_as_json(facts)
        waiting = [_Open(of) for of in reversed(facts.problems)]
    else:
        solver, share = job.task.get("solver"), _shares(job.task)
        waiting = [
            _Open(group["of"], tuple(part), solver, share)
            for group in reversed(job.task["parts"]) for part in reversed(group["parts"])
        ]  # fmt: skip
    unit = _Unit(subject, replace(limits, seconds=UNIT_SECONDS), waiting)
    _count(unit)
    follow = _follow(unit, job)
    estimate = sum(task["estimate"] for task in follow)
    if job.task.get("plan") and job.seconds is not None and unit.clock.seconds + estimate > job.seconds:
        result["too_large"], follow = round(estimate), []
    result |= {"parts": unit.result(), "by": ", ".join(unit.solvers)}
    complete = unit.begun or not stop.is_set()
    return Done(result, follow, complete, result["by"], dict(unit.work))


def _facts(subject: Loaded) -> Facts:
    if "facts" not in subject.kept:
        subject.kept["facts"] = make_facts(subject.built())
    facts = subject.kept["facts"]
    assert isinstance(facts, Facts)
    return facts


def _facts_as_json(facts: Facts) -> dict[str, Any]:
    return {"problem_of": facts.problem_of, "copies": facts.copies, "turns": facts.turns}


def _shares(task: Task) -> float | None:
    """The seconds that each part of a task may take."""
    number = sum(len(group["parts"]) for group in task["parts"])
    return None if task.get("estimate") is None else task["estimate"] / max(1, number)


def _count(unit: _Unit) -> None:
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


def _time_is_up(unit: _Unit) -> bool:
    """Whether to leave what is waiting to another task: it would rather not be done in the time left."""
    least = unit.waiting[-1].estimate or 0.0
    slow = unit.waiting[-1].solver == TALLY  # what it has done when time is up is lost
    return unit.left < RELUCTANT * UNIT_SECONDS or (slow and least > unit.left)


def _try_both(unit: _Unit, one: _Open) -> bool:
    """Find out who counts a part soonest, and count it where that is in time; tell whether this task is to end."""
    tried = unit.attempt(one, BACKTRACK, TRIAL_SECONDS)
    if tried.complete:
        return False
    if tried.status in (STOPPED, MEMORY) or tried.refusal is not None:
        return _cannot(unit, one, tried)
    by_search = max(tried.estimate or 0.0, 1 / max(tried.share, 1e-9) * TRIAL_SECONDS)
    if by_search > QUICK_SECONDS:
        tally = unit.attempt(one, TALLY, max(unit.left, TRIAL_SECONDS))
        if tally.complete:
            return False
        if tally.status == STOPPED:
            unit.waiting.append(one)
            return True
        known = tally.estimate if tally.share >= TALLY_SHARE else None
        if (known or TALLY_FASTER * max(tally.seconds, TRIAL_SECONDS)) < by_search and (tally.refusal is None or tally.too_large):
            return not unit.part(replace(one, solver=TALLY), known)
    unit.waiting.append(replace(one, solver=BACKTRACK, estimate=by_search))
    return False


def _tally(unit: _Unit, one: _Open) -> bool:
    """Count a part by the tally; what is too large for it, or takes all the time there is for a task, is parted."""
    whole_time = not unit.begun
    done = unit.attempt(one, TALLY, unit.left)
    if done.complete:
        return False
    if done.refusal is not None and not done.too_large:
        unit.waiting.append(replace(one, solver=BACKTRACK))
        return False
    if done.status == STOPPED or not (whole_time or done.too_large):
        unit.waiting.append(replace(one, estimate=done.estimate or UNIT_SECONDS))
        return True
    # its parts are tried anew: small ones the backtracker may do sooner
    if not unit.part(replace(one, solver=None if whole_time and not done.too_large else TALLY), done.estimate):
        unit.waiting.append(replace(one, solver=BACKTRACK))
    return False


def _backtrack(unit: _Unit, one: _Open) -> bool:
    """Count a part by the backtracker; what looks too long is parted at once."""
    left = unit.left
    if one.estimate is not None and one.estimate > FAR_TOO_LONG * max(left, RELUCTANT * UNIT_SECONDS) and unit.part(one, one.estimate):
        return False
    done = unit.attempt(one, BACKTRACK, left, most=left)
    if done.complete:
        return False
    if done.status != LIMIT or done.refusal is not None:
        return _cannot(unit, one, done)
    if not unit.part(one, max(done.estimate or 0.0, done.seconds)):
        unit.attempt(one, BACKTRACK, None)  # there is nothing in it to be parted
    return False


def _cannot(unit: _Unit, one: _Open, tried: Attempt) -> bool:
    """End a task that was stopped; raise what else keeps the last solver that could from counting."""
    if tried.refusal is not None:
        raise tried.refusal
    if tried.status == MEMORY:
        raise PuzzleError("there is too little memory for a count in parts; allow more with --memory, or run fewer jobs")
    unit.waiting.append(one)
    return True


def _follow(unit: _Unit, job: Job) -> list[Task]:
    """The tasks that go on with what is waiting, each with parts of one problem for one solver."""
    bundles: list[list[_Open]] = []
    for one in reversed(unit.waiting):
        last = bundles[-1] if bundles else [one]
        alike = (one.of, one.solver) == (last[0].of, last[0].solver)
        if bundles and alike and sum(map(_estimate, [*last, one])) <= UNIT_SECONDS:
            last.append(one)
        else:
            bundles.append([one])
    memory = {} if job.memory is None else {"memory": job.memory}
    return [
        {
            "do": DO,
            "parts": [{"of": bundle[0].of, "parts": [[*one.part] for one in bundle]}],
            **({} if bundle[0].solver is None else {"solver": bundle[0].solver}),
            "estimate": float(f"{sum(map(_estimate, bundle)):.3g}"),
            **memory,
        }
        for bundle in bundles
    ]


def _estimate(one: _Open) -> float:
    return UNIT_SECONDS if one.estimate is None else one.estimate


# the same by another way -------------------------------------------------------------------------------------------------------


def _again(subject: Loaded, job: Job, limits: Limits) -> Done:
    """Count again exactly what is known, by another solver where one can, and without what has made the problem smaller."""
    assert job.known is not None
    known = [_Open(group["of"], tuple(part)) for group in job.known["parts"] for part in group["parts"]]
    by = str(job.known.get("by", BACKTRACK)).split(",")[0]
    ways = (AUDITS if job.role == AUDIT else THIRDS).get(by, (TALLY, CELLS))
    for name in ways:
        unit = _Unit(subject, limits if name == ways[-1] else replace(limits, seconds=AUDIT_SECONDS), known)
        if _all_again(unit, name, apart=name == by):
            result = {key: _facts_as_json(_facts(subject)) for key in ("puzzle",) if key in job.known}
            result |= {key: job.known[key] for key in ("too_large",) if key in job.known}
            return Done({**result, "parts": unit.result(), "by": name}, solver=name, work=dict(unit.work))
        if limits.stop.is_set():
            return Done({"parts": []}, complete=False)
    raise PuzzleError(f"no other solver can count this unit again ({', '.join(ways)})")


def _all_again(unit: _Unit, name: str, *, apart: bool) -> bool:
    """Count all that is waiting by one solver; tell whether it could. ``apart``: each in parts, for it is the solver that counted it."""
    built = unit.subject.built()
    for one in unit.waiting:
        problem = kept_problem(unit.subject.kept, built, one.of, reduced=False)
        parts = (split(problem, one.part) or [one.part]) if apart else [one.part]
        found = 0
        for part in parts:
            done = attempt(problem, part, name, replace(unit.limits, seconds=unit.clock.left), unit.clock.left)
            unit.work.update(done.work)
            if not done.complete:
                return False
            found += done.found
        unit.finish(one, name, replace(done, found=found))
    return True
