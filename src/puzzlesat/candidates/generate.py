"""Candidate forms by the hundred: boxes, frames, shapes, convex forms, polyforms, forms with faces cut out, enlarged tiles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, product
from math import prod
from pathlib import Path

import numpy as np

from puzzlesat.candidates.convex import convex_forms, ring
from puzzlesat.candidates.kit import Kit
from puzzlesat.candidates.motions import has_symmetries
from puzzlesat.candidates.polyforms import symmetric_polyforms
from puzzlesat.config.schema import FormTable
from puzzlesat.cover.images import least_images
from puzzlesat.errors import PuzzleError
from puzzlesat.grid.lattice import AtomId, Cell, Grid, Point, Symmetry, motion_of, translate
from puzzlesat.grid.polyforms import Images, normal
from puzzlesat.grid.region import box, inside, parts, polygon, shape
from puzzlesat.rows import padded_rows

MOST_FORMS = 100_000
"""More forms than anybody tries."""
TOGETHER = 256
"""Forms whose images are looked at together."""

Named = tuple[str, frozenset[AtomId]]


class TooManyFormsError(PuzzleError):
    """There are more forms than anybody tries."""


@dataclass(frozen=True)
class Candidate:
    """One form to be tried."""

    name: str
    table: FormTable
    path: Path | None = None
    """The file that it comes from."""
    without: str | None = None
    """The tile that does not take part."""


@dataclass(frozen=True)
class Wanted:
    """What all generated forms must have."""

    areas: Sequence[int]
    symmetries: Sequence[Symmetry]
    """Each must map the form onto itself; the identity alone asks for nothing."""
    within: Cell | None = None
    """Most cells along each lattice direction."""

    def accepts(self, atoms: frozenset[AtomId]) -> bool:
        """Tell whether a form has the symmetries and fits."""
        if self.within is not None:
            for i, most in enumerate(self.within):
                places = [a[i] for a in atoms]
                if max(places) - min(places) >= most:
                    return False
        return len(self.symmetries) == 1 or has_symmetries(atoms, self.symmetries)


def different(kit: Kit, forms: Iterable[Named], wanted: Wanted) -> list[Named]:
    """Return the forms wanted, one of each class that tiles cannot tell apart: turned, mirrored where they may be, or moved.

    Raises TooManyFormsError where there are more than anybody tries.
    """
    images = Images(kit.alike())
    found: dict[bytes, Named] = {}
    accepted = (form for form in forms if wanted.accepts(form[1]))
    for _, same_size in groupby(accepted, key=lambda form: len(form[1])):
        while some := list(islice(same_size, TOGETHER)):
            least = images.least(np.array([[*atoms] for _, atoms in some])).astype(np.int32)
            for form, image in zip(some, least, strict=True):
                found.setdefault(image.tobytes(), form)
            if len(found) > MOST_FORMS:
                raise TooManyFormsError(
                    f"more than {MOST_FORMS:,} forms; ask for more symmetry (--symmetry), a smaller box (--within) or area"
                )
    return list(found.values())


def can_be_convex(grid: Grid) -> bool:
    """Tell whether there are convex forms on a grid: it is one of faces in the plane."""
    return grid.dimension == 2 and all(len(atom.vertices) > 2 for atom in grid.atoms if atom.kind == grid.main_kind)


def numbered(kind: str, forms: Sequence[Named]) -> list[Named]:
    """Name forms by a number."""
    width = len(str(len(forms)))
    return [(f"{kind}-{number:0{width}d}", atoms) for number, (_, atoms) in enumerate(forms, start=1)]


def boxes(grid: Grid, areas: Iterable[int]) -> Iterator[Named]:
    """Yield all rectangles, on other grids parallelograms, in space boxes, those that lie before those that stand."""
    for sides in _sides(grid, areas):
        yield box_name(sides), frozenset(box(grid, sides))


def box_name(sides: Sequence[int]) -> str:
    """Name a box by its rows and columns, in space its layers before them."""
    return "x".join(map(str, reversed(sides)))


def _sides(grid: Grid, areas: Iterable[int]) -> Iterator[tuple[int, ...]]:
    each = _faces_a_cell(grid)
    for area in areas:
        if area % each == 0:
            cells = area // each
            divisors = [d for d in range(cells, 0, -1) if cells % d == 0]
            yield from (sides for sides in product(divisors, repeat=grid.dimension) if prod(sides) == cells)


def _faces_a_cell(grid: Grid) -> int:
    return sum(atom.kind == grid.main_kind for atom in grid.atoms)


def frames(grid: Grid, areas: Sequence[int]) -> Iterator[Named]:
    """Yield all boxes with a box cut out that does not touch the outside, at every place."""
    each = _faces_a_cell(grid)
    cells = {area // each for area in areas if area % each == 0}
    most = max(cells, default=0)
    for outer in product(range(most, 2, -1), repeat=grid.dimension):
        if prod(outer) - prod(side - 2 for side in outer) > most:
            continue
        for inner in product(*(range(1, side - 1) for side in outer)):
            if prod(outer) - prod(inner) in cells:
                whole = box(grid, outer)
                for corner in product(*(range(1, o - i) for o, i in zip(outer, inner, strict=True))):
                    hole = {translate(a, corner) for a in box(grid, inner)}
                    place = ".".join(str(c + 1) for c in corner)
                    yield f"{box_name(outer)}-{box_name(inner)}@{place}", frozenset(whole - hole)


def shapes(grid: Grid, areas: Sequence[int]) -> Iterator[Named]:
    """Yield the shapes of the grid file (triangles, hexagons …) that have the area."""
    for name in grid.shapes:
        for size in range(1, max(areas) + 2):
            atoms = frozenset(shape(grid, name, size))
            if len(atoms) in areas:
                yield f"{name}-{size}", atoms
            if len(atoms) > max(areas):
                break


def convex(grid: Grid, areas: Iterable[int]) -> Iterator[Named]:
    """Yield all convex forms of the plane."""
    if not can_be_convex(grid):
        raise PuzzleError(
            f"--convex: works only on grids of faces in the plane; grid {grid.name!r} is not one, but --boxes works on every grid"
        )
    for area in areas:
        yield from (("", atoms) for atoms in convex_forms(grid, area))


def polyforms(grid: Grid, wanted: Wanted) -> Iterator[Named]:
    """Yield all connected forms that have the symmetries."""
    for area in wanted.areas:
        yield from (("", atoms) for atoms in symmetric_polyforms(grid, area, wanted.symmetries, wanted.within))


def cut(grid: Grid, whole: frozenset[AtomId], wanted: Wanted) -> Iterator[Named]:
    """Yield what is left of a form, in one part, when faces are cut out so that the symmetries stay.

    Raises PuzzleError for a symmetry that the form does not have, and for a form that is too small.
    """
    motions = [motion_of(whole, g) for g in wanted.symmetries]
    if wrong := [g.name for g, motion in zip(wanted.symmetries, motions, strict=True) if motion is None]:
        raise PuzzleError(f"--cut: the form has no symmetry {wrong[0]!r}; remove --symmetry, or choose one that it has")
    orbits = sorted({tuple(sorted({m(a) for m in motions if m is not None})) for a in whole})
    if len(whole) < min(wanted.areas):
        raise PuzzleError(f"--cut: the form has {len(whole)} faces, and {min(wanted.areas)} are needed; choose a larger one")
    own = [m for g in grid.symmetries if (m := motion_of(whole, g)) is not None]
    number = {a: i for i, a in enumerate(whole)}
    images = np.array([[*(number[m(a)] for a in whole), -1] for m in own], dtype=np.int32)
    known: set[bytes] = set()
    for removed in _choices(orbits, {len(whole) - area for area in wanted.areas}):
        # of the images under the form's own symmetries one is enough, and quickly found
        least = least_images(images, padded_rows([[number[a] for a in removed]])).tobytes()
        if least in known:
            continue
        known.add(least)
        left = whole - set(removed)
        if left and len(parts(grid, left)) == 1:
            yield "", left


def grown(grid: Grid, forms: Iterable[frozenset[AtomId]], number: int) -> Iterator[Named]:
    """Yield forms with so many faces more, each beside the form or beside one that was added before it."""
    known = {*forms}
    for _ in range(number):
        known = {whole | {a} for whole in known for a in beside(grid, whole)}
        if len(known) > MOST_FORMS:
            raise PuzzleError(f"more than {MOST_FORMS:,} forms; add fewer faces")
    yield from (("", whole) for whole in sorted(known, key=sorted))


def shifted(grid: Grid, whole: frozenset[AtomId]) -> Iterator[Named]:
    """Yield what a form becomes, in one part, when one of its faces is taken away and another one laid beside what is left."""
    for face in sorted(whole):
        left = whole - {face}
        for other in sorted(beside(grid, left) - {face}):
            form = left | {other}
            if len(parts(grid, form)) == 1:
                yield "", form


def beside(grid: Grid, atoms: frozenset[AtomId]) -> set[AtomId]:
    """Return the faces that share a side with some faces, and are none of them."""
    return {b for a in atoms for b in grid.neighbours(a) if grid.atoms[b[-1]].kind == grid.main_kind} - atoms


def _choices(orbits: Sequence[tuple[AtomId, ...]], totals: set[int]) -> Iterator[list[AtomId]]:
    """Every choice of orbits with one of these numbers of atoms in all."""
    most = max(totals)
    waiting: list[tuple[int, list[AtomId]]] = [(0, [])]
    while waiting:
        first, chosen = waiting.pop()
        if len(chosen) in totals:
            yield chosen
        following = [(i + 1, [*chosen, *orbits[i]]) for i in range(first, len(orbits)) if len(chosen) + len(orbits[i]) <= most]
        waiting += reversed(following)


def replicas(kit: Kit, times: int) -> Iterator[Named]:
    """Yield each tile so many times as large, under its name.

    Raises PuzzleError on a grid whose faces do not make larger ones of the same look.
    """
    if kit.grid.dimension != 2:
        raise PuzzleError("--replicas: works only on grids in the plane")
    for tile in kit.tiles:
        faces = [a for a in tile.atoms if kit.grid.atoms[a[-1]].kind == kit.grid.main_kind]
        yield tile.name, enlarged(kit.grid, faces, times)


def enlarged(grid: Grid, atoms: Iterable[AtomId], times: int) -> frozenset[AtomId]:
    """Return the faces that some faces cover when they are enlarged. Raises PuzzleError where larger faces are not made of whole ones."""
    made: set[AtomId] = set()
    for face in normal(atoms):
        corners = [_point(times, grid, face, v) for v in ring(grid.atoms[face[-1]].vertices)]
        found = polygon(grid, corners) if len(corners) > 2 else set()
        whole = all(inside(_point(1, grid, a, v), corners) for a in found for v in grid.atoms[a[-1]].vertices)
        if len(found) != times * times or not whole:
            raise PuzzleError(f"--replicas: on grid {grid.name!r} larger faces do not consist of whole ones; give the forms in files")
        made |= found
    return frozenset(made)


def _point(times: int, grid: Grid, face: AtomId, vertex: Point) -> Point:
    """A vertex of a face, that many times as far from the origin."""
    return tuple(times * (c + x) for c, x in zip(face[:-1], vertex, strict=True))
