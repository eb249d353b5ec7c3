"""Thousands of small random assemblies on all grids: the search, the second look and plain search come to the same."""

from __future__ import annotations

from functools import partial
from itertools import product
from random import Random

import pytest
from plain_search import SMALL, assembly, grid_named, least_sequence, positions_reached

from puzzlesat.disassembly import held, taking
from puzzlesat.disassembly.ground import ground_of, ground_under
from puzzlesat.disassembly.replay import fault_on
from puzzlesat.disassembly.steps import steps_of
from puzzlesat.disassembly.sweeping import swept
from puzzlesat.errors import PuzzleError
from puzzlesat.solvers.run import Limits

ASSEMBLIES = 150
"""On each grid."""


def random_pieces(grid, name, chance):
    """Bodies of random atoms of a box; often one of them is most of it."""
    box, most = SMALL[name]
    places = [(*(c + 1 for c in cell), a) for cell in product(*map(range, box)) for a in range(len(grid.atoms))]
    number = chance.randint(2, most)
    weights = [chance.choice((1, 1, 4, 12)) for _ in range(number)] + [chance.choice((0, 1, 2))]
    owner = chance.choices(range(number + 1), weights, k=len(places))
    pieces = [frozenset(p for p, o in zip(places, owner, strict=True) if o == n) for n in range(number)]
    return [piece for piece in pieces if piece]


@pytest.mark.full
@pytest.mark.parametrize("name", SMALL)
def test_three_ways_to_the_same_answer(name):
    grid, chance = grid_named(name), Random(name)
    directions = [d[: grid.dimension] for d in map(tuple, steps_of(grid).directions.tolist())]
    plain = partial(swept, grid)
    held_so_far = 0
    for _ in range(ASSEMBLIES):
        pieces = random_pieces(grid, name, chance)
        if len(pieces) < 2:
            continue
        try:
            built, options = assembly(grid, pieces)
        except PuzzleError:  # two pieces that are the same are one tile
            continue
        bodies = [built.placements[o].atoms for o in options]
        answer = taking.take_apart(taking.make_bench(built), options, Limits())
        assert (None if answer.parting is None else answer.parting.sequence) == least_sequence(bodies, directions, plain)
        if answer.parting is not None:
            assert fault_on(ground_of(built), options, answer.parting) is None
            continue
        stuck = [bodies[p] for p in answer.stuck]
        assert answer.closed == positions_reached(stuck, directions, plain)
        ground = ground_under(grid, stuck, directions)
        for said in (answer.closed - 1, answer.closed, answer.closed + 1):
            ((sound, fault),) = held.held(ground, [held.Stuck(range(len(stuck)), said)]) if said else ((False, "none"),)
            assert sound == (fault is None) == (said == answer.closed)
        held_so_far += 1
    assert held_so_far > 0
