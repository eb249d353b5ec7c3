"""The page of a report: well-formed, safe, self-contained, with the right solutions and symmetries."""

import json
import re
from base64 import b64decode
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import assume, given, settings

from brute_force import TooMuch, puzzleless_solutions
from draw.reports import contents_of
from helpers import load
from puzzlesat.base import VERSION, Limits, PuzzleError
from puzzlesat.counting import Disagreement, Judgement, Plan, count
from puzzlesat.pages.contents import Reason, list_contradicts
from puzzlesat.pages.galleries import list_distinct, packed, stands_for
from puzzlesat.pages.report import page
from puzzlesat.pictures import Drawings, puzzle_svg
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from strategies import puzzles
from tiers import every, tries

SVG = "http://www.w3.org/2000/svg"
EMPTY_ELEMENTS = {"meta", "input", "br", "hr", "img", "link"}
WITH_SYMMETRIC_SOLUTIONS = ["dominoes-4x4", "pentominoes-3x20", "tetrominoes-4x5", "absolut-knifflig", "soma", "ball-room-1"]


class Parsed(HTMLParser):
    """Elements, attributes and texts of a page; fails on tags that are not closed in order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.texts = [], [], {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in EMPTY_ELEMENTS:
            self.open.append((tag, dict(attributes).get("id")))

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        if self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data

    def json(self, name):
        return json.loads(self.texts["script", name])

    def count(self, tag):
        return sum(t == tag for t, _ in self.elements)

    @property
    def said(self):
        return " ".join(text for (tag, _), text in self.texts.items() if tag not in ("script", "style"))


def numbers(text, size):
    return np.frombuffer(b64decode(text), dtype=f"<u{size}").astype(np.int64)


def rows_of(data):
    """The solutions of a page, as tuples of numbers of its placements."""
    none, width = len(data["placements"]), data["width"]
    table = numbers(data["rows"], data["bytes"]).reshape(data["count"], width)
    return [tuple(p for p in row if p < none) for row in table.tolist()]


def images_of(data):
    return numbers(data["images"], data["bytes"]).reshape(len(data["symmetries"]), len(data["placements"]))


def listed(built, most=10_000):
    return list_distinct(built, "backtrack", most, Limits())


def page_of(puzzle, **more):
    return page(contents_of(puzzle, **more))


@pytest.mark.full
def test_the_page_opens_with_its_first_solution_and_the_counts_beside_it():
    contents = contents_of(load_instance("dominoes-4x4"))
    text = page(contents)
    opening = text[text.index('<div class="opening') : text.index('id="sentence"')]
    first = [contents.report.built.placements.names[o] for o in contents.gallery.rows[0].tolist()]
    assert re.findall(r"<title>(D\.\d+@[\d.]+)</title>", opening) == first
    assert opening.count("<figure>") == 1


@every("name", ["dominoes-4x4", "absolut-knifflig", "soma", "one-sided-polytwigs-1-2-3-triangle"], fast=1)
def test_the_page_is_whole_and_needs_nothing_else(name):
    text = page_of(load_instance(name))
    parsed = Parsed(text)
    assert set(re.findall(r"https?://[^\s\"'<>)\\]*", text)) <= {SVG}
    for tag, attributes in parsed.elements:
        assert tag not in ("link", "iframe", "img", "object", "base")
        assert all(not key.startswith("on") for key in attributes)
        assert attributes.get("href", "#").startswith("#")
        assert "src" not in attributes
    ids = [a["id"] for _, a in parsed.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert "url(" not in text.replace('`url("data:', "")
    assert f"Made by puzzlesat {VERSION}" in parsed.said
    assert 'id="taken"' not in text  # the report was made without disassembly
    assert 'id="apart"' not in text


def test_what_others_wrote_is_shown_and_not_obeyed():
    evil = "<script>alert('1')</script><img src=x onerror=alert(2)>&amp;$name${title}\"</script>"
    instance = load_instance("dominoes-4x4")
    tile = replace(instance.puzzle.tiles[0], name=evil)
    expect = instance.expect.model_copy(update={"published": evil, "source": evil})
    puzzle = replace(instance.puzzle, tiles=(tile,))
    instance = replace(instance, puzzle=puzzle, title=evil, name=evil, source=evil, expect=expect)
    reason = Reason(evil, (evil,))
    contents = contents_of(instance, reason=reason, command=evil)
    rows = tuple(replace(row, solver=evil, status=evil, how=evil) for row in contents.report.rows)
    contents = replace(contents, report=replace(contents.report, rows=rows, disagreements=(Disagreement(evil, evil),)))
    parsed = Parsed(page(contents))
    assert parsed.count("script") == 4
    assert parsed.count("img") == 0
    assert parsed.texts["h1", None] == evil
    assert parsed.texts["title", None].startswith(evil)
    assert parsed.json("data")["tiles"][0]["name"] == evil
    assert parsed.json("report") == json.loads(json.dumps(Judgement(contents.report).as_json()))
    assert parsed.json("report")["solvers"][0]["solver"] == evil


@every("name", WITH_SYMMETRIC_SOLUTIONS, fast=1)
def test_solutions_and_their_symmetries(name):
    report = count(load_instance(name), Plan(solvers=("backtrack",)))
    built, counts = report.built, report.counts
    data = packed(built, listed(built))
    rows, order = rows_of(data), len(data["symmetries"])
    assert len(rows) == counts.distinct == len(set(rows))
    groups = [data["groups"][k] for k in numbers(data["kept"], 2)]
    assert sum(order // len(group) for group in groups) == counts.all
    for g, kind in enumerate(data["kinds"]):
        # unchanged solutions of an orbit: its size times the share of the conjugacy class of g that fixes one of them
        members = {h for h, k in enumerate(data["kinds"]) if k == kind}
        unchanged = sum(order * len(members & set(group)) // (len(group) * len(members)) for group in groups)
        assert unchanged == counts.fixed[data["symmetries"][g]]
    # the images of the listed solutions are all solutions
    images = images_of(data)
    everything = {tuple(sorted(image[list(row)].tolist())) for row in rows_of(data) for image in images}
    assert len(everything) == counts.all
    for g, image in enumerate(images):
        unchanged = sum(tuple(sorted(image[list(row)].tolist())) == row for row in everything)
        assert unchanged == counts.fixed[data["symmetries"][g]]


@pytest.mark.full
@given(table=puzzles(flat=False))
@settings(max_examples=tries(40))
def test_random_puzzles_have_their_solutions_in_the_page(table):
    try:
        built = build_instance(load(table))
        whole = {tuple(sorted(s)) for s in puzzleless_solutions(built.problem)}
    except (PuzzleError, TooMuch):
        assume(False)
    assume(len(whole) < 2000)
    gallery = listed(built)
    data = packed(built, gallery)
    shown, rows = data["placements"], rows_of(data)
    images = [list(range(len(shown)))] if data["images"] is None else images_of(data).tolist()
    assert {tuple(sorted(shown[image[p]] for p in row)) for row in rows for image in images} == whole
    assert not len(gallery.rows) or stands_for(built.problem.option_images.unmoved(gallery.rows)) == len(whole)
    drawn = Drawings.of(built).as_json(built, shown)
    for number, placement in zip(shown, drawn["placements"], strict=True):
        assert placement["name"] == built.placements[number].name
        ElementTree.fromstring(f'<svg xmlns="{SVG}">{placement["drawing"]}</svg>')


def test_a_puzzle_whose_tiles_are_all_left_out_is_drawn():
    tiles, form = {"D": {"picture": "##", "copies": 0}}, {"box": [2, 2], "optional": "all"}
    built = build_instance(load({"title": "none", "grid": "square", "flips": True, "tiles": tiles, "form": form}))
    assert Drawings.of(built).tiles == []
    ElementTree.fromstring(puzzle_svg(built))


def test_a_list_that_is_cut_short_or_contradicts_the_count_is_told():
    puzzle = load_instance("dominoes-4x4").puzzle
    report = count(puzzle, Plan(solvers=("backtrack",)))
    gallery, whole = listed(report.built, 4), listed(report.built, 9)
    assert (len(gallery.rows), gallery.complete) == (4, False)
    assert (len(whole.rows), whole.complete) == (9, True)
    assert list_contradicts(report, gallery) is list_contradicts(report, whole) is None
    parsed = Parsed(page_of(puzzle, gallery=gallery))
    assert "first 4 of 9 distinct solutions" in parsed.said
    assert (parsed.json("data")["count"], parsed.json("data")["complete"]) == (4, False)
    assert "8 distinct solutions" in list_contradicts(report, replace(whole, rows=whole.rows[:-1]))
    fewer = replace(report, counts=replace(report.counts, all=35))
    assert "36" in list_contradicts(fewer, whole)


def test_large_tables(monkeypatch):
    """Many placements take four bytes each; images beyond a limit are not stored."""
    built = build_instance(load_instance("dominoes-4x4"))
    gallery = listed(built)
    small = packed(built, gallery)
    monkeypatch.setattr("puzzlesat.pages.galleries.TWO_BYTES", 5)
    large = packed(built, gallery)
    assert (small["bytes"], large["bytes"]) == (2, 4)
    assert rows_of(large) == rows_of(small)
    monkeypatch.setattr("puzzlesat.pages.galleries.MAX_IMAGES", 30)
    data = packed(built, gallery)
    assert data["images"] is None
    assert set(data["placements"]) == {p for row in gallery.rows.tolist() for p in row}
