"""What a page lets in of a picture (draw/page/elements.js) is all that the program's own pictures are made of: none of them is lost."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from puzzlesat.config.package import instance_files
from puzzlesat.config.read import read_table
from puzzlesat.draw import page
from puzzlesat.studio.tasks import grids, picture, prove
from puzzlesat.studio.telling import Tell
from tiers import of_which

MODULE = Path(page.__file__).with_name("elements.js").read_text(encoding="utf-8")
HARMLESS = set(re.findall(r'"(\w+)"', re.search(r"HARMLESS = new Set\((.*?)\)", MODULE)[1]))
FIRST = {file.parent.name: file for file in reversed(instance_files())}
FAST = ("bits-and-bytes", "legespiel", "octogram", "pentominoes", "puzzle-a-day", "soma", "stones", "tetrasticks", "tritetratan")


def ask(task, **question):
    return task.do(question, Tell())


def check(svg):
    for part in ElementTree.fromstring(svg).iter():
        assert part.tag.removeprefix("{http://www.w3.org/2000/svg}") in HARMLESS, part.tag
        for name, value in part.attrib.items():
            assert not re.search(r"^(on|style$)|href$", name), name
            assert not re.search(r"url\(|javascript:", value), value


@pytest.mark.parametrize("family", of_which(FIRST, *FAST))
def test_pictures_of_puzzles_and_pieces(family):
    check(ask(picture, name=FIRST[family].stem)["svg"])
    told = ask(grids, read=read_table(FIRST[family]))
    tiles = told["tiles"]
    assert tiles or "where they are listed" in told["wrong"][0]
    for tile in tiles:
        check(tile["svg"])


def test_the_picture_of_an_argument():
    found = ask(prove, puzzle={"name": "mutilated-chessboard"})
    check(found["picture"])
