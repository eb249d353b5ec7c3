"""Parts of a cover problem: every solution is in exactly one part, however the problem is divided; and the check finds errors."""

from dataclasses import replace
from math import comb

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers import solution_set
from puzzlesat.base.errors import PuzzleError
from puzzlesat.puzzles.reductions import remove_dead
from puzzlesat.studies.cover_parts import ROOT, make_part, split, weight_of, wrong_cover
from strategies import cover_problems, enumerated, problem_of
from tiers import every


def in_part(solution, part):
    return all((n in solution) if n >= 0 else (~n not in solution) for n in part)


def parted(data, problem, most=12):
    parts, ended = [ROOT], []
    for _ in range(data.draw(st.integers(0, most))):
        if not parts:
            break
        part = parts.pop(data.draw(st.integers(0, len(parts) - 1)))
        further = split(problem, part, by_tiles=data.draw(st.booleans()))
        parts += further
        ended += [] if further else [part]
    return parts + ended


@given(data=st.data(), problem=cover_problems(coloured_needs=True))
def test_every_solution_is_in_one_part_and_those_of_a_part_are_those_with_its_decisions(data, problem):
    expected = enumerated(problem)
    parts = parted(data, problem)
    for solution in expected:
        assert sum(in_part(solution, part) for part in parts) == 1
    for part in parts:
        left = make_part(problem, part)
        chosen = {*problem.forced, *(n for n in part if n >= 0)}
        found = (
            set()
            if left is None
            else {tuple(sorted({*left.origin[list(s)].tolist(), *chosen} if left.origin is not None else s)) for s in enumerated(left)}
        )
        assert found == {s for s in expected if in_part(s, part)}
    assert wrong_cover(problem, parts) is None


@given(problem=cover_problems(coloured_needs=True), by_tiles=st.booleans())
def test_parting_ends_and_each_part_is_smaller(problem, by_tiles):
    waiting, steps = [ROOT], 0
    while waiting:
        part = waiting.pop()
        steps += 1
        assume(steps < 2_000)
        for further in split(problem, part, by_tiles=by_tiles):
            assert further[: len(part)] == part
            smaller, left = make_part(problem, further), make_part(problem, part)
            assert smaller is None or smaller.size < left.size
            waiting.append(further)


@given(data=st.data(), problem=cover_problems(coloured_needs=True))
def test_whoever_judges_parts_sees_one_that_is_missing_or_there_twice_or_another(data, problem):
    parts = parted(data, problem)
    assume(len(parts) > 1)
    some = data.draw(st.integers(0, len(parts) - 1))
    assert wrong_cover(problem, [*parts, parts[some]]) is not None
    further = split(problem, parts[some])
    if len(further) > 1:
        assert wrong_cover(problem, parts + further) is not None
        assert wrong_cover(problem, parts[:some] + parts[some + 1 :] + further) is None
    left_out = parts[:some] + parts[some + 1 :]
    if any(in_part(solution, parts[some]) for solution in enumerated(problem)):
        assert wrong_cover(problem, left_out) is not None


@given(data=st.data(), problem=cover_problems())
def test_a_part_says_the_same_of_a_problem_without_dead_ends(data, problem):
    smaller = remove_dead(problem)
    for part in parted(data, smaller):
        left, again = make_part(smaller, part), make_part(problem, part)
        found = [0 if p is None else len(solution_set(p)) for p in (left, again)]
        assert found[0] == found[1]


def weighted(problem, solutions):
    return sum(int(np.prod(problem.weight[list(s)])) for s in solutions)


@given(data=st.data(), problem=cover_problems())
def test_weights_of_the_parts_add_up_to_that_of_the_whole(data, problem):
    factors = data.draw(st.lists(st.integers(1, 4), min_size=problem.size, max_size=problem.size))
    problem = replace(problem, weight=np.array(factors, dtype=np.int64))
    total = 0
    for part in parted(data, problem):
        if (left := make_part(problem, part)) is not None:
            own = weighted(left, enumerated(left))
            total += own if left is problem else weight_of(problem, part) * own
    assert total == weighted(problem, enumerated(problem))


def test_a_forced_option_that_is_left_out_leaves_nothing():
    problem = problem_of([[0]], [0], [1], forced=(0,))
    assert make_part(problem, (~0,)) is None
    assert make_part(problem, (0,)).size == 0
    with pytest.raises(PuzzleError, match="placement that the puzzle has not"):
        make_part(problem, (1,))


@every("times", [2, 3])
def test_an_item_that_is_covered_several_times_is_parted_when_one_time_is_left(times):
    """Every solution has ``times`` of five options: after all but one are chosen, the last is any of the rest."""
    problem = problem_of([[0]] * 5, [times])
    parts, ended = [ROOT], []
    while parts:
        part = parts.pop()
        further = split(problem, part)
        parts += further
        ended += [] if further else [part]
        assert wrong_cover(problem, parts + ended) is None
    lists = [[n for n in part if n >= 0] for part in ended]
    assert len({tuple(sorted(chosen)) for chosen in lists if len(chosen) == times}) == comb(5, times)
    assert any(len(part) == times and min(part) >= 0 for part in ended)
