"""When two conditions on a solution say the same: their normal forms, and the motions that take a set of them to itself.

A condition gives each placement a weight, and says between which bounds, or in which class modulo m, the weights of a solution add up. A
*covering* is a set of placements that meets everything but the rules. What all coverings have in common changes nothing: each required atom
is covered once, some tiles are used exactly k times. So weights that differ by multiples of these sums, with bounds shifted by what they
add up to, say the same of every covering; so do weights and bounds divided by a number, or negated.

Whatever is added here to weights is added to bounds exactly. So if two normal forms are equal, the conditions hold for the same coverings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Permutation
from .grid import Atom
from .puzzle import StatedPlacement, StatedPuzzle, StatedRule
from .solution_rules import ONE_OF
from .values import TooLarge

Numbers = NDArray[Any]
"""Whole numbers, however large."""
MOST_SUMS, MOST_PLACEMENTS = 400, 200_000
"""Beyond these, what coverage implies is not looked for, for any motion."""
MOST_WORK = 50_000_000
"""Weights that are moved for all conditions and motions together, about: some ten seconds. A file of 100 KB may ask for hours."""
SAFE = 1 << 50
"""A few numbers below this add up in 64 bits."""


class NoCoveringError(Exception):
    """No covering keeps all conditions, or there is none at all: then every motion takes solutions to solutions."""


@dataclass(frozen=True, eq=False)
class CheckedCondition:
    """Σ weights of a covering lies from low to high; or it is ≡ low modulo ``prime`` ** ``power``, where there is a prime."""

    weights: Numbers
    low: int
    high: int | None
    """None: as high as it likes."""
    prime: int = 0
    power: int = 1


class CheckedConditions:
    """The conditions of a puzzle, those among its rules that are sums of weights."""

    def __init__(self, puzzle: StatedPuzzle, placements: list[StatedPlacement]) -> None:
        self.puzzle, self.placements, self.work = puzzle, placements, 0
        stated = sum(isinstance(rule, StatedRule) or rule.kind == ONE_OF for rule in puzzle.rules)
        self._spend(stated * len(placements) * (1 if puzzle.surface.wraps else len(puzzle.symmetries)))
        self.work, self.prepared = 0, set[tuple[int, int]]()
        """The work so far, and the moduli (prime, power) for which the equations of coverage are solved."""
        try:
            reach = _Reach(puzzle, placements)
            self.all: list[CheckedCondition] | None = [c for stated in _stated(puzzle, placements) for c in _clipped(stated, reach)]
        except NoCoveringError:
            self.all = None

    def _spend(self, work: int) -> None:
        """Add to the work. Raises TooLarge where it becomes too much."""
        self.work += work
        if self.work > MOST_WORK:
            raise TooLarge("puzzle.rules: its conditions are too many for this number of placements and symmetries")

    def kept_by(self, permutation: Permutation) -> bool:
        """Tell whether all of them hold for a covering exactly if they do for its image; the permutation is a symmetry of all the rest.

        Raises TooLarge where all motions together take too long.
        """
        if not self.all or self._plain == self.forms(permutation, None):
            return True
        try:
            return self.coverage is not None and self._whole == self.forms(permutation, self.coverage)
        except NoCoveringError:
            self.all = None  # so it is for every motion
            return True

    def forms(self, permutation: Permutation, coverage: _Coverage | None) -> frozenset[object]:
        """The normal forms of the conditions, said of the image of a covering; without what coverage implies, or with it."""
        found = set[object]()
        for c in self.all or ():
            self._spend(len(c.weights) + (0 if coverage is None else len(coverage.flat) + coverage.sums**2))
            if coverage is not None and (c.prime, c.power) not in self.prepared:
                self._spend(coverage.sums**3 // 2)
                self.prepared.add((c.prime, c.power))
            found.add((_residue_form if c.prime else _interval_form)(c, c.weights[permutation], coverage))
        return frozenset(found - {None})

    @cached_property
    def _plain(self) -> frozenset[object]:
        return self.forms(np.arange(len(self.placements)), None)

    @cached_property
    def _whole(self) -> frozenset[object]:
        return self.forms(np.arange(len(self.placements)), self.coverage)

    @cached_property
    def coverage(self) -> _Coverage | None:
        """The sums that all coverings have in common; None where there are too many to work with."""
        exact = [number for number, tile in enumerate(self.puzzle.tiles) if tile.low == tile.high]
        if len(self.puzzle.required) + len(exact) > MOST_SUMS or len(self.placements) > MOST_PLACEMENTS:
            return None
        return _Coverage(self.puzzle, self.placements, exact)


def _stated(puzzle: StatedPuzzle, placements: list[StatedPlacement]) -> Iterator[CheckedCondition | tuple[CheckedCondition, int]]:
    """Each as stated; of atoms that are covered anyway, and of tiles that are used k times, the weights are in the bounds."""
    required = frozenset(puzzle.required)
    lying: dict[Atom, list[int]] = {}
    for o, p in enumerate(placements):
        for a in p.look[0]:
            lying.setdefault(a, []).append(o)
    of_tile = np.array([p.tile for p in placements], dtype=np.int64)
    for rule in puzzle.rules:
        if isinstance(rule, StatedRule):
            of_tiles = [rule.tiles.get(tile.name, 0) for tile in puzzle.tiles]
            exact = [tile.low == tile.high for tile in puzzle.tiles]
            always = sum(w for a, w in rule.atoms.items() if a in required)
            always += sum(tile.low * w for tile, w, k in zip(puzzle.tiles, of_tiles, exact, strict=True) if k)
            weights = _numbers([0 if k else w for w, k in zip(of_tiles, exact, strict=True)])[of_tile]
            for a, w in rule.atoms.items():
                if a not in required:
                    weights[lying.get(a, [])] += w
            if rule.modulus:
                yield CheckedCondition(weights, rule.residue - always, None), rule.modulus
            else:
                yield CheckedCondition(weights, rule.low - always, rule.high - always)
        elif rule.kind == ONE_OF:
            yield CheckedCondition(_numbers([int(piece in rule.placements) for piece in puzzle.pieces(placements)]), 1, None)


def _clipped(stated: CheckedCondition | tuple[CheckedCondition, int], reach: _Reach) -> Iterator[CheckedCondition]:
    """What a condition says of what can be reached, in the smallest whole numbers; nothing where it always holds."""
    if isinstance(stated, tuple):
        condition, modulus = stated
        for prime, power in _prime_powers(modulus):
            yield from _clipped_residue(condition.weights, condition.low, prime, power)
        return
    weights, low, high = stated.weights, stated.low, stated.high
    if (divisor := gcd(*weights)) > 1:
        weights, low, high = weights // divisor, -(-low // divisor), None if high is None else high // divisor
    least, most = reach.of(weights)
    if low <= least and (high is None or most <= high):
        return
    low, high = max(low, least), most if high is None else min(high, most)
    if low > high:
        raise NoCoveringError
    yield CheckedCondition(weights, low, high)


def _clipped_residue(weights: Numbers, residue: int, prime: int, power: int) -> Iterator[CheckedCondition]:
    while power and all(w % prime == 0 for w in weights):
        if residue % prime:
            raise NoCoveringError
        weights, residue, power = weights // prime, residue // prime, power - 1
    if power:
        q = prime**power
        yield CheckedCondition(weights % q, residue % q, None, prime, power)


class _Reach:
    """What weights of a covering add up to, at least and at most, by how often each tile can be used."""

    def __init__(self, puzzle: StatedPuzzle, placements: list[StatedPlacement]) -> None:
        self.tiles: list[tuple[list[int], int, int]] = []
        for number, tile in enumerate(puzzle.tiles):
            own = [o for o, p in enumerate(placements) if p.tile == number]
            fits = len(puzzle.form) // min((len(placements[o].look[0]) for o in own), default=1)
            high = min(tile.high, fits, len(own))
            if tile.low > high:
                raise NoCoveringError
            self.tiles.append((own, tile.low, high))

    def of(self, weights: Numbers) -> tuple[int, int]:
        least = most = 0
        for own, low, high in self.tiles:
            if own:
                few, many = min(weights[own]), max(weights[own])
                least, most = least + min(low * few, high * few), most + max(low * many, high * many)
        return least, most


class _Coverage:
    """Sums that are the same for all coverings, one a column: of the placements on a required atom 1, of a tile used k times k."""

    def __init__(self, puzzle: StatedPuzzle, placements: list[StatedPlacement], exact: list[int]) -> None:
        number: dict[object, int] = {a: i for i, a in enumerate(puzzle.required)}
        number |= {tile: len(number) + i for i, tile in enumerate(exact)}
        self.total = _numbers([*(1 for _ in puzzle.required), *(puzzle.tiles[tile].low for tile in exact)])
        self.sums = len(number)
        # every placement is in one column more, that of zeros, so that each is in some
        self.columns = [[number[key] for key in (*p.look[0], p.tile) if key in number] + [self.sums] for p in placements]
        self.start = np.cumsum([0, *map(len, self.columns[:-1])])
        self.flat = np.array([c for columns in self.columns for c in columns], dtype=np.int64)
        self.modulo = cache(lambda prime, power: _Modulo(self, prime, power))

    def add(self, factors: Numbers) -> Numbers:
        """For each placement the sum of the factors of its columns."""
        small = max(map(abs, factors.tolist()), default=0) < SAFE
        padded = np.append(factors, 0).astype(np.int64 if small else object)
        found: Numbers = np.add.reduceat(padded[self.flat], self.start).astype(object)
        return found

    def row(self, placement: int, of: Numbers) -> Numbers:
        """The sum of the rows of a table that belong to the columns of a placement."""
        found: Numbers = of[self.columns[placement][:-1]].sum(axis=0)
        return found

    @cached_property
    def rational(self) -> _Rational:
        return _Rational(self)


class _Rational:
    """The columns brought to a form in which each is 1 at a placement of its own (its pivot), and 0 at those of the others."""

    def __init__(self, coverage: _Coverage) -> None:
        self.coverage, self.divisor = coverage, 1
        table = np.identity(coverage.sums, dtype=object)
        pivots: list[tuple[int, int]] = []
        for c in range(coverage.sums):
            hit = np.flatnonzero(coverage.add(table[:, c]))
            if not hit.size:  # the same weight 0 everywhere: then it adds up to 0, or there is no covering
                if coverage.total @ table[:, c]:
                    raise NoCoveringError
                continue
            at = coverage.row(int(hit[0]), table)
            own, pivot = table[:, c].copy(), at[c]
            at[c] = 0
            table = (pivot * table - np.outer(own, at)) // self.divisor  # divides without rest, for all are minors of one matrix
            table[:, c], self.divisor = own, pivot
            pivots.append((int(hit[0]), c))
        self.at, self.table = [p for p, _ in pivots], table[:, [c for _, c in pivots]]

    def reduced(self, weights: Numbers) -> tuple[Numbers, int, int]:
        """Weights times a number, less columns so that it is 0 at each pivot; what the columns add up to; and the number."""
        factors = self.table @ weights[self.at]
        return self.divisor * weights - self.coverage.add(factors), int(self.coverage.total @ factors), self.divisor


class _Modulo:
    """The same modulo a prime power q. A column is p^v at its pivot, all that is left a multiple of that; those before it are 0 there."""

    def __init__(self, coverage: _Coverage, prime: int, power: int) -> None:
        self.coverage, self.q = coverage, prime**power
        table = np.identity(coverage.sums, dtype=object)
        self.pivots: list[tuple[int, int, Numbers]] = []
        """Its placement, p^v, and the factors of the columns of coverage that it is made of."""
        free = list(range(coverage.sums))
        for unit in (prime**v for v in range(power)):
            for c in list(free):
                hit = np.flatnonzero(coverage.add(table[:, c]) % self.q % (unit * prime))
                if not hit.size:
                    continue
                free.remove(c)
                at = coverage.row(int(hit[0]), table) % self.q
                own = table[:, c] * pow(int(at[c]) // unit, -1, self.q) % self.q
                table[:, free] = (table[:, free] - np.outer(own, at[free] // unit)) % self.q
                if coverage.total @ own % unit:
                    raise NoCoveringError
                self.pivots.append((int(hit[0]), unit, own))
        if any(coverage.total @ table[:, c] % self.q for c in free):
            raise NoCoveringError

    def reduced(self, weights: Numbers, residue: int) -> tuple[list[int], list[int], int]:
        """The coordinates of weights modulo the columns, each with its modulus, and the residue: all of them linear in the weights."""
        of_pivots: list[int] = []
        for pivot, unit, own in self.pivots:
            factor = int(weights[pivot])
            of_pivots.append(factor % unit)
            weights = (weights - factor * (self.coverage.add(own) % self.q // unit)) % self.q
            residue -= factor * (int(self.coverage.total @ own) % self.q // unit)
        units = [unit for _, unit, _ in self.pivots]
        return [*of_pivots, *weights.tolist()], [*units, *[self.q] * len(weights)], residue % self.q


def _interval_form(condition: CheckedCondition, weights: Numbers, coverage: _Coverage | None) -> object:
    """Weights without a common divisor, the first of them positive, and bounds; None where these hold always."""
    assert condition.high is not None
    shift, factor = 0, 1
    if coverage is not None:
        weights, shift, factor = coverage.rational.reduced(weights)
    low, high = sorted((factor * condition.low - shift, factor * condition.high - shift))
    divisor = gcd(*weights)
    if divisor == 0:
        if low <= 0 <= high:
            return None
        raise NoCoveringError
    if next(w for w in weights if w) < 0:
        weights, low, high = -weights, -high, -low
    return tuple(weights // divisor), Fraction(low, divisor), Fraction(high, divisor)


def _residue_form(condition: CheckedCondition, weights: Numbers, coverage: _Coverage | None) -> object:
    """Weights and residue times the unit by which the first weight of the highest order is a power of the prime."""
    q = condition.prime**condition.power
    values, moduli, residue = weights.tolist(), [q] * len(weights), condition.low
    if coverage is not None:
        values, moduli, residue = coverage.modulo(condition.prime, condition.power).reduced(weights, residue)
    orders = [m // gcd(v, m) for v, m in zip(values, moduli, strict=True)]
    order = max(orders)
    if residue * order % q:
        raise NoCoveringError
    if order == 1:
        return None
    first = orders.index(order)
    unit = pow(values[first] // gcd(values[first], moduli[first]), -1, order)
    return q, tuple(unit * v % m for v, m in zip(values, moduli, strict=True)), unit * residue % q


def _prime_powers(modulus: int) -> Iterator[tuple[int, int]]:
    """Each prime that divides a modulus, and how often."""
    prime = 2
    while modulus > 1:
        if prime * prime > modulus:
            prime = modulus
        power = 0
        while modulus % prime == 0:
            modulus, power = modulus // prime, power + 1
        if power:
            yield prime, power
        prime += 1


def _numbers(values: list[int]) -> Numbers:
    found: Numbers = np.empty(len(values), dtype=object)
    found[:] = values
    return found
