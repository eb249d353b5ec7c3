"""How the faces of a form lie to each other: round its points, side by side, at its border, and on both sides of straight lines.

Two faces share a side that have as many corners in common as the grid has dimensions, or an end where they are edges; they meet at a point
where that is a corner of both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import gcd

from .grid import Atom, Grid, Point, determinant


def faces(grid: Grid, atoms: frozenset[Atom]) -> frozenset[Atom]:
    """Return those of some atoms that are faces: of the kind of the first."""
    return frozenset(a for a in atoms if grid.kinds[a[-1]] == grid.kinds[0])


@cache
def round_points(grid: Grid, form: frozenset[Atom]) -> list[list[Atom]]:
    """Return the faces of the form round each point, where there are several."""
    found: dict[Point, list[Atom]] = defaultdict(list)
    for atom in sorted(faces(grid, form)):
        for corner in _corners(grid, atom):
            found[corner].append(atom)
    return [round_point for round_point in found.values() if len(round_point) > 1]


@cache
def sides(grid: Grid, form: frozenset[Atom]) -> list[tuple[Atom, Atom]]:
    """Return the pairs of faces of the form that share a side."""
    return [(a, b) for a in sorted(faces(grid, form)) for b in beside(grid, a) if a < b and b in form]


def at_border(grid: Grid, form: frozenset[Atom], atoms: frozenset[Atom]) -> bool:
    """Tell whether some of these faces has a side to which no face of the form lies."""
    return any(b not in form for a in faces(grid, atoms) for b in beside(grid, a))


def beside(grid: Grid, face: Atom) -> list[Atom]:
    """Return the faces of the grid that share a side with one."""
    return [(*(x + d for x, d in zip(b, face[:-1], strict=False)), b[-1]) for b in _beside(grid, face[-1])]


@cache
def _beside(grid: Grid, number: int) -> list[Atom]:
    shared = Counter(b for corner in grid.corners[number] for b in grid.faces_with(frozenset([corner])))
    need = 1 if len(grid.corners[number]) == 2 else grid.dimension
    return [b for b, times in shared.items() if times >= need and b != (*(0,) * grid.dimension, number)]


@cache
def halves(grid: Grid, form: frozenset[Atom]) -> list[tuple[frozenset[Atom], frozenset[Atom]]]:
    """Return the faces on both sides of each line, in space plane, on which two of them share a side, and that cuts no face of the form."""
    corners = {a: _corners(grid, a) for a in faces(grid, form)}
    found = []
    shared = (sorted({*corners[a]} & {*corners[b]}) for a, b in sides(grid, form))
    for normal, height in {plane for points in shared if (plane := _plane(grid, points)) is not None}:
        above = {a: {_product(normal, x) > height for x in own if _product(normal, x) != height} for a, own in corners.items()}
        if all(len(where) == 1 for where in above.values()):
            low, high = (frozenset(a for a, where in above.items() if where == {side}) for side in (False, True))
            found.append((low, high))
    return found


def _plane(grid: Grid, points: Sequence[Point]) -> tuple[Point, int] | None:
    """The points x of a line, or plane, through some points, as normal · x = height; None where they span none."""
    rays = [tuple(x - y for x, y in zip(point, points[0], strict=True)) for point in points[1:]]
    for some in combinations(rays, grid.dimension - 1):
        normal = [determinant((*some, unit)) for unit in grid.still[0]]
        if any(normal):
            common = gcd(*normal) * (1 if normal > [0] * len(normal) else -1)
            return (least := tuple(x // common for x in normal)), _product(least, points[0])
    return None


def _product(v: Point, w: Point) -> int:
    return sum(x * y for x, y in zip(v, w, strict=True))


def _corners(grid: Grid, atom: Atom) -> list[Point]:
    return [tuple(x + grid.unit * c for x, c in zip(corner, atom[:-1], strict=True)) for corner in grid.corners[atom[-1]]]
