"""Write the states of a tally: the states between the empty form and the full one, by level, with the ways to complete each.

``checker.tally`` defines the steps; the loops here find the states.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from puzzlesat.base import Flags, Longs, NotSupportedError, Words
from puzzlesat.checker import Rejected, Room, Table, TallySteps, cut_off, find, first_empty, take_step
from puzzlesat.kernels import compiled, part

OnLevel = Callable[[int, int], None]
"""Called with the level and the number of states so far; may raise."""
STATES_AT_ONCE = 1 << 18
NEXT, WRITTEN = range(2)
CONTROLS = 2


def write_tally(steps: TallySteps, write: Callable[[str, bytes], None], most_states: int, on_level: OnLevel) -> tuple[int, int]:
    """Write the members of a tally; return the number of its levels and of the solutions.

    Raises NotSupportedError if there are more than ``most_states`` states, or if a count needs more than 64 bits.
    """
    live, dead = _shapes(steps, most_states, on_level)
    write("tally/dead", planes(dead))
    levels = _levels(steps, Table.of(live), most_states, on_level)
    ends = Table.of(dead)
    following = Table.of(np.empty((0, steps.width), dtype=np.uint64))
    values: Words = np.zeros(1, dtype=np.uint64)
    total = sum(map(len, levels))
    for level in range(len(levels) - 1, -1, -1):
        states = levels[level]
        try:
            values = steps.sum_successors(states, following, ends, level)
        except Rejected:  # every successor is listed or dead, so a count is too large
            raise NotSupportedError("a tally of this puzzle counts more than 64 bits hold; use --kind tree") from None
        write(f"tally/level.{level}", planes(np.hstack([states, values[:, None]])))
        following = Table.of(states, values)
        on_level(level, total)
    return len(levels), int(values[0])


def _shapes(steps: TallySteps, most_states: int, on_level: OnLevel) -> tuple[Words, Words]:
    """Return the sets of covered atoms that unlimited copies of every tile can reach: those that can become full, and the rest."""
    found = [np.zeros((1, steps.words), dtype=np.uint64)]
    while len(states := _successors(steps, found[-1], None, partial(on_level, len(found), sum(map(len, found))))):
        found.append(states)
        if sum(map(len, found)) > most_states:
            raise NotSupportedError(f"a tally of this puzzle has more than {most_states:,} shapes; use --kind tree")
    live = np.empty((0, steps.words), dtype=np.uint64)
    room = steps.room(steps.words)
    for states in reversed(found):
        on_level(len(found), len(live))
        can = np.zeros(len(states), dtype=np.bool_)
        mark_live(steps, states, Table.of(live), room, can)
        live = _unique(np.vstack([live, states[can]]))
    every = _unique(np.vstack(found))
    inside = np.zeros(len(every), dtype=np.bool_)
    mark_inside(every, Table.of(live), inside)
    return live, every[~inside]


def _levels(steps: TallySteps, live: Table, most_states: int, on_level: OnLevel) -> list[Words]:
    """Return the states of each level that have live shapes, beginning with the empty form."""
    levels = [np.zeros((1, steps.width), dtype=np.uint64)]
    total = 1
    while len(states := _successors(steps, levels[-1], live, partial(on_level, len(levels), total))):
        levels.append(states)
        total += len(states)
        on_level(len(levels), total)
        if total > most_states:
            raise NotSupportedError(f"a tally of this puzzle has more than {most_states:,} states; use --kind tree")
    return levels


def _successors(steps: TallySteps, states: Words, live: Table | None, go_on: Callable[[], None]) -> Words:
    """Return the sorted successors of states: those with live shapes or, if ``live`` is None, those that cut off no impossible part."""
    width = states.shape[1]
    out = np.empty((STATES_AT_ONCE + int(np.diff(steps.begin).max()), width), dtype=np.uint64)
    control, room = np.zeros(CONTROLS, dtype=np.int64), steps.room(width)
    table = Table.of(np.empty((0, steps.words), dtype=np.uint64)) if live is None else live
    parts = [np.empty((0, width), dtype=np.uint64)]
    while control[NEXT] < len(states):
        go_on()
        expand(steps, states, live is None, table, room, control, out)
        parts.append(_unique(out[: control[WRITTEN]]))
    return _unique(np.vstack(parts))


def planes(states: Words) -> bytes:
    """Return states as a member of a certificate: byte k of all states, for each k, which compresses well if the states are sorted."""
    return np.ascontiguousarray(states.astype("<u8").view(np.uint8).reshape(len(states), 8 * states.shape[1]).T).tobytes()


def _unique(states: Words) -> Words:
    """Return the states sorted, without duplicates."""
    states = states[np.lexsort(states.T[::-1])]
    first = np.ones(len(states), dtype=np.bool_)
    first[1:] = (states[1:] != states[:-1]).any(axis=1)
    return states[first]


@part
def write_successors(t: TallySteps, state: Words, shapes: bool, live: Table, room: Room, control: Longs, out: Words) -> None:
    """Write the successors of a state: if ``shapes``, those that cut off no impossible part, else those whose shape is live."""
    place = first_empty(t, state)
    if place == len(t.empty):
        return
    for step in range(t.begin[place], t.begin[place + 1]):
        if not take_step(t, state, step, room.child):
            continue
        if cut_off(t, room.child, room) if shapes else find(live, room.child) < 0:
            continue
        for w in range(len(state)):
            out[control[WRITTEN], w] = room.child[w]
        control[WRITTEN] += 1


@compiled
def expand(t: TallySteps, states: Words, shapes: bool, live: Table, room: Room, control: Longs, out: Words) -> None:
    """Write the successors of the states from NEXT on while there is room, and their number to WRITTEN."""
    control[WRITTEN] = 0
    while control[NEXT] < len(states) and control[WRITTEN] < STATES_AT_ONCE:
        write_successors(t, states[control[NEXT]], shapes, live, room, control, out)
        control[NEXT] += 1


@compiled
def mark_live(t: TallySteps, states: Words, live: Table, room: Room, can: Flags) -> None:
    """Mark the sets of covered atoms that are full or have a live successor."""
    for s in range(len(states)):
        place = first_empty(t, states[s])
        can[s] = place == len(t.empty)
        if can[s]:
            continue
        for step in range(t.begin[place], t.begin[place + 1]):
            if take_step(t, states[s], step, room.child) and find(live, room.child) >= 0:
                can[s] = True
                break


@compiled
def mark_inside(states: Words, table: Table, inside: Flags) -> None:
    """Mark the states that are in a table."""
    for s in range(len(states)):
        inside[s] = find(table, states[s]) >= 0
