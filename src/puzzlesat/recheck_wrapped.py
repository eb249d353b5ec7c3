"""Re-check on the geometry, for forms that wrap around, that a placement is its tile turned as the rules allow.

Which atoms are the same is decided by solving for the whole numbers of times that each translation is used, not by the remainders
with which placements are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from puzzlesat.grid.isometry import apply_matrix
from puzzlesat.grid.lattice import AtomId, Grid, Point, Symmetry, translate
from puzzlesat.placements import Placement
from puzzlesat.puzzle.data import Form, Mark, Puzzle, Tile


def is_turned_tile(puzzle: Puzzle, placement: Placement) -> bool:
    """Tell whether some allowed motion, some translation and then the seams take the tile's atoms and marks onto those of a placement."""
    tile = puzzle.tiles[placement.tile]
    sheets = puzzle.form.wrap.sheets if puzzle.form.wrap is not None else ()
    targets = [a if glide is None else glide(a) for glide in sheets for a in placement.atoms]
    return any(_lies(puzzle, tile, puzzle.grid.motions[index], target, placement) for index in tile.symmetries for target in targets)


def _lies(puzzle: Puzzle, tile: Tile, motion: Symmetry, target: AtomId, placement: Placement) -> bool:
    """Does the turned tile cover and show just this, when its first atom lies on the target?"""
    turned = _turned(puzzle.grid, tile, motion, target[-1])
    if turned is None or len(tile.marks) != len(placement.marks):
        return False
    atoms = [translate(a, target[:-1]) for a in turned[0]]
    shown = [(translate(m.side, target[:-1]), translate(m.face, target[:-1]), m.name) for m in turned[1]]
    own = {b for b in placement.atoms if any(_same(puzzle.form, ((a, b),)) for a in atoms)}
    return (
        len(atoms) == len(own)
        and all(b in own or _is_crossing(puzzle.grid, b) for b in placement.atoms)
        and all(any(name == m.name and _same(puzzle.form, _pairs(side, face, m)) for side, face, name in shown) for m in placement.marks)
    )


@cache
def _turned(grid: Grid, tile: Tile, motion: Symmetry, number: int) -> tuple[list[AtomId], list[Mark]] | None:
    """The tile after a motion and the translation that lays its first atom onto an atom of the cell 0; None where it leaves the grid."""

    def turn(point: Point) -> Point:
        return tuple(x / motion.over for x in apply_matrix(motion.matrix, point))

    first = min(turn(v) for v in _corners(grid, tile.atoms[0]))
    move = [t - s for s, t in zip(first, min(grid.atoms[number].vertices), strict=True)]

    def laid(atom: AtomId) -> AtomId | None:
        return _atom_with(grid, {tuple(x + m for x, m in zip(turn(v), move, strict=True)) for v in _corners(grid, atom)})

    atoms = [there for a in tile.atoms if (there := laid(a)) is not None]
    marks = [Mark(side, face, m.name) for m in tile.marks if (side := laid(m.side)) and (face := laid(m.face))]
    return (atoms, marks) if len(atoms) == len(tile.atoms) and len(marks) == len(tile.marks) else None


def _is_crossing(grid: Grid, atom: AtomId) -> bool:
    """Whether an atom is one that a tile covers beside its own: it has more of them where it closes to a ring."""
    return grid.atoms[atom[-1]].kind in grid.crossing_kinds


def _pairs(side: AtomId, face: AtomId, mark: Mark) -> Sequence[tuple[AtomId, AtomId]]:
    return ((face, mark.face),) if mark.is_colour else ((side, mark.side), (face, mark.face))


def _same(form: Form, pairs: Sequence[tuple[AtomId, AtomId]]) -> bool:
    """Whether one and the same motion along the seams takes the first atom of each pair to the second."""
    assert form.wrap is not None
    for glide in form.wrap.sheets:
        moved = [(a if glide is None else glide(a), b) for a, b in pairs]
        if all(a[-1] == b[-1] for a, b in moved):
            steps = {tuple(y - x for x, y in zip(a[:-1], b[:-1], strict=True)) for a, b in moved}
            if len(steps) == 1 and _is_sum(next(iter(steps)), form.wrap.translations):
                return True
    return False


@cache
def _is_sum(step: tuple[int, ...], translations: tuple[tuple[int, ...], ...]) -> bool:
    """Is a vector a sum of whole multiples of the translations?"""
    columns = np.array(translations, dtype=np.float64).T
    times = np.rint(np.linalg.lstsq(columns, np.array(step, dtype=np.float64), rcond=None)[0])
    return bool(np.array_equal(columns @ times, step))


def _corners(grid: Grid, atom: AtomId) -> list[Point]:
    return [tuple(x + c for x, c in zip(v, atom[:-1], strict=True)) for v in grid.atoms[atom[-1]].vertices]


def _atom_with(grid: Grid, corners: set[Point]) -> AtomId | None:
    """The atom of the grid that has these vertices, if there is one."""
    for number, atom in enumerate(grid.atoms):
        step = [x - y for x, y in zip(min(corners), min(atom.vertices), strict=True)]
        found = (*(int(x) for x in step), number)
        if all(x.denominator == 1 for x in step) and set(_corners(grid, found)) == corners:
            return found
    return None
