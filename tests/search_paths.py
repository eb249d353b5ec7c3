"""Every way in which the program's own search code goes through a cover problem, each forced on whatever it can do, however small."""

from __future__ import annotations

import pytest

from helpers import solution_set
from puzzlesat.cover.settle import settle
from puzzlesat.errors import NotSupportedError
from puzzlesat.solvers.registry import solver
from puzzlesat.solvers.run import Limits
from puzzlesat.solvers.tally import sweep
from puzzlesat.solvers.tally.levels import Work
from puzzlesat.solvers.tally.moves import make_moves
from puzzlesat.solvers.tally.sweep import can_sweep


def _counted(problem):
    return solver("tally")(problem)(None, Limits(cores=1)).found


def _swept(problem):
    """The tally's sweep, which it takes of itself where there is nothing to be recorded; a frontier is parted into turns of few states."""
    left = settle(problem, ())
    if left is None:
        return 0
    moves, record, _ = make_moves(left)
    if not can_sweep(moves, record):
        raise NotSupportedError("its order is not kept")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "STATES_A_TURN", 3)
        return sum(sweep.sweep(moves, record, None, Work(1 << 30, 1, lambda states: None)).values())


LISTING = {"backtrack": solution_set}
"""Ways that list solutions: functions from a problem to the set of them."""
COUNTING = {"tally": _counted, "sweep": _swept}
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
