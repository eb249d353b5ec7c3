"""Numbers of polyforms as published (with OEIS numbers), and their names."""

from itertools import combinations, product
from random import Random

import numpy as np
import pytest

from brute_force import determinant, lattice_of
from helpers import canonical, named
from puzzlesat.base.package import data_files
from puzzlesat.puzzles.forms import Images, normal, polyforms
from puzzlesat.puzzles.grids import load_grid
from random_puzzles import neighbours_of
from seams import SCALE, moved, turned
from tiers import every, is_fast

KNOWN = {
    ("square", "free"): (1, 1, 2, 5, 12, 35),  # A000105
    ("square", "one_sided"): (1, 1, 2, 7, 18, 60),  # A000988
    ("square", "fixed"): (1, 2, 6, 19, 63, 216),  # A001168
    ("triangle", "free"): (1, 1, 1, 3, 4, 12),  # A000577
    ("triangle", "one_sided"): (1, 1, 1, 4, 6, 19),  # A006534
    ("triangle", "fixed"): (2, 3, 6, 14, 36, 94),  # A001420
    ("hexagon", "free"): (1, 1, 3, 7, 22),  # A000228
    ("hexagon", "one_sided"): (1, 1, 3, 10, 33),  # A006535
    ("hexagon", "fixed"): (1, 3, 11, 44, 186),  # A001207
    ("cube", "free"): (1, 1, 2, 7, 23),  # A038119
    ("cube", "one_sided"): (1, 1, 2, 8, 29),  # A000162
    ("cube", "fixed"): (1, 3, 15, 86, 534),  # A001931
    ("tans", "free"): (1, 2, 2, 6),  # A197465
    ("square-edges", "free"): (1, 2, 5, 16, 55),  # A019988
    ("square-edges", "one_sided"): (1, 2, 7, 25, 99),  # A151537
    ("square-edges", "fixed"): (2, 6, 22, 88, 372),  # A096267
    ("kites", "free"): (1, 2, 4, 10, 27, 85),  # A057786
    ("drafters", "free"): (1, 3, 3, 9, 14, 38),  # A197462
    ("drafters", "one_sided"): (2, 3, 6, 13, 28, 66),  # A197463
    ("drafters", "fixed"): (12, 18, 36, 75, 168, 386),  # A197464
    ("rhombille", "free"): (1, 1, 3, 4, 12, 27),  # A197459
    ("rhombille", "one_sided"): (1, 1, 4, 6, 19, 49),  # A197460
    ("rhombille", "fixed"): (3, 6, 14, 36, 99, 281),  # A197461
    ("truncated-square", "free"): (2, 2, 7, 22, 93, 413),  # A343577
    ("snub-square", "free"): (2, 2, 4, 10, 28, 79, 235),  # A309159
    ("truncated-octahedra", "free"): (1, 2, 6, 35),  # A038181
    ("truncated-octahedra", "one_sided"): (1, 2, 6, 44),  # A038180
}
MAX_FAST = 12
"""A number of forms that is found in hundredths of a second."""


@every("grid, convention", [pytest.param(*case, id=" ".join(case)) for case in KNOWN], fast=4)
def test_numbers(grid, convention):
    for size, number in enumerate(KNOWN[grid, convention], start=1):
        if number <= MAX_FAST or not is_fast():
            assert len(polyforms(named(grid), size, convention)) == number, size


@every(
    "file", [pytest.param(file, id=file.stem) for file in data_files("grids") if file.stem != "balls"], fast=("triangle", "square-slots")
)
def test_as_many_as_the_judge_finds(file):
    """The judge grows sets of vertices, and turns them by the motions that map the grid onto itself. (Balls can be turned in more ways.)"""
    grid, lattice = load_grid(file), lattice_of(file.stem)
    faces = [shape for shape, atom in zip(lattice.shapes, lattice.names, strict=True) if lattice.kind(atom) == lattice.main]
    level = {settled([face]) for face in faces}
    for size in (1, 2, 3):
        if len(level) * len(lattice.turns) > 2500:  # seconds
            break
        proper = [t for t in lattice.turns if determinant(t.matrix) > 0]
        for convention, turns in (("free", lattice.turns), ("one_sided", proper)):
            classes = {str(min(sorted(map(sorted, settled(turned(t, a) for a in form))) for t in turns)) for form in level}
            assert len(polyforms(grid, size, convention)) == len(classes)
        assert len(polyforms(grid, size, "fixed")) == len(level)
        level = {settled([*form, near]) for form in level for a in form for near in neighbours_of(lattice, a) if near not in form}


def settled(shapes):
    """Shapes moved by a lattice vector to a normal form, equal for all translates."""
    shapes = list(shapes)
    corner = min(min(shape) for shape in shapes)
    return frozenset(moved(shape, [-(x // SCALE) for x in corner]) for shape in shapes)


def test_free_and_one_sided_differ_by_the_twins_of_chiral_forms():
    grid = named("square")
    turns = [g for g in grid.symmetries if not g.mirror]
    free = polyforms(grid, 5, "free")
    chiral = {
        name for name, form in free.items() if canonical(form, turns) != min(canonical(map(g, form), turns) for g in grid.symmetries[4:])
    }
    assert chiral == set("FLNPYZ")
    assert set(polyforms(grid, 5, "one_sided")) == set(free) | {f"{name}'" for name in chiral}


@every(
    "grid, size, names",
    [
        ("square", 3, "IV"),
        ("square", 4, "ILOST"),
        ("square", 5, "FILNPTUVWXYZ"),
        ("triangle", 4, "CIT"),
        ("triangle", 5, "CILP"),
        ("triangle", 6, "CEFGHIJOPSVX"),
        ("hexagon", 3, "AIV"),
        ("hexagon", 4, "IJOPSUY"),
        ("square-edges", 3, "ILTUZ"),
        ("square-edges", 4, "FHIJLNOPRTUVWXYZ"),
        ("rhombille", 4, "CPWY"),
        ("rhombille", 5, "CHILPRSTUWXY"),
    ],
    fast=("square", "triangle", "hexagon"),
)
def test_usual_names(grid, size, names):
    assert set(polyforms(named(grid), size, "free")) == set(names)


def test_usual_names_are_the_forms_one_thinks_of():
    found = polyforms(named("square"), 5, "free")
    cells = {name: {a[:2] for a in form} for name, form in found.items()}
    assert cells["I"] == {(x, 0) for x in range(5)}
    assert cells["X"] == {(1, 0), (0, 1), (1, 1), (2, 1), (1, 2)}
    assert cells["V"] == {(0, 0), (1, 0), (2, 0), (0, 1), (0, 2)}
    assert len(cells["P"] & {(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)}) == 5


def test_names_without_usual_ones_are_numbers():
    assert set(polyforms(named("square"), 2, "fixed")) == {"2-01", "2-02"}
    assert len(polyforms(named("square"), 6, "free")) == len({n for n in polyforms(named("square"), 6, "free") if n.startswith("6-")})


@every("name", [file.stem for file in data_files("grids")], fast=("square", "snub-square"))
def test_least_images_are_those_found_one_by_one(name):
    """Try sets of atoms of any kind, adjacent or far apart; some motions move sets of balls off the grid."""
    random, grid = Random(name), named(name)
    for motions in (grid.symmetries, grid.symmetries[:1], grid.motions):
        for size in (1, 2, 3, 7):
            sets = [
                random.sample([(*cell, a) for cell in product(range(-2, 2), repeat=grid.dimension) for a in range(len(grid.atoms))], size)
                for _ in range(5)
            ]
            assert [tuple(map(tuple, s)) for s in Images(motions).least(np.array(sets)).tolist()] == [canonical(s, motions) for s in sets]


def test_brute_force_agrees_on_fixed_tetrominoes():
    """Count directly the connected sets of 4 cells of a 4 × 4 board that touch the left and the lower side."""
    grid = named("square")
    cells = [(x, y, 0) for x in range(4) for y in range(4)]
    connected = {normal(c) for c in combinations(cells, 4) if len(grid.parts(c)) == 1}
    assert connected == {normal(form) for form in polyforms(grid, 4, "fixed").values()}
