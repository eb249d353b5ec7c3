"""A weighting as a proof that VeriPB checks: the puzzle in OPB, and a few lines of cutting planes that contradict it.

S. Gocht, J. Nordström, "Certifying parity reasoning efficiently using pseudo-Boolean proofs", AAAI 2021, and the overview of the proof
format that comes with VeriPB: version 2.0, reverse Polish notation (``pol``), equations counted as two constraints, ``>=`` first.

How weights that are out of reach contradict the constraints of a puzzle in one step of arithmetic.

Add up the equations of the atoms, each as often as the atom weighs: Σ weight(placement) x = weight of the form. Take away the
equations of the tiles, so that what is left on the left is divisible by a number that does not divide the right (a Chvátal-Gomory cut:
V. Chvátal, "Edmonds polytopes and a hierarchy of combinatorial problems", Discrete Mathematics 4, 1973), or so that it cannot
reach the right at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd

from puzzlesat.base import NotSupportedError
from puzzlesat.formats import opb_lines
from puzzlesat.proofs.linear import Sums, Weighting, sums_of
from puzzlesat.puzzles import CoverProblem


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


Term = tuple[int, int]
"""The number of a constraint, and how often it is taken (more than 0)."""


@dataclass(frozen=True)
class _Numbers:
    """The numbers that VeriPB gives to ``Σ >= low`` and ``Σ <= high`` of each item; 0 where the OPB has no such constraint."""

    at_least: list[int]
    at_most: list[int]
    last: int

    def of(self, item: int, factor: int) -> Term:
        """Return the constraint that bounds factor · Σ from below, and how often it is taken."""
        number = (self.at_least if factor > 0 else self.at_most)[item]
        if not number:
            raise NotSupportedError(
                "the proof needs a bound for the copies of a tile that the OPB does not state, because nothing can exceed it"
            )
        return number, abs(factor)


def veripb_files(problem: CoverProblem, weighting: Weighting) -> tuple[str, str]:
    """Return the puzzle in OPB and a VeriPB proof (format 2.0) that it has no solution, both as text.

    Raises NotSupportedError where the weights prove nothing of the whole problem (because placements were removed for other
    reasons), and where a sum is missed for a reason that one division or bound does not express.
    """
    sums = sums_of(problem, weighting)
    if not sums.impossible:
        raise NotSupportedError("the weights prove nothing unless some placements are removed first, which this proof does not justify")
    opb = list(opb_lines(problem))
    numbers = _numbers(problem, opb)
    empty = [t for t, own, (low, _) in zip(problem.tiles.tolist(), sums.values, sums.copies, strict=True) if low and not own]
    cut = cut_of(sums, weighting)
    if empty:
        lines: list[str] = []
        last = numbers.at_least[empty[0]]
    elif cut is None:
        raise NotSupportedError(
            f"the sum {sums.total} lies in a gap between sums that can be reached; one step of cutting planes does not express that"
        )
    else:
        lines, last = _steps(problem, weighting, cut, numbers)
    proof = [
        "pseudo-Boolean proof version 2.0",
        f"f {numbers.last}",
        f"* {weighting.title}; weights {'over the integers' if not weighting.modulus else f'modulo {weighting.modulus}'}",
        *lines,
        "output NONE",
        f"conclusion UNSAT : {last}",
        "end pseudo-Boolean proof",
    ]
    return "\n".join(opb) + "\n", "\n".join(proof) + "\n"


def _steps(problem: CoverProblem, weighting: Weighting, cut: Cut, numbers: _Numbers) -> tuple[list[str], int]:
    """The lines of the proof, and the number of the contradiction."""
    factors = [(item, w) for item, w in enumerate(weighting.weights) if w]
    factors += [(item, -value) for item, value in zip(problem.tiles.tolist(), cut.values, strict=True) if value]
    below = [(item, -factor) for item, factor in factors]
    if cut.above is not None:
        return [_pol(numbers.of(*f) for f in (factors if cut.above else below))], numbers.last + 1
    # both directions of one equation: what they leave is divisible on the left and not on the right
    lines = [_pol(numbers.of(*f) for f in side) + f" {cut.divisor} d" for side in (factors, below)]
    lines.append(f"pol {numbers.last + 1} {numbers.last + 2} +")
    return lines, numbers.last + 3


def _pol(terms: Iterable[Term]) -> str:
    """The sum of some constraints in reverse Polish notation."""
    words = ["pol"]
    for number, factor in terms:
        words += [str(number)] + ([str(factor), "*"] if factor > 1 else []) + (["+"] if len(words) > 1 else [])
    return " ".join(words)


def _numbers(problem: CoverProblem, opb: list[str]) -> _Numbers:
    """Number the constraints as VeriPB does: in the order of the file, an equation twice."""
    lines = [line for line in opb if not line.startswith("*")]
    number = 1 + 2 * len(problem.forced)
    at_least, at_most = [0] * len(problem.items), [0] * len(problem.items)
    for item, options in enumerate(problem.options_of):
        if problem.coloured[item]:
            break  # marks come last, and no weighting weighs them
        low, high = int(problem.low[item]), int(problem.high[item])
        if low == high:
            at_least[item], at_most[item] = number, number + 1
            number += 2
            continue
        if low > 0:
            at_least[item] = number
            number += 1
        if high < len(options):
            at_most[item] = number
            number += 1
    return _Numbers(at_least, at_most, sum(2 if " = " in text else 1 for text in lines))
