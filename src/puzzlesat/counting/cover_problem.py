"""Count a cover problem that belongs to no puzzle: one solver lists, others check, every solution is held against the items alone."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from puzzlesat.base import (
    SILENT,
    Clock,
    Limits,
    NotSupportedError,
    Outcome,
    Progress,
    PuzzleError,
    Rows,
    Status,
    joined_rows,
)
from puzzlesat.counting.comparison import Task, check
from puzzlesat.counting.crosscheck import MOST_STORED, NODES_A_PART
from puzzlesat.counting.listing import stream
from puzzlesat.counting.report import REFUSED, Disagreement, Row, counter, why_unknown
from puzzlesat.counting.second_reading import make_cover_recheck
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers import AUTO, CERTIFICATE, MOST_CONDITIONS, SEARCH_FIRST, Plan, family, lists, solver


@dataclass(frozen=True)
class PuzzlelessReport:
    """What was found out about a cover problem; the first row that is no refusal is the solver that counted."""

    name: str
    problem: CoverProblem
    status: Status
    found: int
    rows: tuple[Row, ...]
    disagreements: tuple[Disagreement, ...]
    solutions: Rows | None = field(default=None, repr=False, compare=False)
    """Rows of option numbers, padded with -1: what the counting solver listed; None where it lists nothing or they are too many to keep."""

    @property
    def complete(self) -> bool:
        """Whether the counting solver went through everything: only then is ``found`` the count."""
        return self.status == "complete"

    @property
    def why(self) -> str | None:
        """Why it is not complete, in a sentence; None where it is."""
        return why_unknown(self.status, self.rows)

    @property
    def agree(self) -> bool | None:
        """Whether another solver confirmed the count; None where none did, False where one contradicts. A sample confirms no count."""
        if self.disagreements:
            return False
        return True if self.complete and any(row.confirms and row.all is not None for row in self.rows) else None

    @property
    def counter(self) -> str:
        """The solver that counted."""
        return counter(self.rows)

    @property
    def interrupted(self) -> bool:
        """Whether somebody ended the count or a check before its time."""
        return self.status == "interrupted" or any(row.status == "interrupted" for row in self.rows)

    @property
    def burnside(self) -> None:
        """There are no symmetries to check by."""
        return

    @property
    def listed(self) -> bool:
        """There is no geometry to check on."""
        return False


def count_puzzleless(name: str, problem: CoverProblem, plan: Plan, progress: Progress = SILENT) -> PuzzlelessReport:
    """Count the solutions with the first solver of the plan that takes the problem, and let the others check them.

    ``auto`` is the backtracker, for a first try, and then the next solver; with many conditions the next solver from the beginning. A
    solver that lists nothing is held against the number alone.
    """
    plan = replace(plan, limits=plan.limits.begun())
    progress = plan.limits.heeding(progress)
    names = list(dict.fromkeys(SEARCH_FIRST.solver if name == AUTO else name for name in plan.solvers if name != CERTIFICATE))
    if not names:
        raise PuzzleError(f"a {CERTIFICATE} states a puzzle, and {name} is not one; choose a solver")
    if plan.solvers[0] == AUTO and len(names) > 1 and len(problem.conditions) > MOST_CONDITIONS:
        del names[0]
    report = PuzzlelessReport(name, problem, "limit reached", 0, (), ())
    while names:
        first = names.pop(0)
        limits = plan.limits
        if plan.solvers[0] == AUTO and first == SEARCH_FIRST.solver and names:
            limits = limits.within(SEARCH_FIRST.seconds)
        try:
            report = _counted(name, problem, replace(plan, solvers=(first, *names), limits=limits), report.rows, progress)
        except NotSupportedError as error:
            report = replace(report, rows=(*report.rows, Row(first, None, REFUSED, "", 0.0, {}, refusal=str(error))))
            continue
        if report.complete or Clock(plan.limits).verdict(-1) is not None or limits.seconds is None or _enough(report, plan):
            return report
    return report


def _enough(report: PuzzlelessReport, plan: Plan) -> bool:
    return report.agree is False or (plan.limits.solutions is not None and report.found >= plan.limits.solutions)


def puzzleless_solutions(
    problem: CoverProblem,
    name: str,
    limits: Limits,
    given: Sequence[int] = (),
    *,
    progress: Progress = SILENT,
    on_end: Callable[[Outcome], None] | None = None,
) -> Generator[tuple[int, ...], None, None]:
    """Yield each solution as ascending option numbers, each held against the items; see ``listing.stream``."""
    with closing(stream(problem, name, limits, given, make_cover_recheck(problem), progress=progress, on_end=on_end)) as rows:
        for row in rows:
            yield tuple(row[row >= 0].tolist())


def _counted(title: str, problem: CoverProblem, plan: Plan, before: tuple[Row, ...], progress: Progress) -> PuzzlelessReport:
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
        if kept <= MOST_STORED:
            blocks.append(block.copy())

    outcome = solver(name)(problem)(collect, plan.limits, progress=progress.of(name))
    how = "counted without listing" if not lists(name) else f"{outcome.found:,} found"
    rows = [*before, Row(name, outcome.found if outcome.complete else None, outcome.status, how, outcome.seconds, outcome.work)]
    listed = joined_rows(blocks) if lists(name) and kept <= MOST_STORED else None
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
    return PuzzlelessReport(title, problem, outcome.status, outcome.found, tuple(rows), tuple(bad), listed)


def _counted_again(name: str, problem: CoverProblem, first: Outcome, limits: Limits, progress: Progress) -> tuple[Row, list[Disagreement]]:
    """Let a solver that lists nothing count what another one listed."""
    try:
        outcome = solver(name)(problem)(None, limits, progress=progress.of(name))
    except NotSupportedError as error:
        return Row(name, None, REFUSED, "", 0.0, {}, refusal=str(error)), []
    independent = family(name) != family(first.solver)
    count = outcome.found if outcome.complete else None
    row = Row(name, count, outcome.status, "counted without listing", outcome.seconds, outcome.work, independent=independent)
    differs = count is not None and count != first.found
    return row, [Disagreement(name, f"it counts {count} solutions, the first solver {first.found}")] if differs else []
