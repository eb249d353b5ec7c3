"""Drawing forms and pieces in a real browser, as people do it."""

from __future__ import annotations

import gzip
import re

import pytest
from studios import busy, long_count

from draw.browser import IN_A_BROWSER
from real_programs import wait_until
from tiers import of_which

people = pytest.importorskip("people", reason="drawing is not tried: playwright is not installed (pip install 'puzzlesat[test]')")
pytestmark = IN_A_BROWSER

BURR = """<?xml version="1.0"?>
<puzzle version="2">
<gridType type="0"/>
<colors/>
<shapes>
<voxel x="2" y="1" z="1" type="0">##</voxel>
<voxel x="4" y="2" z="1" type="0">########</voxel>
</shapes>
<problems>
<problem name="dominoes" state="0"><shapes><shape id="0" count="4"/></shapes><result id="1"/><bitmap/></problem>
</problems>
</puzzle>
"""


@pytest.fixture
def drawer(browser, studio):
    """Make people who draw; none of their pages may have stumbled over a mistake of ours."""
    made = []

    def make(table=None, *, view="draw", **how):
        one = Drawer(browser, studio.address, **how)
        made.append(one)
        state = {"view": view, **({} if table is None else {"puzzle": {"name": "drawing", "table": table}})}
        one.opens(people.link(studio.address, state))
        one.page.locator(".board canvas").last.wait_for()
        return one

    yield make
    mistakes = [mistake for one in made for mistake in one.mistakes]
    for one in made:
        one.context.close()
    assert not mistakes


class Drawer(people.Person):
    """Somebody who draws on squares of which some are already painted, or none."""

    def verdict(self, words):
        """Wait until the badge says something."""
        self.page.locator(".badge").get_by_text(words).wait_for()

    def whole_shape(self, *sizes, shape="box"):
        self.page.get_by_label("Shape", exact=True).select_option(shape)
        for label, size in zip(("Width", "Height", "Layers"), sizes, strict=False):
            self.page.get_by_label(label, exact=True).fill(str(size))
        self.presses("Draw it")

    def area(self):
        return self.page.locator(".area").inner_text()

    def waits_for_area(self, words):
        self.page.locator(".area").get_by_text(words).first.wait_for()

    def middle(self):
        box = self.page.locator(".board").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def strokes(self, *points):
        """Drag from point to point, counted from the middle of the sheet."""
        x, y = self.middle()
        self.page.mouse.move(x + points[0][0], y + points[0][1])
        self.page.mouse.down()
        for dx, dy in points[1:]:
            self.page.mouse.move(x + dx, y + dy, steps=8)
        self.page.mouse.up()

    def form(self):
        """The form that the address says, once it is there."""
        for _ in range(200):
            if form := self.state().get("puzzle", {}).get("table", {}).get("form"):
                return form
            self.page.wait_for_timeout(50)
        raise AssertionError("no form is kept")

    def waits_for_form(self, said):
        for _ in range(200):
            if self.state().get("puzzle", {}).get("table", {}).get("form") == said:
                return
            self.page.wait_for_timeout(50)
        assert self.form() == said


def test_six_times_ten_is_drawn_and_counted(drawer):
    one = drawer()
    assert "0 of 60" in one.area()
    one.whole_shape(10, 6)
    one.waits_for_area("60 of 60")
    one.verdict("2,339 solutions")
    assert one.form() == {"box": [10, 6]}
    one.sees("9,356 if rotations and reflections count separately")


def test_the_mutilated_chessboard_says_why(drawer):
    one = drawer({"title": "board", "model": "dominoes"})
    one.whole_shape(8, 8)
    one.waits_for_area("64 cells")
    one.waits_for_form({"box": [8, 8]})
    box = one.page.locator(".board").bounding_box()
    one.page.locator(".board canvas").last.focus()
    side = min(box["width"], box["height"])  # the corners by mouse: the board lies in the middle of the sheet
    scale = min(1.6 * 40, (side - 56) / (8 + 3))
    for dx, dy in ((-3.5, 3.5), (3.5, -3.5)):
        x, y = one.middle()
        one.page.mouse.click(x + dx * scale, y + dy * scale)
    one.waits_for_area("62 cells")
    one.sees("32 black, 30 white")
    one.verdict("No solution")
    one.sees("chessboard")
    one.sees("never")
    one.waits_for_form({"box": [8, 8], "remove": [[1, 1], [8, 8]]})
    colours = one.page.evaluate(
        "() => { const canvas = document.querySelectorAll('.board canvas')[1], pen = canvas.getContext('2d'), seen = {};"
        " const data = pen.getImageData(0, 0, canvas.width, canvas.height).data;"
        " for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) { const c = `${data[i]},${data[i + 1]},${data[i + 2]}`;"
        " seen[c] = (seen[c] || 0) + 1; } return Object.values(seen).sort((a, b) => b - a).slice(0, 2); }"
    )
    assert len(colours) == 2 and colours[1] > 0.9 * colours[0], "the sheet shows the two classes of the colouring"


def test_a_hexagon_by_a_brush_of_six_and_back(drawer):
    one = drawer({"title": "six", "model": "tetrahexes"})
    symmetry = one.page.get_by_label("Symmetry", exact=True)
    labels = symmetry.locator("option").all_inner_texts()
    symmetry.select_option(label=next(words for words in labels if words == "6-fold rotation"))
    one.strokes((70, 6), (72, 6))
    one.waits_for_area("6 of 28")
    first = one.form()
    one.presses("Undo")
    one.waits_for_area("0 of 28")
    one.presses("Redo")
    one.waits_for_area("6 of 28")
    assert one.form() == first
    assert "picture" in first and first["picture"].count("⬢") == 6


def test_by_keys_alone(drawer):
    one = drawer({"title": "keys", "model": "dominoes"})
    one.page.locator(".board canvas").last.focus()
    for key in ("ArrowRight", "Space", "ArrowRight", "Space", "Shift+ArrowUp"):
        one.page.keyboard.press(key)
    one.waits_for_area("3 cells")
    one.waits_for_form({"picture": ".█\n██\n"})
    assert re.search(r"\d, \d", one.page.locator(".stage [role=status]").inner_text())
    one.page.keyboard.press("Control+z")
    one.waits_for_area("2 cells")
    one.verdict("Exactly one solution")


def test_on_a_phone_one_finger_paints(drawer):
    one = drawer({"title": "phone", "model": "dominoes"}, phone=True)
    assert one.page.evaluate("document.documentElement.scrollWidth") <= people.PHONE["width"]
    one.page.touchscreen.tap(*one.middle())
    one.waits_for_area("One cell")
    small = one.page.evaluate(
        "[...document.querySelectorAll('.view button, .view select')]"
        ".filter((e) => e.offsetParent && e.getBoundingClientRect().height < 43).length"
    )
    assert small == 0


@pytest.mark.parametrize("packed", of_which([False, True], False))
def test_a_file_of_burrtools_is_opened(drawer, packed):
    one = drawer()
    data = BURR.encode()
    one.page.locator(".side input[type=file]").set_input_files(
        {"name": "dominoes.xmpuzzle", "mimeType": "application/xml", "buffer": gzip.compress(data) if packed else data}
    )
    one.waits_for_area("8 of 8")
    one.verdict("solutions")
    assert one.state()["view"] == "draw"


def test_equal_pieces_are_pointed_out_and_changed_one_by_one(drawer):
    tiles = {"A": {"picture": "##\n"}, "B": {"picture": "#\n#\n"}, "C": {"picture": "##.\n.##\n"}, "D": {"picture": ".##\n##.\n"}}
    one = drawer({"title": "equal", "grid": "square", "flips": False, "tiles": tiles, "form": {"box": [4, 4]}}, view="tiles")
    for words in ("the same piece as B", "the same piece as A", "turned over, the same piece as D", "turned over, the same piece as C"):
        one.page.get_by_text(words, exact=True).wait_for()
    copies = one.page.get_by_label("Copies of B", exact=True)
    copies.fill("3")
    copies.press("Tab")
    one.sees("6 pieces cover 16 cells")
    one.page.get_by_label("Remove A", exact=True).click()
    one.sees("5 pieces cover 14 cells")
    kept = one.state()["puzzle"]["table"]["tiles"]
    assert kept == {"B": {**tiles["B"], "copies": 3}, "C": tiles["C"], "D": tiles["D"]}


def test_all_pieces_are_removed_and_brought_back(drawer):
    one = drawer(view="tiles")
    one.sees("12 pieces cover 60 cells")
    one.presses("Remove all")
    one.sees("0 pieces cover 0 cells")
    one.strokes((-80, 0), (-30, 0))
    one.presses("Add this piece")
    one.sees("One piece covers")
    one.presses("Undo")
    one.sees("12 pieces cover 60 cells")


def test_layers_of_cubes(drawer):
    one = drawer({"title": "layers", "model": "soma"})
    sheet, symmetry = one.page.locator(".board canvas").last, one.page.get_by_label("Symmetry", exact=True)
    for key in ("ArrowRight", "Space", "PageUp", "ArrowRight", "Space", "Space", "ArrowRight", "Space"):
        sheet.press(key)
    one.sees("Layer 2 of 2")
    one.waits_for_area("2 of 27")
    one.waits_for_form({"picture": "█.\n\n.█\n"})
    symmetry.select_option(label="mirror 0,0,1")
    sheet.press("ArrowUp")
    sheet.press("Space")
    one.waits_for_area("of 27")
    one.page.wait_for_timeout(500)
    layers = one.form()["picture"].split("\n\n")
    assert len(layers) in (2, 3) and "".join(layers).count("█") in (3, 4), "a mirror between layers paints in both"


def test_two_fingers_zoom_and_paint_nothing(drawer):
    one = drawer({"title": "fingers", "model": "dominoes", "form": {"box": [3, 3]}}, phone=True)
    one.waits_for_area("9 cells")
    one.page.wait_for_timeout(300)
    scale = "() => document.querySelectorAll('.board canvas')[1].getContext('2d').getTransform().a"
    before = one.page.evaluate(scale)
    one.page.evaluate(
        """async () => {
          const canvas = document.querySelectorAll('.board canvas')[2], box = canvas.getBoundingClientRect();
          canvas.setPointerCapture = () => {};
          const tell = (type, id, x) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: id, pointerType: 'touch', button: 0,
            buttons: 1, clientX: box.left + x, clientY: box.top + 150, bubbles: true }));
          tell('pointerdown', 1, 100);
          tell('pointerdown', 2, 160);
          for (let i = 1; i <= 10; i++) { tell('pointermove', 1, 100 - 4 * i); tell('pointermove', 2, 160 + 4 * i); }
          tell('pointerup', 1, 60);
          tell('pointerup', 2, 200);
          await new Promise((next) => setTimeout(next, 100));
        }"""
    )
    assert one.page.evaluate(scale) > 1.5 * before
    assert "9 cells" in one.area()


def test_a_count_is_stopped_when_the_form_changes(drawer, studio):
    """The processes that worked on the old form leave off, and the new one is counted."""
    one = drawer(long_count()["puzzle"]["table"])
    wait_until(lambda: busy(studio), "a process that counts")
    one.page.locator(".badge").get_by_text(re.compile("Searching|Solvable|At least")).wait_for()
    one.whole_shape(3, 2)
    one.waits_for_area("6 cells")
    one.verdict(re.compile(r"^\d+ solutions$"))
    wait_until(lambda: not busy(studio), "the end of all work")


@pytest.mark.parametrize("view", ["draw", "tiles"])
def test_a_link_to_a_puzzle_of_the_package_has_its_title(browser, studio, view):
    one = people.Person(browser, studio.address).opens_puzzle("octogram", view=view)
    one.page.locator("#which").get_by_text("Octogram").wait_for()
    assert "Octogram" in one.page.title()
    one.context.close()


def test_another_grid_is_a_new_sheet_and_there_is_a_way_back(drawer):
    one = drawer({"title": "grids", "model": "pentominoes", "form": {"box": [3, 2]}})
    one.page.get_by_label("Grid", exact=True).select_option(label="Hexagons")
    one.waits_for_area("0 of 28")
    one.page.locator(".toast button").first.click()
    one.waits_for_area("6 of 60")
    assert one.form() == {"box": [3, 2]}


def test_a_text_picture_is_opened(drawer):
    one = drawer({"title": "picture", "model": "dominoes"})
    one.page.locator(".side input[type=file]").set_input_files(
        {"name": "form.txt", "mimeType": "text/plain", "buffer": "██\n█.\n".encode()}
    )
    one.waits_for_area("3 cells")
    one.waits_for_form({"picture": "██\n█.\n"})


@pytest.mark.parametrize(
    ("words", "inside"),
    [("TOML", b"box = [2, 2]"), ("BurrTools", b"####"), ("Text picture", "██\n██\n".encode()), ("SVG", b"<svg"), ("PNG", b"\x89PNG")],
)
def test_what_is_drawn_is_kept_as_a_file(drawer, words, inside):
    one = drawer({"title": "kept", "model": "dominoes", "form": {"box": [2, 2]}})
    with one.page.expect_download() as download:
        one.page.get_by_role("button", name=words, exact=True).click()
    assert inside in download.value.path().read_bytes()


def test_pieces_are_chosen_counted_and_drawn(drawer):
    one = drawer(view="tiles")
    one.sees("12 pieces cover 60 cells")
    one.page.get_by_label("Cells").fill("4")
    one.page.get_by_label("Cells").press("Tab")
    one.page.locator(".tile-choices button").nth(4).wait_for()
    one.presses("Use these")
    one.sees("5 pieces cover 20 cells")
    copies = one.page.get_by_label("Copies of I", exact=True)
    copies.fill("2")
    copies.press("Tab")
    one.sees("6 pieces cover 24 cells")
    for dx, dy in ((0, 0), (120, 0)):  # two cells that do not touch
        x, y = one.middle()
        one.page.mouse.click(x + dx, y + dy)
    one.page.get_by_label("Name", exact=True).fill("two")
    one.presses("Add this piece")
    one.sees("falls into 2 separate parts")
    one.sees("7 pieces cover 26 cells")


PIXEL = """([x, y]) => {
  const canvas = document.querySelectorAll('.board canvas')[1], ratio = devicePixelRatio;
  return [...canvas.getContext('2d').getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data].join();
}"""
"""The colour of what is painted at a point of the sheet."""


@pytest.mark.parametrize("phone", [False, True])
def test_forty_thousand_cells_from_a_link(drawer, phone):
    one = drawer({"title": "large", "model": "pentominoes", "form": {"box": [200, 200]}}, phone=phone)
    one.waits_for_area("40,000 of 60")
    assert one.page.evaluate("document.querySelectorAll('.board *').length") == 3, "three canvases, however many cells there are"
    one.page.wait_for_timeout(300)
    box = one.page.locator(".board").bounding_box()
    middle, corner = [box["width"] / 2, box["height"] / 2], [3, 3]
    painted = one.page.evaluate(PIXEL, middle)
    assert painted != one.page.evaluate(PIXEL, corner) == "0,0,0,0", "all of it is seen, on a sheet that is empty round it"
    if phone:
        one.page.touchscreen.tap(*one.middle())
    else:
        one.page.mouse.click(*one.middle())
    one.waits_for_area("39,999 of 60")
    one.page.wait_for_timeout(100)
    assert one.page.evaluate(PIXEL, middle) != painted
    one.presses("Undo")
    one.waits_for_area("40,000 of 60")
    one.page.wait_for_timeout(100)
    assert one.page.evaluate(PIXEL, middle) == painted
    one.page.locator(".board canvas").last.focus()
    for key in ("ArrowRight", "Space", "Shift+ArrowRight"):
        one.page.keyboard.press(key)
    one.waits_for_area("39,998 of 60")
    assert re.search(r"\d+, \d+", one.page.locator(".stage [role=status]").inner_text())


def test_the_cursor_is_gone_when_a_form_is_drawn(drawer):
    one = drawer({"title": "cursor", "model": "dominoes"})
    one.page.locator(".board canvas").last.focus()
    one.page.mouse.move(*one.middle())
    over = (
        "() => { const canvas = document.querySelectorAll('.board canvas')[2], data = canvas.getContext('2d')"
        ".getImageData(0, 0, canvas.width, canvas.height).data; return data.some((x) => x); }"
    )
    one.page.wait_for_function(over)
    one.page.get_by_role("button", name="Draw it").press("Enter")  # the pointer stays where it is
    one.waits_for_area("60 cells")
    one.page.wait_for_function(f"() => !({over})()")


DRAGS = """async () => {
  const canvas = document.querySelectorAll('.board canvas')[2], box = canvas.getBoundingClientRect(), took = [];
  const tell = (type, x, y) => canvas.dispatchEvent(
    new PointerEvent(type, { pointerId: 1, button: 0, buttons: 1, clientX: box.left + x, clientY: box.top + y, bubbles: true }));
  canvas.setPointerCapture = () => {};
  tell('pointerdown', 20, 20);
  for (let i = 0; i < 60; i++) {
    const from = performance.now();
    tell('pointermove', 20 + i * 5, 20 + (i % 7) * 12);
    await new Promise((next) => requestAnimationFrame(next));
    took.push(performance.now() - from);
  }
  tell('pointerup', 300, 60);
  return took.sort((a, b) => a - b)[30];
}"""
"""Sixty drags, one after the other; how many milliseconds the one in the middle took until it was drawn."""


@pytest.mark.slow
def test_a_drag_costs_as_much_with_two_thousand_atoms_as_with_two(drawer):
    """On a machine that has nothing else to do that is 16.7 ms: sixty a second, as many as a screen shows."""
    large, small = (drawer({"title": "drags", "model": "dominoes", "form": {"box": box}}) for box in ([50, 40], [2, 1]))
    large.waits_for_area("2,000 cells")
    small.verdict("Exactly one solution")
    spent = [(large.page.evaluate(DRAGS), small.page.evaluate(DRAGS)) for _ in range(3)]
    many, few = (min(times) for times in zip(*spent, strict=True))
    print(f"a drag takes {many:.1f} ms with 2,000 atoms, {few:.1f} ms with two")
    assert many < 2 * few


def test_what_painting_does_not_say_of_a_piece_stays(drawer):
    """Its colour in pictures, its copies, in how many parts it is: also when it is painted anew, or others are spelled out beside it."""
    kept = {"colour": "#d7263d", "copies": [0, 2], "turns": "none"}
    tiles = {"A": {"picture": "##\n", **kept}, "B": {"picture": "#\n", "colour": "#0072b2"}}
    table = {"title": "kept", "grid": "square", "flips": False, "generate": [{"free": 3}], "form": {"box": [4, 4]}}
    one = drawer({**table, "tiles": {**tiles, "V": {"colour": "#e69f00"}}}, view="tiles")
    one.page.get_by_label("Redraw A", exact=True).click()
    x, y = one.middle()
    one.page.mouse.click(x + 60, y)
    one.presses("Save the change")
    said = waits_for_tile(one, "I", lambda tile: tile is not None)
    assert said["A"] | {"picture": ""} == {"picture": "", **kept} != {**said["A"]}
    assert (said["B"], said["V"]["colour"], "colour" in said["I"]) == (tiles["B"], "#e69f00", False)
    one.page.get_by_label("Colour of I in pictures", exact=True).fill("#009e73")
    assert waits_for_tile(one, "I", lambda tile: "colour" in tile)["I"]["colour"] == "#009e73"


def waits_for_tile(one, name, right):
    """The tiles that the address says, once one of them is right."""
    for _ in range(200):
        tiles = one.state()["puzzle"]["table"]["tiles"]
        if right(tiles.get(name)):
            return tiles
        one.page.wait_for_timeout(50)
    raise AssertionError(tiles)
