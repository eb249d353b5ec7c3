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
from puzzlesat.puzzles.puzzle import Form, Mark, Puzzle
from puzzlesat.puzzles.wrap import Spots, Wrap, number_spots, remainder


@dataclass(frozen=True)
class Line:
    """A straight line, in space a plane, that contains sides between atoms of the form and cuts no atom."""

    normal: tuple[int, ...]
    """A point x, in lattice coordinates, is on the line if normal · x = height."""
    height: Fraction
    below: Flags
    """The faces of the form with a smaller product; all other faces are beyond the line."""
    beyond: Flags

    @property
    def name(self) -> str:
        """Its name, such as ``line 1,0 = 3``."""
        return f"line {','.join(map(str, self.normal))} = {self.height}"


def faces_of(puzzle: Puzzle) -> list[int]:
    """Return the numbers of the atoms of the form that have the grid's main kind."""
    grid = puzzle.grid
    return [i for i, a in enumerate(puzzle.form.numbering.atoms) if grid.atoms[a[-1]].kind == grid.main_kind]


def corners(puzzle: Puzzle) -> dict[Point, list[int]]:
    """Return the corners of the faces of the form, each with the numbers of its faces."""
    grid, form = puzzle.grid, puzzle.form
    found: dict[Point, set[int]] = defaultdict(set)
    for number in faces_of(puzzle):
        atom = form.numbering.atoms[number]
        for vertex in _vertices(grid, atom):
            found[_home(grid, form.wrap, vertex)].add(number)
    return {point: sorted(found[point]) for point in sorted(found)}


def straight_sticks(puzzle: Puzzle) -> dict[Point, set[frozenset[int]]]:
    """Return for points of the form the sets of sticks that pass straight through: two in line, or one that meets itself at a seam."""
    grid, form = puzzle.grid, puzzle.form
    found: dict[Point, set[frozenset[int]]] = defaultdict(set)
    ends: dict[Point, Counter[int]] = defaultdict(Counter)
    for number in faces_of(puzzle):
        own = _vertices(grid, atom := form.numbering.atoms[number])
        for other in grid.neighbours(atom) if len(own) == 2 else ():
            there = _vertices(grid, other)
            point, *_ = set(own) & set(there)
            (a, b), (c, d) = ([x - y for x, y in zip(v, point, strict=True)] for v in (*own, *there) if v != point)
            if (home := form.locate(other)) is not None and a * d == b * c and a * c + b * d < 0:
                found[_home(grid, form.wrap, point)].add(frozenset((number, form.numbering.number[home])))
        for point in own:
            ends[_home(grid, form.wrap, point)][number] += 1
    return {point: {some for some in sticks if sum(ends[point][i] for i in some) == 2} for point, sticks in found.items()}


def _vertices(grid: Grid, atom: AtomId) -> list[Point]:
    return [tuple(x + c for x, c in zip(vertex, atom[:-1], strict=True)) for vertex in grid.atoms[atom[-1]].vertices]


def _home(grid: Grid, wrap: Wrap | None, point: Point) -> Point:
    """Return the representative of the points that are the same if the form wraps around."""
    if wrap is None:
        return point
    images = [point] if wrap.glide is None else [point, _after(grid, wrap.glide, point)]
    return min(_modulo(image, wrap.translations) for image in images)


def _after(grid: Grid, motion: Motion, point: Point) -> Point:
    """Return the image of a point under a motion, whose translation is found from the image of an atom."""
    atom = (*([0] * grid.dimension), 0)
    matrix, there = motion.symmetry.matrix, grid.centre(motion(atom))
    moved = (sum((m * x for m, x in zip(row, grid.centre(atom), strict=True)), Fraction(0)) for row in matrix)
    shift = [b - a for a, b in zip(moved, there, strict=True)]
    turned = (sum((m * x for m, x in zip(row, point, strict=True)), Fraction(0)) for row in matrix)
    return tuple(x + s for x, s in zip(turned, shift, strict=True))


def _modulo(point: Point, translations: tuple[Cell, ...]) -> Point:
    """Return a point modulo translations, computed in integers."""
    scale = lcm(*(Fraction(x).denominator for x in point))
    left = remainder(tuple(int(x * scale) for x in point), [tuple(scale * x for x in row) for row in translations])
    return tuple(Fraction(x, scale) for x in left)


def touching(puzzle: Puzzle) -> Ints:
    """Return the array (pairs, 2) of the numbers of different atoms of the form that share a side, in order."""
    places, found = puzzle.form.numbering.places, []
    for a in range(len(puzzle.grid.atoms)):
        here = np.flatnonzero(places[:, -1] == a)
        for other in puzzle.grid.neighbours((*([0] * puzzle.grid.dimension), a)) if len(here) else ():
            there = np.full((len(here), puzzle.grid.dimension + 1), other[-1], dtype=np.int64)
            there[:, :-1] = places[here, :-1] + np.array(other[:-1])
            found.append(np.stack([here, puzzle.form.numbering.of(there)], axis=1))
    pairs = np.concatenate([np.empty((0, 2), dtype=np.int64), *found])
    low, high = np.sort(pairs[(pairs[:, 1] >= 0) & (pairs[:, 0] != pairs[:, 1])], axis=1).T
    return np.stack(np.divmod(np.unique(low * len(places) + high), len(places)), axis=1).astype(np.int32)  # np.unique is slow on rows


def at_the_border(puzzle: Puzzle) -> Flags:
    """Return which atoms of the form are faces at its border or at a hole: one of their neighbours is not in the form."""
    form, grid = puzzle.form, puzzle.grid
    flags = np.zeros(len(form.numbering.atoms), dtype=np.bool_)
    for number in faces_of(puzzle):
        flags[number] = any(form.locate(other) is None for other in grid.neighbours(form.numbering.atoms[number]))
    return flags


def dividing_lines(puzzle: Puzzle) -> list[Line]:
    """Return the straight lines (in space: planes) along which a form that does not wrap around could fall in two.

    A side between two faces of the form is on each line, and the line cuts no face.
    """
    grid, form = puzzle.grid, puzzle.form
    faces = faces_of(puzzle)
    places = {form.numbering.atoms[i]: set(_vertices(grid, form.numbering.atoms[i])) for i in faces}
    found: dict[tuple[tuple[int, ...], Fraction], Line] = {}
    tried: set[tuple[tuple[int, ...], Fraction]] = set()
    for atom, own in places.items():
        for other in grid.neighbours(atom):
            if other not in places or other < atom or (line := _through(sorted(own & places[other]))) is None or line in tried:
                continue
            tried.add(line)
            if (divided := _divided(form, faces, places, *line)) is not None:
                found[line] = divided
    return [found[line] for line in sorted(found)]


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


def _divided(form: Form, faces: list[int], places: dict[AtomId, set[Point]], normal: tuple[int, ...], height: Fraction) -> Line | None:
    """Return a line with the faces on both sides of it, or None if it cuts a face."""
    below, beyond = (np.zeros(len(form.numbering.atoms), dtype=np.bool_) for _ in range(2))
    for number in faces:
        products = [_product(normal, v) for v in places[form.numbering.atoms[number]]]
        if min(products) < height < max(products):
            return None
        (below if min(products) < height else beyond)[number] = True
    return Line(normal, height, below, beyond)


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
