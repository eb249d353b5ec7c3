"""Count a puzzle with one solver and check it with others that share no search code with it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from time import monotonic

import numpy as np

from puzzlesat.counts import Counts, SolutionCounter
from puzzlesat.cover.build import Built, build
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.cover.reduce import Reduced, reduce
from puzzlesat.errors import NotSupportedError, PuzzleError
from puzzlesat.partition import Prefix, partition
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.recheck import make_recheck
from puzzlesat.solvers.registry import solver
from puzzlesat.solvers.run import COMPLETE, LIMIT, Clock, Limits, Outcome, Rows

DEFAULT_SOLVERS = ("backtrack", "sat", "cpsat")
DEFAULT_BUDGET = 60.0
PARTS = 400
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
        """True if a second solver confirmed at least a part and none contradicted; None if no second solver said anything."""
        if self.disagreements or self.burnside is False:
            return False
        checked = [r for r in self.rows[1:] if r.all is not None or (r.sampled is not None and r.sampled.checked > 0)]
        return True if checked and self.complete else None


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
        if self.blocks is None:
            return None
        width = max((b.shape[1] for b in self.blocks), default=1)
        padded = [np.pad(b, ((0, 0), (0, width - b.shape[1])), constant_values=-1) for b in self.blocks]
        rows = np.concatenate(padded) if padded else np.empty((0, width), dtype=np.int32)
        if self.counter.broken and len(rows):
            rows = np.unique(np.concatenate([_sorted(image[rows]) for image in self.counter.images]), axis=0)
        return rows


def count(puzzle: Puzzle, plan: Plan | None = None, announce: Announce | None = None) -> Report:
    """Count the solutions of a puzzle.

    The first solver of the plan goes through everything, on the problem reduced by symmetry and dead placements. Each other solver
    gets the problem as it is, neither reduced nor broken, and confirms as much of it as its share of the budget allows.
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
        outcome = solver(first)(reduced.problem, collector, plan.limits, progress=_named(announce, first))
    except NotSupportedError as error:
        outcome = Outcome(first, 0, LIMIT, 0.0, {})
        rows.append(Row(first, None, "refused", "", 0.0, {}, refusal=str(error)))
    total = collector.counter.all
    if not rows:
        how = f"{outcome.found} found, each stands for {total // outcome.found}" if 0 < outcome.found < total and total % outcome.found == 0 else "one by one"
        rows.append(Row(first, total if outcome.complete else None, outcome.status, how, outcome.seconds, outcome.work))
    if collector.wrong is not None:
        bad.append(Disagreement(first, f"a solution fails on the geometry: {collector.wrong}"))
    everything = collector.everything() if outcome.complete else None
    checkers = plan.solvers[1:]
    for name in checkers:
        row, found = _check(built, name, plan, everything, total if outcome.complete else None, plan.budget / len(checkers), announce)
        rows.append(row)
        bad += found
    if plan.transformed and outcome.complete:
        row, found = _transformed(puzzle, plan, total)
        rows.append(row)
        bad += found
    burnside = collector.counter.burnside() if outcome.complete else None
    counts = collector.counter.counts() if outcome.complete else Counts()
    return Report(built, reduced, counts, outcome.status, total, tuple(rows), burnside, tuple(bad))


def _check(
    built: Built, name: str, plan: Plan, everything: Rows | None, total: int | None, budget: float, announce: Announce | None
) -> tuple[Row, list[Disagreement]]:
    """Let a solver go through the whole problem, in one run if that is quick, else subproblem by subproblem in random order."""
    problem = built.problem if plan.parity and name != "sat" else built.problem.without_implied()
    began = monotonic()
    deadline = None if plan.full else began + budget
    progress = _named(announce, name)
    solve = solver(name)
    recheck = make_recheck(built.puzzle, built.placements)
    work: dict[str, int] = {}
    bad: list[Disagreement] = []
    checked = solutions = 0
    status = COMPLETE
    parts: list[Prefix] = [()]
    whole_first = total is None or total <= 3000
    queue = [()] if whole_first else _shuffled(partition(problem, PARTS))
    while queue and not bad:
        parts = parts if checked or queue == [()] else queue
        prefix = queue[0]
        left = None if deadline is None else deadline - monotonic()
        if left is not None and left <= 0:
            status = LIMIT
            break
        share = left if prefix or left is None else left / 2
        found: list[tuple[int, ...]] = []
        limits = Limits(seconds=share if not plan.full else None, stop=plan.limits.stop)
        try:
            outcome = solve(problem, lambda rows: found.extend(map(tuple, rows.tolist())), limits, given=prefix, progress=progress)
        except NotSupportedError as error:
            return Row(name, None, "refused", "", monotonic() - began, {}, refusal=str(error)), []
        for key, value in outcome.work.items():
            work[key] = work.get(key, 0) + value
        expected = _expected(built, everything, prefix, plan.limits.stop, left)
        bad += _compare(built, name, prefix, found, expected, outcome.complete, recheck)
        if not outcome.complete:
            status = outcome.status
            if outcome.status == LIMIT and not prefix and not plan.full and (queue_of := _shuffled(partition(problem, PARTS))) != [()]:
                queue = parts = queue_of
                status = COMPLETE
                continue
            break
        checked += 1
        solutions += len(found)
        queue = queue[1:]
    whole = checked == len(parts) and not queue
    sample = None if whole else Sample(checked, len(parts), solutions)
    if whole:
        how = "one by one" if parts == [()] else f"{len(parts)} subproblems"
    else:
        how = f"{checked} of {len(parts)} subproblems" if parts != [()] else "not finished"
    seconds = monotonic() - began
    if whole and total is not None and solutions != total and not bad:
        bad.append(Disagreement(name, f"it counts {solutions}, the first solver {total}"))
    return Row(name, solutions if whole else None, COMPLETE if whole else status if status != COMPLETE else LIMIT, how, seconds, work, sample), bad


def _expected(built: Built, everything: Rows | None, prefix: Prefix, stop: Event, seconds: float | None) -> set[tuple[int, ...]] | None:
    """The first solver's solutions that contain a prefix; searched for again where they were too many to keep."""
    if everything is not None:
        rows = everything
        for option in prefix:
            rows = rows[(rows == option).any(axis=1)]
        return {tuple(o for o in row if o >= 0) for row in rows.tolist()}
    found: list[tuple[int, ...]] = []
    again = solver("backtrack")
    outcome = again(
        built.problem,
        lambda rows: found.extend(tuple(o for o in row if o >= 0) for row in rows.tolist()),
        Limits(seconds=seconds, stop=stop),
        given=prefix,
    )
    return set(found) if outcome.complete else None


def _compare(
    built: Built,
    name: str,
    prefix: Prefix,
    found: list[tuple[int, ...]],
    expected: set[tuple[int, ...]] | None,
    complete: bool,
    recheck: Callable[[Rows], str | None],
) -> list[Disagreement]:
    """Hold a solver's solutions of a subproblem against the expected ones and against the geometry."""
    where = tuple(built.problem.options[o] for o in prefix)

    def named(solutions: set[tuple[int, ...]]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(built.problem.options[o] for o in s) for s in sorted(solutions)[:10])

    unique = set(found)
    if len(unique) < len(found):
        return [Disagreement(name, "it found a solution twice", where)]
    for solution in found:
        if (wrong := recheck(np.array([solution or (-1,)], dtype=np.int32))) is not None:
            return [Disagreement(name, f"a solution fails on the geometry: {wrong}", where)]
    if expected is None:
        return []
    missing, extra = (expected - unique if complete else set()), unique - expected
    if missing or extra:
        what = f"the sets of solutions differ: it misses {len(missing)} and has {len(extra)} that the first solver has not"
        return [Disagreement(name, what, where, named(missing), named(extra))]
    return []


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
    outcome = solver(plan.solvers[0])(reduced.problem, take, replace(plan.limits))
    row = Row(plan.solvers[0], counted if outcome.complete else None, outcome.status, f"a copy of the puzzle after: {by}", outcome.seconds, outcome.work)
    bad = [Disagreement(plan.solvers[0], f"the copy after {by} has {counted} solutions, the form itself {total}")]
    return row, bad if outcome.complete and counted != total else []


def _shuffled(parts: list[Prefix]) -> list[Prefix]:
    """Subproblems in random order; the same at each run, so that a disagreement can be reproduced."""
    random.Random(0).shuffle(parts)
    return parts


def _named(announce: Announce | None, name: str) -> Callable[[Mapping[str, int]], None] | None:
    return None if announce is None else (lambda work: announce(name, work))


def _sorted(rows: Rows) -> Rows:
    from puzzlesat.solvers.run import sorted_rows

    return sorted_rows(rows)
