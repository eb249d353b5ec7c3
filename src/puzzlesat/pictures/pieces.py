"""The drawing of a piece (atoms with their marks) on a canvas, as SVG paths."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import combinations

import numpy as np

from puzzlesat.base import Reals
from puzzlesat.pictures.bodies import inside
from puzzlesat.pictures.canvases import Canvas
from puzzlesat.pictures.geometry import BALL, FACE, SEGMENT, Loop, Point, outline, shapes
from puzzlesat.pictures.palette import ink, mark_colours, mark_kind
from puzzlesat.pictures.svg import disc, number, path
from puzzlesat.puzzles import AtomId, Grid, Mark, Puzzle, translate

NOSE = ((0.25, 0.0), (0.34, 0.18), (0.66, 0.18), (0.75, 0.0))
"""Corners of a nose on a slot, relative to the slot's length: along it and out of it. Noses at a corner of 60 degrees do not meet."""
SHORT = 0.24
"""Gap between a tile of edges and its free ends, where other tiles begin, as a share of the edge."""
BEND = 0.36
"""Share of each of two edges that their rounded bend replaces."""


BETWEEN = (0.5, 0.7)
"""Places for a name, as shares of the way from the middle of a face to its corners."""
ROOM = 0.3
"""Smallest radius for a name in a piece with an outline of its own, in sides of an atom."""
WEDGE = 0.55
"""Extent of a mark, as a share of the way from its side to the middle of the face."""


@dataclass(frozen=True)
class MarkDrawing:
    """A mark: its part of the face, and the strokes of the sign of its half."""

    name: str
    area: str
    sign: str

    def element(self, puzzle: Puzzle) -> str:
        """Return the element of the mark on a piece, in its colour."""
        name, sign = mark_kind(puzzle.mates, self.name)
        colour = mark_colours(puzzle)[name]
        ring = f'stroke="{OUTLINE}" stroke-width="0.5"' if self.name in puzzle.mates else 'stroke="#ffffff" stroke-width="1.6"'
        drawn = f'<path d="{self.area}" fill="{colour}" {ring}><title>{escape(self.name)}</title></path>'
        return drawn + (f'<path d="{self.sign}" stroke="{ink(colour)}" stroke-width="2.2" fill="none"/>' if sign else "")


@dataclass(frozen=True)
class Label:
    """A place for a name: the largest circle inside a connected part of the piece."""

    x: float
    y: float
    radius: float
    under: str = ""
    """The mark under the label, if any."""


@dataclass(frozen=True)
class PieceDrawing:
    """A piece as paths: closed ones to fill (even-odd) and outline, open ones to draw as broad lines, marks, and places for its name."""

    area: str
    lines: str
    marks: tuple[MarkDrawing, ...]
    labels: tuple[Label, ...]


def draw_piece(canvas: Canvas, atoms: Sequence[AtomId], marks: Sequence[Mark] = ()) -> PieceDrawing:
    """Return the drawing of atoms as one piece; in space, of its section in each layer."""
    layers = draw_layers(canvas, atoms, marks).values()
    return PieceDrawing(
        "".join(layer.area for layer in layers),
        "".join(layer.lines for layer in layers),
        tuple(_mark(canvas, m) for m in marks),
        tuple(label for layer in layers for label in layer.labels),
    )


def draw_layers(canvas: Canvas, atoms: Sequence[AtomId], marks: Sequence[Mark] = ()) -> dict[int, PieceDrawing]:
    """Return the drawing of each section of a piece by its height, with the marks in the first layer of their faces."""
    marked = [_spot(canvas, m) if m.is_colour else _wedge(canvas, m) for m in marks]
    coloured = {m.face for m in marks}
    found = {}
    for height, layer in _layers(canvas, atoms).items():
        areas: list[str] = []
        lines: list[str] = []
        labels: list[Label] = []
        faces, segments, balls = ([a for a in layer if canvas.shapes.drawn(a) == kind] for kind in (FACE, SEGMENT, BALL))
        slots = noses_and_notches(canvas.grid, faces, set(layer))
        borders = face_borders(canvas, faces, slots, height)
        areas += [path(border) for border in borders]
        polygons = [[canvas.corners(a, height) for a in part] for part in _parts(canvas, faces, height)]
        labels += [label for part in polygons if (label := _label(part, borders, marked, 0.5 * canvas.unit)) is not None]
        free = [s for s in segments if frozenset(canvas.shapes.corners(s)) not in slots]
        if free:
            lines.append(_edges(canvas, free))
            labels += [_label_on_edge(canvas, part) for part in _parts(canvas, free, height)]
        if balls:
            border, parts = _joined(canvas, balls)
            areas.append(border)
            labels += [_label_on_ball(canvas, [b for b in part if b not in coloured] or part) for part in parts]
        here = tuple(_mark(canvas, m) for m in marks if canvas.shapes.heights(m.face)[0] == height)
        found[height] = PieceDrawing("".join(areas), "".join(lines), here, tuple(labels))
    return found


def draw_outline(canvas: Canvas, corners: Sequence[tuple[float, float]]) -> PieceDrawing:
    """Return the drawing of a plane piece from its corners in lattice coordinates."""
    x, y = canvas.shifts[0]
    origin = np.array(canvas.origin) / canvas.shapes.scale
    border = (np.array(corners) - origin) @ canvas.shapes.basis * [canvas.factor, -canvas.factor] + [x, y]
    label = _label([border], [border], [], 0.5 * canvas.unit)
    return PieceDrawing(path(border), "", (), () if label is None or label.radius < ROOM * canvas.unit else (label,))


def face_borders(canvas: Canvas, faces: Sequence[AtomId], slots: dict[frozenset[Point], int], height: int = 0) -> list[Reals]:
    """Return the loops round faces of one layer in pixels, with a nose (1) or a notch (-1) at each slot on them."""
    if not faces:
        return []
    loops = outline([canvas.shapes.corners(a, height) for a in faces], [p for slot in slots for p in slot])
    return [_with_noses(canvas.place(loop, height), loop, slots) for loop in loops]


def _with_noses(points: Reals, loop: Loop, slots: dict[frozenset[Point], int]) -> Reals:
    if not slots:
        return points
    found: list[Reals] = []
    for i, p in enumerate(points):
        found.append(p)
        j = (i + 1) % len(points)
        if side := slots.get(frozenset((loop[i], loop[j])), 0):
            found += nose(p, points[j], side)
    return np.array(found)


def nose(a: Reals, b: Reals, side: int) -> list[Reals]:
    """Return the corners of a nose on a side with the inside to its left (y upwards); -1: of a notch."""
    along = b - a
    out = np.array([-along[1], along[0]]) * side
    return [a + x * along + y * out for x, y in NOSE]


@cache
def _slots_of(grid: Grid, number: int) -> tuple[AtomId, ...]:
    """The atoms on the sides of a face of cell 0 that tiles cover."""
    face = (*([0] * grid.dimension), number)
    return tuple(s for s in grid.sides_of(face) if grid.atoms[s[-1]].role == "cover")


def slots_round(grid: Grid, faces: Iterable[AtomId]) -> list[AtomId]:
    """Return the slots on the sides of faces."""
    return list(dict.fromkeys(translate(s, face[:-1]) for face in faces for s in _slots_of(grid, face[-1])))


def noses_and_notches(grid: Grid, faces: Sequence[AtomId], covered: set[AtomId]) -> dict[frozenset[Point], int]:
    """Map each slot on the sides of faces, as its corners, to 1 if it is covered (a nose), else to -1 (a notch)."""
    return {frozenset(shapes(grid).corners(s)): 1 if s in covered else -1 for s in slots_round(grid, faces)}


def _layers(canvas: Canvas, atoms: Sequence[AtomId]) -> dict[int, list[AtomId]]:
    layers: dict[int, list[AtomId]] = defaultdict(list)
    for atom in atoms:
        for height in canvas.shapes.heights(atom):
            layers[height].append(atom)
    return layers


def _parts(canvas: Canvas, atoms: Sequence[AtomId], height: int) -> list[list[AtomId]]:
    """The connected parts of a piece in a layer: faces that share a side, edges that share an end.

    A form that wraps around may cut a piece, and so may the layers. In the plane the grid knows which faces share a side: two bricks that
    share half a side have only one drawn corner in common, because the middle of a straight side is not a corner of the drawing.
    """
    if not atoms:
        return []
    side = 1 if canvas.shapes.drawn(atoms[0]) == SEGMENT else 2
    at: dict[Point, list[AtomId]] = defaultdict(list)
    for atom in atoms:
        for corner in canvas.shapes.corners(atom, height):
            at[corner].append(atom)
    common = Counter(pair for there in at.values() for pair in combinations(there, 2))
    from networkx import Graph, connected_components  # takes 0.1 s to import

    graph = Graph(pair for pair, corners in common.items() if corners >= side)
    graph.add_nodes_from(atoms)
    if side == 2 and canvas.grid.dimension == 2:
        graph.add_edges_from((atom, other) for atom in atoms for other in canvas.grid.neighbours(atom) if other in graph)
    return [sorted(part) for part in connected_components(graph)]


def _label(polygons: Sequence[Reals], borders: Sequence[Reals], marked: Sequence[Reals], enough: float) -> Label | None:
    """Choose a place for a name: farthest from the border and from marks, and among places with enough room nearest to the middle.

    None if marks cover all candidates, as four marks and a colour do on a square. Candidates are the means of the polygons, corners,
    middles of sides, and points at the shares ``BETWEEN`` of the way from means to corners.
    """
    means = [p.mean(axis=0) for p in polygons]
    points = np.concatenate([means, *polygons, *((p + p[np.arange(len(p)) - 1]) / 2 for p in polygons)])
    points = np.concatenate([points, *(m + share * (p - m) for m, p in zip(means, polygons, strict=True) for share in BETWEEN)])
    points = points[~np.any([inside(points, mark) for mark in marked], axis=0)] if marked else points
    if not len(points):
        return None
    walls = [*borders, *marked]
    starts = np.concatenate(walls)
    ends = np.concatenate([np.concatenate([b[1:], b[:1]]) for b in walls])
    along = ends - starts
    squares = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(((points[:, None] - starts) * along).sum(axis=2) / squares, 0, 1)
    distance = np.linalg.norm(points[:, None] - starts - share[..., None] * along, axis=2).min(axis=1)
    middle = np.mean(means, axis=0)
    room = np.minimum(np.round(distance, 3), enough)
    best = np.lexsort((np.linalg.norm(points - middle, axis=1).round(3), -room))[0]
    return Label(float(points[best, 0]), float(points[best, 1]), float(room[best]))


def _edges(canvas: Canvas, segments: Sequence[AtomId]) -> str:
    """Lines through the edges of a piece: shortened at free ends, rounded where two edges meet, straight through where more meet."""
    grid_shapes = canvas.shapes
    at: dict[Point, list[tuple[Point, int]]] = defaultdict(list)
    for s in segments:
        a, b = grid_shapes.corners(s)
        at[a].append((b, grid_shapes.heights(s)[0]))
        at[b].append((a, grid_shapes.heights(s)[0]))
    found = []
    for s in segments:
        a, b = grid_shapes.corners(s)
        p, q = canvas.corners(s)
        start, end = (p if len(at[a]) > 2 else p + _cut(at[a]) * (q - p)), (q if len(at[b]) > 2 else q + _cut(at[b]) * (p - q))
        found.append(path([start, end], closed=False))
    for corner, ends in at.items():
        if len(ends) == 2:
            (a, height), (b, _) = ends
            p, middle, q = canvas.place([a, corner, b], height)
            p, q = middle + BEND * (p - middle), middle + BEND * (q - middle)
            numbers = " ".join(number(x) for point in (middle, q) for x in point)
            found.append(f"M{number(p[0])} {number(p[1])}Q{numbers}")
    return "".join(found)


def _cut(ends: Sequence[object]) -> float:
    return SHORT if len(ends) == 1 else BEND


def _label_on_edge(canvas: Canvas, part: Sequence[AtomId]) -> Label:
    middles = np.array([canvas.corners(s).mean(axis=0) for s in part])
    x, y = middles[np.linalg.norm(middles - middles.mean(axis=0), axis=1).round(3).argmin()]
    return Label(float(x), float(y), 0.55 * canvas.line)


def _joined(canvas: Canvas, balls: Sequence[AtomId]) -> tuple[str, list[list[AtomId]]]:
    """The border round balls and the links between touching balls, as one line; and the connected parts."""
    from networkx import Graph, connected_components  # takes 0.1 s to import

    centres = {b: canvas.corners(b)[0] for b in balls}
    graph = Graph()
    graph.add_nodes_from(balls)
    graph.add_edges_from((a, b) for a, b in combinations(balls, 2) if np.linalg.norm(centres[a] - centres[b]) < 2.01 * canvas.radius)
    links = {a: sorted((float(np.arctan2(*(centres[b] - centres[a])[::-1])), b) for b in graph[a]) for a in balls}
    half = float(np.arcsin(canvas.line / 2 / canvas.radius))
    found = [disc(centres[a], canvas.radius) for a in balls if not links[a]]
    arcs = [(a, b) for a in balls for _, b in links[a]]  # the arc of a ball begins where its link to another ball ends
    left = set(arcs)
    for first in arcs:
        a, b = first
        loop = ""
        while (a, b) in left:
            left.remove((a, b))
            at = next(i for i, (_, other) in enumerate(links[a]) if other == b)
            (start, _), (end, onto) = links[a][at], links[a][(at + 1) % len(links[a])]
            span = ((end - start - 1e-9) % (2 * np.pi)) - 2 * half
            p, q = (centres[a] + canvas.radius * np.array([np.cos(t), np.sin(t)]) for t in (start + half, end - half))
            r = number(canvas.radius)
            loop += f"{'L' if loop else 'M'}{number(p[0])} {number(p[1])}A{r} {r} 0 {int(span > np.pi)} 1 {number(q[0])} {number(q[1])}"
            a, b = onto, a
        found += [f"{loop}Z"] if loop else []
    return "".join(found), [sorted(part) for part in connected_components(graph)]


def _label_on_ball(canvas: Canvas, part: Sequence[AtomId]) -> Label:
    centres = np.array([canvas.corners(b)[0] for b in part])
    x, y = centres[np.linalg.norm(centres - centres.mean(axis=0), axis=1).round(3).argmin()]
    return Label(float(x), float(y), 0.8 * canvas.radius)


def _mark(canvas: Canvas, mark: Mark) -> MarkDrawing:
    """A wedge from the side towards the middle of the face, with a plus or minus for halves; a disc for the colour of an atom."""
    if mark.is_colour:
        return MarkDrawing(mark.name, path(_spot(canvas, mark)), "")
    wedge = _wedge(canvas, mark)
    return MarkDrawing(mark.name, path(wedge), _sign(wedge.mean(axis=0), 0.09 * canvas.unit, mark.name[-1]))


def _spot(canvas: Canvas, mark: Mark) -> Reals:
    atom = canvas.corners(mark.face)
    radius = 0.35 * canvas.radius if len(atom) == 1 else 0.14 * canvas.unit if len(atom) > 2 else 0.3 * canvas.line
    angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    circle: Reals = atom.mean(axis=0) + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return circle


def _wedge(canvas: Canvas, mark: Mark) -> Reals:
    side, middle = canvas.corners(mark.side), canvas.corners(mark.face).mean(axis=0)
    return np.concatenate([side, side[::-1] + WEDGE * (middle - side[::-1])])


def _sign(middle: Reals, arm: float, sign: str) -> str:
    """A plus or a minus as lines."""
    if sign not in "+-":
        return ""
    arms = [np.array([arm, 0.0]), np.array([0.0, arm])][: 2 if sign == "+" else 1]
    return "".join(path([middle - way, middle + way], closed=False) for way in arms)


OUTLINE, OUTLINE_WIDTH = "#222222", 2.0
