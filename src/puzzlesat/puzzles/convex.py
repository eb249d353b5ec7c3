"""Convex polygons of the plane and convex bodies of space, given by their corners, in exact coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

Corners = Sequence[Sequence[Fraction]]


def in_row(corners: Corners, y: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the interval [low, high] of x that a convex polygon has at height y; its corners may be in either sense of rotation."""
    xs, ys = zip(*corners, strict=True)
    if not min(ys) <= y <= max(ys):
        return
    for sense in (1, -1):
        low, high = Fraction(min(xs)), Fraction(max(xs))  # needed if all corners are on one line, or are one point
        for p, q in zip(corners, [*corners[1:], corners[0]], strict=True):
            rise = sense * (q[1] - p[1])
            most = sense * (q[0] - p[0]) * (y - p[1]) + rise * p[0]  # the edge bounds x by rise * x <= most
            if rise > 0:
                high = min(high, Fraction(most, rise))
            elif rise < 0:
                low = max(low, Fraction(most, rise))
            elif most < 0:
                break
        else:
            yield low, high


def is_convex(corners: Corners) -> bool:
    """Return whether corners go once round a convex polygon, in either sense."""
    count = len(corners)
    turns = []
    for i, q in enumerate(corners):
        p, r = corners[i - 1], corners[(i + 1) % count]
        turns.append((q[0] - p[0]) * (r[1] - q[1]) - (q[1] - p[1]) * (r[0] - q[0]))
    one_sense = all(t >= 0 for t in turns) or all(t <= 0 for t in turns)
    # a star also turns in one sense only, but has corners on both sides of an edge
    return one_sense and any(turns) and all(inside(tuple(c), corners) for c in corners)


def inside(point: Sequence[Fraction], corners: Corners) -> bool:
    """Return whether a point is in a convex polygon or on its border."""
    turns = [
        (q[0] - p[0]) * (point[1] - p[1]) - (q[1] - p[1]) * (point[0] - p[0])
        for p, q in zip(corners, [*corners[1:], corners[0]], strict=True)
    ]
    # the bounding box is needed if all corners are on one line, or are one point
    boxed = all(min(axis) <= x <= max(axis) for x, axis in zip(point, zip(*corners, strict=True), strict=True))
    return boxed and (all(t >= 0 for t in turns) or all(t <= 0 for t in turns))


def half_spaces(corners: Corners) -> set[tuple[tuple[Fraction, ...], Fraction]] | None:
    """Return the half spaces ``normal x <= most`` whose intersection is the convex hull of the corners; None for a flat hull."""
    signs = [tuple(Fraction(sign * (i == axis)) for i in range(3)) for axis in range(3) for sign in (1, -1)]
    # the bounding box suffices for a single point, which a shape of size 1 often is
    found = {(normal, max(height(normal, c) for c in corners)) for normal in signs}
    points = sorted({tuple(c) for c in corners})
    for p, q, r in combinations(points, 3):
        (a, b, c), (d, e, f) = (tuple(y - x for x, y in zip(p, other, strict=True)) for other in (q, r))
        normal = (b * f - c * e, c * d - a * f, a * e - b * d)
        for way in (normal, tuple(-x for x in normal)) if any(normal) else ():
            if all(height(way, other) <= height(way, p) for other in points):
                found.add((way, height(way, p)))
    flat = any((tuple(-x for x in normal), -most) in found for normal, most in found)
    in_a_line = len(points) == 2  # no three points make a plane
    return None if len(points) > 1 and (flat or in_a_line) else found


def height(normal: Sequence[Fraction], point: Sequence[Fraction]) -> Fraction:
    """Return the product of a normal and a point."""
    return sum((x * y for x, y in zip(normal, point, strict=True)), Fraction(0))
