"""Certificates that were tampered with: the checker rejects them, or their claim is still true.

After any change, ``check_certificate`` must raise Rejected and nothing else, or accept a true statement. Then an enumeration that starts
from the puzzle in ``certificate.json`` alone, with its own geometry, finds exactly the claimed counts.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from io import BytesIO
from itertools import combinations, product
from math import comb, factorial, prod
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from stated_rules import StatedRules

from puzzlesat.base.limits import Limits
from puzzlesat.checker import Rejected, check_certificate
from puzzlesat.proofs import certify, prove
from puzzlesat.proofs.case import Kept, make_case
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from tiers import every, is_fast, tries

# ---------------------------------------------------------------- the judge, from the stated puzzle alone


class Senseless(Exception):
    """The stated puzzle is invalid, so accepting it is wrong."""


def is_whole(*numbers):
    return all(type(n) is int for n in numbers)


def demand(condition, what):
    if not condition:
        raise Senseless(what)


class Stated:
    """A puzzle as a certificate states it. Atoms are sets of exact points; numbers are used only where the file uses them."""

    def __init__(self, said):
        self.gram = [[Fraction(x) for x in row] for row in said["gram"]]
        self.shapes = [frozenset(tuple(map(Fraction, v)) for v in a["vertices"]) for a in said["atoms"]]
        self.kinds = [a["kind"] for a in said["atoms"]]
        demand(len(set(self.shapes)) == len(self.shapes), "two atoms in the same place")
        self.required = [self.atom(a) for a in said["required"]]
        self.optional = [self.atom(a) for a in said["optional"]]
        self.form = {*self.required, *self.optional}
        demand(len(self.form) == len(self.required) + len(self.optional), "an atom twice")
        self.keep = {self.atom(a) for a in said["keep"]}
        self.mates, self.border = said["mates"], said["border"]
        self.fits, self.coloured = said["fits"], {self.atom(a): name for a, name in said["coloured"]}
        self.matrices = [[list(row) for row in s["matrix"]] for s in said["symmetries"]]
        for matrix in self.matrices:
            self.confirm(matrix)
        self.mirrored = said["mirrored"]
        self.tiles = [self.tile(t) for t in said["tiles"]]
        self.rules = [self.rule(r, [t["name"] for t in said["tiles"]]) for r in said["rules"] if "kind" not in r]
        self.on_solutions = StatedRules(said, self.atom, self.look, [self.motion(m) for m in self.matrices])
        every = [(t, look) for t, tile in enumerate(self.tiles) for look in self.places(tile)]
        self.placements = self.on_solutions.allowed(every)
        self.fixed = [(f["tile"], self.look(f)) for f in said["fixed"]]
        demand(all(f in self.placements for f in self.fixed), "a fixed placement that there is not")

    def atom(self, numbers):
        demand(is_whole(*numbers) and len(numbers) == len(self.gram) + 1 and 0 <= numbers[-1] < len(self.shapes), "no atom")
        return frozenset(tuple(x + c for x, c in zip(v, numbers, strict=False)) for v in self.shapes[numbers[-1]])

    def look(self, entry):
        marks = frozenset((self.atom(s), self.atom(f), name) for s, f, name in entry["marks"])
        demand(all(name in (self.fits if s == f else self.mates) for s, f, name in marks), "a mark without mate")
        return frozenset(map(self.atom, entry["atoms"])), marks

    def confirm(self, m):
        n = range(len(self.gram))
        demand(len(m) == len(n) and all(len(row) == len(n) and is_whole(*row) for row in m), "no square matrix")
        for i, j in product(n, n):
            total = sum(m[k][i] * self.gram[k][q] * m[q][j] for k in n for q in n)
            demand(total == self.gram[i][j], "a matrix that keeps no lengths")

    def tile(self, entry):
        atoms, marks = self.look(entry)
        demand(atoms, "a tile of nothing")
        demand(all(is_whole(s) and 0 <= s < len(self.matrices) for s in entry["symmetries"]), "no symmetry")
        for low, high in (r[:2] for r in entry["ranges"]):
            demand(is_whole(low) and low >= 0 and (high is None or (is_whole(high) and low <= high)), "no range")
        return atoms, marks, [self.matrices[s] for s in entry["symmetries"]], [tuple(r[:2]) for r in entry["ranges"]]

    def rule(self, entry, names):
        weights = {self.atom(a): w for a, w in entry["atoms"]}
        by_tile = [entry["tiles"].get(name, 0) for name in names]
        demand(is_whole(*weights.values(), *by_tile, *(entry[k] for k in ("low", "high", "modulus", "residue"))), "no numbers")
        return weights, by_tile, entry["low"], entry["high"], entry["modulus"], entry["residue"]

    def motion(self, matrix):
        """A symmetry as a function on shapes that moves the form back to its corner."""
        by = [x - y for x, y in zip(corner(self.form), corner({turned(matrix, a) for a in self.form}), strict=True)]
        return lambda shape: moved(turned(matrix, shape), by)

    def faces(self, side):
        """The atoms of the first kind on which a side lies."""
        least = [min(int(v[i] // 1) for v in side) for i in range(len(self.gram))]
        cells = product(*(range(x - 2, x + 3) for x in least))
        every = (self.atom([*cell, k]) for cell in cells for k, kind in enumerate(self.kinds) if kind == self.kinds[0])
        return {face for face in every if side <= face}

    def places(self, tile):
        atoms, marks, matrices, ranges = tile
        if all(high == 0 for _, high in ranges):
            return []
        found = {}
        for m in matrices:
            first = turned(m, min(atoms, key=sorted))
            for target in sorted(self.form, key=sorted):
                by = [t - f for t, f in zip(min(target), min(first), strict=True)]
                if moved(first, by) == target and all(x.denominator == 1 for x in by):
                    look = laid(m, by, (atoms, marks))
                    if look[0] <= self.form and self.meets_border(look[1]) and self.lies_well(look[1]):
                        found[look] = None
        return list(found)

    def meets_border(self, marks):
        sides = [(s, name) for s, f, name in marks if s != f]
        return self.border is None or all(self.mates[name] == self.border or self.faces(side) <= self.form for side, name in sides)

    def lies_well(self, marks):
        """Return whether each coloured atom lies on an uncoloured atom or on a colour that it may lie on."""
        return all(s != f or self.coloured.get(f) in {None, *self.fits[name]} for s, f, name in marks)

    def agree(self, one, other):
        """Return whether the marks that two placements show each other fit."""
        return all(
            s != t or f == g or (self.mates[n] == m and self.mates[m] == n) or len(self.faces(s)) < 2
            for s, f, n in one
            for t, g, m in other
        )

    def solutions(self):
        """Every solution, a set of placement numbers: cover the first open required atom in each way, then add other placements or not."""
        found = set()
        places, need = self.placements, sorted(self.required, key=sorted)
        highs = [None if any(h is None for _, h in t[3]) else sum(h for _, h in t[3]) for t in self.tiles]
        lows = [sum(low for low, _ in t[3]) for t in self.tiles]
        forced = [places.index(f) for f in self.fixed]

        def fits(o, chosen):
            tile, (atoms, marks) = places[o]
            return (highs[tile] is None or sum(places[p][0] == tile for p in chosen) < highs[tile]) and all(
                not atoms & places[p][1][0] and self.agree(marks, places[p][1][1]) for p in chosen
            )

        def visit(chosen, after):
            covered = {a for o in chosen for a in places[o][1][0]}
            lacking = next((a for a in need if a not in covered), None)
            if lacking is not None:
                for o, (_, look) in enumerate(places):
                    if lacking in look[0] and fits(o, chosen):
                        visit([*chosen, o], after)
                return
            found.add(frozenset(chosen))
            for o in range(after, len(places)):
                if not places[o][1][0] & required and fits(o, chosen):
                    visit([*chosen, o], o + 1)

        required = set(self.required)
        start = []
        for o in dict.fromkeys(forced):
            if not fits(o, start):
                return []
            start.append(o)
        visit(start, 0)
        use = [Counter(places[o][0] for o in s) for s in found]
        return [s for s, n in zip(found, use, strict=True) if all(n[t] >= low for t, low in enumerate(lows)) and self.keeps_rules(s)]

    def keeps_rules(self, chosen):
        for weights, by_tile, low, high, modulus, residue in self.rules:
            total = sum(sum(weights.get(a, 0) for a in self.placements[o][1][0]) + by_tile[self.placements[o][0]] for o in chosen)
            if not ((total - residue) % modulus == 0 if modulus else low <= total <= high):
                return False
        return self.on_solutions.keep([self.placements[o] for o in chosen])

    def symmetries(self):
        """The stated symmetries under which solutions are equal, as lists of placement numbers."""
        places, number = self.placements, {p: o for o, p in enumerate(self.placements)}
        found = []
        for m in self.matrices:
            if determinant(m) < 0 and self.mirrored is not True:
                continue
            image = {a: turned(m, a) for a in self.form}
            by = [x - y for x, y in zip(corner(self.form), corner(image.values()), strict=True)]
            image = {a: moved(b, by) for a, b in image.items()}
            parts = [set(self.required), set(self.optional), self.keep & self.form]
            if self.keep - self.form or any({image[a] for a in part} != part for part in parts):
                continue
            if any(self.coloured.get(a) != self.coloured.get(b) for a, b in image.items()):
                continue
            looks = [laid(m, by, look) for _, look in places]
            before, after = defaultdict(set), defaultdict(set)
            for (tile, look), new in zip(places, looks, strict=True):
                before[tile].add(look)
                after[tile].add(new)
            target = {}
            for t in range(len(self.tiles)):
                others = [t, *(u for u in range(len(self.tiles)) if u != t and self.supply(u) == self.supply(t))]
                target[t] = next((u for u in others if before[u] == after[t] and u not in target.values()), None)
            if None in target.values():
                continue
            permutation = [number[target[tile], look] for (tile, _), look in zip(places, looks, strict=True)]
            forced = {number[f] for f in self.fixed}
            if not self.on_solutions.kept_by(image, permutation, places):
                continue
            if {permutation[o] for o in forced} == forced and all(
                all(weights.get(a, 0) == weights.get(b, 0) for a, b in image.items())
                and all(by_tile[places[o][0]] == by_tile[places[q][0]] for o, q in enumerate(permutation))
                for weights, by_tile, *_ in self.rules
            ):
                found.append(permutation)
        return found

    def supply(self, tile):
        ranges = self.tiles[tile][3]
        return sum(low for low, _ in ranges) if all(low == high for low, high in ranges) else sorted(map(str, ranges))

    def labelled(self, solution):
        """The number of ways to tell copies apart: which copies of which identical pieces are used, and where."""
        used = Counter(self.placements[o][0] for o in solution)
        return prod(ways(ranges, used[t]) for t, (_, _, _, ranges) in enumerate(self.tiles))


def ways(ranges, used):
    """The number of ways to choose copies of identical pieces and to arrange them."""
    poly = [1]
    for low, high in ranges:
        more = [0] * (len(poly) + min(high, used))
        for n, p in enumerate(poly):
            for k in range(low, min(high, used) + 1):
                more[n + k] += p * comb(high, k)
        poly = more
    return (poly[used] if used < len(poly) else 0) * factorial(used)


def turned(matrix, shape):
    return frozenset(tuple(sum(m * x for m, x in zip(row, v, strict=True)) for row in matrix) for v in shape)


def moved(shape, by):
    return frozenset(tuple(x + d for x, d in zip(v, by, strict=True)) for v in shape)


def laid(matrix, by, look):
    def go(shape):
        return moved(turned(matrix, shape), by)

    return frozenset(map(go, look[0])), frozenset((go(s), go(f), name) for s, f, name in look[1])


def corner(shapes):
    return [min(v[i] for shape in shapes for v in shape) for i in range(len(next(iter(next(iter(shapes))))))]


def determinant(m):
    if len(m) == 1:
        return m[0][0]
    return sum((-1) ** j * x * determinant([row[:j] + row[j + 1 :] for row in m[1:]]) for j, x in enumerate(m[0]))


@cache
def judged(text):
    """The labelled counts (None without a limit on copies), all and distinct; solutions joined by a chain of symmetries are one."""
    puzzle = Stated(json.loads(text))
    found = puzzle.solutions()
    limitless = any(high is None for *_, ranges in puzzle.tiles for _, high in ranges)
    left, orbits, group = set(found), 0, puzzle.symmetries()
    while left:
        orbits += 1
        rim = [left.pop()]
        while rim:
            images = {frozenset(g[o] for o in s) for s in rim for g in group}
            assert images <= set(found), "a symmetry of the judge takes an answer to none"
            rim = list(images & left)
            left -= images
    return None if limitless else sum(map(puzzle.labelled, found)), len(found), orbits


def is_true(said):
    """Return whether the claim of a certificate is true."""
    labelled, everything, distinct = judged(json.dumps({**said["puzzle"], "name": "", "title": ""}, sort_keys=True))
    claim = said["claim"]
    return (
        claim["all"] == everything
        and (claim["labelled"] is None or claim["labelled"] == labelled)
        and (claim["distinct"] is None or claim["distinct"] == distinct)
    )


# ---------------------------------------------------------------- the certificates

SQUARES = 'title = "T"\ngrid = "square"\nflips = true\n'
DOMINO = '[tiles.D]\npicture = "##"\n'
CARDS = """title = "Cards"
grid = "square-marks"
flips = false
[marks]
cat = { kind = "halves" }
dot = { kind = "self" }
[tiles.A]
around = ["cat-", "dot", "cat+", "dot"]
copies = 2
[tiles.B]
around = ["dot", "cat-", "dot", "dot"]
[tiles.C]
around = ["dot", "dot", "dot", "cat+"]
"""
MIXED = SQUARES + DOMINO + 'copies = [0, 4]\n[tiles.S]\npicture = "#"\ncopies = [0, 3]\n[form]\n'
PUZZLES = {
    "touching": MIXED + 'box = [3, 2]\n[solutions]\nno_crossroads = true\ncolours = 3\nstrictly = true\napart = [["S"]]\n',
    "lines": MIXED + "box = [3, 3]\n[solutions]\nfault_free = true\n",
    "turned": MIXED + 'box = [3, 2]\n[solutions]\nsymmetric = "turn 180"\nsymmetric_outline = [{ tiles = ["S"], under = "mirror 0" }]\n',
    "border of tiles": MIXED + 'box = [3, 3]\noptional = [[2, 2]]\n[solutions]\ntouch_border = ["S"]\n',
    "inside": MIXED + 'box = [3, 3]\n[solutions]\ninside = ["S"]\n',
    "held": MIXED + 'box = [3, 2]\n[solutions]\nholds = [{ tiles = ["S"], atoms = [[1, 1], [3, 2]], equals = 1 }]\n',
    "named": MIXED + 'box = [3, 2]\n[solutions]\nforbidden = ["D.1@1.1"]\none_of = [["S.1@3.1", "D.1@1.2"], ["S.1@1.1"]]\n',
    "painted": '''title = "dominoes and a corner in colour"
grid = "square"
flips = false
[colours]
dark = ["black"]
pale = ["white", "grey"]
[tiles.D]
atoms = [[1, 1], [2, 1]]
colours = { dark = [[1, 1]] }
[tiles.E]
atoms = [[1, 1], [2, 1]]
colours = { pale = [[1, 1]] }
copies = [0, 2]
[tiles.L]
picture = """
#.
##
"""
[form]
box = [3, 3]
colours = { black = [[1, 1], [2, 2], [3, 3]], white = [[1, 2], [2, 1]], grey = [[3, 1], [1, 3]] }
''',
    "dominoes": SQUARES + DOMINO + "copies = 3\n[form]\nbox = [3, 2]\n",
    "three": SQUARES + DOMINO + '[tiles.I]\npicture = "###"\n[tiles.V]\npicture = """\n##\n#.\n"""\n[form]\nbox = [4, 2]\n',
    "any": SQUARES + DOMINO + 'copies = "any"\n[form]\nbox = [4, 3]\n',
    "optional": SQUARES + DOMINO + 'copies = [0, 2]\n[tiles.I]\npicture = "###"\n[form]\nbox = [3, 2]\noptional = [[1, 1], [3, 2]]\n',
    "fixed": SQUARES + DOMINO + 'copies = "any"\n[form]\nbox = [4, 3]\nfixed = ["D.1@1.1"]\n',
    "rules": SQUARES
    + DOMINO
    + 'copies = [2, 4]\n[form]\nbox = [4, 2]\noptional = [[1, 1], [4, 2]]\n[[conditions]]\nname = "c"\natoms = [[1, 1, 2], [4, 2, -1]]\n'
    + "between = [0, 1]\n",
    "cards": CARDS + "[form]\nbox = [2, 2]\n",
    "border": CARDS + '[form]\nbox = [4, 1]\nborder = "dot"\n',
    "tans": 'title = "T"\ngrid = "tans"\nflips = false\n[tiles.P]\natoms = [[1, 1, "T"], [1, 1, "R"]]\ncopies = 2\n[form]\nbox = [1, 1]\n',
    "tree-none": SQUARES + '[tiles.V]\npicture = """\n##\n#.\n"""\ncopies = 3\n[form]\nbox = [3, 3]\n',
    "colours": SQUARES + DOMINO + "copies = 7\n[form]\nbox = [4, 4]\nremove = [[1, 1], [4, 4]]\n",
    "area": SQUARES + DOMINO + "copies = 3\n[form]\nbox = [3, 3]\n",
    "chain": SQUARES + DOMINO + 'copies = 2\n[form]\npicture = """\n###\n.#.\n"""\n',
}
CERTIFICATES = [
    ("dominoes", "tree"), ("dominoes", "cadical"), ("dominoes", "tally"), ("three", "tree"), ("three", "lrat"), ("three", "tally"),
    ("any", "tree"), ("any", "tally"), ("optional", "tree"), ("optional", "cadical"), ("optional", "tally"), ("fixed", "tree"),
    ("fixed", "cadical"), ("rules", "tree"), ("cards", "tree"), ("cards", "cadical"), ("border", "tree"), ("tans", "tree"),
    ("tans", "cadical"), ("painted", "tree"), ("painted", "cadical"),
    *((name, "tree") for name in ("touching", "lines", "turned", "border of tiles", "inside", "held", "named")), ("inside", "cadical"),
    ("held", "cadical"), ("tree-none", "tree"), ("colours", "prove"), ("area", "prove"), ("chain", "prove"),
]  # fmt: skip
MUTATIONS_OF_WORDS = tries(40)
"""Mutations of ``certificate.json`` tried for each certificate. The proofs are short, so all their mutations are tried."""
MUTATIONS_OF_BYTES = tries(20)
PARTS = 3
"""Workers that share the changes of words."""
FOLDER = TemporaryDirectory()
FILE = Path(FOLDER.name) / "some.proof"


@dataclass(frozen=True)
class Certificate:
    """The parts of a certificate."""

    said: dict
    members: dict

    def proofs(self):
        """The members of the zip file besides ``certificate.json``."""
        return {name: data for name, data in self.members.items() if name != "formula.cnf"}

    def check(self, said=None, members=None):
        """Check the certificate, perhaps with another statement or other members."""
        return verdict(as_zip(self.said if said is None else said, self.members if members is None else members))


def as_zip(said, members):
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        archive.writestr("certificate.json", said if isinstance(said, str | bytes) else json.dumps(said))
        for name, data in members.items():
            archive.writestr(name, data)
    stream.seek(0)
    return stream


def verdict(certificate):
    """Return None if the certificate is accepted, else the reason for its rejection; any other exception is a bug."""
    FILE.write_bytes(certificate.getvalue())
    try:
        check_certificate(FILE)
    except Rejected as error:
        return str(error)
    return None


@cache
def certificate(name, kind):
    with TemporaryDirectory() as folder:
        source, path = Path(folder) / f"{name}.toml", Path(folder) / "some.proof"
        source.write_text(PUZZLES[name], encoding="utf-8")
        case = make_case(build_instance(load_instance(source)))
        if kind == "prove":
            prove(case, Limits()).write(case, path, Limits())
        else:
            certify(case, path, kind, Limits())
        with ZipFile(path) as archive:
            parts = {n: archive.read(n) for n in archive.namelist()}
    return Certificate(json.loads(parts.pop("certificate.json")), parts)


# ---------------------------------------------------------------- mutations


def walk(value, path=()):
    """Every place in a tree of JSON values."""
    yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield from walk(inner, (*path, key))


def changed(said, path, change):
    """A copy in which the value at a place is changed; ``change`` gets the container and the key."""
    copy = deepcopy(said)
    where = copy
    for key in path[:-1]:
        where = where[key]
    change(where, path[-1])
    return copy


def changes_of(value):
    """Return the changes that can be made to a value in its container, by name."""

    def put(new):
        return lambda where, key: where.__setitem__(key, deepcopy(new))

    others = [0, -1, 1, None, "x", [], {}, True, False, 1.5, "", 1 << 40, [0], -(1 << 63), 1 << 64]
    yield from ((f"= {new!r}", put(new)) for new in others if new is not value)
    yield "removed", lambda where, key: where.__delitem__(key)
    if is_whole(value):
        yield from ((f"{step:+}", put(value + step)) for step in (1, -1, 2))
    if isinstance(value, bool):
        yield "negated", put(not value)
    if isinstance(value, str):
        yield from ((f"text {new!r}", put(new)) for new in (value + "x", value[1:], "1/2", "1/0", "-1"))
    if isinstance(value, list):
        for i in range(len(value)):
            yield f"[{i}] doubled", put([*value[:i], value[i], *value[i:]])
            yield f"[{i}] dropped", put([*value[:i], *value[i + 1 :]])
        for i in range(len(value) - 1):
            yield f"[{i}] swapped", put([*value[:i], value[i + 1], value[i], *value[i + 2 :]])
        yield "reversed", put(value[::-1])
    if isinstance(value, dict):
        yield "one more key", put({**value, "more": 1})


def mutations_of_words(said, random, number):
    """Some mutations, evenly spread over all parts of a certificate; otherwise most would concern the symmetries of the grid."""
    groups = defaultdict(list)
    for path in walk(said):
        if path:
            kind = tuple(key for key in path[:3] if isinstance(key, str)) if path[0] == "puzzle" else path[:2]
            groups[kind].append(path)
    for _ in range(number):
        path = random.choice(groups[random.choice(list(groups))])
        value = said
        for key in path:
            value = value[key]
        name, change = random.choice(list(changes_of(value)))
        yield f"{'.'.join(map(str, path))} {name}", changed(said, path, change)


def mutations_of_bytes(data, width, random, number):
    """Bits, bytes and whole records that are changed, lost, doubled or exchanged, and truncated or extended data."""
    ways = ["bit", "byte", "drop", "double", "swap", "cut", "more", "renumber", "shuffle", "zero"]
    random.shuffle(ways)
    for i in range(number):
        if not data:
            yield "something", bytes(random.choices(range(256), k=random.choice([1, width, 2 * width])))
            continue
        at = random.randrange(len(data))
        record = at - at % width
        way = ways[i % len(ways)]
        new = bytearray(data)
        if way == "bit":
            new[at] ^= 1 << random.randrange(8)
        elif way == "byte":
            new[at] = random.randrange(256)
        elif way == "drop":
            del new[record : record + width]
        elif way == "double":
            new[record:record] = new[record : record + width]
        elif way == "swap":
            other = random.randrange(len(data))
            other -= other % width
            new[record : record + width], new[other : other + width] = new[other : other + width], new[record : record + width]
        elif way == "cut":
            del new[record:]
        elif way == "more":
            new += new[record : record + width]
        elif way == "renumber":
            new[record] = (new[record] + random.choice([1, -1])) % 256
        elif way == "shuffle":
            records = [bytes(new[i : i + width]) for i in range(0, len(new), width)]
            random.shuffle(records)
            new = bytearray(b"".join(records))
        else:
            new[record : record + width] = bytes(len(new[record : record + width]))
        yield f"{way} at {at}", bytes(new)


def width_of(name, said):
    """The length of a record of a member, in bytes."""
    if name == "solutions.bin":
        return said["solution_width"] * said["solution_bytes"]
    return said["record_bytes"] if name == "proof.tree" else 1


def must_be_rejected_or_true(cert, what, said=None, members=None):
    """Assert that a certificate is rejected or true; return whether it was accepted."""
    reason = cert.check(said, members)
    if reason is None:
        try:
            assert is_true(cert.said if said is None else said), f"{what}: accepted, and false"
        except Senseless as error:
            raise AssertionError(f"{what}: accepted, and makes no sense") from error
    return reason is None


def of_each(certificates, *fast):
    """Run a test for some certificates; the fast tier runs those given by name."""
    return every("name, kind", [pytest.param(*c, id=" ".join(c)) for c in certificates], fast=fast or None)


@of_each(CERTIFICATES, "dominoes tree")
def test_they_are_true_to_begin_with(name, kind):
    """The judge of this file and the checker accept unchanged certificates, and both refuse other counts."""
    cert = certificate(name, kind)
    assert cert.check() is None
    assert is_true(cert.said)
    for key in ("labelled", "all", "distinct") if not is_fast() else ("all",):
        for step in (1, -1, 7):
            said = deepcopy(cert.said)
            said["claim"][key] = (said["claim"][key] or 0) + step
            assert cert.check(said).startswith(("claim: ", f"claim.{key}: ", "solutions: "))
            assert key != "all" or not is_true(said)


@pytest.mark.full
def test_every_kind_is_there():
    found = Counter(certificate(*c).said["kind"] for c in CERTIFICATES)
    assert found.keys() == {"tree", "lrat", "tally", "weighting", "removals"}
    assert any(certificate(*c).said["kept"] for c in CERTIFICATES)
    assert any(certificate(*c).said["removals"] for c in CERTIFICATES if c[1] == "tree")
    assert any(certificate(*c).said["puzzle"][key] for key in ("rules", "fixed", "mates") for c in CERTIFICATES)


def lies(certificates):
    """Change words; a deliberate liar also changes the claim to the proved counts, which must then be true."""
    fitting = 0
    for name, kind in certificates:
        cert, random = certificate(name, kind), Random(f"words {name} {kind}")
        for what, said in mutations_of_words(cert.said, random, MUTATIONS_OF_WORDS):
            if not must_be_rejected_or_true(cert, f"{name} {kind}: {what}", said) and (fit := fitted(cert, said)) is not None:
                fitting += 1
                assert must_be_rejected_or_true(cert, f"{name} {kind}: {what}, claim fitted", fit)
    return fitting


@pytest.mark.full
@pytest.mark.parametrize("part", range(PARTS))
def test_words_are_changed(part):
    assert lies(CERTIFICATES[part::PARTS]) >= tries(10)


def test_a_few_words_are_changed():
    lies([("dominoes", "tree"), ("chain", "prove")])


def fitted(cert, said, members=None):
    """The statement with the counts that the checker names as proved; None if it names none."""
    reason = cert.check(said, members) or ""
    if not reason.startswith("claim: the certificate claims "):
        return None
    numbers = reason.partition("it proves ")[2].split(", ")
    assert len(numbers) == 3
    copy = deepcopy(said)
    copy["claim"] = {k: None if n == "-" else int(n.replace(",", "")) for k, n in (part.rsplit(" ", 1) for part in numbers)}
    return copy


BYTES_REJECTED = {"proof.tree": 0.75, "solutions.bin": 0.8, "proof.lrat": 0.6, "tally": 0.8}
"""The least share of changed parts that must be rejected; the others prove the same in another way."""


def rejected(part, certificates):
    """Change bytes of a member of each certificate; return how often it was accepted and rejected."""
    verdicts = Counter()
    for name, kind in certificates:
        cert, random = certificate(name, kind), Random(f"bytes {name} {kind} {part}")
        for own, data in cert.proofs().items():
            if own.partition("/")[0] != part:
                continue
            for what, new in mutations_of_bytes(data, width_of(own, cert.said), random, MUTATIONS_OF_BYTES):
                members = {**cert.members, own: new}
                accepted = must_be_rejected_or_true(cert, f"{name} {kind}: {own}: {what}", members=members)
                verdicts[accepted] += new != data
    return verdicts


@pytest.mark.full
@pytest.mark.parametrize("part", BYTES_REJECTED)
def test_proofs_and_solutions_are_changed(part):
    verdicts = rejected(part, CERTIFICATES)
    assert verdicts[False] / verdicts.total() >= BYTES_REJECTED[part], verdicts


@every("part, name, kind", [("proof.tree", "any", "tree"), ("proof.lrat", "three", "lrat"), ("tally", "dominoes", "tally")], fast=2)
def test_a_few_proofs_are_changed(part, name, kind):
    rejected(part, [(name, kind)])


@of_each(CERTIFICATES, "dominoes tree")
def test_a_part_is_missing_or_another_one(name, kind):
    cert = certificate(name, kind)
    for part, data in cert.proofs().items():
        without = {n: d for n, d in cert.members.items() if n != part}
        assert cert.check(members=without) == f"file: {part!r} is missing"
        for other, more in cert.proofs().items():
            if more != data:
                must_be_rejected_or_true(cert, f"{part} is {other}", members={**cert.members, part: more})
    for other in CERTIFICATES if not is_fast() else ():
        if certificate(*other).said["kind"] == cert.said["kind"] and certificate(*other).said["puzzle"] != cert.said["puzzle"]:
            must_be_rejected_or_true(cert, f"the parts of {other}", members=certificate(*other).members)
            must_be_rejected_or_true(cert, f"the proof of {other}", {**certificate(*other).said, "puzzle": cert.said["puzzle"]})


WITH_SOLUTIONS = [c for c in CERTIFICATES if c[1] in ("tree", "lrat", "cadical") and c[0] != "tree-none"]


@of_each(WITH_SOLUTIONS, "three lrat")
def test_solutions_are_kept_back(name, kind):
    """Solutions are removed from the list: the proof, changed or not, leads to other solutions, whatever the claim."""
    cert = certificate(name, kind)
    width = width_of("solutions.bin", cert.said)
    data = cert.members["solutions.bin"]
    rows = [data[i : i + width] for i in range(0, len(data), width)]
    random = Random(f"kept back {name} {kind}")
    (proof,) = (part for part in cert.members if part.startswith("proof."))
    for _ in range(tries(4)):
        left = sorted(random.sample(range(len(rows)), random.randrange(len(rows))))
        members = {**cert.members, "solutions.bin": b"".join(rows[i] for i in left)}
        changes = mutations_of_bytes(cert.members[proof], width_of(proof, cert.said), random, 10)
        for what, new in [("not changed", cert.members[proof]), *changes]:
            reason = cert.check(members={**members, proof: new})
            assert reason is not None and not reason.startswith("claim: "), f"only solutions {left}: accepted, proof {what}"


@of_each(WITH_SOLUTIONS, "dominoes tree")
def test_a_solution_is_listed_twice(name, kind):
    """No proof can help, because the solutions are checked by themselves."""
    cert = certificate(name, kind)
    width, data = width_of("solutions.bin", cert.said), cert.members["solutions.bin"]
    for at in range(0, len(data), width):
        members = {**cert.members, "solutions.bin": data + data[at : at + width]}
        assert cert.check(members=members) is not None
        claim = {**cert.said["claim"], "all": cert.said["claim"]["all"] + 1}
        assert cert.check({**cert.said, "claim": claim}, members).startswith("solutions: one is listed twice")


@every("name", ["dominoes", "three", "any", "optional", "fixed", "rules", "cards", "tans"], fast=("dominoes",))
def test_arguments_against_what_can_be_solved(name):
    """No weights and no removals can show that a solvable puzzle has no solution."""
    cert = certificate(name, "tree")
    random = Random(f"arguments {name}")
    puzzle = cert.said["puzzle"]
    atoms, options = len(puzzle["required"]), len(Stated(puzzle).placements)
    items = atoms + len(puzzle["optional"]) + len(puzzle["tiles"])
    for _ in range(tries(60)):
        removals = [[random.randrange(options), random.randrange(items)] for _ in range(random.choice([0, 0, 1, 2]))]
        weights = [[i, random.randint(-3, 3)] for i in range(random.choice([atoms, atoms, items]))]
        said = {
            **cert.said,
            "kind": random.choice(["weighting", "weighting", "removals"]),
            "claim": {"labelled": None if cert.said["claim"]["labelled"] is None else 0, "all": 0, "distinct": 0},
            "kept": None,
            "removals": removals,
            "weighting": {"weights": weights, "modulus": random.choice([0, 0, 2, 3, 4])},
        }
        assert cert.check(said) is not None, said


@pytest.mark.full
@every(("name", "kind"), [("three", "tree"), ("three", "lrat"), ("three", "tally"), ("any", "tree"), ("any", "tally")])
def test_other_placements_are_kept(name, kind, monkeypatch, tmp_path):
    """Repeat the search and the proof with placements that do not represent all; the rest of the certificate is right."""
    on_tile = 'break_on = "V"\n' if name == "three" else ""
    (tmp_path / "some.toml").write_text(on_tile + PUZZLES[name], encoding="utf-8")
    case = make_case(build_instance(load_instance(tmp_path / "some.toml")))
    right = case.break_symmetry()
    options = case.problem.options_of(right.item).tolist()
    assert len(options) > len(right.placements)
    others = [p for p in options if p not in right.placements]
    kept = [right.placements[:i] + right.placements[i + 1 :] for i in range(len(right.placements))]
    kept += [sorted([*right.placements, other]) for other in others]
    kept += [sorted([other, *right.placements[1:]]) for other in others]
    accepted = 0
    for placements, named in product([*kept, right.placements], [right.symmetries, right.symmetries[:1], right.symmetries[:2], []]):
        monkeypatch.setattr("puzzlesat.proofs.case.Case.break_symmetry", lambda _: Kept(right.item, placements, named))  # noqa: B023
        certify(case, tmp_path / "some.proof", kind, Limits())
        if verdict(BytesIO((tmp_path / "some.proof").read_bytes())) is None:
            accepted += 1
            with ZipFile(tmp_path / "some.proof") as archive:
                assert is_true(json.loads(archive.read("certificate.json"))), (placements, named)
    assert accepted, "what is right is accepted"


@pytest.mark.full
@of_each(CERTIFICATES, "dominoes tree", "three lrat")
def test_the_file_is_damaged(name, kind):
    """Flip bits of the zip file: its check sums find most, and the only exception raised is Rejected."""
    cert = certificate(name, kind)
    data = as_zip(cert.said, cert.members).getvalue()
    random = Random(f"zip {name} {kind}")
    for what, new in mutations_of_bytes(data, random.choice([1, 4, 30]), random, tries(30)):
        stream = BytesIO(new)
        if verdict(stream) is None:
            with ZipFile(stream) as archive:
                assert is_true(json.loads(archive.read("certificate.json"))), what


METHODS = {"encrypted": None, "bzip2": 12, "lzma": 14, "deflate64": 9, "wavpack": 97}


@every("what, member", product(METHODS, ["certificate.json", "proof.tree"]))
def test_a_part_is_said_to_be_packed_otherwise(what, member):
    cert = certificate("dominoes", "tree")
    data = bytearray(as_zip(cert.said, cert.members).getvalue())
    for signature, flags, method, length, name in ((b"PK\x03\x04", 6, 8, 26, 30), (b"PK\x01\x02", 8, 10, 28, 46)):
        for at in (i for i in range(len(data)) if data[i : i + 4] == signature):
            if data[at + name : at + name + int.from_bytes(data[at + length : at + length + 2], "little")] == member.encode():
                if what == "encrypted":
                    data[at + flags] |= 1
                else:
                    data[at + method] = METHODS[what]
    assert verdict(BytesIO(bytes(data))) is not None


@pytest.mark.full
@of_each([("any", "tree"), ("three", "tree"), ("tans", "cadical"), ("area", "prove")])
def test_symmetries_that_are_no_group(name, kind):
    """Remove some symmetries of the grid and adapt the claim: the distinct count must still be a number of orbits."""
    cert = certificate(name, kind)
    stated = cert.said["puzzle"]["symmetries"]
    for keep in (keep for size in (1, 2, 3) for keep in combinations(range(len(stated)), size)):
        said = deepcopy(cert.said)
        said["puzzle"]["symmetries"] = [stated[i] for i in keep]
        for tile in said["puzzle"]["tiles"]:
            tile["symmetries"] = [j for j, i in enumerate(keep) if i in tile["symmetries"]]
        if not must_be_rejected_or_true(cert, keep, said) and (fitting := fitted(cert, said)) is not None:
            must_be_rejected_or_true(cert, keep, fitting)


@every("text", ["", "[]", "null", "3", "{", '"x"', "[" * 100_000, b"\xff\xfe", "{}" * 2, '{"format": NaN}'])
def test_words_that_are_none(text):
    assert certificate("dominoes", "tree").check(text).startswith("certificate: ")
