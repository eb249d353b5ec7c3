"""Linear constraints over 0-1 variables as a cover problem: a plain sum of variables is an item, any other sum is a condition.

``from_rows`` makes a cover problem of rows of items, for formats without puzzles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from puzzlesat.base import NotSupportedError
from puzzlesat.puzzles import Condition, CoverProblem

FREE = "#"
"""The item of options without items, and of a problem without items; it may be covered any number of times."""


@dataclass(frozen=True)
class Item:
    """Bounds on how often an item is covered, and whether options colour it."""

    low: int = 1
    high: int = 1
    coloured: bool = False


def from_rows(
    items: Mapping[str, Item], options: Sequence[str], rows: Sequence[Mapping[str, int]], conditions: tuple[Condition, ...] = ()
) -> CoverProblem:
    """Return the problem with these items and options; a row gives the colour of each item of an option, 0 for none."""
    if not items or any(not row for row in rows):
        free = FREE
        while free in items:
            free += FREE
        items = {**items, free: Item(0, CoverProblem.UNLIMITED)}
        rows = [row or {free: 0} for row in rows]
    number = {name: i for i, name in enumerate(items)}
    return CoverProblem(
        items=tuple(items),
        low=np.array([item.low for item in items.values()], dtype=np.int32),
        high=np.array([item.high for item in items.values()], dtype=np.int32),
        coloured=np.array([item.coloured for item in items.values()], dtype=bool),
        options=tuple(options),
        start=np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32),
        item=np.array([number[name] for row in rows for name in row], dtype=np.int32),
        colour=np.array([colour for row in rows for colour in row.values()], dtype=np.int32),
        tiles=np.array([], dtype=np.int32),
        conditions=conditions,
    )


MAX_VARIABLES = 1_000_000
MAX_WEIGHT = 2**62
MAX_NUMBERS = 100_000_000
"""Maximum number of weights in all conditions together; they take 800 MB."""


Sum = tuple[tuple[int, int], ...]
"""Variables in ascending order, each with its weight."""
Bounds = tuple[int, int]


@dataclass(frozen=True)
class Constraint:
    """Σ weight · variable, over variables numbered from 1, is at least ``low`` and at most ``high`` (None: no bound)."""

    weights: Mapping[int, int]
    low: int | None
    high: int | None


@dataclass(frozen=True)
class Colour:
    """A variable that is true exactly if one of its options is chosen, and the at-most-one sum in which it occurs."""

    options: frozenset[int]
    keys: frozenset[Sum]
    """The constraints that define it."""
    item: Sum
    """The at-most-one sum; empty if the variable occurs only in its definition."""


def from_constraints(path: Path, names: Sequence[str], constraints: Iterable[Constraint]) -> CoverProblem:
    """Return the problem with one option per variable, whose solutions are the assignments that satisfy all constraints.

    Constraints on the same sum are merged. If other variables define a variable and it is a colour of an item, it becomes this colour
    instead of an option. Raises NotSupportedError if weights are too large for 64-bit sums, or if there are too many of them.
    """
    sums: dict[Sum, Bounds] = {}
    for constraint in constraints:
        key, low, high = _normal(path, constraint)
        least, most = sums.get(key, (low, high))
        sums[key] = max(low, least), min(high, most)
    sums = {key: bounds for key, bounds in sums.items() if bounds[0] > _least(key) or bounds[1] < _most(key)}
    colours = _colours(sums)
    kept = [v for v in range(1, len(names) + 1) if v not in colours]
    rows: dict[int, dict[str, int]] = {v: {} for v in kept}
    items: dict[str, Item] = {}
    conditions: list[Condition] = []
    number = dict(zip(kept, range(len(kept)), strict=True))
    definitions = {key for colour in colours.values() for key in colour.keys}
    for k, (key, (low, high)) in enumerate(sums.items(), start=1):
        if key in definitions:
            continue
        if any(w != 1 for _, w in key):
            if (len(conditions) + 1) * len(kept) > MAX_NUMBERS:
                raise NotSupportedError(f"{path}: too many constraints that are not plain sums; use a solver for this format instead")
            weights = np.zeros(len(kept), dtype=np.int64)
            weights[[number[v] for v, _ in key]] = [w for _, w in key]
            conditions.append(Condition(f"constraint {k}", weights, max(low, _least(key)), min(high, _most(key))))
            continue
        if low > high or low > _most(key) or high < 0:
            items[f"contradiction {k}"] = Item()
        coloured = any(v in colours for v, _ in key)
        items[f"c{k}"] = Item(min(max(low, 0), _most(key)), min(max(high, 0), _most(key)), coloured)
        for v, _ in key:
            for option in colours[v].options if v in colours else (v,):
                rows[option][f"c{k}"] = v if v in colours else 0
    return from_rows(items, [names[v - 1] for v in kept], list(rows.values()), tuple(conditions))


def check_size(path: Path, variables: int) -> None:
    """Raise NotSupportedError for too many variables: a file may name a single variable with a huge number."""
    if variables > MAX_VARIABLES:
        raise NotSupportedError(f"{path}: {variables:,} variables; {MAX_VARIABLES:,} at most")


def _colours(sums: Mapping[Sum, Bounds]) -> dict[int, Colour]:
    """Return the variables that are colours of an item: defined as a disjunction of options, and otherwise in one at-most-one sum."""
    above: dict[int, tuple[Sum, frozenset[int]]] = {}
    below: dict[int, tuple[Sum, frozenset[int]]] = {}
    uses: dict[int, list[Sum]] = {}
    for key, (low, high) in sums.items():
        for v, _ in key:
            uses.setdefault(v, []).append(key)
        if len(key) < 2:
            continue
        *options, (last, weight) = key  # a colour has a higher number than its options: Σ options - weight · colour
        if weight < 0 and all(w == 1 for _, w in options):
            members = frozenset(v for v, _ in options)
            if low == 0:
                below[last] = (key, members)
            if high == 0 and -weight == len(options):
                above[last] = (key, members)
    found = {}
    for v in above.keys() & below.keys():
        keys = {above[v][0], below[v][0]}
        others = [key for key in uses[v] if key not in keys]
        if above[v][1] == below[v][1] and (not others or (len(others) == 1 and _is_at_most_one(others[0], sums))):
            found[v] = Colour(above[v][1], frozenset(keys), others[0] if others else ())
    return {v: colour for v, colour in found.items() if _stands_alone(v, colour, found)}


def _is_at_most_one(key: Sum, sums: Mapping[Sum, Bounds]) -> bool:
    low, high = sums[key]
    return low <= 0 and high == 1 and all(w == 1 for _, w in key)


def _stands_alone(v: int, colour: Colour, found: Mapping[int, Colour]) -> bool:
    """Tell whether each option has at most one colour of the item, and no option of the colour is a colour itself."""
    inside = {u for u, _ in colour.item if u != v}
    others = inside.union(*(found[u].options for u in inside if u in found))
    return colour.options.isdisjoint(others) and colour.options.isdisjoint(found)


def _least(key: Sum) -> int:
    return sum(w for _, w in key if w < 0)


def _most(key: Sum) -> int:
    return sum(w for _, w in key if w > 0)


def _normal(path: Path, constraint: Constraint) -> tuple[Sum, int, int]:
    """Return the sum and its bounds, with a positive first weight; equal weights become 1."""
    weights = sorted((v, w) for v, w in constraint.weights.items() if w)
    span = sum(abs(w) for _, w in weights)
    if span > MAX_WEIGHT:
        raise NotSupportedError(f"{path}: the weights of a constraint are too big: their sum must stay below 2^62")
    low = -span - 1 if constraint.low is None else constraint.low
    high = span + 1 if constraint.high is None else constraint.high
    if weights and weights[0][1] < 0:
        weights, low, high = [(v, -w) for v, w in weights], -high, -low
    if weights and len({w for _, w in weights}) == 1:
        weight = weights[0][1]
        weights, low, high = [(v, 1) for v, _ in weights], -(-low // weight), high // weight
    return tuple(weights), low, high
