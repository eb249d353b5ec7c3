"""Figures stored in files of other programs, which state no convention."""

from dataclasses import replace
from itertools import product

import pytest
from assemblies import Problem, xml

from helpers import in_one_part
from puzzlesat.cli.count import status_of
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.plan import Plan
from puzzlesat.counting.verdict import Judgement
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.puzzles.schema import ExpectTable
from tiers import every


def sticks():
    """The pieces of a six-piece burr that a saw can cut, one of each shape: for each removed cell, a neighbour across is removed too."""
    shared = [(x, y, z) for x in (1, 2, 3, 4) for y, z in product((0, 1), repeat=2) if y == 1 or x in (2, 3)]
    whole = set(product(range(6), (0, 1), (0, 1)))
    looks = {}
    for cut in product((False, True), repeat=len(shared)):
        gone = {cell for cell, is_cut in zip(shared, cut, strict=True) if is_cut}
        if all((x, 1 - y, z) in gone or (x, y, 1 - z) in gone for x, y, z in gone) and in_one_part(frozenset(whole - gone)):
            looks.setdefault(min(tuple(sorted(turned)) for turned in lying(whole - gone)), whole - gone)
    return list(looks.values())


def lying(cells):
    for _ in range(4):
        cells = {(x, 1 - z, y) for x, y, z in cells}
        yield cells
        yield {(5 - x, 1 - y, z) for x, y, z in cells}


def six_piece_burr(stored):
    """The text of a BurrTools file: up to six of each stick, which must form the three crossed pairs."""
    boxes = [(range(6), range(1, 5), (2, 3)), ((2, 3), range(6), range(1, 5)), (range(1, 5), (2, 3), range(6))]
    burr = {cell for box in boxes for cell in product(*box)}
    pieces = [(dict.fromkeys(stick, ("#", 0)), 0, 6) for stick in sticks()]
    return xml(Problem(0, dict.fromkeys(burr, ("#", 0)), pieces)).replace('state="0"', f'state="2" assemblies="{stored}"')


pytestmark = pytest.mark.full  # the count takes some six seconds and is shared by the tests


@pytest.fixture(scope="module")
def burrs(tmp_path_factory):
    """The count of the solid six-piece burrs of all sticks that can be sawn: an example of BurrTools, whose file states 1063."""
    file = tmp_path_factory.mktemp("burrs") / "SolidSixPieceBurrs.xmpuzzle"
    file.write_text(six_piece_burr(1063), encoding="utf-8")
    return count(instance_in(file), Plan(solvers=("backtrack",)))


def with_figure(report, **expect):
    """The same report for an instance with these expected counts."""
    instance = replace(report.instance, expect=ExpectTable.model_validate(expect))
    return replace(report, subject=replace(report.built, instance=instance))


def test_the_count_that_burrtools_stores_with_mirror_images_kept(burrs):
    """W. H. Cutler counted the sticks."""
    assert len(sticks()) == 59
    (verdict,) = Judgement(burrs).verdicts
    assert (verdict.what, verdict.expected, verdict.got, verdict.word) == ("distinct", 1063, 588, "right in another convention")
    assert verdict.words == (
        "1,063 is right in the convention: up to turns alone, where a mirror image is another solution (distinct: 588)"
    )
    assert status_of(burrs) == 0


WORDS = {588: "confirmed", 12597: "right in another convention", 1062: "refuted", 0: "refuted", 1064: "refuted"}


@every("stored, word", WORDS.items())
def test_other_counts_of_the_burrs(burrs, stored, word):
    report = with_figure(burrs, distinct=stored, convention="not stated")
    assert [v.word for v in Judgement(report).verdicts] == [word]
    assert status_of(report) == (1 if word == "refuted" else 0)


def test_the_same_figure_in_a_file_that_states_the_convention(burrs):
    report = with_figure(burrs, distinct=1063)
    assert [v.words for v in Judgement(report).verdicts] == [
        "distinct: expected 1,063, counted 588; 1,063 is right in the convention: "
        'up to turns alone, where a mirror image is another solution; write mirrored = "different"'
    ]
    assert status_of(report) == 1
