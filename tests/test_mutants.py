"""Check the mutants themselves: each can be applied, the counts of the puzzles are the judge's, and alarms are recognised."""

import pytest

import mutants as bar
import puzzlesat
from brute_force import puzzleless_solutions
from compare import judged_and_built
from mutants import CONFIRMED, DISAGREEMENT, NOT_TRIGGERED, PUZZLES, SOURCE, SPELT, TESTS, UNNOTICED, count_with, counts, mutants, outcome
from puzzlesat.formats.xcc import read_xcc
from tiers import every

FEWEST = 70
STAGES = {
    "form": 8, "pictures": 2, "grids": 6, "tiles": 9, "generators": 4, "orientations": 2, "laying": 8, "identical tiles": 2, "marks": 2,
    "conditions": 9, "rules on solutions": 8, "symmetries": 10, "counts up to symmetry": 3, "names": 3, "split": 2, "best": 4,
    "instance over model": 5, "imports": 6, "turns": 3, "labelling": 4, "counts without a list": 4, "sets": 2, "numbering": 2, "designs": 1,
}  # fmt: skip
"""The least number of mutants of each stage: a refactoring moves mutants, and removes none."""
NOT_COUNTED = {"turns", "best", "sets", "numbering", "designs"}
"""The stages of mutants that change no count of a puzzle."""
BY_HAND = "labelled_turns"
"""A count that the judge does not know."""
MODEL = "the-model.toml"
"""A model that some of the puzzles name; it is not a puzzle itself."""


@every("mutant", [pytest.param(mutant, id=mutant.name) for mutant in mutants()], fast=2)
def test_each_mutant_applies_once_and_compiles(mutant):
    text = (SOURCE / "puzzlesat" / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1
    compile(text.replace(mutant.old, mutant.new), mutant.file, "exec")
    assert mutant.new != mutant.old
    assert len(mutant.triggers) in ([0] if mutant.stage in NOT_COUNTED else [1, 2, 3])
    assert set(mutant.triggers) <= counts().keys()
    assert (TESTS.parent / mutant.killed_by.partition("::")[0]).is_file()
    assert "test_mutants" not in mutant.killed_by


def test_mutants_are_in_all_stages():
    names = [mutant.name for mutant in mutants()]
    assert len(set(names)) == len(names) >= FEWEST
    stages = [mutant.stage for mutant in mutants()]
    assert {stage: stages.count(stage) for stage in stages}.keys() == STAGES.keys()
    assert {stage for stage, least in STAGES.items() if stages.count(stage) < least} == set()
    assert {mutant.stage for mutant in mutants() if mutant.imported} == {"imports"}


def test_each_puzzle_shows_some_mutant():
    used = {puzzle for mutant in mutants() for puzzle in mutant.triggers}
    assert used == counts().keys() == {file.name for file in PUZZLES.iterdir()} - {MODEL}


def tables(puzzle):
    """The tables of a puzzle; pictures, shapes, generators, models and files of other programs are spelled out for the judge."""
    spelt = SPELT / f"{(PUZZLES / puzzle).stem}.toml"
    table = bar.tomllib.loads((spelt if spelt.exists() else PUZZLES / puzzle).read_text(encoding="utf-8"))
    for tile in table["tiles"].values():
        if "placements" in tile:
            tile["placements"] = [[[*map(int, atom.split(","))] for atom in text.split()] for text in tile["placements"]]
    return table


@every("puzzle", [puzzle for puzzle in counts() if not puzzle.endswith(".xcc")], fast=2)
def test_the_counts_are_those_of_the_judge(puzzle):
    judged, _ = judged_and_built(tables(puzzle))
    found = puzzlesat.count(PUZZLES / puzzle, solver="backtrack").counts
    for key, value in counts()[puzzle].items():
        known = {int(number): times for number, times in value.items()} if isinstance(value, dict) else value
        assert key == BY_HAND or (key, getattr(judged, key)) == (key, known)
        assert (key, getattr(found, key)) == (key, known)


@every("puzzle", [puzzle for puzzle in counts() if puzzle.endswith(".xcc")])
def test_the_counts_of_cover_problems_are_those_of_the_judge(puzzle):
    assert counts()[puzzle] == {"all": len(puzzleless_solutions(read_xcc(PUZZLES / puzzle)))}


REPORT = {"agree": True, "confirmed": "as many", "complete": True, "counts": {"all": 3, "distinct": 2}, "witnesses": {"all": ["sat"]}}


@every(
    ("changed", "came"),
    [
        ({}, NOT_TRIGGERED),
        ({"counts": {"all": 4, "distinct": 2}}, CONFIRMED),
        ({"counts": {"all": 3, "distinct": 3}}, UNNOTICED),
        ({"counts": {"all": 4, "distinct": 2}, "witnesses": {}, "agree": None}, UNNOTICED),
        ({"agree": False}, DISAGREEMENT),
        ({"confirmed": "contradicted"}, DISAGREEMENT),
    ],
)
def test_what_comes_of_a_count(changed, came):
    assert outcome(REPORT | changed, {"all": 3, "distinct": 2}) == came


@pytest.mark.full
def test_a_process_has_the_mutant():
    mutant = next(mutant for mutant in mutants() if mutant.name == "a box has its sides the wrong way round")
    assert count_with(mutant, mutant.triggers[0])[0] not in (NOT_TRIGGERED, bar.CRASHED)
