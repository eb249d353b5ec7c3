"""Pieces that hold each other, gone through once more by code that knows nothing of the search: step by step, on the atoms.

A witness that pieces do not come apart is a finite set of positions out of which no step leads. Whatever could be taken away could be moved
on and on, and so would have no end of positions. Nothing else is asked here: neither what is away, nor how far anything goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from puzzlesat.disassembly.replay import swept
from puzzlesat.grid.lattice import AtomId, Cell, Grid, translate


def positions_reached(
    grid: Grid, pieces: Sequence[Iterable[AtomId]], directions: Sequence[Cell], most: int, ended: Callable[[], bool] = lambda: False
) -> int | None:
    """Return in how many positions to each other pieces can come by single steps of any of them, or groups; None: in more than ``most``.

    None too if ``ended`` says so, which is asked at each position.
    """
    bodies = [frozenset(atoms) for atoms in pieces]
    sweeps = [[frozenset(translate(place, a[:-1]) for a in body for place in swept(grid, a[-1], d)) for d in directions] for body in bodies]

    @cache
    def hits(one: int, other: int, way: int, gap: Cell) -> bool:
        """Whether a piece that goes a step runs into another one, which lies by ``gap`` further from it than in the beginning."""
        sweep, body = sweeps[one][way], bodies[other]
        if len(sweep) < len(body):  # of a small piece in a large cage the small one is moved
            back = _less((0,) * grid.dimension, gap)
            return not body.isdisjoint(translate(a, back) for a in sweep)
        return not sweep.isdisjoint(translate(a, gap) for a in body)

    begin = ((0,) * grid.dimension,) * len(bodies)
    seen, rim = {begin}, [begin]
    while rim:
        if ended():
            return None
        here = rim.pop()
        for way, direction in enumerate(directions):
            takes = [
                sum(1 << j for j, there in enumerate(here) if i != j and hits(i, j, way, _less(there, own))) for i, own in enumerate(here)
            ]
            for group in free_groups(takes):
                there = tuple(_plus(cell, direction) if group >> i & 1 else cell for i, cell in enumerate(here))
                if there not in seen:
                    if len(seen) == most:
                        return None
                    seen.add(there)
                    rim.append(there)
    return len(seen)


def free_groups(takes: Sequence[int]) -> Iterator[int]:
    """Yield the sets of pieces that can go a step while the first stays: those that have with each piece all that it runs into.

    That the others go the other way is the same position.
    """
    whole = [own | 1 << i for i, own in enumerate(takes)]
    for k in range(len(whole)):  # what a piece takes along takes along more (Warshall, A theorem on Boolean matrices, 1962)
        whole = [own | whole[k] if own >> k & 1 else own for own in whole]

    def choose(piece: int, inside: int, outside: int) -> Iterator[int]:
        if piece == len(whole):
            if inside:
                yield inside
            return
        if inside >> piece & 1:
            yield from choose(piece + 1, inside, outside)
            return
        if not whole[piece] & outside:
            yield from choose(piece + 1, inside | whole[piece], outside)
        yield from choose(piece + 1, inside, outside | 1 << piece)

    return choose(1, 0, 1)


def _plus(one: Cell, other: Cell) -> Cell:
    return tuple(x + y for x, y in zip(one, other, strict=True))


def _less(one: Cell, other: Cell) -> Cell:
    return tuple(x - y for x, y in zip(one, other, strict=True))
