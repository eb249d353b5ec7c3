"""The judge of linear conditions: whether two are the same by the definition of docs/guide/symmetry.md, by elimination on small puzzles.

Two conditions are compared directly, without normal form: their difference must be a sum of rows of coverage. Nothing of puzzlesat is
imported here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf


@dataclass
class Condition:
    """A weight for each atom and each piece; the sum over the placements lies between bounds, or has a residue."""

    by_atom: dict
    by_piece: list
    low: int = 0
    high: float = 0
    modulus: int = 0
    residue: int = 0
    by_placement: list | None = None  # if it is not a sum over atoms

    def holds(self, total):
        return (total - self.residue) % self.modulus == 0 if self.modulus else self.low <= total <= self.high


class ConditionJudge:
    """The linear conditions of a puzzle."""

    def __init__(self, conditions, placements, pieces, required, region):
        self.conditions, self.placements = conditions, placements
        exact = [i for i, piece in enumerate(pieces) if piece.low == piece.high]
        self.rows = [[a in atoms for _, atoms, _ in placements] + [1] for a in sorted(required, key=sorted)]
        self.rows += [[piece == i for piece, _, _ in placements] + [pieces[i].low] for i in exact]
        self.required, self.exact = required, {i: pieces[i].low for i in exact}
        self.times = []
        for i, piece in enumerate(pieces):
            own = [len(atoms) for number, atoms, _ in placements if number == i]
            room = min(len(own), len(region) // min(own)) if own else 0
            self.times.append((piece.low, room if piece.high is None else min(room, piece.high)))
        self.plain = [one for condition in conditions for one in self._clipped(condition)]

    def weight(self, condition, placement):
        piece, atoms, _ = self.placements[placement]
        if condition.by_placement is not None:
            return condition.by_placement[placement]
        return sum(condition.by_atom.get(a, 0) for a in atoms) + condition.by_piece[piece]

    def hold(self, solution):
        """Return whether a set of placements keeps all conditions."""
        return all(c.holds(sum(self.weight(c, p) for p in solution)) for c in self.conditions)

    def should_keep(self, permutation):
        """Return whether each condition, moved, equals one of the conditions."""
        for weights, *asked in self.plain:
            moved = [weights[p] for p in permutation]
            if not self._always(moved, *asked) and not any(self._same((moved, *asked), other) for other in self.plain):
                return False
        return True

    def _clipped(self, condition):
        """The condition without the weights of required atoms and exact pieces, divided and clipped, modulo prime powers."""
        taken, weights = 0, [self.weight(condition, p) for p in range(len(self.placements))]
        if condition.by_placement is None:
            taken = sum(condition.by_atom.get(a, 0) for a in self.required) + sum(condition.by_piece[i] * k for i, k in self.exact.items())
            for p, (piece, atoms, _) in enumerate(self.placements):
                weights[p] -= sum(condition.by_atom.get(a, 0) for a in atoms & self.required)
                weights[p] -= condition.by_piece[piece] if piece in self.exact else 0
        if condition.modulus:
            return self._residues(weights, condition.modulus, condition.residue - taken)
        divisor = gcd(*weights) or 1
        weights = [w // divisor for w in weights]
        reach = [0, 0]
        for i, times in enumerate(self.times):
            own = [w for w, (piece, _, _) in zip(weights, self.placements, strict=True) if piece == i]
            if own:
                reach = [reach[0] + min(n * min(own) for n in times), reach[1] + max(n * max(own) for n in times)]
        low, high = -((taken - condition.low) // divisor), reach[1] if condition.high == inf else (condition.high - taken) // divisor
        if low <= reach[0] and reach[1] <= high:
            return []
        return [(weights, 0, max(low, reach[0]), min(high, reach[1]))]

    def _residues(self, weights, modulus, residue):
        found = []
        for q in (q for q in range(2, modulus + 1) if modulus % q == 0 and _prime(q)):
            power = q
            while modulus % (power * q) == 0:
                power *= q
            divisor = gcd(*weights, power)
            if divisor < power and residue % divisor == 0:
                found.append(([w // divisor for w in weights], power // divisor, residue // divisor, 0))
        return found

    def _always(self, weights, modulus, *asked):
        if modulus:
            return _in_rows_modulo(self.rows, [*weights, asked[0]], modulus)
        rest = _rest(self.rows, weights)
        return not any(rest[:-1]) and asked[0] <= -rest[-1] <= asked[1]

    def _same(self, one, other):
        """Return whether a multiple of one condition equals the other, up to rows of coverage."""
        (weights, modulus, *asked), (weights2, modulus2, *asked2) = one, other
        if modulus != modulus2:
            return False
        if modulus:
            units = [u for u in range(modulus) if gcd(u, modulus) == 1]
            differences = ([w - u * v for w, v in zip([*weights, asked[0]], [*weights2, asked2[0]], strict=True)] for u in units)
            return any(_in_rows_modulo(self.rows, difference, modulus) for difference in differences)
        rest, rest2 = _rest(self.rows, weights), _rest(self.rows, weights2)
        first = next((i for i, x in enumerate(rest2[:-1]) if x), None)
        if first is None or not rest[first]:
            return False
        by = rest[first] / rest2[first]
        if any(x != by * y for x, y in zip(rest[:-1], rest2[:-1], strict=True)):
            return False
        return [x + rest[-1] for x in asked] == sorted(by * (x + rest2[-1]) for x in asked2)


def _prime(number):
    return all(number % d for d in range(2, number))


def _rest(rows, weights):
    """Reduce weights by the rows of coverage; the last entry is minus the sum of what was subtracted."""
    table = [[Fraction(x) for x in row] for row in rows]
    left = [Fraction(x) for x in [*weights, 0]]
    for i in range(len(weights)):
        pivot = next((row for row in table if row[i]), None)
        if pivot is None:
            continue
        table = [[x - row[i] / pivot[i] * y for x, y in zip(row, pivot, strict=True)] for row in table if row is not pivot]
        left = [x - left[i] / pivot[i] * y for x, y in zip(left, pivot, strict=True)] if left[i] else left
    return left


def _in_rows_modulo(rows, wanted, q):
    """Return whether a row is a sum of others modulo a prime power. Eliminate the entry with the fewest factors of the prime first."""
    table, left = [[x % q for x in row] for row in rows], [x % q for x in wanted]
    while any(left):
        entries = [(gcd(x, q), r, i) for r, row in enumerate(table) for i, x in enumerate(row) if x]
        if not entries:
            return False
        divisor, r, i = min(entries)
        if left[i] % divisor:
            return False
        pivot = table.pop(r)
        inverse = pow(pivot[i] // divisor, -1, q)
        table = [[(x - row[i] // divisor * inverse * y) % q for x, y in zip(row, pivot, strict=True)] for row in table]
        left = [(x - left[i] // divisor * inverse * y) % q for x, y in zip(left, pivot, strict=True)]
    return True
