"""The cover problem: what every solver gets.

D. E. Knuth, "The Art of Computer Programming", volume 4B, section 7.2.2.1: exact cover with colours (XCC) and with
multiplicities (MCC), and side conditions besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import overload

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, NotSupportedError, Reals

UNLIMITED = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Condition:
    """Σ weights over the options chosen lies in [low, high], or is ≡ residue modulo modulus where that is not 0."""

    name: str
    weights: Longs
    """One weight an option."""
    low: int
    high: int
    modulus: int = 0
    residue: int = 0
    implied: bool = False
    """Whether it follows from the coverage: it may then be left out, for it prunes only."""

    def holds(self, total: int) -> bool:
        """Tell whether a sum of weights satisfies the condition."""
        if self.modulus:
            return (total - self.residue) % self.modulus == 0
        return self.low <= total <= self.high


@dataclass(frozen=True, eq=False)
class Colouring:
    """The pieces of the chosen options can be coloured so that two that have the two items of a pair differ."""

    pairs: Ints
    """Array (pairs, 2) of items, each in one piece at most."""
    colours: int
    placed: tuple[tuple[int, ...], ...] = ()
    """The items of pieces that are chosen already, and are none of the problem's any more: they are coloured with the others."""
    pieces: tuple[tuple[tuple[int, ...], ...], ...] | None = None
    """For each option the items of each of its pieces, as they are numbered where each option is a piece; None: they are."""

    def pieces_of(self, problem: CoverProblem, option: int) -> tuple[tuple[int, ...], ...]:
        """Return the items of each piece of an option of a problem."""
        return (tuple(problem.items_of(option).tolist()),) if self.pieces is None else self.pieces[option]

    def select(self, chosen: Longs) -> Colouring:
        """Return the same for some of the options."""
        return self if self.pieces is None else replace(self, pieces=tuple(self.pieces[o] for o in chosen.tolist()))


@dataclass(frozen=True, eq=False)
class Chosen(Sequence[str]):
    """Some of many names."""

    names: Sequence[str]
    numbers: Longs

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return tuple(self.names[i] for i in self.numbers[index].tolist())
        return self.names[int(self.numbers[index])]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and not isinstance(other, str) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


def chosen_names(names: Sequence[str], numbers: Longs) -> Chosen:
    """Return some of many names, by their numbers."""
    return Chosen(names.names, names.numbers[numbers]) if isinstance(names, Chosen) else Chosen(names, numbers)


@dataclass(frozen=True, eq=False)
class CoverProblem:
    """Choose a set of options so that each item is covered as often as it allows.

    Item ``i`` must be in at least ``low[i]`` and at most ``high[i]`` chosen options. Options are rows in CSR form: option ``o``
    has the items ``item[start[o]:start[o + 1]]``, each with a colour; 0 is no colour. Options that give an item the same
    colour (not 0) may be chosen together and count once for it; with different colours, or without, they exclude each other
    on an item whose ``coloured`` flag is set.
    """

    items: tuple[str, ...]
    low: Ints
    high: Ints
    coloured: Flags
    options: Sequence[str]
    """Their names, which may be made when they are asked for."""
    start: Ints
    item: Ints
    colour: Ints
    tiles: Ints
    """Items that part the options: every option has exactly one of them. May be empty."""
    conditions: tuple[Condition, ...] = ()
    colouring: Colouring | None = None
    """What no solver can keep on its way: whoever lists solutions looks at each that is found (see ``solvers.coloured``)."""
    symmetries: tuple[str, ...] = ("identity",)
    images: Ints | None = None
    """Array (symmetries, options): the option to which each symmetry takes each option; None: no symmetry but the identity."""
    forced: tuple[int, ...] = ()
    """Options that are part of every solution."""
    centres: Reals | None = None
    """Array (items, dimensions): where an item lies, not-a-number where that has no meaning; no count depends on it."""
    adjacent: Ints | None = None
    """Array (pairs, 2) of items that touch, such that the items with a centre of each option hang together; None where they do not."""
    origin: Ints | None = None
    """For a reduced problem: the number of each option in the problem it came from."""
    broken_on: int | None = None
    """For a reduced problem: the tile of which one placement an orbit was kept."""
    weight: Longs | None = None
    """For a reduced problem: how many solutions of the whole problem a solution with this option stands for (a factor an option)."""

    @property
    def size(self) -> int:
        """The number of options."""
        return len(self.options)

    @property
    def asks_for_nothing(self) -> bool:
        """Whether items and conditions are content if no option is chosen; the colouring is not asked."""
        return not (self.low > 0).any() and all(condition.holds(0) for condition in self.conditions)

    def items_of(self, option: int) -> Ints:
        """Return the items of an option."""
        return self.item[self.start[option] : self.start[option + 1]]

    @cached_property
    def rows(self) -> Ints:
        """The option of each entry of ``item`` (the row of each stored element)."""
        return np.repeat(np.arange(self.size, dtype=np.int32), np.diff(self.start))

    @cached_property
    def entries_of(self) -> list[Longs]:
        """For each item, its entries in ascending order, as indices into ``item``."""
        narrow = self.item.astype(np.uint16) if len(self.items) < 1 << 16 else self.item  # for these numpy sorts by radix
        counts = np.bincount(self.item, minlength=len(self.items))
        return np.split(np.argsort(narrow, kind="stable"), np.cumsum(counts)[:-1])

    @cached_property
    def options_of(self) -> list[Ints]:
        """For each item, its options in ascending order."""
        return [self.rows[entries] for entries in self.entries_of]

    @cached_property
    def options_of_tiles(self) -> list[Ints]:
        """For each of ``tiles``, its options in ascending order: without what it takes to have ``options_of`` all items."""
        number = np.full(len(self.items), -1, dtype=np.int32)
        number[self.tiles] = np.arange(len(self.tiles))
        own = np.flatnonzero((number >= 0)[self.item])
        tile = number[self.item[own]]
        options = (np.searchsorted(self.start, own, side="right") - 1).astype(np.int32)
        ends = np.cumsum(np.bincount(tile, minlength=len(self.tiles)))
        return np.split(options[np.argsort(tile, kind="stable")], ends[:-1])

    @cached_property
    def antichain(self) -> bool:
        """Whether no solution can contain another: each option has an item that every solution covers equally often."""
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


def refuse_colouring(problem: CoverProblem, who: str) -> None:
    """Raise NotSupportedError where solutions must be such as can be coloured, for what does not see them one by one."""
    if problem.colouring is not None:
        raise NotSupportedError(f"{who}: only solvers that list solutions can tell whether tiles can be coloured")
