"""Every way in which the program's own search code goes through a cover problem, each forced on whatever it can do, however small."""

from __future__ import annotations

from helpers import solution_set
from puzzlesat.errors import NotSupportedError
from puzzlesat.solvers.registry import solver
from puzzlesat.solvers.run import Limits


def _counted(problem):
    return solver("tally")(problem)(None, Limits(cores=1)).found


LISTING = {"backtrack": solution_set}
"""Ways that list solutions: functions from a problem to the set of them."""
COUNTING = {"tally": _counted}
"""Ways that only count: functions from a problem to their number; each may refuse a problem (NotSupportedError)."""


def answer(name, problem):
    """The solutions that a way lists, or their number where it only counts; None where it refuses the problem."""
    try:
        return (LISTING | COUNTING)[name](problem)
    except NotSupportedError:
        return None


def agree(name, problem, expected):
    """Whether a way finds the solutions expected, or refuses."""
    return answer(name, problem) in (None, expected if name in LISTING else len(expected))
