"""Forms that wrap around: the arrows of a seam agree with the identified atoms, and pieces are repeated beyond the seam in pale colours."""

import re
from collections import Counter

import numpy as np
import pytest

from helpers import load
from puzzlesat.pictures.boards import board_as_json
from puzzlesat.pictures.canvases import beyond, canvas, seams
from puzzlesat.pictures.flat import form_svg, form_words, placement_drawing, solution_svg
from puzzlesat.pictures.geometry import shapes
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from tiers import every

SLOTS = {"title": "T", "model": "bits-and-bytes", "form": {"box": [5, 2], "wrap": [{"move": [5, 0]}]}}
SPACE = {"title": "T", "model": "straight-tetracubes", "form": {"box": [4, 3, 3], "wrap": [{"move": [4, 0, 0]}, {"move": [0, 0, 3]}]}}
TWISTED = {"title": "T", "model": "straight-tetracubes", "form": {"box": [4, 2, 2], "wrap": [{"move": [4, 0, 1]}]}}
TABLES = {"slots": SLOTS, "space": SPACE, "twisted": TWISTED}
WRAPPED = {
    "pentominoes-3x20-moebius": "a",
    "pentominoes-20x3-tube": "a",
    "hexiamonds-6x6-tube": "a",
    "dominoes-6x6-klein-bottle": "ab",
    "tetrominoes-5x4-torus": "ab",
    "slots": "a",
    "space": "aaa",
    "twisted": "a",
}


def instance(name):
    return load(TABLES[name]) if name in TABLES else load_instance(name)


def along(edge):
    """The sides of an edge, in the direction of its arrow."""
    way = np.array(edge.end) - np.array(edge.start)
    return sorted(edge.sides, key=lambda side: float(np.dot(np.sum(side, axis=0), way)))


def across(puzzle, side):
    """The atom of the form at a side, and the atom beyond the side."""
    known = shapes(puzzle.grid)
    inner = [a for a in puzzle.form.atoms if set(side) <= set(known.corners(a)) and len(known.corners(a)) > 2]
    outer = [a for a in beyond(puzzle) if set(side) <= set(known.corners(a))]
    return inner[0], outer[0]


@every("name, letters", WRAPPED.items(), fast=("twisted",))
def test_what_leaves_at_an_arrow_enters_at_the_other_with_its_letter(name, letters):
    puzzle = instance(name).puzzle
    assert "".join(seam.letter for seam in seams(puzzle)) == letters
    for seam in seams(puzzle):
        one, other = map(along, seam.edges)
        assert len(one) == len(other)
        for here, there in zip(one, other, strict=True):
            inner, outer = across(puzzle, here)
            far, beyond_far = across(puzzle, there)
            assert (puzzle.form.locate(outer), puzzle.form.locate(beyond_far)) == (far, inner)
    drawn = form_svg(build_instance(instance(name)))
    assert Counter(re.findall(">([a-z])</text>", drawn)) == {letter: 2 * letters.count(letter) for letter in letters}


@pytest.mark.full
def test_seams_in_space():
    """Layers joined by a seam are named below each other; a climbing seam leads to the layer above; a form without seams names none."""
    drawn = form_svg(built := build_instance(instance("space")))
    assert [shown[1:] for shown in re.findall(">([▼▲] layer .)<", drawn)] == [" layer 3", " layer 1"]
    assert {"▼ layer 3", "▲ layer 1"} <= set(form_words(built))
    puzzle = instance("twisted").puzzle
    (seam,) = seams(puzzle)
    assert {edge.height for edge in seam.edges} == set(canvas(puzzle).shifts)
    plain = build_instance(load_instance("soma"))
    assert seams(plain.puzzle) == ()
    assert "▲" not in form_svg(plain) and 'class="seams"' not in form_svg(plain)


def test_beyond_a_seam_each_atom_has_the_pale_colour_of_its_piece():
    """On a Möbius strip of 2 x 2 the domino at the left end is repeated at the right end, upside down."""
    table = {
        "title": "T",
        "grid": "square",
        "flips": True,
        "tiles": {"D": {"picture": "##"}, "I": {"picture": "#"}, "J": {"picture": "#\n#"}},
    }
    built = build_instance(load(table | {"form": {"box": [3, 2], "optional": "all", "wrap": [{"move": [3, 0], "mirror": True}]}}))
    option = built.placements.names.index(next(n for n in built.placements.names if n.startswith("D.") and n.endswith("@1.1")))
    drawn = solution_svg(built, [option])
    pale = re.search('<g class="beyond".*?</g>', drawn)[0]
    board = canvas(built.puzzle)
    again = [a for a, home in beyond(built.puzzle).items() if home in built.placements[option].atoms]
    assert [(a[0], a[1]) for a in again] == [(4, 2)]
    assert all(f"{x:g} {y:g}" in pale for x, y in board.corners(again[0]).round(2).tolist())


@pytest.mark.full
def test_the_board_shows_the_pieces_again():
    built = build_instance(load_instance("tetrominoes-5x4-torus"))
    drawings = board_as_json(built)["placements"]["drawings"]
    assert len(drawings) == len(built.placements)
    assert any('class="beyond"' in drawn for drawn in drawings)
    assert all(placement_drawing(built, i).area in drawn for i, drawn in enumerate(drawings))
