"""The same numbers once more, by code that shares nothing with the diagram: by products of tables, and by sets of cubes that do not meet.

Once the owners of all cubes that three rods or more share are said, each other cube lies between two rods. Every rod is then a table of
noughts and ones with an axis for each of these, and the number of assemblies is the sum of the products: a contraction of tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations, product
from math import prod
from operator import or_

import numpy as np

from puzzlesat.base import SHARE, SILENT, Longs, NotSupportedError, Progress, Reals
from puzzlesat.designing.burr import NOBODY, Burr, Cube, RodSymmetry

EXACT = 2.0**53
"""Sums of whole numbers below it are exact in floating point."""
MOST_AXES = 24
"""Of a product of tables, which has a number for each way to keep so many cubes, or not."""
MOST_CHOICES = 4_000_000
"""Of owners of the cubes that many rods share."""

Masks = Sequence[int]
"""For each rod, which of the cubes it keeps that many rods share, as bits."""


def contracted(burr: Burr, progress: Progress = SILENT) -> int:
    """Return the number of assemblies. Raises NotSupportedError where they are too many, or the cubes are."""
    of_many = [cube for cube, owners in burr.owners.items() if len(owners) > 2]
    top = _tree(burr, of_many)
    count = 0
    for done, masks in enumerate(rows := _all_masks(burr, of_many)):
        if done % 4096 == 0:
            progress.of("confirming")({"parts": done, SHARE: 10**6 * done // len(rows)})
        table = top.table(masks)
        if table is None:
            continue
        if (found := float(table)) >= EXACT:
            raise NotSupportedError("a sum of products is too large to be exact")
        count += int(found)
    return count


def _all_masks(burr: Burr, of_many: Sequence[Cube]) -> list[list[int]]:
    """What the rods keep, for each choice of owners of the cubes that many rods share."""
    choices = [(*burr.owners[cube], *(() if burr.solid else (NOBODY,))) for cube in of_many]
    if (number := prod(map(len, choices))) > MOST_CHOICES:
        raise NotSupportedError(f"there are {number:,} ways to give out the cubes that many rods share")
    owners = np.array([*product(*choices)], dtype=np.int8).reshape(number, len(of_many))
    bits = 1 << np.arange(len(of_many), dtype=np.int64)
    masks: list[list[int]] = np.stack([(owners == rod) @ bits for rod in range(len(burr.rods))], axis=1).tolist()
    return masks


class _Leaf:
    """The tables of a rod, and which cube each of their axes stands for."""

    def __init__(self, rod: int, axes: list[int], tables: dict[int, Reals]) -> None:
        self.rods: tuple[int, ...] = (rod,)
        self.axes, self.tables = axes, tables

    def table(self, masks: Masks) -> Reals | None:
        """Return the table of what the rod keeps; None where it cannot keep that."""
        return self.tables.get(masks[self.rods[0]])


class _Product:
    """The products of the tables of two nodes, summed over the cubes that lie between them. Each is made once."""

    def __init__(self, one: _Leaf | _Product, other: _Leaf | _Product) -> None:
        self.one, self.other = one, other
        self.rods: tuple[int, ...] = one.rods + other.rods
        both = [axis for axis in one.axes if axis in other.axes]
        self.summed = [one.axes.index(axis) for axis in both], [other.axes.index(axis) for axis in both]
        left = [axis for axis in (*one.axes, *other.axes) if axis not in both]
        self.axes: list[int] = sorted(left)
        self.order = sorted(range(len(left)), key=lambda i: left[i])
        self.known: dict[tuple[int, ...], Reals | None] = {}

    def table(self, masks: Masks) -> Reals | None:
        """Return the product for what the rods keep; None where one of them cannot keep that."""
        if not self.axes:  # nothing comes twice
            return self._made(masks)
        key = tuple([masks[rod] for rod in self.rods])
        if key not in self.known:
            self.known[key] = self._made(masks)
        return self.known[key]

    def _made(self, masks: Masks) -> Reals | None:
        one, other = self.one.table(masks), self.other.table(masks)
        if one is None or other is None:
            return None
        if self.one.axes == self.other.axes:
            return np.asarray(np.dot(one.reshape(-1), other.reshape(-1)))
        return np.array(np.tensordot(one, other, axes=self.summed).transpose(self.order), order="C")


def _tree(burr: Burr, of_many: Sequence[Cube]) -> _Leaf | _Product:
    """In which order tables are multiplied: those first of which the product has the fewest axes, and the fewest rods."""
    number = {cube: i for i, cube in enumerate(cube for cube, owners in burr.owners.items() if len(owners) == 2)}
    nodes: list[_Leaf | _Product] = [
        _Leaf(i, [number[cube] for cube in rod.shared if cube in number], _tables(burr, i, of_many)) for i, rod in enumerate(burr.rods)
    ]
    while len(nodes) > 1:
        best = min((_Product(*pair) for pair in combinations(nodes, 2)), key=lambda node: (len(node.axes), len(node.rods)))
        if len(best.axes) > MOST_AXES:
            raise NotSupportedError(f"the products of tables have more than {MOST_AXES} axes")
        nodes = [node for node in nodes if node not in (best.one, best.other)] + [best]
    return nodes[0]


def _tables(burr: Burr, number: int, of_many: Sequence[Cube]) -> dict[int, Reals]:
    """For each set of cubes that many rods share and this one keeps: the table of which cubes it may keep of those that two share.

    Of two rods the first one looks at its cube from the other side: how often may it be kept where the other keeps it, or does not?
    """
    rod = burr.rods[number]
    of_two = [i for i, cube in enumerate(rod.shared) if len(burr.owners[cube]) == 2]
    found: dict[int, Reals] = {}
    for kept in rod.kept:
        mask = sum(1 << of_many.index(cube) for i, cube in enumerate(rod.shared) if kept >> i & 1 and cube in of_many)
        table = found.setdefault(mask, np.zeros((2,) * len(of_two)))
        table[tuple(kept >> i & 1 for i in of_two)] = 1
    meeting = np.array([[0.0 if burr.solid else 1.0, 1.0], [1.0, 0.0]])
    for key, table in found.items():
        for place, i in enumerate(of_two):
            if burr.owners[rod.shared[i]][0] == number:
                table = np.moveaxis(np.tensordot(table, meeting, axes=(place, 0)), -1, place)
        found[key] = np.ascontiguousarray(table)
    return found


def unchanged(burr: Burr, motion: RodSymmetry) -> int:
    """Return how many assemblies a motion leaves as they are: sets of cubes, one of each orbit of rods, that do not meet."""
    bit = {cube: 1 << i for i, cube in enumerate(burr.owners)}
    if len(bit) > 63:
        raise NotSupportedError("more than 63 cubes are shared")
    orbits = [np.array(sorted(_unions(burr, motion, first, bit)), dtype=np.int64) for first in _firsts(motion)]
    orbits.sort(key=len)
    return _disjoint(orbits, 0, (1 << len(bit)) - 1 if burr.solid else None)


def _firsts(motion: RodSymmetry) -> Iterator[int]:
    """One rod of each orbit."""
    seen: set[int] = set()
    for rod in range(len(motion.rods)):
        if rod not in seen:
            yield rod
        while rod not in seen:
            seen.add(rod)
            rod = motion.rods[rod]


def _unions(burr: Burr, motion: RodSymmetry, first: int, bit: dict[Cube, int]) -> Iterator[int]:
    """The cubes that a rod and its images keep together, for each set that they may keep."""
    allowed = [{sum(bit[c] for i, c in enumerate(rod.shared) if kept >> i & 1) for kept in rod.kept} for rod in burr.rods]
    where = {bit[cube]: bit[image] for cube, image in motion.cubes.items()}
    for kept in allowed[first]:
        cubes, rod, images = kept, first, []
        while True:
            images.append(cubes)
            cubes = reduce(or_, (image for one, image in where.items() if one & cubes), 0)
            rod = motion.rods[rod]
            if rod == first:
                break
        union = reduce(or_, images)
        if cubes == kept and union.bit_count() == sum(image.bit_count() for image in images):
            yield union


def _disjoint(orbits: Sequence[Longs], used: int, whole: int | None) -> int:
    """In how many ways one set of each orbit can be taken so that no two meet; with a whole, so that they fill it."""
    free = [orbit[orbit & used == 0] for orbit in orbits]
    if len(free) == 1:
        return len(free[0]) if whole is None else int((free[0] | used == whole).sum())
    if len(free) == 2:
        one, other = free
        pairs = one[:, None] & other == 0
        return int((pairs if whole is None else pairs & (one[:, None] | other | used == whole)).sum())
    return sum(_disjoint(free[1:], used | int(cubes), whole) for cubes in free[0])
