"""Pieces with free cells, which may be present or absent: their shapes, their poses in the form, and all assemblies.

In an assembly each cell of the form is a fixed or a free cell of one piece, or a hole. As a cover problem: an option lays a piece with its
fixed cells; another option gives one free cell to a pose. Each option colours the cells that it covers; the colour of the first cell of a
pose is the number of the pose. An option that gives a free cell to a pose requires this colour at the first cell of the pose, so it is only
possible if the pose is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import prod
from string import ascii_letters

import numpy as np

from puzzlesat.base import (
    SILENT,
    EndedError,
    Flags,
    Limits,
    Longs,
    NotSupportedError,
    Owners,
    Progress,
    PuzzleError,
    Rows,
    first_difference,
    least,
)
from puzzlesat.designing.design_files import PiecesFile, PieceTable
from puzzlesat.designing.partition import first_of_each, images_of, in_order
from puzzlesat.puzzles import (
    AtomId,
    CoverProblem,
    Form,
    Grid,
    Puzzle,
    Symmetry,
    atom_order,
    form_from_table,
    grid_of,
    parse_picture,
    shape_symmetries,
)
from puzzlesat.solvers import LISTING, solver

FREE = "+"
"""A free cell in a picture of a piece."""
MOST_FREE = 14
"""Largest number of free cells of a piece."""
MOST_PIECES = 52
"""Largest number of pieces: the number of letters."""
MOST_CELLS = 1000
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
        one = replace(piece, fixed=self.bodies[shape], free=(), copies=1, shape=np.array([shape]))
        others = [replace(p, copies=p.copies - (p is piece)) for p in self.pieces]
        return replace(self, pieces=(*(p for p in others if p.copies), one))


def family_of(file: PiecesFile) -> Family:
    """Return the pieces and the form of a design. Raises PuzzleError if the design is invalid."""
    grid = grid_of(file.grid, file.path)
    if grid.crossings or any(atom.role != "cover" or atom.kind != grid.main_kind for atom in grid.atoms):
        raise NotSupportedError(f"grid {grid.name!r}: pieces with free cells are for grids of cells alone")
    form = form_from_table(grid, file.form)
    if form.wrap is not None or form.colours:
        raise NotSupportedError("form: pieces with free cells are for forms without wrap and colours")
    if (number := sum(table.copies for table in file.pieces.values())) > MOST_PIECES:
        raise NotSupportedError(f"pieces: {number} pieces; expected {MOST_PIECES} at most")
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
    found = {piece.shapes[0]: piece.name for piece in pieces if len(piece.shapes) == 1}
    for piece in pieces:
        for number, shape in enumerate(piece.shapes, start=1):
            found.setdefault(shape, f"{piece.name}-{number}")
    return [found[shape] for shape in sorted(found)]


def _drawn(grid: Grid, name: str, table: PieceTable) -> tuple[tuple[AtomId, ...], tuple[AtomId, ...]]:
    """Return the fixed and the free cells of a piece. A letter that its picture does not contain replaces the sign of free cells."""
    letter = next(letter for letter in ascii_letters if letter not in table.picture)
    try:
        drawn = parse_picture(grid, table.picture.replace(FREE, letter))
    except PuzzleError as error:
        raise error.under(f"pieces.{name}.picture: ") from None
    if len(drawn.atoms) > MOST_CELLS:
        raise NotSupportedError(f"pieces.{name}: {len(drawn.atoms):,} cells; expected {MOST_CELLS:,} at most")
    may = drawn.letters.get(letter, frozenset())
    if len(may) > MOST_FREE:
        raise NotSupportedError(f"pieces.{name}: {len(may)} free cells; expected {MOST_FREE} at most")
    if drawn.atoms == may:
        raise PuzzleError(f"pieces.{name}: all its cells are free; draw one at least that it always has")
    fixed, free = (tuple(sorted(atoms, key=atom_order)) for atoms in (drawn.atoms - may, may))
    return fixed, free


def _lying(grid: Grid, cells: Sequence[AtomId], *, flips: bool) -> Iterator[tuple[Longs, Flags]]:
    """Yield the cells after each rotation, relative to the first cell, and which of them are cells of the grid."""
    places = np.array(cells, dtype=np.int64)
    for motion in grid.motions:
        if flips or not motion.mirror:
            yield _seen(motion, places)


def _seen(motion: Symmetry, places: Longs) -> tuple[Longs, Flags]:
    turned = motion.on_places(places)
    turned[:, :-1] -= turned[0, :-1]
    there = (turned[:, :-1] % motion.over == 0).all(axis=1)
    turned[:, :-1] //= motion.over
    return turned, there


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
        code = turned[:, -1] + len(grid.atoms) * (away * MOST_CELLS ** np.arange(away.shape[-1])).sum(axis=-1)
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


OTHER = 1
"""The colour of a cell that is not the first cell of a pose."""
AT_ONCE = 1 << 18
"""Number of entries of listed solutions after which rotated copies are merged."""


@dataclass(frozen=True, eq=False)
class Assigned:
    """Assemblies of a family, one of each class of rotated copies."""

    owners: Owners
    """Array (assemblies, cells of the form): the owner of each cell, with pieces numbered by their first cells; -1: a hole."""
    shapes: Longs
    """Array (assemblies, pieces): the shapes of the pieces in ascending order."""
    copies: Longs
    """The number of rotated copies of each assembly, itself included."""


@dataclass(frozen=True, eq=False)
class Options:
    """The options of the cover problem. Options that lay pieces come first."""

    poses: tuple[Pose, ...]
    piece: Longs
    """The piece of each pose."""
    pose: Longs
    """The pose of each option; -1: the option leaves a hole."""
    cell: Longs
    """The free cell that each option gives to its pose, or its hole; -1: the option lays a piece."""
    bit: Longs
    """The bit of this free cell in the choice of the piece."""


def assigned(family: Family, most: int | None, limits: Limits, progress: Progress = SILENT) -> Assigned | None:
    """Return all assemblies; None if the search finds ``most`` solutions before its end. Raises EndedError at a limit."""
    poses = [(number, pose) for number, piece in enumerate(family.pieces) for pose in _different(family, number)]
    options = _options(family, poses)
    problem = _problem(family, options)
    kept, found = Assigned(*_none(family)), 0
    new: list[Rows] = []
    waiting = 0

    def put_together() -> None:
        nonlocal kept, waiting
        if new:
            width = max(rows.shape[1] for rows in new)
            padded = [np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=-1) for rows in new]
            kept = _together(family, kept, *_decoded(family, options, np.concatenate(padded)))
        new.clear()
        waiting = 0

    def take(rows: Rows) -> None:
        nonlocal found, waiting
        new.append(rows.copy())
        found += len(rows)
        waiting += rows.size
        if waiting > AT_ONCE:
            put_together()

    outcome = solver(LISTING)(problem)(take, replace(limits, solutions=most), progress=progress)
    if not outcome.complete:
        if most is not None and found >= most:
            return None
        raise EndedError(outcome.status, "listing assemblies", counters={"assemblies": found})
    put_together()
    return kept


def _different(family: Family, number: int) -> list[Pose]:
    """Return the poses of a piece; of the piece that breaks the symmetry, one of each class under the motions of the form."""
    piece = family.pieces[number]
    poses = family.poses(piece)
    if number != _broken_on(family):
        return poses
    seen: set[tuple[frozenset[int], frozenset[int]]] = set()
    kept: list[Pose] = []
    for pose in poses:
        if (frozenset(pose.fixed), frozenset(pose.free) - {-1}) not in seen:
            kept.append(pose)
            for there in family.turned.tolist():
                seen.add((frozenset(there[c] for c in pose.fixed), frozenset(there[c] for c in pose.free if c >= 0)))
    return kept


def _broken_on(family: Family) -> int:
    """Return the piece whose poses break the symmetry: the single piece with the most fixed cells; -1 if all have copies."""
    single = [number for number, piece in enumerate(family.pieces) if piece.copies == 1]
    return max(single, key=lambda number: len(family.pieces[number].fixed), default=-1)


def _options(family: Family, poses: list[tuple[int, Pose]]) -> Options:
    laid = tuple(pose for _, pose in poses)
    gives = [(p, cell, 1 << i) for p, pose in enumerate(laid) for i, cell in enumerate(pose.free) if cell >= 0]
    holes = [(-1, cell, 0) for cell, atom in enumerate(family.form.numbering.atoms) if family.holes and atom in family.optional]
    rows = np.array([*((p, -1, 0) for p in range(len(laid))), *gives, *holes], dtype=np.int64).reshape(-1, 3)
    pose, cell, bit = rows.T
    return Options(laid, np.array([piece for piece, _ in poses], dtype=np.int64), pose, cell, bit)


def _problem(family: Family, options: Options) -> CoverProblem:
    """Return the cover problem. Its items are the cells, the pieces, the number of holes, and the colours of the cells."""
    cells, pieces = len(family.form.atoms), len(family.pieces)
    holes, shows = cells + pieces, cells + pieces + 1
    first = [pose.fixed[0] for pose in options.poses]
    rows: list[list[tuple[int, int]]] = []
    for pose, cell in zip(options.pose.tolist(), options.cell.tolist(), strict=True):
        own = pose + OTHER + 1
        if cell < 0:
            fixed = options.poses[pose].fixed
            covers = [(c, 0) for c in fixed]
            rows.append([*covers, (cells + int(options.piece[pose]), 0), *((shows + c, own if c == fixed[0] else OTHER) for c in fixed)])
        elif pose < 0:
            rows.append([(cell, 0), (holes, 0), (shows + cell, OTHER)])
        else:
            rows.append([(cell, 0), (shows + cell, OTHER), (shows + first[pose], own)])
    copies = [piece.copies for piece in family.pieces]
    entries = list(chain.from_iterable(rows))
    return CoverProblem(
        items=tuple(map(str, range(shows + cells))),
        low=np.array([1] * cells + copies + [0] * (1 + cells), dtype=np.int32),
        high=np.array([1] * cells + copies + [family.holes] + [1] * cells, dtype=np.int32),
        coloured=np.arange(shows + cells) >= shows,
        options=tuple(map(str, range(len(rows)))),
        start=np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32),
        item=np.array([item for item, _ in entries], dtype=np.int32),
        colour=np.array([colour for _, colour in entries], dtype=np.int32),
        tiles=np.empty(0, dtype=np.int32),
    )


# from options to assemblies -----------------------------------------------------------------------------------------------------


def _none(family: Family) -> tuple[Owners, Longs, Longs]:
    empty = np.empty((0, family.number), dtype=np.int64)
    return np.empty((0, len(family.form.atoms)), dtype=np.int8), empty, np.empty(0, dtype=np.int64)


def _decoded(family: Family, options: Options, rows: Rows) -> tuple[Owners, Longs]:
    """Return the owners of the cells and the shapes of the pieces of each solution, except solutions with a piece that is not connected."""
    number = family.number
    poses, further = rows[:, :number].astype(np.int64), rows[:, number:]  # options that lay pieces come first
    owners = np.full((len(rows), len(family.form.atoms)), -1, dtype=np.int8)
    lies = _fixed_cells(family, options)
    choice = np.zeros_like(poses)
    for k in range(number):
        owners[lies[poses[:, k]]] = k
        for column in further.T:
            given = np.flatnonzero((column >= 0) & (options.pose[column] == poses[:, k]))
            owners[given, options.cell[column[given]]] = k
            choice[given, k] |= options.bit[column[given]]
    shape = np.full((len(family.pieces), max(len(piece.shape) for piece in family.pieces)), -1)
    for i, piece in enumerate(family.pieces):
        shape[i, : len(piece.shape)] = piece.shape
    shapes = shape[options.piece[poses], choice]
    whole = (shapes >= 0).all(axis=1)
    return owners[whole], np.sort(shapes[whole], axis=1)


def _fixed_cells(family: Family, options: Options) -> Flags:
    """Return the fixed cells of each pose: array (poses, cells of the form)."""
    lies = np.zeros((len(options.poses), len(family.form.atoms)), dtype=np.bool_)
    for number, pose in enumerate(options.poses):
        lies[number, list(pose.fixed)] = True
    return lies


def _together(family: Family, kept: Assigned, owners: Owners, shapes: Longs) -> Assigned:
    """Return new assemblies merged with those kept so far, one of each class of rotated copies."""
    owners = in_order(owners)
    best, same = owners, np.ones(len(owners), dtype=np.int64)
    for image in images_of(owners, family.turned[1:]):
        same += (image == owners).all(axis=1)
        best = least([best, image])
    copies = len(family.turned) // same
    everything = np.concatenate([kept.owners, best])
    once = first_of_each(everything)
    return Assigned(everything[once], np.concatenate([kept.shapes, shapes])[once], np.concatenate([kept.copies, copies])[once])
