"""Symmetries of the form that the rules allow, as permutations of the placements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from puzzlesat.arrays import Ints
from puzzlesat.errors import PuzzleError
from puzzlesat.grid.isometry import apply_matrix, multiply
from puzzlesat.grid.lattice import AtomId, Cell, Symmetry, translate
from puzzlesat.puzzle.data import Form, Mark, Puzzle
from puzzlesat.puzzle.placements import Placement
from puzzlesat.puzzle.wrap import Wrap, remainder

Look = tuple[frozenset[AtomId], frozenset[Mark]]
MOST_MOVED = 3_000_000
"""Atoms that all symmetries move together: some hundred megabytes. A torus has as many translations as cells."""


@dataclass(frozen=True, eq=False)
class FormSymmetry:
    """A motion of the grid that takes a form onto itself: ``symmetry``, then the translation ``move``."""

    name: str
    symmetry: Symmetry
    move: Cell
    image: Mapping[AtomId, AtomId]
    """Where each atom of the form goes."""
    form: Form

    def mark(self, mark: Mark) -> Mark:
        """Return where a mark goes."""
        if mark.is_colour:
            return Mark(self.image[mark.face], self.image[mark.face], mark.name)
        side, face = (translate(self.symmetry(a), self.move) for a in (mark.side, mark.face))
        return self.form.locate_mark(Mark(side, face, mark.name))


def form_symmetries(puzzle: Puzzle, placements: list[Placement]) -> tuple[tuple[str, ...], Ints]:
    """Return the names of the symmetries and the array (symmetries, placements) of images, the identity first.

    A symmetry counts when it maps required atoms to required ones, optional to optional, the placements of each tile to those of one
    tile with the same copies, and fixed tiles, rules and split onto themselves; a mirror only where mirrored answers count as one.
    """
    looks: list[dict[Look, int]] = [{} for _ in puzzle.tiles]
    for i, p in enumerate(placements):
        looks[p.tile][frozenset(p.atoms), frozenset(p.marks)] = i
    names: list[str] = []
    images: list[Ints] = []
    for found in shape_symmetries(puzzle):
        if found.symmetry.mirror and not puzzle.mirrored_same:
            continue
        permutation = _permutation(puzzle, placements, looks, found)
        if permutation is not None and _keeps_rules(puzzle, placements, permutation, found):
            names.append(found.name)
            images.append(np.array(permutation, dtype=np.int32))
    return tuple(names), np.array(images, dtype=np.int32).reshape(len(names), len(placements))


def shape_symmetries(puzzle: Puzzle) -> list[FormSymmetry]:
    """Return every symmetry that maps the form and its colours onto themselves, whatever the tiles; the identity first.

    Where the form wraps around, translations along it are symmetries too; two that take each atom and each side to the same place are one.
    """
    form = puzzle.form
    found: dict[object, FormSymmetry] = {}
    kept = 0
    seen_from = [] if form.wrap is None else [(s, f) for s in form.wrap.sides.values() for f in puzzle.grid.faces_at(s)]
    sides = [Mark(s, f, "") for s, f in seen_from if form.locate(f) is not None]  # what becomes of others is no matter of the form
    for symmetry in sorted(puzzle.grid.motions, key=lambda motion: motion.mirror):  # what a turn does as well is no mirror
        first: Cell | None = None
        for move in _moves(form, symmetry):
            image = _image(form, symmetry, move)
            if image is None or not _keeps_seams(form.wrap, symmetry, move, min(form.atoms)):
                continue
            first = first or move
            further = "" if form.wrap is None or move == first else _further(form.wrap, move, first, symmetry.over)
            new = FormSymmetry(_named(symmetry.name, further), symmetry, move, image, form)
            if (kept := kept + len(image)) > MOST_MOVED:
                what = "it can be moved onto itself in too many ways; take a smaller form, or fewer seams"
                raise PuzzleError(f"form.wrap: {what}")
            found.setdefault(new.name if form.wrap is None else (*image.values(), *map(new.mark, sides)), new)
    return list(found.values())


def _further(wrap: Wrap, move: Cell, first: Cell, over: int) -> str:
    """What a symmetry does beyond another one with the same turn or mirror."""
    step = tuple((m - f) // over for m, f in zip(move, first, strict=True))
    return f"move {','.join(map(str, remainder(step, wrap.translations)))}"


def _named(name: str, further: str) -> str:
    if not further:
        return name
    return further if name == "identity" else f"{name} and {further}"


def _moves(form: Form, symmetry: Symmetry) -> list[Cell]:
    """The translations that may bring the turned form back onto itself, the one that brings back its corner first."""
    images = [symmetry(a) for a in form.atoms]
    corner = tuple(h * symmetry.over - c for h, c in zip(_corner(form.atoms), _corner(images), strict=True))
    if form.wrap is None:
        return [corner]
    one = min(form.atoms)
    start = symmetry(one)
    targets = [a if glide is None else glide(a) for glide in form.wrap.sheets for a in sorted(form.atoms)]
    over = symmetry.over
    moves = [tuple(t * over - s for t, s in zip(target[:-1], start[:-1], strict=True)) for target in targets if target[-1] == start[-1]]
    return [corner, *moves]


def _image(form: Form, symmetry: Symmetry, move: Cell) -> dict[AtomId, AtomId] | None:
    """Where each atom of the form goes, or None where one leaves the form, or falls on one of another colour or convention."""
    required = frozenset(form.required)
    image: dict[AtomId, AtomId] = {}
    for atom in (*form.required, *form.optional):
        there = symmetry.on_grid(translate(symmetry(atom), move))
        home = None if there is None else form.locate(there)
        if home is None or (home in required) != (atom in required) or form.colours.get(home) != form.colours.get(atom):
            return None
        image[atom] = home
    return image if len(set(image.values())) == len(image) else None


def _keeps_seams(wrap: Wrap | None, symmetry: Symmetry, move: Cell, atom: AtomId) -> bool:
    """Whether whatever is the same still is after a motion: it must take the group of the seams to itself.

    To ask only the form's atoms is not enough: on a Klein bottle of two squares a quarter turn keeps these, but not their sides.
    """
    if wrap is None:
        return True
    for translation in wrap.translations:
        there = apply_matrix(symmetry.matrix, translation)
        if any(x % symmetry.over for x in there) or any(remainder(tuple(x // symmetry.over for x in there), wrap.translations)):
            return False
    if wrap.glide is None:
        return True
    mirror = wrap.glide.symmetry.matrix
    one, other = translate(symmetry(wrap.glide(atom)), move), wrap.glide(translate(symmetry(atom), move))
    apart = tuple(b - a for a, b in zip(one[:-1], other[:-1], strict=True))
    alike = multiply(symmetry.matrix, mirror) == multiply(mirror, symmetry.matrix) and one[-1] == other[-1]
    return alike and not any(remainder(apart, wrap.translations))


def _permutation(puzzle: Puzzle, placements: list[Placement], looks: list[dict[Look, int]], found: FormSymmetry) -> list[int] | None:
    """The image of each placement, or None. Each tile goes to itself if it can, else to another one with the same copies."""
    permutation = [-1] * len(placements)
    taken: set[int] = set()
    images: list[list[tuple[int, Look]]] = [[] for _ in puzzle.tiles]
    for i, p in enumerate(placements):
        images[p.tile].append((i, (frozenset(found.image[a] for a in p.atoms), frozenset(map(found.mark, p.marks)))))
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


def _keeps_rules(puzzle: Puzzle, placements: list[Placement], permutation: list[int], found: FormSymmetry) -> bool:
    """Whether fixed tiles, weights of the rules and the split stay the same."""
    chosen = {i for i, p in enumerate(placements) if p.name in puzzle.fixed}
    if {permutation[i] for i in chosen} != chosen:
        return False
    for rule in puzzle.rules:
        if any(rule.atoms.get(a, 0) != rule.atoms.get(b, 0) for a, b in found.image.items()):
            return False
        by_tile = [rule.tiles.get(t.members[0], 0) for t in puzzle.tiles]
        if any(by_tile[p.tile] != by_tile[placements[q].tile] for p, q in zip(placements, permutation, strict=True)):
            return False
    return puzzle.split is None or all(found.image[a] in puzzle.split.atoms for a in puzzle.split.atoms)


def _corner(atoms: Iterable[AtomId]) -> Cell:
    return tuple(map(min, list(zip(*atoms, strict=True))[:-1]))
