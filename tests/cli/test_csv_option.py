"""``--csv``: the tables of ``count``, ``check``, ``solve`` and ``forms`` as files for spreadsheets."""

import csv

import pytest

from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.formats.notation import csv_lines
from tiers import every

SMALL, DOMINOES = "domino-and-square-3x2", "dominoes-4x4"


@pytest.fixture
def rows(tmp_path, run):
    def go(*arguments, status=DONE):
        file = tmp_path / "table.csv"
        run(*arguments, "--csv", file, status=status)
        with file.open(encoding="utf-8", newline="") as text:
            return list(csv.DictReader(text))

    return go


@pytest.mark.full
def test_count_of_several(rows):
    found = rows("count", SMALL, DOMINOES, "--solver", "backtrack,sat")
    assert [(r["instance"], r["all"], r["distinct"], r["agree"], r["solvers"]) for r in found] == [
        (SMALL, "2", "1", "true", "backtrack,sat"),
        (DOMINOES, "36", "9", "true", "backtrack,sat"),
    ]


def test_a_count_that_is_not_complete_has_no_figures(rows):
    (row,) = rows("count", "pentominoes-6x10", "--solver", "backtrack", "--limit", "10", status=STOPPED_EARLY)
    assert (row["complete"], row["all"], row["labelled"], row["distinct"]) == ("false", "", "", "")


@pytest.mark.full
@every("more", [(), ("--jobs", 2)])
def test_check(rows, more):
    found = rows("check", SMALL, DOMINOES, "--solver", "backtrack,sat", *more)
    assert {r["instance"]: (r["checked"], r["all"], r["agree"]) for r in found} == {
        SMALL: ("ok", "2", "true"),
        DOMINOES: ("ok", "36", "true"),
    }


def test_solve(rows):
    found = rows("solve", SMALL, "--all")
    assert [r["number"] for r in found] == ["1", "2"]
    assert {r["placements"] for r in found} == {"I2.2@3.1 O4.1@1.1", "I2.2@1.1 O4.1@2.1"}
    assert [r["number"] for r in rows("solve", DOMINOES, "--nth", 36, "--nth", 5)] == ["36", "5"]


@pytest.mark.full
def test_forms_sets_and_common_forms(rows):
    found = rows("forms", "dominoes", "--boxes", "--area", 12, "--count")
    assert {r["form"]: (r["verdict"], r["all"]) for r in found} == {
        "1x12": ("solvable", "1"), "2x6": ("solvable", "13"), "3x4": ("solvable", "11"),
    }  # fmt: skip
    found = rows("sets", "pentominoes", "--boxes", "--area", 15, "--within", "3x5")
    assert {(r["form"], r["area"], r["agree"]) for r in found} == {("3x5", "15", "true")}
    assert [r["tiles"] for r in found] == ["F P U", "L N V", "L P V", "L T Y", "N P U", "P U V", "P U Y"]
    found = rows("common", "tetrominoes", "--most", 8)
    assert [tuple(r.values()) for r in found if "O" in r["tiles"]] == [
        ("I O", "8", "4", "4"), ("L O", "8", "4", "4"), ("O S", "", "8", "8"), ("O T", "", "8", "8"),
    ]  # fmt: skip


def test_nothing_is_taken_for_a_formula():
    table = {"name": '=HYPERLINK("x")', "lines": "a\r\nb", "count": -3, "known": None, "done": True}
    assert "".join(csv_lines(list(table), [table])) == ('name,lines,count,known,done\n"\'=HYPERLINK(""x"")","a\nb",-3,,true\n')
