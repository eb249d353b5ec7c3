"""Grids: symmetries of their atoms, neighbours, sides; and the orientations that tiles get by them."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from brute_force import lattice_of
from puzzlesat.config.package import data_folder, grid_files
from puzzlesat.grid.lattice import atom_order, translate
from puzzlesat.puzzle.grids import atom_at, load_grid
from puzzlesat.puzzle.load import load_puzzle
from puzzlesat.puzzle.placements import orientations
from random_puzzles import neighbours_of
from seams import SCALE, moved, turned

FOLDER = data_folder("models") / "grids"
NAMES = [file.stem for file in grid_files()]
ORIENTATIONS = {
    "A": 8,
    "B": 4,
    "C": 8,
    "D": 4,
    "F": 8,
    "G": 8,
    "H": 2,
    "I": 4,
    "J": 8,
    "K": 8,
    "M": 4,
    "Q": 8,
    "R": 4,
    "S": 4,
    "V": 4,
    "W": 4,
    "X": 1,
    "Z": 4,
}


@pytest.fixture(params=NAMES)
def grid(request):
    return load_grid(FOLDER / f"{request.param}.toml")


def named(name):
    return load_grid(FOLDER / f"{name}.toml")


def some_atoms(grid):
    """All atoms in a cell, one step from it along each axis, and one step back along all."""
    steps = [tuple(int(i == axis) for i in range(grid.dimension)) for axis in range(-1, grid.dimension)]
    cells = [*steps, (-1,) * grid.dimension]
    return [(*cell, a) for cell in cells for a in range(len(grid.atoms))]


def as_map(grid, symmetry):
    """What a symmetry does with the atoms of a cell, up to translation."""
    images = [symmetry(a) for a in some_atoms(grid)]
    home = tuple(-min(i[axis] for i in images) for axis in range(grid.dimension))
    return tuple(translate(i, home) for i in images)


def test_order_of_the_group(grid):
    """As many as the judge finds, who knows nothing of the program, and as the file says."""
    order = len(lattice_of(grid.name).turns)
    assert len(grid.symmetries) == order
    assert len({as_map(grid, g) for g in grid.symmetries}) == order
    assert sum(g.mirror for g in grid.symmetries) == order // 2
    assert grid.symmetries[0].name == "identity"
    assert all(grid.symmetries[0](a) == a for a in some_atoms(grid))


def test_symmetries_move_every_vertex_as_the_judge_does(grid):
    """Each takes the vertices of all atoms to those of their images by one and the same motion."""
    lattice = lattice_of(grid.name)
    shape = {a: lattice.atom([*a[:-1], grid.atoms[a[-1]].name]) for g in grid.symmetries for b in some_atoms(grid) for a in (b, g(b))}
    for g in grid.symmetries:
        fitting = [t for t in lattice.turns if t.matrix == g.matrix]
        assert any(len({steps(turned(t, shape[a]), shape[g(a)]) for a in some_atoms(grid)}) == 1 for t in fitting)


def steps(one, other):
    """The translation between two shapes that are the same up to one; None where they are not."""
    step = tuple(y - x for x, y in zip(min(one), min(other), strict=True))
    return step if all(x % SCALE == 0 for x in step) and moved(one, [x // SCALE for x in step]) == other else None


def test_closed_under_composition(grid):
    known = {as_map(grid, g) for g in grid.symmetries}
    some = grid.symmetries[:: max(1, len(grid.symmetries) // 8)]
    for g, h in product(grid.symmetries, some):
        images = [g(h(a)) for a in some_atoms(grid)]
        home = tuple(-min(i[axis] for i in images) for axis in range(grid.dimension))
        assert tuple(translate(i, home) for i in images) in known


def test_symmetries_keep_kinds_roles_and_neighbours(grid):
    for g in grid.symmetries:
        for atom in some_atoms(grid):
            before, after = grid.atoms[atom[-1]], grid.atoms[g(atom)[-1]]
            assert (before.kind, before.role, len(before.vertices)) == (after.kind, after.role, len(after.vertices))
            assert {g(n) for n in grid.neighbours(atom)} == set(grid.neighbours(g(atom)))


def test_symmetries_commute_with_translations(grid):
    move = tuple(range(2, 2 + grid.dimension))
    for g in grid.symmetries:
        for atom in some_atoms(grid):
            assert g(translate(atom, move))[-1] == g(atom)[-1]
        differences = {tuple(m - u for m, u in zip(g(translate(a, move)), g(a), strict=True)) for a in some_atoms(grid)}
        assert len(differences) == 1


def test_neighbours_are_mutual(grid):
    for atom in some_atoms(grid):
        around = grid.neighbours(atom)
        assert len(set(around)) == len(around)
        assert atom not in around
        assert all(atom in grid.neighbours(n) for n in around)


def test_neighbours_are_those_that_the_judge_finds(grid):
    """He looks at the vertices of everything near."""
    lattice = lattice_of(grid.name)
    for face in (a for a in some_atoms(grid) if grid.atoms[a[-1]].kind == grid.main_kind):
        found = [lattice.atom([*a[:-1], grid.atoms[a[-1]].name]) for a in grid.neighbours(face)]
        assert len(found) == len({*found})
        assert {*found} == {*neighbours_of(lattice, lattice.atom([*face[:-1], grid.atoms[face[-1]].name]))}


@pytest.mark.parametrize(
    ("name", "numbers"),
    {
        "square": {4},
        "tans": {3},
        "hexagon": {6},
        "kites": {4},
        "cube": {6},
        "prisms": {5},
        "truncated-octahedra": {14},
        "balls": {12},
        "square-edges": {6},
        "triangle-edges": {10},
        "truncated-square": {4, 8},
        "snub-square": {3, 4},
    }.items(),
)
def test_number_of_neighbours(name, numbers):
    grid = named(name)
    faces = [a for a in some_atoms(grid) if grid.atoms[a[-1]].kind == grid.main_kind]
    assert {len(grid.neighbours(face)) for face in faces} == numbers


def test_neighbours_of_a_square():
    assert set(named("square").neighbours((3, 5, 0))) == {(2, 5, 0), (4, 5, 0), (3, 4, 0), (3, 6, 0)}


def test_neighbours_of_a_tan():
    grid = named("tans")
    left = atom_at(grid, [3, 5, "L"])
    assert set(grid.neighbours(left)) == {atom_at(grid, r) for r in ([3, 5, "B"], [3, 5, "T"], [2, 5, "R"])}


def test_neighbours_of_a_triangle():
    grid = named("triangle")
    assert set(grid.neighbours(atom_at(grid, [3, 5, "up"]))) == {atom_at(grid, [x, y, "down"]) for x, y in ((3, 5), (2, 5), (3, 4))}


def test_neighbours_of_a_hexagon():
    assert {(x, y) for x, y, _ in named("hexagon").neighbours((0, 0, 0))} == {(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)}


@pytest.mark.parametrize("name", ["square-edges", "triangle-edges", "hexagon-edges"])
def test_edges_are_neighbours_where_they_meet(name):
    grid = named(name)
    edges = [a for a in some_atoms(grid) if grid.atoms[a[-1]].kind == "edge"]
    ends = {a: {tuple(map(sum, zip(a[:-1], v, strict=True))) for v in grid.atoms[a[-1]].vertices} for a in edges}
    for a in edges:
        meeting = {b for b in edges if b != a and ends[a] & ends[b]}
        assert meeting == set(grid.neighbours(a)) & set(edges)


def test_cubes_that_share_an_edge_are_no_neighbours():
    assert {sum(map(abs, n[:3])) for n in named("cube").neighbours((0, 0, 0, 0))} == {1}


@pytest.mark.parametrize("name", ["square-marks", "square-slots"])
def test_each_side_lies_between_two_faces(name):
    grid = named(name)
    for atom in some_atoms(grid):
        if grid.atoms[atom[-1]].kind == grid.main_kind:
            sides = grid.sides_of(atom)
            assert len(sides) == (4 if name == "square-marks" else 8)
            assert all(atom in grid.faces_at(s) for s in sides)
        else:
            faces = grid.faces_at(atom)
            assert len(faces) == 2
            assert faces == sorted(faces, key=atom_order)
            assert all(atom in grid.sides_of(f) for f in faces)
            assert faces[1] in grid.neighbours(faces[0])


def test_sides_of_a_marked_square():
    grid = named("square-marks")
    sides = {atom_at(grid, r) for r in ([2, 3, "h"], [2, 4, "h"], [2, 3, "v"], [3, 3, "v"])}
    assert set(grid.sides_of((2, 3, 0))) == sides
    assert grid.faces_at(atom_at(grid, [2, 3, "v"])) == [(1, 3, 0), (2, 3, 0)]
    assert grid.faces_at(atom_at(grid, [2, 3, "h"])) == [(2, 2, 0), (2, 3, 0)]


@pytest.mark.parametrize("name", ["square-marks", "square-slots"])
def test_the_ring_holds_each_side_of_the_face_once(name):
    grid = named(name)
    ring = grid.rings[0]
    assert len(set(ring)) == len(ring)
    assert set(ring) == set(grid.sides_of((0, 0, 0)))


def test_turns_move_the_ring_round():
    """A quarter turn takes each atom of a ring a quarter of the ring on: the ring goes round the face in order."""
    for name in ("square-marks", "square-slots"):
        grid = named(name)
        turn = next(g for g in grid.symmetries if g.degrees == 90)
        home = tuple(-c for c in turn((0, 0, 0))[:-1])
        ring = list(grid.rings[0])
        turned = [translate(turn(a), home) for a in ring]
        quarter = len(ring) // 4
        assert turned == ring[-quarter:] + ring[:-quarter]


def test_atoms_are_ordered_row_by_row_from_below():
    atoms = [(2, 1, 0), (1, 2, 0), (1, 1, 1), (1, 1, 0)]
    assert sorted(atoms, key=atom_order) == [(1, 1, 0), (1, 1, 1), (2, 1, 0), (1, 2, 0)]
    assert sorted([(1, 1, 2, 0), (9, 9, 1, 0)], key=atom_order) == [(9, 9, 1, 0), (1, 1, 2, 0)]


def test_index_of_an_atom():
    grid = named("tans")
    assert [grid.index(n) for n in "LBTR"] == [0, 1, 2, 3]
    with pytest.raises(KeyError):
        grid.index("Q")


@pytest.mark.parametrize(("name", "number"), ORIENTATIONS.items())
def test_orientations_of_the_tans(name, number):
    puzzle = load_puzzle("tritetratan")
    (tile,) = [t for t in puzzle.tiles if t.name == name]
    found = orientations(puzzle.grid, tile)
    assert len(found) == number
    assert len({(o.atoms, o.marks) for o in found}) == number
    assert found[0].number == 1
    assert [o.number for o in found] == sorted({o.number for o in found})


def test_there_are_18_tans_and_no_more():
    puzzle = load_puzzle("tritetratan")
    assert {t.name for t in puzzle.tiles} == set(ORIENTATIONS)
    assert Counter(len(t.atoms) for t in puzzle.tiles) == {6: 4, 8: 14}


def test_orientations_do_not_lie_on_each_other_after_a_translation():
    puzzle = load_puzzle("tritetratan")
    for tile in puzzle.tiles:
        for o in orientations(puzzle.grid, tile):
            assert [min(a[i] for a in o.atoms) for i in (0, 1)] == [0, 0]
            assert len(o.atoms) == len(tile.atoms)
