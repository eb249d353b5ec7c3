"""Take assemblies of cubes apart that slide and are turned: in the fewest moves into two parts, then each of these."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations, product

import numpy as np

from puzzlesat.base import SILENT, Clock, Limits, Longs, NotSupportedError, Progress, PuzzleError
from puzzlesat.disassembly.bodies import PlacedBodies, check_movable
from puzzlesat.disassembly.data import Disassembly, Move, Parting, Rotation, StuckError, UndecidedError
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
from puzzlesat.disassembly.search import Search, longer
from puzzlesat.disassembly.swept_cells import Corner, Scale, Sweeps, fill_sweeps
from puzzlesat.puzzles import AtomId, Cell, Grid, Matrix, Puzzle, apply_matrix, multiply

Body = frozenset[Cell]
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
MOST_BEVEL = Fraction(1, 4)
FINEST_BEVEL = 1000
"""The largest denominator: squares of radii are kept in words, and what cubes pass by so little is seen by the second look."""


def check_turns(puzzle: Puzzle) -> None:
    """Raise NotSupportedError where pieces cannot be turned by quarters."""
    check_movable(puzzle)
    check_quarters(puzzle.grid)


def check_quarters(grid: Grid) -> None:
    """Raise NotSupportedError where the atoms of a grid are no cubes (in the plane: squares)."""
    covers = [atom for atom in grid.atoms if atom.role == "cover"]
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


def bevel_of(text: str, *, turns: bool) -> Fraction | None:
    """Return the bevel for turns, None where pieces are not turned. Raises PuzzleError where it is none, or stands without turns."""
    try:
        bevel = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise PuzzleError(f"--bevel: expected a fraction such as 1/10, got {text!r}") from None
    if not 0 <= bevel < MOST_BEVEL:
        raise PuzzleError(f"--bevel: expected at least 0 and less than {MOST_BEVEL}, got {text}")
    if bevel.denominator > FINEST_BEVEL:
        raise PuzzleError(f"--bevel: expected a fraction with a denominator of at most {FINEST_BEVEL:,}, got {text}")
    if bevel and not turns:
        raise PuzzleError("--bevel needs --turns")
    return bevel if turns else None


def take_apart_turning(
    bodies: PlacedBodies, row: Sequence[int], bevel: Fraction, limits: Limits, *, progress: Progress = SILENT
) -> Disassembly:
    """Find out whether an assembly comes apart by slides and quarter turns, and how; the numbers are the least, as without turns.

    In a turn, every piece counts as one that is thinner by ``bevel`` of an edge on each side. Raises NotSupportedError
    for too many pieces.
    """
    if len(row) > MOST_PIECES:
        raise NotSupportedError(f"{len(row)} pieces; up to {MOST_PIECES} can be turned")
    groups = [frozenset(group) for group in bodies.groups(row)]
    work = _RotationSearch(bevel, bodies.grid.dimension, groups, clock=Clock(limits), progress=progress.of("searching"))
    if (why := work.clock.verdict(-1)) is not None:
        return Disassembly(None, undecided=why)
    return work.answer(lambda: _parted(work, {i: body_of(bodies, b) for i, b in enumerate(row)}) if len(row) > 1 else None)


def body_of(bodies: PlacedBodies, number: int) -> Body:
    """Return the cubes of a body; squares lie in the plane z = 0."""
    return frozenset(in_space(atom[:-1]) for atom in bodies.atoms(number))


def in_space(cell: Sequence[int]) -> Cell:
    """Return a cell with three coordinates."""
    x, y, *z = cell
    return x, y, z[0] if z else 0


@dataclass
class _RotationSearch(Search):
    """An assembly that is being taken apart by slides and turns."""

    bevel: Fraction
    dimension: int
    together: Sequence[frozenset[int]]

    def may_stay(self, pieces: Collection[int]) -> bool:
        """Whether some pieces need not come apart."""
        return len(pieces) <= 1 or any(group.issuperset(pieces) for group in self.together)

    def grouped(self, pieces: Collection[int]) -> bool:
        """Whether some of these pieces may stay together."""
        return any(len(group.intersection(pieces)) > 1 for group in self.together)


# the way of the least numbers -------------------------------------------------------------------------------------------------


def _part(work: _RotationSearch, bodies: Mapping[int, Body]) -> Parting | None:
    """How pieces come apart from where they are; None where they need not. Raises StuckError where they do not."""
    if work.may_stay(bodies):
        return None
    low = [min(c[r] for body in bodies.values() for c in body) for r in range(3)]
    key = tuple((i, frozenset((x - low[0], y - low[1], z - low[2]) for x, y, z in body)) for i, body in sorted(bodies.items()))
    if key not in work.known:
        work.known[key] = _parted(work, bodies)
    return work.known[key]


def _parted(work: _RotationSearch, bodies: Mapping[int, Body]) -> Parting:
    pieces = tuple(sorted(bodies))
    cubes = _cubes([bodies[p] for p in pieces], work.bevel, work.dimension)
    found = _searched(work, pieces, cubes)

    def parting(way: Sequence[int]) -> Parting:
        number, mask, d = way
        return _parting(work, bodies, found, number, mask, in_space(cubes.slide[d].tolist()))

    return work.best(found.away[: found.state[2]].tolist(), parting, whole=not found.state[3])


def _parting(work: _RotationSearch, bodies: Mapping[int, Body], found: Found, number: int, mask: int, direction: Cell) -> Parting:
    """The parting that takes the pieces of ``mask`` away from a position: its moves as they are seen from where the pieces are at first."""
    pieces = tuple(sorted(bodies))
    path = []
    at = number
    while at:
        path.append(at)
        at = int(found.parent[at])
    seen: Motion = (IDENTITY, (0, 0, 0))  # takes what the search sees, from the first piece, to where it is
    moves: list[Move | Rotation] = []
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
    moves.append(Move(away, apply_matrix(seen[0], direction)[: work.dimension], None))
    left = _part(work, {p: body for p, body in lying.items() if p not in away})
    return Parting(pieces, tuple(moves), left, _part(work, {p: lying[p] for p in away}))


def _move_of(way: Sequence[int], who: tuple[int, ...], seen: Motion, dimension: int) -> tuple[Move | Rotation, Motion]:
    """A move of the search as it is where the pieces are, and what it does."""
    if way[0] == SLIDE:
        direction = apply_matrix(seen[0], in_space(DIRECTIONS[way[1]]))
        x, y, z = (way[2] * c for c in direction)
        return Move(who, direction[:dimension], way[2]), (IDENTITY, (x, y, z))
    axis, u, v, right, quarters = way
    point = [0, 0, 0]
    point[(axis + 1) % 3], point[(axis + 2) % 3] = u, v
    line = [0, 0, 0]
    line[axis] = -quarters if right else quarters
    to = apply_matrix(seen[0], in_space(line))
    x, y, z = (a + 2 * b for a, b in zip(apply_matrix(seen[0], in_space(point)), seen[1], strict=True))
    around = next(i for i in range(3) if to[i])
    turn = Rotation(who, around, (0 if around == 0 else x, 0 if around == 1 else y, 0 if around == 2 else z), to[around])
    return turn, motion_of(turn)


# motions ----------------------------------------------------------------------------------------------------------------------

IDENTITY: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
DIRECTIONS: tuple[Cell, ...] = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


def motion_of(turn: Rotation) -> Motion:
    """Return what a turn does to the pieces that are turned."""
    one, two = (turn.axis + 1) % 3, (turn.axis + 2) % 3
    matrix: Matrix = IDENTITY
    quarter = [list(row) for row in IDENTITY]
    quarter[one][one] = quarter[two][two] = 0
    quarter[one][two], quarter[two][one] = -1, 1
    for _ in range(turn.quarters % 4):
        matrix = multiply(tuple(map(tuple, quarter)), matrix)
    back = apply_matrix(matrix, turn.about)
    x, y, z = ((p - q) // 2 for p, q in zip(turn.about, back, strict=True))
    return matrix, (x, y, z)


def moved_body(body: Body, motion: Motion) -> Body:
    """Return where a piece is after a motion."""
    return frozenset(moved_cell(cell, motion) for cell in body)


def moved_cell(cell: Cell, motion: Motion) -> Cell:
    """Return where a cell is after a motion."""
    return _plus(apply_matrix(motion[0], cell), motion[1])


def turned_atoms(turn: Rotation, atoms: Sequence[AtomId]) -> tuple[AtomId, ...]:
    """Return where the atoms of a piece are after a turn."""
    motion = motion_of(turn)
    return tuple((*moved_cell(in_space(a[:-1]), motion)[: len(a) - 1], a[-1]) for a in atoms)


def after(second: Motion, first: Motion) -> Motion:
    """Return one motion after the other as one."""
    return multiply(second[0], first[0]), _plus(apply_matrix(second[0], first[1]), second[1])


def _plus(v: Cell, w: Cell) -> Cell:
    return v[0] + w[0], v[1] + w[1], v[2] + w[2]


# the search -------------------------------------------------------------------------------------------------------------------


@cache
def _turns() -> tuple[Matrix, ...]:
    """The 24 turns of a cube; the first one turns nothing."""
    found = [
        tuple([tuple([s if c == p[r] else 0 for c in range(3)]) for r, s in enumerate(signs)])
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
    found: list[Cell] = [(2 * x, 2 * y, 2 * z) for x, y, z in sorted(body)]
    for by in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1)):
        near = [in_space(step) for step in product(*(range(b + 1) for b in by))]
        amid = [cell for cell in sorted(body) if all(_plus(cell, step) in body for step in near)]
        found += [_plus((2 * x, 2 * y, 2 * z), by) for x, y, z in amid]
    return found


def _cubes(bodies: Sequence[Body], bevel: Fraction, dimension: int) -> Cubes:
    turns = np.array(_turns(), dtype=np.int64)
    number = {matrix: i for i, matrix in enumerate(_turns())}
    product_of = [[number[multiply(a, b)] for b in _turns()] for a in _turns()]
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
    quarter = [[number[motion_of(Rotation((), axis, (0, 0, 0), q))[0]] for q in (1, -1)] for axis in range(3)]
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


def _searched(work: _RotationSearch, pieces: tuple[int, ...], cubes: Cubes) -> Found:
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
        work.tell()
        if end == TOO_FAR:
            cubes = cubes._replace(sweeps=_sweeps(work.bevel, 2 * wider.pop(0)))
            room = _room(cubes)
        if end == FULL:
            work.check_memory(found)
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
