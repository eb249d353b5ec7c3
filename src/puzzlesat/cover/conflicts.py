"""Which options exclude each other: it follows from their items, so a matrix of options by options is kept of small problems alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from puzzlesat.arrays import Bits, Ints, Longs
from puzzlesat.cover.problem import CoverProblem

MOST_IN_A_MATRIX = 2500
"""Options: less than a megabyte, and a millisecond or two."""


@dataclass(frozen=True, eq=False)
class Exclusions:
    """What each item of an option excludes, as packed bits (eight options a byte, the first in the lowest bit).

    Two options exclude each other when they share an item that can be covered once only, or give an item different colours.
    An option does not exclude itself.
    """

    problem: CoverProblem
    row: Ints
    """For each entry of the problem the row of ``masks`` that it excludes."""
    masks: Bits
    """Array (rows, ceil(options / 8)): the options excluded by whoever has an item, and gives it a colour; the first row is empty."""

    @cached_property
    def matrix(self) -> Bits | None:
        """Array (options, ceil(options / 8)): what each excludes; None for more than ``MOST_IN_A_MATRIX``, or where one has no items."""
        size = self.problem.size
        if not 0 < size <= MOST_IN_A_MATRIX or not np.diff(self.problem.start).all():
            return None
        matrix: Bits = np.bitwise_or.reduceat(self.masks[self.row], self.problem.start[:-1], axis=0)
        own = np.arange(size)
        matrix[own, own // 8] &= ~(1 << (own % 8)).astype(np.uint8)
        return matrix

    def of(self, option: int) -> Bits:
        """Return the options that one excludes."""
        if self.matrix is not None:
            row: Bits = self.matrix[option]
            return row
        problem = self.problem
        found: Bits = np.bitwise_or.reduce(self.masks[self.row[problem.start[option] : problem.start[option + 1]]], axis=0)
        found[option // 8] &= ~np.uint8(1 << option % 8)
        return found


def exclusions(problem: CoverProblem) -> Exclusions:
    """Return what excludes what."""
    row, kinds = _kinds(problem)
    masks = np.zeros((len(kinds) + 1, -(-problem.size // 8)), dtype=np.uint8)
    for number, (item, own) in enumerate(kinds.tolist(), start=1):
        here = problem.entries_of[item]
        if problem.coloured[item]:
            here = here[(problem.colour[here] != own) | (own == 0)]
        masks[number] = packed(problem.rows[here], problem.size)
    return Exclusions(problem, row, masks)


def mask_bytes(problem: CoverProblem) -> int:
    """Return how much memory the masks of ``exclusions`` take."""
    return (len(_kinds(problem)[1]) + 1) * -(-problem.size // 8)


def _kinds(problem: CoverProblem) -> tuple[Ints, Longs]:
    """For each entry 0 where it excludes nothing, else the number of its kind from 1; and the kinds: an item, and a colour that matters."""
    coloured = problem.coloured[problem.item]
    colour = np.where(coloured, problem.colour, 0).astype(np.int64)
    colours = int(colour.max(initial=0)) + 1
    code = np.where(coloured | (problem.high[problem.item] == 1), problem.item * colours + colour, -1)
    if len(problem.items) * colours > 4 * len(code) + 1_000_000:
        kinds, number = np.unique(code, return_inverse=True)
        shift = 0 if len(kinds) and kinds[0] < 0 else 1
        return (number + shift).astype(np.int32), _split(kinds[1 - shift :], colours)
    there = np.zeros(len(problem.items) * colours + 1, dtype=np.int32)
    there[code] = 1
    there[-1] = 0
    return (np.cumsum(there, dtype=np.int32) * there)[code], _split(np.flatnonzero(there), colours)


def _split(kinds: Longs, colours: int) -> Longs:
    return np.stack([kinds // colours, kinds % colours], axis=1)


def packed(options: Ints, size: int) -> Bits:
    """Return some of ``size`` options as packed bits."""
    row = np.zeros(size, dtype=np.uint8)
    row[options] = 1
    return np.packbits(row, bitorder="little")


def unpacked(bits: Bits, size: int) -> Longs:
    """Return which of ``size`` options packed bits hold, in order."""
    there = np.flatnonzero(bits)
    found: Longs = (there[:, None] * 8 + np.arange(8))[np.unpackbits(bits[there, None], axis=1, bitorder="little").astype(bool)]
    return found[found < size]


def holds(bits: Bits, options: Longs) -> Bits:
    """Return for each of some options whether packed bits hold it: 1 or 0."""
    held: Bits = (bits[options >> 3] >> (options & 7).astype(np.uint8)) & 1
    return held
