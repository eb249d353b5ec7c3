"""The inner loop of the backtracker for plain problems: every item with a bitset is to be covered exactly once.

It visits the same tree as ``kernel.search`` would, with less work per node. A covered item has no options left, so one bit per item is
enough to know which items are still to be covered. A child is dead if the items that have options are not exactly these items.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puzzlesat.base import Ints
from puzzlesat.kernels import compiled, lowest_bit, part
from puzzlesat.solvers.kernel import (
    AT_CUT,
    BASE,
    BLOCK,
    DEAD,
    DEAD_ENDS,
    DEPTH,
    FINISHED,
    FOUND,
    LEAVE,
    NARROW,
    NODES,
    NOTHING,
    PAUSED,
    PLACE,
    PLACE_BITS,
    PRUNED,
    TO_NARROW,
    TRIED,
    State,
    Tables,
    add_weights,
    is_left,
    take_solution,
)
from puzzlesat.solvers.memory import get, put
from puzzlesat.solvers.simd import LANES, both, counts, load, plus, shifted, smaller, smallest, spread, store, which

ZERO, FULL = np.uint64(0), np.uint64(BLOCK)


@part
def narrow(t: Tables, s: State, sizes: Any, depth: int, row: int) -> Any:
    """Write the state below a level without what an option excludes.

    Return the least key of an item; if an item that is still to be covered has no option left, DEAD with the place of the item.
    """
    width, groups, blocks = sizes
    a, b, c = depth * width, row * width, (depth + 1) * width
    least = spread(-1)
    w, group = 0, 0
    for block in range(blocks):
        still = get(s.open, depth * blocks + block) & ~get(t.own, row * blocks + block)
        put(s.open, (depth + 1) * blocks + block, still)
        found, at = ZERO, ZERO
        while group < groups and at < FULL:
            end = get(t.group, group + 1)
            value = both(load(s.words, a + w), load(t.keep, b + w))
            store(s.words, c + w, value)
            left = counts(value)
            w += LANES
            while w < end:
                value = both(load(s.words, a + w), load(t.keep, b + w))
                store(s.words, c + w, value)
                left = plus(left, counts(value))
                w += LANES
            found |= which(left) << at
            at += np.uint64(LANES)
            least = smaller(least, plus(shifted(left, PLACE_BITS), load(t.number, LANES * group)))
            group += 1
        if found != still:
            return DEAD | np.uint64(block * BLOCK) + lowest_bit(still & ~found)
    return smallest(least)


@compiled
def search(t: Tables, s: State, most_nodes: int, most_found: int, cut: int, skip: int, out: Ints) -> int:
    """Continue a search; see ``kernel.search``. Return TO_NARROW at a node at the level NARROW."""
    depth, base = s.control[DEPTH], s.control[BASE]
    nodes, tried, dead_ends, pruned, found = 0, 0, 0, 0, np.int64(0)
    if s.control[LEAVE] != NOTHING:
        while depth > s.control[LEAVE]:
            depth -= 1
            if t.conditional:
                s.tile_count[t.tile[s.path[depth]]] -= 1
        s.tries[depth], s.control[LEAVE] = 0, NOTHING
    sizes = get(t.sizes, 0), get(t.sizes, 1), get(t.sizes, 2)
    root, width, deep = s.given.size, sizes[0], s.control[NARROW]
    tries, at, rest = s.tries[depth], s.at[depth], s.rest[depth]
    while True:
        if tries == 0:
            if depth == base:
                result = FINISHED
                break
            depth -= 1
            if t.conditional:
                s.tile_count[t.tile[s.path[depth]]] -= 1
            tries, at, rest = get(s.tries, depth), get(s.at, depth), get(s.rest, depth)
            continue
        if nodes >= most_nodes or found >= most_found:
            result = PAUSED
            break
        tries -= 1
        if depth < root:
            option = row = np.int64(get(s.given, depth))
            if not is_left(t, s, depth, option):
                continue
        else:
            while rest == ZERO:
                at += LANES
                rest = get(s.words, depth * width + at)
            bit = (at << 6) + np.int64(lowest_bit(rest))
            option, row = np.int64(get(t.option_of_bit, bit)), np.int64(get(t.row_of_bit, bit))
            rest &= rest - np.uint64(1)
            tried += 1
        if t.conditional and not add_weights(t, s, depth, option):
            pruned += 1
            s.tile_count[t.tile[option]] -= 1
            continue
        put(s.path, depth, np.int32(option))
        needs = get(s.needs, depth) - get(t.cover_start, option + 1) + get(t.cover_start, option)
        put(s.needs, depth + 1, needs)
        nodes += depth + 1 >= root
        if needs == 0 and depth + 1 >= root:
            found = take_solution(t, s, depth + 1, out, found)
            key = DEAD
        else:
            key = narrow(t, s, sizes, depth, row)
            dead_ends += key >= DEAD
        if key >= DEAD:
            if t.conditional:
                s.tile_count[t.tile[option]] -= 1
            continue
        put(s.tries, depth, tries)
        put(s.at, depth, at)
        put(s.rest, depth, rest)
        depth += 1
        if depth < root:
            tries = np.int64(1)
            continue
        put(s.seen, depth, get(s.seen, depth) + 1)
        place = np.int64(key & PLACE)
        s.branch[depth] = place
        tries, at = np.int64(key >> PLACE_BITS) + 1, get(t.first, place)
        put(s.branches, depth, tries)
        rest = get(s.words, depth * width + at)
        if depth == cut:
            if skip == 0:
                result = AT_CUT
                break
            skip -= 1
            tries = np.int64(0)
        elif depth == deep:
            result = TO_NARROW
            break
    s.tries[depth], s.at[depth], s.rest[depth] = tries, at, rest
    s.control[DEPTH] = depth
    s.work[NODES] += nodes
    s.work[TRIED] += tried
    s.work[DEAD_ENDS] += dead_ends
    s.work[PRUNED] += pruned
    s.work[FOUND] += found
    return result


@compiled
def record(t: Tables, s: State, item_of_place: Any, records: Any, out: Ints) -> int:
    """Continue a search that begins without options and has no conditions, until ``records`` or ``out`` is full or the search is done.

    ``records``, of 32 bits without sign, receives the item of each node: the item branched on, or an item that can no longer be covered.
    Solutions, which have no item, are written to the rows of ``out``. Return the number of records; at the end of the search, DEPTH is
    NOTHING.
    """
    depth, written, found = s.control[DEPTH], 0, np.int64(0)
    sizes = get(t.sizes, 0), get(t.sizes, 1), get(t.sizes, 2)
    tries, at, rest = s.tries[depth], s.at[depth], s.rest[depth]
    while written < records.size and found < out.shape[0]:
        if tries == 0:
            depth -= 1
            if depth < 0:
                break
            tries, at, rest = get(s.tries, depth), get(s.at, depth), get(s.rest, depth)
            continue
        tries -= 1
        option = row = get(t.sizes, 3)
        if depth > 0:
            while rest == ZERO:
                at += LANES
                rest = get(s.words, depth * sizes[0] + at)
            bit = (at << 6) + np.int64(lowest_bit(rest))
            option, row = np.int64(get(t.option_of_bit, bit)), np.int64(get(t.row_of_bit, bit))
            rest &= rest - np.uint64(1)
        put(s.path, depth, np.int32(option))
        needs = get(s.needs, depth) - get(t.cover_start, option + 1) + get(t.cover_start, option)
        put(s.needs, depth + 1, needs)
        if needs == 0:
            found = take_solution(t, s, depth + 1, out, found)
            continue
        key = narrow(t, s, sizes, depth, row)
        place = np.int64(key & PLACE)
        put(records, written, get(item_of_place, place))
        written += 1
        if key >= DEAD:
            continue
        put(s.tries, depth, tries)
        put(s.at, depth, at)
        put(s.rest, depth, rest)
        depth += 1
        tries, at = np.int64(key >> PLACE_BITS) + 1, get(t.first, place)
        rest = get(s.words, depth * sizes[0] + at)
    s.work[FOUND] = found
    s.control[DEPTH] = depth
    if depth >= 0:
        s.tries[depth], s.at[depth], s.rest[depth] = tries, at, rest
    return written
