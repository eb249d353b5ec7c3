"""Forms that wrap around: which atoms are the same, and how atoms across a seam lie in the form.

The seams generate a group: translations and, with a mirrored seam, a glide (a mirror, then a move along it) and its compositions with them.
No element but the identity leaves a point where it is. So exactly one element maps an atom, or a side with one of its faces, to each place
that is the same. The group of a flat form is trivial.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import add, sub
from typing import Any

from .grid import Atom, CheckedGrid, Point, StatedSymmetry, back, turned
from .values import Rejected, array, flag, read_all, table, whole

FARTHEST = 1_000_000
"""Maximum length of a seam's move along any coordinate."""


@dataclass(frozen=True)
class Seams:
    """The group that the seams of a form generate."""

    translations: tuple[tuple[int, Point], ...] = ()
    """A basis, each with the index of its first number other than 0: these indices ascend, and these numbers are positive."""
    glide: tuple[StatedSymmetry, Point] | None = None

    def sheets(self, *atoms: Atom) -> Iterator[tuple[Atom, ...]]:
        """Yield atoms as they are and, if there is a glide, after it: all other images are their translates."""
        yield atoms
        if self.glide is not None:
            mirror, move = self.glide
            yield tuple(mirror(a, move) for a in atoms)

    def reduced(self, atom: Atom) -> Atom:
        """Return the representative of all translates of an atom."""
        for at, row in self.translations:
            if turns := atom[at] // row[at]:
                atom = (*(x - turns * y for x, y in zip(atom, row, strict=False)), atom[-1])
        return atom

    def settled(self, *atoms: Atom) -> tuple[Atom, ...]:
        """Return the representative of all equal positions of some atoms together."""
        return min(self._near(sheet) for sheet in self.sheets(*atoms))

    def _near(self, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        move = tuple(map(sub, self.reduced(atoms[0]), atoms[0]))
        return tuple(tuple(map(add, a, move)) for a in atoms)

    def has(self, move: Point) -> bool:
        """Tell whether a translation is in the group."""
        return not any(self.reduced((*move, 0)))


FLAT = Seams()
"""The trivial group of a flat form."""


def make_seams(moves: Iterable[Point], glide: tuple[StatedSymmetry, Point] | None = None) -> Seams:
    """Return the group of translations and perhaps a glide. Raises Rejected if it folds the form along a line."""
    straight = list(moves)
    if glide is None:
        return Seams(echelon(straight))
    mirror, move = glide
    straight += [turned(mirror.matrix, m) for m in straight]
    still = (*(0 for _ in move), 0)
    twice = mirror(mirror(still, move), move)[:-1]
    found = Seams(echelon([*straight, twice]), glide)
    # the glide after a translation m is a mirror, which folds the form, if doing it twice moves nothing
    along = echelon(tuple(map(add, m, turned(mirror.matrix, m))) for _, m in found.translations)
    if Seams(along).has(twice):
        raise Rejected("puzzle.seams: together they fold the form along a line")
    return found


def echelon(moves: Iterable[Point]) -> tuple[tuple[int, Point], ...]:
    """Return a basis of the lattice that some vectors generate, in the form of ``Seams.translations``."""
    left, found = [m for m in moves if any(m)], []
    for at in range(len(left[0]) if left else 0):
        while len(some := [m for m in left if m[at]]) > 1:
            least = min(some, key=lambda m: abs(m[at]))
            others = [m for m in left if m is not least]
            left = [least, *(tuple(x - m[at] // least[at] * y for x, y in zip(m, least, strict=True)) for m in others)]
        found += [(at, m if m[at] > 0 else tuple(-x for x in m)) for m in some]
        left = [m for m in left if not m[at]]
    return tuple(found)


def read_seams(stated: Any, grid: CheckedGrid, faces: frozenset[Atom]) -> Seams:
    """Return the group of the stated seams.

    ``faces`` are the faces of the form including removed ones: a mirror maps them to each other. Raises Rejected for invalid seams.
    """
    moves: list[Point] = []
    mirrored: list[Point] = []
    for move, mirror in read_all(stated, "puzzle.seams", lambda s, where: _read_seam(s, where, grid.dimension)):
        (mirrored if mirror else moves).append(move)
    if not moves and not mirrored:
        raise Rejected("puzzle.seams: there is none; a form that is flat does not have the key")
    if len(mirrored) > 1 or (mirrored and grid.dimension != 2):
        raise Rejected("puzzle.seams: one at the most is mirrored, in the plane alone")
    return make_seams(moves, _glide(grid, faces, mirrored[0]) if mirrored else None)


def _read_seam(stated: Any, where: str, dimension: int) -> tuple[Point, bool]:
    fields = table(stated, where, ("move", "mirror"))
    move = tuple(whole(x, f"{where}.move", -FARTHEST, FARTHEST) for x in array(fields["move"], f"{where}.move", dimension))
    if not any(move):
        raise Rejected(f"{where}.move: it moves nothing")
    return move, flag(fields["mirror"], f"{where}.mirror")


def _glide(grid: CheckedGrid, faces: frozenset[Atom], move: Point) -> tuple[StatedSymmetry, Point]:
    """Return the mirror that keeps the direction of a move and maps the form to itself, and the translation after it."""
    for mirror in grid.symmetries:
        if mirror.mirror and turned(mirror.matrix, move) == move:
            home = back(mirror, faces)
            if {mirror(a, home) for a in faces} == faces:
                return mirror, tuple(map(add, home, move))
    raise Rejected("puzzle.seams: no mirror along the way of the mirrored one takes the form to itself")
