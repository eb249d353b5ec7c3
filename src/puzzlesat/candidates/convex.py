"""All convex forms of a number of faces: polygons whose sides run along the sides of the faces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from math import atan2, lcm
from typing import TypeVar

from puzzlesat.grid.lattice import AtomId, Grid, Point
from puzzlesat.grid.region import polygon

Vector = tuple[int, int]
Corner = TypeVar("Corner", tuple[int, int], tuple[Fraction, ...])


@dataclass(frozen=True)
class _Ways:
    """Where a polygon may go on from a point, which counts up to lattice vectors. Coordinates are whole: ``unit`` is a lattice vector."""

    unit: int
    steps: dict[Vector, tuple[Vector, ...]]
    """For each point, the steps that lead on from it, by angle, counterclockwise."""
    each: int
    """What a step adds to twice the area, so that a polygon of the wanted number of faces has a sum from ``least`` to ``most``."""
    least: int
    most: int
    run: int
    """Most steps straight on at the beginning, where they enclose nothing."""


def convex_forms(grid: Grid, size: int) -> Iterator[frozenset[AtomId]]:
    """Yield every convex form of ``size`` faces in the plane, each at least once up to translation.

    Where sides of faces never run straight on (hexagons), polygons run through the middles of neighbouring faces instead.
    """
    faces = [a for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
    if size == 1:
        yield from (frozenset([(0, 0, a)]) for a in faces)
        return
    ways = _along_sides(grid, size)
    if len(faces) == 1 and not any(_opposite(steps) for steps in ways.steps.values()):
        ways = _through_middles(grid, size, faces[0])
    middle = [Fraction(0), Fraction(0)] if ways.each == 0 else grid.centre((0, 0, faces[0]))
    for corners in _polygons(ways):
        atoms = polygon(grid, [[c + Fraction(x, ways.unit) for c, x in zip(middle, corner, strict=True)] for corner in corners])
        if len(atoms) == size:
            yield frozenset(atoms)


def ring(points: Sequence[Corner]) -> list[Corner]:
    """Return the vertices of a convex face in the order in which they go round it, counterclockwise."""
    x, y = (float(sum(axis)) / len(points) for axis in zip(*points, strict=True))
    return sorted(points, key=lambda p: atan2(p[1] - y, p[0] - x))


def _along_sides(grid: Grid, size: int) -> _Ways:
    faces = [atom.vertices for atom in grid.atoms if atom.kind == grid.main_kind]
    unit = lcm(*(x.denominator for face in faces for v in face for x in v))
    steps: dict[Vector, set[Vector]] = defaultdict(set)
    areas, sides = [], []
    for face in faces:
        points = ring([_whole(v, unit) for v in face])
        edges = [(p, _minus(q, p)) for p, q in zip(points, [*points[1:], points[0]], strict=True)]
        for p, step in edges:
            steps[_home(p, unit)].add(step)
            steps[_home((p[0] + step[0], p[1] + step[1]), unit)].add((-step[0], -step[1]))
        areas.append(sum(_cross(p, step) for p, step in edges))
        sides.append(len(edges))
    return _Ways(unit, _by_angle(steps), 0, size * min(areas), size * max(areas), size * max(sides))


def _through_middles(grid: Grid, size: int, face: int) -> _Ways:
    """Steps between the middles of the faces, which are lattice points: by Pick's theorem 2 n = 2 area + steps + 2."""
    steps = {_minus((other[0], other[1]), (0, 0)) for other in grid.neighbours((0, 0, face))}
    return _Ways(1, _by_angle({(0, 0): steps}), 1, 2 * size - 2, 2 * size - 2, 2 * size)  # a row is a way there and back


def _polygons(ways: _Ways) -> Iterator[list[Vector]]:
    """Every closed way that only turns left, once round, from its lowest point (the leftmost of them)."""
    for start in ways.steps:
        path: list[Vector] = [start]
        # for each point of the path: the steps that are still to be tried there, and twice the area swept so far
        open_: list[tuple[Iterator[Vector], int]] = [(iter(ways.steps[start]), 0)]
        taken: list[Vector] = []
        while open_:
            steps, area = open_[-1]
            step = next(steps, None)
            if step is None:
                open_.pop()
                path.pop()
                if taken:
                    taken.pop()
                continue
            here = path[-1]
            there = (here[0] + step[0], here[1] + step[1])
            if taken and _order(step, taken[-1]) < 0:
                continue
            swept = area + _cross(_minus(here, start), step)
            total = swept + ways.each * len(path)
            if swept < area or total > ways.most or (swept == 0 and len(path) > ways.run):
                continue
            if there == start:
                if total >= ways.least:
                    yield _corners(path)
            elif there[1] > start[1] or (there[1] == start[1] and there[0] > start[0]):
                path.append(there)
                taken.append(step)
                open_.append((iter(ways.steps[_home(there, ways.unit)]), swept))


def _corners(path: list[Vector]) -> list[Vector]:
    """Leave out the points in the middle of sides; two points are left of a way there and back."""
    following = [*path[1:], path[0]]
    kept = [p for o, p, q in zip([path[-1], *path], path, following, strict=False) if _turns(o, p, q)]
    return kept if len(kept) > 2 else [*kept, kept[-1]] if len(kept) == 2 else path


def _turns(o: Vector, p: Vector, q: Vector) -> bool:
    before, after = _minus(p, o), _minus(q, p)
    return _cross(before, after) != 0 or before[0] * after[0] + before[1] * after[1] < 0


def _by_angle(steps: dict[Vector, set[Vector]]) -> dict[Vector, tuple[Vector, ...]]:
    return {point: tuple(sorted(own, key=cmp_to_key(_order))) for point, own in sorted(steps.items())}


def _order(v: Vector, w: Vector) -> int:
    """Compare directions by their angle from (1, 0), counterclockwise, exactly."""
    halves = [y < 0 or (y == 0 and x < 0) for x, y in (v, w)]
    if halves[0] != halves[1]:
        return 1 if halves[0] else -1
    side = _cross(v, w)
    return (side < 0) - (side > 0)


def _opposite(steps: tuple[Vector, ...]) -> bool:
    return any(_cross(v, w) == 0 and v[0] * w[0] + v[1] * w[1] < 0 for v in steps for w in steps)


def _whole(point: Point, unit: int) -> Vector:
    x, y = (int(c * unit) for c in point)
    return x, y


def _home(point: Vector, unit: int) -> Vector:
    return point[0] % unit, point[1] % unit


def _minus(p: Vector, q: Vector) -> Vector:
    return p[0] - q[0], p[1] - q[1]


def _cross(v: Vector, w: Vector) -> int:
    return v[0] * w[1] - v[1] * w[0]
