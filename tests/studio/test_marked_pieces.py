"""Pieces with marks and colours, drawn in the page: equal to pieces written in files."""

import pytest

from draw.browser import IN_A_BROWSER
from puzzlesat.base.errors import PuzzleError
from puzzlesat.pages.studio.open import PagePuzzle, instance_of, path_in_package
from puzzlesat.pages.studio.server import task
from puzzlesat.pages.studio.telling import Tell
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.reading import read_table
from tiers import every

SQUARE = task("grids")({"grid": "square-marks"}, Tell())["grid"]["basis"][0][0]
"""Pixels."""
CARD = ["monkey-", "horse-", "pippi+", "pippi+"]


def ask(name, /, **question):
    return task(name)(question, Tell())


def redrawn(table):
    """Return the table with all pieces as the page draws them: atoms, marks and colours, far from their old places."""
    read = ask("grids", read=table)
    name, rules = table.get("grid") or read["grid"]["name"], read["rules"]

    def moved(atom):
        return [x + 7 for x in atom[:-1]] + atom[-1:]

    tiles = {}
    for tile in read["tiles"]:
        body = [moved(a) for a in tile["atoms"]]
        marks = [[moved(side), moved(face), mark] for side, face, mark in tile["marks"]]
        colours = [[moved(a), colour] for a, colour in tile["colours"]]
        drawn = ask("grids", tile=body, on=name, marks=marks, colours=colours)["tile"]
        tiles[tile["name"]] = drawn | ({} if (tile["low"], tile["high"]) == (1, 1) else {"copies": [tile["low"], tile["high"]]})
    own = {key: value for key, value in table.items() if key not in ("model", "tiles", "generate", "expect")}
    return {**own, **rules, "grid": name, "tiles": tiles}


@pytest.mark.full
@every("name", ["absolut-knifflig", "puzzle-a-day", "macmahon-squares-4x6"])
def test_pieces_that_are_drawn_are_those_that_are_written(name):
    table = redrawn(read_table(path_in_package(name)))
    assert table["tiles"].get("card1", {"around": CARD}) == {"around": CARD}
    drawn, written = instance_of(PagePuzzle(name, table)).puzzle, load_instance(name).puzzle
    assert (drawn.mates, drawn.fits, drawn.border, drawn.form) == (written.mates, written.fits, written.border, written.form)
    one, other = ({t.name: (t.marks, t.atoms, t.symmetries) for t in puzzle.tiles} for puzzle in (drawn, written))
    assert one == other


def test_a_side_without_a_mark_and_a_piece_of_two_cells():
    cells = [[3, 4, 0], [4, 4, 0]]
    drawn = ask("grids", tile=cells, on="square-marks", marks=[[[3, 5, 1], [3, 4, 0], "red"], [[5, 4, 2], [4, 4, 0], "red"]])["tile"]
    red = {"on": [1, 1, "f"], "mark": "red"}
    assert drawn == {"picture": "██\n", "marks": [{**red, "at": [1, 2, "h"]}, {**red, "at": [3, 1, "v"], "on": [2, 1, "f"]}]}
    one = ask("grids", tile=cells[:1], on="square-marks", marks=[[[3, 5, 1], [3, 4, 0], "red"]])["tile"]
    assert one == {"picture": "█\n", "marks": [{**red, "at": [1, 2, "h"]}]}


@pytest.mark.full
def test_rules_of_a_model_go_over_to_pieces_of_one_s_own():
    rules = ask("grids", read={"title": "x", "model": "macmahon-squares", "tiles": {"RRRR": {"copies": 2}}})["rules"]
    assert (rules["flips"], sorted(rules["marks"])) == (False, ["blue", "green", "red"])
    assert rules["tiles"]["RRRR"] == {"around": ["red"] * 4}
    assert ask("grids", read={"title": "x", "model": "macmahon-squares", "marks": {"pink": {"kind": "self"}}})["rules"]["marks"]["pink"]


@every("marks", [["red"], [[[1, 1, 1], [1, 1, 0]]], [[[1, 1, 9], [1, 1, 0], "red"]], "red", [[[1, 1, 1], [1, 1, 0], 1]]])
def test_what_is_no_mark(marks):
    with pytest.raises(PuzzleError):
        ask("grids", tile=[[1, 1, 0]], on="square-marks", marks=marks)


@pytest.mark.full
@IN_A_BROWSER
def test_a_person_draws_cards(person):
    people = pytest.importorskip("people")
    one = person()
    table = {"title": "Cards", "model": "pentominoes"}
    one.opens(people.link(one.address, {"view": "tiles", "puzzle": {"name": "cards", "table": table}}))
    page = one.page
    page.get_by_label("Grid", exact=True).select_option("square-marks")
    one.presses("(no set) draw your own pieces")
    page.get_by_role("button", name="+ Mark …").wait_for()

    def names_a_mark(name, kind):
        one.presses("+ Mark …")
        page.get_by_label("Mark …").fill(name)
        page.get_by_label("What it matches").select_option(label=kind)
        page.get_by_role("button", name="Add", exact=True).click()
        page.locator(".brush[aria-pressed=true]", has_text=name).wait_for()

    def marks(x, y, *sides):
        """Tap the sides of a cell, clockwise from the top, with these marks; x and y are from the middle of the sheet."""
        size = page.evaluate("document.querySelectorAll('.board canvas')[1].getContext('2d').getTransform().a") * SQUARE
        for mark, (dx, dy) in zip(sides, ((0, 0.4), (0.4, 0), (0, -0.4), (-0.4, 0)), strict=True):
            if mark is None:
                continue
            page.get_by_role("button", name=mark, exact=True).click()
            box = page.locator(".board").bounding_box()
            page.mouse.click(box["x"] + box["width"] / 2 + (x + dx) * size, box["y"] + box["height"] / 2 - (y + dy) * size)

    names_a_mark("red", "matches itself")
    names_a_mark("head", "two halves that match")
    marks(0.5, 0.5, "head+", "red", "head-", "red")
    one.presses("Add this piece")
    page.locator(".tile-cards b").wait_for()
    table = one.table()
    assert table["tiles"] == {"A": {"around": ["head+", "red", "head-", "red"]}}
    assert table["marks"] == {"red": {"kind": "self"}, "head": {"kind": "halves"}} and table["flips"] is False
    copies = page.get_by_label("Copies of A", exact=True)
    copies.fill("2")
    copies.press("Tab")
    page.get_by_role("button", name="Redraw A").click()
    marks(0, 0, "head-", None, "head+", None)  # the card upside down
    one.presses("Save the change")
    upside_down = {"A": {"around": ["head-", "red", "head+", "red"], "copies": 2}}
    one.waits_until(lambda: one.table()["tiles"] == upside_down)
    one.presses("Draw the form")
    page.get_by_label("Width", exact=True).fill("2")
    page.get_by_label("Height", exact=True).fill("1")
    one.presses("Draw it")
    page.locator(".badge").get_by_text("solutions").wait_for()
    counts = ask("count", puzzle=one.state()["puzzle"])["counts"]
    assert (counts["all"], counts["distinct"]) == (6, 4), (
        "red meets red with either card upside down or not, or both lie alike and a half meets the other"
    )
    page.get_by_label("Mark on the border").select_option("red")
    page.locator(".badge").get_by_text("No solution").wait_for()


@pytest.mark.full
@IN_A_BROWSER
def test_a_person_names_a_colour_for_the_form_and_for_a_piece(person):
    people = pytest.importorskip("people")
    one = person()
    tiles = {"one": {"picture": "█"}, "two": {"picture": "██"}}
    table = {"title": "Colours", "grid": "square", "flips": True, "tiles": tiles, "form": {"box": [3, 1]}}
    one.opens(people.link(one.address, {"view": "draw", "puzzle": {"name": "colours", "table": table}}))
    page = one.page
    page.locator(".badge").get_by_text("Exactly one solution").wait_for()
    one.presses("+ Colour …")
    page.get_by_label("Colour …").fill("dark")
    page.keyboard.press("Enter")
    page.locator(".brush[aria-pressed=true]", has_text="dark").wait_for()
    box = page.locator(".board").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)  # the cell in the middle
    one.waits_until(lambda: one.table()["form"].get("colours") == {"dark": [[2, 1]]})
    one.presses("Change the pieces")
    page.locator(".tile-cards b").first.wait_for()
    one.presses("+ Colour …")
    page.get_by_label("Colour …").fill("ink")
    page.get_by_role("button", name="Add", exact=True).click()
    page.locator(".brush[aria-pressed=true]", has_text="ink").wait_for()
    page.get_by_role("button", name="Redraw two").click()
    board = page.locator(".board").bounding_box()
    for dx in (-15, 15):
        page.mouse.click(board["x"] + board["width"] / 2 + dx, board["y"] + board["height"] / 2)
    one.presses("Save the change")
    page.wait_for_function("() => document.querySelector('.own-row button').textContent === 'Add this piece'")
    one.waits_until(lambda: one.table()["tiles"]["two"] == {"picture": "██\n", "colours": {"ink": [[1, 1], [2, 1]]}})
    assert one.table()["colours"] == {"ink": ["ink"]}
    assert ask("count", puzzle=one.state()["puzzle"])["counts"]["all"] == 0, "two cells in ink cover the middle, wherever they lie"
    page.locator("fieldset", has_text="ink").get_by_label("dark").check()
    one.waits_until(lambda: one.table()["colours"] == {"ink": ["ink", "dark"]})
    assert ask("count", puzzle=one.state()["puzzle"])["counts"]["all"] == 2
