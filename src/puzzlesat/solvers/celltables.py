"""A cover problem laid out for ``cells``, the kernel of the backtracker that needs little memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from puzzlesat.cover.problem import CoverProblem
from puzzlesat.solvers import kernel
from puzzlesat.solvers.cells import CellState, CellTables
from puzzlesat.solvers.tables import branching, condition_tables, factors, first_bounds, refuse_coloured_needs

BYTES_AN_ENTRY = 64
"""About as much as is needed at once while the tables are made."""


def cell_bytes(problem: CoverProblem) -> int:
    """Return how much memory the tables and the state of a search need at most."""
    return BYTES_AN_ENTRY * (len(problem.item) + problem.size * (2 + len(problem.conditions)))


def make_cell_tables(problem: CoverProblem) -> CellTables:
    """Lay the problem out for ``cells``. Raises NotSupportedError where a coloured item must be covered."""
    refuse_coloured_needs(problem)
    n = problem.size
    sizes = np.bincount(problem.item, minlength=len(problem.items))
    chosen = branching(problem, sizes)
    excluding = np.setdiff1d(np.flatnonzero((problem.high == 1) | problem.coloured), chosen)
    items = np.concatenate([chosen, excluding])
    closed = problem.antichain and len(chosen) > 0
    number = np.full(len(problem.items), -1)
    number[items] = np.arange(len(items))
    kept = np.flatnonzero(number[problem.item] >= 0)
    option, place, colour = problem.rows[kept].astype(np.int64), number[problem.item[kept]], problem.colour[kept]
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
    """Return a state that can go its own way."""
    return CellState(*(part.copy() for part in s))
