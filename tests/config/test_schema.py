"""Reading the tables of a file: defaults, exact numbers, copies, turns."""

from fractions import Fraction

import pytest
from pydantic import ValidationError

from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.schema import FormTable, GenerateTable, ModelFile, TileTable
from tiers import every

HEAD = {"title": "T", "grid": "square", "flips": True, "tiles": {"A": {"picture": "##"}}}
HEAD_TEXT = 'title = "P"\ngrid = "square"\nflips = true\n'
MODEL = 'title = "P"\nmodel = "tetrominoes"\n'
SLOTS = 'title = "P"\ngrid = "square-slots"\nflips = false\n[tiles.A]\naround = "11001101"\n'


def loaded(tmp_path, text):
    file = tmp_path / "p.toml"
    file.write_text(text, encoding="utf-8")
    return load_instance(file).puzzle


@every("value, copies", [(2, (2, 2)), (0, (0, 0)), ([0, 3], (0, 3)), ([2, 2], (2, 2)), ("any", (0, None))])
def test_copies(value, copies):
    assert TileTable.model_validate({"copies": value}).copies == copies
    assert GenerateTable.model_validate({"free": 2, "copies": value}).copies == copies


@every("value, number", [(1, 1), ("1/2", Fraction(1, 2)), ("-2/3", Fraction(-2, 3)), ("0.25", Fraction(1, 4)), ("7", 7)])
def test_exact_numbers(value, number):
    assert FormTable.model_validate({"polygon": [[value, 0], [1, 0], [0, 1]]}).polygon[0][0] == number


@every("value", [0.5, True, "1/0", "x", "", None, [1]])
def test_numbers_that_are_not_exact(value):
    with pytest.raises(ValidationError, match="fraction such as"):
        FormTable.model_validate({"polygon": [[value, 0], [1, 0], [0, 1]]})


def test_nothing_is_converted_silently():
    for change in ({"flips": 1}, {"title": 3}, {"tiles": {"A": {"picture": "##", "flips": "true"}}}):
        with pytest.raises(ValidationError):
            ModelFile.model_validate(HEAD | change)


def test_an_instance_takes_the_models_tiles(tmp_path):
    puzzle = loaded(tmp_path, MODEL + "[form]\nbox = [4, 5]\n")
    assert [t.name for t in puzzle.tiles] == list("ILOST")
    assert puzzle.mirrored_same
    puzzle = loaded(tmp_path, MODEL + "[tiles.O]\ncopies = 0\n[form]\nbox = [4, 4]\n")
    assert [t.name for t in puzzle.tiles] == list("ILST")  # a tile without copies is removed


def test_use_copies_and_more_tiles(tmp_path):
    text = MODEL + 'use = ["I", "O", "D"]\n[tiles.O]\ncopies = [0, 3]\n[tiles.D]\npicture = "##"\n[form]\nbox = [4, 5]\n'
    puzzle = loaded(tmp_path, text)
    assert {t.name: (t.low, t.high) for t in puzzle.tiles} == {"I": (1, 1), "O": (0, 3), "D": (1, 1)}


def test_what_an_instance_says_goes_before_what_its_model_says(tmp_path):
    model = (
        'title = "M"\ngrid = "square-marks"\nflips = true\n[marks]\na = { kind = "self" }\nb = { kind = "self" }\n'
        '[colours]\nred = ["red"]\n'
        '[[generate]]\nfree = 1\n[tiles.A]\npicture = "##"\n[tiles.B]\npicture = "###"\n'
    )
    (tmp_path / "m.toml").write_text(model, encoding="utf-8")
    own = '[marks]\na = { kind = "lonely" }\n[colours]\nred = ["blue"]\n[[generate]]\nfree = 2\n[tiles.A]\npicture = "####"\n'
    puzzle = loaded(tmp_path, f'title = "P"\nmodel = "m"\n{own}[form]\nbox = [4, 5]\n')
    assert puzzle.mates == {"a": None, "b": "b"}
    assert puzzle.fits == {"red": {"blue"}}
    assert {t.name: len(t.atoms) for t in puzzle.tiles} == {"1-01": 1, "2-01": 2, "A": 4, "B": 3}


def test_flips_and_turns_of_an_instance_replace_the_models(tmp_path):
    form = "[form]\nbox = [4, 5]\n"
    assert {len(t.symmetries) for t in loaded(tmp_path, MODEL + form).tiles} == {8}
    assert {len(t.symmetries) for t in loaded(tmp_path, MODEL + "flips = false\n" + form).tiles} == {4}
    assert {len(t.symmetries) for t in loaded(tmp_path, MODEL + "turns = [0, 180]\n" + form).tiles} == {4}
    assert {len(t.symmetries) for t in loaded(tmp_path, MODEL + 'flips = false\nturns = "none"\n' + form).tiles} == {1}


def test_flips_and_turns_of_one_tile(tmp_path):
    text = HEAD_TEXT + '[tiles.A]\npicture = "##"\n[tiles.B]\npicture = "###"\nflips = false\nturns = "none"\n[form]\nbox = [4, 5]\n'
    assert {t.name: len(t.symmetries) for t in loaded(tmp_path, text).tiles} == {"A": 8, "B": 1}


@every("said, same", [("", True), ('mirrored = "different"\n', False), ('mirrored = "same"\n', True)])
def test_mirrored_follows_flips_unless_said(said, same, tmp_path):
    puzzle = loaded(tmp_path, HEAD_TEXT + said + '[tiles.A]\npicture = "##"\n[form]\nbox = [4, 5]\n')
    assert puzzle.mirrored_same is same


def test_identical_tiles_are_joined_and_their_copies_add_up(tmp_path):
    tiles = '[tiles.A]\npicture = "##"\ncopies = [0, 2]\n[tiles.B]\npicture = "#\\n#"\ncopies = 3\n'
    (tile,) = loaded(tmp_path, HEAD_TEXT + tiles + "[form]\nbox = [4, 5]\n").tiles
    assert (tile.low, tile.high, tile.members) == (3, 5, ("A", "B"))
    (tile,) = loaded(tmp_path, HEAD_TEXT + tiles.replace("[0, 2]", "[1, 2]") + "[form]\nbox = [4, 5]\n").tiles
    assert (tile.low, tile.high) == (4, 5)


def test_tiles_that_may_not_be_turned_into_each_other_are_not_joined(tmp_path):
    tiles = 'turns = "none"\n[tiles.A]\npicture = "##"\n[tiles.B]\npicture = "#\\n#"\n'
    assert len(loaded(tmp_path, HEAD_TEXT + tiles + "[form]\nbox = [4, 5]\n").tiles) == 2


def test_around_by_digits_and_by_marks(tmp_path):
    puzzle = loaded(tmp_path, SLOTS + "[form]\nbox = [2, 2]\n")
    (tile,) = puzzle.tiles
    assert sorted(puzzle.grid.atoms[a[-1]].kind for a in tile.atoms) == ["face"] + ["slot"] * 5
    text = (
        'title = "P"\ngrid = "square-marks"\nflips = false\n[marks]\na = { kind = "halves" }\nb = { kind = "lonely" }\n'
        '[tiles.A]\naround = ["a+", "a-", "b", "b"]\n[form]\nbox = [2, 2]\n'
    )
    puzzle = loaded(tmp_path, text)
    assert puzzle.mates == {"a+": "a-", "a-": "a+", "b": None}
    sides = {m.side: m.name for m in puzzle.tiles[0].marks}
    names = {(a[0] - 1, a[1] - 1, puzzle.grid.atoms[a[2]].name): name for a, name in sides.items()}
    assert names == {(0, 1, "h"): "a+", (1, 0, "v"): "a-", (0, 0, "h"): "b", (0, 0, "v"): "b"}


def test_optional_inner_and_outer(tmp_path):
    form = '[form]\nbox = [2, 2]\ninner = { slot = "required" }\nouter = { slot = "optional" }\n'
    puzzle = loaded(tmp_path, SLOTS + form)
    assert (len(puzzle.form.required), len(puzzle.form.optional)) == (4 + 8, 16)


def test_all_optional_means_what_lies_beside_the_faces_too(tmp_path):
    form = loaded(tmp_path, SLOTS + '[form]\nbox = [2, 1]\ninner = { slot = "optional" }\noptional = "all"\n').form
    assert (len(form.required), len(form.optional)) == (0, 2 + 2)


@every("uncovered, atoms", [("slot", 14), ("inner slot", 2), ("outer slot", 12), ("face", 2)])
def test_a_split_goes_by_where_atoms_lie(uncovered, atoms, tmp_path):
    form = '[form]\nbox = [2, 1]\ninner = { slot = "optional" }\nouter = { slot = "optional" }\n'
    split = loaded(tmp_path, SLOTS + f'[split]\nname = "s"\nuncovered = "{uncovered}"\n' + form).split
    assert split is not None
    assert len(split.atoms) == atoms
