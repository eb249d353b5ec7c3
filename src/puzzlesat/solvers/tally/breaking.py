"""Symmetry broken for a count: of the options of one tile only one of each orbit is left.

A solution has exactly one option of a tile that is used once. A symmetry takes the solutions with one option to those with its image, one
to one, so an option stands for as many solutions as any other of its orbit. The symmetries that a problem has are not believed: each is
held against its options and items first, and one that does not take the problem to itself is left out. So the count goes on checking what
relies on them.
"""

from __future__ import annotations

import sys
from math import gcd
from typing import NamedTuple

import numpy as np

from puzzlesat.arrays import Flags, Ints, Longs, Reals
from puzzlesat.check.kernels import compiled
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.solvers.tally.moves import Moves, lay
from puzzlesat.solvers.tally.scan import begin_early, scan_order

MOST_SYMMETRIES = 48
"""Symmetries that are looked at; for more it would take longer than what they save."""
MOST_TIMES = 4
"""How often an option may be repeated where orbits differ in size."""
WORD = 32
"""Bits of the numbers by which items are told apart."""
NARROW = 1 << 23
"""A sum of 2^width over all positions below which there is nothing to save."""
WORTH = 0.95
"""The part of the time that may be left where it is worth the trouble."""
FEWER = 4.0
"""The time falls by e^(-4 x) where a part x of all options is left out, and as the root of the sum of 2^width: fitted to eight puzzles."""


class Chosen(NamedTuple):
    """What is left of the options when the symmetry is broken on a tile."""

    times: Longs  # (options,) how often each of them is to be counted
    each: int  # how many solutions one then stands for


def break_symmetry(problem: CoverProblem, moves: Moves, order: Ints) -> tuple[Moves, Ints, int]:
    """Return moves, and the order of their positions, of which each solution stands for so many of all.

    The symmetry is broken on the tile that saves most, if any does, and the moves are laid out anew in the order that is best for those
    left. Where orbits differ in size, moves are repeated.
    """
    chosen = _choose(problem, moves, order) if problem.images is not None and not problem.coloured.any() else None
    if chosen is None:
        return moves, order, 1
    label = np.zeros(problem.size, dtype=np.int32)
    label[moves.option] = moves.label
    possible = np.zeros(problem.size, dtype=np.bool_)
    possible[moves.option] = True
    times = chosen.times * possible
    order = scan_order(problem, np.sort(order), sys.maxsize, some=times > 0)
    return lay(problem, order, label, times), order, chosen.each


def _choose(problem: CoverProblem, moves: Moves, order: Ints) -> Chosen | None:
    """Find the tile on which to break the symmetry."""
    tiles = problem.tiles[(problem.low == 1)[problem.tiles] & (problem.high == 1)[problem.tiles]]
    if not len(tiles) or not problem.size:
        return None
    number = np.full(len(problem.items), -1, dtype=np.int32)
    number[tiles] = np.arange(len(tiles))
    tile = np.full(problem.size, -1, dtype=np.int32)
    own = number[problem.item] >= 0
    tile[problem.rows[own]] = number[problem.item[own]]
    kind = np.full(problem.size, -1, dtype=np.int64)
    kind[moves.option] = 1 + tile[moves.option]
    earliest = _earliest(order, problem, kind, len(tiles) + 1)
    whole = _cost(earliest.min(axis=0)[None])[0]
    if whole < NARROW:
        return None
    images = symmetries_of(problem)
    if len(images) < 2:
        return None
    rank = np.zeros(problem.size, dtype=np.int64)
    rank[moves.option] = np.arange(1, len(moves.option) + 1)  # the last in the scan is kept: frontiers are narrow until then
    last, size = _orbits(images, tile, len(tiles), rank)
    kept = (last == rank) & (rank > 0) & (tile >= 0)
    fewer = 1 - np.bincount(tile[kept], minlength=len(tiles)) / np.maximum(1, np.bincount(1 + tile, minlength=len(tiles) + 1)[1:])
    part = fewer * np.bincount(1 + tile, minlength=len(tiles) + 1)[1:] / problem.size
    least = np.sort(earliest, axis=0)[:2]
    others = np.where(earliest[1:] == least[0], least[1], least[0])
    still = _earliest(order, problem, np.where(kept, kind, -1), len(tiles) + 1)[1:]
    left = np.sqrt(_cost(np.minimum(others, still)) / whole) * np.exp(-FEWER * part)
    for best in np.argsort(left, kind="stable").tolist():
        if left[best] > WORTH:
            return None
        ours = np.flatnonzero((tile == best) & kept)
        each = gcd(*size[ours].tolist())
        if size[ours].max(initial=0) <= MOST_TIMES * each:
            times = np.where(tile == best, 0, 1)
            times[ours] = size[ours] // each
            return Chosen(times, each)
    return None


def symmetries_of(problem: CoverProblem) -> Ints:
    """Return the images under those symmetries that do take the problem to itself: items to items with the same bounds, options to options.

    Which item goes where is told by sums of one number for each option over the options of an item; then each option is looked at.
    """
    assert problem.images is not None
    word = np.arange(1, problem.size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    word ^= word >> np.uint64(29)
    word = (word * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(64 - WORD)).astype(np.float64)  # so short that sums are exact
    whence = np.lexsort((np.bincount(problem.item, word[problem.rows], len(problem.items)), problem.low, problem.high))
    unmoved = np.arange(problem.size)
    kept = []
    for row, image in enumerate(problem.images[:MOST_SYMMETRIES]):
        if (image == unmoved).all():
            kept.append(row)
            continue
        if image.min(initial=0) < 0 or image.max(initial=0) >= problem.size:
            continue
        sums = np.bincount(problem.item, word[image][problem.rows], len(problem.items))
        to = np.empty(len(problem.items), dtype=np.int64)
        to[np.lexsort((sums, problem.low, problem.high))] = whence
        same = (problem.low[to] == problem.low).all() and (problem.high[to] == problem.high).all()
        same = same and all((c.weights[image] == c.weights).all() for c in problem.conditions if not c.implied)
        seen, hit = np.zeros(len(to), dtype=np.int64), np.zeros(problem.size, dtype=np.bool_)
        if same and goes_to_itself(problem.start, problem.item, image.astype(np.int64), to, seen, hit):
            kept.append(row)
    return problem.images[np.array(kept, dtype=np.int64)]


def _orbits(images: Ints, tile: Ints, tiles: int, rank: Longs) -> tuple[Longs, Longs]:
    """For each option the highest rank in its orbit under the symmetries that keep its tile, and the size of the orbit."""
    keeps = np.ones((len(images), tiles + 1), dtype=np.bool_)
    for row, image in enumerate(images):
        keeps[row, 1 + tile[tile[image] != tile]] = False
    last, size = rank.copy(), np.ones(len(rank), dtype=np.int64)
    for pattern in np.unique(keeps[:, 1:], axis=1).T:
        own = (keeps[:, 1:] == pattern[:, None]).all(axis=0)[tile] & (tile >= 0)
        some = images[pattern]
        highest = rank
        while len(some) and (higher := np.maximum(highest, highest[some].max(axis=0))).tobytes() != highest.tobytes():
            highest = higher
        last[own], size[own] = highest[own], np.bincount(highest[own], minlength=len(rank) + 1)[highest[own]]
    return last, size


def _earliest(order: Ints, problem: CoverProblem, kind: Longs, kinds: int) -> Longs:
    """Array (kinds, positions): the first position of the first option of each kind that fills a position, if that is before.

    Options of a negative kind are left out.
    """
    n = len(order)
    place = np.full(len(problem.items), -1, dtype=np.int64)
    place[order] = np.arange(n)
    at, own = place[problem.item], kind[problem.rows]
    entries = (at >= 0) & (own >= 0)
    cells = (at + own * n)[entries]  # as if each kind had positions of its own
    begins = np.append(np.flatnonzero(np.diff(problem.rows[entries], prepend=-1)), len(cells))
    earliest = np.arange(kinds * n)
    begin_early(np.arange(kinds * n), begins, cells, earliest)
    return earliest.reshape(kinds, n) - n * np.arange(kinds)[:, None]


def _cost(earliest: Longs) -> Reals:
    """For each row Σ 2^width over all steps; see ``scan``."""
    rows, n = earliest.shape
    open_from = earliest + 1 + np.arange(rows)[:, None] * (n + 1)
    change = np.bincount(open_from.ravel(), minlength=rows * (n + 1)).reshape(rows, n + 1)
    change[:, 1:] -= 1
    cost: Reals = np.ldexp(1.0, np.cumsum(change, axis=1)).sum(axis=1)
    return cost


@compiled
def goes_to_itself(start: Ints, item: Ints, image: Longs, to: Longs, seen: Longs, hit: Flags) -> bool:
    """Whether each option goes to another, and its items to the items of that; ``seen`` and ``hit`` are scratch."""
    for option in range(start.size - 1):
        there = image[option]
        if hit[there] or start[there + 1] - start[there] != start[option + 1] - start[option]:
            return False
        hit[there] = True
        for e in range(start[there], start[there + 1]):
            seen[item[e]] = option + 1
        for e in range(start[option], start[option + 1]):
            if seen[to[item[e]]] != option + 1:
                return False
            seen[to[item[e]]] = 0
    return True
