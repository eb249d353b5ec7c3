"""Compiled code, by numba or as object code of the package, is kept, and never used after any of its sources has changed."""

import ast
import json
import os
import platform
import shutil
import subprocess
import sys
from functools import cache
from importlib import import_module, reload
from pathlib import Path

import numpy as np
import pytest
from numba import config

import puzzlesat
from puzzlesat.base.package import data_folder
from puzzlesat.kernels import emit, kernel, numba_compiler, parts
from puzzlesat.kernels.kernel import Kernel
from puzzlesat.kernels.parts import Part
from tiers import every

pytestmark = pytest.mark.full  # numba compiles in each test

PACKAGE = Path(puzzlesat.__file__).parent
FILES = {".".join(f.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): f for f in PACKAGE.rglob("*.py")}
NAMES = sorted(name for name in FILES if not name.endswith("__main__"))
LIST = (PACKAGE / emit.LIST).read_text(encoding="utf-8")
HERE = kernel.processors_here()[:1]


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
    """The module of the package that defines a name imported from this module, which may be a room with a door."""
    if f"{module}.{name}" in FILES:
        return f"{module}.{name}"
    inside = [other for other in NAMES if other.startswith(f"{module}.") and name in defined(other)] if has_door(module) else []
    meant = (other for other in inside if getattr(import_module(other), name) is getattr(import_module(module), name))
    return next(meant, module)


def reached(name):
    """A module with everything that it imports, directly or indirectly."""
    found, rim = set(), {name}
    while rim:
        found |= rim
        rim = {other for module in rim for other in imported(module) if other in FILES and not has_door(other)} - found
    return found


def test_all_code_that_is_kept_is_known_by_all_its_sources():
    kernels = [part for name in with_compiled_code() for part in compiled_in(name) if isinstance(part, Kernel)]
    assert len(kernels) > 40
    assert {type(numba_compiler.dispatcher(kernel.function, kernel.sources)._cache) for kernel in kernels} == {numba_compiler._Kept}


def test_the_list_can_be_read():
    assert sorted(LIST.splitlines()) == LIST.splitlines()
    assert len(LIST.splitlines()) > 40
    for name, kinds in emit.listed(LIST):
        kernel = parts.kernel_named(name)
        assert isinstance(kernel, Kernel)
        assert len(numba_compiler.types_of(kinds)) == kernel.function.__code__.co_argcount


def test_no_source_is_overlooked():
    """An import that is not at the left margin would be overlooked."""
    assert {"puzzlesat.solvers.kernel", "puzzlesat.solvers.simd", "puzzlesat.checker.tree"} < set(with_compiled_code())
    for name in with_compiled_code():
        assert kernel.sources(name) == reached(name)
    assert "puzzlesat.cli.main" not in set().union(*map(kernel.sources, with_compiled_code()))


def test_the_features_of_this_processor_are_those_that_llvm_knows():
    import llvmlite.binding as llvm

    assert kernel.processors_here() == kernel.processors(platform.machine(), dict(llvm.get_host_cpu_features()))


@pytest.mark.skipif(not [*kernel.folder().glob("*/*.so")], reason="no C compiler has made the libraries")
def test_a_shared_library_and_llvmlite_count_the_same(monkeypatch):
    kernels = [part for name in with_compiled_code() for part in compiled_in(name) if isinstance(part, Kernel)]
    library, loaded = kernel._library, []
    found = []
    for way in (lambda file: loaded.append(library(file)) or loaded[-1], lambda file: None):
        monkeypatch.setattr(kernel, "_library", way)
        for each in kernels:
            each._code.clear()
        found.append(puzzlesat.count("absolut-knifflig", solver="backtrack,tally").counts)
    assert found[0] == found[1]
    assert found[0].all == 148
    assert loaded and None not in loaded


# ---------------------------------------------------------------- a small package

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
SOME = """
from typing import NamedTuple

import numpy as np

from .kernels import compiled, part

FACTOR = 3

class Numbers(NamedTuple):
    word: object
    half: object
    factor: int

@part
def larger(one, other):
    return one if one > other else other

@compiled
def total(numbers, rows, pair, scale, doubled):
    whole = 0
    for row in range(rows.shape[0]):
        for column in range(rows.shape[1]):
            whole += rows[row, column] * numbers.factor * FACTOR
    most = numbers.word[0]
    for word in numbers.word:
        most = larger(most, word)
    numbers.half[0] = scale * 0.5 + pair[0][1]
    return whole * (2 if doubled else 1), most, doubled

@compiled
def nothing(words):
    words[0] += np.uint64(1)
"""


LISTED = "some.total(some.Numbers(u8[:], f8[:], i8), i4[:,:], (i8[:],), f8, b1,)\nsome.nothing(u8[:],)\n"
WRITTEN = {"__init__.py": "", "bits.py": BITS, "factor.py": "FACTOR = 1\n", "loop.py": LOOP, "other.py": ""}
WRITTEN |= {"some.py": SOME, emit.LIST: LISTED}


@pytest.fixture
def small(tmp_path, monkeypatch):
    """The folder of a package with the compiler of kernels, a part, a constant, a loop, a module beside them, and two kernels of a list."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two versions of a file may be written in the same second
    config.reload_config()  # numba does so at its next compilation if another test has changed the environment
    monkeypatch.setattr(config, "CACHE_DIR", "")
    package = tmp_path / "smallpackage"
    package.mkdir()
    shutil.copytree(PACKAGE / "kernels", package / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    for file, text in WRITTEN.items():
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
    assert ones() == 3
    change(small / "bits.py", "count += 1", "count += 2")
    for name in ("bits", "loop"):
        reload(sys.modules[f"smallpackage.{name}"])
    assert sys.modules["smallpackage.loop"].ones(7) == 6
    change(small / "bits.py", "count += 2", "count += 1")
    assert ones() == 3


def test_a_file_that_changes_while_the_process_runs(small):
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
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "named"))
    assert ones() == 3
    change(small / "bits.py", "count += 1", "count += 2")
    assert ones() == 6
    assert files_kept(small) == set()
    assert len(files_kept(tmp_path / "named")) == 2


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid"), reason="needs a folder that cannot be made")
def test_where_the_package_cannot_be_written(small, tmp_path, monkeypatch):
    """A file has the name of the cache folder, so that even root cannot create it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    (small / "__pycache__").touch()
    assert ones() == 3
    assert len(files_kept(tmp_path / "user")) == 2
    (tmp_path / "no").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "no"))
    assert ones() == 3


# ---------------------------------------------------------------- object code


def make(package):
    command = [sys.executable, "-m", "smallpackage.kernels.emit", str(package / "objects")]
    done = subprocess.run(command, cwd=package.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def called():
    """Return the results of the kernels of a reloaded package, and whether numba compiled them."""
    unload()
    some = import_module("smallpackage.some")
    half = np.zeros(1)
    numbers = some.Numbers(np.array([5, 1 << 63], dtype=np.uint64), half, 7)
    rows = np.arange(6, dtype=np.int32).reshape(2, 3)
    words = np.zeros(1, dtype=np.uint64)
    pair = (np.array([4, 9]),)
    results = [some.total(numbers, rows, pair, 3.0, True), some.total(numbers, rows, pair, 5.0, False), some.nothing(words)]
    return results, half[0], int(words[0]), [kernel.made is not None for kernel in (some.total, some.nothing)]


EXPECTED = [(630, 1 << 63, True), (315, 1 << 63, False), None], 11.5, 1
needs_processor = pytest.mark.skipif(not HERE, reason="no object code is made for this processor")


@needs_processor
def test_object_code_computes_the_same_as_numba_where_there_is_none(small):
    assert called() == (*EXPECTED, [True, True])
    assert make(small) == f"{HERE[0]}: 2 kernels compiled\n"
    assert called() == (*EXPECTED, [False, False])
    assert make(small) == f"{HERE[0]}: 0 kernels compiled\n"


CHANGES = [
    ("some.py", "FACTOR = 3", "FACTOR = 4", 840),
    ("kernels/numba_compiler.py", '"nogil": True', '"nogil": False', 630),
    ("kernels/emit.py", "opt=3", "opt=2", 630),
    ("kernels/parts.py", "RESULT = 4", "RESULT = 5", 630),
]
"""Changes of sources, of compiler options and of the layout of arguments; each with the result of the first kernel after it."""


@needs_processor
@pytest.mark.slow
def test_object_code_of_other_sources_or_made_in_another_way_is_not_used(small):
    make(small)
    for file, old, new, first in CHANGES:
        text = (small / file).read_text(encoding="utf-8")
        assert text.count(old) == 1
        (small / file).write_text(text.replace(old, new), encoding="utf-8")
        results, *others = called()
        assert [results[0], *others] == [(first, 1 << 63, True), *EXPECTED[1:], [True, True]], file
        (small / file).write_text(text, encoding="utf-8")
    assert called() == (*EXPECTED, [False, False])
    (small / file).write_text(text.replace(old, new), encoding="utf-8")
    assert make(small) == f"{HERE[0]}: 2 kernels compiled\n"
    assert called() == (*EXPECTED, [False, False])


@needs_processor
def test_arguments_of_other_kinds_are_compiled_by_numba(small):
    make(small)
    unload()
    some = import_module("smallpackage.some")
    words = np.zeros(1, dtype=np.uint64)
    some.nothing(words)
    assert some.nothing.made is None
    small_words = np.zeros(1, dtype=np.uint32)
    some.nothing(small_words)
    assert (some.nothing.made is None, words[0], small_words[0]) == (False, 1, 1)


@needs_processor
def test_an_array_of_a_tuple_may_be_resized_between_two_calls(small):
    """A kernel remembers the tuples of its last call. The tally resizes an array of such a tuple in place, which may move its data."""
    make(small)
    unload()
    some = import_module("smallpackage.some")
    words = np.array([5, 9], dtype=np.uint64)
    numbers, rows, pair = some.Numbers(words, np.zeros(1), 7), np.ones((1, 1), dtype=np.int32), (np.zeros(1, dtype=np.int64),)
    assert some.total(numbers, rows, pair, 0.0, False)[1] == 9
    words.resize(1 << 20, refcheck=False)
    words[-1] = 11
    assert some.total(numbers, rows, pair, 0.0, False)[1] == 11


def test_arrays_in_another_order_are_refused(small):
    unload()
    some = import_module("smallpackage.some")
    with pytest.raises(TypeError, match="C order"):
        some.nothing(np.zeros(4, dtype=np.uint64)[::2])


# ---------------------------------------------------------------- the program itself

DOMINOES = 'title = "Dominoes"\ngrid = "square"\nflips = true\n[tiles.D]\npicture = "##"\ncopies = "any"\n[form]\nbox = [4, 4]\n'


@every("objects", [True, False])
def test_an_upgrade_of_one_module_is_no_wrong_count(tmp_path, objects):
    """An upgrade changes single instructions, in a folder with code that was compiled when the package was built, or cached by numba."""
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


@pytest.mark.skipif(not kernel.folder().is_dir(), reason="this installation has no object code")
def test_an_installation_needs_no_numba():
    program = (
        "import sys; sys.modules['numba'] = None; import puzzlesat; "
        "report = puzzlesat.count('soma', solver=('backtrack', 'tally', 'certificate')); print(report.counts.distinct, report.agree)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("480 True\n", "")
