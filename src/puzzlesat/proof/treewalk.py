"""The walk through a search tree that makes the clause of every node, from the first leaf to the root."""

from __future__ import annotations

from typing import Any

import numpy as np

from puzzlesat.arrays import Bytes, Records
from puzzlesat.check.bits import ONE, remove
from puzzlesat.check.kernels import compiled, part
from puzzlesat.proof.nodeclauses import (
    AT,
    DEPTH,
    ENTERING,
    FOUND,
    NEEDY,
    NONE,
    RESULT,
    SETTLED,
    UNSETTLED,
    WAITING,
    State,
    Tables,
    has,
    put_deletion,
    put_node,
    put_solution,
)
from puzzlesat.solvers.bits import lowest_bit

OPEN, SOLUTION = 0, 1
"""What a node is: one whose branches are gone through (a dead end has none), or a solution."""
HUNGRY, FULL, DONE, NO_ITEM, NO_OPTION, OTHER_SOLUTION = range(2, 8)
"""Why the walk stops: it needs more of the tree, or a place to write to; it is done; the tree is wrong."""


@part
def is_solution(s: State, level: int) -> bool:
    """Tell whether nothing is possible any more and nothing is needed."""
    if s.control[NEEDY] > 0:
        return False
    for w in range(s.possible.shape[1]):  # noqa: SIM110 - compiled
        if s.possible[level, w] != 0:
            return False
    return True


@part
def is_listed(t: Tables, s: State, level: int) -> bool:
    """Tell whether the options chosen are the solution that comes next in the list."""
    number = s.control[FOUND]
    if number >= t.solutions.shape[0]:
        return False
    count = 0
    for k in range(t.solutions.shape[1]):
        option = t.solutions[number, k]
        if option >= 0:
            if not s.chosen[option]:
                return False
            count += 1
    for here in range(1, level + 1):
        count -= s.choice[here] >= 0
    return count == t.forced.size


@part
def count_options(t: Tables, s: State, item: int, level: int) -> int:
    """Return how many options of an item are possible at a level."""
    count = 0
    for k in range(t.item_start[item], t.item_start[item + 1]):
        count += has(s.possible[level], np.int64(t.item_option[k]))
    return count


@part
def is_covered(t: Tables, s: State, item: int) -> bool:
    """Tell whether an option of an item was chosen."""
    covered = False
    for k in range(t.item_start[item], t.item_start[item + 1]):
        covered |= s.chosen[t.item_option[k]] != 0
    return covered


@part
def open_node(t: Tables, s: State, level: int, item: int, options: int) -> None:
    """Get ready to go through the branches of a node."""
    s.branched[level] = item
    s.cursor[level] = t.item_start[item]
    s.first[level] = s.control[WAITING]
    before = np.int32(-1) if level == 0 else s.forked[level - 1]
    s.forked[level] = level if options > 1 or t.low[item] == 0 else before
    for here in range(level + 1):
        s.needs[level, here] = 0
    for w in range(s.possible.shape[1]):
        s.plus[level, w] = 0


@part
def rule_out(s: State, level: int, w: int, gone: Any) -> None:
    """Go on from a level to the next without some of the options of a word."""
    s.possible[level + 1, w] = s.possible[level, w] & ~gone
    gone &= s.possible[level, w]
    while gone != 0:
        s.removed[(w << 6) + np.int64(lowest_bit(gone))] = level + 1
        gone &= gone - ONE


@part
def next_branch(t: Tables, s: State, level: int) -> bool:
    """Go down the next branch of a node; False where there are no more."""
    item = s.branched[level]
    behind = t.item_start[item + 1]
    k = s.cursor[level]
    while k < behind and not has(s.possible[level], np.int64(t.item_option[k])):
        k += 1
    s.cursor[level] = k + 1
    if k < behind:
        option = np.int64(t.item_option[k])
        s.choice[level + 1] = option
        s.chosen[option] = 1
        for w in range(s.possible.shape[1]):
            rule_out(s, level, w, t.exclude[option, w] | (ONE << np.uint64(option & 63) if w == option >> 6 else np.uint64(0)))
        for entry in range(t.start[option], t.start[option + 1]):
            s.control[NEEDY] -= t.low[t.item[entry]]
        return True
    if k > behind or t.low[item] > 0:
        return False
    s.choice[level + 1] = NONE
    for w in range(s.possible.shape[1]):
        s.possible[level + 1, w] = s.possible[level, w]
    for entry in range(t.item_start[item], behind):
        option = np.int64(t.item_option[entry])
        if has(s.possible[level], option):
            remove(s.possible[level + 1], option)
            s.removed[option] = level + 1
    return True


@part
def undo(t: Tables, s: State, level: int) -> None:
    """Take back the choice of a level."""
    option = np.int64(s.choice[level])
    if option >= 0:
        s.chosen[option] = 0
        for entry in range(t.start[option], t.start[option + 1]):
            s.control[NEEDY] += t.low[t.item[entry]]


@part
def speaks_of_choice(t: Tables, s: State, level: int) -> bool:
    """Tell whether the clause made last needs the choice of a level. Takes that choice out of its marks."""
    if s.choice[level] >= 0:
        used: bool = s.mark[level] != 0
        s.mark[level] = 0
        return used
    used = False
    item = s.branched[level - 1]
    for k in range(t.item_start[item], t.item_start[item + 1]):
        option = np.int64(t.item_option[k])
        if has(s.mark_plus, option) and has(s.possible[level - 1], option):
            used = True
            remove(s.mark_plus, option)
    return used


@part
def hand_up(t: Tables, s: State, level: int, out: Bytes, size: int, text: bool) -> int:
    """Give the clause of a node to the one above: it settles that one, or waits there."""
    if not speaks_of_choice(t, s, level):
        s.control[SETTLED] = level - 1
        return put_deletion(s, level - 1, out, size, text)
    for here in range(1, level):
        s.needs[level - 1, here] |= s.mark[here]
    for w in range(s.mark_plus.size):
        s.plus[level - 1, w] |= s.mark_plus[w]
    s.waiting[s.control[WAITING]] = s.control[RESULT]
    s.control[WAITING] += 1
    return size


@part
def enter(t: Tables, s: State, level: int, records: Records) -> int:
    """Look at a node that is new. Returns SOLUTION, OPEN, or why the walk stops."""
    control = s.control
    if is_solution(s, level):
        return SOLUTION if is_listed(t, s, level) else OTHER_SOLUTION
    if control[AT] == records.size:
        return HUNGRY
    item = np.int64(records[control[AT]])
    control[AT] += 1
    if item >= t.low.size:
        return NO_ITEM
    options = count_options(t, s, item, level)
    if options == 0 and (t.low[item] == 0 or is_covered(t, s, item)):
        return NO_OPTION
    open_node(t, s, level, item, options)
    return OPEN


@part
def settle(t: Tables, s: State, level: int, node: int, out: Bytes, size: int, text: bool) -> int:
    """Make the clause of a node whose branches are done with, unless one from below settles it, or a node above it."""
    number = s.control[FOUND]
    s.control[FOUND] += node == SOLUTION
    if s.control[SETTLED] == level:
        s.control[SETTLED] = UNSETTLED
    elif s.control[SETTLED] == UNSETTLED:
        if node == SOLUTION:
            return put_solution(t, s, level, number, out, size, text)
        return put_node(t, s, level, out, size, text)
    return size


@compiled
def follow(t: Tables, s: State, records: Records, text: bool, most: int, out: Bytes) -> tuple[int, int]:
    """Go on with the walk. Returns why it stops, and the number of bytes written. ``most`` is the room that one node may need."""
    control = s.control
    size = np.int64(0)  # of this type from the start, or numba would compile all that writes twice
    level = control[DEPTH]
    status = FULL
    while size + most <= out.size:
        node = enter(t, s, level, records) if control[ENTERING] else OPEN
        if node > SOLUTION:
            status = node
            break
        control[ENTERING] = node == OPEN and next_branch(t, s, level)
        if control[ENTERING]:
            level += 1
            continue
        size = settle(t, s, level, node, out, size, text)
        if level == 0:
            status = DONE
            break
        if control[SETTLED] == UNSETTLED:
            size = hand_up(t, s, level, out, size, text)
        undo(t, s, level)
        level -= 1
    control[DEPTH] = level
    return status, size
