"""Six-piece burrs of high levels: how many assemblies there are, how many come apart and at which level, as others have published it."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest
from plain_search import least_sequence

import puzzlesat
from puzzlesat.counting.listing import solutions
from puzzlesat.cover.instance import build_instance
from puzzlesat.disassembly.run import checked
from puzzlesat.disassembly.steps import steps_of
from puzzlesat.disassembly.sweeping import swept
from puzzlesat.disassembly.taking import make_bench
from puzzlesat.solvers.run import Limits

PUBLISHED = {
    "dubois-burr": (2, 1, "6.4"),
    "piston-burr": (10, 1, "9.3"),
    "loves-dozen": (154, 90, "12.3"),
}
"""The sources are in the instances; of Love's Dozen they have the first number of the level."""


def answers(name):
    built = build_instance(puzzlesat.load(name))
    bench = make_bench(built, built.instance.together)
    rows = [*solutions(built, "backtrack", Limits(), distinct=True)]
    return built, [(row, checked(built, bench, row, Limits())) for row in rows]


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_is_published_of_six_piece_burrs(name):
    _, found = answers(name)
    apart = [answer.parting for _, answer in found if answer.parting is not None]
    highest = max(apart, key=lambda parting: parting.sequence)
    assert (len(found), len(apart), highest.level) == PUBLISHED[name]
    assert Counter(parting.sequence[0] for parting in apart)[highest.sequence[0]] == 1


def test_pieces_of_eight_cubes():
    """The burr of level 10 is said to be one of pieces eight long, and the only way."""
    _, found = answers("computers-choice-unique-10")
    (parting,) = [answer.parting for _, answer in found if answer.parting is not None]
    assert parting.sequence[0] == 10


@pytest.mark.parametrize("name", PUBLISHED)
def test_plain_search_comes_to_the_same_level(name):
    """The highest one, by trying every set of pieces in every direction."""
    built, found = answers(name)
    grid = built.puzzle.grid
    directions = [tuple(d) for d in steps_of(grid).directions.tolist()]
    row, answer = max(((row, answer) for row, answer in found if answer.parting is not None), key=lambda each: each[1].parting.sequence)
    pieces = [built.placements[o].atoms for o in row]
    assert least_sequence(pieces, directions, partial(swept, grid)) == answer.parting.sequence
