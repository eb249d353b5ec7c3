"""Count a puzzle with one solver and check it with others that share no search code with it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic

import numpy as np

from puzzlesat.counts import Counts, SolutionCounter
from puzzlesat.cover.build import Built, build
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.cover.reduce import Reduced, reduce
from puzzlesat.errors import NotSupportedError
from puzzlesat.partition import Prefix, partition
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.recheck import make_recheck
from puzzlesat.solvers.registry import family, solver
from puzzlesat.solvers.run import COMPLETE, LIMIT, Limits, Outcome, Rows, sorted_rows

DEFAULT_SOLVERS = ("backtrack", "sat", "cpsat")
DEFAULT_BUDGET = 60.0
LEAST_PARTS, MOST_PARTS = 100, 10_000
NODES_A_PART = 5_000
"""Nodes of the first solver that a subproblem should hold: a fraction of a second for the other solvers."""
MOST_IN_ONE_RUN = 3000
"""Solutions up to which a checking solver tries the whole problem in one run first."""
SHOWN = 10
MOST_STORED = 20_000_000
"""Cells of solution arrays kept in memory for comparison (80 MB); beyond it solutions are counted and dropped."""

Announce = Callable[[str, Mapping[str, int]], None]


@dataclass(frozen=True)
class Plan:
    """How to count and check."""

    solvers: Sequence[str] = DEFAULT_SOLVERS
    budget: float = DEFAULT_BUDGET
    """Seconds for all checking solvers of an instance together."""
    full: bool = False
    """Check everything, however long it takes."""
    symmetry: bool = True
    parity: bool = True
    reduction: bool = True
    transformed: bool = False
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Sample:
    """How much of the search space a checking solver went through."""

    checked: int
    of: int
    solutions: int
    """Solutions in the subproblems checked."""


@dataclass(frozen=True)
class Row:
    """What one solver did."""

    solver: str
    all: int | None
    """The number of all solutions; None where the solver did not go through everything."""
    status: str
    how: str
    seconds: float
    work: Mapping[str, int]
    sampled: Sample | None = None
    refusal: str | None = None
    independent: bool = False
    """Whether it shares no search code with the first solver."""

    @property
    def confirms(self) -> bool:
        """Whether an independent solver went through everything, or at least through a part, of what the first one counted."""
        return self.independent and (self.all is not None or (self.sampled is not None and self.sampled.checked > 0))


@dataclass(frozen=True)
class Disagreement:
    """Where two solvers, or a solver and the geometry, contradict each other."""

    solver: str
    what: str
    prefix: tuple[str, ...] = ()
    missing: tuple[tuple[str, ...], ...] = ()
    """Solutions that the first solver has and this one has not."""
    extra: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Report:
    """All that a count run found out about one instance."""

    built: Built
    reduced: Reduced
    counts: Counts
    status: str
    found: int
    """What the first solver counted (of ``all``) by the time it stopped."""
    rows: tuple[Row, ...]
    burnside: bool | None
    disagreements: tuple[Disagreement, ...]

    @property
    def complete(self) -> bool:
        """Whether ``counts`` are those of an exhaustive search."""
        return self.status == COMPLETE

    @property
    def agree(self) -> bool | None:
        """True if an independent solver confirmed at least a part and nothing contradicts; None if none said anything."""
        if self.disagreements or self.burnside is False:
            return False
        return True if self.complete and any(r.confirms for r in self.rows[1:]) else None


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
        if self.blocks is not None:
            self.blocks = [*self.blocks, rows] if self.cells <= MOST_STORED else None

    def everything(self) -> Rows | None:
        """All solutions of the whole problem, as rows of equal width, or None where they were too many to keep."""
        rows = self.rows()
        if rows is not None and self.counter.broken and len(rows):
            rows = np.unique(np.concatenate([sorted_rows(image[rows]) for image in self.counter.images]), axis=0)
        return rows

    def rows(self) -> Rows | None:
        """The solutions found, in the numbers of the whole problem."""
        if self.blocks is None:
            return None
        width = max((b.shape[1] for b in self.blocks), default=1)
        padded = [np.pad(b, ((0, 0), (0, width - b.shape[1])), constant_values=-1) for b in self.blocks]
        return np.concatenate(padded) if padded else np.empty((0, width), dtype=np.int32)


def count(puzzle: Puzzle, plan: Plan | None = None, announce: Announce | None = None) -> Report:
    """Count the solutions of a puzzle.

    The first solver of the plan goes through everything, on the problem reduced by symmetry and dead placements. Each other solver
    gets a problem that is less prepared (see ``_task``), and confirms as much of it as its share of the budget allows.
    """
    plan = plan or Plan()
    built = build(puzzle)
    problem = built.problem if plan.parity else built.problem.without_implied()
    reduced = reduce(problem, symmetry=plan.symmetry, dead=plan.reduction, break_on=puzzle.break_on)
    collector = _Collector(built, reduced.problem)
    rows: list[Row] = []
    bad: list[Disagreement] = []
    first = plan.solvers[0]
    try:
        outcome = solver(first)(reduced.problem)(collector, plan.limits, progress=_named(announce, first))
    except NotSupportedError as error:
        outcome = Outcome(first, 0, LIMIT, 0.0, {})
        rows.append(Row(first, None, "refused", "", 0.0, {}, refusal=str(error)))
    total = collector.counter.all
    if not rows:
        how = (
            f"{outcome.found} found, each stands for {total // outcome.found}"
            if 0 < outcome.found < total and total % outcome.found == 0
            else "one by one"
        )
        rows.append(Row(first, total if outcome.complete else None, outcome.status, how, outcome.seconds, outcome.work))
    if collector.wrong is not None:
        bad.append(Disagreement(first, f"a solution fails on the geometry: {collector.wrong}"))
    everything = collector.everything() if outcome.complete else None
    if everything is not None and (wrong := collector.recheck(everything)) is not None:
        bad.append(Disagreement(first, f"the image of a solution under a symmetry fails on the geometry: {wrong}"))
    checkers = plan.solvers[1:]
    for name in checkers:
        task = _task(name, built, problem, plan, outcome, collector, everything)
        row, found = _check(built, task, plan, plan.budget / len(checkers), announce)
        rows.append(row)
        bad += found
    if plan.transformed and outcome.complete:
        row, found = _transformed(puzzle, plan, total)
        rows.append(row)
        bad += found
    burnside = collector.counter.burnside() if outcome.complete else None
    counts = collector.counter.counts() if outcome.complete else Counts()
    return Report(built, reduced, counts, outcome.status, total, tuple(rows), burnside, tuple(bad))


@dataclass(frozen=True)
class _Task:
    """What a checking solver is to go through."""

    solver: str
    problem: CoverProblem
    expected: Rows | None
    """The first solver's solutions, in the option numbers of this problem; None where there are too many, or not all are known."""
    total: int | None
    """How many solutions of this problem the first solver counted."""
    parts: int
    """How many subproblems to part it into, should it not be done in one run."""


def _task(
    name: str, built: Built, problem: CoverProblem, plan: Plan, outcome: Outcome, collector: _Collector, everything: Rows | None
) -> _Task:
    """Give the SAT solvers the problem with its symmetry broken, all others the problem as it is; no one gets it reduced.

    So breaking the symmetry is checked by solvers that do not, and parity, which SAT does without, by those that use it.
    """
    nodes = outcome.work.get("nodes", 0)
    if not name.startswith("sat"):
        parts = nodes * (len(collector.counter.images) if collector.counter.broken else 1) // NODES_A_PART
        return _Task(name, problem, everything, collector.counter.all if outcome.complete else None, parts)
    plain = problem.without_implied()
    broken = reduce(plain, symmetry=plan.symmetry, dead=False, break_on=built.puzzle.break_on).problem
    rows = collector.rows() if outcome.complete else None
    if rows is not None and broken.origin is not None:
        number = np.full(problem.size + 1, -1, dtype=np.int32)
        number[broken.origin] = np.arange(broken.size)
        rows = sorted_rows(number[rows])
    return _Task(name, broken, rows, collector.counter.found if outcome.complete else None, nodes // NODES_A_PART)


def _check(built: Built, task: _Task, plan: Plan, budget: float, announce: Announce | None) -> tuple[Row, list[Disagreement]]:
    """Let a solver go through its task: in one run where that looks quick, else subproblem by subproblem in random order."""
    began = monotonic()
    deadline = None if plan.full else began + budget
    run = _Comparison(built, task, plan, announce)
    status = LIMIT
    if task.total is None or task.total <= MOST_IN_ONE_RUN:
        status = run.go((), None if plan.full else budget / 2)
    if status == LIMIT and not run.bad and run.refusal is None:
        parts = partition(task.problem, min(max(task.parts, LEAST_PARTS), MOST_PARTS))
        if parts != [()]:
            run.of = len(parts)
            random.Random(0).shuffle(parts)  # the same order at each run, so that a disagreement can be reproduced
        status = COMPLETE
        for prefix in parts if parts != [()] else ():
            left = None if deadline is None else deadline - monotonic()
            status = LIMIT if left is not None and left <= 0 else run.go(prefix, left)
            if status != COMPLETE or run.bad:
                break
        else:
            status = COMPLETE if run.of else LIMIT
    return run.row(status, monotonic() - began)


class _Comparison:
    """One checking solver at work: what it went through so far, and where it differed."""

    def __init__(self, built: Built, task: _Task, plan: Plan, announce: Announce | None) -> None:
        self.built = built
        self.task = task
        self.plan = plan
        self.ask = solver(task.solver)(task.problem)
        self.progress = _named(announce, task.solver)
        self.recheck = make_recheck(built.puzzle, built.placements)
        self.origin = np.arange(task.problem.size, dtype=np.int32) if task.problem.origin is None else task.problem.origin
        self.weights = task.problem.weight
        self.checked = self.of = self.found = self.all = 0
        self.work: dict[str, int] = {}
        self.bad: list[Disagreement] = []
        self.refusal: str | None = None

    def go(self, prefix: Prefix, seconds: float | None) -> str:
        """Search one subproblem and compare; return its status."""
        blocks: list[Rows] = []
        limits = Limits(seconds=seconds, stop=self.plan.limits.stop)
        try:
            outcome = self.ask(blocks.append, limits, given=prefix, progress=self.progress)
        except NotSupportedError as error:
            self.refusal = str(error)
            return LIMIT
        for key, value in outcome.work.items():
            self.work[key] = self.work.get(key, 0) + value
        found = [tuple(o for o in row if o >= 0) for block in blocks for row in block.tolist()]
        if difference := self._difference(prefix, found, outcome.complete, seconds):
            self.bad.append(difference)
        if outcome.complete:
            self.checked += 1
            self.found += len(found)
            self.all += len(found) if self.weights is None else sum(int(np.prod(self.weights[list(s)])) for s in found)
        return outcome.status

    def _difference(self, prefix: Prefix, found: list[tuple[int, ...]], complete: bool, seconds: float | None) -> Disagreement | None:
        """Hold the solutions of a subproblem against the geometry, against each other, and against the first solver's."""
        name, options = self.task.solver, self.task.problem.options
        where = tuple(options[o] for o in prefix)
        for solution in found:
            row = np.array([[self.origin[o] for o in solution] or [-1]], dtype=np.int32)
            if (wrong := self.recheck(row)) is not None:
                return Disagreement(name, f"a solution fails on the geometry: {wrong}", where)
        unique = set(found)
        if len(unique) < len(found):
            return Disagreement(name, "it found a solution twice", where)
        expected = self._expected(prefix, seconds)
        if expected is None:
            return None
        missing, extra = expected - unique if complete else set(), unique - expected
        if not missing and not extra:
            return None

        def named(solutions: set[tuple[int, ...]]) -> tuple[tuple[str, ...], ...]:
            return tuple(tuple(options[o] for o in s) for s in sorted(solutions)[:SHOWN])

        what = f"the sets of solutions differ: it misses {len(missing)} and has {len(extra)} that the first solver has not"
        return Disagreement(name, what, where, named(missing), named(extra))

    def _expected(self, prefix: Prefix, seconds: float | None) -> set[tuple[int, ...]] | None:
        """The first solver's solutions with this prefix; searched for again where there were too many to keep."""
        rows = self.task.expected
        if rows is None:
            if self.task.total is None:
                return None
            blocks: list[Rows] = []
            again = solver(self.plan.solvers[0])(self.task.problem)
            outcome = again(blocks.append, Limits(seconds=seconds, stop=self.plan.limits.stop), given=prefix)
            if not outcome.complete:
                return None
            return {tuple(o for o in row if o >= 0) for block in blocks for row in block.tolist()}
        for option in prefix:
            rows = rows[(rows == option).any(axis=1)]
        return {tuple(o for o in row if o >= 0) for row in rows.tolist()}

    def row(self, status: str, seconds: float) -> tuple[Row, list[Disagreement]]:
        """Sum up."""
        task = self.task
        if self.refusal is not None:
            return Row(task.solver, None, "refused", "", seconds, {}, refusal=self.refusal), []
        independent = family(task.solver) != family(self.plan.solvers[0])
        broken = " (symmetry broken)" if self.weights is not None else ""
        if status == COMPLETE:
            how = (f"in {self.of} subproblems" if self.of else "in one run") + broken
            if task.total is not None and self.found != task.total and not self.bad:
                self.bad.append(Disagreement(task.solver, f"it counts {self.found}, the first solver {task.total}"))
            return Row(task.solver, self.all, COMPLETE, how, seconds, self.work, independent=independent), self.bad
        how = f"{self.checked} of {self.of} subproblems{broken}" if self.of else "not finished"
        sample = Sample(self.checked, self.of, self.all)
        return Row(task.solver, None, status, how, seconds, self.work, sample, independent=independent), self.bad


def _transformed(puzzle: Puzzle, plan: Plan, total: int) -> tuple[Row, list[Disagreement]]:
    """Count a turned or mirrored copy of the form with the first solver: the number must be the same."""
    from puzzlesat.puzzle.transformed import transformed_copy

    copy, by = transformed_copy(puzzle)
    problem = build(copy).problem
    counted = 0

    def take(rows: Rows) -> None:
        nonlocal counted
        counted += len(rows)

    reduced = reduce(problem, symmetry=False, dead=plan.reduction)
    outcome = solver(plan.solvers[0])(reduced.problem)(take, plan.limits)
    row = Row(
        plan.solvers[0],
        counted if outcome.complete else None,
        outcome.status,
        f"a copy of the puzzle after: {by}",
        outcome.seconds,
        outcome.work,
    )
    bad = [Disagreement(plan.solvers[0], f"the copy after {by} has {counted} solutions, the form itself {total}")]
    return row, bad if outcome.complete and counted != total else []


def _named(announce: Announce | None, name: str) -> Callable[[Mapping[str, int]], None] | None:
    return None if announce is None else (lambda work: announce(name, work))
