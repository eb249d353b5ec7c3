"""What a square sweeps in a quarter turn, decided in whole numbers: compiled.

A square P that is turned by all angles from 0 to 90 degrees about a point meets a square Q if, on some circle about that point, an arc of
P and one of Q come together. An arc ends where its circle leaves a square, which is on the line of a side. Two ends can change their order
only where such lines cross: all are parallel to the axes, before and after a quarter turn, so the squares of these radii are rational.
Between two of them nothing changes, and one circle decides. On it a point of the first quadrant is told by the square of its second
coordinate, which is rational as well.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.arrays import Ints, Longs
from puzzlesat.check.kernels import compiled, part

NEAR = 1.5
"""Two squares whose centres are further than that from being equally far from the point do not meet."""


class Sweeps(NamedTuple):
    """Of each cell of a square that is turned: the cells it meets. For turns about the corner of a cell, and about the middle of one."""

    reach: Any  # cells are numbered from -reach to reach in both coordinates
    start: Ints  # (2, cells + 1)
    cell: Ints  # (2, most, 2)


class Corner(NamedTuple):
    """Room for what is known of two squares."""

    one: Longs  # (4, 5): a quadrant, and from where to where it goes there, turned into the first quadrant
    other: Longs
    radii: Longs  # the squares of radii where arcs may change their order


@part
def _quadrants(x: Any, y: Any, half: Any, found: Any) -> Any:
    """Cut a square along the axes: write each part, turned into the first quadrant, and return how many there are."""
    count = 0
    left, right, low, high = x - half, x + half, y - half, y + half
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
    """Whether a part of a square that is turned, and one of another square, meet on some circle."""
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
def _meet(x: Any, y: Any, u: Any, v: Any, half: Any, corner: Any) -> Any:
    """Whether a square about (x, y) that is turned counterclockwise by up to a quarter about (0, 0) meets one about (u, v)."""
    ones = _quadrants(x, y, half, corner.one)
    others = _quadrants(u, v, half, corner.other)
    for i in range(ones):
        for k in range(others):
            if _come_together(corner.one[i], corner.other[k], corner.radii):
                return True
    return False


@compiled
def fill_sweeps(unit: Any, half: Any, sweeps: Any, corner: Any) -> Any:
    """Find out what each cell meets. Cells are ``unit`` wide, an even number, and the squares in them reach ``half`` to each side.

    Returns the most cells that there are for one kind of centre; where that is more than there is room for, begin anew with more.
    """
    reach, most = sweeps.reach, 0
    for kind in range(2):
        count, number = 0, 0
        shift = kind * unit // 2  # 0: about the middle of a cell; 1: about a corner
        for i in range(-reach, reach + 1):
            for j in range(-reach, reach + 1):
                x, y = unit * i + shift, unit * j + shift
                far = np.sqrt(np.float64(x * x + y * y))
                for a in range(-reach, reach + 1):
                    for b in range(-reach, reach + 1):
                        u, v = unit * a + shift, unit * b + shift
                        if abs(np.sqrt(np.float64(u * u + v * v)) - far) > NEAR * unit:
                            continue
                        if _meet(x, y, u, v, half, corner):
                            if count < sweeps.cell.shape[1]:
                                sweeps.cell[kind, count, 0] = a
                                sweeps.cell[kind, count, 1] = b
                            count += 1
                number += 1
                sweeps.start[kind, number] = count
        most = max(most, count)
    return most
