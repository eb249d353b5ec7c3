"""A grid must be stated by its smallest cell: with a coarser lattice, symmetries of forms would be missed and solutions counted twice."""

import json
from copy import deepcopy

import pytest

from helpers import load
from puzzlesat.base.errors import PuzzleError
from puzzlesat.checker.grid import read_grid
from puzzlesat.checker.values import Rejected
from puzzlesat.proofs.case import make_case
from puzzlesat.puzzles.building import build_instance
from tiers import every


def squares(width, kinds=("face",)):
    """Return a cell that is a row of squares, with their kinds in turn."""
    atoms = [
        {
            "name": f"a{i}",
            "kind": kinds[i % len(kinds)],
            "vertices": [[f"{x}/{width}", y] for x, y in ((i, "0"), (i + 1, "0"), (i + 1, "1"), (i, "1"))],
        }
        for i in range(width)
    ]
    sites = [{"at": [i, 0], "glyphs": {"█▐"[i > 0]: [f"a{i}"]}} for i in range(width)]
    return {
        "name": "row", "title": "Squares", "gram": [[width * width, 0], [0, 1]], "atoms": atoms,
        "picture": {"steps": [[width, 0], [0, 1]], "sites": sites},
    }  # fmt: skip


def puzzle(grid):
    return {"title": "T", "flips": True, "grid": grid, "tiles": {"m": {"atoms": [[0, 0, "a0"]]}}, "form": {"atoms": [[1, 1, "a0"]]}}


@every("width", [2, 3, 4])
def test_a_grid_stated_by_too_large_a_cell_is_refused_and_the_smaller_one_told(width):
    with pytest.raises(PuzzleError) as refused:
        load(puzzle(squares(width)))
    said = str(refused.value)
    assert f'["1/{width}", 0] takes all atoms to atoms of their kind' in said
    assert "a smaller cell of 1 atom, gram = [[1, 0], [0, 1]]" in said


def test_atoms_of_other_kinds_are_other_atoms():
    assert len(load(puzzle(squares(2, ("face", "other")))).puzzle.grid.symmetries) == 4
    with pytest.raises(PuzzleError, match=r"a smaller cell of 2 atoms, gram = \[\[4, 0\], \[0, 1\]\]"):
        load(puzzle(squares(4, ("face", "other"))))


def test_two_atoms_in_one_place_are_refused():
    twice = squares(1)
    twice["atoms"].append(twice["atoms"][0] | {"name": "b"})
    with pytest.raises(PuzzleError, match="two atoms of one kind have the same vertices"):
        load(puzzle(twice))


def test_the_checker_refuses_it_too():
    stated = json.loads(json.dumps(make_case(build_instance(load(puzzle(squares(1))))).stated))
    read_grid(stated)
    coarse = deepcopy(stated)
    coarse["gram"] = [["4", "0"], ["0", "1"]]
    coarse["atoms"] = [{k: v for k, v in a.items() if k in ("name", "kind", "vertices")} for a in squares(2)["atoms"]]
    halves = [[[1, 0], [0, 1]], [[-1, 0], [0, 1]], [[1, 0], [0, -1]], [[-1, 0], [0, -1]]]
    coarse["symmetries"] = []
    for (a, _), (_, d) in halves:
        for step in (0, 1):  # the whole group: each turn and mirror, alone and followed by the translation by half a cell
            ends = [divmod(a * i + step - (a < 0), 2) for i in (0, 1)]
            coarse["symmetries"].append(
                {
                    "name": f"{a} {d} {step}",
                    "matrix": [[a, 0], [0, d]],
                    "image": [e[1] for e in ends],
                    "shift": [[e[0], -(d < 0)] for e in ends],
                }
            )
    with pytest.raises(Rejected, match="has not all translations of it: 1/2, 0 takes all atoms to atoms; state the grid by a smaller cell"):
        read_grid(coarse)
