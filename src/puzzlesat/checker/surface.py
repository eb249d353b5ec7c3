"""The surface of a form: the atoms that are the same across its seams, and the neighbours of its faces.

Two faces share a side if they have as many corners in common as the grid has dimensions, two edges if they have an end in common, and two
balls if they are nearest neighbours. Two faces meet at a point that is a corner of both. On a form that wraps around, a face may meet
itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations
from math import gcd
from operator import add, sub

from .grid import Atom, CheckedGrid, Point, back, determinant, nearest
from .seams import FLAT, Seams

Mark = tuple[Atom, Atom, str]
"""Side, face and name; the side of a colour is its face."""
Look = tuple[frozenset[Atom], frozenset[Mark]]
"""The atoms that a placement covers, and the marks that it shows."""
Crossing = tuple[tuple[Atom, ...], tuple[Atom, ...]]
"""Atoms that a tile runs through, and the atoms that it then covers."""


@dataclass(frozen=True, eq=False)
class Surface:
    """The surface on which tiles lie: the atoms of a form, its seams, and the crossings that tiles cover."""

    grid: CheckedGrid
    atoms: frozenset[Atom]
    seams: Seams = FLAT
    crossings: tuple[Crossing, ...] = ()
    """The crossings of the plane, at any place; none on a flat form, because its tiles include them."""
    spots: tuple[Atom, ...] = field(init=False)
    """The atoms of the form, and their images under the glide: every atom that is in the form is a translate of a spot."""
    _homes: Mapping[Atom, Atom] = field(init=False)
    _crossed: Mapping[Atom, list[tuple[frozenset[Atom], list[Atom | None]]]] = field(init=False)

    def __post_init__(self) -> None:
        spots = [(a, spot) for a in sorted(self.atoms) for (spot,) in self.seams.sheets(a)]
        object.__setattr__(self, "spots", tuple(spot for _, spot in spots))
        object.__setattr__(self, "_homes", {self.seams.reduced(spot): a for a, spot in spots})
        object.__setattr__(self, "_crossed", self._find_crossed())

    @property
    def wraps(self) -> bool:
        """True if the form has seams, so that several atoms are the same."""
        return bool(self.seams.translations)

    def home(self, atom: Atom) -> Atom | None:
        """Return the atom of the form that is the same as an atom; None if the atom lies outside."""
        return self._homes.get(self.seams.reduced(atom))

    def look(self, atoms: Sequence[Atom], marks: Iterable[Mark]) -> Look | None:
        """Return what a placement on some atoms of the form covers and shows; None if it overlaps itself or a crossing leaves the form.

        The marks may lie beyond the seams; their representatives are returned.
        """
        if not self.wraps:
            return frozenset(atoms), frozenset(marks)
        own = frozenset(atoms)
        crossings = {x for a in own for through, blocks in self._crossed.get(a, ()) if through <= own for x in blocks}
        # a crossing outside the form cannot be covered
        covered = own | {x for x in crossings if x is not None}
        if len(own) < len(atoms) or None in crossings:
            return None
        return covered, frozenset(self.settled(*mark) for mark in marks)

    def lying(self, atoms: Iterable[Atom], marks: Iterable[Mark]) -> Look | None:
        """Return the look in the form of a placement that may lie beyond the seams; None if it does not lie in the form."""
        homes = [self.home(a) for a in atoms]
        inside = [a for a in homes if a is not None]
        return self.look(inside, marks) if len(inside) == len(homes) else None

    def settled(self, side: Atom, face: Atom, name: str) -> Mark:
        """Return the representative of the marks that are the same across seams."""
        if not self.wraps:
            return side, face, name
        if side == face and (home := self.home(face)) is not None:
            return home, home, name
        return (*self.seams.settled(side, face), name)  # type: ignore[return-value]  # two atoms are settled as two

    @cached_property
    def round_points(self) -> list[frozenset[Atom]]:
        """The sets of faces of the form around the points where several faces meet."""
        found: dict[Point, set[Atom]] = defaultdict(set)
        for face in sorted(faces(self.grid, self.atoms)):
            for corner in self.grid.corners[face[-1]]:
                there = _corner(self.grid, corner, face)
                if there not in found:
                    found[there] = self._round(there)
        return list(dict.fromkeys(frozenset(there) for there in found.values() if len(there) > 1))

    @cached_property
    def crossroads(self) -> list[tuple[frozenset[Atom], frozenset[frozenset[Atom]]]]:
        """The faces of the form around each point, with the pairs of sticks that run straight through it."""
        grid = self.grid
        found: dict[tuple[frozenset[Atom], frozenset[frozenset[Atom]]], None] = {}
        for point in {_corner(grid, corner, face) for face in faces(grid, self.atoms) for corner in grid.corners[face[-1]]}:
            sticks = [face for face in grid.faces_with(frozenset([point])) if len(grid.corners[face[-1]]) == 2]
            rays = [(home, _ray(grid, face, point)) for face in sticks if (home := self.home(face)) is not None]
            ends = Counter(home for home, _ in rays)
            opposite = ((a, b) for (a, v), (b, w) in combinations(rays, 2) if v[0] * w[1] == v[1] * w[0] and _product(v, w) < 0)
            pairs = set(map(frozenset, opposite))
            straight = frozenset(pair for pair in pairs if sum(ends[a] for a in pair) == 2)
            found[frozenset(self._round(point)), straight] = None
        return list(found)

    @cached_property
    def sides(self) -> list[tuple[Atom, Atom]]:
        """The pairs of faces of the form that share a side."""
        grid = self.grid
        there = ((a, b) for a in sorted(faces(grid, self.atoms)) for b in map(self.home, beside(grid, a)) if b is not None and a < b)
        return list(dict.fromkeys(there))

    @cached_property
    def halves(self) -> list[tuple[frozenset[Atom], frozenset[Atom]]]:
        """The faces on both sides of each line (in space: plane) that contains a shared side and cuts no face of the form."""
        grid = self.grid
        corners = {a: [_corner(grid, c, a) for c in grid.corners[a[-1]]] for a in faces(grid, self.atoms)}
        found = []
        shared = (sorted({*corners[a]} & {*corners[b]}) for a, b in self.sides)
        for normal, height in {plane for points in shared if (plane := _plane(grid, points)) is not None}:
            above = {a: {_product(normal, x) > height for x in own if _product(normal, x) != height} for a, own in corners.items()}
            if all(len(where) == 1 for where in above.values()):
                low, high = (frozenset(a for a, where in above.items() if where == {side}) for side in (False, True))
                found.append((low, high))
        return found

    def at_border(self, atoms: frozenset[Atom]) -> bool:
        """Tell whether one of some faces has a side without a neighbouring face of the form."""
        return any(self.home(b) is None for a in faces(self.grid, atoms) for b in beside(self.grid, a))

    def turned(self, number: int, look: Look) -> Look:
        """Return the look of a placement after a symmetry of the form."""
        go, move = self.grid.symmetries[number], self._backs[number]
        return frozenset(go(a, move) for a in look[0]), frozenset((go(side, move), go(face, move), name) for side, face, name in look[1])

    @cached_property
    def _backs(self) -> list[Point]:
        """The translation that brings the form back, for each symmetry of the grid."""
        return [back(symmetry, self.atoms) for symmetry in self.grid.symmetries]

    def _round(self, point: Point) -> set[Atom]:
        """Return the faces of the form with a corner at a point of the plane, across seams too."""
        there = map(self.home, self.grid.faces_with(frozenset([point])))
        return {face for face in there if face is not None}

    def _find_crossed(self) -> dict[Atom, list[tuple[frozenset[Atom], list[Atom | None]]]]:
        """Return for each atom the crossings that a tile with it may cover; a crossing belongs to the first atom that it runs through."""
        found: dict[Atom, list[tuple[frozenset[Atom], list[Atom | None]]]] = defaultdict(list)
        still = (0,) * self.grid.dimension
        images = {
            (tuple(go(a, still) for a in through), tuple(go(b, still) for b in blocks))
            for through, blocks in self.crossings
            for go in self.grid.symmetries
        }
        for through, blocks in sorted(images):
            for spot in self.spots:
                if spot[-1] == through[0][-1]:
                    move = (*map(sub, spot, through[0]),)
                    homes = [self.home(tuple(map(add, a, move))) for a in through]
                    own = frozenset(a for a in homes if a is not None)
                    if None not in homes:
                        found[min(own)].append((own, [self.home(tuple(map(add, b, move))) for b in blocks]))
        return dict(found)


def faces(grid: CheckedGrid, atoms: frozenset[Atom]) -> frozenset[Atom]:
    """Return the faces among some atoms: the atoms of the first kind."""
    return frozenset(a for a in atoms if grid.kinds[a[-1]] == grid.kinds[0])


def _ray(grid: CheckedGrid, stick: Atom, point: Point) -> Point:
    """Return the vector from one end of a stick to the other."""
    (end,) = (c for corner in grid.corners[stick[-1]] if (c := _corner(grid, corner, stick)) != point)
    return tuple(x - y for x, y in zip(end, point, strict=True))


def beside(grid: CheckedGrid, face: Atom) -> list[Atom]:
    """Return the faces of the grid that share a side with a face."""
    return [(*(x + d for x, d in zip(b, face[:-1], strict=False)), b[-1]) for b in _beside(grid, face[-1])]


@cache
def _beside(grid: CheckedGrid, number: int) -> list[Atom]:
    if grid.of_balls:
        return [(*move, number) for move in nearest(grid)]
    shared = Counter(b for corner in grid.corners[number] for b in grid.faces_with(frozenset([corner])))
    need = 1 if len(grid.corners[number]) == 2 else grid.dimension
    return [b for b, times in shared.items() if times >= need and b != (*(0,) * grid.dimension, number)]


def _plane(grid: CheckedGrid, points: Sequence[Point]) -> tuple[Point, int] | None:
    """Return the line, or plane, through some points as normal · x = height; None if the points span none."""
    rays = [tuple(x - y for x, y in zip(point, points[0], strict=True)) for point in points[1:]]
    for some in combinations(rays, grid.dimension - 1):
        normal = [determinant((*some, unit)) for unit in grid.still[0]]
        if any(normal):
            common = gcd(*normal) * (1 if normal > [0] * len(normal) else -1)
            return (least := tuple(x // common for x in normal)), _product(least, points[0])
    return None


def _product(v: Point, w: Point) -> int:
    return sum(x * y for x, y in zip(v, w, strict=True))


def _corner(grid: CheckedGrid, corner: Point, atom: Atom) -> Point:
    return tuple(x + grid.unit * c for x, c in zip(corner, atom[:-1], strict=True))
