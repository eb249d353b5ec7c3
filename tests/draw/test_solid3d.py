# ruff: noqa: E501 - a grid has lines of its own
"""The atoms of a form in space as pages get them: closed, with their volumes, their faces paired, as the pictures see them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations, product

import numpy as np
import pytest

from puzzlesat.config.package import grid_files
from puzzlesat.config.read import read_grid
from puzzlesat.draw.apart import moved_apart
from puzzlesat.draw.canvas import canvas, make_canvas
from puzzlesat.draw.geometry import shapes
from puzzlesat.draw.page.solid3d import solid3d_as_json
from puzzlesat.draw.skin import home, seen, skin
from puzzlesat.grid.lattice import translate
from puzzlesat.puzzle.grids import load_grid
from puzzlesat.puzzle.load import load_instance

GRIDS = {f.stem: load_grid(f) for f in grid_files() if len(read_grid(f).gram) == 3}
POLYTOPES = sorted(name for name, grid in GRIDS.items() if not grid.of_balls)
SIDES = (3, 2, 2)


def block(name, sides=SIDES, far=(0, 0, 0)):
    """All atoms of some cells of a grid, and what a page gets of them."""
    grid = GRIDS[name]
    atoms = [(*(c + f for c, f in zip(cell, far, strict=True)), a) for cell in np.ndindex(*sides) for a in range(len(grid.atoms))]
    return grid, atoms, solid3d_as_json(make_canvas(grid, atoms), atoms)


def faces_of(solid, kind):
    """Corners and normal of each face of a kind of atom."""
    corners = np.array(solid["kinds"][kind]["corners"])
    return [(corners[numbers], np.array(normal)) for numbers, normal in solid["kinds"][kind]["faces"]]


def volume(solid, kind):
    """By the divergence theorem: a third of the sum of area times height over the faces."""
    total = 0.0
    for corners, normal in faces_of(solid, kind):
        area = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0) / 2
        total += float(area @ normal) * float(corners[0] @ normal) / 3
    return total


def hull_volume(points):
    """Of a convex polytope, without its faces: pyramids over every plane through three of its points that has all others on one side."""
    centre, total, done = points.mean(axis=0), 0.0, []
    threes = points[list(combinations(range(len(points)), 3))]
    normals = np.cross(threes[:, 1] - threes[:, 0], threes[:, 2] - threes[:, 0])
    corners, normals = threes[:, 0], normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    heights = normals @ points.T - (normals * corners).sum(axis=1, keepdims=True)
    one_side = (np.linalg.norm(normals, axis=1) > 0.5) & ((heights.max(axis=1) < 1e-9) | (heights.min(axis=1) > -1e-9))
    for normal, height in zip(normals[one_side], heights[one_side], strict=True):
        normal = normal if height.max() <= 1e-9 else -normal
        if any(np.allclose(normal, other) for other in done):
            continue
        done.append(normal)
        flat = points[np.abs(height) < 1e-9]
        u = (flat[1] - flat[0]) / np.linalg.norm(flat[1] - flat[0])
        plane = np.stack([(flat - flat[0]) @ u, (flat - flat[0]) @ np.cross(normal, u)], axis=1)
        middle = plane.mean(axis=0)
        ring = plane[np.argsort(np.arctan2(*(plane - middle).T))]
        area = abs(np.dot(ring[:, 0], np.roll(ring[:, 1], -1)) - np.dot(ring[:, 1], np.roll(ring[:, 0], -1))) / 2
        total += area * float((flat[0] - centre) @ normal) / 3
    return total


@pytest.mark.parametrize("name", POLYTOPES)
def test_atoms_are_closed_and_have_their_volumes(name):
    grid, _, solid = block(name)
    assert len(solid["kinds"]) == len(grid.atoms)
    for number, atom in enumerate(grid.atoms):
        points = np.array([[float(x) for x in v] for v in atom.vertices]) @ shapes(grid).basis
        assert volume(solid, number) == pytest.approx(hull_volume(points), rel=1e-9)
        kind = solid["kinds"][number]
        sides = Counter((a, b) for numbers, _ in kind["faces"] for a, b in zip(numbers, [*numbers[1:], numbers[0]], strict=True))
        assert set(sides.values()) == {1}  # each side once in each direction: closed, and turned one way
        assert {(b, a) for a, b in sides} == set(sides)
        assert len(kind["corners"]) - len(sides) // 2 + len(kind["faces"]) == 2  # Euler
        for corners, normal in faces_of(solid, number):
            assert np.linalg.norm(normal) == pytest.approx(1)
            assert np.ptp(corners @ normal) < 1e-9  # flat
            assert (corners.mean(axis=0) - kind["middle"]) @ normal > 0
    gram = np.array([[float(x) for x in row] for row in grid.gram])
    assert sum(volume(solid, k) for k in range(len(grid.atoms))) == pytest.approx(np.sqrt(np.linalg.det(gram)))  # they fill the cell


@pytest.mark.parametrize("name", POLYTOPES)
def test_faces_between_atoms_are_paired(name):
    """Two atoms share a face if and only if one has its corners in one direction and the other has them in the other."""
    _, atoms, solid = block(name)
    basis, owners = np.array(solid["basis"]), {}
    for i, (*cell, kind, _) in enumerate(solid["atoms"]):
        for f, (corners, normal) in enumerate(faces_of(solid, kind)):
            where = frozenset(tuple(p) for p in ((corners + cell @ basis).round(6) + 0.0).tolist())
            owners.setdefault(where, []).append((i, f, normal))
    for found in owners.values():
        assert len(found) <= 2
        for (i, f, normal), *other in permutations(found):
            assert solid["behind"][i][f] == (other[0][0] if other else -1)
            assert not other or np.allclose(normal, -other[0][2])
    assert sum(map(len, solid["behind"])) == sum(map(len, owners.values()))
    inner = sum(len(found) == 2 for found in owners.values())
    assert inner > len(atoms) / 2  # a block has more faces inside than that


@pytest.mark.parametrize("name", sorted(GRIDS))
def test_far_from_the_origin_is_the_same(name):
    _, _, here = block(name)
    _, _, there = block(name, far=(10**14, -(10**14), 10**13))
    for solid in (here, there):
        solid.pop("factor")
    assert here == there


@pytest.mark.parametrize("name", POLYTOPES)
def test_seen_as_the_pictures_see_them(name):
    """The faces that look at the eye of the pictures are those of their skins, at the same places."""
    grid, atoms, solid = block(name)
    basis, view, inside = np.array(solid["basis"]), np.array(solid["view"]), range(len(solid["atoms"]))
    shown = set()
    for i, (*cell, kind, _) in enumerate(solid["atoms"]):
        for (corners, normal), behind in zip(faces_of(solid, kind), solid["behind"][i], strict=True):
            if behind not in inside and (normal @ view)[2] > 1e-4:
                shown.add(frozenset(tuple(p) for p in (((corners + cell @ basis) @ view).round(6) + 0.0).tolist()))
    move = home(atoms)
    assert shown == {where for where, _ in skin(grid, tuple(translate(a, move) for a in atoms))}


def test_balls_have_middles_and_a_radius():
    grid, atoms, solid = block("balls")
    assert not any(kind["faces"] for kind in solid["kinds"])
    middles = [np.array(cell) @ solid["basis"] + solid["kinds"][kind]["middle"] for *cell, kind, _ in solid["atoms"]]
    assert min(np.linalg.norm(p - q) for p, q in combinations(middles, 2)) == pytest.approx(2 * solid["radius"])
    assert np.allclose(np.array(middles) @ solid["view"], seen(grid, [grid.centre(a) for a in atoms]))


@pytest.mark.parametrize(("name", "layers"), [("soma", 3), ("ball-room-1", 3), ("bedlam", 4), ("trios-2x3x3", 3)])
def test_layers_are_those_of_the_pictures(name, layers):
    puzzle = load_instance(name).puzzle
    board = canvas(puzzle)
    atoms = sorted(puzzle.form.atoms)
    solid = solid3d_as_json(board, atoms)
    assert solid["layers"] == layers == len(board.shifts)
    heights = sorted(board.shifts)
    assert [layer for *_, layer in solid["atoms"]] == [heights.index(board.shapes.heights(a)[0]) for a in atoms]


def test_in_the_plane_there_is_nothing_to_turn():
    assert solid3d_as_json(canvas(load_instance("octogram").puzzle), [(0, 0, 0)]) is None


def test_spans_tell_pieces_apart_as_the_pictures_do():
    """A share of distance moves two pieces clear of each other by the spans of a page if and only if it does by those of the pictures."""
    for name in POLYTOPES:
        grid, atoms, solid = block(name, sides=(2, 2, 2))
        middles = [np.array(cell) @ solid["basis"] + solid["kinds"][kind]["middle"] for *cell, kind, _ in solid["atoms"]]
        bodies = [list(range(i, len(atoms), 3)) for i in range(3)]
        centre, found = np.mean(middles, axis=0), None
        for share in solid["shares"]:
            shifts = [share * (np.mean([middles[a] for a in body], axis=0) - centre) for body in bodies]
            reach = [
                [np.array(solid["kinds"][atoms[a][-1]]["span"]) + np.array(solid["axes"]) @ (middles[a] + shift) for a in body]
                for body, shift in zip(bodies, shifts, strict=True)
            ]
            meet = any(
                (np.minimum(p[1], q[1]) - np.maximum(p[0], q[0]) > 1e-6).all()
                for one, other in combinations(reach, 2)
                for p, q in product(one, other)
            )
            if not meet:
                found = np.array(shifts) @ solid["view"]
                break
        move = home(atoms)
        expected = moved_apart(grid, [[translate(atoms[a], move) for a in body] for body in bodies])
        assert (found is None) == (expected is None)
        assert found is None or np.allclose(found, expected)


WITH_CORNERS = """title = "Cubes and their corners"
gram = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
atoms = [
  { name = "c", kind = "face", vertices = [["0", "0", "0"], ["1", "0", "0"], ["0", "1", "0"], ["1", "1", "0"], ["0", "0", "1"], ["1", "0", "1"], ["0", "1", "1"], ["1", "1", "1"]] },
  { name = "p", kind = "point", vertices = [["0", "0", "0"]] },
]
[picture]
steps = [[2, 0, 0], [0, 2, 0], [0, 0, 2]]
sites = [{ at = [1, 1, 1], glyphs = { "■" = ["c"] } }, { at = [0, 0, 0], glyphs = { "•" = ["p"] } }]
"""


def test_what_is_not_drawn_has_no_faces_and_makes_no_layer(tmp_path):
    file = tmp_path / "corners.toml"
    file.write_text(WITH_CORNERS, encoding="utf-8")
    grid = load_grid(file)
    atoms = [(0, 0, z, a) for z in range(2) for a in range(2)]
    solid = solid3d_as_json(make_canvas(grid, atoms), atoms)
    assert [layer for *_, layer in solid["atoms"]] == [0, 0, 1, 0]
    assert solid["layers"] == 2
    assert [len(row) for row in solid["behind"]] == [6, 0, 6, 0]
    assert [kind["faces"] != [] for kind in solid["kinds"]] == [True, False]
