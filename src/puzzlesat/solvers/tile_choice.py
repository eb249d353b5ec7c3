"""Choose the tile or atom on which to break the symmetry: one that makes the search clearly shorter, or else the one of the rule.

The search begins with the one of the rule, ``choose_item``. If it seems to be long, each tile and some atoms are tried: the size of the
search tree is estimated from a sample of the subtrees below one level. D. E. Knuth, "Estimating the efficiency of backtrack programs",
Mathematics of Computation 29 (1975), samples random paths. Here the subtrees are equally spaced, so the same problem gets the same item on
every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from math import hypot, inf, sqrt
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from puzzlesat.puzzles import CoverProblem, reduce
from puzzlesat.solvers import bitset_search, kernel
from puzzlesat.solvers.kernel import State, Tables
from puzzlesat.solvers.parallel import NO_LIMIT, share_done
from puzzlesat.solvers.tables import bitset_bytes, copy_state, is_plain, make_tables, option_bits, start_state

NODES_BEFORE = 1 << 15
"""Nodes of a short search with the tile of the rule. The size of a longer search is estimated from the same number of further nodes."""
MIN_SEARCH_NODES = 1 << 21
"""Estimated nodes of a search from which on other tiles are tried. Trying them takes a fifth of a second."""
MAX_BYTES = 1 << 25
"""Memory limit of the bitsets in bytes. A problem that needs more is searched with the tile of the rule."""
FIRST_NODES = 1 << 13
"""Nodes of the first estimate of each tile, approximately."""
LAST_NODES = 1 << 14, 1 << 17
"""Least and greatest number of nodes of the second estimate, which compares the best tiles and decides."""
LAST_SHARE = 1 / 16
"""Nodes of the second estimate, as a share of the search with the tile of the rule."""
FINALISTS = 4
ATOMS = 3
"""Atoms that are tried besides the tiles."""
NO_ROWS = np.empty((0, 0), dtype=np.int32)
FIRST_SUBTREES, MAX_SUBTREES = 16, 256
"""Subtrees in the first sample, which shows how large subtrees are, and the greatest number of subtrees in a sample."""
MIN_SHARE = 1e-6
"""Lower bound for the share of an unfinished subtree that is taken as done."""

_chosen: WeakKeyDictionary[CoverProblem, int | None] = WeakKeyDictionary()


@dataclass(frozen=True)
class Estimate:
    """An estimate of the number of nodes of a search."""

    nodes: float
    error: float
    """Standard error of ``nodes``."""


def item_to_break(problem: CoverProblem, named: str | None = None) -> str | None:
    """Return the item to break the symmetry on: ``named`` if possible, or an item with a clearly shorter search, or the item of the rule.

    Return None if no item allows it.
    """
    item = problem.choose_item(named)
    if item is None or problem.items[item] == named:
        return None if item is None else named
    return shortest(problem) or problem.items[item]


def shortest(problem: CoverProblem) -> str | None:
    """Return an item with a clearly shorter search than the item of the rule; None if there is none, or if the search is short."""
    item = problem.choose_item()
    if item is None:
        return None
    if problem not in _chosen:
        _chosen[problem] = _probed(problem, item)
    chosen = _chosen[problem]
    return None if chosen is None else problem.items[chosen]


def _probed(problem: CoverProblem, by_rule: int) -> int | None:
    """Try tiles and atoms, unless the search with the item of the rule is short; return the best one, or None."""
    tiles = [*problem.breaking_tiles(), *problem.breaking_atoms()[:ATOMS]]
    needs_colours = (problem.coloured & (problem.low > 0)).any()  # the backtracker rejects them
    if len(tiles) < 2 or needs_colours or not is_plain(problem) or bitset_bytes(problem) > MAX_BYTES:
        return None
    probe = Probe(problem)
    if probe.ends_within(by_rule, NODES_BEFORE) or probe.estimate(probe.start(by_rule, dead=True), NODES_BEFORE).nodes < MIN_SEARCH_NODES:
        return None
    first = {tile: probe.estimate(probe.start(tile), FIRST_NODES).nodes for tile in tiles}
    best = sorted(tiles, key=lambda tile: first[tile])[:FINALISTS]
    nodes = max(LAST_NODES[0], min(int(first[by_rule] * LAST_SHARE), LAST_NODES[1]))
    last = {tile: probe.estimate(probe.start(tile, dead=True), nodes) for tile in dict.fromkeys([by_rule, *best])}
    chosen = min(last, key=lambda tile: last[tile].nodes)
    gain = last[by_rule].nodes - last[chosen].nodes
    return chosen if gain > hypot(last[by_rule].error, last[chosen].error) else None


class Probe:
    """Searches of a problem with any of its tiles. All share the tables; the first state lacks the placements that a tile leaves out."""

    def __init__(self, problem: CoverProblem) -> None:
        self.problem = problem
        self.tables: Tables = make_tables(problem)

    def ends_within(self, tile: int, nodes: int) -> bool:
        """Return whether the search with a tile ends within a number of nodes."""
        return self._search(self.start(tile), nodes) == kernel.FINISHED

    def estimate(self, start: State, nodes: int) -> Estimate:
        """Estimate the search from a first state, from about ``nodes`` of its nodes."""
        cut, above, subtrees = self._level(start, nodes)
        if not subtrees:
            return Estimate(above, 0.0)
        sizes = self._sizes(start, cut, subtrees, min(subtrees, FIRST_SUBTREES), nodes)
        affordable = min(subtrees, MAX_SUBTREES, int(nodes / 2 / max(sizes.mean(), 1.0)))
        if affordable > len(sizes):
            sizes = self._sizes(start, cut, subtrees, affordable, nodes)
        looked = len(sizes)
        spread = sizes.std(ddof=1) / sqrt(looked) if looked > 1 else 0.0 if looked == subtrees else inf
        unseen = sqrt(1 - looked / subtrees)
        return Estimate(above + subtrees * float(sizes.mean()), subtrees * float(spread) * unseen if unseen else 0.0)

    def start(self, tile: int, *, dead: bool = False) -> State:
        """Return the state before the first node, with one placement of each orbit of a tile or an atom.

        With ``dead``, placements that cannot be part of a solution are removed, as before a search, which takes longer.
        """
        kept = np.zeros(self.problem.size + 1, dtype=bool)
        broken = self.problem.break_symmetry(tile)
        kept[reduce(broken, symmetry=False, dead=dead).problem.origin] = True
        state = start_state(self.tables, self.problem, self.problem.forced)
        state.words[: self.tables.width] &= option_bits(self.tables, kept)
        return state

    def _search(self, state: State, most: int, *, cut: int = kernel.NO_CUT, skip: int = 0) -> int:
        """Continue a search for at most ``most`` nodes; ``state.work`` counts them."""
        state.work[:] = 0
        return int(bitset_search.search(self.tables, state, most, NO_LIMIT, cut, skip, NO_ROWS))

    def _level(self, start: State, nodes: int) -> tuple[int, int, int]:
        """Return the lowest level that has few nodes above it, their number, and the number of subtrees below it."""
        ended = 0
        best = len(start.given), 0, 1
        for cut in count(len(start.given) + 1):
            state = copy_state(start)
            if self._search(state, nodes // 4, cut=cut, skip=NO_LIMIT) != kernel.FINISHED:
                return best
            above = int(state.work[kernel.NODES])
            ends = int(state.work[kernel.DEAD_ENDS] + state.work[kernel.FOUND])
            best, ended = (cut, above, above - best[1] - (ends - ended)), ends
            if not best[2] or best[2] > nodes // 16:
                return best
        raise AssertionError

    def _sizes(self, start: State, cut: int, subtrees: int, number: int, most: int) -> Any:
        """Return the nodes of equally spaced subtrees below a level; the nodes of a large subtree are estimated after a partial search."""
        state, at, sizes = copy_state(start), -1, []
        for place in ((np.arange(number) + 0.5) * subtrees / number).astype(int).tolist():
            if at >= 0:
                state.control[kernel.LEAVE] = cut
            self._search(state, NO_LIMIT, cut=cut, skip=place - at - 1)
            at, base = place, int(state.control[kernel.BASE])
            state.control[kernel.BASE] = cut
            ended = self._search(state, most // FIRST_SUBTREES) == kernel.FINISHED
            sizes.append(float(state.work[kernel.NODES]) / (1.0 if ended else max(share_done(state, root=cut), MIN_SHARE)))
            state.control[kernel.BASE] = base
        return np.array(sizes)
