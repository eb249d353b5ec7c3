"""Pictures of forms in space as solids, from the polytopes' own geometry: together, and exploded so that what is hidden shows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from html import escape

import numpy as np

from puzzlesat.cover.build import Built
from puzzlesat.draw.canvas import canvas
from puzzlesat.draw.geometry import Vectors, ball_radius, polytope_faces, shapes
from puzzlesat.draw.palette import ink, mark_colours, shade, solution_colours
from puzzlesat.draw.svg import Picture, disc, document, fitted, in_rows, number, path, titled
from puzzlesat.grid.lattice import AtomId, Grid

TURN, TILT = np.radians(28.0), np.radians(27.0)
"""The eye stands in front of the form, so far to the right and so far above; no multiple of 15 degrees, so that no face is seen edge-on."""
APART = 1.15
"""How far the tiles of an exploded picture move away from the middle, as a share of their distance from it."""
SPOT = 0.45
"""How large the colour of an atom is on its faces."""
LIGHT = np.array([0.25, -0.55, 0.8]) / np.linalg.norm([0.25, -0.55, 0.8])
OUTLINE = "#222222"

EYE = np.array([np.sin(TURN) * np.cos(TILT), -np.cos(TURN) * np.cos(TILT), np.sin(TILT)])
_RIGHT = np.array([np.cos(TURN), np.sin(TURN), 0.0])
SCREEN = np.stack([_RIGHT, np.cross(EYE, _RIGHT)], axis=1)
"""Cartesian coordinates to the right and up on the screen."""


@dataclass(frozen=True)
class Solid:
    """Atoms that belong together, their colour, and how far they are moved."""

    atoms: tuple[AtomId, ...]
    colour: str
    title: str
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    edges: str = OUTLINE
    name: str = ""
    """Written on the face that is nearest to the eye."""
    spots: Mapping[AtomId, str] = field(default_factory=dict)
    """Colours of atoms, shown on their faces."""


def isometric_svg(built: Built, options: Sequence[int], *, title: str = "") -> str:
    """Return a picture of placements in space seen from the front, the right and above: together, and exploded."""
    return document(titled(isometric_picture(built, options), title), title or built.puzzle.title)


def isometric_picture(built: Built, options: Sequence[int]) -> Picture:
    """Return the two views of placements in space as part of a picture."""
    chosen = [o for o in options if o >= 0]
    grid, factor = built.puzzle.grid, canvas(built.puzzle).factor
    placements = [built.placements[o] for o in chosen]
    colours = solution_colours(built, chosen)
    shown = mark_colours(built.puzzle)
    spots = [{m.face: shown[m.name] for m in p.marks} for p in placements]
    together = [Solid(p.atoms, c, p.name, spots=s) for p, c, s in zip(placements, colours, spots, strict=True)]
    if not together:
        return solids_picture(grid, [Solid((a,), "#dddddd", "", edges="#8a8a8a") for a in sorted(built.puzzle.form.atoms)], factor)
    apart = [replace(s, name=built.puzzle.tiles[p.tile].name) for s, p in zip(_apart(grid, together), placements, strict=True)]
    views = [solids_picture(grid, together, factor), solids_picture(grid, apart, factor)]
    return in_rows(views, 1100.0)


def _apart(grid: Grid, solids: Sequence[Solid]) -> list[Solid]:
    middles = [np.mean([_centre(grid, a) for a in s.atoms], axis=0) for s in solids]
    middle = np.mean([_centre(grid, a) for s in solids for a in s.atoms], axis=0)
    return [replace(s, shift=tuple(APART * (m - middle))) for s, m in zip(solids, middles, strict=True)]


def solids_picture(grid: Grid, solids: Sequence[Solid], factor: float) -> Picture:
    """Return solids seen from the front, the right and above.

    Atoms are painted from the farthest to the nearest, by their centres: in tilings such as these an atom that hides part of another
    has the nearer centre. Faces between atoms of one solid are left out.
    """
    painted: list[tuple[float, str, Vectors]] = []
    for solid in solids:
        painted += _balls(grid, solid, factor) if len(grid.atoms[solid.atoms[0][-1]].vertices) == 1 else _surface(grid, solid, factor)
    painted.sort(key=lambda p: p[0])
    points = np.concatenate([p for _, _, p in painted])
    low, high = points.min(axis=0) - 2, points.max(axis=0) + 2
    body = "\n".join(element for _, element, _ in painted)
    shift = f'<g transform="translate({number(-low[0])} {number(-low[1])})" stroke-linejoin="round" stroke-linecap="round">'
    return Picture(float(high[0] - low[0]), float(high[1] - low[1]), f"{shift}\n{body}\n</g>")


def _centre(grid: Grid, atom: AtomId) -> Vectors:
    centre: Vectors = np.array([float(x) for x in grid.centre(atom)]) @ shapes(grid).basis
    return centre


def _screen(points: Vectors, factor: float) -> Vectors:
    flat: Vectors = points @ SCREEN * [factor, -factor]
    return flat


@cache
def _faces(grid: Grid, number: int) -> list[tuple[Vectors, Vectors]]:
    """The corners of each face of an atom of the unit cell, and its normal."""
    found = []
    for face in polytope_faces(grid, number):
        corners = np.array([[float(x) for x in p] for p in face]) @ shapes(grid).basis
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[1])
        found.append((corners, normal / np.linalg.norm(normal)))
    return found


@lru_cache(maxsize=4096)
def _skin(grid: Grid, atoms: tuple[AtomId, ...]) -> list[tuple[AtomId, Vectors, Vectors, list[Vectors]]]:
    """The faces of a body that are seen: the atom, the corners, the normal, and those sides that are edges of the body."""
    basis = shapes(grid).basis
    faces = []
    for atom in atoms:
        move = np.array(atom[:-1], dtype=np.float64) @ basis
        faces += [(atom, corners + move, normal) for corners, normal in _faces(grid, atom[-1])]
    times = Counter(_key(corners) for _, corners, _ in faces)
    faces = [f for f in faces if times[_key(f[1])] == 1]
    at: dict[frozenset[tuple[float, ...]], list[Vectors]] = defaultdict(list)
    for _, corners, normal in faces:
        for side in _sides(corners):
            at[_key(side)].append(normal)
    # a side between two faces of one plane is no edge of the body
    return [
        (atom, corners, normal, [s for s in _sides(corners) if sum(bool(n @ normal > 1 - 1e-6) for n in at[_key(s)]) == 1])
        for atom, corners, normal in faces
        if normal @ EYE > 1e-6
    ]


def _surface(grid: Grid, solid: Solid, factor: float) -> list[tuple[float, str, Vectors]]:
    """For each atom with faces to be seen: how near it is, its elements, and their corners on the screen."""
    visible = _skin(grid, tuple(solid.atoms))
    nearest = max((float(corners.mean(axis=0) @ EYE), i) for i, (_, corners, _, _) in enumerate(visible))[1]
    elements: dict[AtomId, list[str]] = defaultdict(list)
    seen: dict[AtomId, list[Vectors]] = defaultdict(list)
    for i, (atom, corners, normal, edges) in enumerate(visible):
        flat = _screen(corners + solid.shift, factor)
        colour = shade(solid.colour, 0.75 * (max(0.0, float(normal @ LIGHT)) - 0.62))
        elements[atom].append(f'<path d="{path(flat)}" fill="{colour}" stroke="{colour}" stroke-width="1.2"/>')
        lines = "".join(path(_screen(s + solid.shift, factor), closed=False) for s in edges)
        if lines:
            elements[atom].append(f'<path d="{lines}" fill="none" stroke="{solid.edges}" stroke-width="1.6"/>')
        if atom in solid.spots:
            spot = flat.mean(axis=0) + SPOT * (flat - flat.mean(axis=0))
            elements[atom].append(f'<path d="{path(spot)}" fill="{solid.spots[atom]}" stroke="#ffffff" stroke-width="1.2"/>')
        if i == nearest:
            elements[atom].append(_name(solid.name, flat, ink(colour)))
        seen[atom].append(flat)
    return [
        (
            float((_centre(grid, atom) + solid.shift) @ EYE),
            f"<g><title>{escape(solid.title)}</title>{''.join(parts)}</g>",
            np.concatenate(seen[atom]),
        )
        for atom, parts in elements.items()
    ]


def _name(name: str, face: Vectors, colour: str) -> str:
    """A name on a face, as large as the circle round the middle of the face allows."""
    middle = face.mean(axis=0)
    along = np.roll(face, -1, axis=0) - face
    inward = middle - face
    room = np.abs(along[:, 0] * inward[:, 1] - along[:, 1] * inward[:, 0]) / np.linalg.norm(along, axis=1)
    return fitted(middle, float(room.min()), name, colour)


def _key(points: Vectors) -> frozenset[tuple[float, ...]]:
    return frozenset(tuple(p) for p in (points.round(6) + 0.0).tolist())


def _sides(corners: Vectors) -> list[Vectors]:
    return [np.array(pair) for pair in zip(corners, np.roll(corners, -1, axis=0), strict=True)]


def _balls(grid: Grid, solid: Solid, factor: float) -> list[tuple[float, str, Vectors]]:
    radius = ball_radius(grid)
    r, dark = radius * factor, shade(solid.colour, -0.12)
    centres = np.array([_centre(grid, a) for a in solid.atoms]) + solid.shift
    found = []
    for atom, c in zip(solid.atoms, centres, strict=True):
        middle = _screen(c, factor)
        ball = f'<path d="{disc(middle, r)}" fill="{dark}" stroke="{solid.edges}" stroke-width="1.6"/>'
        shine = solid.spots.get(atom, shade(solid.colour, 0.3))
        light = f'<path d="{disc((middle[0] + 0.2 * r, middle[1] - 0.3 * r), 0.45 * r)}" fill="{shine}"/>'
        element = f"<g><title>{escape(solid.title)}</title>{ball}{light}</g>"
        found.append((float(c @ EYE), element, np.array([middle - r, middle + r])))
    for i, a in enumerate(centres):
        for b in centres[:i]:
            if np.linalg.norm(a - b) < 2.01 * radius:
                line = path(_screen(np.array([a, b]), factor), closed=False)
                broad = f'<path d="{line}" stroke="{{}}" stroke-width="{{}}" fill="none"/>'
                link = broad.format(solid.edges, number(0.9 * r)) + broad.format(dark, number(0.9 * r - 3.2))
                found.append((float((a + b) / 2 @ EYE), link, _screen(np.array([a, b]), factor)))
    return found
