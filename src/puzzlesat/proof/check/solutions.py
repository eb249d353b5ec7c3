"""The solutions that a certificate lists: each is checked on the geometry, and they are counted in every convention."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from puzzlesat.proof.check.problem import Permutation, Problem, labellings
from puzzlesat.proof.check.puzzle import Placement, Puzzle
from puzzlesat.proof.check.rejected import Rejected

Rows = NDArray[np.int32]
ROWS_AT_ONCE = 10_000


@dataclass(frozen=True)
class Counts:
    """The numbers of solutions: copies told apart (None: without limit), not told apart, up to symmetry (None: not known)."""

    labelled: int | None
    all: int
    distinct: int | None


def check_solutions(puzzle: Puzzle, placements: list[Placement], problem: Problem, possible: NDArray[np.bool_], rows: Rows) -> None:
    """Raise Rejected unless each row (options ascending, padded with -1) is a solution made of possible options, and no two are alike."""
    if len(rows) and len(np.unique(rows, axis=0)) < len(rows):
        raise Rejected("solutions: one is listed twice")
    if rows.size and (rows.min() < -1 or rows.max() >= len(placements) or np.any(np.diff(_padded(rows), axis=1) < 0)):
        raise Rejected("solutions: a row is not made of ascending placement numbers")
    covering = np.zeros((len(placements) + 1, len(problem.items)), dtype=np.uint8)
    covering[np.repeat(np.arange(len(placements)), np.diff(problem.start)), problem.item] = 1
    usable = np.append(possible, True)
    for begin in range(0, len(rows), ROWS_AT_ONCE):
        some = rows[begin : begin + ROWS_AT_ONCE]
        covered = covering[some].sum(axis=1, dtype=np.int64)
        for wrong, what in (
            (((some[:, 1:] == some[:, :-1]) & (some[:, 1:] >= 0)).any(axis=1), "has a placement twice"),
            (~usable[some].all(axis=1), "has a placement that was left out"),
            ((covered < problem.low).any(axis=1), "leaves an atom uncovered or a tile unused"),
            ((covered > problem.high).any(axis=1), "covers an atom twice or has a tile too often"),
        ):
            if wrong.any():
                raise Rejected(f"solutions: number {begin + int(wrong.argmax()) + 1} {what}")
        for number, row in enumerate(some, start=begin + 1):
            chosen = row[row >= 0]
            if np.unpackbits(np.bitwise_or.reduce(problem.exclude[chosen], initial=0).view(np.uint8), bitorder="little")[chosen].any():
                raise Rejected(f"solutions: number {number} has two placements that exclude each other")
            if not set(problem.forced) <= set(chosen.tolist()) or not keeps_rules(puzzle, placements, chosen.tolist()):
                raise Rejected(f"solutions: number {number} breaks a rule, or lacks a fixed placement")


def keeps_rules(puzzle: Puzzle, placements: list[Placement], chosen: list[int]) -> bool:
    """Tell whether a choice of placements keeps the puzzle's rules."""
    return all(
        rule.holds(
            sum(
                sum(rule.atoms.get(a, 0) for a in placements[o].look[0]) + rule.tiles.get(puzzle.tiles[placements[o].tile].name, 0)
                for o in chosen
            )
        )
        for rule in puzzle.rules
    )


def count_solutions(
    puzzle: Puzzle, placements: list[Placement], rows: Rows, factors: NDArray[np.int64], group: list[Permutation]
) -> Counts:
    """Count what rows of solutions stand for, each for ``factor`` many that look alike; ``group`` is the whole group of symmetries."""
    if not len(rows):
        return no_solutions(puzzle)
    ways = [labellings(t, len(puzzle.form)) for t in puzzle.tiles]
    tile = np.array([*(p.tile for p in placements), len(ways)])
    labelled = None
    if all(w is not None for w in ways):
        used = Counter(
            (tuple(np.bincount(tile[row], minlength=len(ways))[: len(ways)].tolist()), f)
            for row, f in zip(rows, factors.tolist(), strict=True)
        )
        labelled = sum(n * f * prod(w[u] for w, u in zip(ways, kind, strict=True) if w is not None) for (kind, f), n in used.items())
    least = _padded(rows)
    for permutation in group:
        image = np.append(permutation, -1)[rows].astype(np.int32)
        moved = np.sort(_padded(image), axis=1)
        differ = moved != least
        first = differ.argmax(axis=1)
        index = np.arange(len(rows))
        smaller = differ.any(axis=1) & (moved[index, first] < least[index, first])
        least = np.where(smaller[:, None], moved, least)
    return Counts(labelled, int(factors.sum()), len(np.unique(least, axis=0)))


def no_solutions(puzzle: Puzzle) -> Counts:
    """Return the counts of a puzzle without solutions."""
    return Counts(None if any(labellings(t, 0) is None for t in puzzle.tiles) else 0, 0, 0)


def labelled_alike(puzzle: Puzzle, found: int) -> int | None:
    """Return how many solutions there are with copies told apart, where all use equally many of each tile; None where they may not."""
    total = found
    for tile in puzzle.tiles:
        ways = labellings(tile, len(puzzle.form))
        if tile.low != tile.high or ways is None:
            return None
        total *= ways[tile.low] if found else 1
    return total


def _padded(rows: Rows) -> Rows:
    """With the padding as the largest number, so that rows compare as sets do."""
    return np.where(rows < 0, np.iinfo(np.int32).max, rows).astype(np.int32)
