"""Take assemblies of cubes apart that slide and are turned: in the fewest moves into two parts, then each of these."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import permutations, product

import numpy as np

from puzzlesat.base import SILENT, Clock, EndedError, Limits, Longs, NotSupportedError, Progress
from puzzlesat.disassembly.data import Answer, Move, Parting, StuckError, Turn, UndecidedError
from puzzlesat.disassembly.rotation_search import (
    EMPTY,
    EXHAUSTED,
    FOUND,
    FULL,
    SLIDE,
    TOO_FAR,
    TOO_MANY,
    Cubes,
    Found,
    Room,
    fill_table,
    look,
)
from puzzlesat.disassembly.swept_cells import Corner, Scale, Sweeps, fill_sweeps
from puzzlesat.disassembly.taking import check_movable, longer
from puzzlesat.puzzles import Built, Puzzle

Cell = tuple[int, int, int]
Body = frozenset[Cell]
Matrix = tuple[Cell, Cell, Cell]
Motion = tuple[Matrix, Cell]
"""A turn, and how far everything is moved after it."""

MOST_PIECES = 16
WIDTHS = 12, 24, 48
"""Cubes along each coordinate that positions are given room for: at first, and where that is too little."""
FIRST_ROOM = 1 << 10
MOST_SETS = 1 << 12
MOST_AWAY = 1 << 10
AT_ONCE = 64
"""Positions between two looks at the clock."""
MOST_PARTS = 20_000
"""Sets of pieces that are parted to find the least numbers, for an assembly."""
MOST_BEVEL = Fraction(1, 4)
FINEST_BEVEL = 1000
"""The largest denominator: squares of radii are kept in words, and what cubes pass by so little is seen by the second look."""


def check_turns(puzzle: Puzzle) -> None:
    """Raise NotSupportedError where pieces cannot be turned by quarters: where they are no cubes (in the plane: squares)."""
    check_movable(puzzle)
    grid, covers = puzzle.grid, [atom for atom in puzzle.grid.atoms if atom.role == "cover"]
    square = all((x == grid.gram[0][0]) if i == k else x == 0 for i, row in enumerate(grid.gram) for k, x in enumerate(row))
    if not square or grid.of_balls or len(covers) != 1 or len(covers[0].vertices) != 2**grid.dimension:
        raise NotSupportedError(f"on grid {grid.name!r} pieces are not turned; they are on grids of cubes and of squares")


def may_turn(puzzle: Puzzle) -> bool:
    """Whether pieces can be turned by quarters."""
    try:
        check_turns(puzzle)
    except NotSupportedError:
        return False
    return True


def take_apart_turning(
    built: Built,
    options: Sequence[int],
    bevel: Fraction,
    limits: Limits,
    *,
    together: Sequence[Collection[int]] = (),
    progress: Progress = SILENT,
) -> Answer:
    """Find out whether an assembly comes apart by slides and quarter turns, and how; the numbers are the least, as without turns.

    In a turn, every piece counts as one that is thinner by ``bevel`` of an edge on each side. ``together`` are the groups of pieces, by
    their numbers in the assembly, that need not come apart from each other. Raises NotSupportedError for too many pieces.
    """
    if len(options) > MOST_PIECES:
        raise NotSupportedError(f"{len(options)} pieces; up to {MOST_PIECES} can be turned")
    work = _Work(bevel, built.puzzle.grid.dimension, [frozenset(group) for group in together], Clock(limits), progress.of("searching"))
    if (why := work.clock.verdict(-1)) is not None:
        return Answer(None, undecided=why)
    bodies = {i: body_of(built, o) for i, o in enumerate(options)}
    try:
        parting = _parted(work, bodies) if len(bodies) > 1 else None
    except StuckError as stuck:
        return Answer(None, stuck=stuck.pieces, closed=stuck.closed, positions=work.positions, least=work.least)
    except UndecidedError as why:
        return Answer(None, undecided=str(why), positions=work.positions)
    return Answer(parting, positions=work.positions, least=work.least)


def body_of(built: Built, option: int) -> Body:
    """Return the cubes of a placement; squares lie in the plane z = 0."""
    return frozenset(in_space(atom[:-1]) for atom in built.placements[option].atoms)


def in_space(cell: Sequence[int]) -> Cell:
    """Return a cell with three coordinates."""
    x, y, *z = cell
    return x, y, z[0] if z else 0


@dataclass
class _Work:
    """An assembly that is being taken apart."""

    bevel: Fraction
    dimension: int
    together: Sequence[frozenset[int]]
    clock: Clock
    progress: Progress
    known: dict[tuple[tuple[int, Body], ...], Parting | None] = field(default_factory=dict)
    positions: int = 0
    least: bool = True

    def may_stay(self, pieces: Collection[int]) -> bool:
        """Whether some pieces need not come apart."""
        return len(pieces) <= 1 or any(group.issuperset(pieces) for group in self.together)

    def grouped(self, pieces: Collection[int]) -> bool:
        """Whether some of these pieces may stay together."""
        return any(len(group.intersection(pieces)) > 1 for group in self.together)


# the way of the least numbers -------------------------------------------------------------------------------------------------


def _part(work: _Work, bodies: Mapping[int, Body]) -> Parting | None:
    """How pieces come apart from where they are; None where they need not. Raises StuckError where they do not."""
    if work.may_stay(bodies):
        return None
    low = [min(c[r] for body in bodies.values() for c in body) for r in range(3)]
    key = tuple((i, frozenset((x - low[0], y - low[1], z - low[2]) for x, y, z in body)) for i, body in sorted(bodies.items()))
    if key not in work.known:
        work.known[key] = _parted(work, bodies)
    return work.known[key]


def _parted(work: _Work, bodies: Mapping[int, Body]) -> Parting:
    pieces = tuple(sorted(bodies))
    cubes = _cubes([bodies[p] for p in pieces], work.bevel, work.dimension)
    found = _searched(work, pieces, cubes)
    best: Parting | None = None
    for number, mask, d in found.away[: found.state[2]].tolist():
        if best is not None and len(work.known) > MOST_PARTS:
            work.least = False
            break
        try:
            parting = _parting(work, bodies, found, number, mask, in_space(cubes.slide[d].tolist()))
        except UndecidedError:
            if best is None:
                raise
            work.least = False
            break
        if best is None or parting.sequence < best.sequence:
            best = parting
    else:
        work.least &= not found.state[3]
    assert best is not None
    return best


def _parting(work: _Work, bodies: Mapping[int, Body], found: Found, number: int, mask: int, direction: Cell) -> Parting:
    """The parting that takes the pieces of ``mask`` away from a position: its moves as they are seen from where the pieces are at first."""
    pieces = tuple(sorted(bodies))
    path = []
    at = number
    while at:
        path.append(at)
        at = int(found.parent[at])
    seen: Motion = (IDENTITY, (0, 0, 0))  # takes what the search sees, from the first piece, to where it is
    moves: list[Move | Turn] = []
    lying = dict(bodies)
    for at in reversed(path):
        moved = int(found.moved[at])
        who = tuple(p for i, p in enumerate(pieces) if moved >> i & 1)
        move, motion = _move_of(found.way[at].tolist(), who, seen, work.dimension)
        moves.append(move)
        lying = {p: moved_body(body, motion) if p in who else body for p, body in lying.items()}
        if moved & 1:
            seen = after(motion, seen)
    away = tuple(p for i, p in enumerate(pieces) if mask >> i & 1)
    moves.append(Move(away, _turned(seen[0], direction)[: work.dimension], None))
    left = _part(work, {p: body for p, body in lying.items() if p not in away})
    return Parting(pieces, tuple(moves), left, _part(work, {p: lying[p] for p in away}))


def _move_of(way: Sequence[int], who: tuple[int, ...], seen: Motion, dimension: int) -> tuple[Move | Turn, Motion]:
    """A move of the search as it is where the pieces are, and what it does."""
    if way[0] == SLIDE:
        direction = _turned(seen[0], in_space(DIRECTIONS[way[1]]))
        x, y, z = (way[2] * c for c in direction)
        return Move(who, direction[:dimension], way[2]), (IDENTITY, (x, y, z))
    axis, u, v, right, quarters = way
    point = [0, 0, 0]
    point[(axis + 1) % 3], point[(axis + 2) % 3] = u, v
    line = [0, 0, 0]
    line[axis] = -quarters if right else quarters
    to = _turned(seen[0], in_space(line))
    x, y, z = (a + 2 * b for a, b in zip(_turned(seen[0], in_space(point)), seen[1], strict=True))
    around = next(i for i in range(3) if to[i])
    turn = Turn(who, around, (0 if around == 0 else x, 0 if around == 1 else y, 0 if around == 2 else z), to[around])
    return turn, motion_of(turn)


# motions ----------------------------------------------------------------------------------------------------------------------

IDENTITY: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
DIRECTIONS: tuple[Cell, ...] = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


def motion_of(turn: Turn) -> Motion:
    """Return what a turn does to the pieces that are turned."""
    one, two = (turn.axis + 1) % 3, (turn.axis + 2) % 3
    matrix: Matrix = IDENTITY
    quarter = [list(row) for row in IDENTITY]
    quarter[one][one] = quarter[two][two] = 0
    quarter[one][two], quarter[two][one] = -1, 1
    for _ in range(turn.quarters % 4):
        matrix = _product(_matrix(quarter), matrix)
    back = _turned(matrix, turn.about)
    x, y, z = ((p - q) // 2 for p, q in zip(turn.about, back, strict=True))
    return matrix, (x, y, z)


def moved_body(body: Body, motion: Motion) -> Body:
    """Return where a piece is after a motion."""
    return frozenset(moved_cell(cell, motion) for cell in body)


def moved_cell(cell: Cell, motion: Motion) -> Cell:
    """Return where a cell is after a motion."""
    return _plus(_turned(motion[0], cell), motion[1])


def after(second: Motion, first: Motion) -> Motion:
    """Return one motion after the other as one."""
    return _product(second[0], first[0]), _plus(_turned(second[0], first[1]), second[1])


def _matrix(rows: Iterable[Sequence[int]]) -> Matrix:
    first, second, third = (in_space(row) for row in rows)
    return first, second, third


def _turned(matrix: Matrix, v: Cell) -> Cell:
    x, y, z = (sum(a * b for a, b in zip(row, v, strict=True)) for row in matrix)
    return x, y, z


def _product(second: Matrix, first: Matrix) -> Matrix:
    columns = [_turned(second, in_space(column)) for column in zip(*first, strict=True)]
    return _matrix(zip(*columns, strict=True))


def _plus(v: Cell, w: Cell) -> Cell:
    return v[0] + w[0], v[1] + w[1], v[2] + w[2]


# the search -------------------------------------------------------------------------------------------------------------------


@cache
def _turns() -> tuple[Matrix, ...]:
    """The 24 turns of a cube; the first one turns nothing."""
    found = [
        _matrix([[s if c == p[r] else 0 for c in range(3)] for r, s in enumerate(signs)])
        for p in permutations(range(3))
        for signs in product((1, -1), repeat=3)
    ]
    return tuple(sorted((m for m in found if round(np.linalg.det(np.array(m))) == 1), key=lambda m: m != IDENTITY))


@cache
def _sweeps(bevel: Fraction, reach: int) -> Sweeps:
    """What each part of a turned body meets, in a box of so many half edges."""
    scale = Scale(bevel.denominator, bevel.denominator - 2 * bevel.numerator, 2 * bevel.numerator)
    parts = (reach + 1) ** 2
    corner = Corner(np.zeros((4, 5), dtype=np.int64), np.zeros((4, 5), dtype=np.int64), np.zeros(80, dtype=np.int64))
    most = 4 * parts
    while True:
        sweeps = Sweeps(reach, np.zeros((2, parts + 1), dtype=np.int32), np.zeros((2, most, 2), dtype=np.int32))
        needed = int(fill_sweeps(scale, sweeps, corner))
        if needed <= most:
            return sweeps
        most = needed


def parts_of(body: Body) -> list[Cell]:
    """Return where the parts of a body are, in half edges: its cubes, then what is amid two or four of them, which no bevel cuts off."""
    found = [(2 * x, 2 * y, 2 * z) for x, y, z in sorted(body)]
    for by in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1)):
        near = [in_space(step) for step in product(*(range(b + 1) for b in by))]
        amid = [cell for cell in sorted(body) if all(_plus(cell, step) in body for step in near)]
        found += [_plus((2 * x, 2 * y, 2 * z), by) for x, y, z in amid]
    return found


def _cubes(bodies: Sequence[Body], bevel: Fraction, dimension: int) -> Cubes:
    turns = np.array(_turns(), dtype=np.int64)
    number = {matrix: i for i, matrix in enumerate(_turns())}
    product_of = [[number[_product(a, b)] for b in _turns()] for a in _turns()]
    cells = [np.array(sorted(body), dtype=np.int64) for body in bodies]
    parts = [np.array(parts_of(body), dtype=np.int64) for body in bodies]
    every = np.concatenate(parts)
    same = np.zeros((len(bodies), len(turns)), dtype=np.int32)
    shift = np.zeros((len(bodies), len(turns), 3), dtype=np.int32)
    for i, body in enumerate(cells):
        looks: dict[bytes, tuple[int, Longs]] = {}
        for o, turn in enumerate(turns):
            image = body @ turn.T
            low = image.min(axis=0)
            own = np.array(sorted(map(tuple, (image - low).tolist())), dtype=np.int64).tobytes()
            same[i, o], first_low = looks.setdefault(own, (o, low))
            shift[i, o] = low - first_low
    quarter = [[number[motion_of(Turn((), axis, (0, 0, 0), q))[0]] for q in (1, -1)] for axis in range(3)]
    return Cubes(
        part=every.astype(np.int32),
        whole=(every % 2 == 0).all(axis=1),
        owner=np.repeat(np.arange(len(parts)), [len(own) for own in parts]).astype(np.int32),
        turn=turns.astype(np.int32),
        product=np.array(product_of, dtype=np.int32),
        inverse=np.array([row.index(0) for row in product_of], dtype=np.int32),
        same=same,
        shift=shift,
        slide=np.array(DIRECTIONS[: 2 * dimension], dtype=np.int32),
        axis=np.array(range(3) if dimension == 3 else [2], dtype=np.int32),
        quarter=np.array(quarter, dtype=np.int32),
        sweeps=_sweeps(bevel, 2 * WIDTHS[0]),
    )


def _searched(work: _Work, pieces: tuple[int, ...], cubes: Cubes) -> Found:
    """Search until something can be taken away. Raises StuckError where nothing can, UndecidedError where that is not found out."""
    found, room = _begun(len(pieces)), _room(cubes)
    before, wider = work.positions, list(WIDTHS[1:])
    while True:
        end = look(cubes, found, room, work.grouped(pieces), AT_ONCE)
        work.positions = before + int(found.state[1])
        if end == FOUND:
            return found
        if end == EXHAUSTED:
            raise StuckError(pieces, int(found.state[0]))
        if end == TOO_FAR and not wider:
            raise UndecidedError(f"pieces come to lie over more than {WIDTHS[-1] - 1} cubes")
        if end == TOO_MANY:
            raise UndecidedError("pieces can be moved in too many groups")
        if (why := work.clock.verdict(-1)) is not None:
            raise UndecidedError(why)
        with suppress(EndedError):  # the clock has just been asked
            work.progress({"positions": work.positions})
        if end == TOO_FAR:
            cubes = cubes._replace(sweeps=_sweeps(work.bevel, 2 * wider.pop(0)))
            room = _room(cubes)
        if end == FULL:
            if 5 * sum(array.nbytes for array in found) > work.clock.limits.free_memory():
                raise UndecidedError("out of memory")
            found = _grown(found)


def _begun(pieces: int) -> Found:
    """The position where the search begins, with room for more."""
    found = Found(
        pose=np.zeros((FIRST_ROOM, pieces, 4), dtype=np.int32),
        parent=np.zeros(FIRST_ROOM, dtype=np.int32),
        depth=np.zeros(FIRST_ROOM, dtype=np.int32),
        moved=np.zeros(FIRST_ROOM, dtype=np.int64),
        way=np.zeros((FIRST_ROOM, 5), dtype=np.int32),
        table=np.full(4 * FIRST_ROOM, EMPTY, dtype=np.int32),
        state=np.array([1, 0, 0, 0], dtype=np.int64),
        away=np.zeros((MOST_AWAY, 3), dtype=np.int64),
    )
    fill_table(found)
    return found


def _room(cubes: Cubes) -> Room:
    pieces, parts, wide = len(cubes.same), len(cubes.owner), int(cubes.sweeps.reach)
    return Room(
        box=np.full((wide, wide, wide), EMPTY, dtype=np.int32),
        low=np.zeros(3, dtype=np.int64),
        size=np.zeros(3, dtype=np.int64),
        place=np.zeros((parts, 3), dtype=np.int32),
        went=np.zeros((parts, 3), dtype=np.int32),
        push=np.zeros(pieces, dtype=np.int64),
        closed=np.zeros(pieces, dtype=np.int64),
        sets=np.zeros(MOST_SETS, dtype=np.int64),
        pose=np.zeros((pieces, 4), dtype=np.int32),
    )


def _grown(found: Found) -> Found:
    """The same with room for four times as many positions."""
    room = 4 * len(found.parent)
    found = found._replace(
        pose=longer(found.pose, room),
        parent=longer(found.parent, room),
        depth=longer(found.depth, room),
        moved=longer(found.moved, room),
        way=longer(found.way, room),
        table=np.empty(4 * room, dtype=np.int32),
    )
    fill_table(found)
    return found
