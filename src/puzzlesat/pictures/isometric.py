"""Pictures of forms in space as solids: bodies together, and exploded.

Balls and necks are drawn from the farthest to the nearest. Disjoint balls hide each other in the order of the depths of their centres,
whatever their sizes, because the plane that separates two balls is perpendicular to the line of their centres. A neck fits into a ball
round the point where its two balls touch, and this ball is disjoint from all others. Therefore the order holds for necks too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from itertools import combinations

import numpy as np

from puzzlesat.base import Flags, Reals
from puzzlesat.pictures.bodies import OUTLINE_WIDTH, NamePlace, Solid, draw_polytopes, inside, place_for, places, sides
from puzzlesat.pictures.canvases import canvas
from puzzlesat.pictures.geometry import HIDDEN, atom_faces, ball_radius, home, middle, seen, shapes
from puzzlesat.pictures.palette import ink, mark_colours, shade, solution_colours
from puzzlesat.pictures.svg import Picture, disc, in_rows, number, path, text
from puzzlesat.puzzles import AtomId, BuiltInstance, Grid, translate

BROAD = 0.45
"""Radius of a neck relative to a ball; two necks on one ball, 60 degrees apart, do not meet."""
CORNERS = 48
DARK, LIGHT = -0.12, 0.3
"""Shades of a ball and of its highlight."""
GLEAM, ASIDE = 0.45, (0.2, -0.3)
"""Size and place of the highlight, relative to the ball's radius."""


@dataclass(frozen=True, eq=False)
class BallPart:
    """The outline of a ball, or of the neck between two balls of one body, as a polygon."""

    body: int
    atom: AtomId | None
    """None for a neck."""
    depth: float
    outline: Reals

    @property
    def middle(self) -> Reals:
        """The middle of the outline."""
        return np.asarray(self.outline.mean(axis=0))


def draw_balls(grid: Grid, solids: Sequence[Solid], factor: float) -> tuple[Reals, Reals, str]:
    """Return the smallest and the largest coordinates, and the elements: balls and necks, then all names."""
    radius = ball_radius(grid) * factor
    parts = ball_parts([(s.atoms, np.array([(middle(grid, a) + s.shift) * factor for a in s.atoms])) for s in solids], radius)
    elements = [_element(solids[part.body], part, radius) for part in parts]
    for body, solid in enumerate(solids):
        if place := _place(body, solid, parts, radius):
            elements.append(text(place.x, place.y, solid.name, place.size, fill=ink(shade(solid.colour, DARK))))
    points = np.concatenate([part.outline for part in parts])
    return points.min(axis=0), points.max(axis=0), "\n".join(elements)


def _element(solid: Solid, part: BallPart, radius: float) -> str:
    dark = shade(solid.colour, DARK)
    line = f'stroke="{solid.edges}" stroke-width="{OUTLINE_WIDTH}"'
    if part.atom is None:
        drawn = f'<path d="{path(part.outline)}" fill="{dark}" {line}/>'
    else:
        drawn = f'<path d="{disc(part.middle, radius)}" fill="{dark}" {line}/>'
        light = solid.spots.get(part.atom, shade(solid.colour, LIGHT))
        drawn += f'<path d="{disc(part.middle + radius * np.array(ASIDE), GLEAM * radius)}" fill="{light}"/>'
    return f"<g><title>{escape(solid.title)}</title>{drawn}</g>"


def _place(number: int, solid: Solid, parts: Sequence[BallPart], radius: float) -> NamePlace | None:
    """The largest place for the name of a solid on one of its balls: preferably a ball without a spot, else beside the spot."""
    for coloured in (False, True):
        found = []
        for i, ball in enumerate(parts):
            if ball.body == number and ball.atom is not None and (ball.atom in solid.spots) == coloured:
                light = ball.outline - ball.middle
                nearer = [other.outline for other in parts[i + 1 :] if np.linalg.norm(other.middle - ball.middle) < 2 * radius]
                nearer += [ball.middle + radius * np.array(ASIDE) + GLEAM * light] if coloured else []
                points, _ = places([ball.outline])
                points = points[~np.any([inside(points, outline) for outline in nearer], axis=0)] if nearer else points
                place = place_for(solid.name, points, np.concatenate([sides(outline) for outline in (ball.outline, *nearer)]), ball.middle)
                found += [place] if place else []
        if found:
            return max(found, key=lambda place: place.size)
    return None


def ball_parts(bodies: Sequence[tuple[Sequence[AtomId], Reals]], radius: float) -> list[BallPart]:
    """Return balls and necks from the farthest to the nearest.

    ``bodies`` has for each body its atoms and the centres of its balls: (right, down, towards the eye) in pixels.
    """
    found = []
    for body, (atoms, centres) in enumerate(bodies):
        angles = np.linspace(0, 2 * np.pi, CORNERS, endpoint=False)
        circle = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        found += [BallPart(body, atom, float(c[2]), c[:2] + circle) for atom, c in zip(atoms, centres, strict=True)]
        for a, b in combinations(centres, 2):
            if np.linalg.norm(a - b) < 2.01 * radius:
                found.append(BallPart(body, None, float(a[2] + b[2]) / 2, _neck(a, b, radius)))
    return sorted(found, key=lambda part: (part.depth, part.atom is None))


def _neck(a: Reals, b: Reals, radius: float) -> Reals:
    """The outline of a cylinder between the circles in which it leaves two balls: two half ellipses and the sides between them."""
    along = (b - a) / np.linalg.norm(b - a)
    start, end = (centre + way * (1 - BROAD**2) ** 0.5 * radius * along for centre, way in ((a, 1), (b, -1)))
    length = float(np.hypot(along[0], along[1]))
    forward = along[:2] / length if length > 1e-9 else np.array([1.0, 0.0])
    aside = np.array([-forward[1], forward[0]])
    angles = np.linspace(0, np.pi, CORNERS // 2 + 1)[:, None]
    half = BROAD * radius * (np.cos(angles) * aside - np.sin(angles) * abs(float(along[2])) * forward)
    outline: Reals = np.concatenate([start[:2] + half, end[:2] - half])
    return outline


SHARES = (1.15, 1.4, 1.7, 2.1, 2.6)
"""Distances that bodies move, relative to their distance from the middle; the first one at which no bodies overlap is used."""
TOUCH = 1e-6
"""Bodies that overlap by less only touch."""


def moved_apart(grid: Grid, bodies: Sequence[Sequence[AtomId]]) -> list[Reals] | None:
    """Return the move of each body in view coordinates; None if bodies overlap at every distance, as interlocking bodies may."""
    middles = [np.array([middle(grid, a) for a in body]) for body in bodies]
    centre = np.concatenate(middles).mean(axis=0)
    for share in SHARES:
        shifts: list[Reals] = [share * (m.mean(axis=0) - centre) for m in middles]
        moved = [m + s for m, s in zip(middles, shifts, strict=True)]
        if not (_balls_meet(moved, 2 * ball_radius(grid)) if grid.of_balls else _polytopes_meet(grid, bodies, shifts)):
            return shifts
    return None


def _balls_meet(bodies: Sequence[Reals], diameter: float) -> bool:
    """Return whether balls of two bodies overlap."""
    return any(bool((np.linalg.norm(one[:, None] - other, axis=2) < diameter - TOUCH).any()) for one, other in combinations(bodies, 2))


def _polytopes_meet(grid: Grid, bodies: Sequence[Sequence[AtomId]], shifts: Sequence[Reals]) -> bool:
    """Return whether two bodies overlap.

    Two convex polytopes are disjoint if and only if they are separated along the normal of a face or the common normal of two edges
    (separating axis theorem; Gottschalk, Lin, Manocha, OBBTree, 1996).
    """
    extents = spans(grid)
    low, high = [], []
    for body, shift in zip(bodies, shifts, strict=True):
        drawn = [a for a in body if np.isfinite(extents[a[-1]]).all()]
        moves = (seen(grid, [a[:-1] for a in drawn]) + shift) @ axes(grid).T
        own = extents[[a[-1] for a in drawn]]
        low.append(moves + own[:, 0])
        high.append(moves + own[:, 1])
    for i, j in combinations(range(len(bodies)), 2):
        if not _common(low[i].min(axis=0), high[i].max(axis=0), low[j].min(axis=0), high[j].max(axis=0)).all():
            continue
        if _common(low[i][:, None], high[i][:, None], low[j], high[j]).all(axis=2).any():
            return True
    return False


def _common(low: Reals, high: Reals, other_low: Reals, other_high: Reals) -> Flags:
    """Return which intervals overlap in more than a point."""
    return np.asarray(np.minimum(high, other_high) - np.maximum(low, other_low) > TOUCH)


@cache
def axes(grid: Grid) -> Reals:
    """Return directions in view coordinates. One of them separates any two atoms of a grid without common inner points."""
    faces = [face for number in range(len(grid.atoms)) for face in atom_faces(grid, _at_origin(grid, number))]
    edges = _directions([b - a for face in faces for a, b in face.sides()])
    crossed = [np.cross(a, b) for a, b in combinations(edges, 2)]
    return _directions([face.normal for face in faces] + [c for c in crossed if np.linalg.norm(c) > TOUCH])


def _directions(vectors: Sequence[Reals]) -> Reals:
    """Unit vectors of the directions; parallel vectors occur once."""
    found: dict[tuple[float, ...], Reals] = {}
    for vector in vectors:
        unit = (vector / np.linalg.norm(vector)).round(9) + 0.0
        first = unit[np.flatnonzero(np.abs(unit) > TOUCH)[0]]
        unit = unit * np.sign(first)
        found.setdefault(tuple(unit.round(5).tolist()), unit)
    return np.array(list(found.values()))


@cache
def spans(grid: Grid) -> Reals:
    """Return the extent of each atom of the unit cell along the axes; nan for atoms that are not drawn."""
    found = np.full((len(grid.atoms), 2, len(axes(grid))), np.nan)
    for atom in range(len(grid.atoms)):
        corners = [face.corners for face in atom_faces(grid, _at_origin(grid, atom))]
        if corners:
            along = np.concatenate(corners) @ axes(grid).T
            found[atom] = along.min(axis=0), along.max(axis=0)
    return found


def _at_origin(grid: Grid, number: int) -> AtomId:
    return (*([0] * grid.dimension), number)


def isometric_picture(built: BuiltInstance, options: Sequence[int]) -> Picture:
    """Return the two views of placements in space as part of a picture.

    If interlocking pieces overlap at every distance, the second view shows each piece alone.
    """
    grid, factor = built.puzzle.grid, canvas(built.puzzle).factor
    solids = _solids(built, options)
    together = solids_picture(grid, solids, factor)
    if all(o < 0 for o in options):
        return together
    shifts = moved_apart(grid, [s.atoms for s in solids])
    if shifts is None:
        return in_rows([together, *(solids_picture(grid, [s], factor) for s in solids)], 1100.0)
    apart = [replace(s, shift=tuple(shift.tolist())) for s, shift in zip(solids, shifts, strict=True)]
    return in_rows([together, solids_picture(grid, apart, factor)], 1100.0)


def together_picture(built: BuiltInstance, options: Sequence[int]) -> Picture:
    """Return only the first of the two views of placements in space; if there are none, the form."""
    return solids_picture(built.puzzle.grid, _solids(built, options), canvas(built.puzzle).factor)


def _solids(built: BuiltInstance, options: Sequence[int]) -> list[Solid]:
    """Placements as solids, or the atoms of the form if there are none."""
    chosen = [o for o in options if o >= 0]
    grid = built.puzzle.grid
    if not chosen:
        return at_home([Solid((a,), "#dddddd", "", edges="#8a8a8a") for a in sorted(_drawn(grid, built.puzzle.form.atoms))])
    placements = [built.placements[o] for o in chosen]
    colours = solution_colours(built, chosen)
    shown = mark_colours(built.puzzle)
    return at_home(
        [
            Solid(_drawn(grid, p.atoms), c, p.name, name=built.puzzle.tiles[p.tile].name, spots={m.face: shown[m.name] for m in p.marks})
            for p, c in zip(placements, colours, strict=True)
        ]
    )


def _drawn(grid: Grid, atoms: Iterable[AtomId]) -> tuple[AtomId, ...]:
    return tuple(a for a in atoms if shapes(grid).drawn(a) != HIDDEN)


def solids_picture(grid: Grid, solids: Sequence[Solid], factor: float) -> Picture:
    """Return the visible parts of solids seen from the front, the right and above."""
    low, high, body = (draw_balls if grid.of_balls else draw_polytopes)(grid, solids, factor)
    low, high = low - 2, high + 2
    shift = f'<g transform="translate({number(-low[0])} {number(-low[1])})" stroke-linejoin="round" stroke-linecap="round">'
    return Picture(float(high[0] - low[0]), float(high[1] - low[1]), f"{shift}\n{body}\n</g>")


def at_home(solids: Sequence[Solid]) -> list[Solid]:
    """Return the same solids moved near the origin, where floats are precise. The pictures do not depend on the place."""
    move = home(a for s in solids for a in s.atoms)
    return [
        replace(s, atoms=tuple(translate(a, move) for a in s.atoms), spots={translate(a, move): c for a, c in s.spots.items()})
        for s in solids
    ]
