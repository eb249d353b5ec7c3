"""What the documents say of the program: docs/format of the grids, docs/guide of solvers and defaults, CONTRIBUTING of the places."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest

import puzzlesat
from grid_sections import DOCUMENTS, with_sections
from puzzlesat.cli.exit_status import MEANINGS
from puzzlesat.cli.main import MODULES
from puzzlesat.config.package import data_folder, grid_files, instance_files
from puzzlesat.config.read import read_grid
from puzzlesat.config.schema import FormTable
from puzzlesat.puzzle.form import form_from_table
from puzzlesat.puzzle.grids import load_grid
from puzzlesat.solvers import strategy
from puzzlesat.solvers.cnf import AT_MOST_ONE
from puzzlesat.solvers.registry import SOLVERS, Feature
from puzzlesat.solvers.sat import DEFAULT_ENCODING, DEFAULT_ENGINE
from puzzlesat.solvers.strategy import Step

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TEXTS = {dimension: page.read_text(encoding="utf-8") for dimension, page in DOCUMENTS.items()}
SECTIONS = dict(re.findall(r"^## `([\w-]+)`\n(.*?)(?=^##|^<!--)", "".join(TEXTS.values()), re.M | re.S))
NAMES = [file.stem for file in grid_files()]


def grid_named(name):
    return load_grid(data_folder("models") / "grids" / f"{name}.toml")


@pytest.mark.parametrize("dimension", TEXTS)
def test_the_sections_are_made_from_the_grid_files(dimension):
    text = TEXTS[dimension]
    assert with_sections(text, dimension) == text, "docs/format is not what the grid files say: run python tests/grid_sections.py"


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


PACKAGE = Path(puzzlesat.__file__).parent
SOLVERS_PAGE = (ROOT / "docs" / "guide" / "solvers.md").read_text(encoding="utf-8")
DEFAULTS_PAGE = (ROOT / "docs" / "defaults.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def section(text, title):
    (found,) = re.findall(rf"^## {title}\n(.*?)(?=^## )", text, re.M | re.S)
    return found


def cells(text, header):
    """The rows of the table with that header, each as the texts of its cells."""
    lines = text.splitlines()
    rows = []
    for line in lines[lines.index(header) + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


PLACES = {place.strip("`"): holds for place, holds in cells(section(CONTRIBUTING, "The way of the data"), "| place | holds |")}


def test_contributing_names_every_package_and_top_level_module_and_no_other():
    packages = {file.parent.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("__init__.py")} - {"."}
    modules = {file.stem for file in PACKAGE.glob("*.py")} - {"__init__"}
    assert sorted(PLACES) == sorted(packages | modules)


def test_contributing_has_the_layers_in_the_order_of_the_contract():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["id"] == "direction")
    level = {place: number for number, layer in enumerate(reversed(layers)) for place in layer.split(" | ")}
    levels = [level[place] for place in PLACES if "/" not in place]
    assert levels == sorted(levels)


@pytest.mark.parametrize("place", PLACES)
def test_the_modules_that_contributing_names_are_there(place):
    named = re.findall(r"`(\w+)`", PLACES[place])
    assert [name for name in named if not (PACKAGE / place / f"{name}.py").exists()] == []


def test_the_solvers_of_the_guide_are_those_of_the_table():
    said = cells(SOLVERS_PAGE, "| name | how it counts | solutions | refuses | symmetry | parity | in one run |")
    assert [[cell.replace("`", "") for cell in row] for row in said] == [as_row(solver) for solver in SOLVERS.values()]
    (engine, encodings) = re.search(r"\(default `(\w+)`\); ENCODING.*?\(default (.*?)\)", SOLVERS_PAGE, re.S).groups()
    assert engine == DEFAULT_ENGINE
    assert re.findall(r"`(\w+)`", encodings) == [DEFAULT_ENCODING, *(name for name in AT_MOST_ONE if name != DEFAULT_ENCODING)]


def as_row(solver):
    """A solver as the guide has it; what it refuses, in the order of the type."""
    return [
        solver.name,
        solver.says,
        "lists" if solver.lists else "counts only",
        "; ".join(feature for feature in get_args(Feature) if feature in solver.cannot) or "–",
        "broken" if solver.broken else "unbroken",
        "told" if solver.implied else "not told",
        f"{solver.in_one_run:,}" if solver.lists else "–",
    ]


DEFAULTS = {name.strip("`"): default for _, default, _, name in cells(DEFAULTS_PAGE, "| what | default | changed by | name |")}


@pytest.mark.parametrize("name", DEFAULTS)
def test_the_defaults_of_the_guide_are_those_of_the_program(name):
    assert DEFAULTS[name] == in_words(name, getattr(strategy, name))


def test_the_guide_has_every_default_of_an_option_or_a_public_function():
    """Those are the constants that the modules which define them take from the strategy."""
    functions = {import_module(getattr(puzzlesat, name).__module__) for name in puzzlesat.__all__ if name.islower() and name != "draw"}
    names = {name for face in (*functions, *MODULES) for name in vars(face)}
    taken = {name for name in names if name.isupper() and hasattr(strategy, name)} - {"TYPE_CHECKING"}
    assert {"CHECKING_SECONDS", "COUNTING", "HINT_SECONDS"} <= taken <= DEFAULTS.keys()


def in_words(name, value):
    """A default as the guide has it."""
    if isinstance(value, tuple):
        return ", ".join(in_words(name, each) for each in value)
    if isinstance(value, Step):
        limits = [
            value.seconds and f"{value.seconds:g} s",
            value.share < 1 and f"{value.share:.0%} of the time left".replace("%", " %"),
            value.solutions and f"{value.solutions} solution",
            value.shapes and f"{value.shapes:,} shapes",
        ]
        return f"`{value.solver}`" + f" ({', '.join(filter(None, limits))})" * any(limits)
    if isinstance(value, str):
        return f"`{value}`"
    return f"{value:g} s" if name.endswith("SECONDS") else f"{value:.0%}".replace("%", " %") if name.endswith("SHARE") else f"{value:,}"


def test_the_page_of_exit_statuses_has_those_of_the_program():
    page = (ROOT / "docs" / "exit-status.md").read_text(encoding="utf-8")
    said = {int(status): words for status, words in cells(page, "| exit status | means |")}
    assert said.keys() == MEANINGS.keys()
    assert [status for status, words in MEANINGS.items() if not said[status].startswith(words)] == []


def test_readme_says_how_much_comes_with_the_package():
    instances = instance_files()
    families = {file.parent.name for file in instances}
    assert f"# {len(instances)} puzzles in {len(families)} families, on {len(NAMES)} grids;" in README


def test_what_the_page_on_python_links_to_is_shown_there():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"^::: ([\w.]+)", page, re.M))
    assert set(re.findall(r"\(#(puzzlesat\.[\w.]+)\)", page)) <= shown
