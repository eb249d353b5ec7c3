"""Forms that wrap around: which atoms of the infinite grid are the same atom of a cylinder, a torus, a Möbius strip or a Klein bottle."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from puzzlesat.arrays import Longs
from puzzlesat.config.schema import SeamTable
from puzzlesat.errors import PuzzleError
from puzzlesat.grid.isometry import apply_matrix
from puzzlesat.grid.lattice import AtomId, Cell, Grid, Motion, atom_order, motion_of, translate
from puzzlesat.puzzle.grids import show_atom


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
            raise PuzzleError(f"wrap: {show_atom(grid, other)} and {show_atom(grid, atom)} of the form are the same atom; remove one")
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
            onto_itself = motion_of(atoms, symmetry)
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
