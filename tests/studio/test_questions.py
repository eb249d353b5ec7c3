"""Questions of the page to a running studio, over HTTP, and their answers."""

import gzip
import json
import os
from base64 import b64decode, b64encode
from pathlib import Path

import pytest

import puzzlesat
from puzzlesat.base.package import data_files
from puzzlesat.checker.certificate import check_certificate
from puzzlesat.pages.studio.open import arrangement
from puzzlesat.puzzles.library import other_names
from tiers import every

DOMINOES = {"title": "Dominoes", "grid": "square", "flips": True, "tiles": {"D": {"picture": "##", "copies": 3}}, "form": {"box": [3, 2]}}


def puzzle(name="mine", **keys):
    return {"name": name, "table": DOMINOES | keys}


def test_a_puzzle_of_the_package_and_of_the_page(studio):
    opened = studio.ask("open", name="soma")
    assert opened["puzzles"] == [{"name": "soma", "title": "The Soma cube"}]
    assert opened["puzzle"]["table"]["model"] == "soma"
    assert len(opened["board"]["atoms"]) == 27
    assert [t["name"] for t in opened["board"]["tiles"]] == ["V", "L", "T", "Z", "A", "B", "P"]
    assert len(opened["board"]["placements"]["name"]) == 688
    opened = studio.ask("open", puzzle=puzzle())
    assert (opened["board"]["name"], opened["board"]["title"], opened["rules"]) == ("mine", "Dominoes", [])
    assert studio.ask("count", puzzle=puzzle())["counts"]["all"] == 3


def test_what_is_wrong_is_said_as_the_commands_say_it_without_a_file(studio):
    assert studio.refused("open", puzzle=puzzle(grdi="square")) == ["unknown key 'grdi'; did you mean 'grid'?"]
    wrong = studio.refused("open", puzzle=puzzle(form={"box": [3, 2], "fixed": ["E.1@1.1"]}, tiles={"D.": {"picture": "##"}}))
    assert any("a tile's name cannot have a blank" in sentence for sentence in wrong)
    assert studio.refused("open", name="somma") == ["no puzzle is called 'somma'; did you mean 'soma'?"]
    assert studio.refused("open", puzzle={"name": "x" * 101, "table": {}}) == ["puzzle.name: expected a string of 100 characters at most"]
    assert studio.refused("position", puzzle=puzzle(), position=["D.1@9.9"])
    assert studio.refused("position", puzzle=puzzle(), position="D.1@1.1") == ["position: expected a list of the names of placements"]


def test_rules_on_solutions_are_named_where_one_plays_and_draws(studio):
    """The page once showed the number of ways without the rules."""
    said = ["only solutions without crossroads (points where four tiles meet)"]
    assert studio.ask("open", puzzle=puzzle(solutions={"no_crossroads": True}))["rules"] == said
    (area,) = [what["area"] for kind, what in studio.events("count", puzzle=puzzle(solutions={"no_crossroads": True})) if "area" in what]
    assert area["rules"] == said


@pytest.mark.full
def test_tiles_without_a_face_set_no_area(studio):
    """Any number of copies of a loose slot once counted as faces without limit."""
    tiles = {"A": {"atoms": [[1, 1, "f"]], "copies": 2}, "B": {"atoms": [[1, 1, "bl"]], "copies": "any"}}
    assert studio.ask("grids", read={"grid": "square-slots", "flips": True, "tiles": tiles})["area"] == [2, 2]


@pytest.mark.full
def test_a_puzzle_whose_placements_are_listed_is_played_and_not_painted(studio):
    opened = studio.ask("open", name="queens-6")
    assert len(opened["board"]["placements"]["name"]) == len(opened["board"]["tiles"][0]["orientations"]) == 36
    assert not studio.ask("position", puzzle={"name": "queens-6"}, position=["Q.4@3.0"]).get("wrong")
    table = puzzle(tiles={"D": {"placements": [[[1, 1], [3, 1]]]}})["table"]
    said = studio.ask("grids", read=table)
    assert said["wrong"] == ["tiles.D: you can change its placements only in the file, where they are listed"]
    assert len(said["form"]["atoms"]) == 6


@pytest.fixture
def secret(tmp_path):
    """Files of the user, each of which could be a model, grid or instance of a puzzle."""
    folder = Path(__file__).parents[2] / "models"
    (tmp_path / "secret.toml").write_text((folder / "pentominoes.toml").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "grid.toml").write_text((folder / "grids" / "square.toml").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "puzzle.toml").write_text('title = "Secret"\nmodel = "secret"\n[form]\nbox = [6, 10]\n', encoding="utf-8")
    return tmp_path


def ways_to(path):
    """Return names of a file: outright, and relative to each folder in which the program looks for models and grids."""
    stem = path.with_suffix("").as_posix()
    return [stem, path.as_posix(), *(os.path.relpath(stem, start) for start in (Path.cwd(), "/tmp", Path(puzzlesat.__file__).parent))]


@pytest.mark.full
def test_a_puzzle_of_the_page_names_models_and_grids_of_the_package_alone(studio, secret):
    assert puzzlesat.load(secret / "puzzle.toml").puzzle.tiles  # allowed in a file
    form = {"box": [6, 10]}
    for name in (*ways_to(secret / "secret.toml"), "/etc/passwd", "../pentominoes", "grids/square", "..", "", "\0"):
        said = studio.refused("open", puzzle={"name": "x", "table": {"title": "x", "model": name, "form": form}})
        assert (said[0].startswith("model: there is no model '"), " in the package" in said[0]) == (True, True), name
    for name in (*ways_to(secret / "grid.toml"), "/etc/passwd", "../grids/square"):
        (said,) = studio.refused("open", puzzle=puzzle(grid=name))
        assert (said.startswith("grid: there is no grid '"), " in the package" in said) == (True, True), name
    for name in (*ways_to(secret / "puzzle.toml"), "/etc/passwd", "."):
        (said,) = studio.refused("open", name=name)
        assert said.startswith("no puzzle is called")
        assert studio.refused("position", puzzle={"name": name[:100]})


def test_nor_does_a_file_that_is_chosen_in_the_page(studio, secret):
    for name in ways_to(secret / "secret.toml"):
        text = f'title = "x"\nmodel = {json.dumps(name)}\n[form]\nbox = [6, 10]\n'
        assert "in the package" in studio.refused("open", file=text, filename="x.toml")[0]
    for name in ways_to(secret / "grid.toml"):
        header = {
            "format": "puzzlesat puzzles",
            "version": 1,
            "models": {"m": {"grid": name, "flips": True, "tiles": {"D": {"picture": "##"}}}},
        }
        lines = json.dumps(header) + "\n" + json.dumps({"name": "a", "model": "m", "form": {"box": [1, 2]}}) + "\n"
        assert "in the package" in studio.refused("open", file=lines, filename="x.jsonl")[0]


def test_the_server_alone_says_which_file_was_named(studio, secret):
    """The server ignores a file that a question names."""
    (said,) = studio.refused("open", name="puzzle.toml", named=str(secret / "puzzle.toml"))
    assert said == "no puzzle is called 'puzzle.toml'; the library shows all"
    assert studio.refused("position", puzzle={"name": "puzzle.toml"}, named=str(secret / "puzzle.toml"))


@pytest.mark.full
def test_files_are_opened(studio):
    text = (Path(__file__).parents[2] / "instances" / "soma" / "soma.toml").read_text(encoding="utf-8")
    opened = studio.ask("open", file=text, filename="C:\\puzzles\\My cube.toml")
    assert opened["puzzles"] == [{"name": "My cube", "title": "The Soma cube"}]
    lines = '{"format": "puzzlesat puzzles", "version": 1}\n' + "".join(
        json.dumps({"name": name, "model": "pentominoes", "form": {"box": box}}) + "\n" for name, box in (("a", [6, 10]), ("b", [5, 12]))
    )
    several = studio.ask("open", file=lines, filename="x.jsonl")
    assert ([one["name"] for one in several["puzzles"]], several["puzzle"]) == (["a", "b"], None)
    assert studio.ask("open", file=lines, filename="x.jsonl", problem="b")["puzzle"]["table"]["form"] == {"box": [5, 12]}
    (said,) = studio.refused("open", file="title = ", filename="mine.toml")
    assert said.startswith("mine.toml: not a TOML file")
    (said,) = studio.refused("open", file="p cnf 1 1\n1 0\n", filename="mine.cnf")
    assert said.startswith("mine.cnf: this is a cover problem")


def test_a_position_that_can_be_finished(studio):
    asked = {"puzzle": {"name": "octogram"}, "position": ["F.3@4.1", "I.1@1.8"]}
    events = [event for event in studio.events("position", **asked) if event[0] != "told"]
    assert [kind for kind, _ in events] == ["found", "done"]
    found, last = (what for _, what in events)
    assert (found["completions"], found["exact"], found["dead"]) == (104, True, [])
    assert (last["take_back"], last["first_wrong"]) == ([], None)
    assert last["words"][-1] == "It can be finished in 104 ways."


def test_atoms_that_nothing_covers_are_numbered_as_on_the_board(studio):
    mine = puzzle(form={"box": [3, 2]}, tiles={"D": {"picture": "##"}, "S": {"picture": "##\n##"}})
    found = studio.found("position", puzzle=mine, position=["D.1@2.1"])
    board = studio.ask("open", puzzle=mine)["board"]
    assert found["dead"]
    for dead in found["dead"]:
        assert board["atoms"][dead["number"]]["name"] == dead["atom"]
        assert dead["reason"] == f"nothing that is left covers {dead['atom']}"


def test_a_hint(studio):
    hint = studio.ask("hint", puzzle={"name": "domino-and-square-3x2"}, position=[])
    assert hint["placement"] in ("I2.2@3.1", "O4.1@1.1", "I2.2@1.1", "O4.1@2.1")
    assert hint["shared"] == 1
    assert hint["listed"] == 2
    board = studio.ask("open", name="domino-and-square-3x2")["board"]
    assert [board["atoms"][i]["name"] for i in hint["numbers"]] == hint["atoms"]
    number = board["placements"]["name"].index(hint["placement"])
    assert sorted(board["placements"]["atoms"][number]) == sorted(hint["numbers"])
    finished = studio.ask("hint", puzzle={"name": "domino-and-square-3x2"}, position=["I2.2@3.1", "O4.1@1.1"])
    assert (finished["placement"], finished["finished"]) == (None, True)


@pytest.mark.full
def test_a_count_comes_step_by_step(studio):
    events = studio.events("count", puzzle={"name": "absolut-knifflig"})
    found = [what for kind, what in events if kind == "found"]
    order = [key for what in found for key in ("area", "solution", "counts", "confirmed") if key in what]
    assert order[:3] == ["area", "solution", "counts"]
    assert "confirmed" in order
    first = next(what for what in found if "counts" in what)
    assert (first["counts"]["all"], first["counts"]["distinct"], first["complete"]) == (148, 37, True)
    assert "confirmed" not in first
    kind, last = events[-1]
    assert (kind, last["counts"]["all"], last["counts"]["distinct"], last["agree"]) == ("done", 148, 37, True)
    given = next(what["solution"] for what in found if "solution" in what)
    assert list(puzzlesat.solve("absolut-knifflig", given=given))


@pytest.mark.full
def test_what_is_said_of_the_area_at_once(studio):
    area = studio.found("count", puzzle=puzzle(form={"box": [3, 3]}))["area"]
    assert (area["form"], area["tiles"]) == ({"required": 9, "optional": 0}, {"low": 6, "high": 6})
    assert area["facts"][0] == {"text": "area: the form has 9 squares, the tiles 6; so it has no solution", "impossible": True}
    odd = puzzle(tiles={"D": {"picture": "##"}, "E": {"picture": "#\n#"}, "P": {"picture": "# #"}})
    area = studio.found("count", puzzle=odd)["area"]
    assert area["equal"] == [["D", "E"]]
    assert any("parts" in remark for remark in area["remarks"])


@pytest.mark.full
def test_none_and_why(studio):
    why = studio.ask("prove", puzzle={"name": "mutilated-chessboard"})
    assert (why["solvable"], why["argument"]) == (False, "colouring")
    assert why["sentences"][-1] == "Together the tiles weigh 31, never 30; so there is no solution."
    assert why["picture"].startswith("<svg")
    assert len(why["weights"]) == 62
    some = studio.ask("prove", puzzle=puzzle())
    assert (some["solvable"], some["argument"], len(some["solution"])) == (True, None, 3)


@pytest.mark.full
def test_a_certificate_to_keep(studio, tmp_path):
    kept = studio.ask("certificate", puzzle={"name": "absolut-knifflig"})
    assert kept["filename"] == "absolut-knifflig.proof"
    assert kept["counts"]["distinct"] == 37
    path = tmp_path / kept["filename"]
    path.write_bytes(b64decode(kept["file"]))
    verified = check_certificate(path)
    assert [*verified.checked, *verified.unproved] == kept["words"]["checked"]
    assert verified.counts.all == 148


@pytest.mark.full
@every("name", ["soma", "absolut-knifflig", "tritetratan"])
def test_what_is_exported_is_opened_again(studio, name):
    file = studio.ask("export", puzzle={"name": name}, format="toml")
    assert file["filename"] == f"{name}.toml"
    again = studio.ask("open", file=b64decode(file["base64"]).decode(), filename=file["filename"])
    assert again["puzzle"]["table"] == studio.ask("open", name=name)["puzzle"]["table"]


@pytest.mark.full
def test_what_is_exported_for_burrtools_is_opened_again(studio):
    file = studio.ask("export", puzzle={"name": "soma"}, format="xmpuzzle")
    packed = b64encode(gzip.compress(b64decode(file["base64"]))).decode()
    for data in (file["base64"], packed):  # BurrTools packs its files
        again = studio.ask("open", file=data, base64=True, filename=file["filename"])
        assert len(again["board"]["placements"]["name"]) == 688
    said = studio.refused("export", puzzle={"name": "absolut-knifflig"}, format="xmpuzzle")
    assert said == ["BurrTools has no grid 'square-marks'; it has square, triangle, cube, prisms, balls, rhombic-tetrahedra, tetra-octa"]


def test_positions_as_text_and_pictures(studio):
    asked = {"puzzle": puzzle(name="../<b>x"), "position": ["D.1@1.1"]}
    text = studio.ask("export", **asked, format="text")
    assert text["filename"] == "b-x.txt"
    assert b64decode(text["base64"]).decode().split() == ["···", "DD·"]
    drawn = b64decode(studio.ask("export", **asked, format="svg")["base64"]).decode()
    assert drawn.startswith("<svg")
    assert "<b>" not in drawn
    assert b64decode(studio.ask("export", **asked, format="png")["base64"]).startswith(b"\x89PNG")
    assert studio.refused("export", **asked, format="exe")[0].startswith("format: there is no format 'exe'")


@pytest.mark.full
def test_one_cell_less(studio):
    mine = puzzle(form={"box": [3, 3]}, tiles={"D": {"picture": "##", "copies": 4}})
    events = studio.events("candidates", puzzle=mine, variant={"remove": 1})
    rows = [what["row"] for kind, what in events if kind == "found" and "row" in what]
    found = {row["verdict"]: row for row in rows}
    assert len(rows) == 3  # a corner, an edge, the middle
    assert {row["verdict"] for row in rows} == {"solvable", "impossible"}
    assert sorted(row["all"] for row in rows if row["verdict"] == "solvable") == [2, 4]
    assert found["impossible"]["sentences"]
    for row in rows:
        assert row["svg"].startswith("<svg")
        if row["all"] is not None:
            assert studio.ask("count", puzzle=row["puzzle"])["counts"]["all"] == row["all"]
            assert row["difficulty"] in range(1, 6)
    assert events[-1] == ("done", {"forms": 3, "tried": 3})


@pytest.mark.full
def test_a_cell_more_or_elsewhere(studio):
    def forms(of, variant):
        return [what["row"] for kind, what in studio.events("candidates", puzzle=of, variant=variant) if kind == "found" and "row" in what]

    mine = puzzle(form={"box": [3, 1]}, tiles={"D": {"picture": "##", "copies": 2}})
    assert studio.ask("open", puzzle=mine)["area"] == {"form": {"required": 3, "optional": 0}, "tiles": {"low": 4, "high": 4}}
    more = forms(mine, {"add": 1})
    assert sorted(row["all"] or 0 for row in more) == [0, 1, 1]  # T, I and L
    assert len(forms(mine, {"add": 2})) == 11  # all pentominoes except W have three cells in a row
    moved = forms(puzzle(form={"box": [2, 2]}, tiles={"D": {"picture": "##", "copies": 2}}), {"move": True})
    assert sorted((row["distinct"] or 0, row["symmetry"]) for row in moved) == [(0, 2), (1, 1), (1, 2)]  # T, L and S, but not the square


@pytest.mark.full
def test_forms_for_the_tiles(studio):
    events = studio.events("candidates", puzzle={"name": "domino-and-square-3x2"}, variant={"boxes": True, "area": "6"})
    rows = [what["row"] for kind, what in events if kind == "found" and "row" in what]
    assert {row["name"]: row["all"] for row in rows} == {"2x3": 2, "1x6": None}
    for variant, said in (
        (None, "variant: expected an object"),
        ({"remove": 0}, "variant.remove: expected a whole number from 1 to 5, for the form has 6 cells"),
        ({"add": 4}, "variant.add: expected a whole number from 1 to 3, for the form has 6 cells"),
        ({"move": 2}, "variant.move: expected true"),
        ({"remov": 1}, "variant: unknown key 'remov'"),
        ({"cut": ["/etc/passwd"]}, "--cut /etc/passwd: expected a form such as 8x8"),
        ({}, "no forms to try"),
    ):
        assert studio.refused("candidates", puzzle={"name": "domino-and-square-3x2"}, variant=variant)[0].startswith(said)


@pytest.mark.full
@every("name", ["dominoes-4x4", "tetrasticks-6x6"])
def test_forms_are_tried_without_what_the_page_cannot_say(studio, name):
    """The tiles do not set the size of the forms, or there are no convex forms; in these cases the command requires options."""
    wished = {"boxes": True, "frames": True, "shapes": True, "convex": True}
    assert studio.ask("candidates", puzzle={"name": name}, variant=wished, list=True)["forms"] > 5


@pytest.mark.full
def test_challenges_with_stars(studio):
    asked = {"puzzle": {"name": "soma"}, "number": 3, "seed": 3}
    events = studio.events("challenge", **asked)
    made = [what for kind, what in events if kind == "found"]
    last = events[-1][1]
    without = [{key: value for key, value in one.items() if key != "said"} for one in made]
    assert sorted(map(str, without)) == sorted(map(str, last["challenges"]))
    for one in last["challenges"]:
        assert one["ways"] == 1
        assert studio.found("position", puzzle={"name": "soma"}, position=one["position"])["completions"] == 1
        stars = studio.ask("difficulty", puzzle={"name": "soma"}, position=one["position"])
        assert (stars["stars"], stars["branches"]) == (one["stars"], one["branches"])
    assert studio.ask("challenge", **asked)["challenges"] == last["challenges"]
    assert last["page"].startswith("<!DOCTYPE html>")
    assert studio.refused("challenge", **asked | {"number": 0}) == ["number: expected a whole number from 1 to 24"]


@pytest.mark.full
def test_the_library_has_all_puzzles(studio):
    puzzles = studio.ask("library")["puzzles"]
    assert sorted(one["name"] for one in puzzles) == sorted(file.stem for file in data_files("instances"))
    assert all({"name", "title", "group", "aliases", "grid"} <= set(one) for one in puzzles)
    assert {one["group"] for one in puzzles} == set(arrangement()["groups"])
    names = {name for file in data_files("instances") for name in (file.stem, file.parent.name, f"{file.parent.name}/{file.stem}")}
    assert {name for group in arrangement()["groups"].values() for name in group} | {*other_names().also, *other_names().like} <= names
    drawn = studio.ask("picture", name="soma")
    assert (drawn["svg"][:4], drawn["tiles"], drawn["atoms"]) == ("<svg", 7, 27)
    assert studio.refused("picture", name="../soma")[0].startswith("no puzzle is called '../soma'")
