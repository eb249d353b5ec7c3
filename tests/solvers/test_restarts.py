"""Random solutions: valid, without repetition, reproducible by seed. Beam search on forms where plain search finds nothing."""

from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from helpers import load as load_table
from helpers import solve
from puzzlesat import load
from puzzlesat.base.limits import Limits
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.problem import Condition
from puzzlesat.solvers import backtrack, parallel, restarts
from puzzlesat.solvers.kernel import FOUND
from puzzlesat.solvers.parallel import Slice
from puzzlesat.solvers.restarts import lay_out
from strategies import cover_problems, enumerated, puzzles, some_options
from tiers import every

patched = settings(suppress_health_check=[*HealthCheck])


def listed(problem, given, layout, **keys):
    rows, outcome = solve(problem, f"backtrack:{layout}", given, Limits(**keys))
    assert len(rows) == len(set(rows))
    return rows, outcome


@pytest.fixture
def hasty(monkeypatch):
    """Force short turns, and an attempt after each."""
    monkeypatch.setattr(parallel, "NODES_A_TURN", 1)
    small = {"PATIENT_TURNS": 0, "ATTEMPT_NODES": 5, "PATIENCE": 2, "NEAR_END": 1, "TAKEN_BACK": 1, "MAX_STUCK": 4, "WIDTH": 2}
    for name, value in small.items():
        monkeypatch.setattr(restarts, name, value)


@patched
@given(data=st.data(), problem=cover_problems(), seed=st.integers(0, 9), layout=st.sampled_from(backtrack.LAYOUTS))
def test_each_solution_comes_once_whoever_found_it(hasty, data, problem, seed, layout):
    prefix = some_options(data, problem)
    expected = enumerated(problem, prefix)
    rows, outcome = listed(problem, prefix, layout, seed=seed)
    assert outcome.complete
    assert set(rows) == expected
    most = data.draw(st.integers(1, 4))
    rows, outcome = listed(problem, prefix, layout, seed=seed, solutions=most)
    assert set(rows) <= expected
    assert len(rows) == min(most, len(expected))
    assert outcome.complete or (outcome.status == "limit reached" and len(rows) == most)


def tried(problem, given=(), seed=1, most=20):
    """Return the solutions of the first attempts."""
    return list(islice(restarts.attempts(problem, given, seed), most))


@given(data=st.data(), problem=cover_problems(), seed=st.integers(0, 9))
def test_attempts_find_solutions_alone(data, problem, seed):
    prefix = some_options(data, problem)
    assert {row for row in tried(problem, prefix, seed) if row is not None} <= enumerated(problem, prefix)


@pytest.fixture
def patient(monkeypatch):
    """Let attempts search everything."""
    monkeypatch.setattr(restarts, "PATIENCE", 1 << 40)
    monkeypatch.setattr(restarts, "ATTEMPT_NODES", 1 << 40)


@pytest.mark.full
@patched
@given(table=puzzles(), seed=st.integers(0, 9))
def test_an_attempt_that_is_not_cut_short_finds_a_solution_where_there_is_one(patient, table, seed):
    """Rejected pockets are those that no tiles could fill, so nothing is missed, with tiles of all kinds on all grids."""
    problem = replace(build_instance(load_table(table)).problem, conditions=())
    expected = enumerated(problem)
    must = (problem.low > 0) & ~np.isin(np.arange(len(problem.items)), problem.tiles)
    assume(all(must[problem.items_of(o)].any() for o in range(problem.size)))
    found = tried(problem, seed=seed, most=1)
    assume(found or not expected)  # problems of another kind are skipped
    assert {row for row in found if row is not None} <= expected
    assert any(found) == bool(expected)


@pytest.mark.full
def test_the_same_seed_gives_the_same_and_another_others():
    problem = build_instance(load("pentominoes-6x10")).problem
    found = {seed: tried(problem, seed=seed, most=6) for seed in (1, 2, 1)}
    assert found[1] == tried(problem, seed=1, most=6)
    assert found[1] != found[2]
    assert len({row for rows in found.values() for row in rows if row is not None}) > 2


@pytest.mark.full
def test_a_solution_by_chance_keeps_the_side_conditions():
    problem = build_instance(load("soma")).problem
    weights = np.arange(problem.size, dtype=np.int64)
    odd = replace(problem, conditions=(*problem.conditions, Condition("odd", weights, 0, 0, 2, 1)))
    found = [row for row in tried(odd, most=40) if row is not None]
    assert len(found) > 2
    assert all(sum(row) % 2 for row in found)
    assert not all(sum(row) % 2 for row in tried(problem, most=40) if row is not None)


@pytest.mark.full
@every("most", [None, 4, 3, 2])
def test_solutions_found_by_chance_are_left_out_later_and_not_too_many_come(monkeypatch, most):
    first, *others = rows = [(0, 1), (0, 2), (1, 2), (3, 4)]
    monkeypatch.setattr(restarts, "attempts", lambda *_: iter([None, first, first, None]))
    nothing, four = np.zeros((2, 6), dtype=np.int64)
    four[FOUND] = 4
    empty = Slice(nothing, np.zeros((0, 2), dtype=np.int32))
    search = (turn for turn in [empty] * 20 + [Slice(four, np.array(rows, dtype=np.int32), last=True)])
    seen = list(restarts.or_by_chance(search, build_instance(load("soma")).problem, (), 1, most))
    assert [tuple(row) for turn in seen for row in turn.rows.tolist()] == [first, *others][:most]
    assert [int(turn.work[FOUND]) for turn in seen] == [len(turn.rows) for turn in seen]
    assert len(seen) == 20 + 1 + 1
    assert seen[-1].last == (most in (None, 4))


def laid(problem):
    return restarts.ready(lay_out(problem))


def grown(start, width, salt=1, costs=None):
    slices = restarts.grow(start, costs or restarts.first_costs(start), width, salt)
    while True:
        try:
            next(slices)
        except StopIteration as end:
            return end.value


@pytest.mark.full
@given(table=puzzles(), salt=st.integers(0, 9))
def test_where_there_is_space_for_all_a_solution_is_found_if_there_is_one(table, salt):
    problem = replace(build_instance(load_table(table)).problem, conditions=(), forced=())
    must = (problem.low > 0) & ~np.isin(np.arange(len(problem.items)), problem.tiles)
    assume(problem.size and all(must[problem.items_of(o)].any() for o in range(problem.size)))
    assume(lay_out(problem) is not None)
    expected = enumerated(problem)
    end = grown(laid(problem), 4000, salt)
    assert end.everything
    assert {tuple(sorted(row.tolist())) for row in end.full} <= expected
    assert len(end.full) > 0 or not expected


@pytest.mark.full
def test_the_same_cells_covered_by_the_same_tiles_are_one_filling():
    problem = build_instance(load("soma")).problem
    end = grown(laid(problem), 200_000)
    assert end.everything
    assert len(end.full) == 1, "of 11,520"
    assert sorted(np.concatenate([problem.items_of(o) for o in end.full[0].tolist()])) == [*range(len(problem.items))]


@pytest.mark.slow
def test_a_hollow_form_of_pentacubes_is_filled_where_one_after_the_other_finds_nothing():
    problem = build_instance(
        load(Path(__file__).parents[2] / "record" / "forms.jsonl", "polycubes/NonConvexPentacubesOpenBox10x3x6")
    ).problem
    slices = 20
    found = [next((k, rows) for k, rows in enumerate(restarts._side_by_side(problem, Random(1))) if len(rows)) for _ in range(2)]
    (number, rows), (again, same) = found
    assert number < slices
    assert number == again
    assert (rows == same).all(), "a seed gives the same again"
    assert not any(len(rows) for rows in islice(restarts._one_by_one(*lay_out(problem), Random(1)), slices))
    assert sorted(np.concatenate([problem.items_of(o) for o in rows[0].tolist()])) == [*range(len(problem.items))]
