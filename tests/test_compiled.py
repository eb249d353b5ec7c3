"""Code compiled by numba is kept from run to run, and never used after any of its sources has changed."""

import ast
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from importlib import import_module, reload
from pathlib import Path

import pytest
from numba import config

import puzzlesat
from puzzlesat.base.package import data_folder
from puzzlesat.kernels import kernel as sources
from puzzlesat.kernels import numba_compiler
from puzzlesat.kernels.kernel import Kernel
from puzzlesat.kernels.parts import Part
from tiers import every

pytestmark = pytest.mark.full  # numba compiles in each test

PACKAGE = Path(puzzlesat.__file__).parent
FILES = {".".join(f.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): f for f in PACKAGE.rglob("*.py")}
NAMES = sorted(name for name in FILES if not name.endswith("__main__"))


def compiled_in(name):
    """List the compiled objects of a module: kernels, and parts inlined into them."""
    return [value for value in vars(import_module(name)).values() if isinstance(value, Part) and value.__module__ == name]


@cache
def with_compiled_code():
    return [name for name in NAMES if compiled_in(name)]


def run_at_loading(nodes):
    """Yield the statements that run when a module is loaded, including nested ones."""
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.Lambda)) or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            continue
        yield node
        yield from run_at_loading(ast.iter_child_nodes(node))


def imported(name):
    """The names of modules that a module of the package imports when it is loaded, by its syntax."""
    for node in run_at_loading(ast.parse(FILES[name].read_bytes()).body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            near = name.split(".")[: -node.level] if node.level else []
            module = ".".join([*near, *filter(None, [node.module])])
            yield from (module, *(defining(module, alias.name) for alias in node.names))


@cache
def has_door(name):
    return name in FILES and "    __getattr__ = door(__name__)" in FILES[name].read_text(encoding="utf-8")


@cache
def defined(name):
    """The names that a module defines at its left margin."""
    found = {getattr(node, "name", None) for node in ast.parse(FILES[name].read_bytes()).body}
    targets = (node for node in run_at_loading(ast.parse(FILES[name].read_bytes()).body) if isinstance(node, ast.Name))
    return found | {node.id for node in targets if isinstance(node.ctx, ast.Store)}


def defining(module, name):
    """The module of the package that defines what another imports from this one, which may be a room with a door."""
    if f"{module}.{name}" in FILES:
        return f"{module}.{name}"
    inside = [other for other in NAMES if other.startswith(f"{module}.") and name in defined(other)] if has_door(module) else []
    meant = (other for other in inside if getattr(import_module(other), name) is getattr(import_module(module), name))
    return next(meant, module)


def reached(name):
    """A module, what it imports, what that imports, and so on."""
    found, rim = set(), {name}
    while rim:
        found |= rim
        rim = {other for module in rim for other in imported(module) if other in FILES and not has_door(other)} - found
    return found


def test_all_code_that_is_kept_is_known_by_all_its_sources():
    """None is left to numba, which looks at one file alone."""
    kernels = [part for name in with_compiled_code() for part in compiled_in(name) if isinstance(part, Kernel)]
    assert len(kernels) > 40
    assert {type(numba_compiler.dispatcher(kernel.function, kernel.sources)._cache) for kernel in kernels} == {numba_compiler._Kept}


def test_no_source_is_overlooked():
    """An import that is not at the left margin would be."""
    assert {"puzzlesat.solvers.kernel", "puzzlesat.solvers.simd", "puzzlesat.checker.tree"} < set(with_compiled_code())
    for name in with_compiled_code():
        assert sources.sources(name) == reached(name)
    assert "puzzlesat.cli.main" not in set().union(*map(sources.sources, with_compiled_code()))


# ---------------------------------------------------------------- a package of four modules

BITS = """
from .kernels import part

@part
def popcount(word):
    count = 0
    while word:
        word &= word - 1
        count += 1
    return count
"""
LOOP = """
from .bits import popcount
from .factor import FACTOR
from .kernels import compiled

@compiled
def ones(word):
    return FACTOR * popcount(word)
"""


@pytest.fixture
def small(tmp_path, monkeypatch):
    """The folder of a package with what compiles kernels, a part, a constant, a loop, and a module beside them."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two versions of a file may be written in the same second
    config.reload_config()  # numba does so when it next compiles, where another test has changed the environment
    monkeypatch.setattr(config, "CACHE_DIR", "")
    package = tmp_path / "smallpackage"
    package.mkdir()
    shutil.copytree(PACKAGE / "kernels", package / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    for file, text in {"__init__.py": "", "bits.py": BITS, "factor.py": "FACTOR = 1\n", "loop.py": LOOP, "other.py": ""}.items():
        (package / file).write_text(text, encoding="utf-8")
    yield package
    unload()


def unload():
    for name in [name for name in sys.modules if name.partition(".")[0] == "smallpackage"]:
        del sys.modules[name]


def ones():
    """Return the result of a fresh process for the word 7."""
    unload()
    return import_module("smallpackage.loop").ones(7)


def change(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


def files_kept(folder):
    return {file.name for file in folder.rglob("*.nb[ic]*")}


@every(("file", "old", "new"), [("bits.py", "count += 1", "count += 2"), ("factor.py", "= 1", "= 2")])
def test_code_is_compiled_anew_where_a_part_or_a_constant_of_another_module_has_changed(small, file, old, new):
    assert ones() == 3
    change(small / file, old, new)
    assert ones() == 6
    change(small / file, new, old)
    assert ones() == 3


def test_a_module_loaded_anew_in_the_same_process(small):
    """Notebooks reload modules. The new code is not the code of the first file."""
    assert ones() == 3
    change(small / "bits.py", "count += 1", "count += 2")
    for name in ("bits", "loop"):
        reload(sys.modules[f"smallpackage.{name}"])
    assert sys.modules["smallpackage.loop"].ones(7) == 6
    change(small / "bits.py", "count += 2", "count += 1")
    assert ones() == 3


def test_a_file_that_changes_while_the_process_runs(small):
    """Code compiled later belongs to the source loaded before."""
    (small / "first.py").write_text(LOOP, encoding="utf-8")
    import_module("smallpackage.first")
    change(small / "bits.py", "count += 1", "count += 2")
    assert import_module("smallpackage.loop").ones(7) == 3
    assert ones() == 6


def test_code_is_used_again_where_nothing_of_it_has_changed(small):
    ones()
    (small / "other.py").write_text("CHANGED = 1\n", encoding="utf-8")
    (small / "__pycache__").touch()
    before = {file: file.stat().st_mtime_ns for file in small.rglob("*.nb[ic]")}
    assert ones() == 3
    loop = sys.modules["smallpackage.loop"].ones.made
    assert (sum(loop.stats.cache_hits.values()), sum(loop.stats.cache_misses.values())) == (1, 0)
    assert {file: file.stat().st_mtime_ns for file in small.rglob("*.nb[ic]")} == before


def test_old_code_does_not_pile_up(small):
    """Code of deleted functions is removed, too; code compiled by another Python stays."""
    python = "py{}{}".format(*sys.version_info)
    others = {"loop.ones-5.py27-0123456789abcdef.1.nbc", f"loopback.ones-5.{python}.1.nbc"}
    (small / "__pycache__").mkdir()
    for name in ("loop.gone-5.{p}.nbi", "loop.gone-5.{p}.1.nbc", "loop.ones-5.{p}-0123456789abcdef.1.nbc.tmp.01234567", *others):
        (small / "__pycache__" / name.format(p=python)).touch()
    ones()
    first = files_kept(small)
    assert others < first
    assert len(first - others) == 2
    change(small / "bits.py", "count += 1", "count += 2")
    ones()
    assert len(files_kept(small) - others) == 2
    assert files_kept(small) & first == others


def test_a_folder_named_by_the_user_is_used(small, tmp_path, monkeypatch):
    """And what has changed is noticed there as well."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "named"))
    assert ones() == 3
    change(small / "bits.py", "count += 1", "count += 2")
    assert ones() == 6
    assert files_kept(small) == set()
    assert len(files_kept(tmp_path / "named")) == 2


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid"), reason="needs a folder that cannot be made")
def test_where_the_package_cannot_be_written(small, tmp_path, monkeypatch):
    """A file lies where the folder would be made, which stops even who may write everywhere."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    (small / "__pycache__").touch()
    assert ones() == 3
    assert len(files_kept(tmp_path / "user")) == 2
    (tmp_path / "no").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "no"))
    assert ones() == 3


# ---------------------------------------------------------------- the program itself


DOMINOES = 'title = "Dominoes"\ngrid = "square"\nflips = true\n[tiles.D]\npicture = "##"\ncopies = "any"\n[form]\nbox = [4, 4]\n'


@every("objects", [True, False])
def test_an_upgrade_of_one_module_is_no_wrong_count(tmp_path, objects):
    """Simulate an upgrade that changes single instructions, in the folder with the code cached from the old version.

    The code was compiled when the package was built, or cached by numba.
    """
    package = tmp_path / "puzzlesat"
    left_out = ("__pycache__", "models", "instances", *([] if objects else ["objects"]))
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns(*left_out))
    shutil.copytree(data_folder("models"), package / "models")
    (tmp_path / "small.toml").write_text(DOMINOES, encoding="utf-8")

    def counted():
        command = [sys.executable, "-m", "puzzlesat", "count", "small.toml", "--solver", "tally", "--json"]
        environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"} | {"PYTHONPATH": str(tmp_path)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, text=True, capture_output=True, timeout=300)
        return [solver["all"] for solver in json.loads(done.stdout)["solvers"]]

    assert counted() == [36]
    assert objects or files_kept(package)
    change(package / "kernels" / "parts.py", "builder.ctpop(args[0])", "builder.lshr(builder.ctpop(args[0]), args[0].type(1))")
    assert counted() == [0]
