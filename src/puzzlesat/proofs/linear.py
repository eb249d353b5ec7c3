"""Exact linear algebra for colouring arguments: weights on the atoms whose sum no choice of placements reaches.

``separating`` finds weights modulo prime powers, ``integer_vectors`` over the integers, and ``farkas`` by linear programming. A vector y
with y · row = 0 for every row and y · target ≠ 0 proves that no integer combination of the rows is the target.

A. Schrijver, "Theory of Linear and Integer Programming", sections 4.1 (lattices: corollary 4.1a) and 7.3 (Farkas' lemma). S. W. Golomb,
"Polyominoes", chapter 1 (checkerboard colouring). D. A. Klarner, "Packing a rectangle with congruent n-ominoes", Journal of Combinatorial
Theory 7, 1969 (weights of several values).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, Reals
from puzzlesat.puzzles import Condition, CoverProblem

BIG_PRIME = 2_147_483_647
"""Computations over the rationals are done modulo this prime; their results are checked with integers."""
ROWS_AT_A_TIME = 48
BLOCK = 512
EPSILON = 1e-6


def separating(rows: Longs, target: Longs, prime: int, power: int, late: Callable[[], bool]) -> Longs | None:
    """Return generators (columns) of the vectors y with rows · y ≡ 0 modulo prime ** power if one has y · target ≢ 0, else None.

    The rows are processed in blocks, in random order: vectors that annihilate the first rows mostly annihilate the others. The result is
    also None if ``late`` becomes true.
    """
    modulus = prime**power
    found = np.eye(rows.shape[1], dtype=np.int64)
    goal = target.astype(np.float64)
    order = np.random.default_rng(1).permutation(len(rows))
    done = 0
    while not late():
        if not found.size or not _times(goal, found, modulus).any():
            return None
        if done >= len(rows):
            return found
        block = rows[order[done : done + BLOCK]].astype(np.float64)
        wrong = np.flatnonzero(_times(block, found, modulus).any(axis=1))[:ROWS_AT_A_TIME]
        if len(wrong):
            found = _annihilate(block[wrong], found, prime, power)
        else:
            done += BLOCK  # this block stays annihilated: the space only shrinks
    return None


def _times(left: Reals, right: Longs, modulus: int) -> Longs:
    """Return the product of small integers with residues, modulo a number below 2³¹.

    It is computed in floating point, which is fast in NumPy, in parts that stay below 2⁵³ and are therefore exact.
    """
    low = (left @ (right & 0xFFFF).astype(np.float64)).astype(np.int64) % modulus
    if modulus <= 1 << 16:
        return low
    high = (left @ (right >> 16).astype(np.float64)).astype(np.int64) % modulus
    return np.asarray((high * (1 << 16) + low) % modulus, dtype=np.int64)


def _annihilate(rows: Reals, columns: Longs, prime: int, power: int) -> Longs:
    """Return generators of the combinations of the columns that every row maps to 0."""
    modulus = prime**power
    products = _times(rows, columns, modulus)
    for row in range(len(rows)):
        values = products[row]
        used = np.flatnonzero(values)
        if not len(used):
            continue
        orders = _valuations(values[used], prime, power)
        pivot = int(used[np.argmin(orders)])
        order = int(orders.min())
        unit = int(values[pivot]) // prime**order
        factors = (values // prime**order) * pow(unit, -1, modulus) % modulus
        factors[pivot] = 0
        for table in (columns, products):
            table -= table[:, pivot : pivot + 1] * factors % modulus
            table %= modulus
            table[:, pivot] = table[:, pivot] * prime ** (power - order) % modulus
        keep = columns.any(axis=0)
        columns, products = columns[:, keep], products[:, keep]
    return columns


def _valuations(values: Longs, prime: int, power: int) -> Longs:
    """Return the exponent of the prime in each number; no number is 0 modulo the prime power."""
    found = np.zeros(len(values), dtype=np.int64)
    for k in range(1, power):
        found += values % prime**k == 0
    return found


def integer_vectors(rows: Longs, target: Longs, generators: Longs) -> list[Longs]:
    """Return integer vectors y with rows · y = 0 and y · target ≠ 0, from generators modulo the big prime.

    A generator in reduced echelon form is kept if its entries are fractions with small numerator and denominator.
    """
    found = []
    for vector in _echelon(generators):
        whole = _whole(vector)
        if whole is not None and not (rows @ whole).any() and int(target @ whole):
            found.append(whole)
    return found


def _echelon(generators: Longs) -> Longs:
    """Return the generators as rows in reduced echelon form modulo the big prime."""
    table = generators.T.copy()
    done = 0
    for column in range(table.shape[1]):
        below = np.flatnonzero(table[done:, column])
        if not len(below):
            continue
        table[[done, done + int(below[0])]] = table[[done + int(below[0]), done]]
        table[done] = table[done] * pow(int(table[done, column]), -1, BIG_PRIME) % BIG_PRIME
        factors = table[:, column].copy()
        factors[done] = 0
        table = (table - factors[:, None] * table[done] % BIG_PRIME) % BIG_PRIME
        done += 1
    return np.asarray(table[:done], dtype=np.int64)


def _whole(vector: Longs) -> Longs | None:
    """Return the smallest integer multiple of a vector of fractions modulo the big prime; None if they are not small fractions."""
    fractions = []
    for entry in vector.tolist():
        fraction = _fraction(entry)
        if fraction is None:
            return None
        fractions.append(fraction)
    common = lcm(*(f.denominator for f in fractions))
    whole = [int(f * common) for f in fractions]
    return np.array([w // (gcd(*whole) or 1) for w in whole], dtype=np.int64)


def _fraction(residue: int, most: int = 2000) -> Fraction | None:
    """Return the small fraction with a residue modulo the big prime, or None.

    Rational reconstruction: P. S. Wang, "A p-adic algorithm for univariate partial fractions", 1981.
    """
    if residue <= most or BIG_PRIME - residue <= most:
        return Fraction(residue if residue <= most else residue - BIG_PRIME)
    before, now, s, t = BIG_PRIME, residue, 0, 1
    while now > most:
        q = before // now
        before, now, s, t = now, before - q * now, t, s - q * t
    return Fraction(now, t) if 0 < abs(t) <= most else None


def farkas(rows: Longs, tiles: Ints, copies: list[tuple[int, int | None]], target: Longs, seconds: float) -> list[float] | None:
    """Return weights y in [-1, 1] such that y · target exceeds the weight of every allowed choice of rows, or None.

    ``copies`` holds for each tile the minimum and the maximum number of its rows in a choice (None: any number). The linear programme
    (maximise y · target − Σ copies · max y · row) is solved by row generation with GLOP.
    """
    from ortools.linear_solver import pywraplp

    solver = pywraplp.Solver.CreateSolver("GLOP")
    y = [solver.NumVar(-1.0, 1.0, "") for _ in range(rows.shape[1])]
    best = [solver.NumVar(-solver.infinity(), 0.0 if high is None else solver.infinity(), "") for _, high in copies]
    objective = solver.Objective()
    for variable, value in zip(y, target.tolist(), strict=True):
        objective.SetCoefficient(variable, float(value))
    for variable, (low, high) in zip(best, copies, strict=True):
        if high is None or high == low:
            objective.SetCoefficient(variable, -float(low))
            continue
        cost = solver.NumVar(-solver.infinity(), solver.infinity(), "")
        objective.SetCoefficient(cost, -1.0)
        solver.Add(cost >= low * variable)
        solver.Add(cost >= high * variable)
    objective.SetMaximization()
    by_tile = [np.flatnonzero(tiles == t) for t in range(len(copies))]
    for t, own in enumerate(by_tile):
        if not len(own):
            return None  # a tile without placement: there is nothing to weigh
        _add_rows(solver, rows[own[:1]], y, best[t])
    return _solved(solver, rows, by_tile, y, best, seconds)


def _add_rows(solver: object, rows: Longs, y: list[object], best: object) -> None:
    """Add ``best >= y · row`` for some rows."""
    for row in rows:
        constraint = solver.Constraint(0.0, solver.infinity())  # type: ignore[attr-defined]
        constraint.SetCoefficient(best, 1.0)
        for c in np.flatnonzero(row).tolist():
            constraint.SetCoefficient(y[c], -float(row[c]))


def _solved(solver: object, rows: Longs, by_tile: list[Longs], y: list[object], best: list[object], seconds: float) -> list[float] | None:
    """Solve, add the most violated rows, and repeat until no row is violated; the bound only falls."""
    from time import monotonic

    end = monotonic() + seconds
    while (left := end - monotonic()) > 0:
        solver.SetTimeLimit(max(int(1000 * left), 1))  # type: ignore[attr-defined]
        if solver.Solve() != 0 or solver.Objective().Value() <= EPSILON:  # type: ignore[attr-defined]
            return None
        point = np.array([v.solution_value() for v in y])  # type: ignore[attr-defined]
        weights = rows @ point
        bounds = [v.solution_value() for v in best]  # type: ignore[attr-defined]
        worst = [own[np.argsort(-weights[own])[:4]] for own in by_tile]
        missing = [some[weights[some] > bound + EPSILON] for some, bound in zip(worst, bounds, strict=True)]
        if not any(map(len, missing)):
            return [float(p) for p in point]
        for some, variable in zip(missing, best, strict=True):
            _add_rows(solver, rows[some], y, variable)
    return None


@dataclass(frozen=True)
class Weighting:
    """Weights of the atoms. If no choice of placements adds up to the form's weight, there is no solution."""

    title: str
    weights: tuple[int, ...]
    """The weight of each atom, in the order of the items of the problem; 0 for atoms that may stay uncovered."""
    modulus: int
    """Modulus of the sums; 0: over the integers."""


@dataclass(frozen=True)
class Sums:
    """The weights of the placements of each tile, and the sums that the tiles reach together."""

    values: tuple[tuple[int, ...], ...]
    """The distinct weights of the placements of each tile, ascending."""
    copies: tuple[tuple[int, int], ...]
    """The minimum and the maximum copies of each tile; a missing limit is replaced by the number of atoms."""
    unlimited: tuple[bool, ...]
    """True if only the area limits the copies of a tile, for each tile."""
    total: int
    """The weight of the form."""
    reached: list[int] | None
    """Every sum that the tiles can reach, ascending; None if the sums spread too widely to be enumerated."""

    @property
    def impossible(self) -> bool:
        """True if the form's weight is out of reach, so that there is no solution."""
        return self.reached is not None and self.total not in self.reached


def atom_count(problem: CoverProblem) -> int:
    """Return the number of items that are atoms; they precede the tiles."""
    return int(problem.tiles[0]) if len(problem.tiles) else len(problem.items)


def tile_of(problem: CoverProblem) -> Ints:
    """Return the tile of each option as a number from 0."""
    tiles = np.zeros(problem.size, dtype=np.int32)
    for number, item in enumerate(problem.tiles.tolist()):
        tiles[problem.options_of[item]] = number
    return tiles


def option_weights(problem: CoverProblem, weights: Longs) -> Longs:
    """Return the weight of each option: the sum over its atoms."""
    padded = np.zeros(len(problem.items), dtype=np.int64)
    padded[: len(weights)] = weights
    found = np.zeros(problem.size, dtype=np.int64)
    np.add.at(found, problem.rows, padded[problem.item])
    return found


def copies_of(problem: CoverProblem) -> tuple[tuple[int, int], ...]:
    """Return the minimum and the maximum copies of each tile; a missing limit is replaced by the number of atoms."""
    atoms = atom_count(problem)
    ranges = ((int(problem.low[t]), int(problem.high[t])) for t in problem.tiles.tolist())
    return tuple((low, max(low, atoms) if high >= CoverProblem.UNLIMITED else high) for low, high in ranges)


def sums_of(problem: CoverProblem, weighting: Weighting, removed: Flags | None = None) -> Sums:
    """Return the weights of the placements and the sums they can reach; placements marked ``removed`` are ignored.

    Raises ValueError unless there is one weight for each atom, which is 0 for an atom that may stay uncovered.
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
    reached = Condition.reachable(values, copies, m)
    unlimited = tuple(bool(problem.high[t] >= CoverProblem.UNLIMITED) for t in problem.tiles.tolist())
    return Sums(tuple(values), copies, unlimited, total % m if m else total, None if reached is None else reached.tolist())


def is_one_step(sums: Sums, modulus: int) -> bool:
    """Tell whether one step of arithmetic shows that the sum is out of reach: a division with remainder, or a bound.

    V. Chvátal, "Edmonds polytopes and a hierarchy of combinatorial problems", Discrete Mathematics 4, 1973.
    """
    return _leaves_remainder(sums, modulus) or (not modulus and _is_beyond(sums))


def _leaves_remainder(sums: Sums, modulus: int) -> bool:
    """Tell whether each tile has one weight modulo some divisor, and the form's weight is not their sum."""
    divisor, rest = modulus, sums.total
    for own, (low, high) in zip(sums.values, sums.copies, strict=True):
        if not own and low:
            return False
        same = own[0] if own and low == high else 0
        rest -= same * low
        divisor = gcd(divisor, *(v - same for v in own))
    return divisor > 1 and rest % divisor != 0


def _is_beyond(sums: Sums) -> bool:
    """Tell whether the form weighs more than the tiles can weigh at most, or less than they weigh at least."""
    for above, outer in ((True, max), (False, min)):
        bound, known = 0, True
        for own, (low, high), unlimited in zip(sums.values, sums.copies, sums.unlimited, strict=True):
            value = outer(own, default=0)
            most = value != 0 and (value > 0) == above
            known &= not (most and unlimited) and bool(own or not low)
            bound += value * (high if most else low)
        if known and (sums.total > bound if above else sums.total < bound):
            return True
    return False
