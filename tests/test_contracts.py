"""The contracts on imports leave no package out, and what stands in one place alone is not begun again in another."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import puzzlesat
from helpers import source_trees

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SOURCE = Path(puzzlesat.__file__).parent
PROJECT = Path(__file__).parent.parent / "pyproject.toml"
CONTRACTS = {
    contract["id"]: contract for contract in tomllib.loads(PROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
}
PARTS = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()} - {"__init__"}
"""The packages and modules of the first level."""
STARTS_PROCESSES = {"subprocess", "multiprocessing", "concurrent.futures.ProcessPoolExecutor", "os.fork", "os.posix_spawn"}


def test_every_part_has_its_layer():
    assert {name.strip() for layer in CONTRACTS["direction"]["layers"] for name in layer.split("|")} == PARTS


def test_no_part_is_left_out_where_libraries_are_forbidden():
    every = {f"puzzlesat.{part}" for part in PARTS}
    free = {f"puzzlesat.{part}" for part in ("solvers", "proof", "check", "__main__")}
    assert set(CONTRACTS["libraries"]["source_modules"]) == every - free
    assert set(CONTRACTS["checker"]["forbidden_modules"]) >= every - {"puzzlesat.check", "puzzlesat.__main__"}


def imported(tree):
    """The names of what a module imports: ``a.b`` for ``import a.b`` and ``from a import b``, and ``a`` for both."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"


def test_one_module_starts_processes():
    """One more does when the package is built; ``report`` only has a command quoted as the system quotes it."""
    found = {place for place, tree in source_trees().items() if STARTS_PROCESSES & set(imported(tree))}
    assert found == {"children.py", "check/emit.py", "cli/report.py"}


def test_kinds_of_arrays_have_their_names_in_one_place():
    """Two, for the checker has nothing of the rest. An array of any type is of no kind."""
    kinds = {
        place: [n for n in ast.walk(tree) if isinstance(n, ast.Subscript) and ast.unparse(n.value) == "NDArray"]
        for place, tree in source_trees().items()
    }
    assert {place for place, found in kinds.items() if any(ast.unparse(n.slice) != "Any" for n in found)} == {
        "arrays.py",
        "check/arrays.py",
    }
