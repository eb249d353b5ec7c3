"""Broken files: exit status 2, the file, the key and the cure. Odd files: fine, and the program says what is odd about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from puzzlesat.cli.main import app
from tiers import of_which

HERE = Path(__file__).parent
BROKEN = sorted((HERE / "broken").glob("*.toml"))
ODD = sorted((HERE / "odd").glob("*.toml"))
NO_INSTANCES = ("grid-", "model-")
"""Beginnings of the names of files that hold no instance: ``count`` refuses them as well, but for another reason."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Whatever the program writes, it must not lie about."""
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
    """The name of a file alone must not be what satisfies an expectation: it is taken out of the output first."""
    assert status == 2, output
    assert str(file) in output
    assert "Traceback" not in output
    text = output.replace(str(file), "FILE").replace(file.name, "FILE")
    assert [e for e in expected if e not in text] == [], text
    assert [u for u in unwanted if u in text] == [], text


def test_there_are_files():
    assert len(BROKEN) > 40
    assert len(ODD) >= 5


@pytest.mark.parametrize("file", of_which(BROKEN, *BROKEN[::3]), ids=lambda file: file.stem)
def test_validate_says_what_is_wrong(file):
    expected = said(file, "expect")
    assert expected
    expected += said(file, "validate")  # where the first stage refuses a file, only this command looks at the rest of it
    assert_refused(*run("validate", file), file, expected, said(file, "unwanted"))


@pytest.mark.full
@pytest.mark.parametrize("file", BROKEN, ids=lambda file: file.stem)
def test_count_says_what_is_wrong(file):
    expected = [] if file.name.startswith(NO_INSTANCES) else said(file, "expect")
    assert_refused(*run("count", file), file, expected, said(file, "unwanted"))


@pytest.mark.parametrize("command", ["validate", "count", "show", "solve", "check", "compile"])
def test_a_file_that_is_not_text(command, tmp_path):
    file = tmp_path / "bytes.toml"
    file.write_bytes(b'title = "caf\xe9"\n')
    assert_refused(*run(command, file), file, ["UTF-8"])


@pytest.mark.parametrize("command", ["validate", "count", "show", "solve", "check", "compile"])
def test_a_file_that_is_missing(command, tmp_path):
    file = tmp_path / "missing.toml"
    assert_refused(*run(command, file), file, ["no such file" if command != "validate" else "No such file"])


@pytest.mark.parametrize("command", ["validate", "count"])
def test_a_folder_instead_of_a_file(command, tmp_path):
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    assert_refused(*run(command, folder), folder, ["is a folder; give a file in it"])


@pytest.mark.parametrize("command", ["count", "validate", "show", "solve", "compile"])
def test_a_name_that_is_a_folder(command, tmp_path):
    assert_refused(*run(command, tmp_path), tmp_path, ["is a folder; give a file in it"])


@pytest.mark.parametrize("command", ["validate", "count", "show", "solve", "check", "compile"])
@pytest.mark.parametrize("text", ["", "# nothing but a comment\n"])
def test_an_empty_file(command, text, tmp_path):
    file = tmp_path / "empty.toml"
    file.write_text(text, encoding="utf-8")
    assert_refused(*run(command, file), file, ["the file is empty"], ["missing"])


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path):
    file = tmp_path / "bom.toml"
    file.write_text('\ufefftitle = "S"\ngrid = "square"\nflips = true\n[tiles.A]\npicture = "##"\n[form]\nbox = [2, 1]\n', encoding="utf-8")
    status, output = run("validate", file)
    assert (status, output.splitlines()[0]) == (0, f"{file}: ok")


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    def refusing(method):
        def refuse(path, *args, **keys):
            if path.name == "secret.toml":
                raise PermissionError(13, "Permission denied", str(path))
            return method(path, *args, **keys)

        return refuse

    for method in ("stat", "open"):
        monkeypatch.setattr(Path, method, refusing(getattr(Path, method)))
    for command in ("validate", "count", "check"):
        assert_refused(*run(command, tmp_path / "secret.toml"), tmp_path / "secret.toml", ["Permission denied"])


def test_validate_goes_on_after_a_broken_file(tmp_path):
    good = tmp_path / "good.toml"
    good.write_text('title = "S"\ngrid = "square"\nflips = true\n[tiles.A]\npicture = "##"\n[form]\nbox = [2, 2]\n', encoding="utf-8")
    missing = tmp_path / "missing.toml"
    status, output = run("validate", missing, BROKEN[0], good)
    assert status == 2
    assert all(str(file) in output for file in (missing, BROKEN[0], good))
    assert f"{good}: ok" in output


def test_every_problem_of_a_file_has_a_line_of_its_own():
    file = HERE / "broken" / "everything-at-once.toml"
    _, output = run("validate", file)
    assert [line.startswith(f"{file}: ") for line in output.splitlines()] == [True] * 3


@pytest.mark.parametrize("file", ODD, ids=lambda file: file.stem)
def test_odd_files_are_fine_and_the_facts_are_said(file):
    status, output = run("validate", file)
    assert status == 0, output
    text = output.replace(str(file), "FILE")
    assert "FILE: ok" in text
    expected = said(file, "fact")
    assert expected
    assert [e for e in expected if e not in text] == [], text
    impossible = "so it has no solution" in text
    assert impossible == (said(file, "all") == ["0"])


@pytest.mark.parametrize("file", ODD, ids=lambda file: file.stem)
def test_odd_files_are_counted(file):
    status, output = run("count", file, "--json")
    assert status == 0, output
    report = json.loads(output)
    (expected,) = said(file, "all")
    assert (report["complete"], report["counts"]["all"], report["agree"]) == (True, int(expected), True)
