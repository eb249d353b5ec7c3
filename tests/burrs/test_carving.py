"""Pieces carved from an assembly: the assignments searched, and the level of the best in its written puzzle."""

import json
from dataclasses import replace

import networkx as nx
import pytest

import puzzlesat
from puzzlesat.base import Limits, NotSupportedError, PuzzleError
from puzzlesat.counting.results import Results
from puzzlesat.designing import DesignOptions, carving
from puzzlesat.designing.carving import Block, carved, puzzle_of_carved
from puzzlesat.designing.parting import taken_from
from puzzlesat.formats.puzzles import instance_given
from tiers import every

BOX = {
    "title": "A box",
    "grid": "cube",
    "flips": False,
    "form": {"box": [4, 3, 3], "optional": [[2, 2, 2], [3, 2, 2]]},
    "tiles": {"A": {"picture": "███\n███\n███\n", "copies": 4}},
}
PLANE = {"title": "A plane", "grid": "square", "flips": True, "form": {"box": [5, 5]}, "tiles": {"I": {"picture": "█████\n", "copies": 5}}}


def walked(table, number, seed=1, file=None, **limits):
    *_, found = carved(instance_given(table), DesignOptions(seed=seed, file=file, carve=number), Limits(**limits))
    return found


def lines_of(file):
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    return [taken_from(json.loads(line)) for line in lines]


@pytest.mark.full
@every("table", [BOX, PLANE])
def test_every_assignment_is_a_form_cut_into_pieces(table, tmp_path):
    found = walked(table, 200, file=tmp_path / "kept.jsonl")
    instance = instance_given(table)
    form, grid = instance.puzzle.form, instance.puzzle.grid
    atoms = form.numbering.atoms
    kept = lines_of(tmp_path / "kept.jsonl")
    assert len({one.cubes for one in kept}) == len(kept) >= found.searched == 200
    pieces = len(set(kept[0].cubes) - {"."})
    assert any("." in one.cubes for one in kept) == bool(form.optional)
    for one in kept:
        assert all(owner != "." or atom in form.optional for atom, owner in zip(atoms, one.cubes, strict=True))
        bodies = [[a for a, owner in zip(atoms, one.cubes, strict=True) if owner == letter] for letter in sorted(set(one.cubes) - {"."})]
        assert len(bodies) == pieces
        assert tuple(str(len(body)) for body in bodies) == one.pieces
        for body in bodies:
            graph = nx.Graph()
            graph.add_nodes_from(body)
            graph.add_edges_from((a, b) for a in body for b in grid.neighbours(a) if b in body)
            assert nx.is_connected(graph)
    best = found.best
    assert best is not None
    assert puzzle_of_carved(Block(instance_given(table)), best.cubes)["flips"] == table["flips"]


@pytest.mark.full
def test_the_level_is_that_of_the_puzzle():
    burr = instance_given("dubois-burr")
    *better, found = carved(burr, DesignOptions(seed=1, carve=200), Limits())
    assert found.best is not None
    assert found.best.moves > found.start.moves
    best = [one.best for one in better]
    assert [one.moves for one in best] == sorted(one.moves for one in best)
    assert best[-1] == found.best
    assert found.checked == found.searched
    assert next(iter(found.levels)) == found.best.level
    taken = puzzlesat.apart(puzzle_of_carved(Block(burr), found.best.cubes), jobs=1)
    assert found.best.level in taken.levels


@pytest.mark.full
def test_a_longer_search_goes_on_from_a_shorter_one(tmp_path):
    file = tmp_path / "kept.jsonl"
    short = walked(BOX, 60, file=file)
    before = file.read_text(encoding="utf-8")
    longer, again = walked(BOX, 150, file=file), walked(BOX, 150)
    assert file.read_text(encoding="utf-8").startswith(before)
    assert longer.record | {"seconds": 0} == again.record | {"seconds": 0}
    assert short.searched == 60
    assert walked(BOX, 150, seed=2).record != again.record


@pytest.mark.full
def test_limits_and_what_is_refused(tmp_path):
    ended = walked(BOX, 100, seconds=0.0)
    assert not ended.complete
    assert ended.searched == 0
    with pytest.raises(PuzzleError, match="no solution to begin with"):
        walked(PLANE | {"form": {"box": [5, 6]}}, 10)
    with pytest.raises(NotSupportedError, match="cells alone can be carved"):
        walked(PLANE | {"form": {"box": [5, 5], "wrap": [{"move": [5, 0]}]}}, 10)
    other = tmp_path / "other.jsonl"
    Results("design", "puzzle", "another", "0", other, str).close()
    with pytest.raises(PuzzleError, match="another puzzle"):
        walked(BOX, 10, file=other)
    one_cell = PLANE | {"form": {"box": [1, 2]}, "tiles": {"I": {"picture": "█\n", "copies": 2}}}
    few = walked(one_cell, 10)
    assert (few.searched, few.why) == (1, "no other assignment was found after 1 assignment")


@pytest.mark.full
def test_the_start_comes_apart_if_any_solution_does(monkeypatch):
    """The second solution of Dubois' burr comes apart, the first does not."""
    monkeypatch.setattr(carving, "STARTS", 1)
    *_, found = carved(instance_given("dubois-burr"), DesignOptions(seed=1, carve=1), Limits())
    assert found.start is not None and found.start.level == "6.4"
    doubtful = replace(found.start, least=False)
    assert taken_from(doubtful.record) == doubtful != taken_from(found.start.record) == found.start
    assert "best level found 6.4 (not known to be the least), 1 assignment" in replace(found, best=doubtful).sentence


def test_more_pieces_than_letters_of_one_case():
    row = {"title": "A row", "grid": "square", "flips": False, "form": {"box": [30, 1]}, "tiles": {"I": {"picture": "█\n", "copies": 30}}}
    instance = instance_given(row)
    best = walked(row, 1).best
    assert best is not None
    assert instance_given(puzzle_of_carved(Block(instance), best.cubes)).puzzle.tiles[0].low == 30
