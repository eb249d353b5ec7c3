"""Chess parity and its like: weightings of the atoms whose sum every solution must reach, because it covers the form.

The colouring is the periodic one with fewest colours in which neighbours differ: black and white on squares, triangles, cubes
and the halves of squares; three colours on hexagons. With colours 0 and 1 one condition says it all; with three, each colour has one.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from puzzlesat.arrays import Longs
from puzzlesat.cover.problem import Condition
from puzzlesat.grid.lattice import AtomId, Grid
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.puzzle.placements import Placements
from puzzlesat.sentences import Sentence

MOST_COLOURS = 3


@cache
def periodic_colouring(grid: Grid) -> tuple[int, tuple[int, ...], tuple[int, ...]] | None:
    """Return (m, along, shift) such that the colours (along · cell + shift[atom]) mod m of neighbours differ, or None.

    m is the smallest possible number up to 3; only atoms of the main kind are coloured.
    """
    origin = (0,) * grid.dimension
    faces = [a for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
    pairs = [(a, other) for a in faces for other in grid.neighbours((*origin, a))]
    for m in range(2, MOST_COLOURS + 1):
        for along in product(range(m), repeat=grid.dimension):
            steps = [(a, other[-1], sum(k * c for k, c in zip(along, other[:-1], strict=True))) for a, other in pairs]
            if (shift := _first_shifts(m, faces, steps)) is not None:
                return m, along, tuple(shift.get(a, 0) for a in range(len(grid.atoms)))
    return None


def _first_shifts(m: int, faces: list[int], steps: list[tuple[int, int, int]]) -> dict[int, int] | None:
    """The first shifts such that (step + shift of b - shift of a) mod m is not 0 for any step from a to b; None if there are none.

    A step is looked at as soon as both its atoms have shifts: a cell may hold two dozen of them.
    """
    place = {a: i for i, a in enumerate(faces)}
    due = [[s for s in steps if max(place[s[0]], place[s[1]]) == i] for i in range(len(faces))]
    shift: dict[int, int] = {}

    def extend(i: int) -> bool:
        if i == len(faces):
            return True
        for value in range(m if i else 1):
            shift[faces[i]] = value
            if all((step + shift[b] - shift[a]) % m for a, b, step in due[i]) and extend(i + 1):
                return True
        return False

    return shift if extend(0) else None


def chess_colour(grid: Grid, atom: AtomId) -> int | None:
    """Return the colour of an atom of the main kind in the grid's chess colouring; None where it has none."""
    found = periodic_colouring(grid)
    if found is None or grid.atoms[atom[-1]].kind != grid.main_kind:
        return None
    m, along, shift = found
    return (sum(k * c for k, c in zip(along, atom[:-1], strict=True)) + shift[atom[-1]]) % m


def implied_conditions(puzzle: Puzzle, placements: Placements) -> list[Condition]:
    """Return the parity conditions that coverage implies; atoms that may stay uncovered weigh nothing."""
    found = periodic_colouring(puzzle.grid)
    if found is None or not len(placements):
        return []
    required = frozenset(puzzle.form.required)
    atoms = puzzle.form.numbering.atoms
    colour = np.array([-1 if c is None or a not in required else c for a, c in ((a, chess_colour(puzzle.grid, a)) for a in atoms)])
    if found[0] == 2:
        return [_condition(Sentence("chess parity"), np.where(colour < 0, 0, 1 - 2 * colour), placements)]
    several = found[0]
    names = [Sentence("colour {k} of {n}", k=k + 1, n=several) for k in range(several - 1)]
    return [_condition(name, np.where(colour == k, 1, 0), placements) for k, name in enumerate(names)]


def _condition(name: str, weights: Longs, placements: Placements) -> Condition:
    total = int(weights.sum())
    return Condition(name, placements.atoms.sums(weights), total, total, implied=True)
