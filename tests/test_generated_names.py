"""Tiles of several [[generate]] tables: a name that tiles of several sizes share includes the size. Also tables that change such a tile."""

import pytest

from helpers import built_of, load
from puzzlesat.base.errors import PuzzleError
from puzzlesat.counting import count, read_twice
from puzzlesat.counting.report import Plan
from puzzlesat.formats.puzzles import folded
from puzzlesat.pages.studio.tasks.grids import answer_grids
from puzzlesat.pages.studio.telling import Tell
from puzzlesat.puzzles import InstanceFile, validated
from puzzlesat.puzzles.load import Library, load_instance
from strategies import to_toml
from tiers import every

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


SMALL = {"title": "T", "grid": "square", "flips": True, "generate": [{"free": 3}, {"free": 4}]}
FORM = {"title": "T", "model": "small", "use": ["I3", "I4", "V"], "tiles": {"I3": {"copies": 3}}, "form": {"box": [4, 4]}}


def test_a_file_with_all_in_it_has_the_same_tiles(tmp_path):
    (tmp_path / "small.toml").write_text(to_toml(SMALL), encoding="utf-8")
    path = tmp_path / "form.toml"
    path.write_text(to_toml(FORM), encoding="utf-8")
    puzzle = load_instance(path).puzzle
    name, whole = folded(str(path))
    again = Library().instance(validated(InstanceFile, whole, path), path, name).puzzle
    assert [t.name for t in again.tiles] == [t.name for t in puzzle.tiles] == ["I3", "V", "I4"]
    assert count(again, Plan(("backtrack",))).counts == count(puzzle, Plan(("backtrack",))).counts


# tables that change a tile with a shape from elsewhere -----------------------------------------------------------------------

GENERATED = {"title": "t", "grid": "square", "flips": True, "generate": [{"free": 3}], "form": {"box": [3, 2]}}
RED = "#d7263d"


def colours(table):
    return {tile.name: tile.colour for tile in built_of(table).puzzle.tiles}


@pytest.mark.full
@every(("table", "name"), [(GENERATED, "V"), ({"title": "t", "model": "kanoodle", "use": ["A", "B"], "form": {"box": [5, 2]}}, "A")])
def test_a_tile_of_a_generator_or_a_model_gets_a_colour(table, name):
    bare, coloured = built_of(table), built_of({**table, "tiles": {name: {"colour": RED}}})
    assert colours({**table, "tiles": {name: {"colour": RED}}}) == {**colours(table), name: RED}
    assert coloured.puzzle.tiles == bare.puzzle.tiles, "a colour is no difference"
    assert read_twice(coloured).alike is True


def test_what_changes_no_tile():
    tried = (("Q", {"colour": RED}, "there is no tile 'Q'"), ("I", {"flips": False}, "expected one of picture, atoms, around, placements"))
    for name, tile, said in tried:
        with pytest.raises(PuzzleError, match=said):
            built_of({**GENERATED, "tiles": {name: tile}})


def test_the_page_knows_the_colours_that_files_say():
    read = answer_grids({"read": {**GENERATED, "tiles": {"I": {"colour": RED}}}}, Tell())
    assert read["shown"] == {"I": RED}
    assert next(tile["colour"] for tile in read["tiles"] if tile["name"] == "I") == RED
