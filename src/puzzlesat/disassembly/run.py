"""Take many assemblies apart, first in this process, later in several. Code independent of the search verifies each answer.

``Bulk`` keeps no moves. Its kernel decides assemblies that hold, and those that come apart by single moves after the first separation. The
full search decides the others.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import islice
from time import monotonic

import numpy as np

from puzzlesat.base import ALONE_SECONDS, SILENT, ChildEndedError, Clock, ContradictionError, Flags, Limits, Longs, Progress, Status, dealt
from puzzlesat.disassembly.data import Disassembly, PlacedBodies, check_quarters
from puzzlesat.disassembly.kernel import EXHAUSTED, PAUSED, Simple, explore_simple
from puzzlesat.disassembly.rotating import take_apart_turning
from puzzlesat.disassembly.stepping import DONE, TOO_NARROW, Held, replay_all
from puzzlesat.disassembly.steps import steps_of
from puzzlesat.disassembly.taking import AT_ONCE, ROWS_AT_ONCE, Bench, WorkArrays, bench_of, take_all_apart, work_arrays
from puzzlesat.disassembly.verification import LARGEST_BOARD, Angles, Ground, Stuck, Verdict, ground_of, sweeps_of

BLOCK = 256
"""Largest number of assemblies in a block, the unit of work of a process."""
BLOCK_SECONDS = 0.5
"""Target time of a block."""
QUICK_SECONDS = 0.05
"""Batches in this process grow while they take less time than this, so that the first answer of a batch is not delayed."""

Assembly = tuple[int, ...]
"""Body numbers."""


@dataclass(frozen=True)
class Taker:
    """Takes assemblies apart and verifies the answers. ``bevel`` is None if pieces only slide.

    Raises NotSupportedError if bodies cannot be moved.
    """

    bodies: PlacedBodies
    bevel: Fraction | None = None

    def __post_init__(self) -> None:
        if self.bevel is None:
            steps_of(self.bodies.grid)
        else:
            check_quarters(self.bodies.grid)

    @cached_property
    def bench(self) -> Bench:
        """The bench of the search."""
        return bench_of(self.bodies)

    @cached_property
    def ground(self) -> Ground:
        """The ground of the verification."""
        return ground_of(self.bodies)

    def __call__(self, rows: Sequence[Assembly], limits: Limits, progress: Progress = SILENT) -> list[Disassembly]:
        """Return the disassemblies. Raises ContradictionError if the verification refutes one."""
        clock, at_once = Clock(limits), ROWS_AT_ONCE if self.bevel is None else 1
        some = (rows[first : first + at_once] for first in range(0, len(rows), at_once))
        return [answer for these in some for answer in self._confirmed(these, clock.rest(), progress)]

    def _confirmed(self, rows: Sequence[Assembly], limits: Limits, progress: Progress) -> list[Disassembly]:
        clock = Clock(limits)
        if self.bevel is None:
            found = list(take_all_apart(self.bench, rows, limits, progress=progress))
        else:
            found = [take_apart_turning(self.bodies, row, self.bevel, limits, progress=progress) for row in rows]
        verdicts = self.verdicts(rows, found, clock.rest())
        for row, (_, fault) in zip(rows, verdicts, strict=True):
            if fault is not None:
                raise contradiction(self.bodies, row, fault, "the grid" if self.bevel is None else "rational angles")
        return [replace(answer, checked=sound) for answer, (sound, _) in zip(found, verdicts, strict=True)]

    def verdicts(self, rows: Sequence[Assembly], found: Sequence[Disassembly], limits: Limits) -> list[Verdict]:
        """Return the verdict of the verification on each answer.

        Moves are replayed. The positions of stuck pieces are enumerated again, unless there are too many. The enumeration starts from the
        assembly: if the assembly came apart, these pieces would come apart from there.
        """
        clock, look = Clock(limits), self.ground if self.bevel is None else Angles(self.bodies, self.bevel)
        stuck = {i: answer for i, answer in enumerate(found) if answer.stuck and 0 < answer.closed <= look.most}
        those = [Stuck([rows[i][p] for p in answer.stuck], answer.closed) for i, answer in stuck.items()]
        known = dict(zip(stuck, look.held(those, lambda: clock.verdict(-1) is not None), strict=True))
        verdicts: list[Verdict] = []
        for i, (row, answer) in enumerate(zip(rows, found, strict=True)):
            groups = self.bodies.groups(row)
            if i in known:
                sound, fault = known[i]
                if len(answer.stuck) < len(row) and any(group.issuperset(answer.stuck) for group in groups):
                    sound, fault = False, "may stay together"
                verdicts.append((sound, fault and f"pieces {list(answer.stuck)} {fault}"))
            elif answer.stuck or answer.undecided:
                verdicts.append((False, None))
            else:
                fault = look.fault(row, answer.parting, groups)
                verdicts.append((fault is None, fault))
        return verdicts


@lru_cache(maxsize=1)
def taker_of(bodies: PlacedBodies, turns: Fraction | None) -> Taker:
    """Return the taker of bodies, cached; ``turns`` is the bevel, or None if pieces only slide."""
    return Taker(bodies, turns)


def contradiction(bodies: PlacedBodies, row: Sequence[int], fault: str, what: str = "the grid") -> ContradictionError:
    """Return the error for an answer that the verification refutes."""
    return ContradictionError(f"what was found out about {bodies.named(row)} fails when it is held against {what}: {fault}")


def answers(
    bodies: PlacedBodies, rows: Iterable[Assembly], jobs: int, limits: Limits, *, turns: Fraction | None = None, progress: Progress = SILENT
) -> Generator[tuple[int, Assembly, Disassembly], None, None]:
    """Yield number (from 0), assembly and disassembly as soon as each is decided; in order while one process is enough.

    ``turns`` is the bevel, or None if pieces only slide. Assemblies left undecided by a limit are yielded too. Raises NotSupportedError if
    bodies cannot be moved, and ContradictionError if the verification refutes an answer.
    """
    take, clock = Taker(bodies, turns), Clock(limits)
    numbered = enumerate(rows)
    began, size, done = monotonic(), 1, 0
    while some := list(islice(numbered, size)):
        before = monotonic()
        for (number, row), answer in zip(some, take([row for _, row in some], clock.rest(), progress), strict=True):
            yield number, row, answer
        done += len(some)
        took = monotonic() - before
        size = min(2 * size, ROWS_AT_ONCE) if took < QUICK_SECONDS else max(1, size // 2)
        if jobs > 1 and (alone := monotonic() - began) > ALONE_SECONDS:
            block = min(BLOCK, max(1, int(BLOCK_SECONDS * done / alone)))
            yield from _shared(take, numbered, block, jobs, clock)


def _shared(
    take: Taker, numbered: Iterator[tuple[int, Assembly]], size: int, jobs: int, clock: Clock
) -> Iterator[tuple[int, Assembly, Disassembly]]:
    """Yield the same as ``answers`` for the remaining assemblies, computed by ``jobs`` processes in blocks of ``size``."""
    memory = clock.limits.free_memory() // jobs
    blocks = iter(lambda: list(islice(numbered, size)), [])
    make = partial(_block_taker, take.bodies, take.bevel)
    with closing(dealt(make, blocks, jobs, lambda: replace(clock.rest(), memory=memory))) as dealing:
        for block, found in dealing:
            if isinstance(found, ChildEndedError):
                found = [Disassembly(None, undecided=f"the process that tried it was ended ({found})")] * len(block)
            for (number, row), answer in zip(block, found, strict=True):
                yield number, row, answer


def _block_taker(bodies: PlacedBodies, bevel: Fraction | None) -> Callable[[list[tuple[int, Assembly]], Limits], list[Disassembly]]:
    """Return the function by which a child takes a block of assemblies apart."""
    take = Taker(bodies, bevel)
    return lambda block, limits: take([row for _, row in block], limits)


def checked(
    bodies: PlacedBodies, row: Assembly, limits: Limits, *, turns: Fraction | None = None, progress: Progress = SILENT
) -> Disassembly:
    """Take an assembly apart and verify the answer. Raises ContradictionError if the verification refutes it.

    ``turns`` is the bevel, or None if pieces only slide.
    """
    return taker_of(bodies, turns)([row], limits, progress)[0]


def second_look(bodies: PlacedBodies, turns: Fraction | None, limits: Limits) -> Callable[[Assembly, Disassembly], Verdict]:
    """Return a function that verifies the answer for an assembly."""
    return lambda row, answer: taker_of(bodies, turns).verdicts([row], [answer], limits)[0]


def most_checked(*, turns: bool) -> int:
    """Return the largest number of positions for which stuck pieces are verified."""
    return Angles.most if turns else Ground.most


MAX_MOVES = 24
"""Largest number of moves of an assembly that the kernel decides."""
HOLDS = ""
"""The level of an assembly that does not come apart."""


@dataclass(frozen=True)
class Outcomes:
    """Results for rows of assemblies."""

    level: list[str]
    """The level of each; ``HOLDS`` if it does not come apart."""
    opens: Flags
    """True if a piece or a group of pieces can be taken away."""
    checked: Flags
    undecided: Flags


@dataclass(frozen=True)
class Bulk:
    """Takes many assemblies with the same number of pieces apart; no pieces may stay together."""

    bodies: PlacedBodies
    pieces: int
    """Number of pieces of each assembly."""
    room: list[tuple[WorkArrays, Simple]] = field(default_factory=list)

    @cached_property
    def take(self) -> Taker:
        """The taker for assemblies that the kernel does not decide."""
        return Taker(self.bodies)

    def room_for(self, rows: int) -> tuple[WorkArrays, Simple]:
        """Return work arrays for ``rows`` assemblies."""
        if not self.room or len(self.room[0][1].closed) < rows:
            table = work_arrays(self.pieces, len(self.take.bench.directions), rows)
            closed, first, length = np.zeros((3, rows), dtype=np.int64)
            self.room[:] = [(table, Simple(closed, first, length, np.zeros((rows, MAX_MOVES, 4), dtype=np.int64)))]
        return self.room[0]

    def outcomes(self, assemblies: Longs, limits: Limits) -> Outcomes | Status:
        """Return the outcomes of assemblies (rows of bodies), or the limit that ended the search before all were decided.

        Raises ContradictionError if the verification refutes an answer.
        """
        clock = Clock(limits)
        simple = _explored(self, assemblies, clock)
        if not isinstance(simple, Simple):
            return simple
        closed = simple.closed[: len(assemblies)]
        found = Outcomes(
            [HOLDS if c else str(first) for c, first in zip(closed.tolist(), simple.first.tolist(), strict=False)],
            closed == 0,
            np.zeros(len(closed), dtype=np.bool_),
            np.zeros(len(closed), dtype=np.bool_),
        )
        _hold(self, assemblies, closed, found, clock)
        _replay(self, assemblies, simple, np.flatnonzero(closed == 0), found)
        _decide(self, assemblies, np.flatnonzero(closed < 0), found, clock)
        return clock.verdict(-1) or found


def _explored(bulk: Bulk, assemblies: Longs, clock: Clock) -> Simple | Status:
    """Return the results of the kernel, or the limit that ended it."""
    bench, number = bulk.take.bench, len(assemblies)
    table, simple = bulk.room_for(number)
    table.rows.size[:number] = bulk.pieces
    table.rows.shape[:number] = bench.bodies.shape[assemblies]
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
    """Verify the assemblies that hold: enumerate their positions again."""
    look = bulk.take.ground
    those = np.flatnonzero((closed > 0) & (closed <= look.most))
    claims = [Stuck(bodies, positions) for bodies, positions in zip(assemblies[those].tolist(), closed[those].tolist(), strict=True)]
    for row, (sound, fault) in zip(those.tolist(), look.held(claims, lambda: clock.verdict(-1) is not None), strict=True):
        if fault is not None:
            raise contradiction(bulk.bodies, assemblies[row], f"the pieces {fault}")
        found.checked[row] = sound


def _replay(bulk: Bulk, assemblies: Longs, simple: Simple, those: Longs, found: Outcomes) -> None:
    """Verify the assemblies that come apart: replay their moves."""
    ground = bulk.take.ground
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
            raise contradiction(bulk.bodies, assemblies[those[row]], f"the moves {moves[row, : count[row]].tolist()} are not free")
    found.checked[those] = True


def _decide(bulk: Bulk, assemblies: Longs, those: Longs, found: Outcomes, clock: Clock) -> None:
    """Decide the remaining assemblies by the full search."""
    answers = bulk.take([tuple(row) for row in assemblies[those].tolist()], clock.rest())
    for row, answer in zip(those.tolist(), answers, strict=True):
        found.level[row] = HOLDS if answer.parting is None else answer.parting.level
        found.opens[row] = answer.parting is not None or 0 < len(answer.stuck) < bulk.pieces
        found.checked[row], found.undecided[row] = answer.checked, bool(answer.undecided)
