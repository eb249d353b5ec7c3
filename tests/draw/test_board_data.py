"""The data of a board: moved drawings equal those of placements, steps reach all orientations, atoms and marks equal the problem's."""

import json
import re
from functools import cache

import numpy as np
import pytest

from helpers import load, one_of_each_grid
from puzzlesat.pictures.boards import board_as_json, orientation_parts
from puzzlesat.pictures.canvases import canvas
from puzzlesat.pictures.flat import placement_drawing, puzzle_svg
from puzzlesat.pictures.solids import cartesian, steps
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.placements import orientations

FEW = 120
"""Placements of a puzzle whose drawings are compared."""
NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")


@cache
def board_of(name):
    built = build_instance(load_instance(name))
    return built, json.loads(json.dumps(board_as_json(built, name=built.instance.name, title=built.instance.title)))


def places(path):
    """Return the points of a path of absolute lines, arcs and curves; other parameters of arcs are skipped."""
    found = []
    for letter, numbers in re.findall(r"([MLAQaZ])([^MLAQaZ]*)", path):
        values = [float(x) for x in NUMBERS.findall(numbers)]
        if letter in "MLA":
            found.append((letter, *values[-2:]))
        elif letter == "Q":
            found += [(letter, *values[i : i + 2]) for i in range(0, len(values), 2)]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", one_of_each_grid())
def test_the_board_of_each_grid(name):
    built, board = board_of(name)
    check_drawings(built, board)
    check_steps(board)
    check_atoms(built, board)
    assert (board["solid"] is not None) == (board["dimension"] == 3)
    if board["solid"] is not None:
        check_bodies(built, board)


def check_drawings(built, board):
    """The drawing of a placement is the moved drawing of its orientation."""
    canvas_ = canvas(built.puzzle)
    assert (board["placements"]["drawings"] is None) == (built.puzzle.form.wrap is None)
    layers = {layer["height"]: layer for layer in board["layers"]}
    found = [orientations(built.puzzle.grid, tile) for tile in built.puzzle.tiles]
    chosen = np.unique(np.linspace(0, len(built.placements) - 1, FEW).astype(int))
    for i in chosen.tolist():
        tile, which = board["placements"]["tile"][i], board["placements"]["orientation"][i]
        orientation = found[tile][which]
        assert board["placements"]["name"][i].startswith(f"{built.puzzle.tiles[tile].name}.{orientation.number}@")
        rise = 0 if board["placements"]["rise"] is None else board["placements"]["rise"][i]
        moved = []
        for height, drawing in orientation_parts(built.puzzle, canvas_, built.puzzle.tiles[tile], orientation).items():
            layer = layers[height + rise]
            x, y = board["placements"]["x"][i] + layer["x"], board["placements"]["y"][i] + layer["y"]
            paths = [drawing.area, drawing.lines, *(mark.area for mark in drawing.marks)]
            moved += [(letter, px + x, py + y) for path in paths for letter, px, py in places(path)]
        own = placement_drawing(built, i)
        wanted = [p for path in (own.area, own.lines, *(mark.area for mark in own.marks)) for p in places(path)]
        assert len(moved) == len(wanted)
        assert {(letter, round(x, 1), round(y, 1)) for letter, x, y in moved} <= near(wanted)


def near(points):
    """The points rounded to tenths of a pixel, with their neighbours, because drawings store rounded numbers."""
    tenths = (-0.1, 0.0, 0.1)
    return {(letter, round(round(x, 1) + dx, 1), round(round(y, 1) + dy, 1)) for letter, x, y in points for dx in tenths for dy in tenths}


def check_steps(board):
    """Repeated turns lead back to the start, a turn back undoes a turn, and every orientation can be reached by hand."""
    for tile in board["tiles"]:
        found, seen, todo = tile["orientations"], {0}, [0]
        for i, orientation in enumerate(found):
            assert found[orientation["turn"]]["back"] == i
            if orientation["flip"] is not None and board["dimension"] == 2:
                assert found[orientation["flip"]]["flip"] == i
        assert sorted(orientation["turn"] for orientation in found) == list(range(len(found)))
        while todo:
            here = found[todo.pop()]
            new = {here[step] for step in ("turn", "back", "flip", "mirror") if here[step] is not None} - seen
            seen |= new
            todo += new
        assert seen == set(range(len(found))), tile["name"]


def check_atoms(built, board):
    problem = built.problem
    assert [a["name"] for a in board["atoms"]] == list(problem.items[: len(board["atoms"])])
    assert board["placements"]["name"] == list(problem.options)
    for i in range(0, len(problem.options), 17):
        own = problem.item[problem.start[i] : problem.start[i + 1]]
        assert board["placements"]["atoms"][i] == [a for a in own.tolist() if a < len(board["atoms"])]
    for a, there in enumerate(board["neighbours"]):
        assert all(a in board["neighbours"][b] for b in there)
        assert a not in there


def check_bodies(built, board):
    """Bodies have the atoms of the board, their faces point outwards, and motions keep lengths."""
    for motion in built.puzzle.grid.motions:
        matrix = cartesian(built.puzzle.grid, motion)
        assert np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-9)
        assert round(float(np.linalg.det(matrix))) == (-1 if motion.mirror else 1)
    cells = np.array([a[:3] for a in board["solid"]["atoms"]])
    wanted = np.array([a[:3] for a in built.puzzle.form.numbering.atoms])
    assert len({tuple(row) for row in (cells - wanted).tolist()}) == 1
    assert [a[3] for a in board["solid"]["atoms"]] == [a[3] for a in built.puzzle.form.numbering.atoms]
    for kind in board["solid"]["kinds"]:
        corners = np.array(kind["corners"])
        middle = corners.mean(axis=0) if kind["faces"] else None
        for face, normal in kind["faces"]:
            around = corners[face]
            assert (around.mean(axis=0) - middle) @ normal > 0
            assert np.allclose((around - around[0]) @ normal, 0, atol=1e-5)
            turn = np.cross(around[1] - around[0], around[2] - around[1])
            assert turn @ normal > 0
    assert bool(board["solid"]["radius"]) == built.puzzle.grid.of_balls == (not any(kind["faces"] for kind in board["solid"]["kinds"]))


def test_a_turn_is_clockwise_and_a_flip_exchanges_left_and_right():
    built = build_instance(
        load({"title": "L", "grid": "square", "flips": True, "tiles": {"L": {"picture": "#.\n#.\n##"}}, "form": {"box": [3, 2]}})
    )
    (tile,) = built.puzzle.tiles
    found = orientations(built.puzzle.grid, tile)
    pictures = {frozenset(o.atoms): i for i, o in enumerate(found)}

    def number(*cells):
        return pictures[frozenset((x, y, 0) for x, y in cells)]

    upright = number((0, 0), (1, 0), (0, 1), (0, 2))  # the foot points right
    step = steps(built.puzzle.grid, tile, found)
    assert step[upright].turn == number((0, 0), (0, 1), (1, 1), (2, 1))  # the head points right, the foot down
    assert step[upright].flip == number((1, 0), (0, 0), (1, 1), (1, 2))


def test_cards():
    """Cards cannot be flipped, and are named by their marks clockwise from the top."""
    _, board = board_of("absolut-knifflig")
    for tile in board["tiles"]:
        assert all(o["flip"] is None and o["mirror"] is None for o in tile["orientations"]) and len(tile["orientations"]) == 4
    first = board["tiles"][0]
    assert first["words"] == "monkey −, horse −, pippi +, pippi +"
    turned = first["orientations"][first["orientations"][0]["turn"]]
    assert turned["words"] == "pippi +, monkey −, horse −, pippi +"
    assert [entry["name"] for entry in board["legend"]] == ["pippi", "monkey", "horse"]


def test_marks_may_meet_in_the_page_as_they_may_in_the_problem():
    built, board = board_of("absolut-knifflig")
    marks, problem = board["marks"], built.problem
    assert [marks["names"][m] for m in marks["mate"]] == [n[:-1] + {"+": "−", "−": "+"}[n[-1]] for n in marks["names"]]
    entries = [range(*problem.start[o : o + 2]) for o in range(problem.size)]
    colours = [{int(problem.item[e]): int(problem.colour[e]) for e in some if problem.coloured[problem.item[e]]} for some in entries]
    shown = [dict(map(tuple, some)) for some in marks["shown"]]
    agreed = wrong = 0
    for p in range(0, problem.size, 7):
        for q in range(problem.size):
            if set(board["placements"]["atoms"][p]) & set(board["placements"]["atoms"][q]):
                continue
            meets = all(marks["mate"][n] == shown[q][side] for side, n in shown[p].items() if side in shown[q])
            assert meets == all(colours[q][item] == colour for item, colour in colours[p].items() if item in colours[q])
            agreed, wrong = agreed + meets, wrong + (not meets)
    assert agreed and wrong


def test_the_legend_has_only_what_lies_on_a_tile_or_in_the_form(tmp_path):
    head = 'title = "T"\ngrid = "square"\nflips = true\n[colours]\nmonth = ["month"]\nday = ["day"]\n'
    tiles = (
        '[tiles.A]\npicture = "#"\ncolours.month = [[1, 1]]\n[tiles.B]\npicture = "#"\ncolours.day = [[1, 1]]\n[tiles.C]\npicture = "##"\n'
    )
    drawn = {}
    for name, use, form in [("date", ["C"], ""), ("months", ["A"], "colours.month = [[1, 1]]\n")]:
        (tmp_path / "kit.toml").write_text(head + tiles, encoding="utf-8")
        file = tmp_path / f"{name}.toml"
        box = [2, 1] if name == "date" else [1, 1]
        file.write_text(f'title = "T"\nmodel = "kit"\nuse = {use}\n[form]\nbox = {box}\n{form}', encoding="utf-8")
        built = build_instance(load_instance(file))
        drawn[name] = [entry["name"] for entry in board_as_json(built, name=name, title="T")["legend"]]
        assert [colour for colour in ("month", "day") if f">{colour}<" in puzzle_svg(built)] == drawn[name]
    assert drawn == {"date": [], "months": ["month"]}
