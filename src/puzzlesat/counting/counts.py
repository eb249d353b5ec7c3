"""Compute the counts (labelled, all, distinct, fixed) from a stream of solutions, also with copies of a tile distinguished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, factorial, prod

import numpy as np

from puzzlesat.base import ContradictionError, Flags, Longs, Rows, first_difference, sorted_rows
from puzzlesat.counting.second_figures import labellings_kept, uncovered
from puzzlesat.puzzles import BuiltInstance, CoverProblem, Grid, Tile, orientations


class Labelling:
    """The number of ways to label the copies of the tiles in a solution."""

    def __init__(self, built: BuiltInstance) -> None:
        tiles = built.puzzle.tiles
        self.built = built
        self.defined = all(t.high is not None for t in tiles)
        atoms = len(built.puzzle.form.atoms)  # no solution has more copies
        self.tables = [choices(t.ranges, max(atoms, t.low)) if t.high is not None else [] for t in tiles]
        self.varies = [len(set(table[t.low :])) > 1 for t, table in zip(tiles, self.tables, strict=True)]
        self.tile = np.append(built.placements.tile, np.int32(-1))

    def total(self, rows: Rows, weights: Longs, tiles: Sequence[int] | None = None) -> int:
        """Return the sum of weight · labellings over solutions, where only the copies of ``tiles`` (default: all) are labelled."""
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
        """Return the labelled count for a number of solutions; None if solutions have different numbers of labellings."""
        if not found:
            return 0
        if not self.defined or any(self.varies):
            return None
        return found * prod(table[-1] for table in self.tables)

    def turns(self) -> int | None:
        """Return the number of ways to rotate the tiles of a solution in place so that each looks the same.

        None if solutions have different numbers, and for balls in a row: they can be rotated about it by any angle.
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
        """Return the cycles in which a symmetry (an image for each placement, and -1 for -1) permutes the tiles.

        The result is one tile of each cycle, and for each placement its image after n steps, where n is the length of its tile's cycle.
        A symmetry maps copy k of a tile to copy k of the next tile of the cycle. It leaves a labelled solution unchanged if and only if it
        leaves the solution unchanged and these images are the placements themselves. The labels of one tile then determine the labels of
        its cycle.
        """
        following = list(range(len(self.tables)))
        for here, there in zip(self.tile[:-1].tolist(), self.tile[image[:-1]].tolist(), strict=True):
            following[here] = there
        first, length = list[int](), [0] * len(following)
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
    """Return the number of rotations that leave a tile unchanged; None for balls in a row, unless only the identity is allowed."""
    if not (grid.of_balls and grid.dimension == 3) or len(symmetries) == 1:
        return len(symmetries) // len(orientations(grid, replace(tile, symmetries=tuple(symmetries))))
    if np.linalg.matrix_rank(np.array(tile.atoms) - tile.atoms[0]) < 2:
        return None
    look = tile.transform(grid.motions[0])
    return sum(tile.transform(grid.motions[index]) == look for index in symmetries)


def choices(ranges: Sequence[tuple[int, int | None]], most: int) -> list[int]:
    """Return for each number j of used copies, up to ``most``, the number of ways to choose and label them within the members' ranges.

    The choices are the coefficients of the product of the members' polynomials Σ C(high, k) x^k, k from low to high. Each choice has j!
    labellings.
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


FIRST_LOOKED_AT = 50
"""Maximum number of solutions that a symmetry leaves unchanged among which each kind is looked for, to count it in a second way."""


@dataclass(frozen=True)
class Counts:
    """The counts. None means not known; a labelled count is also None if the copies of a tile have no limit.

    If there is no solution, every count is 0, even with unlimited copies.
    """

    labelled: int | None = None
    """The solutions, with copies of a tile distinguished."""
    all: int | None = None
    """The solutions, with copies not distinguished: two solutions are the same if they look the same."""
    distinct: int | None = None
    """``all`` up to the symmetries of the form that the rules allow."""
    fixed: dict[str, int] | None = None
    """The number of solutions (of ``all``) that each symmetry leaves unchanged, by the name of the symmetry."""
    fixed_labelled: dict[str, int] | None = None
    """The number of labelled solutions that each symmetry leaves unchanged."""
    labelled_distinct: int | None = None
    """``labelled`` up to the symmetries."""
    labelled_turns: int | None = None
    """``labelled``, with rotations of a tile that look the same also distinguished."""
    split: dict[int, int] | None = None
    """``all`` by the number of uncovered atoms of the split, if the instance has a split."""
    split_labelled: dict[int, int] | None = None
    """``labelled`` by the number of uncovered atoms of the split, if the instance has a split."""


class SolutionCounter:
    """Count the solutions of a problem from blocks of solutions of a reduced problem, whose symmetry may be broken.

    Symmetry is broken on one tile or atom: of each orbit of its placements one is kept. A solution S of the reduced problem then represents
    w solutions of the whole problem, where w is how many of these placements are in the orbit of the one in S. Let G be the group, and H
    the broken part of it (G, or the identity alone). Then ``all`` is Σ w, and g fixes Σ_h Σ_S (w / |H|) [h⁻¹gh S = S] solutions, with h in
    H. ``distinct`` is the number of kept solutions that are the least kept solution among their images. Burnside's lemma must confirm it:
    Σ_g fixed(g) / |G|.
    """

    def __init__(self, built: BuiltInstance, reduced: CoverProblem) -> None:
        self.whole = built.problem
        self.built = built
        self.origin = np.arange(reduced.size, dtype=np.int32) if reduced.origin is None else reduced.origin
        self.broken = reduced.weight is not None
        self.weight = np.ones(self.whole.size + 1, dtype=np.int64)
        self.kept = np.ones(self.whole.size + 1, dtype=bool)
        if reduced.weight is not None:
            self.weight[self.origin] = reduced.weight
            assert reduced.broken_on is not None
            own = self.whole.options_of[reduced.broken_on]
            self.kept[np.setdiff1d(own, self.origin)] = False
        self.images = self.whole.option_images.array
        self.labelling = Labelling(built)
        self.cycles = [self.labelling.cycles(image) for image in self.images]
        self.split = _split_weights(built)
        self.found = self.all = self.least = self.labelled = 0
        self.unmoved = [0] * len(self.images)
        self.unmoved_labelled = [0] * len(self.images)
        self.looked_at: set[int] = set()
        """Symmetries for which the labellings of a solution were counted in a second way."""
        self.by_split, self.by_split_labelled = Counter[int](), Counter[int]()

    def in_whole(self, rows: Rows) -> Rows:
        """Return a block of solutions of the reduced problem in the option numbers of the whole problem."""
        rows = np.where(rows >= 0, self.origin[rows], -1).astype(np.int32) if rows.size else rows
        return rows if rows.shape[1] else np.full((len(rows), 1), -1, dtype=np.int32)

    def add(self, rows: Rows) -> None:
        """Count a block of solutions, given in the option numbers of the whole problem."""
        weights = np.prod(self.weight[rows], axis=1)
        self.found += len(rows)
        self.all += int(weights.sum())
        self.labelled += self.labelling.total(rows, weights)
        self._count_split(rows, weights)
        canonical = np.ones(len(rows), dtype=bool)
        for g, image in enumerate(self.images):
            moved = sorted_rows(image[rows])
            step = first_difference(moved, rows)  # both have their padding at the same positions
            canonical &= ~((step < 0) & self.kept[moved].all(axis=1))
            same = step == 0
            self.unmoved[g] += int(weights[same].sum())
            tiles, returned = self.cycles[g]
            each = same & (returned[rows] == rows).all(axis=1)
            self.unmoved_labelled[g] += self.labelling.total(rows[each], weights[each], tiles)
            if g not in self.looked_at and same.any():
                self.looked_at.add(g)
                for number in self._of_each_kind(rows, same):
                    self._look_at(g, number, rows, each)
        self.least += int(canonical.sum())

    def counts(self) -> Counts:
        """Return the counts of the whole problem; every solution must have been added."""
        known, turns = self.labelling.defined or not self.all, self.labelling.turns() if self.all else 1
        if self.split is not None and (self.by_split.total(), self.by_split_labelled.total()) != (self.all, self.labelled):
            raise ContradictionError("the split is miscounted: its parts do not add up to all solutions")
        fixed, fixed_labelled = self._spread(self.unmoved), self._spread(self.unmoved_labelled)
        labelled_distinct, rest = divmod(sum(fixed_labelled), len(self.images)) if known and fixed_labelled is not None else (None, 0)
        if rest and self.burnside():  # otherwise solutions are missing, and the report says so
            raise ContradictionError("labelled solutions are miscounted: Burnside's lemma contradicts their number up to symmetry")
        return Counts(
            labelled=self.labelled if known else None,
            all=self.all,
            distinct=self.least,
            fixed=None if fixed is None else dict(zip(self.whole.symmetries, fixed, strict=True)),
            fixed_labelled=dict(zip(self.whole.symmetries, fixed_labelled, strict=True)) if known and fixed_labelled is not None else None,
            labelled_distinct=labelled_distinct,
            labelled_turns=self.labelled * turns if known and turns is not None else None,
            split=None if self.split is None else dict(sorted(self.by_split.items())),
            split_labelled=None if self.split is None or not known else dict(sorted(self.by_split_labelled.items())),
        )

    def burnside(self) -> bool:
        """Return whether ``distinct`` agrees with Burnside's lemma."""
        fixed = self._spread(self.unmoved)
        return fixed is not None and sum(fixed) == self.least * len(self.images)

    def _of_each_kind(self, rows: Rows, same: Flags) -> list[int]:
        """Return the first solution of each multiset of tiles: the number of labellings depends on the multiset."""
        found: dict[bytes, int] = {}
        for number in np.flatnonzero(same)[:FIRST_LOOKED_AT].tolist():
            found.setdefault(np.sort(self.labelling.tile[rows[number]]).tobytes(), number)
        return [*found.values()]

    def _look_at(self, g: int, number: int, rows: Rows, each: Flags) -> None:
        """Count in a second way the labellings of one solution that a symmetry leaves unchanged, and compare.

        The symmetry must leave the solution itself unchanged.
        """
        row = rows[number : number + 1]
        counted = self.labelling.total(row, np.ones(1, dtype=np.int64), self.cycles[g][0]) if each[number] else 0
        by_hand = labellings_kept(self.built, row[0].tolist(), self.images[g].tolist()) if self.labelling.defined else None
        if by_hand is not None and by_hand != counted:
            fault = f"{self.whole.symmetries[g]} leaves {by_hand} ways to tell the copies of a solution apart unchanged, not {counted}"
            raise ContradictionError(f"labelled solutions are miscounted: {fault}")

    def _count_split(self, rows: Rows, weights: Longs) -> None:
        if self.split is None:
            return
        total, by_option = self.split
        values = total - by_option[rows].sum(axis=1)
        if len(rows) and (by_hand := uncovered(self.built, rows[0].tolist())) != values[0]:
            raise ContradictionError(f"the split is miscounted: a solution leaves {by_hand} atoms uncovered, not {values[0]}")
        for value in np.unique(values).tolist():
            chosen = values == value
            self.by_split[value] += int(weights[chosen].sum())
            self.by_split_labelled[value] += self.labelling.total(rows[chosen], weights[chosen])

    def _spread(self, unmoved: list[int]) -> list[int] | None:
        """Return the number of solutions of the whole problem that each symmetry fixes, from the weighted kept solutions that it fixes.

        None if a number is not an integer: then solutions are missing.
        """
        if not self.broken:
            return list(unmoved)
        permutations = self.images[:, :-1]
        inverses = [np.argsort(p).astype(np.int32) for p in permutations]
        index = {p.tobytes(): g for g, p in enumerate(permutations)}
        fixed = []
        for g in permutations:
            total = 0
            for h, inverse in zip(permutations, inverses, strict=True):
                total += unmoved[index[np.ascontiguousarray(inverse[g[h]]).tobytes()]]
            fixed.append(Fraction(total, len(permutations)))
        return [int(n) for n in fixed] if all(n.denominator == 1 for n in fixed) else None


def _split_weights(built: BuiltInstance) -> tuple[int, Longs] | None:
    """Return the number of atoms of the split, and for each option the number of them that it covers."""
    split = built.puzzle.split
    if split is None:
        return None
    weights = built.placements.atoms.sums(np.array([a in split.atoms for a in built.puzzle.form.numbering.atoms], dtype=np.int64))
    return len(split.atoms), np.array([*weights, 0], dtype=np.int64)
