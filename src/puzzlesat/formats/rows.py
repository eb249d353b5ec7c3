"""A cover problem from rows of items, for formats that know nothing of puzzles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from puzzlesat.cover.problem import UNLIMITED, Condition, CoverProblem

FREE = "#"
"""The item of options that have none, and of a problem that has none: it may be covered any number of times."""


@dataclass(frozen=True)
class Item:
    """How often an item must and may be covered, and whether options colour it."""

    low: int = 1
    high: int = 1
    coloured: bool = False


def from_rows(
    items: Mapping[str, Item],
    options: Sequence[str],
    rows: Sequence[Mapping[str, int]],
    conditions: tuple[Condition, ...] = (),
) -> CoverProblem:
    """Return the problem with these items and options; a row gives the colour of each item of an option, 0 for none."""
    if not items or any(not row for row in rows):
        free = FREE
        while free in items:
            free += FREE
        items = {**items, free: Item(0, UNLIMITED)}
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
