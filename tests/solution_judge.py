"""Rules on solutions, for the judge: each is checked on whole solutions, or on single placements, with the exact vertices of atoms.

Nothing of puzzlesat is imported here.
"""

from collections import defaultdict
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations
from math import atan2, degrees, sqrt

from seams import moved, turned


def ways_to(point, face):
    """The vectors from the other corners of a face to one of its corners."""
    return [tuple(x - y for x, y in zip(point, v, strict=True)) for v in face if v != point]


def neighbours_of(lattice, face):
    """The faces of a grid that share a side with one: d common vertices in d dimensions, an end for edges; the nearest balls."""
    if len(face) == 1:
        return [moved(face, v) for v in lattice.nearest]
    side = 1 if len(face) == 2 else lattice.dimension
    return [a for v in face for a in lattice.faces_round(frozenset([v])) if a != face and len(a & face) >= side]


def meeting(here, owner):
    """The owners of faces that meet at a point, except owners of a single straight line through it."""
    ways = defaultdict(list)
    for face, own in here:
        if face in owner:
            ways[owner[face]].append(own)
    return [piece for piece, own in ways.items() if not (len(own) == 2 and _straight(*own))]


def _straight(one, other):
    """Return whether two sticks meet a point from opposite sides."""
    if len(one) > 1 or len(other) > 1:
        return False
    ((a, b),), ((c, d),) = one, other
    return a * d == b * c and (a * c < 0 or b * d < 0)


PLACE_RULES = {
    "no_crossroads": (lambda judge, _, owner: all(len(meeting(here, owner)) <= 3 for here in judge.rounds), "plane", [4, 4]),
    "fault_free": (
        lambda judge, solution, _: all(any(p[1] & one and p[1] & other for p in solution) for one, other in judge.halves),
        "lines",
        [6, 5],
    ),
}
"""Rules that a puzzle can have.

For each: the test of a solution; the random forms on which the rule has a meaning (any, of the plane, with lines and without seams); and a
box in which it excludes some coverings by dominoes, but not all.
"""


class SolutionJudge:
    """The table ``solutions`` of a puzzle, applied to its form."""

    def __init__(self, lattice, puzzle, required, optional, by_ref, pieces, seams):
        self.lattice, self.rules, self.pieces, self.seams = lattice, puzzle.get("solutions", {}), pieces, seams
        self.required, self.optional, self.region = required, optional, required | optional
        self.faces = {a for a in self.region if lattice.kind(by_ref[a][-1]) == lattice.main}
        self.tiles = puzzle["tiles"]
        self.colours = {lattice.atom(r): c for c, refs in puzzle["form"].get("colours", {}).items() for r in refs}

    def numbers(self, names):
        """The numbers of the pieces of some tiles."""
        return {i for i, piece in enumerate(self.pieces) if names == "all" or set(names) & set(piece.names)}

    @cached_property
    def vertices(self):
        """The corners of the faces of the form."""
        return {v for a in self.faces for v in a}

    @cached_property
    def points(self):
        """The sets of faces of the form that share a corner."""
        found = (frozenset(map(self.seams.home, self.lattice.faces_round(frozenset([v])))) for v in self.vertices)
        return {some - {None} for some in found}

    @cached_property
    def rounds(self):
        """List for each point the faces of the form round it, each with the ways from the point to its other corners."""
        found = ([(self.seams.home(face), ways_to(v, face)) for face in self.lattice.faces_round(frozenset([v]))] for v in self.vertices)
        return [[(home, ways) for home, ways in here if home is not None] for here in found]

    @cached_property
    def sides(self):
        """Return the pairs of faces of the form that share a side."""
        return {
            frozenset((a, self.seams.home(b)))
            for a in self.faces
            for b in neighbours_of(self.lattice, a)
            if self.seams.home(b) not in (None, a)
        }

    @cached_property
    def touching(self):
        """The pairs of faces that make tiles touch."""
        pairs = {pair for pair in self.sides if len(pair) == 2}
        if self.rules.get("strictly"):
            pairs |= {frozenset(pair) for some in self.points for pair in combinations(some, 2)}
        return pairs

    @cached_property
    def edge(self):
        """The faces at the border."""
        return {a for a in self.faces if any(self.seams.home(b) is None for b in neighbours_of(self.lattice, a))}

    @cached_property
    def motions(self):
        """The symmetries of the form that have a name here."""
        return dict(self._motions())

    def _motions(self):
        for turn in self.lattice.turns:
            name = name_of(self.lattice, turn)
            before = [min(axis) for axis in zip(*(v for a in self.region for v in a), strict=True)]
            after = [min(axis) for axis in zip(*(v for a in self.region for v in turned(turn, a)), strict=True)]
            step = [b - a for a, b in zip(after, before, strict=True)]
            motion = partial(_go, turn, step)
            image = {a: motion(a) for a in self.region}
            if name is None or {*image.values()} != self.region or {image[a] for a in self.required} != self.required:
                continue
            if all(self.colours.get(a) == self.colours.get(b) for a, b in image.items()):
                yield name, motion

    def asked(self, names):
        return [names] if isinstance(names, str) else names

    def allowed(self, placements, crossed):
        """The placements that no rule forbids alone; ``crossed`` has for each placement those that cross it."""
        crossing = {frozenset((p[1:], placements[q][1:])) for p, others in zip(placements, crossed, strict=True) for q in others}
        touch, inside = self.numbers(self.rules.get("touch_border", [])), self.numbers(self.rules.get("inside", []))
        kept = [p for p in placements if not (p[0] in touch and not p[1] & self.edge) and not (p[0] in inside and p[1] & self.edge)]
        for table in self.rules.get("holds", []):
            atoms = {self.lattice.atom(r) for r in table["atoms"]} if "atoms" in table else None
            if atoms is None:
                atoms = {a for a, colour in self.colours.items() if colour == table["colour"]}
            low, high = table.get("between", (table.get("equals"), table.get("equals")))
            own = self.numbers(table.get("tiles", "all"))
            kept = [p for p in kept if p[0] not in own or low <= len(p[1] & atoms) <= high]
        gone = self.named(self.rules.get("forbidden", []))
        kept = [p for p in kept if p[:2] not in gone]
        motions, looks = [self.motions[name] for name in self.asked(self.rules.get("symmetric", []))], {p[1:] for p in kept}
        return [p for p in kept if self._goes_round(motions, p[1:], looks, crossing)]

    def named(self, names):
        """The placements with some names, all of tiles in their orientation in the file."""
        found = []
        for name in names:
            tile, orientation, *cell = name.replace("@", ".").split(".")
            assert orientation == "1"
            refs = self.tiles[tile]["atoms"]
            first = min((ref[: self.lattice.dimension] for ref in refs), key=lambda c: c[::-1])
            step = [int(x) - y for x, y in zip(cell, first, strict=True)]
            (piece,) = self.numbers([tile])
            found.append((piece, frozenset(moved(self.lattice.atom(ref), step) for ref in refs)))
        return found

    def _goes_round(self, motions, look, looks, crossing):
        """Return whether all images of a placement under repeated motions are placements that are pairwise disjoint and do not cross."""
        orbit = [look]
        for one in orbit:  # which grows
            for motion in motions:
                there = _moved_look(motion, one)
                if there not in orbit:
                    orbit.append(there)
        beside = (a[0].isdisjoint(b[0]) and frozenset((a, b)) not in crossing for a, b in combinations(orbit, 2))
        return looks.issuperset(orbit) and all(beside)

    def keeps(self, solution):
        """Return whether a solution, as (piece, atoms, marks) triples, keeps the rules."""
        rules = self.rules
        owner = {a: i for i, (_, atoms, _) in enumerate(solution) for a in atoms}
        if not all(keeps(self, solution, owner) for key, (keeps, *_) in PLACE_RULES.items() if rules.get(key)):
            return False
        for name in self.asked(rules.get("symmetric", [])):
            looks = {p[1:] for p in solution}
            if {_moved_look(self.motions[name], look) for look in looks} != looks:
                return False
        for table in rules.get("symmetric_outline", []):
            own = self.numbers(table["tiles"])
            union = {a for p in solution if p[0] in own for a in p[1]} & self.faces
            if any({self.motions[name](a) for a in union} != union for name in self.asked(table["under"])):
                return False
        touch = {
            frozenset((owner[a], owner[b])) for a, b in map(tuple, self.touching) if a in owner and b in owner and owner[a] != owner[b]
        }
        for group in rules.get("apart", []):
            own = self.numbers(group)
            if any(all(solution[i][0] in own for i in pair) for pair in touch):
                return False
        if any(not {p[:2] for p in solution} & {*self.named(names)} for names in rules.get("one_of", [])):
            return False
        return "colours" not in rules or _coloured(len(solution), touch, rules["colours"])

    @cached_property
    def halves(self):
        """The faces on both sides of each line along a side that cuts no face."""
        found = set()
        for a, b in map(tuple, self.sides):
            shared = sorted(a & b)
            bases = [shared[:1] + list(more) for more in combinations(shared[1:], self.lattice.dimension - 1)]
            for base in bases:
                signs = {f: {_sign(base, v) for v in f} - {0} for f in self.faces}
                if all(len(s) == 1 for s in signs.values()):
                    found.add(frozenset(frozenset(f for f, s in signs.items() if s == {sign}) for sign in (1, -1)))
        return [tuple(two) for two in found]

    def kept_by(self, motion, image, permutation, placements):
        """Return whether the non-linear rules are unchanged by a symmetry: ``image`` of atoms, ``permutation`` of placements."""

        def lie(names, move=None):
            own = self.numbers(names)
            return frozenset(p if move is None else move[p] for p in range(len(placements)) if placements[p][0] in own)

        def group(names, *, conjugate=False):
            back = {b: a for a, b in image.items()}
            maps = [{a: self.motions[name](a) for a in self.region} for name in self.asked(names)]
            maps = [{a: image[m[back[a]]] for a in m} for m in maps] if conjugate else maps
            return closure(maps)

        apart = self.rules.get("apart", [])
        if {lie(names) for names in apart} != {lie(names, permutation) for names in apart}:
            return False
        if "symmetric" in self.rules and group(self.rules["symmetric"]) != group(self.rules["symmetric"], conjugate=True):
            return False
        outlines = [(o["tiles"], o["under"]) for o in self.rules.get("symmetric_outline", [])]
        before = {(lie(tiles), group(under)) for tiles, under in outlines}
        return before == {(lie(tiles, permutation), group(under, conjugate=True)) for tiles, under in outlines}


def name_of(lattice, turn):
    """Return the name of a turn or mirror, or None if no rule here needs it."""
    m = turn.matrix
    if lattice.dimension == 3:
        return "inversion" if all(m[i][j] == -(i == j) for i in range(3) for j in range(3)) else None
    (a, b), (_, c) = [[float(x) for x in row] for row in lattice.gram]
    x, y = m[0][0], m[1][0]
    angle = round(degrees(atan2(y * sqrt(c - b * b / a), x * sqrt(a) + y * b / sqrt(a)))) % 360
    if m[0][0] * m[1][1] - m[0][1] * m[1][0] < 0:
        return f"mirror {angle // 2 % 180}"
    return f"turn {angle}" if angle else None


def _go(turn, step, shape):
    return frozenset(tuple(x + s for x, s in zip(v, step, strict=True)) for v in turned(turn, shape))


def _moved_look(motion, look):
    atoms, marks = look
    return frozenset(map(motion, atoms)), frozenset((motion(side), motion(face), name) for side, face, name in marks)


def _sign(base, point):
    """The side of a line or plane on which a point lies; 0 on it."""
    rows = [[Fraction(x - y) for x, y in zip(p, base[0], strict=True)] for p in (*base[1:], point)]
    if len(rows) == 2:
        area = rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    else:
        (a, b, c), (d, e, f), (g, h, i) = rows
        area = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return (area > 0) - (area < 0)


def _coloured(size, touch, colours):
    """Return whether the vertices of a graph can be coloured, by trying all ways."""
    near = defaultdict(set)
    for a, b in map(tuple, touch):
        near[max(a, b)].add(min(a, b))

    def go_on(given):
        if len(given) == size:
            return True
        return any(go_on([*given, c]) for c in range(colours) if all(given[other] != c for other in near[len(given)]))

    return go_on([])


def closure(maps):
    """All compositions of some maps."""
    known = {frozenset(m.items()) for m in maps}
    while True:
        more = {frozenset((a, dict(two)[b]) for a, b in one) for one in known for two in known} - known
        if not more:
            return frozenset(known)
        known |= more
