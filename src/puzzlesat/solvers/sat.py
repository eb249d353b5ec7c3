"""Counting by SAT: the formula of ``cnf``, a solver of python-sat, and a clause against each solution found."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event, Thread
from typing import Any

import numpy as np

from puzzlesat.cover.problem import CoverProblem
from puzzlesat.errors import PuzzleError, near_match
from puzzlesat.solvers.cnf import encode
from puzzlesat.solvers.run import COMPLETE, STOPPED, Clock, Limits, OnProgress, OnSolutions, Outcome

NAME = "sat"
DEFAULT_ENGINE = "glucose4"
DEFAULT_ENCODING = "pairwise"
POLL_SECONDS = 0.05


def solve(
    problem: CoverProblem,
    on_solutions: OnSolutions,
    limits: Limits,
    given: Sequence[int] = (),
    progress: OnProgress | None = None,
    *,
    engine: str = DEFAULT_ENGINE,
    encoding: str = DEFAULT_ENCODING,
) -> Outcome:
    """Find all solutions that contain the options ``given``, one by one, each blocked by a clause over the placements.

    ``engine`` is any solver of python-sat. CaDiCaL and Lingeling cannot be interrupted: limits are looked at between solutions.
    """
    clock = Clock(limits)
    cnf = encode(problem, encoding, given)
    found = 0
    status: str | None = None
    with open_engine(engine) as solver:
        if not _add(solver, cnf.clauses):
            status = COMPLETE
        while status is None:
            answer = _ask(solver, clock)
            if answer is None:
                status = clock.verdict(found) or STOPPED
                break
            if not answer:
                status = COMPLETE
                break
            chosen = _chosen(solver.get_model(), problem.size)
            found += 1
            on_solutions(np.array([chosen], dtype=np.int32).reshape(1, -1))
            if progress is not None:
                progress({"solutions": found})
            blocked = [-(o + 1) for o in chosen]
            if not problem.antichain:
                blocked += [o + 1 for o in sorted(set(range(problem.size)) - set(chosen))]
            if not blocked or not _add(solver, [blocked]):
                status = COMPLETE
            else:
                status = clock.verdict(found)
        work = {key: int(value) for key, value in (solver.accum_stats() or {}).items()}
    return Outcome(NAME, found, status, clock.seconds, {"variables": cnf.variables, "clauses": len(cnf.clauses), **work})


def open_engine(name: str) -> Any:
    """Return a fresh solver of python-sat by name. Raises PuzzleError for an unknown name."""
    from pysat.solvers import Solver, SolverNames

    known = {alias for aliases in vars(SolverNames).values() if isinstance(aliases, tuple) for alias in aliases}
    if name not in known:
        raise PuzzleError(f"python-sat has no solver {name!r}{near_match(name, known)}")
    return Solver(name=name)


def _add(solver: Any, clauses: Sequence[Sequence[int]]) -> bool:
    """Add clauses; False where one is empty and the formula has no model. (python-sat ignores empty clauses.)"""
    for clause in clauses:
        if not clause:
            return False
        solver.add_clause(list(clause))
    return True


def _ask(solver: Any, clock: Clock) -> bool | None:
    """Solve; None where it was interrupted. A thread watches the limits while the engine works."""
    interruptible = not solver.solver.__class__.__name__.lower().startswith(("cadical", "lingeling", "mergesat"))
    if not interruptible:
        return bool(solver.solve())
    done = Event()

    def watch() -> None:
        while not done.wait(POLL_SECONDS):
            if clock.verdict(-1) is not None:
                solver.interrupt()
                return

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        answer: bool | None = solver.solve_limited(expect_interrupt=True)
    finally:
        done.set()
        watcher.join()
        solver.clear_interrupt()
    return answer


def _chosen(model: list[int], options: int) -> list[int]:
    """The options that are true in a model."""
    return [v - 1 for v in model[:options] if v > 0]
