"""What a part of a piece sweeps in a quarter turn, decided in whole numbers: compiled.

A layer of a piece consists of cubes, which a bevel makes smaller, of bridges between two cubes side by side, and of what lies amid four.
All these are rectangles.

A rectangle P that is turned by all angles from 0 to 90 degrees about a point meets a rectangle Q if, on some circle about that point, an
arc of P and one of Q come together. An arc ends where its circle leaves a rectangle, which is on the line of a side. Two ends can change
their order only where such lines cross: all are parallel to the axes, before and after a quarter turn, so the squares of these radii are
rational. Between two of them nothing changes, and one circle decides. On it a point of the first quadrant is told by the square of its
second coordinate, which is rational as well.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Ints, Longs
from puzzlesat.kernels import compiled, part

# mypy: allow-untyped-calls


NEAR = 3.0
"""Two parts whose centres are further than that from being equally far from the point, in half edges, do not meet."""


class Sweeps(NamedTuple):
    """Of each part that is turned: the parts it meets. For turns about the middle of a cube, and about an edge.

    Parts are told by where they lie in half edges, as seen from the axis. A coordinate is that of a cube if it is even, in turns about the
    middle of one, or odd, in turns about an edge; else it is amid two cubes. No coordinate of those that are turned is less than 0: what
    other parts meet is the same, turned by quarters.
    """

    reach: Any  # coordinates go up to that
    start: Ints  # (2, parts + 1)
    part: Ints  # (2, most, 2)


class Scale(NamedTuple):
    """Lengths in whole numbers."""

    half: Any  # half an edge
    cube: Any  # how far a cube reaches to each side
    gap: Any  # how far a bridge between two cubes does


class Corner(NamedTuple):
    """Room for what is known of two rectangles."""

    one: Longs  # (4, 5): a quadrant, and from where to where it goes there, turned into the first quadrant
    other: Longs
    radii: Longs  # the squares of radii where arcs may change their order


@part
def _quadrants(u: Any, v: Any, kind: Any, scale: Any, found: Any) -> Any:
    """Cut a part along the axes: write each piece, turned into the first quadrant, and return how many there are."""
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
    """Where a circle enters a part, counterclockwise: twice the square of the second coordinate. ``twice`` is that of the radius."""
    low = 2 * own[3] * own[3]
    return low if twice <= low + 2 * own[2] * own[2] else twice - 2 * own[2] * own[2]


@part
def _last(own: Any, twice: Any) -> Any:
    """Where a circle leaves a part."""
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
    """Whether a piece of a part that is turned, and one of another part, meet on some circle."""
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
    """Whether a part at (x, y) that is turned counterclockwise by up to a quarter about (0, 0) meets one at (u, v)."""
    ones = _quadrants(x, y, kind, scale, corner.one)
    others = _quadrants(u, v, kind, scale, corner.other)
    for i in range(ones):
        for k in range(others):
            if _come_together(corner.one[i], corner.other[k], corner.radii):
                return True
    return False


@compiled
def fill_sweeps(scale: Any, sweeps: Any, corner: Any) -> Any:
    """Find out what each part meets, and return the most parts that there are for one kind of axis.

    Where that is more than there is room for, begin anew with more.
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
