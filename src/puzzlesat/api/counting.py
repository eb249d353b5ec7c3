"""``puzzlesat.count``: count the solutions of a puzzle and check the count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import overload

from puzzlesat.api import checked
from puzzlesat.counting.crosscheck import count as cross_checked
from puzzlesat.counting.exact_cover import CoverReport, count_cover
from puzzlesat.counting.report import Report
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.exact_cover import ExactCover
from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.solvers.registry import names_of
from puzzlesat.solvers.run import Clock, check_number, limits_of
from puzzlesat.solvers.strategy import COUNTING, Plan


@overload
def count(
    puzzle: ExactCover,
    *,
    solver: str | Sequence[str] = ...,
    budget: float | None = ...,
    full: bool = ...,
    seconds: float | None = ...,
    memory: float | None = ...,
    cpu: bool = ...,
) -> CoverReport: ...


@overload
def count(
    puzzle: Given,
    *,
    solver: str | Sequence[str] = ...,
    budget: float | None = ...,
    full: bool = ...,
    seconds: float | None = ...,
    memory: float | None = ...,
    cpu: bool = ...,
) -> Report: ...


@checked
def count(
    puzzle: Given | ExactCover,
    *,
    solver: str | Sequence[str] = COUNTING,
    budget: float | None = None,
    full: bool = False,
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
) -> Report | CoverReport:
    """Count the solutions of a puzzle with one solver, and check the count with others.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; an instance that ``load`` returned, or its ``puzzle``. Or an exact cover
        problem that ``cover`` returned.
    solver
        One name (``"tally"``), several with commas (``"backtrack,sat"``), or a sequence of names. The first solver counts, the others
        check. ``auto`` lets the tally and the backtracker take turns.
    budget
        Seconds that the certificate and the checking solvers may take together. After that they check a sample. None: 20 seconds; but if a
        certificate of the whole search was accepted, the others take as long as the work before, at least 1 second and at most 5.
    full
        Check everything, however long it takes.
    seconds
        Stop after so many seconds.
    memory
        Memory limit in GiB. Work that needs more is split, refused or stopped.
    cpu
        Measure all seconds as CPU seconds, child processes included.

    Returns
    -------
    Report
        ``sentence`` is the answer. ``counts`` has ``labelled``, ``all``, ``distinct`` and ``fixed``. ``agree`` is True if a second solver
        confirmed at least a part of the count and nothing contradicts it. ``rows`` tells what each solver found, or why it refused.
        ``solutions`` are the distinct solutions that were listed. If a limit ended the count, ``complete`` is False, ``why`` tells how
        far it was, and the counts are None.
    CoverReport
        The same for an exact cover problem. Of the counts, it has ``all``.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read, there is no solver of that name, or a limit leaves nothing.

    Examples
    --------
    >>> report = puzzlesat.count("absolut-knifflig", solver="backtrack,sat")
    >>> report.counts.all, report.counts.distinct, report.agree
    (148, 37, True)
    >>> print(report.sentence)
    37 solutions up to symmetry; confirmed by sat
    >>> [(row.solver, row.all) for row in report.rows]
    [('backtrack', 148), ('sat', 148)]
    >>> len(report.solutions), len(report.solutions[0].names)
    (37, 9)

    A count that is not finished is never shown as a count:

    >>> stopped = puzzlesat.count("pentominoes-6x10", solver="backtrack", seconds=0.01)
    >>> stopped.complete, stopped.counts.all
    (False, None)

    """
    names = names_of(solver)
    if not names:
        raise PuzzleError("solver: give at least one, such as 'backtrack'")
    if budget is not None:
        check_number("budget", budget)
        if not budget >= 0:  # nor what is no number at all
            raise PuzzleError(f"budget: {budget} leaves nothing; expected 0 or more, or None for the default")
    limits = limits_of(seconds, memory, cpu=cpu).begun()
    clock = Clock(limits)
    plan = Plan(solvers=names, budget=budget, full=full, limits=limits)
    if isinstance(puzzle, ExactCover):
        return count_cover(puzzle, plan)
    return replace(cross_checked(instance_given(puzzle), plan), seconds=clock.seconds)
