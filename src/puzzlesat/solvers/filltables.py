"""A cover problem laid out for ``filling``: cells in the order in which to fill them, and for each cell and tile the options to try."""

from __future__ import annotations

import numpy as np

from puzzlesat.arrays import Ints, Longs
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.solvers.filling import Fill, Filling

POCKETS = 4
"""Of how many options of the largest size pockets are looked at."""
MOST_ROWS = 1 << 25
"""Of the table of options, one a cell and tile; larger problems are left alone."""
ENOUGH_FOR_AN_ORDER = 20_000
"""Options that are looked at to find the order in which to fill the cells, and cells up to which it is looked for."""


def lay_out(problem: CoverProblem, *, end: int | None = None) -> tuple[Fill, Filling, Ints] | None:
    """Return the problem for ``filling``, the state to begin with, and the options in its order; None for a problem of another kind.

    The cells are filled towards the item ``end``, if it is given.
    """
    is_cell = np.ones(len(problem.items), dtype=bool)
    is_cell[problem.tiles] = False
    must = is_cell & (problem.low > 0)
    tiles = max(1, len(problem.tiles))
    if (
        not must.any()
        or not problem.size
        or problem.coloured[problem.item].any()
        or (must & ((problem.low > 1) | (problem.high > 1))).any()
        or is_cell.sum() * tiles > MOST_ROWS
    ):
        return None
    cells = _order(problem, np.flatnonzero(is_cell), end)
    number = np.full(len(problem.items), -1)
    number[cells] = np.arange(len(cells))
    place = number[problem.item]
    never = len(cells)
    first = np.minimum.reduceat(np.where(must[problem.item], place, never), problem.start[:-1])
    tile = _tile_of(problem)
    options: Ints = np.lexsort((tile, first)).astype(np.int32)
    options = options[first[options] < never]
    if not len(options):
        return None
    start = np.searchsorted(first[options] * tiles + tile[options], np.arange(len(cells) * tiles + 1))
    entry, cell = _cells_of(problem, options, place)
    near, neighbour = _neighbours(problem, number)
    inside = np.diff(near) > 0
    sums = _sums(np.unique(np.add.reduceat(inside[cell].astype(np.int64), entry[:-1])))
    if not inside.any() or (sums == np.arange(len(sums))).all():
        sums = sums[:0]
    low, high = (problem.low[problem.tiles], problem.high[problem.tiles]) if len(problem.tiles) else (np.zeros(1), np.array([problem.size]))
    fill = Fill(
        start=start,
        entry=entry,
        cell=cell,
        must=must[cells],
        near=near,
        neighbour=neighbour,
        sums=sums,
        low=np.minimum(low, problem.size + 1).astype(np.int32),
    )
    levels = int(must.sum()) + 2
    state = Filling(
        order=np.zeros(tiles, dtype=np.int32),
        room=np.minimum(problem.high[cells], problem.size).astype(np.int32),
        open=np.array([must.sum()]),
        left=np.minimum(high, problem.size).astype(np.int32),
        used=np.zeros(tiles, dtype=np.int32),
        at=np.zeros(levels, dtype=np.int32),
        turn=np.zeros(levels, dtype=np.int32),
        tried=np.zeros(levels, dtype=np.int32),
        tile=np.zeros(levels, dtype=np.int32),
        depth=np.zeros(1, dtype=np.int64),
        option=np.zeros(levels, dtype=np.int32),
        searches=np.zeros(1, dtype=np.int64),
        seen=np.zeros(len(cells), dtype=np.int64),
        pocket=np.zeros(len(sums) + int(np.diff(near).max()), dtype=np.int32),
        remaining=np.zeros(tiles, dtype=np.int64),
    )
    return fill, state, options


def _order(problem: CoverProblem, cells: Longs, end: int | None) -> Ints:
    """The cells in the order in which to fill them: along the short side, and at last towards a corner.

    Shells round the cell that a narrow scan ends with, or the one that is given, from outside: so what is open near the end is as long as
    it is wide.
    """
    from puzzlesat.solvers.tally.scan import scan_order  # with networkx: only where it is needed

    if len(cells) > ENOUGH_FOR_AN_ORDER or end is not None:
        scan = cells.astype(np.int32)
    else:
        some = np.zeros(problem.size, dtype=bool)
        some[:: -(-problem.size // ENOUGH_FOR_AN_ORDER)] = True
        scan = scan_order(problem.select(some), cells.astype(np.int32))
    if problem.centres is None or np.isnan(problem.centres[scan]).any():
        return scan
    away = np.round(np.abs(problem.centres[scan] - problem.centres[scan[-1] if end is None else end]), 6)
    along = away[:, 0] - away[:, -1]
    shells: Ints = scan[np.lexsort((*away.T[2:], along, -away.max(axis=1)))]
    return shells


def _tile_of(problem: CoverProblem) -> Longs:
    """The tile of each option; where there are no tiles, all are of one."""
    number = np.full(len(problem.items), -1)
    number[problem.tiles] = np.arange(len(problem.tiles))
    return np.maximum(np.maximum.reduceat(number[problem.item], problem.start[:-1]), 0)


def _cells_of(problem: CoverProblem, options: Ints, place: Longs) -> tuple[Longs, Ints]:
    """CSR: the cells of some options, the first ones first, for these are the likeliest not to be free."""
    new = np.full(problem.size, -1)
    new[options] = np.arange(len(options))
    kept = np.flatnonzero((place >= 0) & (new[problem.rows] >= 0))
    kept = kept[np.lexsort((place[kept], new[problem.rows[kept]]))]
    numbers = np.bincount(new[problem.rows[kept]], minlength=len(options))
    return np.concatenate([[0], np.cumsum(numbers)]), place[kept].astype(np.int32)


def _neighbours(problem: CoverProblem, number: Longs) -> tuple[Longs, Ints]:
    """CSR: the cells that touch each cell, where that is known."""
    cells = int(number.max()) + 1
    pairs = np.zeros((0, 2), dtype=np.int64) if problem.adjacent is None else number[problem.adjacent]
    pairs = pairs[(pairs >= 0).all(axis=1)]
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    return np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0], minlength=cells))]), pairs[:, 1].astype(np.int32)


def _sums(sizes: Longs) -> Ints:
    """For each area of a small pocket, the least sum of sizes that is not less."""
    areas = POCKETS * int(sizes.max(initial=1)) + 1
    possible = np.zeros(areas + int(sizes.max(initial=1)), dtype=bool)
    possible[0] = True
    for area in range(1, len(possible)):
        possible[area] = any(area >= size > 0 and possible[area - size] for size in sizes.tolist())
    return np.array([next((a for a in range(area, len(possible)) if possible[a]), len(possible)) for area in range(areas)], dtype=np.int32)
