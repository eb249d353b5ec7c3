"""In which order to fill the items, so that few of them are open at any time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from puzzlesat.arrays import Ints, Longs
from puzzlesat.cover.problem import CoverProblem

if TYPE_CHECKING:
    import networkx as nx

NARROW = 1 << 24
"""A cost so low that no better order is looked for."""
SLANTS = ((1, 1), (1, -1))


def scan_order(problem: CoverProblem, positions: Ints) -> Ints:
    """Return ``positions`` (items) in the order in which to fill them.

    Tried are scans along the lattice directions and diagonals, where the items have places, and the Cuthill-McKee order of the graph
    of items that touch. The one wins whose frontiers are narrowest: Σ 2^width over all steps, where the width is the number of
    items ahead that an option placed earlier may have filled.
    """
    number = np.full(len(problem.items), -1, dtype=np.int64)
    number[positions] = np.arange(len(positions))
    inside = number[problem.item] >= 0
    rows, cells = problem.rows[inside], number[problem.item[inside]]
    begins = np.flatnonzero(np.diff(rows, prepend=-1))
    orders = [np.arange(len(positions)), *_along_lattice(problem, positions)]
    best = min((_cost(order, begins, cells), i) for i, order in enumerate(orders))
    if best[0] > NARROW:
        from networkx.utils import cuthill_mckee_ordering  # takes a twentieth of a second to load

        graph = _touching(problem, positions, rows, cells)
        orders.append(np.array(list(cuthill_mckee_ordering(graph)), dtype=np.int64))
        best = min(best, (_cost(orders[-1], begins, cells), len(orders) - 1))
    order: Ints = positions[orders[best[1]]]
    return order


def _along_lattice(problem: CoverProblem, positions: Ints) -> Iterator[Longs]:
    """Sort by one lattice direction or diagonal, then by the others, forwards and backwards."""
    if problem.centres is None or not len(positions):
        return
    places = problem.centres[positions]
    if np.isnan(places).any():
        return
    axes = list(places.T)
    slanted = [a * x + b * y for a, b in SLANTS for i, x in enumerate(axes) for y in axes[i + 1 :]]
    keys = [np.round(key, 6) for key in (*axes, *slanted)]
    for first in keys:
        for rest in permutations(axes):
            for sign in (1, -1):
                yield np.lexsort((*(np.round(r, 6) for r in reversed(rest)), sign * first))


def _touching(problem: CoverProblem, positions: Ints, rows: Ints, cells: Longs) -> nx.Graph:
    """The graph of items that touch, or, where that is not known, of items that an option has in a row."""
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
    """Σ 2^width, exactly, that the same order wins on every machine; ``begins`` are the places in ``cells`` where an option begins."""
    n = len(order)
    if not len(cells):
        return 0
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    at = place[cells]
    first = np.repeat(np.minimum.reduceat(at, begins), np.diff(begins, append=len(cells)))
    earliest = np.arange(n)
    np.minimum.at(earliest, at, first)
    change = np.zeros(n + 1, dtype=np.int64)
    np.add.at(change, earliest + 1, 1)  # open from the step after the first option that may fill it
    np.add.at(change, np.arange(1, n + 1), -1)
    return sum(steps << width for width, steps in enumerate(np.bincount(np.cumsum(change)).tolist()))
