"""The way apart that BurrTools finds first: breadth-first search whose order counts, compiled.

BurrTools takes the first separation that it comes to, so its level depends on the order in which it tries moves. From a position it tries
for each direction, and in it for each piece, whether the piece can be taken away alone; then the same with what the piece takes along. Then
come, in the same order, 1, 2, 3 and more steps of the piece and what it takes along, at most half of the pieces. Behind each of these moves
come its unions with the moves by as many steps that were found in this direction before, the latest one first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Longs, Words
from puzzlesat.disassembly.kernel import (
    AWAY,
    COUNT,
    EXHAUSTED,
    FOUND,
    FULL,
    LOOKED,
    NEVER,
    NONE,
    ONE,
    PAUSED,
    TOO_FAR,
    TOO_MANY,
    add,
    plant,
    ways,
)
from puzzlesat.kernels import compiled, part
from puzzlesat.solvers import popcount

# mypy: allow-untyped-calls


class Tried(NamedTuple):
    """Room for the moves in one direction that were found from a position."""

    moved: Words
    steps: Longs


@part
def _carried(free: Any, pieces: Any, piece: Any, steps: Any) -> Any:
    """The pieces that move if one of them goes so many steps."""
    found = ONE << np.uint64(piece)
    todo = found
    while todo != NONE:
        reached = NONE
        for i in range(pieces):
            if (todo >> np.uint64(i)) & ONE != NONE:
                for j in range(pieces):
                    if i != j and free[i, j] < steps:
                        reached |= ONE << np.uint64(j)
        todo = reached & ~found
        found |= todo
    return found


@part
def _take_away(tree: Any, order: Any, pieces: Any, number: Any) -> Any:
    """Note the first that can be taken away from a position: single pieces, then what a piece takes along. False where nothing can be."""
    for most in (1, pieces // 2):
        for d in order:
            for i in range(pieces):
                moved = _carried(tree.free[d], pieces, i, NEVER)
                if popcount(moved) <= np.uint64(most):
                    tree.away[0, 0] = number
                    tree.away[0, 1] = np.int64(moved)
                    tree.away[0, 2] = d
                    tree.state[AWAY] = 1
                    return True
    return False


@part
def _is_tried(tried: Any, count: Any, moved: Any, steps: Any) -> Any:
    """Whether a move is among the first so many."""
    known = False
    for k in range(count):
        known = known or (tried.moved[k] == moved and tried.steps[k] == steps)
    return known


@part
def _follow_in_order(scene: Any, tree: Any, tried: Any, order: Any, pieces: Any, number: Any) -> Any:
    """Note where the moves from a position lead. Return PAUSED, or why that is not done."""
    half = np.uint64(pieces // 2)
    for d in order:
        count = 0
        for i in range(pieces):
            steps = 1
            moved = _carried(tree.free[d], pieces, i, steps)
            while popcount(moved) <= half:
                last = -1 if _is_tried(tried, count, moved, steps) else count
                for k in range(last, -1, -1):  # the move itself, then its unions with the others
                    union = moved if k == last else moved | tried.moved[k]
                    if k < last and (tried.steps[k] != steps or union in (moved, tried.moved[k]) or popcount(union) == np.uint64(pieces)):
                        continue
                    if _is_tried(tried, count, union, steps):
                        continue
                    if count == len(tried.moved):
                        return TOO_MANY
                    if tree.state[COUNT] == len(tree.parent):
                        return FULL
                    tried.moved[count] = union
                    tried.steps[count] = steps
                    count += 1
                    add(scene, tree, pieces, number, union, d, steps)
                steps += 1
                moved = _carried(tree.free[d], pieces, i, steps)
    return PAUSED


@compiled
def first_away(scene: Any, tree: Any, tried: Any, rows: Any, order: Any, begun: Any, most: Any) -> Any:
    """Search the first row until something can be taken away, or ``most`` more positions were looked at; return how that ended.

    ``order`` has the directions in the order in which they are tried. Where the search is ``begun``, the tree has what was found of it.
    """
    pieces, state = rows.size[0], tree.state
    if not begun:
        plant(tree, rows.shape[0], rows.position[0], pieces)
    for _ in range(most):
        number = state[LOOKED]
        if number == state[COUNT]:
            return EXHAUSTED
        if not ways(scene, tree, pieces, number):
            return TOO_FAR
        if _take_away(tree, order, pieces, number):
            return FOUND
        end = _follow_in_order(scene, tree, tried, order, pieces, number)
        if end != PAUSED:
            return end
        state[LOOKED] = number + 1
    return PAUSED
