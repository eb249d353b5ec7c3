"""Weights on the atoms, and which sums of weights a choice of tiles can reach: what a colouring argument stands on.

S. W. Golomb, "Polyominoes", chapter 1 (checkerboard colouring); D. A. Klarner, "Packing a rectangle with congruent n-ominoes",
Journal of Combinatorial Theory 7, 1969 (weights of several values).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puzzlesat.arrays import Flags, Ints, Longs
from puzzlesat.cover.problem import UNLIMITED, CoverProblem
from puzzlesat.cover.reach import listed_sums, reachable


@dataclass(frozen=True)
class Weighting:
    """Weights that no choice of placements adds up to the form's: a proof that there is no solution."""

    title: str
    weights: tuple[int, ...]
    """One for each atom among the items of the problem, in their order; atoms that may stay uncovered weigh 0."""
    modulus: int
    """Sums are taken modulo this; 0: over the integers."""


@dataclass(frozen=True)
class Sums:
    """What the placements of each tile weigh, and which sums they can reach together."""

    values: tuple[tuple[int, ...], ...]
    """For each tile the different weights of its placements, ascending."""
    copies: tuple[tuple[int, int], ...]
    """For each tile the fewest and the most copies that were taken into account."""
    unlimited: tuple[bool, ...]
    """For each tile whether only the area limits its copies."""
    total: int
    """What the form weighs."""
    bits: int | None
    """Bit i is set where the tiles can reach the sum ``base + i``; None where the sums spread too widely to be looked at."""
    base: int

    @property
    def impossible(self) -> bool:
        """Whether the form's weight is out of reach, so that there is no solution."""
        return self.bits is not None and (self.total < self.base or not self.bits >> (self.total - self.base) & 1)

    @property
    def reached(self) -> list[int]:
        """Every sum that the tiles can reach, ascending; empty where they were not looked at."""
        return [int(s) for s in listed_sums(self.bits or 0, self.base)]


def atom_count(problem: CoverProblem) -> int:
    """Return how many of the items are atoms: they stand before the tiles."""
    return int(problem.tiles[0]) if len(problem.tiles) else len(problem.items)


def tile_of(problem: CoverProblem) -> Ints:
    """Return the number of the tile of each option, counted from 0."""
    tiles = np.zeros(problem.size, dtype=np.int32)
    for number, item in enumerate(problem.tiles.tolist()):
        tiles[problem.options_of[item]] = number
    return tiles


def option_weights(problem: CoverProblem, weights: Longs) -> Longs:
    """Return what each option weighs: the sum over its atoms."""
    padded = np.zeros(len(problem.items), dtype=np.int64)
    padded[: len(weights)] = weights
    found = np.zeros(problem.size, dtype=np.int64)
    np.add.at(found, problem.rows, padded[problem.item])
    return found


def copies_of(problem: CoverProblem) -> tuple[tuple[int, int], ...]:
    """Return the fewest and most copies of each tile; as many as there are atoms where there is no limit."""
    atoms = atom_count(problem)
    ranges = ((int(problem.low[t]), int(problem.high[t])) for t in problem.tiles.tolist())
    return tuple((low, max(low, atoms) if high >= UNLIMITED else high) for low, high in ranges)


def sums_of(problem: CoverProblem, weighting: Weighting, removed: Flags | None = None) -> Sums:
    """Return the weights of the placements and the sums they can reach; placements marked ``removed`` are left out.

    Raises ValueError where there is not one weight for each atom, or where an atom that may stay uncovered weighs something.
    """
    weights = np.array(weighting.weights, dtype=np.int64)
    required = problem.low[: len(weights)] > 0
    if len(weights) != atom_count(problem) or weights[~required].any():
        raise ValueError("a weighting has one weight for each atom, 0 for those that may stay uncovered")
    by_option = option_weights(problem, weights)
    m = weighting.modulus
    total = int(weights[required].sum())
    values = []
    for item in problem.tiles.tolist():
        options = problem.options_of[item]
        if removed is not None:
            options = options[~removed[options]]
        values.append(tuple(np.unique(by_option[options] % m if m else by_option[options]).tolist()))
    copies = copies_of(problem)
    bits, base = reachable(tuple(values), copies, m)
    unlimited = tuple(bool(problem.high[t] >= UNLIMITED) for t in problem.tiles.tolist())
    return Sums(tuple(values), copies, unlimited, total % m if m else total, bits, base)
