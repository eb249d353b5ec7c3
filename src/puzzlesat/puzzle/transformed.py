"""A turned or mirrored copy of a puzzle: a search is not symmetric in its form, its count must be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from puzzlesat.grid.isometry import inverse, multiply
from puzzlesat.grid.lattice import AtomId, Grid, Symmetry, atom_order, translate
from puzzlesat.puzzle.data import Form, Mark, Puzzle, Rule, Split, Tile


def transformed_copy(puzzle: Puzzle) -> tuple[Puzzle, str]:
    """Return the puzzle after a symmetry of the grid that is none of its form (where there is one), and the symmetry's name.

    Tiles are turned and mirrored along with the form, so that the copy has exactly as many solutions as the puzzle, whatever the
    rules for turns and flips. Names of placements, and of symmetries of the form, do not survive that: a puzzle that has some stays.
    """
    if puzzle.form.wrap is not None:
        return puzzle, "nothing (the form wraps around)"
    everything = puzzle.grid.symmetries
    others = [g for g in everything[1:] if not _keeps(puzzle, g)] or list(everything[1:])
    if puzzle.fixed or puzzle.solutions.name_placements or not others:
        return puzzle, "nothing (it names placements, or symmetries of its form)"
    g = others[0]
    home = tuple(1 - min(g(a)[i] for a in puzzle.form.atoms) for i in range(puzzle.grid.dimension))

    def move(atom: AtomId) -> AtomId:
        return translate(g(atom), home)

    def tile(t: Tile) -> Tile:
        marks = tuple(sorted(Mark(move(m.side), move(m.face), m.name) for m in t.marks))
        atoms = tuple(sorted(map(move, t.atoms), key=atom_order))
        listed = tuple(tuple(sorted(map(move, body), key=atom_order)) for body in t.listed)
        own, *others = (_conjugate(puzzle.grid, s, g) for s in (t.symmetries, *t.symmetries_of))
        return replace(t, atoms=atoms, marks=marks, symmetries=own, symmetries_of=tuple(others), listed=listed, outlines=())

    form = Form(
        tuple(sorted(map(move, puzzle.form.required), key=atom_order)),
        tuple(sorted(map(move, puzzle.form.optional), key=atom_order)),
        {move(a): colour for a, colour in puzzle.form.colours.items()},
    )
    rules = tuple(_rule(r, move) for r in puzzle.rules)
    split = None if puzzle.split is None else Split(puzzle.split.name, frozenset(map(move, puzzle.split.atoms)))
    holds = tuple(replace(h, atoms=frozenset(map(move, h.atoms))) for h in puzzle.solutions.holds)
    solutions = replace(puzzle.solutions, holds=holds)
    turned = replace(puzzle, tiles=tuple(map(tile, puzzle.tiles)), form=form, rules=rules, split=split, solutions=solutions)
    return turned, g.name


def _conjugate(grid: Grid, symmetries: tuple[int, ...], g: Symmetry) -> tuple[int, ...]:
    """The symmetries g h g⁻¹: what a tile that was turned along with the form may do."""
    matrices = {multiply(multiply(g.matrix, grid.motions[h].matrix), inverse(g.matrix)) for h in symmetries}
    return tuple(i for i, s in enumerate(grid.motions) if s.matrix in matrices)


def _rule(rule: Rule, move: Callable[[AtomId], AtomId]) -> Rule:
    return replace(rule, atoms={move(a): w for a, w in rule.atoms.items()})


def _keeps(puzzle: Puzzle, g: Symmetry) -> bool:
    images = [g(a) for a in puzzle.form.atoms]
    home = tuple(min(a[i] for a in puzzle.form.atoms) - min(a[i] for a in images) for i in range(puzzle.grid.dimension))
    return {translate(a, home) for a in images} == puzzle.form.atoms
