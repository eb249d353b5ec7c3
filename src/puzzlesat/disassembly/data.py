"""The bodies of assemblies, and disassemblies: as plain data, as JSON records, and as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, NotSupportedError, PuzzleError, listed
from puzzlesat.puzzles import AtomId, BuiltInstance, Cell, Grid, Matrix, Puzzle, apply_matrix

AXES = "xyz"
IDENTITY: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
Motion = tuple[Matrix, Cell]
"""A rotation matrix, and the translation after it."""


@dataclass(frozen=True, eq=False)
class PlacedBodies:
    """Numbered bodies on a grid. An assembly is a row of body numbers."""

    grid: Grid
    places: Sequence[AtomId]
    """The atoms of the grid that bodies may cover; a place is an index of this list."""
    start: Longs
    covered: Ints
    """Body i covers the places ``covered[start[i]:start[i + 1]]``."""
    shape: Ints
    """The shape number of each body, from 0. Bodies that differ by a translation have the same shape."""
    cell: Ints
    """Array (bodies, dimension): the reference cell of each body. Two bodies of one shape differ by the difference of their cells."""
    names: Sequence[str]
    member: Flags
    """Array (bodies, groups): membership of bodies in the groups that may stay together."""

    def atoms(self, body: int) -> list[AtomId]:
        """Return the atoms of a body."""
        return [self.places[place] for place in self.covered[self.start[body] : self.start[body + 1]].tolist()]

    def named(self, row: Sequence[int]) -> str:
        """Return the names of the bodies of an assembly."""
        return " ".join(self.names[body] for body in row)

    def groups(self, row: Sequence[int]) -> list[frozenset[int]]:
        """Return the groups of pieces that may stay together, as sets of indices in the assembly."""
        return [frozenset(np.flatnonzero(group).tolist()) for group in self.member[np.array(row, dtype=np.int64)].T]


@lru_cache(maxsize=4)
def bodies_of(built: BuiltInstance) -> PlacedBodies:
    """Return the placements of a puzzle as bodies. Raises NotSupportedError if they cannot be moved."""
    puzzle, placements, together = built.puzzle, built.placements, built.instance.together
    check_movable(puzzle)
    kinds = np.stack([placements.tile, placements.orientation], axis=1)
    member = np.array([[tile.name in names for names in together] for tile in puzzle.tiles], dtype=np.bool_)
    return PlacedBodies(
        puzzle.grid,
        puzzle.form.numbering.atoms,
        placements.atoms.start,
        placements.atoms.numbers.astype(np.int32, copy=False),
        np.unique(kinds, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32),
        placements.cell,
        built.problem.options,
        member.reshape(len(puzzle.tiles), len(together))[placements.tile],
    )


def check_movable(puzzle: Puzzle) -> None:
    """Raise NotSupportedError if the placements of a tile are listed, or the form wraps around."""
    if puzzle.form.wrap is not None:
        raise NotSupportedError("the form wraps around, so there is nowhere to take a piece to")
    if (listed := next((tile.name for tile in puzzle.tiles if tile.listed), None)) is not None:
        raise NotSupportedError(f"the placements of tile {listed!r} are listed, so it is not known how it could move")


def check_quarters(grid: Grid) -> None:
    """Raise NotSupportedError if the atoms of a grid are not cubes (in the plane: squares)."""
    covers = [atom for atom in grid.atoms if atom.role == "cover"]
    square = all((x == grid.gram[0][0]) if i == k else x == 0 for i, row in enumerate(grid.gram) for k, x in enumerate(row))
    if not square or grid.of_balls or len(covers) != 1 or len(covers[0].vertices) != 2**grid.dimension:
        raise NotSupportedError(f"on grid {grid.name!r} pieces are not turned; they are on grids of cubes and of squares")


def no_turns(puzzle: Puzzle) -> str | None:
    """Return the reason why the pieces of a puzzle cannot be turned; None if they can."""
    try:
        check_movable(puzzle)
        check_quarters(puzzle.grid)
    except NotSupportedError as error:
        return str(error)
    return None


def in_space(cell: Sequence[int]) -> Cell:
    """Return a cell with three coordinates; cells of the plane get z = 0."""
    x, y, *z = cell
    return x, y, z[0] if z else 0


def atom_in_space(atom: AtomId) -> AtomId:
    """Return an atom whose cell has three coordinates."""
    return *in_space(atom[:-1]), atom[-1]


def plus(v: Cell, w: Cell) -> Cell:
    """Return the sum of two cells with three coordinates."""
    return v[0] + w[0], v[1] + w[1], v[2] + w[2]


def moved_cell(cell: Cell, motion: Motion) -> Cell:
    """Return a cell after a motion."""
    return plus(apply_matrix(motion[0], cell), motion[1])


def after(motion: Motion, earlier: Motion) -> Motion:
    """Return the motion that applies ``earlier`` first, then ``motion``."""
    columns = (apply_matrix(motion[0], column) for column in zip(*earlier[0], strict=True))
    return tuple(zip(*columns, strict=True)), moved_cell(earlier[1], motion)


# answers ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Move:
    """A translation of some pieces along a direction; the other pieces stay."""

    pieces: tuple[int, ...]
    direction: Cell
    steps: int | None
    """Number of lattice steps; None: the pieces are taken away."""

    @property
    def along(self) -> str:
        """The direction in words: ``+x`` for a unit vector, else its coordinates."""
        steps = [(axis, x) for axis, x in zip(AXES, self.direction, strict=False) if x]
        if len(steps) == 1 and abs(steps[0][1]) == 1:
            return ("+" if steps[0][1] > 0 else "-") + steps[0][0]
        return f"({', '.join(map(str, self.direction))})"

    @property
    def motion(self) -> Motion:
        """The motion of the pieces that move."""
        x, y, z = ((self.steps or 0) * c for c in in_space(self.direction))
        return IDENTITY, (x, y, z)

    @property
    def words(self) -> str:
        """The distance and the direction in words."""
        return f"{'away' if self.steps is None else self.steps} along {self.along}"


@dataclass(frozen=True)
class Rotation:
    """A rotation of some pieces about an axis of the grid; the other pieces stay. Plane pieces turn about axis 2."""

    pieces: tuple[int, ...]
    axis: int
    """The coordinate that the rotation does not change."""
    about: tuple[int, int, int]
    """Twice the coordinates of the point of the axis whose coordinate ``axis`` is 0. The centre of a cell has integer coordinates."""
    quarters: int
    """Quarter turns: 1 to 3 counterclockwise, seen from the positive end of the axis; -1 to -3 clockwise."""

    @property
    def motion(self) -> Motion:
        """The motion of the pieces that turn."""
        one, two = (self.axis + 1) % 3, (self.axis + 2) % 3
        cosine, sine = ((1, 0), (0, 1), (-1, 0), (0, -1))[self.quarters % 4]
        rows = [list(row) for row in IDENTITY]
        rows[one][one] = rows[two][two] = cosine
        rows[one][two], rows[two][one] = -sine, sine
        matrix: Matrix = tuple(map(tuple, rows))
        back = apply_matrix(matrix, self.about)
        x, y, z = ((p - q) // 2 for p, q in zip(self.about, back, strict=True))
        return matrix, (x, y, z)

    def turned(self, atoms: Sequence[AtomId]) -> tuple[AtomId, ...]:
        """Return atoms of a piece after the rotation."""
        motion = self.motion
        return tuple((*moved_cell(in_space(a[:-1]), motion)[: len(a) - 1], a[-1]) for a in atoms)

    @property
    def words(self) -> str:
        """The angle and the axis in words."""
        there = [f"{name} = {x / 2:g}" for r, (name, x) in enumerate(zip(AXES, self.about, strict=True)) if r != self.axis]
        sense = "counterclockwise" if self.quarters > 0 else "clockwise"
        return f"turn {90 * abs(self.quarters)}° {sense}, seen from +{AXES[self.axis]}, about {', '.join(there)}"


@dataclass(frozen=True)
class Parting:
    """The separation of some pieces into two parts, and how each part comes apart: a node of a binary tree."""

    pieces: tuple[int, ...]
    """The indices of the pieces in the assembly."""
    moves: tuple[Move | Rotation, ...]
    """Only the last move takes pieces away."""
    left: Parting | None
    """The parting of the remaining pieces, from where they are before the last move; None: one piece, or pieces that may stay together."""
    away: Parting | None
    """The parting of the pieces taken away, as in ``left``."""

    @cached_property
    def sequence(self) -> tuple[int, ...]:
        """The numbers of moves of all partings, in preorder: this one, the partings of ``left``, the partings of ``away``."""
        return (len(self.moves), *(n for part in (self.left, self.away) if part is not None for n in part.sequence))

    @property
    def level(self) -> str:
        """The level as BurrTools writes it: ``7.2.3``. It omits parts that come apart by single moves."""
        return ".".join([str(len(self.moves)), *(p.level for p in (self.left, self.away) if p is not None and max(p.sequence) > 1)])

    @property
    def turns(self) -> bool:
        """True if any move is a rotation."""
        return any(isinstance(move, Rotation) for part in self.partings() for move in part.moves)

    def partings(self) -> Iterator[Parting]:
        """Yield all partings in preorder, the order in which they are carried out."""
        yield self
        for part in (self.left, self.away):
            if part is not None:
                yield from part.partings()


@dataclass(frozen=True)
class Disassembly:
    """The result for an assembly: it comes apart, its pieces interlock, or the search was not completed."""

    parting: Parting | None
    """None: the assembly does not come apart, or the search did not decide it."""
    undecided: str = ""
    """The reason why the search decided nothing; empty if it did."""
    stuck: tuple[int, ...] = ()
    """The pieces that interlock, if the assembly does not come apart: all, or a part that remains after others were taken away."""
    closed: int = 0
    """The number of all relative positions that the stuck pieces can reach."""
    checked: bool = False
    """True if code independent of the search confirmed the result: it replayed the moves, or counted the reachable positions."""
    positions: int = 0
    """The number of positions that the search expanded."""
    least: bool = True
    """True if ``sequence`` is proven to be the lexicographically least. Its first number is the least in any case."""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Disassembly:
        """Return the disassembly of a JSON record. Raises PuzzleError if the record is malformed."""
        try:
            steps = None if record["steps"] is None else iter([*map(_step_of, record["steps"])])
            parting = None if steps is None else _parting(steps, next(steps))[0]
            return cls(
                parting,
                str(record["undecided"]),
                tuple(map(int, record["stuck"])),
                closed=int(record.get("closed", 0)),
                checked=bool(record.get("checked", parting is not None)),
                positions=int(record["positions"]),
                least=bool(record["least"]),
            )
        except (KeyError, TypeError, ValueError, StopIteration) as error:
            raise PuzzleError(f"not the steps of an assembly: {error!r}") from None

    def record(self, number: int, names: Sequence[str]) -> dict[str, Any]:
        """Return the JSON record of the assembly, from its number and the names of its placements."""
        parting = self.parting
        return {
            "number": number,
            "placements": list(names),
            "apart": None if self.undecided else parting is not None,
            "level": None if parting is None else parting.level,
            "moves": None if parting is None else list(parting.sequence),
            "first": None if parting is None else len(parting.moves),
            "total": None if parting is None else sum(parting.sequence),
            "least": self.least,
            "steps": None if parting is None else [_step(part, move) for part in parting.partings() for move in part.moves],
            "stuck": list(self.stuck),
            "closed": self.closed,
            "checked": self.checked,
            "undecided": self.undecided,
            "positions": self.positions,
        }

    def sentences(self, names: Sequence[str]) -> Iterator[str]:
        """Yield the steps as sentences; ``names`` are the names of the pieces."""
        if self.undecided:
            yield f"not decided: {self.undecided}"
        elif self.parting is None:
            what = "it" if len(self.stuck) == len(names) else f"what is left of it, {_named(self.stuck, names)},"
            yield f"{what} does not come apart" if self.stuck else "there is nothing to take apart"
        else:
            steps = ((parting, move) for parting in self.parting.partings() for move in parting.moves)
            for number, (parting, move) in enumerate(steps, start=1):
                yield f"{number}. {_named(move.pieces, names)}: {move.words}"
                if isinstance(move, Move) and move.steps is None:
                    rest = [p for p in parting.pieces if p not in move.pieces]
                    for part, after in ((rest, parting.left), (move.pieces, parting.away)):
                        if after is None and len(part) > 1:
                            yield f"   {_named(part, names)} may stay together"


class StuckError(Exception):
    """Pieces interlock: the relative positions that they reach are finitely many, and in none of them can pieces be taken away."""

    def __init__(self, pieces: tuple[int, ...], closed: int) -> None:
        super().__init__(pieces)
        self.pieces = pieces
        self.closed = closed


class UndecidedError(Exception):
    """The search ended before it decided whether pieces come apart; the message is the reason."""


def _step(parting: Parting, move: Move | Rotation) -> dict[str, Any]:
    if isinstance(move, Rotation):
        how: dict[str, Any] = {"turn": {"axis": move.axis, "about": list(move.about), "quarters": move.quarters}}
    else:
        how = {"direction": list(move.direction), "by": move.steps}
    return {"of": list(parting.pieces), "pieces": list(move.pieces), **how}


Step = tuple[tuple[int, ...], Move | Rotation]
"""The pieces that a parting separates, and one of its moves."""


def _step_of(record: Mapping[str, Any]) -> Step:
    pieces = tuple(map(int, record["pieces"]))
    if "turn" in record:
        turn = record["turn"]
        x, y, z = map(int, turn["about"])
        move: Move | Rotation = Rotation(pieces, int(turn["axis"]), (x, y, z), int(turn["quarters"]))
    else:
        by = record["by"]
        move = Move(pieces, tuple(map(int, record["direction"])), None if by is None else int(by))
    return tuple(map(int, record["of"])), move


def _parting(steps: Iterator[Step], first: Step) -> tuple[Parting, Step | None]:
    """Return the parting that begins with a step, including its sub-partings, and the step after it. Inverse of ``partings``."""
    pieces, move = first
    moves = [move]
    while isinstance(move, Rotation) or move.steps is not None:
        of, move = next(steps)
        if of != pieces:
            raise ValueError(f"the pieces {pieces} are not parted")
        moves.append(move)
    after, parts = next(steps, None), list[Parting | None]()
    for gone in (False, True):
        found = None
        if after is not None and after[0] == tuple(p for p in pieces if (p in move.pieces) == gone):
            found, after = _parting(steps, after)
        parts.append(found)
    return Parting(pieces, tuple(moves), *parts), after


NOT_MINIMAL = "not known to be the least"
"""Remark on a level whose numbers after the first may not be minimal."""
HOW_CHECKED = "independent code replayed the moves, and searched again where pieces hold each other"


def checked_words(checked: int, decided: int, *, remark: str = "", turns: bool = False) -> str:
    """Return a sentence on how many of the decided answers were confirmed, and how; ``remark`` says why some were not."""
    how = HOW_CHECKED + ("; it looked at each turn after many angles" if turns else "")
    return f"checked: {how}" if checked == decided else f"checked: {checked:,} of {decided:,}{remark} ({how})"


def _named(pieces: Sequence[int], names: Sequence[str]) -> str:
    return listed((names[p] for p in pieces), len(pieces))
