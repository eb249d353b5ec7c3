"""Weights of the atoms and tiles that bound a sum over the placements of a solution, which a person can check.

If each placement weighs at least as much as it adds to the sum, then the sum of a solution is at most the weight of all that it may cover.
Such weights are the dual of the linear programme of the puzzle, without integrality (G. B. Dantzig, "Linear Programming and Extensions",
1963, chapter 6). They are found in floating point, rounded to small integers, and checked in exact arithmetic by the checker.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from puzzlesat.base import Longs, NotSupportedError, Reals, Sentence
from puzzlesat.checker import NO_RULE, Problem, Rejected, StatedRule
from puzzlesat.proofs.case import Case

MAX_OPTIONS = 30_000
"""Maximum number of placements: the linear programme then takes some seconds."""
MAX_TIMES = 60
"""Maximum common denominator of the weights."""
UNLIMITED = 1 << 30
"""The number of copies of a tile that has any number of them."""


@dataclass(frozen=True)
class BoundingWeights:
    """Weights which show that no solution keeps a rule."""

    sentences: tuple[str, ...]
    of_atoms: tuple[int, ...]
    """The weight of each atom, in the order of the atoms of the form."""
    stated: dict[str, Any]
    """The weights of all items, as a certificate states them."""


def unreachable(case: Case, seconds: float) -> BoundingWeights | None:
    """Return weights which show that a puzzle has no solution: that too few tiles fit, or that a condition is out of reach."""
    rules = [(n, rule) for n, rule in enumerate(case.puzzle.rules) if isinstance(rule, StatedRule) and not rule.modulus]
    for number, rule in [(None, NO_RULE), *rules]:
        for most in (True, False) if number is not None else (True,):
            if (found := bounding_weights(case, number, rule, most=most, seconds=seconds)) is not None:
                return found
    return None


def bounding_weights(case: Case, number: int | None, rule: StatedRule, *, most: bool, seconds: float) -> BoundingWeights | None:
    """Return weights which show that no solution keeps a rule of a puzzle, which has this number; None if none were found.

    The sum of the rule is at least ``low`` if ``most``, else at most ``high``, and the weights show that this is out of reach.
    """
    if not 0 < case.problem.options <= MAX_OPTIONS or NotSupportedError.missing("ortools") is not None:
        return None
    adds = np.array(case.added(rule), dtype=np.int64)
    sign = 1 if most else -1
    if (point := _dual(case.problem, sign * adds, seconds, widest=1.0 if number is None else None)) is None:
        return None
    for times in range(1, MAX_TIMES + 1):
        weights = sign * np.rint(point * times).astype(np.int64)
        at = 1 if number is None else times
        if (sign * (np.add.reduceat(weights[case.problem.item], case.problem.start[:-1]) - at * adds) < 0).any():
            continue  # the exact check takes a thousand times as long
        try:
            total = case.check_bound(rule, weights, at, most=most)
        except Rejected:
            continue
        words = _in_words(case, weights, at, total, adds, most=most)
        stated = {"weights": [[i, w] for i, w in enumerate(weights.tolist()) if w], "rule": number, "times": at, "most": most}
        return BoundingWeights(words, tuple(weights[case.atoms_of_problem()].tolist()), stated)
    return None


def _dual(problem: Problem, adds: Longs, seconds: float, *, widest: float | None) -> Reals | None:
    """Return the weights of the items with the least total such that each option weighs at least what it adds.

    With ``widest``, no weight is larger than this number, or smaller than its negative; else there may be no least total.
    """
    from ortools.linear_solver import pywraplp

    solver = pywraplp.Solver.CreateSolver("GLOP")
    objective, end = solver.Objective(), solver.infinity() if widest is None else widest
    weights = []
    for low, high in zip(problem.low.tolist(), problem.high.tolist(), strict=True):
        weight = solver.NumVar(-end if low == high or low else 0.0, 0.0 if high >= UNLIMITED else end, "")
        cost = solver.NumVar(-solver.infinity(), solver.infinity(), "")
        objective.SetCoefficient(cost, 1.0)
        solver.Add(cost >= low * weight)
        solver.Add(cost >= high * weight if high < UNLIMITED else cost >= low * weight)
        weights.append(weight)
    objective.SetMinimization()
    for option, least in enumerate(adds.tolist()):
        row = solver.Constraint(float(least), solver.infinity())
        for item in problem.items_of(option).tolist():
            row.SetCoefficient(weights[item], 1.0)
    solver.SetTimeLimit(max(1, int(1000 * seconds)))
    return np.array([weight.solution_value() for weight in weights]) if solver.Solve() == pywraplp.Solver.OPTIMAL else None


def _in_words(case: Case, weights: Longs, times: int, total: int, adds: Longs, *, most: bool) -> tuple[str, ...]:
    """Return the argument in sentences."""
    said = [Sentence("Give the atoms the weights in the picture.")]
    if not adds.any():
        return (*said, *_too_few(case, weights, total))
    alike, unit = set(adds.tolist()) == {1}, int(np.gcd.reduce(adds))
    bound = total // times // unit * unit if most else -(-total // times // unit) * unit
    said += [
        Sentence("Tile {tile} weighs {weight} besides.", tile=tile.name, weight=str(w))
        for tile, w in zip(case.puzzle.tiles, weights[case.problem.atoms :].tolist(), strict=True)
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


def _too_few(case: Case, weights: Longs, total: int) -> Iterator[Sentence]:
    """Yield why the tiles weigh more than the form: the weight of a tile's item is what each of its copies weighs at least, negated."""
    need = 0
    for tile, item in zip(case.puzzle.tiles, range(case.problem.atoms, len(weights)), strict=True):
        least, copies = -int(weights[item]), int(case.problem.low[item])
        if least < 0:
            copies = int(case.problem.high[item])
        need += least * copies
        words = "Tile {tile} weighs {least} or more, wherever it lies; {n} {n|copy weighs|copies weigh} {all} or more."
        yield Sentence(words, tile=tile.name, least=str(least), n=str(copies), all=str(least * copies))
    yield Sentence(
        "The tiles weigh {need} or more together, and the form {whole} at most; so there is no solution.",
        need=str(need),
        whole=str(total + need),
    )
