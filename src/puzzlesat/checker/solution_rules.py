"""Rules on solutions: which placements they leave out by themselves, what a solution must be beside that, and which symmetries keep them.

A solution that looks the same after some symmetries has with each piece all its images, each it or beside it. So a placement with an
image that overlaps it, or that is no placement, is left out, as is one that breaks a rule that looks at each piece alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from .grid import Atom, CheckedGrid, Matrix, times
from .surface import Look, Surface, faces

Piece = tuple[str, Look]
"""A placement, with the name of its tile."""
APART, COLOURS, ONE_OF = "apart", "colours", "one of"
SYMMETRIC, OUTLINE = "symmetric", "symmetric outline"
TOUCH, INSIDE, HOLDS, FORBIDDEN = "touch border", "inside", "holds", "forbidden"
TOUCHING = ("tiles", "colours", "corners")
MOST_AT_A_POINT = 3
"""Pieces, where there are no crossroads."""


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
    """A kind of rule that says how many pieces meet at some places."""

    places: Callable[[Surface], Iterator[Meeting]]
    strange: Callable[[Surface, int], bool]
    """Whether the rule has no meaning: by the form, and the least number of corners of a face."""
    on_seams: bool = True
    keys: tuple[str, ...] = ()


def _points(surface: Surface) -> Iterator[Meeting]:
    for there, straight in surface.crossroads:
        if len(there) > MOST_AT_A_POINT:
            yield Meeting((there,), 0, MOST_AT_A_POINT, straight)


PLACE_RULES = {
    "no crossroads": MeetingRule(_points, lambda surface, _: surface.grid.dimension != 2 or surface.grid.of_balls, keys=TOUCHING),
    "fault free": MeetingRule(
        lambda surface: (Meeting(halves, 1, None) for halves in surface.halves),
        lambda surface, corners: corners <= surface.grid.dimension,
        on_seams=False,
    ),
}
"""By their kinds. The key of a file is the kind with ``_``."""
KEYS = {
    **{kind: rule.keys for kind, rule in PLACE_RULES.items()}, APART: TOUCHING, COLOURS: TOUCHING,
    SYMMETRIC: ("symmetries",), OUTLINE: ("tiles", "symmetries"),
    TOUCH: ("tiles",), INSIDE: ("tiles",), HOLDS: ("tiles", "atoms", "low", "high"), FORBIDDEN: ("placements",), ONE_OF: ("placements",),
}  # fmt: skip
"""What a rule of each kind says beside its name and its kind."""


@dataclass(frozen=True)
class SolutionRule:
    """A rule of one of the kinds (``verified/certificate-file.md``), with what that kind needs."""

    name: str
    kind: str
    tiles: frozenset[str] = frozenset()
    colours: int = 0
    corners: bool = False
    """Whether pieces touch that meet at a point alone."""
    symmetries: frozenset[int] = frozenset()
    placements: frozenset[Piece] = frozenset()
    atoms: frozenset[Atom] = frozenset()
    low: int = 0
    high: int = 0

    @property
    def late(self) -> bool:
        """Whether a solution of placements that it allows may break it."""
        return self.kind not in (TOUCH, INSIDE, HOLDS, FORBIDDEN)

    def places(self, surface: Surface) -> Iterator[Meeting] | None:
        """Return the places at which it says how many pieces meet; None for a rule of another kind."""
        return PLACE_RULES[self.kind].places(surface) if self.kind in PLACE_RULES else None


def what_is_wrong(surface: Surface, rule: SolutionRule, touching_balls: bool) -> str | None:
    """Return why a rule is none: it does not say what its kind needs and nothing else, or has no meaning here; None for others."""
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
    """Return for each placement whether solutions may have it."""
    kept = [not any(_left_out(surface, piece, rule) for rule in rules) for piece in pieces]
    looks = {look for (_, look), there in zip(pieces, kept, strict=True) if there}
    whole = _whole(surface, looks, {number for rule in rules if rule.kind == SYMMETRIC for number in rule.symmetries})
    return [there and look in whole for (_, look), there in zip(pieces, kept, strict=True)]


def _left_out(surface: Surface, piece: Piece, rule: SolutionRule) -> bool:
    tile, (atoms, _) = piece
    if rule.kind == FORBIDDEN:
        return piece in rule.placements
    if rule.late or tile not in rule.tiles:
        return False
    if rule.kind == HOLDS:
        return not rule.low <= len(atoms & rule.atoms) <= rule.high
    return surface.at_border(atoms) != (rule.kind == TOUCH)


def _whole(surface: Surface, looks: set[Look], numbers: Iterable[int]) -> set[Look]:
    """Those of which all images are among them, each the same or beside it."""
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


def keeps(surface: Surface, pieces: Sequence[Piece], rule: SolutionRule) -> bool:
    """Tell whether a solution, made of placements that are allowed, keeps a rule."""
    if (places := rule.places(surface)) is not None:
        owner = {atom: i for i, (_, (atoms, _)) in enumerate(pieces) for atom in atoms}
        return all(_meet(place, pieces, owner) for place in places)
    if rule.kind == ONE_OF:
        return not rule.placements.isdisjoint(pieces)
    if rule.kind == SYMMETRIC:
        looks = {look for _, look in pieces}
        return all({surface.turned(number, look) for look in looks} == looks for number in rule.symmetries)
    if rule.kind == OUTLINE:
        own = faces(surface.grid, frozenset(a for tile, (atoms, _) in pieces if tile in rule.tiles for a in atoms))
        return all(surface.turned(number, (own, frozenset()))[0] == own for number in rule.symmetries)
    return not rule.late or _keeps_touching(surface, pieces, rule)


def _meet(place: Meeting, pieces: Sequence[Piece], owner: dict[Atom, int]) -> bool:
    """Tell whether the number of pieces that meet at a place is allowed."""
    first, *others = place.sets
    everywhere = first.union(*others)
    there = (pieces[i][1][0] for i in {owner[a] for a in first if a in owner})
    number = sum(atoms & everywhere not in place.straight for atoms in there if not any(atoms.isdisjoint(some) for some in others))
    return place.least <= number and (place.most is None or number <= place.most)


def _keeps_touching(surface: Surface, pieces: Sequence[Piece], rule: SolutionRule) -> bool:
    """Tell whether a rule on pieces that touch is kept: the pieces are apart, or the stated number of colours is enough."""
    owner = {atom: i for i, (_, (atoms, _)) in enumerate(pieces) for atom in atoms}
    met = {pair for there in surface.round_points for pair in combinations(there, 2)} if rule.corners else set()
    near = ((owner[a], owner[b]) for a, b in {*surface.sides, *met} if a in owner and b in owner)
    touching = {(i, j) for i, j in near if i != j}
    if rule.kind == APART:
        return not any(all(pieces[i][0] in rule.tiles for i in pair) for pair in touching)
    beside: dict[int, set[int]] = {i: set() for i in range(len(pieces))}
    for i, j in touching:
        beside[i].add(j)
        beside[j].add(i)
    return _coloured(beside, len(pieces), rule.colours, [])


def _coloured(beside: dict[int, set[int]], size: int, colours: int, given: list[int]) -> bool:
    """Whether the pieces after those that have colours can have some, too; the first that has a new one takes the least."""
    if len(given) == size:
        return True
    taken = {given[i] for i in beside[len(given)] if i < len(given)}
    free = (c for c in range(min(colours, max(given, default=-1) + 2)) if c not in taken)
    return any(_coloured(beside, size, colours, [*given, c]) for c in free)


def kept_by(grid: CheckedGrid, h: Matrix, rules: Sequence[SolutionRule], pieces: Sequence[Piece], image: Sequence[int]) -> bool:
    """Tell whether rules say the same of a solution and of its image after a motion h, which takes each placement to that number.

    What was left out is no matter here, for such placements do not stand there. The image of what is the same after g is the same after
    h g h⁻¹. No motion changes faults, nor what meets at a point, nor how many colours do. Motions are told apart by their matrices alone,
    which may be multiplied by a number, for a grid has one symmetry for each.
    """
    before, after = set(), set()
    for rule in rules:
        own = frozenset(i for i, piece in enumerate(pieces) if rule.late and (piece[0] in rule.tiles or piece in rule.placements))
        group = grid.generated(rule.symmetries)
        before.add((rule.kind, rule.corners, own, frozenset(times(g, h) for g, _ in group)))
        after.add((rule.kind, rule.corners, frozenset(image[i] for i in own), frozenset(times(h, g) for g, _ in group)))
    return before == after
