"""Places of a form by number: which atom of the form lies where, and which side of a face, for arrays of places.

A place is an atom of the infinite grid as a row of an array: its cell, then the number of the atom in the cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from math import prod

import numpy as np

from puzzlesat.arrays import Ints, Longs
from puzzlesat.grid.lattice import AtomId, Grid, Motion, Symmetry, atom_order, translate
from puzzlesat.puzzle.wrap import Wrap, remainders

MOST_IN_A_BOX = 4_000_000
"""Places in the box round all that are numbered, up to which there is a table of the box."""


@dataclass(frozen=True, eq=False)
class PlaceTable:
    """Finds places in a list: by a table of the box round them, or where that is large, by sorted codes."""

    places: Longs
    numbers: Ints
    low: Longs
    sides: Longs
    strides: Longs
    table: Ints
    """The number of each place of the box, -1 where there is none; or in sorted order, which place has which of the ``codes``."""
    codes: Longs | None

    def __call__(self, places: Longs) -> Ints:
        """Return the number of each place of an array (…, dimension + 1), -1 for one that is not in the list."""
        away = places - self.low
        numbers: Ints
        inside = ((away >= 0) & (away < self.sides)).all(axis=-1)
        code = (away * self.strides).sum(axis=-1)
        if self.codes is None:
            numbers = np.where(inside, self.table[np.where(inside, code, 0)], np.int32(-1))
            return numbers
        found = self.table[np.minimum(np.searchsorted(self.codes, code), len(self.codes) - 1)]
        right = inside & (self.places[found] == places).all(axis=-1)  # codes may be the same by chance
        numbers = np.where(right, self.numbers[found], np.int32(-1))
        return numbers


def place_table(places: Longs, numbers: Ints) -> PlaceTable:
    """Return what finds some different places, one at least, and gives the number of each."""
    low = places.min(axis=0)
    sides = places.max(axis=0) - low + 1
    volume = prod(sides.tolist())
    if volume <= MOST_IN_A_BOX + 16 * len(places):
        strides = np.concatenate([np.cumprod(sides[:0:-1])[::-1], [1]])
        table = np.full(volume, -1, dtype=np.int32)
        table[((places - low) * strides).sum(axis=-1)] = numbers
        return PlaceTable(places, numbers, low, sides, strides, table, None)
    for seed in count():  # the atoms of a form may lie as far apart as a file says
        strides = np.random.default_rng(seed).integers(1 << 62, size=len(low))
        codes = ((places - low) * strides).sum(axis=-1)
        order = np.argsort(codes).astype(np.int32)
        if (np.diff(codes[order]) != 0).all():
            break
    return PlaceTable(places, numbers, low, sides, strides, order, codes[order])


@dataclass(frozen=True, eq=False)
class Numbering:
    """The atoms of a form, numbered in its order, and those of the infinite grid that are the same."""

    atoms: tuple[AtomId, ...]
    wrap: Wrap | None

    @cached_property
    def places(self) -> Longs:
        """Array (atoms, dimension + 1)."""
        return np.array(self.atoms, dtype=np.int64)

    @cached_property
    def number(self) -> dict[AtomId, int]:
        """The number of each atom."""
        return {atom: i for i, atom in enumerate(self.atoms)}

    @cached_property
    def _table(self) -> PlaceTable:
        if self.wrap is None:
            return place_table(self.places, np.arange(len(self.atoms), dtype=np.int32))
        homes = {place: self.number[home] for place, home in self.wrap.atoms.items() if home in self.number}
        return place_table(np.array([*homes], dtype=np.int64), np.array([*homes.values()], dtype=np.int32))

    def of(self, places: Longs) -> Ints:
        """Return which atom of the form each place of an array (…, dimension + 1) is; -1 outside."""
        if self.wrap is None:
            return self._table(places)
        return _first_of_sheets(self._table, places, self.wrap)


def number_atoms(atoms: Sequence[AtomId], wrap: Wrap | None) -> Numbering:
    """Return the atoms of a form in its order: rows bottom to top, left to right."""
    return Numbering(tuple(sorted(atoms, key=atom_order)), wrap)


def _first_of_sheets(table: PlaceTable, places: Longs, wrap: Wrap) -> Ints:
    """The number of each place, or of what is the same beyond a mirrored seam."""
    found = table(remainders(places, wrap.translations))
    if wrap.glide is not None and (missing := found < 0).any():
        found[missing] = table(remainders(glided(wrap.glide, places[missing]), wrap.translations))
    return found


def glided(motion: Motion, places: Longs) -> Longs:
    """Return places after a motion."""
    moved = motion.symmetry.on_places(places)
    moved[..., :-1] += motion.move
    return moved


@dataclass(frozen=True, eq=False)
class Spots:
    """The faces of sides, numbered: where marks lie. Spot ``side * most + i`` is the i-th face of a side; not all of them are there."""

    sides: tuple[AtomId, ...]
    wrap: Wrap | None
    faces: Mapping[int, tuple[AtomId, ...]]
    """For each atom of the cell that is a side, the faces at it, those of the cell [0, 0]."""
    most: int
    """The most faces at a side."""

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self.sides) * self.most

    def at(self, spot: int) -> tuple[AtomId, AtomId]:
        """Return the side and the face of a spot."""
        side = self.sides[spot // self.most]
        return side, translate(self.faces[side[-1]][spot % self.most], side[:-1])

    def index(self, side: AtomId, face: AtomId) -> int:
        """Return which of the faces at a side a face is."""
        return self.faces[side[-1]].index(translate(face, tuple(-c for c in side[:-1])))

    @cached_property
    def places(self) -> Longs:
        """Array (sides, dimension + 1)."""
        return np.array(self.sides, dtype=np.int64)

    @cached_property
    def there(self) -> Ints:
        """The spots that there are, by their sides."""
        return np.array([i * self.most + j for i, s in enumerate(self.sides) for j in range(len(self.faces[s[-1]]))], dtype=np.int32)

    @cached_property
    def _table(self) -> PlaceTable:
        if self.wrap is None:
            return place_table(self.places, np.arange(len(self.sides), dtype=np.int32))
        number = {side: i for i, side in enumerate(self.sides)}
        homes = {place: number[home] for place, home in self.wrap.sides.items() if home in number}
        return place_table(np.array([*homes], dtype=np.int64), np.array([*homes.values()], dtype=np.int32))

    def of(self, places: Longs, index: Longs) -> Ints:
        """Return the spots on faces number ``index`` of the sides at places (…, dimension + 1); -1 where there is no such side."""
        if self.wrap is None:
            return self._joined(self._table(places), index)
        side = self._table(remainders(places, self.wrap.translations))
        found = self._joined(side, index)
        if self.wrap.glide is not None and (missing := side < 0).any():
            glide, places, index = self.wrap.glide, places[missing], np.broadcast_to(index, side.shape)[missing]
            beyond = self._table(remainders(glided(glide, places), self.wrap.translations))
            found[missing] = self._joined(beyond, self.moved(glide.symmetry)[places[..., -1], index])
        return found

    def _joined(self, side: Ints, index: Longs) -> Ints:
        return np.where(side < 0, -1, side * self.most + index).astype(np.int32)

    def moved(self, symmetry: Symmetry) -> Longs:
        """Return the array (atoms of the cell, most): which face of the side's image is the image of each of its faces; -1 for no face."""
        found = np.full((len(symmetry.image), self.most), -1, dtype=np.int64)
        for a, faces in self.faces.items():
            side = symmetry.on_grid(symmetry((*([0] * (len(self.sides[0]) - 1)), a)))
            for i, face in enumerate(faces):
                there = symmetry.on_grid(symmetry(face))
                if side is not None and there is not None:
                    found[a, i] = self.index(side, there)
        return found


def number_spots(grid: Grid, sides: Sequence[AtomId], wrap: Wrap | None) -> Spots:
    """Return the faces at some sides, by number."""
    kinds = sorted({a for a, atom in enumerate(grid.atoms) if atom.kind != grid.main_kind})
    faces = {a: tuple(grid.faces_at((*([0] * grid.dimension), a))) for a in kinds}
    return Spots(tuple(sorted(sides, key=atom_order)), wrap, faces, max(map(len, faces.values()), default=1) or 1)
