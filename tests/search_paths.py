"""Every way in which the program's own search code goes through a cover problem, each forced on whatever it can do, however small."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import pytest

from helpers import solution_set
from puzzlesat.cover.settle import settle
from puzzlesat.errors import NotSupportedError
from puzzlesat.solvers.backtrack import LAYOUTS
from puzzlesat.solvers.registry import solver
from puzzlesat.solvers.run import Limits
from puzzlesat.solvers.tally import sweep
from puzzlesat.solvers.tally.disk import Disk
from puzzlesat.solvers.tally.moves import make_moves
from puzzlesat.solvers.tally.shards import shards_of
from puzzlesat.solvers.tally.sweep import can_sweep


def _listed(layout, problem):
    return solution_set(problem, f"backtrack:{layout}")


def _counted(problem, given=()):
    return solver("tally")(problem)(None, Limits(cores=1), given=given).found


def _in_shards(problem):
    """The tally in shards, which it takes of itself where it has not the memory for all at once."""
    left = settle(problem, ())
    if left is None:
        return 0
    shards = shards_of(left)
    if shards is None:
        raise NotSupportedError("there is nothing to part")
    return sum(weight * _counted(left, (option,)) for option, weight in zip(shards.options.tolist(), shards.weights.tolist(), strict=True))


def _swept(problem):
    """The tally's sweep, in turns of few states; where nothing is to be recorded the tally takes it of itself, but in one turn."""
    left = settle(problem, ())
    if left is None:
        return 0
    moves, record, _ = make_moves(left)
    if not can_sweep(moves, record):
        raise NotSupportedError("there is something to be recorded")
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(sweep, "STATES_A_TURN", 3)
        return sweep.sweep(moves, sweep.Sweep(40, 1, lambda states: None, disk=Disk(Path(folder), None)))


LISTING = {f"backtrack:{layout}": partial(_listed, layout) for layout in LAYOUTS}
"""Ways that list solutions: functions from a problem to the set of them."""
COUNTING = {"tally": _counted, "shards": _in_shards, "a sweep on disk": _swept}
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
