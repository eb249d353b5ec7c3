"""The solutions that a symmetry leaves unchanged: the problem whose solutions they are, and a tree that finds them all.

Such a solution is made of whole orbits of placements. So each orbit whose placements do not exclude each other is one option, which has
all their items. A tile of which an orbit has several placements is no item: how often it is used is looked at on each solution that is
found, as the rules are. Other solutions that the tree leads to are no solutions of the puzzle, and do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from .arrays import Longs, Permutation, Records, Rows
from .problem import Problem, bits, orbits
from .puzzle import StatedPlacement, StatedPuzzle
from .solutions import rules_kept
from .tree import replay


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
