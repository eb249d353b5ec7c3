"""Where BurrTools' files put a piece: at x, y, z, in the turn with a number.

A shape is turned about its hotspot, which comes to lie at x, y, z. What is turned are voxels, as the pictures of the grids have them:
for cubes, rhombic tetrahedra and tetrahedra with octahedra these themselves, for prisms their middles. Balls are turned exactly onto other
balls, or that is no turn of the piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

Voxel = tuple[int, int, int]
Matrix = tuple[tuple[int, ...], ...]
CUBE, PRISMS, BALLS, RHOMBIC, TETRA_OCTA = range(5)
"""The numbers of the grids."""
TWICE_MIDDLE = {RHOMBIC: 4, TETRA_OCTA: 5}
"""Twice the coordinates of a point about which all turns take the grid to itself."""
SCALE = 6
"""Matrices are multiplied by this, so that they are whole."""
UNPLACED = "x"
"""What stands for a piece that is not used."""

OF_CUBES = "xyz xZy xYZ xzY Zyx YZx zYx yzx XyZ XZY XYz Xzy zyX yZX ZYX YzX Yxz zxy yxZ ZxY yXz ZXy YXZ zXY"  # the image of x, y, z
OF_BALLS = "xyz zYx Yxz yzx XYz Zyx yXz YZx zxy xzY Xzy ZxY ZXy XZY xZy zXY zyX xYZ YzX yxZ ZYX XyZ yZX YXZ"
BETWEEN = """
122ZI2 2Z121Z 1Z22IZ 221Z12 IZ2212 12ZZ21 I2ZZ12 1Z2221 1ZZ2I2 22IZ1Z 12ZZIZ 2ZI212 I22Z1Z 1ZZ22I IZZ21Z 122Z2I
21212Z 12Z212 21Z122 12221Z 2I2I22 1ZZZ1Z 2IZI2Z 1Z2Z12 ZZ12I2 Z1ZZZ1 Z1Z1ZZ 2I222I I22ZZ1 ZZ1I22 22II22 1ZZZZ1
22I1ZZ ZZ11ZZ I2222I ZZ1Z1Z I222I2 2I2ZZ1 Z1ZI22 22I2I2 Z1Z22I 2I21ZZ Z21IZ2 ZIZIZ2 2ZI12Z IZ22ZI 212Z21 Z21212
ZIZZ21 ZIZ2ZI 2ZIZIZ Z21ZIZ 2122ZI Z2112Z 212IZ2 IZ2Z21 2ZIIZ2 ZIZ12Z 12Z2ZI IZ2ZIZ ZI22Z1 Z2IZI2 ZI2IZZ 21ZZ2I
2Z1122 1222Z1 IZZ2Z1 Z2I122 Z2IIZZ IZZZ2I 2Z1IZZ 2Z1ZI2 21Z2Z1 ZI2122 Z2I21Z IZZZI2 ZI2Z2I 21ZIZZ Z121Z2 2IZ221
ZZI2IZ Z12ZZI 2211Z2 ZZI1Z2 I2Z221 I2ZZZI ZZII2Z 221I2Z 1Z2ZZI 2212IZ Z12221 2IZ1Z2 ZZIZ12 I2Z2IZ 2IZZZI Z12I2Z
"""
"""The turns of balls that take some between the others: the first two rows in thirds, I for -1 and Z for -2."""
THIRDS = {"1": 1, "2": 2, "I": -1, "Z": -2}


@cache
def turns(kind: int) -> tuple[Matrix, ...]:
    """Return the turns of a grid in the order of their numbers, as matrices for voxels; none of them mirrors."""
    if kind == PRISMS:
        sixth: Matrix = ((3, -9, 0), (3, 3, 0), (0, 0, 6))
        found = [_letters("xyz")]
        for _ in range(5):
            found.append(_product(sixth, found[-1]))
        return (*found, *(_product(turn, _letters("XyZ")) for turn in found))
    if kind == BALLS:
        return (*map(_letters, OF_BALLS.split()), *map(_between, BETWEEN.split()))
    return tuple(map(_letters, OF_CUBES.split()))


def _letters(image: str) -> Matrix:
    return tuple(tuple(SCALE * ((axis == letter) - (axis == letter.lower() != letter)) for axis in "xyz") for letter in image)


def _between(rows: str) -> Matrix:
    a, b = (tuple(THIRDS[c] * SCALE // 3 for c in row) for row in (rows[:3], rows[3:]))
    return a, b, tuple((a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2]) // SCALE for i in range(3))


def _product(one: Matrix, other: Matrix) -> Matrix:
    return tuple(tuple(sum(a * b for a, b in zip(row, column, strict=True)) // SCALE for column in zip(*other, strict=True)) for row in one)


def _turned(turn: Matrix, x: int, y: int, z: int) -> Voxel:
    """The image of a point, multiplied by ``SCALE``."""
    (a, b, c), (d, e, f), (g, h, i) = turn
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


def images(kind: int, turn: Matrix, voxels: Sequence[Voxel], hotspot: Voxel) -> tuple[list[Voxel], Voxel] | None:
    """Return where voxels, and a hotspot, come to lie by a turn, up to a common move; None where balls would lie between the others.

    The least voxel goes to 0, 0, 0; not so that of prisms, where a place is of one of two kinds.
    """
    if kind == PRISMS:
        moved = [_prism(turn, *v) for v in (*voxels, hotspot)]
        return moved[:-1], moved[-1]
    x, y, z = min(voxels)
    found = [_turned(turn, v[0] - x, v[1] - y, v[2] - z) for v in voxels]
    if any(c % SCALE for v in found for c in v):
        return None
    whole = [(a // SCALE, b // SCALE, c // SCALE) for a, b, c in found]
    a, b, c = _turned(turn, hotspot[0] - x, hotspot[1] - y, hotspot[2] - z)
    return whole, (round(a / SCALE), round(b / SCALE), round(c / SCALE))


def _prism(turn: Matrix, x: int, y: int, z: int) -> Voxel:
    """The prism whose middle is the image of that of another: half a side is a column, and the height of the triangle a row."""
    a, b, c = _turned(turn, 3 * (x + 1), 3 * y + 1 + (x + y) % 2, 3 * z)
    return a // (3 * SCALE) - 1, b // (3 * SCALE), c // (3 * SCALE)


def _in_grid(kind: int, turn: Matrix, first: Voxel, move: Voxel) -> bool:
    """Tell whether images that are moved so lie in the grid as the voxels do, each at a place of its own kind."""
    if kind in (CUBE, BALLS):
        return True
    if kind == PRISMS:
        return (move[0] + move[1]) % 2 == 0
    middle = TWICE_MIDDLE[kind]
    home = _turned(turn, *(2 * v - middle for v in first))
    over = [m - (h // SCALE + middle) // 2 for m, h in zip(move, home, strict=True)]
    return all(c % 5 == 0 for c in over) if kind == RHOMBIC else all(c % 3 == 0 for c in over) and sum(over) % 2 == 0


def lying(kind: int, shape: Iterable[Voxel], hotspot: Voxel, at: Voxel, number: int) -> list[Voxel] | None:
    """Return the voxels of a shape that lies somewhere in a turn, in the order given; None where there are no such places."""
    voxels = list(shape)
    found = images(kind, turns(kind)[number], voxels, hotspot)
    if found is None:
        return None
    moved, spot = found
    return [(x + at[0] - spot[0], y + at[1] - spot[1], z + at[2] - spot[2]) for x, y, z in moved]


def laid(kind: int, shape: Mapping[Voxel, str], hotspot: Voxel, there: Mapping[Voxel, str]) -> tuple[Voxel, int] | None:
    """Return where the hotspot of a shape lies, and the least number of a turn, if it is to cover some voxels in their colours."""
    voxels = list(shape)
    low = [min(axis) for axis in zip(*there, strict=True)]
    for number, turn in enumerate(turns(kind)):
        found = images(kind, turn, voxels, hotspot)
        if found is None:
            continue
        moved, spot = found
        x, y, z = (low[i] - min(axis) for i, axis in enumerate(zip(*moved, strict=True)))
        image = {(a + x, b + y, c + z): shape[v] for (a, b, c), v in zip(moved, voxels, strict=True)}
        if image == there and _in_grid(kind, turn, min(voxels), (x, y, z)):
            return (spot[0] + x, spot[1] + y, spot[2] + z), number
    return None
