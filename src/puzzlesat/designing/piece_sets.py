"""The report on pieces with free cells: the sets of pieces that fill the form, their numbers of assemblies, and which come apart.

In an assembly each cell of the form is a fixed or a free cell of one piece, or a hole. As a cover problem: an option lays a piece with its
fixed cells; another option gives one free cell to a pose. Each option colours the cells that it covers; the colour of the first cell of a
pose is the number of the pose. An option that gives a free cell to a pose requires this colour at the first cell of the pose, so it is only
possible if the pose is chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from puzzlesat.base import SILENT, Clock, ContradictionError, Displayed, EndedError, Ending, Limits, Longs, Progress, Rows, many
from puzzlesat.counting import Record, Results
from puzzlesat.designing.burr import burr_of
from puzzlesat.designing.burr_design import Designed, DesignOptions, designed_rods
from puzzlesat.designing.burr_kernel import Owners
from puzzlesat.designing.carving import Carved, carved
from puzzlesat.designing.design_files import DesignFile, PiecesFile, design_given
from puzzlesat.designing.diagram import lesser
from puzzlesat.designing.parting import TriedAssembly, by_height, results_of, tried
from puzzlesat.designing.partition import Family, Pose, family_of, first_of_each, images_of, in_order, letters_of, taken_apart
from puzzlesat.disassembly import Disassembly
from puzzlesat.puzzles import CoverProblem, Instance, Puzzle, Tile, build_instance
from puzzlesat.solvers import LISTING, TALLY, solver

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
    empty = np.empty((0, family.number), dtype=np.int64)
    kept, found = Assigned(np.empty((0, len(family.form.atoms)), dtype=np.int8), empty, np.empty(0, dtype=np.int64)), 0
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
    """Return the poses of a piece. The single piece with the most fixed cells breaks the symmetry: it has one of each class of poses."""
    poses = family.poses(family.pieces[number])
    single = [i for i, piece in enumerate(family.pieces) if piece.copies == 1]
    if number != max(single, key=lambda i: len(family.pieces[i].fixed), default=-1):
        return poses
    seen: set[tuple[frozenset[int], frozenset[int]]] = set()
    kept: list[Pose] = []
    for pose in poses:
        if (frozenset(pose.fixed), frozenset(pose.free) - {-1}) not in seen:
            kept.append(pose)
            for there in family.turned.tolist():
                seen.add((frozenset(there[c] for c in pose.fixed), frozenset(there[c] for c in pose.free if c >= 0)))
    return kept


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


def _decoded(family: Family, options: Options, rows: Rows) -> tuple[Owners, Longs]:
    """Return the owners of the cells and the shapes of the pieces of each solution, except solutions with a piece that is not connected."""
    number = family.number
    poses, further = rows[:, :number].astype(np.int64), rows[:, number:]  # options that lay pieces come first
    owners = np.full((len(rows), len(family.form.atoms)), -1, dtype=np.int8)
    lies = np.zeros((len(options.poses), len(family.form.atoms)), dtype=np.bool_)  # the fixed cells of each pose
    for i, pose in enumerate(options.poses):
        lies[i, list(pose.fixed)] = True
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


def _together(family: Family, kept: Assigned, owners: Owners, shapes: Longs) -> Assigned:
    """Return new assemblies merged with those kept so far, one of each class of rotated copies."""
    owners = in_order(owners)
    best, same = owners, np.ones(len(owners), dtype=np.int64)
    for image in images_of(owners, family.turned[1:]):
        same += (image == owners).all(axis=1)
        best = lesser(best, image)
    copies = len(family.turned) // same
    everything = np.concatenate([kept.owners, best])
    once = first_of_each(everything)
    return Assigned(everything[once], np.concatenate([kept.shapes, shapes])[once], np.concatenate([kept.copies, copies])[once])


# the report -----------------------------------------------------------------------------------------------------------------------

PIECES_JUDGE = TALLY
"""The solver that counts the assemblies of a single set of pieces again."""

MAX_LISTED = 500_000
"""Largest number of assemblies listed in one search; if there are more, the search is split by the shapes of a piece."""
MAX_SETS = 5_000_000
"""Largest number of sets of pieces."""
SHOWN = 10
"""Default number of sets of pieces to confirm and show."""
Shapes = tuple[int, ...]


@dataclass(frozen=True)
class PieceSet:
    """A set of pieces that fills the form."""

    shapes: Shapes
    """The shapes of the pieces in ascending order."""
    cells: str
    """One of the assemblies, as letters."""
    assemblies: int
    """The number of assemblies up to the motions of the form."""
    all: int
    """The number of assemblies, rotated copies included."""
    apart: int = 0
    """The number of ``assemblies`` that come apart."""
    best: TriedAssembly | None = None
    """The assembly of the highest level."""

    @property
    def rank(self) -> tuple[object, ...]:
        """A key that is greater for a better set: first a higher level, then fewer assemblies that come apart, then fewer assemblies."""
        return self.best.moves if self.best else (), -self.apart, -self.assemblies, [-shape for shape in self.shapes]


@dataclass(frozen=True, repr=False)
class DesignedSets(Ending, Displayed):
    """The results for pieces with free cells so far."""

    file: PiecesFile
    family: Family
    asked: DesignOptions
    searched: int = 0
    """The number of ``family.choices`` that were searched: all sets of their pieces were found, with all assemblies."""
    sets: Mapping[Shapes, PieceSet] = field(default_factory=dict)
    taken: tuple[TriedAssembly, ...] = ()
    """The assemblies of which it was decided whether they come apart."""
    confirmed: int = 0
    """The number of sets of ``shown`` whose assemblies were counted again, by code that shares nothing with the search."""

    @property
    def assemblies(self) -> int:
        """The number of all assemblies up to the motions of the form."""
        return sum(piece_set.assemblies for piece_set in self.sets.values())

    @property
    def all(self) -> int:
        """The number of all assemblies."""
        return sum(piece_set.all for piece_set in self.sets.values())

    @property
    def once(self) -> int:
        """The number of sets with exactly one assembly."""
        return sum(piece_set.assemblies == 1 for piece_set in self.sets.values())

    @property
    def apart(self) -> int:
        """The number of assemblies of ``taken`` that come apart."""
        return sum(self.levels.values())

    @cached_property
    def levels(self) -> dict[str, int]:
        """The number of assemblies that come apart at each level, the highest level first."""
        return by_height(Counter(assembly.level for assembly in self.taken if assembly.level is not None))

    @property
    def best(self) -> PieceSet | None:
        """The best set: one of the highest level, if assemblies were taken apart; else one with the fewest assemblies."""
        return next(iter(self.shown), None)

    @cached_property
    def shown(self) -> Sequence[PieceSet]:
        """The best sets, up to the requested number."""
        chosen = [piece_set for piece_set in self.sets.values() if piece_set.apart or not self.asked.apart]
        return sorted(chosen, key=lambda piece_set: piece_set.rank, reverse=True)[: self.asked.unique or SHOWN]

    @property
    def figures(self) -> dict[str, int]:
        """The known figures among those that ``expect`` of a design can state."""
        if not self.complete:
            return {"choices": self.family.choices}
        found = {"choices": self.family.choices, "sets": len(self.sets), "assemblies": self.assemblies, "once": self.once}
        return found | ({"apart": self.apart} if self.asked.apart else {})

    @property
    def agreeing(self) -> dict[str, int]:
        """Figures that equal the published ones."""
        return self.file.expect.agreeing(self.figures)

    @property
    def differences(self) -> dict[str, tuple[int, int]]:
        """Figures that differ from published ones: the published figure, and the result."""
        return self.file.expect.differing(self.figures)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        found = (
            f"{many(len(self.sets), 'set')} of pieces {'fills' if len(self.sets) == 1 else 'fill'} the form, {self.once:,} in one way only"
        )
        return f"{self.family.title}: {found}" + ("" if self.complete else f"; not complete: {self.why}")

    def __repr__(self) -> str:
        return f"<DesignedSets {self.sentence}>"

    def names(self, shapes: Shapes) -> list[str]:
        """Return the names of pieces."""
        return [self.family.names[shape] for shape in shapes]

    @property
    def puzzle(self) -> dict[str, Any]:
        """The tables of a puzzle with the pieces of the best set, which must exist."""
        assert self.best is not None
        family, file, shapes = self.family, self.file, self.best.shapes
        tiles = {
            family.names[s]: {"atoms": [family.grid.ref(a) for a in family.bodies[s]], "copies": n} for s, n in Counter(shapes).items()
        }
        form = {
            "atoms": [family.grid.ref(a) for a in family.form.numbering.atoms],
            "optional": [family.grid.ref(a) for a in family.form.optional],
        }
        title = f"{family.title}: {' '.join(self.names(shapes))}"
        source = {"source": file.source} if file.source else {}
        return {"title": title} | source | {"grid": file.grid, "flips": file.flips, "tiles": tiles, "form": form}

    @property
    def record(self) -> Record:
        """The result as a JSON object (see docs/json.md)."""
        found: dict[str, Any] = {
            "design": self.family.title,
            "shapes": {piece.name: len(piece.shapes) for piece in self.family.pieces},
            "choices": self.family.choices,
            "searched": self.searched,
            "sets": len(self.sets),
            "once": self.once,
            "distinct": self.assemblies,
            "all": self.all,
            "agree": not self.differences if self.agreeing or self.differences else None,
            "differences": {key: {"published": a, "found": b} for key, (a, b) in self.differences.items()},
            "best": [
                {"pieces": self.names(one.shapes), "cubes": one.cells, "assemblies": one.assemblies, "all": one.all}
                | ({"apart": one.apart, "level": one.best and one.best.level} if self.asked.apart else {})
                for one in self.shown
            ],
            "confirmed": self.confirmed,
        }
        if self.asked.apart:
            opens, checked = (sum(getattr(one, key) for one in self.taken) for key in ("opens", "checked"))
            found |= {"decided": len(self.taken), "apart": self.apart, "opens": opens, "checked": checked, "levels": self.levels}
        return found | {"complete": self.complete, "why": self.why, "seconds": round(self.seconds, 2)}


def designed_sets(
    file: PiecesFile, options: DesignOptions, jobs: int, limits: Limits, *, progress: Progress = SILENT
) -> Iterator[DesignedSets]:
    """Yield the results for pieces with free cells, after the search and after the confirmation.

    Raises ContradictionError if two counts differ.
    """
    limits = limits.begun()
    clock, heeding = Clock(limits), limits.heeding(progress)
    result = DesignedSets(file, family_of(file), options)
    sets: dict[Shapes, PieceSet] = {}
    taken: list[TriedAssembly] = []
    searched, why = 0, None
    results = results_of(file.title, _identity(result.family), options.file)
    try:
        for choices, found in _searched(result.family, limits, heeding):
            more = _sets_of(found, sets)
            if options.apart:
                answers = list(_taken(result, results, found, more, jobs, limits, progress))
                taken += answers
                more = _with_levels(result, more, answers)
            sets |= more
            searched += choices
            heeding.of("searching")({"sets": len(sets), Progress.SHARE: 10**6 * searched // result.family.choices})
    except EndedError as ended:
        why = f"{ended.words}; {searched:,} of {result.family.choices:,} choices searched"
    finally:
        results.close()
    result = replace(result, sets=sets, taken=tuple(taken), searched=searched, why=why, seconds=clock.seconds)
    yield result
    if why is None:
        try:
            for number, piece_set in enumerate(result.shown, start=1):
                heeding.of("confirming")({"sets": number - 1})
                _confirm(result, piece_set, limits)
                result = replace(result, confirmed=number, seconds=clock.seconds)
        except EndedError as ended:
            result = replace(result, why=ended.words, seconds=clock.seconds)
        yield result


def _searched(family: Family, limits: Limits, progress: Progress) -> Iterator[tuple[int, Assigned]]:
    """Yield the number of some choices of the shapes, and all their assemblies; together they are all choices."""
    waiting = [family]
    while waiting:
        now = waiting.pop()
        piece = max(now.pieces, key=lambda piece: len(piece.shapes))
        single = len(piece.shapes) == 1
        assemblies = assigned(now, None if single else MAX_LISTED, limits, progress)
        if assemblies is None:
            waiting += [now.with_shape(piece, shape) for shape in reversed(piece.shapes)]
        else:
            yield now.choices, assemblies


def _sets_of(found: Assigned, known: Mapping[Shapes, PieceSet]) -> dict[Shapes, PieceSet]:
    """Return the sets of pieces that are new in ``found``. Several searches may find a set, each with all its assemblies."""
    different, first, number = np.unique(found.shapes, axis=0, return_index=True, return_inverse=True)
    number = number.reshape(-1)
    assemblies, every = np.bincount(number, minlength=len(first)), np.bincount(number, found.copies, minlength=len(first))
    letters = letters_of(found.owners[first])
    each = zip(map(tuple, different.tolist()), letters, assemblies.tolist(), every.astype(np.int64).tolist(), strict=True)
    new = {entry[0]: PieceSet(*entry) for entry in each if entry[0] not in known}
    if len(known) + len(new) > MAX_SETS:
        raise EndedError("limit reached", f"listing more than {MAX_SETS:,} sets of pieces")
    return new


def _taken(
    known: DesignedSets,
    results: Results[str],
    found: Assigned,
    sets: Mapping[Shapes, PieceSet],
    jobs: int,
    limits: Limits,
    progress: Progress,
) -> Iterator[TriedAssembly]:
    """Yield the result of taking apart each assembly of ``sets``. Raises EndedError at a limit."""
    shapes = list(map(tuple, found.shapes.tolist()))
    here, letters = [i for i, one in enumerate(shapes) if one in sets], letters_of(found.owners)

    def answers_of(left: list[int]) -> Iterator[tuple[int, Disassembly]]:
        return taken_apart(known.family.grid, known.family.form, found.owners[[here[n] for n in left]], jobs, limits, progress)

    for one in tried(results, [(letters[i], known.names(shapes[i])) for i in here], answers_of, progress):
        if one is None:
            raise EndedError(limits.over() or "limit reached", "taking apart")
        yield one


def _with_levels(known: DesignedSets, sets: Mapping[Shapes, PieceSet], taken: Sequence[TriedAssembly]) -> dict[Shapes, PieceSet]:
    """Return the sets with the results for their assemblies."""
    by_pieces: dict[tuple[str, ...], list[TriedAssembly]] = {}
    for assembly in taken:
        if assembly.level is not None:
            by_pieces.setdefault(assembly.pieces, []).append(assembly)
    return {
        shapes: replace(assembly, apart=len(own), best=(best := max(own, key=lambda assembly: assembly.rank)), cells=best.cubes)
        if (own := by_pieces.get(tuple(known.names(shapes))))
        else assembly
        for shapes, assembly in sets.items()
    }


def _confirm(known: DesignedSets, piece_set: PieceSet, limits: Limits) -> None:
    """Count the assemblies of a set as solutions of a puzzle, by a solver that shares no search code with the listing, and compare."""
    family = known.family
    turns = tuple(i for i, motion in enumerate(family.grid.motions) if family.flips or not motion.mirror)
    tiles = [
        Tile(name := family.names[shape], family.bodies[shape], (), copies, copies, turns, (name,), ((copies, copies),))
        for shape, copies in Counter(piece_set.shapes).items()
    ]
    problem = build_instance(Puzzle(family.grid, tuple(tiles), family.form)).problem
    outcome = solver(PIECES_JUDGE)(problem.without_implied())(None, limits)
    if not outcome.complete:
        raise EndedError(outcome.status, "confirming")
    if outcome.found != piece_set.all:
        pieces = " ".join(known.names(piece_set.shapes))
        raise ContradictionError(f"two ways of counting the assemblies of {pieces} find {piece_set.all:,} and {outcome.found:,}")


def _identity(family: Family) -> list[Any]:
    """Return data that identifies the form and the pieces."""
    pieces = [(piece.name, piece.fixed, piece.free, piece.copies) for piece in family.pieces]
    return [family.grid.name, family.grid.gram, family.form.required, family.form.optional, family.holes, family.flips, pieces]


def designed(
    design: DesignFile | PiecesFile | Instance, options: DesignOptions, jobs: int, limits: Limits, *, progress: Progress = SILENT
) -> Iterator[Designed | DesignedSets | Carved]:
    """Yield the growing results for rods, for pieces with free cells, or for pieces carved from a puzzle."""
    if isinstance(design, Instance):
        return carved(design, options, limits, progress=progress)
    if isinstance(design, PiecesFile):
        return designed_sets(design, options, jobs, limits, progress=progress)
    return designed_rods(design, options, jobs, limits, progress=progress)


def design_facts(path: Path) -> str:
    """Return a sentence on the content of the file of a design. Raises PuzzleError with every problem found."""
    design = design_given(path)
    if isinstance(design, PiecesFile):
        family = family_of(design)
        return f"design of {many(family.number, 'piece')}; {many(family.choices, 'choice')} of their shapes"
    burr = burr_of(design)
    return f"design of {many(len(burr.rods), 'rod')}; {many(len(burr.names), 'piece')} can be cut"
