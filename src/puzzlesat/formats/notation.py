"""Placements and solutions in Logelium's notation: names such as ``Q.1@3.1``, and bit arrays over the atoms of the form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from puzzlesat.cover.build import Built
from puzzlesat.errors import PuzzleError
from puzzlesat.placements import like_placement


def bit_array(built: Built, option: int) -> str:
    """Return the atoms of the form that a placement covers as a hexadecimal number: the first atom is its highest bit.

    Atoms are counted cell by cell, rows bottom to top and left to right, as in the form. A last digit is filled up with zeros.
    """
    atoms = len(built.puzzle.form.atoms)
    width = -(-atoms // 4) * 4
    value = sum(1 << (width - 1 - int(i)) for i in built.problem.items_of(option) if i < atoms)
    return f"{value:0{width // 4}X}"


def options_by_name(built: Built, names: Iterable[str]) -> list[int]:
    """Return the numbers of placements given by name; raise PuzzleError with a near match for one that there is not."""
    number = {name: i for i, name in enumerate(built.problem.options)}
    names = list(names)
    if wrong := [name for name in dict.fromkeys(names) if name not in number]:
        raise PuzzleError(*(f"{name!r} is no placement of {built.puzzle.name}{like_placement(name, number)}" for name in wrong))
    return [number[name] for name in names]


def solution_as_json(built: Built, row: Iterable[int]) -> dict[str, Any]:
    """Return a solution as a plain dictionary: for each placement its name, tile, atoms and bit array."""
    grid = built.puzzle.grid
    placements = []
    for option in row:
        if option >= 0:
            p = built.placements[option]
            atoms = [[*a[:-1], grid.atoms[a[-1]].name] for a in p.atoms]
            placements.append({"name": p.name, "tile": built.puzzle.tiles[p.tile].name, "atoms": atoms, "bits": bit_array(built, option)})
    return {"instance": built.puzzle.name, "placements": placements}
