"""The inner loop that finds the shapes, compiled by numba.

A shape describes a partial filling from outside: the first empty position, the filled positions beyond it, and the colours that later moves
can still meet. Tiles count as reusable here, so there are few shapes. The tiles used are recorded in the counts (see ``levels``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, Words
from puzzlesat.kernels import compiled, highest_bit, lowest_bit, part, popcount
from puzzlesat.solvers.tally.moves import Moves

DONE, MORE, SHAPES_FULL, EDGES_FULL = range(4)
SHAPES, CURSOR, EDGES, REJECTED, FLOODS = range(5)
ONE = np.uint64(1)
ALL_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)


class Pockets(NamedTuple):
    """Tables for the test whether an empty part that was cut off can be filled. n positions."""

    start: Ints  # (n + 1,) CSR: neighbours, in ascending order; all empty if unknown
    near: Ints
    fits: Longs  # (n + 2,) number of areas below a that are sums of areas of moves
    optional: Flags  # (n,)
    all_required: bool
    open_sea: Ints  # (n + 1,) the least t >= q such that the positions from t on are connected


class Graph(NamedTuple):
    """Shapes found so far and the moves between them; S shapes, E edges, K words of window and C of colours."""

    first: Ints  # (S,) first empty position
    key: Words  # (S, K + C)
    rejected: Flags  # (S,)
    accepts: Flags  # (S,) nothing more has to be filled
    start: Longs  # (S + 1,) CSR: moves from each shape
    to: Ints  # (E,)
    label: Ints
    table: Ints  # hash table: number of a shape + 1, or 0
    control: Longs  # SHAPES, CURSOR, EDGES, REJECTED, FLOODS
    seen: Longs  # (n,) scratch: the last flood that reached a position
    stack: Ints  # (n,) scratch
    here: Words  # (K + C,) scratch
    after: Words  # (K + C,) scratch


@part
def hash_of(first: int, keys: Words, row: int) -> int:
    """Return a hash of a shape, whose key is in a row of a table."""
    h = np.uint64(first) * np.uint64(0x9E3779B97F4A7C15)
    for w in range(keys.shape[1]):
        h = (h ^ keys[row, w]) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    return int(h >> np.uint64(1))


@part
def shift_down(words: Words, count: int, by: int) -> None:
    """Shift the first ``count`` words right by some bits."""
    if count == 1:
        words[0] = words[0] >> np.uint64(by) if by < 64 else np.uint64(0)
        return
    whole, rest = by >> 6, np.uint64(by & 63)
    for w in range(count):
        low = words[w + whole] if w + whole < count else np.uint64(0)
        high = words[w + whole + 1] if w + whole + 1 < count else np.uint64(0)
        words[w] = low if rest == 0 else (low >> rest) | (high << (np.uint64(64) - rest))


@part
def filled_run(words: Words, count: int) -> int:
    """Return the number of 1 bits before the first 0 bit."""
    for w in range(count):
        if words[w] != ALL_ONES:
            return 64 * w + int(lowest_bit(~words[w]))
    return 64 * count


@part
def has_bit(words: Words, count: int, i: int) -> bool:
    """Return whether position i of the window is filled."""
    return i >> 6 < count and (words[i >> 6] >> np.uint64(i & 63)) & ONE != 0


@part
def colours_agree(m: Moves, move: int, key: Words, words: int) -> bool:
    """Return whether the colours that a move gives agree with the colours already there."""
    for e in range(m.colour_start[move], m.colour_start[move + 1]):
        there = (key[words + m.colour_word[e]] >> m.colour_shift[e]) & m.colour_mask[e]
        if there != 0 and (there != m.colour_value[e] or there == m.colour_mask[e]):
            return False
    return True


@part
def flood(p: Pockets, g: Graph, key: Words, words: int, first: int, filled: int, sea: int, before: int, begin: int) -> bool:
    """Return whether the empty part at ``begin`` is open to the sea, or has an area that moves can fill.

    The area of a closed part and the filled area together must be a possible area, too. Positions are stamped with the number of the flood.
    A part that meets an earlier flood of the same check (stamp above ``before``) is open, because closed parts are flooded completely.
    """
    g.control[FLOODS] += 1
    stamp = g.control[FLOODS]
    g.seen[begin] = stamp
    g.stack[0] = begin
    height, area, least = 1, 0, 0
    while height:
        height -= 1
        q = g.stack[height]
        if q >= sea:
            return True
        area += 1
        least += 0 if p.optional[q] else 1
        for e in range(p.start[q], p.start[q + 1]):
            r = p.near[e]
            if r < first or has_bit(key, words, r - first) or g.seen[r] == stamp:
                continue
            if g.seen[r] > before:
                return True
            g.seen[r] = stamp
            g.stack[height] = r
            height += 1
    if p.all_required and p.fits[filled + area + 1] == p.fits[filled + area]:
        return False
    return bool(p.fits[area + 1] > p.fits[least])


@part
def fillable(m: Moves, p: Pockets, g: Graph, key: Words, first: int, place: int, move: int) -> bool:
    """Return whether moves can fill the area filled so far, and no empty part beside the last move is closed with an impossible area.

    ``place`` was the first position of that move.
    """
    words = m.mask.shape[1]
    end, filled = first, first
    for w in range(words):
        filled += int(popcount(key[w]))
        if key[w]:
            end = first + 64 * w + int(highest_bit(key[w]))
    if p.all_required and p.fits[filled + 1] == p.fits[filled]:
        return False
    if first == p.optional.size or p.near.size == 0:
        return True
    sea, before = p.open_sea[end], g.control[FLOODS]
    if not flood(p, g, key, words, first, filled, sea, before, first):
        return False
    for w in range(words):
        left = m.mask[move, w]
        while left:
            q = place + 64 * w + int(lowest_bit(left))
            left &= left - ONE
            for e in range(p.start[q], p.start[q + 1]):
                r = p.near[e]
                if r < first or has_bit(key, words, r - first) or g.seen[r] > before:
                    continue
                if not flood(p, g, key, words, first, filled, sea, before, r):
                    return False
    return True


@part
def number_of(m: Moves, p: Pockets, g: Graph, key: Words, first: int, place: int, move: int) -> int:
    """Return the number of a shape, which is added if it is new; -1 for a shape that cannot be filled."""
    width = key.size
    shape = g.control[SHAPES]
    for w in range(width):
        g.key[shape, w] = key[w]
    slot = hash_of(first, g.key, shape) & (g.table.size - 1)
    while g.table[slot]:
        other = g.table[slot] - 1
        same = g.first[other] == first
        for w in range(width):
            same = same and g.key[other, w] == key[w]
        if same:
            return -1 if g.rejected[other] else np.int64(other)
        slot = (slot + 1) & (g.table.size - 1)
    g.control[SHAPES] = shape + 1
    g.table[slot] = shape + 1
    g.first[shape] = first
    g.accepts[shape] = False
    g.rejected[shape] = not fillable(m, p, g, key, first, place, move)
    if g.rejected[shape]:
        g.control[REJECTED] += 1
        return -1
    return int(shape)


@compiled
def grow(m: Moves, p: Pockets, g: Graph, until: int) -> int:
    """Find the successors of the shapes before ``until`` that were not yet expanded.

    Return DONE if no shape is left, MORE if ``until`` is reached, SHAPES_FULL or EDGES_FULL if arrays must be made longer first.
    """
    words, n = m.mask.shape[1], m.optional.size
    width = g.key.shape[1]
    here, after = g.here, g.after
    while g.control[CURSOR] < g.control[SHAPES]:
        shape = g.control[CURSOR]
        if shape >= until:
            return MORE
        edges = g.control[EDGES]
        if edges + m.label.size > g.to.size:
            return EDGES_FULL
        if g.control[SHAPES] + m.label.size > g.first.size:
            return SHAPES_FULL
        g.start[shape] = edges
        place = g.first[shape]
        for w in range(width):
            here[w] = g.key[shape, w]
        while not g.rejected[shape]:
            if place == n:
                g.accepts[shape] = True
                break
            for move in range(m.start[place], m.start[place + 1]):
                free = True
                for w in range(words):
                    free = free and here[w] & m.mask[move, w] == 0
                if not free or not colours_agree(m, move, here, words):
                    continue
                for w in range(words):
                    after[w] = here[w] | m.mask[move, w]
                for w in range(words, width):
                    after[w] = here[w]
                for e in range(m.colour_start[move], m.colour_start[move + 1]):
                    after[words + m.colour_word[e]] |= m.colour_value[e] << m.colour_shift[e]
                first = step(m, after, words, place)
                to = number_of(m, p, g, after, first, place, move)
                if to >= 0:
                    g.to[edges], g.label[edges] = to, m.label[move]
                    edges += 1
            if not m.optional[place]:
                break
            here[0] |= ONE
            place = step(m, here, words, place)
        g.control[EDGES] = edges
        g.control[CURSOR] = shape + 1
        g.start[shape + 1] = edges
    return DONE


@part
def step(m: Moves, key: Words, words: int, place: int) -> int:
    """Move on to the first empty position, and forget the colours that no move can meet any more."""
    run = filled_run(key, words)
    shift_down(key, words, run)
    for w in range(words, key.size):
        for q in range(place + 1, place + run + 1):
            key[w] &= ~m.dying[q, w - words]
    return int(place + run)


@compiled
def begin(g: Graph) -> None:
    """Put the empty form into an empty graph as shape 0."""
    g.table[hash_of(g.first[0], g.key, 0) & (g.table.size - 1)] = 1
    g.control[SHAPES] = 1


@compiled
def rehash(g: Graph, count: int) -> None:
    """Fill an empty hash table with the existing shapes."""
    for shape in range(count):
        slot = hash_of(g.first[shape], g.key, shape) & (g.table.size - 1)
        while g.table[slot]:
            slot = (slot + 1) & (g.table.size - 1)
        g.table[slot] = shape + 1


@compiled
def reach_back(order: Longs, start: Longs, to: Ints, accepts: Flags, number: Ints) -> None:
    """Number the shapes from which the end can be reached, from 0 on; the others get -1.

    Every move leads to a later first position, so ``order`` begins with the last ones.
    """
    for i in range(order.size):
        shape = order[i]
        reaches = accepts[shape]
        for edge in range(start[shape], start[shape + 1]):
            reaches |= number[to[edge]] == 0
        number[shape] = 0 if reaches else -1
    count = 0
    for shape in range(number.size):
        if number[shape] == 0:
            number[shape] = count
            count += 1


@compiled
def keep_moves(start: Longs, to: Ints, label: Ints, accepts: Flags, number: Ints) -> int:
    """Move the shapes that have a number, and the moves between them, to the front of the arrays; return the number of shapes."""
    at, count, begin_edge = 0, 0, start[0]
    for shape in range(number.size):
        end = start[shape + 1]
        if number[shape] >= 0:
            for edge in range(begin_edge, end):
                there = number[to[edge]]
                to[at], label[at] = there, label[edge]
                at += there >= 0
            accepts[count] = accepts[shape]
            count += 1
            start[count] = at
        begin_edge = end
    return int(count)


def turn_round(start: Longs, to: Ints, label: Ints) -> tuple[Longs, Ints, Ints]:
    """Return the moves by the shapes that they lead to: CSR start, origin, label."""
    count = len(start) - 1
    back = np.zeros(count + 1, dtype=np.int64), np.empty_like(to), np.empty_like(label)
    sort_moves(start, to, label, np.empty(count, dtype=np.int64), *back)
    return back


@compiled
def sort_moves(start: Longs, to: Ints, label: Ints, place: Longs, begin_at: Longs, origin: Ints, back: Ints) -> None:
    """Sort moves by the shapes that they lead to (counting sort); ``place`` is scratch."""
    count = start.size - 1
    for edge in range(to.size):
        begin_at[to[edge] + 1] += 1
    for shape in range(count):
        begin_at[shape + 1] += begin_at[shape]
        place[shape] = begin_at[shape]
    for shape in range(count):
        for edge in range(start[shape], start[shape + 1]):
            at = place[to[edge]]
            origin[at], back[at] = shape, label[edge]
            place[to[edge]] = at + 1
