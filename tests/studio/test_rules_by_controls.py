"""Rules on solutions that a person sets in the page, without a file."""

from __future__ import annotations

import pytest

from draw.browser import IN_A_BROWSER

people = pytest.importorskip("people", reason="pages are not tried: playwright is not installed (pip install 'puzzlesat[test]')")
pytestmark = IN_A_BROWSER


TWO = {
    "title": "two",
    "grid": "square",
    "flips": True,
    "tiles": {"I": {"picture": "###"}, "J": {"picture": "##"}},
    "form": {"picture": "###\n##.", "colours": {"red": [[1, 1]]}},
}
"""Two pieces in a form that has a red cell."""


def opens(person, view, name, **how):
    one = person(**how)
    one.opens_puzzle(name, view=view)
    return one


def opens_table(person, table, **how):
    one = person(**how)
    one.opens(people.link(one.address, {"view": "draw", "puzzle": {"name": "ruled", "table": table}}))
    return one


def fold(one, words):
    """A rule that is folded, opened."""
    one.page.locator(".rule-fold summary", has_text=words).click()
    return one.page.locator(".rule-fold", has_text=words)


def chooses(one, rule, *names, group=None):
    place = fold(one, rule) if rule else one.page
    place = place if group is None else place.get_by_role("group", name=group)
    for name in names:
        place.get_by_role("button", name=name, exact=True).click()


def waits_for_rules(one, said):
    for _ in range(200):
        if one.state().get("puzzle", {}).get("table", {}).get("solutions") == said:
            return
        one.page.wait_for_timeout(50)
    assert one.state()["puzzle"]["table"].get("solutions") == said


def test_pieces_away_from_the_border_are_drawn_and_counted(person):
    one = opens_table(person, TWO)
    one.page.locator(".badge", has_text="Exactly one solution").wait_for()
    chooses(one, "Away from the border", "I", "J")
    waits_for_rules(one, {"inside": ["I", "J"]})
    one.page.locator(".badge", has_text="No solution").wait_for()
    one.sees("Only solutions with I, J away from the border")
    assert one.page.evaluate("document.activeElement.textContent") == "J", "the keyboard stays where it was"
    for name in "IJ":
        one.page.get_by_role("button", name=name, exact=True).click()
    one.page.locator(".badge", has_text="Exactly one solution").wait_for()
    assert "solutions" not in one.state()["puzzle"]["table"]


def test_pieces_that_do_not_touch_in_two_groups(person):
    one = opens_table(person, TWO, language="de-DE")
    one.page.locator(".badge", has_text="Genau eine Lösung").wait_for()
    chooses(one, "Berühren sich nicht", "I", group="Gruppe 1")
    waits_for_rules(one, {"apart": [["I"]]})
    chooses(one, None, "J", group="Gruppe 1")
    one.page.locator(".badge", has_text="Keine Lösung").wait_for()
    chooses(one, None, "J", group="Gruppe 2")
    one.page.get_by_label("auch Teile mit gemeinsamer Ecke berühren sich").check()
    waits_for_rules(one, {"apart": [["I", "J"], ["J"]], "strictly": True})


def test_what_each_piece_covers_of_a_colour(person):
    one = opens_table(person, TWO)
    fold(one, "On coloured cells")
    one.presses("Add a rule")
    chooses(one, None, "I", group="Which pieces")
    one.page.get_by_label("At least").fill("0")
    one.page.get_by_label("At most").fill("2")
    one.page.keyboard.press("Enter")
    waits_for_rules(one, {"holds": [{"tiles": ["I"], "colour": "red", "between": [0, 2]}]})
    one.sees("in which each of I covers 0–2 of 1 atom")


def test_rules_that_only_a_file_says_stay_until_they_are_removed(person):
    table = {"title": "ruled", "model": "dominoes", "form": {"box": [2, 3]}, "solutions": {"forbidden": ["A.1@1.1"], "fault_free": True}}
    one = opens_table(person, table)
    one.page.get_by_label("without a straight line").uncheck()
    waits_for_rules(one, {"forbidden": ["A.1@1.1"]})
    one.page.locator(".solution-rules .row", has_text="forbidden").get_by_role("button", name="Remove").click()
    waits_for_rules(one, None)


@pytest.mark.full
def test_solutions_with_pieces_that_do_not_touch(person):
    one = opens(person, "solutions", "pentominoes-6x10")
    one.page.locator(".many b", has_text="2,339").wait_for()
    chooses(one, "Do not touch", "I", "L", "V", group="Group 1")
    one.page.get_by_label("pieces that share a corner also touch").check()
    one.page.locator(".many b", has_text="885").wait_for()  # 3,540 with all rotations and reflections
