"""The table of a study: what became of each puzzle, and of what was published of it; the same in every format, whenever it is made."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from answered import HEADING, IMPOSSIBLE, SOLVED, answer, counted, puzzle, store

from puzzlesat.studies.merging import merge
from puzzlesat.studies.opening import open_store, open_to_read
from puzzlesat.studies.overviews import overview
from puzzlesat.studies.tables import COLUMNS, table, table_lines
from tiers import every

JSON = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
REFUTES = {"what": "distinct", "published": 0, "by": "an almanac", "evidence": "it was counted"}


def rows(path):
    with open_to_read(path) as opened:
        return list(table(opened))


def seen(path):
    with open_to_read(path) as opened:
        return overview(opened, list(table(opened)))


CASES = [
    (None, {"all": 3}, "not begun", "not known", False),
    ({}, None, "not decided", "not known", False),
    (counted(3, 2), None, "solvable", "new", False),
    (counted(3, 2), {"all": 3, "distinct": 2}, "solvable", "confirmed", False),
    (counted(3, 2), {"all": 3, "distinct": 1}, "solvable", "refuted", True),
    (counted(3, 2), {"distinct": 3}, "solvable", "right in another convention", True),
    (counted(3, 2), {"distinct": 3, "convention": "not stated"}, "solvable", "right in another convention", False),
    (SOLVED, {"all": 3}, "solvable", "not known", False),
    (SOLVED, {"all": 0, "distinct": 0}, "solvable", "refuted", True),
    (IMPOSSIBLE, {"labelled": 0, "labelled_turns": 0}, "impossible", "confirmed", False),
    (IMPOSSIBLE, {"all": 1}, "impossible", "refuted", True),
    (IMPOSSIBLE, None, "impossible", "new", False),
    (SOLVED, {"solution": ["D.1@1.1"], "refuted": [REFUTES]}, "solvable", "refuted", False),
    (counted(3, 2), {"distinct": 2, "refuted": [REFUTES]}, "solvable", "refuted", False),
    ({}, {"solution": ["D.1@1.1"], "refuted": [REFUTES]}, "not decided", "not known", False),
    (IMPOSSIBLE, {"solution": ["D.1@1.1"], "refuted": [REFUTES]}, "impossible", "confirmed", True),
]
"""A result, what is expected, the verdict, what became of what was published, and whether that is a failed check."""


@pytest.mark.full
@every("result, expect, verdict, fate, fails", CASES)
def test_what_became_of_what_was_published(tmp_path, result, expect, verdict, fate, fails):
    (row,) = rows(store(tmp_path / "a", [(puzzle("p", expect=expect), result)]))
    assert (row.verdict, row.fate, row.fails) == (verdict, fate, fails)


def disputed(path):
    """A store with one puzzle, of which two processes say something else."""
    with open_store(path, replace(HEADING, audit=1.0)) as opened:
        opened.add([(puzzle("p"), [{"do": "steps", "steps": [{"find": "count"}]}])])
        opened.record([answer(1, counted(3), host="one")])
        opened.record([answer(1, counted(4), opened.job(1).role, "sat", host="two")])
    return path


def test_two_answers_that_differ_count_nothing(tmp_path):
    path = disputed(tmp_path / "a")
    (row,) = rows(path)
    assert (row.verdict, row.all, row.distinct, row.labelled, row.left) == ("disputed", None, None, None, 1)
    (dispute,) = seen(path).disputes
    assert [(a["host"], a["result"]["all"], a["stands"]) for a in dispute.answers] == [("one", 3, False), ("two", 4, False)]
    assert seen(path).disagrees


def test_two_counts_of_one_puzzle_are_not_added_up(tmp_path):
    """A plan with other limits is another count of the same: 3 and 3 are 3, and 3 and 4 a contradiction."""
    facts = {"problem_of": [["identity", "whole"]], "copies": None, "turns": None}
    for other, verdict, number in ((3, "solvable", 3), (4, "contradiction", None)):
        with open_store(tmp_path / f"{other}", HEADING) as opened:
            plans = [{"do": "parts", "plan": True, "most": seconds} for seconds in (1, 2)]
            opened.add([(puzzle("p"), plans)])
            for unit, found in ((1, 3), (2, other)):
                said = {"parts": [{"of": "whole", "problem": "this", "parts": [[]], "found": found}], "puzzle": facts}
                opened.record([replace(answer(unit, {}), result=said)])
        (row,) = rows(tmp_path / f"{other}")
        assert (row.verdict, row.all) == (verdict, number)


MANY = [
    (puzzle("b/form 10", (4, 1), {"all": 1, "published": 'one, "as we\nsay"'}), counted(1)),
    (puzzle("b/form 9", (5, 1), {"all": 0}), IMPOSSIBLE),
    (puzzle("a/<i>x|y", (6, 1), {"all": 7}), counted(1)),
    (puzzle("a/=1+1", (7, 1)), {}),
    (puzzle("a/not", (8, 1)), None),
    (puzzle("big", (9, 1)), counted(10**30)),
]


@pytest.mark.full
def test_rows_stand_by_family_and_name_however_they_were_done(tmp_path):
    one = store(tmp_path / "one", MANY)
    other = store(tmp_path / "other", MANY[::-1])
    merge([store(tmp_path / f"share {i}", MANY[i::3]) for i in range(3)], tmp_path / "together")
    assert [row.puzzle for row in rows(one)] == ["<i>x|y", "=1+1", "not", "form 9", "form 10", "big"]
    for suffix in (".csv", ".jsonl", ".md"):
        assert "".join(table_lines(suffix, "T", rows(one))) == "".join(table_lines(suffix, "T", rows(other)))
    assert "".join(table_lines(".jsonl", "T", rows(one))) == "".join(table_lines(".jsonl", "T", rows(tmp_path / "together")))
    read = list(csv.DictReader(io.StringIO("".join(table_lines(".csv", "T", rows(one))))))
    assert list(read[0]) == list(COLUMNS)
    for row, cells in zip(rows(one), read, strict=True):
        assert (cells["puzzle"], cells["published"]) == (row.puzzle.replace("=1+1", "'=1+1"), row.published)
        assert cells["all"] == ("" if row.all is None else str(row.all))


@every("sign", ["=", "+", "-", "@", "\t"])
def test_no_cell_of_csv_is_a_formula(tmp_path, sign):
    """Names come from files of others, and a spreadsheet does what a formula says."""
    name = f'{sign}HYPERLINK("mailto:me@example.org")\rmore'
    expect = {"all": 3, "published": f"{sign}1"}
    (row,) = rows(store(tmp_path / "a", [(puzzle(f"{sign}a/{name}", expect=expect), counted(3) | {"solution": [f"{sign}D.1@1.1"]})]))
    (cells,) = csv.DictReader(io.StringIO("".join(table_lines(".csv", "T", [replace(row, area=-3)]))))
    assert (cells["puzzle"], cells["family"]) == ("'" + name.replace("\r", "\n"), f"'{sign}a")
    assert (cells["published"], cells["solution"]) == (f"'{sign}1", f"'{sign}D.1@1.1")
    assert (cells["area"], cells["all"], cells["cpu"]) == ("-3", "3", "1.25")


def documented(heading):
    """The keys of the table of docs/json.md after a line."""
    text = JSON[JSON.index(heading) :]
    lines = text[text.index("| key | value |") :].split("\n\n")[0].splitlines()[2:]
    return [key for line in lines for key in re.findall(r"`(\w+)`", line.split("|")[1])]


def test_the_keys_are_those_that_are_documented(tmp_path):
    path = disputed(tmp_path / "a")
    (row,) = rows(path)
    assert sorted(row.record) == sorted(documented("`puzzlesat run --json` prints"))
    said = {"store": "a", **seen(path).record}
    assert sorted(said) == sorted(documented("`puzzlesat runs --json` prints"))
    assert json.loads("".join(table_lines(".jsonl", "T", [row])))["verdict"] == "disputed"
