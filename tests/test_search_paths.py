"""Every way through a cover problem against plain enumeration, on problems most of which each of them can do."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from brute_force import TooMuch, puzzleless_solutions
from search_paths import COUNTING, LISTING, answer
from tiers import tries
from try_problems import random_problem, symmetric_problem


@pytest.mark.random
@pytest.mark.parametrize("name", [*LISTING, *COUNTING])
def test_a_way_finds_what_enumeration_finds(name):
    answered, most = 0, tries(360)
    for seed in range(most):
        problem = random_problem(Random(seed))
        found = answer(name, problem)
        if found is not None:
            expected = set(puzzleless_solutions(problem))
            assert found == (expected if name in LISTING else len(expected)), f"seed {seed}"
            answered += 1
    assert answered > most / 8


@pytest.mark.random
@pytest.mark.parametrize("name", COUNTING)
def test_a_way_counts_what_enumeration_finds_where_there_are_symmetries(name):
    answered, most = 0, tries(240)
    for seed in range(most):
        problem = symmetric_problem(Random(seed))
        found = answer(name, problem)
        if found is not None:
            with suppress(TooMuch):  # what the judge cannot go through is passed over
                assert found == len(set(puzzleless_solutions(problem))), f"seed {seed}"
                answered += 1
    assert answered > most / 8
