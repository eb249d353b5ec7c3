"""A count in shards: the options of an item that is covered exactly once are parted, and what each of them leaves is counted alone.

The item is a tile that is used once, which is then no part of the record any more, or an atom. Where symmetries take its options to each
other, one of each orbit is counted and stands for all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puzzlesat.arrays import Ints, Longs
from puzzlesat.cover.problem import CoverProblem


class Shards(NamedTuple):
    """The options of an item, one of each orbit, and how many options each stands for."""

    item: int
    options: Ints
    weights: Longs


def shards_of(problem: CoverProblem, order: Ints) -> Shards | None:
    """Part a problem by the tile with fewest shards, or else by an atom half way through the scan; None where nothing is to be parted.

    ``order`` is that of the scan (see ``make_moves``).
    """
    first = _first_positions(problem, order)
    once = (problem.low == 1) & (problem.high == 1) & ~problem.coloured
    found = [_orbits(problem, int(tile), first) for tile in problem.tiles if once[tile]]
    found = [shards for shards in found if len(shards.options) > 1]
    if found:
        return min(found, key=lambda shards: (len(shards.options), shards.item))
    middle = sorted(range(len(order)), key=lambda place: (abs(place - len(order) // 2), place))
    atoms = (int(order[place]) for place in middle)
    return next((_orbits(problem, i, first) for i in atoms if once[i] and len(problem.options_of[i]) > 1), None)


def _first_positions(problem: CoverProblem, order: Ints) -> Longs:
    """For each option the first place in the order that it fills."""
    place = np.full(len(problem.items), len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    first = np.full(problem.size, len(order), dtype=np.int64)
    np.minimum.at(first, problem.rows, place[problem.item])
    return first


def _orbits(problem: CoverProblem, item: int, first: Longs) -> Shards:
    """The options of an item, or, of each orbit under the symmetries that take the item to itself, the one that comes first in the scan."""
    options = problem.options_of[item]
    if problem.images is None:
        return Shards(item, options, np.ones(len(options), dtype=np.int64))
    images = problem.images[:, options]
    images = images[np.isin(images, options).all(axis=1)]
    rank = np.empty(problem.size, dtype=np.int64)
    rank[np.lexsort((np.arange(problem.size), first))] = np.arange(problem.size)
    kept = rank[images].min(axis=0) == rank[options]
    weights = np.array([len(set(column)) for column in images.T.tolist()], dtype=np.int64)
    return Shards(item, options[kept], weights[kept])
