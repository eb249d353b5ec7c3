"""The inner loop that finds the shapes, for shapes that fit into one word: no colours, and no tile reaches far ahead.

It does what ``growth`` does for shapes of any width, several times faster. The window and the first empty position are one 64-bit word, and
parts that are cut off are found by flooding with bit masks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, Words
from puzzlesat.kernels import compiled, highest_bit, lowest_bit, part, popcount
from puzzlesat.solvers.memory import get, prefetch, put
from puzzlesat.solvers.tally.growth import CURSOR, DONE, EDGES, EDGES_FULL, MORE, REJECTED, SHAPES, SHAPES_FULL

WINDOW = 56
"""Bits of the window; the bits above hold the first empty position."""
MAX_POSITIONS = 254
BATCH = 256
"""Moves in a batch, after which the shapes that they lead to are looked up."""
ZERO, ONE = np.uint64(0), np.uint64(1)
INSIDE = np.uint64((1 << WINDOW) - 1)


class NarrowMoves(NamedTuple):
    """The moves, as in ``Moves``, with masks of one word. n positions, m moves."""

    start: Ints  # (n + 1,)
    mask: Words  # (m,)
    label: Ints  # (m,)
    optional: Flags  # (n,)


class Shores(NamedTuple):
    """Tables for the test whether an empty part that was cut off can be filled."""

    known: bool  # False: neighbours are unknown, and no part is tested
    all_required: bool
    near: Words  # (n,) neighbours of position q; bit i means position q - back + i
    back: int
    border: Words  # (m,) positions beside a move; bit i means its first position + i
    fits: Longs  # (n + 2,) number of areas below a that are sums of areas of moves
    optional: Words  # (n + 1,) positions from q on that may stay empty
    open_sea: Ints  # (n + 1,)


class NarrowGraph(NamedTuple):
    """Shapes found so far and the moves between them; S shapes, E edges."""

    key: Words  # (S,)
    accepts: Flags  # (S,)
    start: Longs  # (S + 1,)
    to: Ints  # (E,)
    label: Ints
    table: Words  # (slots, 2) hash table: key + 1, or 0, and the number of the shape
    control: Longs  # SHAPES, CURSOR, EDGES, REJECTED
    keys: Words  # (BATCH + m,) scratch: the shapes that a batch of moves leads to
    labels: Ints  # (BATCH + m,) scratch
    free: Ints  # (m + 1,) scratch: moves that overlap nothing
    ends: Longs  # (BATCH,) scratch: the end of the moves of each shape of a batch


@part
def closed_part_fits(p: Shores, empty: int, first: int, filled: int, sea: int, begin: int, opened: int) -> tuple[bool, int, bool]:
    """Flood the empty part from the bit ``begin``; return whether it may be filled, its bits, and whether it is open.

    A closed part must have an area that moves can fill, also together with the area filled so far.
    """
    part = begin
    edge = begin
    while edge:
        i = np.int64(highest_bit(edge)) - 1
        edge &= ~(ONE << np.uint64(i))
        near = p.near[first + i]
        near = near << np.uint64(i - p.back) if i >= p.back else near >> np.uint64(p.back - i)
        more = near & empty & ~part
        part |= more
        edge |= more
        if part & (sea | opened):
            return True, part, True
    area = np.int64(popcount(part))
    least = area - np.int64(popcount(part & p.optional[first]))
    if p.all_required and p.fits[filled + area + 1] == p.fits[filled + area]:
        return False, part, False
    return p.fits[area + 1] > p.fits[least], part, False


@part
def fillable(p: Shores, window: int, first: int, beside: int) -> bool:
    """Return whether the filled area is possible, and no empty part at the first position or ``beside`` is closed with an impossible area.

    It is the test of ``growth.fillable`` with bit masks.
    """
    n = p.optional.size - 1
    filled = first + np.int64(popcount(window))
    if p.all_required and p.fits[filled + 1] == p.fits[filled]:
        return False
    if first == n or not p.known:
        return True
    end = np.int64(highest_bit(window))
    ahead = min(np.int64(p.open_sea[first + end]) - first, 64 - p.back)  # beyond, neighbours would not fit into the word
    sea = ~((ONE << np.uint64(ahead)) - ONE)
    left = n - first
    empty = ~window & ((ONE << np.uint64(left)) - ONE) if left < 64 else ~window
    todo = (beside & empty) | ONE
    opened = ZERO
    while todo:
        fits, part, is_open = closed_part_fits(p, empty, first, filled, sea, ONE << lowest_bit(todo), opened)
        if not fits:
            return False
        if is_open:
            opened |= part
        todo &= ~part
    return True


@part
def home_of(table: Words, key: Any) -> Any:
    """Return the slot of the hash table where the search for a key begins."""
    h = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return (h ^ (h >> np.uint64(29))) & np.uint64(len(table) - 1)


@part
def slot_of(table: Words, key: Any) -> Any:
    """Return the slot of the hash table where a key is, or belongs."""
    slot = home_of(table, key)
    while table[slot, 0] != ZERO and table[slot, 0] != key + ONE:
        slot = (slot + ONE) & np.uint64(len(table) - 1)
    return slot


@compiled
def grow(m: NarrowMoves, p: Shores, g: NarrowGraph, until: int) -> int:
    """Find the successors of the shapes before ``until`` that were not yet expanded; see ``growth.grow``.

    Several shapes are expanded before their successors are looked up in the hash table, so that memory has time to answer.
    """
    n, most = m.optional.size, m.label.size
    keys, labels, ends = g.keys, g.labels, g.ends
    shapes, edges, rejected = g.control[SHAPES], g.control[EDGES], g.control[REJECTED]
    cursor = g.control[CURSOR]
    status = DONE
    while cursor < shapes:
        if cursor >= until:
            status = MORE
            break
        if edges + BATCH + most > g.to.size:
            status = EDGES_FULL
            break
        if shapes + BATCH + most > g.key.size or 2 * (shapes + BATCH + most) > len(g.table):
            status = SHAPES_FULL
            break
        found, batch = 0, 0
        while found < BATCH and batch < BATCH and cursor + batch < shapes:
            place = np.int64(g.key[cursor + batch] >> np.uint64(WINDOW))
            here = g.key[cursor + batch] & INSIDE
            while True:
                if place == n:
                    g.accepts[cursor + batch] = True
                    break
                candidates = 0
                for move in range(m.start[place], m.start[place + 1]):  # no branch: no processor could predict which moves are possible
                    put(g.free, candidates, np.int32(move))
                    candidates += (here & get(m.mask, move)) == ZERO
                for k in range(candidates):
                    move = np.int64(get(g.free, k))
                    after = here | get(m.mask, move)
                    run = lowest_bit(~after)
                    after >>= run
                    first = place + np.int64(run)
                    if not fillable(p, after, first, get(p.border, move) >> run):
                        rejected += 1
                        continue
                    key = after | (np.uint64(first) << np.uint64(WINDOW))
                    put(keys, found, key)
                    put(labels, found, get(m.label, move))
                    prefetch(g.table, home_of(g.table, key))
                    found += 1
                if not m.optional[place]:
                    break
                here |= ONE
                run = lowest_bit(~here)
                here >>= run
                place += np.int64(run)
            ends[batch] = edges + found
            batch += 1
        for i in range(found):
            slot = slot_of(g.table, keys[i])
            if g.table[slot, 0] == ZERO:
                g.table[slot, 0], g.table[slot, 1] = keys[i] + ONE, shapes
                g.key[shapes] = keys[i]
                g.accepts[shapes] = False
                shapes += 1
            g.to[edges], g.label[edges] = g.table[slot, 1], labels[i]
            edges += 1
        for i in range(batch):
            cursor += 1
            g.start[cursor] = ends[i]
    g.control[SHAPES], g.control[EDGES], g.control[REJECTED], g.control[CURSOR] = shapes, edges, rejected, cursor
    return status


def begin(g: NarrowGraph) -> None:
    """Put the empty form into an empty graph as shape 0. Its key is 0, and the search for this key begins at the first slot."""
    g.control[SHAPES] = 1
    g.table[0] = 1, 0


@compiled
def rehash(old: Words, table: Words) -> None:
    """Move the entries of a hash table to a longer one."""
    for i in range(len(old)):
        if old[i, 0]:
            slot = slot_of(table, old[i, 0] - ONE)
            table[slot, 0], table[slot, 1] = old[i, 0], old[i, 1]
