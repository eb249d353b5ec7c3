"""Every orientation of every tile at every place in the form."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from puzzlesat.errors import PuzzleError, listed, many
from puzzlesat.grid.lattice import AtomId, Cell, Grid, atom_order, translate
from puzzlesat.puzzle.data import Form, Mark, Puzzle, Tile
from puzzlesat.puzzle.tiles import transform

MOST_COVERED = 5_000_000
"""Atoms that all placements cover together: some gibibyte."""


@dataclass(frozen=True)
class Orientation:
    """One turned or mirrored form of a tile, with smallest coordinates 0."""

    number: int
    """1 + the index of the first symmetry of the grid that yields it (Logelium's numbering)."""
    atoms: tuple[AtomId, ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Placement:
    """One orientation of a tile at one place."""

    tile: int
    orientation: int
    cell: Cell
    """The first cell: lowest row (and layer), leftmost in it."""
    name: str
    atoms: tuple[AtomId, ...]
    marks: tuple[Mark, ...]


def orientations(grid: Grid, tile: Tile) -> list[Orientation]:
    """Return the different orientations of a tile in the order of the symmetries that yield them."""
    found: dict[tuple[tuple[AtomId, ...], tuple[Mark, ...]], Orientation] = {}
    for index in tile.symmetries:
        body = transform(tile, grid.motions[index])
        if body is not None:
            found.setdefault(body, Orientation(index + 1, *body))
    return list(found.values())


def all_placements(puzzle: Puzzle) -> list[Placement]:
    """Return every placement that lies inside the form and meets the border's mark.

    The order is by tile, orientation and first cell. Tiles fixed in place keep all their placements here: fixing is
    a matter of the cover problem. Where the form wraps around, placements that cover and show the same are one, named by the first.
    """
    by_atom: dict[int, list[AtomId]] = defaultdict(list)
    for atom in _starts(puzzle.form):
        by_atom[atom[-1]].append(atom)
    found = (
        placement
        for number, tile in enumerate(puzzle.tiles)
        for orientation in orientations(puzzle.grid, tile)
        for start in by_atom[orientation.atoms[0][-1]]
        if (placement := _place(puzzle, number, orientation, start)) is not None
    )
    bounded = _bounded(puzzle, found)
    if puzzle.form.wrap is None:
        return list(bounded)
    different: dict[tuple[int, frozenset[AtomId], frozenset[Mark]], Placement] = {}
    for placement in bounded:
        different.setdefault((placement.tile, frozenset(placement.atoms), frozenset(placement.marks)), placement)
    return list(different.values())


def _bounded(puzzle: Puzzle, found: Iterable[Placement]) -> Iterator[Placement]:
    """The placements, as long as they are not too many to be kept."""
    covered = 0
    for placement in found:
        covered += len(placement.atoms)
        if covered > MOST_COVERED:
            what = f"the placements cover more than {MOST_COVERED:,} atoms in all, too many to be kept"
            raise PuzzleError(f"{what}; take a smaller form, or fewer tiles")
        yield placement


def _starts(form: Form) -> list[AtomId]:
    """The atoms on which the first atom of an orientation may lie: those of the form, and of its mirrored copy beyond a mirrored seam."""
    atoms = sorted(form.atoms, key=atom_order)
    sheets = () if form.wrap is None else form.wrap.sheets
    return atoms + [glide(a) for glide in sheets if glide is not None for a in atoms]


def fixed_placements(puzzle: Puzzle, placements: list[Placement]) -> list[int]:
    """Return the indices of the placements that the form fixes. Raises PuzzleError for what ``wrong_fixed`` finds."""
    if wrong := wrong_fixed(puzzle, placements):
        raise PuzzleError(*wrong)
    index = {p.name: i for i, p in enumerate(placements)}
    return [index[name] for name in puzzle.fixed]


def wrong_names(key: str, names: Sequence[str], placements: Sequence[Placement], grid: Grid) -> list[str]:
    """Return a sentence for each name of a placement under a key of a file that there is not, or that stands there twice."""
    named = {p.name: p for p in placements}
    wrong = []
    for name in dict.fromkeys(names):
        if name not in named:
            wrong.append(f"{key}: {name!r} is no placement of this puzzle{like_placement(name, named, grid)}")
        elif names.count(name) > 1:
            wrong.append(f"{key}: {name!r} stands there twice; take one out")
    return wrong


def wrong_fixed(puzzle: Puzzle, placements: Sequence[Placement]) -> list[str]:
    """Return a sentence for each placement in ``form.fixed`` that there is not, or that cannot be there."""
    wrong = wrong_names("form.fixed", puzzle.fixed, placements, puzzle.grid)
    named = {p.name: p for p in placements}
    known = [named[name] for name in dict.fromkeys(puzzle.fixed) if name in named]
    for one, other in combinations(known, 2):
        if not set(one.atoms).isdisjoint(other.atoms):
            wrong.append(f"form.fixed: {one.name!r} and {other.name!r} overlap; take one out")
    for number, used in Counter(p.tile for p in known).items():
        high = puzzle.tiles[number].high
        if high is not None and used > high:
            name = puzzle.tiles[number].name
            wrong.append(f"form.fixed: tile {name!r} is fixed {used} times, but it has no more than {many(high, 'copy', 'copies')}")
    return wrong


def like_placement(name: str, known: Collection[str], grid: Grid) -> str:
    """Return what to say of a name that is no placement: the nearest ones of the same tile, or how placements are written."""
    if not known:
        return ""
    same = [n for n in known if n.split(".")[0] == name.split(".")[0]]
    if same:
        near = _nearest(name, same, grid)
        return f"; did you mean {' or '.join(map(repr, near))}?" if near else f"; its placements are {listed(same, 3)}"
    tiles = dict.fromkeys(n.split(".")[0] for n in known)
    if other := [t for t in tiles if t.lower() == name.split(".")[0].lower()]:
        return like_placement(f"{other[0]}{name[len(other[0]) :]}", known, grid)
    return f"; a placement is written TILE.ORIENTATION@CELL, such as {next(iter(known))!r}; the tiles are {listed(tiles, 20)}"


def _nearest(name: str, known: Collection[str], grid: Grid) -> list[str]:
    """The placement nearest in place that lies as the one named, and the nearest of those that lie otherwise."""
    wanted = _read_name(name, grid)
    if wanted is None:
        return []

    def away(other: str) -> Fraction:
        cell = (_read_name(other, grid) or wanted)[1]
        step = [a - b for a, b in zip(cell, wanted[1], strict=True)]
        return sum((a * b * g for a, row in zip(step, grid.gram, strict=True) for b, g in zip(step, row, strict=True)), Fraction(0))

    alike = {n for n in known if (_read_name(n, grid) or wanted)[0] == wanted[0]}
    return [min(group, key=away) for group in ([n for n in known if n in alike], [n for n in known if n not in alike]) if group]


def _read_name(name: str, grid: Grid) -> tuple[int, Cell] | None:
    """The orientation and the first cell of a name such as ``Q.1@3.1``; None where it has not that form."""
    match = re.fullmatch(r"[^.@\s]+\.(\d{1,9})@(-?\d{1,9}(?:\.-?\d{1,9})*)", name)
    cell = () if match is None else tuple(map(int, match[2].split(".")))
    return None if match is None or len(cell) != grid.dimension else (int(match[1]), cell)


def _place(puzzle: Puzzle, number: int, orientation: Orientation, start: AtomId) -> Placement | None:
    """Lay the first atom of an orientation onto ``start``; None if that does not fit."""
    move = tuple(s - a for s, a in zip(start[:-1], orientation.atoms[0][:-1], strict=True))
    lying = tuple(translate(a, move) for a in orientation.atoms)
    atoms = _covered(puzzle, lying)
    if atoms is None:
        return None
    marks = tuple(puzzle.form.locate_mark(Mark(translate(m.side, move), translate(m.face, move), m.name)) for m in orientation.marks)
    if puzzle.form.wrap is not None and not _meets_itself(puzzle, marks):
        return None
    if not all(_fits(puzzle, mark) for mark in marks if mark.is_colour):
        return None
    if puzzle.border is not None and not all(_meets_border(puzzle, mark) for mark in marks):
        return None
    grid = puzzle.grid
    main = [a for a in lying if grid.atoms[a[-1]].kind == grid.main_kind] or list(lying)
    cell = min(main, key=atom_order)[:-1]
    name = f"{puzzle.tiles[number].name}.{orientation.number}@{'.'.join(map(str, cell))}"
    return Placement(number, orientation.number, cell, name, atoms, marks)


def _covered(puzzle: Puzzle, lying: tuple[AtomId, ...]) -> tuple[AtomId, ...] | None:
    """The atoms of the form on which a tile lies; None where one is outside, or where the tile lies on itself across a seam."""
    form, grid = puzzle.form, puzzle.grid
    if form.wrap is None:
        return lying if form.atoms.issuperset(lying) else None
    own = [a for a in lying if grid.atoms[a[-1]].kind not in grid.crossing_kinds]
    atoms = [home for a in own if (home := form.locate(a)) is not None]
    if len(set(atoms)) < len(own):
        return None
    if puzzle.may_cross or not grid.crossings:
        return tuple(atoms)
    # only here is known which ends of edges come together at a point: more than in the tile, where it closes to a ring or meets itself
    beyond = [form.locate(a) for a in grid.crossings_of(atoms, form.locate)]
    return None if None in beyond else tuple(dict.fromkeys(atoms + [a for a in beyond if a is not None]))


def _meets_itself(puzzle: Puzzle, marks: Collection[Mark]) -> bool:
    """May the marks of a tile meet those that they do meet where the tile is its own neighbour across a seam?"""
    names = {(m.side, m.face): m.name for m in marks if not m.is_colour}
    pairs = (
        (name, names.get((side, other))) for (side, face), name in names.items() for other in puzzle.grid.faces_at(side) if other != face
    )
    return all(met is None or puzzle.mates[name] == met for name, met in pairs)


def _fits(puzzle: Puzzle, colour: Mark) -> bool:
    """May this colour lie where it lies?"""
    below = puzzle.form.colours.get(colour.face)
    return below is None or below in puzzle.fits[colour.name]


def _meets_border(puzzle: Puzzle, mark: Mark) -> bool:
    inside = mark.is_colour or all(puzzle.form.locate(face) for face in puzzle.grid.faces_at(mark.side))
    return inside or puzzle.mates[mark.name] == puzzle.border
