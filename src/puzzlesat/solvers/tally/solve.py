"""The tally: count the solutions without listing one.

First find the shapes that a filling can go through, with tiles as reusable (``shapes``). Then count the ways through them with a record of
the tiles used (``levels``), from both ends at once if every tile is used a fixed number of times. If any tile may be used any number of
times and there are many shapes, sweep through them and store none (``sweep``).

A count that is too large is split into shards. The options of an item that is covered exactly once are divided, and each shard is counted
alone. The item is an atom, or a tile that is used once; the record then omits this tile. If symmetries map its options to each
other, one option of each orbit is counted and represents all.

To break the symmetry of a count, one option of each orbit of a tile is kept. A solution has exactly one option of a tile that is used once.
A symmetry maps the solutions with an option to those with its image, one to one, so an option represents as many solutions as any other of
its orbit. Each symmetry of a problem is first compared with its options and items, and dropped if it does not map the problem to itself. So
the count checks the symmetries on which others rely.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import gcd
from pathlib import Path
from typing import NamedTuple

import numpy as np

from puzzlesat.base import (
    SILENT,
    Clock,
    Flags,
    Ints,
    Limits,
    Longs,
    NotSupportedError,
    OnSolutions,
    Outcome,
    Progress,
    PuzzleError,
    Reals,
    Status,
    check_output,
)
from puzzlesat.kernels import compiled
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers.coloured import Ask
from puzzlesat.solvers.tally.disk import DiskFullError, disk_for
from puzzlesat.solvers.tally.growth import Pockets
from puzzlesat.solvers.tally.levels import count_ways
from puzzlesat.solvers.tally.moves import Moves, Record, begin_early, lay, make_moves, scan_order
from puzzlesat.solvers.tally.shapes import GoOn, TooLargeError, Work, find_shapes, pockets_of
from puzzlesat.solvers.tally.sweep import can_sweep, sweep


class Shards(NamedTuple):
    """The options of an item, one of each orbit, and how many options each represents."""

    item: int
    options: Ints
    weights: Longs


def shards_of(problem: CoverProblem, order: Ints) -> Shards | None:
    """Split a problem by the tile with the fewest shards, or else by an atom half way through the scan; None if nothing can be split.

    ``order`` is the order of the scan (see ``make_moves``).
    """
    first = _first_positions(problem, order)
    once = (problem.low == 1) & (problem.high == 1) & ~problem.coloured
    found = [_orbits_of_options(problem, int(tile), first) for tile in problem.tiles if once[tile]]
    found = [shards for shards in found if len(shards.options) > 1]
    if found:
        return min(found, key=lambda shards: (len(shards.options), shards.item))
    middle = sorted(range(len(order)), key=lambda place: (abs(place - len(order) // 2), place))
    atoms = (int(order[place]) for place in middle)
    return next((_orbits_of_options(problem, i, first) for i in atoms if once[i] and len(problem.options_of[i]) > 1), None)


def _first_positions(problem: CoverProblem, order: Ints) -> Longs:
    """Return for each option the first place in the order that it fills."""
    place = np.full(len(problem.items), len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    first = np.full(problem.size, len(order), dtype=np.int64)
    np.minimum.at(first, problem.rows, place[problem.item])
    return first


def _orbits_of_options(problem: CoverProblem, item: int, first: Longs) -> Shards:
    """Return the options of an item: of each orbit under the symmetries that map the item to itself, the first in the scan."""
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


MAX_SYMMETRIES = 48
"""Symmetries that are examined. More would take longer than they save."""
MAX_REPEATS = 4
"""Limit of the repetitions of an option if orbits differ in size."""
WORD = 32
"""Bits of the numbers by which items are identified."""
NARROW = 1 << 23
"""Sum of 2^width over all positions below which breaking the symmetry saves nothing."""
WORTH = 0.95
"""Share of the time up to which breaking the symmetry is worthwhile."""
FEWER = 4.0
"""The time falls by e^(-4 x) if a share x of all options is removed, and as the root of the sum of 2^width (fitted to eight puzzles)."""


class Chosen(NamedTuple):
    """The options left when the symmetry is broken on a tile."""

    times: Longs  # (options,) how often each option is counted
    represented: int  # number of solutions that each counted solution represents


def break_symmetry(problem: CoverProblem, moves: Moves, order: Ints) -> tuple[Moves, Ints, int]:
    """Return the moves with the symmetry broken, the order of their positions, and how many solutions each solution then represents.

    The symmetry is broken on the tile that saves most, if any does, and the moves are laid out again in the best order for the options
    left. If orbits differ in size, moves are repeated.
    """
    chosen = _choose(problem, moves, order) if problem.images is not None and not problem.coloured.any() else None
    if chosen is None:
        return moves, order, 1
    label = np.zeros(problem.size, dtype=np.int32)
    label[moves.option] = moves.label
    possible = np.zeros(problem.size, dtype=np.bool_)
    possible[moves.option] = True
    times = chosen.times * possible
    order = scan_order(problem, np.sort(order), sys.maxsize, some=times > 0)
    return lay(problem, order, label, times), order, chosen.represented


def _choose(problem: CoverProblem, moves: Moves, order: Ints) -> Chosen | None:
    """Find the tile on which to break the symmetry."""
    tiles = problem.tiles[(problem.low == 1)[problem.tiles] & (problem.high == 1)[problem.tiles]]
    if not len(tiles) or not problem.size:
        return None
    number = np.full(len(problem.items), -1, dtype=np.int32)
    number[tiles] = np.arange(len(tiles))
    tile = np.full(problem.size, -1, dtype=np.int32)
    own = number[problem.item] >= 0
    tile[problem.rows[own]] = number[problem.item[own]]
    kind = np.full(problem.size, -1, dtype=np.int64)
    kind[moves.option] = 1 + tile[moves.option]
    earliest = _earliest(order, problem, kind, len(tiles) + 1)
    whole = _cost(earliest.min(axis=0)[None])[0]
    if whole < NARROW:
        return None
    images = symmetries_of(problem)
    if len(images) < 2:
        return None
    rank = np.zeros(problem.size, dtype=np.int64)
    rank[moves.option] = np.arange(1, len(moves.option) + 1)  # keep the last option in the scan: frontiers are narrow until then
    last, size = _orbits(images, tile, len(tiles), rank)
    kept = (last == rank) & (rank > 0) & (tile >= 0)
    fewer = 1 - np.bincount(tile[kept], minlength=len(tiles)) / np.maximum(1, np.bincount(1 + tile, minlength=len(tiles) + 1)[1:])
    part = fewer * np.bincount(1 + tile, minlength=len(tiles) + 1)[1:] / problem.size
    least = np.sort(earliest, axis=0)[:2]
    others = np.where(earliest[1:] == least[0], least[1], least[0])
    still = _earliest(order, problem, np.where(kept, kind, -1), len(tiles) + 1)[1:]
    left = np.sqrt(_cost(np.minimum(others, still)) / whole) * np.exp(-FEWER * part)
    for best in np.argsort(left, kind="stable").tolist():
        if left[best] > WORTH:
            return None
        options = np.flatnonzero((tile == best) & kept)
        represented = gcd(*size[options].tolist())
        if size[options].max(initial=0) <= MAX_REPEATS * represented:
            times = np.where(tile == best, 0, 1)
            times[options] = size[options] // represented
            return Chosen(times, represented)
    return None


def symmetries_of(problem: CoverProblem) -> Ints:
    """Return the images under the symmetries that map the problem to itself: items to items with the same bounds, options to options.

    The image of an item is found by a sum over its options of one number per option. Then each option is compared.
    """
    assert problem.images is not None
    word = np.arange(1, problem.size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    word ^= word >> np.uint64(29)
    word = (word * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(64 - WORD)).astype(np.float64)  # short enough for exact sums
    order = np.lexsort((np.bincount(problem.item, word[problem.rows], len(problem.items)), problem.low, problem.high))
    unmoved = np.arange(problem.size)
    kept = []
    for row, image in enumerate(problem.images[:MAX_SYMMETRIES]):
        if (image == unmoved).all():
            kept.append(row)
            continue
        if image.min(initial=0) < 0 or image.max(initial=0) >= problem.size:
            continue
        sums = np.bincount(problem.item, word[image][problem.rows], len(problem.items))
        to = np.empty(len(problem.items), dtype=np.int64)
        to[np.lexsort((sums, problem.low, problem.high))] = order
        same = (problem.low[to] == problem.low).all() and (problem.high[to] == problem.high).all()
        same = same and all((c.weights[image] == c.weights).all() for c in problem.conditions if not c.implied)
        seen, hit = np.zeros(len(to), dtype=np.int64), np.zeros(problem.size, dtype=np.bool_)
        if same and goes_to_itself(problem.start, problem.item, image.astype(np.int64), to, seen, hit):
            kept.append(row)
    return problem.images[np.array(kept, dtype=np.int64)]


def _orbits(images: Ints, tile: Ints, tiles: int, rank: Longs) -> tuple[Longs, Longs]:
    """Return for each option the highest rank in its orbit under the symmetries that keep its tile, and the size of the orbit."""
    keeps = np.ones((len(images), tiles + 1), dtype=np.bool_)
    for row, image in enumerate(images):
        keeps[row, 1 + tile[tile[image] != tile]] = False
    last, size = rank.copy(), np.ones(len(rank), dtype=np.int64)
    for pattern in np.unique(keeps[:, 1:], axis=1).T:
        own = (keeps[:, 1:] == pattern[:, None]).all(axis=0)[tile] & (tile >= 0)
        some = images[pattern]
        highest = rank
        while len(some) and (higher := np.maximum(highest, highest[some].max(axis=0))).tobytes() != highest.tobytes():
            highest = higher
        last[own], size[own] = highest[own], np.bincount(highest[own], minlength=len(rank) + 1)[highest[own]]
    return last, size


def _earliest(order: Ints, problem: CoverProblem, kind: Longs, kinds: int) -> Longs:
    """Return an array (kinds, positions): the first position of any option of each kind that fills a position, if that is before.

    Options of a negative kind are ignored.
    """
    n = len(order)
    place = np.full(len(problem.items), -1, dtype=np.int64)
    place[order] = np.arange(n)
    at, own = place[problem.item], kind[problem.rows]
    entries = (at >= 0) & (own >= 0)
    cells = (at + own * n)[entries]  # as if each kind had positions of its own
    begins = np.append(np.flatnonzero(np.diff(problem.rows[entries], prepend=-1)), len(cells))
    earliest = np.arange(kinds * n)
    begin_early(np.arange(kinds * n), begins, cells, earliest)
    return earliest.reshape(kinds, n) - n * np.arange(kinds)[:, None]


def _cost(earliest: Longs) -> Reals:
    """Return for each row Σ 2^width over all steps; see ``scan_order``."""
    rows, n = earliest.shape
    open_from = earliest + 1 + np.arange(rows)[:, None] * (n + 1)
    change = np.bincount(open_from.ravel(), minlength=rows * (n + 1)).reshape(rows, n + 1)
    change[:, 1:] -= 1
    cost: Reals = np.ldexp(1.0, np.cumsum(change, axis=1)).sum(axis=1)
    return cost


@compiled
def goes_to_itself(start: Ints, item: Ints, image: Longs, to: Longs, seen: Longs, hit: Flags) -> bool:
    """Return whether options map to options, and the items of each to the items of its image; ``seen`` and ``hit`` are scratch."""
    for option in range(start.size - 1):
        there = image[option]
        if hit[there] or start[there + 1] - start[there] != start[option + 1] - start[option]:
            return False
        hit[there] = True
        for e in range(start[there], start[there + 1]):
            seen[item[e]] = option + 1
        for e in range(start[option], start[option + 1]):
            if seen[to[item[e]]] != option + 1:
                return False
            seen[to[item[e]]] = 0
    return True


NAME = "tally"
FULL = (errno.ENOSPC, errno.EDQUOT)
"""Error numbers of a disk without free space."""
WIDE, SYMMETRIES, FEW = 28, 6, 1 << 16
"""A count is split into shards, one of each orbit, from these numbers on: positions that a move spans, symmetries, and shapes. There may be
at most three quarters as many shards as symmetries. Shards take a fraction of the memory, and less time. Otherwise breaking the symmetry on
a tile saves more; and a puzzle with few shapes is counted before its shards are laid out."""
ENOUGH = 1 << 34
"""Cost of a scan order up to which counting takes less time than the search for a better order."""
SWEPT_FROM = 1_000_000
"""Shapes beyond which a problem is swept, if possible. A sweep stores no shapes; with few shapes, it is better to drop useless ones."""
STATES_A_SHAPE = 50
"""States of a sweep that take about as long as a shape. They limit a sweep if the number of shapes is limited."""
MAX_NESTING = 2
"""Limit of the times that shards are split again."""


class StoppedError(Exception):
    """A limit is reached. The error has the status, because the limits need not return it again at a second call."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self.status: Status = status


def prepare(problem: CoverProblem) -> Ask:
    """Return a solver that counts the solutions of a problem."""
    return partial(solve, problem)


def solve(
    problem: CoverProblem,
    on_solutions: OnSolutions | None,
    limits: Limits,
    *,
    given: Sequence[int] = (),
    progress: Progress = SILENT,
) -> Outcome:
    """Count the solutions that contain the options ``given``; ``on_solutions`` is never called.

    Raises NotSupportedError if an option fills no item that is filled once, if an item with colours must be covered, for a limit on the
    number of solutions, and if shapes or memory exceed the limits.
    """
    if limits.solutions is not None:
        raise NotSupportedError("tally: it counts all at once and cannot stop at a number of solutions; use --solver backtrack")
    if limits.disk is not None:
        _check_disk(limits.disk)
    clock = Clock(limits)
    counters: dict[str, int] = {}

    try:
        found = _count(problem, given, limits, counters, heeding_clock(clock, counters, progress))
    except StoppedError as stopped:
        return Outcome(NAME, 0, stopped.status, clock.seconds, counters)
    except (TooLargeError, MemoryError) as error:
        raise NotSupportedError(f"tally: {str(error) or 'memory ran out'}, or use --solver backtrack") from without_frames(error)
    except DiskFullError as error:
        raise NotSupportedError(f"tally: {error}") from without_frames(error)
    except OSError as error:
        message = f"{error.filename or limits.disk}: {error.strerror}; what was done before is kept at {limits.disk}"
        raise NotSupportedError(f"tally: {message}") if error.errno in FULL else PuzzleError(message) from without_frames(error)
    return Outcome(NAME, found, "complete", clock.seconds, counters)


def heeding_clock(clock: Clock, counters: dict[str, int], progress: Progress) -> GoOn:
    """Return a function that updates and reports the counters, and raises StoppedError at a limit."""

    def go_on(what: str, number: int, share: float = 0.0) -> None:
        counters[what] = number
        progress({**counters, Progress.SHARE: round(1e6 * min(share, 1.0))} if share else counters)
        if (status := clock.verdict(-1)) is not None:
            raise StoppedError(status)

    return go_on


def without_frames(error: BaseException) -> BaseException:
    """Return an error without its frames, which hold shapes and levels: other counts run while the error is kept."""
    return error.with_traceback(None)


def _check_disk(folder: Path) -> None:
    """Make a folder if needed; raise PuzzleError if nothing can be written in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check_output(folder / "checkpoint")
    except OSError as error:
        raise PuzzleError(f"--disk {folder}: {error.strerror}; choose a folder in which you may write") from error


def _count(problem: CoverProblem, given: Sequence[int], limits: Limits, work: dict[str, int], go_on: GoOn, nested: int = 0) -> int:
    """Count at once if memory allows, else in shards, and in shards of shards."""
    left = problem.settle(given)
    if left is None:
        return 0
    moves, record, order = make_moves(left, ENOUGH)
    moves, order, represented = break_symmetry(left, moves, order)
    shards = _better_shards(left, moves, record, order) if limits.shapes is None else None
    try:
        return represented * _count_at_once(
            left, (moves, record, order), limits if shards is None else replace(limits, shapes=FEW), work, go_on
        )
    except TooLargeError:
        if shards is None and limits.shapes is None and nested < MAX_NESTING:
            shards = shards_of(left, order)
        if shards is None:
            raise
    work["shards"] = work.get("shards", 0) + len(shards.options)
    disk = None if limits.disk is None else disk_for(limits.disk, limits.disk_space, *_arrays(left), shards.options)
    counts: dict[str, int] = {} if disk is None else (disk.checkpoint() or {}).get("shards", {})
    for done, option in enumerate(shards.options.tolist()):
        if str(option) not in counts:
            counts[str(option)] = _count(left, (option,), limits, work, _part(go_on, done, len(shards.options)), nested + 1)
            if disk is not None:
                disk.save([], shards=counts)
    if disk is not None:
        disk.forget()
    return sum(weight * counts[str(option)] for option, weight in zip(shards.options.tolist(), shards.weights.tolist(), strict=True))


def _part(go_on: GoOn, done: int, parts: int) -> GoOn:
    """Return the progress function of one of several parts."""
    return lambda what, number, share=0.0: go_on(what, number, (done + share) / parts)


def _arrays(problem: CoverProblem) -> list[np.ndarray]:
    """Return all arrays on which the count depends."""
    bounds = [np.array([c.low, c.high, c.modulus, c.residue]) for c in problem.conditions]
    return [
        problem.start, problem.item, problem.colour, problem.low, problem.high, problem.coloured,
        *bounds, *(c.weights for c in problem.conditions),
    ]  # fmt: skip


def _better_shards(problem: CoverProblem, moves: Moves, record: Record, order: Ints) -> Shards | None:
    """Return the shards to count if shapes with records are likely to be many, and shards few beside the symmetries; else None."""
    symmetries = 0 if problem.images is None else len(problem.images)
    if symmetries < SYMMETRIES or moves.reach < WIDE or can_sweep(moves, record):
        return None
    shards = shards_of(problem, order)
    return shards if shards is not None and 4 * len(shards.options) <= 3 * symmetries else None


def _count_at_once(problem: CoverProblem, laid: tuple[Moves, Record, Ints], limits: Limits, counters: dict[str, int], go_on: GoOn) -> int:
    moves, record, order = laid
    work, pockets = Work.of(limits, go_on, counters), pockets_of(problem, order, moves, record)
    if not can_sweep(moves, record):
        return _by_shapes(moves, record, pockets, limits, work)
    with suppress(TooLargeError):
        return _by_shapes(moves, record, pockets, limits, replace(work, most=min(work.most or SWEPT_FROM, SWEPT_FROM)))
    try:
        return _swept(moves, limits, replace(work, most=work.most and work.most * STATES_A_SHAPE))
    except TooLargeError as error:  # count after this block: while the error exists, it keeps the frontiers in memory
        refusal = str(error)
    with suppress(TooLargeError):
        return _by_shapes(moves, record, pockets, limits, replace(work))
    raise TooLargeError(refusal)


def _by_shapes(moves: Moves, record: Record, pockets: Pockets, limits: Limits, work: Work) -> int:
    """Count with all shapes in memory."""
    shapes = find_shapes(moves, pockets, work)
    work.add(shapes=shapes.found, useful_shapes=shapes.size, rejected=shapes.rejected)
    if limits.disk is not None and work.most is None:
        ends = np.array([record.bits, -1 if record.target is None else record.target, record.tiles or -1])
        work.disk = disk_for(limits.disk, limits.disk_space, shapes.start, shapes.to, shapes.label, shapes.accepts, *record.labels, ends)
    try:
        ways = count_ways(shapes, record, work)
        if work.disk is not None:
            work.disk.forget()
    finally:
        work.add(states=work.states, merged=work.merged)
        work.raise_to(peak_mib=work.peak >> 20)
    return sum(ways.values())


def _swept(moves: Moves, limits: Limits, work: Work) -> int:
    """Count without storing the shapes."""
    if limits.disk is not None and work.most is None:
        work.disk = disk_for(limits.disk, limits.disk_space, *moves)
    try:
        found = sweep(moves, work)
        if work.disk is not None:
            work.disk.forget()
        return found
    finally:
        work.add(shapes=work.states, states=work.states)
        work.raise_to(widest=work.widest, peak_mib=work.peak >> 20)
