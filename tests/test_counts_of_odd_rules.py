"""Small puzzles, counted by hand, whose rules once led, or could lead, to a wrong count or a crash."""

import pytest

from compare import check_small
from helpers import load
from puzzlesat.base.errors import PuzzleError
from puzzlesat.counting.counts import Labelling
from puzzlesat.counting.crosscheck import Plan, count
from puzzlesat.counting.second_reading import read_twice
from puzzlesat.puzzles.building import build_instance
from puzzlesat.solvers.registry import SOLVERS
from tiers import every

DOMINO, ONE, ONE_COPY = {"atoms": [[1, 1], [2, 1]]}, {"atoms": [[1, 1]], "copies": "any"}, {"atoms": [[1, 1]]}


def squares(tiles, box, **more):
    return {"title": "odd rules", "grid": "square", "flips": True, "tiles": tiles, "form": {"box": box} | more.pop("form", {}), **more}


def pictures(box, *, form=(), turns="all", break_on=None, **tiles):
    """Tiles given by pictures, each with its copies or its turns, if these are given."""
    tiles = {name: {"picture": tile} if isinstance(tile, str) else {"picture": tile[0]} | tile[1] for name, tile in tiles.items()}
    return squares(tiles, box, form=dict(form), turns=turns, **({"break_on": break_on} if break_on else {}))


def halves(box, *, form=(), **tiles):
    tiles = {name: {"atoms": [[x, 1, a] for a in letters]} | more for name, (x, letters, more) in tiles.items()}
    return {"title": "halves", "grid": "tans", "flips": False, "turns": "none", "tiles": tiles, "form": {"box": box} | dict(form)}


def twins(copies):
    tiles = {"S": {"atoms": [[1, 1], [2, 1], [2, 2], [3, 2]], "copies": copies}}
    tiles["Z"] = {"atoms": [[1, 2], [2, 2], [2, 1], [3, 1]], "copies": [0, 1]}
    return squares({name: tile | {"flips": False} for name, tile in tiles.items()} | {"O": ONE}, [4, 2])


NONE, UPRIGHT = {"all": 0}, {"turns": "none"}
KNOWN = {
    "a tile without placement in a symmetric form": (pictures([2, 2], A="###", B=("##", {"copies": 2})), NONE),
    "symmetry broken on a tile whose placements are all dead": (
        pictures([3, 3], A="###", B=("##", {"copies": 3}), form={"remove": [[2, 2], [1, 2], [3, 2]]}), NONE,
    ),
    "symmetry broken on a tile that every symmetry leaves in place": (
        pictures([3, 3], A="###\n###\n###", break_on="A"), {"all": 1, "distinct": 1},
    ),
    "tiles that differ only in turns that do not matter look the same": (
        pictures([4, 1], A="#", B=("#", UPRIGHT), C="##"), {"labelled": 6, "all": 3, "distinct": 2, "labelled_distinct": 3},
    ),
    "tiles that share some of their orientations": (  # both lie flat, and either may be the lower one
        pictures([2, 2], A="##", B=("##", UPRIGHT)), {"labelled": 2, "all": 2, "distinct": 1},
    ),
    "tiles exchanged by a turn of the form": (
        halves([1, 1], A=(1, "RB", {}), B=(1, "LT", {})), {"labelled": 1, "all": 1, "distinct": 1, "labelled_distinct": 1},
    ),
    "mirror twins are exchanged by a mirror": (
        pictures([4, 2], L="###\n..#", J="#..\n###", turns="none"), {"labelled": 2, "all": 2, "distinct": 1, "labelled_distinct": 1},
    ),
    "every placement that is fixed is there": (  # three single squares are left
        squares({"D": DOMINO | {"copies": "any"}, "O": ONE}, [3, 2], form={"fixed": ["D.1@1.1", "O.1@3.1"]}), {"all": 3},
    ),
    "tiles exchanged beside one that could stand in for either": (  # the half turn maps A to C; B has an orientation of C, but is not C
        halves([2, 1], A=(1, "BL", {}), B=(2, "BL", {"turns": "all"}), C=(2, "RT", {}), form={"optional": "all"}),
        {"labelled": 12, "all": 12, "distinct": 6, "labelled_distinct": 6},
    ),
}  # fmt: skip
"""Puzzles, and what is known of their counts."""
JUDGED = {
    "mirror twins of which one must be there are not exchanged": (twins(1), 1),  # S on the left becomes S on the right after a turn
    "mirror twins that may both be left out are exchanged": (twins([0, 1]), 2),  # solutions with one of the two, and with none
    "a coloured corner breaks the symmetry though no tile minds it": (
        squares({"D": DOMINO | {"copies": 3}}, [3, 2], form={"colours": {"red": [[1, 1]]}}), 3,
    ),
}  # fmt: skip
"""Puzzles that the judge can read, and their solutions up to symmetry."""


@every("case", KNOWN)
def test_every_solver_counts_what_is_known(case):
    table, known = KNOWN[case]
    report = count(load(table), Plan(solvers=tuple(SOLVERS)))
    assert report.agree
    assert report.burnside
    assert all(report.witnesses.values()), report.witnesses
    assert {key: getattr(report.counts, key) for key in known} == known


def balls(*atoms, **more):
    tile, form = {"atoms": list(atoms)}, {"atoms": list(atoms)}
    return {"title": "balls", "grid": "balls", "flips": False, "tiles": {"T": tile | more}, "form": form}


TRIANGLE = ([1, 1, 1], [1, 2, 1], [1, 1, 2])
TURNED = {
    "one of two squares is never turned": (squares({"A": ONE_COPY, "B": ONE_COPY | UPRIGHT}, [2, 1], flips=False), 4),
    "one of two squares is never flipped": (squares({"A": ONE_COPY, "B": ONE_COPY | {"flips": False}}, [2, 1]), 8 * 4),
    "the second of two squares is flipped": (squares({"A": ONE_COPY, "B": ONE_COPY | {"flips": True}}, [2, 1], flips=False), 4 * 8),
    "two copies of a square, and one of a domino": (pictures([4, 1], A=("#", {"copies": 2}), B="##"), 8**2 * 4),
    "four balls in a tetrahedron": (balls(*TRIANGLE, [0, 2, 2]), 12),
    "three balls in a triangle, which are turned over in their plane": (balls(*TRIANGLE), 6),
    "five balls without symmetry": (balls(*TRIANGLE, [1, 3, 1], [0, 2, 2]), 1),
    "two balls turn about their row by any angle": (balls(*TRIANGLE[:2]), None),
    "two balls that are never turned": (balls(*TRIANGLE[:2], turns="none"), 1),
    "as many squares as you like": (squares({"A": ONE}, [2, 1]), None),
}
"""Puzzles, and in how many ways their pieces can be turned so that they look the same."""
FAST = ("one of two squares is never turned", "two copies of a square, and one of a domino", "four balls in a tetrahedron")


@every("case", TURNED, fast=FAST)
def test_turns_that_look_the_same_are_those_that_each_piece_may_make(case):
    table, turns = TURNED[case]
    built = build_instance(load(table))
    assert (Labelling(built).turns(), read_twice(built).turns) == (turns, turns)


@every("case", JUDGED)
def test_the_count_is_that_of_the_judge(case):
    table, distinct = JUDGED[case]
    assert check_small(table).distinct == distinct


def marked(side, other):
    marks = [{"at": side, "on": [1, 1], "mark": "r"}, {"at": side, "on": other, "mark": "h+"}]
    tiles = {"A": {"atoms": [[1, 1], [2, 1]], "marks": marks}, "B": {"picture": "#"}}
    return squares(tiles, [3, 1], grid="square-marks", flips=False, marks={"r": {"kind": "self"}, "h": {"kind": "halves"}})


WEIGHT = {"name": "weight", "tiles": {"B": 1}, "equals": 1}
REFUSED = {
    "turns that are no group": (pictures([3, 2], A="##\n#.", B="##\n.#", turns=[0, 90]) | {"flips": False}, "turns"),
    "identical tiles with different weights": (pictures([2, 1], A="#", B="#") | {"conditions": [WEIGHT]}, "the same weight"),
    "marks between two faces of a tile": (marked([2, 1, "v"], [2, 1]), "mark"),
    "two marks on one side": (marked([1, 1, "v"], [1, 1]), "mark"),
    **{
        f"all optional and {where} slots required": (
            squares({"O": ONE}, [2, 1], grid="square-slots", form={"optional": "all", where: {"slot": "required"}}),
            rf'optional = "all" and {where} = {{ slot = "required" }} contradict each other',
        )
        for where in ("inner", "outer")
    },
}


@every("case", REFUSED)
def test_what_makes_no_sense_is_refused(case):
    table, said = REFUSED[case]
    with pytest.raises(PuzzleError, match=said):
        load(table)
