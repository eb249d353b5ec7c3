"""Rules on solutions: the placements that they exclude, the check of a whole solution, and the symmetries that keep the rules.

A solution that looks the same after some symmetries contains all images of each of its pieces, and an image is the piece itself or disjoint
from it. So a placement is excluded if one of its images overlaps it or is not a placement. A placement is also excluded if it breaks a rule
on single pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from operator import and_, or_
from typing import NamedTuple

import numpy as np

from .arrays import Flags, Ints, Longs, Words
from .grid import Atom, CheckedGrid, Matrix, times
from .surface import Look, Surface, faces

Piece = tuple[str, Look]
"""A placement, with the name of its tile."""
APART, COLOURS, ONE_OF = "apart", "colours", "one of"
SYMMETRIC, OUTLINE = "symmetric", "symmetric outline"
TOUCH, INSIDE, HOLDS, FORBIDDEN = "touch border", "inside", "holds", "forbidden"
TOUCHING = ("tiles", "colours", "corners")
MAX_AT_A_POINT = 3
"""Maximum number of pieces at a point under the rule "no crossroads"."""


class Meeting(NamedTuple):
    """A place of the form where ``least`` to ``most`` pieces meet: the pieces with an atom in each set.

    A piece does not count if the atoms of the place that it covers are a set in ``straight``: such a stick runs straight through.
    """

    sets: tuple[frozenset[Atom], ...]
    least: int
    most: int | None
    straight: frozenset[frozenset[Atom]] = frozenset()


@dataclass(frozen=True)
class MeetingRule:
    """A kind of rule that limits how many pieces meet at some places."""

    places: Callable[[Surface], Iterator[Meeting]]
    strange: Callable[[Surface, int], bool]
    """Whether the rule has no meaning, given the form and the least number of corners of a face."""
    on_seams: bool = True
    keys: tuple[str, ...] = ()


def _points(surface: Surface) -> Iterator[Meeting]:
    for there, straight in surface.crossroads:
        if len(there) > MAX_AT_A_POINT:
            yield Meeting((there,), 0, MAX_AT_A_POINT, straight)


PLACE_RULES = {
    "no crossroads": MeetingRule(_points, lambda surface, _: surface.grid.dimension != 2 or surface.grid.of_balls, keys=TOUCHING),
    "fault free": MeetingRule(
        lambda surface: (Meeting(halves, 1, None) for halves in surface.halves),
        lambda surface, corners: corners <= surface.grid.dimension,
        on_seams=False,
    ),
}
"""Rules on places by kind. The key in a file is the kind with ``_`` for blanks."""
KEYS = {
    **{kind: rule.keys for kind, rule in PLACE_RULES.items()}, APART: TOUCHING, COLOURS: TOUCHING,
    SYMMETRIC: ("symmetries",), OUTLINE: ("tiles", "symmetries"),
    TOUCH: ("tiles",), INSIDE: ("tiles",), HOLDS: ("tiles", "atoms", "low", "high"), FORBIDDEN: ("placements",), ONE_OF: ("placements",),
}  # fmt: skip
"""The keys that a rule has besides its name and its kind, by the kind."""


@dataclass(frozen=True)
class SolutionRule:
    """A rule on solutions, with the values that its kind needs (``verified/certificate-file.md``)."""

    name: str
    kind: str
    tiles: frozenset[str] = frozenset()
    colours: int = 0
    corners: bool = False
    """Whether pieces that meet only at a point touch."""
    symmetries: frozenset[int] = frozenset()
    placements: frozenset[Piece] = frozenset()
    atoms: frozenset[Atom] = frozenset()
    low: int = 0
    high: int = 0

    @property
    def late(self) -> bool:
        """True if a solution made of allowed placements can break the rule."""
        return self.kind not in (TOUCH, INSIDE, HOLDS, FORBIDDEN)

    def places(self, surface: Surface) -> Iterator[Meeting] | None:
        """Return the places where the rule limits how many pieces meet; None for a rule of another kind."""
        return PLACE_RULES[self.kind].places(surface) if self.kind in PLACE_RULES else None


def what_is_wrong(surface: Surface, rule: SolutionRule, touching_balls: bool) -> str | None:
    """Return the error in a rule: it lacks a value, has one too many, or has no meaning on this form; None if the rule is valid."""
    grid = surface.grid
    of_places = PLACE_RULES.get(rule.kind)
    about = () if of_places else {APART: ("tiles",), COLOURS: ("colours",)}.get(rule.kind, KEYS[rule.kind])
    if any(bool(getattr(rule, key)) != (key in about) for key in ("tiles", "colours", "symmetries", "placements")) or rule.low > rule.high:
        return f"expected {' and '.join(about) or 'nothing'} of a rule of kind {rule.kind!r}, and nothing else"
    if any(surface.turned(number, (surface.atoms, frozenset()))[0] != surface.atoms for number in rule.symmetries):
        return "one of the symmetries does not map the form onto itself"
    corners = min(len(corners) for corners, kind in zip(grid.corners, grid.kinds, strict=True) if kind == grid.kinds[0])
    strange = of_places is not None and (rule.corners or of_places.strange(surface, corners))
    if strange or (grid.of_balls and not (touching_balls or rule.kind in (HOLDS, FORBIDDEN, ONE_OF))):
        return "this rule has no meaning on the grid, or no corners"
    if surface.wraps and (rule.kind in (SYMMETRIC, OUTLINE) or (of_places is not None and not of_places.on_seams)):
        return "this rule has no meaning on a form that wraps around"
    return None


def allowed(surface: Surface, pieces: Sequence[Piece], rules: Sequence[SolutionRule]) -> list[bool]:
    """Return for each placement whether the rules allow it."""
    kept = [not any(leaves_out(surface, piece, rule) for rule in rules) for piece in pieces]
    looks = {look for (_, look), there in zip(pieces, kept, strict=True) if there}
    whole = _whole(surface, looks, {number for rule in rules if rule.kind == SYMMETRIC for number in rule.symmetries})
    return [there and look in whole for (_, look), there in zip(pieces, kept, strict=True)]


def leaves_out(surface: Surface, piece: Piece, rule: SolutionRule) -> bool:
    """Tell whether a rule excludes a placement, independently of all other placements."""
    tile, (atoms, _) = piece
    if rule.kind == FORBIDDEN:
        return piece in rule.placements
    if rule.late or tile not in rule.tiles:
        return False
    if rule.kind == HOLDS:
        return not rule.low <= len(atoms & rule.atoms) <= rule.high
    return surface.at_border(atoms) != (rule.kind == TOUCH)


def _whole(surface: Surface, looks: set[Look], numbers: Iterable[int]) -> set[Look]:
    """Return the looks whose images are all among the looks, each equal to the look or disjoint from it."""
    found, left = set(), set(looks)
    while left:
        orbit = rim = {left.pop()}
        while rim:
            rim = {surface.turned(number, look) for look in rim for number in numbers} - orbit
            orbit = orbit | rim
        left -= orbit
        if orbit <= looks and sum(len(atoms) for atoms, _ in orbit) == len({a for atoms, _ in orbit for a in atoms}):
            found |= orbit
    return found


@dataclass(frozen=True, eq=False)
class Entries:
    """The entries of lists of numbers: each row chooses some of the lists."""

    row: Longs
    column: Longs
    """For each chosen list, its column; ``row`` has the row that chooses it."""
    which: Longs
    """For each entry, the index of its chosen list."""
    number: Ints

    @classmethod
    def of(cls, start: Longs | Ints, numbers: Ints, rows: Ints) -> Entries:
        """Return the entries of the lists that rows choose: number i in a row means ``numbers[start[i]:start[i + 1]]``, -1 no list."""
        row, column = np.nonzero(rows >= 0)
        lists = rows[row, column]
        begin, end = start[lists], start[lists + 1]
        which = np.repeat(np.arange(len(lists)), end - begin)
        place = (end - np.cumsum(end - begin))[which] + np.arange(len(which))
        return cls(row, column, which, numbers[place])

    def count(self, rows: int, size: int) -> Longs:
        """Return an array (rows, size): how often each row has each of the numbers below ``size``."""
        return np.bincount((self.row * size)[self.which] + self.number, minlength=rows * size).reshape(rows, size)


@dataclass(frozen=True, eq=False)
class Choices:
    """Several choices of pieces; the pieces of one choice do not overlap."""

    surface: Surface
    number: Mapping[Atom, int]
    """The number of each atom of the form."""
    pieces: Sequence[Piece]
    rows: Ints
    """Array (choices, columns) of numbers of pieces, padded with -1."""
    covered: Entries
    """The numbers of the atoms that each piece covers; the numbers of tiles follow those of the atoms."""

    @cached_property
    def owners(self) -> Ints:
        """Array (choices, atoms): the column of the piece that covers an atom, or -1."""
        owners = np.full((len(self.rows), len(self.number)), -1, dtype=np.int32)
        atoms = self.covered.number < len(self.number)
        which = self.covered.which[atoms]
        owners[self.covered.row[which], self.covered.number[atoms]] = self.covered.column[which]
        return owners

    @cached_property
    def _used(self) -> tuple[list[int], Longs]:
        """The distinct numbers in ``rows``, and for each place of ``rows`` the index of its number among them."""
        used, where = np.unique(self.rows, return_inverse=True)
        return used.tolist(), where.reshape(self.rows.shape)

    def of_each(self, tell: Callable[[Piece], int]) -> Longs:
        """Return an array (choices, columns) with the value of ``tell`` for each piece; 0 for padding."""
        used, where = self._used
        told: Longs = np.array([0 if i < 0 else tell(self.pieces[i]) for i in used], dtype=np.int64)
        return told[where]

    def at(self, atoms: Iterable[Atom]) -> list[int]:
        """Return the numbers of some atoms."""
        return [self.number[a] for a in atoms]

    @cached_property
    def looks(self) -> dict[Look, int]:
        """The different looks of the pieces, numbered from 1."""
        return {look: i for i, look in enumerate(dict.fromkeys(self.pieces[i][1] for i in self._used[0] if i >= 0), start=1)}

    @cached_property
    def bits(self) -> Words:
        """Array (atoms, choices, words): the owner of each atom as a set of columns with one member, or none."""
        owners, words = self.owners.T, max(1, (self.rows.shape[1] + 63) // 64)
        own = np.uint64(1) << (owners % 64).astype(np.uint64)
        here = (owners[..., None] // 64 == np.arange(words)) & (owners >= 0)[..., None]
        return np.asarray(np.where(here, own[..., None], np.uint64(0)))

    def crowded(self, place: Meeting) -> Flags:
        """Return flags of the choices in which too many or too few pieces meet at a place."""
        meeting = reduce(and_, (np.bitwise_or.reduce(self.bits[self.at(atoms)]) for atoms in place.sets))
        everywhere = place.sets[0].union(*place.sets[1:])
        for atoms in place.straight:
            through = np.bitwise_and.reduce(self.bits[self.at(atoms)])
            meeting &= ~(through & ~np.bitwise_or.reduce(self.bits[self.at(everywhere - atoms)]))
        number = np.bitwise_count(meeting).sum(axis=1)
        return np.asarray((number < place.least) | (number > (len(self.number) if place.most is None else place.most)))


def broken(choices: Choices, rule: SolutionRule) -> Flags:
    """Return flags of the choices that break a late rule; their placements must be allowed."""
    surface, none = choices.surface, np.zeros(len(choices.rows), dtype=np.bool_)
    if (places := rule.places(surface)) is not None:
        return reduce(or_, map(choices.crowded, places), none)
    if rule.kind == ONE_OF:
        return np.asarray(~choices.of_each(rule.placements.__contains__).any(axis=1))
    if rule.kind == SYMMETRIC:
        looks, own = choices.looks, np.sort(choices.of_each(lambda piece: choices.looks[piece[1]]))
        images = (choices.of_each(_image_by(surface, number, looks)) for number in rule.symmetries)
        return reduce(or_, ((np.sort(image) != own).any(axis=1) for image in images), none)
    if rule.kind == OUTLINE:
        return _outline_changed(choices, rule)
    return _broken_by_touching(choices, rule)


def _image_by(surface: Surface, number: int, looks: Mapping[Look, int]) -> Callable[[Piece], int]:
    """Return a function from a piece to the number of its look after a symmetry; -1 if no piece looks like that."""
    return lambda piece: looks.get(surface.turned(number, piece[1]), -1)


def _of_tiles(choices: Choices, tiles: frozenset[str]) -> Flags:
    """Array (choices, atoms): whether a piece of some tiles covers an atom."""
    own = choices.of_each(lambda piece: piece[0] in tiles) > 0
    return np.take_along_axis(own, choices.owners, axis=1) & (choices.owners >= 0)


def _outline_changed(choices: Choices, rule: SolutionRule) -> Flags:
    """Return flags of the choices in which some tiles together change their outline under a symmetry."""
    surface, there = choices.surface, _of_tiles(choices, rule.tiles)
    changed = np.zeros(len(choices.rows), dtype=np.bool_)
    own = sorted(faces(surface.grid, surface.atoms))
    for s in rule.symmetries:
        images = (next(iter(surface.turned(s, (frozenset([a]), frozenset()))[0])) for a in own)
        changed |= (there[:, choices.at(own)] != there[:, choices.at(images)]).any(axis=1)
    return changed


def _broken_by_touching(choices: Choices, rule: SolutionRule) -> Flags:
    """Return flags of the choices in which pieces touch that must be apart, or which need more colours than stated."""
    surface = choices.surface
    met = {pair for there in surface.round_points for pair in combinations(there, 2)} if rule.corners else set()
    near = np.array([choices.at(pair) for pair in {*surface.sides, *met}], dtype=np.int64).reshape(-1, 2)
    pairs = choices.owners[:, near]
    touch = (pairs >= 0).all(axis=2) & (pairs[..., 0] != pairs[..., 1])
    if rule.kind == APART:
        return np.asarray((touch & _of_tiles(choices, rule.tiles)[:, near].all(axis=2)).any(axis=1))
    met_in_each = (set(map(tuple, own[there].tolist())) for own, there in zip(pairs, touch, strict=True))
    return np.array([not _colourable(met, choices.rows.shape[1], rule.colours) for met in met_in_each], dtype=np.bool_)


def _colourable(touching: Iterable[tuple[int, ...]], size: int, colours: int) -> bool:
    """Tell whether ``size`` pieces can be coloured such that pieces that touch have different colours."""
    beside: dict[int, set[int]] = {i: set() for i in range(size)}
    for i, j in touching:
        beside[i].add(j)
        beside[j].add(i)
    return _coloured(beside, size, colours, [])


def _coloured(beside: dict[int, set[int]], size: int, colours: int, given: list[int]) -> bool:
    """Tell whether the remaining pieces can be coloured, by trying all colours of the next one; new colours are used in order."""
    if len(given) == size:
        return True
    taken = {given[i] for i in beside[len(given)] if i < len(given)}
    free = (c for c in range(min(colours, max(given, default=-1) + 2)) if c not in taken)
    return any(_coloured(beside, size, colours, [*given, c]) for c in free)


def kept_by(grid: CheckedGrid, h: Matrix, rules: Sequence[SolutionRule], pieces: Sequence[Piece], image: Sequence[int]) -> bool:
    """Tell whether a solution keeps the rules if and only if its image under a motion h does; ``image`` has the image of each placement.

    Only allowed placements matter, because solutions contain no others. If a solution is the same after g, its image is the same after h g
    h⁻¹. Motions preserve faults, the pieces that meet at a point, and the number of colours needed. Motions are compared by their matrices
    alone, up to a factor, because the grid has only one symmetry with each matrix.
    """
    before, after = set(), set()
    for rule in rules:
        own = frozenset(i for i, piece in enumerate(pieces) if rule.late and (piece[0] in rule.tiles or piece in rule.placements))
        group = grid.generated(rule.symmetries)
        before.add((rule.kind, rule.corners, own, frozenset(times(g, h) for g, _ in group)))
        after.add((rule.kind, rule.corners, frozenset(image[i] for i in own), frozenset(times(h, g) for g, _ in group)))
    return before == after
