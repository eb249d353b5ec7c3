"""The table of formats: every row is true, and nothing else in the program knows a suffix of its own."""

import re
from itertools import takewhile

import pytest

from puzzlesat.formats.exact_covers import cover_lines, is_cover_file, read_cover_file
from puzzlesat.formats.table import FORMATS, by_suffix, readable, writable
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
        for holds in KINDS:  # all but one are recognised by their content
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
    if format.reads:  # readers recognise the head as ours
        head = list(takewhile(lambda line: line.startswith(format.comment), lines))
        assert head
        assert all(re.fullmatch(format.own_comments, line) for line in head)
