"""Regions of a grid: boxes, convex polygons and polytopes, connected parts, and polyforms (all connected sets of n faces)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import ceil, floor, prod
from types import MappingProxyType

import numpy as np

from puzzlesat.base import Longs, PuzzleError, least
from puzzlesat.puzzles.grid import AtomId, Grid, Symmetry, atom_order, translate
from puzzlesat.puzzles.text_pictures import parse_picture

MOST_CELLS = 100_000


def check_cells(cells: int, what: str = "cells") -> None:
    """Raise PuzzleError where a region has more cells than can be worked with, before it is made."""
    if cells > MOST_CELLS:
        raise PuzzleError(f"{cells:,} {what}; expected {MOST_CELLS:,} at most")


def box(grid: Grid, sides: Sequence[int]) -> set[AtomId]:
    """Return all atoms of the main kind in the cells from [1, 1] to ``sides``. Raises PuzzleError where they are too many."""
    check_cells(prod(sides))
    cells = product(*(range(1, side + 1) for side in sides))
    return {(*cell, a) for cell in cells for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind}


def polygon(grid: Grid, corners: Sequence[Sequence[Fraction]]) -> set[AtomId]:
    """Return all atoms of the main kind whose centre lies in a convex polygon (plane grids; either sense of rotation).

    Raises PuzzleError where it reaches over too many cells.
    """
    xs, ys = zip(*corners, strict=True)
    check_cells((ceil(max(xs)) - floor(min(xs))) * (ceil(max(ys)) - floor(min(ys))), "cells within its reach")
    found: set[AtomId] = set()
    for a in (a for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind):
        right, up = grid.centre((0, 0, a))
        for y in range(floor(min(ys)) - 1, ceil(max(ys)) + 1):
            for low, high in _in_row(corners, up + y):
                found |= {(x, y, a) for x in range(ceil(low - right), floor(high - right) + 1)}
    return found


def _in_row(corners: Sequence[Sequence[Fraction]], y: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
    """From where to where a convex polygon reaches at a height, for each sense in which its corners may go round."""
    xs, ys = zip(*corners, strict=True)
    if not min(ys) <= y <= max(ys):
        return
    for sense in (1, -1):
        low, high = Fraction(min(xs)), Fraction(max(xs))  # they matter where all corners lie in one line, or are one point
        for p, q in zip(corners, [*corners[1:], corners[0]], strict=True):
            rise = sense * (q[1] - p[1])
            most = sense * (q[0] - p[0]) * (y - p[1]) + rise * p[0]  # the edge keeps what has rise * x <= most
            if rise > 0:
                high = min(high, Fraction(most, rise))
            elif rise < 0:
                low = max(low, Fraction(most, rise))
            elif most < 0:
                break
        else:
            yield low, high


def is_convex(corners: Sequence[Sequence[Fraction]]) -> bool:
    """Tell whether corners go once round a convex polygon, in either sense."""
    count = len(corners)
    turns = []
    for i, q in enumerate(corners):
        p, r = corners[i - 1], corners[(i + 1) % count]
        turns.append((q[0] - p[0]) * (r[1] - q[1]) - (q[1] - p[1]) * (r[0] - q[0]))
    one_sense = all(t >= 0 for t in turns) or all(t <= 0 for t in turns)
    # a star turns in one sense too, but its corners do not all lie on one side of each edge
    return one_sense and any(turns) and all(inside(tuple(c), corners) for c in corners)


def shape(grid: Grid, name: str, size: int) -> set[AtomId]:
    """Return a form of the grid file's ``shapes`` of a given size, e.g. a triangle of side 5. Raises PuzzleError where it is too large."""
    corners = [[Fraction(a * size + b) for a, b in corner] for corner in grid.shapes[name]]
    return polygon(grid, corners) if grid.dimension == 2 else polytope(grid, corners)


def polytope(grid: Grid, corners: Sequence[Sequence[Fraction]]) -> set[AtomId]:
    """Return all atoms of the main kind whose centre lies in the convex hull of points of space, or on its border.

    Raises PuzzleError where it reaches over too many cells, and where the points are several and lie in one plane.
    """
    axes = [*zip(*corners, strict=True)]
    check_cells(prod(ceil(max(axis)) - floor(min(axis)) + 1 for axis in axes), "cells within its reach")
    bounds = _bounds(corners)
    if bounds is None:
        raise PuzzleError("its corners lie in one plane; expected corners of a body")
    reach = [range(floor(min(axis)) - 1, ceil(max(axis)) + 1) for axis in axes]
    atoms = [(*cell, a) for cell in product(*reach) for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
    return {atom for atom in atoms if all(_along(normal, grid.centre(atom)) <= most for normal, most in bounds)}


def _bounds(corners: Sequence[Sequence[Fraction]]) -> set[tuple[tuple[Fraction, ...], Fraction]] | None:
    """Return the half spaces ``normal x <= most`` whose intersection is the hull of the corners. None where several lie in one plane."""
    signs = [tuple(Fraction(sign * (i == axis)) for i in range(3)) for axis in range(3) for sign in (1, -1)]
    # the box alone bounds a single point, as a shape of size 1 often is
    found = {(normal, max(_along(normal, c) for c in corners)) for normal in signs}
    points = sorted({tuple(c) for c in corners})
    for p, q, r in combinations(points, 3):
        (a, b, c), (d, e, f) = (tuple(y - x for x, y in zip(p, other, strict=True)) for other in (q, r))
        normal = (b * f - c * e, c * d - a * f, a * e - b * d)
        for way in (normal, tuple(-x for x in normal)) if any(normal) else ():
            if all(_along(way, other) <= _along(way, p) for other in points):
                found.add((way, _along(way, p)))
    flat = any((tuple(-x for x in normal), -most) in found for normal, most in found)
    in_a_line = len(points) == 2  # and no three points make a plane
    return None if len(points) > 1 and (flat or in_a_line) else found


def _along(normal: Sequence[Fraction], point: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(normal, point, strict=True)), Fraction(0))


Neighbours = Callable[[AtomId], list[AtomId]]


def parts(grid: Grid, atoms: Iterable[AtomId], neighbours: Neighbours | None = None) -> list[set[AtomId]]:
    """Split atoms of the main kind into parts connected across sides, largest first."""
    near = neighbours or grid.neighbours
    left = {a for a in atoms if grid.atoms[a[-1]].kind == grid.main_kind}
    found = []
    while left:
        part, rim = set[AtomId](), {left.pop()}
        while rim:
            part |= rim
            rim = {b for a in rim for b in near(a)} & left
            left -= rim
        found.append(part)
    return sorted(found, key=len, reverse=True)


def inside(point: Sequence[Fraction], corners: Sequence[Sequence[Fraction]]) -> bool:
    """Tell whether a point lies in a convex polygon, or on its border."""
    turns = [
        (q[0] - p[0]) * (point[1] - p[1]) - (q[1] - p[1]) * (point[0] - p[0])
        for p, q in zip(corners, [*corners[1:], corners[0]], strict=True)
    ]
    # the box matters where all corners lie in one line, or are one point
    boxed = all(min(axis) <= x <= max(axis) for x, axis in zip(point, zip(*corners, strict=True), strict=True))
    return boxed and (all(t >= 0 for t in turns) or all(t <= 0 for t in turns))


Shape = tuple[AtomId, ...]
MOST_IMAGES = 250_000
"""Turned and mirrored forms that are looked at for one size: some ten seconds."""
KEPT = 32
"""So many sets of polyforms are kept."""
NOT_THERE = np.iinfo(np.int64).max // 2
"""More than any coordinate."""


def normal(atoms: Iterable[AtomId]) -> Shape:
    """Move a set of atoms so that its smallest coordinates are 0, and sort it."""
    atoms = list(atoms)
    home = tuple(-min(a[i] for a in atoms) for i in range(len(atoms[0]) - 1))
    return tuple(sorted((translate(a, home) for a in atoms), key=atom_order))


class Images:
    """Finds the least of the images of sets of atoms under symmetries of the grid and translations.

    A set of n atoms is a row of an array (sets, n, dimension + 1); in its image the smallest coordinates are 0, and the atoms are in their
    order.
    """

    def __init__(self, symmetries: Sequence[Symmetry]) -> None:
        self.symmetries = [(np.array(g.matrix), np.array(g.shift), np.array(g.image), g.over) for g in symmetries]

    def least(self, sets: Longs) -> Longs:
        """Return the least image of each of several sets of the same size."""
        flat = least(self._image(sets, *own).reshape(len(sets), -1) for own in self.symmetries)
        return flat.reshape(sets.shape)

    def least_of(self, atoms: Iterable[AtomId]) -> Shape:
        """Return the least image of one set."""
        return tuple(map(tuple, self.least(np.array([[*atoms]]))[0].tolist()))

    @staticmethod
    def _image(sets: Longs, matrix: Longs, shift: Longs, image: Longs, over: int) -> Longs:
        """The sets after a motion; one of which a ball leaves the grid becomes greater than every other."""
        own = sets[..., -1]
        moved = np.concatenate([sets[..., :-1] @ matrix.T + shift[own], image[own][..., None]], axis=-1)
        cells = moved[..., :-1]
        cells -= cells.min(axis=1, keepdims=True)
        if over > 1:
            moved[(cells % over).any(axis=(1, 2))] = NOT_THERE
            cells //= over
        order = np.lexsort((moved[..., -1], *(cells[..., i] for i in range(cells.shape[-1]))))
        return np.take_along_axis(moved, order[..., None], axis=1)


@lru_cache(KEPT)
def polyforms(grid: Grid, size: int, convention: str) -> Mapping[str, Shape]:
    """Return all polyforms of ``size`` faces by name; they are kept, for whoever asks for those of the same grid again.

    ``convention`` is ``free`` (up to turns and mirrors), ``one_sided`` (up to turns) or ``fixed`` (up to translation).
    Names are the usual ones where the grid file has them (a mirror twin gets an apostrophe), else ``SIZE-NUMBER``.
    Raises PuzzleError where they are too many.
    """
    everything = grid.symmetries
    turns = tuple(g for g in everything if not g.mirror)
    group = {"free": everything, "one_sided": turns, "fixed": everything[:1]}[convention]
    found = _grow(grid, size, group)
    if convention != "fixed" and len(grid.motions) > len(everything):
        # balls in one plane may be turned in ways in which what is grown onto them may not: so only now are these the same
        everything, group = grid.motions, tuple(g for g in grid.motions if convention == "free" or not g.mirror)
        found = _least(group, found)
    images, every = Images(group), Images(everything)
    usual = {every.least_of(atoms): (name, atoms) for name, atoms in _usual_forms(grid, size).items()}
    named: dict[str, Shape] = {}
    twins: list[tuple[str, Shape]] = []
    for number, shape in enumerate(found, start=1):
        name, drawn = usual.get(every.least_of(shape), (f"{size}-{number:02d}", shape))
        if images.least_of(shape) == images.least_of(drawn):
            named[name] = normal(drawn)
        else:
            twins.append((name, shape))
    for name, shape in twins:
        while name in named:
            name += "'"
        named[name] = shape
    return MappingProxyType(dict(sorted(named.items())))


def _grow(grid: Grid, size: int, group: Sequence[Symmetry]) -> list[Shape]:
    """Add one neighbour after the other, keeping one form of each class."""
    origin = (0,) * grid.dimension
    faces = [(*origin, a) for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
    level = _least(group, [(face,) for face in faces])
    for faces_more in range(size - 1, 0, -1):
        grown = [(*shape, neighbour) for shape in level for atom in shape for neighbour in grid.neighbours(atom) if neighbour not in shape]
        if not grown:
            raise PuzzleError(f"there is no polyform of {size} faces on grid {grid.name!r}: no more faces share a side there")
        if len(grown) * len(group) << (faces_more - 1) > MOST_IMAGES:  # each level has at least twice as many as the one before
            raise PuzzleError(f"there are too many polyforms of {size} faces on grid {grid.name!r}; ask for fewer faces")
        level = _least(group, grown)
    return level


def _least(group: Sequence[Symmetry], shapes: Sequence[Shape]) -> list[Shape]:
    """The least images of some shapes of the same size, each once and in order."""
    found = np.unique(Images(group).least(np.array(shapes)), axis=0)
    return [tuple(map(tuple, shape)) for shape in found.tolist()]


def _usual_forms(grid: Grid, size: int) -> dict[str, Shape]:
    """The named pictures of the grid file for this size."""
    forms = {}
    for name, picture in grid.polyforms.get(size, {}).items():
        try:
            forms[name] = normal(parse_picture(grid, picture).atoms)
        except PuzzleError as error:
            raise PuzzleError(f"grid {grid.name!r}: polyforms.{size}.{name}: {error}") from None
    return forms
