"""The best solutions of a puzzle: those with the most or the fewest pieces, or with the highest or lowest sum of weights.

The value is found by CP-SAT, or else by the backtracker in steps. Its bound is confirmed by an engine of another kind: by weights of the
atoms that a person can check, by the tally, or by the backtracker, which count the solutions beyond it. The best solutions are those of the
puzzle with one more condition, and are counted like those of any puzzle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from puzzlesat import solvers
from puzzlesat.base import (
    SILENT,
    Clock,
    ContradictionError,
    Displayed,
    EndedError,
    Ending,
    Limits,
    Longs,
    NotSupportedError,
    Progress,
    PuzzleError,
    Rows,
    Sentence,
    Status,
    padded_rows,
)
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.evidence import NOT_COUNTED
from puzzlesat.counting.plan import Plan
from puzzlesat.counting.report import Report
from puzzlesat.counting.verdict import Judgement, Verdict
from puzzlesat.proofs import make_case, solution_check, unreachable
from puzzlesat.puzzles import BuiltInstance, Condition, Instance, OfPuzzle, Solutions, build_instance, reduce, with_rules

NAME = "value of the best"
"""The name of the condition on the sum; no other condition may have it."""
MAX_SUM = 10**9
"""Bound of the sums that a condition can state, and of the sums of all solutions."""
PIECES, AREA, HOLES = "pieces", "area", "holes"
CPSAT, WEIGHTS = "cpsat", "weights"
CONFIRMING_SHARE = 0.5
"""Largest share of the time left for each engine that confirms the bound."""


@dataclass(frozen=True)
class Goal:
    """What a best solution has most or fewest of."""

    most: bool
    what: str
    """``pieces``, ``area`` (the covered atoms of the main kind), ``holes`` (those left uncovered), or ``sum``."""
    table: Mapping[str, Any]
    """The weights, as a table [[conditions]] states them."""
    of: int | None = None
    """The value of a solution is this number minus the sum of weights; None: it is the sum."""

    @classmethod
    def of_question(cls, instance: Instance, *, most: str | None = None, fewest: str | None = None) -> Goal:
        """Return the goal of these words, or else of the file. Raises PuzzleError if there is none, or if it is wrong."""
        stated: Any = most or fewest
        if most and fewest:
            raise PuzzleError("use most or fewest, not both")
        if any(rule.name == NAME for rule in instance.puzzle.rules):
            raise PuzzleError(f"{instance.name}: conditions.{NAME}: this name is taken by the question for the best; rename the condition")
        highest = most is not None
        if stated is None:
            table = None if instance.written is None else instance.written.puzzle.get("best")
            if not table:
                cure = 'use --most pieces or --fewest holes, or write best = { most = "pieces" }'
                raise PuzzleError(f"{instance.name}: nothing is asked for; {cure}")
            ((way, stated),) = table.items()
            highest = way == "most"
        return cls(highest, *_weights(instance, stated))

    @property
    def upwards(self) -> int:
        """1 if a solution is better the higher its sum is, else -1."""
        return 1 if self.most == (self.of is None) else -1

    def value(self, total: int) -> int:
        """Return the value of a sum, or the sum of a value."""
        return total if self.of is None else self.of - total

    def within(self, instance: Instance, low: float, high: float) -> Instance:
        """Return the puzzle whose solutions have a value from ``low`` to ``high``."""
        ends = (low, high) if self.of is None else (self.of - high, self.of - low)
        bounds = [int(max(-MAX_SUM, min(end, MAX_SUM))) for end in ends]
        return with_rules(instance, {}, condition={"name": NAME, **self.table, "between": bounds})

    def beyond(self, value: int) -> tuple[float, float]:
        """Return the range of the values that are better than a value."""
        return (value + 1, inf) if self.most else (-inf, value - 1)

    def in_words(self, low: int | None, high: int | None) -> Sentence:
        """Return the best value in a sentence, from the value found and its bound."""
        if low is None or high is None or low != high:
            known = {"low": "?" if low is None else f"{low:,}", "high": "?" if high is None else f"{high:,}"}
            between = {
                PIECES: "The best is between {low} and {high} pieces",
                AREA: "The best is between {low} and {high} covered",
                HOLES: "The best is between {low} and {high} holes",
            }
            return Sentence(between.get(self.what, "The best sum is between {low} and {high}"), **known)
        most = {PIECES: "At most {n} {n|piece fits|pieces fit}", AREA: "At most {n} can be covered", HOLES: "At most {n} {n|hole|holes}"}
        fewest = {
            PIECES: "At least {n} {n|piece is|pieces are} needed",
            AREA: "At least {n} must be covered",
            HOLES: "At least {n} {n|hole is|holes are} left",
        }
        words = (most if self.most else fewest).get(self.what, "The highest sum is {n}" if self.most else "The lowest sum is {n}")
        return Sentence(words, n=f"{low:,}")


def _weights(instance: Instance, stated: Any) -> tuple[str, Mapping[str, Any], int | None]:
    """Return what is counted, the weights of the sum, and the number that the sum is subtracted from."""
    puzzle = instance.puzzle
    if stated == PIECES:
        return PIECES, {"tiles": {name: 1 for tile in puzzle.tiles for name in tile.members}}, None
    if stated in (AREA, HOLES):
        squares = sum(puzzle.grid.atoms[atom[-1]].kind == puzzle.grid.main_kind for atom in puzzle.form.atoms)
        covered = {"along": [0] * puzzle.grid.dimension, "values": [1]}
        return stated, covered, squares if stated == HOLES else None
    if isinstance(stated, str):
        raise PuzzleError(f"best: expected 'pieces', 'area' or 'holes', got {stated!r}")
    used = {name for tile in puzzle.tiles for name in tile.members}
    return "sum", {key: {n: w for n, w in own.items() if n in used} if key == "tiles" else own for key, own in stated.items()}, None


@dataclass(frozen=True, eq=False, repr=False)
class Best(OfPuzzle, Ending, Displayed):
    """The best solutions of a puzzle: their value, how many there are, and what proves that there is no better one."""

    goal: Goal
    bound: int | None = None
    """No solution has a better value; None if no bound is known."""
    row: tuple[int, ...] | None = None
    """The numbers of the placements of the best solution that was found; None if none was found."""
    proved_by: tuple[str, ...] = ()
    """What proves the bound: ``cpsat``, ``weights``, ``tally``, ``backtrack``."""
    argument: tuple[str, ...] = ()
    """An argument for the bound that a person can check, in sentences; empty if there is none."""
    weights: tuple[int, ...] = ()
    """The weights of the argument, one for each atom of the form."""
    unchecked: str | None = None
    """Why the solution was not held against the geometry; None if it was."""
    report: Report | None = None
    """The count of the best solutions; None if it was not begun. Without any solution, it is the count of the puzzle."""

    @property
    def value(self) -> int | None:
        """The value of the best solution that was found; None if there is none."""
        return None if self.row is None else self.goal.value(int(weights_of(self.built)[list(self.row)].sum()))

    @property
    def solvable(self) -> bool | None:
        """True if there is a solution, False if there is none; None if it is not known."""
        return True if self.row is not None else False if self.complete else None

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        if self.solvable is False:
            return Sentence("The puzzle has no solution.")
        low, high = (self.value, self.bound) if self.goal.most else (self.bound, self.value)
        found = self.goal.in_words(low, high)
        if self.report is None or self.report.counts.all is None:
            return Sentence("{found}.", found=found) if self.why is None else Sentence("{found}: {why}.", found=found, why=self.why)
        counts = self.report.counts
        if counts.distinct is None:
            return Sentence("{found}, in {n} {n|way|ways}.", found=found, n=f"{counts.all:,}")
        return Sentence("{found}, in {n} {n|way|ways} up to symmetry.", found=found, n=f"{counts.distinct:,}")

    @property
    def proof(self) -> str:
        """What proves the bound, in a sentence; empty if nothing does."""
        names = [WITNESSES[name] for name in self.proved_by]
        if not names:
            return ""
        once = Sentence("Proved by {one}; nothing confirmed it.", one=names[0])
        return once if len(names) == 1 else Sentence("Proved by {one}, confirmed by {others}.", one=names[0], others=names[1:])

    @property
    def solutions(self) -> Solutions:
        """The best solution that was found; empty if there is none."""
        return Solutions(self.built if self.begun else None, () if self.row is None else [self.row])

    def __repr__(self) -> str:
        return f"<Best of {self.instance.name!r}: {self.sentence}>"

    def __str__(self) -> str:
        return "\n".join(filter(None, [self.sentence, self.proof, *self.argument, *map(str, self.solutions)]))


WITNESSES = {
    CPSAT: Sentence("CP-SAT"),
    WEIGHTS: Sentence("weights that you can check by hand"),
    solvers.TALLY: Sentence("the tally"),
    solvers.LISTING: Sentence("the backtracker"),
}
"""The names of what proves a bound, in sentences."""


def best(instance: Instance, goal: Goal, plan: Plan, progress: Progress = SILENT) -> Best:
    """Find the best value, prove that there is no better one, and count the best solutions by the plan.

    A limit that ends the work leaves the best solution found, and the bound. Raises PuzzleError if the puzzle or the goal is wrong.
    """
    clock, unchecked = Clock(plan.limits), list[str]()
    try:
        built = build_instance(goal.within(instance, -inf, inf), progress=progress, limits=clock.rest())
        found = _highest(built, goal, clock.rest(), progress)
    except EndedError as ended:
        return Best(instance, goal, why=ended.words)
    bound = None if found.bound is None else goal.value(goal.upwards * found.bound)
    if found.row is not None and (wrong := solution_check(built, unchecked=unchecked.append)(padded_rows([found.row]))) is not None:
        raise ContradictionError(f"{instance.name}: the solution of {found.by} fails the check against the geometry: {wrong}")
    answer = Best(built, goal, row=found.row, bound=bound, unchecked=next(iter(unchecked), None))
    if found.status != "complete":
        return replace(answer, why=EndedError(found.status, "looking for the best").words)
    answer = replace(answer, proved_by=(found.by,))
    if found.row is None:
        report = count(instance, replace(plan, limits=clock.rest()), progress)
        if report.found:
            raise ContradictionError(f"{instance.name}: {found.by} finds no solution, but {report.rows[0].solver} counts {report.found}")
        return replace(answer, report=report)
    assert bound is not None
    answer = _confirmed(answer, instance, bound, plan, clock, progress)
    report = count(goal.within(instance, bound, bound), replace(plan, limits=clock.rest()), progress)
    if report.complete and not report.found:
        raise ContradictionError(f"{instance.name}: a solution has the value {bound}, but {report.rows[0].solver} counts none")
    return replace(answer, report=report)


@dataclass(frozen=True)
class _Found:
    """The highest sum, as far as it is known: the end of the search, a solution, a bound, and the solver."""

    status: Status
    row: tuple[int, ...] | None
    bound: int | None
    by: str


def _highest(built: BuiltInstance, goal: Goal, limits: Limits, progress: Progress) -> _Found:
    """Find a solution with the highest sum, or the lowest if a low sum is better; the bound is that of the highest one."""
    weights = goal.upwards * weights_of(built)
    if int(np.abs(weights).max(initial=0)) * built.problem.longest > MAX_SUM:
        raise PuzzleError(f"{built.instance.name}: best: sums of weights may be beyond {MAX_SUM:,}; use smaller weights")
    problem = replace(built.problem, conditions=tuple(c for c in built.problem.conditions if c.name != NAME))
    if problem.colouring is None and NotSupportedError.missing("ortools") is None:
        found = solvers.highest(problem, weights, limits, progress=progress.of(CPSAT))
        return _Found(found.status, found.row, found.bound, CPSAT)
    row: tuple[int, ...] | None = None
    least, clock = -MAX_SUM, Clock(limits)
    while True:
        rows: list[Rows] = []
        better = replace(problem, conditions=(*problem.conditions, Condition(NAME, weights, least, MAX_SUM)))
        outcome = solvers.solver(solvers.LISTING)(better)(
            rows.append, replace(clock.rest(), solutions=1), progress=progress.of(solvers.LISTING)
        )
        if not rows or not len(rows[0]):
            return _Found(outcome.status, row, None if row is None or not outcome.complete else least - 1, solvers.LISTING)
        row = tuple(o for o in rows[0][0].tolist() if o >= 0)
        least = int(weights[list(row)].sum()) + 1


def _confirmed(answer: Best, instance: Instance, bound: int, plan: Plan, clock: Clock, progress: Progress) -> Best:
    """Prove the bound a second time, by an engine of another kind: weights, or a count of the solutions beyond the bound."""
    beyond = answer.goal.within(instance, *answer.goal.beyond(bound))
    seconds = plan.checking_seconds if clock.left is None else min(plan.checking_seconds, CONFIRMING_SHARE * clock.left)
    try:
        case = make_case(build_instance(beyond, progress=progress, limits=clock.rest()), progress)
        found = unreachable(case, seconds)
    except (NotSupportedError, EndedError):
        found = None
    if found is not None:
        return replace(answer, proved_by=(*answer.proved_by, WEIGHTS), argument=found.sentences, weights=found.of_atoms)
    for name in (solvers.TALLY, solvers.LISTING):
        within = clock.rest() if plan.full else clock.rest().within(seconds)
        report = count(beyond, Plan(solvers=(name,), limits=within), progress)
        if report.found:
            raise ContradictionError(
                f"{instance.name}: {answer.proved_by[0]} finds nothing better than {bound}, but {name} counts {report.found}"
            )
        if report.complete and name not in answer.proved_by:
            return replace(answer, proved_by=(*answer.proved_by, name))
    return answer


def weights_of(built: BuiltInstance) -> Longs:
    """Return what each placement adds to the sum of the goal."""
    return next(condition.weights for condition in built.problem.conditions if condition.name == NAME)


def hold(puzzle: Instance | BuiltInstance, plan: Plan, progress: Progress = SILENT) -> Report:
    """Return a report that decides the figures that an instance expects, as far as the limits of the plan allow.

    If it expects a best value, this value is found, and the best solutions are counted. An expected solution is checked on the geometry,
    and it refutes a published claim that there is none. If the instance expects nothing else, nothing is counted; otherwise ``count`` makes
    a count by the plan.
    """
    plan = replace(plan, limits=plan.limits.begun())
    told = plan.limits.heeding(progress)
    instance = puzzle.instance if isinstance(puzzle, BuiltInstance) else puzzle
    if instance.expect.best is not None:
        return _held(instance, plan, progress)
    if instance.expect.solution is None:
        return count(puzzle, plan, progress)
    try:
        built = puzzle if isinstance(puzzle, BuiltInstance) else build_instance(puzzle, progress=told, limits=plan.limits)
        untouched = reduce(built.problem, symmetry=False, dead=False, progress=told)
        report = Report(built, plan, untouched, Counts(), NOT_COUNTED, 0, (), None, ())
        judgement = Judgement(report)
        words = [*(verdict.word for verdict in judgement.verdicts), *(verdict.word for verdict in judgement.refutations)]
    except EndedError as ended:
        return Report.unbegun(plan, instance, ended)
    return report if Verdict.UNKNOWN not in words and not instance.expect.placements.are_stated else count(built, plan, progress)


def _held(instance: Instance, plan: Plan, progress: Progress) -> Report:
    """Return the count of the best solutions, with the figures that an instance expects of them."""
    answer, expect = best(instance, Goal.of_question(instance), plan, progress), instance.expect
    if answer.report is None:
        return Report.unbegun(plan, instance, EndedError("limit reached", "looking for the best"))
    figures = expect.model_copy(update={"all": expect.best_all, "distinct": expect.best_distinct})
    built = answer.report.built
    return replace(answer.report, subject=replace(built, instance=replace(built.instance, expect=figures)), best=answer.value)
