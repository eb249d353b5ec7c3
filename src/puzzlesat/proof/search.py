"""A search that writes itself down: all solutions of a problem, and the tree that shows that there are no others.

The state is one bitset for every item over its own options, all in one row of words; choosing an option is ``child = state &
~kill[option]``, and the item branched on is the one with the fewest options more than it needs. What is written is said in
``proof.check.tree``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlesat.proof.check.problem import Problem, Words
from puzzlesat.rows import sorted_rows
from puzzlesat.solvers.bits import compiled, lowest_bit, popcount
from puzzlesat.solvers.run import COMPLETE, Clock, Limits

RECORDS_AT_ONCE = 1 << 20
SOLUTIONS_AT_ONCE = 1 << 12
NODES_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Searched:
    """How a search ended."""

    status: str
    nodes: int
    solutions: int


def search(
    problem: Problem,
    possible: NDArray[np.bool_],
    on_records: Callable[[NDArray[np.uint32]], None],
    on_solutions: Callable[[NDArray[np.int32]], None],
    limits: Limits,
    progress: Callable[[dict[str, int]], None] | None = None,
) -> Searched:
    """Go through all solutions among the options that are possible; the forced ones are chosen first.

    ``on_records`` gets the item numbers of the tree, ``on_solutions`` arrays (solutions, options) of options ascending, padded with -1.
    """
    clock = Clock(limits)
    tables = _tables(problem)
    depth = problem.atoms + 2
    frames = np.zeros((depth, tables[0].shape[1]), dtype=np.uint64)
    branched, chosen = np.zeros(depth, dtype=np.int32), np.full(depth, -1, dtype=np.int32)
    left = np.array([problem.low, problem.high], dtype=np.int64)
    if not _start(problem, tables, frames[0], left, possible):
        return Searched(COMPLETE, 0, 0)
    register = np.array([0, int((left[0] > 0).sum()), 1], dtype=np.int64)
    records = np.empty(RECORDS_AT_ONCE, dtype=np.uint32)
    table = np.empty((SOLUTIONS_AT_ONCE, depth), dtype=np.int32)
    nodes = found = 0
    status: str | None = None
    while status is None:
        done, visited, written, rows = _walk(*tables, frames, branched, chosen, left, register, records, table, NODES_AT_ONCE)
        nodes += int(visited)
        found += int(rows)
        on_records(records[:written].copy())
        if rows:
            on_solutions(_with_forced(problem, table[:rows]))
        if progress is not None:
            progress({"nodes": nodes, "solutions": found})
        status = COMPLETE if done else clock.verdict(found)
    return Searched(status, nodes, found)


def _tables(problem: Problem) -> tuple[Any, ...]:
    """Array (options, words) of what an option kills, the same for full items, the words of each item, and where each entry stands.

    Killed are the option itself and all that it excludes, out of the bitset of every item.
    """
    order = np.argsort(problem.item, kind="stable")
    degree = np.bincount(problem.item, minlength=len(problem.items))
    segment = np.concatenate([[0], np.cumsum((degree + 63) // 64)]).astype(np.int64)
    rank = np.empty(len(problem.item), dtype=np.int64)
    rank[order] = np.arange(len(order)) - np.repeat(np.cumsum(degree) - degree, degree)
    place = segment[problem.item] * 64 + rank
    options = np.repeat(np.arange(problem.options), np.diff(problem.start))
    by_place = np.full(int(segment[-1]) * 64, -1, dtype=np.int64)
    by_place[place] = options
    kill = _spread(problem.exclude | _own(problem), by_place)
    full = _spread(problem.sets(), by_place)
    return kill, full, segment, problem.start, problem.item, place, by_place


def _own(problem: Problem) -> Words:
    own = np.zeros_like(problem.exclude)
    o = np.arange(problem.options)
    own[o, o // 64] = np.uint64(1) << (o % 64).astype(np.uint64)
    return own


def _spread(sets: Words, by_place: NDArray[np.int64]) -> Words:
    """From sets of options to bits at the places where these options stand; row by row, for memory's sake."""
    spread = np.zeros((len(sets), len(by_place) // 64), dtype=np.uint64)
    here = by_place >= 0
    for row, options in zip(spread, sets, strict=True):
        flags = np.zeros(len(by_place), dtype=np.uint8)
        flags[here] = np.unpackbits(options.view(np.uint8), bitorder="little")[by_place[here]]
        row[:] = np.packbits(flags, bitorder="little").view(np.uint64)
    return spread


def _start(problem: Problem, tables: tuple[Any, ...], state: Words, left: NDArray[np.int64], possible: NDArray[np.bool_]) -> bool:
    """Fill the first state, and choose the forced options; return whether they can be chosen together."""
    kill, full, by_place = tables[0], tables[1], tables[6]
    flags = (by_place >= 0) & possible[by_place] if problem.options else np.zeros(len(by_place), dtype=bool)
    state[:] = np.packbits(flags, bitorder="little").view(np.uint64)
    still = possible.copy()
    for o in problem.forced:
        if not still[o]:
            return False
        still &= ~np.unpackbits(problem.exclude[o].view(np.uint8), count=problem.options, bitorder="little").astype(np.bool_)
        state &= ~kill[o]
        for i in problem.item[problem.start[o] : problem.start[o + 1]].tolist():
            left[:, i] -= 1
            if left[1, i] == 0:
                state &= ~full[i]
    return all(left[1, problem.item[problem.start[o] : problem.start[o + 1]]].min() >= 0 for o in problem.forced)


def _with_forced(problem: Problem, rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """The solutions with the forced options, ascending, the padding at the end."""
    forced = np.broadcast_to(np.array(problem.forced, dtype=np.int32), (len(rows), len(problem.forced)))
    return sorted_rows(np.hstack([forced, rows]))


@compiled
def _best_item(state: Any, segment: Any, left: Any) -> Any:
    """The item in need with the fewest options to spare; where none is in need, the one with the fewest options."""
    best, least = -1, np.int64(1 << 40)
    for i in range(len(segment) - 1):
        if left[0, i] <= 0:
            continue
        spare = -left[0, i]
        for w in range(segment[i], segment[i + 1]):
            spare += np.int64(popcount(state[w]))
            if spare >= least:
                break
        if spare < least:
            best, least = i, spare
            if spare <= 0:
                return best, least
    if best >= 0:
        return best, least
    for i in range(len(segment) - 1):
        count = 0
        for w in range(segment[i], segment[i + 1]):
            count += np.int64(popcount(state[w]))
        if 0 < count < least:
            best, least = i, np.int64(count)
    return best, least


@compiled
def _walk(
    kill: Any, full: Any, segment: Any, start: Any, item: Any, place: Any, by_place: Any,
    frames: Any, branched: Any, chosen: Any, left: Any, register: Any, records: Any, table: Any, budget: Any,
) -> Any:  # fmt: skip
    """Go on from where the frames stand; return whether it is the end, and how many nodes, records and solutions there were."""
    depth, needy, entering = register[0], register[1], register[2]
    words = frames.shape[1]
    nodes = written = rows = 0
    done = False
    while True:
        if entering:
            if nodes == budget or written == len(records) or rows == len(table):
                break
            nodes += 1
            best, spare = _best_item(frames[depth], segment, left)
            entering = 0
            if best < 0 and needy == 0:
                table[rows] = -1
                for d in range(depth):
                    table[rows, d] = chosen[d]
                rows += 1
                depth -= 1
            else:
                records[written] = best
                written += 1
                if needy > 0 and spare < 0:
                    depth -= 1
                else:
                    branched[depth] = best
                    chosen[depth] = -1
        if depth < 0:
            done = True
            break
        here = frames[depth]
        i = branched[depth]
        last = chosen[depth]
        if last >= 0:
            for k in range(start[last], start[last + 1]):
                if left[0, item[k]] == 0:
                    needy += 1
                left[0, item[k]] += 1
                left[1, item[k]] += 1
                here[place[k] >> 6] &= ~(np.uint64(1) << np.uint64(place[k] & 63))
        option = -1
        for w in range(segment[i], segment[i + 1]):
            if here[w]:
                option = by_place[w * 64 + np.int64(lowest_bit(here[w]))]
                break
        chosen[depth] = option
        if option < 0:
            if left[0, i] <= 0:
                entering = 1
            else:
                depth -= 1
            continue
        child = frames[depth + 1]
        for w in range(words):
            child[w] = here[w] & ~kill[option, w]
        for k in range(start[option], start[option + 1]):
            j = item[k]
            left[0, j] -= 1
            left[1, j] -= 1
            if left[0, j] == 0:
                needy -= 1
            if left[1, j] == 0:
                for w in range(words):
                    child[w] &= ~full[j, w]
        depth += 1
        entering = 1
    register[0], register[1], register[2] = depth, needy, entering
    return done, nodes, written, rows
