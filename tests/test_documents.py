"""What docs/format.md says of the grids, and the places that CONTRIBUTING.md names, held against the program."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from grid_sections import with_sections
from puzzlesat.config.package import data_folder, grid_files
from puzzlesat.config.read import read_grid
from puzzlesat.config.schema import FormTable
from puzzlesat.puzzle.form import form_from_table
from puzzlesat.puzzle.grids import load_grid

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TEXT = (Path(__file__).parents[1] / "docs" / "format.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `([\w-]+)`\n(.*?)(?=^##|^<!--)", TEXT, re.M | re.S))
NAMES = [file.stem for file in grid_files()]


def grid_named(name):
    return load_grid(data_folder("models") / "grids" / f"{name}.toml")


def test_the_sections_are_made_from_the_grid_files():
    assert with_sections(TEXT) == TEXT, "docs/format.md is not what the grid files say: run python tests/grid_sections.py"


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


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_the_symmetries(name):
    """What is said of them, spelt out again, is their names one by one."""
    (said,) = re.findall(r"^Symmetries: (.*?)\.$", SECTIONS[name], re.M | re.S)
    names = [g.name for g in grid_named(name).symmetries]
    if grid_named(name).dimension == 2:
        assert " ".join(said.split()) == ", ".join(f"{i} {g}" for i, g in enumerate(names, start=1))
        return
    number, groups = " ".join(said.split()).split(". ")
    assert number == str(len(names))
    assert spelt_out(groups.split("; ")) == dict(enumerate(names, start=1))


def spelt_out(groups):
    """The names of symmetries by number, from groups such as ``2–4 turn 90 about 0,0,1 0,1,0 1,0,0``."""
    found = {}
    for group in groups:
        numbers, what = group.split(" ", 1)
        first, last = int(numbers.split("–")[0]), int(numbers.split("–")[-1])
        if what == "the same in the same order, followed by the inversion":
            turns = [found[k] for k in range(1, last - first + 2)]
            names = [f"{turn} and inversion".replace("identity and ", "") for turn in turns]
            names = [re.sub("turn 180 about (.*) and inversion", r"mirror across \1", name) for name in names]
        elif axes := re.findall(r"\S+,\S+", what):
            kind = what.split(axes[0])[0]
            names = [kind + axis for axis in axes]
        else:
            names = [what]
        assert len(names) == last - first + 1
        found |= dict(zip(range(first, last + 1), names, strict=True))
    return found


def test_the_rhombic_grid_has_the_symmetries_of_the_cube():
    assert [g.name for g in grid_named("rhombic-tetrahedra").symmetries] == [g.name for g in grid_named("cube").symmetries]


@pytest.mark.parametrize("name", NAMES)
def test_the_shapes(name):
    section = " ".join(SECTIONS[name].split())
    said = [s for line in re.findall(r"Shapes: (.*)", section) for s in re.findall(r"`(\w+) = n`", line)]
    assert sorted(said) == sorted(grid_named(name).shapes)


@pytest.mark.parametrize("name", NAMES)
def test_the_words_are_those_of_the_grid_file(name):
    about = read_grid(data_folder("models") / "grids" / f"{name}.toml").about
    for said in (about.text, about.pictures, about.ring, *about.shapes.values()):
        assert " ".join(said.split()) in " ".join(SECTIONS[name].split())


@pytest.mark.parametrize("name", NAMES)
def test_a_grid_of_the_package_says_how_many_symmetries_it_has(name):
    """So a vertex that is mistyped is found when the file is read."""
    assert read_grid(data_folder("models") / "grids" / f"{name}.toml").symmetries is not None


ROOT = Path(__file__).parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ADDING = dict(re.findall(r"^## (Add [^\n]*)\n(.*?)(?=^## )", CONTRIBUTING, re.M | re.S))


@pytest.mark.parametrize("section", ADDING)
def test_the_places_that_contributing_names_are_there(section):
    """Paths are said from the top of the repository, or from the package."""
    named = [name for name in re.findall(r"`([\w./-]+)`", ADDING[section]) if "/" in name and not re.search(r"\b[A-Z]+\b", name)]
    assert [n for n in named if not any((folder / n).exists() for folder in (ROOT, ROOT / "src" / "puzzlesat"))] == []
    linked = re.findall(r"\]\(([\w./-]+)", ADDING[section])
    assert [n for n in linked if not (ROOT / n).exists()] == []
