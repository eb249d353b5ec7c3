"""Forms that wrap around: which atoms of the infinite grid are the same atom of a cylinder, a torus, a Möbius strip or a Klein bottle.

``Numbering`` finds for arrays of places which atom of the form, or which side of a face, lies there. A place is an
atom of the infinite grid as a row of an array: its cell, then the number of the atom in the cell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from math import prod

import numpy as np

from puzzlesat.base import Ints, Longs, PuzzleError
from puzzlesat.puzzles.grid import AtomId, Cell, Grid, Motion, Symmetry, atom_order, translate
from puzzlesat.puzzles.lattice import apply_matrix
from puzzlesat.puzzles.schema import SeamTable


@dataclass(frozen=True)
class Wrap:
    """The group of motions that take each atom to another one that is the same, and one representative of each class."""

    translations: tuple[Cell, ...]
    """A basis of the translations, in echelon form: each begins with more zeros than the one before."""
    glide: Motion | None
    """The motion that makes the rest together with the translations, where the form is joined mirrored."""
    atoms: dict[AtomId, AtomId]
    """For the remainder of an atom modulo the translations the atom of the form."""
    sides: dict[AtomId, AtomId]
    """The same for the sides of the form's faces."""

    def locate(self, atom: AtomId) -> AtomId | None:
        """Return the atom of the form that an atom of the infinite grid is; None where it lies outside."""
        return next((self.atoms[r] for r in self._remainders(atom) if r in self.atoms), None)

    def locate_side(self, side: AtomId, face: AtomId) -> tuple[AtomId, AtomId]:
        """Return a side of the form's faces, and on which of its two faces a mark on the given face of the given side then lies.

        The face is one that touches the side in the infinite grid: so both faces can be told apart even where they are the same atom.
        """
        for s, f in ((side, face), *(((self.glide(side), self.glide(face)),) if self.glide else ())):
            home = self.sides.get(self._remainder(s))
            if home is not None:
                move = tuple(h - c for h, c in zip(home[:-1], s[:-1], strict=True))
                return home, translate(f, move)
        return side, face

    def has_translation(self, move: Cell) -> bool:
        """Tell whether a translation takes each atom to another one that is the same."""
        return not any(remainder(move, self.translations))

    @property
    def sheets(self) -> tuple[Motion | None, ...]:
        """The identity and the glide: every motion of the group is a translation after one of them."""
        return (None,) if self.glide is None else (None, self.glide)

    def _remainders(self, atom: AtomId) -> Iterable[AtomId]:
        yield self._remainder(atom)
        if self.glide is not None:
            yield self._remainder(self.glide(atom))

    def _remainder(self, atom: AtomId) -> AtomId:
        return (*remainder(atom[:-1], self.translations), atom[-1])


def make_wrap(grid: Grid, atoms: Collection[AtomId], seams: Sequence[SeamTable]) -> Wrap:
    """Return how a form of these atoms wraps around. Raises PuzzleError naming the key below ``form``."""
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
        one = next(iter(atoms))
        straight += [apply_matrix(glide.symmetry.matrix, move) for move in straight]
        straight.append(tuple(b - a for a, b in zip(one[:-1], glide(glide(one))[:-1], strict=True)))
        _refuse_folds(glide, straight)
    wrap = Wrap(echelon(straight), glide, {}, {})
    for atom in sorted(atoms, key=atom_order):
        if (other := wrap.locate(atom)) is not None:
            raise PuzzleError(f"wrap: {grid.show(other)} and {grid.show(atom)} of the form are the same atom; remove one")
        wrap.atoms[wrap._remainder(atom)] = atom
    for side in sorted({s for atom in atoms if grid.atoms[atom[-1]].kind == grid.main_kind for s in grid.sides_of(atom)}, key=atom_order):
        if not any(r in wrap.sides for r in wrap._remainders(side)):
            wrap.sides[wrap._remainder(side)] = side
    return wrap


def _refuse_folds(glide: Motion, straight: Sequence[Cell]) -> None:
    """Refuse translations that undo the way of a glide and leave the mirror: the form would be folded, not joined."""

    def along(v: Cell) -> Cell:
        """Twice the part of a vector along the mirror."""
        return tuple(x + y for x, y in zip(v, apply_matrix(glide.symmetry.matrix, v), strict=True))

    if not any(remainder(along(glide.move), echelon(map(along, straight)))):
        raise PuzzleError(
            "wrap: the seams together fold the form along a line, not join it; make a plain seam along the mirrored one twice as long"
        )


def with_atoms(wrap: Wrap, atoms: Iterable[AtomId]) -> tuple[set[AtomId], Wrap]:
    """Add atoms beside the faces, such as slots, to a form that wraps around: one of those that are the same. Return them and the wrap."""
    added: set[AtomId] = set()
    table = dict(wrap.atoms)
    for atom in sorted(atoms, key=atom_order):
        if not any(r in table for r in wrap._remainders(atom)):
            table[wrap._remainder(atom)] = atom
            added.add(atom)
    return added, Wrap(wrap.translations, wrap.glide, table, wrap.sides)


def _glide(grid: Grid, atoms: Collection[AtomId], move: Cell) -> Motion:
    """The mirror along a direction that takes the atoms onto themselves, followed by the translation."""
    for symmetry in grid.symmetries:
        if symmetry.mirror and apply_matrix(symmetry.matrix, move) == move:
            onto_itself = symmetry.motion_of(atoms)
            if onto_itself is not None:
                return Motion(symmetry, tuple(h + m for h, m in zip(onto_itself.move, move, strict=True)))
    raise PuzzleError(
        f"wrap: no mirror of grid {grid.name!r} along {list(move)} maps the form onto itself; "
        "a form that is joined mirrored must be its own mirror image"
    )


def echelon(vectors: Iterable[Cell]) -> tuple[Cell, ...]:
    """Return a basis of the lattice that integer vectors span, in echelon form with positive first entries (Hermite, unreduced)."""
    rest = [v for v in vectors if any(v)]
    basis: list[Cell] = []
    for axis in range(len(rest[0]) if rest else 0):
        here = [v for v in rest if v[axis]]
        rest = [v for v in rest if not v[axis]]
        while len(here) > 1:  # Euclid's algorithm on the entries of this axis
            least = min(here, key=lambda v: abs(v[axis]))
            reduced = [_minus(v, v[axis] // least[axis], least) for v in here if v is not least]
            here = [least] + [v for v in reduced if v[axis]]
            rest += [v for v in reduced if not v[axis] and any(v)]
        basis += [v if v[axis] > 0 else tuple(-x for x in v) for v in here]
    return tuple(basis)


def remainder(vector: Cell, basis: Sequence[Cell]) -> Cell:
    """Return the vector modulo the lattice of a basis in echelon form: the same for all vectors that differ by one of the lattice."""
    for row in basis:
        axis = next(i for i, x in enumerate(row) if x)
        vector = _minus(vector, vector[axis] // row[axis], row)
    return vector


def remainders(places: Longs, basis: Sequence[Cell]) -> Longs:
    """Return the places (rows of an array, each a cell and the number of an atom) with their cells modulo the lattice of a basis."""
    left: Longs = places.copy()
    for row in basis:
        axis = next(i for i, x in enumerate(row) if x)
        left[..., :-1] -= (left[..., axis] // row[axis])[..., None] * np.array(row)
    return left


def _minus(vector: Cell, times: int, other: Cell) -> Cell:
    return tuple(x - times * y for x, y in zip(vector, other, strict=True))


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
