"""Symmetries of the form that the rules allow, as permutations of the placements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np

from puzzlesat.cover.problem import Ints
from puzzlesat.errors import PuzzleError
from puzzlesat.grid.lattice import AtomId, Cell, Symmetry, translate
from puzzlesat.placements import Placement
from puzzlesat.puzzle.data import Mark, Puzzle


def form_symmetries(puzzle: Puzzle, placements: list[Placement]) -> tuple[tuple[str, ...], Ints]:
    """Return the names of the symmetries and the array (symmetries, placements) of images, the identity first.

    A symmetry counts when it maps required atoms to required ones, optional to optional, placements to placements of tiles
    with the same copies, and fixed tiles, rules and split onto themselves; a mirror only where mirrored answers count as one.
    Raises PuzzleError where the instance says that they do and the tiles do not allow it.
    """
    index = {(frozenset(p.atoms), frozenset(p.marks)): i for i, p in enumerate(placements)}
    names: list[str] = []
    images: list[list[int]] = []
    mirrors = []
    for symmetry, move in shape_symmetries(puzzle):
        if symmetry.mirror and not puzzle.mirrored_same:
            continue
        permutation = [index.get(image) for image in _images(placements, symmetry, move)]
        kept = _is_allowed(puzzle, placements, permutation, symmetry, move)
        mirrors += [kept] if symmetry.mirror else []
        if kept:
            names.append(symmetry.name)
            images.append([p for p in permutation if p is not None])
    if puzzle.mirrored_stated and puzzle.mirrored_same and mirrors and not any(mirrors):
        raise PuzzleError(
            f'{puzzle.path}: mirrored: no mirror of the form maps tiles and rules onto themselves; write mirrored = "different"'
        )
    return tuple(names), np.array(images, dtype=np.int32).reshape(len(names), len(placements))


def shape_symmetries(puzzle: Puzzle) -> list[tuple[Symmetry, Cell]]:
    """Return every symmetry of the grid, with its translation, that maps the form onto itself, whatever the tiles."""
    required, optional = frozenset(puzzle.form.required), frozenset(puzzle.form.optional)
    home = _corner(puzzle.form.atoms)
    found = []
    for symmetry in puzzle.grid.symmetries:
        corner = _corner(frozenset(map(symmetry, puzzle.form.atoms)))
        move = tuple(h - c for h, c in zip(home, corner, strict=True))
        if all(translate(symmetry(a), move) in required for a in required) and all(
            translate(symmetry(a), move) in optional for a in optional
        ):
            found.append((symmetry, move))
    return found


def _images(placements: list[Placement], symmetry: Symmetry, move: Cell) -> Iterator[tuple[frozenset[AtomId], frozenset[Mark]]]:
    """Atoms and marks of each placement after a symmetry and a translation: what it covers, whatever its name."""
    goes_to = cache(lambda atom: translate(symmetry(atom), move))
    for p in placements:
        marks = frozenset(Mark(goes_to(m.side), goes_to(m.face), m.name) for m in p.marks)
        yield frozenset(map(goes_to, p.atoms)), marks


def _is_allowed(puzzle: Puzzle, placements: list[Placement], permutation: list[int | None], symmetry: Symmetry, move: Cell) -> bool:
    if any(p is None for p in permutation):
        return False
    targets = [placements[p].tile for p in permutation if p is not None]
    pairs = Counter(zip((p.tile for p in placements), targets, strict=True))
    if len(pairs) > len({a for a, _ in pairs}):
        return False
    copies = [(t.low, t.high) for t in puzzle.tiles]
    if any(copies[a] != copies[b] for a, b in pairs):
        return False
    chosen = {i for i, p in enumerate(placements) if p.name in puzzle.fixed}
    if {permutation[i] for i in chosen} != chosen:
        return False
    for rule in puzzle.rules:
        if any(rule.atoms.get(a, 0) != rule.atoms.get(translate(symmetry(a), move), 0) for a in puzzle.form.atoms):
            return False
        by_tile = [rule.tiles.get(t.name, 0) for t in puzzle.tiles]
        if any(by_tile[a] != by_tile[b] for a, b in pairs):
            return False
    return puzzle.split is None or all(translate(symmetry(a), move) in puzzle.split.atoms for a in puzzle.split.atoms)


def _corner(atoms: frozenset[AtomId]) -> Cell:
    dimension = len(next(iter(atoms))) - 1
    return tuple(min(a[i] for a in atoms) for i in range(dimension))
