"""The puzzle as a certificate states it, and every placement of its tiles, rebuilt from the geometry.

A certificate states its puzzle in plain words, without pictures, generators or defaults (``docs/certificates.md``):

- ``gram``, the scalar products of the lattice, and ``atoms``, each with its vertices in lattice coordinates (fractions as text);
- ``symmetries`` of the grid: ``matrix``, and for each atom the atom ``image`` it goes to and the ``shift`` of its cell;
- ``tiles``: the atoms ``[x, y, …, a]`` and marks ``[side, face, name]`` of each, the symmetries that may turn it, its ``ranges`` of copies;
- the atoms that are ``required`` and ``optional``, the ``mates`` of the marks, the mark of the ``border``, ``rules``, ``fixed`` placements;
- the atoms of the form that are ``coloured``, and for each colour of tiles the colours that it ``fits`` on; a coloured atom of a tile
  is a mark whose side and face are that atom.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from operator import add
from typing import Any

from puzzlesat.proof.check.rejected import Rejected

Atom = tuple[int, ...]
"""Cell and number of the atom in the unit cell."""
Mark = tuple[Atom, Atom, str]
"""Side, face, name."""
Look = tuple[frozenset[Atom], frozenset[Mark]]
"""What a placement covers and shows."""
UNLIMITED = 1 << 30
MOST_PLACEMENTS = 150_000
"""Beyond that the table of which exclude each other would not fit into memory."""


@dataclass(frozen=True)
class Symmetry:
    """A symmetry of the grid, as said above."""

    matrix: tuple[tuple[int, ...], ...]
    image: tuple[int, ...]
    shift: tuple[tuple[int, ...], ...]

    def __call__(self, atom: Atom, move: tuple[int, ...]) -> Atom:
        """Return where an atom goes, translated by ``move`` afterwards."""
        turned = (sum(m * c for m, c in zip(row, atom, strict=False)) for row in self.matrix)
        return (*(t + s + d for t, s, d in zip(turned, self.shift[atom[-1]], move, strict=True)), self.image[atom[-1]])

    def look(self, look: Look, move: tuple[int, ...]) -> Look:
        """Return what a placement covers and shows after the symmetry."""
        return frozenset(self(a, move) for a in look[0]), self.marks(look[1], move)

    def marks(self, marks: frozenset[Mark], move: tuple[int, ...]) -> frozenset[Mark]:
        """Return marks after the symmetry."""
        return frozenset((self(s, move), self(f, move), name) for s, f, name in marks)

    @property
    def mirror(self) -> bool:
        """Whether left and right are exchanged."""
        return _determinant(self.matrix) < 0


@dataclass(frozen=True)
class Tile:
    """A piece: what it covers and shows in its base position, and which symmetries may turn it."""

    name: str
    look: Look
    symmetries: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]
    """Fewest and most copies of each of the identical pieces that it stands for."""

    @property
    def low(self) -> int:
        """The fewest copies that a solution has."""
        return sum(low for low, _ in self.ranges)

    @property
    def high(self) -> int:
        """The most copies that a solution may have."""
        return min(sum(high for _, high in self.ranges), UNLIMITED)


@dataclass(frozen=True)
class Rule:
    """Σ weights of the atoms and tiles of a solution lies from low to high, or is ≡ residue where there is a modulus."""

    name: str
    atoms: Mapping[Atom, int]
    tiles: Mapping[str, int]
    low: int
    high: int
    modulus: int
    residue: int

    def holds(self, total: int) -> bool:
        """Tell whether a sum of weights keeps the rule."""
        return (total - self.residue) % self.modulus == 0 if self.modulus else self.low <= total <= self.high


@dataclass(frozen=True, eq=False)
class Puzzle:
    """A puzzle as stated, found to be well-formed."""

    name: str
    vertices: tuple[frozenset[tuple[Fraction, ...]], ...]
    kinds: tuple[str, ...]
    symmetries: tuple[Symmetry, ...]
    tiles: tuple[Tile, ...]
    required: tuple[Atom, ...]
    optional: tuple[Atom, ...]
    mates: Mapping[str, str | None]
    fits: Mapping[str, frozenset[str]]
    """For each colour of tiles the colours of the form on which it may lie."""
    coloured: Mapping[Atom, str]
    border: str | None
    rules: tuple[Rule, ...]
    fixed: tuple[tuple[int, Look], ...]
    """Placements that are part of every solution: number of the tile, and what it covers and shows."""
    keep: frozenset[Atom]
    """Atoms that a symmetry must map onto themselves."""
    mirrored: bool
    """Whether mirrored answers count as one."""
    form: frozenset[Atom] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "form", frozenset(self.required) | frozenset(self.optional))

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return len(next(iter(self.vertices[0])))


@dataclass(frozen=True)
class Placement:
    """One tile at one place, turned as allowed."""

    tile: int
    look: Look


def read_puzzle(stated: Mapping[str, Any]) -> Puzzle:
    """Return the puzzle of a certificate. Raises Rejected where a symmetry is none, or an atom or a name is not there."""
    atoms = stated["atoms"]
    gram = [[_fraction(x) for x in row] for row in stated["gram"]]
    dimension = len(gram)
    vertices = tuple(frozenset(tuple(map(_fraction, v)) for v in a["vertices"]) for a in atoms)
    if dimension not in (2, 3) or not all(vertices) or any(len(v) != dimension for corners in vertices for v in corners):
        raise Rejected("puzzle: the lattice has 2 or 3 dimensions, and each atom corners with as many coordinates")
    names = [str(stated["name"]), *(str(t["name"]) for t in stated["tiles"])]
    if len(set(names[1:])) < len(names) - 1 or not all(name.isprintable() for name in names):
        raise Rejected("puzzle: two tiles have one name, or a name cannot be printed")
    if type(stated["mirrored"]) is not bool:
        raise Rejected("puzzle: mirrored is true or false")

    def atom(numbers: Iterable[Any]) -> Atom:
        found = tuple(map(whole, numbers))
        if len(found) != dimension + 1 or not 0 <= found[-1] < len(vertices):
            raise Rejected(f"puzzle: {list(found)} is no atom of the grid")
        return found

    def look(entry: Mapping[str, Any]) -> Look:
        marks = frozenset((atom(s), atom(f), str(name)) for s, f, name in entry["marks"])
        for side, face, name in marks:
            if name not in stated["fits" if side == face else "mates"]:
                raise Rejected(f"puzzle: the mark {name!r} has no entry in {'fits' if side == face else 'mates'}")
        return frozenset(map(atom, entry["atoms"])), marks

    symmetries = tuple(
        Symmetry(_tuples(s["matrix"]), tuple(_index(i, len(atoms)) for i in s["image"]), _tuples(s["shift"])) for s in stated["symmetries"]
    )
    kinds = tuple(str(a["kind"]) for a in atoms)
    for number, symmetry in enumerate(symmetries):
        _check_symmetry(number, symmetry, gram, vertices, kinds)
    tiles = tuple(
        Tile(str(t["name"]), look(t), tuple(_index(i, len(symmetries)) for i in t["symmetries"]), tuple(map(_range, t["ranges"])))
        for t in stated["tiles"]
    )
    if len({atom(a) for a, _ in stated["coloured"]}) < len(stated["coloured"]):
        raise Rejected("puzzle: an atom has two colours")
    required, optional = (tuple(map(atom, stated[key])) for key in ("required", "optional"))
    if len({*required, *optional}) != len(required) + len(optional) or not all(t.look[0] for t in tiles):
        raise Rejected("puzzle: an atom stands twice in the form, or a tile has none")
    rules = tuple(
        Rule(
            str(r["name"]), {atom(a): whole(w) for a, w in r["atoms"]}, {str(t): whole(w) for t, w in r["tiles"].items()},
            *(whole(r[k]) for k in ("low", "high", "modulus", "residue")),
        )
        for r in stated["rules"]
    )  # fmt: skip
    return Puzzle(
        str(stated["name"]), vertices, kinds, symmetries, tiles, required, optional, stated["mates"],
        {str(name): frozenset(map(str, on)) for name, on in stated["fits"].items()},
        {atom(a): str(name) for a, name in stated["coloured"]}, stated["border"], rules,
        tuple((_index(f["tile"], len(tiles)), look(f)) for f in stated["fixed"]),
        frozenset(map(atom, stated["keep"])), stated["mirrored"],
    )  # fmt: skip


def whole(stated: Any) -> int:
    """Return a number that must be a whole one. Raises Rejected for anything else."""
    if type(stated) is not int:
        raise Rejected(f"certificate: expected a whole number, got {stated!r}")
    return stated


def all_placements(puzzle: Puzzle) -> list[Placement]:
    """Return every placement, by tile, then by orientation and place: the order in which certificates number them, from 0.

    Raises Rejected where there are too many to hold.
    """
    found: list[Placement] = []
    for number, tile in enumerate(puzzle.tiles):
        for look in _places(puzzle, tile):
            found.append(Placement(number, look))
            if len(found) > MOST_PLACEMENTS:
                raise Rejected(f"puzzle: it has more than {MOST_PLACEMENTS:,} placements")
    return found


@cache
def faces_at(puzzle: Puzzle, side: Atom) -> list[Atom]:
    """Return the faces (atoms of the kind of the first) whose vertices include all those of a side."""
    corners = _vertices(puzzle, side)
    one = next(iter(corners))
    found = set()
    for a, kind in enumerate(puzzle.kinds):
        for corner in puzzle.vertices[a] if kind == puzzle.kinds[0] else ():
            move = [x - y for x, y in zip(one, corner, strict=True)]
            face = (*map(int, move), a)
            if all(x.denominator == 1 for x in move) and corners <= _vertices(puzzle, face):
                found.add(face)
    return sorted(found)


def _places(puzzle: Puzzle, tile: Tile) -> Iterator[Look]:
    """Turn the tile in every allowed way, and lay its least atom on every atom of the form of the same number in the cell."""
    still = (0,) * puzzle.dimension
    found: set[Look] = set()
    targets = sorted(puzzle.form)
    for number in tile.symmetries if tile.high else ():
        atoms, marks = puzzle.symmetries[number].look(tile.look, still)
        first = min(atoms)
        for target in targets:
            if target[-1] == first[-1]:
                move = tuple(t - f for t, f in zip(target[:-1], first, strict=False))
                there = frozenset(_moved(a, move) for a in atoms)
                if there <= puzzle.form:
                    look = there, frozenset((_moved(s, move), _moved(f, move), name) for s, f, name in marks)
                    if look not in found and _fits(puzzle, look) and _meets_border(puzzle, look):
                        found.add(look)
                        yield look


def _fits(puzzle: Puzzle, look: Look) -> bool:
    """Does every coloured atom lie on one without colour, or of a colour that it fits on?"""
    colours = [(puzzle.coloured.get(face), name) for side, face, name in look[1] if side == face]
    return all(below is None or below in puzzle.fits[name] for below, name in colours)


def _meets_border(puzzle: Puzzle, look: Look) -> bool:
    """Is every mark that looks out of the form one that the border may meet?"""
    return puzzle.border is None or all(
        side == face or puzzle.mates[name] == puzzle.border or puzzle.form.issuperset(faces_at(puzzle, side))
        for side, face, name in look[1]
    )


def _check_symmetry(
    number: int,
    symmetry: Symmetry,
    gram: list[list[Fraction]],
    vertices: tuple[frozenset[tuple[Fraction, ...]], ...],
    kinds: tuple[str, ...],
) -> None:
    """Raise Rejected unless the matrix keeps all scalar products and one and the same motion takes each atom where it is said to go."""
    m, n = symmetry.matrix, range(len(gram))
    if [len(row) for row in m] != [len(gram)] * len(gram) or not len(symmetry.image) == len(symmetry.shift) == len(vertices):
        raise Rejected(f"puzzle: symmetry {number} is incomplete")
    if any(sum((m[k][i] * gram[k][q] * m[q][j] for k in n for q in n), Fraction(0)) != gram[i][j] for i in n for j in n):
        raise Rejected(f"puzzle: symmetry {number} does not keep lengths and angles")
    moves = set()
    for a, corners in enumerate(vertices):
        image = symmetry.image[a]
        turned = [tuple(sum((x * c for x, c in zip(row, v, strict=True)), Fraction(0)) for row in m) for v in corners]
        target = [tuple(x + s for x, s in zip(v, symmetry.shift[a], strict=True)) for v in vertices[image]]
        move = tuple(t - s for s, t in zip(min(turned), min(target), strict=True))
        if kinds[a] != kinds[image] or {tuple(x + d for x, d in zip(v, move, strict=True)) for v in turned} != set(target):
            raise Rejected(f"puzzle: symmetry {number} does not take atom {a} to atom {image}")
        moves.add(move)
    if len(moves) > 1:
        raise Rejected(f"puzzle: symmetry {number} moves different atoms differently")


def _moved(atom: Atom, move: tuple[int, ...]) -> Atom:
    return (*map(add, atom, move), atom[-1])


def _vertices(puzzle: Puzzle, atom: Atom) -> frozenset[tuple[Fraction, ...]]:
    return frozenset(tuple(x + c for x, c in zip(v, atom, strict=False)) for v in puzzle.vertices[atom[-1]])


def _index(stated: Any, size: int) -> int:
    if not 0 <= whole(stated) < size:
        raise Rejected(f"puzzle: {stated} is not a number from 0 to {size - 1}")
    return whole(stated)


def _fraction(stated: Any) -> Fraction:
    if not isinstance(stated, str) or not re.fullmatch(r"-?[0-9]{1,9}(/[0-9]{1,9})?", stated):
        raise Rejected(f"puzzle: {str(stated)[:20]!r} is no coordinate such as '1/2'")
    return Fraction(stated)


def _range(stated: list[Any]) -> tuple[int, int]:
    low, high = whole(stated[0]), UNLIMITED if stated[1] is None else whole(stated[1])
    if not 0 <= low <= high:
        raise Rejected(f"puzzle: {stated} is no range of copies")
    return low, high


def _tuples(rows: Iterable[Iterable[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(map(whole, row)) for row in rows)


def _determinant(m: tuple[tuple[int, ...], ...]) -> int:
    if len(m) == 1:
        return m[0][0]
    return sum((-1) ** j * x * _determinant(tuple(row[:j] + row[j + 1 :] for row in m[1:])) for j, x in enumerate(m[0]))
