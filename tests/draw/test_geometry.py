"""Shapes from the vertices of atoms: they fill the plane and space, and outlines enclose them; the data of atoms in space for pages."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlesat.base.package import data_files
from puzzlesat.pictures.geometry import BALL, FACE, HIDDEN, SEGMENT, ball_radius, hull, outline, polytope_faces, shapes
from puzzlesat.puzzles.grids import load_grid
from tiers import every

GRIDS = {f.stem: load_grid(f) for f in data_files("grids")}
PLANE = [n for n, g in GRIDS.items() if g.dimension == 2]
SPACE = [n for n, g in GRIDS.items() if g.dimension == 3]
SOLID = [n for n in SPACE if not GRIDS[n].of_balls]


def doubled_area(loop):
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(loop, loop[1:] + loop[:1], strict=True))


@every("name", PLANE)
def test_faces_fill_the_plane(name):
    known = shapes(GRIDS[name])
    faces = [s.sections[0][1] for s in known.of if s.drawn == FACE]
    if faces:
        assert sum(doubled_area(list(f)) for f in faces) == 2 * known.scale**2
    else:
        assert {s.drawn for s in known.of} <= {SEGMENT, HIDDEN}


FACES = {
    "cube": [4] * 6,
    "prisms": [3, 3, 4, 4, 4],
    "rhombic-tetrahedra": [3] * 4,
    "tetra-octa": [3] * 4,
    "truncated-octahedra": [4] * 6 + [6] * 8,
}
"""The numbers of corners of the faces of an atom."""


@every("name", SOLID, fast=("cube", "prisms"))
def test_polytopes_fill_space(name):
    """The volumes below all faces of a cell add up to the volume of the cell; Euler's formula holds for each atom."""
    total = Fraction(0)
    for number, atom in enumerate(GRIDS[name].atoms):
        faces = polytope_faces(GRIDS[name], number)
        assert sorted(map(len, faces)) == FACES[name]
        edges = Counter(frozenset(e) for face in faces for e in zip(face, [*face[1:], face[0]], strict=True))
        assert set(edges.values()) == {2}
        assert len(atom.vertices) - len(edges) + len(faces) == 2
        # every face turns left as seen from outside, so each part of the volume has the right sign
        total += sum(determinant(f[0], a, b) for f in faces for a, b in pairwise(f[1:])) / 6
    assert total == 1


def determinant(a, b, c):
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])


@every("name", SOLID)
def test_sections_lie_in_their_layer_and_fill_it_unless_it_has_gaps(name):
    known = shapes(GRIDS[name])
    areas = Counter()
    for shape in known.of:
        for height, corners in shape.sections:
            assert {p[2] for p in corners} == {height}
            assert doubled_area(list(corners)) > 0
            areas[height % known.scale] += doubled_area(list(corners))
    full = 2 * known.scale**2
    # octagons leave gaps of squares, which belong to the layers above and below
    assert set(areas.values()) == {Fraction(7, 8) * full if name == "truncated-octahedra" else full}


def test_balls_touch_their_neighbours():
    (grid,) = (g for g in GRIDS.values() if g.of_balls)
    known = shapes(grid)
    assert {s.drawn for s in known.of} == {BALL}
    ball = (0, 0, 0, 0)
    here = known.cartesian(known.corners(ball))[0]
    for other in grid.neighbours(ball):
        assert np.linalg.norm(known.cartesian(known.corners(other))[0] - here) == pytest.approx(2 * ball_radius(grid))


def square(x, y, side=2):
    return [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]


def test_outlines_by_hand():
    """A corner inside a side, kept points, parts that touch at a corner, and a hole, whose loop runs the other way round."""
    assert [set(loop) for loop in outline([square(0, 0, 4), square(4, 0), square(4, 2)])] == [{(0, 0), (6, 0), (6, 4), (0, 4)}]
    (loop,) = outline([square(0, 0), square(2, 0)], [(1, 0), (3, 3)])
    assert set(loop) == {(0, 0), (1, 0), (4, 0), (4, 2), (0, 2)}
    assert sorted(sorted(loop) for loop in outline([square(0, 0), square(2, 2)])) == [sorted(square(0, 0)), sorted(square(2, 2))]
    ring = [square(x, y) for x in (0, 2, 4) for y in (0, 2, 4) if (x, y) != (2, 2)]
    assert sorted(doubled_area(loop) for loop in outline(ring)) == [-8, 72]
    assert hull([(0, 0), (1, 0), (2, 0), (2, 2), (0, 2), (1, 1)]) == [(0, 0), (2, 0), (2, 2), (0, 2)]


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1))
def test_outlines_of_random_cells(cells):
    loops = outline([square(2 * x, 2 * y) for x, y in cells])
    assert sum(map(doubled_area, loops)) == 8 * len(cells)
    sides = [frozenset(side) for loop in loops for side in zip(loop, loop[1:] + loop[:1], strict=True)]
    assert len(sides) == len(set(sides))
    length = sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in map(tuple, sides))
    together = sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a, b in combinations(cells, 2))
    assert length == 2 * (4 * len(cells) - 2 * together)
    # loops have real corners: no three points on a line
    for loop in loops:
        around = zip([loop[-1], *loop[:-1]], loop, [*loop[1:], loop[0]], strict=True)
        assert all((b[0] - a[0]) * (c[1] - b[1]) != (b[1] - a[1]) * (c[0] - b[0]) for a, b, c in around)
