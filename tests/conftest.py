"""Tiers and profiles of hypothesis, compiled code, shared browsers, and the options ``--solver``, ``--part`` and ``--shares``.

There are three tiers. ``pytest`` runs the fast tier: it leaves out what is marked ``full`` or ``slow``, and tries fewer random
puzzles and fewer cases of tables. ``pytest -m "not slow"`` runs the full tier, ``pytest -m slow`` the slow one.
"""

from __future__ import annotations

import functools
import gc
import os
import signal
import zlib

import pytest
import typer.testing
from hypothesis import HealthCheck, settings

import cpu
from compiled import build_checker, checker_can_be_built, compile_all
from tiers import MOST

typer.testing._get_command = functools.cache(typer.testing._get_command)
"""The program is made of its commands once, as it is where somebody runs it, not 20 ms for each run of a test."""

LEFT_OUT = "OCaml is not there (ocamlopt, make): what puzzlesat-verified says is left out"
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("thorough", deadline=None, max_examples=3000, report_multiple_bugs=False, suppress_health_check=QUIET)
settings.register_profile("full", parent=settings.get_profile("thorough"), max_examples=MOST, derandomize=True)
settings.register_profile("fast", parent=settings.get_profile("full"), max_examples=MOST // 6)
"""The tiers try the same examples each time: what fails then says something of what was changed. Others are looked for thoroughly."""
TOGETHER = {
    "tests/cli/test_width.py",  # one walk through all commands, which each test looks at
    "tests/draw/test_page_in_a_browser.py",  # the browser is started once
    "tests/draw/test_taking_apart_on_a_page.py",  # the same
    "tests/formats/test_stored_counts.py",  # one count of some six seconds
    "tests/proof/test_bomb_certificates.py",  # the honest certificates are made once
    "tests/runs/test_dask.py",  # a cluster is started once
    "tests/solvers/test_strategy.py",  # the sources are parsed once
    "tests/studio/test_said.py",  # the same
    "tests/studio/test_bodies3d.py",  # the browser is started once
    "tests/studio/test_board.py",  # the browser is started once
    "tests/proof/test_mutations.py",  # the last test sums up what those before it did
    "tests/studio/test_guard.py",  # a studio is started once
    "tests/studio/test_questions.py",  # the same
    "tests/studio/test_studio.py",  # a studio and a browser are started once
    "tests/studio/test_drawing_view.py",  # the same
    "tests/studio/test_taken_apart.py",  # the same
    "tests/studio/test_solutions_view.py",  # the same
    "tests/studio/test_rules_by_controls.py",  # the same
    "tests/studio/test_at_a_terminal.py",  # the same
    "tests/studio/test_tablets.py",  # the same
    "tests/studio/test_work.py",  # the same
    "tests/studio/test_hostile_puzzles.py",  # pages are written and a browser started once
    "tests/studio/test_site_pages.py",  # a site is written and a browser started once
    "tests/studio/test_site_drawing.py",  # the same
}
"""Files whose tests count across each other, or share something dear."""


def pytest_configure(config):
    """Choose how much is tried, before any test is read; and compile once, before there are workers that would all do it."""
    for name in {"SIGINT", "SIGTERM", "SIGHUP"} & set(dir(signal)):
        number = getattr(signal, name)  # ignored in what a shell runs in the background; programs that tests start would inherit that
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    fast = "not full" in config.option.markexpr
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("fast" if fast else "full"))
    config.pluginmanager.register(cpu.Meter(config))
    if hasattr(config, "workerinput") or config.option.collectonly or not hasattr(config, "cache"):
        return
    os.environ.setdefault("NUMBA_CACHE_DIR", str(config.cache.mkdir("compiled")))
    if getattr(config.option, "numprocesses", None):
        compile_all()
        if checker_can_be_built():
            build_checker(config.cache.mkdir("verified"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark the tests with random examples, of which the full tier has more; keep one part of the tests; begin with the largest groups.

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
    items.sort(key=lambda item: dealt_with(item.nodeid) == item.nodeid)  # what stays together comes first: it ends last otherwise


def pytest_collection_finish():
    """Thousands of tests are there until the end: the garbage collector need not go through them again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """One more than there are cores: some tests wait for a program or a signal, and a core would wait with them."""
    from puzzlesat.solvers.machine import all_cores  # later than the tracer of coverage begins

    return all_cores() + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Deal the tests out one by one, so that long files are shared; but some files go to one worker as a whole.

    Marks of groups would say the same, but pytest-xdist 3.8 does not see them with pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Dealt(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return dealt_with(nodeid)

    return Dealt(config, log)


def dealt_with(nodeid):
    """What a test is dealt out with: its file, or nothing else."""
    file = nodeid.partition("::")[0]
    return file if file in TOGETHER else nodeid


def pytest_addoption(parser):
    parser.addoption("--solver", default="all", help="all, or the name of the solver that counts the instances")
    parser.addoption("--part", default="1/1", metavar="K/N", help="run the K-th of N parts of the tests, chosen by a digest of their names")
    parser.addoption("--shares", action="store_true", help="fail if a test of the fast tier takes more CPU seconds than its share allows")


@pytest.fixture(autouse=True)
def without_the_proved_checker(monkeypatch):
    """Whoever runs the tests may have built puzzlesat-verified, with which a count says more. Tests that want it say where it is."""
    monkeypatch.setattr("puzzlesat.proof.verified.PLACES", ())


@pytest.fixture
def solvers_wanted(request):
    """The solver named on the command line, or None for all."""
    wanted = request.config.getoption("--solver")
    return None if wanted == "all" else wanted


@pytest.fixture(scope="session")
def checker(pytestconfig, tmp_path_factory):
    """The program that is proved sound, built as people build it, and once for all workers."""
    if not checker_can_be_built():
        pytest.skip(LEFT_OUT)
    cache = getattr(pytestconfig, "cache", None)
    return build_checker(cache.mkdir("verified") if cache else tmp_path_factory.mktemp("verified"))


@pytest.fixture(autouse=True)
def no_edge(monkeypatch):
    """Whoever runs the tests may have a narrow terminal, and say so in the environment; lines are folded where a test wants that."""
    monkeypatch.delenv("COLUMNS", raising=False)
    os.unsetenv("COLUMNS")  # readline, which pytest loads, sets it for the programs that a test starts, where os.environ has none
