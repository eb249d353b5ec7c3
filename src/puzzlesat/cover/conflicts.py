"""Which options exclude each other, as a packed bit matrix."""

from __future__ import annotations

import numpy as np

from puzzlesat.arrays import Bits, Ints
from puzzlesat.cover.problem import CoverProblem


def conflict_matrix(problem: CoverProblem) -> Bits:
    """Return an array (options, ceil(options / 8)) of packed bits: bit p of row o is 1 where o and p exclude each other.

    Two options exclude each other when they share an item that can be covered once only, or give an item different colours.
    An option does not exclude itself. Bits are packed as by ``numpy.packbits`` with little bit order.
    """
    n = problem.size
    matrix = np.zeros((n, (n + 7) // 8), dtype=np.uint8)
    order = np.argsort(problem.item, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(problem.item, minlength=len(problem.items)))])
    for i in np.flatnonzero((problem.high == 1) | problem.coloured):
        entries = order[bounds[i] : bounds[i + 1]]
        options, colours = problem.rows[entries], problem.colour[entries]
        if not problem.coloured[i]:
            matrix[options] |= _packed(options, n)
            continue
        for colour in np.unique(colours):
            others = options[(colours != colour) | (colours == 0)]
            matrix[options[colours == colour]] |= _packed(others, n)
    diagonal = np.arange(n)
    matrix[diagonal, diagonal // 8] &= ~(1 << (diagonal % 8).astype(np.uint8)).astype(np.uint8)
    return matrix


def _packed(options: Ints, n: int) -> Bits:
    row = np.zeros(n, dtype=np.uint8)
    row[options] = 1
    return np.packbits(row, bitorder="little")
