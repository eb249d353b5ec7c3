"""All assemblies of a burr as the paths of a decision diagram, which counts them without listing and returns each by its number.

The diagram decides the owners of cubes, layer by layer. The sets of cubes that a rod may keep are the words of a minimal automaton; a node
of a layer is a tuple of states, one of each rod.

Assemblies in which nothing can move do not come apart. The others are listed part by part, one of each class of rotated and reflected
copies. A group of rods can go one step along an axis if and only if no rod outside the group is directly in front of it, on any line of
cubes along the axis. So for each axis and group, a diagram that decides line after line contains exactly these assemblies. The parts are
independent: a class of copies may occur in several parts, and is listed in one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import combinations, product

import numpy as np

from puzzlesat.base import SILENT, Ints, Longs, NotSupportedError, Progress, first_difference
from puzzlesat.designing.burr import NOBODY, Burr, Cube, Rod, RodSymmetry, shifted
from puzzlesat.designing.burr_kernel import Copies, DiagramArrays, Owners, Place, list_first
from puzzlesat.designing.partition import first_of_each

Choice = tuple[tuple[Cube, int], ...]
"""Some cubes, each with its owner."""
Block = Sequence[Choice]
"""The alternatives of one layer: each choice gives owners to the same cubes, in the same order."""
MAX_NODES = 20_000_000
"""Largest number of nodes of a layer."""
MAX_ASSEMBLIES = 2.0**62
"""Largest number of assemblies: above it, 64 bits are not enough for their number."""


def blocks_of(burr: Burr, motion: RodSymmetry | None = None) -> list[Block]:
    """Return the blocks of a diagram: the owners of each cube or, given a motion, of each orbit of cubes in assemblies that it fixes."""
    blocks: list[Block] = []
    done: set[Cube] = set()
    for cube, owners in burr.owners.items():
        if cube not in done:
            choices = [orbit_of(cube, owner, motion) for owner in (*owners, *(() if burr.solid else (NOBODY,)))]
            blocks.append([choice for choice in choices if choice is not None])
            done.update(_orbit(cube, motion))
    return blocks


def _orbit(cube: Cube, motion: RodSymmetry | None) -> Iterator[Cube]:
    yield cube
    image = motion.cubes[cube] if motion is not None else cube
    while motion is not None and image != cube:
        yield image
        image = motion.cubes[image]


def orbit_of(cube: Cube, owner: int, motion: RodSymmetry | None) -> Choice | None:
    """Return the owners of a cube and its images in assemblies that the motion fixes; None if these owners are inconsistent."""
    found = []
    first = owner
    for each in _orbit(cube, motion):
        found.append((each, owner))
        owner = owner if motion is None or owner == NOBODY else motion.rods[owner]
    return tuple(found) if owner == first else None


@dataclass(frozen=True)
class Diagram:
    """A decision diagram: a layer of nodes before each block, and one node after the last."""

    burr: Burr
    blocks: Sequence[Block]
    steps: Sequence[Ints]
    """An array for each block (choices, nodes): the node of the next layer; -1: none."""

    @cached_property
    def ways(self) -> list[Longs]:
        """The number of paths from each node of each layer to the end. Raises NotSupportedError if there are too many."""
        ways, about = [np.ones(1, dtype=np.int64)], np.ones(1)
        for step in reversed(self.steps):
            ways.append(np.where(step >= 0, ways[-1][step], 0).sum(axis=0))
            about = np.where(step >= 0, about[step], 0.0).sum(axis=0)
        if about.max(initial=0.0) > MAX_ASSEMBLIES:
            raise NotSupportedError(f"there are about {about.max():.3g} assemblies; more than {MAX_ASSEMBLIES:.3g} cannot be counted")
        return ways[::-1]

    @property
    def total(self) -> int:
        """The number of assemblies."""
        return int(self.ways[0][0])

    def numbered(self, numbers: Longs) -> Owners:
        """Return the assemblies with these numbers, from 0."""
        column = {cube: i for i, cube in enumerate(self.burr.owners)}
        found = np.empty((len(numbers), len(column)), dtype=np.int8)
        node, rest = np.zeros(len(numbers), dtype=np.int64), numbers.copy()
        for block, step, ways in zip(self.blocks, self.steps, self.ways[1:], strict=False):  # there are fewer steps if there is no assembly
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
    """Return the diagram of all assemblies that these blocks allow."""
    order = [cube for block in blocks for cube, _ in (block[0] if block else ())]
    automata = [_automaton(rod, order) for rod in burr.rods]
    width = [max(map(len, automaton), default=0).bit_length() for automaton in automata]
    if sum(width) > 63:
        raise NotSupportedError("the rods are too many, or may keep too many different sets of cubes")
    shift = np.cumsum([0, *width])
    read = [0] * len(burr.rods)
    nodes, steps = np.zeros(1, dtype=np.int64), []
    for block in blocks:
        reached = [_next_states(nodes, choice, burr, automata, read, shift) for choice in block]
        for cube, _ in block[0] if block else ():
            for rod in burr.owners[cube]:
                read[rod] += 1
        behind = np.unique(np.concatenate([*(r[r >= 0] for r in reached), nodes[:0]]))
        if len(behind) > MAX_NODES:
            raise NotSupportedError(f"the count needs more than {MAX_NODES:,} states at a time")
        places = [np.where(r >= 0, np.searchsorted(behind, r), -1) for r in reached]
        steps.append(np.array(places, dtype=np.int32).reshape(len(block), len(nodes)))
        if not len(behind):
            break  # there is no assembly: no step leads to the last node
        nodes = behind
    return Diagram(burr, blocks, steps)


def _next_states(nodes: Longs, choice: Choice, burr: Burr, automata: Sequence[list[Ints]], read: Sequence[int], shift: Longs) -> Longs:
    """Return the states after a choice; -1: none."""
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
    """Return an array (states, 2) for each cube of a rod, in ``order``: the next state if the cube is cut away, or kept; -1: none."""
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
    """The numbers of assemblies of a burr."""

    fixed: tuple[int, ...]
    """The number of assemblies that each motion of the burr fixes; the identity comes first, and fixes all."""

    @property
    def all(self) -> int:
        """The number of all assemblies."""
        return self.fixed[0]

    @property
    def distinct(self) -> int:
        """The number of assemblies up to the motions of the burr, by Burnside's lemma."""
        return sum(self.fixed) // len(self.fixed)


def assemblies_of(burr: Burr, progress: Progress = SILENT) -> Assemblies:
    """Count the assemblies of a burr."""
    fixed: list[int] = []
    for motion in burr.motions:
        progress.of("counting")({"symmetries": len(fixed), Progress.SHARE: 10**6 * len(fixed) // len(burr.motions)})
        fixed.append(diagram_of(burr, blocks_of(burr, motion)).total)
    return Assemblies(tuple(fixed))


Way = tuple[int, frozenset[int]]
"""An axis, and a group of rods that moves along it."""


def every(diagram: Diagram) -> Owners:
    """Return all assemblies of a diagram."""
    return diagram.numbered(np.arange(diagram.total, dtype=np.int64))


def ways_of(burr: Burr) -> dict[Way, list[Way]]:
    """Return one axis and group of rods of each class under the motions of the burr, with its image under each motion.

    Only the positive direction of an axis is needed: if a group moves backwards, the other rods move forwards.
    """
    rods = frozenset(range(len(burr.rods)))
    found: dict[Way, list[Way]] = {}
    seen: set[Way] = set()
    for size, axis in product(range(1, len(rods)), range(3)):
        for group in map(frozenset, combinations(rods, size)):
            if (axis, group) not in seen:
                found[axis, group] = [_image(burr, motion, axis, group) for motion in burr.motions]
                seen.update(found[axis, group])
    return found


def _image(burr: Burr, motion: RodSymmetry, axis: int, group: frozenset[int]) -> Way:
    to, sign = motion.axes[axis]
    image = frozenset(motion.rods[rod] for rod in group)
    return to, image if sign > 0 else frozenset(range(len(burr.rods))) - image


def lines_of(burr: Burr, axis: int, group: frozenset[int]) -> list[Block]:
    """Return the blocks of the diagram of a move: the owners that the cubes of each line may have if the group can go one step."""
    always = {cube: i for i, rod in enumerate(burr.rods) for cube in rod.own}
    lines: dict[tuple[int, ...], list[Cube]] = defaultdict(list)
    for cube in sorted({*always, *burr.owners}):
        lines[cube[:axis] + cube[axis + 1 :]].append(cube)
    blocks: list[Block] = []
    for line in lines.values():
        shared = [cube for cube in line if cube in burr.owners]
        choices: list[Choice] = []
        for owners in product(*([*burr.owners[cube], *(() if burr.solid else (NOBODY,))] for cube in shared)):
            owner = always | dict(zip(shared, owners, strict=True))
            if not any(owner[cube] in group and _is_before(owner, group, shifted(cube, axis, 1)) for cube in line):
                choices.append(tuple(zip(shared, owners, strict=True)))
        blocks.append(choices)
    return blocks


def _is_before(owner: Mapping[Cube, int], group: frozenset[int], cube: Cube) -> bool:
    """Return whether a rod outside the group owns this cube."""
    return owner.get(cube, NOBODY) != NOBODY and owner[cube] not in group


# up to symmetry -----------------------------------------------------------------------------------------------------------------


def canonical(burr: Burr, assemblies: Owners) -> Owners:
    """Return the lexicographically smallest rotated or reflected copy of each assembly, without repetition."""
    best = reduce(lesser, (moved(burr, motion, assemblies) for motion in burr.motions))
    return best[first_of_each(best)]


def lesser(rows: Owners, others: Owners) -> Owners:
    """Return the lexicographically smaller of two rows, for each pair of rows."""
    return np.where((first_difference(rows, others) < 0)[:, None], rows, others).astype(np.int8)


def moved(burr: Burr, motion: RodSymmetry, assemblies: Owners) -> Owners:
    """Return the images of assemblies under a motion."""
    column = {cube: i for i, cube in enumerate(burr.owners)}
    to = np.array([column[motion.cubes[cube]] for cube in column])
    owner = np.array([*motion.rods, NOBODY], dtype=np.int8)
    image = np.empty_like(assemblies)
    image[:, to] = owner[assemblies]
    return image


PART, LARGE_PART = 1 << 19, 1 << 21
"""Number of assemblies of a diagram in a part: seconds of work, or about two minutes if there are many parts."""
MANY = 1 << 33
"""Total of all diagrams from which on parts are large."""
AT_ONCE = 1 << 16
"""Number of assemblies between two checks of the limits."""
ROOM = 1 << 12
"""Largest number of assemblies in a block of the listing."""


@dataclass(frozen=True)
class ListingPart:
    """The assemblies ``first`` to before ``last`` of a diagram. An assembly may be in several parts; it is listed in one."""

    number: int
    diagram: int
    first: int
    last: int


@dataclass(frozen=True)
class Listing:
    """The diagrams of all moves of a burr, one for each class of moves under its motions."""

    burr: Burr
    ways: Mapping[Way, Sequence[Way]]
    """One move of each class, with its images (see ``ways_of``)."""
    totals: tuple[int, ...]
    """The number of assemblies of each diagram, copies included."""

    arrays: dict[int, tuple[DiagramArrays, Copies]] = field(default_factory=dict)
    """The arrays of the diagram that was used last."""

    @cached_property
    def parts(self) -> tuple[ListingPart, ...]:
        """All parts."""
        size = PART if sum(self.totals) < MANY else LARGE_PART
        ranges = [(i, first, min(first + size, total)) for i, total in enumerate(self.totals) for first in range(0, total, size)]
        return tuple(ListingPart(number, *each) for number, each in enumerate(ranges))

    def assemblies(self, part: ListingPart, progress: Progress = SILENT) -> Iterator[Owners]:
        """Yield, in blocks, those assemblies of a part that are the first of their copies."""
        if part.diagram not in self.arrays:
            self.arrays.clear()
            self.arrays[part.diagram] = _arrays_of(self.burr, self.ways, part.diagram)
        flat, copies = self.arrays[part.diagram]
        place, number = _new_place(self.burr, flat), part.first
        found = np.zeros((ROOM, len(self.burr.owners)), dtype=np.int8)
        while number < part.last:
            progress.of("listing")({"assemblies": number - part.first})
            last = min(part.last, number + AT_ONCE)
            number, count = list_first(flat, copies, place, part.diagram, number, last, found)
            if count:
                yield found[:count].copy()


def listing_of(burr: Burr, progress: Progress = SILENT) -> Listing:
    """Count the assemblies of the diagram of each move."""
    ways, totals = ways_of(burr), list[int]()
    for axis, group in ways:
        progress.of("listing")({"diagrams": len(totals), Progress.SHARE: 10**6 * len(totals) // len(ways)})
        totals.append(diagram_of(burr, lines_of(burr, axis, group)).total)
    return Listing(burr, ways, tuple(totals))


def _arrays_of(burr: Burr, ways: Mapping[Way, Sequence[Way]], number: int) -> tuple[DiagramArrays, Copies]:
    """Return a diagram, and the tables that decide whether one of its assemblies is the first of its copies."""
    (axis, group), images = [*ways.items()][number]
    diagram = diagram_of(burr, lines_of(burr, axis, group))
    column = {cube: i for i, cube in enumerate(burr.owners)}
    column |= {cube: len(burr.owners) + i for i, rod in enumerate(burr.rods) for cube in rod.own}
    beside = [{(column[cube], column[after]) for cube in column if (after := shifted(cube, axis, 1)) in column} for axis in range(3)]
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


def _bits(rods: frozenset[int]) -> int:
    return sum(1 << rod for rod in rods)


def _flat(diagram: Diagram) -> DiagramArrays:
    column = {cube: i for i, cube in enumerate(diagram.burr.owners)}
    blocks, steps, ways = diagram.blocks, diagram.steps, diagram.ways
    cubes = [[column[cube] for cube, _ in block[0]] for block in blocks]
    return DiagramArrays(
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


def _new_place(burr: Burr, flat: DiagramArrays) -> Place:
    """Return a position before the first assembly: every number is beyond its nodes, except the first node."""
    blocks = len(flat.choices)
    begin = np.full(blocks + 1, np.iinfo(np.int64).min, dtype=np.int64)
    begin[0] = 0
    owner = np.array([NOBODY] * len(burr.owners) + [*range(len(burr.rods))], dtype=np.int8)
    return Place(np.zeros(blocks + 1, dtype=np.int64), begin, owner, np.zeros((3, len(burr.rods)), dtype=np.int64))
