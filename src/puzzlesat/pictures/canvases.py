"""Where the atoms of a form lie in its pictures: one coordinate system in pixels, y downwards, layers of space side by side.

A form that wraps around has seams: what lies beyond each, and which of its sides are the same side. In space each layer is treated as a
form in the plane; the names of layers say which of them lie beyond the highest and the lowest.
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
    """One of the two places at which a seam is seen: sides of the form, from the start of its arrow to the end."""

    sides: tuple[Side, ...]
    start: Point
    end: Point
    out: tuple[float, float]
    """A direction out of the form, in Cartesian coordinates, y upwards."""
    height: int
    """Of the layer in which it is seen; 0 in the plane."""


@dataclass(frozen=True)
class Seam:
    """What leaves the form at one edge enters it at the other, where the arrows agree."""

    letter: str
    edges: tuple[Edge, Edge]


@dataclass(frozen=True)
class SeamStep:
    """The motion that takes an atom of the form to the same atom beyond a seam, and what it does to points of drawings."""

    symmetry: Symmetry | None
    move: Point
    away: Point
    """What is added to a point after it was turned by the matrix."""

    def back(self, point: Point) -> Point:
        """Return the point that goes to this one; a mirror is its own inverse."""
        before = tuple(p - a for p, a in zip(point, self.away, strict=True))
        return before if self.symmetry is None else apply_matrix(self.symmetry.matrix, before)

    def __call__(self, atom: AtomId) -> AtomId:
        """Return where an atom of the form, or a side of one, is seen again."""
        turned = atom if self.symmetry is None else self.symmetry(atom)
        return (*(c + m for c, m in zip(turned[:-1], self.move, strict=True)), turned[-1])


@cache
def beyond(puzzle: Puzzle) -> Mapping[AtomId, AtomId]:
    """Return the atoms round the form, each with the atom of the form that is the same; none where nothing wraps around.

    In space they lie beside the form in its layers, and each atom must lie in one layer.
    """
    form, grid, known = puzzle.form, puzzle.grid, shapes(puzzle.grid)
    if form.wrap is None or (grid.dimension == 3 and not _in_layers(known)):
        return {}
    main = [a for a in form.atoms if grid.atoms[a[-1]].kind == grid.main_kind]
    corners = {p for a in main for p in known.corners(a)}
    heads = {n for a in main for n in grid.neighbours(a) if known.heights(n) == known.heights(a)} - form.atoms
    seen = set(heads)
    while heads:
        heads = {n for a in heads for n in grid.neighbours(a) if corners.intersection(known.corners(n))} - form.atoms - seen
        seen |= heads
    found = {a: form.locate(a) for a in sorted(seen, key=atom_order)}
    return {a: home for a, home in found.items() if home is not None}


def _in_layers(known: GridShapes) -> bool:
    """Whether each atom is drawn as a face of one layer."""
    return all(shape.drawn == FACE and len(shape.sections) == 1 for shape in known.of)


@cache
def layers_joined(puzzle: Puzzle) -> Mapping[int, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return by its height each layer of a form in space that a seam joins to others, with the heights of those below it and above it."""
    form, known = puzzle.form, shapes(puzzle.grid)
    if form.wrap is None or puzzle.grid.dimension != 3 or not _in_layers(known):
        return {}
    found: dict[int, tuple[set[int], set[int]]] = defaultdict(lambda: (set(), set()))
    for atom in form.atoms:
        for n in set(puzzle.grid.neighbours(atom)) - form.atoms:
            (here,), (there,), home = known.heights(atom), known.heights(n), form.locate(n)
            if home is not None and there != here:
                found[here][there > here].add(known.heights(home)[0])
    return {height: (tuple(sorted(below)), tuple(sorted(above))) for height, (below, above) in sorted(found.items())}


@cache
def steps_beyond(puzzle: Puzzle) -> Mapping[SeamStep, tuple[AtomId, ...]]:
    """Return the motions that take atoms of the form beyond a seam, each with the atoms beyond that it leads to."""
    found: dict[SeamStep, list[AtomId]] = defaultdict(list)
    for atom, home in beyond(puzzle).items():
        found[_step(puzzle, home, atom)].append(atom)
    return {step: tuple(atoms) for step, atoms in found.items()}


def _step(puzzle: Puzzle, home: AtomId, atom: AtomId) -> SeamStep:
    """The motion of the wrap that takes one atom to another."""
    wrap, known = puzzle.form.wrap, shapes(puzzle.grid)
    assert wrap is not None
    for sheet in wrap.sheets:
        image = home if sheet is None else sheet(home)
        move = tuple(x - y for x, y in zip(atom[:-1], image[:-1], strict=True))
        if image[-1] != atom[-1] or not wrap.has_translation(move):
            continue
        symmetry = None if sheet is None else sheet.symmetry
        whole = move if sheet is None else tuple(m + s for m, s in zip(move, sheet.move, strict=True))
        before, after = ([sum(axis) for axis in zip(*known.corners(a), strict=True)] for a in (home, atom))
        turned = before if symmetry is None else apply_matrix(symmetry.matrix, tuple(before))
        number = len(known.corners(atom))
        return SeamStep(symmetry, whole, tuple((a - t) // number for a, t in zip(after, turned, strict=True)))
    raise AssertionError(f"{atom} is not {home}")


@cache
def seams(puzzle: Puzzle) -> tuple[Seam, ...]:
    """Return the seams of a form of faces, lettered as mathematicians do; those that look alike in several layers share a letter."""
    known, done = shapes(puzzle.grid), set[Side]()
    found: list[Seam] = []
    letters: dict[tuple[frozenset[tuple[Point, ...]], ...], str] = {}
    for step, sides in _sides(puzzle).items():
        for run in _runs(sorted(sides)):
            if done.intersection(run):
                continue
            partner = {_side(step.back(p), step.back(q)) for p, q in run}
            done.update(run, partner)
            ends = sorted(point for side in run for point in side)
            one = (ends[0], ends[-1])
            other = (step.back(ends[0]), step.back(ends[-1]))
            there = {side: out for each in _sides(puzzle).values() for side, out in each.items() if side in partner}
            edges = (_edge(known, run, one, sides), _edge(known, sorted(partner), other, there))
            alike = tuple(frozenset(tuple(p[:2] for p in side) for side in edge.sides) for edge in edges)
            own = alike if edges[0].height == edges[1].height else (*alike, frozenset({(edges[0].start,)}))
            found.append(Seam(letters.setdefault(own, ascii_lowercase[len(letters) % 26]), edges))
    return tuple(found)


def _sides(puzzle: Puzzle) -> dict[SeamStep, dict[Side, tuple[AtomId, AtomId]]]:
    """By the motion that leads beyond them the sides of the form at its seams, each with the atoms within and beyond."""
    known, form = shapes(puzzle.grid), puzzle.form
    found: dict[SeamStep, dict[Side, tuple[AtomId, AtomId]]] = {}
    for step, atoms in steps_beyond(puzzle).items():
        for atom in atoms:
            if known.drawn(atom) != FACE:
                continue
            for inner in form.atoms.intersection(puzzle.grid.neighbours(atom)):
                if known.heights(inner) != known.heights(atom):
                    continue
                common = set(known.corners(atom)) & set(known.corners(inner))
                found.setdefault(step, {})[_side(*common)] = (inner, atom)
    return found


def _side(a: Point, b: Point) -> Side:
    return (a, b) if a < b else (b, a)


def _runs(sides: Sequence[Side]) -> list[list[Side]]:
    """Sides that hang together, end to end."""
    runs: list[list[Side]] = []
    for side in sides:
        touched = [run for run in runs if any(set(side) & set(other) for other in run)]
        runs = [run for run in runs if run not in touched]
        runs.append([*(other for run in touched for other in run), side])
    return [sorted(run) for run in runs]


def _edge(known: GridShapes, run: Sequence[Side], ends: Side, atoms: Mapping[Side, tuple[AtomId, AtomId]]) -> Edge:
    """A run of sides with its arrow, and the direction across it, square to the arrow."""
    start, end = known.cartesian(ends)[:, :2]
    inner, outer = (np.mean([known.cartesian(known.corners(atoms[side][i])).mean(axis=0)[:2] for side in run], axis=0) for i in (0, 1))
    along = (end - start) / np.linalg.norm(end - start)
    out = (outer - inner) - np.dot(outer - inner, along) * along
    x, y = out / np.linalg.norm(out)
    return Edge(tuple(run), *ends, (float(x), float(y)), known.heights(atoms[run[0]][0])[0])


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
    shapes: GridShapes
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


def _flat(known: GridShapes, points: Sequence[Point], origin: Point) -> Reals:
    """Points in Cartesian coordinates as they are seen from above, counted from a point that is one of them, or near them."""
    return known.cartesian([tuple(x - o for x, o in zip(p, origin, strict=True)) for p in points])[:, :2]
