"""How the states of a tally follow each other: the steps from one to the next, made from the placements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .arrays import Flags, Longs, Words
from .problem import Problem
from .rejected import Rejected

NONE = -1
WORD, BIT, SIZE, LOW, HIGH = range(5)


class Steps(NamedTuple):
    """How states follow each other: a step covers some atoms, by a placement, or leaves one empty. P places, one an atom, S steps."""

    cover: Words
    """Array (S, words): the atoms of each step, the first of the order in the lowest bit."""
    begin: Longs
    """The steps whose first atom is the one at place r are ``begin[r]`` to ``begin[r + 1]``."""
    tile: Longs
    """The tile of each step; NONE where it leaves an atom empty."""
    factor: Words
    """How many solutions one with the step stands for, as a factor."""
    digit: Longs
    """Array (tiles, 5): the WORD of a state that counts its copies, the lowest BIT, how many bits (SIZE), the fewest copies, the most."""
    empty: Flags
    """Array (P,): whether the atom may stay empty."""
    link: Words
    """Array (P, words): the atoms that touch each; every placement hangs together through them."""
    areas: Flags
    """Array (P + 1,): which areas some tiles add up to, each used as often as wished."""

    @property
    def words(self) -> int:
        """Words of the covered atoms, with which a state begins."""
        return int(self.cover.shape[1])

    @property
    def width(self) -> int:
        """Words of a state."""
        return int(max(self.digit[:, WORD], default=self.words)) + 1


def make_steps(problem: Problem, possible: Flags, factor: Longs, order: list[int], links: list[tuple[int, int]]) -> Steps:
    """Return how states follow each other. Raises Rejected unless the order has all atoms once and the links hold each option together."""
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
        *atoms, tile = problem.item[problem.start[o] : problem.start[o + 1]].tolist()
        if not hangs_together(atoms, touching):
            raise Rejected("tally: a placement does not hang together through the links")
        rows.append((sorted(place[a] for a in atoms), tile - problem.atoms, int(factor[o])))
    if _marked(problem, options):
        raise Rejected("tally: marks are not part of it")
    areas = _areas({len(places) for places, *_ in rows}, problem.atoms)
    empty = problem.low[order] == 0
    rows = [([r], NONE, 1) for r in np.flatnonzero(empty).tolist()] + rows
    rows.sort(key=lambda row: row[0][0])
    return Steps(
        _sets([places for places, *_ in rows], words),
        np.searchsorted([places[0] for places, *_ in rows], np.arange(problem.atoms + 1)).astype(np.int64),
        np.array([tile for _, tile, _ in rows], dtype=np.int64), np.array([times for *_, times in rows], dtype=np.uint64),
        _digits(problem, words), empty, _sets([[place[b] for b in touching[a]] for a in order], words), areas,
    )  # fmt: skip


def hangs_together(atoms: list[int], touching: Mapping[int, set[int]]) -> bool:
    """Tell whether one gets from each of the atoms to each other one through those that touch, and through no atom besides."""
    left = set(atoms[1:])
    border = set(atoms[:1])
    while border:
        border = left & set().union(*(touching[a] for a in border))
        left -= border
    return not left


def _areas(sizes: set[int], most: int) -> Flags:
    """Which areas sizes add up to, each used as often as wished."""
    areas = np.zeros(most + 1, dtype=np.bool_)
    areas[0] = True
    for area in range(1, most + 1):
        areas[area] = any(areas[area - size] for size in sizes if size <= area)
    return areas


def _digits(problem: Problem, words: int) -> Longs:
    """Where a state counts the copies of each tile, behind so many words of covered atoms: no digit is in two words."""
    digits, used = [], 0
    for low, high in zip(problem.low[problem.atoms :].tolist(), problem.high[problem.atoms :].tolist(), strict=True):
        most = min(high, problem.atoms)
        size = max(most.bit_length(), 1)
        used += 64 - used % 64 if used % 64 + size > 64 else 0
        digits.append((words + used // 64, used % 64, size, low, most))
        used += size
    return np.array(digits, dtype=np.int64).reshape(-1, 5)


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
