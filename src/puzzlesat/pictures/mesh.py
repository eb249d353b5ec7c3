"""Pieces as closed meshes to be printed: cells grown together, a clearance taken off all round, edges bevelled or rounded.

All is done with one small body B, the hull of a unit vector along each direction in which faces of the grid look. It reaches exactly one
unit far in each of these directions, so that growing a body by B moves each of its faces out by one unit, and shrinking it moves each in
by one. A piece is shrunk by half the clearance and by the bevel, and grown again by the bevel: its faces are then where the clearance
wants them, the edges and corners that stick out are cut off (for cubes at 45 degrees), and no others are. To shrink a piece is to grow
what lies round it, cell by cell, for each cell is convex, and to take that away. Where edges are rounded, B has the points of a sphere
between those directions as well. The inside of a hollow piece is the piece shrunk by a body with the planes that touch the unit sphere in
those directions. The unions and differences are those of manifold3d, whose meshes are closed.

A piece of balls has a ball for each atom, and a neck between two that touch. A neck keeps clear of all other balls, and of the necks of
other pieces: of four balls, each touching the others, the two pairs of a piece that is no part of the other have necks 1.4 radii apart.
Where a flat piece covers a slot it has a nose there, else a notch, as in pictures. A hollow piece has a cavity behind a wall of one
thickness, and a hole in the wall through which resin or powder runs out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import combinations, product
from math import isfinite
from types import ModuleType
from typing import Any, Final

import numpy as np

from puzzlesat.base import Flags, Ints, NotSupportedError, PuzzleError, Reals, many
from puzzlesat.pictures.geometry import BALL, ball_radius, outline, polytope_faces, shapes
from puzzlesat.pictures.isometric import BROAD
from puzzlesat.pictures.pieces import NOSE, noses_and_notches, slots_round
from puzzlesat.puzzles import AtomId, Cell, Grid

Manifold = Any
"""A body of manifold3d, which has no types."""
LEAST = 1e-5
"""Of a cell: so much is taken off in any case, far below what is printed and far above what is rounded."""
BEVEL = 1.0
"""Millimetres, where nobody says another."""
TO_INSTALL = 'meshes need manifold3d; install it with pip install "puzzlesat[print]"'
STEPS = 4
"""In how many parts a quarter of a rounded edge is cut."""
NEAR = float(np.cos(np.pi / 12))
"""Directions nearer to each other than 15 degrees are one."""


@dataclass(frozen=True)
class Making:
    """How pieces are made; all lengths are in millimetres."""

    cell: float = 20.0
    """The shortest side of a cell; the diameter of a ball."""
    clearance: float = 0.2
    """What is free between two pieces that touch: each loses half of it all round."""
    bevel: float | None = None
    """How much of each of the two faces at an edge is cut off; None: as is good for such pieces."""
    rounding: float = 0.0
    """The radius of edges that are rounded instead; 0: they are not."""
    thickness: float = 6.0
    """Of flat pieces; nothing is taken off this way."""
    wall: float = 0.0
    """How thick the walls of hollow pieces are; 0: pieces are solid."""
    drain: float = 0.0
    """The diameter of a hole in the wall of a hollow piece; 0: there is none."""

    def edge(self, usual: float = BEVEL) -> float:
        """Return how much of each of the two faces at an edge is lost, whatever becomes of the edge."""
        return self.rounding or (usual if self.bevel is None else self.bevel)


def library() -> ModuleType:
    """Return manifold3d. Raises NotSupportedError where it is not installed."""
    try:
        return import_module("manifold3d")
    except ImportError:
        raise NotSupportedError(TO_INSTALL) from None


def hull(points: Reals) -> Manifold:
    """Return the convex hull of points as a body."""
    return library().Manifold.hull_points(points)


def rounded(probe: Reals) -> Reals:
    """Return points of the unit sphere, among them those given, that lie evenly between these: their hull is nearly a ball.

    It reaches exactly one unit far in the directions given, so that faces which look there move by one unit.
    """
    mesh = hull(probe).to_mesh64()
    corners = np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts)]
    shares = np.array([(i, j, STEPS - i - j) for i, j in product(range(STEPS + 1), repeat=2) if i + j <= STEPS], dtype=np.float64)
    points = np.concatenate([shares @ triangle for triangle in corners])
    kept = list(probe)
    for point in points / np.linalg.norm(points, axis=1)[:, None]:
        if max(point @ other for other in kept) < NEAR:
            kept.append(point)
    return np.array(kept)


BALL_SEGMENTS = 48
"""Corners of the circle of a ball, and of a neck."""


def all_balls(grid: Grid, atoms: Sequence[AtomId]) -> bool:
    """Tell whether a piece is made of balls alone."""
    return grid.dimension == 3 and all(shapes(grid).drawn(atom) == BALL for atom in atoms)


def balls_and_necks(grid: Grid, atoms: Sequence[AtomId], making: Making) -> Manifold:
    """Return a piece of balls, each smaller by the clearance; a ball has no edges to be bevelled."""
    known, bodies = shapes(grid), library()
    scale = making.cell / (2 * ball_radius(grid))
    radius, broad = (making.cell - making.clearance) / 2, BROAD * making.cell / 2 - making.clearance / 2
    middles = [scale * known.cartesian([known.corners(atom)[0]])[0] for atom in atoms]
    parts = [bodies.Manifold.sphere(radius, BALL_SEGMENTS).translate(middle.tolist()) for middle in middles]
    if broad > 0:
        touching = ((a, b) for a, b in combinations(middles, 2) if np.linalg.norm(a - b) < 1.01 * making.cell)
        parts += [_neck(a, b, broad) for a, b in touching]
    return bodies.Manifold.batch_boolean(parts, bodies.OpType.Add)


def _neck(a: Reals, b: Reals, broad: float) -> Manifold:
    """A cylinder from the middle of a ball to that of another."""
    along = (b - a) / np.linalg.norm(b - a)
    first = np.cross(along, np.eye(3)[np.argmin(abs(along))])
    first /= np.linalg.norm(first)
    second = np.cross(along, first)
    angles = np.linspace(0, 2 * np.pi, BALL_SEGMENTS, endpoint=False)[:, None]
    circle = broad * (np.cos(angles) * first + np.sin(angles) * second)
    return hull(np.concatenate([a + circle, b + circle]))


HOLE_SEGMENTS = 48
"""Corners of the circle of a drain."""
COMPASS = np.array([[0.0, 0, -1], [0, 0, 1], *([np.cos(a), np.sin(a), 0] for a in np.arange(8) * np.pi / 4)])
"""Down, up, and eight ways round."""
ROUND = 8
"""A body whose widest face is so many times narrower than itself is one of balls."""
FLAT = 1e-3
"""Triangles whose planes differ by less, in millimetres and in directions, are one face."""


def touching(directions: Reals) -> Reals:
    """Return the corners of the body whose faces touch the unit sphere in some directions, unit vectors on all sides.

    Where a body is shrunk by that, a face that looks in one of the directions moves in by one unit, and no point of the surface by less.
    """
    mesh = hull(directions).to_mesh64()
    faces = np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts)]
    return np.asarray(np.linalg.solve(faces, np.ones((len(faces), 3, 1)))[..., 0])


def hollowed(solid: Manifold, inside: Manifold, making: Making) -> Manifold:
    """Return a body without its inside, with a drain to each part of that if one is asked for.

    Raises PuzzleError where there is no room for a cavity, or for the drain.
    """
    if not making.wall:
        return solid
    if inside.is_empty():
        raise PuzzleError(f"a wall of {making.wall:g} leaves nothing to hollow out; use a thinner wall or larger cells")
    taken = [inside, *(_drain(solid, part, making) for part in inside.decompose() if making.drain)]
    return library().Manifold.batch_boolean([solid, *taken], library().OpType.Subtract)


def _drain(solid: Manifold, cavity: Manifold, making: Making) -> Manifold:
    """A cylinder from the middle of the largest face of a cavity through the wall; from that of a ball, out of the piece."""
    middle, out, room = _largest_face(cavity)
    if room >= making.drain / 2:
        return _cylinder(middle, out, making.drain / 2, -making.wall / 4, making.wall * 5 / 4)
    points = np.asarray(cavity.to_mesh64().vert_properties)[:, :3]
    least = np.ptp(points, axis=0).min()
    for out in COMPASS if room < least / ROUND and making.drain < least / 2 else ():
        middle = points[np.argmax(points @ out)]
        end = _cylinder(middle, out, making.drain / 2, making.wall * 5 / 4, making.wall * 3 / 2)
        if (solid ^ end).is_empty():
            return _cylinder(middle, out, making.drain / 2, -making.drain, making.wall * 5 / 4)
    raise PuzzleError(f"a drain of {making.drain:g} is too wide for the inside of a piece; use a narrower one or larger cells")


def _cylinder(middle: Reals, out: Reals, radius: float, start: float, end: float) -> Manifold:
    first = np.cross(out, np.eye(3)[np.argmin(abs(out))])
    first /= np.linalg.norm(first)
    angles = np.linspace(0, 2 * np.pi, HOLE_SEGMENTS, endpoint=False)[:, None]
    circle = middle + radius * (np.cos(angles) * first + np.sin(angles) * np.cross(out, first))
    return hull(np.concatenate([circle + start * out, circle + end * out]))


def _largest_face(body: Manifold) -> tuple[Reals, Reals, float]:
    """The middle of the largest circle in the faces of a body, the way out of it there, and its radius."""
    mesh = body.to_mesh64()
    corners = np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    corners, normals, areas = corners[areas > 0], normals[areas > 0], areas[areas > 0]
    normals /= areas[:, None]
    planes = np.column_stack([normals, (normals * corners[:, 0]).sum(axis=1)])
    best = corners[0].mean(axis=0), normals[0], 0.0
    left = np.argsort(-areas, kind="stable")
    while len(left):
        out = normals[left[0]]
        own = (abs(planes[left] - planes[left[0]]) < FLAT).all(axis=1)
        first = corners[left[0], 1] - corners[left[0], 0]
        first /= np.linalg.norm(first)
        axes = np.array([first, np.cross(out, first)])
        middle, room = _largest_circle(corners[left[own]] @ axes.T)
        if room > best[2]:
            best = corners[left[0], 0] + (middle - axes @ corners[left[0], 0]) @ axes, out, room
        left = left[~own]
        if len(left) and areas[left].sum() / 2 < np.pi * best[2] ** 2:  # what is left of the faces has no room for a larger circle
            break
    return best


def _largest_circle(triangles: Reals) -> tuple[Reals, float]:
    """The middle and the radius of the largest circle in a part of the plane that triangles cover."""
    bodies = library()
    area = bodies.CrossSection([t for t in triangles], bodies.FillRule.NonZero)  # noqa: C416 - a list of arrays
    low, high = 0.0, float(np.ptp(triangles.reshape(-1, 2), axis=0).min()) / 2 + 2 * FLAT
    while high - low > FLAT:
        half = (low + high) / 2
        low, high = (low, half) if area.offset(-half, bodies.JoinType.Miter).is_empty() else (half, high)
    inner = area.offset(-low, bodies.JoinType.Miter).to_polygons()
    return np.asarray(inner[0]).mean(axis=0) if inner else triangles[0].mean(axis=0), low


USUAL: Final = 0.025
"""The bevel, as a share of the cell, where nobody says another: a nose is small."""
SHARPEST: Final = 4.0
"""How far a corner may move, in times its sides do; those of noses are blunter."""


def has_slots(grid: Grid, atoms: Iterable[AtomId]) -> bool:
    """Tell whether a piece is made of faces with slots on their sides, and of such slots alone."""
    own = set(atoms)
    faces = _faces(grid, own)
    slots = set(slots_round(grid, faces)) if grid.dimension == 2 else set()
    return bool(slots) and own <= {*faces, *slots}


def with_slots(grid: Grid, atoms: Iterable[AtomId], making: Making) -> Manifold:
    """Return a piece of faces and slots. Raises PuzzleError where clearance or bevel are too large for its noses."""
    own, bodies = set(atoms), library()
    edge, least = making.edge(USUAL * making.cell), LEAST * making.cell
    loops = _loops(grid, own, making.cell)
    section = bodies.CrossSection(loops, bodies.FillRule.Positive)
    lost = max(making.clearance / 2, least)
    inner, whole = (section.offset(-by, bodies.JoinType.Miter, SHARPEST) for by in (lost + edge, lost))
    back = inner.offset(edge, bodies.JoinType.Miter, SHARPEST)  # the same again, unless a nose or a wall is too thin for it
    if abs(back.area() - whole.area()) > LEAST * whole.area():
        raise PuzzleError(
            f"a clearance of {making.clearance:g} and {edge:g} off each edge are too much for noses and notches; use less, or larger cells"
        )
    solid = inner.extrude(making.thickness - 2 * edge).translate([0, 0, edge])
    if not edge:
        return solid
    probe = _slot_probe(loops)
    return solid.minkowski_sum(hull(edge * (rounded(probe) if making.rounding else probe)))


def _faces(grid: Grid, atoms: Iterable[AtomId]) -> list[AtomId]:
    return sorted(a for a in atoms if grid.atoms[a[-1]].kind == grid.main_kind and len(grid.atoms[a[-1]].vertices) > grid.dimension)


def _loops(grid: Grid, own: set[AtomId], cell: float) -> list[Reals]:
    """The loops round a piece in millimetres, the inside to their left, with its noses and notches."""
    known, faces = shapes(grid), _faces(grid, own)
    scale = cell / min(_slot_sides(known.cartesian(outline([known.corners(a)])[0])).min() for a in faces)
    slots = noses_and_notches(grid, faces, own)
    found = []
    for loop in outline([known.corners(a) for a in faces], [p for slot in slots for p in slot]):
        points, border = scale * known.cartesian(loop), []
        for i, here in enumerate(points):
            there = points[j := (i + 1) % len(points)]
            border.append(here)
            if side := slots.get(frozenset((loop[i], loop[j])), 0):
                along = there - here
                out = side * np.array([along[1], -along[0]])
                border += [here + x * along + y * out for x, y in NOSE]
        found.append(np.array(border))
    return found


def _slot_sides(loop: Reals) -> Reals:
    return np.asarray(np.linalg.norm(np.roll(loop, -1, axis=0) - loop, axis=1))


def _slot_probe(loops: Iterable[Reals]) -> Reals:
    """A unit vector along each direction in which a side of the piece looks, and up and down."""
    along = np.concatenate([np.roll(loop, -1, axis=0) - loop for loop in loops])
    units = np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(along, axis=1)[:, None]
    sides = np.column_stack([np.concatenate([units, -units]), np.zeros(2 * len(units))])
    return np.asarray(np.unique(np.concatenate([sides, [[0, 0, 1], [0, 0, -1]]]).round(9) + 0.0, axis=0))


AT_ONCE = 256
"""Atoms that are held against a piece together."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """A closed mesh."""

    points: Reals
    """An array (points, 3)."""
    triangles: Ints
    """An array (triangles, 3) of numbers of points, counterclockwise as seen from outside."""
    volume: float
    """Cubic millimetres."""
    parts: int
    """How many bodies it is that do not hang together; with no volume left, none."""
    corner: Reals
    """Where its least corner lies in the grid, in millimetres."""

    @property
    def words(self) -> str:
        """Its size, its volume and its triangles in words."""
        size = " x ".join(f"{length:.1f}" for length in self.points.max(axis=0))
        return f"{size} mm, {self.volume / 1000:.2f} cm3, {many(len(self.triangles), 'triangle')}"


def piece_mesh(grid: Grid, atoms: Iterable[AtomId], making: Making) -> Mesh:
    """Return the mesh of the piece that covers some atoms, standing on the plane z = 0 with its least corner at x = y = 0.

    Raises NotSupportedError where atoms are no polygons or bodies, or manifold3d is not installed, and PuzzleError where clearance or bevel
    are too large for the cells.
    """
    library()
    own = frozenset(atoms)
    balls, slots = all_balls(grid, sorted(own)), has_slots(grid, own)
    edge = 0.0 if balls else making.edge(USUAL * making.cell) if slots else making.edge()
    _check(grid, making, edge)
    if balls and (making.bevel or making.rounding):
        raise PuzzleError("balls have no edges to be rounded or bevelled; remove that option")
    if balls:
        inside = balls_and_necks(grid, sorted(own), replace(making, clearance=making.clearance + 2 * making.wall))
        return _closed(balls_and_necks(grid, sorted(own), making), inside, making)
    if slots:
        solid = with_slots(grid, own, making)
        inside = solid.minkowski_difference(hull(making.wall * touching(COMPASS))) if making.wall else solid
        return _closed(solid, inside, making)
    if wrong := next((grid.atoms[a[-1]] for a in sorted(own) if len(grid.atoms[a[-1]].vertices) <= grid.dimension), None):
        why = "pieces would end at the same points, where no cut is defined"
        raise NotSupportedError(f"a piece of grid {grid.name} of {wrong.kind}s is not a solid: {why}")
    solid = _of_cells(grid, own, making)
    inside = _shrunk(grid, own, making, touching(_probe(grid)), making.clearance / 2 + making.wall, making.wall) if making.wall else solid
    return _closed(solid, inside, making)


def _of_cells(grid: Grid, own: frozenset[AtomId], making: Making) -> Manifold:
    """A piece of cells that are bodies."""
    least, edge, probe = LEAST * making.cell, making.edge(), _probe(grid)
    ball = rounded(probe) if making.rounding else probe
    solid = _shrunk(grid, own, making, ball, max(making.clearance / 2 + edge, least), max(edge, least))
    return solid.minkowski_sum(hull(edge * ball)) if edge and not solid.is_empty() else solid


def _shrunk(grid: Grid, own: frozenset[AtomId], making: Making, ball: Reals, by: float, lids: float) -> Manifold:
    """A piece with the clearance of the grid, shrunk by a body so many times as large; what is flat by ``lids`` above and below."""
    bodies = library()
    scale, probe = making.cell / shortest_side(grid), _probe(grid)
    tiny = LEAST * making.cell / 2
    cells = [_grown(_corners(grid, a, scale, making), probe, tiny) for a in sorted(own)]  # cells overlap: no wall stays between them
    near = _together(grid, own, _neighbours(grid, own, by / scale))
    parts = (np.concatenate([_corners(grid, a, scale, making, rise=making.thickness) for a in part]) for part in near)
    around = [_grown(corners, ball, by) for corners in parts]
    whole = bodies.Manifold.batch_boolean(cells, bodies.OpType.Add)
    if grid.dimension == 2:
        around += _lids(whole, ball, making, lids)
    return bodies.Manifold.batch_boolean([whole, *around], bodies.OpType.Subtract)


def _closed(solid: Manifold, inside: Manifold, making: Making) -> Mesh:
    """The mesh of a body, which is hollow if walls are asked for."""
    least = LEAST * making.cell
    parts = len(solid.simplify(least).decompose())
    solid = hollowed(solid, inside, making).simplify(least)
    mesh = solid.to_mesh64()
    points, triangles = _welded(np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts, dtype=np.int32), least)
    corner = points.min(axis=0) if parts else np.zeros(3)
    return Mesh(points - corner, triangles, solid.volume(), parts, corner)


def together(meshes: Sequence[Mesh]) -> Mesh:
    """Return several meshes as one, each where it lies in the grid."""
    starts = np.cumsum([0, *(len(mesh.points) for mesh in meshes)])
    points = np.concatenate([mesh.points + mesh.corner for mesh in meshes])
    triangles = np.concatenate([mesh.triangles + start for mesh, start in zip(meshes, starts, strict=False)])
    corner = points.min(axis=0)
    volume, parts = sum(mesh.volume for mesh in meshes), sum(mesh.parts for mesh in meshes)
    return Mesh(points - corner, triangles.astype(np.int32), volume, parts, corner)


def _welded(points: Reals, triangles: Ints, near: float) -> tuple[Reals, Ints]:
    """A mesh without the slivers that come of rounding: points nearer than that become one. Raises PuzzleError where it is not closed."""
    number = np.arange(len(points))
    for i, point in enumerate(points):
        if number[i] == i:
            close = np.flatnonzero(np.linalg.norm(points[i + 1 :] - point, axis=1) < near) + i + 1
            number[close[number[close] == close]] = i
    triangles = number[triangles].astype(np.int32)
    triangles = _without_fins(triangles[(triangles != np.roll(triangles, 1, axis=1)).all(axis=1)])
    kept, renumbered = np.unique(triangles, return_inverse=True)
    triangles = renumbered.reshape(-1, 3).astype(np.int32)
    sides = Counter((a, b) for t in triangles.tolist() for a, b in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0])))
    if any(times != 1 or (b, a) not in sides for (a, b), times in sides.items()):
        raise PuzzleError("the mesh of a piece would not be closed; take another bevel or clearance")
    return points[kept], triangles


def _without_fins(triangles: Ints) -> Ints:
    """The triangles without those that lie back to back, which points that became one leave of a sliver."""
    first = np.argmin(triangles, axis=1)[:, None]
    begun = np.take_along_axis(triangles, (first + np.arange(3)) % 3, axis=1)
    here = {tuple(t) for t in begun.tolist()}
    return triangles[[(a, c, b) not in here for a, b, c in begun.tolist()]]


@cache
def shortest_side(grid: Grid) -> float:
    """Return the length of the shortest side of a cell, in units of the Gram matrix."""
    return min(
        float(np.linalg.norm(a - b))
        for number in _bodies(grid)
        for corners in _sides(grid, number)
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)
    )


def _check(grid: Grid, making: Making, edge: float) -> None:
    """Raise PuzzleError for sizes that leave nothing of a cell."""
    sizes = (making.cell, making.clearance, making.bevel or 0.0, making.rounding, making.thickness, making.wall, making.drain)
    if not all(map(isfinite, sizes)) or min(sizes) < 0 or not making.cell or not making.thickness:
        raise PuzzleError("sizes for a mesh: expected a cell and a thickness above 0, and no other size below 0")
    if making.drain and not making.wall:
        raise PuzzleError(f"a drain of {making.drain:g} is for hollow pieces; say how thick their wall is, too")
    if making.rounding and making.bevel is not None:
        raise PuzzleError(f"edges are rounded ({making.rounding:g}) or bevelled ({making.bevel:g}), not both")
    lost = f"{'a rounding' if making.rounding else 'a bevel'} of {edge:g} on both sides"
    if making.clearance + 2 * edge >= making.cell:
        raise PuzzleError(f"a clearance of {making.clearance:g} and {lost} leave nothing of a cell of {making.cell:g}")
    if grid.dimension == 2 and 2 * edge >= making.thickness:
        raise PuzzleError(f"{lost} leaves nothing of a thickness of {making.thickness:g}")


# cells ------------------------------------------------------------------------------------------------------------------------


def _bodies(grid: Grid) -> list[int]:
    """The atoms of a cell that have an area, or a volume."""
    return [n for n, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind and len(atom.vertices) > grid.dimension]


def _cartesian(grid: Grid, points: Iterable[Iterable[object]]) -> Reals:
    lattice = np.array([[float(x) for x in p] for p in points])  # type: ignore[arg-type]
    return np.asarray(lattice @ shapes(grid).basis)


@cache
def _sides(grid: Grid, number: int) -> tuple[Reals, ...]:
    """The faces of an atom by their corners in Cartesian coordinates, or the atom itself in the plane."""
    if grid.dimension == 3:
        return tuple(_cartesian(grid, face) for face in polytope_faces(grid, number))
    known = shapes(grid)
    return (np.asarray(known.cartesian(known.corners((0, 0, number)))),)


@cache
def _probe(grid: Grid) -> Reals:
    """The corners of B: a unit vector along each direction in which a face looks, both ways; in the plane up and down too."""
    found: list[Reals] = []
    for number in _bodies(grid):
        for corners in _sides(grid, number):
            if grid.dimension == 3:
                found.append(np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0))
            else:
                along = np.roll(corners, -1, axis=0) - corners
                found += [np.array([y, -x, 0.0]) for x, y in along]
    if grid.dimension == 2:
        found.append(np.array([0.0, 0.0, 1.0]))
    units = np.array([n / np.linalg.norm(n) for n in found])
    return np.asarray(np.unique(np.concatenate([units, -units]).round(9) + 0.0, axis=0))


def _corners(grid: Grid, atom: AtomId, scale: float, making: Making, *, rise: float = 0.0) -> Reals:
    """The corners of an atom in millimetres; what is flat becomes a prism, that sticks out by ``rise`` at both ends."""
    number, move = atom[-1], _cartesian(grid, [atom[:-1]])[0]
    if grid.dimension == 3:
        return np.asarray(scale * (_cartesian(grid, grid.atoms[number].vertices) + move))
    flat = scale * (_sides(grid, number)[0] + move)
    heights = (-rise, making.thickness + rise)
    return np.concatenate([np.column_stack([flat, np.full(len(flat), z)]) for z in heights])


def _neighbours(grid: Grid, own: frozenset[AtomId], reach: float) -> list[AtomId]:
    """The atoms that are not of a piece, and may be no farther from one that is than that, in units of the Gram matrix.

    Left out are those that some direction in which faces look parts from each atom of the piece: grown, they do not reach it.
    """
    steps = list(product(range(-2, 3), repeat=grid.dimension))
    cells = sorted({tuple(c + s for c, s in zip(a[:-1], step, strict=True)) for a in own for step in steps})
    others = [atom for cell, number in product(cells, _bodies(grid)) if (atom := (*cell, number)) not in own]
    low, high = _extents(grid, sorted(own))
    far = reach + 1e-6
    found = []
    for first in range(0, len(others), AT_ONCE):
        least, most = _extents(grid, others[first : first + AT_ONCE])
        near: Flags = np.all((least[:, None] <= high + far) & (most[:, None] >= low - far), axis=2)
        found += [others[first + i] for i in np.flatnonzero(near.any(axis=1)).tolist()]
    return found


def _together(grid: Grid, own: frozenset[AtomId], atoms: Iterable[AtomId]) -> Iterator[list[AtomId]]:
    """Those of one cell as one body, where that is convex and the piece has nothing of it; the others one by one."""
    by_cell: dict[Cell, list[AtomId]] = {}
    for atom in atoms:
        by_cell.setdefault(atom[:-1], []).append(atom)
    for cell, those in by_cell.items():
        whole = [(*cell, number) for number in _bodies(grid)]
        if _is_convex(grid) and own.isdisjoint(whole):
            yield whole
        else:
            yield from ([atom] for atom in those)


@cache
def _is_convex(grid: Grid) -> bool:
    """Whether the bodies of a cell are together one convex body."""
    if grid.dimension != 3:
        return False
    bodies = [hull(_cartesian(grid, grid.atoms[number].vertices)) for number in _bodies(grid)]
    whole = hull(np.concatenate([_cartesian(grid, grid.atoms[number].vertices) for number in _bodies(grid)]))
    return bool(abs(whole.volume() - sum(body.volume() for body in bodies)) < LEAST * whole.volume())


def _extents(grid: Grid, atoms: Sequence[AtomId]) -> tuple[Reals, Reals]:
    """From where to where atoms reach along each direction in which faces look."""
    probe = _probe(grid)[:, : grid.dimension]
    reaches = {n: np.concatenate(_sides(grid, n)) @ probe.T for n in _bodies(grid)}
    moves = _cartesian(grid, [a[:-1] for a in atoms]) @ probe.T
    low, high = (np.array([pick(reaches[a[-1]], axis=0) for a in atoms]) for pick in (np.min, np.max))
    return low + moves, high + moves


# bodies -----------------------------------------------------------------------------------------------------------------------


def _grown(corners: Reals, probe: Reals, size: float) -> Manifold:
    """A convex body grown by B, so many times as large."""
    return hull((corners[:, None] + size * probe[None]).reshape(-1, 3))


def _lids(whole: Manifold, probe: Reals, making: Making, size: float) -> Iterator[Manifold]:
    """What lies above and below flat pieces, grown by less than what is round them: the clearance is for the sides."""
    x, y, _, right, up, _ = whole.bounding_box()
    margin = 3 * making.cell
    for bottom, top in ((-making.thickness, 0.0), (making.thickness, 2 * making.thickness)):
        box = product((x - margin, right + margin), (y - margin, up + margin), (bottom, top))
        yield _grown(np.array(list(box)), probe, size)
