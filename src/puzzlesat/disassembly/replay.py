"""Moves held against the grid, step by step, by code that knows nothing of how they were found.

In each step of a move it is asked of every atom that moves which places it sweeps, from the geometry of the grid in whole numbers; none of
the pieces that stay may be there. It ends where a plane across the direction lies between what is away and what is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations, count, product
from math import gcd, lcm

from puzzlesat.disassembly.data import Move, Parting, Turn
from puzzlesat.grid.lattice import AtomId, Cell, Grid, translate

Point = tuple[int, ...]
"""In lattice coordinates, multiplied so that the corners of all atoms are whole."""
Pieces = Mapping[int, frozenset[AtomId]]
"""Pieces by number, as they lie now."""


def first_fault(
    grid: Grid, pieces: Sequence[Iterable[AtomId]], parting: Parting | None, may_stay: Collection[Collection[int]] = ()
) -> str | None:
    """Say what is wrong with how an assembly comes apart; None where every step is free and all pieces are apart in the end.

    ``parting`` is None if there is nothing to take apart. ``may_stay`` are the groups of pieces that need not come apart from each other.
    """
    lying = {number: frozenset(atoms) for number, atoms in enumerate(pieces)}
    if sum(map(len, lying.values())) != len(frozenset[AtomId]().union(*lying.values())):
        return "pieces lie in each other from the beginning"
    return _fault(grid, lying, parting, [frozenset(group) for group in may_stay])


def _fault(grid: Grid, lying: Pieces, parting: Parting | None, may_stay: Sequence[frozenset[int]]) -> str | None:
    """The first fault in how these pieces come apart."""
    if parting is None:
        if len(lying) == 1 or any(group.issuperset(lying) for group in may_stay):
            return None
        return f"pieces {sorted(lying)} are left together"
    if set(parting.pieces) != set(lying) or not parting.moves:
        return f"pieces {sorted(lying)} are to come apart, but the record is about {sorted(parting.pieces)}"
    for number, move in enumerate(parting.moves, start=1):
        what = f"move {number} of pieces {sorted(parting.pieces)}"
        if isinstance(move, Turn):
            return f"{what}: pieces are turned, where they only slide"
        moving = {p for p in move.pieces if p in lying}
        if len(moving) != len(move.pieces) or not 0 < len(moving) < len(lying) or not any(move.direction):
            return f"{what}: pieces {list(move.pieces)} cannot move against the others"
        if (move.steps is None) != (number == len(parting.moves)) or (move.steps is not None and move.steps < 1):
            return f"{what}: the last move, and no other, takes pieces away"
        before = lying
        lying, fault = _moved(grid, lying, moving, move)
        if fault is not None:
            return f"{what}: {fault}"
    away = {p: before[p] for p in moving}
    left = {p: atoms for p, atoms in before.items() if p not in moving}
    return _fault(grid, left, parting.left, may_stay) or _fault(grid, away, parting.away, may_stay)


def _moved(grid: Grid, lying: Pieces, moving: Collection[int], move: Move) -> tuple[Pieces, str | None]:
    """The pieces after a move, and what stood in the way."""
    staying = {a: p for p, atoms in lying.items() if p not in moving for a in atoms}
    atoms = [(a, p) for p in moving for a in lying[p]]
    steps = _until_past(grid, [a for a, _ in atoms], staying, move.direction) if move.steps is None else move.steps
    for done in range(steps):
        by = tuple(done * x for x in move.direction)
        for atom, piece in atoms:
            here = tuple(c + x for c, x in zip(atom[:-1], by, strict=True))
            for place in swept(grid, atom[-1], move.direction):
                if (other := staying.get(translate(place, here))) is not None:
                    return lying, f"step {done + 1}: piece {piece} runs into piece {other}"
    by = tuple(steps * x for x in move.direction)
    return {p: frozenset(translate(a, by) for a in own) if p in moving else own for p, own in lying.items()}, None


def _until_past(grid: Grid, moving: Iterable[AtomId], staying: Iterable[AtomId], direction: Cell) -> int:
    """After how many steps all that moves lies beyond all that stays, as seen in the direction."""
    scale, gram, corners = _whole(grid)
    along = tuple(sum(x * g for x, g in zip(direction, column, strict=True)) for column in gram)
    low = [min(_dot(along, v) for v in own) for own in corners]
    high = [max(_dot(along, v) for v in own) for own in corners]
    least = min(scale * _dot(along, a[:-1]) + low[a[-1]] for a in moving)
    most = max(scale * _dot(along, a[:-1]) + high[a[-1]] for a in staying)
    speed = scale * _dot(along, direction)
    if not grid.of_balls:
        return max(0, -((least - most) // speed))
    gap = scale * scale * _scalar(gram, direction, direction) * _diameter(grid)
    return next(n for n in count() if least + n * speed > most and (least + n * speed - most) ** 2 >= gap)


# what an atom sweeps in one step ------------------------------------------------------------------------------------------------


@cache
def swept(grid: Grid, number: int, step: Cell) -> tuple[AtomId, ...]:
    """The places into which an atom of the cell 0 comes when it goes one step: those that it enters by more than its skin."""
    home = tuple([0] * grid.dimension)
    if grid.of_balls:
        far = 2 + max(map(abs, step))
        cells = product(range(-far, far + 1), repeat=3)
        return tuple((*cell, 0) for cell in cells if cell != home and _passes(grid, step, cell))
    scale, _, corners = _whole(grid)
    path = [_ahead(v, by, scale) for v in corners[number] for by in (home, step)]
    found: list[AtomId] = []
    for other, own in enumerate(corners):
        if grid.atoms[other].role != "cover":
            continue
        ranges = [
            range((min(p) - max(q)) // scale + 1, -(-(max(p) - min(q)) // scale))
            for p, q in zip(zip(*path, strict=True), zip(*own, strict=True), strict=True)
        ]
        lines = {*_lines(corners[number]), _line(step), *_lines(own)}
        normals = _normals(sorted(lines), grid.dimension)
        here = [(n, [_dot(n, p) for p in path], [_dot(n, p) for p in own]) for n in normals]
        places = (cell for cell in product(*ranges) if (cell, other) != (home, number))
        found += [(*cell, other) for cell in places if not _parted(here, [scale * c for c in cell])]
    return tuple(found)


def _parted(along: Iterable[tuple[Point, list[int], list[int]]], by: Sequence[int]) -> bool:
    """Whether a plane has one convex body on one side and another, moved ``by``, on the other.

    For each normal that such a plane may have: how far the corners of both reach along it.
    """
    for normal, here, there in along:
        moved = _dot(normal, by)
        if max(here) <= min(there) + moved or max(there) + moved <= min(here):
            return True
    return False


@cache
def _lines(corners: tuple[Point, ...]) -> frozenset[Point]:
    """The directions from corner to corner; those of the edges are among them."""
    return frozenset(_line([x - y for x, y in zip(v, w, strict=True)]) for v, w in combinations(corners, 2))


def _line(vector: Sequence[int]) -> Point:
    """One of all the vectors along the same line."""
    over = gcd(*vector)
    sign = 1 if next(x for x in vector if x) > 0 else -1
    return tuple(sign * x // over for x in vector)


def _normals(lines: Sequence[Point], dimension: int) -> list[Point]:
    """The normals of the planes along two of these lines (in the plane: of the lines)."""
    if dimension == 2:
        return [(-y, x) for x, y in lines]
    crossed = ((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]) for a, b in combinations(lines, 2))
    return sorted({_line(n) for n in crossed if any(n)})


def _passes(grid: Grid, step: Cell, cell: Cell) -> bool:
    """Whether a ball that goes a step is nearer to that of a cell, somewhere on its way, than a diameter."""
    gram = _whole(grid)[1]
    length, ahead = _scalar(gram, step, step), _scalar(gram, step, cell)
    nearest = min(length, max(0, ahead))  # in parts of the step
    gap = [length * c - nearest * s for c, s in zip(cell, step, strict=True)]
    return _scalar(gram, gap, gap) < length * length * _diameter(grid)


# the grid in whole numbers ------------------------------------------------------------------------------------------------------


@cache
def _whole(grid: Grid) -> tuple[int, tuple[Point, ...], tuple[tuple[Point, ...], ...]]:
    """A number by which the corners of all atoms become whole, a multiple of the Gram matrix that is, and these corners."""
    scale = lcm(*(x.denominator for atom in grid.atoms for v in atom.vertices for x in v))
    over = lcm(*(x.denominator for row in grid.gram for x in row))
    corners = tuple(tuple(tuple(int(x * scale) for x in v) for v in atom.vertices) for atom in grid.atoms)
    return scale, tuple(tuple(int(x * over) for x in row) for row in grid.gram), corners


@cache
def _diameter(grid: Grid) -> int:
    """The square of the diameter of balls, of which neighbours touch."""
    gram = _whole(grid)[1]
    return min(_scalar(gram, n[:-1], n[:-1]) for n in grid.neighbours((0,) * (grid.dimension + 1)))


def _scalar(gram: tuple[Point, ...], v: Sequence[int], w: Sequence[int]) -> int:
    return sum(x * g * y for x, row in zip(v, gram, strict=True) for g, y in zip(row, w, strict=True))


def _dot(v: Sequence[int], w: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(v, w, strict=True))


def _ahead(corner: Point, by: Cell, scale: int) -> Point:
    return tuple(x + scale * y for x, y in zip(corner, by, strict=True))
