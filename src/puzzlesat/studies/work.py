"""The workers of a run: processes of this machine, any executor of ``concurrent.futures``, or a Dask cluster through its own client.

A worker answers one unit at a time, and has no influence on other units. Everyone who can reach a Dask scheduler can run code on its
workers and read their messages; Dask's documentation tells how to protect it.

A part of a count that should exceed its limit gets the answer "too long" early, by the estimates of D. E. Knuth ("Estimating the efficiency
of backtrack programs", Mathematics of Computation 29, 1975). A second answer comes from another family of solvers if possible.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from random import Random
from threading import Lock
from typing import Any, Protocol

import numpy as np

from puzzlesat.base import (
    VERSION,
    Child,
    ChildPool,
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
from puzzlesat.counting import AUTO, Counts, Judgement, Plan, count, hold
from puzzlesat.designing import Effort, decide
from puzzlesat.puzzles import BuiltInstance, CoverProblem, ExpectTable
from puzzlesat.solvers import LISTING, SOLVERS, TALLY, as_told, family, solver
from puzzlesat.studies.cover_parts import Part, make_part, split, weight_of
from puzzlesat.studies.units import COUNTS, Answer, Claim, Count, Loaded, Place, Unit, forget_loaded, loaded

SCHEDULER_SECONDS = 10
"""Timeout of a connection to a Dask scheduler."""
CELLS = "backtrack:cells"
"""The search with another memory layout of the same problem: the third way to count a part."""
JUDGES = (TALLY, LISTING, "sat")
"""Solvers for the second count of a whole puzzle, in the order in which they are tried; solvers of a family that has answered are not."""
JUDGE_SECONDS = 10.0
"""CPU limit of each judge. If all fail, the first solver repeats its own count."""
OTHER_SHARE, OTHER_SECONDS, LOADING_SECONDS = 0.1, 0.05, 2.0
"""CPU limit of the other family for the second answer to a part: the share of the seconds of the first answer, with the minimum
``OTHER_SECONDS``. For a whole problem, the limit is the seconds of the first answer plus ``LOADING_SECONDS`` to load the solver."""
QUICK_SECONDS = 6.0
"""The tally is not tried on a part that the search finishes within this time."""
PROBE_SECONDS, SILENT_SECONDS = 0.5, 1.0
"""After ``PROBE_SECONDS``, the share that a search has done forecasts its end. A search of a whole problem that reports no share ends
after ``SILENT_SECONDS``."""
MIN_SHARE = 1e-12
"""Lower bound of a share, for estimates."""
DIVES, DIVE_SECONDS, DIVING_SECONDS, ENOUGH = 10, 0.1, 3.0, 0.05
"""Limits of an estimate by random dives into the search tree: the number of dives, the seconds for the search at the end of each, the
seconds for all dives, and the share that the search at the end must reach to end the dive."""
TALLY_LEVELS, TRIAL_SECONDS, TRIAL_SHARE = 3, 2.0, 0.02
"""The tally is tried for ``TRIAL_SECONDS``, or ``TRIAL_SHARE`` of the estimate for the search. If it does not finish, its time is
estimated from a part, at most ``TALLY_LEVELS`` levels further down."""


def answer(text: str) -> str:
    """Answer a unit, both as JSON text, in this process."""
    return answer_to(Unit.model_validate_json(text)).model_dump_json(exclude_defaults=True)


_idle: list[Child] = []
"""The idle child processes of this worker."""
_choosing = Lock()


def answer_in_child(text: str) -> str:
    """Answer a unit in a child process that has not answered it yet. Workers of executors use this to stay responsive themselves."""
    unit = Unit.model_validate_json(text)
    with _choosing:
        living = [child for child in _idle if child.process.poll() is None]
        child = next((child for child in living if (socket.gethostname(), child.process.pid) not in unit.apart), None) or Child()
        _idle[:] = [other for other in living if other is not child]
    found = child.ask(answer_to, unit)
    _idle.append(child)
    return found.model_dump_json(exclude_defaults=True)


def answer_to(unit: Unit) -> Answer:
    """Return the answer to a unit. Errors in its puzzle and exceeded limits become outcomes of the answer."""
    began = Clock(Limits(cpu=True))
    answering = {"proof": _try, "solution": _try, "count": _count, "check": _check}.get(unit.question.find, _count_part)
    limits = Limits(seconds=unit.seconds, stop=Child.told_to_stop, memory=unit.question.memory, cores=1, cpu=True)
    found: dict[str, Any]
    try:
        found = answering(unit, loaded(unit.subject), limits)
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
    if Child.told_to_stop.is_set() and "outcome" in found:
        found["outcome"] = "stopped"
    found = {"outcome": "answered", **found, "sentences": tuple(map(str, found.get("sentences", ())))}
    return Answer(
        version=VERSION, number=unit.number, key=unit.subject.key, question=unit.question.text, prefix=unit.prefix,
        host=socket.gethostname(), process=os.getpid(), cpu=round(max(0.0, began.seconds), 6), **found,
    )  # fmt: skip


# whole puzzles -------------------------------------------------------------------------------------------------------------------


def _try(unit: Unit, subject: Loaded, limits: Limits) -> dict[str, Any]:
    """Search for a solution, or decide whether there is one. Each attempt to find a solution, and each answer, has its own seed."""
    proof, number = unit.question.find == "proof", unit.prefix[0] if unit.prefix else 0
    limits = replace(limits, seed=limits.seed if proof else 1 + number + 1000 * len(unit.answered)).begun()
    trial: Any = decide(subject.built(limits), Effort(limits, keep=True), search=not proof)
    if trial.verdict == "not decided":
        return {"outcome": "not decided", "solver": LISTING}
    none: dict[Count, int] = dict.fromkeys(COUNTS, 0) if trial.verdict == "impossible" else {}
    claim = Claim(verdict=trial.verdict, argument=trial.argument, counts=none)
    found = {"claim": claim, "sentences": trial.sentences, "solution": trial.solution, "certificate": trial.certificate}
    return found | {"solver": trial.argument or LISTING}


def _count(unit: Unit, subject: Loaded, limits: Limits) -> dict[str, Any]:
    """Count all solutions. A second answer comes from another family of solvers if one can count them, else from the first solver."""
    built = subject.built(limits)
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
    """Compare the counts with the expected figures of the instance, as ``puzzlesat check`` does."""
    instance, options = subject.instance, unit.question.check or {}
    if instance.expect == ExpectTable():
        return {"claim": Claim(check="nothing expected"), "report": "{}"}
    own = replace(limits, seconds=options.get("time", limits.seconds), cpu=options.get("cpu", True)).begun()
    solvers = tuple(options.get("solvers", Plan.solvers))
    report = hold(instance, Plan(solvers, budget=options.get("budget"), full=options.get("full", False), limits=own))
    if Child.told_to_stop.is_set():
        return {"outcome": "stopped"}
    result = Judgement(report).checked
    text = json.dumps({"checked": asdict(result), "report": Judgement(report).as_json()}, ensure_ascii=False)
    sure = report.complete and report.agree is not False
    claim = _claim_of(report.counts, check=result.word) if sure else Claim(check=result.word)
    return {"claim": claim, "report": text, "solver": report.counter}


# parts of a count ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Attempt:
    """The result of one solver for a part."""

    status: Status
    found: int = 0
    seconds: float = 0.0
    share: float = 0.0
    """The share of the part that was searched; 0 if the solver does not report it."""
    refusal: NotSupportedError | None = None

    @property
    def complete(self) -> bool:
        """True if the whole part was searched."""
        return self.status == "complete"

    @property
    def too_large(self) -> bool:
        """True if the solver refused the part for its size."""
        return self.refusal is not None and self.refusal.__cause__ is not None

    @property
    def estimate(self) -> float:
        """An estimate of the CPU seconds for the whole part, by the share that was searched."""
        return self.seconds / max(self.share, MIN_SHARE) if self.share else self.seconds


def attempt(
    problem: CoverProblem, part: Part, name: str, limits: Limits, *, most: float | None = None, silent: float | None = None
) -> Attempt:
    """Count the solutions of a part by one solver.

    The count ends early if it should take more than ``most`` seconds, or reports no share of the search within ``silent`` seconds.
    """
    clock = Clock(limits)
    left = make_part(problem, part)
    if left is None:
        return Attempt("complete")
    if not left.size:
        return Attempt("complete", int(left.asks_for_nothing and left.placed_can_be_coloured()) * weight_of(problem, part))
    share = loaded_at = 0.0

    def listen(_: str, counters: Mapping[str, int]) -> None:
        nonlocal share, loaded_at
        loaded_at = loaded_at or clock.seconds
        share = counters.get(Progress.SHARE, 0) / 1e6 or share
        took = clock.seconds - loaded_at
        long = most is not None and took > PROBE_SECONDS and 0 < share * most < took
        if long or (silent is not None and not share and clock.seconds > silent):
            raise EndedError("limit reached")

    total = 0
    for weight, uniform in _by_weight(as_told(name, left), name):
        try:
            outcome = solver(name)(uniform)(None, replace(limits, seconds=clock.left), progress=Progress(listen))
        except NotSupportedError as error:
            return Attempt("limit reached", 0, clock.seconds, refusal=error)
        total += weight * (outcome.found if outcome.weighted is None else outcome.weighted)
        if not outcome.complete:
            return Attempt(outcome.status, 0, clock.seconds, share)
    return Attempt("complete", total * weight_of(problem, part), clock.seconds, share)


def _by_weight(problem: CoverProblem, name: str) -> Iterator[tuple[int, CoverProblem]]:
    """Split a problem by the weight of its solutions, for solvers that do not sum weights themselves.

    Every solution has exactly one option of the tile on which the symmetry was broken. All other options have the weight 1.
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
        """Count the unit, or the part ``part`` of its problem, by one solver."""
        problem = self.problem if reduced else self.subject.problem(self.unit.question.of, reduced=False)
        return attempt(problem, self.unit.prefix if part is None else part, name, replace(self.limits, seconds=seconds), **ends)

    def found(self, name: str, done: Attempt) -> dict[str, Any]:
        """Return a complete count as an answer."""
        return {"claim": Claim(found=done.found, problem=self.subject.fingerprint(self.unit.question.of)), "solver": name}

    def first(self) -> dict[str, Any]:
        """Return the first answer, by the fastest solver; without a hint, estimate first which solver that is."""
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
        return self.tally_or_search(seconds)

    def tally_or_search(self, seconds: float) -> dict[str, Any]:
        """Count by the tally or the search if either is fast enough; else estimate which one needs less time."""
        by_search = self.dives()
        if by_search > QUICK_SECONDS:
            trial = min(seconds, by_search, max(TRIAL_SECONDS, TRIAL_SHARE * by_search))
            if (done := self.by(TALLY, trial)).complete:
                return self.found(TALLY, done)
            by_tally = self.tally_estimate(by_search)
            if by_tally is not None and by_tally < by_search:
                return self.too_long(TALLY, by_tally)
        elif by_search < seconds and (done := self.by(LISTING, seconds, most=seconds)).complete:
            return self.found(LISTING, done)
        return self.too_long(LISTING, by_search)

    def too_long(self, hint: str, estimate: float) -> dict[str, Any]:
        """Return the answer "too long", with the faster solver and its estimate."""
        return {"outcome": "too long", "hint": hint, "estimate": float(f"{min(estimate, 1e15):.3g}"), "solver": hint}

    def dives(self) -> float:
        """Estimate the seconds of a search by random dives into the tree of parts (Knuth, 1975).

        A dive multiplies the time at its end by the numbers of branches on the way; the estimate is the mean of all dives.
        """
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
        """Estimate the seconds of the tally by one part of the unit; None if it finishes none, or is slower than the search."""
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
        """Return a further answer: by another family of solvers if it can count the unit, else by another layout or the same solver."""
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


# workers -------------------------------------------------------------------------------------------------------------------------


class Workers(Protocol):
    """The interface of the coordinator to its workers."""

    def submit(self, text: str, apart: Collection[Place]) -> Future[str] | None:
        """Send a unit to a free worker other than the processes ``apart``; return None if no such worker is free."""

    def free(self) -> int:
        """Return the number of units that can be sent now."""

    def answered(self, future: Future[str], place: Place) -> None:
        """Record which process sent an answer."""

    def give_up(self, future: Future[str]) -> None:
        """End the process that works for a future, if that is possible."""

    def stop(self) -> None:
        """Send the signal to stop to the workers that have units, if that is possible."""

    def end(self) -> None:
        """End all workers at once."""


class Processes:
    """Processes of this machine: ``jobs`` of them, or two if ``jobs`` is 1, since a second answer needs another process."""

    def __init__(self, jobs: int | None = None, *, first: ChildPool | None = None) -> None:
        self._jobs = jobs or Limits().usable_cores
        pools = [first or ChildPool(1), *(ChildPool(1) for _ in range(max(1, self._jobs - 1)))]
        self._places: dict[ChildPool, Place | None] = dict.fromkeys(pools)
        """Pools of one process each, which another process replaces when it ends, and the process that has answered last in each."""
        self._last: dict[Future[str], ChildPool] = {}
        """The last unit of each pool."""
        self._stopped = False
        for pool in pools[:2]:  # these load the program while the coordinator reads its puzzles
            pool.submit(import_module, "puzzlesat.studies.work")

    def submit(self, text: str, apart: Collection[Place]) -> Future[str] | None:
        """Send a unit to a free process, preferably one that has answered before."""
        busy = {pool for future, pool in self._last.items() if not future.done()}
        others = [pool for pool, place in self._places.items() if pool not in busy and place not in apart]
        if not self.free() or not others:
            return None
        pool = min(others, key=lambda pool: self._places[pool] is None)
        future = pool.submit(answer, text)
        self._places[pool] = None  # until it answers: the process may end before
        self._last = {other: own for other, own in self._last.items() if own is not pool} | {future: pool}
        return future

    def free(self) -> int:
        """Return the number of units that can be sent now, so that at most ``jobs`` processes work at a time."""
        return 0 if self._stopped else self._jobs - sum(not future.done() for future in self._last)

    def answered(self, future: Future[str], place: Place) -> None:
        """Record which process sent an answer."""
        if (pool := self._last.get(future)) is not None:
            self._places[pool] = place

    def give_up(self, future: Future[str]) -> None:
        """Kill the process that works for a future."""
        if not future.done():
            pool = self._last.pop(future)
            pool.kill()
            del self._places[pool]
            self._places[ChildPool(1)] = None

    def stop(self) -> None:
        """Send the processes the signal to stop."""
        self._stopped = True
        for pool in self._places:
            pool.stop()

    def end(self) -> None:
        """Kill all processes."""
        for pool in self._places:
            pool.kill()
        for pool in self._places:
            pool.shutdown()


class ExecutorWorkers:
    """Any executor of ``concurrent.futures``, which chooses the process itself. Its owner must shut it down."""

    def __init__(
        self, executor: Executor, slots: int | Callable[[], int] | None = None, *, answering: Callable[[str], str] = answer_in_child
    ) -> None:
        self._executor, self._answering = executor, answering
        self._slots: Callable[[], int] = slots if callable(slots) else lambda: slots or Limits().usable_cores
        self._flying: set[Future[str]] = set()

    def submit(self, text: str, apart: Collection[Place]) -> Future[str] | None:
        """Send a unit to the executor."""
        if not self.free():
            return None
        try:
            future = self.executor_for(apart).submit(self._answering, text)
        except OSError:  # a lost scheduler may return
            return None
        self._flying.add(future)
        return future

    def executor_for(self, apart: Collection[Place]) -> Executor:
        """Return the executor for a unit that the processes ``apart`` have answered."""
        return self._executor

    def free(self) -> int:
        """Return the number of units that can be sent now."""
        self._flying = {future for future in self._flying if not future.done()}
        return self._slots() - len(self._flying)

    def answered(self, future: Future[str], place: Place) -> None:
        """Do nothing: the executor chooses the process."""

    def give_up(self, future: Future[str]) -> None:
        """Cancel a unit, if it has not begun."""
        future.cancel()
        self._flying.discard(future)

    def stop(self) -> None:
        """Cancel the units that have not begun."""
        for future in self._flying:
            future.cancel()

    end = stop


class DaskWorkers(ExecutorWorkers):
    """The workers of a Dask cluster; a second answer comes from another host, if there is one."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._hosts: dict[str, str] = {}
        """The host of each worker, by the worker's address."""
        super().__init__(client.get_executor(pure=False, retries=3), self._threads)

    def _threads(self) -> int:
        try:
            return sum(self._client.ncores().values())
        except Exception:  # the scheduler is gone; the client reconnects by itself
            return 0

    def executor_for(self, apart: Collection[Place]) -> Executor:
        """Return an executor of the workers on other hosts, if there are any; the scheduler may choose other workers if these are gone."""
        hosts = {host for host, _ in apart}
        workers = list(self._client.ncores()) if hosts else []
        if new := [address for address in workers if address not in self._hosts]:
            self._hosts |= self._client.run(socket.gethostname, workers=new, on_error="ignore")
        elsewhere = [address for address in workers if self._hosts.get(address) not in hosts]
        if not elsewhere or len(elsewhere) == len(workers):
            return self._executor
        executor: Executor = self._client.get_executor(pure=False, retries=3, workers=elsewhere, allow_other_workers=True)
        return executor


@contextmanager
def workers(jobs: int | None, dask: str | None, first: ChildPool | None = None) -> Iterator[Workers]:
    """Yield ``jobs`` processes of this machine (None: one for each core), or the workers of the Dask scheduler at the address ``dask``.

    ``first`` is a process that has begun to load the program. Raises PuzzleError if both ``jobs`` and ``dask`` are stated, or if no
    scheduler answers.
    """
    if dask is None:
        yield Processes(jobs, first=first)
        return
    if jobs is not None:
        raise PuzzleError("--jobs is for processes of this machine; with --dask as many are at work as the cluster has")
    try:
        from distributed import Client
    except ImportError:
        raise PuzzleError('--dask needs Dask: pip install "puzzlesat[cluster]"') from None
    try:
        client: Any = Client(dask, timeout=SCHEDULER_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise PuzzleError(f"--dask {dask}: no scheduler answers there ({error}); start one with 'dask scheduler'") from None
    with client:
        yield DaskWorkers(client)
