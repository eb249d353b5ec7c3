"""Small puzzles in files, and a way to run the program."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from small_puzzles import PUZZLES
from typer.testing import CliRunner

from puzzlesat.cli.main import app


@dataclass(frozen=True)
class Ran:
    """What a run of the program left."""

    status: int
    output: str
    stdout: str
    exception: BaseException | None

    @property
    def json(self):
        """The objects of an output of JSON lines."""
        return [json.loads(line) for line in self.stdout.splitlines()]


@pytest.fixture
def run():
    """Run the program with some arguments."""

    def go(*arguments):
        result = CliRunner().invoke(app, [str(a) for a in arguments])
        clean = result.exception is None or isinstance(result.exception, SystemExit)
        return Ran(result.exit_code, result.output, result.stdout, None if clean else result.exception)

    return go


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the small puzzles, which is the current one."""
    monkeypatch.chdir(tmp_path)
    for name, text in PUZZLES.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    return tmp_path
