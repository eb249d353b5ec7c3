"""Symmetry broken for a count, on problems that have it or only say so; and the tile that breaks it with the shortest search."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import puzzlesat
from brute_force import TooMuch, puzzleless_solutions
from helpers import load
from puzzlesat.base import Limits, NotSupportedError, joined_rows, padded_rows
from puzzlesat.puzzles import Condition, build_instance, reduce
from puzzlesat.solvers import backtrack, solver, tile_choice
from puzzlesat.solvers.tables import make_tables, start_state
from puzzlesat.solvers.tally.moves import make_moves
from puzzlesat.solvers.tally.solve import break_symmetry, symmetries_of
from puzzlesat.solvers.tile_choice import estimated, item_to_break, shortest
from puzzlesat.studies import RunOptions, count_in_store, open_to_read, subjects
from puzzlesat.studies.work import Processes
from tally_ways import tally_by
from tiers import every, tries
from try_problems import symmetric_problem


def counted(problem):
    """Return the count with the symmetry broken wherever possible."""
    with tally_by("symmetry broken"):
        return solver("tally")(problem)(None, Limits()).found


def is_symmetry(problem, image):
    """Return whether some permutation of the items matches one of the options. A slow check item by item, independent of the program."""
    if sorted(image.tolist()) != list(range(problem.size)):
        return False
    sets = [frozenset(problem.items_of(o).tolist()) for o in range(problem.size)]
    users = [frozenset(o for o in range(problem.size) if i in sets[o]) for i in range(len(problem.items))]
    look = [(users[i], problem.low[i], problem.high[i]) for i in range(len(problem.items))]
    moved = [(frozenset(image[list(users[i])].tolist()), problem.low[i], problem.high[i]) for i in range(len(problem.items))]
    return all(look.count(x) == moved.count(x) for x in {*look, *moved})


def spoilt(random, images):
    """Symmetries, some of which are wrong."""
    images = images.copy()
    row, kind = random.randrange(len(images)), random.choice(["swap", "shuffle", "same", "outside", "all"])
    some = np.array(random.sample(range(images.shape[1]), images.shape[1]), dtype=np.int32)
    if kind == "swap":
        images[row, some[:2]] = images[row, some[:2][::-1]]
    elif kind == "shuffle":
        images[row] = some
    elif kind == "same":
        images[row] = images[row, 0]
    elif kind == "outside":
        images[row, some[0]] = random.choice([-1, images.shape[1]])
    else:
        images[:] = np.array([random.sample(range(images.shape[1]), images.shape[1]) for _ in images])
    return images


def plain(random):
    """A problem with symmetries and without colours."""
    while True:
        problem = symmetric_problem(random)
        if problem.images is not None and not problem.coloured.any():
            return problem


@pytest.mark.full
@pytest.mark.sampled
def test_symmetries_are_believed_if_they_are_some():
    """A row is kept if and only if some permutation of the items matches it."""
    seen = {True: 0, False: 0}
    for seed in range(tries(600)):
        random = Random(seed)
        problem = plain(random)
        for images in (problem.images, spoilt(random, problem.images)):
            some = replace(problem, images=images)
            honest = [row.tolist() for row in images if is_symmetry(some, row)]
            assert symmetries_of(some).tolist() == honest, f"seed {seed}"
            seen[len(honest) == len(images)] += 1
    assert min(seen.values()) > 20


@pytest.mark.full
def test_wrong_symmetries_spoil_no_count():
    broken = 0
    for seed in range(tries(600)):
        random = Random(seed)
        problem = plain(random)
        wrong = replace(problem, images=spoilt(random, problem.images))
        try:
            assert counted(wrong) == len(set(puzzleless_solutions(problem))), f"seed {seed}"
        except (NotSupportedError, TooMuch):
            continue
        with tally_by("symmetry broken"):
            moves, _, order = make_moves(problem)
            broken += break_symmetry(problem, moves, order)[0] is not moves
    assert broken > tries(600) / 20


@pytest.mark.full
def test_a_condition_that_tells_images_apart_is_heeded():
    """A condition that allows one solution of eight and forbids its images."""
    problem = replace(build_instance(puzzlesat.load("pentominoes-3x20")).problem, conditions=())
    listed = []
    solver("backtrack")(problem)(lambda rows: listed.extend(rows.tolist()), Limits())
    assert len(listed) == 8
    for chosen in listed:
        weights = np.isin(np.arange(problem.size), chosen).astype(np.int64)
        told = replace(problem, conditions=(Condition("all of one solution", weights, 12, 12),))
        assert len(symmetries_of(told)) == 1
        assert counted(told) == 1


@every(
    ("name", "each"),
    [("pentominoes-6x10", 4), ("pentominoes-5x12", 2), ("pentominoes-8x8-centre", 8), ("soma", 24), ("pentominoes-3x20", 1)],
    fast=1,
)
def test_it_is_broken_where_it_saves_something(name, each):
    """One of four I pentominoes in 6 x 10; in 5 x 12, placements in the middle row represent two, all others count twice."""
    problem = build_instance(puzzlesat.load(name)).problem
    moves, _, order = make_moves(problem)
    left, again, stands_for = break_symmetry(problem, moves, order)
    assert stands_for == each
    assert sorted(again.tolist()) == sorted(order.tolist())
    removed = np.setdiff1d(moves.option, left.option)
    owners = {int(np.intersect1d(problem.items_of(o), problem.tiles)[0]) for o in removed.tolist()}
    assert len(owners) == (each > 1)
    for tile in owners:
        own = problem.options_of[tile]
        assert each * np.isin(left.option, own).sum() == len(own)
    assert np.bincount(left.option).max() == (2 if name == "pentominoes-5x12" else 1)


def test_a_form_for_which_nothing_fits_has_symmetries_too():
    form = {"title": "t", "grid": "square", "flips": True, "tiles": {"t": {"atoms": [[1, 1, "f"], [2, 1, "f"]]}}, "form": {"box": [1, 1]}}
    problem = build_instance(load(form)).problem
    assert problem.size == 0
    assert problem.images is not None
    assert len(symmetries_of(problem)) == len(problem.images)
    assert counted(problem) == 0


def test_what_has_colours_or_no_symmetry_is_left_as_it_is():
    problem = build_instance(puzzlesat.load("pentominoes-6x10")).problem
    moves, _, order = make_moves(problem)
    for other in (replace(problem, images=None), replace(problem, images=problem.images[:1]), replace(problem, coloured=~problem.coloured)):
        assert break_symmetry(other, moves, order) == (moves, order, 1)


ONE_CORE = Limits(cores=1)
LONGER = "hivert-8x8"
"""A search of 47,392 nodes by the tile with most placements, B, and of 7,922 by H."""


def built(name):
    return build_instance(puzzlesat.load(name))


@pytest.fixture(autouse=True)
def tried(monkeypatch):
    """The tiles are tried for shorter searches, too, so that the tests take no minutes."""
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


L = {"L": {"picture": "#.\n##", "copies": "any"}}
ALONE = {
    "dominoes in a square": ({"D": {"picture": "##", "copies": "any"}}, {"box": [4, 4]}),
    "trominoes without a corner": (L, {"box": [4, 4], "remove": [[1, 1]]}),
    "two pairs": ({"I": {"picture": "###", "copies": 2}, "L": {"picture": "#.\n##", "copies": 2}}, {"box": [4, 3]}),
    "with room": ({"L": {"picture": "#.\n##", "copies": 2}}, {"box": [3, 3], "optional": [[1, 1], [3, 1], [1, 3], [3, 3]]}),
}
"""Puzzles in which no tile can break the symmetry."""


@every("name", ALONE, fast=("with room", "two pairs"))
def test_an_atom_breaks_the_symmetry_where_no_tile_does(name):
    """Every atom that can break it gives the count of plain enumeration, and all solutions up to symmetry."""
    tiles, form = ALONE[name]
    problem = build_instance(load({"title": "t", "grid": "square", "flips": True, "tiles": tiles, "form": form})).problem
    expected = puzzleless_solutions(problem)
    assert expected and not problem.breaking_tiles() and problem.choose_item() == problem.breaking_atoms()[0]
    for atom in np.flatnonzero((problem.low == 1) & (problem.high == 1)).tolist():
        broken = problem.break_symmetry(atom)
        assert backtrack.solve(broken, None, ONE_CORE).weighted == len(expected)
        blocks = []
        backtrack.solve(broken, lambda rows: blocks.append(broken.of_the_whole(rows)), ONE_CORE)  # noqa: B023
        found = problem.option_images.one_of_each(joined_rows(blocks), broken)
        distinct = {tuple(row[row >= 0].tolist()) for row in problem.option_images.distinct(padded_rows(expected))}
        assert sorted(tuple(row[row >= 0].tolist()) for row in found) == sorted(distinct)


@pytest.mark.full
def test_y_pentacubes_begin_in_the_middle_of_a_cube():
    puzzle = {"title": "t", "grid": "cube", "flips": True, "turns": "all", "tiles": {"Y": {"picture": "####\n.#..", "copies": "any"}}}
    problem = build_instance(load({**puzzle, "form": {"box": [5, 5, 5]}})).problem
    broken = problem.break_symmetry(problem.choose_item())
    assert problem.items[broken.broken_on] == item_to_break(problem) == "[3, 3, 3]"
    kept = broken.options_of[broken.broken_on]
    assert (len(kept), broken.weight[kept].tolist()) == (3, [24, 24, 24])
    outcome = backtrack.solve(problem, None, Limits())
    assert (outcome.found, outcome.work["nodes"] < 15_000_000) == (60_672, True)


@pytest.mark.full
def test_the_tile_of_a_long_search_makes_it_shorter_and_is_the_same_again():
    problem = built(LONGER).problem
    rule, chosen = problem.items[problem.choose_item()], item_to_break(problem)
    assert chosen == shortest(problem) == item_to_break(built(LONGER).problem) != rule
    assert nodes_by(problem, chosen) < nodes_by(problem, rule) / 2
    searched = backtrack.solve(built(LONGER).problem, None, ONE_CORE, layout="bitsets")
    assert (searched.found, searched.work["nodes"] < nodes_by(problem, rule) / 2) == (328, True)


def test_an_estimate_from_all_subtrees_is_exact():
    broken = reduce(built("soma").problem, dead=False).problem
    tables = make_tables(broken)
    estimate = estimated(tables, start_state(tables, broken, ()), 1 << 18)
    assert (estimate.nodes, estimate.error) == (backtrack.solve(broken, None, ONE_CORE).work["nodes"], 0)


def test_a_short_search_keeps_the_tile_of_the_rule_and_a_named_one_is_kept(monkeypatch):
    monkeypatch.undo()
    problem = built("soma").problem
    assert shortest(problem) is None
    assert item_to_break(problem) == problem.items[problem.choose_item()]
    assert item_to_break(built(LONGER).problem, "B") == "B"


@pytest.mark.full
def test_the_tiles_are_tried_only_where_that_can_pay(monkeypatch):
    monkeypatch.undo()
    assert shortest(built(LONGER).problem) is None
    problem = built("octogram").problem
    assert item_to_break(problem) not in (None, problem.items[problem.choose_item()])


@pytest.mark.full
def test_a_store_names_its_tile(tmp_path):
    puzzle, store, options = built(LONGER), tmp_path / "a", RunOptions()
    options.limits.stop.set()  # nothing is counted
    count_in_store(*subjects([LONGER]), puzzle.instance, store, Processes(1), options)
    with open_to_read(store) as opened:
        ((_, begun),) = opened.puzzles()
    assert begun.table["break_on"] == item_to_break(puzzle.problem)
