"""A worker answers one unit, and says nothing about other units.

A part of a count is counted as long as it does not look too long: the estimates are those of D. E. Knuth ("Estimating the efficiency of
backtrack programs", Mathematics of Computation 29, 1975). A second answer comes from another family of solvers, if one manages the unit.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from random import Random
from threading import Lock
from typing import Any

import numpy as np

from puzzlesat.base import (
    SILENT,
    VERSION,
    Child,
    Clock,
    ContradictionError,
    EndedError,
    Limits,
    NoMemoryError,
    NotSupportedError,
    Progress,
    PuzzleError,
    Status,
)
from puzzlesat.counting import AUTO, COUNTING, Counts, Plan, checked, count, hold, report_as_json
from puzzlesat.designing import Effort, decide, search
from puzzlesat.puzzles import BuiltInstance, CoverProblem, ExpectTable
from puzzlesat.solvers import LISTING, SOLVERS, TALLY, as_told, family, solver
from puzzlesat.studies.cover_parts import Part, make_part, split, weight_of
from puzzlesat.studies.units import COUNTS, Answer, Claim, Count, Loaded, Unit, forget_loaded, loaded

CELLS = "backtrack:cells"
"""The search by another layout of the same problem: the third way to count a part."""
JUDGES = (TALLY, LISTING, "sat")
"""The solvers that repeat the count of a whole puzzle: the first that manages it and is of another family."""
JUDGE_SECONDS = 10.0
"""CPU seconds for each of them, before the first solver repeats its own count."""
OTHER_SHARE, OTHER_SECONDS, LOADING_SECONDS = 0.1, 0.05, 2.0
"""Another family gets this share of the seconds of the first answer to a part, and at least so many seconds, to count it too. For a
problem that needs no parts it gets as many seconds as the first answer took, and some more to load its solver."""
QUICK_SECONDS = 6.0
"""A part that the search finishes in this time is not given to the tally."""
PROBE_SECONDS, SILENT_SECONDS = 0.5, 1.0
"""From the first on, the share that a search has done forecasts its end; without a share a search of a root ends after the second."""
LEAST_SHARE = 1e-12
DIVES, DIVE_SECONDS, DIVING_SECONDS, ENOUGH = 10, 0.1, 3.0, 0.05
"""Random ways down the search tree for an estimate: their number, the seconds for each end and for all, and a share that is enough."""
TALLY_LEVELS, TRIAL_SECONDS, TRIAL_SHARE = 3, 2.0, 0.02
"""The tally is tried for so many seconds, or this share of the search's; else on a part, so many levels below at most, for an estimate."""


def answer(text: str) -> str:
    """Answer a unit in JSON, in this process."""
    return answer_to(Unit.model_validate_json(text)).model_dump_json(exclude_defaults=True)


_idle: list[Child] = []
"""The child processes of this worker that have nothing to do."""
_choosing = Lock()


def answer_in_child(text: str) -> str:
    """Answer a unit in a child process of this worker that has not answered it yet, for executors: the worker itself stays responsive."""
    unit = Unit.model_validate_json(text)
    with _choosing:
        _idle[:] = [child for child in _idle if child.process.poll() is None]
        child = next((child for child in _idle if (socket.gethostname(), child.process.pid) not in unit.apart), None) or Child()
        if child in _idle:
            _idle.remove(child)
    found = child.ask(answer_to, unit)
    _idle.append(child)
    return found.model_dump_json(exclude_defaults=True)


def answer_to(unit: Unit) -> Answer:
    """Return the answer to a unit; what is wrong with its puzzle, or takes too much, is in the answer."""
    began = Clock(Limits(cpu=True))
    does = {"proof": _try, "solution": _try, "count": _count, "check": _check}.get(unit.question.find, _count_part)
    limits = Limits(seconds=unit.seconds, stop=Child.told_to_stop, memory=unit.question.memory, cores=1, cpu=True)
    found: dict[str, Any]
    try:
        found = does(unit, loaded(unit.subject), limits)
    except EndedError as ended:
        found = {"outcome": "not decided", "sentences": [ended.words]}
    except ContradictionError as error:
        found = {"claim": Claim(verdict="contradiction"), "sentences": [error]}
    except (PuzzleError, RecursionError, NotSupportedError, OSError) as error:
        found = {"outcome": "failed", "sentences": getattr(error, "problems", [error])}
    except (MemoryError, RuntimeError) as error:
        if not NoMemoryError.is_behind(error):
            raise
        forget_loaded()
        found = {"outcome": "failed", "sentences": ["there was not enough memory"]}
    found = {"outcome": "answered", **found}
    if Child.told_to_stop.is_set() and found["outcome"] != "answered":
        found["outcome"] = "stopped"
    found["sentences"] = tuple(str(said) for said in found.get("sentences", ()))
    return Answer(
        version=VERSION, number=unit.number, key=unit.subject.key, question=unit.question.text, prefix=unit.prefix,
        host=socket.gethostname(), process=os.getpid(), cpu=round(max(0.0, began.seconds), 6), **found,
    )  # fmt: skip


# whole puzzles -------------------------------------------------------------------------------------------------------------------


def _try(unit: Unit, subject: Loaded, limits: Limits) -> dict[str, Any]:
    """Look for a solution, or for the reason why there is none; each attempt at a solution, and each answer to it, has another seed."""
    proof = unit.question.find == "proof"
    if not proof:
        limits = replace(limits, seed=1 + (unit.prefix[0] if unit.prefix else 0) + 1000 * len(unit.answered))
    limits = limits.begun()
    told = limits.heeding(SILENT)
    built = subject.built(told, memory=limits.memory)
    trial: Any = (decide if proof else search)(built, Effort(limits, keep=True), Clock(limits), told)
    if trial.verdict == "not decided":
        return {"outcome": "not decided", "solver": LISTING}
    none: dict[Count, int] = dict.fromkeys(COUNTS, 0) if trial.verdict == "impossible" else {}
    claim = Claim(verdict=trial.verdict, argument=trial.argument, counts=none)
    certificate = None if trial.certificate is None else trial.certificate.data
    found = {"claim": claim, "sentences": trial.sentences, "solution": tuple(trial.solution), "certificate": certificate}
    return found | {"solver": trial.argument or LISTING}


def _count(unit: Unit, subject: Loaded, limits: Limits) -> dict[str, Any]:
    """Count all solutions; a second answer comes from another family of solvers, if one manages it, else from the first one again."""
    built = subject.built(limits.begun().heeding(SILENT), memory=limits.memory)
    if not unit.answered:
        return _counted(built, AUTO, limits)
    families = [family(name) for name in unit.answered]
    for name in JUDGES:
        if name not in families:
            found = _counted(built, name, limits.within(JUDGE_SECONDS))
            if "claim" in found or Child.told_to_stop.is_set():
                return found
    longer = None if limits.seconds is None else 2 * limits.seconds
    return _counted(built, families[0] if families[0] in SOLVERS else AUTO, replace(limits, seconds=longer))


def _counted(built: BuiltInstance, name: str, limits: Limits) -> dict[str, Any]:
    report = count(built, Plan((name,), budget=0, limits=limits.begun()))
    found = {"claim": _claim_of(report.counts)} if report.complete else {"outcome": "too long"}
    return found | {"solver": report.counter}


def _claim_of(counts: Counts, **others: Any) -> Claim:
    figures: dict[Any, int] = {key: value for key in COUNTS if (value := getattr(counts, key)) is not None}
    return Claim(verdict="solvable" if counts.all else "impossible", argument=None if counts.all else "count", counts=figures, **others)


def _check(unit: Unit, subject: Loaded, limits: Limits) -> dict[str, Any]:
    """Compare the counts with what the instance expects, as ``puzzlesat check`` does."""
    instance, how = subject.instance, unit.question.check or {}
    if instance.expect == ExpectTable():
        return {"claim": Claim(check="nothing expected"), "report": "{}"}
    own = replace(limits, seconds=how.get("time", limits.seconds), cpu=how.get("cpu", True)).begun()
    solvers = tuple(how.get("solvers", COUNTING))
    report = hold(instance, Plan(solvers, budget=how.get("budget"), full=how.get("full", False), limits=own))
    if Child.told_to_stop.is_set():
        return {"outcome": "stopped"}
    said = checked(report)
    found = {"checked": asdict(said), "report": report_as_json(report)}
    sure = report.complete and report.agree is not False
    claim = _claim_of(report.counts, check=said.word) if sure else Claim(check=said.word)
    return {"claim": claim, "report": json.dumps(found, ensure_ascii=False), "solver": report.counter}


# parts of a count ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Attempt:
    """What a solver found in a part."""

    status: Status
    found: int = 0
    seconds: float = 0.0
    share: float = 0.0
    """The share of the part that was searched, if the solver tells it."""
    refusal: NotSupportedError | None = None

    @property
    def complete(self) -> bool:
        """Whether everything was searched."""
        return self.status == "complete" and self.refusal is None

    @property
    def too_large(self) -> bool:
        """Whether the solver would count a smaller part."""
        return self.refusal is not None and self.refusal.__cause__ is not None

    @property
    def estimate(self) -> float:
        """The CPU seconds for all of it, as far as the share that was searched tells."""
        return self.seconds / max(self.share, LEAST_SHARE) if self.share else self.seconds


def attempt(
    problem: CoverProblem, part: Part, name: str, limits: Limits, *, most: float | None = None, silent: float | None = None
) -> Attempt:
    """Count the solutions of a part by one solver; end early if it looks as if that took more than ``most`` seconds.

    It also ends early if the solver cannot tell after ``silent`` seconds which share is done.
    """
    clock = Clock(limits)
    left = make_part(problem, part)
    if left is None:
        return Attempt("complete")
    if not left.size:
        return Attempt("complete", int(left.asks_for_nothing and left.placed_can_be_coloured()) * weight_of(problem, part))
    share, loaded_at = 0.0, 0.0

    def listen(_: str, counters: Mapping[str, int]) -> None:
        nonlocal share, loaded_at
        loaded_at = loaded_at or clock.seconds
        share = counters.get(Progress.SHARE, 0) / 1e6 or share
        if most is not None and clock.seconds - loaded_at > PROBE_SECONDS and 0 < share * most < clock.seconds - loaded_at:
            raise EndedError("limit reached")
        if silent is not None and not share and clock.seconds > silent:
            raise EndedError("limit reached")

    total = 0
    for weight, same in _of_one_weight(as_told(name, left), name):
        try:
            outcome = solver(name)(same)(None, replace(limits, seconds=clock.left), progress=Progress(listen))
        except NotSupportedError as error:
            return Attempt("limit reached", 0, clock.seconds, refusal=error)
        total += weight * (outcome.found if outcome.weighted is None else outcome.weighted)
        if not outcome.complete:
            return Attempt(outcome.status, 0, clock.seconds, share)
    return Attempt("complete", total * weight_of(problem, part), clock.seconds, share)


def _of_one_weight(problem: CoverProblem, name: str) -> Iterator[tuple[int, CoverProblem]]:
    """Split a problem by the weight of its solutions, for solvers that do not add weights up.

    Only options of the tile on which the symmetry was broken have another weight than 1, and every solution has exactly one of them.
    """
    weights = problem.weight
    if weights is None or family(name) == LISTING or problem.colouring is not None or (weights == 1).all():
        yield 1, problem
        return
    assert problem.broken_on is not None
    own = np.zeros(problem.size, dtype=bool)
    own[problem.options_of[problem.broken_on]] = True
    for weight in np.unique(weights[own]).tolist():
        yield weight, problem if (weights[own] == weight).all() else problem.select(~own | (weights == weight))


class _PartCount:
    """The count of one part."""

    def __init__(self, unit: Unit, subject: Loaded, limits: Limits) -> None:
        self.unit, self.subject = unit, subject
        self.limits = replace(limits, memory=limits.memory or Limits().free_memory() // Limits().usable_cores)
        self.problem = subject.problem(unit.question.of)

    def by(self, name: str, seconds: float | None, *, part: Part | None = None, reduced: bool = True, **ends: float | None) -> Attempt:
        """Let one solver count."""
        problem = self.problem if reduced else self.subject.problem(self.unit.question.of, reduced=False)
        return attempt(problem, self.unit.prefix if part is None else part, name, replace(self.limits, seconds=seconds), **ends)

    def found(self, name: str, done: Attempt) -> dict[str, Any]:
        """Return a number as an answer."""
        return {"claim": Claim(found=done.found, problem=self.subject.fingerprint(self.unit.question.of)), "solver": name}

    def first(self) -> dict[str, Any]:
        """Count by the solver that is expected to be the fastest, or find out which one that is."""
        seconds = self.limits.seconds
        quick = seconds if self.unit.hint or seconds is None else min(QUICK_SECONDS, seconds)
        if self.unit.hint == TALLY:
            if (done := self.by(TALLY, seconds)).complete:
                return self.found(TALLY, done)
            if seconds is not None and (done.too_large or done.refusal is None):
                return self.too_long(TALLY, 2 * done.seconds)
        silent = None if self.unit.prefix or self.unit.hint else SILENT_SECONDS
        if (done := self.by(LISTING, quick, most=quick, silent=None if seconds is None else silent)).complete:
            return self.found(LISTING, done)
        if done.refusal is not None:
            raise done.refusal
        if self.unit.hint or seconds is None or seconds < QUICK_SECONDS or done.status == "interrupted":  # no time for an estimate
            return self.too_long(LISTING, done.estimate)
        if done.share and 2 * done.estimate < seconds and (done := self.by(LISTING, seconds, most=seconds)).complete:
            return self.found(LISTING, done)
        return self.tally_or_search()

    def tally_or_search(self) -> dict[str, Any]:
        """Count by the tally if that takes a moment; else estimate which solver needs less for all of it."""
        seconds = self.limits.seconds
        by_search = self.dives()
        if by_search > QUICK_SECONDS:
            trial = min(by_search, max(TRIAL_SECONDS, TRIAL_SHARE * by_search))
            if (done := self.by(TALLY, trial if seconds is None else min(trial, seconds))).complete:
                return self.found(TALLY, done)
            by_tally = self.tally_estimate(by_search)
            if by_tally is not None and by_tally < by_search:
                return self.too_long(TALLY, by_tally)
        elif (seconds is None or by_search < seconds) and (done := self.by(LISTING, seconds, most=seconds)).complete:
            return self.found(LISTING, done)
        return self.too_long(LISTING, by_search)

    def too_long(self, hint: str, estimate: float) -> dict[str, Any]:
        """Return the answer that this part should be split."""
        return {"outcome": "too long", "hint": hint, "estimate": float(f"{min(estimate, 1e15):.3g}"), "solver": hint}

    def dives(self) -> float:
        """Estimate the seconds of a search: the mean over random ways down the tree of parts, each weighted with its branches."""
        draw, clock = Random(0), Clock(self.limits)
        total, level, dives = 0.0, 0, 0
        while dives < DIVES and (not dives or clock.seconds < DIVING_SECONDS) and not Child.told_to_stop.is_set():
            part, branches, depth = self.unit.prefix, 1, 0
            while not Child.told_to_stop.is_set():
                parts = split(self.problem, part)
                if depth >= level or not parts:
                    done = self.by(LISTING, DIVE_SECONDS, part=part)
                    if done.complete or done.share > ENOUGH or not parts:
                        total += branches * (done.seconds if done.complete else done.estimate)
                        break
                part, branches, depth = draw.choice(parts), branches * len(parts), depth + 1
            level, dives = max(0, depth - 1), dives + 1
        return total / max(1, dives)

    def tally_estimate(self, by_search: float) -> float | None:
        """Estimate the seconds of the tally from one of its parts; None if it manages none, or none sooner."""
        parts, branches = [self.unit.prefix], 1
        for _ in range(TALLY_LEVELS):
            if not (parts := split(self.problem, parts[len(parts) // 2], by_tiles=True)):
                return None
            branches *= len(parts)
            seconds = min(max(TRIAL_SECONDS, by_search / 300), by_search / branches)
            if (done := self.by(TALLY, seconds, part=parts[len(parts) // 2])).complete:
                return done.seconds * branches
            if done.status == "interrupted" or (done.refusal is not None and not done.too_large):
                return None
        return None

    def again(self) -> dict[str, Any]:
        """Count once more: by another family if one manages it, else in another way."""
        first = family(self.unit.answered[0])
        if len(self.unit.answered) == 1:
            other = LISTING if first == TALLY else TALLY
            took = self.unit.took
            aside = max(OTHER_SECONDS, OTHER_SHARE * took) if self.unit.prefix else took + LOADING_SECONDS
            if (done := self.by(other, aside, most=aside)).complete:
                return self.found(other, done)
        last = LISTING if first != TALLY else TALLY
        for name in (last, LISTING) if len(self.unit.answered) == 1 else (CELLS, last, LISTING):
            if (done := self.by(name, None, reduced=name != CELLS)).complete:
                return self.found(name, done)
            if done.status == "interrupted":
                break
        if done.refusal is not None:
            raise done.refusal
        return {"outcome": "not decided", "solver": last}


def _count_part(unit: Unit, subject: Loaded, limits: Limits) -> dict[str, Any]:
    part = _PartCount(unit, subject, limits)
    return part.again() if unit.answered else part.first()
