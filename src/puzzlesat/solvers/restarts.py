"""Solutions of large problems by chance: the form is filled again and again, each time in another order, the awkward tiles first.

What is awkward is learned: a tile is, if it is often among those left over when little is open. The form is filled cell by cell (see
``filling``) along its short side; the tiles that are left at the end are then those that fit almost anywhere, and the last rows, where the
search goes through everything, have many solutions. Each attempt has so many nodes; no clock has a say, so a seed gives the same again.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from math import fsum, log
from random import Random

import numpy as np

from puzzlesat.arrays import Ints, Longs
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.cover.settle import settle
from puzzlesat.rows import padded_rows
from puzzlesat.solvers import filling, kernel
from puzzlesat.solvers.filling import Fill, Filling
from puzzlesat.solvers.strategy import ATTEMPT_NODES, LONGEST_ATTEMPT, PATIENT_TURNS
from puzzlesat.solvers.turns import Turn

NEAR_END = 6
"""Options of the largest size that what is open would take, from where on tiles are counted as left over."""
POCKETS = 4
"""Of how many options of the largest size pockets are looked at."""
ATTEMPTS_A_LESSON = 5
"""After so many attempts the order of the tiles is made anew."""
NOISE = 0.5
"""How far the order of an attempt is from the one learned: a standard deviation, where e times as often left over is 1."""
LEAST_SHARE = 0.05
"""Of the mean: what is added to how often a tile is left over, so that one that never is can be compared."""
PATIENCE = 3000
"""Nodes without progress far from the end, until some of what was placed last is taken back."""
TAKEN_BACK = 8
"""How much, in most cases."""
MOST_STUCK = 200
"""How often in an attempt."""
MOST_ROWS = 1 << 25
"""Of the table of options, one a cell and tile; larger problems are left alone."""
ENOUGH_FOR_AN_ORDER = 20_000
"""Options that are looked at to find the order in which to fill the cells, and cells up to which it is looked for."""

Row = tuple[int, ...]


def or_by_chance(search: Generator[Turn], problem: CoverProblem, given: Sequence[int], seed: int, most: int | None) -> Generator[Turn]:
    """Yield the turns of a search, and, where the first ones have no solution, after each of them what an attempt found.

    Attempts end with the first solution of the search. Each solution comes once, and there are no more than ``most``.
    """
    tries, seen, found, of_search = attempts(problem, given, seed), set[Row](), 0, 0
    with closing(search):
        for number, turn in enumerate(search, start=1):
            of_search += int(turn.work[kernel.FOUND])
            own = turn if not seen else _without(turn, seen, None if most is None else most - found)
            found += int(own.work[kernel.FOUND])
            yield own
            if number > PATIENT_TURNS and not of_search and not turn.last and (row := next(tries, None)) is not None and row not in seen:
                seen.add(row)
                found += 1
                yield Turn(np.where(np.arange(kernel.COUNTERS) == kernel.FOUND, 1, 0), padded_rows([row]))


def _without(turn: Turn, seen: set[Row], most: int | None) -> Turn:
    """A turn without solutions that were seen before, and with so many at most."""
    assert turn.rows is not None
    new = [k for k, row in enumerate(turn.rows.tolist()) if tuple(o for o in row if o >= 0) not in seen]
    kept = new[:most]
    work = turn.work.copy()
    work[kernel.FOUND] = len(kept)
    return replace(turn, work=work, rows=turn.rows[kept], last=turn.last and len(kept) == len(new))


def attempts(problem: CoverProblem, given: Sequence[int], seed: int) -> Iterator[Row | None]:
    """Yield what each attempt found: a solution that contains the options given and those forced, by its options ascending, or None.

    Ends where it cannot help: at once for problems whose items are not cells, covered once or perhaps not at all, and tiles; and where
    an attempt has tried everything. That says nothing of the problem: placements that cover only what may stay open are left out.
    """
    chosen = {*problem.forced, *given}
    rest = settle(replace(problem, origin=None), given)
    if rest is None or (laid := _lay_out(rest)) is None:
        return
    t, s, options = laid
    origin = np.arange(problem.size) if rest.origin is None else rest.origin
    origin = np.arange(problem.size) if rest.origin is None else rest.origin
    random, copies = Random(seed), np.maximum(s.left, 1).tolist()
    start = [part.copy() for part in s]
    often, awkward = [0.0] * len(copies), [0.0] * len(copies)
    attempt = 0
    while True:
        for part, first in zip(map(np.asarray, s), start, strict=True):
            np.copyto(part, first)
        attempt += 1
        result = _attempt(t, s, awkward, random, ATTEMPT_NODES * min(_luby(attempt), LONGEST_ATTEMPT))
        if result == filling.NONE:
            return
        found = [*chosen, *origin[options[s.option[: s.depth[0]]]].tolist()]
        yield tuple(sorted(found)) if result == filling.FOUND and _conditions_hold(problem, found) else None
        left = [n / most for n, most in zip(s.remaining.tolist(), copies, strict=True)]
        often = [n + own / max(fsum(left), 1.0) for n, own in zip(often, left, strict=True)]
        if attempt % ATTEMPTS_A_LESSON == 0 and (mean := fsum(often) / len(often)) > 0:
            awkward = [log(n / mean + LEAST_SHARE) for n in often]


def _attempt(t: Fill, s: Filling, awkward: Sequence[float], random: Random, nodes: int) -> int:
    """Fill a form; where the search is stuck far from the end, some of what was placed last is placed otherwise."""
    near_end = NEAR_END * int(np.add.reduceat(t.must[t.cell], t.entry[:-1]).max())
    for stuck in range(1, MOST_STUCK + 1):
        filling.rewind(t, s, max(0, s.depth[0] - TAKEN_BACK * _luby(stuck)))
        s.order[:] = np.argsort([-a - random.gauss(0.0, NOISE) for a in awkward], kind="stable")
        floor = int(s.depth[0])
        result = int(filling.fill(t, s, PATIENCE, nodes, near_end, random.getrandbits(32)))
        if result in (filling.FOUND, filling.GIVEN_UP) or (result == filling.NONE and floor == 0):
            return result
    return filling.STUCK


def _luby(n: int) -> int:
    """1, 1, 2, 1, 1, 2, 4, 1, …: how long to go on, where nobody knows how long it takes.

    M. Luby, A. Sinclair, D. Zuckerman, "Optimal speedup of Las Vegas algorithms", Information Processing Letters 47 (1993).
    """
    while n & (n + 1):
        n -= (1 << (n.bit_length() - 1)) - 1
    return (n + 1) // 2


def _conditions_hold(problem: CoverProblem, chosen: Sequence[int]) -> bool:
    return all(c.holds(int(c.weights[chosen].sum())) for c in problem.conditions)


def _lay_out(problem: CoverProblem) -> tuple[Fill, Filling, Ints] | None:
    """The problem for ``filling``, the state to begin with, and the options in its order; None for a problem of another kind."""
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
    cells = _order(problem, np.flatnonzero(is_cell))
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
        near, neighbour = np.zeros_like(near), neighbour[:0]
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


def _order(problem: CoverProblem, cells: Longs) -> Ints:
    """The cells in the order in which to fill them: along the short side, and at last towards a corner.

    Shells round the cell that a narrow scan ends with, from outside: so what is open near the end is as long as it is wide.
    """
    from puzzlesat.solvers.tally.scan import scan_order  # with networkx: only where it is needed

    if len(cells) > ENOUGH_FOR_AN_ORDER:
        scan = cells.astype(np.int32)
    else:
        some = np.zeros(problem.size, dtype=bool)
        some[:: -(-problem.size // ENOUGH_FOR_AN_ORDER)] = True
        scan = scan_order(problem.select(some), cells.astype(np.int32))
    if problem.centres is None or np.isnan(problem.centres[scan]).any():
        return scan
    away = np.round(np.abs(problem.centres[scan] - problem.centres[scan[-1]]), 6)
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
