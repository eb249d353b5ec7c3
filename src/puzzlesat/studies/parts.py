"""A count of one puzzle in parts, as a worker does it: parts that take long are parted again, and every part is counted for good once.

The first task is a plan: for each problem of the puzzle (see ``problems``) it finds out who counts it soonest, and where that takes seconds
it is all that there is to do. What is left goes on as tasks with parts for about ``UNIT_SECONDS``, by estimates (D. E. Knuth, "Estimating
the efficiency of backtrack programs", Mathematics of Computation 29, 1975). A task that was wrong about that finishes what it can, and the
rest goes on again; each time that a part is parted its parts have fewer options, so this ends.

One part of a cover problem, counted by one solver as long as that does not look too long.

Parts of a puzzle's count in the hands of a worker: those that wait, those that are finished, and what of it goes into the store.

Parts that were counted are counted again, exactly those: by another solver where one can, and by another way in any case.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, log10
from random import Random
from threading import Event
from typing import Any, Final

import numpy as np

from puzzlesat.base import (
    SHARE,
    Clock,
    EndedError,
    Limits,
    NotSupportedError,
    Progress,
    PuzzleError,
    Status,
    all_cores,
)
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers import TALLY, as_told, family, solver
from puzzlesat.studies.cover_parts import ROOT, Part, make_part, split, weight_of
from puzzlesat.studies.units import (
    AGAIN,
    AUDIT,
    FIRST,
    JUDGE,
    SEARCH,
    WHOLE,
    Done,
    Facts,
    Job,
    Loaded,
    Task,
    kept_fingerprint,
    kept_problem,
    make_facts,
)

CELLS = "backtrack:cells"
"""The search by another layout of the same problem."""
AUDITS_OF_PARTS = {TALLY: (SEARCH, JUDGE, TALLY), SEARCH: (TALLY, SEARCH)}
"""The solvers that repeat the count of a solver: the first that manages it in time. The last has all the time there is, and counts in
parts."""
THIRDS_OF_PARTS = {TALLY: (CELLS, TALLY), SEARCH: (CELLS,)}
"""The solvers that decide between two results: if possible, another than those that gave them."""

LEAST_SHARE = 1e-12
PROBE_SECONDS = 0.5
"""CPU seconds after which the share that is done says how long all of it takes."""


@dataclass(frozen=True)
class Attempt:
    """What came of it."""

    status: Status
    found: int = 0
    """Solutions, each with its weight; they are those of the part only where all of it was gone through."""
    seconds: float = 0.0
    share: float = 0.0
    """What part of it was done, where the solver says so."""
    work: Mapping[str, int] = field(default_factory=dict)
    refusal: NotSupportedError | None = None
    """Why the solver does not do it."""

    @property
    def complete(self) -> bool:
        """Whether all of it was gone through."""
        return self.status == "complete" and self.refusal is None

    @property
    def too_large(self) -> bool:
        """Whether the solver would do a smaller one."""
        return self.refusal is not None and self.refusal.__cause__ is not None

    @property
    def estimate(self) -> float | None:
        """The seconds that all of it would take, if the share is right; None where nothing is known of it."""
        return self.seconds / max(self.share, LEAST_SHARE) if self.share > 0 else None


def attempt(
    problem: CoverProblem, part: Part, name: str, limits: Limits, *, most: float | None = None, silent: float | None = None
) -> Attempt:
    """Count the solutions of a part; end early where it looks as if it took more than ``most`` seconds.

    So it does where the solver cannot say after ``silent`` seconds how much of it is done.
    """
    clock = Clock(limits)
    left = make_part(problem, part)
    if left is None:
        return Attempt("complete")
    if not left.size:
        found = int(left.asks_for_nothing and left.placed_can_be_coloured())
        return Attempt("complete", found * weight_of(problem, part))
    share = 0.0

    def listen(_: str, counters: Mapping[str, int]) -> None:
        nonlocal share
        share = counters.get(SHARE, 0) / 1e6 or share
        if most is not None and clock.seconds > PROBE_SECONDS and 0 < share * most < clock.seconds:
            raise EndedError("limit reached")
        if silent is not None and not share and clock.seconds > silent:
            raise EndedError("limit reached")

    total, work = 0, dict[str, int]()
    status: Status = "complete"
    for weight, same in _of_one_weight(as_told(name, left), name):
        try:
            outcome = solver(name)(same)(None, replace(limits, seconds=clock.left), progress=Progress(listen))
        except NotSupportedError as error:
            return Attempt("limit reached", 0, clock.seconds, 0.0, work, error)
        total += weight * (outcome.found if outcome.weighted is None else outcome.weighted)
        work = {key: work.get(key, 0) + outcome.work.get(key, 0) for key in {**work, **outcome.work} if key != SHARE}
        status = outcome.status
        if not outcome.complete:
            break
    return Attempt(status, total * weight_of(problem, part), clock.seconds, share, work)


def _of_one_weight(problem: CoverProblem, name: str) -> Iterator[tuple[int, CoverProblem]]:
    """A problem parted so that its solutions weigh the same, with what they weigh: the backtracker alone adds up weights by itself.

    So does whoever looks at the solutions that a solver lists, for their colouring.

    Only the options of the tile on which the symmetry was broken weigh anything, and every solution has exactly one of them.
    """
    weights = problem.weight
    if weights is None or family(name) == SEARCH or problem.colouring is not None or (weights == 1).all():
        yield 1, problem
        return
    assert problem.broken_on is not None
    own = np.zeros(problem.size, dtype=bool)
    own[problem.options_of[problem.broken_on]] = True
    assert problem.low[problem.broken_on] == problem.high[problem.broken_on] == 1
    for weight in np.unique(weights[own]).tolist():
        yield weight, problem if (weights[own] == weight).all() else problem.select(~own | (weights == weight))


@dataclass(frozen=True)
class Open:
    """A part that is to be counted."""

    of: str
    """The problem whose part it is."""
    part: Part = ROOT
    solver: str | None = None
    """None: it is tried who counts it soonest."""
    estimate: float | None = None
    """CPU seconds that it may take."""


@dataclass
class CountUnit:
    """A task as it is done: what is left, the next part last, and what was found."""

    subject: Loaded
    limits: Limits
    """Of this task; ``seconds`` are those that it is made for."""
    waiting: list[Open]
    finished: dict[str, list[Part]] = field(default_factory=dict)
    found: Counter[str] = field(default_factory=Counter)
    work: Counter[str] = field(default_factory=Counter)
    by: dict[str, str] = field(default_factory=dict)
    """For each problem, who counted parts of it."""
    sampled: Counter[str] = field(default_factory=Counter)
    """Solutions in the subparts of the whole that SAT counted as well, how many subparts that are, and of about how many."""
    for_others: list[Open] = field(default_factory=list)
    """Parts of what takes longer than this task has time for: others begin with them at once."""
    further: bool = False
    """Whether more is known of how to do what is waiting than before: a part was parted, or a solver chosen."""
    expected: float = 0.0
    """Seconds that the parts that are finished should have taken, by their estimates,"""
    took: float = 0.0
    """and those that they did take."""

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
        return bool(self.finished) or self.further

    def attempt(self, one: Open, name: str, seconds: float | None, *, most: float | None = None, silent: float | None = None) -> Attempt:
        """Count a part within some seconds (None: as many as it takes); where all of it was gone through, it is finished."""
        built = self.subject.built()
        limits = replace(self.limits, seconds=seconds)
        done = attempt(kept_problem(self.subject.kept, built, one.of), one.part, name, limits, most=most, silent=silent)
        self.work.update(done.work)
        if done.complete:
            self.finish(one, name, done)
        return done

    def finish(self, one: Open, name: str, done: Attempt) -> None:
        """Note what one solver found in a part."""
        self.finished.setdefault(one.of, []).append(one.part)
        self.found[one.of] += done.found
        self.by[one.of] = name
        if one.estimate is not None:
            self.expected += one.estimate
            self.took += done.seconds

    def estimate(self, one: Open) -> float:
        """Return what a part may take: as much more or less than was thought as those before it."""
        if one.estimate is None:
            assert self.limits.seconds is not None
            return self.limits.seconds
        return one.estimate * (self.took / self.expected if self.expected else 1.0)

    def parts(self, one: Open, estimate: float | None) -> list[Open]:
        """Return the parts of a part, each with its share of an estimate; none where there are no smaller ones."""
        problem = kept_problem(self.subject.kept, self.subject.built(), one.of)
        parts = split(problem, one.part, by_tiles=one.solver == TALLY)
        each = None if estimate is None else estimate / max(1, len(parts))
        return [replace(one, part=part, estimate=each) for part in parts]

    def part(self, one: Open, estimate: float | None) -> bool:
        """Put the parts of a part in its place; tell whether there are any."""
        parts = self.parts(one, estimate)
        self.waiting += reversed(parts)
        self.further = self.further or bool(parts)
        return bool(parts)

    def result(self) -> list[dict[str, Any]]:
        """What was found, in JSON."""
        return [{**group_of(self.subject, of, parts), "found": self.found[of]} for of, parts in self.finished.items()]


def found_in(unit: CountUnit) -> dict[str, Any]:
    """What was found, and by whom."""
    return {"parts": unit.result(), "by": unit.by}


def solvers_of(unit: CountUnit) -> str:
    """Who counted, the one who counted all solutions first."""
    return ", ".join(dict.fromkeys(unit.by[of] for of in sorted(unit.by, key=lambda of: of != WHOLE)))


def group_of(subject: Loaded, of: str, parts: Sequence[Part]) -> dict[str, Any]:
    """Parts of one problem in JSON, with what stands for that: its options may have other numbers some day."""
    return {"of": of, "problem": kept_fingerprint(subject.kept, subject.built(), of), "parts": [[*part] for part in parts]}


def parts_of(subject: Loaded, groups: Sequence[Mapping[str, Any]]) -> list[tuple[str, Part]]:
    """The parts in JSON, each with the problem that it is of. Raises PuzzleError where that is another one here."""
    for group in groups:
        if group["problem"] != kept_fingerprint(subject.kept, subject.built(), group["of"]):
            raise PuzzleError("the parts were made from other placements than there are here: by another version; begin a new store")
    return [(group["of"], tuple(part)) for group in groups for part in group["parts"]]


def facts_of(subject: Loaded) -> Facts:
    """Return what the counts of a puzzle follow from."""
    if "facts" not in subject.kept:
        subject.kept["facts"] = make_facts(subject.built())
    facts = subject.kept["facts"]
    assert isinstance(facts, Facts)
    return facts


def facts_as_json(facts: Facts) -> dict[str, Any]:
    """Return the same in JSON."""
    return {"problem_of": [[*pair] for pair in facts.problem_of.items()], "copies": facts.copies, "turns": facts.turns}


AUDIT_SECONDS: Final[Mapping[str, float]] = {TALLY: 3.0, SEARCH: 10.0, CELLS: 10.0, JUDGE: 10.0}
"""What another solver gets to count a unit again, unless it is the last that could. The tally is quick, or it was no use to begin with."""
FEW_SOLUTIONS = 3000
"""So many at most are listed again by SAT."""
SAMPLES, SAMPLE_SECONDS, SAMPLE_NODES = 50, 3.0, 1000
"""Subparts, drawn by the number of the unit, that SAT counts of what the backtracker counts again: so many, each with no more nodes, in so
many CPU seconds."""
SAMPLED_SECONDS = 0.02
"""What the backtracker gets for such a subpart."""
ASIDE, LEAST_ASIDE = 0.1, 0.2
"""What only samples a unit, or counts it perhaps in vain, gets so much of the seconds that the unit should take, and so many at least."""


def again(subject: Loaded, job: Job, limits: Limits) -> Done:
    """Count again exactly what is known, by another solver where one can, and without what has made the problem smaller."""
    assert job.known is not None
    unit = CountUnit(subject, replace(limits, seconds=None), [])
    aside = max(LEAST_ASIDE, ASIDE * job.task.get("estimate", inf))
    for group in job.known["parts"]:
        by = job.known["by"][group["of"]].split(":")[0]
        known = [Open(of, part) for of, part in parts_of(subject, [group])]
        if job.role == AGAIN:
            if not _by_way(unit, known, by, None, reduced=True):
                return Done({"parts": []}, complete=False)
            continue
        every = (AUDITS_OF_PARTS if job.role == AUDIT else THIRDS_OF_PARTS)[by]
        ways = [name for name in every if name != JUDGE or group["found"] <= FEW_SOLUTIONS]
        if not any(_by_way(unit, known, name, None if name == ways[-1] else min(AUDIT_SECONDS[name], aside)) for name in ways):
            if limits.stop.is_set():
                return Done({"parts": []}, complete=False)
            raise PuzzleError(f"no solver can count this unit again ({', '.join(ways)}); allow more memory")
        if unit.by[group["of"]] == by == SEARCH and group["of"] == WHOLE:
            _sample(unit, known, Random(job.unit), min(SAMPLE_SECONDS, aside))
    result: dict[str, Any] = {"puzzle": facts_as_json(facts_of(subject))} if "puzzle" in job.known else {}
    result |= {key: job.known[key] for key in ("too_large",) if key in job.known}
    if unit.sampled["parts"]:
        result["sampled"] = dict(unit.sampled)
    return Done({**result, **found_in(unit)}, solver=solvers_of(unit), work=dict(unit.work))


def _sample(unit: CountUnit, known: Sequence[Open], draw: Random, seconds: float) -> None:
    """Let SAT count subparts of what the backtracker has counted twice: by how much it finds more there, that is found here as well.

    A subpart is the end of a random way down the tree of parts, small enough for SAT. Both count it as the puzzle has it, without the
    placements being left out that lead nowhere.
    """
    problem = kept_problem(unit.subject.kept, unit.subject.built(), WHOLE, reduced=False)
    clock = Clock(replace(unit.limits, seconds=seconds))
    seen: set[Part] = set()
    level, there, ways = 0, 0, 0
    for _ in range(SAMPLES):
        part, branches, depth = draw.choice(known).part, len(known), 0
        while clock.left and not unit.limits.stop.is_set():
            if depth >= level:
                once = attempt(problem, part, SEARCH, replace(unit.limits, seconds=min(clock.left, SAMPLED_SECONDS)))
                if once.complete and once.work.get("nodes", 0) <= SAMPLE_NODES:
                    if part not in seen and _sampled(unit, problem, part, once, clock):
                        seen.add(part)
                    there, ways = there + branches, ways + 1
                    break
            if not (parts := split(problem, part)):
                break
            part, branches, depth = draw.choice(parts), branches * len(parts), depth + 1
        level = max(0, depth - 1)
    if seen:
        unit.sampled["of"] = max(len(seen), int(float(f"{there / ways:.2g}")))


def _sampled(unit: CountUnit, problem: CoverProblem, part: Part, once: Attempt, clock: Clock) -> bool:
    """Count a subpart by SAT; tell whether that was in time."""
    by_sat = attempt(problem, part, JUDGE, replace(unit.limits, seconds=clock.left))
    if by_sat.complete:
        unit.sampled.update({"parts": 1, "found": by_sat.found})
        unit.found[WHOLE] += by_sat.found - once.found
    return by_sat.complete


def _by_way(unit: CountUnit, known: Sequence[Open], name: str, seconds: float | None, *, reduced: bool = False) -> bool:
    """Count parts again by one solver; tell whether it could.

    The last, who has all the time there is (None), counts each in parts, for it may be the one that counted them.
    With ``reduced`` as it was counted at first: in one piece, without the placements that lead nowhere.
    """
    last = seconds is None
    clock = Clock(replace(unit.limits, seconds=seconds))
    done: list[tuple[Open, Attempt]] = []
    for one in known:
        problem = kept_problem(unit.subject.kept, unit.subject.built(), one.of, reduced=reduced)
        parts = (split(problem, one.part, by_tiles=name == TALLY) or [one.part]) if last and not reduced else [one.part]
        found = 0
        while parts:
            part = parts.pop()
            tried = attempt(problem, part, name, replace(unit.limits, seconds=clock.left), most=clock.left)
            unit.work.update(tried.work)
            if tried.complete:
                found += tried.found
            elif last and tried.too_large and (smaller := split(problem, part, by_tiles=True)):
                parts += smaller
            else:
                return False
        done.append((one, Attempt("complete", found)))
    for one, counted in done:
        unit.finish(one, name, counted)
    return True


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
    memory = job.memory or Limits().free_memory() // all_cores()
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
    unit = CountUnit(subject, replace(limits, seconds=UNIT_SECONDS), waiting)
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


def _count(unit: CountUnit) -> None:
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


def _time_is_up(unit: CountUnit) -> bool:
    """Whether to leave what is waiting to another task: it would rather not be done in the time left."""
    least = 0.0 if unit.waiting[-1].estimate is None else unit.estimate(unit.waiting[-1])
    tried = unit.waiting[-1].solver == TALLY or least <= FAR_TOO_LONG[SEARCH] * UNIT_SECONDS  # else it is parted
    return unit.left < RELUCTANT * UNIT_SECONDS or (tried and least > unit.left)  # what is done of it when time is up is lost


def _try_both(unit: CountUnit, one: Open) -> bool:
    """Find out who counts a problem soonest, and count it where that is in time; tell whether this task is to end."""
    quick = min(QUICK_SECONDS, unit.left)
    for name, seconds, most, silent in ((SEARCH, quick, quick, SILENT_SECONDS), (TALLY, TRIAL_SECONDS, None, None)):
        tried = unit.attempt(one, name, seconds, most=most, silent=silent)
        if tried.complete:
            return False
        if tried.status == "interrupted":  # what was searched for long does not take much longer, or it would have been given up
            long = name == SEARCH and tried.seconds >= LOST_SECONDS[SEARCH]
            return _left_off(unit, replace(one, solver=SEARCH) if long else one, tried)
        if name == SEARCH and (tried.refusal is not None or tried.status == "out of memory"):
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


def _in_parts(unit: CountUnit, whole: Open) -> list[Open]:
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


def _by_dives(unit: CountUnit, one: Open) -> float:
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
                done = attempt(problem, part, SEARCH, replace(unit.limits, seconds=DIVE_SECONDS))
                if done.complete or done.share > ENOUGH or not parts:
                    total += branches * (done.seconds if done.complete else done.estimate or done.seconds)
                    break
            part, branches, depth = draw.choice(parts), branches * len(parts), depth + 1
        level, dives = max(0, depth - 1), dives + 1
    return total / max(1, dives)


def _by_tally(unit: CountUnit, one: Open, by_search: float) -> float | None:
    """Estimate the seconds that the tally takes for a part, from one of its parts that it manages; None where it does not, or not sooner.

    Where it manages the whole part, that is counted.
    """
    problem = kept_problem(unit.subject.kept, unit.subject.built(), one.of)
    parts, branches = [one.part], 1
    for _ in range(LEVELS):
        sample = replace(one, part=parts[len(parts) // 2])
        limits = replace(unit.limits, seconds=min(max(TRIAL_SECONDS, by_search / 300), UNIT_SECONDS, by_search / branches))
        done = attempt(problem, sample.part, TALLY, limits)
        if done.complete:
            if sample.part == one.part:
                unit.finish(one, TALLY, done)
            return done.seconds * branches
        if done.status == "interrupted" or (done.refusal is not None and not done.too_large):
            return None
        if not (parts := split(problem, sample.part, by_tiles=True)):
            return None
        branches *= len(parts)
    return None


def _tally(unit: CountUnit, one: Open) -> bool:
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
    if done.status == "interrupted":
        return _left_off(unit, one, done)
    if not (alone or done.too_large):
        unit.waiting.append(one)
        return True
    if not unit.part(one, max(one.estimate or 0.0, LONGEST * UNIT_SECONDS)):
        unit.waiting.append(replace(one, solver=SEARCH))
    return False


def _backtrack(unit: CountUnit, one: Open) -> bool:
    """Count a part by the backtracker; what looks too long is parted at once."""
    known = one.estimate is not None
    if known and unit.estimate(one) > FAR_TOO_LONG[SEARCH] * UNIT_SECONDS and unit.part(one, one.estimate):
        return False
    left = unit.left
    done = unit.attempt(one, SEARCH, left, most=left)
    if done.complete:
        return False
    if done.status != "limit reached" or done.refusal is not None:
        return _cannot(unit, one, done)
    if not unit.part(one, max(done.estimate or 0.0, done.seconds)):
        unit.attempt(one, SEARCH, None)  # there is nothing in it to be parted
    return False


def _cannot(unit: CountUnit, one: Open, tried: Attempt) -> bool:
    """End a task that was stopped; raise what else keeps the last solver that could from counting."""
    if tried.refusal is not None:
        raise tried.refusal
    if tried.status == "out of memory":
        raise PuzzleError("there is too little memory for a count in parts; allow more with --memory, or run fewer jobs")
    return _left_off(unit, one, tried)


def _left_off(unit: CountUnit, one: Open, tried: Attempt) -> bool:
    """Leave a part that was stopped to whoever goes on: in parts where much was lost with it, so that not as much is lost again."""
    much = one.solver is not None and tried.seconds >= LOST_SECONDS[one.solver]
    if not (much and unit.part(one, max(tried.estimate or 0.0, tried.seconds))):
        unit.waiting.append(one)
    return True


def _follow(unit: CountUnit, job: Job) -> list[Task]:
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


def _bundles(unit: CountUnit, waiting: Sequence[Open]) -> list[list[Open]]:
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
