"""Solvers with false results: each must be detected and reported."""

import json
import re
import shlex
from dataclasses import replace

import numpy as np
import pytest

from puzzlesat.solvers import backtrack, cpsat, sat
from puzzlesat.solvers.registry import SOLVERS
from puzzlesat.solvers.tally import solve as tally
from tiers import every


def lying(honest, change):
    """A solver that passes its complete list of solutions through ``change``; its outcome counts the changed list."""

    def solve(problem, on_solutions, limits, given=(), progress=None, layout=None):
        blocks = []
        outcome = honest(problem, blocks.append, limits, given=given)
        solutions = [[o for o in row if o >= 0] for block in blocks for row in block.tolist()]
        told = change(problem, solutions)
        if told and on_solutions is not None:
            width = max(map(len, told))
            on_solutions(np.array([row + [-1] * (width - len(row)) for row in told], dtype=np.int32))
        return replace(outcome, found=len(told))

    return solve


def drop(_problem, solutions):
    return solutions[1:]


def double(_problem, solutions):
    return solutions + solutions[:1]


def shorten(_problem, solutions):
    """Omit a placement, so that something stays uncovered."""
    return [row[1:] for row in solutions[:1]] + solutions[1:]


def overlap(problem, solutions):
    """Replace the first placement of the first solution by one that it does not have, so that something is covered twice."""
    first = solutions[0]
    other = next(o for o in range(problem.size) if o not in first)
    return [sorted([other, *first[1:]]), *solutions[1:]]


@pytest.fixture
def lie():
    """Make a solver lie, and only this one."""
    patch = pytest.MonkeyPatch()

    def make(name, change):
        patch.undo()
        if name != "sat":
            module = {"backtrack": backtrack, "cpsat": cpsat}[name]
            patch.setattr(module, "solve", lying(module.solve, change))
            return
        honest = sat.Formula.solve

        def solve(self, on_solutions, limits, given=(), progress=None):
            ask = lying(lambda _problem, *arguments, **keys: honest(self, *arguments, **keys), change)
            return ask(None, on_solutions, limits, given, progress)

        patch.setattr(sat.Formula, "solve", solve)

    yield make
    patch.undo()


def report_of(run, *arguments):
    found = run("count", *arguments, "--json")
    assert found.exception is None, repr(found.exception)
    return found.status, found.json[0]


@every("name", ["sat", "cpsat"])
def test_a_checking_solver_misses_a_solution(run, folder, lie, name):
    lie(name, drop)
    status, report = report_of(run, "dominoes.toml")
    assert (status, report["agree"]) == (1, False)
    (difference,) = report["disagreements"]
    assert difference["solver"] == name
    assert "misses 1 " in difference["what"]
    assert (len(difference["missing"]), difference["extra"]) == (1, [])
    assert len(difference["missing"][0]) == 3


def test_the_first_solver_misses_a_solution(run, folder, lie):
    lie("backtrack", drop)
    status, report = report_of(run, "dominoes.toml")
    assert (status, report["agree"]) == (1, False)
    assert {d["solver"] for d in report["disagreements"]} == {"tally", "certificate", "sat", "cpsat"}
    listers = [d for d in report["disagreements"] if d["solver"] in ("sat", "cpsat")]
    assert all(d["extra"] and d["missing"] == [] for d in listers)


@every("by", [1, -1])
def test_the_tally_counts_wrong(run, folder, monkeypatch, by):
    honest = tally.solve
    monkeypatch.setattr(tally, "solve", lambda *a, **k: replace(found := honest(*a, **k), found=found.found + by))
    status, report = report_of(run, "dominoes.toml")
    assert (status, report["agree"]) == (1, False)
    assert [d["solver"] for d in report["disagreements"]] == ["tally"]
    assert f"it counts {3 + by} solutions, the first solver 3" in report["disagreements"][0]["what"]


def test_the_tally_counts_wrong_what_a_symmetry_fixes(run, folder, monkeypatch):
    honest, calls = tally.solve, iter(range(9))
    monkeypatch.setattr(tally, "solve", lambda *a, **k: replace(found := honest(*a, **k), found=found.found + (next(calls) == 1)))
    status, report = report_of(run, "dominoes.toml")
    assert (status, report["agree"]) == (1, False)
    assert "leave other numbers of solutions unchanged" in report["disagreements"][0]["what"]


def test_the_tally_alone_counts_wrong(run, folder, monkeypatch):
    honest = tally.solve
    monkeypatch.setattr(tally, "solve", lambda *a, **k: replace(found := honest(*a, **k), found=found.found + 1))
    for solvers in ("tally,backtrack", "tally,sat", "tally,cpsat"):
        found = run("count", "dominoes.toml", "--solver", solvers, "--json", status=1)
        assert found.json[0]["agree"] is False


INVENTED = [pytest.param(double, "twice", id="twice"), pytest.param(shorten, "uncovered", id="uncovered")]
INVENTED += [pytest.param(overlap, "overlap", id="overlap")]


@every("name", ["sat", "cpsat"], fast=1)
@every(("change", "word"), INVENTED, fast=2)
def test_a_checking_solver_invents_a_solution(run, folder, lie, name, change, word):
    if name == "sat" and change is overlap:
        lie(name, lambda _problem, solutions: [sorted({*solutions[0], *solutions[1]}), *solutions[1:]])
    else:
        lie(name, change)
    status, report = report_of(run, "dominoes.toml")
    assert (status, report["agree"]) == (1, False)
    assert [d["solver"] for d in report["disagreements"]] == [name]
    assert word in report["disagreements"][0]["what"]


@every(("change", "word"), INVENTED[1:])
def test_the_recheck_finds_out_the_first_solver_even_alone(run, folder, lie, change, word):
    lie("backtrack", change)
    status, report = report_of(run, "dominoes.toml", "--solver", "backtrack")
    assert (status, report["agree"]) == (1, False)
    assert all("fails the check against the geometry" in d["what"] for d in report["disagreements"])
    assert word in report["disagreements"][0]["what"]


def test_the_same_solution_twice_from_the_first_solver(run, folder, lie):
    lie("backtrack", double)
    status, report = report_of(run, "dominoes.toml")
    assert (status, report["agree"]) == (1, False)


def test_the_file_says_how_to_see_it_again(run, folder, lie):
    lie("cpsat", lambda problem, solutions: sorted(solutions, key=lambda s: [problem.options[o] for o in s])[1:])
    run("count", "dominoes.toml")
    (file,) = folder.glob("disagreement-*.json")
    assert file.name == "disagreement-dominoes.json"
    record = json.loads(file.read_text(encoding="utf-8"))
    assert record["text"] == (folder / "dominoes.toml").read_text(encoding="utf-8")
    assert record["instance"].endswith("dominoes.toml")
    assert len(record["disagreements"]) == 1
    commands = record["commands"]
    assert len(commands) == len(set(commands)) == 2
    found = [run(*shlex.split(c)[1:]) for c in commands]
    solutions = [{frozenset(p["name"] for p in entry["placements"]) for entry in f.json} for f in found]
    assert [len(s) for s in solutions] == [3, 2]
    (missing,) = solutions[0] - solutions[1]
    assert missing == frozenset(record["disagreements"][0]["missing"][0])


def test_a_disagreement_is_told_where_its_file_cannot_be_written(run, folder, lie):
    lie("cpsat", drop)
    (folder / "disagreement-dominoes.json").mkdir()
    found = run("count", "dominoes.toml", status=1)
    assert "agreement   NO: cpsat: " in found.output
    assert "puzzlesat: disagreement-dominoes.json: Is a directory" in found.output


def test_check_fails_too(run, folder, lie):
    lie("sat", drop)
    assert run("check", "dominoes.toml", status=1).output.startswith("FAILED")
    assert (folder / "disagreement-dominoes.json").is_file()


def test_subproblems_are_compared_too(run, folder, lie, monkeypatch):
    """If there are more solutions than one run compares, the error is found in a subproblem, whose placements are named."""
    monkeypatch.setitem(SOLVERS, "cpsat", replace(SOLVERS["cpsat"], in_one_run=0))
    lie("cpsat", drop)
    found = run("count", "lozenges-hexagon-3", "--solver", "backtrack,cpsat", "--json", status=1)
    (difference,) = found.json[0]["disagreements"]
    assert difference["prefix"]
    commands = json.loads((folder / "disagreement-lozenges-hexagon-3.json").read_text(encoding="utf-8"))["commands"]
    assert all(f"--with '{name}'" in command for command in commands for name in difference["prefix"])


@every("change", [shorten, overlap])
def test_solve_does_not_print_what_fails_on_the_geometry(run, folder, lie, change):
    lie("backtrack", change)
    found = run("solve", "dominoes.toml", "--all", status=1)
    assert "solution 1" not in found.output
    assert "puzzlesat: backtrack found a solution that fails when it is checked: " in found.output
    assert found.exception is None


@every(
    ("error", "command", "status"),
    [
        (MemoryError("no room"), "solve", 3),
        (MemoryError("no room"), "count", 0),  # other solvers count, and confirm each other
        (MemoryError("no room"), "count --solver backtrack", 3),
        (ArithmeticError("a solver is broken"), "solve", 1),
        (ArithmeticError("a solver is broken"), "count", 1),
    ],
)
def test_a_solver_that_crashes_is_not_taken_for_one_that_found_nothing(run, folder, monkeypatch, error, command, status):
    def crash(*_arguments, **_keys):
        raise error

    monkeypatch.setattr(backtrack, "solve", crash)
    found = run(*command.split(), "dominoes.toml")
    assert found.status == status
    assert "no solution" not in found.output
    if status == 0:
        assert "confirmed by a checked certificate of the whole search and by sat (same count) and cpsat (same count)" in found.output


@pytest.mark.full
@every(("liar", "change"), [("sat", drop), ("cpsat", double), ("sat", shorten), ("backtrack", drop)])
def test_a_contradiction_is_the_first_that_is_said_everywhere(run, folder, lie, liar, change):
    lie(liar, change)
    status, report = report_of(run, "dominoes.toml")
    assert status == 1
    sentence = report["sentence"]
    assert sentence.startswith("do not trust these counts: ")
    assert report["confirmed"] == "contradicted"
    assert " ".join(sentence.split()) in " ".join(run("count", "dominoes.toml").output.split())  # long lines are folded
    assert sentence.split(":")[0] in run("check", "dominoes.toml").output
    run("report", "dominoes.toml", "-o", "page.html", status=1)
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert re.search(r'<p class="first refuted" id="sentence">do not trust these counts: ', page)
    assert '<p class="first confirmed"' not in page
    assert "Confirmed: " not in page
