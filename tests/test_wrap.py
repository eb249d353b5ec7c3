"""Known counts of forms that wrap around, also narrow ones. test_random_puzzles compares random ones with the judge."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from compare import check_everything, check_small
from helpers import load
from puzzlesat.base.errors import PuzzleError
from puzzlesat.counting import Plan, count
from puzzlesat.proofs.statement import solution_check
from puzzlesat.puzzles import build_instance, shape_symmetries
from puzzlesat.solvers.registry import SOLVERS
from tiers import every

DOMINOES = {"title": "d", "grid": "square", "flips": True, "tiles": {"D": {"picture": "##", "copies": "any"}}}


@every(
    ("box", "wrap", "expected"),
    [
        ([6, 4], [{"move": [6, 0]}, {"move": [0, 4]}], 3108),  # perfect matchings of C4 x C6
        ([4, 4], [{"move": [4, 0]}, {"move": [0, 4]}], 272),  # P. W. Kasteleyn 1961, for the torus 4 x 4
        ([4, 4], [{"move": [4, 0], "mirror": True}], 71),  # W. T. Lu, F. Y. Wu 1999, Dimer statistics on the Möbius strip
        ([4, 4], [{"move": [4, 0], "mirror": True}, {"move": [0, 4]}], 196),  # Klein bottle, counted on its graph
    ],
    fast=("71",),
)
def test_dominoes_as_published(box, wrap, expected):
    report = count(load(DOMINOES | {"form": {"box": box, "wrap": wrap}}), Plan(solvers=tuple(SOLVERS)))
    assert report.agree and report.counts.all == expected


@every(
    ("form", "message"),
    [
        ({"box": [4, 4], "wrap": [{"move": [3, 0]}]}, "are the same atom"),
        ({"box": [4, 4], "wrap": [{"move": [0, 0]}]}, "not all of them 0"),
        ({"box": [4, 4], "wrap": [{"move": [4]}]}, "expected 2 numbers"),
        ({"box": [4, 4], "wrap": [{"move": [4, 1], "mirror": True}]}, "no mirror"),
        ({"box": [4, 4], "wrap": [{"move": [4, 0], "mirror": True}, {"move": [0, 4], "mirror": True}]}, "one seam"),
        ({"box": [2, 2, 1], "wrap": [{"move": [2, 0, 0], "mirror": True}]}, "in space"),
        ({"box": [4, 1], "wrap": [{"move": [4, 0], "mirror": True}, {"move": [4, 0]}]}, "fold the form along a line"),
        ({"picture": "██\n█.\n", "wrap": [{"move": [2, 0], "mirror": True}]}, "mirror image"),
    ],
)
def test_seams_that_make_no_sense(form, message):
    with pytest.raises(PuzzleError, match=message):
        load(DOMINOES | {"form": form} | ({"grid": "cube"} if len(form.get("box", ())) == 3 else {}))


MARKS = {"p": {"kind": "halves"}, "s": {"kind": "self"}, "l": {"kind": "lonely"}}


def cards(*around, copies="any", **form):
    tiles = {f"t{i}": {"around": a, "copies": copies} for i, a in enumerate(around)}
    return {"title": "cards", "grid": "square-marks", "flips": False, "marks": MARKS, "tiles": tiles, "form": form}


def counted(table):
    report = count(load(table), Plan(solvers=tuple(SOLVERS)))
    assert report.agree, report.disagreements
    return report.counts.all, report.counts.distinct


@every(
    ("around", "alone", "pair"),
    [
        # alone on a torus of one square; two on a torus of two squares, where each is above itself
        (["s", "p+", "s", "p-"], 4, 4 + 2),  # a row of equal turns, or upright pieces that each meet themselves
        (["s", "p+", "s", "p+"], 0, 0),
        (["s", "l", "s", "l"], 0, 0),
        (["s", "s", "s", "s"], 1, 1),
        (["s", "s", "s", "p+"], 0, 0),
    ],
    fast=("4", "0 (4)"),
)
def test_a_card_that_is_its_own_neighbour_meets_itself(around, alone, pair):
    assert counted(cards(around, box=[1, 1], wrap=[{"move": [1, 0]}, {"move": [0, 1]}]))[0] == alone
    assert counted(cards(around, box=[2, 1], wrap=[{"move": [2, 0]}, {"move": [0, 1]}]))[0] == pair


RING, MOEBIUS = [{"move": [2, 0]}], [{"move": [2, 0], "mirror": True}]
KLEIN = [{"move": [2, 0], "mirror": True}, {"move": [0, 3]}]
BETWEEN = {"name": "left", "uncovered": "inner slot"}
NOSE = {"around": "10000000", "copies": [0, 2]}
UPRIGHT = {"D": {"atoms": [[1, 1], [1, 2]], "copies": "any"}, "O": {"atoms": [[1, 1]], "copies": "any"}}
TROMINO = {"L": {"atoms": [[1, 1], [2, 1], [1, 2]], "copies": "any"}}


def squares(tiles, **more):
    return {"title": "s", "grid": "square", "flips": True, "tiles": tiles} | more


SMALL = {
    "slots on a seam lie between two faces": (
        squares({"N": NOSE, "O": {"around": "00000000", "copies": [0, 1]}}, grid="square-slots", split=BETWEEN,
                form={"box": [2, 1], "inner": {"slot": "optional"}, "wrap": RING}),
        4 * 3 + 4 * 2,  # two noses in two of four slots, or one beside a square without a nose
    ),
    "a tile may begin beyond a mirrored seam": (squares(TROMINO, form={"box": [3, 2], "wrap": [{"move": [3, 0], "mirror": True}]}), 6),
    "a seam is no border, and the border is met by mates": (
        cards(["p-", "p+", "p-", "p-"], copies=2, box=[2, 1], border="p+", wrap=RING), 2,
    ),
    "beyond a mirrored seam a mark lies on the other side": (
        cards(["s", "p+", "p+", "p-"], ["p-", "s", "s", "p+"], ["p-", "p+", "s", "p-"], copies=[0, 4], box=[2, 2], border="s", wrap=MOEBIUS)
        | {"turns": "none"}, 4,
    ),
    "a quarter turn of a square that wraps around one way": (
        squares({"I": {"atoms": [[1, 1], [2, 1], [3, 1]], "copies": [0, 1]}} | UPRIGHT, form={"box": [2, 2], "wrap": RING}), 7,
    ),
    "what moves a mirrored seam is no symmetry": (squares(UPRIGHT, turns="none", form={"box": [2, 3], "wrap": KLEIN}), 16),
}  # fmt: skip
"""Puzzles and how many solutions they have."""


@every("case", SMALL)
def test_small_puzzles_have_the_counts_of_the_judge(case):
    table, expected = SMALL[case]
    assert check_small(table).all == expected


def test_a_side_that_a_tile_marks_on_both_faces_is_one_item():
    """For example, Knuth's format cannot express an option with an item twice."""
    ring = build_instance(load(cards(["s", "p+", "s", "p-"], box=[2, 1], wrap=[{"move": [2, 0]}, {"move": [0, 1]}])))
    both = [{"at": [2, 1, "v"], "on": [x, 1], "mark": "s"} for x in (1, 2)]
    table = cards(box=[3, 1]) | {"tiles": {"A": {"atoms": [[1, 1], [2, 1]], "marks": both}, "B": {"atoms": [[1, 1]]}}}
    for built in (ring, build_instance(load(table))):
        rows = [built.problem.items_of(o).tolist() for o in range(built.problem.size)]
        assert rows and all(len(set(row)) == len(row) for row in rows)


@every(("may_cross", "expected"), [(True, 2**8), (False, 2)], fast=("False",))
def test_sticks_go_straight_across_a_seam(may_cross, expected):
    """Each ring of four edges can be covered in two ways; without crossings, the rows determine the columns, and those the other rows."""
    form = {"box": [4, 4], "wrap": [{"move": [4, 0]}, {"move": [0, 4]}]}
    sticks = squares({"I": {"picture": "─ ─", "copies": "any"}}, grid="square-edges", may_cross=may_cross, form=form)
    assert counted(sticks)[0] == expected


def test_a_stick_that_closes_to_a_ring_is_one_placement_and_cannot_be_crossed():
    row, column = [[x, 1, "e"] for x in (1, 2, 3)], [[2, 0, "n"], [2, 1, "n"]]
    table = {"title": "ring", "grid": "square-edges", "flips": False, "turns": "none", "tiles": {"I": {"atoms": row}}}
    wrap = [{"move": [3, 0]}]
    assert counted(table | {"form": {"atoms": row, "wrap": wrap}}) == (1, 1)
    tiles = {"I": {"atoms": row}, "J": {"atoms": column}}
    assert counted(table | {"tiles": tiles, "form": {"atoms": row + column, "wrap": wrap}})[0] == 0
    assert counted(table | {"tiles": tiles, "may_cross": True, "form": {"atoms": row + column, "wrap": wrap}})[0] == 1


@every("box", [[1, 1], [2, 1]])
def test_a_quarter_turn_is_no_symmetry_of_a_klein_bottle(box):
    seams = [{"move": [0, 1], "mirror": True}, {"move": [box[0], 0]}]
    puzzle = load(cards(["s", "s", "s", "s"], box=box, wrap=seams)).puzzle
    assert {s.symmetry.degrees for s in shape_symmetries(puzzle) if not s.symmetry.mirror} == {0, 180}


@pytest.mark.slow
def test_a_layer_of_balls_that_wraps_around_counts_like_hexagons():
    """Bent rows of four turn in their plane by motions that are not symmetries of the packing; in space they can also be turned over."""
    bent = [[1, 1], [2, 1], [3, 1], [3, 2]]
    seams = [[4, 0], [0, 4]]
    layer = {"box": [1, 4, 4], "wrap": [{"move": [0, *s]} for s in seams]}
    flat = {"box": [4, 4], "wrap": [{"move": s} for s in seams]}
    balls = {"A": {"atoms": [[1, *a] for a in bent], "copies": "any"}}
    in_space = counted({"title": "layer", "grid": "balls", "flips": False, "tiles": balls, "form": layer})
    in_plane = counted({"title": "flat", "grid": "hexagon", "flips": True, "tiles": {"A": {"atoms": bent, "copies": "any"}}, "form": flat})
    assert in_space == in_plane == (816, 9)


@pytest.mark.full
def test_recheck_rejects_what_is_no_turned_tile():
    """On a torus: take each placement and move one of its atoms to the place where another tile of the same size would have it."""
    tiles = {"V": {"picture": "##\n#."}, "I": {"picture": "###"}}
    form = {"box": [5, 4], "wrap": [{"move": [5, 0]}, {"move": [0, 4]}], "optional": "all"}
    built = build_instance(load({**DOMINOES, "tiles": tiles, "form": form}).puzzle)
    looks = {(p.tile, frozenset(p.atoms)) for p in built.placements}
    changed = []
    for p in built.placements[:: len(built.placements) // 12]:
        changed += [replace(p, atoms=(*p.atoms[1:], atom)) for atom in sorted(built.puzzle.form.atoms) if atom not in p.atoms[1:]]
    check = solution_check(replace(built, placements=changed))
    for number, p in enumerate(changed):
        said = check(np.array([[number]], dtype=np.int32))
        assert ("turned as the rules allow" not in (said or "")) == ((p.tile, frozenset(p.atoms)) in looks)


# so narrow that tiles close to rings, meet themselves at a point, or consist of loops ----------------------------------------

SQUARE = {"title": "narrow", "grid": "square-edges", "flips": True, "turns": "none"}
TRIANGLE = SQUARE | {"grid": "triangle-edges"}


def tiles(*atoms):
    return {f"t{i}": {"atoms": a} for i, a in enumerate(atoms)}


def edges(names, *cells):
    return [[*cell, name] for cell in cells for name in names]


def torus(*moves):
    return [{"move": list(move)} for move in moves]


E, N = [1, 1, "e"], [1, 1, "n"]
ONE = torus((1, 0), (0, 1))
RING_OF_TWO = {"atoms": edges("en", (1, 1), (2, 1)), "wrap": torus((2, 0), (0, 1))}
RING_OF_THREE = {"atoms": edges("en", (1, 1), (2, 1), (3, 1)), "wrap": torus((3, 0), (0, 1))}
POLE = {"atoms": [E, N, [1, 0, "n"]], "wrap": torus((1, 0))}
BENT = [[1, 1, "e"], [2, 1, "nw"], [1, 2, "ne"]]
CORNER, LONG = [[-1, -1, "e"], [0, -1, "n"]], [[0, 0, "e"], [1, -1, "e"], [1, -1, "n"]]

BY_HAND = {
    "two loops that cross at the only point": (SQUARE | {"tiles": tiles([E], [N]), "form": {"box": [1, 1], "wrap": ONE}}, 0),
    "the same where tiles may cross": (SQUARE | {"may_cross": True, "tiles": tiles([E], [N]), "form": {"box": [1, 1], "wrap": ONE}}, 1),
    "both loops are one tile": (SQUARE | {"tiles": tiles([E, N]), "form": {"box": [1, 1], "wrap": ONE}}, 1),
    "a loop and a pole that it goes through": (SQUARE | {"tiles": tiles([E], [N, [1, 0, "n"]]), "form": POLE}, 0),
    "a loop and a pole that ends at it": (SQUARE | {"tiles": tiles([E], [N]), "form": {"atoms": [E, N], "wrap": torus((1, 0))}}, 1),
    "corners round a ring of two": (SQUARE | {"tiles": {"A": {"atoms": [N, E], "copies": 2}}, "form": RING_OF_TWO}, 2),
    "corners round a ring of three": (SQUARE | {"tiles": {"A": {"atoms": [N, E], "copies": 3}}, "form": RING_OF_THREE}, 2),
    "three loops through one point": (
        TRIANGLE | {"tiles": tiles(*([[1, 1, a]] for a in ("e", "ne", "nw"))), "form": {"box": [1, 1], "wrap": ONE}}, 0,
    ),
    "three loops that are one tile": (
        TRIANGLE | {"tiles": tiles(edges(["e", "ne", "nw"], (1, 1))), "form": {"box": [1, 1], "wrap": ONE}}, 1,
    ),
    "a tile in two parts, which lie side by side where it goes round": (  # columns 1 and 3, and 2 and 4, each in 1 + 3 ways
        SQUARE | {"grid": "square", "turns": "all", "tiles": {"A": {"atoms": [[1, 1], [3, 1]], "copies": "any"}},
                  "form": {"box": [4, 3], "wrap": torus((0, 3))}}, 16,
    ),
    "a bent stick that comes back to a point it has passed": (  # its two bends are there at the same point, between each other's ends
        TRIANGLE | {"tiles": tiles(BENT), "form": {"atoms": BENT, "wrap": torus((0, 1))}}, 1,
    ),
}  # fmt: skip
FOUND = {
    "sticks that their own images would cross": ({
        "title": "sticks", "grid": "square-edges", "flips": False, "tiles": {"t1": {"atoms": [[1, 1, "n"], [1, 2, "n"]]}},
        "form": {"atoms": [[1, 1], [1, 1, "n"], [1, 2], [1, 2, "n"], [2, 1], [2, 1, "n"], [2, 2], [2, 2, "n"]]},
        "solutions": {"symmetric": ["mirror 45"]},
    }, 0),
    "ranges and far coordinates": (SQUARE | {
        "flips": False, "turns": "all", "mirrored": "same",
        "tiles": {
            "T0": {"atoms": [[0, 0, "n"], [0, 1, "e"], [1, 0, "n"]], "copies": [0, 1]},
            "T1": {"atoms": LONG, "copies": 1}, "E": {"atoms": LONG, "copies": [0, 1]},
        },
        "form": {"atoms": edges("en", *((-888625201 + i, 930628167) for i in range(3))), "wrap": torus((3, 0), (0, 1))},
    }, 6),
    "identical tiles and two conditions": (SQUARE | {
        "flips": False, "turns": "all", "tiles": {name: {"atoms": CORNER, "copies": [0, 2]} for name in ("T0", "E")},
        "form": {"atoms": edges("en", (-4, -4), (-4, -3)), "wrap": torus((1, 0), (0, 2))},
        "conditions": [
            {"name": "r0", "along": [1, 2], "values": [2, -2], "shift": {"e": 0}, "between": [7, 11]},
            {"name": "r1", "along": [2, 0], "values": [-2, 2], "modulo": {"of": 2, "is": 0}},
        ],
    }, 2),
    "colours": (SQUARE | {
        "turns": [0, 180], "colours": {"c1": ["k1"]},
        "tiles": {"T0": {"atoms": CORNER, "copies": [1, 2]}, "E": {"atoms": CORNER, "copies": [0, 1], "flips": True}},
        "form": {"atoms": edges("en", (-1, 1), (0, 1)), "colours": {"k1": edges("n", (-1, 1), (0, 1))}, "wrap": torus((2, 0), (0, 1))},
    }, 2),
    "single edges on a skew torus of triangles": (TRIANGLE | {
        "flips": False, "mirrored": "different",
        "tiles": {
            "T0": {"atoms": [[0, 0, "e"]], "copies": [2, 3]},
            "T1": {"atoms": [[0, 0, "nw"]], "copies": 2}, "T2": {"atoms": [[0, 0, "ne"]], "copies": 1},
        },
        "form": {"atoms": [[-4, 1, "e"], [-4, 1, "nw"], [-4, 2, "e"], [-4, 2, "ne"], [-4, 2, "nw"]], "wrap": torus((1, 0), (1, 2))},
        "conditions": [
            {"name": "r0", "atoms": [[-4, 2, "e", 2]], "modulo": {"of": 5, "is": 2}}, {"name": "r1", "tiles": {"T1": 1}, "between": [1, 5]},
        ],
    }, 1),
    "a tile that meets itself at a point": (TRIANGLE | {
        "flips": False, "turns": "all",
        "tiles": {
            "T0": {"atoms": [[0, 0, "e"], [1, -1, "nw"]], "copies": [0, 2]},
            "T1": {"atoms": [[0, -1, "ne"], [1, -2, "e"], [1, -2, "nw"]], "copies": [0, 1]},
            "T2": {"atoms": [[0, 0, "e"], [1, -1, "e"]], "copies": 1},
        },
        "form": {"atoms": edges(["e", "ne", "nw"], (0, 4), (1, 4), (2, 4)), "wrap": torus((3, 0), (0, 1))},
    }, 6),
    "a split by slots that lie on the other side of a seam": ({
        "title": "slots", "grid": "square-slots", "flips": False, "tiles": {"t0": {"around": "00000000", "copies": [0, 1]}},
        "form": {
            "box": [2, 1], "wrap": [{"move": [0, 1], "mirror": True}, {"move": [2, 0]}], "remove": [[1, 1, "f"]],
            "inner": {"slot": "optional"}, "outer": {"slot": "none"}, "optional": "all",
        },
        "split": {"name": "left", "uncovered": "outer slot"},
    }, 2),
    "one square of a Klein bottle, whose symmetries take those that are left out to where nothing was": ({
        "title": "marks", "grid": "square-marks", "flips": False, "mirrored": "same", "marks": {"p": {"kind": "halves"}},
        "tiles": {"A": {"atoms": [[4, 3]], "marks": [{"at": [4, 3, "h"], "on": [4, 3], "mark": "p-"}]}},
        "form": {
            "atoms": [[3, 2], [3, 3], [4, 2], [4, 3]], "wrap": [{"move": [2, 2], "mirror": True}, {"move": [2, -2]}],
            "remove": [[3, 2], [3, 3], [4, 2]],
        },
    }, 4),
}  # fmt: skip
"""Findings of random puzzles, made smaller or unchanged, with the number of solutions."""


@every("name", BY_HAND | FOUND, fast=1)
def test_solutions_of_narrow_forms(name):
    table, expected = (BY_HAND | FOUND)[name]
    assert check_everything(table).all == expected


@pytest.mark.full
def test_loops_of_triangles_with_many_ways():
    """The puzzle is too large for the judge; without two of its tiles it is not, and those two have the loops."""
    three = tiles([[0, -1, "ne"], [0, 0, "e"], [1, -1, "nw"], [2, -2, "nw"]], [[-1, 0, "e"], [-1, 0, "ne"], [-1, 1, "e"]], [[1, -1, "nw"]])
    atoms = edges(["e", "ne", "nw"], *((x, -2) for x in range(4)))
    form = {"atoms": atoms, "optional": [a for a in atoms if a != [1, -2, "nw"]], "wrap": torus((4, 0), (0, 1))}
    assert check_everything(TRIANGLE | {"flips": False, "turns": "all", "tiles": three, "form": form}).all > 0


@pytest.mark.full
def test_the_recheck_knows_which_crossings_a_placement_covers():
    """Every placement is right in itself, and wrong with any other set of crossings."""
    built = build_instance(load(FOUND["a tile that meets itself at a point"][0]).puzzle)
    puzzle, placements = built.puzzle, list(built.placements)
    kinds = puzzle.grid.crossing_kinds
    crossings = [a for a in sorted(puzzle.form.atoms) if puzzle.grid.atoms[a[-1]].kind in kinds]
    for p in placements[:: len(placements) // 6]:
        own = [a for a in p.atoms if a not in crossings]
        for other in [[], *map(list, combinations(crossings, 1)), [a for a in p.atoms if a in crossings][1:]]:
            changed = type(p)(p.tile, p.orientation, p.cell, p.name, (*own, *other), p.marks)
            said = solution_check(replace(built, placements=[changed]))(np.array([[0]], dtype=np.int32))
            sound = "turned as the rules allow" not in (said or "")
            assert sound == (set(changed.atoms) == set(p.atoms))
