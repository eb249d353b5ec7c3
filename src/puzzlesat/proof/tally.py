"""Making a tally: the states that lead from the empty form to the full one, level by level, with the ways to complete each.

What is written is said in ``proof.check.tally``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlesat.errors import NotSupportedError
from puzzlesat.proof.check.rejected import Rejected
from puzzlesat.proof.check.tally import Steps, Words, compiled, cut_off, find, first_empty, follow, make_table, planes, sum_successors

STATES_AT_ONCE = 1 << 16


def write_tally(
    steps: Steps, write: Callable[[str, bytes], None], most_states: int, on_level: Callable[[int, int], None]
) -> tuple[int, int]:
    """Write the parts of a tally; return the number of its levels and of the solutions.

    Raises NotSupportedError where there would be more than ``most_states`` states, or where a count needs more than 64 bits.
    """
    live, dead = _shapes(steps, most_states)
    write("dead", planes(dead))
    ends, _ = make_table(dead, np.zeros(len(dead), dtype=np.uint64))
    keep, _ = make_table(live, np.zeros(len(live), dtype=np.uint64))
    levels = [np.zeros((1, steps.width), dtype=np.uint64)]
    total = 1
    while len(states := _successors(levels[-1], steps, keep)):
        levels.append(states)
        total += len(states)
        on_level(len(levels), total)
        if total > most_states:
            raise NotSupportedError(f"a tally of this puzzle has more than {most_states:,} states; use --kind tree")
    following = make_table(np.empty((0, steps.width), dtype=np.uint64), np.empty(0, dtype=np.uint64))
    values: Words = np.zeros(1, dtype=np.uint64)
    for level in range(len(levels) - 1, -1, -1):
        states = levels[level]
        try:
            values = sum_successors(states, *following, ends, steps, level)
        except Rejected:  # every successor is listed or dead: only a number can be too large
            raise NotSupportedError("a tally of this puzzle counts more than 64 bits hold; use --kind tree") from None
        write(f"level.{level}", planes(np.hstack([states, values[:, None]])))
        following = make_table(states, values)
        on_level(level, total)
    return len(levels), int(values[0])


def _shapes(steps: Steps, most_states: int) -> tuple[Words, Words]:
    """The sets of covered atoms that are reached if every tile may be used as often as wished: those that can become full, and the rest."""
    found = [np.zeros((1, steps.words), dtype=np.uint64)]
    while len(states := _successors(found[-1], steps, None)):
        found.append(states)
        if sum(map(len, found)) > most_states:
            raise NotSupportedError(f"a tally of this puzzle has more than {most_states:,} shapes; use --kind tree")
    live = np.empty((0, steps.words), dtype=np.uint64)
    for states in reversed(found):
        table, _ = make_table(live, np.zeros(len(live), dtype=np.uint64))
        live = _unique(np.vstack([live, states[_leads_on(states, table, *steps)]]))
    table, _ = make_table(live, np.zeros(len(live), dtype=np.uint64))
    every = _unique(np.vstack(found))
    return live, every[~_inside(every, table)]


def _successors(states: Words, steps: Steps, keep: Words | None) -> Words:
    """All successors of some states, sorted: those in ``keep``, or, where that is None, those that cut off no impossible part."""
    everything = np.empty((1, 1 + steps.words), dtype=np.uint64) if keep is None else keep
    parts = [np.empty((0, states.shape[1]), dtype=np.uint64)]
    for begin in range(0, len(states), STATES_AT_ONCE):
        some = states[begin : begin + STATES_AT_ONCE]
        out = np.empty(
            (_expand(some, np.empty((0, 0), dtype=np.uint64), everything, keep is None, *steps), states.shape[1]), dtype=np.uint64
        )
        _expand(some, out, everything, keep is None, *steps)
        parts.append(_unique(out))
    return _unique(np.vstack(parts))


def _unique(states: Words) -> Words:
    """Sorted, each once."""
    states = states[np.lexsort(states.T[::-1])]
    first = np.ones(len(states), dtype=np.bool_)
    first[1:] = (states[1:] != states[:-1]).any(axis=1)
    return states[first]


@compiled
def _expand(
    states: Any, out: Any, keep: Any, everything: Any,
    cover: Any, begin: Any, tile: Any, factor: Any, digit: Any, empty: Any, link: Any, areas: Any,
) -> Any:  # fmt: skip
    """Write the successors to ``out`` and return how many there are; with no room in ``out`` they are counted only."""
    child = np.empty(states.shape[1], dtype=np.uint64)
    count = 0
    for s in range(len(states)):
        r = first_empty(states[s], len(empty))
        if r == len(empty):
            continue
        for o in range(begin[r] - 1 if empty[r] else begin[r], begin[r + 1]):
            if not follow(states[s], o if o >= begin[r] else -1, r, child, cover, tile, digit):
                continue
            if cut_off(child, link, empty, areas) if everything else find(keep, child) < 0:
                continue
            if len(out):
                out[count] = child
            count += 1
    return count


@compiled
def _leads_on(states: Any, live: Any, cover: Any, begin: Any, tile: Any, factor: Any, digit: Any, empty: Any, link: Any, areas: Any) -> Any:
    """For each set of covered atoms: whether it is full or has a successor among the live ones."""
    child = np.empty(states.shape[1], dtype=np.uint64)
    leads = np.zeros(len(states), dtype=np.bool_)
    for s in range(len(states)):
        r = first_empty(states[s], len(empty))
        leads[s] = r == len(empty)
        if leads[s]:
            continue
        for o in range(begin[r] - 1 if empty[r] else begin[r], begin[r + 1]):
            if follow(states[s], o if o >= begin[r] else -1, r, child, cover, tile, digit) and find(live, child) >= 0:
                leads[s] = True
                break
    return leads


@compiled
def _inside(states: Any, table: Any) -> Any:
    """For each state: whether it is in a table."""
    found: NDArray[np.bool_] = np.zeros(len(states), dtype=np.bool_)
    for s in range(len(states)):
        found[s] = find(table, states[s]) >= 0
    return found
