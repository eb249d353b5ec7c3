"""Pieces as closed meshes to be printed: cells grown together, a clearance taken off all round, edges bevelled or rounded.

All is done with one small body B, the hull of a unit vector along each direction in which faces of the grid look. It reaches exactly
one unit far in each of these directions, so that growing a body by B moves each of its faces out by one unit, and shrinking it moves
each in by one. A piece is shrunk by half the clearance and by the bevel, and grown again by the bevel: its faces are then where the
clearance wants them, the edges and corners that stick out are cut off (for cubes at 45 degrees), and no others are. To shrink a piece
is to grow what lies round it, cell by cell, for each cell is convex, and to take that away. Where edges are rounded, B has the points of
a sphere between those directions as well. The unions and differences are those of manifold3d, whose meshes are closed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import isfinite

import numpy as np

from puzzlesat.arrays import Ints, Reals
from puzzlesat.draw.ballmesh import all_balls, balls_and_necks
from puzzlesat.draw.geometry import polytope_faces, shapes
from puzzlesat.draw.making import LEAST, Making, Manifold, hull, library, rounded
from puzzlesat.draw.slotmesh import USUAL, has_slots, with_slots
from puzzlesat.errors import NotSupportedError, PuzzleError
from puzzlesat.grid.lattice import AtomId, Grid


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
        return _closed(balls_and_necks(grid, sorted(own), making), making)
    if slots:
        return _closed(with_slots(grid, own, making), making)
    if wrong := next((grid.atoms[a[-1]] for a in sorted(own) if len(grid.atoms[a[-1]].vertices) <= grid.dimension), None):
        why = "pieces would end at the same points, where no cut is defined"
        raise NotSupportedError(f"a piece of grid {grid.name} of {wrong.kind}s is not a solid: {why}")
    return _closed(_of_cells(grid, own, making), making)


def _of_cells(grid: Grid, own: frozenset[AtomId], making: Making) -> Manifold:
    """A piece of cells that are bodies."""
    bodies = library()
    scale, least = making.cell / shortest_side(grid), LEAST * making.cell
    edge, probe = making.edge(), _probe(grid)
    reach = max(making.clearance / 2 + edge, least)
    ball = rounded(probe) if making.rounding else probe
    cells = [_grown(_corners(grid, a, scale, making), probe, least / 2) for a in sorted(own)]  # cells overlap: no wall stays between them
    around = [_grown(_corners(grid, a, scale, making, rise=making.thickness), ball, reach) for a in _neighbours(grid, own, reach / scale)]
    whole = bodies.Manifold.batch_boolean(cells, bodies.OpType.Add)
    if grid.dimension == 2:
        around += _lids(whole, ball, making, max(edge, least))
    solid = bodies.Manifold.batch_boolean([whole, *around], bodies.OpType.Subtract)
    return solid.minkowski_sum(hull(edge * ball)) if edge and not solid.is_empty() else solid


def _closed(solid: Manifold, making: Making) -> Mesh:
    """The mesh of a body."""
    least = LEAST * making.cell
    solid = solid.simplify(least)
    mesh = solid.to_mesh64()
    points, triangles = _welded(np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts, dtype=np.int32), least)
    parts = 0 if solid.is_empty() else len(solid.decompose())
    return Mesh(points - points.min(axis=0) if parts else points, triangles, solid.volume(), parts)


def _welded(points: Reals, triangles: Ints, near: float) -> tuple[Reals, Ints]:
    """A mesh without the slivers that come of rounding: points nearer than that become one. Raises PuzzleError where it is not closed."""
    number = np.arange(len(points))
    for i, point in enumerate(points):
        if number[i] == i:
            close = np.flatnonzero(np.linalg.norm(points[i + 1 :] - point, axis=1) < near) + i + 1
            number[close[number[close] == close]] = i
    triangles = number[triangles].astype(np.int32)
    own = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)
    kept, renumbered = np.unique(triangles[own], return_inverse=True)
    triangles = renumbered.reshape(-1, 3).astype(np.int32)
    sides = Counter((a, b) for t in triangles.tolist() for a, b in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0])))
    if any(times != 1 or (b, a) not in sides for (a, b), times in sides.items()):
        raise PuzzleError("the mesh of a piece would not be closed; take another bevel or clearance")
    return points[kept], triangles


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
    sizes = (making.cell, making.clearance, making.bevel or 0.0, making.rounding, making.thickness)
    if not all(map(isfinite, sizes)) or min(sizes) < 0 or not making.cell or not making.thickness:
        raise PuzzleError("sizes for a mesh: expected a cell and a thickness above 0; a clearance, a bevel and a rounding of 0 or more")
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
    """The atoms that are not of a piece, and not farther than that from one that is, along some axis (in units of the Gram matrix)."""
    steps = list(product(range(-2, 3), repeat=grid.dimension))
    cells = {tuple(c + s for c, s in zip(a[:-1], step, strict=True)) for a in own for step in steps}
    bounds = {a: _bounds(grid, a) for a in own}
    found = []
    for cell, number in product(sorted(cells), _bodies(grid)):
        atom = (*cell, number)
        if atom in own:
            continue
        low, high = _bounds(grid, atom)
        if any((low <= h + reach + 1e-6).all() and (high >= b - reach - 1e-6).all() for b, h in bounds.values()):
            found.append(atom)
    return found


def _bounds(grid: Grid, atom: AtomId) -> tuple[Reals, Reals]:
    points = np.concatenate(_sides(grid, atom[-1])) + _cartesian(grid, [atom[:-1]])[0]
    return points.min(axis=0), points.max(axis=0)


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
