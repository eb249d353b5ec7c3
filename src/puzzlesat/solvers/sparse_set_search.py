"""The inner loop of the backtracker for problems whose bitsets would be too long, compiled by numba: dancing cells.

The options of an item are an array of which the first ``size`` are left; excluded options were moved behind them, one swap each. To restore
options, the sizes are increased again. Nothing has to be swapped back, because only the set in front counts, not its order (D. E. Knuth,
TAOCP 4B, 7.2.2.1, and his later programs SSXC and SSMCC; sparse sets are by P. Briggs and L. Torczon, 1993). Memory is linear in the
entries of the problem.

The search tree is that of ``kernel``, node for node: the search branches on the same item, tries its options in ascending order, and its
counters mean the same. So solutions come in the same order, and each layout checks the other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Flags, Ints, Longs
from puzzlesat.kernels import compiled, part
from puzzlesat.solvers.kernel import (
    AT_CUT,
    BASE,
    DEAD_ENDS,
    DEPTH,
    FINISHED,
    FOUND,
    NODES,
    PAUSED,
    PRUNED,
    TRIED,
    add_weights,
    take_solution,
)

MOVED, REMOVALS = 2, 3
"""Further words of ``control``: the number of options on the trail, and the number taken off it in this call."""
PLACE_BITS = 32
"""Low bits of a key, which hold the place of an item. Above them is its number of branches, less one, so the least key is chosen."""
PLACE = (1 << PLACE_BITS) - 1
NOTHING = 1 << 62
"""The key if nothing more is needed."""
DEAD = -1
unsigned = np.uint64
"""The type of indices. It makes the code a third faster, because nothing checks whether they count from the end."""


class CellTables(NamedTuple):
    """The constants of a search. m places of items, n options, E entries, C conditions, T tiles; see ``kernel.Tables``.

    The items that may be branched on have the first places, in the order of ``kernel``; "all options" has the last.
    """

    conditional: bool  # C > 0
    start: Longs  # (n + 2,) CSR: the entries of each option; option n has none
    place: Ints  # (E,) the place of each entry's item
    option: Ints  # (E,)
    colour: Ints  # (E,) 0: none, or the item has no colours
    first: Longs  # (m,) where each item's array of entries begins
    branching: int  # number of places that may be branched on
    low: Ints  # (m,)
    high: Ints  # (m,)
    coloured: Flags  # (m,)
    everything: int  # place of the item "all options", or -1 if no solution can contain another
    factor: Longs
    weight: Longs
    sum_low: Longs
    sum_high: Longs
    modulus: Longs
    residue: Longs
    tile: Ints
    tile_low: Longs
    tile_high: Longs
    least: Longs
    most: Longs


class CellState(NamedTuple):
    """The state of a search, from which a paused search continues. Entries of a level describe the node there."""

    given: Ints  # the options to begin with; the first is n
    cells: Ints  # (E,) the arrays of the items one after the other, as numbers of entries; in each, the entries left come first
    position: Ints  # (E,) index of each entry in ``cells``
    size: Ints  # (m,) how many options of each item are left
    need: Ints  # (m,) how often each item must still be covered
    covered: Ints  # (m,)
    trail: Ints  # (n + 1,) the excluded options, in the order of exclusion
    mark: Longs  # (levels,) length of the trail when the option of a level was chosen
    path: Ints  # (levels,) option chosen at each level
    branch: Ints  # (levels,) place of the item branched on
    last: Ints  # (levels,) the option of this item that was tried last
    tries: Longs  # (levels,) options left to try
    branches: Longs  # (levels,) number of options to try at first
    needs: Longs  # (levels,) number of needs not met yet
    sums: Longs  # (levels, C) weights of the options chosen
    sum_least: Longs  # (levels, C) bounds of the final sums, with the tiles not yet used
    sum_most: Longs
    tile_count: Longs  # (T + 1,)
    control: Longs  # DEPTH, BASE, MOVED, REMOVALS
    work: Longs  # NODES, TRIED, DEAD_ENDS, PRUNED, FOUND, WEIGHTED


@part
def remove(t: CellTables, s: CellState, option: int) -> bool:
    """Remove an option from the arrays of all its items; return whether all of them can still be covered often enough."""
    s.trail[s.control[MOVED]] = option
    s.control[MOVED] += 1
    possible = True
    for entry in range(unsigned(t.start[option]), unsigned(t.start[option + 1])):
        place = unsigned(t.place[entry])
        s.size[place] -= 1
        here, back = unsigned(s.position[entry]), unsigned(t.first[place] + s.size[place])
        other = unsigned(s.cells[back])
        s.cells[here], s.cells[back] = other, entry
        s.position[other], s.position[entry] = here, back
        possible &= s.size[place] >= s.need[place]
    return possible


@part
def take_back(t: CellTables, s: CellState, mark: int) -> None:
    """Restore the options excluded since the trail had the length ``mark``."""
    moved = s.control[MOVED]
    s.control[REMOVALS] += moved - mark
    while moved > mark:
        moved -= 1
        option = np.int64(s.trail[moved])
        for entry in range(unsigned(t.start[option]), unsigned(t.start[option + 1])):
            s.size[unsigned(t.place[entry])] += 1
    s.control[MOVED] = mark


@part
def is_left(t: CellTables, s: CellState, option: int) -> bool:
    """Return whether an option is not excluded."""
    for entry in range(t.start[option], t.start[option + 1]):
        if s.position[entry] >= t.first[t.place[entry]] + s.size[t.place[entry]]:
            return False
    return True


@part
def choose(t: CellTables, s: CellState, depth: int, option: int) -> None:
    """Add an option at a level, and update the coverage and the needs."""
    s.path[depth] = option
    needs = s.needs[depth]
    for entry in range(t.start[option], t.start[option + 1]):
        place = t.place[entry]
        s.covered[place] += 1
        if s.need[place] > 0:
            s.need[place] -= 1
            needs -= 1
    s.needs[depth + 1] = needs


@part
def undo(t: CellTables, s: CellState, depth: int) -> None:
    """Undo the choice of an option at a level, and restore what it excluded."""
    option = np.int64(s.path[depth])
    take_back(t, s, s.mark[depth])
    if t.conditional:
        s.tile_count[t.tile[option]] -= 1
    for entry in range(t.start[option], t.start[option + 1]):
        place = t.place[entry]
        s.covered[place] -= 1
        s.need[place] = max(0, t.low[place] - s.covered[place])


@part
def exclude_rivals(t: CellTables, s: CellState, option: int) -> bool:
    """Remove what the chosen option excludes; return False as soon as an item can no longer be covered."""
    possible = True
    for entry in range(t.start[option], t.start[option + 1]):
        place = t.place[entry]
        full, colour = s.covered[place] == t.high[place] and not t.coloured[place], t.colour[entry]
        if full or t.coloured[place]:
            k = np.int64(s.size[place])
            while k > 0 and possible:  # from the back: a removed option is swapped with one already examined
                k -= 1
                rival = np.int64(s.cells[t.first[place] + k])
                if colour == 0 or t.colour[rival] != colour:
                    possible = remove(t, s, np.int64(t.option[rival]))
    return possible


@part
def least_key(t: CellTables, s: CellState) -> Any:
    """Return the least key of an item in need, NOTHING, or DEAD if an item can no longer be covered."""
    least = np.int64(NOTHING)
    for place in range(t.branching):
        key = ((np.int64(s.size[place]) - s.need[place]) << PLACE_BITS) + place
        least = min(least, key if s.need[place] > 0 else np.int64(NOTHING))
    return least if least >= 0 else np.int64(DEAD)


@part
def descend(t: CellTables, s: CellState, option: int) -> Any:
    """Exclude what the option just chosen excludes; return the least key, NOTHING or DEAD."""
    return least_key(t, s) if exclude_rivals(t, s, option) else np.int64(DEAD)


@part
def open_node(t: CellTables, s: CellState, depth: int, key: int) -> None:
    """Prepare to try the options of the chosen item; if nothing more is needed, all options left."""
    place = t.everything if s.needs[depth] == 0 else key & PLACE
    s.branch[depth] = place
    s.branches[depth] = s.size[place] - max(0, s.need[place] - 1)
    s.tries[depth] = s.branches[depth]
    s.last[depth] = -1


@part
def next_option(t: CellTables, s: CellState, depth: int) -> Any:
    """Return the next option of the item branched on; there must be one.

    Each call examines all options of the item. Choosing an option examines these and more, because it excludes the others.
    """
    place, last = s.branch[depth], s.last[depth]
    following = beyond = t.start.size  # greater than any option
    for k in range(t.first[place], t.first[place] + s.size[place]):
        option = np.int64(t.option[s.cells[k]])
        following = min(following, option if option > last else beyond)
    s.last[depth] = following
    return np.int64(following)


@compiled
def drop(t: CellTables, s: CellState, depth: int) -> None:
    """Skip the rest of the subtree below the node at a level on the current path."""
    while s.control[DEPTH] > depth:
        s.control[DEPTH] -= 1
        undo(t, s, s.control[DEPTH])
    s.tries[depth] = 0


@compiled
def search(t: CellTables, s: CellState, most_nodes: int, most_found: int, cut: int, skip: int, out: Ints) -> int:
    """Continue a search as ``kernel.search`` does. Options removed and restored count as nodes towards ``most_nodes``."""
    depth, base, root = s.control[DEPTH], s.control[BASE], s.given.size
    nodes, tried, dead_ends, pruned, found = 0, 0, 0, 0, np.int64(0)
    s.control[REMOVALS] = 0
    back = False
    while True:
        if back:
            undo(t, s, depth)
            back = False
        if s.tries[depth] == 0:
            if depth == base:
                result = FINISHED
                break
            depth -= 1
            back = True
            continue
        if nodes + s.control[REMOVALS] >= most_nodes or found >= most_found:
            result = PAUSED
            break
        s.tries[depth] -= 1
        again = False  # later branches are without this option
        if depth < root:
            option = np.int64(s.given[depth])
            if not is_left(t, s, option):
                continue
        else:
            option = next_option(t, s, depth)
            tried += 1
            again = t.high[s.branch[depth]] > 1
        s.mark[depth] = s.control[MOVED] + again
        remove(t, s, option)
        back = t.conditional and not add_weights(t, s, depth, option)
        choose(t, s, depth, option)
        if back:
            pruned += 1
            continue
        nodes += depth + 1 >= root
        if s.needs[depth + 1] == 0 and depth + 1 >= root:
            found = take_solution(t, s, depth + 1, out, found)
            back = t.everything < 0
            if back:
                continue
        key = descend(t, s, option)
        back = key == DEAD
        dead_ends += back
        if back:
            continue
        depth += 1
        if depth < root:
            s.tries[depth] = 1
            s.branches[depth] = 1
            continue
        open_node(t, s, depth, key)
        if depth == cut:
            if skip == 0:
                result = AT_CUT
                break
            skip -= 1
            s.tries[depth] = 0
    s.control[DEPTH] = depth
    s.work[NODES] += nodes
    s.work[TRIED] += tried
    s.work[DEAD_ENDS] += dead_ends
    s.work[PRUNED] += pruned
    s.work[FOUND] += found
    return result
