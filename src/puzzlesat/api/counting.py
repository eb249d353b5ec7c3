"""``puzzlesat.count``: how many solutions there are, by several solvers."""

from __future__ import annotations

from collections.abc import Sequence

from puzzlesat.counting.crosscheck import count as cross_checked
from puzzlesat.counting.report import Report
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.solvers.run import limits_of
from puzzlesat.solvers.strategy import COUNTING, Plan


def count(
    puzzle: Given,
    *,
    solvers: Sequence[str] | str = COUNTING,
    budget: float | None = None,
    full: bool = False,
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
) -> Report:
    """Count the solutions of a puzzle with the first solver and check the count with the others.

    Parameters
    ----------
    puzzle
        What ``load`` takes, or what it returns, or its ``puzzle`` alone.
    solvers
        Names of solvers, one at least; the first one counts. ``auto`` lets the tally and the backtracker take turns.
    budget
        Seconds that the certificate and the checking solvers may take together; past it they check a sample. None: 20, but if a certificate
        of the whole search was accepted, the others take as long as the work before, at least 1 second and at most 5.
    full
        Check everything, however long it takes.
    seconds
        Stop after so long, whatever is being done; where that was before the count was, the report is not ``complete``, and ``why`` says
        so.
    memory
        Gibibytes that the work may take; what needs more is done in another way, refused or stopped.
    cpu
        Take all seconds as CPU seconds, of this process and its children.

    Returns
    -------
    Report
        ``report.counts`` has ``labelled``, ``all``, ``distinct`` and ``fixed``; ``report.agree`` is True only where a second solver
        confirmed at least a part of the count and nothing contradicted it. ``report.rows`` says what each solver did, or why it refused.
        Where a limit was reached before there was anything to count, nothing of it is known: it has ``why``, and not ``built``.

    Raises
    ------
    PuzzleError
        Where the puzzle cannot be read, there is no solver of that name, or a limit leaves nothing.

    Examples
    --------
    >>> report = puzzlesat.count("absolut-knifflig", solvers=("backtrack", "sat"))
    >>> report.counts.all, report.counts.distinct
    (148, 37)
    >>> [(row.solver, row.all) for row in report.rows]
    [('backtrack', 148), ('sat', 148)]
    >>> report.agree
    True

    What was not finished is never shown as a count:

    >>> stopped = puzzlesat.count("pentominoes-6x10", solvers="backtrack", seconds=0.01)
    >>> stopped.complete, stopped.counts.all
    (False, None)

    """
    solvers = (solvers,) if isinstance(solvers, str) else tuple(solvers)
    if not solvers:
        raise PuzzleError("solvers: name one at least, such as 'backtrack'")
    plan = Plan(solvers=solvers, budget=budget, full=full, limits=limits_of(seconds, memory, cpu=cpu).begun())
    return cross_checked(instance_given(puzzle), plan)
