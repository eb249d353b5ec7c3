"""A puzzle holds what the count depends on and nothing else; all that is only said of it stands in the instance round it."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

import puzzlesat
from helpers import load
from puzzlesat.candidates.kit import OF_THE_FORM, Kit, load_kit
from puzzlesat.config.schema import ExpectTable, InstanceFile
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.report import Plan
from puzzlesat.counting.verdict import verdicts
from puzzlesat.cover.build import build
from puzzlesat.cover.instance import build_instance
from puzzlesat.errors import NotSupportedError, PuzzleError
from puzzlesat.proof.case import make_case
from puzzlesat.proof.statement import state_puzzle
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.puzzle.instance import NAMELESS, Instance
from puzzlesat.puzzle.load import load_instance

PLAN = Plan(solvers=("backtrack", "sat"))
DOMINOES = {
    "title": "Dominoes",
    "grid": "square",
    "flips": True,
    "tiles": {"D": {"atoms": [[1, 1], [2, 1]], "copies": 8}},
    "form": {"box": [4, 4]},
}
LOOSE = DOMINOES | {
    "tiles": {"D": {"atoms": [[1, 1], [2, 1]]}},
    "form": {"atoms": [[1, 1], [2, 1], [3, 1], [1, 2]], "optional": "all"},
}
"""Nothing turns its form into itself."""
CARD = [{"at": [1, 1, side], "on": [1, 1], "mark": "m"} for side in ("h", "v")] + [{"at": [2, 1, "v"], "on": [1, 1], "mark": "m"}]
CARDS = {
    "title": "Cards",
    "grid": "square-marks",
    "flips": False,
    "turns": "none",
    "marks": {"m": {"kind": "self"}, "n": {"kind": "self"}},
    "tiles": {"A": {"atoms": [[1, 1]], "marks": CARD, "copies": 2}},
    "form": {"box": [2, 1]},
}
PAINTED = LOOSE | {
    "colours": {"red": ["ground"]},
    "tiles": {"D": {"atoms": [[1, 1], [2, 1]], "colours": {"red": [[1, 1]]}}},
    "form": LOOSE["form"] | {"colours": {"ground": [[1, 1]], "sky": [[2, 1]]}},
}
ROW, COLUMN = [[x, 1, "e"] for x in (1, 2, 3)], [[1, 0, "n"], [1, 1, "n"]]
"""Edges once round a tube, and others that cross them where the tube is closed."""
RING = {
    "title": "Ring",
    "grid": "square-edges",
    "flips": False,
    "turns": "none",
    "tiles": {"I": {"atoms": ROW}, "J": {"atoms": COLUMN}},
    "form": {"atoms": ROW + COLUMN, "wrap": [{"move": [3, 0]}]},
}

OTHERWISE = {
    "grid": (LOOSE, {"grid": "tans", "tiles": {"D": {"atoms": [[1, 1, "B"]]}}, "form": {"box": [2, 2]}}),
    "tiles": (LOOSE, {"tiles": {"D": {"atoms": [[1, 1], [2, 1]], "copies": 2}}}),
    "form": (LOOSE, {"form": {"box": [3, 2], "optional": "all"}}),
    "rules": (LOOSE, {"conditions": [{"name": "the corner stays free", "atoms": [[1, 1, 1]], "between": [0, 0]}]}),
    "mates": (CARDS, {"marks": {"m": {"kind": "lonely"}, "n": {"kind": "self"}}}),
    "fits": (PAINTED, {"colours": {"red": ["ground", "sky"]}}),
    "border": (CARDS, {"form": {"box": [2, 1], "border": "n"}}),
    "may_cross": (RING, {"may_cross": True}),
    "fixed": (DOMINOES, {"form": {"box": [4, 4], "fixed": ["D.1@1.1"]}}),
    "mirrored_same": (DOMINOES, {"mirrored": "different"}),
    "split": (LOOSE, {"split": {"name": "free squares", "uncovered": "face"}}),
}
"""For each field of a puzzle two tables: where that field alone is taken from the second, the count is another one."""

SAID = {
    "name": "elsewhere",
    "title": "Another title",
    "path": Path("elsewhere.toml"),
    "source": "somebody",
    "expect": ExpectTable(all=7777, distinct=7777, published="7777", solution=["D.1@1.1"]),
    "break_on": "D",
    "mirrored_stated": True,
}
"""For each field of an instance, beside its puzzle, another value."""


def told_apart(field):
    """Two puzzles that differ in this field alone."""
    table, change = OTHERWISE[field]
    puzzle, other = load(table).puzzle, load(table | change).puzzle
    return puzzle, replace(puzzle, **{field: getattr(other, field)})


def test_every_field_is_looked_into_here():
    assert OTHERWISE.keys() == {f.name for f in fields(Puzzle)}
    assert SAID.keys() | {"puzzle"} == {f.name for f in fields(Instance)}


@pytest.mark.parametrize("field", OTHERWISE)
def test_a_count_depends_on_every_field_of_a_puzzle(field):
    puzzle, changed = told_apart(field)
    assert count(changed, PLAN).counts != count(puzzle, PLAN).counts


@pytest.mark.parametrize("field", SAID)
def test_no_count_depends_on_what_is_said_of_a_puzzle(field):
    instance = load(LOOSE)
    assert getattr(instance, field) != SAID[field]
    changed = count(replace(instance, **{field: SAID[field]}), PLAN)
    plain = count(instance.puzzle, PLAN)
    assert changed.counts == plain.counts
    assert changed.agree and plain.agree
    assert state_puzzle(changed.built) == state_puzzle(plain.built)


@pytest.mark.parametrize("given", ["instance", "puzzle", "name", "file"])
def test_whatever_stands_for_a_puzzle_is_counted_and_solved(given):
    instance = puzzlesat.load("absolut-knifflig")
    asked = {"instance": instance, "puzzle": instance.puzzle, "name": instance.name, "file": instance.path}[given]
    report = puzzlesat.count(asked, solvers="backtrack")
    assert (report.counts.all, report.counts.distinct) == (148, 37)
    assert [v.word for v in verdicts(report)] == ([] if given == "puzzle" else ["confirmed"] * 5)
    first = next(puzzlesat.solve(asked))
    named = NAMELESS if given == "puzzle" else instance.name
    assert (report.instance.name, repr(first)) == (named, f"Solution({named!r}, {' '.join(first.names)!r})")


def test_a_figure_that_is_right_elsewhere_is_looked_for_in_puzzles_of_which_nothing_is_expected():
    report = count(replace(load(DOMINOES), expect=ExpectTable(distinct=7777)), PLAN)
    assert [v.word for v in verdicts(report)] == ["refuted"]
    assert report.others == ()
    twins = {"A": {"picture": "##", "copies": 4}, "B": {"picture": "##", "copies": 4}}
    report = count(replace(load(DOMINOES | {"tiles": twins}), expect=ExpectTable(distinct=7777)), PLAN)
    assert [verdicts(other) for _, other in report.others] == [[]]


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
        build(instance.puzzle)
    assert alone.value.problems == nameless.value.problems[:1]


def test_results_of_forms_are_kept_from_version_to_version():
    """The fingerprint of tiles and rules is the one that puzzlesat 0.1.0 wrote into its files of results."""
    assert load_kit("tetrominoes").fingerprint == "59d335759c61c7a3fe5d"


# each field of a puzzle, wherever puzzles are told apart ---------------------------------------------------------------------


@pytest.mark.parametrize("field", OTHERWISE)
def test_a_certificate_states_every_field(field):
    one, other = (build_instance(Instance(puzzle)) for puzzle in told_apart(field))
    if one.puzzle.form.wrap is None:
        assert make_case(one).stated != make_case(other).stated
    else:
        with pytest.raises(NotSupportedError, match=f"^{NAMELESS}: proofs and certificates do not know forms that wrap around"):
            make_case(other)


@pytest.mark.parametrize("field", OTHERWISE)
def test_a_turned_copy_has_every_field(field):
    for puzzle in told_apart(field):
        report = count(puzzle, Plan(solvers=("backtrack",), transformed=True))
        assert report.complete
        assert not report.disagreements


@pytest.mark.parametrize("field", sorted(OTHERWISE.keys() - set(OF_THE_FORM)))
def test_results_of_forms_are_for_the_same_tiles_and_rules(field):
    table, _ = OTHERWISE[field]
    file = InstanceFile.model_validate(table)
    one, other = (Kit(file, Path("kit.toml"), puzzle, False).fingerprint for puzzle in told_apart(field))
    assert one != other
