"""Sums of weights that tiles can reach, whatever their places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

import numpy as np

from puzzlesat.base import Longs

WIDEST = 200_000
"""Sums that spread wider than this are not looked at: nothing is claimed of such weights."""
WORD_BITS, WORDS_A_SHIFT = 30, 100
"""The bits of a word of Python's integers, and the words that take as long to shift as the call itself."""


def reachable(values: Iterable[Sequence[int]], copies: Iterable[tuple[int, int]], modulus: int, most_work: float = inf) -> Longs | None:
    """Return every sum of as many values of each tile as it has copies, ascending; None where they spread too widely, or take more work.

    The sums are the bits of a whole number, of which the lowest stands for ``base``: to add a value is to shift.
    """
    sums, base, work = 1, 0, 0
    for own, (low, high) in zip(values, copies, strict=True):
        least = 0 if modulus else min((0, *own))
        if not modulus and sums.bit_length() + (max((0, *own)) - least) * high > WIDEST:
            return None
        # a level holds the sums with so many copies of this tile, each of them counted from the least possible
        level, union = sums, 0
        for used in range(high + 1):
            if used >= low:
                union |= level << -least * (high - used)
            if used == high or not level:
                break
            width = max(level.bit_length() + max((0, *own)) - least, union.bit_length())
            work += (len(own) + 1) * (width // WORD_BITS + WORDS_A_SHIFT)
            if work > most_work:
                return None
            before, level = level, _added(level, [v - least for v in own], modulus)
            if used >= low and level == before and not least:
                break  # more copies reach nothing else
        sums = union
        base += least * high
    packed = np.frombuffer(sums.to_bytes(-(-sums.bit_length() // 8), "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(packed, bitorder="little")) + base


def _added(level: int, values: list[int], modulus: int) -> int:
    """Every sum of one of the level and one of the values."""
    found = 0
    for v in values:
        found |= level << v
    return found & ((1 << modulus) - 1) | found >> modulus if modulus else found
