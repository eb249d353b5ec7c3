"""The workers of a run: processes of this machine, any executor of ``concurrent.futures``, or a Dask cluster through its own client.

A worker answers one unit at a time, and has no influence on other units. Everyone who can reach a Dask scheduler can run code on its
workers and read their messages; Dask's documentation tells how to protect it.

A part of a count that should exceed its limit gets the answer "too long" early, by the estimates of D. E. Knuth ("Estimating the efficiency
of backtrack programs", Mathematics of Computation 29, 1975). A second answer comes from another family of solvers if possible.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from random import Random
from threading import Lock
from typing import Any

import numpy as np

from puzzlesat.base import Child, Clock, ContradictionError, EndedError, Limits, NoMemoryError, NotSupportedError, Progress, PuzzleError
from puzzlesat.counting import AUTO, Counts, Judgement, Plan, count, hold
from puzzlesat.designing import Effort, decide
from puzzlesat.puzzles import CoverProblem, ExpectTable
from puzzlesat.solvers import LISTING, TALLY, as_told, family, solver
from puzzlesat.studies.cover_parts import Part, make_part, split, weight_of
from puzzlesat.studies.settle import CELLS
from puzzlesat.studies.units import COUNTS, Answer, Claim, Count, Loaded, Place, Unit, loaded

SCHEDULER_SECONDS = 10
"""Timeout of a connection to a Dask scheduler."""
QUICK_SECONDS = 6.0
"""The tally is not tried on a part that the search finishes within this time."""
PROBE_SECONDS = 0.5
"""After this time, the share that a search has done forecasts its end."""
MIN_SHARE = 1e-12
"""Lower bound of a share, for estimates."""
DIVES, DIVE_SECONDS, DIVING_SECONDS, ENOUGH = 10, 0.1, 3.0, 0.05
"""Limits of an estimate by random dives into the search tree: the number of dives, the seconds for the search at the end of each, the
seconds for all dives, and the share that the search at the end must reach to end the dive."""
TALLY_LEVELS, TRIAL_SECONDS, TRIAL_SHARE = 3, 2.0, 0.02
"""The tally is tried for ``TRIAL_SECONDS``, or ``TRIAL_SHARE`` of the estimate for the search. If it does not finish, its time is
estimated from a part, at most ``TALLY_LEVELS`` levels further down."""


_idle: list[Child] = []
"""The idle child processes of this worker."""
_choosing = Lock()


def answer_in_child(text: str) -> str:
    """Answer a unit in a child process that has not answered it yet. Workers of executors use this to stay responsive themselves."""
    unit = Unit.model_validate_json(text)
    with _choosing:
        living = [child for child in _idle if child.process.poll() is None]
        child = next((child for child in living if _place(child) not in unit.apart), None) or Child()
        _idle[:] = [other for other in living if other is not child]
    answer = _answer_by(child, unit)
    _idle.append(child)
    return answer


def _answer_by(child: Child, unit: Unit) -> str:
    """Return the answer of a child to a unit as JSON text. The child does not state its host and process itself."""
    host, process = _place(child)
    return child.ask(answer_to, unit).model_copy(update={"host": host, "process": process}).model_dump_json(exclude_defaults=True)


def _place(child: Child) -> Place:
    return socket.gethostname(), child.process.pid


def answer_to(unit: Unit) -> Answer:
    """Return the answer to a unit. Errors in its puzzle and exceeded limits become outcomes of the answer."""
    began = Clock(Limits(cpu=True))
    answering = {"proof": _try, "solution": _try, "count": _count, "check": _check}.get(unit.question.find, _count_part)
    limits = Limits(seconds=unit.seconds, stop=Child.told_to_stop, memory=unit.question.memory, cores=1, cpu=True)
    fields: dict[str, Any]
    try:
        fields = answering(unit, loaded(unit.subject), limits)
    except EndedError as ended:
        fields = {"outcome": "not decided", "sentences": [ended.words]}
    except ContradictionError as error:
        fields = {"claim": Claim(verdict="contradiction"), "sentences": [error]}
    except (PuzzleError, RecursionError, OSError) as error:
        fields = {"outcome": "failed", "sentences": getattr(error, "problems", [error])}
    except (MemoryError, RuntimeError) as error:
        if not NoMemoryError.is_behind(error):
            raise
        loaded.cache_clear()
        fields = {"outcome": "failed", "sentences": ["there was not enough memory"]}
    if Child.told_to_stop.is_set() and "outcome" in fields:
        fields["outcome"] = "stopped"
    fields = {"outcome": "answered", "solver": unit.solver or "", **fields, "sentences": tuple(map(str, fields.get("sentences", ())))}
    return Answer.to(unit, cpu=round(max(0.0, began.seconds), 6), **fields)


# whole puzzles -------------------------------------------------------------------------------------------------------------------


def _try(unit: Unit, subject: Loaded, limits: Limits) -> dict[str, Any]:
    """Search for a solution, or decide whether there is one. Each attempt to find a solution, and each answer, has its own seed."""
    proof, number = unit.question.find == "proof", unit.prefix[0] if unit.prefix else 0
    limits = replace(limits, seed=limits.seed if proof else 1 + number + 1000 * unit.answers).begun()
    trial: Any = decide(subject.built(limits), Effort(limits, keep=True), search=not proof)
    if trial.verdict == "not decided":
        return {"outcome": "not decided", "solver": LISTING}
    none: dict[Count, int] = dict.fromkeys(COUNTS, 0) if trial.verdict == "impossible" else {}
    claim = Claim(verdict=trial.verdict, argument=trial.argument, counts=none)
    fields = {"claim": claim, "sentences": trial.sentences, "solution": trial.solution, "certificate": trial.certificate}
    return fields | {"solver": trial.argument or LISTING}


def _count(unit: Unit, subject: Loaded, limits: Limits) -> dict[str, Any]:
    """Count all solutions by the solver that the coordinator asks for, or by the fastest one."""
    built = subject.built(limits)
    report = count(built, Plan((unit.solver or AUTO,), budget=0, limits=limits.begun()))
    fields = {"claim": _claim_of(report.counts)} if report.complete else {"outcome": "too long"}
    return fields | {"solver": unit.solver or report.counter}


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

    status: str
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


def attempt(problem: CoverProblem, part: Part, name: str, limits: Limits, *, most: float | None = None) -> Attempt:
    """Count the solutions of a part by one solver. The count ends early if it should take more than ``most`` seconds."""
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
        if most is not None and took > PROBE_SECONDS and 0 < share * most < took:
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

    Every solution has exactly one option of the item on which the symmetry was broken. All other options have the weight 1.
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

    def by(self, name: str, seconds: float | None, *, part: Part | None = None, reduced: bool = True, most: float | None = None) -> Attempt:
        """Count the unit, or the part ``part`` of its problem, by one solver."""
        problem = self.problem if reduced else self.subject.problem(self.unit.question.of, reduced=False)
        return attempt(problem, self.unit.prefix if part is None else part, name, replace(self.limits, seconds=seconds), most=most)

    def found(self, name: str, done: Attempt) -> dict[str, Any]:
        """Return a complete count as an answer."""
        return {"claim": Claim(found=done.found, problem=self.problem.fingerprint), "solver": name}

    def asked(self, name: str, seconds: float | None) -> dict[str, Any]:
        """Count by one solver. If it refuses the part, the search is the solver for the parts of the part."""
        if (done := self.by(name, seconds, most=seconds if name == LISTING else None, reduced=name != CELLS)).complete:
            return self.found(name, done)
        if done.refusal is not None and name == LISTING:
            raise done.refusal
        tally = name == TALLY and (done.refusal is None or done.too_large)
        return self.too_long(TALLY if tally else LISTING, done.estimate if name == LISTING else 2 * done.seconds)

    def fastest(self, seconds: float | None) -> dict[str, Any]:
        """Count by the fastest solver, or estimate which one it is."""
        if seconds is None or seconds < QUICK_SECONDS:  # no time for an estimate
            return self.asked(LISTING, seconds)
        done = self.by(LISTING, QUICK_SECONDS, most=QUICK_SECONDS)
        if not done.complete and done.share and 2 * done.estimate < seconds:
            done = self.by(LISTING, seconds, most=seconds)
        if done.refusal is not None:
            raise done.refusal
        return self.found(LISTING, done) if done.complete else self.tally_or_search(seconds)

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
        solver = self.unit.solver or hint
        return {"outcome": "too long", "hint": hint, "estimate": float(f"{min(estimate, 1e15):.3g}"), "solver": solver}

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


def _count_part(unit: Unit, subject: Loaded, limits: Limits) -> dict[str, Any]:
    """Count by the solver that the coordinator asks for. Without one, find out which solver is the fastest."""
    part = _PartCount(unit, subject, limits)
    return part.fastest(limits.seconds) if unit.solver is None else part.asked(unit.solver, limits.seconds)


# workers -------------------------------------------------------------------------------------------------------------------------


class ExecutorWorkers:
    """Any executor of ``concurrent.futures``, which chooses the process itself. Its owner must shut it down."""

    def __init__(self, executor: Executor, slots: int | None = None, *, answering: Callable[[str], str] = answer_in_child) -> None:
        self._executor, self._answering, self._slots = executor, answering, slots or Limits().usable_cores
        self._flying: dict[Future[Any], Child | None] = {}
        """The units at work, and the process that answers each, if it is known."""

    def submit(self, unit: Unit) -> Future[str] | None:
        """Send a unit to a free worker other than the processes ``unit.apart``; return None if no such worker is free."""
        if not self.free():
            return None
        try:
            future = self.executor_for(unit.apart).submit(self._answering, unit.model_dump_json(exclude_defaults=True))
        except OSError:  # a lost scheduler may return
            return None
        self._flying[future] = None
        return future

    def executor_for(self, apart: Collection[Place]) -> Executor:
        """Return the executor for a unit that the processes ``apart`` have answered."""
        return self._executor

    def slots(self) -> int:
        """Return the number of units that can be at work at the same time."""
        return self._slots

    def free(self) -> int:
        """Return the number of units that can be sent now."""
        self._flying = {future: child for future, child in self._flying.items() if not future.done()}
        return max(0, self.slots() - len(self._flying))

    def give_up(self, future: Future[str]) -> None:
        """End the work for a future, if that is possible."""
        future.cancel()
        self._flying.pop(future, None)

    def stop(self) -> None:
        """Stop the work for all futures early, if that is possible."""
        for future in self._flying:
            future.cancel()

    def end(self) -> None:
        """End all work at once."""
        self.stop()


class Processes(ExecutorWorkers):
    """Processes of this machine: ``jobs`` of them, or two if ``jobs`` is 1, since a second answer needs another process."""

    def __init__(self, jobs: int | None = None) -> None:
        jobs = jobs or Limits().usable_cores
        self._most = max(2, jobs)
        self._threads = ThreadPoolExecutor(self._most)
        super().__init__(self._threads, jobs)
        self._children = [Child(), Child()]
        for child in self._children:  # they load the program while the coordinator reads its puzzles
            self._flying[self._threads.submit(child.ask, import_module, __name__)] = child

    def submit(self, unit: Unit) -> Future[str] | None:
        """Send a unit to a free process that has not answered it."""
        if not self.free():
            return None
        self._children = [child for child in self._children if child.process.poll() is None]
        others = [child for child in self._children if child not in self._flying.values() and _place(child) not in unit.apart]
        if not others and len(self._children) < self._most:
            self._children += (others := [Child()])
        if not others:
            return None
        future = self._threads.submit(_answer_by, others[0], unit)
        self._flying[future] = others[0]
        return future

    def give_up(self, future: Future[str]) -> None:
        """Kill the process that works for a future."""
        if (child := self._flying.pop(future, None)) is not None and not future.done():
            child.kill()
            self._children = [other for other in self._children if other is not child]

    def stop(self) -> None:
        """Send the processes the signal to stop."""
        for child in self._children:
            child.stop()

    def end(self) -> None:
        """Kill all processes."""
        for child in self._children:
            child.kill()
        self._threads.shutdown(cancel_futures=True)
        for child in self._children:
            child.end()


class DaskWorkers(ExecutorWorkers):
    """The workers of a Dask cluster; a second answer comes from another host, if there is one."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._hosts: dict[str, str] = {}
        """The host of each worker, by the worker's address."""
        super().__init__(client.get_executor(pure=False, retries=3))

    def slots(self) -> int:
        """Return the number of threads of all workers."""
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
def workers(jobs: int | None, dask: str | None) -> Iterator[ExecutorWorkers]:
    """Yield ``jobs`` processes of this machine (None: one for each core), or the workers of the Dask scheduler at the address ``dask``.

    Raises PuzzleError if both ``jobs`` and ``dask`` are stated, or if no scheduler answers.
    """
    if dask is None:
        yield Processes(jobs)
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
