# ruff: noqa: E501 - steps are lines of script
"""The page of a study: nothing but itself, whatever the names; sorted and searched in a real browser."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest
from browser import DESK, IN_A_BROWSER, PHONE, Page

from puzzlesat.counting.verdict import Verdict
from puzzlesat.cover.build import build
from puzzlesat.draw.page.runs import form_picture, runs_page
from puzzlesat.puzzle.load import load_puzzle
from puzzlesat.runs.table import Row, row_as_json

HUGE = 2**70


def row(puzzle, verdict="solvable", family="a", area=6, all=None, distinct=None, cpu=1.0, expected=()):
    return Row(
        puzzle, f"key of {puzzle}", family, area, verdict, "colouring" if verdict == "impossible" else None, ("<b>Why</b>.",) if verdict == "impossible" else (),
        ("D.1@1.1",) if verdict == "solvable" else (), all, distinct, all, None, ("tally",), (), 0, 0, cpu, "", expected,
    )  # fmt: skip


ROWS = [
    row("form 10", all=HUGE + 1, distinct=5, expected=(Verdict("all", 3, HUGE + 1),)),
    row("form 9", area=60, all=HUGE, distinct=50, family="b"),
    row('</script><img src=x onerror="alert(1)">', "impossible", all=0, distinct=0, area=7, cpu=0.25),
    row("open", "not decided", family="b & c", area=100, cpu=30.0),
]


@pytest.fixture(scope="module")
def page():
    built = build(load_puzzle("domino-and-square-3x2"))
    pictures = {"key of form 10": form_picture(built, (0,)), "key of form 9": form_picture(build(load_puzzle("soma")), ())}
    return runs_page("A <study>", ROWS, pictures, "1.2.3", ["2 answers < differ"])


def test_the_page_needs_nothing_but_itself(page):
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.S)
    assert f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none'; base-uri 'none'; form-action 'none';")
    assert re.findall(r"(?:src|href)=[\"']?(?!#)[^\"' >]*:", page.replace("src=x onerror", "")) == []
    assert "<img" not in page
    assert "A &lt;study&gt;" in page
    assert "2 answers &lt; differ" in page
    assert page.count("<svg ") == 2
    assert "There are pictures of the first 2 puzzles alone." in page


def test_the_page_holds_the_rows_as_they_are_documented(page):
    (data,) = re.findall(r'<script type="application/json" id="rows">(.*?)</script>', page, re.S)
    assert json.loads(data) == [json.loads(json.dumps(row_as_json(each))) for each in ROWS]


def test_pictures_in_space_are_bodies():
    assert "layer" not in form_picture(build(load_puzzle("soma")), ())


@pytest.fixture
def shown(window, tmp_path, page):
    def go(address="", size=DESK, dark=False):
        file = tmp_path / "page.html"
        file.write_text(page, encoding="utf-8")
        return Page(window, file, address, size, dark)

    return go


SEEN = "const seen = () => [...document.querySelectorAll('tbody tr')].filter((r) => !r.hidden).map((r) => r.querySelector('th').firstChild.textContent);"
SORTED = [
    ("puzzle", [2, 1, 0, 3]),
    ("area", [3, 1, 2, 0]),
    ("verdict", [2, 3, 0, 1]),
    ("all", [0, 1, 2, 3]),  # beyond 2^53, and what is not known last
    ("distinct", [1, 0, 2, 3]),
    ("cpu", [3, 0, 1, 2]),
]


@IN_A_BROWSER
@pytest.mark.parametrize(("heading", "order"), SORTED)
def test_a_click_on_a_heading_sorts(shown, heading, order):
    opened = shown()
    names = [ROWS[i].puzzle for i in order]
    got = opened.do(SEEN + f"document.querySelector('[data-by={heading}] button').click(); return [seen(), location.hash];")
    assert got[0] == names
    again = opened.do(SEEN + f"document.querySelector('[data-by={heading}] button').click(); return seen();")
    unknown = [name for name in again if heading in ("all", "distinct") and name == "open"]
    assert next(name for name in again if name not in unknown) != names[0]
    assert again[-1:] == (unknown or again[-1:])
    other = shown(got[1])
    assert other.do(SEEN + "return seen();") == names


@IN_A_BROWSER
def test_what_is_looked_for_is_left(shown):
    opened = shown()
    type_ = "const type = (id, value) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event(id === 'text' ? 'input' : 'change')); };"
    look = SEEN + type_
    assert opened.do(look + "type('text', 'FORM'); return [seen(), document.getElementById('shown').textContent];") == [
        ["form 10", "form 9"],
        "2 of 4",
    ]
    assert opened.do(look + "type('family', 'b'); return seen();") == ["form 9"]
    assert opened.do(look + "type('verdict', 'impossible'); return [seen(), document.getElementById('nothing').hidden];") == [[], False]
    assert opened.do(look + "document.getElementById('reset').click(); return seen();") == [each.puzzle for each in ROWS]
    assert opened.do(look + "type('fate', 'refuted'); return seen();") == ["form 10"]
    assert opened.do("return [...document.getElementById('family').options].map((o) => o.textContent);") == [
        "all",
        "a (2)",
        "b (1)",
        "b & c (1)",
    ]


@IN_A_BROWSER
@pytest.mark.parametrize("dark", [False, True])
def test_on_a_phone_nothing_but_the_table_is_broader_than_the_screen(shown, dark):
    opened = shown(size=PHONE, dark=dark)
    wide = (
        "[...document.querySelectorAll('body > *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName)"
    )
    assert opened.do(f"return {wide};") == []
