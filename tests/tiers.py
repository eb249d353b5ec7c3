"""What the fast tier has of a table of cases, and how often a test of it tries something random."""

from __future__ import annotations

import pytest
from hypothesis import settings

MOST = 12
"""Random examples of a property in the full tier."""
PARAMETER = type(pytest.param())


def of_which(cases, *fast, slow=()):
    """Parameters for all cases, of which those that are neither ``fast`` nor ``slow`` are left to the full tier."""
    cases = list(cases)
    assert all(case in cases for case in (*fast, *slow)), [case for case in (*fast, *slow) if case not in cases]
    marked = {True: (pytest.mark.slow,), False: (pytest.mark.full,)}
    return [_as_parameters(case, () if case in fast else marked[case in slow]) for case in cases]


def _as_parameters(case, marks):
    if isinstance(case, PARAMETER):
        return pytest.param(*case.values, id=case.id, marks=(*case.marks, *marks))
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks)


def tries(number):
    """As many as that in the full tier, a share of them in the fast one, many more in a thorough run: as properties get examples."""
    return max(1, number * settings.default.max_examples // MOST)
