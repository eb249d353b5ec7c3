"""Puzzles written for BurrTools: the same puzzle is read back, and puzzles that its format cannot express are refused."""

import pytest

import puzzlesat
from puzzlesat.base.errors import NotSupportedError
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.plan import Plan
from puzzlesat.formats.burrtools import read_xmpuzzle
from puzzlesat.formats.puzzles import read_tables
from puzzlesat.formats.xmpuzzle import xmpuzzle_of, xmpuzzle_text
from puzzlesat.puzzles.building import build_instance
from tiers import every

FEW = ("soma", "diabolical-cube", "domino-and-square-3x2")
"""Puzzles with few solutions, which are counted."""
LARGE = ("pentominoes-6x10", "hexiamonds-6x6", "four-piece-tetrahedron", "cube-in-cage", "ball-room-1", "slothouber-graatsma", "octogram")


@pytest.fixture
def again(tmp_path):
    def read(text, name="again"):
        path = tmp_path / f"{name}.xmpuzzle"
        path.write_text(text, encoding="utf-8")
        return puzzlesat.load(path)

    return read


@pytest.mark.full
@every("name", [*FEW, *LARGE], fast=("domino-and-square-3x2", "slothouber-graatsma"))
def test_what_is_written_is_the_same_puzzle(again, name):
    instance = puzzlesat.load(name)
    found = again(xmpuzzle_of(instance))
    one, other = (
        {
            "tiles": sorted((t.name, t.low, t.high, len(t.atoms)) for t in each.puzzle.tiles),
            "form": (len(each.puzzle.form.required), len(each.puzzle.form.optional)),
            "placements": len(build_instance(each).placements),
        }
        for each in (instance, found)
    )
    assert one == other
    if name in FEW:
        counts = [count(each, Plan(("backtrack",), budget=0)).counts.all for each in (instance, found)]
        assert counts[0] == counts[1] == (instance.expect.all or counts[0])


def test_what_may_stay_together_is_a_group(again):
    instance = puzzlesat.load("cube-in-cage")
    found = again(xmpuzzle_of(instance))
    assert found.together == instance.together == (frozenset({"Frame1", "Frame2"}),)


def test_names_and_remarks_are_text(again, tmp_path):
    table = {"title": 'A & <B> "C"', "source": "]]> & Ä", "grid": "cube", "flips": False, "form": {"box": [2, 1, 1]}}
    text = xmpuzzle_text(table | {"tiles": {'<&"': {"atoms": [[1, 1, 1]], "copies": "any"}}})
    found = again(text)
    assert found.puzzle.tiles[0].name == '<&"'
    assert found.puzzle.tiles[0].high == 2
    assert "]]> & Ä" in found.source
    assert len(read_xmpuzzle(tmp_path / "again.xmpuzzle")) == len(read_tables(tmp_path / "again.xmpuzzle")) == 1


@every(
    "name, why",
    [
        ("absolut-knifflig", "no grid 'square-marks'"),
        ("tritetratan", "no grid 'tans'"),
        ("one-sided-pentominoes-3x30", "turns every piece in all ways, and over"),
        ("dominoes-6x6-klein-bottle", "no forms that wrap round"),
    ],
)
def test_what_cannot_be_said_is_refused(name, why):
    with pytest.raises(NotSupportedError, match=why):
        xmpuzzle_of(puzzlesat.load(name))
