"""Names of placements: ``Q.3@2.1`` is tile Q after symmetry 3, the first of its cells, bottom to top and left to right, at 2, 1."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..grid import Atom
from ..rejected import Rejected, TooLarge
from ..seams import Look
from ..values import shown
from .forms import Form
from .grids import Lattice, reading_order
from .looks import mapped, moved_look, turned_look
from .tables import word
from .tiles import Tile


def placement(stated: Any, where: str, lattice: Lattice, form: Form, tiles: Sequence[Tile]) -> dict[str, Any]:
    """Return what a certificate says of the placement with a name: the number of its tile, and what it covers and shows in the form."""
    parts = re.fullmatch(r"([^.@\s]+)\.([0-9]+)@(-?[0-9]+(?:\.-?[0-9]+)*)", word(stated, where))
    number = next((i for i, tile in enumerate(tiles) if parts and tile.name == parts[1]), None)
    if parts is None or number is None:
        raise Rejected(f"{where}: {shown(stated)} does not name a placement of an existing tile")
    cell = tuple(map(int, parts[3].split(".")))
    look = _look(tiles[number], int(parts[2]) - 1, cell, lattice, f"{where}: {shown(stated)}")
    if any(form.place(a) is None for a in look[0]):
        raise Rejected(f"{where}: {shown(stated)} is not in the form")
    return {"tile": number, **stated_look(_in_form(look, form))}


def _look(tile: Tile, number: int, cell: tuple[int, ...], lattice: Lattice, where: str) -> Look:
    """What a tile covers and shows there, as it lies when carried on beyond any seam."""
    if tile.listed:
        if not 0 <= number < len(tile.listed) or min(tile.listed[number], key=reading_order)[:-1] != cell:
            raise Rejected(f"{where} is not in the list")
        return tile.listed[number], frozenset()
    if lattice.of_balls and number >= len(lattice.turns):
        raise TooLarge(f"{where}: the second reader does not know ball tiles that turn in their plane")
    if number not in tile.symmetries:
        raise Rejected(f"{where} is turned in a way that is not allowed")
    turned = turned_look(lattice, number, tile.look)
    first = min(turned[0], key=reading_order)
    if len(cell) != lattice.dimension:
        raise Rejected(f"{where}: expected {lattice.dimension} numbers")
    return moved_look(turned, [c - x for c, x in zip(cell, first, strict=False)])


def _in_form(look: Look, form: Form) -> Look:
    """A look on the atoms of the form: beyond a seam each atom is one of these, and its marks go where it goes."""
    if not form.seams.stated:
        return look
    there = {atom: form.seams.to(atom, place) for atom in look[0] if (place := form.place(atom)) is not None}
    atoms = mapped((frozenset(there), frozenset()), lambda atom: there[atom](atom))[0]
    return atoms, frozenset((there[face](side), there[face](face), name) for side, face, name in look[1])


def stated_look(look: Look) -> dict[str, Any]:
    """Return what a tile or a placement covers and shows, as JSON values."""
    marks = sorted((list(side), list(face), name) for side, face, name in look[1])
    return {"atoms": stated_atoms(look[0]), "marks": [[side, face, name] for side, face, name in marks]}


def stated_atoms(atoms: frozenset[Atom]) -> list[list[int]]:
    """Return atoms as JSON values, in reading order."""
    return [list(a) for a in sorted(atoms, key=reading_order)]
