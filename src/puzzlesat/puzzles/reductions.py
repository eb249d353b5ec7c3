"""Make a cover problem smaller without changing its count: break its symmetry, and remove placements that are in no solution.

The exclusions of an option are computed from its items; only small problems have a matrix of options by options.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from puzzlesat.base import SILENT, Bytes, Flags, Ints, Longs, Progress
from puzzlesat.puzzles.problem import CoverProblem, stably_sorted

MAX_IN_A_MATRIX = 2500
"""Largest number of options with a matrix: it takes less than a megabyte, and one or two milliseconds."""


@dataclass(frozen=True, eq=False)
class Exclusions:
    """The options that each item of an option excludes, as bitsets (eight options a byte, the first in the lowest bit).

    Two options exclude each other if they share an item that can be covered only once, or give an item different colours. An option does
    not exclude itself.
    """

    problem: CoverProblem
    row: Ints
    """The row of ``masks`` for each entry of the problem."""
    masks: Bytes
    """Array (rows, ceil(options / 8)): the options excluded by an item with a colour; the first row is empty."""

    @cached_property
    def matrix(self) -> Bytes | None:
        """Array (options, ceil(options / 8)) of exclusions; None for more options than ``MAX_IN_A_MATRIX``, or if one has no items."""
        size = self.problem.size
        if not 0 < size <= MAX_IN_A_MATRIX or not np.diff(self.problem.start).all():
            return None
        matrix: Bytes = np.bitwise_or.reduceat(self.masks[self.row], self.problem.start[:-1], axis=0)
        own = np.arange(size)
        matrix[own, own // 8] &= ~(1 << (own % 8)).astype(np.uint8)
        return matrix

    def of(self, option: int) -> Bytes:
        """Return the options that an option excludes."""
        if self.matrix is not None:
            row: Bytes = self.matrix[option]
            return row
        problem = self.problem
        found: Bytes = np.bitwise_or.reduce(self.masks[self.row[problem.start[option] : problem.start[option + 1]]], axis=0)
        found[option // 8] &= ~np.uint8(1 << option % 8)
        return found

    def options_after(self, option: int) -> list[int]:
        """Return the options with higher numbers that an option excludes."""
        excluded = unpacked(self.of(option), self.problem.size)
        after: list[int] = excluded[excluded > option].tolist()
        return after


def exclusions(problem: CoverProblem) -> Exclusions:
    """Return the exclusions of a problem."""
    row, kinds = _kinds(problem)
    masks = np.zeros((len(kinds) + 1, -(-problem.size // 8)), dtype=np.uint8)
    for number, (item, own) in enumerate(kinds.tolist(), start=1):
        here = problem.entries_of[item]
        if problem.coloured[item]:
            here = here[(problem.colour[here] != own) | (own == 0)]
        masks[number] = packed(problem.rows[here], problem.size)
    return Exclusions(problem, row, masks)


def _kinds(problem: CoverProblem) -> tuple[Ints, Longs]:
    """Return the kind of each entry, from 1, or 0 if it excludes nothing; and the kinds: an item, and its colour if it is coloured."""
    coloured = problem.coloured[problem.item]
    colour = np.where(coloured, problem.colour, 0).astype(np.int64)
    colours = int(colour.max(initial=0)) + 1
    code = np.where(coloured | (problem.high[problem.item] == 1), problem.item * colours + colour, -1)
    if len(problem.items) * colours > 4 * len(code) + 1_000_000:
        kinds, number = np.unique(code, return_inverse=True)
        shift = 0 if len(kinds) and kinds[0] < 0 else 1
        return (number + shift).astype(np.int32), _split(kinds[1 - shift :], colours)
    there = np.zeros(len(problem.items) * colours + 1, dtype=np.int32)
    there[code] = 1
    there[-1] = 0
    return (np.cumsum(there, dtype=np.int32) * there)[code], _split(np.flatnonzero(there), colours)


def _split(kinds: Longs, colours: int) -> Longs:
    return np.stack([kinds // colours, kinds % colours], axis=1)


def packed(options: Ints, size: int) -> Bytes:
    """Return options, of ``size`` options, as a bitset."""
    row = np.zeros(size, dtype=np.uint8)
    row[options] = 1
    return np.packbits(row, bitorder="little")


def unpacked(bits: Bytes, size: int) -> Longs:
    """Return the options of a bitset in order, of ``size`` options."""
    there = np.flatnonzero(bits)
    options: Longs = (there[:, None] * 8 + np.arange(8))[np.unpackbits(bits[there, None], axis=1, bitorder="little").astype(bool)]
    return options[options < size]


def holds(bits: Bytes, options: Longs) -> Bytes:
    """Return 1 for each option in a bitset, and 0 for the others."""
    flags: Bytes = (bits[options >> 3] >> (options & 7).astype(np.uint8)) & 1
    return flags


FIRST_WITNESSES = 5
"""Number of witnesses of an item, beyond the needed ones, that are tried before single options are checked."""
MAX_MASKS = 1 << 30
"""Largest size of the exclusion masks, in bytes, with which dead placements are removed: about half a minute."""
MAX_DOUBTS = 1 << 29
"""Largest number of doubtful options of all items together for which a sparse problem is reduced: about half a minute."""
SPARSE = 10
"""A problem is sparse if, on average, only one option in this number is doubtful for an item."""
AT_ONCE, MAX_ITEMS = 1_000_000, 2048
"""Number of entries, and of items, that are checked at once."""
MAX_IN_TABLE = 1 << 26
"""Bound of the size of a table of witnesses, in bytes; most tables are much smaller."""
WITNESSES = 7
"""Number of witnesses of an item that are tried at once, with a bit each."""


@dataclass(frozen=True, eq=False)
class Reduced:
    """A reduced problem, with the number of placements after each step."""

    problem: CoverProblem
    broken_on: str | None
    """The tile or atom on which the symmetry was broken; None: no symmetry was broken."""
    placements: int
    after_symmetry: int
    after_reduction: int | None
    """None if dead placements were not removed because this would take too long."""

    @property
    def words(self) -> str:
        """The numbers of placements before and after each step."""
        on = "tile" if self.problem.broken_on in self.problem.tiles else "atom"
        broken = f"({on} {self.broken_on})" if self.broken_on else "(none)"
        left = self.after_reduction
        end = "not reduced, because it would take too long" if left is None else f"after reduction: {left:,}"
        return f"{self.placements:,}; after symmetry breaking {broken}: {self.after_symmetry:,}; {end}"


def reduce(
    problem: CoverProblem, *, symmetry: bool = True, dead: bool = True, break_on: str | None = None, progress: Progress = SILENT
) -> Reduced:
    """Break the symmetry on one tile or atom and remove dead placements.

    ``symmetry`` and ``dead`` switch the two steps on. ``break_on`` names the item; by default ``CoverProblem.choose_item`` chooses it.
    """
    progress.of("reduction")({"placements": problem.size})
    with progress.overseen():
        tile = problem.choose_item(break_on) if symmetry else None
        broken = problem if tile is None else problem.break_symmetry(tile)
        left = remove_dead(broken, progress) if dead else broken
    broken_on = None if tile is None else problem.items[tile]
    return Reduced(left or broken, broken_on, problem.size, broken.size, None if left is None else left.size)


def remove_dead(problem: CoverProblem, progress: Progress = SILENT) -> CoverProblem | None:
    """Remove dead placements until there are none: placements after which an item that needs covering cannot be covered.

    Logelium calls this the removal of placements with no continuation. Returns None if it would take too long.
    """
    tell = progress.of("reduction")
    search: _Search | _SparseSearch | None = None
    if problem.size > MAX_IN_A_MATRIX:
        search = _SparseSearch(problem, tell)
        if search.doubts > min(MAX_DOUBTS, np.count_nonzero(problem.low > 0) * problem.size // SPARSE):
            search = None
    if search is None:
        if (len(_kinds(problem)[1]) + 1) * -(-problem.size // 8) > MAX_MASKS:
            return None
        search = _Search(problem, exclusions(problem), tell)
    search.run()
    return problem if search.alive.all() else problem.select(search.alive)


class _Search:
    """Finds dead options.

    An option is dead for an item if fewer options of the item than needed can be chosen with it. A few options of the item, its witnesses,
    clear all options that they do not exclude, which are nearly all; the others are checked one by one. The result for an item remains
    valid as long as its witnesses are alive.
    """

    def __init__(self, problem: CoverProblem, exclude: Exclusions, tell: Progress) -> None:
        self.problem, self.exclude, self.tell = problem, exclude, tell
        self.alive = np.ones(problem.size, dtype=np.bool_)
        self.forced = np.zeros(problem.size, dtype=np.bool_)
        self.forced[list(problem.forced)] = True  # never removed: with a dead forced option the problem has no solution
        needy = np.flatnonzero(problem.low > 0)
        self.items = needy[np.argsort([len(problem.options_of[i]) for i in needy], kind="stable")].tolist()
        self.witnesses: dict[int, Longs] = {}

    def run(self) -> None:
        """Find all dead options."""
        while self.problem.size and self.go_through():
            pass

    def go_through(self) -> bool:
        """Check each item that has no witnesses or a dead one; return whether any item was checked."""
        checked = False
        for done, item in enumerate(self.items):
            if item in self.witnesses and self.alive[self.witnesses[item]].all():
                continue
            self.tell({"items": done, "left": int(self.alive.sum())})
            checked = True
            self._look_at(item)
        return checked

    def _look_at(self, item: int) -> None:
        """Remove the options after which an item cannot be covered."""
        options = self.problem.options_of[item].astype(np.int64)
        options = options[self.alive[options]]
        need = int(self.problem.low[item])
        if len(options) < need:
            self.alive &= self.forced
            self.witnesses[item] = options
            return
        if self.exclude.matrix is not None:  # in a small problem all options are witnesses
            self.alive[self._doubtful(options, options, need)] = False
            self.witnesses[item] = options
            return
        known = self.witnesses.get(item, options[:0])
        witnesses = [known[self.alive[known]] if len(known) else _spread(options, need + FIRST_WITNESSES)]
        doubtful = self._doubtful(options, witnesses[0], need)
        while len(doubtful):
            option = int(doubtful[0])
            beside = options[holds(self.exclude.of(option), options) == 0]
            if len(beside) < need:
                self.alive[option] = False
                doubtful = doubtful[1:]
                continue
            witnesses.append(_spread(beside, need))
            excluded = sum(holds(self.exclude.of(w), doubtful).astype(np.int32) for w in witnesses[-1].tolist())
            doubtful = doubtful[excluded > 0]
        self.witnesses[item] = np.unique(np.concatenate(witnesses))

    def _doubtful(self, options: Longs, witnesses: Longs, need: int) -> Longs:
        """Return the removable options that are cleared by fewer than ``need`` witnesses."""
        size = self.problem.size
        removable = self.alive & ~self.forced
        if need > 1:
            excluded = np.zeros(size, dtype=np.int32)
            for witness in witnesses.tolist():
                excluded += np.unpackbits(self.exclude.of(witness), count=size, bitorder="little")
            return np.flatnonzero(removable & (len(witnesses) - excluded < need))
        removable[options] = False  # an option of the item covers the item itself
        doubtful = np.packbits(removable, bitorder="little")
        if self.exclude.matrix is not None:
            doubtful &= np.bitwise_and.reduce(self.exclude.matrix[witnesses], axis=0)
        else:
            for witness in witnesses.tolist():
                doubtful &= self.exclude.of(witness)
        return unpacked(doubtful, size)


def _spread(options: Longs, number: int) -> Longs:
    """Return ``number`` options at equal distances in the list, which is sorted by tile, orientation and place."""
    return options if len(options) <= number else options[(2 * np.arange(number) + 1) * len(options) // (2 * number)]


def _ranges(start: Longs, end: Longs) -> tuple[Longs, Longs]:
    """Return the numbers in several ranges, one range after the other: the range of each number, and the number."""
    length = end - start
    owner = np.repeat(np.arange(len(start)), length)
    return owner, np.arange(len(owner)) + (end - np.cumsum(length))[owner]


def _sums(numbers: Longs | Flags) -> Longs:
    """Return the sum of the numbers before each number, and of all."""
    return np.concatenate([[0], np.cumsum(numbers)])


class _SparseSearch:
    """Finds dead options in a problem whose options exclude only a few others each: without bitsets, and for many items at once.

    Doubtful for an item are the options that the cheapest of its options excludes. Other options of the item, its witnesses, clear nearly
    all of them; a doubtful option that excludes every option of the item is dead. An item that loses an option is checked again.
    """

    def __init__(self, problem: CoverProblem, tell: Progress) -> None:
        self.problem, self.tell = problem, tell
        self.alive = np.ones(problem.size, dtype=np.bool_)
        self.forced = np.zeros(problem.size, dtype=np.bool_)
        self.forced[list(problem.forced)] = True  # never removed: with a dead forced option the problem has no solution
        row, kinds = _kinds(problem)
        self.kind = row[row > 0] - 1  # of each entry that excludes other options
        self.rows = problem.rows[row > 0]
        self.start = _sums(row > 0)[problem.start]
        self.item = kinds[:, 0]
        self.clashes = ~problem.coloured[self.item] | (kinds[:, 1] == 0)  # options of the kind exclude each other
        self.first = np.searchsorted(self.item, np.arange(len(problem.items) + 1))  # the first kind of each item
        self.begin = _sums(np.bincount(self.kind, minlength=len(kinds)))
        self.options = self.rows[stably_sorted(self.kind, len(kinds))]  # of kind k: from begin[k] to begin[k + 1]
        self.sizes = np.diff(self.begin[self.first])
        excluded = self.sizes[self.item[self.kind]]
        self.cost = np.diff(_sums(excluded)[self.start])  # at least the number of options that an option excludes
        self.cheapest = np.zeros(len(problem.items), dtype=np.int64)
        if len(used := np.flatnonzero(self.sizes)):
            self.cheapest[used] = np.minimum.reduceat(self.cost[self.options], self.begin[self.first[used]])
        self.doubts = int(self.cheapest[problem.low > 0].sum())

    def run(self) -> None:
        """Find all dead options."""
        left, images = self.problem.low > 0, self.problem.images
        if images is not None and len(images) > 1:  # an option is dead if its images are: check the first, and the others if it is dead
            lost = self._go_through(left, images.min(axis=0) == np.arange(len(self.alive)))
            others = np.zeros(len(self.alive), dtype=np.bool_)
            others[images[:, ~self.alive]] = True
            left = lost | self._go_through(left & lost.any(), others & self.alive)
        while left.any():
            left = self._go_through(left, self.alive)

    def _go_through(self, items: Flags, doubted: Flags) -> Flags:
        """Remove some options if they are dead for some items; return the items that lost options."""
        problem, before = self.problem, self.alive.copy()
        kept = doubted[self.options]
        self.doubted = self.options[kept], _sums(kept)[self.begin]
        once = (problem.low == 1) & (self.sizes > 0)
        chosen = np.flatnonzero(items & once)
        entries = self.cheapest[chosen] + self.sizes[chosen] + WITNESSES * np.diff(self.start).max(initial=0)
        rows = np.arange(len(chosen)) // max(1, min(MAX_ITEMS, MAX_IN_TABLE // max(1, len(self.item))))
        parts = np.split(chosen, 1 + np.flatnonzero(np.diff(np.cumsum(entries) // AT_ONCE) | np.diff(rows)))
        for some in filter(len, parts):
            self.tell({"items": int(some[0]), "left": int(self.alive.sum())})
            self._check(some)
        for item in np.flatnonzero(items & ~once).tolist():
            self.tell({"items": item, "left": int(self.alive.sum())})
            self._count_for(item)
        lost = np.zeros(len(problem.items), dtype=np.bool_)
        lost[problem.item[(before & ~self.alive)[problem.rows]]] = True
        return lost & (problem.low > 0)

    def _excluded(self, options: Ints | Longs) -> tuple[Longs, Ints | Longs]:
        """Return the kinds of options that some options exclude, as two arrays: the place in ``options``, and the kind."""
        owner, entry = _ranges(self.start[options], self.start[options + 1])
        own = self.kind[entry]
        if self.clashes.all():
            return owner, own
        again, kind = _ranges(self.first[self.item[own]], self.first[self.item[own] + 1])
        kept = (kind != own[again]) | self.clashes[kind]
        return owner[again[kept]], kind[kept]

    def _check(self, items: Longs) -> None:
        """Remove the options after which an item cannot be covered, for several items that are covered once."""
        owner, place = _ranges(self.begin[self.first[items]], self.begin[self.first[items + 1]])
        own = self.options[place]
        if not self.alive.all():
            owner, own = owner[self.alive[own]], own[self.alive[own]]
        sizes = np.bincount(owner, minlength=len(items))
        if not sizes.all():
            self.alive &= self.forced
            return
        begin, size = np.cumsum(sizes) - sizes, self.problem.size
        cheapest = np.minimum.reduceat(self.cost[own] * size + own, begin) % size
        of, kind = self._excluded(cheapest)
        of, kind = (part[self.item[kind] != items[of]] for part in (of, kind))
        doubted, first = self.doubted
        which, place = _ranges(first[kind], first[kind + 1])
        doubtful, of = doubted[place], of[which]
        steps = -(-sizes // WITNESSES)
        turn = 0
        while (turn < steps[of]).any():
            waits = np.bincount(of, minlength=len(items)) > 0
            there = np.where(waits & (turn < steps), -((turn - sizes) // steps), 0)
            whose, number = _ranges(np.zeros_like(there), there)
            shares = self._shares(items, doubtful, of, own[begin[whose] + turn + steps[whose] * number], whose, number)
            left = shares == (1 << there[of]) - 1
            doubtful, of, turn = doubtful[left], of[left], turn + 1
        self.alive[doubtful[~self.forced[doubtful]]] = False

    def _shares(self, items: Longs, doubtful: Ints, of: Longs, witnesses: Ints, whose: Longs, number: Longs) -> Bytes:
        """Return the witnesses that each doubtful option excludes as a bitset, with a further bit if it covers the item itself."""
        place, kind = self._excluded(witnesses)
        own, kinds = _ranges(self.first[items], self.first[items + 1])
        used = np.zeros(len(self.item), dtype=np.bool_)
        used[kind] = used[kinds] = True
        column = np.cumsum(used) * used
        width = int(column.max()) + 1
        table = np.zeros(len(items) * width, dtype=np.uint8)
        np.add.at(table, whose[place] * width + column[kind], np.left_shift(1, number[place]).astype(np.uint8))
        table[own * width + column[kinds]] |= 1 << WITNESSES
        found = np.zeros(len(of), dtype=np.uint8)
        first, length, base = self.start[doubtful], self.start[doubtful + 1] - self.start[doubtful], of * width
        some: slice | Longs = slice(None)
        shortest = int(length.min(initial=0))
        for at in range(int(length.max(initial=0))):
            if at >= shortest:
                some = np.flatnonzero(length > at)
            found[some] |= table[base[some] + column[self.kind[first[some] + at]]]
        return found

    def _count_for(self, item: int) -> None:
        """Remove the options with which too few options of an item can be chosen."""
        problem, need = self.problem, int(self.problem.low[item])
        own = np.zeros(problem.size, dtype=np.bool_)
        own[problem.rows[problem.item == item]] = True
        own &= self.alive
        if (count := int(own.sum())) < need:
            self.alive &= self.forced
            return
        shared = np.bincount(self.item[self.kind[own[self.rows]]], minlength=len(problem.items))
        at_most = np.diff(_sums(shared[self.item[self.kind]])[self.start])
        doubtful = np.flatnonzero(self.alive & ~self.forced & (count - at_most < need))
        kept, number = own[self.options], np.cumsum(own) - 1
        mine, first = self.options[kept], _sums(kept)[self.begin]
        for some in np.array_split(doubtful, 1 + len(doubtful) * count // AT_ONCE):
            of, kind = self._excluded(some)
            which, place = _ranges(first[kind], first[kind + 1])
            excluded = np.zeros((len(some), count), dtype=np.bool_)
            excluded[of[which], number[mine[place]]] = True
            itself = np.flatnonzero(own[some])
            excluded[itself, number[some[itself]]] = False
            self.alive[some[count - np.count_nonzero(excluded, axis=1) < need]] = False
