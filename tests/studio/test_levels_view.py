"""The view that takes all assemblies of a puzzle apart: its questions, and a person who looks at levels, assemblies and states."""

import people
import pytest

import puzzlesat
from draw.browser import IN_A_BROWSER
from puzzlesat.base.limits import Limits
from puzzlesat.disassembly.data import bodies_of
from puzzlesat.disassembly.states import States


@pytest.mark.full
def test_every_assembly_with_its_figures(studio):
    known = puzzlesat.apart("loves-dozen", jobs=1)
    bodies = bodies_of(known.built)
    events = studio.events("levels", puzzle={"name": "loves-dozen"})
    found = {each["number"]: each for kind, what in events if kind == "found" for each in what["assemblies"]}
    assert len(found) == len(known.assemblies) == 154
    for each in known.assemblies:
        said = found[each.number]
        assert (said["level"], said["least"], said["apart"], said["options"]) == (each.level, each.least, each.apart, list(each.options))
        assert said["moves"] == (None if each.moves is None else list(each.moves))
        assert said["states"] == len(States.of(bodies, each.options, Limits()))
    _, end = events[-1]
    assert (end["assemblies"], end["apart"], end["checked"], end["decided"]) == (154, 90, 154, True)


@pytest.mark.full
def test_the_graph_of_states_is_that_of_the_command(studio):
    best = puzzlesat.apart("computers-choice-unique-10", jobs=1).assemblies[0]
    states = best.states()
    found = studio.ask("states", puzzle={"name": "computers-choice-unique-10"}, position=list(best.names))
    assert (found["states"], found["moves"], found["layers"], found["first"]) == (len(states), len(states.edges), states.layers, 10)
    kinds = [node["kind"] for node in found["nodes"]]
    assert (kinds.count("dead"), kinds.count("exit"), kinds.count("short")) == (7, 1, 9)
    for node in found["nodes"][1:]:  # the steps lead to the state
        places, here = states.places[0].copy(), node
        while "step" in here:
            places[here["step"]["pieces"]] += here["step"]["by"]
            here = found["nodes"][here["from"]]
        assert (places - places[0] == states.places[node["number"]]).all()


@IN_A_BROWSER
def test_a_state_is_looked_at_and_the_way_there_played(person):
    one = person().opens_puzzle("computers-choice-unique-10", view="apart")
    one.page.locator(".many", has_text="Only assembly 5 comes apart.").wait_for()
    graph = one.page.locator(".state-picture svg[role=listbox]")
    graph.wait_for()
    assert one.page.locator(".state-picture .state").count() == 21 and one.page.locator(".apart-steps li").count() == 14
    graph.focus()
    for _ in range(9):
        one.page.keyboard.press("ArrowDown")
    one.page.keyboard.press("Home")
    one.page.locator(".state-picture .state.exit").hover()
    one.page.locator(".state-said", has_text="State 20, 9 moves from the start, way out").wait_for()
    graph.press("Enter")
    one.page.locator("#apart-one", has_text="Assembly 5: the way to state 20").wait_for()
    assert one.page.locator(".apart-steps li").count() == 9
    one.presses("The whole way apart")
    assert one.page.locator(".apart-steps li").count() == 14


@pytest.mark.slow
@IN_A_BROWSER
def test_levels_and_their_assemblies_are_chosen(person):
    one = person().opens_puzzle("loves-dozen", view="apart")
    one.page.locator(".many", has_text="Only assembly 106 has the highest level, 12.3.").wait_for()
    rows = one.page.locator(".levels tbody tr")
    assert rows.first.inner_text().split() == ["12.3", "18", "1"] and rows.last.inner_text().split()[-1] == "64"
    one.page.locator(".levels").get_by_role("button", name="4.4", exact=True).click()
    one.page.locator("#apart-one", has_text="Assembly 149").wait_for()
    assert [row.split()[0] for row in one.page.locator(".assemblies tbody tr").all_inner_texts()] == ["149", "151"]
    one.page.locator(".assemblies").get_by_role("button", name="151").click()
    one.page.locator("#apart-one", has_text="Assembly 151").wait_for()
    one.page.locator(".state-figures").get_by_text("before the first piece is away").wait_for()
    one.page.locator(".levels").get_by_role("button", name="does not come apart").click()
    one.page.locator(".state-figures").get_by_text("no piece can leave").or_(one.page.get_by_text("Nothing can move")).wait_for()
    one.presses("Put it on the board")
    assert one.ways() == "0" or one.page.locator(".taking").is_visible()


@pytest.mark.slow
@IN_A_BROWSER
def test_the_view_is_offered_where_pieces_may_hold_each_other_and_it_is_stopped(person):
    one = person().opens_puzzle("domino-and-square-3x2")
    one.ways()
    assert not one.page.locator("#views").get_by_role("button", name="Levels").count()
    one.goes_on_to(people.link(one.address, {"view": "play", "name": "hex-sticks"}))
    one.page.locator("#views").get_by_role("button", name="Levels").click()
    one.page.get_by_role("button", name="Stop").click()
    one.page.get_by_role("button", name="Take all apart").or_(one.page.get_by_role("button", name="Start again")).click()
    one.page.locator(".levels tbody tr").first.wait_for()
