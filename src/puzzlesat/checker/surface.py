"""A form as tiles lie on it: which atoms are the same across its seams, and how its faces lie to each other.

Two faces share a side that have as many corners in common as the grid has dimensions, or an end where they are edges, and two balls that
are as near as any; they meet at a point where that is a corner of both. On a form that wraps around a face may meet itself.
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
"""Side, face, name; of a colour the side is the face."""
Look = tuple[frozenset[Atom], frozenset[Mark]]
"""What a placement covers and shows."""
Crossing = tuple[tuple[Atom, ...], tuple[Atom, ...]]
"""Atoms that a tile runs through, and those that it covers then."""


@dataclass(frozen=True, eq=False)
class Surface:
    """A form as tiles lie on it: its atoms, which of them others are, and the crossings that tiles cover there."""

    grid: CheckedGrid
    atoms: frozenset[Atom]
    seams: Seams = FLAT
    crossings: tuple[Crossing, ...] = ()
    """As they lie in the plane, from anywhere; none on a flat form, whose tiles come with theirs."""
    spots: tuple[Atom, ...] = field(init=False)
    """The atoms of the form, and where the glide takes them: every atom that is in the form is a translate of one of these."""
    _homes: Mapping[Atom, Atom] = field(init=False)
    _crossed: Mapping[Atom, list[tuple[frozenset[Atom], list[Atom | None]]]] = field(init=False)

    def __post_init__(self) -> None:
        spots = [(a, spot) for a in sorted(self.atoms) for (spot,) in self.seams.sheets(a)]
        object.__setattr__(self, "spots", tuple(spot for _, spot in spots))
        object.__setattr__(self, "_homes", {self.seams.reduced(spot): a for a, spot in spots})
        object.__setattr__(self, "_crossed", self._find_crossed())

    @property
    def wraps(self) -> bool:
        """Whether some atoms are the same as others."""
        return bool(self.seams.translations)

    def home(self, atom: Atom) -> Atom | None:
        """Return the atom of the form that an atom is; None where it lies outside."""
        return self._homes.get(self.seams.reduced(atom))

    def look(self, atoms: Sequence[Atom], marks: Iterable[Mark]) -> Look | None:
        """Return what a placement on some atoms of the form covers and shows; None where it lies on itself.

        The marks may be said as they lie beyond the seams.
        """
        if not self.wraps:
            return frozenset(atoms), frozenset(marks)
        own = frozenset(atoms)
        crossings = {x for a in own for through, blocks in self._crossed.get(a, ()) if through <= own for x in blocks}
        # what it would cover outside the form it cannot cover
        covered = own | {x for x in crossings if x is not None}
        if len(own) < len(atoms) or None in crossings:
            return None
        return covered, frozenset(self.settled(*mark) for mark in marks)

    def lying(self, atoms: Iterable[Atom], marks: Iterable[Mark]) -> Look | None:
        """Return what a placement covers and shows that is said as it lies beyond the seams; None where it does not lie in the form."""
        homes = [self.home(a) for a in atoms]
        inside = [a for a in homes if a is not None]
        return self.look(inside, marks) if len(inside) == len(homes) else None

    def settled(self, side: Atom, face: Atom, name: str) -> Mark:
        """Return a mark as it is said here, of the equal ones that there are across seams."""
        if not self.wraps:
            return side, face, name
        if side == face and (home := self.home(face)) is not None:
            return home, home, name
        return (*self.seams.settled(side, face), name)  # type: ignore[return-value]  # two atoms are settled as two

    @cached_property
    def round_points(self) -> list[frozenset[Atom]]:
        """The faces of the form round each point, where there are several."""
        found: dict[Point, set[Atom]] = defaultdict(set)
        for face in sorted(faces(self.grid, self.atoms)):
            for corner in self.grid.corners[face[-1]]:
                there = _corner(self.grid, corner, face)
                if there not in found:
                    found[there] = self._round(there)
        return list(dict.fromkeys(frozenset(there) for there in found.values() if len(there) > 1))

    @cached_property
    def crossroads(self) -> list[tuple[frozenset[Atom], frozenset[frozenset[Atom]]]]:
        """The faces of the form round each point, with the sets of sticks that run straight through it: two in one line."""
        grid = self.grid
        found: dict[tuple[frozenset[Atom], frozenset[frozenset[Atom]]], None] = {}
        for point in {_corner(grid, corner, face) for face in faces(grid, self.atoms) for corner in grid.corners[face[-1]]}:
            sticks = [face for face in grid.faces_with(frozenset([point])) if len(grid.corners[face[-1]]) == 2]
            rays = [(home, _ray(grid, face, point)) for face in sticks if (home := self.home(face)) is not None]
            ends = Counter(home for home, _ in rays)
            pairs = {frozenset((a, b)) for (a, v), (b, w) in combinations(rays, 2) if _opposite(v, w)}
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
        """The faces on both sides of each line, in space plane, on which two of them share a side, and that cuts no face of the form."""
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
        """Tell whether some of these faces has a side to which no face of the form lies."""
        return any(self.home(b) is None for a in faces(self.grid, atoms) for b in beside(self.grid, a))

    def turned(self, number: int, look: Look) -> Look:
        """Return what a placement looks like after a symmetry of the form."""
        go, move = self.grid.symmetries[number], self._backs[number]
        return frozenset(go(a, move) for a in look[0]), frozenset((go(side, move), go(face, move), name) for side, face, name in look[1])

    @cached_property
    def _backs(self) -> list[Point]:
        """For each symmetry of the grid the move that takes the form back."""
        return [back(symmetry, self.atoms) for symmetry in self.grid.symmetries]

    def _round(self, point: Point) -> set[Atom]:
        """The faces of the form of which a point of the plane is a corner, from whichever side of a seam."""
        there = map(self.home, self.grid.faces_with(frozenset([point])))
        return {face for face in there if face is not None}

    def _find_crossed(self) -> dict[Atom, list[tuple[frozenset[Atom], list[Atom | None]]]]:
        """For each atom the crossings that a tile with it may cover: the first of the atoms through which it runs then, so each once."""
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
    """Return those of some atoms that are faces: of the kind of the first."""
    return frozenset(a for a in atoms if grid.kinds[a[-1]] == grid.kinds[0])


def _ray(grid: CheckedGrid, stick: Atom, point: Point) -> Point:
    """The way from one end of a stick to the other."""
    (end,) = (c for corner in grid.corners[stick[-1]] if (c := _corner(grid, corner, stick)) != point)
    return tuple(x - y for x, y in zip(end, point, strict=True))


def _opposite(v: Point, w: Point) -> bool:
    """Whether one vector is the other, multiplied by a number below 0; both are of the plane."""
    return v[0] * w[1] == v[1] * w[0] and _product(v, w) < 0


def beside(grid: CheckedGrid, face: Atom) -> list[Atom]:
    """Return the faces of the grid that share a side with one."""
    return [(*(x + d for x, d in zip(b, face[:-1], strict=False)), b[-1]) for b in _beside(grid, face[-1])]


@cache
def _beside(grid: CheckedGrid, number: int) -> list[Atom]:
    if grid.of_balls:
        return [(*move, number) for move in nearest(grid)]
    shared = Counter(b for corner in grid.corners[number] for b in grid.faces_with(frozenset([corner])))
    need = 1 if len(grid.corners[number]) == 2 else grid.dimension
    return [b for b, times in shared.items() if times >= need and b != (*(0,) * grid.dimension, number)]


def _plane(grid: CheckedGrid, points: Sequence[Point]) -> tuple[Point, int] | None:
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


def _corner(grid: CheckedGrid, corner: Point, atom: Atom) -> Point:
    return tuple(x + grid.unit * c for x, c in zip(corner, atom[:-1], strict=True))
