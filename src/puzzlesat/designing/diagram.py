"""All assemblies of a burr as the ways through a diagram, cube after cube: counted without listing, and each found by its number.

For each rod, what it has kept so far is a state of the smallest automaton that accepts what it may keep. States of all rods together are
the nodes of a layer.

How many assemblies a burr has: all, and up to symmetry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from puzzlesat.base import SHARE, SILENT, Ints, Longs, NotSupportedError, Owners, Progress
from puzzlesat.designing.burr import NOBODY, Burr, Cube, Motion, Rod

Choice = tuple[tuple[Cube, int], ...]
"""Some cubes, each with its owner."""
Block = Sequence[Choice]
"""What is decided at a time: each choice gives owners to the same cubes, in the same order."""
MOST_NODES = 20_000_000
"""Of a layer."""
MOST = 2.0**62
"""Assemblies, above which 64 bits do not hold their number."""


def blocks_of(burr: Burr, motion: Motion | None = None) -> list[Block]:
    """Return what is to be decided: the owner of each cube; with a motion, those of all cubes that it takes to each other."""
    blocks: list[Block] = []
    done: set[Cube] = set()
    for cube, owners in burr.owners.items():
        if cube not in done:
            choices = [orbit_of(cube, owner, motion) for owner in (*owners, *(() if burr.solid else (NOBODY,)))]
            blocks.append([choice for choice in choices if choice is not None])
            done.update(_orbit(cube, motion))
    return blocks


def _orbit(cube: Cube, motion: Motion | None) -> Iterator[Cube]:
    yield cube
    image = motion.cubes[cube] if motion is not None else cube
    while motion is not None and image != cube:
        yield image
        image = motion.cubes[image]


def orbit_of(cube: Cube, owner: int, motion: Motion | None) -> Choice | None:
    """Return the owners of a cube and of its images where the motion changes nothing; None where that cannot be."""
    found = []
    first = owner
    for each in _orbit(cube, motion):
        found.append((each, owner))
        owner = owner if motion is None or owner == NOBODY else motion.rods[owner]
    return tuple(found) if owner == first else None


@dataclass(frozen=True)
class Diagram:
    """A layer of nodes before each block, and one node behind the last."""

    burr: Burr
    blocks: Sequence[Block]
    steps: Sequence[Ints]
    """For each block an array (choices, nodes): to which node of the next layer each choice leads; -1: to none."""

    @cached_property
    def ways(self) -> list[Longs]:
        """For each layer, in how many ways each node is completed. Raises NotSupportedError where there are too many."""
        ways, about = [np.ones(1, dtype=np.int64)], np.ones(1)
        for step in reversed(self.steps):
            ways.append(np.where(step >= 0, ways[-1][step], 0).sum(axis=0))
            about = np.where(step >= 0, about[step], 0.0).sum(axis=0)
        if about.max(initial=0.0) > MOST:
            raise NotSupportedError(f"there are about {about.max():.3g} assemblies; more than {MOST:.3g} cannot be counted")
        return ways[::-1]

    @property
    def total(self) -> int:
        """How many assemblies there are."""
        return int(self.ways[0][0])

    def numbered(self, numbers: Longs) -> Owners:
        """Return the assemblies with these numbers, from 0."""
        column = {cube: i for i, cube in enumerate(self.burr.owners)}
        found = np.empty((len(numbers), len(column)), dtype=np.int8)
        node, rest = np.zeros(len(numbers), dtype=np.int64), numbers.copy()
        for block, step, ways in zip(self.blocks, self.steps, self.ways[1:], strict=False):  # fewer steps where there is no assembly
            open_, at = np.ones(len(numbers), dtype=np.bool_), node.copy()
            for choice, to in zip(block, step, strict=True):
                behind = to[at]
                many = np.where(behind >= 0, ways[behind], 0)
                taken = open_ & (rest < many)
                rest = np.where(open_ & ~taken, rest - many, rest)
                node = np.where(taken, behind, node)
                found[np.ix_(taken, [column[cube] for cube, _ in choice])] = [owner for _, owner in choice]
                open_ &= ~taken
        return found


def diagram_of(burr: Burr, blocks: Sequence[Block]) -> Diagram:
    """Lay out all assemblies that these blocks allow."""
    order = [cube for block in blocks for cube, _ in (block[0] if block else ())]
    automata = [_automaton(rod, order) for rod in burr.rods]
    width = [max(map(len, automaton), default=0).bit_length() for automaton in automata]
    if sum(width) > 63:
        raise NotSupportedError("the rods are too many, or may keep too many different sets of cubes")
    shift = np.cumsum([0, *width])
    read = [0] * len(burr.rods)
    nodes, steps = np.zeros(1, dtype=np.int64), []
    for block in blocks:
        reached = [_led(nodes, choice, burr, automata, read, shift) for choice in block]
        for cube, _ in block[0] if block else ():
            for rod in burr.owners[cube]:
                read[rod] += 1
        behind = np.unique(np.concatenate([*(r[r >= 0] for r in reached), nodes[:0]]))
        if len(behind) > MOST_NODES:
            raise NotSupportedError(f"the count needs more than {MOST_NODES:,} states at a time")
        places = [np.where(r >= 0, np.searchsorted(behind, r), -1) for r in reached]
        steps.append(np.array(places, dtype=np.int32).reshape(len(block), len(nodes)))
        if not len(behind):
            break  # no assembly, and no step leads to the node behind
        nodes = behind
    return Diagram(burr, blocks, steps)


def _led(nodes: Longs, choice: Choice, burr: Burr, automata: Sequence[list[Ints]], read: Sequence[int], shift: Longs) -> Longs:
    """To which states a choice leads; -1: to none."""
    now, seen, alive = nodes, list(read), np.ones(len(nodes), dtype=np.bool_)
    for cube, owner in choice:
        for rod in burr.owners[cube]:
            state = now >> shift[rod] & ((1 << int(shift[rod + 1] - shift[rod])) - 1)
            following = automata[rod][seen[rod]][np.where(alive, state, 0), int(rod == owner)]
            alive = alive & (following >= 0)
            now = np.where(alive, now + ((following - state) << shift[rod]), 0)
            seen[rod] += 1
    return np.where(alive, now, -1)


def _automaton(rod: Rod, order: Sequence[Cube]) -> list[Ints]:
    """For each cube of a rod, in this order, an array (states, 2): the state that follows if the cube is lost, or kept; -1: none."""
    bits = [rod.shared.index(cube) for cube in order if cube in rod.shared]
    accepted = frozenset(sum((kept >> bit & 1) << i for i, bit in enumerate(bits)) for kept in rod.kept)
    layer, found = {accepted: 0}, []
    for _ in bits:
        following: dict[frozenset[int], int] = {}
        table = np.full((len(layer), 2), -1, dtype=np.int32)
        for words, state in layer.items():
            for kept in (0, 1):
                if rest := frozenset(word >> 1 for word in words if word & 1 == kept):
                    table[state, kept] = following.setdefault(rest, len(following))
        layer = following
        found.append(table)
    return found


@dataclass(frozen=True)
class Assemblies:
    """The numbers of assemblies."""

    fixed: tuple[int, ...]
    """How many each motion of the burr leaves unchanged, that of the identity first, which are all."""

    @property
    def all(self) -> int:
        """All assemblies."""
        return self.fixed[0]

    @property
    def distinct(self) -> int:
        """Assemblies up to the motions of the burr."""
        return sum(self.fixed) // len(self.fixed)


def assemblies_of(burr: Burr, progress: Progress = SILENT) -> Assemblies:
    """Count the assemblies of a burr."""
    fixed: list[int] = []
    for motion in burr.motions:
        progress.of("counting")({"symmetries": len(fixed), SHARE: 10**6 * len(fixed) // len(burr.motions)})
        fixed.append(diagram_of(burr, blocks_of(burr, motion)).total)
    return Assemblies(tuple(fixed))
