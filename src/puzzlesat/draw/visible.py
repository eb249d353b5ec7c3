"""What of faces and lines is seen: the parts that nothing hides, by clipping each against all that lies in front of it.

Points are (right, down, towards the eye) in pixels; faces are convex, look at the eye and are not seen edge-on. No order of the
faces is needed, so bodies may interlock, hide each other in a ring or pass through each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from puzzlesat.arrays import Reals

HAIR = 1e-6
"""Pixels: what is nearer than that touches."""
SPECK = 0.02
"""Pixels: shorter parts of lines are not drawn."""
AT_ONCE = 2_000_000
"""Pairs of a line and a face that are compared in one step."""

Corner = tuple[float, float]
Polygon = list[Corner]
Line = tuple[float, float, float]
"""(a, b, c): the points where a x + b y + c is positive lie inside; it is the distance in pixels."""


@dataclass(frozen=True, eq=False)
class Scene:
    """Faces as arrays, all with as many corners as the one that has most: the last corner repeated."""

    corners: Reals
    """By face and corner: right, down, towards the eye."""
    planes: Reals
    """By face (a, b, c): a x + b y + c is how near its plane is to the eye."""
    low: Reals
    high: Reals


def scene(faces: Sequence[Reals]) -> Scene:
    """Return faces as arrays."""
    most = max((len(f) for f in faces), default=3)
    corners = np.array([np.concatenate([f, np.repeat(f[-1:], most - len(f), axis=0)]) for f in faces]).reshape(-1, most, 3)
    normals = np.cross(corners, np.roll(corners, -1, axis=1)).sum(axis=1)
    slopes = -normals[:, :2] / normals[:, 2:]
    middles = corners.mean(axis=1)
    heights = middles[:, 2] - (slopes * middles[:, :2]).sum(axis=1)
    return Scene(corners, np.column_stack([slopes, heights]), corners[:, :, :2].min(axis=1), corners[:, :, :2].max(axis=1))


def visible_faces(faces: Sequence[Reals]) -> list[list[Polygon]]:
    """Return of each face the convex parts that are seen: it without the projection of what others have in front of its plane."""
    known = scene(faces)
    found = []
    for number, face in enumerate(faces):
        parts: list[Polygon] = [[(float(x), float(y)) for x, y, _ in face]]
        for other, nearer in _in_front(known, number):
            hole = _sides(_nearer_part(faces[other], nearer[: len(faces[other])]))
            parts = _without(parts, hole)
            if not parts:
                break
        found.append(parts)
    return found


def _in_front(known: Scene, number: int) -> list[tuple[int, list[float]]]:
    """The faces that may hide part of one, and how much nearer than its plane their corners are; what hides most comes first."""
    low, high = np.maximum(known.low, known.low[number]), np.minimum(known.high, known.high[number])
    others = np.flatnonzero((high - low > HAIR).all(axis=1))
    slope_x, slope_y, height = known.planes[number]
    corners = known.corners[others]
    nearer = corners[:, :, 2] - slope_x * corners[:, :, 0] - slope_y * corners[:, :, 1] - height
    hiding = np.flatnonzero((nearer.max(axis=1) > HAIR) & (others != number))
    common = (high - low)[others[hiding]].prod(axis=1)
    return [(int(others[i]), nearer[i].tolist()) for i in hiding[np.argsort(-common, kind="stable")]]


def _nearer_part(face: Reals, nearer: Sequence[float]) -> Polygon:
    """The projection of the part of a face that lies in front of a plane."""
    corners = [(float(x), float(y)) for x, y, _ in face]
    return corners if min(nearer) > -HAIR else _split(corners, nearer)[0]


def _sides(polygon: Polygon) -> list[Line]:
    """The lines through the sides of a convex polygon."""
    doubled = sum(p[0] * q[1] - p[1] * q[0] for p, q in zip(polygon, polygon[1:] + polygon[:1], strict=True))
    found = []
    for (x, y), (u, v) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        length = ((u - x) ** 2 + (v - y) ** 2) ** 0.5 * (1 if doubled > 0 else -1)
        if abs(length) > HAIR:
            a, b = (y - v) / length, (u - x) / length
            found.append((a, b, -a * x - b * y))
    return found


def _without(parts: Sequence[Polygon], hole: Sequence[Line]) -> list[Polygon]:
    """Convex polygons without a convex hole."""
    found = []
    for part in parts:
        rest, outside = part, []
        for a, b, c in hole:
            rest, beyond = _split(rest, [a * x + b * y + c for x, y in rest])
            if beyond:
                outside.append(beyond)
            if not rest:
                break
        found += outside if rest else [part]
    return found


def _split(polygon: Polygon, inside: Sequence[float]) -> tuple[Polygon, Polygon]:
    """The parts of a convex polygon on either side of a line, from how far inside each corner lies; no corners for no part."""
    if min(inside) > -HAIR:
        return polygon, []
    if max(inside) < HAIR:
        return [], polygon
    within: Polygon = []
    beyond: Polygon = []
    for i, p in enumerate(polygon):
        here, before = inside[i], inside[i - 1]
        if (here > HAIR and before < -HAIR) or (here < -HAIR and before > HAIR):
            share = before / (before - here)
            (x, y), (u, v) = polygon[i - 1], p
            crossing = (x + share * (u - x), y + share * (v - y))
            within.append(crossing)
            beyond.append(crossing)
        if here > -HAIR:
            within.append(p)
        if here < HAIR:
            beyond.append(p)
    return within, beyond


def overlap(polygon: Reals, other: Reals) -> Polygon:
    """Return what two convex polygons have in common."""
    rest = [(float(x), float(y)) for x, y in polygon]
    for a, b, c in _sides([(float(x), float(y)) for x, y in other]):
        if rest:
            rest = _split(rest, [a * x + b * y + c for x, y in rest])[0]
    return rest


def visible_lines(lines: Reals, faces: Sequence[Reals]) -> list[Reals]:
    """Return the parts of straight lines (start and end of each) that no face hides, on the screen; no face hides what lies on it."""
    known = scene(faces)
    sides = _lines_of_sides(known)
    hidden: dict[int, list[tuple[float, float]]] = {}
    step = max(1, AT_ONCE // max(len(faces), 1))
    for first in range(0, len(lines), step):
        some = lines[first : first + step]
        low, high = some[:, :, :2].min(axis=1), some[:, :, :2].max(axis=1)
        near = ((low[:, None] < known.high + HAIR) & (high[:, None] > known.low - HAIR)).all(axis=2)
        line, face = np.nonzero(near)
        start, end = _hidden(some[line], known.planes[face], sides[face])
        for i in np.flatnonzero(end - start > 0):
            hidden.setdefault(first + int(line[i]), []).append((float(start[i]), float(end[i])))
    return [part for i, ends in enumerate(lines) for part in _shown(ends, hidden.get(i, ()))]


def _lines_of_sides(known: Scene) -> Reals:
    """By face and side (a, b, c), as in ``Line``; (0, 0, 1), which holds everywhere, for sides without length."""
    starts = known.corners[:, :, :2]
    along = np.roll(starts, -1, axis=1) - starts
    doubled = (starts[:, :, 0] * np.roll(starts, -1, axis=1)[:, :, 1] - starts[:, :, 1] * np.roll(starts, -1, axis=1)[:, :, 0]).sum(axis=1)
    length = np.linalg.norm(along, axis=2)
    inward = np.stack([-along[:, :, 1], along[:, :, 0]], axis=2) * np.sign(doubled)[:, None, None] / np.maximum(length, HAIR)[:, :, None]
    found = np.concatenate([inward, -(inward * starts).sum(axis=2)[:, :, None]], axis=2)
    found[length <= HAIR] = (0.0, 0.0, 1.0)
    return found


def _hidden(lines: Reals, planes: Reals, sides: Reals) -> tuple[Reals, Reals]:
    """Where, as shares of its length, each line is behind its face; where the end is not after the start it nowhere is."""
    points = lines.copy()
    points[:, :, 2] = 1.0
    behind = (planes[:, None] * points).sum(axis=2) - lines[:, :, 2] - HAIR
    inside = (sides[:, None] * points[:, :, None]).sum(axis=3) + HAIR
    values = np.concatenate([inside, behind[:, :, None]], axis=2)
    at_start, at_end = values[:, 0], values[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = at_start / (at_start - at_end)
    start = np.where((at_start < 0) & (at_end >= 0), crossing, np.where(at_start < 0, 2.0, 0.0)).max(axis=1)
    end = np.where((at_end < 0) & (at_start >= 0), crossing, np.where(at_end < 0, -1.0, 1.0)).min(axis=1)
    return start, end


def _shown(ends: Reals, hidden: Sequence[tuple[float, float]]) -> list[Reals]:
    """The parts of a line outside of the shares of it that are hidden."""
    a, along = ends[0, :2], ends[1, :2] - ends[0, :2]
    length = float(np.linalg.norm(along))
    found, reached = [], 0.0
    for start, end in [*sorted(hidden), (1.0, 1.0)]:
        if (start - reached) * length > SPECK:
            found.append(np.array([a + reached * along, a + start * along]))
        reached = max(reached, end)
    return found
