"""How the page finds puzzles by what somebody types, without asking the program."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from puzzlesat.studio import library

NODE = shutil.which("node")
FINDING = Path(library.__file__).parent / "page" / "finding.js"
TYPED = ["kanoodle", "kanodle", "Lonpos", "lonpso", "Ubongo", "ubogno", "Schildkröte", "schildkroete", "calendar", "calender", "kalender",
         "smart games", "iqpuzzler", "Somawürfel", "tetriswurfel", "ZZZZZZ", "pentomnio 6x10", "bedlm cube", "x"]  # fmt: skip
pytestmark = pytest.mark.skipif(NODE is None, reason="modules of the page are not tried: node is not installed")


@cache
def found():
    script = f"""
import {{ distance, makeFinder }} from {json.dumps(FINDING.as_uri())};
let text = ""; for await (const part of process.stdin) text += part;
const said = JSON.parse(text), find = makeFinder(said.entries, (title) => title);
const answers = Object.fromEntries(said.typed.map((words) => {{
  const {{ hits, meant, like }} = find(words);
  return [words, [hits.map((one) => one.name), meant, like]];
}}));
const pairs = [["ab", "ba"], ["soma", "som"], ["soma", "smoa"], ["kitten", "sitting"]];
console.log(JSON.stringify([answers, pairs.map(([a, b]) => distance(a, b, 3))]));
"""
    said = json.dumps({"entries": library.entries(), "typed": TYPED})
    done = subprocess.run([NODE, "--input-type=module", "-e", script], input=said, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("typed", "name", "meant", "like"),
    [
        ("kanoodle", "kanoodle", "", ""),
        ("kanodle", "kanoodle", "kanoodle", ""),
        ("Lonpos", "kanoodle", "", ""),
        ("lonpso", "kanoodle", "lonpos", ""),
        ("smart games", "iq-puzzler-pro", "", ""),
        ("iqpuzzler", "iq-puzzler-pro", "", ""),
        ("calendar", "puzzle-a-day", "", ""),
        ("calender", "puzzle-a-day", "calendar", ""),
        ("kalender", "puzzle-a-day", "", ""),
        ("Somawürfel", "soma", "", ""),
        ("tetriswurfel", "tetris-cube", "", ""),
        ("bedlm cube", "bedlam", "bedlam cube", ""),
        ("pentomnio 6x10", "pentominoes-6x10", "pentomino 6x10", ""),
        ("Schildkröte", "absolut-knifflig", "", "Schildkröte"),
        ("schildkroete", "absolut-knifflig", "schildkrote", "Schildkröte"),
    ],
)
def test_shop_names_and_typing_errors(typed, name, meant, like):
    hits, understood, instead = found()[0][typed]
    assert any(hit.startswith(name) for hit in hits), (typed, hits[:5])
    assert (understood, instead) == (meant, like)


def test_a_puzzle_that_is_not_there_has_some_that_are_like_it():
    for typed, meant in (("Ubongo", ""), ("ubogno", "ubongo")):
        hits, understood, like = found()[0][typed]
        assert hits and (understood, like) == (meant, "Ubongo")


def test_nonsense_finds_nothing_and_one_letter_is_not_corrected():
    assert found()[0]["ZZZZZZ"] == [[], "", ""]
    assert found()[0]["x"][1:] == ["", ""]


def test_letters_that_change_places_are_one_error():
    assert found()[1] == [1, 1, 1, 3]
