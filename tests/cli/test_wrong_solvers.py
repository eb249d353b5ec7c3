"""Solvers in the table that are wrong, or the same as another solver: the error must be reported."""

import json
import sys
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest

import puzzlesat
from puzzlesat.base.errors import ContradictionError
from puzzlesat.checker import puzzle, rebuilt
from puzzlesat.checker.puzzle import all_placements
from puzzlesat.proofs import certificates, make_case
from puzzlesat.puzzles import build_instance, load
from puzzlesat.solvers import template
from puzzlesat.solvers.registry import SOLVERS, Solver
from tiers import every

TEMPLATE = Solver(name="template", says="plain search in Python", module="puzzlesat.solvers.template")


def register(monkeypatch, name, change):
    """Add a solver to the table that passes its complete list of solutions through ``change``."""
    module = ModuleType(f"solvers_of_a_test.{name}")

    def solve(problem, on_solutions, limits, given=(), progress=None):
        blocks = []
        outcome = template.solve(problem, blocks.append, limits, given=given)
        told = change([row for block in blocks for row in block])
        for row in told:
            if on_solutions is not None:
                on_solutions(row[None])
        return replace(outcome, solver=name, found=len(told))

    module.prepare = lambda problem: lambda *args, **keys: solve(problem, *args, **keys)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(SOLVERS, name, replace(TEMPLATE, name=name, module=module.__name__))


@pytest.fixture
def dominoes(tmp_path):
    path = tmp_path / "dominoes.toml"
    path.write_text('title = "Dominoes"\nmodel = "dominoes"\n[form]\nbox = [4, 3]\n')
    return path


def test_an_honest_solver_confirms(monkeypatch, run, dominoes):
    register(monkeypatch, "honest", lambda rows: rows)
    assert json.loads(run("count", dominoes, "--solver", "backtrack,honest", "--json", status=0).stdout)["agree"] is True


@every("change", [lambda rows: rows[1:], lambda rows: [*rows, rows[0]], lambda rows: [rows[0][1:], *rows[1:]]], fast=2)
@every("solvers", ["backtrack,wrong", "wrong,backtrack", "auto,wrong", "tally,wrong"], fast=2)
def test_a_wrong_solver_is_found_out(monkeypatch, run, dominoes, solvers, change):
    register(monkeypatch, "wrong", change)
    found = run("count", dominoes, "--solver", solvers, "--json", status=1)
    report = json.loads(found.stdout)
    assert report["agree"] is False
    assert report["sentence"].startswith("do not trust these counts")


def test_a_row_that_loads_another_solver_confirms_nothing(monkeypatch, run, dominoes):
    """A row that loaded SAT once confirmed SAT."""
    monkeypatch.setitem(SOLVERS, "xcover", replace(TEMPLATE, name="xcover", module="puzzlesat.solvers.sat"))
    with pytest.raises(ContradictionError, match="the solver 'xcover' was asked, and 'sat' has answered"):
        puzzlesat.count(dominoes, solver=("backtrack", "xcover"))
    found = run("count", dominoes, "--solver", "sat,xcover", status=1)
    assert "the solver 'xcover' was asked, and 'sat' has answered" in found.output


@every("change", [lambda rows: rows[1:], lambda rows: [*rows, rows[0]]])
def test_a_certificate_finds_a_wrong_solver_out(monkeypatch, run, dominoes, change):
    register(monkeypatch, "wrong", change)
    found = run("count", dominoes, "--solver", "wrong,certificate", "--json", status=1)
    report = json.loads(found.stdout)
    assert (report["agree"], report["certificate"], report["confirmed"]) == (False, None, "contradicted")
    said = [one["what"] for one in report["disagreements"] if one["solver"] == "certificate"]
    assert any(what.startswith("it proves that all is 11, ") for what in said)


@every(
    ("change", "said"),
    [
        (lambda records, rows: (records, rows[1:]), "the checker rejects it: tree: it leads to solution 1, which is not the one listed"),
        (lambda records, rows: (records, rows[:-1]), "the checker rejects it: tree: it leads to solution 7, which is not the one listed"),
        (lambda records, rows: (records, np.concatenate([rows, rows[-1:]])), "the checker rejects it: solutions: "),
        (lambda records, rows: (records[:-1], rows), "the checker rejects it: tree: the proof ends"),
        (lambda records, rows: (np.append(records, records[-1:]), rows), "the checker rejects it: tree: the proof continues"),
    ],
    fast=2,
)
def test_a_certificate_that_is_wrong_is_found_out(monkeypatch, run, dominoes, change, said):
    """The checker does not trust the program that made a certificate."""
    honest = certificates.search

    def lie(problem, possible, on_records, on_solutions, limits, progress):
        records, rows = [], []
        searched = honest(problem, possible, records.append, rows.append, limits, progress)
        told, found = change(np.concatenate(records), np.concatenate(rows))
        on_records(told)
        on_solutions(found)
        return searched

    monkeypatch.setattr(certificates, "search", lie)
    found = run("count", dominoes, "--json", status=1)
    report = json.loads(found.stdout)
    assert (report["agree"], report["certificate"]) == (False, None)
    assert report["sentence"].startswith("do not trust these counts: certificate: ")
    assert said in report["sentence"]


def test_a_certificate_of_another_puzzle_is_found_out(monkeypatch, run, dominoes):
    other = make_case(build_instance(puzzlesat.load("dominoes-4x4")))
    monkeypatch.setattr("puzzlesat.proofs.make_case", lambda *_: other)
    found = run("count", dominoes, "--json", status=1)
    assert "it proves that all is 36, the first solver counts 11" in found.json[0]["sentence"]


def test_a_checker_that_has_other_placements_is_heard(monkeypatch, run, dominoes):
    monkeypatch.setattr(rebuilt, "all_placements", lambda puzzle, go_on: all_placements(puzzle, go_on)[1:])
    found = run("count", dominoes, "--json", status=1)
    said = [one["what"] for one in found.json[0]["disagreements"]]
    assert any("the checker rebuilds 16 placements, where the program has 17" in what for what in said), said


TWINS = 'title = "Two dominoes"\ngrid = "square"\nflips = true\ntiles.A.picture = "##"\ntiles.B.picture = "##"\nform.box = [2, 2]\n'


def test_identical_tiles_that_are_not_joined_are_a_disagreement(monkeypatch, run, tmp_path):
    """Then all solvers count each solution twice; the checker and the second reader see that the two tiles are identical."""
    (tmp_path / "twins.toml").write_text(TWINS, encoding="utf-8")
    right = run("count", tmp_path / "twins.toml", "--json")
    assert (right.status, right.json[0]["agree"]) == (0, True)
    monkeypatch.setattr(load, "join_identical", lambda grid, tiles: list(tiles))
    found = run("count", tmp_path / "twins.toml", "--json", status=1)
    said = [one["what"] for one in found.json[0]["disagreements"]]
    assert any("B and A are the same; identical pieces are one tile with several ranges" in what for what in said)
    assert "tile A: the readers differ in its copies, or in which tiles are identical with it" in said


def test_a_limit_of_the_checker_is_no_disagreement(monkeypatch, run, dominoes):
    monkeypatch.setattr(puzzle, "MAX_PLACEMENTS", 16)
    found = run("count", dominoes, "--json")
    assert (found.status, found.json[0]["agree"]) == (0, True)
    assert any("more than 16 placements" in (row.get("refusal") or "") for row in found.json[0]["solvers"])
