"""A tally: the states of a dynamic programme, each with the number of ways to complete it, confirmed from its successors.

The atoms stand in an order. A state says which atoms are covered and how many copies of each tile are used; a successor covers the first
atom that is not covered yet, by a placement, or leaves it empty where it may stay so. A level holds states after equally many such steps.
Not all states need to be listed. A successor that is not listed counts 0, and must be one of which it is plain that it cannot be
completed: because it cuts off a part that has the area of no choice of tiles, or because its covered atoms are listed as a dead end, all of
whose successors are dead in turn, whatever tiles are left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .problem import Problem
from .rejected import Rejected
from .values import array, index, read_all, table, whole

Words = NDArray[np.uint64]
Longs = NDArray[np.int64]
compiled: Any = njit(cache=True, nogil=True)
ONE = np.uint64(1)
MOST = np.uint64(0xFFFFFFFFFFFFFFFF)
MOST_BYTES = 1 << 32
"""Of states that are read together, all of which are held."""


class Steps(NamedTuple):
    """How states follow each other."""

    cover: Words
    """Array (options, words): the atoms of each option, the first of the order in the lowest bit."""
    begin: Longs
    """The options whose first atom is the one at place r are ``begin[r]`` to ``begin[r + 1]``."""
    tile: Longs
    """The tile of each option."""
    factor: Words
    """How many solutions one with the option stands for, as a factor."""
    digit: Longs
    """Array (tiles, 5): the word of a state that counts its copies, the lowest bit, how many bits, the fewest copies and the most."""
    empty: NDArray[np.bool_]
    """For each place of the order: whether the atom may stay empty."""
    link: Words
    """Array (atoms, words): the atoms that touch each; every option hangs together through them."""
    areas: NDArray[np.bool_]
    """Which areas some tiles add up to, each used as often as wished."""

    @property
    def words(self) -> int:
        """Words of the covered atoms, with which a state begins."""
        return int(self.cover.shape[1])

    @property
    def width(self) -> int:
        """Words of a state."""
        return int(max(self.digit[:, 0], default=self.words)) + 1


def check_tally(
    problem: Problem,
    possible: NDArray[np.bool_],
    factor: Longs,
    stated: Any,
    size_of: Callable[[str], int],
    member: Callable[[str, int], bytes],
) -> tuple[int, str]:
    """Return the number of solutions that a tally proves, and what was checked.

    ``stated`` has the ``order`` of the atoms, the ``links`` (pairs of atoms that touch) and the number of ``levels``; ``size_of`` tells how
    many bytes a part of the certificate has, ``member`` reads one that has no more than so many. Raises Rejected where a count is not the
    sum of its successors', and where a level is larger than the one before it can make it.
    """
    said = table(stated, "tally", ("order", "links", "levels"))
    order = read_all(said["order"], "tally.order", whole)
    links = [array(link, "tally.links", 2) for link in array(said["links"], "tally.links")]
    atoms = [(index(a, "tally.links", problem.atoms), index(b, "tally.links", problem.atoms)) for a, b in links]
    steps = make_steps(problem, possible, factor, order, atoms)
    levels = whole(said["levels"], "tally.levels", 1, problem.atoms + 1)
    most, choices = 8 * (steps.width + 1), 1 + int(np.diff(steps.begin).max())
    for level in range(levels):
        if (size := size_of(f"tally/level.{level}")) > most:
            raise Rejected(f"tally: level {level} has {size:,} bytes, and {most:,} are the most that can follow from the level before it")
        most = size * choices
    ends = _read(member, "dead", steps.words, steps.words)
    dead, _ = make_table(ends, np.zeros(len(ends), dtype=np.uint64))
    at = _first_not_dead(ends, dead, *steps)
    if at >= 0:
        raise Rejected(f"tally: dead end {at + 1} has a successor that is none")
    listed = 0
    states, values = np.empty((0, steps.width), dtype=np.uint64), np.empty(0, dtype=np.uint64)
    for level in range(levels - 1, -1, -1):
        following = make_table(states, values)
        states = _read(member, f"level.{level}", steps.width + 1, steps.width)
        states, values = np.ascontiguousarray(states[:, :-1]), np.ascontiguousarray(states[:, -1])
        sums = sum_successors(states, *following, dead, steps, level)
        if (wrong := sums != values).any():
            raise Rejected(f"tally: the count of state {wrong.argmax() + 1} of level {level} is not the sum of its successors'")
        listed += len(states)
    if len(states) != 1 or states.any():
        raise Rejected("tally: level 0 must hold the empty form alone")
    return int(values[0]), f"{listed:,} states each confirmed from their successors, {len(ends):,} dead ends closed among themselves"


def sum_successors(states: Words, keys: Words, counts: Words, dead: Words, steps: Steps, level: int) -> Words:
    """Return the number of ways to complete each state, from the table of the next level.

    Raises Rejected for a successor that is neither in the table nor plainly dead, and for a number beyond 64 bits.
    """
    sums = np.zeros(len(states), dtype=np.uint64)
    at = _sum_successors(states, sums, keys, counts, dead, *steps)
    if at:
        what = "has a successor that is not listed and no dead end" if at > 0 else "counts more than 64 bits hold"
        raise Rejected(f"tally: state {abs(at)} of level {level} {what}")
    return sums


def make_steps(
    problem: Problem, possible: NDArray[np.bool_], factor: NDArray[np.int64], order: list[int], links: list[tuple[int, int]]
) -> Steps:
    """Return how states follow each other. Raises Rejected unless the order has all atoms once and the links hold each option together."""
    if sorted(order) != list(range(problem.atoms)):
        raise Rejected("tally: the order must name every atom once")
    place = {a: r for r, a in enumerate(order)}
    words = (problem.atoms + 63) // 64
    touching: defaultdict[int, set[int]] = defaultdict(set)
    for a, b in links:
        touching[a].add(b)
        touching[b].add(a)
    rows = []
    for o in np.flatnonzero(possible).tolist():
        *atoms, tile = problem.item[problem.start[o] : problem.start[o + 1]].tolist()
        if not hangs_together(atoms, touching):
            raise Rejected("tally: a placement does not hang together through the links")
        rows.append((sorted(place[a] for a in atoms), tile, o))
    rows.sort(key=lambda row: row[0][0])
    if _marked(problem, [o for *_, o in rows]):
        raise Rejected("tally: marks are not part of it")
    digit, used = [], 0
    for i in range(problem.atoms, len(problem.items)):
        high = int(min(problem.high[i], problem.atoms))
        size = max(high.bit_length(), 1)
        used += 64 - used % 64 if used % 64 + size > 64 else 0
        digit.append((words + used // 64, used % 64, size, int(problem.low[i]), high))
        used += size
    link = [sorted(place[b] for b in touching[a]) for a in order]
    areas = np.zeros(problem.atoms + 1, dtype=np.bool_)
    areas[0] = True
    sizes = sorted({len(atoms) for atoms, *_ in rows})
    for area in range(1, problem.atoms + 1):
        areas[area] = any(areas[area - size] for size in sizes if size <= area)
    return Steps(
        _sets([atoms for atoms, *_ in rows], words),
        np.searchsorted([atoms[0] for atoms, *_ in rows], np.arange(problem.atoms + 1)).astype(np.int64),
        np.array([t - problem.atoms for _, t, _ in rows], dtype=np.int64), factor[[o for *_, o in rows]].astype(np.uint64),
        np.array(digit, dtype=np.int64).reshape(-1, 5), problem.low[order] == 0, _sets(link, words), areas,
    )  # fmt: skip


def hangs_together(atoms: list[int], touching: Mapping[int, set[int]]) -> bool:
    """Tell whether one gets from each of the atoms to each other one through those that touch, and through no atom besides."""
    left = set(atoms[1:])
    border = set(atoms[:1])
    while border:
        border = left & set().union(*(touching[a] for a in border))
        left -= border
    return not left


def planes(states: Words) -> bytes:
    """Return states as a part of a certificate: byte k of all of them, for each k, which packs well where states are sorted."""
    return np.ascontiguousarray(states.astype("<u8").view(np.uint8).reshape(len(states), 8 * states.shape[1]).T).tobytes()


def _read(member: Callable[[str, int], bytes], name: str, width: int, words: int) -> Words:
    """Read states of so many words, and with each some more. Raises Rejected unless they ascend, so that none is there twice."""
    data = np.frombuffer(member(f"tally/{name}", MOST_BYTES), dtype=np.uint8)
    if len(data) % (8 * width):
        raise Rejected(f"tally: {name} is not made of whole states")
    bytes_of = data.reshape(8 * width, -1)
    alike = np.ones(max(bytes_of.shape[1] - 1, 0), dtype=np.bool_)
    for plane in bytes_of[: 8 * words]:
        alike &= plane[1:] == plane[:-1]
    if alike.any():
        raise Rejected(f"tally: {name} has state {int(alike.argmax()) + 1} twice")
    states = np.ascontiguousarray(bytes_of.T).view("<u8").astype(np.uint64, copy=False).reshape(-1, width)
    ascends, alike = np.zeros_like(alike), np.ones_like(alike)
    for word in range(words):
        ascends |= alike & (states[1:, word] > states[:-1, word])
        alike &= states[1:, word] == states[:-1, word]
    if not ascends.all():
        raise Rejected(f"tally: {name} has its states not in ascending order")
    return states


def _marked(problem: Problem, options: list[int]) -> bool:
    """Whether two options exclude each other though they share no item that is covered once: by their marks."""
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


def make_table(states: Words, values: Words) -> tuple[Words, Words]:
    """Return a hash table of whole states: array (size, 1 + words) with 1 in the first column of a row in use, and their values."""
    size = 1 << max(2 * len(states), 1).bit_length()
    keys = np.zeros((size, 1 + states.shape[1]), dtype=np.uint64)
    counts = np.zeros(size, dtype=np.uint64)
    _fill(states, values, keys, counts)
    return keys, counts


@compiled
def find(keys: Any, state: Any) -> Any:
    """Return the row of a state in a table, or -1 - the free row where it belongs."""
    h = np.uint64(0x9E3779B97F4A7C15)
    words = keys.shape[1] - 1
    for w in range(words):
        h = (h ^ state[w]) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    row = np.int64(h & np.uint64(len(keys) - 1))
    while keys[row, 0]:
        same = True
        for w in range(words):
            same &= keys[row, 1 + w] == state[w]
        if same:
            return row
        row = (row + 1) & (len(keys) - 1)
    return -1 - row


@compiled
def _fill(states: Any, values: Any, keys: Any, counts: Any) -> None:
    for s in range(len(states)):
        row = find(keys, states[s])
        if row < 0:
            row = -1 - row
            keys[row, 0] = 1
            keys[row, 1:] = states[s]
        counts[row] = values[s]


@compiled
def first_empty(state: Any, atoms: Any) -> Any:
    """Return the first place that is not covered."""
    for r in range(atoms):
        if not (state[r >> 6] >> np.uint64(r & 63)) & ONE:
            return r
    return atoms


@compiled
def cut_off(state: Any, link: Any, empty: Any, areas: Any) -> Any:
    """Return whether some part of what is not covered, without an atom that may stay empty, has the area of no choice of tiles."""
    atoms, words = link.shape
    seen = state[:words].copy()
    stack = np.empty(atoms, dtype=np.int64)
    for r in range(atoms):
        if (seen[r >> 6] >> np.uint64(r & 63)) & ONE:
            continue
        stack[0], top, area, free = r, 1, 0, False
        seen[r >> 6] |= ONE << np.uint64(r & 63)
        while top:
            top -= 1
            here = stack[top]
            area += 1
            free |= empty[here]
            for w in range(words):
                news = link[here, w] & ~seen[w]
                seen[w] |= news
                at = w * 64
                while news:
                    if news & ONE:
                        stack[top] = at
                        top += 1
                    news >>= ONE
                    at += 1
        if not free and not areas[area]:
            return True
    return False


@compiled
def follow(state: Any, o: Any, r: Any, child: Any, cover: Any, tile: Any, digit: Any) -> Any:
    """Write the successor by option o, or, for o < 0, the one in which place r stays empty; return whether there is one.

    A state without the words that count copies has successors whatever tiles are left.
    """
    words = cover.shape[1]
    child[:] = state
    if o < 0:
        child[r >> 6] |= ONE << np.uint64(r & 63)
        return True
    for w in range(words):
        if state[w] & cover[o, w]:
            return False
        child[w] |= cover[o, w]
    if len(state) > words:
        word, bit, size, _, high = digit[tile[o]]
        if np.int64((state[word] >> np.uint64(bit)) & ((ONE << np.uint64(size)) - ONE)) >= high:
            return False
        child[word] += ONE << np.uint64(bit)
    return True


@compiled
def _first_not_dead(
    states: Any, dead: Any, cover: Any, begin: Any, tile: Any, factor: Any, digit: Any, empty: Any, link: Any, areas: Any
) -> Any:
    """The first state that is full or has a successor that is not dead; -1 where there is none."""
    child = np.empty(cover.shape[1], dtype=np.uint64)
    for s in range(len(states)):
        r = first_empty(states[s], len(empty))
        if r == len(empty):
            return s
        for o in range(begin[r] - 1 if empty[r] else begin[r], begin[r + 1]):
            if follow(states[s], o if o >= begin[r] else -1, r, child, cover, tile, digit) and not (
                find(dead, child) >= 0 or cut_off(child, link, empty, areas)
            ):
                return s
    return -1


@compiled
def _sum_successors(
    states: Any, sums: Any, keys: Any, counts: Any, dead: Any,
    cover: Any, begin: Any, tile: Any, factor: Any, digit: Any, empty: Any, link: Any, areas: Any,
) -> Any:  # fmt: skip
    """Fill in the sums; return 0, or the number from 1 of the first state with an unfounded successor, its negative for an overflow."""
    child = np.empty(states.shape[1], dtype=np.uint64)
    for s in range(len(states)):
        r = first_empty(states[s], len(empty))
        if r == len(empty):
            sums[s] = 1
            for word, bit, size, low, _ in digit:
                if np.int64((states[s, word] >> np.uint64(bit)) & ((ONE << np.uint64(size)) - ONE)) < low:
                    sums[s] = 0
            continue
        for o in range(begin[r] - 1 if empty[r] else begin[r], begin[r + 1]):
            if not follow(states[s], o if o >= begin[r] else -1, r, child, cover, tile, digit):
                continue
            row = find(keys, child)
            if row < 0:
                if not (find(dead, child) >= 0 or cut_off(child, link, empty, areas)):
                    return s + 1
                continue
            times = factor[o] if o >= begin[r] else ONE
            if counts[row] > (MOST - sums[s]) // times:
                return -(s + 1)
            sums[s] += counts[row] * times
    return 0
