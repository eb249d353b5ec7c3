"""One part of a cover problem, counted by one solver as long as that does not look too long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from puzzlesat.cover.parts import Part, make_part, weight_of
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.errors import NotSupportedError
from puzzlesat.progress import SHARE, Progress
from puzzlesat.solvers.coloured import placed_can_be_coloured
from puzzlesat.solvers.registry import as_told, entry, solver
from puzzlesat.solvers.run import COMPLETE, LIMIT, Clock, EndedError, Limits, Status
from puzzlesat.solvers.strategy import SEARCH

LEAST_SHARE = 1e-12
PROBE_SECONDS = 0.5
"""CPU seconds after which the share that is done says how long all of it takes."""


@dataclass(frozen=True)
class Attempt:
    """What came of it."""

    status: Status
    found: int = 0
    """Solutions, each with its weight; they are those of the part only where all of it was gone through."""
    seconds: float = 0.0
    share: float = 0.0
    """What part of it was done, where the solver says so."""
    work: Mapping[str, int] = field(default_factory=dict)
    refusal: NotSupportedError | None = None
    """Why the solver does not do it."""

    @property
    def complete(self) -> bool:
        """Whether all of it was gone through."""
        return self.status == COMPLETE and self.refusal is None

    @property
    def too_large(self) -> bool:
        """Whether the solver would do a smaller one."""
        return self.refusal is not None and self.refusal.__cause__ is not None

    @property
    def estimate(self) -> float | None:
        """The seconds that all of it would take, if the share is right; None where nothing is known of it."""
        return self.seconds / max(self.share, LEAST_SHARE) if self.share > 0 else None


def attempt(
    problem: CoverProblem, part: Part, name: str, limits: Limits, *, most: float | None = None, silent: float | None = None
) -> Attempt:
    """Count the solutions of a part; end early where it looks as if it took more than ``most`` seconds.

    So it does where the solver cannot say after ``silent`` seconds how much of it is done.
    """
    clock = Clock(limits)
    left = make_part(problem, part)
    if left is None:
        return Attempt(COMPLETE)
    if not left.size:
        found = int(left.asks_for_nothing and placed_can_be_coloured(left))
        return Attempt(COMPLETE, found * weight_of(problem, part))
    share = 0.0

    def listen(_: str, counters: Mapping[str, int]) -> None:
        nonlocal share
        share = counters.get(SHARE, 0) / 1e6 or share
        if most is not None and clock.seconds > PROBE_SECONDS and 0 < share * most < clock.seconds:
            raise EndedError(LIMIT)
        if silent is not None and not share and clock.seconds > silent:
            raise EndedError(LIMIT)

    total, work = 0, dict[str, int]()
    status: Status = COMPLETE
    for weight, same in _of_one_weight(as_told(name, left), name):
        try:
            outcome = solver(name)(same)(None, replace(limits, seconds=clock.left), progress=Progress(listen))
        except NotSupportedError as error:
            return Attempt(LIMIT, 0, clock.seconds, 0.0, work, error)
        total += weight * (outcome.found if outcome.weighted is None else outcome.weighted)
        work = {key: work.get(key, 0) + outcome.work.get(key, 0) for key in {**work, **outcome.work} if key != SHARE}
        status = outcome.status
        if not outcome.complete:
            break
    return Attempt(status, total * weight_of(problem, part), clock.seconds, share, work)


def _of_one_weight(problem: CoverProblem, name: str) -> Iterator[tuple[int, CoverProblem]]:
    """A problem parted so that its solutions weigh the same, with what they weigh: the backtracker alone adds up weights by itself.

    So does whoever looks at the solutions that a solver lists, for their colouring.

    Only the options of the tile on which the symmetry was broken weigh anything, and every solution has exactly one of them.
    """
    weights = problem.weight
    if weights is None or entry(name).name == SEARCH or problem.colouring is not None or (weights == 1).all():
        yield 1, problem
        return
    assert problem.broken_on is not None
    own = np.zeros(problem.size, dtype=bool)
    own[problem.options_of[problem.broken_on]] = True
    assert problem.low[problem.broken_on] == problem.high[problem.broken_on] == 1
    for weight in np.unique(weights[own]).tolist():
        yield weight, problem if (weights[own] == weight).all() else problem.select(~own | (weights == weight))
