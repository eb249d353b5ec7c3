"""A page unpacks in node exactly the data that the program packed; drawings agree to a tenth of a pixel."""

import json
import re
import subprocess

import numpy as np
import pytest

from helpers import needs_node
from puzzlesat.pages.site import _texts, joined
from puzzlesat.pages.site_puzzle import cover_as_json, puzzle_as_json, short_drawing
from puzzlesat.pages.template import packed
from puzzlesat.pictures.boards import board_as_json
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.library import find_instance
from puzzlesat.puzzles.load import load_instance
from tiers import every

BEGINNING = """
globalThis.location = { pathname: "/", hash: "" };
globalThis.history = { replaceState() {} };
globalThis.puzzlesat = { modules: {}, later: async (name) => globalThis.puzzlesat.modules[name] };
"""
UNPACK = """
const { unpacked, whole } = globalThis.puzzlesat.modules["unpacking.js"];
unpacked(require("fs").readFileSync(0, "utf8")).then(whole).then(({ board, cover }) => console.log(JSON.stringify({ board, cover })));
"""
NAMES = ("domino-and-square-3x2", "absolut-knifflig", "octogram", "instant-insanity", "diabolical-cube", "soma", "kanoodle-pyramid")
LARGE = ("stomachion", "pentominoes-20x3-tube", "six-piece-burr", "hex-sticks")
"""Each takes some ten seconds, for all drawings of placements are compared."""
MOVED_TWICE = re.compile(r"M([^A-Za-z ]+) ([^A-Za-z ]+)m([^A-Za-z ]+) ([^A-Za-z ]+)")
LITTLE = 0.11
"""Pixels."""


def unpacked(name):
    """Return a puzzle as node unpacks it, and as the program packed it."""
    built = build_instance(load_instance(find_instance(name)))
    script = BEGINNING + joined(["unpacking.js", "bodies.js"], _texts()) + UNPACK
    done = subprocess.run(
        ["node", "-e", script], input=packed(puzzle_as_json(built, name, "")), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    cover = cover_as_json(built.problem, built.first_rule_item)
    board = json.loads(json.dumps(board_as_json(built, name=name, title=built.instance.title)))
    return json.loads(done.stdout), {"board": board, "cover": cover}


def joined_moves(found):
    """Return a relative step to the beginning of a path as a point."""
    x, y, right, down = map(float, found.groups())
    return f"M{x + right} {y + down}"


def points(drawing):
    found, moved = [], re.findall(r"translate\(([^)]+)\)", drawing)
    shift = sum((np.array(list(map(float, one.split()))) for one in moved), np.zeros(2))
    for words in re.findall(r' d="([^"]*)"|<text x="([^"]*)" y="([^"]*)"', drawing):
        here = start = np.zeros(2)
        for command, written in re.findall(r"([A-Za-z])([^A-Za-z]*)", MOVED_TWICE.sub(joined_moves, words[0])):
            if command in "zZ":
                here = start
                continue
            step = np.array([float(number) for number in written.split()][-2:])
            here = step if command.isupper() else here + step
            start = here if command in "mM" else start
            found.append(here + shift)
        if words[1]:
            found.append(np.array([float(words[1]), float(words[2])]) + shift)
    return np.array(found).reshape(-1, 2)


def near(one, other):
    one, other = points(one), points(other)
    return one.shape == other.shape and np.abs(one - other).max(initial=0) < LITTLE


@needs_node
@every("name", NAMES, fast=1)
def test_a_puzzle_is_unpacked_as_it_was(name):
    check_unpacked(name)


@needs_node
@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_a_large_puzzle_is_unpacked_as_it_was(name):
    check_unpacked(name)


def check_unpacked(name):
    got, was = unpacked(name)
    assert got["cover"] == was["cover"]
    got, was = got["board"], was["board"]
    assert {key: got["placements"][key] for key in ("tile", "orientation", "x", "y", "rise", "atoms", "name")} == {
        key: value for key, value in was["placements"].items() if key != "drawings"
    }
    assert all(near(*both) for both in zip(got["placements"]["drawings"] or [], was["placements"]["drawings"] or [], strict=True))
    for mine, its in zip(got["atoms"], was["atoms"], strict=True):
        for key in ("name", "layer", "optional", "main"):
            assert mine[key] == its[key]
        assert mine.get("colour") == its.get("colour")
        assert near(f' d="{mine["path"]}"', f' d="{its["path"]}"')
        assert abs(mine["x"] - its["x"]) < LITTLE and abs(mine["y"] - its["y"]) < LITTLE
    assert near(got["ground"], was["ground"])
    assert got["neighbours"] == was["neighbours"]
    assert set(got) == set(was)
    if was["solid"]:
        for mine, its in zip(got["solid"]["kinds"], was["solid"]["kinds"], strict=True):
            assert np.ravel(mine.pop("span", [])) == pytest.approx(np.ravel(its.pop("span", [])), abs=1e-6)
        assert np.ravel(got["solid"].pop("axes")) == pytest.approx(np.ravel(was["solid"].pop("axes")), abs=1e-6)
        assert got["solid"] == was["solid"]
    for mine, its in zip(got["tiles"], was["tiles"], strict=True):
        assert {**mine, "orientations": 0} == {**its, "orientations": 0}
        for one, other in zip(mine["orientations"], its["orientations"], strict=True):
            assert_same_orientation(one, other)


def assert_same_orientation(one, other):
    """Compare an orientation; a page needs the middle of one of its atoms in each part."""
    for key in ("number", "words", "turn", "back", "flip", "mirror"):
        assert one[key] == other[key]
    assert one["box"] == pytest.approx(other["box"], abs=0.011)
    assert [part["height"] for part in one["parts"]] == [part["height"] for part in other["parts"]]
    assert all(near(mine["drawing"], its["drawing"]) for mine, its in zip(one["parts"], other["parts"], strict=True))
    drawn = points(one["drawing"])  # the page draws bodies with a margin of two pixels
    size = np.array(one["box"][2:])
    assert near(one["drawing"], other["drawing"]) or np.abs([drawn.min(0) - 2, drawn.max(0) - size + 2]).max() < LITTLE
    for mine, part in zip(one["atoms"], other["parts"], strict=True):
        own = [middle[:2] for middle in other["atoms"] if middle[2] == part["height"]] or [middle[:2] for middle in other["atoms"]]
        assert mine[:2] == pytest.approx(np.mean(own, axis=0), abs=1)


def test_a_shape_has_the_same_text_wherever_it_lies():
    texts = [short_drawing(f'<path d="M{x} {x}L{x + 24.43} {x}L{x + 24.43} {x + 12.21}Z"/>') for x in (0, 24.43, 48.86, 73.29)]
    assert len({text.partition("l")[2] for text in texts}) == 1
    assert texts[0] == '<path d="M0 0l24.4 0l0 12.2z"/>'
    steps = [(0.04 * i, 0.14 * i) for i in range(200)]
    drawn = 'd="M' + "L".join(f"{x:.2f} {y:.2f}" for x, y in steps) + '"'
    assert near(short_drawing(f"<path {drawn}/>"), f"<path {drawn}/>"), "errors of rounding do not add up"


def test_arcs_and_texts_move_with_their_drawing():
    drawing = '<g><path d="M12.5 7A16 16 0 1 1 5 3.25L0.5 1a2 2 0 1 0 4 0Z"/><text x="10" y="20.5" font-size="7">A</text></g>'
    moved = short_drawing(drawing, (2.5, 7))
    assert moved == '<g><path d="M10 0a16 16 0 1 1 -7.5 -3.8l-4.5 -2.2a2 2 0 1 0 4 0z"/><text x="7.5" y="13.5" font-size="7">A</text></g>'
