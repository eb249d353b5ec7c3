"""Keep, of the solutions that a solver lists, only those whose pieces can be coloured.

A SAT solver confirms that the first rejected solutions cannot be coloured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from puzzlesat.base import SILENT, Clock, ContradictionError, Limits, NotSupportedError, OnSolutions, Outcome, Progress, Rows
from puzzlesat.puzzles import CoverProblem

REJECTED_CHECKED = 100
"""Number of rejected solutions that are checked by a SAT solver, too."""


class _EnoughError(Exception):
    """The requested number of solutions is found."""


def refusing(problem: CoverProblem, name: str) -> Ask:
    """Return a solver that always raises NotSupportedError: it does not support solutions that can be coloured."""

    def refuse(on_solutions: OnSolutions | None, limits: Limits, *, given: Sequence[int] = (), progress: Progress = SILENT) -> Outcome:
        problem.refuse_colouring(name)
        raise AssertionError("there is nothing to refuse")

    return refuse


def only_coloured(problem: CoverProblem, ask: Ask, name: str) -> Ask:
    """Return a solver that lists only those solutions of ``ask`` that can be coloured."""

    def coloured(on_solutions: OnSolutions | None, limits: Limits, *, given: Sequence[int] = (), progress: Progress = SILENT) -> Outcome:
        clock, found, looked_at, rejected = Clock(limits), 0, 0, 0
        weighted = 0 if problem.weight is not None else None

        def check_rejected(rows: Rows) -> None:
            """Check the first rejected solutions again by SAT, because all solvers share the same test."""
            nonlocal rejected
            for row in rows[: max(0, REJECTED_CHECKED - rejected)].tolist():
                if _has_colours(problem, row):
                    named = " ".join(problem.options[o] for o in row if o >= 0)
                    raise ContradictionError(f"a solution is left out, and can be coloured: {named}")
            rejected += len(rows)

        def keep(rows: Rows) -> None:
            nonlocal found, looked_at, weighted
            colourable = problem.can_be_coloured(rows)
            check_rejected(rows[~colourable])
            accepted = rows[colourable]
            if limits.solutions is not None:
                accepted = accepted[: limits.solutions - found]
            looked_at += len(rows)
            found += len(accepted)
            if weighted is not None and problem.weight is not None:
                weighted += int(np.append(problem.weight, 1)[accepted].prod(axis=1).sum())
            if on_solutions is not None and len(accepted):
                on_solutions(accepted)
            if found == limits.solutions:
                raise _EnoughError

        try:
            outcome = ask(keep, replace(limits, solutions=None), given=given, progress=progress)
        except _EnoughError:
            return Outcome(name, found, "limit reached", clock.seconds, {"solutions_looked_at": looked_at}, weighted)
        work = {**outcome.work, "solutions_looked_at": looked_at}
        return Outcome(outcome.solver, found, outcome.status, outcome.seconds, work, weighted)

    return coloured


def _has_colours(problem: CoverProblem, row: Sequence[int]) -> bool:
    """Return whether a solution can be coloured, by SAT: each piece has a colour, and pieces that touch have different ones."""
    NotSupportedError.check_installed("pysat")
    from pysat.solvers import Minisat22  # imported here: other uses need not load it

    colouring = problem.colouring
    assert colouring is not None
    pieces = [piece for option in row if option >= 0 for piece in colouring.pieces_of(problem, option)] + [*colouring.placed]
    owner = {item: number for number, piece in enumerate(pieces) for item in piece}
    touching = {(owner[a], owner[b]) for a, b in colouring.pairs.tolist() if a in owner and b in owner and owner[a] != owner[b]}
    colours = range(1, colouring.colours + 1)
    with Minisat22() as solver:
        for number in range(len(pieces)):
            solver.add_clause([number * colouring.colours + c for c in colours])
        for one, other in touching:
            for c in colours:
                solver.add_clause([-(one * colouring.colours + c), -(other * colouring.colours + c)])
        return bool(solver.solve())


class Ask(Protocol):
    """A prepared solver: it finds all solutions of one problem that contain the given options."""

    def __call__(
        self, on_solutions: OnSolutions | None, limits: Limits, *, given: Sequence[int] = (), progress: Progress = SILENT
    ) -> Outcome:
        """Pass blocks of solutions to ``on_solutions``, or only count them if it is None; return the outcome."""
