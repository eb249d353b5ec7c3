"""The normal forms of the linear conditions of a puzzle: find the motions that preserve them, and conditions that no covering satisfies.

A linear condition has an integer weight for each placement, and bounds for the sum over the used placements, or the residue of the sum.
Two conditions can be equivalent, that is satisfied by the same coverings, but differ in scale or by a constant that the coverage fixes.
Equivalent conditions get the same normal form:

1. Divide by the greatest common divisor, and clip the bounds to the sums that the tiles can reach; split a modulus into prime powers.
2. Subtract sums of rows of coverage, "this required atom is covered once" and "this tile is used k times", so that the weights become 0
   at the pivots of their echelon form. Modulo a prime power, the echelon form is that of J. A. Howell ("Spans in the module (Z_m)^s",
   Linear and Multilinear Algebra 19, 1986), because a multiple of a row can be 0 at the pivot of the row and not elsewhere.
3. Divide by the greatest common divisor and the sign of the first weight; modulo a prime power, take the least multiple by a unit.

A motion of the placements maps rows of coverage to rows of coverage, and tiles to tiles with the same copies, so it maps conditions with
the same normal form to conditions with the same normal form. The motions that map the set of normal forms to itself are a group.

Coverage also implies conditions by the chess colouring of the grid: one for two colours, else one for each colour but the last.
A condition whose sum the tiles cannot reach ends a search before it begins (``CoverProblem.out_of_reach``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import count
from math import gcd

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, Sentence
from puzzlesat.puzzles.placements import Placements
from puzzlesat.puzzles.problem import Condition
from puzzlesat.puzzles.puzzle import Puzzle, Rule

MAX_ROWS = 400
"""Step 2 is skipped if there are more rows of coverage."""
MAX_PLACEMENTS = 200_000
"""Step 2 is skipped if there are more placements."""
AT_ONCE = 256
"""Number of placements among which the next pivot is searched at once."""
SAFE = 2**42
"""Integers below this bound are computed in 64 bits, others as Python integers."""

Key = tuple[object, ...]
"""A normal form: equal for equivalent conditions."""


@dataclass(frozen=True, eq=False)
class Linear:
    """Σ weights over the used placements is in [low, high] (None: no bound), or is ≡ residue modulo ``modulus`` if that is not 0."""

    name: str
    weights: Longs
    low: int | None = None
    high: int | None = None
    modulus: int = 0
    residue: int = 0
    asked: str = ""
    """The bounds or the residue of the stated condition in words."""
    scale: int = 1
    """The sum of the stated condition is ``scale`` times the sum of the weights, plus ``constant``."""
    constant: int = 0


@dataclass(frozen=True)
class Never:
    """A condition that no covering satisfies, and the reason in a sentence."""

    name: str
    why: Sentence


def _out_of_bounds(condition: Linear, least: int | Fraction, most: int | Fraction) -> Never:
    """Return that no covering satisfies a condition, because the sum of every covering is from ``least`` to ``most``."""
    least, most = (condition.scale * bound + condition.constant for bound in (least, most))
    values = {"name": condition.name, "asked": condition.asked, "least": str(least), "most": str(most)}
    several = "{name}: the condition asks for {asked}; what covers the form adds up to {least} to {most}; so it has no solution"
    single = "{name}: the condition asks for {asked}; what covers the form adds up to {least}; so it has no solution"
    return Never(condition.name, Sentence(single if least == most else several, **values))


def _wrong_residue(condition: Linear, residue: int, modulus: int) -> Never:
    """Return that no covering satisfies a condition, because the sum of every covering has another residue."""
    values = {"name": condition.name, "asked": condition.asked, "residue": str(residue % modulus), "modulus": str(modulus)}
    why = "{name}: the condition asks for {asked}; what covers the form leaves {residue} modulo {modulus}; so it has no solution"
    return Never(condition.name, Sentence(why, **values))


# ---------------------------------------------------------------- divide and clip


@dataclass(frozen=True, eq=False)
class Supply:
    """The tile of each placement, and how often each tile may be used at least and at most."""

    tile: Ints
    times: Sequence[tuple[int, int]]

    def reach(self, weights: Longs) -> tuple[int, int]:
        """Return bounds for the sum of weights over all choices of placements with allowed numbers of each tile."""
        least = most = 0
        for number, times in enumerate(self.times):
            own = weights[self.tile == number]
            if len(own):
                least += min(n * int(own.min()) for n in times)
                most += max(n * int(own.max()) for n in times)
        return least, most


def clipped(condition: Linear, supply: Supply) -> list[Linear] | Never:
    """Return a condition divided by the common divisor of its weights and with clipped bounds; an empty list if it always holds."""
    if condition.modulus:
        return _residues(condition)
    divisor = int(np.gcd.reduce(condition.weights, initial=0)) or 1
    weights = condition.weights // divisor
    least, most = supply.reach(weights)
    low = least if condition.low is None else -(-condition.low // divisor)
    high = most if condition.high is None else condition.high // divisor
    scaled = replace(condition, weights=weights, low=max(low, least), high=min(high, most), scale=divisor)
    if least > high or most < low:
        return _out_of_bounds(scaled, least, most)
    if low > high:
        return _wrong_residue(condition, condition.constant, divisor)
    return [] if least >= low and most <= high else [scaled]


def _residues(condition: Linear) -> list[Linear] | Never:
    """Return a condition modulo each prime power of its modulus, without those that always hold."""
    found: list[Linear] = []
    for prime, power in prime_powers(condition.modulus):
        q = prime**power
        weights = condition.weights % q
        divisor = gcd(int(np.gcd.reduce(weights, initial=0)), q)
        if condition.residue % divisor:
            return _wrong_residue(condition, condition.constant, divisor)
        if divisor < q:
            rest = {"modulus": q // divisor, "residue": condition.residue % q // divisor, "scale": divisor}
            found.append(replace(condition, weights=weights // divisor, **rest))
    return found


def prime_powers(number: int) -> list[tuple[int, int]]:
    """Return the prime factors of a number with their exponents."""
    found: list[tuple[int, int]] = []
    for prime in count(2):
        if prime * prime > number:
            return [*found, (number, 1)] if number > 1 else found
        power = 0
        while number % prime == 0:
            number //= prime
            power += 1
        if power:
            found.append((prime, power))
    raise AssertionError


# ---------------------------------------------------------------- subtract rows of coverage


@dataclass(frozen=True, eq=False)
class _Pivot:
    """A linear combination of rows that is 0 on all placements before ``at``, and ``lead`` there."""

    at: int
    lead: int
    rows: Longs
    """The coefficient of each row; Python integers if they do not fit into 64 bits."""


@dataclass(frozen=True, eq=False)
class Coverage:
    """The rows of coverage: row r is a set of placements of which every covering uses exactly ``amounts[r]``."""

    rows: Ints
    """Array (placements, width): the rows that contain each placement, padded with the number of rows."""
    amounts: tuple[int, ...]

    @property
    def small(self) -> bool:
        """True if the rows are few enough for an echelon form."""
        return len(self.amounts) <= MAX_ROWS and len(self.rows) <= MAX_PLACEMENTS

    @cached_property
    def known(self) -> dict[int, Echelon]:
        """Cache of the echelon forms by modulus."""
        return {}

    def modulo(self, modulus: int) -> Echelon:
        """Return the rows in echelon form modulo a prime power, or over the rationals if ``modulus`` is 0."""
        if modulus not in self.known:
            self.known[modulus] = _echelon(self, modulus)
        return self.known[modulus]

    def on(self, placements: slice, times: Longs) -> Longs:
        """Return a linear combination of the rows, with coefficients ``times``, on some placements; or several, one for each column."""
        padded = np.concatenate([times, np.zeros((1, *times.shape[1:]), dtype=times.dtype)])
        found = np.zeros((len(self.rows[placements]), *times.shape[1:]), dtype=times.dtype)
        for column in self.rows[placements].T:
            found += padded[column]
        return found

    def total(self, times: Longs) -> int:
        """Return the sum of a linear combination of the rows over any covering."""
        return sum(int(t) * amount for t, amount in zip(times.tolist(), self.amounts, strict=True))


@dataclass(frozen=True, eq=False)
class Echelon:
    """The echelon form of the rows of coverage: pivots in the order of the placements."""

    coverage: Coverage
    pivots: tuple[_Pivot, ...]
    modulus: int
    contradictory: bool
    """True if a linear combination of rows is 0 on every placement but its required sum is not 0: then no covering exists."""

    def rest(self, weights: Longs) -> tuple[Longs, int, int]:
        """Return the reduced weights, the sum subtracted from the sum of every covering, and the factor applied to both before."""
        taken: Longs = np.zeros(len(self.coverage.amounts), dtype=np.int64 if self.modulus else object)
        scale = 1
        for pivot in self.pivots:
            own = [int(taken[r]) for r in self.coverage.rows[pivot.at].tolist() if r < len(taken)]
            value = int(weights[pivot.at]) * scale - sum(own)
            if self.modulus:
                taken = (taken + value % self.modulus // pivot.lead * pivot.rows) % self.modulus
            elif value:
                common = gcd(value, pivot.lead)
                taken = taken * (pivot.lead // common) + pivot.rows.astype(object) * (value // common)
                scale *= pivot.lead // common
        left = self._without(weights, scale, taken)
        return (left % self.modulus if self.modulus else left), self.coverage.total(taken), scale

    def _without(self, weights: Longs, scale: int, taken: Longs) -> Longs:
        """Return ``scale`` times the weights, minus the combination ``taken`` of the rows."""
        largest = max((abs(t) for t in taken.tolist()), default=0)
        fits = int(np.abs(weights).max(initial=0)) * scale + self.coverage.rows.shape[1] * largest < SAFE
        taken, weights = (part.astype(np.int64 if fits else object) for part in (taken, weights))
        return weights * scale - self.coverage.on(slice(None), taken)


def _echelon(coverage: Coverage, modulus: int) -> Echelon:
    """Return the rows in echelon form.

    The columns of a table span the combinations of rows that are 0 on all placements so far; each pivot uses up one column.
    """
    prime = prime_powers(modulus)[0][0] if modulus else 0
    table: Longs = np.eye(len(coverage.amounts), dtype=np.int64)
    pivots: list[_Pivot] = []
    first = 0
    while first < len(coverage.rows) and table.shape[1]:
        values = coverage.on(slice(first, first + AT_ONCE), table)
        values = values % modulus if modulus else values
        places = np.flatnonzero(values.any(axis=1))
        if len(places):
            pivot, table = _used_up(table, values[places[0]], first + int(places[0]), modulus, prime)
            pivots.append(pivot)
            first += int(places[0]) + 1
        else:
            first += AT_ONCE
    left = [coverage.total(column) for column in table.T]
    return Echelon(coverage, tuple(pivots), modulus, any(t % modulus if modulus else t for t in left))


def _used_up(table: Longs, values: Longs, at: int, modulus: int, prime: int) -> tuple[_Pivot, Longs]:
    """Return a pivot at a placement, where the columns of the table have ``values``, and the table without it, 0 at the placement."""
    if not modulus:
        return _used_up_over_rationals(table, values, at)
    orders = [_order(v, prime) if v else modulus for v in values.tolist()]
    chosen = int(np.argmin(orders))
    lead = prime ** orders[chosen]
    column = table[:, chosen] * pow(int(values[chosen]) // lead, -1, modulus) % modulus
    others = (table - column[:, None] * (values // lead)[None, :] % modulus) % modulus
    multiple = column * (modulus // lead) % modulus
    others = np.concatenate([np.delete(others, chosen, axis=1), multiple[:, None]], axis=1)
    return _Pivot(at, lead, column), others[:, others.any(axis=0)]


def _used_up_over_rationals(table: Longs, values: Longs, at: int) -> tuple[_Pivot, Longs]:
    """Return the same over the rationals: integers, without a common divisor in a column."""
    moved = np.flatnonzero(values)
    chosen = int(moved[np.argmin(np.abs(values[moved]))])
    lead, column = int(values[chosen]), table[:, chosen] * (1 if values[chosen] > 0 else -1)
    moved = moved[moved != chosen]
    if int(np.abs(values).max()) * int(np.abs(table).max()) > SAFE:
        table, values, column = table.astype(object), values.astype(object), column.astype(object)
    others = table[:, moved] * abs(lead) - column[:, None] * values[moved][None, :]
    table = table.copy()
    table[:, moved] = others // np.gcd.reduce(others, axis=0, initial=0)[None, :] if len(moved) else others
    return _Pivot(at, abs(lead), column), np.delete(table, chosen, axis=1)


def _order(value: int, prime: int) -> int:
    """Return the exponent of a prime in a number that is not 0."""
    order = 0
    while value % prime == 0:
        value //= prime
        order += 1
    return order


# ---------------------------------------------------------------- scale


def scaled(condition: Linear, weights: Longs, coverage: Coverage | None) -> Key | Never | None:
    """Return the normal form of a condition, with the weights that it has after a motion; None if it always holds.

    Without ``coverage``, only multiples of a condition have the same normal form.
    """
    if condition.modulus:
        return _scaled_modulo(condition, weights, coverage)
    assert condition.low is not None
    assert condition.high is not None
    total, by = 0, 1
    if coverage is not None:
        weights, total, by = coverage.modulo(0).rest(weights)
    divisor = int(np.gcd.reduce(weights, initial=0))
    low, high = condition.low * by - total, condition.high * by - total
    if not divisor:
        return None if low <= 0 <= high else _out_of_bounds(condition, Fraction(total, by), Fraction(total, by))
    divisor *= 1 if weights[np.flatnonzero(weights)[0]] > 0 else -1
    bounds = sorted((Fraction(low, divisor), Fraction(high, divisor)))
    return 0, *bounds, _written(weights // divisor)


def _written(weights: Longs) -> object:
    """Return weights as a hashable value, the same for every type of the numbers."""
    largest = max(abs(int(weights.max(initial=0))), abs(int(weights.min(initial=0))))
    return weights.astype(np.int64).tobytes() if largest < SAFE else tuple(map(int, weights))


def _scaled_modulo(condition: Linear, weights: Longs, coverage: Coverage | None) -> Key | Never | None:
    """Return the normal form modulo a prime power: the least multiple by a unit of the weights followed by the residue."""
    q = condition.modulus
    prime, power = prime_powers(q)[0]
    echelon = None if coverage is None else coverage.modulo(q)
    orders = np.full(len(weights) + 1, power)
    for pivot in () if echelon is None else echelon.pivots:
        orders[pivot.at] = _order(pivot.lead, prime)

    def rest(numbers: Longs) -> Longs:
        if echelon is None:
            return numbers % q
        left, taken, _ = echelon.rest(numbers[:-1] % q)
        return np.append(left, (int(numbers[-1]) - taken) % q)

    numbers = rest(np.append(weights, condition.residue))
    if not numbers[:-1].any():
        total = condition.residue - int(numbers[-1])
        constant = condition.constant + condition.scale * total
        return None if not numbers[-1] else _wrong_residue(condition, constant, condition.scale * q)
    return q, _least(numbers, orders, prime, rest).tobytes()


def _least(numbers: Longs, orders: Longs, prime: int, rest: Callable[[Longs], Longs]) -> Longs:
    """Return the least of the multiples of ``numbers`` by units, computed place by place.

    The places so far leave the units that are 1 modulo prime ** free; numbers[i] is known modulo prime ** orders[i].
    """
    free = 0
    step = numbers
    while step.any():
        first = int(np.flatnonzero(step)[0])
        value, change, order = int(numbers[first]), int(step[first]), int(orders[first])
        own = _order(change, prime)
        period = prime ** (order - own)
        inverse = pow(change // prime**own, -1, period)
        by = 1 - prime**free * (value // prime**own * inverse % period) if free else inverse
        numbers = rest(numbers * (by % prime ** int(orders[-1])))
        free += order - own
        step = rest(numbers * prime**free) if free < orders[-1] else np.zeros_like(numbers)
    return numbers


@dataclass(frozen=True, eq=False)
class ConditionRows:
    """The linear conditions of a puzzle, without those that always hold."""

    used: Flags
    """The placements of tiles that may be used at all."""
    linear: tuple[Linear, ...]
    """The conditions, divided and clipped; they have weights only for the placements in ``used``."""
    coverage: Coverage | None
    """The rows of coverage; None if there are too many."""
    never: tuple[Never, ...] = ()
    """The conditions that the tiles cannot reach."""
    starved: bool = False
    """True if a tile must be used more often than possible, so that no covering exists."""

    def changed_by(self, permutation: Ints) -> str | None:
        """Return the name of a condition that a motion of the placements does not map to a condition of the puzzle, or None."""
        if not self.linear or self.never or self.starved:
            return None
        own = (np.cumsum(self.used) - 1)[permutation[self.used]]
        changed = self._not_among(own, None, self._multiples)
        if changed is None or self.coverage is None:
            return changed
        return None if self._impossible else self._not_among(own, self.coverage, self._forms)

    def _not_among(self, permutation: Longs, coverage: Coverage | None, forms: frozenset[Key | Never | None]) -> str | None:
        """Return the first condition whose normal form after a motion is not in ``forms``, or None."""
        moved = ((c.name, scaled(c, c.weights[permutation], coverage)) for c in self.linear)
        return next((name for name, form in moved if form is not None and form not in forms), None)

    @cached_property
    def _multiples(self) -> frozenset[Key | Never | None]:
        """The normal forms without coverage: faster to compute, and equal only if the full normal forms are."""
        return frozenset(scaled(c, c.weights, None) for c in self.linear)

    @cached_property
    def _forms(self) -> frozenset[Key | Never | None]:
        """The normal forms."""
        return frozenset(scaled(c, c.weights, self.coverage) for c in self.linear)

    @cached_property
    def _impossible(self) -> bool:
        """True if no covering satisfies all conditions, so that every motion preserves the empty set of solutions."""
        contradictory = self.coverage is not None and any(self.coverage.modulo(c.modulus).contradictory for c in self.linear)
        return contradictory or bool(self.unkept)

    @cached_property
    def unkept(self) -> tuple[Never, ...]:
        """The conditions that no covering satisfies, as far as their sums alone prove it."""
        return (*self.never, *(form for form in self._forms if isinstance(form, Never)))


def conditions_of(puzzle: Puzzle, placements: Placements) -> ConditionRows:
    """Return the linear conditions of a puzzle: ``rules``, and ``one_of`` of its rules on solutions."""
    if not puzzle.rules and not puzzle.solutions.one_of:
        return ConditionRows(np.ones(len(placements), dtype=np.bool_), (), None)
    most = np.array([_most(puzzle, placements, number) for number in range(len(puzzle.tiles))], dtype=np.int64)
    used = (most > 0)[placements.tile]
    times = [(tile.low, int(n)) for tile, n in zip(puzzle.tiles, most, strict=True)]
    supply = Supply(placements.tile[used], times)
    found = [clipped(condition, supply) for condition in _linear(puzzle, placements, used)]
    never = tuple(condition for condition in found if isinstance(condition, Never))
    left = tuple(condition for some in found if not isinstance(some, Never) for condition in some)
    return ConditionRows(used, left, _coverage(puzzle, placements, used), never, starved=any(low > n for low, n in times))


def _most(puzzle: Puzzle, placements: Placements, number: int) -> int:
    """Return how often a tile can be used at most, by its copies, its placements and the size of the form."""
    tile, own = puzzle.tiles[number], placements.atoms.lengths[placements.tile == number]
    room = len(puzzle.form.atoms) // max(1, int(own.min())) if len(own) else 0
    return min(room, len(own), room if tile.high is None else tile.high)


def _linear(puzzle: Puzzle, placements: Placements, used: Flags) -> Iterator[Linear]:
    """Yield the conditions without the part of the sum that is the same for each covering: required atoms and tiles with fixed numbers."""
    for rule in puzzle.rules:
        by_atom = np.array([rule.atoms.get(a, 0) for a in puzzle.form.numbering.atoms], dtype=np.int64)
        by_tile = np.array([rule.tiles.get(tile.members[0], 0) for tile in puzzle.tiles], dtype=np.int64)
        must = np.isin(np.arange(len(by_atom)), _required(puzzle))
        exactly = np.array([tile.low == tile.high for tile in puzzle.tiles], dtype=np.bool_)
        copies = np.array([tile.low for tile in puzzle.tiles], dtype=np.int64)
        constant = int(by_atom[must].sum()) + sum(int(w) * int(n) for w, n in zip(by_tile[exactly], copies[exactly], strict=True))
        weights = placements.atoms.sums(np.where(must, 0, by_atom)) + np.where(exactly, 0, by_tile)[placements.tile]
        yield _shifted(rule, weights[used], constant)
    number = {name: i for i, name in enumerate(placements.names)} if puzzle.solutions.one_of else {}
    for place, names in enumerate(puzzle.solutions.one_of, start=1):
        chosen = np.isin(np.arange(len(placements)), [number[name] for name in names if name in number])
        yield Linear(f"one of {place}", chosen[used].astype(np.int64), low=1, asked=Sentence("{n} or more", n=1))


def _shifted(rule: Rule, weights: Longs, constant: int) -> Linear:
    """Return a rule as a condition on weights, after ``constant`` was subtracted from its sum."""
    if rule.modulus:
        target = Sentence("{numbers} modulo {modulus}", numbers=str(rule.residue), modulus=str(rule.modulus))
        residue = (rule.residue - constant) % rule.modulus
        return Linear(rule.name, weights, modulus=rule.modulus, residue=residue, asked=target, constant=constant)
    several = Sentence("{least} to {most}", least=rule.low, most=rule.high)
    target = several if rule.low < rule.high else Sentence("{n}", n=rule.low)
    return Linear(rule.name, weights, rule.low - constant, rule.high - constant, asked=target, constant=constant)


def _required(puzzle: Puzzle) -> Longs:
    """Return the numbers of the atoms that must be covered."""
    required = frozenset(puzzle.form.required)
    return np.flatnonzero([atom in required for atom in puzzle.form.numbering.atoms])


def _coverage(puzzle: Puzzle, placements: Placements, used: Flags) -> Coverage | None:
    """Return a row for each required atom and for each tile that is used a fixed number of times."""
    required = _required(puzzle)
    exactly = [i for i, tile in enumerate(puzzle.tiles) if tile.low == tile.high]
    rows = len(required) + len(exactly)
    if rows > MAX_ROWS or used.sum() > MAX_PLACEMENTS:
        return None
    of_atom = np.full(len(puzzle.form.atoms) + 1, rows, dtype=np.int32)  # the last entry is for the padding
    of_atom[required] = np.arange(len(required))
    of_tile = np.full(len(puzzle.tiles), rows, dtype=np.int32)
    of_tile[exactly] = np.arange(len(required), rows)
    chosen = np.flatnonzero(used)
    atoms = placements.atoms.rows(chosen, int(placements.atoms.lengths[chosen].max(initial=0)))
    table = np.concatenate([of_atom[atoms], of_tile[placements.tile[chosen]][:, None]], axis=1)
    return Coverage(table, (*[1] * len(required), *(puzzle.tiles[i].low for i in exactly)))


def implied_conditions(puzzle: Puzzle, placements: Placements) -> list[Condition]:
    """Return the parity conditions that coverage implies; optional atoms have weight 0."""
    found = puzzle.grid.periodic_colouring
    if found is None or not len(placements):
        return []
    several, along, shift = found
    places, required = puzzle.form.numbering.places, np.zeros(len(puzzle.form.atoms), dtype=np.bool_)
    required[_required(puzzle)] = True
    main = np.array([atom.kind == puzzle.grid.main_kind for atom in puzzle.grid.atoms])
    coloured = required & main[places[:, -1]]
    colour = np.where(coloured, (places[:, :-1] @ np.array(along) + np.array(shift)[places[:, -1]]) % several, -1)
    if several == 2:
        return [_condition(Sentence("chess parity"), np.where(colour < 0, 0, 1 - 2 * colour), placements)]
    names = [Sentence("colour {k} of {n}", k=k + 1, n=several) for k in range(several - 1)]
    return [_condition(name, np.where(colour == k, 1, 0), placements) for k, name in enumerate(names)]


def _condition(name: str, weights: Longs, placements: Placements) -> Condition:
    total = int(weights.sum())
    return Condition(name, placements.atoms.sums(weights), total, total, implied=True)
