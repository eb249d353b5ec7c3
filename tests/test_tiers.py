"""Tables of cases as one test, the selection for the fast tier, and the distribution of tests to workers."""

import pytest

import cpu
import tiers
from tiers import every


def test_all_cases_are_run_and_those_that_fail_are_named(tmp_path, monkeypatch):
    seen = []

    @every(("name", "number"), [("good", 1), ("bad", 2), pytest.param("worse", 3, id="last"), ("good", 4)])
    def example(name, number, tmp_path, monkeypatch):
        seen.append((name, number, tmp_path))
        monkeypatch.setattr(tiers, "MAX_SHOWN", number)
        assert name == "good"

    with pytest.raises(BaseException, match="2 of 4 cases failed: bad, last"):
        example(tmp_path=tmp_path, monkeypatch=monkeypatch)
    assert [number for _, number, _ in seen] == [1, 2, 3, 4]
    assert len({folder for _, _, folder in seen}) == 4
    assert tiers.MAX_SHOWN == 5


@pytest.mark.parametrize("fast", [True, False])
def test_the_fast_tier_tries_a_sample(fast, monkeypatch):
    monkeypatch.setattr(tiers, "is_fast", lambda: fast)
    for sample, expected in ((2, [0, 5]), (("3", "7"), [3, 7]), (None, [*range(10)])):
        seen = []

        @every("number", range(10), fast=sample)
        def example(number, seen):
            seen.append(number)

        example(seen=seen)
        assert seen == (expected if fast else [*range(10)])
    with pytest.raises(AssertionError):
        every("number", range(3), fast=("9",))


def test_a_group_is_dealt_to_one_worker(pytestconfig):
    (conftest,) = (p for p in pytestconfig.pluginmanager.get_plugins() if hasattr(p, "TOGETHER"))
    for group, places in conftest.TOGETHER.items():
        for place in [places] if isinstance(places, str) else places:
            assert (pytestconfig.rootpath / place).exists()
            assert conftest.dealt_with(f"{place}::test_one[a::b]") == group
    assert conftest.dealt_with("tests/test_tiers.py::test_x") != conftest.dealt_with("tests/test_tiers.py::test_y")


def test_tests_with_a_larger_share_are_there(pytestconfig):
    for name in cpu.LISTED:
        file, _, test = name.partition("::")
        assert f"def {test.partition('[')[0].rpartition('::')[2]}(" in (pytestconfig.rootpath / file).read_text(encoding="utf-8"), name
