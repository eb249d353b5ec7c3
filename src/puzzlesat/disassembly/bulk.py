"""Many assemblies of a puzzle: only what they come to, and the same check as for each of them. No step is kept.

Kernels decide those that hold, and those of which all parts come apart by single moves once one was taken away. The others are left to the
search that can do all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from puzzlesat.arrays import Flags, Longs
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.disassembly.ground import LARGEST_BOARD, Ground, ground_of
from puzzlesat.disassembly.held import Stuck, held
from puzzlesat.disassembly.kernel import EXHAUSTED, PAUSED, Simple, explore_simple
from puzzlesat.disassembly.run import MOST_CHECKED, confirmed_all
from puzzlesat.disassembly.stepping import DONE, TOO_NARROW, Held, replay_all
from puzzlesat.disassembly.sweeping import sweeps_of
from puzzlesat.disassembly.taking import AT_ONCE, ROWS_AT_ONCE, Bench, Table, make_bench, new_rows, new_tree, new_tried
from puzzlesat.errors import ContradictionError
from puzzlesat.solvers.run import Clock, Limits, Status

MOST_MOVES = 24
"""Of an assembly that a kernel decides."""
HOLDS = ""
"""What stands for the level of an assembly that does not come apart."""


@dataclass(frozen=True)
class Outcomes:
    """What assemblies come to."""

    level: list[str]
    """``HOLDS`` where they do not come apart."""
    opens: Flags
    """From which a piece or a group of pieces can be taken away."""
    checked: Flags
    undecided: Flags


@dataclass(frozen=True)
class Bulk:
    """What all assemblies have in common."""

    built: BuiltInstance
    bench: Bench
    ground: Ground
    pieces: int
    """Of each assembly."""
    room: list[tuple[Table, Simple]] = field(default_factory=list)

    def room_for(self, rows: int) -> tuple[Table, Simple]:
        """Return room for so many assemblies."""
        if not self.room or len(self.room[0][1].closed) < rows:
            table = Table(
                new_tree(self.pieces, len(self.bench.directions)), new_rows(rows, self.pieces), new_rows(1, self.pieces), new_tried()
            )
            closed, first, length = np.zeros((3, rows), dtype=np.int64)
            self.room[:] = [(table, Simple(closed, first, length, np.zeros((rows, MOST_MOVES, 4), dtype=np.int64)))]
        return self.room[0]


def make_bulk(built: BuiltInstance, pieces: int) -> Bulk:
    """Lay out the shapes of a puzzle without pieces that may stay together; each assembly has so many."""
    return Bulk(built, make_bench(built), ground_of(built), pieces)


def outcomes(bulk: Bulk, assemblies: Longs, limits: Limits) -> Outcomes | Status:
    """Return what assemblies come to: rows of placements. If a limit ends it before all are decided, return why.

    Raises ContradictionError where an answer fails when it is held against the grid.
    """
    clock = Clock(limits)
    simple = _explored(bulk, assemblies, clock)
    if not isinstance(simple, Simple):
        return simple
    closed = simple.closed[: len(assemblies)]
    found = Outcomes(
        [HOLDS if c else str(first) for c, first in zip(closed.tolist(), simple.first.tolist(), strict=False)],
        closed == 0,
        np.zeros(len(closed), dtype=np.bool_),
        np.zeros(len(closed), dtype=np.bool_),
    )
    _hold(bulk, assemblies, closed, found, clock)
    _replay(bulk, assemblies, simple, np.flatnonzero(closed == 0), found)
    _decide(bulk, assemblies, np.flatnonzero(closed < 0), found, clock)
    return clock.verdict(-1) or found


def _explored(bulk: Bulk, assemblies: Longs, clock: Clock) -> Simple | Status:
    """What the kernel finds."""
    bench, number = bulk.bench, len(assemblies)
    table, simple = bulk.room_for(number)
    table.rows.size[:number] = bulk.pieces
    table.rows.shape[:number] = bench.shape[assemblies]
    table.rows.position[:number] = bench.place[assemblies]
    row, begun = 0, False
    while row < number:
        if (why := clock.verdict(-1)) is not None:
            return why
        row, end = explore_simple(bench.scene, table.tree, table.rows, simple, row, number, begun, AT_ONCE)
        begun = end == PAUSED
        if end not in (PAUSED, EXHAUSTED):
            simple.closed[row] = -1
            row += 1
    return simple


def _hold(bulk: Bulk, assemblies: Longs, closed: Longs, found: Outcomes, clock: Clock) -> None:
    """Check those that are said to hold, by going through their positions once more."""
    those = np.flatnonzero((closed > 0) & (closed <= MOST_CHECKED))
    said = [Stuck(bodies, positions) for bodies, positions in zip(assemblies[those].tolist(), closed[those].tolist(), strict=True)]
    for row, (sound, fault) in zip(those.tolist(), held(bulk.ground, said, lambda: clock.verdict(-1) is not None), strict=True):
        if fault is not None:
            raise _contradiction(bulk, assemblies[row], f"the pieces {fault}")
        found.checked[row] = sound


def _replay(bulk: Bulk, assemblies: Longs, simple: Simple, those: Longs, found: Outcomes) -> None:
    """Check those that are said to come apart, by their moves."""
    ground = bulk.ground
    size, no_ways = np.full(len(those), bulk.pieces, dtype=np.int64), np.zeros(0, dtype=np.int64)
    rows = Held(size, assemblies[those].astype(np.int32), simple.closed[those], no_ways)
    atoms = int(np.diff(ground.bodies.start)[rows.body].sum(axis=1).max(initial=0))
    walk, sweeps = ground.walk_for(bulk.pieces, atoms=atoms), sweeps_of(ground.grid, ground.directions)
    count, moves = simple.length[those], simple.moves[those]
    left = np.zeros(2 * bulk.pieces, dtype=np.uint64)
    row = 0
    while row < len(those):
        row, end = replay_all(ground.bodies, sweeps, walk, rows, count, moves, left, row, len(those))
        edge = [2 * far for far in walk.edge.tolist()]
        if end == TOO_NARROW and ground.size(edge) <= LARGEST_BOARD:
            walk = ground.walk_for(0, edge=edge)
        elif end != DONE:
            raise _contradiction(bulk, assemblies[those[row]], f"the moves {moves[row, : count[row]].tolist()} are not free")
    found.checked[those] = True


def _decide(bulk: Bulk, assemblies: Longs, those: Longs, found: Outcomes, clock: Clock) -> None:
    """Take the others apart."""
    rows = [tuple(row) for row in assemblies[those].tolist()]
    for begin in range(0, len(rows), ROWS_AT_ONCE):
        answers = confirmed_all(bulk.built, bulk.bench, bulk.ground, rows[begin : begin + ROWS_AT_ONCE], clock.rest())
        for row, answer in zip(those[begin : begin + ROWS_AT_ONCE].tolist(), answers, strict=True):
            found.level[row] = HOLDS if answer.parting is None else answer.parting.level
            found.opens[row] = answer.parting is not None or 0 < len(answer.stuck) < bulk.pieces
            found.checked[row], found.undecided[row] = answer.checked, bool(answer.undecided)


def _contradiction(bulk: Bulk, row: Iterable[int], fault: str) -> ContradictionError:
    names = " ".join(bulk.built.problem.options[o] for o in row)
    return ContradictionError(f"what was found out about {names} fails when it is held against the grid: {fault}")
