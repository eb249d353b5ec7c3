"""Origins of published counts that instances refute: each wrong figure is reproduced."""

from dataclasses import replace

import pytest

from helpers import library
from puzzlesat.counting.conventions import conventions
from puzzlesat.counting.crosscheck import Plan, count
from puzzlesat.puzzles.load import load_instance
from tiers import every

REFUTED = {name: instance.expect.refuted for name, instance in library().items() if instance.expect.refuted}


def solutions(puzzle):
    """All solutions, by the tally alone."""
    report = count(puzzle, Plan(solvers=("tally",)))
    assert report.complete
    return report.counts.all


def only(name, tile, *turns):
    """The puzzle of an instance, with a tile restricted to these orientations."""
    puzzle = load_instance(name).puzzle
    allowed = tuple(i for i, symmetry in enumerate(puzzle.grid.symmetries) if symmetry.name in turns)
    assert len(allowed) == len(turns)
    tiles = tuple(replace(t, symmetries=allowed) if t.name == tile else t for t in puzzle.tiles)
    assert tiles != puzzle.tiles
    return replace(puzzle, tiles=tiles, mirrored_same=False)


def published(name):
    """The figure that an instance refutes."""
    (claim,) = REFUTED[name]
    return claim.published


def test_each_refuted_figure_is_looked_into_here():
    assert REFUTED.keys() == {"one-sided-polyominoes-2-3-4-octagon", "polyhexes-1-2-3-4-4x10", "polyhexes-1-2-3-4-5x8"}


@pytest.mark.full
@every("name", ["polyhexes-1-2-3-4-4x10", "polyhexes-1-2-3-4-5x8"])
def test_one_side_of_a_tile_is_half_only_where_a_mirror_maps_the_form_onto_itself(name):
    assert solutions(only(name, "P", "identity", "turn 60", "turn 120")) == published(name)
    one_side = ("identity", "turn 60", "turn 120", "turn 180", "turn 240", "turn 300")
    assert solutions(only(name, "P", *one_side)) == 2 * published(name)


@pytest.mark.full
def test_the_rectangle_turns_and_the_square_beside_it_does_not():
    """Polyform Puzzler publishes 1,522, which is right up to the symmetries of the rectangle alone."""
    name = "polyominoes-1-2-3-4-7x4-plus-one"
    assert solutions(only(name, "L4", "identity", "turn 90")) == 1522
    assert solutions(only(name, "L4", "identity", "turn 90", "turn 180", "turn 270")) == 2 * 1522 == 3044


@pytest.mark.full
def test_what_is_right_in_another_convention_is_not_refuted():
    """Polyform Puzzler publishes 4 for this flower, because it distinguishes mirror images."""
    report = count(load_instance("tetrahexes-flower-2"), Plan(solvers=("backtrack",)))
    assert report.counts.distinct == 2
    assert [c.words for c in conventions(report) if c.figure == 4] == ["up to turns alone, where a mirror image is another solution"]


@pytest.mark.full
def test_the_third_place_of_the_straight_tetromino_in_the_octagon():
    name = "one-sided-polyominoes-2-3-4-octagon"
    puzzle = replace(load_instance(name).puzzle, mirrored_same=False)
    at_the_border, beside_it, left_out = (solutions(replace(puzzle, fixed=(place,))) for place in ("I.1@1.3", "I.1@2.2", "I.1@2.3"))
    assert at_the_border + beside_it == published(name)
    assert 8 * (at_the_border + beside_it + left_out) == load_instance(name).expect.all
