"""The files of ``puzzlesat site`` in a real browser: from disk, from a plain server, and without a network."""

from __future__ import annotations

import json
import re
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from draw.browser import IN_A_BROWSER
from puzzlesat import __version__
from puzzlesat.config.library import find_instance
from puzzlesat.cover.instance import build_instance
from puzzlesat.draw.page.board import board_as_json
from puzzlesat.play.picture import read_position
from puzzlesat.puzzle.load import load_instance
from puzzlesat.site.cover import cover_as_json
from puzzlesat.site.writing import write_site
from puzzlesat.solvers.run import Limits

people = pytest.importorskip("people", reason="pages are not tried: playwright is not installed (pip install 'puzzlesat[test]')")
pytestmark = IN_A_BROWSER

PAGES = Path(__file__).parents[2] / "src" / "puzzlesat"
AXE = Path(__file__).parents[2] / "build" / "node" / "node_modules" / "axe-core" / "axe.min.js"
ACCESSIBLE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "rules": {"label-content-name-mismatch": {"enabled": False}}}
SMALL, CARDS = "domino-and-square-3x2", "absolut-knifflig"
STUCK = ["F.3@4.1", "I.1@1.7", "L.1@1.1"]
"""Three pieces of the Octogram that cannot be finished; without the second there are 71 ways."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A site of five puzzles, and the page of one of them."""
    folder = tmp_path_factory.mktemp("site")
    write_site(folder, [SMALL, "octogram", "kanoodle", "soma", CARDS], Limits(), version=__version__)
    write_site(folder / "one", ["soma"], Limits(), version=__version__)
    return folder


@pytest.fixture(scope="module")
def served(folder):
    """The address of the site on a server that knows of nothing but files."""
    quiet = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def visitor(browser):
    """Make people who look at a page; none of these may stumble over a mistake of ours, or ask for what is not of the site."""
    made = []

    def meet(address, **how):
        one = people.Person(browser, address, **how)
        one.called = []
        one.page.on("request", lambda request: one.called.append(request.url))
        made.append(one)
        return one

    yield meet
    for one in made:
        one.context.close()
    assert [mistake for one in made for mistake in one.mistakes] == []
    assert [url for one in made for url in one.called if not url.startswith((one.address.rpartition("/")[0], "blob:", "data:"))] == []


def test_from_disk_people_find_and_play_a_puzzle(visitor, folder):
    one = visitor((folder / "index.html").as_uri()).opens()
    one.page.locator(".puzzle svg").first.wait_for()
    assert one.page.locator(".puzzle").count() == 5
    one.page.get_by_role("searchbox").fill("domino")
    one.page.get_by_role("button", name="A domino and the square tetromino").click()
    one.waits_for_ways("2")
    one.presses("Hint")
    one.sees("Which piece?")
    assert [name for name in ("Proof", "Save as …") if one.page.get_by_text(name, exact=True).count()] == []
    one.page.locator(".more-commands summary").click()
    one.sees(f"puzzlesat studio {SMALL}")
    one.presses("Count")
    one.sees("One engine counted this in your browser.")
    assert one.page.locator(".known .number").all_inner_texts() == ["1", "2"]
    assert one.state() == {"view": "play", "name": SMALL}


def test_the_page_of_one_puzzle_is_in_the_language_of_the_visitor(visitor, folder):
    one = visitor((folder / "one" / "soma.html").as_uri(), language="de-DE").opens()
    one.waits_for_ways("11.520")
    assert one.page.title() == "Der Somawürfel · puzzlesat"
    assert one.page.locator("[data-tile]").count() == 7
    assert one.page.locator("#views button").all_inner_texts() == ["Spielen", "Lösungen"]
    one.presses("Tipp")
    one.sees("Welches Teil?")
    assert [url for url in one.called if not url.startswith("blob:")] == [one.address]  # the page, and its own worker


@pytest.mark.full
def test_a_position_that_cannot_be_finished(visitor, served):
    one = visitor(served).opens_puzzle("octogram", position=STUCK)
    one.sees("Take back one of these to go on")
    one.page.get_by_role("button", name="Take back I").first.click()
    one.waits_for_ways("71")
    assert one.position() == [STUCK[0], STUCK[2]]


@pytest.mark.full
@pytest.mark.parametrize("where", ["index.html", "one/soma.html"])
def test_a_hostile_link_does_nothing(visitor, folder, where):
    states = [
        {"view": "play", "name": "../../secret"},
        {"view": "play", "name": "__proto__"},
        {"view": "play", "name": "constructor", "position": ["<img src=x onerror=alert(1)>"]},
    ]
    drawn = {"view": "play", "puzzle": {"name": "x", "table": {"title": "<script>alert(1)</script>"}}}
    address = (folder / where).as_uri()
    for state in states:
        one = visitor(address)
        one.page.on("dialog", lambda _: pytest.fail("a script of the link was run"))
        one.opens(people.link(address, state))
        one.sees("This page does not have the puzzle of that link.")
        one.page.locator(".puzzle, .board-table").first.wait_for()
    one = visitor(address)
    one.page.on("dialog", lambda _: pytest.fail("a script of the link was run"))
    one.opens(people.link(address, drawn))
    one.sees("This page does not have the " + ("grid or the set of pieces" if where == "index.html" else "puzzle of that link."))
    strange = visitor(address).opens(people.link(address, {"view": "play", "name": "soma", "position": ["<b>", "V.1@9.9.9"]}))
    strange.waits_for_ways("11,520")  # what is no placement is not laid


@pytest.mark.full
def test_without_a_network_what_was_kept_can_be_played(visitor, served):
    one = visitor(served).opens()
    one.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    one.context.set_offline(True)
    one.page.reload()
    one.page.locator(".puzzle svg").first.wait_for()
    for name, ways in (("soma", "11,520"), (SMALL, "2")):
        one.opens_puzzle(name)
        one.page.reload()
        one.waits_for_ways(ways)


@pytest.mark.full
def test_a_large_site_keeps_what_was_opened(visitor, served, folder):
    keeper = folder / "sw.js"
    text = keeper.read_text(encoding="utf-8")
    first, _, rest = text.partition("\n")
    names = [name for name in json.loads("[" + first.split("FIRST = [")[1].rstrip(";")) if not name.startswith("puzzles/")]
    keeper.write_text(f'const VERSION = "large", FIRST = {json.dumps(names)};\n{rest}', encoding="utf-8")
    try:
        one = visitor(served).opens()
        one.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
        one.page.reload()
        one.opens_puzzle("soma")
        one.waits_for_ways("11,520")
        one.context.set_offline(True)
        one.page.reload()
        one.waits_for_ways("11,520")
        one.opens_puzzle(SMALL)
        one.sees("This puzzle cannot be loaded.")
    finally:
        keeper.write_text(text, encoding="utf-8")


@pytest.mark.full
@pytest.mark.parametrize("name", [SMALL, "octogram", "soma", CARDS])
def test_what_is_unpacked_is_what_was_packed(visitor, folder, name):
    one = visitor((folder / "index.html").as_uri()).opens_puzzle(name)
    one.ways()
    got = one.page.evaluate(
        """name => { const { modules, puzzles } = globalThis.puzzlesat, { unpacked, whole } = modules["unpacking.js"];
             return unpacked(puzzles[name]).then(whole).then(({ board, cover }) => ({ board, cover })); }""",
        name,
    )
    built = build_instance(load_instance(find_instance(name)))
    assert got["board"]["placements"] == board_as_json(built)["placements"]
    assert got["cover"] == cover_as_json(built.problem, built.first_rule_item)


def looks(one, name, **state):
    """Open the solutions of a puzzle, and wait until the first is there."""
    one.opens(people.link(one.address, {"view": "solutions", "name": name, **state}))
    one.page.locator('.thumbnail[aria-current="true"] svg').first.wait_for(state="attached")
    return one


def drawn(one):
    return sorted(one.page.locator(".solution-stage .piece").evaluate_all("all => all.map((piece) => Number(piece.dataset.p))"))


def many(one, words):
    one.page.locator(".many b", has_text=re.compile(f"^{words}$")).wait_for()


@pytest.mark.parametrize("where", ["disk", "server", "one file"])
def test_solutions_are_looked_at(visitor, folder, served, where):
    address = {"disk": (folder / "index.html").as_uri(), "server": served, "one file": (folder / "one" / "soma.html").as_uri()}[where]
    one = looks(visitor(address), "soma")
    many(one, "480")
    one.sees("One engine found them in your browser.")
    first = drawn(one)
    assert len(first) == 7
    one.presses("Next solution")
    one.page.locator('.thumbnail[aria-current="true"][aria-label="Solution 2"]').wait_for()
    assert drawn(one) != first
    one.page.locator(".walk input").fill("480")
    one.page.keyboard.press("Enter")
    one.page.locator('.thumbnail[aria-current="true"][aria-label="Solution 480"]').wait_for()
    one.presses("At random")
    one.presses("Put it on the board")
    one.page.locator(".view.play").wait_for()
    assert len(one.position()) == 7
    assert [url for url in one.called if url.endswith("draw.js")] == []


@pytest.mark.full
def test_which_solutions_are_shown(visitor, folder):
    one = looks(visitor((folder / "index.html").as_uri()), CARDS)
    many(one, "37")
    one.page.get_by_label("only one of rotations and reflections").uncheck()
    many(one, "148")
    one.page.get_by_label("looks the same after:").select_option("a turn by 180°")
    one.sees("No solution is like this.")
    one.presses("Show all solutions")
    many(one, "148")
    one.page.locator(".kept summary").click()
    one.page.locator(".kept button").first.click()
    one.sees("only solutions with one piece in this place")
    assert len(one.position()) == 1
    one.presses("Show all solutions")
    one.page.get_by_text("Away from the border:").click()
    one.page.locator(".rule-fold[open] button", has_text="card1").first.click()
    many(one, "16")
    one.sees("only solutions with card1 away from the border")


@pytest.mark.full
def test_solutions_are_taken_away(visitor, folder, tmp_path):
    one = visitor((folder / "index.html").as_uri())
    one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    looks(one, SMALL)
    for words, begins in (("Save as SVG", b"<svg"), ("Save as PNG", b"\x89PNG")):
        with one.page.expect_download() as kept:
            one.presses(words)
        kept.value.save_as(tmp_path / "picture")
        assert (tmp_path / "picture").read_bytes().startswith(begins)
    one.presses("Copy picture")
    one.sees("Picture copied")
    one.presses("Copy as text")
    one.sees("Copied")
    text = one.page.evaluate("navigator.clipboard.readText()")
    built = build_instance(load_instance(find_instance(SMALL)))
    assert len(read_position(built, text.rpartition("\n")[0]).placed) == len(read_position(built, text.splitlines()[-1]).placed) == 2
    one.page.locator(".citing summary").click()
    one.presses("Write the text")
    one.page.locator(".citing textarea").wait_for()
    said = one.page.locator(".citing textarea").input_value().splitlines()
    assert said[0].endswith(": 1 solutions; rotations and reflections count once.")
    assert said[1].startswith(f"Counted with puzzlesat {__version__} on ")
    assert said[2] == "- One engine counted this in your browser. Nothing here confirms it."
    assert said[3:5] == ["Known counts:", "- 1 solutions; rotations and reflections count once"]
    assert said[-2] == f"puzzlesat certify {SMALL} -o {SMALL}.proof"


FRAMES = """async () => {
  const gallery = document.querySelector(".gallery");
  let most = 0;
  for (let i = 0; i < 200; i++) {
    gallery.scrollTop += i < 150 ? 150 : gallery.scrollHeight / 50;
    await new Promise(requestAnimationFrame);
    most = Math.max(most, gallery.querySelectorAll(".thumbnail").length);
  }
  return [most, gallery.scrollTop + gallery.clientHeight >= gallery.scrollHeight - 1];
}"""


@pytest.mark.full
def test_the_gallery_scrolls_through_a_hundred_thousand(visitor, folder, record_property):
    one = looks(visitor((folder / "index.html").as_uri()), "octogram")
    one.page.get_by_label("only one of rotations and reflections").uncheck()
    many(one, "129,168")
    tools = one.context.new_cdp_session(one.page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})  # what the processor does, however many others want it

    def busy():
        return next(metric["value"] for metric in tools.send("Performance.getMetrics")["metrics"] if metric["name"] == "TaskDuration")

    before = busy()
    most, end = one.page.evaluate(FRAMES)
    each = 1000 * (busy() - before) / 200
    record_property("milliseconds a frame", f"{each:.1f}")
    assert most < 100 and end
    assert each < 16


@pytest.mark.full
def test_solutions_of_a_drawn_puzzle(visitor, folder):
    table = {"title": "Mine", "grid": "square", "flips": True, "tiles": {"D": {"picture": "##", "copies": "any"}}, "form": {"box": [4, 4]}}
    one = visitor((folder / "index.html").as_uri())
    one.opens(people.link(one.address, {"view": "solutions", "puzzle": {"name": "mine", "table": table}}))
    many(one, "9")
    one.page.get_by_label("only one of rotations and reflections").uncheck()
    many(one, "36")


HOSTILE = [
    {"position": ["<img src=x onerror=alert(1)>"]},
    {"position": ["V.1@9.9.9", "__proto__"], "given": ["constructor"]},
    {"n": -1, "number": 1e99, "from": "<img src=x onerror=alert(1)>", "rules": {"nothing": True, "symmetric": ["<b>"]}, "distinct": "x"},
]


@pytest.mark.full
@pytest.mark.parametrize("state", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_link_to_solutions_does_nothing(visitor, folder, state):
    one = visitor((folder / "index.html").as_uri())
    one.page.on("dialog", lambda _: pytest.fail("a script of the link was run"))
    one.opens(people.link(one.address, {"view": "solutions", "name": "soma", **state}))
    if state.get("position"):
        one.sees("is not a placement of this puzzle")
        one.presses("Show all solutions")
    many(one, "480")
    assert one.page.locator("main img").count() == 0


STATES = [
    {"view": "library"},
    *({"view": "play", "name": name} for name in ("octogram", "soma", CARDS)),
    {"view": "solutions", "name": "soma"},
]


@pytest.mark.full
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("state", STATES, ids=lambda state: "-".join(state.values()))
def test_views_of_a_site_are_accessible_and_as_wide_as_the_screen(visitor, folder, state, dark):
    one = visitor((folder / "index.html").as_uri(), lenient=True, dark=dark)
    for width in (360, 820, 1440):
        one.page.set_viewport_size({"width": width, "height": 800})
        one.opens(people.link(one.address, state))
        one.page.locator(".puzzle svg, .ways:not(.busy) b, .thumbnail svg").first.wait_for()
        one.settles()
        assert one.page.evaluate("document.documentElement.scrollWidth") <= width
        if AXE.is_file():
            one.page.add_script_tag(path=str(AXE))
            said = "asked => axe.run(asked).then(({ violations }) => violations.map(({ id, help, nodes }) => [id, help, nodes[0].html]))"
            assert one.page.evaluate(said, ACCESSIBLE) == []
    if not AXE.is_file():
        pytest.skip("axe-core is not there (npm install --prefix build/node axe-core)")


HIDDEN = """() => {
  const list = document.querySelector(".tray-pieces"), room = list.getBoundingClientRect();
  const more = list.matches(".more-after, .more-before");
  const hidden = ({ left, right, bottom }) => bottom > innerHeight || ((left < room.left - 1 || right > room.right + 1) && !more);
  const pieces = [...document.querySelectorAll(".tray-piece:not(.used)")];
  return pieces.filter((piece) => hidden(piece.getBoundingClientRect())).map((piece) => piece.ariaLabel);
}"""


@pytest.mark.full
@pytest.mark.parametrize("name", ["octogram", "kanoodle", "soma"])
def test_a_phone_shows_each_piece_or_that_there_are_more(visitor, folder, name):
    one = visitor((folder / "index.html").as_uri(), lenient=True)
    one.page.set_viewport_size({"width": 360, "height": 640})
    one.opens(people.link(one.address, {"view": "play", "name": name}))
    one.ways()
    assert one.page.locator(".tray-piece:not(.used)").count() >= 7
    assert one.page.evaluate(HIDDEN) == []


SIGNS = {
    "site.js": ("library", "#view:empty"),
    "pictures/soma.js": ("library", ".picture.waits:empty"),
    "puzzles/soma.js": ("soma", ".view:empty"),
    "space.js": ("soma", ".view:empty"),
}


@pytest.mark.full
@pytest.mark.parametrize("late", SIGNS)
def test_what_is_waited_for_shows_that_something_works(visitor, served, late):
    """A file that never comes: by the sign of its place, which then is not white."""
    name, sign = SIGNS[late]
    one = visitor(served, lenient=True)
    one.page.context.route(f"**/{late}", lambda route: None)
    one.page.goto(
        people.link(one.address, {"view": "library"} if name == "library" else {"view": "play", "name": name}), wait_until="commit"
    )
    one.page.locator(sign).first.wait_for(state="attached")
    one.page.wait_for_function("sign => getComputedStyle(document.querySelector(sign), '::before').visibility === 'visible'", arg=sign)


@pytest.mark.full
def test_what_is_known_is_said_in_german(visitor, folder):
    one = visitor((folder / "index.html").as_uri(), language="de-DE").opens_puzzle("octogram")
    one.ways()
    one.sees("16146 Lösungen bis auf die 8 Symmetrien des Bretts")
    assert one.page.locator(".known [lang]").count() == 0
    one.opens_puzzle(SMALL).ways()
    assert one.page.locator(".known [lang=en]").count() == one.page.locator(".known [lang]").count()


def test_the_two_engines_of_the_page_have_the_same_interface():
    exports = []
    for place in ("studio", "site"):
        text = (PAGES / place / "page" / "engine.js").read_text(encoding="utf-8")
        again = [name.split(" as ")[-1] for some in re.findall(r"^export \{ (.+) \} from", text, re.M) for name in some.split(", ")]
        exports.append({*re.findall(r"^export (?:async )?(?:const|function) (\w+)", text, re.M), *again})
    assert exports[0] == exports[1]


@pytest.mark.parametrize("texts", ["site", "drawn"])
def test_texts_of_the_site_are_in_both_languages(texts):
    found = [(PAGES / "site" / "page" / "texts" / f"{texts}-{code}.js").read_text(encoding="utf-8") for code in ("en", "de")]
    english, german = (re.findall(r"^  (\w+): ", text, re.M) for text in found)
    assert english == german
