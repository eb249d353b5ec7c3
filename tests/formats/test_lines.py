"""Puzzles as JSON lines: they are the same puzzles as the instances, and errors give a line or a name."""

import json
from contextlib import suppress

import pytest

from puzzlesat.base.errors import NotSupportedError, PuzzleError
from puzzlesat.base.package import data_files
from puzzlesat.designing.tile_set import digest
from puzzlesat.formats.lines import are_puzzles, puzzle_lines
from puzzlesat.formats.puzzles import Foreign, folded, holds_solutions, instance_in, instances_in, read_tables, tables_in
from puzzlesat.puzzles.load import load_instance
from tiers import every

HEAD = {"format": "puzzlesat puzzles", "version": 1}
BARS = {"grid": "square", "flips": True, "tiles": {"I": {"picture": "###"}, "D": {"picture": "##", "copies": 3}}}
FOUR = {"grid": "square", "flips": False, "generate": [{"one_sided": 4}]}
BOX = {"name": "a", "model": "bars", "form": {"box": [3, 3]}}


@pytest.fixture
def put(tmp_path):
    def write(*lines, name="some.jsonl"):
        path = tmp_path / name
        path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), encoding="utf-8")
        return path

    return write


def said(path):
    with pytest.raises(PuzzleError) as error:
        instances_in(path)
    assert all(problem.startswith(f"{path}: ") for problem in error.value.problems)
    return " | ".join(problem.removeprefix(f"{path}: ") for problem in error.value.problems)


@pytest.mark.full
def test_every_instance_of_the_package_comes_back_from_a_line(tmp_path):
    """One file has hundreds of puzzles: all that can be sent on their own."""
    wanted = {}
    for file in data_files("instances"):
        with suppress(NotSupportedError):
            wanted[file.stem] = folded(str(file))[1]
    assert len(wanted) > 250
    path = tmp_path / "all.jsonl"
    path.write_text("".join(f"{line}\n" for line in puzzle_lines(Foreign(*one) for one in wanted.items())), encoding="utf-8")
    assert {one.name: one.table for one in read_tables(path)} == wanted


@every("name", ["tritetratan", "pentominoes-6x10", "dominoes-4x4", "asterix-knobelei", "soma"], fast=("dominoes-4x4", "soma"))
def test_a_line_is_the_same_puzzle_as_the_instance(put, name):
    own, table = folded(name)
    (one,) = instances_in(put(HEAD, {"name": own, **table}))
    meant = load_instance(name)
    assert (digest(one.puzzle), one.name, one.title, one.expect) == (digest(meant.puzzle), meant.name, meant.title, meant.expect)


def test_models_of_the_first_line(put):
    path = put(
        HEAD | {"source": "me", "models": {"bars": BARS, "four": FOUR}},
        BOX,
        "",
        {
            "name": "b",
            "model": "bars",
            "title": "B",
            "source": "you",
            "tiles": {"D": {"copies": 6}, "O": {"picture": "#"}},
            "form": {"box": [4, 4]},
        },
        {"name": "c", "model": "four", "use": ["I", "O"], "flips": True, "form": {"box": [2, 4]}},
        {"name": "d", "model": "four", "tiles": {"I": {"copies": [0, 2]}}, "form": {"box": [4, 6]}},
        {"name": "e", "model": "tetrominoes", "form": {"box": [4, 5]}},
    )
    found = {one.name: one for one in instances_in(path)}
    assert [(one.title, one.source) for one in found.values()][:2] == [("a", "me"), ("B", "you")]
    assert [{tile.name: (tile.low, tile.high) for tile in one.puzzle.tiles} for one in found.values()][:3] == [
        {"I": (1, 1), "D": (3, 3)},
        {"I": (1, 1), "D": (6, 6), "O": (1, 1)},
        {"I": (1, 1), "O": (1, 1)},
    ]
    assert {tile.name: (tile.low, tile.high) for tile in found["d"].puzzle.tiles}["I"] == (0, 2)
    assert len(found["d"].puzzle.tiles) == 7
    assert found["c"].puzzle.mirrored_same and not found["d"].puzzle.mirrored_same
    assert len(found["e"].puzzle.tiles) == 5
    assert [name for name, _, _ in tables_in(path, "d")] == [name for name, _, _ in tables_in(path, 4)] == ["d"]
    assert instance_in(path, "b").title == "B"


def test_names_with_a_family(put):
    lines = ({"name": name, "model": "dominoes", "form": {"box": [2, 2]}} for name in ("x/a", "x/b", "y/a"))
    path = put(HEAD, *lines)
    assert [tables_in(path, name)[0][0] for name in ("x/a", "b", "y/a", 2)] == ["x/a", "x/b", "y/a", "x/b"]
    with pytest.raises(PuzzleError, match="there is no problem 'a'; there are x/a, y/a"):
        tables_in(path, "a")
    with pytest.raises(PuzzleError, match="there is no problem 'bb'; did you mean 'b'"):
        tables_in(path, "bb")


def test_a_model_of_the_first_line_comes_before_that_of_a_file(put):
    path = put(HEAD | {"models": {"pentominoes": BARS}}, BOX | {"model": "pentominoes"})
    assert {tile.name for tile in instance_in(path).puzzle.tiles} == {"I", "D"}


def test_models_and_grids_beside_the_file(put, tmp_path):
    (tmp_path / "mine.toml").write_text(
        'title = "M"\ngrid = "square"\nflips = true\n[tiles.D]\npicture = "##"\ncopies = "any"\n', encoding="utf-8"
    )
    assert [tile.name for tile in instance_in(put(HEAD, BOX | {"model": "mine"})).puzzle.tiles] == ["D"]


WRONG = [
    ((), "not puzzles as JSON lines: the first line must be"),
    (({"number": 1, "instance": "soma", "placements": []},), "'puzzlesat convert' reads files of solutions"),
    ((HEAD | {"version": 2}, BOX), "line 1: version 2; this puzzlesat reads version 1"),
    ((HEAD | {"modles": {}}, BOX), "line 1: unknown key 'modles'; did you mean 'models'?"),
    ((HEAD | {"title": 1}, BOX), "line 1: title: expected a string"),
    ((HEAD | {"models": []}, BOX), "models: expected an object of models"),
    ((HEAD | {"models": {"bars": {"grid": "square", "flip": True, "tiles": {"I": {"picture": "#"}}}}}, BOX), "models.bars: "),
    (
        (HEAD | {"models": {"bars": BARS | {"grid": "squares"}}}, BOX),
        "models.bars: grid: there is no grid 'squares'; did you mean 'square'?",
    ),
    ((HEAD,), "there is no puzzle below the first line"),
    ((HEAD, "", "[1]"), "line 3: expected a JSON object"),
    ((HEAD, BOX | {"model": "dominoes"}, "{"), "line 3: not JSON"),
    ((HEAD, '{"name": "a", "model": "dominoes", "form": {"box": [2, 2]}, "form": {"box": [2, 3]}}'), "'form' is written twice"),
    ((HEAD, {"model": "dominoes", "form": {"box": [2, 2]}}), "line 2: it has no name"),
    ((HEAD, BOX | {"name": "../a"}), "line 2: name: '../a' is not a name"),
    ((HEAD, BOX | {"name": 7}), "line 2: name: 7 is not a name"),
    ((HEAD, BOX | {"model": "dominoes"}, "", BOX), "line 4: the puzzle of line 2 is named 'a' too"),
    ((HEAD, {"name": "a", "form": {"box": [2, 2]}}), "a: grid: this key is missing"),
    ((HEAD | {"models": {"bars": BARS}}, BOX | {"from": {}}), "a: unknown key 'from'"),
    ((HEAD | {"models": {"bars": BARS}}, BOX | {"form": {"box": [3, 0]}}), "a: form.box: number 2: "),
    ((HEAD | {"models": {"bars": BARS}}, BOX | {"form": {"picture": "?"}}), "a: form"),
    ((HEAD | {"models": {"bars": BARS}}, BOX | {"tiles": {"E": {"copies": 2}}}), "a: tiles: there is no tile 'E'"),
    ((HEAD | {"models": {"bars": BARS}}, BOX | {"tiles": {"D": {"copies": -2}}}), "a: tiles.D.copies: "),
    ((HEAD | {"models": {"bars": BARS}}, BOX | {"grid": "square"}), "a: expected either model = NAME"),
    ((HEAD | {"models": {"bars": BARS}}, BOX | {"use": ["X"]}), "a: use: there is no tile 'X'"),
]


@every("lines, words", WRONG, fast=12)
def test_what_is_wrong_is_said(put, lines, words):
    assert words in said(put(*lines))


def test_a_line_may_not_be_longer_than_a_file_of_one_puzzle(put):
    assert "line 2: 4," in said(put(HEAD, BOX | {"title": "x" * 2**22}))


def test_a_file_is_of_puzzles_by_its_first_line(put, tmp_path):
    good = put(HEAD | {"models": {"bars": BARS}}, BOX)
    assert are_puzzles(good) and not holds_solutions(good)
    good.write_bytes(b"\xef\xbb\xbf\n" + good.read_bytes().replace(b"\n", b"\r\n"))  # as some editors save it
    assert are_puzzles(good) and len(instances_in(good)) == 1
    for name in ("soma.jsonl", "nothing.jsonl", "damaged.jsonl"):
        path = put('{"number": 1, "instance": "soma", "placements": []}', name=name) if name == "soma.jsonl" else tmp_path / name
        if name == "damaged.jsonl":
            path.write_bytes(b"\xff\xfe{")
        assert not are_puzzles(path) and holds_solutions(path)
    assert not holds_solutions(tmp_path / "some.xmpuzzle")
