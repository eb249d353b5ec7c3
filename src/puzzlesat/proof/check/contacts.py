"""Rules on how the pieces of a solution lie to each other: no crossroads, pieces that do not touch, few colours.

Each is looked at on a whole solution. Two faces share a side that have as many corners in common as the grid has dimensions, or an end
where they are edges; they meet at a point where that is a corner of both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from .grid import Atom, Grid, Point

Piece = tuple[str, frozenset[Atom]]
"""The name of its tile, and what it covers."""
CROSSROADS, APART, COLOURS = "no crossroads", "apart", "colours"
MOST_AT_A_POINT = 3
"""Pieces, where there are no crossroads."""


@dataclass(frozen=True)
class Contact:
    """A rule of one of the three kinds.

    ``apart``: no two pieces of some tiles touch. ``colours``: so many colours do, if pieces that touch have different ones.
    """

    name: str
    kind: str
    tiles: frozenset[str] = frozenset()
    colours: int = 0
    corners: bool = False
    """Whether pieces touch that meet at a point alone."""


def keeps(grid: Grid, form: frozenset[Atom], pieces: Sequence[Piece], rule: Contact) -> bool:
    """Tell whether the pieces of a solution keep a rule."""
    owner = {atom: i for i, (_, atoms) in enumerate(pieces) for atom in atoms}
    points, sides = _contacts(grid, form)
    if rule.kind == CROSSROADS:
        return all(len({owner[a] for a in faces if a in owner}) <= MOST_AT_A_POINT for faces in points)
    met = {pair for faces in points for pair in combinations(faces, 2)} if rule.corners else set()
    near = ((owner[a], owner[b]) for a, b in {*sides, *met} if a in owner and b in owner)
    touching = {(i, j) for i, j in near if i != j}
    if rule.kind == APART:
        return not any(all(pieces[i][0] in rule.tiles for i in pair) for pair in touching)
    beside: dict[int, set[int]] = defaultdict(set)
    for i, j in touching:
        beside[i].add(j)
        beside[j].add(i)
    return _coloured(beside, len(pieces), rule.colours, [])


def _coloured(beside: dict[int, set[int]], size: int, colours: int, given: list[int]) -> bool:
    """Whether the pieces after those that have colours can have some, too; the first that has a new one takes the least."""
    if len(given) == size:
        return True
    taken = {given[i] for i in beside[len(given)] if i < len(given)}
    free = (c for c in range(min(colours, max(given, default=-1) + 2)) if c not in taken)
    return any(_coloured(beside, size, colours, [*given, c]) for c in free)


@cache
def _contacts(grid: Grid, form: frozenset[Atom]) -> tuple[list[list[Atom]], set[tuple[Atom, Atom]]]:
    """The faces of the form round each point, where there are several; and the pairs of them that share a side."""
    round_point: dict[Point, list[Atom]] = defaultdict(list)
    for atom in sorted(form):
        if grid.kinds[atom[-1]] == grid.kinds[0]:
            for corner in _corners(grid, atom):
                round_point[corner].append(atom)
    common: dict[tuple[Atom, Atom], int] = defaultdict(int)
    for faces in round_point.values():
        for pair in combinations(faces, 2):
            common[pair] += 1
    sides = {(a, b) for (a, b), number in common.items() if number >= (1 if len(grid.corners[a[-1]]) == 2 else grid.dimension)}
    return [faces for faces in round_point.values() if len(faces) > 1], sides


def _corners(grid: Grid, atom: Atom) -> list[Point]:
    return [tuple(x + grid.unit * c for x, c in zip(corner, atom[:-1], strict=True)) for corner in grid.corners[atom[-1]]]
