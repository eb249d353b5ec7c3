"""Hostile files and links: a site, a page of challenges and a report show their texts, but run nothing."""

import json

import people
import pytest

from draw.browser import IN_A_BROWSER
from draw.reports import contents_of
from puzzlesat.base import Limits, PuzzleError
from puzzlesat.pages import Sheet, sheet_html, sheet_svg, write_site
from puzzlesat.pages.report import page as report_page
from puzzlesat.playing.challenge import Wish, challenges
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from tiers import every

pytestmark = IN_A_BROWSER

SCRIPT = "</script><script>window.bad = 1; alert(1)</script><img src=x onerror='window.bad = 2'>"
QUOTES = """"'`><svg onload="window.bad = 3"></svg> ${window.bad = 4} $title <!--"""
ADDRESS = "javascript:alert(document.domain)"
TILE, OTHER = (
    """</script><script>window["bad"]=5</script><img/src=x/onerror=window["bad"]=6>""",
    """"'`><svg/onload=window["bad"]=7>${window["bad"]=8}<!--""",
)
FILES = {
    "script": {"title": SCRIPT, "source": SCRIPT, "tiles": [TILE, "</style><b>"], "mark": SCRIPT},
    "quotes": {
        "title": f"{QUOTES}\n\r<script>",
        "source": f"{ADDRESS} http://bad.test/x.js",
        "tiles": [OTHER, "javascript:alert(1)"],
        "mark": QUOTES,
    },
    "long": {
        "title": "<b>" * 3000,
        "source": "a\u2028b\u202e\\" + "x" * 5000,
        "tiles": ["<i>" * 300, "&#60;b&#62;"],
        "mark": "\u202e" + "m" * 999,
    },
}
LINKS = [
    {"view": SCRIPT, "name": "script"},
    {"view": "play", "name": SCRIPT},
    {"view": "play", "name": "__proto__"},
    {"view": "constructor", "name": "constructor"},
    {"view": "play", "name": ADDRESS, "position": [ADDRESS]},
    {"view": "play", "name": "script", "position": [SCRIPT, "A.1@1.1", 7, None, {"__proto__": {"bad": 1}}]},
    {"view": "play", "name": "script", "position": SCRIPT, "given": SCRIPT},
    {"view": "play", "puzzle": {"name": SCRIPT, "table": {"title": SCRIPT, "grid": ADDRESS}}},
    {"view": "solutions", "name": "script", "nth": SCRIPT, "filter": {"__proto__": SCRIPT}},
    {"view": ["play"], "name": ["script"], "language": SCRIPT},
    {"view": "solutions", "name": "script", "position": [SCRIPT, "__proto__"], "given": ["constructor"]},
    {"view": "solutions", "name": "script", "n": -1, "number": 1e99, "from": SCRIPT, "rules": {"nothing": True, "symmetric": ["<b>"]}},
]


def block(width):
    return [[x, y] for x in range(1, width + 1) for y in (1, 2)]


def file_of(folder, name, *, title, source, tiles, mark):
    """Write a puzzle of two blocks that fill a rectangle, with arbitrary names."""
    text = [f"title = {json.dumps(title)}", f"source = {json.dumps(source)}", 'grid = "square"', "flips = true"]
    for tile, width in zip(tiles, (2, 3), strict=True):
        text += [
            f"[tiles.{json.dumps(tile)}]",
            f"atoms = {block(width)}",
            'colour = "#ff0000"',
            f"colours = {{ {json.dumps(mark)} = {block(width)} }}",
        ]
    text += ["[colours]", f"{json.dumps(mark)} = [{json.dumps(mark)}]"]
    text += ["[form]", "box = [5, 2]", f"colours = {{ {json.dumps(mark)} = {block(5)} }}"]
    path = folder / f"{name}.toml"
    path.write_text("\n".join(text), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A site, and pages of challenges and reports, made from the hostile files."""
    folder = tmp_path_factory.mktemp("hostile")
    files = [file_of(folder, name, **what) for name, what in FILES.items()]
    write_site(folder / "site", files, Limits())
    made = {"site": folder / "site" / "index.html"}
    for path in files:
        write_site(folder / path.stem, [path], Limits())
        made[f"one {path.stem}"] = folder / path.stem / f"{path.stem}.html"
        built = build_instance(load_instance(str(path)))
        sheet = Sheet(built, challenges(built, 1, Wish(1), 0, Limits()), 1, 0)
        contents = contents_of(built.instance, 10)
        for kind, text in (("sheet", sheet_html(sheet)), ("report", report_page(contents)), ("drawn", sheet_svg(sheet)[0])):
            made[f"{kind} {path.stem}"] = folder / f"{path.stem}-{kind}.{'svg' if kind == 'drawn' else 'html'}"
            made[f"{kind} {path.stem}"].write_text(text, encoding="utf-8")
    return made


BAD = """[window.bad ?? ({}).bad ?? null,
  ...[...document.querySelectorAll('img, iframe, a[href^=javascript]')].map((node) => node.outerHTML)].filter((one) => one !== null)"""


@pytest.fixture
def visitor(meet):
    """Make people whose pages may show no dialog, run nothing of a file, and request nothing."""
    heard, met = [], []

    def visits(path):
        one = meet(path.as_uri())
        one.page.on("dialog", lambda dialog: (heard.append(dialog.message), dialog.dismiss()))
        one.page.on("request", lambda asked: heard.append(asked.url) if not asked.url.startswith(("file:", "blob:", "data:")) else None)
        one.page.on("popup", lambda other: heard.append(other.url))
        met.append(one)
        return one

    yield visits
    assert heard + [bad for one in met for bad in one.page.evaluate(BAD)] == []


@pytest.mark.full
@every("name", FILES)
def test_a_hostile_file_is_shown_as_text(visitor, pages, name):
    title = FILES[name]["title"]
    site = visitor(pages[f"one {name}"]).opens()
    site.waits_for_ways("[0-9]+")
    assert title.split()[0] in site.page.title()
    site.presses("Show me a solution")
    site.sees("Finished!")
    sheet = visitor(pages[f"sheet {name}"]).opens()
    sheet.page.locator(".playable .board-ways:not(:empty)").first.wait_for()
    assert title.split()[0] in sheet.page.locator("h1").inner_text()
    report = visitor(pages[f"report {name}"]).opens()
    report.page.locator("h1").wait_for()
    assert title.split()[0] in report.page.locator("h1").inner_text()
    visitor(pages[f"drawn {name}"]).opens().page.locator("svg").first.wait_for()


@pytest.mark.slow
@every("kind", ["site", "one script", "sheet script", "report script"])
def test_a_hostile_link_leads_nowhere(visitor, pages, kind):
    one = visitor(pages[kind])
    for link in LINKS:
        one.opens("about:blank").opens(people.link(one.address, link))
        one.page.locator(".puzzle, .board-table, main h1, h1").first.wait_for()
        assert one.page.evaluate(BAD) == [], link


@every("name", ["A\r\nB", "A\u2028B", "A B"])
def test_names_of_tiles_have_no_line_ends(tmp_path, name):
    with pytest.raises(PuzzleError, match="name cannot have a blank"):
        load_instance(str(file_of(tmp_path, "lines", **{**FILES["quotes"], "tiles": [name, "C"]})))
