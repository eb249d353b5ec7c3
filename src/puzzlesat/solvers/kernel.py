"""The inner loop of the backtracker, compiled by numba.

Each item that needs covering has a bitset over its own options; all bitsets lie side by side in one state of 64-bit words.
Choosing option o is ``child = state & keep[o]``: what o excludes disappears from all bitsets at once. This is exact cover by
bitsets with minimal branching (D. E. Knuth, TAOCP 4B, 7.2.2.1, the MRV heuristic of exercise 9; multiplicities as in algorithm M).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

FINISHED, PAUSED, FULL = 0, 1, 2
NODES, TRIED, DEAD_ENDS, PRUNED, FOUND = range(5)
DEPTH, ENTERING, BASE, ACTIVE = range(4)
NOTHING_NEEDED, DEAD = -1, -2
UNWRITTEN, WRITTEN = 1, 2
"""Values of control[ENTERING] besides 0: a new node whose state is yet to be written from the one above, or is there."""

Words = NDArray[np.uint64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


class Tables(NamedTuple):
    """What does not change during a search. m items, n options, W words, C conditions, T tiles."""

    keep: Words  # (n, W) what stays when an option is chosen
    block: Ints  # (m + 1,) first word of each item's bitset; the last item may be "all options"
    option_of_bit: Ints  # (64 W,)
    low: Ints  # (m,)
    high: Ints  # (m,)
    cover_start: Ints  # (n + 1,) CSR: the items with a bitset that an option covers
    cover_item: Ints
    bit_word: Ints  # CSR with cover_start: where the option's own bits are, one an entry
    bit_mask: Words
    full: Words  # (rows, W) what stays when an item with several copies is full
    full_row: Ints  # (m,) row in ``full``, or -1
    everything: int  # number of the item "all options", or -1 where no solution can contain another
    weight: Longs  # (C, n)
    sum_low: Longs  # (C,)
    sum_high: Longs
    modulus: Longs
    residue: Longs
    tile: Ints  # (n,) tile of each option
    tile_low: Longs  # (T,)
    tile_high: Longs
    least: Longs  # (C, T) smallest and largest weight of a tile's options
    most: Longs


class State(NamedTuple):
    """Where a search stands; a paused search goes on from here."""

    words: Words  # (depth, W)
    path: Ints  # (depth,) options chosen
    branch: Ints  # (depth,) item branched on
    cursor: Longs  # (depth,) next bit to look at
    left: Longs  # (depth,) options left to try
    covered: Ints  # (m,) how often each item is covered
    active: Ints  # (m,) sparse set: the first control[ACTIVE] items still need covering
    where: Ints  # (m,) place of each item in ``active``
    sums: Longs  # (depth, C) weights of the options chosen
    rest_low: Longs  # (depth, C) bounds for what the tiles not yet used can add
    rest_high: Longs
    tile_count: Longs  # (T,)
    control: Longs  # DEPTH, ENTERING, BASE, ACTIVE
    work: Longs  # NODES, TRIED, DEAD_ENDS, PRUNED, FOUND


def _popcount(_typing: Any, _word: Any) -> Any:
    """Number of 1 bits of a 64-bit word."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), code


def _lowest_bit(_typing: Any, _word: Any) -> Any:
    """Index of the lowest 1 bit of a 64-bit word that is not 0."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), code


popcount: Any = intrinsic(_popcount)
lowest_bit: Any = intrinsic(_lowest_bit)


@njit(cache=True, nogil=True, inline="always")
def size_of(words: Words, first: int, last: int) -> int:
    """Number of options left to the item whose words these are."""
    total = np.uint64(0)
    for w in range(first, last):
        total += popcount(words[w])
    return int(total)


@njit(cache=True, nogil=True, inline="always")
def pick(t: Tables, s: State, depth: int) -> tuple[int, int]:
    """Return the item with the fewest branches and their number; DEAD or NOTHING_NEEDED instead of an item."""
    best, fewest = NOTHING_NEEDED, 1 << 60
    words = s.words[depth]
    for i in range(s.control[ACTIVE]):
        item = s.active[i]
        branches = size_of(words, t.block[item], t.block[item + 1]) - (t.low[item] - s.covered[item]) + 1
        if branches < fewest:
            if branches <= 0:
                return DEAD, 0
            best, fewest = item, branches
            if branches == 1:
                break
    return best, fewest


@njit(cache=True, nogil=True, inline="always")
def copy_word(before: Words, keep: Words, after: Words, w: int) -> Any:
    """Write one word of a state from the one above."""
    word = before[w] & keep[w]
    after[w] = word
    return word


@njit(cache=True, nogil=True, inline="always")
def descend(t: Tables, s: State, depth: int) -> tuple[int, int]:
    """Write the state of this level from the one above and the option chosen there, and pick an item on the way.

    Only bitsets of items that still need covering are written: no level below looks at others. Once an item has one branch the
    rest is written without counting.
    """
    best, fewest = NOTHING_NEEDED, 1 << 60
    before, after, keep = s.words[depth - 1], s.words[depth], t.keep[s.path[depth - 1]]
    for i in range(s.control[ACTIVE]):
        item = s.active[i]
        w, end = t.block[item], t.block[item + 1]
        left = popcount(copy_word(before, keep, after, w))
        if w + 1 < end:
            left += popcount(copy_word(before, keep, after, w + 1))
            if w + 2 < end:
                left += popcount(copy_word(before, keep, after, w + 2))
                if w + 3 < end:
                    left += popcount(copy_word(before, keep, after, w + 3))
                    for v in range(w + 4, end):
                        left += popcount(copy_word(before, keep, after, v))
        branches = np.int64(left) - (t.low[item] - s.covered[item]) + 1
        if branches < fewest:
            if branches <= 0:
                return DEAD, 0
            best, fewest = item, branches
    if t.everything >= 0:
        for w in range(t.block[t.everything], t.block[t.everything + 1]):
            after[w] = before[w] & keep[w]
    return best, fewest


@njit(cache=True, nogil=True, inline="always")
def choose(t: Tables, s: State, depth: int, option: int) -> bool:
    """Add an option: count what it covers. Returns whether that fills an item, so that the next state must be written whole."""
    fills = False
    for entry in range(t.cover_start[option], t.cover_start[option + 1]):
        item = t.cover_item[entry]
        s.covered[item] += 1
        if s.covered[item] == t.low[item]:
            last = s.control[ACTIVE] - 1
            other, place = s.active[last], s.where[item]
            s.active[place], s.active[last] = other, item
            s.where[other], s.where[item] = place, last
            s.control[ACTIVE] = last
        fills |= t.full_row[item] >= 0 and s.covered[item] == t.high[item]
    s.path[depth] = option
    return fills


@njit(cache=True, nogil=True, inline="always")
def write_whole(t: Tables, s: State, depth: int, option: int) -> None:
    """Write the whole state one level deeper, without the other options of items that the option fills."""
    before, after, keep = s.words[depth], s.words[depth + 1], t.keep[option]
    for w in range(after.size):
        after[w] = before[w] & keep[w]
    for entry in range(t.cover_start[option], t.cover_start[option + 1]):
        item = t.cover_item[entry]
        if t.full_row[item] >= 0 and s.covered[item] == t.high[item]:
            rest = t.full[t.full_row[item]]
            for w in range(after.size):
                after[w] &= rest[w]


@njit(cache=True, nogil=True, inline="always")
def undo(t: Tables, s: State, option: int) -> None:
    """Take the last option back."""
    for entry in range(t.cover_start[option + 1] - 1, t.cover_start[option] - 1, -1):
        item = t.cover_item[entry]
        if s.covered[item] == t.low[item]:
            s.control[ACTIVE] += 1
        s.covered[item] -= 1
    s.tile_count[t.tile[option]] -= 1


@njit(cache=True, nogil=True, inline="always")
def add_weights(t: Tables, s: State, depth: int, option: int) -> bool:
    """Add an option's weights and tighten the bounds of the rest; False where a condition is out of reach."""
    tile = t.tile[option]
    used = s.tile_count[tile]
    s.tile_count[tile] = used + 1
    possible = True
    for c in range(t.weight.shape[0]):
        s.sums[depth + 1, c] = s.sums[depth, c] + t.weight[c, option]
        least, most = t.least[c, tile], t.most[c, tile]
        low_before, low_after = max(t.tile_low[tile] - used, 0), max(t.tile_low[tile] - used - 1, 0)
        high_before = t.tile_high[tile] - used
        down = least if least < 0 else least * (low_before - low_after)
        up = most if most > 0 else most * (low_before - low_after)
        s.rest_low[depth + 1, c] = s.rest_low[depth, c] - (down if high_before > 0 else 0)
        s.rest_high[depth + 1, c] = s.rest_high[depth, c] - (up if high_before > 0 else 0)
        if t.modulus[c] == 0:
            total = s.sums[depth + 1, c]
            if total + s.rest_low[depth + 1, c] > t.sum_high[c] or total + s.rest_high[depth + 1, c] < t.sum_low[c]:
                possible = False
    return possible


@njit(cache=True, nogil=True, inline="always")
def conditions_hold(t: Tables, s: State, depth: int) -> bool:
    """Tell whether the options chosen satisfy all side conditions."""
    for c in range(t.weight.shape[0]):
        total = s.sums[depth, c]
        if t.modulus[c] != 0:
            if (total - t.residue[c]) % t.modulus[c] != 0:
                return False
        elif total < t.sum_low[c] or total > t.sum_high[c]:
            return False
    return True


@njit(cache=True, nogil=True, inline="always")
def next_option(t: Tables, s: State, depth: int) -> int:
    """Return the next option of the item branched on, and move the cursor past it."""
    bit = s.cursor[depth]
    w = bit >> 6
    word = s.words[depth, w] & (np.uint64(0xFFFFFFFFFFFFFFFF) << np.uint64(bit & 63))
    while word == 0:
        w += 1
        word = s.words[depth, w]
    bit = (w << 6) + np.int64(lowest_bit(word))
    s.cursor[depth] = bit + 1
    return int(t.option_of_bit[bit])


@njit(cache=True, nogil=True, inline="always")
def exclude(t: Tables, s: State, depth: int, option: int) -> None:
    """Take an option out of a state for good: later branches are those without it."""
    for entry in range(t.cover_start[option], t.cover_start[option + 1]):
        s.words[depth, t.bit_word[entry]] &= ~t.bit_mask[entry]


@njit(cache=True, nogil=True)
def begin(t: Tables, s: State, given: Ints) -> None:
    """Choose the options given. Where one is excluded already, or a condition out of reach, the search has nothing to do."""
    depth = 0
    for option in given:
        possible = True
        for entry in range(t.cover_start[option], t.cover_start[option + 1]):
            if s.words[depth, t.bit_word[entry]] & t.bit_mask[entry] == 0:
                possible = False
        if possible:
            possible = add_weights(t, s, depth, option)
            choose(t, s, depth, option)
            write_whole(t, s, depth, option)
            depth += 1
        if not possible:
            s.control[ENTERING] = 0
            s.left[depth] = 0
            break
    s.control[DEPTH] = s.control[BASE] = depth


@njit(cache=True, nogil=True)
def search(t: Tables, s: State, most_nodes: int, out: Ints) -> int:
    """Go on with a search until it is done, has seen ``most_nodes`` more nodes, or ``out`` is full.

    Returns FINISHED, PAUSED or FULL; solutions are written to the rows of ``out``, ``work[FOUND]`` counts them.
    """
    depth, entering = s.control[DEPTH], s.control[ENTERING]
    stop_at = s.work[NODES] + most_nodes
    rows = 0
    result = FINISHED
    while True:
        if entering:
            if s.work[NODES] >= stop_at or rows == out.shape[0]:
                result = FULL if rows == out.shape[0] else PAUSED
                break
            s.work[NODES] += 1
            item, branches = pick(t, s, depth) if entering == WRITTEN else descend(t, s, depth)
            if item == DEAD:
                s.work[DEAD_ENDS] += 1
                branches = 0
            elif item == NOTHING_NEEDED:
                if conditions_hold(t, s, depth):
                    out[rows, :depth] = s.path[:depth]
                    out[rows, depth:] = -1
                    rows += 1
                item, branches = t.everything, 0
                if item >= 0:
                    branches = size_of(s.words[depth], t.block[item], t.block[item + 1])
            s.branch[depth], s.left[depth] = item, branches
            if branches > 0:
                s.cursor[depth] = np.int64(t.block[item]) << 6
            entering = 0
        if s.left[depth] == 0:
            if depth == s.control[BASE]:
                break
            depth -= 1
            undo(t, s, s.path[depth])
            continue
        s.left[depth] -= 1
        option = next_option(t, s, depth)
        s.work[TRIED] += 1
        if t.high[s.branch[depth]] > 1:
            exclude(t, s, depth, option)
        possible = add_weights(t, s, depth, option)
        fills = choose(t, s, depth, option)
        if possible:
            entering = UNWRITTEN
            if fills:
                write_whole(t, s, depth, option)
                entering = WRITTEN
            depth += 1
        else:
            s.work[PRUNED] += 1
            undo(t, s, option)
    s.control[DEPTH], s.control[ENTERING] = depth, entering
    s.work[FOUND] += rows
    return result
