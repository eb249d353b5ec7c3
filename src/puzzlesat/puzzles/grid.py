"""Grids: a lattice, its atoms in exact coordinates, and the properties that follow from them.

An atom of the infinite grid is a tuple of integers ``(x, y[, z], a)``: atom ``a`` of the unit cell, moved to cell ``(x, y[, z])``.

The chess colouring of a grid is the periodic colouring with the fewest colours in which neighbours differ: black and white on squares,
triangles, cubes and half squares; three colours on hexagons.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import ceil, floor, lcm, prod
from typing import ClassVar

import numpy as np

from puzzlesat.base import Longs, PuzzleError, near_match
from puzzlesat.puzzles.convex import Corners, half_spaces, height, in_row, inside
from puzzlesat.puzzles.lattice import Matrix, apply_matrix, ball_motions, isometries, isometry_name, multiply, shortest_vectors

MAX_CELLS = 100_000
MAX_COLOURS = 3


AtomId = tuple[int, ...]
Cell = tuple[int, ...]
Point = tuple[Fraction, ...]


@dataclass(frozen=True)
class Atom:
    """An indivisible part of the unit cell: a polytope given by its vertices in lattice coordinates."""

    name: str
    kind: str
    role: str
    """``cover``: tiles cover the atom; ``mark``: tiles have marks on it and never cover it."""
    vertices: tuple[Point, ...]

    @cached_property
    def centre(self) -> Point:
        """The mean of the vertices."""
        return tuple(sum(axis, Fraction(0)) / len(self.vertices) for axis in zip(*self.vertices, strict=True))


@dataclass(frozen=True)
class CellSite:
    """One character of the text picture of a cell: its place, and the atoms that each glyph represents."""

    at: tuple[int, ...]
    glyphs: dict[str, tuple[int, ...]]
    optional: dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Layout:
    """The layout of text pictures of a grid: ``steps[i]`` are the columns, rows upwards (and layers) of lattice step ``i``."""

    steps: tuple[tuple[int, ...], ...]
    sites: tuple[CellSite, ...]


@dataclass(frozen=True)
class Crossing:
    """If tiles must not cross, a tile with all atoms of ``through`` also covers ``blocks``."""

    through: tuple[AtomId, ...]
    blocks: tuple[AtomId, ...]


@dataclass(frozen=True)
class Symmetry:
    """A symmetry of the grid: atom ``(c, a)`` goes to ``(matrix c + shift[a], image[a])``."""

    name: str
    matrix: Matrix
    image: tuple[int, ...]
    shift: tuple[Cell, ...]
    mirror: bool
    """True if it exchanges left and right (determinant -1)."""
    degrees: int | None
    """The angle of a turn in the plane, counterclockwise; None for mirrors and in space."""
    over: int = 1
    """The divisor of ``matrix`` and ``shift``: more than 1 for a motion of balls that moves some balls of the grid off the grid."""

    def __call__(self, atom: AtomId) -> AtomId:
        """Return the image of an atom of the infinite grid, its cell multiplied by ``over``."""
        *cell, a = atom
        moved = apply_matrix(self.matrix, tuple(cell))
        return (*(m + s for m, s in zip(moved, self.shift[a], strict=True)), self.image[a])

    def on_places(self, places: Longs) -> Longs:
        """Return the images of the rows of an array (…, dimension + 1), each an atom; their cells multiplied by ``over``."""
        own = places[..., -1]
        cells = places[..., :-1] @ np.array(self.matrix).T + np.array(self.shift)[own]
        return np.concatenate([cells, np.array(self.image)[own][..., None]], axis=-1)

    def on_grid(self, atom: AtomId) -> AtomId | None:
        """Return a moved image with its cell divided by ``over``, or None if this is not an atom of the grid."""
        if self.over == 1:
            return atom
        return None if any(c % self.over for c in atom[:-1]) else (*(c // self.over for c in atom[:-1]), atom[-1])

    def motion_of(self, atoms: Iterable[AtomId]) -> Motion | None:
        """Return the motion by which the symmetry maps a set of atoms onto itself, or None if there is none."""
        here = set(atoms)
        images = [self(a) for a in here]
        home = tuple(min(a[i] for a in here) - min(a[i] for a in images) for i in range(len(images[0]) - 1))
        return Motion(self, home) if all(translate(a, home) in here for a in images) else None


@dataclass(frozen=True)
class Motion:
    """A symmetry of the grid, followed by a translation."""

    symmetry: Symmetry
    move: Cell

    def __call__(self, atom: AtomId) -> AtomId:
        """Return the image of an atom."""
        return translate(self.symmetry(atom), self.move)


@dataclass(frozen=True, eq=False)
class Grid:
    """A periodic arrangement of atoms. Its other properties are computed from these fields."""

    BLANK: ClassVar[str] = "."
    """The character of pictures for a place outside."""
    FREE: ClassVar[str] = "·"
    """An empty place in a picture of a position: in a picture of a form it is an atom, in a picture of a tile it is blank."""

    name: str
    title: str
    gram: tuple[tuple[Fraction, ...], ...]
    atoms: tuple[Atom, ...]
    layout: Layout
    rings: dict[int, tuple[AtomId, ...]]
    """The atoms round a face of the unit cell, clockwise from its top left, with cells relative to it."""
    shapes: dict[str, tuple[tuple[tuple[int, int], ...], ...]]
    """Corners of a convex polygon, in space of a convex body, of size n, each coordinate ``a n + b`` as ``(a, b)``."""
    polyforms: dict[int, dict[str, str]]
    crossings: tuple[Crossing, ...]
    """One crossing of each class under the symmetries of the grid."""
    ring_names: str = ""
    """The names of the atoms round a face, in order."""

    def is_same(self, other: Grid) -> bool:
        """Return whether another grid has the same name, lattice and atoms. ``==`` is identity, since properties are cached by object."""
        return self is other or all(getattr(self, key) == getattr(other, key) for key in ("name", "gram", "atoms", "rings", "crossings"))

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return len(self.gram)

    @property
    def main_kind(self) -> str:
        """The kind of the first atom, which pictures draw."""
        return self.atoms[0].kind

    def number_of(self, atoms: Iterable[AtomId], kind: str | None = None) -> int:
        """Return the number of atoms of a kind (default: the main kind)."""
        kind = kind or self.main_kind
        return sum(self.atoms[a[-1]].kind == kind for a in atoms)

    def index(self, name: str) -> int:
        """Return the number of the atom with that name; raise KeyError if there is none."""
        for a, atom in enumerate(self.atoms):
            if atom.name == name:
                return a
        raise KeyError(name)

    def centre(self, atom: AtomId) -> Point:
        """Return the centre of an atom in lattice coordinates."""
        return tuple(c + x for c, x in zip(atom[:-1], self.atoms[atom[-1]].centre, strict=True))

    def vertices(self, atom: AtomId) -> list[Point]:
        """Return the vertices of an atom in lattice coordinates."""
        return [tuple(c + x for c, x in zip(atom[:-1], v, strict=True)) for v in self.atoms[atom[-1]].vertices]

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """All symmetries up to lattice translations: the identity first, turns by angle, then mirrors."""
        found: list[Symmetry] = []
        for matrix, mirror in isometries(self.gram):
            # there is at most one map: two would differ by a translation outside the lattice, and such grids are refused
            for image, shift, _ in self._atom_maps(matrix):
                name, degrees = isometry_name(matrix, self.gram, mirror=mirror)
                found.append(Symmetry(name, matrix, image, shift, mirror, degrees))
        return tuple(found)

    def generated(self, symmetries: Iterable[Symmetry]) -> tuple[Symmetry, ...]:
        """Return the group of symmetries that some symmetries generate."""
        chosen = {self.symmetries[0].matrix, *(g.matrix for g in symmetries)}
        while more := {multiply(a, b) for a in chosen for b in chosen} - chosen:
            chosen |= more
        return tuple(g for g in self.symmetries if g.matrix in chosen)

    @cached_property
    def further_translations(self) -> list[Point]:
        """The translations outside the lattice that map the atoms to atoms of their kind, modulo the lattice."""
        n = self.dimension
        still = tuple(tuple(int(i == j) for j in range(n)) for i in range(n))
        moves = {tuple(x % 1 for x in move) for _, _, move in self._atom_maps(still)}
        return sorted(move for move in moves if any(move))

    @cached_property
    def motions(self) -> tuple[Symmetry, ...]:
        """The motions that may turn tiles: the symmetries and, for balls in space, other motions that map some balls to balls."""
        if self.dimension == 2 or not self.of_balls:
            return self.symmetries
        found = ball_motions(self.gram)
        further = (
            Symmetry(f"motion {number}", matrix, (0,), ((0, 0, 0),), number > len(found) // 2, None, over)
            for number, (matrix, over) in enumerate(found, start=1)
        )
        return (*self.symmetries, *further)

    @property
    def of_balls(self) -> bool:
        """True if the atoms are balls: points, one in each cell."""
        return len(self.atoms) == 1 and len(self.atoms[0].vertices) == 1

    @cached_property
    def _scaled(self) -> tuple[int, list[list[Cell]], list[Cell]]:
        """A factor that makes all vertices and centres integers, and the vertices and the centres times this factor."""
        scale = lcm(*(x.denominator * len(atom.vertices) for atom in self.atoms for v in atom.vertices for x in v))
        shapes = [[tuple(int(x * scale) for x in v) for v in atom.vertices] for atom in self.atoms]
        return scale, shapes, [tuple(sum(axis) // len(shape) for axis in zip(*shape, strict=True)) for shape in shapes]

    @cached_property
    def _by_shape(self) -> dict[tuple[str, str, frozenset[Cell]], int]:
        """The atoms of the unit cell by kind, role and vertices modulo the lattice."""
        scale, shapes, _ = self._scaled
        return {(atom.kind, atom.role, _modulo_lattice(v, scale)): a for a, (atom, v) in enumerate(zip(self.atoms, shapes, strict=True))}

    @property
    def atoms_differ(self) -> bool:
        """True if no two atoms of one kind have the same vertices."""
        return len({(kind, vertices) for kind, _, vertices in self._by_shape}) == len(self.atoms)

    def _atom_maps(self, matrix: Matrix) -> list[tuple[tuple[int, ...], tuple[Cell, ...], Point]]:
        """Return every translation, modulo the lattice, that maps the turned atoms onto the atoms, with their images and shifts."""
        maps = []
        scale, shapes, centres = self._scaled
        by_shape = self._by_shape
        turned = [[apply_matrix(matrix, v) for v in vertices] for vertices in shapes]
        turned_centres = [apply_matrix(matrix, centre) for centre in centres]
        moves = [tuple(t - s for t, s in zip(target, turned_centres[0], strict=True)) for target in centres]
        # translations that differ by a lattice vector are equivalent: take the first
        for move in {tuple(x % scale for x in move): move for move in reversed(moves)}.values():
            image: list[int] = []
            shift: list[Cell] = []
            for atom, vertices, turned_centre in zip(self.atoms, turned, turned_centres, strict=True):
                a = by_shape.get((atom.kind, atom.role, _modulo_lattice([_add(v, move) for v in vertices], scale)))
                if a is None:
                    break
                image.append(a)
                shift.append(tuple((c - o) // scale for c, o in zip(_add(turned_centre, move), centres[a], strict=True)))
            else:
                maps.append((tuple(image), tuple(shift), tuple(Fraction(x, scale) for x in move)))
        return maps

    @cached_property
    def _contacts(self) -> tuple[dict[AtomId, int], ...]:
        """The atoms that share vertices with each atom of the cell [0, 0], with the number of shared vertices."""
        corners: dict[Point, list[AtomId]] = defaultdict(list)
        for a, atom in enumerate(self.atoms):
            for v in atom.vertices:
                base = tuple(x // 1 for x in v)
                corners[tuple(x - b for x, b in zip(v, base, strict=True))].append((*(-b for b in base), a))
        contacts = []
        for a, atom in enumerate(self.atoms):
            shared: Counter[AtomId] = Counter()
            for v in atom.vertices:
                base = tuple(int(x // 1) for x in v)
                for other in corners[tuple(x - b for x, b in zip(v, base, strict=True))]:
                    touching = translate(other, base)
                    shared[touching] += 1
            itself = (*([0] * self.dimension), a)
            del shared[itself]
            contacts.append(dict(shared))
        return tuple(contacts)

    @cached_property
    def crossing_kinds(self) -> frozenset[str]:
        """The kinds of atoms that tiles also cover if they must not cross."""
        return frozenset(self.atoms[a[-1]].kind for crossing in self.crossings for a in crossing.blocks)

    @cached_property
    def all_crossings(self) -> frozenset[Crossing]:
        """The crossings and their images under the symmetries, each moved so that the first of its atoms lies in the cell [0, 0]."""
        images = [(sorted(map(g, c.through)), sorted(map(g, c.blocks))) for g in self.symmetries for c in self.crossings]
        homes = [tuple(-x for x in through[0][:-1]) for through, _ in images]
        return frozenset(
            Crossing(tuple(translate(a, home) for a in through), tuple(translate(a, home) for a in blocks))
            for (through, blocks), home in zip(images, homes, strict=True)
        )

    def crossings_of(self, atoms: Iterable[AtomId], home: Callable[[AtomId], AtomId | None] | None = None) -> set[AtomId]:
        """Return the atoms that a tile with these atoms also covers, so that no other tile crosses it.

        If a form wraps around, ``home`` maps atoms of the grid to its atoms, because a tile may continue beyond a seam. The result then
        has the atoms beside each of the atoms that the tile passes through, so it may have several names of one atom.
        """
        here = set(atoms)
        found: set[AtomId] = set()
        for crossing in self.all_crossings:
            for first in crossing.through if home is not None else crossing.through[:1]:
                for atom in here:
                    move = tuple(x - y for x, y in zip(atom[:-1], first[:-1], strict=True))
                    through = [translate(a, move) for a in crossing.through] if atom[-1] == first[-1] else []
                    if through and here.issuperset(through if home is None else map(home, through)):
                        found.update(translate(a, move) for a in crossing.blocks)
        return found

    def neighbours(self, atom: AtomId) -> list[AtomId]:
        """Return the atoms of the same kind that share a side with an atom: 2 vertices in the plane, 3 in space, 1 for edges.

        The neighbours of a ball are the nearest balls.
        """
        if self.of_balls:
            return [translate(atom, v) for v in self._nearest]
        kind = self.atoms[atom[-1]].kind
        side = 1 if len(self.atoms[atom[-1]].vertices) == 2 else self.dimension
        return [
            translate(other, atom[:-1])
            for other, shared in self._contacts[atom[-1]].items()
            if shared >= side and self.atoms[other[-1]].kind == kind
        ]

    @cached_property
    def _nearest(self) -> list[Cell]:
        return shortest_vectors(self.gram)

    def faces_at(self, side: AtomId) -> list[AtomId]:
        """Return the atoms of the main kind at a side, edge or slot, in a fixed order."""
        size = len(self.atoms[side[-1]].vertices)
        found = [
            translate(other, side[:-1])
            for other, shared in self._contacts[side[-1]].items()
            if shared == size and self.atoms[other[-1]].kind == self.main_kind
        ]
        return sorted(found, key=atom_order)

    def sides_of(self, face: AtomId) -> list[AtomId]:
        """Return the atoms of other kinds on the border of a face."""
        found = [
            translate(other, face[:-1])
            for other, shared in self._contacts[face[-1]].items()
            if shared == len(self.atoms[other[-1]].vertices) and self.atoms[other[-1]].kind != self.main_kind
        ]
        return sorted(found, key=atom_order)

    def box(self, sides: Sequence[int]) -> set[AtomId]:
        """Return all atoms of the main kind in the cells from [1, 1] to ``sides``. Raises PuzzleError if there are too many cells."""
        check_cells(prod(sides))
        cells = product(*(range(1, side + 1) for side in sides))
        return {(*cell, a) for cell in cells for a, atom in enumerate(self.atoms) if atom.kind == self.main_kind}

    def polygon(self, corners: Corners, *, whole: bool = False) -> set[AtomId]:
        """Return all atoms of the main kind whose centre is in a convex polygon (plane grids; either sense of rotation).

        If ``whole``, return only atoms with all vertices in it. Raises PuzzleError if its bounding box has too many cells.
        """
        xs, ys = zip(*corners, strict=True)
        check_cells((ceil(max(xs)) - floor(min(xs))) * (ceil(max(ys)) - floor(min(ys))), "cells within its reach")
        found: set[AtomId] = set()
        for a in (a for a, atom in enumerate(self.atoms) if atom.kind == self.main_kind):
            right, up = self.centre((0, 0, a))
            for y in range(floor(min(ys)) - 1, ceil(max(ys)) + 1):
                for low, high in in_row(corners, up + y):
                    found |= {(x, y, a) for x in range(ceil(low - right), floor(high - right) + 1)}
        return found if not whole else {a for a in found if all(inside(v, corners) for v in self.vertices(a))}

    def polytope(self, corners: Corners) -> set[AtomId]:
        """Return all atoms of the main kind whose centre is in the convex hull of points of space, or on its border.

        Raises PuzzleError if its bounding box has too many cells, or if there are several points and all are in one plane.
        """
        axes = [*zip(*corners, strict=True)]
        check_cells(prod(ceil(max(axis)) - floor(min(axis)) + 1 for axis in axes), "cells within its reach")
        bounds = half_spaces(corners)
        if bounds is None:
            raise PuzzleError("its corners lie in one plane; expected corners of a body")
        reach = [range(floor(min(axis)) - 1, ceil(max(axis)) + 1) for axis in axes]
        atoms = [(*cell, a) for cell in product(*reach) for a, atom in enumerate(self.atoms) if atom.kind == self.main_kind]
        return {atom for atom in atoms if all(height(normal, self.centre(atom)) <= most for normal, most in bounds)}

    def shape(self, name: str, size: int) -> set[AtomId]:
        """Return a form of the grid's ``shapes`` with a size, such as a triangle of side 5. Raises PuzzleError if it is too large."""
        corners = [[Fraction(a * size + b) for a, b in corner] for corner in self.shapes[name]]
        return self.polygon(corners) if self.dimension == 2 else self.polytope(corners)

    def parts(self, atoms: Iterable[AtomId], neighbours: Callable[[AtomId], list[AtomId]] | None = None) -> list[set[AtomId]]:
        """Split atoms of the main kind into parts connected across sides, largest first."""
        near = neighbours or self.neighbours
        left = {a for a in atoms if self.atoms[a[-1]].kind == self.main_kind}
        found = []
        while left:
            part, rim = set[AtomId](), {left.pop()}
            while rim:
                part |= rim
                rim = {b for a in rim for b in near(a)} & left
                left -= rim
            found.append(part)
        return sorted(found, key=len, reverse=True)

    def atom_at(self, ref: list[int | str]) -> AtomId:
        """Return the atom ``[x, y, "NAME"]``, or ``[x, y]`` for the first atom of the grid; raise PuzzleError if it does not exist."""
        cell = [c for c in ref if isinstance(c, int)]
        names = [c for c in ref if isinstance(c, str)]
        if len(cell) != self.dimension or len(names) > 1:
            example = [1] * self.dimension + [self.atoms[0].name]
            raise PuzzleError(
                f"{ref} is not an atom of grid {self.name!r}; expected {self.dimension} numbers and a name, such as {example}"
            )
        try:
            return (*cell, self.index(names[0]) if names else 0)
        except KeyError:
            raise PuzzleError(f"grid {self.name!r} has no atom {names[0]!r}{near_match(names[0], [a.name for a in self.atoms])}") from None

    def atoms_at(self, refs: Iterable[list[int | str]]) -> set[AtomId]:
        """Return a list of atoms as a set; raise PuzzleError for atoms that do not exist or are listed twice."""
        found: set[AtomId] = set()
        wrong: list[str] = []
        for ref in refs:
            try:
                atom = self.atom_at(ref)
            except PuzzleError as error:
                wrong += error.problems
                continue
            if atom in found:
                wrong.append(f"{ref} is listed twice; remove one")
            found.add(atom)
        if wrong:
            raise PuzzleError(*dict.fromkeys(wrong))
        return found

    def show(self, atom: AtomId) -> str:
        """Return an atom as text, as a file states it."""
        return str(self.ref(atom)).replace("'", '"')

    def ref(self, atom: AtomId) -> list[int | str]:
        """Return an atom as a file states it: its cell, and its name if the grid has several atoms in a cell."""
        return [*atom[:-1]] if len(self.atoms) == 1 else [*atom[:-1], self.atoms[atom[-1]].name]

    @cached_property
    def periodic_colouring(self) -> tuple[int, tuple[int, ...], tuple[int, ...]] | None:
        """The least m up to 3, with along and shift, such that neighbours differ in (along · cell + shift[atom]) mod m; or None.

        Only atoms of the main kind are coloured.
        """
        origin = (0,) * self.dimension
        faces = [a for a, atom in enumerate(self.atoms) if atom.kind == self.main_kind]
        pairs = [(a, other) for a in faces for other in self.neighbours((*origin, a))]
        for m in range(2, MAX_COLOURS + 1):
            for along in product(range(m), repeat=self.dimension):
                steps = [(a, other[-1], sum(k * c for k, c in zip(along, other[:-1], strict=True))) for a, other in pairs]
                if (shift := _first_shifts(m, faces, steps)) is not None:
                    return m, along, tuple(shift.get(a, 0) for a in range(len(self.atoms)))
        return None

    def chess_colour(self, atom: AtomId) -> int | None:
        """Return the colour of an atom in the grid's chess colouring; None for other kinds, or if there is no such colouring."""
        found = self.periodic_colouring
        if found is None or self.atoms[atom[-1]].kind != self.main_kind:
            return None
        m, along, shift = found
        return (sum(k * c for k, c in zip(along, atom[:-1], strict=True)) + shift[atom[-1]]) % m

    def position(self, site: CellSite, cell: Cell) -> Cell:
        """Return the position of a site of a cell in a picture: column, row upwards and, in space, layer."""
        place = site.at
        for c, step in zip(cell, self.layout.steps, strict=True):
            place = tuple([x + c * s for x, s in zip(place, step, strict=True)])  # faster than a generator
        return place

    def check_has_pictures(self, otherwise: str) -> None:
        """Raise PuzzleError if the grid has no text pictures; ``otherwise`` tells the user what else to do."""
        if not self.layout.sites:
            raise PuzzleError(f"grid {self.name!r} has no text pictures: the key 'picture' of the grid is missing; add it, or {otherwise}")

    def place_of(self, atom: AtomId) -> tuple[Cell, CellSite] | None:
        """Return the position and the site of an atom in a picture; None for an atom that pictures do not draw."""
        for site in self.layout.sites:
            if atom[-1] in next(iter(site.glyphs.values())):
                return self.position(site, atom[:-1]), site
        return None

    @property
    def empty_place(self) -> str:
        """The character of an empty place."""
        return " " if self.dimension == 2 else "."


def check_cells(cells: int, what: str = "cells") -> None:
    """Raise PuzzleError if a region has too many cells, before it is made."""
    if cells > MAX_CELLS:
        raise PuzzleError(f"{cells:,} {what}; expected {MAX_CELLS:,} at most")


def atom_order(atom: AtomId) -> tuple[int, ...]:
    """Return the sort key of an atom: layers from below, rows bottom to top, left to right, then the order inside the cell."""
    return (*reversed(atom[:-1]), atom[-1])


def translate(atom: AtomId, by: Cell) -> AtomId:
    """Return an atom moved by a lattice vector."""
    return (*(c + d for c, d in zip(atom[:-1], by, strict=True)), atom[-1])


def _add(a: Cell, b: Cell) -> Cell:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _modulo_lattice(vertices: list[Cell], scale: int) -> frozenset[Cell]:
    """Return a set of vertices (scaled to integers), moved by a lattice vector so that all translates become equal."""
    base = [sum(axis) // len(vertices) // scale * scale for axis in zip(*vertices, strict=True)]
    return frozenset(tuple(x - b for x, b in zip(v, base, strict=True)) for v in vertices)


def _first_shifts(m: int, faces: list[int], steps: list[tuple[int, int, int]]) -> dict[int, int] | None:
    """Return the first shifts such that (step + shift of b - shift of a) mod m is not 0 for any step from a to b, or None.

    The search backtracks: a step is checked as soon as both its atoms have shifts, because a cell may have two dozen atoms.
    """
    place = {a: i for i, a in enumerate(faces)}
    due = [[s for s in steps if max(place[s[0]], place[s[1]]) == i] for i in range(len(faces))]
    shift: dict[int, int] = {}

    def extend(i: int) -> bool:
        if i == len(faces):
            return True
        for value in range(m if i else 1):
            shift[faces[i]] = value
            if all((step + shift[b] - shift[a]) % m for a, b, step in due[i]) and extend(i + 1):
                return True
        return False

    return shift if extend(0) else None
