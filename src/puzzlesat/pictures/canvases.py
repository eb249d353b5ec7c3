"""Places of a form's atoms in its pictures: one coordinate system in pixels, y downwards, layers of space side by side.

A form that wraps around has seams. A seam knows the atoms beyond it and the pairs of sides that are identified. In space each layer is
treated as a form in the plane; captions name the layers beyond the highest and the lowest layer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from string import ascii_lowercase

import numpy as np

from puzzlesat.base import Reals
from puzzlesat.pictures.geometry import BALL, FACE, HIDDEN, SEGMENT, GridShapes, Point, ball_radius, shapes
from puzzlesat.pictures.svg import LINE
from puzzlesat.puzzles import AtomId, Grid, Puzzle, Symmetry, apply_matrix, atom_order

Side = tuple[Point, Point]


@dataclass(frozen=True)
class Edge:
    """One of the two places of a seam: sides of the form, from the start of its arrow to the end."""

    sides: tuple[Side, ...]
    start: Point
    end: Point
    out: tuple[float, float]
    """A direction out of the form, in Cartesian coordinates, y upwards."""
    height: int
    """Height of the layer with the edge; 0 in the plane."""


@dataclass(frozen=True)
class Seam:
    """Two edges of the form that are identified: leaving the form at one means entering it at the other, where the arrows agree."""

    letter: str
    edges: tuple[Edge, Edge]


@dataclass(frozen=True)
class SeamStep:
    """The motion that maps an atom of the form to its copy beyond a seam, and its effect on points of drawings."""

    symmetry: Symmetry | None
    move: Point
    away: Point
    """Vector added to a point after multiplication by the matrix."""

    def back(self, point: Point) -> Point:
        """Return the preimage of a point. A mirror is its own inverse."""
        before = tuple(p - a for p, a in zip(point, self.away, strict=True))
        return before if self.symmetry is None else apply_matrix(self.symmetry.matrix, before)

    def __call__(self, atom: AtomId) -> AtomId:
        """Return the copy of an atom of the form, or of an atom on its side."""
        turned = atom if self.symmetry is None else self.symmetry(atom)
        return (*(c + m for c, m in zip(turned[:-1], self.move, strict=True)), turned[-1])


@cache
def beyond(puzzle: Puzzle) -> Mapping[AtomId, AtomId]:
    """Return the atoms round the form, each with the identical atom of the form; an empty mapping if nothing wraps around.

    In space they lie beside the form in its layers, and each atom must lie in one layer.
    """
    form, grid, grid_shapes = puzzle.form, puzzle.grid, shapes(puzzle.grid)
    if form.wrap is None or (grid.dimension == 3 and not _in_layers(grid_shapes)):
        return {}
    main = [a for a in form.atoms if grid.atoms[a[-1]].kind == grid.main_kind]
    corners = {p for a in main for p in grid_shapes.corners(a)}
    heads = {n for a in main for n in grid.neighbours(a) if grid_shapes.heights(n) == grid_shapes.heights(a)} - form.atoms
    seen = set(heads)
    while heads:
        heads = {n for a in heads for n in grid.neighbours(a) if corners.intersection(grid_shapes.corners(n))} - form.atoms - seen
        seen |= heads
    found = {a: form.locate(a) for a in sorted(seen, key=atom_order)}
    return {a: home for a, home in found.items() if home is not None}


def _in_layers(grid_shapes: GridShapes) -> bool:
    """Return whether each atom is drawn as a face in one layer."""
    return all(shape.drawn == FACE and len(shape.sections) == 1 for shape in grid_shapes.of)


@cache
def layers_joined(puzzle: Puzzle) -> Mapping[int, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Map the height of each layer of a form in space with seams to the heights of the next layers below and above."""
    form, grid_shapes = puzzle.form, shapes(puzzle.grid)
    if form.wrap is None or puzzle.grid.dimension != 3 or not _in_layers(grid_shapes):
        return {}
    found: dict[int, tuple[set[int], set[int]]] = defaultdict(lambda: (set(), set()))
    for atom in form.atoms:
        for n in set(puzzle.grid.neighbours(atom)) - form.atoms:
            (here,), (there,), home = grid_shapes.heights(atom), grid_shapes.heights(n), form.locate(n)
            if home is not None and there != here:
                found[here][there > here].add(grid_shapes.heights(home)[0])
    return {height: (tuple(sorted(below)), tuple(sorted(above))) for height, (below, above) in sorted(found.items())}


@cache
def steps_beyond(puzzle: Puzzle) -> Mapping[SeamStep, tuple[AtomId, ...]]:
    """Return the motions that map atoms of the form beyond a seam, each with the resulting atoms."""
    found: dict[SeamStep, list[AtomId]] = defaultdict(list)
    for atom, home in beyond(puzzle).items():
        found[_step(puzzle, home, atom)].append(atom)
    return {step: tuple(atoms) for step, atoms in found.items()}


def _step(puzzle: Puzzle, home: AtomId, atom: AtomId) -> SeamStep:
    """The motion of the wrap that maps one atom to another."""
    wrap, grid_shapes = puzzle.form.wrap, shapes(puzzle.grid)
    assert wrap is not None
    for sheet in wrap.sheets:
        image = home if sheet is None else sheet(home)
        move = tuple(x - y for x, y in zip(atom[:-1], image[:-1], strict=True))
        if image[-1] != atom[-1] or not wrap.has_translation(move):
            continue
        symmetry = None if sheet is None else sheet.symmetry
        translation = move if sheet is None else tuple(m + s for m, s in zip(move, sheet.move, strict=True))
        before, after = ([sum(axis) for axis in zip(*grid_shapes.corners(a), strict=True)] for a in (home, atom))
        turned = before if symmetry is None else apply_matrix(symmetry.matrix, tuple(before))
        number = len(grid_shapes.corners(atom))
        return SeamStep(symmetry, translation, tuple((a - t) // number for a, t in zip(after, turned, strict=True)))
    raise AssertionError(f"{atom} is not {home}")


@cache
def seams(puzzle: Puzzle) -> tuple[Seam, ...]:
    """Return the seams of a form of faces, lettered as in topology; seams that look alike in several layers share a letter."""
    grid_shapes, done = shapes(puzzle.grid), set[Side]()
    found: list[Seam] = []
    letters: dict[tuple[frozenset[tuple[Point, ...]], ...], str] = {}
    for step, sides in _sides(puzzle).items():
        for run in _runs(sorted(sides)):
            if done.intersection(run):
                continue
            partner = {_side(step.back(p), step.back(q)) for p, q in run}
            done.update(run, partner)
            ends = sorted(point for side in run for point in side)
            own_ends = (ends[0], ends[-1])
            other = (step.back(ends[0]), step.back(ends[-1]))
            there = {side: out for sides_of_step in _sides(puzzle).values() for side, out in sides_of_step.items() if side in partner}
            edges = (_edge(grid_shapes, run, own_ends, sides), _edge(grid_shapes, sorted(partner), other, there))
            alike = tuple(frozenset(tuple(p[:2] for p in side) for side in edge.sides) for edge in edges)
            own = alike if edges[0].height == edges[1].height else (*alike, frozenset({(edges[0].start,)}))
            found.append(Seam(letters.setdefault(own, ascii_lowercase[len(letters) % 26]), edges))
    return tuple(found)


def _sides(puzzle: Puzzle) -> dict[SeamStep, dict[Side, tuple[AtomId, AtomId]]]:
    """The sides of the form at its seams, by the motion beyond them, each with the atoms inside and beyond."""
    grid_shapes, form = shapes(puzzle.grid), puzzle.form
    found: dict[SeamStep, dict[Side, tuple[AtomId, AtomId]]] = {}
    for step, atoms in steps_beyond(puzzle).items():
        for atom in atoms:
            if grid_shapes.drawn(atom) != FACE:
                continue
            for inner in form.atoms.intersection(puzzle.grid.neighbours(atom)):
                if grid_shapes.heights(inner) != grid_shapes.heights(atom):
                    continue
                common = set(grid_shapes.corners(atom)) & set(grid_shapes.corners(inner))
                found.setdefault(step, {})[_side(*common)] = (inner, atom)
    return found


def _side(a: Point, b: Point) -> Side:
    return (a, b) if a < b else (b, a)


def _runs(sides: Sequence[Side]) -> list[list[Side]]:
    """Maximal chains of sides that share ends."""
    runs: list[list[Side]] = []
    for side in sides:
        touched = [run for run in runs if any(set(side) & set(other) for other in run)]
        runs = [run for run in runs if run not in touched]
        runs.append([*(other for run in touched for other in run), side])
    return [sorted(run) for run in runs]


def _edge(grid_shapes: GridShapes, run: Sequence[Side], ends: Side, atoms: Mapping[Side, tuple[AtomId, AtomId]]) -> Edge:
    """A chain of sides with its arrow, and the outward direction perpendicular to the arrow."""
    start, end = grid_shapes.cartesian(ends)[:, :2]
    inner, outer = (
        np.mean([grid_shapes.cartesian(grid_shapes.corners(atoms[side][i])).mean(axis=0)[:2] for side in run], axis=0) for i in (0, 1)
    )
    along = (end - start) / np.linalg.norm(end - start)
    out = (outer - inner) - np.dot(outer - inner, along) * along
    x, y = out / np.linalg.norm(out)
    return Edge(tuple(run), *ends, (float(x), float(y)), grid_shapes.heights(atoms[run[0]][0])[0])


SIDE, MARKED_SIDE, EDGE, DIAMETER = 40.0, 68.0, 56.0, 40.0
"""Pixels: the square root of the mean area of faces, with and without marks or slots on their sides; an edge; a ball's diameter."""
STROKE = 0.2
"""Breadth of a tile of edges, relative to the shortest edge."""
LINK = 0.45
"""Breadth of the link between two balls, relative to their diameter."""
ROOMY, SMALLEST = 64, 0.5
"""Number of atoms beyond which forms are drawn smaller (in space a quarter of this number in one layer), and the smallest scale."""
FRAME = 320.0
"""Largest length in pixels of the longer side of a layer of a form in space."""
WIDEST = 1100.0
"""Width in pixels beyond which layers are placed in several rows."""
GAP = 16.0
ARROWS = 0.7
"""Room for arrows round a form that wraps around, in sides of an atom."""


@dataclass(frozen=True, eq=False)
class Canvas:
    """The coordinate system of the pictures of a form."""

    grid: Grid
    shapes: GridShapes
    factor: float
    """Pixels for one unit of length of the Gram matrix."""
    unit: float
    """Approximate side of an atom in pixels."""
    line: float
    """Breadth in pixels of lines for edges, or for links between balls."""
    radius: float
    """Radius of a ball in pixels."""
    origin: Point
    """Reference point, subtracted from all points before they become floats, because the form may be far from the grid's origin."""
    shifts: Mapping[int, tuple[float, float]]
    """Vector added to the points of each layer, by its height, lowest first."""
    corners_of_layers: Mapping[int, tuple[float, float]]
    """Top left corner of each layer."""
    frame: tuple[float, float]
    """Width and height of a layer."""
    width: float
    height: float

    def place(self, points: Sequence[Point], height: int) -> Reals:
        """Return points of a layer in pixels."""
        return _flat(self.shapes, points, self.origin) * [self.factor, -self.factor] + self.shifts[height]

    def corners(self, atom: AtomId, height: int | None = None) -> Reals:
        """Return the corners of an atom in pixels, in one of its layers; default: its first."""
        height = self.shapes.heights(atom)[0] if height is None else height
        return self.place(self.shapes.corners(atom, height), height)


@cache
def canvas(puzzle: Puzzle) -> Canvas:
    """Return the coordinate system of all pictures of a puzzle's form. Atoms are smaller in larger forms."""
    factor, _ = pixels(puzzle.grid)
    grid_shapes = shapes(puzzle.grid)
    main = [a for a in puzzle.form.atoms if grid_shapes.drawn(a) == grid_shapes.of[0].drawn]
    layers = Counter(height for a in main for height in grid_shapes.heights(a))
    smaller = min(1.0, max(SMALLEST, ((ROOMY if len(layers) == 1 else ROOMY / 4) / max(layers.values())) ** 0.5))
    around = ARROWS if seams(puzzle) else 0.0
    shown = [*puzzle.form.atoms, *beyond(puzzle)]
    board = make_canvas(puzzle.grid, shown, factor=factor * smaller, around=around)
    if puzzle.grid.dimension == 3 and max(board.frame) > FRAME:
        return make_canvas(puzzle.grid, shown, factor=board.factor * FRAME / max(board.frame), around=around)
    return board


@cache
def pixels(grid: Grid) -> tuple[float, float]:
    """Return the pixels for a unit of length, and for the side of an atom, in pictures of a grid."""
    grid_shapes = shapes(grid)
    cart = [(s, grid_shapes.cartesian(corners)[:, :2]) for s in grid_shapes.of for _, corners in s.sections]
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
    """Return a coordinate system with room for the atoms, their noses, and further points.

    ``around`` is additional room on all sides, in sides of an atom.
    """
    grid_shapes = shapes(grid)
    default, unit = pixels(grid)
    factor = factor or default
    unit *= factor / default
    drawn = [a for a in atoms if grid_shapes.drawn(a) != HIDDEN]
    kinds = {grid_shapes.drawn(a) for a in drawn}
    radius = ball_radius(grid) * factor if BALL in kinds else 0.0
    line = LINK * 2 * radius if BALL in kinds else STROKE * unit
    corners = [p for a in drawn for height in grid_shapes.heights(a) for p in grid_shapes.corners(a, height)] + list(also)
    points = _flat(grid_shapes, corners, min(corners)) * [factor, -factor]
    low, high = points.min(axis=0), points.max(axis=0)
    noses = unit / 8 if FACE in kinds and any(s.drawn == SEGMENT for s in grid_shapes.of) else 0.0
    room = max(radius, line / 2 if kinds == {SEGMENT} else 0.0, noses) + 2.0 + around * unit
    heights = sorted({height for a in drawn for height in grid_shapes.heights(a)}) or [0]
    frame = (float(high[0] - low[0]) + 2 * room, float(high[1] - low[1]) + 2 * room)
    label = LINE if grid.dimension == 3 else 0.0
    places = _rows(len(heights), max(1, int((min(widest, 1e9) + GAP) // (frame[0] + GAP))))
    tops = {h: (x * (frame[0] + GAP), y * (frame[1] + label + GAP)) for h, (x, y) in zip(heights, places, strict=True)}
    shifts = {h: (x + room - float(low[0]), y + room - float(low[1])) for h, (x, y) in tops.items()}
    columns, rows = (1 + max(place[axis] for place in places) for axis in (0, 1))
    width, height = columns * (frame[0] + GAP) - GAP, rows * (frame[1] + label + GAP) - GAP
    return Canvas(grid, grid_shapes, factor, unit, line, radius, min(corners), shifts, tops, frame, width, height)


def _rows(number: int, most: int) -> list[tuple[int, int]]:
    """Column and row of each layer. The rows are as few and as equal as possible, so that no layer is alone in the last row."""
    rows = -(-number // most)
    columns, longer = divmod(number, rows)
    return [(x, y) for y in range(rows) for x in range(columns + (y < longer))]


def _flat(grid_shapes: GridShapes, points: Sequence[Point], origin: Point) -> Reals:
    """Points in Cartesian coordinates as seen from above, relative to ``origin``, which is one of them or near them."""
    return grid_shapes.cartesian([tuple(x - o for x, o in zip(p, origin, strict=True)) for p in points])[:, :2]
