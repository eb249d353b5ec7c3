"""The puzzle as a certificate states it, and every placement of its tiles, rebuilt from the geometry.

A certificate states its puzzle explicitly, without pictures, generators or defaults (``verified/certificate-file.md``):

- ``gram``, the scalar products of the lattice, and ``atoms``, each with its vertices in lattice coordinates (fractions as text);
- ``symmetries`` of the grid: ``matrix``, and for each atom the atom ``image`` it goes to and the ``shift`` of its cell;
- ``tiles``: the atoms ``[x, y, …, a]`` and marks ``[side, face, name]`` of each, the symmetries that may turn it, its ``ranges`` of copies;
  or, for a tile that is neither turned nor moved, in place of atoms, marks and symmetries the atoms of each of its ``placements``;
- the atoms that are ``required`` and ``optional``, the ``mates`` of the marks, the mark of the ``border``, ``fixed`` placements;
- ``rules``: the weights of atoms and tiles, and the bounds or the residue of their sum; or conditions on a solution (``solution_rules``);
- the atoms of the form that are ``coloured``, and for each colour of tiles the colours that it ``fits`` on; a coloured atom of a tile is a
  mark whose side and face are that atom.

A statement that does not come from a certificate may be *wide*; then it may also state

- ``seams``, for a form that wraps around: the ``move`` of each seam, and whether it is a ``mirror``. The form has only one of several atoms
  that are the same; fixed placements, and placements that rules name, may lie beyond the seams. With seams it states the ``crossings``: the
  atoms that tiles cover where they run ``through`` some atoms, with all images in the grid, because the tiles do not include them. If atoms
  were taken out of the form, it states them as ``removed``: a mirrored seam mirrors the form including them;
- ``in_its_plane`` of a tile of balls: whether it may also be turned by motions that are not symmetries of the grid. Mirrors among these
  motions are allowed if one of the tile's symmetries is a mirror.

Forms of balls then have these further motions as symmetries, and rules on solutions may be about balls that touch.
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
MAX_PLACEMENTS = 150_000
"""Maximum number of placements; with more, the table of exclusions would not fit into memory."""
MAX_TRIED = 10_000_000
"""Maximum number of atoms of tiles that are laid on atoms of the form."""
MAX_WEIGHT = 10**9
MAX_COLOURS = 12
KEYS = (
    "name", "title", "gram", "atoms", "symmetries", "tiles", "required", "optional", "mates", "fits", "coloured", "border", "rules",
    "fixed", "keep", "mirrored",
)  # fmt: skip
"""The keys of a puzzle, all of which are required."""
SEAMS, CROSSINGS, REMOVED = "seams", "crossings", "removed"
"""Further keys of a wide statement."""
IN_ITS_PLANE = "in_its_plane"


@dataclass(frozen=True)
class StatedTile:
    """A piece: what it covers and shows in its base position, and the symmetries that may turn it."""

    name: str
    look: Look
    symmetries: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]
    """Minimum and maximum copies of each of the identical pieces that it represents."""
    listed: tuple[Look, ...] = ()
    """Its placements, if they are listed; then it has no symmetries, and its look is the look of the first placement."""
    in_its_plane: bool = False
    """True if it is made of balls and may be turned by motions that are no symmetries of the grid."""

    @property
    def low(self) -> int:
        """Minimum copies in a solution."""
        return sum(low for low, _ in self.ranges)

    @property
    def high(self) -> int:
        """Maximum copies in a solution."""
        return min(sum(high for _, high in self.ranges), UNLIMITED)

    @property
    def unlimited(self) -> bool:
        """True if its copies have no limit."""
        return self.high >= UNLIMITED

    @property
    def copies(self) -> tuple[tuple[int, int | None], ...]:
        """The ranges, with None for the maximum if there is no limit."""
        return tuple((low, None if high >= UNLIMITED else high) for low, high in self.ranges)


@dataclass(frozen=True)
class StatedRule:
    """Σ weights of the atoms and tiles of a solution lies from low to high or, if there is a modulus, is ≡ residue."""

    name: str
    atoms: Mapping[Atom, int]
    tiles: Mapping[str, int]
    low: int
    high: int
    modulus: int
    residue: int

    def weight(self, piece: Piece) -> int:
        """Return the weight of a placement."""
        return self.tiles.get(piece[0], 0) + sum(self.atoms.get(a, 0) for a in piece[1][0])

    def broken(self, totals: Longs) -> Flags:
        """Tell which sums of weights break the rule."""
        if self.modulus:
            return np.asarray((totals - self.residue) % self.modulus != 0)
        return np.asarray((totals < self.low) | (self.high < totals))


@dataclass(frozen=True, eq=False)
class StatedPuzzle:
    """A puzzle as stated, checked to be well-formed."""

    name: str
    surface: Surface
    tiles: tuple[StatedTile, ...]
    required: tuple[Atom, ...]
    optional: tuple[Atom, ...]
    mates: Mapping[str, str | None]
    fits: Mapping[str, frozenset[str]]
    """The colours of the form on which each colour of tiles may lie."""
    coloured: Mapping[Atom, str]
    border: str | None
    rules: tuple[StatedRule | SolutionRule, ...]
    fixed: tuple[tuple[int, Look], ...]
    """Placements that are part of every solution: number of the tile, and what it covers and shows."""
    keep: frozenset[Atom]
    """Atoms that a symmetry must map onto themselves."""
    mirrored: bool
    """True if mirrored solutions count as one."""
    wide: bool = False
    """True if the motions of balls that are no symmetries of the grid may be symmetries of the form."""

    @property
    def grid(self) -> CheckedGrid:
        """The grid of the form."""
        return self.surface.grid

    @property
    def form(self) -> frozenset[Atom]:
        """All atoms, required and optional."""
        return self.surface.atoms

    @property
    def symmetries(self) -> tuple[StatedSymmetry, ...]:
        """The symmetries of the grid."""
        return self.grid.symmetries

    @property
    def late_rules(self) -> tuple[StatedRule | SolutionRule, ...]:
        """The rules that are checked on solutions; the others exclude placements, in every kind of proof."""
        return tuple(rule for rule in self.rules if isinstance(rule, StatedRule) or rule.late)

    def looks(self, tile: StatedTile) -> list[Look]:
        """Return the looks of a tile in all allowed orientations, moved so that its smallest coordinates are 0."""
        return list(turned_looks(self.grid, tile))

    def count_turns(self, tile: StatedTile) -> int:
        """Return the number of allowed orientations of a tile, whether or not they look the same or lie on the grid."""
        mirrors = any(self.symmetries[number].mirror for number in tile.symmetries)
        further = ball_motions(self.grid) if tile.in_its_plane else ()
        return len(tile.symmetries) + sum(mirrors or not motion.mirror for motion in further)

    def pieces(self, placements: Iterable[StatedPlacement]) -> list[Piece]:
        """Return placements with the names of their tiles."""
        return [(self.tiles[p.tile].name, p.look) for p in placements]


@dataclass(frozen=True)
class StatedPlacement:
    """A tile at a place, in an allowed orientation."""

    tile: int
    look: Look


def read_puzzle(stated: Any, *, wide: bool = False, alike: bool = False) -> StatedPuzzle:
    """Return the puzzle of a certificate, or of a ``wide`` statement. If tiles may be ``alike``, they are not compared with each other.

    Raises Rejected unless the statement is complete and unambiguous: each field has an allowed value, and there are no contradictions,
    impossible places or duplicates.
    """
    wraps = wide and SEAMS in entries(stated, "puzzle")
    further = (SEAMS, CROSSINGS, *(key for key in (REMOVED,) if key in stated)) if wraps else ()
    fields = table(stated, "puzzle", (*KEYS, *further))
    text(fields["title"], "puzzle.title")
    grid = read_grid(fields)
    mates, fits, border = _read_marks(fields)
    tiles = _read_tiles(fields["tiles"], grid, mates, fits, wide, alike)
    required, optional = _read_form(fields, grid)
    form = frozenset((*required, *optional))
    surface = _read_surface(fields, grid, form) if wraps else Surface(grid, form)
    coloured = _read_pairs(fields["coloured"], "puzzle.coloured", grid, text)
    _demand_inside(form, coloured, "puzzle.coloured")
    _demand_inside(form, (a for tile in tiles for look in tile.listed for a in sorted(look[0])), "puzzle.tiles: placements")
    piece = partial(_read_piece, surface=surface, tiles=tiles, mates=mates, fits=fits)
    rules = _read_rules(fields["rules"], surface, tiles, piece, wide)
    keep = _atoms(fields["keep"], "puzzle.keep", grid)
    _demand_inside(form, keep, "puzzle.keep")
    fixed = _read_all_fixed(fields["fixed"], surface, tiles, mates, fits)
    return StatedPuzzle(
        name(fields["name"], "puzzle.name"), surface, tiles, required, optional, mates, fits, coloured, border, rules, fixed,
        frozenset(keep), flag(fields["mirrored"], "puzzle.mirrored"), wide,
    )  # fmt: skip


def _atom(stated: Any, where: str, grid: CheckedGrid) -> Atom:
    numbers = array(stated, where, grid.dimension + 1)
    return (*(whole(x, where) for x in numbers[:-1]), index(numbers[-1], where, len(grid.corners)))


def _atoms(stated: Any, where: str, grid: CheckedGrid) -> tuple[Atom, ...]:
    return different((_atom(a, where, grid) for a in array(stated, where)), where)


def _read_pairs(stated: Any, where: str, grid: CheckedGrid, read: Callable[[Any, str], Value]) -> dict[Atom, Value]:
    """Return atoms, each once, with a value of each."""
    pairs = [array(pair, where, 2) for pair in array(stated, where)]
    return dict(zip(different((_atom(a, where, grid) for a, _ in pairs), where), (read(value, where) for _, value in pairs), strict=True))


def _demand_inside(form: frozenset[Atom], atoms: Iterable[Atom], where: str) -> None:
    if outside := [a for a in atoms if a not in form]:
        raise Rejected(f"{where}: {list(outside[0])} is not an atom of the form")


def _read_form(fields: Mapping[str, Any], grid: CheckedGrid) -> tuple[tuple[Atom, ...], tuple[Atom, ...]]:
    """Return required and optional atoms: at least one atom, and none in both."""
    required, optional = (_atoms(fields[key], f"puzzle.{key}", grid) for key in ("required", "optional"))
    if not different([*required, *optional], "puzzle.required and puzzle.optional"):
        raise Rejected("puzzle.required: the form has no atoms")
    return required, optional


def _read_surface(fields: Mapping[str, Any], grid: CheckedGrid, form: frozenset[Atom]) -> Surface:
    """Return the form with its seams, of which no two atoms are the same, and the crossings of the grid."""
    removed = _atoms(fields.get(REMOVED, []), f"puzzle.{REMOVED}", grid)
    different((*sorted(form), *removed), f"puzzle.required, optional and {REMOVED}")
    seams = read_seams(fields[SEAMS], grid, frozenset(a for a in (*form, *removed) if grid.kinds[a[-1]] == grid.kinds[0]))
    different((seams.settled(a)[0] for a in sorted(form)), f"puzzle.{SEAMS}: the same atom as one of the form:")
    return Surface(
        grid, form, seams, tuple(read_all(fields[CROSSINGS], f"puzzle.{CROSSINGS}", lambda c, where: _read_crossing(c, where, grid)))
    )


def _read_crossing(stated: Any, where: str, grid: CheckedGrid) -> Crossing:
    fields = table(stated, where, ("through", "blocks"))
    through, blocks = (_atoms(fields[key], f"{where}.{key}", grid) for key in ("through", "blocks"))
    if not through or not blocks:
        raise Rejected(f"{where}: a tile runs through some atoms there, and covers some")
    return through, blocks


def _read_marks(fields: Mapping[str, Any]) -> tuple[dict[str, str | None], dict[str, frozenset[str]], str | None]:
    """Return the mates of marks, the colours that colours fit on, and the mark of the border; no colour has the name of a mark."""
    mates, fits = _read_mates(fields["mates"]), _read_fits(fields["fits"])
    if both := mates.keys() & fits.keys():
        raise Rejected(f"puzzle.fits: {shown(min(both))} is a mark")
    border = None if fields["border"] is None else text(fields["border"], "puzzle.border")
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
    """Return tiles with different names and different looks; tiles that look alike would be copies of one tile."""
    tiles = tuple(read_all(stated, "puzzle.tiles", lambda t, where: _read_tile(t, where, grid, mates, fits, wide)))
    different((tile.name for tile in tiles), "puzzle.tiles: name")
    rotated = sum((len(tile.look[0]) + len(tile.look[1])) * len(tile.symmetries) for tile in tiles)
    if rotated > MAX_TRIED // 4 and not alike:
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
    fields = table(stated, where, ("name", *own, *of_balls, "ranges"))
    ranges = tuple(read_all(fields["ranges"], f"{where}.ranges", _read_range))
    if not ranges:
        raise Rejected(f"{where}.ranges: at least one piece is of this tile")
    called = name(fields["name"], f"{where}.name")
    if "placements" in fields:
        bodies = different((frozenset(_atoms(b, f"{where}.placements", grid)) for b in array(fields["placements"], where)), where)
        if not bodies or not all(bodies):
            raise Rejected(f"{where}.placements: there is at least one, and each has at least one atom")
        listed: tuple[Look, ...] = tuple((body, frozenset()) for body in bodies)
        return StatedTile(called, listed[0], (), ranges, listed)
    numbers = (index(i, f"{where}.symmetries", len(grid.symmetries)) for i in array(fields["symmetries"], f"{where}.symmetries"))
    look, symmetries = _read_look(fields, where, grid, mates, fits), different(numbers, f"{where}.symmetries")
    return StatedTile(called, look, symmetries, ranges, in_its_plane=flag(fields.get(IN_ITS_PLANE, False), f"{where}.{IN_ITS_PLANE}"))


def _read_range(stated: Any, where: str) -> tuple[int, int]:
    low, high = array(stated, where, 2)
    least = whole(low, where, 0, UNLIMITED - 1)
    return least, UNLIMITED if high is None else whole(high, where, least, UNLIMITED - 1)


def _read_look(
    fields: Mapping[str, Any],
    where: str,
    grid: CheckedGrid,
    mates: Mapping[str, str | None],
    fits: Mapping[str, frozenset[str]],
    seams: Seams = FLAT,
) -> Look:
    """Return what a tile covers and shows. Its marks exist, lie on its sides in different places, and may meet each other inside it."""
    atoms = frozenset(_atoms(fields["atoms"], f"{where}.atoms", grid))
    own = {seams.settled(a) for a in atoms}
    if not atoms:
        raise Rejected(f"{where}.atoms: a tile has at least one")
    marks = []
    for stated in array(fields["marks"], f"{where}.marks"):
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
    """Return rules with different names: sums of weights, or rules on solutions."""

    def read(fields: Any, where: str) -> StatedRule | SolutionRule:
        on_solutions = isinstance(fields, dict) and "kind" in fields
        return (
            _read_solution_rule(fields, where, surface, tiles, piece, wide)
            if on_solutions
            else _read_rule(fields, where, surface.grid, tiles)
        )

    rules = tuple(read_all(stated, "puzzle.rules", read))
    different((rule.name for rule in rules), "puzzle.rules: name")
    for rule in rules:
        _demand_inside(surface.atoms, rule.atoms, f"puzzle.rules: {rule.name}")
    return rules


def _read_solution_rule(
    stated: Any, where: str, surface: Surface, tiles: tuple[StatedTile, ...], piece: Callable[[Any, str], Piece], wide: bool
) -> SolutionRule:
    """Return a rule on solutions, with exactly the keys of its kind."""
    grid = surface.grid
    kind = text(stated["kind"], f"{where}.kind")
    if kind not in KEYS_OF_KIND:
        raise Rejected(f"{where}.kind: there is no kind {shown(kind)}")
    fields = table(stated, where, ("name", "kind", *KEYS_OF_KIND[kind]))

    def several(key: str, read: Callable[[Any, str], Value]) -> frozenset[Value]:
        return frozenset(different(read_all(fields.get(key, []), f"{where}.{key}", read), f"{where}.{key}"))

    rule = SolutionRule(
        name(fields["name"], f"{where}.name"), kind, several("tiles", text),
        whole(fields.get("colours", 0), f"{where}.colours", 0, MAX_COLOURS), flag(fields.get("corners", False), f"{where}.corners"),
        several("symmetries", lambda s, where: index(s, where, len(grid.symmetries))),
        several("placements", piece), several("atoms", lambda a, where: _atom(a, where, grid)),
        *(whole(fields.get(key, 0), f"{where}.{key}", 0, MAX_WEIGHT) for key in ("low", "high")),
    )  # fmt: skip
    if unknown := rule.tiles - {tile.name for tile in tiles}:
        raise Rejected(f"{where}.tiles: there is no tile {shown(min(unknown))}")
    if wrong := what_is_wrong(surface, rule, touching_balls=wide):
        raise Rejected(f"{where}: {wrong}")
    return rule


def _read_rule(stated: Any, where: str, grid: CheckedGrid, tiles: tuple[StatedTile, ...]) -> StatedRule:
    """Return a rule with bounds, or a rule with a modulus."""

    def weight(number: Any, place: str) -> int:
        return whole(number, place, -MAX_WEIGHT, MAX_WEIGHT)

    fields = table(stated, where, ("name", "atoms", "tiles", "low", "high", "modulus", "residue"))
    of_tiles = table(fields["tiles"], f"{where}.tiles", (tile.name for tile in tiles))
    low, modulus = weight(fields["low"], f"{where}.low"), whole(fields["modulus"], f"{where}.modulus", 0, MAX_WEIGHT)
    high = whole(fields["high"], f"{where}.high", low, MAX_WEIGHT)
    if modulus == 1 or (modulus and (low or high)):
        raise Rejected(f"{where}.modulus: it is 0, or 2 or more; then there are no bounds, and low and high are 0")
    return StatedRule(
        name(fields["name"], f"{where}.name"), _read_pairs(fields["atoms"], f"{where}.atoms", grid, weight),
        {tile: weight(w, f"{where}.tiles") for tile, w in of_tiles.items()}, low, high, modulus,
        whole(fields["residue"], f"{where}.residue", 0, max(modulus - 1, 0)),
    )  # fmt: skip


def _read_all_fixed(
    stated: Any, surface: Surface, tiles: tuple[StatedTile, ...], mates: Mapping[str, str | None], fits: Mapping[str, frozenset[str]]
) -> tuple[tuple[int, Look], ...]:
    """Return fixed placements: different, not overlapping, and at most as many of a tile as it has copies."""
    fixed = tuple(read_all(stated, "puzzle.fixed", lambda f, where: _read_fixed(f, where, surface, tiles, mates, fits)))
    if len(set(fixed)) < len(fixed):
        raise Rejected("puzzle.fixed: a placement is listed twice")
    different((a for _, look in fixed for a in look[0]), "puzzle.fixed: two of them overlap, for atom")
    for number, tile in enumerate(tiles):
        if sum(t == number for t, _ in fixed) > tile.high:
            raise Rejected(f"puzzle.fixed: tile {tile.name} is there more often than it has copies")
    return fixed


def _read_piece(stated: Any, where: str, **of: Any) -> Piece:
    """Return a placement that a rule names, with the name of its tile."""
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
    fields = table(stated, where, ("tile", "atoms", "marks"))
    look = _read_look(fields, where, surface.grid, mates, fits, surface.seams)
    # on a flat form, the search for placements detects a wrong placement
    there = surface.lying(sorted(look[0]), look[1]) if surface.wraps else look
    if there is None:
        raise Rejected(f"{where}: across the seams it lies on itself, or outside the form")
    return index(fields["tile"], f"{where}.tile", len(tiles)), there


def all_placements(puzzle: StatedPuzzle, go_on: Callable[[], object] = bool) -> list[StatedPlacement]:
    """Return every allowed placement, by tile, then by orientation and place: the order in which certificates number them, from 0.

    ``go_on`` is called for each tile, and may raise. Raises Rejected if there are too many placements to hold or to search for.
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
            if len(found) > MAX_PLACEMENTS or tried > MAX_TRIED:
                raise TooLarge(f"puzzle: it has more than {MAX_PLACEMENTS:,} placements, or too many to look for")
    return _allowed(puzzle, found)


def lay_placement(puzzle: StatedPuzzle, tile: int, atoms: Sequence[Atom], marks: Iterable[Mark], number: int) -> StatedPlacement:
    """Return the placement that covers some atoms of the form and shows some marks, which may be given beyond the seams.

    ``number`` is its position, from 1, in the list of the tile's placements, if the tile has one. Raises Rejected unless it is the tile,
    turned as allowed, in the form, and no rule leaves it out. A rule that names symmetries leaves out more, which ``SolutionCheck`` finds.
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
    """Return the faces (atoms of the first kind) whose corners include all corners of a side; none if the side is itself a face."""
    if grid.kinds[side[-1]] == grid.kinds[0]:
        return frozenset()
    return frozenset(_moved(face, side[:-1]) for face in grid.faces_at[side[-1]])


def _allowed(puzzle: StatedPuzzle, found: list[StatedPlacement]) -> list[StatedPlacement]:
    """Return the placements that no rule on solutions excludes. Raises Rejected if a rule names a placement that does not exist."""
    rules = [rule for rule in puzzle.rules if isinstance(rule, SolutionRule)]
    pieces = puzzle.pieces(found)
    if unknown := [rule.name for rule in rules if not rule.placements <= set(pieces)]:
        raise Rejected(f"puzzle.rules: {unknown[0]}: it names something that is not a placement")
    if len(rules) * len(found) > MAX_TRIED:
        raise TooLarge("puzzle.rules: they are too many for this number of placements")
    return [p for p, there in zip(found, allowed(puzzle.surface, pieces, rules), strict=True) if there] if rules else found


@lru_cache(maxsize=256)
def _turns(grid: CheckedGrid, tile: StatedTile) -> dict[Look, None]:
    """Return the different looks of a tile."""
    return dict.fromkeys(turned_looks(grid, tile))


def turned_looks(grid: CheckedGrid, tile: StatedTile) -> Iterator[Look]:
    """Yield the looks of a tile in all allowed orientations, moved so that its smallest coordinates are 0."""
    still = (0,) * grid.dimension
    for go in _ways(grid, tile):
        atoms = [go(a, still) for a in tile.look[0]]
        home = tuple(-min(a[i] for a in atoms) for i in range(grid.dimension))
        marks = frozenset((go(side, home), go(face, home), mark) for side, face, mark in tile.look[1])
        yield frozenset(_moved(a, home) for a in atoms), marks


def _ways(grid: CheckedGrid, tile: StatedTile) -> Iterator[StatedSymmetry | BallMotion]:
    """Yield the motions that may turn a tile."""
    yield from (grid.symmetries[number] for number in tile.symmetries)
    mirrors = any(grid.symmetries[number].mirror for number in tile.symmetries)
    for motion in ball_motions(grid) if tile.in_its_plane else ():
        if (go := motion.about(tile.look[0])) is not None and (mirrors or not go.mirror):
            yield go


def _places(puzzle: StatedPuzzle, tile: StatedTile, spots: Iterable[Atom]) -> Iterator[tuple[Look | None, int]]:
    """Rotate the tile in every allowed way, and lay its least atom on each of some atoms of the form with the same number in the cell.

    Listed placements are yielded as stated. Yields the look of the tile there, or None if it is not a placement, and the number of atoms
    that were tested. On a form that wraps around, a placement may come several times.
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
    """Tell whether every coloured atom lies on an atom without colour, or on a colour that it fits."""
    colours = [(puzzle.coloured.get(face), name) for side, face, name in look[1] if side == face]
    return all(below is None or below in puzzle.fits[name] for below, name in colours)


def _meets_border(puzzle: StatedPuzzle, look: Look) -> bool:
    """Tell whether the border may meet every mark that faces it."""
    return puzzle.border is None or all(
        side == face or puzzle.mates[name] == puzzle.border or None not in map(puzzle.surface.home, faces_of(puzzle.grid, side))
        for side, face, name in look[1]
    )


def _meets_itself(puzzle: StatedPuzzle, look: Look) -> bool:
    """Tell whether the marks of a placement that is its own neighbour across a seam may meet."""
    there: dict[Atom, list[str]] = {}
    for side, face, mark in look[1] if puzzle.surface.wraps else ():
        if side != face:
            there.setdefault(side, []).append(mark)
    return all(puzzle.mates[names[0]] == names[1] for names in there.values() if len(names) > 1)


def _moved(atom: Atom, move: Point) -> Atom:
    return (*map(add, atom, move), atom[-1])
