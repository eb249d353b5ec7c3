"""Symmetry breaking for a count: on symmetric problems, and on problems that state wrong symmetries."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import puzzlesat
from brute_force import TooMuch, puzzleless_solutions
from helpers import load
from puzzlesat.base.errors import NotSupportedError
from puzzlesat.base.limits import Limits
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.problem import Condition
from puzzlesat.solvers.registry import solver
from puzzlesat.solvers.tally.moves import make_moves
from puzzlesat.solvers.tally.solve import break_symmetry, symmetries_of
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
