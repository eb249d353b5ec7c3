"""The backtracker: exhaustive search in a fixed order, on all cores if it takes long (see ``parallel``).

It has two layouts with the same search tree: bitsets (see ``kernel``), and sparse sets (see ``sparse_set_search``) if bitsets would be too
large. The trees differ only if bitsets are rebuilt for the options left (see ``narrowing``): then items with equally few options may be
tried in another order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np

from puzzlesat import base
from puzzlesat.puzzles import CoverProblem, reduce
from puzzlesat.solvers import bitset_search, kernel, narrowing, small_problem, sparse_set_search
from puzzlesat.solvers.coloured import Ask
from puzzlesat.solvers.kernel import State, Tables
from puzzlesat.solvers.parallel import SearchLayout, turns
from puzzlesat.solvers.restarts import LEVEL_BYTES, or_by_chance
from puzzlesat.solvers.tables import (
    bitset_bytes,
    branching,
    cell_bytes,
    copy_cells,
    copy_state,
    make_cell_tables,
    make_tables,
    option_bits,
    start_cells,
    start_state,
)
from puzzlesat.solvers.tile_choice import seems_short, shortest

BITSET_BYTES = 1 << 30
"""Memory limit of the bitsets. A problem that needs more is searched by sparse sets."""

RECORDS_AT_ONCE, ROWS_AT_ONCE = 1 << 18, 1 << 12
"""Sizes of the blocks of a recorded search, in nodes (some hundredths of a second) and in solutions."""

NAME = "backtrack"
BITSETS, CELLS = "bitsets", "cells"
LAYOUTS = (BITSETS, CELLS)
LARGE = 1024
"""Size, in words of a state or items to branch on, that adds one unit to the cost of a node (see ``SearchLayout.cost``)."""


def check_variant(layout: str) -> None:
    """Raise PuzzleError for an unknown layout."""
    if layout not in LAYOUTS:
        names = [f"{NAME}:{name}" for name in LAYOUTS]
        raise base.PuzzleError(f"there is no solver {f'{NAME}:{layout}'!r}{base.near_match(f'{NAME}:{layout}', names)}")


def prepare(problem: CoverProblem, layout: str | None = None) -> Ask:
    """Return a solver of a problem in one of the layouts; None chooses the layout by the size of the problem."""
    return partial(solve, problem, layout=layout)


def solve(
    problem: CoverProblem,
    on_solutions: base.OnSolutions | None,
    limits: base.Limits,
    *,
    given: Sequence[int] = (),
    progress: base.Progress = base.SILENT,
    layout: str | None = None,
) -> base.Outcome:
    """Find all solutions that contain the options ``given``, in a fixed order; without ``on_solutions`` they are only counted.

    A count of a whole problem with symmetries tries one placement of each orbit of a tile or an atom, which represents the orbit. Without
    ``layout``, a small problem may be counted in one call (see ``small_problem``).

    Solutions, their order and the work are the same for any number of cores and in both layouts, unless bitsets are rebuilt (see
    ``narrowing``). With ``limits.seed``, attempts at random run between the turns of the search until it finds a solution.

    Raises NotSupportedError if a coloured item must be covered, or if the tables would need too much memory.
    """
    if layout is None and on_solutions is None and not given and (outcome := _at_once(problem, limits, progress)) is not None:
        return outcome
    layout = layout or fitting(problem, limits)
    clock = base.Clock(limits)
    with progress.overseen():
        hopeless = problem.out_of_reach() is not None
    if hopeless or not problem.size:
        return _without_search(problem, on_solutions, clock)
    progress(_work([0] * kernel.COUNTERS))
    with progress.overseen():
        whole, problem = problem, one_of_each_orbit(problem, on_solutions, limits, given)
        laid, start = LAID[layout](problem, limits, progress)
        if problem is not whole and not seems_short(laid.tables, start(problem.forced)) and (tile := shortest(whole)) is not None:
            problem = reduce(whole, dead=False, break_on=tile).problem
            laid, start = LAID[layout](problem, limits, progress)
        state = start((*problem.forced, *given))
    total, share = [0] * kernel.COUNTERS, 0.0
    status: base.Status = "complete"
    listing = on_solutions is not None
    cores = limits.usable_cores
    search = turns(laid, state, listing=listing, most_found=limits.solutions, cores=cores, may_go_on=limits.turn)
    if listing and limits.seed is not None and 2 * cell_bytes(problem) + LEVEL_BYTES <= limits.free_memory():
        search = or_by_chance(search, problem, given, limits.seed, limits.solutions)
    with closing(search):
        for turn in search:
            total = [a + int(b) for a, b in zip(total, turn.work, strict=True)]
            share += turn.share if total[kernel.NODES] else 1.0  # given options exclude each other: the tree is empty and done
            if on_solutions is not None and turn.rows is not None and len(turn.rows):
                on_solutions(turn.rows)
            progress({**_work(total), base.Progress.SHARE: min(round(1e6 * share), 1_000_000)})
            if not turn.last and (verdict := clock.verdict(total[kernel.FOUND])) is not None:
                status = verdict
                break
    weighted = total[kernel.WEIGHTED] if len(laid.tables.factor) else total[kernel.FOUND]
    return base.Outcome(NAME, total[kernel.FOUND] if problem is whole else weighted, status, clock.seconds, _work(total), weighted)


def recorded(problem: CoverProblem, exclude: base.Words, possible: base.Flags) -> Iterator[tuple[Any, base.Ints, bool]]:
    """Search a plain problem, and record its tree: the proof that there are no other solutions.

    Options exclude others by their items and by ``exclude``, an array (options, words) of bits; only the ``possible`` ones may be chosen.
    Yield the items of nodes, which ``bitset_search.record`` explains; solutions, an array (solutions, options) padded with -1; and
    whether the search is complete. The options of an item are tried in ascending order.
    """
    tables = make_tables(problem)
    flags = np.zeros(problem.size + 1, dtype=bool)
    for option, others in enumerate(exclude):
        flags[:-1] = np.unpackbits(others.view(np.uint8), count=problem.size, bitorder="little")
        tables.keep[option * tables.width : (option + 1) * tables.width] &= ~option_bits(tables, flags)
    flags[:-1] = possible
    state = start_state(tables, problem, ())
    state.words[: tables.width] &= option_bits(tables, flags)
    item_of_place = branching(problem, np.bincount(problem.item, minlength=len(problem.items))).astype(np.uint32)
    records = np.empty(RECORDS_AT_ONCE, dtype=np.uint32)
    rows = np.empty((ROWS_AT_ONCE, problem.longest), dtype=np.int32)
    done = False
    while not done:
        written = bitset_search.record(tables, state, item_of_place, records, rows)
        done = state.control[kernel.DEPTH] == kernel.NOTHING
        yield records[:written].copy(), rows[: state.work[kernel.FOUND]].copy(), done


def _without_search(problem: CoverProblem, on_solutions: base.OnSolutions | None, clock: base.Clock) -> base.Outcome:
    """Return the outcome if no option is left, or if no choice of options can satisfy the conditions."""
    found = int(not problem.size and problem.asks_for_nothing)
    if found and on_solutions is not None:
        on_solutions(np.empty((1, 0), dtype=np.int32))
    return base.Outcome(NAME, found, "complete", clock.seconds, _work([0] * kernel.COUNTERS), found)


def _at_once(problem: CoverProblem, limits: base.Limits, progress: base.Progress) -> base.Outcome | None:
    """Count a small problem in one call; return None if it is unsuited or takes longer, or if the limits rule it out."""
    clock = base.Clock(limits)
    if limits.solutions is not None or clock.verdict(-1) is not None or (counted := small_problem.count_at_once(problem)) is None:
        return None
    nodes, dead_ends, found = counted
    work = _work([nodes, nodes - 1, dead_ends, 0])
    progress({**work, base.Progress.SHARE: 1_000_000})
    return base.Outcome(NAME, found, "complete", clock.seconds, work, found)


def one_of_each_orbit(
    problem: CoverProblem, on_solutions: base.OnSolutions | None, limits: base.Limits, given: Sequence[int]
) -> CoverProblem:
    """Return the problem with its symmetry broken if it is to be counted whole.

    The weight of each solution left is the number of solutions that it represents.
    """
    if on_solutions is not None or limits.solutions is not None or given or problem.weight is not None:
        return problem
    return reduce(problem, dead=False).problem


def fitting(problem: CoverProblem, limits: base.Limits) -> str:
    """Return the layout for a problem of this size."""
    return BITSETS if bitset_bytes(problem) <= min(BITSET_BYTES, limits.free_memory()) else CELLS


def _check_memory(need: int, limits: base.Limits, cure: str) -> None:
    if need > (most := limits.free_memory()):
        left = f"{most >> 20:,} MiB are" if most >= 2 << 20 else "less than 2 MiB is" if most else "no memory is"
        raise base.NotSupportedError(f"backtrack: the tables need {-(-need >> 20):,} MiB, and {left} left for them; {cure}")


def _as_bitsets(problem: CoverProblem, limits: base.Limits, progress: base.Progress) -> tuple[SearchLayout, Callable[[Sequence[int]], Any]]:
    """Lay the problem out for ``kernel`` or ``bitset_search``; return the layout and a function that makes the first state."""
    _check_memory(bitset_bytes(problem), limits, f"use --solver {NAME}:{CELLS}, or allow more with --memory")
    tables = make_tables(problem, progress)
    cost = 1 + tables.width // LARGE
    if not tables.plain:
        return SearchLayout(tables, kernel.search, _leave, copy_state, cost=cost), partial(start_state, tables, problem)
    narrow = partial(_narrow, problem, tables, cost, limits)
    layout = SearchLayout(tables, bitset_search.search, _leave, copy_state, narrow, narrowing.NODES_BEFORE // cost, cost=cost)
    return layout, partial(start_state, tables, problem)


def _narrow(problem: CoverProblem, tables: Tables, cost: int, limits: base.Limits, state: State) -> tuple[SearchLayout, Any] | None:
    """Return the layout and the state of a search that continues with smaller bitsets.

    Return None if no level is worth it, or if there is not enough memory for the bitsets of each core.
    """
    searches = 1 + (limits.usable_cores)
    if bitset_bytes(problem) + searches * narrowing.narrowed_bytes(problem, tables) > limits.free_memory():
        return None
    if (n := narrowing.narrowed(problem, tables, state)) is None:
        return None
    return SearchLayout(tables, narrowing.search, narrowing.drop_narrowed, narrowing.copy_narrowed, lowest=n.level, cost=cost), n


def _leave(tables: Tables, state: State, level: int) -> None:
    """Make the next search skip the rest of the subtree below the node at a level."""
    state.control[kernel.LEAVE] = level


def _as_cells(problem: CoverProblem, limits: base.Limits, progress: base.Progress) -> tuple[SearchLayout, Callable[[Sequence[int]], Any]]:
    """Lay the problem out for ``sparse_set_search``; return the layout and a function that makes the first state."""
    _check_memory(cell_bytes(problem), limits, "allow more with --memory")
    tables = make_cell_tables(problem)
    return SearchLayout(tables, sparse_set_search.search, sparse_set_search.drop, copy_cells, cost=1 + tables.branching // LARGE), partial(
        start_cells, tables, problem
    )


LAID = {BITSETS: _as_bitsets, CELLS: _as_cells}


def _work(total: Sequence[int]) -> dict[str, int]:
    return {
        "nodes": total[kernel.NODES],
        "placements": total[kernel.TRIED],
        "dead_ends": total[kernel.DEAD_ENDS],
        "pruned": total[kernel.PRUNED],
    }
