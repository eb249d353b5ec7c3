"""Pairs of rules, and rules with other keys of a file: small puzzles of the mutants, counted by the judge and by the program."""

import pytest

import puzzlesat
from compare import judged_and_built
from mutants import PUZZLES
from puzzlesat.base.errors import ContradictionError
from puzzlesat.counting.counts import Labelling, SolutionCounter
from tiers import every, tomllib

NAMES = (
    "holds-a-colour", "holds-one-of-three", "marked-dominoes", "more-white-than-black", "no-crossroads-of-triangles",
    "no-turns-in-space", "one-of-each-of-two", "one-of-one", "outline-beside-two-other-tiles", "outline-under-two-mirrors",
    "skew-torus", "sticks-through-a-point", "symmetric", "symmetric-under-two", "symmetric-with-nothing-left", "two-groups-apart",
)  # fmt: skip


@every("name", NAMES)
def test_the_count_is_that_of_the_judge(name):
    file = PUZZLES / f"{name}.toml"
    judged, _ = judged_and_built(tomllib.loads(file.read_text(encoding="utf-8")))
    counts = puzzlesat.count(file, solver="backtrack").counts
    assert (counts.all, counts.distinct) == (judged.all, judged.distinct)


SPLIT = {
    "title": "split",
    "grid": "square",
    "flips": True,
    "tiles": {"L": {"atoms": [[1, 1], [2, 1], [1, 2]]}, "O": {"atoms": [[1, 1]], "copies": [0, 2]}},
    "form": {"box": [3, 2], "optional": "all"},
    "split": {"name": "left", "uncovered": "face"},
}


def test_a_split_adds_up_to_all(monkeypatch):
    counts = puzzlesat.count(SPLIT, solver="backtrack").counts
    assert (sum(counts.split.values()), sum(counts.split_labelled.values())) == (counts.all, counts.labelled)
    monkeypatch.setattr(SolutionCounter, "_count_split", lambda self, rows, _weights: self.by_split.update([1] * len(rows)))
    with pytest.raises(ContradictionError, match="do not add up"):
        puzzlesat.count(SPLIT, solver="backtrack")


def test_turns_that_look_the_same_are_counted_by_the_second_reader(monkeypatch):
    table = {**SPLIT, "tiles": {**SPLIT["tiles"], "O": {"atoms": [[1, 1]], "copies": 2}}}
    counts = puzzlesat.count(table, solver="backtrack").counts
    assert counts.labelled_turns == counts.labelled * 2 * 8**2  # one mirror preserves L, and all turns and mirrors preserve the squares
    monkeypatch.setattr(Labelling, "turns", lambda _: 2 * 8)
    (wrong,) = puzzlesat.count(table, solver="backtrack").disagreements
    assert wrong.what == "turns: the second reader finds 128 that leave the pieces as they look, the program 16"


def test_each_number_of_copies_is_labelled_by_hand(monkeypatch):
    """The first solution may not show the error."""
    table = {**SPLIT, "tiles": {"D": {"atoms": [[1, 1], [2, 1]], "copies": [0, 2]}}}
    total = Labelling.total

    def miscounted(self, rows, weights, tiles=None):
        return total(self, rows, weights, tiles) + int((rows[:, 0] < 0).sum())  # where nothing is used

    puzzlesat.count(table, solver="backtrack")
    monkeypatch.setattr(Labelling, "total", miscounted)
    with pytest.raises(ContradictionError, match="ways to tell the copies"):
        puzzlesat.count(table, solver="backtrack")
