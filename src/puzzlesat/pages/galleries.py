"""The solutions of a page: a list of distinct solutions, the symmetries that leave each unchanged, and their compact encoding."""

from __future__ import annotations

from base64 import b64encode
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Any, Final, Literal

import numpy as np

from puzzlesat.base import SILENT, EndedError, Flags, Limits, Longs, Outcome, Progress, Rows, Status, padded_rows, unique_rows
from puzzlesat.counting import conjugates, solutions
from puzzlesat.pictures import few_colours_as_json
from puzzlesat.puzzles import BuiltInstance, CoverProblem

TWO_BYTES = 1 << 16
MAX_IMAGES = 500_000
"""Largest number of images of solutions, and of placements, on a page."""
ENOUGH_LISTED: Final = "as many as asked for"
Listed = Status | Literal["as many as asked for"]


@dataclass(frozen=True, eq=False)
class Gallery:
    """One solution of each class under the symmetries, as far as they were listed."""

    rows: Rows
    """Array (solutions, width) of placement numbers, ascending, padded with -1."""
    status: Listed
    solver: str = ""
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """True if there are no further solutions."""
        return self.status == "complete"


def list_distinct(built: BuiltInstance, solver: str, most: int, limits: Limits, progress: Progress = SILENT) -> Gallery:
    """List up to ``most`` distinct solutions, and determine whether there are more."""
    began = monotonic()
    outcome: list[Outcome] = []
    found: list[tuple[int, ...]] = []
    with suppress(EndedError), closing(solutions(built, solver, limits, distinct=True, progress=progress, on_end=outcome.append)) as rows:
        for row in islice(rows, most + 1):
            found.append(row)
            if len(found) % 100 == 0:
                progress({"distinct solutions": len(found)})
    if len(found) > most:
        status: Listed = ENOUGH_LISTED
    elif limits.stop.is_set():
        status = "interrupted"
    else:
        status = outcome[0].status if outcome else "limit reached"
    return Gallery(padded_rows(found[:most]), status, solver, monotonic() - began)


def kept_distinct(problem: CoverProblem, rows: Rows, most: int) -> Rows:
    """Return the least image of each solution, without duplicates and in order: up to ``most`` classes, and one more if there are more."""
    images = problem.option_images
    least_images = rows[:0]
    for begin in range(0, len(rows), most + 1):
        least_images = unique_rows(np.concatenate([least_images, images.least(rows[begin : begin + most + 1])]))
        if len(least_images) > most:
            return least_images[: most + 1]
    return least_images


def stands_for(unmoved: Flags) -> int:
    """Return the number of all solutions that the distinct ones represent: the sum of their orbit lengths."""
    return int((len(unmoved) // unmoved.sum(axis=0)).sum())


def packed(built: BuiltInstance, gallery: Gallery) -> dict[str, Any]:
    """Return the gallery as plain data: solutions as rows of numbers into ``placements``.

    ``rows`` and ``images`` (each number has ``bytes`` bytes; the number of ``placements`` is the padding) and ``kept`` (2 bytes each) are
    little-endian in base64. ``groups[kept[i]]`` are the symmetries that leave solution i unchanged; ``kinds`` gives conjugate symmetries
    the same number. ``images`` has the image of each placement under each symmetry, or is None if the page would become too large, or there
    is no symmetry but the identity. If a rule requires few colours, ``few`` has these colours, the colours of text on them, and, in the
    layout of ``rows`` (2 bytes each), the number of the colour ``of`` each placement.
    """
    problem = built.problem
    used = np.unique(gallery.rows[gallery.rows >= 0])
    keep = problem.option_images.unmoved(gallery.rows)
    images = _images(problem, used) if stands_for(keep) <= MAX_IMAGES else None
    shown = used if images is None else np.unique(images)
    number = np.full(problem.size + 1, len(shown), dtype=np.int64)
    number[shown] = np.arange(len(shown))
    size = 2 if len(shown) < TWO_BYTES else 4
    groups, group_of = np.unique(keep.T, axis=0, return_inverse=True)
    return {
        "placements": shown.tolist(),
        "count": len(gallery.rows),
        "width": gallery.rows.shape[1],
        "bytes": size,
        "rows": _text(number[gallery.rows], size),
        "images": None if images is None or problem.images is None else _text(number[problem.images[:, shown]], size),
        "symmetries": list(problem.symmetries),
        "kinds": conjugates(problem),
        "groups": [np.flatnonzero(g).tolist() for g in groups],
        "kept": _text(group_of.ravel(), 2),
        "few": _few(built, gallery.rows),
    }


def _few(built: BuiltInstance, rows: Rows) -> dict[str, Any] | None:
    """The colours of the placements of each solution, if a rule on solutions requires few."""
    number, of = built.puzzle.solutions.colours, np.zeros(rows.shape, dtype=np.int64)
    if number is None:
        return None
    for row, colours in zip(rows, of, strict=True):
        used = row >= 0
        if (few_colours := built.problem.colours_of(row[used].tolist())) is None:
            return None
        colours[used] = few_colours
    return {**few_colours_as_json(built.puzzle, number), "of": _text(of.ravel(), 2)}


def _images(problem: CoverProblem, used: Rows) -> Rows | None:
    """All images of the used placements; None if there are too many, or no symmetry."""
    if problem.images is None or len(problem.images) == 1 or len(problem.images) * len(used) > MAX_IMAGES:
        return None
    return problem.images[:, used]


def _text(numbers: Longs, size: int) -> str:
    return b64encode(numbers.astype(f"<u{size}").tobytes()).decode("ascii")
