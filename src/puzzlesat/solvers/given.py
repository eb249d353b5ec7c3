"""What is left of a cover problem for the models once some options are given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from puzzlesat.cover.problem import CoverProblem


def left_over(problem: CoverProblem, given: Sequence[int]) -> NDArray[np.bool_]:
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
