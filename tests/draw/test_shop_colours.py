"""Colours that files give to tiles: used in pictures and on the board, read by the second reader, and irrelevant to all counts."""

from itertools import combinations

import pytest

import puzzlesat
from helpers import load
from puzzlesat.counting.second_reading import read_twice
from puzzlesat.designing.tile_set import digest
from puzzlesat.pictures.boards import board_as_json
from puzzlesat.pictures.flat import solution_svg
from puzzlesat.pictures.palette import APART, SHADES, TILES, distance, shade, tile_colours
from puzzlesat.pictures.text_pictures import SolutionPictures
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.package import data_files
from puzzlesat.puzzles.reading import read_file
from puzzlesat.puzzles.schema import ModelFile
from tiers import every

COLOURED = [path.stem for path in data_files("models") if any(tile.colour for tile in read_file(ModelFile, path).tiles.values())]


def bar(**more):
    """Three tiles in a row of six places; ``more`` adds keys to some of them."""
    sizes = {"A": 1, "B": 2, "C": 3}
    tiles = {name: {"picture": "#" * size, **more.get(name, {})} for name, size in sizes.items()}
    return {"title": "bar", "grid": "square", "flips": True, "tiles": tiles, "form": {"box": [6, 1]}}


def test_a_tile_has_its_colour_in_pictures_and_on_the_board():
    built = build_instance(load(bar(B={"colour": "#D7261E"})))
    assert tile_colours(built.puzzle)[1] == "#d7261e"
    row = [built.problem.options.index(name) for name in ("A.1@1.1", "B.1@2.1", "C.1@4.1")]
    assert "#d7261e" in solution_svg(built, row)
    assert board_as_json(built)["tiles"][1]["shades"][0] == "#d7261e"
    styles = [str(span.style) for span in SolutionPictures(built).text(row).spans]
    assert "white on #d7261e" in styles


def test_what_is_no_colour_is_refused_with_what_is_expected():
    for colour in ("red", "#fff", "#12345g", "", 7):
        with pytest.raises(puzzlesat.PuzzleError, match=r'tiles\.A\.colour: expected a colour as "#rrggbb"'):
            load(bar(A={"colour": colour}))


def test_tiles_of_one_colour_get_shades_and_the_others_what_is_left():
    same = {"colour": TILES[0]}
    colours = tile_colours(load(bar(B=same, C=same)).puzzle)
    assert colours == (TILES[1], TILES[0], shade(TILES[0], SHADES[1]))


@every("name", COLOURED, fast=("kanoodle", "iq-puzzler-pro", "tetris-cube"))
def test_two_tiles_of_a_model_are_told_apart(name):
    model = f'model = "{name}"'
    file = next(path for path in data_files("instances") if model in path.read_text(encoding="utf-8"))
    colours = tile_colours(load_instance(file).puzzle)
    assert min(distance(one, other) for one, other in combinations(colours, 2)) > APART


def test_a_colour_changes_no_count_and_no_fingerprint_and_is_read_twice():
    plain, coloured = (build_instance(load(bar(A=more))) for more in ({}, {"colour": "#d7261e"}))
    assert digest(plain.puzzle) == digest(coloured.puzzle)
    assert plain.puzzle.tiles == coloured.puzzle.tiles
    assert plain.problem.options == coloured.problem.options
    assert read_twice(coloured).alike
