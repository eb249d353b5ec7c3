"""Puzzles so small that every command handles them at once."""

import json

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


def fill(folder, monkeypatch, puzzles=PUZZLES):
    """Write the puzzles into a folder and make it the current one."""
    monkeypatch.chdir(folder)
    for name, text in puzzles.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


def lines(path):
    """Return the objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
