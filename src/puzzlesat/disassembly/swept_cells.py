"""Decide in integers what a part of a piece sweeps in a quarter turn: compiled.

A layer of a piece consists of cubes, which the bevel makes smaller, of bridges between two adjacent cubes, and of the gaps amid four cubes.
All these parts are rectangles.

A rectangle P that turns from 0 to 90 degrees about a point meets a rectangle Q if an arc of P and an arc of Q come together on some circle
about the point. An arc ends where its circle crosses the line of a side. The order of two ends can change only at a radius where two such
lines cross. All lines are parallel to the axes, before and after a quarter turn, so the squares of these radii are rational. Between two
consecutive radii the order is constant, and one circle decides. On it, the square of the second coordinate, which is rational too,
determines a point of the first quadrant.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Ints, Longs
from puzzlesat.kernels import compiled, part

# mypy: allow-untyped-calls


NEAR = 3.0
"""Parts can meet only if the distances of their centres from the axis differ by at most this, in half edges."""


class Sweeps(NamedTuple):
    """The parts that each turned part meets, for turns about the centre of a cube and about an edge.

    A part is given by its coordinates relative to the axis, in half edges. A coordinate belongs to a cube if it is even, in turns about a
    centre, or odd, in turns about an edge; else it is between two cubes. Turned parts have no negative coordinates: the sweeps of other
    parts follow by rotation.
    """

    reach: Any  # the largest coordinate
    start: Ints  # (2, parts + 1): the first index of each turned part in ``part``
    part: Ints  # (2, most, 2): the parts that it meets


class Scale(NamedTuple):
    """Lengths as integers."""

    half: Any  # half an edge
    cube: Any  # half the width of a cube
    gap: Any  # half the width of a bridge between two cubes


class Corner(NamedTuple):
    """Buffers for two rectangles."""

    one: Longs  # (4, 5): a quadrant, and the bounds of the rectangle there, rotated into the first quadrant
    other: Longs  # (4, 5): the same of the other rectangle
    radii: Longs  # the squares of radii where arcs may change their order


@part
def _quadrants(u: Any, v: Any, kind: Any, scale: Any, found: Any) -> Any:
    """Cut a part along the axes; write each fragment, rotated into the first quadrant, and return their number."""
    count = 0
    wide = scale.cube if u & 1 == kind else scale.gap
    tall = scale.cube if v & 1 == kind else scale.gap
    if wide == 0 or tall == 0:
        return count
    x, y = u * scale.half, v * scale.half
    left, right, low, high = x - wide, x + wide, y - tall, y + tall
    for quadrant in range(4):
        if right > 0 and high > 0:
            found[count, 0] = quadrant
            found[count, 1] = max(left, 0)
            found[count, 2] = right
            found[count, 3] = max(low, 0)
            found[count, 4] = high
            count += 1
        left, right, low, high = low, high, -right, -left
    return count


@part
def _first(own: Any, twice: Any) -> Any:
    """Return twice the squared second coordinate where a circle enters a part, counterclockwise; ``twice`` is twice the squared radius."""
    low = 2 * own[3] * own[3]
    return low if twice <= low + 2 * own[2] * own[2] else twice - 2 * own[2] * own[2]


@part
def _last(own: Any, twice: Any) -> Any:
    """Return the same where a circle leaves a part."""
    high = 2 * own[4] * own[4]
    return high if twice > high + 2 * own[1] * own[1] else twice - 2 * own[1] * own[1]


@part
def _put_in_order(radii: Any, count: Any) -> None:
    for i in range(1, count):
        value = radii[i]
        k = i
        while k > 0 and radii[k - 1] > value:
            radii[k] = radii[k - 1]
            k -= 1
        radii[k] = value


@part
def _come_together(one: Any, other: Any, radii: Any) -> Any:
    """Return True if a fragment of the turned part and one of the other part meet on some circle."""
    low = max(one[1] * one[1] + one[3] * one[3], other[1] * other[1] + other[3] * other[3])
    high = min(one[2] * one[2] + one[4] * one[4], other[2] * other[2] + other[4] * other[4])
    if low >= high:
        return False
    radii[0], radii[1] = low, high
    count = 2
    for i in range(8):
        v = one[1 + i] if i < 4 else other[i - 3]
        for k in range(8):
            w = one[1 + k] if k < 4 else other[k - 3]
            if low < v * v + w * w < high:
                radii[count] = v * v + w * w
                count += 1
    _put_in_order(radii, count)
    for i in range(count - 1):
        twice = radii[i] + radii[i + 1]
        if radii[i] == radii[i + 1]:
            continue
        begins, ends = _first(one, twice), _last(one, twice)
        enters, leaves = _first(other, twice), _last(other, twice)
        for around in (0, 4):
            quadrants = other[0] + around - one[0]
            after = quadrants > 0 or (quadrants == 0 and leaves > begins)
            before = quadrants < 1 or (quadrants == 1 and enters < ends)
            if after and before:
                return True
    return False


@part
def _meet(x: Any, y: Any, u: Any, v: Any, kind: Any, scale: Any, corner: Any) -> Any:
    """Return True if a part at (x, y) that turns counterclockwise by up to a quarter about (0, 0) meets a part at (u, v)."""
    ones = _quadrants(x, y, kind, scale, corner.one)
    others = _quadrants(u, v, kind, scale, corner.other)
    for i in range(ones):
        for k in range(others):
            if _come_together(corner.one[i], corner.other[k], corner.radii):
                return True
    return False


@compiled
def fill_sweeps(scale: Any, sweeps: Any, corner: Any) -> Any:
    """Compute the parts that each part meets; return their number, the larger one of the two kinds of axes.

    If it exceeds the room in ``sweeps.part``, the caller must repeat the call with more room.
    """
    reach, most = sweeps.reach, 0
    for kind in range(2):
        count, number = 0, 0
        for x in range(reach + 1):
            for y in range(reach + 1):
                far = np.sqrt(np.float64(x * x + y * y))
                for u in range(-reach, reach + 1):
                    for v in range(-reach, reach + 1):
                        if abs(np.sqrt(np.float64(u * u + v * v)) - far) > NEAR:
                            continue
                        if _meet(x, y, u, v, kind, scale, corner):
                            if count < sweeps.part.shape[1]:
                                sweeps.part[kind, count, 0] = u
                                sweeps.part[kind, count, 1] = v
                            count += 1
                number += 1
                sweeps.start[kind, number] = count
        most = max(most, count)
    return most
