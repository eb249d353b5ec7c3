"""``puzzlesat show``, ``list`` and ``validate``."""

import re

import pytest

from helpers import one_of_each_grid
from puzzlesat.base.package import data_files, data_folder
from tiers import every


def test_show(run, folder):
    found = run("show", "dominoes.toml", status=0)
    assert "Small  (dominoes, grid square: Squares)" in found.output
    assert "███\n███\n" in found.output
    assert "form: 6 atoms to cover" in found.output
    assert "area: the form has 6 squares, the tiles 6" in found.output
    assert "symmetries of the form that the rules allow: identity, turn 180, mirror 90, mirror 0" in found.output
    assert "placements: 7; after symmetry breaking (atom [2, 1]): 6; after reduction: 5" in found.output
    assert re.search(r"^D +3 +2 +7 +yes +all +██", found.output, re.M)


def test_show_the_published_figures_of_tritetratan(run):
    found = run("show", "tritetratan")
    assert "placements: 1,421; after symmetry breaking (tile K): 1,331; after reduction: 1,140" in found.output
    assert "rules allow: identity, turn 180, mirror 135, mirror 45\n" in found.output
    assert "chess parity: the form needs 0; the tiles reach 0\n" in found.output
    assert re.search(r"^X +1 +1 +\d+ +yes +all +◢◣$", re.sub(r" +$", "", found.output, flags=re.M), re.M)


def test_show_what_may_be_covered_and_what_is_impossible(run, folder):
    assert "so it has no solution" in run("show", "none.toml").output
    found = run("show", "weights.toml")
    assert "form: 10 atoms to cover, 2 that may be (░)" in found.output
    assert found.output.count("░") == 3
    assert re.search(r"^D +3–5 ", found.output, re.M)
    assert re.search(r"^D +0–any ", run("show", "limitless.toml").output, re.M)


def test_show_identical_tiles_and_marks(run, folder):
    text = run("show", "cards.toml").output
    above, card, below = re.search(r"^A .*?(cat-) *\n +(dot █ dot) *\n +(cat\+) *$", text, re.M).groups()
    lines = text.splitlines()
    (row,) = [i for i, line in enumerate(lines) if line.startswith("A ")]
    # marks are printed around the face
    assert lines[row].index(above) + 2 == lines[row + 1].index(card) + 4 == lines[row + 2].index(below) + 2
    assert "are identical" not in text
    identical = folder / "identical.toml"
    tiles = '\n[tiles.A]\npicture = "##"\n\n[tiles.B]\npicture = """\n#\n#\n"""\n'
    identical.write_text(f'title = "S"\ngrid = "square"\nflips = true\n{tiles}\n[form]\nbox = [2, 2]\n', encoding="utf-8")
    assert "tiles A, B are identical: counted as 2 copies of A" in run("show", identical).output


@every("name", one_of_each_grid(), fast=1)
def test_show_puzzles_of_every_grid(run, name):
    found = run("show", name, status=0)
    assert f"({name}, grid " in found.output
    assert "?" not in found.output.split("tile  ")[-1]


def test_list_gives_the_families(run):
    found = run("list", status=0)
    lines = found.output.splitlines()
    assert [line for line in lines if line != line.rstrip() or "…" in line] == []
    numbers = dict(re.findall(r"^(\S+) +(\d+)  \S", found.output, re.M))
    assert numbers == {folder.name: str(len(sorted(folder.rglob("*.toml")))) for folder in data_folder("instances").iterdir()}
    assert lines[0].startswith(f"{sum(map(int, numbers.values()))} puzzles in {len(numbers)} families.")
    cubes = lines.index("Cubes  (grid cube)")
    assert lines[lines.index("Squares  (grid square)") + 1].startswith("dominoes ")
    assert cubes < next(i for i, line in enumerate(lines) if re.fullmatch(r"soma +11  The seven pieces of the Soma cube", line))
    named = re.search("some to begin with: (.*)", found.output)[1].split(", ")
    assert set(named) <= {f.stem for f in data_files("instances")}


@pytest.mark.full
def test_list_nothing(run):
    found = run("list", "zebra")
    assert (found.status, found.stdout) == (2, "")
    assert "no puzzle matches 'zebra'; the nearest names are '" in found.output
    assert "no puzzle matches '!'; type a part of a name" in run("list", "!").output
    assert run("list", "xyz").status == 2
    assert re.search(r"nearest names are .*'soma", run("list", "no-soma-here").output)
    assert run("list", "soma", "cube").output == run("list", "soma cube").output


CALLED = [("SmartGames", "iq-puzzler-pro"), ("soma cube", "soma"), ("Soma-Würfel", "soma"), ("verruckte legespiel", "legespiel")]
MISTYPED = [("kanodle", "kanoodle", "kanoodle"), ("lompos", "kanoodle", "Lonpos"), ("tetriscube", "tetris-cube", "tetris-cube")]
ALIKE = [("Ubongo", "polyominoes"), ("schildkroete", "legespiel")]
FOUND = [(word, family, "") for word, family in CALLED]
FOUND += [(word, family, f"puzzlesat: no puzzle matches '{word}'; showing '{meant}'") for word, family, meant in MISTYPED]
FOUND += [(word, family, "is not in the package; showing puzzles like it") for word, family in ALIKE]


@pytest.mark.slow
@every(("word", "family", "said"), FOUND)
def test_list_finds_puzzles_by_other_names_with_typing_errors_and_like_others(run, word, family, said):
    found = run("list", word, status=0)
    assert re.search(r"\(family ([\w-]+)\)", found.stdout.replace("\n", " "))[1] == family
    assert said in found.output
    assert bool(said) == (found.output != found.stdout)


@pytest.mark.full
def test_what_was_understood_is_no_part_of_the_json_and_a_name_is_shown_that_was_asked_for(run):
    assert "also: Lonpos, Lonpos 101\n" in run("list", "lonpos").stdout
    assert "also:" not in run("list", "kanoodle").stdout
    found = run("list", "kanodle", "--json")
    assert {entry["instance"] for entry in found.json if "instance" in entry} == {"kanoodle", "kanoodle-pyramid"}


def test_validate_good_files(run, folder):
    found = run("validate", "dominoes.toml", data_folder("models") / "soma.toml", data_folder("grids") / "tans.toml", status=0)
    assert "dominoes.toml: ok\n    area: the form has 6 squares, the tiles 6" in found.output
    assert "soma.toml: ok\n    model of 7 tiles on grid 'cube'; it has no form, so it cannot be counted\n" in found.output
    assert "tans.toml: ok\n    grid of 4 atoms a cell, 8 symmetries" in found.output


STUDY = 'name = "Some"\n[[puzzles]]\nfrom = ["soma", "tetrominoes/*"]\n[[steps]]\nfind = "count"\nseconds = 10\n'


def test_validate_as_json(run, folder):
    (folder / "wrong.toml").write_text('titel = "x"\n', encoding="utf-8")
    good, wrong = run("validate", "dominoes.toml", "wrong.toml", "--json", status=2).json
    assert (good["ok"], good["complete"], good["findings"], wrong["ok"], wrong["facts"]) == (True, True, [], False, [])
    assert good["facts"][0] == {"fact": "area: the form has 6 squares, the tiles 6", "impossible": False}
    assert ("titel", "error") in {(found["key"], found["severity"]) for found in wrong["findings"]}


def test_a_file_with_the_name_of_a_puzzle_of_the_package_is_mentioned(run, folder):
    (folder / "soma.toml").write_text((folder / "dominoes.toml").read_text(encoding="utf-8"), encoding="utf-8")
    assert "'soma' is the puzzle of the package; for the file write soma.toml" in run("show", "soma", status=0).output
    assert "warning" not in run("show", "soma.toml", status=0).output


@every(
    "text, said",
    [
        ('tiles = { A = { picture = "11\\n10", copies = "any" } }', "tiles.A: picture: 0 draws a cell, like 1; write '.'"),
        ('tiles = { A = { picture = "#" } }\nform.colours = { red = [[1, 1]] }', "form.colours changes nothing: no table [colours]"),
        ('tiles = { A = { picture = "rb" } }\ncolours = { red = ["red"] }', "the letters b, r draw the same cells, without colours"),
        ('tiles = { A = { picture = "ab" } }', None),
    ],
)
def test_what_in_a_picture_is_perhaps_meant_otherwise_is_said(run, tmp_path, text, said):
    file = tmp_path / "p.toml"
    file.write_text(f'title = "T"\ngrid = "square"\nflips = true\nform.box = [3, 2]\n{text}\n', encoding="utf-8")
    output = run("validate", file, status=0).output
    assert ("warning" in output) == (said is not None)
    assert said is None or said in output


@pytest.mark.full
def test_cards_without_a_solution_hint_at_the_order_of_their_sides(run, tmp_path):
    table = 'title = "T"\ngrid = "square-marks"\nflips = false\nform = { box = [2, 1] }\nmarks.m.kind = "lonely"\n'
    (tmp_path / "c.toml").write_text(f'{table}tiles = {{ A = {{ around = ["m", "m", "m", "m"], copies = 2 }} }}\n', encoding="utf-8")
    for command in ("prove", "count"):
        assert "look at the order of the sides in around: top, right, bottom, left" in run(command, tmp_path / "c.toml", status=0).output


def test_validate_a_study(run, folder):
    (folder / "s.toml").write_text(STUDY, encoding="utf-8")
    assert re.search(r"s\.toml: ok\n +study of \d+ puzzles: count\n", run("validate", "s.toml", status=0).output)
    (folder / "s.toml").write_text(STUDY.replace("seconds", "second").replace("soma", "somma"), encoding="utf-8")
    assert "second" in run("validate", "s.toml", status=2).output
    assert "is a study, not a puzzle; run it with 'puzzlesat run s.toml'" in run("count", "s.toml", status=2).output
