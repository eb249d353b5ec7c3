"""The puzzle as a certificate states it, and every placement of its tiles, rebuilt from the geometry.

A certificate states its puzzle in plain words, without pictures, generators or defaults (``docs/certificate-file.md``):

- ``gram``, the scalar products of the lattice, and ``atoms``, each with its vertices in lattice coordinates (fractions as text);
- ``symmetries`` of the grid: ``matrix``, and for each atom the atom ``image`` it goes to and the ``shift`` of its cell;
- ``tiles``: the atoms ``[x, y, …, a]`` and marks ``[side, face, name]`` of each, the symmetries that may turn it, its ``ranges`` of copies;
  or, for a tile that is neither turned nor moved, in place of atoms, marks and symmetries the atoms of each of its ``placements``;
- the atoms that are ``required`` and ``optional``, the ``mates`` of the marks, the mark of the ``border``, ``fixed`` placements;
- ``rules``: the weights of atoms and tiles, and what their sum is to be; or what a solution must be (``solution_rules``);
- the atoms of the form that are ``coloured``, and for each colour of tiles the colours that it ``fits`` on; a coloured atom of a tile
  is a mark whose side and face are that atom.

A statement that comes from no certificate may be *wide*; then it may also say

- ``seams``, for a form that wraps around: how far each moves (``move``), and whether it is a ``mirror``. Of atoms that are the same the
  form has one; fixed placements, and those that rules name, may lie beyond the seams. Beside it there are ``crossings``: what tiles cover
  where they run ``through`` some atoms, with all images of that in the grid, for tiles come without it; and, where atoms were taken out of
  the form before it became what it is, ``removed``: a mirrored seam mirrors the form as it was with them;
- ``in_its_plane`` of a tile of balls: whether it may also be turned by the motions that are no symmetries of the grid. Those which are
  mirrors it takes where some of its symmetries is one.

Forms of balls have those further motions as symmetries then, and rules on solutions may speak of balls that touch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import chain
from operator import add
from typing import Any, TypeVar

import numpy as np

from .arrays import Flags, Longs
from .grid import Atom, BallMotion, CheckedGrid, Point, StatedSymmetry, ball_motions, read_grid
from .seams import FLAT, Seams, read_seams
from .solution_rules import KEYS as KEYS_OF_KIND
from .solution_rules import Piece, SolutionRule, allowed, leaves_out, what_is_wrong
from .surface import Crossing, Look, Mark, Surface
from .values import Rejected, TooLarge, array, different, entries, flag, index, name, read_all, shown, table, text, whole

Value = TypeVar("Value")
UNLIMITED = 1 << 30
MOST_PLACEMENTS = 150_000
"""Beyond that the table of which exclude each other would not fit into memory."""
MOST_TRIED = 10_000_000
"""Atoms of tiles that are laid on atoms of the form."""
MOST_WEIGHT = 10**9
MOST_COLOURS = 12
KEYS = (
    "name", "title", "gram", "atoms", "symmetries", "tiles", "required", "optional", "mates", "fits", "coloured", "border", "rules",
    "fixed", "keep", "mirrored",
)  # fmt: skip
"""What a puzzle states, all of it always."""
SEAMS, CROSSINGS, REMOVED = "seams", "crossings", "removed"
"""What a wide statement may say besides, and for a tile of balls:"""
IN_ITS_PLANE = "in_its_plane"


@dataclass(frozen=True)
class StatedTile:
    """A piece: what it covers and shows in its base position, and which symmetries may turn it."""

    name: str
    look: Look
    symmetries: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]
    """Fewest and most copies of each of the identical pieces that it stands for."""
    listed: tuple[Look, ...] = ()
    """Its placements, where they are listed; it has then no symmetries, and its look is that of the first."""
    in_its_plane: bool = False
    """Whether it is of balls, and may be turned by motions that are no symmetries of the grid."""

    @property
    def low(self) -> int:
        """The fewest copies that a solution has."""
        return sum(low for low, _ in self.ranges)

    @property
    def high(self) -> int:
        """The most copies that a solution may have."""
        return min(sum(high for _, high in self.ranges), UNLIMITED)

    @property
    def unlimited(self) -> bool:
        """Whether its copies have no limit."""
        return self.high >= UNLIMITED

    @property
    def copies(self) -> tuple[tuple[int, int | None], ...]:
        """The ranges, with None for the most copies where there is no limit."""
        return tuple((low, None if high >= UNLIMITED else high) for low, high in self.ranges)


@dataclass(frozen=True)
class StatedRule:
    """Σ weights of the atoms and tiles of a solution lies from low to high, or is ≡ residue where there is a modulus."""

    name: str
    atoms: Mapping[Atom, int]
    tiles: Mapping[str, int]
    low: int
    high: int
    modulus: int
    residue: int

    def weight(self, piece: Piece) -> int:
        """Return what a placement adds to the sum."""
        return self.tiles.get(piece[0], 0) + sum(self.atoms.get(a, 0) for a in piece[1][0])

    def broken(self, totals: Longs) -> Flags:
        """Tell which sums of weights break the rule."""
        if self.modulus:
            return np.asarray((totals - self.residue) % self.modulus != 0)
        return np.asarray((totals < self.low) | (self.high < totals))


@dataclass(frozen=True, eq=False)
class StatedPuzzle:
    """A puzzle as stated, found to be well-formed."""

    name: str
    surface: Surface
    tiles: tuple[StatedTile, ...]
    required: tuple[Atom, ...]
    optional: tuple[Atom, ...]
    mates: Mapping[str, str | None]
    fits: Mapping[str, frozenset[str]]
    """For each colour of tiles the colours of the form on which it may lie."""
    coloured: Mapping[Atom, str]
    border: str | None
    rules: tuple[StatedRule | SolutionRule, ...]
    fixed: tuple[tuple[int, Look], ...]
    """Placements that are part of every solution: number of the tile, and what it covers and shows."""
    keep: frozenset[Atom]
    """Atoms that a symmetry must map onto themselves."""
    mirrored: bool
    """Whether mirrored answers count as one."""
    wide: bool = False
    """Whether the motions of balls that are no symmetries of the grid may be symmetries of the form."""

    @property
    def grid(self) -> CheckedGrid:
        """The grid that the form is part of."""
        return self.surface.grid

    @property
    def form(self) -> frozenset[Atom]:
        """All atoms, required and optional."""
        return self.surface.atoms

    @property
    def symmetries(self) -> tuple[StatedSymmetry, ...]:
        """Those of the grid."""
        return self.grid.symmetries

    @property
    def late_rules(self) -> tuple[StatedRule | SolutionRule, ...]:
        """Those that are looked at on solutions; the others leave placements out, whatever the kind of the proof."""
        return tuple(rule for rule in self.rules if isinstance(rule, StatedRule) or rule.late)

    def looks(self, tile: StatedTile) -> list[Look]:
        """Return what a tile looks like turned in every way that is allowed, moved so that its smallest coordinates are 0."""
        return list(turned_looks(self.grid, tile))

    def count_turns(self, tile: StatedTile) -> int:
        """Return in how many ways a tile may be turned, whether or not it looks the same or lies on the grid then."""
        mirrors = any(self.symmetries[number].mirror for number in tile.symmetries)
        further = ball_motions(self.grid) if tile.in_its_plane else ()
        return len(tile.symmetries) + sum(mirrors or not motion.mirror for motion in further)

    def pieces(self, placements: Iterable[StatedPlacement]) -> list[Piece]:
        """Return placements with the names of their tiles."""
        return [(self.tiles[p.tile].name, p.look) for p in placements]


@dataclass(frozen=True)
class StatedPlacement:
    """One tile at one place, turned as allowed."""

    tile: int
    look: Look


def read_puzzle(stated: Any, *, wide: bool = False, alike: bool = False) -> StatedPuzzle:
    """Return the puzzle of a certificate, or of a ``wide`` statement. Where tiles may be ``alike``, they are not turned to compare them.

    Raises Rejected unless it states one completely and only one: each field has the values that it may have, and nothing contradicts
    itself, lies where it cannot be, or is listed twice.
    """
    wraps = wide and SEAMS in entries(stated, "puzzle")
    further = (SEAMS, CROSSINGS, *(key for key in (REMOVED,) if key in stated)) if wraps else ()
    said = table(stated, "puzzle", (*KEYS, *further))
    text(said["title"], "puzzle.title")
    grid = read_grid(said)
    mates, fits, border = _read_marks(said)
    tiles = _read_tiles(said["tiles"], grid, mates, fits, wide, alike)
    required, optional = _read_form(said, grid)
    form = frozenset((*required, *optional))
    surface = _read_surface(said, grid, form) if wraps else Surface(grid, form)
    coloured = _read_pairs(said["coloured"], "puzzle.coloured", grid, text)
    _demand_inside(form, coloured, "puzzle.coloured")
    _demand_inside(form, (a for tile in tiles for look in tile.listed for a in sorted(look[0])), "puzzle.tiles: placements")
    piece = partial(_read_piece, surface=surface, tiles=tiles, mates=mates, fits=fits)
    rules = _read_rules(said["rules"], surface, tiles, piece, wide)
    keep = _atoms(said["keep"], "puzzle.keep", grid)
    _demand_inside(form, keep, "puzzle.keep")
    fixed = _read_all_fixed(said["fixed"], surface, tiles, mates, fits)
    return StatedPuzzle(
        name(said["name"], "puzzle.name"), surface, tiles, required, optional, mates, fits, coloured, border, rules, fixed,
        frozenset(keep), flag(said["mirrored"], "puzzle.mirrored"), wide,
    )  # fmt: skip


def _atom(stated: Any, where: str, grid: CheckedGrid) -> Atom:
    numbers = array(stated, where, grid.dimension + 1)
    return (*(whole(x, where) for x in numbers[:-1]), index(numbers[-1], where, len(grid.corners)))


def _atoms(stated: Any, where: str, grid: CheckedGrid) -> tuple[Atom, ...]:
    return different((_atom(a, where, grid) for a in array(stated, where)), where)


def _read_pairs(stated: Any, where: str, grid: CheckedGrid, read: Callable[[Any, str], Value]) -> dict[Atom, Value]:
    """Atoms, each once, with something of each."""
    pairs = [array(pair, where, 2) for pair in array(stated, where)]
    return dict(zip(different((_atom(a, where, grid) for a, _ in pairs), where), (read(value, where) for _, value in pairs), strict=True))


def _demand_inside(form: frozenset[Atom], atoms: Iterable[Atom], where: str) -> None:
    if outside := [a for a in atoms if a not in form]:
        raise Rejected(f"{where}: {list(outside[0])} is not an atom of the form")


def _read_form(said: Mapping[str, Any], grid: CheckedGrid) -> tuple[tuple[Atom, ...], tuple[Atom, ...]]:
    """Required and optional atoms: some atom, and none in both."""
    required, optional = (_atoms(said[key], f"puzzle.{key}", grid) for key in ("required", "optional"))
    if not different([*required, *optional], "puzzle.required and puzzle.optional"):
        raise Rejected("puzzle.required: the form has no atoms")
    return required, optional


def _read_surface(said: Mapping[str, Any], grid: CheckedGrid, form: frozenset[Atom]) -> Surface:
    """The form with its seams, of which no two atoms are the same, and the crossings of the grid."""
    removed = _atoms(said.get(REMOVED, []), f"puzzle.{REMOVED}", grid)
    different((*sorted(form), *removed), f"puzzle.required, optional and {REMOVED}")
    seams = read_seams(said[SEAMS], grid, frozenset(a for a in (*form, *removed) if grid.kinds[a[-1]] == grid.kinds[0]))
    different((seams.settled(a)[0] for a in sorted(form)), f"puzzle.{SEAMS}: the same atom as one of the form:")
    return Surface(
        grid, form, seams, tuple(read_all(said[CROSSINGS], f"puzzle.{CROSSINGS}", lambda c, where: _read_crossing(c, where, grid)))
    )


def _read_crossing(stated: Any, where: str, grid: CheckedGrid) -> Crossing:
    said = table(stated, where, ("through", "blocks"))
    through, blocks = (_atoms(said[key], f"{where}.{key}", grid) for key in ("through", "blocks"))
    if not through or not blocks:
        raise Rejected(f"{where}: a tile runs through some atoms there, and covers some")
    return through, blocks


def _read_marks(said: Mapping[str, Any]) -> tuple[dict[str, str | None], dict[str, frozenset[str]], str | None]:
    """The mates of marks, what colours fit on, and the mark of the border: no colour has the name of a mark."""
    mates, fits = _read_mates(said["mates"]), _read_fits(said["fits"])
    if both := mates.keys() & fits.keys():
        raise Rejected(f"puzzle.fits: {shown(min(both))} is a mark")
    border = None if said["border"] is None else text(said["border"], "puzzle.border")
    if border is not None and border not in mates:
        raise Rejected(f"puzzle.border: there is no mark {shown(border)}")
    return mates, fits, border


def _read_mates(stated: Any) -> dict[str, str | None]:
    mates = {key: None if mate is None else text(mate, "puzzle.mates") for key, mate in entries(stated, "puzzle.mates").items()}
    for key, mate in mates.items():
        if mate is not None and mates.get(mate) != key:
            raise Rejected(f"puzzle.mates: {shown(key)} may meet {shown(mate)}, but not the other way round")
    return mates


def _read_fits(stated: Any) -> dict[str, frozenset[str]]:
    return {
        key: frozenset(different((text(c, "puzzle.fits") for c in array(on, "puzzle.fits")), f"puzzle.fits: {shown(key)}"))
        for key, on in entries(stated, "puzzle.fits").items()
    }


def _read_tiles(
    stated: Any, grid: CheckedGrid, mates: Mapping[str, str | None], fits: Mapping[str, frozenset[str]], wide: bool, alike: bool
) -> tuple[StatedTile, ...]:
    """Tiles of different names that look different; those that look alike would be copies of one."""
    tiles = tuple(read_all(stated, "puzzle.tiles", lambda t, where: _read_tile(t, where, grid, mates, fits, wide)))
    different((tile.name for tile in tiles), "puzzle.tiles: name")
    turned = sum((len(tile.look[0]) + len(tile.look[1])) * len(tile.symmetries) for tile in tiles)
    if turned > MOST_TRIED // 4 and not alike:
        raise TooLarge("puzzle.tiles: they have too many atoms to be turned in every way")
    groups: set[tuple[int, ...]] = set()
    looks: dict[tuple[bool, frozenset[Look]], str] = {}
    for tile in tiles:
        if not tile.listed and tile.symmetries not in groups and not grid.is_group(tile.symmetries):
            raise Rejected(f"puzzle.tiles: {tile.name} has symmetries that are not a group: two turns in a row must be a turn, too")
        groups.add(tile.symmetries)
        if alike:
            continue
        key = bool(tile.listed), frozenset(tile.listed or _turns(grid, tile))
        if (other := looks.setdefault(key, tile.name)) != tile.name:
            raise Rejected(f"puzzle.tiles: {tile.name} and {other} are the same; identical pieces are one tile with several ranges")
    return tiles


def _read_tile(
    stated: Any, where: str, grid: CheckedGrid, mates: Mapping[str, str | None], fits: Mapping[str, frozenset[str]], wide: bool
) -> StatedTile:
    own = ("placements",) if "placements" in entries(stated, where) else ("atoms", "marks", "symmetries")
    of_balls = (IN_ITS_PLANE,) if wide and grid.of_balls and IN_ITS_PLANE in stated else ()
    said = table(stated, where, ("name", *own, *of_balls, "ranges"))
    ranges = tuple(read_all(said["ranges"], f"{where}.ranges", _read_range))
    if not ranges:
        raise Rejected(f"{where}.ranges: at least one piece is of this tile")
    called = name(said["name"], f"{where}.name")
    if "placements" in said:
        bodies = different((frozenset(_atoms(b, f"{where}.placements", grid)) for b in array(said["placements"], where)), where)
        if not bodies or not all(bodies):
            raise Rejected(f"{where}.placements: there is at least one, and each has at least one atom")
        listed: tuple[Look, ...] = tuple((body, frozenset()) for body in bodies)
        return StatedTile(called, listed[0], (), ranges, listed)
    numbers = (index(i, f"{where}.symmetries", len(grid.symmetries)) for i in array(said["symmetries"], f"{where}.symmetries"))
    look, symmetries = _read_look(said, where, grid, mates, fits), different(numbers, f"{where}.symmetries")
    return StatedTile(called, look, symmetries, ranges, in_its_plane=flag(said.get(IN_ITS_PLANE, False), f"{where}.{IN_ITS_PLANE}"))


def _read_range(stated: Any, where: str) -> tuple[int, int]:
    low, high = array(stated, where, 2)
    least = whole(low, where, 0, UNLIMITED - 1)
    return least, UNLIMITED if high is None else whole(high, where, least, UNLIMITED - 1)


def _read_look(
    said: Mapping[str, Any],
    where: str,
    grid: CheckedGrid,
    mates: Mapping[str, str | None],
    fits: Mapping[str, frozenset[str]],
    seams: Seams = FLAT,
) -> Look:
    """What a tile covers and shows: no mark that there is not, or that lies nowhere, no two in one place, no two that may not meet."""
    atoms = frozenset(_atoms(said["atoms"], f"{where}.atoms", grid))
    own = {seams.settled(a) for a in atoms}
    if not atoms:
        raise Rejected(f"{where}.atoms: a tile has at least one")
    marks = []
    for stated in array(said["marks"], f"{where}.marks"):
        side, face, mark = array(stated, f"{where}.marks", 3)
        marks.append((_atom(side, f"{where}.marks", grid), _atom(face, f"{where}.marks", grid), text(mark, f"{where}.marks")))
    different(((side, face) for side, face, _ in marks), f"{where}.marks: the place of a mark")
    inner: dict[Atom, str] = {}
    for side, face, mark in marks:
        if seams.settled(face) not in own or (side != face and face not in faces_of(grid, side)):
            raise Rejected(f"{where}.marks: {shown(mark)} does not lie on a side of one of the tile's faces")
        if mark not in (fits if side == face else mates):
            raise Rejected(f"{where}.marks: {shown(mark)} has no entry in {'fits' if side == face else 'mates'}")
        if side != face and len(faces_of(grid, side)) > 2:
            raise Rejected(f"{where}.marks: {shown(mark)} lies where more than two faces meet")
        if side != face and side in inner and mates[inner[side]] != mark:
            raise Rejected(f"{where}.marks: {shown(inner[side])} and {shown(mark)} inside the tile may not meet")
        if side != face:
            inner[side] = mark
    return atoms, frozenset(marks)


def _read_rules(
    stated: Any, surface: Surface, tiles: tuple[StatedTile, ...], piece: Callable[[Any, str], Piece], wide: bool
) -> tuple[StatedRule | SolutionRule, ...]:
    """Rules of different names, that weigh atoms of the form, or say what a solution must be."""

    def read(said: Any, where: str) -> StatedRule | SolutionRule:
        on_solutions = isinstance(said, dict) and "kind" in said
        return (
            _read_solution_rule(said, where, surface, tiles, piece, wide) if on_solutions else _read_rule(said, where, surface.grid, tiles)
        )

    rules = tuple(read_all(stated, "puzzle.rules", read))
    different((rule.name for rule in rules), "puzzle.rules: name")
    for rule in rules:
        _demand_inside(surface.atoms, rule.atoms, f"puzzle.rules: {rule.name}")
    return rules


def _read_solution_rule(
    stated: Any, where: str, surface: Surface, tiles: tuple[StatedTile, ...], piece: Callable[[Any, str], Piece], wide: bool
) -> SolutionRule:
    """A rule on solutions, with what its kind needs and nothing else."""
    grid = surface.grid
    kind = text(stated["kind"], f"{where}.kind")
    if kind not in KEYS_OF_KIND:
        raise Rejected(f"{where}.kind: there is no kind {shown(kind)}")
    said = table(stated, where, ("name", "kind", *KEYS_OF_KIND[kind]))

    def several(key: str, read: Callable[[Any, str], Value]) -> frozenset[Value]:
        return frozenset(different(read_all(said.get(key, []), f"{where}.{key}", read), f"{where}.{key}"))

    rule = SolutionRule(
        name(said["name"], f"{where}.name"), kind, several("tiles", text),
        whole(said.get("colours", 0), f"{where}.colours", 0, MOST_COLOURS), flag(said.get("corners", False), f"{where}.corners"),
        several("symmetries", lambda s, where: index(s, where, len(grid.symmetries))),
        several("placements", piece), several("atoms", lambda a, where: _atom(a, where, grid)),
        *(whole(said.get(key, 0), f"{where}.{key}", 0, MOST_WEIGHT) for key in ("low", "high")),
    )  # fmt: skip
    if unknown := rule.tiles - {tile.name for tile in tiles}:
        raise Rejected(f"{where}.tiles: there is no tile {shown(min(unknown))}")
    if wrong := what_is_wrong(surface, rule, touching_balls=wide):
        raise Rejected(f"{where}: {wrong}")
    return rule


def _read_rule(stated: Any, where: str, grid: CheckedGrid, tiles: tuple[StatedTile, ...]) -> StatedRule:
    """A rule with bounds, or one with a modulus."""

    def weight(number: Any, place: str) -> int:
        return whole(number, place, -MOST_WEIGHT, MOST_WEIGHT)

    said = table(stated, where, ("name", "atoms", "tiles", "low", "high", "modulus", "residue"))
    of_tiles = table(said["tiles"], f"{where}.tiles", (tile.name for tile in tiles))
    low, modulus = weight(said["low"], f"{where}.low"), whole(said["modulus"], f"{where}.modulus", 0, MOST_WEIGHT)
    high = whole(said["high"], f"{where}.high", low, MOST_WEIGHT)
    if modulus == 1 or (modulus and (low or high)):
        raise Rejected(f"{where}.modulus: it is 0, or 2 or more; then there are no bounds, and low and high are 0")
    return StatedRule(
        name(said["name"], f"{where}.name"), _read_pairs(said["atoms"], f"{where}.atoms", grid, weight),
        {tile: weight(w, f"{where}.tiles") for tile, w in of_tiles.items()}, low, high, modulus,
        whole(said["residue"], f"{where}.residue", 0, max(modulus - 1, 0)),
    )  # fmt: skip


def _read_all_fixed(
    stated: Any, surface: Surface, tiles: tuple[StatedTile, ...], mates: Mapping[str, str | None], fits: Mapping[str, frozenset[str]]
) -> tuple[tuple[int, Look], ...]:
    """Fixed placements: different ones that do not overlap, of each tile as many as it has copies."""
    fixed = tuple(read_all(stated, "puzzle.fixed", lambda f, where: _read_fixed(f, where, surface, tiles, mates, fits)))
    if len(set(fixed)) < len(fixed):
        raise Rejected("puzzle.fixed: a placement is listed twice")
    different((a for _, look in fixed for a in look[0]), "puzzle.fixed: two of them overlap, for atom")
    for number, tile in enumerate(tiles):
        if sum(t == number for t, _ in fixed) > tile.high:
            raise Rejected(f"puzzle.fixed: tile {tile.name} is there more often than it has copies")
    return fixed


def _read_piece(stated: Any, where: str, **of: Any) -> Piece:
    """A placement that a rule names, with the name of its tile."""
    number, look = _read_fixed(stated, where, **of)
    return of["tiles"][number].name, look


def _read_fixed(
    stated: Any,
    where: str,
    surface: Surface,
    tiles: tuple[StatedTile, ...],
    mates: Mapping[str, str | None],
    fits: Mapping[str, frozenset[str]],
) -> tuple[int, Look]:
    said = table(stated, where, ("tile", "atoms", "marks"))
    look = _read_look(said, where, surface.grid, mates, fits, surface.seams)
    # on a flat form it is a placement, or none: that is seen where it is looked for
    there = surface.lying(sorted(look[0]), look[1]) if surface.wraps else look
    if there is None:
        raise Rejected(f"{where}: across the seams it lies on itself, or outside the form")
    return index(said["tile"], f"{where}.tile", len(tiles)), there


def all_placements(puzzle: StatedPuzzle, go_on: Callable[[], object] = bool) -> list[StatedPlacement]:
    """Return every placement that is allowed, by tile, then by orientation and place: the order in which certificates number them, from 0.

    ``go_on`` is called at each tile, and may raise.
    Raises Rejected where there are too many to hold, or to look for.
    """
    found: list[StatedPlacement] = []
    tried = 0
    for number, tile in enumerate(puzzle.tiles):
        go_on()
        known: set[Look] = set()
        for look, atoms in _places(puzzle, tile, puzzle.surface.spots):
            tried += atoms
            if look is not None and look not in known:
                found.append(StatedPlacement(number, look))
                if puzzle.surface.wraps:
                    known.add(look)
            if len(found) > MOST_PLACEMENTS or tried > MOST_TRIED:
                raise TooLarge(f"puzzle: it has more than {MOST_PLACEMENTS:,} placements, or too many to look for")
    return _allowed(puzzle, found)


def lay_placement(puzzle: StatedPuzzle, tile: int, atoms: Sequence[Atom], marks: Iterable[Mark], number: int) -> StatedPlacement:
    """Return the placement that covers some atoms of the form and shows some marks, which may be said as they lie beyond the seams.

    ``number`` is its place in the list, from 1, where the placements of the tile are listed. Raises Rejected unless it is the tile, turned
    as allowed, in the form, and no rule leaves it out. A rule that names symmetries leaves out more, which ``SolutionCheck`` finds.
    """
    surface, own = puzzle.surface, puzzle.tiles[tile]
    covered = frozenset(atoms)
    look = covered, frozenset(surface.settled(*mark) for mark in marks)
    if not covered <= surface.atoms or len(covered) < len(atoms):
        raise Rejected("it sticks out of the form, or covers an atom twice")
    if own.listed:
        if not 1 <= number <= len(own.listed) or look != surface.look([*own.listed[number - 1][0]], ()):
            raise Rejected(f"it is not number {number} of the placements of tile {own.name}")
    elif surface.wraps:
        spots = [spot for a in covered for (spot,) in surface.seams.sheets(a)]
        if look not in (there for there, _ in _places(puzzle, own, spots)):
            raise Rejected(f"it is not tile {own.name}, turned as the rules allow")
    elif _home(look) not in _turns(puzzle.grid, own):
        raise Rejected(f"it is not tile {own.name}, turned as the rules allow")
    elif not _fits(puzzle, look) or not _meets_border(puzzle, look):
        raise Rejected("it has a colour or a mark that may not lie there")
    for rule in puzzle.rules:
        if isinstance(rule, SolutionRule) and leaves_out(surface, (own.name, look), rule):
            raise Rejected(f"the rule {rule.name!r} leaves it out")
    return StatedPlacement(tile, look)


def _home(look: Look) -> Look:
    """The look, moved so that its smallest coordinates are 0."""
    home = tuple(-min(axis) for axis in zip(*look[0], strict=True))[:-1]
    return frozenset(_moved(a, home) for a in look[0]), frozenset((_moved(s, home), _moved(f, home), mark) for s, f, mark in look[1])


@cache
def faces_of(grid: CheckedGrid, side: Atom) -> frozenset[Atom]:
    """Return the faces (atoms of the kind of the first) whose corners include all those of a side; none where it is a face itself."""
    if grid.kinds[side[-1]] == grid.kinds[0]:
        return frozenset()
    return frozenset(_moved(face, side[:-1]) for face in grid.faces_at[side[-1]])


def _allowed(puzzle: StatedPuzzle, found: list[StatedPlacement]) -> list[StatedPlacement]:
    """Those that no rule on solutions leaves out. Raises Rejected where one names a placement that there is not."""
    rules = [rule for rule in puzzle.rules if isinstance(rule, SolutionRule)]
    pieces = puzzle.pieces(found)
    if unknown := [rule.name for rule in rules if not rule.placements <= set(pieces)]:
        raise Rejected(f"puzzle.rules: {unknown[0]}: it names something that is not a placement")
    if len(rules) * len(found) > MOST_TRIED:
        raise TooLarge("puzzle.rules: they are too many for this number of placements")
    return [p for p, there in zip(found, allowed(puzzle.surface, pieces, rules), strict=True) if there] if rules else found


@lru_cache(maxsize=256)
def _turns(grid: CheckedGrid, tile: StatedTile) -> dict[Look, None]:
    """The different looks of a tile."""
    return dict.fromkeys(turned_looks(grid, tile))


def turned_looks(grid: CheckedGrid, tile: StatedTile) -> Iterator[Look]:
    """Yield what a tile looks like turned in every way that is allowed, moved so that its smallest coordinates are 0."""
    still = (0,) * grid.dimension
    for go in _ways(grid, tile):
        atoms = [go(a, still) for a in tile.look[0]]
        home = tuple(-min(a[i] for a in atoms) for i in range(grid.dimension))
        marks = frozenset((go(side, home), go(face, home), mark) for side, face, mark in tile.look[1])
        yield frozenset(_moved(a, home) for a in atoms), marks


def _ways(grid: CheckedGrid, tile: StatedTile) -> Iterator[StatedSymmetry | BallMotion]:
    """What may turn a tile."""
    yield from (grid.symmetries[number] for number in tile.symmetries)
    mirrors = any(grid.symmetries[number].mirror for number in tile.symmetries)
    for motion in ball_motions(grid) if tile.in_its_plane else ():
        if (go := motion.about(tile.look[0])) is not None and (mirrors or not go.mirror):
            yield go


def _places(puzzle: StatedPuzzle, tile: StatedTile, spots: Iterable[Atom]) -> Iterator[tuple[Look | None, int]]:
    """Turn the tile in every allowed way, and lay its least atom on every one of some spots of the form of the same number in the cell.

    Where its placements are listed, it has no symmetries, and lies as they say. Yields what it covers and shows where that is a
    placement, and how many of its atoms were looked at. On a form that wraps around some may come several times.
    """
    surface = puzzle.surface
    yield from ((surface.look([*look[0]], ()), len(look[0])) for look in tile.listed if tile.high)
    targets: dict[int, list[Atom]] = {}
    for target in spots:
        targets.setdefault(target[-1], []).append(target)
    for atoms, marks in _turns(puzzle.grid, tile) if tile.high and len(tile.look[0]) <= len(surface.atoms) else ():
        first, *others = sorted(atoms)
        for target in targets.get(first[-1], ()):
            move = tuple(t - f for t, f in zip(target[:-1], first, strict=False))
            there = []
            for atom in chain([first], others):
                if (place := surface.home(_moved(atom, move))) is None:
                    break
                there.append(place)
            moved = [(_moved(s, move), _moved(f, move), mark) for s, f, mark in marks]
            look = surface.look(there, moved) if len(there) > len(others) else None
            fits = look is not None and _fits(puzzle, look) and _meets_border(puzzle, look) and _meets_itself(puzzle, look)
            yield look if fits else None, len(there) + len(marks)


def _fits(puzzle: StatedPuzzle, look: Look) -> bool:
    """Does every coloured atom lie on one without colour, or of a colour that it fits on?"""
    colours = [(puzzle.coloured.get(face), name) for side, face, name in look[1] if side == face]
    return all(below is None or below in puzzle.fits[name] for below, name in colours)


def _meets_border(puzzle: StatedPuzzle, look: Look) -> bool:
    """Is every mark that looks out of the form one that the border may meet?"""
    return puzzle.border is None or all(
        side == face or puzzle.mates[name] == puzzle.border or None not in map(puzzle.surface.home, faces_of(puzzle.grid, side))
        for side, face, name in look[1]
    )


def _meets_itself(puzzle: StatedPuzzle, look: Look) -> bool:
    """May the marks of a placement that is its own neighbour across a seam meet?"""
    there: dict[Atom, list[str]] = {}
    for side, face, mark in look[1] if puzzle.surface.wraps else ():
        if side != face:
            there.setdefault(side, []).append(mark)
    return all(puzzle.mates[names[0]] == names[1] for names in there.values() if len(names) > 1)


def _moved(atom: Atom, move: Point) -> Atom:
    return (*map(add, atom, move), atom[-1])
