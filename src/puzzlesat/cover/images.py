"""The images of solutions under the symmetries of a problem, and the least of them, which stands for the class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from puzzlesat.arrays import Flags, Ints, Rows
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.rows import first_difference, least, sorted_rows

MOST_TOGETHER = 2_000_000
"""Numbers of all images that are made at once."""


def padded_images(problem: CoverProblem) -> Ints:
    """Return the array (symmetries, options + 1) of the image of each option, the identity first; at the end that of -1, the padding."""
    images = np.arange(problem.size, dtype=np.int32)[None] if problem.images is None else problem.images
    return np.hstack([images, np.full((len(images), 1), -1, dtype=np.int32)])


def are_least(images: Ints, rows: Rows, given: Sequence[int] = ()) -> Flags:
    """Return for each solution whether none of its images, or of those which contain the options ``given``, comes before it.

    ``images`` is what ``padded_images`` returns.
    """
    found = []
    for some, moved in _all_images(images, rows):
        later = first_difference(moved, some) >= 0
        for option in given:
            later |= (moved != option).all(axis=-1)
        found.append(later.all(axis=0))
    return np.concatenate(found) if found else np.ones(len(rows), dtype=np.bool_)


def least_images(images: Ints, rows: Rows) -> Rows:
    """Return the least image of each solution."""
    found = [least(moved) for _, moved in _all_images(images, rows)]
    return np.concatenate(found) if found else rows


def one_of_each(images: Ints, rows: Rows, tile: Ints) -> Rows:
    """Return the least images of solutions of a problem whose symmetry is broken on a tile, which has these options: each only once.

    Solutions come more than once where a symmetry leaves the placement of the tile as it is: the least of those that have it counts.
    """
    is_its = np.isin(np.arange(images.shape[1]), tile)
    found = [rows[:0]]
    for some, moved in _all_images(images, rows):
        own = some[is_its[some]]  # each has one
        elsewhere = images[:, own] != own
        once = (elsewhere | (first_difference(moved, some) >= 0)).all(axis=0)
        found.append(least(moved[:, once]))
    return np.concatenate(found)


def distinct_rows(problem: CoverProblem, rows: Rows) -> Rows:
    """Return the least image of each solution, once and in order: a row for each class."""
    return np.unique(least_images(padded_images(problem), rows), axis=0)


def unmoved(problem: CoverProblem, rows: Rows) -> Flags:
    """Return an array (symmetries, solutions): which symmetries leave which solutions unchanged."""
    images = padded_images(problem)
    found = [(moved == some).all(axis=-1) for some, moved in _all_images(images, rows)]
    return np.concatenate(found, axis=1) if found else np.ones((len(images), len(rows)), dtype=np.bool_)


def _all_images(images: Ints, rows: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Some solutions after the other, and the array (symmetries, solutions, width) of their images."""
    if not rows.size:
        return
    together = max(1, MOST_TOGETHER // (len(images) * rows.shape[1]))
    for first in range(0, len(rows), together):
        some = rows[first : first + together]
        moved = images[:, some]  # the padding stands at the same places in all of them
        yield some, sorted_rows(moved.reshape(-1, some.shape[1])).reshape(moved.shape)
