"""Solutions of any solver: one after the other, by their numbers, or at random, as rows of placements or for users of the library."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from queue import Full, Queue
from random import Random, SystemRandom
from threading import Event, Thread
from typing import Any, TypeVar

import numpy as np

from puzzlesat.base import (
    SILENT,
    Clock,
    ContradictionError,
    Displayed,
    EndedError,
    Flags,
    Limits,
    NoMemoryError,
    NotSupportedError,
    OnSolutions,
    Outcome,
    Progress,
    PuzzleError,
    Rows,
    Sentence,
    joined_rows,
    listed,
    many,
    padded_rows,
    sorted_rows,
)
from puzzlesat.counting.plan import CERTIFICATE, FIRST_SECONDS
from puzzlesat.counting.second_reading import recheck_of
from puzzlesat.puzzles import BuiltInstance, CoverProblem, Instance, Puzzle, Solution, build_instance, reduce
from puzzlesat.solvers import LISTING, MOST_SHAPES, TALLY, SolverStep, as_told, in_order, listing, lists, numbering, solver, tile_to_break

WAITING = 64
POLL_SECONDS = 0.1
SECONDS_TO_END = 5.0
SMALL = 1000
"""Placements up to which a problem is searched whole for one solution of each class: these come in the order in which all of them do."""

Found = Rows | Outcome | BaseException
"""What a search hands over: solutions, and at the end what it did, or what was raised."""
AnySolution = TypeVar("AnySolution")


class LimitReached(PuzzleError):
    """A limit ended ``solve`` before all solutions were found. The message says which limit, and after how many solutions."""

    def __init__(self, *problems: str, solutions: Sequence[Any] = ()) -> None:
        super().__init__(*problems)
        self.solutions = tuple(solutions)
        """The solutions found so far, in the order in which ``solve`` yielded them."""


class Yielded:
    """The solutions that were yielded, which are kept for the exception that says that a limit has ended them, if one may."""

    def __init__(self, name: str, limits: Limits, *, quietly: bool) -> None:
        self.number = 0
        self._name = name
        """Of the puzzle."""
        self._quietly = quietly
        """Whether what a limit ends just ends there."""
        self._kept: list[object] | None = None if quietly or (limits.until is None and limits.memory is None) else []

    def keep(self, solution: AnySolution) -> AnySolution:
        """Keep a solution that is yielded."""
        self.number += 1
        if self._kept is not None:
            self._kept.append(solution)
        return solution

    def end(self, why: str) -> None:
        """Say that a limit has ended them: LimitReached, with all of them."""
        if not self._quietly:
            raise LimitReached(f"{self._name}: {why}", solutions=self._kept or ()) from None


def solve_listed(
    puzzle: Instance | Puzzle, solver: str, given: Sequence[str], limits: Limits, *, distinct: bool, quietly: bool
) -> Iterator[Solution]:
    """Yield solutions, to so many and within such limits; see ``puzzlesat.solve``."""
    instance = Instance.of(puzzle)
    told, found = limits.heeding(SILENT), Yielded(instance.name, limits, quietly=quietly)
    try:
        built = build_instance(instance, progress=told, memory=limits.memory)
    except EndedError as ended:
        found.end(f"{ended.words}: no solution was looked for")
        return
    draw = Displayed.display("drawing", built).plain
    search = replace(limits, solutions=None) if distinct else limits
    outcome: list[Outcome] = []
    rows = solutions(built, solver, search, built.options_by_name(given), distinct=distinct, progress=told, on_end=outcome.append)
    for row in islice(rows, limits.solutions):
        yield found.keep(Solution(built, row, draw))
    if found.number != limits.solutions and not any(one.complete for one in outcome):
        found.end(f"{outcome[0].status if outcome else limits.over() or 'limit reached'} after {many(found.number, 'solution')}")


def solutions(
    puzzle: BuiltInstance | CoverProblem,
    name: str,
    limits: Limits,
    given: Sequence[int] = (),
    *,
    distinct: bool = False,
    progress: Progress = SILENT,
    on_end: Callable[[Outcome], None] | None = None,
) -> Generator[tuple[int, ...], None, None]:
    """Yield each solution of a puzzle or cover problem as ascending option numbers, as ``stream`` does, each re-checked.

    With ``distinct`` only the least of the images of a solution under the symmetries is yielded, of those that contain what is given. Of a
    problem that is not small only solutions with one placement of each orbit of a tile are looked for, where its symmetry can be broken.
    """
    check = recheck_of(puzzle)
    whole = problem = puzzle if isinstance(puzzle, CoverProblem) else puzzle.problem
    if distinct and not given and whole.size > SMALL and (tile := tile_to_break(whole)) is not None:
        problem = reduce(whole, dead=False, break_on=tile, progress=progress).problem

    def wanted(rows: Rows) -> Rows:
        if problem.broken_on is None:
            return rows[images.are_least(rows, given)]
        return images.one_of_each(problem.of_the_whole(rows), whole.options_of[problem.broken_on])

    def recheck(rows: Rows) -> str | None:
        return check(problem.of_the_whole(rows))

    images = whole.option_images
    pick = wanted if distinct else None
    with closing(stream(problem, name, limits, given, recheck, wanted=pick, progress=progress, on_end=on_end)) as rows:
        for row in rows:
            yield tuple(row[row >= 0].tolist())


def stream(
    problem: CoverProblem,
    name: str,
    limits: Limits,
    given: Sequence[int],
    recheck: Callable[[Rows], str | None],
    *,
    wanted: Callable[[Rows], Rows] | None = None,
    progress: Progress = SILENT,
    on_end: Callable[[Outcome], None] | None = None,
) -> Generator[Rows, None, None]:
    """Yield each solution as a row of options, padded with -1, while the solver works in a thread of its own.

    ContradictionError if one fails the re-check. Closing the iterator stops the solver. ``on_end`` gets the outcome if the search came to
    its end; ``wanted`` says what is yielded of each block. Raises NotSupportedError for a solver that lists nothing.
    """
    if name != CERTIFICATE:
        solver(name)  # raises PuzzleError if there is none of this name
    if not lists(name):
        raise NotSupportedError(f"{name} counts and lists nothing; use --solver {Sentence.either(listing())}")
    stop, clock = Event(), Clock(limits)
    search = partial(_search, problem, name, _both(limits, stop), given, progress)
    queue, thread = _beside(search, stop, limits)
    try:
        while True:
            block = _next(queue, thread)
            if block is None:
                return
            if isinstance(block, BaseException):
                raise block
            if isinstance(block, Outcome):
                if on_end is not None:
                    on_end(block)
                return
            if (wrong := recheck(block)) is not None:
                raise ContradictionError(f"{name} found a solution that fails when it is checked: {wrong}")
            for row in block if wanted is None else wanted(block):
                if clock.verdict(-1) is not None:  # also while somebody looks at those that wait here
                    return
                yield row
    finally:
        stop.set()
        thread.join(SECONDS_TO_END)  # some solvers crash when the program ends under them


def _search(
    problem: CoverProblem, name: str, limits: Limits, given: Sequence[int], progress: Progress, on_solutions: OnSolutions
) -> Outcome:
    return solver(name)(problem)(on_solutions, limits, given=given, progress=progress.of(name))


def _beside(search: Callable[[OnSolutions], Outcome], stop: Event, limits: Limits) -> tuple[Queue[Found], Thread]:
    """Search in a thread of its own; the queue gets the blocks of solutions, and at the end the outcome, or what was raised."""
    queue: Queue[Found] = Queue(maxsize=WAITING)

    def hand_over(found: Found) -> None:
        while not stop.is_set():
            try:
                queue.put(found, timeout=POLL_SECONDS)
                return
            except Full:
                if limits.stop.is_set():
                    return

    def work() -> None:
        try:
            hand_over(search(hand_over))
        except BaseException as error:  # raised again in the thread of the caller
            hand_over(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    return queue, thread


def _next(queue: Queue[Found], thread: Thread) -> Found | None:
    """Wait for the next block in short steps, so that Ctrl-C is heard; None where the solver's thread is gone."""
    from queue import Empty

    while True:
        try:
            return queue.get(timeout=POLL_SECONDS)
        except Empty:
            if not thread.is_alive() and queue.empty():
                return None


def _both(limits: Limits, stop: Event) -> Limits:
    """Limits that also end when ``stop`` is set."""

    class Either(Event):
        def is_set(self) -> bool:
            return stop.is_set() or limits.stop.is_set()

    return replace(limits, stop=Either())


TALLY_FIRST = SolverStep(TALLY, seconds=FIRST_SECONDS, shapes=MOST_SHAPES)
NUMBERING = (TALLY_FIRST, SolverStep(LISTING, seconds=10), SolverStep(TALLY), SolverStep(LISTING), SolverStep("sat"))
"""The solvers that find solutions by number, unless one is named: the first that neither refuses nor is stopped. All have the same order.
If the tally lacks memory, no solver lists instead."""
MOST_ORDERED = 1_000_000
"""Largest number of solutions that are listed to be put in order."""

SEED_BITS = 32
"""Of a seed that nobody has chosen."""
NumberedRow = tuple[int, ...]
"""A solution: ascending options."""


def any_seed() -> int:
    """Return a fresh seed."""
    return SystemRandom().getrandbits(SEED_BITS)


class TooManyError(NotSupportedError):
    """There are more solutions than are listed to be put in order."""


@dataclass(frozen=True)
class Pick:
    """Which solutions are wanted: those with some numbers, or some that are drawn."""

    numbers: Sequence[int] = ()
    """From 1."""
    random: int | None = None
    """How many are drawn; None: none, the numbers say which are wanted."""
    seed: int = field(default_factory=any_seed)
    distinct: bool = False
    """Whether classes of solutions are drawn, instead of solutions."""


@dataclass(frozen=True)
class Numbered:
    """The solutions of a problem, each with its number from 1 to ``count``; see ``in_order`` for their order."""

    outcome: Outcome
    """How they were counted. Where it is not complete, there is no solution to be had."""
    find: Callable[[int], NumberedRow]
    recheck: Callable[[Rows], str | None]
    problem: CoverProblem
    given: Sequence[int] = ()
    """The options that all of them contain."""

    @property
    def count(self) -> int:
        """How many there are."""
        return self.outcome.found

    def solution(self, number: int) -> NumberedRow:
        """Return the solution with a number, re-checked. ContradictionError if it fails that."""
        row = self.find(number - 1)
        if (wrong := self.recheck(padded_rows([row]))) is not None:
            raise ContradictionError(f"{self.outcome.solver} found a solution that fails when it is checked: {wrong}")
        return row

    def picked(self, pick: Pick, name: str) -> Iterator[tuple[int, NumberedRow]]:
        """Yield the solutions that are wanted, each with its number; none that is drawn where there are none.

        ``name`` is that of the puzzle. Raises PuzzleError for numbers that there are not.
        """
        if pick.random is not None:
            wanted = partial(self.problem.option_images.are_least, given=self.given) if pick.distinct else None
            return islice(random_solutions(self, pick.seed, wanted), pick.random)
        if wrong := [number for number in pick.numbers if not 1 <= number <= self.count]:
            have = many(self.count, "solution") if self.count else "no solution"
            raise PuzzleError(f"there is no solution {listed(wrong)}: {name} has {have}{', counted from 1' if min(wrong) < 1 else ''}")
        return ((number, self.solution(number)) for number in pick.numbers)


def number_solutions(
    puzzle: BuiltInstance | CoverProblem, name: str | None, limits: Limits, given: Sequence[int], progress: Progress = SILENT
) -> Numbered:
    """Count the solutions that contain the options ``given``, so that each can be had by its number.

    The solver ``name`` does it, by listing them all where it cannot do without; None: those of ``NUMBERING`` take their turns.
    Where the tally needs more memory than it may have, and a list takes long, that is the end of it.
    The order is the same whoever does it. Raises NotSupportedError where the solver refuses, or would have to list too many.
    """
    problem, recheck = puzzle if isinstance(puzzle, CoverProblem) else puzzle.problem, recheck_of(puzzle)
    clock = Clock(limits)
    refusals: dict[str, NotSupportedError] = {}
    stopped: Numbered | None = None
    for step in NUMBERING if name is None else (SolverStep(name),):
        if numbering(step.solver) is None and any(isinstance(error, TooManyError) for error in refusals.values()):
            continue
        try:
            outcome, find = _numbered(problem, step.solver, step.limits(clock), given, progress.of(step.solver))
        except NotSupportedError as error:
            refusals[step.solver] = error
            if name is None and step.shapes is None and isinstance(error, NoMemoryError):
                break  # a list without bounds may take hours, and be too long in the end: whoever wants it names the solver
            continue
        if outcome.complete:
            return Numbered(outcome, find, recheck, problem, given)
        stopped = Numbered(replace(outcome, found=0), find, recheck, problem, given)
        if clock.verdict(-1) is not None:
            return stopped
    if refusals or stopped is None:
        raise NotSupportedError("; ".join(map(str, refusals.values())))
    return stopped


def _numbered(
    problem: CoverProblem, name: str, limits: Limits, given: Sequence[int], progress: Progress
) -> tuple[Outcome, Callable[[int], NumberedRow]]:
    """Count with a solver, without a list where it can; returns the outcome, and what finds a solution by its number, from 0."""
    numbered = numbering(name)
    if numbered is not None:
        return numbered(as_told(name, problem), limits, given=given, progress=progress)
    outcome, rows = _listed(problem, name, limits, given, progress)
    rows = in_order(problem, rows, given)
    return outcome, lambda number: tuple(rows[number][rows[number] >= 0].tolist())


def _listed(problem: CoverProblem, name: str, limits: Limits, given: Sequence[int], progress: Progress) -> tuple[Outcome, Rows]:
    """List all solutions, in any order; where nothing is given, by those that are left when the symmetry is broken, and their images."""
    outcome, rows, small = _searched(problem, name, limits, given, progress)
    found = len(rows) if small.weight is None else int(np.append(small.weight, 1)[rows].prod(axis=1).sum())
    if found > MOST_ORDERED:
        raise TooManyError(f"{name}: there are more than {MOST_ORDERED:,} solutions, too many to list and put in order")
    if not outcome.complete:
        return outcome, rows[:0]
    rows = small.of_the_whole(rows)
    if small.weight is not None and rows.size:
        rows = np.unique(sorted_rows(problem.option_images.array[:, rows].reshape(-1, rows.shape[1])), axis=0)
        if len(rows) != found:
            raise ContradictionError(f"{name}: the images of its solutions are {len(rows)}, not {found} as counted")
    return replace(outcome, found=found), rows


def list_distinct(
    built: BuiltInstance, name: str, limits: Limits, given: Sequence[int], progress: Progress = SILENT, *, cut: bool = False
) -> tuple[Outcome, Rows]:
    """List the solutions that contain the options ``given``, one of those that turn into each other: the least.

    Where the outcome is not complete there are none; with ``cut``, those found before the limit, for which a million are looked at.
    """
    problem = built.problem
    outcome, rows, small = _searched(problem, name, limits, given, progress)
    rows = small.of_the_whole(rows if cut or outcome.complete else rows[:0])
    if (wrong := recheck_of(built)(rows)) is not None:
        raise ContradictionError(f"{name} found a solution that fails when it is checked: {wrong}")
    images = problem.option_images
    rows = np.unique(rows[images.are_least(rows, given)], axis=0) if given else images.distinct(rows)
    return replace(outcome, found=len(rows)), rows


def _searched(
    problem: CoverProblem, name: str, limits: Limits, given: Sequence[int], progress: Progress
) -> tuple[Outcome, Rows, CoverProblem]:
    """Search for all solutions; where nothing is given, in the problem whose symmetry is broken, which is returned with its rows."""
    blocks: list[Rows] = []
    limits = replace(limits, solutions=min(limits.solutions or MOST_ORDERED + 1, MOST_ORDERED + 1))
    small = problem if given else reduce(problem, break_on=tile_to_break(problem), progress=progress).problem
    outcome = solver(name)(small)(lambda rows: blocks.append(rows.copy()), limits, given=given, progress=progress)
    return outcome, joined_rows(blocks), small


def random_solutions(solutions: Numbered, seed: int, wanted: Callable[[Rows], Flags] | None = None) -> Iterator[tuple[int, NumberedRow]]:
    """Yield without end solutions drawn independently, all with equal chance, each with its number; none where there are none.

    With ``wanted`` all that it accepts have equal chance, and it must accept one: to draw classes, one solution of each. The same seed
    gives the same solutions everywhere: whole numbers alone are drawn.
    """
    random = Random(seed)
    while solutions.count:
        number = 1 + _below(random, solutions.count)
        row = solutions.solution(number)
        if wanted is None or wanted(padded_rows([row]))[0]:
            yield number, row


def _below(random: Random, count: int) -> int:
    """Draw a number from 0 to count - 1, from bits alone: what they are for a seed is a promise of Python's library."""
    while (number := random.getrandbits(count.bit_length())) >= count:
        pass
    return number


def solve_numbered(
    puzzle: Instance | Puzzle, solver: str | None, given: Sequence[str], pick: Pick, limits: Limits, *, quietly: bool
) -> Iterator[Solution]:
    """Yield the solutions that are wanted; see ``puzzlesat.solve``."""
    instance = Instance.of(puzzle)
    told, clock, found = limits.heeding(SILENT), Clock(limits), Yielded(instance.name, limits, quietly=quietly)
    try:
        built = build_instance(instance, progress=told, memory=limits.memory)
        options = built.options_by_name(given)
        solutions = number_solutions(built, solver, limits, options, told)
        why: str = solutions.outcome.status
    except EndedError as ended:
        why = ended.status
    if why != "complete":
        found.end(f"{why} before the solutions were counted")
        return
    draw = Displayed.display("drawing", built).plain
    for number, row in solutions.picked(pick, built.instance.name):
        if (status := clock.verdict(-1)) is not None:
            found.end(f"{status} after {many(found.number, 'solution')}")
            return
        yield found.keep(Solution(built, row, draw, number, solutions.count))
