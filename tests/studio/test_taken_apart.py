"""A full board is taken apart in the studio: the question, and a person who steps through the answer."""

import numpy as np
import people
import pytest

import puzzlesat
from draw.browser import IN_A_BROWSER
from helpers import BOTTLE
from puzzlesat.disassembly.data import no_turns
from puzzlesat.disassembly.steps import may_hold
from puzzlesat.pictures.states import TakingApart, slides
from puzzlesat.puzzles.building import build_instance
from tiers import every

pytestmark = pytest.mark.full
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
    for puzzle, turns in ((BOTTLE, True), ("sliproad", True), ("hex-sticks", False), ("pentominoes-3x20-tube", False)):
        assert (no_turns(puzzlesat.load(puzzle).puzzle) is None) == turns


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
    (said,) = studio.refused("apart", puzzle={"name": "pentominoes-3x20-tube"}, position=[])
    assert said == "the form wraps around, so there is nowhere to take a piece to"


@pytest.mark.slow
@IN_A_BROWSER
def test_steps_in_space(person):
    one = person().opens_puzzle("dubois-burr", position=assembly("dubois-burr", 2))
    one.presses("Take it apart")
    said = one.page.locator(".apart-said")
    said.get_by_text("Level 6.4: together").wait_for()
    steps = one.page.locator(".apart-steps button")
    assert steps.count() == 13
    forward = one.page.locator(".apart-controls button").nth(3)
    forward.click()
    said.get_by_text("1. The blue piece 120 slides to the left by 2").wait_for()
    steps.nth(12).click()
    assert said.inner_text().startswith("13. ") and forward.is_disabled()
    assert one.page.locator(".apart-steps [aria-current]").inner_text() == said.inner_text().removeprefix("13. ")
    one.page.locator(".apart-controls input").fill("0")  # the list follows the slider
    assert one.page.evaluate("document.querySelector('.apart-steps').scrollTop") == 0


@IN_A_BROWSER
def test_steps_in_the_plane_and_a_board_that_is_not_full_any_more(person):
    built = build_instance(puzzlesat.load(FRAME))
    placed = assembly(FRAME, 1)
    one = person()
    state = {"view": "play", "puzzle": {"name": "frame", "table": FRAME}}
    one.opens(people.link(one.address, {**state, "position": placed}))
    one.presses("Take it apart")
    one.page.locator(".apart-steps button").nth(0).click()
    moved = [g for g in one.page.locator(".apart-flat > g").all() if g.get_attribute("transform") not in ("translate(0 0)", None)]
    assert len(moved) == 1 and len(placed) == one.page.locator(".apart-flat > g").count() == len(built.puzzle.tiles) + 2
    one.page.locator(".apart-steps button").nth(1).click()
    assert one.page.locator(".apart-flat > g:visible").count() == len(placed) - 1
    one.goes_on_to(people.link(one.address, {**state, "position": placed[1:]})).ways()
    assert not one.page.locator(".taking").is_visible()


def test_pieces_that_turn(studio):
    puzzle, placed = {"name": "bottle", "table": BOTTLE}, assembly(BOTTLE, 1)
    slid = studio.ask("apart", puzzle=puzzle, position=placed)
    assert (slid["taking"]["level"], slid["taking"]["stuck"]) == (None, [0, 1])
    turned = studio.ask("apart", puzzle=puzzle, position=placed, turns="0")
    assert (turned["taking"]["level"], turned["checked"]) == ("2", True)
    first, second = turned["taking"]["steps"]
    assert first == {"of": [0, 1], "pieces": [1], "turn": {"axis": 2, "about": [1.5, 2.5, 0.0], "quarters": 1}}
    assert second == {"by": [0, 5], "pieces": [1], "far": None, "along": "+y"}


def test_what_cannot_turn_is_refused(studio):
    refused = studio.refused("apart", puzzle={"name": "hex-sticks"}, position=[], turns="0")
    assert refused == ["on grid 'rhombic-tetrahedra' pieces are not turned; they are on grids of cubes and of squares"]
    (said,) = studio.refused("apart", puzzle={"name": "dubois-burr"}, position=[], turns="1/2")
    assert said == "--bevel: expected at least 0 and less than 1/4, got 1/2"
    assert "turns: expected" in studio.refused("apart", puzzle={"name": "dubois-burr"}, position=[], turns=1)[0]


@IN_A_BROWSER
def test_a_turn_in_the_plane_in_german(person):
    """Choosing something other than slides starts a new request. In the middle of a step, the piece is turned by half the angle."""
    one = person(language="de-DE", motion=True)
    one.opens(people.link(one.address, {"view": "play", "puzzle": {"name": "bottle", "table": BOTTLE}, "position": assembly(BOTTLE, 1)}))
    one.presses("Auseinandernehmen")
    one.sees("Durch Schieben lässt es sich nicht auseinandernehmen.")
    one.page.get_by_label("Wie sich Teile bewegen dürfen").select_option("0")
    step = one.page.locator(".apart-steps button").first
    step.wait_for()
    one.page.locator(".apart-controls button").nth(3).click()
    domino, angles = one.page.locator(".apart-flat > g").nth(1), [0.0]
    for _ in range(400):
        angles.append(float((domino.get_attribute("transform").split("rotate(")[1:] or ["0 "])[0].split()[0]))
        if angles[-1] == pytest.approx(-90):
            break
        one.page.wait_for_timeout(5)
    first = "1. Das orange Teil domino dreht sich um 90° gegen den Uhrzeigersinn, um die Achse bei x = 1,5 und y = 2,5"
    assert one.page.locator(".apart-said").inner_text().replace("\u00a0", " ") == first
    assert angles[-1] == pytest.approx(-90) and angles == sorted(angles, reverse=True) and any(-80 < angle < -10 for angle in angles)


@pytest.mark.slow
@IN_A_BROWSER
def test_a_turn_in_space_and_a_choice_that_is_no_wider_than_a_telephone(person):
    one = person().opens_puzzle("sliproad", position=assembly("sliproad", 1))
    one.page.get_by_label("How pieces may move").select_option("1/10")
    one.presses("Take it apart")
    one.page.locator(".apart-steps button").nth(4).click()
    said = one.page.locator(".apart-said")
    said.get_by_text("5. ").wait_for()
    words = "piece A turns by 90° clockwise, seen from the right, about the axis at y = 2 and z = 4"
    assert said.inner_text().replace("\u00a0", " ").endswith(words)
    other = person(phone=True, language="de-DE")
    other.page.set_viewport_size({"width": 360, "height": 780})
    other.opens(one.page.url).page.get_by_label("Wie sich Teile bewegen dürfen").wait_for()
    assert other.page.evaluate("document.documentElement.scrollWidth") == 360


@IN_A_BROWSER
@every("name, turned", [("sliproad", 1), ("wedlock", 5)])
def test_after_each_step_pieces_are_where_their_cells_are(person, name, turned):
    """Poses of the animation, a turn and a move, put the cells of every piece where the moves put them."""
    found = puzzlesat.apart(name, turns=True, bevel="1/10", jobs=1).assemblies[0]
    taking = TakingApart(found.built, found.options, found.answer).as_json()
    assert sum("turn" in step for step in taking["steps"]) >= turned
    one = person()
    one.opens()
    shown = one.page.evaluate(
        """async ({ taking, names }) => {
             const { makeTakeApart } = await import("./takeapart.js"), root = document.createElement("div"), seen = [];
             let last;
             const made = makeTakeApart(root, taking, names, { show: (pieces, poses) => { last = { pieces, poses }; }, destroy: () => {} });
             for (let k = 1; k <= taking.steps.length; k++) { made.go(k, true); seen.push(last); }
             made.destroy();
             return seen;
           }""",
        {"taking": taking, "names": list(found.names)},
    )
    whole = {i: found.built.placements[o].atoms for i, o in enumerate(found.options)}
    for step, one_shown in zip(slides(found.built.puzzle.grid, whole, found.answer.parting), shown, strict=True):
        assert sorted(one_shown["pieces"]) == sorted(step.pieces)
        for piece, pose in zip(one_shown["pieces"], one_shown["poses"], strict=True):
            assert {at(pose, atom[:3]) for atom in whole[piece]} == {atom[:3] for atom in step.pieces[piece]}


def at(pose, cell):
    """Return the cell to which a pose takes a cell: turned by its quaternion, then moved."""
    axis, real = np.array(pose["turn"][:3]), pose["turn"][3]
    there = cell + 2 * np.cross(axis, np.cross(axis, cell) + real * np.array(cell)) + pose["by"]
    assert np.allclose(there, there.round(), atol=1e-9)
    return tuple(there.round().astype(int).tolist())
