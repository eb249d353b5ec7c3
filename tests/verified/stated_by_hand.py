"""Certificates without puzzlesat: puzzles stated in Python, their counts by plain enumeration over points, and their search trees.

This module shares nothing with a checker. Atoms are sets of exact points with a kind; a motion is a matrix and a translation; solutions and
counts are defined as in docs/format.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations, product

SQUARE = [["f", "face", [(0, 0), (1, 0), (1, 1), (0, 1)]]]
EDGES = [*SQUARE, ["h", "edge", [(0, 0), (1, 0)]], ["v", "edge", [(0, 0), (0, 1)]]]
HALVES = [["L", "face", [(0, 0), (1, 0), (0, 1)]], ["R", "face", [(1, 0), (1, 1), (0, 1)]]]
CUBE = [["c", "face", list(product((0, 1), repeat=3))]]


@dataclass(frozen=True)
class Shape:
    """An atom at any place."""

    kind: str
    points: frozenset

    def moved(self, by):
        return Shape(self.kind, frozenset(tuple(x + d for x, d in zip(p, by, strict=True)) for p in self.points))

    def turned(self, matrix):
        return Shape(self.kind, frozenset(tuple(sum(m * x for m, x in zip(row, p, strict=True)) for row in matrix) for p in self.points))


@dataclass
class Grid:
    """Atoms ``(name, kind, corners)`` of the cell at 0, and the scalar products of the lattice."""

    atoms: list
    gram: list
    shapes: list = field(init=False)
    motions: list = field(init=False)
    """Matrix and translation of each isometry, up to lattice vectors."""

    def __post_init__(self):
        self.shapes = [Shape(kind, frozenset(tuple(map(Fraction, p)) for p in corners)) for _, kind, corners in self.atoms]
        self.motions = list(self._motions())

    @property
    def dimension(self):
        return len(self.gram)

    def shape(self, atom):
        return self.shapes[atom[-1]].moved(atom[:-1])

    def atom(self, shape):
        """Return the numbers of an atom, or None if it does not exist."""
        for number, own in enumerate(self.shapes):
            by = [x - y for x, y in zip(min(shape.points), min(own.points), strict=True)]
            if all(x.denominator == 1 for x in by) and own.moved(by) == shape:
                return (*map(int, by), number)
        return None

    def go(self, motion, atom, by=None):
        """Where an atom goes."""
        matrix, translation = self.motions[motion]
        shape = self.shape(atom).turned(matrix).moved(translation)
        return self.atom(shape if by is None else shape.moved(by))

    def _motions(self):
        n = range(self.dimension)
        for entries in product((-1, 0, 1), repeat=self.dimension**2):
            m = [entries[i * self.dimension : (i + 1) * self.dimension] for i in n]
            if any(sum(m[k][i] * self.gram[k][q] * m[q][j] for k in n for q in n) != self.gram[i][j] for i in n for j in n):
                continue
            first = self.shapes[0].turned(m)
            for target in self.shapes:
                by = tuple(x - y for x, y in zip(min(target.points), min(first.points), strict=True))
                if all(self.atom(s.turned(m).moved(by)) is not None for s in self.shapes) and first.moved(by) == target:
                    yield m, by

    def is_mirror(self, motion):
        m = self.motions[motion][0]
        if len(m) == 2:
            return m[0][0] * m[1][1] - m[0][1] * m[1][0] < 0
        return sum(m[0][i] * (m[1][(i + 1) % 3] * m[2][(i + 2) % 3] - m[1][(i + 2) % 3] * m[2][(i + 1) % 3]) for i in range(3)) < 0

    def stated(self):
        """The symmetries as certificates state them."""
        zero = (0,) * self.dimension
        for i, (matrix, _) in enumerate(self.motions):
            there = [self.go(i, (*zero, n)) for n in range(len(self.atoms))]
            image, shift = [a[-1] for a in there], [list(a[:-1]) for a in there]
            yield {"name": str(i), "matrix": list(map(list, matrix)), "image": image, "shift": shift}


def grid(atoms=SQUARE, gram=None):
    """Return a grid, by default on the square or the cubic lattice."""
    d = len(atoms[0][2][0])
    return Grid(atoms, gram or [[int(i == j) for j in range(d)] for i in range(d)])


def tile(name, atoms, *, marks=(), turns=None, ranges=((1, 1),)):
    """A tile as certificates state it; ``turns`` None: all motions."""
    return {"name": name, "atoms": _lists(atoms), "marks": _lists(marks), "symmetries": turns, "ranges": _lists(ranges)}


def puzzle(of, tiles, required, *, optional=(), **other):
    """A puzzle as certificates state it."""
    every = list(range(len(of.motions)))
    return {
        "name": "by-hand", "title": "", "gram": [[str(x) for x in row] for row in of.gram],
        "atoms": [{"name": n, "kind": k, "vertices": [[str(x) for x in p] for p in c]} for n, k, c in of.atoms],
        "symmetries": list(of.stated()), "tiles": [t | {"symmetries": every} if t["symmetries"] is None else t for t in tiles],
        "required": _lists(required), "optional": _lists(optional), "mates": {}, "fits": {}, "coloured": [],
        "border": None, "rules": [], "fixed": [], "keep": [], "mirrored": True, **other,
    }  # fmt: skip


def box(*sizes, number=0):
    return [[*cell, number] for cell in product(*map(range, sizes))]


def rule(tiles=(), atoms=(), *, low=0, high=0, modulus=0, residue=0):
    return {
        "name": "rule", "atoms": [[list(a), w] for a, w in atoms], "tiles": dict(tiles), "low": low, "high": high,
        "modulus": modulus, "residue": residue,
    }  # fmt: skip


class Enumerated:
    """Placements and solutions of a stated puzzle, by the points of its atoms."""

    def __init__(self, of, said):
        self.grid, self.said = of, said
        self.required, self.optional = (list(map(tuple, said[key])) for key in ("required", "optional"))
        self.form = {*self.required, *self.optional}
        self.colour = {tuple(a): c for a, c in said["coloured"]}
        self.placements = [p for t in range(len(said["tiles"])) for p in self._placements(t)]
        self.fixed = {(f["tile"], frozenset(map(tuple, f["atoms"])), _marks(f["marks"])) for f in said["fixed"]}
        lows = [sum(low for low, _ in t["ranges"]) for t in said["tiles"]]
        highs = [None if any(h is None for _, h in t["ranges"]) else sum(h for _, h in t["ranges"]) for t in said["tiles"]]
        self.items = [*((1, 1) for _ in self.required), *((0, 1) for _ in self.optional), *zip(lows, highs, strict=True)]
        self.tree: list[int] = []
        self.coverings: list[frozenset] = []

    def _placements(self, number):
        stated, seen = self.said["tiles"][number], set()
        atoms, marks = set(map(tuple, stated["atoms"])), _marks(stated["marks"])
        for motion in stated["symmetries"]:
            turned = sorted(self.grid.go(motion, a) for a in atoms)
            corner = [min(a[i] for a in turned) for i in range(self.grid.dimension)]
            home = _shifted(turned, [-x for x in corner])
            shown = self._marks_go(motion, marks, [-x for x in corner])
            if (home, shown) in seen:
                continue
            seen.add((home, shown))
            for target in sorted(self.form):
                first = min(home)
                by = [x - y for x, y in zip(target[:-1], first[:-1], strict=True)]
                there = _shifted(home, by)
                look = frozenset((*_shifted([s], by), *_shifted([f], by), n) for s, f, n in shown)
                if target[-1] == first[-1] and there <= self.form and self._may_lie(look):
                    yield number, there, look

    def _marks_go(self, motion, marks, by):
        return frozenset((self.grid.go(motion, s, by), self.grid.go(motion, f, by), n) for s, f, n in marks)

    def _faces(self, side):
        own = self.grid.shape(side)
        near = product(*(range(x - 2, x + 3) for x in side[:-1]))
        faces = [(*cell, n) for cell in near for n, s in enumerate(self.grid.shapes) if s.kind == self.grid.shapes[0].kind]
        return [f for f in faces if own.kind != self.grid.shapes[0].kind and own.points <= self.grid.shape(f).points]

    def _may_lie(self, look):
        mates, border = self.said["mates"], self.said["border"]
        for side, face, name in look:
            if side == face:
                if face in self.colour and self.colour[face] not in self.said["fits"][name]:
                    return False
            elif border is not None and mates[name] != border and not self.form.issuperset(self._faces(side)):
                return False
        return True

    def clash(self, p, q):
        mates = self.said["mates"]
        return bool(p[1] & q[1]) or any(
            s == t and s != f and t != g and f != g and mates[n] != m for s, f, n in p[2] for t, g, m in q[2]
        )  # fmt: skip

    def items_of(self, p):
        atoms = [*self.required, *self.optional]
        return [*(i for i, a in enumerate(atoms) if a in p[1]), len(atoms) + p[0]]

    def solutions(self):
        """All of them, as sets of placement numbers. ``coverings`` also has those that break rules, and ``tree`` has their search tree."""
        self.tree, found = [], []
        items = [frozenset(self.items_of(p)) for p in self.placements]

        def after(possible, chosen, o):
            used = Counter(i for c in (*chosen, o) for i in items[c])
            full = {i for i in items[o] if self.items[i][1] is not None and used[i] >= self.items[i][1]}
            return {q for q in possible if q != o and not full & items[q] and not self.clash(self.placements[o], self.placements[q])}

        def node(possible, chosen):
            used = Counter(i for c in chosen for i in items[c])
            lacking = [i for i, (low, _) in enumerate(self.items) if used[i] < low]
            if not possible and not lacking:
                found.append(frozenset(chosen))
                return
            live = lacking or [len(self.required) + len(self.optional) + self.placements[min(possible)][0]]
            item = min(live, key=lambda i: sum(i in items[q] for q in possible))
            self.tree.append(item)
            choices = sorted(q for q in possible if item in items[q])
            if len(choices) < self.items[item][0] - used[item]:
                return
            for o in choices:
                node(after(possible, chosen, o), (*chosen, o))
                possible = possible - {o}
            if item not in lacking:
                node(possible, chosen)

        possible, chosen = set(range(len(self.placements))), ()
        for o in sorted(self.placements.index(f) for f in self.fixed):
            possible, chosen = after(possible, chosen, o), (*chosen, o)
        node(possible, chosen)
        self.coverings = found
        return [s for s in found if self._keeps_rules(s)]

    def _keeps_rules(self, solution):
        for r in self.said["rules"]:
            weights = {tuple(a): w for a, w in r["atoms"]}
            names = [t["name"] for t in self.said["tiles"]]
            used = [self.placements[o] for o in solution]
            total = sum(sum(weights.get(a, 0) for a in p[1]) + r["tiles"].get(names[p[0]], 0) for p in used)
            if not (total % r["modulus"] == r["residue"] if r["modulus"] else r["low"] <= total <= r["high"]):
                return False
        return True

    def labelled(self, solution):
        """Count every way to assign copies of pieces, one by one."""
        ways = 1
        for number, stated in enumerate(self.said["tiles"]):
            used = sum(self.placements[o][0] == number for o in solution)
            pool = [(piece, copy) for piece, (_, high) in enumerate(stated["ranges"]) for copy in range(high)]
            lows = [low for low, _ in stated["ranges"]]
            ways *= sum(all(sum(p == i for p, _ in chosen) >= low for i, low in enumerate(lows)) for chosen in permutations(pool, used))
        return ways

    def distinct(self, solutions):
        """Orbits under all motions of the form and all exchanges of tiles with the same copies that keep the rules of each covering."""
        number = {p: o for o, p in enumerate(self.placements)}
        acts = [[number.get(image) for image in images] for images in self._acts()]
        kept = {s: self._keeps_rules(s) for s in self.coverings}
        acts = [a for a in acts if None not in a and all(kept[frozenset(a[o] for o in s)] == holds for s, holds in kept.items())]
        left, orbits = set(solutions), 0
        while left:
            orbits += 1
            rim = {left.pop()}
            while rim:
                rim = {frozenset(a[o] for o in s) for s in rim for a in acts} & left
                left -= rim
        return orbits

    def _acts(self):
        tiles, d = self.said["tiles"], self.grid.dimension
        parts = [set(self.required), set(self.optional), set(map(tuple, self.said["keep"]))]
        for motion in range(len(self.grid.motions)):
            if self.grid.is_mirror(motion) and not self.said["mirrored"]:
                continue
            by = [min(a[i] for a in self.form) - min(self.grid.go(motion, a)[i] for a in self.form) for i in range(d)]
            go = {a: self.grid.go(motion, a, by) for a in self.form}
            if any({go.get(a) for a in part} != part for part in parts):
                continue
            if any(self.colour.get(a) != self.colour.get(b) for a, b in go.items()):
                continue
            looks = [(frozenset(go[a] for a in p[1]), self._marks_go(motion, p[2], by)) for p in self.placements]
            for exchange in permutations(range(len(tiles))):
                if all(sorted(tiles[t]["ranges"]) == sorted(tiles[u]["ranges"]) for t, u in enumerate(exchange)):
                    images = [(exchange[p[0]], *look) for p, look in zip(self.placements, looks, strict=True)]
                    if {i for p, i in zip(self.placements, images, strict=True) if p in self.fixed} == self.fixed:
                        yield images


def certificate(said, tree=b"", *, kind="tree", size=1, claim=(None, None, None), **hints):
    """Return certificate.json and the bytes of the tree."""
    return {
        "kind": kind, "claim": dict(zip(("labelled", "all", "distinct"), claim, strict=True)), "kept": None, "removals": [],
        "record_bytes": size, "puzzle": said, **hints,
    }, bytes(tree)  # fmt: skip


def _lists(things):
    return [list(thing) for thing in things]


def _marks(stated):
    return frozenset((tuple(s), tuple(f), n) for s, f, n in stated)


def _shifted(atoms, by):
    return frozenset((*(x + d for x, d in zip(a[:-1], by, strict=True)), a[-1]) for a in atoms)
