"""How weights that are out of reach contradict the constraints of a puzzle in one step of arithmetic.

Add up the equations of the atoms, each as often as the atom weighs: Σ weight(placement) x = weight of the form. Take away the
equations of the tiles, so that what is left on the left is divisible by a number that does not divide the right (a Chvátal-Gomory cut:
V. Chvátal, "Edmonds polytopes and a hierarchy of combinatorial problems", Discrete Mathematics 4, 1973), or so that it cannot
reach the right at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from puzzlesat.proof.sums import Sums, Weighting


@dataclass(frozen=True)
class Cut:
    """Take ``values[t]`` times the equation of tile t away, then divide by ``divisor``; for a bound it is 0."""

    values: tuple[int, ...]
    divisor: int
    above: bool | None
    """For a bound: whether the form weighs more than the tiles can; None for a division."""


def cut_of(sums: Sums, weighting: Weighting) -> Cut | None:
    """Return the step that shows that the sum is out of reach, or None where there is no such single step."""
    return _division(sums, weighting.modulus) or (None if weighting.modulus else _bound(sums))


def _division(sums: Sums, modulus: int) -> Cut | None:
    """All placements of a tile weigh the same modulo something, and the form something else."""
    divisor = modulus
    for own, (low, high) in zip(sums.values, sums.copies, strict=True):
        if not own and low:
            return None
        for v in own:
            divisor = gcd(divisor, v - own[0] if low == high else v)
    if divisor <= 1:
        return None  # 0: every tile has one weight, which a bound says more simply
    values = tuple(own[0] if own and low == high else 0 for own, (low, high) in zip(sums.values, sums.copies, strict=True))
    rest = sums.total - sum(v * low for v, (low, _) in zip(values, sums.copies, strict=True))
    return Cut(values, divisor, None) if rest % divisor else None


def _bound(sums: Sums) -> Cut | None:
    """The form weighs more, or less, than the tiles can at all."""
    for above, outer in ((True, max), (False, min)):
        values = []
        bound = 0
        known = True
        for own, (low, high), unlimited in zip(sums.values, sums.copies, sums.unlimited, strict=True):
            value = outer(own, default=0)
            most = value != 0 and (value > 0) == above
            known &= not (most and unlimited) and bool(own or not low)
            values.append(value)
            bound += value * (high if most else low)
        if known and ((sums.total > bound) if above else (sums.total < bound)):
            return Cut(tuple(values), 0, above)
    return None
