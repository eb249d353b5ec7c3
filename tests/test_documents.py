"""What docs/format.md says of the grids, held against the program."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from puzzlesat.config.library import data_folder, grid_files
from puzzlesat.config.schema import FormTable
from puzzlesat.puzzle.form import form_from_table
from puzzlesat.puzzle.grids import load_grid

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TEXT = (Path(__file__).parents[1] / "docs" / "format.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `([\w-]+)`\n(.*?)(?=^##)", TEXT, re.M | re.S))
NAMES = [file.stem for file in grid_files()]


def grid_named(name):
    return load_grid(data_folder("models") / "grids" / f"{name}.toml")


def test_every_grid_has_a_section():
    assert sorted(SECTIONS) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_atoms_kinds_and_glyphs(name):
    grid, section = grid_named(name), SECTIONS[name]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|(.*?)\|(.*?)\|$", section, re.M)
    glyphs, optional, kinds = {}, {}, {}
    for atoms, kind, glyph, may in rows:
        names = re.findall(r"`(\w+)`", atoms)
        kinds |= dict.fromkeys(names, kind)
        for table, cell in ((glyphs, glyph), (optional, may)):
            if cell.strip():
                table[cell.strip(" `")] = names
    assert kinds == {a.name: a.kind + (" (mark)" if a.role == "mark" else "") for a in grid.atoms}
    sites = grid.layout.sites
    assert glyphs == {g: [grid.atoms[a].name for a in atoms] for s in sites for g, atoms in s.glyphs.items()}
    assert optional == {g: [grid.atoms[a].name for a in atoms] for s in sites for g, atoms in s.optional.items()}


@pytest.mark.parametrize("name", NAMES)
def test_the_picture_is_what_the_text_says(name):
    grid, section = grid_named(name), SECTIONS[name]
    (picture,) = re.findall(r"```text\n(.*?)```", section, re.S)
    said = {}
    for code in re.findall(r"`((?:atoms|optional) = [^`]*)`", section):
        said |= tomllib.loads(code)
    assert form_from_table(grid, FormTable(picture=picture)) == form_from_table(grid, FormTable(**said))


@pytest.mark.parametrize("name", [n for n in NAMES if grid_named(n).dimension == 2])
def test_the_order_of_the_symmetries(name):
    (said,) = re.findall(r"^Symmetries: (.*)\.$", SECTIONS[name], re.M)
    assert said == ", ".join(f"{i} {g.name}" for i, g in enumerate(grid_named(name).symmetries, start=1))


@pytest.mark.parametrize("name", ["cube", "truncated-octahedra"])
def test_the_order_of_the_symmetries_in_space(name):
    names = [g.name for g in grid_named(name).symmetries]
    section = " ".join(SECTIONS[name].split())
    axes = [re.search("The axes are (.*?) for 90", section)[1], re.search(r"degrees; ([^a-z]*?) for 120", section)[1]]
    axes.append(re.search(r"and 240; (.*?) for 180", section)[1])
    ninety, third, half = (a.split() for a in axes)
    turns = [(90, ninety), (120, third), (180, half), (240, third), (270, ninety)]
    assert names[:24] == ["identity"] + [f"turn {angle} about {axis}" for angle, by in turns for axis in by]
    assert names[24] == "inversion"


@pytest.mark.parametrize("name", [n for n in NAMES if grid_named(n).dimension == 3])
def test_turns_and_the_inversion_in_space(name):
    names = [g.name for g in grid_named(name).symmetries]
    half = len(names) // 2
    assert name == "cube" or re.search(r"^Symmetries: (\d+),", SECTIONS[name], re.M)[1] == str(len(names))
    assert (names[0], names[half]) == ("identity", "inversion")
    angles = [int(turn.split()[1]) for turn in names[1:half]]
    assert angles == sorted(angles)
    for turn, mirror in zip(names[1:half], names[half + 1 :], strict=True):
        assert mirror == (turn.replace("turn 180 about", "mirror across") if " 180 " in turn else f"{turn} and inversion")


def test_the_rhombic_grid_has_the_symmetries_of_the_cube():
    assert [g.name for g in grid_named("rhombic-tetrahedra").symmetries] == [g.name for g in grid_named("cube").symmetries]


@pytest.mark.parametrize("name", NAMES)
def test_the_shapes(name):
    said = [s for line in re.findall(r"Shapes: (.*)", SECTIONS[name]) for s in re.findall(r"`(\w+) = n`", line)]
    assert sorted(said) == sorted(grid_named(name).shapes)
