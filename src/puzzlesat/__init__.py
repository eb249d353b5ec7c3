"""Count the solutions of packing and edge-matching puzzles so that the count can be trusted.

Examples
--------
>>> import puzzlesat
>>> puzzle = puzzlesat.load("absolut-knifflig")
>>> report = puzzlesat.count(puzzle, solvers=("backtrack", "sat"))
>>> report.counts.all, report.counts.distinct, report.agree
(148, 37, True)
>>> len(next(puzzlesat.solve(puzzle)).names)
9

"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlesat.errors import NotSupportedError, PuzzleError

if TYPE_CHECKING:
    from puzzlesat.counting.listing import Solution
    from puzzlesat.counting.report import Report
    from puzzlesat.puzzle.data import Puzzle

__all__ = ["NotSupportedError", "PuzzleError", "count", "load", "solve"]
__version__ = "0.1.0"


def load(name: str | Path, problem: int | None = None) -> Puzzle:
    """Load an instance by the name it has in the package, or a puzzle from a file.

    Parameters
    ----------
    name
        A name, or a file: ``.toml``, ``.xmpuzzle`` (BurrTools), ``.xml`` (Legespiel-Solver).
    problem
        Which of several puzzles in a file, from 1.

    Raises
    ------
    PuzzleError
        With one sentence in ``problems`` for everything that is wrong with the file.

    """
    from puzzlesat.formats.puzzles import puzzle_in

    return puzzle_in(name, problem)


def count(
    puzzle: Puzzle | str | Path,
    *,
    solvers: Sequence[str] | str = ("auto", "sat", "cpsat"),
    budget: float = 60.0,
    full: bool = False,
    seconds: float | None = None,
) -> Report:
    """Count the solutions of a puzzle with the first solver and check the count with the others.

    Parameters
    ----------
    puzzle
        A puzzle, or the name of an instance, or a file of one.
    solvers
        Names of solvers, one at least; the first one counts. ``auto`` tallies, and lists by backtracking where that does not take too long.
    budget
        Seconds that the checking solvers may take together; past it they check a sample.
    full
        Check everything, however long it takes.
    seconds
        Stop the first solver after so long; the report is then not ``complete``.

    Returns
    -------
    Report
        ``report.counts`` has ``labelled``, ``all``, ``distinct`` and ``fixed``; ``report.agree`` is True only where a second solver
        confirmed at least a part of the count and nothing contradicted it.

    """
    from puzzlesat.counting.crosscheck import count as cross_checked
    from puzzlesat.counting.report import Plan
    from puzzlesat.solvers.run import Limits

    solvers = (solvers,) if isinstance(solvers, str) else tuple(solvers)
    if not solvers:
        raise PuzzleError("solvers: name one at least, such as 'backtrack'")
    plan = Plan(solvers=solvers, budget=budget, full=full, limits=Limits(seconds=seconds))
    return cross_checked(load(puzzle) if isinstance(puzzle, str | Path) else puzzle, plan)


def solve(
    puzzle: Puzzle | str | Path,
    *,
    solver: str = "backtrack",
    given: Sequence[str] = (),
    distinct: bool = False,
    limit: int | None = None,
    seconds: float | None = None,
) -> Iterator[Solution]:
    """Yield the solutions of a puzzle one by one.

    Parameters
    ----------
    puzzle
        A puzzle, or the name of an instance, or a file of one.
    solver
        Name of the solver.
    given
        Placements, such as ``"Q.1@3.1"``, that the solutions must contain.
    distinct
        Yield one of each class of solutions that the form's symmetries turn into each other.
    limit, seconds
        End after so many solutions, or so long.

    """
    from puzzlesat.counting.listing import solve as stream

    return stream(
        load(puzzle) if isinstance(puzzle, str | Path) else puzzle, solver, given, distinct=distinct, limit=limit, seconds=seconds
    )
