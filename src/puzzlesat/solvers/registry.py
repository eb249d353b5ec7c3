"""The solvers by name, each imported only when it is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol

from puzzlesat.arrays import Rows
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.errors import PuzzleError, near_match
from puzzlesat.solvers.run import MEMORY, Clock, Limits, OnProgress, OnSolutions, Outcome

SOLVERS: dict[str, str] = {
    "backtrack": "exhaustive search by bitsets, compiled by numba",
    "tally": "a dynamic programme that counts without listing, compiled by numba",
    "sat": "clauses and a CDCL solver of python-sat (sat:ENGINE chooses it, sat:ENGINE:ENCODING the encoding too)",
    "cpsat": "a constraint model and OR-Tools CP-SAT",
}


COUNT_ONLY = ("tally",)
"""Solvers that never call ``on_solutions``."""


class Ask(Protocol):
    """Finds all solutions of one problem that contain the options given."""

    def __call__(self, on_solutions: OnSolutions, limits: Limits, given: Sequence[int] = (), progress: OnProgress | None = None) -> Outcome:
        """Hand blocks of solutions to ``on_solutions``; return what was done."""


def family(name: str) -> str:
    """Return the part of a solver's name that says which search code it uses."""
    return name.split(":")[0]


def solver(name: str) -> Callable[[CoverProblem], Ask]:
    """Return a function that prepares ``backtrack``, ``cpsat``, ``sat``, ``sat:ENGINE`` or ``sat:ENGINE:ENCODING`` for a problem.

    What it returns can be asked many times; where memory does not do, it says so, and what was found so far. Raises PuzzleError for a
    name that is none of these.
    """
    return partial(_prepared, name, _by_name(name))


def _prepared(name: str, prepare: Callable[[CoverProblem], Ask], problem: CoverProblem) -> Ask:
    """A solver that ends where there is no more memory, as it does where time is up."""
    asks: list[Ask] = []

    def ask(on_solutions: OnSolutions, limits: Limits, given: Sequence[int] = (), progress: OnProgress | None = None) -> Outcome:
        clock, found = Clock(limits), 0

        def counted(rows: Rows) -> None:
            nonlocal found
            on_solutions(rows)
            found += len(rows)

        try:
            if not asks:
                asks.append(prepare(problem))
            return asks[0](counted, limits, given=given, progress=progress)
        except MemoryError:
            return Outcome(name, found, MEMORY, clock.seconds, {})

    with suppress(MemoryError):  # it is tried again, and said, when the solver is asked
        asks.append(prepare(problem))
    return ask


def _by_name(name: str) -> Callable[[CoverProblem], Ask]:
    kind, *rest = name.split(":")
    if kind not in SOLVERS or (rest and kind != "sat") or len(rest) > 2:
        raise PuzzleError(f"there is no solver {name!r}{near_match(kind, SOLVERS)}")
    if kind == "backtrack":
        from puzzlesat.solvers import backtrack

        return lambda problem: lambda *args, **keys: backtrack.solve(problem, *args, **keys)
    if kind == "tally":
        from puzzlesat.solvers.tally import solve as tally

        return lambda problem: lambda *args, **keys: tally.solve(problem, *args, **keys)
    if kind == "cpsat":
        from puzzlesat.solvers import cpsat

        return lambda problem: lambda *args, **keys: cpsat.solve(problem, *args, **keys)
    from puzzlesat.solvers import cnf, sat
    from puzzlesat.solvers.engine import open_engine

    engine, encoding = (*rest, *(sat.DEFAULT_ENGINE, sat.DEFAULT_ENCODING)[len(rest) :])
    if encoding not in cnf.AT_MOST_ONE:
        raise PuzzleError(f"there is no encoding {encoding!r}{near_match(encoding, cnf.AT_MOST_ONE)}")
    open_engine(engine).delete()
    return lambda problem: sat.Formula(problem, engine=engine, encoding=encoding).solve
