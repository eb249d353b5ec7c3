"""Modules of the page in node: puzzles found by typed words, and known counts in German; their types, checked by TypeScript."""

import json
import shutil
import subprocess
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest

from helpers import in_node, needs_node
from puzzlesat.pages.studio import open as library
from tiers import every

FINDING = Path(library.__file__).parent / "page" / "finding.js"
TYPED = ["kanodle", "Lonpos", "lonpso", "Ubongo", "ubogno", "Schildkröte", "schildkroete", "calender", "iqpuzzler", "Somawürfel", "ZZZZZZ",
         "pentomnio 6x10", "bedlm cube", "x"]  # fmt: skip
pytestmark = [pytest.mark.full, needs_node]


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
    return in_node(script, {"entries": library.entries(), "typed": TYPED})[0]


@every(
    "typed, name, meant, like",
    [
        ("kanodle", "kanoodle", "kanoodle", ""),
        ("Lonpos", "kanoodle", "", ""),
        ("lonpso", "kanoodle", "lonpos", ""),
        ("iqpuzzler", "iq-puzzler-pro", "", ""),
        ("calender", "puzzle-a-day", "calendar", ""),
        ("Somawürfel", "soma", "", ""),
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


def test_a_puzzle_that_is_not_there_has_some_that_are_like_it_and_nonsense_has_none():
    for typed, meant in (("Ubongo", ""), ("ubogno", "ubongo")):
        hits, understood, like = found()[0][typed]
        assert hits and (understood, like) == (meant, "Ubongo")
    assert found()[0]["ZZZZZZ"] == [[], "", ""]
    assert found()[0]["x"][1:] == ["", ""], "one letter is not corrected"
    assert found()[1] == [1, 1, 1, 3], "letters that change places are one error"


SAID = {
    "2,339 solutions up to turning and mirroring the form": ("2.339 Lösungen bis auf Drehungen und Spiegelungen der Form", None),
    "no solution (Polyform Puzzler)": ("keine Lösung (Polyform Puzzler)", None),
    "ours: backtracking and the tally agree": ("eigene Zählung: Backtracking und die Zähltabelle sind sich einig", None),
    "all: OEIS A377309 (J. Propp)": ("alle: OEIS A377309 (J. Propp)", None),
    "every covering of the 6 x 6 board leaves at least one fault line": (None, "en"),
    "overall": (None, "en"),
}


def test_what_is_known_is_said_in_german_or_marked_as_english():
    module = files("puzzlesat.pages.studio").joinpath("page/known.js").read_text(encoding="utf-8")
    ask = "console.log(JSON.stringify(said.map((words) => [inLanguage(words, 'de'), inLanguage(words, 'en')])))"
    script = f"{module}\nconst said = {json.dumps(list(SAID))};\n{ask}"
    for (english, (german, lang)), (mine, others) in zip(SAID.items(), in_node(script)[0], strict=True):
        assert mine == {"words": german or english, "lang": lang}
        assert others == {"words": english, "lang": None}


ROOT = Path(__file__).parents[2]
PLACES = [ROOT / "build" / "node" / "node_modules" / "typescript" / "bin" / "tsc", ROOT / "node_modules" / "typescript" / "bin" / "tsc"]


def compiler():
    """Return the command that checks types; None without TypeScript."""
    node = shutil.which("node")
    own = next((file for file in PLACES if file.is_file()), None)
    if node and own:
        return [node, str(own)]
    found = shutil.which("tsc")
    return [found] if found else None


def test_types_of_the_page():
    command = compiler()
    if command is None:
        pytest.skip("types of the page are left out: TypeScript is not there (nox -s page installs it)")
    found = subprocess.run(
        [*command, "-p", "src/puzzlesat/pages/studio/page/jsconfig.json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.stdout == ""
    assert found.returncode == 0
