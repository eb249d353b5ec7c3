"""Breadth-first search over the positions of cubes that slide and are turned, until some of them can be taken away: compiled.

A position tells of each piece how it is turned and where it is, as seen from the first piece. A move takes some pieces along a line, or
about an axis, while all others stay. Which pieces must go together follows from what each of them runs into: that is looked up in a box
with the number of a piece at each place. What a part of a piece sweeps in a quarter turn is known from ``quarter``.
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
"""The axis of a move that turns nothing."""


class Cubes(NamedTuple):
    """The pieces, and how cubes move."""

    part: Ints  # (parts, 3): where the parts of pieces are at first, in half edges: cubes at even coordinates, else what is amid cubes
    whole: Any  # (parts): whether each is a cube
    owner: Ints  # of each, its piece
    turn: Ints  # (24, 3, 3): the turns of a cube
    product: Ints  # (24, 24)
    inverse: Ints  # (24)
    same: Ints  # (pieces, 24): the first turn after which a piece looks the same
    shift: Ints  # (pieces, 24, 3): and how far it is then moved
    slide: Ints  # (directions, 3)
    axis: Ints  # which coordinate stays, of each axis
    quarter: Ints  # (3, 2): the number of the turn about an axis, to the left and to the right
    sweeps: Sweeps


class Found(NamedTuple):
    """The positions that were found, in the order in which they were."""

    pose: Ints  # (room, pieces, 4): how a piece is turned, and where it is
    parent: Ints
    depth: Ints
    moved: Words  # the pieces that moved last
    way: Ints  # (room, 5): SLIDE, which direction, how far; or an axis, twice its place across, 0 to the left or 1 to the right, how far
    table: Ints
    state: Longs  # as that of ``Tree``
    away: Longs  # (most, 3): the position, the pieces and the direction of each of these


class Room(NamedTuple):
    """What is worked out of one position."""

    box: Ints  # the number of the piece at each place of a box around them, in half edges
    low: Longs  # (3): where the box begins, and how large it is
    size: Longs
    place: Ints  # (parts, 3): where the parts are
    went: Ints  # (parts, 3): where they are in the course of a turn
    push: Words  # (pieces): what each runs into, as a set
    closed: Words  # (pieces): what each takes along
    sets: Words
    pose: Ints  # (pieces, 4)


@part
def _lay_out(cubes: Any, pose: Any, room: Any) -> Any:
    """Write where all parts are, and put them into the box; False where that is too small."""
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
    """Note which piece is at a place that a piece comes to."""
    x, y, z = x - room.low[0], y - room.low[1], z - room.low[2]
    if x < 0 or y < 0 or z < 0 or x >= room.size[0] or y >= room.size[1] or z >= room.size[2]:
        return
    other = room.box[x, y, z]
    if other != EMPTY and other != i:
        room.push[i] |= ONE << np.uint64(other)


@part
def _groups(room: Any) -> Any:
    """List the sets of at most half the pieces that can go without the others; -1 where there are too many.

    That the others go the other way is the same move.
    """
    pieces = len(room.push)
    for i in range(pieces):
        room.closed[i] = room.push[i] | ONE << np.uint64(i)
    close(room.closed, pieces)
    return unions(room.closed, pieces, np.uint64(pieces // 2), room.sets)


@part
def _normal(cubes: Any, room: Any, new: Any) -> None:
    """Write a position as it is seen from the first piece; each piece in the first of the turns after which it looks the same."""
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
    """Where a position stands, or would, in the table."""
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
    """Note the position of ``room.pose``; its row of ``found``, where it is new, else -1."""
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
    """Note what can be taken away from a position: the sets that one piece takes along.

    Where all pieces are to come apart, to take away two of these at once is never better. Where some may stay together it is.
    """
    for s in range(count):
        new = grouped
        for i in range(len(room.closed)):
            new = new or room.closed[i] == room.sets[s]
        if new:
            note_away(found, number, room.sets[s], d)


@part
def _slide(cubes: Any, found: Any, room: Any, number: Any, d: Any, grouped: Any, only_away: Any) -> Any:
    """Slide what can go along a direction, as far as it goes; FULL or TOO_MANY, else PAUSED."""
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
    """Turn all parts by a quarter more, and note what each piece runs into if it alone is turned. The axis is at (u, v), in half edges.

    Layers across the axis do not meet each other, so what is amid two layers is left out.
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
    """Turn what can be turned about an axis, by up to three quarters; FULL or TOO_MANY, else PAUSED."""
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
    """Turn what can be turned about all axes that go through the box, or along its sides."""
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
    """Look at up to ``most`` more positions; at the depth at which something can be taken away first, at all of that depth.

    ``grouped``: whether some of the pieces may stay together.
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
    """Put all positions into the table, which is larger than it was."""
    found.table[:] = EMPTY
    for number in range(found.state[COUNT]):
        found.table[_slot(found, number)] = number
