"""The types of arrays of the checker, and sets of bits in 64-bit words, for kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels import part

Flags = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
"""Sets with sixty-four members per word."""
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Rows = NDArray[np.int32]
"""Solutions: array (solutions, width) of option numbers, ascending in each row, padded with -1 at its end."""
Permutation = NDArray[np.int64]
"""The image of each option under a symmetry."""
Records = NDArray[np.uint32]
"""A search tree, node by node."""
ONE = np.uint64(1)


@part
def popcount(word: Any) -> int:
    """Return the number of 1 bits of a word; LLVM makes one instruction of it."""
    count = 0
    while word:
        word &= word - ONE
        count += 1
    return count


@part
def lowest_bit(word: Any) -> int:
    """Return the index of the lowest 1 bit of a word that is not 0."""
    return popcount(~word & (word - ONE))


@part
def add(row: Words, number: int) -> None:
    """Put a number into a set."""
    row[number >> 6] |= ONE << np.uint64(number & 63)


@part
def remove(row: Words, number: int) -> None:
    """Take a number out of a set."""
    row[number >> 6] &= ~(ONE << np.uint64(number & 63))
