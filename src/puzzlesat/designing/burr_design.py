"""The report on a burr design: how many assemblies it has, whether a second way of counting agrees, and which come apart.

The second way shares no code with the diagram: it multiplies tables. Once the owners of all cubes that three rods or more share are chosen,
each other cube lies between two rods. Every rod is then a table of zeros and ones with an axis for each of its shared cubes, and the number
of assemblies is the sum of the products: a contraction of tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import combinations, product
from math import prod
from operator import or_
from pathlib import Path
from typing import Any

import numpy as np

from puzzlesat.base import (
    SILENT,
    Clock,
    ContradictionError,
    Displayed,
    EndedError,
    Ending,
    Limits,
    Longs,
    NotSupportedError,
    Progress,
    PuzzleError,
    Reals,
    many,
)
from puzzlesat.counting import Record
from puzzlesat.designing.burr import NOBODY, Burr, Cube, RodSymmetry, burr_of, puzzle_of
from puzzlesat.designing.design_files import DesignFile
from puzzlesat.designing.diagram import Assemblies, Listing, ListingPart, assemblies_of, blocks_of, diagram_of, listing_of
from puzzlesat.designing.levels import Pieces, SetTotals, Tally, TriedAssembly, between, height
from puzzlesat.designing.parting import KEPT, Others, PartOptions, drawn, others_of, taken_apart, tallies, tally_of

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
            progress.of("confirming")({"parts": done, Progress.SHARE: 10**6 * done // len(rows)})
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


MOST_KEPT = 200_000_000
"""Assemblies of all diagrams up to which the sets of pieces are kept."""


@dataclass(frozen=True)
class DesignOptions:
    """What is to be found out besides the numbers of assemblies."""

    apart: bool = False
    """Take apart all in which something can move."""
    sample: int | None = None
    """Take so many apart, drawn at random."""
    seed: int = 0
    file: Path | None = None
    """Where each assembly, or each part, is kept as soon as it is decided."""
    unique: int = 0
    """For so many assemblies of the highest levels, look for other assemblies of their pieces."""
    part: tuple[int, int] = (1, 1)
    """With ``apart``: only the first of two parts is (1, 2)."""
    carve: int = 0
    """Search so many assignments of the cells of a puzzle to pieces."""

    @staticmethod
    def part_of(text: str) -> tuple[int, int]:
        """Return which of how many parts a text such as 1/100 names. Raises PuzzleError for another text."""
        which, _, number = text.partition("/")
        if not (which.isdecimal() and number.isdecimal() and 1 <= int(which) <= int(number)):
            raise PuzzleError(f"part: expected such as 1/100, got {text!r}")
        return int(which), int(number)

    @property
    def keep(self) -> int:
        """How many assemblies of the highest levels are kept."""
        return max(KEPT, self.unique)


@dataclass(frozen=True, repr=False)
class Designed(Ending, Displayed):
    """What is known of a design."""

    file: DesignFile
    burr: Burr
    asked: DesignOptions
    counted: Assemblies | None = None
    """The numbers of assemblies; None where a limit ended the count."""
    confirmed: bool = False
    """Whether a way of counting that shares no code with the first found the same numbers."""
    unconfirmed: str | None = None
    """Why it cannot count them, if it cannot."""
    tally: Tally | None = None
    """What assemblies come to that were taken apart, or found not to come apart."""
    taken: tuple[TriedAssembly, ...] = ()
    """The same one by one, of a sample."""
    parts: int = 0
    """Of how many parts all that is to be taken apart consists."""
    parts_done: int = 0
    numbers: int = 0
    """How many numbers of diagrams all parts of the burr have, asked for or not."""
    others: tuple[Others, ...] = ()
    """Assemblies of the highest levels, and what else can be made of their pieces."""

    @property
    def levels(self) -> dict[str, int]:
        """How many assemblies come apart at each level, the highest level first."""
        return self.tally.levels if self.tally is not None else {}

    @property
    def apart(self) -> int:
        """How many come apart of those that were tried."""
        return self.tally.apart if self.tally is not None else 0

    @property
    def opens(self) -> int:
        """From how many of them a piece or a group of pieces can be taken away."""
        return self.tally.opens if self.tally is not None else 0

    @property
    def decided(self) -> int:
        """Of how many it is known whether they come apart."""
        return self.tally.decided if self.tally is not None else 0

    @property
    def best(self) -> TriedAssembly | None:
        """An assembly of the highest level; None if none comes apart."""
        return next(iter(self.tally.best), None) if self.tally is not None else None

    @cached_property
    def sets(self) -> SetTotals | None:
        """The sets of pieces of assemblies that come apart; None where they are too many to be kept."""
        sets = self.tally.sets if self.tally is not None else None
        return None if sets is None else Pieces(self.burr).counted(sets)

    @property
    def cpu_seconds_of_all(self) -> float | None:
        """How many CPU seconds all parts of the burr take, at the speed of those that are done; None where none is."""
        if self.tally is None or not self.tally.numbers:
            return None
        return self.numbers * self.tally.seconds / self.tally.numbers

    @property
    def figures(self) -> dict[str, int]:
        """The figures that ``expect`` of a design can state, as far as they are known."""
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
        """Figures that differ from published ones: what is published, and what was found."""
        return self.file.expect.differing(self.figures)

    @property
    def agreeing(self) -> dict[str, int]:
        """Figures that are as published."""
        return self.file.expect.agreeing(self.figures)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        if self.counted is None:
            return f"{self.burr.title}: not counted: {self.why}"
        number = many(self.counted.distinct, "assembly", "assemblies")
        return f"{self.burr.title}: {number} up to symmetry ({self.counted.all:,} in all)"

    def __repr__(self) -> str:
        return f"<Designed {self.sentence}>"

    @property
    def record(self) -> Record:
        """The same as a JSON object, as docs/json.md describes it."""
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
        """The tables of a puzzle with the pieces of the best assembly, of which there must be one."""
        assert self.best is not None
        return puzzle_of(self.burr, self.best.cubes) | {"source": self.file.source or None}

    def share(self, hits: int) -> tuple[float, float]:
        """Return between which shares of all the share lies that so many of a sample make, with 95 % confidence."""
        return between(hits, self.decided)

    def by_first_moves(self, once: Mapping[str, int]) -> dict[int, tuple[int, int]]:
        """Return for each number of moves until the first piece is away how many assemblies there are, and how many of ``once``."""
        found: dict[int, tuple[int, int]] = {}
        for level, number in self.levels.items():
            first = height(level)[0]
            every, single = found.get(first, (0, 0))
            found[first] = every + number, single + once.get(level, 0)
        return found

    def _record_of_taken(self, tally: Tally) -> Record:
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
            found |= {"share_apart": between(tally.apart, tally.decided), "share_opens": between(tally.opens, tally.decided)}
        return found


def _first_numbers(key: str, levels: Mapping[str, int]) -> dict[str, int]:
    """The most moves until something is away, if there is a level."""
    return {key: max(height(level)[0] for level in levels)} if levels else {}


def designed_rods(file: DesignFile, asked: DesignOptions, jobs: int, limits: Limits, *, progress: Progress = SILENT) -> Iterator[Designed]:
    """Yield what is known of a design, each time more: once it is counted, once that is confirmed, once assemblies are taken apart.

    Raises NotSupportedError where there is too much to count, and ContradictionError where two ways come to different numbers.
    """
    limits = limits.begun()
    clock, told = Clock(limits), limits.heeding(progress)
    known = Designed(file, burr_of(file), asked)
    try:
        known = replace(known, counted=assemblies_of(known.burr, told), seconds=clock.seconds)
        yield known
        known = replace(_confirmed(known, told), seconds=clock.seconds)
        yield known
        if asked.apart:
            known = _in_parts(known, listing_of(known.burr, told), jobs, limits, progress)
        elif asked.sample is not None:
            known = _sampled(known, asked.sample, jobs, limits, progress)
        else:
            return
        known = replace(known, seconds=clock.seconds)
        yield known
        if asked.unique and known.complete and known.tally is not None:
            for found in others_of(known.burr, known.tally.best[: asked.unique], jobs, limits, told):
                known = replace(known, others=(*known.others, found), seconds=clock.seconds)
            yield known
    except EndedError as ended:
        yield replace(known, why=ended.words, seconds=clock.seconds)


def _in_parts(known: Designed, listing: Listing, jobs: int, limits: Limits, progress: Progress) -> Designed:
    """Take apart all assemblies in which something can move, or the part that was asked for."""
    parts = _parts_of(listing, known.asked.part)
    sets = sum(listing.totals) <= MOST_KEPT and Pieces(known.burr).are_told
    total, done = Tally(sets={} if sets else None), 0
    for tally in tallies(listing, parts, PartOptions(known.asked.keep, sets), known.asked.file, jobs, limits, progress):
        total.add(tally, known.asked.keep)
        done += 1
    why = f"stopped early, with {len(parts) - done:,} of {many(len(parts), 'part')} left" if done < len(parts) else None
    if why is None and total.undecided:
        why = f"{many(total.undecided, 'assembly', 'assemblies')} not decided"
    return replace(known, tally=total, parts=len(parts), parts_done=done, numbers=sum(listing.totals), why=why)


def _parts_of(listing: Listing, part: tuple[int, int]) -> tuple[ListingPart, ...]:
    """Every so many of all parts, so that those of all diagrams are among them."""
    which, number = part
    return listing.parts[which - 1 :: number]


def _sampled(known: Designed, sample: int, jobs: int, limits: Limits, progress: Progress) -> Designed:
    """Take apart assemblies that are drawn at random."""
    burr, asked = known.burr, known.asked
    chosen = drawn(diagram_of(burr, blocks_of(burr)), sample, asked.seed)
    taken = tuple(taken_apart(burr, chosen, asked.file, jobs, limits, progress))
    left = sample - len(taken)
    why = f"stopped early, with {many(left, 'assembly', 'assemblies')} left" if left else None
    return replace(known, tally=tally_of(burr, taken, asked.keep), taken=taken, why=why)


def _confirmed(known: Designed, progress: Progress) -> Designed:
    """Count once more, by code that shares nothing with the diagram."""
    burr, counted = known.burr, known.counted
    assert counted is not None
    try:
        again = [contracted(burr, progress)]
        for done, motion in enumerate(burr.motions[1:], start=1):
            progress.of("confirming")({"symmetries": done, Progress.SHARE: 10**6 * done // len(burr.motions)})
            again.append(unchanged(burr, motion))
    except NotSupportedError as error:
        return replace(known, unconfirmed=str(error))
    if tuple(again) != counted.fixed:
        raise ContradictionError(f"two ways of counting {burr.title} find {list(counted.fixed)} and {again} assemblies that symmetries fix")
    if sum(again) != counted.distinct * len(burr.motions):  # Burnside's lemma
        raise ContradictionError(f"{burr.title}: {counted.distinct} assemblies up to symmetry contradict Burnside's lemma")
    return replace(known, confirmed=True)
