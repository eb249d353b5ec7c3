"""The best solutions: published values, random puzzles against plain enumeration, and weights that prove a bound."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from brute_force import TooMuch, judge
from helpers import load
from puzzlesat.base.errors import NotSupportedError, PuzzleError
from puzzlesat.base.limits import Limits
from puzzlesat.base.package import data_files
from puzzlesat.checker.puzzle import StatedRule
from puzzlesat.checker.values import Rejected
from puzzlesat.counting.optimum import Goal, best, hold
from puzzlesat.counting.plan import Plan
from puzzlesat.counting.verdict import Judgement, Verdict
from puzzlesat.proofs.bound import bounding_weights
from puzzlesat.proofs.case import make_case
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from random_puzzles import random_puzzle
from tiers import every, in_parts

ASKING = {f.stem: f for f in data_files("instances") if "\nbest = " in f.read_text(encoding="utf-8")}
"""Instances that ask for the best."""
LONG = {"skew-tetrominoes-13x13", "skew-tetrominoes-14x14", "v-pentominoes-10x10", "v-pentominoes-11x11", "v-pentominoes-12x12"}
"""Instances that take minutes."""
SHORT = Plan(budget=1.0)


@every("name", sorted(ASKING.keys() - LONG), fast=("skew-tetrominoes-6x6", "squares-5x5", "t-tetrominoes-6x6", "v-pentominoes-5x5"))
def test_published_values(name):
    report = hold(load_instance(ASKING[name]), SHORT)
    assert {v.what: v.word for v in Judgement(report).verdicts} | {"best": Verdict.CONFIRMED} == {
        v.what: Verdict.CONFIRMED for v in Judgement(report).verdicts
    }


@pytest.mark.slow
@every("name", sorted(LONG))
def test_published_values_that_take_long(name):
    found = best(load_instance(ASKING[name]), Goal.of_question(load_instance(ASKING[name])), Plan(budget=1.0, limits=Limits(seconds=1200)))
    expected = load_instance(ASKING[name]).expect.best
    assert found.value == expected or (not found.complete and found.bound >= expected)


def asked_at_random(random, table):
    """A goal for a puzzle, and the value of a solution of the judge by this goal."""
    weights = {name: random.randint(-3, 5) for name in table["tiles"]}
    goal = random.choice(["pieces", {"tiles": weights}])

    def value(judged, solution):
        return sum(1 if goal == "pieces" else weights[judged.pieces[piece].names[0]] for piece, *_ in solution)

    return random.choice(["most", "fewest"]), goal, value


@in_parts("seed", range(500), 10, fast=5)
def test_random_puzzles(seed):
    """The best value and the number of the best solutions are those of plain enumeration, by CP-SAT and by the backtracker."""
    random = Random(seed)
    table = random_puzzle(random, want={"all optional"} if seed % 2 else (), ruled=seed % 3 == 0)
    way, goal, value = asked_at_random(random, table)
    try:
        judged = judge(table)
        built = build_instance(load(table | {"best": {way: goal}}))
    except (TooMuch, PuzzleError):
        return  # too many placements for the judge; or identical tiles with different weights
    with pytest.MonkeyPatch.context() as patch:
        if seed % 5 == 0:
            patch.setattr(NotSupportedError, "missing", staticmethod({"ortools": "not installed"}.get))
        found = best(built.instance, Goal.of_question(built.instance), Plan(("backtrack",), budget=1.0))
    values = [value(judged, solution) for solution in judged.solutions]
    assert found.complete
    if not values:
        assert (found.value, found.solvable) == (None, False)
        return
    expected = max(values) if way == "most" else min(values)
    assert (found.value, found.bound, found.report.counts.all) == (expected, expected, values.count(expected))
    assert len(found.proved_by) == 2 or seed % 5 == 0


@pytest.fixture(scope="module")
def skew():
    """The most skew tetrominoes in a square of 5 x 5, of which at most 4 fit: the puzzle of 5 or more, and its certificate case."""
    instance = load_instance(ASKING["skew-tetrominoes-5x5"])
    return make_case(build_instance(Goal.of_question(instance).within(instance, 5, 99)))


def test_weights_are_found_and_explained(skew):
    found = bounding_weights(skew, most=True, seconds=10)
    assert found.sentences[-2:] == ("Each piece weighs 1 or more, wherever it lies.", "All together weighs 4; so at most 4 fit.")
    assert sorted(found.of_atoms) == [0] * 21 + [1] * 4


def test_other_weights_are_rejected(skew):
    """A weight less, a weight that belongs to a tile with any number of copies, and a bound that can be reached."""
    rule = [rule for rule in skew.puzzle.rules if isinstance(rule, StatedRule)][-1]
    weights = np.append(np.array(bounding_weights(skew, most=True, seconds=10).of_atoms)[np.argsort(skew.atoms_of_problem())], 0)
    assert skew.check_bound(rule, weights, 1, most=True) == 4
    for place in np.flatnonzero(weights).tolist():
        with pytest.raises(Rejected, match="weighs too little"):
            skew.check_bound(rule, weights - (np.arange(len(weights)) == place), 1, most=True)
    for wrong, low, why in (
        (np.append(weights[:-1], 1), 5, "any number"),
        (2 * weights, 5, "can be reached"),
        (weights, 4, "can be reached"),
    ):
        with pytest.raises(Rejected, match=why):
            skew.check_bound(replace(rule, low=low), wrong, 1, most=True)


def test_a_limit_leaves_the_best_so_far_and_the_bound():
    instance = load_instance(ASKING["v-pentominoes-12x12"])
    found = best(instance, Goal.of_question(instance), Plan(limits=Limits(seconds=1.5)))
    assert not found.complete
    assert found.value is None or found.value <= 27 <= (found.bound or 144)
    assert found.report is None
    assert "The best is between" in found.sentence


@every("most, fewest, words", [(None, None, "nothing is asked for"), ("pieces", "holes", "not both"), ("piece", None, "got 'piece'")])
def test_goals_that_are_refused(most, fewest, words):
    with pytest.raises(PuzzleError, match=words):
        Goal.of_question(load_instance({f.stem: f for f in data_files("instances")}["soma"]), most=most, fewest=fewest)
