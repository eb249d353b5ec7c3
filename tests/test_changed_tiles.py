"""Tables that change a tile whose shape is defined elsewhere: its copies, and its colour in pictures."""

import pytest

from helpers import load
from puzzlesat.base.errors import PuzzleError
from puzzlesat.counting.second_reading import read_twice
from puzzlesat.pages.studio.tasks.grids import answer_grids
from puzzlesat.pages.studio.telling import Tell
from puzzlesat.puzzles.building import build_instance
from tiers import every

GENERATED = {"title": "t", "grid": "square", "flips": True, "generate": [{"free": 3}], "form": {"box": [3, 2]}}
RED = "#d7263d"


def built_of(table):
    return build_instance(load(table))


def colours(table):
    return {tile.name: tile.colour for tile in built_of(table).puzzle.tiles}


@pytest.mark.full
@every(
    ("table", "name"),
    [
        (GENERATED, "V"),
        ({"title": "t", "model": "pentominoes", "use": ["F", "X"], "form": {"box": [5, 2]}}, "F"),
        ({"title": "t", "model": "kanoodle", "use": ["A", "B"], "form": {"box": [5, 2]}}, "A"),
    ],
)
def test_a_tile_of_a_generator_or_a_model_gets_a_colour(table, name):
    bare, coloured = built_of(table), built_of({**table, "tiles": {name: {"colour": RED}}})
    assert colours({**table, "tiles": {name: {"colour": RED}}}) == {**colours(table), name: RED}
    assert coloured.puzzle.tiles == bare.puzzle.tiles, "a colour is no difference"
    assert read_twice(coloured).alike is True


def test_copies_and_colour_together():
    (tile,) = [t for t in built_of({**GENERATED, "tiles": {"I": {"colour": RED, "copies": [0, 2]}}}).puzzle.tiles if t.name == "I"]
    assert (tile.low, tile.high, tile.colour) == (0, 2, RED)


@every(
    ("tiles", "said"),
    [
        ({"Q": {"colour": RED}}, "there is no tile 'Q'"),
        ({"I": {"flips": False}}, "expected one of picture, atoms, around, placements"),
        ({"I": {"colour": "red"}}, "expected a colour"),
    ],
)
def test_what_changes_no_tile(tiles, said):
    with pytest.raises(PuzzleError, match=said):
        built_of({**GENERATED, "tiles": tiles})


def test_the_page_knows_the_colours_that_files_say():
    read = answer_grids({"read": {**GENERATED, "tiles": {"I": {"colour": RED}}}}, Tell())
    assert read["shown"] == {"I": RED}
    assert next(tile["colour"] for tile in read["tiles"] if tile["name"] == "I") == RED
