"""Make a cover problem smaller without changing its count: break its symmetry, and remove placements that lead nowhere.

Which options exclude each other follows from their items, so a matrix of options by options is kept for small problems only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from puzzlesat.base import SILENT, Bytes, Ints, Longs, Progress
from puzzlesat.puzzles.problem import CoverProblem

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
    masks: Bytes
    """Array (rows, ceil(options / 8)): the options excluded by whoever has an item, and gives it a colour; the first row is empty."""

    @cached_property
    def matrix(self) -> Bytes | None:
        """Array (options, ceil(options / 8)): what each excludes; None for more than ``MOST_IN_A_MATRIX``, or where one has no items."""
        size = self.problem.size
        if not 0 < size <= MOST_IN_A_MATRIX or not np.diff(self.problem.start).all():
            return None
        matrix: Bytes = np.bitwise_or.reduceat(self.masks[self.row], self.problem.start[:-1], axis=0)
        own = np.arange(size)
        matrix[own, own // 8] &= ~(1 << (own % 8)).astype(np.uint8)
        return matrix

    def of(self, option: int) -> Bytes:
        """Return the options that one excludes."""
        if self.matrix is not None:
            row: Bytes = self.matrix[option]
            return row
        problem = self.problem
        found: Bytes = np.bitwise_or.reduce(self.masks[self.row[problem.start[option] : problem.start[option + 1]]], axis=0)
        found[option // 8] &= ~np.uint8(1 << option % 8)
        return found

    def options_after(self, option: int) -> list[int]:
        """Return the options that one excludes and that have higher numbers than it."""
        excluded = unpacked(self.of(option), self.problem.size)
        after: list[int] = excluded[excluded > option].tolist()
        return after


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


def packed(options: Ints, size: int) -> Bytes:
    """Return some of ``size`` options as packed bits."""
    row = np.zeros(size, dtype=np.uint8)
    row[options] = 1
    return np.packbits(row, bitorder="little")


def unpacked(bits: Bytes, size: int) -> Longs:
    """Return which of ``size`` options packed bits hold, in order."""
    there = np.flatnonzero(bits)
    found: Longs = (there[:, None] * 8 + np.arange(8))[np.unpackbits(bits[there, None], axis=1, bitorder="little").astype(bool)]
    return found[found < size]


def holds(bits: Bytes, options: Longs) -> Bytes:
    """Return for each of some options whether packed bits hold it: 1 or 0."""
    held: Bytes = (bits[options >> 3] >> (options & 7).astype(np.uint8)) & 1
    return held


FIRST_WITNESSES = 5
"""Options of an item that speak for others before any is looked at by itself."""
MOST_MASKS = 1 << 30
"""Bytes that say what excludes what (items times options / 8) up to which dead placements are looked for: half a minute or so."""


@dataclass(frozen=True, eq=False)
class Reduced:
    """A reduced problem and how it came about."""

    problem: CoverProblem
    broken_on: str | None
    """The tile of which one placement an orbit was kept; None: no symmetry was broken."""
    placements: int
    after_symmetry: int
    after_reduction: int | None
    """None where placements without continuation were left in because it would take too long to find them."""

    @property
    def words(self) -> str:
        """How many placements there are, and how many are left for the solvers."""
        broken = f"(tile {self.broken_on})" if self.broken_on else "(none)"
        left = self.after_reduction
        end = "not reduced, because it would take too long" if left is None else f"after reduction: {left:,}"
        return f"{self.placements:,}; after symmetry breaking {broken}: {self.after_symmetry:,}; {end}"


def reduce(
    problem: CoverProblem, *, symmetry: bool = True, dead: bool = True, break_on: str | None = None, progress: Progress = SILENT
) -> Reduced:
    """Break the symmetry on one tile and remove placements without continuation.

    Parameters
    ----------
    problem: the whole problem, with its symmetries.
    symmetry, dead: switch either step off.
    break_on: name of the tile to use; default: the one with most placements whose placements no symmetry fixes.

    """
    progress.of("reduction")({"placements": problem.size})
    with progress.overseen():
        tile = problem.choose_tile(break_on) if symmetry else None
        broken = problem if tile is None else problem.break_symmetry(tile)
        too_large = dead and mask_bytes(broken) > MOST_MASKS
        reduced = remove_dead(broken, progress) if dead and not too_large else broken
    return Reduced(reduced, None if tile is None else problem.items[tile], problem.size, broken.size, None if too_large else reduced.size)


def remove_dead(problem: CoverProblem, progress: Progress = SILENT) -> CoverProblem:
    """Remove, again and again, the placements after which some item that needs covering can no longer be covered.

    Logelium calls this the removal of placements with no continuation.
    """
    if not problem.size:
        return problem
    search = _Search(problem, exclusions(problem), progress.of("reduction"))
    while search.go_through():
        pass
    return problem if search.alive.all() else problem.select(search.alive)


class _Search:
    """Looks for options that lead nowhere.

    An option is no dead end for an item if enough options of the item, its witnesses, may be chosen beside it. A witness speaks for all
    options that it does not exclude, so a few of them speak for nearly all; only the others are looked at one by one. What is known of an
    item stays true as long as its witnesses live.
    """

    def __init__(self, problem: CoverProblem, exclude: Exclusions, tell: Progress) -> None:
        self.problem, self.exclude, self.tell = problem, exclude, tell
        self.alive = np.ones(problem.size, dtype=np.bool_)
        self.forced = np.zeros(problem.size, dtype=np.bool_)
        self.forced[list(problem.forced)] = True  # a forced placement that is dead means no solution: the solvers must see it
        needy = np.flatnonzero(problem.low > 0)
        self.items = needy[np.argsort([len(problem.options_of[i]) for i in needy], kind="stable")].tolist()
        self.witnesses: dict[int, Longs] = {}

    def go_through(self) -> bool:
        """Look at each item of which a witness is dead, or none known; return whether there was one."""
        asked = False
        for done, item in enumerate(self.items):
            if item in self.witnesses and self.alive[self.witnesses[item]].all():
                continue
            self.tell({"items": done, "left": int(self.alive.sum())})
            asked = True
            self._look_at(item)
        return asked

    def _look_at(self, item: int) -> None:
        """Remove the options after which an item cannot be covered."""
        options = self.problem.options_of[item].astype(np.int64)
        options = options[self.alive[options]]
        need = int(self.problem.low[item])
        if len(options) < need:
            self.alive &= self.forced
            self.witnesses[item] = options
            return
        if self.exclude.matrix is not None:  # of a small problem each option is a witness, and all are asked at once
            self.alive[self._doubtful(options, options, need)] = False
            self.witnesses[item] = options
            return
        known = self.witnesses.get(item, options[:0])
        witnesses = [known[self.alive[known]] if len(known) else _spread(options, need + FIRST_WITNESSES)]
        doubtful = self._doubtful(options, witnesses[0], need)
        while len(doubtful):
            one = int(doubtful[0])
            beside = options[holds(self.exclude.of(one), options) == 0]
            if len(beside) < need:
                self.alive[one] = False
                doubtful = doubtful[1:]
                continue
            witnesses.append(_spread(beside, need))
            excluded = sum(holds(self.exclude.of(w), doubtful).astype(np.int32) for w in witnesses[-1].tolist())
            doubtful = doubtful[excluded > 0]
        self.witnesses[item] = np.unique(np.concatenate(witnesses))

    def _doubtful(self, options: Longs, witnesses: Longs, need: int) -> Longs:
        """The options for which fewer witnesses than needed speak, of those that may be removed."""
        size = self.problem.size
        asked = self.alive & ~self.forced
        if need > 1:
            excluded = np.zeros(size, dtype=np.int32)
            for witness in witnesses.tolist():
                excluded += np.unpackbits(self.exclude.of(witness), count=size, bitorder="little")
            return np.flatnonzero(asked & (len(witnesses) - excluded < need))
        asked[options] = False  # each speaks for itself
        doubtful = np.packbits(asked, bitorder="little")
        if self.exclude.matrix is not None:
            doubtful &= np.bitwise_and.reduce(self.exclude.matrix[witnesses], axis=0)
        else:
            for witness in witnesses.tolist():
                doubtful &= self.exclude.of(witness)
        return unpacked(doubtful, size)


def _spread(options: Longs, number: int) -> Longs:
    """So many of some options, as different as may be: they are in order of tiles, orientations and places."""
    return options if len(options) <= number else options[(2 * np.arange(number) + 1) * len(options) // (2 * number)]
