"""The linear conditions of a puzzle in normal form: which motions keep them, and which of them no covering keeps.

The normal form of a linear condition: two conditions with the same one are kept by the same coverings.

A condition is a whole number for each placement, and bounds of the sum over the placements that are used, or its residue. What coverage
says of that sum, and the scale, may differ between two conditions that ask the same. So they are brought to one form:

1. Divide by the greatest common divisor, and clip the bounds to what the tiles can reach; part a modulus into its prime powers.
2. Take away what is a sum of the rows of coverage, "this required atom is covered once" and "this tile is used k times": on the first
   placements that these rows can settle, nothing is left. Modulo a prime power the rows are closed as J. A. Howell does it ("Spans in the
   module (Z_m)^s", Linear and Multilinear Algebra 19, 1986), for a multiple of a row may be 0 where the row is not.
3. Divide by the sign and the greatest common divisor of what is left, or by a unit: of all its multiples by units take the least.

A motion of the placements takes rows of coverage to rows of coverage, and tiles to tiles with the same copies; so conditions with the same
form go to such, and the motions that take the forms of a puzzle's conditions to themselves are a group.

Coverage also implies conditions: by the chess colouring of the grid (one for two colours, else one for each colour but the last).
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

MOST_ROWS = 400
"""Rows of coverage; where there are more, nothing is taken away in step 2."""
MOST_PLACEMENTS = 200_000
"""The same of placements."""
AT_ONCE = 256
"""Placements at which the rows are looked at together."""
SAFE = 2**42
"""Whole numbers below it are multiplied and added up in 64 bits, others one by one."""

Key = tuple[object, ...]
"""What two conditions have in common that are the same."""


@dataclass(frozen=True, eq=False)
class Linear:
    """Σ weights over the placements used lies in [low, high] (None: no bound), or is ≡ residue modulo ``modulus`` where that is not 0."""

    name: str
    weights: Longs
    low: int | None = None
    high: int | None = None
    modulus: int = 0
    residue: int = 0
    asked: str = ""
    """What it asks, in words."""
    scale: int = 1
    """The sum that was asked for is ``scale`` times the sum of the weights, and ``constant``."""
    constant: int = 0


@dataclass(frozen=True)
class Never:
    """A condition that no covering keeps, and why."""

    name: str
    why: Sentence


def _out_of_bounds(condition: Linear, least: int | Fraction, most: int | Fraction) -> Never:
    """What covers the form adds up to something else."""
    least, most = (condition.scale * bound + condition.constant for bound in (least, most))
    values = {"name": condition.name, "asked": condition.asked, "least": str(least), "most": str(most)}
    several = "{name}: the condition asks for {asked}; what covers the form adds up to {least} to {most}; so it has no solution"
    one = "{name}: the condition asks for {asked}; what covers the form adds up to {least}; so it has no solution"
    return Never(condition.name, Sentence(one if least == most else several, **values))


def _wrong_residue(condition: Linear, residue: int, modulus: int) -> Never:
    """What covers the form leaves another remainder."""
    values = {"name": condition.name, "asked": condition.asked, "residue": str(residue % modulus), "modulus": str(modulus)}
    said = "{name}: the condition asks for {asked}; what covers the form leaves {residue} modulo {modulus}; so it has no solution"
    return Never(condition.name, Sentence(said, **values))


# ---------------------------------------------------------------- divide and clip


@dataclass(frozen=True, eq=False)
class Supply:
    """Which tile each placement is of, and how often each may be used at all."""

    tile: Ints
    times: Sequence[tuple[int, int]]

    def reach(self, weights: Longs) -> tuple[int, int]:
        """Return the least and the greatest sum of weights that so many placements of each tile can have, wherever they lie."""
        least = most = 0
        for number, times in enumerate(self.times):
            own = weights[self.tile == number]
            if len(own):
                least += min(n * int(own.min()) for n in times)
                most += max(n * int(own.max()) for n in times)
        return least, most


def clipped(condition: Linear, supply: Supply) -> list[Linear] | Never:
    """Return what is left of a condition when it is divided and its bounds are clipped: nothing where it always holds."""
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
    """A condition modulo each prime power of the modulus."""
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
    """Return the primes of a number and how often each divides it."""
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


# ---------------------------------------------------------------- take away what coverage says


@dataclass(frozen=True, eq=False)
class _Pivot:
    """A sum of rows that is 0 on all placements before ``at``, and ``lead`` there."""

    at: int
    lead: int
    rows: Longs
    """How often each row is in it; whole numbers of any size where need be."""


@dataclass(frozen=True, eq=False)
class Coverage:
    """The rows of coverage: row r says that, of the placements that are in it, ``amounts[r]`` are used."""

    rows: Ints
    """Array (placements, width): the rows in which each placement is, padded with the number of rows."""
    amounts: tuple[int, ...]

    @property
    def small(self) -> bool:
        """Whether the rows are few enough to be added up."""
        return len(self.amounts) <= MOST_ROWS and len(self.rows) <= MOST_PLACEMENTS

    @cached_property
    def known(self) -> dict[int, Echelon]:
        """The rows in echelon form, by the modulus."""
        return {}

    def modulo(self, modulus: int) -> Echelon:
        """Return the rows in echelon form modulo a prime power, or over the rationals: 0."""
        if modulus not in self.known:
            self.known[modulus] = _echelon(self, modulus)
        return self.known[modulus]

    def on(self, placements: slice, times: Longs) -> Longs:
        """Return what the rows, each taken some times, come to on each of some placements; or so for several columns of times."""
        padded = np.concatenate([times, np.zeros((1, *times.shape[1:]), dtype=times.dtype)])
        found = np.zeros((len(self.rows[placements]), *times.shape[1:]), dtype=times.dtype)
        for column in self.rows[placements].T:
            found += padded[column]
        return found

    def total(self, times: Longs) -> int:
        """Return what the rows, each taken some times, add up to whatever covers the form."""
        return sum(int(t) * amount for t, amount in zip(times.tolist(), self.amounts, strict=True))


@dataclass(frozen=True, eq=False)
class Echelon:
    """Sums of rows of coverage by which all their sums can be taken away, from the first placement on."""

    coverage: Coverage
    pivots: tuple[_Pivot, ...]
    modulus: int
    contradictory: bool
    """Whether some sum of rows is 0 everywhere and should not be: then nothing covers the form."""

    def rest(self, weights: Longs) -> tuple[Longs, int, int]:
        """Return what is left of weights, what was taken away from the sum, and by what both were multiplied first."""
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
        """``scale`` times the weights, without the rows that are taken."""
        largest = max((abs(t) for t in taken.tolist()), default=0)
        fits = int(np.abs(weights).max(initial=0)) * scale + self.coverage.rows.shape[1] * largest < SAFE
        taken, weights = (part.astype(np.int64 if fits else object) for part in (taken, weights))
        return weights * scale - self.coverage.on(slice(None), taken)


def _echelon(coverage: Coverage, modulus: int) -> Echelon:
    """The rows in echelon form: the sums of rows that are 0 on all placements so far are the columns of a table, one is used up a pivot."""
    prime = prime_powers(modulus)[0][0] if modulus else 0
    table: Longs = np.eye(len(coverage.amounts), dtype=np.int64)
    pivots: list[_Pivot] = []
    first = 0
    while first < len(coverage.rows) and table.shape[1]:
        values = coverage.on(slice(first, first + AT_ONCE), table)
        values = values % modulus if modulus else values
        found = np.flatnonzero(values.any(axis=1))
        if len(found):
            pivot, table = _used_up(table, values[found[0]], first + int(found[0]), modulus, prime)
            pivots.append(pivot)
            first += int(found[0]) + 1
        else:
            first += AT_ONCE
    left = [coverage.total(column) for column in table.T]
    return Echelon(coverage, tuple(pivots), modulus, any(t % modulus if modulus else t for t in left))


def _used_up(table: Longs, values: Longs, at: int, modulus: int, prime: int) -> tuple[_Pivot, Longs]:
    """Take out of the table the column that is a pivot at a placement, where the columns have ``values``, and make the others 0 there."""
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
    """The same over the rationals: whole numbers, without a common divisor in a column."""
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
    """How often a prime divides a number that is not 0."""
    found = 0
    while value % prime == 0:
        value //= prime
        found += 1
    return found


# ---------------------------------------------------------------- scale


def scaled(condition: Linear, weights: Longs, coverage: Coverage | None) -> Key | Never | None:
    """Return what a condition has in common with all that are the same, with the weights that it has after a motion.

    Without ``coverage`` only such are the same as are multiples of each other. None where it always holds.
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
    """Weights as something that can be compared, whatever the numbers are kept in."""
    largest = max(abs(int(weights.max(initial=0))), abs(int(weights.min(initial=0))))
    return weights.astype(np.int64).tobytes() if largest < SAFE else tuple(map(int, weights))


def _scaled_modulo(condition: Linear, weights: Longs, coverage: Coverage | None) -> Key | Never | None:
    """The least of the multiples by units; the residue stands behind the weights."""
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
    """The least of the multiples of residues by units, place by place.

    What is settled first leaves the units that are 1 modulo prime ** free; numbers[i] is known modulo prime ** orders[i].
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
    """The linear conditions of a puzzle, as far as they do not always hold."""

    used: Flags
    """Which placements may be used at all."""
    linear: tuple[Linear, ...]
    """Divided and clipped; their weights are those of the placements that may be used."""
    coverage: Coverage | None
    """None where its rows are too many to be added up."""
    never: tuple[Never, ...] = ()
    """Those that are out of reach."""
    starved: bool = False
    """Whether some tile must be used more often than it can be, so that there is no covering."""

    def changed_by(self, permutation: Ints) -> str | None:
        """Return the name of a condition that is none of the puzzle's any more after a motion of the placements, or None."""
        if not self.linear or self.never or self.starved:
            return None
        own = (np.cumsum(self.used) - 1)[permutation[self.used]]
        changed = self._not_among(own, None, self._multiples)
        if changed is None or self.coverage is None:
            return changed
        return None if self._impossible else self._not_among(own, self.coverage, self._forms)

    def _not_among(self, permutation: Longs, coverage: Coverage | None, forms: frozenset[Key | Never | None]) -> str | None:
        """The first condition that is not among those of the puzzle when it is moved; one that always holds asks for nothing."""
        moved = ((c.name, scaled(c, c.weights[permutation], coverage)) for c in self.linear)
        return next((name for name, form in moved if form is not None and form not in forms), None)

    @cached_property
    def _multiples(self) -> frozenset[Key | Never | None]:
        """The conditions, where only multiples are the same: what is equal here is equal in normal form, which takes longer."""
        return frozenset(scaled(c, c.weights, None) for c in self.linear)

    @cached_property
    def _forms(self) -> frozenset[Key | Never | None]:
        """The normal forms."""
        return frozenset(scaled(c, c.weights, self.coverage) for c in self.linear)

    @cached_property
    def _impossible(self) -> bool:
        """Whether nothing covers the form, or no covering keeps some condition: then every motion keeps what solutions there are."""
        contradictory = self.coverage is not None and any(self.coverage.modulo(c.modulus).contradictory for c in self.linear)
        return contradictory or bool(self.unkept)

    @cached_property
    def unkept(self) -> tuple[Never, ...]:
        """The conditions that no covering keeps, where its sum alone shows that."""
        return (*self.never, *(form for form in self._forms if isinstance(form, Never)))


def conditions_of(puzzle: Puzzle, placements: Placements) -> ConditionRows:
    """Return the linear conditions of a puzzle: ``rules``, and ``one_of`` of its rules on solutions."""
    if not puzzle.rules and not puzzle.solutions.one_of:
        return ConditionRows(np.ones(len(placements), dtype=np.bool_), (), None)
    most = np.array([_most(puzzle, placements, number) for number in range(len(puzzle.tiles))], dtype=np.int64)
    used = (most > 0)[placements.tile]
    times = [(tile.low, int(n)) for tile, n in zip(puzzle.tiles, most, strict=True)]
    supply = Supply(placements.tile[used], times)
    found = [clipped(one, supply) for one in _linear(puzzle, placements, used)]
    never = tuple(one for one in found if isinstance(one, Never))
    left = tuple(one for some in found if not isinstance(some, Never) for one in some)
    return ConditionRows(used, left, _coverage(puzzle, placements, used), never, starved=any(low > n for low, n in times))


def _most(puzzle: Puzzle, placements: Placements, number: int) -> int:
    """How often a tile can be used at most, by its copies, its placements and the room that they take."""
    tile, own = puzzle.tiles[number], placements.atoms.lengths[placements.tile == number]
    room = len(puzzle.form.atoms) // max(1, int(own.min())) if len(own) else 0
    return min(room, len(own), room if tile.high is None else tile.high)


def _linear(puzzle: Puzzle, placements: Placements, used: Flags) -> Iterator[Linear]:
    """The conditions, without what each covering adds up to by the atoms that it must cover and the tiles that it must use."""
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
    """What a rule asks of the weights that are left beside a constant."""
    if rule.modulus:
        asked = Sentence("{numbers} modulo {modulus}", numbers=str(rule.residue), modulus=str(rule.modulus))
        residue = (rule.residue - constant) % rule.modulus
        return Linear(rule.name, weights, modulus=rule.modulus, residue=residue, asked=asked, constant=constant)
    several = Sentence("{least} to {most}", least=rule.low, most=rule.high)
    asked = several if rule.low < rule.high else Sentence("{n}", n=rule.low)
    return Linear(rule.name, weights, rule.low - constant, rule.high - constant, asked=asked, constant=constant)


def _required(puzzle: Puzzle) -> Longs:
    """The numbers of the atoms that must be covered."""
    required = frozenset(puzzle.form.required)
    return np.flatnonzero([atom in required for atom in puzzle.form.numbering.atoms])


def _coverage(puzzle: Puzzle, placements: Placements, used: Flags) -> Coverage | None:
    """A row for each atom that must be covered, and for each tile that is used a fixed number of times."""
    required = _required(puzzle)
    exactly = [i for i, tile in enumerate(puzzle.tiles) if tile.low == tile.high]
    rows = len(required) + len(exactly)
    if rows > MOST_ROWS or used.sum() > MOST_PLACEMENTS:
        return None
    of_atom = np.full(len(puzzle.form.atoms) + 1, rows, dtype=np.int32)  # the last is that of the padding
    of_atom[required] = np.arange(len(required))
    of_tile = np.full(len(puzzle.tiles), rows, dtype=np.int32)
    of_tile[exactly] = np.arange(len(required), rows)
    chosen = np.flatnonzero(used)
    atoms = placements.atoms.rows(chosen, int(placements.atoms.lengths[chosen].max(initial=0)))
    table = np.concatenate([of_atom[atoms], of_tile[placements.tile[chosen]][:, None]], axis=1)
    return Coverage(table, (*[1] * len(required), *(puzzle.tiles[i].low for i in exactly)))


def implied_conditions(puzzle: Puzzle, placements: Placements) -> list[Condition]:
    """Return the parity conditions that coverage implies; atoms that may stay uncovered weigh nothing."""
    found = puzzle.grid.periodic_colouring
    if found is None or not len(placements):
        return []
    required = frozenset(puzzle.form.required)
    atoms = puzzle.form.numbering.atoms
    colour = np.array([-1 if c is None or a not in required else c for a, c in ((a, puzzle.grid.chess_colour(a)) for a in atoms)])
    if found[0] == 2:
        return [_condition(Sentence("chess parity"), np.where(colour < 0, 0, 1 - 2 * colour), placements)]
    several = found[0]
    names = [Sentence("colour {k} of {n}", k=k + 1, n=several) for k in range(several - 1)]
    return [_condition(name, np.where(colour == k, 1, 0), placements) for k, name in enumerate(names)]


def _condition(name: str, weights: Longs, placements: Placements) -> Condition:
    total = int(weights.sum())
    return Condition(name, placements.atoms.sums(weights), total, total, implied=True)
