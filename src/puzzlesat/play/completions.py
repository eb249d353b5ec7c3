"""In how many ways a position can be finished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from puzzlesat.arrays import Rows
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.cover.reduce import remove_dead
from puzzlesat.cover.settle import settle
from puzzlesat.errors import NotSupportedError
from puzzlesat.rows import joined_rows
from puzzlesat.solvers.run import Clock, Limits, Outcome

FIRST_SECONDS = 1.0
"""The backtracker needs less for nearly every position; past it the tally may be faster."""
MOST_SHAPES = 2_000_000
SMALL_ENCODING = "commander"
"""Of the at-most-one constraints: made in no time for large forms too."""


@dataclass(frozen=True)
class Completions:
    """How many solutions contain a position: exactly, or at least."""

    found: int
    exact: bool

    @property
    def possible(self) -> bool | None:
        """Whether there is one; None where that is not known."""
        return True if self.found else (False if self.exact else None)

    def __str__(self) -> str:
        if not self.exact:
            return f"at least {self.found:,}" if self.found else "not known"
        return f"{self.found:,}"


def rest(problem: CoverProblem, placed: Sequence[int]) -> CoverProblem | None:
    """Return what is left to do: its solutions are those that contain the options ``placed``, less these. None: they exclude each other."""
    left = settle(problem, placed)
    return None if left is None else remove_dead(left)


def count_completions(problem: CoverProblem, placed: Sequence[int], limits: Limits) -> Completions:
    """Count the solutions that contain the options ``placed``.

    The backtracker counts; where that takes long, the tally, and the backtracker again. Where all this finds nothing in time, SAT looks
    for one solution.
    """
    clock = Clock(limits)
    left = rest(problem, placed)
    if left is None:
        return Completions(0, exact=True)
    outcome = _backtrack(left, _within(limits, clock, FIRST_SECONDS))
    if outcome is not None and outcome.complete:
        return Completions(outcome.found, exact=True)
    if limits.solutions is not None and outcome is not None and outcome.found >= limits.solutions:
        return Completions(outcome.found, exact=False)
    tally = _tally(left, _within(replace(limits, solutions=None), clock, _share(clock, 0.7)))
    if tally is not None and tally.complete:
        return Completions(tally.found, exact=True)
    found = outcome.found if outcome is not None else 0
    if not found:
        one = _one_by_sat(left, _within(limits, clock, _share(clock, 0.5)))
        if one.complete and not one.found:
            return Completions(0, exact=True)
        found = one.found
    again = _backtrack(left, _within(limits, clock, None))
    if again is not None and again.complete:
        return Completions(again.found, exact=True)
    return Completions(max(found, again.found if again is not None else 0), exact=False)


def list_completions(problem: CoverProblem, placed: Sequence[int], limits: Limits) -> tuple[Rows, bool]:
    """Return solutions that contain the options ``placed``, without these and those forced, and whether they are all there are.

    Rows are numbers of options of the problem, ascending, padded with -1.
    """
    left = rest(problem, placed)
    if left is None:
        return np.empty((0, 0), dtype=np.int32), True
    from puzzlesat.solvers import backtrack, sat

    blocks: list[Rows] = []
    try:
        outcome = backtrack.solve(left, blocks.append, limits)
    except NotSupportedError:
        outcome = sat.solve(left, blocks.append, limits)
    origin = np.append(np.arange(left.size, dtype=np.int32) if left.origin is None else left.origin, np.int32(-1))
    return origin[joined_rows(blocks)].astype(np.int32), outcome.complete


def _backtrack(left: CoverProblem, limits: Limits) -> Outcome | None:
    from puzzlesat.solvers import backtrack

    try:
        return backtrack.solve(left, None, limits)
    except NotSupportedError:
        return None


def _tally(left: CoverProblem, limits: Limits) -> Outcome | None:
    from puzzlesat.solvers.tally import solve as tally

    try:
        return tally.solve(left.without_implied(), lambda rows: None, replace(limits, shapes=MOST_SHAPES))
    except NotSupportedError:
        return None


def _one_by_sat(left: CoverProblem, limits: Limits) -> Outcome:
    from puzzlesat.solvers import sat

    return sat.solve(left.without_implied(), lambda rows: None, replace(limits, solutions=1), encoding=SMALL_ENCODING)


def _within(limits: Limits, clock: Clock, seconds: float | None) -> Limits:
    """The limits with the time that is left, and no more than ``seconds`` of it."""
    left = [s for s in (clock.left, seconds) if s is not None]
    return replace(limits, seconds=min(left, default=None))


def _share(clock: Clock, share: float) -> float | None:
    return None if clock.left is None else clock.left * share
