"""Forms that are cut into pieces: who has which cell, in the same words however the pieces are numbered; and whether they come apart."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from string import ascii_letters

import numpy as np

from puzzlesat.base import SILENT, Flags, Limits, Longs, Progress
from puzzlesat.designing.burr_kernel import Owners
from puzzlesat.disassembly import Disassembly, PlacedBodies, answers
from puzzlesat.puzzles import Form, Grid

LETTERS = ascii_letters
"""For the pieces."""


def in_order(owners: Owners) -> Owners:
    """Return assemblies with their pieces numbered in the order of their first cells: array (assemblies, cells); -1: a hole."""
    if not len(owners):
        return owners
    number = int(owners.max()) + 1
    first = np.stack([np.where((owners == k).any(axis=1), (owners == k).argmax(axis=1), owners.shape[1]) for k in range(number)], axis=1)
    rank = np.argsort(np.argsort(first, axis=1, kind="stable"), axis=1)
    new = np.concatenate([rank, np.full((len(owners), 1), -1)], axis=1).astype(np.int8)  # the owner of a hole is -1, the last
    return np.take_along_axis(new, owners.astype(np.int64), axis=1)


def images_of(owners: Owners, motions: Longs) -> Iterator[Owners]:
    """Yield where each motion takes assemblies, in the same words."""
    for there in motions:
        image = np.empty_like(owners)
        image[:, there] = owners
        yield in_order(image)


def first_of_each(owners: Owners) -> Longs:
    """Return where each different assembly comes first, in the order of the assemblies as texts, in which no letter may be nought."""
    text = np.ascontiguousarray(owners + 2).view(f"S{owners.shape[1]}").reshape(-1)
    return np.unique(text, return_index=True)[1]


def taken_apart(
    grid: Grid, form: Form, owners: Owners, jobs: int, limits: Limits, progress: Progress = SILENT
) -> Generator[tuple[int, Disassembly], None, None]:
    """Yield whether assemblies come apart, each with its number, as ``answers`` does."""
    bodies, rows = _bodies(grid, form, owners)
    for number, _, answer in answers(bodies, rows, jobs, limits, progress=progress):
        yield number, answer


def _bodies(grid: Grid, form: Form, owners: Owners) -> tuple[PlacedBodies, list[tuple[int, ...]]]:
    """The pieces as they lie, and each assembly as their numbers."""
    places, atoms = form.numbering.places, form.numbering.atoms
    shape, known = dict[bytes, int](), dict[bytes, int]()
    covered, shapes, cells = list[Longs](), list[int](), list[Longs]()

    def lying(own: Flags) -> int:
        """The body that covers these atoms."""
        number = known.setdefault(own.tobytes(), len(known))
        if number == len(covered):
            covered.append(np.flatnonzero(own))
            cells.append(places[covered[-1][0], :-1])
            shapes.append(shape.setdefault((places[own] - [*cells[-1], 0]).tobytes(), len(shape)))
        return number

    rows = [tuple([lying(row == k) for k in range(int(row.max()) + 1)]) for row in owners]
    start = np.cumsum([0, *map(len, covered)])
    names = [f"{shape}@{'.'.join(map(str, cell.tolist()))}" for shape, cell in zip(shapes, cells, strict=True)]
    numbers = np.concatenate(covered).astype(np.int32)
    member = np.zeros((len(names), 0), dtype=np.bool_)
    return PlacedBodies(grid, atoms, start, numbers, np.array(shapes, dtype=np.int32), np.array(cells), names, member), rows


def letters_of(owners: Owners) -> list[str]:
    """Return each assembly as text: the owner of each cell, a letter for each piece, and a full stop for a hole."""
    letter = np.array([*LETTERS, "."])  # the owner of a hole is -1, the last
    return ["".join(row) for row in letter[owners].tolist()]


def owners_of(letters: Sequence[str], cells: int) -> Owners:
    """Return assemblies of so many cells that are stated as letters: array (assemblies, cells)."""
    return np.array([[LETTERS.find(letter) for letter in each] for each in letters], dtype=np.int8).reshape(-1, cells)
