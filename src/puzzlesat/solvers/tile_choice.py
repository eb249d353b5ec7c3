"""Choose the tile or atom on which to break the symmetry: one that makes the search clearly shorter, or else the one of the rule.

The search begins with the one of the rule, ``choose_item``. If it seems to be long, each tile and some atoms are tried: the size of the
search tree is estimated from a sample of the subtrees below one level. D. E. Knuth, "Estimating the efficiency of backtrack programs",
Mathematics of Computation 29 (1975), samples random paths. Here the subtrees are equally spaced, so the same problem gets the same item on
every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, inf, sqrt
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from puzzlesat.base import Ints, Longs, Reals
from puzzlesat.kernels import compiled, part
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers import bitset_search, kernel
from puzzlesat.solvers.kernel import State, Tables
from puzzlesat.solvers.parallel import NO_LIMIT
from puzzlesat.solvers.tables import bitset_bytes, is_plain, make_tables, option_bits, start_state

SHORT_NODES = 1 << 12
"""Nodes from which a search with the tile of the rule is estimated at first; most searches are short."""
RULE_NODES = 1 << 15
"""Nodes from which it is estimated again, unless it is clearly short."""
MIN_SEARCH_NODES = 1 << 21
"""Estimated nodes of a search from which on other tiles are tried. Trying them takes some hundredths of a second."""
MAX_BYTES = 1 << 25
"""Memory limit of the bitsets in bytes. A problem that needs more is searched with the tile of the rule."""
FIRST_NODES = 1 << 13
"""Nodes of the first estimate of each tile, approximately."""
LAST_NODES = 1 << 15, 1 << 17
"""Least and greatest number of nodes of the second estimate, which compares the best tiles and decides."""
LAST_SHARE = 1 / 64
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
    if seems_short(probe.tables, probe.start(by_rule)) or (rule := probe.estimate(by_rule, RULE_NODES)).nodes < MIN_SEARCH_NODES:
        return None
    best = sorted(tiles, key=lambda tile: probe.estimate(tile, FIRST_NODES).nodes)[:FINALISTS]
    nodes = max(LAST_NODES[0], min(int(rule.nodes * LAST_SHARE), LAST_NODES[1]))
    last = {tile: probe.estimate(tile, nodes) for tile in dict.fromkeys([by_rule, *best])}
    chosen = min(last, key=lambda tile: last[tile].nodes)
    gain = last[by_rule].nodes - last[chosen].nodes
    return chosen if gain > hypot(last[by_rule].error, last[chosen].error) else None


def seems_short(t: Any, start: Any) -> bool:
    """Return whether a plain search is far shorter than those for which other tiles are tried. The first state is lost."""
    if not isinstance(t, Tables) or not t.plain or t.keep.nbytes > MAX_BYTES:
        return False
    estimate = estimated(t, start, SHORT_NODES)
    return estimate.nodes + 2 * estimate.error < MIN_SEARCH_NODES / 4


def estimated(t: Tables, start: State, nodes: int) -> Estimate:
    """Estimate a search from about ``nodes`` of its nodes. The state is the first, and is lost."""
    room = np.empty(MAX_SUBTREES)
    above, subtrees, looked = sample(t, start, nodes, room, NO_ROWS)
    if not looked:
        return Estimate(above, 0.0)
    sizes = room[:looked]
    spread = sizes.std(ddof=1) / sqrt(looked) if looked > 1 else 0.0 if looked == subtrees else inf
    unseen = sqrt(1 - looked / subtrees)
    return Estimate(above + subtrees * float(sizes.mean()), subtrees * float(spread) * unseen if unseen else 0.0)


@part
def begin(control: Longs, work: Longs, tile_count: Longs) -> None:
    """Go back to the node at the root."""
    control[kernel.DEPTH] = control[kernel.BASE] = 0
    control[kernel.LEAVE] = kernel.NOTHING
    work[:] = 0
    tile_count[:] = 0


@part
def share_below(tries: Longs, branches: Longs, cut: int, depth: int) -> float:
    """Return the share of the subtree below a level that was searched, if all branches of a node are equally large."""
    share, done = 1.0, 0.0
    for level in range(cut, depth + 1):
        share /= max(branches[level], 1)
        done += share * (branches[level] - tries[level] - (level < depth))
    return done


@compiled
def sample(t: Tables, s: State, nodes: int, sizes: Reals, none: Ints) -> Any:
    """Search equally spaced subtrees of a tree, about ``nodes`` nodes, and write their sizes. The state is the first, and is lost.

    The subtrees are below the lowest level that has few nodes above it. The size of a large subtree is estimated after a partial search.
    Return the number of nodes above the subtrees, of subtrees, and of sizes, which is 0 if all nodes are above.
    """
    control, work, possible = s.control, s.work, s.tries[0]
    endless, skip = np.int64(NO_LIMIT), np.int64(0)  # numba would compile the search once for each literal
    cut, above, subtrees, ends = s.given.size, 1, 1, 0
    while 0 < subtrees <= nodes // 16:
        begin(control, work, s.tile_count)
        s.tries[0] = possible
        if bitset_search.search(t, s, nodes // 4, endless, cut + 1, endless, none) != kernel.FINISHED:
            break
        ended = work[kernel.DEAD_ENDS] + work[kernel.FOUND]
        cut, subtrees = cut + 1, work[kernel.NODES] - above - (ended - ends)
        above, ends = work[kernel.NODES], ended
    looked, affordable = 0, min(subtrees, FIRST_SUBTREES)
    while looked < affordable:
        begin(control, work, s.tile_count)
        s.tries[0] = possible
        at, total, last = -1, 0.0, looked > 0
        looked = affordable
        for k in range(looked):
            place = (2 * k + 1) * subtrees // (2 * looked)
            bitset_search.search(t, s, endless, endless, cut, place - at - 1, none)
            at, control[kernel.BASE], work[kernel.NODES] = place, cut, 0
            ended = bitset_search.search(t, s, nodes // FIRST_SUBTREES, endless, kernel.NO_CUT, skip, none)
            share = 1.0 if ended == kernel.FINISHED else share_below(s.tries, s.branches, cut, control[kernel.DEPTH])
            sizes[k] = work[kernel.NODES] / max(share, MIN_SHARE)
            total += sizes[k]
            control[kernel.BASE], control[kernel.LEAVE] = 0, cut
        if not last:
            affordable = min(min(subtrees, MAX_SUBTREES), np.int64(nodes / 2 / max(total / looked, 1.0)))
    return above, subtrees, looked


class Probe:
    """Searches of a problem with any of its tiles. All share the tables; the first state lacks the placements that a tile leaves out."""

    def __init__(self, problem: CoverProblem) -> None:
        self.problem = problem
        self.tables: Tables = make_tables(problem)

    def estimate(self, tile: int, nodes: int) -> Estimate:
        """Estimate the search with a tile from about ``nodes`` of its nodes."""
        return estimated(self.tables, self.start(tile), nodes)

    def start(self, tile: int) -> State:
        """Return the state before the first node, with one placement of each orbit of a tile or an atom."""
        kept = np.zeros(self.problem.size + 1, dtype=bool)
        kept[self.problem.break_symmetry(tile).origin] = True
        state = start_state(self.tables, self.problem, self.problem.forced)
        state.words[: self.tables.width] &= option_bits(self.tables, kept)
        return state
