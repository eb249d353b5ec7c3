"""Small puzzles, counted by hand, whose rules once led, or could lead, to a wrong count or a crash."""

from __future__ import annotations

import pytest

from compare import check_small
from helpers import load, solution_set
from puzzlesat.counting.crosscheck import Plan, count
from puzzlesat.cover.build import build
from puzzlesat.errors import PuzzleError
from puzzlesat.puzzle.transformed import transformed_copy
from puzzlesat.solvers.registry import SOLVERS

SQUARE = {"title": "odd rules", "grid": "square", "flips": True}


def counts_of(table):
    report = count(load(table), Plan(solvers=tuple(SOLVERS)))
    assert report.agree
    assert report.burnside
    return report.counts


def test_a_tile_without_placement_in_a_symmetric_form():
    tiles = {"A": {"picture": "###"}, "B": {"picture": "##", "copies": 2}}
    assert counts_of({**SQUARE, "tiles": tiles, "form": {"box": [2, 2]}}).all == 0


def test_symmetry_broken_on_a_tile_whose_placements_are_all_dead():
    tiles = {"A": {"picture": "###"}, "B": {"picture": "##", "copies": 3}}
    form = {"box": [3, 3], "remove": [[2, 2], [1, 2], [3, 2]]}
    assert counts_of({**SQUARE, "tiles": tiles, "form": form}).all == 0


def test_symmetry_broken_on_a_tile_that_every_symmetry_leaves_in_place():
    tiles = {"A": {"picture": "###\n###\n###"}}
    counts = counts_of({**SQUARE, "tiles": tiles, "form": {"box": [3, 3]}, "break_on": "A"})
    assert (counts.all, counts.distinct) == (1, 1)


def test_tiles_that_differ_only_in_turns_that_do_not_matter_look_the_same():
    tiles = {"A": {"picture": "#"}, "B": {"picture": "#", "turns": "none"}, "C": {"picture": "##"}}
    counts = counts_of({**SQUARE, "tiles": tiles, "form": {"box": [4, 1]}})
    assert (counts.labelled, counts.all, counts.distinct, counts.labelled_distinct) == (6, 3, 2, 3)


def test_tiles_that_share_some_of_their_orientations():
    tiles = {"A": {"picture": "##"}, "B": {"picture": "##", "turns": "none"}}
    counts = counts_of({**SQUARE, "tiles": tiles, "form": {"box": [2, 2]}})
    assert counts.labelled == counts.all == 2  # both lie flat, either of them below
    assert counts.distinct == 1


def test_tiles_exchanged_by_a_turn_of_the_form():
    tiles = {"A": {"atoms": [[1, 1, "R"], [1, 1, "B"]]}, "B": {"atoms": [[1, 1, "L"], [1, 1, "T"]]}}
    table = {"title": "halves", "grid": "tans", "flips": False, "turns": "none", "tiles": tiles, "form": {"box": [1, 1]}}
    counts = counts_of(table)
    assert (counts.labelled, counts.all, counts.distinct, counts.labelled_distinct) == (1, 1, 1, 1)


def test_mirror_twins_are_exchanged_by_a_mirror():
    tiles = {"L": {"picture": "###\n..#"}, "J": {"picture": "#..\n###"}}
    counts = counts_of({**SQUARE, "turns": "none", "tiles": tiles, "form": {"box": [4, 2]}})
    assert counts.labelled == counts.all
    assert counts.labelled_distinct == counts.distinct


def test_mirror_twins_of_which_one_must_be_there_are_not_exchanged():
    tiles = {"S": {"atoms": [[1, 1], [2, 1], [2, 2], [3, 2]]}, "Z": {"atoms": [[1, 2], [2, 2], [2, 1], [3, 1]], "copies": [0, 1]}}
    tiles = {name: tile | {"flips": False} for name, tile in tiles.items()} | {"O": {"atoms": [[1, 1]], "copies": "any"}}
    assert check_small({**SQUARE, "tiles": tiles, "form": {"box": [4, 2]}}).distinct == 1  # S on the left is S on the right after a turn


def test_mirror_twins_that_may_both_be_left_out_are_exchanged():
    tiles = {"S": {"atoms": [[1, 1], [2, 1], [2, 2], [3, 2]]}, "Z": {"atoms": [[1, 2], [2, 2], [2, 1], [3, 1]]}}
    tiles = {name: tile | {"flips": False, "copies": [0, 1]} for name, tile in tiles.items()} | {"O": {"atoms": [[1, 1]], "copies": "any"}}
    assert check_small({**SQUARE, "tiles": tiles, "form": {"box": [4, 2]}}).distinct == 2  # with one of the two, or with none


def test_a_coloured_corner_breaks_the_symmetry_though_no_tile_minds_it():
    table = {**SQUARE, "tiles": {"D": {"atoms": [[1, 1], [2, 1]], "copies": 3}}, "form": {"box": [3, 2], "colours": {"red": [[1, 1]]}}}
    assert check_small(table).distinct == 3


def test_every_placement_that_is_fixed_is_there():
    tiles = {"D": {"atoms": [[1, 1], [2, 1]], "copies": "any"}, "O": {"atoms": [[1, 1]], "copies": "any"}}
    form = {"box": [3, 2], "fixed": ["D.1@1.1", "O.1@3.1"]}
    assert counts_of({**SQUARE, "tiles": tiles, "form": form}).all == 3  # three squares in a row are left


def test_turns_that_are_no_group_are_refused_or_counted_as_they_are():
    """A lies missing its lower right or upper right corner, B its lower left or lower right one: they fit in one way."""
    tiles = {"A": {"picture": "##\n#."}, "B": {"picture": "##\n.#"}}
    table = {**SQUARE, "flips": False, "turns": [0, 90], "tiles": tiles, "form": {"box": [3, 2]}}
    try:
        counts = counts_of(table)
    except PuzzleError as error:
        assert "turns" in str(error)
    else:
        assert counts.labelled == 1


def test_identical_tiles_with_different_weights_are_refused_or_weighed_each():
    tiles = {"A": {"picture": "#"}, "B": {"picture": "#"}}
    conditions = [{"name": "weight", "tiles": {"B": 1}, "equals": 1}]
    table = {**SQUARE, "tiles": tiles, "form": {"box": [2, 1]}, "conditions": conditions}
    try:
        counts = counts_of(table)
    except PuzzleError as error:
        assert "weight" in str(error)
    else:
        assert counts.labelled == 2


@pytest.mark.parametrize(
    "marks",
    [
        [{"at": [2, 1, "v"], "on": [1, 1], "mark": "r"}, {"at": [2, 1, "v"], "on": [2, 1], "mark": "h+"}],
        [{"at": [1, 1, "v"], "on": [1, 1], "mark": "r"}, {"at": [1, 1, "v"], "on": [1, 1], "mark": "h+"}],
    ],
    ids=["between two faces of the tile", "two on one side"],
)
def test_marks_that_no_tile_can_carry_are_refused(marks):
    table = {
        "title": "marks",
        "grid": "square-marks",
        "flips": False,
        "marks": {"r": {"kind": "self"}, "h": {"kind": "halves"}},
        "tiles": {"A": {"atoms": [[1, 1], [2, 1]], "marks": marks}, "B": {"picture": "#"}},
        "form": {"box": [3, 1]},
    }
    with pytest.raises(PuzzleError, match="mark"):
        load(table)


def test_a_turned_copy_of_a_puzzle_with_flips_and_no_turns():
    table = {**SQUARE, "turns": "none", "tiles": {"L": {"picture": "###\n..#"}}, "form": {"picture": "###\n#.."}}
    puzzle = load(table).puzzle
    assert len(solution_set(build(puzzle).problem)) == 1
    assert len(solution_set(build(transformed_copy(puzzle)[0]).problem)) == 1


def test_tiles_exchanged_beside_one_that_could_stand_in_for_either():
    """The half turn takes A to C and B to itself; B has an orientation of C, but it is not C."""
    tiles = {
        "A": {"atoms": [[1, 1, "B"], [1, 1, "L"]]},
        "B": {"atoms": [[2, 1, "B"], [2, 1, "L"]], "turns": "all"},
        "C": {"atoms": [[2, 1, "R"], [2, 1, "T"]]},
    }
    table = {"title": "halves", "grid": "tans", "flips": False, "turns": "none", "tiles": tiles}
    counts = counts_of({**table, "form": {"box": [2, 1], "optional": "all"}})
    assert (counts.labelled, counts.all, counts.distinct, counts.labelled_distinct) == (12, 12, 6, 6)
