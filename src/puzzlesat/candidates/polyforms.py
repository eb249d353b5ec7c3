"""All connected forms of a number of faces that have given symmetries, orbit by orbit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import ceil, sqrt

from puzzlesat.candidates.motions import Group, along_axes, axes, groups
from puzzlesat.grid.lattice import AtomId, Cell, Grid, Symmetry, atom_order

Orbit = tuple[AtomId, ...]
SLACK = 1e-9


def symmetric_polyforms(grid: Grid, size: int, symmetries: Sequence[Symmetry], within: Cell | None = None) -> Iterator[frozenset[AtomId]]:
    """Yield all connected forms of ``size`` faces that these symmetries map onto themselves, each at least once up to translation.

    ``within`` bounds the cells along each lattice direction. Forms grow by whole orbits of the group, each set of orbits once (D. H.
    Redelmeier, "Counting polyominoes: yet another attack", Discrete Mathematics 36, 1981, with orbits in place of cells).
    """
    for group in groups(grid, symmetries):
        yield from _grow(grid, size, group, within)


def _grow(grid: Grid, size: int, group: Group, within: Cell | None) -> Iterator[frozenset[AtomId]]:
    orbits = _Orbits(grid, size, group)
    for root in orbits.roots():
        seen = {root}
        chosen: list[Orbit] = []
        # each level: orbits still to be tried, and those that it has made seen
        levels: list[tuple[list[Orbit], list[Orbit]]] = [([root], [])]
        total = 0
        while levels:
            untried, made = levels[-1]
            if not untried:
                seen.difference_update(made)
                levels.pop()
                if chosen:
                    total -= len(chosen.pop())
                continue
            following = untried.pop()
            if total + len(following) > size or not _fits([*chosen, following], within):
                continue
            if total + len(following) == size:
                atoms = frozenset(a for own in (*chosen, following) for a in own)
                if len(group) == 1 or _connected(atoms, orbits.neighbours):
                    yield atoms
                continue
            more = [o for o in orbits.beside(following) if o not in seen and atom_order(o[0]) > atom_order(root[0])]
            seen.update(more)
            chosen.append(following)
            total += len(following)
            levels.append(([*untried, *more], more))


class _Orbits:
    """The orbits of a group of motions, of which connected forms of ``size`` faces can be made."""

    def __init__(self, grid: Grid, size: int, group: Group) -> None:
        self.grid, self.size, self.group = grid, size, group
        self.neighbours = cache(grid.neighbours)
        self.of_atom: dict[AtomId, Orbit] = {}
        self.middle = [tuple(map(float, atom.centre)) for atom in grid.atoms]
        self.gram = [[float(g) for g in row] for row in grid.gram]
        origin = (0,) * grid.dimension
        self.faces = [(*origin, a) for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
        self.step = max((self._distance(face, other) for face in self.faces for other in self.neighbours(face)), default=1.0)
        self.beside = cache(self._beside)

    def orbit(self, atom: AtomId) -> Orbit:
        """Return the images of an atom, the least first."""
        if atom not in self.of_atom:
            own = tuple(sorted({g(atom) for g in self.group}, key=atom_order))
            self.of_atom.update(dict.fromkeys(own, own))
        return self.of_atom[atom]

    def _beside(self, own: Orbit) -> tuple[Orbit, ...]:
        """The neighbouring orbits: the group carries the neighbours of one atom to those of all others."""
        found = dict.fromkeys(self.orbit(a) for a in self.neighbours(own[0]))
        return tuple(o for o in found if o != own and self._can_be_joined(o))

    def roots(self) -> list[Orbit]:
        """Return the orbits that can be the first ones of a form, up to translation along the axes of the group."""
        basis = axes(self.grid, [g.symmetry for g in self.group])

        def stands_for(atom: AtomId) -> Orbit:
            return self.orbit(along_axes(self.orbit(atom)[0], basis))

        waiting = list(dict.fromkeys(map(stands_for, self.faces)))
        seen = set(waiting)
        while waiting:
            own = waiting.pop()
            for atom in self.neighbours(own[0]):
                other = stands_for(atom)
                if other not in seen and self._spread(other) <= (self.size + 3) * self.step:
                    seen.add(other)
                    waiting.append(other)
        return sorted((o for o in seen if self._can_be_joined(o)), key=lambda o: atom_order(o[0]))

    def _spread(self, own: Orbit) -> float:
        """How far an atom is from the furthest of its images."""
        return max(self._distance(own[0], other) for other in own)

    def _can_be_joined(self, own: Orbit) -> bool:
        """Whether a connected form of this size can hold all atoms of an orbit.

        Two atoms are no further apart than ``size`` − 1 steps from neighbour to neighbour. And if any two are s steps or more apart, there
        are at least 1 + ⌊(s − 1) / 2⌋ atoms round each one that are nearer to it than to any other.
        """
        if len(own) == 1:
            return True
        nearest = ceil(min(self._distance(own[0], other) for other in own[1:]) / self.step - SLACK)
        return len(own) * (1 + (nearest - 1) // 2) <= self.size and self._spread(own) <= (self.size - 1) * self.step + SLACK

    def _distance(self, one: AtomId, other: AtomId) -> float:
        p, q = self.middle[one[-1]], self.middle[other[-1]]
        v = [a + x - b - y for a, x, b, y in zip(one[:-1], p, other[:-1], q, strict=True)]
        return sqrt(sum(x * g * y for x, row in zip(v, self.gram, strict=True) for g, y in zip(row, v, strict=True)))


def _fits(orbits: Sequence[Orbit], within: Cell | None) -> bool:
    if within is None:
        return True
    for i, most in enumerate(within):
        places = [a[i] for own in orbits for a in own]
        if max(places) - min(places) >= most:
            return False
    return True


def _connected(atoms: frozenset[AtomId], neighbours: Callable[[AtomId], list[AtomId]]) -> bool:
    first = next(iter(atoms))
    waiting, seen = [first], {first}
    while waiting:
        for other in neighbours(waiting.pop()):
            if other in atoms and other not in seen:
                seen.add(other)
                waiting.append(other)
    return len(seen) == len(atoms)
