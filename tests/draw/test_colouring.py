"""Pictures of weights: every atom shows its weight, in text and in SVG, and the legend counts them."""

import re
from collections import Counter
from xml.etree import ElementTree

from puzzlesat.pictures.colouring import WeightedForm
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.grid import atom_order
from puzzlesat.puzzles.load import load_puzzle
from tiers import every

SVG = "{http://www.w3.org/2000/svg}"


def built_of(name):
    return build_instance(load_puzzle(name))


def elements(svg, tag):
    return ElementTree.fromstring(svg).findall(f"{SVG}{tag}")


def points_of(polygon):
    return [tuple(map(float, p.split(","))) for p in polygon.get("points").split()]


def test_text_of_a_chessboard():
    built = built_of("tetrominoes-4x5")
    text = WeightedForm(built, [sum(a[:-1]) % 2 for a in sorted(built.puzzle.form.atoms, key=atom_order)]).text()
    assert text.plain == "10101\n01010\n10101\n01010\n 0  10 atoms    1  10 atoms\n"
    styles = {text.plain[s.start : s.end]: str(s.style) for s in text.spans}
    assert styles["0"].split(" on ")[1] != styles["1"].split(" on ")[1]


def test_signs_for_one_and_minus_one_letters_for_more():
    built = built_of("tetrominoes-2x10")
    assert WeightedForm(built, [1, -1, 0, 0, 0] * 4).text().plain.splitlines()[0] == "+−···+−···"
    assert "weighs −1, 4 atoms" in WeightedForm(built, [1, -1, 0, 0, 0] * 4).text().plain
    lines = WeightedForm(built, [-12, 7, 7, 7, 7] * 4, 30).text().plain.splitlines()
    assert lines[0] == "abbbbabbbb"
    assert lines[-1] == " a  weighs −12, 4 atoms    b  weighs 7, 16 atoms   sums modulo 30"


@every("name", ["tetrominoes-4x5", "tan-triangles-3x3", "triangles-of-four-6x3", "bee-tetrahexes-triangle-7", "t-tetracubes-3x3x4"], fast=2)
def test_svg_shows_each_atom_once_with_its_weight(name):
    built = built_of(name)
    weights = [(i * i) % 3 - 1 for i in range(len(built.puzzle.form.atoms))]
    svg = WeightedForm(built, weights, 5).svg("a <title>")
    polygons = elements(svg, "polygon")
    assert len(polygons) == len(weights)
    assert len({tuple(sorted(points_of(p))) for p in polygons}) == len(weights)
    labels = [t for t in elements(svg, "text") if re.fullmatch(r"−?\d+", t.text)]
    assert Counter(t.text.replace("−", "-") for t in labels[: len(weights)]) == Counter(map(str, weights))
    fills = [p.get("fill") for p in polygons]
    assert len({*zip(fills, weights, strict=True)}) == len(set(weights)) == len(set(fills))
    root = ElementTree.fromstring(svg)
    corners = [p for polygon in polygons for p in points_of(polygon)]
    assert all(0 <= x <= float(root.get("width")) and 0 <= y <= float(root.get("height")) for x, y in corners)
    # each label is inside its own polygon
    for polygon, label in zip(polygons, labels, strict=False):
        xs, ys = zip(*points_of(polygon), strict=True)
        assert min(xs) < float(label.get("x")) < max(xs)
        assert min(ys) < float(label.get("y")) < max(ys)
    texts = [t.text for t in elements(svg, "text")]
    assert "a <title>" in texts
    assert "sums modulo 5" in texts
    assert [t for t in texts if "atom" in t] == [f"{n} atoms" for _, n in sorted(Counter(weights).items())]
