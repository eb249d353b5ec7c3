"""Linear constraints over 0-1 variables as a cover problem: a sum of variables is an item, any other sum is a condition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from puzzlesat.cover.problem import Condition, CoverProblem
from puzzlesat.errors import NotSupportedError
from puzzlesat.formats.rows import Item, from_rows

MOST_WEIGHT = 2**62
MOST_NUMBERS = 100_000_000
"""Weights of all conditions together (800 MB)."""


@dataclass(frozen=True)
class Constraint:
    """Σ weight · variable, over variables numbered from 1, is at least ``low`` and at most ``high`` (None: no bound)."""

    weights: Mapping[int, int]
    low: int | None
    high: int | None


def from_constraints(names: Sequence[str], constraints: Iterable[Constraint]) -> CoverProblem:
    """Return the problem with one option a variable, whose solutions are the assignments that satisfy all constraints.

    Constraints on the same sum are joined. Raises NotSupportedError where weights are too big for sums of 64 bits.
    """
    sums: dict[tuple[tuple[int, int], ...], tuple[int, int]] = {}
    for constraint in constraints:
        key, low, high = _normal(constraint)
        least, most = sums.get(key, (low, high))
        sums[key] = max(low, least), min(high, most)
    items: dict[str, Item] = {}
    rows: list[dict[str, int]] = [{} for _ in names]
    conditions: list[Condition] = []
    for number, (key, (low, high)) in enumerate(sums.items(), start=1):
        least, most = sum(w for _, w in key if w < 0), sum(w for _, w in key if w > 0)
        if low <= least and high >= most:
            continue
        if any(w != 1 for _, w in key):
            if (len(conditions) + 1) * len(names) > MOST_NUMBERS:
                raise NotSupportedError(
                    "too many constraints that are no plain sums, for so many variables; a solver for the format itself is better"
                )
            weights = np.zeros(len(names), dtype=np.int64)
            weights[[v - 1 for v, _ in key]] = [w for _, w in key]
            conditions.append(Condition(f"constraint {number}", weights, max(low, least), min(high, most)))
            continue
        if low > high or low > most or high < 0:
            items[f"contradiction {number}"] = Item()
        items[f"c{number}"] = Item(min(max(low, 0), most), min(max(high, 0), most))
        for v, _ in key:
            rows[v - 1][f"c{number}"] = 0
    return from_rows(items, names, rows, tuple(conditions))


def _normal(constraint: Constraint) -> tuple[tuple[tuple[int, int], ...], int, int]:
    """The sum with its first weight positive, all weights ±1 where they are equal but for the sign; and its bounds."""
    weights = sorted((v, w) for v, w in constraint.weights.items() if w)
    span = sum(abs(w) for _, w in weights)
    if span > MOST_WEIGHT:
        raise NotSupportedError("the weights of a constraint are too big: their sum must stay below 2^62")
    low = -span - 1 if constraint.low is None else constraint.low
    high = span + 1 if constraint.high is None else constraint.high
    if weights and weights[0][1] < 0:
        weights, low, high = [(v, -w) for v, w in weights], -high, -low
    if weights and len({w for _, w in weights}) == 1:
        weight = weights[0][1]
        weights, low, high = [(v, 1) for v, _ in weights], -(-low // weight), high // weight
    return tuple(weights), low, high
