"""Count solutions without listing them: ``all``, ``fixed`` by one more count for each conjugacy class, ``distinct`` by Burnside's lemma.

``two_sides`` lets two computations take turns: each has a thread, one runs at a time, and both get about the same time, until one of them
is forecast to need longer than the other: then it gets a sixteenth. So the result of the faster one takes at most twice as long as it
would alone. No computation is started again: it waits where it reports progress.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from threading import Event

import numpy as np

from puzzlesat.base import SILENT, Clock, EndedError, Limits, NotSupportedError, Outcome, Progress
from puzzlesat.counting.counts import Counts, Labelling
from puzzlesat.puzzles import BuiltInstance, CoverProblem, quotient
from puzzlesat.solvers import solver

AHEAD_SECONDS = 0.05
"""Maximum lead of one computation over the other before it waits; a turn takes twice as long."""
AHEAD_SHARE = 1 / 16
"""The lead as a share of the other one's time, if it is more: the longer both take, the longer are the turns."""
MIN_REST_SECONDS, REST_FACTOR = 0.5, 16
"""Time below which a computation does not rest, and how many times as much as a resting one the other one may use."""
POLL_SECONDS = 0.1
"""Seconds of one step of waiting, so that Ctrl-C is noticed."""
SECONDS_TO_END = 5.0
"""Seconds to wait for a computation that should end."""


class Side:
    """One of two computations. It has the ``turn`` or waits for it, and ends when it has used more time than allowed."""

    def __init__(self, limits: Limits) -> None:
        self.turn = Event()
        self.limits = replace(limits, turn=self.turn)
        self.used = 0.0
        """Seconds of its turns, by the clock of its limits."""
        self.most = inf
        """Maximum of ``used``. The thread that has the turn may change it."""
        self.needs = 0.0
        """Estimate of ``used`` at the end of this computation, or a lower bound of it; 0 if it is not known."""
        self.waited = self.since = 0.0
        """Seconds between its turns; time at which the seconds of a turn were last counted."""
        self.ended = False
        self.other = self

    @property
    def rests(self) -> bool:
        """True if the other computation will end first, as far as one knows."""
        other = self.other
        return self.needs > MIN_REST_SECONDS and 0 < other.needs < self.needs and other.used < REST_FACTOR * self.used

    def begin(self) -> None:
        """Wait for the first turn."""
        try:
            while not self.turn.wait(POLL_SECONDS):
                pass
        finally:
            self.turn.set()  # also after Ctrl-C, so that threads of this computation end instead of waiting for ever
        self.since = self.limits.now

    def end(self) -> None:
        """Give all further turns to the other computation."""
        if not self.ended:
            self._book()
            self.ended = True
            self.other.turn.set()

    def telling(self, progress: Progress) -> Progress:
        """Return a progress that tells the same listener and then calls ``go_on``."""

        def listen(what: str, counters: Mapping[str, int]) -> None:
            progress.listener(what, counters)
            self.needs = 1e6 * self.used / max(1, counters.get(Progress.SHARE, 0)) if Progress.SHARE in counters else 0.0
            self.go_on(what=what, counters=counters)

        return replace(progress, listener=listen)

    def go_on(self, *, what: str = "", counters: Mapping[str, int] | None = None) -> None:
        """Wait for the next turn if the other one should have it. Raises EndedError if the time of this one is used up."""
        self._book()
        other = self.other
        ahead = self.used - other.used > max(AHEAD_SECONDS, AHEAD_SHARE * other.used)
        if not other.ended and (self.rests or (ahead and not other.rests)):
            left = self.since
            self.turn.clear()
            other.turn.set()
            self.begin()
            self.waited += self.since - left
        if self.used >= self.most:
            own = {name: number for name, number in (counters or {}).items() if name != Progress.SHARE}
            raise EndedError("limit reached", what, counters=own)

    def _book(self) -> None:
        now = self.limits.now
        self.used += now - self.since
        self.since = now


def two_sides(first: Limits, second: Limits) -> tuple[Side, Side]:
    """Return two sides, each with its limits. The first one has the first turn."""
    sides = Side(first), Side(second)
    sides[0].other, sides[1].other = sides[1], sides[0]
    sides[0].turn.set()
    return sides


LOCK = "puzzlesat.lock"
"""The lock file in the folder of the tally's disk files. Two counts in one folder would mix up their files."""


@dataclass(frozen=True)
class Tallied:
    """The result of a solver that lists nothing."""

    outcome: Outcome
    counts: Counts
    burnside: bool | None
    """True if the sum over the symmetries is a multiple of their number, as Burnside's lemma requires; None if the sum is not known."""
    after: float | None = None
    """Seconds from the beginning of the work on the puzzle to this result."""


def tallied(name: str, built: BuiltInstance, problem: CoverProblem, limits: Limits, progress: Progress = SILENT) -> Tallied:
    """Count the solutions, and the solutions that each symmetry fixes. Conjugate symmetries fix equally many and need one count.

    The numbers of fixed solutions are unknown if the solver refuses one of these counts. Raises NotSupportedError if the solver cannot
    count the puzzle, and PuzzleError if another process counts in the same folder.
    """
    with limits.disk_locked():
        outcome = solver(name)(problem)(None, limits, progress=progress)
        fixed = _fixed(name, problem, limits, outcome.found, progress) if outcome.complete else None
    if not outcome.complete:
        return Tallied(outcome, Counts(), None)
    order, labelling = len(problem.symmetries), Labelling(built)
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
    """Return the number of solutions that each symmetry fixes; None if not known."""
    if problem.images is None:
        return [total]
    by_kind: dict[int, int] = {0: total}
    try:
        kinds = conjugates(problem, progress)
    except EndedError:  # the number of all solutions remains known
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
    """Return for each symmetry of a problem the number of the first symmetry that is conjugate to it."""
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
