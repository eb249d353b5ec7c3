"""A second count of BurrTools' assemblies, as plain as possible: voxels are points, turned by matrices and tried one after the other.

Nothing of the package is used here. A shape is a dictionary from voxels to (state, colour), with the states ``#`` and ``+``.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import permutations, product
from math import sqrt

import numpy as np

Shape = dict[tuple[int, int, int], tuple[str, int]]


@dataclass
class Problem:
    """A result, its pieces as (shape, least, most), pairs of colours that may meet (from 1), and a limit on holes."""

    grid: int
    result: Shape
    pieces: list[tuple[Shape, int, int]]
    pairs: set[tuple[int, int]] = field(default_factory=set)
    holes: int | None = None


def signed_permutations():
    return [
        np.array([[sign[i] * (order[i] == j) for j in range(3)] for i in range(3)], dtype=float)
        for order in permutations(range(3))
        for sign in product((1, -1), repeat=3)
    ]


def about(axis, angle):
    """Rodrigues' formula."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def matrices(grid):
    """Return turns and mirrors of a grid; for spheres also turns by 60 degrees about the four diagonals of the cube."""
    if grid == 1:
        turns = [about((0, 0, 1), k * np.pi / 3) for k in range(6)]
        return [np.diag(d) @ t for t in turns for d in ((1, 1, 1), (1, 1, -1), (1, -1, 1), (1, -1, -1))]
    cube = signed_permutations()
    if grid != 2:
        return cube
    further = [g @ about((1, 1, 1), np.pi / 3) @ h for g in cube for h in cube]
    return list({tuple(np.round(m * 3).astype(int).ravel()): m for m in cube + further}.values())


def point(grid, voxel):
    """Return the place of a voxel, relative to a centre of rotation of the grid."""
    x, y, z = voxel
    if grid == 1:
        return np.array([0.5 + 0.5 * x, y * sqrt(0.75) + (sqrt(1 / 3) if (x + y) % 2 else sqrt(1 / 12)), z + 0.5])
    if grid == 3:
        return np.array(voxel) - 2.0
    if grid == 4:
        return np.array(voxel) + 0.5
    return np.array(voxel, dtype=float)


def is_period(grid, move):
    """Tell whether a translation maps the grid to itself; for balls, any that maps a ball to a ball."""
    if grid == 2:
        return True
    x, y, z = move
    step = {0: 1, 3: 5, 4: 3}.get(grid)
    steps = (x - y / sqrt(3), y / sqrt(0.75), z) if step is None else (x / step, y / step, z / step)
    whole = [round(c) for c in steps]
    return all(abs(c - w) < 1e-6 for c, w in zip(steps, whole, strict=True)) and (grid != 4 or sum(whole) % 2 == 0)


def key(p):
    return tuple(round(c * 1000) for c in p)


def turned(turn, p):
    return tuple((turn @ p).tolist())


def minus(p, q):
    return tuple(a - b for a, b in zip(p, q, strict=True))


def plus(p, q):
    return tuple(a + b for a, b in zip(p, q, strict=True))


def copies_in(grid, shape, turns, where):
    """Return all places of a shape inside the voxels of ``where``, as sets of (voxel, colour)."""
    at = {key(point(grid, v)): v for v in where}
    points = [(point(grid, v), colour) for v, (_, colour) in shape.items()]
    starts = [tuple(point(grid, v).tolist()) for v in where]
    found = set()
    for turn in turns:
        lying = [(turned(turn, p), colour) for p, colour in points]
        for start in starts:
            move = minus(start, lying[0][0])
            if is_period(grid, move):
                there = [(at.get(key(plus(p, move))), colour) for p, colour in lying]
                if all(v is not None for v, _ in there):
                    found.add(frozenset(there))
    return found


def symmetries(grid, result, turns):
    """Return each symmetry as a dictionary from voxels to voxels."""
    at = {key(point(grid, v)): v for v in result}
    found = {}
    for turn in turns:
        lying = {v: turned(turn, point(grid, v)) for v in result}
        first = next(iter(result))
        for start in result:
            move = minus(point(grid, start).tolist(), lying[first])
            if is_period(grid, move):
                image = {v: at.get(key(plus(p, move))) for v, p in lying.items()}
                if all(w is not None and result[w] == result[v] for v, w in image.items()):
                    found[tuple(sorted(image.items()))] = image
    return list(found.values())


def is_same(grid, a, b, turns):
    """Tell whether one shape can be turned into the other, with its colours."""
    if Counter(c for _, c in a.values()) != Counter(c for _, c in b.values()):
        return False
    coloured = frozenset((v, c) for v, (_, c) in b.items())
    return coloured in copies_in(grid, a, turns, b)


def mates(problem, mirrors):
    """Return the piece that replaces each piece in a mirror; None if some piece has no mate."""
    shapes = [shape for shape, _, _ in problem.pieces]
    mate = {}
    for i, shape in enumerate(shapes):
        if i in mate:
            continue
        if is_same(problem.grid, shape, shape, mirrors):
            mate[i] = i
            continue
        j = next((j for j in range(i + 1, len(shapes)) if j not in mate and is_same(problem.grid, shape, shapes[j], mirrors)), None)
        if j is None or problem.pieces[i][1:] != problem.pieces[j][1:]:
            return None
        mate |= {i: j, j: i}
    return mate


def assemblies(problem):
    """Return the number of assemblies, and whether mirrored ones were taken as one."""
    everything = matrices(problem.grid)
    turns = [m for m in everything if np.linalg.det(m) > 0]
    mirrors = [m for m in everything if np.linalg.det(m) < 0]
    places = []
    for shape, _, _ in problem.pieces:
        found = copies_in(problem.grid, shape, turns, problem.result)
        places.append([p for p in found if all(fits(problem, c, problem.result[v][1]) for v, c in p)])
    answers = set(search(problem, places))
    if any(low != high for _, low, high in problem.pieces) and problem.holes is not None:
        answers = {a for a in answers if len(problem.result) - sum(len(p) for piece in a for p in piece) <= problem.holes}
    mate = mates(problem, mirrors)
    moves = [(s, None) for s in symmetries(problem.grid, problem.result, turns)]
    if mate is not None:
        moves += [(s, mate) for s in symmetries(problem.grid, problem.result, mirrors)]
    orbits = 0
    left = set(answers)
    while left:
        one = left.pop()
        orbits += 1
        left -= {moved(one, *move) for move in moves}
    return orbits, mate is not None


def fits(problem, colour, below):
    return not colour or not below or (colour, below) in problem.pairs


def search(problem, places):
    """Yield all answers, as the places of each piece; each voxel is covered or, if variable, may stay empty."""
    voxels = sorted(problem.result)
    over = {v: [(i, p) for i, found in enumerate(places) for p in found if v in {w for w, _ in p}] for v in voxels}
    taken = [[] for _ in places]

    def extend(n, settled):
        if n == len(voxels):
            if all(len(t) >= low for t, (_, low, _) in zip(taken, problem.pieces, strict=True)):
                yield tuple(map(frozenset, taken))
            return
        v = voxels[n]
        if v in settled:
            yield from extend(n + 1, settled)
            return
        for i, p in over[v]:
            if len(taken[i]) < problem.pieces[i][2] and not any(w in settled for w, _ in p):
                taken[i].append(p)
                yield from extend(n + 1, settled | {w for w, _ in p})
                taken[i].pop()
        if problem.result[v][0] == "+":
            yield from extend(n + 1, settled | {v})

    yield from extend(0, frozenset())


def moved(answer, image, mate):
    there = [frozenset(frozenset((image[v], c) for v, c in p) for p in piece) for piece in answer]
    return tuple(there if mate is None else [there[mate[i]] for i in range(len(there))])


def xml(problem):
    shapes = [problem.result, *(shape for shape, _, _ in problem.pieces)]
    colours = max([0, *(c for shape in shapes for _, c in shape.values())])
    lines = ['<?xml version="1.0"?>', '<puzzle version="2">', f'<gridType type="{problem.grid}"/>']
    lines.append("<colors>" + '<color red="1" green="2" blue="3"/>' * colours + "</colors><shapes>")
    for shape in shapes:
        x, y, z = (max(axis) + 1 for axis in zip(*shape, strict=True))
        text = "".join(
            (shape[v][0] + (str(shape[v][1]) if shape[v][1] else "")) if (v := (i, j, k)) in shape else "_"
            for k in range(z)
            for j in range(y)
            for i in range(x)
        )
        lines.append(f'<voxel x="{x}" y="{y}" z="{z}" type="0">{text}</voxel>')
    holes = "" if problem.holes is None else f' maxHoles="{problem.holes}"'
    lines.append(f'</shapes><problems><problem state="0"{holes}><shapes>')
    for number, (_, low, high) in enumerate(problem.pieces, start=1):
        lines.append(f'<shape id="{number}" ' + (f'count="{low}"/>' if low == high else f'min="{low}" max="{high}"/>'))
    pairs = "".join(f'<pair piece="{a - 1}" result="{b - 1}"/>' for a, b in sorted(problem.pairs))
    lines.append(f'</shapes><result id="0"/><bitmap>{pairs}</bitmap></problem></problems></puzzle>')
    return "\n".join(lines)


WITHIN = {
    0: list(product(range(3), range(2), range(2))),
    1: list(product(range(4), range(2), range(2))),
    2: [v for v in product(range(4), range(4), range(3)) if sum(v) % 2 == 0],
    3: [v for v in product(range(5), repeat=3) if sorted(abs(c - 2) for c in v) == [0, 1, 2]],
    4: [
        v
        for v in product(range(6), range(3), range(3))
        if all(c % 3 == 1 for c in v) or (all(c % 3 != 1 for c in v) and sum(c // 3 + c % 3 // 2 for c in v) % 2 == 1)
    ],
}
"""All voxels of a small box of each grid."""


def random_problem(grid, seed):
    """Return a result cut into pieces; some are made congruent, mirrored, coloured, or used in ranges."""
    chance = random.Random(f"{grid} {seed}")
    middle = chance.choice(WITHIN[grid])
    near = sorted(WITHIN[grid], key=lambda v: (sum((a - b) ** 2 for a, b in zip(v, middle, strict=True)), chance.random()))
    voxels = near[: chance.randint(6, 10)] if chance.random() < 0.5 else WITHIN[grid][:12]
    colours = [0, 0, 1, 2] if chance.random() < 0.4 else [0]
    may_stay_empty = 0.3 if chance.random() < 0.4 else 0
    result = {v: ("+" if chance.random() < may_stay_empty else "#", chance.choice(colours)) for v in voxels}
    left, pieces = list(voxels), []
    while left:
        size = chance.choice([2, 3, 3, 4])
        shape = {v: ("#", chance.choice(colours)) for v in left[:size]}
        number = 2 if chance.random() < 0.2 and len(left) >= 2 * size else 1
        left = left[number * size :]
        if pieces and chance.random() < 0.3:
            shape = dict(chance.choice(pieces)[0])
        if grid in (0, 2) and chance.random() < 0.3:
            shape = {(y, x, z): state for (x, y, z), state in shape.items()}
        pieces.append((shape, *(chance.choice([(0, 1), (0, 2), (1, 2)]) if chance.random() < 0.15 else (number, number))))
    pairs = {pair for pair in product((1, 2), repeat=2) if chance.random() < 0.5}
    return Problem(grid, result, pieces, pairs, chance.choice([None, 0, 1, 2]))
