"""List solutions by any solver: as a stream, by number, or at random; as rows of option numbers, or as ``Solution`` objects."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from queue import Empty, Full, Queue
from random import Random, SystemRandom
from threading import Event, Thread
from typing import Any, TypeVar

import numpy as np

from puzzlesat import base, solvers
from puzzlesat.counting.plan import CERTIFICATE, FIRST_SECONDS
from puzzlesat.proofs import solution_check
from puzzlesat.puzzles import BuiltInstance, CoverProblem, Instance, Puzzle, Solution, build_instance, reduce
from puzzlesat.solvers import LISTING, MAX_SHAPES, TALLY, SolverStep, as_told, item_to_break, listing, lists, numbering, solver

WAITING = 64
"""Maximum number of blocks of solutions in the queue between the solver's thread and the reader."""
POLL_SECONDS = 0.1
"""Seconds between two checks of the queue, so that Ctrl-C is noticed."""
SECONDS_TO_END = 5.0
"""Seconds to wait for the solver's thread at the end."""
SMALL = 1000
"""Maximum number of placements for which symmetry is not broken to list one solution of each class: the order of solutions is then kept."""

OnEnd = Callable[[base.Outcome], None]
"""Gets the outcome if a search ends by itself."""
AnySolution = TypeVar("AnySolution")


class LimitReached(base.PuzzleError):
    """A limit ended ``solve`` before all solutions were found. The message says which limit, and after how many solutions."""

    def __init__(self, *problems: str, solutions: Sequence[Any] = ()) -> None:
        super().__init__(*problems)
        self.solutions = tuple(solutions)
        """The solutions found so far, in the order in which ``solve`` yielded them."""


class Yielded:
    """The solutions that were yielded; the exception at a limit gets them."""

    def __init__(self, name: str, limits: base.Limits, *, quietly: bool) -> None:
        self.number = 0
        self._name = name
        """The name of the puzzle."""
        self._quietly = quietly
        """True if the iterator ends without an exception at a limit."""
        self._kept: list[object] | None = None if quietly or (limits.memory is None and not limits.have_deadline) else []

    def keep(self, solution: AnySolution) -> AnySolution:
        """Record a solution, and return it."""
        self.number += 1
        if self._kept is not None:
            self._kept.append(solution)
        return solution

    def at_end(self, outcome: Sequence[base.Outcome], limits: base.Limits) -> None:
        """End after a search, whose outcome is missing if a limit ended it, unless it is complete or all wanted solutions are found."""
        if self.number != limits.solutions and not any(ended.complete for ended in outcome):
            self.end(f"{outcome[0].status if outcome else limits.over() or 'limit reached'} after {base.many(self.number, 'solution')}")

    def end(self, why: str) -> None:
        """Raise LimitReached, with all solutions, unless the iterator should end quietly."""
        if not self._quietly:
            raise LimitReached(f"{self._name}: {why}", solutions=self._kept or ()) from None


def solve(
    puzzle: Instance | Puzzle,
    name: str | None,
    given: Sequence[str],
    limits: base.Limits,
    pick: Pick | None,
    *,
    distinct: bool,
    quietly: bool,
) -> Iterator[Solution]:
    """Yield solutions within the limits, those of a selection or all; see ``puzzlesat.solve``."""
    instance = Instance.of(puzzle)
    told, clock, yielded = limits.heeding(base.SILENT), base.Clock(limits), Yielded(instance.name, limits, quietly=quietly)
    try:
        built = build_instance(instance, progress=told, limits=limits)
        options = built.options_by_name(given)
        numbered = None if pick is None else number_solutions(built, name, limits, options, told)
    except base.EndedError as ended:
        yielded.end(f"{ended.words}: no solution was looked for" if pick is None else f"{ended.status} before the solutions were counted")
        return
    draw = base.Displayed.display("drawing", built).plain
    if numbered is None or pick is None:
        search, outcome = replace(limits, solutions=None) if distinct else limits, list[base.Outcome]()
        rows = solutions(built, name or LISTING, search, options, distinct=distinct, progress=told, on_end=outcome.append)
        for row in islice(rows, limits.solutions):
            yield yielded.keep(Solution(built, row, draw))
        yielded.at_end(outcome, limits)
        return
    if not numbered.outcome.complete:
        yielded.end(f"{numbered.outcome.status} before the solutions were counted")
        return
    for number, row in numbered.picked(pick, instance.name):
        if (status := clock.verdict(-1)) is not None:
            yielded.end(f"{status} after {base.many(yielded.number, 'solution')}")
            return
        yield yielded.keep(Solution(built, row, draw, number, numbered.count))


def solutions(
    puzzle: BuiltInstance | CoverProblem,
    name: str,
    limits: base.Limits,
    given: Sequence[int] = (),
    *,
    distinct: bool = False,
    progress: base.Progress = base.SILENT,
    on_end: OnEnd | None = None,
) -> Generator[tuple[int, ...], None, None]:
    """Yield each solution of a puzzle or cover problem as ascending option numbers, re-checked; the solver runs in another thread.

    With ``distinct``, a solution is yielded only if it is the least of its images under the symmetries that contain the given options. If
    nothing is given and the problem is not small, its symmetry is broken for the search where this is possible.

    Closing the iterator stops the solver. ``on_end`` gets the outcome if the search ends by itself. Raises ContradictionError if a solution
    fails the re-check, NotSupportedError for a solver that lists nothing.
    """
    if name != CERTIFICATE:
        solver(name)  # raises PuzzleError if there is none of this name
    if not lists(name):
        raise base.NotSupportedError(f"{name} counts and lists nothing; use --solver {base.Sentence.either(listing())}")
    check = solution_check(puzzle)
    whole = problem = puzzle if isinstance(puzzle, CoverProblem) else puzzle.problem
    if distinct and not given and whole.size > SMALL and (tile := item_to_break(whole)) is not None:
        problem = reduce(whole, dead=False, break_on=tile, progress=progress).problem
    clock, told = base.Clock(limits), progress.of(name)
    with closing(_blocks(lambda take, bounds: solver(name)(problem)(take, bounds, given=given, progress=told), limits)) as blocks:
        for block in blocks:
            if isinstance(block, base.Outcome):
                if on_end is not None:
                    on_end(block)
                return
            if clock.verdict(-1) is not None:  # the time of the reader counts too
                return
            rows = problem.of_the_whole(block)
            if (wrong := check(rows)) is not None:
                raise base.ContradictionError(f"{name} found a solution that fails when it is checked: {wrong}")
            if distinct and problem.broken_on is not None:
                rows = whole.option_images.one_of_each(rows, problem)
            for row in rows[whole.option_images.are_least(rows, given)] if distinct and problem.broken_on is None else rows:
                if clock.verdict(-1) is not None:
                    return
                yield tuple(row[row >= 0].tolist())


def _blocks(
    search: Callable[[base.OnSolutions, base.Limits], base.Outcome], limits: base.Limits
) -> Generator[base.Rows | base.Outcome, None, None]:
    """Search in a thread; yield the blocks of solutions, and the outcome if the search ends by itself. Raises its exceptions."""
    queue: Queue[base.Rows | base.Outcome | BaseException] = Queue(maxsize=WAITING)
    stop = Event()

    class Either(Event):
        def is_set(self) -> bool:
            return stop.is_set() or limits.stop.is_set()

    def hand_over(found: base.Rows | base.Outcome | BaseException) -> None:
        while not stop.is_set():
            try:
                queue.put(found, timeout=POLL_SECONDS)
                return
            except Full:
                if limits.stop.is_set():
                    return

    def work() -> None:
        try:
            hand_over(search(hand_over, replace(limits, stop=Either())))
        except BaseException as error:  # raised again in the thread of the caller
            hand_over(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        while thread.is_alive() or not queue.empty():
            with suppress(Empty):
                found = queue.get(timeout=POLL_SECONDS)  # in short steps, so that Ctrl-C is noticed
                if isinstance(found, BaseException):
                    raise found
                yield found
    finally:
        stop.set()
        thread.join(SECONDS_TO_END)  # some solvers crash when the program ends under them


TALLY_FIRST = SolverStep(TALLY, seconds=FIRST_SECONDS, shapes=MAX_SHAPES)
NUMBERING = (TALLY_FIRST, SolverStep(LISTING, seconds=10), SolverStep(TALLY), SolverStep(LISTING), SolverStep("sat"))
"""The steps to find solutions by number if no solver is named: the first that neither refuses nor reaches its limit. All solvers have the
same order of solutions. If the tally lacks memory, no solver lists instead."""
MAX_ORDERED = 1_000_000
"""Maximum number of solutions that are listed and sorted."""

SEED_BITS = 32
"""Size of a default seed, in bits."""
NumberedRow = tuple[int, ...]
"""A solution: ascending options."""


class TooManyError(base.NotSupportedError):
    """There are too many solutions to list and sort them."""


@dataclass(frozen=True)
class Pick:
    """A selection of solutions: by numbers, or at random."""

    numbers: Sequence[int] = ()
    """Numbers of solutions, from 1."""
    random: int | None = None
    """Number of solutions to draw at random; None: select by ``numbers``."""
    seed: int = field(default_factory=lambda: SystemRandom().getrandbits(SEED_BITS))
    distinct: bool = False
    """Draw classes of solutions up to symmetry, instead of solutions."""


@dataclass(frozen=True)
class Numbered:
    """The solutions of a problem, each with its number from 1 to ``count``; see ``in_order`` for their order."""

    outcome: base.Outcome
    """The outcome of the count. If it is not complete, no solution can be found by number."""
    find: Callable[[int], NumberedRow]
    recheck: Callable[[base.Rows], str | None]
    problem: CoverProblem
    given: Sequence[int] = ()
    """The options that all solutions contain."""

    @property
    def count(self) -> int:
        """The number of solutions."""
        return self.outcome.found

    def solution(self, number: int) -> NumberedRow:
        """Return the solution with a number. Raises ContradictionError if it fails the re-check."""
        row = self.find(number - 1)
        if (wrong := self.recheck(base.padded_rows([row]))) is not None:
            raise base.ContradictionError(f"{self.outcome.solver} found a solution that fails when it is checked: {wrong}")
        return row

    def picked(self, pick: Pick, name: str) -> Iterator[tuple[int, NumberedRow]]:
        """Yield the selected solutions, each with its number; nothing is drawn if there is no solution.

        ``name`` is the name of the puzzle. Raises PuzzleError for a number that no solution has.
        """
        if pick.random is not None:
            wanted = partial(self.problem.option_images.are_least, given=self.given) if pick.distinct else None
            return islice(random_solutions(self, pick.seed, wanted), pick.random)
        if wrong := [number for number in pick.numbers if not 1 <= number <= self.count]:
            have = base.many(self.count, "solution") if self.count else "no solution"
            raise base.PuzzleError(
                f"there is no solution {base.listed(wrong)}: {name} has {have}{', counted from 1' if min(wrong) < 1 else ''}"
            )
        return ((number, self.solution(number)) for number in pick.numbers)


def number_solutions(
    puzzle: BuiltInstance | CoverProblem, name: str | None, limits: base.Limits, given: Sequence[int], progress: base.Progress = base.SILENT
) -> Numbered:
    """Count the solutions that contain the options ``given``, so that each can be found by its number.

    ``name`` is the solver; None: the steps of ``NUMBERING`` are tried in turn. A solver that cannot find a solution by number lists all of
    them. The order of solutions does not depend on the solver. Raises NotSupportedError if the solver refuses or would have to list too
    many solutions; without ``name``, also if the tally needs more memory than its limit and a short search did not finish.
    """
    problem, recheck = puzzle if isinstance(puzzle, CoverProblem) else puzzle.problem, solution_check(puzzle)
    clock = base.Clock(limits)
    refusals: dict[str, base.NotSupportedError] = {}
    stopped: Numbered | None = None
    for step in NUMBERING if name is None else (SolverStep(name),):
        if numbering(step.solver) is None and any(isinstance(error, TooManyError) for error in refusals.values()):
            continue
        try:
            outcome, find = _numbered(problem, step.solver, step.limits(clock), given, progress.of(step.solver))
        except base.NotSupportedError as error:
            refusals[step.solver] = error
            if name is None and step.shapes is None and isinstance(error, base.NoMemoryError):
                break  # a list without a time limit may take hours and be too long in the end; users can name a solver for it
            continue
        if outcome.complete:
            return Numbered(outcome, find, recheck, problem, given)
        stopped = Numbered(replace(outcome, found=0), find, recheck, problem, given)
        if clock.verdict(-1) is not None:
            return stopped
    if refusals or stopped is None:
        raise base.NotSupportedError("; ".join(map(str, refusals.values())))
    return stopped


def _numbered(
    problem: CoverProblem, name: str, limits: base.Limits, given: Sequence[int], progress: base.Progress
) -> tuple[base.Outcome, Callable[[int], NumberedRow]]:
    """Count by a solver, with a list only if it needs one. Return the outcome, and a function from numbers (from 0) to solutions."""
    numbered = numbering(name)
    if numbered is not None:
        return numbered(as_told(name, problem), limits, given=given, progress=progress)
    outcome, rows = _listed(problem, name, limits, given, progress)
    rows = solvers.in_order(problem, rows, given)
    return outcome, lambda number: tuple(rows[number][rows[number] >= 0].tolist())


def _listed(
    problem: CoverProblem, name: str, limits: base.Limits, given: Sequence[int], progress: base.Progress
) -> tuple[base.Outcome, base.Rows]:
    """List all solutions, in any order. If nothing is given, search with broken symmetry and add the images of the solutions."""
    outcome, rows, small = _searched(problem, name, limits, given, progress)
    found = len(rows) if small.weight is None else int(np.append(small.weight, 1)[rows].prod(axis=1).sum())
    if found > MAX_ORDERED:
        raise TooManyError(f"{name}: there are more than {MAX_ORDERED:,} solutions, too many to list and put in order")
    if not outcome.complete:
        return outcome, rows[:0]
    rows = small.of_the_whole(rows)
    if small.weight is not None and rows.size:
        rows = base.unique_rows(base.sorted_rows(problem.option_images.array[:, rows].reshape(-1, rows.shape[1])))
        if len(rows) != found:
            raise base.ContradictionError(f"{name}: the images of its solutions are {len(rows)}, not {found} as counted")
    return replace(outcome, found=found), rows


def list_distinct(
    built: BuiltInstance, name: str, limits: base.Limits, given: Sequence[int], progress: base.Progress = base.SILENT, *, cut: bool = False
) -> tuple[base.Outcome, base.Rows]:
    """List the solutions that contain the options ``given``, one of each class under the symmetries: the least.

    If the outcome is not complete, the list is empty; with ``cut``, it has the solutions found before the limit (at most a million
    solutions are searched).
    """
    problem = built.problem
    outcome, rows, small = _searched(problem, name, limits, given, progress)
    rows = small.of_the_whole(rows if cut or outcome.complete else rows[:0])
    if (wrong := solution_check(built)(rows)) is not None:
        raise base.ContradictionError(f"{name} found a solution that fails when it is checked: {wrong}")
    images = problem.option_images
    rows = base.unique_rows(rows[images.are_least(rows, given)]) if given else images.distinct(rows)
    return replace(outcome, found=len(rows)), rows


def _searched(
    problem: CoverProblem, name: str, limits: base.Limits, given: Sequence[int], progress: base.Progress
) -> tuple[base.Outcome, base.Rows, CoverProblem]:
    """Search for all solutions. Return the outcome, the rows, and their problem: with broken symmetry if nothing is given."""
    blocks: list[base.Rows] = []
    limits = replace(limits, solutions=min(limits.solutions or MAX_ORDERED + 1, MAX_ORDERED + 1))
    small = problem if given else reduce(problem, break_on=item_to_break(problem), progress=progress).problem
    outcome = solver(name)(small)(lambda rows: blocks.append(rows.copy()), limits, given=given, progress=progress)
    return outcome, base.joined_rows(blocks), small


def random_solutions(
    solutions: Numbered, seed: int, wanted: Callable[[base.Rows], base.Flags] | None = None
) -> Iterator[tuple[int, NumberedRow]]:
    """Yield uniform random solutions, drawn independently and without end, each with its number; nothing if there is no solution.

    ``wanted`` restricts the draw to the solutions that it accepts, at least one; to draw classes, it accepts one solution of each class.
    The same seed gives the same solutions on every machine, because only integers are drawn.
    """
    random = Random(seed)
    while solutions.count:
        number = 1 + _below(random, solutions.count)
        row = solutions.solution(number)
        if wanted is None or wanted(base.padded_rows([row]))[0]:
            yield number, row


def _below(random: Random, count: int) -> int:
    """Draw an integer from 0 to count - 1, from random bits alone: Python guarantees the same bits for the same seed."""
    while (number := random.getrandbits(count.bit_length())) >= count:
        pass
    return number
