"""Count by SAT: the formula of ``cnf``, an engine of python-sat, and a blocking clause for each solution found.

Engines that cannot be interrupted run in a child process.

TriTetraTan takes glucose42 half the time of glucose4. Of no use there were: each pair of placements in one clause only, dead placements
found by propagation, one variable for all placements of a tile that cover an atom (twice the time), and a fresh engine for each of a
hundred subproblems (four times the conflicts). Octogram gains by fresh engines, but their formulas take longer to load than to solve.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from importlib.util import find_spec
from threading import Thread, get_ident, local
from typing import Any

import numpy as np

from puzzlesat.base import (
    SILENT,
    Child,
    ChildEndedError,
    Clock,
    Limits,
    NotSupportedError,
    OnSolutions,
    Outcome,
    Progress,
    PuzzleError,
    Status,
    near_match,
)
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers.cnf import AT_MOST_ONE, Cnf, encode
from puzzlesat.solvers.coloured import Ask

CANNOT_BE_INTERRUPTED = ("cadical", "lingeling", "mergesat")

_here: dict[str, Any] = {}
"""In a child process: the open engine."""


def open_engine(name: str) -> Any:
    """Return a fresh solver of python-sat by name. Raises PuzzleError if it does not exist or cannot be used."""
    from pysat.solvers import Solver

    family = engine_family(name)
    if family.startswith("kissat"):
        raise PuzzleError("kissat takes no assumptions and cannot continue after a solution; choose another solver of python-sat")
    if family.startswith("crypto") and find_spec("pycryptosat") is None:
        raise PuzzleError("cryptominisat5 needs the package pycryptosat; install it or choose another solver of python-sat")
    return Solver(name=name)


def engine_family(name: str) -> str:
    """Return python-sat's own name for a solver given by any of its aliases. Raises PuzzleError for an unknown one."""
    NotSupportedError.check_installed("pysat")
    from pysat.solvers import SolverNames

    families: dict[str, str] = {
        alias: family for family, aliases in vars(SolverNames).items() if isinstance(aliases, tuple) for alias in aliases
    }
    if name not in families:
        raise PuzzleError(f"python-sat has no solver {name!r}{near_match(name, families)}")
    return families[name]


class EngineProcess:
    """A solver of python-sat in a child process, with the same methods. Interrupting it ends the process.

    CaDiCaL, Lingeling and MergeSat hold the interpreter's lock while they work, so no thread can watch the time. On Ctrl-C python-sat jumps
    out of the engine, perhaps while the engine holds the lock of the memory allocator; the program then waits for that lock for ever.
    ``ended`` is true if the solver was interrupted and can no longer be used.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.ended = self.deleted = False
        self.thread = get_ident()
        self.child = _idle.children.pop() if _idle.children else Child()
        self._ask("open", name)

    def append_formula(self, clauses: list[list[int]]) -> None:
        """Add clauses."""
        self._ask("append_formula", clauses)

    def add_clause(self, clause: list[int]) -> None:
        """Add one clause."""
        self._ask("add_clause", clause)

    def solve_limited(self, assumptions: list[int], *, expect_interrupt: bool = True) -> bool | None:
        """Solve; return None if ``interrupt`` was called meanwhile."""
        del expect_interrupt
        answer: bool | None = self._ask("solve", assumptions)
        return answer

    def get_model(self) -> list[int]:
        """Return the model found."""
        model: list[int] = self._ask("get_model")
        return model

    def accum_stats(self) -> dict[str, int] | None:
        """Return python-sat's counters."""
        stats: dict[str, int] | None = self._ask("accum_stats")
        return stats

    def interrupt(self) -> None:
        """End the process, from any thread."""
        self.ended = True
        self.child.kill()

    def clear_interrupt(self) -> None:
        """Do nothing: an ended process cannot continue."""

    def delete(self) -> None:
        """Free the engine. Its process is kept for the next engine if it is idle and belongs to this thread."""
        if self.deleted:
            return
        self.deleted = True
        if self.ended or self.child.busy or self.thread != get_ident():
            self.child.end()
        else:
            self._ask("delete")
            _idle.children.append(self.child)

    def _ask(self, method: str, *arguments: object) -> Any:
        """Call a method of the engine and return its answer; None if the engine was interrupted."""
        try:
            return self.child.ask(_engine_does, method, *arguments)
        except ChildEndedError as error:
            if self.ended:
                return None
            self.ended = True
            raise PuzzleError(
                f"sat:{self.name}: the engine ended by itself ({error}), perhaps for lack of memory; choose another"
            ) from None


class _Idle(local):
    """Child processes without an engine. Starting one takes a tenth of a second, and checking a puzzle may need many engines.

    Each thread has its own children, because they end with the thread that started them (see ``_engine_does``).
    """

    def __init__(self) -> None:
        self.children: list[Child] = []


_idle = _Idle()


def _engine_does(method: str, *arguments: Any) -> Any:
    """Open an engine, or call a method of the open engine. Runs in a child process."""
    if method != "open":
        return getattr(_here["engine"], method)(*arguments)
    Child.end_at_once_with_parent()
    gc.disable()  # it would scan the clauses again and again while they arrive
    _here["engine"] = open_engine(*arguments)
    return None


NAME = "sat"
DEFAULT_ENGINE = "glucose42"
DEFAULT_ENCODING = "mixed"
POLL_SECONDS = 0.05
LOADED_AT_ONCE = 50_000
"""Clauses loaded between two checks of the limits."""


def prepare(problem: CoverProblem, engine: str = DEFAULT_ENGINE, encoding: str = DEFAULT_ENCODING) -> Ask:
    """Return a solver of a problem that uses an engine of python-sat and an at-most-one encoding."""
    return Formula(problem, engine=engine, encoding=encoding).solve


def check_variant(engine: str, encoding: str = DEFAULT_ENCODING) -> None:
    """Raise PuzzleError for an unknown engine or encoding."""
    if encoding not in AT_MOST_ONE:
        raise PuzzleError(f"there is no encoding {encoding!r}{near_match(encoding, AT_MOST_ONE)}")
    open_engine(engine).delete()


class Formula:
    """A problem loaded into a solver of python-sat, for queries with different given options. Learnt clauses are kept.

    ``engine`` is any solver of python-sat. CaDiCaL, Lingeling and MergeSat run in a child process and lose what they learnt when they are
    interrupted. Raises PuzzleError for an unknown engine.
    """

    def __init__(self, problem: CoverProblem, *, engine: str = DEFAULT_ENGINE, encoding: str = DEFAULT_ENCODING) -> None:
        self.problem = problem
        self.engine = engine
        engine_family(engine)
        self.encoding = encoding
        self.cnf: Cnf | None = None
        self.solver: Any = None
        self.before: dict[str, int] = {}

    def __enter__(self) -> Formula:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def __del__(self) -> None:
        if hasattr(self, "solver"):
            self._close()

    def _open(self, clock: Clock, progress: Progress) -> Cnf:
        """Return the formula, loaded into an engine; if a limit is reached while it loads, no engine is open.

        Raises EndedError if a limit is reached before the formula is complete.
        """
        if self.cnf is None:
            limited_progress = clock.rest().heeding(progress)
            with limited_progress.overseen():
                self.cnf = encode(self.problem, encoding=self.encoding, progress=limited_progress)
        if self.solver is None:
            self._load(self.cnf, clock)
        return self.cnf

    def _load(self, cnf: Cnf, clock: Clock) -> None:
        own_process = engine_family(self.engine).startswith(CANNOT_BE_INTERRUPTED)
        self.solver = EngineProcess(self.engine) if own_process else open_engine(self.engine)
        self.before = {}
        for start in range(0, len(cnf.clauses), LOADED_AT_ONCE):
            if clock.verdict(-1) is not None:
                self._close()
                return
            self.solver.append_formula(cnf.clauses[start : start + LOADED_AT_ONCE])

    def _close(self) -> None:
        if self.solver is not None:
            self.solver.delete()
            self.solver = None

    def solve(self, on_solutions: OnSolutions | None, limits: Limits, *, given: Sequence[int] = (), progress: Progress = SILENT) -> Outcome:
        """Find all solutions that contain the options ``given``, one by one, and block each by a clause over the placements.

        The blocking clauses hold under an assumption of this call only, so the next call finds the same solutions again.
        """
        clock = Clock(limits)
        cnf = self._open(clock, progress)
        if self.solver is None:
            return Outcome(NAME, 0, clock.verdict(-1) or "interrupted", clock.seconds, {})
        active = cnf.new()
        assumptions = [active, *(o + 1 for o in given)]
        found = 0
        # python-sat ignores empty clauses
        status: Status | None = None if all(cnf.clauses) else "complete"
        while status is None:
            answer = self._ask(assumptions, clock)
            if answer is None:
                status = clock.verdict(found) or "interrupted"
            elif not answer:
                status = "complete"
            else:
                chosen = [v - 1 for v in self.solver.get_model()[: self.problem.size] if v > 0]
                found += 1
                if on_solutions is not None:
                    on_solutions(np.array([chosen], dtype=np.int32).reshape(1, -1))
                self._block(chosen, active)
                status = clock.verdict(found)
            progress({"solutions": found})
        if self.solver is None:
            return Outcome(NAME, found, status, clock.seconds, {})
        self.solver.add_clause([-active])
        return Outcome(NAME, found, status, clock.seconds, self._work())

    def _block(self, chosen: list[int], active: int) -> None:
        """Forbid a solution: its placements together, or, if a solution can be part of another, exactly this choice."""
        clause = [-active, *(-(o + 1) for o in chosen)]
        if not self.problem.antichain:
            clause += [o + 1 for o in sorted(set(range(self.problem.size)) - set(chosen))]
        self.solver.add_clause(clause)

    def _ask(self, assumptions: list[int], clock: Clock) -> bool | None:
        """Solve; return None if the engine was interrupted.

        The engine runs in a thread, so that this thread notices Ctrl-C and watches the limits.
        """
        answer: list[bool | None] = []
        errors: list[Exception] = []

        def work() -> None:
            try:
                answer.append(self.solver.solve_limited(assumptions=assumptions, expect_interrupt=True))
            except Exception as error:  # raised again below
                errors.append(error)

        worker = Thread(target=work, daemon=True)
        worker.start()
        interrupted = False
        while worker.is_alive():
            worker.join(POLL_SECONDS)
            if not interrupted and worker.is_alive() and clock.verdict(-1) is not None:
                self.solver.interrupt()
                interrupted = True
        self.solver.clear_interrupt()
        if errors:
            raise errors[0]
        if isinstance(self.solver, EngineProcess) and self.solver.ended:
            self._close()
            return None
        return answer[0]

    def _work(self) -> dict[str, int]:
        """Return the engine's counters since the last call."""
        total = {key: int(value) for key, value in (self.solver.accum_stats() or {}).items()}
        since = {key: value - self.before.get(key, 0) for key, value in total.items()}
        self.before = total
        return since
