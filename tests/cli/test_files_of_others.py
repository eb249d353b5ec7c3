"""Every command for puzzles accepts files of other programs; for a cover problem it names the commands that accept it."""

import json

import pytest

import puzzlesat
from puzzlesat.formats.burrtools import read_xmpuzzle
from puzzlesat.formats.legespiel import read_legespiel
from puzzlesat.solvers.registry import listing
from tiers import every

SHAPES = (
    '<voxel x="2" y="1" z="1" type="0" name="D">##</voxel><voxel x="2" y="2" z="1" type="0">####</voxel>'
    '<voxel x="2" y="3" z="1" type="0">######</voxel>'
)
SQUARE = '<problem name="square" state="2" assemblies="1"><shapes><shape id="0" count="2"/></shapes><result id="1"/></problem>'
LONG = '<problem state="2" assemblies="2"><shapes><shape id="0" count="3"/></shapes><result id="2"/></problem>'
CARDS = (
    "<legespielConfiguration><name>Cards</name><numberOfRows>1</numberOfRows><numberOfColumns>2</numberOfColumns><pictures>"
    '<picture id="1" name="cat head" matchWithIds="2"/><picture id="2" name="cat tail" matchWithIds="1"/>'
    '<picture id="3" name="dog" matchWithIds=""/></pictures><cards><card north="3" east="1" south="3" west="3"/>'
    '<card north="2" east="3" south="3" west="3"/></cards></legespielConfiguration>'
)
LINES = """
{"format": "puzzlesat puzzles", "version": 1, "models": {"d": {"grid": "square", "flips": true, "tiles": {"D": {"picture": "##", "copies": 2}}}}}
{"name": "square", "model": "d", "form": {"box": [2, 2]}, "expect": {"all": 2}}
{"name": "long", "model": "d", "tiles": {"D": {"copies": 3}}, "form": {"box": [3, 2]}, "expect": {"all": 3}}
"""  # noqa: E501
COVERS = {"cover.xcc": "a b c\na\nb c\na b\nc\n", "cover.opb": "+1 x1 +1 x2 = 1 ;\n", "cover.cnf": "p cnf 2 2\n1 2 0\n-1 -2 0\n"}


def xmpuzzle(*problems):
    return f'<puzzle version="2"><gridType type="0"/><shapes>{SHAPES}</shapes><problems>{"".join(problems)}</problems></puzzle>'


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The current folder, with one file of each kind."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "one.xmpuzzle": xmpuzzle(SQUARE),
        "two.xmpuzzle": xmpuzzle(SQUARE, LONG),
        "cards.config.xml": CARDS,
        "two.jsonl": LINES,
        **COVERS,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


ONE = [
    ("solve",), ("show",), ("hint",), ("hint", "--blank"), ("prove",), ("certify", "-o", "out.proof"), ("report", "-o", "out.html"),
    ("challenge", "-n", "1", "--seed", "1"), ("compile",), ("verify", "given.proof", "--instance"),
]  # fmt: skip
"""Commands that mean one puzzle, without its name."""


@pytest.mark.full
@every("command", ONE, fast=2)
@every(
    ("name", "options"),
    [("one.xmpuzzle", ()), ("two.xmpuzzle", ("--problem", "1")), ("cards.config.xml", ()), ("two.jsonl", ("--problem", "square"))],
    fast=2,
)
def test_commands_for_one_puzzle(run, files, command, name, options):
    if command[0] == "verify":
        assert run("certify", name, "-o", "given.proof", *options).status == 0
    run(*command, name, *options, status=0)


@every("command", ONE, fast=3)
def test_several_problems_are_chosen_by_number(run, refuses, files, command):
    if command[0] == "verify":
        run("certify", "one.xmpuzzle", "-o", "given.proof")
    refuses("two.xmpuzzle: holds 2 problems (1 two-square, 2 two-2); choose one with --problem N", *command, "two.xmpuzzle")
    refuses("choose one with --problem N, or give a folder", "convert", "two.xmpuzzle", "two.toml")
    refuses("there is no problem 3; it holds 2", *command, "two.xmpuzzle", "--problem", "3")
    refuses("there is no problem 'two-sqare'; did you mean 'two-square'?", *command, "two.xmpuzzle", "--problem", "two-sqare")


@pytest.mark.full
def test_the_number_means_the_same_everywhere(run, files):
    counted = [report["counts"]["all"] for report in run("count", "two.xmpuzzle", "--json").json]
    assert counted == [run("count", "two.xmpuzzle", "--problem", n, "--json").json[0]["counts"]["all"] for n in (1, 2)]
    assert counted == [len(run("solve", "two.xmpuzzle", "--problem", n, "--all", "--json").json) for n in (1, 2)]
    assert counted == [puzzlesat.count(puzzlesat.load("two.xmpuzzle", n), solver="backtrack").counts.all for n in (1, 2)]
    assert counted == [puzzlesat.count(puzzlesat.load("two.jsonl", name), solver="backtrack").counts.all for name in ("square", "long")]
    assert counted == [2, 3]
    assert [len(list(puzzlesat.solve(files / "one.xmpuzzle")))] == counted[:1]


def test_validate_says_of_each_problem_what_it_is(run, files):
    found = run("validate", "two.xmpuzzle", "cards.config.xml", status=0)
    assert "two.xmpuzzle: ok\n" in found.output and "two-square: area" in found.output and "two-2: area" in found.output
    (files / "bad.xml").write_text("<a>", encoding="utf-8")
    bad = run("validate", "bad.xml")
    assert (bad.status, bad.output.startswith("bad.xml: no XML")) == (2, True)


@pytest.mark.full
def test_forms_take_tiles_and_forms_of_others(run, files):
    found = run("forms", "one.xmpuzzle", "two.xmpuzzle", "--some", "--json")
    assert (found.status, [record["form"] for record in found.json]) == (0, ["two-square", "two-2"])
    assert [record["verdict"] for record in found.json] == ["solvable", "impossible"]  # two dominoes cannot fill six cells
    assert "holds 2 problems" in run("forms", "two.xmpuzzle", "--boxes").output
    assert run("forms", "two.xmpuzzle", "--problem", "2", "--boxes", "--json").json[0]["area"] == 6


@every("name", COVERS, fast=1)
def test_cover_problems_are_solved(run, files, name):
    (report,) = run("count", name, "--solver", "backtrack,sat", "--json").json
    for solver in listing():
        found = run("solve", name, "--all", "--json", "--solver", solver, status=0)
        assert [record["number"] for record in found.json] == [1, 2]
        assert len({tuple(record["options"]) for record in found.json}) == report["found"] == 2


@every("command", [c for c in ONE if c[0] not in ("solve", "verify")] + [("forms", "--boxes")], fast=4)
@every("name", COVERS)
def test_commands_that_need_a_puzzle_say_which_do_not(refuses, files, command, name):
    said = "is a cover problem, without a form and tiles: 'puzzlesat count' counts its solutions, 'puzzlesat solve' lists them"
    assert len(refuses(said, *command, name).output.splitlines()) == 1


@pytest.mark.full
def test_figures_in_files_of_others_are_checked(run, files):
    assert [line.split()[:2] for line in run("check", "one.xmpuzzle", "two.xmpuzzle", "--budget", "5", status=0).output.splitlines()] == [
        ["ok", "one"], ["ok", "two-square"], ["ok", "two-2"],
    ]  # fmt: skip
    (files / "wrong.xmpuzzle").write_text(xmpuzzle(SQUARE.replace('assemblies="1"', 'assemblies="7"')), encoding="utf-8")
    assert run("check", files, "--budget", "5").status == 1  # folders too


def test_names_made_of_files_do_not_collide(run, files):
    """A name with dots loses only its suffix; a numbered name never equals the name of another problem."""
    for name in ("lohe.key-trap", "lohe.other"):
        (files / f"{name}.xmpuzzle").write_text(xmpuzzle(SQUARE), encoding="utf-8")
        (files / f"{name}.config.xml").write_text(CARDS, encoding="utf-8")
        assert read_xmpuzzle(files / f"{name}.xmpuzzle")[0].name == name
        assert read_legespiel(files / f"{name}.config.xml")[0].name == name
        assert run("convert", f"{name}.xmpuzzle", "out").status == 0
    assert sorted(path.name for path in (files / "out").iterdir()) == ["lohe.key-trap.toml", "lohe.other.toml"]
    (files / "three.xmpuzzle").write_text(xmpuzzle(SQUARE.replace('"square"', '"2"'), LONG, LONG), encoding="utf-8")
    names = [one.name for one in read_xmpuzzle(files / "three.xmpuzzle")]
    assert len(set(names)) == 3
    assert run("convert", "three.xmpuzzle", "three").status == 0
    assert len(list((files / "three").iterdir())) == 3


def test_solutions_of_a_file_of_others(run, files):
    lines = run("solve", "two.xmpuzzle", "--problem", "2", "--all", "--json").stdout
    (files / "found.jsonl").write_text(lines, encoding="utf-8")
    assert json.loads(lines.splitlines()[0])["instance"] == "two-2"
    assert "give the file with --instance FILE" in run("convert", "found.jsonl", "found.txt").output
    found = run("convert", "found.jsonl", "found.txt", "--instance", "two.xmpuzzle", "--problem", "2")
    assert (found.status, "each checked against the geometry" in found.output) == (0, True)
