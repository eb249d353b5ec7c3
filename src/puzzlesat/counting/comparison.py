"""One solver checks what another one counted: solution by solution, on the whole problem or on a sample of subproblems."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from puzzlesat.arrays import Rows
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.report import DIFFERS, REFUSED, Disagreement, Row, RowStatus, Sample
from puzzlesat.cover.partition import Prefix, partition
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.errors import NotSupportedError, many
from puzzlesat.progress import Progress
from puzzlesat.rows import padded_rows
from puzzlesat.solvers.registry import entry, family, lists, solver
from puzzlesat.solvers.run import COMPLETE, LIMIT, STOPPED, Clock, EndedError, Limits, heeding
from puzzlesat.solvers.strategy import Plan

LEAST_PARTS, MOST_PARTS = 100, 10_000
MOST_KEPT, MOST_SAMPLED = 3_000_000, 250_000
"""Solutions of one subproblem that are kept to be compared, where everything is to be gone through and in a sample; where it has more, it
is not finished. To compare takes ten times as long as to find them, and hears of no limit."""
MOST_OF_UNFINISHED = 10_000
"""Solutions of a subproblem that are compared where it was not finished: time or memory is up then."""
SHOWN = 10

Solutions = set[tuple[int, ...]]


@dataclass(frozen=True)
class Expected:
    """What a certificate is to confirm, and what is known of how long it takes."""

    counts: Counts
    total: int
    """Solutions, each counted once."""
    nodes: int | None = None
    """Of the search that has listed them, if one has."""
    states: int | None = None
    """Of the tally that has counted them, if one has."""


@dataclass(frozen=True)
class Task:
    """What a checking solver is to go through."""

    solver: str
    problem: CoverProblem
    expected: Rows | None
    """The first solver's solutions, in the option numbers of this problem; None where they were too many to keep."""
    total: int
    """How many solutions of this problem the first solver counted."""
    parts: int
    """How many subproblems to part it into, should it not be done in one run."""


def check(
    task: Task, plan: Plan, budget: float, recheck: Callable[[Rows], str | None], progress: Progress
) -> tuple[Row, list[Disagreement]]:
    """Let a solver go through its task: in one run where that looks quick, else subproblem by subproblem in random order.

    ``recheck`` gets solutions in the option numbers of the whole problem and says what is wrong with the geometry of one.
    """
    if plan.limits.stop.is_set():
        return Row(task.solver, None, STOPPED, "not begun", 0.0, {}), []
    solver(task.solver)  # its libraries are loaded before its time begins
    limits = replace(plan.limits, solutions=None)
    clock = Clock(limits if plan.full else limits.within(budget))
    run = Comparison(task, plan, recheck, progress)
    status: RowStatus = LIMIT
    try:
        parts = partition(task.problem, min(max(task.parts, LEAST_PARTS), MOST_PARTS), heeding(progress, clock.rest()))
    except EndedError as ended:
        return run.row(ended.status, clock.seconds), run.bad
    if parts == [()]:
        status = run.go((), clock.rest())
    elif task.total <= entry(task.solver).in_one_run:
        status = run.go((), clock.rest() if plan.full else clock.rest().within(budget / 2))
    if status == LIMIT and not run.bad and parts != [()]:
        status = run.go_through(parts, clock)
    if status == COMPLETE and not run.bad and run.found != task.total:
        run.bad.append(Disagreement(task.solver, f"it counts {many(run.found, 'solution')}, the first solver {task.total}"))
    return run.row(status, clock.seconds), run.bad


class Comparison:
    """A checking solver at work: what it went through so far, and where it differed."""

    def __init__(self, task: Task, plan: Plan, recheck: Callable[[Rows], str | None], progress: Progress) -> None:
        self.task = task
        self.plan = plan
        self.recheck = recheck
        self.progress = progress
        self.origin = np.arange(task.problem.size, dtype=np.int32) if task.problem.origin is None else task.problem.origin
        self.checked = self.of = self.found = self.all = 0
        self.work: dict[str, int] = {}
        self.bad: list[Disagreement] = []
        self.refusal: str | None = None
        try:
            self.ask = solver(task.solver)(task.problem)
            self.again = solver(plan.solvers[0])(task.problem)
        except NotSupportedError as error:
            self.refusal = str(error)

    def go_through(self, parts: list[Prefix], clock: Clock) -> RowStatus:
        """Check one subproblem after the other until all are done, time is up, or one differs."""
        self.of = len(parts)
        random.Random(0).shuffle(parts)  # the same order at each run, so that a disagreement can be reproduced
        for prefix in parts:
            status = clock.verdict(-1) or self.go(prefix, clock.rest())
            if status != COMPLETE or self.bad:
                return status
        return COMPLETE

    def go(self, prefix: Prefix, limits: Limits) -> RowStatus:
        """Search one subproblem and compare; return ``complete`` only if all of it was compared."""
        blocks: list[Rows] = []
        try:
            if self.refusal is not None:
                return REFUSED
            outcome = self.ask(
                blocks.append,
                replace(limits, solutions=MOST_KEPT if self.plan.full else MOST_SAMPLED),
                given=prefix,
                progress=self.progress,
            )
        except NotSupportedError as error:
            self.refusal = str(error)
            return REFUSED
        for key, value in outcome.work.items():
            self.work[key] = self.work.get(key, 0) + value
        rows = (row for block in blocks for row in block.tolist())
        found = [tuple(o for o in row if o >= 0) for row in (rows if outcome.complete else islice(rows, MOST_OF_UNFINISHED))]
        counted = self._counted(prefix, limits) if outcome.complete else None
        expected = self._expected(prefix, limits) if counted is None else None
        self._compare(prefix, found, expected, complete=outcome.complete)
        if outcome.complete and counted is not None and counted != len(found):
            self._differ(prefix, f"it counts {many(len(found), 'solution')}, the first solver {counted}")
        if not outcome.complete or (expected is None and counted is None):
            return outcome.status if not outcome.complete else LIMIT
        self.checked += 1
        self.found += len(found)
        weights = self.task.problem.weight
        self.all += len(found) if weights is None else sum(int(np.prod(weights[list(s)])) for s in found)
        return COMPLETE

    def row(self, status: RowStatus, seconds: float) -> Row:
        """Sum up."""
        name = self.task.solver
        if self.refusal is not None:
            return Row(name, None, REFUSED, "", seconds, {}, refusal=self.refusal)
        independent = family(name) != family(self.plan.solvers[0])
        broken = " (symmetry broken)" if self.task.problem.weight is not None else ""
        if status == COMPLETE and not self.bad:
            how = (f"in {many(self.of, 'subproblem')}" if self.of else "in one run") + broken
            return Row(name, self.all, COMPLETE, how, seconds, self.work, independent=independent)
        if self.bad:
            status = DIFFERS
        how = f"{self.checked} of {many(self.of, 'subproblem')}{broken}" if self.of else "not finished"
        return Row(name, None, status, how, seconds, self.work, Sample(self.checked, self.of, self.all), independent=independent)

    def _counted(self, prefix: Prefix, limits: Limits) -> int | None:
        """How many solutions with this prefix the first solver counts, where it is one that lists none."""
        if lists(self.plan.solvers[0]):
            return None
        if not prefix:
            return self.task.total
        try:
            outcome = self.again(None, limits, given=prefix, progress=self.progress)
        except NotSupportedError:
            return None
        return outcome.found if outcome.complete else None

    def _differ(self, prefix: Prefix, what: str) -> None:
        options = self.task.problem.options
        self.bad.append(Disagreement(self.task.solver, what, tuple(options[o] for o in prefix)))

    def _expected(self, prefix: Prefix, limits: Limits) -> Solutions | None:
        """The first solver's solutions with this prefix; searched for again where there were too many to keep."""
        rows = self.task.expected
        if rows is None and not lists(self.plan.solvers[0]):
            return None
        if rows is None:
            blocks: list[Rows] = []
            try:
                outcome = self.again(blocks.append, limits, given=prefix, progress=self.progress)
            except NotSupportedError:
                return None
            if not outcome.complete:
                return None
            return {tuple(o for o in row if o >= 0) for block in blocks for row in block.tolist()}
        for option in prefix:
            rows = rows[(rows == option).any(axis=1)]
        return {tuple(o for o in row if o >= 0) for row in rows.tolist()}

    def _compare(self, prefix: Prefix, found: list[tuple[int, ...]], expected: Solutions | None, *, complete: bool) -> None:
        """Hold the solutions of a subproblem against the geometry, against each other, and against the first solver's."""
        name, options = self.task.solver, self.task.problem.options
        where = tuple(options[o] for o in prefix)

        def named(solutions: Solutions) -> tuple[tuple[str, ...], ...]:
            return tuple(tuple(options[o] for o in s) for s in sorted(solutions)[:SHOWN])

        rows = np.append(self.origin, -1)[padded_rows(found)].astype(np.int32)
        for solution in found if len(found) and self.recheck(rows) is not None else ():
            row = np.array([[self.origin[o] for o in solution] or [-1]], dtype=np.int32)
            if (wrong := self.recheck(row)) is not None:
                self.bad.append(
                    Disagreement(name, f"a solution fails the check against the geometry: {wrong}", where, extra=named({solution}))
                )
                return
        unique = set(found)
        if len(unique) < len(found):
            self.bad.append(Disagreement(name, "it found a solution twice", where))
        if expected is None:
            return
        missing, extra = expected - unique if complete else set(), unique - expected
        if missing or extra:
            what = f"the sets of solutions differ: it misses {len(missing)} and has {len(extra)} that the first solver lacks"
            self.bad.append(Disagreement(name, what, where, named(missing), named(extra)))
