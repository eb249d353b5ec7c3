"""Make tiles of tile tables and generators, and join identical tiles."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from puzzlesat.base import PuzzleError, listed, many, near_match
from puzzlesat.puzzles.forms import polyforms
from puzzlesat.puzzles.grid import AtomId, Grid, atom_order, translate
from puzzlesat.puzzles.grids import colours_at
from puzzlesat.puzzles.puzzle import Body, Form, Mark, Tile
from puzzlesat.puzzles.schema import AtomRef, GenerateTable, TileTable
from puzzlesat.puzzles.text_pictures import parse_picture

COORDINATE = re.compile("-?[0-9]{1,9}")
"""A coordinate within the bounds of the schema."""
IDENTITY = (0,)
"""The symmetries of a tile whose placements are listed."""


def generated_tiles(grid: Grid, table: GenerateTable, symmetries: tuple[int, ...], *, may_cross: bool = False) -> list[Tile]:
    """Return the tiles of a ``[[generate]]`` table."""
    convention, size = table.made
    found = polyforms(grid, size, convention)
    low, high = table.copies
    if not may_cross:
        found = {name: _with_crossings(grid, atoms) for name, atoms in found.items()}
    return [Tile(name, atoms, (), low, high, symmetries, (name,), ((low, high),)) for name, atoms in found.items()]


def tiles_of_generators(grid: Grid, generators: Sequence[Mapping[str, Any]]) -> tuple[list[list[Tile]], bool]:
    """Return the tiles of each of several ``[[generate]]`` tables, and whether they have the same names as with each table alone."""
    tables = [GenerateTable.model_validate(generator) for generator in generators]
    made = [generated_tiles(grid, table, (), may_cross=True) for table in tables]  # crossings are added later
    named = with_sizes(list(zip(tables, made, strict=True)))
    return named, [tile.name for own in made for tile in own] == [tile.name for own in named for tile in own]


def with_sizes(sets: Sequence[tuple[GenerateTable, Sequence[Tile]]]) -> list[list[Tile]]:
    """Return the tiles of several ``[[generate]]`` tables. If tiles of different sizes have the same name, the size is added: I4, I5.

    A mirror twin keeps its apostrophe: L' of 4 faces is L4'.
    """
    sizes: dict[str, set[int]] = {}
    for table, tiles in sets:
        for tile in tiles:
            sizes.setdefault(tile.name.rstrip("'"), set()).add(table.made[1])

    def named(tile: Tile, size: int) -> Tile:
        stem = tile.name.rstrip("'")
        if len(sizes[stem]) == 1:
            return tile
        name = f"{stem}{size}{tile.name[len(stem) :]}"
        return replace(tile, name=name, members=(name,))

    return [[named(tile, table.made[1]) for tile in tiles] for table, tiles in sets]


def tile_from_table(
    grid: Grid,
    name: str,
    table: TileTable,
    symmetries: tuple[int, ...],
    mates: Mapping[str, str | None],
    *,
    fits: Collection[str] = (),
    may_cross: bool = False,
) -> Tile:
    """Return the tile that a table with a shape describes. Raises PuzzleError without the name of the tile."""
    low, high = table.copies or (1, 1)
    if table.placements is not None:
        listed = _listed(grid, table.placements, may_cross=may_cross)
        if table.outlines and grid.dimension != 2:
            raise PuzzleError("outlines: only a tile in the plane has an outline; remove the key")
        outlines = tuple(table.outlines or ())
        return Tile(name, listed[0], (), low, high, IDENTITY, (name,), ((low, high),), listed, outlines, table.colour)
    atoms, carried = _body(grid, table)
    _check_marks(grid, atoms, carried, mates)
    wrong = [a for a in atoms if grid.atoms[a[-1]].role != "cover"]
    if wrong:
        raise PuzzleError(f"atom {grid.atoms[wrong[0][-1]].name!r} of grid {grid.name!r} is for marks, so a tile cannot cover it")
    if strange := table.colours.keys() - set(fits):
        raise PuzzleError(f"colours: [colours] does not say where {min(strange)!r} may lie{near_match(min(strange), fits)}")
    carried += [Mark(atom, atom, colour) for atom, colour in colours_at(grid, table.colours, atoms, "the tile").items()]
    covered = tuple(sorted(atoms, key=atom_order)) if may_cross else _with_crossings(grid, atoms)
    return Tile(name, covered, tuple(sorted(carried)), low, high, symmetries, (name,), ((low, high),), colour=table.colour)


def _listed(grid: Grid, placements: Sequence[Sequence[AtomRef] | str], *, may_cross: bool) -> tuple[tuple[AtomId, ...], ...]:
    """Return the atoms of each listed placement, in the order of the file. Raises PuzzleError for wrong or repeated placements."""
    found: dict[tuple[AtomId, ...], int] = {}
    for number, stated in enumerate(placements, start=1):
        where = f"placements: number {number}"
        with PuzzleError.at(f"{where}: "):
            atoms = grid.atoms_at(_refs(stated) if isinstance(stated, str) else stated)
        if not atoms:
            raise PuzzleError(f"{where}: a placement needs at least one atom")
        if wrong := [a for a in atoms if grid.atoms[a[-1]].role != "cover"]:
            raise PuzzleError(f"{where}: {grid.show(min(wrong))} is for marks, so a tile cannot cover it; remove it")
        covered = tuple(sorted(atoms, key=atom_order)) if may_cross else _with_crossings(grid, atoms)
        if (first := found.setdefault(covered, number)) != number:
            raise PuzzleError(f"{where}: the same atoms as number {first}; remove one of the two")
    return tuple(found)


def _refs(text: str) -> list[AtomRef]:
    """Return the atoms of a placement that is written as a text, such as ``1,2 1,3,L``."""
    return [[int(part) if COORDINATE.fullmatch(part) else part for part in atom.split(",")] for atom in text.split()]


def check_listed(grid: Grid, tile: Tile, form: Form, *, may_cross: bool) -> None:
    """Raise PuzzleError if a listed placement of a tile has an atom that is not in the form."""
    for number, atoms in enumerate(tile.listed, start=1):
        if outside := [a for a in atoms if a not in form.atoms]:
            raise PuzzleError(f"placements: number {number}: {grid.show(outside[0])} is not in the form; remove the placement")
    if tile.listed and form.wrap is not None and grid.crossings and not may_cross:
        raise PuzzleError("placements: where a form wraps around, what they cross is not known; write may_cross = true, or no wrap")


def parts_remark(grid: Grid, tile: Tile, stated: int | None) -> str | None:
    """Return a warning for a tile that is not connected, unless its table states the number of parts.

    Raises PuzzleError if it states a wrong number.
    """
    if tile.listed:
        return None
    found = sorted((sorted(part, key=atom_order) for part in grid.parts(tile.atoms)), key=lambda part: (-len(part), atom_order(part[0])))
    if stated not in (None, len(found)):
        raise PuzzleError(f"parts: the tile is in {len(found)}, not in {stated}; correct its shape, or write parts = {len(found)}")
    if stated is not None or len(found) < 2:
        return None
    apart = [grid.show(a) for part in found[1:] for a in part]
    hang = f"{listed(apart, 4)} {'is' if len(apart) == 1 else 'are'} not connected to the rest"
    return f"the tile is in {len(found)} parts: {hang}; if this is intended, write parts = {len(found)}"


def picture_remark(grid: Grid, picture: str, *, coloured: bool) -> str | None:
    """Return a warning for a picture whose characters draw cells but may be meant differently, or None.

    These are letters in a puzzle with colours that does not state the colours of the picture's cells (``coloured``), and 0 with one other
    character.
    """
    glyphs = {glyph for site in grid.layout.sites for glyph in (*site.glyphs, *site.optional)}
    drawn = {c for c in picture if not c.isspace() and c not in ".·"}
    if coloured and len(letters := sorted(c for c in drawn - glyphs if c.isalpha())) > 1:
        return f"picture: the letters {listed(letters)} draw the same cells, without colours; list the cells of each colour under colours"
    if "0" in drawn and drawn - {"0"} in ({"1"}, {"#"}, {"X"}, {"x"}):
        return f"picture: 0 draws a cell, like {min(drawn - {'0'})}; write '.' for a place without a cell"
    return None


def join_identical(grid: Grid, tiles: Iterable[Tile]) -> list[Tile]:
    """Return the tiles, with identical ones (those with the same orientations) joined and their copies added."""
    joined: dict[frozenset[object], Tile] = {}
    for tile in tiles:
        key: frozenset[object] = frozenset(tile.listed or bodies(grid, tile))
        if (twin := joined.get(key)) is not None:
            high = None if twin.high is None or tile.high is None else twin.high + tile.high
            members, ranges = twin.members + tile.members, twin.ranges + tile.ranges
            turns = twin.turns + tile.turns
            of_members = turns if len(set(turns)) > 1 else ()
            low = twin.low + tile.low
            tile = replace(twin, low=low, high=high, members=members, ranges=ranges, symmetries_of=of_members)
        joined[key] = tile
    return list(joined.values())


@lru_cache(maxsize=256)  # needed when a tile is made, and again when it is laid
def bodies(grid: Grid, tile: Tile) -> Mapping[Body, int]:
    """Return the different images of a tile under its symmetries, as in ``Tile.transform``, each with its first symmetry, in order."""
    atoms = np.array(tile.atoms, dtype=np.int64)
    marks = np.array([(*m.side, *m.face) for m in tile.marks], dtype=np.int64).reshape(-1, 2, atoms.shape[1])
    names = np.array([m.name for m in tile.marks])
    rank = np.unique(names, return_inverse=True)[1]
    found: dict[Body, int] = {}
    seen: set[tuple[bytes, bytes, bytes]] = set()
    for index in tile.symmetries:
        motion = grid.motions[index]
        body = motion.on_places(atoms)
        low = body[:, :-1].min(axis=0)
        body[:, :-1] -= low
        if motion.over > 1:
            if (body[:, :-1] % motion.over).any():
                continue
            body[:, :-1] //= motion.over
        body = body[np.lexsort((body[:, -1], *body[:, :-1].T))]
        shown = motion.on_places(marks)
        shown[..., :-1] = (shown[..., :-1] - low) // motion.over
        shown = shown.reshape(len(names), 2 * atoms.shape[1])
        order = np.lexsort((rank, *shown.T[::-1])) if len(names) > 1 else np.arange(len(names))
        if (look := (body.tobytes(), shown[order].tobytes(), rank[order].tobytes())) not in seen:
            seen.add(look)
            width = atoms.shape[1]
            carried = zip(shown[order].tolist(), names[order].tolist(), strict=True)
            found[tuple(map(tuple, body.tolist())), tuple(Mark(tuple(m[:width]), tuple(m[width:]), name) for m, name in carried)] = index
    return found


def _with_crossings(grid: Grid, atoms: Collection[AtomId]) -> tuple[AtomId, ...]:
    """Return the atoms of a tile and of the crossings that it blocks."""
    return tuple(sorted(grid.crossings_of(atoms) | set(atoms), key=atom_order))


def _check_marks(grid: Grid, atoms: set[AtomId], carried: list[Mark], mates: Mapping[str, str | None]) -> None:
    """Raise PuzzleError for marks that do not exist, are not on a side of the tile, or contradict each other."""
    on_side: dict[AtomId, list[Mark]] = {}
    for mark in carried:
        if mark.name not in mates:
            raise PuzzleError(f"there is no mark {mark.name!r}{near_match(mark.name, mates)}")
        if mark.face not in atoms or mark.face not in grid.faces_at(mark.side):
            raise PuzzleError(f"the mark {mark.name!r} does not lie on a side of one of the tile's faces")
        if len(grid.faces_at(mark.side)) > 2:
            raise PuzzleError(f"the mark {mark.name!r} lies where more than two faces meet; marks belong on sides of two")
        on_side.setdefault(mark.side, []).append(mark)
    for marks in on_side.values():
        if len({m.face for m in marks}) < len(marks):
            side = [*marks[0].side[:-1], grid.atoms[marks[0].side[-1]].name]
            raise PuzzleError(f"two marks on the side {side} of a face: {marks[0].name!r} and {marks[1].name!r}")
        if len(marks) == 2 and mates[marks[0].name] != marks[1].name:
            raise PuzzleError(f"the marks {marks[0].name!r} and {marks[1].name!r} inside the tile may not meet")


def _body(grid: Grid, table: TileTable) -> tuple[set[AtomId], list[Mark]]:
    if table.around is not None:
        return _around(grid, table.around)
    drawn = None if table.picture is None else parse_picture(grid, table.picture).atoms
    atoms = grid.atoms_at(table.atoms or ()) if drawn is None else set(drawn)
    if not atoms:
        raise PuzzleError("a tile needs at least one atom")
    return atoms, [Mark(grid.atom_at(m.at), grid.atom_at(m.on), m.mark) for m in table.marks]


def _around(grid: Grid, around: str | list[str]) -> tuple[set[AtomId], list[Mark]]:
    """Return the atoms and marks of a tile of one face, given by the ring of atoms around it."""
    if 0 not in grid.rings:
        raise PuzzleError(f"grid {grid.name!r} has no ring round a face; give the tile by picture or atoms")
    face = (*([1] * grid.dimension), 0)
    ring = [translate(a, face[:-1]) for a in grid.rings[0]]
    if len(around) != len(ring):
        marks = all(grid.atoms[a[-1]].role == "mark" for a in ring)
        has = f"a card of grid {grid.name!r} has {len(ring)} sides" if marks else f"grid {grid.name!r} has {len(ring)} atoms round a face"
        raise PuzzleError(f"around: {many(len(around), 'entry', 'entries')}, but {has}{f': {grid.ring_names}' if grid.ring_names else ''}")
    if all(grid.atoms[a[-1]].role == "mark" for a in ring):
        return {face}, [Mark(a, face, name) for a, name in zip(ring, around, strict=True)]
    if set(around) - {"0", "1"}:
        raise PuzzleError(f"around: expected {len(ring)} digits 0 (not covered) or 1 (covered)")
    return {face} | {a for a, digit in zip(ring, around, strict=True) if digit == "1"}, []
