"""Counting with copies told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import comb, factorial, prod

import numpy as np

from puzzlesat.arrays import Longs, Rows
from puzzlesat.cover.build import Built
from puzzlesat.grid.lattice import Grid
from puzzlesat.puzzle.data import Tile
from puzzlesat.puzzle.placements import orientations
from puzzlesat.puzzle.tiles import transform


class Labelling:
    """In how many ways the copies of the tiles in a solution can be told apart."""

    def __init__(self, built: Built) -> None:
        tiles = built.puzzle.tiles
        self.built = built
        self.defined = all(t.high is not None for t in tiles)
        atoms = len(built.puzzle.form.atoms)  # more copies than that find no place
        self.tables = [choices(t.ranges, max(atoms, t.low)) if t.high is not None else [] for t in tiles]
        self.varies = [len(set(table[t.low :])) > 1 for t, table in zip(tiles, self.tables, strict=True)]
        self.tile = np.append(built.placements.tile, np.int32(-1))

    def total(self, rows: Rows, weights: Longs, tiles: Sequence[int] | None = None) -> int:
        """Return Σ weight · labellings over solutions, where only the copies of ``tiles`` (default: all) are told apart."""
        if not self.defined:
            return 0
        tiles = range(len(self.tables)) if tiles is None else tiles
        always = prod(self.tables[t][-1] for t in tiles if not self.varies[t])
        varying = [t for t in tiles if self.varies[t]]
        if not varying:
            return int(weights.sum()) * always
        used = np.stack([(self.tile[rows] == t).sum(axis=1) for t in varying], axis=1)
        kinds, number = np.unique(used, axis=0, return_inverse=True)
        shares = np.bincount(number.ravel(), weights=weights.astype(np.float64), minlength=len(kinds))
        assert shares.sum() < 2**53
        return sum(
            int(share) * always * prod(self.tables[t][n] for t, n in zip(varying, kind, strict=True))
            for share, kind in zip(shares, kinds.tolist(), strict=True)
        )

    def of_all(self, found: int) -> int | None:
        """Return the labelled count that goes with a number of solutions; None where solutions differ in that."""
        if not found:
            return 0
        if not self.defined or any(self.varies):
            return None
        return found * prod(table[-1] for table in self.tables)

    def turns(self) -> int | None:
        """In how many ways the tiles of any solution can lie so that each looks the same.

        None where that varies, and for balls in a row: they can be turned about it by any angle.
        """
        grid, tiles = self.built.puzzle.grid, self.built.puzzle.tiles
        if any(t.low != t.high for t in tiles):
            return None
        ways = 1
        for tile in (t for t in tiles if not t.listed):
            for (copies, _), symmetries in zip(tile.ranges, tile.turns, strict=True):
                alike = _turns_alike(grid, tile, symmetries)
                if alike is None:
                    return None
                ways *= alike**copies
        return ways

    def cycles(self, image: Rows) -> tuple[list[int], Rows]:
        """How a symmetry (an image for each placement, and -1 for -1) exchanges the tiles.

        Returns one tile of each cycle, and for each placement its image after as many steps as the cycle of its tile is long. A symmetry
        takes copy k of a tile to copy k of the next tile of its cycle: it leaves a labelled solution unchanged iff it leaves the
        solution unchanged and those images are the placements themselves; the labels of one tile then fix those of its cycle.
        """
        following = list(range(len(self.tables)))
        for here, there in zip(self.tile[:-1].tolist(), self.tile[image[:-1]].tolist(), strict=True):
            following[here] = there
        first: list[int] = []
        length = [0] * len(following)
        for tile in range(len(following)):
            if not length[tile]:
                cycle = [tile]
                while following[cycle[-1]] != tile:
                    cycle.append(following[cycle[-1]])
                first.append(tile)
                for t in cycle:
                    length[t] = len(cycle)
        steps = np.array([*(length[t] for t in self.tile[:-1]), 1])
        returned = image.copy()
        for step in range(1, max(length, default=1)):
            returned = np.where(steps > step, image[returned], returned).astype(np.int32)
        return first, returned


def _turns_alike(grid: Grid, tile: Tile, symmetries: Sequence[int]) -> int | None:
    """In how many ways a tile can be turned so that it looks the same; None if in infinitely many, of which some are symmetries."""
    if not (grid.of_balls and grid.dimension == 3) or len(symmetries) == 1:
        return len(symmetries) // len(orientations(grid, replace(tile, symmetries=tuple(symmetries))))
    if np.linalg.matrix_rank(np.array(tile.atoms) - tile.atoms[0]) < 2:
        return None
    look = transform(tile, grid.motions[0])
    return sum(transform(tile, grid.motions[index]) == look for index in symmetries)


def choices(ranges: Sequence[tuple[int, int | None]], most: int) -> list[int]:
    """For each number j of copies used, up to ``most``: in how many ways copies can be chosen and told apart, each member within its range.

    The choices are counted by the product of the members' polynomials Σ C(high, k) x^k, k from low to high; each can be
    laid out in j! ways.
    """
    polynomial = [1]
    for low, high in ranges:
        assert high is not None
        product = [0] * min(len(polynomial) + high, most + 1)
        for i, a in enumerate(polynomial):
            for k in range(low, min(high, most - i) + 1):
                product[i + k] += a * comb(high, k)
        polynomial = product
    return [factorial(j) * ways for j, ways in enumerate(polynomial)]
