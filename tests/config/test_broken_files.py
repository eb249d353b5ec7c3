"""Broken files: exit status 2, and a message with the file, the key and the cure. Odd files: accepted, with a warning about the oddity."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from puzzlesat.cli.main import app
from tiers import every

HERE = Path(__file__).parent
BROKEN = {file.stem: file for file in sorted((HERE / "broken").glob("*.toml"))}
ODD = {file.stem: file for file in sorted((HERE / "odd").glob("*.toml"))}
NO_INSTANCES = ("grid-", "model-")
"""Beginnings of the names of files that hold no instance: ``count`` refuses them as well, but for another reason."""
SQUARE = 'title = "S"\ngrid = "square"\nflips = true\n[tiles.A]\npicture = "##"\n[form]\nbox = [2, 1]\n'


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Run the program in another folder, where its output files do no harm."""
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    """Run the program; return exit status and everything that it wrote."""
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    return result.exit_code, result.output


def said(file, key):
    """The texts after ``# key:`` in the first lines of a file."""
    mark = f"# {key}: "
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix(mark) for line in lines if line.startswith(mark)]


def assert_refused(status, output, file, expected, unwanted=()):
    """The file's name is removed from the output first, so that it cannot satisfy an expectation."""
    assert status == 2, output
    assert str(file) in output
    assert "Traceback" not in output
    text = output.replace(str(file), "FILE").replace(file.name, "FILE")
    assert [e for e in expected if e not in text] == [], text
    assert [u for u in unwanted if u in text] == [], text


@every("name", BROKEN, fast=4)
def test_a_broken_file_is_refused_with_the_key_and_the_cure(name):
    file = BROKEN[name]
    expected = said(file, "expect")
    assert expected
    counted = [] if name.startswith(NO_INSTANCES) else expected
    validated = expected + said(file, "validate")  # if the first stage refuses a file, only this command checks the rest of it
    assert_refused(*run("validate", file), file, validated, said(file, "unwanted"))
    assert_refused(*run("count", file), file, counted, said(file, "unwanted"))


COMMANDS = ("validate", "count", "show", "solve", "check", "compile")


def test_a_file_without_a_text_or_that_is_missing(tmp_path):
    file = tmp_path / "puzzle.toml"
    for command in COMMANDS:
        for content, expected in (
            (b'# a\ntitle = "caf\xe9"\n', "UTF-8 (line 2: the byte E9, which is 'é'"),
            (b"# nothing but a comment\n", "the file is empty"),
        ):
            file.write_bytes(content)
            assert_refused(*run(command, file), file, [expected], ["missing"])
        assert_refused(*run(command, tmp_path / "absent.toml"), tmp_path / "absent.toml", ["no such file"])
        (link := tmp_path / "f.toml").unlink(missing_ok=True)
        link.symlink_to("g.toml")
        assert_refused(*run(command, link), link, ["is a link to g.toml, and there is no such file"], ["did you mean"])


def test_a_folder_instead_of_a_file(tmp_path):
    named_as_a_file = tmp_path / "folder.toml"
    named_as_a_file.mkdir()
    folders = [(command, named_as_a_file) for command in ("validate", "count")]
    for command, folder in [*folders, *((command, tmp_path) for command in COMMANDS if command != "check")]:
        assert_refused(*run(command, folder), folder, ["is a folder; give a file in it"])


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path):
    file = tmp_path / "bom.toml"
    file.write_text(f"\ufeff{SQUARE}", encoding="utf-8")
    status, output = run("validate", file)
    assert (status, output.splitlines()[0]) == (0, f"{file}: ok")


def test_validate_goes_on_after_a_broken_file(tmp_path):
    good, missing, broken = tmp_path / "good.toml", tmp_path / "missing.toml", HERE / "broken" / "everything-at-once.toml"
    good.write_text(SQUARE, encoding="utf-8")
    status, output = run("validate", missing, broken, good)
    assert status == 2
    assert str(missing) in output
    assert output.count(f"\n{broken}: ") == 3  # each error has its own line
    assert f"{good}: ok" in output


@every("name", ODD, fast=7)
def test_odd_files_are_fine_and_the_facts_are_said(name):
    file = ODD[name]
    status, output = run("validate", file)
    assert status == 0, output
    text = output.replace(str(file), "FILE")
    assert "FILE: ok" in text
    expected = said(file, "fact")
    assert expected
    assert [e for e in expected if e not in text] == [], text
    impossible = "so it has no solution" in text
    assert impossible == (said(file, "all") == ["0"])


@every("name", ODD, fast=("tiles-too-large", "identical-tiles"))
def test_odd_files_are_counted(name):
    status, output = run("count", ODD[name], "--json")
    assert status == 0, output
    report = json.loads(output)
    (expected,) = said(ODD[name], "all")
    assert (report["complete"], report["counts"]["all"], report["agree"]) == (True, int(expected), True)
