# ruff: noqa: E501 - steps are lines of script
"""The sheet of forms and the page of a study: self-contained, whatever the names; sorted and searched in a real browser."""

import json
import re
import zlib
from base64 import b64decode, b64encode
from dataclasses import replace
from hashlib import sha256

import pytest

from draw.browser import IN_A_BROWSER, PHONE
from puzzlesat.cli.runs import form_picture, runs_page
from puzzlesat.counting.verdict import Verdict
from puzzlesat.pages.form_sheet import FormCard, card_picture, forms_page, packed_board
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.studies.tables import PuzzleRow
from puzzlesat.studies.units import Subject
from tiers import every

HUGE = 2**70
EVIL = '</script><img src=x onerror="alert(1)">'


def cards():
    built = build_instance(load_instance("domino-and-square-3x2").puzzle)
    form, solved = card_picture(built, ()), card_picture(built, (0,))
    return [
        FormCard("many", "solvable", 6, all=2 * HUGE + 2, distinct=HUGE + 1, agree=True, symmetry=2, stars=5, form=form, solution=solved, file="many"),
        FormCard("more", "solvable", 6, all=2 * HUGE, distinct=HUGE, symmetry=4, stars=1, form=form, solution=solved, file="more"),
        FormCard(EVIL, "impossible", 7, "colouring", ("<b>Why</b>.",), symmetry=8, form=form, file="evil"),
        FormCard("one", "solvable", 6, all=4, distinct=1, agree=True, symmetry=1, stars=3, form=form, solution=solved, puzzle='title = "<one>"\n', file="one", beside=("own.toml",)),
        FormCard("open", "not decided", 9, symmetry=1, form=form, file="open"),
        FormCard("some", "solvable", 6, symmetry=1, stars=2, form=form, solution=solved, file="some"),
        FormCard("wrong", "refused", 0, sentences=("No puzzle.",), file="wrong"),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def sheet():
    return forms_page("A <sheet>", cards(), untried=2)


def needs_nothing(page):
    """The page is self-contained, whatever the names."""
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.S)
    assert f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none'; base-uri 'none'; form-action 'none';")
    assert re.findall(r"(?:src|href)=[\"']?(?!#)[^\"' >]*:", page.replace("src=x onerror", "")) == []
    assert "<img" not in page


def test_the_sheet_needs_nothing_but_itself_and_holds_what_was_given(sheet):
    needs_nothing(sheet)
    assert "A &lt;sheet&gt;" in sheet
    assert "7 of 9 forms tried: 1 with one solution only, 1 with none." in sheet
    assert "<b>2</b>not tried" in sheet
    (data,) = re.findall(r'<script type="application/json" id="packed">(.*?)</script>', sheet, re.S)
    opened = [json.loads(zlib.decompress(b64decode(text), wbits=-15)) for text in json.loads(data)]
    assert [each["puzzle"] for each in opened] == [card.puzzle for card in cards()]
    assert [each["sentences"] for each in opened] == [list(card.sentences) for card in cards()]
    assert [each["form"] for each in opened] == [card.form for card in cards()]


@pytest.fixture
def shown(opened, sheet):
    return lambda address="", *, html=sheet, **how: opened(html, address, **how)


SEEN = "const seen = () => [...document.querySelectorAll('#sheet .small:nth-child(3)')].map((e) => e.textContent);"
CHOOSE = (
    SEEN
    + "const choose = (id, value) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event(id === 'text' ? 'input' : 'change')); };"
)
WAIT = "const until = async (test) => { for (let i = 0; i < 300 && !test(); i++) await new Promise((r) => setTimeout(r, 20)); return test(); };"
SORTED = [
    ("unique", ["one", "more", "many", "some", "open", "wrong"]),
    ("count", ["one", "more", "many", "open", "some", "wrong"]),  # beyond 2^53, and unknown numbers last
    ("symmetry", ["more", "many", "one", "open", "some", "wrong"]),
    ("difficulty", ["many", "one", "some", "more", "open", "wrong"]),
    ("name", ["many", "more", "one", "open", "some", "wrong"]),
]


@IN_A_BROWSER
def test_a_visit_of_a_sheet(shown):
    """A reader sorts and filters forms; the address stores the choices."""
    opened = shown()
    assert opened.do(CHOOSE + "choose('text', 'O'); return seen();") == ["one", "more", "some", "open", "wrong"]
    chosen = opened.do(CHOOSE + "choose('symmetry', '4'); return [seen(), document.getElementById('shown').textContent];")
    assert chosen == [["more"], "1 of 7"]
    assert opened.do(CHOOSE + "choose('stars', '5'); return [seen(), document.getElementById('nothing').hidden];") == [[], False]
    assert len(opened.do(CHOOSE + "document.getElementById('reset').click(); return seen();")) == 6
    assert opened.do(CHOOSE + "choose('kind', 'impossible'); return seen();") == [EVIL]
    ticked = opened.do(
        SEEN + "document.getElementById('reset').click(); document.getElementById('none').click(); return [seen(), location.hash];"
    )
    assert ticked[0] == ["one", "more", "many", "some", EVIL, "open", "wrong"]
    assert ticked[1] == "#none=1"
    opened.do("document.getElementById('reset').click();")
    for by, order in SORTED:
        assert opened.do(CHOOSE + f"choose('sort', '{by}'); return seen();") == order
    by, order = SORTED[3]
    address = opened.do(CHOOSE + f"choose('sort', '{by}'); return location.hash;")
    assert shown(address).do(SEEN + "return seen();") == order


@IN_A_BROWSER
@pytest.mark.full
def test_a_form_is_looked_at_and_kept(shown):
    opened = shown()
    said = opened.do(
        WAIT
        + """document.querySelector('#sheet button').click();
        await until(() => document.querySelector('#one-picture svg'));
        const text = (id) => document.getElementById(id).textContent;
        const before = document.querySelector('#one-picture svg').getAttribute('aria-label');
        document.getElementById('turn').click();
        await until(() => document.querySelector('#one-picture svg').getAttribute('aria-label') !== before);
        const after = document.querySelector('#one-picture svg').getAttribute('aria-label');
        let saved = null;
        HTMLAnchorElement.prototype.click = function () { saved = [this.download, this.href]; };
        const blobs = [];
        const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { blobs.push(blob); return make(blob); };
        document.getElementById('keep').click();
        await until(() => saved);
        return [text('one-name'), text('one-verdict'), before, after, saved[0], await blobs[0].text(), text('one-beside'), text('to-report'), document.getElementById('play').hidden];"""
    )
    assert said == [
        "one", "One solution", "the form", "a solution", "one.toml", 'title = "<one>"\n', "It needs own.toml in the same folder.",
        "puzzlesat report one.toml -o one.html", True,
    ]  # fmt: skip
    last = opened.do(
        WAIT
        + "document.getElementById('after').click(); await until(() => document.getElementById('one-name').textContent === 'more'); return document.getElementById('keep').disabled;"
    )
    assert last is True
    why = shown("#kind=impossible").do(
        WAIT
        + "document.querySelector('#sheet button').click(); await until(() => document.getElementById('one').open); return [...document.querySelectorAll('#one-facts li')].map((e) => e.textContent);"
    )
    assert why == ["7 cells", "8 symmetries that the rules allow", "impossible by colouring", "<b>Why</b>."]


def with_a_board():
    """A sheet with a form that has two solutions, images of each other, and a form with one of two solutions known."""
    built = build_instance(load_instance("domino-and-square-3x2"))
    rows = [[built.problem.options.index(name) for name in row] for row in (["I2.2@3.1", "O4.1@1.1"], ["I2.2@1.1", "O4.1@2.1"])]
    own = FormCard("own", "solvable", 6, all=2, distinct=1, agree=True, symmetry=4, stars=1, form=card_picture(built, ()), file="own")
    several = replace(own, name="several", distinct=2, file="several")
    boards = packed_board(built, [sorted(row) for row in rows], complete=True), packed_board(built, [sorted(rows[0])], complete=False)
    return forms_page("Played", [replace(own, board=boards[0]), replace(several, board=boards[1])])


PLAY = (
    WAIT
    + """
    const text = (id) => document.getElementById(id)?.textContent, shown = (id) => !document.getElementById(id).hidden;
    document.querySelectorAll('#sheet button')[form].click();
    await until(() => document.getElementById('one').open && shown('play'));
    document.getElementById('play').click();
    await until(() => document.querySelector('#one-board svg.table-picture'));
"""
)


@IN_A_BROWSER
@pytest.mark.full
@every(
    "form, ways, said",
    [
        (0, "2 solutions", "take something back first"),
        (1, "At least one solution", "None of the solutions on this page continues from here"),
    ],
)
def test_a_form_is_played_in_the_sheet(shown, form, ways, said):
    """A domino at a place that no known solution has: it is wrong if all solutions are known, else it may be right."""
    opened = shown(html=with_a_board())
    words = "const words = () => document.querySelector('#one-board').textContent;"
    at = opened.do(
        f"const form = {form};" + PLAY + words + f"await until(() => words().includes('{ways}')); const known = words().includes('{ways}');"
        "document.querySelector('#one-board .tray-piece').click();"
        "const { x, y } = new DOMPoint(22, 62).matrixTransform(document.querySelector('.table-picture').getScreenCTM());"
        "return [x, y, known, shown('one-both')];"
    )
    assert at[2:] == [True, False]
    opened.page.mouse.click(*at[:2])
    hint = f"document.querySelector('#one-board .tool.hint').click(); await until(() => words().includes({said!r})); return words();"
    assert said in opened.do(WAIT + words + hint)
    left = opened.do(
        "const shown = (id) => !document.getElementById(id).hidden; document.getElementById('leave').click();"
        "return [shown('one-board'), shown('one-both'), document.querySelectorAll('#one-board *').length];"
    )
    assert left == [False, True, 0]


@IN_A_BROWSER
@pytest.mark.full
@every("dark", [False, True])
def test_on_a_phone_nothing_is_broader_than_the_screen(shown, study, dark):
    opened = shown(size=PHONE, dark=dark)
    wide = "[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName)"
    assert opened.do(f"return {wide};") == []
    opened.do(WAIT + "document.querySelector('#sheet button').click(); await until(() => document.querySelector('#one-picture svg'));")
    assert opened.do(f"return {wide};") == []
    # the page of a study has only the table
    table = shown(size=PHONE, dark=dark, html=study)
    assert table.do(f"return {wide.replace('body *', 'body > *')};") == []


def row(puzzle, verdict="solvable", family="a", area=6, all=None, distinct=None, cpu=1.0, expected=()):
    return PuzzleRow(
        puzzle, Subject(name=puzzle, key=f"key of {puzzle}", table={}), family, area, verdict, "colouring" if verdict == "impossible" else None, ("<b>Why</b>.",) if verdict == "impossible" else (),
        ("D.1@1.1",) if verdict == "solvable" else (), all, distinct, all, None, ("tally",), (), 0, 0, cpu, "", expected,
    )  # fmt: skip


ROWS = [
    row("form 10", all=HUGE + 1, distinct=5, expected=(Verdict("all", 3, HUGE + 1),)),
    row("form 9", area=60, all=HUGE, distinct=50, family="b"),
    row('</script><img src=x onerror="alert(1)">', "impossible", all=0, distinct=0, area=7, cpu=0.25),
    row("open", "not decided", family="b & c", area=100, cpu=30.0),
]


@pytest.fixture(scope="module")
def study():
    built = build_instance(load_instance("domino-and-square-3x2").puzzle)
    pictures = {
        "key of form 10": form_picture(built, (0,)),
        "key of form 9": form_picture(build_instance(load_instance("soma").puzzle), ()),
    }
    return runs_page("A <study>", ROWS, pictures, 2)


def test_the_study_needs_nothing_but_itself_and_holds_the_rows(study):
    needs_nothing(study)
    assert "A &lt;study&gt;" in study
    assert "2 units of this run have answers that differ" in study
    assert study.count("<svg ") == 2
    assert "There are pictures of the first 2 puzzles alone." in study
    (data,) = re.findall(r'<script type="application/json" id="rows">(.*?)</script>', study, re.S)
    assert json.loads(data) == [json.loads(json.dumps(each.record)) for each in ROWS]


SEEN_ROWS = "const seen = () => [...document.querySelectorAll('tbody tr')].filter((r) => !r.hidden).map((r) => r.querySelector('th').firstChild.textContent);"
SORTED_ROWS = [
    ("puzzle", [2, 1, 0, 3]),
    ("area", [3, 1, 2, 0]),
    ("verdict", [2, 3, 0, 1]),
    ("all", [0, 1, 2, 3]),  # beyond 2^53, and unknown numbers last
    ("distinct", [1, 0, 2, 3]),
    ("cpu", [3, 0, 1, 2]),
]


@IN_A_BROWSER
def test_a_visit_of_a_study(shown, study):
    opened = shown(html=study)
    for heading, order in SORTED_ROWS:
        click = SEEN_ROWS + f"document.querySelector('[data-by={heading}] button').click(); return [seen(), location.hash];"
        names, address = opened.do(click)
        assert names == [ROWS[i].puzzle for i in order]
        again, _ = opened.do(click)
        unknown = [name for name in again if heading in ("all", "distinct") and name == "open"]
        assert next(name for name in again if name not in unknown) != names[0]
        assert again[-1:] == (unknown or again[-1:])
    assert shown(address, html=study).do(SEEN_ROWS + "return seen();") == names
    opened = shown(html=study)
    look = SEEN_ROWS + CHOOSE.removeprefix(SEEN)
    found = opened.do(look + "choose('text', 'FORM'); return [seen(), document.getElementById('shown').textContent];")
    assert found == [["form 10", "form 9"], "2 of 4"]
    assert opened.do(look + "choose('family', 'b'); return seen();") == ["form 9"]
    assert opened.do(look + "choose('verdict', 'impossible'); return [seen(), document.getElementById('nothing').hidden];") == [[], False]
    assert opened.do(look + "document.getElementById('reset').click(); return seen();") == [each.puzzle for each in ROWS]
    assert opened.do(look + "choose('fate', 'refuted'); return seen();") == ["form 10"]
    families = opened.do("return [...document.getElementById('family').options].map((o) => o.textContent);")
    assert families == ["all", "a (2)", "b (1)", "b & c (1)"]
