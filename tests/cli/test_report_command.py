"""``puzzlesat report``: the file, what it holds beside what other commands say, and exit statuses."""

from __future__ import annotations

import json
import re
from base64 import b64decode

import numpy as np
import pytest

from helpers import COLOURS
from puzzlesat.cli import report as command

FAST = ("--solver", "backtrack,sat")


def data_of(path, name="data"):
    """The data of a page."""
    return json.loads(re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', path.read_text(encoding="utf-8"), re.S)[1])


def names_of(data):
    """The solutions of a page by the names of their placements."""
    numbers = np.frombuffer(b64decode(data["rows"]), dtype=f"<u{data['bytes']}").reshape(data["count"], data["width"])
    return [{data["placements"][p]["name"] for p in row if p < len(data["placements"])} for row in numbers.tolist()]


@pytest.mark.parametrize("name", ["dominoes", "optional", "cards", "weights", "limitless", "few"])
def test_a_page_has_the_solutions_that_solve_prints(run, folder, name):
    ran = run("report", f"{name}.toml", "-o", "page.html", *FAST)
    assert ran.status == 0, ran.output
    solved = run("solve", f"{name}.toml", "--distinct", "--all", "--json").json
    assert names_of(data_of(folder / "page.html")) == [{p["name"] for p in s["placements"]} for s in solved]
    counted = run("count", f"{name}.toml", *FAST, "--json").json[0]
    said = data_of(folder / "page.html", "report")
    assert said["counts"] == counted["counts"]
    assert said["counts"]["distinct"] == len(solved)
    assert str((folder / "page.html").stat().st_size) in ran.stdout.replace(",", "")


def test_the_page_names_solvers_counts_and_verdicts(run, folder):
    assert run("report", "dominoes.toml", "-o", "page.html", *FAST).status == 0
    text = (folder / "page.html").read_text(encoding="utf-8")
    for words in ("backtrack", "sat", "confirmed every solution", "Confirmed: labelled, all, distinct", "Burnside&#x27;s lemma"):
        assert words in text
    assert "puzzlesat report dominoes.toml -o page.html --solver backtrack,sat" in text


def test_an_expectation_that_fails(run, folder):
    ran = run("report", "wrong.toml", "-o", "page.html", *FAST)
    assert ran.status == 1
    assert "Not as expected: all is 3, expected 4." in (folder / "page.html").read_text(encoding="utf-8")


def test_no_solution_by_a_colouring(run, folder):
    (folder / "corners.toml").write_text(COLOURS, encoding="utf-8")
    assert run("report", "corners.toml", "-o", "page.html", *FAST).status == 0
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert "Why there is no solution: colouring" in text
    assert text.count("<svg") > 2
    assert data_of(folder / "page.html")["count"] == 0


def test_no_solution_by_search_where_no_argument_was_found_in_time(run, folder, monkeypatch):
    (folder / "corners.toml").write_text(COLOURS, encoding="utf-8")

    def too_slow(case, limits, progress):
        raise command.StoppedError("limit reached", 0)

    monkeypatch.setattr(command, "prove", too_slow)
    assert run("report", "corners.toml", "-o", "page.html", *FAST).status == 0
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert "Why there is no solution: search" in text
    assert "No shorter argument was found" in text


def test_most(run, folder):
    ran = run("report", "optional.toml", "-o", "page.html", "--most", "1", *FAST)
    assert ran.status == 0
    assert "first 1 of 3 distinct solutions" in ran.stdout
    assert data_of(folder / "page.html")["count"] == 1
    assert run("report", "optional.toml", "-o", "page.html", "--most", "0").status == 2


def test_stopped_early(run, folder):
    ran = run("report", "pentominoes-6x10", "-o", "page.html", "--time", "0", "--solver", "backtrack")
    assert ran.status == 3
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert "Not counted to the end: limit reached" in text
    assert data_of(folder / "page.html", "report")["counts"]["all"] is None


def test_an_interrupt_while_it_lists(run, folder, monkeypatch):
    """The count is complete then, and the page is not."""

    def interrupted(built, solver, most, limits, show):
        limits.stop.set()
        return whole(built, solver, most, limits, show)

    whole = command.list_distinct
    monkeypatch.setattr(command, "list_distinct", interrupted)
    (folder / "page.html").write_text("old", encoding="utf-8")
    ran = run("report", "dominoes.toml", "-o", "page.html", *FAST)
    assert ran.status == 3
    assert data_of(folder / "page.html", "report")["complete"] is True
    assert data_of(folder / "page.html")["count"] < 2
    assert run("report", "wrong.toml", "-o", "page.html", *FAST).status == 1


def test_a_solution_where_the_count_says_none(run, folder, monkeypatch):
    """Proof and count are independent: should they contradict each other, the page must say so."""

    def none(puzzle, plan, announce=None):
        report = whole(puzzle, plan, announce)
        zero = dict.fromkeys(report.counts.fixed, 0)
        counts = command.replace(report.counts, all=0, distinct=0, labelled=0, fixed=zero)
        return command.replace(report, counts=counts, found=0)

    whole = command.count
    monkeypatch.setattr(command, "count", none)
    ran = run("report", "silent.toml", "-o", "page.html", *FAST)
    assert ran.status == 1
    assert "Contradiction: the count says that there is no solution, and there is one" in (folder / "page.html").read_text(encoding="utf-8")


def test_what_was_there_is_lost_only_to_a_whole_page(run, folder):
    page = folder / "page.html"
    page.write_text("old", encoding="utf-8")
    assert run("report", "dominoes.toml", "-o", "page.html", "--solver", "nobody").status == 2
    assert page.read_text(encoding="utf-8") == "old"
    assert run("report", "dominoes.toml", "-o", "page.html", *FAST).status == 0
    assert page.read_text(encoding="utf-8") != "old"
    assert not list(folder.glob("*.part"))


def test_places_where_no_page_can_be(run, folder):
    (folder / "sub").mkdir()
    assert "this is a folder" in run("report", "dominoes.toml", "-o", "sub").output
    ran = run("report", "dominoes.toml", "-o", "nowhere/page.html")
    assert ran.status == 2
    assert "there is no folder nowhere" in ran.output
