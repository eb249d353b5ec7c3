"""``puzzlesat show``, ``list`` and ``validate``."""

from __future__ import annotations

import re

import pytest

from puzzlesat.config.library import data_folder, instance_files, model_files


def test_show(run, folder):
    found = run("show", "dominoes.toml")
    assert found.status == 0
    assert "Small  (dominoes, grid square: Squares)" in found.output
    assert "███\n███\n" in found.output
    assert "form: 6 atoms to cover" in found.output
    assert "area: the form has 6 faces, the tiles 6" in found.output
    assert "symmetries of the form that the rules allow: identity, turn 180, mirror 90, mirror 0" in found.output
    assert "placements: 7; after symmetry breaking (none) 7; after reduction 7" in found.output
    assert re.search(r"^D +3 +2 +7 +yes +all +██", found.output, re.M)


def test_show_the_published_figures_of_tritetratan(run):
    found = run("show", "tritetratan")
    assert "placements: 1,421; after symmetry breaking on K 1,331; after reduction 1,140" in found.output
    assert "rules allow: identity, turn 180, mirror 135, mirror 45\n" in found.output
    assert re.search(r"^X +1 +1 +\d+ +yes +all +◢◣$", re.sub(r" +$", "", found.output, flags=re.M), re.M)


def test_show_what_may_be_covered(run, folder):
    found = run("show", "weights.toml")
    assert "form: 10 atoms to cover, 2 that may be" in found.output
    assert re.search(r"^D +3–5 ", found.output, re.M)
    assert re.search(r"^D +0–any ", run("show", "limitless.toml").output, re.M)


def test_show_identical_tiles_and_marks(run, folder):
    text = run("show", "cards.toml").output
    assert re.search(r"^A .*█ *\n +cat- dot cat\+ dot *$", text, re.M)
    assert "are identical" not in text
    identical = folder / "identical.toml"
    tiles = '\n[tiles.A]\npicture = "##"\n\n[tiles.B]\npicture = """\n#\n#\n"""\n'
    identical.write_text(f'title = "S"\ngrid = "square"\nflips = true\n{tiles}\n[form]\nbox = [2, 2]\n', encoding="utf-8")
    assert "tiles A, B are identical: counted as 2 copies of A" in run("show", identical).output


@pytest.mark.parametrize(
    "name", ["soma", "octogram", "hexiamonds-coin", "tetrahexes-flower-1", "lozenges-hexagon-2", "bits-and-bytes", "geduld"]
)
def test_show_puzzles_of_every_grid(run, name):
    found = run("show", name)
    assert found.status == 0
    assert f"({name}, grid " in found.output
    assert "?" not in found.output.split("tile  ")[-1]


def test_show_what_is_impossible(run, folder):
    assert "so it has no solution" in run("show", "none.toml").output


def test_list(run):
    found = run("list")
    assert found.status == 0
    assert "models" in found.output
    assert "instances" in found.output
    for file in (*model_files(), *instance_files()):
        assert file.stem in found.output


def test_list_as_json(run):
    entries = run("list", "--json").json
    models = [e for e in entries if "instance" not in e]
    instances = [e for e in entries if "instance" in e]
    assert [m["model"] for m in models] == [f.stem for f in model_files()]
    assert [i["instance"] for i in instances] == [f.stem for f in instance_files()]
    assert all(set(m) == {"model", "title", "grid"} for m in models)
    assert all(set(i) == {"instance", "family", "title", "model", "expect"} for i in instances)
    (tans,) = [i for i in instances if i["instance"] == "tritetratan"]
    assert tans == {
        "instance": "tritetratan",
        "family": "tritetratan",
        "title": "TriTetraTan",
        "model": "tritetratan",
        "expect": {"labelled": 124, "all": 124, "distinct": 31},
    }


def test_validate_good_files(run, folder):
    found = run("validate", "dominoes.toml", data_folder("models") / "soma.toml", data_folder("models") / "grids" / "tans.toml")
    assert found.status == 0
    assert "dominoes.toml: ok\n    area: the form has 6 faces, the tiles 6" in found.output
    assert "soma.toml: ok\n    model of 7 tiles on grid 'cube'" in found.output
    assert "tans.toml: ok\n    grid of 4 atoms a cell, 8 symmetries" in found.output


def test_validate_everything_that_comes_with_the_models(run):
    files = sorted(data_folder("models").rglob("*.toml"))
    found = run("validate", *files)
    assert found.status == 0, found.output
    assert found.output.count(": ok\n") == len(files)
