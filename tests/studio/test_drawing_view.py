"""Drawing forms and pieces in a real browser, and setting rules on solutions without a file."""

import re

import people
import pytest
from studios import busy, long_count

from draw.browser import IN_A_BROWSER
from real_programs import wait_until

pytestmark = IN_A_BROWSER


@pytest.fixture
def drawer(meet, studio):
    def make(table=None, *, view="draw", **how):
        return meet(studio.address, kind=people.Drawer, **how).draws(table, view=view)

    return make


def test_six_times_ten_is_drawn_and_counted(drawer):
    one = drawer()
    assert "0 of 60" in one.area()
    one.whole_shape(10, 6)
    one.waits_for_area("60 of 60")
    one.verdict("2,339 solutions")
    assert one.form() == {"box": [10, 6]}
    one.sees("9,356 if rotations and reflections count separately")


@pytest.mark.full
def test_each_drawing_is_kept_whatever_its_title(drawer):
    """A second drawing with the same title once replaced the first, because works were identified by title."""
    one = drawer()
    for sizes in ((3, 4), (5, 4)):
        one.whole_shape(*sizes)
        one.waits_for_form({"box": [*sizes]})
        one.presses("Library")
        one.presses("Draw your own")
        one.waits_for_area("0 of 60")
    one.presses("Library")
    rows = one.page.locator(".begun li:visible")
    mine = rows.filter(has_text="My puzzle")
    one.waits_until(lambda: mine.count() == 2)
    mine.first.locator(".close").click()
    one.waits_until(lambda: mine.count() == 1)
    one.presses("Undo")
    one.waits_until(lambda: mine.count() == 2)
    one.page.reload()
    one.waits_until(lambda: mine.count() == 2)
    mine.last.locator(".open").click()
    one.waits_until(lambda: one.state()["view"] == "play")
    one.waits_for_form({"box": [3, 4]})
    # another page draws on the same work
    one.page.evaluate(
        """() => {
          const works = JSON.parse(localStorage["puzzlesat.studio.works"]);
          works[0].title = works[0].puzzle.table.title = "Theirs";
          localStorage["puzzlesat.studio.works"] = JSON.stringify(works);
        }"""
    )
    one.presses("Library")
    one.waits_until(lambda: (mine.count(), rows.filter(has_text="Theirs").count()) == (2, 1))


@pytest.mark.slow
def test_the_mutilated_chessboard_says_why(drawer):
    one = drawer({"title": "board", "model": "dominoes"})
    one.whole_shape(8, 8)
    one.waits_for_area("64 cells")
    one.waits_for_form({"box": [8, 8]})
    box = one.page.locator(".board").bounding_box()
    one.page.locator(".board canvas").last.focus()
    side = min(box["width"], box["height"])  # the board is in the middle of the sheet
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


@pytest.mark.full
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


@pytest.mark.slow
def test_by_keys_alone_and_a_text_picture_is_opened(drawer):
    one = drawer({"title": "keys", "model": "dominoes"})
    one.page.locator(".board canvas").last.focus()
    for key in ("ArrowRight", "Space", "ArrowRight", "Space", "Shift+ArrowUp"):
        one.page.keyboard.press(key)
    one.waits_for_form({"picture": ".█\n██\n"})
    one.page.keyboard.press("Control+z")
    one.verdict("Exactly one solution")
    data = {"name": "form.txt", "mimeType": "text/plain", "buffer": "██\n█.\n".encode()}
    one.page.locator(".side input[type=file]").set_input_files(data)
    one.waits_for_area("3 cells")
    one.waits_for_form({"picture": "██\n█.\n"})


@pytest.mark.full
def test_on_a_phone_one_finger_paints_and_two_zoom(drawer):
    one = drawer({"title": "fingers", "model": "dominoes", "form": {"box": [3, 3]}}, phone=True)
    one.waits_for_area("9 cells")
    assert one.page.evaluate("document.documentElement.scrollWidth") <= people.PHONE["width"]
    small = one.page.evaluate(
        "[...document.querySelectorAll('.view button, .view select')]"
        ".filter((e) => e.offsetParent && e.getBoundingClientRect().height < 43).length"
    )
    assert small == 0
    one.page.touchscreen.tap(*one.middle())
    one.waits_for_area("8 cells")
    scale = "() => document.querySelectorAll('.board canvas')[1].getContext('2d').getTransform().a"
    before = one.page.evaluate(scale)
    one.page.evaluate(
        """() => {
          const canvas = document.querySelectorAll('.board canvas')[2], box = canvas.getBoundingClientRect();
          canvas.setPointerCapture = () => {};
          const tell = (type, id, x) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: id, pointerType: 'touch', button: 0,
            buttons: 1, clientX: box.left + x, clientY: box.top + 150, bubbles: true }));
          tell('pointerdown', 1, 100);
          tell('pointerdown', 2, 160);
          for (let i = 1; i <= 10; i++) { tell('pointermove', 1, 100 - 4 * i); tell('pointermove', 2, 160 + 4 * i); }
          tell('pointerup', 1, 60);
          tell('pointerup', 2, 200);
        }"""
    )
    one.page.wait_for_function(f"before => ({scale})() > 1.5 * before", arg=before)
    assert "8 cells" in one.area()


@pytest.mark.full
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
    kept = one.table()["tiles"]
    assert kept == {"B": {**tiles["B"], "copies": 3}, "C": tiles["C"], "D": tiles["D"]}


@pytest.mark.full
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
    one.waits_until(lambda: one.form()["picture"].count("█") > 2)
    layers = one.form()["picture"].split("\n\n")
    assert len(layers) in (2, 3) and "".join(layers).count("█") in (3, 4), "a mirror between layers paints in both"


@pytest.mark.full
def test_a_count_is_stopped_when_the_form_changes(drawer, studio):
    one = drawer(long_count()["puzzle"]["table"])
    wait_until(lambda: busy(studio), "a process that counts")
    one.page.locator(".badge").get_by_text(re.compile("Searching|Solvable|At least")).wait_for()
    one.whole_shape(3, 2)
    one.waits_for_area("6 cells")
    one.verdict(re.compile(r"^\d+ solutions$"))
    wait_until(lambda: not busy(studio), "the end of all work")


@pytest.mark.full
def test_another_grid_is_a_new_sheet_and_there_is_a_way_back(drawer):
    one = drawer({"title": "grids", "model": "pentominoes", "form": {"box": [3, 2]}})
    one.page.get_by_label("Grid", exact=True).select_option(label="Hexagons")
    one.waits_for_area("0 of 28")
    one.page.locator(".toast button").first.click()
    one.waits_for_area("6 of 60")
    assert one.form() == {"box": [3, 2]}
    for view in ("draw", "tiles"):
        one.goes_on_to(people.link(one.address, {"view": view, "name": "octogram"}))
        one.page.locator("#which").get_by_text("Octogram").wait_for()
        assert "Octogram" in one.page.title()


def test_pieces_are_chosen_counted_and_drawn(drawer):
    one = drawer(view="tiles")
    one.sees("12 pieces cover 60 cells")
    one.presses("Remove all")
    one.sees("0 pieces cover 0 cells")
    one.presses("Undo")
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


@pytest.mark.slow
def test_forty_thousand_cells_from_a_link(drawer):
    one = drawer({"title": "large", "model": "pentominoes", "form": {"box": [200, 200]}})
    one.waits_for_area("40,000 of 60")
    assert one.page.evaluate("document.querySelectorAll('.board *').length") == 3, "three canvases, however many cells there are"
    box = one.page.locator(".board").bounding_box()
    middle, corner = [box["width"] / 2, box["height"] / 2], [3, 3]
    one.page.wait_for_function(f"at => ({PIXEL})(at) !== '0,0,0,0'", arg=middle)
    painted = one.page.evaluate(PIXEL, middle)
    assert painted != one.page.evaluate(PIXEL, corner) == "0,0,0,0", "all of it is seen, on a sheet that is empty round it"
    one.page.mouse.click(*one.middle())
    one.waits_for_area("39,999 of 60")
    one.page.wait_for_function(f"([at, painted]) => ({PIXEL})(at) !== painted", arg=[middle, painted])
    one.presses("Undo")
    one.waits_for_area("40,000 of 60")
    one.page.wait_for_function(f"([at, painted]) => ({PIXEL})(at) === painted", arg=[middle, painted])


@pytest.mark.full
def test_what_painting_does_not_say_of_a_piece_stays(drawer):
    """Its display colour, copies and turns stay when it is painted again, or when other tiles are spelled out beside it."""
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
    """Return the tiles in the address, once one of them is right."""
    one.waits_until(lambda: right(one.table().get("tiles", {}).get(name)))
    return one.table()["tiles"]


TWO = {
    "title": "two",
    "grid": "square",
    "flips": True,
    "tiles": {"I": {"picture": "###"}, "J": {"picture": "##"}},
    "form": {"picture": "###\n##.", "colours": {"red": [[1, 1]]}},
}


def fold(one, words):
    one.page.locator(".rule-fold summary", has_text=words).click()
    return one.page.locator(".rule-fold", has_text=words)


def chooses(one, rule, *names, group=None):
    place = fold(one, rule) if rule else one.page
    place = place if group is None else place.get_by_role("group", name=group)
    for name in names:
        place.get_by_role("button", name=name, exact=True).click()


def waits_for_rules(one, said):
    one.waits_until(lambda: one.table().get("solutions") == said)


@pytest.mark.full
def test_pieces_away_from_the_border_are_drawn_and_counted(drawer):
    one = drawer(TWO)
    one.verdict("Exactly one solution")
    chooses(one, "Away from the border", "I", "J")
    waits_for_rules(one, {"inside": ["I", "J"]})
    one.verdict("No solution")
    one.sees("Only solutions with I, J away from the border")
    assert one.page.evaluate("document.activeElement.textContent") == "J", "the keyboard stays where it was"
    for name in "IJ":
        one.page.get_by_role("button", name=name, exact=True).click()
    one.verdict("Exactly one solution")
    assert "solutions" not in one.table()


@pytest.mark.full
def test_pieces_that_do_not_touch_in_two_groups(drawer):
    one = drawer(TWO, language="de-DE")
    one.page.locator(".badge", has_text="Genau eine Lösung").wait_for()
    chooses(one, "Berühren sich nicht", "I", group="Gruppe 1")
    waits_for_rules(one, {"apart": [["I"]]})
    chooses(one, None, "J", group="Gruppe 1")
    one.page.locator(".badge", has_text="Keine Lösung").wait_for()
    chooses(one, None, "J", group="Gruppe 2")
    one.page.get_by_label("auch Teile mit gemeinsamer Ecke berühren sich").check()
    waits_for_rules(one, {"apart": [["I", "J"], ["J"]], "strictly": True})


@pytest.mark.slow
def test_what_each_piece_covers_of_a_colour(drawer):
    one = drawer(TWO)
    fold(one, "On coloured cells")
    one.presses("Add a rule")
    chooses(one, None, "I", group="Which pieces")
    one.page.get_by_label("At least").fill("0")
    one.page.get_by_label("At most").fill("2")
    one.page.keyboard.press("Enter")
    waits_for_rules(one, {"holds": [{"tiles": ["I"], "colour": "red", "between": [0, 2]}]})
    one.sees("in which each of I covers 0–2 of 1 atom")


@pytest.mark.slow
def test_rules_that_only_a_file_says_stay_until_they_are_removed(drawer):
    table = {"title": "ruled", "model": "dominoes", "form": {"box": [2, 3]}, "solutions": {"forbidden": ["A.1@1.1"], "fault_free": True}}
    one = drawer(table)
    one.page.get_by_label("without a straight line").uncheck()
    waits_for_rules(one, {"forbidden": ["A.1@1.1"]})
    one.page.locator(".solution-rules .row", has_text="forbidden").get_by_role("button", name="Remove").click()
    waits_for_rules(one, None)


@pytest.mark.full
def test_solutions_with_pieces_that_do_not_touch_are_chosen(person):
    one = person().opens_puzzle("pentominoes-6x10", view="solutions")
    one.page.locator(".many b", has_text="2,339").wait_for()
    chooses(one, "Do not touch", "I", "L", "V", group="Group 1")
    one.page.get_by_label("pieces that share a corner also touch").check()
    one.page.locator(".many b", has_text="885").wait_for()  # 3,540 with all rotations and reflections
