"""Re-check on the geometry, for forms that wrap around, that a placement is its tile turned as the rules allow.

Which atoms are the same is decided by solving for the whole numbers of times that each translation is used, not by the remainders
with which placements are made.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from itertools import product

import numpy as np

from puzzlesat.puzzles.grid import AtomId, Grid, Point, Symmetry, translate
from puzzlesat.puzzles.lattice import apply_matrix
from puzzlesat.puzzles.placements import Placement
from puzzlesat.puzzles.puzzle import Form, Mark, Puzzle, Tile


def is_turned_tile(puzzle: Puzzle, placement: Placement) -> bool:
    """Tell whether some allowed motion, some translation and then the seams take the tile's atoms and marks onto those of a placement.

    Its crossings must be those that its edges have in the form.
    """
    tile = puzzle.tiles[placement.tile]
    sheets = puzzle.form.wrap.sheets if puzzle.form.wrap is not None else ()
    targets = [a if glide is None else glide(a) for glide in sheets for a in placement.atoms]
    likely = sorted(tile.symmetries, key=lambda index: index + 1 != placement.orientation)  # tried first, and the others if it is not
    return any(_lies(puzzle, tile, puzzle.grid.motions[index], target, placement) for index in likely for target in targets)


def _lies(puzzle: Puzzle, tile: Tile, motion: Symmetry, target: AtomId, placement: Placement) -> bool:
    """Does the turned tile cover and show just this, when its first atom lies on the target?"""
    turned = _turned(puzzle.grid, tile, motion, target[-1])
    if turned is None or len(tile.marks) != len(placement.marks):
        return False
    atoms = [translate(a, target[:-1]) for a in turned[0]]
    shown = [(translate(m.side, target[:-1]), translate(m.face, target[:-1]), m.name) for m in turned[1]]
    body = [b for b in placement.atoms if not _is_crossing(puzzle.grid, b)]
    return (
        len(atoms) == len(body) == len(set(body))
        and all(any(_same(puzzle.form, ((a, b),)) for a in atoms) for b in body)
        and all(any(name == m.name and _same(puzzle.form, _pairs(side, face, m)) for side, face, name in shown) for m in placement.marks)
        and set(placement.atoms) - set(body) == _blocked(puzzle, body)
    )


def _blocked(puzzle: Puzzle, body: Sequence[AtomId]) -> set[AtomId]:
    """The crossings of the form that a tile with these atoms covers: around each point, whichever seams lead there."""
    form = puzzle.form

    def here(atom: AtomId, among: Collection[AtomId]) -> AtomId | None:
        return next((b for b in among if _same(form, ((atom, b),))), None)

    found: set[AtomId] = set()
    for crossing, turn in product(() if puzzle.may_cross else puzzle.grid.crossings, puzzle.grid.symmetries):
        first, *others = map(turn, crossing.through)
        for b in (b for b in body if b[-1] == first[-1]):
            move = tuple(y - x for x, y in zip(first[:-1], b[:-1], strict=True))
            if all(here(translate(a, move), body) for a in others):
                found |= {here(at, form.atoms) or at for at in (translate(turn(a), move) for a in crossing.blocks)}
    return found


@cache
def _turned(grid: Grid, tile: Tile, motion: Symmetry, number: int) -> tuple[list[AtomId], list[Mark]] | None:
    """The tile after a motion and the translation that lays its first atom onto an atom of the cell 0; None where it leaves the grid.

    Without its crossings, which depend on the seams.
    """
    body = [a for a in tile.atoms if not _is_crossing(grid, a)]

    def turn(point: Point) -> Point:
        return tuple(x / motion.over for x in apply_matrix(motion.matrix, point))

    first = min(turn(v) for v in _corners(grid, body[0]))
    move = [t - s for s, t in zip(first, min(grid.atoms[number].vertices), strict=True)]

    def laid(atom: AtomId) -> AtomId | None:
        return _atom_with(grid, {tuple(x + m for x, m in zip(turn(v), move, strict=True)) for v in _corners(grid, atom)})

    atoms = [there for a in body if (there := laid(a)) is not None]
    marks = [Mark(side, face, m.name) for m in tile.marks if (side := laid(m.side)) and (face := laid(m.face))]
    return (atoms, marks) if len(atoms) == len(body) and len(marks) == len(tile.marks) else None


def _is_crossing(grid: Grid, atom: AtomId) -> bool:
    """Whether an atom is a crossing: which of these a tile covers depends on the form where that wraps around."""
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
