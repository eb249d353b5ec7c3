"""The order of the solutions of a problem, in which they have their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from puzzlesat.arrays import Longs, Rows
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.cover.settle import settle
from puzzlesat.solvers.tally.moves import positions_of
from puzzlesat.solvers.tally.scan import scan_order


def in_order(problem: CoverProblem, rows: Rows, given: Sequence[int] = ()) -> Rows:
    """Return the solutions that contain the options ``given``, which are all, in their order.

    Positions are the items that are filled once, in the order in which the tally fills them. Of two solutions that one comes first
    which has the lesser option at the first position that they fill differently; an option comes before none.
    """
    left = settle(replace(problem, origin=None), given)  # what remembers the numbers of this problem
    if left is None or not rows.size:
        return rows
    place = np.zeros(problem.size + 1, dtype=np.int64)  # what all have comes first
    place[np.arange(problem.size) if left.origin is None else left.origin] = 1 + _places(left)
    place[-1] = problem.size + 1
    keys = np.sort(place[rows], axis=1)
    return rows[np.lexsort(keys.T[::-1])]


def _places(problem: CoverProblem) -> Longs:
    """The place of each option, by its first position, and then by its number."""
    order = scan_order(problem, positions_of(problem))
    position = np.full(len(problem.items), len(order))
    position[order] = np.arange(len(order))
    first = np.full(problem.size, len(order))
    np.minimum.at(first, problem.rows, position[problem.item])
    place = np.empty(problem.size, dtype=np.int64)
    place[np.argsort(first, kind="stable")] = np.arange(problem.size)
    return place
