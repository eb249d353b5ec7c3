"""Moves held against the grid, step by step, by code that knows nothing of how they were found.

In each step of a move it is asked of every atom that moves which places it sweeps, from the geometry of the grid in whole numbers; none of
the pieces that stay may be there. It ends where a plane across the direction lies between what is away and what is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from puzzlesat.disassembly.data import Move, Parting, Turn
from puzzlesat.disassembly.ground import LARGEST_BOARD, Ground, ground_under
from puzzlesat.disassembly.stepping import Moves, replay
from puzzlesat.disassembly.sweeping import sweeps_of
from puzzlesat.grid.lattice import AtomId, Grid


def first_fault(
    grid: Grid, pieces: Sequence[Iterable[AtomId]], parting: Parting | None, may_stay: Collection[Collection[int]] = ()
) -> str | None:
    """Say what is wrong with how an assembly comes apart; None where every step is free and all pieces are apart in the end.

    ``parting`` is None if there is one piece. ``may_stay`` are the groups of pieces that need not come apart from each other once others
    are away.
    """
    moves = [] if parting is None else [move for part in parting.partings() for move in part.moves]
    directions = dict.fromkeys(move.direction for move in moves if isinstance(move, Move))
    return fault_on(ground_under(grid, pieces, directions), range(len(pieces)), parting, may_stay)


def fault_on(ground: Ground, row: Sequence[int], parting: Parting | None, may_stay: Collection[Collection[int]] = ()) -> str | None:
    """Say the same of bodies of a ground, by their numbers."""
    places = ground.atoms(row)
    if len({*places.tolist()}) != len(places):
        return "pieces lie in each other from the beginning"
    if parting is None and len(row) > 1:
        return f"pieces {[*range(len(row))]} are left together"
    moves: list[_Moved] = []
    fault = _fault(moves, range(len(row)), parting, [frozenset(group) for group in may_stay])
    return _first_hit(ground, row, moves) or fault  # whatever is wrong first


class _Moved(NamedTuple):
    """A move to be replayed, one of those of a parting: which pieces move, and which stay."""

    moving: Collection[int]
    staying: Collection[int]
    move: Move
    number: int
    pieces: Sequence[int]

    @property
    def what(self) -> str:
        """What messages call it."""
        return f"move {self.number} of pieces {sorted(self.pieces)}"


def _fault(moves: list[_Moved], lying: Collection[int], parting: Parting | None, may_stay: Sequence[frozenset[int]]) -> str | None:
    """List the moves by which these pieces come apart, up to the first fault in what is said of them; return that."""
    if parting is None:
        if len(lying) <= 1 or any(group.issuperset(lying) for group in may_stay):
            return None
        return f"pieces {sorted(lying)} are left together"
    if set(parting.pieces) != set(lying) or not parting.moves:
        return f"pieces {sorted(lying)} are to come apart, but the record is about {sorted(parting.pieces)}"
    moving: set[int] = set()
    for number, move in enumerate(parting.moves, start=1):
        if isinstance(move, Turn):
            return f"move {number} of pieces {sorted(parting.pieces)}: pieces are turned, where they only slide"
        moving = {p for p in move.pieces if p in lying}
        moved = _Moved(moving, [p for p in lying if p not in moving], move, number, parting.pieces)
        if len(moving) != len(move.pieces) or not 0 < len(moving) < len(lying) or not any(move.direction):
            return f"{moved.what}: pieces {list(move.pieces)} cannot move against the others"
        if (move.steps is None) != (number == len(parting.moves)) or (move.steps is not None and move.steps < 1):
            return f"{moved.what}: the last move, and no other, takes pieces away"
        moves.append(moved)
    left = [p for p in lying if p not in moving]
    return _fault(moves, left, parting.left, may_stay) or _fault(moves, moving, parting.away, may_stay)


def _first_hit(ground: Ground, row: Sequence[int], moves: Sequence[_Moved]) -> str | None:
    """Make moves, one after the other, and say where a piece runs into another one. Parts begin where they are before they part."""
    if not moves:
        return None
    edge = _farthest(len(row), moves)
    if ground.size(edge) > LARGEST_BOARD:
        return "pieces go too far for that to be replayed"
    used = {each.move.direction for each in moves}
    directions = ground.directions if used.issubset(ground.directions) else tuple(sorted(used))
    walk = ground.walk_for(len(row), edge=edge)
    script = Moves(
        moving=np.array([_mask(each.moving) for each in moves], dtype=np.uint64),
        staying=np.array([_mask(each.staying) for each in moves], dtype=np.uint64),
        way=np.array([directions.index(each.move.direction) for each in moves], dtype=np.int64),
        steps=np.array([-1 if each.move.steps is None else each.move.steps for each in moves], dtype=np.int64),
    )
    sweeps = sweeps_of(ground.grid, directions)
    number, step, piece, other = replay(ground.bodies, sweeps, walk, np.array(row, dtype=np.int32), script)
    return None if number < 0 else f"{moves[number].what}: step {step}: piece {piece} runs into piece {other}"


def _farthest(pieces: int, moves: Sequence[_Moved]) -> list[int]:
    """How far any piece is from where it was, in each coordinate, at most; those that are away are left out."""
    where, farthest = [[0, 0, 0] for _ in range(pieces)], [0, 0, 0]
    for each in moves:
        for piece in each.moving:
            for axis, x in enumerate(each.move.direction):
                where[piece][axis] += (each.move.steps or 0) * x
                farthest[axis] = max(farthest[axis], abs(where[piece][axis]))
    return farthest


def _mask(pieces: Iterable[int]) -> int:
    return sum(1 << piece for piece in pieces)
