"""Count a puzzle by one solver and check the count by others that share no search code with it.

The module also checks the figures that an instance expects: by a count, or on the geometry alone if only a solution is expected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf
from threading import Thread

import numpy as np

from puzzlesat.base import (
    SILENT,
    Clock,
    EndedError,
    Limits,
    NotSupportedError,
    Outcome,
    Progress,
    PuzzleError,
    Rows,
    joined_rows,
    many,
    sorted_rows,
)
from puzzlesat.counting.comparison import Expected, Task, check
from puzzlesat.counting.conventions import counted_again, fixed_again, variants
from puzzlesat.counting.counts import Counts, SolutionCounter
from puzzlesat.counting.plan import AUTO, CERTIFICATE, FIRST_SECONDS, MOST_LISTED, Plan, check_counting
from puzzlesat.counting.report import NOT_COUNTED, REFUSED, Disagreement, Report, Row
from puzzlesat.counting.second_reading import SecondReading, read_twice
from puzzlesat.counting.tallied_counts import POLL_SECONDS, SECONDS_TO_END, Tallied, tallied, two_sides
from puzzlesat.counting.verdict import Judgement, Verdict, unexplained
from puzzlesat.proofs import solution_check
from puzzlesat.puzzles import BuiltInstance, CoverProblem, Instance, Puzzle, Reduced, build_instance, reduce
from puzzlesat.solvers import LISTING, SOLVERS, TALLY, as_told, family, lists, solver, tile_to_break

AUTO_TALLY, AUTO_LISTER = TALLY, LISTING
"""The two solvers of ``auto``, which take turns. The first to finish gives the count, and the other may confirm it."""
AUTO_TALLY_MEMORY_SHARE = 0.75
"""Share of the memory limit for the tally while the backtracker runs beside it."""
CONFIRMING_SHARE = 0.5
"""Maximum share of ``--budget`` for the slower of the two to confirm the faster."""
CONFIRMING_SECONDS: float = 0.1
"""Minimum time limit, in seconds, of the slower of the two."""
TALLY_AFTER_SECONDS: float = 5
"""Time limit of the tally after all solutions are listed; the time of the list if it is longer."""
CERTIFICATE_SHARE = 0.6
"""Maximum share of the checking time for the certificate."""

NODES_A_PART = 5_000
"""Size of a subproblem, in nodes of the first solver: a fraction of a second for the other solvers."""
MANY_PARTS = 1_000_000
"""Number of subproblems if the work of the first solver is no measure for it; larger than the maximum number of them."""
MAX_STORED = 20_000_000
"""Maximum number of cells of solution arrays kept in memory for comparison (80 MB). Further solutions are counted and dropped."""
MIN_AT_ONCE, IMAGES_AT_ONCE = 64, 1 << 13
"""Batch size of the re-check: the minimum in solutions, and the usual size in images of solutions (some hundredths of a second)."""
MAX_TOGETHER = 1_000_000
"""Maximum batch size of the re-check, in atoms of solutions: a fraction of a second."""


@dataclass(frozen=True)
class _Run:
    """The context of one count: plan, problem, and the callbacks for progress and reports."""

    plan: Plan
    built: BuiltInstance
    problem: CoverProblem
    reduced: Reduced
    progress: Progress
    known: Callable[[Report], None]
    began: float
    """Time at which the work on the puzzle began, by the clock of its limits."""
    spent: float = 0.0
    """Seconds of the checking time that are already used: by the slower of tally and backtracker, and by the second computation."""

    @property
    def after(self) -> float:
        """Seconds since the work on the puzzle began."""
        return self.plan.limits.now - self.began


def _nobody(_report: Report) -> None:
    """Ignore a report."""


def _always() -> None:
    """Do nothing."""


def count(
    puzzle: Instance | Puzzle | BuiltInstance,
    plan: Plan | None = None,
    progress: Progress = SILENT,
    *,
    known: Callable[[Report], None] = _nobody,
) -> Report:
    """Count the solutions of a puzzle by the first solver of the plan, and check the count by the others.

    The first solver searches everything, on a problem reduced by symmetry and dead placements. If it refuses the puzzle, the next solver
    counts. Each checking solver gets a less reduced problem (see ``_task``) and confirms as much of the count as its share of the budget
    allows. A solver that lists nothing counts the whole problem and, for each symmetry, the solutions that it leaves unchanged.

    ``auto`` lets the tally and the backtracker take turns. The first to finish gives the count; the other goes on if it will finish soon.

    If an expected or refuted figure is right in no convention of this count, the puzzle is also counted in the other conventions.

    The limits of the plan apply to all of this together. ``known`` gets a report as soon as there is a count, and another after each check;
    the last of them is returned. ``puzzle`` may be an instance whose placements are already computed.
    """
    plan = plan or Plan()
    plan = replace(plan, limits=plan.limits.begun())
    progress = plan.limits.heeding(progress)
    built = puzzle if isinstance(puzzle, BuiltInstance) else None
    instance = Instance.of(puzzle.instance if isinstance(puzzle, BuiltInstance) else puzzle)
    try:
        report = _count(instance, plan, progress, built, known=known)
    except EndedError as ended:
        return Report.unbegun(plan, instance, ended)
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


def _count(
    instance: Instance, plan: Plan, progress: Progress, built: BuiltInstance | None = None, *, known: Callable[[Report], None] = _nobody
) -> Report:
    began = plan.limits.now
    check_counting(plan.solvers)
    if plan.solvers[0] == CERTIFICATE:
        raise PuzzleError(f"a {CERTIFICATE} confirms the count of a solver; put a solver before it, such as {AUTO},{CERTIFICATE}")
    if built is None:
        built = build_instance(instance, progress=progress, memory=plan.limits.memory)
    if plan.colouring:
        from puzzlesat.proofs import found_conditions  # it takes a quarter of a second to load

        progress.of("colourings")({})
        plan = replace(plan, conditions=found_conditions(built, Clock(plan.limits).left))
    if plan.conditions:
        built = replace(built, problem=replace(built.problem, conditions=(*built.problem.conditions, *plan.conditions)))
    problem = built.problem if plan.parity else built.problem.without_implied()
    with progress.overseen():
        broken_on = tile_to_break(problem, instance.break_on) if plan.symmetry else None
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
            report = _listed(left) if lists(name) else _unlisted(left, _tallied(run, name, plan.limits))
        except NotSupportedError as error:
            rows.append(_refused(name, error))
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
        return _listed(listing)
    race = _Race(listing, counting)
    known = race.run()
    listed = race.listed
    assert listed is not None
    if race.first is not None:
        spent = run.plan.limits.now - race.first
        listing, counting = replace(listing, spent=spent), replace(counting, spent=spent)
    if listed.report.complete or listed.report.disagreements or not isinstance(known, Tallied) or not known.outcome.complete:
        return _list_checked(listing, listed, known)
    counted = _unlisted(counting, known)  # the tally has finished, the list has not
    if _too_many(run, known):
        return counted
    return replace(counted, rows=(*counted.rows, _left_off(listed.report)), placement_numbers=listed.report.placement_numbers)


class _Race:
    """The backtracker and the tally at work on one puzzle, in turns."""

    def __init__(self, listing: _Run, counting: _Run) -> None:
        self.listing, self.counting = listing, counting
        limits = listing.plan.limits
        memory = limits.free_memory()
        tallier = int(AUTO_TALLY_MEMORY_SHARE * memory)
        self.lister, self.tallier = two_sides(replace(limits, memory=memory - tallier), replace(limits, memory=tallier))
        self.listed: _Listed | None = None
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
        listed = _list(run, side.limits, side.telling(run.progress.of(AUTO_LISTER)), side.go_on)
        self.listed = listed = listed.taking(listed.outcome.seconds - side.waited)
        if listed.report.complete and self.first is None:
            self.first = run.plan.limits.now
            run.known(listed.report)
            self.tallier.most = self._may_have(self.tallier.used, max(TALLY_AFTER_SECONDS, side.used))

    def _tally(self) -> None:
        run, side = self.counting, self.tallier
        try:
            side.begin()
            self.known = known = _taking(
                _tallied(replace(run, progress=side.telling(run.progress)), AUTO_TALLY, side.limits), side.used, run.after
            )
            if known.outcome.complete and self.first is None:
                self.first = run.plan.limits.now
                run.known(_counted(run, known))
                self.lister.most = 0.0 if _too_many(run, known) else self._may_have(self.lister.used, inf)
        except NotSupportedError as error:
            self.known = _refused(AUTO_TALLY, error, side.used)
        except BaseException as error:  # raised again in the thread of the caller
            self.known = error
            self.lister.most = 0.0
        finally:
            side.end()

    def _may_have(self, used: float, more: float) -> float:
        """Return the time limit of the slower one, which has ``used`` these seconds when the faster one finishes."""
        plan = self.listing.plan
        if plan.full:
            return used + (inf if more == inf else max(FIRST_SECONDS, more))
        return max(CONFIRMING_SECONDS, used + min(more, CONFIRMING_SHARE * plan.checking_seconds))


def _too_many(run: _Run, known: Tallied) -> bool:
    """Return whether the tally counted more solutions than are listed."""
    return not run.plan.full and known.outcome.found > MOST_LISTED * len(run.problem.symmetries)


@dataclass(frozen=True)
class _Listed:
    """The list of a solver."""

    outcome: Outcome
    collector: _Collector
    everything: Rows | None
    report: Report
    """The report before any check by other solvers."""

    def taking(self, seconds: float) -> _Listed:
        """Return the list with other seconds of the solver."""
        first, *others = self.report.rows
        report = replace(self.report, rows=(replace(first, seconds=seconds), *others))
        return replace(self, outcome=replace(self.outcome, seconds=seconds), report=report)


def _taking(known: Tallied, seconds: float, after: float) -> Tallied:
    return replace(known, outcome=replace(known.outcome, seconds=seconds), after=after)


def _listed(run: _Run) -> Report:
    """List all solutions by the first solver, and check the list by the others."""
    return _list_checked(run, _list(run, run.plan.limits, run.progress.of(run.plan.solvers[0])))


def _list(run: _Run, limits: Limits, progress: Progress, go_on: Callable[[], None] = _always) -> _Listed:
    """List all solutions by the first solver; ``go_on`` is called at intervals while they are re-checked."""
    name = run.plan.solvers[0]
    collector = _Collector(run.built, run.reduced.problem, Clock(limits), go_on)
    outcome = solver(name)(run.reduced.problem)(collector, limits, progress=progress)
    everything = None
    if outcome.complete:
        collector.clock, collector.go_on = Clock(run.plan.limits), _always
        try:
            everything = collector.everything()
        except EndedError as ended:  # some images were not re-checked
            outcome = replace(outcome, status=ended.status)
    row, bad, counter = replace(_first_row(outcome, collector), after=run.after), collector.problems(name), collector.counter
    report = Report(run.built, run.plan, run.reduced, Counts(), outcome.status, counter.all, (row,), None, tuple(bad), collector.rows())
    if not outcome.complete:
        return _Listed(outcome, collector, None, report)
    return _Listed(outcome, collector, everything, replace(report, counts=counter.counts(), burnside=counter.burnside()))


def _list_checked(run: _Run, listed: _Listed, known: Tallied | Row | None = None) -> Report:
    """Check a list by the other solvers. ``known`` is the result of the tally that ran in turns with it, or its refusal."""
    report, outcome, collector = listed.report, listed.outcome, listed.collector
    row, found = (known, []) if not isinstance(known, Tallied) else _beside(known, report)
    if row is not None:
        report = replace(report, rows=(*report.rows, row), disagreements=(*report.disagreements, *found))
    if not outcome.complete:
        return report
    nodes = outcome.work.get("nodes") if outcome.solver == AUTO_LISTER else None
    expected = Expected(report.counts, collector.counter.all, nodes)
    return _checked(run, report, expected, lambda other: _task(other, run, outcome, collector, listed.everything), listed.everything)


def _beside(known: Tallied, report: Report) -> tuple[Row, list[Disagreement]]:
    """Return the row of the tally that ran in turns with a list, and the disagreements if both are complete."""
    if not known.outcome.complete or not report.complete:
        return _unfinished(known.outcome), []
    return _against_tally(known.outcome.solver, known, report.counts)


def _unlisted(run: _Run, known: Tallied) -> Report:
    """Report a count without a list, and check it by the other solvers, on the whole problem or a sample of subproblems."""
    report = _counted(run, known)
    if not known.outcome.complete:
        return report
    total = known.outcome.found
    expected = Expected(known.counts, total, states=known.outcome.work.get("states"))
    return _checked(run, report, expected, lambda other: Task(other, as_told(other, run.problem), None, total, MANY_PARTS))


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
    for row, found in _checks(run, expected, task):
        row = replace(row, after=run.after)
        report = replace(report, rows=(*report.rows, row), disagreements=(*report.disagreements, *found))
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
    seconds = CERTIFICATE_SHARE * max(0.0, run.plan.checking_seconds - run.spent)
    return fixed_again(report, run.plan.limits if run.plan.full else run.plan.limits.within(seconds), run.progress)


def _checks(run: _Run, expected: Expected, task: Callable[[str], Task]) -> Iterator[tuple[Row, list[Disagreement]]]:
    """Check the count by each of the other solvers in turn. The remaining time is shared by the remaining solvers.

    ``task`` returns the work of a solver that lists. A solver that lists nothing only counts again what was listed.
    """
    plan, first = run.plan, run.plan.solvers[0]
    clock = Clock(plan.limits if plan.full else plan.limits.within(max(0.0, plan.checking_seconds - run.spent)))
    others = [other for other in plan.solvers[1:] if other == CERTIFICATE or lists(other) or lists(first)]
    recheck = solution_check(run.built)
    for position, other in enumerate(others):
        if other == CERTIFICATE:
            share = CERTIFICATE_SHARE if others[position + 1 :] else 1.0
            limits = plan.limits if plan.proved else clock.rest().within(clock.share(share))
            row, found = _check_by_certificate(run, expected, replace(limits, solutions=None))
            yield row, found
            if row.confirms and not found and (seconds := plan.sample_seconds(run.after)) is not None:
                clock = Clock(plan.limits.within(seconds))
        elif not lists(other):
            yield _check_by_tally(run, other, expected.counts, clock.rest())
        else:
            rest = sum(map(lists, others[position:]))
            yield check(task(other), plan, (clock.left or 0.0) / rest, recheck, run.progress.of(other))
    if plan.transformed:
        yield _transformed(run, expected.total)


def _check_by_certificate(run: _Run, expected: Expected, limits: Limits) -> tuple[Row, list[Disagreement]]:
    """Check the count by a certificate of the whole search."""
    from puzzlesat.counting.comparison import check_by_certificate

    return check_by_certificate(run.built, expected, limits, run.progress.of(CERTIFICATE), proved=run.plan.proved)


def _check_by_tally(run: _Run, name: str, counts: Counts, limits: Limits) -> tuple[Row, list[Disagreement]]:
    """Check a list by a solver that lists nothing."""
    try:
        return _against_tally(name, _tallied(run, name, limits), counts)
    except NotSupportedError as error:
        return _refused(name, error), []


def _against_tally(name: str, known: Tallied, counts: Counts) -> tuple[Row, list[Disagreement]]:
    """Compare the counts of a solver that lists nothing with the counts of a list: all, and the solutions that each symmetry fixes."""
    outcome, fixed = known.outcome, known.counts.fixed
    how = "counted without listing" if fixed is None else "counted without listing, for each symmetry"
    figures = ("all",) if fixed is None or counts.fixed is None else ("all", "fixed", "distinct")
    row = Row(
        name, known.counts.all, outcome.status, how, outcome.seconds, outcome.work, independent=True, figures=figures, after=known.after
    )
    bad = []
    if outcome.complete and known.counts.all != counts.all:
        bad.append(Disagreement(name, f"it counts {known.counts.all} solutions, the first solver {counts.all}"))
    elif fixed is not None and counts.fixed is not None and fixed != counts.fixed:
        different = {g: (n, counts.fixed[g]) for g, n in fixed.items() if n != counts.fixed[g]}
        bad.append(Disagreement(name, f"symmetries leave other numbers of solutions unchanged (it, the first solver): {different}"))
    else:
        pairs = [(what, getattr(known.counts, what), getattr(counts, what)) for what in ("distinct", "labelled", "labelled_turns")]
        both = [pair for pair in pairs if outcome.complete and None not in pair]
        bad += [
            Disagreement(name, f"{what} is {own} by its count, {other} by the first solver's") for what, own, other in both if own != other
        ]
    return row, bad


def _tallied(run: _Run, name: str, limits: Limits) -> Tallied:
    """Count without a list, the whole problem and for each symmetry. Raises NotSupportedError if the solver refuses."""
    return tallied(name, run.built, as_told(name, run.problem), limits, run.progress.of(name))


def _unfinished(outcome: Outcome) -> Row:
    return Row(outcome.solver, None, outcome.status, "not finished", outcome.seconds, outcome.work)


def _left_off(listed: Report) -> Row:
    """Return the row of a list that was given up because it took too long."""
    row = listed.rows[0]
    return replace(row, how=f"listing all of them was given up; {row.how}")


def _refused(name: str, error: NotSupportedError, seconds: float = 0.0) -> Row:
    return Row(name, None, REFUSED, "", seconds, {}, refusal=str(error))


class _Collector:
    """Re-check and count the first solver's solutions, and store them up to a limit."""

    def __init__(self, built: BuiltInstance, reduced: CoverProblem, clock: Clock, go_on: Callable[[], None]) -> None:
        self.go_on = go_on
        self.counter = SolutionCounter(built, reduced)
        self.recheck = solution_check(built, lambda: self.go_on())
        images = max(MIN_AT_ONCE, IMAGES_AT_ONCE // max(1, len(self.counter.images)))
        self.together = max(1, min(images, MAX_TOGETHER // max(1, len(built.puzzle.form.atoms), len(built.puzzle.tiles))))
        self.clock = clock
        self.wrong: str | None = None
        self.wrong_image: str | None = None
        self.blocks: list[Rows] | None = []
        self.cells = 0

    def __call__(self, rows: Rows) -> None:
        """Process a block of solutions in batches, with a check of the limits between them. Every counted solution was re-checked."""
        for some in self._parts(rows):
            some = self.counter.in_whole(some)
            self.wrong = self.wrong or self.recheck(some)
            self.counter.add(some)
            self.cells += some.size * (len(self.counter.images) if self.counter.broken else 1)
            if self.cells > MAX_STORED:
                self.blocks = None
            if self.blocks is not None:
                self.blocks.append(some)
            self.go_on()

    def _parts(self, rows: Rows) -> Iterator[Rows]:
        """Yield the rows in batches. Raises EndedError if a limit is reached before the last batch."""
        for first in range(0, len(rows), self.together):
            if first and (status := self.clock.verdict(-1)) is not None:
                raise EndedError(status)
            yield rows[first : first + self.together]

    def problems(self, name: str) -> list[Disagreement]:
        """Return the disagreements between solutions and geometry."""
        said = (("a solution fails", self.wrong), ("the image of a solution under a symmetry fails", self.wrong_image))
        return [Disagreement(name, f"{what} the check against the geometry: {wrong}") for what, wrong in said if wrong is not None]

    def rows(self) -> Rows | None:
        """Return the solutions found, in the option numbers of the whole problem; None if they were too many to keep."""
        if self.blocks is None:
            return None
        return joined_rows(self.blocks)

    def everything(self) -> Rows | None:
        """Return all solutions of the whole problem: the solutions found and their images under the symmetries, which are re-checked too.

        Raises EndedError if a limit is reached.
        """
        rows = self.rows()
        if rows is not None and self.counter.broken and len(rows):
            rows = np.unique(np.concatenate([sorted_rows(image[rows]) for image in self.counter.images]), axis=0)
            for some in self._parts(rows):
                self.wrong_image = self.wrong_image or self.recheck(some)
        return rows


def _first_row(outcome: Outcome, collector: _Collector) -> Row:
    total, found = collector.counter.all, outcome.found if outcome.complete else collector.counter.found
    stand = "it represents" if found == 1 else "they represent"
    how = f"{found:,} found (symmetry broken); {stand} {total:,}" if 0 < found < total else f"{found:,} found"
    return Row(outcome.solver, total if outcome.complete else None, outcome.status, how, outcome.seconds, outcome.work)


def _task(name: str, run: _Run, outcome: Outcome, collector: _Collector, everything: Rows | None) -> Task:
    """Return the work of a checking solver: the problem with its symmetry broken, or the whole problem, as the table of solvers says.

    The problem keeps its dead placements in any case, so that the solver also checks their removal.
    """
    problem, counter = run.problem, collector.counter
    nodes = outcome.work.get("nodes", 0)
    if not SOLVERS[family(name)].broken:
        symmetries = len(counter.images) if counter.broken else 1
        return Task(name, as_told(name, problem), everything, counter.all, nodes * symmetries // NODES_A_PART)
    broken = reduce(as_told(name, problem), symmetry=run.plan.symmetry, dead=False, break_on=run.reduced.broken_on).problem
    rows = collector.rows()
    if rows is not None and broken.origin is not None:
        number = np.full(problem.size + 1, -1, dtype=np.int32)
        number[broken.origin] = np.arange(broken.size)
        rows = sorted_rows(number[rows])
    return Task(name, broken, rows, counter.found, nodes // NODES_A_PART)


def _transformed(run: _Run, total: int) -> tuple[Row, list[Disagreement]]:
    """Count a rotated or reflected copy of the form by the first solver: the number must be the same."""
    copy, by = run.built.puzzle.transformed_copy()
    name = run.plan.solvers[0]
    try:
        reduced = reduce(
            build_instance(copy, progress=run.progress).problem, symmetry=False, dead=run.plan.reduction, progress=run.progress
        )
    except EndedError as ended:
        return Row(name, None, ended.status, f"a copy of the puzzle after: {by}", 0.0, {}), []
    outcome = solver(name)(reduced.problem)(None, run.plan.limits, progress=run.progress.of(name))
    all_ = outcome.found if outcome.complete else None
    row = Row(name, all_, outcome.status, f"a copy of the puzzle after: {by}", outcome.seconds, outcome.work)
    if all_ is None or all_ == total:
        return row, []
    return row, [Disagreement(name, f"the copy after {by} has {many(all_, 'solution')}, the form itself {total}")]


def hold(puzzle: Instance | BuiltInstance, plan: Plan, progress: Progress = SILENT) -> Report:
    """Return a report that decides the figures that an instance expects, as far as the limits of the plan allow.

    An expected solution is checked on the geometry, and it refutes a published claim that there is none. If the instance expects nothing
    else, nothing is counted; otherwise ``count`` makes a count by the plan.
    """
    plan = replace(plan, limits=plan.limits.begun())
    told = plan.limits.heeding(progress)
    instance = puzzle.instance if isinstance(puzzle, BuiltInstance) else puzzle
    if instance.expect.solution is None:
        return count(puzzle, plan, progress)
    try:
        built = puzzle if isinstance(puzzle, BuiltInstance) else build_instance(puzzle, progress=told, memory=plan.limits.memory)
        untouched = reduce(built.problem, symmetry=False, dead=False, progress=told)
        report = Report(built, plan, untouched, Counts(), NOT_COUNTED, 0, (), None, ())
        judgement = Judgement(report)
        words = [*(one.word for one in judgement.verdicts), *(one.word for one in judgement.refutations)]
    except EndedError as ended:
        return Report.unbegun(plan, instance, ended)
    return report if Verdict.UNKNOWN not in words and not instance.expect.placements.are_stated else count(built, plan, progress)
