"""Solutions of a cover problem held against its items, colours and conditions alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from puzzlesat.arrays import Flags, Ints, Longs, Rows
from puzzlesat.cover.problem import CoverProblem

MOST_CELLS = 10_000_000
"""Cells of the tables in which solutions are checked, at a time."""
UNBOUNDED = np.iinfo(np.int64).max


def make_cover_recheck(problem: CoverProblem) -> Callable[[Rows], str | None]:
    """Return a function that takes rows of options (padded with -1) and says what is wrong with the first bad one, or None."""
    conditions = [(c, np.append(c.weights, 0)) for c in problem.conditions]
    step = max(1, MOST_CELLS // max(1, len(problem.items)))

    def check(rows: Rows) -> str | None:
        return next((wrong for k in range(0, len(rows), step) if (wrong := part(rows[k : k + step])) is not None), None)

    def part(rows: Rows) -> str | None:
        counts, clash = _coverage(problem, rows)
        often = np.where(problem.coloured, UNBOUNDED, problem.high.astype(np.int64))
        bad = (counts < problem.low) | (counts > often) | clash
        if bad.any():
            row, item = np.argwhere(bad)[0].tolist()
            return _blame(problem, rows[row], f"the item {problem.items[item]} is covered wrongly")
        for condition, weights in conditions:
            totals = weights[rows].sum(axis=1)
            wrong = [row for row, total in enumerate(totals.tolist()) if not condition.holds(total)]
            if wrong:
                return _blame(problem, rows[wrong[0]], f"the condition {condition.name!r} does not hold")
        for option in problem.forced:
            if len(lacking := np.flatnonzero(~(rows == option).any(axis=1))):
                return _blame(problem, rows[lacking[0]], f"the option {problem.options[option]} is missing")
        return None

    return check


def _coverage(problem: CoverProblem, rows: Rows) -> tuple[Longs, Flags]:
    """How often each row covers each item, and where it does so in different colours."""
    shape = len(rows), len(problem.items)
    chosen = rows >= 0
    options, where = rows[chosen], np.nonzero(chosen)[0]
    sizes = np.diff(problem.start)[options]
    offset = np.repeat(problem.start[:-1][options] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) if len(options) else sizes
    entries = (offset + np.arange(sizes.sum())).astype(np.int64)
    cell = np.repeat(where, sizes) * shape[1] + problem.item[entries]
    counts = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    colours = problem.colour[entries]
    lowest = np.full(shape[0] * shape[1], UNBOUNDED)
    highest = np.full(shape[0] * shape[1], -1)
    np.minimum.at(lowest, cell, colours)
    np.maximum.at(highest, cell, colours)
    clash = ((lowest != highest) | (lowest == 0)).reshape(shape)
    return counts, clash & problem.coloured & (counts > 1)


def _blame(problem: CoverProblem, row: Ints, what: str) -> str:
    return f"{what}: {'; '.join(problem.options[o] for o in row.tolist() if o >= 0)}"
