"""Grids that are not in the package: opened, painted on, counted, exported, stored and sent."""

import base64

import pytest

from draw.browser import IN_A_BROWSER
from puzzlesat.base.errors import PuzzleError
from puzzlesat.base.package import data_folder
from puzzlesat.pages.studio.open import grid_said, tables_of_file, tables_of_named
from puzzlesat.pages.studio.server import task
from puzzlesat.pages.studio.telling import Tell
from puzzlesat.puzzles.load import load_instance
from tiers import every

KAGOME = """title = "Hexagons and triangles: the trihexagonal tiling (3.6.3.6)"
gram = [[1, "1/2"], ["1/2", 1]]
symmetries = 12

[[atoms]]
name = "h"
vertices = [["1/2", "0"], ["0", "1/2"], ["-1/2", "1/2"], ["-1/2", "0"], ["0", "-1/2"], ["1/2", "-1/2"]]

[[atoms]]
name = "up"
vertices = [["1/2", "0"], ["1/2", "1/2"], ["0", "1/2"]]

[[atoms]]
name = "down"
vertices = [["1/2", "1/2"], ["1", "1/2"], ["1/2", "1"]]

[picture]
steps = [[3, 0], [1, 1]]
sites = [
    { at = [0, 0], glyphs = { "⬢" = ["h"] }, optional = { "⬡" = ["h"] } },
    { at = [1, 0], glyphs = { "▲" = ["up"] }, optional = { "△" = ["up"] } },
    { at = [2, 0], glyphs = { "▼" = ["down"] }, optional = { "▽" = ["down"] } },
]

[shapes]
hexagon = [[[1, 0], [0, 0]], [[0, 0], [1, 0]], [[-1, 0], [1, 0]], [[-1, 0], [0, 0]], [[0, 0], [-1, 0]], [[1, 0], [-1, 0]]]
"""
PUZZLE = '''title = "Hexagons with two triangles each"
grid = "kagome"
flips = true

[[generate]]
free = 3
copies = "any"

[form]
picture = """
.⬢▲▼⬢.
⬢▲▼⬢▲▼
.▼.▲..
"""
'''
ONE_WAY = {"labelled": None, "all": 1, "distinct": 1}
"""Each piece must be a hexagon with two triangles, because no other has twice as many triangles; the corners force the rest."""


def ask(name, /, **question):
    return task(name)(question, Tell())


@pytest.fixture
def files(tmp_path):
    (tmp_path / "kagome.toml").write_text(KAGOME, encoding="utf-8")
    (tmp_path / "my.toml").write_text(PUZZLE, encoding="utf-8")
    return tmp_path


def exported(puzzle, folder):
    said = ask("export", puzzle=puzzle, format="toml")
    path = folder / "exported" / said["filename"]
    path.parent.mkdir()
    path.write_bytes(base64.b64decode(said["base64"]))
    return load_instance(path)


@pytest.mark.full
def test_a_puzzle_whose_grid_lies_beside_it_is_whole_in_the_page(files):
    ((name, table),) = tables_of_named(files / "my.toml")
    assert (name, table["grid"]["name"]) == ("my", "kagome")
    puzzle = {"name": name, "table": table}
    assert ask("count", puzzle=puzzle)["counts"].items() >= ONE_WAY.items()
    read = ask("grids", read=table)
    assert (read["grid"]["name"], read["area"], read["wrong"]) == ("kagome", [0, None], [])
    written = ask("grids", write=table, form=read["form"])
    assert written["form"]["picture"].split() == PUZZLE.split('"""')[-2].split()
    assert ask("grids", picture=read["form"], on=table["grid"])["picture"] == written["form"]["picture"]
    again, before = exported(puzzle, files).puzzle, load_instance(files / "my.toml").puzzle
    assert (again.form, again.tiles) == (before.form, before.tiles)


@pytest.mark.full
def test_a_grid_is_an_empty_sheet(files):
    found = ask("open", file=KAGOME, filename="kagome.toml")
    assert found["board"] is None
    assert found["puzzle"] == {"name": "kagome", "table": tables_of_named(files / "kagome.toml")[0][1]}
    table = found["puzzle"]["table"]
    assert "form" not in table
    read = ask("grids", read=table)
    assert [tile["size"] for tile in read["tiles"]] == [3] * 4
    assert len(ask("grids", grid=table["grid"])["grid"]["atoms"]) == 3
    assert len(ask("polyforms", grid=table["grid"], kind="free", n=2)["tiles"]) == 1
    tile = ask("grids", tile=[[0, 0, 0], [0, 0, 1]], on=table["grid"])["tile"]
    assert tile == {"picture": "⬢▲\n"}


@pytest.mark.full
def test_a_grid_of_one_s_own_may_have_the_name_of_one_of_the_package(files):
    (files / "square.toml").write_text(KAGOME, encoding="utf-8")
    (files / "my.toml").write_text(PUZZLE.replace('"kagome"', '"square"'), encoding="utf-8")
    ((name, table),) = tables_of_named(files / "my.toml")
    assert ask("count", puzzle={"name": name, "table": table})["counts"].items() >= ONE_WAY.items()
    assert exported({"name": name, "table": table}, files).puzzle.grid.title == load_instance(files / "my.toml").puzzle.grid.title


def test_a_table_of_the_page_names_no_file(files, monkeypatch):
    monkeypatch.chdir(files)
    bare = {"title": "x", "flips": True, "generate": [{"free": 3}], "form": {"box": [1, 1]}}
    for name in ("kagome", "./kagome", str(files / "kagome"), str(files / "kagome.toml"), "../" + files.name + "/kagome"):
        with pytest.raises(PuzzleError, match="there is no grid"):
            ask("count", puzzle={"name": "my", "table": {**bare, "grid": name}})
        with pytest.raises(PuzzleError, match="there is no grid"):
            ask("grids", read={**bare, "grid": name})
        with pytest.raises(PuzzleError, match="there is no grid"):
            tables_of_file("my.toml", PUZZLE.replace("kagome", name))


@every(
    "wrong, sentence",
    [
        ({"gram": [[1, 2], [2, 1]]}, "grid: gram: not the scalar products of a lattice"),
        ({"name": "../x"}, "grid.name: "),
        ({"path": "/etc/passwd"}, "unknown key 'grid.path'"),
        ({"symmetries": 7}, "grid: symmetries: the atoms have 12, expected 7"),
    ],
)
def test_what_is_wrong_with_a_grid_is_said(files, wrong, sentence):
    ((name, table),) = tables_of_named(files / "my.toml")
    with pytest.raises(PuzzleError) as raised:
        ask("count", puzzle={"name": name, "table": {**table, "grid": {**table["grid"], **wrong}}})
    assert any(problem.startswith(sentence) for problem in raised.value.problems), raised.value.problems


@pytest.mark.slow
@IN_A_BROWSER
def test_a_person_paints_on_a_grid_of_their_own(files, person):
    people = pytest.importorskip("people")
    one = person().opens()
    one.page.locator("input[type=file]").set_input_files(files / "kagome.toml")
    one.page.locator(".board canvas").last.wait_for()
    assert one.page.locator("#which").inner_text() == "Hexagons and triangles: the trihexagonal tiling (3.6.3.6)"
    grid = one.page.get_by_label("Grid", exact=True)
    assert grid.locator("option:checked").inner_text().startswith("Hexagons and triangles")

    box = one.page.locator(".board").bounding_box()  # one hexagon and two triangles beside it, by clicks
    for dx, dy in ((0, 0), (0, -62), (0, 62)):
        one.page.mouse.click(box["x"] + box["width"] / 2 + dx, box["y"] + box["height"] / 2 + dy)
    one.page.locator(".area").get_by_text("3 of 12").wait_for()
    one.page.get_by_role("button", name="Change the pieces").click()
    one.page.get_by_label("Grid", exact=True).wait_for()
    assert one.page.locator(".tile-cards > li").count() == 4

    state = {"view": "draw", "puzzle": dict(zip(("name", "table"), tables_of_named(files / "my.toml")[0], strict=True))}
    one.opens(people.link(one.address, state))
    one.page.reload()
    one.page.locator(".badge").get_by_text("Exactly one solution").wait_for()
    grid.select_option("square")
    one.page.locator(".board canvas").last.wait_for()
    assert "own:kagome" in [option.get_attribute("value") for option in grid.locator("option").all()]
    one.page.go_back()
    one.page.locator(".badge").get_by_text("Exactly one solution").wait_for()
    other = person().opens(one.page.url)
    other.page.locator(".badge").get_by_text("Exactly one solution").wait_for()
    with other.page.expect_download() as kept:
        other.page.get_by_role("button", name="TOML").click()
    kept.value.save_as(files / "sent.toml")
    (files / "kagome.toml").unlink()
    assert load_instance(files / "sent.toml").puzzle.grid.name == "kagome"


@pytest.mark.full
def test_the_package_s_grids_are_what_they_were():
    for file in sorted(data_folder("grids").glob("*.toml")):
        ((_, table),) = tables_of_named(file)
        named, stated = grid_said(file.stem), grid_said(table["grid"])
        for what in ("atoms", "crossings", "layout", "rings", "shapes"):
            assert getattr(named, what) == getattr(stated, what), (file, what)
