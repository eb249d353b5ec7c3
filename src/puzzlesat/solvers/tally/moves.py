"""A cover problem as moves: the items that an option fills from the first empty one on, and its change to the record of the tiles used.

The items are filled in an order that keeps few of them open at any time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, NotSupportedError, Words
from puzzlesat.kernels import compiled
from puzzlesat.puzzles import Condition, CoverProblem
from puzzlesat.solvers.memory import get, put

if TYPE_CHECKING:
    import networkx as nx

NARROW = 1 << 24
"""Cost of an order up to which no better order is sought. The numbers of solutions depend on this limit."""
SLANTS = ((1, 1), (1, -1))


def scan_order(problem: CoverProblem, positions: Ints, enough: int = NARROW, *, some: Flags | None = None) -> Ints:
    """Return ``positions`` (items) in the order in which to fill them.

    The candidates are scans along the lattice directions and diagonals, if the items have places, and the Cuthill-McKee order of the graph
    of items that touch. The order with the narrowest frontiers wins: Σ 2^width over all steps, where the width is the number of items ahead
    that an option placed earlier may have filled. With ``some`` only these options are examined. If the cost is at most ``enough``, the
    graph, which takes a millisecond, is not tried.
    """
    number = np.full(len(problem.items), -1, dtype=np.int64)
    number[positions] = np.arange(len(positions))
    inside = number[problem.item] >= 0
    if some is not None:
        inside &= some[problem.rows]
    rows, cells = problem.rows[inside], number[problem.item[inside]]
    begins = np.append(np.flatnonzero(np.diff(rows, prepend=-1)), len(cells))
    different = {order.tobytes(): order for order in (np.arange(len(positions)), *_along_lattice(problem, positions))}
    orders = list(different.values())
    best = min((_cost(order, begins, cells), i) for i, order in enumerate(orders))
    if best[0] > enough:
        from networkx.utils import cuthill_mckee_ordering  # takes a twentieth of a second to import

        graph = _touching(problem, positions, rows, cells)
        orders.append(np.array(list(cuthill_mckee_ordering(graph)), dtype=np.int64))
        best = min(best, (_cost(orders[-1], begins, cells), len(orders) - 1))
    order: Ints = positions[orders[best[1]]]
    return order


def _along_lattice(problem: CoverProblem, positions: Ints) -> Iterator[Longs]:
    """Yield the orders by one lattice direction or diagonal, then by the others, forwards and backwards."""
    if problem.centres is None or not len(positions):
        return
    places = problem.centres[positions]
    if np.isnan(places).any():
        return
    axes = list(places.T)
    slanted = [a * x + b * y for a, b in SLANTS for i, x in enumerate(axes) for y in axes[i + 1 :]]
    rests = [np.lexsort([np.round(axis, 6) for axis in reversed(rest)]) for rest in permutations(axes)]
    for key in (*axes, *slanted):
        first = np.round(key, 6)
        for rest in rests:
            for sign in (1, -1):
                yield rest[np.argsort(sign * first[rest], kind="stable")]


def _touching(problem: CoverProblem, positions: Ints, rows: Ints, cells: Longs) -> nx.Graph:
    """Return the graph of items that touch, or, if this is unknown, of items that follow each other in an option."""
    from networkx import Graph

    graph = Graph()
    graph.add_nodes_from(range(len(positions)))
    if problem.adjacent is None:
        order = np.lexsort((cells, rows))
        same = np.flatnonzero(np.diff(rows[order]) == 0)
        graph.add_edges_from(zip(cells[order][same].tolist(), cells[order][same + 1].tolist(), strict=True))
        return graph
    number = {int(item): i for i, item in enumerate(positions)}
    graph.add_edges_from((number[a], number[b]) for a, b in problem.adjacent.tolist() if a in number and b in number)
    return graph


def _cost(order: Longs, begins: Longs, cells: Longs) -> int:
    """Return Σ 2^width, exactly, so that the same order wins on every machine.

    Option o has the cells from ``begins[o]`` to ``begins[o + 1]``.
    """
    n = len(order)
    if not len(cells):
        return 0
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    earliest = np.arange(n)
    begin_early(place, begins, cells, earliest)
    change = np.bincount(earliest + 1, minlength=n + 1)  # open from the step after the first option that may fill it
    change[1:] -= 1
    return sum(steps << width for width, steps in enumerate(np.bincount(np.cumsum(change)).tolist()))


@compiled
def begin_early(place: Longs, begins: Longs, cells: Longs, earliest: Longs) -> None:
    """Lower the entry of each place to the first place of any option that may fill it."""
    for option in range(begins.size - 1):
        first = get(place, get(cells, get(begins, option)))
        for k in range(get(begins, option), get(begins, option + 1)):
            first = min(first, get(place, get(cells, k)))
        for k in range(get(begins, option), get(begins, option + 1)):
            at = get(place, get(cells, k))
            put(earliest, at, min(get(earliest, at), first))


REFUSE, SATURATE, WRAP = 0, 1, 2
"""Action if a field of the record exceeds its cap: refuse the move, stay at the cap, or wrap around to 0."""
MAX_BITS = 62


class Moves(NamedTuple):
    """The options by the first position that they fill. n positions, m moves, K words of window, C words of colours."""

    start: Ints  # (n + 1,) CSR: the moves whose first position is p
    mask: Words  # (m, K) positions filled; bit i means p + i
    label: Ints  # (m,)
    option: Ints  # (m,) in ascending order for each first position
    colour_start: Ints  # (m + 1,) CSR: the colours that a move gives
    colour_word: Ints
    colour_shift: Words
    colour_mask: Words  # as wide as the field, not shifted
    colour_value: Words
    dying: Words  # (n + 1, C) fields of colours that no move can touch once position p is the first empty one
    optional: Flags  # (n,) may stay empty

    @property
    def reach(self) -> int:
        """Number of positions that the longest move spans."""
        words = np.bitwise_or.reduce(self.mask, axis=0, initial=0)
        return max((64 * w + int(word).bit_length() for w, word in enumerate(words) if word), default=0)


class Labels(NamedTuple):
    """The changes of the record by moves: a word of bit fields, one per tile or side condition. L different labels."""

    add: Words  # (L,) what is added to fields of one bit
    zero: Words  # (L,) bits that must be 0 before
    start: Ints  # (L + 1,) CSR: changes of wider fields
    shift: Words
    mask: Words
    amount: Words
    cap: Words  # the highest value, or the modulus
    kind: Ints


@dataclass(frozen=True)
class Field:
    """A bit field of the record."""

    name: str
    shift: int
    bits: int
    kind: int
    cap: int
    """Highest value; the modulus of a field that wraps."""
    amounts: Longs
    """The amount that each option adds."""
    low: int = 0
    """The least value with which a solution may end."""
    condition: Condition | None = None
    base: int = 0
    """Lower bound of the sum of a field that wraps because sums may be negative."""

    def holds(self, record: Words) -> Flags:
        """Return for each record whether a solution may end with it."""
        value = (record >> np.uint64(self.shift)).astype(np.int64) & ((1 << self.bits) - 1)
        good: Flags = value >= self.low
        if self.kind == WRAP and self.condition is not None:
            total = value if self.condition.modulus else self.base + (value - self.base) % self.cap
            good = np.array([self.condition.holds(int(t)) for t in total], dtype=bool)
        return good


@dataclass(frozen=True)
class Record:
    """The fields, their changes by moves, and their values at the end of a solution."""

    fields: tuple[Field, ...]
    labels: Labels
    bits: int
    target: int | None
    """The record with which all solutions end; None if it is not fixed."""
    tiles: int | None
    """The number of moves of every solution; None if the target does not fix it."""

    @property
    def merging(self) -> int:
        """The greatest number of records that a move can map to one record.

        A field that stays at its cap merges all values that the move raises to the cap or beyond, and the cap.
        """
        return prod(1 + int(f.amounts.max(initial=0)) for f in self.fields if f.kind == SATURATE)


def positions_of(problem: CoverProblem) -> Ints:
    """Return the items that are filled once: no tiles, copies or colours, and only items with a place in space, if any have one."""
    once = (problem.high == 1) & ~problem.coloured
    once[problem.tiles] = False
    if problem.centres is not None:
        once &= ~np.isnan(problem.centres).any(axis=1)
    return np.flatnonzero(once).astype(np.int32)


def make_moves(problem: CoverProblem, enough: int = NARROW) -> tuple[Moves, Record, Ints]:
    """Order the positions (see ``scan_order``) and write the options as moves.

    Raises NotSupportedError if an option fills no position, an item with colours must be covered, or the record has too many bits.
    """
    if (problem.coloured & (problem.low > 0)).any():
        raise NotSupportedError("tally: an item with colours that must be covered is not supported; use --solver sat or cpsat")
    order = scan_order(problem, positions_of(problem), enough)
    record, label, allowed = _record(problem)
    return lay(problem, order, label, allowed), record, order


def lay(problem: CoverProblem, order: Ints, label: Ints, times: Flags | Longs) -> Moves:
    """Write the options as moves, each repeated ``times``, for an order of the positions. Raises NotSupportedError like ``make_moves``."""
    n = len(order)
    place = np.full(len(problem.items), -1, dtype=np.int64)
    place[order] = np.arange(n)
    inside = np.flatnonzero((place >= 0)[problem.item])
    at, rows = place[problem.item[inside]], problem.rows[inside]
    begins = np.flatnonzero(np.diff(rows, prepend=-1))
    if len(begins) < problem.size:
        raise NotSupportedError("tally: an option that fills no position is not supported; use --solver backtrack")
    first = np.minimum.reduceat(at, begins)
    sequence = np.argsort(first, kind="stable")
    word, bit = np.divmod(at - first[rows], 64)
    bits = np.left_shift(np.uint64(1), bit.astype(np.uint64))
    columns = [np.bitwise_or.reduceat(np.where(word == w, bits, np.uint64(0)), begins) for w in range(1 + int(word.max(initial=0)))]
    mask = np.stack(columns, axis=1)
    sequence = np.repeat(sequence, times[sequence])
    return Moves(
        start=np.searchsorted(first[sequence], np.arange(n + 1)).astype(np.int32),
        mask=np.ascontiguousarray(mask[sequence]),
        label=label[sequence].astype(np.int32),
        option=sequence.astype(np.int32),
        optional=problem.low[order] == 0,
        **_colours(problem, sequence, first, n),
    )


def _record(problem: CoverProblem) -> tuple[Record, Ints, Flags]:
    """Return the record, the label of each option, and whether each option may be used at all."""
    fields: list[Field] = []
    for name, amounts, low, high, condition in _demands(problem):
        shift = sum(f.bits for f in fields)
        field = _field(name, shift, amounts, low, high, condition, problem.longest)
        if field is not None:
            fields.append(field)
    bits = sum(f.bits for f in fields)
    if bits > MAX_BITS:
        raise NotSupportedError(f"tally: telling {bits} bits of tiles used apart is too much; use --solver backtrack")
    table = np.array([f.amounts for f in fields], dtype=np.int64).reshape(len(fields), problem.size)
    kinds, label = _different(table)
    allowed = np.ones(problem.size, dtype=bool)
    for f in fields:
        if f.kind == REFUSE:
            allowed &= f.amounts <= f.cap
    exact = all(f.kind == REFUSE and f.low == f.cap for f in fields)
    target = sum(f.cap << f.shift for f in fields) if exact else None
    numbers = [k for k, f in enumerate(fields) if f.condition is None]
    each_one = bool((table[numbers].sum(axis=0) == 1).all())
    tiles = sum(fields[k].cap for k in numbers) if exact and each_one and numbers else None
    return Record(tuple(fields), _labels(fields, kinds), bits, target, tiles), label, allowed


def _different(table: Longs) -> tuple[Longs, Ints]:
    """Return the distinct columns of a table, and for each column its index among them."""
    if not table.size:
        return table[:, :1], np.zeros(table.shape[1], dtype=np.int32)
    if (np.count_nonzero(table, axis=0) == 1).all() and (table.sum(axis=0) == 1).all():  # one tile per option, and nothing else
        return np.eye(len(table), dtype=np.int64), table.argmax(axis=0).astype(np.int32)
    columns = np.ascontiguousarray(table.T)
    whole = columns.view(np.dtype((np.void, columns.itemsize * columns.shape[1]))).ravel()
    _, first, label = np.unique(whole, return_index=True, return_inverse=True)
    return table[:, first], label.astype(np.int32)


def _demands(problem: CoverProblem) -> list[tuple[str, Longs, int, int | None, Condition | None]]:
    """Return the amounts counted while tiles are laid: items that may be covered several times, tiles, and side conditions."""
    demands: list[tuple[str, Longs, int, int | None, Condition | None]] = []
    single = np.zeros(len(problem.items), dtype=bool)
    single[positions_of(problem)] = True
    counted = np.flatnonzero(~single & ~problem.coloured & ((problem.high > 0) | (problem.low > 0)))
    number = np.full(len(problem.items), -1, dtype=np.int64)
    number[counted] = np.arange(len(counted))
    own = np.flatnonzero((number >= 0)[problem.item])
    table = np.zeros((len(counted), problem.size), dtype=np.int64)
    table[number[problem.item[own]], problem.rows[own]] = 1
    for i, amounts in zip(counted.tolist(), table, strict=True):
        high = None if problem.high[i] == CoverProblem.UNLIMITED else int(problem.high[i])
        demands.append((problem.items[i], amounts, int(problem.low[i]), high, None))
    demands += [(c.name, c.weights, c.low, c.high, c) for c in problem.conditions if not c.implied]
    return demands


def _field(name: str, shift: int, amounts: Longs, low: int, high: int | None, condition: Condition | None, longest: int) -> Field | None:
    """Return the field for a sum of amounts between low and high; None if the sum can never be outside."""
    if condition is not None and condition.modulus:
        m = condition.modulus
        return Field(name, shift, (m - 1).bit_length() or 1, WRAP, m, amounts % m, 0, condition)
    if condition is not None and (amounts < 0).any():
        least, most = longest * min(0, int(amounts.min())), longest * max(0, int(amounts.max()))
        if low <= least and most <= (high if high is not None else most):
            return None
        bits = (most - least + 1).bit_length()
        return Field(name, shift, bits, WRAP, 1 << bits, amounts % (1 << bits), 0, condition, least)
    most = min(longest * int(amounts.max(initial=0)), int(amounts.sum()))
    if high is None or most < high:
        return None if low <= 0 else Field(name, shift, low.bit_length(), SATURATE, low, np.minimum(amounts, low), low)
    if high < 0:
        return Field(name, shift, 1, SATURATE, 1, np.zeros_like(amounts), 1)  # no option adds to it, so no solution counts
    return Field(name, shift, high.bit_length() or 1, REFUSE, high, amounts, low, condition)


def _labels(fields: list[Field], kinds: Longs) -> Labels:
    """Return the changes that each label makes to the record; a label is a column of ``kinds``, its amounts by field."""
    count = kinds.shape[1]
    add, zero = [0] * count, [0] * count
    changes: list[tuple[int, int, int, int, int]] = []
    start = [0]
    for column in range(count):
        for field, amount in zip(fields, kinds[:, column].tolist(), strict=True):
            if field.kind == REFUSE and field.cap == 1 and amount == 1:
                add[column] |= 1 << field.shift
                zero[column] |= 1 << field.shift
            elif amount:
                changes.append((field.shift, (1 << field.bits) - 1, amount, field.cap, field.kind))
        start.append(len(changes))
    columns = np.array(changes, dtype=np.uint64).reshape(-1, 5).T
    return Labels(
        add=np.array(add, dtype=np.uint64),
        zero=np.array(zero, dtype=np.uint64),
        start=np.array(start, dtype=np.int32),
        shift=columns[0].copy(),
        mask=columns[1].copy(),
        amount=columns[2].copy(),
        cap=columns[3].copy(),
        kind=columns[4].astype(np.int32),
    )


def _colours(problem: CoverProblem, sequence: Longs, first: Longs, n: int) -> dict[str, np.ndarray]:
    """Give each coloured item a field for as long as moves can touch it; fields of items that are never open together share bits."""
    entries = np.flatnonzero(problem.coloured[problem.item])
    fields, words = _colour_fields(problem, entries, first)
    start, found = [0], []
    for option in sequence if fields else ():
        for e in range(problem.start[option], problem.start[option + 1]):
            if (item := int(problem.item[e])) in fields:
                word, shift, width, names, _ = fields[item]
                found.append((word, shift, (1 << width) - 1, names[int(problem.colour[e])]))
        start.append(len(found))
    start += [0] * (len(sequence) + 1 - len(start))
    dying = np.zeros((n + 1, words), dtype=np.uint64)
    for word, shift, width, _, last in fields.values():
        dying[last + 1, word] |= np.uint64(((1 << width) - 1) << shift)
    columns = np.array(found, dtype=np.uint64).reshape(-1, 4).T
    return {
        "colour_start": np.array(start, dtype=np.int32),
        "colour_word": columns[0].astype(np.int32),
        "colour_shift": columns[1].copy(),
        "colour_mask": columns[2].copy(),
        "colour_value": columns[3].copy(),
        "dying": dying,
    }


def _colour_fields(problem: CoverProblem, entries: Longs, first: Longs) -> tuple[dict[int, tuple[int, int, int, dict[int, int], int]], int]:
    """Return for each coloured item that two options can touch: word, shift, width, values of its colours, last position of a move.

    Value 0 is "not touched". Colour 0 excludes every other, so it gets a value (all ones) that no other move may meet.
    """
    spans = []
    for item in np.unique(problem.item[entries]):
        own = entries[problem.item[entries] == item]
        colours = [int(c) for c in np.unique(problem.colour[own]) if c]
        names = {c: i + 1 for i, c in enumerate(colours)}
        width = (len(colours) + 1).bit_length()
        names[0] = (1 << width) - 1
        at = first[problem.rows[own]]
        if len(own) > 1:
            spans.append((int(at.min()), int(at.max()), width, names, int(item)))
    fields: dict[int, tuple[int, int, int, dict[int, int], int]] = {}
    free: list[tuple[int, int, int, int]] = []  # open until, word, shift, width
    used = [0]
    for begin, last, width, names, item in sorted(spans, key=lambda s: s[0]):
        slot = next((s for s in free if s[0] < begin and s[3] == width), None)
        if slot is not None:
            free.remove(slot)
            _, word, shift, _ = slot
        else:
            if used[-1] + width > 64:
                used.append(0)
            word, shift = len(used) - 1, used[-1]
            used[-1] += width
        free.append((last, word, shift, width))
        fields[item] = (word, shift, width, names, last)
    return fields, len(used) if fields else 0
