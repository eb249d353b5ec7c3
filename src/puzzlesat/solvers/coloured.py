"""The solutions of a problem whose pieces can be coloured, among those that a solver lists.

A SAT solver confirms that the first solutions that are left out cannot be coloured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from puzzlesat.base import SILENT, Clock, ContradictionError, Limits, OnSolutions, Outcome, Progress, Rows, needed
from puzzlesat.puzzles import CoverProblem

LEFT_OUT_LOOKED_AT = 100
"""Solutions that cannot be coloured, of which a SAT solver has to say so too."""


class _EnoughError(Exception):
    """As many were found as were wanted."""


def refusing(problem: CoverProblem, name: str) -> Ask:
    """Return what raises NotSupportedError when it is asked for the solutions of a problem that can be coloured."""

    def refuse(on_solutions: OnSolutions | None, limits: Limits, *, given: Sequence[int] = (), progress: Progress = SILENT) -> Outcome:
        problem.refuse_colouring(name)
        raise AssertionError("there is nothing to refuse")

    return refuse


def only_coloured(problem: CoverProblem, ask: Ask, name: str) -> Ask:
    """Return what lists those solutions of a problem alone, of all that are listed, that can be coloured."""

    def coloured(on_solutions: OnSolutions | None, limits: Limits, *, given: Sequence[int] = (), progress: Progress = SILENT) -> Outcome:
        clock, found, looked_at, left_out = Clock(limits), 0, 0, 0
        weighted = 0 if problem.weight is not None else None

        def check_left_out(rows: Rows) -> None:
            """All solvers leave out the same: the first ones are looked at once more, in other words."""
            nonlocal left_out
            for row in rows[: max(0, LEFT_OUT_LOOKED_AT - left_out)].tolist():
                if _has_colours(problem, row):
                    named = " ".join(problem.options[o] for o in row if o >= 0)
                    raise ContradictionError(f"a solution is left out, and can be coloured: {named}")
            left_out += len(rows)

        def keep(rows: Rows) -> None:
            nonlocal found, looked_at, weighted
            good = problem.can_be_coloured(rows)
            check_left_out(rows[~good])
            kept = rows[good]
            if limits.solutions is not None:
                kept = kept[: limits.solutions - found]
            looked_at += len(rows)
            found += len(kept)
            if weighted is not None and problem.weight is not None:
                weighted += int(np.append(problem.weight, 1)[kept].prod(axis=1).sum())
            if on_solutions is not None and len(kept):
                on_solutions(kept)
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
    """Whether a solution can be coloured, by clauses: each piece has a colour, and pieces that touch do not both have one."""
    needed("pysat")
    from pysat.solvers import Minisat22  # who draws in few colours need not wait for it

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
    """Finds all solutions of one problem that contain the options given."""

    def __call__(
        self, on_solutions: OnSolutions | None, limits: Limits, *, given: Sequence[int] = (), progress: Progress = SILENT
    ) -> Outcome:
        """Hand blocks of solutions to ``on_solutions``, or only count them where that is None; return what was done."""
