"""Balls and the necks between them, from the farthest to the nearest.

Balls that are not in each other hide each other in the order of their middles, whatever their sizes: the plane that parts two of them
is perpendicular to the line of their middles. A neck fits into a ball round the point where its two balls touch, which keeps clear of
all others, so this order holds for necks too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import combinations

import numpy as np

from puzzlesat.arrays import Reals
from puzzlesat.draw.bodies import OUTLINE_WIDTH, Solid
from puzzlesat.draw.geometry import ball_radius
from puzzlesat.draw.names import Place, inside, place_for, places, sides
from puzzlesat.draw.palette import ink, shade
from puzzlesat.draw.skin import middle
from puzzlesat.draw.svg import disc, path, text
from puzzlesat.grid.lattice import AtomId, Grid

BROAD = 0.45
"""The radius of a neck in radii of a ball: two at one ball, 60 degrees apart, do not meet."""
CORNERS = 48
DARK, LIGHT = -0.12, 0.3
"""Shades: of a ball, and of the light on it."""
GLEAM, ASIDE = 0.45, (0.2, -0.3)
"""How large the light on a ball is, and where, in radii."""


@dataclass(frozen=True, eq=False)
class Part:
    """A ball, or the neck between two balls of one body, as the polygon that it looks like."""

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
    for number, solid in enumerate(solids):
        if place := _place(number, solid, parts, radius):
            elements.append(text(place.x, place.y, solid.name, place.size, fill=ink(shade(solid.colour, DARK))))
    points = np.concatenate([part.outline for part in parts])
    return points.min(axis=0), points.max(axis=0), "\n".join(elements)


def _element(solid: Solid, part: Part, radius: float) -> str:
    dark = shade(solid.colour, DARK)
    line = f'stroke="{solid.edges}" stroke-width="{OUTLINE_WIDTH}"'
    if part.atom is None:
        drawn = f'<path d="{path(part.outline)}" fill="{dark}" {line}/>'
    else:
        drawn = f'<path d="{disc(part.middle, radius)}" fill="{dark}" {line}/>'
        light = solid.spots.get(part.atom, shade(solid.colour, LIGHT))
        drawn += f'<path d="{disc(part.middle + radius * np.array(ASIDE), GLEAM * radius)}" fill="{light}"/>'
    return f"<g><title>{escape(solid.title)}</title>{drawn}</g>"


def _place(number: int, solid: Solid, parts: Sequence[Part], radius: float) -> Place | None:
    """Where the name of a solid is largest on one of its balls: on one without a colour of its own, else beside the colour."""
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


def ball_parts(bodies: Sequence[tuple[Sequence[AtomId], Reals]], radius: float) -> list[Part]:
    """Return balls and necks from the farthest to the nearest.

    Of each body the atoms and the middles of its balls: (right, down, towards the eye), in pixels.
    """
    found = []
    for number, (atoms, centres) in enumerate(bodies):
        angles = np.linspace(0, 2 * np.pi, CORNERS, endpoint=False)
        circle = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        found += [Part(number, atom, float(c[2]), c[:2] + circle) for atom, c in zip(atoms, centres, strict=True)]
        for a, b in combinations(centres, 2):
            if np.linalg.norm(a - b) < 2.01 * radius:
                found.append(Part(number, None, float(a[2] + b[2]) / 2, _neck(a, b, radius)))
    return sorted(found, key=lambda part: (part.depth, part.atom is None))


def _neck(a: Reals, b: Reals, radius: float) -> Reals:
    """What is seen of a cylinder between the circles in which it leaves two balls: two ellipses and the sides between them."""
    along = (b - a) / np.linalg.norm(b - a)
    start, end = (centre + way * (1 - BROAD**2) ** 0.5 * radius * along for centre, way in ((a, 1), (b, -1)))
    length = float(np.hypot(along[0], along[1]))
    forward = along[:2] / length if length > 1e-9 else np.array([1.0, 0.0])
    aside = np.array([-forward[1], forward[0]])
    angles = np.linspace(0, np.pi, CORNERS // 2 + 1)[:, None]
    half = BROAD * radius * (np.cos(angles) * aside - np.sin(angles) * abs(float(along[2])) * forward)
    outline: Reals = np.concatenate([start[:2] + half, end[:2] - half])
    return outline
