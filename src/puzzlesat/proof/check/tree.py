"""Replay of a search tree: the proof that the solutions listed are all there are.

The proof is a sequence of item numbers, one for each node of the tree that is no solution, in the order of a depth-first search. At a node
some options are still possible. Where none is and no item needs more, the chosen options are a solution. Else the next number names an
item. If fewer of its options are possible than it needs, there is no solution below the node. Otherwise each of them, ascending, is chosen
in turn, all those before it being ruled out; and if the item needs no more, the case that none of them is chosen follows. Whatever items
the proof names, no solution escapes: it can only fail to come to an end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .problem import Problem, Words
from .rejected import Rejected

HUNGRY, FULL, DONE, NO_ITEM, NO_OPTION = range(5)
"""Why the kernel returns: it needs more of the proof; the table of solutions is full; the tree is complete; the proof is wrong."""
SOLUTIONS_AT_ONCE, NUMBERS_AT_ONCE = 4096, 1 << 24
"""Solutions that are held together, and the numbers of options in them."""
compiled: Any = njit(cache=True, nogil=True)


@dataclass(frozen=True)
class Replayed:
    """What was replayed."""

    nodes: int
    solutions: int


def replay(
    problem: Problem, possible: Words, records: Iterator[NDArray[np.uint32]], on_solutions: Callable[[NDArray[np.int32]], None]
) -> Replayed:
    """Follow the proof from the state in which only some options are possible (a set); the forced ones are chosen first.

    ``records`` are the item numbers in chunks of any size. ``on_solutions`` gets arrays (solutions, options), each row ascending and padded
    with -1 at its end, in the order in which they are found. Raises Rejected where the proof names what there is not, ends too soon or goes
    on too long.
    """
    depth = problem.atoms + 2
    state = _Frames(
        np.zeros((depth, problem.words), dtype=np.uint64), np.zeros(depth, dtype=np.int32), np.full(depth, -1, dtype=np.int32),
        np.array([*problem.low, *problem.high], dtype=np.int64).reshape(2, -1), np.zeros(5, dtype=np.int64),
    )  # fmt: skip
    state.possible[0] = possible
    if not _choose_forced(problem, state):
        state.register[0] = -1  # there is no solution, and nothing to search
        state.register[2] = 0
    table = np.empty((max(1, min(SOLUTIONS_AT_ONCE, NUMBERS_AT_ONCE // depth)), depth + len(problem.forced)), dtype=np.int32)
    tables = (problem.exclude, problem.sets(), problem.start, problem.item)
    chunk, position, found, nodes = np.empty(0, dtype=np.uint32), 0, 0, 0
    while True:
        why, position, rows, visited = _walk(tables, state, chunk, position, table[:, len(problem.forced) :])
        found += rows
        nodes += visited
        if rows:
            table[:rows, : len(problem.forced)] = problem.forced
            on_solutions(_sorted(table[:rows]))
        if why == HUNGRY:
            following = next(records, None)
            if following is None:
                raise Rejected(f"tree: the proof ends at node {nodes} before the search does")
            chunk, position = following, 0
        elif why == DONE:
            if position < len(chunk) or any(len(more) for more in records):
                raise Rejected("tree: the proof goes on after the search is complete")
            return Replayed(nodes, found)
        elif why != FULL:
            what = "that there is not" if why == NO_ITEM else "that has nothing left to choose and needs nothing"
            raise Rejected(f"tree: node {nodes} branches on an item {what}")


class _Frames:
    """The stack: at each depth the possible options, the item branched on, the option chosen; what items still need and hold; registers."""

    def __init__(self, possible: Words, item: Any, option: Any, left: Any, register: Any) -> None:
        self.possible, self.item, self.option, self.left, self.register = possible, item, option, left, register
        register[1] = int((left[0] > 0).sum())  # items in need; register 0 is the depth, 2 whether a node is being entered
        register[2] = 1


def _choose_forced(problem: Problem, state: Any) -> bool:
    """Choose the forced options; return whether they can be chosen together."""
    possible = state.possible[0]
    sets = problem.sets()
    for o in problem.forced:
        if not possible[o // 64] >> np.uint64(o % 64) & np.uint64(1):
            return False
        possible &= ~problem.exclude[o]
        possible[o // 64] &= ~(np.uint64(1) << np.uint64(o % 64))
        for i in problem.item[problem.start[o] : problem.start[o + 1]].tolist():
            state.left[:, i] -= 1
            state.register[1] -= state.left[0, i] == 0
            if state.left[1, i] == 0:
                possible &= ~sets[i]
    return True


def _sorted(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Each row ascending, with the padding at the end."""
    big = np.iinfo(np.int32).max
    ordered = np.sort(np.where(rows < 0, big, rows), axis=1)
    return np.where(ordered == big, -1, ordered).astype(np.int32)


def _walk(tables: Any, state: _Frames, chunk: NDArray[np.uint32], position: int, table: NDArray[np.int32]) -> tuple[int, int, int, int]:
    why, position, rows, nodes = _follow(
        *tables, state.possible, state.item, state.option, state.left, state.register, chunk, position, table
    )
    return int(why), int(position), int(rows), int(nodes)


@compiled
def _follow(
    exclude: Any, sets: Any, start: Any, item: Any, possible: Any, branched: Any, chosen: Any, left: Any, register: Any, chunk: Any,
    position: Any, table: Any,
) -> Any:  # fmt: skip
    """Go on until something is wanted; return why it stops, the place in the chunk, the solutions written and the nodes visited."""
    depth, needy, entering = register[0], register[1], register[2]
    words = exclude.shape[1]
    rows = nodes = 0
    while True:
        here = possible[depth]
        if entering:
            some = False
            for w in range(words):
                some |= here[w] != 0
            if not some and needy == 0:
                if rows == len(table):
                    why = FULL
                    break
                table[rows] = -1
                table[rows, :depth] = chosen[:depth]
                rows += 1
                nodes += 1
                entering = 0
                depth -= 1
            else:
                if position == len(chunk):
                    why = HUNGRY
                    break
                i = np.int64(chunk[position])
                if i >= len(sets):
                    why = NO_ITEM
                    break
                position += 1
                nodes += 1
                count = 0
                for w in range(words):
                    word = here[w] & sets[i, w]
                    while word:
                        word &= word - np.uint64(1)
                        count += 1
                if count < left[0, i]:
                    entering = 0
                    depth -= 1
                elif count == 0:
                    why = NO_OPTION
                    break
                else:
                    branched[depth] = i
                    chosen[depth] = -1
                    entering = 0
        if entering:
            continue
        if depth < 0:
            why = DONE
            break
        here = possible[depth]
        i = branched[depth]
        last = chosen[depth]
        if last >= 0:  # take back the option chosen: it is ruled out from now on
            for k in range(start[last], start[last + 1]):
                if left[0, item[k]] == 0:
                    needy += 1
                left[0, item[k]] += 1
                left[1, item[k]] += 1
            here[last >> 6] &= ~(np.uint64(1) << np.uint64(last & 63))
        option = -1
        for w in range(words):
            word = here[w] & sets[i, w]
            if word:
                bit = 0
                while not (word >> np.uint64(bit)) & np.uint64(1):
                    bit += 1
                option = w * 64 + bit
                break
        chosen[depth] = option
        if option < 0:
            if left[0, i] <= 0:
                entering = 1  # the case that none of them is chosen
            else:
                depth -= 1
            continue
        child = possible[depth + 1]
        for w in range(words):
            child[w] = here[w] & ~exclude[option, w]
        child[option >> 6] &= ~(np.uint64(1) << np.uint64(option & 63))
        for k in range(start[option], start[option + 1]):
            j = item[k]
            left[0, j] -= 1
            left[1, j] -= 1
            if left[0, j] == 0:
                needy -= 1
            if left[1, j] == 0:
                for w in range(words):
                    child[w] &= ~sets[j, w]
        depth += 1
        entering = 1
    register[0], register[1], register[2] = depth, needy, entering
    return why, position, rows, nodes
