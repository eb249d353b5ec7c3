"""Kernels as object code: the results equal numba's, and the code is used for its own sources and processor only."""

import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import puzzlesat
from puzzlesat.kernels import emit, numba_compiler, parts
from puzzlesat.kernels import kernel as objects
from puzzlesat.kernels.kernel import Kernel
from tiers import every

PACKAGE = Path(puzzlesat.__file__).parent
LIST = (PACKAGE / emit.LIST).read_text(encoding="utf-8")
HERE = objects.processors_here()[:1]

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


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A package with two kernels, with object code if this processor is known."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    package = tmp_path / "somekernels"
    package.mkdir()
    shutil.copytree(PACKAGE / "kernels", package / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    (package / "__init__.py").touch()
    (package / "some.py").write_text(SOME, encoding="utf-8")
    (package / emit.LIST).write_text(
        "some.total(some.Numbers(u8[:], f8[:], i8), i4[:,:], (i8[:],), f8, b1,)\nsome.nothing(u8[:],)\n", encoding="utf-8"
    )
    yield package
    unload()


def unload():
    for name in [name for name in sys.modules if name.partition(".")[0] == "somekernels"]:
        del sys.modules[name]


def make(package):
    command = [sys.executable, "-m", "somekernels.kernels.emit", str(package / "objects")]
    done = subprocess.run(command, cwd=package.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def called():
    """Return the results of the kernels of a reloaded package, and whether numba compiled them."""
    unload()
    some = import_module("somekernels.some")
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
@pytest.mark.full
def test_object_code_computes_the_same_as_numba_where_there_is_none(small):
    assert called() == (*EXPECTED, [True, True])
    assert make(small) == f"{HERE[0]}: 2 kernels compiled\n"
    assert called() == (*EXPECTED, [False, False])
    assert make(small) == f"{HERE[0]}: 0 kernels compiled\n"


CHANGES = [
    ("some.py", "FACTOR = 3", "FACTOR = 4", 840),
    ("numba_compiler.py", '"nogil": True', '"nogil": False', 630),
    ("emit.py", "opt=3", "opt=2", 630),
    ("parts.py", "RESULT = 4", "RESULT = 5", 630),
]
"""Other sources, other options, arguments in other places; and what the first kernel then finds."""


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
@pytest.mark.full
def test_arguments_of_other_kinds_are_compiled_by_numba(small):
    """Nothing is used for arguments of another kind."""
    make(small)
    unload()
    some = import_module("somekernels.some")
    words = np.zeros(1, dtype=np.uint64)
    some.nothing(words)
    assert some.nothing.made is None
    small_words = np.zeros(1, dtype=np.uint32)
    some.nothing(small_words)
    assert (some.nothing.made is None, words[0], small_words[0]) == (False, 1, 1)


@needs_processor
@pytest.mark.full
def test_an_array_of_a_tuple_may_be_resized_between_two_calls(small):
    """A kernel remembers the tuples of its last call. The tally resizes an array of such a tuple in place, which may move its memory."""
    make(small)
    unload()
    some = import_module("somekernels.some")
    words = np.array([5, 9], dtype=np.uint64)
    numbers, rows, pair = some.Numbers(words, np.zeros(1), 7), np.ones((1, 1), dtype=np.int32), (np.zeros(1, dtype=np.int64),)
    assert some.total(numbers, rows, pair, 0.0, False)[1] == 9
    words.resize(1 << 20, refcheck=False)
    words[-1] = 11
    assert some.total(numbers, rows, pair, 0.0, False)[1] == 11


@pytest.mark.full
def test_arrays_in_another_order_are_refused(small):
    unload()
    some = import_module("somekernels.some")
    with pytest.raises(TypeError, match="C order"):
        some.nothing(np.zeros(4, dtype=np.uint64)[::2])


@every(
    ("machine", "missing", "expected"),
    [
        ("x86_64", (), ("x86-64-v4-vpopcntdq", "x86-64-v4", "x86-64-v3", "x86-64-v2")),
        ("x86_64", ("avx512vpopcntdq",), ("x86-64-v4", "x86-64-v3", "x86-64-v2")),
        ("AMD64", ("avx512vl",), ("x86-64-v3", "x86-64-v2")),
        ("x86_64", ("avx2",), ("x86-64-v2",)),
        ("x86_64", ("popcnt",), ()),
        ("aarch64", (), ("arm64",)),
        ("arm64", (), ("arm64",)),
        ("riscv64", (), ()),
    ],
)
def test_what_a_processor_can_run(machine, missing, expected):
    features = {feature: feature not in missing for level in objects.LEVELS.values() for feature in level}
    assert objects.processors(machine, features) == expected


def test_the_list_can_be_read():
    assert sorted(LIST.splitlines()) == LIST.splitlines()
    assert len(LIST.splitlines()) > 40
    for name, kinds in emit.listed(LIST):
        kernel = parts.kernel_named(name)
        assert isinstance(kernel, Kernel)
        assert len(numba_compiler.types_of(kinds)) == kernel.function.__code__.co_argcount


@pytest.mark.skipif(not objects.folder().is_dir(), reason="this installation has no object code")
@pytest.mark.full
def test_an_installation_needs_no_numba():
    """Without numba, a puzzle can be counted, certified and checked."""
    program = (
        "import sys; sys.modules['numba'] = None; import puzzlesat; "
        "report = puzzlesat.count('soma', solver=('backtrack', 'tally', 'certificate')); print(report.counts.distinct, report.agree)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("480 True\n", "")
