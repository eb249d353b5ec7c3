"""Lay every orientation of every tile at every place of the form, as arrays: no placement is looked at by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from puzzlesat.arrays import Flags, Ints, Longs
from puzzlesat.errors import PuzzleError
from puzzlesat.grid.lattice import AtomId, translate
from puzzlesat.progress import SILENT, Progress
from puzzlesat.puzzle.data import Mark, Puzzle
from puzzlesat.puzzle.looks import RowNumbers, sorted_looks
from puzzlesat.puzzle.marking import Marking, make_marking
from puzzlesat.puzzle.numbering import glided
from puzzlesat.puzzle.placements import Lists, Orientation, Placements, orientations
from puzzlesat.rows import joined_rows

FRONT_MEMORY = 8 << 30
"""Bytes that the placements of a puzzle, and what follows from them, may take where nobody says how many."""
BYTES_AN_ENTRY = 40
"""What an atom, a mark or the tile of a placement takes, from laying it to the cover problem, as measured."""


@dataclass(frozen=True, eq=False)
class _Laid:
    """Placements of a tile: a row of each array for each."""

    orientation: Ints
    cell: Longs
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
        for orientation in orientations(puzzle.grid, tile):
            part = ground.lay(orientation)
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
    """Return the error that says how much memory something would need."""
    figures = f"{needed / 2**30:.3g} GiB of memory, more than the {budget / 2**30:.3g} that may be taken"
    return PuzzleError(f"{what} need {figures}; take {cure}, or allow more")


def _joined(parts: Sequence[_Laid], dimension: int) -> _Laid:
    """The placements of several orientations in one; a placement that has fewer atoms than another is padded."""
    if not parts:
        nothing = np.empty((0, 0), dtype=np.int32)
        return _Laid(np.empty(0, dtype=np.int32), np.empty((0, dimension), dtype=np.int64), nothing, nothing)
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
    def box(self) -> tuple[Longs, Longs]:
        """The smallest and the largest coordinates of the form."""
        cells = self.puzzle.form.numbering.places[:, :-1]
        return cells.min(axis=0), cells.max(axis=0)

    def lay(self, orientation: Orientation) -> _Laid:
        """Return the placements of an orientation in the order of their first atoms."""
        first = orientation.atoms[0]
        starts = self.starts[self.starts[:, -1] == first[-1]]
        moves = starts[:, :-1] - np.array(first[:-1], dtype=np.int64)
        if self.puzzle.form.wrap is None:  # most moves of a large tile take it out of the box round the form
            low, high = self.box
            reach = np.array(orientation.atoms, dtype=np.int64)[:, :-1]
            moves = moves[((moves + reach.min(axis=0) >= low) & (moves + reach.max(axis=0) <= high)).all(axis=1)]
        atoms, fit = self._covered(_moved(orientation.atoms, moves))
        moves, atoms = moves[fit], atoms[fit]
        marks, fit = self._marks(orientation, moves)
        moves, atoms, marks = moves[fit], atoms[fit], marks[fit]
        grid = self.puzzle.grid
        main = next((a for a in orientation.atoms if grid.atoms[a[-1]].kind == grid.main_kind), first)
        return _Laid(np.full(len(moves), orientation.number, dtype=np.int32), moves + np.array(main[:-1], dtype=np.int64), atoms, marks)

    def _covered(self, lying: Longs) -> tuple[Ints, Flags]:
        """The atoms of the form at each row of places; and which rows lie inside, and not on themselves across a seam."""
        form, grid = self.puzzle.form, self.puzzle.grid
        if form.wrap is None:
            atoms = form.numbering.of(lying)
            return atoms, np.asarray((atoms >= 0).all(axis=1))
        own = [i for i, a in enumerate(lying[0, :, -1].tolist()) if grid.atoms[a].kind not in grid.crossing_kinds] if len(lying) else []
        atoms = form.numbering.of(lying[:, own])
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

    def _marks(self, orientation: Orientation, moves: Longs) -> tuple[Ints, Flags]:
        """The codes of the marks of each placement, and which placements may show theirs where they lie."""
        marking, puzzle = self.marking, self.puzzle
        names = len(marking.names)
        codes = np.empty((len(moves), len(orientation.marks)), dtype=np.int32)
        fit = np.ones(len(moves), dtype=np.bool_)
        for i, mark in enumerate(orientation.marks):
            name = marking.number[mark.name]
            if mark.is_colour:
                atom = puzzle.form.numbering.of(_moved([mark.face], moves))[:, 0]
                fit &= marking.fits[atom, name]
                spot = marking.spots.size + atom
            else:
                index = np.array(marking.spots.index(mark.side, mark.face))
                spot = marking.spots.of(_moved([mark.side], moves)[:, 0], index)
                if puzzle.border is not None and puzzle.mates[mark.name] != puzzle.border:
                    fit &= marking.inner[spot]
            codes[:, i] = spot * names + name
        if puzzle.form.wrap is not None:
            fit &= self._meet_themselves(orientation.marks, codes)
        return codes, fit

    def _meet_themselves(self, marks: Sequence[Mark], codes: Ints) -> Flags:
        """Which placements may meet themselves across a seam: the marks of a tile that is its own neighbour must be mates."""
        mates = self.puzzle.mates
        sides = codes // (len(self.marking.names) * self.marking.spots.most or 1)
        fit = np.ones(len(codes), dtype=np.bool_)
        for i, one in enumerate(marks):
            for j, other in enumerate(marks):
                if i != j and not one.is_colour and not other.is_colour and mates[one.name] != other.name:
                    fit &= sides[:, i] != sides[:, j]
        return fit

    def different(self, laid: _Laid) -> _Laid:
        """Return the first of those that cover and show the same, where the form wraps around; elsewhere all are different."""
        if self.puzzle.form.wrap is None or not len(laid):
            return laid
        rows = sorted_looks(laid.atoms, laid.marks, len(self.puzzle.form.atoms))
        numbers = RowNumbers.of(rows, len(self.puzzle.form.atoms) + self.marking.size + 1).number(rows)
        return laid.those(np.sort(np.unique(numbers, return_index=True)[1]))


def _moved(atoms: Sequence[AtomId], moves: Longs) -> Longs:
    """The array (moves, atoms, dimension + 1) of the places of some atoms after each move."""
    places = np.array(atoms, dtype=np.int64)
    lying = np.repeat(places[None], len(moves), axis=0)
    lying[..., :-1] += moves[:, None]
    return lying
