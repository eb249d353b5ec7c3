"""Count, and find the best, by OR-Tools CP-SAT: one boolean per placement, exactly-one and linear constraints.

To visit a whole search, CP-SAT must learn little and forget early. Of TriTetraTan and Bits & Bytes, it spends half of the default time on
learnt clauses that never propagate again. Of no use were: to choose placements first (``initial_polarity``, ``use_phase_saving``: as fast),
no probing in the presolve (slower). To keep no share of the clauses at a cleanup was slower on one and faster on the other.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from puzzlesat.base import SILENT, Clock, Limits, Longs, NotSupportedError, OnSolutions, Outcome, Progress, Rows, Status
from puzzlesat.puzzles import Condition, CoverProblem
from puzzlesat.solvers.cnf import left_over
from puzzlesat.solvers.coloured import Ask


class _Pandas:
    """Pandas as OR-Tools sees it: loading takes a quarter of a second, and only its methods on series of variables need it."""

    types_alone = True
    """True while annotations are evaluated: a name is then a new type."""

    def __getattr__(self, name: str) -> Any:
        return type(name, (), {}) if self.types_alone else getattr(import_module("pandas"), name)


def _without_pandas(name: str) -> Any:
    """Import a module that imports pandas at its head; it loads pandas when it uses it. No other module sees a difference."""
    pandas = _Pandas()

    def load(wanted: str, *rest: Any) -> Any:
        return pandas if wanted == "pandas" and wanted not in sys.modules else __import__(wanted, *rest)

    if name not in sys.modules:
        spec: Any = find_spec(name)
        module = sys.modules[name] = module_from_spec(spec)
        vars(module)["__builtins__"] = vars(builtins) | {"__import__": load}
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        package, _, own = name.rpartition(".")
        setattr(sys.modules[package], own, module)
    pandas.types_alone = False
    return import_module(name)


if TYPE_CHECKING:
    from ortools.sat.python import cp_model
else:
    cp_model = _without_pandas("ortools.sat.python.cp_model")

NAME = "cpsat"
POLL_SECONDS = 0.05
CONFLICTS_TO_CLEANUP = 500
"""Conflicts after which CP-SAT forgets half of what it learnt; its default is 10,000."""
TOLD_AFTER = 1000
"""Variables created between two reports of progress."""


def prepare(problem: CoverProblem) -> Ask:
    """Return a solver of a problem."""
    return partial(solve, problem)


def solve(
    problem: CoverProblem, on_solutions: OnSolutions | None, limits: Limits, *, given: Sequence[int] = (), progress: Progress = SILENT
) -> Outcome:
    """Find all solutions that contain the options ``given``."""
    clock = Clock(limits)
    limited_progress = limits.heeding(progress)
    with limited_progress.overseen():
        model, variables = build_model(problem, given, progress=limited_progress)
    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 0
    solver.parameters.symmetry_level = 0
    solver.parameters.use_sat_inprocessing = False
    solver.parameters.clause_cleanup_period = CONFLICTS_TO_CLEANUP
    collector = _SolutionCollector(variables, on_solutions, limits, progress)
    verdict = _searched(solver, model, collector, clock)
    work = {"variables": len(variables), "branches": solver.num_branches, "conflicts": solver.num_conflicts}
    return Outcome(NAME, collector.found, verdict, clock.seconds, work)


def _searched(solver: cp_model.CpSolver, model: cp_model.CpModel, collector: _SolutionCollector, clock: Clock) -> Status:
    """Search a model within the limits of a clock, and return how the search ended. Raises the errors of the search."""
    solver.parameters.catch_sigint_signal = False
    if clock.left is not None and not clock.limits.cpu:  # CP-SAT's own clock measures wall time
        solver.parameters.max_time_in_seconds = max(clock.left, 0.001)
    if problem_with := model.validate():
        raise NotSupportedError(f"cpsat: the model is not valid: {problem_with.splitlines()[0]}; use --solver backtrack")
    answer: list[Any] = []

    def search() -> None:
        try:
            answer.append(solver.solve(model, collector))
        except Exception as error:  # raised again below, in the thread of the caller
            collector.error = error

    worker = Thread(target=search, daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(POLL_SECONDS)
        if clock.verdict(-1) is not None:
            solver.stop_search()
    if collector.error is not None:
        raise collector.error
    if answer and answer[0] in (cp_model.OPTIMAL, cp_model.INFEASIBLE) and not collector.cut:
        return "complete"
    return clock.verdict(-1) or "limit reached"


class Optimum(NamedTuple):
    """The best value of a sum over the chosen options, as far as it is known."""

    status: Status
    row: tuple[int, ...] | None
    """The options of the best solution found, ascending; None if none was found."""
    bound: int | None
    """No solution has a higher sum; None if nothing is known."""


def highest(problem: CoverProblem, weights: Longs, limits: Limits, *, progress: Progress = SILENT) -> Optimum:
    """Find a solution with the highest sum of weights; ``complete`` means that there is no higher sum, or no solution at all."""
    clock = Clock(limits)
    limited_progress = limits.heeding(progress)
    with limited_progress.overseen():
        model, variables = build_model(problem, progress=limited_progress)
    model.maximize(sum(int(weights[o]) * variable for o, variable in variables.items()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = limits.usable_cores
    best: list[Rows] = []
    bound: list[float] = []

    def tell() -> None:
        known = {"best": int(weights[best[-1]].sum())} if best else {}
        progress(known | ({"bound": int(bound[-1])} if bound else {}))

    def found(rows: Rows) -> None:
        best.append(rows[0])
        tell()

    def bounded(most: float) -> None:
        bound.append(most)
        tell()

    solver.best_bound_callback = bounded
    status = _searched(solver, model, _SolutionCollector(variables, found, limits, SILENT), clock)
    row = tuple(best[-1].tolist()) if best else None
    if status == "complete":
        return Optimum(status, row, None if row is None else int(weights[best[-1]].sum()))
    return Optimum(status, row, int(solver.best_objective_bound) if bound else None)


def build_model(
    problem: CoverProblem, given: Sequence[int] = (), *, progress: Progress = SILENT
) -> tuple[cp_model.CpModel, dict[int, Any]]:
    """Return the model, and its variable for each option that the given options leave possible."""
    model = cp_model.CpModel()
    given = (*problem.forced, *given)
    possible = left_over(problem, given)
    x: dict[int, Any] = {}
    for o in np.flatnonzero(possible).tolist():
        x[o] = model.new_bool_var(problem.options[o])
        if len(x) % TOLD_AFTER == 0:
            progress({"variables": len(x)})
    for option in dict.fromkeys(given):
        model.add_bool_or(x[option])
    for i, members in enumerate(problem.options_of):
        progress({"variables": len(x), "constraints": i})
        chosen = [x[o] for o in members.tolist() if o in x]
        low, high = int(problem.low[i]), min(int(problem.high[i]), len(chosen))
        if problem.coloured[i]:
            chosen, high = _colours(model, problem, i, x), 1
        if low == 1 and high == 1:
            model.add_exactly_one(chosen)
        elif low == 0 and high == 1:
            model.add_at_most_one(chosen)
        elif low > high:
            model.add_bool_or([])
        elif low > 0 or high < len(chosen):
            model.add_linear_constraint(sum(chosen), low, high)
    for condition in problem.conditions:
        _add_condition(model, condition, x)
    return model, x


def _colours(model: cp_model.CpModel, problem: CoverProblem, item: int, x: dict[int, Any]) -> list[Any]:
    """Return one boolean per colour of an item, true iff an option gives it that colour, and the options that give it no colour."""
    by_colour: dict[int, list[Any]] = {}
    exclusive = []
    for entry in np.flatnonzero(problem.item == item).tolist():
        option, colour = int(problem.rows[entry]), int(problem.colour[entry])
        if option not in x:
            continue
        if colour:
            by_colour.setdefault(colour, []).append(x[option])
        else:
            exclusive.append(x[option])
    for colour, chosen in by_colour.items():
        has = model.new_bool_var(f"{problem.items[item]}:{colour}")
        model.add_max_equality(has, chosen)
        exclusive.append(has)
    return exclusive


def _add_condition(model: cp_model.CpModel, condition: Condition, x: dict[int, Any]) -> None:
    terms = [(int(condition.weights[o]), v) for o, v in x.items() if condition.weights[o]]
    total = sum(w * v for w, v in terms) if terms else 0
    if not terms:
        if not condition.holds(0):
            model.add_bool_or([])
        return
    if not condition.modulus:
        model.add_linear_constraint(total, condition.low, condition.high)
        return
    most = sum(abs(w) for w, _ in terms) // condition.modulus + 1
    quotient = model.new_int_var(-most, most, f"{condition.name} / {condition.modulus}")
    model.add(total == condition.modulus * quotient + condition.residue)


class _SolutionCollector(cp_model.CpSolverSolutionCallback):
    """Callback that passes each solution on and stops the search at a limit."""

    def __init__(self, variables: dict[int, Any], on_solutions: OnSolutions | None, limits: Limits, progress: Progress) -> None:
        super().__init__()
        self.variables = variables
        self.on_solutions = on_solutions
        self.limits = limits
        self.progress = progress
        self.found = 0
        self.cut = False
        self.error: Exception | None = None

    def on_solution_callback(self) -> None:
        """Called by CP-SAT for each solution."""
        try:
            chosen = [o for o, v in self.variables.items() if self.boolean_value(v)]
            self.found += 1
            if self.on_solutions is not None:
                self.on_solutions(np.array([chosen], dtype=np.int32).reshape(1, -1))
            self.progress({"solutions": self.found})
        except Exception as error:  # an exception must not cross CP-SAT's C++ frames; it is raised again after the search
            self.error = error
            self.stop_search()
        if self.limits.stop.is_set() or (self.limits.solutions is not None and self.found >= self.limits.solutions):
            self.cut = True
            self.stop_search()
