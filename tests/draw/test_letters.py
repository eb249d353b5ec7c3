"""Letters of pieces, pictures of weights, and colours that files give to tiles."""

import re
from collections import Counter
from itertools import combinations
from xml.etree import ElementTree

import pytest

import puzzlesat
from helpers import load
from puzzlesat.base.package import data_files
from puzzlesat.counting.second_reading import read_twice
from puzzlesat.designing.tile_set import digest
from puzzlesat.pictures import WeightedForm, board_as_json, solution_svg
from puzzlesat.pictures.palette import APART, SHADES, TILES, distance, shade, tile_colours, touching
from puzzlesat.pictures.text_pictures import ALPHABET, SolutionPictures, folded, legend_entries, piece_letters
from puzzlesat.puzzles import ModelFile, atom_order, build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.reading import read_file
from tiers import every


def board(tiles):
    """Return a board with tiles of these names and copies. Their shapes differ, because equal tiles would be copies of one."""
    tables = {name: {"atoms": [[1, 1], [2 + i, 1]], "copies": copies, "turns": "none"} for i, (name, copies) in enumerate(tiles.items())}
    form = {"box": [6, 6], "optional": "all"}
    return build_instance(load({"title": "T", "grid": "square", "flips": True, "tiles": tables, "form": form}))


def placed(built, names):
    """Return a placement of each named tile; overlaps do not matter for letters."""
    seen = {}
    options = []
    for name in names:
        number = [t.name for t in built.puzzle.tiles].index(name)
        all_ = [o for o, p in enumerate(built.placements) if p.tile == number]
        seen[name] = seen.get(name, -1) + 1
        options.append(all_[seen[name]])
    return options


@every(
    "tiles, pieces, letters, explained",
    [
        ({"F": 1, "I": 1}, "F I", "FI", ""),
        ({"F": 2, "I": 1}, "F I F", "FIf", "f"),
        ({"F": 3, "I": 1}, "F I F F", "FIfA", "fA"),
        ({"f": 1, "F": 2}, "f F F", "fFA", "A"),  # the name of the other tile is never reused
        ({"I2": 1, "O4": 1}, "I2 O4", "IO", "IO"),
        ({"card1": 1, "card2": 1}, "card2 card1", "AB", "AB"),
        ({"A": 1, "Ab": 1}, "Ab A", "BA", "B"),  # a full name takes precedence over a first letter
        ({"+": 1, "-": 1}, "+ -", "AB", "AB"),
        ({"猫": 1, "犬": 1}, "猫 犬", "AB", "AB"),  # both are twice as wide as a letter
        ({"ß": 2, "I": 1}, "ß ß I", "ßAI", "A"),  # its capital is two letters
        ({"7": 2, "I": 1}, "7 7", "7A", "A"),
    ],
)
def test_the_rule(tiles, pieces, letters, explained):
    built = board(tiles)
    options = placed(built, pieces.split())
    found = piece_letters(built, options)
    assert "".join(found) == letters
    entries = legend_entries(built, options, found)
    assert "".join(entry[0] for entry in entries) == explained
    names = dict(zip(found, (built.problem.options[o] for o in options), strict=True))
    assert entries == [f"{c} {names[c]}" for c in explained]


def test_a_tile_has_the_same_letter_in_every_picture():
    built = board({"long": 1, "short": 1, "L": 1, "I": 1})
    for pieces in ("long short", "short", "L long", "I short L"):
        found = dict(zip(pieces.split(), piece_letters(built, placed(built, pieces.split())), strict=True))
        assert found.get("short", "s") == "s"
        assert found.get("L", "L") == "L"
        assert found.get("long", "l") == "l"  # L and l are different letters


def test_more_pieces_than_letters():
    table = {"title": "T", "grid": "square", "flips": True, "tiles": {"D": {"picture": "##", "copies": 200}}, "form": {"box": [20, 20]}}
    built = build_instance(load(table))
    options = [o for o, p in enumerate(built.placements) if p.atoms[0][1] == p.atoms[1][1] and min(a[0] for a in p.atoms) % 2]
    assert len(options) == 200
    letters = piece_letters(built, options)
    assert len(set(letters)) == len(ALPHABET)
    assert letters.count("D") == 1
    pairs = touching(built, options)
    assert len(pairs) > 300
    assert all(letters[i] != letters[j] for i, j in pairs)
    assert len(legend_entries(built, options, letters)) == 199


def test_lines_are_folded_between_words():
    words = ["solution 1", *(f"card{i}.1@1.1" for i in range(9))]
    for width in (20, 40, 80):
        lines = folded(words, width, indent="  ").splitlines()
        assert max(map(len, lines)) <= width
        assert [line[:2] for line in lines[1:]] == ["  "] * (len(lines) - 1)
        assert " ".join(lines).split() == " ".join(words).split()
    assert folded(words, None) == "  ".join(words) + "\n"
    assert folded(["x" * 50, "y"], 20) == "x" * 50 + "\ny\n"
    assert folded([], 20) == ""


SVG = "{http://www.w3.org/2000/svg}"


def built_of(name):
    return build_instance(load_instance(name).puzzle)


def elements(svg, tag):
    return ElementTree.fromstring(svg).findall(f"{SVG}{tag}")


def points_of(polygon):
    return [tuple(map(float, p.split(","))) for p in polygon.get("points").split()]


def test_text_of_a_chessboard():
    built = built_of("tetrominoes-4x5")
    text = WeightedForm(built, [sum(a[:-1]) % 2 for a in sorted(built.puzzle.form.atoms, key=atom_order)]).text()
    assert text.plain == "10101\n01010\n10101\n01010\n 0  10 atoms    1  10 atoms\n"
    styles = {text.plain[s.start : s.end]: str(s.style) for s in text.spans}
    assert styles["0"].split(" on ")[1] != styles["1"].split(" on ")[1]


def test_signs_for_one_and_minus_one_letters_for_more():
    built = built_of("tetrominoes-2x10")
    assert WeightedForm(built, [1, -1, 0, 0, 0] * 4).text().plain.splitlines()[0] == "+−···+−···"
    assert "weighs −1, 4 atoms" in WeightedForm(built, [1, -1, 0, 0, 0] * 4).text().plain
    lines = WeightedForm(built, [-12, 7, 7, 7, 7] * 4, 30).text().plain.splitlines()
    assert lines[0] == "abbbbabbbb"
    assert lines[-1] == " a  weighs −12, 4 atoms    b  weighs 7, 16 atoms   sums modulo 30"


@every("name", ["tetrominoes-4x5", "tan-triangles-3x3", "triangles-of-four-6x3", "bee-tetrahexes-triangle-7", "t-tetracubes-3x3x4"], fast=2)
def test_svg_shows_each_atom_once_with_its_weight(name):
    built = built_of(name)
    weights = [(i * i) % 3 - 1 for i in range(len(built.puzzle.form.atoms))]
    svg = WeightedForm(built, weights, 5).svg("a <title>")
    polygons = elements(svg, "polygon")
    assert len(polygons) == len(weights)
    assert len({tuple(sorted(points_of(p))) for p in polygons}) == len(weights)
    labels = [t for t in elements(svg, "text") if re.fullmatch(r"−?\d+", t.text)]
    assert Counter(t.text.replace("−", "-") for t in labels[: len(weights)]) == Counter(map(str, weights))
    fills = [p.get("fill") for p in polygons]
    assert len({*zip(fills, weights, strict=True)}) == len(set(weights)) == len(set(fills))
    root = ElementTree.fromstring(svg)
    corners = [p for polygon in polygons for p in points_of(polygon)]
    assert all(0 <= x <= float(root.get("width")) and 0 <= y <= float(root.get("height")) for x, y in corners)
    # each label is inside its own polygon
    for polygon, label in zip(polygons, labels, strict=False):
        xs, ys = zip(*points_of(polygon), strict=True)
        assert min(xs) < float(label.get("x")) < max(xs)
        assert min(ys) < float(label.get("y")) < max(ys)
    texts = [t.text for t in elements(svg, "text")]
    assert "a <title>" in texts
    assert "sums modulo 5" in texts
    assert [t for t in texts if "atom" in t] == [f"{n} atoms" for _, n in sorted(Counter(weights).items())]


COLOURED = [path.stem for path in data_files("models") if any(tile.colour for tile in read_file(ModelFile, path).tiles.values())]


def bar(**more):
    """An instance with three tiles in a row of six squares; ``more`` has further keys for the tables of tiles."""
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
