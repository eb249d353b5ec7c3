"""Meshes of pieces, solid and hollow: closed, with the right volume, read by another program; no two triangles cross."""

import io
from itertools import combinations, product

import numpy as np
import pytest

import puzzlesat
from puzzlesat.base.errors import NotSupportedError, PuzzleError
from puzzlesat.base.package import data_files
from puzzlesat.pictures.mesh import Making, balls_and_necks, piece_mesh, shortest_side, together
from puzzlesat.pictures.mesh_files import stl
from puzzlesat.puzzles.grids import load_grid
from puzzlesat.puzzles.load import load_instance
from tiers import every

trimesh = pytest.importorskip("trimesh", reason="it says whether meshes are closed")
pytest.importorskip("manifold3d", reason="it makes the meshes")

GRIDS = {file.stem: load_grid(file) for file in data_files("grids")}
BARE = Making(clearance=0, bevel=0.0)


def faces_of(grid):
    return [n for n, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind and len(atom.vertices) > grid.dimension]


SOLID = sorted(name for name, grid in GRIDS.items() if faces_of(grid) and name != "square-slots")  # this grid has noses and notches


def closed(mesh):
    """Return the mesh as another program reads its file; it must be closed."""
    other = trimesh.load(io.BytesIO(stl(mesh)), file_type="stl")
    assert other.is_watertight and other.is_winding_consistent
    assert other.volume == pytest.approx(mesh.volume, rel=1e-5)
    return other


def crossings(mesh):
    """Count the sides of triangles that cross the inside of a triangle without a common corner."""
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
    assert (closed(mesh).euler_number, mesh.parts) == (2 * parts, parts)  # no piece here has a hole
    assert mesh.points.min(axis=0) == pytest.approx([0, 0, 0], abs=1e-6)
    assert crossings(mesh) == 0
    spread = np.linalg.norm(mesh.points[:, None] - mesh.points[None], axis=2)
    assert spread[~np.eye(len(spread), dtype=bool)].min() > 1e-5
    return True


@pytest.mark.slow
@every("name", SOLID)
def test_every_grid_of_bodies(name):
    """A whole cell has the volume of the lattice; clearance and bevel reduce it."""
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


@every("how, clearance, size", [*product(["bevel"], [0, 0.3], [0, 1.5]), ("rounding", 0, 3), ("rounding", 0.4, 1.5)], fast=1)
def test_a_cube(how, clearance, size):
    """Steiner's formula gives the volume of a cube grown by an octahedron, or by a body slightly smaller than a ball."""
    mesh = piece_mesh(GRIDS["cube"], [(0, 0, 0, 0)], Making(clearance=clearance, **{how: size}))
    inner = 20 - clearance - 2 * size
    bevelled = inner**3 + 6 * inner**2 * size + 6 * inner * size**2 + 4 / 3 * size**3
    if how == "bevel":
        assert mesh.volume == pytest.approx(bevelled, rel=1e-4)
    else:
        rounded = inner**3 + 6 * inner**2 * size + 3 * np.pi * inner * size**2 + 4 / 3 * np.pi * size**3
        assert bevelled < mesh.volume < rounded
        assert mesh.volume == pytest.approx(rounded, rel=0.007)
    assert mesh.points.max(axis=0) == pytest.approx([20 - clearance] * 3, abs=1e-3)
    assert is_sound(mesh)


@every("bevel", [0, 1])
def test_a_flat_square(bevel):
    """Clearance applies to the sides only; bevels apply to all edges."""
    mesh = piece_mesh(GRIDS["square"], [(0, 0, 0)], Making(clearance=0.4, bevel=bevel, thickness=7))
    assert mesh.points.max(axis=0) == pytest.approx([19.6, 19.6, 7], abs=1e-3)
    a, h = 19.6 - 2 * bevel, 7 - 2 * bevel
    grown = a * a * h + 2 * (a * a + 2 * a * h) * bevel + 2 * (2 * a + h) * bevel**2 + 4 / 3 * bevel**3
    assert mesh.volume == pytest.approx(grown, rel=1e-4)


def test_an_inner_edge_stays_where_it_is():
    """The bevel of an L of three squares cuts off the outer edges only."""
    flat = piece_mesh(GRIDS["square"], [(0, 0, 0), (1, 0, 0), (0, 1, 0)], Making(clearance=0, bevel=0.5, thickness=10))
    points = flat.points[np.isclose(flat.points[:, 0], 20) & np.isclose(flat.points[:, 1], 20)]
    assert len(points) >= 2
    assert sorted(points[:, 2])[0] == pytest.approx(0.5)


@pytest.mark.full
@every("name", ["soma", "pentominoes-6x10", "tangram-square"])
def test_the_pieces_of_a_puzzle(name):
    puzzle = load_instance(name).puzzle
    whole = sum(piece_mesh(puzzle.grid, tile.atoms, BARE).volume * tile.low for tile in puzzle.tiles)
    form = piece_mesh(puzzle.grid, puzzle.form.atoms, BARE).volume
    assert whole == pytest.approx(form, rel=1e-3)
    for tile in puzzle.tiles:
        assert is_sound(piece_mesh(puzzle.grid, tile.atoms, Making()))


@pytest.mark.full
def test_cells_that_touch_in_an_edge_fall_apart():
    for other in ((1, 1, 0, 0), (1, 1, 1, 0)):
        assert is_sound(piece_mesh(GRIDS["cube"], [(0, 0, 0, 0), other], Making()), parts=2)


@pytest.mark.full
@every("name, tiles", [("soma", "LB"), ("pentominoes-6x10", "X"), ("tangram-square", "all")])
def test_rounded_pieces_of_a_puzzle(name, tiles):
    puzzle = load_instance(name).puzzle
    for tile in puzzle.tiles:
        if tiles == "all" or tile.name in tiles:
            mesh = piece_mesh(puzzle.grid, tile.atoms, Making(rounding=1))
            assert is_sound(mesh)
            assert mesh.volume == pytest.approx(piece_mesh(puzzle.grid, tile.atoms, Making(bevel=1)).volume, rel=0.03)


NOSE = (0.5 + 0.32) / 2 * 0.18
"""The area of a nose of a unit square: a trapezium."""


@pytest.mark.full
@every("bevel", [0, 0.4])
def test_noses_and_notches(bevel):
    """Without clearance a nose fills a notch, so noses add as much to a square as notches remove."""
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


@pytest.mark.slow
def test_balls():
    """A single ball has nearly the volume of a ball; balls in a row are a diameter apart, and each neck adds volume."""
    grid, ball = GRIDS["balls"], 4 / 3 * np.pi * 9.9**3
    one = piece_mesh(grid, [(0, 0, 0, 0)], Making())
    assert ball * 0.98 < one.volume < ball and is_sound(one)
    assert one.points.max(axis=0) == pytest.approx([19.8] * 3, rel=0.003)
    near = min((tuple(b) for b in grid.neighbours((0, 0, 0, 0))), default=None)
    pair = piece_mesh(grid, [(0, 0, 0, 0), near], Making())
    assert 2 * one.volume < pair.volume < 2 * one.volume + np.pi * 4.5**2 * 20 and is_sound(pair)
    assert piece_mesh(grid, [(0, 0, 0, 0), (7, 0, 0, 0)], Making()).parts == 2


@pytest.mark.full
def test_pieces_of_balls_keep_clear_of_each_other():
    """Balls and necks of any two pieces of a solution do not meet."""
    import manifold3d

    solution = next(puzzlesat.solve("ball-room-1"))
    grid = solution.built.puzzle.grid
    bodies = [balls_and_necks(grid, placement.atoms, Making(clearance=0.1)) for placement in solution.placements]
    assert len(bodies) > 3
    for one, other in combinations(bodies, 2):
        both = manifold3d.Manifold.batch_boolean([one, other], manifold3d.OpType.Intersect)
        assert both.volume() == pytest.approx(0, abs=1e-9)
        assert one.min_gap(other, 1.0) >= 0.1 - 1e-6


BAR = [(x, 0, 0, 0) for x in range(3)]


@pytest.mark.full
@every("clearance, wall", [(0, 2), (0.4, 1.5)])
def test_a_bar_of_three_cubes(clearance, wall):
    """Without a drain the inside has a separate surface; a drain makes one hole in the wall."""
    making = {"cell": 20, "clearance": clearance, "bevel": 0.0, "wall": wall}
    mesh = piece_mesh(GRIDS["cube"], BAR, Making(**making))
    outer, inner = ([60 - lost, 20 - lost, 20 - lost] for lost in (clearance, clearance + 2 * wall))
    walls = np.prod(outer) - np.prod(inner)
    assert mesh.volume == pytest.approx(walls, rel=1e-3)
    assert (closed(mesh).euler_number, mesh.parts) == (4, 1)
    drained = piece_mesh(GRIDS["cube"], BAR, Making(**making, drain=5))
    assert drained.volume == pytest.approx(walls - 24 * 2.5**2 * np.sin(np.pi / 24) * wall, rel=1e-3)  # a disc of 48 corners
    assert closed(drained).euler_number == 2


def test_an_l_of_cubes_and_a_flat_piece_have_one_inside_each():
    """The inside of a cell is open to the next cell. A flat piece has walls above and below."""
    bare = Making(cell=10, clearance=0, bevel=0.0, thickness=6, wall=1)
    for grid, atoms, volume in (
        ("cube", [(0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0)], 3000 - (8**3 + 2 * 8 * 8 * 10)),
        ("square", [(0, 0, 0), (1, 0, 0)], 20 * 10 * 6 - 18 * 8 * 4),
    ):
        mesh = piece_mesh(GRIDS[grid], atoms, bare)
        assert mesh.volume == pytest.approx(volume, rel=1e-3)
        assert closed(mesh).euler_number == 4


def test_walls_are_nowhere_thinner_with_a_small_bevel():
    mesh = piece_mesh(GRIDS["cube"], [(0, 0, 0, 0)], Making(cell=20, clearance=0, bevel=1, wall=2))
    shells = closed(mesh).split(only_watertight=True)
    inner, outer = sorted((shell.vertices for shell in shells), key=lambda points: np.ptp(points[:, 0]))
    assert len(shells) == 2
    middle = outer.mean(axis=0)
    for signs in product((1, -1), repeat=3):
        corner = middle + 8 * np.array(signs)
        assert min(np.linalg.norm(inner - corner, axis=1)) < 1e-2


@pytest.mark.slow
def test_prisms_balls_and_noses():
    prism = piece_mesh(GRIDS["prisms"], [(0, 0, 0, 0), (0, 0, 0, 1)], Making(wall=2, drain=3))
    assert closed(prism).euler_number == 2
    for name, euler in (("ball-room-1", 2), ("bits-and-bytes", 2)):
        puzzle = puzzlesat.load(name).puzzle
        solid, hollow = (piece_mesh(puzzle.grid, puzzle.tiles[0].atoms, Making(**more)) for more in ({}, {"wall": 1.5, "drain": 2}))
        assert hollow.volume < 0.8 * solid.volume
        assert closed(hollow).euler_number == euler
    puzzle = puzzlesat.load("hex-sticks").puzzle  # nearby points were merged, and two triangles lay back to back
    mesh = piece_mesh(puzzle.grid, puzzle.tiles[1].atoms, Making(wall=2.0, drain=2.5))
    assert closed(mesh) and mesh.parts == 1


def test_meshes_together_lie_where_they_do_in_the_grid():
    making = Making(cell=10, clearance=0.4, bevel=0.0)
    one, other = (piece_mesh(GRIDS["cube"], atoms, making) for atoms in ([(2, 0, 0, 0)], [(3, 0, 0, 0), (3, 1, 0, 0)]))
    both = together([one, other])
    assert both.volume == pytest.approx(one.volume + other.volume)
    assert both.points.max(axis=0) == pytest.approx([19.6, 19.6, 9.6], abs=1e-3)
    assert (both.parts, both.corner[0]) == (2, pytest.approx(20.2, abs=1e-3))
    assert closed(both).euler_number == 4


CELL, SQUARE, SLOT = ("cube", [(0, 0, 0, 0)]), ("square", [(0, 0, 0)]), ("square-slots", [(0, 0, 0)])
WITH_NOSES = "square-slots", next(tile for tile in load_instance("bits-and-bytes").puzzle.tiles if "11" in tile.name).atoms
LEAVING_NOTHING = [
    {"cell": 0}, {"cell": float("nan")}, {"thickness": float("inf")}, {"clearance": -1}, {"bevel": 10}, {"clearance": 19, "bevel": 1},
    {"rounding": 10}, {"thickness": 2, "rounding": 1}, {"rounding": float("nan")}, {"thickness": 2, "bevel": 1},
]  # fmt: skip


@pytest.mark.full
@every(
    "piece, sizes, why",
    [
        *((SQUARE, sizes, r"leaves? nothing|expected a cell") for sizes in LEAVING_NOTHING),
        (CELL, {"bevel": 1, "rounding": 1}, "not both"),
        (SLOT, {"bevel": 2.9}, "too much for noses and notches"),
        (WITH_NOSES, {"bevel": 2.9}, "too much for noses and notches"),
        (("cube", BAR), {"wall": 10}, "a wall of 10 leaves nothing to hollow out"),
        (("cube", BAR), {"wall": 2, "drain": 16}, "a drain of 16 is too wide"),
        (("cube", BAR), {"drain": 3}, "a drain of 3 is for hollow pieces"),
        (("cube", BAR), {"wall": -1}, "no other size below 0"),
        (("square-edges", [(0, 0, 0)]), {}, "of edges is not a solid: pieces would end at the same points"),
    ],
)
def test_sizes_that_are_refused(piece, sizes, why):
    name, atoms = piece
    with pytest.raises((NotSupportedError, PuzzleError), match=why):
        piece_mesh(GRIDS[name], atoms, Making(**sizes))
