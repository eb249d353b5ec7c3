"""How often each tile is used, as side conditions: for whoever tells solutions apart by that, also those that a symmetry fixes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from puzzlesat.arrays import Longs
from puzzlesat.cover.problem import UNLIMITED, Condition, CoverProblem


def uses(problem: CoverProblem) -> Longs:
    """Return the array (tiles, options): 1 where an option is a placement of a tile, else 0."""
    number = np.full(len(problem.items), -1, dtype=np.int64)
    number[problem.tiles] = np.arange(len(problem.tiles))
    tile = number[problem.item]
    table = np.zeros((len(problem.tiles), problem.size), dtype=np.int64)
    table[tile[tile >= 0], problem.rows[tile >= 0]] = 1
    return table


def by_uses(problem: CoverProblem) -> CoverProblem:
    """Return the problem with its tiles as conditions, the first of all, in place of items: its solutions are the same.

    Conditions that follow from the coverage are left out.
    """
    table = uses(problem)
    wanted = [
        Condition(problem.items[item], table[i], int(problem.low[item]), int(problem.high[item]))
        for i, item in enumerate(problem.tiles.tolist())
    ]
    low, high = problem.low.copy(), problem.high.copy()
    low[problem.tiles], high[problem.tiles] = 0, UNLIMITED
    kept = ~np.isin(problem.item, problem.tiles)
    lengths = np.bincount(problem.rows[kept], minlength=problem.size)
    return replace(
        problem.without_implied(),
        low=low,
        high=high,
        start=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
        item=problem.item[kept],
        colour=problem.colour[kept],
        tiles=np.empty(0, dtype=np.int32),
        conditions=(*wanted, *(c for c in problem.conditions if not c.implied)),
    )


def tile_images(problem: CoverProblem) -> Longs:
    """Return the array (symmetries, tiles): the number of the tile to which each symmetry takes each tile.

    That is another one where a form is turned over, and tiles are not: then it may take a tile to its mirror image.
    """
    table = uses(problem)
    own = np.arange(len(table))
    found = np.tile(own, (len(problem.symmetries), 1))
    if problem.images is not None and problem.size:
        there = table.any(axis=1)
        first, tile = table.argmax(axis=1)[there], table.argmax(axis=0)
        found[:, there] = tile[problem.images[:, first]]
    return found
