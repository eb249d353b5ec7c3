"""Check solutions of a puzzle on its geometry, and solutions of a cover problem on its items, colours and conditions.

For a puzzle, the checker lays each placement by itself, and knows nothing of the cover problem.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, NotSupportedError, Rows, Sentence
from puzzlesat.checker import RebuiltPuzzle, Rejected, TooLarge, read_puzzle
from puzzlesat.proofs.statement import state_puzzle
from puzzlesat.puzzles import AtomId, BuiltInstance, CoverProblem


def solution_check(
    puzzle: BuiltInstance | CoverProblem, go_on: Callable[[], object] = bool, *, unchecked: Callable[[str], object] | None = None
) -> Callable[[Rows], str | None]:
    """Return a function that takes rows of options, padded with -1, and returns the error of the first wrong one, or None.

    A placement is looked at when a row first has it. ``go_on`` is called at each, for there may be thousands, and may raise. If the puzzle
    is beyond a limit of the checker, the function calls ``unchecked`` with the reason and returns None; without ``unchecked`` it raises
    NotSupportedError.
    """
    if isinstance(puzzle, CoverProblem):
        return cover_check(puzzle)
    built, reasons = puzzle, list[str]()

    def told(option: int) -> tuple[str, int, tuple[AtomId, ...], list[tuple[AtomId, AtomId, str]], int]:
        own = built.placements[option]
        return own.name, own.tile, own.atoms, [(m.side, m.face, m.name) for m in own.marks], own.orientation

    @cache
    def against() -> Callable[[Rows], tuple[int, str] | None]:
        """The check of the checker, once there is a solution."""
        stated = {"name": "puzzle", "title": "puzzle"} | state_puzzle(built, wide=True)
        puzzle = read_puzzle(json.loads(json.dumps(stated)), wide=True, alike=True)
        return RebuiltPuzzle(puzzle, go_on).check_of(len(built.placements), told)

    def check(rows: Rows) -> str | None:
        try:
            wrong = against()(rows) if len(rows) and not reasons else None
        except TooLarge as error:
            reasons.append(Sentence("the puzzle is too large for the checker: {error}", error=str(error)))
        except Rejected as error:  # of a placement, or the puzzle as the program states it
            return str(error)
        if reasons:
            if unchecked is None:
                raise NotSupportedError(f"solutions cannot be checked, because {reasons[0]}")
            unchecked(reasons[0])
            return None
        return None if wrong is None else f"{wrong[1]}: {' '.join(told(o)[0] for o in rows[wrong[0]].tolist() if o >= 0)}"

    return check


MAX_CELLS = 10_000_000
"""Maximum number of cells in the table of solutions and items that is checked at a time."""
UNBOUNDED = np.iinfo(np.int64).max


def cover_check(problem: CoverProblem) -> Callable[[Rows], str | None]:
    """Return a function that takes rows of options (padded with -1) and returns the error of the first wrong one, or None."""
    conditions = [(c, np.append(c.weights, 0)) for c in problem.conditions]
    step = max(1, MAX_CELLS // max(1, len(problem.items)))

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
    """Return how often each row covers each item, and whether it covers it in different colours."""
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
