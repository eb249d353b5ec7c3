"""Hollow pieces: a cavity behind a wall of one thickness, and a hole in the wall through which resin or powder runs out."""

from __future__ import annotations

import numpy as np

from puzzlesat.arrays import Reals
from puzzlesat.draw.making import Making, Manifold, hull, library
from puzzlesat.errors import PuzzleError

SEGMENTS = 48
"""Corners of the circle of a drain."""
COMPASS = np.array([[0.0, 0, -1], [0, 0, 1], *([np.cos(a), np.sin(a), 0] for a in np.arange(8) * np.pi / 4)])
"""Down, up, and eight ways round."""
ROUND = 8
"""A body whose widest face is so many times narrower than itself is one of balls."""
FLAT = 1e-3
"""Triangles whose planes differ by less, in millimetres and in directions, are one face."""


def touching(directions: Reals) -> Reals:
    """Return the corners of the body whose faces touch the unit sphere in some directions, unit vectors on all sides.

    Where a body is shrunk by that, a face that looks in one of the directions moves in by one unit, and no point of the surface by less.
    """
    mesh = hull(directions).to_mesh64()
    faces = np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts)]
    return np.asarray(np.linalg.solve(faces, np.ones((len(faces), 3, 1)))[..., 0])


def hollowed(solid: Manifold, inside: Manifold, making: Making) -> Manifold:
    """Return a body without its inside, with a drain to each part of that if one is asked for.

    Raises PuzzleError where there is no room for a cavity, or for the drain.
    """
    if not making.wall:
        return solid
    if inside.is_empty():
        raise PuzzleError(f"a wall of {making.wall:g} leaves nothing to hollow out; use a thinner wall or larger cells")
    taken = [inside, *(_drain(solid, part, making) for part in inside.decompose() if making.drain)]
    return library().Manifold.batch_boolean([solid, *taken], library().OpType.Subtract)


def _drain(solid: Manifold, cavity: Manifold, making: Making) -> Manifold:
    """A cylinder from the middle of the largest face of a cavity through the wall; from that of a ball, out of the piece."""
    middle, out, room = _largest_face(cavity)
    if room >= making.drain / 2:
        return _cylinder(middle, out, making.drain / 2, -making.wall / 4, making.wall * 5 / 4)
    points = np.asarray(cavity.to_mesh64().vert_properties)[:, :3]
    least = np.ptp(points, axis=0).min()
    for out in COMPASS if room < least / ROUND and making.drain < least / 2 else ():
        middle = points[np.argmax(points @ out)]
        end = _cylinder(middle, out, making.drain / 2, making.wall * 5 / 4, making.wall * 3 / 2)
        if (solid ^ end).is_empty():
            return _cylinder(middle, out, making.drain / 2, -making.drain, making.wall * 5 / 4)
    raise PuzzleError(f"a drain of {making.drain:g} is too wide for the inside of a piece; use a narrower one or larger cells")


def _cylinder(middle: Reals, out: Reals, radius: float, start: float, end: float) -> Manifold:
    first = np.cross(out, np.eye(3)[np.argmin(abs(out))])
    first /= np.linalg.norm(first)
    angles = np.linspace(0, 2 * np.pi, SEGMENTS, endpoint=False)[:, None]
    circle = middle + radius * (np.cos(angles) * first + np.sin(angles) * np.cross(out, first))
    return hull(np.concatenate([circle + start * out, circle + end * out]))


def _largest_face(body: Manifold) -> tuple[Reals, Reals, float]:
    """The middle of the largest circle in the faces of a body, the way out of it there, and its radius."""
    mesh = body.to_mesh64()
    corners = np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    corners, normals, areas = corners[areas > 0], normals[areas > 0], areas[areas > 0]
    normals /= areas[:, None]
    planes = np.column_stack([normals, (normals * corners[:, 0]).sum(axis=1)])
    best = corners[0].mean(axis=0), normals[0], 0.0
    left = np.argsort(-areas, kind="stable")
    while len(left):
        out = normals[left[0]]
        own = (abs(planes[left] - planes[left[0]]) < FLAT).all(axis=1)
        first = corners[left[0], 1] - corners[left[0], 0]
        first /= np.linalg.norm(first)
        axes = np.array([first, np.cross(out, first)])
        middle, room = _largest_circle(corners[left[own]] @ axes.T)
        if room > best[2]:
            best = corners[left[0], 0] + (middle - axes @ corners[left[0], 0]) @ axes, out, room
        left = left[~own]
        if len(left) and areas[left].sum() / 2 < np.pi * best[2] ** 2:  # what is left of the faces has no room for a larger circle
            break
    return best


def _largest_circle(triangles: Reals) -> tuple[Reals, float]:
    """The middle and the radius of the largest circle in a part of the plane that triangles cover."""
    bodies = library()
    area = bodies.CrossSection([t for t in triangles], bodies.FillRule.NonZero)  # noqa: C416 - a list of arrays
    low, high = 0.0, float(np.ptp(triangles.reshape(-1, 2), axis=0).min()) / 2 + 2 * FLAT
    while high - low > FLAT:
        half = (low + high) / 2
        low, high = (low, half) if area.offset(-half, bodies.JoinType.Miter).is_empty() else (half, high)
    inner = area.offset(-low, bodies.JoinType.Miter).to_polygons()
    return np.asarray(inner[0]).mean(axis=0) if inner else triangles[0].mean(axis=0), low
