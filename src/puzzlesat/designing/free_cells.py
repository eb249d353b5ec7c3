"""Pieces some of whose cells are free to be there or not: which shapes each may become, and in which ways it lies in the form.

All assemblies of pieces with free cells: each cell of the form is a fixed or a free cell of one piece, or a hole.

As a cover problem: an option lays a piece, with its fixed cells; another gives it one of its free cells. What covers a cell shows a colour
there: the number of the pose, if this is the first cell of that pose. Whoever gives a free cell to a pose shows the same colour there, so
this pose has been chosen.
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
    Progress,
    PuzzleError,
    Rows,
    first_difference,
)
from puzzlesat.designing.burr_kernel import Owners
from puzzlesat.designing.design_files import PiecesFile, PieceTable
from puzzlesat.designing.partition import first_of_each, images_of, in_order
from puzzlesat.puzzles import (
    AtomId,
    CoverProblem,
    Form,
    Grid,
    Library,
    Puzzle,
    Symmetry,
    atom_order,
    form_from_table,
    parse_picture,
    shape_symmetries,
)
from puzzlesat.solvers import LISTING, solver

FREE = "+"
"""In a picture of a piece: a free cell."""
MOST_FREE = 14
"""Free cells of a piece."""
MOST_PIECES = 52
"""As many as there are letters."""
MOST_CELLS = 1000
"""Of a piece; also more than the steps from one end of it to the other."""
NOT_ONE = -1
"""Stands for a shape that is not in one part."""
ABSENT = 1 << 40
"""Larger than the code of any cell."""


@dataclass(frozen=True, eq=False)
class FreePiece:
    """A piece: the cells that it has, and those that it may have."""

    name: str
    fixed: tuple[AtomId, ...]
    free: tuple[AtomId, ...]
    copies: int
    shape: Longs
    """For each choice of free cells, bit i for cell i, the number of the shape that the piece then has; -1: it is not in one part."""

    @cached_property
    def shapes(self) -> list[int]:
        """The shapes that it may have, in order."""
        return sorted(set(self.shape[self.shape >= 0].tolist()))

    @property
    def choices(self) -> int:
        """In how many ways the shapes of its copies can be chosen."""
        return prod([len(self.shapes)] * self.copies)


@dataclass(frozen=True, eq=False)
class Pose:
    """One way in which a piece lies in the form, by numbers of cells of the form."""

    fixed: tuple[int, ...]
    free: tuple[int, ...]
    """-1: this free cell lies outside, so the piece does not have it here."""


@dataclass(frozen=True, eq=False)
class Family:
    """A form, and the pieces that fill it."""

    title: str
    grid: Grid
    form: Form
    holes: int
    """Most cells of the form that stay empty."""
    flips: bool
    """Whether pieces may be turned over, or into their mirror images."""
    pieces: tuple[FreePiece, ...]
    bodies: tuple[tuple[AtomId, ...], ...]
    """Each shape, as it lies when it is not turned."""
    names: tuple[str, ...]
    """Of the shapes."""

    @property
    def choices(self) -> int:
        """In how many ways the shapes of all pieces can be chosen."""
        return prod(piece.choices for piece in self.pieces)

    @property
    def number(self) -> int:
        """How many pieces an assembly has."""
        return sum(piece.copies for piece in self.pieces)

    @cached_property
    def optional(self) -> frozenset[AtomId]:
        """The cells of the form that may stay empty."""
        return frozenset(self.form.optional)

    @cached_property
    def turned(self) -> Longs:
        """Where each motion that keeps the form takes its cells: array (motions, cells), the identity first."""
        found = shape_symmetries(Puzzle(self.grid, (), self.form))
        return np.array([s.atoms for s in found if self.flips or not s.symmetry.mirror], dtype=np.int64)

    def poses(self, piece: FreePiece) -> list[Pose]:
        """Return every way in which a piece lies in the form. Two with the same cells are one."""
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
        """Return the part of the family in which one of the copies of a piece has this shape."""
        one = replace(piece, fixed=self.bodies[shape], free=(), copies=1, shape=np.array([shape]))
        others = [replace(p, copies=p.copies - (p is piece)) for p in self.pieces]
        return replace(self, pieces=(*(p for p in others if p.copies), one))


def family_of(file: PiecesFile) -> Family:
    """Return the pieces and the form of a design. Raises PuzzleError for everything that is wrong with it."""
    grid = Library().grid_of(file.grid, file.path)
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
    """The name of each shape: that of a piece which has no other, or else of the first piece that may have it, with a number."""
    found = {piece.shapes[0]: piece.name for piece in pieces if len(piece.shapes) == 1}
    for piece in pieces:
        for number, shape in enumerate(piece.shapes, start=1):
            found.setdefault(shape, f"{piece.name}-{number}")
    return [found[shape] for shape in sorted(found)]


def _drawn(grid: Grid, name: str, table: PieceTable) -> tuple[tuple[AtomId, ...], tuple[AtomId, ...]]:
    """The fixed cells of a piece, and its free cells: a letter that is in no picture of it stands for these."""
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
    """Yield the cells after each turn, seen from the first of them; and which of them are cells of the grid then."""
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
    """For each choice of free cells the number of its shape; new shapes are added to ``bodies``, under what all their turned copies share.

    That is the least of the lists of codes of its cells, over all turns; a code tells a cell by where it lies in a box round the body.
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
    """Which of some bodies are in one part: array (bodies, cells) of the cells that they have."""
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
"""The colour of a cell that is the first of no pose."""
AT_ONCE = 1 << 18
"""Cells, times assemblies, after which those are put together that are the same but for a turn."""


@dataclass(frozen=True, eq=False)
class Assigned:
    """Assemblies of a family, one of each class of turned copies."""

    owners: Owners
    """Array (assemblies, cells of the form): which piece has a cell, in the order of their first cells; -1: a hole."""
    shapes: Longs
    """Array (assemblies, pieces): the shapes of its pieces in ascending order."""
    copies: Longs
    """How many turned copies each has, itself included."""


@dataclass(frozen=True, eq=False)
class Options:
    """The options of the cover problem: first those that lay pieces."""

    poses: tuple[Pose, ...]
    piece: Longs
    """Of each pose."""
    pose: Longs
    """Of each option; -1: it leaves a hole."""
    cell: Longs
    """Of each option the free cell that it gives to its pose, or the hole; -1: it lays a piece."""
    bit: Longs
    """Of each option what stands for this free cell in the choice of the piece."""


def assigned(family: Family, most: int | None, limits: Limits, progress: Progress = SILENT) -> Assigned | None:
    """Return all assemblies; None if the search finds more than ``most``. Raises EndedError at a limit."""
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
    """The poses of a piece; of the first piece, if it has no copies, one of those that motions of the form take to each other."""
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
    """The piece whose poses break the symmetry: that with the most fixed cells; -1 if all have copies."""
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
    """The items are the cells, the pieces, the holes, and what the cells show."""
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
    """Who has which cell in each solution, and the shapes of its pieces, without those in which a piece is in several parts."""
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
    """Array (poses, cells of the form): the fixed cells of each pose."""
    lies = np.zeros((len(options.poses), len(family.form.atoms)), dtype=np.bool_)
    for number, pose in enumerate(options.poses):
        lies[number, list(pose.fixed)] = True
    return lies


def _together(family: Family, kept: Assigned, owners: Owners, shapes: Longs) -> Assigned:
    """More assemblies with those that are known."""
    owners = in_order(owners)
    best, same = owners, np.ones(len(owners), dtype=np.int64)
    for image in images_of(owners, family.turned[1:]):
        same += (image == owners).all(axis=1)
        best = np.where((first_difference(image, best) < 0)[:, None], image, best)
    copies = len(family.turned) // same
    everything = np.concatenate([kept.owners, best])
    once = first_of_each(everything)
    return Assigned(everything[once], np.concatenate([kept.shapes, shapes])[once], np.concatenate([kept.copies, copies])[once])
