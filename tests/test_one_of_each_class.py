"""One solution of each class: the same solutions, whether found among all or with the symmetry broken on a tile."""

import puzzlesat
from puzzlesat.base.arrays import padded_rows
from puzzlesat.base.limits import Limits
from puzzlesat.counting import listing
from puzzlesat.counting.listing import solutions
from puzzlesat.puzzles.building import build_instance
from puzzlesat.solvers.tile_choice import tile_to_break
from tiers import every


@every(
    "name",
    ["diabolical-cube", "hexiamonds-x", "hexiamonds-trefoil", "instant-insanity", "langford-7", "absolut-knifflig"],
    fast=("absolut-knifflig",),
)
def test_the_least_image_of_each_class_comes_once(name, monkeypatch):
    monkeypatch.setattr(listing, "SMALL", 0)
    built = build_instance(puzzlesat.load(name))
    assert tile_to_break(built.problem) is not None
    every = padded_rows([*solutions(built, "backtrack", Limits())])
    least = every[built.problem.option_images.are_least(every)]
    found = [*solutions(built, "backtrack", Limits(), distinct=True)]
    assert sorted(found) == sorted(tuple(row[row >= 0].tolist()) for row in least)


def test_what_is_given_breaks_the_symmetry_already():
    built = build_instance(puzzlesat.load("hexiamonds-x"))
    first = next(iter(solutions(built, "backtrack", Limits())))
    found = [*solutions(built, "backtrack", Limits(), [first[0]], distinct=True)]
    assert found and all(first[0] in row for row in found)
