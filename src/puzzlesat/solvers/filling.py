"""Attempts to fill a form, depth first or by beam search, compiled by numba (see ``restarts``).

Depth first: the first cell that is not covered gets an option of some tile, with the tiles tried in a given order. This search follows a
frontier and never chooses where to continue. So a node costs little, however large the problem is, and the part that is not filled stays in
one piece. It is restarted again and again with other orders.

Beam search (B. T. Lowerre, "The HARPY speech recognition system", 1976): each filling of a level is extended by every option for its first
open cell, and the results of least cost make the next level. A cost is the sum of the costs of the tiles left and of the open cells. The
cost of an open cell depends on how many of its neighbours are open too. Tiles that fit almost nowhere and holes cost most. Two ways to the
same filling, with the same cells covered by the same tiles, count as one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, Reals, Words
from puzzlesat.kernels import compiled, part

unsigned = np.uint64
SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""2⁶⁴ divided by the golden ratio. Its multiples are spread evenly."""
FOUND, NONE, STUCK, GIVEN_UP = range(4)


class Fill(NamedTuple):
    """The constants of a problem. Cells are numbered 0 … N - 1 in the order of filling. T tiles, n options."""

    start: Longs  # (N T + 1,) CSR by cell and tile: the options of the tile whose first cell that must be covered is this one
    entry: Longs  # (n + 1,) CSR: the cells of each option
    cell: Ints
    must: Flags  # (N,) whether a cell must be covered; other cells may be
    near: Longs  # (N + 1,) CSR: the cells that touch each cell; none if unknown
    neighbour: Ints
    sums: Ints  # (areas,) the least sum of option sizes that is not less than each area; larger pockets are not examined; empty: none is
    low: Ints  # (T,) how often each tile must be used


class Filling(NamedTuple):
    """The state of an attempt."""

    order: Ints  # (T,) the tiles, in the order in which they are tried
    room: Ints  # (N,) how many more options may cover a cell
    open: Longs  # (1,) how many cells must still be covered
    left: Ints  # (T,) how many copies of each tile are left
    used: Ints  # (T,)
    at: Ints  # (levels,) the cell filled at each level
    turn: Ints  # (levels,) the place in ``order`` of the tile tried there
    tried: Ints  # (levels,) how many of its options were tried
    tile: Ints  # (levels,) the tile placed there
    option: Ints  # (levels,) the option placed there
    depth: Longs  # (1,) how many options are placed
    searches: Longs  # (1,) how many pockets were examined
    seen: Longs  # (N,) the last pocket in which a cell was seen
    pocket: Ints  # (areas + neighbours of a cell,) the cells of one pocket
    remaining: Longs  # (T,) sum of the copies of each tile left over near the end


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
    """Return whether all cells of an option have room."""
    free = True
    k, end = t.entry[option], t.entry[option + 1]
    while free and k < end:
        free = s.room[unsigned(t.cell[k])] > 0
        k += 1
    return free


@part
def begin_level(t: Fill, s: Filling, depth: int, cell: int) -> None:
    """Begin a level at the first cell, from ``cell`` on, that must be covered and is not."""
    while cell < t.must.size and (not t.must[cell] or s.room[cell] <= 0):
        cell += 1
    s.at[depth], s.turn[depth], s.tried[depth] = cell, 0, 0


@part
def next_fit(t: Fill, s: Filling, depth: int, salt: Any) -> Any:
    """Return the next option for the cell of a level, or -1: tile after tile, beginning at an option that depends on ``salt``."""
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
    """Return whether the pocket of uncovered cells at ``cell`` is large, or sizes of options can add up to it.

    A pocket is large if it exceeds the table of sums, or if it meets a pocket examined since the search ``before``: small pockets that
    passed were examined completely, so the pocket it meets is large.
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
    """Return whether all small pockets beside an option can be filled."""
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
    """Return whether all required cells are covered, and each tile is used at least its minimum number of times."""
    missing = s.open[0]
    for tile in range(t.low.size):
        missing += max(0, t.low[tile] - s.used[tile])
    return bool(missing == 0)


@compiled
def rewind(t: Fill, s: Filling, to: int) -> None:
    """Remove options until ``to`` are left, and continue with the next cell."""
    depth = s.depth[0]
    while depth > to:
        depth -= 1
        put(t, s, np.int64(s.option[depth]), np.int64(s.tile[depth]), -1)
    s.depth[0] = depth
    begin_level(t, s, depth, s.at[depth - 1] if depth > 0 else np.int64(0))


@compiled
def fill(t: Fill, s: Filling, patience: int, most_nodes: int, near_end: int, salt: int) -> int:
    """Continue to fill after ``rewind``, and take back nothing that was placed then.

    Return FOUND; NONE if everything was tried; STUCK after ``patience`` nodes since the number of open cells last reached a new minimum. If
    this minimum is at most ``near_end``, return GIVEN_UP after ``most_nodes`` nodes instead. Tiles left over near the end are counted.
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


PARENT, COUNT, LOOKED = range(3)
"""The progress of ``extend``: index of the next parent, number of children, and work of this slice."""
SLICE = 10_000_000
"""Options and cells examined in a slice: some hundredths of a second. A child that is written counts as ``A_CHILD`` of them."""
A_CHILD = 20
HALF = np.uint64(32)


class Fillings(NamedTuple):
    """The fillings of a level, in the first of K rows. N cells, T tiles."""

    room: Any  # (K, N) of int16: how many more options may cover a cell
    left: Ints  # (K, T) how many copies of each tile are left
    open: Longs  # (K,) how many cells must still be covered
    cost: Reals  # (K,)
    name: Words  # (K,) a hash that nearly always differs if fillings do
    parent: Longs  # (K,) the row, on the level before, of the filling that was extended
    option: Longs  # (K,) the option added to it


class Children(NamedTuple):
    """The extensions of the fillings of a level: C of them, before the cheapest are chosen."""

    cost: Reals  # (C,)
    rank: Reals  # (C,) the cost, plus some noise
    name: Words  # (C,)
    parent: Longs  # (C,)
    option: Longs  # (C,)


class Costs(NamedTuple):
    """Costs of tiles and cells that are hard to fill. D: the greatest number of neighbours of a cell."""

    tile: Reals  # (T,) of a copy left
    open: Reals  # (D + 1,) of an open cell, by its number of open neighbours


@part
def load(s: Filling, fillings: Fillings, row: int) -> None:
    """Load a filling of a level into the state."""
    for cell in range(s.room.size):
        s.room[cell] = fillings.room[row, cell]
    for tile in range(s.left.size):
        s.left[tile] = fillings.left[row, tile]


@part
def open_near(t: Fill, s: Filling, cell: int, stamp: int) -> Any:
    """Count the open neighbours of a cell that are not marked by a stamp."""
    number = np.int64(0)
    for k in range(t.near[cell], t.near[cell + 1]):
        other = unsigned(t.neighbour[k])
        number += s.room[other] > 0 and s.seen[other] != stamp
    return number


@part
def dearer(t: Fill, s: Filling, costs: Costs, option: int) -> Any:
    """Return the change of the cost of the open cells when an option is placed.

    Return infinity if it isolates a cell that must be covered and that no option covers alone.
    """
    s.searches[0] += 2
    own, beside = s.searches[0] - 1, s.searches[0]
    change, alone = 0.0, t.sums.size > 1 and t.sums[1] > 1
    for k in range(t.entry[option], t.entry[option + 1]):
        change -= costs.open[open_near(t, s, np.int64(t.cell[k]), -1)]
    for k in range(t.entry[option], t.entry[option + 1]):
        s.seen[unsigned(t.cell[k])] = own
    for k in range(t.entry[option], t.entry[option + 1]):
        cell = unsigned(t.cell[k])
        for j in range(t.near[cell], t.near[cell + unsigned(1)]):
            other = np.int64(t.neighbour[j])
            if s.room[other] > 0 and s.seen[other] < own:
                s.seen[other] = beside
                after, before = open_near(t, s, other, own), open_near(t, s, other, -1)
                change += costs.open[after] - costs.open[before]
                if alone and after == 0 and t.must[other]:
                    return np.inf
    return change


@part
def noise_of(name: Any, salt: Any) -> Any:
    """Return noise with mean 0 and standard deviation 1 that depends on a name: the sum of two uniform random numbers."""
    mixed = (name ^ salt) * SPREAD
    mixed = (mixed ^ (mixed >> HALF)) * SPREAD
    mixed ^= mixed >> HALF
    both = np.float64(mixed >> HALF) + np.float64(mixed & unsigned(0xFFFFFFFF))
    return (both / 4294967296.0 - 1.0) * 2.449489742783178


@compiled
def extend(
    t: Fill, s: Filling, costs: Costs, value: Words, here: Fillings, number: int, children: Children, noise: float, salt: int, at: Longs
) -> None:
    """Write the children of a level's ``number`` fillings, until the work of a slice is done, or space for children may run out.

    ``value`` gives each cell and tile its part of a name; ``noise`` is a standard deviation.
    """
    tiles = t.low.size
    while at[PARENT] < number and at[LOOKED] < SLICE:
        parent = at[PARENT]
        load(s, here, parent)
        begin_level(t, s, 0, np.int64(0))
        row = np.int64(s.at[0]) * tiles
        options = t.start[row + tiles] - t.start[row] if here.open[parent] > 0 else np.int64(0)
        if at[COUNT] + options > children.cost.size:
            break
        before = at[COUNT]
        for tile in range(tiles if options > 0 else 0):
            if s.left[tile] > 0:
                for option in range(t.start[row + tile], t.start[row + tile + 1]):
                    if fits(t, s, option):
                        change = dearer(t, s, costs, option)
                        if change < np.inf:
                            name = here.name[parent] + value[t.must.size + tile]
                            for k in range(t.entry[option], t.entry[option + 1]):
                                name += value[t.cell[k]]
                            child = at[COUNT]
                            children.cost[child] = here.cost[parent] + change - costs.tile[tile]
                            children.rank[child] = children.cost[child] + noise * noise_of(name, unsigned(salt))
                            children.name[child] = name
                            children.parent[child] = parent
                            children.option[child] = option
                            at[COUNT] += 1
        at[LOOKED] += t.must.size + options + A_CHILD * (at[COUNT] - before)
        at[PARENT] += 1


@compiled
def take(t: Fill, s: Filling, tile_of: Ints, fillings: Fillings, children: Children, order: Longs, following: Fillings) -> int:
    """Make fillings of children, in an order, until ``following`` is full; return their number.

    A child is skipped if a small pocket beside its last option cannot be filled.
    """
    number = 0
    for place in range(order.size):
        child = order[place]
        parent, option = children.parent[child], children.option[child]
        load(s, fillings, parent)
        opened = fillings.open[parent]
        for k in range(t.entry[option], t.entry[option + 1]):
            cell = unsigned(t.cell[k])
            s.room[cell] -= 1
            opened -= t.must[cell]
        if not pockets_fit(t, s, option):
            continue
        s.left[tile_of[option]] -= 1
        for cell in range(s.room.size):
            following.room[number, cell] = s.room[cell]
        for tile in range(s.left.size):
            following.left[number, tile] = s.left[tile]
        following.open[number] = opened
        following.cost[number], following.name[number] = children.cost[child], children.name[child]
        following.parent[number], following.option[number] = parent, option
        number += 1
        if number == following.cost.size:
            break
    return number


@compiled
def count_open(t: Fill, s: Filling, fillings: Fillings, number: int, counts: Reals) -> None:
    """Add up, for each filling, its open cells by their number of open neighbours: an array (number, D + 1)."""
    for row in range(number):
        load(s, fillings, row)
        for cell in range(t.must.size):
            if s.room[cell] > 0:
                counts[row, open_near(t, s, cell, -1)] += 1.0
