"""Smaller bitsets for the options left below the nodes of one level of a plain search, if they repay the cost of building them.

Near the root most options are excluded soon: three levels down half of them. Bitsets rebuilt from the options left are shorter, and the
rows of ``keep`` lie nearer to the processor. Items with equally few options may come in another order there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from puzzlesat.base import Ints, Longs, Words
from puzzlesat.kernels import compiled, part
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers import bitset_search, kernel
from puzzlesat.solvers.kernel import BLOCK, State, Tables
from puzzlesat.solvers.memory import get, put
from puzzlesat.solvers.simd import LANES, aligned, aligned_zeros, both, load, spread, store
from puzzlesat.solvers.tables import copy_state

NODES_BEFORE = 1 << 17
"""Nodes, some milliseconds of search, after which a search continues with smaller bitsets."""
NODES_BELOW = 8000
"""Mean nodes of a subtree so far from which on smaller bitsets are built. Building them takes as long as 1,000 to 2,000 nodes."""
SHARE = 2
"""The smaller tables have at most 1 / ``SHARE`` of the size of the whole tables. A subtree with more options is searched without them."""

ONE = np.uint64(1)


class Whole(NamedTuple):
    """The input from which smaller bitsets are built: fields of ``Tables`` and ``State``, and the items that each option covers."""

    width: int
    cover_start: Longs
    cover_place: Ints
    bit_word: Ints
    bit_mask: Words
    words: Words
    set_start: Longs  # (n + 1,) CSR: the items of an option that may be covered only once
    sets: Ints


class Bitsets(NamedTuple):
    """The smaller bitsets: fields of ``Tables`` and ``State``."""

    keep: Words
    own: Words
    group: Longs
    first: Longs
    option_of_bit: Ints
    row_of_bit: Ints
    sizes: Longs
    words: Words
    open: Words


class Room(NamedTuple):
    """Scratch arrays for building smaller bitsets."""

    left: Ints  # (r,) the options left
    entry: Longs  # (r + 1,) CSR: the bits of each option
    word: Ints
    mask: Words
    options_of: Longs  # (m,) how many of the options left have an item
    place: Longs  # (m,) its new place
    row_of_set: Longs  # (items,) row in ``others``, or -1
    others: Words  # (rows W,) all bits except the bits of the options of an item


@dataclass(frozen=True)
class Narrowed:
    """The state of a search that has smaller bitsets below the nodes of one level. Both states share all but the bitsets."""

    s: State
    tables: Tables
    """The smaller tables below the node at the level where the search is, or was last."""
    below: State
    whole: Whole
    bitsets: Bitsets
    room: Room
    level: int
    within: Longs
    """(1,) 1 while the search is below a node with smaller bitsets."""

    given = property(lambda self: self.s.given)
    path = property(lambda self: self.s.path)
    tries = property(lambda self: self.s.tries)
    branches = property(lambda self: self.s.branches)
    control = property(lambda self: self.s.control)
    work = property(lambda self: self.s.work)


def lowest_level(s: State) -> int | None:
    """Return the lowest level down to which each level had enough nodes below its nodes so far, on average, or None."""
    seen = s.seen[len(s.given) :]
    enough = (seen > 0) & (seen * NODES_BELOW <= seen.sum())
    levels = len(seen) if enough.all() else int(np.argmin(enough))
    return len(s.given) + levels - 1 if levels > 1 else None


def narrowed_bytes(problem: CoverProblem, t: Tables) -> int:
    """Return how much memory a search with smaller bitsets needs beside the tables."""
    return 8 * (len(t.keep) // SHARE + len(problem.items) * t.width)


def narrowed(problem: CoverProblem, t: Tables, s: State) -> Narrowed | None:
    """Return the state of a search with smaller bitsets; None if there is no level for them.

    The level depends on the problem alone if the number of nodes searched so far does.
    """
    level = lowest_level(s)
    if level is None or problem.coloured.any():
        return None
    excludes = (problem.high == 1)[problem.item]
    start = np.concatenate([[0], np.cumsum(excludes)])[problem.start]
    options, items = problem.size, len(problem.items)
    whole = Whole(t.width, t.cover_start, t.cover_place, t.bit_word, t.bit_mask, s.words, start, problem.item[excludes])
    return _narrowed(
        s,
        t,
        whole,
        Bitsets(
            keep=aligned_zeros(LANES * int(len(t.keep) / SHARE / LANES)),
            own=np.zeros_like(t.own),
            group=np.zeros_like(t.group),
            first=np.zeros_like(t.first),
            option_of_bit=np.zeros_like(t.option_of_bit),
            row_of_bit=np.zeros_like(t.option_of_bit),
            sizes=np.zeros_like(t.sizes),
            words=aligned_zeros(len(s.words)),
            open=np.zeros_like(s.open),
        ),
        Room(
            left=np.zeros(options, dtype=np.int32),
            entry=np.zeros_like(t.cover_start),
            word=np.zeros_like(t.bit_word),
            mask=np.zeros_like(t.bit_mask),
            options_of=np.zeros(len(t.first), dtype=np.int64),
            place=np.zeros(len(t.first), dtype=np.int64),
            row_of_set=np.zeros(items, dtype=np.int64),
            others=aligned_zeros(items * t.width),
        ),
        level,
        np.zeros(1, dtype=np.int64),
    )


def _narrowed(s: State, t: Tables, whole: Whole, bitsets: Bitsets, room: Room, level: int, within: Longs) -> Narrowed:
    s.control[kernel.NARROW] = level
    tables = t._replace(**{name: getattr(bitsets, name) for name in Bitsets._fields if name in Tables._fields})
    return Narrowed(s, tables, s._replace(words=bitsets.words, open=bitsets.open), whole, bitsets, room, level, within)


def copy_narrowed(n: Narrowed) -> Narrowed:
    """Return an independent copy of a state."""
    s, b = copy_state(n.s), n.bitsets
    bitsets = Bitsets(*(part.copy() for part in b))._replace(keep=aligned(b.keep), words=aligned(b.words))
    room = Room(*(part.copy() for part in n.room))._replace(others=aligned(n.room.others))
    return _narrowed(s, n.tables, n.whole._replace(words=s.words), bitsets, room, n.level, n.within.copy())


def drop_narrowed(_tables: Tables, n: Narrowed, level: int) -> None:
    """Make the next search skip the rest of the subtree below the node at a level, which is not below ``n.level``."""
    n.s.control[kernel.LEAVE] = level
    n.within[0] = 0


def search(t: Tables, n: Narrowed, most_nodes: int, most_found: int, cut: int, skip: int, out: Ints) -> int:
    """Continue a search; see ``kernel.search``. A cut is not below ``n.level``."""
    s, level = n.s, n.level
    nodes, found = (int(s.work[k]) for k in (kernel.NODES, kernel.FOUND))
    while True:
        fresh = s.control[kernel.DEPTH] == level and s.tries[level] == s.branches[level] and s.control[kernel.LEAVE] == kernel.NOTHING
        if fresh and not n.within[0] and lay_out(n.whole, n.bitsets, n.room, level):
            n.within[0] = 1
            begin(n.tables, n.below, level)
        within = bool(n.within[0])
        base = int(s.control[kernel.BASE])
        more, rows = most_nodes - int(s.work[kernel.NODES]) + nodes, int(s.work[kernel.FOUND]) - found
        if within:
            s.control[kernel.BASE], s.control[kernel.NARROW] = level, kernel.NOTHING
            done = bitset_search.search(n.tables, n.below, more, most_found - rows, kernel.NO_CUT, 0, out[rows:])
            s.control[kernel.BASE], s.control[kernel.NARROW] = base, level
            n.within[0] = done != kernel.FINISHED
        else:
            done = bitset_search.search(t, s, more, most_found - rows, cut, skip, out[rows:])
        if done != kernel.TO_NARROW and not (within and done == kernel.FINISHED):
            return int(done)


def begin(t: Tables, s: State, level: int) -> None:
    """Choose the item to branch on at the node whose bitsets were just built."""
    width, groups = int(t.sizes[0]), int(t.sizes[1])
    words, ends = s.words[level * width : (level + 1) * width], t.group[: groups + 1]
    counts = np.add.reduceat(np.bitwise_count(words).reshape(-1, LANES), ends[:-1] // LANES, axis=0, dtype=np.int64).reshape(-1)
    place = int(np.argmin(np.where(counts > 0, counts, kernel.IDLE)))
    s.branch[level], s.tries[level], s.branches[level] = place, counts[place], counts[place]
    s.at[level], s.rest[level] = t.first[place], words[t.first[place]]


@part
def count_left(whole: Whole, room: Room, depth: int) -> int:
    """List the options left, and count how many of them each item has; return their number."""
    width = whole.width
    options, entries = 0, np.int64(0)
    for place in range(room.options_of.size):
        room.options_of[place] = 0
    for option in range(room.left.size):
        begin, end = get(whole.cover_start, option), get(whole.cover_start, option + 1)
        if begin == end or get(whole.words, depth * width + np.int64(get(whole.bit_word, begin))) & get(whole.bit_mask, begin) == 0:
            continue
        put(room.left, options, np.int32(option))
        put(room.entry, options, entries)
        for k in range(begin, end):
            place = np.int64(get(whole.cover_place, k))
            put(room.options_of, place, get(room.options_of, place) + 1)
        options += 1
        entries += end - begin
    room.entry[options] = entries
    return options


@part
def place_items(below: Bitsets, room: Room, options: int) -> bool:
    """Give the items that have options their places, most words first; return False if the bitsets would be too large."""
    most = 0
    for place in range(room.options_of.size):
        most = max(most, (room.options_of[place] + 63) >> 6)
    items, width = 0, 0
    for words in range(most, 0, -1):
        for place in range(room.options_of.size):
            if (room.options_of[place] + 63) >> 6 == words:
                room.place[place] = items
                if items % LANES == 0:
                    below.group[items // LANES] = width
                    width += LANES * words
                below.first[items] = below.group[items // LANES] + items % LANES
                items += 1
    groups = -(-items // LANES)
    below.group[groups] = width
    below.sizes[0], below.sizes[1], below.sizes[2], below.sizes[3] = width, groups, -(-groups * LANES // BLOCK), options
    return (options + 1) * width <= below.keep.size


@part
def keep_others(whole: Whole, below: Bitsets, room: Room, options: int) -> None:
    """Write each option's row of ``keep``: all bits except the bits of options that share a once-only item with it."""
    width = below.sizes[0]
    for row in range(options):
        option = np.int64(get(room.left, row))
        begin, end = whole.set_start[option], whole.set_start[option + 1]
        for w in range(0, width, LANES):
            value = spread(-1)
            for k in range(begin, end):
                value = both(value, load(room.others, get(room.row_of_set, np.int64(get(whole.sets, k))) * width + w))
            store(below.keep, row * width + w, value)


@compiled
def lay_out(whole: Whole, below: Bitsets, room: Room, depth: int) -> bool:
    """Build bitsets of the options left at a level; return False if they would be too large."""
    options = count_left(whole, room, depth)
    if not place_items(below, room, options):
        return False
    width, blocks = below.sizes[0], below.sizes[2]
    for block in range(blocks):
        put(below.open, depth * blocks + block, np.uint64(0))
    for w in range(0, width, LANES):
        store(below.words, depth * width + w, spread(0))
        store(below.keep, options * width + w, spread(-1))
    for k in range((options + 1) * blocks):
        put(below.own, k, np.uint64(0))
    for place in range(room.options_of.size):
        if room.options_of[place] > 0:
            new = room.place[place]
            at = depth * blocks + new // BLOCK
            put(below.open, at, get(below.open, at) | ONE << np.uint64(new % BLOCK))
            room.options_of[place] = 0
    rows = 0
    for i in range(room.row_of_set.size):
        room.row_of_set[i] = -1
    for row in range(options):
        option = np.int64(get(room.left, row))
        entry = room.entry[row]
        for k in range(whole.cover_start[option], whole.cover_start[option + 1]):
            place = np.int64(get(whole.cover_place, k))
            new, number = get(room.place, place), get(room.options_of, place)
            put(room.options_of, place, number + 1)
            word, bit = get(below.first, new) + LANES * (number >> 6), number & 63
            put(room.word, entry, np.int32(word))
            put(room.mask, entry, ONE << np.uint64(bit))
            put(below.option_of_bit, (word << 6) + bit, np.int32(option))
            put(below.row_of_bit, (word << 6) + bit, np.int32(row))
            put(below.words, depth * width + word, get(below.words, depth * width + word) | ONE << np.uint64(bit))
            put(below.own, row * blocks + new // BLOCK, get(below.own, row * blocks + new // BLOCK) | ONE << np.uint64(new % BLOCK))
            entry += 1
        for k in range(whole.set_start[option], whole.set_start[option + 1]):
            item = np.int64(get(whole.sets, k))
            if room.row_of_set[item] < 0:
                room.row_of_set[item] = rows
                for w in range(0, width, LANES):
                    store(room.others, rows * width + w, spread(-1))
                rows += 1
            begin = get(room.row_of_set, item) * width
            for e in range(get(room.entry, row), entry):
                at = begin + np.int64(get(room.word, e))
                put(room.others, at, get(room.others, at) & ~get(room.mask, e))
    keep_others(whole, below, room, options)
    return True
