"""Replay of a search tree: the proof that the listed solutions are all solutions.

The proof is a sequence of item numbers, one for each node of the tree that is not a solution, in the order of a depth-first search. At a
node, some options are still possible. If none is possible and no item needs more, the chosen options are a solution. Otherwise the next
number names an item. If fewer of its options are possible than it needs, there is no solution below the node. Otherwise each of these
options is chosen in turn, in ascending order, while the options before it are ruled out; if the item needs no more, the case that none of
them is chosen follows. Whatever items the proof names, no solution is missed: a bad proof can only fail to complete the search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..kernels import compiled, part
from .arrays import Ints, Longs, Records, Words, lowest_bit, popcount, remove
from .problem import Problem
from .values import Rejected

BRANCHES, END = 0, 1
"""Kinds of nodes: one whose branches are visited, or one with nothing below it."""
HUNGRY, FULL, DONE, NO_ITEM, NO_OPTION = range(2, 7)
"""Reasons to stop: the loop needs more of the proof; the table of solutions is full; the tree is complete; the proof is wrong."""
DEPTH, NEEDY, AT, NODES, ROWS = range(5)
CONTROLS = 5
NONE = -1
SOLUTIONS_AT_ONCE, NUMBERS_AT_ONCE = 4096, 1 << 24
"""Maximum number of solutions that are held together, and of the options in them."""


@dataclass(frozen=True)
class Replayed:
    """The size of a replayed tree."""

    nodes: int
    solutions: int


class Tables(NamedTuple):
    """Constant tables. n options, m items, W words of a set of options."""

    exclude: Words  # (n, W) the options that each option excludes
    sets: Words  # (m, W) the options of each item
    start: Ints  # (n + 1,) CSR option → items
    item: Ints


class State(NamedTuple):
    """The state of the replay. Arrays by level describe the node at this level."""

    possible: Words  # (levels, W) the options that are possible
    branched: Ints  # (levels,) the item branched on
    chosen: Ints  # (levels,) the option chosen, or NONE
    needs: Longs  # (m,) how many more options each item needs; 0 or less: none
    room: Longs  # (m,) how many more options each item may have
    control: Longs  # registers: DEPTH of the next node; NEEDY items; AT, the position in the chunk; NODES visited; ROWS of solutions


def replay(problem: Problem, possible: Words, records: Iterator[Records], on_solutions: Callable[[Ints], None]) -> Replayed:
    """Follow the proof from a state in which only the options of a set are possible; the forced options are chosen first.

    ``records`` are the item numbers in chunks of any size. ``on_solutions`` receives arrays (solutions, options), each row ascending and
    padded with -1 at its end, in the order in which they are found. Raises Rejected if the proof names an item that does not exist or has
    nothing left to choose, ends too soon, or continues too long.
    """
    tables = Tables(problem.exclude, problem.sets(), problem.start, problem.item)
    state = _first(problem, tables, possible)
    control = state.control
    levels = len(state.possible)
    rows = np.empty((max(1, min(SOLUTIONS_AT_ONCE, NUMBERS_AT_ONCE // levels)), levels), dtype=np.int32)
    chunk, found = np.empty(0, dtype=np.uint32), 0
    while True:
        control[ROWS] = 0
        why = follow(tables, state, chunk, rows)
        if control[ROWS]:
            found += int(control[ROWS])
            on_solutions(_with_forced(problem, rows[: control[ROWS]]))
        if why == HUNGRY:
            following = next(records, None)
            if following is None:
                raise Rejected(f"tree: the proof ends at node {control[NODES]} before the search ends")
            chunk, control[AT] = following, 0
        elif why == DONE:
            if control[AT] < len(chunk) or any(len(more) for more in records):
                raise Rejected("tree: the proof continues after the search is complete")
            return Replayed(int(control[NODES]), found)
        elif why != FULL:
            what = "that does not exist" if why == NO_ITEM else "that has nothing left to choose and needs nothing"
            raise Rejected(f"tree: node {control[NODES]} branches on an item {what}")


def _first(problem: Problem, tables: Tables, possible: Words) -> State:
    """Return the state at the root, with the forced options chosen; if these exclude each other, there is no node to visit."""
    levels = problem.atoms + 2
    state = State(
        np.zeros((levels, problem.words), dtype=np.uint64), np.zeros(levels, dtype=np.int32), np.full(levels, NONE, dtype=np.int32),
        problem.low.astype(np.int64), problem.high.astype(np.int64), np.zeros(CONTROLS, dtype=np.int64),
    )  # fmt: skip
    left = state.possible[0]
    left[:] = possible
    for o in problem.forced:
        if not left[o // 64] >> np.uint64(o % 64) & np.uint64(1):
            state.control[DEPTH] = -1
            break
        left &= ~problem.exclude[o]
        left[o // 64] &= ~(np.uint64(1) << np.uint64(o % 64))
        for i in problem.items_of(o).tolist():
            state.needs[i] -= 1
            state.room[i] -= 1
            if state.room[i] == 0:
                left &= ~tables.sets[i]
    state.control[NEEDY] = np.count_nonzero(state.needs > 0)
    return state


def _with_forced(problem: Problem, rows: Ints) -> Ints:
    """Return the solutions with the forced options: each row ascending, with the padding at the end."""
    big = np.iinfo(np.int32).max
    forced = np.broadcast_to(np.array(problem.forced, dtype=np.int32), (len(rows), len(problem.forced)))
    ordered = np.sort(np.hstack([forced, np.where(rows == NONE, big, rows)]), axis=1)
    return np.where(ordered == big, NONE, ordered).astype(np.int32)


@part
def is_solution(s: State, depth: int) -> bool:
    """Tell whether no option is possible and no item needs more."""
    if s.control[NEEDY] > 0:
        return False
    for w in range(s.possible.shape[1]):  # noqa: SIM110 - compiled
        if s.possible[depth, w] != 0:
            return False
    return True


@part
def write_solution(s: State, depth: int, rows: Ints) -> None:
    """Write the options chosen above a level to the next row, with padding."""
    row = s.control[ROWS]
    for level in range(rows.shape[1]):
        rows[row, level] = s.chosen[level] if level < depth else NONE
    s.control[ROWS] += 1


@part
def count_options(t: Tables, s: State, depth: int, item: int, enough: int) -> int:
    """Return how many options of an item are possible, or ``enough`` of them."""
    count = 0
    for w in range(s.possible.shape[1]):
        count += popcount(s.possible[depth, w] & t.sets[item, w])
        if count >= enough:
            break
    return count


@part
def look_at(t: Tables, s: State, depth: int, records: Records, rows: Ints) -> int:
    """Enter a new node: write it as a solution, or prepare the branches that the proof names.

    Return BRANCHES or END, or the reason to stop.
    """
    if is_solution(s, depth):
        if s.control[ROWS] == len(rows):
            return FULL
        write_solution(s, depth, rows)
        s.control[NODES] += 1
        return END
    if s.control[AT] == len(records):
        return HUNGRY
    item = np.int64(records[s.control[AT]])
    if item >= len(t.sets):
        return NO_ITEM
    s.control[AT] += 1
    s.control[NODES] += 1
    options = count_options(t, s, depth, item, max(1, s.needs[item]))
    if options < s.needs[item]:
        return END
    if options == 0:
        return NO_OPTION
    s.branched[depth], s.chosen[depth] = item, NONE
    return BRANCHES


@part
def take_back(t: Tables, s: State, depth: int) -> Any:
    """Take back the option chosen at a node, if there is one, and rule it out; return the first word with options not yet tried."""
    option = np.int64(s.chosen[depth])
    if option == NONE:
        return np.int64(0)
    s.chosen[depth] = NONE
    for k in range(t.start[option], t.start[option + 1]):
        item = t.item[k]
        s.control[NEEDY] += s.needs[item] == 0
        s.needs[item] += 1
        s.room[item] += 1
    remove(s.possible[depth], option)
    return option >> 6


@part
def next_option(t: Tables, s: State, depth: int, word: int) -> int:
    """Return the first possible option of the item branched on, from a word of the set on, or NONE."""
    item = s.branched[depth]
    for w in range(word, s.possible.shape[1]):
        word = s.possible[depth, w] & t.sets[item, w]
        if word != 0:
            return (w << 6) + lowest_bit(word)
    return NONE


@part
def choose(t: Tables, s: State, depth: int, option: int) -> None:
    """Choose an option at a node, and write the options that stay possible to the next level."""
    s.chosen[depth] = option
    for w in range(s.possible.shape[1]):
        s.possible[depth + 1, w] = s.possible[depth, w] & ~t.exclude[option, w]
    remove(s.possible[depth + 1], option)
    for k in range(t.start[option], t.start[option + 1]):
        item = t.item[k]
        s.needs[item] -= 1
        s.room[item] -= 1
        s.control[NEEDY] -= s.needs[item] == 0
        if s.room[item] == 0:
            for w in range(s.possible.shape[1]):
                s.possible[depth + 1, w] &= ~t.sets[item, w]


@compiled
def follow(t: Tables, s: State, records: Records, rows: Ints) -> int:
    """Continue from the next node while the chunk of the proof lasts; return the reason to stop."""
    depth, node = s.control[DEPTH], END
    while depth >= 0:
        node = look_at(t, s, depth, records, rows)
        if node > END:
            break
        if node == END:
            depth -= 1
        while depth >= 0:  # backtrack to a node with another branch, and go down this branch
            option = next_option(t, s, depth, take_back(t, s, depth))
            if option != NONE:
                choose(t, s, depth, option)
                depth += 1
                break
            if s.needs[s.branched[depth]] <= 0:
                break  # none of its options is chosen: a new node at the same level
            depth -= 1
    s.control[DEPTH] = depth
    return DONE if depth < 0 else node
