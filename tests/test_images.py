"""The images of solutions, and the least image, against plain sorting of one image after the other."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlesat.base.arrays import first_difference, padded_rows
from puzzlesat.puzzles import problem as module
from puzzlesat.puzzles.problem import OptionImages

sets_of_options = st.lists(st.sets(st.integers(0, 7), max_size=6).map(lambda own: tuple(sorted(own))), max_size=12)
permutations = st.lists(st.permutations(range(8)), max_size=5).map(lambda others: [list(range(8)), *others])


@pytest.mark.parametrize("together", [1, 100, 2_000_000])
@given(sets_of_options, permutations)
def test_the_least_of_all_images(together, rows, group):
    problem = SimpleNamespace(size=8, images=np.array(group, dtype=np.int32))
    solutions, images = padded_rows(rows), OptionImages(problem)
    judged = [[tuple(sorted(g[o] for o in row)) for g in group] for row in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_TOGETHER", together)
        assert [tuple(r[r >= 0].tolist()) for r in images.least(solutions)] == [min(own) for own in judged]
        assert images.are_least(solutions).tolist() == [own[0] == min(own) for own in judged]
        assert OptionImages(problem).unmoved(solutions).T.tolist() == [[image == own[0] for image in own] for own in judged]


def test_without_symmetries_each_solution_stands_for_itself():
    problem, rows = SimpleNamespace(size=4, images=None), padded_rows([(0, 2), (1, 2, 3), ()])
    images = OptionImages(problem)
    assert images.least(rows).tolist() == rows.tolist() == [[0, 2, -1], [1, 2, 3], [-1, -1, -1]]
    assert images.are_least(rows).all()
    assert OptionImages(problem).unmoved(rows).all()
    nothing = np.empty((0, 3), dtype=np.int32)
    assert images.least(nothing).shape == (0, 3)
    assert OptionImages(problem).unmoved(nothing).shape == (1, 0)


def test_the_first_difference_decides():
    rows, others = np.array([[1, 5, 0], [2, 2, 2], [3, 1, 9]]), np.array([[1, 4, 9], [2, 2, 2], [4, 0, 0]])
    assert first_difference(rows, others).tolist() == [1, 0, -1]
