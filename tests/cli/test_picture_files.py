"""Pictures written by ``puzzlesat show`` and ``solve``."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from puzzlesat.cli import solve


def texts(file):
    return [t.text for t in ElementTree.parse(file).iter("{http://www.w3.org/2000/svg}text")]


def test_show_draws_form_and_tiles(run, folder):
    found = run("show", "cards.toml", "--svg", "c.svg", "--png", "c.png")
    assert found.status == 0
    assert "picture: c.svg\npicture: c.png\n" in found.output
    assert {"Cards", "A ×2", "B", "C", "cat", "dot"} <= set(texts(folder / "c.svg"))
    assert (folder / "c.png").read_bytes().startswith(b"\x89PNG")


def test_solve_draws_all_on_one_sheet(run, folder):
    found = run("solve", "dominoes.toml", "--all", "--svg", "d.svg", "--png", "d.png")
    assert found.status == 0
    assert found.output.count("picture: ") == 2
    assert [t for t in texts(folder / "d.svg") if t.startswith("solution")] == ["solution 1", "solution 2", "solution 3"]
    assert texts(folder / "d.svg").count("D") == 9
    assert (folder / "d.png").read_bytes().startswith(b"\x89PNG")


def test_one_file_for_each_solution(run, folder):
    found = run("solve", "dominoes.toml", "-n", 2, "--svg", "d-{}.svg")
    assert found.status == 0
    assert sorted(f.name for f in folder.glob("d-*")) == ["d-1.svg", "d-2.svg"]
    assert (folder / "d-1.svg").read_text(encoding="utf-8") != (folder / "d-2.svg").read_text(encoding="utf-8")
    assert "solution 2" in texts(folder / "d-2.svg")


def test_json_lines_stay_json_lines(run, folder):
    found = run("solve", "dominoes.toml", "--json", "--svg", "d.svg")
    assert len(found.json) == 1
    assert texts(folder / "d.svg")[0] == "Small"


def test_no_solution_no_picture(run, folder):
    found = run("solve", "none.toml", "--svg", "n.svg")
    assert found.status == 0
    assert "n.svg is not written: there is no solution to draw" in found.output
    assert not (folder / "n.svg").exists()


def test_a_sheet_has_a_limit_and_says_so(run, folder, monkeypatch):
    monkeypatch.setattr(solve, "SHEET", 2)
    found = run("solve", "dominoes.toml", "--all", "--svg", "d.svg")
    assert "d.svg shows the first 2 of 3 solutions; for a picture of each write d-{}.svg" in found.output
    assert [t for t in texts(folder / "d.svg") if t.startswith("solution")] == ["solution 1", "solution 2"]
    run("solve", "dominoes.toml", "--all", "--svg", "e{}.svg")
    assert len(list(folder.glob("e*.svg"))) == 3


@pytest.mark.parametrize("command", [("show", "dominoes.toml"), ("solve", "dominoes.toml")])
def test_a_folder_that_is_not_there(run, folder, command):
    found = run(*command, "--svg", "nowhere/d.svg")
    assert found.status == 2
    assert "puzzlesat: nowhere/d.svg: " in found.output
    assert "Traceback" not in found.output
