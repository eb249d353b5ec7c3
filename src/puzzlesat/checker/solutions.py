"""Check solutions on the geometry, and count the solutions that a certificate lists, in every convention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from math import prod

import numpy as np

from .arrays import Flags, Ints, Longs, Permutation, Rows
from .grid import Atom
from .problem import labellings
from .puzzle import StatedPlacement, StatedPuzzle, StatedRule
from .solution_rules import Choices, Entries, Piece, SolutionRule, broken
from .values import CheckerSentence, Rejected

LOOKED_AT_ONCE = 1 << 19
"""Size of the arrays of one block of rows: rows times the largest of items, places of marks, and columns."""
UNSEEN = -2


@dataclass(frozen=True)
class CertifiedCounts:
    """The numbers of solutions: with copies told apart, not told apart, and up to symmetry. None means unknown or without limit."""

    labelled: int | None = None
    all: int | None = None
    distinct: int | None = None


NO_SOLUTIONS = CertifiedCounts(0, 0, 0)


def counts_in_words(counts: CertifiedCounts) -> CheckerSentence:
    """Return the counts as text: ``labelled 11,520, all 11,520, distinct 480``; ``-`` for one that is not known."""

    def figure(number: int | None) -> int | str:
        return "-" if number is None else number

    said = "labelled {labelled}, all {all}, distinct {distinct}"
    return CheckerSentence(said, labelled=figure(counts.labelled), all=figure(counts.all), distinct=figure(counts.distinct))


class SolutionCheck:
    """Finds the errors in solutions by the geometry alone. Each solution is a row of placement numbers, and many rows are checked at once.

    A placement gets a line in the tables when a row first contains it. ``placement`` returns the placement with a number below ``size``,
    and may raise.
    """

    def __init__(self, puzzle: StatedPuzzle, size: int, placement: Callable[[int], StatedPlacement]) -> None:
        self.puzzle, self.placement = puzzle, placement
        atoms, tiles = (*puzzle.required, *puzzle.optional), puzzle.tiles
        self._number = {atom: i for i, atom in enumerate(atoms)}
        self._low = np.array([1] * len(puzzle.required) + [0] * len(puzzle.optional) + [tile.low for tile in tiles])
        self._high = np.array([1] * len(atoms) + [tile.high for tile in tiles])
        self._marks = {name: i for i, name in enumerate(puzzle.mates, start=1)}
        self._meet = np.ones((len(puzzle.mates) + 1, len(puzzle.mates) + 1), dtype=np.bool_)
        """The pairs of marks that may meet, by number; number 0 means no mark."""
        for name, mate in puzzle.mates.items():
            self._meet[self._marks[name], 1:] = [mate == other for other in puzzle.mates]
        self._line = np.append(np.full(size, UNSEEN, dtype=np.int32), np.int32(-1))
        """For each placement its line; the last one is for padding."""
        self._pieces: list[Piece] = []
        """The piece of each line."""
        self._covered = NumberLists()
        """For each line the numbers of its atoms, then that of its tile, which is numbered after the atoms."""
        self._shown = NumberLists()
        """For each line the places of its marks times the number of marks, plus the marks."""
        self._sides: dict[Atom, tuple[int, Atom]] = {}
        """For each side with marks, the place of its first face; the place of its other face is the next number."""

    def wrong(self, rows: Rows) -> tuple[int, str] | None:
        """Return the index of a row (padded with -1) that is not a solution, and its error; None if all rows are solutions."""
        lines = self._lines(rows)
        together = max(1, LOOKED_AT_ONCE // max(len(self._low), 2 * len(self._sides), rows.shape[1]))
        for first in range(0, len(rows), together):
            for what, bad in self._faults(lines[first : first + together]):
                if bad.any():
                    return first + int(bad.argmax()), what
        return None

    def rules_kept(self, rows: Rows) -> Flags:
        """Return flags of the rows that keep the puzzle's rules; a row has placements that do not overlap, padded with -1."""
        kept = np.ones(len(rows), dtype=np.bool_)
        if not self.puzzle.late_rules:
            return kept
        lines, together = self._lines(rows), max(1, LOOKED_AT_ONCE // max(len(self._low), rows.shape[1]))
        for first in range(0, len(rows), together):
            some = lines[first : first + together]
            choices = Choices(self.puzzle.surface, self._number, self._pieces, some, self._covered.entries(some))
            for rule in self.puzzle.late_rules:
                kept[first : first + together] &= ~_breaks(choices, rule)
        return kept

    def _lines(self, rows: Rows) -> Ints:
        """Return the lines of the placements of rows, in at least one column; add lines for new placements."""
        if not rows.shape[1]:
            return np.full((len(rows), 1), -1, dtype=np.int32)
        if len(new := np.unique(rows[self._line[rows] == UNSEEN])):
            self._add_lines(new)
        return self._line[rows]

    def _add_lines(self, new: Ints) -> None:
        found = [self.placement(number) for number in new.tolist()]
        self._line[new] = np.arange(len(self._pieces), len(self._pieces) + len(new))
        self._pieces += self.puzzle.pieces(found)
        self._covered.extend([*(self._number[a] for a in p.look[0]), len(self._number) + p.tile] for p in found)
        self._shown.extend(
            [self._place(*mark[:2]) * len(self._meet) + self._marks[mark[2]] for mark in p.look[1] if mark[0] != mark[1]] for p in found
        )

    def _place(self, side: Atom, face: Atom) -> int:
        place, first = self._sides.setdefault(side, (2 * len(self._sides), face))
        return place + (face != first)

    def _faults(self, lines: Ints) -> Iterator[tuple[str, Flags | np.bool_]]:
        """Yield each possible error with flags of the rows that have it."""
        atoms = len(self._number)
        own = self._covered.entries(lines)
        covered = own.count(len(lines), len(self._low))
        few, many = covered < self._low, covered > self._high
        yield "two placements overlap", many[:, :atoms].any(axis=1)
        yield "an atom of the form stays uncovered", few[:, :atoms].any(axis=1)
        yield "a tile is used too often or too seldom", (few | many)[:, atoms:].any(axis=1)
        if self._sides:
            yield "two marks meet that may not meet", self._clash(lines)
        choices = Choices(self.puzzle.surface, self._number, self._pieces, lines, own)
        for tile, look in self.puzzle.fixed:
            yield "a fixed placement is missing", ~choices.of_each((self.puzzle.tiles[tile].name, look).__eq__).any(axis=1)
        for rule in self.puzzle.late_rules:
            yield f"the {'condition' if isinstance(rule, StatedRule) else 'rule'} {rule.name!r} does not hold", _breaks(choices, rule)

    def _clash(self, lines: Ints) -> Flags:
        """Return flags of the rows in which marks that must not meet are on the two faces of a side."""
        shown = self._shown.entries(lines)
        place, mark = np.divmod(shown.number, len(self._meet))
        marks = np.zeros((len(lines), 2 * len(self._sides)), dtype=np.int64)
        marks[shown.row[shown.which], place] = mark
        return np.asarray(~self._meet[marks[:, ::2], marks[:, 1::2]].all(axis=1))


def _breaks(choices: Choices, rule: StatedRule | SolutionRule) -> Flags:
    """Tell which choices break a rule."""
    return broken(choices, rule) if isinstance(rule, SolutionRule) else rule.broken(choices.of_each(rule.weight).sum(axis=1))


class NumberLists:
    """A growing sequence of lists of numbers."""

    def __init__(self) -> None:
        self.start, self.numbers = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)

    def extend(self, lists: Iterable[list[int]]) -> None:
        """Add lists."""
        more = list(lists)
        self.start = np.concatenate([self.start, self.start[-1] + np.cumsum([len(own) for own in more])])
        self.numbers = np.concatenate([self.numbers, np.fromiter(chain.from_iterable(more), dtype=np.int32)])

    def entries(self, rows: Ints) -> Entries:
        """Return the entries of the lists that rows, padded with -1, choose."""
        return Entries.of(self.start, self.numbers, rows)


def check_solutions(check: SolutionCheck, possible: Flags, blocks: Iterable[Rows]) -> Rows:
    """Return the rows of all blocks (placements ascending, padded with -1).

    Raises Rejected unless each row is a solution made of possible placements, and all rows differ. Each block is checked before the next is
    read. Rows are compared whenever their number has doubled, so memory holds few rows that are not known to be right.
    """
    kept: list[Rows] = []
    count = doubled = 0
    for block in blocks:
        if block.size and (block.min() < -1 or block.max() >= len(possible) or np.any(np.diff(_padded(block), axis=1) < 0)):
            raise Rejected("solutions: a row is not made of ascending placement numbers")
        if (left_out := ~np.append(possible, True)[block].all(axis=1)).any():
            raise Rejected(f"solutions: number {count + int(left_out.argmax()) + 1} has a placement that was left out")
        if (wrong := check.wrong(block)) is not None:
            raise Rejected(f"solutions: number {count + wrong[0] + 1}: {wrong[1]}")
        kept.append(block)
        count += len(block)
        if count >= 2 * doubled:
            kept, doubled = [_all_different(kept)], count
    return kept[0] if len(kept) == 1 else _all_different(kept) if kept else np.empty((0, 0), dtype=np.int32)


def _all_different(blocks: list[Rows]) -> Rows:
    rows = np.ascontiguousarray(np.concatenate(blocks))
    if rows.shape[1]:
        ordered = np.sort(rows.view(np.dtype((np.void, 4 * rows.shape[1]))).ravel())
        if (ordered[1:] == ordered[:-1]).any():
            raise Rejected("solutions: one is listed twice")
    return rows


def count_solutions(
    puzzle: StatedPuzzle, placements: list[StatedPlacement], rows: Rows, factors: Longs, group: list[Permutation]
) -> CertifiedCounts:
    """Count the solutions that rows represent: row i represents ``factors[i]`` solutions. ``group`` is the whole group of symmetries."""
    if not len(rows):
        return NO_SOLUTIONS
    tile = np.array([*(p.tile for p in placements), len(puzzle.tiles)])
    used = Counter(
        (tuple(np.bincount(tile[row], minlength=len(puzzle.tiles))[: len(puzzle.tiles)].tolist()), f)
        for row, f in zip(rows, factors.tolist(), strict=True)
    )
    labelled: int | None = None
    if all(labellings(t, 0) is not None for t in puzzle.tiles):
        ways = cache(lambda t, number: labellings(puzzle.tiles[t], number) or 0)
        labelled = sum(n * f * prod(ways(t, number) for t, number in enumerate(kind)) for (kind, f), n in used.items())
    least = _padded(rows)
    for permutation in group:
        image = np.append(permutation, -1)[rows].astype(np.int32)
        moved = np.sort(_padded(image), axis=1)
        differ = moved != least
        first = differ.argmax(axis=1)
        index = np.arange(len(rows))
        smaller = differ.any(axis=1) & (moved[index, first] < least[index, first])
        least = np.where(smaller[:, None], moved, least)
    return CertifiedCounts(labelled, int(factors.sum()), len(np.unique(least, axis=0)))


def labelled_alike(puzzle: StatedPuzzle, found: int) -> int | None:
    """Return the number of solutions with copies told apart; None if solutions may use different numbers of copies."""
    if not found:
        return 0
    total = found
    for tile in puzzle.tiles:
        ways = labellings(tile, tile.low)
        if tile.low != tile.high or ways is None:
            return None
        total *= ways
    return total


def _padded(rows: Rows) -> Rows:
    """Replace the padding by the largest number, so that rows are compared like sets."""
    return np.where(rows < 0, np.iinfo(np.int32).max, rows).astype(np.int32)
