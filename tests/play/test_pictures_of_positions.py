"""Positions as text pictures: written and read again, and errors in pictures that people draw."""

import json
import re
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from positions import FEWER, cases

from helpers import load
from puzzlesat.base import Limits, PuzzleError, data_files
from puzzlesat.counting.listing import solutions
from puzzlesat.pictures.text_pictures import SolutionPictures, folded
from puzzlesat.playing.position import blank_picture, checked_position, position_text, read_position
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from tiers import every


@cache
def built(name):
    return build_instance(load_instance(name))


@cache
def first_solution(name):
    return next(solutions(built(name), "backtrack", Limits(solutions=1)))


@given(case=cases())
@FEWER
def test_a_position_is_read_as_it_was_written(case):
    coloured, plain = position_text(case.position)
    assert set(read_position(case.position.built, plain).placed) == set(case.position.placed)
    assert coloured.plain.split() == plain.split()


@every("name", ["octogram", "soma", "absolut-knifflig", "bits-and-bytes"], fast=("absolut-knifflig",))
def test_what_solve_prints_with_a_piece_left_out(name):
    puzzle = built(name)
    row = first_solution(name)
    text = SolutionPictures(puzzle).plain(row)
    letter = text[0]
    rows = text.split("\n")
    less = "\n".join(line if "@" in line else line.replace(letter, "." if name == "soma" else " ") for line in rows)
    names = " ".join(puzzle.problem.options[o] for o in row)
    position = read_position(puzzle, f"solution 1  {names}\n{less}\n")
    assert len(position.placed) == len(row) - 1
    assert set(position.placed) < set(row)
    assert set(read_position(puzzle, f"solution 1  {names}\n{text}\n").placed) == set(row)


SAID_ABOUT = [
    "{}\ncomplete: soma has 1 solution up to symmetry.\n",
    "{}\npicture: soma.svg\n",
    "{}\npuzzlesat: limit reached after 1 solution\n",
    "{}\n7 of 7 pieces are placed.\nThis is a solution.\n",
    "The Soma cube: one starting position\nIt can.\n\n1.  7 pieces placed, 0 left\n    to place: V\n      L\n    one node\n\n{}",
    "1.  7 pieces placed, 0 left\n    to place: V\n\n{}\n\fSolutions\n\n1  V.1@1.1.1\nVVV\n",
]


@every("about", SAID_ABOUT)
def test_what_is_said_about_a_picture_is_passed_over(about):
    puzzle = built("soma")
    row = first_solution("soma")
    heading = "" if "placed, " in about else f"solution 1  {' '.join(puzzle.problem.options[o] for o in row)}\n"
    assert set(read_position(puzzle, about.format(heading + SolutionPictures(puzzle).plain(row))).placed) == set(row)


def test_of_several_positions_one_is_wanted():
    puzzle = built("soma")
    row = first_solution("soma")
    names = [puzzle.problem.options[o] for o in row]
    one = SolutionPictures(puzzle).plain(row)
    line = json.dumps({"placements": [{"name": name} for name in names]})
    assert set(read_position(puzzle, line).placed) == set(row)
    for text in (f"solution 1  {' '.join(names)}\n{one}\n", f"1.  7 pieces placed, 0 left\n    to place:\n\n{one}\n", f"{line}\n"):
        with pytest.raises(PuzzleError, match="there are 3 positions in it; keep one of them"):
            read_position(puzzle, text * 3)
    with pytest.raises(PuzzleError, match="too large to be printed; name the placements"):
        read_position(puzzle, "(the picture has 994 lines; draw it with --svg FILE)\n\n7 of 7 pieces are placed.\n")


def some_pieces(built, seed):
    """Place pieces in a random order, each if it fits."""
    placed = list(built.problem.forced)
    covered = {a for o in placed for a in built.placements[o].atoms}
    for option in Random(seed).sample(range(len(built.placements)), min(2000, len(built.placements))):
        p = built.placements[option]
        high = built.puzzle.tiles[p.tile].high
        if covered.isdisjoint(p.atoms) and (high is None or sum(built.placements[o].tile == p.tile for o in placed) < high):
            placed.append(option)
            covered.update(p.atoms)
    return placed


def check_round_trip(name):
    """Check that each printed position is read back, even if pieces are missing."""
    puzzle = build_instance(load_instance(name))
    pictures = SolutionPictures(puzzle, 80)
    for seed in range(3):
        row = some_pieces(puzzle, seed)
        if seed == 2:
            row = [o for o in row if o in puzzle.problem.forced or o % 2]
        heading = folded(["solution 1 ", *(puzzle.problem.options[o] for o in row)], 80, gap=" ", indent="  ")
        for text in (heading + pictures.plain(row), heading + pictures.text(row).plain, position_text(checked_position(puzzle, row))[1]):
            assert set(read_position(puzzle, text).everything) == set(row), text


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_what_is_printed_is_read_again_for_every_instance(part):
    for path in data_files("instances")[part::8]:
        if path.stem != "hex-sticks":  # it takes minutes to build
            check_round_trip(path)


def names_read(puzzle, text):
    position = read_position(puzzle, text)
    return position.names(position.placed)


@pytest.mark.full
def test_pieces_taken_out_of_a_picture_in_which_pieces_share_squares():
    """In ``solve tritetratan``, A, H, Q and others fill whole squares; S fills none."""
    puzzle = built("tritetratan")
    row = first_solution("tritetratan")
    names = [puzzle.problem.options[o] for o in row]
    rows = SolutionPictures(puzzle).text(row).plain.splitlines()
    assert rows == ["HHFQK◤", "◣◣◤◤◥Z", "M◤◢R◤◤", "◤◤◣◤◣◤", "◤◣◣◤◣◤", "A◣◣◣◤W"]

    def read(names, rows):
        return {*names_read(puzzle, "solution 1  " + " ".join(names) + "\n" + "\n".join(rows) + "\n")}

    def without(*letters):
        return {n for n in names if n[0] not in letters}

    assert read(names, rows) == read(names, ["HHFQKZ", *rows[1:]]) == {*names}
    # a letter is replaced by a blank, or its name is removed from the line
    assert read(names, ["  FQK◤", *rows[1:]]) == without("H")
    assert read(names, ["HHF·K◤", *rows[1:-1], ".◣◣◣◤W"]) == without("Q", "A")
    assert read(without("S"), rows) == without("S")
    # blank both squares that G shares; keep other squares of R and Z, which share them
    for named, first, said in (
        (names, "H FQK◤", "H.1@1.6 is named above the picture, but it does not lie there as 'H'"),
        (names, "HHFAK◤", "Q.3@3.5 is named above the picture, but it does not lie there as 'Q'"),
        (["H.1@1.6"], "HHFQK◤", "line 1 of the picture, column 3: 'F' belongs to no placement that is named above the picture"),
    ):
        with pytest.raises(PuzzleError, match=re.escape(said)):
            read(named, [first, *rows[1:]])
    with pytest.raises(PuzzleError, match="your picture has 6 rows; the form has 18 rows"):
        read_position(puzzle, "\n".join(rows))


def test_names_beside_a_picture_that_was_changed():
    """The picture takes precedence over the names above it: a piece may be moved, or replaced by another."""
    puzzle, octogram = built("absolut-knifflig"), built("octogram")
    names = " ".join(puzzle.problem.options[o] for o in first_solution("absolut-knifflig"))
    assert names_read(puzzle, f"solution 1  {names}\nXYZ\n...\n...\n") == ["card9.2@1.3", "card7.2@2.3", "card6.4@3.3"]
    assert names_read(octogram, "solution 1  I.1@1.7\nIIIII...\n" + "........\n" * 7) == ["I.1@1.8"]
    # names above a picture that was too large to print
    note = "(the picture has 994 lines; draw it with\n --svg FILE or --png FILE)"
    assert names_read(octogram, f"solution 1  I.1@1.8\n  L.1@1.1\n{note}\n\n") == ["I.1@1.8", "L.1@1.1"]


def test_letters_tell_tiles_of_one_shape_apart():
    """Other symbols are identified by their shapes."""
    assert names_read(built("octogram"), "11111" + "\n" * 4 + "@\n@\n@\n@@\n") == ["I.1@1.8", "L.1@1.1"]
    tiles = {"A": {"picture": "###", "turns": "none"}, "B": {"picture": "###"}}
    puzzle = build_instance(load({"title": "T", "grid": "square", "flips": True, "tiles": tiles, "form": {"box": [3, 2]}}))
    assert names_read(puzzle, "BBB\n...\n") == ["B.1@1.2"]
    with pytest.raises(PuzzleError, match=r"'x' can be 2 placements, such as A.1@1.2, B.1@1.2; write a line 'x A.1@1.2' below"):
        read_position(puzzle, "xxx\n...\n")
    assert names_read(puzzle, "xxx\n...\nx A.1@1.2\n") == ["A.1@1.2"]


def test_names_and_json():
    names = ["V.2@1.1.1", "L.3@3.1.1"]
    for text in (" ".join(names), "\n".join(names), json.dumps(names), json.dumps({"placements": [{"name": name} for name in names]})):
        assert names_read(built("soma"), text) == names


@every(
    "name, text, said",
    [
        ("octogram", " \n", "nothing is drawn in it"),
        ("octogram", "\n" * 7 + "........F\n", "line 8 of the picture, column 9: 'F' lies outside the form"),
        ("octogram", "\n" * 7 + "##......\n", "line 8 of the picture, column 1: '#' is an empty atom, as '.' is; draw each piece"),
        ("octogram", "\n" * 7 + "FF\n", r"line 8 of the picture, column 1 \(\[1, 1\]\): 'F' covers 2 atoms, tile 'F' has 5"),
        ("octogram", "FFFFF\n" + "\n" * 6 + "FFFFF", "tile 'I' is placed 2 times, but there is one copy of it"),
        ("soma", "TTT\n...\n...\n", "your picture has 3 rows; the form has 3 layers of 3 rows"),
        ("tritetratan", "AA\n", "3 x 3 characters a cell"),
        ("absolut-knifflig", "A..\n...\n...\n", "'A' can be 36 placements"),
        ("absolut-knifflig", "A..\n...\n...\nA card1.1@1.1", "the legend says that 'A' is card1.1@1.1, but that does not lie where"),
        ("soma", '{"solution": 1}', "not JSON like a line of 'puzzlesat solve --json'"),
        ("soma", "[1]", "expected names of placements, got 1"),
        ("soma", "V.2@1.1.9", "'V.2@1.1.9' is not a placement of soma; did you mean"),
        ("soma", "V.2@1.1.1 V.2@1.1.1", "'V.2@1.1.1' is listed twice"),
        ("soma", "V.2@1.1.1 L.1@1.1.1", r"overlap at \[1, 1, 1\].*remove one"),
    ],
)
def test_what_cannot_be_read(name, text, said):
    with pytest.raises(PuzzleError, match=said):
        read_position(built(name), text)


def test_the_picture_in_the_documents():
    text = (Path(__file__).parents[2] / "docs" / "format" / "pictures.md").read_text(encoding="utf-8").split("\n## Positions\n")[1]
    flat, square = re.findall(r"```text\n(.*?)```", text.split("\n## ")[0], re.S)
    assert sorted(names_read(built("octogram"), flat)) == ["I.1@1.8", "L.1@1.1", "V.2@6.5"]
    lines = blank_picture(built("tritetratan")).split("\n")
    assert [line[:3].rstrip() for line in lines[:3]] == square.rstrip().replace("A", "·").split("\n")
