"""Counting by SAT: the formula of ``cnf``, a solver of python-sat, and a clause against each solution found."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from threading import Event, Thread
from typing import Any

import numpy as np

from puzzlesat.cover.problem import CoverProblem
from puzzlesat.errors import PuzzleError, near_match
from puzzlesat.solvers.cnf import encode
from puzzlesat.solvers.run import COMPLETE, STOPPED, Clock, Limits, OnProgress, OnSolutions, Outcome

NAME = "sat"
DEFAULT_ENGINE = "glucose4"
DEFAULT_ENCODING = "mixed"
POLL_SECONDS = 0.05
CANNOT_BE_INTERRUPTED = ("cadical", "lingeling", "mergesat")


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
    """Find all solutions that contain the options ``given``; see ``Formula.solve``."""
    clock = Clock(limits)
    with Formula(problem, engine, encoding) as formula:
        return formula.solve(on_solutions, limits, given, progress, clock)


class Formula:
    """A problem loaded into a solver of python-sat, to be asked for several sets of given options: what it learns is kept.

    ``engine`` is any solver of python-sat. CaDiCaL, Lingeling and MergeSat cannot be interrupted: with them limits are looked at between
    solutions only. Raises PuzzleError for an unknown engine.
    """

    def __init__(self, problem: CoverProblem, engine: str = DEFAULT_ENGINE, encoding: str = DEFAULT_ENCODING) -> None:
        self.problem = problem
        self.interruptible = not engine_family(engine).startswith(CANNOT_BE_INTERRUPTED)
        self.cnf = encode(problem, encoding)
        self.solver = open_engine(engine)
        self.solver.append_formula(self.cnf.clauses)
        self.before: dict[str, int] = {}
        self.usable = True

    def __enter__(self) -> Formula:
        return self

    def __exit__(self, *_: object) -> None:
        if self.usable:
            self.solver.delete()

    def solve(
        self,
        on_solutions: OnSolutions,
        limits: Limits,
        given: Sequence[int] = (),
        progress: OnProgress | None = None,
        clock: Clock | None = None,
    ) -> Outcome:
        """Find all solutions that contain the options ``given``, one by one, each blocked by a clause over the placements.

        The clauses hold under an assumption made for this call only, so that the next one finds the same solutions again.
        """
        clock = clock or Clock(limits)
        active = self.cnf.new()
        assumptions = [active, *(o + 1 for o in given)]
        found = 0
        # python-sat ignores empty clauses
        status: str | None = None if all(self.cnf.clauses) else COMPLETE
        while status is None:
            answer = self._ask(assumptions, clock)
            if answer is None:
                status = clock.verdict(found) or STOPPED
            elif not answer:
                status = COMPLETE
            else:
                chosen = [v - 1 for v in self.solver.get_model()[: self.problem.size] if v > 0]
                found += 1
                on_solutions(np.array([chosen], dtype=np.int32).reshape(1, -1))
                self._block(chosen, active)
                status = clock.verdict(found)
            if progress is not None:
                progress({"solutions": found})
        if not self.usable:
            return Outcome(NAME, found, status, clock.seconds, {})
        self.solver.add_clause([-active])
        return Outcome(NAME, found, status, clock.seconds, self._work())

    def _block(self, chosen: list[int], active: int) -> None:
        """Forbid a solution: its placements together, or, where a solution can be part of another, exactly this choice."""
        clause = [-active, *(-(o + 1) for o in chosen)]
        if not self.problem.antichain:
            clause += [o + 1 for o in sorted(set(range(self.problem.size)) - set(chosen))]
        self.solver.add_clause(clause)

    def _ask(self, assumptions: list[int], clock: Clock) -> bool | None:
        """Solve; None where it was interrupted. A thread watches the limits while the engine works."""
        if not self.interruptible:
            try:
                return bool(self.solver.solve(assumptions=assumptions))
            except Exception as error:  # python-sat's answer to Ctrl-C in these engines, which are of no use afterwards
                if "interrupt" not in str(error):
                    raise
                clock.limits.stop.set()
                self.usable = False
                return None
        done = Event()

        def watch() -> None:
            while not done.wait(POLL_SECONDS):
                if clock.verdict(-1) is not None:
                    self.solver.interrupt()
                    return

        watcher = Thread(target=watch, daemon=True)
        watcher.start()
        try:
            answer: bool | None = self.solver.solve_limited(assumptions=assumptions, expect_interrupt=True)
        finally:
            done.set()
            watcher.join()
            self.solver.clear_interrupt()
        return answer

    def _work(self) -> dict[str, int]:
        """The engine's work since the last call, and the size of the formula."""
        total = {key: int(value) for key, value in (self.solver.accum_stats() or {}).items()}
        since = {key: value - self.before.get(key, 0) for key, value in total.items()}
        self.before = total
        return since


def open_engine(name: str) -> Any:
    """Return a fresh solver of python-sat by name. Raises PuzzleError for one that there is not, or that cannot be used."""
    from pysat.solvers import Solver

    family = engine_family(name)
    if family.startswith("kissat"):
        raise PuzzleError("kissat takes no assumptions and cannot go on after a solution; name another solver of python-sat")
    if family.startswith("crypto") and find_spec("pycryptosat") is None:
        raise PuzzleError("cryptominisat5 needs the package pycryptosat; install it or name another solver of python-sat")
    return Solver(name=name)


def engine_family(name: str) -> str:
    """Return python-sat's own name for a solver given by any of its aliases. Raises PuzzleError for an unknown one."""
    from pysat.solvers import SolverNames

    families: dict[str, str] = {
        alias: family for family, aliases in vars(SolverNames).items() if isinstance(aliases, tuple) for alias in aliases
    }
    if name not in families:
        raise PuzzleError(f"python-sat has no solver {name!r}{near_match(name, families)}")
    return families[name]
