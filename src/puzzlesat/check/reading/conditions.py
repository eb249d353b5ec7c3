"""Conditions: weights of atoms and of tiles whose sum has bounds, or leaves a remainder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..grid import Atom
from ..rejected import Rejected
from ..values import shown
from .forms import Form
from .grids import Lattice, reading_order
from .tables import Table, listed, number, one_of, only, word
from .tiles import Tile, weights_of

OF_ALONG = ("along", "values", "shift", "kind")
WEIGHTS = ("along", "atoms", "tiles")
ASKS = ("equals", "between", "modulo")


def condition(stated: Any, lattice: Lattice, form: Form, tiles: Sequence[Tile]) -> dict[str, Any]:
    """Return a table ``[[conditions]]`` as a rule of a certificate."""
    said = only(stated, "conditions", ("name", *OF_ALONG, "atoms", "tiles", *ASKS), ("name",))
    name = word(said["name"], "conditions: name")
    where = f"conditions.{name}"
    way = one_of(said, where, WEIGHTS)
    if way != "along" and (strange := [key for key in OF_ALONG if key in said]):
        raise Rejected(f"{where}: the key {shown(strange[0])} goes with along alone")
    atoms: dict[Atom, int] = {}
    if way == "along":
        only(said, where, said, ("values",))
        atoms = _along(said, where, lattice, form)
    elif way == "atoms":
        for entry in listed(said["atoms"], f"{where}.atoms"):
            *ref, weight = listed(entry, f"{where}.atoms")
            atom = form.place(lattice.atom(ref, f"{where}.atoms"))
            if atom is None or atom in atoms:
                raise Rejected(f"{where}.atoms: {shown(ref)} is not in the form, or is listed twice")
            atoms[atom] = number(weight, f"{where}.atoms")
    weights = weights_of(said.get("tiles", {}), f"{where}.tiles", tiles, number)
    return {
        "name": name,
        "atoms": [[list(a), atoms[a]] for a in sorted(atoms, key=reading_order)],
        "tiles": weights,
        **_asked(said, where),
    }


def _along(said: Table, where: str, lattice: Lattice, form: Form) -> dict[Atom, int]:
    """Weights that repeat along a direction of the lattice, for the atoms of one kind."""
    along = [number(x, f"{where}.along") for x in listed(said["along"], f"{where}.along")]
    values = [number(x, f"{where}.values") for x in listed(said["values"], f"{where}.values")]
    shift = {name: number(x, f"{where}.shift") for name, x in only(said.get("shift", {}), f"{where}.shift", lattice.names).items()}
    kind = said.get("kind", lattice.kinds[0])
    if len(along) != lattice.dimension or not values or kind not in lattice.kinds:
        raise Rejected(f"{where}: along, values, kind: expected a number for each direction, some values, and a kind of the grid")
    return {
        atom: values[(sum(k * c for k, c in zip(along, atom, strict=False)) + shift.get(lattice.names[atom[-1]], 0)) % len(values)]
        for atom in form.atoms
        if lattice.kinds[atom[-1]] == kind
    }


def _asked(said: Table, where: str) -> dict[str, int]:
    """What the sum is to be."""
    way = one_of(said, where, ASKS)
    if way == "modulo":
        table = only(said[way], f"{where}.modulo", ("of", "is"), ("of", "is"))
        of, rest = (number(table[key], f"{where}.modulo: {key}") for key in ("of", "is"))
        return {"low": 0, "high": 0, "modulus": of, "residue": rest}
    low, high = bounds(said, where)
    return {"low": low, "high": high, "modulus": 0, "residue": 0}


def bounds(said: Table, where: str) -> tuple[int, int]:
    """Return the least and the greatest number that ``equals`` or ``between`` allows."""
    if one_of(said, where, ("equals", "between")) == "equals":
        only_one = number(said["equals"], f"{where}.equals")
        return only_one, only_one
    both = [number(x, f"{where}.between") for x in listed(said["between"], f"{where}.between")]
    if len(both) != 2:
        raise Rejected(f"{where}.between: expected two numbers")
    return both[0], both[1]
