"""The files of ``puzzlesat site`` in a real browser: from disk, from a plain server, and without a network."""

import json
import re
from pathlib import Path

import people
import pytest

from draw.browser import IN_A_BROWSER
from puzzlesat import __version__
from puzzlesat.base.limits import Limits
from puzzlesat.pages.site import write_site
from puzzlesat.playing.position import read_position
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from tiers import every

pytestmark = IN_A_BROWSER

PAGES = Path(__file__).parents[2] / "src" / "puzzlesat" / "pages"
SMALL, CARDS = "domino-and-square-3x2", "absolut-knifflig"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A site of five puzzles, and a page with one of them."""
    folder = tmp_path_factory.mktemp("site")
    write_site(folder, [SMALL, "octogram", "kanoodle", "soma", CARDS], Limits())
    write_site(folder / "one", ["soma"], Limits())
    return folder


@pytest.fixture(scope="module")
def small_site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    write_site(folder, [SMALL, "dominoes-4x4"], Limits())
    return (folder / "index.html").as_uri()


@pytest.fixture(scope="module")
def served(folder):
    """The address of the site on a plain file server."""
    with people.serving(folder) as address:
        yield address


@pytest.fixture
def visitor(meet):
    """Return a function that opens a page as a person; the page may request only files of the site."""
    made = []

    def visits(address, **how):
        one = meet(address, **how)
        one.called = []
        one.page.on("request", lambda request: one.called.append(request.url))
        made.append(one)
        return one

    yield visits
    assert [url for one in made for url in one.called if not url.startswith((one.address.rpartition("/")[0], "blob:", "data:"))] == []


def test_from_disk_people_find_and_play_a_puzzle(visitor, small_site):
    one = visitor(small_site).opens()
    one.page.locator(".puzzle svg").first.wait_for()
    assert one.page.locator(".puzzle").count() == 2
    one.page.get_by_role("searchbox").fill("domino and square")
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


@pytest.mark.full
def test_the_page_of_one_puzzle_is_in_the_language_of_the_visitor(visitor, folder):
    one = visitor((folder / "one" / "soma.html").as_uri(), language="de-DE").opens()
    one.sees("Lösungen; gedrehte zählen einmal")
    one.waits_for_ways("11.520")
    assert one.page.title() == "Der Somawürfel · puzzlesat"
    assert one.page.locator("[data-tile]").count() == 7
    assert one.page.locator("#views button").all_inner_texts() == ["Spielen", "Lösungen"]
    one.presses("Tipp")
    one.sees("Welches Teil?")
    assert [url for url in one.called if not url.startswith("blob:")] == [one.address]  # the page; its own worker is a blob


@pytest.mark.slow
@every("where", ["index.html", "one/soma.html"])
def test_a_link_to_what_is_not_there(visitor, folder, where):
    one = visitor((folder / where).as_uri())
    one.opens(people.link(one.address, {"view": "play", "name": "../../secret"}))
    one.sees("This page does not have the puzzle of that link.")
    one.page.locator(".puzzle, .board-table").first.wait_for()
    one.opens("about:blank")
    one.opens(people.link(one.address, {"view": "play", "puzzle": {"name": "x", "table": {"title": "x"}}}))
    one.sees("This page does not have the " + ("grid or the set of pieces" if where == "index.html" else "puzzle of that link."))
    one.opens("about:blank")
    one.opens(people.link(one.address, {"view": "solutions", "name": "soma", "position": ["V.1@9.9.9", "__proto__"]}))
    one.sees("is not a placement of this puzzle")
    one.presses("Show all solutions")
    many(one, "480")


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


def looks(one, name, **state):
    """Open the solutions of a puzzle, and wait for the first."""
    one.opens(people.link(one.address, {"view": "solutions", "name": name, **state}))
    one.page.locator('.thumbnail[aria-current="true"] svg').first.wait_for(state="attached")
    return one


def drawn(one):
    return sorted(one.page.locator(".solution-stage .piece").evaluate_all("all => all.map((piece) => Number(piece.dataset.p))"))


def many(one, words):
    one.page.locator(".many b", has_text=re.compile(f"^{words}$")).wait_for()


@pytest.mark.full
@every("where", ["disk", "server", "one file"])
def test_solutions_are_looked_at(visitor, folder, served, where):
    address = {"disk": (folder / "index.html").as_uri(), "server": served, "one file": (folder / "one" / "soma.html").as_uri()}[where]
    one = looks(visitor(address), "soma")
    many(one, "480")
    one.sees("Counted in your browser, not cross-checked.")
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
def test_solutions_are_taken_away(visitor, folder):
    one = visitor((folder / "index.html").as_uri())
    one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    looks(one, SMALL)
    one.presses("Copy picture")
    one.sees("Picture copied")
    one.presses("Copy as text")
    one.sees("Copied")
    text = one.page.evaluate("navigator.clipboard.readText()")
    built = build_instance(load_instance(SMALL))
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


STATES = [
    {"view": "library"},
    *({"view": "play", "name": name} for name in ("octogram", "soma", CARDS)),
    {"view": "solutions", "name": "soma"},
]


@pytest.mark.slow
@every("dark", [False, True])
def test_views_of_a_site_are_accessible_and_as_wide_as_the_screen(visitor, folder, dark):
    one = visitor((folder / "index.html").as_uri(), lenient=True, dark=dark)
    for state in STATES:
        one.opens("about:blank")
        for width in (360, 820, 1440):
            one.page.set_viewport_size({"width": width, "height": 800})
            one.opens(people.link(one.address, state))
            one.page.locator(".puzzle svg, .ways:not(.busy) b, .thumbnail svg").first.wait_for()
            one.settles()
            assert one.page.evaluate("document.documentElement.scrollWidth") <= width, state
            one.assert_accessible()


def test_the_two_engines_of_the_page_have_the_same_interface():
    exports = []
    for place in ("studio/page", "site_page"):
        text = (PAGES / place / "engine.js").read_text(encoding="utf-8")
        again = [name.split(" as ")[-1] for some in re.findall(r"^export \{ (.+) \} from", text, re.M) for name in some.split(", ")]
        exports.append({*re.findall(r"^export (?:async )?(?:const|function) (\w+)", text, re.M), *again})
    assert exports[0] == exports[1]


SOMA = {"title": "Drawn soma", "model": "soma", "form": {"box": [3, 3, 3]}}
TORUS = {"title": "Torus", "model": "dominoes", "form": {"box": [4, 4], "wrap": [{"move": [4, 0]}]}}
BOARD = {"title": "Board", "model": "dominoes", "form": {"picture": ".#######\n" + "########\n" * 6 + "#######.\n"}}


@pytest.fixture
def drawer(meet, small_site):
    return lambda **how: meet(small_site, kind=people.Drawer, **how)


def test_six_times_ten_is_painted_by_mouse_and_counted(drawer):
    one = drawer().draws()
    one.page.get_by_role("button", name="Rectangle", exact=True).click()
    cell = 40 * one.page.evaluate("document.querySelectorAll('.board canvas')[1].getContext('2d').getTransform().a")
    one.strokes((-4.5 * cell, -2.5 * cell), (4.5 * cell, 2.5 * cell))
    one.verdict("2,339 solutions")
    one.sees("9,356 if rotations and reflections count separately")
    one.sees("One engine counted this in your browser. Nothing here confirms it.")
    assert one.state()["puzzle"]["table"]["form"] == {"box": [10, 6]}


@pytest.mark.full
def test_what_is_drawn_is_played(drawer):
    one = drawer(language="de-DE").draws(SOMA)
    one.verdict("480 Lösungen")
    one.sees("11.520, wenn gedrehte einzeln zählen")
    one.presses("Spielen")
    one.waits_for_ways("11.520")
    one.presses("Zeig mir eine Lösung")
    one.waits_until(lambda: len(one.position()) == 7)
    one.sees("Schicht 3")


@pytest.mark.full
def test_pieces_are_chosen_changed_and_drawn(drawer):
    one = drawer().draws(view="tiles")
    one.page.get_by_label("Ready-made set", exact=True).select_option(label="The five tetrominoes")
    one.sees("5 pieces cover 20 cells")
    one.page.get_by_label("Remove S", exact=True).click()
    one.sees("4 pieces cover 16 cells")
    one.page.get_by_label("Cells").fill("3")
    one.page.get_by_label("Cells").press("Tab")
    one.presses("Use these")
    one.sees("2 pieces cover 6 cells")
    one.presses("Draw the form")
    one.sees("0 of 6")


@pytest.mark.full
def test_what_the_page_cannot_lay_names_the_program(drawer):
    one = drawer().draws(TORUS)
    one.verdict("This page cannot lay a puzzle with “wrap”. The program can: start puzzlesat studio")
    one.draws(BOARD)
    one.verdict("No solution")
    one.sees("chess parity: the form needs 2, which the tiles cannot add up to; so it has no solution")
