"""Count a puzzle with one solver and check it with others that share no search code with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from puzzlesat.comparison import REFUSED, Task, check
from puzzlesat.counts import Counts, SolutionCounter
from puzzlesat.cover.build import Built, build
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.cover.reduce import reduce
from puzzlesat.errors import NotSupportedError
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.puzzle.transformed import transformed_copy
from puzzlesat.recheck import make_recheck
from puzzlesat.report import Disagreement, Plan, Report, Row
from puzzlesat.solvers.registry import family, solver
from puzzlesat.solvers.run import LIMIT, OnProgress, Outcome, Rows, sorted_rows

NODES_A_PART = 5_000
"""Nodes of the first solver that a subproblem should hold: a fraction of a second for the other solvers."""
MOST_STORED = 20_000_000
"""Cells of solution arrays kept in memory for comparison (80 MB); beyond it solutions are counted and dropped."""

Announce = Callable[[str, Mapping[str, int]], None]


def count(puzzle: Puzzle, plan: Plan | None = None, announce: Announce | None = None) -> Report:
    """Count the solutions of a puzzle.

    The first solver of the plan (or the next one, where it refuses) goes through everything, on the problem reduced by symmetry and
    dead placements. Each other solver gets a problem that is less prepared (see ``_task``), and confirms as much of it as its
    share of the budget allows.
    """
    plan = plan or Plan()
    built = build(puzzle)
    problem = built.problem if plan.parity else built.problem.without_implied()
    reduced = reduce(problem, symmetry=plan.symmetry, dead=plan.reduction, break_on=puzzle.break_on)
    rows: list[Row] = []
    for position, name in enumerate(plan.solvers):
        collector = _Collector(built, reduced.problem)
        try:
            outcome = solver(name)(reduced.problem)(collector, plan.limits, progress=_named(announce, name))
        except NotSupportedError as error:
            rows.append(Row(name, None, REFUSED, "", 0.0, {}, refusal=str(error)))
            continue
        rows.append(_first_row(outcome, collector))
        plan = replace(plan, solvers=plan.solvers[position:])
        break
    else:
        return Report(plan, built, reduced, Counts(), LIMIT, 0, tuple(rows), None, ())
    bad = collector.problems(plan.solvers[0])
    if not outcome.complete:
        return Report(plan, built, reduced, Counts(), outcome.status, collector.counter.all, tuple(rows), None, tuple(bad))
    everything = collector.everything()
    if everything is not None and (wrong := collector.recheck(everything)) is not None:
        bad.append(Disagreement(plan.solvers[0], f"the image of a solution under a symmetry fails on the geometry: {wrong}"))
    for name in plan.solvers[1:]:
        task = _task(name, built, problem, plan, outcome, collector, everything)
        budget = plan.budget / len(plan.solvers[1:])
        row, found = check(task, plan, budget, make_recheck(built.puzzle, built.placements), _named(announce, name))
        rows.append(row)
        bad += found
    if plan.transformed:
        row, found = _transformed(puzzle, plan, collector.counter.all)
        rows.append(row)
        bad += found
    counter = collector.counter
    return Report(plan, built, reduced, counter.counts(), outcome.status, counter.all, tuple(rows), counter.burnside(), tuple(bad))


class _Collector:
    """Takes the first solver's solutions: re-checks, counts and, while there is room, keeps them."""

    def __init__(self, built: Built, reduced: CoverProblem) -> None:
        self.counter = SolutionCounter(built, reduced)
        self.recheck = make_recheck(built.puzzle, built.placements)
        self.wrong: str | None = None
        self.blocks: list[Rows] | None = []
        self.cells = 0

    def __call__(self, rows: Rows) -> None:
        rows = self.counter.add(rows)
        self.wrong = self.wrong or self.recheck(rows)
        self.cells += rows.size * (len(self.counter.images) if self.counter.broken else 1)
        if self.cells > MOST_STORED:
            self.blocks = None
        if self.blocks is not None:
            self.blocks.append(rows)

    def problems(self, name: str) -> list[Disagreement]:
        """What the geometry has against the solutions."""
        return [] if self.wrong is None else [Disagreement(name, f"a solution fails on the geometry: {self.wrong}")]

    def rows(self) -> Rows | None:
        """The solutions found, in the numbers of the whole problem and of equal width, or None where they were too many to keep."""
        if self.blocks is None:
            return None
        width = max((b.shape[1] for b in self.blocks), default=1)
        padded = [np.pad(b, ((0, 0), (0, width - b.shape[1])), constant_values=-1) for b in self.blocks]
        return np.concatenate(padded) if padded else np.empty((0, width), dtype=np.int32)

    def everything(self) -> Rows | None:
        """All solutions of the whole problem: those found and their images under the symmetries."""
        rows = self.rows()
        if rows is not None and self.counter.broken and len(rows):
            rows = np.unique(np.concatenate([sorted_rows(image[rows]) for image in self.counter.images]), axis=0)
        return rows


def _first_row(outcome: Outcome, collector: _Collector) -> Row:
    total, found = collector.counter.all, outcome.found
    how = f"{found:,} found, each stands for {total // found}" if 0 < found < total and total % found == 0 else f"{found:,} found"
    return Row(outcome.solver, total if outcome.complete else None, outcome.status, how, outcome.seconds, outcome.work)


def _task(
    name: str, built: Built, problem: CoverProblem, plan: Plan, outcome: Outcome, collector: _Collector, everything: Rows | None
) -> Task:
    """Give SAT the problem with its symmetry broken, the other solvers the problem as it is; no one gets it reduced.

    So breaking the symmetry is checked by solvers that do without, and parity, which SAT does without, by those that use it.
    """
    counter = collector.counter
    nodes = outcome.work.get("nodes", 0)
    if family(name) != "sat":
        symmetries = len(counter.images) if counter.broken else 1
        return Task(name, problem, everything, counter.all, nodes * symmetries // NODES_A_PART)
    broken = reduce(problem.without_implied(), symmetry=plan.symmetry, dead=False, break_on=built.puzzle.break_on).problem
    rows = collector.rows()
    if rows is not None and broken.origin is not None:
        number = np.full(problem.size + 1, -1, dtype=np.int32)
        number[broken.origin] = np.arange(broken.size)
        rows = sorted_rows(number[rows])
    return Task(name, broken, rows, counter.found, nodes // NODES_A_PART)


def _transformed(puzzle: Puzzle, plan: Plan, total: int) -> tuple[Row, list[Disagreement]]:
    """Count a turned or mirrored copy of the form with the first solver: the number must be the same."""
    copy, by = transformed_copy(puzzle)
    counted = 0

    def take(rows: Rows) -> None:
        nonlocal counted
        counted += len(rows)

    name = plan.solvers[0]
    reduced = reduce(build(copy).problem, symmetry=False, dead=plan.reduction)
    outcome = solver(name)(reduced.problem)(take, plan.limits)
    all_ = counted if outcome.complete else None
    row = Row(name, all_, outcome.status, f"a copy of the puzzle after: {by}", outcome.seconds, outcome.work)
    if all_ is None or all_ == total:
        return row, []
    return row, [Disagreement(name, f"the copy after {by} has {counted} solutions, the form itself {total}")]


def _named(announce: Announce | None, name: str) -> OnProgress | None:
    return None if announce is None else (lambda work: announce(name, work))
