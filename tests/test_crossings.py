"""Tiles that must not cross at a point: crossings of the grids of edges, and their effect on tiles and forms."""

from itertools import combinations, product

import pytest

from helpers import load, named
from puzzlesat.base.errors import PuzzleError
from puzzlesat.base.package import data_folder
from puzzlesat.counting.crosscheck import Plan, count
from puzzlesat.puzzles.grids import load_grid
from puzzlesat.puzzles.load import load_instance
from puzzlesat.solvers.registry import SOLVERS
from tiers import every

FOLDER = data_folder("grids")
ROUND = {
    "square-edges": ((0, 0, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 1)),
    "triangle-edges": ((0, 0, 0), (0, 0, 1), (0, 0, 2), (-1, 0, 0), (0, -1, 1), (1, -1, 2)),
}
"""The edges at the point [0, 0], counterclockwise."""
PLUS = [[1, 2, "e"], [2, 2, "e"], [2, 1, "n"], [2, 2, "n"]]


def plus(*tiles, **more):
    table = {f"t{i}": {"atoms": t} for i, t in enumerate(tiles)}
    return {"title": "plus", "grid": "square-edges", "flips": True, "tiles": table, "form": {"atoms": PLUS}, **more}


def number(table):
    return count(load(table), Plan(solvers=tuple(SOLVERS), budget=5.0)).counts.all


@every("name", ROUND, fast=1)
def test_two_tiles_share_a_crossing_exactly_if_their_edges_take_turns(name):
    grid, edges = named(name), ROUND[name]
    for owners in product((0, 1, 2), repeat=len(edges)):
        one, other = ([i for i, o in enumerate(owners) if o == who] for who in (1, 2))
        take_turns = any((a < b < c) != (a < d < c) for a, c in combinations(one, 2) for b, d in combinations(other, 2))
        shared = grid.crossings_of(edges[i] for i in one) & grid.crossings_of(edges[i] for i in other)
        assert bool(shared) == take_turns, owners


def test_crossings_move_with_the_tile():
    grid = named("square-edges")
    for x, y in ((0, 0), (5, -3)):
        assert grid.crossings_of({(x, y, 0), (x + 1, y, 0)}) == {(x + 1, y, 2)}
        assert grid.crossings_of({(x, y, 1), (x, y + 1, 1)}) == {(x, y + 1, 2)}
    assert grid.crossings_of({(0, 0, 0), (0, 0, 1)}) == set()
    assert named("hexagon-edges").crossings_of({(0, 0, 0), (0, 0, 1), (0, 0, 2)}) == set()
    assert named("square").crossings_of({(0, 0, 0), (1, 0, 0)}) == set()


def test_two_straight_tiles_cross_only_where_the_model_allows_it():
    row, corner = [[1, 1, "e"], [2, 1, "e"]], [[1, 1, "e"], [1, 1, "n"]]
    assert number(plus(row, row)) == 0
    assert number(plus(row, row, may_cross=True)) == 1
    assert number(plus(corner, corner)) == number(plus(corner, corner, may_cross=True)) == 2


def test_an_instance_may_allow_what_its_model_does_not(tmp_path):
    model = 'title = "M"\ngrid = "square-edges"\nflips = true\n[tiles.A]\natoms = [[1, 1, "e"], [2, 1, "e"]]\ncopies = 2\n'
    (tmp_path / "rows.toml").write_text(model, encoding="utf-8")
    for extra, crossings in (("", 1), ("may_cross = true\n", 0)):
        file = tmp_path / "plus.toml"
        file.write_text(f'title = "I"\nmodel = "rows"\n{extra}[form]\natoms = {PLUS}\n', encoding="utf-8")
        puzzle = load_instance(file).puzzle
        assert len(puzzle.form.optional) == crossings
        assert {len(t.atoms) for t in puzzle.tiles} == {2 + crossings}


def test_generated_and_pictured_tiles_get_their_crossings():
    generated = load({"title": "G", "grid": "square-edges", "flips": True, "generate": [{"free": 2}], "form": {"atoms": PLUS}})
    drawn = load(plus(PLUS[:2]) | {"tiles": {"I": {"picture": "─ ─"}}})
    assert {t.name: len(t.atoms) for t in generated.puzzle.tiles} == {"I": 3, "V": 2}
    assert len(drawn.puzzle.tiles[0].atoms) == 3


def test_a_form_has_the_crossings_of_its_edges_and_they_may_stay_free():
    puzzle = load(plus(PLUS, form={"square": 2})).puzzle
    assert len(puzzle.form.required) == 12
    # in the middle, and at the four points between two edges of a side
    assert {a[:2] for a in puzzle.form.optional} == {(2, 2), (2, 1), (1, 2), (3, 2), (2, 3)}
    without = load(plus(PLUS, form={"square": 2, "remove": [[1, 2, "e"], [2, 1, "n"]]}))
    assert (2, 2, 2) not in without.puzzle.form.atoms


def test_a_crossing_taken_out_of_the_form_cannot_be_passed():
    row = [[1, 1, "e"], [2, 1, "e"]]
    single = [[1, 1, "e"]]
    through = plus(row, single, single)
    assert number(through) == 2 * 1
    assert number(through | {"form": {"atoms": PLUS, "remove": [[2, 2, "x"]]}}) == 0


@every(
    ("blocks", "message"),
    [('[[0, 0, "y"]]', "number 1: grid 'mine' has no atom 'y'"), ('[[0, 0, "n"]]', "blocks: 'n' is an atom that tiles are made of")],
)
def test_crossings_that_make_no_sense(blocks, message, tmp_path):
    with pytest.raises(PuzzleError, match=r"form\.inner: the crossings of a form are added automatically"):
        load(plus(PLUS, form={"square": 1, "inner": {"crossing": "optional"}}))
    text = (FOLDER / "square-edges.toml").read_text(encoding="utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(text.replace('blocks = [[0, 0, "x"]]', f"blocks = {blocks}"), encoding="utf-8")
    with pytest.raises(PuzzleError, match=message):
        load_grid(file)
