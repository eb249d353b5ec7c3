"""Forms that wrap around so narrowly that tiles close to rings, meet themselves at a point, or have loops.

All solvers share the rule that determines the placements, so their agreement does not confirm it. The judge uses the angles of edges at
points of the plane, and the small cases here were checked by hand.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from brute_force import judge
from compare import check_everything
from helpers import load
from puzzlesat.proofs.solution_checks import solution_check
from puzzlesat.puzzles.building import build_instance
from tiers import every

SQUARE = {"title": "narrow", "grid": "square-edges", "flips": True, "turns": "none"}
TRIANGLE = SQUARE | {"grid": "triangle-edges"}


def tiles(*atoms, **copies):
    return {f"t{i}": {"atoms": a, **({"copies": copies["copies"]} if copies else {})} for i, a in enumerate(atoms)}


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
    "a tile in two parts, which lie side by side where it goes round": (  # columns 1 and 3, and columns 2 and 4, in 1 + 3 ways each
        SQUARE | {"grid": "square", "turns": "all", "tiles": {"A": {"atoms": [[1, 1], [3, 1]], "copies": "any"}},
                  "form": {"box": [4, 3], "wrap": torus((0, 3))}}, 16,
    ),
    "a bent stick that comes back to a point it has passed": (  # its two bends are at the same point, each between the other's ends
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
        "form": {
            "atoms": edges("en", (-1, 1), (0, 1)), "colours": {"k1": edges("n", (-1, 1), (0, 1))}, "wrap": torus((2, 0), (0, 1)),
        },
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
    """The puzzle is too large for the judge. Without two of its tiles it is small enough, and those two have the loops."""
    three = tiles([[0, -1, "ne"], [0, 0, "e"], [1, -1, "nw"], [2, -2, "nw"]], [[-1, 0, "e"], [-1, 0, "ne"], [-1, 1, "e"]], [[1, -1, "nw"]])
    atoms = edges(["e", "ne", "nw"], *((x, -2) for x in range(4)))
    form = {"atoms": atoms, "optional": [a for a in atoms if a != [1, -2, "nw"]], "wrap": torus((4, 0), (0, 1))}
    assert check_everything(TRIANGLE | {"flips": False, "turns": "all", "tiles": three, "form": form}).all > 0


@pytest.mark.full
def test_the_recheck_knows_which_crossings_a_placement_covers():
    """Every placement is accepted, and rejected with any other set of crossings."""
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


def test_the_judge_sees_both_ends_of_a_loop():
    """By hand: a loop through a point separates the ends of a pole that passes through it from above and below."""
    table, expected = BY_HAND["a loop and a pole that it goes through"]
    assert judge(table).all == expected
    assert judge(table | {"may_cross": True}).all == 1
