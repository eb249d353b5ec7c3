"""The judge: counts by plain enumeration, sharing no code with the program.

A whole puzzle is counted straight from the tables of its file: every atom is the set of its exact vertices, tiles are turned by
multiplying those with integer matrices that preserve the scalar products, and every set of placements is tried one placement after
the other. Nothing of puzzlesat is imported here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import atan2, comb, factorial, prod, sqrt
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

GRIDS = Path(__file__).parents[1] / "models" / "grids"
MOST_STEPS = 60_000
MOST_LABELLED = 3_000
DEGREES = {2: 0, 1: 60, 0: 90, -1: 120, -2: 180}


class TooMuch(Exception):
    """The puzzle is too large to be tried out."""


# ---------------------------------------------------------------- grids


def frac_vertices(vertices, by):
    """The vertices of an atom of the cell ``by``, in sixths of the lattice vectors (all grids have halves or thirds at most)."""
    exact = [[6 * (Fraction(x) + b) for x, b in zip(v, by, strict=True)] for v in vertices]
    assert all(x.denominator == 1 for v in exact for x in v)
    return frozenset(tuple(int(x) for x in v) for v in exact)


def times(matrix, point):
    return tuple(sum(m * x for m, x in zip(row, point, strict=True)) for row in matrix)


def turned(matrix, shape):
    return frozenset(times(matrix, v) for v in shape)


def moved(shape, by):
    """A shape moved by a lattice vector."""
    return frozenset(tuple(x + 6 * b for x, b in zip(v, by, strict=True)) for v in shape)


def centre(shape):
    """The centre in lattice coordinates."""
    return tuple(Fraction(sum(axis), 6 * len(shape)) for axis in zip(*shape, strict=True))


def determinant(m):
    if len(m) == 2:
        return m[0][0] * m[1][1] - m[0][1] * m[1][0]
    return sum(m[0][i] * (m[1][(i + 1) % 3] * m[2][(i + 2) % 3] - m[1][(i + 2) % 3] * m[2][(i + 1) % 3]) for i in range(3))


def matrix_product(a, b):
    return tuple(tuple(sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)) for row in a)


@cache
def _matrices(gram):
    """All matrices with entries -1, 0, 1 that preserve the scalar products, in the order of their entries row by row."""
    n = range(len(gram))

    def scalar(v, w):
        return sum(v[i] * gram[i][j] * w[j] for i in n for j in n)

    columns = [[v for v in product((-1, 0, 1), repeat=len(gram)) if scalar(v, v) == gram[i][i]] for i in n]
    fits = (c for c in product(*columns) if all(scalar(c[i], c[j]) == gram[i][j] for i in n for j in range(i)))
    return sorted(tuple(zip(*c, strict=True)) for c in fits)


class Lattice:
    """A grid file, as far as the judge needs it."""

    def __init__(self, name):
        data = tomllib.loads((GRIDS / f"{name}.toml").read_text(encoding="utf-8"))
        self.name = name
        self.gram = [[Fraction(g) for g in row] for row in data["gram"]]
        self.dimension = len(self.gram)
        self.atoms = data["atoms"]
        self.names = [a["name"] for a in self.atoms]
        self.by_name = {a["name"]: a for a in self.atoms}
        self.main = self.atoms[0].get("kind", "face")
        self.ring = data.get("rings", {}).get(self.names[0])
        self.matrices = _matrices(tuple(map(tuple, self.gram)))

    def kind(self, name):
        return self.by_name[name].get("kind", "face")

    def atom(self, ref):
        """The vertices of an atom written as in a file."""
        cell, name = ref[: self.dimension], ref[self.dimension] if len(ref) > self.dimension else self.names[0]
        return frac_vertices(self.by_name[name]["vertices"], cell)

    def degrees(self, matrix):
        """The angle of a turn in the plane, counterclockwise."""
        angle = DEGREES[matrix[0][0] + matrix[1][1]]
        return 360 - angle if matrix[1][0] < 0 else angle

    def allowed(self, flips, turns):
        """The matrices of the turns and, with flips, of the mirror that turns the first direction round, followed by those turns."""
        proper = [m for m in self.matrices if determinant(m) > 0]
        if turns != "all":
            degrees = [0] if turns == "none" else turns
            identity = tuple(tuple(int(i == j) for j in range(self.dimension)) for i in range(self.dimension))
            proper = [m for m in proper if (m == identity if self.dimension == 3 else self.degrees(m) in degrees)]
        if not flips:
            return proper
        if turns == "all":
            return self.matrices
        assert self.dimension == 2, "flips with some turns only are not defined in space"
        over = next(m for m in self.matrices if determinant(m) < 0 and (m[0][0], m[1][0]) == (-1, 0))
        return proper + [matrix_product(m, over) for m in proper]

    def slots_or_sides(self, face):
        """Cells and names of all atoms of other kinds that lie on a face, given by its vertices."""
        low = [min(v[i] for v in face) // 6 for i in range(self.dimension)]
        found = []
        for cell in product(*(range(x - 1, x + 3) for x in low)):
            for atom in self.atoms:
                if atom.get("kind", "face") != self.main:
                    side = frac_vertices(atom["vertices"], cell)
                    if side <= face:
                        found.append((side, atom))
        return found


@cache
def lattice_of(name):
    """Read a grid file once."""
    return Lattice(name)


# ---------------------------------------------------------------- puzzles


@dataclass
class Piece:
    """Tiles that can lie in the same ways: one tile with all their copies."""

    names: list
    bodies: frozenset  # orientations up to translation
    ranges: list  # least and most copies of each of the tiles; most is None where there is no limit

    @property
    def low(self):
        return sum(low for low, _ in self.ranges)

    @property
    def high(self):
        return None if any(high is None for _, high in self.ranges) else sum(high for _, high in self.ranges)


@dataclass
class Judged:
    """What the judge found."""

    solutions: set = field(default_factory=set)  # of frozensets of (piece number, atoms, marks)
    pieces: list = field(default_factory=list)
    symmetries: list = field(default_factory=list)  # permutations of placements, as dictionaries
    labelled: int | None = None
    all: int = 0
    distinct: int = 0
    fixed: list = field(default_factory=list)  # sorted numbers of solutions that each symmetry fixes
    labelled_distinct: int | None = None  # also None where the labelled answers are too many to list
    split: dict | None = None
    split_labelled: dict | None = None
    placements: int = 0


def judge(puzzle, fixed=()):
    """Count a puzzle given as the tables of its file, models spelt out.

    The form is given by ``form.atoms`` (references), ``optional``, ``remove``, ``inner`` and ``outer``, or by ``form.box``.
    ``fixed`` holds placements, as pairs of a tile's name and its set of atoms.
    """
    lattice = lattice_of(puzzle["grid"])
    required, optional, by_ref = _form(lattice, puzzle["form"])
    region = required | optional
    pieces = _pieces(lattice, puzzle)
    mates = _mates(puzzle.get("marks", {}))
    placements = [
        (number, atoms, marks)
        for number, piece in enumerate(pieces)
        for atoms, marks in _laid(piece, region)
        if _border_agrees(lattice, region, marks, mates, puzzle["form"].get("border")) and _colours_agree(lattice, puzzle, marks)
    ]
    forced = [_find(pieces, placements, name, atoms) for name, atoms in fixed]
    rules = [_rule(lattice, region, by_ref, pieces, placements, c) for c in puzzle.get("conditions", [])]
    crossed = _crossed(lattice, puzzle, placements)
    found = _enumerate(pieces, placements, required, mates, rules, forced, crossed)
    result = Judged(pieces=pieces, placements=len(placements))
    result.solutions = {frozenset(placements[p] for p in s) for s in found}
    symmetries = _symmetries(lattice, puzzle, required, optional, pieces, placements, forced, rules, by_ref)
    result.symmetries = symmetries
    _count(result, pieces, placements, found, symmetries)
    if "split" in puzzle:
        _split(lattice, puzzle, region, by_ref, pieces, placements, found, result)
    return result


def _form(lattice, form):
    if "box" in form:
        cells = product(*(range(1, n + 1) for n in form["box"]))
        refs = [[*cell, a] for cell in cells for a in lattice.names if lattice.kind(a) == lattice.main]
    else:
        refs = [_full(lattice, r) for r in form["atoms"]]
    atoms = {lattice.atom(r): lattice.kind(r[-1]) for r in refs}
    by_ref = {lattice.atom(r): tuple(r) for r in refs}
    optional = set()
    faces = {a for a, kind in atoms.items() if kind == lattice.main}
    for where in ("inner", "outer"):
        for kind, rule in form.get(where, {}).items():
            touching = Counter(side for f in faces for side, atom in lattice.slots_or_sides(f) if atom.get("kind", "face") == kind)
            for side, number in touching.items():
                if (number > 1) == (where == "inner") and rule != "none":
                    atoms[side] = kind
                    if rule == "optional":
                        optional.add(side)
    for ref in form.get("remove", []):
        del atoms[lattice.atom(ref)]
    if form.get("optional") == "all":
        optional = set(atoms)
    else:
        optional |= {lattice.atom(r) for r in form.get("optional", [])}
    optional &= set(atoms)
    for a in atoms:
        if a not in by_ref:
            by_ref[a] = _name_of(lattice, a)
    return set(atoms) - optional, optional, by_ref


def _full(lattice, ref):
    return [*ref, lattice.names[0]] if len(ref) == lattice.dimension else list(ref)


def _name_of(lattice, shape):
    for atom in lattice.atoms:
        home = centre(frac_vertices(atom["vertices"], (0,) * lattice.dimension))
        step = [a - b for a, b in zip(centre(shape), home, strict=True)]
        if all(s.denominator == 1 for s in step) and frac_vertices(atom["vertices"], step) == shape:
            return (*map(int, step), atom["name"])
    raise AssertionError("no atom of the grid")


def _copies(value):
    if value == "any":
        return 0, None
    return tuple(value) if isinstance(value, list) else (value, value)


def _pieces(lattice, puzzle):
    found = {}
    for name, tile in puzzle["tiles"].items():
        low, high = _copies(tile.get("copies", 1))
        if high == 0:
            continue
        atoms, marks = _body(lattice, tile)
        matrices = lattice.allowed(tile.get("flips", puzzle["flips"]), tile.get("turns", puzzle.get("turns", "all")))
        bodies = frozenset(_home(*_turn_body(m, atoms, marks)) for m in matrices)
        if (piece := found.get(bodies)) is None:
            found[bodies] = Piece([name], bodies, [(low, high)])
        else:
            piece.names.append(name)
            piece.ranges.append((low, high))
    return list(found.values())


def _body(lattice, tile):
    if "around" in tile:
        face = [1] * lattice.dimension
        ring = [lattice.atom([*(x + 1 for x in r[1:]), r[0]]) for r in lattice.ring]
        body = lattice.atom(face)
        if isinstance(tile["around"], str):
            return {body} | {a for a, digit in zip(ring, tile["around"], strict=True) if digit == "1"}, set()
        return {body}, {(a, body, m) for a, m in zip(ring, tile["around"], strict=True)}
    marks = {(lattice.atom(m["at"]), lattice.atom(m["on"]), m["mark"]) for m in tile.get("marks", [])}
    colours = {(lattice.atom(r), lattice.atom(r), c) for c, refs in tile.get("colours", {}).items() for r in refs}
    return {lattice.atom(r) for r in tile["atoms"]}, marks | colours


def _turn_body(matrix, atoms, marks):
    return {turned(matrix, a) for a in atoms}, {(turned(matrix, s), turned(matrix, f), n) for s, f, n in marks}


def _move_body(atoms, marks, by):
    return frozenset(moved(a, by) for a in atoms), frozenset((moved(s, by), moved(f, by), n) for s, f, n in marks)


def _home(atoms, marks):
    """A translate by a lattice vector, the same for all translates."""
    first = min(sorted(a) for a in atoms)[0]
    return _move_body(atoms, marks, [-(x // 6) for x in first])


def _laid(piece, region):
    """Every place of every orientation inside the region."""
    laid = set()
    for atoms, marks in piece.bodies:
        anchor = min(atoms, key=sorted)
        for target in region:
            by = [t - c for t, c in zip(centre(target), centre(anchor), strict=True)]
            if all(b.denominator == 1 for b in by):
                there, there_marks = _move_body(atoms, marks, [int(b) for b in by])
                if there <= region:
                    laid.add((there, there_marks))
    return sorted(laid, key=lambda body: (sorted(map(sorted, body[0])), sorted((sorted(s), sorted(f), n) for s, f, n in body[1])))


def _mates(marks):
    mates = {}
    for name, mark in marks.items():
        if mark["kind"] == "halves":
            mates[name + "+"], mates[name + "-"] = name + "-", name + "+"
        else:
            mates[name] = name if mark["kind"] == "self" else None
    return mates


def _border_agrees(lattice, region, marks, mates, border):
    if border is None:
        return True
    faces = {a for a in region if len(a) > 2}
    return all(mates[name] == border or sum(side <= f for f in faces) == 2 for side, face, name in marks if side != face)


def _form_colours(lattice, puzzle):
    return {lattice.atom(r): c for c, refs in puzzle["form"].get("colours", {}).items() for r in refs}


def _colours_agree(lattice, puzzle, marks):
    """A coloured atom of a tile lies on one of the form that has no colour, or one that its own may lie on."""
    below = _form_colours(lattice, puzzle)
    return all(side != face or face not in below or below[face] in puzzle["colours"][name] for side, face, name in marks)


def _find(pieces, placements, name, atoms):
    (found,) = [i for i, (piece, where, marks) in enumerate(placements) if name in pieces[piece].names and (where, marks) == atoms]
    return found


def _rule(lattice, region, by_ref, pieces, placements, table):
    weights = {}
    if "atoms" in table:
        weights = {lattice.atom(e[:-1]): e[-1] for e in table["atoms"]}
    elif "along" in table:
        kind = table.get("kind", lattice.main)
        for atom in region:
            *cell, name = by_ref[atom]
            if lattice.kind(name) == kind:
                place = sum(k * c for k, c in zip(table["along"], cell, strict=True)) + table.get("shift", {}).get(name, 0)
                weights[atom] = table["values"][place % len(table["values"])]
    by_piece = [{table.get("tiles", {}).get(n, 0) for n in piece.names} for piece in pieces]
    assert all(len(values) == 1 for values in by_piece), "tiles that look the same must weigh the same"
    by_placement = [sum(weights.get(a, 0) for a in atoms) + min(by_piece[piece]) for piece, atoms, _ in placements]

    def holds(total):
        if "modulo" in table:
            return (total - table["modulo"]["is"]) % table["modulo"]["of"] == 0
        low, high = table["between"] if "between" in table else (table["equals"], table["equals"])
        return low <= total <= high

    return weights, by_piece, by_placement, holds


def _crossed(lattice, puzzle, placements):
    """For each placement those that would cross it at a point, where that is not allowed."""
    if lattice.main != "edge" or puzzle.get("may_cross"):
        return [set() for _ in placements]
    around = [_edges_at_points(lattice, atoms) for _, atoms, _ in placements]
    return [
        {q for q, other in enumerate(around) if any(_take_turns(one[v], other[v]) for v in one.keys() & other.keys())} for one in around
    ]


def _edges_at_points(lattice, atoms):
    """The directions of the edges at each point, as angles."""
    (a, b), (_, c) = [[float(x) for x in row] for row in lattice.gram]
    at = defaultdict(list)
    for ends in atoms:
        for v, w in permutations(ends):
            x, y = w[0] - v[0], w[1] - v[1]
            at[v].append(round(atan2(y * sqrt(c - b * b / a), x * sqrt(a) + y * b / sqrt(a)), 6))
    return at


def _take_turns(one, other):
    """Do the edges of two tiles at a point change over more than twice, going round it?"""
    owners = [owner for _, owner in sorted([(angle, 0) for angle in one] + [(angle, 1) for angle in other])]
    return sum(owner != owners[i - 1] for i, owner in enumerate(owners)) > 2


def _enumerate(pieces, placements, required, mates, rules, forced, crossed):
    """All sets of placements that are solutions: take each placement or leave it, in a fixed order."""
    order = sorted(range(len(placements)), key=lambda p: min([sorted(a) for a in placements[p][1] & required] or [[(10**6,)]]))
    last = {}
    for step, p in enumerate(order):
        for atom in placements[p][1] & required:
            last[atom] = step
    if required - last.keys():
        return []
    due = defaultdict(list)
    for atom, step in last.items():
        due[step].append(atom)
    found, chosen, covered, used = [], [], set(), Counter()
    shown = defaultdict(list)
    steps = 0

    def visit(step):
        nonlocal steps
        steps += 1
        if steps > MOST_STEPS:
            raise TooMuch
        if step == len(order):
            if (
                required <= covered
                and all(used[i] >= piece.low for i, piece in enumerate(pieces))
                and all(holds(sum(weights[p] for p in chosen)) for _, _, weights, holds in rules)
            ):
                found.append(frozenset(chosen))
            return
        p = order[step]
        piece, atoms, marks = placements[p]
        high = pieces[piece].high
        if (
            not atoms & covered
            and crossed[p].isdisjoint(chosen)
            and (high is None or used[piece] < high)
            and all(mates[n] == m for s, _, n in marks for m in shown[s])
        ):
            chosen.append(p)
            covered.update(atoms)
            used[piece] += 1
            for s, _, n in marks:
                shown[s].append(n)
            if all(a in covered for a in due[step]):
                visit(step + 1)
            for s, _, _ in marks:
                shown[s].pop()
            used[piece] -= 1
            covered.difference_update(atoms)
            chosen.pop()
        if p not in forced and all(a in covered for a in due[step]):
            visit(step + 1)

    visit(0)
    return found


def _symmetries(lattice, puzzle, required, optional, pieces, placements, forced, rules, by_ref):
    """The symmetries of the form that the rules allow, as permutations of the placements."""
    same = puzzle["flips"] if puzzle.get("mirrored") is None else puzzle["mirrored"] == "same"
    number = {placement: i for i, placement in enumerate(placements)}
    by_body = defaultdict(list)
    for i, (_, atoms, marks) in enumerate(placements):
        by_body[atoms, marks].append(i)
    weights_of = [w for w, _, _, _ in rules]
    below = _form_colours(lattice, puzzle)
    found = []
    for matrix in lattice.matrices:
        if determinant(matrix) < 0 and not same:
            continue
        move = _onto_itself(matrix, required | optional)
        if any(m.denominator > 1 for m in move):
            continue
        move = [int(m) for m in move]
        if any(moved(turned(matrix, a), move) not in required for a in required):
            continue
        if any(moved(turned(matrix, a), move) not in optional for a in optional):
            continue
        if any(below.get(a) != below.get(moved(turned(matrix, a), move)) for a in required | optional):
            continue
        if any(w.get(a, 0) != w.get(moved(turned(matrix, a), move), 0) for w in weights_of for a in required | optional):
            continue
        permutation = _permutation(matrix, move, pieces, placements, number, rules)
        if permutation is None or {permutation[p] for p in forced} != set(forced):
            continue
        if "split" in puzzle:
            atoms = _split_atoms(lattice, puzzle, required | optional, by_ref)
            if {moved(turned(matrix, a), move) for a in atoms} != atoms:
                continue
        found.append(permutation)
    return found


def _onto_itself(matrix, region):
    """The translation that brings the turned region back to where it was, if any does: that of its centre of mass."""
    before = [sum(axis) / len(region) for axis in zip(*map(centre, region), strict=True)]
    after = [sum(axis) / len(region) for axis in zip(*(centre(turned(matrix, a)) for a in region), strict=True)]
    return [b - a for b, a in zip(before, after, strict=True)]


def _permutation(matrix, move, pieces, placements, number, rules):
    images = [_move_body(*_turn_body(matrix, atoms, marks), move) for _, atoms, marks in placements]
    target = {}
    for piece in range(len(pieces)):
        own = [i for i, p in enumerate(placements) if p[0] == piece]
        if not own:
            continue
        wanted = {images[i] for i in own}
        fits = [other for other in range(len(pieces)) if {(a, m) for q, a, m in placements if q == other} == wanted]
        fits = [o for o in fits if _supply(pieces[o]) == _supply(pieces[piece])]
        fits = [o for o in fits if all(by_piece[o] == by_piece[piece] for _, by_piece, _, _ in rules)]
        if not fits:
            return None
        if len(fits) > 1 and piece not in fits:
            raise TooMuch  # several pieces with the same placements in this form: which goes where is anybody's guess
        target[piece] = piece if piece in fits else fits[0]
    return [number[(target[p[0]], *image)] for p, image in zip(placements, images, strict=True)]


def _labels(pieces, placements, solution):
    """In how many ways copies can be told apart in a solution: which of its own copies each tile uses, and where."""
    used = Counter(placements[p][0] for p in solution)
    return prod(_ways(piece, used[i]) for i, piece in enumerate(pieces))


def _ways(piece, used):
    total = 0
    for shares in product(*(range(low, high + 1) for low, high in piece.ranges)):
        if sum(shares) == used:
            copies = prod(comb(high, n) for (_, high), n in zip(piece.ranges, shares, strict=True))
            total += copies * factorial(used)
    return total


def _count(result, pieces, placements, found, symmetries):
    result.all = len(found)
    known = not found or all(piece.high is not None for piece in pieces)
    result.labelled = sum(_labels(pieces, placements, s) for s in found) if known else None
    result.distinct = len({min(tuple(sorted(g[p] for p in s)) for g in symmetries) for s in found})
    result.fixed = sorted(sum(frozenset(g[p] for p in s) == s for s in found) for g in symmetries)
    if known and result.labelled <= MOST_LABELLED:
        every = {answer for s in found for answer in _labelled(pieces, placements, s)}
        assert len(every) == result.labelled
        result.labelled_distinct = len({min(tuple(sorted((g[p], label) for p, label in answer)) for g in symmetries) for answer in every})


def _labelled(pieces, placements, solution):
    """The solution with every copy named: sets of (placement, number of the copy among its kind)."""
    answers = [()]
    for i, piece in enumerate(pieces):
        own = [p for p in solution if placements[p][0] == i]
        owners = [tile for tile, (_, high) in enumerate(piece.ranges) for _ in range(high)]
        ways = [labels for labels in permutations(range(piece.high), len(own)) if _in_ranges(piece, Counter(owners[n] for n in labels))]
        answers = [a + tuple(zip(own, labels, strict=True)) for a in answers for labels in ways]
    return [frozenset(a) for a in answers]


def _supply(piece):
    """The copies of a piece; tiles used a fixed number of times are as good as one tile with as many copies."""
    if all(low == high for low, high in piece.ranges):
        return sum(low for low, _ in piece.ranges)
    return sorted(map(str, piece.ranges))


def _in_ranges(piece, used):
    return all(low <= used[tile] <= high for tile, (low, high) in enumerate(piece.ranges))


def _split_atoms(lattice, puzzle, region, by_ref):
    *where, kind = puzzle["split"]["uncovered"].split()
    chosen = {a for a in region if lattice.kind(by_ref[a][-1]) == kind}
    if not where:
        return chosen
    faces = [a for a in region if lattice.kind(by_ref[a][-1]) == lattice.main]
    return {a for a in chosen if (sum(a <= f for f in faces) > 1) == (where[0] == "inner")}


def _split(lattice, puzzle, region, by_ref, pieces, placements, found, result):
    atoms = _split_atoms(lattice, puzzle, region, by_ref)
    plain, labelled = Counter(), Counter()
    known = not found or all(piece.high is not None for piece in pieces)
    for s in found:
        left = len(atoms - {a for p in s for a in placements[p][1]})
        plain[left] += 1
        labelled[left] += _labels(pieces, placements, s) if known else 0
    result.split = dict(plain)
    result.split_labelled = dict(labelled) if known else None


# ---------------------------------------------------------------- cover problems


def cover_solutions(problem, given=()):
    """All solutions of a cover problem as ascending tuples: every subset of the options that obeys its definition."""
    n = len(problem.options)
    entries = [
        [(int(problem.item[e]), int(problem.colour[e])) for e in range(int(problem.start[o]), int(problem.start[o + 1]))] for o in range(n)
    ]
    low, high = problem.low.tolist(), problem.high.tolist()
    coloured = problem.coloured.tolist()
    must = {*given, *problem.forced}
    found = []
    chosen = []
    users = [[] for _ in low]
    left = Counter(i for row in entries for i, _ in row)
    steps = 0

    def fits(option):
        for i, colour in entries[option]:
            if coloured[i]:
                if any(colour == 0 or colour != other for other in users[i]):
                    return False
            elif len(users[i]) >= high[i]:
                return False
        return True

    def visit(option):
        nonlocal steps
        steps += 1
        if steps > MOST_STEPS:
            raise TooMuch
        if option == n:
            if all((bool(u) if c else len(u)) >= lo for u, lo, c in zip(users, low, coloured, strict=True)) and all(
                _holds(c, sum(int(c.weights[o]) for o in chosen)) for c in problem.conditions
            ):
                found.append(tuple(chosen))
            return
        for i, _ in entries[option]:
            left[i] -= 1
        if fits(option):
            for i, colour in entries[option]:
                users[i].append(colour)
            chosen.append(option)
            if _hopeful(option):
                visit(option + 1)
            chosen.pop()
            for i, _ in entries[option]:
                users[i].pop()
        if option not in must and _hopeful(option):
            visit(option + 1)
        for i, _ in entries[option]:
            left[i] += 1

    def _hopeful(option):
        return all(len(users[i]) + left[i] >= low[i] for i, _ in entries[option])

    if all(left[i] >= lo for i, lo in enumerate(low)):
        visit(0)
    return found


def _holds(condition, total):
    if condition.modulus:
        return (total - condition.residue) % condition.modulus == 0
    return condition.low <= total <= condition.high
