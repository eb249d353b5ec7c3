"""Count a puzzle by one solver and check the count by others that share no search code with it.

The module also checks the figures that an instance expects: by a count, or on the geometry alone if only a solution is expected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from math import inf
from threading import Thread

import numpy as np

from puzzlesat.base import (
    SILENT,
    Clock,
    EndedError,
    Limits,
    NotSupportedError,
    Progress,
    PuzzleError,
    Rows,
    joined_rows,
    many,
    sorted_rows,
    unique_rows,
)
from puzzlesat.counting.comparison import NODES_A_PART, Collector, Expected, Result, Task, checks, compared, refused
from puzzlesat.counting.conventions import counted_again, fixed_again, variants
from puzzlesat.counting.counts import Counts, SolutionCounter
from puzzlesat.counting.evidence import Disagreement, Row
from puzzlesat.counting.plan import AUTO, CERTIFICATE, FIRST_SECONDS, MAX_LISTED, Plan
from puzzlesat.counting.report import Report
from puzzlesat.counting.second_reading import SecondReading, read_twice
from puzzlesat.counting.tallied_counts import POLL_SECONDS, SECONDS_TO_END, Side, Tallied, tallied, two_sides
from puzzlesat.counting.verdict import unexplained
from puzzlesat.proofs import solution_check
from puzzlesat.puzzles import BuiltInstance, CoverProblem, Instance, Puzzle, Reduced, build_instance, reduce
from puzzlesat.solvers import LISTING, SOLVERS, TALLY, as_told, family, item_to_break, lists, solver

AUTO_TALLY, AUTO_LISTER = TALLY, LISTING
"""The two solvers of ``auto``, which take turns. The first to finish gives the count, and the other may confirm it."""
AUTO_TALLY_MEMORY_SHARE = 0.75
"""Share of the memory limit for the tally while the backtracker runs beside it."""
CONFIRMING_SHARE = 0.5
"""Maximum share of ``--budget`` for the slower of the two to confirm the faster."""
CONFIRMING_SECONDS: float = 0.1
"""Minimum time limit, in seconds, of the slower of the two."""
TALLY_AFTER_SECONDS, TALLY_AFTER_SHARE = 1.0, 2.0
"""Further time of the tally after all solutions are listed: these seconds, or this share of the time of the list if it is more."""
FIXED_SHARE = 0.6
"""Maximum share of the checking time for the solutions that symmetries fix, which are counted again if no list is kept."""
MANY_PARTS = 1_000_000
"""Number of subproblems if the work of the first solver is no measure for it; larger than the maximum number of them."""
MIN_AT_ONCE, IMAGES_AT_ONCE = 64, 1 << 13
"""Batch size of the re-check: the minimum in solutions, and the usual size in images of solutions (some hundredths of a second)."""
MAX_TOGETHER = 1_000_000
"""Maximum batch size of the re-check, in atoms of solutions: a fraction of a second."""
OnReport = Callable[[Report], object]


@dataclass(frozen=True)
class _Run:
    """The context of one count: plan, problem, and the callbacks for progress and reports."""

    plan: Plan
    built: BuiltInstance
    problem: CoverProblem
    reduced: Reduced
    progress: Progress
    known: OnReport
    began: float
    """Time at which the work on the puzzle began, by the clock of its limits."""
    spent: float = 0.0
    """Seconds of the checking time that are already used: by the slower of tally and backtracker, and by the second computation."""
    unchecked: list[str] = field(default_factory=list)
    """The reason why solutions could not be checked on the geometry, if there is one."""

    @property
    def after(self) -> float:
        """Seconds since the work on the puzzle began."""
        return self.plan.limits.now - self.began

    def recheck(self, go_on: Callable[[], object] = bool) -> Callable[[Rows], str | None]:
        """Return the check of solutions on the geometry."""
        return solution_check(self.built, go_on, unchecked=self.unchecked.append)


def count(
    puzzle: Instance | Puzzle | BuiltInstance, plan: Plan | None = None, progress: Progress = SILENT, *, known: OnReport = bool
) -> Report:
    """Count the solutions of a puzzle by the first solver of the plan, and check the count by the others.

    The first solver searches everything, on a problem reduced by symmetry and dead placements. If it refuses the puzzle, the next solver
    counts. Each checking solver gets a less reduced problem (``_List._task``) and confirms as much of the count as its share of the budget
    allows. A solver that lists nothing counts the whole problem and, for each symmetry, the solutions that it leaves unchanged.

    ``auto`` lets the tally and the backtracker take turns. The first to finish gives the count; the other goes on if it will finish soon.

    If an expected or refuted figure is right in no convention of this count, the puzzle is also counted in the other conventions.

    The limits of the plan apply to all of this together. ``known`` gets a report as soon as there is a count, and another after each check;
    the last of them is returned. ``puzzle`` may be an instance whose placements are already computed.
    """
    plan = plan or Plan()
    limits = plan.limits.begun()
    plan = replace(plan, limits=limits if plan.budget is not None else replace(limits, cpu=True))
    progress = plan.limits.heeding(progress)
    subject = puzzle if isinstance(puzzle, BuiltInstance) else Instance.of(puzzle)
    try:
        report = _count(subject, plan, progress, known)
    except EndedError as ended:
        return Report.unbegun(plan, subject.instance if isinstance(subject, BuiltInstance) else subject, ended)
    if not report.complete or not unexplained(report):
        return report
    first = next(row.solver for row in report.rows if row.all is not None)
    for words, other in variants(report.built):
        try:
            counted = _count(Instance(other), replace(plan, solvers=(first,), transformed=False, colouring=False, conditions=()), progress)
        except EndedError:  # the count remains valid, and the figure is not explained
            break
        report = replace(report, others=(*report.others, (words, counted)))
        if not unexplained(report):
            break
    return report


def _count(subject: Instance | BuiltInstance, plan: Plan, progress: Progress, known: OnReport = bool) -> Report:
    began = plan.limits.now
    plan.check()
    if plan.solvers[0] == CERTIFICATE:
        raise PuzzleError(f"a {CERTIFICATE} confirms the count of a solver; put a solver before it, such as {AUTO},{CERTIFICATE}")
    built = subject if isinstance(subject, BuiltInstance) else build_instance(subject, progress=progress, limits=plan.limits)
    if plan.colouring:
        from puzzlesat.proofs import found_conditions  # it takes a quarter of a second to load

        progress.of("colourings")({})
        plan = replace(plan, conditions=found_conditions(built, Clock(plan.limits).left))
    if plan.conditions:
        built = replace(built, problem=replace(built.problem, conditions=(*built.problem.conditions, *plan.conditions)))
    problem = built.problem if plan.parity else built.problem.without_implied()
    with progress.overseen():
        broken_on = item_to_break(problem, built.instance.break_on) if plan.symmetry else None
    reduced = reduce(problem, symmetry=plan.symmetry, dead=plan.reduction, break_on=broken_on, progress=progress)
    run = _Run(plan, built, problem, reduced, progress, known, began)
    if plan.solvers[0] == AUTO:
        return _auto(run)
    rows: list[Row] = []
    for position, name in enumerate(plan.solvers):
        if name == CERTIFICATE:  # it confirms the count of another solver
            continue
        left = replace(run, plan=replace(plan, solvers=tuple(plan.solvers[position:])))
        try:
            report = _List(left).search().checked(left) if lists(name) else _unlisted(left, _tallied(run, name, plan.limits))
        except NotSupportedError as error:
            rows.append(refused(name, error))
            continue
        return replace(report, rows=(*rows, *report.rows))
    return Report(built, plan, reduced, Counts(), "limit reached", 0, tuple(rows), None, ())


def _auto(run: _Run) -> Report:
    """Run the backtracker and the tally in turns. The first to finish gives the count; the other confirms it if it finishes soon."""
    tally, lister = AUTO_TALLY, AUTO_LISTER
    rest = tuple(name for name in run.plan.solvers[1:] if name not in (tally, lister))
    listing = replace(run, plan=replace(run.plan, solvers=(lister, *rest)))
    counting = replace(run, plan=replace(run.plan, solvers=(tally, lister, *rest)))
    if run.plan.limits.solutions is not None or run.problem.out_of_reach(run.progress) is not None:
        return _List(listing).search().checked(listing)
    race = _Race(listing, counting)
    known, listed = race.run(), race.listed
    if race.first is not None:
        spent = run.plan.limits.now - race.first
        listing, counting = replace(listing, spent=spent), replace(counting, spent=spent)
    if listed.report.complete or listed.report.disagreements or not isinstance(known, Tallied) or not known.outcome.complete:
        return listed.checked(listing, known)
    counted = _unlisted(counting, known)  # the tally has finished, the list has not
    if _too_many(run, known):
        return counted
    row = listed.report.rows[0]
    left_off = replace(row, how=f"listing all of them was given up; {row.how}")
    return replace(counted, rows=(*counted.rows, left_off), placement_numbers=listed.report.placement_numbers)


class _Race:
    """The backtracker and the tally at work on one puzzle, in turns."""

    def __init__(self, listing: _Run, counting: _Run) -> None:
        self.listing, self.counting = listing, counting
        limits = listing.plan.limits
        memory = limits.free_memory()
        tallier = int(AUTO_TALLY_MEMORY_SHARE * memory)
        self.lister, self.tallier = two_sides(replace(limits, memory=memory - tallier), replace(limits, memory=tallier))
        self.listed = _List(listing, self.lister)
        self.known: Tallied | Row | BaseException | None = None
        self.first: float | None = None
        """Time at which the first of the two finished."""

    def run(self) -> Tallied | Row:
        """Run both to their end or their limit; return the result of the tally. Raises the exceptions of both."""
        for name in (AUTO_TALLY, AUTO_LISTER):
            solver(name)  # load its module before the first turn
        thread = Thread(target=self._tally, daemon=True)
        thread.start()
        try:
            self._list()
            self.lister.end()
            while thread.is_alive():
                thread.join(POLL_SECONDS)
        finally:
            self.tallier.most = 0.0  # stop the tally if the list or the wait raised an exception
            self.lister.end()
            thread.join(SECONDS_TO_END)
        if isinstance(self.known, BaseException):
            raise self.known
        assert self.known is not None
        return self.known

    def _list(self) -> None:
        run, side = self.listing, self.lister
        side.begin()
        self.listed.search()
        if self.listed.report.complete and self.first is None:
            self.first = run.plan.limits.now
            run.known(self.listed.report)
            self.tallier.most = self._may_have(self.tallier, max(TALLY_AFTER_SECONDS, TALLY_AFTER_SHARE * side.used))

    def _tally(self) -> None:
        run, side = self.counting, self.tallier
        try:
            side.begin()
            known = _tallied(replace(run, progress=side.telling(run.progress)), AUTO_TALLY, side.limits)
            self.known = known = replace(known, outcome=replace(known.outcome, seconds=side.used), after=run.after)
            if known.outcome.complete and self.first is None:
                self.first = run.plan.limits.now
                run.known(_counted(run, known))
                self.lister.most = 0.0 if _too_many(run, known) else self._may_have(self.lister, inf)
        except NotSupportedError as error:
            self.known = refused(AUTO_TALLY, error, side.used)
        except BaseException as error:  # raised again in the thread of the caller
            self.known = error
            self.lister.most = 0.0
        finally:
            side.end()

    def _may_have(self, slower: Side, more: float) -> float:
        """Return the time limit of the slower one when the faster one finishes.

        If the forecast says that it cannot end by then, it gets half the time of the faster one, because the forecast may be wrong.
        """
        plan = self.listing.plan
        if plan.full:
            return slower.used + (inf if more == inf else max(FIRST_SECONDS, more))
        most = max(CONFIRMING_SECONDS, slower.used + min(more, CONFIRMING_SHARE * plan.checking_seconds))
        return most if slower.needs <= most else min(most, slower.used + slower.other.used / 2)


def _too_many(run: _Run, known: Tallied) -> bool:
    """Return whether the tally counted more solutions than are listed."""
    return not run.plan.full and known.outcome.found > MAX_LISTED * len(run.problem.symmetries)


def _unlisted(run: _Run, known: Tallied) -> Report:
    """Report a count without a list, and check it by the other solvers, on the whole problem or a sample of subproblems."""
    report = _counted(run, known)
    if not known.outcome.complete:
        return report
    expected = Expected(known.counts, states=known.outcome.work.get("states"), seconds=known.outcome.seconds)
    return _checked(run, report, expected, lambda other: Task(other, as_told(other, run.problem), None, known.outcome.found, MANY_PARTS))


def _counted(run: _Run, known: Tallied) -> Report:
    """Return the report of a count without a list, before any check."""
    outcome, total = known.outcome, known.outcome.found if known.outcome.complete else None
    how = "counted without listing"
    row = Row(run.plan.solvers[0], total, outcome.status, how, outcome.seconds, outcome.work, after=known.after)
    return Report(run.built, run.plan, run.reduced, known.counts, outcome.status, total or 0, (row,), known.burnside, ())


def _checked(run: _Run, report: Report, expected: Expected, task: Callable[[str], Task], everything: Rows | None = None) -> Report:
    """Read the puzzle a second time, check the report by the other solvers, and return it with their results.

    The counts that follow from the solutions are computed again from ``everything``, the solutions of the whole problem, if they were kept.
    """
    run.known(report)
    report = _read_twice(run, report)
    run.known(report)
    began = run.plan.limits.now
    report = _counted_again(run, report, everything)
    run = replace(run, spent=run.spent + run.plan.limits.now - began)
    run.known(report)

    recheck, recount = run.recheck(), partial(_tallied, run)
    results = checks(run.plan, expected, task, recheck, recount, run.progress, built=run.built, began=run.began, spent=run.spent)
    for row, found in chain(results, _transformed(run, report.found) if run.plan.transformed else ()):
        rows = (*report.rows, replace(row, after=run.after))
        reason = next(iter(run.unchecked), None)
        report = replace(report, rows=rows, disagreements=(*report.disagreements, *found), unchecked=reason)
        run.known(report)
    return report


def _read_twice(run: _Run, report: Report) -> Report:
    """Read the puzzle by the second reader; a difference is a disagreement."""
    own = run.built.problem.conditions
    stated = replace(run.built.problem, conditions=own[: len(own) - len(run.plan.conditions)])  # no file has the conditions of the plan
    try:
        twice = read_twice(replace(run.built, problem=stated), run.progress)
    except EndedError as ended:
        twice = SecondReading(why=ended.words)
    return report.read_again(replace(twice, after=run.after))


def _counted_again(run: _Run, report: Report, everything: Rows | None) -> Report:
    """Compute the counts that follow from the solutions in a second way.

    If the solutions were not kept, the solutions that symmetries fix are counted by trees, within a share of the checking time. A count
    that is already contradicted is not computed again.
    """
    if report.agree is False:
        return report
    if everything is not None:
        try:
            return counted_again(report, everything, lambda: run.progress.of("counting again")({"solutions": len(everything)}))
        except EndedError:
            return report
    seconds = FIXED_SHARE * max(0.0, run.plan.checking_seconds - run.spent)
    return fixed_again(report, run.plan.limits if run.plan.full else run.plan.limits.within(seconds), run.progress)


def _tallied(run: _Run, name: str, limits: Limits) -> Tallied:
    """Count without a list, the whole problem and for each symmetry. Raises NotSupportedError if the solver refuses."""
    return tallied(name, run.built, as_told(name, run.problem), limits, run.progress.of(name))


class _List(Collector):
    """A list of all solutions by the first solver: it re-checks and counts them, and stores them up to a limit."""

    report: Report
    """The report before any check by other solvers."""

    def __init__(self, run: _Run, side: Side | None = None) -> None:
        """Prepare the list; ``side`` takes turns with the tally."""
        super().__init__(run.recheck(lambda: self.go_on()))
        self.run, self.side = run, side
        self.limits = run.plan.limits if side is None else side.limits
        self.go_on: Callable[[], object] = bool if side is None else side.go_on
        self.counter = SolutionCounter(run.built, run.reduced.problem)
        self.images = len(self.counter.images) if self.counter.broken else 1
        at_once = max(MIN_AT_ONCE, IMAGES_AT_ONCE // max(1, len(self.counter.images)))
        puzzle = run.built.puzzle
        self.together = max(1, min(at_once, MAX_TOGETHER // max(1, len(puzzle.form.atoms), len(puzzle.tiles))))
        self.waiting: list[Rows] = []
        """Blocks of solutions that are not yet processed."""
        self.everything: Rows | None = None
        """All solutions of the whole problem."""

    def search(self) -> _List:
        """List all solutions by the first solver, make the report, and return the list."""
        run, side, counter, name = self.run, self.side, self.counter, self.run.plan.solvers[0]
        progress = run.progress.of(name) if side is None else side.telling(run.progress.of(name))
        self.clock = Clock(self.limits)
        outcome, wrong_image = solver(name)(run.reduced.problem)(self._take, self.limits, progress=progress), None
        try:
            self._process()
        except EndedError as ended:  # some solutions are not counted
            outcome = replace(outcome, status=ended.status)
        if side is not None:
            outcome = replace(outcome, seconds=outcome.seconds - side.waited)
        if outcome.complete:
            self.clock, self.go_on = Clock(run.plan.limits), bool
            try:
                wrong_image = self._add_images()
            except EndedError as ended:  # some images were not re-checked
                outcome = replace(outcome, status=ended.status)
        self.outcome, found = outcome, outcome.found if outcome.complete else counter.found
        how = f"{found:,} found"
        if 0 < found < counter.all:
            how += f" (symmetry broken); {'it represents' if found == 1 else 'they represent'} {counter.all:,}"
        total = counter.all if outcome.complete else None
        row = Row(outcome.solver, total, outcome.status, how, outcome.seconds, outcome.work, after=run.after)
        wrong = (("a solution fails", self.wrong), ("the image of a solution under a symmetry fails", wrong_image))
        bad = tuple(Disagreement(name, f"{what} the check against the geometry: {why}") for what, why in wrong if why is not None)
        counts, burnside = (counter.counts(), counter.burnside()) if outcome.complete else (Counts(), None)
        report = Report(run.built, run.plan, run.reduced, counts, outcome.status, counter.all, (row,), burnside, bad, self.rows())
        self.report = replace(report, unchecked=next(iter(run.unchecked), None))
        return self

    def _take(self, rows: Rows) -> None:
        """Process blocks of solutions, once they are enough for a batch."""
        self.waiting.append(rows.copy())  # the solver may use its array again
        if sum(map(len, self.waiting)) >= self.together:
            self._process()

    def _process(self) -> None:
        """Process the waiting solutions in batches, with a check of the limits between them. Every counted solution was re-checked."""
        rows = joined_rows(self.waiting)
        self.waiting = []
        for some in self._parts(rows):
            some = self.counter.in_whole(some)
            self.keep(some, self.images)
            self.counter.add(some)
            self.go_on()

    def _parts(self, rows: Rows) -> Iterator[Rows]:
        """Yield the rows in batches. Raises EndedError if a limit is reached before the last batch."""
        for first in range(0, len(rows), self.together):
            if first and (status := self.clock.verdict(-1)) is not None:
                raise EndedError(status)
            yield rows[first : first + self.together]

    def _add_images(self) -> str | None:
        """Set ``everything`` to the solutions found and their images under the symmetries, and re-check the images.

        Return the error of the first wrong image. Raises EndedError if a limit is reached.
        """
        rows, wrong = self.rows(), None
        if rows is not None and self.counter.broken and len(rows):
            rows = unique_rows(np.concatenate([sorted_rows(image[rows]) for image in self.counter.images]))
            for some in self._parts(rows):
                wrong = wrong or self.recheck(some)
        self.everything = rows
        return wrong

    def checked(self, run: _Run, known: Tallied | Row | None = None) -> Report:
        """Check the list by the other solvers. ``known`` is the result of the tally that ran in turns with the search, or its refusal."""
        report, outcome = self.report, self.outcome
        if known is not None:
            row, found = _beside(known, report)
            report = replace(report, rows=(*report.rows, row), disagreements=(*report.disagreements, *found))
        if not outcome.complete:
            return report
        nodes = outcome.work.get("nodes") if outcome.solver == AUTO_LISTER else None
        confirmed = known is not None and report.rows[-1].confirms
        expected = Expected(report.counts, nodes, seconds=outcome.seconds, confirmed=confirmed)
        return _checked(run, report, expected, self._task, self.everything)

    def _task(self, name: str) -> Task:
        """Return the work of a checking solver: the problem with its symmetry broken, or the whole problem, as the table of solvers says.

        The problem keeps its dead placements in any case, so that the solver also checks their removal.
        """
        run, counter, nodes = self.run, self.counter, self.outcome.work.get("nodes", 0)
        problem = as_told(name, run.problem)
        if not SOLVERS[family(name)].broken:
            return Task(name, problem, self.everything, counter.all, nodes * self.images // NODES_A_PART)
        broken = reduce(problem, symmetry=run.plan.symmetry, dead=False, break_on=run.reduced.broken_on).problem
        rows = self.rows()
        if rows is not None and broken.origin is not None:
            number = np.full(run.problem.size + 1, -1, dtype=np.int32)
            number[broken.origin] = np.arange(broken.size)
            rows = sorted_rows(number[rows])
        return Task(name, broken, rows, counter.found, nodes // NODES_A_PART)


def _beside(known: Tallied | Row, report: Report) -> Result:
    """Return the row of the tally that ran in turns with a list, and the disagreements if both are complete."""
    if isinstance(known, Row):
        return known, []
    if known.outcome.complete and report.complete:
        return compared(known, report.counts)
    return Row(known.outcome.solver, None, known.outcome.status, "not finished", known.outcome.seconds, known.outcome.work), []


def _transformed(run: _Run, total: int) -> Iterator[Result]:
    """Count a rotated or reflected copy of the form by the first solver: the number must be the same."""
    copy, by = run.built.puzzle.transformed_copy()
    name, how, progress = run.plan.solvers[0], f"a copy of the puzzle after: {by}", run.progress
    try:
        reduced = reduce(build_instance(copy, progress=progress).problem, symmetry=False, dead=run.plan.reduction, progress=progress)
    except EndedError as ended:
        yield Row(name, None, ended.status, how, 0.0, {}), []
        return
    outcome = solver(name)(reduced.problem)(None, run.plan.limits, progress=progress.of(name))
    found = outcome.found if outcome.complete else None
    wrong = [] if found in (None, total) else [f"the copy after {by} has {many(outcome.found, 'solution')}, the form itself {total}"]
    row = Row(name, found, outcome.status, how, outcome.seconds, outcome.work)
    yield row, [Disagreement(name, what) for what in wrong]
