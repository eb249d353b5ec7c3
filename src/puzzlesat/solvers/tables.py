"""Lay a cover problem out for the kernels of the backtracker: as bitsets for ``kernel``, and as sparse sets for ``sparse_set_search``."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlesat.base import SILENT, Flags, Ints, Longs, NotSupportedError, Progress, Words
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers import kernel
from puzzlesat.solvers.kernel import State, Tables
from puzzlesat.solvers.simd import LANES, aligned, aligned_zeros
from puzzlesat.solvers.sparse_set_search import CellState, CellTables

WORDS_AT_ONCE = 1 << 21
"""Words of the tables that are written between two reports of progress."""
MAX_PRODUCT = 1 << 40
"""Limit of the product of the factors of one solution. It keeps the sum over a turn of the kernel far below 2⁶³."""


def make_tables(problem: CoverProblem, progress: Progress = SILENT) -> Tables:
    """Lay the problem out for the kernel.

    Raises NotSupportedError if a coloured item must be covered, if there are too many items for bitsets, or if weights are too big.
    """
    refuse_coloured_needs(problem)
    sizes = np.bincount(problem.item, minlength=len(problem.items))
    items = branching(problem, sizes)
    low, high = np.minimum(problem.low[items], problem.size + 1), problem.high[items]
    limited = np.flatnonzero((high > 1) & (high < sizes[items]))
    closed, plain = problem.antichain and len(items) > 0, is_plain(problem)
    first, group, option_of_bit, start, places, bits = _lay_out(problem, items, sizes, everything=not closed)
    everything = -1 if closed else len(items)
    if not closed:
        low, high = np.append(low, 0), np.append(high, problem.size + 1)
    stride = np.full(len(first), LANES)
    stride[len(items) :] = 1
    width = int(group[-1])
    memberships = _Memberships(problem, items[limited])
    rows = problem.size + 1 + len(limited)
    if len(group) * LANES > kernel.PLACE:
        raise NotSupportedError(f"backtrack: {len(items)} items are too many for bitsets; let the program choose the layout")
    full_row = np.full(len(first), -1, dtype=np.int32)
    full_row[limited] = problem.size + 1 + np.arange(len(limited))
    word, mask = (bits // 64).astype(np.int32), np.left_shift(np.uint64(1), (bits % 64).astype(np.uint64))
    return Tables(
        plain=plain,
        conditional=len(problem.conditions) > 0,
        width=width,
        sizes=np.array([width, len(group) - 1, -(-(len(group) - 1) * LANES // kernel.BLOCK), problem.size]),
        keep=_keep(problem, memberships, (start, word, mask), rows, width, progress),
        group=group,
        number=_numbers(len(group) - 1, plain=plain),
        first=first,
        stride=stride,
        option_of_bit=option_of_bit,
        row_of_bit=option_of_bit,
        own=_own(start, places, len(group) - 1, plain=plain),
        low=low.astype(np.int32),
        high=high.astype(np.int32),
        cover_start=start,
        cover_place=places.astype(np.int32),
        bit_word=word,
        bit_mask=mask,
        full_row=full_row,
        everything=everything,
        factor=factors(problem),
        **condition_tables(problem),
    )


def refuse_coloured_needs(problem: CoverProblem) -> None:
    """Raise NotSupportedError if a coloured item must be covered."""
    if (problem.coloured & (problem.low > 0)).any():
        raise NotSupportedError("backtrack: an item with colours that must be covered is not supported; use --solver sat or cpsat")


def bitset_bytes(problem: CoverProblem) -> int:
    """Return how much memory the tables and the state of a search would need."""
    sizes = np.bincount(problem.item, minlength=len(problem.items))
    items = branching(problem, sizes)
    words = int(LANES * _words_for(sizes[items])[::LANES].sum())
    if not problem.antichain or not len(items):
        words += LANES * -(-problem.size // (64 * LANES))
    rows = problem.size + problem.longest + 2 * len(problem.items) + int(problem.colour.max(initial=0))
    return 8 * words * rows


def is_plain(problem: CoverProblem) -> bool:
    """Return whether every item with a bitset is to be covered exactly once, and no solution can contain another."""
    items = branching(problem, np.bincount(problem.item, minlength=len(problem.items)))
    return bool(len(items) and (problem.low[items] == 1).all() and (problem.high[items] == 1).all() and problem.antichain)


def start_state(t: Tables, problem: CoverProblem, given: Sequence[int]) -> State:
    """Return the state before the first node, for the solutions that contain the options ``given``."""
    begin = np.array([problem.size, *dict.fromkeys(given)], dtype=np.int32)
    levels = problem.longest + len(begin) + 2
    conditions, tiles = t.least.shape
    s = State(
        given=begin,
        words=aligned_zeros(levels * t.width),
        path=np.zeros(levels, dtype=np.int32),
        branch=np.zeros(levels, dtype=np.int32),
        at=np.zeros(levels, dtype=np.int64),
        rest=np.zeros(levels, dtype=np.uint64),
        tries=np.zeros(levels, dtype=np.int64),
        branches=np.ones(levels, dtype=np.int64),
        needs=np.zeros(levels, dtype=np.int64),
        open=np.zeros((levels, t.own.shape[1]), dtype=np.uint64),
        covered=np.zeros(len(t.low), dtype=np.int32),
        offset=np.full(len(t.number), kernel.IDLE, dtype=np.uint64),
        sums=np.zeros((levels, conditions), dtype=np.int64),
        sum_least=np.zeros((levels, conditions), dtype=np.int64),
        sum_most=np.zeros((levels, conditions), dtype=np.int64),
        tile_count=np.zeros(tiles, dtype=np.int64),
        seen=np.zeros(levels, dtype=np.int64),
        control=np.array([0, 0, kernel.NOTHING, kernel.NOTHING], dtype=np.int64),
        work=np.zeros(kernel.COUNTERS, dtype=np.int64),
    )
    never = np.zeros(problem.size + 1, dtype=bool)
    never[problem.rows[(problem.high == 0)[problem.item]]] = True
    s.words[: t.width] = _as_words((t.option_of_bit >= 0) & ~never[t.option_of_bit])
    low = np.maximum(t.low, 0).astype(np.int64)
    s.needs[0] = low.sum()
    if t.plain:
        places = np.arange(len(low))
        np.bitwise_or.at(s.open[0], places // kernel.BLOCK, np.left_shift(np.uint64(1), (places % kernel.BLOCK).astype(np.uint64)))
    s.offset[: len(low)] = np.where(low > 0, kernel.NEEDY - low, kernel.IDLE)
    s.sum_least[0], s.sum_most[0] = first_bounds(t)
    s.tries[0] = not never[begin].any()
    return s


def first_bounds(t: Tables | CellTables) -> tuple[Longs, Longs]:
    """Return the least and the greatest amount that the tiles add to the sum of each condition."""
    least = np.where(t.least < 0, t.least * t.tile_high, t.least * t.tile_low).sum(axis=1)
    most = np.where(t.most > 0, t.most * t.tile_high, t.most * t.tile_low).sum(axis=1)
    return least, most


def option_bits(t: Tables, chosen: Flags) -> Words:
    """Return the bits of some options in the bitsets of a level; ``chosen`` has a flag for option n, too."""
    return _as_words((t.option_of_bit >= 0) & chosen[t.option_of_bit])


def copy_state(s: State) -> State:
    """Return an independent copy of a state."""
    return State(*(part.copy() for part in s))._replace(words=aligned(s.words))


def branching(problem: CoverProblem, sizes: Longs) -> Longs:
    """Return the items that need a bitset, most words first: items to be covered, and items with a limit above 1 that can be exceeded."""
    items = np.flatnonzero((problem.low > 0) | (~problem.coloured & (problem.high > 1) & (problem.high < sizes)))
    return items[np.argsort(-_words_for(sizes[items]), kind="stable")]


def _words_for(options: Longs) -> Longs:
    return np.maximum(1, -(-options // 64))


def _lay_out(problem: CoverProblem, items: Longs, sizes: Longs, *, everything: bool) -> tuple[Longs, Longs, Ints, Longs, Longs, Longs]:
    """Give every option a bit in the bitset of each of its ``items``, and one in "all options" if ``everything`` is true.

    Return the first word of each bitset, the first word of each group, the option of each bit, and in CSR by option: places and bits.
    """
    layers = _words_for(sizes[items])[::LANES]
    group = LANES * np.concatenate([[0], np.cumsum(layers)])
    place = np.arange(len(items))
    first = group[place // LANES] + place % LANES
    number = np.full(len(problem.items), -1)
    number[items] = place
    entries = np.flatnonzero(number[problem.item] >= 0)
    options, places = problem.rows[entries].astype(np.int64), number[problem.item[entries]]
    order = _sorted(places)
    begins = np.cumsum(sizes[items]) - sizes[items]
    index = np.empty(len(entries), dtype=np.int64)
    index[order] = np.arange(len(entries)) - begins[places[order]]
    bits = 64 * (first[places] + LANES * (index // 64)) + index % 64
    if everything:
        own = np.arange(problem.size)
        start = int(group[-1])
        group = np.append(group, start + LANES * -(-problem.size // (64 * LANES)))
        first = np.append(first, start)
        options, places, bits = np.append(options, own), np.append(places, 0 * own + len(items)), np.append(bits, 64 * start + own)
        order = np.argsort(options, kind="stable")
        options, places, bits = options[order], places[order], bits[order]
    option_of_bit = np.full(64 * int(group[-1]), -1, dtype=np.int32)
    option_of_bit[bits] = options
    start_of = np.concatenate([[0], np.cumsum(np.bincount(options, minlength=problem.size + 1))])
    return first, group, option_of_bit, start_of, places, bits


def _numbers(groups: int, *, plain: bool) -> Words:
    least = -kernel.PLACE - 1 if plain else 0
    return np.arange(least, least + LANES * groups, dtype=np.int64).view(np.uint64)


def _own(start: Longs, places: Longs, groups: int, *, plain: bool) -> Words:
    """Return the items of each option, and of option n, as bits; no rows unless the problem is plain."""
    own = np.zeros((len(start) - 1 if plain else 0, -(-groups * LANES // kernel.BLOCK)), dtype=np.uint64)
    numbers = np.arange(len(own) + 1)
    mask = np.left_shift(np.uint64(1), (places % kernel.BLOCK).astype(np.uint64))
    kernel.add_bits(numbers, numbers[:-1].astype(np.int32), start, (places // kernel.BLOCK).astype(np.int32), mask, own)
    return own


class _Memberships:
    """Sets of options with something in common: an item that excludes, a colour of an excluding item, or a limited item.

    ``start``, ``sets``: CSR, the sets of each option. ``excluding``: CSR with ``start_excluding``, the sets that each option excludes: the
    sets of its items. For a colour, it is the set of the colour once ``others`` has replaced it by the item's other options.
    """

    def __init__(self, problem: CoverProblem, limited: Longs) -> None:
        excludes = (problem.high == 1) | problem.coloured
        if not len(limited) and excludes.all() and not problem.coloured.any():  # the usual case: one set per item
            self.item_of_tint, self.tints, self.limited = np.empty(0, dtype=np.int64), slice(0), slice(0)
            self.count = len(problem.items)
            self.start = self.start_excluding = problem.start.astype(np.int64)
            self.sets = self.excluding = problem.item
            return
        entries = np.flatnonzero(excludes[problem.item])
        items, own = np.unique(problem.item[entries], return_inverse=True)
        options = problem.rows[entries]
        tinted = np.flatnonzero(problem.coloured[problem.item[entries]] & (problem.colour[entries] != 0))
        tints, tint = np.unique(np.stack([own[tinted], problem.colour[entries[tinted]].astype(np.int64)]), axis=1, return_inverse=True)
        tint = tint.reshape(-1) + len(items)
        excluding = own.copy()
        excluding[tinted] = tint
        number = np.full(len(problem.items), -1)
        number[limited] = len(items) + tints.shape[1] + np.arange(len(limited))
        rest = np.flatnonzero(number[problem.item] >= 0)
        self.item_of_tint = tints[0]
        self.tints = slice(len(items), len(items) + tints.shape[1])
        self.limited = slice(self.tints.stop, self.tints.stop + len(limited))
        self.count = self.limited.stop
        self.start, self.sets = _by_option(
            problem.size,
            np.concatenate([options, options[tinted], problem.rows[rest]]),
            np.concatenate([own, tint, number[problem.item[rest]]]),
        )
        self.start_excluding, self.excluding = _by_option(problem.size, options, excluding)

    def others(self, rows: Words) -> None:
        """Replace the row of each colour by the row of its item's options with another colour or without a colour."""
        rows[self.tints] = rows[self.item_of_tint] & ~rows[self.tints]


def _sorted(numbers: NDArray[Any]) -> Longs:
    """Return the stable order of numbers from 0 on; a radix sort orders small numbers several times faster."""
    short = len(numbers) and int(numbers.max()) < 1 << 16
    return np.argsort(numbers.astype(np.uint16) if short else numbers, kind="stable")


def _by_option(size: int, options: NDArray[Any], values: NDArray[Any]) -> tuple[Longs, Ints]:
    order = _sorted(options)
    start = np.concatenate([[0], np.cumsum(np.bincount(options, minlength=size))])
    return start, values[order].astype(np.int32)


def _keep(problem: CoverProblem, m: _Memberships, own: tuple[Longs, Ints, Words], rows: int, width: int, progress: Progress) -> Words:
    """Return the bits that stay when an option is chosen, or an item is full; ``own`` gives each option's own bits."""
    sets = aligned_zeros(m.count * width).reshape(m.count, width)
    kernel.add_bits(m.start, m.sets, *own, sets)
    m.others(sets)
    keep = aligned_zeros(rows * width).reshape(rows, width)
    np.invert(sets, out=sets)
    block = max(1, WORDS_AT_ONCE // width)
    for first in range(0, problem.size, block):
        some = slice(first, min(first + block, problem.size))
        part = keep[some]
        starts = own[0][some.start : some.stop + 1]
        kernel.add_bits(np.arange(len(part) + 1), np.arange(len(part), dtype=np.int32), starts, *own[1:], part)
        np.invert(part, out=part)
        kernel.keep_common(m.start_excluding[some.start : some.stop + 1], m.excluding, sets, part)
        progress({"nodes": 0, "options": some.stop})
    keep[problem.size] = ~np.uint64(0)
    keep[problem.size + 1 :] = sets[m.limited]
    return keep.reshape(-1)


def factors(problem: CoverProblem) -> Longs:
    """Return the factors of the options, or an empty array if there are none.

    Raises NotSupportedError if their products could be too big.
    """
    if problem.weight is None:
        return np.empty(0, dtype=np.int64)
    weight = problem.weight
    if problem.broken_on is not None:  # every solution has one of its options, and all others have the factor 1
        parts = [(weight, 1)]
    elif len(problem.tiles):
        parts = [(weight[problem.options_of[t]], int(problem.high[t])) for t in problem.tiles]
    else:
        parts = [(weight, problem.longest)]
    bound = prod(max(1, int(w.max(initial=1))) ** min(most, len(w)) for w, most in parts)
    if bound > MAX_PRODUCT:
        raise NotSupportedError("backtrack: the weights of the options are too big to be multiplied")
    return np.append(problem.weight, 1).astype(np.int64)


def condition_tables(problem: CoverProblem) -> dict[str, np.ndarray]:
    """Return the tables of conditions and tiles, with the smallest and the largest weight of each tile."""
    n, conditions = problem.size, problem.conditions
    weight = np.array([np.append(c.weights, 0) for c in conditions], dtype=np.int64).reshape(len(conditions), n + 1)
    if len(problem.tiles):
        number = np.full(len(problem.items), -1, dtype=np.int32)
        number[problem.tiles] = np.arange(len(problem.tiles))
        tile = np.maximum.reduceat(number[problem.item], problem.start[:-1])
        sizes = np.bincount(tile, minlength=len(problem.tiles))
        low, high = problem.low[problem.tiles].astype(np.int64), np.minimum(problem.high[problem.tiles], sizes)
    else:
        tile, low, high = np.zeros(n, dtype=np.int32), np.array([0]), np.array([n])
    tile, low, high = np.append(tile, len(low)), np.append(low, 0), np.append(high, 0)
    least, most = np.zeros((2, len(conditions), len(low)), dtype=np.int64)
    order, begins = np.argsort(tile[:n], kind="stable"), np.searchsorted(np.sort(tile[:n]), np.arange(len(low)))
    used = np.flatnonzero(np.bincount(tile[:n], minlength=len(low)))
    if conditions and n:
        least[:, used] = np.minimum.reduceat(weight[:, order], begins[used], axis=1)
        most[:, used] = np.maximum.reduceat(weight[:, order], begins[used], axis=1)
    return {
        "weight": weight,
        "sum_low": np.array([c.low for c in conditions], dtype=np.int64),
        "sum_high": np.array([c.high for c in conditions], dtype=np.int64),
        "modulus": np.array([c.modulus for c in conditions], dtype=np.int64),
        "residue": np.array([c.residue for c in conditions], dtype=np.int64),
        "tile": tile.astype(np.int32),
        "tile_low": low.astype(np.int64),
        "tile_high": high.astype(np.int64),
        "least": least,
        "most": most,
    }


def _as_words(bits: Flags) -> Words:
    return np.packbits(bits, bitorder="little").view(np.uint64)


BYTES_AN_ENTRY = 64
"""Bytes per entry that are needed at once while the tables are made, approximately."""


def cell_bytes(problem: CoverProblem) -> int:
    """Return how much memory the tables and the state of a search need at most."""
    return BYTES_AN_ENTRY * (len(problem.item) + problem.size * (2 + len(problem.conditions)))


def make_cell_tables(problem: CoverProblem) -> CellTables:
    """Lay the problem out for ``sparse_set_search``. Raises NotSupportedError if a coloured item must be covered."""
    refuse_coloured_needs(problem)
    n = problem.size
    sizes = np.bincount(problem.item, minlength=len(problem.items))
    chosen = branching(problem, sizes)
    excluding = np.setdiff1d(np.flatnonzero((problem.high == 1) | problem.coloured), chosen)
    items = np.concatenate([chosen, excluding])
    closed = problem.antichain and len(chosen) > 0
    number = np.full(len(problem.items), -1)
    number[items] = np.arange(len(items))
    entries = np.flatnonzero(number[problem.item] >= 0)
    option, place, colour = problem.rows[entries].astype(np.int64), number[problem.item[entries]], problem.colour[entries]
    low, high, coloured = problem.low[items], problem.high[items], problem.coloured[items]
    if not closed:
        option, place = np.append(option, np.arange(n)), np.append(place, np.full(n, len(items)))
        colour = np.append(colour, np.zeros(n, dtype=np.int32))
        low, high, coloured = np.append(low, 0), np.append(high, n + 1), np.append(coloured, False)
        order = np.argsort(option, kind="stable")
        option, place, colour = option[order], place[order], colour[order]
    return CellTables(
        conditional=len(problem.conditions) > 0,
        start=np.concatenate([[0], np.cumsum(np.bincount(option, minlength=n + 1))]),
        place=place.astype(np.int32),
        option=option.astype(np.int32),
        colour=np.where(coloured[place], colour, 0).astype(np.int32),
        first=np.concatenate([[0], np.cumsum(np.bincount(place, minlength=len(low)))[:-1]]),
        branching=len(chosen),
        low=np.minimum(low, n + 1).astype(np.int32),
        high=high.astype(np.int32),
        coloured=coloured,
        everything=-1 if closed else len(items),
        factor=factors(problem),
        **condition_tables(problem),
    )


def start_cells(t: CellTables, problem: CoverProblem, given: Sequence[int]) -> CellState:
    """Return the state before the first node, for the solutions that contain the options ``given``."""
    begin = np.array([problem.size, *dict.fromkeys(given)], dtype=np.int32)
    levels = problem.longest + len(begin) + 2
    conditions, tiles = t.least.shape
    never = np.zeros(problem.size + 1, dtype=bool)
    never[problem.rows[(problem.high == 0)[problem.item]]] = True
    cells = np.lexsort((never[t.option], t.place)).astype(np.int32)
    position = np.empty_like(cells)
    position[cells] = np.arange(len(cells), dtype=np.int32)
    s = CellState(
        given=begin,
        cells=cells,
        position=position,
        size=np.bincount(t.place[~never[t.option]], minlength=len(t.low)).astype(np.int32),
        need=t.low.copy(),
        covered=np.zeros_like(t.low),
        trail=np.zeros(problem.size + 1, dtype=np.int32),
        mark=np.zeros(levels, dtype=np.int64),
        path=np.zeros(levels, dtype=np.int32),
        branch=np.zeros(levels, dtype=np.int32),
        last=np.zeros(levels, dtype=np.int32),
        tries=np.zeros(levels, dtype=np.int64),
        branches=np.ones(levels, dtype=np.int64),
        needs=np.zeros(levels, dtype=np.int64),
        sums=np.zeros((levels, conditions), dtype=np.int64),
        sum_least=np.zeros((levels, conditions), dtype=np.int64),
        sum_most=np.zeros((levels, conditions), dtype=np.int64),
        tile_count=np.zeros(tiles, dtype=np.int64),
        control=np.zeros(4, dtype=np.int64),
        work=np.zeros(kernel.COUNTERS, dtype=np.int64),
    )
    s.needs[0] = t.low.astype(np.int64).sum()
    s.sum_least[0], s.sum_most[0] = first_bounds(t)
    s.tries[0] = not never[begin].any()
    return s


def copy_cells(s: CellState) -> CellState:
    """Return an independent copy of a state."""
    return CellState(*(part.copy() for part in s))
