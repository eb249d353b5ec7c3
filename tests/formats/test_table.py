"""The table of formats: every row is true, and no other part of the program names a suffix."""

import re
import subprocess
import sys
from itertools import takewhile

import pytest

from puzzlesat.base.limits import Limits
from puzzlesat.counting.listing import solutions
from puzzlesat.formats import conversion
from puzzlesat.formats.exact_covers import cover_lines, is_cover_file, read_cover_file
from puzzlesat.formats.table import FORMATS, by_suffix, claimed, function, readable, writable
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.reading import OTHERS
from tiers import every

KINDS = {"puzzles", "cover problem", "solutions"}


@pytest.fixture(scope="module")
def dominoes():
    return build_instance(load_instance("dominoes-4x4"))


def test_names_and_suffixes_tell_formats_apart():
    assert len({format.name for format in FORMATS}) == len(FORMATS)
    every = {suffix for format in FORMATS for suffix in (*format.suffixes, *format.also)}
    assert every == {suffix.lower() for suffix in every}
    for suffix in every:
        formats = by_suffix(f"file{suffix.upper()}")
        assert sum(format.writes is not None for format in formats) <= 1
        for holds in KINDS:  # all except one are recognised by their content
            assert len([format for format in formats if format.is_one is None and format.holds == holds]) <= 1
        if len(formats) > 1:
            assert sum(format.is_one is None or format.holds == "solutions" for format in formats) == 1
    assert {format.holds for format in FORMATS} == KINDS
    assert len([format for format in readable("solutions") if format.is_one is None]) == 1


def test_whatever_is_not_an_instance_is_not_read_as_one():
    """``puzzles`` may not import formats, and has a copy of their suffixes."""
    assert sorted(OTHERS) == sorted({suffix for format in readable("puzzles").foreign for suffix in (*format.suffixes, *format.also)})


@every("format", [pytest.param(format, id=format.name) for format in writable("cover problem")])
def test_cover_problems_come_back(format, dominoes, tmp_path):
    lines = list(cover_lines(dominoes.problem, format.name))
    for suffix in (*format.suffixes, *format.also):
        file = tmp_path / f"dominoes{suffix}"
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        assert is_cover_file(file) == (format.reads is not None)
        if format.reads:
            options = read_cover_file(file).options
            assert options[: dominoes.problem.size] == dominoes.problem.options  # auxiliary variables follow
    if format.reads:  # readers recognise the header that puzzlesat writes
        head = list(takewhile(lambda line: line.startswith(format.comment), lines))
        assert head
        assert all(re.fullmatch(format.own_comments, line) for line in head)


@every("format", [pytest.param(format, id=format.name) for format in writable("solutions")])
def test_solutions_come_back_as_they_were(format, dominoes, tmp_path):
    rows = list(solutions(dominoes, "backtrack", Limits()))
    for suffix in format.suffixes:
        file = tmp_path / f"dominoes{suffix}"
        file.write_text("".join(f"{line}\n" for line in function(format.writes)(dominoes, rows)), encoding="utf-8")
        assert conversion.read_solutions(file, lambda name: dominoes)[1] == rows
        assert claimed(readable("solutions"), file, file.read_text(encoding="utf-8")) is format


@pytest.mark.full
def test_no_format_is_loaded_for_the_table():
    code = "import sys, puzzlesat.cli.main; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert [name for name in loaded if name.startswith("puzzlesat.formats.")] == ["puzzlesat.formats.table"]
    assert {"numpy", "numba", "ortools", "pysat", "pydantic", "networkx"}.isdisjoint(loaded)
