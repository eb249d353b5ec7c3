"""The backtracker: exhaustive search in a fixed order, by bitsets (see ``kernel``), on all cores where it takes long (see ``turns``)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import cache, partial

import numpy as np

from puzzlesat.cover.problem import CoverProblem
from puzzlesat.cover.reach import out_of_reach
from puzzlesat.progress import SILENT, Progress
from puzzlesat.solvers import kernel
from puzzlesat.solvers.machine import all_cores
from puzzlesat.solvers.run import COMPLETE, Ask, Clock, Limits, OnSolutions, Outcome, Status
from puzzlesat.solvers.tables import is_plain, make_tables, start_state
from puzzlesat.solvers.turns import search, turns

NAME = "backtrack"


def prepare(problem: CoverProblem) -> Ask:
    """Return what finds solutions of a problem."""
    return partial(solve, problem)


def solve(
    problem: CoverProblem,
    on_solutions: OnSolutions | None,
    limits: Limits,
    *,
    given: Sequence[int] = (),
    progress: Progress = SILENT,
) -> Outcome:
    """Find all solutions that contain the options ``given``, in a fixed order; without ``on_solutions`` they are only counted.

    Solutions, their order and the work are the same however many cores are used; a limit on the number of solutions uses one.

    Raises NotSupportedError where a coloured item must be covered, or where the tables would need too much memory.
    """
    compile_kernel(plain=is_plain(problem))
    clock = Clock(limits)
    if out_of_reach(problem) is not None or not problem.size:
        found = 1 if not problem.size and not (problem.low > 0).any() and all(c.holds(0) for c in problem.conditions) else 0
        if found and on_solutions is not None:
            on_solutions(np.empty((1, 0), dtype=np.int32))
        return Outcome(NAME, found, COMPLETE, clock.seconds, _work([0] * kernel.COUNTERS), found)
    tables = make_tables(problem)
    state = start_state(tables, problem, (*problem.forced, *given))
    total = [0] * kernel.COUNTERS
    status: Status = COMPLETE
    listing = on_solutions is not None
    with closing(turns(tables, state, listing=listing, most_found=limits.solutions, cores=limits.cores or all_cores())) as every:
        for turn in every:
            total = [a + int(b) for a, b in zip(total, turn.work, strict=True)]
            if on_solutions is not None and turn.rows is not None and len(turn.rows):
                on_solutions(turn.rows)
            progress(_work(total))
            if not turn.last and (verdict := clock.verdict(total[kernel.FOUND])) is not None:
                status = verdict
                break
    found = total[kernel.FOUND]
    return Outcome(NAME, found, status, clock.seconds, _work(total), total[kernel.WEIGHTED] if len(tables.factor) else found)


@cache
def compile_kernel(*, plain: bool) -> None:
    """Compile the inner loop, or load it from the cache, by a problem of one option: so this is in nobody's time or time limit."""
    one, none = np.ones(1, dtype=np.int32), np.zeros(1, dtype=np.int32)
    start, high = np.array([0, 1], dtype=np.int32), one if plain else 2 * one
    problem = CoverProblem(("item",), one, high, none.astype(bool), ("option",), start, none, none, none[:0])
    tables = make_tables(problem)
    state = start_state(tables, problem, ())
    search(tables, state, 2, 2, kernel.NO_CUT, 0, np.empty((0, len(state.path)), dtype=np.int32))


def _work(total: Sequence[int]) -> dict[str, int]:
    return {
        "nodes": total[kernel.NODES],
        "placements": total[kernel.TRIED],
        "dead_ends": total[kernel.DEAD_ENDS],
        "pruned": total[kernel.PRUNED],
    }
