"""How tests are dealt out to several workers, and what is left to the full tier."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from tiers import MOST, of_which, tries

TESTS = Path(__file__).parent


def test_files_that_stay_together_are_there(pytestconfig):
    """Their names are those of the tests, from the root folder."""
    (conftest,) = (p for p in pytestconfig.pluginmanager.get_plugins() if hasattr(p, "TOGETHER"))
    assert all((pytestconfig.rootpath / name).is_file() for name in conftest.TOGETHER)
    for name in conftest.TOGETHER:
        assert conftest.dealt_with(f"{name}::test_one[a::b]") == conftest.dealt_with(f"{name}::test_other") == name
    assert conftest.dealt_with("tests/test_tiers.py::test_x") != conftest.dealt_with("tests/test_tiers.py::test_y")


def test_whatever_counts_across_tests_stays_together(pytestconfig):
    """A module that sums up what its tests did has a counter of its own."""
    (conftest,) = (p for p in pytestconfig.pluginmanager.get_plugins() if hasattr(p, "TOGETHER"))
    counting = {
        p.relative_to(pytestconfig.rootpath).as_posix() for p in TESTS.rglob("test_*.py") if "\nTALLY = Counter()" in p.read_text("utf-8")
    }
    assert counting
    assert counting <= conftest.TOGETHER


def test_cases_that_are_left_to_the_full_tier():
    cases = of_which([1, ("a", 2)], 1)
    assert [case.values for case in cases] == [(1,), ("a", 2)]
    assert [[mark.name for mark in case.marks] for case in cases] == [[], ["full"]]
    assert [[mark.name for mark in case.marks] for case in of_which([1, 2, 3], 1, slow=(3,))] == [[], ["full"], ["slow"]]
    with pytest.raises(AssertionError):
        of_which([1], 2)


def test_tries_are_in_proportion_to_the_examples_of_properties():
    assert tries(MOST) == settings.default.max_examples
    assert tries(1) >= 1
