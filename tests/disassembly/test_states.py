"""The state graph of an assembly: by hand, against plain search, and against other known figures of the same assemblies."""

from functools import partial
from itertools import product
from random import Random
from xml.etree import ElementTree

import pytest
from plain_search import FAR, _look, _moves, _sets, assembly, grid_named

import puzzlesat
from puzzlesat.base.limits import Limits
from puzzlesat.disassembly.data import bodies_of
from puzzlesat.disassembly.states import MAX_STATES, States
from puzzlesat.disassembly.steps import steps_of
from puzzlesat.disassembly.verification import swept
from puzzlesat.pictures import states as drawn
from tiers import every


def states_in(built, options, most=MAX_STATES):
    return States.of(bodies_of(built), options, Limits(), most=most)


@pytest.fixture(scope="module")
def unique():
    """The only assembly of a burr of level 10: 21 states."""
    return puzzlesat.apart("computers-choice-unique-10", jobs=1).assemblies[0]


def plain_states(pieces, directions, plain):
    """Count states and edges by every set of pieces, direction and number of steps."""
    names = list(range(len(pieces)))
    start = dict(enumerate(map(frozenset, pieces)))
    depth, rim, edges, exits = {_look(start, names): 0}, [start], set(), set()
    for here in rim:
        look, found = _look(here, names), []
        for moving, direction in product(_sets(names), directions):
            found.append(list(_moves(here, moving, direction, plain)))
        if any(len(moves) == FAR for moves in found):
            exits.add(look)
            continue
        for there in [there for moves in found for there in moves]:
            other = _look(there, names)
            edges.add(frozenset((look, other)))
            if other not in depth:
                depth[other] = depth[look] + 1
                rim.append(there)
    layers = [sum(d == layer for d in depth.values()) for layer in range(max(depth.values()) + 1)]
    return layers, len(edges), len(exits)


def counted_plainly(built, options):
    grid = built.puzzle.grid
    directions = [d[: grid.dimension] for d in map(tuple, steps_of(grid).directions.tolist())]
    return plain_states([built.placements[o].atoms for o in options], directions, partial(swept, grid))


def test_a_domino_in_a_channel_by_hand():
    """The domino starts low on the left and can move right or up; from both upper places it is free to the left."""
    grid = grid_named("square")
    wall = [(x, y, 0) for y, row in enumerate(("#####", "....#", "#...#", "#####")) for x, c in enumerate(row) if c == "#"]
    built, options = assembly(grid, [frozenset(wall), frozenset({(1, 2, 0), (2, 2, 0)})])
    states = states_in(built, options)
    assert (len(states), states.layers, len(states.edges), states.complete) == (4, [1, 2, 1], 3, True)
    assert (states.first, states.ways, int(states.exits.sum()), int(states.dead_ends.sum())) == (2, 1, 2, 0)
    assert states.branching == 2.0
    assert states.shortest.tolist() == [True, *(states.exits & (states.depth == 1))[1:].tolist()]
    assert {tuple(m.pieces) for m in states.moves} == {(1,)} and {m.steps for m in states.moves} == {1}


SHAPES = ((0, 0),), ((0, 0), (1, 0)), ((0, 0), (1, 0), (0, 1))


def room_with_pieces(chance):
    """A room of 3 x 3, perhaps with a door, and some pieces in it."""
    border = [(x, y) for x, y in product(range(5), repeat=2) if {x, y} & {0, 4}]
    door = chance.choice([(0, 2), (2, 4), (4, 1), None])
    free, pieces = set(product(range(1, 4), repeat=2)), []
    for shape in chance.sample(SHAPES, chance.randint(1, 3)):
        x, y = chance.choice(sorted(free))
        cells = {(x + u, y + v) for u, v in shape}
        if cells <= free:
            free -= cells
            pieces.append(cells)
    return [frozenset((x, y, 0) for x, y in piece) for piece in ([c for c in border if c != door], *pieces)]


@pytest.mark.full
def test_rooms_with_pieces_against_plain_search():
    grid, chance = grid_named("square"), Random("rooms")
    most, out = 0, 0
    for _ in range(25):
        pieces = room_with_pieces(chance)
        if len(pieces) < 2:
            continue
        built, options = assembly(grid, pieces)
        states = states_in(built, options)
        assert (states.layers, len(states.edges), int(states.exits.sum())) == counted_plainly(built, options)
        most, out = max(most, len(states)), out + ((states.first or 0) > 1)
    assert most > 40 and out > 3


@pytest.mark.full
@every("name, number", [("loves-dozen", 106), ("dubois-burr", 2), ("dubois-burr", 1)])
def test_burrs_against_plain_search(name, number):
    found = puzzlesat.apart(name, nth=number, jobs=1).assemblies[0]
    states = found.states()
    assert (states.layers, len(states.edges), int(states.exits.sum())) == counted_plainly(found.built, found.options)


@pytest.mark.full
@every("name", ["loves-dozen", "cube-in-cage", "piston-burr", "six-piece-burr"])
def test_what_is_known_of_the_same_assemblies(name):
    """The nearest exit is where the search finds it; interlocking pieces have as many states as the second enumeration counts."""
    found = puzzlesat.apart(name, jobs=1)
    bodies = bodies_of(found.built)
    for each in found.assemblies:
        states = States.of(bodies, each.options, Limits())
        assert states.complete and (each.first is None or states.first == each.first)
        if len(each.answer.stuck) == len(each.options):
            assert each.checked and len(states) == each.answer.closed and states.first is None
        assert states.layers[0] == 1 and sum(states.layers) == len(states) and states.ways >= (states.first is not None)
        assert states.parent[0] == -1 and (states.depth[states.parent[1:]] == states.depth[1:] - 1).all()


@pytest.mark.full
def test_moves_lead_from_state_to_state(unique):
    each = unique
    states = each.states()
    for (here, there), move in zip(states.edges.tolist(), states.moves, strict=True):
        places = states.places[here].copy()
        places[[*move.pieces]] += [move.steps * x for x in move.direction]
        assert (places - places[0] == states.places[there]).all() and len(move.pieces) <= len(places) // 2
    states = states_in(each.built, each.options, most=9)
    assert not states.complete and states.why == "there are more than 9 states" and 9 < len(states) < 21


@pytest.mark.full
def test_figures_of_loves_dozen():
    found = puzzlesat.apart("loves-dozen", jobs=1)
    best = found.assemblies[0]
    assert (best.level, best.first, best.total, found.unique, found.unique_highest) == ("12.3", 12, 18, False, True)
    states = best.states()
    assert (len(states), len(states.edges), states.ways, int(states.dead_ends.sum())) == (18, 23, 2, 5)
    part = puzzlesat.apart("loves-dozen", jobs=1, limit=150)
    assert part.complete and part.unique_highest
    assert puzzlesat.apart("cube-in-cage", jobs=1).unique


@pytest.mark.full
def test_a_picture_has_every_state_and_says_what_it_leaves_out(monkeypatch, unique):
    states = unique.states()
    laid = drawn.lay_out(states)
    assert len(laid.shown) == len(states) and len({(x, y) for x, y in laid.at.tolist()}) == len(states)
    assert (laid.at >= 0).all() and laid.at[:, 0].max() <= laid.width and laid.at[:, 1].max() <= laid.height
    assert "drawn:" not in drawn.StateGraph(states).svg()
    monkeypatch.setattr(drawn, "MAX_DRAWN_STATES", 12)
    less = drawn.lay_out(states)
    assert len(less.shown) == 12 and set(states.shortest.nonzero()[0]) <= set(less.shown)
    svg = drawn.StateGraph(states).svg("<&")
    assert "drawn: 12 of 21 states" in svg and ElementTree.fromstring(svg)[0].text == "<&"


@pytest.mark.full
def test_the_page_gets_a_way_to_each_state_that_is_drawn(monkeypatch, unique):
    """If a state is drawn, so are its predecessors, even if other states are not."""
    states = unique.states()
    for most in (len(states), 12):
        monkeypatch.setattr(drawn, "MAX_DRAWN_STATES", most)
        nodes = drawn.StateGraph(states).as_json()["nodes"]
        assert [node["number"] for node in nodes if "step" not in node] == [0] and len(nodes) == most
        assert all(nodes[node["from"]]["depth"] == node["depth"] - 1 for node in nodes[1:])
