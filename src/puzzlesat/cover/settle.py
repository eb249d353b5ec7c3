"""What is left of a cover problem once some options are chosen: a smaller problem of the same kind, or the options still possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from puzzlesat.arrays import Flags
from puzzlesat.cover.problem import UNLIMITED, Colouring, Condition, CoverProblem


def settle(problem: CoverProblem, given: Sequence[int] = ()) -> CoverProblem | None:
    """Return the problem without its forced options and those ``given``, which are chosen; None where they exclude each other.

    Its solutions are those of the problem that contain the chosen options, less these.
    """
    if not problem.forced and not given and problem.high.all():
        return problem
    chosen = np.array(sorted({*problem.forced, *given}), dtype=np.int64)
    taken = np.isin(problem.rows, chosen)
    covered = np.bincount(problem.item[taken], minlength=len(problem.items))
    plain = ~problem.coloured
    possible = np.ones(problem.size, dtype=bool)
    for item in np.unique(problem.item[taken & problem.coloured[problem.item]]):
        entries = problem.item == item
        colours = np.unique(problem.colour[entries & taken])
        if len(colours) > 1 or (colours[0] == 0 and covered[item] > 1):
            return None
        possible[problem.rows[entries & ((problem.colour != colours[0]) | (problem.colour == 0))]] = False
    if (covered > problem.high)[plain].any():
        return None
    high = np.where(plain & (problem.high != UNLIMITED), problem.high - covered, problem.high).astype(np.int32)
    possible[problem.rows[(high == 0)[problem.item]]] = False
    possible[chosen] = False
    return replace(
        problem,
        low=np.maximum(problem.low - covered, 0).astype(np.int32),
        high=high,
        conditions=tuple(_settled(c, int(c.weights[chosen].sum())) for c in problem.conditions),
        colouring=None if problem.colouring is None else _placed(problem, problem.colouring, chosen.tolist()),
        forced=(),
    ).select(possible)


def _settled(condition: Condition, total: int) -> Condition:
    """The condition on the options not yet chosen, those chosen weighing ``total``."""
    residue = (condition.residue - total) % condition.modulus if condition.modulus else 0
    return replace(condition, low=condition.low - total, high=condition.high - total, residue=residue)


def _placed(problem: CoverProblem, colouring: Colouring, chosen: Sequence[int]) -> Colouring:
    """The colouring of what is left beside the pieces of chosen options."""
    return replace(colouring, placed=(*colouring.placed, *(piece for option in chosen for piece in colouring.pieces_of(problem, option))))


def left_over(problem: CoverProblem, given: Sequence[int]) -> Flags:
    """Return for each option whether it may still be chosen beside the given ones (which themselves may).

    An option is out where a given one covers a once-only item of it, or gives an item of it another colour. Given options that
    exclude each other are all kept: the constraints of the model find that out.
    """
    possible = np.ones(problem.size, dtype=bool)
    for option in given:
        for entry in range(problem.start[option], problem.start[option + 1]):
            item, colour = problem.item[entry], problem.colour[entry]
            if not problem.coloured[item] and problem.high[item] > 1:
                continue
            same = problem.item == item
            if problem.coloured[item] and colour > 0:
                same &= problem.colour != colour
            possible[problem.rows[same]] = False
    possible[list(given)] = True
    return possible
