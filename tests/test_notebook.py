"""Representations in a notebook: short text, a picture, and HTML around it; and ``puzzlesat.pictures``."""

import xml.etree.ElementTree as ET
from functools import cache

import pytest

import puzzlesat
from puzzlesat.base.limits import Limits
from puzzlesat.pages import notebook
from puzzlesat.playing.hint import look_at
from puzzlesat.playing.position import position_of
from puzzlesat.puzzles.building import build_instance
from tiers import every

SMALL = "domino-and-square-3x2"
LONGEST = 120
"""Characters of a ``repr``: a line."""


@cache
def small_objects():
    instance = puzzlesat.load(SMALL)
    built = build_instance(instance)
    position = position_of(built, ["I2.2@3.1"])
    report = puzzlesat.count(SMALL, solver="backtrack")
    solution = next(puzzlesat.solve(SMALL))
    hint = look_at(position, more=True, limits=Limits(seconds=5))
    return {"instance": instance, "puzzle": instance.puzzle, "position": position, "report": report, "solution": solution, "hint": hint}


PIECES = {"instance": [0, 0], "puzzle": [0, 0], "position": [1, 0], "report": [1, 1], "solution": [1, 1], "hint": [1, 1]}
"""The numbers of dominoes and squares drawn on the form; a report draws its one distinct solution."""


@every("what", PIECES)
def test_a_notebook_gets_text_a_picture_and_html(what):
    found = small_objects()[what]._repr_mimebundle_()
    said = repr(small_objects()[what])
    assert set(found) == {notebook.TEXT, notebook.SVG, notebook.HTML}
    assert found[notebook.TEXT] == said
    assert what == "hint" or (len(said) <= LONGEST and "\n" not in said)
    assert what in ("puzzle", "hint") or SMALL in said
    assert ET.fromstring(found[notebook.SVG]).tag == "{http://www.w3.org/2000/svg}svg"
    assert ET.fromstring(found[notebook.HTML]).tag == "div"
    assert [found[notebook.SVG].count(f"<title>{tile}.") for tile in ("I2", "O4")] == PIECES[what]


@pytest.mark.full
def test_repr_of_large_and_of_incomplete_reports():
    report = puzzlesat.count("octogram", solver="tally")
    assert repr(report) == "<Report on 'octogram': labelled 129,168, all 129,168, distinct 16,146; not confirmed>"
    assert len(repr(report.built)) <= LONGEST
    stopped = puzzlesat.count("pentominoes-6x10", solver="backtrack", seconds=0.01)
    assert "labelled" not in repr(stopped) and "limit reached" in repr(stopped)


def test_rules_on_solutions_are_named():
    """The count of solutions under a rule was once shown as the count of all."""
    ruled = puzzlesat.load("dominoes-6x6", rules={"no_crossroads": True})
    report = puzzlesat.count(ruled, solver="backtrack")
    assert repr(ruled) == "<Instance 'dominoes-6x6': 1 tile, 36 atoms, grid square, rules on solutions>"
    assert repr(report) == "<Report on 'dominoes-6x6' with rules on solutions: all 2, distinct 1; not confirmed>"
    said = "only solutions without crossroads (points where four tiles meet)"
    assert all(said in thing._repr_mimebundle_()["text/html"] for thing in (ruled, report))
    assert report.to_pandas()["rules"].tolist() == [said.removeprefix("only solutions ")]


def test_a_puzzle_that_takes_too_long_to_draw_is_shown_as_text(monkeypatch):
    monkeypatch.setattr(notebook, "SHOWN_SECONDS", 0.0)
    instance = puzzlesat.load("octogram")
    assert instance._repr_mimebundle_() == {notebook.TEXT: repr(instance)}
    assert puzzlesat.draw(instance).startswith("<svg")  # an explicit request waits


def test_what_is_written_by_others_is_escaped():
    instance = puzzlesat.load(SMALL)
    object.__setattr__(instance, "title", "<script>alert(1)</script>")
    assert "<script>" not in instance._repr_mimebundle_()[notebook.HTML]


# draw ------------------------------------------------------------------------------------------------------------------------


def test_draw_shows_as_a_picture_and_is_the_text_of_it(tmp_path):
    drawn = puzzlesat.draw(small_objects()["solution"], tmp_path / "solution.svg")
    assert drawn._repr_svg_() == str(drawn) == (tmp_path / "solution.svg").read_text(encoding="utf-8")
    assert drawn == small_objects()["solution"]._repr_mimebundle_()[notebook.SVG]
    puzzlesat.draw(SMALL, tmp_path / "puzzle.png")
    assert (tmp_path / "puzzle.png").read_bytes().startswith(b"\x89PNG")


def test_draw_many_solutions():
    numbered = list(puzzlesat.solve("dominoes-4x4", nth=[1, 36]))
    drawn = puzzlesat.draw(numbered)
    assert "solution 1 of 36" in drawn and "solution 36 of 36" in drawn
    assert drawn.count("<title>D.") == 16


def test_draw_refuses():
    for thing, file, message in (([], None, "no solution to draw"), (SMALL, "a.gif", "expected a name that ends in .svg or .png")):
        with pytest.raises(puzzlesat.PuzzleError, match=message):
            puzzlesat.draw(thing, file)
    with pytest.raises(puzzlesat.PuzzleError, match="several puzzles"):
        puzzlesat.draw([small_objects()["solution"], next(puzzlesat.solve("dominoes-4x4"))])
    for thing in (1, [1]):
        with pytest.raises(TypeError, match="int: expected"):
            puzzlesat.draw(thing)
    with pytest.raises(TypeError, match="FormFound: expected solutions"):
        puzzlesat.draw(puzzlesat.forms("dominoes", boxes=True, area="4"))
