"""The puzzle that the tables of a file state, in the terms of a certificate (``checker.puzzle`` defines them).

A rule on solutions (``[solutions]``) with an empty list requires nothing, and no certificate states it. A placement named ``Q.3@2.1`` is
tile Q after symmetry 3, with the first of its cells, bottom to top and left to right, at 2, 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from .. import solution_rules as kinds
from ..grid import Atom
from ..surface import Look
from ..values import Rejected, TooLarge, flag, shown, text
from .forms import INNER, OUTER, StatedForm, read_form, sides
from .grids import Lattice, passages, read_lattice, reading_order
from .pictures import read_sites
from .tables import PuzzleFiles, Table, listed, number, one_of, only, tables_near
from .tiles import Piece, Rules, all_named, mapped, moved_look, read_tiles, turned_look, weights_of

OF_MODELS = ("title", "source", "grid", "flips", "turns", "may_cross", "marks", "colours", "generate", "tiles")
OF_INSTANCES = (
    *OF_MODELS, "model", "use", "mirrored", "break_on", "together", "form", "conditions", "solutions", "split", "best", "expect",
)  # fmt: skip
"""The keys of an instance; ``source``, ``break_on``, ``together``, ``best`` and ``expect`` do not affect its solutions."""


@dataclass(frozen=True)
class Statement:
    """A puzzle as a certificate states it."""

    puzzle: dict[str, Any]
    members: tuple[tuple[str, ...], ...]
    """The names of the identical pieces that each tile represents."""
    turns: tuple[tuple[tuple[int, ...], ...], ...]
    """The numbers of the symmetries that the rules of each piece allow, by tile."""

    @classmethod
    def near(cls, puzzle: Table, path: Path, models: Path, more: Mapping[str, Table], name: str) -> Statement:
        """Return the puzzle of the tables of an instance, as ``tables_near`` reads them. Raises Rejected if they are not understood."""
        return state(tables_near(puzzle, path, models, more), name)


def state(tables: PuzzleFiles, name: str | None = None) -> Statement:
    """Return the puzzle of some tables. Raises Rejected if they are not understood.

    Tables do not hold the name of their file: without ``name``, the puzzle is named by its title.
    """
    puzzle, model = only(tables.puzzle, "puzzle", OF_INSTANCES, ("title", "form")), tables.model
    if model is not None:
        only(model, "model", OF_MODELS)
    return _stated(puzzle, model, read_lattice(tables.grid), name)


def _stated(puzzle: Table, model: Table | None, lattice: Lattice, name: str | None) -> Statement:
    if "picture" in lattice.said:
        read_sites(lattice)  # checked even if no picture is read
    may_cross = flag(_one(puzzle, model, "may_cross", default=False), "may_cross")
    flips = flag(_one(puzzle, model, "flips", None), "flips")
    ways = () if may_cross else passages(lattice)
    form = read_form(puzzle["form"], lattice, ways)
    rules = Rules(flips, _one(puzzle, model, "turns", "all"), () if form.seams.stated else ways)
    tiles = read_tiles(puzzle, model, lattice, rules)
    known = Known(lattice, form, tiles)
    title = text(puzzle["title"], "title")
    fields = {
        "name": title if name is None else name,
        "title": title,
        **_stated_grid(lattice),
        "tiles": [_stated_tile(tile, lattice) for tile in tiles],
        "required": stated_atoms(form.required),
        "optional": stated_atoms(form.optional),
        "mates": _mates(_merged(puzzle, model, "marks")),
        "fits": {colour: sorted(set(listed(on, "colours"))) for colour, on in _merged(puzzle, model, "colours").items()},
        "coloured": [[list(atom), form.colours[atom]] for atom in sorted(form.colours)],
        "border": form.border,
        "rules": [condition(table, lattice, form, tiles) for table in listed(puzzle.get("conditions", []), "conditions")]
        + solution_rules(puzzle.get("solutions", {}), known),
        "fixed": [placement(fixed, "form.fixed", lattice, form, tiles) for fixed in form.fixed],
        "keep": stated_atoms(kept_atoms(puzzle["split"], lattice, form)) if "split" in puzzle else [],
        "mirrored": _mirrored(puzzle, flips),
        **_stated_seams(lattice, form, may_cross),
    }
    return Statement(fields, tuple(tile.members for tile in tiles), tuple(tile.turns for tile in tiles))


def _one(puzzle: Table, model: Table | None, key: str, default: Any) -> Any:
    """Return the value of a key in the instance, else in the model."""
    return puzzle.get(key, default if model is None else model.get(key, default))


def _merged(puzzle: Table, model: Table | None, key: str) -> dict[str, Any]:
    """Return a table of the model, updated by the table of the instance."""
    return {**(model or {}).get(key, {}), **puzzle.get(key, {})}


def _mirrored(puzzle: Table, flips: bool) -> bool:
    value = puzzle.get("mirrored", "same" if flips else "different")
    if value not in ("same", "different"):
        raise Rejected(f"mirrored: expected same or different, got {shown(value)}")
    return bool(value == "same")


def _mates(marks: Table) -> dict[str, str | None]:
    """Return the mark that each mark meets; None if it meets nothing."""
    mates: dict[str, str | None] = {}
    for mark, table in marks.items():
        kind = only(table, f"marks.{mark}", ("kind",), ("kind",))["kind"]
        made: dict[Any, dict[str, str | None]] = {
            "halves": {f"{mark}+": f"{mark}-", f"{mark}-": f"{mark}+"},
            "self": {mark: mark},
            "lonely": {mark: None},
        }
        if kind not in made or mates.keys() & made[kind].keys():
            raise Rejected(f"marks.{mark}: expected a kind halves, self or lonely, and a name that no other mark has")
        mates |= made[kind]
    return mates


def _stated_grid(lattice: Lattice) -> dict[str, Any]:
    """Return lattice, atoms, and all symmetries, in their order."""
    grid, unit = lattice.grid, lattice.grid.unit
    return {
        "gram": [[str(x) for x in row] for row in grid.gram],
        "atoms": [
            {"name": name, "kind": kind, "vertices": [[str(Fraction(x, unit)) for x in v] for v in sorted(corners)]}
            for name, kind, corners in zip(lattice.names, grid.kinds, grid.corners, strict=True)
        ],
        "symmetries": [
            {"name": turn.name, "matrix": _lists(turn.does.matrix), "image": list(turn.does.image), "shift": _lists(turn.does.shift)}
            for turn in lattice.turns
        ],
    }


def _stated_tile(tile: Piece, lattice: Lattice) -> dict[str, Any]:
    """Return a tile by its shape and its turns, or by its placements."""
    ranges = _lists(tile.ranges)
    if tile.listed:
        return {"name": tile.name, "placements": [stated_atoms(body) for body in tile.listed], "ranges": ranges}
    more = {"in_its_plane": len(tile.symmetries) > 1} if lattice.of_balls else {}
    return {"name": tile.name, **stated_look(tile.look), "symmetries": list(tile.symmetries), "ranges": ranges, **more}


def _stated_seams(lattice: Lattice, form: StatedForm, may_cross: bool) -> dict[str, Any]:
    """Return the seams of a form that wraps around, with the crossings, because the crossings that a tile covers depend on the seams."""
    if not form.seams.stated:
        return {}
    crossings = () if may_cross else lattice.crossings
    return {
        "seams": [{"move": list(move), "mirror": mirror} for move, mirror in form.seams.stated],
        "removed": stated_atoms(form.removed),
        "crossings": [{"through": _lists(c.through), "blocks": _lists(c.blocks)} for c in crossings],
    }


def _lists(rows: Iterable[Iterable[int | None] | Atom]) -> list[list[int | None]]:
    return [list(row) for row in rows]


OF_ALONG = ("along", "values", "shift", "kind")
WEIGHTS = ("along", "atoms", "tiles")
BOUNDS = ("equals", "between", "modulo")


def condition(stated: Any, lattice: Lattice, form: StatedForm, tiles: Sequence[Piece]) -> dict[str, Any]:
    """Return a table ``[[conditions]]`` as a rule of a certificate."""
    fields = only(stated, "conditions", ("name", *OF_ALONG, "atoms", "tiles", *BOUNDS), ("name",))
    name = text(fields["name"], "conditions: name")
    where = f"conditions.{name}"
    way = one_of(fields, where, WEIGHTS)
    if way != "along" and (strange := [key for key in OF_ALONG if key in fields]):
        raise Rejected(f"{where}: the key {shown(strange[0])} goes with along alone")
    atoms: dict[Atom, int] = {}
    if way == "along":
        only(fields, where, fields, ("values",))
        atoms = _along(fields, where, lattice, form)
    elif way == "atoms":
        for entry in listed(fields["atoms"], f"{where}.atoms"):
            *ref, weight = listed(entry, f"{where}.atoms")
            atom = form.place(lattice.atom(ref, f"{where}.atoms"))
            if atom is None or atom in atoms:
                raise Rejected(f"{where}.atoms: {shown(ref)} is not in the form, or is listed twice")
            atoms[atom] = number(weight, f"{where}.atoms")
    weights = weights_of(fields.get("tiles", {}), f"{where}.tiles", tiles, number)
    return {
        "name": name,
        "atoms": [[list(a), atoms[a]] for a in sorted(atoms, key=reading_order)],
        "tiles": weights,
        **_bounds_or_residue(fields, where),
    }


def _along(fields: Table, where: str, lattice: Lattice, form: StatedForm) -> dict[Atom, int]:
    """Return weights that repeat along a direction of the lattice, for the atoms of one kind."""
    along = [number(x, f"{where}.along") for x in listed(fields["along"], f"{where}.along")]
    values = [number(x, f"{where}.values") for x in listed(fields["values"], f"{where}.values")]
    shift = {name: number(x, f"{where}.shift") for name, x in only(fields.get("shift", {}), f"{where}.shift", lattice.names).items()}
    kind = fields.get("kind", lattice.kinds[0])
    if len(along) != lattice.dimension or not values or kind not in lattice.kinds:
        raise Rejected(f"{where}: along, values, kind: expected a number for each direction, some values, and a kind of the grid")
    return {
        atom: values[(sum(k * c for k, c in zip(along, atom, strict=False)) + shift.get(lattice.names[atom[-1]], 0)) % len(values)]
        for atom in form.atoms
        if lattice.kinds[atom[-1]] == kind
    }


def _bounds_or_residue(fields: Table, where: str) -> dict[str, int]:
    """Return the bounds of a sum, or its modulus and residue."""
    way = one_of(fields, where, BOUNDS)
    if way == "modulo":
        table = only(fields[way], f"{where}.modulo", ("of", "is"), ("of", "is"))
        of, rest = (number(table[key], f"{where}.modulo: {key}") for key in ("of", "is"))
        return {"low": 0, "high": 0, "modulus": of, "residue": rest}
    low, high = bounds(fields, where)
    return {"low": low, "high": high, "modulus": 0, "residue": 0}


def bounds(fields: Table, where: str) -> tuple[int, int]:
    """Return the minimum and the maximum that ``equals`` or ``between`` allows."""
    if one_of(fields, where, ("equals", "between")) == "equals":
        only_one = number(fields["equals"], f"{where}.equals")
        return only_one, only_one
    both = [number(x, f"{where}.between") for x in listed(fields["between"], f"{where}.between")]
    if len(both) != 2:
        raise Rejected(f"{where}.between: expected two numbers")
    return both[0], both[1]


def placement(stated: Any, where: str, lattice: Lattice, form: StatedForm, tiles: Sequence[Piece]) -> dict[str, Any]:
    """Return the JSON values of a named placement: the number of its tile, and what it covers and shows in the form."""
    parts = re.fullmatch(r"([^.@\s]+)\.([0-9]+)@(-?[0-9]+(?:\.-?[0-9]+)*)", text(stated, where))
    number = next((i for i, tile in enumerate(tiles) if parts and tile.name == parts[1]), None)
    if parts is None or number is None:
        raise Rejected(f"{where}: {shown(stated)} does not name a placement of an existing tile")
    cell = tuple(map(int, parts[3].split(".")))
    look = _look(tiles[number], int(parts[2]) - 1, cell, lattice, f"{where}: {shown(stated)}")
    if any(form.place(a) is None for a in look[0]):
        raise Rejected(f"{where}: {shown(stated)} is not in the form")
    return {"tile": number, **stated_look(_atoms_in_form(look, form))}


def _look(tile: Piece, number: int, cell: tuple[int, ...], lattice: Lattice, where: str) -> Look:
    """Return what a tile covers and shows at a place, continued beyond any seam."""
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


def _atoms_in_form(look: Look, form: StatedForm) -> Look:
    """Return a look on the atoms of the form: an atom beyond a seam becomes the atom that is the same, and its marks follow it."""
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


KEYS = (
    *(kind.replace(" ", "_") for kind in kinds.PLACE_RULES),
    "symmetric", "symmetric_outline", "colours", "apart", "strictly", "touch_border", "inside",
    "forbidden", "one_of", "holds",
)  # fmt: skip


@dataclass(frozen=True)
class Known:
    """The lattice, the form and the tiles that rules refer to."""

    lattice: Lattice
    form: StatedForm
    tiles: Sequence[Piece]


def solution_rules(stated: Any, known: Known) -> list[dict[str, Any]]:
    """Return the rules of a table ``[solutions]``; several of one kind are numbered."""
    fields = only(stated, "solutions", KEYS)
    found = []
    for kind, rules in _rules(fields, known):
        for place, rule in enumerate(rules, start=1):
            name = f"[solutions] {kind}" if kind not in SEVERAL else f"[solutions] {kind} {place}"
            found.append({"name": name, "kind": kind, **rule})
    return found


SEVERAL = (kinds.APART, kinds.OUTLINE, kinds.HOLDS, kinds.ONE_OF)


def _rules(fields: Table, known: Known) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the rules of each kind."""
    strictly = flag(fields.get("strictly", False), "solutions.strictly")

    def touching(tiles: Sequence[str] = (), *, colours: int = 0, corners: bool = False) -> dict[str, Any]:
        return {"tiles": list(tiles), "colours": colours, "corners": corners}

    for kind, rule in kinds.PLACE_RULES.items():
        key = kind.replace(" ", "_")
        yield kind, [touching() if rule.keys else {}] * flag(fields.get(key, False), f"solutions.{key}")
    apart = {tuple(_names(names, "solutions.apart", known)) for names in listed(fields.get("apart", []), "solutions.apart")}
    yield kinds.APART, [touching(tiles, corners=strictly) for tiles in sorted(apart)]
    if "colours" in fields:
        yield kinds.COLOURS, [touching(colours=number(fields["colours"], "solutions.colours"), corners=strictly)]
    if symmetries := _symmetries(fields.get("symmetric", []), "solutions.symmetric", known):
        yield kinds.SYMMETRIC, [{"symmetries": symmetries}]
    outlines = [_outline(rule, known) for rule in listed(fields.get("symmetric_outline", []), "solutions.symmetric_outline")]
    yield kinds.OUTLINE, [rule for rule in outlines if rule["symmetries"]]
    for key, kind in (("touch_border", kinds.TOUCH), ("inside", kinds.INSIDE)):
        if tiles := _names(fields.get(key, []), f"solutions.{key}", known):
            yield kind, [{"tiles": tiles}]
    holding = [_holds(rule, known) for rule in listed(fields.get("holds", []), "solutions.holds")]
    yield kinds.HOLDS, [rule for rule in holding if rule["tiles"]]
    if fields.get("forbidden"):
        yield kinds.FORBIDDEN, [_placements(fields["forbidden"], "solutions.forbidden", known)]
    yield kinds.ONE_OF, [_placements(names, "solutions.one_of", known) for names in listed(fields.get("one_of", []), "solutions.one_of")]


def _names(names: Any, where: str, known: Known) -> list[str]:
    return sorted(tile.name for tile in all_named(names, where, known.tiles))


def _symmetries(names: Any, where: str, known: Known) -> list[int]:
    """Return the numbers of one or several symmetries of the grid, by their names."""
    numbers = {turn.name: i for i, turn in enumerate(known.lattice.turns)}
    names_listed = [names] if isinstance(names, str) else listed(names, where)
    if names_listed and known.form.seams.stated:
        raise Rejected(f"{where}: this rule does not work on a form that wraps around")
    if unknown := [name for name in names_listed if name not in numbers]:
        raise Rejected(f"{where}: the grid has no symmetry {shown(unknown[0])}")
    return sorted({numbers[name] for name in names_listed})


def _outline(stated: Any, known: Known) -> dict[str, Any]:
    where = "solutions.symmetric_outline"
    fields = only(stated, where, ("tiles", "under"), ("tiles", "under"))
    return {"tiles": _names(fields["tiles"], where, known), "symmetries": _symmetries(fields["under"], where, known)}


def _holds(stated: Any, known: Known) -> dict[str, Any]:
    where = "solutions.holds"
    fields = only(stated, where, ("tiles", "colour", "atoms", "equals", "between"))
    if one_of(fields, where, ("colour", "atoms")) == "colour":
        atoms = {a for a, colour in known.form.colours.items() if colour == fields["colour"]}
    else:
        atoms = {_in_form(a, where, known) for a in known.lattice.atoms(fields["atoms"], where)}
    low, high = bounds(fields, where)
    return {"tiles": _names(fields.get("tiles", "all"), where, known), "atoms": stated_atoms(frozenset(atoms)), "low": low, "high": high}


def _in_form(atom: Atom, where: str, known: Known) -> Atom:
    place = known.form.place(atom)
    if place is None:
        raise Rejected(f"{where}: {list(atom)} is not an atom of the form")
    return place


def _placements(names: Any, where: str, known: Known) -> dict[str, Any]:
    """Return placements by their names, each once."""
    found = [placement(name, where, known.lattice, known.form, known.tiles) for name in sorted(set(listed(names, where)))]
    return {"placements": [p for i, p in enumerate(found) if p not in found[:i]]}


def kept_atoms(stated: Any, lattice: Lattice, form: StatedForm) -> frozenset[Atom]:
    """Return the atoms whose uncovered ones ``[split]`` counts: all of a kind, or only those between two faces, or at the border."""
    fields = only(stated, "split", ("name", "uncovered"), ("name", "uncovered"))
    text(fields["name"], "split.name")
    *lie, kind = (
        text(fields["uncovered"], "split.uncovered").split(" ", 1) if fields["uncovered"] not in lattice.kinds else [fields["uncovered"]]
    )
    if kind not in lattice.kinds or lie not in ([], [INNER], [OUTER]):
        raise Rejected(f"split.uncovered: expected a kind of atoms, got {shown(fields['uncovered'])}")
    faces = {form.seams.same(a) for a in form.atoms if lattice.is_face(a)}
    there = (a for a in form.atoms if lattice.kinds[a[-1]] == kind)
    return frozenset(a for a in there if not lie or sides(lattice, form.seams, faces, a) == lie[0])
