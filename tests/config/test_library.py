"""Names of files, near matches, and everything that comes with the package."""

import shutil
import warnings

import pytest

from puzzlesat.config.library import find_grid, find_instance, find_model
from puzzlesat.config.package import data_folder, instance_files, model_files
from puzzlesat.config.read import kind_of, read_grid, read_instance, read_model
from puzzlesat.errors import PuzzleError, PuzzleWarning, near_match
from puzzlesat.puzzle.grids import load_grid
from puzzlesat.puzzle.load import load_instance, load_puzzle, model_tiles
from tiers import every

INSTANCES = instance_files()
MODELS = {file.stem: file for file in model_files()}
GRIDS = {file.stem: file for file in (data_folder("models") / "grids").glob("*.toml")}


def test_there_is_something():
    assert len(INSTANCES) > 50
    assert len(MODELS) > 20
    assert len(GRIDS) >= 13


RICH = ("soma", "quasi-ditrigs-triangle", "bits-and-bytes", "absolut-knifflig", "ball-room-1")
"""Instances with slots, crossings, marks, balls, and tiles that are in parts on purpose."""


@every("name", [file.stem for file in INSTANCES], fast=RICH)
def test_every_instance_can_be_loaded_without_a_warning(name):
    (file,) = [file for file in INSTANCES if file.stem == name]
    assert kind_of(file) == "instance"
    with warnings.catch_warnings():
        warnings.simplefilter("error", PuzzleWarning)
        instance = load_instance(file)
    assert instance.name == name
    assert instance.path == file
    assert instance.puzzle.tiles
    assert instance.puzzle.form.atoms


@every("name", MODELS, fast=6)
def test_every_model_can_be_loaded(name):
    file = MODELS[name]
    assert kind_of(file) == "model"
    model = read_model(file)
    assert model_tiles(load_grid(find_grid(model.grid, file)), model, file)


@every("name", GRIDS, fast=6)
def test_every_grid_can_be_loaded(name):
    assert kind_of(GRIDS[name]) == "grid"
    assert load_grid(GRIDS[name]).name == name


def test_find_instance_by_name_family_and_path(tmp_path):
    file = find_instance("soma")
    assert (file.stem, file.parent.name) == ("soma", "soma")
    assert find_instance("soma/soma") == find_instance(str(file)) == file
    copy = shutil.copy(file, tmp_path / "copy.toml")
    assert find_instance(str(copy)) == copy


def test_find_instance_by_a_path_without_toml(tmp_path):
    file = tmp_path / "puzzle"
    file.write_text("", encoding="utf-8")
    assert find_instance(str(file)) == file


@every(
    "name, message",
    [
        ("somma", "'somma'; did you mean 'soma'"),
        ("soma/soma-stepps", "did you mean 'soma/soma-steps'"),
        ("no/such.toml", "no/such.toml: no such file"),
        ("zzzzzz", "puzzlesat list"),
    ],
)
def test_instances_that_there_are_not(name, message):
    with pytest.raises(PuzzleError, match=message):
        find_instance(name)


def test_models_and_grids_beside_a_file_come_first(tmp_path):
    near = tmp_path / "instance.toml"
    assert find_model("soma", near) == data_folder("models") / "soma.toml"
    assert find_grid("cube", near) == data_folder("models") / "grids" / "cube.toml"
    own = shutil.copy(data_folder("models") / "bedlam.toml", tmp_path / "soma.toml")
    assert find_model("soma", near) == own


def test_a_file_of_another_kind_beside_a_file_is_passed_over(tmp_path):
    near = shutil.copy(find_instance("soma"), tmp_path / "soma.toml")
    assert find_model("soma", near) == data_folder("models") / "soma.toml"
    assert len(load_puzzle(near).tiles) == 7


def test_an_own_grid_beside_the_instance(tmp_path):
    text = (data_folder("models") / "grids" / "square.toml").read_text(encoding="utf-8")
    text = text.replace("[[1, 0], [0, 1]]", "[[1, 0], [0, 2]]", 1).replace("symmetries = 8", "symmetries = 4", 1)
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    instance = tmp_path / "p.toml"
    instance.write_text('title = "P"\ngrid = "mine"\nflips = true\n[tiles.A]\npicture = "##"\n[form]\nbox = [2, 1]\n', encoding="utf-8")
    assert len(load_puzzle(instance).grid.symmetries) == 4


def test_models_and_grids_that_there_are_not(tmp_path):
    for find, what in ((find_model, "model"), (find_grid, "grid")):
        with pytest.raises(PuzzleError, match=f"p.toml: {what}: there is no {what} 'nothing'"):
            find("nothing", tmp_path / "p.toml")


def test_instance_files_of_a_folder_are_sorted(tmp_path):
    for name in ("b/z", "b/a", "a/m"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.toml").write_text("", encoding="utf-8")
    (tmp_path / "b" / "notes.txt").write_text("", encoding="utf-8")
    assert [str(f.relative_to(tmp_path).with_suffix("").as_posix()) for f in instance_files(tmp_path)] == ["a/m", "b/a", "b/z"]


@every(
    "text, kind",
    [
        ("gram = [[1, 0], [0, 1]]", "grid"),
        ('grid = "square"\nflips = true', "model"),
        ('model = "soma"', "instance"),
        ('grid = "square"\n[form]\nbox = [1, 1]', "instance"),
        ('grid = "square"\n[expect]\nall = 1', "instance"),
    ],
)
def test_kind_of_a_file(text, kind, tmp_path):
    file = tmp_path / "f.toml"
    file.write_text(text, encoding="utf-8")
    assert kind_of(file) == kind


def test_readers_name_the_file(tmp_path):
    file = tmp_path / "f.toml"
    file.write_text("nonsense = 1\n", encoding="utf-8")
    for read in (read_grid, read_model, read_instance):
        with pytest.raises(PuzzleError) as caught:
            read(file)
        assert all(p.startswith(f"{file}: ") for p in caught.value.problems)
        assert len(caught.value.problems) > 1


@every(
    "word, known, said",
    [
        ("copys", ["copies", "flips"], "; did you mean 'copies'?"),
        ("q", ["copies", "flips"], "; known: copies, flips"),
        ("q", [], ""),
        ("q", [f"name{i}" for i in range(13)], ""),
    ],
)
def test_near_match(word, known, said):
    assert near_match(word, known) == said
