"""``puzzlesat apart -o FILE.xmpuzzle``: what is printed, and what is written when the work is not complete."""

from __future__ import annotations

import gzip
import re

import pytest


@pytest.fixture
def burr(run, tmp_path):
    """Takes the Dubois burr apart, and returns what was printed and the file."""

    def do(*options):
        file = tmp_path / "solved.xmpuzzle"
        ran = run("apart", "dubois-burr", "-o", file, "--jobs", 1, *options)
        return ran, gzip.decompress(file.read_bytes()).decode() if file.exists() else None

    return do


def test_a_burr(burr, run, tmp_path):
    ran, text = burr()
    assert ran.status == 0
    assert re.search(r"for BurrTools: \S*solved\.xmpuzzle", ran.output.replace("\n", ""))
    assert 'state="2" assemblies="2" solutions="1"' in text
    assert '<solution asmNum="1">' in text
    assert "resume" not in ran.output
    again = run("apart", tmp_path / "solved.xmpuzzle", "--jobs", 1)
    said = " ".join(again.output.split())
    assert "stored in the file, as BurrTools counts: 6.4 (1); replayed; BurrTools' order of moves gives the same here" in said


def test_both_levels(run, tmp_path):
    """Where BurrTools prints another level than ours, and where a file stores another one than BurrTools' order gives."""
    table = run("apart", "loves-dozen", "--jobs", 1).output.splitlines()
    assert table[1].split() == ["level", "BurrTools", "prints", "moves", "assemblies", "numbers"]
    assert ["1.2", "1.2.1.2", "(4),", "1.2", "(24)"] in [line.split()[:5] for line in table]
    assert ["12.3", "the", "same"] in [line.split()[:3] for line in table]
    *each, summary = run("apart", "loves-dozen", "--json", "--jobs", 1).json
    others = [one["number"] for one in each if one["burrtools_level"] != one["level"]]
    assert (len(others), summary["burrtools_levels"]["1.2.1.2"], sum(summary["burrtools_levels"].values())) == (4, 4, 90)
    file = tmp_path / "ours.xmpuzzle"
    shown = run("apart", "loves-dozen", "--nth", others[0], "-o", file)
    assert shown.output.startswith(f"Love's Dozen, assembly {others[0]}, level 1.2 (BurrTools prints 1.2.1.2): ")
    again = run("apart", file, "--limit", 1)
    assert again.status == 0
    said = "BurrTools' order of moves gives others here, for 1 of 1: 1.2.1.2 instead of 1.2"
    assert f"stored in the file, as BurrTools counts: 1.2 (1); replayed; {said}" in " ".join(again.output.split())


@pytest.mark.parametrize("options", [("--nth", 2), ("--limit", 1)])
def test_some_are_not_all(burr, options):
    ran, text = burr(*options)
    assert ran.status == 0
    assert 'state="1" assemblies="1"' in text
    assert ("<separation>" in text) == (options == ("--nth", 2))


def test_lines_of_json_say_nothing_else(burr):
    ran, text = burr("--json")
    assert [one["instance"] for one in ran.json] == ["dubois-burr"] * 3
    assert text


def test_the_input_is_not_replaced(run, burr, tmp_path):
    burr()
    file = tmp_path / "solved.xmpuzzle"
    before = file.read_bytes()
    ran = run("apart", file, "-o", file)
    assert (ran.status, file.read_bytes()) == (2, before)
    assert "this is the input file" in ran.output


def test_a_stored_way_that_fails(run, burr, tmp_path):
    """One piece that goes the other way at first runs into the others; a file that nests too deep is no crash."""
    _, text = burr()
    first, second = re.findall("<state>.*?</state>", text, flags=re.DOTALL)[:2]
    wrong = re.sub("-?[0-9]+", lambda number: str(int(number[0]) + 3), second.split("</dx>")[0]) + "</dx>" + second.split("</dx>")[1]
    for name, new in (
        ("moved", text.replace(second, wrong, 1)),
        ("deep", text.replace(first, "<separation>" * 900 + "</separation>" * 900)),
    ):
        file = tmp_path / f"{name}.xmpuzzle"
        file.write_text(new, encoding="utf-8")
        ran = run("apart", file, "--jobs", 1)
        assert (ran.status, ran.exception) == (0, None)
        assert "2 assemblies, 1 comes apart" in ran.output
        assert "replayed\n" not in ran.output
