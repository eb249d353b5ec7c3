"""The solutions that a symmetry leaves unchanged: the problem whose solutions they are, and a tree or a tally that counts them.

Such a solution is made of whole orbits of placements. So each orbit whose placements do not exclude each other is one option, which has
all their items, a tile as often as it has placements of the tile. For a tree, a tile of which an orbit has several placements is no item:
how often it is used is looked at on each solution that is found, as the rules are. Other solutions that the tree leads to are no solutions
of the puzzle, and do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .arrays import Flags, Ints, Permutation, Records, Rows
from .problem import Problem, bits, orbits
from .puzzle import StatedPlacement, StatedPuzzle
from .solution_rules import Entries
from .solutions import SolutionCheck
from .tally import check_tally
from .tree import replay
from .values import Rejected


@dataclass(frozen=True, eq=False)
class Unmoved:
    """The problem of one symmetry: its solutions contain those that the symmetry leaves unchanged."""

    puzzle: StatedPuzzle
    orbits: tuple[tuple[int, ...], ...]
    """The placements of each option."""
    whole: Problem
    """Its options are orbits, which have all items of their placements."""
    problem: Problem
    """The same without the tiles of which an orbit has several placements."""

    def count_by_tree(self, placements: list[StatedPlacement], records: Iterator[Records]) -> int:
        """Return how many solutions a symmetry leaves unchanged, by a tree. Raises Rejected unless it leads to all of them."""
        found, width = 0, max(map(len, self.orbits), default=0)
        members = np.array([[*orbit, *[-1] * (width - len(orbit))] for orbit in (*self.orbits, ())], dtype=np.int32)

        check = SolutionCheck(self.puzzle, len(placements), placements.__getitem__)

        def look(rows: Rows) -> None:
            nonlocal found
            covered = Entries.of(self.whole.start, self.whole.item, rows).count(len(rows), len(self.whole.items))
            kept = rows[((self.whole.low <= covered) & (covered <= self.whole.high)).all(axis=1)]
            found += int(check.rules_kept(members[kept].reshape(len(kept), kept.shape[1] * width)).sum())

        replay(self.problem, bits(np.arange(self.problem.options), self.problem.options), records, look)
        return found

    @property
    def tallied(self) -> tuple[Problem, Flags] | None:
        """The problem of a tally, and its possible options. None where there are rules or marks, which are not part of it.

        Nothing but a forced option is possible that one excludes, and its first atom must be covered: so every solution has it.
        """
        whole, low = self.whole, self.whole.low.copy()
        if self.puzzle.late_rules or self.puzzle.mates:
            return None
        low[whole.item[whole.start[list(whole.forced)]]] = 1
        excluded = np.bitwise_or.reduce(whole.exclude[list(whole.forced)], axis=0)
        possible = np.unpackbits(excluded.view(np.uint8), count=whole.options, bitorder="little") == 0
        return replace(whole, low=low), possible

    def count_by_tally(self, stated: Any, members: Mapping[str, bytes]) -> int:
        """Return how many solutions a symmetry leaves unchanged, by a tally as in a certificate. Raises Rejected where it is none."""
        if self.tallied is None:
            raise Rejected("tally: rules and marks are not part of it")
        problem, possible = self.tallied
        alone = np.ones(problem.options, dtype=np.int64)
        return check_tally(problem, possible, alone, stated, lambda name: len(members[name]), lambda name, _: members[name])[0]


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


def unmoved_by(puzzle: StatedPuzzle, problem: Problem, permutation: Permutation) -> Unmoved | None:
    """Return the problem of a symmetry; None where it cannot leave any solution unchanged, because of what is forced."""
    together = dict.fromkeys(tuple(sorted(orbit)) for orbit in orbits(np.arange(problem.options), [permutation]).values())
    excluded = {orbit: np.bitwise_or.reduce(problem.exclude[list(orbit)]) for orbit in together}
    allowed = [orbit for orbit, others in excluded.items() if not (others & bits(np.array(orbit), problem.options)).any()]
    owner = {o: number for number, orbit in enumerate(allowed) for o in orbit}
    if not owner.keys() >= set(problem.forced):
        return None
    items = [np.concatenate([problem.items_of(o) for o in orbit]) for orbit in allowed]
    several = {int(item) for own in items for item, n in zip(*np.unique(own, return_counts=True), strict=True) if n > 1}
    exclude = np.zeros((len(allowed), max(1, (len(allowed) + 63) // 64)), dtype=np.uint64)
    for number, orbit in enumerate(allowed):
        there = np.unpackbits(excluded[orbit].view(np.uint8), count=problem.options, bitorder="little")
        others = {owner[o] for o in np.flatnonzero(there).tolist() if o in owner}
        exclude[number] = bits(np.array(sorted(others), dtype=np.int64), len(allowed))
    forced = tuple(sorted({owner[o] for o in problem.forced}))
    whole = replace(problem, options=len(allowed), exclude=exclude, forced=forced)
    every = [*range(len(problem.items))]
    once = [item for item in every if item not in several]
    return Unmoved(puzzle, tuple(allowed), _with_items(whole, items, every), _with_items(whole, items, once))


def _with_items(problem: Problem, items: list[Ints], left: list[int]) -> Problem:
    """Return a problem with the items that are left, where option number i has ``items[i]``."""
    number_of = {item: number for number, item in enumerate(left)}
    rows = [sorted(number_of[item] for item in own.tolist() if item in number_of) for own in items]
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32)
    item = np.array([item for row in rows for item in row], dtype=np.int32)
    names = tuple(problem.items[item] for item in left)
    return replace(problem, items=names, low=problem.low[left], high=problem.high[left], start=start, item=item)
