"""Every way through a cover problem against plain enumeration, on problems that most ways support."""

from functools import cache
from random import Random

from brute_force import TooMuch, puzzleless_solutions
from search_paths import COUNTING, LISTING, answer
from tiers import in_parts, tries
from try_problems import random_problem, symmetric_problem


@cache
def enumerated(make, seed):
    """A problem with its solutions, enumerated once for all ways; None if it is too large for the judge."""
    problem = make(Random(seed))
    try:
        return problem, set(puzzleless_solutions(problem))
    except TooMuch:
        return problem, None


@in_parts("name", [*LISTING, *COUNTING], 4, fast=6)
def test_a_way_finds_what_enumeration_finds(name):
    answered, most = 0, tries(200)
    for seed in range(most):
        problem, expected = enumerated(random_problem, seed)
        found = answer(name, problem)
        if found is not None:
            assert expected is not None, f"seed {seed}"
            assert found == (expected if name in LISTING else len(expected)), f"seed {seed}"
            answered += 1
    assert answered > most / 8


@in_parts("name", COUNTING, 4, fast=3)
def test_a_way_counts_what_enumeration_finds_where_there_are_symmetries(name):
    answered, most = 0, tries(140)
    for seed in range(most):
        problem, expected = enumerated(symmetric_problem, seed)
        found = answer(name, problem)
        if found is not None and expected is not None:
            assert found == len(expected), f"seed {seed}"
            answered += 1
    assert answered > most / 8
