"""Filling a form cell by cell, compiled by numba: the first cell that is not covered gets an option of some tile, in the order told.

This is depth-first search along a frontier, without a choice of where to go on: so a node costs little, however large the problem is, and
the part that is not filled stays in one piece. It is begun again and again with other orders (see ``restarts``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.arrays import Flags, Ints, Longs
from puzzlesat.check.kernels import compiled, part

unsigned = np.uint64
SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""2⁶⁴ over the golden ratio: multiples of it are spread evenly."""
FOUND, NONE, STUCK, GIVEN_UP = range(4)


class Fill(NamedTuple):
    """What does not change. Cells are numbered 0 … N - 1 in the order of filling; the first ``must`` say which. T tiles, n options."""

    start: Longs  # (N T + 1,) CSR: the options of each tile whose first cell that must be covered is this one, cell after cell
    entry: Longs  # (n + 1,) CSR: the cells of each option
    cell: Ints
    must: Flags  # (N,) whether a cell must be covered; any other may be
    near: Longs  # (N + 1,) CSR: the cells that touch each cell; none where that is not known
    neighbour: Ints
    sums: Ints  # (areas,) the least sum of sizes of options that is not less; larger pockets are not looked at; empty: none is
    low: Ints  # (T,) how often each tile must be used


class Filling(NamedTuple):
    """Where an attempt stands."""

    order: Ints  # (T,) the tiles, in the order in which they are tried
    room: Ints  # (N,) how many more options may cover a cell
    open: Longs  # (1,) how many cells must still be covered
    left: Ints  # (T,) how many copies of each tile are left
    used: Ints  # (T,)
    at: Ints  # (levels,) the cell filled at each level
    turn: Ints  # (levels,) the place in ``order`` of the tile tried there
    tried: Ints  # (levels,) how many of its options were
    tile: Ints  # (levels,) the tile placed there
    option: Ints  # (levels,) and how
    depth: Longs  # (1,) how many options are placed
    searches: Longs  # (1,) how many pockets were looked at
    seen: Longs  # (N,) the last of them that a cell was seen in
    pocket: Ints  # (areas + neighbours of a cell,) the cells of one
    remaining: Longs  # (T,) how many copies of each tile were left over near the end, summed up


@part
def put(t: Fill, s: Filling, option: int, tile: int, by: int) -> None:
    """Place an option (by 1), or take it back (by -1)."""
    s.left[tile] -= by
    s.used[tile] += by
    for k in range(t.entry[option], t.entry[option + 1]):
        cell = unsigned(t.cell[k])
        s.room[cell] -= by
        s.open[0] -= by * t.must[cell]


@part
def fits(t: Fill, s: Filling, option: int) -> bool:
    """Tell whether all cells of an option have room."""
    free = True
    k, end = t.entry[option], t.entry[option + 1]
    while free and k < end:
        free = s.room[unsigned(t.cell[k])] > 0
        k += 1
    return free


@part
def begin_level(t: Fill, s: Filling, depth: int, cell: int) -> None:
    """Go on from a cell to the next one that must be covered and is not."""
    while cell < t.must.size and (not t.must[cell] or s.room[cell] <= 0):
        cell += 1
    s.at[depth], s.turn[depth], s.tried[depth] = cell, 0, 0


@part
def next_fit(t: Fill, s: Filling, depth: int, salt: Any) -> Any:
    """Return the next option for the cell of a level, or -1: tile after tile, each from another of its options on, as ``salt`` has it."""
    tiles = t.low.size
    while s.turn[depth] < tiles:
        tile = np.int64(s.order[s.turn[depth]])
        row = s.at[depth] * tiles + tile
        first, number = t.start[row], t.start[row + 1] - t.start[row]
        if number > 0 and s.left[tile] > 0:
            begin = np.int64(((unsigned(row) + salt) * SPREAD >> unsigned(33)) % unsigned(number))
            while s.tried[depth] < number:
                k = begin + s.tried[depth]
                option = first + (k if k < number else k - number)
                s.tried[depth] += 1
                if fits(t, s, option):
                    return option
        s.turn[depth] += 1
        s.tried[depth] = 0
    return np.int64(-1)


@part
def pocket_fits(t: Fill, s: Filling, cell: int, before: int) -> bool:
    """Tell whether sizes of options can add up to the piece of what is not covered that a cell belongs to, if that is small.

    It is not if it is that of a search ``before`` this one: those that end well and are small have seen all of theirs.
    """
    s.searches[0] += 1
    stamp = s.searches[0]
    s.pocket[0], s.seen[cell] = cell, stamp
    size, done, needed = 1, 0, 0
    while done < size:
        here = unsigned(s.pocket[done])
        done += 1
        needed += t.must[here]
        for k in range(t.near[here], t.near[here + unsigned(1)]):
            other = unsigned(t.neighbour[k])
            if s.room[other] > 0 and s.seen[other] != stamp:
                if s.seen[other] > before:
                    return True
                s.seen[other] = stamp
                s.pocket[size] = other
                size += 1
        if size >= t.sums.size:
            return True
    return bool(t.sums[needed] <= size)


@part
def pockets_fit(t: Fill, s: Filling, option: int) -> bool:
    """Tell whether all small pockets beside an option can be filled."""
    if t.sums.size == 0:
        return True
    before = s.searches[0]
    for k in range(t.entry[option], t.entry[option + 1]):
        cell = unsigned(t.cell[k])
        for j in range(t.near[cell], t.near[cell + unsigned(1)]):
            other = np.int64(t.neighbour[j])
            if s.room[other] > 0 and s.seen[other] <= before and not pocket_fits(t, s, other, before):
                return False
    return True


@part
def is_full(t: Fill, s: Filling) -> bool:
    """Tell whether every cell is covered that must be, and every tile used as often as it must be."""
    missing = s.open[0]
    for tile in range(t.low.size):
        missing += max(0, t.low[tile] - s.used[tile])
    return bool(missing == 0)


@compiled
def rewind(t: Fill, s: Filling, to: int) -> None:
    """Take options back until so many are placed, and begin with the next cell anew."""
    depth = s.depth[0]
    while depth > to:
        depth -= 1
        put(t, s, np.int64(s.option[depth]), np.int64(s.tile[depth]), -1)
    s.depth[0] = depth
    begin_level(t, s, depth, s.at[depth - 1] if depth > 0 else np.int64(0))


@compiled
def fill(t: Fill, s: Filling, patience: int, most_nodes: int, near_end: int, salt: int) -> int:
    """Fill on from where ``rewind`` has left off, and take back nothing that was placed then.

    Returns FOUND, NONE where all was tried, or after ``patience`` nodes since so few cells were open for the first time STUCK; where these
    were no more than ``near_end``, GIVEN_UP after ``most_nodes``, and what is left over there is counted.
    """
    depth, floor, nodes, least = s.depth[0], s.depth[0], 0, s.open[0]
    result = NONE
    while True:
        option = next_fit(t, s, depth, unsigned(salt)) if s.open[0] > 0 else np.int64(-1)
        if option < 0:
            if depth == floor:
                break
            depth -= 1
            put(t, s, np.int64(s.option[depth]), np.int64(s.tile[depth]), -1)
            continue
        nodes += 1
        if nodes > (most_nodes if least <= near_end else patience):
            result = GIVEN_UP if least <= near_end else STUCK
            break
        tile = np.int64(s.order[s.turn[depth]])
        put(t, s, option, tile, 1)
        if not pockets_fit(t, s, option):
            put(t, s, option, tile, -1)
            continue
        s.option[depth], s.tile[depth] = option, tile
        depth += 1
        if is_full(t, s):
            result = FOUND
            break
        begin_level(t, s, depth, s.at[depth - 1])
        if s.open[0] < least:
            nodes = nodes if s.open[0] <= near_end else 0
            least = s.open[0]
        if s.open[0] <= near_end:
            for other in range(t.low.size):
                s.remaining[other] += s.left[other]
    s.depth[0] = depth
    return result
