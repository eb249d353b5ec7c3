"""Beam search for forms: every filling is kept if there is space, and hard forms are filled where depth-first search finds nothing."""

from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers import load as load_table
from puzzlesat import load
from puzzlesat.puzzles.building import build_instance
from puzzlesat.solvers import restarts
from puzzlesat.solvers.restarts import lay_out
from strategies import enumerated, puzzles

FORMS = Path(__file__).parents[2] / "record" / "forms.jsonl"


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
    problem = build_instance(load(FORMS, "polycubes/NonConvexPentacubesOpenBox10x3x6")).problem
    slices = 20
    found = [next((k, rows) for k, rows in enumerate(restarts._side_by_side(problem, Random(1))) if len(rows)) for _ in range(2)]
    (number, rows), (again, same) = found
    assert number < slices
    assert number == again
    assert (rows == same).all(), "a seed gives the same again"
    assert not any(len(rows) for rows in islice(restarts._one_by_one(*lay_out(problem), Random(1)), slices))
    assert sorted(np.concatenate([problem.items_of(o) for o in rows[0].tolist()])) == [*range(len(problem.items))]
