"""Count and list the solutions of exact cover problems: one solver counts, others check, and solutions are checked on the items."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice

from puzzlesat.base import (
    SILENT,
    Clock,
    Displayed,
    Limits,
    NotSupportedError,
    Outcome,
    Progress,
    PuzzleError,
    Rows,
    Status,
    joined_rows,
    many,
)
from puzzlesat.counting.comparison import Task, check
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.crosscheck import MAX_STORED, NODES_A_PART
from puzzlesat.counting.listing import Yielded, solutions
from puzzlesat.counting.plan import AUTO, CERTIFICATE, FIRST_SECONDS, Plan
from puzzlesat.counting.report import REFUSED, Disagreement, Row, counter, why_unknown
from puzzlesat.counting.second_reading import make_cover_recheck
from puzzlesat.formats import ExactCover
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers import LISTING, SolverStep, family, lists, solver

SEARCH_FIRST = SolverStep(LISTING, seconds=FIRST_SECONDS)
"""First step of ``auto`` for a cover problem that belongs to no puzzle. If it is not enough, the next solver counts."""
MAX_CONDITIONS = 20
"""Maximum number of conditions for this step: the backtracker prunes little by a condition on a few options."""


@dataclass(frozen=True)
class CoverSolution:
    """A solution of an exact cover problem: options that cover each item as often as required."""

    cover: ExactCover = field(repr=False)
    """The problem."""
    options: tuple[int, ...]
    """The numbers of the options, from 0, in the order of the problem."""

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The labels of the options: keys of a mapping, rows of a matrix, lines of a file, else the items."""
        return tuple(self.cover.labels[o] for o in self.options)

    def __str__(self) -> str:
        return "\n".join(self.cover.problem.options[o] for o in self.options)


@dataclass(frozen=True, repr=False)
class CoverReport:
    """A count of an exact cover problem, and how well it is confirmed. The first row that is no refusal is the solver that counted."""

    cover: ExactCover
    """The problem."""
    status: Status
    """``complete``, ``limit reached``, ``interrupted`` or ``out of memory``."""
    found: int
    """Number of solutions that the first solver had found when it stopped."""
    rows: tuple[Row, ...]
    """The result of each solver."""
    disagreements: tuple[Disagreement, ...]
    """Contradictions. If there is one, do not trust the count."""
    option_numbers: Rows | None = field(default=None, compare=False)
    """The solutions as the first solver listed them: rows of option numbers, padded with -1; None if it kept none."""
    full: bool = False
    """True if the checking solvers should search everything."""
    seconds: float = field(default=0.0, compare=False)
    """Duration of the call, in seconds; CPU seconds if the limits measure these."""

    @property
    def name(self) -> str:
        """The name of the problem."""
        return self.cover.name

    @property
    def counts(self) -> Counts:
        """The number of solutions as ``all``. The other counts are None: options have no copies, and symmetries are not known."""
        return Counts(all=self.found) if self.complete else Counts()

    @property
    def complete(self) -> bool:
        """True if the first solver searched everything, so that the count is known."""
        return self.status == "complete"

    @property
    def why(self) -> str | None:
        """Why the count is not complete, in a sentence; None if it is."""
        return why_unknown(self.status, self.rows)

    @property
    def agree(self) -> bool | None:
        """True if a second solver confirmed the count, False if something contradicts it, else None."""
        if self.disagreements:
            return False
        return True if self.complete and any(row.confirms and row.all is not None for row in self.rows) else None

    @property
    def sentence(self) -> str:
        """One sentence: the number of solutions, and the solvers that confirmed it."""
        sentence: str = Displayed.display("sentence", self)
        return sentence

    @property
    def solutions(self) -> tuple[CoverSolution, ...] | None:
        """The solutions that the first solver found; None if it only counts, or there were too many to keep."""
        rows = self.option_numbers
        return None if rows is None else tuple(CoverSolution(self.cover, tuple(row[row >= 0].tolist())) for row in rows)

    def __repr__(self) -> str:
        return f"<CoverReport on {self.name!r}: {self.sentence}>"

    @property
    def counter(self) -> str:
        """The solver that counted."""
        return counter(self.rows)

    @property
    def interrupted(self) -> bool:
        """True if the user interrupted the count or a check."""
        return self.status == "interrupted" or any(row.status == "interrupted" for row in self.rows)

    @property
    def finished(self) -> bool:
        """True if the count and all requested checks came to their end."""
        return self.complete and not self.interrupted and not (self.full and any(row.sampled is not None for row in self.rows))

    @property
    def burnside(self) -> None:
        """None, because there are no symmetries."""
        return

    @property
    def listed(self) -> bool:
        """False, because there is no geometry on which solutions could be checked."""
        return False


def count_cover(cover: ExactCover, plan: Plan, progress: Progress = SILENT) -> CoverReport:
    """Count the solutions by the first solver of the plan that accepts the problem, and check the count by the others.

    ``auto`` means the backtracker with a time limit, and then the next solver; if there are many conditions, the next solver at once. A
    checking solver that lists nothing is compared by its number alone.
    """
    plan = replace(plan, limits=plan.limits.begun())
    clock = Clock(plan.limits)
    report = _count(cover, plan, progress)
    return replace(report, full=plan.full, seconds=clock.seconds)


def _count(cover: ExactCover, plan: Plan, progress: Progress) -> CoverReport:
    progress = plan.limits.heeding(progress)
    names = list(dict.fromkeys(SEARCH_FIRST.solver if name == AUTO else name for name in plan.solvers if name != CERTIFICATE))
    if not names:
        raise PuzzleError(f"a {CERTIFICATE} states a puzzle, and {cover.name} is not one; choose a solver")
    if plan.solvers[0] == AUTO and len(names) > 1 and len(cover.problem.conditions) > MAX_CONDITIONS:
        del names[0]
    report = CoverReport(cover, "limit reached", 0, (), ())
    while names:
        first = names.pop(0)
        limits = plan.limits
        if plan.solvers[0] == AUTO and first == SEARCH_FIRST.solver and names:
            limits = limits.within(SEARCH_FIRST.seconds)
        try:
            report = _counted(cover, replace(plan, solvers=(first, *names), limits=limits), report.rows, progress)
        except NotSupportedError as error:
            report = replace(report, rows=(*report.rows, Row(first, None, REFUSED, "", 0.0, {}, refusal=str(error))))
            continue
        if report.complete or Clock(plan.limits).verdict(-1) is not None or limits.seconds is None or _enough(report, plan):
            return report
    return report


def _enough(report: CoverReport, plan: Plan) -> bool:
    return report.agree is False or (plan.limits.solutions is not None and report.found >= plan.limits.solutions)


def _counted(cover: ExactCover, plan: Plan, before: tuple[Row, ...], progress: Progress) -> CoverReport:
    problem = cover.problem
    name, *others = plan.solvers
    blocks: list[Rows] = []
    kept = 0
    bad: list[Disagreement] = []
    recheck = make_cover_recheck(problem)

    def collect(block: Rows) -> None:
        nonlocal kept
        if not bad and (wrong := recheck(block)) is not None:
            bad.append(Disagreement(name, f"a solution is none: {wrong}"))
        kept += block.size
        if kept <= MAX_STORED:
            blocks.append(block.copy())

    outcome = solver(name)(problem)(collect, plan.limits, progress=progress.of(name))
    how = "counted without listing" if not lists(name) else f"{outcome.found:,} found"
    rows = [*before, Row(name, outcome.found if outcome.complete else None, outcome.status, how, outcome.seconds, outcome.work)]
    listed = joined_rows(blocks) if lists(name) and kept <= MAX_STORED else None
    if outcome.complete:
        clock = Clock(plan.limits if plan.full else plan.limits.within(plan.checking_seconds))
        for position, other in enumerate(others):
            if not lists(other):
                row, found = _counted_again(other, problem, outcome, clock.rest(), progress)
            else:
                task = Task(other, problem, listed, outcome.found, outcome.work.get("nodes", 0) // NODES_A_PART)
                row, found = check(task, plan, (clock.left or 0.0) / sum(map(lists, others[position:])), recheck, progress.of(other))
            rows.append(row)
            bad += found
    return CoverReport(cover, outcome.status, outcome.found, tuple(rows), tuple(bad), listed)


def _counted_again(name: str, problem: CoverProblem, first: Outcome, limits: Limits, progress: Progress) -> tuple[Row, list[Disagreement]]:
    """Check a count by a solver that lists nothing."""
    try:
        outcome = solver(name)(problem)(None, limits, progress=progress.of(name))
    except NotSupportedError as error:
        return Row(name, None, REFUSED, "", 0.0, {}, refusal=str(error)), []
    independent = family(name) != family(first.solver)
    count = outcome.found if outcome.complete else None
    row = Row(name, count, outcome.status, "counted without listing", outcome.seconds, outcome.work, independent=independent)
    differs = count is not None and count != first.found
    return row, [Disagreement(name, f"it counts {count} solutions, the first solver {first.found}")] if differs else []


def solve_cover(cover: ExactCover, solver: str, given: Sequence[Hashable], limits: Limits, *, quietly: bool) -> Iterator[CoverSolution]:
    """Yield solutions within the limits; ``listing.solve_listed`` does the same for puzzles."""
    yielded = Yielded(cover.name, limits, quietly=quietly)
    outcome: list[Outcome] = []
    with closing(solutions(cover.problem, solver, limits, cover.numbers(given), on_end=outcome.append)) as found:
        for options in islice(found, limits.solutions):
            yield yielded.keep(CoverSolution(cover, options))
    if yielded.number != limits.solutions and not any(one.complete for one in outcome):
        yielded.end(f"{outcome[0].status if outcome else limits.over() or 'limit reached'} after {many(yielded.number, 'solution')}")
