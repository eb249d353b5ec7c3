"""Verify on the atoms that assemblies come apart, or that their pieces interlock. This code is independent of the search.

- The sweep and the heights of an atom in one step are computed from the geometry of the grid in integers.
- Moves are replayed step by step. No piece that stays may be in a place that an atom sweeps. A parting ends when a plane across the
  direction separates the pieces taken away from the others.
- Pieces interlock if the set of positions that they reach by steps is finite: pieces that can be taken away can be moved on for ever, and
  reach infinitely many positions. All positions are enumerated and counted again.
- A turn of cubes is checked in integers at sample angles, which are denser where the moving piece comes closer to another: at no angle may
  it overlap a piece that stays. The positions of interlocked pieces are enumerated with the collisions found by this check.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, permutations, product
from math import gcd, hypot, isqrt, lcm, sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np

from puzzlesat.base import Ints
from puzzlesat.disassembly import stepping
from puzzlesat.disassembly.data import Move, Parting, PlacedBodies, Rotation, atom_in_space, in_space, plus
from puzzlesat.disassembly.rotating import Body, body_of
from puzzlesat.disassembly.stepping import Bodies, Held, StepMoves, StepSweeps, Walk, replay, walk_about
from puzzlesat.disassembly.steps import steps_of
from puzzlesat.puzzles import AtomId, Cell, Grid

Point = tuple[int, ...]
"""A point in lattice coordinates times a common denominator of the corners of all atoms."""
WORD = 1 << 62
"""Bound below which 64-bit integers do not overflow."""


@cache
def sweeps_of(grid: Grid, directions: tuple[Cell, ...]) -> StepSweeps:
    """Return the places that every atom of a grid sweeps in each direction, and the heights needed to replay moves."""
    scale, gram, corners = _whole(grid)
    start, places = [0], list[AtomId]()
    height, low, high, gap = list[list[int]](), list[list[int]](), list[list[int]](), list[int]()
    for direction in directions:
        for number in range(len(grid.atoms)):
            places += [atom_in_space(place) for place in swept(grid, number, direction)]
            start.append(len(places))
        along = tuple(sum(x * g for x, g in zip(direction, column, strict=True)) for column in gram)
        height.append([*(scale * x for x in along), *[0] * (3 - grid.dimension), scale * _dot(along, direction)])
        low.append([min(_dot(along, v) for v in own) for own in corners])
        high.append([max(_dot(along, v) for v in own) for own in corners])
        gap.append(scale * scale * _scalar(gram, direction, direction) * _diameter(grid) if grid.of_balls else 0)
    return StepSweeps(
        direction=np.array([[*d, *[0] * (3 - grid.dimension)] for d in directions], dtype=np.int64).reshape(-1, 3),
        start=np.array(start, dtype=np.int32),
        place=np.array(places, dtype=np.int64).reshape(-1, 4),
        atoms=len(grid.atoms),
        height=np.array(height, dtype=np.int64),
        low=np.array(low, dtype=np.int64),
        high=np.array(high, dtype=np.int64),
        gap=np.array(gap, dtype=np.int64),
    )


@cache
def swept(grid: Grid, number: int, step: Cell) -> tuple[AtomId, ...]:
    """Return the places whose interior an atom of the cell 0 enters in one step.

    Two convex bodies have disjoint interiors if and only if a plane separates them that is parallel to a face of one or to an edge of each.
    The planes parallel to any two lines between corners include these; more planes do no harm.
    """
    home = tuple([0] * grid.dimension)
    if grid.of_balls:
        far = 2 + max(map(abs, step))
        cells = product(range(-far, far + 1), repeat=3)
        return tuple((*cell, 0) for cell in cells if cell != home and _passes(grid, step, cell))
    scale, _, corners = _whole(grid)
    path = [tuple(x + scale * y for x, y in zip(v, by, strict=True)) for v in corners[number] for by in (home, step)]
    normals = np.array(_normals(grid, _line(step)), dtype=object)
    far = int(abs(normals).max()) * grid.dimension * 4 * max(abs(x) for p in path for x in p) * scale
    kind: Any = np.int64 if far < WORD else object  # Python integers do not overflow
    normals = normals.astype(kind)
    here = np.array(path, dtype=kind) @ normals.T
    found: list[AtomId] = []
    for other, own in enumerate(corners):
        if grid.atoms[other].role != "cover":
            continue
        ranges = [
            range((min(p) - max(q)) // scale + 1, -(-(max(p) - min(q)) // scale))
            for p, q in zip(zip(*path, strict=True), zip(*own, strict=True), strict=True)
        ]
        places = [cell for cell in product(*ranges) if (cell, other) != (home, number)]
        there = np.array(own, dtype=kind) @ normals.T
        moved = scale * np.array(places, dtype=kind).reshape(-1, grid.dimension) @ normals.T
        parted = (here.max(axis=0) <= there.min(axis=0) + moved) | (there.max(axis=0) + moved <= here.min(axis=0))
        found += [(*cell, other) for cell, apart in zip(places, parted.any(axis=1).tolist(), strict=True) if not apart]
    return tuple(found)


@cache
def _lines(corners: tuple[Point, ...]) -> frozenset[Point]:
    """Return the directions between any two corners; all directions of edges are among them."""
    return frozenset(_line([x - y for x, y in zip(v, w, strict=True)]) for v, w in combinations(corners, 2))


def _line(vector: Sequence[int]) -> Point:
    """Return the primitive vector along the line of a vector; its first coordinate other than 0 is positive."""
    over = gcd(*vector)
    sign = 1 if next(x for x in vector if x) > 0 else -1
    return tuple(sign * x // over for x in vector)


@cache
def _normals(grid: Grid, line: Point) -> list[Point]:
    """Return the normals of the planes spanned by two lines, each between corners or along the step (in the plane: of the lines)."""
    corners = _whole(grid)[2]
    lines = sorted({line}.union(*(_lines(own) for own, atom in zip(corners, grid.atoms, strict=True) if atom.role == "cover")))
    if grid.dimension == 2:
        return [(-y, x) for x, y in lines]
    crossed = ((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]) for a, b in combinations(lines, 2))
    return sorted({_line(n) for n in crossed if any(n)})


def _passes(grid: Grid, step: Cell, cell: Cell) -> bool:
    """Return True if a ball overlaps the ball of another cell somewhere in a step."""
    gram = _whole(grid)[1]
    length, ahead = _scalar(gram, step, step), _scalar(gram, step, cell)
    nearest = min(length, max(0, ahead))  # the nearest point of the path, as a fraction of the step times ``length``
    gap = [length * c - nearest * s for c, s in zip(cell, step, strict=True)]
    return _scalar(gram, gap, gap) < length * length * _diameter(grid)


# the grid in integers -----------------------------------------------------------------------------------------------------------


@cache
def _whole(grid: Grid) -> tuple[int, tuple[Point, ...], tuple[tuple[Point, ...], ...]]:
    """Return a common denominator of the corners of all atoms, an integral multiple of the Gram matrix, and the scaled corners."""
    scale = lcm(*(x.denominator for atom in grid.atoms for v in atom.vertices for x in v))
    over = lcm(*(x.denominator for row in grid.gram for x in row))
    corners = tuple(tuple(tuple(int(x * scale) for x in v) for v in atom.vertices) for atom in grid.atoms)
    return scale, tuple(tuple(int(x * over) for x in row) for row in grid.gram), corners


@cache
def _diameter(grid: Grid) -> int:
    """Return the squared diameter of balls: neighbours touch."""
    gram = _whole(grid)[1]
    return min(_scalar(gram, n[:-1], n[:-1]) for n in grid.neighbours((0,) * (grid.dimension + 1)))


def _scalar(gram: tuple[Point, ...], v: Sequence[int], w: Sequence[int]) -> int:
    return sum(x * g * y for x, row in zip(v, gram, strict=True) for g, y in zip(row, w, strict=True))


def _dot(v: Sequence[int], w: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(v, w, strict=True))


AT_ONCE = 4096
"""Positions between two checks of the limits."""
Verdict = tuple[bool, str | None]
"""(True, None): confirmed; (False, fault): refuted; (False, None): not decided."""


@dataclass(frozen=True)
class Stuck:
    """A claim that bodies interlock, with the number of relative positions that they reach."""

    bodies: Sequence[int]
    positions: int

    def verdict(self, found: int | None) -> Verdict:
        """Return the verdict for the number of positions found; None: more than claimed."""
        if found == self.positions:
            return True, None
        there = f"more than {self.positions:,}" if found is None else f"{found:,}"
        return False, f"come in {there} positions to each other, not {self.positions:,}"


FIRST_EDGE = 4
"""Largest translation of a piece on the first board, in cells."""
FIRST_ROOM = 1 << 6
"""Number of positions on the first board."""
LARGEST_BOARD = 1 << 28
"""Largest size of a board in bytes."""


@dataclass
class Ground:
    """Bodies on a grid, and a board that grows as needed."""

    grid: Grid
    bodies: Bodies
    directions: tuple[Cell, ...]
    """The directions in which the enumeration moves pieces."""
    walks: list[Walk] = field(default_factory=list)
    """The board; empty until it is needed."""
    most: ClassVar = 200_000
    """Largest number of positions for which interlocked pieces are verified."""

    def atoms(self, row: Sequence[int]) -> Ints:
        """Return the places that the bodies of a row cover."""
        start = self.bodies.start
        return np.concatenate([self.bodies.place[:0], *(self.bodies.place[start[i] : start[i + 1]] for i in row)])

    def walk_for(self, pieces: int, *, atoms: int = 0, positions: int = FIRST_ROOM, edge: Sequence[int] = (0, 0, 0)) -> Walk:
        """Return a board with at least this room, where translations up to ``edge`` fit."""
        old = self.walks[0] if self.walks else None
        if old is not None:
            positions, room = max(positions, len(old.spot)), old.spot.shape[1]
            pieces, atoms = max(pieces, room), max(atoms, len(old.own))
            edge = [max(now, before) for now, before in zip(edge, old.edge.tolist(), strict=True)]
            if (positions, pieces, atoms, edge) == (len(old.spot), room, len(old.own), old.edge.tolist()):
                return old
        self.walks[:] = [self._new_walk(pieces, atoms, positions, edge)]
        return self.walks[0]

    def size(self, edge: Sequence[int]) -> int:
        """Return the size of a board for translations up to ``edge``, in bytes."""
        number = len(self.grid.atoms)
        for low, high, far, more in zip(*self._extent(), edge, self._pad(), strict=True):
            number *= high - low + 1 + 2 * (far + more)
        return number

    def _new_walk(self, pieces: int, atoms: int, positions: int, edge: Sequence[int]) -> Walk:
        sweeps = sweeps_of(self.grid, self.directions)
        farthest = [max(far, FIRST_EDGE) if axis < self.grid.dimension else 0 for axis, far in enumerate(edge)]
        low, high = self._extent()
        around = [far + more for far, more in zip(farthest, self._pad(), strict=True)]
        lengths = np.diff(sweeps.start).reshape(-1, sweeps.atoms).sum(axis=0)
        return Walk(
            edge=np.array(farthest, dtype=np.int64),
            low=np.array(low, dtype=np.int64) - around,
            wide=np.array(high, dtype=np.int64) - low + 1 + 2 * np.array(around),
            board=np.zeros(self.size(farthest), dtype=np.uint8),
            own=np.zeros(atoms, dtype=np.int32),
            own_start=np.zeros(pieces + 1, dtype=np.int64),
            sweep=np.zeros(atoms * int(lengths.max(initial=0)), dtype=np.int32),
            sweep_start=np.zeros(pieces * len(self.directions) + 1, dtype=np.int64),
            moved=np.zeros((positions, pieces, 3), dtype=np.int32),
            spot=np.zeros((positions, pieces), dtype=np.int32),
            slot=np.zeros(positions, dtype=np.int32),
            table=np.full(1 << (4 * positions - 1).bit_length(), -1, dtype=np.int32),
            along=np.zeros(pieces, dtype=np.uint64),
            state=np.zeros(3, dtype=np.int64),
        )

    def _extent(self) -> tuple[list[int], list[int]]:
        """Return the least and the greatest coordinates of the cells of all bodies."""
        cells = self.bodies.atom[:, :3]
        return cells.min(axis=0).tolist(), cells.max(axis=0).tolist()

    def _pad(self) -> list[int]:
        """Return the reach of the sweep of an atom in a step."""
        place = sweeps_of(self.grid, self.directions).place[:, :3]
        farthest: list[int] = abs(place).max(axis=0, initial=0).tolist()
        return farthest

    def held(self, those: Sequence[Stuck], ended: Callable[[], bool] = lambda: False) -> list[Verdict]:
        """Return for each claim a verdict: do the pieces reach exactly the claimed number of positions by single steps of pieces or groups?

        Claims remain undecided after ``ended`` returns True.
        """
        if not those:
            return []
        sweeps, rows = sweeps_of(self.grid, self.directions), _laid(those, self.directions)
        atoms = max(len(self.atoms(claim.bodies)) for claim in those)
        walk = self.walk_for(rows.body.shape[1], atoms=atoms, positions=max(claim.positions for claim in those) + 1)
        found: list[Verdict] = []
        begun = False
        while len(found) < len(those) and not ended():
            row, end = walk_about(self.bodies, sweeps, walk, rows, len(found), len(those), begun, AT_ONCE)
            found += [(True, None)] * (row - len(found))
            begun = end == stepping.PAUSED
            if end == stepping.TOO_NARROW:
                edge, axis = walk.edge.tolist(), int(walk.state[stepping.NARROW])
                edge[axis] *= 2
                if self.size(edge) > LARGEST_BOARD:
                    found.append((False, None))
                else:
                    walk = self.walk_for(0, edge=edge)
            elif end == stepping.OVERLAP:
                found.append((False, "lie in each other"))
            elif end in (stepping.DONE, stepping.MORE):
                found.append(those[row].verdict(None if end == stepping.MORE else int(walk.state[stepping.COUNT])))
        return found + [(False, None)] * (len(those) - len(found))

    def fault(self, row: Sequence[int], parting: Parting | None, may_stay: Collection[Collection[int]] = ()) -> str | None:
        """Return the first fault of a disassembly, as ``first_fault`` does."""
        places = self.atoms(row)
        if len({*places.tolist()}) != len(places):
            return "pieces lie in each other from the beginning"
        moves, fault = moves_of(range(len(row)), parting, may_stay, turns=False)
        return _first_hit(self, row, moves) or fault  # ``moves`` are those before the fault


def _laid(those: Sequence[Stuck], directions: Sequence[Cell]) -> Held:
    """Return claims as arrays."""
    body = np.zeros((len(those), max(len(claim.bodies) for claim in those)), dtype=np.int32)
    for row, claim in zip(body, those, strict=True):
        row[: len(claim.bodies)] = claim.bodies
    size = np.array([len(claim.bodies) for claim in those], dtype=np.int64)
    ways = [w for w, way in enumerate(directions) if tuple(-x for x in way) not in directions[:w]]
    return Held(size, body, np.array([claim.positions for claim in those], dtype=np.int64), np.array(ways, dtype=np.int64))


def ground_of(bodies: PlacedBodies) -> Ground:
    """Return the ground on which some bodies are moved and checked."""
    grid = bodies.grid
    directions = tuple(tuple(d[: grid.dimension]) for d in steps_of(grid).directions.tolist())
    return Ground(grid, Bodies(bodies.start, bodies.covered, _in_space(bodies.places)), directions)


def ground_under(grid: Grid, pieces: Sequence[Iterable[AtomId]], directions: Iterable[Cell]) -> Ground:
    """Return the ground of pieces given by their atoms; pieces that overlap share places."""
    own = [[*piece] for piece in pieces]
    number = {atom: n for n, atom in enumerate(dict.fromkeys(atom for atoms in own for atom in atoms))}
    start = np.cumsum([0, *map(len, own)]).astype(np.int64)
    place = np.array([number[atom] for atoms in own for atom in atoms], dtype=np.int32)
    return Ground(grid, Bodies(start, place, _in_space([*number])), tuple(directions))


def _in_space(atoms: Sequence[AtomId]) -> Ints:
    return np.array([atom_in_space(a) for a in atoms], dtype=np.int32).reshape(-1, 4)


# the moves ----------------------------------------------------------------------------------------------------------------------


def first_fault(
    grid: Grid, pieces: Sequence[Iterable[AtomId]], parting: Parting | None, may_stay: Collection[Collection[int]] = ()
) -> str | None:
    """Return the first fault of a disassembly; None if every step is free and all pieces are apart in the end.

    ``parting`` is None if there is one piece. ``may_stay`` has the groups of pieces that may stay together.
    """
    moves = [] if parting is None else [move for part in parting.partings() for move in part.moves]
    directions = dict.fromkeys(move.direction for move in moves if isinstance(move, Move) and any(move.direction))
    return ground_under(grid, pieces, directions).fault(range(len(pieces)), parting, may_stay)


class ReplayedMove(NamedTuple):
    """A move of a parting, to be replayed: the pieces that move, and those that stay."""

    moving: Collection[int]
    staying: Collection[int]
    move: Move | Rotation
    number: int
    pieces: Sequence[int]

    @property
    def what(self) -> str:
        """The name of the move in messages."""
        return f"move {self.number} of pieces {sorted(self.pieces)}"

    @property
    def direction(self) -> Cell:
        """The direction of a slide; empty for a turn."""
        return self.move.direction if isinstance(self.move, Move) else ()

    @property
    def steps(self) -> int | None:
        """The number of steps; None: the pieces are taken away."""
        return self.move.steps if isinstance(self.move, Move) else 1


def moves_of(
    lying: Collection[int], parting: Parting | None, may_stay: Collection[Collection[int]], *, turns: bool
) -> tuple[list[ReplayedMove], str | None]:
    """Return the moves of a parting up to its first formal fault, and this fault.

    ``turns`` is True if pieces may be turned.
    """
    moves: list[ReplayedMove] = []
    if parting is None and len(lying) > 1:
        return moves, f"pieces {[*lying]} are left together"
    return moves, _fault_of_step(moves, lying, parting, [frozenset(group) for group in may_stay], turns=turns)


def _fault_of_step(
    moves: list[ReplayedMove], lying: Collection[int], parting: Parting | None, may_stay: Sequence[frozenset[int]], *, turns: bool
) -> str | None:
    if parting is None:
        if len(lying) <= 1 or any(group.issuperset(lying) for group in may_stay):
            return None
        return f"pieces {sorted(lying)} are left together"
    if set(parting.pieces) != set(lying) or not parting.moves:
        return f"pieces {sorted(lying)} are to come apart, but the record is about {sorted(parting.pieces)}"
    moving: set[int] = set()
    for number, move in enumerate(parting.moves, start=1):
        moving = {p for p in move.pieces if p in lying}
        moved = ReplayedMove(moving, [p for p in lying if p not in moving], move, number, parting.pieces)
        if isinstance(move, Rotation) and not turns:
            return f"{moved.what}: pieces are turned, where they only slide"
        if len(moving) != len(move.pieces) or not 0 < len(moving) < len(lying) or not (any(moved.direction) or isinstance(move, Rotation)):
            return f"{moved.what}: pieces {list(move.pieces)} cannot move against the others"
        if (moved.steps is None) != (number == len(parting.moves)) or (moved.steps is not None and moved.steps < 1):
            return f"{moved.what}: the last move, and no other, takes pieces away"
        moves.append(moved)
    left = [p for p in lying if p not in moving]
    return _fault_of_step(moves, left, parting.left, may_stay, turns=turns) or _fault_of_step(
        moves, moving, parting.away, may_stay, turns=turns
    )


def _first_hit(ground: Ground, row: Sequence[int], moves: Sequence[ReplayedMove]) -> str | None:
    """Replay moves; return a message about the first collision. The parts of a parting start from its position before the last move."""
    if not moves:
        return None
    edge = _farthest(len(row), moves)
    if ground.size(edge) > LARGEST_BOARD:
        return "pieces go too far for that to be replayed"
    used = {each.direction for each in moves}
    directions = ground.directions if used.issubset(ground.directions) else tuple(sorted(used))
    walk = ground.walk_for(len(row), edge=edge)
    script = StepMoves(
        moving=np.array([_mask(each.moving) for each in moves], dtype=np.uint64),
        staying=np.array([_mask(each.staying) for each in moves], dtype=np.uint64),
        way=np.array([directions.index(each.direction) for each in moves], dtype=np.int64),
        steps=np.array([-1 if each.steps is None else each.steps for each in moves], dtype=np.int64),
    )
    sweeps = sweeps_of(ground.grid, directions)
    number, step, piece, other = replay(ground.bodies, sweeps, walk, np.array(row, dtype=np.int32), script)
    return None if number < 0 else f"{moves[number].what}: step {step}: piece {piece} runs into piece {other}"


def _farthest(pieces: int, moves: Sequence[ReplayedMove]) -> list[int]:
    """Return the largest translation of any piece in each coordinate, without pieces taken away."""
    where, farthest = [[0, 0, 0] for _ in range(pieces)], [0, 0, 0]
    for each in moves:
        for piece in each.moving:
            for axis, x in enumerate(each.direction):
                where[piece][axis] += (each.steps or 0) * x
                farthest[axis] = max(farthest[axis], abs(where[piece][axis]))
    return farthest


def _mask(pieces: Iterable[int]) -> int:
    return sum(1 << piece for piece in pieces)


# turns ---------------------------------------------------------------------------------------------------------------------------


ANGLES = 1 << 13
"""Largest number of sample angles in a quarter turn. The tangents of half the angles are the fractions with this denominator."""
Lying = Mapping[int, Body]


@dataclass(frozen=True)
class Angles:
    """Verifies answers where pieces may be turned."""

    placed: PlacedBodies
    bevel: Fraction
    most: ClassVar = 1000
    """Largest number of positions for which interlocked pieces are verified."""

    def held(self, those: Sequence[Stuck], ended: Callable[[], bool] = lambda: False) -> list[Verdict]:
        """Return for each claim a verdict: do the pieces reach exactly the claimed number of positions by single steps and turns?"""
        verdicts: list[Verdict] = []
        for claim in those:
            bodies = [body_of(self.placed, b) for b in claim.bodies]
            found = positions_turned(bodies, self.bevel, self.placed.grid.dimension, claim.positions, ended)
            verdicts.append((False, None) if ended() else claim.verdict(found))
        return verdicts

    def fault(self, row: Sequence[int], parting: Parting | None, may_stay: Collection[Collection[int]] = ()) -> str | None:
        """Return the first fault of a disassembly; None if every move is free, and all pieces are apart in the end."""
        lying = {i: body_of(self.placed, b) for i, b in enumerate(row)}
        return fault_in(lying, parting, self.bevel, self.placed.grid.dimension, may_stay)


# slides and turns -------------------------------------------------------------------------------------------------------------


def fault_in(
    lying: Lying, parting: Parting | None, bevel: Fraction, dimension: int, together: Collection[Collection[int]] = ()
) -> str | None:
    """Return the first fault of a disassembly; None if every move is free, and all pieces are apart in the end.

    ``together`` has the groups of pieces that may stay together.
    """
    moves, fault = moves_of(lying, parting, together, turns=True)
    there = {**lying}
    for each in moves:
        here, move = {p: there[p] for p in (*each.moving, *each.staying)}, each.move
        after = _turn(here, move, bevel, dimension) if isinstance(move, Rotation) else _slide(here, move)
        if not after:
            return f"{each.what}: something is in the way"
        if each.steps is not None:
            there |= after
    return fault


def _slide(lying: Lying, move: Move) -> Lying:
    """Return the pieces after a slide; empty if something is in the way."""
    direction = in_space(move.direction)
    if sorted(map(abs, direction)) != [0, 0, 1]:
        return {}
    cells = [cell for body in lying.values() for cell in body]
    along = next(r for r in range(3) if direction[r])
    far = 1 + max(c[along] for c in cells) - min(c[along] for c in cells)
    staying = frozenset(cell for p, body in lying.items() if p not in move.pieces for cell in body)
    for _ in range(far if move.steps is None else move.steps):
        lying = {p: frozenset(plus(cell, direction) for cell in body) if p in move.pieces else body for p, body in lying.items()}
        if any(not staying.isdisjoint(lying[p]) for p in move.pieces):
            return {}
    return lying


def _turn(lying: Lying, turn: Rotation, bevel: Fraction, dimension: int) -> Lying:
    """Return the pieces after a turn; empty if something is in the way."""
    u, v = turn.about[(turn.axis + 1) % 3], turn.about[(turn.axis + 2) % 3]
    if not 1 <= abs(turn.quarters) <= 3 or turn.axis not in _axes(dimension) or (u ^ v) & 1:
        return {}
    way = 1 if turn.quarters > 0 else -1
    seen = {p: _seen_from(_layers(body, turn.axis), u, v) for p, body in lying.items()}
    staying = [layers for p, layers in seen.items() if p not in turn.pieces]
    for _ in range(abs(turn.quarters)):
        if any(_in_the_way(seen[p], other, u % 2, way, bevel) for p in turn.pieces for other in staying):
            return {}
        seen |= {p: _quarter(seen[p], way) for p in turn.pieces}
    return {p: _cubes(layers, turn.axis, u, v) if p in turn.pieces else lying[p] for p, layers in seen.items()}


def _axes(dimension: int) -> tuple[int, ...]:
    return (0, 1, 2) if dimension == 3 else (2,)


# swept places -----------------------------------------------------------------------------------------------------------------


Place = tuple[int, int]
Layers = Mapping[int, frozenset[Place]]
"""The places of the parts of a piece across an axis, by their height along the axis; all in half edges."""


@lru_cache(maxsize=1 << 12)
def _layers(body: Body, axis: int) -> Layers:
    """Return the layers of a piece across an axis: its cubes, and the gaps between two or four of them."""
    steps = [in_space(by) for by in product((-1, 0, 1), repeat=3) if by[axis] == 0]
    places = {plus((2 * x, 2 * y, 2 * z), by) for x, y, z in body for by in steps}
    found: dict[int, set[Place]] = defaultdict(set)
    for place in places:
        if body.issuperset(product(*((c // 2, -(-c // 2)) for c in place))):
            found[place[axis]].add((place[(axis + 1) % 3], place[(axis + 2) % 3]))
    return {height: frozenset(own) for height, own in found.items()}


def _seen_from(layers: Layers, u: int, v: int) -> Layers:
    """Return the layers relative to an axis."""
    return {height: frozenset((x - u, y - v) for x, y in own) for height, own in layers.items()}


def _cubes(layers: Layers, axis: int, u: int, v: int) -> Body:
    """Return the cubes of a piece from its layers relative to an axis."""
    found = []
    for height, own in layers.items():
        for x, y in own:
            place = [0, 0, 0]
            place[axis], place[(axis + 1) % 3], place[(axis + 2) % 3] = height, x + u, y + v
            if not any(c & 1 for c in place):
                found.append(in_space([c // 2 for c in place]))
    return frozenset(found)


def _quarter(layers: Layers, way: int) -> Layers:
    """Return the layers after a quarter turn."""
    return {height: frozenset((-way * y, way * x) for x, y in own) for height, own in layers.items()}


def _in_the_way(one: Layers, other: Layers, kind: int, way: int, bevel: Fraction) -> bool:
    """Return True if a piece in a quarter turn meets another one."""
    swept = eye(bevel)
    for height, own in one.items():
        there = other.get(height)
        if there and any(not there.isdisjoint(swept(x, y, kind, way)) for x, y in own):
            return True
    return False


@lru_cache(maxsize=64)
def eye(bevel: Fraction) -> Callable[[int, int, int, int], frozenset[Place]]:
    """Return a function that computes the places swept by a part of a piece in a quarter turn about (0, 0).

    Its arguments are the place of the part relative to the axis, in half edges; the parity of the coordinates of cubes; and 1 for a turn to
    the left, -1 for a turn to the right. Reflection and rotation reduce each case to a turn to the left of a part in the first quadrant.
    """

    @lru_cache(maxsize=1 << 16)
    def swept(x: int, y: int, kind: int, way: int) -> frozenset[Place]:
        if way < 0:
            return frozenset((v, u) for u, v in swept(y, x, kind, 1))
        if x < 0 or y < 0:
            return frozenset((-v, u) for u, v in swept(y, -x, kind, 1))
        far = isqrt(x * x + y * y) + 4
        near = [(u, v) for u, v in product(range(-far, far + 1), repeat=2) if abs(hypot(u, v) - hypot(x, y)) < 2 * sqrt(2)]
        moving = _rectangle(x, y, kind, bevel)  # places not in ``near`` are too far away to meet: twice the half diagonal of a cube
        return frozenset((u, v) for u, v in near if _meet(moving, _rectangle(u, v, kind, bevel)))

    return swept


class _Rectangle(NamedTuple):
    """A rectangle: its centre, and half its width and height. The unit is half an edge over the denominator of the bevel."""

    x: int
    y: int
    wide: int
    tall: int


def _rectangle(x: int, y: int, kind: int, bevel: Fraction) -> _Rectangle:
    unit, gap = bevel.denominator, 2 * bevel.numerator
    wide, tall = (unit - gap if c % 2 == kind else gap for c in (x, y))
    return _Rectangle(unit * x, unit * y, wide, tall)


def _meet(one: _Rectangle, other: _Rectangle) -> bool:
    """Return True if a rectangle in a quarter turn to the left overlaps another one at some sample angle.

    The speed of a point is its distance from the axis. So if the gap at an angle is large, there is no overlap at the angles near it;
    otherwise both halves of the interval are searched (bisection).
    """
    if 0 in (one.wide, one.tall, other.wide, other.tall):
        return False
    speed = max(hypot(one.x, one.y), hypot(other.x, other.y)) + 2 * max(*one[2:], *other[2:])
    left = [(0, ANGLES)]
    while left:
        low, high = left.pop()
        i = (low + high) // 2
        gap, r = _gap(one, other, i)
        if gap < 0:
            return True
        if high - low > 1 and gap <= speed * r * r * (high - low + 1) / ANGLES:
            left += [(low, i), (i, high)]
    return False


def _gap(one: _Rectangle, other: _Rectangle, i: int) -> tuple[int, int]:
    """Return the gap between two rectangles at sample angle ``i``, along the sides of either, times r squared; and r.

    They overlap if the gap is negative (separating axes). The cosine and the sine times r are integers.
    """
    c, s, r = ANGLES**2 - i**2, 2 * ANGLES * i, ANGLES**2 + i**2
    x = other.x * r - (c * one.x - s * one.y)
    y = other.y * r - (s * one.x + c * one.y)
    gaps = (
        r * (abs(x) - other.wide * r - one.wide * c - one.tall * s),
        r * (abs(y) - other.tall * r - one.wide * s - one.tall * c),
        abs(c * x + s * y) - r * (one.wide * r + other.wide * c + other.tall * s),
        abs(c * y - s * x) - r * (one.tall * r + other.wide * s + other.tall * c),
    )
    return max(gaps), r


# positions by steps and turns ----------------------------------------------------------------------------------------------------


def positions_turned(
    bodies: Sequence[Body], bevel: Fraction, dimension: int, most: int, ended: Callable[[], bool] = lambda: False
) -> int | None:
    """Return the number of relative positions that pieces reach by single steps and turns; None if there are more than ``most``.

    Also None as soon as ``ended``, called at each position, returns True.
    """
    begin = tuple(bodies)
    seen, rim = {begin}, [begin]
    while rim:
        if ended():
            return None
        for there in _next_to(rim.pop(), bevel, dimension):
            if there not in seen:
                if len(seen) == most:
                    return None
                seen.add(there)
                rim.append(there)
    return len(seen)


def _next_to(here: tuple[Body, ...], bevel: Fraction, dimension: int) -> Iterator[tuple[Body, ...]]:
    """Yield the positions after one step or one turn; the first piece stays."""
    for r, step in product(range(dimension), (1, -1)):
        direction = in_space([step if k == r else 0 for k in range(3)])
        there = [frozenset(plus(cell, direction) for cell in body) for body in here]
        takes = [sum(1 << k for k, other in enumerate(here) if k != i and not other.isdisjoint(body)) for i, body in enumerate(there)]
        yield from _moved(here, there, takes)
    for axis in _axes(dimension):
        layers, ranges = [_layers(body, axis) for body in here], []
        for k in ((axis + 1) % 3, (axis + 2) % 3):
            ends = [cell[k] for body in here for cell in body]
            ranges.append(range(2 * min(ends) - 1, 2 * max(ends) + 2))
        for u, v in product(*ranges):
            if (u - v) % 2 == 0:
                seen = [_seen_from(own, u, v) for own in layers]
                for way in (1, -1):
                    yield from _turned_on(here, seen, axis, (u, v), way, bevel)


def _turned_on(
    here: tuple[Body, ...], seen: Sequence[Layers], axis: int, about: Place, way: int, bevel: Fraction
) -> Iterator[tuple[Body, ...]]:
    """Yield the positions after one, two and three quarters about an axis; ``seen`` has the pieces relative to it."""
    there, takes = list(seen), [0] * len(seen)
    for _ in range(3):
        for i, k in permutations(range(len(seen)), 2):
            if i and not takes[i] >> k & 1 and _in_the_way(there[i], seen[k], about[0] % 2, way, bevel):  # the first one stays
                takes[i] |= 1 << k
        if all(own & 1 for own in takes[1:]):
            return
        there = [_quarter(own, way) for own in there]
        yield from _moved(here, [_cubes(own, axis, *about) for own in there], takes)


def _moved(here: Sequence[Body], there: Sequence[Body], takes: Sequence[int]) -> Iterator[tuple[Body, ...]]:
    """Yield the positions after the moves of all sets of pieces that can move while the first piece stays."""
    for group in _free_groups(takes):
        yield tuple(there[i] if group >> i & 1 else body for i, body in enumerate(here))


def _free_groups(takes: Sequence[int]) -> Iterator[int]:
    """Yield the sets of pieces that can move while the first piece stays: the sets that contain all pieces in the way of their pieces.

    Sets with the first piece are not needed: moving the complement the opposite way leads to the same position.
    """
    whole = [own | 1 << i for i, own in enumerate(takes)]
    for k in range(len(whole)):  # transitive closure (S. Warshall, A theorem on Boolean matrices, 1962)
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
