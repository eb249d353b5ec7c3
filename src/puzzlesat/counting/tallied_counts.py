"""Counts without a list: ``all``, ``fixed`` from one more count for each kind of symmetry, ``distinct`` by Burnside's lemma.

``alternately`` lets two programs take turns: each has a thread, one runs at a time, and both get about the same time. Whoever does not know
which of the two is faster waits at most twice as long as for the faster one. Nothing is started again: a program that has to wait does so
where it reports progress.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from threading import Event
from types import MappingProxyType

import numpy as np

from puzzlesat.base import SILENT, Clock, EndedError, Limits, NotSupportedError, Outcome, Progress
from puzzlesat.counting.counts import Counts, Labelling
from puzzlesat.puzzles import BuiltInstance, CoverProblem, quotient
from puzzlesat.solvers import solver

AHEAD_SECONDS = 0.05
"""So far one work may be ahead of the other before it waits: a turn takes twice as long."""
AHEAD_SHARE = 1 / 16
"""Of what the other one has had: the longer both take, the longer are the turns."""
POLL_SECONDS = 0.1
"""Waiting goes in short steps, so that Ctrl-C is heard."""
SECONDS_TO_END = 5.0
"""That a work is waited for which has been told to end."""


class Side:
    """One of two works. It has its ``turn`` or waits for it, and ends where it has had more time than is allowed."""

    def __init__(self, limits: Limits) -> None:
        self.turn = Event()
        self.limits = replace(limits, turn=self.turn)
        self.used = 0.0
        """Time that it has had, as its limits count it."""
        self.most = inf
        """Time that it may have. Whoever has the turn may change it."""
        self.waited = 0.0
        """Time between its turns."""
        self.since = 0.0
        self.ended = False
        self.other = self

    def begin(self) -> None:
        """Wait for the first turn."""
        try:
            while not self.turn.wait(POLL_SECONDS):
                pass
        finally:
            self.turn.set()  # also where Ctrl-C ends the waiting: threads of this work are to end, and not to wait for ever
        self.since = self.limits.now

    def end(self) -> None:
        """Leave all turns to the other work, for good."""
        if not self.ended:
            self._book()
            self.ended = True
            self.other.turn.set()

    def telling(self, progress: Progress) -> Progress:
        """Return what tells the same listener, and then waits for its next turn where it is the other one's; EndedError is raised there."""

        def listen(what: str, counters: Mapping[str, int]) -> None:
            progress.listener(what, counters)
            self.go_on(what=what, counters=counters)

        return replace(progress, listener=listen)

    def go_on(self, *, what: str = "", counters: Mapping[str, int] = MappingProxyType({})) -> None:
        """Wait for the next turn where it is the other one's. Raises EndedError where this one has had as much time as it may have."""
        self._book()
        other = self.other
        if not other.ended and self.used - other.used > max(AHEAD_SECONDS, AHEAD_SHARE * other.used):
            left = self.since
            self.turn.clear()
            other.turn.set()
            self.begin()
            self.waited += self.since - left
        if self.used >= self.most:
            raise EndedError("limit reached", what, counters={name: number for name, number in counters.items() if name != Progress.SHARE})

    def _book(self) -> None:
        now = self.limits.now
        self.used += now - self.since
        self.since = now


def two_sides(first: Limits, second: Limits) -> tuple[Side, Side]:
    """Return two works, each with limits of its own; the first one has the first turn."""
    sides = Side(first), Side(second)
    sides[0].other, sides[1].other = sides[1], sides[0]
    sides[0].turn.set()
    return sides


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


def tallied(name: str, built: BuiltInstance, problem: CoverProblem, limits: Limits, progress: Progress = SILENT) -> Tallied:
    """Count the solutions that each symmetry leaves unchanged, the identity first; symmetries of one kind (conjugate) fix equally many.

    Raises NotSupportedError where the solver cannot count the puzzle; where it cannot count what a symmetry
    fixes, that is not known. Raises PuzzleError where another process counts in the same folder.
    """
    with limits.disk_locked():
        return _tallied(name, built, problem, limits, progress)


def _tallied(name: str, built: BuiltInstance, problem: CoverProblem, limits: Limits, progress: Progress) -> Tallied:
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
