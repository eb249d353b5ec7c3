"""The cover problem, the input of every solver.

It is the exact cover with colours (XCC) and with multiplicities (MCC) of D. E. Knuth, "The Art of Computer Programming", volume 4B, section
7.2.2.1, with additional linear conditions.

``Colouring`` is a condition on a whole solution: pieces that have the two items of a pair touch, and need different colours. The search
for colours backtracks; it colours the piece with the fewest possible colours next (D. Brélaz, "New methods to color the vertices of a
graph", CACM 22, 1979).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from hashlib import sha256
from itertools import chain
from math import inf
from typing import ClassVar, TypeVar, overload

import numpy as np

from puzzlesat.base import SILENT, Flags, Ints, Longs, NotSupportedError, Progress, Reals, Rows, first_difference, sorted_rows, unique_rows

MAX_AT_ONCE = 2_000
"""Number of solutions whose pieces are computed at once."""

MAX_TOGETHER = 2_000_000
"""Number of entries of images that are computed at once."""

MAX_WORK = 1_500_000
"""Limit of the words shifted to find the sums of a condition: some 10 ms. Beyond it the condition is not checked."""

WIDEST = 200_000
"""Sums that spread over more integers than this are not computed."""
WORD_BITS, WORDS_A_SHIFT = 30, 100
"""Bits of a word of Python's integers; and the overhead of a shift, in words that could be shifted in that time."""
Numbers = TypeVar("Numbers", Rows, Longs)


@dataclass(frozen=True, eq=False)
class Condition:
    """Σ weights over the chosen options is in [low, high], or is ≡ residue modulo ``modulus`` if that is not 0."""

    name: str
    weights: Longs
    """The weight of each option."""
    low: int
    high: int
    modulus: int = 0
    residue: int = 0
    implied: bool = False
    """True if it follows from the coverage, so that it is redundant and only prunes."""

    def holds(self, total: int) -> bool:
        """Return whether a sum of weights satisfies the condition."""
        if self.modulus:
            return (total - self.residue) % self.modulus == 0
        return self.low <= total <= self.high

    def some_holds(self, sums: Longs) -> bool:
        """Return whether any of the ascending sums satisfies the condition."""
        if self.modulus:
            return bool(((sums - self.residue) % self.modulus == 0).any())
        return len(sums) > 0 and bool(((sums >= max(self.low, int(sums[0]))) & (sums <= min(self.high, int(sums[-1])))).any())

    @staticmethod
    def reachable(values: Iterable[Sequence[int]], copies: Iterable[tuple[int, int]], modulus: int, most_work: float = inf) -> Longs | None:
        """Return every sum of values, one for each copy of each tile, ascending; None if they spread too widely or take too much work.

        ``values`` are the values of each tile, ``copies`` its least and largest number of copies. The set of sums is a bitset in an
        integer, whose lowest bit represents ``base``: adding a value is a shift.
        """
        sums, base, work = 1, 0, 0
        for own, (low, high) in zip(values, copies, strict=True):
            least = 0 if modulus else min((0, *own))
            if not modulus and sums.bit_length() + (max((0, *own)) - least) * high > WIDEST:
                return None
            # level: the sums with ``used`` copies of this tile, relative to ``used`` times the least value
            level, union = sums, 0
            for used in range(high + 1):
                if used >= low:
                    union |= level << -least * (high - used)
                if used == high or not level:
                    break
                width = max(level.bit_length() + max((0, *own)) - least, union.bit_length())
                work += (len(own) + 1) * (width // WORD_BITS + WORDS_A_SHIFT)
                if work > most_work:
                    return None
                before, level = level, _added(level, [v - least for v in own], modulus)
                if used >= low and level == before and not least:
                    break  # more copies reach no other sums
            sums = union
            base += least * high
        packed = np.frombuffer(sums.to_bytes(-(-sums.bit_length() // 8), "little"), dtype=np.uint8)
        return np.flatnonzero(np.unpackbits(packed, bitorder="little")) + base


def _added(level: int, values: list[int], modulus: int) -> int:
    """Return every sum of a member of the level and one of the values."""
    found = 0
    for v in values:
        found |= level << v
    return found & ((1 << modulus) - 1) | found >> modulus if modulus else found


@dataclass(frozen=True, eq=False)
class Colouring:
    """The condition that the pieces of a solution can be coloured so that pieces with the two items of a pair differ."""

    pairs: Ints
    """Array (pairs, 2) of items, each in at most one piece."""
    colours: int
    placed: tuple[tuple[int, ...], ...] = ()
    """The items of pieces that were chosen before and removed from the problem; they are coloured with the others."""
    pieces: tuple[tuple[tuple[int, ...], ...], ...] | None = None
    """The items of each piece of each option, by the item numbers of the problem before ``quotient``; None: each option is one piece."""

    def pieces_of(self, problem: CoverProblem, option: int) -> tuple[tuple[int, ...], ...]:
        """Return the items of each piece of an option of a problem."""
        return (tuple(problem.items_of(option).tolist()),) if self.pieces is None else self.pieces[option]

    def select(self, chosen: Longs) -> Colouring:
        """Return the colouring for some of the options."""
        return self if self.pieces is None else replace(self, pieces=tuple(self.pieces[o] for o in chosen.tolist()))


def stably_sorted(numbers: Ints, bound: int) -> Longs:
    """Return the places of numbers below a bound in ascending order of the numbers."""
    narrow = numbers.astype(np.uint16) if bound <= 1 << 16 else numbers  # NumPy has radix sort for 16 bits
    return np.argsort(narrow, kind="stable")


def _values(condition: Condition, options: Ints) -> list[int]:
    """Return the different weights of some options (modulo the modulus, if any)."""
    weights = np.unique(condition.weights[options])
    values: list[int] = (np.unique(weights % condition.modulus) if condition.modulus else weights).tolist()
    return values


class MadeNames(Sequence[str]):
    """Names that are made on access. They are equal to every sequence of the same names."""

    def make(self, number: int) -> str:
        """Return a name."""
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        numbers = range(len(self))[index]
        return self.make(numbers) if isinstance(numbers, int) else tuple(map(self.make, numbers))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and not isinstance(other, str) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class ChosenNames(MadeNames):
    """A selection of names, by their numbers."""

    names: Sequence[str]
    numbers: Longs

    def __len__(self) -> int:
        return len(self.numbers)

    def make(self, number: int) -> str:
        """Return a name."""
        return self.names[int(self.numbers[number])]


def chosen_names(names: Sequence[str], numbers: Longs) -> ChosenNames:
    """Return a selection of names, by their numbers."""
    return ChosenNames(names.names, names.numbers[numbers]) if isinstance(names, ChosenNames) else ChosenNames(names, numbers)


@dataclass(frozen=True, eq=False)
class CoverProblem:
    """Choose a set of options that covers each item as often as required.

    Item ``i`` must be in at least ``low[i]`` and at most ``high[i]`` chosen options. Options are rows in CSR form: option ``o`` has the
    items ``item[start[o]:start[o + 1]]``, each with a colour; 0 is not a colour. On an item whose ``coloured`` flag is set, options with
    the same colour (not 0) may be chosen together and count once; options with different colours, or without, exclude each other.
    """

    UNLIMITED: ClassVar[int] = np.iinfo(np.int32).max
    """The upper bound of an item without a limit."""

    items: tuple[str, ...]
    low: Ints
    high: Ints
    coloured: Flags
    options: Sequence[str]
    """The names of the options, which may be made on access."""
    start: Ints
    item: Ints
    colour: Ints
    tiles: Ints
    """Items that partition the options: every option has exactly one of them. May be empty."""
    conditions: tuple[Condition, ...] = ()
    colouring: Colouring | None = None
    """A condition that solvers cannot check during the search; each listed solution is checked (see ``solvers.coloured``)."""
    symmetries: tuple[str, ...] = ("identity",)
    images: Ints | None = None
    """Array (symmetries, options): the image of each option under each symmetry; None: the identity is the only symmetry."""
    forced: tuple[int, ...] = ()
    """Options that are part of every solution."""
    centres: Reals | None = None
    """Array (items, dimensions): the position of each item, not-a-number for items without one; no count depends on it."""
    adjacent: Ints | None = None
    """Array (pairs, 2) of items that touch, if they connect the items with a centre of each option; else None."""
    origin: Ints | None = None
    """In a reduced problem, the number of each option in the whole problem."""
    broken_on: int | None = None
    """In a reduced problem, the tile or atom of which one placement of each orbit was kept: every solution has exactly one of them."""
    weight: Longs | None = None
    """In a reduced problem, a factor for each option: a solution represents as many solutions of the whole problem as their product."""

    @property
    def size(self) -> int:
        """The number of options."""
        return len(self.options)

    @property
    def asks_for_nothing(self) -> bool:
        """True if the empty set of options satisfies the items and the conditions. The colouring is ignored."""
        return not (self.low > 0).any() and all(condition.holds(0) for condition in self.conditions)

    @property
    def fingerprint(self) -> str:
        """A digest of all that the solutions depend on, with the numbers of the options and without any names."""
        digest = sha256()
        for array in (self.start, self.item, self.colour, self.low, self.high, self.coloured, self.origin, self.weight):
            numbers = np.empty(0, dtype=np.int64) if array is None else array.astype("<i8")
            digest.update(f"{len(numbers)}:".encode() + numbers.tobytes())
        for condition in self.conditions:
            bounds = (condition.low, condition.high, condition.modulus, condition.residue, condition.implied)
            digest.update(f"{bounds}".encode() + condition.weights.astype("<i8").tobytes())
        digest.update(f"{sorted(self.forced)}".encode())
        if self.colouring is not None:
            beside = "".join(f" {ids}" for ids in (self.colouring.placed, self.colouring.pieces) if ids)
            digest.update(f"{self.colouring.colours}{beside}".encode() + self.colouring.pairs.astype("<i8").tobytes())
        return digest.hexdigest()[:16]

    def items_of(self, option: int) -> Ints:
        """Return the items of an option."""
        return self.item[self.start[option] : self.start[option + 1]]

    @cached_property
    def rows(self) -> Ints:
        """The option of each entry of ``item`` (the row of each stored element)."""
        return np.repeat(np.arange(self.size, dtype=np.int32), np.diff(self.start))

    @cached_property
    def entries_of(self) -> list[Longs]:
        """The entries of each item in ascending order, as indices into ``item``."""
        counts = np.bincount(self.item, minlength=len(self.items))
        return np.split(stably_sorted(self.item, len(self.items)), np.cumsum(counts)[:-1])

    @cached_property
    def options_of(self) -> list[Ints]:
        """The options of each item in ascending order."""
        return [self.rows[entries] for entries in self.entries_of]

    @cached_property
    def options_of_tiles(self) -> list[Ints]:
        """The options of each of ``tiles`` in ascending order, without the cost of computing ``options_of`` for all items."""
        number = np.full(len(self.items), -1, dtype=np.int32)
        number[self.tiles] = np.arange(len(self.tiles))
        own = np.flatnonzero((number >= 0)[self.item])
        tile = number[self.item[own]]
        options = (np.searchsorted(self.start, own, side="right") - 1).astype(np.int32)
        ends = np.cumsum(np.bincount(tile, minlength=len(self.tiles)))
        return np.split(options[np.argsort(tile, kind="stable")], ends[:-1])

    @cached_property
    def antichain(self) -> bool:
        """True if no solution can contain another, because each option has an item that every solution covers equally often."""
        fixed = (self.low == self.high) & ~self.coloured
        return bool(np.all(np.logical_or.reduceat(fixed[self.item], self.start[:-1]))) if self.size else True

    @cached_property
    def longest(self) -> int:
        """An upper bound for the number of options in a solution."""
        if len(self.tiles):
            options = np.bincount(self.item, minlength=len(self.items))[self.tiles]
            most = np.minimum(self.high[self.tiles].astype(np.int64), options)
            bound = int(most.sum())
        else:
            bound = self.size
        need = self.low > 0
        if self.size and np.all(np.logical_or.reduceat(need[self.item], self.start[:-1])):
            bound = min(bound, int(np.minimum(self.high[need].astype(np.int64), self.size).sum()))
        widths = np.diff(self.start)
        plain = ~self.coloured & (self.high == 1)
        if self.size and widths.min() > 0:
            single = np.add.reduceat(plain[self.item].astype(np.int64), self.start[:-1])
            if single.min() > 0:
                bound = min(bound, int(plain.sum() // single.min()))
        return max(bound, 1)

    def select(self, keep: Flags) -> CoverProblem:
        """Return the problem with only some of its options; symmetries are dropped, ``origin`` remembers the numbers."""
        chosen = np.flatnonzero(keep)
        entries = keep[self.rows]
        start = np.concatenate([[0], np.cumsum(np.diff(self.start)[keep])]).astype(np.int32)
        number = np.cumsum(keep) - 1
        return replace(
            self,
            options=chosen_names(self.options, chosen),
            start=start,
            item=self.item[entries],
            colour=self.colour[entries],
            conditions=tuple(replace(c, weights=c.weights[keep]) for c in self.conditions),
            colouring=None if self.colouring is None else self.colouring.select(chosen),
            symmetries=("identity",),
            images=None,
            forced=tuple(int(number[o]) for o in self.forced if keep[o]),
            origin=(chosen if self.origin is None else self.origin[keep]).astype(np.int32),
            weight=None if self.weight is None else self.weight[keep],
        )

    def without_implied(self) -> CoverProblem:
        """Return the problem without the conditions that follow from its coverage."""
        return replace(self, conditions=tuple(c for c in self.conditions if not c.implied))

    @property
    def option_images(self) -> OptionImages:
        """The images of options, and of solutions, under the symmetries."""
        return OptionImages(self)

    def out_of_reach(self, progress: Progress = SILENT) -> str | None:
        """Return the name of a condition that no choice of weights satisfies, one weight for each copy of each tile; or None.

        Places are ignored; only the numbers of copies and the weights of the options matter. A condition whose sums spread too widely or
        take too long is not checked.
        """
        if not len(self.tiles) or not self.size:
            return None
        tell = progress.of("sums of weights")
        for number, condition in enumerate(self.conditions):
            tell({"conditions": number})
            sums = self.reachable_sums(condition)
            if sums is not None and not condition.some_holds(sums):
                return condition.name
        return None

    def reachable_sums(self, condition: Condition) -> Longs | None:
        """Return the sums (modulo the modulus, if any) that the tiles can reach, ascending; or None if this takes too long."""
        if condition.modulus > WIDEST:
            return None
        copies = (
            (int(self.low[t]), min(int(self.high[t]), len(o))) for t, o in zip(self.tiles.tolist(), self.options_of_tiles, strict=True)
        )
        values = (_values(condition, options) for options in self.options_of_tiles)
        return Condition.reachable(values, copies, condition.modulus, MAX_WORK)

    def refuse_colouring(self, who: str) -> None:
        """Raise NotSupportedError if the problem has a colouring, for a solver that does not list solutions."""
        if self.colouring is not None:
            raise NotSupportedError(f"{who}: only solvers that list solutions can tell whether tiles can be coloured")

    def of_the_whole(self, rows: Rows) -> Rows:
        """Return the rows of a reduced problem with the option numbers of the whole problem."""
        return rows if self.origin is None else np.append(self.origin, -1)[rows].astype(np.int32)

    def can_be_coloured(self, rows: Rows) -> Flags:
        """Return for each solution whether it can be coloured, together with the pieces in ``colouring.placed``."""
        colouring = self.colouring
        if colouring is None:
            return np.ones(len(rows), dtype=np.bool_)
        found = np.empty(len(rows), dtype=np.bool_)
        for first in range(0, len(rows), MAX_AT_ONCE):
            some = rows[first : first + MAX_AT_ONCE]
            owners, pieces = _owners(self, colouring, some)
            a, b = owners[:, colouring.pairs[:, 0]], owners[:, colouring.pairs[:, 1]]
            touch = (a >= 0) & (b >= 0) & (a != b)
            for i in range(len(some)):
                graph = _graph(a[i, touch[i]], b[i, touch[i]], pieces)
                found[first + i] = _colourable(graph, colouring.colours)
        return found

    def placed_can_be_coloured(self) -> bool:
        """Return whether the pieces in ``colouring.placed`` can be coloured; if not, there is no solution."""
        return bool(self.can_be_coloured(np.full((1, 1), -1, dtype=np.int32)).all())

    def colours_of(self, options: Sequence[int]) -> list[int] | None:
        """Return a colour, from 0, for each of some options that are a piece each.

        None without a colouring, or if the options cannot be coloured.
        """
        colouring = self.colouring
        if colouring is None or not len(options):
            return None
        (owner,), size = _owners(self, colouring, np.array([options], dtype=np.int32))
        a, b = owner[colouring.pairs[:, 0]], owner[colouring.pairs[:, 1]]
        touch = (a >= 0) & (b >= 0) & (a != b)
        classes = [0] * colouring.colours
        if not _finish(_graph(a[touch], b[touch], size), classes, list(range(size))):
            return None
        return [next(c for c, members in enumerate(classes) if members >> i & 1) for i in range(len(options))]

    def settle(self, given: Sequence[int] = ()) -> CoverProblem | None:
        """Return the problem that is left when the forced options and those in ``given`` are chosen; None if they exclude each other.

        Its solutions are the solutions of this problem with the chosen options, without these.
        """
        if not self.forced and not given and self.high.all():
            return self
        chosen = np.array(sorted({*self.forced, *given}), dtype=np.int64)
        taken = np.isin(self.rows, chosen)
        covered = np.bincount(self.item[taken], minlength=len(self.items))
        plain = ~self.coloured
        possible = np.ones(self.size, dtype=bool)
        for item in np.unique(self.item[taken & self.coloured[self.item]]):
            entries = self.item == item
            colours = np.unique(self.colour[entries & taken])
            if len(colours) > 1 or (colours[0] == 0 and covered[item] > 1):
                return None
            possible[self.rows[entries & ((self.colour != colours[0]) | (self.colour == 0))]] = False
        if (covered > self.high)[plain].any():
            return None
        high = np.where(plain & (self.high != self.UNLIMITED), self.high - covered, self.high).astype(np.int32)
        possible[self.rows[(high == 0)[self.item]]] = False
        possible[chosen] = False
        return replace(
            self,
            low=np.maximum(self.low - covered, 0).astype(np.int32),
            high=high,
            conditions=tuple(_settled(c, int(c.weights[chosen].sum())) for c in self.conditions),
            colouring=None if self.colouring is None else _placed(self, self.colouring, chosen.tolist()),
            forced=(),
        ).select(possible)

    @cached_property
    def orbits(self) -> Ints:
        """The least image of each option under the symmetries, which names its orbit."""
        assert self.images is not None
        found: Ints = self.images.min(axis=0)
        return found

    def break_symmetry(self, item: int) -> CoverProblem:
        """Return the problem with one option of each orbit among the options of an item; ``weight`` is how many of them are in the orbit.

        Every solution has exactly one option of the item, and each option of an orbit is in equally many solutions. So the count of the
        whole problem is Σ weight over the solutions. A symmetry may map the item to another one: only the options of the item count.
        """
        options = self.options_of[item]
        _, first, number = np.unique(self.orbits[options], return_index=True, return_counts=True)
        keep, weight = np.ones(self.size, dtype=bool), np.ones(self.size, dtype=np.int64)
        keep[options] = False
        keep[options[first]] = True
        weight[options[first]] = number
        return replace(self, weight=weight, broken_on=item).select(keep)

    def breaking_tiles(self) -> list[int]:
        """Return the tiles on which the symmetry can be broken: tiles used exactly once that every symmetry maps to themselves."""
        if (images := self.images) is None or len(images) < 2 or self.forced:
            return []
        once = [int(t) for t in self.tiles if self.low[t] == self.high[t] == 1]
        return [tile for tile in once if np.isin(images[:, self.options_of[tile]], self.options_of[tile]).all()]

    def breaking_atoms(self) -> list[int]:
        """Return the other items on which the symmetry can be broken, one of each kind: items that are covered exactly once.

        The items come first whose options are in the largest orbits, on average.
        """
        if self.images is None or len(self.images) < 2 or self.forced:
            return []
        once = (self.low == 1) & (self.high == 1) & ~self.coloured
        once[self.tiles] = False
        pairs = np.unique(self.item.astype(np.int64) * self.size + self.orbits[self.rows])
        kept = np.bincount(pairs // max(self.size, 1), minlength=len(self.items))
        gain = np.bincount(self.item, minlength=len(self.items)) / np.maximum(kept, 1)
        atoms = np.flatnonzero(once & (gain > 1))
        _, first = np.unique(np.stack([-gain, kept], axis=1)[atoms], axis=0, return_index=True)
        found: list[int] = atoms[first].tolist()
        return found

    def choose_item(self, name: str | None = None) -> int | None:
        """Return the item on which to break the symmetry, a tile or else an atom, or None if none is possible.

        The item called ``name`` has priority. Then tiles are preferred whose placements no symmetry fixes, because each solution then
        represents as many solutions as there are symmetries; among them the tile for which the most placements are removed.
        """
        best, best_key = None, (False, 0)
        for tile in self.breaking_tiles():
            options = self.options_of[tile]
            assert self.images is not None
            images = self.images[:, options]
            free = not (images[1:] == options).any()
            removed = len(options) - len(np.unique(self.orbits[options]))
            if self.items[tile] == name:
                return tile
            if (key := (free, removed)) > best_key:
                best, best_key = tile, key
        if best is not None and name is None:
            return best
        atoms = self.breaking_atoms()
        return next((atom for atom in atoms if self.items[atom] == name), atoms[0] if atoms and best is None else best)


def least(images: Iterable[Numbers]) -> Numbers:
    """Return the least of several arrays (…, width), row by row."""
    return reduce(lambda rows, others: np.where((first_difference(rows, others) < 0)[..., None], rows, others), images)


class OptionImages:
    """The images of options and of solutions under the symmetries of a problem. The least image of a solution represents its class."""

    def __init__(self, problem: CoverProblem) -> None:
        images = np.arange(problem.size, dtype=np.int32)[None] if problem.images is None else problem.images
        self.array = np.hstack([images, np.full((len(images), 1), -1, dtype=np.int32)])
        """Array (symmetries, options + 1): the image of each option, the identity first; the last column maps the padding -1 to itself."""

    def are_least(self, rows: Rows, given: Sequence[int] = ()) -> Flags:
        """Return for each solution whether it is the least of its images, or of its images with the options ``given``."""
        found = []
        for some, moved in self._of(rows):
            later = first_difference(moved, some) >= 0
            for option in given:
                later |= (moved != option).all(axis=-1)
            found.append(later.all(axis=0))
        return np.concatenate(found) if found else np.ones(len(rows), dtype=np.bool_)

    def least(self, rows: Rows) -> Rows:
        """Return the least image of each solution."""
        found = [least(moved) for _, moved in self._of(rows)]
        return np.concatenate(found) if found else rows

    def distinct(self, rows: Rows) -> Rows:
        """Return the different least images of the solutions in order: a row for each class."""
        return unique_rows(self.least(rows))

    def one_of_each(self, rows: Rows, broken: CoverProblem) -> Rows:
        """Return the least images of the solutions of a problem whose symmetry was broken, one for each class.

        ``broken`` is that problem. A class may have several of its solutions: then only the least of them is used.
        """
        assert broken.origin is not None
        kept = np.zeros(self.array.shape[1], dtype=bool)
        kept[[*broken.origin, -1]] = True  # the padding, too
        found = [rows[:0]]
        for some, moved in self._of(rows):
            once = (~kept[moved].all(axis=-1) | (first_difference(moved, some) >= 0)).all(axis=0)
            found.append(least(moved[:, once]))
        return np.concatenate(found)

    def unmoved(self, rows: Rows) -> Flags:
        """Return the array (symmetries, solutions) that says which symmetries leave which solutions unchanged."""
        found = [(moved == some).all(axis=-1) for some, moved in self._of(rows)]
        return np.concatenate(found, axis=1) if found else np.ones((len(self.array), len(rows)), dtype=np.bool_)

    def _of(self, rows: Rows) -> Iterator[tuple[Rows, Rows]]:
        """Yield blocks of solutions, each with the array (symmetries, solutions, width) of their images."""
        if not rows.size:
            return
        together = max(1, MAX_TOGETHER // (len(self.array) * rows.shape[1]))
        for first in range(0, len(rows), together):
            some = rows[first : first + together]
            moved = self.array[:, some]  # the padding stays in place
            yield some, sorted_rows(moved.reshape(-1, some.shape[1])).reshape(moved.shape)


def _owners(problem: CoverProblem, colouring: Colouring, rows: Rows) -> tuple[Longs, int]:
    """Return the array (solutions, items) of the piece that has each item, or -1; and the number of pieces.

    Pieces are numbered along the row; pieces in ``colouring.placed`` come after them.
    """
    owners, pieces = _own_options(problem, rows) if colouring.pieces is None else _own_pieces(colouring, colouring.pieces, rows)
    for number, items in enumerate(colouring.placed):
        owners[:, list(items)] = pieces + number
    return owners, pieces + len(colouring.placed)


def _own_options(problem: CoverProblem, rows: Rows) -> tuple[Longs, int]:
    """Return the same if each option is one piece, without pieces in ``placed``."""
    owners = np.full((len(rows), len(problem.items)), -1, dtype=np.int64)
    for place in range(rows.shape[1]):
        there = np.flatnonzero(rows[:, place] >= 0)
        options = rows[there, place]
        sizes = (problem.start[options + 1] - problem.start[options]).astype(np.int64)
        first = np.repeat(problem.start[options] - (np.cumsum(sizes) - sizes), sizes)
        entries = first + np.arange(int(sizes.sum()))
        owners[np.repeat(there, sizes), problem.item[entries]] = place
    return owners, rows.shape[1]


def _own_pieces(colouring: Colouring, pieces: Sequence[Sequence[Sequence[int]]], rows: Rows) -> tuple[Longs, int]:
    """Return the same if options have several pieces, with the items of the problem before ``quotient``."""
    every = chain(*pieces, colouring.placed)
    width = 1 + max([int(colouring.pairs.max(initial=-1)), *(item for piece in every for item in piece)])
    owners, most = np.full((len(rows), width), -1, dtype=np.int64), 0
    for own, row in zip(owners, rows.tolist(), strict=True):
        number = -1
        for number, items in enumerate(piece for option in row if option >= 0 for piece in pieces[option]):
            own[list(items)] = number
        most = max(most, number + 1)
    return owners, most


def _graph(one: Longs, other: Longs, size: int) -> list[int]:
    """Return the neighbours of each piece as the bits of a number."""
    graph = [0] * size
    for a, b in set(zip(one.tolist(), other.tolist(), strict=True)):
        graph[a] |= 1 << b
        graph[b] |= 1 << a
    return graph


def _colourable(graph: list[int], colours: int) -> bool:
    """Return whether a graph can be coloured with ``colours`` colours."""
    classes = [0] * colours
    return _finish(graph, classes, [v for v, near in enumerate(graph) if near.bit_count() >= colours])


def _finish(graph: list[int], classes: list[int], left: list[int]) -> bool:
    """Return whether the vertices ``left`` can be coloured too, and add them to the colour classes."""
    if not left:
        return True
    choices = [[c for c, members in enumerate(classes) if not graph[v] & members] for v in left]
    best = min(range(len(left)), key=lambda i: (len(choices[i]), -graph[left[i]].bit_count()))
    rest = left[:best] + left[best + 1 :]
    tried_empty = False
    for c in choices[best]:
        if classes[c] == 0:
            if tried_empty:  # all unused colours are equivalent
                continue
            tried_empty = True
        classes[c] |= 1 << left[best]
        if _finish(graph, classes, rest):
            return True
        classes[c] ^= 1 << left[best]
    return False


def _settled(condition: Condition, total: int) -> Condition:
    """Return a condition on the remaining options, if the chosen ones have the sum ``total``."""
    residue = (condition.residue - total) % condition.modulus if condition.modulus else 0
    return replace(condition, low=condition.low - total, high=condition.high - total, residue=residue)


def _placed(problem: CoverProblem, colouring: Colouring, chosen: Sequence[int]) -> Colouring:
    """Return a colouring with the pieces of the chosen options in ``placed``."""
    return replace(colouring, placed=(*colouring.placed, *(piece for option in chosen for piece in colouring.pieces_of(problem, option))))
