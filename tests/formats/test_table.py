"""The table of formats, of which every row is true; and TOML that is written: it reads back, and looks as if a person had written it."""

import re
import sys
from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlesat.base.package import data_files
from puzzlesat.formats.exact_covers import cover_lines, is_cover_file, read_cover_file
from puzzlesat.formats.table import FORMATS, by_suffix, readable, writable
from puzzlesat.formats.toml import instance_text
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.reading import OTHERS
from tiers import every, is_fast

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

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


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=12)
KEYS = st.one_of(st.sampled_from(["a", "b-c", "1", "ü", "a.b", "", '"', "x y"]), TEXTS)
PLAIN = st.one_of(
    st.booleans(), st.integers(-(2**63), 2**63 - 1), TEXTS, st.sampled_from(['"""\n"', "\\\n\\", "a\n", "\n", "\n\n", "\t\n▲"])
)
VALUES = st.recursive(PLAIN, lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(KEYS, inner, max_size=4)), max_leaves=25)


@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_everything_reads_back(table):
    assert tomllib.loads(instance_text(table)) == table


def test_all_files_of_the_package_read_back():
    files = [*data_files("instances"), *data_files("models")]
    for path in files[::8] if is_fast() else files:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        assert tomllib.loads(instance_text(table)) == table, path


@every("name", ["instances/burrtools/hex-sticks.toml", "models/octogram.toml", "models/one-sided-polytwigs-1-2-3.toml"])
def test_files_without_comments_come_out_as_they_were(name):
    text = (Path(__file__).parents[2] / name).read_text(encoding="utf-8")
    assert "#" not in text
    assert instance_text(tomllib.loads(text)) == text
