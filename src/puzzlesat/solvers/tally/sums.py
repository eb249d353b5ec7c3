"""How many solutions end with each sum of weights: one count answers the question for all sets of tiles at once.

The tally keeps a record of what is used beside each shape. Where that is all that is asked, the solutions need only be added up by the
record that they end with; nothing is told apart that was not told apart before.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from puzzlesat.cover.problem import CoverProblem, refuse_colouring
from puzzlesat.cover.settle import settle
from puzzlesat.errors import NotSupportedError
from puzzlesat.progress import SILENT, Progress
from puzzlesat.solvers.machine import all_cores, memory_within
from puzzlesat.solvers.run import COMPLETE, Clock, Limits, Outcome
from puzzlesat.solvers.tally.levels import Work, count_ways
from puzzlesat.solvers.tally.moves import make_moves
from puzzlesat.solvers.tally.shapes import TooLargeError, find_shapes, pockets_of
from puzzlesat.solvers.tally.solve import NAME, GoOn, StoppedError, heeding_clock, without_frames

Sums = tuple[int, ...]
"""The sum of the weights of each of some conditions."""


def by_sums(problem: CoverProblem, many: int, limits: Limits, *, progress: Progress = SILENT) -> tuple[Outcome, Counter[Sums]]:
    """Count the solutions by the sums that the first conditions have, so ``many`` of them; none of their weights is below 0.

    Returns the outcome, and the solutions of each sum that there are any of: of use only where the outcome is complete. Raises
    NotSupportedError where the tally cannot count the problem, and where shapes or states need more memory than the limits allow.
    """
    refuse_colouring(problem, NAME)
    clock = Clock(limits)
    counters: dict[str, int] = {}
    try:
        found = _by_sums(problem, many, limits, heeding_clock(clock, counters, progress))
    except StoppedError as stopped:
        return Outcome(NAME, 0, stopped.status, clock.seconds, counters), Counter()
    except (TooLargeError, MemoryError) as error:
        raise NotSupportedError(f"tally: {str(error) or 'memory ran out'}") from without_frames(error)
    return Outcome(NAME, sum(found.values()), COMPLETE, clock.seconds, counters), found


def _by_sums(problem: CoverProblem, many: int, limits: Limits, go_on: GoOn) -> Counter[Sums]:
    chosen = [int(c.weights[list(problem.forced)].sum()) for c in problem.conditions[:many]]
    left = settle(problem)
    if left is None:
        return Counter()
    most = [min(left.longest * int(c.weights.max(initial=0)), int(c.weights.sum())) for c in left.conditions[:many]]
    told = [replace(c, high=min(c.high, reached)) for c, reached in zip(left.conditions[:many], most, strict=True)]
    if any(c.low > c.high for c in told):
        return Counter()
    left = replace(left, conditions=(*told, *left.conditions[many:]))
    moves, record, order = make_moves(left)
    memory = memory_within(limits)
    shapes = find_shapes(moves, pockets_of(left, order, moves, record), memory, limits.shapes, lambda n: go_on("shapes", n))
    work = Work(memory, limits.cores or all_cores(), lambda n: go_on("states", n))
    ways = count_ways(shapes, record, work)
    fields = {id(field.condition): field for field in record.fields}
    own = [fields[id(condition)] for condition in told]  # each has one, for its sum can go beyond no limit that is not its own
    found: Counter[Sums] = Counter()
    for used, number in ways.items():
        sums = (total + (used >> field.shift & ((1 << field.bits) - 1)) for total, field in zip(chosen, own, strict=True))
        found[tuple(sums)] += number
    return +found
