"""Find the disassembly that BurrTools finds first: breadth-first search in BurrTools' order of moves, compiled.

BurrTools takes the first separation that it meets, so its level depends on the order in which it tries moves. At each position it checks,
for each direction and each piece, if the piece alone can be taken away; then if the piece can be taken away with the pieces it pushes.
Then it tries, in the same order, to move each piece and the pieces it pushes, at most half of all pieces, by 1, 2, 3 and more steps.
After each of these moves it tries the unions of the move with earlier moves in the same direction by the same number of steps, the latest
first.
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
from puzzlesat.kernels import compiled, part, popcount

# mypy: allow-untyped-calls


class Tried(NamedTuple):
    """Buffers for the moves from a position in one direction."""

    moved: Words
    steps: Longs


@part
def _carried(free: Any, pieces: Any, piece: Any, steps: Any) -> Any:
    """Return the set of pieces that move if ``piece`` moves by ``steps``."""
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
    """Record the first set that can be taken away: single pieces first, then pieces with those they push. False if there is none."""
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
    """Return True if a move is among the first ``count`` of ``tried``."""
    known = False
    for k in range(count):
        known = known or (tried.moved[k] == moved and tried.steps[k] == steps)
    return known


@part
def _follow_in_order(scene: Any, tree: Any, tried: Any, order: Any, pieces: Any, number: Any) -> Any:
    """Add the positions that are one move away. Return PAUSED, or the reason for stopping."""
    half = np.uint64(pieces // 2)
    for d in order:
        count = 0
        for i in range(pieces):
            steps = 1
            moved = _carried(tree.free[d], pieces, i, steps)
            while popcount(moved) <= half:
                last = -1 if _is_tried(tried, count, moved, steps) else count
                for k in range(last, -1, -1):  # the move itself, then its unions with earlier moves
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
    """Search the first row until pieces can be taken away, or ``most`` more positions were expanded; return how the search ended.

    ``order`` lists the directions in the order in which they are tried. If ``begun``, resume the search from the state in ``tree``.
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
