"""The solutions that a symmetry leaves unchanged, as the solutions of a smaller cover problem.

A solution S with gS = S is a set of whole orbits of options under the powers of g. So each orbit whose options can be chosen
together becomes one option, and items that the same of these cover become one item. With Burnside's lemma (number of orbits =
Σ fixed(g) / |G|) this counts solutions up to symmetry without listing one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from puzzlesat.arrays import Flags, Ints, Longs
from puzzlesat.cover.problem import Colouring, Condition, CoverProblem

Column = tuple[tuple[int, int], ...]
"""The options that cover an item, each with the colour it gives."""


def quotient(problem: CoverProblem, symmetry: int) -> CoverProblem:
    """Return the problem whose solutions are, one for one, those of ``problem`` that symmetry number ``symmetry`` leaves unchanged.

    An item of which an orbit takes several units (a tile with copies that the symmetry exchanges) becomes a condition.
    """
    assert problem.images is not None
    every = cycles(problem.images[symmetry])
    orbits = [every[number] for number in np.flatnonzero(_together(problem, every)).tolist()]
    columns, units = _columns(problem, orbits)
    merged = _merge(problem, columns)
    kept = sorted(set(merged.values()))
    rows: list[list[tuple[int, int]]] = [[] for _ in orbits]
    for new, item in enumerate(kept):
        for row, colour in columns[item]:
            rows[row].append((new, colour))
    return CoverProblem(
        items=tuple(problem.items[i] for i in kept),
        low=problem.low[kept],
        high=problem.high[kept],
        coloured=problem.coloured[kept],
        options=tuple(" ".join(problem.options[o] for o in orbit) for orbit in orbits),
        start=np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32),
        item=np.array([i for row in rows for i, _ in row], dtype=np.int32),
        colour=np.array([c for row in rows for _, c in row], dtype=np.int32),
        tiles=np.empty(0, dtype=np.int32),
        conditions=(*_conditions(problem, orbits), *units),
        colouring=None if problem.colouring is None else _piece_by_piece(problem, problem.colouring, orbits),
        centres=None if problem.centres is None else problem.centres[kept],
        adjacent=None if problem.adjacent is None else _renumbered(problem.adjacent, merged, kept),
        forced=tuple(row for row, orbit in enumerate(orbits) if set(problem.forced) & set(orbit)),
    )


def cycles(permutation: Ints) -> list[list[int]]:
    """Return the cycles of a permutation, each from its least element on."""
    images = permutation.tolist()
    seen = [False] * len(images)
    found = []
    for first in range(len(images)):
        cycle = []
        option = first
        while not seen[option]:
            seen[option] = True
            cycle.append(option)
            option = images[option]
        if cycle:
            found.append(cycle)
    return found


def _together(problem: CoverProblem, orbits: list[list[int]]) -> Flags:
    """For each orbit, whether its options can be chosen together."""
    rows = _rows(problem, orbits)[problem.rows]
    order = np.lexsort((problem.item, rows))
    rows, items, colours = rows[order], problem.item[order], problem.colour[order]
    begins = np.flatnonzero((np.diff(rows, prepend=-1) != 0) | (np.diff(items, prepend=-1) != 0))
    covered = np.diff(begins, append=len(rows))
    rows, items = rows[begins], items[begins]
    one = np.minimum.reduceat(colours, begins) == np.maximum.reduceat(colours, begins) if len(begins) else np.empty(0, dtype=bool)
    same_colour = one & ((covered == 1) | (colours[begins] != 0))
    possible = np.ones(len(orbits), dtype=bool)
    possible[rows[~np.where(problem.coloured[items], same_colour, covered <= problem.high[items])]] = False
    return possible


def _rows(problem: CoverProblem, orbits: list[list[int]]) -> Longs:
    """For each option the number of its orbit, or -1."""
    number = np.full(problem.size, -1, dtype=np.int64)
    lengths = np.array([len(orbit) for orbit in orbits], dtype=np.int64)
    number[[option for orbit in orbits for option in orbit]] = np.repeat(np.arange(len(orbits)), lengths)
    return number


def _columns(problem: CoverProblem, orbits: list[list[int]]) -> tuple[dict[int, Column], list[Condition]]:
    """The columns of the items that stay items, and the conditions that the others become."""
    columns: dict[int, Column] = {}
    conditions = []
    number = _rows(problem, orbits)
    for item, options in enumerate(problem.options_of):
        rows = number[options]
        amounts = np.bincount(rows[rows >= 0], minlength=len(orbits))
        if not problem.coloured[item] and (amounts > 1).any():
            high = min(int(problem.high[item]), int(amounts.sum()))
            conditions.append(Condition(problem.items[item], amounts.astype(np.int64), int(problem.low[item]), high))
            continue
        if problem.coloured[item]:
            pairs = zip(rows.tolist(), (_colour(problem, option, item) for option in options.tolist()), strict=True)
            columns[item] = tuple(sorted({(row, colour) for row, colour in pairs if row >= 0}))
        else:
            columns[item] = tuple((row, 0) for row in np.flatnonzero(amounts).tolist())
    return columns, conditions


def _colour(problem: CoverProblem, option: int, item: int) -> int:
    entries = slice(problem.start[option], problem.start[option + 1])
    return int(problem.colour[entries][problem.item[entries] == item][0])


def _merge(problem: CoverProblem, columns: dict[int, Column]) -> dict[int, int]:
    """For each item, the first one that asks the same of the same options, whatever its colours are called."""
    first: dict[tuple[object, ...], int] = {}
    merged = {}
    for item, column in columns.items():
        names = {0: 0}
        coloured = problem.coloured[item]
        renamed = tuple((row, names.setdefault(colour, len(names))) for row, colour in column) if coloured else column
        key = (renamed, int(problem.low[item]), int(problem.high[item]), bool(coloured))
        merged[item] = first.setdefault(key, item)
    return merged


def _conditions(problem: CoverProblem, orbits: list[list[int]]) -> list[Condition]:
    """The side conditions, and one that cannot hold where a forced option is in no orbit that can be chosen."""
    found = [replace(c, weights=np.array([c.weights[orbit].sum() for orbit in orbits], dtype=np.int64)) for c in problem.conditions]
    if not set(problem.forced) <= {option for orbit in orbits for option in orbit}:
        found.append(Condition("forced", np.zeros(len(orbits), dtype=np.int64), 1, 1))
    return found


def _piece_by_piece(problem: CoverProblem, colouring: Colouring, orbits: list[list[int]]) -> Colouring:
    """The colouring, in which the options of an orbit stay pieces of their own: they may have different colours."""
    return replace(colouring, pieces=tuple(tuple(piece for o in orbit for piece in colouring.pieces_of(problem, o)) for orbit in orbits))


def _renumbered(adjacent: Ints, merged: dict[int, int], kept: list[int]) -> Ints:
    """Pairs of neighbouring items after merging."""
    number = {item: new for new, item in enumerate(kept)}
    pairs = {(number[merged[a]], number[merged[b]]) for a, b in adjacent.tolist() if a in merged and b in merged}
    return np.array(sorted((a, b) for a, b in pairs if a != b), dtype=np.int32).reshape(-1, 2)
