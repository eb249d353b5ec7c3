"""Take assemblies of cubes apart that slide and are turned: in the fewest moves into two parts, then each of these."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np

from puzzlesat.base import SILENT, Clock, Limits, Longs, NotSupportedError, Progress, PuzzleError
from puzzlesat.disassembly.data import Disassembly, Move, Parting, PlacedBodies, Rotation, UndecidedError, check_movable, in_space, plus
from puzzlesat.disassembly.rotation_search import EMPTY, SLIDE, Cubes, Found, Room, fill_table, look
from puzzlesat.disassembly.search import Lying, Search, WayOut, grown
from puzzlesat.disassembly.swept_cells import Corner, Scale, Sweeps, fill_sweeps
from puzzlesat.puzzles import AtomId, Cell, Grid, Matrix, Puzzle, apply_matrix, cube_symmetries, multiply

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
    work = _RotationSearch(bevel, bodies.grid.dimension, groups=bodies.groups(row), clock=Clock(limits), progress=progress.of("searching"))
    if (why := work.clock.verdict(-1)) is not None:
        return Disassembly(None, undecided=why)
    return work.answer(lambda: work.whole({i: body_of(bodies, b) for i, b in enumerate(row)}))


def body_of(bodies: PlacedBodies, number: int) -> Body:
    """Return the cubes of a body; squares lie in the plane z = 0."""
    return frozenset(in_space(atom[:-1]) for atom in bodies.atoms(number))


@dataclass
class _RotationSearch(Search[Body]):
    """An assembly that is being taken apart by slides and turns."""

    bevel: Fraction
    dimension: int
    _cubes: Cubes = field(init=False)
    _tree: Found = field(init=False)
    _room: Room = field(init=False)
    _wider: list[int] = field(init=False)
    """The widths that positions can still be given."""
    _grouped: bool = field(init=False)
    """Whether some of the pieces that are searched may stay together."""

    @property
    def tree(self) -> Found:
        """The positions that the search has found."""
        return self._tree

    def whole(self, lying: Lying[Body]) -> Parting | None:
        """Return how an assembly comes apart; None if it has fewer than two pieces."""
        if len(lying) < 2:
            return None
        self.begin(lying)
        return self.parted(lying)

    def key(self, lying: Lying[Body]) -> Hashable:
        """Return where the cubes of each piece are from the lowest coordinates of all."""
        low = [min(c[r] for body in lying.values() for c in body) for r in range(3)]
        return tuple((i, frozenset((x - low[0], y - low[1], z - low[2]) for x, y, z in body)) for i, body in lying.items())

    def begin(self, lying: Lying[Body]) -> None:
        """Begin a search with some pieces."""
        self._cubes = _cubes([*lying.values()], self.bevel, self.dimension)
        self._tree, self._room = _begun(len(lying)), _room(self._cubes)
        self._wider = list(WIDTHS[1:])
        self._grouped = any(len(group.intersection(lying)) > 1 for group in self.groups)

    def look(self) -> int:
        """Go on with the search, and return how it came to a stop."""
        return int(look(self._cubes, self._tree, self._room, self._grouped, AT_ONCE))

    def widen(self) -> None:
        """Give positions more room. Raises UndecidedError where they have the most that there is."""
        if not self._wider:
            raise UndecidedError(f"pieces come to lie over more than {WIDTHS[-1] - 1} cubes")
        self._cubes = self._cubes._replace(sweeps=_sweeps(self.bevel, 2 * self._wider.pop(0)))
        self._room = _room(self._cubes)

    def grow(self, pieces: int) -> None:
        """Make room for more positions of so many pieces."""
        self._tree = grown(self._tree, "pose")
        fill_table(self._tree)

    def moved(self, lying: Lying[Body], way: WayOut) -> tuple[list[Move | Rotation], Lying[Body]]:
        """Return the moves of a way out as they are seen from where pieces lie, and where pieces are before the last move."""
        first, there = min(lying), dict(lying)
        seen: Motion = (IDENTITY, (0, 0, 0))  # takes what the search sees, from the first piece, to where it is
        moves: list[Move | Rotation] = []
        for who, how in way.moves:
            move, motion = _move_of(how, who, seen, self.dimension)
            moves.append(move)
            there |= {p: moved_body(there[p], motion) for p in who}
            if first in who:
                seen = after(motion, seen)
        direction = apply_matrix(seen[0], in_space(DIRECTIONS[way.direction]))
        return [*moves, Move(way.away, direction[: self.dimension], None)], there


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
    return plus(apply_matrix(motion[0], cell), motion[1])


def turned_atoms(turn: Rotation, atoms: Sequence[AtomId]) -> tuple[AtomId, ...]:
    """Return where the atoms of a piece are after a turn."""
    motion = motion_of(turn)
    return tuple((*moved_cell(in_space(a[:-1]), motion)[: len(a) - 1], a[-1]) for a in atoms)


def after(second: Motion, first: Motion) -> Motion:
    """Return one motion after the other as one."""
    return multiply(second[0], first[0]), plus(apply_matrix(second[0], first[1]), second[1])


# the search -------------------------------------------------------------------------------------------------------------------


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
        amid = [cell for cell in sorted(body) if all(plus(cell, step) in body for step in near)]
        found += [plus((2 * x, 2 * y, 2 * z), by) for x, y, z in amid]
    return found


def _cubes(bodies: Sequence[Body], bevel: Fraction, dimension: int) -> Cubes:
    matrices = [matrix for matrix, mirror in cube_symmetries() if not mirror]
    turns, number = np.array(matrices, dtype=np.int64), {matrix: i for i, matrix in enumerate(matrices)}
    product_of = [[number[multiply(a, b)] for b in matrices] for a in matrices]
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


def _begun(pieces: int) -> Found:
    """The position where the search begins, with room for more."""
    found = Found(
        pose=np.zeros((FIRST_ROOM, pieces, 4), dtype=np.int32),
        parent=np.zeros(FIRST_ROOM, dtype=np.int32),
        depth=np.zeros(FIRST_ROOM, dtype=np.int32),
        moved=np.zeros(FIRST_ROOM, dtype=np.uint64),
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
        push=np.zeros(pieces, dtype=np.uint64),
        closed=np.zeros(pieces, dtype=np.uint64),
        sets=np.zeros(MOST_SETS, dtype=np.uint64),
        pose=np.zeros((pieces, 4), dtype=np.int32),
    )
