"""Bodies of polytopes as SVG: of each face what nothing hides, every outline whole, names where they have most room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np

from puzzlesat.arrays import Reals
from puzzlesat.draw.names import Place, area, inside, place_for, places, sides
from puzzlesat.draw.palette import ink, shade
from puzzlesat.draw.skin import VIEW, Face, Key, key, outside, skin
from puzzlesat.draw.svg import LARGEST, path, text
from puzzlesat.draw.visible import overlap, visible_faces, visible_lines
from puzzlesat.grid.lattice import AtomId, Grid

LIGHT = np.array([0.25, -0.55, 0.8]) @ VIEW / np.linalg.norm([0.25, -0.55, 0.8])
SPOT, RING = 0.45, 1.6
"""How large the colour of an atom is on its faces, and how broad the white round it, in pixels."""
INSIDE = 1e-3
"""Pixels."""
OUTLINE, OUTLINE_WIDTH, GLASS_WIDTH = "#222222", 1.6, 1.2


@dataclass(frozen=True)
class Solid:
    """Atoms that belong together, their colour, and how far they are moved, as the eye sees it."""

    atoms: tuple[AtomId, ...]
    colour: str
    title: str
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    edges: str = OUTLINE
    name: str = ""
    """Written where there is most room on what is seen of it."""
    spots: Mapping[AtomId, str] = field(default_factory=dict)
    """Colours of atoms, shown on their faces."""
    glass: bool = False
    """Whether the edges of a polytope alone are drawn, over what is behind it."""


@dataclass(frozen=True, eq=False)
class Seen:
    """A face of a solid, its corners (right, down, towards the eye, in pixels), and the convex parts of it that are seen."""

    face: Face
    corners: Reals
    parts: list[Reals]

    def spot(self, size: float) -> Reals:
        """Return the outline of a spot on the face, as a share of it."""
        flat = self.corners[:, :2]
        return np.asarray(size * flat + (1 - size) * flat.mean(axis=0))


def draw_polytopes(grid: Grid, solids: Sequence[Solid], factor: float) -> tuple[Reals, Reals, str]:
    """Return the smallest and the largest coordinates, and the elements: all faces, then all outlines, then all names.

    Outlines come after all faces since those of neighbours end in the middle of them.
    """
    faces = _faces(grid, solids)
    corners = _corners(faces, solids, factor)
    of_solid: dict[int, list[Seen]] = defaultdict(list)
    for (i, face), flat, parts in zip(faces, corners, visible_faces(corners), strict=True):
        if parts:
            of_solid[i].append(Seen(face, flat, [np.array(p) for p in parts]))
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
    """Return how large what is seen of each solid is, in pixels."""
    faces = _faces(grid, solids)
    found = [0.0] * len(solids)
    for (i, _), parts in zip(faces, visible_faces(_corners(faces, solids, factor)), strict=True):
        found[i] += sum(area(np.array(part)) for part in parts)
    return found


def _faces(grid: Grid, solids: Sequence[Solid]) -> list[tuple[int, Face]]:
    """The faces that look at the eye, but for those of glass; not those on which two solids lie together."""
    owners: dict[tuple[Key, object], set[int]] = defaultdict(set)
    for i, solid in enumerate(solids):
        for where, _ in () if solid.glass else outside(grid, solid.atoms):
            owners[where, solid.shift].add(i)
    return [(i, face) for i, s in enumerate(solids) for where, face in skin(grid, s.atoms) if len(owners[where, s.shift]) == 1]


def _corners(faces: Sequence[tuple[int, Face]], solids: Sequence[Solid], factor: float) -> list[Reals]:
    return [(face.corners + solids[i].shift) * factor for i, face in faces]


def _glass(solid: Solid, faces: Sequence[tuple[Face, Reals]]) -> str:
    """The edges of a solid, whatever is before them."""
    edges = [sorted(flat[[i, i + 1 - len(flat)], :2].tolist()) for face, flat in faces for i in face.edges]
    drawn = "".join(dict.fromkeys(path(np.array(edge), closed=False) for edge in edges))
    shown = f'<path d="{drawn}" fill="none" stroke="{solid.colour}" stroke-width="{GLASS_WIDTH}"/>'
    return f"<g><title>{escape(solid.title)}</title>{shown}</g>"


def _outlines(faces: Sequence[Face], corners: Sequence[Reals]) -> Reals:
    """What is seen of the edges of bodies: start and end of each part; most are edges of two faces, and come twice.

    An edge is looked at a little inside of its face: where bodies touch along it, it may lie on another face and its own behind that.
    """
    found = []
    for face, flat in zip(faces, corners, strict=True):
        for i in face.edges:
            ends = sorted(flat[[i, i + 1 - len(flat)]].tolist())
            inward = flat.mean(axis=0) - np.mean(ends, axis=0)
            found.append(ends + INSIDE * inward / float(np.linalg.norm(inward)))
    return np.array(visible_lines(np.array(found).reshape(-1, 2, 3), corners)).reshape(-1, 2, 2)


def face_colour(colour: str, normal: Reals) -> str:
    """Return the colour of a face of a body, which is lighter where it looks at the light."""
    return shade(colour, lightness(normal))


def lightness(normal: Reals) -> float:
    """Return the share of white in the colour of a face, or of black where negative."""
    return 0.75 * (max(0.0, float(normal @ LIGHT)) - 0.62)


def _surface(solid: Solid, found: Sequence[Seen]) -> str:
    """What is seen of a solid: the faces of each direction as one path, so that no seam shows, and the spots on them."""
    paths: dict[str, list[str]] = defaultdict(list)
    for seen in found:
        colour = face_colour(solid.colour, seen.face.normal)
        paths[colour] += [path(part) for part in seen.parts]
    drawn = [f'<path d="{"".join(parts)}" fill="{colour}"/>' for colour, parts in paths.items()]
    return f"<g><title>{escape(solid.title)}</title>{''.join(drawn)}{''.join(_spots(solid, found))}</g>"


def _spots(solid: Solid, found: Sequence[Seen]) -> list[str]:
    """The colours of atoms on what is seen of their faces, with white round them."""
    drawn = []
    for seen in found:
        if seen.face.atom in solid.spots:
            for size, fill in ((_ring(seen), "#ffffff"), (SPOT, solid.spots[seen.face.atom])):
                visible = "".join(path(p) for part in seen.parts if (p := overlap(part, seen.spot(size))))
                drawn.append(f'<path d="{visible}" fill="{fill}"/>' if visible else "")
    return drawn


def _ring(seen: Seen) -> float:
    """The size of a spot with the white round it."""
    flat = seen.corners[:, :2]
    return SPOT + RING / float(np.linalg.norm(flat - flat.mean(axis=0), axis=1).max())


def _name(solid: Solid, found: Sequence[Seen], outlines: Reals) -> str:
    """The name of a solid where it is largest: on faces without a colour of their own, else beside the colour."""
    coloured = [seen for seen in found if seen.face.atom in solid.spots]
    round_faces = [sides(part) for seen in coloured for part in seen.parts]
    spots = [seen.spot(_ring(seen)) for seen in coloured]
    plain = [seen for seen in found if seen.face.atom not in solid.spots]
    for some, walls in ((plain, round_faces), (coloured, [sides(s) for s in spots])):
        planes: dict[Key, list[Reals]] = defaultdict(list)
        inks = {}
        for seen in some:
            planes[key(seen.face.normal[None])] += seen.parts
            inks[key(seen.face.normal[None])] = ink(face_colour(solid.colour, seen.face.normal))
        best: tuple[Place, str] | None = None
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
