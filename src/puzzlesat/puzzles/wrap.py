"""Forms that wrap around: identify atoms of the infinite grid on a cylinder, a torus, a Möbius strip or a Klein bottle.

``Numbering`` and ``Spots`` find the atom of the form, or the side of a face, at each place of an array. A place is an atom of the infinite
grid as a row of an array: its cell, then the number of the atom in the cell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from puzzlesat.base import Ints, Longs, PuzzleError
from puzzlesat.puzzles.grid import AtomId, Cell, Grid, Motion, Symmetry, atom_order, translate
from puzzlesat.puzzles.lattice import apply_matrix, echelon, less

if TYPE_CHECKING:
    from puzzlesat.puzzles.schema import SeamTable


@dataclass(frozen=True)
class Wrap:
    """The group of motions that map each atom to an equal one, and a representative of each class of equal atoms."""

    translations: tuple[Cell, ...]
    """A basis of the translations in echelon form: each vector begins with more zeros than the one before."""
    glide: Motion | None
    """The glide reflection that generates the group together with the translations, if the form is joined mirrored."""
    atoms: dict[AtomId, AtomId]
    """The atom of the form by its remainder modulo the translations."""
    sides: dict[AtomId, AtomId]
    """The side of the form's faces by its remainder modulo the translations."""

    def locate(self, atom: AtomId) -> AtomId | None:
        """Return the atom of the form that represents an atom of the infinite grid; None for an atom outside the form."""
        return next((self.atoms[r] for r in self._remainders(atom) if r in self.atoms), None)

    def locate_side(self, side: AtomId, face: AtomId) -> tuple[AtomId, AtomId]:
        """Return the representative of a side and the face at it that corresponds to ``face``.

        The face is an atom of the infinite grid next to the side, so that both faces differ even if they represent the same atom.
        """
        for s, f in ((side, face), *(((self.glide(side), self.glide(face)),) if self.glide else ())):
            home = self.sides.get(self._remainder(s))
            if home is not None:
                move = tuple(h - c for h, c in zip(home[:-1], s[:-1], strict=True))
                return home, translate(f, move)
        return side, face

    def has_translation(self, move: Cell) -> bool:
        """Return whether a translation maps each atom to an equal one."""
        return not any(remainder(move, self.translations))

    @property
    def sheets(self) -> tuple[Motion | None, ...]:
        """The identity (None) and the glide: every motion of the group is one of them followed by a translation."""
        return (None,) if self.glide is None else (None, self.glide)

    def _remainders(self, atom: AtomId) -> Iterable[AtomId]:
        yield self._remainder(atom)
        if self.glide is not None:
            yield self._remainder(self.glide(atom))

    def _remainder(self, atom: AtomId) -> AtomId:
        return (*remainder(atom[:-1], self.translations), atom[-1])


def make_wrap(grid: Grid, atoms: Collection[AtomId], seams: Sequence[SeamTable]) -> Wrap:
    """Return the wrap of a form with these atoms and seams. Raises PuzzleError naming the key below ``form``."""
    mirrored = [s for s in seams if s.mirror]
    if len(mirrored) > 1:
        raise PuzzleError("wrap: one seam at most may be mirrored")
    if mirrored and grid.dimension > 2:
        raise PuzzleError("wrap: mirror: a form in space cannot be joined mirrored; remove the key")
    if wrong := [s.move for s in seams if len(s.move) != grid.dimension or not any(s.move)]:
        raise PuzzleError(f"wrap: move: expected {grid.dimension} numbers, not all of them 0, got {wrong[0]}")
    glide = _glide(grid, atoms, tuple(mirrored[0].move)) if mirrored else None
    straight = [tuple(s.move) for s in seams if not s.mirror]
    if glide is not None:
        any_atom = next(iter(atoms))
        straight += [apply_matrix(glide.symmetry.matrix, move) for move in straight]
        straight.append(tuple(b - a for a, b in zip(any_atom[:-1], glide(glide(any_atom))[:-1], strict=True)))
        _refuse_folds(glide, straight)
    wrap = Wrap(tuple(echelon(straight)), glide, {}, {})
    for atom in sorted(atoms, key=atom_order):
        if (other := wrap.locate(atom)) is not None:
            raise PuzzleError(f"wrap: {grid.show(other)} and {grid.show(atom)} of the form are the same atom; remove one")
        wrap.atoms[wrap._remainder(atom)] = atom
    for side in sorted({s for atom in atoms if grid.atoms[atom[-1]].kind == grid.main_kind for s in grid.sides_of(atom)}, key=atom_order):
        if not any(r in wrap.sides for r in wrap._remainders(side)):
            wrap.sides[wrap._remainder(side)] = side
    return wrap


def _refuse_folds(glide: Motion, straight: Sequence[Cell]) -> None:
    """Raise PuzzleError if the translations cancel the translation of a glide, so that a pure mirror remains and folds the form."""

    def along(v: Cell) -> Cell:
        """Return twice the component of a vector along the mirror."""
        return tuple(x + y for x, y in zip(v, apply_matrix(glide.symmetry.matrix, v), strict=True))

    if not any(remainder(along(glide.move), echelon(map(along, straight)))):
        raise PuzzleError(
            "wrap: the seams together fold the form along a line, not join it; make a plain seam along the mirrored one twice as long"
        )


def with_atoms(wrap: Wrap, atoms: Iterable[AtomId]) -> tuple[set[AtomId], Wrap]:
    """Add atoms other than faces, such as slots, to a form that wraps around, one of each class; return them and the new wrap."""
    added: set[AtomId] = set()
    table = dict(wrap.atoms)
    for atom in sorted(atoms, key=atom_order):
        if not any(r in table for r in wrap._remainders(atom)):
            table[wrap._remainder(atom)] = atom
            added.add(atom)
    return added, Wrap(wrap.translations, wrap.glide, table, wrap.sides)


def _glide(grid: Grid, atoms: Collection[AtomId], move: Cell) -> Motion:
    """Return the mirror along ``move`` that maps the atoms onto themselves, followed by this translation."""
    for symmetry in grid.symmetries:
        if symmetry.mirror and apply_matrix(symmetry.matrix, move) == move:
            onto_itself = symmetry.motion_of(atoms)
            if onto_itself is not None:
                return Motion(symmetry, tuple(h + m for h, m in zip(onto_itself.move, move, strict=True)))
    raise PuzzleError(
        f"wrap: no mirror of grid {grid.name!r} along {list(move)} maps the form onto itself; "
        "a form that is joined mirrored must be its own mirror image"
    )


def remainder(vector: Cell, basis: Sequence[Cell]) -> Cell:
    """Return a vector modulo the lattice of a basis in echelon form; it is equal for vectors that differ by a lattice vector."""
    for row in basis:
        axis = next(i for i, x in enumerate(row) if x)
        vector = less(vector, vector[axis] // row[axis], row)
    return vector


def remainders(places: Longs, basis: Sequence[Cell]) -> Longs:
    """Return an array (…, dimension + 1) of places with their cells modulo the lattice of a basis in echelon form."""
    left: Longs = places.copy()
    for row in basis:
        axis = next(i for i, x in enumerate(row) if x)
        left[..., :-1] -= (left[..., axis] // row[axis])[..., None] * np.array(row)
    return left


MAX_IN_A_BOX = 4_000_000
"""Largest size of the bounding box of numbered places for which the whole box gets a table; see ``place_table``."""


@dataclass(frozen=True, eq=False)
class PlaceTable:
    """Finds places in a list by a table of their bounding box or, if the box is large, by binary search in sorted codes."""

    places: Longs
    numbers: Ints
    low: Longs
    sides: Longs
    strides: Longs
    table: Ints
    """The number of each place of the box, or -1; with ``codes``, the index of the place for each of the sorted codes."""
    codes: Longs | None

    def __call__(self, places: Longs) -> Ints:
        """Return the number of each place of an array (…, dimension + 1), or -1 for a place that is not in the list."""
        away = places - self.low
        numbers: Ints
        inside = np.ones(away.shape[:-1], dtype=np.bool_)
        for axis, side in enumerate(self.sides.tolist()):  # faster than all(axis=-1)
            inside &= (away[..., axis] >= 0) & (away[..., axis] < side)
        code = away @ self.strides
        if self.codes is None:
            numbers = np.where(inside, self.table[np.where(inside, code, 0)], np.int32(-1))
            return numbers
        nearest = self.table[np.minimum(np.searchsorted(self.codes, code), len(self.codes) - 1)]
        equal = inside & (self.places[nearest] == places).all(axis=-1)  # different places can have equal codes
        numbers = np.where(equal, self.numbers[nearest], np.int32(-1))
        return numbers


def place_table(places: Longs, numbers: Ints) -> PlaceTable:
    """Return a table that finds the number of each of some different places (at least one)."""
    low = places.min(axis=0)
    sides = places.max(axis=0) - low + 1
    volume = prod(sides.tolist())
    if volume <= MAX_IN_A_BOX + 16 * len(places):
        strides = np.concatenate([np.cumprod(sides[:0:-1])[::-1], [1]])
        table = np.full(volume, -1, dtype=np.int32)
        table[((places - low) * strides).sum(axis=-1)] = numbers
        return PlaceTable(places, numbers, low, sides, strides, table, None)
    for seed in count():  # atoms may be very far apart, so codes are random combinations of the coordinates
        strides = np.random.default_rng(seed).integers(1 << 62, size=len(low))
        codes = ((places - low) * strides).sum(axis=-1)
        order = np.argsort(codes).astype(np.int32)
        if (np.diff(codes[order]) != 0).all():
            break
    return PlaceTable(places, numbers, low, sides, strides, order, codes[order])


@dataclass(frozen=True, eq=False)
class Numbering:
    """Numbers the atoms of a form in its order, and finds the number of atoms of the infinite grid."""

    atoms: tuple[AtomId, ...]
    wrap: Wrap | None

    @cached_property
    def places(self) -> Longs:
        """Array (atoms, dimension + 1): the place of each atom."""
        return np.array(self.atoms, dtype=np.int64)

    @cached_property
    def number(self) -> dict[AtomId, int]:
        """The number of each atom."""
        return {atom: i for i, atom in enumerate(self.atoms)}

    @cached_property
    def _table(self) -> PlaceTable:
        return _numbered(self.number, None if self.wrap is None else self.wrap.atoms)

    def of(self, places: Longs) -> Ints:
        """Return the number of the atom at each place of an array (…, dimension + 1), or -1 outside the form."""
        if self.wrap is None:
            return self._table(places)
        return _first_of_sheets(self._table, places, self.wrap)

    def moved(self, bodies: Longs, which: Longs, moves: Longs) -> Ints:
        """Return the numbers of the atoms of the bodies ``which``, each after a move that keeps its cells in the box of the form."""
        table = self._table
        if table.codes is not None:
            places = bodies[which]
            places[..., :-1] += moves[:, None]
            return table(places)
        inside = (bodies[..., -1] >= table.low[-1]) & (bodies[..., -1] < table.low[-1] + table.sides[-1])
        codes = (bodies @ table.strides)[which] + (moves @ table.strides[:-1] - table.low @ table.strides)[:, None]
        numbers: Ints = table.table.take(codes, mode="clip")
        return numbers if inside.all() else np.where(inside[which], numbers, np.int32(-1))


def _numbered(number: dict[AtomId, int], homes: Mapping[AtomId, AtomId] | None) -> PlaceTable:
    """Return a table from places to numbers of atoms. If the form wraps around, ``homes`` maps each place, as a remainder, to its atom."""
    places = number if homes is None else {place: number[home] for place, home in homes.items() if home in number}
    return place_table(np.array([*places], dtype=np.int64), np.array([*places.values()], dtype=np.int32))


def number_atoms(atoms: Sequence[AtomId], wrap: Wrap | None) -> Numbering:
    """Return the numbering of atoms in the order of the form: rows bottom to top, left to right."""
    return Numbering(tuple(sorted(atoms, key=atom_order)), wrap)


def _first_of_sheets(table: PlaceTable, places: Longs, wrap: Wrap) -> Ints:
    """Return the number of each place, or of the equal place after the glide."""
    numbers = table(remainders(places, wrap.translations))
    if wrap.glide is not None and (missing := numbers < 0).any():
        numbers[missing] = table(remainders(glided(wrap.glide, places[missing]), wrap.translations))
    return numbers


def glided(motion: Motion, places: Longs) -> Longs:
    """Return places after a motion."""
    moved = motion.symmetry.on_places(places)
    moved[..., :-1] += motion.move
    return moved


@dataclass(frozen=True, eq=False)
class Spots:
    """Numbers the places of marks: spot ``side * most + i`` is the i-th face at a side. Numbers of missing faces are unused."""

    sides: tuple[AtomId, ...]
    wrap: Wrap | None
    faces: Mapping[int, tuple[AtomId, ...]]
    """The faces at each side of the cell [0, 0], by the number of the side in the cell."""
    most: int
    """The largest number of faces at a side."""

    @property
    def size(self) -> int:
        """The number of spots, with unused ones."""
        return len(self.sides) * self.most

    def at(self, spot: int) -> tuple[AtomId, AtomId]:
        """Return the side and the face of a spot."""
        side = self.sides[spot // self.most]
        return side, translate(self.faces[side[-1]][spot % self.most], side[:-1])

    def index(self, side: AtomId, face: AtomId) -> int:
        """Return the index of a face among the faces at a side."""
        return self.faces[side[-1]].index(translate(face, tuple(-c for c in side[:-1])))

    @cached_property
    def places(self) -> Longs:
        """Array (sides, dimension + 1): the place of each side."""
        return np.array(self.sides, dtype=np.int64)

    @cached_property
    def there(self) -> Ints:
        """The used spots, in the order of their sides."""
        return np.array([i * self.most + j for i, s in enumerate(self.sides) for j in range(len(self.faces[s[-1]]))], dtype=np.int32)

    @cached_property
    def _table(self) -> PlaceTable:
        return _numbered({side: i for i, side in enumerate(self.sides)}, None if self.wrap is None else self.wrap.sides)

    def of(self, places: Longs, index: Longs) -> Ints:
        """Return the spots of faces number ``index`` at the sides at places (…, dimension + 1), or -1 for other places."""
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
        """Return the array (atoms of the cell, most) of the index of the image of each face at the image of its side; -1 for no face."""
        found = np.full((len(symmetry.image), self.most), -1, dtype=np.int64)
        for a, faces in self.faces.items():
            side = symmetry.on_grid(symmetry((*([0] * (len(self.sides[0]) - 1)), a)))
            for i, face in enumerate(faces):
                there = symmetry.on_grid(symmetry(face))
                if side is not None and there is not None:
                    found[a, i] = self.index(side, there)
        return found


def number_spots(grid: Grid, sides: Sequence[AtomId], wrap: Wrap | None) -> Spots:
    """Return the spots of some sides."""
    kinds = sorted({a for a, atom in enumerate(grid.atoms) if atom.kind != grid.main_kind})
    faces = {a: tuple(grid.faces_at((*([0] * grid.dimension), a))) for a in kinds}
    return Spots(tuple(sorted(sides, key=atom_order)), wrap, faces, max(map(len, faces.values()), default=1) or 1)
