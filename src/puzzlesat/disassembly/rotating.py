"""Take assemblies of cubes apart by slides and quarter turns: in the fewest moves into two parts, then each part."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np

from puzzlesat.base import SILENT, Clock, Limits, Longs, NotSupportedError, Progress, PuzzleError
from puzzlesat.disassembly.data import Disassembly, Move, Parting, PlacedBodies, Rotation, UndecidedError, after, in_space, moved_cell, plus
from puzzlesat.disassembly.rotation_search import EMPTY, SLIDE, Cubes, Found, Room, fill_table, look
from puzzlesat.disassembly.search import Lying, Search, WayOut, grown
from puzzlesat.disassembly.swept_cells import Corner, Scale, Sweeps, fill_sweeps
from puzzlesat.puzzles import Cell, Matrix, apply_matrix, cube_symmetries

Body = frozenset[Cell]

DIRECTIONS: tuple[Cell, ...] = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
MAX_PIECES = 16
WIDTHS = 12, 24, 48
"""Sizes of the box that holds a position, in cubes along each coordinate: the first one, and larger ones if it is too small."""
FIRST_ROOM = 1 << 10
MAX_SETS = 1 << 12
MAX_AWAY = 1 << 10
AT_ONCE = 64
"""Positions between two checks of the limits."""
MAX_BEVEL = Fraction(1, 4)
FINEST_BEVEL = 1000
"""The largest denominator of a bevel: squares of radii fit into words, and the verification by ``ANGLES`` resolves such gaps."""


def bevel_of(text: str, *, turns: bool) -> Fraction | None:
    """Return the bevel, or None without turns. Raises PuzzleError if the text is not a valid bevel, or is not 0 without turns."""
    try:
        bevel = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise PuzzleError(f"--bevel: expected a fraction such as 1/10, got {text!r}") from None
    if not 0 <= bevel < MAX_BEVEL:
        raise PuzzleError(f"--bevel: expected at least 0 and less than {MAX_BEVEL}, got {text}")
    if bevel.denominator > FINEST_BEVEL:
        raise PuzzleError(f"--bevel: expected a fraction with a denominator of at most {FINEST_BEVEL:,}, got {text}")
    if bevel and not turns:
        raise PuzzleError("--bevel needs --turns")
    return bevel if turns else None


def take_apart_turning(
    bodies: PlacedBodies, row: Sequence[int], bevel: Fraction, limits: Limits, *, progress: Progress = SILENT
) -> Disassembly:
    """Take an assembly apart by slides and quarter turns, in the lexicographically least numbers of moves.

    During a turn, the cubes of all pieces are smaller by ``bevel`` of an edge on each side. Raises NotSupportedError for too many pieces.
    """
    if len(row) > MAX_PIECES:
        raise NotSupportedError(f"{len(row)} pieces; up to {MAX_PIECES} can be turned")
    work = _RotationSearch(bevel, bodies.grid.dimension, groups=bodies.groups(row), clock=Clock(limits), progress=progress.of("searching"))
    if (why := work.clock.verdict(-1)) is not None:
        return Disassembly(None, undecided=why)
    return work.answer(lambda: work.whole({i: body_of(bodies, b) for i, b in enumerate(row)}))


def body_of(bodies: PlacedBodies, number: int) -> Body:
    """Return the cubes of a body; squares lie in the plane z = 0."""
    return frozenset(in_space(atom[:-1]) for atom in bodies.atoms(number))


@dataclass
class _RotationSearch(Search[Body]):
    """The search for a disassembly by slides and turns."""

    bevel: Fraction
    dimension: int
    _cubes: Cubes = field(init=False)
    _tree: Found = field(init=False)
    _room: Room = field(init=False)
    _wider: list[int] = field(init=False)
    """The larger sizes that were not used yet."""
    _grouped: bool = field(init=False)
    """True if some of the pieces in the search may stay together."""

    @property
    def tree(self) -> Found:
        """The positions found by the search."""
        return self._tree

    def whole(self, lying: Lying[Body]) -> Parting | None:
        """Return the parting of an assembly; None if it has fewer than two pieces."""
        if len(lying) < 2:
            return None
        self.begin(lying)
        return self.parted(lying)

    def key(self, lying: Lying[Body]) -> Hashable:
        """Return the cubes of each piece, relative to the least coordinates of all."""
        low = [min(c[r] for body in lying.values() for c in body) for r in range(3)]
        return tuple((i, frozenset((x - low[0], y - low[1], z - low[2]) for x, y, z in body)) for i, body in lying.items())

    def begin(self, lying: Lying[Body]) -> None:
        """Start a search with some pieces."""
        self._cubes = _cubes([*lying.values()], self.bevel, self.dimension)
        self._tree, self._room = _begun(len(lying)), _room(self._cubes)
        self._wider = list(WIDTHS[1:])
        self._grouped = any(len(group.intersection(lying)) > 1 for group in self.groups)

    def look(self) -> int:
        """Continue the search for ``AT_ONCE`` positions, and return how it stopped."""
        return int(look(self._cubes, self._tree, self._room, self._grouped, AT_ONCE))

    def widen(self) -> None:
        """Use the next larger box. Raises UndecidedError if there is none."""
        if not self._wider:
            raise UndecidedError(f"pieces come to lie over more than {WIDTHS[-1] - 1} cubes")
        self._cubes = self._cubes._replace(sweeps=_sweeps(self.bevel, 2 * self._wider.pop(0)))
        self._room = _room(self._cubes)

    def grow(self, pieces: int) -> None:
        """Enlarge the arrays of positions."""
        self._tree = grown(self._tree, "pose")
        fill_table(self._tree)

    def moved(self, lying: Lying[Body], way: WayOut) -> tuple[list[Move | Rotation], Lying[Body]]:
        """Return the moves of a way out in the frame of the assembly, and the places of the pieces before the last move."""
        first, there = min(lying), dict(lying)
        matrix, shift = Move((), (0, 0, 0), 0).motion  # from the frame of the search, that of the first piece
        moves: list[Move | Rotation] = []
        for who, how in way.moves:
            moves.append(_move_of(how, who, matrix, shift, self.dimension))
            motion = moves[-1].motion
            there |= {p: frozenset(moved_cell(cell, motion) for cell in there[p]) for p in who}
            if first in who:
                matrix, shift = after(motion, (matrix, shift))
        direction = apply_matrix(matrix, in_space(DIRECTIONS[way.direction]))
        return [*moves, Move(way.away, direction[: self.dimension], None)], there


def _move_of(way: Sequence[int], who: tuple[int, ...], matrix: Matrix, shift: Cell, dimension: int) -> Move | Rotation:
    """Return a move of the search in the frame of the assembly."""
    if way[0] == SLIDE:
        return Move(who, apply_matrix(matrix, in_space(DIRECTIONS[way[1]]))[:dimension], way[2])
    axis, u, v, right, quarters = way
    point, line = [0, 0, 0], [0, 0, 0]
    point[(axis + 1) % 3], point[(axis + 2) % 3] = u, v
    line[axis] = -quarters if right else quarters
    to = apply_matrix(matrix, in_space(line))
    x, y, z = (a + 2 * b for a, b in zip(apply_matrix(matrix, in_space(point)), shift, strict=True))
    around = next(i for i in range(3) if to[i])
    return Rotation(who, around, (0 if around == 0 else x, 0 if around == 1 else y, 0 if around == 2 else z), to[around])


# the search -------------------------------------------------------------------------------------------------------------------


@cache
def _sweeps(bevel: Fraction, reach: int) -> Sweeps:
    """Return for each part of a turned body the parts that it meets, up to ``reach`` half edges from the axis."""
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
    """Return the positions of the parts of a body, in half edges: its cubes, then the gaps between two or four cubes, which it fills."""
    found: list[Cell] = [(2 * x, 2 * y, 2 * z) for x, y, z in sorted(body)]
    for by in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1)):
        near = [in_space(step) for step in product(*(range(b + 1) for b in by))]
        amid = [cell for cell in sorted(body) if all(plus(cell, step) in body for step in near)]
        found += [plus((2 * x, 2 * y, 2 * z), by) for x, y, z in amid]
    return found


def _cubes(bodies: Sequence[Body], bevel: Fraction, dimension: int) -> Cubes:
    matrices = [matrix for matrix, mirror in cube_symmetries() if not mirror]
    turns, number = np.array(matrices, dtype=np.int64), {matrix: i for i, matrix in enumerate(matrices)}
    product_of = [[number[tuple(map(tuple, (a @ b).tolist()))] for b in turns] for a in turns]
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
    quarter = [[number[Rotation((), axis, (0, 0, 0), q).motion[0]] for q in (1, -1)] for axis in range(3)]
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
    """Return arrays that hold the start position."""
    found = Found(
        pose=np.zeros((FIRST_ROOM, pieces, 4), dtype=np.int32),
        parent=np.zeros(FIRST_ROOM, dtype=np.int32),
        depth=np.zeros(FIRST_ROOM, dtype=np.int32),
        moved=np.zeros(FIRST_ROOM, dtype=np.uint64),
        way=np.zeros((FIRST_ROOM, 5), dtype=np.int32),
        table=np.full(4 * FIRST_ROOM, EMPTY, dtype=np.int32),
        state=np.array([1, 0, 0, 0], dtype=np.int64),
        away=np.zeros((MAX_AWAY, 3), dtype=np.int64),
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
        sets=np.zeros(MAX_SETS, dtype=np.uint64),
        pose=np.zeros((pieces, 4), dtype=np.int32),
    )
