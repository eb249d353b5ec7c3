"""The marks and colours that placements may show, by codes: what lies on which face of which side, or on which atom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from puzzlesat.arrays import Flags, Ints
from puzzlesat.grid.lattice import AtomId
from puzzlesat.puzzle.data import Mark, Puzzle
from puzzlesat.puzzle.numbering import Spots, number_spots


@dataclass(frozen=True, eq=False)
class Marking:
    """Where marks may lie, and their names: code ``spot * names + name``; behind the spots of the sides come the atoms of the form."""

    puzzle: Puzzle
    names: tuple[str, ...]
    spots: Spots

    @property
    def size(self) -> int:
        """How many codes there are."""
        return (self.spots.size + len(self.puzzle.form.atoms)) * max(len(self.names), 1)

    def mark(self, code: int) -> Mark:
        """Return the mark of a code."""
        spot, name = divmod(code, len(self.names))
        if spot >= self.spots.size:
            atom = self.puzzle.form.numbering.atoms[spot - self.spots.size]
            return Mark(atom, atom, self.names[name])
        return Mark(*self.spots.at(spot), self.names[name])

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each name."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def inner(self) -> Flags:
        """For each spot of a side, whether all faces at the side are atoms of the form."""
        form, grid = self.puzzle.form, self.puzzle.grid
        inner = [all(form.locate(f) is not None for f in grid.faces_at(side)) for side in self.spots.sides]
        return np.repeat(np.array(inner, dtype=np.bool_), self.spots.most)

    @cached_property
    def fits(self) -> Flags:
        """Array (atoms of the form, names): whether a colour may lie on an atom."""
        form = self.puzzle.form
        fits = np.ones((len(form.atoms), len(self.names)), dtype=np.bool_)
        for atom, below in form.colours.items():
            fits[form.numbering.number[atom]] = [name not in self.puzzle.fits or below in self.puzzle.fits[name] for name in self.names]
        return fits

    def moved(self, atoms: Ints, spots: Ints) -> Ints:
        """Return where each code goes, by the images of atoms and of spots; -1 where no mark lies."""
        spot = np.concatenate([spots, np.where(atoms < 0, -1, self.spots.size + atoms)])[:, None]
        names = len(self.names)
        return np.where(spot < 0, -1, spot * names + np.arange(names)).astype(np.int32).reshape(-1)


def make_marking(puzzle: Puzzle) -> Marking:
    """Return the codes of the marks and colours that tiles of a puzzle carry."""
    names = tuple(dict.fromkeys(m.name for tile in puzzle.tiles for m in tile.marks))
    return Marking(puzzle, names, number_spots(puzzle.grid, _sides(puzzle), puzzle.form.wrap))


def _sides(puzzle: Puzzle) -> list[AtomId]:
    """The sides of the form's faces on which marks may lie."""
    form, grid = puzzle.form, puzzle.grid
    if not any(not m.is_colour for tile in puzzle.tiles for m in tile.marks):
        return []
    if form.wrap is not None:
        return [side for side in form.wrap.sides.values() if grid.atoms[side[-1]].role == "mark"]
    faces = [a for a in form.atoms if grid.atoms[a[-1]].kind == grid.main_kind]
    return list({s for f in faces for s in grid.sides_of(f) if grid.atoms[s[-1]].role == "mark"})
