"""Parts that were counted are counted again, exactly those: by another solver where one can, and by another way in any case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from random import Random
from typing import Any, Final

from puzzlesat.cover.parts import Part, split
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.errors import PuzzleError
from puzzlesat.runs import attempt
from puzzlesat.runs.attempt import Attempt
from puzzlesat.runs.jobs import AGAIN, AUDIT, Done, Job
from puzzlesat.runs.partwork import Open, Unit, facts_as_json, facts_of, found_in, parts_of, solvers_of
from puzzlesat.runs.problems import WHOLE, kept_problem
from puzzlesat.runs.subjects import Loaded
from puzzlesat.solvers.run import COMPLETE, Clock, Limits
from puzzlesat.solvers.strategy import AUDITS_OF_PARTS, CELLS, JUDGE, SEARCH, TALLY, THIRDS_OF_PARTS

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
    unit = Unit(subject, replace(limits, seconds=None), [])
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


def _sample(unit: Unit, known: Sequence[Open], draw: Random, seconds: float) -> None:
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
                once = attempt.attempt(problem, part, SEARCH, replace(unit.limits, seconds=min(clock.left, SAMPLED_SECONDS)))
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


def _sampled(unit: Unit, problem: CoverProblem, part: Part, once: Attempt, clock: Clock) -> bool:
    """Count a subpart by SAT; tell whether that was in time."""
    by_sat = attempt.attempt(problem, part, JUDGE, replace(unit.limits, seconds=clock.left))
    if by_sat.complete:
        unit.sampled.update({"parts": 1, "found": by_sat.found})
        unit.found[WHOLE] += by_sat.found - once.found
    return by_sat.complete


def _by_way(unit: Unit, known: Sequence[Open], name: str, seconds: float | None, *, reduced: bool = False) -> bool:
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
            tried = attempt.attempt(problem, part, name, replace(unit.limits, seconds=clock.left), most=clock.left)
            unit.work.update(tried.work)
            if tried.complete:
                found += tried.found
            elif last and tried.too_large and (smaller := split(problem, part, by_tiles=True)):
                parts += smaller
            else:
                return False
        done.append((one, Attempt(COMPLETE, found)))
    for one, counted in done:
        unit.finish(one, name, counted)
    return True
