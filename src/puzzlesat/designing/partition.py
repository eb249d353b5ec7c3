"""Partitions of a form into pieces: the owner of each cell, in a canonical numbering of the pieces; and whether they come apart.

Pieces may have free cells, which may be present or absent: then they have several shapes, and poses in the form.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from string import ascii_letters

import numpy as np

from puzzlesat.base import SILENT, Flags, Limits, Longs, NotSupportedError, Progress, PuzzleError, first_difference
from puzzlesat.designing.burr_kernel import Owners
from puzzlesat.designing.design_files import PiecesFile, PieceTable
from puzzlesat.disassembly import Disassembly, PlacedBodies, answers
from puzzlesat.puzzles import AtomId, Form, Grid, Library, Puzzle, atom_order, form_from_table, parse_picture, shape_symmetries

LETTERS = ascii_letters
"""The letters of the pieces."""


def in_order(owners: Owners) -> Owners:
    """Return assemblies with their pieces numbered in the order of their first cells: array (assemblies, cells); -1: a hole."""
    if not len(owners):
        return owners
    number = int(owners.max()) + 1
    first = np.stack([np.where((owners == k).any(axis=1), (owners == k).argmax(axis=1), owners.shape[1]) for k in range(number)], axis=1)
    rank = np.argsort(np.argsort(first, axis=1, kind="stable"), axis=1)
    new = np.concatenate([rank, np.full((len(owners), 1), -1)], axis=1).astype(np.int8)  # the owner of a hole is -1, the last
    return np.take_along_axis(new, owners.astype(np.int64), axis=1)


def images_of(owners: Owners, motions: Longs) -> Iterator[Owners]:
    """Yield the images of assemblies under each motion, in the canonical numbering."""
    for there in motions:
        image = np.empty_like(owners)
        image[:, there] = owners
        yield in_order(image)


def first_of_each(owners: Owners) -> Longs:
    """Return the first place of each different assembly. NumPy compares them as byte strings, in which no byte may be 0."""
    text = np.ascontiguousarray(owners + 2).view(f"S{owners.shape[1]}").reshape(-1)
    return np.unique(text, return_index=True)[1]


def taken_apart(
    grid: Grid, form: Form, owners: Owners, jobs: int, limits: Limits, progress: Progress = SILENT
) -> Generator[tuple[int, Disassembly], None, None]:
    """Yield the number and the disassembly of each assembly as soon as it is decided."""
    bodies, rows = _bodies(grid, form, owners)
    for number, _, answer in answers(bodies, rows, jobs, limits, progress=progress):
        yield number, answer


def _bodies(grid: Grid, form: Form, owners: Owners) -> tuple[PlacedBodies, list[tuple[int, ...]]]:
    """Return the placed pieces, and each assembly as their numbers."""
    places, atoms = form.numbering.places, form.numbering.atoms
    shape, number_of = dict[bytes, int](), dict[bytes, int]()
    covered, shapes, cells = list[Longs](), list[int](), list[Longs]()

    def lying(own: Flags) -> int:
        """Return the number of the body that covers these atoms."""
        number = number_of.setdefault(own.tobytes(), len(number_of))
        if number == len(covered):
            covered.append(np.flatnonzero(own))
            cells.append(places[covered[-1][0], :-1])
            shapes.append(shape.setdefault((places[own] - [*cells[-1], 0]).tobytes(), len(shape)))
        return number

    rows = [tuple([lying(row == k) for k in range(int(row.max()) + 1)]) for row in owners]
    start = np.cumsum([0, *map(len, covered)])
    names = [f"{shape}@{'.'.join(map(str, cell.tolist()))}" for shape, cell in zip(shapes, cells, strict=True)]
    numbers = np.concatenate(covered).astype(np.int32)
    member = np.zeros((len(names), 0), dtype=np.bool_)
    return PlacedBodies(grid, atoms, start, numbers, np.array(shapes, dtype=np.int32), np.array(cells), names, member), rows


def letters_of(owners: Owners) -> list[str]:
    """Return each assembly as text: the owner of each cell, a letter for each piece, and a full stop for a hole."""
    letter = np.array([*LETTERS, "."])  # the owner of a hole is -1, the last
    return ["".join(row) for row in letter[owners].tolist()]


def owners_of(letters: Sequence[str], cells: int) -> Owners:
    """Return assemblies given as texts (see ``letters_of``): array (assemblies, cells)."""
    return np.array([[LETTERS.find(letter) for letter in each] for each in letters], dtype=np.int8).reshape(-1, cells)


# pieces with free cells -----------------------------------------------------------------------------------------------------------

FREE = "+"
"""A free cell in a picture of a piece."""
MAX_FREE = 14
"""Largest number of free cells of a piece."""
MAX_PIECES = 52
"""Largest number of pieces: the number of letters."""
MAX_CELLS = 1000
"""Largest number of cells of a piece. A connected piece has a smaller extent along each axis."""
NOT_ONE = -1
"""The number of a shape that is not connected."""
ABSENT = 1 << 40
"""Code of an absent cell, larger than the code of any cell."""


@dataclass(frozen=True, eq=False)
class FreePiece:
    """A piece: its fixed cells, and the cells that may be present or absent."""

    name: str
    fixed: tuple[AtomId, ...]
    free: tuple[AtomId, ...]
    copies: int
    shape: Longs
    """The number of the shape for each choice of free cells (bit i means cell i); -1: not connected."""

    @cached_property
    def shapes(self) -> list[int]:
        """The numbers of the possible shapes, in ascending order."""
        return sorted(set(self.shape[self.shape >= 0].tolist()))

    @property
    def choices(self) -> int:
        """The number of ways to choose the shapes of all copies."""
        return prod([len(self.shapes)] * self.copies)


@dataclass(frozen=True, eq=False)
class Pose:
    """A pose of a piece in the form, as numbers of cells of the form."""

    fixed: tuple[int, ...]
    free: tuple[int, ...]
    """-1: the free cell lies outside the form, so it is absent."""


@dataclass(frozen=True, eq=False)
class Family:
    """A form, and the pieces that fill it."""

    title: str
    grid: Grid
    form: Form
    holes: int
    """Largest number of cells of the form that stay empty."""
    flips: bool
    """True if pieces may be turned over, in space reflected."""
    pieces: tuple[FreePiece, ...]
    bodies: tuple[tuple[AtomId, ...], ...]
    """The cells of each shape, unrotated."""
    names: tuple[str, ...]
    """The name of each shape."""

    @property
    def choices(self) -> int:
        """The number of ways to choose the shapes of all pieces."""
        return prod(piece.choices for piece in self.pieces)

    @property
    def number(self) -> int:
        """The number of pieces of an assembly."""
        return sum(piece.copies for piece in self.pieces)

    @cached_property
    def optional(self) -> frozenset[AtomId]:
        """The cells of the form that may stay empty."""
        return frozenset(self.form.optional)

    @cached_property
    def turned(self) -> Longs:
        """The image of each cell under each motion that maps the form to itself: array (motions, cells), the identity first."""
        found = shape_symmetries(Puzzle(self.grid, (), self.form))
        return np.array([s.atoms for s in found if self.flips or not s.symmetry.mirror], dtype=np.int64)

    def poses(self, piece: FreePiece) -> list[Pose]:
        """Return the different poses of a piece in the form."""
        found: dict[tuple[frozenset[int], frozenset[int]], Pose] = {}
        places, numbering = self.form.numbering.places, self.form.numbering
        for cells, there in _lying(self.grid, (*piece.fixed, *piece.free), flips=self.flips):
            if not there[: len(piece.fixed)].all():
                continue
            starts = places[places[:, -1] == cells[0, -1]]
            moved = np.repeat(cells[None], len(starts), axis=0)
            moved[..., :-1] += starts[:, None, :-1]
            numbers = np.where(there, numbering.of(moved), -1)
            for row in numbers[(numbers[:, : len(piece.fixed)] >= 0).all(axis=1)].tolist():
                fixed, free = tuple(row[: len(piece.fixed)]), tuple(row[len(piece.fixed) :])
                found.setdefault((frozenset(fixed), frozenset(free) - {-1}), Pose(fixed, free))
        return list(found.values())

    def with_shape(self, piece: FreePiece, shape: int) -> Family:
        """Return the subfamily in which one of the copies of a piece has this shape."""
        fixed_piece = replace(piece, fixed=self.bodies[shape], free=(), copies=1, shape=np.array([shape]))
        others = [replace(p, copies=p.copies - (p is piece)) for p in self.pieces]
        return replace(self, pieces=(*(p for p in others if p.copies), fixed_piece))


def family_of(file: PiecesFile) -> Family:
    """Return the pieces and the form of a design. Raises PuzzleError if the design is invalid."""
    grid = Library().grid_of(file.grid, file.path)
    if grid.crossings or any(atom.role != "cover" or atom.kind != grid.main_kind for atom in grid.atoms):
        raise NotSupportedError(f"grid {grid.name!r}: pieces with free cells are for grids of cells alone")
    form = form_from_table(grid, file.form)
    if form.wrap is not None or form.colours:
        raise NotSupportedError("form: pieces with free cells are for forms without wrap and colours")
    if (number := sum(table.copies for table in file.pieces.values())) > MAX_PIECES:
        raise NotSupportedError(f"pieces: {number} pieces; expected {MAX_PIECES} at most")
    drawn = {name: _drawn(grid, name, table) for name, table in file.pieces.items()}
    bodies: dict[bytes, tuple[AtomId, ...]] = {}
    pieces: list[FreePiece] = []
    width = max(len(fixed) + len(free) for fixed, free in drawn.values())
    for name, (fixed, free) in drawn.items():
        shape = _shapes(grid, fixed, free, width, bodies, flips=file.flips)
        piece = FreePiece(name, fixed, free, file.pieces[name].copies, shape)
        if not piece.shapes:
            raise PuzzleError(f"pieces.{name}: it is in one part for no choice of its free cells")
        pieces.append(piece)
    names = _names(pieces)
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise PuzzleError(f"pieces.{twice}: a shape of another piece has the same name; rename the piece")
    holes = len(form.optional) if file.holes is None else min(file.holes, len(form.optional))
    return Family(file.title, grid, form, holes, file.flips, tuple(pieces), tuple(bodies.values()), tuple(names))


def _names(pieces: Sequence[FreePiece]) -> list[str]:
    """Return the name of each shape: of a piece with this shape alone, or else of the first piece with this shape, and a number."""
    name_of = {piece.shapes[0]: piece.name for piece in pieces if len(piece.shapes) == 1}
    for piece in pieces:
        for number, shape in enumerate(piece.shapes, start=1):
            name_of.setdefault(shape, f"{piece.name}-{number}")
    return [name_of[shape] for shape in sorted(name_of)]


def _drawn(grid: Grid, name: str, table: PieceTable) -> tuple[tuple[AtomId, ...], tuple[AtomId, ...]]:
    """Return the fixed and the free cells of a piece. A letter that its picture does not contain replaces the sign of free cells."""
    letter = next(letter for letter in ascii_letters if letter not in table.picture)
    try:
        drawn = parse_picture(grid, table.picture.replace(FREE, letter))
    except PuzzleError as error:
        raise error.under(f"pieces.{name}.picture: ") from None
    if len(drawn.atoms) > MAX_CELLS:
        raise NotSupportedError(f"pieces.{name}: {len(drawn.atoms):,} cells; expected {MAX_CELLS:,} at most")
    may = drawn.letters.get(letter, frozenset())
    if len(may) > MAX_FREE:
        raise NotSupportedError(f"pieces.{name}: {len(may)} free cells; expected {MAX_FREE} at most")
    if drawn.atoms == may:
        raise PuzzleError(f"pieces.{name}: all its cells are free; draw one at least that it always has")
    fixed, free = (tuple(sorted(atoms, key=atom_order)) for atoms in (drawn.atoms - may, may))
    return fixed, free


def _lying(grid: Grid, cells: Sequence[AtomId], *, flips: bool) -> Iterator[tuple[Longs, Flags]]:
    """Yield the cells after each rotation, relative to the first cell, and which of them are cells of the grid."""
    places = np.array(cells, dtype=np.int64)
    for motion in grid.motions:
        if flips or not motion.mirror:
            turned = motion.on_places(places)
            turned[:, :-1] -= turned[0, :-1]
            there = (turned[:, :-1] % motion.over == 0).all(axis=1)
            turned[:, :-1] //= motion.over
            yield turned, there


def _shapes(
    grid: Grid, fixed: Sequence[AtomId], free: Sequence[AtomId], width: int, bodies: dict[bytes, tuple[AtomId, ...]], *, flips: bool
) -> Longs:
    """Return the number of the shape of each choice of free cells, and add new shapes to ``bodies``, under a key common to all rotations.

    The key is the smallest sorted list of codes of the cells, over all rotations; the code of a cell is its place in the bounding box.
    """
    cells = (*fixed, *free)
    chosen = (np.arange(1 << len(free))[:, None] >> np.arange(len(free))) & 1
    has = np.concatenate([np.ones((len(chosen), len(fixed)), dtype=np.bool_), chosen.astype(np.bool_)], axis=1)
    best = np.full((len(has), width), ABSENT)
    for turned, there in _lying(grid, cells, flips=flips):
        lows = np.where(has[..., None], turned[:, :-1], ABSENT).min(axis=1)
        away = turned[:, :-1] - lows[:, None]
        code = turned[:, -1] + len(grid.atoms) * (away * MAX_CELLS ** np.arange(away.shape[-1])).sum(axis=-1)
        codes = np.full_like(best, ABSENT)
        codes[:, : len(cells)] = np.sort(np.where(has, code, ABSENT), axis=1)
        less = (first_difference(codes, best) < 0) & (there | ~has).all(axis=1)
        best = np.where(less[:, None], codes, best)
    number = {key: i for i, key in enumerate(bodies)}
    found = np.full(len(has), NOT_ONE)
    for choice in np.flatnonzero(_in_one_part(grid, cells, has)).tolist():
        key = best[choice].tobytes()
        if key not in number:
            number[key] = len(bodies)
            bodies[key] = tuple(cell for cell, is_there in zip(cells, has[choice].tolist(), strict=True) if is_there)
        found[choice] = number[key]
    return found


def _in_one_part(grid: Grid, cells: Sequence[AtomId], has: Flags) -> Flags:
    """Return whether each body is connected. ``has`` is an array (bodies, cells): the cells of each body."""
    number = {cell: i for i, cell in enumerate(cells)}
    beside = np.eye(len(cells), dtype=np.bool_)
    for cell, i in number.items():
        beside[i, [number[other] for other in grid.neighbours(cell) if other in number]] = True
    reached = np.zeros_like(has)
    reached[:, 0] = True
    while (more := has & (reached @ beside)).sum() > reached.sum():
        reached = more
    whole: Flags = (reached == has).all(axis=1)
    return whole
