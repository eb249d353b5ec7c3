"""The inner loops that find the records with which each shape can be reached, and the number of ways to complete each state.

A state is a shape and a record of the tiles used. The records of a shape are a slice of one long array, in ascending order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, Words
from puzzlesat.kernels import compiled, part
from puzzlesat.solvers.tally.moves import Labels
from puzzlesat.solvers.tally.pull import REFUSED, moved

ZERO, ONE = np.uint64(0), np.uint64(1)


class States(NamedTuple):
    """The states found so far. S shapes."""

    begin: Longs  # (S,) the records of a shape are those from begin to stop
    stop: Longs  # (S,)
    record: Any  # uint32 or uint64


@part
def sift(words: Words, root: int, count: int) -> None:
    """Let a word sink in a heap until none below it is larger."""
    word = words[root]
    while 2 * root + 1 < count:
        child = 2 * root + 1
        if child + 1 < count and words[child + 1] > words[child]:
            child += 1
        if words[child] <= word:
            break
        words[root] = words[child]
        root = child
    words[root] = word


@part
def sort(words: Words, count: int) -> None:
    """Sort the first words in place (heapsort: numba's own sort allocates)."""
    for root in range(count // 2 - 1, -1, -1):
        sift(words, root, count)
    for last in range(count - 1, 0, -1):
        words[0], words[last] = words[last], words[0]
        sift(words, 0, last)


@compiled
def spread(
    shapes: Ints, at: int, until: int, edges: tuple[Longs, Ints, Ints], states: States, ends: Flags, labels: Labels, scratch: Words
) -> tuple[int, int]:
    """Find the records of some shapes, each from the records of the shapes at the other end of its ``edges``.

    They are written from index ``at`` on. A shape that ``ends`` marks has the record 0 too. Return the number of shapes processed before
    index ``until`` was reached or room ran out, in the array or in ``scratch``, and the index after the last record.
    """
    start, other, label = edges
    begin, stop, record = states
    for i in range(shapes.size):
        shape = shapes[i]
        most = 1
        for e in range(start[shape], start[shape + 1]):
            most += stop[other[e]] - begin[other[e]]
        if at >= until or most > scratch.size or at + most > record.size:
            return i, at
        found = 0
        if ends[shape]:
            scratch[0] = ZERO
            found = 1
        for e in range(start[shape], start[shape + 1]):
            for j in range(begin[other[e]], stop[other[e]]):
                after = moved(labels, label[e], np.uint64(record[j]))
                if after != REFUSED:
                    scratch[found] = after
                    found += 1
        sort(scratch, found)
        begin[shape] = at
        for j in range(found):
            if j == 0 or scratch[j] != scratch[j - 1]:
                record[at] = scratch[j]
                at += 1
        stop[shape] = at
    return shapes.size, at


@compiled
def turn_over(shapes: Ints, states: States, target: int) -> None:
    """Turn the records behind some shapes into the records before them, so that both add up to the target."""
    begin, stop, record = states
    for i in range(shapes.size):
        low, high = begin[shapes[i]], stop[shapes[i]] - 1
        while low <= high:
            last = np.uint64(target) - np.uint64(record[low])
            record[low] = np.uint64(target) - np.uint64(record[high])
            record[high] = last
            low, high = low + 1, high - 1


@part
def place_of(record: Any, low: int, high: int, wanted: Any) -> int:
    """Return the first index from low to high whose record is not below the wanted one (exponential search)."""
    step, last = 1, low
    while last < high and np.uint64(record[last]) < wanted:
        low = last + 1
        last += step
        step *= 2
    high = min(last, high)
    while low < high:
        middle = (low + high) // 2
        if np.uint64(record[middle]) < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@part
def added(ways: Words, to: int, more: int) -> bool:
    """Add one number of several words, the lowest first, to another; return whether it overflows."""
    carry = ZERO
    for w in range(ways.shape[1]):
        here = ways[to, w] + carry
        carry = ONE if here < carry else ZERO
        total = here + ways[more, w]
        carry += ONE if total < here else ZERO
        ways[to, w] = total
    return bool(carry != ZERO)


@compiled
def complete(shapes: Ints, first: int, last: int, edges: tuple[Longs, Ints, Ints], states: States, labels: Labels, ways: Words) -> bool:
    """Add up the ways to complete the states of the shapes number ``first`` to ``last``, from the states one move ahead.

    Return whether a number became too large for its words.
    """
    start, to, label = edges
    begin, stop, record = states
    for i in range(first, last):
        shape = shapes[i]
        for e in range(start[shape], start[shape + 1]):
            there = begin[to[e]]
            at, before = there, ZERO
            for j in range(begin[shape], stop[shape]):
                after = moved(labels, label[e], np.uint64(record[j]))
                if after == REFUSED:
                    continue
                if after < before:  # a field wrapped or stayed at its cap
                    at = there
                before = after
                at = place_of(record, at, stop[to[e]], after)
                if at < stop[to[e]] and np.uint64(record[at]) == after and added(ways, j, at):
                    return True
    return False
