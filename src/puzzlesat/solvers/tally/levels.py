"""Counting the ways through the shapes, level by level: one move a level, records of what is used beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from math import isqrt, log2
from typing import Any

import numpy as np

from puzzlesat.arrays import Ints, Longs
from puzzlesat.solvers.tally import growth, pull
from puzzlesat.solvers.tally.moves import Record
from puzzlesat.solvers.tally.pull import Level, Scratch
from puzzlesat.solvers.tally.shapes import Shapes, TooLargeError

DENSE_BITS = 21
ENTRIES_A_TURN = 1 << 22
ENTRIES_TO_SHARE = 1 << 20
"""Levels with fewer entries are not worth a second core."""
MOST_WAYS, MOST_SHORT = 2**63, 2**16
MOST_PARTS = 32
"""In how many parts the last level may be gone through where it does not fit into memory."""
LARGEST_PRIME = 2**31 - 1

Edges = tuple[Longs, Ints, Ints]
"""Moves in CSR form: start, the shape at the other end, label."""


class OverflowError64(Exception):
    """Numbers of ways may not fit into 64 bits."""


@dataclass
class Work:
    """What was done, and what watches over it."""

    memory: int
    """Bytes that shapes, levels and scratch tables may take."""
    cores: int
    go_on: Callable[[int], None]
    """Called now and then with the number of states so far; may raise."""
    states: int = 0
    merged: int = 0
    peak: int = 0


def count_ways(shapes: Shapes, record: Record, work: Work) -> Counter[int]:
    """Return the number of solutions by the record that they end with.

    Numbers beyond 64 bits are put together from their remainders modulo primes (Chinese remainder theorem).
    """
    if not shapes.size:
        return Counter()
    try:
        return _Ways(shapes, record, work, 0).count()
    except OverflowError64:
        pass
    bits = _bound(shapes)
    found: Counter[int] = Counter()
    modulus = 1
    for prime in _primes():
        part = _Ways(shapes, record, work, prime).count()
        for key in found.keys() | part.keys():
            found[key] += modulus * ((part[key] - found[key]) * pow(modulus, -1, prime) % prime)
        modulus *= prime
        if log2(modulus) > bits:
            return +found
    raise AssertionError("there are enough primes")


class _Ways:
    """One count through the shapes: modulo a prime, or, with 0, exact as long as the numbers fit."""

    def __init__(self, shapes: Shapes, record: Record, work: Work, prime: int) -> None:
        self.shapes, self.record, self.work, self.prime = shapes, record, work, prime
        self.to_shape: Edges = growth.turn_round(shapes.start, shapes.to, shapes.label)
        self.from_shape: Edges = (shapes.start, shapes.to, shapes.label)
        self.scratch: list[Scratch] = []
        self.pool = ThreadPoolExecutor(work.cores)
        """Has no threads before they are needed."""

    def count(self) -> Counter[int]:
        """Count from both ends at once where all solutions end alike after the same number of moves, else from the empty form."""
        first = self._single(np.array([0], dtype=np.int32))
        if self.record.target is None or self.record.tiles is None or self.record.tiles < 2:
            return self._from_one_end(first)
        last = self._single(np.flatnonzero(self.shapes.accepts).astype(np.int32))
        for steps_left in range(self.record.tiles - 3, -1, -1):
            ahead = first.entries <= last.entries
            before, other = (first, last) if ahead else (last, first)
            targets, entries = self._targets(before, ahead=ahead)
            parts = 1 if steps_left else self._parts(before, other, entries)
            if parts > 1:
                return Counter({self.record.target: self._meet_in_parts(before, other, targets, entries, parts, ahead=ahead)})
            after = self._step(before, other, targets, entries, ahead=ahead)
            first, last = (after, other) if ahead else (other, after)
        return Counter({self.record.target: self._meet(first, last)})

    def _from_one_end(self, level: Level) -> Counter[int]:
        """Go from the empty form to the end, whatever the number of moves, and collect the records that solutions end with."""
        found: Counter[int] = Counter()
        nothing = self._single(np.empty(0, dtype=np.int32))
        while len(level.shapes):
            for i in np.flatnonzero(self.shapes.accepts[level.shapes]):
                own = slice(level.start[i], level.stop[i])
                for key, ways in zip(level.record[own].tolist(), level.ways[own].tolist(), strict=True):
                    found[key] += ways
            level = self._step(level, nothing, *self._targets(level, ahead=True), ahead=True)
        if self.prime:
            found = Counter({key: ways % self.prime for key, ways in found.items()})
        keys = np.array(list(found), dtype=np.uint64)
        good = np.ones(len(keys), dtype=bool)
        for part in self.record.fields:
            good &= part.holds(keys)
        return Counter({key: found[key] for key in keys[good].tolist()})

    def _targets(self, level: Level, *, ahead: bool) -> tuple[Ints, Longs]:
        """The shapes one move ahead of those of a level, or behind them, and at most how many entries each will have."""
        reach, edges = (self.from_shape, self.to_shape) if ahead else (self.to_shape, self.from_shape)
        targets = np.flatnonzero(pull.reached(reach[0], reach[1], level)).astype(np.int32)
        entries, _ = pull.sizes(targets, edges[0], edges[1], level)
        return targets, np.minimum(entries, 1 << self.record.bits)

    def _step(self, before: Level, other: Level, targets: Ints, entries: Longs, *, ahead: bool) -> Level:
        """Return the lists of the shapes ``targets``, one move from those of a level; ``other`` stays in memory beside it."""
        edges = self.to_shape if ahead else self.from_shape
        before = self._long_enough(before, edges, targets)
        capacity = int(entries.sum())
        cores = self.work.cores if capacity >= ENTRIES_TO_SHARE else 1
        self._make_scratch(int(entries.max(initial=1)), before.ways.dtype, cores)
        room = self._room(before, other)
        if capacity > room:
            cores = 1
        after = Level(
            shapes=targets,
            place=_places(self.shapes.size, targets),
            start=np.zeros(len(targets), dtype=np.int64),
            stop=np.zeros(len(targets), dtype=np.int64),
            entries=0,
            most=0,
            record=np.empty(min(capacity, room), dtype=before.record.dtype),
            ways=np.empty(min(capacity, room), dtype=before.ways.dtype),
        )
        bounds = np.concatenate([[0], np.cumsum(entries)])
        shares = np.searchsorted(bounds, np.linspace(0, capacity, cores + 1)).tolist()
        shares[0], shares[-1] = 0, len(targets)
        at = [int(bounds[share]) for share in shares[:-1]]
        made, most = 0, 0
        for turns in zip_longest(*(_turns(entries, *share) for share in pairwise(shares))):
            running = []
            for core, turn in enumerate(turns):
                if turn is None:
                    continue
                if at[core] + bounds[turn[1]] - bounds[turn[0]] > len(after.ways):
                    raise self._too_large()
                task = (*turn, at[core], edges, before, after, self.record.labels, self.scratch[core], self.prime)
                running.append((core, turn[1], self._start(cores, pull.pull, *task)))
            for core, end, future in running:
                more, ways = future.result()
                made, most = made + more, max(most, ways)
                at[core] = int(after.stop[end - 1])
            self.work.go_on(self.work.states + made)
        used = int((after.stop - after.start).sum())
        after = after._replace(entries=used, most=most)
        self.work.states += used
        self.work.merged += made - used
        self.work.peak = max(self.work.peak, self._in_use(before, other, after))
        return after

    def _long_enough(self, level: Level, edges: Edges, targets: Ints) -> Level:
        """The level with numbers so long that one more move cannot overflow them; raises OverflowError64 beyond 64 bits."""
        _, moves = pull.sizes(targets, edges[0], edges[1], level)
        most = level.most * int(moves.max(initial=0)) * self.record.merging
        if not self.prime and most >= MOST_WAYS:
            raise OverflowError64
        return _longer(level) if most >= MOST_SHORT else level

    def _parts(self, before: Level, other: Level, entries: Longs) -> int:
        """In how many parts the lists one move on must be made, that they fit into memory."""
        parts = -(-int(entries.sum()) // max(1, self._room(before, other)))
        if parts > MOST_PARTS:
            raise self._too_large()
        return parts

    def _meet_in_parts(self, before: Level, other: Level, targets: Ints, entries: Longs, parts: int, *, ahead: bool) -> int:
        """Make the last lists for some shapes at a time only, and add up what they meet: the sum goes over them."""
        bounds = np.concatenate([[0], np.cumsum(entries)])
        cuts = np.unique(np.searchsorted(bounds, np.linspace(0, bounds[-1], parts + 1)[1:-1]))
        total = 0
        for some in np.split(np.arange(len(targets)), cuts):
            after = self._step(before, other, targets[some], entries[some], ahead=ahead)
            total += self._meet(after, other) if ahead else self._meet(other, after)
            del after  # before the next one is made
        return total % self.prime if self.prime else total

    def _meet(self, first: Level, last: Level) -> int:
        """Return the ways from the lists of ``first`` by two more moves to those of ``last``, so that all is used up."""
        assert self.record.target is not None
        ahead = pull.reached(self.from_shape[0], self.from_shape[1], first)
        shapes = np.flatnonzero(ahead & pull.reached(self.to_shape[0], self.to_shape[1], last)).astype(np.int32)
        entries, moves = pull.sizes(shapes, self.to_shape[0], self.to_shape[1], first)
        entries_on, _ = pull.sizes(shapes, self.from_shape[0], self.from_shape[1], last)
        first = self._long_enough(first, self.to_shape, shapes)
        most = first.most * int(moves.max(initial=0)) * last.most * int(entries_on.max(initial=0))
        if not self.prime and most >= MOST_WAYS:
            raise OverflowError64
        if first.ways.dtype != last.ways.dtype:
            first, last = _longer(first), _longer(last)
        cores = self.work.cores if int(entries.sum()) >= ENTRIES_TO_SHARE else 1
        self._make_scratch(min(int(entries.max(initial=1)), 1 << self.record.bits), first.ways.dtype, cores)
        if self._in_use(first, last) > self.work.memory:
            raise self._too_large()
        sums = np.zeros(len(shapes), dtype=np.uint64)
        turns = _turns(entries + entries_on, 0, len(shapes))
        for i in range(0, len(turns), cores):
            running = []
            for (begin, end), scratch in zip(turns[i : i + cores], self.scratch, strict=False):
                task = (shapes[begin:end], self.to_shape, self.from_shape, first, last, self.record.labels, scratch)
                running.append(self._start(cores, pull.meet, *task, self.record.target, self.prime, sums[begin:end]))
            for future in running:
                future.result()
            self.work.go_on(self.work.states)
        total: int = sum(sums.tolist())
        return total % self.prime if self.prime else total

    def _start(self, cores: int, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Call a function in another thread, or, for one core, here and now."""
        if cores > 1:
            return self.pool.submit(function, *arguments)
        done: Future[Any] = Future()
        done.set_result(function(*arguments))
        return done

    def _single(self, at: Ints) -> Level:
        """The level where nothing is used yet: each of some shapes in one way."""
        return Level(
            shapes=at,
            place=_places(self.shapes.size, at),
            start=np.arange(len(at), dtype=np.int64),
            stop=np.arange(1, len(at) + 1, dtype=np.int64),
            entries=len(at),
            most=1,
            record=np.zeros(len(at), dtype=np.uint32 if self.record.bits <= 32 else np.uint64),
            ways=np.ones(len(at), dtype=np.uint64 if self.prime else np.uint16),
        )

    def _make_scratch(self, entries: int, ways: Any, cores: int) -> None:
        """Have a scratch table for each core, for lists of so many entries: dense if there are few bits, else a hash table."""
        bits = self.record.bits
        if self.scratch and (self.scratch[0].ways.dtype != ways or (bits > DENSE_BITS and len(self.scratch[0].key) < 2 * entries)):
            self.scratch = []
        while len(self.scratch) < cores:
            slots = (1 << bits) + 1 if bits <= DENSE_BITS else 1 << (2 * entries).bit_length()
            keys = np.empty(0 if bits <= DENSE_BITS else slots, dtype=np.uint64)
            self.scratch.append(Scratch(np.zeros(slots, dtype=ways), keys, np.empty(slots, dtype=np.int32)))

    def _room(self, *levels: Level) -> int:
        """How many more entries may be stored beside these levels."""
        return max(0, (self.work.memory - self._in_use(*levels)) // _width(levels[0]))

    def _too_large(self) -> TooLargeError:
        return TooLargeError(
            f"{self.work.states:,} states and more need more than {self.work.memory >> 20:,} MiB; allow more with --memory"
        )

    def _in_use(self, *levels: Level) -> int:
        """Bytes of moves, scratch tables and levels."""
        arrays = [*self.from_shape, *self.to_shape, *(a for s in self.scratch for a in s)]
        return sum(a.nbytes for a in arrays) + sum(map(_bytes, levels))


def _places(shapes: int, at: Ints) -> Ints:
    """For each shape its place among some of them, or -1."""
    place = np.full(shapes, -1, dtype=np.int32)
    place[at] = np.arange(len(at), dtype=np.int32)
    return place


def _longer(level: Level) -> Level:
    """The level with numbers of 64 bits."""
    return level._replace(ways=level.ways.astype(np.uint64)) if level.ways.dtype == np.uint16 else level


def _width(level: Level) -> int:
    """Bytes of an entry."""
    return int(level.record.itemsize + level.ways.itemsize)


def _bytes(level: Level) -> int:
    """Bytes of a level; what its arrays have beyond the entries was never touched and takes no memory."""
    return level.entries * _width(level) + sum(a.nbytes for a in level[:4])


def _turns(entries: Longs, begin: int, end: int) -> list[tuple[int, int]]:
    """Cut a range of shapes into stretches of about ENTRIES_A_TURN entries."""
    bounds = np.cumsum(entries[begin:end])
    cuts = [0]
    while cuts[-1] < end - begin:
        reached = (bounds[cuts[-1] - 1] if cuts[-1] else 0) + ENTRIES_A_TURN
        cuts.append(max(int(np.searchsorted(bounds, reached, side="right")), cuts[-1] + 1))
    return [(begin + a, begin + b) for a, b in pairwise(cuts)]


def _bound(shapes: Shapes) -> float:
    """A bound for the number of solutions, as its logarithm to base 2: a way takes at most ``depth`` moves, each one of so many."""
    return shapes.depth * log2(max(2, int(np.diff(shapes.start).max(initial=0)))) + 1


def _primes() -> Iterator[int]:
    """Primes whose squares fit into 64 bits, the largest first."""
    for number in range(LARGEST_PRIME, 2, -2):
        if all(number % divisor for divisor in range(3, isqrt(number) + 1, 2)):
            yield number
