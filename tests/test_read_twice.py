"""The puzzle read twice: both readers agree on every puzzle, and every difference is noticed."""

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

import puzzlesat
from helpers import built_of
from puzzlesat.base import EndedError, Limits, Progress, PuzzleError
from puzzlesat.counting import Plan, count, second_reading
from puzzlesat.counting.second_reading import SecondReading, read_twice
from puzzlesat.designing.tile_set import load_kit
from puzzlesat.puzzles import FormTable, build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.puzzle import Written
from random_puzzles import FEATURES, random_puzzle
from strategies import to_toml
from tiers import every, in_parts, tries

WEIGHED = {
    "title": "weighed",
    "grid": "square",
    "flips": True,
    "tiles": {"I": {"atoms": [[1, 1], [2, 1]], "copies": "any"}, "L": {"atoms": [[1, 1], [2, 1], [1, 2]]}},
    "form": {"box": [4, 3], "optional": [[1, 1]], "fixed": ["I.1@1.3"]},
    "conditions": [{"name": "weight", "along": [1, 1], "values": [1, -1], "between": [-1, 1]}],
    "solutions": {"no_crossroads": True, "apart": [["L"]], "one_of": [["L.1@1.1", "L.1@2.1", "I.1@2.1"]], "colours": 3},
    "split": {"name": "uncovered", "uncovered": "face"},
}
MARKED = {
    "title": "marked",
    "grid": "square-marks",
    "flips": False,
    "marks": {"a": {"kind": "halves"}, "b": {"kind": "self"}},
    "tiles": {"X": {"around": ["a+", "b", "a-", "b"], "copies": 3}, "Y": {"around": ["a-", "a+", "a-", "b"]}},
    "form": {"box": [2, 2], "wrap": [{"move": [2, 0]}]},
}

ALIKE = {
    "title": "alike",
    "grid": "square",
    "flips": True,
    "tiles": {"I": {"atoms": [[1, 1], [2, 1]], "copies": "any"}, "O": {"atoms": [[1, 1]], "copies": "any"}},
    "form": {"box": [4, 2], "optional": [[1, 1], [4, 1], [1, 2], [4, 2]]},
    "solutions": {"symmetric": "mirror 90", "symmetric_outline": [{"tiles": ["I"], "under": ["turn 180"]}]},
}
EMPTY = {
    "symmetric": [],
    "symmetric_outline": [{"tiles": ["I"], "under": []}],
    "touch_border": [],
    "inside": [],
    "holds": [{"tiles": [], "atoms": [[1, 1]], "equals": 0}, {"atoms": [[1, 1]], "between": [0, 1]}],
    "colours": None,
}


def agree_on(built):
    reading = read_twice(built)
    assert (reading.differences, reading.why) == ((), None)


@in_parts("feature", FEATURES, 4, fast=3)
def test_both_readers_agree_on_random_puzzles_of_each_feature(feature):
    random = Random(feature)
    for _ in range(tries(4)):
        table = random_puzzle(random, want=(feature,))
        print(to_toml(table))  # shown where it fails
        try:
            built = built_of(table)
        except PuzzleError:
            continue
        agree_on(built)


def without_a_placement(built):
    kept = np.arange(len(built.placements)) != 3
    return replace(built, placements=built.placements.those(kept))


def with_a_placement_of_another_tile(built):
    tile = built.placements.tile.copy()
    tile[-1] = 0
    return replace(built, placements=replace(built.placements, tile=tile))


def changed(built, **fields):
    return replace(built, problem=replace(built.problem, **fields))


def with_entries(built, field, places, value):
    """One of the arrays of the problem has other entries."""
    array = getattr(built.problem, field).copy()
    array[places] = value
    return changed(built, **{field: array})


def changed_puzzle(built, **fields):
    return replace(built, puzzle=replace(built.puzzle, **fields))


def first_condition(built, **fields):
    first, *others = built.problem.conditions
    return changed(built, conditions=(replace(first, **fields), *others))


def with_another_orbit(built):
    """In the first coloured item with several colours, give an option the colour of another."""
    problem = built.problem
    for item in range(built.first_rule_item, len(problem.items)):
        entries = problem.entries_of[item]
        if problem.coloured[item] and len(set(problem.colour[entries])) > 1:
            other = next(c for c in problem.colour[entries] if c != problem.colour[entries[0]])
            return with_entries(built, "colour", entries[0], other)
    raise AssertionError


def other_form(built):
    form = built.puzzle.form
    return changed_puzzle(built, form=replace(form, required=form.required[1:], optional=(*form.optional, form.required[0])))


def other_split(built):
    return changed_puzzle(built, split=replace(built.puzzle.split, atoms=frozenset(built.puzzle.form.required)))


def with_colouring(built, **fields):
    return changed(built, colouring=replace(built.problem.colouring, **fields))


def with_last_image(built, *images):
    return changed(built, images=np.vstack([built.problem.images[:-1], *images]))


def other_tile(built, **fields):
    return changed_puzzle(built, tiles=(replace(built.puzzle.tiles[0], **fields), *built.puzzle.tiles[1:]))


OTHERS = {
    "a placement is lost": (WEIGHED, without_a_placement, "placements: "),
    "a placement is of another tile": (WEIGHED, with_a_placement_of_another_tile, "placements: "),
    "an option covers something else": (
        WEIGHED,
        lambda b: with_entries(b, "item", 0, (b.problem.item[0] + 1) % len(b.puzzle.form.atoms)),
        "an option covers other atoms",
    ),
    "an atom need not be covered": (WEIGHED, lambda b: changed(b, low=np.zeros_like(b.problem.low)), "how often an atom"),
    "a tile is used twice": (WEIGHED, lambda b: changed(b, high=b.problem.high * 2), "how often an atom"),
    "an atom is optional": (WEIGHED, other_form, "atoms of the form"),
    "the split counts other atoms": (WEIGHED, other_split, "atoms of the form"),
    "other copies": (WEIGHED, lambda b: other_tile(b, ranges=((1, None),)), "tile I"),
    "an identical tile": (WEIGHED, lambda b: other_tile(b, members=("I", "J")), "tile I"),
    "nothing is fixed": (WEIGHED, lambda b: changed(b, forced=()), "the fixed placements differ"),
    "weights are shifted": (WEIGHED, lambda b: first_condition(b, weights=b.problem.conditions[0].weights + 1), "condition weight"),
    "bounds are shifted": (WEIGHED, lambda b: first_condition(b, low=0), "condition weight"),
    "a modulus": (WEIGHED, lambda b: first_condition(b, modulus=2), "condition weight"),
    "a rule asks for more": (WEIGHED, lambda b: with_entries(b, "low", b.first_rule_item, 2), "the rules on solutions"),
    "a rule allows more": (WEIGHED, lambda b: with_entries(b, "high", b.first_rule_item, 99), "the rules on solutions"),
    "more colours": (WEIGHED, lambda b: with_colouring(b, colours=4), "must have different colours"),
    "fewer pairs differ": (WEIGHED, lambda b: with_colouring(b, pairs=b.problem.colouring.pairs[1:]), "must have different colours"),
    "a symmetry is lost": (MARKED, lambda b: changed(b, images=b.problem.images[:-1]), "symmetries: "),
    "a symmetry goes elsewhere": (MARKED, lambda b: with_last_image(b, np.roll(b.problem.images[-1:], 1, axis=1)), "symmetries: "),
    "marks meet that may not": (MARKED, lambda b: with_entries(b, "colour", b.problem.colour.argmax(), 7), "which marks may meet"),
    "a side must be marked": (
        MARKED,
        lambda b: with_entries(b, "low", slice(len(b.puzzle.form.atoms) + len(b.puzzle.tiles), b.first_rule_item), 1),
        "which marks may meet",
    ),
    "another turn that looks the same": (WEIGHED, lambda b: other_tile(b, symmetries=(0, 2)), "turns and flips"),
    "a symmetry is there twice": (MARKED, lambda b: with_last_image(b, b.problem.images[[-1, -1]]), "symmetries: "),
    "an orbit is another one": (ALIKE, with_another_orbit, "look the same after a symmetry"),
    "an optional atom is not balanced": (ALIKE, lambda b: changed(b, conditions=b.problem.conditions[:-1]), "the same after a symmetry"),
    "marks meet everything": (MARKED, lambda b: changed(b, coloured=np.zeros_like(b.problem.coloured)), "which marks may meet"),
}


@every("name", OTHERS, fast=5)
def test_whatever_is_otherwise_is_noticed(name):
    table, change, said = OTHERS[name]
    built = built_of(table)
    assert read_twice(built).alike is True
    reading = read_twice(change(built))
    assert reading.alike is False
    assert any(said in difference for difference in reading.differences), reading.differences


def test_a_difference_leaves_no_number_to_be_believed(monkeypatch):
    monkeypatch.setattr(second_reading, "_compared", lambda *_: SecondReading(("a seam is taken for the border",)))
    report = puzzlesat.count("domino-and-square-3x2")
    assert (report.agree, report.twice.alike) == (False, False)
    assert str(report.sentence) == "do not trust these counts: second reader: a seam is taken for the border"


def with_tables(instance, puzzle, *more):
    """Return an instance that claims to be read from another file."""
    return read_twice(build_instance(replace(instance, written=Written(puzzle, *more))))


def test_what_the_second_reader_does_not_understand_is_a_difference_and_so_is_another_file():
    """The second reader refuses all unknown keys, so no new rule is overlooked."""
    instance = load_instance("soma")
    written = instance.written
    reading = with_tables(instance, {**written.puzzle, "gravity": True}, written.path, written.files)
    assert reading.alike is False
    assert "gravity" in reading.differences[0]
    assert with_tables(instance, load_instance("tangram-square").written.puzzle, written.path, written.files).alike is False


def test_a_puzzle_made_in_python_is_read_once():
    puzzle = load_instance("domino-and-square-3x2").puzzle
    report = puzzlesat.count(puzzle)
    assert report.twice.alike is None
    assert str(report.sentence).endswith(", by one reading of the puzzle")
    assert str(report.confirmation.words[-1]) == "the puzzle was read once: it was made in Python, not read from tables"


def test_files_that_come_along_are_read_twice_too():
    instance = load_instance("soma")
    model = Path(instance.path).parents[2] / "models" / "soma.toml"
    text = model.read_text(encoding="utf-8")
    table = {**instance.written.puzzle, "model": "elsewhere"}
    assert with_tables(instance, table, Path("nowhere/at-all.toml"), {"elsewhere": text}).alike is True


def test_time_that_is_up_leaves_the_puzzle_read_once():
    def ended(what, _counters):
        if what == "second reading":
            raise EndedError("limit reached", what)

    report = count(load_instance("domino-and-square-3x2"), Plan(("backtrack", "tally"), limits=Limits()), Progress(ended))
    assert report.complete
    assert report.twice.why == "stopped at a limit while reading the puzzle a second time"


I_TILE = {"I": {"atoms": [[1, 1], [2, 1]], "copies": "any"}}
SQUARE = {"title": "t", "grid": "square", "flips": True, "tiles": I_TILE, "form": {"box": [4, 3]}}
SELF = {"kind": "self"}
SPELT_ODDLY = {
    "rules that ask nothing": SQUARE | {"solutions": EMPTY},
    "one of some that another rule leaves out": SQUARE | {"solutions": {"one_of": [["I.1@1.1", "I.1@1.2"]], "forbidden": ["I.1@1.1"]}},
    "a picture from Windows": SQUARE | {"tiles": {"I": {"picture": "##\r\n##\r\n", "copies": 3}}},
    "nothing under a key": SQUARE | {"mirrored": None, "form": {"box": [4, 3], "border": None}},
    "marks in a word": SQUARE
    | {"grid": "square-marks", "flips": False, "marks": {"a": SELF, "b": SELF}}
    | {"tiles": {"A": {"around": "abab", "copies": 4}}, "form": {"box": [2, 2]}},
    "no turns in space, as a list": SQUARE
    | {"grid": "cube", "flips": False, "turns": [0]}
    | {"tiles": {"I": {"atoms": [[1, 1, 1], [2, 1, 1]], "copies": 2}}, "form": {"box": [2, 2, 1]}},
}


# on a single cell, the mirrors in both diagonals have the same effect on the faces
SPELT_ODDLY |= {
    f"a rule names a mirror that does what another does, {around}": {
        "title": "cell",
        "grid": "square-marks",
        "flips": True,
        "marks": {"s": SELF, "p": {"kind": "halves"}},
        "tiles": {"t": {"around": around}},
        "form": {"box": [1, 1]},
        "solutions": {"symmetric_outline": [{"tiles": ["t"], "under": "mirror 45"}]},
    }
    for around in (["s", "s", "s", "s"], ["p+", "p-", "p+", "p+"])
}


@every("name", SPELT_ODDLY)
def test_whatever_the_first_reader_takes_the_second_one_takes(name):
    agree_on(build_instance(puzzlesat.load(SPELT_ODDLY[name])))


def test_rules_are_taken_away_by_none():
    instance = puzzlesat.load(puzzlesat.load(SQUARE | {"solutions": {"colours": 3}}), rules={"colours": None})
    assert instance.puzzle.solutions.colours is None
    assert read_twice(build_instance(instance)).alike is True


@pytest.mark.full
def test_files_of_the_same_name_that_are_something_else_are_passed_over(tmp_path):
    (tmp_path / "tetrominoes.toml").write_text('title = "s"\n[[puzzles]]\nfrom = ["soma"]\n', encoding="utf-8")
    (tmp_path / "pentominoes.toml").write_text('title = "s"\n[expect]\nall = 1\n', encoding="utf-8")
    (tmp_path / "square.toml").write_text('title = "s"\ngrid = "cube"\nflips = true\n[[generate]]\nfree = 2\n', encoding="utf-8")
    for name, text in {
        "one": 'title = "1"\nmodel = "tetrominoes"\n[form]\nbox = [4, 5]\n',
        "two": 'title = "2"\nmodel = "pentominoes"\n[form]\nbox = [6, 10]\n',
        "three": 'title = "3"\ngrid = "square"\nflips = true\n[[generate]]\nfree = 2\ncopies = 3\n[form]\nbox = [3, 2]\n',
        "a\u00a0name that cannot be printed": 'title = "4"\nmodel = "soma"\n[form]\nbox = [3, 3, 3]\n',
    }.items():
        file = tmp_path / f"{name}.toml"
        file.write_text(text, encoding="utf-8")
        assert read_twice(build_instance(puzzlesat.load(file))).alike is True


def test_a_grid_with_a_source_and_a_form_by_its_shape(tmp_path):
    grid = Path(load_instance("soma").path).parents[2] / "models" / "grids" / "square.toml"
    (tmp_path / "own.toml").write_text('source = "somebody"\n' + grid.read_text(encoding="utf-8"), encoding="utf-8")
    assert read_twice(build_instance(puzzlesat.load({**SQUARE}))).alike is True
    file = tmp_path / "puzzle.toml"
    file.write_text(to_toml(SQUARE | {"grid": "own"}), encoding="utf-8")
    assert read_twice(build_instance(puzzlesat.load(file))).alike is True
    form = FormTable(shape=("square", 4))
    assert read_twice(build_instance(load_kit(str(file)).to_fill("square", form))).alike is True
