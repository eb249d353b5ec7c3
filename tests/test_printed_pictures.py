"""Pictures as text: what is printed can be pasted into a file, and both readers read it; grids without pictures are counted too."""

import pytest

import puzzlesat
from helpers import load
from puzzlesat.base import Limits, data_folder
from puzzlesat.counting import read_twice, solutions
from puzzlesat.designing.trial import plain_picture
from puzzlesat.pictures.text_pictures import SolutionPictures, TextCanvas, picture
from puzzlesat.playing.position import blank_picture
from puzzlesat.puzzles import build_instance, load_grid, parse_picture
from tiers import every

PRINTED = ["dominoes-4x4", "pentominoes-3x20", "soma", "tetrahexes-flower-1", "octogram", "domino-and-square-3x2", "bedlam"]
"""A form of each kind: rows of squares, layers of cubes, hexagons, with holes."""


def alike(table):
    built = build_instance(load(table))
    reading = read_twice(built)
    assert (reading.differences, reading.why) == ((), None)
    return built


def as_form(text, built):
    """The atoms of a puzzle as a form, filled with other tiles and given by a picture."""
    return alike({"title": "T", "grid": built.puzzle.grid.name, "flips": True, "generate": [{"free": 1}], "form": {"picture": text}})


def squared(text):
    """The picture with dots at the ends of short rows, because the rows of a form must be equally long."""
    width = max(map(len, text.splitlines()))
    return "\n".join(line.ljust(width, ".") if line else line for line in text.rstrip("\n").split("\n"))


@every("name", PRINTED, fast=("domino-and-square-3x2",))
def test_what_is_printed_of_a_form_or_a_solution_is_that_form(name):
    built = build_instance(puzzlesat.load(name))
    form, grid = built.puzzle.form, built.puzzle.grid
    texts = [plain_picture(grid, form.atoms), picture(grid, dict.fromkeys(form.atoms, 0)).plain]
    if TextCanvas.of(built).scale == 1:
        texts.append(blank_picture(built))
    (solution,) = puzzlesat.solve(name, limit=1)
    if not form.optional:
        texts.append("\n".join(str(solution).split("\n")[: texts[0].count("\n")]))
    assert len(texts) >= 3
    for text in texts:
        assert as_form(squared(text), built).puzzle.form.atoms == form.atoms, text


def test_a_dot_of_a_form_is_an_atom_and_one_of_a_tile_is_none():
    table = {
        "title": "T",
        "grid": "square",
        "flips": True,
        "tiles": {"L": {"picture": "A·\nAA"}, "I": {"picture": "·I·"}, "D": {"picture": "··\nDD"}},
        "form": {"picture": "A·B\n···"},
    }
    puzzle = alike(table).puzzle
    assert {tile.name: len(tile.atoms) for tile in puzzle.tiles} == {"L": 3, "I": 1, "D": 2}
    assert len(puzzle.form.atoms) == 6
    assert puzzlesat.count(load(table), solver="backtrack").counts.all == 12


# grids without pictures ------------------------------------------------------------------------------------------------------

SQUARES = {
    "name": "own",
    "title": "Squares",
    "gram": [[1, 0], [0, 1]],
    "atoms": [{"name": "f", "vertices": [[0, 0], [1, 0], [1, 1], [0, 1]]}],
}
TRIANGLES = {
    "name": "own",
    "title": "Triangles",
    "gram": [[2, 1], [1, 2]],
    "atoms": [{"name": "up", "vertices": [[0, 0], [1, 0], [0, 1]]}, {"name": "down", "vertices": [[1, 0], [1, 1], [0, 1]]}],
}
DIAMONDS = {
    "title": "Diamonds",
    "grid": TRIANGLES,
    "flips": True,
    "generate": [{"free": 2, "copies": 4}],
    "form": {"atoms": [[x, y, name] for x in (1, 2) for y in (1, 2) for name in ("up", "down")]},
}


def test_a_cell_with_one_face_is_a_character():
    own = {"title": "T", "grid": SQUARES, "flips": True, "tiles": {"D": {"picture": "DD", "copies": 8}}, "form": {"picture": "····\n" * 4}}
    built = alike(own)
    assert puzzlesat.count(load(own), solver="backtrack").counts.distinct == 9
    assert blank_picture(built) == "····\n" * 4


def test_faces_are_drawn_without_what_is_between_them():
    sides = [{"name": "s", "kind": "edge", "role": "mark", "vertices": [[0, 0], [1, 0]]},
             {"name": "w", "kind": "edge", "role": "mark", "vertices": [[0, 0], [0, 1]]}]  # fmt: skip
    grid = SQUARES | {"atoms": [*SQUARES["atoms"], *sides]}
    own = {"title": "T", "grid": grid, "flips": True, "tiles": {"D": {"picture": "##", "copies": 2}}, "form": {"picture": "##\n##"}}
    assert alike(own).puzzle.form.atoms == {(x, y, 0) for x in (1, 2) for y in (1, 2)}


def test_a_cell_with_two_faces_is_counted_without_pictures():
    built = alike(DIAMONDS)
    assert puzzlesat.count(load(DIAMONDS), solver="backtrack").counts.all == 1
    (solution,) = puzzlesat.solve(load(DIAMONDS))
    assert all(name in str(solution) for name in solution.names)
    assert puzzlesat.draw(solution).startswith("<svg")
    for ask in (lambda: blank_picture(built), lambda: puzzlesat.hint(load(DIAMONDS), "AA\nBB\n")):
        with pytest.raises(puzzlesat.PuzzleError, match="the key 'picture' of the grid is missing; add it, or name the placements"):
            ask()


# solutions and forms as text -------------------------------------------------------------------------------------------------


@pytest.mark.full
@every("name", ["tritetratan", "soma-steps", "tetrahexes-flower-2", "lozenges-hexagon-2", "absolut-knifflig", "bits-and-bytes-optimized"])
def test_plain_and_coloured_pictures_are_the_same(name):
    built = build_instance(puzzlesat.load(name))
    pictures = SolutionPictures(built)
    rows = list(solutions(built, "backtrack", Limits(solutions=5)))
    assert rows
    for row in rows:
        plain = pictures.plain(row)
        if name == "tritetratan":  # in colours two pieces share a square; without, each atom has a character of its own
            assert len(plain.splitlines()) == 3 * len(pictures.text(row).plain.splitlines()) == 18
            continue
        assert plain == pictures.text(row).plain
        first = plain.splitlines()[0]
        assert len(first) <= pictures.canvas.columns


@every(
    ("name", "text"),
    [("square", "██\n█░"), ("hexagon", " ⬢\n⬢ ⬡"), ("triangle", "▲▽\n▼▲"), ("tans", "█░\n◤◥"), ("cube", "█.\n..\n█░\n\n..\n..\n░.")],
)
def test_optional_atoms_and_empty_rows_are_drawn_as_they_are_read(name, text):
    grid = load_grid(data_folder("grids") / f"{name}.toml")
    drawn = parse_picture(grid, text)
    shown = picture(grid, dict.fromkeys(drawn.atoms, 0), optional=drawn.optional).plain
    assert shown == text + "\n"
