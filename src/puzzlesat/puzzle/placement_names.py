"""Placements by name, for files that fix or expect some, and messages about unknown names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import combinations

from puzzlesat.errors import PuzzleError, listed, many
from puzzlesat.grid.lattice import Cell, Grid
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.puzzle.placements import Placements


def fixed_placements(puzzle: Puzzle, placements: Placements) -> list[int]:
    """Return the indices of the placements that the form fixes. Raises PuzzleError for what ``wrong_fixed`` finds."""
    if wrong := wrong_fixed(puzzle, placements):
        raise PuzzleError(*wrong)
    return numbers_of(puzzle.fixed, placements)


def numbers_of(names: Sequence[str], placements: Placements) -> list[int]:
    """Return the numbers of placements by their names, which must exist."""
    number = {name: i for i, name in enumerate(placements.names)} if names else {}
    return [number[name] for name in names]


def wrong_names(key: str, names: Sequence[str], placements: Placements, puzzle: Puzzle) -> list[str]:
    """Return a sentence for each name under a key of a file that no placement has, or that is listed twice."""
    named = dict.fromkeys(placements.names) if names else {}
    wrong = []
    for name in dict.fromkeys(names):
        if name not in named:
            wrong.append(f"{key}: {name!r} is not a placement of this puzzle{like_placement(name, named, puzzle)}")
        elif names.count(name) > 1:
            wrong.append(f"{key}: {name!r} is listed twice; remove one")
    return wrong


def wrong_fixed(puzzle: Puzzle, placements: Placements) -> list[str]:
    """Return a sentence for each placement in ``form.fixed`` that does not exist or cannot be used."""
    wrong = wrong_names("form.fixed", puzzle.fixed, placements, puzzle)
    if not puzzle.fixed:
        return []
    number = {name: i for i, name in enumerate(placements.names)}
    known = [placements[number[name]] for name in dict.fromkeys(puzzle.fixed) if name in number]
    for one, other in combinations(known, 2):
        if not set(one.atoms).isdisjoint(other.atoms):
            wrong.append(f"form.fixed: {one.name!r} and {other.name!r} overlap; remove one")
    for tile, used in Counter(p.tile for p in known).items():
        high = puzzle.tiles[tile].high
        if high is not None and used > high:
            name = puzzle.tiles[tile].name
            wrong.append(f"form.fixed: tile {name!r} is fixed {used} times, but it has no more than {many(high, 'copy', 'copies')}")
    return wrong


def like_placement(name: str, known: Collection[str], puzzle: Puzzle) -> str:
    """Return a cure for a name that no placement has: the nearest ones of its tile, those of an identical tile, or how to write them."""
    if not known:
        return ""
    same = [n for n in known if n.split(".")[0] == name.split(".")[0]]
    if same:
        near = _nearest(name, same, puzzle.grid)
        return f"; did you mean {' or '.join(map(repr, near))}?" if near else f"; its placements are {listed(same, 3)}"
    tile, rest = name.split(".")[0], name[len(name.split(".")[0]) :]
    if twin := next((t.name for t in puzzle.tiles if tile in t.members), None):
        cure = f"write {twin}{rest}" if f"{twin}{rest}" in known else f"write {twin} instead"
        return f"; {tile} is identical to {twin}: {cure}"
    tiles = dict.fromkeys(n.split(".")[0] for n in known)
    if other := [t for t in tiles if t.lower() == tile.lower()]:
        return like_placement(f"{other[0]}{rest}", known, puzzle)
    return f"; a placement is written TILE.ORIENTATION@CELL, such as {next(iter(known))!r}; the tiles are {listed(tiles, 20)}"


def _nearest(name: str, known: Collection[str], grid: Grid) -> list[str]:
    """The placement nearest in place that lies as the one named, and the nearest of those that lie otherwise."""
    wanted = _read_name(name, grid)
    if wanted is None:
        return []

    def away(other: str) -> Fraction:
        cell = (_read_name(other, grid) or wanted)[1]
        step = [a - b for a, b in zip(cell, wanted[1], strict=True)]
        return sum((a * b * g for a, row in zip(step, grid.gram, strict=True) for b, g in zip(step, row, strict=True)), Fraction(0))

    alike = {n for n in known if (_read_name(n, grid) or wanted)[0] == wanted[0]}
    return [min(group, key=away) for group in ([n for n in known if n in alike], [n for n in known if n not in alike]) if group]


def _read_name(name: str, grid: Grid) -> tuple[int, Cell] | None:
    """The orientation and the first cell of a name such as ``Q.1@3.1``; None for other names."""
    match = re.fullmatch(r"[^.@\s]+\.(\d{1,9})@(-?\d{1,9}(?:\.-?\d{1,9})*)", name)
    cell = () if match is None else tuple(map(int, match[2].split(".")))
    return None if match is None or len(cell) != grid.dimension else (int(match[1]), cell)
