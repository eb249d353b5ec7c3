"""The engines of python-sat by name; those that cannot be interrupted work in a process of their own."""

from __future__ import annotations

import gc
from importlib.util import find_spec
from threading import get_ident, local
from typing import Any

from puzzlesat.children import Child, ChildEndedError, end_at_once_with_parent
from puzzlesat.errors import PuzzleError, near_match
from puzzlesat.libraries import needed

CANNOT_BE_INTERRUPTED = ("cadical", "lingeling", "mergesat")

_here: dict[str, Any] = {}
"""In a child: the engine that is open there."""


def open_engine(name: str) -> Any:
    """Return a fresh solver of python-sat by name. Raises PuzzleError for one that there is not, or that cannot be used."""
    from pysat.solvers import Solver

    family = engine_family(name)
    if family.startswith("kissat"):
        raise PuzzleError("kissat takes no assumptions and cannot continue after a solution; choose another solver of python-sat")
    if family.startswith("crypto") and find_spec("pycryptosat") is None:
        raise PuzzleError("cryptominisat5 needs the package pycryptosat; install it or choose another solver of python-sat")
    return Solver(name=name)


def open_interruptible_engine(name: str) -> Any:
    """Return a fresh solver that another thread can interrupt. Raises PuzzleError as ``open_engine`` does."""
    return EngineProcess(name) if engine_family(name).startswith(CANNOT_BE_INTERRUPTED) else open_engine(name)


def engine_family(name: str) -> str:
    """Return python-sat's own name for a solver given by any of its aliases. Raises PuzzleError for an unknown one."""
    needed("pysat")
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
        """Solve; None where ``interrupt`` was called meanwhile."""
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
        """Do nothing: there is no way back."""

    def delete(self) -> None:
        """Free the engine; its process waits for the next one, if it is well."""
        if self.deleted:
            return
        self.deleted = True
        if self.ended or self.child.busy or self.thread != get_ident():
            self.child.end()
        else:
            self._ask("delete")
            _idle.children.append(self.child)

    def _ask(self, method: str, *arguments: object) -> Any:
        """Let the engine do something and wait for the answer; None where it was interrupted."""
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
    """Children without an engine: starting one takes a tenth of a second, and checking a puzzle may need many engines.

    Each thread has its own, for they end with the thread that started them (see ``_engine_does``).
    """

    def __init__(self) -> None:
        self.children: list[Child] = []


_idle = _Idle()


def _engine_does(method: str, *arguments: Any) -> Any:
    """What a child is asked for: to open an engine, or to call a method of it."""
    if method != "open":
        return getattr(_here["engine"], method)(*arguments)
    end_at_once_with_parent()
    gc.disable()  # it would go through the clauses again and again while they come in
    _here["engine"] = open_engine(*arguments)
    return None
