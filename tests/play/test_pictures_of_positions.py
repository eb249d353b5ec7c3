"""Positions as text pictures: written and read again, and what is wrong with those that people draw."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from positions import FEWER, cases

from puzzlesat.cover.build import build
from puzzlesat.errors import PuzzleError
from puzzlesat.play.picture import blank_picture, position_text, read_position
from puzzlesat.play.position import position_of
from puzzlesat.puzzle.load import load_puzzle
from puzzlesat.solution import Solution
from puzzlesat.solutions import solutions
from puzzlesat.solvers.run import Limits


@pytest.fixture(scope="module")
def built():
    known = {}

    def get(name):
        if name not in known:
            known[name] = build(load_puzzle(name))
        return known[name]

    return get


@given(case=cases())
@FEWER
def test_a_position_is_read_as_it_was_written(case):
    coloured, plain = position_text(case.position)
    assert set(read_position(case.position.built, plain).placed) == set(case.position.placed)
    assert coloured.plain.split() == plain.split()


@pytest.mark.parametrize(
    "name",
    [
        "octogram",
        "tritetratan",
        "absolut-knifflig",
        "soma",
        "bits-and-bytes",
        "hexiamonds-6x6",
        "tritrigs-hex-2-ring-crossing",
        "polytwigs-1-2-3-4-hexagon",
        "tetrahexes-flower-1",
    ],
)
def test_parts_of_solutions_of_every_kind_of_grid(built, name):
    puzzle = built(name)
    row = next(solutions(puzzle, "backtrack", Limits(solutions=1)))
    for part in (row, row[::2], row[1:2], ()):
        position = position_of(puzzle, [puzzle.problem.options[o] for o in part])
        _, plain = position_text(position)
        assert set(read_position(puzzle, plain).placed) == set(part)
    assert read_position(puzzle, blank_picture(puzzle)).placed == ()


@pytest.mark.parametrize("name", ["octogram", "soma", "absolut-knifflig", "bits-and-bytes"])
def test_what_solve_prints_with_a_piece_left_out(built, name):
    puzzle = built(name)
    row = next(solutions(puzzle, "backtrack", Limits(solutions=1)))
    text = str(Solution(puzzle, row))
    letter = text[0]
    rows = text.split("\n")
    less = "\n".join(line if "@" in line else line.replace(letter, "." if name == "soma" else " ") for line in rows)
    names = " ".join(puzzle.problem.options[o] for o in row)
    position = read_position(puzzle, f"solution 1  {names}\n{less}\n")
    assert len(position.placed) == len(row) - 1
    assert set(position.placed) < set(row)
    assert set(read_position(puzzle, f"solution 1  {names}\n{text}\n").placed) == set(row)


def test_any_symbols_by_shape(built):
    position = read_position(built("octogram"), "11111" + "\n" * 4 + "@\n@\n@\n@@\n")
    assert position.names(position.placed) == ["I.1@1.8", "L.1@1.1"]


def test_letters_tell_tiles_of_one_shape_apart(tmp_path):
    file = tmp_path / "twins.toml"
    tiles = '[tiles.A]\npicture = "###"\nturns = "none"\n[tiles.B]\npicture = "###"\n'
    file.write_text(f'title = "T"\ngrid = "square"\nflips = true\n{tiles}[form]\nbox = [3, 2]\n', encoding="utf-8")
    puzzle = build(load_puzzle(file))
    position = read_position(puzzle, "BBB\n...\n")
    assert position.names(position.placed) == ["B.1@1.2"]
    with pytest.raises(PuzzleError, match=r"'x' can be 2 placements, such as A.1@1.2, B.1@1.2; write a line 'x A.1@1.2' below"):
        read_position(puzzle, "xxx\n...\n")
    position = read_position(puzzle, "xxx\n...\nx A.1@1.2\n")
    assert position.names(position.placed) == ["A.1@1.2"]


def test_names_and_json(built):
    puzzle = built("soma")
    names = ["V.2@1.1.1", "L.3@3.1.1"]
    for text in (
        " ".join(names),
        "\n".join(names),
        '["V.2@1.1.1", "L.3@3.1.1"]',
        '{"placements": [{"name": "V.2@1.1.1"}, {"name": "L.3@3.1.1"}]}',
    ):
        position = read_position(puzzle, text)
        assert position.names(position.placed) == names


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("octogram", " \n", "nothing is drawn in it"),
        ("octogram", "FF\n", "the picture has 1 rows, that of the form 8"),
        ("octogram", "\n" * 7 + "........F\n", "row 8, column 9: 'F' lies outside the form"),
        ("octogram", "\n" * 7 + "FF\n", "row 8, column 1: 'F' covers 2 atoms, tile 'F' has 5"),
        ("octogram", "\n" * 7 + "QQ\n", "row 8, column 1: 'Q' covers 2 atoms, and no tile has so many"),
        ("octogram", "FFFFF\n" + "\n" * 6 + "FFFFF", "tile 'I' is placed 2 times, but there is one copy of it"),
        ("octogram", "\n" * 6 + "....F\nFFFF.\n", "row 8, column 1: 'F' covers 4 atoms, tile 'F' has 5"),
        ("soma", "TTT\n...\n...\n", "the picture has 3 rows, that of the form 3 layers of 3"),
        ("tritetratan", "AA\n", "3 x 3 characters a cell"),
        ("absolut-knifflig", "A..\n...\n...\n", "'A' can be 36 placements"),
        ("absolut-knifflig", "A..\n...\n...\nA card1.1@1.1", "the legend says that 'A' is card1.1@1.1, but that does not lie where"),
        ("soma", '{"solution": 1}', "no JSON as one line of 'puzzlesat solve --json' is"),
        ("soma", "[1]", "expected names of placements, got 1"),
        ("soma", "V.2@1.1.9", "'V.2@1.1.9' is no placement of soma; did you mean"),
        ("soma", "V.2@1.1.1 V.2@1.1.1", "'V.2@1.1.1' stands there twice"),
        ("soma", "V.2@1.1.1 L.1@1.1.1", r"overlap at \[1, 1, 1\].*take one out"),
    ],
)
def test_what_cannot_be_read(built, name, text, said):
    with pytest.raises(PuzzleError, match=said):
        read_position(built(name), text)


def test_the_picture_in_the_documents(built):
    text = (Path(__file__).parents[2] / "docs" / "format.md").read_text(encoding="utf-8").split("\n## Positions\n")[1]
    flat, square = re.findall(r"```text\n(.*?)```", text.split("\n## ")[0], re.S)
    position = read_position(built("octogram"), flat)
    assert sorted(position.names(position.placed)) == ["I.1@1.8", "L.1@1.1", "V.2@6.5"]
    lines = blank_picture(built("tritetratan")).split("\n")
    assert [line[:3].rstrip() for line in lines[:3]] == square.rstrip().replace("A", "·").split("\n")
