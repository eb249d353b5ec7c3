"""Find solutions of large problems at random, where a plain search gets nowhere.

Attempts of two kinds alternate, and learn from earlier ones:

- Depth-first filling, one filling after the other, awkward tiles first, each time in another order. A tile is awkward if it is often left
  over when few cells are open. So the tiles left at the end fit almost anywhere, and the last corner, which is searched completely, can be
  filled in many ways. This is best for sets of many tiles.
- Beam search with learned costs: the best fillings of each level survive. From the last level that was cut, some fillings survive longer
  than others. Linear discriminants (R. A. Fisher, 1936) find which tiles left and which open cells tell them apart. The new costs stay
  near the previous ones, which still take account of tiles that were all placed by then. The end of each form is searched completely. This
  is best for hollow and branched forms, where little fits anywhere.

An attempt has a limit of nodes or fillings, but no time limit, so a seed gives the same solutions again. The loops are in ``filling``.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import count
from math import fsum, log
from random import Random
from typing import NamedTuple

import numpy as np

from puzzlesat.base import Ints, Longs, Reals, Rows, Words, padded_rows
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers import filling, kernel
from puzzlesat.solvers.filling import Children, Costs, Fill, Filling, Fillings
from puzzlesat.solvers.parallel import Slice

PATIENT_TURNS = 8
"""Turns of the backtracker without a solution (some hundredths of a second each) after which an attempt follows every turn."""
ATTEMPT_NODES = 100_000
"""Node limit of most attempts: some hundredths of a second."""
LONGEST_ATTEMPT = 16
"""Node limit of the longest attempts, in multiples of ``ATTEMPT_NODES``."""
WIDTH = 10_000
"""Fillings on a level in most attempts by beam search."""
WIDEST = 8
"""Fillings on a level in the widest attempts, in multiples of ``WIDTH``."""
LEVEL_BYTES = 1 << 28
"""Memory limit of the fillings of a level."""

POCKETS = 4
"""Size limit of the pockets that are examined, in options of the largest size."""
MAX_ROWS = 1 << 25
"""Row limit of the table of options, which has a row per cell and tile. Larger problems are not attempted."""
ENOUGH_FOR_AN_ORDER = 20_000
"""Options examined to find a scan of the cells, and number of cells up to which a scan is sought."""


def lay_out(problem: CoverProblem, *, end: int | None = None) -> tuple[Fill, Filling, Ints] | None:
    """Return the problem laid out for ``filling``, the first state, and the options in its order; None for an unsuited problem.

    The cells are filled towards the item ``end``, if it is given.
    """
    is_cell = np.ones(len(problem.items), dtype=bool)
    is_cell[problem.tiles] = False
    must = is_cell & (problem.low > 0)
    tiles = max(1, len(problem.tiles))
    several = (must & ((problem.low > 1) | (problem.high > 1))).any()
    if not must.any() or not problem.size or problem.coloured[problem.item].any() or several or is_cell.sum() * tiles > MAX_ROWS:
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
    return fill, _nothing_filled(fill, problem.high[cells], high, problem.size), options


def _nothing_filled(fill: Fill, room: Ints, copies: Ints, options: int) -> Filling:
    """Return the first state. ``room`` is how often each cell may be covered, and ``copies`` how often each tile may be used."""
    cells, tiles, must = len(room), len(copies), int(fill.must.sum())
    levels = must + 2
    return Filling(
        order=np.zeros(tiles, dtype=np.int32),
        room=np.minimum(room, options).astype(np.int32),
        open=np.array([must], dtype=np.int64),
        left=np.minimum(copies, options).astype(np.int32),
        used=np.zeros(tiles, dtype=np.int32),
        at=np.zeros(levels, dtype=np.int32),
        turn=np.zeros(levels, dtype=np.int32),
        tried=np.zeros(levels, dtype=np.int32),
        tile=np.zeros(levels, dtype=np.int32),
        depth=np.zeros(1, dtype=np.int64),
        option=np.zeros(levels, dtype=np.int32),
        searches=np.zeros(1, dtype=np.int64),
        seen=np.zeros(cells, dtype=np.int64),
        pocket=np.zeros(len(fill.sums) + int(np.diff(fill.near).max()), dtype=np.int32),
        remaining=np.zeros(tiles, dtype=np.int64),
    )


def _order(problem: CoverProblem, cells: Longs, end: int | None) -> Ints:
    """Return the cells in the order in which to fill them: along the short side, and finally towards a corner.

    The order follows shells, from outside in, around the cell at which a narrow scan ends, or around ``end``. So the part that is open near
    the end is as long as it is wide.
    """
    from puzzlesat.solvers.tally.moves import scan_order  # imported here because other problems do not need it

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
    """Return the tile of each option; without tiles, all options have the same."""
    number = np.full(len(problem.items), -1)
    number[problem.tiles] = np.arange(len(problem.tiles))
    return np.maximum(np.maximum.reduceat(number[problem.item], problem.start[:-1]), 0)


def _cells_of(problem: CoverProblem, options: Ints, place: Longs) -> tuple[Longs, Ints]:
    """Return the cells of some options as CSR. The first cells come first, because they are the most likely to be covered."""
    new = np.full(problem.size, -1)
    new[options] = np.arange(len(options))
    entries = np.flatnonzero((place >= 0) & (new[problem.rows] >= 0))
    entries = entries[np.lexsort((place[entries], new[problem.rows[entries]]))]
    numbers = np.bincount(new[problem.rows[entries]], minlength=len(options))
    return np.concatenate([[0], np.cumsum(numbers)]), place[entries].astype(np.int32)


def _neighbours(problem: CoverProblem, number: Longs) -> tuple[Longs, Ints]:
    """Return as CSR the cells that touch each cell, if known."""
    cells = int(number.max()) + 1
    pairs = np.zeros((0, 2), dtype=np.int64) if problem.adjacent is None else number[problem.adjacent]
    pairs = pairs[(pairs >= 0).all(axis=1)]
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    return np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0], minlength=cells))]), pairs[:, 1].astype(np.int32)


def _sums(sizes: Longs) -> Ints:
    """Return for each area of a small pocket the least sum of sizes that is not less."""
    areas = POCKETS * int(sizes.max(initial=1)) + 1
    possible = np.zeros(areas + int(sizes.max(initial=1)), dtype=bool)
    possible[0] = True
    for area in range(1, len(possible)):
        possible[area] = any(area >= size > 0 and possible[area - size] for size in sizes.tolist())
    return np.array([next((a for a in range(area, len(possible)) if possible[a]), len(possible)) for area in range(areas)], dtype=np.int32)


CHILDREN_A_PLACE = 4
"""Children kept for each place on a level, before duplicates and children with unfillable pockets are removed."""
GENERATION_NOISE = 0.1
"""Standard deviation of the noise added to costs, relative to the standard deviation of the costs."""
ROUGHNESS = 1.0
"""Cost of an open cell without open neighbours. If tile A has e times the number of options of tile B, A costs 1 less than B."""
SURVIVORS = 200
"""Least number of surviving fillings from which costs are learned."""
NEARNESS = 0.3
"""Variance added to every feature (ridge). It keeps costs near the previous ones where a lesson says little."""
STEP = 0.3
"""Weight of the learned costs against the previous ones."""


class Start(NamedTuple):
    """A problem ready for beam search."""

    fill: Fill
    scratch: Filling  # shared by all attempts
    options: Ints  # (n,) the numbers of the options in the problem
    tile: Ints  # (n,) the tile of each option
    spare: Ints  # (T,) how many copies of each tile may be left over
    first: Fillings  # the filling with nothing placed
    value: Words  # (N + T,) the parts of names


@dataclass(frozen=True)
class BeamLevel:
    """The last level from which fillings had to be dropped: its fillings, and those that survived longest."""

    left: Ints
    open: Reals
    """Array (fillings, D + 1): the open cells by their number of open neighbours."""
    longest: Longs


@dataclass(frozen=True)
class Grown:
    """The result of an attempt by beam search."""

    full: Rows
    """Array (fillings, options placed): the ways found to fill the form."""
    everything: bool
    """True if no filling was dropped for lack of space, so there are no other solutions."""
    cut_level: BeamLevel | None
    """The level to learn from; None if there is none."""


def ready(laid: tuple[Fill, Filling, Ints]) -> Start:
    """Return a problem laid out for ``filling`` as one for beam search."""
    t, s, options = laid
    cells, tiles = t.must.size, t.low.size
    rows = np.repeat(np.arange(cells * tiles), np.diff(t.start))
    first = _space(cells, tiles, 1)
    first.room[0], first.left[0], first.open[0] = np.minimum(s.room, np.iinfo(np.int16).max), s.left, s.open[0]
    value = np.random.default_rng(1).integers(1, np.iinfo(np.int64).max, cells + tiles).astype(np.uint64)
    return Start(t, s, options, (rows % tiles).astype(np.int32), s.left - np.maximum(t.low - s.used, 0), first, value)


def _space(cells: int, tiles: int, width: int) -> Fillings:
    return Fillings(
        room=np.zeros((width, cells), dtype=np.int16),
        left=np.zeros((width, tiles), dtype=np.int32),
        open=np.zeros(width, dtype=np.int64),
        cost=np.zeros(width),
        name=np.zeros(width, dtype=np.uint64),
        parent=np.zeros(width, dtype=np.int64),
        option=np.zeros(width, dtype=np.int64),
    )


def bytes_of(start: Start) -> int:
    """Return how much memory a place of a level takes."""
    t = start.fill
    return 2 * (2 * t.must.size + 4 * t.low.size + 40) + 2 * CHILDREN_A_PLACE * 40


def first_costs(start: Start) -> Costs:
    """Return the initial costs: tiles with few options, and cells with few open neighbours, are taken to be hard."""
    options = np.bincount(start.tile, minlength=start.fill.low.size) / np.maximum(start.first.left[0], 1)
    most = int(np.diff(start.fill.near).max(initial=0))
    return Costs(-np.log(np.maximum(options, 1.0)), ROUGHNESS * (1 - np.arange(most + 1) / max(most, 1)) ** 2)


def grow(start: Start, costs: Costs, width: int, salt: int) -> Generator[None, None, Grown]:
    """Fill the form with at most ``width`` fillings per level, and return the result; yield after each slice of the work."""
    t, s = start.fill, start.scratch
    a_cell = int(np.diff(t.start[:: t.low.size]).max())
    space, keep = CHILDREN_A_PLACE * width + max(a_cell, CHILDREN_A_PLACE * width), CHILDREN_A_PLACE * width
    numbers = np.zeros((2, space), dtype=np.int64)
    children = Children(np.zeros(space), np.zeros(space), np.zeros(space, dtype=np.uint64), *numbers)
    here, other = start.first, _space(t.must.size, t.low.size, width)
    spare = _space(t.must.size, t.low.size, width)
    number, everything = 1, True
    ways: list[tuple[Longs, Longs]] = []
    cut_level: tuple[int, Ints, Reals] | None = None
    at = np.zeros(3, dtype=np.int64)
    while number:
        at[filling.PARENT], at[filling.COUNT], noise = 0, 0, GENERATION_NOISE * float(here.cost[:number].std())
        while at[filling.PARENT] < number:
            filling.extend(t, s, costs, start.value, here, number, children, noise, salt, at)
            everything &= _make_space(children, at, keep, space - a_cell)
            if at[filling.LOOKED] >= filling.SLICE:
                at[filling.LOOKED] = 0
                yield
        everything &= bool(at[filling.COUNT] <= keep)
        order = _best(children, int(at[filling.COUNT]), keep)
        following = filling.take(t, s, start.tile, here, children, order, other)
        everything &= following < width
        if not following:
            break
        here, other, number = other, spare if here is start.first else here, following
        ways.append((here.parent[:number].copy(), here.option[:number].copy()))
        full = np.flatnonzero((here.open[:number] == 0) & (here.left[:number] <= start.spare).all(axis=1))
        if len(full):
            return Grown(start.options[_options(ways, full)], everything, None)
        if number == width:
            cut_level = len(ways), here.left.copy(), _open_counts(start, costs, here, number)
    nothing = np.zeros((0, 0), dtype=np.int32)
    return Grown(nothing, everything, None if cut_level is None else _level(ways, *cut_level))


def _make_space(children: Children, at: Longs, keep: int, most: int) -> bool:
    """Keep only the best children if space may run out; return whether all are kept."""
    number = int(at[filling.COUNT])
    if number <= most:
        return True
    best = np.argpartition(children.rank[:number], keep)[:keep]
    for column in children:
        column[:keep] = column[best]
    at[filling.COUNT] = keep
    return False


def _best(children: Children, number: int, keep: int) -> Longs:
    """Return the best children without duplicates, the best first."""
    rank = children.rank[:number]
    best = np.arange(number) if number <= keep else np.sort(np.argpartition(rank, keep - 1)[:keep])
    best = best[np.unique(children.name[best], return_index=True)[1]]
    return best[np.lexsort((children.name[best], rank[best]))]


def _options(ways: list[tuple[Longs, Longs]], rows: Longs) -> Rows:
    """Return the options of some fillings of the last level."""
    chosen = []
    for parent, option in reversed(ways):
        chosen.append(option[rows])
        rows = parent[rows]
    return np.stack(chosen, axis=1).astype(np.int32)


def _open_counts(start: Start, costs: Costs, fillings: Fillings, number: int) -> Reals:
    counts = np.zeros((number, len(costs.open)))
    filling.count_open(start.fill, start.scratch, fillings, number, counts)
    return counts


def _level(ways: list[tuple[Longs, Longs]], level: int, left: Ints, counts: Reals) -> BeamLevel | None:
    """Return the fillings of a level and the longest survivors among them; None if these are too few to learn from."""
    for last in range(len(ways), level, -1):
        rows = np.arange(len(ways[last - 1][0]))
        for parent, _ in reversed(ways[level:last]):
            rows = np.unique(parent[rows])
        if len(rows) >= SURVIVORS:
            return BeamLevel(left, counts, rows)
    return None


def learned(costs: Costs, cut_level: BeamLevel) -> Costs:
    """Return the costs, moved towards the discriminant between the fillings that survived longest and the others."""
    features = np.hstack([cut_level.left, cut_level.open])
    before = np.concatenate([costs.tile, costs.open])
    spread = np.cov(features, rowvar=False)
    lead = features.mean(axis=0) - features[cut_level.longest].mean(axis=0)
    scale = (before @ lead) / max(before @ spread @ before, 1e-9)
    if scale <= 0:
        return costs
    found = np.linalg.solve(spread + NEARNESS * np.eye(len(before)), lead + NEARNESS * scale * before) / scale
    mixed = (1 - STEP) * before + STEP * found
    tiles = len(costs.tile)
    return Costs(mixed[:tiles], mixed[tiles:])


UNLEARNED_PERIOD = 4
"""Period, in attempts by beam search, of the attempts that ignore the learned costs."""
MAX_TURNED = 100_000
"""Options up to which these attempts also fill the form in another order, for which the problem must be laid out again."""
NEAR_END = 6
"""An attempt is near the end if the open cells have room for at most this many options of the largest size."""
ATTEMPTS_A_LESSON = 5
"""Attempts after which the order of the tiles is learned again."""
NOISE = 0.5
"""Standard deviation of the order of an attempt from the learned order, on a logarithmic scale of how often a tile is left over."""
SMOOTHING = 0.05
"""Added to how often a tile is left over, as a share of the mean, so that the logarithm of 0 is never taken."""
PATIENCE = 3000
"""Nodes without progress, far from the end, after which some of the last options are taken back."""
TAKEN_BACK = 8
"""Number of options taken back, in most cases."""
MAX_STUCK = 200
"""Limit of the times that an attempt gets stuck."""

Row = tuple[int, ...]


def or_by_chance(search: Generator[Slice], problem: CoverProblem, given: Sequence[int], seed: int, most: int | None) -> Generator[Slice]:
    """Yield the turns of a search, and, if the first turns find no solution, the solution of an attempt after each turn.

    Attempts end with the first solution of the search. No solution comes twice, and there are at most ``most``.
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
                yield Slice(np.where(np.arange(kernel.COUNTERS) == kernel.FOUND, 1, 0), padded_rows([row]))


def _without(turn: Slice, seen: set[Row], most: int | None) -> Slice:
    """Return a turn without the solutions seen before, and with at most ``most`` solutions."""
    assert turn.rows is not None
    new = [k for k, row in enumerate(turn.rows.tolist()) if tuple(o for o in row if o >= 0) not in seen]
    kept = new[:most]
    work = turn.work.copy()
    work[kernel.FOUND] = len(kept)
    return replace(turn, work=work, rows=turn.rows[kept], last=turn.last and len(kept) == len(new))


def attempts(problem: CoverProblem, given: Sequence[int], seed: int) -> Iterator[Row | None]:
    """Yield the result of each slice of an attempt: a solution with the given and the forced options, ascending, or None.

    Attempts of both kinds alternate. They end at once for a problem unless its items are tiles and cells, and cells are covered at most
    once. They also end when an attempt has tried everything. This proves nothing, because placements that cover only optional cells are
    ignored.
    """
    chosen = {*problem.forced, *given}
    rest = replace(problem, origin=None).settle(given)
    if rest is None or (laid := lay_out(rest)) is None:
        return
    origin = np.arange(problem.size) if rest.origin is None else rest.origin
    random = Random(seed)
    for both in zip(_one_by_one(*laid, random), _side_by_side(rest, random), strict=False):
        for rows in both:
            solutions = ([*chosen, *origin[row].tolist()] for row in rows)
            good = (found for found in solutions if all(c.holds(int(c.weights[found].sum())) for c in problem.conditions))
            yield next((tuple(sorted(found)) for found in good), None)


def _side_by_side(problem: CoverProblem, random: Random) -> Iterator[Rows]:
    """Yield the solutions found by beam search, and an empty array after each slice of the work.

    Every fourth attempt uses the first costs and fills the form towards another cell, because the learned costs or the usual order may be
    bad.
    """
    usual, cells = _towards(problem, None), _cells(problem)
    first = costs = first_costs(usual)
    widest = max(1, LEVEL_BYTES // bytes_of(usual))
    for attempt in count(1):
        width, salt = min(widest, WIDTH * min(_luby(attempt), WIDEST)), random.getrandbits(32)
        if attempt % UNLEARNED_PERIOD == 0:
            start = usual if problem.size > MAX_TURNED else _towards(problem, int(random.choice(cells)))
            grown = yield from _finished(grow(start, first, width, salt))
        else:
            grown = yield from _finished(grow(usual, costs, width, salt))
            costs = costs if grown.cut_level is None else learned(costs, grown.cut_level)
        yield grown.full
        if grown.everything and not len(grown.full):
            return


def _towards(problem: CoverProblem, end: int | None) -> Start:
    laid = lay_out(problem, end=end)
    assert laid is not None
    return ready(laid)


def _cells(problem: CoverProblem) -> Longs:
    is_cell = problem.low > 0
    is_cell[problem.tiles] = False
    return np.flatnonzero(is_cell)


def _finished(slices: Generator[None, None, Grown]) -> Generator[Rows, None, Grown]:
    """Run the slices of an attempt, with an empty array after each; return the result."""
    while True:
        try:
            next(slices)
        except StopIteration as end:
            grown: Grown = end.value
            return grown
        yield np.zeros((0, 0), dtype=np.int32)


def _one_by_one(t: Fill, s: Filling, options: Ints, random: Random) -> Iterator[Rows]:
    """Yield the solutions found depth first, one filling after the other."""
    copies = np.maximum(s.left, 1).tolist()
    start = [part.copy() for part in s]
    often, awkward = [0.0] * len(copies), [0.0] * len(copies)
    for attempt in count(1):
        for part, first in zip(map(np.asarray, s), start, strict=True):
            np.copyto(part, first)
        result = _attempt(t, s, awkward, random, ATTEMPT_NODES * min(_luby(attempt), LONGEST_ATTEMPT))
        if result == filling.NONE:
            return
        yield options[s.option[None, : s.depth[0]]][: int(result == filling.FOUND)]
        left = [n / most for n, most in zip(s.remaining.tolist(), copies, strict=True)]
        often = [n + own / max(fsum(left), 1.0) for n, own in zip(often, left, strict=True)]
        if attempt % ATTEMPTS_A_LESSON == 0 and (mean := fsum(often) / len(often)) > 0:
            awkward = [log(n / mean + SMOOTHING) for n in often]


def _attempt(t: Fill, s: Filling, awkward: Sequence[float], random: Random, nodes: int) -> int:
    """Fill a form. If the search is stuck far from the end, take some of the last options back and try others."""
    near_end = NEAR_END * int(np.add.reduceat(t.must[t.cell], t.entry[:-1]).max())
    for stuck in range(1, MAX_STUCK + 1):
        filling.rewind(t, s, max(0, s.depth[0] - TAKEN_BACK * _luby(stuck)))
        s.order[:] = np.argsort([-a - random.gauss(0.0, NOISE) for a in awkward], kind="stable")
        floor = int(s.depth[0])
        result = int(filling.fill(t, s, PATIENCE, nodes, near_end, random.getrandbits(32)))
        if result in (filling.FOUND, filling.GIVEN_UP) or (result == filling.NONE and floor == 0):
            return result
    return filling.STUCK


def _luby(n: int) -> int:
    """Return the n-th term of 1, 1, 2, 1, 1, 2, 4, 1, …: the length of a run whose best length is unknown.

    M. Luby, A. Sinclair, D. Zuckerman, "Optimal speedup of Las Vegas algorithms", Information Processing Letters 47 (1993).
    """
    while n & (n + 1):
        n -= (1 << (n.bit_length() - 1)) - 1
    return (n + 1) // 2
