"""The checker on forms that wrap around: placements, exclusions and motions."""

from copy import deepcopy

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from wide_statements import Rebuilt, rebuilt, wide_statement

from brute_force import TooMuch, judge
from compare import built_with_fixed
from helpers import load
from puzzlesat.base.package import data_files
from puzzlesat.checker.puzzle import read_puzzle
from puzzlesat.checker.values import Rejected
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from random_puzzles import LATTICES, SEAMS, random_puzzle
from tiers import every

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

WRAPPED = [file for file in data_files("instances") if "\nwrap =" in file.read_text(encoding="utf-8")]
STICKS = {
    "title": "T",
    "grid": "square-edges",
    "flips": True,
    "tiles": {"I": {"atoms": [[1, 1, "e"], [2, 1, "e"]], "copies": "any"}, "N": {"atoms": [[1, 1, "n"]], "copies": "any"}},
}
CARD = {
    "title": "T",
    "grid": "square-marks",
    "flips": False,
    "marks": {"p": {"kind": "halves"}, "s": {"kind": "self"}},
    "tiles": {"C": {"around": ["s", "p+", "s", "p-"]}},
}
SQUARES = {
    "title": "T",
    "grid": "square",
    "flips": False,
    "tiles": {"D": {"atoms": [[1, 1], [2, 1]], "copies": "any"}, "L": {"atoms": [[1, 1], [2, 1], [3, 1], [1, 2]], "copies": "any"}},
}


@every("path", [pytest.param(path, id=path.stem) for path in WRAPPED], fast=1)
def test_the_program_says_the_same_of_the_instances(path):
    assert len(WRAPPED) >= 12
    built = build_instance(load_instance(path))
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    Rebuilt(wide_statement(table, built)).demand_the_program(built)


@every("seams", SEAMS, fast=1)
@given(random=st.randoms(use_true_random=False), fixed=st.one_of(st.none(), st.integers(0, 1000)))
def test_the_program_and_the_judge_say_the_same_of_random_puzzles(seams, random, fixed):
    table = random_puzzle(random, want=[seams])
    built, where = built_with_fixed(table, fixed)
    mine = Rebuilt(wide_statement(table, built))
    mine.demand_the_program(built)
    if table["grid"] == "balls":
        return  # the judge knows only motions of balls that map the whole packing to itself
    try:
        judged = judge(table, where)
    except TooMuch:
        assume(False)
    _demand_the_judge(mine, judged, table)


def _demand_the_judge(mine, judged, table):
    number = mine.as_judged(judged, LATTICES[table["grid"]])
    assert sorted(number) == list(range(len(judged.laid)))
    own = {i: o for o, i in enumerate(number)}
    found = {tuple(own[g[i]] for i in number) for g in judged.symmetries}
    assert set(mine.symmetries) <= found
    if not table.get("conditions"):  # whether a motion keeps the conditions depends on which coverings exist
        assert set(mine.symmetries) == found
    solutions = set(judged.found)
    for covering in judged.kept:
        chosen = [own[i] for i in covering]
        assert not any(mine.excluded(o) & {*chosen} for o in chosen)
        assert mine.keeps(chosen) == (covering in solutions)


def test_a_row_that_closes_to_a_ring_is_crossed_nowhere():
    ring = {"atoms": [[1, 2, "e"], [2, 2, "e"], [1, 1, "n"], [1, 2, "n"], [2, 1, "n"], [2, 2, "n"]], "wrap": [{"move": [2, 0]}]}
    tiles = {"P": {"atoms": [[1, 1, "n"], [1, 2, "n"]]}, "R": {"atoms": [[1, 1, "e"], [2, 1, "e"]]}, "E": {"atoms": [[1, 1, "e"]]}}
    for may_cross in (False, True):
        found = rebuilt(STICKS | {"turns": "none", "tiles": tiles, "form": ring, "may_cross": may_cross})
        posts, rings, edges = ({o for o, p in enumerate(found.placements) if p.tile == tile} for tile in range(3))
        assert (len(posts), len(rings), len(edges)) == (2, 1, 2)
        assert all(found.excluded(o) & posts == (set() if may_cross else posts) for o in rings)
        assert not any(found.excluded(o) & posts for o in edges)


def test_an_edge_that_ends_where_it_begins_goes_through_its_point():
    table = STICKS | {"tiles": {"E": {"atoms": [[1, 1, "e"]]}, "P": {"atoms": [[1, 1, "n"], [1, 2, "n"]]}}}
    form = {"atoms": [[1, 2, "e"], [1, 1, "n"], [1, 2, "n"]], "wrap": [{"move": [1, 0]}]}
    found = rebuilt(table | {"form": form})
    lying = next(o for o, p in enumerate(found.placements) if p.tile == 0 and (1, 2, 0) in p.look[0])
    post = next(o for o, p in enumerate(found.placements) if p.tile == 1)
    assert post in found.excluded(lying)


@every(
    "around, placements",
    [(["s", "p+", "s", "p-"], 4), (["s", "p+", "s", "p+"], 1), (["s", "s", "s", "p+"], 2), (["s", "s", "p+", "p-"], 0)],
)
def test_a_card_that_is_its_own_neighbour_fits_itself(around, placements):
    form = {"box": [1, 3], "wrap": [{"move": [1, 0]}], "optional": "all"}
    found = rebuilt(CARD | {"tiles": {"C": {"around": around}}, "form": form})
    assert len(found.placements) == 3 * placements


@every("removed", [[[1, 1]], [[x, 1] for x in (1, 2, 3, 4)], [[1, 3], [3, 2]]])
def test_a_form_is_mirrored_as_it_was_before_atoms_were_taken_out(removed):
    form = {"box": [4, 3], "remove": removed, "optional": "all", "wrap": [{"move": [4, 0], "mirror": True}]}
    found = rebuilt(SQUARES | {"form": form})
    assert found.puzzle.surface.home((5, 1, 0)) == (None if [1, 3] in removed else (1, 3, 0))


def _statement(form=None, base=SQUARES):
    table = base | {"form": form or {"box": [4, 3], "wrap": [{"move": [4, 0], "mirror": True}]}}
    return wide_statement(table, build_instance(load(table)))


WRONG = {
    "no seams": (lambda said: said.update(seams=[]), "there is none"),
    "a seam that is a number": (lambda said: said.update(seams=[3]), "expected an object"),
    "a seam without its mirror": (lambda said: said["seams"][0].pop("mirror"), "'mirror' is missing"),
    "a mirror that is a number": (lambda said: said["seams"][0].update(mirror=1), "expected true or false"),
    "a move of one number": (lambda said: said["seams"][0].update(move=[4]), "array of 2"),
    "a move of fractions": (lambda said: said["seams"][0].update(move=[4, "1/2"]), "expected a whole number"),
    "a far move": (lambda said: said["seams"][0].update(move=[1 << 40, 0]), "expected a number from"),
    "a move that moves nothing": (lambda said: said["seams"][0].update(move=[0, 0]), "it moves nothing"),
    "a mirror that there is not": (lambda said: said["seams"][0].update(move=[4, 1]), "no mirror"),
    "a form that is no mirror image": (lambda said: said["required"].pop(), "no mirror"),
    "two mirrors": (lambda said: said["seams"].append({"move": [0, 3], "mirror": True}), "one at the most"),
    "a fold": (lambda said: said["seams"].append({"move": [4, 0], "mirror": False}), "fold"),
    "a fold across": (lambda said: said["seams"].append({"move": [4, 3], "mirror": False}), "fold"),
    "a short move": (lambda said: said["seams"][0].update(move=[3, 0]), "the same atom as one of the form"),
    "removed atoms of the form": (lambda said: said["removed"].append([1, 1, 0]), "twice"),
    "crossings missing": (lambda said: said.pop("crossings"), "'crossings' is missing"),
    "a crossing of nothing": (lambda said: said["crossings"].append({"through": [], "blocks": [[0, 0, 0]]}), "runs through some"),
    "a crossing that covers nothing": (lambda said: said["crossings"].append({"through": [[0, 0, 0]], "blocks": []}), "covers some"),
    "a crossing of no atom": (lambda said: said["crossings"].append({"through": [[0, 0, 1]], "blocks": [[0, 0, 0]]}), "no number 1"),
    "a fixed tile outside": (lambda said: said["fixed"].append({"tile": 0, "atoms": [[1, 1, 0], [1, 9, 0]], "marks": []}), "outside"),
    "a fixed tile on itself": (lambda said: said["fixed"].append({"tile": 0, "atoms": [[1, 1, 0], [9, 1, 0]], "marks": []}), "on itself"),
    "a rule on lines": (lambda said: said["rules"].append({"name": "x", "kind": "fault free"}), "wraps around"),
    "a rule on symmetries": (lambda said: said["rules"].append({"name": "x", "kind": "symmetric", "symmetries": [0]}), "no meaning"),
}


@pytest.mark.full
@every("wrong", WRONG, fast=5)
def test_a_statement_that_makes_no_sense_is_refused(wrong):
    said = deepcopy(_statement())
    read_puzzle(said, wide=True)
    spoil, message = WRONG[wrong]
    spoil(said)
    with pytest.raises(Rejected, match=message):
        Rebuilt(said)


def test_a_mirrored_seam_is_in_the_plane():
    said = _statement(
        {"box": [2, 2, 1], "wrap": [{"move": [2, 0, 0]}]},
        SQUARES | {"grid": "cube", "tiles": {"D": {"atoms": [[1, 1, 1]], "copies": "any"}}},
    )
    said["seams"][0]["mirror"] = True
    with pytest.raises(Rejected, match="in the plane alone"):
        read_puzzle(said, wide=True)


@every("key", ["seams", "crossings", "removed"])
def test_a_certificate_states_no_such_puzzle(key):
    said = _statement()
    for other in {"seams", "crossings", "removed"} - {key}:
        del said[other]
    with pytest.raises(Rejected, match=f"unknown key '{key}'"):
        read_puzzle(said)
