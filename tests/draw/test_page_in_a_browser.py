# ruff: noqa: E501 - steps are lines of script
"""The page of a report in a real browser: its gallery, its addresses, and its look on a phone and in dark mode."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from draw.browser import IN_A_BROWSER, PHONE
from draw.reports import contents_of
from helpers import load
from puzzlesat.base.limits import Limits
from puzzlesat.counting.listing import solutions
from puzzlesat.pages.report import page
from puzzlesat.pictures.boards import _spots
from puzzlesat.pictures.palette import few_colours
from puzzlesat.puzzles.load import load_instance
from tiers import every

pytestmark = IN_A_BROWSER

PINWHEEL = {
    "title": "L",
    "grid": "square",
    "flips": False,
    "tiles": {"L": {"picture": "#.\n#.\n##", "copies": 2}, "I": {"picture": "####"}, "O": {"picture": "##\n##"}},
}
ONE_SIDED = PINWHEEL | {"form": {"box": [4, 4]}}
"""The form has mirrors; the rules allow none, for the mirror image of L is not in the box."""
OWN = {
    "one-sided": ONE_SIDED,
    "in three colours": PINWHEEL | {"tiles": {"I": {"picture": "##", "copies": 8}}, "form": {"box": [4, 4]}, "solutions": {"colours": 3}},
}
STEPS = """
const at = (id) => document.getElementById(id), wait = (ms = 120) => new Promise((done) => setTimeout(done, ms));
const tile = (name) => [...at("tile-buttons").children].find((b) => b.children[1].textContent === name).click();
const spot = (i) => at(`spot-${i}`).dispatchEvent(new MouseEvent("click", { bubbles: true }));
const choose = (id, value) => { at(id).value = value; at(id).dispatchEvent(new Event("change")); };
const heat = () => [...document.querySelectorAll(".spot")].map((s) => Number((/: ([\\d,]+) of/.exec(s.getAttribute("aria-label")) || [0, "-1"])[1].replaceAll(",", "")));
const until = async (holds) => { for (let i = 0; i < 100 && !holds(); i++) await wait(); };
const cards = async () => {
  const there = () => [...document.querySelectorAll(".card")];
  at("grid").scrollIntoView(); await wait(); await until(() => there().length); await wait(); return there();
};
const state = () => [decodeURIComponent(location.hash), at("matches").textContent, at("one").open ? at("one-title").textContent : null];
const settled = () => at("one").open === location.hash.includes("solution="); // the address comes to it a moment later
const after = async (act) => { const before = `${state()}`; act(); await until(() => `${state()}` !== before && settled()); await wait(); return state(); };
"""


@cache
def made(name):
    puzzle = load(OWN[name]) if name in OWN else load_instance(name).puzzle
    contents = contents_of(puzzle)
    return contents.report, page(contents)


@pytest.fixture
def shown(opened):
    return lambda name, *how, **more: opened(made(name)[1], *how, **more)


def steps(page, text):
    return page.do(STEPS + text)


PUZZLES = ["soma", "pentominoes-3x20", "dominoes-4x4", "absolut-knifflig", "one-sided"]


def lies_on(report, tile, rows):
    """Return, for each atom of the form, the number of solutions with a tile on it, sorted."""
    built = report.built
    covers = [{o for o, p in enumerate(built.placements) if p.tile == tile and atom in p.atoms} for atom in built.puzzle.form.atoms]
    return sorted(sum(bool(own & set(s)) for s in rows) for own in covers)


@pytest.mark.slow
@every("name", PUZZLES)
def test_the_heat_map_counts_images(shown, name):
    """Places used only by images of listed solutions looked impossible: all corners of the Soma cube except one."""
    report, _ = made(name)
    built, tile = report.built, report.built.puzzle.tiles[0].name
    page = shown(name)
    images, listed = steps(
        page, f'tile({tile!r}); const all = heat(); choose("images", "listed"); tile({tile!r}); tile({tile!r}); return [all, heat()];'
    )
    whole = list(solutions(built, "backtrack", Limits()))
    distinct = list(solutions(built, "backtrack", Limits(), distinct=True))
    assert len(whole) == report.counts.all > len(distinct)
    assert sorted(images) == lies_on(report, 0, whole)
    assert sorted(listed) == lies_on(report, 0, distinct)
    # the reverse: how often each tile lies on a place; each solution has one tile there
    there, numbers, spot = steps(
        shown(name),
        """
        const maps = [];
        for (const b of at("tile-buttons").children) { b.click(); maps.push(heat()); b.click(); }
        spot(0);
        const numbers = [...at("tile-buttons").children].map((b) => Number(b.lastChild.textContent.replaceAll(",", "")));
        return [maps.map((m) => m[0]), numbers, maps[0].findIndex((n) => n > 0)];
        """,
    )
    assert there == numbers
    assert sum(there) == report.counts.all
    # any image can meet a condition: each class counts once and is shown as the image that meets it; with images each, all count
    once, each, listed = steps(
        shown(name),
        f"""
        tile({tile!r}); spot({spot}); const said = [];
        for (const mode of ["once", "each", "listed"]) {{ choose("images", mode); said.push(at("matches").textContent); }}
        return said;
        """,
    )
    own = {o for o, p in enumerate(built.placements) if p.tile == 0 and _spots(built)[spot] in p.atoms}
    meeting, kept = ([s for s in rows if own & set(s)] for rows in (whole, distinct))
    classes = {min(tuple(sorted(image[list(s)].tolist())) for image in np.asarray(built.problem.images)) for s in meeting}
    assert once.startswith(f"{len(classes):,} of {report.counts.distinct:,} solution")
    assert each.startswith(f"{len(meeting):,} of {report.counts.all:,} solution")
    assert listed.startswith(f"{len(kept):,} of {report.counts.distinct:,} solution")


def test_a_visit_of_a_report(shown):
    page = shown("dominoes-4x4")
    assert steps(page, "return state();") == ["", "9 solutions", None]
    filtered = ["#place=1.1:D", "9 of 9 solutions match", None]
    assert steps(page, 'tile("D"); spot(0); return state();') == filtered
    narrow = ["#place=1.1:D&symmetry=none", "2 of 9 solutions match", None]
    assert steps(page, 'choose("symmetry", "none"); return state();') == narrow
    each = ["#place=1.1:D&symmetry=none&images=each", "16 of 36 solutions match", None]
    assert steps(page, 'choose("images", "each"); return state();') == each
    assert steps(page, "return after(() => history.back());") == narrow
    assert steps(page, "return after(() => history.back());") == filtered
    assert steps(page, "return after(() => history.forward());") == narrow
    assert steps(page, 'at("reset").click(); return state();') == ["", "9 solutions", None]
    assert steps(page, "return after(() => history.back());") == narrow
    assert steps(page, 'at("chips").querySelector("button").click(); return state();') == ["#symmetry=none", "2 of 9 solutions match", None]
    # a solution opens above the search results, and Back closes it
    steps(page, 'at("reset").click();')
    steps(page, 'tile("D"); spot(0);')
    first = ["#place=1.1:D&solution=1", "9 of 9 solutions match", "Solution 1"]
    assert steps(page, "(await cards())[0].click(); return state();") == first
    assert steps(page, 'at("after").click(); return state();') == ["#place=1.1:D&solution=2", "9 of 9 solutions match", "Solution 2"]
    assert steps(page, "return after(() => history.back());") == filtered
    assert steps(page, "(await cards())[0].click(); return state();") == first
    assert steps(page, 'return after(() => at("close").click());') == filtered
    assert steps(page, "return after(() => history.forward());") == first
    assert steps(page, "return after(() => history.back());") == filtered
    kept = steps(page, '(await cards())[0].click(); return after(() => at("one-names").querySelector("button").click());')
    assert kept[0] == "#place=1.1:D&exactly=D.1@1.1"
    assert kept[2] is None
    assert steps(page, "return after(() => history.back());") == filtered


@pytest.mark.full
@every("images", ["once", "each"])
def test_solutions_are_shown_in_few_colours(shown, images):
    """Touching dominoes of every shown solution have different colours, out of three."""
    page = shown("in three colours", f"#images={images}&solution=1")
    report = made("in three colours")[0]
    built = report.built
    atoms = {name: placement.atoms for name, placement in zip(built.problem.options, built.placements, strict=True)}
    seen = "[...document.querySelectorAll('#one-picture g[data-placement]')].map((g) => [g.querySelector('title').textContent, g.getAttribute('color')])"
    wanted = report.counts.all if images == "each" else report.counts.distinct
    assert wanted
    used = set()
    for number in range(wanted):
        pieces = steps(page, f"await wait(20); const seen = {seen}; at('after').click(); return seen;")
        assert len(pieces) == 8, number
        used |= {colour for _, colour in pieces}
        for (one, colour), (other, same) in combinations(pieces, 2):
            near = any(abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a in atoms[one] for b in atoms[other])
            assert not near or colour != same, (one, other)
    assert used <= set(few_colours(built.puzzle, 3))


@pytest.mark.full
def test_an_address_of_something_else(shown):
    page = shown("dominoes-4x4", "#place=9.9:D&solution=99&nothing")
    missing = "This page has nothing that place=9.9:D, solution=99, nothing could mean."
    assert steps(page, 'return [at("missing").textContent, ...state().slice(1)];') == [missing, "9 solutions", None]
    changed = 'const now = await after(() => (location.hash = "#solution=3")); return [at("missing").hidden, ...now];'
    assert steps(page, changed) == [True, "#solution=3", "9 solutions", "Solution 3"]
    page = shown("dominoes-4x4", "#symmetry=none&solution=1")  # which is symmetric
    assert steps(page, 'return [at("missing").textContent.trim(), state()[2]];') == ["Solution 1 does not meet all conditions.", None]


@pytest.mark.slow
@every("name", ["soma", "absolut-knifflig", "pentominoes-3x20", "dominoes-4x4"])
def test_a_report_on_a_phone(shown, name):
    """The gallery is within two screens; folded parts are open in print."""
    page = shown(name, size=PHONE)
    width, right, nav, gallery, grid, columns = steps(
        page,
        """
        const top = (e) => e.getBoundingClientRect().top + scrollY;
        await wait();
        const found = [document.documentElement.scrollWidth, Math.max(...[...document.querySelectorAll("body *")].filter((e) => !e.closest(".wide, .tray-pieces, dialog, #sheets, svg"))
          .map((e) => e.getBoundingClientRect().right)), top(document.querySelector("nav")), top(at("gallery")), top(at("grid"))];
        return [...found, new Set((await cards()).map((c) => c.getBoundingClientRect().left)).size];
        """,
    )
    assert width <= PHONE["width"]
    assert right <= PHONE["width"]
    assert nav < PHONE["height"] / 2
    assert gallery < 2 * PHONE["height"]
    assert grid + 100 < 2 * PHONE["height"]  # a row of solutions is visible
    assert columns == (1 if name == "pentominoes-3x20" else 2)
    folded = "return [...document.querySelectorAll('details')].filter((part) => !part.open).length;"
    count_ = steps(page, folded)
    assert count_ > 3
    assert steps(page, "dispatchEvent(new Event('beforeprint'));" + folded) == 0
    assert steps(page, "dispatchEvent(new Event('afterprint'));" + folded) == count_


CONTRAST = """
const lum = ([r, g, b]) => [r, g, b].map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)).reduce((s, x, i) => s + x * [0.2126, 0.7152, 0.0722][i], 0);
const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
const contrast = (a, b) => { const [x, y] = [lum(rgb(a)), lum(rgb(b))].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
const behind = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (rgb(c)[3] !== 0) return c; } return "rgb(255, 255, 255)"; };
"""


@pytest.mark.slow
@every("name", ["soma", "absolut-knifflig", "dominoes-4x4"])
def test_words_and_outlines_can_be_seen(shown, name):
    """The page follows the reader's choice of light or dark; everything outside tiles is drawn on the colour of the paper."""
    page = shown(name, "#solution=1")
    ground = CONTRAST + "const ground = () => lum(rgb(getComputedStyle(document.body).backgroundColor));"
    for dark in (False, True, False):
        page.dark(dark)
        steps(page, ground + f"await until(() => (ground() < 0.05) === {str(dark).lower()});")
        drawn = 'at("grid").style.getPropertyValue("--drawn").includes("e4e4e4")'
        assert steps(page, f"await until(() => {drawn} !== {str(dark).lower()}); return {drawn};") is not dark
        worst, paper, layers, cards_ = steps(
            page,
            CONTRAST
            + """
            const words = [...document.querySelectorAll("body *")].filter((e) => !e.closest("svg, .stage, script, style, noscript, #sheets, button:disabled")
              && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) && e.checkVisibility());
            const found = words.map((e) => [contrast(getComputedStyle(e).color, behind(e)), e.textContent.slice(0, 40), e.className]).sort((p, q) => p[0] - q[0]);
            const svgs = [...at("one-picture").querySelectorAll("svg")], paper = getComputedStyle(svgs[0]).backgroundColor;
            const layers = svgs.flatMap((svg) => [...svg.querySelectorAll("text")]).filter((t) => !t.closest("[data-placement]")).map((t) => contrast(getComputedStyle(t).fill, paper));
            const card = getComputedStyle((await cards())[0].firstChild).backgroundColor;
            return [found[0], contrast(paper, "rgb(34, 34, 34)"), layers, contrast(card, "rgb(34, 34, 34)")];
            """,
        )
        assert worst[0] >= 4.5, worst
        assert min(paper, cards_, *layers) >= 4
        assert bool(layers) == (name == "soma")
