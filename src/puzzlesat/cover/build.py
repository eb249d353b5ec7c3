"""From a puzzle and its placements to the cover problem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from puzzlesat.arrays import Ints, Reals
from puzzlesat.cover.parity import implied_conditions
from puzzlesat.cover.problem import UNLIMITED, Condition, CoverProblem
from puzzlesat.cover.symmetry import form_symmetries
from puzzlesat.grid.lattice import AtomId, atom_order
from puzzlesat.puzzle.data import Mark, Puzzle
from puzzlesat.puzzle.grids import show_atom
from puzzlesat.puzzle.placements import Placement, all_placements, fixed_placements


@dataclass(frozen=True)
class Built:
    """A puzzle, its placements and its cover problem; option o of the problem is placement o."""

    puzzle: Puzzle
    placements: tuple[Placement, ...]
    problem: CoverProblem


def build(puzzle: Puzzle) -> Built:
    """Compile a puzzle. Raises PuzzleError for tiles fixed where they cannot be, and for what is too large."""
    placements = all_placements(puzzle)
    return Built(puzzle, tuple(placements), cover_problem(puzzle, placements, form_symmetries(puzzle, placements)))


def cover_problem(puzzle: Puzzle, placements: list[Placement], symmetries: tuple[tuple[str, ...], Ints]) -> CoverProblem:
    """Return the cover problem of a puzzle with these placements and symmetries of its form (their names and images).

    Items are the atoms in the order of the form, then the tiles, then the sides that carry marks. Raises PuzzleError for tiles fixed where
    they cannot be.
    """
    atoms = sorted(puzzle.form.atoms, key=atom_order)
    optional = frozenset(puzzle.form.optional)
    sides = _inner_sides(puzzle)
    colour_of = _colours(puzzle)
    item_of = {atom: i for i, atom in enumerate(atoms)}
    tile_items = np.arange(len(atoms), len(atoms) + len(puzzle.tiles), dtype=np.int32)
    item_of |= {side: len(atoms) + len(puzzle.tiles) + i for i, side in enumerate(sides)}
    rows: list[list[int]] = []
    colours: list[list[int]] = []
    for p in placements:
        # a side that the tile marks on both its faces is one item; the marks may meet, so they give it one colour
        marks = {item_of[m.side]: colour_of(m) for m in p.marks if m.side in item_of and not m.is_colour}
        rows.append([*(item_of[a] for a in p.atoms), len(atoms) + p.tile, *marks])
        colours.append([0] * (len(p.atoms) + 1) + [*marks.values()])
    low = [a not in optional for a in atoms] + [t.low for t in puzzle.tiles] + [0] * len(sides)
    high = [1] * len(atoms) + [UNLIMITED if t.high is None else t.high for t in puzzle.tiles] + [1] * len(sides)
    names, images = symmetries
    return CoverProblem(
        items=tuple(
            [show_atom(puzzle.grid, a) for a in atoms] + [t.name for t in puzzle.tiles] + [show_atom(puzzle.grid, s) for s in sides]
        ),
        low=np.array(low, dtype=np.int32),
        high=np.array(high, dtype=np.int32),
        coloured=np.arange(len(low)) >= len(atoms) + len(puzzle.tiles),
        options=tuple(p.name for p in placements),
        start=np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int32),
        item=np.array([i for row in rows for i in row], dtype=np.int32),
        colour=np.array([c for row in colours for c in row], dtype=np.int32),
        tiles=tile_items,
        conditions=(*_rules(puzzle, placements), *implied_conditions(puzzle, placements)),
        symmetries=names,
        images=images,
        forced=tuple(fixed_placements(puzzle, placements)),
        centres=_centres(puzzle, atoms, len(low)),
        adjacent=_adjacent(puzzle, placements, atoms),
    )


def _centres(puzzle: Puzzle, atoms: list[AtomId], items: int) -> Reals:
    """The centres of the atoms in lattice coordinates, which come first among the items."""
    centres = np.full((items, puzzle.grid.dimension), np.nan)
    centres[: len(atoms)] = [[float(x) for x in puzzle.grid.centre(a)] for a in atoms]
    return centres


def _adjacent(puzzle: Puzzle, placements: Sequence[Placement], atoms: list[AtomId]) -> Ints | None:
    """The pairs of neighbouring atoms, or None where some placement does not hang together through them.

    On a plain form one placement of a tile stands for all of them. On one that wraps around each speaks for itself: a stick that closes
    to a ring covers a crossing which the tile has not, and a tile in two parts may lie in one.
    """
    number = {atom: i for i, atom in enumerate(atoms)}
    near = [[number[b] for b in puzzle.form.neighbours(puzzle.grid, a)] for a in atoms]
    asked = placements if puzzle.form.wrap is not None else {p.tile: p for p in placements}.values()
    if not all(_hangs_together([number[a] for a in p.atoms], near) for p in asked):
        return None
    pairs = sorted({(min(a, b), max(a, b)) for a, others in enumerate(near) for b in others if a != b})
    return np.array(pairs, dtype=np.int32).reshape(-1, 2)


def _hangs_together(atoms: Sequence[int], near: Sequence[Sequence[int]]) -> bool:
    """Whether steps from an atom to one near it lead through all of these atoms."""
    left = set(atoms[1:])
    waiting = list(atoms[:1])
    while waiting:
        reached = left.intersection(near[waiting.pop()])
        left -= reached
        waiting += reached
    return not left


def _inner_sides(puzzle: Puzzle) -> list[AtomId]:
    """The sides between two faces of the form that some tile may mark."""
    if not puzzle.mates:
        return []
    faces = [a for a in puzzle.form.atoms if puzzle.grid.atoms[a[-1]].kind == puzzle.grid.main_kind]
    sides = {
        puzzle.form.locate_mark(Mark(s, f, "")).side
        for f in faces
        for s in puzzle.grid.sides_of(f)
        if puzzle.grid.atoms[s[-1]].role == "mark"
    }
    return sorted((s for s in sides if all(puzzle.form.locate(f) for f in puzzle.grid.faces_at(s))), key=atom_order)


def _colours(puzzle: Puzzle) -> Callable[[Mark], int]:
    """Return a function from marks to colours such that two marks on the two faces of a side may meet iff their colours agree.

    Seen from the first of the two faces mark m has the colour of m, from the second face that of its mate; a mark without
    mate has a colour of its own there.
    """
    names = list(puzzle.mates)
    first = {m: i + 1 for i, m in enumerate(names)}
    second = {m: first[mate] if mate is not None else len(names) + 1 + i for i, (m, mate) in enumerate(puzzle.mates.items())}

    def colour(mark: Mark) -> int:
        return (first if puzzle.grid.faces_at(mark.side)[0] == mark.face else second)[mark.name]

    return colour


def _rules(puzzle: Puzzle, placements: list[Placement]) -> list[Condition]:
    found = []
    for rule in puzzle.rules:
        by_tile = [rule.tiles.get(tile.members[0], 0) for tile in puzzle.tiles]
        weights = [sum(rule.atoms.get(a, 0) for a in p.atoms) + by_tile[p.tile] for p in placements]
        found.append(Condition(rule.name, np.array(weights, dtype=np.int64), rule.low, rule.high, rule.modulus, rule.residue))
    return found
