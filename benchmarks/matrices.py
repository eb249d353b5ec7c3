"""The exact-cover matrix in the formats of the programs: lists of items, a matrix of bits, or a file in Knuth's format."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puzzlesat.base.errors import NotSupportedError
from puzzlesat.formats.xcc import xcc_lines
from puzzlesat.puzzles.problem import CoverProblem


def plain_options(problem: CoverProblem) -> list[list[int]]:
    """Return the options as lists of consecutively numbered items, each to be covered exactly once.

    Items that may be covered any number of times are omitted, since they constrain nothing. Raises NotSupportedError for any other problem.
    """
    free = (problem.low == 0) & (problem.high == CoverProblem.UNLIMITED) & ~problem.coloured
    once = (problem.low == 1) & (problem.high == 1) & ~problem.coloured
    if problem.conditions or problem.forced or not (free | once).all():
        raise NotSupportedError("this is no plain exact cover")
    number = (np.cumsum(once) - 1).tolist()
    return [[number[i] for i in problem.items_of(o).tolist() if once[i]] for o in range(problem.size)]


def plain_matrix(problem: CoverProblem) -> NDArray[np.bool_]:
    """Return the options of ``plain_options`` as rows of a matrix."""
    options = plain_options(problem)
    matrix = np.zeros((len(options), 1 + max(i for items in options for i in items)), dtype=bool)
    for row, items in zip(matrix, options, strict=True):
        row[items] = True
    return matrix


def plain_file(problem: CoverProblem) -> str:
    """Return the options of ``plain_options`` as a file in Knuth's format, without comments, so that no program spends time on them."""
    plain_options(problem)
    return "".join(f"{line}\n" for line in xcc_lines(problem) if not line.startswith("|"))
