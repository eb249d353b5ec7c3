"""``puzzlesat solve``: solutions as text and as JSON lines."""

from __future__ import annotations

import re

import pytest

from puzzlesat.solvers.registry import listing

SOLVERS = [*listing(), "sat:minisat22:pairwise"]


def as_sets(found):
    return {frozenset(p["name"] for p in entry["placements"]) for entry in found.json}


def test_one_solution_as_text(run, folder):
    found = run("solve", "dominoes.toml")
    assert found.status == 0
    first, *picture, names = found.output.strip().splitlines()
    assert first.startswith("solution 1  D.")
    assert sorted("".join(picture)) == sorted("DDddAA")
    assert names.split() == [word for pair in zip("dA", first.split()[3:], strict=True) for word in pair]


def test_two_copies_have_a_capital_and_a_small_letter(run, tmp_path):
    file = tmp_path / "two.toml"
    tiles = '[tiles.D]\npicture = "##"\ncopies = 2\n[tiles.L]\npicture = "###"\n'
    file.write_text(f'title = "T"\ngrid = "square"\nflips = true\n{tiles}[form]\npicture = """\n####\n###.\n"""\n', encoding="utf-8")
    found = run("solve", file, "--with", "L.1@1.1")
    assert found.output.splitlines()[1:3] == ["DDdd", "LLL"]


@pytest.mark.parametrize("number", [1, 2])
def test_some_solutions(run, folder, number):
    found = run("solve", "dominoes.toml", "-n", number)
    assert found.status == 0
    assert found.output.count("solution ") == number
    assert "complete" not in found.output


@pytest.mark.parametrize("solver", SOLVERS)
def test_all_solutions(run, folder, solver):
    found = run("solve", "dominoes.toml", "--all", "--solver", solver)
    assert found.status == 0
    assert "complete: dominoes has 3 solutions." in found.output
    found = run("solve", "dominoes.toml", "--all", "--solver", solver, "--json")
    assert as_sets(found) == {
        frozenset({"D.1@1.1", "D.1@1.2", "D.2@3.1"}),
        frozenset({"D.2@1.1", "D.1@2.1", "D.1@2.2"}),
        frozenset({"D.2@1.1", "D.2@2.1", "D.2@3.1"}),
    }
    assert [entry["number"] for entry in found.json] == [1, 2, 3]


def test_more_solutions_than_there_are(run, folder):
    found = run("solve", "dominoes.toml", "-n", 10)
    assert found.status == 0
    assert "complete: dominoes has 3 solutions." in found.output


@pytest.mark.parametrize("solver", SOLVERS)
def test_distinct_solutions(run, folder, solver):
    found = run("solve", "dominoes.toml", "--all", "--distinct", "--json", "--solver", solver)
    assert len(as_sets(found)) == 2
    assert frozenset({"D.2@1.1", "D.2@2.1", "D.2@3.1"}) in as_sets(found)
    text = run("solve", "dominoes.toml", "--all", "--distinct", "--solver", solver).output
    assert "complete: dominoes has 2 solutions up to symmetry." in text
    assert len(run("solve", "dominoes.toml", "-n", 2, "--distinct", "--json", "--solver", solver).json) == 2


@pytest.mark.parametrize("solver", SOLVERS)
def test_with_placements(run, folder, solver):
    found = run("solve", "dominoes.toml", "--all", "--with", "D.2@1.1", "--with", "D.1@2.2", "--json", "--solver", solver)
    assert as_sets(found) == {frozenset({"D.2@1.1", "D.1@2.1", "D.1@2.2"})}


@pytest.mark.parametrize("solver", SOLVERS)
def test_with_placements_that_exclude_each_other(run, folder, solver):
    found = run("solve", "dominoes.toml", "--with", "D.2@1.1", "--with", "D.1@1.1", "--solver", solver)
    assert found.status == 0
    assert found.output.strip() == "complete: dominoes with D.2@1.1 D.1@1.1 has no solution."
    assert run("solve", "dominoes.toml", "--with", "D.2@1.1", "--with", "D.1@1.1", "--json", "--solver", solver).stdout == ""


def test_with_names_that_are_no_placements(run, folder):
    found = run("solve", "dominoes.toml", "--with", "foo", "--with", "D.9@1.1")
    assert found.status == 2
    assert "'foo' is not a placement of dominoes; a placement is written TILE.ORIENTATION@CELL, such as 'D.1@1.1'" in found.output
    assert "'D.9@1.1' is not a placement of dominoes; did you mean 'D." in found.output


def test_no_solution(run, folder):
    found = run("solve", "none.toml", "--all")
    assert (found.status, found.output.strip()) == (0, "complete: none has no solution.")


def test_json(run, folder):
    (entry,) = run("solve", "dominoes.toml", "--with", "D.1@1.1", "--json").json
    assert set(entry) == {"number", "instance", "placements"}
    assert (entry["number"], entry["instance"]) == (1, "dominoes")
    assert entry["placements"] == [
        {"name": "D.1@1.1", "tile": "D", "atoms": [[1, 1, "f"], [2, 1, "f"]], "bits": "C0"},
        {"name": "D.1@1.2", "tile": "D", "atoms": [[1, 2, "f"], [2, 2, "f"]], "bits": "18"},
        {"name": "D.2@3.1", "tile": "D", "atoms": [[3, 1, "f"], [3, 2, "f"]], "bits": "24"},
    ]


def test_uncovered_atoms_are_not_in_any_placement(run, folder):
    found = run("solve", "optional.toml", "--all", "--json")
    assert sorted(len(entry["placements"]) for entry in found.json) == [0, 1, 1, 1, 1, 2, 2]
    assert "complete: optional has 7 solutions." in run("solve", "optional.toml", "--all").output


def test_names_beside_the_picture_where_first_letters_are_not_enough(run):
    found = run("solve", "absolut-knifflig")
    *_, rows3, rows2, rows1, names, more = [line for line in found.output.splitlines() if line]
    assert len(rows1) == len(rows2) == len(rows3) == 3
    assert re.fullmatch(r"(?:[A-E] card[1-5]\.\d@\S+ *){5}", names)
    assert re.fullmatch(r"(?:[F-I] card[6-9]\.\d@\S+ *){4}", more)


def test_a_solution_in_space_is_drawn_layer_by_layer(run):
    lines = run("solve", "soma").output.splitlines()
    assert [len(line) for line in lines[1:12]] == [3, 3, 3, 0, 3, 3, 3, 0, 3, 3, 3]
    assert sorted({*"".join(lines[1:12])}) == sorted("VLTZABP")


def test_a_time_limit(run):
    found = run("solve", "pentominoes-6x10", "--time", "2", "--cpu", "-n", "1000000", "--solver", "cpsat")
    assert found.status == 3
    assert re.search(r"^puzzlesat: limit reached (after \d+ solutions?|in the midst of: .*)$", found.output, re.M)
    assert "complete" not in found.output


def test_the_small_puzzles_have_solutions(run, folder):
    """Else the tests that compare their solutions would compare nothing."""
    for name in (
        "limitless",
        "optional",
        "some-copies",
        "remainder",
        "weights",
        "fixed",
        "few",
        "few-weights",
        "few-cards",
        "cards",
        "cards-border",
    ):
        assert len(run("solve", f"{name}.toml", "-n", 2, "--json").json) == 2, name


LARGE = """title = "The 60 one-sided hexominoes"
grid = "square"
flips = false
[[generate]]
one_sided = 6
[form]
box = [24, 15]
"""


@pytest.mark.full  # a large puzzle is laid three times
def test_large_sets_have_first_solutions_and_a_seed_repeats_them(run, tmp_path):
    file = tmp_path / "large.toml"
    file.write_text(LARGE, encoding="utf-8")
    found = [run("solve", file, "-n", 2, "--seed", seed, "--json", "--time", 100) for seed in (5, 5, 6)]
    assert [f.status for f in found] == [0, 0, 0]
    assert found[0].output == found[1].output != found[2].output
    solutions = {solution for f in found for solution in as_sets(f)}
    assert len(solutions) == 4
    assert {len(solution) for solution in solutions} == {60}


@pytest.mark.slow  # 339,516 placements are laid
def test_all_heptominoes_without_a_hole_in_the_longest_rectangle(run, tmp_path):
    (tmp_path / "heptominoes.toml").write_text('title = "H"\ngrid = "square"\nflips = true\n[[generate]]\nfree = 7\n', encoding="utf-8")
    file = tmp_path / "strip.toml"
    file.write_text('title = "S"\nmodel = "heptominoes"\n[form]\nbox = [107, 7]\n[tiles.7-94]\ncopies = 0\n', encoding="utf-8")
    found = run("solve", file, "--json")
    assert found.status == 0
    (solution,) = as_sets(found)
    assert len(solution) == 107
