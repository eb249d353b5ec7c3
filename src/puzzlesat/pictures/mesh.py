"""Pieces as closed meshes for printing: cells joined, a clearance removed all round, edges bevelled or rounded.

The construction uses Minkowski sums with a small body B, the hull of a unit vector along each direction of a face normal of the grid. B
reaches exactly one unit in each of these directions, so growing a body by B moves each of its faces out by one unit, and shrinking it moves
each face in by one unit. A piece is shrunk by half the clearance plus the bevel, then grown by the bevel. Its faces then keep the
clearance; convex edges and corners are cut off (for cubes at 45 degrees), and concave ones are not. Shrinking a piece means growing its
surroundings cell by cell, because each cell is convex, and subtracting them. For rounded edges, B also has points of a sphere between these
directions. The cavity of a hollow piece is the piece shrunk by the body whose planes touch the unit sphere in these directions. Unions and
differences are computed by manifold3d, whose meshes are closed.

A piece of balls has a ball for each atom, and a neck between two balls that touch. A neck keeps clear of all other balls and of the necks
of other pieces: if four balls touch each other, the necks of two disjoint pairs are 1.4 radii apart. A flat piece has a nose at a slot that
it covers, and a notch at other slots, as in pictures. A hollow piece has a cavity behind a wall of constant thickness, and a drain hole
through which resin or powder runs out.
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
"""A body of manifold3d, which has no type annotations."""
MIN_CUT = 1e-5
"""Smallest amount removed, relative to a cell: far below the resolution of printers and far above rounding errors."""
BEVEL = 1.0
"""Default bevel in millimetres."""
TO_INSTALL = 'meshes need manifold3d; install it with pip install "puzzlesat[print]"'
STEPS = 4
"""Number of segments of a rounded quarter edge."""
NEAR = float(np.cos(np.pi / 12))
"""Cosine of 15 degrees: directions closer than this count as one."""


@dataclass(frozen=True)
class Making:
    """Settings for making pieces; all lengths are in millimetres."""

    cell: float = 20.0
    """The shortest side of a cell; the diameter of a ball."""
    clearance: float = 0.2
    """Gap between two pieces that touch: each piece loses half of it all round."""
    bevel: float | None = None
    """Width cut off from each of the two faces at an edge; None: a default for the kind of piece."""
    rounding: float = 0.0
    """Radius of rounded edges, which replace bevels; 0: edges are not rounded."""
    thickness: float = 6.0
    """Thickness of flat pieces; the clearance does not reduce it."""
    wall: float = 0.0
    """Thickness of the walls of hollow pieces; 0: pieces are solid."""
    drain: float = 0.0
    """Diameter of the drain hole in the wall of a hollow piece; 0: no hole."""

    def edge(self, usual: float = BEVEL) -> float:
        """Return the width that each of the two faces at an edge loses, by bevel or by rounding."""
        return self.rounding or (usual if self.bevel is None else self.bevel)


def library() -> ModuleType:
    """Return manifold3d. Raises NotSupportedError if it is not installed."""
    try:
        return import_module("manifold3d")
    except ImportError:
        raise NotSupportedError(TO_INSTALL) from None


def hull(points: Reals) -> Manifold:
    """Return the convex hull of points as a body."""
    return library().Manifold.hull_points(points)


def rounded(probe: Reals) -> Reals:
    """Return the given points of the unit sphere with further points spread evenly between them. Their hull is nearly a ball.

    The hull reaches exactly one unit in the given directions, so faces with these normals move by one unit.
    """
    mesh = hull(probe).to_mesh64()
    corners = np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts)]
    shares = np.array([(i, j, STEPS - i - j) for i, j in product(range(STEPS + 1), repeat=2) if i + j <= STEPS], dtype=np.float64)
    points = np.concatenate([shares @ triangle for triangle in corners])
    chosen = list(probe)
    for point in points / np.linalg.norm(points, axis=1)[:, None]:
        if max(point @ other for other in chosen) < NEAR:
            chosen.append(point)
    return np.array(chosen)


SEGMENTS = 48
"""Corners of the circle of a ball, a neck or a drain."""


def balls_and_necks(grid: Grid, atoms: Sequence[AtomId], making: Making) -> Manifold:
    """Return a piece of balls, with radii reduced by half the clearance. Balls have no edges to bevel."""
    grid_shapes, bodies = shapes(grid), library()
    scale = making.cell / (2 * ball_radius(grid))
    radius, broad = (making.cell - making.clearance) / 2, BROAD * making.cell / 2 - making.clearance / 2
    middles = [scale * grid_shapes.cartesian([grid_shapes.corners(atom)[0]])[0] for atom in atoms]
    parts = [bodies.Manifold.sphere(radius, SEGMENTS).translate(middle.tolist()) for middle in middles]
    for a, b in combinations(middles, 2) if broad > 0 else ():
        if (far := float(np.linalg.norm(b - a))) < 1.01 * making.cell:
            parts.append(_cylinder(a, (b - a) / far, broad, 0.0, far))  # a neck
    return bodies.Manifold.batch_boolean(parts, bodies.OpType.Add)


COMPASS = np.array([[0.0, 0, -1], [0, 0, 1], *([np.cos(a), np.sin(a), 0] for a in np.arange(8) * np.pi / 4)])
"""Unit vectors down, up, and in eight horizontal directions."""
ROUND = 8
"""A cavity is one of balls if its smallest extent is more than this many times the radius of the largest circle in its faces."""
FLAT = 1e-3
"""Triangles are in one face if their planes differ by less, in millimetres and in the components of the normals."""


def touching(directions: Reals) -> Reals:
    """Return the corners of the body whose faces touch the unit sphere in the given directions: unit vectors on all sides.

    If a body is shrunk by it, a face with one of these normals moves in by one unit, and no point of the surface moves by less.
    """
    mesh = hull(directions).to_mesh64()
    faces = np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts)]
    return np.asarray(np.linalg.solve(faces, np.ones((len(faces), 3, 1)))[..., 0])


def hollowed(solid: Manifold, inside: Manifold, making: Making) -> Manifold:
    """Return a body without its inside, with a drain to each part of the inside if ``making`` has one.

    Raises PuzzleError if there is no room for a cavity, or for the drain.
    """
    if not making.wall:
        return solid
    if inside.is_empty():
        raise PuzzleError(f"a wall of {making.wall:g} leaves nothing to hollow out; use a thinner wall or larger cells")
    taken = [inside, *(_drain(solid, part, making) for part in inside.decompose() if making.drain)]
    return library().Manifold.batch_boolean([solid, *taken], library().OpType.Subtract)


def _drain(solid: Manifold, cavity: Manifold, making: Making) -> Manifold:
    """A cylinder from the middle of the largest face of a cavity through the wall; for the cavity of a ball, out of the piece."""
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
    angles = np.linspace(0, 2 * np.pi, SEGMENTS, endpoint=False)[:, None]
    circle = middle + radius * (np.cos(angles) * first + np.sin(angles) * np.cross(out, first))
    return hull(np.concatenate([circle + start * out, circle + end * out]))


def _largest_face(body: Manifold) -> tuple[Reals, Reals, float]:
    """The centre of the largest circle in the faces of a body, the outward normal there, and the radius."""
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
        if len(left) and areas[left].sum() / 2 < np.pi * best[2] ** 2:  # the faces left have no room for a larger circle
            break
    return best


def _largest_circle(triangles: Reals) -> tuple[Reals, float]:
    """The centre and the radius of the largest circle in the plane region covered by triangles."""
    bodies = library()
    area = bodies.CrossSection([t for t in triangles], bodies.FillRule.NonZero)  # noqa: C416 - a list of arrays
    low, high = 0.0, float(np.ptp(triangles.reshape(-1, 2), axis=0).min()) / 2 + 2 * FLAT
    while high - low > FLAT:
        half = (low + high) / 2
        low, high = (low, half) if area.offset(-half, bodies.JoinType.Miter).is_empty() else (half, high)
    inner = area.offset(-low, bodies.JoinType.Miter).to_polygons()
    return np.asarray(inner[0]).mean(axis=0) if inner else triangles[0].mean(axis=0), low


USUAL: Final = 0.025
"""Default bevel of pieces with noses, as a share of the cell; noses are small."""
SHARPEST: Final = 4.0
"""Mitre limit: how far a corner may move, relative to its sides. The corners of noses are blunter."""


def has_slots(grid: Grid, atoms: Iterable[AtomId]) -> bool:
    """Return whether a piece consists of faces with slots on their sides and of such slots alone."""
    own = set(atoms)
    faces = _faces(grid, own)
    slots = set(slots_round(grid, faces)) if grid.dimension == 2 else set()
    return bool(slots) and own <= {*faces, *slots}


def with_slots(grid: Grid, atoms: Iterable[AtomId], making: Making) -> Manifold:
    """Return a piece of faces and slots. Raises PuzzleError if clearance or bevel are too large for its noses."""
    own, bodies = set(atoms), library()
    edge, least = making.edge(USUAL * making.cell), MIN_CUT * making.cell
    loops = _loops(grid, own, making.cell)
    section = bodies.CrossSection(loops, bodies.FillRule.Positive)
    lost = max(making.clearance / 2, least)
    inner, whole = (section.offset(-by, bodies.JoinType.Miter, SHARPEST) for by in (lost + edge, lost))
    back = inner.offset(edge, bodies.JoinType.Miter, SHARPEST)  # equals ``whole`` unless a nose or a wall is too thin
    if abs(back.area() - whole.area()) > MIN_CUT * whole.area():
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
    """The boundary loops of a piece in millimetres, the inside to their left, with noses and notches."""
    grid_shapes, faces = shapes(grid), _faces(grid, own)
    loops = (grid_shapes.cartesian(outline([grid_shapes.corners(a)])[0]) for a in faces)
    scale = cell / min(np.linalg.norm(np.roll(loop, -1, axis=0) - loop, axis=1).min() for loop in loops)
    slots = noses_and_notches(grid, faces, own)
    found = []
    for loop in outline([grid_shapes.corners(a) for a in faces], [p for slot in slots for p in slot]):
        points, border = scale * grid_shapes.cartesian(loop), []
        for i, here in enumerate(points):
            there = points[j := (i + 1) % len(points)]
            border.append(here)
            if side := slots.get(frozenset((loop[i], loop[j])), 0):
                along = there - here
                out = side * np.array([along[1], -along[0]])
                border += [here + x * along + y * out for x, y in NOSE]
        found.append(np.array(border))
    return found


def _slot_probe(loops: Iterable[Reals]) -> Reals:
    """A unit vector along each normal of the piece's sides, both ways, and up and down."""
    along = np.concatenate([np.roll(loop, -1, axis=0) - loop for loop in loops])
    units = np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(along, axis=1)[:, None]
    sides = np.column_stack([np.concatenate([units, -units]), np.zeros(2 * len(units))])
    return np.asarray(np.unique(np.concatenate([sides, [[0, 0, 1], [0, 0, -1]]]).round(9) + 0.0, axis=0))


AT_ONCE = 256
"""Number of atoms compared with a piece at once."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """A closed mesh."""

    points: Reals
    """Array (points, 3)."""
    triangles: Ints
    """Array (triangles, 3) of point numbers, counterclockwise as seen from outside."""
    volume: float
    """Volume in cubic millimetres."""
    parts: int
    """Number of connected bodies; 0 if no volume is left."""
    corner: Reals
    """Coordinates of its minimum corner in the grid, in millimetres."""

    @property
    def words(self) -> str:
        """Size, volume and number of triangles in words."""
        size = " x ".join(f"{length:.1f}" for length in self.points.max(axis=0))
        return f"{size} mm, {self.volume / 1000:.2f} cm3, {many(len(self.triangles), 'triangle')}"


def piece_mesh(grid: Grid, atoms: Iterable[AtomId], making: Making) -> Mesh:
    """Return the mesh of the piece that covers these atoms, moved so that its least coordinates are x = y = z = 0.

    Raises NotSupportedError if atoms are neither polygons nor bodies, or manifold3d is not installed, and PuzzleError if clearance or bevel
    are too large for the cells.
    """
    library()
    own = frozenset(atoms)
    balls = grid.dimension == 3 and all(shapes(grid).drawn(atom) == BALL for atom in own)
    slots = has_slots(grid, own)
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
    """A piece whose cells are bodies or flat polygons."""
    least, edge, probe = MIN_CUT * making.cell, making.edge(), _probe(grid)
    ball = rounded(probe) if making.rounding else probe
    solid = _shrunk(grid, own, making, ball, max(making.clearance / 2 + edge, least), max(edge, least))
    return solid.minkowski_sum(hull(edge * ball)) if edge and not solid.is_empty() else solid


def _shrunk(grid: Grid, own: frozenset[AtomId], making: Making, ball: Reals, by: float, lids: float) -> Manifold:
    """A piece with the grid's clearance, shrunk by ``by`` times a body; flat pieces lose ``lids`` above and below."""
    bodies = library()
    scale, probe = making.cell / shortest_side(grid), _probe(grid)
    tiny = MIN_CUT * making.cell / 2
    cells = [_grown(_corners(grid, a, scale, making), probe, tiny) for a in sorted(own)]  # cells overlap, so no wall stays between them
    near = _together(grid, own, _neighbours(grid, own, by / scale))
    parts = (np.concatenate([_corners(grid, a, scale, making, rise=making.thickness) for a in part]) for part in near)
    around = [_grown(corners, ball, by) for corners in parts]
    whole = bodies.Manifold.batch_boolean(cells, bodies.OpType.Add)
    if grid.dimension == 2:
        around += _lids(whole, ball, making, lids)
    return bodies.Manifold.batch_boolean([whole, *around], bodies.OpType.Subtract)


def _closed(solid: Manifold, inside: Manifold, making: Making) -> Mesh:
    """The mesh of a body; it is hollow if ``making`` has walls."""
    least = MIN_CUT * making.cell
    parts = len(solid.simplify(least).decompose())
    solid = hollowed(solid, inside, making).simplify(least)
    mesh = solid.to_mesh64()
    points, triangles = _welded(np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts, dtype=np.int32), least)
    corner = points.min(axis=0) if parts else np.zeros(3)
    return Mesh(points - corner, triangles, solid.volume(), parts, corner)


def together(meshes: Sequence[Mesh]) -> Mesh:
    """Return several meshes as one, each at its place in the grid."""
    starts = np.cumsum([0, *(len(mesh.points) for mesh in meshes)])
    points = np.concatenate([mesh.points + mesh.corner for mesh in meshes])
    triangles = np.concatenate([mesh.triangles + start for mesh, start in zip(meshes, starts, strict=False)])
    corner = points.min(axis=0)
    volume, parts = sum(mesh.volume for mesh in meshes), sum(mesh.parts for mesh in meshes)
    return Mesh(points - corner, triangles.astype(np.int32), volume, parts, corner)


def _welded(points: Reals, triangles: Ints, near: float) -> tuple[Reals, Ints]:
    """Merge points closer than ``near``, to remove slivers from rounding. Raises PuzzleError if the mesh is not closed."""
    number = np.arange(len(points))
    for i, point in enumerate(points):
        if number[i] == i:
            close = np.flatnonzero(np.linalg.norm(points[i + 1 :] - point, axis=1) < near) + i + 1
            number[close[number[close] == close]] = i
    triangles = number[triangles].astype(np.int32)
    triangles = _without_fins(triangles[(triangles != np.roll(triangles, 1, axis=1)).all(axis=1)])
    used, renumbered = np.unique(triangles, return_inverse=True)
    triangles = renumbered.reshape(-1, 3).astype(np.int32)
    sides = Counter((a, b) for t in triangles.tolist() for a, b in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0])))
    if any(times != 1 or (b, a) not in sides for (a, b), times in sides.items()):
        raise PuzzleError("the mesh of a piece would not be closed; take another bevel or clearance")
    return points[used], triangles


def _without_fins(triangles: Ints) -> Ints:
    """Remove pairs of triangles that lie back to back; merged points leave them where a sliver was."""
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
    """The atoms of a cell that have an area or a volume."""
    return [n for n, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind and len(atom.vertices) > grid.dimension]


def _cartesian(grid: Grid, points: Iterable[Iterable[object]]) -> Reals:
    lattice = np.array([[float(x) for x in p] for p in points])  # type: ignore[arg-type]
    return np.asarray(lattice @ shapes(grid).basis)


@cache
def _sides(grid: Grid, number: int) -> tuple[Reals, ...]:
    """The faces of an atom by their corners in Cartesian coordinates; in the plane the atom itself."""
    if grid.dimension == 3:
        return tuple(_cartesian(grid, face) for face in polytope_faces(grid, number))
    grid_shapes = shapes(grid)
    return (np.asarray(grid_shapes.cartesian(grid_shapes.corners((0, 0, number)))),)


@cache
def _probe(grid: Grid) -> Reals:
    """The corners of B: a unit vector along each face normal, both ways; in the plane also up and down."""
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
    """The corners of an atom in millimetres. A flat atom becomes a prism, extended by ``rise`` at both ends."""
    number, move = atom[-1], _cartesian(grid, [atom[:-1]])[0]
    if grid.dimension == 3:
        return np.asarray(scale * (_cartesian(grid, grid.atoms[number].vertices) + move))
    flat = scale * (_sides(grid, number)[0] + move)
    heights = (-rise, making.thickness + rise)
    return np.concatenate([np.column_stack([flat, np.full(len(flat), z)]) for z in heights])


def _neighbours(grid: Grid, own: frozenset[AtomId], reach: float) -> list[AtomId]:
    """The atoms outside a piece that may be within ``reach`` of an atom of it, in units of the Gram matrix.

    Atoms are excluded if some face normal separates them from each atom of the piece: after growing they do not reach it.
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
    """Yield the atoms of one cell as one body if the cell is convex and has no atom of the piece; otherwise atom by atom."""
    by_cell: dict[Cell, list[AtomId]] = {}
    for atom in atoms:
        by_cell.setdefault(atom[:-1], []).append(atom)
    for cell, own_atoms in by_cell.items():
        whole = [(*cell, number) for number in _bodies(grid)]
        if _is_convex(grid) and own.isdisjoint(whole):
            yield whole
        else:
            yield from ([atom] for atom in own_atoms)


@cache
def _is_convex(grid: Grid) -> bool:
    """Return whether the bodies of a cell form one convex body."""
    if grid.dimension != 3:
        return False
    bodies = [hull(_cartesian(grid, grid.atoms[number].vertices)) for number in _bodies(grid)]
    whole = hull(np.concatenate([_cartesian(grid, grid.atoms[number].vertices) for number in _bodies(grid)]))
    return bool(abs(whole.volume() - sum(body.volume() for body in bodies)) < MIN_CUT * whole.volume())


def _extents(grid: Grid, atoms: Sequence[AtomId]) -> tuple[Reals, Reals]:
    """The extent of atoms along each face normal."""
    probe = _probe(grid)[:, : grid.dimension]
    reaches = {n: np.concatenate(_sides(grid, n)) @ probe.T for n in _bodies(grid)}
    moves = _cartesian(grid, [a[:-1] for a in atoms]) @ probe.T
    low, high = (np.array([pick(reaches[a[-1]], axis=0) for a in atoms]) for pick in (np.min, np.max))
    return low + moves, high + moves


# bodies -----------------------------------------------------------------------------------------------------------------------


def _grown(corners: Reals, probe: Reals, size: float) -> Manifold:
    """A convex body grown by ``size`` times B."""
    return hull((corners[:, None] + size * probe[None]).reshape(-1, 3))


def _lids(whole: Manifold, probe: Reals, making: Making, size: float) -> Iterator[Manifold]:
    """The space above and below flat pieces, grown by less than the space beside them, because the clearance is only for the sides."""
    x, y, _, right, up, _ = whole.bounding_box()
    margin = 3 * making.cell
    for bottom, top in ((-making.thickness, 0.0), (making.thickness, 2 * making.thickness)):
        box = product((x - margin, right + margin), (y - margin, up + margin), (bottom, top))
        yield _grown(np.array(list(box)), probe, size)
