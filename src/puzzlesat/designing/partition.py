"""Forms that are cut into pieces: who has which cell, in the same words however the pieces are numbered; and whether they come apart."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from string import ascii_letters

import numpy as np

from puzzlesat.base import SILENT, Flags, Limits, Longs, Owners, Progress
from puzzlesat.disassembly import Answer, answers
from puzzlesat.puzzles import IDENTITY, BuiltInstance, CoverProblem, Form, Grid, Puzzle, Tile, all_placements, instance_of

NO_INTS = np.empty(0, dtype=np.int32)
NOTHING = CoverProblem((), NO_INTS, NO_INTS, np.empty(0, dtype=np.bool_), (), np.zeros(1, dtype=np.int32), NO_INTS, NO_INTS, NO_INTS)
"""Whoever takes assemblies apart asks a cover problem for nothing but the names of its options."""
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
) -> Generator[tuple[int, Answer], None, None]:
    """Yield whether assemblies come apart, each with its number, as ``answers`` does."""
    built, rows = _built(grid, form, owners)
    for number, _, answer in answers(built, rows, jobs, limits, progress=progress):
        yield number, answer


def _built(grid: Grid, form: Form, owners: Owners) -> tuple[BuiltInstance, list[tuple[int, ...]]]:
    """A puzzle whose tiles are these pieces as they lie; and each assembly as its placements."""
    places, atoms = form.numbering.places, form.numbering.atoms
    tiles: dict[bytes, Tile] = {}
    number: dict[bytes, int] = {}
    known: dict[bytes, tuple[int, int]] = {}

    def lying(cells: Flags) -> tuple[int, int]:
        """The tile that has these cells, and the first of them."""
        if (body := known.get(key := cells.tobytes())) is None:
            own = places[cells]
            first = int(cells.argmax())
            shape = (own - [*own[0, :-1], 0]).tobytes()
            name = str(number.setdefault(shape, len(number)))
            tiles.setdefault(
                shape,
                Tile(name, tuple(a for a, has in zip(atoms, cells, strict=True) if has), (), 0, None, IDENTITY, (name,), ((0, None),)),
            )
            body = known[key] = number[shape], first
        return body

    bodies = [[lying(row == k) for k in range(int(row.max()) + 1)] for row in owners]
    puzzle = Puzzle(grid, tuple(tiles.values()), Form((), atoms))
    placements = all_placements(puzzle)
    covered = placements.atoms
    first = np.minimum.reduceat(covered.numbers, covered.start[:-1])
    where = {each: o for o, each in enumerate(zip(placements.tile.tolist(), first.tolist(), strict=True))}
    built = BuiltInstance(puzzle, placements, replace(NOTHING, options=placements.names), instance_of(puzzle))
    return built, [tuple(where[body] for body in row) for row in bodies]


def letters_of(owners: Owners) -> list[str]:
    """Return each assembly as text: the owner of each cell, a letter for each piece, and a full stop for a hole."""
    letter = np.array([*LETTERS, "."])  # the owner of a hole is -1, the last
    return ["".join(row) for row in letter[owners].tolist()]


def owners_of(letters: str) -> Owners:
    """Return an assembly that is stated as letters: array (1, cells)."""
    return np.array([[LETTERS.find(letter) for letter in letters]], dtype=np.int8)
