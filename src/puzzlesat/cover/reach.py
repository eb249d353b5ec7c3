"""Which sums of weights the tiles can reach at all: a side condition that is out of reach ends the search before it begins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

import numpy as np

from puzzlesat.arrays import Ints, Longs
from puzzlesat.cover.problem import Condition, CoverProblem
from puzzlesat.progress import SILENT, Progress

WIDEST = 200_000
"""Sums that spread wider than this are not looked at: nothing is claimed of such weights."""
MOST_WORK = 1_500_000
"""Words of bits that are shifted for one condition before nothing is said of it: some 10 ms."""
WORD_BITS, WORDS_A_SHIFT = 30, 100
"""The bits of a word of Python's integers, and the words that take as long to shift as the call itself."""


def out_of_reach(problem: CoverProblem, progress: Progress = SILENT) -> str | None:
    """Return the name of a side condition that no choice of one weight a copy of each tile can satisfy, or None.

    Places are ignored: only how often each tile is used, and which weights its options have. Nothing is said of a condition whose sums
    spread too widely or take too long.
    """
    if not len(problem.tiles) or not problem.size:
        return None
    tell = progress.of("sums of weights")
    for number, condition in enumerate(problem.conditions):
        tell({"conditions": number})
        sums = reachable_sums(problem, condition)
        if sums is not None and not _some_holds(condition, sums):
            return condition.name
    return None


def _some_holds(condition: Condition, sums: Longs) -> bool:
    """Whether some of the sums, ascending, satisfies the condition."""
    if condition.modulus:
        return bool(((sums - condition.residue) % condition.modulus == 0).any())
    return len(sums) > 0 and bool(((sums >= max(condition.low, int(sums[0]))) & (sums <= min(condition.high, int(sums[-1])))).any())


def reachable_sums(problem: CoverProblem, condition: Condition) -> Longs | None:
    """Return the sums (modulo the modulus, if any) that the tiles can reach, ascending; or None where they take too long."""
    if condition.modulus > WIDEST:
        return None
    copies = (
        (int(problem.low[t]), min(int(problem.high[t]), len(o)))
        for t, o in zip(problem.tiles.tolist(), problem.options_of_tiles, strict=True)
    )
    values = (_values(condition, options) for options in problem.options_of_tiles)
    bits, base = reachable(values, copies, condition.modulus, MOST_WORK)
    return None if bits is None else listed_sums(bits, base)


def _values(condition: Condition, options: Ints) -> list[int]:
    """Return the different weights of some options (modulo the modulus, if any)."""
    own = np.unique(condition.weights[options])
    found: list[int] = (np.unique(own % condition.modulus) if condition.modulus else own).tolist()
    return found


def listed_sums(bits: int, base: int) -> Longs:
    """Return the sums that are set among bits of which the lowest stands for ``base``, ascending."""
    packed = np.frombuffer(bits.to_bytes(-(-bits.bit_length() // 8), "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(packed, bitorder="little")) + base


def reachable(
    values: Iterable[Sequence[int]], copies: Iterable[tuple[int, int]], modulus: int, most_work: float = inf
) -> tuple[int | None, int]:
    """Return every sum of as many values of each tile as it has copies, as bits and what the lowest bit stands for.

    The bits are None where the sums spread too widely, or take more work. The sums are the bits of a whole number: to add a value is to
    shift.
    """
    sums, base, work = 1, 0, 0
    for own, (low, high) in zip(values, copies, strict=True):
        least = 0 if modulus else min((0, *own))
        if not modulus and sums.bit_length() + (max((0, *own)) - least) * high > WIDEST:
            return None, 0
        # a level holds the sums with so many copies of this tile, each of them counted from the least possible
        level, union = sums, 0
        for used in range(high + 1):
            if used >= low:
                union |= level << -least * (high - used)
            if used == high or not level:
                break
            width = max(level.bit_length() + max((0, *own)) - least, union.bit_length())
            work += (len(own) + 1) * (width // WORD_BITS + WORDS_A_SHIFT)
            if work > most_work:
                return None, 0
            before, level = level, _added(level, [v - least for v in own], modulus)
            if used >= low and level == before and not least:
                break  # more copies reach nothing else
        sums = union
        base += least * high
    return sums, base


def _added(level: int, values: list[int], modulus: int) -> int:
    """Every sum of one of the level and one of the values."""
    found = 0
    for v in values:
        found |= level << v
    return found & ((1 << modulus) - 1) | found >> modulus if modulus else found
