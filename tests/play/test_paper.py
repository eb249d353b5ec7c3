"""Pages to cut out: the pieces have the board's scale in millimetres, none is cut off, and all that a position needs are there."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from puzzlesat.cover.instance import build_instance
from puzzlesat.draw.canvas import canvas
from puzzlesat.draw.svg import Picture
from puzzlesat.play.challenge import Wish, challenges
from puzzlesat.play.paper import CARD, CELL, HEIGHT, WIDTH, _pages, cut_piece, needed, paper
from puzzlesat.play.sheet import CUT, Sheet, as_html, page_sentences
from puzzlesat.puzzle.load import load_instance
from puzzlesat.solvers.run import Limits


def sheet_of(name):
    built = build_instance(load_instance(name))
    return Sheet(built, challenges(built, 1, Wish(1), 1, Limits().within(20)), 1, 1)


def boxes(page, scale, pictures):
    """Where each piece of a page lies, in millimetres."""
    corners = [tuple(map(float, found)) for found in re.findall(r"translate\(([\d.]+) ([\d.]+)\)", page)]
    names = re.findall(r"<g><title>(.*?)</title>", page)
    assert len(corners) == len(names)
    return [
        (name, x, y, x + scale * pictures[name].width, y + scale * pictures[name].height)
        for name, (x, y) in zip(names, corners, strict=True)
    ]


@pytest.mark.parametrize(("name", "cell"), [("tetrominoes-5x4-torus", CELL), ("pentominoes-3x20", None), ("macmahon-squares-4x6", CARD)])
def test_pieces_have_the_scale_of_the_board_and_lie_on_the_page_apart(name, cell):
    sheet = sheet_of(name)
    made, puzzle = paper(sheet.built, sheet.challenges), sheet.built.puzzle
    board = canvas(puzzle)
    assert made.scale == pytest.approx(cell / board.unit if cell else WIDTH / board.width)
    tiles = Counter(puzzle.tiles[i].name for i in needed(sheet.built, sheet.challenges))
    pictures = {tile.name: cut_piece(puzzle, i) for i, tile in enumerate(puzzle.tiles)}
    assert all(f"scale({made.scale:.5f})" in page for page in (made.board, *made.pieces))
    shown = Counter()
    for page in made.pieces:
        width, height = map(float, re.search(r'width="([\d.]+)mm" height="([\d.]+)mm"', page).groups())
        assert (width, height) <= (WIDTH, HEIGHT)
        laid = boxes(page, made.scale, pictures)
        shown += Counter(box[0] for box in laid)
        for i, (_, left, top, right, bottom) in enumerate(laid):
            assert right <= width + 0.01
            assert bottom <= height
            assert all(right <= a or c <= left or bottom <= b or d <= top for _, a, b, c, d in laid[:i])
    assert shown == tiles


def test_many_pieces_go_on_several_pages():
    pages = _pages([Picture(100.0, 100.0, str(i)) for i in range(5)], 218.0)
    assert [[(p.body, x, y) for p, x, y in page] for page in pages] == [
        [("0", 0.0, 0.0), ("1", 0.0, 104.0)],
        [("2", 0.0, 0.0), ("3", 0.0, 104.0)],
        [("4", 0.0, 0.0)],
    ]


def test_a_puzzle_in_space_has_no_paper():
    built = build_instance(load_instance("soma"))
    assert paper(built, ()) is None


def test_the_page_has_a_section_for_each_page_of_paper_and_says_so_in_every_language():
    sheet = sheet_of("tetrominoes-5x4-torus")
    made = paper(sheet.built, sheet.challenges)
    html = as_html(sheet)
    assert html.count('<section class="cut">') == 1 + len(made.pieces)
    assert set(CUT) <= set(page_sentences(sheet))
