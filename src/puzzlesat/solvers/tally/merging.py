"""The inner loop of the sweep, compiled by numba: one sorted frontier becomes the next one by merging what each move makes of it.

A state is one 64-bit key: the record in the high bits, the window in the low ones, bit 0 standing for the position at hand. A move adds
bits where there are none (and numbers to fields that have room for them), which keeps the order of all states from which it can be made; so
does going on to the next position. So what a move makes of a sorted frontier is sorted, and the next frontier is the merge of as many
streams as there are moves: nothing is looked up, and memory is read and written in order, which may as well lie on disk.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puzzlesat.arrays import Longs, Words
from puzzlesat.solvers.bits import compiled, part

ONE = np.uint64(1)
END = np.uint64(0xFFFFFFFFFFFFFFFF)
"""Above every key: these have 63 bits at most."""
TOO_WIDE = -1


class Streams(NamedTuple):
    """What can be done at a position: k moves; to leave it filled, or empty, is one as well. Fields are those wider than one bit."""

    zero: Words  # (k,) bits that must be 0 before
    one: Words  # (k,) bits that must be 1 before
    add: Words  # (k,) what is added to the key
    start: Longs  # (k + 1,) CSR: fields that must have room
    shift: Words
    mask: Words
    most: Words  # the highest value before
    window: np.uint64  # the bits of the window


class Frontier(NamedTuple):
    """States in ascending order of their keys, and the number of ways to each."""

    key: Words  # (N,)
    ways: Words  # (words, N) the lowest word first


@part
def possible(s: Streams, stream: int, key: int) -> bool:
    """Whether a move can be made from a state."""
    room = key & s.zero[stream] == 0 and key & s.one[stream] == s.one[stream]
    for e in range(s.start[stream], s.start[stream + 1]):
        room = room and (key >> s.shift[e]) & s.mask[e] <= s.most[e]
    return bool(room)


@part
def advance(s: Streams, f: Frontier, stream: int, at: Longs, until: Words, ahead: Words) -> None:
    """Go on to the next state of a stream, from ``at`` on; ``ahead`` is what it becomes."""
    i, zero, one = at[stream], s.zero[stream], s.one[stream]
    if s.start[stream] == s.start[stream + 1]:
        while i < until[stream] and (f.key[i] & zero or f.key[i] & one != one):
            i += 1
    else:
        while i < until[stream] and not possible(s, stream, f.key[i]):
            i += 1
    at[stream] = i
    if i < until[stream]:
        key = f.key[i] + s.add[stream]
        ahead[stream] = (key & ~s.window) | ((key & s.window) >> ONE)
    else:
        ahead[stream] = END


@compiled
def merge(s: Streams, f: Frontier, at: Longs, until: Longs, ahead: Words, sums: Words, out: Frontier, row: int, write: bool) -> int:
    """Merge the states ``at[k]`` to ``until[k]`` of each stream k into ``out``, from a row on, or only count them.

    ``ahead`` (k,) and ``sums`` (words,) are scratch. Returns the number of states, or TOO_WIDE where a number of ways needs more words.
    """
    streams, words = at.size, sums.size
    for k in range(streams):
        advance(s, f, k, at, until, ahead)
    begin = row
    while True:
        key = ahead[0]
        for k in range(1, streams):
            key = min(key, ahead[k])
        if key == END:
            return row - begin
        for w in range(words):
            sums[w] = 0
        for k in range(streams):
            if ahead[k] == key:
                if write and not add_to(sums, f.ways, at[k]):
                    return TOO_WIDE
                at[k] += 1
                advance(s, f, k, at, until, ahead)
        if write:
            out.key[row] = key
            for w in range(words):
                out.ways[w, row] = sums[w]
        row += 1


@part
def add_to(sums: Words, ways: Words, i: int) -> bool:
    """Add a column of ``ways`` to ``sums``; False where that needs another word."""
    carry = np.uint64(0)
    for w in range(sums.size):
        part = sums[w] + carry
        total = part + ways[w, i]
        carry = np.uint64(part < carry) | np.uint64(total < part)
        sums[w] = total
    return bool(carry == 0)
