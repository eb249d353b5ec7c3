"""Small puzzles in files, and a way to run the program."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass

import pytest
from small_puzzles import fill
from typer.testing import CliRunner

from puzzlesat.cli.main import app


@dataclass(frozen=True)
class Ran:
    """The result of a run of the program."""

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
    """Run the program with some arguments; with ``status``, it must end with that exit status and without a traceback."""

    def go(*arguments, status=None):
        before = signal.getsignal(signal.SIGINT)
        result = CliRunner().invoke(app, [str(a) for a in arguments])
        assert signal.getsignal(signal.SIGINT) is before
        clean = result.exception is None or isinstance(result.exception, SystemExit)
        found = Ran(result.exit_code, result.output, result.stdout, None if clean else result.exception)
        assert status is None or (found.status, found.exception) == (status, None), found.output
        return found

    return go


@pytest.fixture
def refuses(run):
    """Run a command that must be refused with a message, and without a traceback."""

    def go(said, *arguments, status=2):
        found = run(*arguments, status=status)
        assert said in found.output or said in " ".join(found.output.replace("│", " ").split()), found.output
        return found

    return go


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the small puzzles, which is the current one."""
    return fill(tmp_path, monkeypatch)


@pytest.fixture
def certified(run, folder):
    """The certificate of the dominoes in a rectangle of 3 x 2."""
    run("certify", "dominoes.toml", "-o", "d.proof", status=0)
    return folder / "d.proof"
