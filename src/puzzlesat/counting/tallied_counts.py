"""The counts without listing a solution: all, fixed from one more count for each kind of symmetry, distinct by Burnside's lemma."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puzzlesat.base import SILENT, Clock, EndedError, Limits, NotSupportedError, Outcome, Progress, locked
from puzzlesat.counting.counts import Counts, Labelling
from puzzlesat.puzzles import Built, CoverProblem, quotient
from puzzlesat.solvers import solver

LOCK = "puzzlesat.lock"
"""The file in a folder for what does not fit into memory that keeps a second count from it: they would mix up their files."""


@dataclass(frozen=True)
class Tallied:
    """What a solver that lists nothing found out."""

    outcome: Outcome
    counts: Counts
    burnside: bool | None
    """Whether the sum over the symmetries is a multiple of their number, as Burnside's lemma says; None where it is not known."""
    after: float | None = None
    """Seconds from the beginning of the work on the puzzle until this was known."""


def tallied(name: str, built: Built, problem: CoverProblem, limits: Limits, progress: Progress = SILENT) -> Tallied:
    """Count the solutions that each symmetry leaves unchanged, the identity first; symmetries of one kind (conjugate) fix equally many.

    Raises NotSupportedError where the solver cannot count the puzzle; where it cannot count what a symmetry
    fixes, that is not known. Raises PuzzleError where another process counts in the same folder.
    """
    if limits.disk is None:
        return _tallied(name, built, problem, limits, progress)
    with locked(limits.disk / LOCK, f"--disk {limits.disk}"):
        return _tallied(name, built, problem, limits, progress)


def _tallied(name: str, built: Built, problem: CoverProblem, limits: Limits, progress: Progress) -> Tallied:
    outcome = solver(name)(problem)(None, limits, progress=progress)
    if not outcome.complete:
        return Tallied(outcome, Counts(), None)
    fixed = _fixed(name, problem, limits, outcome.found, progress)
    order = len(problem.symmetries)
    labelling = Labelling(built)
    labelled = labelling.of_all(outcome.found)
    turns = labelling.turns() if outcome.found else 1
    none = None if outcome.found else 0
    counts = Counts(
        labelled=labelled,
        all=outcome.found,
        distinct=none if fixed is None else sum(fixed) // order,
        fixed=None if fixed is None else dict(zip(problem.symmetries, fixed, strict=True)),
        fixed_labelled=None if none is None else dict.fromkeys(problem.symmetries, 0),
        labelled_distinct=none,
        labelled_turns=None if labelled is None or turns is None else labelled * turns,
    )
    return Tallied(outcome, counts, None if fixed is None else sum(fixed) % order == 0)


def _fixed(name: str, problem: CoverProblem, limits: Limits, total: int, progress: Progress) -> list[int] | None:
    """How many solutions each symmetry leaves unchanged."""
    if problem.images is None:
        return [total]
    by_kind: dict[int, int] = {0: total}
    try:
        kinds = conjugates(problem, progress)
    except EndedError:  # the number is known all the same
        return None
    for g in kinds:
        if g not in by_kind:
            if Clock(limits).verdict(-1) is not None:
                return None
            small = quotient(problem, g)
            try:
                outcome = solver(name)(small)(None, limits, progress=progress)
            except NotSupportedError:
                return None
            if not outcome.complete:
                return None
            by_kind[g] = outcome.found
    return [by_kind[g] for g in kinds]


def conjugates(problem: CoverProblem, progress: Progress = SILENT) -> list[int]:
    """For each symmetry of a problem, the first one g such that it is h g h⁻¹ for some symmetry h."""
    images = np.empty((1, 0), dtype=np.int32) if problem.images is None else problem.images
    first: dict[bytes, int] = {}
    for g, permutation in enumerate(images):
        if permutation.tobytes() not in first:
            progress({"symmetries": g})
            for h in images:
                moved = h.copy()
                moved[h] = h[permutation]  # h(x) goes to h(g(x))
                first[moved.tobytes()] = g
    return [first[permutation.tobytes()] for permutation in images]
