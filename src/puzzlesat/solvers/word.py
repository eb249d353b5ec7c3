"""Counting a small plain problem in one call: laid out and searched by compiled code, an option being two words of 64 bits.

Laying bitsets out takes a millisecond, and searching a small or narrow form a fraction of that. Here the first place not yet covered is
covered, in the order of a scan along the form's longest side, by any option that fits; where there are symmetries, the tile with fewest
placements up to these is placed first, one of each orbit for all. That goes through many more nodes in a wide form: so it is
tried only where no option reaches far along the scan, and given up after some nodes; then bitsets do it.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from puzzlesat.arrays import Ints, Longs, Reals, Words
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.solvers.bits import compiled, get, lowest_bit, part

MOST_ITEMS = 128
FIRST_NODES, MOST_NODES = 1 << 15, 1 << 18
"""A millisecond, and six. After the first it must look as if all will be done within the other."""
FAR = 23
"""Places from the first to the last along the scan that an option may fill."""
NODES, DEAD_ENDS, FOUND = range(3)

ZERO, ONE = np.uint64(0), np.uint64(1)


class Room(NamedTuple):
    """What a count takes."""

    keys: Reals  # the extent along each axis, and where each item lies
    of_items: Longs  # place, order, whether it is a tile, first option of each place
    of_levels: Words
    of_options: Longs  # tile, first place, weight
    of_words: Words  # of each option, and in the order of first places


def count_at_once(problem: CoverProblem) -> tuple[int, int, int] | None:
    """Return nodes, dead ends and the number of solutions of the whole problem; None where it is not for this search, or takes longer."""
    items, size = len(problem.items), problem.size
    if not size or items > MOST_ITEMS or problem.weight is not None or problem.forced or any(not c.implied for c in problem.conditions):
        return None
    if problem.coloured.any() or not ((problem.low == 1) & (problem.high == 1)).all():
        return None
    centres = np.zeros((items, 1)) if problem.centres is None else problem.centres
    images = np.empty((0, size), dtype=np.int32) if problem.images is None else problem.images
    room = Room(
        np.empty(centres.shape[1] + items),
        np.zeros((4, items + 2), dtype=np.int64),
        np.zeros((4, items + 2), dtype=np.uint64),
        np.zeros((3, size), dtype=np.int64),
        np.zeros((4, size), dtype=np.uint64),
    )
    nodes, dead_ends, found = count(problem.start, problem.item, centres, problem.tiles, images, room, FAR, FIRST_NODES, MOST_NODES)
    return None if found < 0 else (nodes, dead_ends, found)


@cache
def compile_count() -> None:
    """Compile the loop, or load it from the cache, by a problem of one option."""
    one, none = np.ones(1, dtype=np.int32), np.zeros(1, dtype=np.int32)
    start = np.array([0, 1], dtype=np.int32)
    count_at_once(CoverProblem(("item",), one, one, none.astype(bool), ("option",), start, none, none, none[:0]))


@part
def put_in_order(centres: Reals, keys: Reals, place: Longs, order: Longs) -> None:
    """Give each item its place along the scan: by the axis of which the form has most, then by the others; without a centre last."""
    items, axes = centres.shape
    extent, key = keys[:axes], keys[axes:]
    for axis in range(axes):
        low, high = np.inf, -np.inf
        for i in range(items):
            if centres[i, axis] == centres[i, axis]:
                low, high = min(low, centres[i, axis]), max(high, centres[i, axis])
        extent[axis] = high - low
    key[:] = 0
    for _ in range(axes):  # the shortest axis counts least
        axis = 0
        for other in range(axes):
            if extent[other] >= 0 and (extent[axis] < 0 or extent[other] > extent[axis]):
                axis = other
        for i in range(items):
            key[i] = key[i] * SPREAD + centres[i, axis]
        extent[axis] = -1
    for i in range(items):
        k = i
        while k > 0 and not (key[order[k - 1]] <= key[i] or key[i] != key[i]):
            order[k] = order[k - 1]
            k -= 1
        order[k] = i
    for k in range(items):
        place[order[k]] = k


SPREAD = 1024.0
"""What a step along an axis counts, where a step along the next counts 1."""


@part
def orbits(tiles: Ints, tile_of: Longs, images: Ints, weight: Longs) -> int:
    """Write how many options each option of a tile stands for: 0 for all but one of each orbit. Returns the tile, or -1.

    It is the one with fewest orbits of those that every symmetry takes to itself.
    """
    symmetries, options = images.shape
    best, least = -1, options + 1
    for tile in tiles:
        found, own = 0, symmetries > 1
        for o in range(options):
            if tile_of[o] == tile:
                smallest = True
                for g in range(symmetries):
                    own = own and tile_of[images[g, o]] == tile
                    smallest = smallest and images[g, o] >= o
                found += smallest
        if own and found < least:
            best, least = tile, found
    for o in range(options):
        weight[o] = 1
        if best >= 0 and tile_of[o] == best:
            weight[o] = 0
            for g in range(symmetries):
                new = True
                for h in range(g):
                    new = new and images[h, o] != images[g, o]
                weight[o] += new
            for g in range(symmetries):
                if images[g, o] < o:
                    weight[o] = 0
    return best


@part
def first_free(low: Any, high: Any, all_low: Any) -> Any:
    """The first place that is not covered."""
    return np.int64(lowest_bit(~low)) if low != all_low else 64 + np.int64(lowest_bit(~high))


@part
def done(begin: Longs, room: Any, all_low: Any, depth: int) -> float:
    """How much of a search is done, if all options of a place are worth the same."""
    total, each = 0.0, 1.0
    for level in range(depth + 1):
        start = get(begin, first_free(room[0, level], room[1, level], all_low))
        at, end = np.int64(room[2, level]), np.int64(room[3, level])
        each /= max(end - start, 1)
        total += each * (at - start - (level < depth))
    return total


@part
def search(
    ones: Any, others: Any, begin: Longs, all_low: Any, all_high: Any, low: Any, high: Any, room: Any, nodes: int, share: Any, limits: Any
) -> Any:
    """Cover all places from a start on, the first one first. Returns nodes, dead ends and solutions, or -1 after too many nodes.

    ``share`` is how many of such searches there are, and how many of them are done; ``limits`` are those on nodes.
    """
    found, dead_ends, depth = 0, 0, 0
    if low == all_low and high == all_high:
        return nodes, 0, 1
    p = first_free(low, high, all_low)
    at, end, fitted = get(begin, p), get(begin, p + 1), False
    most = limits[0] if nodes <= limits[0] else limits[1]
    while True:
        if nodes > most:
            room[0, depth], room[1, depth], room[2, depth], room[3, depth] = low, high, np.uint64(at), np.uint64(end)
            if most == limits[1] or (share[1] + done(begin, room, all_low, depth)) * limits[1] < share[0] * limits[0]:
                return nodes, dead_ends, -1
            most = limits[1]
        while at < end and get(ones, at) & low | get(others, at) & high != ZERO:
            at += 1
        if at == end:
            dead_ends += not fitted
            if depth == 0:
                return nodes, dead_ends, found
            depth -= 1
            low, high = room[0, depth], room[1, depth]
            at, end, fitted = np.int64(room[2, depth]), np.int64(room[3, depth]), True
            continue
        nodes += 1
        below_low, below_high = low | get(ones, at), high | get(others, at)
        at += 1
        fitted = True
        if below_low == all_low and below_high == all_high:
            found += 1
            continue
        room[0, depth], room[1, depth], room[2, depth], room[3, depth] = low, high, np.uint64(at), np.uint64(end)
        depth += 1
        low, high, fitted = below_low, below_high, False
        p = first_free(low, high, all_low)
        at, end = get(begin, p), get(begin, p + 1)


@compiled
def count(
    start: Ints, item: Ints, centres: Reals, tiles: Ints, images: Ints, room: Room, far: int, first_nodes: int, most_nodes: int
) -> Any:
    """Return nodes, dead ends, and how many solutions there are, or -1 where it is not known."""
    options, items, limits = start.size - 1, centres.shape[0], (first_nodes, most_nodes)
    place, is_tile, begin = room.of_items[0], room.of_items[2], room.of_items[3]
    tile_of, first, weight = room.of_options[0], room.of_options[1], room.of_options[2]
    low, high, ones, others = room.of_words[0], room.of_words[1], room.of_words[2], room.of_words[3]
    put_in_order(centres, room.keys, place, room.of_items[1])
    for tile in tiles:
        is_tile[tile] = 1
    for o in range(options):
        least, last, tile_of[o] = items, -1, -1
        for entry in range(start[o], start[o + 1]):
            i = item[entry]
            p = place[i]
            if p < 64:
                low[o] |= ONE << np.uint64(p)
            else:
                high[o] |= ONE << np.uint64(p - 64)
            least = min(least, p)
            if is_tile[i]:
                tile_of[o] = i
            else:
                last = max(last, p)
        if last - least > far or least == items:
            return 0, 0, -1
        first[o] = least
    broken = orbits(tiles, tile_of, images, weight)
    for o in range(options):
        if broken < 0 or tile_of[o] != broken:
            begin[first[o] + 2] += 1
    for p in range(items):
        begin[p + 2] += begin[p + 1]
    for o in range(options):
        if broken < 0 or tile_of[o] != broken:
            at = begin[first[o] + 1]
            begin[first[o] + 1] += 1
            ones[at], others[at] = low[o], high[o]
    all_low = ~ZERO if items >= 64 else (ONE << np.uint64(items)) - ONE
    all_high = ~ZERO if items == 128 else (ONE << np.uint64(max(items - 64, 0))) - ONE
    nodes, dead_ends, found = 1, 0, 0
    if broken < 0:
        return search(ones, others, begin, all_low, all_high, ZERO, ZERO, room.of_levels, 1, (1, 0), limits)
    parts, gone = 0, 0
    for o in range(options):
        parts += tile_of[o] == broken and weight[o] > 0
    for o in range(options):
        if tile_of[o] == broken and weight[o] > 0:
            more, dead, each = search(
                ones, others, begin, all_low, all_high, low[o], high[o], room.of_levels, nodes + 1, (parts, gone), limits
            )
            nodes, dead_ends = more, dead_ends + dead
            if each < 0:
                return nodes, dead_ends, -1
            found, gone = found + weight[o] * each, gone + 1
    return nodes, dead_ends, found
