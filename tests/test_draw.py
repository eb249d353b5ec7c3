"""Pictures of solutions and of forms, as text."""

import pytest

import puzzlesat
from puzzlesat.base.limits import Limits
from puzzlesat.counting.listing import solutions
from puzzlesat.pictures.text_pictures import SolutionPictures, picture
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.grids import load_grid
from puzzlesat.puzzles.package import data_folder
from puzzlesat.puzzles.text_pictures import parse_picture
from tiers import every


@pytest.mark.full
@every(
    "name",
    [
        "dominoes-8x8",
        "tritetratan",
        "soma-steps",
        "tetrahexes-flower-2",
        "lozenges-hexagon-2",
        "absolut-knifflig",
        "bits-and-bytes-optimized",
        "pentominoes-6x10",
    ],
    fast=("tritetratan", "lozenges-hexagon-2"),
)
def test_plain_and_coloured_pictures_are_the_same(name):
    built = build_instance(puzzlesat.load(name))
    pictures = SolutionPictures(built)
    rows = list(solutions(built, "backtrack", Limits(solutions=5)))
    assert rows
    for row in rows:
        plain = pictures.plain(row)
        if name == "tritetratan":  # in the coloured picture two pieces share a square; without colours each atom has its own character
            assert len(plain.splitlines()) == 3 * len(pictures.text(row).plain.splitlines()) == 18
            continue
        assert plain == pictures.text(row).plain
        first = plain.splitlines()[0]
        assert len(first) <= pictures.canvas.columns


@every("name", ["dominoes-8x8", "t-tetrominoes-8x8", "conway-packing"], fast=("dominoes-8x8",))
def test_copies_that_touch_have_letters_of_their_own(name):
    built = build_instance(puzzlesat.load(name))
    (row,) = solutions(built, "backtrack", Limits(solutions=1))
    text = SolutionPictures(built).plain(row)
    rows = [line for line in text.splitlines() if "@" not in line]
    letters = set("".join(rows)) - {"."}
    assert len(letters) == len(row)
    # one of them has the letter of its tile's name; the legend explains the others
    known = [o for o in row if built.puzzle.tiles[built.placements[o].tile].name in letters]
    explained = [o for o in row if text.count(built.problem.options[o]) == 1]
    assert len(explained) >= len(row) - len({built.placements[o].tile for o in known})


@every(
    ("name", "text"),
    [("square", "██\n█░"), ("hexagon", " ⬢\n⬢ ⬡"), ("triangle", "▲▽\n▼▲"), ("tans", "█░\n◤◥"), ("cube", "█.\n..\n█░\n\n..\n..\n░.")],
)
def test_optional_atoms_and_empty_rows_are_drawn_as_they_are_read(name, text):
    grid = load_grid(data_folder("grids") / f"{name}.toml")
    drawn = parse_picture(grid, text)
    shown = picture(grid, dict.fromkeys(drawn.atoms, 0), optional=drawn.optional).plain
    assert shown == text + "\n"
