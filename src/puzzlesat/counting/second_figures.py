"""Compute the counts that follow from the solutions a second time, by other methods than ``counts``.

Solvers and certificates confirm the set of solutions. This module confirms the counts that are derived from it: of single solutions during
the search, and of all solutions if they were kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import permutations, product
from math import comb, perm, prod

import numpy as np

from puzzlesat.base import Longs, Rows
from puzzlesat.puzzles import BuiltInstance, Tile

MAX_LABELLINGS = 5_000
"""Maximum number of labellings of one solution that are enumerated."""
MAX_MOVED = 20_000_000
"""Maximum number of placements of all solutions, times symmetries, for the second computation: a few seconds."""
MAX_UNMOVED = 20_000
"""Maximum number of pairs of a solution and a symmetry that fixes it, for the second count of labelled solutions."""


def uncovered(built: BuiltInstance, row: Sequence[int]) -> int:
    """Return the number of atoms of the split that a solution leaves uncovered."""
    assert built.puzzle.split is not None
    covered = {atom for p in row if p >= 0 for atom in built.placements[p].atoms}
    return len(built.puzzle.split.atoms - covered)


def labellings_kept(built: BuiltInstance, row: Sequence[int], image: Sequence[int]) -> int | None:
    """Return the number of labellings of the copies in a solution that a symmetry leaves unchanged, by enumeration.

    ``image`` is the image of each placement under the symmetry, which maps copy k of a tile to copy k of a tile. None if there are too
    many labellings, or the number of copies of a tile is out of its range.
    """
    own = [p for p in row if p >= 0]
    of_tile = [[p for p in own if built.placements.tile[p] == number] for number in range(len(built.puzzle.tiles))]
    if any(tile.high is None or not tile.low <= len(used) <= tile.high for tile, used in zip(built.puzzle.tiles, of_tile, strict=True)):
        return None
    if prod(perm(tile.high or 0, len(used)) for tile, used in zip(built.puzzle.tiles, of_tile, strict=True)) > MAX_LABELLINGS:
        return None
    kept = 0
    for labels in product(*(_labels(tile, len(used)) for tile, used in zip(built.puzzle.tiles, of_tile, strict=True))):
        copy = {p: label for used, some in zip(of_tile, labels, strict=True) for p, label in zip(used, some, strict=True)}
        kept += all(copy.get(int(image[p])) == label for p, label in copy.items())
    return kept


def figures_again(built: BuiltInstance, rows: Rows, go_on: Callable[[], object]) -> dict[str, object]:
    """Return the counts of all solutions of a puzzle, by their names in ``Counts``, except those that would take too long.

    ``rows`` has each solution once. Solutions up to symmetry are counted without Burnside's lemma: each solution is replaced by the least
    of its images, and the distinct ones are counted. Labelled solutions up to symmetry are counted on these representatives: for each of
    them, the orbits of its labellings under its stabiliser. ``go_on`` is called for each symmetry and may raise.
    """
    images = np.arange(len(built.placements))[None] if built.problem.images is None else built.problem.images
    if rows.size * len(images) > MAX_MOVED:
        return {}
    none = len(built.placements)  # the padding, sorted behind all placements
    rows = np.sort(np.where(rows < 0, none, rows).astype(np.int32), axis=1)
    least, still = rows, []
    for image in images:
        go_on()
        moved = np.sort(np.append(image, none).astype(np.int32)[rows], axis=1)
        still.append((moved == rows).all(axis=1))
        differ = moved != least
        at, number = differ.argmax(axis=1), np.arange(len(rows))
        least = np.where((differ.any(axis=1) & (moved[number, at] < least[number, at]))[:, None], moved, least)
    unmoved = np.array(still)
    found: dict[str, object] = {"all": len(rows), "distinct": len({row.tobytes() for row in least})}
    found["fixed"] = dict(zip(built.problem.symmetries, unmoved.sum(axis=1).tolist(), strict=True))
    ways = _ways_to_label(built, rows)
    if built.puzzle.split is not None:
        found |= _split_again(built, rows, ways)
    if ways is None:
        return found
    found["labelled"] = sum(ways)
    if unmoved[1:].sum() > MAX_UNMOVED:
        return found
    kept = [[_kept(built, rows[s].tolist(), images[g].tolist()) for s in np.flatnonzero(unmoved[g])] for g in range(1, len(images))]
    found["fixed_labelled"] = dict(zip(built.problem.symmetries, [sum(ways), *map(sum, kept)], strict=True))
    of_solution = list(ways)
    for g, some in enumerate(kept, start=1):
        for s, number_kept in zip(np.flatnonzero(unmoved[g]).tolist(), some, strict=True):
            of_solution[s] += number_kept
    orders, first = unmoved.sum(axis=0), np.flatnonzero((least == rows).all(axis=1))
    found["labelled_distinct"] = sum(of_solution[s] // int(orders[s]) for s in first.tolist())
    return found


def labelled_again(built: BuiltInstance, found: int) -> int | None:
    """Return the number of labelled solutions, from the number of solutions; None if the number of copies of a tile varies."""
    tiles = built.puzzle.tiles
    return None if any(tile.low != tile.high for tile in tiles) else found * prod(_ways(tile.ranges, tile.low) for tile in tiles)


def _ways_to_label(built: BuiltInstance, rows: Rows) -> list[int] | None:
    """Return the number of labellings of each solution; None if the copies of a tile have no limit."""
    tiles = built.puzzle.tiles
    if any(tile.high is None for tile in tiles):
        return None
    if not tiles:
        return [1] * len(rows)
    of_tile = np.append(built.placements.tile, len(tiles))[rows]
    used = np.stack([(of_tile == number).sum(axis=1) for number in range(len(tiles))], axis=1)
    keys = [row.tobytes() for row in used]
    where = {key: at for at, key in enumerate(keys)}
    ways = {key: prod(_ways(tile.ranges, n) for tile, n in zip(tiles, used[at].tolist(), strict=True)) for key, at in where.items()}
    return [ways[key] for key in keys]


@cache
def _ways(ranges: tuple[tuple[int, int | None], ...], placed: int) -> int:
    """Return the number of ways to give ``placed`` placements different copies, by recursion over the members of a tile."""
    ways = {placed: 1}
    for low, high in ranges:
        assert high is not None
        fewer = Counter[int]()
        for left, number in ways.items():
            for own in range(low, min(high, left) + 1):
                fewer[left - own] += number * comb(left, own) * perm(high, own)
        ways = dict(fewer)
    return ways.get(0, 0)


def _kept(built: BuiltInstance, row: Sequence[int], image: Sequence[int]) -> int:
    """Return the number of labellings of a solution that a symmetry fixes, if it fixes the solution and maps copy k to copy k.

    Each placement must return to itself as soon as its tile does. The labels of a tile then determine the labels of its whole cycle.
    """
    own = [p for p in row if p < len(image)]
    of = built.placements.tile
    used = Counter(int(of[p]) for p in own)
    seen: set[int] = set()
    kept = prod(_ways(tile.ranges, 0) for number, tile in enumerate(built.puzzle.tiles) if number not in used)
    for p in own:
        tile, there, tiles = int(of[p]), image[p], [int(of[p])]
        while of[there] != tile:
            tiles.append(int(of[there]))
            there = image[there]
        if there != p:
            return 0
        if tile not in seen:
            kept *= _ways(built.puzzle.tiles[tile].ranges, used[tile])
            seen.update(tiles)
    return kept


def _split_again(built: BuiltInstance, rows: Rows, ways: Sequence[int] | None) -> dict[str, object]:
    """Return the numbers of solutions by uncovered atoms of the split, from the sets of atoms of the placements."""
    assert built.puzzle.split is not None
    atoms = built.puzzle.split.atoms
    covers = np.zeros(len(built.placements) + 1, dtype=np.int64)
    for p in np.unique(rows[rows < len(built.placements)]).tolist():
        covers[p] = len(atoms.intersection(built.placements[p].atoms))
    left: Longs = len(atoms) - covers[rows].sum(axis=1)
    found: dict[str, object] = {"split": dict(sorted(Counter(left.tolist()).items()))}
    if ways is not None:
        labelled = Counter[int]()
        for value, number in zip(left.tolist(), ways, strict=True):
            labelled[value] += number
        found["split_labelled"] = dict(sorted(labelled.items()))
    return found


def _labels(tile: Tile, used: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to give ``used`` placements different copies of a tile, with each of its members within its range."""
    member = [number for number, (_, high) in enumerate(tile.ranges) for _ in range(high or 0)]
    for labels in permutations(range(len(member)), used):
        times = Counter(member[label] for label in labels)
        if all(low <= times[number] <= (high or 0) for number, (low, high) in enumerate(tile.ranges)):
            yield labels
