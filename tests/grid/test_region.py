"""Regions: boxes, polygons, the shapes of the grid files, and connected parts."""

import random
from fractions import Fraction
from itertools import pairwise, product

import networkx as nx
import pytest

from brute_force import centre, lattice_of
from helpers import named
from puzzlesat.base import PuzzleError, data_files
from puzzlesat.puzzles import FormTable, form_from_table, load_grid
from tiers import every


def corners(*points):
    return [[Fraction(x) for x in point] for point in points]


@every(
    "grid, sides, number",
    [("square", (10, 6), 60), ("triangle", (3, 2), 12), ("hexagon", (4, 5), 20), ("tans", (6, 6), 144), ("cube", (3, 4, 5), 60)],
)
def test_box(grid, sides, number):
    found = named(grid).box(sides)
    assert len(found) == number
    for axis, side in enumerate(sides):
        assert {a[axis] for a in found} == set(range(1, side + 1))


def test_box_holds_faces_only():
    grid = named("square-slots")
    assert {grid.atoms[a[-1]].kind for a in grid.box((2, 2))} == {"face"}


@every(
    "grid, name, number",
    [
        ("square", "square", lambda n: n * n),
        ("square", "aztec", lambda n: 2 * n * (n + 1)),
        ("square-marks", "square", lambda n: n * n),
        ("square-slots", "square", lambda n: n * n),
        ("tans", "square", lambda n: 4 * n * n),
        ("tans", "diamond", lambda n: 8 * n * n),
        ("triangle", "triangle", lambda n: n * n),
        ("triangle", "hexagon", lambda n: 6 * n * n),
        ("triangle-edges", "triangle", lambda n: 3 * n * (n + 1) // 2),
        ("triangle-edges", "hexagon", lambda n: 9 * n * n + 3 * n),
        ("hexagon", "triangle", lambda n: n * (n + 1) // 2),
        ("hexagon", "hexagon", lambda n: 3 * n * (n - 1) + 1),
        ("square-edges", "square", lambda n: 2 * n * (n + 1)),
        ("kites", "triangle", lambda n: 3 * n * n),
        ("kites", "hexagon", lambda n: 18 * n * n),
        ("drafters", "triangle", lambda n: 6 * n * n),
        ("drafters", "hexagon", lambda n: 36 * n * n),
        ("truncated-square", "square", lambda n: n * n + (n - 1) * (n - 1)),
        ("truncated-square", "diamond", lambda n: (2 * n + 1) * (2 * n + 1)),
        ("snub-square", "square", lambda n: 6 * n * n + 2 * n + 1),
    ],
    fast=("square", "tans", "triangle", "hexagon", "snub-square"),
)
def test_number_of_faces_of_a_shape(grid, name, number):
    grid = named(grid)
    assert [len(grid.shape(name, size)) for size in range(1, 6)] == [number(size) for size in range(1, 6)]


SHAPES = [(file.stem, name) for file in data_files("grids") if (plane := load_grid(file)).dimension == 2 for name in plane.shapes]


@every("grid, name, size", [pytest.param(*shape, size, id=f"{shape} {size}") for size in range(1, 6) for shape in SHAPES], fast=7)
def test_a_shape_holds_what_has_its_middle_in_it(grid, name, size):
    """A point is in a convex polygon if the triangles from it to the sides have the same total area as the polygon."""
    grid, lattice = named(grid), lattice_of(grid)
    polygon = [tuple(a * size + b for a, b in corner) for corner in grid.shapes[name]]
    sides = list(zip(polygon, [*polygon[1:], polygon[0]], strict=True))
    whole = sum(doubled((0, 0), p, q) for p, q in sides)
    reach = range(min(map(min, polygon)) - 2, max(map(max, polygon)) + 2)
    expected = set()
    for x, y, (a, atom) in product(reach, reach, enumerate(lattice.names)):
        middle = centre(lattice.atom([x, y, atom]))
        inside = sum(abs(doubled(middle, p, q)) for p, q in sides) == abs(whole) if whole else middle in polygon  # a polygon may be a point
        if lattice.kind(atom) == lattice.main and inside:
            expected.add((x, y, a))
    found = grid.shape(name, size)
    assert found == expected
    assert len(grid.parts(found)) == 1


def doubled(a, b, c):
    """Twice the area of a triangle."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def test_polygon_in_either_sense_of_rotation():
    grid = named("tans")
    points = corners((0, 0), (3, 0), (0, 3))
    assert grid.polygon(points) == grid.polygon(points[::-1])
    assert len(grid.polygon(points)) == 18


def test_polygon_with_fractions_takes_faces_by_their_centre():
    grid = named("square")
    half = Fraction(1, 2)
    assert grid.polygon([[half, half], [Fraction(5, 2), half], [Fraction(5, 2), half * 2], [half, half * 2]]) == {
        (0, 0, 0),
        (1, 0, 0),
        (2, 0, 0),
    }


@every("name, seed", product(["square", "tans", "hexagon", "cube", "triangle", "kites"], range(5)))
def test_parts_are_those_of_the_graph(name, seed):
    grid = named(name)
    atoms = grid.box([4] * (3 if name == "cube" else 2))
    some = set(random.Random(seed).sample(sorted(atoms), len(atoms) // 2))
    graph = nx.Graph((a, b) for a in some for b in grid.neighbours(a) if b in some)
    graph.add_nodes_from(some)
    found = grid.parts(some)
    assert [len(part) for part in found] == sorted(map(len, found), reverse=True)
    assert sorted(map(sorted, found)) == sorted(map(sorted, nx.connected_components(graph)))


def test_parts_ignore_slots():
    grid = named("square-slots")
    faces = grid.box((2, 1))
    slots = {s for f in faces for s in grid.sides_of(f)}
    assert grid.parts(faces | slots) == [faces]


@every("size", [1, 2, 3, 4, 5, 6], fast=("1", "2", "3"))
def test_a_pyramid_of_balls_is_squares_that_lie_on_each_other(size):
    grid = named("balls")
    pyramid = grid.shape("pyramid", size)
    assert len(pyramid) == [1, 5, 14, 30, 55, 91][size - 1]
    layers = [{a for a in pyramid if a[2] == z} for z in range(1, size + 1)]
    assert [len(layer) for layer in layers] == [n * n for n in range(size, 0, -1)]
    for below, layer in pairwise(layers):
        assert all(len(below & {*grid.neighbours(ball)}) == 4 for ball in layer)
    touching = sorted(len(layers[0] & {*grid.neighbours(ball)}) for ball in layers[0])
    assert touching == sorted((i > 0) + (i < size - 1) + (j > 0) + (j < size - 1) for i in range(size) for j in range(size))
    motions = [g for g in grid.symmetries if g.motion_of(pyramid)]
    assert len(motions) == (8 if size > 1 else 48)
    assert [g.mirror for g in motions].count(True) == len(motions) // 2


@every("size", [1, 2, 3, 4, 5], fast=("1", "2", "3"))
def test_a_tetrahedron_of_balls(size):
    grid = named("balls")
    found = grid.shape("tetrahedron", size)
    assert len(found) == size * (size + 1) * (size + 2) // 6
    corners = [ball for ball in found if len(found & {*grid.neighbours(ball)}) == 3]
    assert len(corners) == (4 if size > 1 else 0)
    assert len([g for g in grid.symmetries if g.motion_of(found)]) == (24 if size > 1 else 48)


@every(
    "grid, name, size, said",
    [
        ("balls", "pyramid", 0, "form.pyramid: expected a size of 1 or more, got 0"),
        ("square", "pyramid", 2, "form: unknown key 'pyramid'; a form is given by square, aztec, "),
        ("balls", "pyramid", 60, "form.pyramid: 428,400 cells within its reach; expected 100,000 at most"),
    ],
)
def test_bodies_that_there_are_not(grid, name, size, said):
    with pytest.raises(PuzzleError) as error:
        form_from_table(named(grid), FormTable(shape=(name, size)))
    assert str(error.value).startswith(said)
    for flat in (corners((1, 1, 1), (3, 1, 1), (1, 3, 1), (3, 3, 1)), corners((1, 0, 0), (0, 1, 0), (0, 0, 1), (2, -1, 0))):
        with pytest.raises(PuzzleError, match="lie in one plane"):
            named("balls").polytope(flat)
