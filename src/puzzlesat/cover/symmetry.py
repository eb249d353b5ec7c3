"""Symmetries of the form that the rules allow, as permutations of the placements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from puzzlesat.cover.problem import Ints
from puzzlesat.errors import PuzzleError
from puzzlesat.grid.lattice import AtomId, Cell, Symmetry, translate
from puzzlesat.placements import Placement, wrong_names
from puzzlesat.puzzle.data import Mark, Puzzle

Look = tuple[frozenset[AtomId], frozenset[Mark]]


def form_symmetries(puzzle: Puzzle, placements: list[Placement]) -> tuple[tuple[str, ...], Ints]:
    """Return the names of the symmetries and the array (symmetries, placements) of images, the identity first.

    A symmetry counts when it maps required atoms to required ones, optional to optional, the placements of each tile to those of one
    tile with the same copies, and fixed tiles, rules and split onto themselves; a mirror only where mirrored answers count as one.
    Raises PuzzleError where the instance says that they do and the tiles do not allow it, and where it names symmetries or
    placements that there are not.
    """
    looks: list[dict[Look, int]] = [{} for _ in puzzle.tiles]
    for i, p in enumerate(placements):
        looks[p.tile][frozenset(p.atoms), frozenset(p.marks)] = i
    names: list[str] = []
    images: list[list[int]] = []
    mirrors: list[bool] = []
    for symmetry, move in shape_symmetries(puzzle):
        if symmetry.mirror and not puzzle.mirrored_same:
            continue
        permutation = _permutation(puzzle, placements, looks, symmetry, move)
        kept = permutation is not None and _keeps_rules(puzzle, placements, permutation, symmetry, move)
        mirrors += [kept] if symmetry.mirror else []
        if permutation is not None and kept:
            names.append(symmetry.name)
            images.append(permutation)
    if puzzle.mirrored_stated and puzzle.mirrored_same and mirrors and not any(mirrors):
        raise PuzzleError(
            f'{puzzle.path}: mirrored: no mirror of the form maps tiles and rules onto themselves; write mirrored = "different"'
        )
    wrong = wrong_names(puzzle, placements) + [
        f"{puzzle.path}: expect.fixed: {name!r} is no symmetry of the form that the rules allow; it has {', '.join(names)}"
        for name in puzzle.expect.fixed
        if name not in names
    ]
    if wrong:
        raise PuzzleError(*wrong)
    return tuple(names), np.array(images, dtype=np.int32).reshape(len(names), len(placements))


def shape_symmetries(puzzle: Puzzle) -> list[tuple[Symmetry, Cell]]:
    """Return every symmetry of the grid, with its translation, that maps the form and its colours onto themselves, whatever the tiles."""
    required, optional = frozenset(puzzle.form.required), frozenset(puzzle.form.optional)
    home = _corner(puzzle.form.atoms)
    found = []
    for symmetry in puzzle.grid.symmetries:
        corner = _corner(frozenset(map(symmetry, puzzle.form.atoms)))
        move = tuple(h - c for h, c in zip(home, corner, strict=True))
        goes_to = {a: translate(symmetry(a), move) for a in (*required, *optional)}
        if (
            all(goes_to[a] in required for a in required)
            and all(goes_to[a] in optional for a in optional)
            and all(puzzle.form.colours.get(a) == puzzle.form.colours.get(b) for a, b in goes_to.items())
        ):
            found.append((symmetry, move))
    return found


def _permutation(
    puzzle: Puzzle, placements: list[Placement], looks: list[dict[Look, int]], symmetry: Symmetry, move: Cell
) -> list[int] | None:
    """The image of each placement, or None. Each tile goes to itself if it can, else to another one with the same copies."""
    permutation = [-1] * len(placements)
    taken: set[int] = set()
    images: list[list[tuple[int, Look]]] = [[] for _ in puzzle.tiles]
    for i, look in enumerate(_images(placements, symmetry, move)):
        images[placements[i].tile].append((i, look))
    for t, tile in enumerate(puzzle.tiles):
        candidates = [t, *(u for u, other in enumerate(puzzle.tiles) if u != t and other.supply == tile.supply)]
        seen = {look for _, look in images[t]}
        target = next((u for u in candidates if u not in taken and looks[u].keys() == seen), None)
        if target is None:
            return None
        taken.add(target)
        for i, look in images[t]:
            permutation[i] = looks[target][look]
    return permutation if sorted(permutation) == list(range(len(placements))) else None


def _images(placements: list[Placement], symmetry: Symmetry, move: Cell) -> Iterator[Look]:
    """Atoms and marks of each placement after a symmetry and a translation: what it covers, whatever its name."""
    goes_to = cache(lambda atom: translate(symmetry(atom), move))
    for p in placements:
        marks = frozenset(Mark(goes_to(m.side), goes_to(m.face), m.name) for m in p.marks)
        yield frozenset(map(goes_to, p.atoms)), marks


def _keeps_rules(puzzle: Puzzle, placements: list[Placement], permutation: list[int], symmetry: Symmetry, move: Cell) -> bool:
    """Whether fixed tiles, weights of the rules and the split stay the same."""
    chosen = {i for i, p in enumerate(placements) if p.name in puzzle.fixed}
    if {permutation[i] for i in chosen} != chosen:
        return False
    for rule in puzzle.rules:
        if any(rule.atoms.get(a, 0) != rule.atoms.get(translate(symmetry(a), move), 0) for a in puzzle.form.atoms):
            return False
        by_tile = [rule.tiles.get(t.members[0], 0) for t in puzzle.tiles]
        if any(by_tile[p.tile] != by_tile[placements[q].tile] for p, q in zip(placements, permutation, strict=True)):
            return False
    return puzzle.split is None or all(translate(symmetry(a), move) in puzzle.split.atoms for a in puzzle.split.atoms)


def _corner(atoms: frozenset[AtomId]) -> Cell:
    dimension = len(next(iter(atoms))) - 1
    return tuple(min(a[i] for a in atoms) for i in range(dimension))
