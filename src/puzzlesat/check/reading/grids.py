"""The grid of a puzzle, from its table: lattice, atoms, symmetries, and what the table says of pictures, rings, shapes and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm
from typing import Any

from ..grid import Atom, Grid, Point
from ..rejected import Rejected
from ..values import shown
from .motions import Turn, turns_of
from .tables import Table, listed, number, only, word

KEYS = ("title", "source", "name", "gram", "symmetries", "about", "atoms", "picture", "crossings", "rings", "shapes", "polyforms")
COVER, MARK = "cover", "mark"
OF_CROSSINGS = ("through", "blocks")


@dataclass(frozen=True)
class Crossing:
    """A tile with all atoms ``through`` covers those that it ``blocks`` as well."""

    through: tuple[Atom, ...]
    blocks: tuple[Atom, ...]


@dataclass(frozen=True, eq=False)
class Lattice:
    """A grid as its table states it."""

    grid: Grid
    """Gram matrix, corners, and kinds as a certificate states them."""
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    """As the table has them."""
    turns: tuple[Turn, ...]
    crossings: tuple[Crossing, ...]
    """As the table has them; the symmetries give the others."""
    said: Table

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return self.grid.dimension

    @property
    def of_balls(self) -> bool:
        """Whether its atoms are balls in space, which can be moved in more ways than the whole grid."""
        return self.grid.of_balls

    @cached_property
    def faces(self) -> tuple[int, ...]:
        """The numbers of the atoms of the first kind."""
        return tuple(a for a, kind in enumerate(self.grid.kinds) if kind == self.grid.kinds[0])

    def is_face(self, atom: Atom) -> bool:
        """Whether an atom is of the first kind."""
        return self.grid.kinds[atom[-1]] == self.grid.kinds[0]

    def atom(self, stated: Any, where: str) -> Atom:
        """Return the atom that ``[x, y]`` or ``[x, y, "NAME"]`` means."""
        said, n = listed(stated, where), self.dimension
        if len(said) not in (n, n + 1):
            raise Rejected(f"{where}: expected {n} numbers and perhaps a name, got {shown(said)}")
        cell = tuple(number(x, where) for x in said[:n])
        return (*cell, self.named(said[n], where) if len(said) > n else 0)

    def atoms(self, stated: Any, where: str) -> list[Atom]:
        """Return the atoms of a list."""
        return [self.atom(a, where) for a in listed(stated, where)]

    def named(self, name: Any, where: str) -> int:
        """Return the number of the atom with a name."""
        if name not in self.names:
            raise Rejected(f"{where}: the grid has no atom {shown(name)}")
        return self.names.index(name)

    @cached_property
    def neighbours(self) -> dict[int, tuple[Atom, ...]]:
        """For each face of the cell at 0 those that share a side with it: an end of an edge, two corners in the plane, three in space."""
        return {a: tuple(_nearest_balls(self.grid)) if len(self.grid.corners[a]) == 1 else self._beside(a) for a in self.faces}

    def _beside(self, face: int) -> tuple[Atom, ...]:
        corners = self.grid.corners[face]
        shared = Counter(other for corner in corners for other in self.grid.faces_with(frozenset([corner])))
        side = 1 if len(corners) == 2 else self.dimension
        still = (*(0,) * self.dimension, face)
        return tuple(sorted(other for other, count in shared.items() if count >= side and other != still))


def moved_by(atom: Atom, move: Sequence[int]) -> Atom:
    """Return an atom after a translation."""
    return (*(x + d for x, d in zip(atom[:-1], move, strict=False)), atom[-1])


def at_home(atoms: Iterable[Atom], low: int = 0) -> tuple[int, ...]:
    """Return the translation after which the smallest coordinates of atoms are ``low``."""
    return tuple(low - min(axis) for axis in list(zip(*atoms, strict=True))[:-1])


def reading_order(atom: Atom) -> Point:
    """Order atoms as they are read: from the lowest layer and row to the highest, in a row from left to right."""
    return (*reversed(atom[:-1]), atom[-1])


def _nearest_balls(grid: Grid) -> list[Atom]:
    """The balls that touch the one at 0."""
    reach = range(-2, 3)
    lengths = {
        v: sum(x * g * y for x, row in zip(v, grid.gram, strict=True) for g, y in zip(row, v, strict=True))
        for v in product(reach, repeat=grid.dimension)
        if any(v)
    }
    shortest = min(lengths.values())
    return [(*v, 0) for v, length in lengths.items() if length == shortest]


def fraction(stated: Any, where: str) -> Fraction:
    """Return a whole number, or a fraction that stands there as text."""
    if type(stated) not in (int, str):
        raise Rejected(f"{where}: expected a number or a fraction such as '1/2', got {shown(stated)}")
    try:
        return Fraction(stated)
    except (ValueError, ZeroDivisionError):
        raise Rejected(f"{where}: {shown(stated)} is not a fraction") from None


def read_lattice(said: Table) -> Lattice:
    """Return the grid of a table."""
    only(said, "grid", KEYS, ("gram", "atoms"))
    gram = tuple(tuple(fraction(x, "grid.gram") for x in listed(row, "grid.gram")) for row in listed(said["gram"], "grid.gram"))
    atoms = [only(a, "grid.atoms", ("name", "kind", "role", "vertices"), ("name", "vertices")) for a in listed(said["atoms"], "grid.atoms")]
    kinds = tuple(word(a.get("kind", "face"), "grid.atoms: kind") for a in atoms)
    roles = [a.get("role", COVER) for a in atoms]
    if unknown := [role for role in roles if role not in (COVER, MARK)]:
        raise Rejected(f"grid.atoms: role: expected cover or mark, got {shown(unknown[0])}")
    vertices = [
        [tuple(fraction(x, "grid.atoms: vertices") for x in listed(v, "grid.atoms: vertices")) for v in a["vertices"]] for a in atoms
    ]
    unit = lcm(*(x.denominator for of_atom in vertices for v in of_atom for x in v))
    corners = tuple(frozenset(tuple(int(x * unit) for x in v) for v in of_atom) for of_atom in vertices)
    grid = Grid(gram, unit, corners, _stated_kinds(kinds, roles))
    bare = Lattice(grid, tuple(word(a["name"], "grid.atoms: name") for a in atoms), kinds, turns_of(grid), (), said)
    if said.get("symmetries", len(bare.turns)) != len(bare.turns):
        raise Rejected(f"grid.symmetries: there are {len(bare.turns)}, not {said['symmetries']}")
    crossings = tuple(
        Crossing(*(tuple(bare.atoms(table[key], f"grid.crossings: {key}")) for key in OF_CROSSINGS))
        for table in (only(c, "grid.crossings", OF_CROSSINGS, OF_CROSSINGS) for c in listed(said.get("crossings", []), "grid.crossings"))
    )
    return Lattice(grid, bare.names, kinds, bare.turns, crossings, said)


def _stated_kinds(kinds: Sequence[str], roles: Sequence[str]) -> tuple[str, ...]:
    """Kinds, with the role where that alone tells atoms apart: no symmetry exchanges atoms of different roles."""
    of_kind = {kind: {role for k, role in zip(kinds, roles, strict=True) if k == kind} for kind in kinds}
    return tuple(kind if len(of_kind[kind]) == 1 else f"{kind} ({role})" for kind, role in zip(kinds, roles, strict=True))
