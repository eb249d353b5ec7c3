"""Tiers and profiles of hypothesis, compiled code, shared browsers, and the options ``--solver``, ``--part`` and ``--shares``.

There are three tiers. ``pytest`` runs the fast tier: it leaves out what is marked ``full`` or ``slow``, and tries fewer random
puzzles and fewer cases of tables. ``pytest -m "not slow"`` runs the full tier, ``pytest -m slow`` the slow one.
"""

import functools
import gc
import importlib
import os
import pkgutil
import signal
import zlib

import pytest
import typer.testing
from hypothesis import HealthCheck, settings

import cpu
from compiled import build_checker, checker_can_be_built, compile_all
from tiers import MAX_EXAMPLES

typer.testing._get_command = functools.cache(typer.testing._get_command)
"""Build the command line once, as in a real process; building it for each run of a test takes 20 ms."""

LEFT_OUT = "OCaml is not there (ocamlopt, make): what puzzlesat-verified says is left out"
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("thorough", deadline=None, max_examples=3000, report_multiple_bugs=False, suppress_health_check=QUIET)
settings.register_profile("full", parent=settings.get_profile("thorough"), max_examples=MAX_EXAMPLES, derandomize=True)
settings.register_profile("fast", parent=settings.get_profile("full"), max_examples=MAX_EXAMPLES // 6)
"""The tiers try the same examples each time, so a new failure is due to a change. The profile ``thorough`` tries others."""
TOGETHER = {
    "studio": "tests/studio/",  # a studio and a browser, and pages of a site
    "pages": (
        "tests/draw/test_page_in_a_browser.py",
        "tests/draw/test_taking_apart_on_a_page.py",
        "tests/draw/test_forms_page.py",
    ),  # a browser
    "cluster": "tests/runs/test_dask.py",  # a cluster
    "width": "tests/cli/test_width.py",  # one walk through all commands
    "bombs": "tests/proof/test_bomb_certificates.py",  # honest certificates
}
"""Tests that share something expensive, such as a browser: files or folders, by the name of their group. One worker runs a group."""


def pytest_configure(config):
    """Choose the tier before tests are read; compile once, before workers start that would all compile."""
    for name in {"SIGINT", "SIGTERM", "SIGHUP"} & set(dir(signal)):
        number = getattr(signal, name)  # background shells ignore it, and the programs that tests start would inherit this
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    fast = "not full" in config.option.markexpr
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("fast" if fast else "full"))
    config.pluginmanager.register(cpu.Meter(config))
    if hasattr(config, "workerinput") or config.option.collectonly or not hasattr(config, "cache"):
        return
    os.environ.setdefault("NUMBA_CACHE_DIR", str(config.cache.mkdir("compiled")))
    if getattr(config.option, "numprocesses", None):
        compile_all(config.cache.mkdir("verified"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark the tests with random examples, which have more in the full tier; select one part of the tests; put the largest groups first.

    ``-m "full or sampled"`` selects what the full tier has beyond the fast one.
    """
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("sampled")
    part, parts = map(int, config.option.part.split("/"))
    left_out = [item for item in items if zlib.crc32(item.nodeid.encode()) % parts != part % parts]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        kept = set(items) - set(left_out)
        items[:] = [item for item in items if item in kept]
    items.sort(key=lambda item: dealt_with(item.nodeid) == item.nodeid)  # grouped tests come first, otherwise they end last


def pytest_collection_finish():
    """What is in memory by now stays there, thousands of collected tests for example, so exempt it from garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """Use one more worker than cores, because some tests wait for a program or a signal."""
    from puzzlesat.base.limits import Limits  # imported after coverage has begun to trace

    return Limits().usable_cores + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Distribute single tests, so that long files are shared; but give some groups of files to one worker.

    Marks of groups would do the same, but pytest-xdist 3.8 ignores them with pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Dealt(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return dealt_with(nodeid)

    return Dealt(config, log)


def dealt_with(nodeid):
    """Return the name of the group of a test, or of the test itself if it belongs to no group."""
    return next((group for group, places in TOGETHER.items() if nodeid.startswith(places)), nodeid)


def pytest_addoption(parser):
    parser.addoption("--solver", default="all", help="all, or the name of the solver that counts the instances")
    parser.addoption("--part", default="1/1", metavar="K/N", help="run the K-th of N parts of the tests, chosen by a digest of their names")
    parser.addoption("--shares", action="store_true", help="fail if a test of the fast tier takes more CPU seconds than its share allows")


@pytest.fixture(scope="session", autouse=True)
def libraries(pytestconfig):
    """Load libraries and all modules before shares are judged, so that no single test is charged for them."""
    if not pytestconfig.option.shares:
        return
    import puzzlesat  # imported after coverage has begun to trace

    for name in ("networkx", "ortools.sat.python.cp_model", "pysat.solvers"):
        importlib.import_module(name)
    for module in pkgutil.walk_packages(puzzlesat.__path__, "puzzlesat."):
        if not module.name.endswith(".__main__"):
            importlib.import_module(module.name)
    pytest_collection_finish()


@pytest.fixture(autouse=True)
def without_the_proved_checker(monkeypatch):
    """Hide a built puzzlesat-verified, because reports mention it. Tests that need it set its path."""
    monkeypatch.setattr("puzzlesat.proofs.verified.PLACES", ())


@pytest.fixture
def solvers_wanted(request):
    """The solver named on the command line, or None for all."""
    wanted = request.config.getoption("--solver")
    return None if wanted == "all" else wanted


@pytest.fixture(scope="session")
def checker(pytestconfig, tmp_path_factory):
    """The verified checker, built from source once for all workers."""
    if not checker_can_be_built():
        pytest.skip(LEFT_OUT)
    cache = getattr(pytestconfig, "cache", None)
    return build_checker(cache.mkdir("verified") if cache else tmp_path_factory.mktemp("verified"))


@pytest.fixture(autouse=True)
def no_edge(monkeypatch):
    """Ignore the width of the terminal. Tests that fold lines set the width."""
    monkeypatch.delenv("COLUMNS", raising=False)
    os.unsetenv("COLUMNS")  # readline, which pytest loads, sets it in the environment of child processes but not in os.environ
