"""compile, convert and validate from Python: equal to the commands."""

import json
import shutil

import pytest
from typer.testing import CliRunner

import puzzlesat
from puzzlesat.cli.main import app
from tiers import every

SMALL = "domino-and-square-3x2"
BAD = 'titel = "x"\nmodel = "soma"\n[form]\nbox = [3, 3, "x"]\n'
SLIP = 'title = "Two"\ngrid = "square"\nflips = true\n[tiles.A]\npicture = "#.#"\n[form]\nbox = [2, 1]\n'


def by_command(*arguments):
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return result.output


@every("format", ["cnf", "opb", "xcc", "cpsat"], fast=("cnf",))
def test_compile_gives_the_text_of_the_command(tmp_path, format):
    printed = by_command("compile", SMALL, "--format", format, "--map", tmp_path / "map")
    compiled = puzzlesat.compile(SMALL, format)
    assert compiled.text == str(compiled) == printed
    assert (compiled.complete, compiled.why, compiled.file) == (True, None, None)
    assert {str(v): name for v, name in compiled.variables.items()} == json.loads((tmp_path / "map").read_text(encoding="utf-8"))


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
    from puzzlesat.cli import findings
    from puzzlesat.counting.second_reading import SecondReading

    file = tmp_path / "slip.toml"
    file.write_text(SLIP, encoding="utf-8")
    monkeypatch.setattr(findings, "read_twice", lambda built, told: SecondReading(differences=("another form",)))
    found = {finding.severity: finding for finding in puzzlesat.validate(file, twice=True)}
    assert found["warning"].key == "tiles.A"
    assert found["difference"].key is None
    assert found["difference"].message == "two readings of the file differ: slip: another form"
