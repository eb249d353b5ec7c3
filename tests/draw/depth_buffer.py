"""A judge of pictures of bodies: rays through pixels against the atoms themselves, and the contents of an SVG at a pixel.

It uses no faces, no clipping and no drawing order. A polytope is the intersection of half-spaces: each plane goes through three vertices
and has no vertex above it. A ball and a neck are given by their equations.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from xml.etree import ElementTree

import numpy as np

SVG = "{http://www.w3.org/2000/svg}"
NOTHING = -1


def eye_of(grid):
    """The directions right, down and towards the eye, as rows."""
    turn, tilt = np.radians(12.0 if grid.of_balls else 28.0), np.radians(27.0)
    right = np.array([np.cos(turn), np.sin(turn), 0.0])
    eye = np.array([np.sin(turn) * np.cos(tilt), -np.cos(turn) * np.cos(tilt), np.sin(tilt)])
    return np.array([right, -np.cross(eye, right), eye])


@cache
def _basis(grid):
    return np.linalg.cholesky(np.array([[float(x) for x in row] for row in grid.gram]))


@cache
def _half_spaces(grid, number):
    """Normals n and numbers h with n x <= h for all points x of the atom, in view coordinates, in units of the Gram matrix."""
    points = np.array([[float(x) for x in v] for v in grid.atoms[number].vertices]) @ _basis(grid) @ eye_of(grid).T
    found = {}
    for a, b, c in combinations(points, 3):
        normal = np.cross(b - a, c - a)
        if np.linalg.norm(normal) < 1e-9:
            continue
        normal /= np.linalg.norm(normal)
        heights = (points - a) @ normal
        for way in (1, -1):
            if (way * heights).max() < 1e-9:
                found[tuple((way * normal).round(6) + 0.0)] = (way * normal, way * float(a @ normal))
    return list(found.values())


def origin(grid, atom):
    return np.array([float(x) for x in atom[:-1]]) @ _basis(grid) @ eye_of(grid).T


def surface_at(grid, bodies, factor, pixels):
    """Return the number of the body that is nearest to the eye at each pixel, and a number of its plane there.

    ``bodies`` are pairs of atoms and a shift (right, down, towards the eye, in units of the Gram matrix).
    """
    look = _ball_depths if grid.of_balls else _polytope_depths
    depth, owner, plane = np.full(len(pixels), -np.inf), np.full(len(pixels), NOTHING), np.full(len(pixels), NOTHING)
    planes: dict = {}
    for number, (atoms, shift) in enumerate(bodies):
        for exit_depth, key in look(grid, atoms, np.asarray(shift), pixels / factor):
            nearer = exit_depth > depth + 1e-9
            depth[nearer], owner[nearer] = exit_depth[nearer], number
            plane[nearer] = planes.setdefault((number, key), len(planes))
    return owner, plane


def _polytope_depths(grid, atoms, shift, points):
    """Yield the depth at which each ray leaves an atom by each of its faces; -inf for rays that leave by another."""
    for atom in atoms:
        move = origin(grid, atom) + shift
        enter, leave, by = np.full(len(points), -np.inf), np.full(len(points), np.inf), np.full(len(points), NOTHING)
        spaces = _half_spaces(grid, atom[-1])
        for i, (normal, height) in enumerate(spaces):
            room = height + normal @ move - points @ normal[:2]
            if abs(normal[2]) < 1e-9:
                leave = np.where(room < 0, -np.inf, leave)
                continue
            at = room / normal[2]
            if normal[2] > 0:
                by = np.where(at < leave, i, by)
                leave = np.minimum(leave, at)
            else:
                enter = np.maximum(enter, at)
        leave[leave <= enter] = -np.inf
        for i, (normal, height) in enumerate(spaces):
            # without the shift, whose rounding could separate two faces of one plane; bodies have separate planes anyway
            key = (*(normal.round(6) + 0.0), round(height + float(normal @ origin(grid, atom)), 5) + 0.0)
            yield np.where(by == i, leave, -np.inf), key


@cache
def ball_size(grid):
    """Half the distance of two touching balls."""
    steps = [np.array(s) for s in np.ndindex(3, 3, 3) if s != (1, 1, 1)]
    return min(float(np.linalg.norm((s - 1.0) @ _basis(grid))) for s in steps) / 2


def _ball_depths(grid, atoms, shift, points):
    radius, centres = ball_size(grid), np.array([origin(grid, a) for a in atoms]) + shift
    for c in centres:
        rest = radius**2 - ((points - c[:2]) ** 2).sum(axis=1)
        yield np.where(rest > 0, c[2] + np.sqrt(np.maximum(rest, 0)), -np.inf), "ball"
    for a, b in combinations(centres, 2):
        if np.linalg.norm(a - b) < 2.001 * radius:
            yield _cylinder_depth(a, b, 0.45 * radius, radius, points), "neck"


def _cylinder_depth(a, b, thin, radius, points):
    """Return where rays leave the part outside of the balls of a cylinder round the line from a to b."""
    u = (b - a) / np.linalg.norm(b - a)
    start, end = np.sqrt(radius**2 - thin**2), 2 * radius - np.sqrt(radius**2 - thin**2)
    p = np.column_stack([points, np.zeros(len(points))]) - a
    e = np.array([0.0, 0.0, 1.0])
    across, ahead = p - np.outer(p @ u, u), e - (e @ u) * u
    # |across + t ahead|^2 = thin^2
    qa, qb, qc = ahead @ ahead, across @ ahead, (across**2).sum(axis=1) - thin**2
    if qa < 1e-12:
        return np.where(qc < 0, max(a[2], b[2]), -np.inf)
    root = qb**2 - qa * qc
    with np.errstate(invalid="ignore"):
        near, far = ((-qb + way * np.sqrt(root)) / qa for way in (1, -1))
    if abs(u[2]) > 1e-12:
        one, other = ((x - p @ u) / u[2] for x in (start, end))
        near, far = np.minimum(near, np.maximum(one, other)), np.maximum(far, np.minimum(one, other))
    else:
        root = np.where((p @ u > start) & (p @ u < end), root, -1.0)
    return np.where((root > 0) & (near > far), near, -np.inf)


@dataclass
class Shown:
    """Filled shapes in painting order, each with its owner; lines; texts with their middles and sizes."""

    fills: list = field(default_factory=list)
    lines: list = field(default_factory=list)
    texts: list = field(default_factory=list)

    def owners(self, pixels):
        """Return the owner and the colour of the last shape painted at each pixel."""
        owner, colour = np.full(len(pixels), NOTHING), np.full(len(pixels), "", dtype=object)
        for who, fill, loops in self.fills:
            inside = np.zeros(len(pixels), dtype=int)
            for loop in loops:
                inside += _winding(loop, pixels)
            owner[inside != 0], colour[inside != 0] = who, fill
        return owner, colour


def _winding(loop, pixels):
    ends = np.roll(loop, -1, axis=0)
    (x, y), turns = pixels.T, np.zeros(len(pixels), dtype=int)
    for (ax, ay), (bx, by) in zip(loop, ends, strict=True):
        side = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        turns += ((ay <= y) & (by > y) & (side > 0)).astype(int) - ((ay > y) & (by <= y) & (side < 0)).astype(int)
    return turns


def loops_of(d):
    """The corners of the loops of a path; an arc counts as half a circle, as in discs."""
    if "a" in d:
        x, y, r = map(float, re.match(r"M(\S+) (\S+?)a(\S+) ", d).groups())
        angles = np.linspace(0, 2 * np.pi, 400, endpoint=False)
        return [np.array([x + r, y]) + r * np.stack([np.cos(angles), np.sin(angles)], axis=1)]
    return [np.array([[float(n) for n in p.split()] for p in re.split("[ML]", loop) if p.strip()]) for loop in d.split("Z") if loop]


def read(svg, owners):
    """Return the contents of an SVG group; ``owners`` has the numbers of bodies by their names there."""
    root = ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{svg}</svg>')
    shown = Shown()

    def walk(node, move, owner):
        if found := re.match(r"translate\((\S+) (\S+)\)", node.get("transform", "")):
            move = move + np.array([float(found[1]), float(found[2])])
        title = node.find(f"{SVG}title")
        name = node.get("data-placement") or (title.text if title is not None else None)
        owner = owners.get(name, owner)
        if node.tag == f"{SVG}path":
            if node.get("fill") in (None, "none"):
                lines = (line.split("L") for line in node.get("d").split("M") if line)
                shown.lines += [np.array([[float(n) for n in p.split()] for p in line]) + move for line in lines]
            else:
                shown.fills.append((owner, node.get("fill"), [loop + move for loop in loops_of(node.get("d"))]))
        if node.tag == f"{SVG}text":
            size = float(node.get("font-size"))
            middle = np.array([float(node.get("x")), float(node.get("y")) - 0.36 * size]) + move
            shown.texts.append((node.text, middle, size))
        for child in node:
            walk(child, move, owner)

    walk(root, np.zeros(2), NOTHING)
    return shown
