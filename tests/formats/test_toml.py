"""Written TOML reads back as the same tables, and looks as if a person had written it."""

import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from puzzlesat.formats.toml import instance_text
from puzzlesat.puzzles.package import data_files
from tiers import every, is_fast

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

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
