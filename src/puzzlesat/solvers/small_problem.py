"""Count a small plain problem in one call: compiled code lays it out and searches it. A state and an option are a 64-bit word each.

Laying bitsets out takes a millisecond, and searching a small or narrow form takes a fraction of that. Here the first place not yet covered,
in the order of a scan along the form's longest side, is covered by any option that fits. If there are symmetries, the tile with the fewest
placements up to symmetry is placed first, one placement per orbit, unless it leaves a part whose area cannot be filled. In a wide form this
search has many more nodes, each in a sixth of the time. It is given up if it looks long, and bitsets are used instead.

All places before the first free place are covered, and no place far behind it except by the tile placed first. So a word has a window of
the places from there on, as far as an option reaches, and the tiles above it. Eight options are compared with a state at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Ints, Longs, Reals, Words
from puzzlesat.kernels import compiled, highest_bit, lowest_bit, part, popcount
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers.memory import get, put
from puzzlesat.solvers.simd import LANES, aligned_zeros, both, load, spread, which

MAX_ITEMS = 128
MAX_OPTIONS = 64
"""Options with the same first place, for any place. A word has a bit for each."""
FIRST_NODES, MAX_NODES = 1 << 15, 1 << 20
"""Nodes after which the progress is first checked, and after which a count is given up: about 0.25 ms and 7 ms."""
SHARE = 5
"""Checks come after the first nodes, twice that number, and so on. A count is given up unless 1 / ``SHARE`` of it is done by then."""

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
HALF = np.uint64((1 << 32) - 1)
LEVEL, PLACE = np.uint64(16), np.uint64((1 << 16) - 1)
LAST = ONE << np.uint64(63)
"""A bit of every state, and of no option but the padding of a group of lanes, which therefore never fits."""


class Room(NamedTuple):
    """Preallocated buffers of one count."""

    keys: Reals  # the extent along each axis, then the sort key of each item
    of_items: Longs  # rows: place, order, tile + 1, number of options of a place, area
    bits: Words  # an item's place as 1 of 128 bits; 0 for a tile
    of_options: Longs  # rows: tile, first place, weight
    word: Words  # one per option
    listed: Words  # the words of the options of each place, padded with ``LAST``
    taken: Words  # the window from each place on, of the option placed first
    stack: Words  # three words per node: state, place and level, fitting options
    branches: Longs  # (levels,) number of children with a fitting option, of the node at each level


class Scan(NamedTuple):
    """The constants of a search."""

    listed: Words
    shift: Any  # the options of place p begin at p << shift in ``listed``
    taken: Words
    window: Any  # the bits of a word that are places
    rest: Any  # the other bits
    full: Any  # the state in which all is covered


def count_at_once(problem: CoverProblem) -> tuple[int, int, int] | None:
    """Return nodes, dead ends and the number of solutions of the whole problem; None if it is unsuited or takes longer."""
    items, size = len(problem.items), problem.size
    if not size or items > MAX_ITEMS or problem.weight is not None or problem.forced or any(not c.implied for c in problem.conditions):
        return None
    if problem.coloured.any() or not ((problem.low == 1) & (problem.high == 1)).all():
        return None
    centres = np.zeros((items, 1)) if problem.centres is None else np.ascontiguousarray(problem.centres)
    images = np.empty((0, size), dtype=np.int32) if problem.images is None else np.ascontiguousarray(problem.images)
    adjacent = np.empty((0, 2), dtype=np.int32) if problem.adjacent is None else np.ascontiguousarray(problem.adjacent)
    room = Room(
        np.empty(centres.shape[1] + items),
        np.zeros((5, items), dtype=np.int64),
        np.zeros((2, items), dtype=np.uint64),
        np.empty((3, size), dtype=np.int64),
        np.empty(size, dtype=np.uint64),
        aligned_zeros(MAX_OPTIONS * (items + 1)),
        np.zeros(2 * items + 1, dtype=np.uint64),
        np.empty(3 * MAX_OPTIONS * (items + 1), dtype=np.uint64),
        np.empty(items + 1, dtype=np.int64),
    )
    nodes, dead_ends, found = count(
        problem.start, problem.item, centres, problem.tiles, images, adjacent, room, (FIRST_NODES, MAX_NODES, SHARE)
    )
    return None if found < 0 else (nodes, dead_ends, found)


@part
def put_in_order(centres: Reals, tiles: Ints, room: Room) -> Any:
    """Give each item its place along the scan: by the longest axis of the form, then by the others; items without a centre come last.

    Tiles get no place, only their numbers. Return the number of places.
    """
    items, axes = centres.shape
    extent, key = room.keys[:axes], room.keys[axes:]
    place, order, tile_of = room.of_items[0], room.of_items[1], room.of_items[2]
    for k in range(tiles.size):
        tile_of[tiles[k]] = k + 1
    for axis in range(axes):
        low, high = np.inf, -np.inf
        for i in range(items):
            if centres[i, axis] == centres[i, axis]:
                low, high = min(low, centres[i, axis]), max(high, centres[i, axis])
        extent[axis] = high - low
    key[:] = 0
    for _ in range(axes):  # the shortest axis has the least weight
        axis = 0
        for other in range(axes):
            if extent[other] >= 0 and (extent[axis] < 0 or extent[other] > extent[axis]):
                axis = other
        for i in range(items):
            key[i] = key[i] * SPREAD + centres[i, axis]
        extent[axis] = -1
    places = 0
    for i in range(items):
        if tile_of[i] == 0:
            k = places
            while k > 0 and not (key[order[k - 1]] <= key[i] or key[i] != key[i]):
                order[k] = order[k - 1]
                k -= 1
            order[k] = i
            places += 1
    for k in range(places):
        place[order[k]] = k
        room.bits[k // 64, order[k]] = ONE << np.uint64(k % 64)
    return places


SPREAD = 1024.0
"""Weight of a step along an axis, relative to a step along the next axis."""


@part
def lay_out(start: Ints, item: Ints, tiles: int, room: Room) -> Any:
    """Write the word of each option, its tile and its first place.

    Return the length of the window; 0 if the options do not fit into words.
    """
    ones, others, tile_number, tile_of, first = room.bits[0], room.bits[1], room.of_items[2], room.of_options[0], room.of_options[1]
    window = 0
    entry = np.int64(0)
    for o in range(start.size - 1):
        low, high, tile = ZERO, ZERO, np.int64(0)
        while entry < get(start, o + 1):
            i = np.int64(get(item, entry))
            low, high, tile = low | get(ones, i), high | get(others, i), tile + get(tile_number, i)
            entry += 1
        if low | high == ZERO:
            return 0
        p = np.int64(lowest_bit(low)) if low != ZERO else 64 + np.int64(lowest_bit(high))
        length = (64 + np.int64(highest_bit(high)) if high != ZERO else np.int64(highest_bit(low))) - p
        if length + 1 + tiles > 63:  # one bit between window and tiles is 1 only at the end; the last bit is always 1
            return 0
        put(tile_of, o, tile - 1)
        put(first, o, p)
        put(room.word, o, high >> np.uint64(p - 64) if p >= 64 else low if p == 0 else low >> np.uint64(p) | high << np.uint64(64 - p))
        window = max(window, length)
    for o in range(start.size - 1):
        put(room.word, o, get(room.word, o) | (ONE << np.uint64(get(tile_of, o) + 1)) >> ONE << np.uint64(window + 1))
    return window


@part
def orbits(tiles: int, images: Ints, room: Room) -> Any:
    """Write how many options each option of a tile represents: 0 for all but one of each orbit. Return the tile's number, or -1.

    The tile has the fewest orbits of all tiles that every symmetry maps to themselves.
    """
    symmetries, options = images.shape
    tile_of, weight, found = room.of_options[0], room.of_options[2], room.of_items[4]
    if symmetries < 2:
        return -1
    for o in range(options):
        t, smallest, own = get(tile_of, o), True, True
        for g in range(symmetries):
            image = np.int64(get(images, g * options + o))
            own &= get(tile_of, image) == t
            smallest &= image >= o
        if t >= 0:
            found[t] += smallest if own else options + 1
    best, least = -1, options + 1
    for t in range(tiles):
        if found[t] < least:
            best, least = t, found[t]
    for o in range(options):
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
def list_options(places: int, broken: int, room: Room) -> Any:
    """List the options by their first places, except the options of the tile ``broken``, with equal space for each place.

    Return the logarithm of this space to base 2, or 0 if a place has too many options.
    """
    number, tile_of, first = room.of_items[3], room.of_options[0], room.of_options[1]
    most = 0
    for o in range(tile_of.size):
        p = get(first, o)
        put(number, p, get(number, p) + (broken < 0 or get(tile_of, o) != broken))
    for p in range(places):
        most = max(most, number[p])
    if most > MAX_OPTIONS:
        return 0
    shift = 5 if most <= MAX_OPTIONS // 2 else 6
    for k in range((places + 1) << shift):
        put(room.listed, k, LAST)
    for o in range(tile_of.size):
        if broken < 0 or get(tile_of, o) != broken:
            p = get(first, o)
            put(number, p, get(number, p) - 1)
            put(room.listed, (p << shift) + get(number, p), get(room.word, o))
    return shift


@part
def fitting_of(s: Scan, begin: int, state: Any) -> Any:
    """Return a bit for each of 32 options that fits."""
    found = which(both(load(s.listed, begin), spread(state)))
    found |= which(both(load(s.listed, begin + LANES), spread(state))) << np.uint64(LANES)
    found |= which(both(load(s.listed, begin + 2 * LANES), spread(state))) << np.uint64(2 * LANES)
    found |= which(both(load(s.listed, begin + 3 * LANES), spread(state))) << np.uint64(3 * LANES)
    return found ^ HALF


@part
def fitting(s: Scan, place: int, state: Any) -> Any:
    """Return a bit for each option of a place that fits."""
    begin = place << s.shift
    found = fitting_of(s, begin, state)
    if s.shift == 6:
        found |= fitting_of(s, begin + 32, state) << np.uint64(32)
    return found


@part
def left_to_do(stack: Words, top: int, branches: Longs) -> float:
    """Return the share of a search that is left, if all branches of a node are equally large."""
    left, share, level = 0.0, 1.0, 0
    for k in range(top):
        while level < np.int64(stack[3 * k + 1] >> LEVEL):
            share /= branches[level]
            level += 1
        left += share
    return left


@part
def behind(s: Scan, place: int, state: Any) -> Any:
    """Return the first free place from ``place`` on, and the state as seen from there."""
    while state & ONE:
        step = lowest_bit(~state)
        place += np.int64(step)
        state = (state & s.window) >> step | state & s.rest | get(s.taken, place)
    return place, state


@part
def begin(s: Scan, stack: Words, state: Any) -> Any:
    """Put the first node of a search on the stack. Return whether an option fits there, and whether all is covered."""
    place, state = behind(s, 0, state)
    left = fitting(s, place, state)
    put(stack, 0, state)
    put(stack, 1, np.uint64(place))
    put(stack, 2, left)
    return np.int64(left != ZERO), np.int64(state == s.full)


@part
def search(s: Scan, stack: Words, branches: Longs, top: int, most: int) -> Any:
    """Cover the first free place of the node on top of the stack, again and again, for ``most`` nodes and some more.

    Return the number of nodes left on the stack, of nodes, of nodes with a fitting option, and of solutions. The code does not branch on
    whether an option fits: the processor would often predict it wrongly, and learn so late.
    """
    nodes, live, found = 0, 0, 0
    while top > 0 and nodes < most:
        top -= 1
        state, place, left = get(stack, 3 * top), get(stack, 3 * top + 1), get(stack, 3 * top + 2)
        level, place = np.int64(place >> LEVEL), np.int64(place & PLACE)
        mark, before = np.uint64(level + 1) << LEVEL, top
        nodes += np.int64(popcount(left))
        live += 1
        while left != ZERO:
            option = (place << s.shift) + np.int64(lowest_bit(left))
            left &= left - ONE
            p, below = behind(s, place, state | get(s.listed, option))
            fits = fitting(s, p, below)
            put(stack, 3 * top, below)
            put(stack, 3 * top + 1, mark | np.uint64(p))
            put(stack, 3 * top + 2, fits)
            top += fits != ZERO
            found += below == s.full
        put(branches, level, top - before)
    return top, nodes, live, found


@part
def cover_first(option: int, places: int, window: int, room: Room) -> Any:
    """Write the windows of the option that is placed first, or of none (-1). Return the first state."""
    taken = room.taken
    for p in range(places + 1):
        put(taken, p, ZERO)
    put(taken, places, ONE << np.uint64(window))
    if option < 0:
        return LAST
    first, bits = room.of_options[1, option], room.word[option] & (ONE << np.uint64(window)) - ONE
    for p in range(max(0, first - window + 1), first + window):
        word = bits << np.uint64(first - p) if p < first else bits >> np.uint64(p - first)
        put(taken, p, word & (ONE << np.uint64(window)) - ONE)
    put(taken, places, ONE << np.uint64(window))
    return LAST | taken[0] | room.word[option] >> np.uint64(window) << np.uint64(window)


@part
def root(above: Longs, item: int) -> Any:
    """Return the item that represents the part of an item."""
    while above[item] != item:
        above[item] = above[above[item]]
        item = above[item]
    return item


@part
def parts_can_be_filled(start: Ints, item: Ints, option: int, adjacent: Ints, unit: int, room: Room) -> bool:
    """Return whether the area of each part left beside an option is a multiple of ``unit``."""
    above, tile_of, area = room.of_items[1], room.of_items[2], room.of_items[4]
    for i in range(above.size):
        above[i], area[i] = i if tile_of[i] == 0 else -1, 0
    if option >= 0:
        for entry in range(start[option], start[option + 1]):
            above[item[entry]] = -1
    for k in range(0, adjacent.size, 2):
        one, other = np.int64(get(adjacent, k)), np.int64(get(adjacent, k + 1))
        if above[one] >= 0 and above[other] >= 0:
            above[root(above, one)] = root(above, other)
    for i in range(above.size):
        if above[i] >= 0:
            area[root(above, i)] += 1
    good = True
    for i in range(area.size):
        good &= area[i] == 0 or area[i] % unit == 0
    return good


@part
def unit_of_areas(places: int, window: int, broken: int, room: Room) -> Any:
    """Return the greatest common divisor of the areas of the options, except the options of the tile ``broken``.

    Return 1 if a place has no centre, because it touches no other place.
    """
    order, key = room.of_items[1], room.keys[room.keys.size - room.of_items.shape[1] :]
    if key[order[places - 1]] != key[order[places - 1]]:
        return 1
    unit, last = np.int64(0), np.int64(0)
    for o in range(room.word.size):
        area = np.int64(popcount(get(room.word, o) & (ONE << np.uint64(window)) - ONE))
        if area != last and (broken < 0 or get(room.of_options, o) != broken):
            last = area
            while area != 0:
                unit, area = area, unit % area
    return max(unit, 1)


@compiled
def count(
    start: Ints, item: Ints, centres: Reals, tiles: Ints, images: Ints, adjacent: Ints, room: Room, limits: tuple[int, int, int]
) -> Any:
    """Return nodes, dead ends, and the number of solutions, or -1 if it is not known."""
    places = put_in_order(centres, tiles, room)
    window = lay_out(start, item, tiles.size, room)
    if window == 0:
        return 0, 0, -1
    tile_of, weight = room.of_options[0], room.of_options[2]
    broken = orbits(tiles.size, images, room)
    shift = list_options(places, broken, room)
    if shift == 0:
        return 0, 0, -1
    full = LAST | ((TWO << np.uint64(tiles.size)) - ONE) << np.uint64(window)
    bits = (ONE << np.uint64(window)) - ONE
    s = Scan(room.listed, shift, room.taken, bits, ~bits, full)
    unit = unit_of_areas(places, window, broken, room) if adjacent.size > 0 else 1
    parts = np.int64(broken < 0)
    for o in range(tile_of.size):
        parts += broken >= 0 and tile_of[o] == broken and weight[o] > 0
    nodes, live, leaves, found, done, most = 1, np.int64(broken >= 0), 0, 0, 0, limits[0]
    for o in range(-1 if broken < 0 else 0, 0 if broken < 0 else tile_of.size):
        if o >= 0 and (tile_of[o] != broken or weight[o] == 0):
            continue
        nodes += o >= 0
        represented = 1 if o < 0 else weight[o]
        top, more = np.int64(0), np.int64(0)
        if unit == 1 or parts_can_be_filled(start, item, o, adjacent, unit, room):
            top, more = begin(s, room.stack, cover_first(o, places, window, room))
        found, leaves = found + represented * more, leaves + more
        while top > 0:
            top, more, alive, covered = search(s, room.stack, room.branches, top, most - nodes)
            nodes, live, found, leaves = nodes + more, live + alive, found + represented * covered, leaves + covered
            if top > 0:
                if nodes >= limits[1] or (done + 1 - left_to_do(room.stack, top, room.branches)) * limits[2] < parts:
                    return nodes, 0, -1
                most = min(2 * most, limits[1])
        done += 1
    return nodes, nodes - live - leaves, found
