"""Names of files, near matches, and all data of the package."""

import shutil
import warnings
from dataclasses import fields

import pytest

from puzzlesat.base import PuzzleError, PuzzleWarning, data_files, data_folder, kept, package
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.puzzles import ModelFile, load_grid
from puzzlesat.puzzles.library import find_grid, find_instance, find_model
from puzzlesat.puzzles.load import load_instance, model_tiles
from puzzlesat.puzzles.reading import kind_of_table, read_file, read_table
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
@every("name", [file.stem for file in INSTANCES], fast=RICH)
def test_an_instance_from_the_cache_is_that_of_its_file(name, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    read = load_instance(name)
    for _ in range(2):
        kept = instance_in(name)
        assert kept.puzzle.grid.is_same(read.puzzle.grid)
        for field in fields(read.puzzle):
            assert field.name == "grid" or getattr(kept.puzzle, field.name) == getattr(read.puzzle, field.name)
        for field in fields(read):
            assert field.name == "puzzle" or getattr(kept, field.name) == getattr(read, field.name)
    assert len([*tmp_path.glob("puzzlesat/*")]) == 1


def test_what_is_kept_is_made_anew_after_each_change(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file, made = tmp_path / "file", []
    file.write_text("a", encoding="utf-8")

    def kept_now():
        return kept("name", [file], lambda: made.append(file.read_text(encoding="utf-8")) or [*made])

    assert [kept_now(), kept_now()] == [["a"], ["a"]]
    file.write_text("b", encoding="utf-8")
    assert [kept_now(), kept_now()] == [["a", "b"], ["a", "b"]]
    (cache,) = (tmp_path / "cache" / "puzzlesat").iterdir()
    cache.write_bytes(cache.read_bytes()[:40])
    assert [kept_now(), kept_now()] == [["a", "b", "b"], ["a", "b", "b"]]
    monkeypatch.setattr(package.sys, "version", "another Python")
    assert kept_now() == ["a", "b", "b", "b"]
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert [len(kept_now()), len(kept_now())] == [5, 6]


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
    assert len(load_instance(near).puzzle.tiles) == 7
