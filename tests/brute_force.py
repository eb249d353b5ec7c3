"""The judge: it counts by plain enumeration and shares no code with the program.

A whole puzzle is counted directly from the tables of its file. An atom is the set of its exact vertices. Tiles are turned by integer
matrices that preserve the scalar products (a glide also moves them). Every set of placements is tried, one placement after the other.
Nothing of puzzlesat is imported here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import permutations, product
from math import atan2, comb, factorial, inf, prod, sqrt

from condition_judge import Condition, ConditionJudge
from seams import FILES, SCALE, Seams, Turn, anchored, make_seams, moved, times, turned
from solution_judge import SolutionJudge

MAX_STEPS = 60_000
MAX_LABELLED = 3_000
DEGREES = {2: 0, 1: 60, 0: 90, -1: 120, -2: 180}


class TooMuch(Exception):
    """The puzzle is too large for enumeration."""


# ---------------------------------------------------------------- grids


def frac_vertices(vertices, by):
    """The vertices of an atom of the cell ``by``, in ``SCALE``-ths of the lattice vectors."""
    exact = [[SCALE * (Fraction(x) + b) for x, b in zip(v, by, strict=True)] for v in vertices]
    assert all(x.denominator == 1 for v in exact for x in v)
    return frozenset(tuple(int(x) for x in v) for v in exact)


def centre(shape):
    """The centre in lattice coordinates."""
    return tuple(Fraction(sum(axis), SCALE * len(shape)) for axis in zip(*shape, strict=True))


def determinant(m):
    if len(m) == 2:
        return m[0][0] * m[1][1] - m[0][1] * m[1][0]
    return sum(m[0][i] * (m[1][(i + 1) % 3] * m[2][(i + 2) % 3] - m[1][(i + 2) % 3] * m[2][(i + 1) % 3]) for i in range(3))


def matrix_product(a, b):
    return tuple(tuple(sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)) for row in a)


@cache
def _matrices(gram):
    """All matrices with entries from -2 to 2 that preserve the scalar products, in lexicographic order of their entries."""
    n = range(len(gram))

    def scalar(v, w):
        return sum(v[i] * gram[i][j] * w[j] for i in n for j in n)

    columns = [[v for v in product(range(-2, 3), repeat=len(gram)) if scalar(v, v) == gram[i][i]] for i in n]
    fits = (c for c in product(*columns) if all(scalar(c[i], c[j]) == gram[i][j] for i in n for j in range(i)))
    return sorted(matrix for c in fits if abs(determinant(matrix := tuple(zip(*c, strict=True)))) == 1)


class Lattice:
    """A grid file, as far as the judge needs it."""

    def __init__(self, name):
        data = FILES[name]
        self.name = name
        self.gram = [[Fraction(g) for g in row] for row in data["gram"]]
        self.dimension = len(self.gram)
        self.atoms = data["atoms"]
        self.names = [a["name"] for a in self.atoms]
        self.by_name = {a["name"]: a for a in self.atoms}
        self.main = self.atoms[0].get("kind", "face")
        self.ring = data.get("rings", {}).get(self.names[0])
        self.shapes = [frac_vertices(a["vertices"], (0,) * self.dimension) for a in self.atoms]
        self._round, self._sides = {}, {}

    @cached_property
    def turns(self):
        """Turns and mirrors with their translations, in the order of their matrices."""
        return [Turn(m, offset) for m in _matrices(tuple(map(tuple, self.gram))) for offset in self._offsets(m)]

    def _offsets(self, matrix):
        """Yield the offsets, up to lattice vectors, that put the turned atoms onto atoms of the grid."""
        atoms = {(*_sort_of(atom), anchored(shape)[0]) for atom, shape in zip(self.atoms, self.shapes, strict=True)}
        first = min(times(matrix, v) for v in self.shapes[0])
        steps = {tuple((x - y) % SCALE for x, y in zip(v, first, strict=True)) for shape in self.shapes for v in shape}
        for offset in sorted(steps):
            images = [turned(Turn(matrix, offset), shape) for shape in self.shapes]
            if {(*_sort_of(atom), anchored(image)[0]) for atom, image in zip(self.atoms, images, strict=True)} == atoms:
                yield offset

    @cached_property
    def nearest(self):
        """The shortest vectors of the lattice."""
        ways = [v for v in product((-1, 0, 1), repeat=self.dimension) if any(v)]
        length = {v: sum(x * g * y for x, row in zip(v, self.gram, strict=True) for g, y in zip(row, v, strict=True)) for v in ways}
        return [v for v in ways if length[v] == min(length.values())]

    def kind(self, name):
        return self.by_name[name].get("kind", "face")

    def atom(self, ref):
        """The vertices of an atom written as in a file."""
        cell, name = ref[: self.dimension], ref[self.dimension] if len(ref) > self.dimension else self.names[0]
        return moved(self.shapes[self.names.index(name)], cell)

    def degrees(self, matrix):
        """The angle of a turn in the plane, counterclockwise."""
        angle = DEGREES[matrix[0][0] + matrix[1][1]]
        return 360 - angle if matrix[1][0] < 0 else angle

    def allowed(self, flips, turns):
        """The turns and, with flips, the mirror that reverses the first direction, followed by these turns."""
        matrices = self._matrices_allowed(flips, turns)
        return [turn for turn in self.turns if turn.matrix in matrices]

    def _matrices_allowed(self, flips, turns):
        everything = list(dict.fromkeys(turn.matrix for turn in self.turns))
        proper = [m for m in everything if determinant(m) > 0]
        if turns != "all":
            degrees = [0] if turns == "none" else turns
            identity = tuple(tuple(int(i == j) for j in range(self.dimension)) for i in range(self.dimension))
            proper = [m for m in proper if (m == identity if self.dimension == 3 else self.degrees(m) in degrees)]
        if not flips:
            return proper
        if turns == "all":
            return everything
        assert self.dimension == 2, "flips with some turns only are not defined in space"
        over = next(m for m in everything if determinant(m) < 0 and (m[0][0], m[1][0]) == (-1, 0))
        return proper + [matrix_product(m, over) for m in proper]

    def _near(self, shape):
        """All atoms of the grid near a shape, with their vertices."""
        low = [min(v[i] for v in shape) // SCALE for i in range(self.dimension)]
        for cell in product(*(range(x - 1, x + 3) for x in low)):
            for atom, vertices in zip(self.atoms, self.shapes, strict=True):
                yield moved(vertices, cell), atom

    def slots_or_sides(self, face):
        """Vertices and tables of all atoms of other kinds that lie on a face, given by its vertices."""
        base, cell = anchored(face)
        if base not in self._sides:
            self._sides[base] = [(side, atom) for side, atom in self._near(base) if self.kind(atom["name"]) != self.main and side <= base]
        return [(moved(side, cell), atom) for side, atom in self._sides[base]]

    def faces_round(self, side):
        """The atoms of the main kind on which a shape, or a point, lies."""
        base, cell = anchored(side)
        if base not in self._round:
            self._round[base] = [face for face, atom in self._near(base) if self.kind(atom["name"]) == self.main and base <= face]
        return [moved(face, cell) for face in self._round[base]]


def _sort_of(atom):
    return atom.get("kind", "face"), atom.get("role", "cover")


@cache
def lattice_of(name):
    """Read a grid file once."""
    return Lattice(name)


# ---------------------------------------------------------------- puzzles


@dataclass
class Piece:
    """Tiles with the same orientations: one tile with all their copies."""

    names: list
    bodies: frozenset  # orientations up to translation
    ranges: list  # least and greatest number of copies of each tile; None: no limit
    listed: bool = False  # the file lists its placements, which are ``bodies``

    @property
    def low(self):
        return sum(low for low, _ in self.ranges)

    @property
    def high(self):
        return None if any(high is None for _, high in self.ranges) else sum(high for _, high in self.ranges)


@dataclass
class Judged:
    """The solutions and symmetries found by the judge."""

    solutions: set = field(default_factory=set)  # frozensets of (piece number, atoms, marks)
    pieces: list = field(default_factory=list)
    symmetries: list = field(default_factory=list)  # permutations of placements, as lists
    laid: list = field(default_factory=list)  # the placements, each as a piece number, atoms and marks
    found: list = field(default_factory=list)  # the solutions, as sets of numbers of placements
    coverings: set = field(default_factory=set)  # solutions without the rules, in the same form
    kept: set = field(default_factory=set)  # coverings that keep the linear conditions
    conditions: ConditionJudge | None = None
    seams: Seams | None = None
    labelled: int | None = None
    all: int = 0
    distinct: int = 0
    fixed: list = field(default_factory=list)  # sorted numbers of solutions that each symmetry fixes
    labelled_distinct: int | None = None  # also None if there are too many labelled solutions to list
    split: dict | None = None
    split_labelled: dict | None = None
    placements: int = 0


def judge(puzzle, fixed=()):
    """Count a puzzle given as the tables of its file, models spelt out.

    The form is given by ``form.atoms`` (references), ``optional``, ``remove``, ``inner`` and ``outer``, or by ``form.box``.
    ``fixed`` holds placements, as pairs of a tile's name and its set of atoms.
    """
    lattice = lattice_of(puzzle["grid"])
    required, optional, by_ref, seams = _form(lattice, puzzle["form"])
    region = required | optional
    pieces = _pieces(lattice, puzzle)
    mates = _mates(puzzle.get("marks", {}))
    placements = [
        (number, atoms, marks)
        for number, piece in enumerate(pieces)
        for atoms, marks in _laid(piece, region, seams)
        if _marks_agree(lattice, seams, marks, mates, puzzle["form"].get("border")) and _colours_agree(lattice, puzzle, marks)
    ]
    solutions = SolutionJudge(lattice, puzzle, required, optional, by_ref, pieces, seams)
    placements = solutions.allowed(placements, _crossed(lattice, puzzle, placements, seams))
    forced = [_find(pieces, placements, name, lying(seams, *body)) for name, body in fixed]
    rules = [_rule(lattice, region, by_ref, pieces, c) for c in puzzle.get("conditions", [])]
    wanted = [solutions.named(names) for names in puzzle.get("solutions", {}).get("one_of", [])]
    rules += [Condition({}, [], low=1, high=inf, by_placement=[int(p[:2] in some) for p in placements]) for some in wanted]
    crossed = _crossed(lattice, puzzle, placements, seams)
    coverings = _enumerate(pieces, placements, required, _partners(lattice, seams, placements), mates, forced, crossed)
    result = Judged(pieces=pieces, placements=len(placements), seams=seams, laid=placements)
    result.conditions = ConditionJudge(rules, placements, pieces, required, region)
    result.coverings = set(coverings)
    result.kept = {s for s in coverings if result.conditions.hold(s)}
    found = [s for s in coverings if s in result.kept and solutions.keeps([placements[p] for p in s])]
    result.found, result.solutions = found, {frozenset(placements[p] for p in s) for s in found}
    motions = _symmetries(lattice, puzzle, required, optional, pieces, placements, forced, by_ref, seams, solutions)
    result.symmetries = [g for g in motions if keeps_conditions(result, g)]
    count_up_to(result, result.symmetries)
    if "split" in puzzle:
        _split(lattice, puzzle, region, by_ref, pieces, placements, found, result)
    return result


def keeps_conditions(judged, permutation):
    """Return whether a permutation maps coverings to coverings, and keeps the linear conditions: the definition of a symmetry of rules."""
    moved = {s: frozenset(permutation[p] for p in s) for s in judged.coverings}
    return set(moved.values()) == judged.coverings and {moved[s] for s in judged.kept} == judged.kept


def _form(lattice, form):
    if "box" in form:
        cells = product(*(range(1, n + 1) for n in form["box"]))
        refs = [[*cell, a] for cell in cells for a in lattice.names if lattice.kind(a) == lattice.main]
    else:
        refs = [_full(lattice, r) for r in form["atoms"]]
    atoms = {lattice.atom(r): lattice.kind(r[-1]) for r in refs}
    by_ref = {lattice.atom(r): tuple(r) for r in refs}
    optional = set()
    seams = make_seams(form.get("wrap", []), lattice.dimension, lambda move: _mirror_along(lattice, atoms, move))
    seams.settle(atoms)
    assert all(seams.home(a) == a for a in atoms), "two atoms of the form are the same"
    for where in ("inner", "outer"):
        for kind, rule in form.get(where, {}).items():
            for side in _beside(lattice, seams, [a for a in atoms if atoms[a] == lattice.main], kind):
                if _lies(lattice, seams, side) == where and rule != "none":
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
    seams.settle(atoms)
    return set(atoms) - optional, optional, by_ref, seams


def _mirror_along(lattice, atoms, move):
    """The mirror that keeps a direction and maps the atoms onto themselves."""
    (mirror,) = [t for t in lattice.turns if determinant(t.matrix) < 0 and times(t.matrix, move) == tuple(move)]
    move = tuple(map(int, _onto_itself(mirror, atoms)))
    assert {_moved_turned(mirror, move, a) for a in atoms} == set(atoms), "a form that is joined mirrored is its own mirror image"
    return mirror, move


def _beside(lattice, seams, faces, kind):
    """Return the atoms of a kind on the sides of faces. Of identified atoms, take the first, row by row from below."""
    sides = {side for face in faces for side, atom in lattice.slots_or_sides(face) if atom.get("kind", "face") == kind}
    found = []
    for side in sorted(sides, key=lambda side: _row_order(lattice, side)):
        if not any(seams.same(side, other) for other in found):
            found.append(side)
    return found


def _row_order(lattice, shape):
    *cell, name = _name_of(lattice, shape)
    return *reversed(cell), lattice.names.index(name)


def _lies(lattice, seams, side):
    """Return "inner" if the form has faces on both sides, "outer" if it has a face on one side, otherwise None."""
    return [None, "outer", "inner"][sum(seams.home(face) is not None for face in lattice.faces_round(side))]


def _full(lattice, ref):
    return [*ref, lattice.names[0]] if len(ref) == lattice.dimension else list(ref)


def _name_of(lattice, shape):
    """Cell and name of an atom of the grid."""
    for name, base in zip(lattice.names, lattice.shapes, strict=True):
        step = [a - b for a, b in zip(min(shape), min(base), strict=True)]
        if all(s % SCALE == 0 for s in step) and moved(base, [s // SCALE for s in step]) == shape:
            return (*(s // SCALE for s in step), name)
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
        if "placements" in tile:
            bodies = frozenset((frozenset(map(lattice.atom, refs)), frozenset()) for refs in tile["placements"])
            known = found.setdefault((bodies, "listed"), Piece([], bodies, [], listed=True))
            known.names.append(name)
            known.ranges.append((low, high))
            continue
        atoms, marks = _body(lattice, tile)
        turns = lattice.allowed(tile.get("flips", puzzle["flips"]), tile.get("turns", puzzle.get("turns", "all")))
        bodies = frozenset(_home(*_turn_body(turn, atoms, marks)) for turn in turns)
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


def _turn_body(turn, atoms, marks):
    return {turned(turn, a) for a in atoms}, {(turned(turn, s), turned(turn, f), n) for s, f, n in marks}


def _move_body(atoms, marks, by):
    return frozenset(moved(a, by) for a in atoms), frozenset((moved(s, by), moved(f, by), n) for s, f, n in marks)


def _home(atoms, marks):
    """A body moved by a lattice vector to a normal form, equal for all its translates."""
    first = min(sorted(a) for a in atoms)[0]
    return _move_body(atoms, marks, [-(x // SCALE) for x in first])


def _laid(piece, region, seams):
    """Every place of every orientation inside the region."""
    if piece.listed:
        assert all(atoms <= region for atoms, _ in piece.bodies)
        return sorted(piece.bodies, key=lambda body: sorted(map(sorted, body[0])))
    laid = set()
    targets = [t for atom in region for t in seams.sheets(atom)]
    for atoms, marks in piece.bodies:
        anchor = min(atoms, key=sorted)
        for target in targets:
            by = [t - c for t, c in zip(centre(target), centre(anchor), strict=True)]
            if all(b.denominator == 1 for b in by):
                there = lying(seams, *_move_body(atoms, marks, [int(b) for b in by]))
                if there is not None:
                    laid.add(there)
    return sorted(laid, key=lambda body: (sorted(map(sorted, body[0])), sorted((sorted(s), sorted(f), n) for s, f, n in body[1])))


def lying(seams, atoms, marks):
    """A body of the plane as it lies on the form: None if a part of it is outside, or overlaps another part."""
    atoms = list(atoms)
    homes = frozenset(seams.home(a) for a in atoms)
    if None in homes or len(homes) < len(atoms):
        return None
    return homes, frozenset((*seams.flag(side, face), name) for side, face, name in marks)


def _mates(marks):
    mates = {}
    for name, mark in marks.items():
        if mark["kind"] == "halves":
            mates[name + "+"], mates[name + "-"] = name + "-", name + "+"
        else:
            mates[name] = name if mark["kind"] == "self" else None
    return mates


def _partner(lattice, seams, side, face):
    """The other face of a side, as a flag; None if it is outside the form."""
    (other,) = [f for f in lattice.faces_round(side) if f != face]
    return seams.flag(side, other)


def _partners(lattice, seams, placements):
    """Map each marked side and its face to the same side as seen from the other face."""
    shown = {(side, face) for _, _, marks in placements for side, face, _ in marks if side != face}
    return {flag: _partner(lattice, seams, *flag) for flag in shown}


def _marks_agree(lattice, seams, marks, mates, border):
    """Return whether the marks of a placement may touch the border, and the placement itself across a seam."""
    own = {(side, face): name for side, face, name in marks if side != face}
    for flag, name in own.items():
        partner = _partner(lattice, seams, *flag)
        if partner is None and border is not None and mates[name] != border:
            return False
        if partner in own and mates[name] != own[partner]:
            return False
    return True


def _form_colours(lattice, puzzle):
    return {lattice.atom(r): c for c, refs in puzzle["form"].get("colours", {}).items() for r in refs}


def _colours_agree(lattice, puzzle, marks):
    """Return whether each coloured atom of a tile lies on an uncoloured atom of the form or on an allowed colour."""
    below = _form_colours(lattice, puzzle)
    return all(side != face or face not in below or below[face] in puzzle["colours"][name] for side, face, name in marks)


def _find(pieces, placements, name, body):
    (found,) = [i for i, (piece, *lies) in enumerate(placements) if name in pieces[piece].names and tuple(lies) == body]
    return found


def _rule(lattice, region, by_ref, pieces, table):
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
    by_piece = [min(values) for values in by_piece]
    if "modulo" in table:
        return Condition(weights, by_piece, modulus=table["modulo"]["of"], residue=table["modulo"]["is"])
    low, high = table["between"] if "between" in table else (table["equals"], table["equals"])
    return Condition(weights, by_piece, low, high)


def _crossed(lattice, puzzle, placements, seams=None):
    """List for each placement the placements that would cross it at a point where crossing is forbidden."""
    if lattice.main != "edge" or puzzle.get("may_cross"):
        return [set() for _ in placements]
    home = seams.home if seams else frozenset
    points = {v for _, atoms, _ in placements for a in atoms for v in a}
    ends = {v: [(_direction(lattice, v, edge), home(edge)) for edge in lattice.faces_round(frozenset([v]))] for v in points}
    around = []
    for _, atoms, _ in placements:
        own = {v: [angle for angle, edge in ends[v] if edge in atoms] for v in points}  # all edges: a seam identifies several
        around.append({v: angles for v, angles in own.items() if len(angles) > 1})
    return [
        {q for q, other in enumerate(around) if q != p and any(_take_turns(one[v], other[v]) for v in one.keys() & other.keys())}
        for p, one in enumerate(around)
    ]


def _direction(lattice, point, edge):
    """The angle at which an edge leaves one of its ends."""
    (a, b), (_, c) = [[float(x) for x in row] for row in lattice.gram]
    (end,) = edge - {point}
    x, y = end[0] - point[0], end[1] - point[1]
    return round(atan2(y * sqrt(c - b * b / a), x * sqrt(a) + y * b / sqrt(a)), 6)


def _take_turns(one, other):
    """Return whether the edges of two tiles alternate more than twice around a point."""
    owners = [owner for _, owner in sorted([(angle, 0) for angle in one] + [(angle, 1) for angle in other])]
    return sum(owner != owners[i - 1] for i, owner in enumerate(owners)) > 2


def _enumerate(pieces, placements, required, partners, mates, forced, crossed):
    """All sets of placements that would be solutions without rules: use or omit each placement, in a fixed order."""
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
    shown = {}
    steps = 0

    def meets(side, face, name):
        """Return whether a mark fits its neighbours, on its own face and on the other."""
        if side == face:
            return True
        met = shown.get(partners[side, face])
        return met is None or mates[name] == met

    def visit(step):
        nonlocal steps
        steps += 1
        if steps > MAX_STEPS:
            raise TooMuch
        if step == len(order):
            if required <= covered and all(used[i] >= piece.low for i, piece in enumerate(pieces)):
                found.append(frozenset(chosen))
            return
        p = order[step]
        piece, atoms, marks = placements[p]
        high = pieces[piece].high
        if (
            not atoms & covered
            and crossed[p].isdisjoint(chosen)
            and (high is None or used[piece] < high)
            and all(meets(*mark) for mark in marks)
        ):
            chosen.append(p)
            covered.update(atoms)
            used[piece] += 1
            own = {(s, f): n for s, f, n in marks if s != f}
            shown.update(own)
            if all(a in covered for a in due[step]):
                visit(step + 1)
            for flag in own:
                del shown[flag]
            used[piece] -= 1
            covered.difference_update(atoms)
            chosen.pop()
        if p not in forced and all(a in covered for a in due[step]):
            visit(step + 1)

    visit(0)
    return found


def _symmetries(lattice, puzzle, required, optional, pieces, placements, forced, by_ref, seams, solutions):
    """The symmetries of the form that keep everything except linear conditions, as permutations of the placements."""
    same = puzzle["flips"] if puzzle.get("mirrored") is None else puzzle["mirrored"] == "same"
    number = {placement: i for i, placement in enumerate(placements)}
    below = _form_colours(lattice, puzzle)
    split = _split_atoms(lattice, puzzle, required | optional, by_ref, seams) if "split" in puzzle else set()
    wraps = bool(puzzle["form"].get("wrap"))
    flags = {(side, face) for face in required | optional for side, _ in lattice.slots_or_sides(face)} if wraps else set()
    found = {}
    for turn, motion in _motions(lattice, puzzle, required | optional, seams, same):
        image = {a: seams.home(motion(a)) for a in required | optional}
        if len(set(image.values())) < len(image) or {image[a] for a in required} != required or {image[a] for a in optional} != optional:
            continue
        if any(below.get(a) != below.get(b) for a, b in image.items()):
            continue
        if {image[a] for a in split} != split:
            continue
        permutation = _permutation(motion, seams, pieces, placements, number)
        if permutation is None or {permutation[p] for p in forced} != set(forced):
            continue
        if not solutions.kept_by(motion, image, permutation, placements):
            continue
        key = frozenset(image.items()), frozenset((flag, seams.flag(*map(motion, flag))) for flag in flags)
        found.setdefault(key if wraps else turn, permutation)
    return list(found.values())


def _motions(lattice, puzzle, region, seams, mirrors):
    """Motions of the plane or of space that may map the form onto itself, each with its turn; mirrors last."""
    wraps = bool(puzzle["form"].get("wrap"))
    one = min(region, key=sorted)
    for turn in sorted(lattice.turns, key=lambda t: determinant(t.matrix) < 0):
        if determinant(turn.matrix) < 0 and not mirrors:
            continue
        if wraps:
            start = centre(turned(turn, one))
            moves = [[t - s for t, s in zip(centre(target), start, strict=True)] for atom in region for target in seams.sheets(atom)]
        else:
            moves = [_onto_itself(turn, region)]
        for move in moves:
            if all(m.denominator == 1 for m in move):
                motion = partial(_moved_turned, turn, tuple(map(int, move)))
                if not wraps or seams.kept_by(turn.matrix, motion, one):
                    yield turn, motion


def _moved_turned(turn, move, shape):
    return moved(turned(turn, shape), move)


def _onto_itself(turn, region):
    """Return the translation of the centre of mass: no other one can bring the turned region back to its place."""
    before = [sum(axis) / len(region) for axis in zip(*map(centre, region), strict=True)]
    after = [sum(axis) / len(region) for axis in zip(*(centre(turned(turn, a)) for a in region), strict=True)]
    return [b - a for b, a in zip(before, after, strict=True)]


def _permutation(motion, seams, pieces, placements, number):
    images = [lying(seams, map(motion, atoms), ((motion(s), motion(f), n) for s, f, n in marks)) for _, atoms, marks in placements]
    target = {}
    for piece in range(len(pieces)):
        own = [i for i, p in enumerate(placements) if p[0] == piece]
        if not own:
            continue
        wanted = {images[i] for i in own}
        fits = [other for other in range(len(pieces)) if {(a, m) for q, a, m in placements if q == other} == wanted]
        fits = [o for o in fits if _supply(pieces[o]) == _supply(pieces[piece])]
        if not fits:
            return None
        if len(fits) > 1 and piece not in fits:
            raise TooMuch  # several pieces with the same placements in this form: their copies cannot be assigned
        target[piece] = piece if piece in fits else fits[0]
    return [number[(target[p[0]], *image)] for p, image in zip(placements, images, strict=True)]


def _labels(pieces, placements, solution):
    """The number of ways to tell copies apart in a solution: which of its own copies each tile uses, and where."""
    used = Counter(placements[p][0] for p in solution)
    return prod(_ways(piece, used[i]) for i, piece in enumerate(pieces))


def _ways(piece, used):
    total = 0
    for shares in product(*(range(low, high + 1) for low, high in piece.ranges)):
        if sum(shares) == used:
            copies = prod(comb(high, n) for (_, high), n in zip(piece.ranges, shares, strict=True))
            total += copies * factorial(used)
    return total


def count_up_to(result, symmetries):
    """Count, where two solutions that one of some symmetries takes to each other are the same."""
    pieces, placements, found = result.pieces, result.laid, result.found
    result.all = len(found)
    known = not found or all(piece.high is not None for piece in pieces)
    result.labelled = sum(_labels(pieces, placements, s) for s in found) if known else None
    result.distinct = len({min(tuple(sorted(g[p] for p in s)) for g in symmetries) for s in found})
    result.fixed = sorted(sum(frozenset(g[p] for p in s) == s for s in found) for g in symmetries)
    if known and result.labelled <= MAX_LABELLED:
        every = {answer for s in found for answer in _labelled(pieces, placements, s)}
        assert len(every) == result.labelled
        result.labelled_distinct = len({min(tuple(sorted((g[p], label) for p, label in answer)) for g in symmetries) for answer in every})


def _labelled(pieces, placements, solution):
    """The labelled solutions of a solution: sets of (placement, number of the copy among its kind)."""
    answers = [()]
    for i, piece in enumerate(pieces):
        own = [p for p in solution if placements[p][0] == i]
        owners = [tile for tile, (_, high) in enumerate(piece.ranges) for _ in range(high)]
        ways = [labels for labels in permutations(range(piece.high), len(own)) if _in_ranges(piece, Counter(owners[n] for n in labels))]
        answers = [a + tuple(zip(own, labels, strict=True)) for a in answers for labels in ways]
    return [frozenset(a) for a in answers]


def _supply(piece):
    """Return how many copies of a piece there are. Tiles used a fixed number of times count as one tile with several copies."""
    if all(low == high for low, high in piece.ranges):
        return sum(low for low, _ in piece.ranges)
    return sorted(map(str, piece.ranges))


def _in_ranges(piece, used):
    return all(low <= used[tile] <= high for tile, (low, high) in enumerate(piece.ranges))


def _split_atoms(lattice, puzzle, region, by_ref, seams):
    *where, kind = puzzle["split"]["uncovered"].split()
    chosen = {a for a in region if lattice.kind(by_ref[a][-1]) == kind}
    if not where:
        return chosen
    return {a for a in chosen if _lies(lattice, seams, a) == where[0]}


def _split(lattice, puzzle, region, by_ref, pieces, placements, found, result):
    atoms = _split_atoms(lattice, puzzle, region, by_ref, result.seams)
    plain, labelled = Counter(), Counter()
    known = not found or all(piece.high is not None for piece in pieces)
    for s in found:
        left = len(atoms - {a for p in s for a in placements[p][1]})
        plain[left] += 1
        labelled[left] += _labels(pieces, placements, s) if known else 0
    result.split = dict(plain)
    result.split_labelled = dict(labelled) if known else None


# ---------------------------------------------------------------- cover problems


def puzzleless_solutions(problem, given=()):
    """All solutions of a cover problem as ascending tuples: every subset of the options that satisfies the definition."""
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
        if steps > MAX_STEPS:
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
