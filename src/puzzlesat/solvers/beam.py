"""Filling a form many ways side by side, compiled by numba: each filling is carried on by every option for its first open cell.

Of all that come of it those are kept that cost least, and go on to the next level: a beam search (B. T. Lowerre, "The HARPY speech
recognition system", 1976). A cost is the sum of what the tiles cost that are left, and what the cells cost that are open, by how many of
their neighbours are open too: tiles that fit almost nowhere and holes cost most (see ``generations``). Two ways to the same filling, the
same cells covered by the same tiles, are one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.arrays import Ints, Longs, Reals, Words
from puzzlesat.check.kernels import compiled, part
from puzzlesat.solvers.filling import SPREAD, Fill, Filling, begin_level, fits, pockets_fit, unsigned

PARENT, COUNT, LOOKED = range(3)
"""Where writing down children stands: the next parent, how many there are, how much was looked at in this slice."""
SLICE = 10_000_000
"""Options looked at, and cells, in a slice: some hundredths of a second. A child that is written down takes as long as"""
A_CHILD = 20
HALF = np.uint64(32)


class Fillings(NamedTuple):
    """Fillings of a level, in the first rows of K. N cells, T tiles."""

    room: Any  # (K, N) of int16: how many more options may cover a cell
    left: Ints  # (K, T) how many copies of each tile are left
    open: Longs  # (K,) how many cells must still be covered
    cost: Reals  # (K,)
    name: Words  # (K,) a number that nearly always differs where fillings do
    parent: Longs  # (K,) the row, a level before, of the filling that was carried on
    option: Longs  # (K,) by which option


class Children(NamedTuple):
    """What fillings can be carried on to: C of them, before those are taken that cost least."""

    cost: Reals  # (C,)
    rank: Reals  # (C,) the cost, and some noise
    name: Words  # (C,)
    parent: Longs  # (C,)
    option: Longs  # (C,)


class Costs(NamedTuple):
    """What is hard to fill. D: the most neighbours of a cell."""

    tile: Reals  # (T,) of a copy that is left
    open: Reals  # (D + 1,) of an open cell with so many open neighbours


@part
def load(s: Filling, fillings: Fillings, row: int) -> None:
    """Go on from a filling."""
    for cell in range(s.room.size):
        s.room[cell] = fillings.room[row, cell]
    for tile in range(s.left.size):
        s.left[tile] = fillings.left[row, tile]


@part
def open_near(t: Fill, s: Filling, cell: int, stamp: int) -> Any:
    """Count the neighbours of a cell that are open and not marked by a stamp."""
    number = np.int64(0)
    for k in range(t.near[cell], t.near[cell + 1]):
        other = unsigned(t.neighbour[k])
        number += s.room[other] > 0 and s.seen[other] != stamp
    return number


@part
def dearer(t: Fill, s: Filling, costs: Costs, option: int) -> Any:
    """Return by how much the open cells cost more with an option placed; infinity where one is left alone that no option covers alone."""
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
    """Return noise with mean 0 and standard deviation 1 that goes by a name: the sum of two even chances."""
    mixed = (name ^ salt) * SPREAD
    mixed = (mixed ^ (mixed >> HALF)) * SPREAD
    mixed ^= mixed >> HALF
    both = np.float64(mixed >> HALF) + np.float64(mixed & unsigned(0xFFFFFFFF))
    return (both / 4294967296.0 - 1.0) * 2.449489742783178


@compiled
def extend(
    t: Fill, s: Filling, costs: Costs, value: Words, here: Fillings, number: int, children: Children, noise: float, salt: int, at: Longs
) -> None:
    """Write down the children of a level's ``number`` fillings, until the work of a slice is done, or there may be no space for more.

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
    """Make fillings of children, in an order, as many as ``following`` can hold; return how many.

    Those are left out beside whose last option a small pocket cannot be filled.
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
    """Add up, for each filling, how many open cells have how many open neighbours: an array (number, D + 1)."""
    for row in range(number):
        load(s, fillings, row)
        for cell in range(t.must.size):
            if s.room[cell] > 0:
                counts[row, open_near(t, s, cell, -1)] += 1.0
