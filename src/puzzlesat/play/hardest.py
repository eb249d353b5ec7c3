"""The fewest pieces that leave one way to finish a puzzle.

A set of placements leaves one way where it tells its solution from every other one: some placement of the set is not in that one. So the
fewest are a least hitting set of the differences between a solution and all others, for the solution that needs the fewest. Where all
solutions can be listed, one of each class under the symmetries is gone through, and what is found is proven least. Where they are too many,
solutions are drawn, and for each the differences are found as they are needed: a least set for those known so far is held against the
puzzle, and another completion of it is one more difference (the method of implicit hitting sets: E. Moreno-Centeno and R. M. Karp, The
implicit hitting set approach to solve combinatorial optimization problems, Operations Research 61, 2013).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random

import numpy as np

from puzzlesat.arrays import Rows
from puzzlesat.cover.images import are_least, padded_images
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.errors import ContradictionError, NotSupportedError, PuzzleError, many
from puzzlesat.play.challenge import Challenge, all_solutions, confirmed, described, drawn
from puzzlesat.play.completions import list_completions
from puzzlesat.progress import SILENT, Progress
from puzzlesat.solvers.registry import as_told, solver
from puzzlesat.solvers.run import Clock, EndedError, Limits, over
from puzzlesat.solvers.strategy import CHALLENGE_SECONDS, LISTED_FOR_HARDEST, NODES_FOR_HARDEST, RECOUNT_FOR_HARDEST

DRAWN = 40
"""Solutions that are taken where not all can be listed."""


@dataclass(frozen=True)
class Hardest:
    """A position with as few pieces placed as were found to do, and what is known of it."""

    challenge: Challenge
    listed: int | None
    """How many solutions the puzzle has, where all were listed."""
    recounted: bool
    """Whether another solver counted as many."""
    tried: int
    """Solutions that were gone through; one of each class where all were listed."""

    @property
    def words(self) -> str:
        """How sure it is that no position has fewer pieces, in a sentence."""
        if not self.challenge.least:
            tried = f"{many(self.tried, 'solution')} {'was' if self.tried == 1 else 'were'} tried"
            return f"It is not proven that fewer pieces are too few: {tried}."
        if self.listed is None:
            return "Fewer pieces are not enough."
        twice = "counted by another solver too" if self.recounted else "nothing confirmed the list"
        all_of = "its only solution was listed" if self.listed == 1 else f"all {self.listed:,} solutions were listed"
        return f"Fewer pieces are not enough: {all_of} ({twice}), and one of each class was tried with every choice of its pieces."


def hardest(built: BuiltInstance, seed: int, limits: Limits, progress: Progress = SILENT) -> Hardest | None:
    """Return a position with the fewest pieces that can be finished in one way; None where a limit was reached before any was found.

    ``seed`` draws solutions where not all can be listed. Raises PuzzleError where the puzzle has no solution, or none that can be told from
    the others by its pieces, and ContradictionError where two solvers differ.
    """
    problem = built.problem
    rows, every = all_solutions(problem, limits, progress, most=LISTED_FOR_HARDEST, nodes=NODES_FOR_HARDEST)
    try:
        if not every:
            return _of_some(built, seed, limits, progress)
        if not len(rows):
            raise PuzzleError(f"{built.instance.name} has no solution, so there is no position to start from")
        recounted = _recounted(built, len(rows), limits)
        return _of_all(built, rows, limits, progress, recounted=recounted)
    except EndedError:
        return None


# where all solutions are known ------------------------------------------------------------------------------------------------


def _of_all(built: BuiltInstance, rows: Rows, limits: Limits, progress: Progress, *, recounted: bool) -> Hardest | None:
    """The fewest pieces of all: one solution of each class is tried, for the others look like it."""
    first = np.flatnonzero(are_least(padded_images(built.problem), rows)).tolist()
    table = _Table(built.problem, rows)
    best: tuple[int, tuple[int, ...]] | None = None
    tried = 0
    for number in first:
        if over(limits):
            break
        found = table.least(number, None if best is None else len(best[1]) - 1)
        best = best if found is None else (number, found)
        tried += 1
        progress.of("telling solutions apart")({"tried": tried, "classes": len(first)} | ({} if best is None else {"pieces": len(best[1])}))
    if best is None:
        if tried < len(first):
            return None
        raise PuzzleError(f"{built.instance.name}: none of its positions has exactly one completion: each solution is a part of another")
    solution = tuple(o for o in rows[best[0]].tolist() if o >= 0)
    return Hardest(_challenge(built, best[1], solution, limits, least=tried == len(first)), len(rows), recounted, tried)


class _Table:
    """Solutions, and for each placement those that have it, as the bits of a number."""

    def __init__(self, problem: CoverProblem, rows: Rows) -> None:
        self.forced = set(problem.forced)
        self.rows: list[tuple[int, ...]] = []
        self.having: dict[int, int] = {}
        lanes, options = np.nonzero(rows >= 0)[0], rows[rows >= 0]
        order = np.argsort(options, kind="stable")
        lanes, options = lanes[order], options[order]
        bounds = [0, *(np.flatnonzero(np.diff(options)) + 1).tolist(), len(options)]
        self.rows = [tuple(o for o in row if o >= 0) for row in rows.tolist()]
        for start, end in pairwise(bounds):
            if start < end:
                bits = np.zeros(len(rows), dtype=np.bool_)
                bits[lanes[start:end]] = True
                self.having[int(options[start])] = int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")

    def add(self, row: tuple[int, ...]) -> None:
        """Take one more solution."""
        for option in row:
            self.having[option] = self.having.get(option, 0) | 1 << len(self.rows)
        self.rows.append(row)

    def least(self, number: int, most: int | None = None) -> tuple[int, ...] | None:
        """Return the fewest placements of a solution that no other one has all of; None where there are no ``most`` that do."""
        own = [o for o in self.rows[number] if o not in self.forced]
        every = (1 << len(self.rows)) - 1
        most, best = len(own) if most is None else most, None
        while most >= 0 and (found := self._telling(number, every, own, most)) is not None:
            best, most = tuple(sorted(found)), len(found) - 1
        return best

    def _telling(self, number: int, among: int, own: Sequence[int], most: int) -> list[int] | None:
        """At most so many of some placements of a solution that tell it from all others among some solutions."""
        others = among & ~(1 << number)
        if not others:
            return []
        if not most:
            return None
        other = self.rows[(others & -others).bit_length() - 1]
        left = {o: among & self.having[o] for o in own}
        telling = sorted((o for o in own if o not in other), key=lambda o: left[o].bit_count())
        if most == 1:
            return next(([o] for o in telling if left[o] == 1 << number), None)
        rest = list(own)
        for option in telling:
            rest.remove(option)  # what needs it is tried with it alone
            found = self._telling(number, left[option], rest, most - 1)
            if found is not None:
                return [option, *found]
        return None


# where they are too many ------------------------------------------------------------------------------------------------------


def _of_some(built: BuiltInstance, seed: int, limits: Limits, progress: Progress) -> Hardest | None:
    """The fewest pieces for some solutions: one position of any other may do with fewer."""
    best: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    tried = 0
    try:
        for solution in _some(built, seed, limits):
            found = _fewest(built, solution, None if best is None else len(best[0]) - 1, limits)
            best = best if found is None else (found, solution)
            tried += 1
            progress.of("telling solutions apart")({"tried": tried} | ({} if best is None else {"pieces": len(best[0])}))
    except EndedError:  # what was found stands
        pass
    if best is None:
        if over(limits):
            return None
        raise PuzzleError(f"{built.instance.name}: no position with one completion was found in {tried} solutions")
    # one piece fewer than one is none, which leaves all solutions
    return Hardest(_challenge(built, *best, limits, least=len(best[0]) <= 1), None, recounted=False, tried=tried)


def _some(built: BuiltInstance, seed: int, limits: Limits) -> Iterator[tuple[int, ...]]:
    random = Random(seed)
    for _ in range(DRAWN):
        solution = drawn(built, random, limits)
        if over(limits):
            return
        yield solution


def _fewest(built: BuiltInstance, solution: tuple[int, ...], most: int | None, limits: Limits) -> tuple[int, ...] | None:
    """The fewest pieces that leave one solution; None where there are no ``most`` that do, or it is not known in time."""
    problem = built.problem
    table = _Table(problem, np.array([solution], dtype=np.int32))
    while (given := table.least(0, most)) is not None:
        rows, complete = list_completions(problem, given, replace(limits, solutions=2, seconds=CHALLENGE_SECONDS))
        if (ended := over(limits)) is not None:
            raise EndedError(ended)
        whole = [tuple(sorted([*problem.forced, *given, *(o for o in row if o >= 0)])) for row in rows.tolist()]
        others = [row for row in whole if row != solution]
        if not others:
            return given if complete and whole else None
        table.add(others[0])
    return None


# ------------------------------------------------------------------------------------------------------------------------------


def _challenge(built: BuiltInstance, placed: tuple[int, ...], solution: tuple[int, ...], limits: Limits, *, least: bool) -> Challenge:
    """The position, held against the geometry and another solver, with the time that this takes."""
    own = Limits(memory=limits.memory) if over(limits) else limits
    return replace(confirmed(built, described(built, placed, tuple(sorted(solution)), 1, own), own), least=least)


def _recounted(built: BuiltInstance, number: int, limits: Limits) -> bool:
    """Whether a solver that lists nothing counts as many solutions. Raises ContradictionError where it counts others."""
    name = RECOUNT_FOR_HARDEST.solver
    try:
        outcome = solver(name)(as_told(name, built.problem))(None, RECOUNT_FOR_HARDEST.limits(Clock(limits)))
    except NotSupportedError:
        return False
    if outcome.complete and outcome.found != number:
        raise ContradictionError(f"{built.instance.name}: {number:,} solutions are listed, and {name} counts {outcome.found:,}")
    return outcome.complete
