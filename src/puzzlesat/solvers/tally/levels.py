"""Count the ways through the shapes, level by level: one move per level, with a record of the tiles used beside each shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from math import isqrt, log2
from typing import Any

import numpy as np

from puzzlesat.base import Ints, Longs
from puzzlesat.solvers.tally import growth, pull
from puzzlesat.solvers.tally.disk import Pile, file_of, in_memory, pile
from puzzlesat.solvers.tally.moves import Record
from puzzlesat.solvers.tally.pull import Level, Scratch
from puzzlesat.solvers.tally.shapes import SHARE_OF_SHAPES, ShapeGraph, TooLargeError, Work

DENSE_BITS = 21
ENTRIES_A_TURN, MIN_ENTRIES_A_TURN = 1 << 22, 1 << 14
"""Entries that a core makes before they are stored: the usual number, and the least if there is little memory."""
BYTES_AN_ENTRY = 1 << 8
"""Bytes of the memory limit for each entry that a core makes at a time."""
ENTRIES_TO_SHARE = 1 << 20
"""Entries below which a level is not worth a second core."""
MAX_WAYS, MAX_SHORT = 2**63, 2**16
MAX_PARTS = 64
"""Greatest number of parts in which a level that does not fit into memory may be made."""
ROOM_FOR_MORE = 4
"""Divisor of the room for a part of a level if more levels follow it."""
BESIDE_A_SHAPE, BESIDE_A_TARGET = 5, 36
"""Bytes of overhead of a step: per shape, and per shape of which it makes a list."""
LARGEST_PRIME = 2**31 - 1

Edges = tuple[Longs, Ints, Ints]
"""Moves in CSR form: start, the shape at the other end, label."""


class OverflowError64(Exception):
    """Numbers of ways may not fit into 64 bits."""


def count_ways(shapes: ShapeGraph, record: Record, work: Work) -> Counter[int]:
    """Return the number of solutions by their final record.

    Numbers beyond 64 bits are computed from their remainders modulo primes (Chinese remainder theorem).
    """
    if not shapes.size:
        return Counter()
    try:
        return _LevelWays(shapes, record, work, 0).count()
    except OverflowError64:
        pass
    bits = _bound(shapes)
    found: Counter[int] = Counter()
    modulus = 1
    for prime in _primes():
        part = _LevelWays(shapes, record, work, prime).count()
        for key in found.keys() | part.keys():
            found[key] += modulus * ((part[key] - found[key]) * pow(modulus, -1, prime) % prime)
        modulus *= prime
        if log2(modulus) > bits:
            return +found
    raise AssertionError("there are enough primes")


class _LevelWays:
    """One count through the shapes: modulo a prime, or, with 0, exact as long as the numbers fit."""

    def __init__(self, shapes: ShapeGraph, record: Record, work: Work, prime: int) -> None:
        self.shapes, self.record, self.work, self.prime = shapes, record, work, prime
        self.suspended: list[Level] = []
        """Levels that are still needed to make further parts of a later level."""
        self.turn = min(ENTRIES_A_TURN, max(MIN_ENTRIES_A_TURN, work.memory // BYTES_AN_ENTRY // work.cores))
        self.scratch: list[Scratch] = []
        self.base_bytes = 2 * shapes.bytes + 2 * shapes.start.nbytes  # the moves in both directions, and scratch for sorting them
        if self.base_bytes > work.memory:
            raise self._too_large()
        self.to_shape: Edges = growth.turn_round(shapes.start, shapes.to, shapes.label)
        self.from_shape: Edges = (shapes.start, shapes.to, shapes.label)
        self.base_bytes = sum(a.nbytes for a in (*self.from_shape, *self.to_shape, shapes.accepts))
        self.pool = ThreadPoolExecutor(work.cores)
        """Starts its threads when they are needed."""
        self.steps = 0

    def count(self) -> Counter[int]:
        """Count from both ends if all solutions have the same final record and number of moves, else from the empty form."""
        first = self._single(np.array([0], dtype=np.int32))
        checkpoint = self._checkpoint()
        if self.record.target is None or self.record.tiles is None or self.record.tiles < 2:
            found = Counter[int]()
            if checkpoint is not None:
                first, found = self._level(checkpoint["level"]), Counter({int(key): ways for key, ways in checkpoint["found"].items()})
            return self._good(self._from_one_end(first, found))
        ends, moves = [first, self._single(np.flatnonzero(self.shapes.accepts).astype(np.int32))], self.record.tiles
        del first  # only ``ends`` refers to a level, so it is freed as soon as the next one exists
        if checkpoint is not None:
            ends, moves = [self._level(checkpoint["first"]), self._level(checkpoint["last"])], checkpoint["moves"]
        return Counter({self.record.target: self._between(ends, moves)})

    def _between(self, ends: list[Level], moves: int) -> int:
        """Return the number of ways from one level to another by ``moves`` moves; ``ends`` are the two levels, which are removed from it.

        A level that does not fit into memory is made in parts, and the ways through the parts are added up: the number of ways is a sum
        over the shapes of any level.
        """
        while moves > 2:
            last, first = ends.pop(), ends.pop()
            ahead = first.entries <= last.entries
            before, other = (first, last) if ahead else (last, first)
            del first, last
            targets, entries = self._targets(before, other, ahead=ahead)
            before = self._long_enough(before, self.to_shape if ahead else self.from_shape, targets, other)
            after, made = self._step(before, other, targets, entries, ahead=ahead, more=moves > 3)
            ends += [after, other] if ahead else [other, after]
            del after
            if made < len(targets):
                break
            del before, other
            moves -= 1
            self._save({"first": ends[0], "last": ends[1]}, moves=moves)
        else:
            last, first = ends.pop(), ends.pop()
            return self._meet(first, last)
        total = 0
        while True:
            self.suspended += [before, other]
            total += self._between(ends, moves - 1)
            del self.suspended[-2:]
            targets, entries = targets[made:], entries[made:]
            if not len(targets):
                return total % self.prime if self.prime else total
            after, made = self._step(before, other, targets, entries, ahead=ahead, more=moves > 3)
            ends += [after, other] if ahead else [other, after]
            del after

    def _from_one_end(self, level: Level, found: Counter[int]) -> Counter[int]:
        """Go from a level to the end, by any number of moves, and add up the ways by their final records."""
        nothing = self._single(np.empty(0, dtype=np.int32))
        while len(level.shapes):
            for i in np.flatnonzero(self.shapes.accepts[level.shapes]):
                own = slice(level.start[i], level.stop[i])
                for key, ways in zip(level.record[own].tolist(), level.ways[own].tolist(), strict=True):
                    found[key] += ways
            targets, entries = self._targets(level, nothing, ahead=True)
            level = self._long_enough(level, self.to_shape, targets, nothing)
            after, made = self._step(level, nothing, targets, entries, ahead=True, more=True)
            while made < len(targets):
                self.suspended.append(level)
                self._from_one_end(after, found)
                self.suspended.pop()
                targets, entries = targets[made:], entries[made:]
                del after  # before the next one is made, to free its memory
                after, made = self._step(level, nothing, targets, entries, ahead=True, more=True)
            level = after
            del after
            self._save({"level": level}, found=found)
        return found

    def _save(self, levels: dict[str, Level], **state: object) -> None:
        """Write a checkpoint of all that is still needed, if some of it is on the disk."""
        disk = self.work.disk
        if disk is None or all(file_of(level.record) is None for level in levels.values()):
            return
        names: list[str] = []
        for side, level in levels.items():
            columns = [level.shapes, level.start, level.stop, level.record, level.ways]
            columns = [self._on_disk(column, f"{self.steps}.{side}.{i}") for i, column in enumerate(columns)]
            files = [file_of(column) for column in columns]
            names += filter(None, files)
            kinds = [str(column.dtype) for column in columns]
            lengths = [len(column) for column in columns]
            state[side] = {"files": files, "kinds": kinds, "lengths": lengths, "entries": level.entries, "most": level.most}
        work = {"states": self.work.states, "merged": self.work.merged}
        disk.save(dict.fromkeys(names), prime=self.prime, steps=self.steps, work=work, **state)

    def _on_disk(self, column: np.ndarray, name: str) -> np.ndarray:
        """Return a column in a file."""
        if file_of(column) is not None:
            return column
        with pile(0, [column[:0]], disk=self.work.disk, name=name) as written:
            written.add(column)
        return written.columns[0]

    def _checkpoint(self) -> dict[str, Any] | None:
        """Return the checkpoint that an interrupted run of this count left, and restore its counters; None if there is none."""
        checkpoint = None if self.work.disk is None else self.work.disk.checkpoint()
        if checkpoint is None or checkpoint.get("prime") != self.prime:
            return None
        self.steps = checkpoint["steps"]
        self.work.states, self.work.merged = checkpoint["work"]["states"], checkpoint["work"]["merged"]
        return checkpoint

    def _level(self, state: dict[str, Any]) -> Level:
        """Return the level that a checkpoint describes."""
        assert self.work.disk is not None
        shapes, start, stop, record, ways = (
            self.work.disk.mapped(name or "", np.empty(0, dtype=kind), length)
            for name, kind, length in zip(state["files"], state["kinds"], state["lengths"], strict=True)
        )
        return Level(shapes, _places(self.shapes.size, shapes), start, stop, state["entries"], state["most"], record, ways)

    def _good(self, found: Counter[int]) -> Counter[int]:
        """Return the counts of the records with which a solution may end."""
        if self.prime:
            found = Counter({key: ways % self.prime for key, ways in found.items()})
        keys = np.array(list(found), dtype=np.uint64)
        good = np.ones(len(keys), dtype=bool)
        for part in self.record.fields:
            good &= part.holds(keys)
        return Counter({key: found[key] for key in keys[good].tolist()})

    def _targets(self, level: Level, other: Level, *, ahead: bool) -> tuple[Ints, Longs]:
        """Return the shapes one move ahead of a level, or behind it, and an upper bound of the entries of each.

        ``other`` stays in memory beside it. Raises TooLargeError if there is no room to look for them.
        """
        reach, edges = (self.from_shape, self.to_shape) if ahead else (self.to_shape, self.from_shape)
        found = pull.reached(reach[0], reach[1], level)
        self._check_room(level, other, targets=int(np.count_nonzero(found)))
        targets = np.flatnonzero(found).astype(np.int32)
        entries, _ = pull.sizes(targets, edges[0], edges[1], level)
        return targets, np.minimum(entries, 1 << self.record.bits, out=entries)

    def _step(self, before: Level, other: Level, targets: Ints, entries: Longs, *, ahead: bool, more: bool) -> tuple[Level, int]:
        """Return the lists of the shapes ``targets``, one move from a level; ``other`` stays in memory beside it.

        If the lists may not fit, they go to the disk, or, without a disk, only the first of them are made; their number is returned, too.
        With ``more`` steps to come some room is reserved for these steps. Raises TooLargeError if there would be too many parts.
        """
        edges = self.to_shape if ahead else self.from_shape
        turns = _turns(entries, self.turn)
        capacity = int(entries.sum())
        cores = max(1, min(self.work.cores, len(turns))) if capacity >= ENTRIES_TO_SHARE else 1
        self._make_scratch(int(entries.max(initial=1)), before.ways.dtype, cores)
        widest = max((int(entries[begin:end].sum()) for begin, end in turns), default=0)
        room = self._room(before, other, targets=len(targets), sides=cores * widest)
        disk = self.work.disk if capacity > room else None
        if capacity > room and disk is None:
            room //= ROOM_FOR_MORE if more else 1
            if capacity > room * MAX_PARTS:
                raise self._too_large()
        start, stop = np.zeros((2, len(targets)), dtype=np.int64)
        sides = [_side(targets, start, stop, before, widest) for _ in range(cores)]
        made, most, done = 0, 0, 0
        self.steps += 1
        if self.record.tiles is not None:
            self.work.share = SHARE_OF_SHAPES + (1 - SHARE_OF_SHAPES) * self.steps / self.record.tiles
        with pile(min(capacity, room), [before.record[:0], before.ways[:0]], disk=disk, name=f"{self.steps}") as stored:
            while some := _fitting(turns[done : done + cores], entries, stored):
                running = [
                    self._start(cores, pull.pull, *turn, 0, edges, before, side, self.record.labels, scratch, self.prime)
                    for turn, side, scratch in zip(some, sides, self.scratch, strict=False)
                ]
                for (begin, end), side, future in zip(some, sides, running, strict=False):
                    moves, ways = future.result()
                    made, most = made + moves, max(most, ways)
                    count = int(stop[end - 1])
                    start[begin:end] += stored.entries
                    stop[begin:end] += stored.entries
                    stored.add(side.record[:count], side.ways[:count])
                done += len(some)
                self.work.tell("states", self.work.states + made)
        if not done and turns:
            raise self._too_large()
        end = turns[done - 1][1] if turns else 0
        shapes = targets[:end]
        place = _places(self.shapes.size, shapes)
        after = Level(shapes, place, start[:end], stop[:end], stored.entries, most, *stored.columns)
        self.work.states += after.entries
        self.work.merged += made - after.entries
        self.work.peak = max(self.work.peak, self._in_use(before, other, after))
        return after, end

    def _long_enough(self, level: Level, edges: Edges, targets: Ints, other: Level) -> Level:
        """Return the level with numbers so long that one more move cannot overflow them; raise OverflowError64 beyond 64 bits.

        ``other`` stays in memory beside it.
        """
        _, moves = pull.sizes(targets, edges[0], edges[1], level)
        most = level.most * int(moves.max(initial=0)) * self.record.merging
        if not self.prime and most >= MAX_WAYS:
            raise OverflowError64
        return self._longer(level, other) if most >= MAX_SHORT else level

    def _longer(self, level: Level, other: Level) -> Level:
        """Return the level with 64-bit numbers, on the disk if it is there, or if both do not fit into memory.

        ``other`` stays in memory beside it.
        """
        if level.ways.dtype != np.uint16:
            return level
        fits = self._in_use(level, other) + np.dtype(np.uint64).itemsize * level.entries <= self.work.memory
        if file_of(level.ways) is None and fits:
            return level._replace(ways=level.ways.astype(np.uint64))
        if self.work.disk is None:
            raise self._too_large()
        self.steps += 1
        with pile(0, [np.empty(0, dtype=np.uint64)], disk=self.work.disk, name=f"{self.steps}") as ways:
            for begin in range(0, level.entries, self.turn):
                ways.add(level.ways[begin : begin + self.turn].astype(np.uint64))
        return level._replace(ways=ways.columns[0])

    def _meet(self, first: Level, last: Level) -> int:
        """Return the number of ways from ``first`` by two more moves to ``last`` whose records add up to the target."""
        assert self.record.target is not None
        ahead = pull.reached(self.from_shape[0], self.from_shape[1], first)
        ahead &= pull.reached(self.to_shape[0], self.to_shape[1], last)
        self._check_room(first, last, targets=int(np.count_nonzero(ahead)))
        shapes = np.flatnonzero(ahead).astype(np.int32)
        entries, moves = pull.sizes(shapes, self.to_shape[0], self.to_shape[1], first)
        entries_on, _ = pull.sizes(shapes, self.from_shape[0], self.from_shape[1], last)
        first = self._long_enough(first, self.to_shape, shapes, last)
        most = first.most * int(moves.max(initial=0)) * last.most * int(entries_on.max(initial=0))
        if not self.prime and most >= MAX_WAYS:
            raise OverflowError64
        if first.ways.dtype != last.ways.dtype:
            first = self._longer(first, last)
            last = self._longer(last, first)
        cores = self.work.cores if int(entries.sum()) >= ENTRIES_TO_SHARE else 1
        self._make_scratch(min(int(entries.max(initial=1)), 1 << self.record.bits), first.ways.dtype, cores)
        if self._in_use(first, last) > self.work.memory:
            raise self._too_large()
        self._check_room(first, last, targets=len(shapes))
        sums = np.zeros(len(shapes), dtype=np.uint64)
        entries += entries_on
        turns = _turns(entries, self.turn)
        for i in range(0, len(turns), cores):
            running = []
            for (begin, end), scratch in zip(turns[i : i + cores], self.scratch, strict=False):
                task = (shapes[begin:end], self.to_shape, self.from_shape, first, last, self.record.labels, scratch)
                running.append(self._start(cores, pull.meet, *task, self.record.target, self.prime, sums[begin:end]))
            for future in running:
                future.result()
            self.work.tell("states", self.work.states)
        total: int = sum(sums.tolist())
        return total % self.prime if self.prime else total

    def _start(self, cores: int, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Call a function in another thread, or, for one core, at once."""
        if cores > 1:
            return self.pool.submit(function, *arguments)
        done: Future[Any] = Future()
        done.set_result(function(*arguments))
        return done

    def _single(self, at: Ints) -> Level:
        """Return the level with no tile used: each of some shapes in one way."""
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
        """Provide a scratch table for each core, for lists of ``entries`` entries: dense if there are few bits, else a hash table."""
        bits = self.record.bits
        if self.scratch and (self.scratch[0].ways.dtype != ways or (bits > DENSE_BITS and len(self.scratch[0].key) < 2 * entries)):
            self.scratch = []
        while len(self.scratch) < cores:
            slots = (1 << bits) + 1 if bits <= DENSE_BITS else 1 << (2 * entries).bit_length()
            keys = np.empty(0 if bits <= DENSE_BITS else slots, dtype=np.uint64)
            self.scratch.append(Scratch(np.zeros(slots, dtype=ways), keys, np.empty(slots, dtype=np.int32)))

    def _room(self, *levels: Level, targets: int, sides: int = 0) -> int:
        """Return how many more entries may be stored beside these levels, in a step that makes ``targets`` lists.

        ``sides`` is the number of entries in memory before they are stored.
        """
        width: int = levels[0].record.itemsize + levels[0].ways.itemsize
        return max(0, self._left(*levels, targets=targets) // width - sides)

    def _left(self, *levels: Level, targets: int) -> int:
        """Return the bytes left beside these levels and the overhead of a step."""
        return self.work.memory - self._in_use(*levels) - BESIDE_A_SHAPE * self.shapes.size - BESIDE_A_TARGET * targets

    def _check_room(self, *levels: Level, targets: int) -> None:
        """Raise TooLargeError if there is neither room for a step nor a disk."""
        if self.work.disk is None and self._left(*levels, targets=targets) < 0:
            raise self._too_large()

    def _too_large(self) -> TooLargeError:
        return TooLargeError(
            f"{self.work.states:,} states and more need more than {self.work.memory >> 20:,} MiB; allow more with --memory"
        )

    def _in_use(self, *levels: Level) -> int:
        """Return the bytes of moves, scratch tables and levels, including the levels needed later."""
        own = {id(level.ways): level for level in (*self.suspended, *levels)}
        return self.base_bytes + sum(a.nbytes for s in self.scratch for a in s) + sum(map(_bytes, own.values()))


def _places(shapes: int, at: Ints) -> Ints:
    """Return for each shape its index in ``at``, or -1."""
    place = np.full(shapes, -1, dtype=np.int32)
    place[at] = np.arange(len(at), dtype=np.int32)
    return place


def _side(shapes: Ints, start: Longs, stop: Longs, like: Level, room: int) -> Level:
    """Return buffers in which a core makes some lists of a level."""
    record, ways = np.empty(room, dtype=like.record.dtype), np.empty(room, dtype=like.ways.dtype)
    return Level(shapes, np.empty(0, dtype=np.int32), start, stop, 0, 0, record, ways)


def _fitting(turns: list[tuple[int, int]], entries: Longs, stored: Pile) -> list[tuple[int, int]]:
    """Return the first turns for whose entries there is certainly room."""
    if not turns:
        return []
    left = stored.room - stored.entries
    most = np.cumsum([int(entries[begin:end].sum()) for begin, end in turns])
    return turns[: int(np.searchsorted(most, left, side="right"))]


def _bytes(level: Level) -> int:
    """Return the bytes of a level in memory; arrays take none beyond the entries, because these pages were never touched."""
    return in_memory(level.shapes, level.place, level.start, level.stop, level.record[: level.entries], level.ways[: level.entries])


def _turns(entries: Longs, size: int) -> list[tuple[int, int]]:
    """Cut shapes into ranges of about ``size`` entries."""
    bounds = np.cumsum(entries)
    cuts = [0]
    while cuts[-1] < len(entries):
        reached = (bounds[cuts[-1] - 1] if cuts[-1] else 0) + size
        cuts.append(max(int(np.searchsorted(bounds, reached, side="right")), cuts[-1] + 1))
    return list(pairwise(cuts))


def _bound(shapes: ShapeGraph) -> float:
    """Return the logarithm to base 2 of an upper bound of the number of solutions.

    A way has at most ``depth`` moves, and each is one of the moves from its shape.
    """
    return shapes.depth * log2(max(2, int(np.diff(shapes.start).max(initial=0)))) + 1


def _primes() -> Iterator[int]:
    """Yield the primes whose squares fit into 64 bits, the largest first."""
    for number in range(LARGEST_PRIME, 2, -2):
        if all(number % divisor for divisor in range(3, isqrt(number) + 1, 2)):
            yield number
