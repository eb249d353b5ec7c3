"""Lay every orientation of every tile at every place of the form. Arrays hold all placements at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, permutations

import numpy as np

from puzzlesat.arrays import Flags, Ints, Longs
from puzzlesat.errors import PuzzleError
from puzzlesat.grid.lattice import AtomId, translate
from puzzlesat.progress import SILENT, Progress
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.puzzle.looks import RowCodes, sorted_looks
from puzzlesat.puzzle.marking import Marking, make_marking
from puzzlesat.puzzle.numbering import glided
from puzzlesat.puzzle.placements import Lists, Orientation, Placements, orientations
from puzzlesat.rows import joined_rows

FRONT_MEMORY = 8 << 30
"""Default limit, in bytes, for the placements of a puzzle and everything made from them."""
FAR = 1 << 30
MOST_TOGETHER = 1_000_000
"""The most atoms that are laid at once."""
BYTES_AN_ENTRY = 100
"""What an atom, a mark or the tile of a placement takes, at the worst moment from laying it to the cover problem, as measured."""


@dataclass(frozen=True, eq=False)
class _Laid:
    """Placements of a tile: a row of each array for each."""

    orientation: Ints
    cell: Ints
    atoms: Ints
    """Array (placements, width), padded with -1."""
    marks: Ints

    def __len__(self) -> int:
        return len(self.cell)

    def those(self, kept: Flags | Longs) -> _Laid:
        """Return some of them."""
        return _Laid(self.orientation[kept], self.cell[kept], self.atoms[kept], self.marks[kept])


def all_placements(puzzle: Puzzle, *, progress: Progress = SILENT, memory: int | None = None) -> Placements:
    """Return every placement that lies inside the form and meets the border's mark.

    The order is by tile, orientation and first cell. Tiles fixed in place keep all their placements here: fixing is
    a matter of the cover problem. Where the form wraps around, placements that cover and show the same are one, named by the first.
    Raises PuzzleError where they would take more than ``memory`` bytes (default: ``FRONT_MEMORY``).
    """
    ground = _Ground(puzzle, make_marking(puzzle))
    tell = progress.of("placements")
    budget = FRONT_MEMORY if memory is None else memory
    tiles: list[_Laid] = []
    laid = needed = 0
    for number, tile in enumerate(puzzle.tiles):
        parts = []
        turned = orientations(puzzle.grid, tile)
        for part in ground.listed(turned) if tile.listed else chain.from_iterable(map(ground.lay, ground.together(turned))):
            laid += len(part)
            needed += len(part) * (part.atoms.shape[1] + part.marks.shape[1] + 1) * BYTES_AN_ENTRY
            tell({"placements": laid, "tiles": number})
            parts.append(part if needed <= budget else part.those(np.empty(0, dtype=np.int64)))  # what is needed is counted to the end
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
    """The placements of several orientations in one; a placement that has fewer atoms than another is padded."""
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
    """The rows of several arrays as lists, without their padding."""
    lengths = np.concatenate([np.empty(0, dtype=np.int64), *((r >= 0).sum(axis=1) for r in rows)])
    return Lists(np.concatenate([[0], np.cumsum(lengths)]), np.concatenate([np.empty(0, dtype=np.int32), *(r[r >= 0] for r in rows)]))


@dataclass(frozen=True, eq=False)
class _Ground:
    """The form on which orientations are laid."""

    puzzle: Puzzle
    marking: Marking

    @cached_property
    def starts(self) -> Longs:
        """Where the first atom of an orientation may lie: on the form, and on its mirrored copy beyond a mirrored seam."""
        places, wrap = self.puzzle.form.numbering.places, self.puzzle.form.wrap
        return places if wrap is None or wrap.glide is None else np.concatenate([places, glided(wrap.glide, places)])

    @cached_property
    def kind(self) -> type[np.signedinteger]:
        """The numbers that hold the cells: small ones, unless the file says that its form lies so far away."""
        return np.int32 if np.abs(self.starts).max() < FAR else np.int64

    @cached_property
    def box(self) -> tuple[Longs, Longs]:
        """The smallest and the largest coordinates of the form."""
        cells = self.puzzle.form.numbering.places[:, :-1]
        return cells.min(axis=0), cells.max(axis=0)

    def together(self, turned: Sequence[Orientation]) -> Iterator[Sequence[Orientation]]:
        """Yield some orientations of a tile after the other, as many as can be laid at once."""
        step = max(1, MOST_TOGETHER // (len(self.starts) * len(turned[0].atoms))) if turned else 1
        return (turned[i : i + step] for i in range(0, len(turned), step))

    def lay(self, turned: Sequence[Orientation]) -> Iterator[_Laid]:
        """Yield the placements of some orientations of a tile, some after the other, each in the order of their first atoms."""
        bodies = np.array([o.atoms for o in turned], dtype=np.int64)
        moves = self.starts[:, :-1] - bodies[:, :1, :-1]
        possible = self.starts[:, -1] == bodies[:, :1, -1]
        if self.puzzle.form.wrap is None:  # most moves of a large tile take it out of the box round the form
            low, high = self.box
            reach = bodies[:, None, :, :-1]
            possible &= ((moves + reach.min(axis=2) >= low) & (moves + reach.max(axis=2) <= high)).all(axis=-1)
        which, start = np.nonzero(possible)
        moves = moves[which, start]
        step = max(1, MOST_TOGETHER // bodies.shape[1])
        for first in range(0, len(which), step):
            yield self._lay(turned, bodies, which[first : first + step], moves[first : first + step])

    def _lay(self, turned: Sequence[Orientation], bodies: Longs, which: Longs, moves: Longs) -> _Laid:
        """The placements of orientations, ``which`` of them, after moves."""
        atoms, fit = self._covered(_moved(bodies[which], moves))
        which, moves, atoms = which[fit], moves[fit], atoms[fit]
        marks, fit = self._marks(turned, which, moves)
        which, moves, atoms, marks = which[fit], moves[fit], atoms[fit], marks[fit]
        first = np.array([self._first(o)[:-1] for o in turned], dtype=np.int64)
        number = np.array([o.number for o in turned], dtype=np.int32)
        return _Laid(number[which], (moves + first[which]).astype(self.kind), atoms, marks)

    def listed(self, placements: Sequence[Orientation]) -> Iterator[_Laid]:
        """Yield placements that the file lists, each as it stands there."""
        for one in placements:
            atoms = self.puzzle.form.numbering.of(np.array([one.atoms], dtype=np.int64))
            cell = np.array([self._first(one)[:-1]], dtype=self.kind)
            yield _Laid(np.array([one.number], dtype=np.int32), cell, atoms, np.empty((1, 0), dtype=np.int32))

    def _first(self, orientation: Orientation) -> AtomId:
        """The atom whose cell names the placements."""
        grid = self.puzzle.grid
        return next((a for a in orientation.atoms if grid.atoms[a[-1]].kind == grid.main_kind), orientation.atoms[0])

    def _covered(self, lying: Longs) -> tuple[Ints, Flags]:
        """The atoms of the form at each row of places; and which rows lie inside, and not on themselves across a seam."""
        form, grid = self.puzzle.form, self.puzzle.grid
        if form.wrap is None:
            atoms = form.numbering.of(lying)
            return atoms, np.asarray((atoms >= 0).all(axis=1))
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
        """The crossings that tiles with these atoms cover (padded with -1), and which tiles cover none outside the form.

        Only on the form is known which ends of edges come together at a point: more than in the tile, where it closes to a ring or
        meets itself.
        """
        here = np.zeros((len(atoms), len(self.puzzle.form.atoms) + 1), dtype=np.bool_)
        here[np.arange(len(atoms))[:, None], atoms] = True
        here[:, -1] = False  # the padding, and what lies outside
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
        """For each place to go straight through, the atoms of a tile that does, and those that it covers besides; -1 outside."""
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
        """The codes of the marks of each placement, and which placements may show theirs where they lie."""
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
        """Which placements may meet themselves across a seam: the marks of a tile that is its own neighbour must be mates."""
        names = self.marking.names
        number = self.marking.number
        mate = np.array([number.get(self.puzzle.mates.get(n) or "", -1) for n in names])
        fit = np.ones(len(side), dtype=np.bool_)
        for i, j in permutations(range(side.shape[1]), 2):
            fit &= (side[:, i] < 0) | (side[:, i] != side[:, j]) | (mate[name[:, i]] == name[:, j])
        return fit

    def different(self, laid: _Laid) -> _Laid:
        """Return the first of those that cover and show the same, where the form wraps around; elsewhere all are different."""
        if self.puzzle.form.wrap is None or not len(laid):
            return laid
        rows = sorted_looks(laid.atoms, laid.marks, len(self.puzzle.form.atoms))
        codes = RowCodes.of(rows, len(self.puzzle.form.atoms) + self.marking.size + 1)(rows)
        return laid.those(np.sort(np.unique(codes, return_index=True)[1]))


def _moved(places: Longs, moves: Longs) -> Longs:
    """Move each row of an array (moves, some, dimension + 1) of places."""
    moved: Longs = places.copy()
    moved[..., :-1] += moves[:, None]
    return moved
