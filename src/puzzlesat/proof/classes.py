"""Partitions of the atoms of a form into classes that a colouring may give one weight each, from coarse to fine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd

import numpy as np

from puzzlesat.arrays import Longs
from puzzlesat.cover.build import Built
from puzzlesat.cover.parity import chess_colour, periodic_colouring
from puzzlesat.cover.symmetry import shape_symmetries
from puzzlesat.grid.lattice import AtomId, Grid, atom_order
from puzzlesat.sentences import Sentence

PERIODS = (2, 3, 4, 5, 6)
AXES = "xyz"


@dataclass(frozen=True, eq=False)
class Partition:
    """A class for each atom item of the problem, -1 for atoms that may stay uncovered."""

    title: str
    labels: Longs
    size: int

    @property
    def weights_of_classes(self) -> Longs:
        """Array (atoms, classes) of 0 and 1: which atom is in which class."""
        return np.asarray(self.labels[:, None] == np.arange(self.size), dtype=np.int64)


def atoms_of(built: Built) -> list[AtomId]:
    """Return the atoms in the order of the items of the problem."""
    return sorted(built.puzzle.form.atoms, key=atom_order)


def by_kind(built: Built) -> Partition:
    """Faces, slots and so on, each a class."""
    grid = built.puzzle.grid
    return _partition(built, Sentence("area"), [grid.atoms[a[-1]].kind for a in atoms_of(built)])


def chessboard(built: Built) -> Partition | None:
    """Return the classes of the periodic colouring with fewest colours in which neighbours differ, if it has two or three."""
    grid = built.puzzle.grid
    if periodic_colouring(grid) is None:
        return None
    keys = [(chess_colour(grid, a), "") if chess_colour(grid, a) is not None else (-1, grid.atoms[a[-1]].kind) for a in atoms_of(built)]
    colours = (periodic_colouring(grid) or (0,))[0]
    return _partition(built, Sentence("chessboard" if colours == 2 else "three colours"), keys)


def periodic(built: Built) -> Iterator[Partition]:
    """Yield stripes in every direction, blocks, and cells modulo small numbers in each direction."""
    grid, atoms = built.puzzle.grid, atoms_of(built)
    several = len({a[-1] for a in atoms}) > 1
    if several:
        yield _partition(built, Sentence("atoms of a cell"), [a[-1] for a in atoms])
    for m in PERIODS:
        for along in _directions(grid.dimension, m):
            title = Sentence("stripes by {sum} modulo {m}", sum=_sum(along), m=m)
            yield _partition(built, title, [(_kind(grid, a), int(_dot(along, grid.centre(a)) // 1) % m) for a in atoms])
        if m == 2:
            yield from _blocks(built, atoms)
        if m <= 3:
            yield _partition(built, Sentence("cells modulo {m}", m=m), [(_kind(grid, a), *(c % m for c in a[:-1])) for a in atoms])
        if several:
            for along in _directions(grid.dimension, m):
                title = Sentence("atoms of a cell, by {sum} modulo {m}", sum=_sum(along), m=m)
                yield _partition(built, title, [(a[-1], _dot(along, a[:-1]) % m) for a in atoms])


def fine(built: Built) -> Iterator[Partition]:
    """Yield single rows and columns, larger periods, orbits of the form's symmetries, and last each atom by itself."""
    grid, atoms = built.puzzle.grid, atoms_of(built)
    for along in _directions(grid.dimension, 3):
        if sum(map(abs, along)) <= 2:
            keys = [(_kind(grid, a), int(_dot(along, grid.centre(a)) // 1)) for a in atoms]
            yield _partition(built, Sentence("lines of one {sum}", sum=_sum(along)), keys)
    for m in PERIODS:
        title = Sentence("weights with period {m} in each direction", m=m)
        yield _partition(built, title, [(a[-1], *(c % m for c in a[:-1])) for a in atoms])
    yield orbits(built)
    yield single(built)


def orbits(built: Built) -> Partition:
    """Atoms that a symmetry of the form takes to each other: by averaging, no linear programme needs to tell them apart."""
    atoms = atoms_of(built)
    smallest = {a: a for a in atoms}
    moves = [s.image for s in shape_symmetries(built.puzzle) if s.name in built.problem.symmetries]
    for a in atoms:
        smallest[a] = min((image[a] for image in moves), key=atom_order)
    return _partition(built, Sentence("symmetric weights"), [smallest[a] for a in atoms])


def single(built: Built) -> Partition:
    """Each atom by itself."""
    return _partition(built, Sentence("weights atom by atom"), list(atoms_of(built)))


def _partition(built: Built, title: str, keys: Sequence[object]) -> Partition:
    """Atoms with equal keys share a class; classes are numbered in the order of their keys, where these can be ordered."""
    required = built.problem.low[: len(keys)] > 0
    known = sorted({k for k, r in zip(keys, required.tolist(), strict=True) if r})  # type: ignore[type-var]
    number = {k: i for i, k in enumerate(known)}
    labels = [number[k] if r else -1 for k, r in zip(keys, required.tolist(), strict=True)]
    return Partition(title, np.array(labels, dtype=np.int64), len(known))


def _blocks(built: Built, atoms: list[AtomId]) -> Iterator[Partition]:
    """Blocks of 2, 3 or 4 cells a side, black and white by turns."""
    grid = built.puzzle.grid
    low = [min(a[i] for a in atoms) for i in range(grid.dimension)]
    for side in (2, 3, 4):
        size = " × ".join([str(side)] * grid.dimension)
        keys = [(_kind(grid, a), sum((c - x) // side for c, x in zip(a[:-1], low, strict=True)) % 2) for a in atoms]
        yield _partition(built, Sentence("blocks of {size}", size=size), keys)


def _directions(dimension: int, m: int) -> list[tuple[int, ...]]:
    """One small vector for each class of functions along · cell modulo m, up to factors without common divisor with m."""
    span = range(-((m - 1) // 2), m // 2 + 1)
    seen: set[tuple[int, ...]] = set()
    found = []
    order = sorted(product(span, repeat=dimension), key=lambda a: (sum(map(abs, a)), [-x for x in reversed(a)]))
    for along in order:
        residues = tuple(x % m for x in along)
        if any(along) and residues not in seen and gcd(m, *along) == 1:
            seen |= {tuple(u * x % m for x in residues) for u in range(1, m) if gcd(u, m) == 1}
            found.append(along)
    return found


def _kind(grid: Grid, atom: AtomId) -> str:
    return grid.atoms[atom[-1]].kind


def _dot(along: Sequence[int], point: Sequence[Fraction | int]) -> Fraction:
    return sum((Fraction(k * x) for k, x in zip(along, point, strict=True)), Fraction(0))


def _sum(along: tuple[int, ...]) -> str:
    """``x + 2y``."""
    text = ""
    for k, axis in zip(along, AXES, strict=False):
        if k:
            text += (" − " if k < 0 else " + ") + (str(abs(k)) if abs(k) > 1 else "") + axis
    return text[3:] if text.startswith(" + ") else "−" + text[3:]
