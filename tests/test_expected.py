"""Expectations of an instance: a printed solution alone is checked against the geometry, everything else needs a count."""

from pathlib import Path

import pytest

from puzzlesat.base.limits import Limits
from puzzlesat.counting import crosscheck
from puzzlesat.counting.crosscheck import hold
from puzzlesat.counting.evidence import NOT_COUNTED
from puzzlesat.counting.plan import Plan
from puzzlesat.counting.verdict import Judgement
from puzzlesat.puzzles.load import Library
from puzzlesat.puzzles.reading import validated
from puzzlesat.puzzles.schema import InstanceFile
from tiers import every

SOLUTION = ["D.1@1.1", "D.1@1.2", "D.1@1.3"]
NO_SOLUTION = ["D.1@1.1", "D.1@1.2", "D.2@1.2"]
NAMES = ["D.1@1.1", "D.1@1.2"]
OWN = Path("own.toml")
FORM = {"title": "dominoes", "grid": "square", "flips": True, "tiles": {"D": {"picture": "##", "copies": 3}}, "form": {"box": [2, 3]}}


def instance(**expect):
    return Library().instance(validated(InstanceFile, {**FORM, "expect": expect}, OWN), OWN, "own")


@every(
    ("expect", "word"),
    [
        ({"solution": SOLUTION}, "ok"),
        ({"solution": SOLUTION, "published": "somebody says so"}, "ok"),
        ({"solution": NO_SOLUTION}, "FAILED"),
        ({"solution": NAMES}, "FAILED"),
        ({"solution": SOLUTION, "refuted": [{"what": "all", "published": 0, "by": "somebody", "evidence": "there it is"}]}, "refuted"),
    ],
)
def test_a_solution_alone_takes_no_count(expect, word, monkeypatch):
    monkeypatch.setattr(crosscheck, "count", lambda *_: pytest.fail("it was counted"))
    report = hold(instance(**expect), Plan())
    assert report.status == NOT_COUNTED
    assert not report.complete
    assert report.finished
    assert Judgement(report).checked.word == word
    assert report.sentence == "nothing was counted, because no figure is expected"


@pytest.mark.full
@every(
    "expect",
    [
        {"solution": SOLUTION, "all": 3},
        {"solution": SOLUTION, "fixed": {"identity": 3}},
        {"solution": SOLUTION, "placements": {"all": 7}},
        {"solution": SOLUTION, "refuted": [{"what": "all", "published": 7, "by": "somebody", "evidence": "fewer"}]},
        {"all": 3},
        {},
    ],
    fast=2,
)
def test_all_else_does_and_so_does_a_puzzle_without_expectations(expect):
    report = hold(instance(**expect), Plan())
    assert (report.status, report.counts.all) == ("complete", 3)
    assert not expect or Judgement(report).checked.word in ("ok", "refuted")


def test_a_limit_is_heard():
    report = hold(instance(solution=SOLUTION), Plan(limits=Limits(seconds=1e-9)))
    assert not report.begun
    assert Judgement(report).checked.word == "stopped"
