"""The form of an instance: its required and optional atoms, their colours, its seams, and the requirements on its border.

Forms by measure are boxes, convex polygons, and the shapes of a grid, which are convex bodies of some size.

On a form that wraps around, some atoms are the same (``docs/format/wrap.md``). The moves that map each atom to one that is the same form a
group. Its translations are a lattice; if a seam mirrors, every other element is the mirrored move followed by a translation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import ceil, floor, lcm
from typing import Any

from ..grid import Atom, Point, StatedSymmetry, back, turned
from ..seams import echelon
from ..values import Rejected, flag, shown, text
from .grids import Lattice, Passage, cross, crossed, fraction, moved_by, reading_order
from .pictures import read_picture
from .tables import Table, listed, number, one_of, only

Corner = tuple[Fraction, ...]
Bound = tuple[Point, int]
"""A direction and a number: no point inside has a larger product with the direction."""


def box(stated: Any, where: str, lattice: Lattice) -> list[Atom]:
    """Return the faces of all cells from 1 to the given number along each direction of the lattice."""
    sides = [number(x, where) for x in listed(stated, where)]
    if len(sides) != lattice.dimension:
        raise Rejected(f"{where}: expected {lattice.dimension} numbers")
    return [(*cell, a) for cell in product(*(range(1, side + 1) for side in sides)) for a in lattice.faces]


def polygon(stated: Any, where: str, lattice: Lattice) -> list[Atom]:
    """Return the faces whose centre lies in a convex polygon."""
    corners = [tuple(fraction(x, where) for x in listed(corner, where)) for corner in listed(stated, where)]
    if lattice.dimension != 2 or any(len(corner) != 2 for corner in corners):
        raise Rejected(f"{where}: a polygon lies in the plane")
    return _within(corners, where, lattice)


def shape(name: str, size: Any, where: str, lattice: Lattice) -> list[Atom]:
    """Return the faces whose centre lies in a shape of the grid for a size n; a coordinate ``[a, b]`` of a corner means a n + b."""
    n = number(size, where)
    corners = [
        tuple(fraction(a, where) * n + fraction(b, where) for a, b in listed(corner, where))
        for corner in listed(lattice.said["shapes"][name], where)
    ]
    return _within(corners, where, lattice)


def _within(corners: Sequence[Corner], where: str, lattice: Lattice) -> list[Atom]:
    """Return the faces whose centre lies in the convex hull of some corners, or on its border."""
    grid = lattice.grid
    unit = lcm(grid.unit * lcm(*map(len, grid.corners)), *(x.denominator for corner in corners for x in corner))
    whole = sorted({tuple(int(x * unit) for x in corner) for corner in corners})
    bounds = list(_bounds(whole, where))
    ranges = [(min(axis), max(axis)) for axis in zip(*whole, strict=True)]
    found = []
    for a in lattice.faces:
        times = unit // (grid.unit * len(grid.corners[a]))
        centre = [sum(axis) * times for axis in zip(*grid.corners[a], strict=True)]
        cells = (range(ceil((low - c) / unit) - 1, floor((high - c) / unit) + 2) for c, (low, high) in zip(centre, ranges, strict=True))
        for cell in product(*cells):
            point = [c + unit * x for c, x in zip(centre, cell, strict=True)]
            inside = all(low <= x <= high for x, (low, high) in zip(point, ranges, strict=True))
            if inside and all(sum(d * x for d, x in zip(way, point, strict=True)) <= most for way, most in bounds):
                found.append((*cell, a))
    return found


def _bounds(corners: Sequence[Point], where: str) -> Iterator[Bound]:
    """Yield bounds that all corners keep, with equality along each line (in space: plane) of the border.

    Together with the ranges of the coordinates they determine the hull, also if it is a segment of the plane or a point.
    """
    flat = len(corners) > 1
    for some in combinations(corners, len(corners[0])) if flat else ():
        first, *others = some
        sides = [[x - y for x, y in zip(other, first, strict=True)] for other in others]
        way = _across(sides)
        if not any(way):
            continue
        height = sum(d * x for d, x in zip(way, first, strict=True))
        heights = [sum(d * x for d, x in zip(way, corner, strict=True)) for corner in corners]
        flat = flat and min(heights) == max(heights)
        if max(heights) == height:
            yield way, height
        if min(heights) == height:
            yield tuple(-d for d in way), -height
    if flat and len(corners[0]) == 3:
        raise Rejected(f"{where}: the body is flat")


def _across(sides: Sequence[Sequence[int]]) -> Point:
    """Return a direction whose product with one vector of the plane, or with two vectors of space, is 0."""
    return cross(*sides) if len(sides) == 2 else (sides[0][1], -sides[0][0])


@dataclass(frozen=True)
class StatedSeams:
    """The seams of a form as stated, and the group that they generate."""

    stated: tuple[tuple[Point, bool], ...] = ()
    rows: tuple[Point, ...] = ()
    """A basis of the translations in echelon form: below the first number of a row that is not 0, which is positive, there are only 0."""
    over: tuple[StatedSymmetry, Point] | None = None
    """The mirrored move: a symmetry of the grid and the translation after it."""

    def reduced(self, atom: Atom) -> Atom:
        """Return the representative of all translates of an atom."""
        for row in self.rows:
            pivot = next(i for i, x in enumerate(row) if x)
            times = atom[pivot] // row[pivot]
            atom = moved_by(atom, [-times * x for x in row])
        return atom

    def same(self, atom: Atom) -> Atom:
        """Return the representative of all atoms that are the same."""
        if self.over is None:
            return self.reduced(atom)
        symmetry, move = self.over
        return min(self.reduced(atom), self.reduced(symmetry(atom, move)))

    def to(self, atom: Atom, there: Atom) -> Callable[[Atom], Atom]:
        """Return the move, as a function of atoms, that maps an atom to one that is the same."""

        def carried(other: Atom) -> Atom:
            return other if self.over is None or plain else self.over[0](other, self.over[1])

        plain = self.reduced(atom) == self.reduced(there)
        move = [t - s for s, t in zip(carried(atom)[:-1], there[:-1], strict=True)]
        return lambda other: moved_by(carried(other), move)

    def firsts(self, atoms: Iterable[Atom], order: Callable[[Atom], Any]) -> list[Atom]:
        """Return the first of each class of atoms that are the same."""
        found: dict[Atom, Atom] = {}
        for atom in sorted(atoms, key=order):
            found.setdefault(self.same(atom), atom)
        return list(found.values())


def read_seams(stated: Any, lattice: Lattice, form: frozenset[Atom]) -> StatedSeams:
    """Return the seams of a form; a mirrored seam mirrors the whole form, before atoms are removed from it."""
    seams: list[tuple[Point, bool]] = []
    for fields in (only(seam, "form.wrap", ("move", "mirror"), ("move",)) for seam in listed(stated, "form.wrap")):
        move = tuple(number(x, "form.wrap: move") for x in listed(fields["move"], "form.wrap: move"))
        seams.append((move, flag(fields.get("mirror", False), "form.wrap: mirror")))
    moves = [move for move, mirror in seams if not mirror]
    over = None
    for move, mirror in seams:
        if mirror and over is not None:
            raise Rejected("form.wrap: two seams mirror the form")
        if mirror:
            symmetry, home = _mirror_along(move, lattice, form)
            over = symmetry, tuple(x + y for x, y in zip(home, move, strict=True))
            moves = [*moves, *(turned(symmetry.matrix, m) for m in moves), tuple(2 * x for x in move)]
    return StatedSeams(tuple(seams), tuple(v for _, v in echelon(moves)), over)


def _mirror_along(move: Point, lattice: Lattice, form: frozenset[Atom]) -> tuple[StatedSymmetry, Point]:
    """Return the mirror that keeps a direction and the form; done twice, it leaves every atom in its place."""
    for turn in lattice.turns:
        if turn.mirror and turned(turn.does.matrix, move) == move:
            home = back(turn.does, form)
            image = {atom: turn.does(atom, home) for atom in form}
            if form.issuperset(image.values()) and all(image[there] == atom for atom, there in image.items()):
                return turn.does, home
    raise Rejected("form.wrap: mirror: the form is not its own mirror image along the move")


WAYS = ("picture", "atoms", "box", "polygon")
KEYS = (*WAYS, "optional", "remove", "fixed", "colours", "wrap", "border", "inner", "outer")
INNER, OUTER = "inner", "outer"


@dataclass(frozen=True)
class StatedForm:
    """The form to be filled."""

    required: frozenset[Atom]
    optional: frozenset[Atom]
    colours: Mapping[Atom, str]
    border: str | None
    fixed: tuple[str, ...]
    seams: StatedSeams
    removed: frozenset[Atom]
    """Atoms that were taken out of the form; a mirrored seam mirrors the form including them."""
    home: Mapping[Atom, Atom]
    """The atoms of the form, by the representative of the atoms that are the same."""

    @property
    def atoms(self) -> frozenset[Atom]:
        """All atoms of the form."""
        return self.required | self.optional

    def place(self, atom: Atom) -> Atom | None:
        """Return the atom of the form that is the same as an atom; None if there is none."""
        return self.home.get(self.seams.same(atom))


def read_form(stated: Any, lattice: Lattice, ways: Sequence[Passage]) -> StatedForm:
    """Return a form. Atoms between its faces are searched for before atoms are removed, crossings afterwards."""
    shapes = tuple(lattice.said.get("shapes", ()))
    fields = only(stated, "form", (*KEYS, *shapes))
    atoms, optional = _first_atoms(fields, lattice, one_of(fields, "form", (*WAYS, *shapes)))
    seams = read_seams(fields.get("wrap", []), lattice, frozenset(atoms))
    faces = {seams.same(a) for a in atoms if lattice.is_face(a)}
    present = {seams.same(a) for a in atoms}
    for atom, request in _beside(fields, lattice, seams, faces, atoms):
        if seams.same(atom) not in present:
            atoms.append(atom)
            optional |= {atom} if request == "optional" else set()
    removed = frozenset(lattice.atoms(fields.get("remove", []), "form.remove"))
    gone = {seams.same(a) for a in removed}
    atoms = [a for a in atoms if seams.same(a) not in gone]
    present = {seams.same(a) for a in atoms}
    points = crossed(atoms, lambda a: seams.same(a) in present, ways)
    new = [a for a in seams.firsts(points, reading_order) if seams.same(a) not in present | gone]
    home = {seams.same(a): a for a in (*atoms, *new)}
    if len(home) < len(atoms) + len(new):
        raise Rejected("form: two of its atoms are the same")
    every = frozenset(home.values())
    may = every if fields.get("optional") == "all" else frozenset(new) | (optional & every) | _some(fields, lattice, seams, home)
    colours = {
        _known(home, seams, atom, "form.colours"): colour
        for colour, refs in only(fields.get("colours", {}), "form.colours", fields.get("colours", {})).items()
        for atom in lattice.atoms(refs, f"form.colours.{colour}")
    }
    border = text(fields["border"], "form.border") if "border" in fields else None
    fixed = tuple(text(name, "form.fixed") for name in listed(fields.get("fixed", []), "form.fixed"))
    return StatedForm(every - may, may, colours, border, fixed, seams, removed, home)


def _first_atoms(fields: Table, lattice: Lattice, way: str) -> tuple[list[Atom], set[Atom]]:
    """Return the atoms that a form states in one of the ways, and the atoms that are optional in its picture."""
    where = f"form.{way}"
    if way == "picture":
        drawn = read_picture(fields[way], where, lattice, of_form=True)
        return sorted(drawn.atoms), set(drawn.optional)
    if way == "atoms":
        return list(dict.fromkeys(lattice.atoms(fields[way], where))), set()
    if way in ("box", "polygon"):
        return (box if way == "box" else polygon)(fields[way], where, lattice), set()
    return shape(way, fields[way], where, lattice), set()


def _beside(fields: Table, lattice: Lattice, seams: StatedSeams, faces: set[Atom], atoms: Sequence[Atom]) -> list[tuple[Atom, str]]:
    """Return the atoms between two faces of the form, and at its border, of the kinds that the form asks for, required or optional."""
    requests = {key: only(fields.get(key, {}), f"form.{key}", lattice.kinds) for key in (INNER, OUTER)}
    wrong = [how for table in requests.values() for how in table.values() if how not in ("required", "optional", "none")]
    if wrong:
        raise Rejected(f"form: inner, outer: expected required, optional or none, got {shown(wrong[0])}")
    kinds = {kind for table in requests.values() for kind in table}
    numbers = [a for a, kind in enumerate(lattice.kinds) if kind in kinds]
    there = {moved_by((*(-x for x in face[:-1]), b), atom) for b in numbers for face in lattice.grid.faces_at[b]
             for atom in atoms if atom[-1] == face[-1]}  # fmt: skip
    found = []
    for atom in seams.firsts(there, reading_order):
        how = requests[sides(lattice, seams, faces, atom)].get(lattice.kinds[atom[-1]], "none")
        if how != "none":
            found.append((atom, how))
    return found


def sides(lattice: Lattice, seams: StatedSeams, faces: set[Atom], atom: Atom) -> str:
    """Return ``inner`` for an atom between two faces of a form, ``outer`` for an atom at its border, else an empty text."""
    round_it = (moved_by(face, atom) for face in lattice.grid.faces_at[atom[-1]])
    count = Counter(seams.same(face) in faces for face in round_it)[True]
    return INNER if count > 1 else OUTER if count else ""


def _some(fields: Table, lattice: Lattice, seams: StatedSeams, home: Mapping[Atom, Atom]) -> frozenset[Atom]:
    """Return the atoms that the form lists as optional."""
    refs = fields.get("optional", [])
    return frozenset(_known(home, seams, a, "form.optional") for a in lattice.atoms(refs, "form.optional"))


def _known(home: Mapping[Atom, Atom], seams: StatedSeams, atom: Atom, where: str) -> Atom:
    if seams.same(atom) not in home:
        raise Rejected(f"{where}: {list(atom)} is not an atom of the form")
    return home[seams.same(atom)]
