"""Directions and swept places: by hand, as BurrTools has them, and by the two ways in which the program works them out."""

from __future__ import annotations

from itertools import product

import pytest
from plain_search import grid_named

from puzzlesat.disassembly.steps import NEVER, steps_of
from puzzlesat.disassembly.sweeping import swept
from puzzlesat.errors import NotSupportedError
from tiers import of_which

BODIES = ["square", "triangle", "hexagon", "tans", "kites", "rhombille", "cube", "prisms", "balls", "tetra-octa", "truncated-octahedra"]


def ways(name):
    grid = grid_named(name)
    return {tuple(d[: grid.dimension]) for d in steps_of(grid).directions.tolist()}


def both(*directions):
    return {*directions, *(tuple(-x for x in d) for d in directions)}


def test_cubes_and_prisms_move_as_in_burrtools():
    """The directions of its movement caches: prisms go up, along their sides, and no other way."""
    assert ways("cube") == both((1, 0, 0), (0, 1, 0), (0, 0, 1))
    assert ways("prisms") == both((0, 0, 1), (1, 0, 0), (0, 1, 0), (-1, 1, 0))


def test_balls_go_to_their_neighbours_and_between_them():
    grid = grid_named("balls")
    assert len(ways("balls")) == 12 + 6 + 8
    assert {n[:-1] for n in grid.neighbours((0, 0, 0, 0))} < ways("balls")


def test_faces_slide_along_each_other_in_the_plane():
    assert ways("square") == both((1, 0), (0, 1))
    assert ways("tans") == both((1, 0), (0, 1), (1, 1), (-1, 1))


@pytest.mark.parametrize("name", ["square-edges", "square-slots", "hexagon-edges"])
def test_edges_are_no_bodies(name):
    with pytest.raises(NotSupportedError, match="cannot slide apart"):
        steps_of(grid_named(name))


def test_what_a_prism_sweeps():
    """By hand: along a side it goes through the prism of the other kind before it, and into its own place there; upwards through one."""
    grid = grid_named("prisms")
    up, down = grid.index("up"), grid.index("down")
    assert set(swept(grid, up, (1, 0, 0))) == {(0, 0, 0, down), (1, 0, 0, up)}
    assert set(swept(grid, down, (1, 0, 0))) == {(1, 0, 0, up), (1, 0, 0, down)}
    assert set(swept(grid, up, (0, 1, 0))) == {(0, 0, 0, down), (0, 1, 0, up)}
    assert set(swept(grid, up, (0, 0, 1))) == {(0, 0, 1, up)}


def test_a_ball_that_goes_to_its_neighbour_sweeps_what_touches_both():
    grid = grid_named("balls")
    near = {n[:-1] for n in grid.neighbours((0, 0, 0, 0))}
    for step in near:
        common = near & {tuple(a + b for a, b in zip(step, n, strict=True)) for n in near}
        assert {place[:-1] for place in swept(grid, 0, step)} == {step, *common}
        assert len(common) == 4


@pytest.mark.parametrize("name", of_which(BODIES, *BODIES[:-2]))
def test_two_ways_to_say_what_an_atom_runs_into(name):
    """The table of the search says when a ray enters the difference of two atoms; the replay whether a swept atom meets another."""
    grid = grid_named(name)
    steps = steps_of(grid)
    box = [(*c, *[0] * (3 - grid.dimension)) for c in product(range(-3, 4), repeat=grid.dimension)]
    for d, direction in enumerate(steps.directions.tolist()):
        for a, b in product(range(len(grid.atoms)), repeat=2):
            at_once = set()
            for cell in box:
                u, v, w = (steps.frames[d] @ cell).tolist()
                if max(abs(u), abs(v)) <= steps.reach:
                    after = int(steps.meets[d, a, b, u + steps.reach, v + steps.reach])
                    if after != NEVER and after + w == 0:
                        at_once.add(cell[: grid.dimension])
            entered = {place[:-1] for place in swept(grid, a, tuple(direction[: grid.dimension])) if place[-1] == b}
            assert {c for c in entered if max(map(abs, c)) <= 3} == at_once
