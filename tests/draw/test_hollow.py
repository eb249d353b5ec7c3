"""Hollow pieces: walls of one thickness by volumes worked out by hand, drains, and what has no room for them."""

from __future__ import annotations

import io
from itertools import product

import numpy as np
import pytest

import puzzlesat
from puzzlesat.config.package import grid_files
from puzzlesat.draw.making import Making
from puzzlesat.draw.mesh import piece_mesh, together
from puzzlesat.draw.stl import stl
from puzzlesat.errors import PuzzleError
from puzzlesat.puzzle.grids import load_grid

trimesh = pytest.importorskip("trimesh", reason="it says whether meshes are closed")
pytest.importorskip("manifold3d", reason="it makes the meshes")

GRIDS = {file.stem: load_grid(file) for file in grid_files() if file.stem in ("cube", "square", "prisms")}
BAR = [(x, 0, 0, 0) for x in range(3)]


def closed(mesh):
    """The mesh as another program reads it, if it is closed."""
    other = trimesh.load(io.BytesIO(stl(mesh)), file_type="stl")
    assert other.is_watertight and other.is_winding_consistent
    assert other.volume == pytest.approx(mesh.volume, rel=1e-4)
    return other


def disc(drain):
    """The area of a circle of 48 corners."""
    return 24 * (drain / 2) ** 2 * np.sin(np.pi / 24)


@pytest.mark.parametrize(("clearance", "wall"), [(0, 2), (0.4, 1.5)])
def test_a_bar_of_three_cubes(clearance, wall):
    """Without a drain the inside is a shell of its own; a drain takes one hole out of the wall."""
    making = {"cell": 20, "clearance": clearance, "bevel": 0.0, "wall": wall}
    mesh = piece_mesh(GRIDS["cube"], BAR, Making(**making))
    outer, inner = ([60 - lost, 20 - lost, 20 - lost] for lost in (clearance, clearance + 2 * wall))
    walls = np.prod(outer) - np.prod(inner)
    assert mesh.volume == pytest.approx(walls, rel=1e-3)
    assert (closed(mesh).euler_number, mesh.parts) == (4, 1)
    drained = piece_mesh(GRIDS["cube"], BAR, Making(**making, drain=5))
    assert drained.volume == pytest.approx(walls - disc(5) * wall, rel=1e-3)
    assert closed(drained).euler_number == 2


def test_an_l_of_cubes_has_one_inside():
    """By cells: the inside of each is open to the next."""
    mesh = piece_mesh(GRIDS["cube"], [(0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0)], Making(cell=10, clearance=0, bevel=0.0, wall=1))
    assert mesh.volume == pytest.approx(3000 - (8**3 + 2 * 8 * 8 * 10), rel=1e-3)
    assert closed(mesh).euler_number == 4


def test_a_flat_piece_has_walls_above_and_below():
    mesh = piece_mesh(GRIDS["square"], [(0, 0, 0), (1, 0, 0)], Making(cell=20, clearance=0, bevel=0.0, thickness=6, wall=1.5))
    assert mesh.volume == pytest.approx(40 * 20 * 6 - 37 * 17 * 3, rel=1e-3)
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


@pytest.mark.full  # some seconds
def test_prisms_balls_and_noses():
    prism = piece_mesh(GRIDS["prisms"], [(0, 0, 0, 0), (0, 0, 0, 1)], Making(wall=2, drain=3))
    assert closed(prism).euler_number == 2
    for name, euler in (("ball-room-1", 2), ("bits-and-bytes", 2)):
        puzzle = puzzlesat.load(name).puzzle
        solid, hollow = (piece_mesh(puzzle.grid, puzzle.tiles[0].atoms, Making(**more)) for more in ({}, {"wall": 1.5, "drain": 2}))
        assert hollow.volume < 0.8 * solid.volume
        assert closed(hollow).euler_number == euler


@pytest.mark.parametrize(
    ("sizes", "why"),
    [
        ({"wall": 10}, "a wall of 10 leaves nothing to hollow out"),
        ({"wall": 2, "drain": 16}, "a drain of 16 is too wide"),
        ({"drain": 3}, "a drain of 3 is for hollow pieces"),
        ({"wall": -1}, "no other size below 0"),
    ],
)
def test_what_has_no_room(sizes, why):
    with pytest.raises(PuzzleError, match=why):
        piece_mesh(GRIDS["cube"], BAR, Making(**sizes))


def test_meshes_together_lie_where_they_do_in_the_grid():
    making = Making(cell=10, clearance=0.4, bevel=0.0)
    one, other = (piece_mesh(GRIDS["cube"], atoms, making) for atoms in ([(2, 0, 0, 0)], [(3, 0, 0, 0), (3, 1, 0, 0)]))
    both = together([one, other])
    assert both.volume == pytest.approx(one.volume + other.volume)
    assert both.points.max(axis=0) == pytest.approx([19.6, 19.6, 9.6], abs=1e-3)
    assert (both.parts, both.corner[0]) == (2, pytest.approx(20.2, abs=1e-3))
    assert closed(both).euler_number == 4


@pytest.mark.full
def test_a_piece_of_thin_tetrahedra_is_closed():
    puzzle = puzzlesat.load("hex-sticks").puzzle  # points near each other became one, and two triangles lay back to back
    mesh = piece_mesh(puzzle.grid, puzzle.tiles[1].atoms, Making(wall=2.0, drain=2.5))
    assert closed(mesh) and mesh.parts == 1
