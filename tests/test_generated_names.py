"""Tiles of several [[generate]] tables: sizes that share a name get the size in it, and nothing else is renamed."""

import pytest

from helpers import load
from puzzlesat.base.errors import PuzzleError
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.report import Plan
from puzzlesat.formats.puzzles import folded
from puzzlesat.puzzles.load import Library, load_puzzle, model_tiles
from puzzlesat.puzzles.package import data_files
from puzzlesat.puzzles.reading import read_file, read_table, validated
from puzzlesat.puzzles.schema import InstanceFile, ModelFile
from puzzlesat.puzzles.tiles import generated_tiles

FREE = {
    (1, 2): "1-01 2-01",
    (3,): "I V",
    (3, 4): "I3 I4 L O S T V",
    (4, 5): "F I4 I5 L4 L5 N O P S T4 T5 U V W X Y Z",
    (3, 4, 5): "F I3 I4 I5 L4 L5 N O P S T4 T5 U V3 V5 W X Y Z",
}


def table(**keys):
    return {"title": "T", "grid": "square", "flips": True, "form": {"box": [3, 3], "optional": "all"}, **keys}


def names(found):
    return " ".join(sorted(tile.name for tile in found.puzzle.tiles))


def test_names_of_several_sizes():
    for sizes, expected in FREE.items():
        for order in (sizes, sizes[::-1]):
            assert names(load(table(generate=[{"free": size} for size in order]))) == expected


def test_a_mirror_twin_goes_with_its_tile():
    found = names(load(table(flips=False, generate=[{"one_sided": 4}, {"free": 5}])))
    assert found == "F I4 I5 L4 L4' L5 N O P S S' T4 T5 U V W X Y Z"


def test_what_names_tiles_takes_the_new_names():
    rules = {"use": ["I3", "V", "I4"], "solutions": {"inside": ["I3"]}, "break_on": "I4"}
    assert names(load(table(generate=[{"free": 3}, {"free": 4}], **rules))) == "I3 I4 V"
    with pytest.raises(PuzzleError, match=r"there is no tile 'I'; did you mean 'I[34]'"):
        load(table(generate=[{"free": 3}, {"free": 4}], use=["I"]))


def test_tiles_of_the_same_name_and_size_are_refused():
    for generate in ([{"free": 4}, {"free": 4}], [{"free": 4}, {"one_sided": 4}, {"free": 5}]):
        with pytest.raises(PuzzleError, match="two tiles are named"):
            load(table(generate=generate))
    with pytest.raises(PuzzleError, match=r"tiles.I3: \[\[generate\]\] makes a tile 'I3' too"):
        load(table(generate=[{"free": 3}, {"free": 4}], tiles={"I3": {"picture": "#"}}))


@pytest.mark.full
def test_models_of_the_package_keep_their_names():
    several = [file for file in data_files("models") if len(read_table(file).get("generate", ())) > 1]
    assert len(several) > 1
    for file in several:
        model = read_file(ModelFile, file)
        grid = Library().grid_of(model.grid, file)
        made = [tile.name for table in model.generate for tile in generated_tiles(grid, table, (), may_cross=True)]
        assert made == [name for tile in model_tiles(grid, model, file) for name in tile.members if name not in model.tiles], file


SMALL = """
title = "T"
grid = "square"
flips = true
[[generate]]
free = 3
[[generate]]
free = 4
"""
FORM = """
title = "T"
model = "small"
use = ["I3", "I4", "V"]
[tiles.I3]
copies = 3
[form]
box = [4, 4]
"""


def test_a_file_with_all_in_it_has_the_same_tiles(tmp_path):
    """If a tile is changed, its generator is spelled out, and so are the generators that determine its name."""
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    path = tmp_path / "form.toml"
    path.write_text(FORM, encoding="utf-8")
    puzzle = load_puzzle(path)
    name, whole = folded(str(path))
    again = Library().instance(validated(InstanceFile, whole, path), path, name).puzzle
    assert [t.name for t in again.tiles] == [t.name for t in puzzle.tiles] == ["I3", "V", "I4"]
    assert count(again, Plan(("backtrack",))).counts == count(puzzle, Plan(("backtrack",))).counts
