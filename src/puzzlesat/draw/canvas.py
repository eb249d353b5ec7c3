"""Where the atoms of a form lie in its pictures: one coordinate system in pixels, y downwards, layers of space side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from puzzlesat.arrays import Reals
from puzzlesat.draw.geometry import BALL, FACE, HIDDEN, SEGMENT, Point, Shapes, ball_radius, shapes
from puzzlesat.draw.seams import beyond, seams
from puzzlesat.draw.svg import LINE
from puzzlesat.grid.lattice import AtomId, Grid
from puzzlesat.puzzle.data import Puzzle

SIDE, MARKED_SIDE, EDGE, DIAMETER = 40.0, 68.0, 56.0, 40.0
"""Pixels: the square root of the area of a mean face, with and without marks or slots on its sides; an edge; a ball."""
STROKE = 0.2
"""How broad a tile of edges is, in lengths of the shortest edge."""
LINK = 0.45
"""How broad the link between two balls is, in diameters."""
ROOMY, SMALLEST = 64, 0.5
"""Forms of more atoms (in space a quarter of it in one layer) are drawn smaller, down to this share."""
FRAME = 320.0
"""Pixels: the longer side of a layer of a form in space, at most."""
WIDEST = 1100.0
"""Pixels: layers go into several rows beyond this."""
GAP = 16.0
ARROWS = 0.7
"""The room round a form that wraps around for the arrows of its seams, in sides of an atom."""


@dataclass(frozen=True, eq=False)
class Canvas:
    """The coordinate system of the pictures of a form."""

    grid: Grid
    shapes: Shapes
    factor: float
    """Pixels of one unit of length of the Gram matrix."""
    unit: float
    """Pixels: about the side of an atom."""
    line: float
    """Pixels: how broad lines are that stand for edges, or for links of balls."""
    radius: float
    """Pixels: of a ball."""
    origin: Point
    """The point from which all are counted before they become floats: it may be far away."""
    shifts: Mapping[int, tuple[float, float]]
    """What to add to the points of each layer, by its height, lowest first."""
    corners_of_layers: Mapping[int, tuple[float, float]]
    """The top left corner of each layer."""
    frame: tuple[float, float]
    """Width and height of a layer."""
    width: float
    height: float

    def place(self, points: Sequence[Point], height: int) -> Reals:
        """Return points of a layer in pixels."""
        return _flat(self.shapes, points, self.origin) * [self.factor, -self.factor] + self.shifts[height]

    def corners(self, atom: AtomId, height: int | None = None) -> Reals:
        """Return the corners of an atom in pixels, in one of its layers or in its first."""
        height = self.shapes.heights(atom)[0] if height is None else height
        return self.place(self.shapes.corners(atom, height), height)


@cache
def canvas(puzzle: Puzzle) -> Canvas:
    """Return the coordinate system of all pictures of the form of a puzzle: atoms are smaller in larger forms."""
    factor, _ = pixels(puzzle.grid)
    known = shapes(puzzle.grid)
    main = [a for a in puzzle.form.atoms if known.drawn(a) == known.of[0].drawn]
    layers = Counter(height for a in main for height in known.heights(a))
    smaller = min(1.0, max(SMALLEST, ((ROOMY if len(layers) == 1 else ROOMY / 4) / max(layers.values())) ** 0.5))
    around = ARROWS if seams(puzzle) else 0.0
    shown = [*puzzle.form.atoms, *beyond(puzzle)]
    board = make_canvas(puzzle.grid, shown, factor=factor * smaller, around=around)
    if puzzle.grid.dimension == 3 and max(board.frame) > FRAME:
        return make_canvas(puzzle.grid, shown, factor=board.factor * FRAME / max(board.frame), around=around)
    return board


@cache
def pixels(grid: Grid) -> tuple[float, float]:
    """Return the pixels of a unit of length, and of the side of an atom, in pictures of a grid."""
    known = shapes(grid)
    cart = [(s, known.cartesian(corners)[:, :2]) for s in known.of for _, corners in s.sections]
    areas = [area(points) for s, points in cart if s.drawn == FACE]
    if areas:
        side = MARKED_SIDE if any(s.drawn == SEGMENT for s, _ in cart) else SIDE
        return side / float(np.sqrt(np.mean(areas))), side
    lengths = [float(np.linalg.norm(points[1] - points[0])) for s, points in cart if s.drawn == SEGMENT]
    if lengths:
        return EDGE / min(length for length in lengths if length > 0), EDGE
    return DIAMETER / (2 * ball_radius(grid)), DIAMETER


def area(points: Reals) -> float:
    """Return the area of a polygon."""
    x, y = points[:, 0], points[:, 1]
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)


def make_canvas(
    grid: Grid,
    atoms: Iterable[AtomId],
    *,
    factor: float | None = None,
    widest: float = WIDEST,
    around: float = 0.0,
    also: Iterable[Point] = (),
) -> Canvas:
    """Return a coordinate system in which the atoms have room, what sticks out of them, and further points.

    ``around`` is how much room there is beside all that, in sides of an atom.
    """
    known = shapes(grid)
    default, unit = pixels(grid)
    factor = factor or default
    unit *= factor / default
    drawn = [a for a in atoms if known.drawn(a) != HIDDEN]
    kinds = {known.drawn(a) for a in drawn}
    radius = ball_radius(grid) * factor if BALL in kinds else 0.0
    line = LINK * 2 * radius if BALL in kinds else STROKE * unit
    corners = [p for a in drawn for height in known.heights(a) for p in known.corners(a, height)] + list(also)
    points = _flat(known, corners, min(corners)) * [factor, -factor]
    low, high = points.min(axis=0), points.max(axis=0)
    noses = unit / 8 if FACE in kinds and any(s.drawn == SEGMENT for s in known.of) else 0.0
    room = max(radius, line / 2 if kinds == {SEGMENT} else 0.0, noses) + 2.0 + around * unit
    heights = sorted({height for a in drawn for height in known.heights(a)}) or [0]
    frame = (float(high[0] - low[0]) + 2 * room, float(high[1] - low[1]) + 2 * room)
    label = LINE if grid.dimension == 3 else 0.0
    places = _rows(len(heights), max(1, int((min(widest, 1e9) + GAP) // (frame[0] + GAP))))
    tops = {h: (x * (frame[0] + GAP), y * (frame[1] + label + GAP)) for h, (x, y) in zip(heights, places, strict=True)}
    shifts = {h: (x + room - float(low[0]), y + room - float(low[1])) for h, (x, y) in tops.items()}
    columns, rows = (1 + max(place[axis] for place in places) for axis in (0, 1))
    width, height = columns * (frame[0] + GAP) - GAP, rows * (frame[1] + label + GAP) - GAP
    return Canvas(grid, known, factor, unit, line, radius, min(corners), shifts, tops, frame, width, height)


def _rows(number: int, most: int) -> list[tuple[int, int]]:
    """The column and row of each of some layers, in as few rows as can be, as even as can be: none is left alone on the last."""
    rows = -(-number // most)
    each, longer = divmod(number, rows)
    return [(x, y) for y in range(rows) for x in range(each + (y < longer))]


def _flat(known: Shapes, points: Sequence[Point], origin: Point) -> Reals:
    """Points in Cartesian coordinates as they are seen from above, counted from a point that is one of them, or near them."""
    return known.cartesian([tuple(x - o for x, o in zip(p, origin, strict=True)) for p in points])[:, :2]
