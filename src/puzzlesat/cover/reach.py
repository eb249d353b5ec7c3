"""Which sums of weights the tiles can reach at all: a side condition that is out of reach ends the search before it begins."""

from __future__ import annotations

import numpy as np

from puzzlesat.cover.problem import Condition, CoverProblem

MOST_SUMS = 100_000
MOST_ADDED = 3_000_000
"""Sums that are made before nothing is said: a second or two, where tiles have thousands of copies."""


def out_of_reach(problem: CoverProblem) -> str | None:
    """Return the name of a side condition that no choice of one weight a copy of each tile can satisfy, or None.

    Places are ignored: only how often each tile is used, and which weights its options have. A set of reachable sums that grows
    beyond a bound, or takes too long, is given up, and nothing is said of that condition.
    """
    if not len(problem.tiles) or not problem.size:
        return None
    for condition in problem.conditions:
        sums = reachable_sums(problem, condition)
        if sums is not None and not any(condition.holds(int(s)) for s in sums):
            return condition.name
    return None


def reachable_sums(problem: CoverProblem, condition: Condition) -> set[int] | None:
    """Return the sums (modulo the modulus, if any) that the tiles can reach, or None where there are too many."""
    sums, added = {0}, 0
    for tile, options in zip(problem.tiles.tolist(), problem.options_of_tiles, strict=True):
        values = set(np.unique(condition.weights[options]).tolist())
        low, high = int(problem.low[tile]), min(int(problem.high[tile]), len(options))
        reached: set[int] = set()
        level = sums
        for used in range(high + 1):
            if used >= low:
                reached |= level
            if used < high:
                before, level = level, {_remainder(s + v, condition.modulus) for s in level for v in values}
                added += len(before) * len(values)
                if used >= low and level == before:
                    break  # more copies reach nothing else
            if len(level) > MOST_SUMS or len(reached) > MOST_SUMS or added > MOST_ADDED:
                return None
        sums = reached
    return sums


def _remainder(value: int, modulus: int) -> int:
    return value % modulus if modulus else value
