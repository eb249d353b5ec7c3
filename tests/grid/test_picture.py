"""Text pictures: parsed, drawn, and parsed again."""

import random

import pytest

from helpers import named
from puzzlesat.base import PuzzleError, data_files
from puzzlesat.designing.trial import plain_picture
from puzzlesat.pictures.text_pictures import picture
from puzzlesat.puzzles import load_grid, parse_picture, translate
from tiers import every

GRIDS = [load_grid(file) for file in data_files("grids")]
BOXES = {2: [(5, 4), (4, 4), (4, 3), (3, 3), (3, 2), (2, 2)], 3: [(3, 3, 3), (3, 3, 2), (2, 1, 2), (1, 1, 2)]}
"""By dimension, the largest first."""
MAX_ATOMS = 80


def some_box(grid):
    """The atoms of the first box that is small enough."""
    *larger, smallest = (grid.box(sides) for sides in BOXES[grid.dimension])
    return next((atoms for atoms in larger if len(atoms) <= MAX_ATOMS), smallest)


def at_home(atoms):
    """Atoms moved so that their smallest coordinates are 1."""
    atoms = list(atoms)
    home = tuple(1 - min(a[i] for a in atoms) for i in range(len(atoms[0]) - 1))
    return {translate(a, home) for a in atoms}


@every("grid", [pytest.param(grid, id=grid.name) for grid in GRIDS], fast=8)
def test_a_box_is_drawn_and_read(grid):
    atoms = some_box(grid)
    assert parse_picture(grid, plain_picture(grid, atoms)).atoms == atoms
    assert picture(grid, dict.fromkeys(atoms, 0)).plain == plain_picture(grid, atoms)


ALONE = [grid for grid in GRIDS if all(len(atoms) == 1 for site in grid.layout.sites for atoms in site.glyphs.values())]
"""Grids whose pictures can show any set of atoms: each has a character of its own."""


@every("grid, seed", [pytest.param(grid, seed, id=f"{grid.name} {seed}") for seed in range(5) for grid in ALONE], fast=12)
def test_random_atoms_are_drawn_and_read(grid, seed):
    """Each row and layer has some atoms, because a picture cannot contain an empty line."""
    chance = random.Random(f"{grid.name} {seed}")
    everything = sorted(some_box(grid))
    rows = {row_of(grid, atom): atom for atom in reversed(everything)}
    atoms = {a for a in everything if chance.random() < 0.5 or rows[row_of(grid, a)] == a}
    assert parse_picture(grid, plain_picture(grid, atoms)).atoms == at_home(atoms)


def row_of(grid, atom):
    position, _ = grid.place_of(atom)
    return position[1:]


def test_glyphs_of_the_tans():
    grid = named("tans")
    glyphs = {"█": "LBTR", "◣": "LB", "◢": "BR", "◤": "LT", "◥": "TR", "▶": "L", "▲": "B", "▼": "T", "◀": "R", "#": "LBTR", "x": "LBTR"}
    for glyph, names in glyphs.items():
        assert parse_picture(grid, glyph).atoms == {grid.atom_at([1, 1, n]) for n in names}, glyph
    for glyph in list(glyphs)[:9]:
        text = f"{glyph}█\n██"
        assert plain_picture(grid, parse_picture(grid, text).atoms) == text + "\n"


def test_rows_go_upwards():
    found = parse_picture(named("square"), "#..\n##.\n###").atoms
    assert found == {(1, 1, 0), (2, 1, 0), (3, 1, 0), (1, 2, 0), (2, 2, 0), (1, 3, 0)}


def test_layers_go_upwards_and_may_be_without_atoms():
    grid = named("cube")
    found = parse_picture(grid, "##\n#.\n\n#.\n..\n\n.#\n..").atoms
    assert found == {(1, 1, 1, 0), (1, 2, 1, 0), (2, 2, 1, 0), (1, 2, 2, 0), (2, 2, 3, 0)}
    assert parse_picture(grid, "##\n\n..\n\n##").atoms == {(1, 1, 1, 0), (2, 1, 1, 0), (1, 1, 3, 0), (2, 1, 3, 0)}


def test_triangles():
    grid = named("triangle")
    found = parse_picture(grid, " ▲\n▲▼▲").atoms
    assert found == {grid.atom_at(r) for r in ([1, 1, "up"], [1, 1, "down"], [2, 1, "up"], [1, 2, "up"])}
    assert parse_picture(grid, "▲##").atoms == parse_picture(grid, "▲▼▲").atoms


def test_hexagons():
    grid = named("hexagon")
    found = parse_picture(grid, ".⬢.⬢\n⬢.⬢.").atoms
    assert {a[:2] for a in found} == {(1, 1), (2, 1), (1, 2), (2, 2)}
    assert parse_picture(grid, ".#.\n#.#").atoms == parse_picture(grid, ".⬢.\n⬢.⬢").atoms  # letters fit in one way only


@every(
    "name, glyph, optional", [("square", "█", "░"), ("triangle", "▲", "△"), ("hexagon", "⬢", "⬡"), ("tans", "█", "░"), ("cube", "█", "░")]
)
def test_optional_glyphs(name, glyph, optional):
    grid = named(name)
    gap = {"triangle": " ", "hexagon": " "}.get(name, "")
    found = parse_picture(grid, f"{glyph}{gap}{optional}")
    assert found.optional == {a for a in found.atoms if a[0] == 2}
    assert 0 < len(found.optional) < len(found.atoms)


def test_letters_are_remembered():
    found = parse_picture(named("square"), "aab\n.bb")
    assert found.letters == {"a": {(1, 2, 0), (2, 2, 0)}, "b": {(3, 2, 0), (3, 1, 0), (2, 1, 0)}}
    assert found.optional == frozenset()


@every(
    "name, text, message",
    [
        ("square", "", "empty"),
        ("square", "...\n...", "empty"),
        ("square", "##\n#?", r"row 2, column 2.*'\?'.*█"),
        ("square", "##\n\n##", "row 3.*empty line"),
        ("triangle", "▲▲", "row 1, column 2.*does not fit"),
        ("triangle", "▲▼\n▲▼", "does not fit"),
        ("triangle", "##", "more than one way"),
        ("triangle", "█", "does not know.*▲ △ ▼ ▽"),
        ("hexagon", "⬢⬢", "row 1, column 2.*does not fit"),
        ("hexagon", "⬢.⬢\n⬢.⬢", "does not fit"),
        ("cube", "█\n\n▲", "row 3, column 1.*does not know"),
        ("cube", "##\n#.\n\n#", r"the layers have 2, 1 rows.*'\.' for what is outside the tile"),
        ("cube", "###\n   \n###", r"row 2 consists of blanks; write '\.'"),
    ],
)
def test_pictures_that_make_no_sense(name, text, message):
    with pytest.raises(PuzzleError, match=message):
        parse_picture(named(name), text)


def test_rows_of_unequal_length_only_where_asked_and_where_the_grid_is_slanted():
    grid = named("square")
    assert len(parse_picture(grid, "##\n#").atoms) == 3
    with pytest.raises(PuzzleError, match=r"row 2 has 1 characters, another row has 2; write '\.'"):
        parse_picture(grid, "##\n#", of_form=True)
    assert len(parse_picture(named("triangle"), " ▲\n▲▼▲", of_form=True).atoms) == 4
