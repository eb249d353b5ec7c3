"""The inner loop of the sweep, compiled by numba: sorted streams of states are merged to one, and the ways of equal states are added up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puzzlesat.arrays import Longs, Words
from puzzlesat.check.kernels import compiled

ZERO, ONE = np.uint64(0), np.uint64(1)
NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
"""The head of a stream that has ended: a state is even once it was shifted."""


class Frontier(NamedTuple):
    """The states at a position in ascending order, and the number of ways to each."""

    key: Words  # (n,) the positions from here on, the first one in the highest bit: 1 for those that are filled
    ways: Words  # (n, limbs) the lowest 64 bits first


class Streams(NamedTuple):
    """What each move makes of the states between two places of a frontier; a state stays as it is where the mask is 0."""

    mask: Words  # (k,)
    at: Longs  # (k,) where the stream is
    end: Longs  # (k,)
    head: Words  # (k,) scratch: the state that comes next


@compiled
def merge(before: Frontier, s: Streams, top: int, after: Frontier) -> tuple[int, int]:
    """Fill ``after`` with what the streams lead to, one position on.

    The states that a mask does not touch stay in order when it is added to them, so each stream is sorted. Returns how many states there
    are, and the largest highest limb of their ways. ``top`` is the highest bit of a state.
    """
    made, most = 0, ZERO
    limbs, wide = before.ways.shape[1], after.ways.shape[1]
    inside = ~np.uint64(top)
    key = before.key
    for k in range(s.mask.size):
        at, end, mask = s.at[k], s.end[k], s.mask[k]
        while at < end and key[at] & mask:
            at += 1
        s.at[k] = at
        s.head[k] = ((key[at] | mask) & inside) << ONE if at < end else NONE
    while True:
        least = NONE
        for k in range(s.mask.size):
            least = min(least, s.head[k])
        if least == NONE:
            return made, np.int64(min(most, np.uint64(0x7FFFFFFFFFFFFFFF)))
        after.key[made] = least
        for w in range(wide):
            after.ways[made, w] = ZERO
        for k in range(s.mask.size):
            if s.head[k] != least:
                continue
            at, end, mask = s.at[k], s.end[k], s.mask[k]
            carry = ZERO
            for w in range(limbs):
                part = before.ways[at, w] + carry
                carry = ONE if part < carry else ZERO
                total = after.ways[made, w] + part
                carry += ONE if total < part else ZERO
                after.ways[made, w] = total
            if wide > limbs:
                after.ways[made, limbs] += carry
            at += 1
            while at < end and key[at] & mask:
                at += 1
            s.at[k] = at
            s.head[k] = ((key[at] | mask) & inside) << ONE if at < end else NONE
        most = max(most, after.ways[made, wide - 1])
        made += 1
