"""``puzzlesat convert``: every conversion between two formats, and what is refused."""

import json
import sys

import pytest
from pysat.formula import CNF
from pysat.solvers import Minisat22

import puzzlesat
from puzzlesat.base.package import data_folder
from puzzlesat.formats.legespiel import ROOT
from tiers import every

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CARDS = f"""<?xml version="1.0" encoding="UTF-8"?>
<{ROOT} xmlns="http://whatsoftwarecando.org"><name>Two cards</name><numberOfRows>1</numberOfRows><numberOfColumns>2</numberOfColumns>
<pictures><picture id="1" name="cat head" matchWithIds="2"/><picture id="2" name="cat tail" matchWithIds="1"/></pictures>
<cards><card north="1" west="1" east="1" south="1"/><card north="1" west="1" east="1" south="2"/></cards></{ROOT}>
"""
TOY = "| a toy\na b c | x\na b x:1\nb c\na x:1\nc x:2\nc x:1\n"
QUEENS = "\n".join(
    [
        " ".join([*(f"{k}{i}" for k in "rc" for i in range(6)), "|", *(f"{k}{i}" for k in "ab" for i in range(11))]),
        *(f"r{i} c{j} a{i + j} b{i - j + 5}" for i in range(6) for j in range(6)),
    ]
)
EVERYTHING = """title = "Everything"
source = "nobody"
grid = "square"
flips = true
mirrored = "different"
break_on = "I"
tiles.D = { picture = "##", copies = [1, 3] }
tiles.I.picture = "###"
form = { box = [3, 3], optional = [[2, 2], [3, 3]], fixed = ["I.1@1.1"] }
split = { name = "open", uncovered = "face" }
expect = { all = 5, published = "a number" }
"""


@pytest.fixture
def files(folder):
    for name, text in {"cards.xml": CARDS, "toy.xcc": TOY, "queens.dlx": QUEENS, "everything.toml": EVERYTHING}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def convert(run, files):
    def go(source, target, *options, status=0):
        found = run("convert", source, target, *options, status=status)
        return (files / target).read_text(encoding="utf-8") if (files / target).is_file() else found.output

    return go


def count(run, name):
    found = run("count", name, "--json", "--solver", "sat" if name.endswith("cnf") else "backtrack", status=0)
    (report,) = found.json
    assert report["agree"] in (True, None)
    return report["found"]


def test_cards_as_an_instance(run, convert):
    text = convert("cards.xml", "two.toml")
    assert text.startswith("# cat+ is the picture 'cat head'\n")
    assert tomllib.loads(text)["tiles"]["card2"] == {"around": ["cat+", "cat+", "cat-", "cat+"]}
    assert count(run, "two.toml") == 2
    assert len(convert("cards.xml", "two.jsonl").splitlines()) == 2
    convert("cards.xml", "out")  # in a folder the puzzle's name is the file name
    assert puzzlesat.load("out/cards.toml").title == "Two cards"


@every(
    "name",
    ["tritetratan", "octogram", "bits-and-bytes-holes", "tritrigs-spiked-triangle", "hexiamonds-coin", "soma", "geduld"],
    fast=("tritetratan", "soma"),
)
def test_an_instance_with_its_model_in_one_file(convert, name):
    known = puzzlesat.load(name)
    table = tomllib.loads(convert(name, "folded.toml"))
    assert "model" not in table
    again = puzzlesat.load("folded.toml")
    assert again.puzzle == known.puzzle
    assert {**vars(again), "path": known.path, "name": name, "puzzle": known.puzzle, "file": known.file, "written": known.written} == vars(
        known
    )


@pytest.mark.full
@every(("name", "known"), [("toy.xcc", 2), ("queens.dlx", 4)])
def test_cover_problems_among_each_other(run, convert, name, known):
    assert count(run, name) == known
    for first in ("opb", "cnf", "xcc"):
        convert(name, f"a.{first}")
        assert count(run, f"a.{first}") == known
        for second in ("opb", "cnf", "dlx"):
            if (first, second) != ("cnf", "dlx") or name == "queens.dlx":
                convert(f"a.{first}", f"b.{second}")
                assert count(run, f"b.{second}") == known


@pytest.mark.full
def test_solutions_there_and_back(run, convert, folder):
    lines = convert("dominoes.toml", "all.jsonl")
    assert lines == run("solve", "dominoes.toml", "--all", "--json").stdout
    text = convert("all.jsonl", "all.txt", "--instance", "dominoes.toml")
    assert text.startswith("instance dominoes\n# Small\n\nsolution 1\nD.1@1.1  C0\n")
    assert convert("all.txt", "again.jsonl", "--instance", "dominoes.toml") == lines
    assert convert("dominoes.toml", "direct.txt") == text
    assert len(convert("all.txt", "some.jsonl", "--instance", "dominoes.toml", "--distinct").splitlines()) == 2
    assert len(convert("dominoes.toml", "some.jsonl", "--distinct").splitlines()) == 2


def test_what_is_no_solution(run, convert, files):
    lines = convert("dominoes.toml", "all.jsonl").splitlines()
    record = json.loads(lines[1])
    record["placements"].pop()
    (files / "bad.jsonl").write_text("\n".join([lines[0], json.dumps(record)]), encoding="utf-8")
    found = run("convert", "bad.jsonl", "bad.txt", "--instance", "dominoes.toml", status=1)
    assert "solution 2: an atom of the form stays uncovered" in found.output
    assert "1 of 2 solutions is wrong; nothing is written" in found.output
    assert not (files / "bad.txt").exists()


def test_a_file_of_solutions_without_an_instance(run, files):
    (files / "a.txt").write_text("D.1@1.1\n", encoding="utf-8")
    assert "it does not name its puzzle; give it with --instance NAME" in run("convert", "a.txt", "a.jsonl").output
    (files / "a.txt").write_text("instance dominos\nD.1@1.1\n", encoding="utf-8")
    found = " ".join(run("convert", "a.txt", "a.jsonl").output.split())
    assert "there is no instance 'dominos'" in found
    assert "give the file with --instance FILE" in found


@pytest.mark.full
@every("reduced", [False, True], fast=1)
def test_the_answer_of_another_solver(run, convert, files, reduced):
    """A formula written here is solved by a program that knows nothing of puzzlesat; its answer is read as a solution."""
    extra = ("--symmetry", "--reduction", "--map", "map.json") if reduced else ()
    run("compile", "cards.toml", "-o", "cards.cnf", *extra)
    with Minisat22(bootstrap_with=CNF(from_file="cards.cnf").clauses) as solver:
        models = list(solver.enum_models())
    answer = "".join("s SATISFIABLE\nv " + " ".join(map(str, model)) + " 0\n" for model in models)
    (files / "model.out").write_text(f"c some solver\n{answer}", encoding="utf-8")
    options = ("--map", "map.json") if reduced else ()
    found = {
        frozenset(p["name"] for p in json.loads(line)["placements"])
        for line in convert("model.out", "a.jsonl", "--instance", "cards.toml", *options).splitlines()
    }
    known = {frozenset(p["name"] for p in s["placements"]) for s in run("solve", "cards.toml", "--all", "--json").json}
    assert found <= known
    assert len(found) == len(models)
    assert reduced or found == known


@pytest.mark.full
def test_a_grid_of_its_own_is_folded_in(run, files):
    grid = files / "my-squares.toml"
    grid.write_text((data_folder("grids") / "square.toml").read_text(encoding="utf-8"), encoding="utf-8")
    (files / "own.toml").write_text((files / "dominoes.toml").read_text().replace('"square"', '"my-squares"'), encoding="utf-8")
    assert run("convert", "own.toml", "own.cnf").status == 0
    assert run("convert", "own.toml", "sent.toml").status == 0
    before = puzzlesat.load("own.toml").puzzle
    grid.unlink()
    again = puzzlesat.load("sent.toml").puzzle
    assert (again.grid.name, again.grid.atoms, again.grid.shapes) == ("my-squares", before.grid.atoms, before.grid.shapes)
    assert (again.form, again.tiles) == (before.form, before.tiles)
    assert run("count", "sent.toml").status == 0
    assert run("convert", "sent.toml", "again.toml").status == 0
    assert (files / "again.toml").read_text() == (files / "sent.toml").read_text()
