"""What numba compiles is kept from one run of the tests to the next, and never used where something that it is made of has changed."""

from __future__ import annotations

import shutil
from importlib import import_module

import pytest
from numba.core.dispatcher import Dispatcher
from numba.extending import _Intrinsic

import compiled

FILES = compiled.modules()


def test_every_module_with_compiled_code_is_known():
    """Whatever its decorators are called."""
    found = set()
    for name in FILES:
        if not name.endswith("__main__"):
            for value in vars(import_module(name)).values():
                if isinstance(value, Dispatcher):
                    found.add(value.py_func.__module__)
                elif isinstance(value, _Intrinsic):
                    found.add(value._defn.__module__)
    assert "puzzlesat.solvers.bits" in found
    assert found <= compiled.with_compiled_code(FILES)


@pytest.mark.parametrize(
    ("module", "matters"),
    [("solvers/bits", True), ("solvers/lanes", True), ("solvers/kernel", True), ("solvers/tally/moves", True), ("cli/main", False)],
)
def test_another_name_for_other_ingredients(tmp_path, module, matters):
    """The first two hold parts of what is compiled in others; ``moves`` holds constants that compiled code has as numbers."""
    package = tmp_path / "puzzlesat"
    shutil.copytree(compiled.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "models", "instances"))
    before = compiled.cache_name(package)
    assert before == compiled.cache_name()
    with (package / f"{module}.py").open("a", encoding="utf-8") as file:
        file.write("\n")
    assert (compiled.cache_name(package) != before) == matters


def test_what_is_imported_from_beside_is_an_ingredient_too():
    """The checker of certificates imports its modules from beside itself."""
    assert {"puzzlesat.proof.check.tallysteps", "puzzlesat.proof.check.bits"} <= compiled.ingredients(FILES)
    assert set(compiled.imported("puzzlesat.proof.check.tally", FILES["puzzlesat.proof.check.tally"])) >= {"puzzlesat.proof.check.bits"}
