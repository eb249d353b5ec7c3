"""Placements as rows of numbers; equal rows get equal codes.

Rows are told apart by whole codes, never by hashes alone: two placements that were taken for one would be a wrong count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puzzlesat.arrays import Ints, Longs

LARGEST_CODE = 1 << 62


def sorted_looks(atoms: Ints, marks: Ints, count: int) -> Ints:
    """Return for arrays of atoms and marks (placements, width), padded with -1, the rows of what each placement covers and shows, in order.

    ``count`` is the number of atoms; a mark is ``count + 1 +`` its code, an atom ``1 +`` its number, and padding 0.
    """
    rows = atoms + 1 if not marks.shape[1] else np.hstack([atoms + 1, np.where(marks < 0, 0, marks + (count + 1))])
    rows.sort(axis=1)
    return rows


@dataclass(frozen=True, eq=False)
class RowCodes:
    """Codes for rows: those of some columns that occur get numbers, with which the code of the next columns begins."""

    base: int
    """More than any entry of a row."""
    steps: tuple[tuple[int, Longs], ...]
    """The column where the next step begins, and the codes before it that occur, in order."""

    @classmethod
    def of(cls, rows: Ints, base: int) -> RowCodes:
        """Return the codes of an array (rows, width) of numbers below ``base``."""
        steps: list[tuple[int, Longs]] = []
        code, size = np.zeros(len(rows), dtype=np.int64), 1
        for column in range(rows.shape[1]):
            if size * base > LARGEST_CODE:
                known, code = np.unique(code, return_inverse=True)
                steps.append((column, known))
                size = len(known)
            code = code * base + rows[:, column]
            size *= base
        return cls(base, tuple(steps))

    def __call__(self, rows: Ints) -> Longs:
        """Return the code of each row: that of one of the first rows only where the two are the same."""
        code = np.zeros(len(rows), dtype=np.int64)
        strange = np.zeros(len(rows), dtype=np.bool_)
        first = 0
        for behind, known in (*self.steps, (rows.shape[1], None)):
            for column in range(first, behind):
                code = code * self.base + rows[:, column]
            if known is not None and len(known):
                place = np.minimum(np.searchsorted(known, code), len(known) - 1)
                strange |= known[place] != code
                code, first = place, behind
        return np.where(strange, -1, code)
