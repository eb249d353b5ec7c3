"""Generate candidate forms: boxes, frames, shapes, convex forms, polyforms, forms with faces cut out, enlarged tiles.

Convex forms are polygons whose sides run along the sides of the faces; polyforms with given symmetries grow orbit by orbit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cmp_to_key
from itertools import groupby, islice, product
from math import atan2, ceil, lcm, prod, sqrt
from pathlib import Path
from typing import TypeVar

import numpy as np

from puzzlesat.base import PuzzleError
from puzzlesat.designing.motions import Group, along_axes, axes, groups, has_symmetries, named_symmetries
from puzzlesat.designing.tile_set import Kit, key_of
from puzzlesat.puzzles import AtomId, Cell, FormTable, Grid, Images, Point, Symmetry, atom_order, translate

Vector = tuple[int, int]
Corner = TypeVar("Corner", tuple[int, int], tuple[Fraction, ...])


@dataclass(frozen=True)
class _PolygonSteps:
    """The possible next steps of a polygon from each point modulo the lattice. Coordinates are integers; ``unit`` is a lattice vector."""

    unit: int
    steps: dict[Vector, tuple[Vector, ...]]
    """The steps from each point, sorted by angle, counterclockwise."""
    each: int
    """Summand of a step, added to twice the area: polygons of the wanted number of faces have a sum from ``least`` to ``most``."""
    least: int
    most: int
    run: int
    """Largest number of points of a path that encloses no area yet."""


def convex_forms(grid: Grid, size: int) -> Iterator[frozenset[AtomId]]:
    """Yield every convex form of ``size`` faces in the plane, each at least once up to translation.

    If no two sides of faces continue each other in a straight line (hexagons), polygons run through the centres of neighbouring faces
    instead.
    """
    faces = [a for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
    if size == 1:
        yield from (frozenset([(0, 0, a)]) for a in faces)
        return
    ways = _along_sides(grid, size)
    if len(faces) == 1 and not any(_opposite(steps) for steps in ways.steps.values()):
        ways = _through_middles(grid, size, faces[0])
    middle = [Fraction(0), Fraction(0)] if ways.each == 0 else grid.centre((0, 0, faces[0]))
    for corners in _polygons(ways):
        atoms = grid.polygon([[c + Fraction(x, ways.unit) for c, x in zip(middle, corner, strict=True)] for corner in corners])
        if len(atoms) == size:
            yield frozenset(atoms)


def ring(points: Sequence[Corner]) -> list[Corner]:
    """Return the vertices of a convex face in counterclockwise order."""
    x, y = (float(sum(axis)) / len(points) for axis in zip(*points, strict=True))
    return sorted(points, key=lambda p: atan2(p[1] - y, p[0] - x))


def _along_sides(grid: Grid, size: int) -> _PolygonSteps:
    faces = [atom.vertices for atom in grid.atoms if atom.kind == grid.main_kind]
    unit = lcm(*(x.denominator for face in faces for v in face for x in v))
    steps: dict[Vector, set[Vector]] = defaultdict(set)
    areas, sides = [], []
    for face in faces:
        points = ring([_whole(v, unit) for v in face])
        edges = [(p, _minus(q, p)) for p, q in zip(points, [*points[1:], points[0]], strict=True)]
        for p, step in edges:
            steps[_home(p, unit)].add(step)
            steps[_home((p[0] + step[0], p[1] + step[1]), unit)].add((-step[0], -step[1]))
        areas.append(sum(_cross(p, step) for p, step in edges))
        sides.append(len(edges))
    return _PolygonSteps(unit, _by_angle(steps), 0, size * min(areas), size * max(areas), size * max(sides))


def _through_middles(grid: Grid, size: int, face: int) -> _PolygonSteps:
    """Return the steps between centres of faces, which are lattice points: by Pick's theorem 2 n = 2 area + steps + 2."""
    steps = {_minus((other[0], other[1]), (0, 0)) for other in grid.neighbours((0, 0, face))}
    return _PolygonSteps(1, _by_angle({(0, 0): steps}), 1, 2 * size - 2, 2 * size - 2, 2 * size)  # a row is a path there and back


def _polygons(ways: _PolygonSteps) -> Iterator[list[Vector]]:
    """Yield every closed path that only turns left, once round, from its leftmost lowest point."""
    for start in ways.steps:
        path: list[Vector] = [start]
        # the untried steps at each point of the path, and twice the area swept up to the point
        open_: list[tuple[Iterator[Vector], int]] = [(iter(ways.steps[start]), 0)]
        taken: list[Vector] = []
        while open_:
            steps, area = open_[-1]
            step = next(steps, None)
            if step is None:
                open_.pop()
                path.pop()
                if taken:
                    taken.pop()
                continue
            here = path[-1]
            there = (here[0] + step[0], here[1] + step[1])
            if taken and _order(step, taken[-1]) < 0:
                continue
            swept = area + _cross(_minus(here, start), step)
            total = swept + ways.each * len(path)
            if swept < area or total > ways.most or (swept == 0 and len(path) > ways.run):
                continue
            if there == start:
                if total >= ways.least:
                    yield _corners(path)
            elif there[1] > start[1] or (there[1] == start[1] and there[0] > start[0]):
                path.append(there)
                taken.append(step)
                open_.append((iter(ways.steps[_home(there, ways.unit)]), swept))


def _corners(path: list[Vector]) -> list[Vector]:
    """Return the path without points inside sides. A path there and back has two corners; the second is repeated."""
    following = [*path[1:], path[0]]
    kept = [p for o, p, q in zip([path[-1], *path], path, following, strict=False) if _turns(o, p, q)]
    return kept if len(kept) > 2 else [*kept, kept[-1]] if len(kept) == 2 else path


def _turns(o: Vector, p: Vector, q: Vector) -> bool:
    before, after = _minus(p, o), _minus(q, p)
    return _cross(before, after) != 0 or before[0] * after[0] + before[1] * after[1] < 0


def _by_angle(steps: dict[Vector, set[Vector]]) -> dict[Vector, tuple[Vector, ...]]:
    return {point: tuple(sorted(own, key=cmp_to_key(_order))) for point, own in sorted(steps.items())}


def _order(v: Vector, w: Vector) -> int:
    """Compare directions by their angle from (1, 0), counterclockwise, exactly."""
    halves = [y < 0 or (y == 0 and x < 0) for x, y in (v, w)]
    if halves[0] != halves[1]:
        return 1 if halves[0] else -1
    side = _cross(v, w)
    return (side < 0) - (side > 0)


def _opposite(steps: tuple[Vector, ...]) -> bool:
    return any(_cross(v, w) == 0 and v[0] * w[0] + v[1] * w[1] < 0 for v in steps for w in steps)


def _whole(point: Point, unit: int) -> Vector:
    x, y = (int(c * unit) for c in point)
    return x, y


def _home(point: Vector, unit: int) -> Vector:
    return point[0] % unit, point[1] % unit


def _minus(p: Vector, q: Vector) -> Vector:
    return p[0] - q[0], p[1] - q[1]


def _cross(v: Vector, w: Vector) -> int:
    return v[0] * w[1] - v[1] * w[0]


Orbit = tuple[AtomId, ...]
SLACK = 1e-9


def symmetric_polyforms(grid: Grid, size: int, symmetries: Sequence[Symmetry], within: Cell | None = None) -> Iterator[frozenset[AtomId]]:
    """Yield all connected forms of ``size`` faces that these symmetries map onto themselves, each at least once up to translation.

    ``within`` limits the cells along each lattice direction. Forms grow by whole orbits of the group, each set of orbits once (D. H.
    Redelmeier, "Counting polyominoes: yet another attack", Discrete Mathematics 36, 1981, with orbits in place of cells).
    """
    for group in groups(grid, symmetries):
        yield from _grow(grid, size, group, within)


def _grow(grid: Grid, size: int, group: Group, within: Cell | None) -> Iterator[frozenset[AtomId]]:
    orbits = _Orbits(grid, size, group)
    for root in orbits.roots():
        seen = {root}
        chosen: list[Orbit] = []
        # the untried orbits of each level, and the orbits that it added to ``seen``
        levels: list[tuple[list[Orbit], list[Orbit]]] = [([root], [])]
        total = 0
        while levels:
            untried, made = levels[-1]
            if not untried:
                seen.difference_update(made)
                levels.pop()
                if chosen:
                    total -= len(chosen.pop())
                continue
            following = untried.pop()
            if total + len(following) > size or not _fits([*chosen, following], within):
                continue
            if total + len(following) == size:
                atoms = frozenset(a for own in (*chosen, following) for a in own)
                if len(group) == 1 or _connected(atoms, orbits.neighbours):
                    yield atoms
                continue
            more = [o for o in orbits.beside(following) if o not in seen and atom_order(o[0]) > atom_order(root[0])]
            seen.update(more)
            chosen.append(following)
            total += len(following)
            levels.append(([*untried, *more], more))


class _Orbits:
    """The orbits of a group of motions, for connected forms of ``size`` faces."""

    def __init__(self, grid: Grid, size: int, group: Group) -> None:
        self.grid, self.size, self.group = grid, size, group
        self.neighbours = cache(grid.neighbours)
        self.of_atom: dict[AtomId, Orbit] = {}
        self.middle = [tuple(map(float, atom.centre)) for atom in grid.atoms]
        self.gram = [[float(g) for g in row] for row in grid.gram]
        origin = (0,) * grid.dimension
        self.faces = [(*origin, a) for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
        self.step = max((self._distance(face, other) for face in self.faces for other in self.neighbours(face)), default=1.0)
        self.beside = cache(self._beside)

    def orbit(self, atom: AtomId) -> Orbit:
        """Return the images of an atom, the smallest first."""
        if atom not in self.of_atom:
            own = tuple(sorted({g(atom) for g in self.group}, key=atom_order))
            self.of_atom.update(dict.fromkeys(own, own))
        return self.of_atom[atom]

    def _beside(self, own: Orbit) -> tuple[Orbit, ...]:
        """Return the neighbouring orbits. The neighbours of one atom are enough: the group maps them to the neighbours of the others."""
        found = dict.fromkeys(self.orbit(a) for a in self.neighbours(own[0]))
        return tuple(o for o in found if o != own and self._can_be_joined(o))

    def roots(self) -> list[Orbit]:
        """Return the orbits that can be the first orbit of a form, up to translation along the axes of the group."""
        basis = axes(self.grid, [g.symmetry for g in self.group])

        def stands_for(atom: AtomId) -> Orbit:
            return self.orbit(along_axes(self.orbit(atom)[0], basis))

        waiting = list(dict.fromkeys(map(stands_for, self.faces)))
        seen = set(waiting)
        while waiting:
            own = waiting.pop()
            for atom in self.neighbours(own[0]):
                other = stands_for(atom)
                if other not in seen and self._spread(other) <= (self.size + 3) * self.step:
                    seen.add(other)
                    waiting.append(other)
        return sorted((o for o in seen if self._can_be_joined(o)), key=lambda o: atom_order(o[0]))

    def _spread(self, own: Orbit) -> float:
        """Return the distance of an atom from the furthest of its images."""
        return max(self._distance(own[0], other) for other in own)

    def _can_be_joined(self, own: Orbit) -> bool:
        """Return whether a connected form of this size can contain all atoms of an orbit.

        Two atoms of a form are at most ``size`` − 1 steps from neighbour to neighbour apart. If any two atoms of the orbit are at least s
        steps apart, at least 1 + ⌊(s − 1) / 2⌋ atoms of the form are nearer to each of them than to any other.
        """
        if len(own) == 1:
            return True
        nearest = ceil(min(self._distance(own[0], other) for other in own[1:]) / self.step - SLACK)
        return len(own) * (1 + (nearest - 1) // 2) <= self.size and self._spread(own) <= (self.size - 1) * self.step + SLACK

    def _distance(self, one: AtomId, other: AtomId) -> float:
        p, q = self.middle[one[-1]], self.middle[other[-1]]
        v = [a + x - b - y for a, x, b, y in zip(one[:-1], p, other[:-1], q, strict=True)]
        return sqrt(sum(x * g * y for x, row in zip(v, self.gram, strict=True) for g, y in zip(row, v, strict=True)))


def _fits(orbits: Sequence[Orbit], within: Cell | None) -> bool:
    if within is None:
        return True
    for i, most in enumerate(within):
        places = [a[i] for own in orbits for a in own]
        if max(places) - min(places) >= most:
            return False
    return True


def _connected(atoms: frozenset[AtomId], neighbours: Callable[[AtomId], list[AtomId]]) -> bool:
    first = next(iter(atoms))
    waiting, seen = [first], {first}
    while waiting:
        for other in neighbours(waiting.pop()):
            if other in atoms and other not in seen:
                seen.add(other)
                waiting.append(other)
    return len(seen) == len(atoms)


MOST_FORMS = 100_000
"""Largest number of generated forms."""
TOGETHER = 256
"""Number of forms whose images are computed together."""

Named = tuple[str, frozenset[AtomId]]


class TooManyFormsError(PuzzleError):
    """There are more forms than ``most``."""

    most = MOST_FORMS


@dataclass(frozen=True)
class Candidate:
    """A form to try."""

    name: str
    table: FormTable
    path: Path | None = None
    """The file of the form."""
    without: str | None = None
    """The tile of which one copy is omitted."""

    @property
    def key(self) -> str:
        """A text that identifies the form and the omitted tile."""
        return key_of(self.table, self.without)


@dataclass(frozen=True)
class FormFilter:
    """The properties that all generated forms must have."""

    areas: Sequence[int]
    symmetries: Sequence[Symmetry]
    """Each must map the form onto itself; the identity alone requires nothing."""
    within: Cell | None = None
    """Largest number of cells along each lattice direction."""

    def accepts(self, atoms: frozenset[AtomId]) -> bool:
        """Return whether a form has the symmetries and fits ``within``."""
        if self.within is not None:
            for i, most in enumerate(self.within):
                places = [a[i] for a in atoms]
                if max(places) - min(places) >= most:
                    return False
        return len(self.symmetries) == 1 or has_symmetries(atoms, self.symmetries)


def different(kit: Kit, forms: Iterable[Named], wanted: FormFilter) -> list[Named]:
    """Return the accepted forms, one of each class under translations and the symmetries that map the set of tiles to itself.

    Raises TooManyFormsError if there are too many.
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
    """Return whether a grid can have convex forms: it has faces in the plane."""
    return grid.dimension == 2 and all(len(atom.vertices) > 2 for atom in grid.atoms if atom.kind == grid.main_kind)


def numbered(kind: str, forms: Sequence[Named]) -> list[Named]:
    """Return the forms with names of a kind and a number."""
    width = len(str(len(forms)))
    return [(f"{kind}-{number:0{width}d}", atoms) for number, (_, atoms) in enumerate(forms, start=1)]


def boxes(grid: Grid, areas: Iterable[int]) -> Iterator[Named]:
    """Yield all rectangles (parallelograms on other grids, boxes in space) of the given areas, wide ones before high ones."""
    for sides in _sides(grid, areas):
        yield box_name(sides), frozenset(grid.box(sides))


def box_name(sides: Sequence[int]) -> str:
    """Return the name of a box: its rows and columns, in space after its layers."""
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
    """Yield all boxes with an inner box removed that does not touch the outside, at every place."""
    each = _faces_a_cell(grid)
    cells = {area // each for area in areas if area % each == 0}
    most = max(cells, default=0)
    for outer in product(range(most, 2, -1), repeat=grid.dimension):
        if prod(outer) - prod(side - 2 for side in outer) > most:
            continue
        for inner in product(*(range(1, side - 1) for side in outer)):
            if prod(outer) - prod(inner) in cells:
                whole = grid.box(outer)
                for corner in product(*(range(1, o - i) for o, i in zip(outer, inner, strict=True))):
                    hole = {translate(a, corner) for a in grid.box(inner)}
                    place = ".".join(str(c + 1) for c in corner)
                    yield f"{box_name(outer)}-{box_name(inner)}@{place}", frozenset(whole - hole)


def shapes(grid: Grid, areas: Sequence[int]) -> Iterator[Named]:
    """Yield the shapes of the grid file (triangles, hexagons …) of the given areas."""
    for name in grid.shapes:
        for size in range(1, max(areas) + 2):
            atoms = frozenset(grid.shape(name, size))
            if len(atoms) in areas:
                yield f"{name}-{size}", atoms
            if len(atoms) > max(areas):
                break


def convex(grid: Grid, areas: Iterable[int]) -> Iterator[Named]:
    """Yield all convex forms of the given areas. Raises PuzzleError on a grid without faces in the plane."""
    if not can_be_convex(grid):
        raise PuzzleError(
            f"--convex: works only on grids of faces in the plane; grid {grid.name!r} is not one, but --boxes works on every grid"
        )
    for area in areas:
        yield from (("", atoms) for atoms in convex_forms(grid, area))


def polyforms(grid: Grid, wanted: FormFilter) -> Iterator[Named]:
    """Yield all connected forms with the wanted areas and symmetries."""
    for area in wanted.areas:
        yield from (("", atoms) for atoms in symmetric_polyforms(grid, area, wanted.symmetries, wanted.within))


def cut(grid: Grid, whole: frozenset[AtomId], wanted: FormFilter) -> Iterator[Named]:
    """Yield the connected forms that remain of a form when faces are removed symmetrically.

    Raises PuzzleError for a symmetry that the form does not have, and for a form that is too small.
    """
    motions = [g.motion_of(whole) for g in wanted.symmetries]
    if wrong := [g.name for g, motion in zip(wanted.symmetries, motions, strict=True) if motion is None]:
        raise PuzzleError(f"--cut: the form has no symmetry {wrong[0]!r}; remove --symmetry, or choose one that it has")
    orbits = sorted({tuple(sorted({m(a) for m in motions if m is not None})) for a in whole})
    if len(whole) < min(wanted.areas):
        raise PuzzleError(f"--cut: the form has {len(whole)} faces, and {min(wanted.areas)} are needed; choose a larger one")
    own = [m for g in grid.symmetries if (m := g.motion_of(whole)) is not None]
    number = {a: i for i, a in enumerate(whole)}
    images = np.array([[number[m(a)] for a in whole] for m in own])
    known: set[tuple[int, ...]] = set()
    for removed in _choices(orbits, {len(whole) - area for area in wanted.areas}):
        # one of the images under the symmetries of the form is enough, and quickly found
        least = min(tuple(sorted(image)) for image in images[:, [number[a] for a in removed]].tolist())
        if least in known:
            continue
        known.add(least)
        left = whole - set(removed)
        if left and len(grid.parts(left)) == 1:
            yield "", left


def grown(grid: Grid, forms: Iterable[frozenset[AtomId]], number: int) -> Iterator[Named]:
    """Yield the forms with ``number`` added faces, each beside the form or a face added before."""
    known = {*forms}
    for _ in range(number):
        known = {whole | {a} for whole in known for a in beside(grid, whole)}
        if len(known) > MOST_FORMS:
            raise PuzzleError(f"more than {MOST_FORMS:,} forms; add fewer faces")
    yield from (("", whole) for whole in sorted(known, key=sorted))


def shifted(grid: Grid, whole: frozenset[AtomId]) -> Iterator[Named]:
    """Yield the connected forms that result from moving one face of a form to another place beside the rest."""
    for face in sorted(whole):
        left = whole - {face}
        for other in sorted(beside(grid, left) - {face}):
            form = left | {other}
            if len(grid.parts(form)) == 1:
                yield "", form


def beside(grid: Grid, atoms: frozenset[AtomId]) -> set[AtomId]:
    """Return the faces that share a side with some faces, except these faces."""
    return {b for a in atoms for b in grid.neighbours(a) if grid.atoms[b[-1]].kind == grid.main_kind} - atoms


def changed_forms(kit: Kit, name: str, whole: frozenset[AtomId], how: str, number: int, symmetry: str) -> list[Candidate]:
    """Return the forms that result from changing some faces of a form, one of each class under the symmetries of the tiles.

    ``how`` is ``remove`` or ``add`` for ``number`` faces, or ``move`` for one face. Raises TooManyFormsError.
    """
    grid, area = kit.grid, len(whole) + {"remove": -number, "add": number, "move": 0}[how]
    wanted = FormFilter(range(area, area + 1), named_symmetries(grid, symmetry))
    made: dict[str, Callable[[], Iterable[Named]]] = {
        "remove": lambda: cut(grid, whole, wanted),
        "add": lambda: grown(grid, [whole], number),
        "move": lambda: shifted(grid, whole),
    }
    word = {"remove": f"less-{number}", "add": f"more-{number}", "move": "moved"}[how]
    return [Candidate(each, kit.table(atoms)) for each, atoms in numbered(f"{name}-{word}", different(kit, made[how](), wanted))]


def _choices(orbits: Sequence[tuple[AtomId, ...]], totals: set[int]) -> Iterator[list[AtomId]]:
    """Yield the atoms of every choice of orbits whose total number of atoms is in ``totals``."""
    most = max(totals)
    waiting: list[tuple[int, list[AtomId]]] = [(0, [])]
    while waiting:
        first, chosen = waiting.pop()
        if len(chosen) in totals:
            yield chosen
        following = [(i + 1, [*chosen, *orbits[i]]) for i in range(first, len(orbits)) if len(chosen) + len(orbits[i]) <= most]
        waiting += reversed(following)


def replicas(kit: Kit, times: int) -> Iterator[Named]:
    """Yield each tile enlarged ``times`` times, under its name.

    Raises PuzzleError on a grid whose faces do not form larger ones of the same shape.
    """
    if kit.grid.dimension != 2:
        raise PuzzleError("--replicas: works only on grids in the plane")
    for tile in kit.tiles:
        faces = [a for a in tile.atoms if kit.grid.atoms[a[-1]].kind == kit.grid.main_kind]
        yield tile.name, enlarged(kit.grid, faces, times)


def enlarged(grid: Grid, atoms: Iterable[AtomId], times: int) -> frozenset[AtomId]:
    """Return the faces that some faces cover when enlarged. Raises PuzzleError if larger faces do not consist of whole ones."""
    made: set[AtomId] = set()
    for face in atoms:
        corners = [tuple(times * x for x in v) for v in ring(grid.vertices(face))]
        found = grid.polygon(corners) if len(corners) > 2 else set()
        if len(found) != times * times or found != grid.polygon(corners, whole=True):
            raise PuzzleError(f"--replicas: on grid {grid.name!r} larger faces do not consist of whole ones; give the forms in files")
        made |= found
    return frozenset(made)
