"""The same numbers once more, by code that shares nothing with the diagram: by products of tables, and by sets of cubes that do not meet.

Once the owners of all cubes that three rods or more share are said, each other cube lies between two rods. Every rod is then a table of
noughts and ones with an axis for each of these, and the number of assemblies is the sum of the products: a contraction of tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import product
from math import prod
from operator import or_
from typing import Any

import numpy as np

from puzzlesat.arrays import Longs, Reals
from puzzlesat.burrs.burr import NOBODY, Burr, Cube, Motion
from puzzlesat.errors import NotSupportedError
from puzzlesat.progress import SHARE, SILENT, Progress

EXACT = 2.0**53
"""Sums of whole numbers below it are exact in floating point."""
MOST_AXES = 50


def contracted(burr: Burr, progress: Progress = SILENT) -> int:
    """Return the number of assemblies. Raises NotSupportedError where they are too many, or the cubes are."""
    of_many = [cube for cube, owners in burr.owners.items() if len(owners) > 2]
    axis = {cube: i for i, cube in enumerate(cube for cube, owners in burr.owners.items() if len(owners) == 2)}
    if len(axis) > MOST_AXES:
        raise NotSupportedError(f"more than {MOST_AXES} cubes lie between two rods")
    tables = [_tables(burr, i) for i in range(len(burr.rods))]
    axes = [[axis[cube] for cube in rod.shared if cube in axis] for rod in burr.rods]
    path = np.einsum_path(*_operands([_first(table) for table in tables], axes), [], optimize=("greedy", 1 << 24))[0]
    choices = [(*burr.owners[cube], *(() if burr.solid else (NOBODY,))) for cube in of_many]
    count, every = 0, prod(map(len, choices))
    for done, owners in enumerate(product(*choices)):
        owner = dict(zip(of_many, owners, strict=True))
        parts = [table.get(frozenset(c for c, o in owner.items() if o == i)) for i, table in enumerate(tables)]
        if done % 256 == 0:
            progress.of("confirming")({"parts": done, SHARE: 10**6 * done // every})
        if any(part is None for part in parts):
            continue
        found = float(np.einsum(*_operands(parts, axes), [], optimize=path))
        if found >= EXACT:
            raise NotSupportedError("a sum of products is too large to be exact")
        count += int(found)
    return count


def _first(table: dict[frozenset[Cube], Reals]) -> Reals:
    return next(iter(table.values()))


def _operands(parts: Sequence[Any], axes: Sequence[list[int]]) -> list[Any]:
    """The tables, each with its axes; those with no cube between two rods are a single number in a row."""
    return [operand for part, own in zip(parts, axes, strict=True) for operand in (part, own or [MOST_AXES])]


def _tables(burr: Burr, number: int) -> dict[frozenset[Cube], Reals]:
    """For each set of cubes that many rods share and this one keeps: the table of which cubes it may keep of those that two share.

    Of two rods the first one looks at its cube from the other side: how often may it be kept where the other keeps it, or does not?
    """
    rod = burr.rods[number]
    of_two = [i for i, cube in enumerate(rod.shared) if len(burr.owners[cube]) == 2]
    found: dict[frozenset[Cube], Reals] = {}
    for kept in rod.kept:
        of_many = frozenset(c for i, c in enumerate(rod.shared) if kept >> i & 1 and len(burr.owners[c]) > 2)
        table = found.setdefault(of_many, np.zeros((2,) * len(of_two)))
        table[tuple(kept >> i & 1 for i in of_two)] = 1
    meeting = np.array([[0.0 if burr.solid else 1.0, 1.0], [1.0, 0.0]])
    for key, table in found.items():
        for place, i in enumerate(of_two):
            if burr.owners[rod.shared[i]][0] == number:
                table = np.moveaxis(np.tensordot(table, meeting, axes=(place, 0)), -1, place)
        found[key] = np.ascontiguousarray(table)
    return found


def unchanged(burr: Burr, motion: Motion) -> int:
    """Return how many assemblies a motion leaves as they are: sets of cubes, one of each orbit of rods, that do not meet."""
    bit = {cube: 1 << i for i, cube in enumerate(burr.owners)}
    if len(bit) > 63:
        raise NotSupportedError("more than 63 cubes are shared")
    orbits = [np.array(sorted(_unions(burr, motion, first, bit)), dtype=np.int64) for first in _firsts(motion)]
    orbits.sort(key=len)
    return _disjoint(orbits, 0, (1 << len(bit)) - 1 if burr.solid else None)


def _firsts(motion: Motion) -> Iterator[int]:
    """One rod of each orbit."""
    seen: set[int] = set()
    for rod in range(len(motion.rods)):
        if rod not in seen:
            yield rod
        while rod not in seen:
            seen.add(rod)
            rod = motion.rods[rod]


def _unions(burr: Burr, motion: Motion, first: int, bit: dict[Cube, int]) -> Iterator[int]:
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
