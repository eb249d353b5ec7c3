"""The level as BurrTools prints it: that of the first way apart that it finds, in its order of pieces and directions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from puzzlesat.arrays import Longs
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.disassembly.data import Parting, StuckError, UndecidedError
from puzzlesat.disassembly.taking import Bench, Work, lay, make_bench, searched
from puzzlesat.grid.lattice import Cell, Grid
from puzzlesat.progress import SILENT
from puzzlesat.solvers.run import Clock, Limits

DIRECTIONS = {
    "cube": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "prisms": ((0, 0, 1), (2, 0, 0), (1, 1, 0), (-1, 1, 0)),
}
"""The directions of BurrTools' grids in its order, each of them before the opposite one, in voxels."""


def takes_apart(grid: Grid) -> bool:
    """Whether BurrTools takes apart what is on a grid, so that its order of directions is known."""
    return grid.name in DIRECTIONS


def first_found(built: BuiltInstance, row: Sequence[int], limits: Limits) -> Parting | None:
    """Return the way apart that BurrTools finds first, on a grid where it takes apart; the placements are in the order of its pieces.

    None where it finds no way, and where a limit ended the search.
    """
    bench = _bench_of(built)
    options = np.array(row, dtype=np.int64)
    work = Work(bench, bench.table_for(len(row)), 0, options, Clock(limits), SILENT, order=_order(built.puzzle.grid, bench.directions))
    lay(bench, work.table.part, 0, options, bench.place[options])
    try:
        return searched(work, tuple(range(len(row))))
    except (StuckError, UndecidedError):
        return None


@lru_cache(maxsize=1)
def _bench_of(built: BuiltInstance) -> Bench:
    return make_bench(built, built.instance.together)


def _order(grid: Grid, directions: Sequence[Cell]) -> Longs:
    """The numbers of a puzzle's directions in the order of BurrTools."""
    steps = np.array(grid.layout.steps)
    voxels = [tuple((np.array(direction) @ steps).tolist()) for direction in directions]
    first = [voxels.index(direction) for direction in DIRECTIONS[grid.name]]
    return np.array([number for d in first for number in (d, d ^ 1)], dtype=np.int64)
