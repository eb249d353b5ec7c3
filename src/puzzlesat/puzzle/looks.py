"""What placements look like, as rows of numbers; equal rows get equal numbers.

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
class RowNumbers:
    """Numbers for different rows: some columns make a code, codes that there are get numbers, which begin the code of the next columns."""

    base: int
    """More than any entry of a row."""
    width: int
    steps: tuple[tuple[int, Longs], ...]
    """The column behind the last one of each step, and the codes that there are, in order."""

    @classmethod
    def of(cls, rows: Ints, base: int) -> RowNumbers:
        """Number the different rows of an array (rows, width) of numbers below ``base``, in their order."""
        steps: list[tuple[int, Longs]] = []
        code, size = np.zeros(len(rows), dtype=np.int64), 1
        for column in range(rows.shape[1]):
            if size * base > LARGEST_CODE:
                known, code = np.unique(code, return_inverse=True)
                steps.append((column, known))
                size = len(known)
            code = code * base + rows[:, column]
            size *= base
        steps.append((rows.shape[1], np.unique(code)))
        return cls(base, rows.shape[1], tuple(steps))

    @property
    def size(self) -> int:
        """How many different rows there are."""
        return len(self.steps[-1][1])

    def number(self, rows: Ints) -> Longs:
        """Return the number of each row; -1 for one that is none of those numbered."""
        code = np.zeros(len(rows), dtype=np.int64)
        strange = np.zeros(len(rows), dtype=np.bool_)
        first = 0
        for behind, known in self.steps:
            for column in range(first, behind):
                code = code * self.base + rows[:, column]
            first = behind
            if not len(known):
                return np.full(len(rows), -1, dtype=np.int64)
            place = np.minimum(np.searchsorted(known, code), len(known) - 1)
            strange |= known[place] != code
            code = place
        return np.where(strange, -1, code)
