"""Colouring arguments: weights on the atoms whose sum no choice of placements can reach, found by the program.

Partitions of the atoms are gone through from coarse to fine: chessboards, stripes, blocks, periodic weights, each atom by itself.
On each the weights come from small patterns, from linear algebra over the rationals and modulo prime powers, and from a linear
programme (``proof.linear``). What can be found at all is known beforehand from the finest partition, so that puzzles without such
an argument are soon done with. Whatever is found is checked with the exact sums of ``proof.sums`` before it is returned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import gcd
from time import monotonic
from warnings import warn

import numpy as np

from puzzlesat.arrays import Flags, Ints, Longs
from puzzlesat.cover.build import Built
from puzzlesat.cover.problem import UNLIMITED
from puzzlesat.cover.reach import reachable
from puzzlesat.errors import PuzzleWarning
from puzzlesat.libraries import is_missing, not_installed
from puzzlesat.proof.classes import Partition, by_kind, chessboard, fine, orbits, periodic, single
from puzzlesat.proof.cut import cut_of
from puzzlesat.proof.linear import BIG_PRIME, farkas, integer_vectors, separating
from puzzlesat.proof.sums import Sums, Weighting, atom_count, copies_of, sums_of, tile_of
from puzzlesat.proof.words import explain
from puzzlesat.sentences import Sentence
from puzzlesat.solvers.strategy import COLOURING_SECONDS

__all__ = ["Sums", "Weighting", "explain", "find_weighting", "sums_of"]

POWERS = {2: 4, 3: 3, 5: 2, 7: 2, 11: 1, 13: 1}
"""Primes, and the highest power of each that is tried."""
MOST_COMBINED = 3000
"""Combinations of generators that are looked at for the one that reads best."""
MOST_PATTERNS = 6
"""Classes up to which small patterns of weights are tried."""
MOST_CELLS = 20_000_000
"""Rows times columns of a table beyond which the finest partitions are left out."""


@dataclass(frozen=True, eq=False)
class _Table:
    """The different ways in which placements of each tile cover the classes of a partition."""

    rows: Longs
    tiles: Ints
    form: Longs
    copies: tuple[tuple[int, int], ...]
    unlimited: tuple[bool, ...]

    @cached_property
    def lattice(self) -> tuple[Longs, Longs]:
        """Rows and a target: y with rows · y = 0 and target · y ≠ 0 weighs each tile alike, and the form differently from the tiles.

        A tile with a fixed number of copies may weigh something; one that may be used more or less often must weigh nothing.
        """
        rows, target = [], self.form.copy()
        for t, (low, high) in enumerate(self.copies):
            own = self.rows[self.tiles == t]
            if low == high and len(own):
                rows.append(own[1:] - own[0])
                target -= low * own[0]
            else:
                rows.append(own)
        return np.concatenate([np.zeros((0, self.rows.shape[1]), dtype=np.int64), *rows]), target

    def impossible(self, y: Longs, modulus: int) -> bool:
        """Whether the sums of the tiles miss the form's."""
        weights = self.rows @ y
        values = []
        for t in range(len(self.copies)):
            own = weights[self.tiles == t]
            values.append(tuple(np.unique(own % modulus if modulus else own).tolist()))
        total = int(self.form @ y)
        total = total % modulus if modulus else total
        bits, base = reachable(tuple(values), self.copies, modulus)
        return bits is not None and (total < base or not bits >> (total - base) & 1)


class _Search:
    """Looks for weights of one puzzle until it is late."""

    def __init__(self, built: Built, removed: Flags | None, seconds: float | None) -> None:
        self.built = built
        self.problem = built.problem
        self.removed = removed
        self.end = None if seconds is None else monotonic() + seconds
        keep = np.ones(self.problem.size, dtype=np.bool_) if removed is None else ~removed
        self.atoms = atom_count(self.problem)
        used = keep[self.problem.rows] & (self.problem.item < self.atoms)
        self.option, self.item = self.problem.rows[used], self.problem.item[used]
        self.options = np.flatnonzero(keep)
        self.tile = tile_of(self.problem)
        self.copies = copies_of(self.problem)
        self.unlimited = tuple(int(self.problem.high[t]) >= UNLIMITED for t in self.problem.tiles.tolist())
        self.powers: dict[int, range] = {}
        self.programme = False

    def late(self) -> bool:
        """Whether the time is over."""
        return self.end is not None and monotonic() > self.end

    def left(self, most: float) -> float:
        """How many seconds something may take."""
        return most if self.end is None else max(min(most, self.end - monotonic()), 0.0)

    def table(self, partition: Partition) -> _Table:
        """Count the classes that each placement covers; rows that differ in nothing are kept once.

        Rows are told apart by a random number for each class: if two different ones were taken for one, the weights found
        would only fail their check.
        """
        size = partition.size
        label = partition.labels[self.item]
        known = label >= 0
        flat = np.bincount(self.option[known] * np.int64(size) + label[known], minlength=self.problem.size * size)
        counts = flat.reshape(self.problem.size, size)[self.options].astype(np.int64)
        tiles = self.tile[self.options]
        keys = counts @ np.random.default_rng(1).integers(1 << 40, size=size) * len(self.copies) + tiles
        _, first = np.unique(keys, return_index=True)
        first = first[np.argsort(tiles[first], kind="stable")]
        form = np.bincount(partition.labels[partition.labels >= 0], minlength=size).astype(np.int64)
        return _Table(counts[first], tiles[first], form, self.copies, self.unlimited)

    def run(self) -> Weighting | None:
        """Return the first weights that read well, or the best there are."""
        spare = None
        for partition in self._ladder():
            if self.late():
                break
            for found in self._best_first(partition) if partition.size else ():
                sums = sums_of(self.problem, found, self.removed)
                if not sums.impossible:
                    continue
                if not sums.bits or cut_of(sums, found) is not None:
                    return found  # a tile that fits nowhere, or one step of arithmetic that a proof checker follows
                spare = spare or found
        return spare

    def _ladder(self) -> Iterator[Partition]:
        """Coarse partitions; finer ones only where the finest has told that there is something to be found."""
        board = chessboard(self.built)
        first = [by_kind(self.built), *([board] if board is not None else [])]
        yield from first
        self._outlook()
        yield from first
        yield from periodic(self.built)
        if self.powers or self.programme:
            yield from fine(self.built)

    def _outlook(self) -> None:
        """Find out modulo which prime powers, and by which means, the finest partitions have weights at all."""
        finest = self.table(single(self.built))
        if finest.rows.size <= MOST_CELLS:
            rows, target = finest.lattice
            for prime, most in POWERS.items():
                if self._separates(rows, target, prime, most):
                    least = next(power for power in range(1, most + 1) if self.late() or self._separates(rows, target, prime, power))
                    self.powers[prime] = range(least, most + 1)
            if self._separates(rows, target, BIG_PRIME, 1):
                self.powers[BIG_PRIME] = range(1, 2)
        coarse = self.table(orbits(self.built) if self.removed is None else single(self.built))
        self.programme = BIG_PRIME in self.powers or (coarse.rows.size <= MOST_CELLS and self._farkas(coarse) is not None)

    def _separates(self, rows: Longs, target: Longs, prime: int, power: int) -> bool:
        return separating(rows, target, prime, power, self.late) is not None

    def _farkas(self, table: _Table) -> list[float] | None:
        if is_missing("ortools"):
            warn(f"no weights are looked for by linear programming: {not_installed('ortools')}", PuzzleWarning, stacklevel=2)
            return None
        copies = [(low, None if free else high) for (low, high), free in zip(self.copies, self.unlimited, strict=True)]
        return farkas(table.rows, table.tiles, copies, table.form, self.left(4.0))

    def _best_first(self, partition: Partition) -> list[Weighting]:
        """Return what was found on a partition, the one that reads best first."""
        table = self.table(partition)
        found = [(y, m, title) for y, m, title in self._candidates(table, partition) if table.impossible(y, m)]
        found.sort(key=lambda entry: _cost(entry[0], entry[1], table))
        weights = partition.weights_of_classes
        return [Weighting(title, tuple((weights @ y).tolist()), m) for y, m, title in found[:12]]

    def _candidates(self, table: _Table, partition: Partition) -> Iterator[tuple[Longs, int, str]]:
        """Yield weights of the classes, the modulus, and a title."""
        size, title = partition.size, partition.title
        if size <= MOST_PATTERNS:
            yield from ((y, 0, title) for y in _patterns(size))
        rows, target = table.lattice
        for prime, powers in self.powers.items():
            for power in powers:
                generators = separating(rows, target, prime, power, self.late)
                if generators is None:
                    continue
                if prime == BIG_PRIME:
                    yield from ((y, 0, title) for y in _nice(integer_vectors(rows, target, generators)))
                else:
                    yield from ((y, prime**power, title) for y in _combinations(generators, prime**power, target))
                break
        if self.programme and size > 1 and not self.late() and (point := self._farkas(table)) is not None:
            programmed = Sentence("{title}, by linear programming", title=title)
            yield from ((y, 0, programmed) for y in _rounded(point))


def find_weighting(built: Built, *, removed: Flags | None = None, seconds: float | None = COLOURING_SECONDS) -> Weighting | None:
    """Return weights that prove that there is no solution, or None where none were found within the time.

    Placements marked ``removed`` are known to be useless and need not be weighed.
    """
    if not len(built.problem.tiles):
        return None
    return _Search(built, removed, seconds).run()


def _patterns(size: int) -> Iterator[Longs]:
    """Weights of very few values: one class, two against each other, one after the other by turns."""
    for i in range(size):
        yield np.eye(size, dtype=np.int64)[i]
    for i, j in combinations(range(size), 2):
        yield np.eye(size, dtype=np.int64)[i] - np.eye(size, dtype=np.int64)[j]
    if size % 2 == 0:
        yield np.array([1, -1] * (size // 2), dtype=np.int64)


def _nice(vectors: list[Longs]) -> Iterator[Longs]:
    """The vectors, and the sums and differences of two."""
    yield from vectors
    for a, b in combinations(vectors[:12], 2):
        yield a + b
        yield a - b


def _combinations(generators: Longs, modulus: int, target: Longs) -> Iterator[Longs]:
    """Combinations of the generators (columns) modulo the modulus that do not take the target to 0; few if there are many."""
    columns = generators.T
    if modulus ** len(columns) <= MOST_COMBINED:
        factors = np.array(list(product(range(modulus), repeat=len(columns))), dtype=np.int64)
    else:
        unit = np.eye(len(columns), dtype=np.int64)
        pairs = [unit[i] + s * unit[j] for i, j in combinations(range(min(len(columns), 30)), 2) for s in (1, modulus - 1)]
        factors = np.array([*unit, *pairs], dtype=np.int64)
    vectors = np.unique(factors @ columns % modulus, axis=0)
    good = vectors[(vectors @ target) % modulus != 0]
    order = sorted(range(len(good)), key=lambda i: _complexity(good[i], modulus))
    yield from (_centred(good[i], modulus) for i in order[:20])


def _centred(y: Longs, modulus: int) -> Longs:
    """The residues nearest to 0 where these are 1, 0 and −1 only."""
    low = np.where(y > modulus // 2, y - modulus, y)
    return low if modulus > 2 and np.abs(low).max() <= 1 else y


def _rounded(point: list[float]) -> Iterator[Longs]:
    """Small whole numbers near a point of rational numbers, for one common denominator after the other."""
    values = np.array(point)
    largest = np.abs(values).max()
    if largest <= 0:
        return
    for scale in range(1, 61):
        y = np.rint(values / largest * scale).astype(np.int64)
        divisor = gcd(*y.tolist())
        if divisor == 1 or scale == 1:
            yield y


def _complexity(y: Longs, modulus: int) -> float:
    """How hard weights are to read: many different ones, large ones, few zeros."""
    near = np.minimum(y, modulus - y) if modulus else np.abs(y)
    return float(10 * len(np.unique(y)) + near.sum() / max(len(y), 1) + np.count_nonzero(y) / max(len(y), 1))


def _cost(y: Longs, modulus: int, table: _Table) -> tuple[float, ...]:
    """Sort key: whole numbers and tiles of one value first, then small moduli, then what reads well."""
    weights = table.rows @ y
    most = max(
        len(np.unique(weights[table.tiles == t] % modulus if modulus else weights[table.tiles == t])) for t in range(len(table.copies))
    )
    return (most > 2, (modulus or 1) * (1 + (most > 1)), _complexity(y, modulus), float((y < 0).sum()))
