"""The tiles of a puzzle: what the model and the instance say of each, made into looks; identical ones are joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..grid import Atom
from ..rejected import Rejected
from ..seams import Look, Mark
from ..values import shown
from .crossings import Passage, crossed
from .grids import MARK, Lattice
from .looks import all_looks, allowed_turns
from .pictures import read_picture
from .polyforms import all_generated
from .tables import Table, listed, number, one_of, only, truth, word

WAYS = ("picture", "atoms", "around", "placements")
KEYS = (*WAYS, "copies", "flips", "turns", "parts", "marks", "colours", "colour", "outlines")
OF_MARKS = ("at", "on", "mark")
Range = tuple[int, int | None]


@dataclass(frozen=True)
class Tile:
    """A piece, or several identical ones."""

    members: tuple[str, ...]
    look: Look
    """What it covers and shows as it is stated."""
    symmetries: tuple[int, ...]
    """Numbers of the symmetries that the rules of the first piece allow."""
    turns: tuple[tuple[int, ...], ...]
    """The same for each piece."""
    ranges: tuple[Range, ...]
    listed: tuple[frozenset[Atom], ...] = ()
    """Its placements, where they are listed; it has then no look and no symmetries."""

    @property
    def name(self) -> str:
        """That of the first piece."""
        return self.members[0]


@dataclass(frozen=True)
class Rules:
    """What holds for every tile that says nothing else."""

    flips: bool
    turns: Any
    crossings: tuple[Passage, ...]
    """Those by which a tile covers more than it states."""


def read_tiles(puzzle: Table, model: Table | None, lattice: Lattice, rules: Rules) -> tuple[Tile, ...]:
    """Return the tiles that are used, in the order of their first appearance: generators come first, and the model before the instance."""
    says = [puzzle] if model is None else [model, puzzle]
    made = all_generated([table for said in says for table in listed(said.get("generate", []), "generate")], lattice)
    tables: dict[str, Any] = {}
    for name, body, copies in made:
        if name in tables:
            raise Rejected(f"generate: two tiles are named {shown(name)}")
        tables[name] = {"body": body, "copies": copies}
    for said in says:
        for name, table in only(said.get("tiles", {}), "tiles", said.get("tiles", {})).items():
            changed = only(table, f"tiles.{name}", KEYS)
            no_shape = bool(changed) and set(changed) <= {"copies", "colour"} and name in tables
            tables[name] = {**tables[name], **changed} if no_shape else changed
    use = listed(puzzle.get("use", list(tables)), "use")
    if unknown := [name for name in use if name not in tables]:
        raise Rejected(f"use: there is no tile {shown(unknown[0])}")
    return joined([_read_tile(name, table, lattice, rules) for name, table in tables.items() if name in use], lattice)


def joined(tiles: Sequence[Tile], lattice: Lattice) -> tuple[Tile, ...]:
    """Return tiles without those of which there is none, and with identical ones as one: those that may look the same in all ways."""
    used = [tile for tile in tiles if tile.ranges[0][1] != 0]
    sizes = Counter(map(_size, used))
    found: dict[object, Tile] = {}
    for tile in used:
        looks: object = tile.name if sizes[_size(tile)] == 1 else frozenset(tile.listed) or all_looks(lattice, tile.look, tile.symmetries)
        first = found.get(looks)
        if first is not None:
            both = first.ranges + tile.ranges
            tile = replace(first, members=first.members + tile.members, turns=first.turns + tile.turns, ranges=both)
        found[looks] = tile
    return tuple(found.values())


def _size(tile: Tile) -> tuple[int, int, int]:
    """How much identical tiles have in common, for tiles that have no more need not be compared."""
    return len(tile.listed), len(tile.look[0]), len(tile.look[1])


def _read_tile(name: str, said: Table, lattice: Lattice, rules: Rules) -> Tile:
    where = f"tiles.{name}"
    copies = (read_range(said.get("copies", 1), f"{where}.copies"),)
    if "placements" in said:
        only(said, where, ("placements", "outlines", "copies", "colour"))
        bodies = _placements(said["placements"], f"{where}.placements", lattice, rules.crossings)
        return Tile((name,), (frozenset(), frozenset()), (), ((),), copies, bodies)
    atoms, marks = (list(said["body"]), []) if "body" in said else _shape(said, where, lattice)
    covered = frozenset(atoms) | crossed(atoms, set(atoms).__contains__, rules.crossings)
    flips = truth(said.get("flips", rules.flips), f"{where}.flips")
    numbers = allowed_turns(lattice, flips, said.get("turns", rules.turns), f"{where}.turns")
    return Tile((name,), (covered, frozenset(marks)), numbers, (numbers,), copies)


def read_range(stated: Any, where: str) -> Range:
    """Return the fewest and the most copies; None where there is no limit."""
    if stated == "any":
        return 0, None
    if isinstance(stated, list):
        low, high = (number(x, where) for x in stated) if len(stated) == 2 else (1, 0)
    else:
        low = high = number(stated, where)
    if not 0 <= low <= high:
        raise Rejected(f"{where}: expected a number, two numbers, or 'any', got {shown(stated)}")
    return low, high


def _placements(stated: Any, where: str, lattice: Lattice, ways: Sequence[Passage]) -> tuple[frozenset[Atom], ...]:
    """The atoms of placements that are listed, each a list of atoms or a text; with the crossings that they cover."""
    known: dict[str, Atom] = {}

    def atom(said: str) -> Atom:
        if said not in known:
            numbers, names = said.split(",")[: lattice.dimension], said.split(",")[lattice.dimension :]
            try:
                known[said] = lattice.atom([*map(int, numbers), *names], where)
            except ValueError:
                raise Rejected(f"{where}: {shown(said)} is not an atom") from None
        return known[said]

    bodies = []
    for said in listed(stated, where):
        body = frozenset(map(atom, said.split()) if isinstance(said, str) else lattice.atoms(said, where))
        bodies.append(body | crossed(body, body.__contains__, ways))
    return tuple(bodies)


def _shape(said: Table, where: str, lattice: Lattice) -> tuple[list[Atom], list[Mark]]:
    """The atoms and marks of a tile with a shape; a colour is a mark whose side and face are the atom that has it."""
    way = one_of(said, where, WAYS)
    marks: list[Mark] = []
    if way == "around":
        atoms, marks = _around(said[way], f"{where}.around", lattice)
    elif way == "picture":
        atoms = sorted(read_picture(said[way], f"{where}.picture", lattice).atoms)
    else:
        atoms = lattice.atoms(said[way], f"{where}.atoms")
    for mark in (only(m, f"{where}.marks", OF_MARKS, OF_MARKS) for m in listed(said.get("marks", []), f"{where}.marks")):
        side, face = (lattice.atom(mark[key], f"{where}.marks: {key}") for key in ("at", "on"))
        marks.append((side, face, word(mark["mark"], f"{where}.marks")))
    for colour, refs in only(said.get("colours", {}), f"{where}.colours", said.get("colours", {})).items():
        marks += [(a, a, colour) for a in lattice.atoms(refs, f"{where}.colours.{colour}")]
    if len({(side, face) for side, face, _ in marks}) < len(marks):
        raise Rejected(f"{where}: two marks or colours lie at the same place")
    return atoms, marks


def _around(stated: Any, where: str, lattice: Lattice) -> tuple[list[Atom], list[Mark]]:
    """A tile of one face, by what lies round it: marks, or which of the atoms it covers."""
    rings = lattice.said.get("rings", {})
    if len(rings) != 1:
        raise Rejected(f"{where}: the grid has not one ring")
    ((name, ring),) = rings.items()
    face = (*(1,) * lattice.dimension, lattice.named(name, "grid.rings"))
    round_it = [(*(1 + number(x, "grid.rings") for x in cell), lattice.named(a, "grid.rings")) for a, *cell in ring]
    if not isinstance(stated, str | list) or len(stated) != len(round_it):
        raise Rejected(f"{where}: expected {len(round_it)} of them, got {shown(stated)}")
    roles = {lattice.said["atoms"][a[-1]].get("role") == MARK for a in round_it}
    if roles == {True}:
        return [face], [(side, face, word(mark, where)) for side, mark in zip(round_it, stated, strict=True)]
    if roles == {False} and set(stated) <= {"0", "1"}:
        return [face, *(a for a, there in zip(round_it, stated, strict=True) if there == "1")], []
    raise Rejected(f"{where}: expected marks, or 0 and 1, as the ring of the grid has it, got {shown(stated)}")


def all_named(names: Any, where: str, tiles: Sequence[Tile]) -> list[Tile]:
    """Return the tiles that a rule names, or all; identical ones must be named together."""
    if names == "all":
        return list(tiles)
    said = {word(name, where) for name in listed(names, where)}
    found = [tile for tile in tiles if said.intersection(tile.members)]
    if said != {name for tile in found for name in tile.members}:
        raise Rejected(f"{where}: it names an unknown tile, or not all of some identical tiles")
    return found


def weights_of(weights: Mapping[str, Any], where: str, tiles: Sequence[Tile], weigh: Callable[[Any, str], int]) -> dict[str, int]:
    """Return the weight of each tile; identical ones must have the same."""
    if unknown := weights.keys() - {name for tile in tiles for name in tile.members}:
        raise Rejected(f"{where}: there is no tile {shown(min(unknown))}")
    found = {}
    for tile in tiles:
        different = {weigh(weights.get(name, 0), where) for name in tile.members}
        if len(different) > 1:
            raise Rejected(f"{where}: identical tiles have different weights")
        found[tile.name] = different.pop()
    return found
