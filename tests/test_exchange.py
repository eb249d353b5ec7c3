"""compile, convert and validate from Python: they write and find what the commands of these names do."""

import json
import shutil

import pytest
from typer.testing import CliRunner

import puzzlesat
from puzzlesat.cli.main import app
from puzzlesat.exchange.converted import WrongSolutionsError
from tiers import every

SMALL = "domino-and-square-3x2"
FOUR = {"o1": ["a", "b"], "o2": ["c"], "o3": ["b", "c"], "o4": ["a"]}
BAD = 'titel = "x"\nmodel = "soma"\n[form]\nbox = [3, 3, "x"]\n'
SLIP = 'title = "Two"\ngrid = "square"\nflips = true\n[tiles.A]\npicture = "#.#"\n[form]\nbox = [2, 1]\n'


def by_command(*arguments):
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return result.output


# compile ---------------------------------------------------------------------------------------------------------------------


@every("format", ["cnf", "opb", "xcc", "cpsat"], fast=("cnf",))
def test_compile_gives_the_text_of_the_command(tmp_path, format):
    printed = by_command("compile", SMALL, "--format", format, "--map", tmp_path / "map")
    compiled = puzzlesat.compile(SMALL, format)
    assert compiled.text == str(compiled) == printed
    assert (compiled.complete, compiled.why, compiled.file) == (True, None, None)
    assert {str(v): name for v, name in compiled.variables.items()} == json.loads((tmp_path / "map").read_text(encoding="utf-8"))


def test_compile_writes_files(tmp_path):
    file, map_file = tmp_path / "x.cnf", tmp_path / "x.map"
    compiled = puzzlesat.compile(puzzlesat.load(SMALL), output=file, map=str(map_file), symmetry=True, encoding="pairwise")
    assert file.read_text(encoding="utf-8") == puzzlesat.compile(SMALL, symmetry=True, encoding="pairwise").text
    assert json.loads(map_file.read_text(encoding="utf-8"))["1"] == compiled.variables[1]
    assert (compiled.text, compiled.file) == ("", file)
    assert compiled.sentence == f"{file}: cnf, {len(compiled.variables)} placements"


@every("format", ["opb", "xcc"])
def test_a_cover_problem_that_is_compiled_is_read_back(tmp_path, format):
    cover = puzzlesat.cover(FOUR)
    file = tmp_path / f"four.{format}"
    puzzlesat.compile(cover, format, output=file)
    again = puzzlesat.cover(file)
    assert {s.names for s in puzzlesat.solve(again)} == {("o1", "o2"), ("o3", "o4")}


# convert ---------------------------------------------------------------------------------------------------------------------


@every(
    ("format", "suffix"),
    [("toml", ".toml"), ("cnf", ".cnf"), ("opb", ".opb"), ("xcc", ".xcc"), ("cpsat", ".cpsat"), ("jsonl", ".jsonl"), ("notation", ".txt")],
    fast=("toml", "xcc"),
)
def test_convert_gives_what_the_command_writes(tmp_path, format, suffix):
    by_command("convert", SMALL, tmp_path / f"command{suffix}")
    written = (tmp_path / f"command{suffix}").read_text(encoding="utf-8")
    converted = puzzlesat.convert(SMALL, format=format)
    assert converted.text == str(converted) == written
    assert (converted.complete, converted.why, converted.files) == (True, None, ())
    file = tmp_path / f"function{suffix}"
    to_file = puzzlesat.convert(SMALL, file)
    assert file.read_text(encoding="utf-8") == written
    assert (to_file.text, to_file.files) == ("", (file,))
    assert to_file.sentence.startswith(f"{file}: ")


def test_convert_to_a_folder(tmp_path):
    converted = puzzlesat.convert(SMALL, tmp_path / "all")
    assert converted.files == (tmp_path / "all" / f"{SMALL}.toml",)
    assert puzzlesat.load(converted.files[0]).title == puzzlesat.load(SMALL).title


def test_solutions_there_and_back(tmp_path):
    lines = tmp_path / "found.jsonl"
    assert "2 solutions" in puzzlesat.convert(SMALL, lines).sentence
    assert "1 solution up to symmetry" in puzzlesat.convert(SMALL, tmp_path / "distinct.txt", distinct=True).sentence
    notation = puzzlesat.convert(lines, format="notation")
    assert notation.text == puzzlesat.convert(SMALL, format="notation").text
    assert "2 solutions of domino-and-square-3x2, each checked against the geometry; 1 up to symmetry" in notation.sentence


def test_wrong_solutions_are_an_error(tmp_path):
    text = puzzlesat.convert(SMALL, format="notation").text
    wrong = tmp_path / "wrong.txt"
    wrong.write_text(text.replace("I2.2@3.1  24", "I2.2@1.1  90"), encoding="utf-8")
    with pytest.raises(WrongSolutionsError) as caught:
        puzzlesat.convert(wrong, tmp_path / "new.jsonl")
    assert len(caught.value.problems) == 2
    assert caught.value.problems[-1] == f"{wrong}: 1 of 2 solutions is wrong; nothing is written"
    assert not (tmp_path / "new.jsonl").exists()


def test_convert_a_cover_problem():
    converted = puzzlesat.convert(puzzlesat.cover(FOUR), format="xcc")
    assert "a b c |\na b\n| 0 o1\n" in converted.text
    with pytest.raises(puzzlesat.NotSupportedError, match="four is a cover problem"):
        puzzlesat.convert(puzzlesat.cover(FOUR, name="four"), format="toml")


@every(
    ("ask", "sentence"),
    [
        (lambda: puzzlesat.compile(SMALL, format="cfn"), "there is no format 'cfn'; did you mean 'cnf'?"),
        (lambda: puzzlesat.compile(SMALL, encoding="pairs"), "there is no encoding 'pairs'"),
        (lambda: puzzlesat.compile(SMALL, format="opb", encoding="pairwise"), "is for --format cnf"),
        (lambda: puzzlesat.compile(SMALL, output="nowhere/x.cnf"), "there is no folder nowhere"),
        (lambda: puzzlesat.convert(SMALL), "format: expected one of toml, .*notation where no file is named, got None"),
        (lambda: puzzlesat.convert(SMALL, format="xml"), "got 'xml'"),
        (lambda: puzzlesat.convert(SMALL, output="x.xcc", format="xcc"), "the suffix of x.xcc names the format; remove it"),
        (lambda: puzzlesat.convert(SMALL, output="x.xyz"), "the suffix must be of one of these formats"),
        (lambda: puzzlesat.convert(SMALL, format="xcc", distinct=True), "is for solutions"),
        (lambda: puzzlesat.convert(5, format="xcc"), "source: expected a name, a file, or what 'cover' returned, got int"),
    ],
)
def test_what_cannot_be_compiled_or_converted(ask, sentence):
    with pytest.raises(puzzlesat.PuzzleError, match=sentence):
        ask()


# validate --------------------------------------------------------------------------------------------------------------------


def test_findings_are_what_the_command_prints(tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text(BAD, encoding="utf-8")
    found = puzzlesat.validate(file)
    assert [(finding.key, finding.severity) for finding in found] == [("title", "error"), ("form.box", "error"), ("titel", "error")]
    assert all(finding.file == str(file) for finding in found)
    printed = CliRunner(env={"COLUMNS": "400"}).invoke(app, ["validate", str(file)])
    assert printed.exit_code == 2
    assert printed.output.splitlines() == [str(finding) for finding in found]


def test_good_files_have_no_findings(tmp_path):
    shutil.copy(puzzlesat.load(SMALL).path, tmp_path / "good.toml")
    assert puzzlesat.validate(tmp_path / "good.toml", twice=True) == []
    assert puzzlesat.validate([tmp_path / "good.toml", str(tmp_path / "good.toml")]) == []


@every(
    ("text", "key"),
    [
        ("title = \n", "line 1, column 9"),
        ('title = "T"\ngrid = "square"\nflips = true\n[tiles.A]\n[form]\nbox = [2, 1]\n', "tiles.A"),
        ('title = "T"\nmodel = "soma"\n[form]\nbox = [3, 3, 3]\n[[conditions]]\nalong = [1, 1, 1]\n', "[[conditions]] number 1: name"),
        ("", None),
    ],
)
def test_the_key_of_a_finding(tmp_path, text, key):
    file = tmp_path / "given.toml"
    file.write_text(text, encoding="utf-8")
    assert key in [finding.key for finding in puzzlesat.validate(file)]


def test_warnings_and_differences_are_findings_too(tmp_path, monkeypatch):
    from puzzlesat.exchange import findings
    from puzzlesat.recheck.twice import SecondReading

    file = tmp_path / "slip.toml"
    file.write_text(SLIP, encoding="utf-8")
    monkeypatch.setattr(findings, "read_twice", lambda built, told: SecondReading(differences=("another form",)))
    found = {finding.severity: finding for finding in puzzlesat.validate(file, twice=True)}
    assert found["warning"].key == "tiles.A"
    assert found["difference"].key is None
    assert found["difference"].message == "two readings of the file differ: slip: another form"


def test_validate_at_a_limit():
    file = puzzlesat.load("pentominoes-6x10").path
    found = puzzlesat.validate(file, seconds=0.0001)
    assert [(finding.file, finding.severity) for finding in found] == [(str(file), "unknown")]
    assert found.why == found.sentence == f"{file}: {found[0].message}" and "not known: limit reached" in found.why
    assert not found.complete
