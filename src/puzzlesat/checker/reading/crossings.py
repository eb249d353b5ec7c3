"""Crossings: where tiles must not cross, a tile that runs through a point covers that point as well."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..grid import Atom
from .grids import Lattice, moved_by


@dataclass(frozen=True)
class Passage:
    """Atoms, of which the first lies in the cell 0: a tile that has all of them covers those that it blocks, too."""

    through: tuple[Atom, ...]
    blocks: tuple[Atom, ...]


def passages(lattice: Lattice) -> tuple[Passage, ...]:
    """Return every crossing of a grid, after each symmetry, once for each of its atoms that may come first."""
    still = (0,) * lattice.dimension
    found: dict[Passage, None] = {}
    for crossing in lattice.crossings:
        for turn in lattice.turns:
            through, blocks = ([turn.does(a, still) for a in atoms] for atoms in (crossing.through, crossing.blocks))
            for first in through:
                move = [-x for x in first[:-1]]
                others = sorted(moved_by(a, move) for a in through if a != first)
                found[Passage((moved_by(first, move), *others), tuple(sorted(moved_by(a, move) for a in blocks)))] = None
    return tuple(found)


def crossed(atoms: Iterable[Atom], there: Callable[[Atom], bool], ways: Iterable[Passage]) -> set[Atom]:
    """Return what is blocked by those passages that begin at one of some atoms and have all others of which ``there`` says so."""
    found: set[Atom] = set()
    here = list(atoms)
    for way in ways:
        first, *others = way.through
        for atom in here:
            if atom[-1] == first[-1] and all(there(moved_by(other, atom[:-1])) for other in others):
                found.update(moved_by(a, atom[:-1]) for a in way.blocks)
    return found
