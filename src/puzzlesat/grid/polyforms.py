"""Polyforms: all connected sets of n faces, up to turns and mirrors, up to turns, or up to translation only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from puzzlesat.arrays import Longs
from puzzlesat.errors import PuzzleError
from puzzlesat.grid.lattice import AtomId, Grid, Symmetry, atom_order, translate
from puzzlesat.grid.picture import parse_picture
from puzzlesat.rows import least

Shape = tuple[AtomId, ...]
MOST_IMAGES = 250_000
"""Turned and mirrored forms that are looked at for one size: some ten seconds."""
KEPT = 32
"""So many sets of polyforms are kept."""
NOT_THERE = np.iinfo(np.int64).max // 2
"""More than any coordinate."""


def normal(atoms: Iterable[AtomId]) -> Shape:
    """Move a set of atoms so that its smallest coordinates are 0, and sort it."""
    atoms = list(atoms)
    home = tuple(-min(a[i] for a in atoms) for i in range(len(atoms[0]) - 1))
    return tuple(sorted((translate(a, home) for a in atoms), key=atom_order))


class Images:
    """Finds the least of the images of sets of atoms under symmetries of the grid and translations.

    A set of n atoms is a row of an array (sets, n, dimension + 1); in its image the smallest coordinates are 0, and the atoms are in their
    order.
    """

    def __init__(self, symmetries: Sequence[Symmetry]) -> None:
        self.symmetries = [(np.array(g.matrix), np.array(g.shift), np.array(g.image), g.over) for g in symmetries]

    def least(self, sets: Longs) -> Longs:
        """Return the least image of each of several sets of the same size."""
        flat = least(self._image(sets, *own).reshape(len(sets), -1) for own in self.symmetries)
        return flat.reshape(sets.shape)

    def least_of(self, atoms: Iterable[AtomId]) -> Shape:
        """Return the least image of one set."""
        return tuple(map(tuple, self.least(np.array([[*atoms]]))[0].tolist()))

    @staticmethod
    def _image(sets: Longs, matrix: Longs, shift: Longs, image: Longs, over: int) -> Longs:
        """The sets after a motion; one of which a ball leaves the grid becomes greater than every other."""
        own = sets[..., -1]
        moved = np.concatenate([sets[..., :-1] @ matrix.T + shift[own], image[own][..., None]], axis=-1)
        cells = moved[..., :-1]
        cells -= cells.min(axis=1, keepdims=True)
        if over > 1:
            moved[(cells % over).any(axis=(1, 2))] = NOT_THERE
            cells //= over
        order = np.lexsort((moved[..., -1], *(cells[..., i] for i in range(cells.shape[-1]))))
        return np.take_along_axis(moved, order[..., None], axis=1)


@lru_cache(KEPT)
def polyforms(grid: Grid, size: int, convention: str) -> Mapping[str, Shape]:
    """Return all polyforms of ``size`` faces by name; they are kept, for whoever asks for those of the same grid again.

    ``convention`` is ``free`` (up to turns and mirrors), ``one_sided`` (up to turns) or ``fixed`` (up to translation).
    Names are the usual ones where the grid file has them (a mirror twin gets an apostrophe), else ``SIZE-NUMBER``.
    Raises PuzzleError where they are too many.
    """
    everything = grid.symmetries
    turns = tuple(g for g in everything if not g.mirror)
    group = {"free": everything, "one_sided": turns, "fixed": everything[:1]}[convention]
    found = _grow(grid, size, group)
    if convention != "fixed" and len(grid.motions) > len(everything):
        # balls in one plane may be turned in ways in which what is grown onto them may not: so only now are these the same
        everything, group = grid.motions, tuple(g for g in grid.motions if convention == "free" or not g.mirror)
        found = _least(group, found)
    images, every = Images(group), Images(everything)
    usual = {every.least_of(atoms): (name, atoms) for name, atoms in _usual_forms(grid, size).items()}
    named: dict[str, Shape] = {}
    twins: list[tuple[str, Shape]] = []
    for number, shape in enumerate(found, start=1):
        name, drawn = usual.get(every.least_of(shape), (f"{size}-{number:02d}", shape))
        if images.least_of(shape) == images.least_of(drawn):
            named[name] = normal(drawn)
        else:
            twins.append((name, shape))
    for name, shape in twins:
        while name in named:
            name += "'"
        named[name] = shape
    return MappingProxyType(dict(sorted(named.items())))


def _grow(grid: Grid, size: int, group: Sequence[Symmetry]) -> list[Shape]:
    """Add one neighbour after the other, keeping one form of each class."""
    origin = (0,) * grid.dimension
    faces = [(*origin, a) for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
    level = _least(group, [(face,) for face in faces])
    for faces_more in range(size - 1, 0, -1):
        grown = [(*shape, neighbour) for shape in level for atom in shape for neighbour in grid.neighbours(atom) if neighbour not in shape]
        if not grown:
            raise PuzzleError(f"there is no polyform of {size} faces on grid {grid.name!r}: no more faces share a side there")
        if len(grown) * len(group) << (faces_more - 1) > MOST_IMAGES:  # each level has at least twice as many as the one before
            raise PuzzleError(f"there are too many polyforms of {size} faces on grid {grid.name!r}; ask for fewer faces")
        level = _least(group, grown)
    return level


def _least(group: Sequence[Symmetry], shapes: Sequence[Shape]) -> list[Shape]:
    """The least images of some shapes of the same size, each once and in order."""
    found = np.unique(Images(group).least(np.array(shapes)), axis=0)
    return [tuple(map(tuple, shape)) for shape in found.tolist()]


def _usual_forms(grid: Grid, size: int) -> dict[str, Shape]:
    """The named pictures of the grid file for this size."""
    forms = {}
    for name, picture in grid.polyforms.get(size, {}).items():
        try:
            forms[name] = normal(parse_picture(grid, picture).atoms)
        except PuzzleError as error:
            raise PuzzleError(f"grid {grid.name!r}: polyforms.{size}.{name}: {error}") from None
    return forms
