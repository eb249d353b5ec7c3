"""Figures of a single solution, counted as a person would: what is uncovered, and in how many ways its copies can be told apart.

Solvers and certificates confirm solutions. What is counted of each solution besides is looked at here, on some of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from math import perm, prod

from puzzlesat.cover.build import Built
from puzzlesat.puzzle.data import Tile

MOST_LABELLINGS = 5_000
"""Nobody goes through more."""


def uncovered(built: Built, row: Sequence[int]) -> int:
    """Return how many of the atoms that the split counts a solution leaves uncovered."""
    assert built.puzzle.split is not None
    covered = {atom for p in row if p >= 0 for atom in built.placements[p].atoms}
    return len(built.puzzle.split.atoms - covered)


def labellings_kept(built: Built, row: Sequence[int], image: Sequence[int]) -> int | None:
    """Return in how many ways the copies of a solution can be told apart so that a symmetry leaves each where it is.

    ``image`` is where the symmetry takes each placement. It takes copy k of a tile to copy k of a tile. None where there are too many ways
    to go through, or tiles are used as often as none may be.
    """
    own = [p for p in row if p >= 0]
    of_tile = [[p for p in own if built.placements.tile[p] == number] for number in range(len(built.puzzle.tiles))]
    if any(tile.high is None or not tile.low <= len(used) <= tile.high for tile, used in zip(built.puzzle.tiles, of_tile, strict=True)):
        return None
    if prod(perm(tile.high or 0, len(used)) for tile, used in zip(built.puzzle.tiles, of_tile, strict=True)) > MOST_LABELLINGS:
        return None
    kept = 0
    for labels in product(*(_labels(tile, len(used)) for tile, used in zip(built.puzzle.tiles, of_tile, strict=True))):
        copy = {p: label for used, some in zip(of_tile, labels, strict=True) for p, label in zip(used, some, strict=True)}
        kept += all(copy.get(int(image[p])) == label for p, label in copy.items())
    return kept


def _labels(tile: Tile, used: int) -> Iterator[tuple[int, ...]]:
    """The ways to give so many placements copies of a tile, each of its members as often as it may be used."""
    member = [number for number, (_, high) in enumerate(tile.ranges) for _ in range(high or 0)]
    for labels in permutations(range(len(member)), used):
        times = Counter(member[label] for label in labels)
        if all(low <= times[number] <= (high or 0) for number, (low, high) in enumerate(tile.ranges)):
            yield labels
