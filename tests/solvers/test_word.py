"""Counting in one call: words of all lengths, symmetries, and problems left to other layouts."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from brute_force import TooMuch
from compare import judged_and_built
from puzzlesat import load
from puzzlesat.base.limits import Limits
from puzzlesat.puzzles import Condition, build_instance, reduce
from puzzlesat.solvers import backtrack, small_problem
from random_puzzles import random_puzzle
from search_paths import at_once
from strategies import enumerated, problem_of
from tiers import every, tries

KNOWN = {
    "pentominoes-3x20": 8,
    "pentominoes-4x15": 1472,
    "pentominoes-8x8-centre": 520,
    "soma": 11_520,
    "tetrominoes-4x5": 0,
    "domino-and-square-3x2": 2,
}
"""Puzzles that are counted so, and their solutions."""


def whole(name):
    return build_instance(load(name)).problem.without_implied()


@every(("name", "number"), KNOWN.items(), fast=3)
def test_puzzles(name, number):
    problem = whole(name)
    nodes, dead_ends, found = small_problem.count_at_once(problem)
    assert found == number
    assert 0 <= dead_ends < nodes
    told = []
    outcome = backtrack.solve(problem, None, Limits(), progress=told.append)
    assert (outcome.found, outcome.weighted, outcome.complete) == (number, number, True)
    assert outcome.work == {"nodes": nodes, "placements": nodes - 1, "dead_ends": dead_ends, "pruned": 0}
    assert told[-1] == {**outcome.work, "share_ppm": 1_000_000}


@pytest.mark.full
@every(("name", "number"), [("hexiamonds-6x6", 624), ("pentominoes-6x10", 9356)])
def test_long_searches_are_left_to_bitsets(monkeypatch, name, number):
    problem = whole(name)
    assert small_problem.count_at_once(problem) is None
    assert backtrack.solve(problem, None, Limits()).found == number
    at_once(monkeypatch)
    assert small_problem.count_at_once(problem)[2] == number


@pytest.mark.full
def test_symmetries_are_made_use_of_soundly(monkeypatch):
    """On random puzzles of all grids, most of them symmetric, the counts equal the numbers of listed solutions."""
    at_once(monkeypatch)
    broken = 0
    for seed in range(tries(100)):
        try:
            built = judged_and_built(random_puzzle(Random(seed), ruled=False))[1]
        except TooMuch:
            continue
        problem = built.problem
        listed = backtrack.solve(problem, len, Limits(cores=1)).found
        for layout in backtrack.LAYOUTS:
            assert backtrack.solve(problem, None, Limits(cores=1), layout=layout).found == listed, f"seed {seed}"
        if (counted := small_problem.count_at_once(problem)) is not None:
            assert counted[2] == listed, f"seed {seed}"
            broken += problem.images is not None and len(problem.images) > 1
    assert broken > tries(100) / 50


@every("items", [1, 63, 64, 65, 100, 127, 128])
def test_words_of_all_lengths(items):
    """Dominoes cover a ring of four places in two ways, and a ring of three in none; monominoes cover the rest."""
    problem, number = rings(items, [4] * min(items // 4, 7))
    assert small_problem.count_at_once(problem)[2] == number
    assert backtrack.solve(problem, len, Limits()).found == number
    if items > 6:
        assert small_problem.count_at_once(rings(items, [4, 3])[0])[2] == 0


def test_more_items_than_there_are_bits():
    problem, number = rings(129, [4])
    assert small_problem.count_at_once(problem) is None
    assert backtrack.solve(problem, None, Limits()).found == number


def rings(items, sizes):
    """Rings of dominoes, and monominoes for the rest; also the number of solutions."""
    lists, first = [], 0
    for size in sizes:
        lists += [sorted((first + k, first + (k + 1) % size)) for k in range(size)]
        first += size
    lists += [[item] for item in range(first, items)]
    return of_lists(items, lists), 2 ** len(sizes)


@pytest.mark.full
@every("first", [1, 50, 1 << 40])
@every("most", [1, 60, 5000, 1 << 40], fast=2)
def test_what_takes_longer_is_given_up(monkeypatch, first, most):
    at_once(monkeypatch, min(first, most), most)
    problem = whole("pentominoes-3x20")
    monkeypatch.setattr(small_problem, "SHARE", 5)
    counted = small_problem.count_at_once(problem)
    assert counted in ((None,) if most <= 5000 else (None, (6580, 4612, 8)))
    assert counted is not None or min(first, most) < 1 << 40
    assert backtrack.solve(problem, None, Limits()).found == 8


def test_what_it_is_not_for():
    problem = whole("pentominoes-3x20")
    size = problem.size
    for other in (
        replace(problem, forced=(5,)),
        replace(problem, conditions=(Condition("c", np.ones(size, dtype=np.int64), 0, 12),)),
        replace(problem, high=np.where(problem.high == 1, 2, 0).astype(np.int32)),
        replace(problem, low=np.zeros_like(problem.low)),
        replace(problem, coloured=np.ones_like(problem.coloured)),
        reduce(problem).problem,
        problem.select(np.zeros(size, dtype=bool)),
    ):
        assert small_problem.count_at_once(other) is None
    implied = replace(problem, conditions=(Condition("c", np.ones(size, dtype=np.int64), 12, 12, implied=True),))
    assert small_problem.count_at_once(implied)[2] == 8


def test_limits_come_first(monkeypatch):
    problem = whole("pentominoes-3x20")
    rows = puzzle_rows(problem)
    some = rows[0][:2]
    asked = []
    monkeypatch.setattr(small_problem, "count_at_once", asked.append)
    stopped = Limits(cores=1)
    stopped.stop.set()
    backtrack.solve(problem, None, stopped)
    backtrack.solve(problem, None, Limits(seconds=0))
    assert backtrack.solve(problem, None, Limits(solutions=3)).status == "limit reached"
    assert backtrack.solve(problem, None, Limits(), given=some).found == sum(set(some) <= set(row) for row in rows)
    assert len(rows) == 8
    assert not asked
    assert backtrack.solve(problem, None, Limits()).found == 8
    assert len(asked) == 1


def puzzle_rows(problem):
    blocks = []
    backtrack.solve(problem, blocks.append, Limits(cores=1))
    return [tuple(row) for block in blocks for row in block.tolist()]


def test_an_option_of_nothing_but_a_tile():
    """It is the first option at no place."""
    problem = of_lists(3, [[0, 1], [2], [1]], tiles=[1, 2])
    assert small_problem.count_at_once(problem) is None
    assert backtrack.solve(problem, None, Limits()).found == len(enumerated(problem)) == 1


@every(("options", "known"), [(32, True), (33, True), (64, True), (65, False)])
def test_many_options_of_a_place(options, known):
    """One option is chosen; each covers the place, and one or all of the other items."""
    lists = [[0, 1], [0, 2], [1], [2]] + [[0, 1, 2]] * (options - 2)
    counted = small_problem.count_at_once(of_lists(3, lists))
    assert (counted is not None) == known
    assert not known or counted[2] == options
    assert backtrack.solve(of_lists(3, lists), None, Limits()).found == options


@every("tiles", [1, 2, 20, 60])
@every("left", [-1, 0, 1])
def test_tiles_and_windows_that_fill_a_word(tiles, left):
    """One tile covers all places of the form except the others; the others are dots that lie in one way each, or two."""
    places = 62 - left - tiles
    if places < tiles + 2:
        places, lists = places, [[*range(places), places + t] if t == 0 else [0, places + t] for t in range(tiles)]
        number = int(tiles == 1)
    else:
        dots = tiles - 1
        lists = [[0, *range(dots + 1, places), places], *([1 + d, places + 1 + d] for d in range(dots))]
        lists += [[1, places + 2], [2, places + 1]] if dots > 1 else []
        number = 2 if dots > 1 else 1
    problem = of_lists(places + tiles, lists, tiles=range(places, places + tiles))
    counted = small_problem.count_at_once(problem)
    assert (counted is not None) == (left >= 0)
    assert counted is None or counted[2] == number
    assert backtrack.solve(problem, None, Limits()).found == number


def test_tiles_used_up_before_the_form_is_full():
    for lists, tiles, number in (([[0, 3], [1, 3]], [3], 0), ([[0, 3], [1], [2]], [3], 1), ([[0, 3], [1], [2]], [3, 4], 0)):
        assert small_problem.count_at_once(of_lists(3 + len(tiles), lists, tiles=tiles))[2] == number


def test_parts_that_cannot_be_filled_and_arrays_in_any_order():
    """Without neighbours, the same count takes more nodes: the cross cuts a form of width three in two."""
    problem = whole("pentominoes-3x20")
    assert small_problem.count_at_once(replace(problem, adjacent=None)) == (10_789, 7714, 8)
    assert small_problem.count_at_once(problem) == (6580, 4612, 8)
    columns = {name: np.asfortranarray(getattr(problem, name)) for name in ("images", "adjacent", "centres")}
    assert small_problem.count_at_once(replace(problem, **columns)) == (6580, 4612, 8)


def of_lists(items, lists, tiles=()):
    """The problem whose options have these items; each item is covered once."""
    return problem_of(lists, [1] * items, tiles=tiles)
