"""Painted forms and their text in a file; the data of grids and polyforms for the page."""

import re
from xml.etree import ElementTree

import pytest

from puzzlesat.base import PuzzleError, data_files
from puzzlesat.formats.toml import instance_text
from puzzlesat.pages.studio.gridview import grid_as_json
from puzzlesat.pages.studio.painted import Painted, _sizes, form_table, painted, read_form, tile_table
from puzzlesat.pages.studio.server import task
from puzzlesat.pages.studio.telling import Tell
from puzzlesat.pages.template import text_of
from puzzlesat.puzzles import load_grid, read_table, translate
from puzzlesat.puzzles.load import load_instance
from tiers import every

GRIDS = {path.stem: load_grid(path) for path in data_files("grids")}
FAMILIES = {}
for _file in data_files("instances"):
    FAMILIES.setdefault(_file.parent.name, []).append(_file)
CHESS = {
    **dict.fromkeys(("square", "cube", "triangle", "tans", "drafters"), True),
    **dict.fromkeys(("hexagon", "balls", "square-edges", "truncated-octahedra"), False),
}
SQUARE = {"grid": "square", "flips": True, "generate": [{"free": 5}]}


def ask(name, /, **question):
    return task(name)(question, Tell())


@every("family", FAMILIES, fast=("tritetratan",))
def test_what_is_painted_is_written_and_read_again(family):
    for path in FAMILIES[family]:
        table, puzzle = read_table(path), load_instance(path).puzzle
        rest = {key: table["form"][key] for key in ("wrap", "border", "inner", "outer", "fixed") if key in table["form"]}
        paint = painted(puzzle.grid, puzzle.form, table["form"])
        written, moved = form_table(puzzle.grid, paint, rest, stays=bool(rest.get("fixed") or table.get("conditions")))
        again = read_form(puzzle.grid, written, may_cross=puzzle.may_cross)
        assert {translate(a, moved) for a in puzzle.form.required} == set(again.required), path
        assert {translate(a, moved) for a in puzzle.form.optional} == set(again.optional), path
        assert {translate(a, moved): c for a, c in puzzle.form.colours.items()} == dict(again.colours), path
        if "atoms" not in table["form"]:
            assert "atoms" not in written, f"{path}: a person wrote a picture or a shape"
        if "polygon" not in table["form"]:
            assert len(instance_text({"form": written})) <= len(instance_text({"form": table["form"]})) + 80, path


def test_it_says_a_form_as_a_person_would():
    def of(grid, form, **also):
        whole = read_form(GRIDS[grid], form)
        return form_table(GRIDS[grid], Painted(frozenset(whole.atoms), frozenset(whole.optional), **also), {})[0]

    assert of("square", {"picture": "##########\n" * 6}) == {"box": [10, 6]}
    assert of("square", {"box": [8, 8], "remove": [[1, 1], [8, 8]]}) == {"box": [8, 8], "remove": [[1, 1], [8, 8]]}
    assert of("square", {"box": [3, 3], "optional": "all"}) == {"box": [3, 3], "optional": "all"}
    assert of("triangle", {"triangle": 4}) == {"triangle": 4}
    assert of("hexagon", {"hexagon": 3}) == {"hexagon": 3}
    assert of("square", {"picture": ".#\n#░\n"}) == {"picture": ".█\n█░\n"}
    assert of("tans", {"picture": "██\n█◤\n"}) == {"picture": "██\n█◤\n"}
    assert of("cube", {"picture": "##\n#.\n\n#.\n..\n"}) == {"picture": "██\n█.\n\n█.\n..\n"}
    assert of("tans", {"box": [6, 6], "remove": [[3, 3, "T"]]}) == {"box": [6, 6], "remove": [[3, 3, "T"]]}
    assert of("square", {"atoms": [[0, 0], [900, 900]]}) == {"atoms": [[1, 1], [901, 901]]}


def test_three_quarters_of_a_square_stand_in_a_picture_and_beside_it():
    grid = GRIDS["tans"]
    form = read_form(grid, {"picture": "███\n█.█\n█.█\n", "remove": [[1, 1, "L"], [3, 3, "T"]], "optional": [[3, 1, "B"]]})
    written, moved = form_table(grid, paint := painted(grid, form, {}), {})
    assert written["picture"] == "███\n█.█\n█.█\n" and sorted(written["remove"]) == [[1, 1, "L"], [3, 3, "T"]]
    assert (written["optional"], moved, painted(grid, read_form(grid, written), {})) == ([[3, 1, "B"]], (0, 0), paint)


def test_what_counts_on_its_place_is_not_moved():
    paint = Painted(frozenset({(4, 5, 0), (5, 5, 0)}))
    assert form_table(GRIDS["square"], paint, {}) == ({"box": [2, 1]}, (-3, -4))
    fixed = {"fixed": ["D.1@4.5"]}
    assert form_table(GRIDS["square"], paint, fixed, stays=True) == ({"atoms": [[4, 5], [5, 5]], **fixed}, (0, 0))


@pytest.mark.full
@every("name", GRIDS, fast=("square-edges",))
def test_a_grid_as_the_page_has_it(name):
    grid, view = GRIDS[name], grid_as_json(GRIDS[name])
    assert len(view["symmetries"]) == len(grid.motions)
    for number, atom in enumerate(view["atoms"]):
        assert [tuple(n) for n in view["neighbours"][number]] == (grid.neighbours((*[0] * grid.dimension, number)) if atom["main"] else [])
        assert atom["drawn"] == "hidden" or all(
            len(s["points"]) == {"segment": 2, "ball": 1}.get(atom["drawn"], len(s["points"])) for s in atom["sections"]
        )
    assert (name not in CHESS) or bool(view["chess"]) == CHESS[name], "bipartite grids alone have a chessboard"
    if chess := view["chess"]:
        for number, near in enumerate(view["neighbours"]):
            for *cell, other in near:
                step = sum(a * c for a, c in zip(chess["along"], cell, strict=True))
                assert (chess["shift"][number] + chess["shift"][other] + step) % 2 == 1
    assert view["brushes"]
    for brush in view["brushes"]:
        for group in brush["groups"]:
            assert len(group) == brush["order"]
            motions = [(grid.symmetries[m["symmetry"]], m["move"]) for m in group]
            start = (*[2] * grid.dimension, 0)
            orbit = {translate(g(start), move) for g, move in motions}
            assert all({translate(g(a), move) for a in orbit} == orbit for g, move in motions), "the images of an atom are their own images"


@pytest.mark.full
@every("grid, kind, size, known", [("square", "free", 6, 35), ("hexagon", "fixed", 4, 44), ("cube", "one_sided", 4, 8)])
def test_polyforms_are_as_many_as_are_known(grid, kind, size, known):
    tiles = ask("polyforms", grid=grid, kind=kind, n=size)["tiles"]
    assert len({tile["name"] for tile in tiles}) == len(tiles) == known
    assert all(len(tile["atoms"]) == size and tile["svg"].startswith("<svg") for tile in tiles)


@every(
    "question, words",
    [
        ({"grid": "square", "kind": "free", "n": 10}, "1 to 9"),
        ({"grid": "square", "kind": "free", "n": True}, "1 to 9"),
        ({"grid": "square", "kind": "loose", "n": 3}, "free, one_sided, fixed"),
        ({"grid": "../../pyproject", "n": 3}, "there is no grid"),
        ({"grid": "cube", "kind": "fixed", "n": 9}, "too many"),
        ({"grid": "square", "kind": "fixed", "n": 8}, "a set can have at most"),
    ],
    fast=("1 to 9", "there is no grid"),
)
def test_polyforms_that_there_are_not(question, words):
    with pytest.raises(PuzzleError, match=words):
        ask("polyforms", **question)


def test_all_grids_and_models_are_listed():
    said = ask("grids")
    assert {grid["name"] for grid in said["grids"]} == set(GRIDS)
    assert {"pentominoes", "soma", "tritetratan"} <= {model["name"] for model in said["models"]}


@pytest.mark.full
def test_a_puzzle_is_read_with_what_is_odd_about_its_tiles():
    tiles = {"A": {"picture": "#.#\n"}, "B": {"picture": "##\n"}, "C": {"picture": "#\n#\n", "copies": [0, 2]}}
    said = ask("grids", read={"grid": "square", "flips": False, "tiles": tiles, "form": {"picture": "##░\n"}})
    assert not said["wrong"] and said["area"] == [4, 8]
    by_name = {tile["name"]: tile for tile in said["tiles"]}
    assert by_name["A"]["parts"] == 2 and by_name["B"]["members"] == ["B", "C"] and by_name["B"]["ranges"] == [[1, 1], [0, 2]]
    assert said["form"]["atoms"] == [[1, 1, 0], [2, 1, 0], [3, 1, 0]] and said["form"]["optional"] == [[3, 1, 0]]
    assert ask("grids", order={"grid": "square", "flips": False, "tiles": tiles, "form": {"picture": "##░\n"}}) == {
        "order": [[1, 1, 0], [2, 1, 0], [3, 1, 0]]
    }


@pytest.mark.full
def test_what_is_wrong_is_said_and_the_rest_is_there():
    said = ask("grids", read={"grid": "cube", "flips": True, "tiles": {"A": {"copies": 2}}, "form": {"triangle": 3}})
    assert len(said["wrong"]) == 2 and "tiles.A" in said["wrong"][0] and "triangle" in said["wrong"][1]
    assert not any("page" in words for words in said["wrong"])
    assert said["grid"]["name"] == "cube" and said["form"]["atoms"] == []


def test_a_sheet_without_pieces_is_one_to_begin_with():
    said = ask(
        "grids", read={"grid": "square-marks", "flips": False, "tiles": {}, "marks": {"red": {"kind": "self"}}, "form": {"box": [2, 1]}}
    )
    assert (said["wrong"], said["tiles"], said["area"], len(said["form"]["atoms"])) == ([], [], [0, 0], 2)
    assert said["rules"]["marks"] == {"red": {"kind": "self"}}


@every(
    "form, words",
    [
        ({"atoms": []}, "paint at least one cell first"),
        ({"atoms": [[1, 1, 7]]}, "no atom of grid"),
        ({"atoms": [[1, 1]]}, "no atom of grid"),
        ({"atoms": [[1, 1, 0.0]]}, "no atom of grid"),
        ({"atoms": [[1, 10**9, 0]]}, "no atom of grid"),
        ({"atoms": "all"}, "a list of atoms"),
        ({"atoms": [[1, 1, 0]], "colours": [[1, 1, 0]]}, "pairs of an atom and a colour"),
        ({"atoms": [[1, 1, 0]], "colours": [["x", "red"]]}, "no atom of grid"),
    ],
)
def test_what_cannot_be_painted_is_refused(form, words):
    with pytest.raises(PuzzleError, match=words):
        ask("grids", write=SQUARE, form=form)


def test_a_picture_is_read_again():
    said = ask("grids", picture={"atoms": [[5, 5, 0], [6, 5, 0], [6, 6, 0]], "optional": [[6, 6, 0]]}, on="square")
    assert said["picture"] == ".░\n██\n"
    assert ask("grids", read={**SQUARE, "form": {"picture": said["picture"]}})["form"]["optional"] == [[2, 2, 0]]
    assert ask("grids", picture={"atoms": [[1, 1, 0], [1, 1, 1], [1, 1, 2]]}, on="tans")["picture"] is None


@pytest.mark.full
def test_a_large_form_with_a_hole_is_no_shape_of_its_grid():
    atoms = [[x, y, 0] for x in range(1, 71) for y in range(1, 71) if (x - 35) ** 2 + (y - 35) ** 2 > 30]
    sizes = {name: list(_sizes(GRIDS["square"], name, Painted(frozenset(map(tuple, atoms))))) for name in GRIDS["square"].shapes}
    assert sizes and max(map(len, sizes.values())) < 20, "few sizes are tried, however large the form is"
    assert ask("grids", write=SQUARE, form={"atoms": atoms})["form"].keys() == {"picture"}


def test_colours_and_rules_stay_with_the_form():
    form = {"atoms": [[2, 3, 0], [3, 3, 0]], "optional": [[3, 3, 0]], "colours": [[[2, 3, 0], "red"]]}
    said = ask("grids", write={**SQUARE, "form": {"border": "grey", "box": [9, 9]}}, form=form)
    assert said["form"] == {"box": [2, 1], "optional": [[2, 1]], "border": "grey", "colours": {"red": [[1, 1]]}}
    assert said["moved"] == [-1, -2]


def test_a_tile_is_written_as_a_person_would():
    assert ask("grids", tile=[[5, 5, 0], [6, 5, 0], [6, 6, 0]], on="square") == {"tile": {"picture": ".█\n██\n"}}
    assert ask("grids", tile=[[1, 1, 0], [1, 1, 1], [1, 1, 2]], on="tans") == {"tile": {"atoms": [[1, 1, "L"], [1, 1, "B"], [1, 1, "T"]]}}
    with pytest.raises(PuzzleError, match="at least one cell"):
        ask("grids", tile=[], on="square")


@pytest.mark.full
@every("name", GRIDS, fast=("tans",))
def test_tiles_read_as_they_are_written(name):
    grid = GRIDS[name]
    for tile in ask("polyforms", grid=name, kind="free", n=3 if len(grid.atoms) < 9 else 2)["tiles"]:
        table = tile_table(grid, {tuple(a) for a in tile["atoms"]})
        whole = {"title": "t", "grid": name, "flips": True, "tiles": {"T": table}}
        read = ask("grids", read=whole)["tiles"]
        own = [a for a in read[0]["atoms"] if grid.atoms[a[-1]].kind == grid.main_kind]
        low = [min(a[i] for a in own) for i in range(grid.dimension)]
        there = [min(a[i] for a in tile["atoms"]) for i in range(grid.dimension)]
        assert sorted([*(x - y for x, y in zip(a, low, strict=False)), a[-1]] for a in own) == sorted(
            [*(x - y for x, y in zip(a, there, strict=False)), a[-1]] for a in tile["atoms"]
        )


# A page accepts the elements of pages/elements.js; pictures of the program have no others.

MODULE = text_of("elements.js")
HARMLESS = set(re.findall(r'"(\w+)"', re.search(r"HARMLESS = new Set\((.*?)\)", MODULE)[1]))
FIRST = {file.parent.name: file for file in reversed(data_files("instances"))}


def check_picture(svg):
    for part in ElementTree.fromstring(svg).iter():
        assert part.tag.removeprefix("{http://www.w3.org/2000/svg}") in HARMLESS, part.tag
        for name, value in part.attrib.items():
            assert not re.search(r"^(on|style$)|href$", name), name
            assert not re.search(r"url\(|javascript:", value), value


@every("family", FIRST, fast=("octogram",))
def test_pictures_of_puzzles_and_pieces(family):
    check_picture(ask("picture", name=FIRST[family].stem)["svg"])
    told = ask("grids", read=read_table(FIRST[family]))
    tiles = told["tiles"]
    assert tiles or "where they are listed" in told["wrong"][0]
    for tile in tiles:
        check_picture(tile["svg"])


def test_the_picture_of_an_argument():
    found = ask("prove", puzzle={"name": "mutilated-chessboard"})
    check_picture(found["picture"])
