"""Pages to cut out: pieces have the board's scale in millimetres, none is cut off, and the pieces of a position are complete."""

import re
from collections import Counter

import pytest

from puzzlesat.base.limits import Limits
from puzzlesat.pages.challenge_sheet import BOARD, BUILD, CUT, Sheet, page_sentences, paper_pages, sheet_html, tiles_needed
from puzzlesat.pictures.canvases import canvas, pixels
from puzzlesat.pictures.flat import CARD, CELL, EDGE, HEIGHT, WIDTH, cut_piece, paper, plan_of_piece
from puzzlesat.playing.challenge import Wish, challenges
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from tiers import every


def sheet_of(name):
    built = build_instance(load_instance(name))
    return Sheet(built, challenges(built, 1, Wish(1), 1, Limits().within(20)), 1, 1)


def boxes(page, scale, pictures):
    """The box of each piece of a page, in millimetres."""
    corners = [tuple(map(float, found)) for found in re.findall(r"translate\(([\d.]+) ([\d.]+)\)", page)]
    names = re.findall(r"<g><title>(.*?)</title>", page)
    assert len(corners) == len(names)
    return [
        (name, x, y, x + scale * pictures[name].width, y + scale * pictures[name].height)
        for name, (x, y) in zip(names, corners, strict=True)
    ]


@pytest.mark.full
@every(("name", "cell"), [("tetrominoes-5x4-torus", CELL), ("pentominoes-3x20", None), ("macmahon-squares-4x6", CARD)])
def test_pieces_have_the_scale_of_the_board_and_lie_on_the_page_apart(name, cell):
    sheet = sheet_of(name)
    made, puzzle = paper(sheet.built, tiles_needed(sheet)), sheet.built.puzzle
    board = canvas(puzzle)
    assert made.scale == pytest.approx(cell / board.unit if cell else WIDTH / board.width)
    tiles = Counter(puzzle.tiles[i].name for i in tiles_needed(sheet))
    pictures = {tile.name: cut_piece(puzzle, i, "") for i, tile in enumerate(puzzle.tiles)}
    assert all(f"scale({made.scale:.5f})" in page for page in (*made.board, *made.pieces))
    shown = Counter()
    for page in made.pieces:
        width, height = size_of(page)
        assert (width, height) <= (WIDTH, HEIGHT)
        laid = boxes(page, made.scale, pictures)
        shown += Counter(box[0] for box in laid)
        for i, (_, left, top, right, bottom) in enumerate(laid):
            assert right <= width + 0.01
            assert bottom <= height
            assert all(right <= a or c <= left or bottom <= b or d <= top for _, a, b, c, d in laid[:i])
    assert shown == tiles


def size_of(page):
    return tuple(map(float, re.search(r'width="([\d.]+)mm" height="([\d.]+)mm"', page).groups()))


@pytest.mark.full
@every(("name", "layers", "millimetres"), [("soma", 3, 20), ("kanoodle-pyramid", 5, 20), ("solid-pentominoes-2x3x10", 2, 18)])
def test_in_space_cubes_and_balls_fit_on_the_layers(name, layers, millimetres):
    built = build_instance(load_instance(name))
    made = paper(built, sorted(built.placements.tile.tolist()))
    assert made.cell == millimetres
    assert made.scale == pytest.approx(millimetres / pixels(built.puzzle.grid)[1])
    board = "".join(made.board)
    assert re.findall(r">(layer \d)<", board) == [f"layer {i}" for i in range(1, layers + 1)]
    assert board.count(f"scale({made.scale:.5f})") == layers
    for page in (*made.board, *made.pieces):
        assert size_of(page) <= (WIDTH, HEIGHT)


def test_a_plan_has_each_cube_of_a_piece_in_its_layer():
    puzzle = load_instance("soma").puzzle
    for i, tile in enumerate(puzzle.tiles):
        plan = plan_of_piece(puzzle, i, "name").body
        heights = Counter(atom[2] for atom in tile.atoms)
        assert re.findall(r">(layer \d)<", plan) == [f"layer {n}" for n, _ in enumerate(heights, start=1)]
        cells = re.findall(rf'<path d="([^"]*)" fill="none" stroke="{EDGE}" stroke-width="0.8"/>', plan)
        assert [lines.count("M") for lines in cells] == [heights[h] for h in sorted(heights)]


@pytest.mark.full
@every(("name", "kind"), [("tetrominoes-5x4-torus", CUT), ("soma", BUILD)])
def test_the_page_has_a_section_for_each_page_of_paper_and_says_so_in_every_language(name, kind):
    sheet = sheet_of(name)
    made = paper(sheet.built, tiles_needed(sheet))
    html, pages = sheet_html(sheet), paper_pages(sheet)
    assert html.count('<section class="cut">') == len(made.board) + len(made.pieces) == len(pages)
    assert list(pages) == ["board", "pieces"]
    sentences = set(page_sentences(sheet))
    assert {BOARD, *kind} <= sentences
    sections = "".join(re.findall(r'<section class="cut">.*?</section>', html, re.S))
    written = {words for words in re.findall(r">([^<]+)</(?:h2|span|text)>", sections) if re.search(r"[a-z]{2}", words)}
    assert written - sentences == {"50 mm"}
