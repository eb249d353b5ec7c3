"""Grids: symmetries of their atoms, neighbours, sides; and the resulting orientations of tiles."""

from collections import Counter

from brute_force import lattice_of
from helpers import named
from puzzlesat.base.package import data_files
from puzzlesat.puzzles.grid import translate
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.placements import orientations
from random_puzzles import neighbours_of
from seams import SCALE, moved, turned
from tiers import every

NAMES = [file.stem for file in data_files("grids")]
each_grid = every("grid", NAMES, fast=("square", "tans", "hexagon", "square-slots", "rhombille", "cube"))
ORIENTATIONS = {8: "ACFGJKQ", 4: "BDIMRSVWZ", 2: "H", 1: "X"}


def some_atoms(grid):
    """All atoms in a cell, one step from it along each axis, and one step back along all axes."""
    steps = [tuple(int(i == axis) for i in range(grid.dimension)) for axis in range(-1, grid.dimension)]
    cells = [*steps, (-1,) * grid.dimension]
    return [(*cell, a) for cell in cells for a in range(len(grid.atoms))]


def as_map(grid, symmetry):
    """Return the action of a symmetry on the atoms of a cell, up to translation."""
    images = [symmetry(a) for a in some_atoms(grid)]
    home = tuple(-min(i[axis] for i in images) for axis in range(grid.dimension))
    return tuple(translate(i, home) for i in images)


@each_grid
def test_symmetries_are_those_that_the_judge_finds(grid):
    """Each symmetry maps the vertices of all atoms to the vertices of their images by one motion of the judge."""
    grid = named(grid)
    lattice, atoms = lattice_of(grid.name), some_atoms(grid)
    assert len(grid.symmetries) == len({as_map(grid, g) for g in grid.symmetries}) == len(lattice.turns)
    assert sum(g.mirror for g in grid.symmetries) == len(lattice.turns) // 2
    assert grid.symmetries[0].name == "identity"
    assert all(grid.symmetries[0](a) == a for a in atoms)
    shape = {a: lattice.atom([*a[:-1], grid.atoms[a[-1]].name]) for g in grid.symmetries for b in atoms for a in (b, g(b))}
    for g in grid.symmetries:
        fitting = [t for t in lattice.turns if t.matrix == g.matrix]
        assert any(len({steps(turned(t, shape[a]), shape[g(a)]) for a in atoms}) == 1 for t in fitting)


def steps(one, other):
    """Return the translation between two shapes that are the same up to one; None where they are not."""
    step = tuple(y - x for x, y in zip(min(one), min(other), strict=True))
    return step if all(x % SCALE == 0 for x in step) and moved(one, [x // SCALE for x in step]) == other else None


@each_grid
def test_neighbours_are_those_that_the_judge_finds(grid):
    """The judge compares the vertices of all nearby atoms."""
    grid = named(grid)
    lattice = lattice_of(grid.name)
    assert all(atom in grid.neighbours(n) for atom in some_atoms(grid) for n in grid.neighbours(atom))
    assert not any(atom in grid.neighbours(atom) for atom in some_atoms(grid))
    for face in (a for a in some_atoms(grid) if grid.atoms[a[-1]].kind == grid.main_kind):
        found = [lattice.atom([*a[:-1], grid.atoms[a[-1]].name]) for a in grid.neighbours(face)]
        assert len(found) == len({*found})
        assert {*found} == {*neighbours_of(lattice, lattice.atom([*face[:-1], grid.atoms[face[-1]].name]))}


def test_neighbours_of_a_square():
    assert set(named("square").neighbours((3, 5, 0))) == {(2, 5, 0), (4, 5, 0), (3, 4, 0), (3, 6, 0)}


def test_sides_of_a_marked_square():
    grid = named("square-marks")
    sides = {grid.atom_at(r) for r in ([2, 3, "h"], [2, 4, "h"], [2, 3, "v"], [3, 3, "v"])}
    assert set(grid.sides_of((2, 3, 0))) == sides
    assert grid.faces_at(grid.atom_at([2, 3, "v"])) == [(1, 3, 0), (2, 3, 0)]
    assert grid.faces_at(grid.atom_at([2, 3, "h"])) == [(2, 2, 0), (2, 3, 0)]


def test_orientations_of_the_tans():
    puzzle = load_instance("tritetratan").puzzle
    expected = {name: number for number, names in ORIENTATIONS.items() for name in names}
    assert {tile.name for tile in puzzle.tiles} == set(expected)
    assert Counter(len(tile.atoms) for tile in puzzle.tiles) == {6: 4, 8: 14}
    for tile in puzzle.tiles:
        found = orientations(puzzle.grid, tile)
        assert len(found) == len({(o.atoms, o.marks) for o in found}) == expected[tile.name], tile.name
        assert found[0].number == 1
        assert [o.number for o in found] == sorted({o.number for o in found})
        for o in found:  # no orientation is a translate of another
            assert [min(a[i] for a in o.atoms) for i in (0, 1)] == [0, 0]
            assert len(o.atoms) == len(tile.atoms)
