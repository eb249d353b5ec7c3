"""The second reader of puzzle files shares no code with the first; both state the same puzzle, as the documentation defines it."""

import json
import sys
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st
from meaning import differences, first_statement, what_differs

from helpers import load, one_of_each_grid
from puzzlesat.base import NotSupportedError, PuzzleError, data_files
from puzzlesat.checker.reading.grids import read_lattice
from puzzlesat.checker.reading.statement import state
from puzzlesat.checker.reading.tables import tables_near
from puzzlesat.checker.values import Rejected
from puzzlesat.puzzles import build_instance, load_grid
from puzzlesat.puzzles.library import find_grid
from puzzlesat.puzzles.load import load_instance
from random_puzzles import GRIDS
from strategies import puzzles, to_toml
from tiers import every

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MODELS = next(iter(data_files("models"))).parent
INSTANCES = {file.stem: file for file in data_files("instances")}
PARTS = 4
"""Workers that share the instances."""
NOWHERE = Path("nowhere/some.toml")
"""A path without files beside it."""


@cache
def grid_table(name):
    return tomllib.loads((MODELS / "grids" / f"{name}.toml").read_text(encoding="utf-8"))


def stated(table, more=None):
    return state(tables_near(table, NOWHERE, MODELS, more or {}))


def stated_in(path, models=MODELS):
    return state(tables_near(tomllib.loads(path.read_text(encoding="utf-8")), path, models))


def told_apart(table):
    """Return the differences between the two readings of a table."""
    return what_differs(stated(table), build_instance(load(table)))


def demand_the_same(name):
    assert what_differs(stated_in(INSTANCES[name]), build_instance(load_instance(INSTANCES[name]))) == []


@every("name", one_of_each_grid(), fast=1)
def test_instances_of_each_grid(name):
    demand_the_same(name)


@pytest.mark.full
@pytest.mark.parametrize("part", range(PARTS))
def test_instances(part):
    every("name", sorted(INSTANCES.keys() - set(one_of_each_grid()))[part::PARTS])(demand_the_same)()


@every("grid", GRIDS, fast=("square",))
@given(data=st.data(), number=st.none() | st.integers(0, 1000))
def test_random_puzzles(grid, data, number):
    table = data.draw(puzzles(grid, flat=False, ruled=True))
    table.pop("break_on", None)
    try:
        built = build_instance(load(table))
        if number is not None and built.placements:
            table = with_names(table, [p.name for p in built.placements], Random(number))
            built = build_instance(load(table))
        first_statement(built)
    except (PuzzleError, NotSupportedError):
        assume(False)
    note(to_toml(table))
    assert what_differs(stated(table), built) == []


def with_names(table, names, random):
    """A table with rules that use some names of placements."""
    fixed = random.choice(names)
    others = sorted({*random.choices(names, k=4)} - {fixed})
    rules = {"forbidden": others[:1], "one_of": [[fixed, *others[1:]], [fixed]]} if others else {}
    return {**table, "form": {**table["form"], "fixed": [fixed]}, "solutions": table.get("solutions", {}) | rules}


@pytest.mark.parametrize("sort", ["free", "one_sided", "fixed"])
@every("grid", GRIDS, fast=("square",))
def test_generated_tiles(grid, sort):
    """Both readers agree on the names and placements of generated tiles, and on the names of symmetries."""
    table = grid_table(grid)
    first = load_grid(find_grid(grid, NOWHERE)).symmetries
    assert [turn.name for turn in read_lattice(table).turns] == [symmetry.name for symmetry in first]
    space, cell = len(table["gram"]) == 3, len(table["atoms"])
    sizes = [1, 2, 3, 4] if cell < 10 and not space else [1, 2, 3]
    for turns in ("all", "none"):
        puzzle = {"title": "T", "grid": grid, "flips": turns == "all", "turns": turns, "generate": [{sort: size} for size in sizes]}
        assert told_apart(puzzle | {"form": {"box": [2] * len(table["gram"]), "optional": "all"}}) == []


@pytest.mark.full
@every("grid", GRIDS, fast=("square", "triangle"))
def test_shapes_and_examples(grid):
    table = grid_table(grid)
    shapes = [{name: size} for name in table.get("shapes", {}) for size in (1, 2, 4)]
    for form in (*shapes, {"picture": table["about"]["example"]}):
        puzzle = {"title": "T", "grid": grid, "flips": False, "tiles": {"A": {"atoms": [[1] * len(table["gram"])]}}}
        assert told_apart(puzzle | {"form": form}) == []


ODD = {
    "tiles of the instance beside those of the model": """
model = "pentominoes"
use = ["X", "Q", "L"]
flips = false
tiles = { X = { copies = 2 }, Q = { atoms = [[1, 1], [1, 2]] } }
form = { box = [4, 4], optional = "all" }
""",
    "polyforms of the instance beside those of the model": """
model = "pentominoes"
generate = [{ one_sided = 3, copies = "any" }]
form = { box = [4, 4], optional = "all" }
""",
    "identical tiles, of which the first is not used": """
grid = "square"
flips = false
[tiles]
A = { atoms = [[1, 1], [1, 2]], copies = 0 }
B = { atoms = [[7, 1], [8, 1]], copies = [1, 2] }
C = { placements = ["1,1 3,3", [[1, 1], [2, 2, "f"]]] }
D = { atoms = [[0, 0], [0, 1]], flips = true }
E = { placements = ["2,2 1,1", "3,3 1,1"], copies = 3 }
[form]
box = [3, 3]
optional = "all"
fixed = ["C.2@1.1", "B.2@3.1"]
""",
    "a square taken out leaves its slots": """
grid = "square-slots"
flips = false
tiles = { A = { around = "11001100", copies = "any" } }
form = { box = [2, 2], remove = [[2, 1], [1, 2, "bl"]], inner = { slot = "required" }, outer = { slot = "optional" } }
split = { name = "holes", uncovered = "outer slot" }
""",
    "turns of a half circle, mirrored": """
grid = "hexagon"
flips = true
turns = [0, 180]
mirrored = "different"
tiles = { A = { atoms = [[1, 1], [2, 1], [2, 2]] }, B = { atoms = [[1, 1], [2, 1], [3, 1], [3, 2]], turns = "none" } }
form = { polygon = [["1/2", 0], [5, 0], [5, "9/2"]] }
""",
    "layers of pieces": """
grid = "cube"
flips = false
tiles = { A = { picture = "##\\n#.\\n\\n\\n.#\\n..\\n " } }
form = { box = [3, 3, 2], optional = "all", fixed = ["A.7@2.1.1"] }
""",
}


@every("what", ODD, fast=3)
def test_what_is_seldom_said(what, recwarn):
    assert told_apart({"title": what} | tomllib.loads(ODD[what])) == []


@every("picture", ["##\n#.\n\n#", "###\n   \n###"])
def test_layers_that_may_mean_two_bodies_are_refused(picture):
    with pytest.raises(Rejected, match=r"layers|a row of blanks"):
        stated({"title": "T", "grid": "cube", "flips": False, "tiles": {"A": {"picture": picture}}, "form": {"box": [3, 3, 3]}})


@pytest.mark.full
def test_a_grid_of_ones_own():
    """Symmetries of oblique lattices have names and an order too."""
    square = [["0", "0"], ["1", "0"], ["1", "1"], ["0", "1"]]
    for gram in ([[5, 3], [3, 5]], [[5, -3], [-3, 5]], [[5, 2], [2, 3]], [["1/2", 0], [0, 2]]):
        grid = {"name": "own", "title": "Own", "gram": gram, "atoms": [{"name": "f", "vertices": square}]}
        grid["picture"] = {"steps": [[1, 0], [0, 1]], "sites": [{"at": [0, 0], "glyphs": {"█": ["f"]}}]}
        puzzle = {
            "title": "T",
            "grid": grid,
            "flips": True,
            "turns": "none",
            "generate": [{"free": 3}],
            "form": {"box": [3, 3], "optional": "all"},
        }
        assert told_apart(puzzle) == []


@pytest.mark.full
def test_a_difference_would_be_seen():
    """The comparison names every change of a statement."""
    built = build_instance(load_instance("puzzle-a-day"))
    mine = json.loads(json.dumps(stated_in(INSTANCES["puzzle-a-day"]).puzzle))
    mine["rules"] = [{"name": "r", "atoms": [[mine["required"][0], 1]], "tiles": {t["name"]: 0 for t in mine["tiles"]}}]
    mine["rules"][0] |= {"low": 0, "high": 1, "modulus": 0, "residue": 0}
    assert differences(mine, mine) == []
    assert [d.split(":")[0] for d in differences(mine, first_statement(built))] == ["rules"]
    changes = {
        "required": lambda said: said["optional"].append(said["required"].pop()),
        "coloured": lambda said: said["coloured"].pop(),
        "mirrored": lambda said: said.update(mirrored=not said["mirrored"]),
        "keep": lambda said: said.update(keep=said["required"][:1]),
        "tiles": lambda said: said["tiles"][0].update(ranges=[[0, 1]]),
        "placements of": lambda said: [tile.update(symmetries=[0]) for tile in said["tiles"]],
        "rules": lambda said: said["rules"][0].update(high=2),
    }
    for what, change in changes.items():
        other = deepcopy(mine)
        change(other)
        assert any(d.startswith(what) for d in differences(other, mine)), what


PUZZLE = """
title = "T"
model = "own"
[form]
box = [2, 2]
"""
MODEL = """
title = "M"
grid = "square"
flips = false
[tiles.A]
atoms = [[1, 1], [2, 1]]
copies = 2
"""


def test_files_are_found_by_their_names(tmp_path):
    """A model is looked for beside the instance first, but never in the instance itself; or it comes from tables sent along."""
    path = tmp_path / "own.toml"
    path.write_text(PUZZLE, encoding="utf-8")
    with pytest.raises(Rejected, match=r"^model: there is no file 'own\.toml'"):
        stated_in(path)
    along = state(tables_near(tomllib.loads(PUZZLE), path, MODELS, {"own": tomllib.loads(MODEL)})).puzzle
    models = tmp_path / "models"
    (models / "grids").mkdir(parents=True)
    (models / "own.toml").write_text(MODEL, encoding="utf-8")
    (models / "grids" / "square.toml").write_text((MODELS / "grids" / "square.toml").read_text(encoding="utf-8"), encoding="utf-8")
    assert stated_in(path, models).puzzle == along
    (tmp_path / "other.toml").write_text(PUZZLE.replace("own", "mine"), encoding="utf-8")
    (tmp_path / "mine.toml").write_text(MODEL.replace("copies = 2", "copies = 1"), encoding="utf-8")
    assert [t["ranges"] for t in stated_in(tmp_path / "other.toml", models).puzzle["tiles"]] == [[[1, 1]]]


SAID = {
    "title": "T", "grid": grid_table("square-slots"), "flips": False, "marks": {}, "colours": {},
    "generate": [{"free": 1}], "tiles": {"A": {"atoms": [[1, 1]], "copies": 1}},
    "form": {"box": [2, 2], "wrap": [{"move": [2, 0]}], "inner": {"slot": "optional"}, "outer": {}, "colours": {}, "optional": "all"},
    "conditions": [{"name": "c", "along": [1, 0], "values": [1], "shift": {}, "modulo": {"of": 2, "is": 1}}],
    "solutions": {"holds": [{"tiles": "all", "atoms": [[1, 1]], "equals": 1}]}, "split": {"name": "n", "uncovered": "slot"},
}  # fmt: skip


def tables_in(value, path=()):
    """The places of all tables in a table."""
    if isinstance(value, dict):
        yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from tables_in(inner, (*path, key))


NAMES_OF_ONES_OWN = {("marks",), ("colours",), ("tiles",), ("form", "colours"), ("grid", "about"), ("grid", "shapes"), ("grid", "rings")}
"""Tables whose keys are names, or of which nothing is read."""


@every(
    "path",
    [p for p in tables_in(SAID) if p not in NAMES_OF_ONES_OWN and "glyphs" not in p and "about" not in p and p[-1:] != ("optional",)],
)
def test_an_unknown_key_is_rejected(path):
    said = deepcopy(SAID)
    stated(said)
    inner = said
    for key in path:
        inner = inner[key]
    inner["unheard"] = 1
    with pytest.raises(Rejected, match="'unheard'"):
        stated(said)


def test_names_of_balls_beyond_the_grid_cannot_be_read_twice():
    table = {"title": "T", "grid": "balls", "flips": False, "tiles": {"A": {"atoms": [[1, 1, 1], [2, 1, 1], [1, 2, 1]]}}}
    table["form"] = {"box": [3, 3, 3], "optional": "all", "fixed": ["A.50@1.1.1"]}
    with pytest.raises(Rejected, match="does not know ball tiles"):
        stated(table)
