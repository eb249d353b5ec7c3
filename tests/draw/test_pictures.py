"""Pictures of forms, tiles and solutions: every piece has its area, noses, colour and name, on every grid and beyond seams."""

import json
import re
import struct
from collections import Counter
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from depth_buffer import loops_of
from hypothesis import given, settings

import puzzlesat
from helpers import load
from puzzlesat.base import Limits, data_files
from puzzlesat.counting.listing import solutions
from puzzlesat.pictures.boards import Drawings, board_as_json
from puzzlesat.pictures.canvases import beyond, canvas, make_canvas, seams
from puzzlesat.pictures.flat import form_svg, form_words, placement_drawing, puzzle_svg, solution_svg, tile_picture
from puzzlesat.pictures.geometry import BALL, FACE, HIDDEN, SEGMENT, shapes
from puzzlesat.pictures.palette import mark_colours, solution_colours, tile_colours
from puzzlesat.pictures.pieces import NOSE, draw_piece
from puzzlesat.pictures.svg import TIMES, WIDEST, Picture, png, text
from puzzlesat.puzzles import BuiltInstance, all_placements, build_instance, load_grid
from puzzlesat.puzzles.load import load_instance
from strategies import puzzles
from tiers import every, tries

GRIDS = sorted(f.stem for f in data_files("grids"))


def doubled(corners):
    """Return twice the signed area inside some corners."""
    return np.dot(corners[:, 0], np.roll(corners[:, 1], -1)) - np.dot(corners[:, 1], np.roll(corners[:, 0], -1))


def area_of(d):
    """Return the area of a path; holes go round the other way."""
    return abs(sum(map(doubled, loops_of(d)))) / 2


def area_of_atoms(board, atoms):
    """Return the area of the sections of atoms, from their vertices."""
    return sum(abs(doubled(board.corners(a, h))) / 2 for a in atoms if board.shapes.drawn(a) == FACE for h in board.shapes.heights(a))


def touching_balls(board, atoms):
    """Return, for each ball, the number of balls of its layer that it touches."""
    return [
        sum(a != b and board.shapes.heights(a) == board.shapes.heights(b) and b in board.grid.neighbours(a) for b in atoms) for a in atoms
    ]


def small_puzzle(name, tmp_path):
    """A block of a grid, tiles of one atom of each kind and of four neighbours, and a position that nearly fills it."""
    grid = load_grid(next(f for f in data_files("grids") if f.stem == name))
    alone = [a.name for a in grid.atoms if a.role == "cover" and a.kind == grid.main_kind]
    near = [(*([1] * grid.dimension), 0)]
    while len(near) < 4:
        near.append(next(a for b in near for a in grid.neighbours(b) if a not in near))
    atoms = [[*a[:-1], grid.atoms[a[-1]].name] for a in near]
    text = f'title = "<{name}>"\ngrid = "{name}"\nflips = true\n[tiles.FOUR]\natoms = {atoms}\ncopies = "any"\n'.replace("'", '"')
    for number, atom in enumerate(alone):
        text += f'[tiles.one{number}]\natoms = [[{", ".join(["1"] * grid.dimension)}, "{atom}"]]\ncopies = "any"\n'
    sides = [3] * 2 if grid.dimension == 2 else [2, 2, 1] if len(alone) > 4 else [3, 3, 2]
    file = tmp_path / "block.toml"
    file.write_text(text + f"[form]\nbox = {sides}\n", encoding="utf-8")
    built = laid(load_instance(file))
    return built, position_in(built)


def laid(instance):
    """An instance whose placements are listed, without a cover problem, which pictures do not need."""
    return BuiltInstance(instance.puzzle, all_placements(instance.puzzle), None, instance)


def position_in(built, most=12):
    """Placements that do not overlap, larger ones first."""
    taken, row = set(), []
    for option in sorted(range(len(built.placements)), key=lambda o: -len(built.placements[o].atoms)):
        if len(row) < most and taken.isdisjoint(built.placements[option].atoms):
            taken.update(built.placements[option].atoms)
            row.append(option)
    return row


@every("name", GRIDS, fast=("square-marks",))
def test_every_grid_is_drawn(name, tmp_path):
    built, row = small_puzzle(name, tmp_path)
    for svg in (solution_svg(built, row, title="a < b"), form_svg(built), puzzle_svg(built)):
        root = ElementTree.fromstring(svg)
        assert float(root.get("width")) > 0
        assert "nan" not in svg
    board = canvas(built.puzzle)
    root = ElementTree.fromstring(solution_svg(built, row))
    titles = Counter(t.text for t in root.iter("{http://www.w3.org/2000/svg}title"))
    for option in row:
        placement = built.placements[option]
        drawing = placement_drawing(built, option)
        assert titles[placement.name] >= 1
        (kind,) = {board.shapes.drawn(a) for a in placement.atoms} - {HIDDEN}
        if kind == FACE and name != "square-slots":  # notches are another test
            assert area_of(drawing.area) == pytest.approx(area_of_atoms(board, placement.atoms), rel=0.01)
        if kind == BALL:  # ends of arcs; a whole ball has one
            ends = 2 * drawing.area.count("A") + drawing.area.count("a") // 2
            assert ends == sum(max(1, 2 * n) for n in touching_balls(board, placement.atoms))
        assert bool(drawing.area) == (kind != SEGMENT)
        assert drawing.labels
        assert all(0 <= label.x <= board.width and 0 <= label.y <= board.height for label in drawing.labels)


def test_noses_and_notches():
    """Each of the eight slots of a card adds or removes the area of a nose."""
    built = build_instance(puzzlesat.load("bits-and-bytes"))
    grid = built.puzzle.grid
    nose = (NOSE[2][0] - NOSE[1][0] + NOSE[3][0] - NOSE[0][0]) / 2 * NOSE[1][1]
    for tile in built.puzzle.tiles:
        board = make_canvas(grid, tile.atoms)
        side = board.factor
        noses = tile.name.count("1")
        expected = side**2 + (noses - (8 - noses)) * nose * (side / 2) ** 2
        drawing = draw_piece(board, tile.atoms)
        assert area_of(drawing.area) == pytest.approx(expected, rel=0.001)
        assert len(loops_of(drawing.area)[0]) >= 4 * 8
        assert not drawing.lines


def test_a_nose_inside_a_tile_is_not_drawn():
    tiles = {"A": {"atoms": [[1, 1, "f"], [2, 1, "f"], [2, 1, "ll"], [2, 1, "lu"]]}}
    form = {"box": [2, 1], "inner": {"slot": "required"}}
    built = build_instance(load({"title": "T", "grid": "square-slots", "flips": True, "tiles": tiles, "form": form}))
    drawing = placement_drawing(built, 0)
    (loop,) = loops_of(drawing.area)
    assert len(loop) == 4 + 8 + 4 * 12  # corners, middles of the sides (and the point where the squares meet), four for each of 12 notches
    assert not drawing.lines


def test_marks_of_cards():
    built = build_instance(puzzlesat.load("absolut-knifflig"))
    (row,) = solutions(built, "backtrack", Limits(solutions=1))
    svg = solution_svg(built, row)
    for name, colour in mark_colours(built.puzzle).items():
        assert svg.count(f"<title>{name}+</title>") + svg.count(f"<title>{name}-</title>") >= 4
        assert colour in svg
    for option in row:
        for mark, drawing in zip(built.placements[option].marks, placement_drawing(built, option).marks, strict=True):
            # the sign of a half mark: one line for minus, two for plus
            assert drawing.sign.count("M") == (2 if mark.name.endswith("+") else 1)
            assert len(loops_of(drawing.area)[0]) == 4
    texts = [t.text for t in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert {"pippi", "monkey", "horse", "+ meets −"} <= set(texts)
    assert mark_colours(load_instance("macmahon-squares-4x6").puzzle)["green"] == "#009e73"  # a mark named after a colour has that colour


def test_a_square_that_marks_and_a_colour_cover_has_no_name():
    sides = [[1, 2, "h"], [2, 1, "v"], [1, 1, "h"], [1, 1, "v"]]
    marks = [{"at": side, "on": [1, 1], "mark": "s"} for side in sides]
    tile = {"atoms": [[1, 1]], "marks": marks, "colours": {"red": [[1, 1]]}}
    head = {"title": "c", "grid": "square-marks", "flips": False, "marks": {"s": {"kind": "self"}}, "colours": {"red": []}}
    built = build_instance(load(head | {"tiles": {"A": tile}, "form": {"box": [1, 1]}}))
    assert solution_svg(built, [0]).startswith("<svg")
    assert puzzle_svg(built).startswith("<svg")


def touching(built, row):
    """Pairs of placements whose faces share a side, or whose edges share an end, by their exact vertices."""
    grid = built.puzzle.grid
    faces = []
    for option in row:
        for *cell, a in built.placements[option].atoms:
            if grid.atoms[a].kind == grid.main_kind:
                faces.append((option, {tuple(c + x for c, x in zip(cell, v, strict=True)) for v in grid.atoms[a].vertices}))
    side = 1 if grid.main_kind == "edge" else grid.dimension
    return {(i, j) for (i, one), (j, other) in combinations(faces, 2) if i != j and len(one & other) >= side}


@pytest.mark.full
@given(puzzles(flat=False))
@settings(max_examples=tries(30))
def test_neighbours_differ_in_random_puzzles(table):
    try:
        instance = load(table)
    except puzzlesat.PuzzleError:
        return
    puzzle = instance.puzzle
    if puzzle.grid.of_balls or puzzle.form.wrap is not None:  # vertices alone do not show contacts on these forms
        return
    built = laid(instance)
    row = position_in(built)
    colour = dict(zip(row, solution_colours(built, row), strict=True))
    assert all(colour[a] != colour[b] for a, b in touching(built, row))
    base = tile_colours(puzzle)
    # a tile keeps its colour unless a copy of it is adjacent, or noses of both meet at a point
    beside = {o for pair in touching(built, row) for o in pair}
    if puzzle.grid.name != "square-slots":
        assert all(colour[o] == base[built.placements[o].tile] for o in row if o not in beside)
    svg = solution_svg(built, row)
    ElementTree.fromstring(svg)
    assert all(colour[o] in svg for o in row)


def dominoes(copies, **form):
    tiles = {"D": {"picture": "##", "copies": copies}}
    return build_instance(load({"title": "D", "grid": "square", "flips": True, "tiles": tiles, "form": form}))


def test_neighbours_across_a_seam_differ():
    built = dominoes("any", box=[4, 1], wrap=[{"move": [4, 0]}])
    for row in solutions(built, "backtrack", Limits()):
        first, second = solution_colours(built, row)
        assert first != second
    across = next(i for i, p in enumerate(built.placements) if {a[0] for a in p.atoms} == {1, 4})
    drawing = placement_drawing(built, across)
    assert len(loops_of(drawing.area)) == len(drawing.labels) == 2


@pytest.mark.full
@every("name", ["soma", "bedlam"])
def test_a_solution_in_space(name):
    built = build_instance(puzzlesat.load(name))
    board = canvas(built.puzzle)
    (row,) = solutions(built, "backtrack", Limits(solutions=1))
    texts = [t.text for t in ElementTree.fromstring(solution_svg(built, row)).iter("{http://www.w3.org/2000/svg}text")]
    assert [t for t in texts if t.startswith("layer")] == [f"layer {i + 1}" for i in range(len(board.shifts))]
    boxes = [(x, y, x + board.frame[0], y + board.frame[1]) for x, y in board.corners_of_layers.values()]
    assert all(a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1] for a, b in combinations(boxes, 2))


def test_atoms_that_may_stay_empty_are_marked():
    built = dominoes(1, box=[3, 1], optional=[[3, 1]])
    dashed = re.findall(r'<path d="([^"]*)"[^>]*stroke-dasharray', form_svg(built))
    assert [len(loops_of(d)) for d in dashed] == [1]


def test_names_keep_off_the_colours_of_atoms():
    """The middle of a coloured face shows the colour: the name is beside it, or on another face."""
    red = {"colours": {"red": [[1, 1]]}}
    tiles = {"A": {"atoms": [[1, 1]]} | red, "BC": {"atoms": [[1, 1], [2, 1]]} | red}
    head = {"title": "C", "grid": "square", "flips": False, "colours": {"red": ["red"]}}
    built = build_instance(load(head | {"tiles": tiles, "form": {"box": [3, 1]}}))
    for option in range(len(built.placements)):
        drawing = placement_drawing(built, option)
        (spot,), (label,) = loops_of(drawing.marks[0].area), drawing.labels
        assert label.radius > 5
        assert min(np.hypot(x - label.x, y - label.y) for x, y in spot) > label.radius - 0.5
        middle = np.mean(spot, axis=0)
        assert np.hypot(*(middle - (label.x, label.y))) > np.hypot(*(middle - spot[0]))  # not inside


@every("name", GRIDS, fast=("cube",))
def test_what_lies_far_away_looks_the_same(name):
    """Coordinates may be a thousand million, where floats have no digits left."""
    grid = load_grid(next(f for f in data_files("grids") if f.stem == name))
    looks = []
    for corner in ((0, 0, 0), (10**9 - 9, -(10**9), 123_456_789)):
        cells = [[a + c for a, c in zip(cell, corner, strict=False)] for cell in np.ndindex((2, 2, 1)[: grid.dimension])]
        faces = [[*cell, a.name][: len(cell) + (len(grid.atoms) > 1)] for cell in cells for a in grid.atoms if a.kind == grid.main_kind]
        tiles = {"A": {"atoms": faces[:2]}, "B": {"atoms": faces[2:]}}
        rules = {"title": "T", "grid": name, "flips": False, "turns": "none"}
        built = build_instance(load({**rules, "tiles": tiles, "form": {"atoms": faces}}))
        (row,) = solutions(built, "backtrack", Limits())
        svgs = [solution_svg(built, row), form_svg(built), tile_picture(built.puzzle, 0).body]
        page = Drawings.of(built).as_json(built, row)
        for named in (*page["atoms"], *page["placements"]):
            named["name"] = ""
        looks.append([re.sub("<title>.*?</title>", "", text) for text in (*svgs, json.dumps(page))])
    for near, far in zip(*looks, strict=True):
        assert near.replace("L", "\nL").split("\n") == far.replace("L", "\nL").split("\n")


def test_faces_that_share_half_a_side_are_one_part_with_one_name():
    """Bricks in a wall: the middle of a long side is a vertex in the file, but not a corner of the drawing."""
    built = build_instance(puzzlesat.load(Path(__file__).parents[2] / "docs" / "cookbook" / "own-grid.toml"))
    assert {len(placement_drawing(built, o).labels) for o in range(len(built.placements))} == {1}


def size_of(image):
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", image[16:24])


def blank(width, height, body=""):
    return Picture(width - 24, height - 24, body).document("t")


def test_size():
    assert size_of(png(form_svg(build_instance(puzzlesat.load("dominoes-4x4")))))
    assert size_of(png(blank(300, 200))) == (300 * TIMES, 200 * TIMES)
    assert size_of(png(blank(300, 200), 150)) == (150, 100)
    assert max(size_of(png(blank(20000, 100)))) == max(size_of(png(blank(100, 20000)))) == WIDEST


def test_letters_come_with_the_package():
    from resvg_py import svg_to_bytes

    font = str(files("puzzlesat.pictures") / "fonts" / "DejaVuSans-subset.ttf")

    def drawn(words, **fonts):
        return bytes(svg_to_bytes(svg_string=blank(200, 60, text(90, 18, words, 16.0)), skip_system_fonts=True, **fonts))

    empty = drawn("")
    assert drawn("A") == empty
    letters = "AZaz09äßéŁ×–−+.@"
    assert len({drawn(letter, font_files=[font]) for letter in letters + "日"}) == len(letters) + 1


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
    """The atom of the form at a side, and the one beyond it."""
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
    """Layers that a seam joins are named below each other; a seam that climbs leads to the layer above; a form without seams has none."""
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
    """On a Möbius strip of 2 x 2 the domino at the left end is seen again at the right one, upside down."""
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
