"""``puzzlesat solve``: solutions as text and as JSON lines, by number and at random."""

import re

import pytest

from puzzlesat.solvers.registry import listing
from tiers import every

SOLVERS = [*listing(), "sat:minisat22:pairwise"]


def as_sets(found):
    return {frozenset(p["name"] for p in entry["placements"]) for entry in found.json}


def test_some_solutions_and_more_than_there_are(run, folder):
    for number in (1, 2):
        found = run("solve", "dominoes.toml", "-n", number, status=0)
        assert found.output.count("solution ") == number
        assert "complete" not in found.output
    assert "complete: dominoes has 3 solutions." in run("solve", "dominoes.toml", "-n", 10).output


@every("solver", SOLVERS, fast=2)
def test_all_solutions(run, folder, solver):
    found = run("solve", "dominoes.toml", "--all", "--solver", solver, status=0)
    assert "complete: dominoes has 3 solutions." in found.output
    found = run("solve", "dominoes.toml", "--all", "--solver", solver, "--json")
    assert as_sets(found) == {
        frozenset({"D.1@1.1", "D.1@1.2", "D.2@3.1"}),
        frozenset({"D.2@1.1", "D.1@2.1", "D.1@2.2"}),
        frozenset({"D.2@1.1", "D.2@2.1", "D.2@3.1"}),
    }
    assert [entry["number"] for entry in found.json] == [1, 2, 3]


@every("solver", SOLVERS, fast=2)
def test_distinct_solutions(run, folder, solver):
    found = run("solve", "dominoes.toml", "--all", "--distinct", "--json", "--solver", solver)
    assert len(as_sets(found)) == 2
    assert frozenset({"D.2@1.1", "D.2@2.1", "D.2@3.1"}) in as_sets(found)
    text = run("solve", "dominoes.toml", "--all", "--distinct", "--solver", solver).output
    assert "complete: dominoes has 2 solutions up to symmetry." in text
    assert len(run("solve", "dominoes.toml", "-n", 2, "--distinct", "--json", "--solver", solver).json) == 2


@every("solver", SOLVERS, fast=2)
def test_with_placements_and_with_those_that_exclude_each_other(run, folder, solver):
    found = run("solve", "dominoes.toml", "--all", "--with", "D.2@1.1", "--with", "D.1@2.2", "--json", "--solver", solver)
    assert as_sets(found) == {frozenset({"D.2@1.1", "D.1@2.1", "D.1@2.2"})}
    found = run("solve", "dominoes.toml", "--with", "D.2@1.1", "--with", "D.1@1.1", "--solver", solver, status=0)
    assert found.output.strip() == "complete: dominoes with D.2@1.1 D.1@1.1 has no solution."
    assert run("solve", "dominoes.toml", "--with", "D.2@1.1", "--with", "D.1@1.1", "--json", "--solver", solver).stdout == ""


def test_json(run, folder):
    (entry,) = run("solve", "dominoes.toml", "--with", "D.1@1.1", "--json").json
    assert set(entry) == {"number", "instance", "placements"}
    assert (entry["number"], entry["instance"]) == (1, "dominoes")
    assert entry["placements"] == [
        {"name": "D.1@1.1", "tile": "D", "atoms": [[1, 1, "f"], [2, 1, "f"]], "bits": "C0"},
        {"name": "D.1@1.2", "tile": "D", "atoms": [[1, 2, "f"], [2, 2, "f"]], "bits": "18"},
        {"name": "D.2@3.1", "tile": "D", "atoms": [[3, 1, "f"], [3, 2, "f"]], "bits": "24"},
    ]


def test_no_solution_and_uncovered_atoms_are_not_in_any_placement(run, folder):
    found = run("solve", "none.toml", "--all")
    assert (found.status, found.output.strip()) == (0, "complete: none has no solution.")
    found = run("solve", "optional.toml", "--all", "--json")
    assert sorted(len(entry["placements"]) for entry in found.json) == [0, 1, 1, 1, 1, 2, 2]
    assert "complete: optional has 7 solutions." in run("solve", "optional.toml", "--all").output


LARGE = 'title = "The 60 one-sided hexominoes"\ngrid = "square"\nflips = false\n[[generate]]\none_sided = 6\n[form]\nbox = [24, 15]\n'


@pytest.mark.slow  # a large puzzle is built three times
def test_large_sets_have_first_solutions_and_a_seed_repeats_them(run, tmp_path):
    file = tmp_path / "large.toml"
    file.write_text(LARGE, encoding="utf-8")
    found = [run("solve", file, "-n", 2, "--seed", seed, "--json", "--time", 100) for seed in (5, 5, 6)]
    assert [f.status for f in found] == [0, 0, 0]
    assert found[0].output == found[1].output != found[2].output
    solutions = {solution for f in found for solution in as_sets(f)}
    assert len(solutions) == 4
    assert {len(solution) for solution in solutions} == {60}


def as_list(found):
    return [frozenset(p["name"] for p in entry["placements"]) for entry in found.json]


@pytest.mark.full
def test_draws_can_be_repeated(run, folder):
    found = run("solve", "limitless.toml", "--random", 5, "--json")
    (seed,) = {entry["seed"] for entry in found.json}
    assert run("solve", "limitless.toml", "--random", 5, "--seed", seed, "--json").json == found.json
    for entry in found.json:
        again = run("solve", "limitless.toml", "--nth", entry["number"], "--json").json
        assert [{key: value for key, value in entry.items() if key != "seed"}] == again
    text = run("solve", "limitless.toml", "--random", 2).output
    assert re.search(r"^complete: limitless has 36 solutions, counted only once; drawn with --seed \d+\.$", text, re.M)
    text = run("solve", "limitless.toml", "--random", 2, "--distinct", "--seed", 7).output
    assert "complete: limitless has 36 solutions, counted only once; drawn up to symmetry with --seed 7." in text


def test_with_placements(run, folder):
    """This includes ``--distinct``, which once reported no solution if the representative of the class lay differently."""
    found = run("solve", "dominoes.toml", "--all", "--distinct", "--with", "D.1@2.1")
    assert "complete: dominoes with D.1@2.1 has 1 solution up to symmetry." in found.output
    found = run("solve", "limitless.toml", "--random", 9, "--with", "D.1@2.2", "--seed", 1, "--json")
    assert len(found.json) == 9
    assert all("D.1@2.2" in solution for solution in as_list(found))
    listed = len(run("solve", "limitless.toml", "--all", "--with", "D.1@2.2", "--json").json)
    assert found.json[0]["of"] == listed
    assert f"limitless with D.1@2.2 has {listed} solutions" in run("solve", "limitless.toml", "--nth", 1, "--with", "D.1@2.2").output


@pytest.mark.full
def test_pictures_have_the_numbers_in_their_names(run, folder):
    assert run("solve", "dominoes.toml", "--nth", 3, "--nth", 1, "--svg", "n-{}.svg").status == 0
    assert sorted(file.name for file in folder.glob("n-*.svg")) == ["n-1.svg", "n-3.svg"]
    assert "solution 3" in (folder / "n-3.svg").read_text(encoding="utf-8")
    found = run("solve", "dominoes-8x8", "--random", 3, "--seed", 1, "--png", "r-{}.png", "--svg", "sheet.svg", "--json")
    assert sorted(file.name for file in folder.glob("r-*.png")) == [f"r-{i}.png" for i in range(1, 4)]
    sheet = (folder / "sheet.svg").read_text(encoding="utf-8")
    assert [f"solution {entry['number']}" in sheet for entry in found.json] == [True] * 3
    assert run("solve", "dominoes.toml", "--random", 9, "--svg", "again-{}.svg").status == 0  # some come twice
    assert len(list(folder.glob("again-*.svg"))) == 9
