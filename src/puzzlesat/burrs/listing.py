"""The assemblies of a burr in which something can move, one of each class of turned and mirrored copies, listed part by part.

No part knows of another. A class of copies may be in several; it is listed in one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from puzzlesat.arrays import Owners
from puzzlesat.burrs.burr import NOBODY, Burr
from puzzlesat.burrs.diagram import Diagram, diagram_of
from puzzlesat.burrs.kernel import Copies, Flat, Place, list_first
from puzzlesat.burrs.movable import Way, lines_of, ways_of
from puzzlesat.progress import SHARE, SILENT, Progress

PART, LARGE_PART = 1 << 19, 1 << 21
"""Numbers of a diagram that are gone through in a part: seconds of work, or about two minutes where there are many parts."""
MANY = 1 << 33
"""Numbers above which parts are large."""
AT_ONCE = 1 << 16
"""Numbers between two looks at the clock."""
ROOM = 1 << 12
"""Assemblies that are listed at a time."""


@dataclass(frozen=True)
class Part:
    """Some assemblies of one of the diagrams, by their numbers there. The same assembly may be in several parts; it is listed in one."""

    number: int
    diagram: int
    first: int
    last: int


@dataclass(frozen=True)
class Listing:
    """The diagrams of all moves of a burr, one for moves that motions take to each other."""

    burr: Burr
    ways: Mapping[Way, Sequence[Way]]
    """With what motions take them to."""
    totals: tuple[int, ...]
    """How many assemblies each diagram has, copies and all."""

    laid: dict[int, tuple[Flat, Copies]] = field(default_factory=dict)
    """The diagram that was needed last."""

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All parts."""
        size = PART if sum(self.totals) < MANY else LARGE_PART
        ranges = [(i, first, min(first + size, total)) for i, total in enumerate(self.totals) for first in range(0, total, size)]
        return tuple(Part(number, *each) for number, each in enumerate(ranges))

    def assemblies(self, part: Part, progress: Progress = SILENT) -> Iterator[Owners]:
        """Yield the assemblies of a part in which something can move, each that is the first of its copies, some at a time."""
        if part.diagram not in self.laid:
            self.laid.clear()
            self.laid[part.diagram] = _laid(self.burr, self.ways, part.diagram)
        flat, copies = self.laid[part.diagram]
        place, number = _new_place(self.burr, flat), part.first
        found = np.zeros((ROOM, len(self.burr.owners)), dtype=np.int8)
        while number < part.last:
            progress.of("listing")({"assemblies": number - part.first})
            last = min(part.last, number + AT_ONCE)
            number, count = list_first(flat, copies, place, part.diagram, number, last, found)
            if count:
                yield found[:count].copy()


def listing_of(burr: Burr, progress: Progress = SILENT) -> Listing:
    """Count the assemblies in which something can move, by the moves."""
    ways, totals = ways_of(burr), list[int]()
    for axis, group in ways:
        progress.of("listing")({"diagrams": len(totals), SHARE: 10**6 * len(totals) // len(ways)})
        totals.append(diagram_of(burr, lines_of(burr, axis, group)).total)
    return Listing(burr, ways, tuple(totals))


def _laid(burr: Burr, ways: Mapping[Way, Sequence[Way]], number: int) -> tuple[Flat, Copies]:
    """A diagram, and what tells whether one of its assemblies is the first of its copies."""
    (axis, group), images = [*ways.items()][number]
    diagram = diagram_of(burr, lines_of(burr, axis, group))
    column = {cube: i for i, cube in enumerate(burr.owners)}
    column |= {cube: len(burr.owners) + i for i, rod in enumerate(burr.rods) for cube in rod.own}
    beside = [{(column[cube], column[after]) for cube in column if (after := _after(cube, axis)) in column} for axis in range(3)]
    first = np.full((3, 1 << len(burr.rods)), -1, dtype=np.int32)
    for i, those in enumerate(ways.values()):
        for at, rods in those:
            first[at, _bits(rods)] = i
    return _flat(diagram), Copies(
        beside_at=np.cumsum([0, *map(len, beside)]),
        beside=np.array([pair for pairs in beside for pair in sorted(pairs)], dtype=np.int32).reshape(-1, 2),
        first=first,
        cube=np.array([[column[motion.cubes[cube]] for cube in burr.owners] for motion in burr.motions], dtype=np.int32),
        rod=np.array([np.argsort(motion.rods) for motion in burr.motions], dtype=np.int8),
        axis=np.array([at for at, _ in images], dtype=np.int64),
        group=np.array([_bits(rods) for _, rods in images], dtype=np.int64),
    )


def _after(cube: tuple[int, int, int], axis: int) -> tuple[int, int, int]:
    x, y, z = (c + 2 if a == axis else c for a, c in enumerate(cube))
    return x, y, z


def _bits(rods: frozenset[int]) -> int:
    return sum(1 << rod for rod in rods)


def _flat(diagram: Diagram) -> Flat:
    column = {cube: i for i, cube in enumerate(diagram.burr.owners)}
    blocks, steps, ways = diagram.blocks, diagram.steps, diagram.ways
    cubes = [[column[cube] for cube, _ in block[0]] for block in blocks]
    return Flat(
        nodes=np.array([*map(len, ways)], dtype=np.int64),
        choices=np.array([*map(len, blocks)], dtype=np.int64),
        step_at=np.cumsum([0, *(step.size for step in steps)])[:-1],
        step=np.concatenate([step.reshape(-1) for step in steps]),
        ways_at=np.cumsum([0, *map(len, ways)])[:-1],
        ways=np.concatenate(ways),
        cube_at=np.cumsum([0, *map(len, cubes)]),
        cube=np.array([cube for some in cubes for cube in some], dtype=np.int32),
        owner_at=np.cumsum([0, *(len(block) * len(block[0]) for block in blocks)])[:-1],
        owner=np.array([owner for block in blocks for choice in block for _, owner in choice], dtype=np.int8),
    )


def _new_place(burr: Burr, flat: Flat) -> Place:
    """Nowhere yet: all numbers come after what is behind the first node."""
    blocks = len(flat.choices)
    begin = np.full(blocks + 1, np.iinfo(np.int64).min, dtype=np.int64)
    begin[0] = 0
    owner = np.array([NOBODY] * len(burr.owners) + [*range(len(burr.rods))], dtype=np.int8)
    return Place(np.zeros(blocks + 1, dtype=np.int64), begin, owner, np.zeros((3, len(burr.rods)), dtype=np.int64))
