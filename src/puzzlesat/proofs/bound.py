"""Weights of the atoms and tiles that bound a sum over the placements of a solution, which a person can check.

If each placement weighs at least as much as it adds to the sum, then the sum of a solution is at most the weight of all that it may cover.
Such weights are the dual of the linear programme of the puzzle, without integrality (G. B. Dantzig, "Linear Programming and Extensions",
1963, chapter 6). They are found in floating point, rounded to small integers, and checked in exact arithmetic by the checker.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puzzlesat.base import Longs, NotSupportedError, Reals, Sentence
from puzzlesat.checker import Problem, Rejected, StatedRule
from puzzlesat.proofs.case import Case

MAX_OPTIONS = 30_000
"""Maximum number of placements: the linear programme then takes some seconds."""
MAX_TIMES = 60
"""Maximum common denominator of the weights."""
UNLIMITED = 1 << 30
"""The number of copies of a tile that has any number of them."""


@dataclass(frozen=True)
class BoundingWeights:
    """Weights which show that no solution reaches a sum."""

    sentences: tuple[str, ...]
    of_atoms: tuple[int, ...]
    """The weight of each atom, in the order of the atoms of the form."""


def bounding_weights(case: Case, *, most: bool, seconds: float) -> BoundingWeights | None:
    """Return weights which show that no solution keeps the last condition of a puzzle; None if none were found.

    The sum of the condition is at least ``low`` if ``most``, else at most ``high``, and the weights show that this is out of reach.
    """
    rule = [rule for rule in case.puzzle.rules if isinstance(rule, StatedRule)][-1]
    if case.problem.options > MAX_OPTIONS or NotSupportedError.missing("ortools") is not None:
        return None
    adds = np.array(case.added(rule), dtype=np.int64)
    sign = 1 if most else -1
    point = _dual(case.problem, sign * adds, seconds)
    if point is None:
        return None
    for times in range(1, MAX_TIMES + 1):
        weights = sign * np.rint(point * times).astype(np.int64)
        try:
            total = case.check_bound(rule, weights, times, most=most)
        except Rejected:
            continue
        words = _in_words(case, weights, times, total, case.unit(rule), most=most, alike=set(adds.tolist()) == {1})
        return BoundingWeights(words, tuple(weights[case.atoms_of_problem()].tolist()))
    return None


def _dual(problem: Problem, adds: Longs, seconds: float) -> Reals | None:
    """Return the weights of the items with the least total such that each option weighs at least what it adds."""
    from ortools.linear_solver import pywraplp

    solver = pywraplp.Solver.CreateSolver("GLOP")
    free, objective = solver.infinity(), solver.Objective()
    weights = []
    for low, high in zip(problem.low.tolist(), problem.high.tolist(), strict=True):
        weight = solver.NumVar(-free if low == high else 0.0, 0.0 if high >= UNLIMITED else free, "")
        objective.SetCoefficient(weight, float(high if high < UNLIMITED else 0))
        weights.append(weight)
    objective.SetMinimization()
    for option, least in enumerate(adds.tolist()):
        row = solver.Constraint(float(least), free)
        for item in problem.items_of(option).tolist():
            row.SetCoefficient(weights[item], 1.0)
    solver.SetTimeLimit(max(1, int(1000 * seconds)))
    return np.array([weight.solution_value() for weight in weights]) if solver.Solve() == pywraplp.Solver.OPTIMAL else None


def _in_words(case: Case, weights: Longs, times: int, total: int, unit: int, *, most: bool, alike: bool) -> tuple[str, ...]:
    """Return the argument in sentences; ``alike`` if each placement adds 1 to the sum."""
    atoms = case.problem.atoms
    bound = total // times // unit * unit if most else -(-total // times // unit) * unit
    said = [Sentence("Give the atoms the weights in the picture.")]
    said += [
        Sentence("Tile {tile} weighs {weight} besides.", tile=tile.name, weight=str(w))
        for tile, w in zip(case.puzzle.tiles, weights[atoms:].tolist(), strict=True)
        if w
    ]
    each = {
        (True, True): "Each piece weighs {times} or more, wherever it lies.",
        (True, False): "Each piece weighs at least {times} times what it adds to the sum, wherever it lies.",
        (False, True): "Each piece weighs {times} or less, wherever it lies.",
        (False, False): "Each piece weighs at most {times} times what it adds to the sum, wherever it lies.",
    }
    said.append(Sentence(each[most, alike], times=str(times)))
    said += [Sentence("Each piece adds a multiple of {unit}.", unit=str(unit))] if unit > 1 else []
    sums = {
        (True, True): "All together weighs {total}; so at most {bound} fit.",
        (True, False): "All together weighs {total} at most; so the sum is at most {bound}.",
        (False, True): "All together weighs {total}; so at least {bound} are needed.",
        (False, False): "All together weighs {total} at least; so the sum is at least {bound}.",
    }
    said.append(Sentence(sums[most, alike], total=str(total), bound=str(bound)))
    return tuple(said)
