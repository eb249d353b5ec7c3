"""What is written as TOML reads back as the same tables, and looks as a person would write it."""

import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from puzzlesat.config.package import instance_files, model_files
from puzzlesat.formats.toml import instance_text
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
    files = [*instance_files(), *model_files()]
    for path in files[::8] if is_fast() else files:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        assert tomllib.loads(instance_text(table)) == table, path


@every("name", ["instances/octogram/octogram.toml", "models/octogram.toml", "models/pentominoes.toml"])
def test_files_without_comments_come_out_as_they_were(name):
    text = (Path(__file__).parents[2] / name).read_text(encoding="utf-8")
    assert "#" not in text
    assert instance_text(tomllib.loads(text)) == text


def test_what_it_looks_like():
    table = {
        "title": "Two",
        "form": {"atoms": [[x, y] for x in range(1, 7) for y in range(1, 5)], "fixed": None},
        "marks": {"red": {"kind": "self"}, "pippi": {"kind": "halves"}},
        "tiles": {"A": {"picture": "◢◤\n██\n", "copies": [0, 2]}, "two words": {"atoms": [[1, 1], [2, 1]]}},
        "conditions": [{"name": "black and white", "along": [1, 1], "values": [1, -1], "modulo": {"of": 3, "is": 0}}],
    }
    assert (
        instance_text(table)
        == '''title = "Two"

[form]
atoms = [
    [1, 1], [1, 2], [1, 3], [1, 4], [2, 1], [2, 2], [2, 3], [2, 4], [3, 1], [3, 2], [3, 3], [3, 4], [4, 1], [4, 2],
    [4, 3], [4, 4], [5, 1], [5, 2], [5, 3], [5, 4], [6, 1], [6, 2], [6, 3], [6, 4],
]

[marks]
red = { kind = "self" }
pippi = { kind = "halves" }

[tiles.A]
picture = """
◢◤
██
"""
copies = [0, 2]

[tiles."two words"]
atoms = [[1, 1], [2, 1]]

[[conditions]]
name = "black and white"
along = [1, 1]
values = [1, -1]
modulo = { of = 3, is = 0 }
'''
    )
