"""Tiers and profiles of hypothesis, compiled code, the option ``--solver``, and helpers that many tests use.

There are three tiers. The fast one is what ``pytest`` runs: it leaves out what is marked ``full`` or ``slow``, and tries fewer random
puzzles. The full one, ``pytest -m "not slow"``, has all but the slow tests and tries more. The slow ones: ``pytest -m slow``.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

import compiled
from tiers import MOST

QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("full", deadline=None, max_examples=MOST, report_multiple_bugs=False, suppress_health_check=QUIET)
settings.register_profile("fast", parent=settings.get_profile("full"), max_examples=20)
settings.register_profile("thorough", parent=settings.get_profile("full"), max_examples=3000)


def pytest_configure(config):
    """Choose how much is tried, before any test is read; and compile once, before there are workers that would all do it."""
    fast = "not full" in config.option.markexpr
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("fast" if fast else "full"))
    if hasattr(config, "workerinput") or config.option.collectonly or not hasattr(config, "cache"):
        return
    os.environ.setdefault("NUMBA_CACHE_DIR", str(config.cache.mkdir(compiled.cache_name())))
    if getattr(config.option, "numprocesses", None):
        compiled.compile_all()


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
