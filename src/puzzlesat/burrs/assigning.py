"""All assemblies of pieces with free cells: each cell of the form is a fixed or a free cell of one piece, or a hole.

As a cover problem: an option lays a piece, with its fixed cells; another gives it one of its free cells. What covers a cell shows a colour
there: the number of the pose, if this is the first cell of that pose. Whoever gives a free cell to a pose shows the same colour there, so
this pose has been chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from puzzlesat.arrays import Flags, Longs, Owners, Rows
from puzzlesat.burrs.freecells import Family, Pose
from puzzlesat.burrs.partition import first_of_each, images_of, in_order
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.progress import SILENT, Progress
from puzzlesat.rows import least
from puzzlesat.solvers.registry import solver
from puzzlesat.solvers.run import EndedError, Limits
from puzzlesat.solvers.strategy import LISTING

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
        best = least([best, image])
    copies = len(family.turned) // same
    everything = np.concatenate([kept.owners, best])
    once = first_of_each(everything)
    return Assigned(everything[once], np.concatenate([kept.shapes, shapes])[once], np.concatenate([kept.copies, copies])[once])
