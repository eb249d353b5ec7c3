"""The re-check on the geometry accepts exactly the solutions: mutated ones are rejected."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, note
from hypothesis import strategies as st

from helpers import solution_set
from puzzlesat.recheck.geometry import make_recheck
from strategies import puzzles
from test_random_puzzles import fixed_numbers, judged_and_built


def as_row(options):
    return np.array([sorted(options) or [-1]], dtype=np.int32)


@given(table=puzzles(flat=False, ruled=True), fixed=fixed_numbers, data=st.data())
def test_recheck_accepts_solutions_and_nothing_else(table, fixed, data):
    judged, built = judged_and_built(table, fixed)
    assume(judged.all)
    found = solution_set(built.problem)
    recheck = make_recheck(built.puzzle, built.placements)
    assert all(recheck(as_row(s)) is None for s in found)
    solution = data.draw(st.sampled_from(sorted(found)))
    placement = st.integers(0, len(built.placements) - 1)
    dropped = data.draw(st.sets(st.sampled_from(solution), max_size=2)) if solution else set()
    added = data.draw(st.sets(placement, max_size=2)) if built.placements else set()
    mutated = tuple(sorted((set(solution) - dropped) | added))
    note(f"{solution} became {mutated}")
    assert (recheck(as_row(mutated)) is None) == (mutated in found)


@given(table=puzzles(flat=False, ruled=True), data=st.data())
def test_a_placement_used_twice_is_rejected(table, data):
    judged, built = judged_and_built(table)
    assume(judged.all)
    solution = data.draw(st.sampled_from(sorted(solution_set(built.problem))))
    assume(solution)
    recheck = make_recheck(built.puzzle, built.placements)
    assert "overlap" in recheck(as_row([*solution, solution[0]]))
