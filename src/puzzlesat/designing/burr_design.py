"""The report on a burr design: how many assemblies it has, whether a second count agrees, and which assemblies come apart.

The second count shares no code with the diagram: it contracts a tensor network. It enumerates the owners of the cubes that three or more
rods share; each other shared cube then lies in exactly two rods. Every rod is a table of zeros and ones with an axis for each of its
cubes of this kind, and the number of assemblies is the sum of the products of all tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import combinations, product
from math import prod
from operator import or_
from pathlib import Path
from typing import Any

import numpy as np

from puzzlesat import base
from puzzlesat.counting import Record
from puzzlesat.designing import parting
from puzzlesat.designing.burr import NOBODY, Burr, Cube, RodSymmetry, burr_of, puzzle_of
from puzzlesat.designing.design_files import DesignFile
from puzzlesat.designing.diagram import Assemblies, Listing, assemblies_of, blocks_of, diagram_of, listing_of

EXACT = 2.0**53
"""Below this number, sums of whole numbers are exact in floating point."""
MAX_AXES = 24
"""Largest number of axes of a product of tables. The size of the product is 2 to this power."""
MAX_CHOICES = 4_000_000
"""Largest number of ways to choose the owners of the cubes that three or more rods share."""

Masks = Sequence[int]
"""A bit mask for each rod: its kept cubes among the cubes that three or more rods share."""


def contracted(burr: Burr, progress: base.Progress = base.SILENT) -> int:
    """Return the number of assemblies. Raises NotSupportedError if there are too many assemblies or shared cubes."""
    of_many = [cube for cube, owners in burr.owners.items() if len(owners) > 2]
    top = _tree(burr, of_many)
    count = 0
    for done, masks in enumerate(rows := _all_masks(burr, of_many)):
        if done % 4096 == 0:
            progress.of("confirming")({"parts": done, base.Progress.SHARE: 10**6 * done // len(rows)})
        table = top.table(masks)
        if table is None:
            continue
        if (found := float(table)) >= EXACT:
            raise base.NotSupportedError("a sum of products is too large to be exact")
        count += int(found)
    return count


def _all_masks(burr: Burr, of_many: Sequence[Cube]) -> list[list[int]]:
    """Return the ``Masks`` of each choice of owners of the cubes that three or more rods share."""
    choices = [(*burr.owners[cube], *(() if burr.solid else (NOBODY,))) for cube in of_many]
    if (number := prod(map(len, choices))) > MAX_CHOICES:
        raise base.NotSupportedError(f"there are {number:,} ways to give out the cubes that many rods share")
    owners = np.array([*product(*choices)], dtype=np.int8).reshape(number, len(of_many))
    bits = 1 << np.arange(len(of_many), dtype=np.int64)
    masks: list[list[int]] = np.stack([(owners == rod) @ bits for rod in range(len(burr.rods))], axis=1).tolist()
    return masks


class _Node:
    """The tables of a rod, or the products of the tables of several rods, with the number of the cube of each axis."""

    def __init__(self, rods: tuple[int, ...], axes: list[int], make: Callable[[Masks], base.Reals | None]) -> None:
        self.rods, self.axes, self.make = rods, axes, make
        self.known: dict[tuple[int, ...], base.Reals | None] = {}

    def table(self, masks: Masks) -> base.Reals | None:
        """Return the table for the given masks; None if some rod cannot keep these cubes. Each table is made once."""
        if not self.axes:  # at the root, no masks occur twice
            return self.make(masks)
        key = tuple([masks[rod] for rod in self.rods])
        if key not in self.known:
            self.known[key] = self.make(masks)
        return self.known[key]


def _product(one: _Node, other: _Node) -> _Node:
    """Return the products of the tables of two nodes, summed over the cubes that both have."""
    both = [axis for axis in one.axes if axis in other.axes]
    summed = [one.axes.index(axis) for axis in both], [other.axes.index(axis) for axis in both]
    left = [axis for axis in (*one.axes, *other.axes) if axis not in both]
    order = sorted(range(len(left)), key=lambda i: left[i])

    def make(masks: Masks) -> base.Reals | None:
        table, factor = one.table(masks), other.table(masks)
        if table is None or factor is None:
            return None
        if one.axes == other.axes:
            return np.asarray(np.dot(table.reshape(-1), factor.reshape(-1)))
        return np.array(np.tensordot(table, factor, axes=summed).transpose(order), order="C")

    return _Node(one.rods + other.rods, sorted(left), make)


def _tree(burr: Burr, of_many: Sequence[Cube]) -> _Node:
    """Return the order of multiplication as a tree: greedily, the product with the fewest axes first, then with the fewest rods."""
    number = {cube: i for i, cube in enumerate(cube for cube, owners in burr.owners.items() if len(owners) == 2)}
    nodes = [_leaf(burr, rod, number, of_many) for rod in range(len(burr.rods))]
    while len(nodes) > 1:
        products = ((_product(*pair), pair) for pair in combinations(nodes, 2))
        best, factors = min(products, key=lambda each: (len(each[0].axes), len(each[0].rods)))
        if len(best.axes) > MAX_AXES:
            raise base.NotSupportedError(f"the products of tables have more than {MAX_AXES} axes")
        nodes = [node for node in nodes if node not in factors] + [best]
    return nodes[0]


def _leaf(burr: Burr, rod: int, number: Mapping[Cube, int], of_many: Sequence[Cube]) -> _Node:
    tables = _tables(burr, rod, of_many)
    return _Node((rod,), [number[cube] for cube in burr.rods[rod].shared if cube in number], lambda masks: tables.get(masks[rod]))


def _tables(burr: Burr, number: int, of_many: Sequence[Cube]) -> dict[int, base.Reals]:
    """Return the table of a rod for each set that it keeps of the cubes that three or more rods share.

    An entry is 1 if the rod may keep this set of the cubes that two rods share. The first of the two rods has its axis multiplied by the
    matrix of compatible choices, so the later sum over the axis counts the pairs of sets that give the cube to at most one rod.
    """
    rod = burr.rods[number]
    of_two = [i for i, cube in enumerate(rod.shared) if len(burr.owners[cube]) == 2]
    found: dict[int, base.Reals] = {}
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
    """Return the number of assemblies that a motion fixes: choices of a set of cubes for each orbit of rods, pairwise disjoint."""
    bit = {cube: 1 << i for i, cube in enumerate(burr.owners)}
    if len(bit) > 63:
        raise base.NotSupportedError("more than 63 cubes are shared")
    orbits = [np.array(sorted(_unions(burr, motion, first, bit)), dtype=np.int64) for first in _firsts(motion)]
    orbits.sort(key=len)
    return _disjoint(orbits, 0, (1 << len(bit)) - 1 if burr.solid else None)


def _firsts(motion: RodSymmetry) -> Iterator[int]:
    """Yield the first rod of each orbit."""
    seen: set[int] = set()
    for rod in range(len(motion.rods)):
        if rod not in seen:
            yield rod
        while rod not in seen:
            seen.add(rod)
            rod = motion.rods[rod]


def _unions(burr: Burr, motion: RodSymmetry, first: int, bit: dict[Cube, int]) -> Iterator[int]:
    """Yield the union of the cubes that a rod and its images keep, for each set that they may keep without overlap."""
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


def _disjoint(orbits: Sequence[base.Longs], used: int, whole: int | None) -> int:
    """Count the choices of one set of each orbit that are pairwise disjoint and, if ``whole`` is given, cover it."""
    free = [orbit[orbit & used == 0] for orbit in orbits]
    if len(free) == 1:
        return len(free[0]) if whole is None else int((free[0] | used == whole).sum())
    if len(free) == 2:
        one, other = free
        pairs = one[:, None] & other == 0
        return int((pairs if whole is None else pairs & (one[:, None] | other | used == whole)).sum())
    return sum(_disjoint(free[1:], used | int(cubes), whole) for cubes in free[0])


MAX_KEPT = 200_000_000
"""Largest total of all diagrams for which the sets of pieces are kept."""


@dataclass(frozen=True)
class DesignOptions:
    """The results wanted besides the numbers of assemblies."""

    apart: bool = False
    """Take apart all assemblies in which something can move."""
    sample: int | None = None
    """Number of assemblies drawn at random, to take apart."""
    seed: int = 0
    file: Path | None = None
    """File that gets each assembly, or each part, as soon as it is decided."""
    unique: int = 0
    """Number of assemblies of the highest levels whose pieces are searched for other assemblies."""
    part: tuple[int, int] = (1, 1)
    """With ``apart``: the part to work on and the number of parts, such as (1, 2) for the first half."""
    carve: int = 0
    """Number of assignments of the cells of a puzzle to pieces to search."""

    @staticmethod
    def part_of(text: str) -> tuple[int, int]:
        """Return the part and the number of parts of a text such as 1/100. Raises PuzzleError for another text."""
        which, _, number = text.partition("/")
        if not (which.isdecimal() and number.isdecimal() and 1 <= int(which) <= int(number)):
            raise base.PuzzleError(f"part: expected such as 1/100, got {text!r}")
        return int(which), int(number)

    @property
    def keep(self) -> int:
        """The number of assemblies of the highest levels to keep."""
        return max(parting.KEPT, self.unique)


@dataclass(frozen=True, repr=False)
class Designed(base.Ending, base.Displayed):
    """The results for a design so far."""

    file: DesignFile
    burr: Burr
    asked: DesignOptions
    counted: Assemblies | None = None
    """The numbers of assemblies; None if a limit ended the count."""
    confirmed: bool = False
    """True if a second count, which shares no code with the first, found the same numbers."""
    unconfirmed: str | None = None
    """Why the second count does not support this design; None if it does."""
    tally: parting.Tally | None = None
    """The totals of all assemblies of which it was decided whether they come apart."""
    taken: tuple[parting.TriedAssembly, ...] = ()
    """These assemblies one by one, for a sample."""
    parts: int = 0
    """The number of parts to take apart."""
    parts_done: int = 0
    numbers: int = 0
    """The number of assemblies in all diagrams of the burr, whichever part is requested."""
    others: tuple[parting.Others, ...] = ()
    """Assemblies of the highest levels, with the number of other assemblies of their pieces."""

    @property
    def levels(self) -> dict[str, int]:
        """The number of assemblies that come apart at each level, the highest level first."""
        return self.tally.levels if self.tally is not None else {}

    @property
    def apart(self) -> int:
        """The number of decided assemblies that come apart."""
        return self.tally.apart if self.tally is not None else 0

    @property
    def opens(self) -> int:
        """The number of decided assemblies from which a piece or a group of pieces can be removed."""
        return self.tally.opens if self.tally is not None else 0

    @property
    def decided(self) -> int:
        """The number of assemblies of which it is known whether they come apart."""
        return self.tally.decided if self.tally is not None else 0

    @property
    def best(self) -> parting.TriedAssembly | None:
        """An assembly of the highest level; None if none comes apart."""
        return next(iter(self.tally.best), None) if self.tally is not None else None

    @cached_property
    def sets(self) -> parting.SetTotals | None:
        """The sets of pieces of assemblies that come apart; None if there are too many to keep."""
        sets = self.tally.sets if self.tally is not None else None
        return None if sets is None else parting.Pieces(self.burr).counted(sets)

    @property
    def cpu_seconds_of_all(self) -> float | None:
        """Estimate of the CPU seconds for all parts of the burr, from the finished parts; None if no part is finished."""
        if self.tally is None or not self.tally.numbers:
            return None
        return self.numbers * self.tally.seconds / self.tally.numbers

    @property
    def figures(self) -> dict[str, int]:
        """The known figures among those that ``expect`` of a design can state."""
        found = {"pieces": len(self.burr.names)}
        if self.counted is not None:
            found |= {"all": self.counted.all, "distinct": self.counted.distinct}
        if self.asked.apart and self.asked.part[1] == 1 and self.complete and self.tally is not None:
            found |= {"apart": self.apart} | _first_numbers("highest", self.levels)
            if self.sets is not None:
                found |= {"used": self.sets.pieces, "sets": self.sets.sets} | _first_numbers("highest_unique", self.sets.once)
        return found

    @property
    def differences(self) -> dict[str, tuple[int, int]]:
        """Figures that differ from published ones: the published figure, and the result."""
        return self.file.expect.differing(self.figures)

    @property
    def agreeing(self) -> dict[str, int]:
        """Figures that equal the published ones."""
        return self.file.expect.agreeing(self.figures)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        if self.counted is None:
            return f"{self.burr.title}: not counted: {self.why}"
        number = base.many(self.counted.distinct, "assembly", "assemblies")
        return f"{self.burr.title}: {number} up to symmetry ({self.counted.all:,} in all)"

    def __repr__(self) -> str:
        return f"<Designed {self.sentence}>"

    @property
    def record(self) -> Record:
        """The result as a JSON object (see docs/json.md)."""
        counted = self.counted
        found: dict[str, Any] = {
            "design": self.burr.title,
            "pieces": len(self.burr.names),
            "positions": {rod.name: len(rod.kept) for rod in self.burr.rods},
            "all": counted and counted.all,
            "distinct": counted and counted.distinct,
            "fixed": counted and list(counted.fixed),
            "confirmed": self.confirmed,
            "agree": not self.differences if self.agreeing or self.differences else None,
            "differences": {key: {"published": a, "found": b} for key, (a, b) in self.differences.items()},
        }
        if self.tally is not None:
            found |= self._record_of_taken(self.tally)
        return found | {"complete": self.complete, "why": self.why, "seconds": round(self.seconds, 2)}

    @property
    def puzzle(self) -> dict[str, Any]:
        """The tables of a puzzle with the pieces of the best assembly, which must exist."""
        assert self.best is not None
        return puzzle_of(self.burr, self.best.cubes) | {"source": self.file.source or None}

    def by_first_moves(self, once: Mapping[str, int]) -> dict[int, tuple[int, int]]:
        """Return two totals for each number of moves until the first piece is out: of assemblies, and of ``once``."""
        found: dict[int, tuple[int, int]] = {}
        for level, number in self.levels.items():
            first = parting.height(level)[0]
            every, single = found.get(first, (0, 0))
            found[first] = every + number, single + once.get(level, 0)
        return found

    def _record_of_taken(self, tally: parting.Tally) -> Record:
        asked, sets, others = self.asked, self.sets, self.others
        parts = {
            "part": list(asked.part),
            "parts": self.parts,
            "parts_done": self.parts_done,
            "cpu_seconds_of_all": self.cpu_seconds_of_all,
        }
        found: dict[str, Any] = {"sample": asked.sample, "seed": asked.seed} | (parts if asked.apart else {})
        found |= {"decided": tally.decided, "apart": tally.apart, "opens": tally.opens, "checked": tally.checked, "levels": tally.levels}
        found["best"] = self.best and self.best.record
        found["others"] = (
            [{"level": o.taken.level, "pieces": o.taken.pieces, "assemblies": o.assemblies, "apart": o.apart} for o in others]
            if asked.unique
            else None
        )
        found |= {"used": sets and sets.pieces, "sets": sets and sets.sets, "unique": sets and dict(sets.once)}
        if asked.sample is not None and tally.decided:
            found |= {"share_apart": tally.share(tally.apart), "share_opens": tally.share(tally.opens)}
        return found


def _first_numbers(key: str, levels: Mapping[str, int]) -> dict[str, int]:
    """Return the largest number of moves until the first piece is out, if some assembly comes apart."""
    return {key: max(parting.height(level)[0] for level in levels)} if levels else {}


def designed_rods(
    file: DesignFile, asked: DesignOptions, jobs: int, limits: base.Limits, *, progress: base.Progress = base.SILENT
) -> Iterator[Designed]:
    """Yield the growing results for a design: after the count, after its confirmation, and after assemblies were taken apart.

    Raises NotSupportedError if there is too much to count, and ContradictionError if two counts differ.
    """
    limits = limits.begun()
    clock, heeding = base.Clock(limits), limits.heeding(progress)
    result = Designed(file, burr_of(file), asked)
    try:
        result = replace(result, counted=assemblies_of(result.burr, heeding), seconds=clock.seconds)
        yield result
        result = replace(_confirmed(result, heeding), seconds=clock.seconds)
        yield result
        if asked.apart:
            result = _in_parts(result, listing_of(result.burr, heeding), jobs, limits, progress)
        elif asked.sample is not None:
            result = _sampled(result, asked.sample, jobs, limits, progress)
        else:
            return
        result = replace(result, seconds=clock.seconds)
        yield result
        if asked.unique and result.complete and result.tally is not None:
            for found in parting.others_of(result.burr, result.tally.best[: asked.unique], jobs, limits, heeding):
                result = replace(result, others=(*result.others, found), seconds=clock.seconds)
            yield result
    except base.EndedError as ended:
        yield replace(result, why=ended.words, seconds=clock.seconds)


def _in_parts(known: Designed, listing: Listing, jobs: int, limits: base.Limits, progress: base.Progress) -> Designed:
    """Take apart all assemblies in which something can move, or only the requested part."""
    which, number = known.asked.part
    parts = listing.parts[which - 1 :: number]  # every number-th part: the selection includes parts of all diagrams
    sets = sum(listing.totals) <= MAX_KEPT and parting.Pieces(known.burr).fit_64_bits
    total, done = parting.Tally(sets={} if sets else None), 0
    for tally in parting.tallies(listing, parts, parting.PartOptions(known.asked.keep, sets), known.asked.file, jobs, limits, progress):
        total.add(tally, known.asked.keep)
        done += 1
    why = f"stopped early, with {len(parts) - done:,} of {base.many(len(parts), 'part')} left" if done < len(parts) else None
    if why is None and total.undecided:
        why = f"{base.many(total.undecided, 'assembly', 'assemblies')} not decided"
    return replace(known, tally=total, parts=len(parts), parts_done=done, numbers=sum(listing.totals), why=why)


def _sampled(known: Designed, sample: int, jobs: int, limits: base.Limits, progress: base.Progress) -> Designed:
    """Take apart a random sample of assemblies."""
    burr, options = known.burr, known.asked
    chosen = parting.drawn(diagram_of(burr, blocks_of(burr)), sample, options.seed)
    taken = tuple(parting.taken_apart(burr, chosen, options.file, jobs, limits, progress))
    left = sample - len(taken)
    why = f"stopped early, with {base.many(left, 'assembly', 'assemblies')} left" if left else None
    return replace(known, tally=parting.tally_of(burr, taken, options.keep), taken=taken, why=why)


def _confirmed(known: Designed, progress: base.Progress) -> Designed:
    """Count again, by code that shares nothing with the diagram, and compare."""
    burr, counted = known.burr, known.counted
    assert counted is not None
    try:
        again = [contracted(burr, progress)]
        for done, motion in enumerate(burr.motions[1:], start=1):
            progress.of("confirming")({"symmetries": done, base.Progress.SHARE: 10**6 * done // len(burr.motions)})
            again.append(unchanged(burr, motion))
    except base.NotSupportedError as error:
        return replace(known, unconfirmed=str(error))
    if tuple(again) != counted.fixed:
        raise base.ContradictionError(
            f"two ways of counting {burr.title} find {list(counted.fixed)} and {again} assemblies that symmetries fix"
        )
    if sum(again) != counted.distinct * len(burr.motions):  # Burnside's lemma
        raise base.ContradictionError(f"{burr.title}: {counted.distinct} assemblies up to symmetry contradict Burnside's lemma")
    return replace(known, confirmed=True)
