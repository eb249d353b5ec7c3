"""How the faces of a form lie to each other: round its points, side by side, at its border, and on both sides of straight lines.

Two faces share a side that have as many corners in common as the grid has dimensions, or an end where they are edges, and two balls that
are as near as any; they meet at a point where that is a corner of both. On a form that wraps around a face may meet itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import gcd

from .grid import Atom, Grid, Point, determinant, nearest
from .seams import Surface


def faces(grid: Grid, atoms: frozenset[Atom]) -> frozenset[Atom]:
    """Return those of some atoms that are faces: of the kind of the first."""
    return frozenset(a for a in atoms if grid.kinds[a[-1]] == grid.kinds[0])


@cache
def round_points(surface: Surface) -> list[frozenset[Atom]]:
    """Return the faces of the form round each point, where there are several."""
    found: dict[Point, set[Atom]] = defaultdict(set)
    for face in sorted(faces(surface.grid, surface.atoms)):
        for corner in surface.grid.corners[face[-1]]:
            there = _corner(surface.grid, corner, face)
            if there not in found:
                found[there] = _round(surface, there)
    return list(dict.fromkeys(frozenset(there) for there in found.values() if len(there) > 1))


@cache
def crossroads(surface: Surface) -> list[tuple[frozenset[Atom], frozenset[frozenset[Atom]]]]:
    """Return the faces of the form round each point, with the sets of sticks that run straight through it: two in one line."""
    grid = surface.grid
    found: dict[tuple[frozenset[Atom], frozenset[frozenset[Atom]]], None] = {}
    for point in {_corner(grid, corner, face) for face in faces(grid, surface.atoms) for corner in grid.corners[face[-1]]}:
        sticks = [face for face in grid.faces_with(frozenset([point])) if len(grid.corners[face[-1]]) == 2]
        rays = [(home, _ray(grid, face, point)) for face in sticks if (home := surface.home(face)) is not None]
        ends = Counter(home for home, _ in rays)
        pairs = {frozenset((a, b)) for (a, v), (b, w) in combinations(rays, 2) if _opposite(v, w)}
        straight = frozenset(pair for pair in pairs if sum(ends[a] for a in pair) == 2)
        found[frozenset(_round(surface, point)), straight] = None
    return list(found)


def _ray(grid: Grid, stick: Atom, point: Point) -> Point:
    """The way from one end of a stick to the other."""
    (end,) = (c for corner in grid.corners[stick[-1]] if (c := _corner(grid, corner, stick)) != point)
    return tuple(x - y for x, y in zip(end, point, strict=True))


def _opposite(v: Point, w: Point) -> bool:
    """Whether one vector is the other, multiplied by a number below 0; both are of the plane."""
    return v[0] * w[1] == v[1] * w[0] and _product(v, w) < 0


def _round(surface: Surface, point: Point) -> set[Atom]:
    """The faces of the form of which a point of the plane is a corner, from whichever side of a seam."""
    there = map(surface.home, surface.grid.faces_with(frozenset([point])))
    return {face for face in there if face is not None}


@cache
def sides(surface: Surface) -> list[tuple[Atom, Atom]]:
    """Return the pairs of faces of the form that share a side."""
    grid = surface.grid
    there = ((a, b) for a in sorted(faces(grid, surface.atoms)) for b in map(surface.home, beside(grid, a)) if b is not None and a < b)
    return list(dict.fromkeys(there))


def at_border(surface: Surface, atoms: frozenset[Atom]) -> bool:
    """Tell whether some of these faces has a side to which no face of the form lies."""
    return any(surface.home(b) is None for a in faces(surface.grid, atoms) for b in beside(surface.grid, a))


def beside(grid: Grid, face: Atom) -> list[Atom]:
    """Return the faces of the grid that share a side with one."""
    return [(*(x + d for x, d in zip(b, face[:-1], strict=False)), b[-1]) for b in _beside(grid, face[-1])]


@cache
def _beside(grid: Grid, number: int) -> list[Atom]:
    if grid.of_balls:
        return [(*move, number) for move in nearest(grid)]
    shared = Counter(b for corner in grid.corners[number] for b in grid.faces_with(frozenset([corner])))
    need = 1 if len(grid.corners[number]) == 2 else grid.dimension
    return [b for b, times in shared.items() if times >= need and b != (*(0,) * grid.dimension, number)]


@cache
def halves(surface: Surface) -> list[tuple[frozenset[Atom], frozenset[Atom]]]:
    """Return the faces on both sides of each line, in space plane, on which two of them share a side, and that cuts no face of the form."""
    grid = surface.grid
    corners = {a: [_corner(grid, c, a) for c in grid.corners[a[-1]]] for a in faces(grid, surface.atoms)}
    found = []
    shared = (sorted({*corners[a]} & {*corners[b]}) for a, b in sides(surface))
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


def _corner(grid: Grid, corner: Point, atom: Atom) -> Point:
    return tuple(x + grid.unit * c for x, c in zip(corner, atom[:-1], strict=True))
