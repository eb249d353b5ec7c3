"""A burr as a puzzle like any other: its pieces as tiles, the rods as the form, and each assembly as a row of placements."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from puzzlesat.arrays import Longs, Owners
from puzzlesat.burrs.burr import Burr, Cube
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.formats.puzzles import instance_given
from puzzlesat.progress import SILENT, Progress

LETTERS = "abcdefghijkl"
"""For the rods."""


def kept_by(burr: Burr, assemblies: Owners) -> Longs:
    """Return what each rod keeps in each assembly: array (assemblies, rods)."""
    column = {cube: i for i, cube in enumerate(burr.owners)}
    kept = np.zeros((len(assemblies), len(burr.rods)), dtype=np.int64)
    for number, rod in enumerate(burr.rods):
        for bit, cube in enumerate(rod.shared):
            kept[:, number] |= (assemblies[:, column[cube]] == number).astype(np.int64) << bit
    return kept


def pieces_of(burr: Burr, kept: Longs) -> list[tuple[str, ...]]:
    """Return the names of the pieces of each assembly, rod after rod."""
    return [tuple(names[k] for names, k in zip(burr.piece_of, row, strict=True)) for row in kept.tolist()]


def table_of(burr: Burr, kept: Sequence[Collection[int]]) -> dict[str, Any]:
    """Return the puzzle as tables of an instance file, with the pieces that rods are which keep these, rod after rod."""
    bodies: dict[str, frozenset[Cube]] = {}
    for number, rod in enumerate(burr.rods):
        for one in sorted(kept[number]):
            bodies.setdefault(burr.piece_of[number][one], rod.body(one))
    tiles = {name: {"atoms": sorted(map(_place, body)), "copies": [0, len(burr.rods)]} for name, body in bodies.items()}
    cubes = sorted({_place(cube) for rod in burr.rods for cube in rod.cubes})
    form = {"atoms": cubes, "optional": [] if burr.solid else sorted(map(_place, burr.owners))}
    return {"title": burr.title, "grid": "cube", "flips": False, "tiles": tiles, "form": form}


def letters_of(burr: Burr, assemblies: Owners) -> list[str]:
    """Return each assembly as text: the owner of each shared cube, a letter for each rod, and a full stop for a hole."""
    letter = np.array([*LETTERS[: len(burr.rods)], "."])  # the owner of a hole is -1, the last
    return ["".join(row) for row in letter[assemblies].tolist()]


def owners_of(burr: Burr, cubes: Sequence[str]) -> Owners:
    """Return assemblies that are stated as ``letters_of`` does."""
    return np.array([[LETTERS.find(letter) for letter in each] for each in cubes], dtype=np.int8).reshape(-1, len(burr.owners))


def puzzle_of(burr: Burr, cubes: str) -> dict[str, Any]:
    """Return the tables of a puzzle with the pieces of an assembly, which is stated as ``letters_of`` does."""
    kept = kept_by(burr, owners_of(burr, [cubes]))
    pieces, table = pieces_of(burr, kept)[0], table_of(burr, kept.T.tolist())
    tiles = {name: {"atoms": tile["atoms"], "copies": pieces.count(name)} for name, tile in table["tiles"].items()}
    return table | {"title": f"{burr.title}: {' '.join(pieces)}", "tiles": tiles}


def _place(cube: Cube) -> tuple[int, int, int]:
    x, y, z = (c // 2 for c in cube)
    return x, y, z


def built_burr(burr: Burr, kept: Longs, progress: Progress = SILENT) -> tuple[BuiltInstance, Iterator[tuple[int, ...]]]:
    """Return the puzzle with its placements; and each of these assemblies as numbers of placements, rod after rod."""
    built, placement = placements_of(burr, [np.unique(column).tolist() for column in kept.T], progress)
    rows = np.stack([table[column] for table, column in zip(placement, kept.T, strict=True)], axis=1)
    return built, map(tuple, rows.tolist())


def placements_of(burr: Burr, kept: Sequence[Collection[int]], progress: Progress = SILENT) -> tuple[BuiltInstance, list[Longs]]:
    """Return the puzzle with its placements; and for each rod the number of the placement, by what it keeps of these."""
    built = build_instance(instance_given(table_of(burr, kept)), progress=progress)
    where = {frozenset(atom[:3] for atom in each.atoms): number for number, each in enumerate(built.placements)}
    found = [np.full(1 << len(rod.shared), -1, dtype=np.int64) for rod in burr.rods]
    for rod, table, its in zip(burr.rods, found, kept, strict=True):
        for one in its:
            table[one] = where[frozenset(map(_place, rod.body(one)))]
    return built, found
