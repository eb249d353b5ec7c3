"""The best solutions: published values, random puzzles against plain enumeration, and weights that prove a bound."""

import json
from dataclasses import replace
from random import Random
from zipfile import ZipFile

import numpy as np
import pytest

import puzzlesat
from brute_force import TooMuch, judge
from helpers import load
from puzzlesat.base import Limits, NotSupportedError, PuzzleError, data_files
from puzzlesat.checker import Rejected, StatedRule
from puzzlesat.counting import Goal, Judgement, Plan, Verdict, best, hold
from puzzlesat.proofs import arguments, make_case, unreachable
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from random_puzzles import random_puzzle
from tiers import every, in_parts

ASKING = {f.stem: f for f in data_files("instances") if "\nbest = " in f.read_text(encoding="utf-8")}
"""Instances that ask for the best."""
MINUTES = {"skew-tetrominoes-13x13", "skew-tetrominoes-14x14", "v-pentominoes-10x10", "v-pentominoes-11x11", "v-pentominoes-12x12"}
SHORT = Plan(budget=1.0)


@every("name", sorted(ASKING.keys() - MINUTES), fast=("skew-tetrominoes-6x6", "squares-5x5", "t-tetrominoes-6x6", "v-pentominoes-5x5"))
def test_published_values(name):
    verdicts = {v.what: v.word for v in Judgement(hold(load_instance(ASKING[name]), SHORT)).verdicts}
    assert verdicts == dict.fromkeys({"best", *verdicts}, Verdict.CONFIRMED)


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
        judged, built = judge(table), build_instance(load(table | {"best": {way: goal}}))
    except (TooMuch, PuzzleError):
        return  # too many placements for the judge; or identical tiles with different weights
    with pytest.MonkeyPatch.context() as patch:
        if seed % 5 == 0:
            patch.setattr(NotSupportedError, "missing", staticmethod({"ortools": "not installed"}.get))
        found = best(built.instance, Goal.of_question(built.instance), Plan(("backtrack",), budget=1.0))
    assert found.complete
    if not (values := [value(judged, solution) for solution in judged.solutions]):
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


def test_other_weights_are_rejected(skew):
    """A weight less, a weight that belongs to a tile with any number of copies, and a bound that can be reached."""
    rule = [rule for rule in skew.puzzle.rules if isinstance(rule, StatedRule)][-1]
    weights = np.zeros(len(skew.problem.items), dtype=np.int64)
    for item, weight in unreachable(skew, 10).stated["weights"]:
        weights[item] = weight
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


DOMINO = {"title": "d", "grid": "square", "flips": True, "form": {"box": [2, 2]}, "tiles": {"D": {"picture": "##", "copies": "any"}}}
TAKEN = {"conditions": [{"name": "value of the best", "tiles": {"D": 1}, "equals": 2}]}


@every("table, most, fewest, words", [
    ({}, None, None, "nothing is asked for"), ({}, "pieces", "holes", "not both"), ({}, "piece", None, "got 'piece'"),
    (TAKEN, "pieces", None, "rename"), ({"best": {"most": {"tiles": {"D": 10**9}}}}, None, None, "use smaller weights"),
])  # fmt: skip
def test_goals_that_are_refused(table, most, fewest, words):
    with pytest.raises(PuzzleError, match=words):
        puzzlesat.best(DOMINO | table, most=most, fewest=fewest)


SKEW = "##.\n.##"
TOO_MANY = {
    "2 skew tetrominoes in 3 x 3": (2, {"box": [3, 3], "optional": "all"}, SKEW, "S weighs 1 or more, wherever it lies; 2 copies weigh 2"),
    "10 skew tetrominoes in 7 x 7": (10, {"box": [7, 7], "optional": "all"}, SKEW, "10 or more together, and the form 9 at most"),
    "31 dominoes": (31, {"box": [8, 8], "remove": [[1, 1], [8, 8]], "optional": "all"}, "##", "31 or more together, and the form 30"),
    "9 T tetrominoes in 6 x 6": (9, {"box": [6, 6], "optional": "all"}, "###\n.#.", "and the form 78 at most"),
}


@every("copies, form, picture, words", TOO_MANY.values(), fast=1)
def test_too_many_pieces_are_proved_by_weights(copies, form, picture, words, tmp_path):
    """Weights show it, a certificate has them, and the certificate with one weight less is rejected."""
    table = {"title": "too many", "grid": "square", "flips": True, "form": form, "tiles": {"S": {"picture": picture, "copies": copies}}}
    file = tmp_path / "too-many.proof"
    proof = puzzlesat.prove(table, output=file)
    assert (proof.solvable, proof.argument) == (False, "weights")
    assert words in " ".join(proof.sentences)
    assert puzzlesat.verify(file, puzzle=table).counts.all == 0
    stated = json.loads(ZipFile(file).read("certificate.json"))
    stated["bound"]["weights"][0][1] -= 1
    with ZipFile(file, "w") as archive:
        archive.writestr("certificate.json", json.dumps(stated))
    with pytest.raises(Rejected, match="weighs too little"):
        puzzlesat.verify(file)


def test_the_tally_decides_what_a_first_search_does_not(tmp_path, monkeypatch):
    monkeypatch.setattr(arguments, "_search", lambda *_: None)
    assert puzzlesat.prove("soma-bench", output=tmp_path / "x.proof").argument == "tally"
    assert puzzlesat.verify(tmp_path / "x.proof").counts.all == 0
