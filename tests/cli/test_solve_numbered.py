"""``puzzlesat solve --nth`` and ``--random``: solutions by number and at random, as text, as JSON lines and in files."""

from __future__ import annotations

import re

import pytest

from puzzlesat.solvers.registry import listing
from tiers import of_which

FAMILIES = [
    "cards",
    "cards-border",
    "few",
    "few-cards",
    "few-weights",
    "fixed",
    "limitless",
    "optional",
    "remainder",
    "some-copies",
    "weights",
]


def as_sets(found):
    return [frozenset(p["name"] for p in entry["placements"]) for entry in found.json]


def test_one_by_its_number_as_text(run, folder):
    found = run("solve", "dominoes.toml", "--nth", 2)
    assert found.status == 0
    first, *picture, _, last = found.output.strip().splitlines()
    assert re.match(r"solution 2  D\.", first)
    assert sorted("".join(picture[:2])) == sorted("DDddAA")
    assert last == "complete: dominoes has 3 solutions."


@pytest.mark.parametrize("solver", [None, *listing()])
@pytest.mark.parametrize("name", of_which(FAMILIES, *(name for name in FAMILIES if name != "cards")))
def test_all_numbers_are_all_solutions(run, folder, name, solver):
    everything = as_sets(run("solve", f"{name}.toml", "--all", "--json"))
    wanted = [word for number in range(1, len(everything) + 1) for word in ("--nth", number)][: 2 * 40]
    found = run("solve", f"{name}.toml", *wanted, "--json", *(() if solver is None else ("--solver", solver)))
    assert [entry["number"] for entry in found.json] == wanted[1::2]
    assert {entry["of"] for entry in found.json} == {len(everything)}
    assert len(set(as_sets(found))) == len(found.json)
    assert set(as_sets(found)) <= set(everything)
    assert found.json == run("solve", f"{name}.toml", *wanted, "--json").json


def test_draws_can_be_repeated(run, folder):
    found = run("solve", "limitless.toml", "--random", 5, "--json")
    (seed,) = {entry["seed"] for entry in found.json}
    assert run("solve", "limitless.toml", "--random", 5, "--seed", seed, "--json").json == found.json
    for entry in found.json:
        again = run("solve", "limitless.toml", "--nth", entry["number"], "--json").json
        assert [{key: value for key, value in entry.items() if key != "seed"}] == again
    text = run("solve", "limitless.toml", "--random", 2).output
    assert re.search(r"^complete: limitless has 36 solutions; drawn with --seed \d+\.$", text, re.M)
    text = run("solve", "limitless.toml", "--random", 2, "--distinct", "--seed", 7).output
    assert "complete: limitless has 36 solutions; drawn up to symmetry with --seed 7." in text


def test_with_placements(run, folder):
    found = run("solve", "limitless.toml", "--random", 9, "--with", "D.1@2.2", "--seed", 1, "--json")
    assert len(found.json) == 9
    assert all("D.1@2.2" in solution for solution in as_sets(found))
    listed = len(run("solve", "limitless.toml", "--all", "--with", "D.1@2.2", "--json").json)
    assert found.json[0]["of"] == listed
    assert f"limitless with D.1@2.2 has {listed} solutions" in run("solve", "limitless.toml", "--nth", 1, "--with", "D.1@2.2").output


def test_one_of_each_class_of_those_with_a_placement(run, folder):
    """The solution that stands for its class does not lie so: it was said that there is none."""
    found = run("solve", "dominoes.toml", "--all", "--distinct", "--with", "D.1@2.1")
    assert "complete: dominoes with D.1@2.1 has 1 solution up to symmetry." in found.output


@pytest.mark.parametrize("wanted", [("--nth", 1), ("--random", 2)])
def test_no_solution(run, folder, wanted):
    found = run("solve", "none.toml", *wanted)
    if wanted[0] == "--nth":
        assert (found.status, found.output) == (2, "puzzlesat: there is no solution 1: none has no solution\n")
    else:
        assert (found.status, found.output.strip()) == (0, "complete: none has no solution.")


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (["--nth", 4], "there is no solution 4: dominoes has 3 solutions"),
        (["--nth", 1, "--nth", 10**30], f"there is no solution {10**30}: dominoes has 3 solutions"),
        (["--nth", 0], "greater than or equal to 1"),
        (["--nth", -5], "greater than or equal to 1"),
        (["--random", 0], "greater than or equal to 1"),
        (["--random", "x"], "unable to parse string as an integer"),
        (["--nth", 1, "--random", 1], "use --nth or --random, not both"),
        (["--nth", 1, "--all"], "use --all or --nth, not both"),
        (["--random", 1, "-n", 2], "use -n or --random, not both"),
        (["--nth", 1, "--distinct"], "remove --distinct"),
        (["--random", 1, "--solver", "talli"], "did you mean 'tally'"),
        (["--random", 1, "--with", "X.1@1.1"], "is not a placement of dominoes"),
        (["--nth", 1, "--svg", "no/folder.svg"], "there is no folder"),
        (["--nth", 1, "--memory", 0], "a number greater than 0"),
    ],
)
def test_bad_usage(run, folder, wanted, said):
    found = run("solve", "dominoes.toml", *wanted)
    assert found.status == 2
    assert said in " ".join(found.output.replace("│", " ").split())
    assert found.exception is None


def test_limits(run, folder):
    found = run("solve", "pentominoes-6x10", "--random", 1, "--time", 0.0001)
    assert found.status == 3
    assert "limit reached" in found.output
    found = run("solve", "dominoes-8x8", "--random", 10**9, "--seed", 1, "--time", 1.5, "--json")
    assert found.status == 3
    assert re.search(r"^puzzlesat: limit reached (after [\d,]+ solutions?|in the midst of: .*)$", found.output, re.M)
    found = run("solve", "dominoes-8x8", "--nth", 1, "--memory", 0.01, "--solver", "tally")
    assert found.status == 0
    found = run("solve", "octogram", "--nth", 1, "--memory", 0.01, "--solver", "tally")
    assert found.status == 2
    assert re.search(r"^puzzlesat: tally: [\d,]+ shapes .* more than 10 MiB; allow more with --memory$", found.output, re.M)


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


def test_what_is_printed_can_be_read_again(run, folder):
    """As files of solutions, and as a position."""
    for number, kind in enumerate(([], ["--json"])):
        found = run("solve", "limitless.toml", "--random", 3, "--seed", 5, *kind)
        assert found.status == 0
        file = folder / f"drawn-{number}.jsonl"
        if kind:
            file.write_text(found.stdout, encoding="utf-8")
            assert run("convert", file, folder / "drawn.txt", "--instance", "limitless.toml").status == 0
        one = folder / f"one-{number}.txt"
        one.write_text(run("solve", "limitless.toml", "--nth", 36, *kind).stdout, encoding="utf-8")
        hint = run("hint", "limitless.toml", "--picture", one)
        assert hint.status == 0, hint.output


def test_of_a_cover_problem(run, folder):
    assert run("compile", "dominoes.toml", "-o", "dominoes.xcc", "--format", "xcc").status == 0
    found = [run("solve", "dominoes.xcc", "--nth", number, "--json").json[0] for number in (1, 2, 3)]
    assert [(entry["number"], entry["of"], entry["cover"]) for entry in found] == [(n, 3, "dominoes.xcc") for n in (1, 2, 3)]
    assert len({frozenset(entry["options"]) for entry in found}) == 3
    text = run("solve", "dominoes.xcc", "--random", 1, "--seed", 1).output
    assert "complete: dominoes.xcc has 3 solutions; drawn with --seed 1." in text
    for wrong in (["--distinct"], ["--svg", "x.svg"]):
        found = run("solve", "dominoes.xcc", "--random", 1, *wrong)
        assert found.status == 2
        assert "is for puzzles" in found.output
