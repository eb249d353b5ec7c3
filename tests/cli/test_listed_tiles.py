"""Commands that need the shapes of tiles refuse those whose placements a file lists."""

from __future__ import annotations

import pytest

IN_ONE_FORM = "tiles.Q: its placements are listed for one form, so its placements in another form are not known"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["forms", "queens-6", "--boxes"], IN_ONE_FORM),
        (["common", "queens-6", "Q", "Q"], IN_ONE_FORM),
        (["sets", "queens-6", "--boxes"], IN_ONE_FORM),
        (["apart", "queens-6"], "the placements of tile 'Q' are listed, so it is not known how it could move"),
        (["show", "queens-6", "--stl", "meshes"], "the placements of tile 'Q' are listed, so its shape is not known"),
    ],
)
def test_what_needs_the_shape_of_a_tile_refuses_a_list(run, tmp_path, monkeypatch, asked, said):
    monkeypatch.chdir(tmp_path)
    found = run(*asked)
    assert found.status == 2
    assert said in " ".join(found.output.split())
    assert not list(tmp_path.iterdir())


def test_a_model_of_listed_tiles_has_no_other_forms(run, tmp_path):
    model = tmp_path / "listed.toml"
    model.write_text('title = "T"\ngrid = "square"\nflips = true\n[tiles.P]\nplacements = [[[4, 1]]]\n')
    found = run("forms", model, "--boxes")
    assert found.status == 2
    assert "tiles.P: its placements are listed for one form" in " ".join(found.output.split())


def test_the_sets_of_listed_tiles_fill_their_own_form(run):
    found = run("sets", "instant-insanity", "--json")
    assert [(one["all"], one["distinct"]) for one in found.json] == [(8, 1)]
