"""Small puzzles in files, and a way to run the program."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from typer.testing import CliRunner

from puzzlesat.cli.main import app

SQUARES = 'title = "Small"\ngrid = "square"\nflips = true\n'
DOMINO = '\n[tiles.D]\npicture = "##"\n'
CARDS = """title = "Cards"
grid = "square-marks"
flips = false

[marks]
cat = { kind = "halves" }
dot = { kind = "self" }

[tiles.A]
around = ["cat-", "dot", "cat+", "dot"]
copies = 2

[tiles.B]
around = ["dot", "cat-", "dot", "dot"]

[tiles.C]
around = ["dot", "dot", "dot", "cat+"]
"""
PUZZLES = {
    "dominoes": SQUARES + DOMINO + "copies = 3\n\n[form]\nbox = [3, 2]\n\n[expect]\nall = 3\ndistinct = 2\nlabelled = 18\n",
    "wrong": SQUARES + DOMINO + "copies = 3\n\n[form]\nbox = [3, 2]\n\n[expect]\nall = 4\ndistinct = 2\n",
    "none": SQUARES + DOMINO + "copies = 4\n\n[form]\nbox = [3, 3]\nremove = [[1, 2]]\n\n[expect]\nall = 0\n",
    "silent": SQUARES + DOMINO + "copies = 3\n\n[form]\nbox = [3, 2]\n",
    "limitless": SQUARES + DOMINO + 'copies = "any"\n\n[form]\nbox = [4, 4]\n',
    "optional": SQUARES + DOMINO + 'copies = "any"\n\n[form]\nbox = [2, 2]\noptional = "all"\n',
    "some-copies": SQUARES + DOMINO + 'copies = [1, 2]\n\n[tiles.I]\npicture = "###"\ncopies = [0, 2]\n\n[form]\nbox = [4, 2]\n',
    "remainder": SQUARES
    + 'turns = "none"\n\n[tiles.H]\npicture = "##"\ncopies = "any"\n\n[tiles.V]\npicture = """\n#\n#\n"""\ncopies = "any"\n\n'
    + '[form]\nbox = [4, 4]\n\n[[conditions]]\nname = "rows"\ntiles = { H = 1 }\nmodulo = { of = 4, is = 2 }\n',
    "weights": SQUARES
    + DOMINO
    + 'copies = [3, 5]\n\n[form]\nbox = [4, 3]\noptional = [[1, 1], [4, 3]]\n\n[[conditions]]\nname = "corners"\n'
    + "atoms = [[1, 1, 2], [4, 3, -1], [1, 3, 1]]\nbetween = [0, 1]\n",
    "fixed": SQUARES + DOMINO + 'copies = "any"\n\n[form]\nbox = [4, 4]\nfixed = ["D.1@1.1"]\n',
    "few": SQUARES + DOMINO + 'copies = [0, 1]\n\n[tiles.I]\npicture = "###"\ncopies = [0, 1]\n\n[form]\nbox = [4, 3]\noptional = "all"\n',
    "few-weights": SQUARES
    + DOMINO
    + 'copies = [0, 1]\n\n[tiles.I]\npicture = "###"\ncopies = [0, 1]\n\n[form]\nbox = [4, 3]\noptional = "all"\n\n'
    + '[[conditions]]\nname = "columns"\nalong = [1, 0]\nvalues = [0, 1, 2, -1]\nbetween = [1, 2]\n',
    "few-cards": CARDS.replace("copies = 2", "copies = [0, 2]")
    .replace("\n[tiles.B]", "\n[tiles.B]\ncopies = [0, 1]")
    .replace("\n[tiles.C]", "\n[tiles.C]\ncopies = [0, 1]")
    + '\n[form]\nbox = [2, 2]\noptional = "all"\n',
    "cards": CARDS + "\n[form]\nbox = [2, 2]\n",
    "cards-border": CARDS + '\n[form]\nbox = [4, 1]\nborder = "dot"\n',
}
"""Names and texts of instances, all of them tiny."""


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
