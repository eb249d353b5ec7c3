"""Where answers are held against the grid: the bodies of a puzzle as the atoms that they cover, and the board on which they are moved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from puzzlesat.arrays import Ints
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.disassembly.stepping import Bodies, Walk
from puzzlesat.disassembly.steps import steps_of
from puzzlesat.disassembly.sweeping import sweeps_of
from puzzlesat.grid.lattice import AtomId, Cell, Grid

FIRST_EDGE = 4
"""Cells that pieces can be moved on the first board."""
FIRST_ROOM = 1 << 6
"""Positions."""
LARGEST_BOARD = 1 << 28
"""Bytes of a board, at most."""


@dataclass
class Ground:
    """The bodies of a puzzle, and a board that is made larger when it has to be."""

    grid: Grid
    bodies: Bodies
    directions: tuple[Cell, ...]
    """In which pieces that hold each other are moved."""
    walks: list[Walk] = field(default_factory=list)
    """The board, where there is one."""

    def atoms(self, row: Sequence[int]) -> Ints:
        """Return the places of some bodies, by their numbers."""
        start = self.bodies.start
        return np.concatenate([self.bodies.place[:0], *(self.bodies.place[start[i] : start[i + 1]] for i in row)])

    def walk_for(self, pieces: int, *, atoms: int = 0, positions: int = FIRST_ROOM, edge: Sequence[int] = (0, 0, 0)) -> Walk:
        """Return a board with room for so much, and on which pieces can go so far in each coordinate."""
        old = self.walks[0] if self.walks else None
        if old is not None:
            positions, room = max(positions, len(old.spot)), old.spot.shape[1]
            pieces, atoms = max(pieces, room), max(atoms, len(old.own))
            edge = [max(now, before) for now, before in zip(edge, old.edge.tolist(), strict=True)]
            if (positions, pieces, atoms, edge) == (len(old.spot), room, len(old.own), old.edge.tolist()):
                return old
        self.walks[:] = [self._new_walk(pieces, atoms, positions, edge)]
        return self.walks[0]

    def size(self, edge: Sequence[int]) -> int:
        """Return how many bytes a board takes on which pieces can go so far."""
        number = len(self.grid.atoms)
        for low, high, far, more in zip(*self._extent(), edge, self._pad(), strict=True):
            number *= high - low + 1 + 2 * (far + more)
        return number

    def _new_walk(self, pieces: int, atoms: int, positions: int, edge: Sequence[int]) -> Walk:
        sweeps = sweeps_of(self.grid, self.directions)
        farthest = [max(far, FIRST_EDGE) if axis < self.grid.dimension else 0 for axis, far in enumerate(edge)]
        low, high = self._extent()
        around = [far + more for far, more in zip(farthest, self._pad(), strict=True)]
        lengths = np.diff(sweeps.start).reshape(-1, sweeps.atoms).sum(axis=0)
        return Walk(
            edge=np.array(farthest, dtype=np.int64),
            low=np.array(low, dtype=np.int64) - around,
            wide=np.array(high, dtype=np.int64) - low + 1 + 2 * np.array(around),
            board=np.zeros(self.size(farthest), dtype=np.uint8),
            own=np.zeros(atoms, dtype=np.int32),
            own_start=np.zeros(pieces + 1, dtype=np.int64),
            sweep=np.zeros(atoms * int(lengths.max(initial=0)), dtype=np.int32),
            sweep_start=np.zeros(pieces * len(self.directions) + 1, dtype=np.int64),
            moved=np.zeros((positions, pieces, 3), dtype=np.int32),
            spot=np.zeros((positions, pieces), dtype=np.int32),
            slot=np.zeros(positions, dtype=np.int32),
            table=np.full(1 << (4 * positions - 1).bit_length(), -1, dtype=np.int32),
            along=np.zeros(pieces, dtype=np.uint64),
            state=np.zeros(3, dtype=np.int64),
        )

    def _extent(self) -> tuple[list[int], list[int]]:
        """The lowest and the highest cell of all bodies."""
        cells = self.bodies.atom[:, :3]
        return cells.min(axis=0).tolist(), cells.max(axis=0).tolist()

    def _pad(self) -> list[int]:
        """How far an atom reaches that goes a step."""
        place = sweeps_of(self.grid, self.directions).place[:, :3]
        farthest: list[int] = abs(place).max(axis=0, initial=0).tolist()
        return farthest


def may_stay(built: BuiltInstance, row: Sequence[int]) -> list[list[int]]:
    """Return the groups of pieces of an assembly that need not come apart from each other, by their numbers in it."""
    together = built.instance.together
    tiles = [built.puzzle.tiles[built.placements.tile[o]].name for o in row] if together else []
    return [[i for i, tile in enumerate(tiles) if tile in names] for names in together]


def ground_of(built: BuiltInstance) -> Ground:
    """Return the ground of a puzzle; its bodies are the placements."""
    grid, atoms = built.puzzle.grid, built.placements.atoms
    directions = tuple(tuple(d[: grid.dimension]) for d in steps_of(grid).directions.tolist())
    places = _in_space(built.puzzle.form.numbering.atoms)
    return Ground(grid, Bodies(atoms.start, atoms.numbers.astype(np.int32, copy=False), places), directions)


def ground_under(grid: Grid, pieces: Sequence[Iterable[AtomId]], directions: Iterable[Cell]) -> Ground:
    """Return the ground of some pieces; a place has a number, whichever pieces cover it."""
    own = [[*piece] for piece in pieces]
    number = {atom: n for n, atom in enumerate(dict.fromkeys(atom for atoms in own for atom in atoms))}
    start = np.cumsum([0, *map(len, own)]).astype(np.int64)
    place = np.array([number[atom] for atoms in own for atom in atoms], dtype=np.int32)
    return Ground(grid, Bodies(start, place, _in_space([*number])), tuple(directions))


def _in_space(atoms: Sequence[AtomId]) -> Ints:
    return np.array([[*a[:-1], *[0] * (4 - len(a)), a[-1]] for a in atoms], dtype=np.int32).reshape(-1, 4)
