"""In how many ways each state of a filling can be completed: what is needed to find the n-th solution without listing those before.

A state is a shape and the record of what is used. Nothing but the states is kept, each with one number, so that a solution is found by
one walk from the empty form (``ranks``). Where all solutions end with the same record, the states of the first positions are found from the
empty form, and those of the last from the full one, whatever is smaller first; each half then leaves out most of what the other knows to
be useless.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from puzzlesat.arrays import Flags, Ints, Longs, Words
from puzzlesat.solvers.tally import growth, records
from puzzlesat.solvers.tally.levels import Edges, Work
from puzzlesat.solvers.tally.moves import Record
from puzzlesat.solvers.tally.records import States
from puzzlesat.solvers.tally.shapes import Shapes, TooLargeError

FIRST_STATES = 1 << 16
GROWTH = 1.5
"""How much longer an array becomes where it is full."""
SHAPES_A_TURN = STATES_A_TURN = 1 << 16
FIRST_WORDS = 1
"""Of a number; where they do not do, twice as many are taken."""
PLACE_BYTES = 12
"""For each shape, to put them in order."""
CAUTION = 2
"""What is foretold is taken for so many times too large."""
WORD = 64
"""Bits of a word of a number."""


@dataclass(frozen=True)
class Completions:
    """The states from which the end can be reached, and others."""

    states: States
    ways: Words
    """Array (states, words): in how many ways a state can be completed, the lowest word first."""

    def of(self, shape: int, record: int) -> int:
        """Return in how many ways a shape with a record of what is used can be completed."""
        begin, stop = int(self.states.begin[shape]), int(self.states.stop[shape])
        at = begin + int(np.searchsorted(self.states.record[begin:stop], record))
        if at == stop or int(self.states.record[at]) != record:
            return 0
        return sum(word << (WORD * i) for i, word in enumerate(self.ways[at].tolist()))


def find_completions(shapes: Shapes, record: Record, work: Work) -> Completions:
    """Find the states and count their completions exactly. ``shapes`` have their looks.

    Raises TooLargeError where that needs more than ``work.memory`` bytes.
    """
    slices = _by_position(shapes)
    states = _find_states(shapes, slices, record, work)
    words = FIRST_WORDS
    while (ways := _count(shapes, slices, record, states, words, work)) is None:
        words *= 2
    return Completions(states, ways)


def _by_position(shapes: Shapes) -> list[Ints]:
    """The shapes by their first empty position."""
    assert shapes.looks is not None
    order = np.argsort(shapes.looks.first, kind="stable").astype(np.int32)
    return np.split(order, np.searchsorted(shapes.looks.first[order], np.arange(1, shapes.depth + 1)))


def _find_states(shapes: Shapes, slices: list[Ints], record: Record, work: Work) -> States:
    """Find the states, the records of each shape in ascending order."""
    to_shape: Edges = growth.turn_round(shapes.start, shapes.to, shapes.label)
    from_shape: Edges = (shapes.start, shapes.to, shapes.label)
    nowhere = np.zeros(shapes.size, dtype=np.bool_)
    lists = _Lists(shapes, record, work, sum(a.nbytes for a in to_shape))
    front, back = 1, len(slices)
    ahead = behind = 0
    first = last = 0.0
    while front < back:
        if record.target is None or ahead <= behind:
            more = lists.extend(slices[front], to_shape, nowhere)
            ahead, first = ahead + more, more / max(1, len(slices[front]))
            front += 1
        else:
            back -= 1
            more = lists.extend(slices[back], from_shape, shapes.accepts)
            behind, last = behind + more, more / max(1, len(slices[back]))
        if record.target is not None:
            lists.foretell(min(first, last), sum(map(len, slices[front:back])))
    if record.target is not None:
        for some in slices[back:]:
            records.turn_over(some, lists.states, record.target)
    lists.states.record.resize(lists.at, refcheck=False)
    return lists.states


class _Lists:
    """The records of the shapes gone through so far, one after the other in an array that grows."""

    def __init__(self, shapes: Shapes, record: Record, work: Work, beside: int) -> None:
        self.work, self.labels = work, record.labels
        begin, stop = np.zeros((2, shapes.size), dtype=np.int64)
        stop[0] = 1  # nothing is used in the empty form
        dtype = np.uint32 if record.bits <= np.iinfo(np.uint32).bits else np.uint64
        self.states = States(begin, stop, np.zeros(FIRST_STATES, dtype=dtype))
        self.at = 1
        self.scratch = np.empty(FIRST_STATES, dtype=np.uint64)
        self.beside = shapes.bytes + beside + begin.nbytes + stop.nbytes + PLACE_BYTES * shapes.size
        """Bytes of what is no list."""
        self.room = (work.memory - self.beside) // (self.states.record.itemsize + FIRST_WORDS * WORD // 8)
        """How many states there is room for, each with its number."""

    def extend(self, some: Ints, edges: Edges, ends: Flags) -> int:
        """Find the records of some shapes; returns how many there are."""
        before, one = self.at, 0
        while one < len(some):
            until = self.at + STATES_A_TURN
            turn = some[one : one + SHAPES_A_TURN]
            done, self.at = records.spread(turn, self.at, until, edges, self.states, ends, self.labels, self.scratch)
            one += done
            if done < len(turn) and self.at < until:
                self._make_room(int(some[one]), edges)
            self.work.go_on(self.at)
        return self.at - before

    def foretell(self, each: float, left: int) -> None:
        """Raise TooLargeError where there will be no room: so many shapes are left in the midst, where each has more records."""
        need = self.at + int(each * left / CAUTION)
        if need > self.room:
            raise too_large(need, self.work.memory, self.beside + need * (self.work.memory - self.beside) // max(1, self.room))

    def _make_room(self, shape: int, edges: Edges) -> None:
        """Make the arrays long enough for one more shape."""
        others = edges[1][edges[0][shape] : edges[0][shape + 1]]
        need = 1 + int((self.states.stop - self.states.begin)[others].sum())
        if need > len(self.scratch):
            self.scratch = np.empty(int(GROWTH * need), dtype=np.uint64)
        record = self.states.record
        if self.at + need > self.room:
            raise too_large(self.at, self.work.memory)
        if self.at + need > len(record):
            record.resize(min(self.room, int(GROWTH * (self.at + need))), refcheck=False)


def _count(shapes: Shapes, slices: list[Ints], record: Record, states: States, words: int, work: Work) -> Words | None:
    """Count the completions of all states by numbers of so many words, from the last position to the first; None where these do not do."""
    in_use = shapes.bytes + sum(a.nbytes for a in states)
    if in_use + len(states.record) * words * WORD // 8 > work.memory:
        raise too_large(len(states.record), work.memory)
    work.peak = max(work.peak, in_use + len(states.record) * words * WORD // 8)
    ways = np.zeros((len(states.record), words), dtype=np.uint64)
    ways[_ends(shapes, record, states), 0] = 1
    edges: Edges = (shapes.start, shapes.to, shapes.label)
    with ThreadPoolExecutor(work.cores) as pool:
        for some in reversed(slices):
            sizes = np.cumsum((states.stop - states.begin)[some])
            cuts = np.unique(np.searchsorted(sizes, np.arange(0, sizes[-1] if len(some) else 0, STATES_A_TURN)))
            bounds = [*cuts.tolist(), len(some)]
            turns = [pool.submit(records.complete, some, one, last, edges, states, record.labels, ways) for one, last in pairwise(bounds)]
            for turn in turns:
                if turn.result():
                    return None
                work.go_on(len(states.record))
    return ways


def _ends(shapes: Shapes, record: Record, states: States) -> Longs:
    """The states that are solutions as they are."""
    ends = np.flatnonzero(shapes.accepts)
    many = states.stop[ends] - states.begin[ends]
    places: Longs = np.repeat(states.begin[ends] - np.cumsum(many) + many, many) + np.arange(many.sum())
    good = np.ones(len(places), dtype=bool)
    for field in record.fields:
        good &= field.holds(states.record[places].astype(np.uint64))
    return places[good]


def too_large(states: int, memory: int, need: int = 0) -> TooLargeError:
    """Return what says that there is not enough memory, and, where that is known, how much it would be at least."""
    most = max(memory, need) >> 20
    return TooLargeError(
        f"{states:,} states and more, each with its number, need more than {most:,} MiB; allow more with --memory, or "
        "list them all with --solver backtrack"
    )
