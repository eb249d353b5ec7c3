"""Normal forms of conditions, and the motions that map a form, its placements and its conditions to themselves.

A condition gives each placement a weight, and states bounds or a residue class modulo m for the sum of the weights of a solution. A
*covering* is a set of placements that satisfies everything except the rules. Two kinds of sums are the same for every covering: the number
of placements on a required atom (1), and the number of placements of a tile that is used exactly k times (k). So adding a multiple of such
a sum to the weights, and the same multiple to the bounds, gives a condition that holds for the same coverings. Dividing weights and bounds
by a number, or negating them, does so too.

The program shifts the bounds by exactly what it adds to the weights. So conditions with equal normal forms hold for the same coverings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from math import gcd
from operator import add, sub
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Ints, Permutation
from .grid import Atom, BallMotion, Point, StatedSymmetry, back, ball_motions
from .puzzle import StatedPlacement, StatedPuzzle, StatedRule
from .solution_rules import ONE_OF, SolutionRule, kept_by
from .surface import Mark, Surface
from .values import TooLarge

Numbers = NDArray[Any]
"""Integers of any size."""
MAX_SUMS, MAX_PLACEMENTS = 400, 200_000
"""Limits beyond which the equations of coverage are not used, for any motion."""
MAX_WORK = 50_000_000
"""Limit of the weights moved for all conditions and motions together: some ten seconds. A file of 100 KB could ask for hours."""
SAFE = 1 << 50
"""A few numbers below this bound add up in 64 bits."""


class NoCoveringError(Exception):
    """No covering keeps all conditions, or there is no covering: then every motion maps solutions to solutions."""


@dataclass(frozen=True, eq=False)
class CheckedCondition:
    """The weights of a covering add up to ``low`` to ``high`` or, if there is a prime, to ``low`` modulo ``prime`` ** ``power``."""

    weights: Numbers
    low: int
    high: int | None
    """None: no upper bound."""
    prime: int = 0
    power: int = 1


class CheckedConditions:
    """The conditions of a puzzle: the rules that are sums of weights."""

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
        """Add to the work. Raises TooLarge beyond the limit."""
        self.work += work
        if self.work > MAX_WORK:
            raise TooLarge("puzzle.rules: its conditions are too many for this number of placements and symmetries")

    def kept_by(self, permutation: Permutation) -> bool:
        """Tell whether the conditions hold for a covering exactly if they hold for its image under a permutation.

        The permutation must be a symmetry of everything else. Raises TooLarge if all motions together take too long.
        """
        if not self.all or self._plain == self.forms(permutation, None):
            return True
        try:
            return self.coverage is not None and self._whole == self.forms(permutation, self.coverage)
        except NoCoveringError:
            self.all = None  # the same holds for every motion
            return True

    def forms(self, permutation: Permutation, coverage: _Coverage | None) -> frozenset[object]:
        """Return the normal forms of the conditions on the image of a covering, with or without the equations of coverage."""
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
        """The sums that all coverings have in common; None if there are too many."""
        exact = [number for number, tile in enumerate(self.puzzle.tiles) if tile.low == tile.high]
        if len(self.puzzle.required) + len(exact) > MAX_SUMS or len(self.placements) > MAX_PLACEMENTS:
            return None
        return _Coverage(self.puzzle, self.placements, exact)


def _stated(puzzle: StatedPuzzle, placements: list[StatedPlacement]) -> Iterator[CheckedCondition | tuple[CheckedCondition, int]]:
    """Yield the conditions as stated, with constant weights moved to the bounds: required atoms, and tiles used exactly k times."""
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
    """Yield a condition restricted to reachable sums, in the smallest whole numbers; nothing if it always holds."""
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
    """The range of a covering's sum of weights, by the number of copies of each tile."""

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
    """Sums that are the same for all coverings, one per column: 1 for a required atom, k for a tile used k times."""

    def __init__(self, puzzle: StatedPuzzle, placements: list[StatedPlacement], exact: list[int]) -> None:
        number: dict[object, int] = {a: i for i, a in enumerate(puzzle.required)}
        number |= {tile: len(number) + i for i, tile in enumerate(exact)}
        self.total = _numbers([*(1 for _ in puzzle.required), *(puzzle.tiles[tile].low for tile in exact)])
        self.sums = len(number)
        # an extra column of zeros gives every placement at least one column
        self.columns = [[number[key] for key in (*p.look[0], p.tile) if key in number] + [self.sums] for p in placements]
        self.start = np.cumsum([0, *map(len, self.columns[:-1])])
        self.flat = np.array([c for columns in self.columns for c in columns], dtype=np.int64)
        self.modulo = cache(lambda prime, power: _Modulo(self, prime, power))

    def add(self, factors: Numbers) -> Numbers:
        """Return for each placement the sum of the factors of its columns."""
        small = max(map(abs, factors.tolist()), default=0) < SAFE
        padded = np.append(factors, 0).astype(np.int64 if small else object)
        found: Numbers = np.add.reduceat(padded[self.flat], self.start).astype(object)
        return found

    def row(self, placement: int, of: Numbers) -> Numbers:
        """Return the sum of the rows of a table that belong to the columns of a placement."""
        found: Numbers = of[self.columns[placement][:-1]].sum(axis=0)
        return found

    @cached_property
    def rational(self) -> _Rational:
        return _Rational(self)


class _Rational:
    """The columns in a form in which each is 1 at a placement of its own (its pivot), and 0 at the pivots of the others."""

    def __init__(self, coverage: _Coverage) -> None:
        self.coverage, self.divisor = coverage, 1
        table = np.identity(coverage.sums, dtype=object)
        pivots: list[tuple[int, int]] = []
        for c in range(coverage.sums):
            hit = np.flatnonzero(coverage.add(table[:, c]))
            if not hit.size:  # weight 0 everywhere: the total is 0, or there is no covering
                if coverage.total @ table[:, c]:
                    raise NoCoveringError
                continue
            at = coverage.row(int(hit[0]), table)
            own, pivot = table[:, c].copy(), at[c]
            at[c] = 0
            table = (pivot * table - np.outer(own, at)) // self.divisor  # exact, because all entries are minors of one matrix
            table[:, c], self.divisor = own, pivot
            pivots.append((int(hit[0]), c))
        self.at, self.table = [p for p, _ in pivots], table[:, [c for _, c in pivots]]

    def reduced(self, weights: Numbers) -> tuple[Numbers, int, int]:
        """Return weights times a number, reduced by columns to 0 at each pivot; the sum of the columns; and the number."""
        factors = self.table @ weights[self.at]
        return self.divisor * weights - self.coverage.add(factors), int(self.coverage.total @ factors), self.divisor


class _Modulo:
    """The same modulo a prime power q. A column is p^v at its pivot; later columns are 0 there, and multiples of p^v everywhere."""

    def __init__(self, coverage: _Coverage, prime: int, power: int) -> None:
        self.coverage, self.q = coverage, prime**power
        table = np.identity(coverage.sums, dtype=object)
        self.pivots: list[tuple[int, int, Numbers]] = []
        """The placement of each pivot, p^v, and the factors of the columns of coverage that make its column."""
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
        """Return the coordinates of weights modulo the columns, each with its modulus, and the residue; all are linear in the weights."""
        of_pivots: list[int] = []
        for pivot, unit, own in self.pivots:
            factor = int(weights[pivot])
            of_pivots.append(factor % unit)
            weights = (weights - factor * (self.coverage.add(own) % self.q // unit)) % self.q
            residue -= factor * (int(self.coverage.total @ own) % self.q // unit)
        units = [unit for _, unit, _ in self.pivots]
        return [*of_pivots, *weights.tolist()], [*units, *[self.q] * len(weights)], residue % self.q


def _interval_form(condition: CheckedCondition, weights: Numbers, coverage: _Coverage | None) -> object:
    """Return weights without common divisor and with a positive first weight, and bounds; None if the bounds always hold."""
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
    """Return weights and residue, multiplied by the unit that makes the first weight of the highest order a power of the prime."""
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
    """Yield each prime that divides a modulus, with its exponent."""
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


Go = Callable[[Atom], Atom]


@dataclass(frozen=True, eq=False)
class FormMotion:
    """A motion that maps the form and everything except sums of weights to themselves."""

    number: int
    """On a flat form the number of a symmetry of the grid, then of a motion of balls; a running number on a form that wraps around."""
    turn: StatedSymmetry | BallMotion
    move: Point
    """The translation after the turn."""
    permutation: Permutation
    """The image of each placement."""
    kept: bool
    """True if sums of weights are kept, too: then two solutions count as one."""


def motions(puzzle: StatedPuzzle, placements: list[StatedPlacement], go_on: Callable[[], object] = bool) -> Iterator[FormMotion]:
    """Yield the motions that map form, placements and all rules except sums of weights to themselves.

    Each maps the required atoms, the colours, the fixed placements and the set of rules on solutions to themselves, and all placements of a
    tile to the placements of a tile with the same copies (itself if possible). Mirrors count only if the puzzle says so; on a form with a
    mirrored seam all motions count, because carrying a tile around the form mirrors it. On a form that wraps around, only the first of
    several motions with the same effect on atoms and sides counts. ``go_on`` is called for each motion, and may raise.
    """
    places, conditions = _Places(puzzle.surface), CheckedConditions(puzzle, placements)
    table, rules = _MotionTable(puzzle, placements, places), _Rules(puzzle, placements)
    mirrors = puzzle.mirrored or puzzle.surface.seams.glide is not None
    signs = places.signs(puzzle)
    seen = set[bytes]()
    for number, (turn, move, goes) in enumerate(_arrangements(puzzle, places)):
        go_on()
        if goes is None or (turn.mirror and not mirrors) or any(signs[i] != signs[j] for i, j in enumerate(goes[: len(signs)].tolist())):
            continue
        if puzzle.surface.wraps and goes.tobytes() in seen:
            continue
        seen.add(goes.tobytes())
        permutation = table.after(goes)
        if permutation is not None and rules.kept_by(turn, permutation):
            yield FormMotion(number, turn, move, permutation, conditions.kept_by(permutation))


def _arrangements(puzzle: StatedPuzzle, places: _Places) -> Iterator[tuple[StatedSymmetry | BallMotion, Point, Ints | None]]:
    """Yield the candidates for motions: a turn, the translation after it, and the image of each place, None if it leaves the form.

    On a form that wraps around, two moves after the same turn differ by a translation, which maps the form to itself if both motions do.
    """
    shifts: dict[Atom, Ints | None] = {}
    seams = puzzle.surface.seams
    for turn, moves in _turns(puzzle):
        first: tuple[Point, Ints] | None = None
        for move in moves:
            if first is None:
                goes = places.after(partial(turn, move=move))
                first = None if goes is None else (move, goes)
            else:
                shift = seams.reduced((*map(sub, move, first[0]), 0))
                if shift not in shifts:
                    shifts[shift] = places.after(partial(_shifted, by=shift))
                after = shifts[shift]
                goes = None if after is None else after[first[1]]
            yield turn, move, goes


def _shifted(atom: Atom, by: Atom) -> Atom:
    return tuple(map(add, atom, by))


def _turns(puzzle: StatedPuzzle) -> Iterator[tuple[StatedSymmetry | BallMotion, Iterable[Point]]]:
    """Yield the possible turns of the form, each with the translations that may come after it."""
    turns: list[StatedSymmetry | BallMotion | None] = [*puzzle.symmetries]
    if puzzle.wide and puzzle.grid.of_balls:
        turns += [motion.about(puzzle.form) for motion in ball_motions(puzzle.grid)]
    for turn in turns:
        if turn is not None:
            yield turn, _moves(puzzle.surface, turn) if puzzle.surface.wraps else [back(turn, puzzle.form)]


def _moves(surface: Surface, turn: StatedSymmetry | BallMotion) -> Iterator[Point]:
    """Yield the translations after a turn, on a form that wraps around, that keep equal atoms equal and move one atom into the form."""
    seams, still = surface.seams, (0,) * surface.grid.dimension
    steps = [turn.vector(step) for _, step in seams.translations]
    if any(step is None or not seams.has(step) for step in steps):
        return
    atom = min(surface.atoms)
    there = turn(atom, still)
    for target in sorted(a for a in surface.atoms if a[-1] == there[-1]):
        move = tuple(map(sub, target[:-1], there))
        if _keeps_glide(surface, turn, move):
            yield move


def _keeps_glide(surface: Surface, turn: StatedSymmetry | BallMotion, move: Point) -> bool:
    """Tell whether the glide before a motion is the glide after it, up to a translation of the seams."""
    if surface.seams.glide is None:
        return True
    assert isinstance(turn, StatedSymmetry), "forms of balls have no mirrored seam"
    mirror, way = surface.seams.glide
    still = surface.grid.still[0]
    if any(turn.vector(mirror.vector(v)) != mirror.vector(turn.vector(v)) for v in still):
        return False
    atom = min(surface.atoms)
    before, after = turn(mirror(atom, way), move), mirror(turn(atom, move), way)
    return before[-1] == after[-1] and surface.seams.has(tuple(map(sub, before[:-1], after)))


class _Places:
    """The atoms of a form and the sides of its faces, numbered; atoms first."""

    def __init__(self, surface: Surface) -> None:
        self.surface, self.atoms = surface, sorted(surface.atoms)
        grid = surface.grid
        sides = [(side, face) for side, kind in enumerate(grid.kinds) if kind != grid.kinds[0] for face in grid.faces_at[side]]
        self.flags = [((*map(sub, at[:-1], face), side), at) for at in self.atoms for side, face in sides if face[-1] == at[-1]]
        """Sides, each with one of its faces; with another face a side is another place."""
        self.number: dict[Atom, int] = {a: i for i, a in enumerate(self.atoms)}
        self.number_of_flag = {surface.seams.settled(*flag): i for i, flag in enumerate(self.flags, start=len(self.atoms))}

    def signs(self, puzzle: StatedPuzzle) -> list[object]:
        """Return for each atom the properties that its image must have."""
        required = frozenset(puzzle.required)
        return [(a in required, a in puzzle.keep, puzzle.coloured.get(a)) for a in self.atoms]

    def after(self, go: Go) -> Ints | None:
        """Return the image of each place; None if some atom leaves the form."""
        homes = [self.surface.home(go(a)) for a in self.atoms]
        inside = [self.number[a] for a in homes if a is not None]
        if len(inside) < len(homes):
            return None
        flags = [self.number_of_flag[self.surface.seams.settled(go(side), go(face))] for side, face in self.flags]
        return np.array([*inside, *flags], dtype=np.int32)


class _MotionTable:
    """Placements as rows of numbers for what they cover and show, so that all of them are moved at once."""

    def __init__(self, puzzle: StatedPuzzle, placements: list[StatedPlacement], places: _Places) -> None:
        self.size, self.places = len(placements), places
        self.supplies = [tile.low if tile.low == tile.high else sorted(tile.ranges) for tile in puzzle.tiles]
        self.names = {name: i for i, name in enumerate(sorted({name for p in placements for _, _, name in p.look[1]}), start=1)}
        things = [[*((places.number[a], 0) for a in p.look[0]), *map(self._shown, p.look[1])] for p in placements]
        self.things = sorted({thing for own in things for thing in own})
        """Things that are covered or shown: a place, and the number of the mark's name, from 1; 0 for a covered place."""
        self.number = {thing: i for i, thing in enumerate(self.things)}
        width = max(map(len, things), default=0)
        self.rows = np.full((len(placements), width), len(self.number), dtype=np.int32)
        for row, own in zip(self.rows, things, strict=True):
            row[: len(own)] = sorted(self.number[thing] for thing in own)
        self.of_tile: list[list[int]] = [[] for _ in puzzle.tiles]
        for o, p in enumerate(placements):
            self.of_tile[p.tile].append(o)
        self.place = [{self.rows[o].tobytes(): o for o in own} for own in self.of_tile]

    def _shown(self, mark: Mark) -> tuple[int, int]:
        side, face, name = mark
        return self.places.number[face] if side == face else self.places.number_of_flag[side, face], self.names[name]

    def after(self, goes: Ints) -> Permutation | None:
        """Return the image of each placement, or None if the image of some tile is not a tile with the same copies."""
        there = goes.tolist()
        numbers = [self.number.get((there[place], name)) for place, name in self.things]
        if None in numbers:
            return None  # no placement covers or shows an image
        moved = np.sort(np.array([*numbers, len(numbers)], dtype=np.int32)[self.rows], axis=1)
        whole, size = moved.tobytes(), self.rows.itemsize * self.rows.shape[1]
        permutation, taken = np.empty(self.size, dtype=np.int64), set[int]()
        for t, own in enumerate(self.of_tile):
            rows = [whole[o * size : (o + 1) * size] for o in own]
            target = self._target(t, rows, taken)
            if target is None:
                return None
            taken.add(target[0])
            permutation[own] = target[1]
        return permutation

    def _target(self, tile: int, rows: list[bytes], taken: set[int]) -> tuple[int, list[int]] | None:
        """Return the tile that a tile becomes, and the images of its placements: itself if possible, else the first tile not yet taken."""
        for u in (tile, *(u for u, supply in enumerate(self.supplies) if u != tile and supply == self.supplies[tile])):
            if u not in taken and len(self.place[u]) == len(rows):
                found = [o for row in rows if (o := self.place[u].get(row)) is not None]
                if len(found) == len(rows):
                    return u, found
        return None


class _Rules:
    """Fixed placements, and rules on solutions other than sums of weights."""

    def __init__(self, puzzle: StatedPuzzle, placements: list[StatedPlacement]) -> None:
        self.grid, self.pieces = puzzle.grid, puzzle.pieces(placements)
        fixed = set(puzzle.fixed)
        self.fixed = {o for o, p in enumerate(placements) if (p.tile, p.look) in fixed}
        # a rule ONE_OF is a sum of weights, too
        self.rules = [rule for rule in puzzle.rules if isinstance(rule, SolutionRule) and rule.kind != ONE_OF]

    def kept_by(self, turn: StatedSymmetry | BallMotion, permutation: Permutation) -> bool:
        """Tell whether a motion keeps them."""
        if {int(permutation[o]) for o in self.fixed} != self.fixed:
            return False
        return not self.rules or kept_by(self.grid, turn.matrix, self.rules, self.pieces, permutation.tolist())
