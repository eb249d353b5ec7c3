"""The solution that keeps most of some options, by OR-Tools CP-SAT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Thread
from typing import Any

from ortools.sat.python import cp_model

from puzzlesat.cover.problem import CoverProblem
from puzzlesat.solvers.cores import all_cores
from puzzlesat.solvers.cpsat import POLL_SECONDS, build_model
from puzzlesat.solvers.run import Clock, Limits


@dataclass(frozen=True)
class Nearest:
    """What the search for the nearest solution found."""

    kept: tuple[int, ...] | None
    """The options wanted that it contains; None: no solution was found."""
    proven: bool
    """Whether no solution keeps more; where none was found, whether there is none."""


def nearest(problem: CoverProblem, wanted: Sequence[int], limits: Limits) -> Nearest:
    """Find a solution with as many of the options ``wanted`` as possible."""
    clock = Clock(limits)
    model, variables = build_model(problem)
    model.maximize(sum(variables[o] for o in wanted if o in variables))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = all_cores()
    solver.parameters.catch_sigint_signal = False
    if clock.left is not None:
        solver.parameters.max_time_in_seconds = max(clock.left, 0.001)
    answer: list[Any] = []
    worker = Thread(target=lambda: answer.append(solver.solve(model)), daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(POLL_SECONDS)
        if limits.stop.is_set():
            solver.stop_search()
    status = answer[0] if answer else cp_model.UNKNOWN
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        kept = tuple(o for o in wanted if o in variables and solver.boolean_value(variables[o]))
        return Nearest(kept, status == cp_model.OPTIMAL)
    return Nearest(None, status == cp_model.INFEASIBLE)
