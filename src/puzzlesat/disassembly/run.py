"""All assemblies of a puzzle: here at first, and in the hands of other processes where it takes long. Answers are held against the grid."""

from __future__ import annotations

import pickle
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice
from time import monotonic

from puzzlesat.children import ALONE_SECONDS, ChildEndedError, dealt, told_to_stop
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.disassembly.data import Answer
from puzzlesat.disassembly.held import positions_reached
from puzzlesat.disassembly.replay import first_fault
from puzzlesat.disassembly.steps import steps_of
from puzzlesat.disassembly.taking import Bench, make_bench, take_apart
from puzzlesat.errors import ContradictionError
from puzzlesat.progress import SILENT, Progress
from puzzlesat.solvers.machine import memory_within
from puzzlesat.solvers.run import Clock, Limits

BLOCK = 16
"""Assemblies that a process gets at a time."""
MOST_CHECKED = 20_000
"""Positions up to which pieces that do not come apart are gone through once more."""

Assembly = tuple[int, ...]
"""Its placements."""


def answers(
    built: BuiltInstance, rows: Iterable[Assembly], jobs: int, limits: Limits, *, progress: Progress = SILENT
) -> Generator[tuple[int, Assembly, Answer], None, None]:
    """Yield what is known of each assembly, with its number from 0, as soon as it is; in order as long as one process is enough.

    Those that a limit leaves undecided are yielded as such. Raises NotSupportedError where pieces cannot be moved, and ContradictionError
    where an answer fails when it is held against the grid.
    """
    bench = make_bench(built, built.instance.together)
    clock = Clock(limits)
    numbered = enumerate(rows)
    began = monotonic()
    for number, row in numbered:
        yield number, row, checked(built, bench, row, clock.rest(), progress=progress)
        if jobs > 1 and monotonic() - began > ALONE_SECONDS:
            yield from _shared(built, numbered, jobs, clock)


def _shared(
    built: BuiltInstance, numbered: Iterator[tuple[int, Assembly]], jobs: int, clock: Clock
) -> Iterator[tuple[int, Assembly, Answer]]:
    """The same of all that are left, by so many other processes."""
    puzzle = pickle.dumps(built.instance)
    limits = clock.limits
    memory = memory_within(limits) // jobs
    blocks = iter(lambda: list(islice(numbered, BLOCK)), [])
    calls = ((block, partial(_block, puzzle, [row for _, row in block], clock.left, memory, cpu=limits.cpu)) for block in blocks)
    with closing(dealt(jobs, calls, limits.stop)) as dealing:
        for block, call in dealing:
            try:
                found = call.result()
            except ChildEndedError as ended:
                found = [Answer(None, undecided=f"the process that tried it was ended ({ended})")] * len(block)
            for (number, row), answer in zip(block, found, strict=True):
                yield number, row, answer


def _block(puzzle: bytes, rows: Sequence[Assembly], seconds: float | None, memory: int | None, *, cpu: bool) -> list[Answer]:
    """What is known of some assemblies, in a child."""
    built, bench = _bench(puzzle)
    clock = Clock(Limits(seconds=seconds, stop=told_to_stop, memory=memory, cpu=cpu))
    return [checked(built, bench, row, clock.rest()) for row in rows]


@lru_cache(maxsize=1)
def _bench(puzzle: bytes) -> tuple[BuiltInstance, Bench]:
    built = build_instance(pickle.loads(puzzle))
    return built, make_bench(built, built.instance.together)


def checked(built: BuiltInstance, bench: Bench, row: Assembly, limits: Limits, *, progress: Progress = SILENT) -> Answer:
    """Take an assembly apart, and hold the answer against the grid. Raises ContradictionError where that comes to something else."""
    clock = Clock(limits)
    answer = take_apart(bench, row, limits, progress=progress)
    sound, fault = held_against_the_grid(built, row, answer, clock.rest())
    if fault is not None:
        names = " ".join(built.problem.options[o] for o in row)
        raise ContradictionError(f"what was found out about {names} fails when it is held against the grid: {fault}")
    return replace(answer, checked=sound)


def held_against_the_grid(built: BuiltInstance, row: Assembly, answer: Answer, limits: Limits) -> tuple[bool, str | None]:
    """Say whether the geometry alone comes to the same, and what is wrong if it does not.

    Moves are replayed. Pieces that do not come apart are gone through once more, unless that would take too long: from where they lie in
    the assembly, for if the whole comes apart, they do so from there.
    """
    grid, pieces = built.puzzle.grid, [built.placements[o].atoms for o in row]
    if not answer.stuck and not answer.undecided:
        tiles = [built.puzzle.tiles[built.placements.tile[o]].name for o in row]
        groups = [[i for i, tile in enumerate(tiles) if tile in names] for names in built.instance.together]
        fault = first_fault(grid, pieces, answer.parting, groups)
        return fault is None, fault
    if not 0 < answer.closed <= MOST_CHECKED:
        return False, None
    clock = Clock(limits)
    directions = [tuple(d[: grid.dimension]) for d in steps_of(grid).directions.tolist()]
    found = positions_reached(grid, [pieces[p] for p in answer.stuck], directions, answer.closed, lambda: clock.verdict(-1) is not None)
    if clock.verdict(-1) is not None:
        return False, None
    if found != answer.closed:
        there = f"more than {answer.closed:,}" if found is None else f"{found:,}"
        return False, f"pieces {list(answer.stuck)} come in {there} positions to each other, not {answer.closed:,}"
    return True, None
