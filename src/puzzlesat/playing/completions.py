"""In how many ways a position can be finished."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from puzzlesat.base import SILENT, Clock, EndedError, Limits, NotSupportedError, OnSolutions, Outcome, Progress, Rows, Sentence, joined_rows
from puzzlesat.puzzles import CoverProblem, remove_dead
from puzzlesat.solvers import LISTING, MOST_SHAPES, ONE_BY_SAT, QUICK, TALLY, SolverStep, as_told, lists, solver

COMPLETING = (QUICK, SolverStep(TALLY, share=0.7, shapes=MOST_SHAPES), SolverStep(ONE_BY_SAT, share=0.5, solutions=1), SolverStep(LISTING))
"""The solvers that count the completions of a position, until one has them all; SAT looks for one where none is known."""
LIST_COMPLETIONS = (LISTING, "sat")
"""The solvers that list the completions: the first that can."""


@dataclass(frozen=True)
class Completions:
    """How many solutions contain a position: exactly, or at least."""

    found: int
    """How many solutions were found."""
    exact: bool
    """Whether these are all; False if time was up before."""

    @property
    def possible(self) -> bool | None:
        """Whether there is one; None where that is not known."""
        return True if self.found else (False if self.exact else None)

    def __str__(self) -> str:
        return str(self.words)

    @property
    def words(self) -> Sentence:
        """The number, or what is known of it."""
        if not self.exact:
            return Sentence("at least {n}", n=self.found) if self.found else Sentence("not known")
        return Sentence("{n}", n=self.found)


def rest(problem: CoverProblem, placed: Sequence[int]) -> CoverProblem | None:
    """Return what is left to do: its solutions are those that contain the options ``placed``, less these. None: they exclude each other."""
    left = problem.settle(placed)
    return None if left is None else remove_dead(left)


def _rest_within(problem: CoverProblem, placed: Sequence[int], limits: Limits) -> CoverProblem | None:
    """The same; raises EndedError at a limit."""
    with limits.heeding(SILENT).overseen():
        return rest(problem, placed)


def count_completions(
    problem: CoverProblem, placed: Sequence[int], limits: Limits, *, so_far: Callable[[Completions], None] | None = None
) -> Completions:
    """Count the solutions that contain the options ``placed``.

    The solvers of ``COMPLETING`` take their turns until one of them has counted all, or has found as many as the limits ask for.
    One that is asked for a few solutions has its turn only where none is known. ``so_far`` gets what is known when a turn is over.
    """
    clock = Clock(limits)
    try:
        left = _rest_within(problem, placed, limits)
    except EndedError:
        return Completions(0, exact=False)
    if left is None:
        return Completions(0, exact=True)
    found = 0
    for step in COMPLETING:
        if step.solutions is not None and found:
            continue
        outcome = _turn(step, left, clock)
        if outcome is None:
            continue
        found = max(found, outcome.found)
        if outcome.complete and (step.solutions is None or not outcome.found):
            return Completions(outcome.found, exact=True)
        if limits.solutions is not None and found >= limits.solutions:
            break
        if so_far is not None and found:
            so_far(Completions(found, exact=False))
    return Completions(found, exact=False)


def _turn(step: SolverStep, left: CoverProblem, clock: Clock) -> Outcome | None:
    """What a solver finds in its turn; None where it cannot do the problem."""
    try:
        ask = solver(step.solver)(as_told(step.solver, left))
        limits = step.limits(clock)  # without the time for getting ready
        return _within_memory(ask(None, limits if lists(step.solver) else replace(limits, solutions=None)))
    except NotSupportedError:
        return None


def list_completions(problem: CoverProblem, placed: Sequence[int], limits: Limits) -> tuple[Rows, bool]:
    """Return solutions that contain the options ``placed``, without these and those forced, and whether they are all there are.

    Rows are numbers of options of the problem, ascending, padded with -1. Raises NotSupportedError where no solver can list them.
    """
    try:
        left = _rest_within(problem, placed, limits)
    except EndedError:
        return np.empty((0, 0), dtype=np.int32), False
    if left is None:
        return np.empty((0, 0), dtype=np.int32), True
    blocks: list[Rows] = []
    outcome = listed(left, blocks.append, limits)
    origin = np.append(np.arange(left.size, dtype=np.int32) if left.origin is None else left.origin, np.int32(-1))
    return origin[joined_rows(blocks)].astype(np.int32), outcome.complete


def listed(problem: CoverProblem, on_solutions: OnSolutions, limits: Limits) -> Outcome:
    """List the solutions of a problem by the first solver that can. Raises NotSupportedError where none can."""
    *others, last = LIST_COMPLETIONS
    for name in others:
        with suppress(NotSupportedError):
            return asked(name, problem, on_solutions, limits)
    return asked(last, problem, on_solutions, limits)


def asked(
    name: str,
    problem: CoverProblem,
    on_solutions: OnSolutions | None,
    limits: Limits,
    *,
    given: Sequence[int] = (),
    progress: Progress = SILENT,
) -> Outcome:
    """Ask a solver. Where memory does not do, nothing else is tried, and nobody is told that time was short: MemoryError."""
    return _within_memory(solver(name)(problem)(on_solutions, limits, given=given, progress=progress))


def _within_memory(outcome: Outcome) -> Outcome:
    if outcome.status == "out of memory":
        raise MemoryError
    return outcome
