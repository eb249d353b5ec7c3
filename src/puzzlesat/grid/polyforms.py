"""Polyforms: all connected sets of n faces, up to turns and mirrors, up to turns, or up to translation only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from puzzlesat.errors import PuzzleError
from puzzlesat.grid.lattice import AtomId, Grid, Symmetry, atom_order, translate
from puzzlesat.grid.picture import parse_picture

Shape = tuple[AtomId, ...]
MOST_IMAGES = 250_000
"""Turned and mirrored forms that are looked at for one size: some ten seconds."""


def normal(atoms: Iterable[AtomId]) -> Shape:
    """Move a set of atoms so that its smallest coordinates are 0, and sort it."""
    atoms = list(atoms)
    home = tuple(-min(a[i] for a in atoms) for i in range(len(atoms[0]) - 1))
    return tuple(sorted((translate(a, home) for a in atoms), key=atom_order))


def canonical(atoms: Iterable[AtomId], symmetries: Sequence[Symmetry]) -> Shape:
    """Return the smallest image of a set of atoms under the symmetries and translations."""
    atoms = list(atoms)
    return min(shape for g in symmetries if (shape := _image(atoms, g)) is not None)


def _image(atoms: Iterable[AtomId], motion: Symmetry) -> Shape | None:
    """The atoms after a motion, moved so that their smallest coordinates are 0; None where a ball leaves the grid."""
    if motion.over == 1:
        return normal(map(motion, atoms))
    moved = [motion.on_grid(a) for a in normal(map(motion, atoms))]
    there = [a for a in moved if a is not None]
    return tuple(sorted(there, key=atom_order)) if len(there) == len(moved) else None


def polyforms(grid: Grid, size: int, convention: str) -> dict[str, Shape]:
    """Return all polyforms of ``size`` faces by name.

    ``convention`` is ``free`` (up to turns and mirrors), ``one_sided`` (up to turns) or ``fixed`` (up to translation).
    Names are the usual ones where the grid file has them (a mirror twin gets an apostrophe), else ``SIZE-NUMBER``.
    Raises PuzzleError where they are too many.
    """
    everything = grid.symmetries
    turns = tuple(g for g in everything if not g.mirror)
    group = {"free": everything, "one_sided": turns, "fixed": everything[:1]}[convention]
    found = sorted(_grow(grid, size, group))
    if convention != "fixed" and len(grid.motions) > len(everything):
        # balls in one plane may be turned in ways in which what is grown onto them may not: so only now are these the same
        everything, group = grid.motions, tuple(g for g in grid.motions if convention == "free" or not g.mirror)
        found = sorted({canonical(shape, group) for shape in found})
    usual = {canonical(atoms, everything): (name, atoms) for name, atoms in _usual_forms(grid, size).items()}
    named: dict[str, Shape] = {}
    twins: list[tuple[str, Shape]] = []
    for number, shape in enumerate(found, start=1):
        name, drawn = usual.get(canonical(shape, everything), (f"{size}-{number:02d}", shape))
        if canonical(shape, group) == canonical(drawn, group):
            named[name] = normal(drawn)
        else:
            twins.append((name, shape))
    for name, shape in twins:
        while name in named:
            name += "'"
        named[name] = shape
    return dict(sorted(named.items()))


def _grow(grid: Grid, size: int, group: Sequence[Symmetry]) -> set[Shape]:
    """Add one neighbour after the other, keeping one form of each class."""
    origin = (0,) * grid.dimension
    faces = [(*origin, a) for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
    level = {canonical([face], group) for face in faces}
    for faces_more in range(size - 1, 0, -1):
        grown = sum(neighbour not in shape for shape in level for atom in shape for neighbour in grid.neighbours(atom))
        if grown * len(group) << (faces_more - 1) > MOST_IMAGES:  # each level has at least twice as many as the one before
            raise PuzzleError(f"there are too many polyforms of {size} faces on grid {grid.name!r}; ask for fewer faces")
        level = {
            canonical((*shape, neighbour), group)
            for shape in level
            for atom in shape
            for neighbour in grid.neighbours(atom)
            if neighbour not in shape
        }
    return level


def _usual_forms(grid: Grid, size: int) -> dict[str, Shape]:
    """The named pictures of the grid file for this size."""
    forms = {}
    for name, picture in grid.polyforms.get(size, {}).items():
        try:
            forms[name] = normal(parse_picture(grid, picture).atoms)
        except PuzzleError as error:
            raise PuzzleError(f"grid {grid.name!r}: polyforms.{size}.{name}: {error}") from None
    return forms
