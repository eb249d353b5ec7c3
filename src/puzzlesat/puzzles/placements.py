"""Lay every orientation of every tile at every place of the form, as arrays of all placements. Find placements by name.

For deduplication, rows of numbers get exact codes, not hashes: a collision of two placements would be a wrong count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, permutations
from typing import overload

import numpy as np

from puzzlesat.base import SILENT, Flags, Ints, Limits, Longs, Progress, PuzzleError, joined_rows, listed, many
from puzzlesat.puzzles.contacts import Marking, make_marking
from puzzlesat.puzzles.grid import AtomId, Cell, Grid, translate
from puzzlesat.puzzles.problem import MadeNames
from puzzlesat.puzzles.puzzle import Mark, Puzzle, Tile
from puzzlesat.puzzles.tiles import bodies
from puzzlesat.puzzles.wrap import glided

MAX_ADDED = 50_000
"""Number of lists whose sums are computed at once."""


@dataclass(frozen=True)
class Orientation:
    """A turned or mirrored tile, moved so that its smallest coordinates are 0; or a listed placement at its place."""

    number: int
    """1 + the index of the first symmetry of the grid that yields it (Logelium's numbering); or the number in the list."""
    atoms: tuple[AtomId, ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Placement:
    """An orientation of a tile at a place."""

    tile: int
    orientation: int
    cell: Cell
    """The first cell: lowest row (and layer), leftmost in it."""
    name: str
    atoms: tuple[AtomId, ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists of numbers with different lengths in one array: list i is ``numbers[start[i]:start[i + 1]]``."""

    start: Longs
    numbers: Ints

    def __getitem__(self, i: int) -> Ints:
        return self.numbers[self.start[i] : self.start[i + 1]]

    @property
    def lengths(self) -> Longs:
        """The length of each list."""
        lengths: Longs = np.diff(self.start)
        return lengths

    @property
    def owners(self) -> Ints:
        """The list of each number."""
        return np.repeat(np.arange(len(self.start) - 1, dtype=np.int32), self.lengths)

    def rows(self, chosen: Longs, width: int) -> Ints:
        """Return chosen lists, none longer than ``width``, as the rows of an array padded with -1."""
        place = self.start[chosen][:, None] + np.arange(width)
        inside = place < self.start[chosen + 1][:, None]
        if inside.all():
            return np.asarray(self.numbers[place])
        rows = np.full((len(chosen), width), -1, dtype=np.int32)
        rows[inside] = self.numbers[place[inside]]
        return rows

    def those(self, kept: Flags) -> Lists:
        """Return the lists with a flag, in the same order."""
        return Lists(np.concatenate([[0], np.cumsum(self.lengths[kept])]), self.numbers[np.repeat(kept, self.lengths)])

    def sums(self, weights: Longs) -> Longs:
        """Return the sum of the weights of the numbers of each list."""
        sums: Longs = np.empty(len(self.start) - 1, dtype=np.int64)
        for first in range(0, len(sums), MAX_ADDED):
            start = self.start[first : first + MAX_ADDED + 1]
            running = np.concatenate([[0], np.cumsum(weights[self.numbers[start[0] : start[-1]]])])
            sums[first : first + MAX_ADDED] = np.diff(running[start - start[0]])
        return sums


@dataclass(frozen=True, eq=False)
class Placements(Sequence[Placement]):
    """The placements of a puzzle as arrays, with an entry for each placement. Indexing makes a ``Placement``."""

    puzzle: Puzzle
    tile: Ints
    orientation: Ints
    cell: Ints
    """Array (placements, dimension): the first cells."""
    atoms: Lists
    """The covered atoms, by their numbers in the order of the form (``form.numbering``)."""
    marks: Lists
    """The marks and colours, by their codes in ``marking``."""
    marking: Marking

    def __len__(self) -> int:
        return len(self.tile)

    @overload
    def __getitem__(self, index: int) -> Placement: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Placement]: ...
    def __getitem__(self, index: int | slice) -> Placement | Sequence[Placement]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        atoms = self.puzzle.form.numbering.atoms
        return Placement(
            tile=int(self.tile[i]),
            orientation=int(self.orientation[i]),
            cell=tuple(self.cell[i].tolist()),
            name=self.names[i],
            atoms=tuple(atoms[a] for a in self.atoms[i].tolist()),
            marks=tuple(self.marking.mark(code) for code in self.marks[i].tolist()),
        )

    def those(self, kept: Flags) -> Placements:
        """Return the placements with a flag, in the same order."""
        tile, orientation, cell = (array[kept] for array in (self.tile, self.orientation, self.cell))
        return Placements(self.puzzle, tile, orientation, cell, self.atoms.those(kept), self.marks.those(kept), self.marking)

    @cached_property
    def names(self) -> Names:
        """The name of each placement."""
        return Names([t.name for t in self.puzzle.tiles], self.tile, self.orientation, self.cell)


@dataclass(frozen=True, eq=False)
class Names(MadeNames):
    """The names of placements, such as ``Q.1@3.1``. Indexing makes a name."""

    tiles: Sequence[str]
    tile: Ints
    orientation: Ints
    cell: Ints

    def __len__(self) -> int:
        return len(self.tile)

    def make(self, number: int) -> str:
        """Return a name."""
        return f"{self.tiles[self.tile[number]]}.{self.orientation[number]}@{'.'.join(map(str, self.cell[number].tolist()))}"

    def __iter__(self) -> Iterator[str]:
        tiles = (self.tiles[t] for t in self.tile.tolist())
        cells = [".".join(map(str, cell)) for cell in self.cell.tolist()]
        return (f"{t}.{o}@{c}" for t, o, c in zip(tiles, self.orientation.tolist(), cells, strict=True))


def orientations(grid: Grid, tile: Tile) -> list[Orientation]:
    """Return the different orientations of a tile in the order of the symmetries that yield them.

    Listed placements are orientations, numbered as in the list.
    """
    if tile.listed:
        return [Orientation(number, atoms, ()) for number, atoms in enumerate(tile.listed, start=1)]
    return [Orientation(index + 1, *body) for body, index in bodies(grid, tile).items()]


LARGEST_CODE = 1 << 62


def sorted_looks(atoms: Ints, marks: Ints, count: int) -> Ints:
    """Return sorted rows of numbers for the atoms and marks of placements, given as arrays (placements, width) padded with -1.

    An atom becomes ``1 +`` its number, a mark ``count + 1 +`` its code, where ``count`` is the number of atoms; padding becomes 0.
    """
    rows = atoms + 1 if not marks.shape[1] else np.hstack([atoms + 1, np.where(marks < 0, 0, marks + (count + 1))])
    rows.sort(axis=1)
    return rows


@dataclass(frozen=True, eq=False)
class RowCodes:
    """Exact codes for rows. When a code gets too large, the codes that occur so far are numbered, and the number begins the next code."""

    base: int
    """A number greater than any entry of a row."""
    steps: tuple[tuple[int, Longs], ...]
    """The first column of the next step, and the sorted codes of the columns before it."""

    @classmethod
    def of(cls, rows: Ints, base: int) -> RowCodes:
        """Return codes for the rows of an array (rows, width) of numbers below ``base``."""
        steps: list[tuple[int, Longs]] = []
        code, size = np.zeros(len(rows), dtype=np.int64), 1
        for column in range(rows.shape[1]):
            if size * base > LARGEST_CODE:
                known, code = np.unique(code, return_inverse=True)
                steps.append((column, known))
                size = len(known)
            code = code * base + rows[:, column]
            size *= base
        return cls(base, tuple(steps))

    def __call__(self, rows: Ints) -> Longs:
        """Return the code of each row. It equals the code of a row of ``of`` only if the rows are equal."""
        code = np.zeros(len(rows), dtype=np.int64)
        strange = np.zeros(len(rows), dtype=np.bool_)
        first = 0
        for behind, known in (*self.steps, (rows.shape[1], None)):
            for column in range(first, behind):
                code = code * self.base + rows[:, column]
            if known is not None and len(known):
                place = np.minimum(np.searchsorted(known, code), len(known) - 1)
                strange |= known[place] != code
                code, first = place, behind
        return np.where(strange, -1, code)


FRONT_MEMORY = 8 << 30
"""Default limit, in bytes, for the placements of a puzzle and everything made from them."""
FAR = 1 << 30
"""Cells with a coordinate of this size or more are stored in 64 bits, others in 32 bits."""
MAX_TOGETHER = 1_000_000
"""Most atoms that are laid at once."""
BYTES_AN_ENTRY = 100
"""Measured peak memory, in bytes, of an atom, a mark or the tile of a placement, from laying it to the cover problem."""


@dataclass(frozen=True, eq=False)
class _Laid:
    """Placements of a tile: each array has a row for each placement."""

    orientation: Ints
    cell: Ints
    atoms: Ints
    """Array (placements, width), padded with -1."""
    marks: Ints

    def __len__(self) -> int:
        return len(self.cell)

    def those(self, kept: Flags | Longs) -> _Laid:
        """Return chosen placements."""
        return _Laid(self.orientation[kept], self.cell[kept], self.atoms[kept], self.marks[kept])


def front_memory(limits: Limits | None) -> int:
    """Return the limit, in bytes, of the placements of a puzzle, and of its symmetries."""
    return FRONT_MEMORY if limits is None or limits.memory is None else limits.memory


def all_placements(puzzle: Puzzle, *, progress: Progress = SILENT, limits: Limits | None = None) -> Placements:
    """Return every placement that lies in the form and whose marks fit the border.

    The order is by tile, orientation and first cell. Fixed tiles keep all their placements; the cover problem fixes them. If the form wraps
    around, placements with the same atoms and marks are one, named by the first. Raises PuzzleError if the placements would take more than
    memory limit (see ``front_memory``).
    """
    ground = _Ground(puzzle, make_marking(puzzle))
    tell = progress.of("placements")
    budget = front_memory(limits)
    tiles: list[_Laid] = []
    laid = needed = 0
    for number, tile in enumerate(puzzle.tiles):
        parts = []
        turned = orientations(puzzle.grid, tile)
        for part in ground.listed(turned) if tile.listed else chain.from_iterable(map(ground.lay, ground.together(turned))):
            laid += len(part)
            needed += len(part) * (part.atoms.shape[1] + part.marks.shape[1] + 1) * BYTES_AN_ENTRY
            tell({"placements": laid, "tiles": number})
            parts.append(part if needed <= budget else part.those(np.empty(0, dtype=np.int64)))  # only count the rest, for the message
        tiles.append(ground.different(_joined(parts, puzzle.grid.dimension)))
    if needed > budget:
        raise too_much(f"its {laid:,} placements", needed, budget, "a smaller form, or fewer tiles")
    empty = _joined([], puzzle.grid.dimension)
    return Placements(
        puzzle,
        np.repeat(np.arange(len(tiles), dtype=np.int32), [len(t) for t in tiles]),
        np.concatenate([empty.orientation, *(t.orientation for t in tiles)]),
        np.concatenate([empty.cell, *(t.cell for t in tiles)]),
        _lists([t.atoms for t in tiles]),
        _lists([t.marks for t in tiles]),
        ground.marking,
    )


def too_much(what: str, needed: int, budget: int, cure: str) -> PuzzleError:
    """Return the error for a step that would need too much memory."""
    figures = f"{needed / 2**30:.3g} GiB of memory, more than the {budget / 2**30:.3g} that may be taken"
    return PuzzleError(f"{what} need {figures}; use {cure}, or allow more")


def _joined(parts: Sequence[_Laid], dimension: int) -> _Laid:
    """Return several parts as one; placements with fewer atoms than others are padded."""
    if not parts:
        nothing = np.empty((0, 0), dtype=np.int32)
        return _Laid(np.empty(0, dtype=np.int32), np.empty((0, dimension), dtype=np.int32), nothing, nothing)
    return _Laid(
        np.concatenate([p.orientation for p in parts]),
        np.concatenate([p.cell for p in parts]),
        joined_rows([p.atoms for p in parts]),
        np.concatenate([p.marks for p in parts]),
    )


def _lists(rows: Sequence[Ints]) -> Lists:
    """Return the rows of several arrays as lists, without their padding."""
    lengths = np.concatenate([np.empty(0, dtype=np.int64), *((r >= 0).sum(axis=1) for r in rows)])
    return Lists(np.concatenate([[0], np.cumsum(lengths)]), np.concatenate([np.empty(0, dtype=np.int32), *(r[r >= 0] for r in rows)]))


@dataclass(frozen=True, eq=False)
class _Ground:
    """Lays orientations on the form of a puzzle."""

    puzzle: Puzzle
    marking: Marking

    @cached_property
    def starts(self) -> Longs:
        """The places of the first atom of an orientation: the form, and its mirrored copy beyond a mirrored seam."""
        places, wrap = self.puzzle.form.numbering.places, self.puzzle.form.wrap
        return places if wrap is None or wrap.glide is None else np.concatenate([places, glided(wrap.glide, places)])

    @cached_property
    def kind(self) -> type[np.signedinteger]:
        """The integer type of the cells: 32 bits unless the form is far from the origin."""
        return np.int32 if np.abs(self.starts).max() < FAR else np.int64

    @cached_property
    def box(self) -> tuple[Longs, Longs]:
        """The smallest and the largest coordinates of the form."""
        cells = self.puzzle.form.numbering.places[:, :-1]
        return cells.min(axis=0), cells.max(axis=0)

    def together(self, turned: Sequence[Orientation]) -> Iterator[Sequence[Orientation]]:
        """Yield the orientations of a tile in batches that can be laid at once."""
        step = max(1, MAX_TOGETHER // (len(self.starts) * len(turned[0].atoms))) if turned else 1
        return (turned[i : i + step] for i in range(0, len(turned), step))

    def lay(self, turned: Sequence[Orientation]) -> Iterator[_Laid]:
        """Yield the placements of orientations of a tile, orientation by orientation, in the order of their first atoms."""
        bodies = np.array([o.atoms for o in turned], dtype=np.int64)
        moves = self.starts[:, :-1] - bodies[:, :1, :-1]
        possible = self.starts[:, -1] == bodies[:, :1, -1]
        if self.puzzle.form.wrap is None:  # most moves of a large tile leave the bounding box of the form
            low, high = self.box
            reach = bodies[:, None, :, :-1]
            least, most = low - reach.min(axis=2), high - reach.max(axis=2)
            for axis in range(len(low)):
                possible &= (moves[..., axis] >= least[..., axis]) & (moves[..., axis] <= most[..., axis])
        which, start = np.nonzero(possible)
        moves = moves[which, start]
        step = max(1, MAX_TOGETHER // bodies.shape[1])
        for first in range(0, len(which), step):
            yield self._lay(turned, bodies, which[first : first + step], moves[first : first + step])

    def _lay(self, turned: Sequence[Orientation], bodies: Longs, which: Longs, moves: Longs) -> _Laid:
        """Return the placements of the orientations ``which``, each after a move."""
        atoms, fit = self._covered(bodies, which, moves)
        which, moves, atoms = which[fit], moves[fit], atoms[fit]
        marks, fit = self._marks(turned, which, moves)
        which, moves, atoms, marks = which[fit], moves[fit], atoms[fit], marks[fit]
        first = np.array([self._first(o)[:-1] for o in turned], dtype=np.int64)
        number = np.array([o.number for o in turned], dtype=np.int32)
        return _Laid(number[which], (moves + first[which]).astype(self.kind), atoms, marks)

    def listed(self, placements: Sequence[Orientation]) -> Iterator[_Laid]:
        """Yield listed placements."""
        for placement in placements:
            atoms = self.puzzle.form.numbering.of(np.array([placement.atoms], dtype=np.int64))
            cell = np.array([self._first(placement)[:-1]], dtype=self.kind)
            yield _Laid(np.array([placement.number], dtype=np.int32), cell, atoms, np.empty((1, 0), dtype=np.int32))

    def _first(self, orientation: Orientation) -> AtomId:
        """Return the atom whose cell names the placements."""
        grid = self.puzzle.grid
        return next((a for a in orientation.atoms if grid.atoms[a[-1]].kind == grid.main_kind), orientation.atoms[0])

    def _covered(self, bodies: Longs, which: Longs, moves: Longs) -> tuple[Ints, Flags]:
        """Return the atoms of the form at each moved body, and which of them are in the form without overlapping themselves at a seam."""
        form, grid = self.puzzle.form, self.puzzle.grid
        if form.wrap is None:
            atoms = form.numbering.moved(bodies, which, moves)
            fit = atoms[:, 0] >= 0
            for column in atoms.T[1:]:
                fit &= column >= 0
            return atoms, fit
        lying = _moved(bodies[which], moves)
        if grid.crossings:
            own = np.array([atom.kind not in grid.crossing_kinds for atom in grid.atoms])[lying[..., -1]]
            lying = lying[own].reshape(len(lying), -1, lying.shape[-1])
        atoms = form.numbering.of(lying)
        ordered = np.sort(atoms, axis=1)
        fit = (atoms >= 0).all(axis=1) & (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
        if self.puzzle.may_cross or not grid.crossings:
            return atoms, fit
        beyond, inside = self._crossed(np.where(fit[:, None], atoms, -1))
        return np.hstack([atoms, beyond]), fit & inside

    def _crossed(self, atoms: Ints) -> tuple[Ints, Flags]:
        """Return the crossings that tiles with these atoms also cover (padded with -1), and which tiles cover none outside the form.

        The crossings depend on the form: a tile that closes to a ring or meets itself has more of them than the tile in the plane.
        """
        here = np.zeros((len(atoms), len(self.puzzle.form.atoms) + 1), dtype=np.bool_)
        here[np.arange(len(atoms))[:, None], atoms] = True
        here[:, -1] = False  # the column of padding and of places outside the form
        crossed = np.zeros_like(here)
        for through, blocks in self._crossings:
            crossed[np.ix_(here[:, through].all(axis=1), blocks)] = True
        inside = ~crossed[:, -1]
        crossed[:, -1] = False
        crossed &= ~here
        found = np.full((len(atoms), int(crossed.sum(axis=1).max(initial=0))), -1, dtype=np.int32)
        row, atom = np.nonzero(crossed)
        found[row, np.arange(len(row)) - np.searchsorted(row, row)] = atom
        return found, inside

    @cached_property
    def _crossings(self) -> list[tuple[Ints, Ints]]:
        """The crossings on the form: the atoms ``through``, and the atoms ``blocks``; -1 for an atom outside the form."""
        form = self.puzzle.form
        found = []
        for crossing in self.puzzle.grid.all_crossings:
            for atom in form.numbering.atoms:
                if atom[-1] == crossing.through[0][-1]:
                    through, blocks = (
                        form.numbering.of(np.array([translate(a, atom[:-1]) for a in some], dtype=np.int64))
                        for some in (crossing.through, crossing.blocks)
                    )
                    found.append((through, blocks))
        return found

    def _marks(self, turned: Sequence[Orientation], which: Longs, moves: Longs) -> tuple[Ints, Flags]:
        """Return the codes of the marks of each placement, and which placements have marks that fit the form and its border."""
        marking, puzzle = self.marking, self.puzzle
        if not turned[0].marks:
            return np.empty((len(moves), 0), dtype=np.int32), np.ones(len(moves), dtype=np.bool_)
        name = np.array([[marking.number[m.name] for m in o.marks] for o in turned])[which]
        colour = np.array([[m.is_colour for m in o.marks] for o in turned])[which]
        index = np.array([[0 if m.is_colour else marking.spots.index(m.side, m.face) for m in o.marks] for o in turned])[which]
        places = _moved(np.array([[m.side for m in o.marks] for o in turned], dtype=np.int64)[which], moves)
        spot = np.empty(name.shape, dtype=np.int32)
        spot[colour] = marking.spots.size + (atom := puzzle.form.numbering.of(places[colour]))
        spot[~colour] = marking.spots.of(places[~colour], index[~colour]) if not colour.all() else 0
        fit = np.ones(name.shape, dtype=np.bool_)
        fit[colour] = marking.fits[atom, name[colour]]
        if puzzle.border is not None and not colour.all():
            goes = np.array([puzzle.mates.get(n) == puzzle.border for n in marking.names])
            fit[~colour] = marking.inner[spot[~colour]] | goes[name[~colour]]
        may = fit.all(axis=1)
        if puzzle.form.wrap is not None:
            may &= self._meet_themselves(np.where(colour, -1, spot // marking.spots.most), name)
        codes: Ints = spot * np.int32(len(marking.names)) + name.astype(np.int32)
        return codes, np.asarray(may)

    def _meet_themselves(self, side: Ints, name: Longs) -> Flags:
        """Return which placements fit themselves across a seam: the marks of a tile that is its own neighbour must be mates."""
        names = self.marking.names
        number = self.marking.number
        mate = np.array([number.get(self.puzzle.mates.get(n) or "", -1) for n in names])
        fit = np.ones(len(side), dtype=np.bool_)
        for i, j in permutations(range(side.shape[1]), 2):
            fit &= (side[:, i] < 0) | (side[:, i] != side[:, j]) | (mate[name[:, i]] == name[:, j])
        return fit

    def different(self, laid: _Laid) -> _Laid:
        """Return the first of the placements with the same atoms and marks, if the form wraps around; otherwise all are different."""
        if self.puzzle.form.wrap is None or not len(laid):
            return laid
        rows = sorted_looks(laid.atoms, laid.marks, len(self.puzzle.form.atoms))
        codes = RowCodes.of(rows, len(self.puzzle.form.atoms) + self.marking.size + 1)(rows)
        return laid.those(np.sort(np.unique(codes, return_index=True)[1]))


def _moved(places: Longs, moves: Longs) -> Longs:
    """Return an array (moves, some, dimension + 1) of places, with each row moved."""
    moved: Longs = places.copy()
    moved[..., :-1] += moves[:, None]
    return moved


def fixed_placements(puzzle: Puzzle, placements: Placements) -> list[int]:
    """Return the numbers of the placements that the form fixes. Raises PuzzleError with the problems of ``wrong_fixed``."""
    if wrong := wrong_fixed(puzzle, placements):
        raise PuzzleError(*wrong)
    return numbers_of(puzzle.fixed, placements)


def numbers_of(names: Sequence[str], placements: Placements) -> list[int]:
    """Return the numbers of placements by their names, which must exist."""
    number = {name: i for i, name in enumerate(placements.names)} if names else {}
    return [number[name] for name in names]


def wrong_names(key: str, names: Sequence[str], placements: Placements, puzzle: Puzzle) -> list[str]:
    """Return a sentence for each name under a key of a file that is not the name of a placement, or is listed twice."""
    named = dict.fromkeys(placements.names) if names else {}
    wrong = []
    for name in dict.fromkeys(names):
        if name not in named:
            wrong.append(f"{key}: {name!r} is not a placement of this puzzle{like_placement(name, named, puzzle)}")
        elif names.count(name) > 1:
            wrong.append(f"{key}: {name!r} is listed twice; remove one")
    return wrong


def wrong_fixed(puzzle: Puzzle, placements: Placements) -> list[str]:
    """Return a sentence for each placement in ``form.fixed`` that does not exist or cannot be used."""
    wrong = wrong_names("form.fixed", puzzle.fixed, placements, puzzle)
    if not puzzle.fixed:
        return []
    number = {name: i for i, name in enumerate(placements.names)}
    known = [placements[number[name]] for name in dict.fromkeys(puzzle.fixed) if name in number]
    for one, other in combinations(known, 2):
        if not set(one.atoms).isdisjoint(other.atoms):
            wrong.append(f"form.fixed: {one.name!r} and {other.name!r} overlap; remove one")
    for tile, used in Counter(p.tile for p in known).items():
        high = puzzle.tiles[tile].high
        if high is not None and used > high:
            name = puzzle.tiles[tile].name
            wrong.append(f"form.fixed: tile {name!r} is fixed {used} times, but it has no more than {many(high, 'copy', 'copies')}")
    return wrong


def like_placement(name: str, known: Collection[str], puzzle: Puzzle) -> str:
    """Return a cure for an unknown name of a placement: the nearest names of its tile or of an identical tile, or the format of names."""
    if not known:
        return ""
    same = [n for n in known if n.split(".")[0] == name.split(".")[0]]
    if same:
        near = _nearest(name, same, puzzle.grid)
        return f"; did you mean {' or '.join(map(repr, near))}?" if near else f"; its placements are {listed(same, 3)}"
    tile, rest = name.split(".")[0], name[len(name.split(".")[0]) :]
    if twin := next((t.name for t in puzzle.tiles if tile in t.members), None):
        cure = f"write {twin}{rest}" if f"{twin}{rest}" in known else f"write {twin} instead"
        return f"; {tile} is identical to {twin}: {cure}"
    tiles = dict.fromkeys(n.split(".")[0] for n in known)
    if other := [t for t in tiles if t.lower() == tile.lower()]:
        return like_placement(f"{other[0]}{rest}", known, puzzle)
    return f"; a placement is written TILE.ORIENTATION@CELL, such as {next(iter(known))!r}; the tiles are {listed(tiles, 20)}"


def _nearest(name: str, known: Collection[str], grid: Grid) -> list[str]:
    """Return the nearest placement in the named orientation, and the nearest placement in another one."""
    wanted = _read_name(name, grid)
    if wanted is None:
        return []

    def away(other: str) -> Fraction:
        cell = (_read_name(other, grid) or wanted)[1]
        step = [a - b for a, b in zip(cell, wanted[1], strict=True)]
        return sum((a * b * g for a, row in zip(step, grid.gram, strict=True) for b, g in zip(step, row, strict=True)), Fraction(0))

    alike = {n for n in known if (_read_name(n, grid) or wanted)[0] == wanted[0]}
    return [min(group, key=away) for group in ([n for n in known if n in alike], [n for n in known if n not in alike]) if group]


def _read_name(name: str, grid: Grid) -> tuple[int, Cell] | None:
    """Return the orientation and the first cell of a name such as ``Q.1@3.1``; None for other names."""
    match = re.fullmatch(r"[^.@\s]+\.(\d{1,9})@(-?\d{1,9}(?:\.-?\d{1,9})*)", name)
    cell = () if match is None else tuple(map(int, match[2].split(".")))
    return None if match is None or len(cell) != grid.dimension else (int(match[1]), cell)
