"""Meshes of pieces: closed and of the volume that geometry says, read by somebody else; no triangle goes through another."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest

import puzzlesat
from puzzlesat.config.package import grid_files
from puzzlesat.draw.ballmesh import balls_and_necks
from puzzlesat.draw.making import Making
from puzzlesat.draw.mesh import piece_mesh, shortest_side
from puzzlesat.draw.stl import stl
from puzzlesat.errors import NotSupportedError, PuzzleError
from puzzlesat.puzzle.grids import load_grid
from puzzlesat.puzzle.load import load_instance

trimesh = pytest.importorskip("trimesh", reason="it says whether meshes are closed")
pytest.importorskip("manifold3d", reason="it makes the meshes")

GRIDS = {file.stem: load_grid(file) for file in grid_files()}
LONG = partial(pytest.param, marks=pytest.mark.full)
BARE = Making(clearance=0, bevel=0.0)


def faces_of(grid):
    return [n for n, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind and len(atom.vertices) > grid.dimension]


SOLID = sorted(name for name, grid in GRIDS.items() if faces_of(grid) and name != "square-slots")  # which has noses and notches

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


@pytest.mark.parametrize(("clearance", "radius"), [(0, 3), (0.4, 1.5)])
def test_a_rounded_cube(clearance, radius):
    """By Steiner's formula: a cube grown by a ball, or by a body a little smaller than one; its faces are where those of bevels are."""
    mesh = piece_mesh(GRIDS["cube"], [(0, 0, 0, 0)], Making(clearance=clearance, rounding=radius))
    inner = 20 - clearance - 2 * radius
    round_ = inner**3 + 6 * inner**2 * radius + 3 * np.pi * inner * radius**2 + 4 / 3 * np.pi * radius**3
    assert mesh.volume < round_
    assert mesh.volume == pytest.approx(round_, rel=0.007)
    assert mesh.points.max(axis=0) == pytest.approx([20 - clearance] * 3, abs=1e-3)
    assert mesh.volume > piece_mesh(GRIDS["cube"], [(0, 0, 0, 0)], Making(clearance=clearance, bevel=radius)).volume
    assert is_sound(mesh)


@pytest.mark.parametrize(
    ("name", "tiles"),
    [
        pytest.param("soma", "LB", marks=pytest.mark.full),
        pytest.param("pentominoes-6x10", "X", marks=pytest.mark.full),
        ("tangram-square", "all"),
    ],
)
def test_rounded_pieces_of_a_puzzle(name, tiles):
    puzzle = load_instance(name).puzzle
    for tile in puzzle.tiles:
        if tiles == "all" or tile.name in tiles:
            mesh = piece_mesh(puzzle.grid, tile.atoms, Making(rounding=1))
            assert is_sound(mesh)
            assert mesh.volume == pytest.approx(piece_mesh(puzzle.grid, tile.atoms, Making(bevel=1)).volume, rel=0.03)


NOSE = (0.5 + 0.32) / 2 * 0.18
"""The area of a nose, of a square on its slot: a trapezium."""


@pytest.mark.parametrize("bevel", [0, 0.4])
def test_noses_and_notches(bevel):
    """Without clearance a nose fills a notch: what pieces with noses have more than a square, those with notches have less."""
    puzzle = load_instance("bits-and-bytes").puzzle
    for tile in puzzle.tiles[1::5]:
        mesh = piece_mesh(puzzle.grid, tile.atoms, Making(clearance=0, bevel=bevel, thickness=5))
        noses = tile.name.count("1")
        assert len(tile.atoms) == 1 + noses
        if not bevel:
            assert mesh.volume == pytest.approx(5 * (400 + (2 * noses - 8) * 100 * NOSE), rel=1e-4)
        sides = ["1" in tile.name[k : k + 2] for k in (0, 2, 4, 6)]  # clockwise from the top
        broad, high = (20 + 1.8 * (sides[k] + sides[k + 2]) for k in (1, 0))
        assert mesh.points.max(axis=0) == pytest.approx([broad, high, 5], abs=1e-3)
        assert is_sound(mesh)


@pytest.mark.parametrize("making", [Making(), LONG(Making(rounding=0.4)), Making(cell=40, clearance=0.3, bevel=1)])
def test_pieces_with_noses_fit_with_their_clearance(making):
    """Each side loses half the clearance, those of noses too."""
    puzzle = load_instance("bits-and-bytes").puzzle
    for tile in puzzle.tiles[1:3]:
        mesh = piece_mesh(puzzle.grid, tile.atoms, making)
        bare = piece_mesh(puzzle.grid, tile.atoms, replace(BARE, cell=making.cell, thickness=making.thickness))
        assert is_sound(mesh)
        assert mesh.volume < bare.volume
        size = bare.points.max(axis=0) - mesh.points.max(axis=0)
        assert size == pytest.approx([making.clearance, making.clearance, 0], abs=1e-3)


def test_noses_that_a_bevel_would_cut_off():
    with pytest.raises(PuzzleError, match="too much for noses and notches"):
        piece_mesh(GRIDS["square-slots"], [(0, 0, 0)], Making(bevel=2.9))
    tile = next(tile for tile in load_instance("bits-and-bytes").puzzle.tiles if "11" in tile.name)
    with pytest.raises(PuzzleError, match="too much for noses and notches"):
        piece_mesh(GRIDS["square-slots"], tile.atoms, Making(bevel=2.9))


def test_balls():
    """A ball alone has nearly the volume of one; in a row, balls lie a diameter apart, and each neck adds to them."""
    grid, ball = GRIDS["balls"], 4 / 3 * np.pi * 9.9**3
    one = piece_mesh(grid, [(0, 0, 0, 0)], Making())
    assert ball * 0.98 < one.volume < ball and is_sound(one)
    assert one.points.max(axis=0) == pytest.approx([19.8] * 3, rel=0.003)
    near = min((tuple(b) for b in grid.neighbours((0, 0, 0, 0))), default=None)
    pair = piece_mesh(grid, [(0, 0, 0, 0), near], Making())
    assert 2 * one.volume < pair.volume < 2 * one.volume + np.pi * 4.5**2 * 20 and is_sound(pair)
    assert piece_mesh(grid, [(0, 0, 0, 0), (7, 0, 0, 0)], Making()).parts == 2


def test_pieces_of_balls_keep_clear_of_each_other():
    """Of every two pieces of a solution, as they lie: their balls and necks have nothing in common."""
    import manifold3d

    solution = next(puzzlesat.solve("ball-room-1"))
    grid = solution.built.puzzle.grid
    bodies = [balls_and_necks(grid, placement.atoms, Making(clearance=0.1)) for placement in solution.placements]
    assert len(bodies) > 3
    for one, other in combinations(bodies, 2):
        both = manifold3d.Manifold.batch_boolean([one, other], manifold3d.OpType.Intersect)
        assert both.volume() == pytest.approx(0, abs=1e-9)
        assert one.min_gap(other, 1.0) >= 0.1 - 1e-6


@pytest.mark.parametrize("name", ["square-edges", "triangle-edges", "square-marks"])
def test_what_is_no_body(name):
    grid = GRIDS[name]
    thin = next(n for n, atom in enumerate(grid.atoms) if len(atom.vertices) <= grid.dimension)
    with pytest.raises(NotSupportedError, match="of edges is not a solid: pieces would end at the same points"):
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
        Making(rounding=10),
        Making(thickness=2, rounding=1),
        Making(rounding=float("nan")),
        Making(thickness=2, bevel=1),
    ],
)
def test_sizes_that_leave_nothing(making):
    with pytest.raises(PuzzleError, match=r"leaves? nothing|expected a cell"):
        piece_mesh(GRIDS["square"], [(0, 0, 0)], making)


def test_edges_are_rounded_or_bevelled():
    with pytest.raises(PuzzleError, match="not both"):
        piece_mesh(GRIDS["cube"], [(0, 0, 0, 0)], Making(bevel=1, rounding=1))
