"""The solutions that a certificate lists: each is checked on the geometry, and they are counted in every convention.

A solution that a symmetry leaves unchanged is made of whole orbits of placements. So each orbit whose placements do not exclude each
other is one option, which has all their items. A tile of which an orbit has several placements is no item: how often it is used is looked
at on each solution that is found, as the rules are. Other solutions that the tree leads to are no solutions of the puzzle, and do not
count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from math import prod

import numpy as np

from .arrays import Flags, Longs, Permutation, Records, Rows
from .problem import Problem, bits, labellings, orbits
from .puzzle import StatedPlacement, StatedPuzzle, StatedRule
from .solution_rules import SolutionRule, keeps
from .tree import replay
from .values import CheckerSentence, Rejected

COVERED_AT_ONCE = 1 << 20
"""Numbers of rows times items that are looked at together."""


@dataclass(frozen=True)
class CertifiedCounts:
    """The numbers of solutions: copies told apart (None: without limit), not told apart, up to symmetry; None: not known."""

    labelled: int | None
    all: int | None
    distinct: int | None


NO_SOLUTIONS = CertifiedCounts(0, 0, 0)
UNKNOWN = CertifiedCounts(None, None, None)


def counts_in_words(counts: CertifiedCounts) -> CheckerSentence:
    """Return the counts as text: ``labelled 11,520, all 11,520, distinct 480``; ``-`` for one that is not known."""

    def figure(number: int | None) -> int | str:
        return "-" if number is None else number

    said = "labelled {labelled}, all {all}, distinct {distinct}"
    return CheckerSentence(said, labelled=figure(counts.labelled), all=figure(counts.all), distinct=figure(counts.distinct))


def check_solutions(
    puzzle: StatedPuzzle, placements: list[StatedPlacement], problem: Problem, possible: Flags, blocks: Iterable[Rows]
) -> Rows:
    """Return the rows of all blocks (options ascending, padded with -1).

    Raises Rejected unless each is a solution made of possible options, and no two are alike. Every block is checked before the next is
    read, and the rows so far whenever they have doubled: nothing is held that is not known to be right.
    """
    kept: list[Rows] = []
    count = doubled = 0
    at_once = max(1, COVERED_AT_ONCE // len(problem.items))
    for block in blocks:
        for begin in range(0, len(block), at_once):
            _check_rows(puzzle, placements, problem, possible, block[begin : begin + at_once], count + begin + 1)
        kept.append(block)
        count += len(block)
        if count >= 2 * doubled:
            kept, doubled = [_all_different(kept)], count
    return kept[0] if len(kept) == 1 else _all_different(kept) if kept else np.empty((0, 0), dtype=np.int32)


def _all_different(blocks: list[Rows]) -> Rows:
    rows = np.ascontiguousarray(np.concatenate(blocks))
    if rows.shape[1]:
        ordered = np.sort(rows.view(np.dtype((np.void, 4 * rows.shape[1]))).ravel())
        if (ordered[1:] == ordered[:-1]).any():
            raise Rejected("solutions: one is listed twice")
    return rows


def _check_rows(puzzle: StatedPuzzle, placements: list[StatedPlacement], problem: Problem, possible: Flags, rows: Rows, first: int) -> None:
    """Check some rows, numbered from ``first``."""
    if rows.size and (rows.min() < -1 or rows.max() >= len(placements) or np.any(np.diff(_padded(rows), axis=1) < 0)):
        raise Rejected("solutions: a row is not made of ascending placement numbers")
    covered = _covered(problem, rows)
    for wrong, what in (
        (((rows[:, 1:] == rows[:, :-1]) & (rows[:, 1:] >= 0)).any(axis=1), "has a placement twice"),
        (~np.append(possible, True)[rows].all(axis=1), "has a placement that was left out"),
        ((covered < problem.low).any(axis=1), "leaves an atom uncovered or a tile unused"),
        ((covered > problem.high).any(axis=1), "covers an atom twice or has a tile too often"),
    ):
        if wrong.any():
            raise Rejected(f"solutions: number {first + int(wrong.argmax())} {what}")
    excluding = _excluding(problem, rows)
    broken = ~rules_kept(puzzle, placements, rows)
    for option in problem.forced:
        broken |= (rows != option).all(axis=1)
    if (wrong := excluding | broken).any():
        number = int(wrong.argmax())
        what = "has two placements that exclude each other" if excluding[number] else "breaks a rule, or lacks a fixed placement"
        raise Rejected(f"solutions: number {first + number} {what}")


def _excluding(problem: Problem, rows: Rows) -> Flags:
    """Tell for each row whether two of its placements exclude each other."""
    found = np.zeros(len(rows), dtype=np.bool_)
    for column in range(rows.shape[1] - 1) if problem.options else ():
        others = rows[:, column + 1 :]
        sets = problem.exclude[rows[:, column : column + 1], others // 64]
        found |= ((sets >> (others % 64).astype(np.uint64) & np.uint64(1)).astype(np.bool_) & (others >= 0)).any(axis=1)
    return found


def _covered(problem: Problem, rows: Rows) -> Longs:
    """Array (rows, items): how often each row covers each item."""
    row, column = np.nonzero(rows >= 0)
    options = rows[row, column]
    sizes = problem.start[options + 1] - problem.start[options]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    item = problem.item[np.repeat(problem.start[options], sizes) + within]
    found = np.bincount(np.repeat(row, sizes) * len(problem.items) + item, minlength=len(rows) * len(problem.items))
    return found.reshape(len(rows), len(problem.items))


def rules_kept(puzzle: StatedPuzzle, placements: list[StatedPlacement], rows: Rows) -> Flags:
    """Tell for each choice of placements, padded with -1, whether it keeps the puzzle's rules."""
    kept = np.ones(len(rows), dtype=np.bool_)
    used = np.unique(rows[rows >= 0]) if puzzle.rules else np.empty(0, dtype=np.int32)
    for rule in puzzle.rules:
        if isinstance(rule, StatedRule):
            weights = [_weight(puzzle, rule, placements[o]) for o in used.tolist()]
            totals = np.append(np.array(weights, dtype=np.int64), 0)[np.where(rows < 0, len(used), np.searchsorted(used, rows))].sum(axis=1)
            kept &= (totals - rule.residue) % rule.modulus == 0 if rule.modulus else (rule.low <= totals) & (totals <= rule.high)
    late = [rule for rule in puzzle.rules if isinstance(rule, SolutionRule)]
    for number in np.flatnonzero(kept).tolist() if late else ():
        pieces = puzzle.pieces(placements[o] for o in rows[number].tolist() if o >= 0)
        kept[number] = all(keeps(puzzle.surface, pieces, rule) for rule in late)
    return kept


def _weight(puzzle: StatedPuzzle, rule: StatedRule, placement: StatedPlacement) -> int:
    return sum(rule.atoms.get(a, 0) for a in placement.look[0]) + rule.tiles.get(puzzle.tiles[placement.tile].name, 0)


def count_solutions(
    puzzle: StatedPuzzle, placements: list[StatedPlacement], rows: Rows, factors: Longs, group: list[Permutation]
) -> CertifiedCounts:
    """Count what rows of solutions stand for, each for ``factor`` many that look alike; ``group`` is the whole group of symmetries."""
    if not len(rows):
        return NO_SOLUTIONS
    tile = np.array([*(p.tile for p in placements), len(puzzle.tiles)])
    used = Counter(
        (tuple(np.bincount(tile[row], minlength=len(puzzle.tiles))[: len(puzzle.tiles)].tolist()), f)
        for row, f in zip(rows, factors.tolist(), strict=True)
    )
    labelled: int | None = None
    if all(labellings(t, 0) is not None for t in puzzle.tiles):
        ways = cache(lambda t, number: labellings(puzzle.tiles[t], number) or 0)
        labelled = sum(n * f * prod(ways(t, number) for t, number in enumerate(kind)) for (kind, f), n in used.items())
    least = _padded(rows)
    for permutation in group:
        image = np.append(permutation, -1)[rows].astype(np.int32)
        moved = np.sort(_padded(image), axis=1)
        differ = moved != least
        first = differ.argmax(axis=1)
        index = np.arange(len(rows))
        smaller = differ.any(axis=1) & (moved[index, first] < least[index, first])
        least = np.where(smaller[:, None], moved, least)
    return CertifiedCounts(labelled, int(factors.sum()), len(np.unique(least, axis=0)))


def labelled_alike(puzzle: StatedPuzzle, found: int) -> int | None:
    """Return how many solutions there are with copies told apart, where all use equally many of each tile; None where they may not."""
    if not found:
        return 0
    total = found
    for tile in puzzle.tiles:
        ways = labellings(tile, tile.low)
        if tile.low != tile.high or ways is None:
            return None
        total *= ways
    return total


def _padded(rows: Rows) -> Rows:
    """With the padding as the largest number, so that rows compare as sets do."""
    return np.where(rows < 0, np.iinfo(np.int32).max, rows).astype(np.int32)


@dataclass(frozen=True, eq=False)
class Unmoved:
    """The problem of one symmetry: its solutions contain those that the symmetry leaves unchanged."""

    problem: Problem
    """Its options are orbits."""
    orbits: tuple[tuple[int, ...], ...]
    """The placements of each option."""
    uses: Longs
    """Array (orbits + 1, tiles): the number of placements of each tile that is not an item. The last row, for no orbit, is 0."""
    low: Longs
    high: Longs
    """The least and the largest number of placements of each of these tiles."""


def classes(group: dict[int, Permutation]) -> list[list[int]]:
    """Return the symmetries of a group in classes: those that a symmetry takes to each other leave equally many solutions unchanged."""
    number = {permutation.tobytes(): s for s, permutation in group.items()}
    found: dict[int, list[int]] = {}
    for s, permutation in group.items():
        if not any(s in members for members in found.values()):
            # after p, to where p takes them: p(x) goes to p(s(x))
            moved = {number[p[permutation[np.argsort(p)]].tobytes()] for p in group.values()}
            found[s] = sorted(moved)
    return list(found.values())


def unmoved_by(problem: Problem, permutation: Permutation) -> Unmoved | None:
    """Return the problem of a symmetry; None where it cannot leave any solution unchanged, because of what is forced."""
    whole = dict.fromkeys(tuple(sorted(orbit)) for orbit in orbits(np.arange(problem.options), [permutation]).values())
    excluded = {orbit: np.bitwise_or.reduce(problem.exclude[list(orbit)]) for orbit in whole}
    allowed = [orbit for orbit, others in excluded.items() if not (others & bits(np.array(orbit), problem.options)).any()]
    owner = {o: number for number, orbit in enumerate(allowed) for o in orbit}
    if not owner.keys() >= set(problem.forced):
        return None
    items = [np.concatenate([problem.item[problem.start[o] : problem.start[o + 1]] for o in orbit]) for orbit in allowed]
    several = sorted({int(item) for own in items for item, n in zip(*np.unique(own, return_counts=True), strict=True) if n > 1})
    uses = np.array([[(own == item).sum() for item in several] for own in items] + [[0] * len(several)], dtype=np.int64)
    left = [item for item in range(len(problem.items)) if item not in several]
    number_of = {item: number for number, item in enumerate(left)}
    rows = [sorted(number_of[item] for item in own.tolist() if item in number_of) for own in items]
    exclude = np.zeros((len(allowed), max(1, (len(allowed) + 63) // 64)), dtype=np.uint64)
    for number, orbit in enumerate(allowed):
        there = np.unpackbits(excluded[orbit].view(np.uint8), count=problem.options, bitorder="little")
        others = {owner[o] for o in np.flatnonzero(there).tolist() if o in owner}
        exclude[number] = bits(np.array(sorted(others), dtype=np.int64), len(allowed))
    return Unmoved(
        replace(
            problem,
            options=len(allowed),
            items=tuple(problem.items[item] for item in left),
            low=problem.low[left],
            high=problem.high[left],
            start=np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32),
            item=np.array([item for row in rows for item in row], dtype=np.int32),
            exclude=exclude,
            forced=tuple(sorted({owner[o] for o in problem.forced})),
        ),
        tuple(allowed),
        uses.reshape(len(allowed) + 1, len(several)),
        problem.low[several],
        problem.high[several],
    )


def count_unmoved(puzzle: StatedPuzzle, placements: list[StatedPlacement], unmoved: Unmoved, records: Iterator[Records]) -> int:
    """Return how many solutions a symmetry leaves unchanged, by a tree. Raises Rejected unless it leads to all of them."""
    found, width = 0, max(map(len, unmoved.orbits), default=0)
    members = np.array([[*orbit, *[-1] * (width - len(orbit))] for orbit in (*unmoved.orbits, ())], dtype=np.int32)

    def look(rows: Rows) -> None:
        nonlocal found
        used = unmoved.uses[rows].sum(axis=1)
        kept = rows[((unmoved.low <= used) & (used <= unmoved.high)).all(axis=1)]
        found += int(rules_kept(puzzle, placements, members[kept].reshape(len(kept), kept.shape[1] * width)).sum())

    everything = bits(np.arange(unmoved.problem.options), unmoved.problem.options)
    replay(unmoved.problem, everything, records, look)
    return found
