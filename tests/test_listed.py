"""Tiles whose placements a file lists: read, placed, re-checked, drawn, or refused with one sentence."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import listed_placements
import stomachion_placements
from helpers import built_of, load, solution_set
from puzzlesat.base import Limits, NotSupportedError, PuzzleError, data_folder
from puzzlesat.checker import Rejected, check_certificate, read_puzzle
from puzzlesat.counting import Fact, facts, read_twice
from puzzlesat.counting.crosscheck import Plan, count
from puzzlesat.designing.tile_set import digest
from puzzlesat.formats.xmpuzzle import xmpuzzle_of
from puzzlesat.pictures.boards import board_as_json
from puzzlesat.pictures.canvases import canvas
from puzzlesat.pictures.flat import placement_drawing, solution_svg
from puzzlesat.pictures.palette import NAMED
from puzzlesat.proofs import certify, make_case, solution_check
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.solvers.registry import SOLVERS
from tiers import every

LISTED = [[[1, 1], [3, 2]], [[2, 1], [1, 2], [2, 2]], [[1, 1]]]


def table(placements=LISTED, form=None, **more):
    """A listed tile and single squares, in three by two squares."""
    tiles = {"P": {"placements": placements} | more, "one": {"atoms": [[1, 1]], "copies": "any"}}
    return {"title": "T", "grid": "square", "flips": True, "tiles": tiles, "form": form or {"box": [3, 2]}}


def test_a_listed_tile_lies_as_the_list_says_is_named_by_its_number_and_counted_by_every_solver():
    built = built_of(table())
    for solver in SOLVERS:
        assert count(built, Plan(solvers=(solver,), budget=5.0)).counts.all == 3
    assert built.placements.names[:3] == ("P.1@1.1", "P.2@2.1", "P.3@1.1")
    assert [built.placements[i].atoms for i in range(3)] == [((1, 1, 0), (3, 2, 0)), ((2, 1, 0), (1, 2, 0), (2, 2, 0)), ((1, 1, 0),)]


def test_a_placement_may_be_a_text():
    assert built_of(table(["1,1 3,2", "2,1 1,2 2,2", [[1, 1]]])).puzzle.tiles == built_of(table()).puzzle.tiles
    named = {"title": "T", "grid": "tans", "flips": True, "form": {"box": [1, 1]}}
    texts, lists = ["1,1,L 1,1,T", "1,1,R 1,1,B"], [[[1, 1, "L"], [1, 1, "T"]], [[1, 1, "R"], [1, 1, "B"]]]
    both = [built_of(named | {"tiles": {"P": {"placements": said, "copies": 2}}}).puzzle.tiles for said in (texts, lists)]
    assert both[0] == both[1]


def test_two_tiles_with_the_same_list_in_any_order_are_copies():
    both = table([[[1, 1]], [[2, 2]]])
    both["tiles"]["Q"] = {"placements": [[[2, 2]], [[1, 1]]]}
    built = built_of(both)
    assert [(t.members, t.low) for t in built.puzzle.tiles] == [(("P", "Q"), 2), (("one",), 0)]
    assert count(built, Plan(solvers=("backtrack",))).counts.all == 1


@every(
    ("tables", "said"),
    [
        (table([[[1, 1]], [[4, 1]]]), "tiles.P: placements: number 2: [4, 1] is not in the form; remove the placement"),
        (table([[[1, 1], [2, 1]], [[2, 1], [1, 1]]]), "tiles.P: placements: number 2: the same atoms as number 1; remove one of the two"),
        (table([[[1, 1], [1, 1]]]), "tiles.P: placements: number 1: [1, 1] is listed twice; remove one"),
        (table([[]]), "tiles.P: placements: number 1: a placement needs at least one atom"),
        (table([[[1, 1, "x"]]]), "tiles.P: placements: number 1: grid 'square' has no atom 'x'"),
        (table(["1,1", "1;2"]), "tiles.P: placements: number 2: ['1;2'] is not an atom of grid 'square'"),
        (table(["1,1", "9" * 5000 + ",1"]), "tiles.P: placements: number 2: ['999"),
        (table(["1,1", "1,\u0663"]), "tiles.P: placements: number 2: [1, '\u0663'] is not an atom"),
        (table(flips=False), "a tile whose placements are listed can lie in no other way; remove flips"),
        (table(picture="#"), "give the tile in one way: picture or placements, not both"),
        (table(form={"box": [3, 2], "wrap": [{"move": [3, 0]}]}, placements=[[[4, 1]]]), "[4, 1] is not in the form"),
    ],
)
def test_what_is_wrong_with_a_list_is_said(tables, said):
    with pytest.raises(PuzzleError) as error:
        load(tables)
    assert said in str(error.value)


def test_what_tiles_cross_on_a_form_that_wraps_around_is_not_guessed():
    form = {"box": [3, 2], "wrap": [{"move": [3, 0]}]}
    sticks = {"title": "T", "grid": "square-edges", "flips": True, "form": form, "tiles": {"P": {"placements": [[[1, 1, "e"]]]}}}
    with pytest.raises(PuzzleError, match="write may_cross = true"):
        load(sticks)
    assert len(built_of(sticks | {"may_cross": True}).placements) == 1


def test_the_recheck_takes_a_placement_only_where_the_list_has_it():
    built = built_of(table([[[1, 1]], [[2, 1]]], {"box": [2, 1]}))
    moved = replace(built.placements[0], atoms=((2, 1, 0),))
    other = [moved if i == 0 else p for i, p in enumerate(built.placements)]
    row = next(i for i, p in enumerate(built.placements) if p.name.startswith("one") and p.atoms == ((1, 1, 0),))
    check = solution_check(replace(built, placements=other))
    assert "is not number 1 of the placements of tile P" in check(np.array([[0, row]], dtype=np.int32))


def test_the_area_is_from_the_smallest_to_the_largest_placement():
    assert "area: the form has 6 squares, the tiles 1 or more" in [fact.text for fact in facts(built_of(table()))]
    alone = table()
    del alone["tiles"]["one"]
    assert Fact("area: the form has 6 squares, the tiles 1 to 3; so it has no solution", True) in facts(built_of(alone))


def test_a_turned_copy_and_a_board_turn_a_listed_tile_from_placement_to_placement():
    copy, name = load(table()).puzzle.transformed_copy()
    assert name != "nothing"
    assert [len(atoms) for atoms in copy.tiles[0].listed] == [2, 3, 1]
    assert all(set(atoms) <= copy.form.atoms for atoms in copy.tiles[0].listed)
    tile = board_as_json(built_of(table()))["tiles"][0]
    assert [(o["turn"], o["back"], o["flip"]) for o in tile["orientations"]] == [(1, 2, None), (2, 0, None), (0, 1, None)]


def test_a_certificate_states_the_list_and_is_checked(tmp_path):
    path = tmp_path / "some.proof"
    certify(make_case(built_of(table())), path, "tree", Limits())
    checked = check_certificate(path)
    assert (checked.counts.all, checked.counts.distinct) == (3, 3)
    assert any("3 placements as listed" in line for line in checked.checked)


def test_a_long_list_on_balls_is_stated_and_a_form_of_balls_without_tiles_refused():
    """Numbers of listed placements are not numbers of symmetries, of which balls have more than their grid."""
    balls = {"title": "T", "grid": "balls", "flips": False, "form": {"box": [7, 7, 1]}}
    none = {"form": {"atoms": [[1, 1, 1]], "optional": [[1, 1, 1]]}, "tiles": {"B": {"atoms": [[1, 1, 1]], "copies": 0}}}
    with pytest.raises(NotSupportedError, match="not pieces of balls that are turned in their plane"):
        make_case(built_of(balls | none))
    cells = [[x, y, 1] for x in range(1, 8) for y in range(1, 8)]
    case = make_case(built_of(balls | {"tiles": {"P": {"placements": [[cell] for cell in cells], "copies": 49}}}))
    assert len(case.placements) == 49


@pytest.mark.full
@every("kind", ["lrat", "tally"])
def test_other_kinds_of_certificates_too(kind, tmp_path):
    path = tmp_path / "some.proof"
    squares = {f"s{i}": {"placements": [[[1, 1], [2, 1]], [[3, 1], [3, 2]], [[1, 2], [2, 2]], [[2, 1], [2, 2]]][i:]} for i in (0, 1, 2)}
    certify(make_case(built_of(table() | {"tiles": squares})), path, kind, Limits())
    assert check_certificate(path).counts.all == count(load(table() | {"tiles": squares}), Plan(solvers=("backtrack",))).counts.all == 1


@pytest.mark.full
@every(
    ("placements", "said"),
    [
        ([], "there is at least one"),
        ([[]], "each has at least one atom"),
        ([[[1, 1, 0]], [[1, 1, 0]]], "is listed twice"),
        ([[[4, 1, 0]]], "is not an atom of the form"),
        ([[[1, 1, 1]]], "puzzle.tiles"),
        (None, "puzzle.tiles"),
    ],
)
def test_the_checker_refuses_what_is_no_list(placements, said):
    stated = make_case(built_of(table())).stated
    assert read_puzzle(stated).tiles[0].listed
    stated["tiles"][0]["placements"] = placements
    with pytest.raises(Rejected, match=said):
        read_puzzle(stated)


def test_a_list_beside_a_shape_and_the_same_list_twice_are_refused_by_the_checker():
    stated = make_case(built_of(table())).stated
    with pytest.raises(Rejected, match="unknown key 'atoms'"):
        read_puzzle({**stated, "tiles": [{**stated["tiles"][0], "atoms": [[1, 1, 0]]}]})
    twin = {**stated["tiles"][0], "name": "Q", "placements": stated["tiles"][0]["placements"][::-1]}
    with pytest.raises(Rejected, match="are the same"):
        read_puzzle({**stated, "tiles": [*stated["tiles"], twin]})


def test_a_file_of_burrtools_cannot_say_it_and_a_fingerprint_has_the_list():
    with pytest.raises(NotSupportedError, match="placements are listed"):
        xmpuzzle_of(load(table()))
    tile = load(table()).puzzle.tiles
    assert digest(tile[0]) != digest(replace(tile[0], listed=tile[0].listed[:2]))


@every("path", listed_placements.files())
def test_instances_are_as_they_were_made(path):
    assert (data_folder("instances") / path).read_text(encoding="utf-8") == listed_placements.files()[path]


@pytest.mark.slow
def test_the_solutions_of_the_stomachion_are_its_packings():
    """The file equals the generated one, and placements that a solution uses together do not overlap, by their exact corners."""
    placements = stomachion_placements.kept(stomachion_placements.every_placement())
    assert (data_folder("instances") / "stomachion" / "stomachion.toml").read_text("utf-8") == stomachion_placements.stomachion(placements)
    problem = build_instance(load_instance("stomachion")).problem
    found = solution_set(problem)
    assert len(found) == 4288
    assert len(problem.options) == len(placements)
    together = {pair for row in found for pair in combinations(sorted(row), 2)}
    assert all(stomachion_placements.apart(placements[a][1], placements[b][1]) for a, b in together)
    sizes = [stomachion_placements.area(corners) for _, corners in placements]
    assert all(sum(sizes[p] for p in row) == 2 * stomachion_placements.N**2 for row in found)


OUTLINES = ["1,1 2,1 4,3", "2,1 3,1 3,3 1,3", "1,1 2,1 1,2.5"]


def test_an_outline_is_what_is_drawn_and_changes_nothing_else():
    plain, drawn = built_of(table()), built_of(table(outlines=OUTLINES))
    assert read_twice(drawn).alike is True
    assert digest(plain.puzzle) == digest(drawn.puzzle)
    assert plain.placements.names == drawn.placements.names
    board = canvas(drawn.puzzle)
    corners = [tuple(map(float, p.split())) for p in placement_drawing(drawn, 2).area.strip("MZ").split("L")]
    wanted = board.place([(1, 1), (2, 1), (1, 2.5)], 0)
    assert np.array(corners) == pytest.approx(wanted, abs=0.01)


def test_outlines_are_points_one_text_for_each_placement():
    for outlines, wrong in (
        (OUTLINES[:2], "expected one outline for each of the 3 placements, got 2"),
        (["1,1 2,1", *OUTLINES[1:]], "expected three or more points"),
    ):
        with pytest.raises(PuzzleError, match=wrong):
            load(table(outlines=outlines))


def test_a_cube_shows_the_colours_of_its_faces():
    built = build_instance(load_instance("instant-insanity"))
    tile = built.puzzle.tiles[0]
    shown = [mark.name for mark in placement_drawing(built, built.placements.names.index("cube1.1@2.1")).marks]
    assert sorted(shown) == sorted(built.puzzle.form.colours[a] for a in tile.listed[0])
    assert NAMED[shown[0]] in solution_svg(built, [0])
