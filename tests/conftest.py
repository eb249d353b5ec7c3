"""Profiles of hypothesis, the option ``--solver``, and helpers that many tests use."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("default", deadline=None, max_examples=60, report_multiple_bugs=False, suppress_health_check=QUIET)
settings.register_profile("ci", parent=settings.get_profile("default"), max_examples=100, print_blob=True)
settings.register_profile("thorough", parent=settings.get_profile("default"), max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_addoption(parser):
    parser.addoption("--solver", default="all", help="all, or the name of the solver that counts the instances")


@pytest.fixture
def solvers_wanted(request):
    """The solver named on the command line, or None for all."""
    wanted = request.config.getoption("--solver")
    return None if wanted == "all" else wanted


@pytest.fixture(autouse=True)
def no_edge(monkeypatch):
    """Whoever runs the tests may have a narrow terminal, and say so in the environment; lines are folded where a test wants that."""
    monkeypatch.delenv("COLUMNS", raising=False)
    os.unsetenv("COLUMNS")  # readline, which pytest loads, sets it for the programs that a test starts, where os.environ has none
