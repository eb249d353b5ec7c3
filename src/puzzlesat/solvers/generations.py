"""A form filled many ways side by side, level after level (see ``beam``): the best of each level go on, and what is best is learned.

From the last level of which not all could be kept, some fillings go on for longer than others. What tells them apart, the tiles that are
left and how the open cells lie, is found by linear discriminants (R. A. Fisher, 1936), held near to the costs of before: these still say
what is right of tiles that were all placed by then. Where the last fillings fail there is no choice any more, so all of them are tried: the
end of each form is searched completely.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from puzzlesat.arrays import Ints, Longs, Reals, Rows, Words
from puzzlesat.solvers import beam
from puzzlesat.solvers.beam import Children, Costs, Fillings
from puzzlesat.solvers.filling import Fill, Filling

KEPT = 4
"""For each place on a level, the children kept until it is known which are the same and which have pockets that cannot be filled."""
NOISE = 0.1
"""Of what is added to costs, as a share of how they differ: a standard deviation."""
ROUGHNESS = 1.0
"""What an open cell without an open neighbour costs, where a tile that has e times as many options as another costs 1 less."""
SURVIVORS = 200
"""At least so many fillings must have gone on for longer than others, for a lesson."""
NEARNESS = 0.3
"""How firmly costs stay where a lesson says little: a variance."""
STEP = 0.3
"""How far a lesson leads from the costs of before."""


class Start(NamedTuple):
    """A problem ready to be filled."""

    fill: Fill
    scratch: Filling  # used by all
    options: Ints  # (n,) what the options are in the problem
    tile: Ints  # (n,) the tile of each option
    spare: Ints  # (T,) how many copies of each tile may be left over
    first: Fillings  # the one filling with nothing placed
    value: Words  # (N + T,) what names are made of


@dataclass(frozen=True)
class Level:
    """The last one of which not all could be kept: its fillings, and those of them that went on for longest."""

    left: Ints
    open: Reals
    """Array (fillings, D + 1): how many open cells have so many open neighbours."""
    longest: Longs


@dataclass(frozen=True)
class Grown:
    """What came of an attempt."""

    full: Rows
    """Array (fillings, options placed): the ways found to fill the form."""
    everything: bool
    """Whether there was space for every filling, so that there are no others."""
    crowd: Level | None
    """None where there is nothing to learn."""


def ready(laid: tuple[Fill, Filling, Ints]) -> Start:
    """Return a problem laid out for ``filling`` as one that is filled side by side."""
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
    return 2 * (2 * t.must.size + 4 * t.low.size + 40) + 2 * KEPT * 40


def first_costs(start: Start) -> Costs:
    """What is taken to be hard before anything is known: tiles with few options, and cells with few open neighbours."""
    options = np.bincount(start.tile, minlength=start.fill.low.size) / np.maximum(start.first.left[0], 1)
    most = int(np.diff(start.fill.near).max(initial=0))
    return Costs(-np.log(np.maximum(options, 1.0)), ROUGHNESS * (1 - np.arange(most + 1) / max(most, 1)) ** 2)


def grow(start: Start, costs: Costs, width: int, salt: int) -> Generator[None, None, Grown]:
    """Fill the form, with no more than so many fillings a level, and return what came of it; yields after each slice of the work."""
    t, s = start.fill, start.scratch
    a_cell = int(np.diff(t.start[:: t.low.size]).max())
    space, keep = KEPT * width + max(a_cell, KEPT * width), KEPT * width
    numbers = np.zeros((2, space), dtype=np.int64)
    children = Children(np.zeros(space), np.zeros(space), np.zeros(space, dtype=np.uint64), *numbers)
    here, other = start.first, _space(t.must.size, t.low.size, width)
    spare = _space(t.must.size, t.low.size, width)
    number, everything = 1, True
    ways: list[tuple[Longs, Longs]] = []
    crowd: tuple[int, Ints, Reals] | None = None
    at = np.zeros(3, dtype=np.int64)
    while number:
        at[beam.PARENT], at[beam.COUNT], noise = 0, 0, NOISE * float(here.cost[:number].std())
        while at[beam.PARENT] < number:
            beam.extend(t, s, costs, start.value, here, number, children, noise, salt, at)
            everything &= _make_space(children, at, keep, space - a_cell)
            if at[beam.LOOKED] >= beam.SLICE:
                at[beam.LOOKED] = 0
                yield
        everything &= bool(at[beam.COUNT] <= keep)
        order = _best(children, int(at[beam.COUNT]), keep)
        following = beam.take(t, s, start.tile, here, children, order, other)
        everything &= following < width
        if not following:
            break
        here, other, number = other, spare if here is start.first else here, following
        ways.append((here.parent[:number].copy(), here.option[:number].copy()))
        full = np.flatnonzero((here.open[:number] == 0) & (here.left[:number] <= start.spare).all(axis=1))
        if len(full):
            return Grown(start.options[_options(ways, full)], everything, None)
        if number == width:
            crowd = len(ways), here.left.copy(), _open_counts(start, costs, here, number)
    nothing = np.zeros((0, 0), dtype=np.int32)
    return Grown(nothing, everything, None if crowd is None else _level(ways, *crowd))


def _make_space(children: Children, at: Longs, keep: int, most: int) -> bool:
    """Keep the best of the children, where there may be no space for more; tell whether all are kept."""
    number = int(at[beam.COUNT])
    if number <= most:
        return True
    best = np.argpartition(children.rank[:number], keep)[:keep]
    for column in children:
        column[:keep] = column[best]
    at[beam.COUNT] = keep
    return False


def _best(children: Children, number: int, keep: int) -> Longs:
    """The best of the children, those that are the same once, the best first."""
    rank = children.rank[:number]
    best = np.arange(number) if number <= keep else np.sort(np.argpartition(rank, keep - 1)[:keep])
    best = best[np.unique(children.name[best], return_index=True)[1]]
    return best[np.lexsort((children.name[best], rank[best]))]


def _options(ways: list[tuple[Longs, Longs]], rows: Longs) -> Rows:
    """The options that some fillings of the last level are made of."""
    chosen = []
    for parent, option in reversed(ways):
        chosen.append(option[rows])
        rows = parent[rows]
    return np.stack(chosen, axis=1).astype(np.int32)


def _open_counts(start: Start, costs: Costs, fillings: Fillings, number: int) -> Reals:
    counts = np.zeros((number, len(costs.open)))
    beam.count_open(start.fill, start.scratch, fillings, number, counts)
    return counts


def _level(ways: list[tuple[Longs, Longs]], level: int, left: Ints, counts: Reals) -> Level | None:
    """The fillings of a level, and which of them went on for longest, if these are enough to learn from."""
    for last in range(len(ways), level, -1):
        rows = np.arange(len(ways[last - 1][0]))
        for parent, _ in reversed(ways[level:last]):
            rows = np.unique(parent[rows])
        if len(rows) >= SURVIVORS:
            return Level(left, counts, rows)
    return None


def learned(costs: Costs, crowd: Level) -> Costs:
    """Return the costs, changed a little towards what tells the fillings that went on for longest from the others."""
    features = np.hstack([crowd.left, crowd.open])
    before = np.concatenate([costs.tile, costs.open])
    spread = np.cov(features, rowvar=False)
    lead = features.mean(axis=0) - features[crowd.longest].mean(axis=0)
    scale = (before @ lead) / max(before @ spread @ before, 1e-9)
    if scale <= 0:
        return costs
    found = np.linalg.solve(spread + NEARNESS * np.eye(len(before)), lead + NEARNESS * scale * before) / scale
    mixed = (1 - STEP) * before + STEP * found
    tiles = len(costs.tile)
    return Costs(mixed[:tiles], mixed[tiles:])
