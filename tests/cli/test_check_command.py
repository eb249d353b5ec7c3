"""``puzzlesat check``: a line for each instance with expectations."""

from __future__ import annotations

import pytest


@pytest.fixture
def good(folder):
    """The folder without the instances whose expectation is wrong."""
    (folder / "wrong.toml").unlink()
    return folder


def test_a_folder(run, good):
    found = run("check", good)
    assert found.status == 0, found.output
    lines = found.output.splitlines()
    assert [line.split()[:2] for line in lines] == [["ok", "dominoes"], ["ok", "none"]]
    assert "labelled 18, all 3, distinct 2" in lines[0]
    assert "[backtrack, tally, sat, cpsat;" in lines[0]


def test_an_expectation_that_is_wrong(run, folder):
    found = run("check", folder)
    assert found.status == 1
    (line,) = [line for line in found.output.splitlines() if "wrong" in line]
    assert line.startswith("FAILED")
    assert "all: expected 4, counted 3" in line
    assert found.output.count("ok  ") == 2


def test_json(run, good):
    found = run("check", good, "--json")
    assert found.status == 0
    assert [(r["instance"], r["counts"]["all"], r["agree"]) for r in found.json] == [("dominoes", 3, True), ("none", 0, True)]


def test_names_and_files(run, good):
    found = run("check", "domino-and-square-3x2", good / "none.toml", "--json")
    assert [r["instance"] for r in found.json] == ["domino-and-square-3x2", "none"]


def test_an_instance_without_expectation_is_passed_over(run, good):
    found = run("check", good / "silent.toml")
    assert found.status == 0
    assert found.stdout == ""
    assert "nothing to check" in found.output


def test_models_and_grids_in_a_folder_are_passed_over(run, good):
    (good / "model.toml").write_text('title = "M"\ngrid = "square"\nflips = true\n[tiles.A]\npicture = "#"\n', encoding="utf-8")
    assert [r["instance"] for r in run("check", good, "--json").json] == ["dominoes", "none"]


def test_a_folder_without_instances(run, tmp_path):
    found = run("check", tmp_path)
    assert found.status == 2
    assert f"{tmp_path}: there is no instance file" in found.output


def test_a_broken_file_in_a_folder(run, good):
    (good / "a-broken.toml").write_text('model = "soma"\ntitel = "x"\n', encoding="utf-8")
    found = run("check", good)
    assert found.status == 2
    assert "a-broken.toml: unknown key 'titel'; did you mean 'title'?" in found.output


def test_a_limit_in_time(run):
    found = run("check", "pentominoes-6x10", "--time", "0.01")
    assert found.status == 3
    assert found.output.startswith("stopped")


def test_solvers(run, good):
    found = run("check", good / "dominoes.toml", "--solver", "cpsat,backtrack", "--full")
    assert found.status == 0
    assert "[cpsat, backtrack;" in found.output
