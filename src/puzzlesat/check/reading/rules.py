"""Rules on solutions (``[solutions]``), as a certificate states them, and the atoms that ``[split]`` tells solutions apart by.

A key whose list is empty asks nothing: no certificate states such a rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .. import solution_rules as kinds
from ..grid import Atom
from ..rejected import Rejected
from ..values import shown
from .conditions import bounds
from .forms import INNER, OUTER, Form, sides
from .grids import Lattice
from .names import placement, stated_atoms
from .tables import Table, listed, number, one_of, only, truth, word
from .tiles import Tile, all_named

KEYS = (
    "no_crossroads", "fault_free", "symmetric", "symmetric_outline", "colours", "apart", "strictly", "touch_border", "inside",
    "forbidden", "one_of", "holds",
)  # fmt: skip


@dataclass(frozen=True)
class Known:
    """What rules speak of."""

    lattice: Lattice
    form: Form
    tiles: Sequence[Tile]


def solution_rules(stated: Any, known: Known) -> list[dict[str, Any]]:
    """Return the rules of a table ``[solutions]``; several of one kind are numbered."""
    said = only(stated, "solutions", KEYS)
    found = []
    for kind, rules in _rules(said, known):
        for place, rule in enumerate(rules, start=1):
            name = f"[solutions] {kind}" if kind not in SEVERAL else f"[solutions] {kind} {place}"
            found.append({"name": name, "kind": kind, **rule})
    return found


SEVERAL = (kinds.APART, kinds.OUTLINE, kinds.HOLDS, kinds.ONE_OF)


def _rules(said: Table, known: Known) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The rules of each kind."""
    strictly = truth(said.get("strictly", False), "solutions.strictly")

    def touching(tiles: Sequence[str] = (), *, colours: int = 0, corners: bool = False) -> dict[str, Any]:
        return {"tiles": list(tiles), "colours": colours, "corners": corners}

    yield kinds.CROSSROADS, [touching()] * truth(said.get("no_crossroads", False), "solutions.no_crossroads")
    yield kinds.FAULT_FREE, [{}] * truth(said.get("fault_free", False), "solutions.fault_free")
    apart = {tuple(_names(names, "solutions.apart", known)) for names in listed(said.get("apart", []), "solutions.apart")}
    yield kinds.APART, [touching(tiles, corners=strictly) for tiles in sorted(apart)]
    if "colours" in said:
        yield kinds.COLOURS, [touching(colours=number(said["colours"], "solutions.colours"), corners=strictly)]
    if symmetries := _symmetries(said.get("symmetric", []), "solutions.symmetric", known):
        yield kinds.SYMMETRIC, [{"symmetries": symmetries}]
    outlines = [_outline(rule, known) for rule in listed(said.get("symmetric_outline", []), "solutions.symmetric_outline")]
    yield kinds.OUTLINE, [rule for rule in outlines if rule["symmetries"]]
    for key, kind in (("touch_border", kinds.TOUCH), ("inside", kinds.INSIDE)):
        if tiles := _names(said.get(key, []), f"solutions.{key}", known):
            yield kind, [{"tiles": tiles}]
    holding = [_holds(rule, known) for rule in listed(said.get("holds", []), "solutions.holds")]
    yield kinds.HOLDS, [rule for rule in holding if rule["tiles"]]
    if said.get("forbidden"):
        yield kinds.FORBIDDEN, [_placements(said["forbidden"], "solutions.forbidden", known)]
    yield kinds.ONE_OF, [_placements(names, "solutions.one_of", known) for names in listed(said.get("one_of", []), "solutions.one_of")]


def _names(names: Any, where: str, known: Known) -> list[str]:
    return sorted(tile.name for tile in all_named(names, where, known.tiles))


def _symmetries(names: Any, where: str, known: Known) -> list[int]:
    """The numbers of symmetries of the grid by their names, one or several."""
    numbers = {turn.name: i for i, turn in enumerate(known.lattice.turns)}
    wanted = [names] if isinstance(names, str) else listed(names, where)
    if wanted and known.form.seams.stated:
        raise Rejected(f"{where}: this rule does not work on a form that wraps around")
    if unknown := [name for name in wanted if name not in numbers]:
        raise Rejected(f"{where}: the grid has no symmetry {shown(unknown[0])}")
    return sorted({numbers[name] for name in wanted})


def _outline(stated: Any, known: Known) -> dict[str, Any]:
    where = "solutions.symmetric_outline"
    said = only(stated, where, ("tiles", "under"), ("tiles", "under"))
    return {"tiles": _names(said["tiles"], where, known), "symmetries": _symmetries(said["under"], where, known)}


def _holds(stated: Any, known: Known) -> dict[str, Any]:
    where = "solutions.holds"
    said = only(stated, where, ("tiles", "colour", "atoms", "equals", "between"))
    if one_of(said, where, ("colour", "atoms")) == "colour":
        atoms = {a for a, colour in known.form.colours.items() if colour == said["colour"]}
    else:
        atoms = {_in_form(a, where, known) for a in known.lattice.atoms(said["atoms"], where)}
    low, high = bounds(said, where)
    return {"tiles": _names(said.get("tiles", "all"), where, known), "atoms": stated_atoms(frozenset(atoms)), "low": low, "high": high}


def _in_form(atom: Atom, where: str, known: Known) -> Atom:
    place = known.form.place(atom)
    if place is None:
        raise Rejected(f"{where}: {list(atom)} is not an atom of the form")
    return place


def _placements(names: Any, where: str, known: Known) -> dict[str, Any]:
    """Placements by their names, each once."""
    found = [placement(name, where, known.lattice, known.form, known.tiles) for name in sorted(set(listed(names, where)))]
    return {"placements": [p for i, p in enumerate(found) if p not in found[:i]]}


def kept_atoms(stated: Any, lattice: Lattice, form: Form) -> frozenset[Atom]:
    """Return the atoms whose uncovered ones ``[split]`` counts: those of a kind, or of them those between two faces, or at the border."""
    said = only(stated, "split", ("name", "uncovered"), ("name", "uncovered"))
    word(said["name"], "split.name")
    *lie, kind = word(said["uncovered"], "split.uncovered").split(" ", 1) if said["uncovered"] not in lattice.kinds else [said["uncovered"]]
    if kind not in lattice.kinds or lie not in ([], [INNER], [OUTER]):
        raise Rejected(f"split.uncovered: expected a kind of atoms, got {shown(said['uncovered'])}")
    faces = {form.seams.same(a) for a in form.atoms if lattice.is_face(a)}
    there = (a for a in form.atoms if lattice.kinds[a[-1]] == kind)
    return frozenset(a for a in there if not lie or sides(lattice, form.seams, faces, a) == lie[0])
