"""Solutions as rows of option numbers: ascending, and padded with -1 to equal width."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from puzzlesat.arrays import Rows


def sorted_rows(rows: Rows) -> Rows:
    """Sort each row ascending with its padding (-1) at the end."""
    keys = rows.astype(np.uint32)
    keys.sort(axis=1)
    return keys.astype(np.int32)


def padded_rows(rows: Sequence[Sequence[int]]) -> Rows:
    """Return rows of different lengths as an array, padded with -1."""
    width = max((len(row) for row in rows), default=1) or 1
    return np.array([[*row, *[-1] * (width - len(row))] for row in rows], dtype=np.int32).reshape(len(rows), width)


def joined_rows(blocks: Sequence[Rows]) -> Rows:
    """Return blocks of rows as one array, padded with -1."""
    width = max((block.shape[1] for block in blocks), default=1)
    padded = [np.pad(block, ((0, 0), (0, width - block.shape[1])), constant_values=-1) for block in blocks]
    return np.concatenate(padded) if padded else np.empty((0, width), dtype=np.int32)
