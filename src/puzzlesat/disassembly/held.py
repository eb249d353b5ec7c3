"""Pieces that hold each other, gone through once more by code that knows nothing of the search: step by step, on the atoms.

A witness that pieces do not come apart is a finite set of positions out of which no step leads. Whatever could be taken away could be moved
on and on, and so would have no end of positions. Nothing else is asked here: neither what is away, nor how far anything goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from puzzlesat.disassembly.ground import LARGEST_BOARD, Ground
from puzzlesat.disassembly.stepping import COUNT, DONE, MORE, NARROW, OVERLAP, PAUSED, TOO_NARROW, Held, walk_about
from puzzlesat.disassembly.sweeping import sweeps_of
from puzzlesat.grid.lattice import Cell

AT_ONCE = 4096
"""Positions between two looks at the clock."""
Verdict = tuple[bool, str | None]
"""Whether an answer is confirmed, and what is wrong with it; (False, None): that was not found out."""


@dataclass(frozen=True)
class Stuck:
    """Bodies that are said not to come apart, and in how many positions to each other they are said to come."""

    bodies: Sequence[int]
    positions: int


def held(ground: Ground, those: Sequence[Stuck], ended: Callable[[], bool] = lambda: False) -> list[Verdict]:
    """Tell of each of these whether it is so: they come in just so many positions by single steps of any of them, or of groups.

    None of the others is confirmed as soon as ``ended`` says so.
    """
    if not those:
        return []
    sweeps, rows = sweeps_of(ground.grid, ground.directions), _laid(those, ground.directions)
    walk = ground.walk_for(rows.body.shape[1], atoms=_most_atoms(ground, those), positions=max(one.positions for one in those) + 1)
    found: list[Verdict] = []
    begun = False
    while len(found) < len(those) and not ended():
        row, end = walk_about(ground.bodies, sweeps, walk, rows, len(found), len(those), begun, AT_ONCE)
        found += [(True, None)] * (row - len(found))
        begun = end == PAUSED
        if end == TOO_NARROW:
            edge, axis = walk.edge.tolist(), int(walk.state[NARROW])
            edge[axis] *= 2
            if ground.size(edge) > LARGEST_BOARD:
                found.append((False, None))
            else:
                walk = ground.walk_for(0, edge=edge)
        elif end in (DONE, MORE, OVERLAP):
            found.append((False, _fault(end, those[row].positions, int(walk.state[COUNT]))))
    return found + [(False, None)] * (len(those) - len(found))


def _fault(end: int, said: int, count: int) -> str:
    if end == OVERLAP:
        return "lie in each other"
    return f"come in {f'more than {said:,}' if end == MORE else f'{count:,}'} positions to each other, not {said:,}"


def _laid(those: Sequence[Stuck], directions: Sequence[Cell]) -> Held:
    """The same as arrays."""
    body = np.zeros((len(those), max(len(one.bodies) for one in those)), dtype=np.int32)
    for row, one in zip(body, those, strict=True):
        row[: len(one.bodies)] = one.bodies
    size = np.array([len(one.bodies) for one in those], dtype=np.int64)
    ways = [w for w, way in enumerate(directions) if tuple(-x for x in way) not in directions[:w]]
    return Held(size, body, np.array([one.positions for one in those], dtype=np.int64), np.array(ways, dtype=np.int64))


def _most_atoms(ground: Ground, those: Sequence[Stuck]) -> int:
    """How many atoms they cover, at most."""
    lengths = np.diff(ground.bodies.start)
    return max(int(lengths[[*one.bodies]].sum()) for one in those)
