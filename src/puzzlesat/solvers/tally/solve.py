"""The tally: how many solutions there are, without listing one.

First the shapes that a filling can go through are found, with tiles as reusable (``shapes``); then the ways through them are counted with a
record of the tiles used (``levels``), from both ends at once where every tile is used a fixed number of times. Where any tile may be
used any number of times and shapes are many, they are swept through and never stored (``sweep``). What is too large goes in ``shards``.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

from puzzlesat.arrays import Ints
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.cover.settle import settle
from puzzlesat.errors import NotSupportedError, PuzzleError
from puzzlesat.files import check_writable
from puzzlesat.progress import SHARE, SILENT, Progress
from puzzlesat.solvers.machine import all_cores, memory_within
from puzzlesat.solvers.run import COMPLETE, Ask, Clock, Limits, OnSolutions, Outcome, Status
from puzzlesat.solvers.tally.breaking import break_symmetry
from puzzlesat.solvers.tally.disk import DiskFullError, disk_for
from puzzlesat.solvers.tally.growth import Pockets
from puzzlesat.solvers.tally.levels import Work, count_ways
from puzzlesat.solvers.tally.moves import Moves, Record, make_moves
from puzzlesat.solvers.tally.shapes import TooLargeError, find_shapes, pockets_of
from puzzlesat.solvers.tally.shards import Shards, shards_of
from puzzlesat.solvers.tally.sweep import Sweep, can_sweep, sweep

NAME = "tally"
FULL = (errno.ENOSPC, errno.EDQUOT)
"""Errors of a disk that has no room left."""
WIDE, SYMMETRIES, FEW = 28, 6, 1 << 16
"""Positions that a move reaches over, symmetries, and shapes, from which on a count goes in shards, one of each orbit, if these are
three quarters as many as symmetries at most: that takes a fraction of the memory, and less time. Elsewhere breaking the symmetry on a
tile saves more; and a puzzle of few shapes is done before its shards are laid out."""
ENOUGH = 1 << 34
"""The cost of an order of the scan from which on it takes less to count than to look for a better one."""
SWEPT_FROM = 1_000_000
"""Shapes of a problem that can be swept, beyond which it is, for that stores none. Below, those that lead nowhere are better dropped."""
STATES_A_SHAPE = 50
"""Where the number of shapes is limited, what a sweep may take for each: so many states take about as long."""
MOST_NESTED = 2
"""How often shards are parted again."""


class GoOn(Protocol):
    """Tells how far it is: a number of something, and what share is done where that is known; may raise."""

    def __call__(self, what: str, number: int, share: float = 0.0) -> None:
        """Tell it."""


class StoppedError(Exception):
    """The limits say so; with the status that they gave, which they need not give again when they are asked a second time."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self.status: Status = status


def prepare(problem: CoverProblem) -> Ask:
    """Return what counts the solutions of a problem."""
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

    Raises NotSupportedError where an option fills no item that is filled once, where an item with colours must be covered, for a limit
    on the number of solutions, and where shapes or memory are more than the limits allow.
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
        said = f"{error.filename or limits.disk}: {error.strerror}; what was done before is kept at {limits.disk}"
        raise NotSupportedError(f"tally: {said}") if error.errno in FULL else PuzzleError(said) from without_frames(error)
    return Outcome(NAME, found, COMPLETE, clock.seconds, counters)


def heeding_clock(clock: Clock, counters: dict[str, int], progress: Progress) -> GoOn:
    """Return what keeps the counters, tells them, and raises StoppedError where a limit is reached."""

    def go_on(what: str, number: int, share: float = 0.0) -> None:
        counters[what] = number
        progress({**counters, SHARE: round(1e6 * min(share, 1.0))} if share else counters)
        if (status := clock.verdict(-1)) is not None:
            raise StoppedError(status)

    return go_on


def without_frames(error: BaseException) -> BaseException:
    """Return an error without the frames that it went through, in which shapes and levels stand: others go on while the refusal is kept."""
    return error.with_traceback(None)


def _check_disk(folder: Path) -> None:
    """Raise PuzzleError where nothing can be written in a folder, which is made if there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check_writable(folder / "checkpoint")
    except OSError as error:
        raise PuzzleError(f"--disk {folder}: {error.strerror}; choose a folder in which you may write") from error


def _count(problem: CoverProblem, given: Sequence[int], limits: Limits, work: dict[str, int], go_on: GoOn, nested: int = 0) -> int:
    """Count at once what fits into memory, else in shards, and in shards of these."""
    left = settle(problem, given)
    if left is None:
        return 0
    moves, record, order = make_moves(left, ENOUGH)
    moves, order, each = break_symmetry(left, moves, order)
    shards = _better_shards(left, moves, record, order) if limits.shapes is None else None
    try:
        return each * _count_at_once(left, (moves, record, order), limits if shards is None else replace(limits, shapes=FEW), work, go_on)
    except TooLargeError:
        if shards is None and limits.shapes is None and nested < MOST_NESTED:
            shards = shards_of(left, order)
        if shards is None:
            raise
    work["shards"] = work.get("shards", 0) + len(shards.options)
    disk = None if limits.disk is None else disk_for(limits.disk, limits.disk_space, *_arrays(left), shards.options)
    known: dict[str, int] = {} if disk is None else (disk.checkpoint() or {}).get("shards", {})
    for done, option in enumerate(shards.options.tolist()):
        if str(option) not in known:
            known[str(option)] = _count(left, (option,), limits, work, _part(go_on, done, len(shards.options)), nested + 1)
            if disk is not None:
                disk.save([], shards=known)
    if disk is not None:
        disk.forget()
    return sum(weight * known[str(option)] for option, weight in zip(shards.options.tolist(), shards.weights.tolist(), strict=True))


def _part(go_on: GoOn, done: int, parts: int) -> GoOn:
    """What tells of one of several parts: its share is one of a part."""
    return lambda what, number, share=0.0: go_on(what, number, (done + share) / parts)


def _arrays(problem: CoverProblem) -> list[np.ndarray]:
    """All that the count depends on."""
    bounds = [np.array([c.low, c.high, c.modulus, c.residue]) for c in problem.conditions]
    return [
        problem.start, problem.item, problem.colour, problem.low, problem.high, problem.coloured,
        *bounds, *(c.weights for c in problem.conditions),
    ]  # fmt: skip


def _better_shards(problem: CoverProblem, moves: Moves, record: Record, order: Ints) -> Shards | None:
    """The shards that are to be counted where there are many shapes with records of what is used, if they are few beside symmetries."""
    symmetries = 0 if problem.images is None else len(problem.images)
    if symmetries < SYMMETRIES or moves.reach < WIDE or can_sweep(moves, record):
        return None
    shards = shards_of(problem, order)
    return shards if shards is not None and 4 * len(shards.options) <= 3 * symmetries else None


def _count_at_once(problem: CoverProblem, laid: tuple[Moves, Record, Ints], limits: Limits, work: dict[str, int], go_on: GoOn) -> int:
    memory = memory_within(limits)
    moves, record, order = laid
    if can_sweep(moves, record):
        pockets = pockets_of(problem, order, moves, record)
        with suppress(TooLargeError):
            return _by_shapes(
                moves, record, pockets, replace(limits, shapes=min(limits.shapes or SWEPT_FROM, SWEPT_FROM)), memory, work, go_on
            )
        try:
            return _swept(moves, limits, memory, work, go_on)
        except TooLargeError as error:  # nothing is done in here: as long as it is kept, it keeps the frontiers
            refusal = str(error)
        with suppress(TooLargeError):
            return _by_shapes(moves, record, pockets, limits, memory, work, go_on)
        raise TooLargeError(refusal)
    return _by_shapes(moves, record, pockets_of(problem, order, moves, record), limits, memory, work, go_on)


def _by_shapes(moves: Moves, record: Record, pockets: Pockets, limits: Limits, memory: int, work: dict[str, int], go_on: GoOn) -> int:
    """Count with all shapes in memory."""
    known = dict(work)  # of the shards before
    shapes = find_shapes(moves, pockets, memory, limits.shapes, lambda n: go_on("shapes", known.get("shapes", 0) + n))
    found = {"shapes": shapes.found, "useful_shapes": shapes.size, "rejected": shapes.rejected}
    work |= {what: known.get(what, 0) + number for what, number in found.items()}
    disk = None
    if limits.disk is not None and limits.shapes is None:
        ends = np.array([record.bits, -1 if record.target is None else record.target, record.tiles or -1])
        disk = disk_for(limits.disk, limits.disk_space, shapes.start, shapes.to, shapes.label, shapes.accepts, *record.labels, ends)
    totals = Work(memory, limits.cores or all_cores(), lambda n: go_on("states", known.get("states", 0) + n, totals.share), disk)
    try:
        ways = count_ways(shapes, record, totals)
        if disk is not None:
            disk.forget()
    finally:
        found = {"states": totals.states, "merged": totals.merged}
        work |= {what: known.get(what, 0) + number for what, number in found.items()}
        work["peak_mib"] = max(known.get("peak_mib", 0), totals.peak >> 20)
    return sum(ways.values())


def _swept(moves: Moves, limits: Limits, memory: int, work: dict[str, int], go_on: GoOn) -> int:
    """Count without storing the shapes."""
    known = dict(work)  # of the shards before
    most = None if limits.shapes is None else limits.shapes * STATES_A_SHAPE
    disk = None if limits.disk is None or most is not None else disk_for(limits.disk, limits.disk_space, *moves)
    totals = Sweep(memory, limits.cores or all_cores(), lambda n: go_on("states", known.get("states", 0) + n, totals.share), most, disk)
    try:
        found = sweep(moves, totals)
        if disk is not None:
            disk.forget()
        return found
    finally:
        work |= {what: known.get(what, 0) + totals.states for what in ("shapes", "states")}
        work["widest"] = max(known.get("widest", 0), totals.widest)
        work["peak_mib"] = max(known.get("peak_mib", 0), totals.peak >> 20)
