"""A tally: the states of a dynamic programme, each with the number of ways to complete it, confirmed from its successors.

The atoms have an order. A state says which atoms are covered and how many copies of each tile are used. A successor covers the first
uncovered atom by a placement, or leaves it empty if it may stay empty. A level holds states after the same number of such steps. Not all
states need to be listed. A successor that is not listed counts 0, and must be recognisable as a dead end, which cannot be completed: it
cuts off a part whose area no choice of tiles has, or its covered atoms are listed as dead. All successors of a listed dead end are dead
ends too, whatever tiles are left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..kernels import compiled, part
from .arrays import ONE, Flags, Longs, Words, add, lowest_bit
from .problem import Problem
from .values import CheckerSentence, Rejected, array, index, read_all, table, whole

NONE = -1
WORD, BIT, SIZE, LOW, HIGH = range(5)


class TallySteps(NamedTuple):
    """The steps between states: a step covers some atoms by a placement, or leaves one empty. P places, one per atom; S steps."""

    cover: Words
    """Array (S, words): the atoms of each step; the lowest bit is the first atom of the order."""
    begin: Longs
    """The steps whose first atom is at place r are ``begin[r]`` to ``begin[r + 1]``."""
    tile: Longs
    """Array (S, most copies): the tiles of which each step takes a copy, repeated for several copies, padded with NONE."""
    factor: Words
    """The factor by which a solution with the step counts."""
    digit: Longs
    """Array (tiles, 5): the WORD of a state that counts the copies, the lowest BIT, the SIZE in bits, and the bounds LOW and HIGH."""
    empty: Flags
    """Array (P,): whether the atom may stay empty."""
    link: Words
    """Array (P, words): the atoms that touch each atom; every placement is connected through them."""
    areas: Flags
    """Array (P + 1,): whether tiles, each used any number of times, can have this area."""

    @property
    def words(self) -> int:
        """Number of words of the covered atoms, with which a state begins."""
        return int(self.cover.shape[1])

    @property
    def width(self) -> int:
        """Number of words of a state."""
        return int(max(self.digit[:, WORD], default=self.words)) + 1

    @classmethod
    def of(cls, problem: Problem, possible: Flags, factor: Longs, order: list[int], links: list[tuple[int, int]]) -> TallySteps:
        """Return the steps. Raises Rejected unless the order has each atom once and the links connect each option."""
        if sorted(order) != list(range(problem.atoms)):
            raise Rejected("tally: the order must name every atom once")
        place = {a: r for r, a in enumerate(order)}
        words = (problem.atoms + 63) // 64
        touching: defaultdict[int, set[int]] = defaultdict(set)
        for a, b in links:
            touching[a].add(b)
            touching[b].add(a)
        options = np.flatnonzero(possible).tolist()
        rows = []
        for o in options:
            items = problem.items_of(o).tolist()
            atoms = [i for i in items if i < problem.atoms]
            if not hangs_together(atoms, touching):
                raise Rejected("tally: a placement does not hang together through the links")
            rows.append((sorted(place[a] for a in atoms), [i - problem.atoms for i in items[len(atoms) :]], int(factor[o])))
        if _marked(problem, options):
            raise Rejected("tally: marks are not part of it")
        areas = _areas({len(places) for places, *_ in rows}, problem.atoms)
        empty = problem.low[order] == 0
        rows = [([r], list[int](), 1) for r in np.flatnonzero(empty).tolist()] + rows
        rows.sort(key=lambda row: row[0][0])
        most = max((len(tiles) for _, tiles, _ in rows), default=0)
        return cls(
            _sets([places for places, *_ in rows], words),
            np.searchsorted([places[0] for places, *_ in rows], np.arange(problem.atoms + 1)).astype(np.int64),
            np.array([[*tiles, *[NONE] * (most - len(tiles))] for _, tiles, _ in rows], dtype=np.int64).reshape(len(rows), most),
            np.array([times for *_, times in rows], dtype=np.uint64), _digits(problem, words), empty,
            _sets([[place[b] for b in touching[a]] for a in order], words), areas,
        )  # fmt: skip

    def room(self, width: int) -> Room:
        """Return buffers for states of ``width`` words."""
        return Room(np.zeros(width, dtype=np.uint64), np.zeros(self.words, dtype=np.uint64), np.zeros(len(self.empty), dtype=np.int64))

    def sum_successors(self, states: Words, following: Table, dead: Table, level: int) -> Words:
        """Return the number of ways to complete each state, from the table of the next level.

        Raises Rejected for a successor that is neither in the table nor a dead end, and for a number beyond 64 bits.
        """
        sums = np.zeros(len(states), dtype=np.uint64)
        status, at = add_up(self, states, following, dead, self.room(self.width), sums)
        if status != SUMMED:
            what = "has a successor that is neither listed nor a dead end" if status == UNFOUNDED else "counts more than 64 bits hold"
            raise Rejected(f"tally: state {at + 1} of level {level} {what}")
        return sums


def hangs_together(atoms: list[int], touching: Mapping[int, set[int]]) -> bool:
    """Tell whether some atoms are connected through pairs of them that touch."""
    left = set(atoms[1:])
    border = set(atoms[:1])
    while border:
        border = left & set().union(*(touching[a] for a in border))
        left -= border
    return not left


def _areas(sizes: set[int], most: int) -> Flags:
    """Return flags of the areas that are sums of some sizes, each used any number of times."""
    areas = np.zeros(most + 1, dtype=np.bool_)
    areas[0] = True
    for area in range(1, most + 1):
        areas[area] = any(areas[area - size] for size in sizes if size <= area)
    return areas


def _digits(problem: Problem, words: int) -> Longs:
    """Return where a state counts the copies of each tile, behind ``words`` words of covered atoms; no digit crosses a word."""
    digits, used = [], 0
    for low, high in zip(problem.low[problem.atoms :].tolist(), problem.high[problem.atoms :].tolist(), strict=True):
        most = min(high, problem.atoms)
        size = max(most.bit_length(), 1)
        used += 64 - used % 64 if used % 64 + size > 64 else 0
        digits.append((words + used // 64, used % 64, size, low, most))
        used += size
    return np.array(digits, dtype=np.int64).reshape(-1, 5)


def _marked(problem: Problem, options: list[int]) -> bool:
    """Tell whether two options exclude each other by their marks: they share no item that is covered at most once."""
    single = problem.sets()[problem.high <= 1]
    union = np.zeros_like(problem.exclude)
    owner = np.repeat(np.arange(problem.options), np.diff(problem.start))
    for row, i in zip(single, np.flatnonzero(problem.high <= 1).tolist(), strict=True):
        union[owner[problem.item == i]] |= row
    return bool((problem.exclude[options] & ~union[options]).any())


def _sets(members: list[list[int]], words: int) -> Words:
    table = np.zeros((len(members), words), dtype=np.uint64)
    for row, places in zip(table, members, strict=True):
        for r in places:
            row[r // 64] |= np.uint64(1) << np.uint64(r % 64)
    return table


MAX_COUNT = np.uint64(0xFFFFFFFFFFFFFFFF)
MAX_BYTES = 1 << 32
"""Maximum bytes of states that are read together, all of which are held in memory."""
SUMMED, UNFOUNDED, TOO_LARGE = range(3)
"""Results of adding up: the sum; a successor that is neither listed nor a dead end; more than 64 bits."""


class Table(NamedTuple):
    """A hash table of states."""

    keys: Words
    """Array (size, 1 + words), the size a power of 2: 1 in the first column of a row in use, then the state."""
    values: Words
    """The number of each state."""

    @classmethod
    def of(cls, states: Words, values: Words | None = None) -> Table:
        """Return a hash table of whole states and their values, or of states alone."""
        size = 1 << max(2 * len(states), 1).bit_length()
        table = cls(np.zeros((size, 1 + states.shape[1]), dtype=np.uint64), np.zeros(size, dtype=np.uint64))
        fill(table, states, np.zeros(len(states), dtype=np.uint64) if values is None else values)
        return table


class Room(NamedTuple):
    """Buffers for work on a state."""

    child: Words
    """A state."""
    seen: Words
    """Array (words,): atoms that are covered or were visited."""
    stack: Longs
    """Array (P,): places still to be expanded."""


def check_tally(
    problem: Problem, possible: Flags, factor: Longs, stated: Any, size_of: Callable[[str], int], member: Callable[[str, int], bytes]
) -> tuple[int, str]:
    """Return the number of solutions that a tally proves, and a sentence on the check.

    ``stated`` has the ``order`` of the atoms, the ``links`` (pairs of atoms that touch) and the number of ``levels``. ``size_of`` returns
    the size of a member of the certificate in bytes; ``member`` reads a member up to a limit. Raises Rejected if a count is not the sum of
    its successors' counts, and if a level is larger than the level before it allows.
    """
    fields = table(stated, "tally", ("order", "links", "levels"))
    order = read_all(fields["order"], "tally.order", whole)
    links = [array(link, "tally.links", 2) for link in array(fields["links"], "tally.links")]
    atoms = [(index(a, "tally.links", problem.atoms), index(b, "tally.links", problem.atoms)) for a, b in links]
    steps = TallySteps.of(problem, possible, factor, order, atoms)
    levels = whole(fields["levels"], "tally.levels", 1, problem.atoms + 1)
    most, choices = 8 * (steps.width + 1), 1 + int((np.diff(steps.begin) - steps.empty).max())
    for level in range(levels):
        if (size := size_of(f"tally/level.{level}")) > most:
            raise Rejected(f"tally: level {level} has {size:,} bytes, and {most:,} are the most that can follow from the level before it")
        most = size * choices
    ends = _read(member, "dead", steps.words, steps.words)
    dead = Table.of(ends)
    at = first_not_dead(steps, ends, dead, steps.room(steps.words))
    if at >= 0:
        raise Rejected(f"tally: dead end {at + 1} has a successor that is none")
    listed = 0
    states, values = np.empty((0, steps.width), dtype=np.uint64), np.empty(0, dtype=np.uint64)
    for level in range(levels - 1, -1, -1):
        following = Table.of(states, values)
        states = _read(member, f"level.{level}", steps.width + 1, steps.width)
        states, values = np.ascontiguousarray(states[:, :-1]), np.ascontiguousarray(states[:, -1])
        sums = steps.sum_successors(states, following, dead, level)
        if (wrong := sums != values).any():
            raise Rejected(f"tally: the count of state {wrong.argmax() + 1} of level {level} is not the sum of its successors'")
        listed += len(states)
    if len(states) != 1 or states.any():
        raise Rejected("tally: level 0 must hold the empty form alone")
    proved = "{states} states each confirmed from their successors, {ends} dead ends closed among themselves"
    return int(values[0]), CheckerSentence(proved, states=listed, ends=len(ends))


def _read(member: Callable[[str, int], bytes], name: str, width: int, words: int) -> Words:
    """Read states of ``words`` words, in rows of ``width`` words. Raises Rejected unless they ascend, so that no state is listed twice."""
    data = np.frombuffer(member(f"tally/{name}", MAX_BYTES), dtype=np.uint8)
    if len(data) % (8 * width):
        raise Rejected(f"tally: {name} is not made of whole states")
    bytes_of = data.reshape(8 * width, -1)
    alike = np.ones(max(bytes_of.shape[1] - 1, 0), dtype=np.bool_)
    for plane in bytes_of[: 8 * words]:
        alike &= plane[1:] == plane[:-1]
    if alike.any():
        raise Rejected(f"tally: {name} has state {int(alike.argmax()) + 1} twice")
    states = np.array(bytes_of.T, order="C").view("<u8").astype(np.uint64, copy=False).reshape(-1, width)
    ascends, alike = np.zeros_like(alike), np.ones_like(alike)
    for word in range(words):
        ascends |= alike & (states[1:, word] > states[:-1, word])
        alike &= states[1:, word] == states[:-1, word]
    if not ascends.all():
        raise Rejected(f"tally: {name} has its states not in ascending order")
    return states


@part
def find(table: Table, state: Words) -> Any:
    """Return the row of a state in a table, or -1 minus the free row where it belongs."""
    h = np.uint64(0x9E3779B97F4A7C15)
    words = table.keys.shape[1] - 1
    for w in range(words):
        h = (h ^ state[w]) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    row = np.int64(h & np.uint64(len(table.keys) - 1))
    while table.keys[row, 0]:
        same = True
        for w in range(words):
            same &= table.keys[row, 1 + w] == state[w]
        if same:
            return row
        row = (row + 1) & (len(table.keys) - 1)
    return -1 - row


@compiled
def fill(table: Table, states: Words, values: Words) -> None:
    """Put states and their values into a table that has room for them."""
    for s in range(len(states)):
        row = find(table, states[s])
        if row < 0:
            row = -1 - row
            table.keys[row, 0] = 1
            for w in range(states.shape[1]):
                table.keys[row, 1 + w] = states[s, w]
        table.values[row] = values[s]


@part
def first_empty(t: TallySteps, covered: Words) -> int:
    """Return the first place that is not covered; P if all are covered."""
    for w in range(t.cover.shape[1]):
        if ~covered[w] != 0:
            return min((w << 6) + lowest_bit(~covered[w]), len(t.empty))
    return len(t.empty)


@part
def copies(t: TallySteps, state: Words, tile: int) -> Any:
    """Return how many copies of a tile a state has used."""
    digit = t.digit[tile]
    return np.int64((state[digit[WORD]] >> np.uint64(digit[BIT])) & ((ONE << np.uint64(digit[SIZE])) - ONE))


@part
def enough(t: TallySteps, state: Words) -> bool:
    """Tell whether a state has used the minimum copies of each tile."""
    for tile in range(len(t.digit)):  # noqa: SIM110 - compiled
        if copies(t, state, tile) < t.digit[tile, LOW]:
            return False
    return True


@part
def take_step(t: TallySteps, state: Words, step: int, child: Words) -> bool:
    """Write the successor by a step; tell whether there is one.

    A state without the words that count copies has successors for any supply of tiles.
    """
    words = t.cover.shape[1]
    for w in range(words):
        if state[w] & t.cover[step, w] != 0:
            return False
        child[w] = state[w] | t.cover[step, w]
    if len(state) > words:
        for w in range(words, len(state)):
            child[w] = state[w]
        for k in range(t.tile.shape[1]):
            tile = t.tile[step, k]
            if tile == NONE:
                break
            if copies(t, child, tile) >= t.digit[tile, HIGH]:
                return False
            child[t.digit[tile, WORD]] += ONE << np.uint64(t.digit[tile, BIT])
    return True


@part
def flood(t: TallySteps, place: int, room: Room) -> tuple[int, bool]:
    """Visit the unseen part to which a place belongs; return its area, and whether some atom of it may stay empty."""
    add(room.seen, place)
    room.stack[0], waiting = place, 1
    area, free = 0, False
    while waiting:
        waiting -= 1
        here = room.stack[waiting]
        area += 1
        free |= t.empty[here]
        for w in range(len(room.seen)):
            news = t.link[here, w] & ~room.seen[w]
            room.seen[w] |= news
            while news != 0:
                room.stack[waiting] = (w << 6) + lowest_bit(news)
                waiting += 1
                news &= news - ONE
    return area, free


@part
def cut_off(t: TallySteps, state: Words, room: Room) -> bool:
    """Tell whether some uncovered part, without an atom that may stay empty, has an area that no choice of tiles has."""
    for w in range(len(room.seen)):
        room.seen[w] = state[w]
    place = first_empty(t, room.seen)
    while place < len(t.empty):
        area, free = flood(t, place, room)
        if not free and not t.areas[area]:
            return True
        place = first_empty(t, room.seen)
    return False


@part
def is_dead(t: TallySteps, state: Words, dead: Table, room: Room) -> bool:
    """Tell whether a state is recognisable as a dead end."""
    return find(dead, state) >= 0 or cut_off(t, state, room)


@part
def leads_on(t: TallySteps, state: Words, dead: Table, room: Room) -> bool:
    """Tell whether a state is full or has a successor that is not dead."""
    place = first_empty(t, state)
    if place == len(t.empty):
        return True
    for step in range(t.begin[place], t.begin[place + 1]):
        if take_step(t, state, step, room.child) and not is_dead(t, room.child, dead, room):
            return True
    return False


@compiled
def first_not_dead(t: TallySteps, states: Words, dead: Table, room: Room) -> int:
    """Return the first state that is full or has a successor that is not dead; NONE if there is none."""
    for s in range(len(states)):
        if leads_on(t, states[s], dead, room):
            return s
    return NONE


@part
def sum_of(t: TallySteps, state: Words, following: Table, dead: Table, room: Room) -> tuple[int, Any]:
    """Return SUMMED and the number of ways to complete a state, from its successors' numbers, or why there is no such number."""
    place = first_empty(t, state)
    if place == len(t.empty):
        return SUMMED, np.uint64(enough(t, state))
    total = np.uint64(0)
    for step in range(t.begin[place], t.begin[place + 1]):
        if not take_step(t, state, step, room.child):
            continue
        row = find(following, room.child)
        if row < 0:
            if not is_dead(t, room.child, dead, room):
                return UNFOUNDED, total
            continue
        if following.values[row] > (MAX_COUNT - total) // t.factor[step]:
            return TOO_LARGE, total
        total += following.values[row] * t.factor[step]
    return SUMMED, total


@compiled
def add_up(t: TallySteps, states: Words, following: Table, dead: Table, room: Room, sums: Words) -> tuple[int, int]:
    """Fill in the sums. Return SUMMED, or the reason of a failure and its state."""
    for s in range(len(states)):
        status, sums[s] = sum_of(t, states[s], following, dead, room)
        if status != SUMMED:
            return status, s
    return SUMMED, NONE
