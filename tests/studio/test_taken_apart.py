"""A full board is taken apart in the studio: the question, and the person who steps through it."""

from __future__ import annotations

import pytest

import puzzlesat
from draw.browser import IN_A_BROWSER
from puzzlesat.cover.instance import build_instance
from puzzlesat.disassembly.steps import may_hold

people = pytest.importorskip(
    "people", reason="the pages of the studio are not tried: playwright is not installed (pip install 'puzzlesat[test]')"
)

FRAME = {
    "title": "Bars and squares in an open frame",
    "grid": "square",
    "tiles": {
        "F": {"picture": "######\n#....#\n#.....\n#.....\n#....#\n######"},
        "O": {"picture": "##\n##", "copies": 2},
        "I": {"picture": "####", "copies": 2},
    },
    "flips": False,
    "form": {"box": [6, 6], "optional": [[6, 3], [6, 4]]},
}


def assembly(name, number):
    return list(puzzlesat.apart(name, nth=number, jobs=1).assemblies[0].names)


def test_it_is_a_question_in_space_and_in_frames():
    for name, asked in (("soma", True), ("hex-sticks", True), ("pentominoes-6x10", False), ("tetrasticks-6x6", False)):
        assert may_hold(puzzlesat.load(name).puzzle) == asked
    assert may_hold(puzzlesat.load(FRAME).puzzle)
    assert not may_hold(puzzlesat.load("pentominoes-3x20-tube").puzzle)


def test_how_it_comes_apart(studio):
    placed = assembly("dubois-burr", 2)
    answer = studio.ask("apart", puzzle={"name": "dubois-burr"}, position=placed)
    assert answer["placements"] == placed and answer["basis"] is None and answer["checked"]
    taking = answer["taking"]
    assert (taking["level"], len(taking["steps"]), taking["stuck"]) == ("6.4", 13, [])
    assert taking["steps"][0] == {"of": [0, 1, 2, 3, 4, 5], "by": [-2, 0, 0], "pieces": [0], "far": 2, "along": "-x"}
    assert [len(step["of"]) for step in taking["steps"] if "of" in step] == [6, 5, 4, 3, 2]


def test_what_does_not_come_apart_and_what_cannot(studio):
    answer = studio.ask("apart", puzzle={"name": "dubois-burr"}, position=assembly("dubois-burr", 1))
    assert (answer["taking"]["level"], answer["taking"]["steps"], answer["checked"]) == (None, [], True)
    assert studio.refused("apart", puzzle={"name": "pentominoes-3x20-tube"}, position=[]) == [
        "the form wraps around, so there is nowhere to take a piece to"
    ]


@IN_A_BROWSER
@pytest.mark.parametrize(
    ("language", "begin", "words", "first"),
    [
        ("en-US", "Take it apart", "Level 6.4: together", "1. The blue piece 120 slides to the left by 2"),
        ("de-DE", "Auseinandernehmen", "Level 6.4: zusammen", "1. Das blaue Teil 120 gleitet um 2 nach links"),
    ],
)
def test_steps_in_space(person, language, begin, words, first):
    one = person(language=language).opens_puzzle("dubois-burr", position=assembly("dubois-burr", 2))
    one.presses(begin)
    said = one.page.locator(".apart-said")
    said.get_by_text(words).wait_for()
    steps = one.page.locator(".apart-steps button")
    assert steps.count() == 13
    forward = one.page.locator(".apart-controls button").nth(3)
    forward.click()
    said.get_by_text(first).wait_for()
    steps.nth(12).click()
    assert said.inner_text().startswith("13. ") and forward.is_disabled()
    assert one.page.locator(".apart-steps [aria-current]").inner_text() == said.inner_text().removeprefix("13. ")


@IN_A_BROWSER
def test_steps_in_the_plane(person):
    built = build_instance(puzzlesat.load(FRAME))
    placed = assembly(FRAME, 1)
    one = person()
    one.opens(people.link(one.address, {"view": "play", "puzzle": {"name": "frame", "table": FRAME}, "position": placed}))
    one.presses("Take it apart")
    one.page.locator(".apart-steps button").nth(0).click()
    moved = [g for g in one.page.locator(".apart-flat > g").all() if g.get_attribute("transform") not in ("translate(0 0)", None)]
    assert len(moved) == 1 and len(placed) == one.page.locator(".apart-flat > g").count() == len(built.puzzle.tiles) + 2
    one.page.locator(".apart-steps button").nth(1).click()
    assert one.page.locator(".apart-flat > g:visible").count() == len(placed) - 1


@IN_A_BROWSER
def test_a_board_that_is_not_full_any_more_offers_nothing(person):
    placed = assembly("dubois-burr", 2)
    one = person().opens_puzzle("dubois-burr", position=placed)
    one.presses("Take it apart")
    one.page.locator(".apart-said").wait_for()
    one.goes_on_to(people.link(one.address, {"view": "play", "name": "dubois-burr", "position": placed[1:]}))
    one.ways()
    assert not one.page.locator(".taking").is_visible()
