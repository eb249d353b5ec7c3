"""A puzzle holds only what its count depends on; names, titles and expectations belong to the instance."""

from dataclasses import fields, replace
from pathlib import Path

import pytest

import puzzlesat
from helpers import load
from puzzlesat.base.errors import PuzzleError
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.report import Plan
from puzzlesat.counting.verdict import Judgement
from puzzlesat.designing.tile_set import OF_THE_FORM, Kit, load_kit
from puzzlesat.proofs.statement import state_puzzle
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.puzzle import Instance, Puzzle
from puzzlesat.puzzles.schema import ExpectTable, InstanceFile
from test_fields import PAIRS, two
from tiers import every

PLAN = Plan(solvers=("backtrack", "sat"))
DOMINO = {"atoms": [[1, 1], [2, 1]]}
DOMINOES = {"title": "Dominoes", "grid": "square", "flips": True, "tiles": {"D": DOMINO | {"copies": 8}}, "form": {"box": [4, 4]}}
LOOSE = DOMINOES | {"tiles": {"D": DOMINO}, "form": {"atoms": [[1, 1], [2, 1], [3, 1], [1, 2]], "optional": "all"}}
"""Nothing turns its form into itself."""

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


@pytest.mark.full
@every("given", ["instance", "puzzle", "name", "file"], fast=1)
def test_whatever_stands_for_a_puzzle_is_counted_and_solved(given):
    instance = puzzlesat.load("absolut-knifflig")
    asked = {"instance": instance, "puzzle": instance.puzzle, "name": instance.name, "file": instance.path}[given]
    report = puzzlesat.count(asked, solver="backtrack")
    assert (report.counts.all, report.counts.distinct) == (148, 37)
    assert [v.word for v in Judgement(report).verdicts] == ([] if given == "puzzle" else ["confirmed"] * 5)
    first = next(puzzlesat.solve(asked))
    named = Instance.name if given == "puzzle" else instance.name
    assert (report.instance.name, repr(first)) == (named, f"Solution({named!r}, {' '.join(first.names)!r})")


@pytest.mark.full
def test_a_figure_that_is_right_elsewhere_is_looked_for_in_puzzles_of_which_nothing_is_expected():
    report = count(replace(load(DOMINOES), expect=ExpectTable(distinct=7777)), PLAN)
    assert [v.word for v in Judgement(report).verdicts] == ["refuted"]
    assert report.others == ()
    twins = {"A": {"picture": "##", "copies": 4}, "B": {"picture": "##", "copies": 4}}
    report = count(replace(load(DOMINOES | {"tiles": twins}), expect=ExpectTable(distinct=7777)), PLAN)
    assert [Judgement(other).verdicts for _, other in report.others] == [[]]


WRONG = """title = "Small"
grid = "square"
flips = true
[tiles.A]
picture = "##"
copies = 2
[form]
box = [2, 2]
fixed = ["A.1@9.9"]
[expect]
fixed = { "turn 45" = 0 }
solution = ["A.1@7.7"]
"""


def test_what_is_wrong_is_said_with_the_file_by_whoever_knows_it(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(WRONG, encoding="utf-8")
    instance = load_instance(file)
    with pytest.raises(PuzzleError) as caught:
        build_instance(instance)
    keys = ["form.fixed", "expect.solution", "expect.fixed"]
    assert [problem.split(": ")[:2] for problem in caught.value.problems] == [[str(file), key] for key in keys]
    with pytest.raises(PuzzleError) as nameless:
        build_instance(replace(instance, path=None))
    assert nameless.value.under(f"{file}: ").problems == caught.value.problems
    with pytest.raises(PuzzleError) as alone:
        build_instance(instance.puzzle)
    assert alone.value.problems == nameless.value.problems[:1]


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
