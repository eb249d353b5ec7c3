"""docs/keys.md has every key of the files, each with an example that TOML can read and that begins with it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from puzzlesat.config import schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TEXT = (Path(__file__).parents[1] / "docs" / "keys.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))
TABLES = {
    "The file": schema.InstanceFile,
    "[tiles.NAME]": schema.TileTable,
    "[[generate]]": schema.GenerateTable,
    "[marks]": schema.MarkTable,
    "[form]": schema.FormTable,
    "[solutions]": schema.SolutionsTable,
    "[[conditions]]": schema.ConditionTable,
    "[split]": schema.SplitTable,
    "[expect]": schema.ExpectTable,
    "[grid]": schema.StatedGrid,
}
OF_THE_PROGRAM = {"shape"}
"""What files say by the name of a shape of the grid."""


def rows(title):
    return re.findall(r"^\| `(\w+)` \| `(.*?)` \| .* \|$", SECTIONS[title], re.M)


def test_each_table_of_the_files_has_a_section():
    assert list(SECTIONS) == list(TABLES)


@pytest.mark.parametrize("title", TABLES)
def test_a_section_has_every_key_and_no_other(title):
    assert sorted(key for key, _ in rows(title)) == sorted(set(TABLES[title].model_fields) - OF_THE_PROGRAM)


@pytest.mark.parametrize(("title", "key", "example"), [(title, key, example) for title in TABLES for key, example in rows(title)])
def test_an_example_is_taken_by_the_schema(title, key, example):
    """By the field of that key alone: the rest of a table is not there."""
    value = tomllib.loads(example)[key]
    table = TABLES[title]
    try:
        table.model_validate({key: value})
    except ValueError as error:
        assert [one for one in error.errors() if one["loc"][:1] == (key,)] == [], example
