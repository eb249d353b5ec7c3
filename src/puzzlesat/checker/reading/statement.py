"""The puzzle that the tables of a file state, in the plain words of a certificate (``checker.puzzle`` says what they mean)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..grid import Atom
from ..values import Rejected, shown
from .forms import Form, read_form
from .grids import Lattice, passages, read_lattice
from .pictures import read_sites
from .rules import Known, condition, kept_atoms, placement, solution_rules, stated_atoms, stated_look
from .tables import Table, Tables, listed, only, tables_near, truth, word
from .tiles import Rules, Tile, read_tiles

OF_MODELS = ("title", "source", "grid", "flips", "turns", "may_cross", "marks", "colours", "generate", "tiles")
OF_INSTANCES = (
    *OF_MODELS, "model", "use", "mirrored", "break_on", "together", "form", "conditions", "solutions", "split", "expect",
)  # fmt: skip
"""Of these ``source``, ``break_on``, ``together`` and ``expect`` say nothing of what a solution is."""


@dataclass(frozen=True)
class Statement:
    """A puzzle as a certificate states it."""

    puzzle: dict[str, Any]
    members: tuple[tuple[str, ...], ...]
    """For each tile the names of the identical ones that it stands for."""
    turns: tuple[tuple[tuple[int, ...], ...], ...]
    """For each of these identical tiles, the numbers of the symmetries that its rules allow."""

    @classmethod
    def near(cls, puzzle: Table, path: Path, models: Path, more: Mapping[str, Table], name: str) -> Statement:
        """Return the puzzle of the tables of an instance, as ``tables_near`` reads them. Raises Rejected for what is not understood."""
        return state(tables_near(puzzle, path, models, more), name)


def state(tables: Tables, name: str | None = None) -> Statement:
    """Return the puzzle of some tables. Raises Rejected for what is not understood.

    Tables do not know the name of their file: without ``name`` the puzzle is named by its title.
    """
    puzzle, model = only(tables.puzzle, "puzzle", OF_INSTANCES, ("title", "form")), tables.model
    if model is not None:
        only(model, "model", OF_MODELS)
    return _stated(puzzle, model, read_lattice(tables.grid), name)


def _stated(puzzle: Table, model: Table | None, lattice: Lattice, name: str | None) -> Statement:
    if "picture" in lattice.said:
        read_sites(lattice)  # whether a picture is read or not
    may_cross = truth(_one(puzzle, model, "may_cross", default=False), "may_cross")
    flips = truth(_one(puzzle, model, "flips", None), "flips")
    ways = () if may_cross else passages(lattice)
    form = read_form(puzzle["form"], lattice, ways)
    rules = Rules(flips, _one(puzzle, model, "turns", "all"), () if form.seams.stated else ways)
    tiles = read_tiles(puzzle, model, lattice, rules)
    known = Known(lattice, form, tiles)
    title = word(puzzle["title"], "title")
    said = {
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
    return Statement(said, tuple(tile.members for tile in tiles), tuple(tile.turns for tile in tiles))


def _one(puzzle: Table, model: Table | None, key: str, default: Any) -> Any:
    """What the instance says, else the model."""
    return puzzle.get(key, default if model is None else model.get(key, default))


def _merged(puzzle: Table, model: Table | None, key: str) -> dict[str, Any]:
    """What the model says, with what the instance says of the same names instead."""
    return {**(model or {}).get(key, {}), **puzzle.get(key, {})}


def _mirrored(puzzle: Table, flips: bool) -> bool:
    said = puzzle.get("mirrored", "same" if flips else "different")
    if said not in ("same", "different"):
        raise Rejected(f"mirrored: expected same or different, got {shown(said)}")
    return bool(said == "same")


def _mates(marks: Table) -> dict[str, str | None]:
    """The mark that each mark meets; None where it meets nothing."""
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
    """Lattice, atoms, and all symmetries, in their order."""
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


def _stated_tile(tile: Tile, lattice: Lattice) -> dict[str, Any]:
    """A tile by its shape and its turns, or by its placements."""
    ranges = _lists(tile.ranges)
    if tile.listed:
        return {"name": tile.name, "placements": [stated_atoms(body) for body in tile.listed], "ranges": ranges}
    more = {"in_its_plane": len(tile.symmetries) > 1} if lattice.of_balls else {}
    return {"name": tile.name, **stated_look(tile.look), "symmetries": list(tile.symmetries), "ranges": ranges, **more}


def _stated_seams(lattice: Lattice, form: Form, may_cross: bool) -> dict[str, Any]:
    """The seams of a form that wraps around; which crossings a tile covers there depends on them, so they are stated, too."""
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
