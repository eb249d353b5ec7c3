"""Shared fixture of the tests of runs: the path of a store."""

import pytest


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a study.sqlite"
