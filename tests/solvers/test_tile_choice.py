"""The choice of the tile that breaks the symmetry: every tile gives the same count, and the tile with the shortest search is chosen."""

import pytest

import puzzlesat
from puzzlesat.base.limits import Limits
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.reductions import reduce
from puzzlesat.solvers import backtrack, tile_choice
from puzzlesat.solvers.tile_choice import shortest, tile_to_break
from puzzlesat.studies.coordinator import RunOptions
from puzzlesat.studies.running import count_in_store
from puzzlesat.studies.store import open_to_read
from puzzlesat.studies.study import subjects
from puzzlesat.studies.work import Processes
from tiers import every

ONE_CORE = Limits(cores=1)
LONGER = "hivert-8x8"
"""A search of 47,392 nodes by the tile with most placements, B, and of 7,922 by H."""


def built(name):
    return build_instance(puzzlesat.load(name))


@pytest.fixture(autouse=True)
def tried(monkeypatch):
    """Try the tiles for shorter searches too, so that the tests are quick."""
    monkeypatch.setattr(tile_choice, "MIN_SEARCH_NODES", 1)


def nodes_by(problem, tile):
    return backtrack.solve(reduce(problem, break_on=tile).problem, None, ONE_CORE).work["nodes"]


@every(("name", "solutions"), [("pentominoes-8x8-centre", 520), ("hexiamonds-6x6", 624), ("soma", 11520)], fast=("soma",))
def test_any_tile_gives_the_same_count(name, solutions):
    problem = built(name).problem
    tiles = problem.breaking_tiles()
    assert len(tiles) >= 6
    for tile in tiles:
        broken = reduce(problem, break_on=problem.items[tile])
        assert broken.broken_on == problem.items[tile]
        assert broken.after_symmetry < broken.placements
        assert backtrack.solve(broken.problem, None, ONE_CORE).weighted == solutions


@pytest.mark.full
def test_the_tile_of_a_long_search_makes_it_shorter_and_is_the_same_again():
    problem = built(LONGER).problem
    rule, chosen = problem.items[problem.choose_tile()], tile_to_break(problem)
    assert chosen == shortest(problem) == tile_to_break(built(LONGER).problem) != rule
    assert nodes_by(problem, chosen) < nodes_by(problem, rule) / 2


def test_a_short_search_keeps_the_tile_of_the_rule_and_a_named_one_is_kept():
    problem = built("soma").problem
    assert shortest(problem) is None
    assert tile_to_break(problem) == problem.items[problem.choose_tile()]
    assert tile_to_break(built(LONGER).problem, "B") == "B"


@pytest.mark.full
def test_the_tiles_are_tried_only_where_that_can_pay(monkeypatch):
    monkeypatch.undo()
    assert shortest(built(LONGER).problem) is None
    problem = built("octogram").problem
    assert tile_to_break(problem) not in (None, problem.items[problem.choose_tile()])


@pytest.mark.full
def test_a_store_names_its_tile(tmp_path):
    puzzle, store, options = built(LONGER), tmp_path / "a", RunOptions()
    options.limits.stop.set()  # nothing is counted
    count_in_store(*subjects([LONGER]), puzzle.instance, store, Processes(1), options)
    with open_to_read(store) as opened:
        ((_, begun),) = opened.puzzles()
    assert begun.table["break_on"] == tile_to_break(puzzle.problem)
