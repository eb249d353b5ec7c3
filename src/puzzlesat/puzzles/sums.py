"""The sums of weights that tiles can reach, ignoring their places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

import numpy as np

from puzzlesat.base import Longs

WIDEST = 200_000
"""Sums that spread over more integers than this are not computed."""
WORD_BITS, WORDS_A_SHIFT = 30, 100
"""Bits of a word of Python's integers; and the overhead of a shift, in words that could be shifted in that time."""


def reachable(values: Iterable[Sequence[int]], copies: Iterable[tuple[int, int]], modulus: int, most_work: float = inf) -> Longs | None:
    """Return every sum of values, one value for each copy of each tile, ascending; None if they spread too widely or take too much work.

    ``values`` are the values of each tile, ``copies`` its least and largest number of copies. The set of sums is a bitset in an integer,
    whose lowest bit represents ``base``: adding a value is a shift.
    """
    sums, base, work = 1, 0, 0
    for own, (low, high) in zip(values, copies, strict=True):
        least = 0 if modulus else min((0, *own))
        if not modulus and sums.bit_length() + (max((0, *own)) - least) * high > WIDEST:
            return None
        # level: the sums with ``used`` copies of this tile, relative to ``used`` times the least value
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
                break  # more copies reach no other sums
        sums = union
        base += least * high
    packed = np.frombuffer(sums.to_bytes(-(-sums.bit_length() // 8), "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(packed, bitorder="little")) + base


def _added(level: int, values: list[int], modulus: int) -> int:
    """Return every sum of a member of the level and one of the values."""
    found = 0
    for v in values:
        found |= level << v
    return found & ((1 << modulus) - 1) | found >> modulus if modulus else found
