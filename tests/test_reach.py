"""The areas that tiles can reach; and quick preparation of forms with thousands of atoms."""

import time
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import load
from puzzlesat.base.progress import Progress
from puzzlesat.proofs.solution_checks import solution_check
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.problem import CoverProblem
from tiers import every


class Asked:
    """The part of a cover problem that is needed: the copies and the options of each tile."""

    def __init__(self, tiles):
        self.tiles = np.arange(len(tiles))
        self.low = np.array([low for low, _, _ in tiles])
        self.high = np.array([high for _, high, _ in tiles])
        ends = np.cumsum([0, *(len(weights) for *_, weights in tiles)])
        self.options_of_tiles = [np.arange(a, b) for a, b in pairwise(ends)]


class Weighed:
    def __init__(self, tiles, modulus):
        self.weights = np.array([w for *_, weights in tiles for w in weights])
        self.modulus = modulus


TILE = st.tuples(st.integers(0, 3), st.integers(0, 4), st.lists(st.integers(-3, 3), min_size=7, max_size=9))


@given(st.lists(TILE, min_size=1, max_size=3), st.integers(0, 5).filter(lambda m: m != 1))
def test_sums_are_those_of_plain_enumeration(tiles, modulus):
    tiles = [(low, low + more, weights) for low, more, weights in tiles]
    sums = {0}
    for low, high, weights in tiles:
        own = {sum(c) for n in range(low, high + 1) for c in combinations_with_replacement(sorted(set(weights)), n)}
        sums = {s + o for s in sums for o in own}
    expected = {s % modulus for s in sums} if modulus else sums
    assert CoverProblem.reachable_sums(Asked(tiles), Weighed(tiles, modulus)).tolist() == sorted(expected)


@every(
    "tiles, modulus",
    [
        ([(0, 40_000, [-2, 2] * 20_000)], 0),
        ([(0, 36, list(range(0, 36_000, 999)))] * 6, 0),
        ([(0, 4, list(range(1, 90_000, 7)))] * 12, 99_991),
        ([(0, 1, [1, 2])], 999_999_937),
    ],
    fast=1,
)
def test_sums_that_take_long_are_left_off(tiles, modulus):
    """Each condition once took seconds without a check of the time limit."""
    began = time.process_time()
    assert CoverProblem.reachable_sums(Asked(tiles), Weighed(tiles, modulus)) is None
    assert time.process_time() - began < 0.1


def test_a_limit_is_heard_at_each_condition():
    table = {"title": "T", "grid": "square", "flips": True, "tiles": {"M": {"picture": "#", "copies": "any"}}, "form": {"box": [2, 2]}}
    table["conditions"] = [{"name": f"c{i}", "tiles": {"M": i}, "between": [0, 40]} for i in range(1, 4)]
    heard = []
    assert build_instance(load(table).puzzle).problem.out_of_reach(Progress(lambda what, counters: heard.append(counters))) is None
    assert heard[:3] == [{"conditions": 0}, {"conditions": 1}, {"conditions": 2}]


def triangle(size):
    bone = {"picture": "⬢.⬢.⬢", "copies": "any"}
    stone = {"picture": ".⬢.\n⬢.⬢", "copies": "any"}
    table = {"title": "T", "grid": "hexagon", "flips": True, "tiles": {"stone": stone, "bone": bone}, "form": {"triangle": size}}
    return build_instance(load(table).puzzle)


@pytest.mark.full
def test_a_form_of_thousands_of_atoms_is_begun_soon():
    """A digit typed for a blank once made a triangle of 99 from one of 9, and half a minute passed before a limit was checked."""
    built = triangle(66)
    begun = time.process_time()
    solution_check(built)
    for condition in built.problem.conditions:
        built.problem.reachable_sums(condition)
    assert built.problem.conditions
    assert time.process_time() - begun < 8
