"""The inner loops of the dynamic programme, compiled by numba.

At each level every shape has a list of (record of the tiles used, number of ways). The list of a shape is gathered in a scratch table
indexed by the record, from the lists of the shapes one move before it (or, from the end backwards, behind it).

Other loops find the records with which each shape can be reached, and the number of ways to complete each state: a shape and a record. The
records of a shape are then a slice of one long array, in ascending order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, Words
from puzzlesat.kernels import compiled, part
from puzzlesat.solvers.tally.moves import REFUSE, SATURATE, Labels

REFUSED = np.uint64(0xFFFFFFFFFFFFFFFF)
ZERO, ONE = np.uint64(0), np.uint64(1)


class Level(NamedTuple):
    """The lists of the shapes at one level."""

    shapes: Ints  # (k,)
    place: Ints  # (all shapes,) index into ``shapes``, or -1
    start: Longs  # (k,) the entries of shape i are those from start[i] to stop[i]
    stop: Longs  # (k,)
    entries: int
    most: int  # the largest number of ways
    record: Any  # (entries,) uint32 or uint64
    ways: Any  # (entries,) uint16 while they are small, else uint64


class Scratch(NamedTuple):
    """A table of ways by record: dense if ``key`` is empty, else a hash table. ``ways`` is 0 in unused slots.

    The last slot of a dense table belongs to no record: refused moves go there.
    """

    ways: Any  # the type of ``Level.ways``
    key: Words
    touched: Ints  # slots in use


@part
def moved(labels: Labels, label: int, record: Any) -> Any:
    """Return a record after a move with a label, or REFUSED."""
    if record & labels.zero[label]:
        return REFUSED
    record += labels.add[label]
    for e in range(labels.start[label], labels.start[label + 1]):
        value = ((record >> labels.shift[e]) & labels.mask[e]) + labels.amount[e]
        if value > labels.cap[e] or (value == labels.cap[e] and labels.kind[e] > SATURATE):
            if labels.kind[e] == REFUSE:
                return REFUSED
            value = labels.cap[e] if labels.kind[e] == SATURATE else value - labels.cap[e]
        record = (record & ~(labels.mask[e] << labels.shift[e])) | (value << labels.shift[e])
    return record


@part
def slot_of(s: Scratch, hashed: bool, record: Any) -> Any:
    """Return the slot of the scratch table where a record is, or belongs."""
    if not hashed:
        return np.int64(record)
    h = record * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64((h ^ (h >> np.uint64(32))) & np.uint64(s.key.size - 1))
    while s.ways[slot] != 0 and s.key[slot] != record:
        slot = (slot + 1) & (s.key.size - 1)
    return slot


@part
def reduced(value: Any, prime: Any) -> Any:
    """Return a value modulo a prime, from 1 to the prime, because 0 marks an unused slot."""
    return (value - ONE) % prime + ONE


@part
def gather(shape: int, start: Longs, origin: Ints, label: Ints, before: Level, labels: Labels, s: Scratch, prime: int) -> tuple[int, int]:
    """Gather the list of a shape in the scratch table; return the number of slots in use and of moves made."""
    hashed = s.key.size > 0
    nowhere = np.uint64(s.ways.size - 1)
    used, made = 0, 0
    for e in range(start[shape], start[shape + 1]):
        there = before.place[origin[e]]
        if there < 0:
            continue
        kind = label[e]
        zero, add, wide = labels.zero[kind], labels.add[kind], labels.start[kind] < labels.start[kind + 1]
        if not (hashed or wide or prime):
            # no branch depends on a record: half of the records are refused, which no processor could predict
            for j in range(before.start[there], before.stop[there]):
                record = np.uint64(before.record[j])
                allowed = record & zero == 0
                place = record + add if allowed else nowhere
                ways = s.ways[place]
                s.touched[used] = place
                used += allowed & (ways == 0)
                made += allowed
                s.ways[place] = ways + before.ways[j]
            continue
        for j in range(before.start[there], before.stop[there]):
            record = moved(labels, kind, np.uint64(before.record[j]))
            if record == REFUSED:
                continue
            made += 1
            slot = slot_of(s, hashed, record)
            ways = np.uint64(s.ways[slot])
            if ways == 0:
                s.touched[used] = slot
                used += 1
                if hashed:
                    s.key[slot] = record
            ways += np.uint64(before.ways[j])
            s.ways[slot] = reduced(ways, np.uint64(prime)) if prime else ways
    return used, made


@compiled
def pull(
    begin: int,
    end: int,
    at: int,
    edges: tuple[Longs, Ints, Ints],
    before: Level,
    after: Level,
    labels: Labels,
    s: Scratch,
    prime: int,
) -> tuple[int, int]:
    """Fill the lists of the shapes number ``begin`` to ``end`` of a level from the level before.

    Return the number of moves made, and the largest number of ways.

    Entries are written from index ``at`` on. With ``prime`` ways are counted modulo it.
    """
    start, origin, label = edges
    made, most = 0, 0
    hashed = s.key.size > 0
    for i in range(begin, end):
        after.start[i] = at
        used, more = gather(after.shapes[i], start, origin, label, before, labels, s, prime)
        made += more
        for k in range(used):
            slot = s.touched[k]
            after.record[at] = s.key[slot] if hashed else np.uint64(slot)
            after.ways[at] = s.ways[slot]
            most = max(most, np.int64(s.ways[slot]))
            s.ways[slot] = 0
            at += 1
        after.stop[i] = at
    return made, most


@compiled
def meet(
    shapes: Ints,
    to_shape: tuple[Longs, Ints, Ints],
    from_shape: tuple[Longs, Ints, Ints],
    first: Level,
    last: Level,
    labels: Labels,
    s: Scratch,
    target: int,
    prime: int,
    out: Words,
) -> None:
    """Write for each shape between two levels: Σ ways to it from ``first`` by one move, times ways from it by one move to ``last``.

    Only pairs whose records add up to the target count. The lists of the shapes in between, the longest of all, are never stored.
    """
    modulus, whole = np.uint64(prime), np.uint64(target)
    hashed = s.key.size > 0
    nowhere = np.uint64(s.ways.size - 1)
    start, to, label = from_shape
    for i in range(shapes.size):
        shape = shapes[i]
        used, _ = gather(shape, to_shape[0], to_shape[1], to_shape[2], first, labels, s, prime)
        total = ZERO
        if not hashed:
            s.ways[nowhere] = 0
        for e in range(start[shape], start[shape + 1]):
            there = last.place[to[e]]
            if there < 0 or not used:
                continue
            kind = label[e]
            zero, add, wide = labels.zero[kind], labels.add[kind], labels.start[kind] < labels.start[kind + 1]
            if not (hashed or wide or prime):
                for j in range(last.start[there], last.stop[there]):
                    record = np.uint64(last.record[j])
                    allowed = record & zero == 0
                    place = whole - (record + add) if allowed else nowhere
                    total += np.uint64(last.ways[j]) * np.uint64(s.ways[place])
                continue
            for j in range(last.start[there], last.stop[there]):
                record = moved(labels, kind, np.uint64(last.record[j]))
                if record == REFUSED:
                    continue
                ways = np.uint64(s.ways[slot_of(s, hashed, whole - record)])
                if ways:
                    total += np.uint64(last.ways[j]) * ways
                    if prime:
                        total %= modulus
        out[i] = total
        for k in range(used):
            s.ways[s.touched[k]] = 0


def reached(start: Longs, to: Ints, level: Level) -> Flags:
    """Return which shapes are one move away from the shapes of a level."""
    found = np.zeros(len(start) - 1, dtype=bool)
    reach(level.shapes, start, to, found)
    return found


@compiled
def reach(shapes: Ints, start: Longs, to: Ints, found: Flags) -> None:
    """Mark the shapes one move away from ``shapes``."""
    for shape in shapes:
        for e in range(start[shape], start[shape + 1]):
            found[to[e]] = True


def sizes(shapes: Ints, start: Longs, origin: Ints, before: Level) -> tuple[Longs, Ints]:
    """Return for each shape an upper bound of the entries of its list, and the number of moves that lead to it."""
    entries, moves = np.zeros(len(shapes), dtype=np.int64), np.zeros(len(shapes), dtype=np.int32)
    add_sizes(shapes, start, origin, before.place, before.start, before.stop, entries, moves)
    return entries, moves


@compiled
def add_sizes(shapes: Ints, start: Longs, origin: Ints, place: Ints, begins: Longs, ends: Longs, entries: Longs, moves: Ints) -> None:
    """Add up, for each shape, the entries of the shapes one move before it, and the moves."""
    for i in range(shapes.size):
        for e in range(start[shapes[i]], start[shapes[i] + 1]):
            there = place[origin[e]]
            if there >= 0:
                entries[i] += ends[there] - begins[there]
                moves[i] += 1


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
