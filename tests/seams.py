"""Forms that wrap around, for the judge: the shapes of the plane that are the same shape of the form.

The group of the seams is listed element by element: sums of translations in a box large enough for small puzzles, each alone and after the
mirrored seam. Nothing of puzzlesat is imported here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import lcm
from pathlib import Path
from typing import NamedTuple

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

FILES = {
    file.stem: tomllib.loads(file.read_text(encoding="utf-8"))
    for file in sorted((Path(__file__).parents[1] / "models" / "grids").glob("*.toml"))
}
"""The text of the grid files."""
SCALE = lcm(*(Fraction(x).denominator for data in FILES.values() for atom in data["atoms"] for v in atom["vertices"] for x in v))
"""Coordinates are whole numbers of such parts of the lattice vectors as all grids have."""
FAR = {2: 30, 3: 9}
"""Largest number of cells, by dimension, up to which sums of translations are known."""


class Turn(NamedTuple):
    """A map from the atoms of a grid to atoms: a matrix, then an offset in parts of a lattice vector (not 0 for a glide)."""

    matrix: tuple
    offset: tuple


def times(matrix, point):
    return tuple(sum(m * x for m, x in zip(row, point, strict=True)) for row in matrix)


def turned(turn, shape):
    return frozenset(tuple(x + o for x, o in zip(times(turn.matrix, v), turn.offset, strict=True)) for v in shape)


def moved(shape, by):
    """A shape moved by a lattice vector."""
    return frozenset(tuple(x + SCALE * b for x, b in zip(v, by, strict=True)) for v in shape)


def anchored(shape):
    """A shape moved to the cell 0, and the cell where it was."""
    cell = tuple(x // SCALE for x in min(shape))
    return moved(shape, [-x for x in cell]), cell


@cache
def sums(moves, dimension):
    """Return all integer combinations of these vectors that stay near 0."""
    found = {(0,) * dimension}
    waiting = list(found)
    while waiting:
        here = waiting.pop()
        for move in moves:
            for sign in (1, -1):
                there = tuple(x + sign * m for x, m in zip(here, move, strict=True))
                if there not in found and max(map(abs, there)) <= FAR[dimension]:
                    found.add(there)
                    waiting.append(there)
    return frozenset(found)


@dataclass
class Seams:
    """The group of a form: translations, and their products with a glide (a mirror and a move) if there is one. Trivial for a flat form."""

    translations: frozenset
    glide: tuple | None = None
    straight: tuple = ()
    reps: dict = field(default_factory=dict)
    """The atoms of the form, by their shapes in the cell 0."""
    known: dict = field(default_factory=dict)

    def after_glide(self, shape):
        mirror, move = self.glide
        return moved(turned(mirror, shape), move)

    def sheets(self, shape):
        """Return a shape and its image under the glide: all its other copies are translates of the two."""
        return [shape] if self.glide is None else [shape, self.after_glide(shape)]

    def settle(self, atoms):
        """Make these the atoms of the form."""
        self.reps, self.known = {}, {}
        for atom in atoms:
            shape, cell = anchored(atom)
            self.reps.setdefault(shape, []).append((cell, atom))

    def element(self, shape):
        """The atom of the form that equals a shape, and the group element that maps the shape to it; None if it lies outside."""
        if shape not in self.known:
            self.known[shape] = self._element(shape)
        return self.known[shape]

    def _element(self, shape):
        for mirrored, image in enumerate(self.sheets(shape)):
            base, cell = anchored(image)
            for there, atom in self.reps.get(base, ()):
                step = tuple(t - c for t, c in zip(there, cell, strict=True))
                if step in self.translations:
                    return atom, (mirrored, step)
        return None

    def home(self, shape):
        found = self.element(shape)
        return None if found is None else found[0]

    def apply(self, element, shape):
        mirrored, step = element
        return moved(self.after_glide(shape) if mirrored else shape, step)

    def flag(self, side, face):
        """The representative of the equal pairs of a side and a face, chosen by the face; None if the face lies outside."""
        found = self.element(face)
        return None if found is None else (self.apply(found[1], side), found[0])

    def same(self, one, other):
        """Return whether two shapes are identified."""
        base, cell = anchored(other)
        for image in self.sheets(one):
            mine, at = anchored(image)
            if mine == base and tuple(x - y for x, y in zip(cell, at, strict=True)) in self.translations:
                return True
        return False

    def kept_by(self, matrix, motion, atom):
        """Return whether a motion (with its matrix) maps identified shapes to identified shapes; ``atom`` is any atom."""
        if any(times(matrix, move) not in self.translations for move in self.straight):
            return False
        if self.glide is None:
            return True
        mirror = self.glide[0].matrix
        if any(times(matrix, times(mirror, v)) != times(mirror, times(matrix, v)) for v in ((1, 0), (0, 1))):
            return False
        (one, at), (other, there) = anchored(motion(self.after_glide(atom))), anchored(self.after_glide(motion(atom)))
        return one == other and tuple(x - y for x, y in zip(at, there, strict=True)) in self.translations


def make_seams(wrap, dimension, glides):
    """The group of a list of seams. ``glides`` finds the mirror of the form along a move, as a turn and a move."""
    straight = [tuple(s["move"]) for s in wrap if not s.get("mirror")]
    glide = None
    for seam in wrap:
        if seam.get("mirror"):
            mirror, home = glides(seam["move"])
            glide = mirror, tuple(h + m for h, m in zip(home, seam["move"], strict=True))
            straight += [times(mirror.matrix, move) for move in straight]
            way = [SCALE * m + o for m, o in zip(glide[1], mirror.offset, strict=True)]
            twice = [x + y for x, y in zip(times(mirror.matrix, way), way, strict=True)]
            assert not any(x % SCALE for x in twice)
            straight.append(tuple(x // SCALE for x in twice))
    return Seams(sums(tuple(straight), dimension), glide, tuple(straight))
