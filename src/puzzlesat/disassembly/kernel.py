"""Breadth-first search over the relative positions of pieces, until one of them, or a group, can be taken away: compiled.

How far a piece goes before it runs into another one depends on their shapes and their relative position alone: that is worked out once and
kept. From the free ways of all pairs in a direction follows what must move together: a piece that is to go k steps takes along whatever is
less than k steps ahead of it, and so on (W. Cutler, A computer analysis of all 6-piece burrs, 1994, has both ideas, as BurrTools has).
The sets that can move are the unions of these. A set and the others are one and the same move, so the smaller of the two moves.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.arrays import Ints, Longs, Shorts, Words
from puzzlesat.check.kernels import compiled, part
from puzzlesat.disassembly.data import NEVER
from puzzlesat.solvers.bits import lowest_bit, popcount

EXHAUSTED, FOUND, FULL, PAUSED, TOO_FAR, TOO_MANY = range(6)
"""How a search ends: it has been everywhere; something can be taken away; there is no room for more positions; so many positions were
looked at; pieces are further from each other than can be told; pieces can move in more groups than can be listed."""
MOST_PIECES = 64
MOST_APART = 1000
"""Cells between two pieces, in each coordinate."""
MOST_SETS = 1 << 12
ONE = np.uint64(1)
NONE = np.uint64(0)


class Scene(NamedTuple):
    """The shapes that take part, with all that is known of them; for every part of every assembly of a puzzle."""

    start: Ints  # (shapes + 1): where the atoms of a shape begin
    atom: Ints  # which of the cell's atoms each is
    place: Ints  # (directions, atoms, 3): the cells in the frame of each direction
    frames: Longs
    meets: Shorts
    reach: Any
    directions: Ints
    keys: Longs  # of the pairs of shapes whose free ways are known; -1: none
    free: Shorts  # (keys, directions)
    used: Longs  # [0]: how many keys there are


class Tree(NamedTuple):
    """The positions that were found, in the order in which they were: the first is where the search begins."""

    position: Ints  # (room, pieces, 3)
    parent: Ints
    depth: Ints
    moved: Words  # the pieces that moved last
    way: Ints  # (room, 2): in which direction, and how far
    table: Ints  # which position stands where its hash says; -1: none
    state: Longs  # how many there are, how many of them were looked at, how many ways to take something away were found, whether not all
    away: Longs  # (most, 3): the position, the pieces and the direction of each of these
    sets: Words  # room for the sets that can move


@part
def _free_ways(scene: Any, one: Any, other: Any, x: Any, y: Any, z: Any, row: Any) -> None:
    """How far a shape can go in each direction before it runs into another one whose cells are moved by (x, y, z)."""
    reach = scene.reach
    for d in range(len(scene.frames)):
        frame = scene.frames[d]
        du = frame[0, 0] * x + frame[0, 1] * y + frame[0, 2] * z
        dv = frame[1, 0] * x + frame[1, 1] * y + frame[1, 2] * z
        dw = frame[2, 0] * x + frame[2, 1] * y + frame[2, 2] * z
        place = scene.place[d]
        least = NEVER
        for i in range(scene.start[one], scene.start[one + 1]):
            for j in range(scene.start[other], scene.start[other + 1]):
                u = place[j, 0] - place[i, 0] + du + reach
                v = place[j, 1] - place[i, 1] + dv + reach
                if u < 0 or v < 0 or u > 2 * reach or v > 2 * reach:
                    continue
                after = np.int64(scene.meets[d, scene.atom[i], scene.atom[j], u, v])
                if after == NEVER:
                    continue
                after += place[j, 2] - place[i, 2] + dw
                if after >= 0:
                    least = min(least, after)
        scene.free[row, d] = least


@part
def _known(scene: Any, one: Any, other: Any, x: Any, y: Any, z: Any) -> Any:
    """The row of ``free`` for two shapes in a relative position."""
    key = (((one << 15) | other) << 33) | ((x + MOST_APART) << 22) | ((y + MOST_APART) << 11) | (z + MOST_APART)
    mask = len(scene.keys) - 1
    row = ((key * 0x9E3779B97F4A7C1) >> 17) & mask
    while scene.keys[row] != -1:
        if scene.keys[row] == key:
            return row
        row = (row + 1) & mask
    if scene.used[0] * 2 > len(scene.keys):  # begin anew: what is needed again is worked out again
        scene.keys[:] = -1
        scene.used[0] = 0
        row = ((key * 0x9E3779B97F4A7C1) >> 17) & mask
    scene.keys[row] = key
    scene.used[0] += 1
    _free_ways(scene, one, other, x, y, z, row)
    return row


@part
def _ways(scene: Any, shapes: Any, position: Any, ways: Any) -> Any:
    """Write how far each piece can go in each direction before each other one; False where two are too far from each other."""
    for i in range(len(shapes)):
        for j in range(i):
            x = np.int64(position[j, 0] - position[i, 0])
            y = np.int64(position[j, 1] - position[i, 1])
            z = np.int64(position[j, 2] - position[i, 2])
            if max(abs(x), abs(y), abs(z)) > MOST_APART:
                return False
            row = _known(scene, np.int64(shapes[i]), np.int64(shapes[j]), x, y, z)
            for d in range(ways.shape[0]):
                ways[d, i, j] = scene.free[row, d]
                ways[d ^ 1, j, i] = scene.free[row, d]
    return True


@part
def _taken_along(ways: Any, piece: Any, steps: Any) -> Any:
    """The pieces that move if a piece goes so many steps."""
    moved = rim = ONE << np.uint64(piece)
    while rim != NONE:
        i = lowest_bit(rim)
        rim &= rim - ONE
        for j in range(ways.shape[0]):
            bit = ONE << np.uint64(j)
            if ways[i, j] < steps and moved & bit == NONE:
                moved |= bit
                rim |= bit
    return moved


@part
def _same(tree: Any, one: Any, other: Any) -> Any:
    position = tree.position
    for i in range(1, position.shape[1]):
        for c in range(3):
            if position[one, i, c] - position[one, 0, c] != position[other, i, c] - position[other, 0, c]:
                return False
    return True


@part
def _slot(tree: Any, number: Any) -> Any:
    """Where a position stands, or would, in the table: told by how the pieces lie to the first of them."""
    position = tree.position
    value = np.int64(0x1234567)
    for i in range(1, position.shape[1]):
        for c in range(3):
            value = (value ^ (position[number, i, c] - position[number, 0, c])) * 0x100000001B3
            value ^= value >> 29
    mask = len(tree.table) - 1
    slot = value & mask
    while tree.table[slot] != -1 and not _same(tree, tree.table[slot], number):
        slot = (slot + 1) & mask
    return slot


@part
def _add(scene: Any, tree: Any, number: Any, moved: Any, d: Any, steps: Any) -> None:
    """Note the position that a move leads to, if it is new."""
    new = tree.state[0]
    for i in range(tree.position.shape[1]):
        far = steps if (moved >> np.uint64(i)) & ONE != NONE else 0
        for c in range(3):
            tree.position[new, i, c] = tree.position[number, i, c] + far * scene.directions[d, c]
    slot = _slot(tree, new)
    if tree.table[slot] != -1:
        return
    tree.table[slot] = new
    tree.parent[new] = number
    tree.depth[new] = tree.depth[number] + 1
    tree.moved[new] = moved
    tree.way[new, 0] = d
    tree.way[new, 1] = steps
    tree.state[0] = new + 1


@part
def _unions(ways: Any, steps: Any, half: Any, sets: Any) -> Any:
    """List the sets of at most half the pieces that can go so many steps; -1 where there are too many."""
    count = 0
    for i in range(ways.shape[0]):
        own = _taken_along(ways, i, steps)
        if popcount(own) > half:
            continue
        before = count
        for k in range(-1, before):
            union = own if k < 0 else own | sets[k]
            known = popcount(union) > half
            for m in range(count):
                known = known or sets[m] == union
            if known:
                continue
            if count == len(sets):
                return -1
            sets[count] = union
            count += 1
    return count


@part
def _note_away(tree: Any, number: Any, moved: Any, d: Any) -> None:
    """Note that some pieces can be taken away from a position, if that is new."""
    for k in range(tree.state[2]):
        if tree.away[k, 0] == number and np.uint64(tree.away[k, 1]) == moved:
            return
    if tree.state[2] == len(tree.away):
        tree.state[3] = 1
        return
    found = tree.away[tree.state[2]]
    found[0] = number
    found[1] = np.int64(moved)
    found[2] = d
    tree.state[2] += 1


@part
def _look_for_away(tree: Any, number: Any, ways: Any, half: Any, grouped: Any) -> None:
    """Note what can be taken away from a position: single pieces, then groups that a piece takes along.

    Where all pieces are to come apart, to take away two of these at once is never better. Where some may stay together it is.
    """
    for alone in (True, False):
        for d in range(ways.shape[0]):
            for i in range(ways.shape[1]):
                moved = _taken_along(ways[d], i, NEVER)
                size = popcount(moved)
                if (size == ONE) == alone and size <= half:
                    _note_away(tree, number, moved, d)
    if not grouped:
        return
    for d in range(ways.shape[0]):
        count = _unions(ways[d], NEVER, half, tree.sets)
        if count < 0:
            tree.state[3] = 1
        for k in range(count):
            _note_away(tree, number, tree.sets[k], d)


@compiled
def explore(scene: Any, shapes: Any, tree: Any, ways: Any, grouped: Any, most: Any) -> Any:
    """Look at up to ``most`` more positions; at the depth at which something can be taken away first, at all of that depth.

    ``grouped`` says whether some of the pieces may stay together, ``ways`` is room for (directions, pieces, pieces) numbers.
    """
    pieces = len(shapes)
    half = np.uint64(pieces // 2)
    state = tree.state
    for _ in range(most):
        number = state[1]
        if number == state[0]:
            return FOUND if state[2] else EXHAUSTED
        if state[2] and tree.depth[number] > tree.depth[tree.away[0, 0]]:
            return FOUND
        if not _ways(scene, shapes, tree.position[number], ways):
            return TOO_FAR
        _look_for_away(tree, number, ways, half, grouped)
        if state[2] == 0:
            for d in range(ways.shape[0]):
                steps = 1
                while True:
                    count = _unions(ways[d], steps, half, tree.sets)
                    if count < 0:
                        return TOO_MANY
                    if count == 0:
                        break
                    for k in range(count):
                        if 2 * (state[0] + 1) > len(tree.table) or state[0] == len(tree.parent):
                            return FULL
                        _add(scene, tree, number, tree.sets[k], d, steps)
                    steps += 1
        state[1] = number + 1
    return PAUSED


@compiled
def fill_table(tree: Any) -> None:
    """Put all positions into the table, which is larger than it was."""
    tree.table[:] = -1
    for number in range(tree.state[0]):
        tree.table[_slot(tree, number)] = number
