"""Drawing in the files of ``puzzlesat site``, in a real browser: by mouse, by keys, and on to the program by a link."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from draw.browser import IN_A_BROWSER
from puzzlesat import __version__, load
from puzzlesat.site.writing import write_site
from puzzlesat.solvers.run import Limits
from real_programs import wait_until

people = pytest.importorskip("people", reason="pages are not tried: playwright is not installed (pip install 'puzzlesat[test]')")
pytestmark = IN_A_BROWSER

AXE = Path(__file__).parents[2] / "build" / "node" / "node_modules" / "axe-core" / "axe.min.js"
ACCESSIBLE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "rules": {"label-content-name-mismatch": {"enabled": False}}}
SOMA = {"title": "Drawn soma", "model": "soma", "form": {"box": [3, 3, 3]}}
STICKS = {"title": "Sticks", "grid": "square-edges", "flips": True, "generate": [{"free": 2, "copies": "any"}], "form": {"square": 2}}
TORUS = {"title": "Torus", "model": "dominoes", "form": {"box": [4, 4], "wrap": [{"move": [4, 0]}]}}
BOARD = {"title": "Board", "model": "dominoes", "form": {"picture": ".#######\n" + "########\n" * 6 + "#######.\n"}}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A site on the disk."""
    folder = tmp_path_factory.mktemp("site")
    write_site(folder, ["soma", "tetrominoes-5x4-torus"], Limits(), version=__version__)
    return (folder / "index.html").as_uri()


class Drawer(people.Person):
    """Somebody who draws in a site."""

    def draws(self, table=None, *, view="draw", name=None):
        """Open a view of drawing, with a puzzle of the site, or one that a link says."""
        puzzle = {"name": name} if name else {} if table is None else {"puzzle": {"name": "drawn", "table": table}}
        self.opens(people.link(self.address, {"view": view, **puzzle}))
        self.page.locator(".board canvas").last.wait_for()
        return self

    def verdict(self, words):
        self.page.locator(".badge").get_by_text(words).wait_for()

    def cell(self):
        """The middle of a cell near that of the sheet, and how wide cells are: the place below the sheet changes where one begins."""
        box, begins, before = self.page.locator(".board").bounding_box(), [], None
        x, y = box["x"] + box["width"] / 4, box["y"] + box["height"] / 4
        while len(begins) < 3:
            x += 1
            self.page.mouse.move(x, y)
            here = self.page.locator(".where").inner_text().split(", ")[0]
            if before not in (None, "", here):
                begins.append(x)
            before = here
        width = sum(b - a for a, b in pairwise(begins)) / (len(begins) - 1)
        return begins[0] + width / 2, y, width


@pytest.fixture
def drawer(browser, address):
    """Make people who draw; none of them may stumble over a mistake of ours."""
    made = []

    def meet(**how):
        made.append(Drawer(browser, address, **how))
        return made[-1]

    yield meet
    for one in made:
        one.context.close()
    assert [mistake for one in made for mistake in one.mistakes] == []


def test_six_times_ten_is_painted_by_mouse_and_counted(drawer):
    one = drawer().draws()
    one.page.get_by_role("button", name="Rectangle", exact=True).click()
    x, y, width = one.cell()
    one.page.mouse.move(x, y)
    one.page.mouse.down()
    one.page.mouse.move(x + 9 * width, y + 5 * width, steps=5)
    one.page.mouse.up()
    one.verdict("2,339 solutions")
    one.sees("9,356 if rotations and reflections count separately")
    one.sees("One engine counted this in your browser. Nothing here confirms it.")
    assert one.state()["puzzle"]["table"]["form"] == {"box": [10, 6]}


def test_by_keys_alone(drawer):
    one = drawer().draws({"title": "Mine", "model": "dominoes"})
    one.page.locator(".board canvas").last.focus()
    for key in ("ArrowRight", "Space", *["Shift+ArrowRight"] * 2, "ArrowUp", "Space", *["Shift+ArrowLeft"] * 2):
        one.page.keyboard.press(key)
    one.verdict("2 solutions")
    one.sees("3 if rotations and reflections count separately")
    one.page.keyboard.press("Control+z")
    one.verdict("No solution")


@pytest.mark.full
def test_what_is_drawn_is_played(drawer):
    one = drawer(language="de-DE").draws(SOMA)
    one.verdict("480 Lösungen")
    one.presses("Spielen")
    one.waits_for_ways("11.520")
    one.presses("Zeig mir eine Lösung")
    wait_until(lambda: len(one.position()) == 7, "a solution")
    one.sees("Schicht 3")


@pytest.mark.full
def test_a_puzzle_of_the_site_is_drawn_on(drawer):
    one = drawer().draws(name="soma")
    one.verdict("480 solutions")
    assert one.state() == {"view": "draw", "name": "soma"}


@pytest.mark.full
def test_the_link_opens_in_the_program_and_back(drawer, browser, studio):
    one = drawer().draws(STICKS)
    one.presses("Move left")
    said = one.page.locator(".badge").get_by_text(re.compile("solution"))
    said.wait_for()
    state, words = one.state(), said.inner_text()
    other = people.Person(browser, studio.address)
    other.opens(people.link(studio.address, state))
    other.page.locator(".badge").get_by_text(words).wait_for()
    form = other.page.evaluate("document.querySelector('.area').textContent")
    other.context.close()
    assert form == one.page.locator(".area").inner_text()


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


@pytest.mark.full
def test_what_is_drawn_is_saved_as_the_program_reads_it(drawer, tmp_path):
    one = drawer().draws(STICKS)
    one.presses("Move left")
    one.verdict("solution")
    with one.page.expect_download() as kept:
        one.presses("TOML")
    kept.value.save_as(tmp_path / "sticks.toml")
    assert len(load(tmp_path / "sticks.toml").puzzle.form.required) == 12


@pytest.mark.full
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("view", ["draw", "tiles"])
def test_drawing_is_accessible_and_as_wide_as_the_screen(drawer, view, dark):
    one = drawer(lenient=True, dark=dark)
    for width in (360, 820, 1440):
        one.page.set_viewport_size({"width": width, "height": 800})
        one.draws(STICKS, view=view)
        one.settles()
        assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    if not AXE.is_file():
        pytest.skip("axe-core is not there (npm install --prefix build/node axe-core)")
    one.page.add_script_tag(path=str(AXE))
    said = "asked => axe.run(asked).then(({ violations }) => violations.map(({ id, help, nodes }) => [id, help, nodes[0].html]))"
    assert one.page.evaluate(said, ACCESSIBLE) == []
