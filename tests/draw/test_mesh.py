"""Meshes of pieces: closed and of the volume that geometry says, read by somebody else; no triangle goes through another."""

from __future__ import annotations

import io
from itertools import combinations

import numpy as np
import pytest

from puzzlesat.config.package import grid_files
from puzzlesat.draw.mesh import Making, piece_mesh, shortest_side
from puzzlesat.draw.stl import stl
from puzzlesat.errors import NotSupportedError, PuzzleError
from puzzlesat.puzzle.grids import load_grid
from puzzlesat.puzzle.load import load_instance

trimesh = pytest.importorskip("trimesh", reason="it says whether meshes are closed")
pytest.importorskip("manifold3d", reason="it makes the meshes")

GRIDS = {file.stem: load_grid(file) for file in grid_files()}
BARE = Making(clearance=0, bevel=0)


def faces_of(grid):
    return [n for n, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind and len(atom.vertices) > grid.dimension]


SOLID = sorted(name for name, grid in GRIDS.items() if faces_of(grid))

DEAR = ("rhombic-tetrahedra", "tetra-octa", "truncated-octahedra", "drafters", "kites")
"""Grids of many or large cells: seconds each."""


def read(mesh):
    """The file of a mesh as another program reads it."""
    return trimesh.load(io.BytesIO(stl(mesh)), file_type="stl")


def crossings(mesh):
    """How many sides of triangles go through the inside of a triangle with which they share no corner."""
    triangles = mesh.triangles.tolist()
    found = 0
    sides = sorted({tuple(sorted(pair)) for t in triangles for pair in combinations(t, 2)})
    start, end = (mesh.points[[side[i] for side in sides]] for i in (0, 1))
    for t in triangles:
        a, b, c = mesh.points[t]
        normal = np.cross(b - a, c - a)
        normal /= np.linalg.norm(normal)
        before, after = (start - a) @ normal, (end - a) @ normal
        apart = np.array([not {*side} & {*t} for side in sides])
        through = apart & (before * after < 0) & (np.minimum(abs(before), abs(after)) > 1e-6)
        where = start[through] + (before[through] / (before - after)[through])[:, None] * (end - start)[through]
        turns = [np.cross(q - p, where - p) @ normal for p, q in ((a, b), (b, c), (c, a))]
        found += int((np.minimum.reduce(turns) > 1e-6).sum()) if len(where) else 0
    return found


def is_sound(mesh, parts=1):
    other = read(mesh)
    assert other.is_watertight
    assert other.is_winding_consistent
    assert other.volume == pytest.approx(mesh.volume, rel=1e-5)
    assert (other.euler_number, mesh.parts) == (2 * parts, parts)  # no piece here has a hole
    assert mesh.points.min(axis=0) == pytest.approx([0, 0, 0], abs=1e-6)
    assert crossings(mesh) == 0
    spread = np.linalg.norm(mesh.points[:, None] - mesh.points[None], axis=2)
    assert spread[~np.eye(len(spread), dtype=bool)].min() > 1e-5
    return True


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.full) if name in DEAR else name for name in SOLID])
def test_every_grid_of_bodies(name):
    """A whole cell has the volume of the lattice; less and less is left with clearance and bevel."""
    grid = GRIDS[name]
    cell = [(*[0] * grid.dimension, n) for n in faces_of(grid)]
    two = [*cell, *((1, *[0] * (grid.dimension - 1), n) for n in faces_of(grid))]
    gram = np.array([[float(x) for x in row] for row in grid.gram])
    volume = np.sqrt(np.linalg.det(gram)) * (10 / shortest_side(grid)) ** grid.dimension * (1 if grid.dimension == 3 else 5)
    for atoms, many in ((cell, 1), (two, 2)):
        left = [
            piece_mesh(grid, atoms, Making(cell=10, clearance=clearance, bevel=bevel, thickness=5))
            for clearance, bevel in ((0, 0), (0, 0.5), (0.2, 0), (0.2, 0.5))
        ]
        assert all(map(is_sound, left))
        assert left[0].volume == pytest.approx(many * volume, rel=2e-4)
        assert left[0].volume > left[1].volume > left[3].volume
        assert left[0].volume > left[2].volume > left[3].volume


@pytest.mark.parametrize(("clearance", "bevel"), [(0, 0), (0.3, 0), (0, 1.5), (0.3, 1.5)])
def test_a_cube(clearance, bevel):
    """By Steiner's formula: a cube grown by an octahedron."""
    mesh = piece_mesh(GRIDS["cube"], [(0, 0, 0, 0)], Making(clearance=clearance, bevel=bevel))
    inner = 20 - clearance - 2 * bevel
    assert mesh.volume == pytest.approx(inner**3 + 6 * inner**2 * bevel + 6 * inner * bevel**2 + 4 / 3 * bevel**3, rel=1e-4)
    assert mesh.points.max(axis=0) == pytest.approx([20 - clearance] * 3, abs=1e-3)
    assert is_sound(mesh)


@pytest.mark.parametrize("bevel", [0, 1])
def test_a_flat_square(bevel):
    """Clearance is for the sides alone; bevels are at all edges."""
    mesh = piece_mesh(GRIDS["square"], [(0, 0, 0)], Making(clearance=0.4, bevel=bevel, thickness=7))
    assert mesh.points.max(axis=0) == pytest.approx([19.6, 19.6, 7], abs=1e-3)
    a, h = 19.6 - 2 * bevel, 7 - 2 * bevel
    grown = a * a * h + 2 * (a * a + 2 * a * h) * bevel + 2 * (2 * a + h) * bevel**2 + 4 / 3 * bevel**3
    assert mesh.volume == pytest.approx(grown, rel=1e-4)


def test_an_inner_edge_stays_where_it_is():
    """Of an L of three squares, without clearance, what sticks out is cut off; nothing is lost or won where two walls meet inside."""
    flat = piece_mesh(GRIDS["square"], [(0, 0, 0), (1, 0, 0), (0, 1, 0)], Making(clearance=0, bevel=0.5, thickness=10))
    points = flat.points[np.isclose(flat.points[:, 0], 20) & np.isclose(flat.points[:, 1], 20)]
    assert len(points) >= 2
    assert sorted(points[:, 2])[0] == pytest.approx(0.5)


@pytest.mark.parametrize("name", ["soma", "pentominoes-6x10", "tangram-square"])
def test_the_pieces_of_a_puzzle(name):
    puzzle = load_instance(name).puzzle
    whole = sum(piece_mesh(puzzle.grid, tile.atoms, BARE).volume * tile.low for tile in puzzle.tiles)
    form = piece_mesh(puzzle.grid, puzzle.form.atoms, BARE).volume
    assert whole == pytest.approx(form, rel=1e-3)
    for tile in puzzle.tiles:
        assert is_sound(piece_mesh(puzzle.grid, tile.atoms, Making()))


def test_cells_that_touch_in_an_edge_fall_apart():
    for other in ((1, 1, 0, 0), (1, 1, 1, 0)):
        assert is_sound(piece_mesh(GRIDS["cube"], [(0, 0, 0, 0), other], Making()), parts=2)


@pytest.mark.parametrize("name", ["balls", "square-edges", "square-slots"])
def test_what_is_no_body(name):
    grid = GRIDS[name]
    thin = next(n for n, atom in enumerate(grid.atoms) if len(atom.vertices) <= grid.dimension)
    with pytest.raises(NotSupportedError, match="is no body"):
        piece_mesh(grid, [(*[0] * grid.dimension, thin)], Making())


@pytest.mark.parametrize(
    "making",
    [
        Making(cell=0),
        Making(cell=float("nan")),
        Making(thickness=float("inf")),
        Making(clearance=-1),
        Making(bevel=10),
        Making(clearance=19, bevel=1),
        Making(thickness=2, bevel=1),
    ],
)
def test_sizes_that_leave_nothing(making):
    with pytest.raises(PuzzleError, match=r"leaves? nothing|expected a cell"):
        piece_mesh(GRIDS["square"], [(0, 0, 0)], making)
