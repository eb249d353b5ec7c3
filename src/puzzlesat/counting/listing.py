"""Solutions one by one, from any solver: as rows of placement numbers, or with names and atoms for users of the library."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import islice
from queue import Full, Queue
from threading import Event, Thread
from typing import TypeVar

from puzzlesat.base import (
    SILENT,
    Clock,
    ContradictionError,
    Displayed,
    EndedError,
    LimitReached,
    Limits,
    NotSupportedError,
    OnSolutions,
    Outcome,
    Progress,
    Rows,
    either,
    many,
)
from puzzlesat.counting.plan import CERTIFICATE
from puzzlesat.counting.second_reading import recheck_of
from puzzlesat.puzzles import (
    Built,
    CoverProblem,
    Instance,
    OptionImages,
    Puzzle,
    Solution,
    build_instance,
    instance_of,
    reduce,
)
from puzzlesat.solvers import listing, lists, solver, tile_to_break

WAITING = 64
POLL_SECONDS = 0.1
SECONDS_TO_END = 5.0
SMALL = 1000
"""Placements up to which a problem is searched whole for one solution of each class: these come in the order in which all of them do."""

Found = Rows | Outcome | BaseException
"""What a search hands over: solutions, and at the end what it did, or what was raised."""
AnySolution = TypeVar("AnySolution")


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
    puzzle: Instance | Puzzle,
    solver: str,
    given: Sequence[str],
    limits: Limits,
    *,
    distinct: bool,
    quietly: bool,
) -> Iterator[Solution]:
    """Yield solutions, to so many and within such limits; see ``puzzlesat.solve``."""
    instance = instance_of(puzzle)
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
    puzzle: Built | CoverProblem,
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

    images = OptionImages(whole)
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
        raise NotSupportedError(f"{name} counts and lists nothing; use --solver {either(listing())}")
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
