"""Flat pieces with noses and notches to be printed: where a piece covers a slot it has a nose there, else a notch, as in pictures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from puzzlesat.arrays import Reals
from puzzlesat.draw.geometry import outline, shapes
from puzzlesat.draw.making import LEAST, Making, Manifold, hull, library, rounded
from puzzlesat.draw.pieces import NOSE, noses_and_notches, slots_round
from puzzlesat.errors import PuzzleError
from puzzlesat.grid.lattice import AtomId, Grid

USUAL: Final = 0.025
"""The bevel, as a share of the cell, where nobody says another: a nose is small."""
SHARPEST: Final = 4.0
"""How far a corner may move, in times its sides do; those of noses are blunter."""


def has_slots(grid: Grid, atoms: Iterable[AtomId]) -> bool:
    """Tell whether a piece is made of faces with slots on their sides, and of such slots alone."""
    own = set(atoms)
    faces = _faces(grid, own)
    slots = set(slots_round(grid, faces)) if grid.dimension == 2 else set()
    return bool(slots) and own <= {*faces, *slots}


def with_slots(grid: Grid, atoms: Iterable[AtomId], making: Making) -> Manifold:
    """Return a piece of faces and slots. Raises PuzzleError where clearance or bevel are too large for its noses."""
    own, bodies = set(atoms), library()
    edge, least = making.edge(USUAL * making.cell), LEAST * making.cell
    loops = _loops(grid, own, making.cell)
    section = bodies.CrossSection(loops, bodies.FillRule.Positive)
    lost = max(making.clearance / 2, least)
    inner, whole = (section.offset(-by, bodies.JoinType.Miter, SHARPEST) for by in (lost + edge, lost))
    back = inner.offset(edge, bodies.JoinType.Miter, SHARPEST)  # the same again, unless a nose or a wall is too thin for it
    if abs(back.area() - whole.area()) > LEAST * whole.area():
        raise PuzzleError(
            f"a clearance of {making.clearance:g} and {edge:g} off each edge are too much for noses and notches; use less, or larger cells"
        )
    solid = inner.extrude(making.thickness - 2 * edge).translate([0, 0, edge])
    if not edge:
        return solid
    probe = _probe(loops)
    return solid.minkowski_sum(hull(edge * (rounded(probe) if making.rounding else probe)))


def _faces(grid: Grid, atoms: Iterable[AtomId]) -> list[AtomId]:
    return sorted(a for a in atoms if grid.atoms[a[-1]].kind == grid.main_kind and len(grid.atoms[a[-1]].vertices) > grid.dimension)


def _loops(grid: Grid, own: set[AtomId], cell: float) -> list[Reals]:
    """The loops round a piece in millimetres, the inside to their left, with its noses and notches."""
    known, faces = shapes(grid), _faces(grid, own)
    scale = cell / min(_sides(known.cartesian(outline([known.corners(a)])[0])).min() for a in faces)
    slots = noses_and_notches(grid, faces, own)
    found = []
    for loop in outline([known.corners(a) for a in faces], [p for slot in slots for p in slot]):
        points, border = scale * known.cartesian(loop), []
        for i, here in enumerate(points):
            there = points[j := (i + 1) % len(points)]
            border.append(here)
            if side := slots.get(frozenset((loop[i], loop[j])), 0):
                along = there - here
                out = side * np.array([along[1], -along[0]])
                border += [here + x * along + y * out for x, y in NOSE]
        found.append(np.array(border))
    return found


def _sides(loop: Reals) -> Reals:
    return np.asarray(np.linalg.norm(np.roll(loop, -1, axis=0) - loop, axis=1))


def _probe(loops: Iterable[Reals]) -> Reals:
    """A unit vector along each direction in which a side of the piece looks, and up and down."""
    along = np.concatenate([np.roll(loop, -1, axis=0) - loop for loop in loops])
    units = np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(along, axis=1)[:, None]
    sides = np.column_stack([np.concatenate([units, -units]), np.zeros(2 * len(units))])
    return np.asarray(np.unique(np.concatenate([sides, [[0, 0, 1], [0, 0, -1]]]).round(9) + 0.0, axis=0))
