"""The backtracker: exhaustive search in a fixed order, by bitsets (see ``kernel``)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from puzzlesat.cover.conflicts import conflict_matrix
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.errors import NotSupportedError
from puzzlesat.solvers import kernel
from puzzlesat.solvers.kernel import State, Tables
from puzzlesat.solvers.reach import out_of_reach
from puzzlesat.solvers.run import COMPLETE, Clock, Limits, OnProgress, OnSolutions, Outcome, sorted_rows

NAME = "backtrack"
MOST_BYTES = 8 << 30
NODES_A_TURN = 1 << 18
ROWS_A_TURN = 1 << 14


def solve(
    problem: CoverProblem,
    on_solutions: OnSolutions,
    limits: Limits,
    given: Sequence[int] = (),
    progress: OnProgress | None = None,
) -> Outcome:
    """Find all solutions that contain the options ``given``, in a fixed order.

    Raises NotSupportedError where a coloured item must be covered, or where the tables would need too much memory.
    """
    compile_kernel()
    clock = Clock(limits)
    if out_of_reach(problem) is not None or not problem.size:
        found = 1 if not problem.size and not (problem.low > 0).any() and all(c.holds(0) for c in problem.conditions) else 0
        if found:
            on_solutions(np.empty((1, 0), dtype=np.int32))
        return Outcome(NAME, found, COMPLETE, clock.seconds, dict.fromkeys(("nodes", "placements", "dead_ends", "pruned"), 0))
    tables = make_tables(problem)
    state = start_state(tables, problem, (*problem.forced, *given))
    out = np.empty((ROWS_A_TURN, len(state.words)), dtype=np.int32)
    status = COMPLETE if state is None else None
    while status is None:
        before = int(state.work[kernel.FOUND])
        room = ROWS_A_TURN if limits.solutions is None else min(ROWS_A_TURN, limits.solutions - before)
        done = kernel.search(tables, state, NODES_A_TURN, out[:room])
        if (rows := int(state.work[kernel.FOUND]) - before) > 0:
            on_solutions(sorted_rows(out[:rows]))
        if progress is not None:
            progress(_work(state))
        status = COMPLETE if done == kernel.FINISHED else clock.verdict(int(state.work[kernel.FOUND]))
    return Outcome(NAME, int(state.work[kernel.FOUND]), status, clock.seconds, _work(state))


def make_tables(problem: CoverProblem) -> Tables:
    """Lay the problem out for the kernel."""
    if (problem.coloured & (problem.low > 0)).any():
        raise NotSupportedError("backtrack: an item with colours that must be covered is not supported; use --solver sat or cpsat")
    items = [int(i) for i in np.flatnonzero(_has_bitset(problem))]
    members = [problem.options_of[i] for i in items]
    low, high = problem.low[items], problem.high[items]
    everything = -1
    if not problem.antichain or not items:
        everything = len(items)
        members.append(np.arange(problem.size, dtype=np.int32))
        low, high = np.append(low, 0).astype(np.int32), np.append(high, problem.size + 1).astype(np.int32)
    block = np.concatenate([[0], np.cumsum([max(1, -(-len(m) // 64)) for m in members])]).astype(np.int32)
    words = int(block[-1])
    if (need := 8 * words * problem.size) > MOST_BYTES:
        raise NotSupportedError(
            f"backtrack: the tables would need {need >> 20} MiB, more than {MOST_BYTES >> 20}; use --solver sat or cpsat"
        )
    option_of_bit = np.full(64 * words, -1, dtype=np.int32)
    for first, options in zip(block, members, strict=False):
        option_of_bit[64 * first : 64 * first + len(options)] = options
    entry_item = np.concatenate([np.full(len(m), k) for k, m in enumerate(members)])
    entry_option = np.concatenate(members)
    entry_bit = np.concatenate([64 * int(first) + np.arange(len(m)) for first, m in zip(block, members, strict=False)])
    order = np.argsort(entry_option, kind="stable")
    bits = entry_bit[order]
    full_items = [k for k in range(len(items)) if 1 < high[k] < len(members[k])]
    full_row = np.full(len(members), -1, dtype=np.int32)
    full_row[full_items] = np.arange(len(full_items))
    masks = np.array([~_as_words(np.isin(option_of_bit, members[k])) for k in full_items], dtype=np.uint64).reshape(-1, words)
    return Tables(
        keep=_keep_table(problem, members, block),
        block=block,
        option_of_bit=option_of_bit,
        low=low,
        high=high,
        cover_start=np.concatenate([[0], np.cumsum(np.bincount(entry_option, minlength=problem.size))]).astype(np.int32),
        cover_item=entry_item[order].astype(np.int32),
        bit_word=(bits // 64).astype(np.int32),
        bit_mask=np.left_shift(np.uint64(1), (bits % 64).astype(np.uint64)),
        full=masks,
        full_row=full_row,
        everything=everything,
        **_condition_tables(problem),
    )


def start_state(t: Tables, problem: CoverProblem, given: Sequence[int]) -> State:
    """Return the state before the first node, with the options ``given`` chosen.

    Where these exclude each other, the state has nothing left to branch on and the search ends at once.
    """
    levels = problem.longest + len(given) + 2
    conditions, tiles = t.least.shape
    needy = np.flatnonzero(t.low > 0).astype(np.int32)
    active = np.concatenate([needy, np.flatnonzero(t.low <= 0)]).astype(np.int32)
    s = State(
        words=np.zeros((levels, t.keep.shape[1]), dtype=np.uint64),
        path=np.zeros(levels, dtype=np.int32),
        branch=np.zeros(levels, dtype=np.int32),
        cursor=np.zeros(levels, dtype=np.int64),
        left=np.zeros(levels, dtype=np.int64),
        covered=np.zeros(len(t.low), dtype=np.int32),
        active=active,
        where=np.argsort(active).astype(np.int32),
        sums=np.zeros((levels, conditions), dtype=np.int64),
        rest_low=np.zeros((levels, conditions), dtype=np.int64),
        rest_high=np.zeros((levels, conditions), dtype=np.int64),
        tile_count=np.zeros(tiles, dtype=np.int64),
        control=np.array([0, kernel.WRITTEN, 0, len(needy)], dtype=np.int64),
        work=np.zeros(5, dtype=np.int64),
    )
    never = np.zeros(problem.size + 1, dtype=bool)
    never[problem.rows[(problem.high == 0)[problem.item]]] = True
    s.words[0] = _as_words((t.option_of_bit >= 0) & ~never[t.option_of_bit])
    s.rest_low[0] = np.where(t.least < 0, t.least * t.tile_high, t.least * t.tile_low).sum(axis=1)
    s.rest_high[0] = np.where(t.most > 0, t.most * t.tile_high, t.most * t.tile_low).sum(axis=1)
    kernel.begin(t, s, np.array(list(dict.fromkeys(given)), dtype=np.int32))
    return s


@cache
def compile_kernel() -> None:
    """Compile the kernel, or load it from the cache, by a problem of one option: so this is in nobody's time or time limit."""
    one, none = np.ones(1, dtype=np.int32), np.zeros(1, dtype=np.int32)
    start = np.array([0, 1], dtype=np.int32)
    problem = CoverProblem(("item",), one, one, none.astype(bool), ("option",), start, none, none, none[:0])
    tables = make_tables(problem)
    kernel.search(tables, start_state(tables, problem, ()), 1, np.empty((1, 3), dtype=np.int32))


def _has_bitset(problem: CoverProblem) -> np.ndarray:
    """Items to branch on, and items with several copies of which not all options can be chosen."""
    sizes = np.bincount(problem.item, minlength=len(problem.items))
    return (problem.low > 0) | (~problem.coloured & (problem.high > 1) & (problem.high < sizes))


def _keep_table(problem: CoverProblem, members: list[np.ndarray], block: np.ndarray) -> np.ndarray:
    conflicts = conflict_matrix(problem)
    own = np.arange(problem.size)
    conflicts[own, own // 8] |= (1 << (own % 8)).astype(np.uint8)
    keep = np.zeros((problem.size, 8 * int(block[-1])), dtype=np.uint8)
    for first, options in zip(block, members, strict=False):
        excluded = (conflicts[:, options // 8] >> (options % 8).astype(np.uint8)) & 1
        packed = np.packbits(excluded ^ 1, axis=1, bitorder="little")
        keep[:, 8 * first : 8 * first + packed.shape[1]] = packed
    return keep.view(np.uint64)


def _condition_tables(problem: CoverProblem) -> dict[str, np.ndarray]:
    """Weights of the side conditions, and the smallest and largest weight of each tile."""
    n, conditions = problem.size, problem.conditions
    weight = np.array([c.weights for c in conditions], dtype=np.int64).reshape(len(conditions), n)
    if len(problem.tiles):
        number = np.full(len(problem.items), -1, dtype=np.int32)
        number[problem.tiles] = np.arange(len(problem.tiles))
        tile = np.maximum.reduceat(number[problem.item], problem.start[:-1])
        sizes = np.bincount(tile, minlength=len(problem.tiles))
        low, high = problem.low[problem.tiles], np.minimum(problem.high[problem.tiles], sizes)
    else:
        tile, low, high = np.zeros(n, dtype=np.int32), np.array([0]), np.array([n])
    tiles = range(len(low))
    extremes = [[(w[tile == t].min(), w[tile == t].max()) if (tile == t).any() else (0, 0) for t in tiles] for w in weight]
    bounds = np.array(extremes, dtype=np.int64).reshape(len(conditions), len(low), 2)
    return {
        "weight": weight,
        "sum_low": np.array([c.low for c in conditions], dtype=np.int64),
        "sum_high": np.array([c.high for c in conditions], dtype=np.int64),
        "modulus": np.array([c.modulus for c in conditions], dtype=np.int64),
        "residue": np.array([c.residue for c in conditions], dtype=np.int64),
        "tile": tile.astype(np.int32),
        "tile_low": low.astype(np.int64),
        "tile_high": high.astype(np.int64),
        "least": np.ascontiguousarray(bounds[:, :, 0]),
        "most": np.ascontiguousarray(bounds[:, :, 1]),
    }


def _as_words(bits: np.ndarray) -> np.ndarray:
    return np.packbits(bits, bitorder="little").view(np.uint64)


def _work(state: State) -> dict[str, int]:
    return {
        "nodes": int(state.work[kernel.NODES]),
        "placements": int(state.work[kernel.TRIED]),
        "dead_ends": int(state.work[kernel.DEAD_ENDS]),
        "pruned": int(state.work[kernel.PRUNED]),
    }
