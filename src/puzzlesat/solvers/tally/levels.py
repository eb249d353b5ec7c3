"""Counting the ways through the shapes, level by level: one tile a level, records of what is used beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import isqrt, log2
from typing import Any

import numpy as np

from puzzlesat.cover.problem import Ints
from puzzlesat.solvers.tally import growth, pull
from puzzlesat.solvers.tally.moves import Longs, Record
from puzzlesat.solvers.tally.pull import Level, Scratch
from puzzlesat.solvers.tally.shapes import Shapes, TooLargeError

DENSE_BITS = 21
ENTRIES_A_TURN = 1 << 22
MOST_WAYS, MOST_SHORT = 2**63, 2**16
LARGEST_PRIME = 2**31 - 1

Edges = tuple[Longs, Ints, Ints]
"""Moves in CSR form: start, the shape at the other end, label."""


class OverflowError64(Exception):
    """Numbers of ways may not fit into 64 bits."""


@dataclass
class Work:
    """What was done, and what watches over it."""

    memory: int
    """Bytes that levels and scratch tables may take."""
    go_on: Callable[[int], None]
    """Called now and then with the number of states so far; may raise."""
    states: int = 0
    merged: int = 0
    peak: int = 0


def count_ways(shapes: Shapes, record: Record, work: Work) -> Counter[int]:
    """Return the number of solutions by the record that they end with.

    Numbers beyond 64 bits are put together from their remainders modulo primes (Chinese remainder theorem).
    """
    try:
        return _count(shapes, record, work, 0)
    except OverflowError64:
        pass
    bits = _bound(shapes)
    found: Counter[int] = Counter()
    modulus = 1
    for prime in _primes():
        part = _count(shapes, record, work, prime)
        for key in found.keys() | part.keys():
            found[key] += modulus * ((part[key] - found[key]) * pow(modulus, -1, prime) % prime)
        modulus *= prime
        if log2(modulus) > bits:
            return +found
    raise AssertionError("there are enough primes")


def _count(shapes: Shapes, record: Record, work: Work, prime: int) -> Counter[int]:
    if not shapes.size:
        return Counter()
    forward = growth.turn_round(shapes.start, shapes.to, shapes.label)
    backward = (shapes.start, shapes.to, shapes.label)
    short = np.uint64 if prime else np.uint16
    scratch: Scratch | None = None
    first = _single(shapes, np.array([0], dtype=np.int32), record, short)
    if record.target is None or record.tiles is None or record.tiles < 2:
        return _from_one_end(shapes, record, work, prime, forward, first, scratch)
    last = _single(shapes, np.flatnonzero(shapes.accepts).astype(np.int32), record, short)
    for _ in range(record.tiles - 2):
        if first.ways.size <= last.ways.size:
            first, scratch = _next(first, backward, forward, record, work, prime, scratch, _bytes(last))
        else:
            last, scratch = _next(last, forward, backward, record, work, prime, scratch, _bytes(first))
    return Counter({record.target: _meet(first, last, forward, backward, record, work, prime, scratch)})


def _from_one_end(
    shapes: Shapes, record: Record, work: Work, prime: int, forward: Edges, level: Level, scratch: Scratch | None
) -> Counter[int]:
    """Go from the empty form to the end, whatever the number of moves, and collect the records that solutions end with."""
    backward = (shapes.start, shapes.to, shapes.label)
    found: Counter[int] = Counter()
    while len(level.shapes):
        for i in np.flatnonzero(shapes.accepts[level.shapes]):
            own = slice(level.start[i], level.start[i + 1])
            for key, ways in zip(level.record[own].tolist(), level.ways[own].tolist(), strict=True):
                found[key] += ways % prime if prime else ways
        level, scratch = _next(level, backward, forward, record, work, prime, scratch)
    if prime:
        found = Counter({key: ways % prime for key, ways in found.items()})
    keys = np.array(list(found), dtype=np.uint64)
    good = np.ones(len(keys), dtype=bool)
    for part in record.fields:
        good &= part.holds(keys)
    return Counter({key: found[key] for key in keys[good].tolist()})


def _next(
    level: Level, reach: Edges, edges: Edges, record: Record, work: Work, prime: int, scratch: Scratch | None, beside: int = 0
) -> tuple[Level, Scratch]:
    """Return the lists one move on; ``beside`` bytes are in use elsewhere."""
    targets = np.flatnonzero(pull.reached(reach[0], reach[1], level)).astype(np.int32)
    entries, moves = pull.sizes(targets, edges[0], edges[1], level)
    most = int(level.ways.max(initial=0)) * int(moves.max(initial=0)) * record.merging
    if not prime and most >= MOST_WAYS:
        raise OverflowError64
    if most >= MOST_SHORT and level.ways.dtype == np.uint16:
        level, scratch = _longer(level), None
    entries = np.minimum(entries, 1 << min(record.bits, 62))
    scratch = _scratch(record.bits, int(entries.max(initial=1)), level.ways.dtype, scratch)
    capacity = int(entries.sum())
    held = beside + _bytes(level) + sum(a.nbytes for a in scratch)
    room = (work.memory - held) // (level.record.itemsize + level.ways.itemsize)
    after = Level(
        shapes=targets,
        place=np.full(len(level.place), -1, dtype=np.int32),
        start=np.zeros(len(targets) + 1, dtype=np.int64),
        record=np.empty(min(capacity, max(room, 0)), dtype=level.record.dtype),
        ways=np.empty(min(capacity, max(room, 0)), dtype=level.ways.dtype),
    )
    after.place[targets] = np.arange(len(targets), dtype=np.int32)
    made = 0
    for begin, end in _turns(entries):
        if int(after.start[begin]) + int(entries[begin:end].sum()) > len(after.ways):
            raise _too_large(work)
        made += pull.pull(begin, end, *edges, level, after, record.labels, scratch, prime)
        work.go_on(work.states + int(after.start[end]))
    used = int(after.start[-1])
    after = after._replace(record=after.record[:used], ways=after.ways[:used])
    work.states += used
    work.merged += made - used
    work.peak = max(work.peak, held + _bytes(after))
    return after, scratch


def _meet(
    first: Level, last: Level, forward: Edges, backward: Edges, record: Record, work: Work, prime: int, scratch: Scratch | None
) -> int:
    """Return the ways from the lists of ``first`` by two more moves to those of ``last``, so that all is used up."""
    assert record.target is not None
    between = pull.reached(backward[0], backward[1], first) & pull.reached(forward[0], forward[1], last)
    shapes = np.flatnonzero(between).astype(np.int32)
    entries, moves = pull.sizes(shapes, forward[0], forward[1], first)
    entries_on, _ = pull.sizes(shapes, backward[0], backward[1], last)
    most = int(first.ways.max(initial=0)) * int(moves.max(initial=0))
    if not prime and most * int(last.ways.max(initial=0)) * int(entries_on.max(initial=0)) >= MOST_WAYS:
        raise OverflowError64
    if first.ways.dtype != last.ways.dtype or most >= MOST_SHORT:
        first, last = _longer(first), _longer(last)
    entries = np.minimum(entries, 1 << min(record.bits, 62))
    scratch = _scratch(record.bits, int(entries.max(initial=1)), first.ways.dtype, scratch)
    work.peak = max(work.peak, held := _bytes(first) + _bytes(last) + sum(a.nbytes for a in scratch))
    if held > work.memory:
        raise _too_large(work)
    sums = np.zeros(len(shapes), dtype=np.uint64)
    for begin, end in _turns(entries + entries_on):
        part = slice(begin, end)
        pull.meet(shapes[part], forward, backward, first, last, record.labels, scratch, record.target, prime, sums[part])
        work.go_on(work.states)
    total: int = sum(sums.tolist())
    return total % prime if prime else total


def _single(shapes: Shapes, at: Ints, record: Record, ways: type) -> Level:
    """The level where nothing is used yet: each of some shapes in one way."""
    place = np.full(shapes.size, -1, dtype=np.int32)
    place[at] = np.arange(len(at))
    dtype = np.uint32 if record.bits <= 32 else np.uint64
    return Level(at, place, np.arange(len(at) + 1, dtype=np.int64), np.zeros(len(at), dtype=dtype), np.ones(len(at), dtype=ways))


def _too_large(work: Work) -> TooLargeError:
    return TooLargeError(f"{work.states:,} states and more need more than the {max(work.memory, 0) >> 20:,} MiB that the shapes leave")


def _longer(level: Level) -> Level:
    """The level with numbers of 64 bits."""
    return level._replace(ways=level.ways.astype(np.uint64))


def _scratch(bits: int, entries: int, ways: Any, have: Scratch | None) -> Scratch:
    """A scratch table for lists of so many entries, dense if there are few bits; the one there is if it will do."""
    if have is not None and have.ways.dtype == ways and (bits <= DENSE_BITS or len(have.key) >= 2 * entries):
        return have
    if bits <= DENSE_BITS:
        return Scratch(np.zeros((1 << bits) + 1, dtype=ways), np.empty(0, dtype=np.uint64), np.empty((1 << bits) + 1, dtype=np.int32))
    slots = 1 << (2 * entries).bit_length()
    return Scratch(np.zeros(slots, dtype=ways), np.zeros(slots, dtype=np.uint64), np.empty(slots // 2, dtype=np.int32))


def _turns(entries: Longs) -> list[tuple[int, int]]:
    """Cut a list of shapes into stretches of about ENTRIES_A_TURN entries."""
    bounds = np.cumsum(entries)
    cuts: list[int] = [0]
    while cuts[-1] < len(entries):
        reached = (bounds[cuts[-1] - 1] if cuts[-1] else 0) + ENTRIES_A_TURN
        cuts.append(max(int(np.searchsorted(bounds, reached, side="right")), cuts[-1] + 1))
    return list(pairwise(cuts))


def _bytes(level: Level) -> int:
    return int(sum(a.nbytes for a in level))


def _bound(shapes: Shapes) -> float:
    """A bound for the number of solutions, as its logarithm to base 2: a way takes at most ``depth`` moves, each one of so many."""
    return shapes.depth * log2(max(2, int(np.diff(shapes.start).max(initial=0)))) + 1


def _primes() -> Iterator[int]:
    """Primes whose squares fit into 64 bits, the largest first."""
    for number in range(LARGEST_PRIME, 2, -2):
        if all(number % divisor for divisor in range(3, isqrt(number) + 1, 2)):
            yield number
