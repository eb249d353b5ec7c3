"""Names of files, near matches, and all data of the package."""

import shutil
import warnings

import pytest

from puzzlesat.base.errors import PuzzleError, PuzzleWarning
from puzzlesat.base.package import data_files, data_folder
from puzzlesat.puzzles.grids import load_grid
from puzzlesat.puzzles.library import find_grid, find_instance, find_model
from puzzlesat.puzzles.load import load_instance, load_puzzle, model_tiles
from puzzlesat.puzzles.reading import kind_of_table, read_file, read_table
from puzzlesat.puzzles.schema import ModelFile
from tiers import every

INSTANCES = data_files("instances")
MODELS = [*(file.stem for file in data_files("models")), *(f"grids/{file.stem}" for file in data_files("grids"))]


RICH = ("soma", "quasi-ditrigs-triangle", "bits-and-bytes", "absolut-knifflig", "ball-room-1")
"""Instances with slots, crossings, marks, balls, and tiles that are in parts on purpose."""


@every("name", [file.stem for file in INSTANCES], fast=RICH)
def test_every_instance_can_be_loaded_without_a_warning(name):
    (file,) = [file for file in INSTANCES if file.stem == name]
    assert kind_of_table(read_table(file)) == "instance"
    with warnings.catch_warnings():
        warnings.simplefilter("error", PuzzleWarning)
        instance = load_instance(file)
    assert instance.name == name
    assert instance.path == file
    assert instance.puzzle.tiles
    assert instance.puzzle.form.atoms


@pytest.mark.full
@every("name", MODELS, fast=12)
def test_every_model_and_every_grid_can_be_loaded(name):
    file = data_folder("models") / f"{name}.toml"
    if name.startswith("grids/"):
        assert kind_of_table(read_table(file)) == "grid"
        assert load_grid(file).name == file.stem
        return
    assert kind_of_table(read_table(file)) == "model"
    model = read_file(ModelFile, file)
    assert model_tiles(load_grid(find_grid(model.grid, file)), model, file)


def test_find_instance_by_name_family_and_path(tmp_path):
    file = find_instance("soma")
    assert (file.stem, file.parent.name) == ("soma", "soma")
    assert find_instance("soma/soma") == find_instance(str(file)) == file
    copy = shutil.copy(file, tmp_path / "copy.toml")
    assert find_instance(str(copy)) == copy


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
    assert find_grid("cube", near) == data_folder("grids") / "cube.toml"
    own = shutil.copy(data_folder("models") / "bedlam.toml", tmp_path / "soma.toml")
    assert find_model("soma", near) == own


def test_a_file_of_another_kind_beside_a_file_is_passed_over(tmp_path):
    near = shutil.copy(find_instance("soma"), tmp_path / "soma.toml")
    assert find_model("soma", near) == data_folder("models") / "soma.toml"
    assert len(load_puzzle(near).tiles) == 7
