"""The engines of python-sat by name; those that cannot be interrupted work in a process of their own."""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import signal
import subprocess
import sys
from importlib.util import find_spec
from threading import get_ident, local
from typing import Any
from weakref import finalize

from puzzlesat.errors import PuzzleError, near_match

CANNOT_BE_INTERRUPTED = ("cadical", "lingeling", "mergesat")
PR_SET_PDEATHSIG = 1
CHILD = "import sys; sys.path[:] = sys.argv[1:]; from puzzlesat.solvers.engine import serve; serve()"


def open_engine(name: str) -> Any:
    """Return a fresh solver of python-sat by name. Raises PuzzleError for one that there is not, or that cannot be used."""
    from pysat.solvers import Solver

    family = engine_family(name)
    if family.startswith("kissat"):
        raise PuzzleError("kissat takes no assumptions and cannot go on after a solution; name another solver of python-sat")
    if family.startswith("crypto") and find_spec("pycryptosat") is None:
        raise PuzzleError("cryptominisat5 needs the package pycryptosat; install it or name another solver of python-sat")
    return Solver(name=name)


def open_interruptible_engine(name: str) -> Any:
    """Return a fresh solver that another thread can interrupt. Raises PuzzleError as ``open_engine`` does."""
    return EngineProcess(name) if engine_family(name).startswith(CANNOT_BE_INTERRUPTED) else open_engine(name)


def engine_family(name: str) -> str:
    """Return python-sat's own name for a solver given by any of its aliases. Raises PuzzleError for an unknown one."""
    from pysat.solvers import SolverNames

    families: dict[str, str] = {
        alias: family for family, aliases in vars(SolverNames).items() if isinstance(aliases, tuple) for alias in aliases
    }
    if name not in families:
        raise PuzzleError(f"python-sat has no solver {name!r}{near_match(name, families)}")
    return families[name]


class EngineProcess:
    """A solver of python-sat in a process of its own, with the same methods; to interrupt it is to end the process.

    CaDiCaL, Lingeling and MergeSat hold the interpreter's lock while they work, so that no thread can watch the time; and python-sat
    answers Ctrl-C by a jump out of the middle of them, perhaps with the lock of the memory allocator held: the program then waits
    for it for ever. ``ended`` tells that it was interrupted and is of no more use.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.ended = self.busy = False
        self.thread = get_ident()
        self.process = _idle.processes.pop() if _idle.processes else _start()
        self.end = finalize(self, _end, self.process)
        self._call("open", name)

    def append_formula(self, clauses: list[list[int]]) -> None:
        """Add clauses."""
        self._call("append_formula", clauses)

    def add_clause(self, clause: list[int]) -> None:
        """Add one clause."""
        self._call("add_clause", clause)

    def solve_limited(self, assumptions: list[int], expect_interrupt: bool = True) -> bool | None:
        """Solve; None where ``interrupt`` was called meanwhile."""
        del expect_interrupt
        answer: bool | None = self._call("solve", assumptions)
        return answer

    def get_model(self) -> list[int]:
        """Return the model found."""
        model: list[int] = self._call("get_model")
        return model

    def accum_stats(self) -> dict[str, int] | None:
        """Return python-sat's counters."""
        stats: dict[str, int] | None = self._call("accum_stats")
        return stats

    def interrupt(self) -> None:
        """End the process, from any thread."""
        self.ended = True
        self.process.kill()

    def clear_interrupt(self) -> None:
        """Do nothing: there is no way back."""

    def delete(self) -> None:
        """Free the engine; its process waits for the next one, if it is well."""
        if self.end.alive and not (self.ended or self.busy) and self.thread == get_ident():
            self._call("delete")
            self.end.detach()
            _idle.processes.append(self.process)
        self.end()

    def _call(self, method: str, *arguments: object) -> Any:
        """Let the engine do something and wait for the answer; None where it was interrupted."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.busy = True
        try:
            pickle.dump((method, arguments), self.process.stdin)
            self.process.stdin.flush()
            answer = pickle.load(self.process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            if self.ended:
                return None
            self.ended = True
            why = f"exit status {self.process.wait()}"
            raise PuzzleError(f"sat:{self.name}: the engine ended by itself ({why}), perhaps for want of memory; name another") from None
        self.busy = False
        return answer


class _Idle(local):
    """Processes without an engine: starting one takes a tenth of a second, and checking a puzzle may need many engines.

    Each thread has its own, for they end with the thread that started them (see ``serve``).
    """

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []


_idle = _Idle()


def _start() -> subprocess.Popen[bytes]:
    """Start a process that waits for an engine to open; in a session of its own, so that Ctrl-C at the terminal does not reach it."""
    command = [sys.executable, "-c", CHILD, *sys.path]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def serve() -> None:
    """What the process does: answer calls to an engine that come in on standard input, until there are no more."""
    if sys.platform == "linux":  # an engine at work does not see the end of its input, should the program be killed
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # an engine that prints must not spoil the answers
    gc.disable()  # it would go through the clauses again and again while they come in
    engine: Any = None
    while True:
        try:
            method, arguments = pickle.load(calls)
        except EOFError:
            return
        if method == "open":
            engine, answer = open_engine(*arguments), None
        else:
            answer = getattr(engine, method)(*arguments)
        pickle.dump(answer, answers)
        answers.flush()
