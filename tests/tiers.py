"""What the fast tier has of a table of cases, and how often a test of it tries something random."""

from __future__ import annotations

import pytest
from hypothesis import settings

MOST = 60
"""Random examples of a property in the full tier."""


def of_which(cases, *fast):
    """Parameters for all cases, of which those that are not among the ``fast`` ones are left to the full tier."""
    cases = list(cases)
    assert all(case in cases for case in fast), [case for case in fast if case not in cases]
    return [pytest.param(*_values(case), marks=() if case in fast else pytest.mark.full) for case in cases]


def _values(case):
    return case if isinstance(case, tuple) else (case,)


def tries(number):
    """As many as that in the full tier, a share of them in the fast one, many more in a thorough run: as properties get examples."""
    return max(1, number * settings.default.max_examples // MOST)
