"""The inner loop of the backtracker, compiled by numba.

Each item that needs covering has a bitset over its own options; all bitsets together are one state of a few hundred 64-bit words. Choosing
option o is ``child = state & keep[o]``, which removes all options that o excludes from all bitsets at once. The search branches on the item
with the fewest options left. This is exact cover by bitsets with minimal branching (D. E. Knuth, TAOCP 4B, 7.2.2.1, the MRV heuristic of
exercise 9; multiplicities as in algorithm M).

Eight items make a group. The first words of their bitsets lie side by side, then the second words and so on, so eight items are narrowed
and counted at once. Items are ordered by the length of their bitsets, which keeps the groups full.

Most puzzles are plain: every item with a bitset is to be covered exactly once. A covered item then has no options left, and the search
needs no count of how often each item is covered. ``bitset_search.search`` searches plain problems.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Ints, Longs, Words
from puzzlesat.kernels import compiled, lowest_bit, part, popcount
from puzzlesat.solvers.memory import get, put
from puzzlesat.solvers.simd import LANES, both, counts, load, plus, shifted, smaller, smallest, spread, store

FINISHED, PAUSED, AT_CUT, TO_NARROW = range(4)
NODES, TRIED, DEAD_ENDS, PRUNED, FOUND, WEIGHTED = range(6)
COUNTERS = 6
DEPTH, BASE, LEAVE, NARROW = range(4)
DEAD = np.uint64(0xFFFFFFFFFFF00000)
"""Key of a node with an item that can no longer be covered; a plain search puts the place of the item in its low bits."""
BLOCK = 16
"""Places in a block: two groups. After each block a plain search checks whether an open item in it has no options left."""
PLACE_BITS = 20
"""Low bits of a key, which hold the place of an item. Above them is its number of branches, less one, so the least key is chosen."""
PLACE = (1 << PLACE_BITS) - 1
NEEDY = 1 << 30
"""Offset of branch numbers, if coverage is counted. A branch number below it means that the item can no longer be covered."""
IDLE = 1 << 40
"""Offset of the branch numbers of items that need nothing (more), and of places without an item."""
NO_CUT = -1
NOTHING = -1


class Tables(NamedTuple):
    """The constants of a search. m places of items, n options, W words, C conditions, T tiles.

    Option n is a dummy with which a search begins: it covers and excludes nothing, and its tile is not in the puzzle.
    """

    plain: bool  # every item with a bitset is to be covered exactly once, and there is no ``everything``
    conditional: bool  # C > 0
    width: int  # W
    sizes: Longs  # W, groups, blocks of places, and n; used if plain
    keep: Words  # (rows W,) bits that stay: n + 1 rows for chosen options, then one row per full item
    group: Longs  # (groups + 1,) first word of each group of items
    number: Words  # (8 groups,) the places 0, 1, 2, …; if plain, less 1 << PLACE_BITS, so that an item without options has the greatest key
    first: Longs  # (m,) first word of each item's bitset
    stride: Longs  # (m,) distance from a word of it to the next
    option_of_bit: Ints  # (64 W,)
    row_of_bit: Ints  # (64 W,) the row of that option in ``keep`` and ``own``, if plain
    own: Words  # (n + 1, blocks of places) the items of an option, if plain
    low: Ints  # (m,)
    high: Ints  # (m,)
    cover_start: Longs  # (n + 2,) CSR: the places of the items with a bitset that an option covers
    cover_place: Ints
    bit_word: Ints  # CSR with cover_start: where the option's own bits are, one per entry
    bit_mask: Words
    full_row: Ints  # (m,) row in ``keep``, or -1
    everything: int  # place of the item "all options", or -1 if no solution can contain another
    factor: Longs  # (n + 1,) solutions of the whole problem that an option represents, as a factor; empty: 1
    weight: Longs  # (C, n + 1)
    sum_low: Longs  # (C,)
    sum_high: Longs
    modulus: Longs
    residue: Longs
    tile: Ints  # (n + 1,) tile of each option
    tile_low: Longs  # (T + 1,)
    tile_high: Longs
    least: Longs  # (C, T + 1) smallest and largest weight of a tile's options
    most: Longs


class State(NamedTuple):
    """The state of a search, from which a paused search continues. Entries of a level describe the node there."""

    given: Ints  # the options to begin with; the first is n
    words: Words  # (levels W,)
    path: Ints  # (levels,) option chosen at each level
    branch: Ints  # (levels,) place of the item branched on
    at: Longs  # (levels,) word of its bitset to look at
    rest: Words  # (levels,) bits of that word not yet looked at
    tries: Longs  # (levels,) options left to try
    branches: Longs  # (levels,) number of options to try at first
    needs: Longs  # (levels,) number of needs not met yet
    open: Words  # (levels, blocks of places) the items still to be covered, if plain
    covered: Ints  # (m,) how often each item is covered, unless plain
    offset: Words  # (8 groups,) what to add to the number of an item's options, unless plain
    sums: Longs  # (levels, C) weights of the options chosen
    sum_least: Longs  # (levels, C) bounds of the final sums, with the tiles not yet used
    sum_most: Longs
    tile_count: Longs  # (T + 1,)
    seen: Longs  # (levels,) number of nodes so far, if plain
    control: Longs  # DEPTH; BASE; LEAVE: the level of the node whose subtree is to be skipped, or NOTHING; NARROW: the level to stop at
    work: Longs  # NODES, TRIED, DEAD_ENDS, PRUNED, FOUND, WEIGHTED


@part
def narrow(t: Tables, s: State, source: int, row: int, depth: int) -> Any:
    """Write the state of a level: the state of ``source`` (perhaps the same level), less what a row of ``keep`` removes.

    Return the least key of an item, or DEAD if an item can no longer be covered.
    """
    a, b, c = source * t.width, row * t.width, depth * t.width
    least = spread(-1)
    w = 0
    for group in range(t.group.size - 1):
        value = both(load(s.words, a + w), load(t.keep, b + w))
        store(s.words, c + w, value)
        left = counts(value)
        w += LANES
        while w < t.group[group + 1]:
            value = both(load(s.words, a + w), load(t.keep, b + w))
            store(s.words, c + w, value)
            left = plus(left, counts(value))
            w += LANES
        branches = plus(left, load(s.offset, LANES * group))
        least = smaller(least, plus(shifted(branches, PLACE_BITS), load(t.number, LANES * group)))
    key = smallest(least)
    return DEAD if np.int64(key >> PLACE_BITS) < NEEDY else key


@part
def choose(t: Tables, s: State, depth: int, option: int) -> None:
    """Add an option at a level, and update the coverage and the needs."""
    s.path[depth] = option
    needs = s.needs[depth]
    for entry in range(t.cover_start[option], t.cover_start[option + 1]):
        place = t.cover_place[entry]
        s.covered[place] += 1
        needs -= s.covered[place] <= t.low[place]
        s.offset[place] = NEEDY - (t.low[place] - s.covered[place]) if s.covered[place] < t.low[place] else IDLE
    s.needs[depth + 1] = needs


@part
def undo(t: Tables, s: State, option: int) -> None:
    """Undo the choice of the last option."""
    if t.conditional:
        s.tile_count[t.tile[option]] -= 1
    for entry in range(t.cover_start[option], t.cover_start[option + 1]):
        place = t.cover_place[entry]
        s.covered[place] -= 1
        s.offset[place] = NEEDY - (t.low[place] - s.covered[place]) if s.covered[place] < t.low[place] else IDLE


@part
def descend(t: Tables, s: State, depth: int, option: int) -> Any:
    """Write the state below a level after an option was chosen there; return the least key, or DEAD."""
    key = narrow(t, s, depth, option, depth + 1)
    for entry in range(t.cover_start[option], t.cover_start[option + 1]):
        place = t.cover_place[entry]
        if t.full_row[place] >= 0 and s.covered[place] == t.high[place]:
            key = narrow(t, s, depth + 1, np.int64(t.full_row[place]), depth + 1)
    return key


@part
def open_node(t: Tables, s: State, depth: int, key: int) -> None:
    """Prepare to try the options of the chosen item; if nothing more is needed, all options left."""
    if s.needs[depth] > 0:
        place = np.int64(key & PLACE)
        tries = np.int64(key >> PLACE_BITS) + 1 - NEEDY
    else:
        place, tries = t.everything, 0
        for w in range(t.first[place], t.width):
            tries += np.int64(popcount(s.words[depth * t.width + w]))
    s.branch[depth], s.tries[depth], s.branches[depth] = place, tries, tries
    s.at[depth] = t.first[place]
    s.rest[depth] = s.words[depth * t.width + t.first[place]]


@part
def is_left(t: Tables, s: State, depth: int, option: int) -> bool:
    """Return whether no chosen option excludes this option."""
    for entry in range(t.cover_start[option], t.cover_start[option + 1]):
        if s.words[depth * t.width + t.bit_word[entry]] & t.bit_mask[entry] == 0:
            return False
    return True


@part
def next_option(t: Tables, s: State, depth: int) -> Any:
    """Return the next option of the item branched on; there must be one."""
    rest, w = s.rest[depth], s.at[depth]
    while rest == 0:
        w += t.stride[s.branch[depth]]
        rest = s.words[depth * t.width + w]
    s.at[depth], s.rest[depth] = w, rest & (rest - np.uint64(1))
    return np.int64(t.option_of_bit[(w << 6) + np.int64(lowest_bit(rest))])


@part
def exclude(t: Tables, s: State, depth: int, option: int) -> None:
    """Remove an option from the state of a level: later branches are without it."""
    for entry in range(t.cover_start[option], t.cover_start[option + 1]):
        s.words[depth * t.width + t.bit_word[entry]] &= ~t.bit_mask[entry]


@part
def add_weights(t: Tables, s: State, depth: int, option: int) -> bool:
    """Add an option's weights and tighten the bounds of the rest; return False if a condition can no longer hold."""
    tile = t.tile[option]
    used = s.tile_count[tile]
    s.tile_count[tile] = used + 1
    for c in range(t.weight.shape[0]):
        lowest, highest = np.int64(0), np.int64(0)  # assumed least and greatest amount of this copy of the tile
        if used < t.tile_low[tile]:
            lowest, highest = t.least[c, tile], t.most[c, tile]
        elif used < t.tile_high[tile]:
            lowest, highest = min(t.least[c, tile], 0), max(t.most[c, tile], 0)
        weight = t.weight[c, option]
        s.sum_least[depth + 1, c] = least = s.sum_least[depth, c] + weight - lowest
        s.sum_most[depth + 1, c] = most = s.sum_most[depth, c] + weight - highest
        s.sums[depth + 1, c] = s.sums[depth, c] + weight
        if t.modulus[c] == 0 and (least > t.sum_high[c] or most < t.sum_low[c]):
            return False
    return True


@part
def conditions_hold(t: Tables, s: State, depth: int) -> bool:
    """Return whether the options chosen satisfy all side conditions."""
    for c in range(t.weight.shape[0]):
        total = s.sums[depth, c]
        if t.modulus[c] != 0:
            if (total - t.residue[c]) % t.modulus[c] != 0:
                return False
        elif total < t.sum_low[c] or total > t.sum_high[c]:
            return False
    return True


@part
def take_solution(t: Tables, s: State, length: int, out: Ints, rows: int) -> int:
    """Count the options chosen as a solution if the conditions hold, and write it to a row of ``out`` unless that has none.

    Return the number of solutions of this call so far.
    """
    if t.conditional and not conditions_hold(t, s, length):
        return rows
    if out.shape[0] > 0:
        width = out.shape[1]
        for level in range(1, width + 1):
            put(out, rows * width + level - 1, get(s.path, level) if level < length else np.int32(-1))
    if t.factor.size > 0:
        product = 1
        for level in range(1, length):
            product *= get(t.factor, np.int64(get(s.path, level)))
        s.work[WEIGHTED] += product
    return rows + 1


@compiled
def search(t: Tables, s: State, most_nodes: int, most_found: int, cut: int, skip: int, out: Ints) -> int:
    """Continue a search until it is done, or has visited ``most_nodes`` more nodes, or found ``most_found`` more solutions.

    Return FINISHED or PAUSED, or AT_CUT at a node at the level ``cut`` (unless that is NO_CUT), after skipping the subtrees below ``skip``
    such nodes. Solutions are written to the rows of ``out`` unless it has none; ``work`` counts.
    """
    depth, base = s.control[DEPTH], s.control[BASE]
    if s.control[LEAVE] != NOTHING:
        while depth > s.control[LEAVE]:
            depth -= 1
            undo(t, s, np.int64(s.path[depth]))
        s.tries[depth], s.control[LEAVE] = 0, NOTHING
    nodes, tried, dead_ends, pruned, found = 0, 0, 0, 0, np.int64(0)
    root = s.given.size
    while True:
        if s.tries[depth] == 0:
            if depth == base:
                result = FINISHED
                break
            depth -= 1
            undo(t, s, np.int64(s.path[depth]))
            continue
        if nodes >= most_nodes or found >= most_found:
            result = PAUSED
            break
        s.tries[depth] -= 1
        if depth < root:
            option = np.int64(s.given[depth])
            if not is_left(t, s, depth, option):
                continue
        else:
            option = next_option(t, s, depth)
            tried += 1
            if t.high[s.branch[depth]] > 1:
                exclude(t, s, depth, option)
        possible = not t.conditional or add_weights(t, s, depth, option)
        choose(t, s, depth, option)
        if not possible:
            pruned += 1
            undo(t, s, option)
            continue
        nodes += depth + 1 >= root
        if s.needs[depth + 1] == 0 and depth + 1 >= root:
            found = take_solution(t, s, depth + 1, out, found)
            if t.everything < 0:
                undo(t, s, option)
                continue
        key = descend(t, s, depth, option)
        if key == DEAD:
            dead_ends += 1
            undo(t, s, option)
            continue
        depth += 1
        if depth < root:
            s.tries[depth] = 1
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


@compiled
def add_bits(start: Longs, sets: Ints, cover_start: Longs, bit_word: Ints, bit_mask: Words, rows: Words) -> None:
    """Set each option's own bits in the rows of its sets. CSR: the sets of option o are ``sets[start[o]:start[o + 1]]``."""
    for option in range(start.size - 1):
        for k in range(start[option], start[option + 1]):
            for entry in range(cover_start[option], cover_start[option + 1]):
                rows[sets[k], bit_word[entry]] |= bit_mask[entry]


@compiled
def keep_common(start: Longs, sets: Ints, rows: Words, keep: Words) -> None:
    """Keep in each option's row of ``keep`` only the bits that the rows of all its sets have."""
    width = keep.shape[1]
    for option in range(start.size - 1):
        for k in range(start[option], start[option + 1]):
            row, own = np.int64(sets[k]) * width, option * width
            for w in range(0, width, LANES):
                store(keep, own + w, both(load(keep, own + w), load(rows, row + w)))
