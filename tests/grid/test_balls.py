"""Motions of balls: what a close packing allows pieces in one plane beyond its own symmetries."""

from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from brute_force import lattice_of
from helpers import load
from puzzlesat.counting import Plan, count
from puzzlesat.puzzles import orientations, polyforms
from puzzlesat.solvers.registry import SOLVERS
from tiers import every, is_fast

# the second and third lattice steps lead to neighbours, at 60 degrees; without the first, they are at right angles
PLANE = {
    "triangle": ([[0, 0, 0], [0, 1, 0], [0, 0, 1]], 8, 8),  # 4 planes, 2 triangles in each
    "hook": ([[0, 0, 0], [0, 1, 0], [0, 2, 0], [0, 2, 1]], 48, 48),  # 4 planes, 12 orientations in each, turned over or mirrored
    "row": ([[0, 0, 0], [0, 1, 0], [0, 2, 0]], 6, 6),  # 6 directions
    "square": ([[0, 0, 0], [0, 1, 0], [1, -1, 0], [1, 0, 0]], 3, 3),  # 3 planes
    "tetrahedron": ([[0, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 1, 1]], 2, 2),
}


def puzzle(tiles, atoms, **keys):
    return {"title": "balls", "grid": "balls", "flips": False, "tiles": tiles, "form": {"atoms": atoms}, **keys}


@every("name", PLANE, fast=("triangle", "tetrahedron"))
def test_orientations_of_pieces_of_balls(name):
    atoms, turned, mirrored = PLANE[name]
    for flips, expected in ((False, turned), (True, mirrored)):
        loaded = load(puzzle({"A": {"atoms": atoms}}, atoms, flips=flips)).puzzle
        found = orientations(loaded.grid, loaded.tiles[0])
        assert len(found) == expected
        assert {distances(o.atoms) for o in found} == {distances([(*a, 0) for a in atoms])}


def distances(atoms):
    gram = lattice_of("balls").gram
    steps = [[x - y for x, y in zip(a[:3], b[:3], strict=True)] for a in atoms for b in atoms]
    return tuple(sorted(sum(s[i] * gram[i][j] * s[j] for i in range(3) for j in range(3)) for s in steps))


@pytest.mark.full
def test_a_layer_of_balls_has_the_symmetry_of_the_hexagon():
    """Two bent rows and a single ball form a hexagon of seven balls in as many ways as in the plane."""
    ring = [[0, 1, 0], [0, 0, 1], [0, -1, 1], [0, -1, 0], [0, 0, -1], [0, 1, -1], [0, 0, 0]]
    tiles = {"T": {"atoms": ring[:3], "copies": 2}, "B": {"atoms": [[0, 0, 0]]}}
    flat = {"T": {"atoms": [[x, y] for _, x, y in ring[:3]], "copies": 2}, "B": {"atoms": [[1, 1]]}}
    plane = {"title": "flat", "grid": "hexagon", "flips": False, "tiles": flat, "form": {"atoms": [[x + 3, y + 3] for _, x, y in ring]}}
    plan = Plan(solvers=tuple(SOLVERS))
    in_space, in_plane = count(load(puzzle(tiles, ring)), plan), count(load(plane | {"mirrored": "same"}), plan)
    assert in_space.agree and in_plane.agree
    assert (in_space.counts.all, in_space.counts.distinct) == (in_plane.counts.all, in_plane.counts.distinct)
    assert in_space.counts.all > 3  # three solutions have the single ball in the middle


NUMBERS = {"fixed": [1, 6, 50, 475], "one_sided": [1, 1, 4, 25], "free": [1, 1, 4, 20]}


@every("convention, numbers", NUMBERS.items(), fast=("one_sided",))
def test_numbers_of_polyspheres(convention, numbers):
    """Numbers published for the face-centred cubic lattice: 25 up to all turns of the body, 28 up to turns of the lattice."""
    grid = load(puzzle({"A": {"atoms": PLANE["row"][0]}}, PLANE["row"][0])).puzzle.grid
    if is_fast():
        numbers = numbers[:3]  # the fourth takes a second
    assert [len(polyforms(grid, size, convention)) for size, _ in enumerate(numbers, start=1)] == numbers


STEPS = ((2, 0, 0), (1, 1, 0), (1, 0, 1))
"""The lattice steps in coordinates at right angles, in which balls lie where the sum is even and neighbours are (1, 1, 0) apart."""
NEAR = [v for v in product((-1, 0, 1), repeat=3) if sorted(map(abs, v)) == [0, 1, 1]]


def dot(u, v):
    return sum(x * y for x, y in zip(u, v, strict=True))


def minus(u, v):
    return tuple(x - y for x, y in zip(u, v, strict=True))


def cross(u, v):
    return tuple(u[i - 2] * v[i - 1] - u[i - 1] * v[i - 2] for i in range(3))


@cache
def motions(*, mirrors):
    """Return each motion that maps two directions of neighbours to two others, as the images of the three axes."""
    pairs = [(u, v) for u, v in product(NEAR, repeat=2) if any(cross(u, v))]
    found = set()
    for (u, v), (s, t), sign in product(pairs, pairs, (1, -1) if mirrors else (1,)):
        if dot(u, v) == dot(s, t):
            n, m = cross(u, v), [sign * x for x in cross(s, t)]
            over = dot(n, n)
            parts = [(dot(cross(x, v), n), dot(cross(u, x), n), dot(x, n)) for x in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
            found.add(tuple(tuple(Fraction(a * s[i] + b * t[i] + c * m[i], over) for i in range(3)) for a, b, c in parts))
    return found


IN_PARTS = {"ball and row": [[0, 0, 0], [1, 0, 1], [2, -1, 0], [3, -2, -1]], "two balls": [[0, 0, 0], [1, 0, 0]]}
ALL = IN_PARTS | {name: PLANE[name][0] for name in ("hook", "tetrahedron")}


@pytest.mark.slow
@every("name, flips", [pytest.param(name, flips, id=f"{name} {flips}") for name in ALL for flips in (False, True)])
def test_a_tile_of_balls_in_parts_is_turned_by_the_same_motions(name, flips):
    """The first cell is a ball and a separate row: a turn of the row about itself must not move the ball to another lattice point."""
    atoms = ALL[name]
    balls = [tuple(dot(a, axis) for axis in zip(*STEPS, strict=True)) for a in atoms]
    looks = set()
    for images in motions(mirrors=flips):
        there = [tuple(dot(minus(ball, balls[0]), axis) for axis in zip(*images, strict=True)) for ball in balls]
        if all(x.denominator == 1 for place in there for x in place) and all(sum(place) % 2 == 0 for place in there):
            looks.add(frozenset(minus(place, min(there)) for place in there))
    tile = {"atoms": atoms} | ({"parts": 2} if name in IN_PARTS else {})
    loaded = load(puzzle({"A": tile}, atoms, flips=flips)).puzzle
    assert len(orientations(loaded.grid, loaded.tiles[0])) == len(looks)
