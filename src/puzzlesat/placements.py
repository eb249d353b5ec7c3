"""Every orientation of every tile at every place in the form."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from puzzlesat.errors import PuzzleError, near_match
from puzzlesat.grid.lattice import AtomId, Cell, Grid, atom_order, translate
from puzzlesat.puzzle.data import Mark, Puzzle, Tile
from puzzlesat.puzzle.tiles import transform


@dataclass(frozen=True)
class Orientation:
    """One turned or mirrored form of a tile, with smallest coordinates 0."""

    number: int
    """1 + the index of the first symmetry of the grid that yields it (Logelium's numbering)."""
    atoms: tuple[AtomId, ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Placement:
    """One orientation of a tile at one place."""

    tile: int
    orientation: int
    cell: Cell
    """The first cell: lowest row (and layer), leftmost in it."""
    name: str
    atoms: tuple[AtomId, ...]
    marks: tuple[Mark, ...]


def orientations(grid: Grid, tile: Tile) -> list[Orientation]:
    """Return the different orientations of a tile in the order of the symmetries that yield them."""
    found: dict[tuple[tuple[AtomId, ...], tuple[Mark, ...]], Orientation] = {}
    for index in tile.symmetries:
        body = transform(tile, grid.symmetries[index])
        found.setdefault(body, Orientation(index + 1, *body))
    return list(found.values())


def all_placements(puzzle: Puzzle) -> list[Placement]:
    """Return every placement that lies inside the form and meets the border's mark.

    The order is by tile, orientation and first cell. Tiles fixed in place keep all their placements here: fixing is
    a matter of the cover problem.
    """
    by_atom: dict[int, list[AtomId]] = defaultdict(list)
    for atom in sorted(puzzle.form.atoms, key=atom_order):
        by_atom[atom[-1]].append(atom)
    return [
        placement
        for number, tile in enumerate(puzzle.tiles)
        for orientation in orientations(puzzle.grid, tile)
        for start in by_atom[orientation.atoms[0][-1]]
        if (placement := _place(puzzle, number, orientation, start)) is not None
    ]


def fixed_placements(puzzle: Puzzle, placements: list[Placement]) -> list[int]:
    """Return the indices of the placements that the form fixes. Raises PuzzleError for a name that is no placement."""
    index = {p.name: i for i, p in enumerate(placements)}
    for name in puzzle.fixed:
        if name not in index:
            same_tile = [n for n in index if n.split(".")[0] == name.split(".")[0]]
            raise PuzzleError(f"{puzzle.path}: form.fixed: {name!r} is no placement of this puzzle{near_match(name, same_tile or index)}")
    return [index[name] for name in puzzle.fixed]


def _place(puzzle: Puzzle, number: int, orientation: Orientation, start: AtomId) -> Placement | None:
    """Lay the first atom of an orientation onto ``start``; None if that does not fit."""
    move = tuple(s - a for s, a in zip(start[:-1], orientation.atoms[0][:-1], strict=True))
    atoms = tuple(translate(a, move) for a in orientation.atoms)
    if not puzzle.form.atoms.issuperset(atoms):
        return None
    marks = tuple(Mark(translate(m.side, move), translate(m.face, move), m.name) for m in orientation.marks)
    if puzzle.border is not None and not all(_meets_border(puzzle, mark) for mark in marks):
        return None
    grid = puzzle.grid
    main = [a for a in atoms if grid.atoms[a[-1]].kind == grid.main_kind] or list(atoms)
    cell = min(main, key=atom_order)[:-1]
    name = f"{puzzle.tiles[number].name}.{orientation.number}@{'.'.join(map(str, cell))}"
    return Placement(number, orientation.number, cell, name, atoms, marks)


def _meets_border(puzzle: Puzzle, mark: Mark) -> bool:
    inside = all(face in puzzle.form.atoms for face in puzzle.grid.faces_at(mark.side))
    return inside or puzzle.mates[mark.name] == puzzle.border
