"""Breadth-first search over the positions of pieces of cubes that slide and turn, until some pieces can be taken away: compiled.

A position has the orientation and the translation of each piece, in the frame of the first piece. A move slides some pieces along a line,
or turns them about an axis, while the others stay. The sets of pieces that can move together follow from the collisions of each piece,
which are looked up in a box of piece numbers. ``swept_cells`` computes what a part of a piece sweeps in a quarter turn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Ints, Longs, Words
from puzzlesat.disassembly.kernel import (
    AWAY,
    COUNT,
    EXHAUSTED,
    FOUND,
    FULL,
    LOOKED,
    NONE,
    ONE,
    PAUSED,
    TOO_FAR,
    TOO_MANY,
    close,
    note_away,
    unions,
)
from puzzlesat.disassembly.swept_cells import Sweeps
from puzzlesat.kernels import compiled, part

# mypy: allow-untyped-calls


EMPTY = -1
SLIDE = -1
"""Entry in place of an axis, for a slide."""


class Cubes(NamedTuple):
    """The pieces, and the rotations and directions of cubes."""

    part: Ints  # (parts, 3): the positions of the parts at the start, in half edges: cubes at even coordinates, else gaps between cubes
    whole: Any  # (parts): True for a cube
    owner: Ints  # (parts): the piece of each part
    turn: Ints  # (24, 3, 3): the rotations of a cube
    product: Ints  # (24, 24): their multiplication table
    inverse: Ints  # (24): their inverses
    same: Ints  # (pieces, 24): the first rotation with the same image of the piece, up to translation
    shift: Ints  # (pieces, 24, 3): that translation
    slide: Ints  # (directions, 3)
    axis: Ints  # the axes of turns, as coordinates
    quarter: Ints  # (3, 2): the numbers of the quarter turns about an axis, to the left and to the right
    sweeps: Sweeps


class Found(NamedTuple):
    """The tree of the search: positions in the order of discovery."""

    pose: Ints  # (room, pieces, 4): the rotation and the translation of each piece
    parent: Ints
    depth: Ints
    moved: Words  # the pieces that moved last
    way: Ints  # (room, 5): SLIDE, direction, steps; or axis, two coordinates of the axis times 2, 0 for left or 1 for right, quarters
    table: Ints
    state: Longs  # as in ``Tree``
    away: Longs  # (most, 3): separations: position, pieces taken away, direction


class Room(NamedTuple):
    """Buffers for the position being expanded."""

    box: Ints  # the number of the piece at each place of the bounding box, in half edges
    low: Longs  # (3): the least coordinates of the box
    size: Longs  # (3)
    place: Ints  # (parts, 3): the parts in this position
    went: Ints  # (parts, 3): the parts in the course of a turn
    push: Words  # (pieces): the set of pieces in the way of each piece
    closed: Words  # (pieces): the set of pieces that each piece moves, with itself
    sets: Words
    pose: Ints  # (pieces, 4)


@part
def _lay_out(cubes: Any, pose: Any, room: Any) -> Any:
    """Write the places of all parts, and fill the box; return False if the box is too small."""
    for q in range(len(cubes.owner)):
        i = cubes.owner[q]
        turn = cubes.turn[pose[i, 0]]
        for r in range(3):
            x = turn[r, 0] * cubes.part[q, 0] + turn[r, 1] * cubes.part[q, 1] + turn[r, 2] * cubes.part[q, 2] + 2 * pose[i, 1 + r]
            room.place[q, r] = x
            if q == 0 or x < room.low[r]:
                room.low[r] = x
            if q == 0 or x > room.size[r]:
                room.size[r] = x
    for r in range(3):
        room.size[r] += 1 - room.low[r]
        if room.size[r] > room.box.shape[r] or room.size[r] >= cubes.sweeps.reach:
            return False
    for q in range(len(cubes.owner)):
        room.box[room.place[q, 0] - room.low[0], room.place[q, 1] - room.low[1], room.place[q, 2] - room.low[2]] = cubes.owner[q]
    return True


@part
def _clear(room: Any) -> None:
    for q in range(len(room.place)):
        room.box[room.place[q, 0] - room.low[0], room.place[q, 1] - room.low[1], room.place[q, 2] - room.low[2]] = EMPTY


@part
def _run_into(room: Any, i: Any, x: Any, y: Any, z: Any) -> None:
    """Record the piece, if any, at a place that piece ``i`` sweeps."""
    x, y, z = x - room.low[0], y - room.low[1], z - room.low[2]
    if x < 0 or y < 0 or z < 0 or x >= room.size[0] or y >= room.size[1] or z >= room.size[2]:
        return
    other = room.box[x, y, z]
    if other != EMPTY and other != i:
        room.push[i] |= ONE << np.uint64(other)


@part
def _groups(room: Any) -> Any:
    """List the sets of at most half the pieces that can move while the others stay; return their number, or -1 for too many.

    A larger set is not needed: moving its complement the opposite way is the same move.
    """
    pieces = len(room.push)
    for i in range(pieces):
        room.closed[i] = room.push[i] | ONE << np.uint64(i)
    close(room.closed, pieces)
    return unions(room.closed, pieces, np.uint64(pieces // 2), room.sets)


@part
def _normal(cubes: Any, room: Any, new: Any) -> None:
    """Write the normal form of a position: in the frame of the first piece, each piece with the first rotation that looks the same."""
    back = cubes.inverse[room.pose[0, 0]]
    turn = cubes.turn[back]
    for i in range(len(room.pose)):
        o = cubes.product[back, room.pose[i, 0]]
        x = room.pose[i, 1] - room.pose[0, 1]
        y = room.pose[i, 2] - room.pose[0, 2]
        z = room.pose[i, 3] - room.pose[0, 3]
        new[i, 0] = cubes.same[i, o]
        for r in range(3):
            new[i, 1 + r] = turn[r, 0] * x + turn[r, 1] * y + turn[r, 2] * z + cubes.shift[i, o, r]


@part
def _slot(found: Any, number: Any) -> Any:
    """Return the index of a position in the hash table, or the empty slot to put it in."""
    pose = found.pose[number]
    value = np.int64(0x1234567)
    for i in range(1, pose.shape[0]):
        for c in range(4):
            value = (value ^ pose[i, c]) * 0x100000001B3
            value ^= value >> 29
    mask = len(found.table) - 1
    slot = value & mask
    while found.table[slot] != EMPTY:
        other = found.pose[found.table[slot]]
        same = True
        for i in range(1, pose.shape[0]):
            for c in range(4):
                same = same and pose[i, c] == other[i, c]
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@part
def _add(cubes: Any, found: Any, room: Any, number: Any, moved: Any) -> Any:
    """Add the position ``room.pose``; return its number if it is new, else -1."""
    new = found.state[COUNT]
    _normal(cubes, room, found.pose[new])
    slot = _slot(found, new)
    if found.table[slot] != EMPTY:
        return -1
    found.table[slot] = new
    found.parent[new] = number
    found.depth[new] = found.depth[number] + 1
    found.moved[new] = moved
    found.state[COUNT] = new + 1
    return new


@part
def _full(found: Any) -> Any:
    return 2 * (found.state[COUNT] + 1) > len(found.table) or found.state[COUNT] + 1 >= len(found.parent)


@part
def _note_sets_away(found: Any, number: Any, count: Any, room: Any, d: Any, grouped: Any) -> None:
    """Record the sets that can be taken away from a position: pieces with those they push.

    Unions of these sets are recorded only if some pieces may stay together (``grouped``). If all must come apart, no union is better.
    """
    for s in range(count):
        new = grouped
        for i in range(len(room.closed)):
            new = new or room.closed[i] == room.sets[s]
        if new:
            note_away(found, number, room.sets[s], d)


@part
def _slide(cubes: Any, found: Any, room: Any, number: Any, d: Any, grouped: Any, only_away: Any) -> Any:
    """Add the positions after slides along a direction, by any number of steps. Return FULL or TOO_MANY, else PAUSED."""
    direction = cubes.slide[d]
    last = 1
    for r in range(3):
        if direction[r] != 0:
            last = (room.size[r] + 1) // 2
    room.push[:] = 0
    for steps in range(1, last + 1):
        for q in range(len(cubes.owner)):
            if cubes.whole[q]:
                here, far = room.place[q], 2 * steps
                _run_into(room, cubes.owner[q], here[0] + far * direction[0], here[1] + far * direction[1], here[2] + far * direction[2])
        count = _groups(room)
        if count < 0:
            return TOO_MANY
        if count == 0:
            return PAUSED
        if steps == last:
            _note_sets_away(found, number, count, room, d, grouped)
            return PAUSED
        if only_away:
            continue
        for s in range(count):
            if _full(found):
                return FULL
            for i in range(len(room.pose)):
                far = steps if (room.sets[s] >> np.uint64(i)) & ONE != NONE else 0
                room.pose[i, 0] = found.pose[number, i, 0]
                for r in range(3):
                    room.pose[i, 1 + r] = found.pose[number, i, 1 + r] + far * direction[r]
            new = _add(cubes, found, room, number, room.sets[s])
            if new >= 0:
                found.way[new, 0] = SLIDE
                found.way[new, 1] = d
                found.way[new, 2] = steps
    return PAUSED


@part
def _sweep(cubes: Any, room: Any, axis: Any, u: Any, v: Any, right: Any) -> None:
    """Turn all parts by one more quarter about the axis at (u, v), in half edges; record what each piece meets if it turns alone.

    Layers across the axis do not meet each other, so parts between two layers are skipped.
    """
    one, two = (axis + 1) % 3, (axis + 2) % 3
    sweeps, kind = cubes.sweeps, u & 1
    for q in range(len(cubes.owner)):
        if room.went[q, axis] & 1:
            continue
        x, y = room.went[q, one] - u, room.went[q, two] - v
        first, second = (y, x) if right else (x, y)  # a turn to the right is one to the left in a mirror
        back = 0
        while first < 0 or second < 0:
            first, second = second, -first
            back += 1
        number = first * (sweeps.reach + 1) + second
        for z in range(sweeps.start[kind, number], sweeps.start[kind, number + 1]):
            first, second = sweeps.part[kind, z, 0], sweeps.part[kind, z, 1]
            for _ in range(back):
                first, second = -second, first
            a, b = (second, first) if right else (first, second)
            a, b, c = a + u, b + v, room.went[q, axis]
            if axis == 0:
                _run_into(room, cubes.owner[q], c, a, b)
            elif axis == 1:
                _run_into(room, cubes.owner[q], b, c, a)
            else:
                _run_into(room, cubes.owner[q], a, b, c)
        room.went[q, one] = (y if right else -y) + u
        room.went[q, two] = (-x if right else x) + v


@part
def _turn(cubes: Any, found: Any, room: Any, number: Any, axis: Any, u: Any, v: Any, right: Any) -> Any:
    """Add the positions after turns about an axis by up to three quarters. Return FULL or TOO_MANY, else PAUSED."""
    one, two = (axis + 1) % 3, (axis + 2) % 3
    turn = cubes.quarter[axis, right]
    room.push[:] = 0
    for q in range(len(room.place)):
        for r in range(3):
            room.went[q, r] = room.place[q, r]
    for quarters in range(1, 4):
        _sweep(cubes, room, axis, u, v, right)
        count = _groups(room)
        if count < 0:
            return TOO_MANY
        if count == 0:
            return PAUSED
        for s in range(count):
            if _full(found):
                return FULL
            for i in range(len(room.pose)):
                for r in range(4):
                    room.pose[i, r] = found.pose[number, i, r]
                if (room.sets[s] >> np.uint64(i)) & ONE != NONE:
                    for _ in range(quarters):
                        x, y = 2 * room.pose[i, 1 + one] - u, 2 * room.pose[i, 1 + two] - v
                        room.pose[i, 0] = cubes.product[turn, room.pose[i, 0]]
                        room.pose[i, 1 + one] = ((y if right else -y) + u) >> 1
                        room.pose[i, 1 + two] = ((-x if right else x) + v) >> 1
            new = _add(cubes, found, room, number, room.sets[s])
            if new >= 0:
                way = found.way[new]
                way[0], way[1], way[2], way[3], way[4] = axis, u, v, right, quarters
    return PAUSED


@part
def _turns(cubes: Any, found: Any, room: Any, number: Any) -> Any:
    """Add the positions after turns about all axes that pass through the box or along its sides."""
    for axis in cubes.axis:
        one, two = (axis + 1) % 3, (axis + 2) % 3
        for u in range(room.low[one] - 1, room.low[one] + room.size[one] + 1):
            for v in range(room.low[two] - 1, room.low[two] + room.size[two] + 1):
                if (u ^ v) & 1:
                    continue
                for right in range(2):
                    end = _turn(cubes, found, room, number, axis, u, v, right)
                    if end != PAUSED:
                        return end
    return PAUSED


@compiled
def look(cubes: Any, found: Any, room: Any, grouped: Any, most: Any) -> Any:
    """Expand up to ``most`` more positions. At the first depth with a separation, expand all positions of that depth, and stop.

    ``grouped`` is True if some of the pieces may stay together.
    """
    state = found.state
    for _ in range(most):
        number = state[LOOKED]
        if number == state[COUNT]:
            return FOUND if state[AWAY] else EXHAUSTED
        if state[AWAY] and found.depth[number] > found.depth[found.away[0, 0]]:
            return FOUND
        if not _lay_out(cubes, found.pose[number], room):
            return TOO_FAR
        end = PAUSED
        for d in range(len(cubes.slide)):
            if end == PAUSED:
                end = _slide(cubes, found, room, number, d, grouped, state[AWAY] != 0)
        if end == PAUSED and state[AWAY] == 0:
            end = _turns(cubes, found, room, number)
        _clear(room)
        if end != PAUSED:
            return end
        state[LOOKED] = number + 1
    return PAUSED


@compiled
def fill_table(found: Any) -> None:
    """Rebuild the hash table after it was enlarged."""
    found.table[:] = EMPTY
    for number in range(found.state[COUNT]):
        found.table[_slot(found, number)] = number
