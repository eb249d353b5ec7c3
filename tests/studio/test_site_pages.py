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
    assert [name for name in ("Draw", "Proof", "Save as …") if one.page.get_by_text(name, exact=True).count()] == []
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
    assert one.page.locator("#views").is_hidden()
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
        {"view": "play", "puzzle": {"name": "x", "table": {"title": "<script>alert(1)</script>"}}},
    ]
    address = (folder / where).as_uri()
    for state in states:
        one = visitor(address)
        one.page.on("dialog", lambda _: pytest.fail("a script of the link was run"))
        one.opens(people.link(address, state))
        one.sees("This page does not have the puzzle of that link.")
        one.page.locator(".puzzle, .board-table").first.wait_for()
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


STATES = [{"view": "library"}, *({"view": "play", "name": name} for name in ("octogram", "soma", CARDS))]


@pytest.mark.full
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("state", STATES, ids=lambda state: "-".join(state.values()))
def test_views_of_a_site_are_accessible_and_as_wide_as_the_screen(visitor, folder, state, dark):
    one = visitor((folder / "index.html").as_uri(), lenient=True, dark=dark)
    for width in (360, 820, 1440):
        one.page.set_viewport_size({"width": width, "height": 800})
        one.opens(people.link(one.address, state))
        one.page.locator(".puzzle svg, .ways:not(.busy) b").first.wait_for()
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


def test_texts_of_the_site_are_in_both_languages():
    found = [(PAGES / "site" / "page" / "texts" / f"site-{code}.js").read_text(encoding="utf-8") for code in ("en", "de")]
    english, german = (re.findall(r"^  (\w+): ", text, re.M) for text in found)
    assert english == german
