"""The skins of bodies: those faces of their atoms that look at the eye, and which sides of them are edges of the body.

Points are as the eye sees them: right, down, towards the eye, in units of length of the Gram matrix.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import SupportsFloat

import numpy as np

from puzzlesat.base import Reals
from puzzlesat.pictures.geometry import FACE, SEGMENT, polytope_faces, shapes
from puzzlesat.puzzles import AtomId, Cell, Grid, Point

EDGE_ON = 1e-4
"""Faces that are turned to the eye by less are not seen."""
HALF_AS_BROAD = 0.09
"""Half the breadth of the bars that stand for edges in space, in lengths of the shortest."""


def _view(turn: float, tilt: float) -> Reals:
    """Cartesian coordinates to the right, down and towards an eye in front of the form, so many degrees to the right and above."""
    turn, tilt = np.radians(turn), np.radians(tilt)
    eye = np.array([np.sin(turn) * np.cos(tilt), -np.cos(turn) * np.cos(tilt), np.sin(tilt)])
    right = np.array([np.cos(turn), np.sin(turn), 0.0])
    return np.stack([right, np.cross(right, eye), eye], axis=1)


VIEW = _view(28.0, 27.0)
"""No multiple of 15 degrees, so that no face is seen edge-on."""
VIEW_OF_BALLS = _view(12.0, 27.0)
"""Square layers of balls stand on a corner: they are seen so, as in the pictures of the layers."""

Key = frozenset[tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Face:
    """A face of an atom, clockwise as it is seen."""

    atom: AtomId
    corners: Reals
    normal: Reals
    edges: tuple[int, ...] = ()
    """The sides that are edges of the body, each by the number of the corner where it begins."""

    def sides(self) -> list[Reals]:
        """Return start and end of each side."""
        return [np.array(pair) for pair in zip(self.corners, np.roll(self.corners, -1, axis=0), strict=True)]


def key(points: Reals) -> Key:
    """Return what tells points of the grid from others, whatever their order."""
    return frozenset(tuple(p) for p in (points.round(6) + 0.0).tolist())


def seen(grid: Grid, points: Sequence[Sequence[SupportsFloat]]) -> Reals:
    """Return lattice points as the eye sees them."""
    lattice = np.array([[float(x) for x in p] for p in points])
    return np.asarray(lattice @ shapes(grid).basis @ (VIEW_OF_BALLS if grid.of_balls else VIEW))


def middle(grid: Grid, atom: AtomId) -> Reals:
    """Return the middle of an atom as the eye sees it."""
    return np.asarray(seen(grid, [grid.centre(atom)])[0])


def home(atoms: Iterable[AtomId]) -> Cell:
    """Return the translation that takes one of these atoms to the cell 0: far from there a float has no digits left for a picture."""
    return tuple(-c for c in min(atoms)[:-1])


@lru_cache(maxsize=4096)
def outside(grid: Grid, atoms: tuple[AtomId, ...]) -> tuple[tuple[Key, Face], ...]:
    """Return the faces of a body, also those that look away, each with its key; faces between its atoms are no part of it."""
    faces = [(key(face.corners), face) for atom in atoms for face in atom_faces(grid, atom)]
    faces += [(key(face.corners), face) for face in _joints(grid, atoms)]
    owners: dict[Key, set[AtomId]] = defaultdict(set)
    for where, face in faces:
        owners[where].add(face.atom)
    return tuple((where, face) for where, face in faces if len(owners[where]) == 1)


@lru_cache(maxsize=4096)
def skin(grid: Grid, atoms: tuple[AtomId, ...]) -> tuple[tuple[Key, Face], ...]:
    """Return the faces of a body that look at the eye, each with its key."""
    looking = [(where, face) for where, face in outside(grid, atoms) if face.normal[2] > EDGE_ON]
    around = [[(key(side), key(face.normal[None])) for side in face.sides()] for _, face in looking]
    times = Counter(side for of_face in around for side in of_face)
    # a side between two faces of one plane is not an edge of the body
    return tuple(
        (where, replace(face, edges=tuple(i for i, side in enumerate(of_face) if times[side] == 1)))
        for (where, face), of_face in zip(looking, around, strict=True)
    )


def atom_faces(grid: Grid, atom: AtomId) -> list[Face]:
    """Return all faces of an atom: those of a polytope, the two sides of what is flat, the bar that stands for an edge."""
    move = seen(grid, [atom[:-1]])[0]
    return [Face(atom, corners + move, normal) for corners, normal in _faces_of_skin(grid, atom[-1])]


@cache
def _faces_of_skin(grid: Grid, number: int) -> tuple[tuple[Reals, Reals], ...]:
    drawn = shapes(grid).of[number].drawn
    if drawn == SEGMENT:
        return _box(_bar(grid, number))
    return tuple(_directed(seen(grid, face)) for face in polytope_faces(grid, number)) if drawn == FACE else ()


def _directed(corners: Reals) -> tuple[Reals, Reals]:
    """Corners, counterclockwise from outside, with the normal to the outside; as the second coordinate goes down, the product goes in."""
    normal = -np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
    return corners, normal / np.linalg.norm(normal)


@cache
def half_breadth(grid: Grid) -> float:
    """Return half the breadth of the bars that stand for the edges of a grid in space."""
    lengths = [float(np.linalg.norm(np.diff(seen(grid, a.vertices), axis=0))) for a in grid.atoms if len(a.vertices) == 2]
    return HALF_AS_BROAD * min(lengths)


def _bar(grid: Grid, number: int) -> Reals:
    """The middle of the bar of an edge, and three vectors from there to the middles of its sides; it ends where a joint would begin."""
    start, end = seen(grid, grid.atoms[number].vertices)
    along = (end - start) / np.linalg.norm(end - start)
    across = min(VIEW, key=lambda axis: abs(float(axis @ along)))  # one of the Cartesian axes
    across = across - (across @ along) * along
    across = across / np.linalg.norm(across)
    half = half_breadth(grid)
    length = float(np.linalg.norm(end - start)) / 2 - half
    return np.array([(start + end) / 2, along * length, across * half, np.cross(along, across) * half])


def _joints(grid: Grid, atoms: Sequence[AtomId]) -> list[Face]:
    """A cube where edges of a body meet."""
    at: dict[Point, list[AtomId]] = defaultdict(list)
    for atom in atoms:
        if shapes(grid).drawn(atom) == SEGMENT:
            for vertex in grid.atoms[atom[-1]].vertices:
                at[tuple(x + c for x, c in zip(vertex, atom[:-1], strict=True))].append(atom)
    return [
        Face((*ends[0][:-1], -1 - i), corners, normal)
        for i, (point, ends) in enumerate(at.items())
        if len(ends) > 1
        for corners, normal in _box(np.array([seen(grid, [point])[0], *(VIEW * half_breadth(grid))]))
    ]


def _box(axes: Reals) -> tuple[tuple[Reals, Reals], ...]:
    """The faces of a box from its middle and the vectors from there to the middles of three sides."""
    centre = axes[0]
    found = []
    for i in range(3):
        out, u, v = axes[1 + i], axes[1 + (i + 1) % 3], axes[1 + (i + 2) % 3]
        for sign in (1, -1):
            corners = centre + sign * out + np.array([u + v, v - u, -u - v, u - v])
            found.append((corners, sign * out / np.linalg.norm(out)))
    return tuple(found)
