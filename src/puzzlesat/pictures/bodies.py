"""Pictures of polytopes as SVG: the visible part of each face, continuous outlines, and names where they have most room.

Each face and each line is clipped against every face in front of it. Points are (right, down, towards the eye) in pixels; faces are convex,
look at the eye and are not seen edge-on. The method needs no depth order of faces, so bodies may interlock, hide each other in a cycle or
intersect.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np

from puzzlesat.base import Flags, Reals
from puzzlesat.pictures.geometry import VIEW, Face, Key, key, outside, skin
from puzzlesat.pictures.palette import ink, shade
from puzzlesat.pictures.svg import LARGEST, SMALLEST, breadth, path, text
from puzzlesat.puzzles import AtomId, Grid

HAIR = 1e-6
"""Tolerance in pixels: points at a smaller distance touch."""
SPECK = 0.02
"""Shortest part of a line that is drawn, in pixels."""
AT_ONCE = 2_000_000
"""Largest number of pairs of a line and a face that are compared in one step."""

Corner = tuple[float, float]
Polygon = list[Corner]
Line = tuple[float, float, float]
"""(a, b, c): a x + b y + c is the signed distance of (x, y) in pixels, positive inside."""


@dataclass(frozen=True, eq=False)
class FaceArrays:
    """Faces as arrays. All have the number of corners of the largest face; smaller faces repeat their last corner."""

    corners: Reals
    """Array (face, corner, 3): right, down, towards the eye."""
    planes: Reals
    """Array (face, 3): for (a, b, c) the depth of the face's plane at (x, y) is a x + b y + c, larger nearer to the eye."""
    low: Reals
    high: Reals


def scene(faces: Sequence[Reals]) -> FaceArrays:
    """Return faces as arrays."""
    most = max((len(f) for f in faces), default=3)
    corners = np.array([np.concatenate([f, np.repeat(f[-1:], most - len(f), axis=0)]) for f in faces]).reshape(-1, most, 3)
    normals = np.cross(corners, np.roll(corners, -1, axis=1)).sum(axis=1)
    slopes = -normals[:, :2] / normals[:, 2:]
    middles = corners.mean(axis=1)
    heights = middles[:, 2] - (slopes * middles[:, :2]).sum(axis=1)
    return FaceArrays(corners, np.column_stack([slopes, heights]), corners[:, :, :2].min(axis=1), corners[:, :, :2].max(axis=1))


def visible_faces(faces: Sequence[Reals]) -> list[list[Polygon]]:
    """Return the visible convex parts of each face: the face minus the projections of other faces' parts in front of its plane."""
    arrays = scene(faces)
    found = []
    for number, face in enumerate(faces):
        parts: list[Polygon] = [[(float(x), float(y)) for x, y, _ in face]]
        for other, nearer in _in_front(arrays, number):
            hole = _sides(_nearer_part(faces[other], nearer[: len(faces[other])]))
            parts = _without(parts, hole)
            if not parts:
                break
        found.append(parts)
    return found


def _in_front(arrays: FaceArrays, number: int) -> list[tuple[int, list[float]]]:
    """The faces that may hide part of a face, largest overlap first, with the distances of their corners in front of its plane."""
    low, high = np.maximum(arrays.low, arrays.low[number]), np.minimum(arrays.high, arrays.high[number])
    others = np.flatnonzero((high - low > HAIR).all(axis=1))
    slope_x, slope_y, height = arrays.planes[number]
    corners = arrays.corners[others]
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
    """Convex polygons minus a convex hole."""
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
    """The parts of a convex polygon inside and outside a line, from its corners' distances inside; an empty list for no part."""
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
    """Return the intersection of two convex polygons."""
    rest = [(float(x), float(y)) for x, y in polygon]
    for a, b, c in _sides([(float(x), float(y)) for x, y in other]):
        if rest:
            rest = _split(rest, [a * x + b * y + c for x, y in rest])[0]
    return rest


def visible_lines(lines: Reals, faces: Sequence[Reals]) -> list[Reals]:
    """Return the visible parts of line segments on the screen. A face does not hide segments that lie on it."""
    arrays = scene(faces)
    sides = _lines_of_sides(arrays)
    hidden: dict[int, list[tuple[float, float]]] = {}
    step = max(1, AT_ONCE // max(len(faces), 1))
    for first in range(0, len(lines), step):
        block = lines[first : first + step]
        low, high = block[:, :, :2].min(axis=1), block[:, :, :2].max(axis=1)
        near = ((low[:, None] < arrays.high + HAIR) & (high[:, None] > arrays.low - HAIR)).all(axis=2)
        line, face = np.nonzero(near)
        start, end = _hidden(block[line], arrays.planes[face], sides[face])
        for i in np.flatnonzero(end - start > 0):
            hidden.setdefault(first + int(line[i]), []).append((float(start[i]), float(end[i])))
    return [part for i, ends in enumerate(lines) for part in _shown(ends, hidden.get(i, ()))]


def _lines_of_sides(arrays: FaceArrays) -> Reals:
    """Lines of sides by face and side, as in ``Line``; (0, 0, 1), which holds everywhere, for sides of length 0."""
    starts = arrays.corners[:, :, :2]
    along = np.roll(starts, -1, axis=1) - starts
    doubled = (starts[:, :, 0] * np.roll(starts, -1, axis=1)[:, :, 1] - starts[:, :, 1] * np.roll(starts, -1, axis=1)[:, :, 0]).sum(axis=1)
    length = np.linalg.norm(along, axis=2)
    inward = np.stack([-along[:, :, 1], along[:, :, 0]], axis=2) * np.sign(doubled)[:, None, None] / np.maximum(length, HAIR)[:, :, None]
    found = np.concatenate([inward, -(inward * starts).sum(axis=2)[:, :, None]], axis=2)
    found[length <= HAIR] = (0.0, 0.0, 1.0)
    return found


def _hidden(lines: Reals, planes: Reals, sides: Reals) -> tuple[Reals, Reals]:
    """The hidden interval of each line behind its face, as shares of its length; empty if its end is not after its start."""
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
    """The parts of a line outside the hidden intervals."""
    a, along = ends[0, :2], ends[1, :2] - ends[0, :2]
    length = float(np.linalg.norm(along))
    found, reached = [], 0.0
    for start, end in [*sorted(hidden), (1.0, 1.0)]:
        if (start - reached) * length > SPECK:
            found.append(np.array([a + reached * along, a + start * along]))
        reached = max(reached, end)
    return found


TRIED = 100
"""Approximate number of first candidates for the place of a name. Three refinements round the best candidate follow."""
ROOMY = 1.5
"""Places where a name could be this many times larger than its largest size are equally good; the nearest to the middle is chosen."""
AROUND = np.array([(x, y) for x in (0, -2, -1, 1, 2) for y in (0, -2, -1, 1, 2)]) / 2
CLOSE = 0.92
"""Share of the available room that a name fills."""
HEIGHT = 0.75
"""Height of a letter relative to its font size."""


@dataclass(frozen=True)
class NamePlace:
    """The middle of a name, and its font size."""

    x: float
    y: float
    size: float


def place_for(words: str, points: Reals, walls: Reals, middle: Reals) -> NamePlace | None:
    """Return the place for a name with most room near ``points``; of roomy places the nearest to ``middle``; None if the name is too small.

    ``walls`` are the segments (start and end) that the name must not touch; they enclose the area in which the points lie.
    """
    if not words or not len(points):
        return None
    box = np.array([breadth(words), HEIGHT]) / 2
    low, high = points.min(axis=0), points.max(axis=0)
    best, size = _best(points, walls, box, middle)
    step = float((high - low).max()) / 8
    for _ in range(3):
        if size >= ROOMY * LARGEST:
            break
        # a disc of this size round the best point is free of walls
        step = min(step, size * float(box.min()))
        best, size = _best(best + step / 2 * AROUND, walls, box, best)
        step /= 2
    return NamePlace(float(best[0]), float(best[1]), min(size, LARGEST)) if size >= SMALLEST else None


def _best(points: Reals, walls: Reals, box: Reals, middle: Reals) -> tuple[Reals, float]:
    """The point with most room, and the largest font size there."""
    size = np.minimum(CLOSE * _room(points, walls, box), ROOMY * LARGEST)
    best = np.lexsort((np.linalg.norm(points - middle, axis=1), -size.round(1)))[0]
    return points[best], float(size[best])


def area(polygon: Reals) -> float:
    """Return the area of a polygon."""
    x, y = polygon.T
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)


def places(parts: Sequence[Reals]) -> tuple[Reals, Reals]:
    """Return points spread over convex polygons, and the centre of their area."""
    areas = np.array([area(p) for p in parts]) + 1e-9
    middles = np.array([p.mean(axis=0) for p in parts])
    spacing = (areas.sum() / TRIED) ** 0.5
    found = [middles]
    for part in parts:
        low, high = part.min(axis=0), part.max(axis=0)
        xs, ys = (np.arange(np.ceil(a / spacing), np.floor(b / spacing) + 1) * spacing for a, b in zip(low, high, strict=True))
        grid = np.array(np.meshgrid(xs, ys)).reshape(2, -1).T
        found.append(grid[inside(grid, part)])
    return np.concatenate(found), (middles * areas[:, None]).sum(axis=0) / areas.sum()


def inside(points: Reals, polygon: Reals) -> Flags:
    """Return which points lie in a convex polygon."""
    along = np.roll(polygon, -1, axis=0) - polygon
    turns = along[:, 0] * (points[:, None, 1] - polygon[:, 1]) - along[:, 1] * (points[:, None, 0] - polygon[:, 0])
    return np.asarray((turns >= 0).all(axis=1) | (turns <= 0).all(axis=1))


def sides(polygon: Reals) -> Reals:
    """Return start and end of each side of a polygon."""
    return np.stack([polygon, np.roll(polygon, -1, axis=0)], axis=1)


def _room(points: Reals, walls: Reals, box: Reals) -> Reals:
    """Factors by which a box may be enlarged round each point until it touches a wall, up to a useful maximum."""
    low, high = points.min(axis=0) - ROOMY * LARGEST * box, points.max(axis=0) + ROOMY * LARGEST * box
    near = walls[((walls.min(axis=1) <= high) & (walls.max(axis=1) >= low)).all(axis=1)]
    start = (near[:, 0] - points[:, None]) / box
    along = (near[:, 1] - near[:, 0]) / box
    x, y = start[:, :, 0], start[:, :, 1]
    nearest = np.minimum(_larger(x, y), _larger(x + along[:, 0], y + along[:, 1])).min(axis=1, initial=ROOMY * LARGEST)
    # along a wall, max(|x|, |y|) is least at an end, where x or y is 0, or where |x| = |y|
    for u, v in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, -1.0)):
        rise = along[:, 0] * u + along[:, 1] * v
        rise = np.where(np.abs(rise) < 1e-12, np.inf, rise)
        share = (-(x * u + y * v) / rise).clip(0, 1)
        nearest = np.minimum(nearest, _larger(x + share * along[:, 0], y + share * along[:, 1]).min(axis=1, initial=np.inf))
    return np.asarray(nearest)


def _larger(x: Reals, y: Reals) -> Reals:
    return np.maximum(np.abs(x), np.abs(y))


LIGHT = np.array([0.25, -0.55, 0.8]) @ VIEW / np.linalg.norm([0.25, -0.55, 0.8])
SPOT, RING = 0.45, 1.6
"""Size of an atom's colour relative to its face, and width of the white ring round it in pixels."""
INSIDE = 1e-3
"""Pixels by which an edge is moved into its face to test whether it is visible."""
OUTLINE, OUTLINE_WIDTH, GLASS_WIDTH = "#222222", 1.6, 1.2


@dataclass(frozen=True)
class Solid:
    """Atoms of one body with their colour, and the body's shift in view coordinates."""

    atoms: tuple[AtomId, ...]
    colour: str
    title: str
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    edges: str = OUTLINE
    name: str = ""
    """Name, written where the visible part has most room."""
    spots: Mapping[AtomId, str] = field(default_factory=dict)
    """Colours of atoms, shown on their faces."""
    glass: bool = False
    """True if only the edges of a polytope are drawn, over the bodies behind it."""


@dataclass(frozen=True, eq=False)
class SeenFace:
    """A face of a solid, its corners (right, down, towards the eye, in pixels), and its visible convex parts."""

    face: Face
    corners: Reals
    parts: list[Reals]

    def spot(self, size: float) -> Reals:
        """Return the outline of a spot on the face, scaled by ``size``."""
        flat = self.corners[:, :2]
        return np.asarray(size * flat + (1 - size) * flat.mean(axis=0))


def draw_polytopes(grid: Grid, solids: Sequence[Solid], factor: float) -> tuple[Reals, Reals, str]:
    """Return the smallest and the largest coordinates, and the elements: all faces, then all outlines, then all names.

    Outlines follow all faces, because the edges of other faces would cover half their width.
    """
    faces = _faces(grid, solids)
    corners = _corners(faces, solids, factor)
    of_solid: dict[int, list[SeenFace]] = defaultdict(list)
    for (i, face), flat, parts in zip(faces, corners, visible_faces(corners), strict=True):
        if parts:
            of_solid[i].append(SeenFace(face, flat, [np.array(p) for p in parts]))
    outlines = _outlines([face for _, face in faces], corners)
    elements = [_surface(solids[i], found) for i, found in of_solid.items()]
    drawn = "".join(dict.fromkeys(path(line, closed=False) for line in outlines))
    elements.append(f'<path d="{drawn}" fill="none" stroke="{solids[0].edges}" stroke-width="{OUTLINE_WIDTH}" pointer-events="none"/>')
    elements += [_name(solids[i], found, outlines) for i, found in of_solid.items()]
    panes = [(s, face, (face.corners + s.shift) * factor) for s in solids if s.glass for _, face in skin(grid, s.atoms)]
    elements += [_glass(s, [(face, flat) for own, face, flat in panes if own is s]) for s in solids if s.glass]
    points = np.concatenate([*corners, *(flat for _, _, flat in panes)])[:, :2]
    return points.min(axis=0), points.max(axis=0), "\n".join(e for e in elements if e)


def seen_areas(grid: Grid, solids: Sequence[Solid], factor: float) -> list[float]:
    """Return the visible area of each solid in pixels."""
    faces = _faces(grid, solids)
    found = [0.0] * len(solids)
    for (i, _), parts in zip(faces, visible_faces(_corners(faces, solids, factor)), strict=True):
        found[i] += sum(area(np.array(part)) for part in parts)
    return found


def _faces(grid: Grid, solids: Sequence[Solid]) -> list[tuple[int, Face]]:
    """The faces that look at the eye, except faces of glass and faces where two solids touch."""
    owners: dict[tuple[Key, object], set[int]] = defaultdict(set)
    for i, solid in enumerate(solids):
        for where, _ in () if solid.glass else outside(grid, solid.atoms):
            owners[where, solid.shift].add(i)
    return [(i, face) for i, s in enumerate(solids) for where, face in skin(grid, s.atoms) if len(owners[where, s.shift]) == 1]


def _corners(faces: Sequence[tuple[int, Face]], solids: Sequence[Solid], factor: float) -> list[Reals]:
    return [(face.corners + solids[i].shift) * factor for i, face in faces]


def _glass(solid: Solid, faces: Sequence[tuple[Face, Reals]]) -> str:
    """The edges of a solid, including hidden ones."""
    edges = [sorted(flat[[i, i + 1 - len(flat)], :2].tolist()) for face, flat in faces for i in face.edges]
    drawn = "".join(dict.fromkeys(path(np.array(edge), closed=False) for edge in edges))
    shown = f'<path d="{drawn}" fill="none" stroke="{solid.colour}" stroke-width="{GLASS_WIDTH}"/>'
    return f"<g><title>{escape(solid.title)}</title>{shown}</g>"


def _outlines(faces: Sequence[Face], corners: Sequence[Reals]) -> Reals:
    """The visible parts of the edges of bodies, as start and end; most edges belong to two faces and occur twice.

    Visibility is tested slightly inside the edge's face: where bodies touch along an edge, the edge may lie on a face of another body that
    hides it.
    """
    found = []
    for face, flat in zip(faces, corners, strict=True):
        for i in face.edges:
            ends = sorted(flat[[i, i + 1 - len(flat)]].tolist())
            inward = flat.mean(axis=0) - np.mean(ends, axis=0)
            found.append(ends + INSIDE * inward / float(np.linalg.norm(inward)))
    return np.array(visible_lines(np.array(found).reshape(-1, 2, 3), corners)).reshape(-1, 2, 2)


def face_colour(colour: str, normal: Reals) -> str:
    """Return the colour of a face of a body; faces towards the light are lighter."""
    return shade(colour, 0.75 * (max(0.0, float(normal @ LIGHT)) - 0.62))


def _surface(solid: Solid, found: Sequence[SeenFace]) -> str:
    """The visible part of a solid: the faces of each direction as one path, so that no seams show, with their spots."""
    paths: dict[str, list[str]] = defaultdict(list)
    for seen in found:
        colour = face_colour(solid.colour, seen.face.normal)
        paths[colour] += [path(part) for part in seen.parts]
    drawn = [f'<path d="{"".join(parts)}" fill="{colour}"/>' for colour, parts in paths.items()]
    return f"<g><title>{escape(solid.title)}</title>{''.join(drawn)}{''.join(_spots(solid, found))}</g>"


def _spots(solid: Solid, found: Sequence[SeenFace]) -> list[str]:
    """The colours of atoms on the visible parts of their faces, with white round them."""
    drawn = []
    for seen in found:
        if seen.face.atom in solid.spots:
            for size, fill in ((_ring(seen), "#ffffff"), (SPOT, solid.spots[seen.face.atom])):
                visible = "".join(path(p) for part in seen.parts if (p := overlap(part, seen.spot(size))))
                drawn.append(f'<path d="{visible}" fill="{fill}"/>' if visible else "")
    return drawn


def _ring(seen: SeenFace) -> float:
    """The size of a spot with its white ring."""
    flat = seen.corners[:, :2]
    return SPOT + RING / float(np.linalg.norm(flat - flat.mean(axis=0), axis=1).max())


def _name(solid: Solid, found: Sequence[SeenFace], outlines: Reals) -> str:
    """The name of a solid where it is largest: preferably on faces without a spot, else beside the spot."""
    coloured = [seen for seen in found if seen.face.atom in solid.spots]
    round_faces = [sides(part) for seen in coloured for part in seen.parts]
    spots = [seen.spot(_ring(seen)) for seen in coloured]
    plain = [seen for seen in found if seen.face.atom not in solid.spots]
    for candidates, walls in ((plain, round_faces), (coloured, [sides(s) for s in spots])):
        planes: dict[Key, list[Reals]] = defaultdict(list)
        inks = {}
        for seen in candidates:
            planes[key(seen.face.normal[None])] += seen.parts
            inks[key(seen.face.normal[None])] = ink(face_colour(solid.colour, seen.face.normal))
        best: tuple[NamePlace, str] | None = None
        for direction, parts in sorted(planes.items(), key=lambda plane: -sum(map(area, plane[1]))):
            points, middle = places(parts)
            points = points[~np.any([inside(points, s) for s in spots], axis=0)] if spots else points
            place = place_for(solid.name, points, np.concatenate([outlines, *walls]), middle)
            if place and (best is None or place.size > best[0].size):
                best = place, inks[direction]
            if best and best[0].size == LARGEST:
                break
        if best:
            return text(best[0].x, best[0].y, solid.name, best[0].size, fill=best[1])
    return ""
