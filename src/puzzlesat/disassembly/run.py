"""All assemblies of a puzzle: here at first, and in the hands of other processes where it takes long. Answers are held against the grid."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import islice
from time import monotonic

from puzzlesat.children import ALONE_SECONDS, ChildEndedError, dealt, told_to_stop
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.disassembly.data import Answer
from puzzlesat.disassembly.ground import Ground, ground_of, may_stay
from puzzlesat.disassembly.held import Stuck, Verdict, held
from puzzlesat.disassembly.replay import fault_on
from puzzlesat.disassembly.taking import ROWS_AT_ONCE, Bench, make_bench, take_all_apart, take_apart
from puzzlesat.disassembly.turned import take_apart_and_check
from puzzlesat.disassembly.turning import check_turns
from puzzlesat.errors import ContradictionError
from puzzlesat.progress import SILENT, Progress
from puzzlesat.solvers.machine import memory_within
from puzzlesat.solvers.run import Clock, Limits

BLOCK = 256
"""Assemblies that a process gets at a time, at most."""
BLOCK_SECONDS = 0.5
"""So long a process works on those that it gets, about."""
QUICK_SECONDS = 0.05
"""More assemblies are looked at together as long as they take no longer than this: nobody waits for the first of them."""
MOST_CHECKED = 200_000
"""Positions up to which pieces that do not come apart are gone through once more."""

Assembly = tuple[int, ...]
"""Its placements."""
Take = Callable[[Sequence[Assembly], Limits, Progress], list[Answer]]
"""What takes some assemblies apart, up to ``ROWS_AT_ONCE``, and holds the answers against the grid."""


def answers(
    built: BuiltInstance,
    rows: Iterable[Assembly],
    jobs: int,
    limits: Limits,
    *,
    turns: Fraction | None = None,
    progress: Progress = SILENT,
) -> Generator[tuple[int, Assembly, Answer], None, None]:
    """Yield what is known of each assembly, with its number from 0, as soon as it is; in order as long as one process is enough.

    ``turns`` is the bevel, where pieces may be turned. Those that a limit leaves undecided are yielded as such. Raises NotSupportedError
    where pieces cannot be moved, and ContradictionError where an answer fails when it is held against the grid.
    """
    take = _take(built, turns)
    clock = Clock(limits)
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
            yield from _shared(built, turns, numbered, block, jobs, clock)


def _take(built: BuiltInstance, turns: Fraction | None) -> Take:
    """What takes assemblies of a puzzle apart."""
    if turns is not None:
        check_turns(built.puzzle)
        bevel = turns

        def turning(rows: Sequence[Assembly], limits: Limits, progress: Progress) -> list[Answer]:
            clock = Clock(limits)
            return [take_apart_and_check(built, row, bevel, clock.rest(), progress=progress) for row in rows]

        return turning
    bench, ground = make_bench(built, built.instance.together), ground_of(built)
    return lambda rows, limits, progress: confirmed_all(built, bench, ground, rows, limits, progress=progress)


def _shared(
    built: BuiltInstance, turns: Fraction | None, numbered: Iterator[tuple[int, Assembly]], size: int, jobs: int, clock: Clock
) -> Iterator[tuple[int, Assembly, Answer]]:
    """The same of all that are left, by so many other processes, each of which gets ``size`` at a time."""
    puzzle = pickle.dumps((built.instance, turns))
    limits = clock.limits
    memory = memory_within(limits) // jobs
    blocks = iter(lambda: list(islice(numbered, size)), [])
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
    """What is known of some assemblies, in a child. ``puzzle`` is the instance and the bevel, as ``_shared`` has written them."""
    take = _unpacked(puzzle)
    clock = Clock(Limits(seconds=seconds, stop=told_to_stop, memory=memory, cpu=cpu))
    some = [rows[first : first + ROWS_AT_ONCE] for first in range(0, len(rows), ROWS_AT_ONCE)]
    return [answer for these in some for answer in take(these, clock.rest(), SILENT)]


@lru_cache(maxsize=1)
def _unpacked(puzzle: bytes) -> Take:
    instance, turns = pickle.loads(puzzle)
    return _take(build_instance(instance), turns)


def checked(built: BuiltInstance, bench: Bench, row: Assembly, limits: Limits, *, progress: Progress = SILENT) -> Answer:
    """Take an assembly apart, and hold the answer against the grid. Raises ContradictionError where that comes to something else."""
    clock = Clock(limits)
    answer = take_apart(bench, row, limits, progress=progress)
    return _confirmed(built, row, answer, held_against_the_grid(built, row, answer, clock.rest()))


def held_against_the_grid(built: BuiltInstance, row: Assembly, answer: Answer, limits: Limits) -> Verdict:
    """Say whether the geometry alone comes to the same, and what is wrong if it does not."""
    return verdicts(built, ground_of(built), [row], [answer], limits)[0]


def confirmed_all(
    built: BuiltInstance, bench: Bench, ground: Ground, rows: Sequence[Assembly], limits: Limits, *, progress: Progress = SILENT
) -> list[Answer]:
    """Take up to ``ROWS_AT_ONCE`` assemblies apart by slides, and hold the answers against the grid."""
    clock = Clock(limits)
    found = list(take_all_apart(bench, rows, limits, progress=progress))
    said = verdicts(built, ground, rows, found, clock.rest())
    return [_confirmed(built, *each) for each in zip(rows, found, said, strict=True)]


def _confirmed(built: BuiltInstance, row: Assembly, answer: Answer, verdict: Verdict) -> Answer:
    """An answer with what was said of it. Raises ContradictionError where that is something else."""
    sound, fault = verdict
    if fault is not None:
        names = " ".join(built.problem.options[o] for o in row)
        raise ContradictionError(f"what was found out about {names} fails when it is held against the grid: {fault}")
    return replace(answer, checked=sound)


def verdicts(built: BuiltInstance, ground: Ground, rows: Sequence[Assembly], found: Sequence[Answer], limits: Limits) -> list[Verdict]:
    """Say of each answer whether the geometry alone comes to the same, and what is wrong if it does not.

    Moves are replayed. Pieces that do not come apart are gone through once more, unless that would take too long: from where they lie in
    the assembly, for if the whole comes apart, they do so from there.
    """
    clock = Clock(limits)
    stuck = {i: answer for i, answer in enumerate(found) if 0 < answer.closed <= MOST_CHECKED}
    those = [Stuck([rows[i][p] for p in answer.stuck], answer.closed) for i, answer in stuck.items()]
    known = dict(zip(stuck, held(ground, those, lambda: clock.verdict(-1) is not None), strict=True))
    said: list[Verdict] = []
    for i, (row, answer) in enumerate(zip(rows, found, strict=True)):
        if i in known:
            sound, fault = known[i]
            if len(answer.stuck) < len(row) and any({*answer.stuck} <= {*group} for group in may_stay(built, row)):
                sound, fault = False, "may stay together"
            said.append((sound, fault and f"pieces {list(answer.stuck)} {fault}"))
        elif answer.stuck or answer.undecided:
            said.append((False, None))
        else:
            fault = fault_on(ground, row, answer.parting, may_stay(built, row))
            said.append((fault is None, fault))
    return said
