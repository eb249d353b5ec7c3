"""The form of an instance: its required and optional atoms, their colours, its seams, and what is asked of its border."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..grid import Atom
from ..rejected import Rejected
from ..values import shown
from .crossings import Passage, crossed
from .grids import Lattice, moved_by, reading_order
from .pictures import read_picture
from .seams import Seams, read_seams
from .shapes import box, polygon, shape
from .tables import Table, listed, one_of, only, word

WAYS = ("picture", "atoms", "box", "polygon")
KEYS = (*WAYS, "optional", "remove", "fixed", "colours", "wrap", "border", "inner", "outer")
INNER, OUTER = "inner", "outer"


@dataclass(frozen=True)
class Form:
    """What is to be filled."""

    required: frozenset[Atom]
    optional: frozenset[Atom]
    colours: Mapping[Atom, str]
    border: str | None
    fixed: tuple[str, ...]
    seams: Seams
    removed: frozenset[Atom]
    """Atoms that were taken out of it, which a mirrored seam mirrors with it."""
    home: Mapping[Atom, Atom]
    """The atoms of the form by what all that are the same have in common."""

    @property
    def atoms(self) -> frozenset[Atom]:
        """All of them."""
        return self.required | self.optional

    def place(self, atom: Atom) -> Atom | None:
        """Return the atom of the form that an atom is; None where that is none of them."""
        return self.home.get(self.seams.same(atom))


def read_form(stated: Any, lattice: Lattice, ways: Sequence[Passage]) -> Form:
    """Return a form. What lies between its faces is looked for before atoms are taken out, crossings afterwards."""
    shapes = tuple(lattice.said.get("shapes", ()))
    said = only(stated, "form", (*KEYS, *shapes))
    atoms, optional = _first_atoms(said, lattice, one_of(said, "form", (*WAYS, *shapes)))
    seams = read_seams(said.get("wrap", []), lattice, frozenset(atoms))
    faces = {seams.same(a) for a in atoms if lattice.is_face(a)}
    present = {seams.same(a) for a in atoms}
    for atom, asked in _beside(said, lattice, seams, faces, atoms):
        if seams.same(atom) not in present:
            atoms.append(atom)
            optional |= {atom} if asked == "optional" else set()
    removed = frozenset(lattice.atoms(said.get("remove", []), "form.remove"))
    gone = {seams.same(a) for a in removed}
    atoms = [a for a in atoms if seams.same(a) not in gone]
    present = {seams.same(a) for a in atoms}
    points = crossed(atoms, lambda a: seams.same(a) in present, ways)
    new = [a for a in seams.firsts(points, reading_order) if seams.same(a) not in present | gone]
    home = {seams.same(a): a for a in (*atoms, *new)}
    if len(home) < len(atoms) + len(new):
        raise Rejected("form: two of its atoms are the same")
    every = frozenset(home.values())
    may = every if said.get("optional") == "all" else frozenset(new) | (optional & every) | _some(said, lattice, seams, home)
    colours = {
        _known(home, seams, atom, "form.colours"): colour
        for colour, refs in only(said.get("colours", {}), "form.colours", said.get("colours", {})).items()
        for atom in lattice.atoms(refs, f"form.colours.{colour}")
    }
    border = word(said["border"], "form.border") if "border" in said else None
    fixed = tuple(word(name, "form.fixed") for name in listed(said.get("fixed", []), "form.fixed"))
    return Form(every - may, may, colours, border, fixed, seams, removed, home)


def _first_atoms(said: Table, lattice: Lattice, way: str) -> tuple[list[Atom], set[Atom]]:
    """The atoms that a form states in one of the ways, and those that its picture says are optional."""
    where = f"form.{way}"
    if way == "picture":
        drawn = read_picture(said[way], where, lattice, of_form=True)
        return sorted(drawn.atoms), set(drawn.optional)
    if way == "atoms":
        return list(dict.fromkeys(lattice.atoms(said[way], where))), set()
    if way in ("box", "polygon"):
        return (box if way == "box" else polygon)(said[way], where, lattice), set()
    return shape(way, said[way], where, lattice), set()


def _beside(said: Table, lattice: Lattice, seams: Seams, faces: set[Atom], atoms: Sequence[Atom]) -> list[tuple[Atom, str]]:
    """Atoms between two faces of the form, and at its border, of the kinds that the form asks for; with what it asks of them."""
    asked = {key: only(said.get(key, {}), f"form.{key}", lattice.kinds) for key in (INNER, OUTER)}
    wrong = [how for table in asked.values() for how in table.values() if how not in ("required", "optional", "none")]
    if wrong:
        raise Rejected(f"form: inner, outer: expected required, optional or none, got {shown(wrong[0])}")
    kinds = {kind for table in asked.values() for kind in table}
    numbers = [a for a, kind in enumerate(lattice.kinds) if kind in kinds]
    there = {moved_by((*(-x for x in face[:-1]), b), atom) for b in numbers for face in lattice.grid.faces_at[b]
             for atom in atoms if atom[-1] == face[-1]}  # fmt: skip
    found = []
    for atom in seams.firsts(there, reading_order):
        how = asked[sides(lattice, seams, faces, atom)].get(lattice.kinds[atom[-1]], "none")
        if how != "none":
            found.append((atom, how))
    return found


def sides(lattice: Lattice, seams: Seams, faces: set[Atom], atom: Atom) -> str:
    """Return whether an atom lies between two faces of a form, ``inner``, or at its border, ``outer``; or nothing where neither is so."""
    round_it = (moved_by(face, atom) for face in lattice.grid.faces_at[atom[-1]])
    count = Counter(seams.same(face) in faces for face in round_it)[True]
    return INNER if count > 1 else OUTER if count else ""


def _some(said: Table, lattice: Lattice, seams: Seams, home: Mapping[Atom, Atom]) -> frozenset[Atom]:
    """The atoms that the form says are optional, one by one."""
    refs = said.get("optional", [])
    return frozenset(_known(home, seams, a, "form.optional") for a in lattice.atoms(refs, "form.optional"))


def _known(home: Mapping[Atom, Atom], seams: Seams, atom: Atom, where: str) -> Atom:
    if seams.same(atom) not in home:
        raise Rejected(f"{where}: {list(atom)} is not an atom of the form")
    return home[seams.same(atom)]
