"""Contacts of the atoms of a form: points where corners meet, the border, and straight lines between atoms; and codes of marks.

Everything is computed from exact coordinates, for every grid.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import gcd, lcm

import numpy as np

from puzzlesat.base import Flags, Ints
from puzzlesat.puzzles.grid import AtomId, Cell, Grid, Motion, Point
from puzzlesat.puzzles.lattice import apply_matrix
from puzzlesat.puzzles.puzzle import Mark, Puzzle
from puzzlesat.puzzles.wrap import Spots, Wrap, number_spots, remainder


@dataclass(frozen=True, eq=False)
class FormContacts:
    """The contacts of the atoms of a puzzle's form, by their numbers: the ``FormLayout`` of ``PLACE_RULES``."""

    puzzle: Puzzle

    @cached_property
    def faces(self) -> list[int]:
        """The atoms of the grid's main kind."""
        grid = self.puzzle.grid
        return [i for i, a in enumerate(self.puzzle.form.numbering.atoms) if grid.atoms[a[-1]].kind == grid.main_kind]

    def corners(self) -> dict[Point, list[int]]:
        """Return the corners of the faces, each with its faces."""
        grid, form = self.puzzle.grid, self.puzzle.form
        found: dict[Point, set[int]] = defaultdict(set)
        for number in self.faces:
            for vertex in grid.vertices(form.numbering.atoms[number]):
                found[_home(grid, form.wrap, vertex)].add(number)
        return {point: sorted(found[point]) for point in sorted(found)}

    def straight_sticks(self) -> dict[Point, set[frozenset[int]]]:
        """Return for points the sets of sticks that pass straight through: two in line, or one that meets itself at a seam."""
        grid, form = self.puzzle.grid, self.puzzle.form
        found: dict[Point, set[frozenset[int]]] = defaultdict(set)
        ends: dict[Point, Counter[int]] = defaultdict(Counter)
        for number in self.faces:
            own = grid.vertices(atom := form.numbering.atoms[number])
            for other in grid.neighbours(atom) if len(own) == 2 else ():
                there = grid.vertices(other)
                point, *_ = set(own) & set(there)
                (a, b), (c, d) = ([x - y for x, y in zip(v, point, strict=True)] for v in (*own, *there) if v != point)
                if (home := form.locate(other)) is not None and a * d == b * c and a * c + b * d < 0:
                    found[_home(grid, form.wrap, point)].add(frozenset((number, form.numbering.number[home])))
            for point in own:
                ends[_home(grid, form.wrap, point)][number] += 1
        return {point: {some for some in sticks if sum(ends[point][i] for i in some) == 2} for point, sticks in found.items()}

    def neighbours(self) -> Ints:
        """Return the array (pairs, 2) of different atoms that share a side, in order."""
        grid, places, found = self.puzzle.grid, self.puzzle.form.numbering.places, []
        for a in range(len(grid.atoms)):
            here = np.flatnonzero(places[:, -1] == a)
            for other in grid.neighbours((*([0] * grid.dimension), a)) if len(here) else ():
                there = np.full((len(here), grid.dimension + 1), other[-1], dtype=np.int64)
                there[:, :-1] = places[here, :-1] + np.array(other[:-1])
                found.append(np.stack([here, self.puzzle.form.numbering.of(there)], axis=1))
        pairs = np.concatenate([np.empty((0, 2), dtype=np.int64), *found])
        low, high = np.sort(pairs[(pairs[:, 1] >= 0) & (pairs[:, 0] != pairs[:, 1])], axis=1).T
        codes = np.unique(low * len(places) + high)  # np.unique is slow on rows
        return np.stack(np.divmod(codes, len(places)), axis=1).astype(np.int32)

    def touching(self, *, strictly: bool) -> list[tuple[int, int]]:
        """Return the pairs of faces that share a side or, if ``strictly``, a corner."""
        faces = set(self.faces)
        pairs = {(a, b) for a, b in self.neighbours().tolist() if a in faces and b in faces}
        if strictly:
            pairs |= {(a, b) for there in self.corners().values() for i, a in enumerate(there) for b in there[i + 1 :]}
        return sorted(pairs)

    def at_the_border(self) -> list[int]:
        """Return the faces at the border of the form or at a hole: one of their neighbours is not in the form."""
        form, grid = self.puzzle.form, self.puzzle.grid
        atoms = form.numbering.atoms
        return [number for number in self.faces if any(form.locate(other) is None for other in grid.neighbours(atoms[number]))]

    def dividing_lines(self) -> list[tuple[str, list[int], list[int]]]:
        """Return the straight lines (in space: planes) along which a form that does not wrap around could fall in two.

        A side between two faces of the form is on each line, and the line cuts no face. It has a name, such as ``line 1,0 = 3``, and the
        faces on both sides. A point x, in lattice coordinates, is on this line if normal · x = height, with normal 1,0 and height 3.
        """
        grid, atoms = self.puzzle.grid, self.puzzle.form.numbering.atoms
        places = {atoms[i]: set(grid.vertices(atoms[i])) for i in self.faces}
        lines = {
            line
            for atom, own in places.items()
            for other in grid.neighbours(atom)
            if other > atom and other in places and (line := _through(sorted(own & places[other]))) is not None
        }
        found = []
        for normal, height in sorted(lines):
            below: list[int] = []
            beyond: list[int] = []
            for number in self.faces:
                products = [_product(normal, v) for v in places[atoms[number]]]
                if min(products) < height < max(products):
                    break
                (below if min(products) < height else beyond).append(number)
            else:
                found.append((f"line {','.join(map(str, normal))} = {height}", below, beyond))
        return found


def _home(grid: Grid, wrap: Wrap | None, point: Point) -> Point:
    """Return the representative of the points that are the same if the form wraps around."""
    if wrap is None:
        return point
    images = [point] if wrap.glide is None else [point, _after(grid, wrap.glide, point)]
    return min(_modulo(image, wrap.translations) for image in images)


def _after(grid: Grid, motion: Motion, point: Point) -> Point:
    """Return the image of a point under a motion, whose translation is found from the image of an atom."""
    atom = (*([0] * grid.dimension), 0)
    away = tuple(x - c for x, c in zip(point, grid.centre(atom), strict=True))
    moved = apply_matrix(motion.symmetry.matrix, away)
    return tuple(x + c for x, c in zip(moved, grid.centre(motion(atom)), strict=True))


def _modulo(point: Point, translations: tuple[Cell, ...]) -> Point:
    """Return a point modulo translations, computed in integers."""
    scale = lcm(*(Fraction(x).denominator for x in point))
    left = remainder(tuple(int(x * scale) for x in point), [tuple(scale * x for x in row) for row in translations])
    return tuple(Fraction(x, scale) for x in left)


def _through(points: list[Point]) -> tuple[tuple[int, ...], Fraction] | None:
    """Return the line or plane through points; its normal has coprime integers, the first of them positive."""
    if len(points[0]) == 2:
        (a, b), (c, d) = points[0], points[-1]
        normal: tuple[Fraction, ...] = (b - d, c - a)
    else:
        first = points[0]
        rays = [tuple(x - y for x, y in zip(point, first, strict=True)) for point in points[1:]]
        crossed = (_cross(u, v) for u, v in combinations(rays, 2))
        normal = next((n for n in crossed if any(n)), ())
    if not any(normal):
        return None
    scale = lcm(*(x.denominator for x in normal))
    whole = [int(x * scale) for x in normal]
    common = gcd(*whole) * (1 if next(x for x in whole if x) > 0 else -1)
    primitive = tuple(x // common for x in whole)
    return primitive, _product(primitive, points[0])


def _cross(u: Point, v: Point) -> Point:
    return tuple(u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3] for i in range(3))


def _product(normal: tuple[int, ...], point: Point) -> Fraction:
    return sum((n * x for n, x in zip(normal, point, strict=True)), Fraction(0))


@dataclass(frozen=True, eq=False)
class Marking:
    """The codes of marks: ``spot * names + name``. The spots of the sides come first, then the atoms of the form, for colours."""

    puzzle: Puzzle
    names: tuple[str, ...]
    spots: Spots

    @property
    def size(self) -> int:
        """The number of codes."""
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
        """Array (spots of sides): True if all faces at the side of the spot are atoms of the form."""
        form, grid = self.puzzle.form, self.puzzle.grid
        inner = [all(form.locate(f) is not None for f in grid.faces_at(side)) for side in self.spots.sides]
        return np.repeat(np.array(inner, dtype=np.bool_), self.spots.most)

    @cached_property
    def fits(self) -> Flags:
        """Array (atoms of the form, names): True if a colour may lie on an atom."""
        form = self.puzzle.form
        fits = np.ones((len(form.atoms), len(self.names)), dtype=np.bool_)
        for atom, below in form.colours.items():
            fits[form.numbering.number[atom]] = [name not in self.puzzle.fits or below in self.puzzle.fits[name] for name in self.names]
        return fits

    def moved(self, atoms: Ints, spots: Ints) -> Ints:
        """Return the image of each code for given images of atoms and spots; -1 for a spot without an image."""
        spot = np.concatenate([spots, np.where(atoms < 0, -1, self.spots.size + atoms)])[:, None]
        names = len(self.names)
        return np.where(spot < 0, -1, spot * names + np.arange(names)).astype(np.int32).reshape(-1)


def make_marking(puzzle: Puzzle) -> Marking:
    """Return the codes of the marks and colours that tiles of a puzzle carry."""
    names = tuple(dict.fromkeys(m.name for tile in puzzle.tiles for m in tile.marks))
    return Marking(puzzle, names, number_spots(puzzle.grid, _sides(puzzle), puzzle.form.wrap))


def _sides(puzzle: Puzzle) -> list[AtomId]:
    """Return the sides of the form's faces that may have marks; none if no tile has marks."""
    form, grid = puzzle.form, puzzle.grid
    if not any(not m.is_colour for tile in puzzle.tiles for m in tile.marks):
        return []
    if form.wrap is not None:
        return [side for side in form.wrap.sides.values() if grid.atoms[side[-1]].role == "mark"]
    faces = [a for a in form.atoms if grid.atoms[a[-1]].kind == grid.main_kind]
    return list({s for f in faces for s in grid.sides_of(f) if grid.atoms[s[-1]].role == "mark"})
