"""Make the list of placements of instances/stomachion: ``python tests/stomachion_placements.py`` writes it, in half a minute.

The fourteen pieces of Archimedes' Stomachion have their corners on lattice points of a square of 12 by 12. Each is turned by the eight
symmetries of the square and laid on all lattice points. Their edges have too many directions for any grid to express the pieces as unions
of its atoms. Hence each quarter of the 144 squares represents one point inside it that lies on no edge of a placement, and a placement
covers the quarters whose points lie in it. In a packing each point lies in one piece, so every packing is a solution of the puzzle.
Conversely, tests/test_listed.py shows that the placements used together in solutions have disjoint interiors, so every solution is a
packing.

The points are chosen equally in all eight parts of the square, so that its symmetries are symmetries of the lists.

Placements that are in no packing for a simple reason are omitted: with one of them, some point cannot be covered, or some tile has no
place. This check uses more points than there are atoms. Nothing of puzzlesat is imported here.
"""

from itertools import product

import numpy as np

from listed_placements import INSTANCES, file_of

N = 12
"""The side of the square."""
PIECES = {
    "A": [(0, 12), (0, 0), (2, 10)],
    "B": [(0, 0), (2, 10), (4, 8)],
    "C": [(0, 12), (4, 8), (6, 12)],
    "D": [(4, 8), (6, 12), (6, 6)],
    "E": [(0, 0), (3, 0), (2, 4)],
    "F": [(3, 0), (2, 4), (3, 6)],
    "G": [(3, 0), (3, 6), (4, 8), (6, 6), (6, 0)],
    "H": [(12, 0), (8, 4), (9, 6)],
    "I": [(6, 6), (8, 4), (9, 6), (6, 12)],
    "J": [(6, 12), (9, 6), (12, 8), (12, 12)],
    "K": [(9, 6), (12, 6), (12, 8)],
    "L": [(9, 6), (12, 6), (12, 0)],
}
"""Corners as they lie in Suter's construction. C and D are there twice: also [(6, 0), (12, 0), (8, 4)], and [(6, 0), (6, 6), (8, 4)]."""
TWICE = "CD"
QUARTERS = {"L": ((0, 0), (1, 1), (0, 2)), "B": ((0, 0), (2, 0), (1, 1)), "T": ((0, 2), (1, 1), (2, 2)), "R": ((2, 0), (2, 2), (1, 1))}
"""Corners in halves of a side."""
SCALE = 1009
"""A point is a sum of the corners of its quarter, whose weights add up to this prime."""
WEIGHTS = (642, 266, 101)
"""The points of the atoms."""
MORE_WEIGHTS = ((211, 387, 411), (139, 583, 287), (773, 65, 171))
"""Weights of further points, used only to exclude placements."""
TURNS = [((a, 0), (0, b)) for a in (1, -1) for b in (1, -1)] + [((0, a), (b, 0)) for a in (1, -1) for b in (1, -1)]


def times(matrix, point):
    return tuple(row[0] * point[0] + row[1] * point[1] for row in matrix)


def points(weights):
    """Map each quarter to its point, in units of 1 / (2 * SCALE) of a side."""
    found = {}
    for x, y, quarter in product(range(N), range(N), QUARTERS):
        corners = [(2 * x + a - N, 2 * y + b - N) for a, b in QUARTERS[quarter]]
        least, turn = min((sorted(times(t, c) for c in corners), t) for t in TURNS)
        point = tuple(sum(w * c[i] for w, c in zip(weights, least, strict=True)) for i in (0, 1))
        back = times(tuple(zip(*turn, strict=True)), point)
        found[x + 1, y + 1, quarter] = (back[0] + N * SCALE, back[1] + N * SCALE)
    return found


def area(corners):
    """Twice the area, positive if the corners are counterclockwise."""
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, [*corners[1:], corners[0]], strict=True))


def laid(corners):
    """Every placement of a piece: its corners, counterclockwise."""
    looks = {}
    for turn in TURNS:
        there = [times(turn, c) for c in corners]
        low = [min(axis) for axis in zip(*there, strict=True)]
        there = [(x - low[0], y - low[1]) for x, y in there]
        looks.setdefault(frozenset(there), there if area(there) > 0 else there[::-1])
    for look in looks.values():
        width, height = (max(axis) for axis in zip(*look, strict=True))
        for dy, dx in product(range(N + 1 - height), range(N + 1 - width)):
            yield tuple((x + dx, y + dy) for x, y in look)


def to_the_left(a, b, points):
    """Return for each point its distance to the left of the line from a to b."""
    return (b[0] - a[0]) * (points[:, 1] - a[1]) - (b[1] - a[1]) * (points[:, 0] - a[0])


def inside(corners, where):
    """Return which points lie in a convex piece; no point lies on an edge."""
    scaled = [(2 * SCALE * x, 2 * SCALE * y) for x, y in corners]
    sides = np.array([to_the_left(a, b, where) for a, b in zip(scaled, [*scaled[1:], scaled[0]], strict=True)])
    assert not ((sides == 0).any(axis=0) & (sides >= 0).all(axis=0)).any(), "a point lies on an edge"
    return (sides > 0).all(axis=0)


def apart(one, other):
    """Return whether the interiors of two convex pieces are disjoint: an edge of one has the other on its outer side."""
    return any(
        (to_the_left(a, b, np.array(theirs)) <= 0).all()
        for mine, theirs in ((one, other), (other, one))
        for a, b in zip(mine, [*mine[1:], mine[0]], strict=True)
    )


def every_placement():
    """All placements: pairs of a piece and its corners."""
    return [(name, corners) for name, piece in PIECES.items() for corners in laid(piece)]


def kept(placements):
    """Return the placements that are not excluded."""
    where = np.array([p for weights in (WEIGHTS, *MORE_WEIGHTS) for p in points(weights).values()])
    cover = np.packbits(np.array([inside(corners, where) for _, corners in placements]), axis=1).view(np.uint64)
    piece = np.array(["ABCDEFGHIJKL".index(name) for name, _ in placements])
    number = np.arange(len(placements))
    before = None
    while before != len(number):
        before = len(number)
        number = number[[_may_be(i, cover, piece, cover[number], piece[number]) for i in number]]
    return [placements[i] for i in number]


def _may_be(i, cover, piece, others, theirs):
    """Return whether beside a placement each point can be covered, and each piece can be placed."""
    beside = ~(others & cover[i]).any(axis=1)
    if "ABCDEFGHIJKL"[piece[i]] not in TWICE:
        beside &= theirs != piece[i]
    covered = np.bitwise_or.reduce(others[beside], axis=0, initial=0) | cover[i]
    whole = np.bitwise_or.reduce(others, axis=0)
    return bool((covered == whole).all()) and {*theirs[beside].tolist(), int(piece[i])} == set(range(len(PIECES)))


def atoms_of(corners, where=None):
    """The quarters that a placement covers, in the order of the file."""
    where = points(WEIGHTS) if where is None else where
    names = sorted(where, key=lambda a: (a[1], a[0], "LBTR".index(a[2])))
    return [a for a, within in zip(names, inside(corners, np.array([where[a] for a in names])), strict=True) if within]


def stomachion(placements):
    """The text of the instance."""
    where = points(WEIGHTS)
    listed = {name: (1 + (name in TWICE), []) for name in PIECES}
    outlines = {name: [] for name in PIECES}
    for name, corners in placements:
        listed[name][1].append(atoms_of(corners, where))
        outlines[name].append([(x + 1, y + 1) for x, y in corners])
    head = (
        'title = "Stomachion"\n'
        'source = "Archimedes; the pieces as in H. Suter, Der Loculus Archimedius (1899), drawn in a square"\n'
        "# Fourteen pieces with their corners on the lattice points of a square. Each quarter of a square stands for a point inside\n"
        "# it, and a placement covers the quarters whose points lie in it: outlines are what is drawn. Made by\n"
        "# tests/stomachion_placements.py, which says why the solutions are the packings. C and D are there twice.\n"
        'grid = "tans"\nflips = true\n'
    )
    expect = (
        "labelled = 17152\nall = 4288\ndistinct = 536\n"
        'published = "536 solutions up to symmetry and the exchange of equal pieces, 17,152 in all (Bill Cutler, 2003)"\n'
        'source = "Ed Pegg, The Loculus of Archimedes, Solved (MAA Math Games, 17 November 2003)"\n'
    )
    return file_of(head, listed, "box = [12, 12]\n", expect, outlines)


if __name__ == "__main__":
    (INSTANCES / "stomachion").mkdir(exist_ok=True)
    (INSTANCES / "stomachion" / "stomachion.toml").write_text(stomachion(kept(every_placement())), encoding="utf-8")
