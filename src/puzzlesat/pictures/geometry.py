"""Geometry for pictures, from a grid's Gram matrix and its atoms' vertices: polygons, sections, outlines, and skins of bodies.

Points of the plane and of layers are exact: lattice coordinates times ``GridShapes.scale`` as integers, so that common sides are found by
equality. Points of skins are in view coordinates: right, down and towards the eye, in the unit of length of the Gram matrix.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, pairwise, product
from math import ceil, floor, lcm
from typing import SupportsFloat

import numpy as np

from puzzlesat.base import Reals
from puzzlesat.puzzles import AtomId, Cell, Grid
from puzzlesat.puzzles import Point as LatticePoint

Point = tuple[int, ...]
Loop = list[Point]
Sections = list[tuple[Fraction, list[LatticePoint]]]

FACE, SEGMENT, BALL, HIDDEN = "face", "segment", "ball", "hidden"
"""Drawing of an atom: polygon, line, disc, or none."""


@dataclass(frozen=True)
class AtomShape:
    """Drawing of an atom of the unit cell in the plane, or in the layers of space."""

    drawn: str
    sections: tuple[tuple[int, tuple[Point, ...]], ...]
    """Pairs of a height (0 in the plane) and the corners there, of polygons counterclockwise. A polytope is cut by the middle of each
    layer."""


@dataclass(frozen=True)
class GridShapes:
    """The shapes of the atoms of a grid."""

    scale: int
    basis: Reals
    """Row i is lattice vector i: right, up (and in space out of the picture, towards the eye)."""
    of: tuple[AtomShape, ...]

    def heights(self, atom: AtomId) -> list[int]:
        """Return the heights of the layers in which an atom of the infinite grid is drawn."""
        rise = 0 if len(atom) == 3 else self.scale * atom[2]
        return [height + rise for height, _ in self.of[atom[-1]].sections]

    def corners(self, atom: AtomId, height: int | None = None) -> list[Point]:
        """Return the corners of an atom of the infinite grid in one of its layers; default: the first."""
        corners = self.of[atom[-1]].sections[0 if height is None else self.heights(atom).index(height)][1]
        move = [self.scale * c for c in atom[:-1]]
        return [tuple(x + m for x, m in zip(p, move, strict=True)) for p in corners]

    def drawn(self, atom: AtomId) -> str:
        """Return the kind of drawing of an atom."""
        return self.of[atom[-1]].drawn

    def cartesian(self, points: Sequence[Point]) -> Reals:
        """Return points in Cartesian coordinates, y upwards."""
        return np.array(points, dtype=np.float64) / self.scale @ self.basis


@cache
def shapes(grid: Grid) -> GridShapes:
    """Return the shapes of the atoms of a grid, scaled by a common factor to integers."""
    basis = np.linalg.cholesky(np.array([[float(x) for x in row] for row in grid.gram]))
    planes = _planes(grid)
    exact = [_shape(grid, number, planes) for number in range(len(grid.atoms))]
    scale = lcm(*(x.denominator for _, sections in exact for height, corners in sections for p in (*corners, (height,)) for x in p))

    def integers(sections: Sections) -> tuple[tuple[int, tuple[Point, ...]], ...]:
        return tuple((int(height * scale), tuple(tuple(int(x * scale) for x in p) for p in corners)) for height, corners in sections)

    return GridShapes(scale, basis, tuple(AtomShape(drawn, integers(sections)) for drawn, sections in exact))


def _shape(grid: Grid, number: int, planes: Sequence[Fraction]) -> tuple[str, Sections]:
    """The kind of drawing of an atom, and its corners by height."""
    atom = grid.atoms[number]
    vertices = list(atom.vertices)
    if len(vertices) == 1 and not grid.of_balls:
        return HIDDEN, []
    kind = BALL if len(vertices) == 1 else SEGMENT if len(vertices) == 2 else FACE
    if grid.dimension == 2:
        return kind, [(Fraction(0), hull(vertices) if kind == FACE else vertices)]
    if kind != FACE:
        return kind, [(_half_way_up(vertices), vertices)]
    low, high = min(v[2] for v in vertices), max(v[2] for v in vertices)
    heights = [p + z for p in planes for z in range(floor(low) - 1, ceil(high) + 1) if low < p + z < high]
    return FACE, [(height, hull(_section(vertices, height))) for height in sorted(heights)]


def _planes(grid: Grid) -> list[Fraction]:
    """The heights, modulo 1, at which a grid in space is cut.

    If the middles of all atoms have the same height modulo 1, the cut is there, so that each atom is seen in one layer. Otherwise the cuts
    are midway between the heights of vertices, so that the sections fill each layer.
    """
    solid = [atom.vertices for atom in grid.atoms if grid.dimension == 3 and len(atom.vertices) > 2]
    middles = {_half_way_up(vertices) % 1 for vertices in solid}
    if len(middles) <= 1:
        return sorted(middles)
    levels = sorted({v[2] % 1 for vertices in solid for v in vertices})
    return [(low + high) / 2 for low, high in pairwise([*levels, levels[0] + 1])]


def _half_way_up(vertices: Sequence[LatticePoint]) -> Fraction:
    return (min(v[2] for v in vertices) + max(v[2] for v in vertices)) / 2


def _section(vertices: list[LatticePoint], height: Fraction) -> list[LatticePoint]:
    """The points of a polytope's section with a horizontal plane: intersections of segments between vertices, and vertices in the plane."""
    found = [v for v in vertices if v[2] == height]
    for a, b in product(vertices, repeat=2):
        if a[2] < height < b[2]:
            share = (height - a[2]) / (b[2] - a[2])
            found.append(tuple(x + share * (y - x) for x, y in zip(a, b, strict=True)))
    return found


def hull(points: Iterable[LatticePoint]) -> list[LatticePoint]:
    """Return the corners of the convex hull of coplanar points, counterclockwise by their first two coordinates (monotone chain)."""
    ordered = sorted(set(points))

    def half(sequence: Iterable[LatticePoint]) -> list[LatticePoint]:
        chain: list[LatticePoint] = []
        for p in sequence:
            while len(chain) > 1 and _cross(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return half(ordered) + half(reversed(ordered)) or ordered


def _cross(a: Sequence[Fraction | int], b: Sequence[Fraction | int], c: Sequence[Fraction | int]) -> Fraction | int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def outline(polygons: Iterable[Sequence[Point]], stops: Iterable[Point] = ()) -> list[Loop]:
    """Return the boundary loops of the union of polygons that do not overlap, the inside to their left.

    Sides that two polygons share cancel, even if a corner of one lies inside a side of the other. Points in the middle of a straight line
    are dropped, except ``stops``. Parts that touch only in a point have separate loops.
    """
    sides = _uncancelled({(a, b) for p in polygons for a, b in zip(p, [*p[1:], p[0]], strict=True)})
    stops = set(stops)
    corners = {a for a, _ in sides} | stops
    sides = _uncancelled({piece for side in sides for piece in _cut(side, corners)})
    onward: dict[Point, list[Point]] = defaultdict(list)
    for a, b in sorted(sides):
        onward[a].append(b)
    loops = []
    while onward:
        start = next(iter(onward))
        loop = [start]
        here = onward[start][0]
        _take(onward, start, here)
        while here != start:
            onto = _leftmost(loop[-1], here, onward[here])
            loop.append(here)
            _take(onward, here, onto)
            here = onto
        around = zip([loop[-1], *loop[:-1]], loop, [*loop[1:], loop[0]], strict=True)
        loops.append([b for a, b, c in around if b in stops or _cross(a, b, c) != 0])
    return loops


def _uncancelled(sides: set[tuple[Point, Point]]) -> set[tuple[Point, Point]]:
    return {(a, b) for a, b in sides if (b, a) not in sides}


def _cut(side: tuple[Point, Point], corners: Iterable[Point]) -> list[tuple[Point, Point]]:
    a, b = side
    low, high = (min(a[0], b[0]), min(a[1], b[1])), (max(a[0], b[0]), max(a[1], b[1]))
    between = [
        p
        for p in corners
        if low[0] <= p[0] <= high[0] and low[1] <= p[1] <= high[1] and p[2:] == a[2:] and p not in side and _cross(a, b, p) == 0
    ]
    points = [a, *sorted(between, key=lambda p: abs(p[0] - a[0]) + abs(p[1] - a[1])), b]
    return list(pairwise(points))


def _take(onward: dict[Point, list[Point]], a: Point, b: Point) -> None:
    onward[a].remove(b)
    if not onward[a]:
        del onward[a]


def _leftmost(before: Point, here: Point, choices: Sequence[Point]) -> Point:
    """Take the sharpest turn to the left, so that parts that touch only in a point are not joined."""
    if len(choices) == 1:
        return choices[0]
    # angles may be compared in lattice coordinates: the basis keeps the order of directions round a point
    arrived = np.arctan2(before[1] - here[1], before[0] - here[0])

    def turn(p: Point) -> float:
        return float((arrived - np.arctan2(p[1] - here[1], p[0] - here[0])) % (2 * np.pi))

    return min(choices, key=turn)


@cache
def ball_radius(grid: Grid) -> float:
    """Return half the smallest distance between two balls of a grid."""
    grid_shapes = shapes(grid)
    steps = list(product((-1, 0, 1), repeat=grid.dimension))
    balls = [(*step, a) for step in steps for a, shape in enumerate(grid_shapes.of) if shape.drawn == BALL]
    points = grid_shapes.cartesian([grid_shapes.corners(b)[0] for b in balls])
    return min(float(np.linalg.norm(p - q)) for p, q in combinations(points, 2)) / 2


@cache
def polytope_faces(grid: Grid, number: int) -> tuple[tuple[LatticePoint, ...], ...]:
    """Return the faces of the convex hull of an atom in space, each counterclockwise as seen from outside.

    A flat atom has its two sides. The result is exact. Every plane through three vertices is tried, which is fast because atoms have few
    vertices.
    """
    vertices = sorted(set(grid.atoms[number].vertices))
    basis = shapes(grid).basis
    found: dict[frozenset[LatticePoint], tuple[LatticePoint, ...]] = {}
    for a, b, c in combinations(vertices, 3):
        normal = _normal(a, b, c)
        if not any(normal):
            continue
        sides = {v: sum(n * (x - y) for n, x, y in zip(normal, v, a, strict=True)) for v in vertices}
        below, above = any(s < 0 for s in sides.values()), any(s > 0 for s in sides.values())
        if below and above:
            continue
        flat = frozenset(v for v in vertices if sides[v] == 0)
        if flat not in found:
            outward = normal if below else tuple(-n for n in normal)
            found[flat] = _around(flat, outward, basis)
            if not below and not above:
                return found[flat], found[flat][::-1]
    return tuple(found.values())


def _normal(a: LatticePoint, b: LatticePoint, c: LatticePoint) -> tuple[Fraction, ...]:
    """The linear form that vanishes on the plane of three points and grows on the side from which they run counterclockwise."""
    u, v = ([y - x for x, y in zip(a, p, strict=True)] for p in (b, c))
    return (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])


def _around(flat: frozenset[LatticePoint], outward: Sequence[Fraction], basis: Reals) -> tuple[LatticePoint, ...]:
    """The corners of a face in order; the linear form ``outward`` grows to the outside."""
    corners = sorted(flat)
    points = np.array([[float(x) for x in p] for p in corners]) @ basis
    middle = points.mean(axis=0)
    normal = np.linalg.solve(basis, np.array([float(n) for n in outward]))
    right = (points[0] - middle) / np.linalg.norm(points[0] - middle)
    up = np.cross(normal / np.linalg.norm(normal), right)
    order = np.argsort(np.arctan2((points - middle) @ up, (points - middle) @ right))
    return tuple(corners[i] for i in order)


EDGE_ON = 1e-4
"""Smallest component of a face's normal towards the eye with which the face is drawn."""
HALF_AS_BROAD = 0.09
"""Half the breadth of the bars for edges in space, relative to the shortest edge."""


def _view(turn: float, tilt: float) -> Reals:
    """Matrix to view coordinates (right, down, towards the eye) for an eye ``turn`` degrees to the right and ``tilt`` degrees above."""
    turn, tilt = np.radians(turn), np.radians(tilt)
    eye = np.array([np.sin(turn) * np.cos(tilt), -np.cos(turn) * np.cos(tilt), np.sin(tilt)])
    right = np.array([np.cos(turn), np.sin(turn), 0.0])
    return np.stack([right, np.cross(right, eye), eye], axis=1)


VIEW = _view(28.0, 27.0)
"""The angles are no multiples of 15 degrees, so that no face is seen edge-on."""
VIEW_OF_BALLS = _view(12.0, 27.0)
"""In this view square layers of balls rest on a corner, as in the pictures of layers."""

Key = frozenset[tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Face:
    """A face of an atom, clockwise as seen."""

    atom: AtomId
    corners: Reals
    normal: Reals
    edges: tuple[int, ...] = ()
    """Sides that are edges of the body, each as the index of its first corner."""

    def sides(self) -> list[Reals]:
        """Return start and end of each side."""
        return [np.array(pair) for pair in zip(self.corners, np.roll(self.corners, -1, axis=0), strict=True)]


def key(points: Reals) -> Key:
    """Return a key that identifies a set of points of the grid, whatever their order."""
    return frozenset(tuple(p) for p in (points.round(6) + 0.0).tolist())


def seen(grid: Grid, points: Sequence[Sequence[SupportsFloat]]) -> Reals:
    """Return lattice points in view coordinates."""
    lattice = np.array([[float(x) for x in p] for p in points])
    return np.asarray(lattice @ shapes(grid).basis @ (VIEW_OF_BALLS if grid.of_balls else VIEW))


def middle(grid: Grid, atom: AtomId) -> Reals:
    """Return the middle of an atom in view coordinates."""
    return np.asarray(seen(grid, [grid.centre(atom)])[0])


def home(atoms: Iterable[AtomId]) -> Cell:
    """Return the translation that moves one of the atoms to cell 0. Far away, floats have too few digits for a picture."""
    return tuple(-c for c in min(atoms)[:-1])


@lru_cache(maxsize=4096)
def outside(grid: Grid, atoms: tuple[AtomId, ...]) -> tuple[tuple[Key, Face], ...]:
    """Return the outer faces of a body with their keys, including faces that look away, but not faces between its atoms."""
    faces = [(key(face.corners), face) for atom in atoms for face in atom_faces(grid, atom)]
    faces += [(key(face.corners), face) for face in _joints(grid, atoms)]
    owners: dict[Key, set[AtomId]] = defaultdict(set)
    for where, face in faces:
        owners[where].add(face.atom)
    return tuple((where, face) for where, face in faces if len(owners[where]) == 1)


@lru_cache(maxsize=4096)
def skin(grid: Grid, atoms: tuple[AtomId, ...]) -> tuple[tuple[Key, Face], ...]:
    """Return the faces of a body that look at the eye, with their keys."""
    looking = [(where, face) for where, face in outside(grid, atoms) if face.normal[2] > EDGE_ON]
    around = [[(key(side), key(face.normal[None])) for side in face.sides()] for _, face in looking]
    times = Counter(side for of_face in around for side in of_face)
    # a side between two coplanar faces is not an edge of the body
    return tuple(
        (where, replace(face, edges=tuple(i for i, side in enumerate(of_face) if times[side] == 1)))
        for (where, face), of_face in zip(looking, around, strict=True)
    )


def atom_faces(grid: Grid, atom: AtomId) -> list[Face]:
    """Return all faces of an atom: of a polytope its faces, of a flat atom its two sides, of an edge the faces of its bar."""
    move = seen(grid, [atom[:-1]])[0]
    return [Face(atom, corners + move, normal) for corners, normal in _faces_of_skin(grid, atom[-1])]


@cache
def _faces_of_skin(grid: Grid, number: int) -> tuple[tuple[Reals, Reals], ...]:
    drawn = shapes(grid).of[number].drawn
    if drawn == SEGMENT:
        return _box(_bar(grid, number))
    return tuple(_directed(seen(grid, face)) for face in polytope_faces(grid, number)) if drawn == FACE else ()


def _directed(corners: Reals) -> tuple[Reals, Reals]:
    """Corners counterclockwise from outside, with the outward normal.

    The second coordinate points down, so the cross product points inwards.
    """
    normal = -np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
    return corners, normal / np.linalg.norm(normal)


@cache
def half_breadth(grid: Grid) -> float:
    """Return half the breadth of the bars for a grid's edges in space."""
    lengths = [float(np.linalg.norm(np.diff(seen(grid, a.vertices), axis=0))) for a in grid.atoms if len(a.vertices) == 2]
    return HALF_AS_BROAD * min(lengths)


def _bar(grid: Grid, number: int) -> Reals:
    """The middle of an edge's bar, and three vectors from there to the middles of its sides. The bar ends at the joints' boxes."""
    start, end = seen(grid, grid.atoms[number].vertices)
    along = (end - start) / np.linalg.norm(end - start)
    across = min(VIEW, key=lambda axis: abs(float(axis @ along)))  # the Cartesian axis nearest to perpendicular
    across = across - (across @ along) * along
    across = across / np.linalg.norm(across)
    half = half_breadth(grid)
    length = float(np.linalg.norm(end - start)) / 2 - half
    return np.array([(start + end) / 2, along * length, across * half, np.cross(along, across) * half])


def _joints(grid: Grid, atoms: Sequence[AtomId]) -> list[Face]:
    """The faces of a cube at each vertex where edges of a body meet."""
    at: dict[LatticePoint, list[AtomId]] = defaultdict(list)
    for atom in atoms:
        if shapes(grid).drawn(atom) == SEGMENT:
            for vertex in grid.atoms[atom[-1]].vertices:
                at[tuple(x + c for x, c in zip(vertex, atom[:-1], strict=True))].append(atom)
    return [
        Face((*ends[0][:-1], -1 - i), corners, normal)
        for i, (point, ends) in enumerate(at.items())
        if len(ends) > 1
        for corners, normal in _box(np.array([seen(grid, [point])[0], *(VIEW * half_breadth(grid))]))
    ]


def _box(axes: Reals) -> tuple[tuple[Reals, Reals], ...]:
    """The faces of a box, from its middle and the vectors from there to the middles of three sides."""
    centre = axes[0]
    found = []
    for i in range(3):
        out, u, v = axes[1 + i], axes[1 + (i + 1) % 3], axes[1 + (i + 2) % 3]
        for sign in (1, -1):
            corners = centre + sign * out + np.array([u + v, v - u, -u - v, u - v])
            found.append((corners, sign * out / np.linalg.norm(out)))
    return tuple(found)
