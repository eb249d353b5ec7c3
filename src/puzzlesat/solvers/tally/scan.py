"""In which order to fill the items, so that few of them are open at any time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from puzzlesat.arrays import Flags, Ints, Longs
from puzzlesat.check.kernels import compiled
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.solvers.bits import get, put

if TYPE_CHECKING:
    import networkx as nx

NARROW = 1 << 24
"""A cost so low that no better order is looked for. Numbers of solutions depend on it."""
SLANTS = ((1, 1), (1, -1))


def scan_order(problem: CoverProblem, positions: Ints, enough: int = NARROW, *, some: Flags | None = None) -> Ints:
    """Return ``positions`` (items) in the order in which to fill them.

    Tried are scans along the lattice directions and diagonals, where the items have places, and the Cuthill-McKee order of the graph
    of items that touch. The one wins whose frontiers are narrowest: Σ 2^width over all steps, where the width is the number of
    items ahead that an option placed earlier may have filled. Only ``some`` of the options may be looked at. Where the cost is ``enough``,
    the graph, which takes a millisecond, is left out.
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
    rests = [np.lexsort([np.round(axis, 6) for axis in reversed(rest)]) for rest in permutations(axes)]
    for key in (*axes, *slanted):
        first = np.round(key, 6)
        for rest in rests:
            for sign in (1, -1):
                yield rest[np.argsort(sign * first[rest], kind="stable")]


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
    """Σ 2^width, exactly, that the same order wins on every machine; option o has the cells from ``begins[o]`` to ``begins[o + 1]``."""
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
    """For each place of an order: the first place of an option that may fill it, if that is before."""
    for option in range(begins.size - 1):
        first = get(place, get(cells, get(begins, option)))
        for k in range(get(begins, option), get(begins, option + 1)):
            first = min(first, get(place, get(cells, k)))
        for k in range(get(begins, option), get(begins, option + 1)):
            at = get(place, get(cells, k))
            put(earliest, at, min(get(earliest, at), first))
