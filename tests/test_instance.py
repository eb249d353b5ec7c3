"""A puzzle has only data that its count depends on. Its name, title and expected counts are in the instance that contains it."""

from dataclasses import fields, replace
from pathlib import Path

import pytest

from helpers import load
from puzzlesat.base import Limits, PuzzleError
from puzzlesat.counting import Judgement, Plan, count, crosscheck, hold
from puzzlesat.counting.evidence import NOT_COUNTED
from puzzlesat.designing.tile_set import OF_THE_FORM, Kit, load_kit
from puzzlesat.proofs.statement import state_puzzle
from puzzlesat.puzzles import ExpectTable, Instance, InstanceFile, Puzzle, build_instance, validated
from puzzlesat.puzzles.load import Library, load_instance
from strategies import to_toml
from test_fields import PAIRS, two
from tiers import every

PLAN = Plan(solvers=("backtrack", "sat"))
DOMINO = {"atoms": [[1, 1], [2, 1]]}
DOMINOES = {"title": "Dominoes", "grid": "square", "flips": True, "tiles": {"D": DOMINO | {"copies": 8}}, "form": {"box": [4, 4]}}
LOOSE = DOMINOES | {"tiles": {"D": DOMINO}, "form": {"atoms": [[1, 1], [2, 1], [3, 1], [1, 2]], "optional": "all"}}
"""No symmetry maps its form to itself."""

SAID = {
    "name": "elsewhere",
    "title": "Another title",
    "path": Path("elsewhere.toml"),
    "source": "somebody",
    "expect": ExpectTable(all=7777, distinct=7777, published="7777", solution=["D.1@1.1"]),
    "break_on": "D",
    "together": (frozenset({"D"}),),
    "mirrored_stated": True,
    "file": None,
    "written": None,
}
"""For each field of an instance, except its puzzle, another value."""


def test_every_field_is_looked_into_here():
    assert SAID.keys() | {"puzzle"} == {f.name for f in fields(Instance)}


@every("field", SAID, fast=3)
def test_no_count_depends_on_what_is_said_of_a_puzzle(field):
    instance = load(LOOSE)
    assert getattr(instance, field) != SAID[field]
    changed = count(replace(instance, **{field: SAID[field]}), PLAN)
    plain = count(instance.puzzle, PLAN)
    assert changed.counts == plain.counts
    assert changed.agree and plain.agree
    assert state_puzzle(changed.built) == state_puzzle(plain.built)


WRONG = DOMINOES | {"form": {"box": [2, 2], "fixed": ["D.1@9.9"]}, "expect": {"fixed": {"turn 45": 0}, "solution": ["D.1@7.7"]}}


def test_what_is_wrong_is_said_with_the_file_by_whoever_knows_it(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(to_toml(WRONG), encoding="utf-8")
    instance = load_instance(file)
    with pytest.raises(PuzzleError) as caught:
        build_instance(instance)
    keys = ["form.fixed", "expect.solution", "expect.fixed"]
    assert [problem.split(": ")[:2] for problem in caught.value.problems] == [[str(file), key] for key in keys]
    with pytest.raises(PuzzleError) as nameless:
        build_instance(replace(instance, path=None))
    assert nameless.value.under(f"{file}: ").problems == caught.value.problems


def test_results_of_forms_are_kept_from_version_to_version():
    """The fingerprint of tiles and rules equals the one in result files of puzzlesat 0.1.0."""
    assert load_kit("tetrominoes").fingerprint == "59d335759c61c7a3fe5d"


# each field of a puzzle, which distinguishes result files ----------------------------------------------------------------------


@every("field", sorted({f.name for f in fields(Puzzle)} - set(OF_THE_FORM)), fast=2)
def test_results_of_forms_are_for_the_same_tiles_and_rules(field):
    pair = {"tiles": "Tile.atoms", "solutions": "SolutionRules.no_crossroads"}.get(field, f"Puzzle.{field}")
    (_, one), (_, other) = two(pair)
    changed = replace(one.puzzle, **{field: getattr(other.puzzle, field)})
    file = InstanceFile.model_validate(PAIRS[pair].one)
    assert len({Kit(file, Path("kit.toml"), puzzle, False).fingerprint for puzzle in (one.puzzle, changed)}) == 2


# expectations ----------------------------------------------------------------------------------------------------------------

SOLUTION = ["D.1@1.1", "D.1@1.2", "D.1@1.3"]
NO_SOLUTION = ["D.1@1.1", "D.1@1.2", "D.2@1.2"]
OWN = Path("own.toml")
FORM = {"title": "dominoes", "grid": "square", "flips": True, "tiles": {"D": {"picture": "##", "copies": 3}}, "form": {"box": [2, 3]}}


def instance(**expect):
    return Library().instance(validated(InstanceFile, {**FORM, "expect": expect}, OWN), OWN, "own")


@every(
    ("expect", "word"),
    [
        ({"solution": SOLUTION, "published": "somebody says so"}, "ok"),
        ({"solution": NO_SOLUTION}, "FAILED"),
        ({"solution": SOLUTION[:2]}, "FAILED"),
        ({"solution": SOLUTION, "refuted": [{"what": "all", "published": 0, "by": "somebody", "evidence": "there it is"}]}, "refuted"),
    ],
)
def test_a_solution_alone_takes_no_count(expect, word, monkeypatch):
    monkeypatch.setattr(crosscheck, "count", lambda *_: pytest.fail("it was counted"))
    report = hold(instance(**expect), Plan())
    assert report.status == NOT_COUNTED
    assert not report.complete
    assert report.finished
    assert Judgement(report).checked.word == word
    assert report.sentence == "nothing was counted, because no figure is expected"


@pytest.mark.full
@every(
    "expect",
    [
        {"solution": SOLUTION, "all": 3},
        {"solution": SOLUTION, "fixed": {"identity": 3}},
        {"solution": SOLUTION, "placements": {"all": 7}},
        {"solution": SOLUTION, "refuted": [{"what": "all", "published": 7, "by": "somebody", "evidence": "fewer"}]},
        {"all": 3},
        {},
    ],
    fast=2,
)
def test_all_else_does_and_so_does_a_puzzle_without_expectations(expect):
    report = hold(instance(**expect), Plan())
    assert (report.status, report.counts.all) == ("complete", 3)
    assert not expect or Judgement(report).checked.word in ("ok", "refuted")


def test_a_limit_is_heard():
    report = hold(instance(solution=SOLUTION), Plan(limits=Limits(seconds=1e-9)))
    assert not report.begun
    assert Judgement(report).checked.word == "stopped"
