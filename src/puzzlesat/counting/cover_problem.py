"""Count and list the solutions of exact cover problems: one solver counts, others check, and solutions are checked on the items."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any

from puzzlesat.base import SILENT, Clock, Limits, NotSupportedError, Outcome, Progress, PuzzleError, Rows, Status
from puzzlesat.counting.comparison import NODES_A_PART, Collector, Expected, Task, checks, refused
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.evidence import Counted, Disagreement, Row
from puzzlesat.counting.listing import Yielded, solutions
from puzzlesat.counting.plan import AUTO, CERTIFICATE, FIRST_SECONDS, Plan
from puzzlesat.counting.tallied_counts import Tallied
from puzzlesat.formats import ExactCover
from puzzlesat.proofs import solution_check
from puzzlesat.solvers import LISTING, SolverStep, lists, solver

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
class CoverReport(Counted):
    """A count of an exact cover problem, and how well it is confirmed. The first row that is not a refusal is the solver that counted."""

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
    burnside = None

    @property
    def finished(self) -> bool:
        """True if the count and all requested checks came to their end."""
        return self.is_finished(full=self.full)

    @property
    def imported(self) -> bool:
        """True if the problem comes from a file of another program."""
        return self.cover.imported

    @property
    def name(self) -> str:
        """The name of the problem."""
        return self.cover.name

    @property
    def counts(self) -> Counts:
        """The number of solutions as ``all``. The other counts are None: options have no copies, and symmetries are not known."""
        return Counts(all=self.found) if self.complete else Counts()

    @property
    def solutions(self) -> tuple[CoverSolution, ...] | None:
        """The solutions that the first solver found; None if it only counts, or there were too many to keep."""
        rows = self.option_numbers
        return None if rows is None else tuple(CoverSolution(self.cover, tuple(row[row >= 0].tolist())) for row in rows)

    def __repr__(self) -> str:
        return f"<CoverReport on {self.name!r}: {self.sentence}>"

    def as_json(self) -> dict[str, Any]:
        """Return the report as the JSON object that docs/json.md describes. Unknown values are None."""
        problem = self.cover.problem
        sizes = {"options": problem.size, "items": len(problem.items), "conditions": len(problem.conditions)}
        first = {"cover": self.name, "sentence": self.sentence, "confirmed": self.confirmation.word}
        solvers, wrong = [row.as_json() for row in self.rows], [asdict(d) for d in self.disagreements]
        return {**first, **self.results, **sizes, "solvers": solvers, "disagreements": wrong}


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
    auto = plan.solvers[0] == AUTO
    if auto and len(names) > 1 and len(cover.problem.conditions) > MAX_CONDITIONS:
        del names[0]
    report = CoverReport(cover, "limit reached", 0, (), ())
    for position, name in enumerate(names):
        more, limits = names[position + 1 :], plan.limits
        if auto and name == SEARCH_FIRST.solver and more:
            limits = limits.within(SEARCH_FIRST.seconds)
        try:
            report = _counted(cover, replace(plan, solvers=(name, *more), limits=limits), report.rows, progress)
        except NotSupportedError as error:
            report = replace(report, rows=(*report.rows, refused(name, error)))
            continue
        enough = report.agree is False or (limits.solutions is not None and report.found >= limits.solutions)
        if report.complete or enough or limits.seconds is None or Clock(plan.limits).verdict(-1) is not None:
            return report
    return report


def _counted(cover: ExactCover, plan: Plan, before: tuple[Row, ...], progress: Progress) -> CoverReport:
    """Count by the first solver of the plan, and check the count by the others."""
    problem, name = cover.problem, plan.solvers[0]
    collector = Collector(solution_check(problem))
    outcome = solver(name)(problem)(lambda rows: collector.keep(rows.copy()), plan.limits, progress=progress.of(name))
    how = f"{outcome.found:,} found" if lists(name) else "counted without listing"
    row = Row(name, outcome.found if outcome.complete else None, outcome.status, how, outcome.seconds, outcome.work)
    listed = collector.rows() if lists(name) else None
    bad = [] if collector.wrong is None else [Disagreement(name, f"a solution is none: {collector.wrong}")]
    report = CoverReport(cover, outcome.status, outcome.found, (*before, row), tuple(bad), listed)

    def task(other: str) -> Task:
        return Task(other, problem, listed, outcome.found, outcome.work.get("nodes", 0) // NODES_A_PART)

    def recount(other: str, limits: Limits) -> Tallied:
        again = solver(other)(problem)(None, limits, progress=progress.of(other))
        return Tallied(again, Counts(all=again.found) if again.complete else Counts(), None)

    results = checks(plan, Expected(report.counts), task, collector.recheck, recount, progress)
    for row, found in results if outcome.complete else ():
        report = replace(report, rows=(*report.rows, row), disagreements=(*report.disagreements, *found))
    return report


def solve_cover(cover: ExactCover, solver: str, given: Sequence[Hashable], limits: Limits, *, quietly: bool) -> Iterator[CoverSolution]:
    """Yield solutions within the limits; ``listing.solve`` does the same for puzzles."""
    yielded = Yielded(cover.name, limits, quietly=quietly)
    outcome: list[Outcome] = []
    with closing(solutions(cover.problem, solver, limits, cover.numbers(given), on_end=outcome.append)) as found:
        for options in islice(found, limits.solutions):
            yield yielded.keep(CoverSolution(cover, options))
    yielded.at_end(outcome, limits)
