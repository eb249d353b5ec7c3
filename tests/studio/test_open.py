"""Puzzles of the page, built and stored, and files, read."""

import json

import pytest

from puzzlesat.base.errors import PuzzleError
from puzzlesat.pages.studio import open as opened
from puzzlesat.pages.studio.open import PagePuzzle, begun, file_name, puzzle_of, tables_of_file
from puzzlesat.pages.studio.telling import Tell
from tiers import every

DOMINOES = {"title": "Dominoes", "grid": "square", "flips": True, "tiles": {"D": {"picture": "##", "copies": 3}}, "form": {"box": [3, 2]}}


def asked(name, **keys):
    return {"puzzle": {"name": name, "table": DOMINOES | keys}}


def built_puzzle(question):
    return begun(question, Tell())[0]


@pytest.fixture(autouse=True)
def nothing_kept():
    opened._kept.clear()


def test_a_puzzle_is_built_once(monkeypatch):
    first = built_puzzle(asked("a"))
    monkeypatch.setattr("puzzlesat.puzzles.build_instance", lambda *_, **__: pytest.fail("it is there"))
    assert built_puzzle(asked("a")) is first
    assert built_puzzle(json.loads(json.dumps(asked("a")))) is first
    with pytest.raises(pytest.fail.Exception):
        built_puzzle(asked("b"))
    with pytest.raises(pytest.fail.Exception):
        built_puzzle(asked("a", form={"box": [2, 3]}))


def test_those_asked_about_last_are_kept(monkeypatch):
    monkeypatch.setattr(opened, "STUDIO_KEPT", 2)
    first, second = built_puzzle(asked("a")), built_puzzle(asked("b"))
    assert built_puzzle(asked("a")) is first
    built_puzzle(asked("c"))
    assert built_puzzle(asked("a")) is first
    assert built_puzzle(asked("b")) is not second


def test_large_ones_take_the_room_of_others_but_one_is_kept(monkeypatch):
    monkeypatch.setattr(opened, "STUDIO_KEPT_PLACEMENTS", 1)
    first = built_puzzle(asked("a"))
    assert built_puzzle(asked("a")) is first
    built_puzzle(asked("b"))
    assert built_puzzle(asked("a")) is not first


def test_what_is_wrong_is_not_kept():
    for _ in range(2):
        with pytest.raises(PuzzleError, match=r"^form.fixed: "):
            built_puzzle(asked("a", form={"box": [3, 2], "fixed": ["E.1@1.1"]}))
    assert not opened._kept


@every("name", ["a", "page", "page: b", "a.b", "../x", "ä", "<b>", "x" * 100])
def test_messages_name_no_file(name):
    with pytest.raises(PuzzleError) as raised:
        built_puzzle(asked(name, form={"box": [0]}, grid="squar"))
    assert all(problem.startswith(("form", "grid")) for problem in raised.value.problems), raised.value.problems
    with pytest.raises(PuzzleError, match=r"^grid: there is no grid 'squar' in the package; did you mean 'square'\?$"):
        built_puzzle(asked(name, grid="squar"))
    built = built_puzzle(asked(name))
    assert (built.instance.name, built.instance.path) == (name, None)


@every("said", [None, [], "soma", {}, {"name": 1}, {"name": ""}, {"name": "a", "table": "x"}])
def test_what_is_no_puzzle(said):
    with pytest.raises(PuzzleError, match=r"^puzzle"):
        puzzle_of({"puzzle": said})


def test_the_file_of_the_command_line_is_meant_where_there_is_no_table():
    assert puzzle_of({"puzzle": {"name": "a"}, "named": "/x/a"}).file is not None
    assert puzzle_of({"puzzle": {"name": "a", "table": {}}, "named": "/x/a"}).file is None
    assert PagePuzzle("a").digest != PagePuzzle("a", {}).digest != PagePuzzle("b", {}).digest


@every(
    "name, file",
    [
        ("soma", "soma"),
        ("../../etc/passwd", "etc-passwd"),
        ("a b.c", "a-b-c"),
        ("", "puzzle"),
        ("..", "puzzle"),
        ("Würfel", "Würfel"),
        ("\0\n", "puzzle"),
    ],
)
def test_names_of_files(name, file):
    assert file_name(name) == file


@every("name", ["x.toml", "C:\\x.toml", "/a/b/x.toml", "../x.toml"])
def test_messages_on_files_name_the_user_s(name):
    with pytest.raises(PuzzleError) as raised:
        tables_of_file(name, 'title = "x"\nmodel = "nothing"\n[form]\nbox = [1, 1]\n')
    assert str(raised.value).removeprefix("x.toml: ").startswith("model: there is no model 'nothing'")
    assert "/tmp" not in str(raised.value)


def test_what_is_no_base64():
    with pytest.raises(PuzzleError, match=r"^x.xmpuzzle: expected the content of the file in base64$"):
        tables_of_file("x.xmpuzzle", "§", base64=True)
