# ruff: noqa: E501 - steps are lines of script
"""Bodies in space in a real browser: every piece is visible; they turn, come apart, can be picked, and survive a lost context."""

import json
from base64 import b64decode, b64encode
from functools import cache

import numpy as np
import pytest

from draw.reports import contents_of
from puzzlesat.base.limits import Limits
from puzzlesat.counting.listing import solutions
from puzzlesat.pages.report import page as page_of
from puzzlesat.pages.template import text_of
from puzzlesat.pictures.canvases import canvas
from puzzlesat.pictures.palette import SHADES, shade, tile_colours
from puzzlesat.pictures.solids import solid3d_as_json
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.grid import atom_order
from puzzlesat.puzzles.load import load_instance
from tiers import every

api = pytest.importorskip("playwright.sync_api", reason="needs playwright, of the extra test")

SITE = "http://bodies.test"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'"
PAGE = """<!DOCTYPE html><html lang="en"><head><title>Bodies</title><link rel="stylesheet" href="style.css"></head>
<body><div id="root"></div><script type="module" src="start.js"></script></body></html>"""
STYLE = "body { margin: 0; background: #fff; } canvas { outline: none; } #root { width: 600px; --stage-height: 440px; }"
START = """import { shadesOf } from "./lookup.js";
import { makeSolidPieces } from "./solidview.js";
const board = await (await fetch("board.json")).json(), clicked = [], { tiles, placements: { tile, atoms } } = board;
const view = makeSolidPieces(document.getElementById("root"), board.solid, { onclick: (piece, atom) => clicked.push([piece && piece.name, atom]) });
const shades = shadesOf(board, [...tile.keys()]);
const pieces = tile.map((t, p) => ({ id: p, atoms: atoms[p], colour: shades.get(p), name: tiles[t].name }));
Object.assign(window, { board, view, clicked, pieces });
view.show(pieces);
document.body.dataset.ready = "yes";
"""


@cache
def board_of(name):
    """Return the data of a board in space as the module reads it, and its first solution."""
    built = build_instance(load_instance(name))
    puzzle = built.puzzle
    atoms = sorted(puzzle.form.atoms, key=atom_order)
    index = {a: i for i, a in enumerate(atoms)}
    placed = [built.placements[o] for o in next(iter(solutions(built, "backtrack", Limits())))]
    colours = zip(puzzle.tiles, tile_colours(puzzle), strict=True)
    return {
        "solid": solid3d_as_json(canvas(puzzle), atoms),
        "neighbours": [[index[n] for n in puzzle.form.neighbours(puzzle.grid, a)] for a in atoms],
        "tiles": [{"name": tile.name, "shades": [shade(colour, share) for share in SHADES]} for tile, colour in colours],
        "placements": {
            "tile": [p.tile for p in placed],
            "atoms": [[index[a] for a in p.atoms] for p in placed],
            "name": [p.name for p in placed],
        },
    }


@pytest.fixture
def shown(browser):
    """Open a page with the solution of a puzzle; it may load only what the studio allows."""
    contexts = []

    def go(name, *, before="", **settings):
        context = browser.new_context(viewport={"width": 700, "height": 620}, reduced_motion="reduce", **settings)
        contexts.append(context)
        page = context.new_page()
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("console", lambda said: page.problems.append(said.text) if "Content Security" in said.text else None)
        made = {"/": ("text/html", PAGE), "/start.js": ("text/javascript", START), "/style.css": ("text/css", STYLE)}
        made["/board.json"] = "application/json", json.dumps(board_of(name))
        made |= {
            f"/{module}": ("text/javascript", text_of(module))
            for module in ("solidview.js", "bodies3d.js", "bodies.js", "elements.js", "lookup.js")
        }

        def answer(route):
            kind, text = made.get(route.request.url.removeprefix(SITE), ("text/plain", ""))
            route.fulfill(body=text, content_type=kind, headers={"Content-Security-Policy": POLICY})

        page.route(f"{SITE}/**", answer)
        page.add_init_script(before)
        page.goto(f"{SITE}/")
        page.wait_for_selector("body[data-ready]")
        settle(page)
        return page

    yield go
    problems = [problem for context in contexts for page in context.pages for problem in getattr(page, "problems", [])]
    for context in contexts:
        context.close()
    assert not problems


def settle(page):
    page.evaluate("() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 250))")


def pixels(page, names=False):
    """Return the canvas as displayed, as an array (height, width, 3); without names by default."""
    page.evaluate("(names) => { document.querySelector('.stage > div').style.visibility = names ? '' : 'hidden'; }", names)
    png = b64encode(page.locator("canvas").screenshot()).decode()
    reader = page.context.new_page()
    wide, high, raw = reader.evaluate(
        """async (png) => {
          const drawn = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
          const pen = new OffscreenCanvas(drawn.width, drawn.height).getContext("2d");
          pen.drawImage(drawn, 0, 0);
          const { data } = pen.getImageData(0, 0, drawn.width, drawn.height), parts = [];
          for (let i = 0; i < data.length; i += 8192) parts.push(String.fromCharCode(...data.subarray(i, i + 8192)));
          return [drawn.width, drawn.height, btoa(parts.join(""))];
        }""",
        png,
    )
    reader.close()
    return np.frombuffer(b64decode(raw), dtype=np.uint8).reshape(high, wide, 4)[..., :3].astype(int)


def slide(page, number, value):
    """Move one of the sliders: 0 takes pieces apart, 1 chooses layers."""
    page.locator("input[type=range]").nth(number).evaluate("(e, value) => { e.value = value; e.dispatchEvent(new Event('input')); }", value)
    settle(page)


def is_of(colour, picture):
    """Return the pixels with a shade of a colour, which is mixed with white or black."""
    base, found = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]), np.zeros(picture.shape[:2], dtype=bool)
    for end in (0, 255):
        way = end - base
        share = ((picture - base) @ way) / float(way @ way)
        near = base + np.clip(share, 0, 0.5)[..., None] * way
        found |= np.abs(picture - near).max(axis=-1) <= 2.5
    return found


def colours_of(name):
    board = board_of(name)
    return {tile["name"]: tile["shades"][0] for tile in board["tiles"]}


def changed(one, other):
    """Return the share of pixels that differ."""
    return float((np.abs(one - other).max(axis=-1) > 12).mean())


def test_all_pieces_are_seen_arrows_and_drags_turn_them_and_clicks_do_not(shown):
    page = shown("soma")
    slide(page, 0, 60)
    names, picture = page.locator(".stage span:visible").all_inner_texts(), pixels(page)
    assert len(colours_of("soma")) == 7
    assert all(is_of(colour, picture).sum() > 300 for colour in colours_of("soma").values())
    assert sorted(names) == sorted(colours_of("soma"))
    slide(page, 0, 0)
    first = pixels(page)
    assert changed(picture, first) > 0.1
    page.locator("canvas").focus()
    page.keyboard.press("ArrowRight")
    settle(page)
    assert changed(first, pixels(page)) > 0.05
    for _ in range(23):  # 24 times 15 degrees
        page.keyboard.press("ArrowRight")
    settle(page)
    assert changed(first, pixels(page)) < 0.002
    page.keyboard.press("ArrowUp")
    page.keyboard.press("0")
    settle(page)
    assert changed(first, pixels(page)) == 0
    page.mouse.move(300, 220)
    page.mouse.down()
    page.mouse.move(390, 240, steps=6)
    page.mouse.up()
    settle(page)
    turned = pixels(page)
    assert changed(first, turned) > 0.05
    assert page.evaluate("clicked") == []
    page.mouse.click(300, 220)
    settle(page)
    assert changed(turned, pixels(page)) == 0
    hit = page.evaluate("(() => { const hit = view.pick(300, 220); return [hit.piece.name, hit.atom]; })()")
    assert page.evaluate("clicked") == [hit]
    page.evaluate("view.destroy()")
    assert page.locator("#root > *").count() == 0


@pytest.mark.full
def test_the_wheel_and_two_fingers_make_larger(shown):
    page = shown("soma", has_touch=True)
    covered = lambda: float((np.abs(pixels(page) - 255).max(axis=-1) > 12).mean())  # noqa: E731
    first = covered()
    page.mouse.move(300, 220)
    page.mouse.wheel(0, -300)
    settle(page)
    larger = covered()
    assert larger > 1.2 * first
    page.keyboard.press("Tab")
    page.locator("button").click()
    settle(page)
    assert covered() == pytest.approx(first)
    send = page.context.new_cdp_session(page).send

    def touch(kind, *points):
        send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]})

    touch("touchStart", (270, 220), (330, 220))
    for step in range(1, 9):
        touch("touchMove", (270 - 5 * step, 220), (330 + 5 * step, 220))
    touch("touchEnd")
    settle(page)
    assert covered() > 1.2 * first


@pytest.mark.slow
@every(
    "name, apart",
    [pytest.param(n, a, id=f"{n} {a}") for n in ("soma", "ball-room-1", "trios-2x3x3", "four-piece-tetrahedron") for a in (0, 70)],
)
def test_what_is_picked_is_what_is_painted(shown, name, apart):
    """The graphics card paints and a ray picks: at pixels of one colour, both must give the same piece."""
    page = shown(name)
    slide(page, 0, apart)
    picture, random = pixels(page), np.random.default_rng(1)
    box = page.locator("canvas").bounding_box()
    spots = random.integers(4, np.array(picture.shape[1::-1]) - 4, (400, 2))
    asked = "(spots) => spots.map(([x, y]) => { const hit = picked(x, y); return hit && [hit.piece.colour, hit.piece.atoms.includes(hit.atom)]; })"
    page.evaluate("() => { window.picked = view.pick; }")
    seen, wrong = 0, []
    for (x, y), hit in zip(spots.tolist(), page.evaluate(asked, [[x + 0.5, y + 0.5] for x, y in spots.tolist()]), strict=True):
        around = picture[y - 2 : y + 3, x - 2 : x + 3]
        if hit is None:
            wrong += [(x, y, hit)] if (around < 100).all() else []
            seen += bool((around == 255).all())
        elif is_of(hit[0], around).all():
            seen += 1
            assert hit[1]
        elif np.ptp(around.reshape(-1, 3), axis=0).max() <= 2:
            wrong.append((x, y, hit))
    assert box["width"] == picture.shape[1]
    assert not wrong
    assert seen > 250


@pytest.mark.full
def test_layers_above_and_other_pieces_are_glass(shown):
    page = shown("soma")
    whole = pixels(page)
    page.evaluate("view.single(0)")
    settle(page)
    strong = lambda picture: float((np.ptp(picture, axis=-1) > 120).mean())  # noqa: E731
    spots = [(x, y) for x in range(0, 600, 12) for y in range(0, 440, 12)]
    ids = page.evaluate("(spots) => spots.map(([x, y]) => view.pick(x, y)?.piece.id ?? -1)", spots)
    assert set(ids) == {-1, 0}  # the other pieces are transparent
    assert 0.01 < strong(pixels(page)) < 0.5 * strong(whole)
    page.evaluate("view.single(null)")
    slide(page, 1, 1)
    picture = pixels(page)
    hits = page.evaluate(
        "() => { const found = []; for (let x = 0; x < 600; x += 5) for (let y = 0; y < 440; y += 5) { const hit = view.pick(x, y); if (hit) found.push(hit.atom); } return found; }"
    )
    assert {board_of("soma")["solid"]["atoms"][a][4] for a in hits} == {0}
    assert len(set(hits)) == 9  # all of the lowest layer are visible from above
    slide(page, 1, 3)
    assert changed(picture, pixels(page)) > 0.1


@pytest.mark.full
def test_a_lost_context_comes_back(shown):
    page = shown("soma")
    slide(page, 0, 50)
    first = pixels(page)
    page.evaluate(
        """async () => {
          const canvas = document.querySelector("canvas"), lose = canvas.getContext("webgl2").getExtension("WEBGL_lose_context");
          const said = (name) => new Promise((done) => canvas.addEventListener(name, done, { once: true }));
          const lost = said("webglcontextlost"), back = said("webglcontextrestored");
          lose.loseContext();
          await lost;
          view.show(pieces); // drawn after the context is back
          await new Promise((done) => setTimeout(done, 150));
          lose.restoreContext();
          await back;
        }"""
    )
    settle(page)
    assert changed(first, pixels(page)) < 0.001


@pytest.mark.full
def test_without_webgl_pictures_stand_still(shown):
    page = shown("soma", before="HTMLCanvasElement.prototype.getContext = () => null;")
    assert page.locator("svg.body").count() == 2
    assert "WebGL2" in page.locator("#root p").inner_text()
    assert page.locator("canvas").count() == page.locator("input").count() == 0
    assert page.locator("path.edge").first.get_attribute("stroke") == "#222222"
    page.evaluate("view.single(1); view.show([]); view.destroy()")
    assert page.locator("#root > *").count() == 0


@cache
def report_of(name):
    return page_of(contents_of(load_instance(name), 100))


@pytest.mark.full
@every("webgl", [True, False])
def test_a_report_shows_its_solutions_so(browser, tmp_path, webgl):
    """A click selects a piece, and only the name under the pointer is shown, also in still pictures."""
    file = tmp_path / "report.html"
    file.write_text(report_of("ball-room-1"), encoding="utf-8")
    context = browser.new_context(viewport={"width": 1000, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    if not webgl:
        page.add_init_script(
            "const plain = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return kind === 'webgl2' ? null : plain.call(this, kind, ...more); };"
        )
    page.goto(f"{file.as_uri()}#solution=1")
    page.wait_for_selector("#one-bodies canvas" if webgl else "#one-bodies svg.body")
    settle(page)
    assert page.locator("#one-bodies canvas").count() == int(webgl)
    assert page.locator("#one-bodies svg.body").count() == (0 if webgl else 2)
    page.locator("#one-names button").first.hover()
    settle(page)
    if webgl:
        assert page.locator("#one-bodies span[style*=translate]:visible").count() == 1  # no other name is visible
    else:
        assert page.locator("#one-bodies .faint").count() > 0
    if webgl:
        page.locator("#one h2").hover()
        settle(page)
        before = page.locator("#one-title").inner_text()
        page.locator("#one-bodies canvas").focus()
        page.keyboard.press("ArrowRight")  # turns the body and does not show the next solution
        assert page.locator("#one-title").inner_text() == before
        page.keyboard.press("0")
        box = page.locator("#one-bodies canvas").bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    else:
        page.locator("#one-bodies [data-placement]").last.dispatch_event("click")
    page.wait_for_url("**exactly=**")
    assert not page.evaluate("document.getElementById('one').open")
    assert not problems
    context.close()
