"""A painted form, atom by atom, and the ``[form]`` that a person would write for it; and the rules on solutions that a user can choose."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from math import prod
from types import MappingProxyType
from typing import Any

from puzzlesat import puzzles
from puzzlesat.base import PuzzleError, Sentence
from puzzlesat.formats import without_file
from puzzlesat.pages.studio.open import PAGE

MAX_PAINTED = 100_000
"""Maximum number of atoms of a painted form, and of cells of a shape that is tried for it."""
FEW = 4
"""Largest number of missing or optional atoms of a box that are listed one by one; a picture is clearer for more."""
PART = 8
"""A box may lack at most one atom for this number of remaining atoms."""
NEAR = 3
"""Largest difference in cells between the extent of a shape's corners and the extent of its atoms."""
SPARSE = 40
"""Largest number of characters of a picture for each atom in it; sparse forms are listed atom by atom."""
Table = dict[str, Any]
Region = tuple[Table, set[puzzles.AtomId], set[puzzles.AtomId]]
"""A way to write a form: its keys, the atoms that they define, and the optional ones among them."""


@dataclass(frozen=True)
class Painted:
    """A painted form: atoms of the grid's main kind. Atoms beside them follow from the form's rules, or are listed one by one."""

    atoms: frozenset[puzzles.AtomId]
    optional: frozenset[puzzles.AtomId] = frozenset()
    colours: Mapping[puzzles.AtomId, str] = field(default_factory=dict)
    removed: frozenset[puzzles.AtomId] = frozenset()
    """Atoms beside the faces, such as slots, that the rules would add and the form lacks."""


def painted(grid: puzzles.Grid, form: puzzles.Form, table: Mapping[str, Any]) -> Painted:
    """Return the painted part of a form; ``table`` is its entry in a file."""

    def seen(atoms: Iterable[puzzles.AtomId]) -> frozenset[puzzles.AtomId]:
        return frozenset(a for a in atoms if grid.atoms[a[-1]].kind == grid.main_kind)

    removed = grid.atoms_at(table.get("remove", ()))
    return Painted(
        seen(form.atoms), seen(form.optional), {a: form.colours[a] for a in seen(form.colours)}, frozenset(removed - seen(removed))
    )


def form_table(grid: puzzles.Grid, paint: Painted, rest: Mapping[str, Any], *, stays: bool = False) -> tuple[Table, puzzles.Cell]:
    """Return the ``[form]`` of a painted form, as short as a person would write it, and the translation applied to it.

    It is a box, a shape of the grid, a picture, or a list of atoms, with smallest coordinates 1. ``rest`` are keys of a form that do not
    concern its atoms (``wrap``, ``border``, ``inner``, ``outer``, ``fixed``). With ``stays`` the form is not moved, because other data
    depend on its place.
    Raises PuzzleError if nothing is painted.
    """
    if not paint.atoms:
        raise PuzzleError(Sentence("form: paint at least one cell first"))
    low = tuple(min(a[i] for a in paint.atoms) for i in range(grid.dimension))
    home = tuple(0 if stays else 1 - x for x in low)
    placed = _moved(paint, home)
    other_keys = {key: value for key, value in rest.items() if value not in (None, [], {})}
    keys, atoms, optional = next(_ways(grid, placed, at_one=all(x + h == 1 for x, h in zip(low, home, strict=True))))
    atoms |= placed.removed & _beside(grid, placed, other_keys)
    table = {**keys, **_differences(grid, placed, atoms, optional), **other_keys}
    if placed.colours:
        table["colours"] = _colours(grid, placed.colours)
    return table, home


def form_picture(grid: puzzles.Grid, paint: Painted) -> str | None:
    """Return the text picture of a painted form; None if glyphs cannot express it, or nothing is painted."""
    if not paint.atoms:
        return None
    placed = _moved(paint, tuple(1 - min(a[i] for a in paint.atoms) for i in range(grid.dimension)))
    for keys, atoms, optional in _as_picture(grid, placed):
        if atoms == placed.atoms and optional == placed.optional:
            return str(keys["picture"])
    return None


def tile_table(
    grid: puzzles.Grid,
    atoms: Collection[puzzles.AtomId],
    *,
    marks: Collection[puzzles.Mark] = (),
    colours: Mapping[puzzles.AtomId, str] = MappingProxyType({}),
) -> Table:
    """Return a tile's entry as a person would write it: a picture if glyphs can express it, else its atoms.

    A face with a mark on each side, such as a card, is written as its marks alone. Raises PuzzleError if there are no atoms.
    """
    if not atoms:
        raise PuzzleError(Sentence("a piece needs at least one cell; paint it first"))
    home = tuple(1 - min(a[i] for a in atoms) for i in range(grid.dimension))
    placed = _moved(Painted(frozenset(atoms), colours=colours), home)
    carried = {(puzzles.translate(m.side, home), puzzles.translate(m.face, home)): m.name for m in marks}
    table = _around(grid, placed.atoms, carried) or _shape(grid, placed)
    if carried and "around" not in table:
        ordered = sorted(carried.items())
        table["marks"] = [{"at": grid.ref(side), "on": grid.ref(face), "mark": name} for (side, face), name in ordered]
    if placed.colours:
        table["colours"] = _colours(grid, placed.colours)
    return table


def _shape(grid: puzzles.Grid, placed: Painted) -> Table:
    """The atoms of a tile: a picture, or a list."""
    pictures = (keys for keys, shown, _ in _as_picture(grid, placed) if shown == placed.atoms)
    return next(pictures, {"atoms": _refs(grid, placed.atoms)})


def _around(
    grid: puzzles.Grid, atoms: frozenset[puzzles.AtomId], marks: Mapping[tuple[puzzles.AtomId, puzzles.AtomId], str]
) -> Table | None:
    """A tile of one face as the marks round it; None if it has another shape, or a side without a mark."""
    (face, *others) = atoms
    ring = [puzzles.translate(side, face[:-1]) for side in grid.rings.get(face[-1], ())]
    if others or face[-1] != 0 or not ring or {(side, face) for side in ring} != marks.keys():
        return None
    return {"around": [marks[side, face] for side in ring]}


def read_form(grid: puzzles.Grid, form: Mapping[str, Any], *, may_cross: bool = False) -> puzzles.Form:
    """Return the form of a ``[form]`` entry of a file. Raises PuzzleError if it is wrong."""
    instance = {"title": "form", "grid": grid.name, "flips": False, "generate": [{"free": 1}], "form": dict(form)}
    return without_file(
        lambda: puzzles.form_from_table(grid, puzzles.validated(puzzles.InstanceFile, instance, PAGE).form, may_cross=may_cross), PAGE
    )


def _moved(paint: Painted, by: puzzles.Cell) -> Painted:
    def moved(atoms: Iterable[puzzles.AtomId]) -> frozenset[puzzles.AtomId]:
        return frozenset(puzzles.translate(a, by) for a in atoms)

    return Painted(
        moved(paint.atoms), moved(paint.optional), {puzzles.translate(a, by): c for a, c in paint.colours.items()}, moved(paint.removed)
    )


def _beside(grid: puzzles.Grid, paint: Painted, rest: Mapping[str, Any]) -> set[puzzles.AtomId]:
    """The atoms beside the faces that the rules add."""
    rules = {where: rest[where] for where in ("inner", "outer") if where in rest}
    return set(read_form(grid, {"atoms": _refs(grid, paint.atoms), **rules}, may_cross=True).atoms) if rules else set()


def _ways(grid: puzzles.Grid, paint: Painted, *, at_one: bool) -> Iterator[Region]:
    """Yield the ways to write a painted form, the best first; if it does not begin at 1, only a list of atoms."""
    if at_one:
        yield from _as_box(grid, paint)
        yield from _as_shape(grid, paint)
        yield from _as_picture(grid, paint)
    yield {"atoms": _refs(grid, paint.atoms)}, set(paint.atoms), set()


def _as_box(grid: puzzles.Grid, paint: Painted) -> Iterator[Region]:
    """A box with few missing or optional atoms."""
    sides = [max(a[i] for a in paint.atoms) for i in range(grid.dimension)]
    faces = sum(atom.kind == grid.main_kind for atom in grid.atoms)
    missing = prod(sides) * faces - len(paint.atoms)
    if missing <= min(FEW, len(paint.atoms) / PART) and (len(paint.optional) <= FEW or paint.optional == paint.atoms):
        yield {"box": sides}, grid.box(sides), set()


def _as_shape(grid: puzzles.Grid, paint: Painted) -> Iterator[Region]:
    """A shape of the grid file, complete."""
    if 0 < len(paint.optional) < len(paint.atoms) and len(paint.optional) > FEW:
        return
    for name in grid.shapes:
        sizes = [*_sizes(grid, name, paint)]
        i = bisect_left(sizes, len(paint.atoms), key=lambda size: len(grid.shape(name, size)))
        if i < len(sizes) and (atoms := grid.shape(name, sizes[i])) == paint.atoms:
            yield {name: sizes[i]}, atoms, set()


def _sizes(grid: puzzles.Grid, name: str, paint: Painted) -> Iterator[int]:
    """The sizes at which a shape extends about as far as the painted form along each axis. They are few, however large it is."""
    sides = [max(a[i] for a in paint.atoms) for i in range(grid.dimension)]
    for size in count(1):
        axes = zip(*([a * size + b for a, b in corner] for corner in grid.shapes[name]), strict=True)
        beyond = [max(axis) - min(axis) - side for axis, side in zip(axes, sides, strict=True)]
        if max(beyond) > NEAR or prod(x + side for x, side in zip(beyond, sides, strict=True)) > MAX_PAINTED:
            return
        if min(beyond) >= -NEAR:
            yield size


def _as_picture(grid: puzzles.Grid, paint: Painted) -> Iterator[Region]:
    """A picture, if the atoms that its glyphs cannot express are less than half of the form."""
    shown = _filled(grid, paint.atoms)
    places = [place[0] for a in shown if (place := grid.place_of(a)) is not None]
    if len(places) < len(shown) or prod(max(axis) - min(axis) + 1 for axis in zip(*places, strict=True)) > SPARSE * len(places) + 400:
        return
    text = _picture(grid, shown, shown & paint.optional)
    try:
        drawn = puzzles.parse_picture(grid, text, of_form=True)
    except PuzzleError:
        return
    odd = len(drawn.atoms - paint.atoms) + len((drawn.optional & paint.atoms) ^ paint.optional)
    if paint.atoms <= drawn.atoms and drawn.optional & paint.atoms <= paint.optional and 2 * odd <= len(paint.atoms) + FEW:
        yield {"picture": text}, set(drawn.atoms), set(drawn.optional)


def _filled(grid: puzzles.Grid, atoms: Collection[puzzles.AtomId]) -> set[puzzles.AtomId]:
    """The atoms, and the fewest others that are needed so that each site has a glyph."""
    sites: dict[tuple[int, ...], tuple[set[int], Iterable[tuple[int, ...]], puzzles.Cell]] = {}
    for a in atoms:
        if (place := grid.place_of(a)) is not None:
            sites.setdefault(place[0], (set(), place[1].glyphs.values(), a[:-1]))[0].add(a[-1])
    return {
        (*cell, number)
        for numbers, glyphs, cell in sites.values()
        for number in min((meant for meant in glyphs if numbers <= {*meant}), key=len, default=numbers)
    }


def _picture(grid: puzzles.Grid, atoms: set[puzzles.AtomId], optional: set[puzzles.AtomId]) -> str:
    """The text picture, with dots outside; between edges blanks, as between the corners of a drawing."""
    layers = puzzles.draw_picture(grid, dict.fromkeys(atoms, 0), optional=optional)
    lines = [["".join(glyph for glyph, _, _ in row) for row in layer] for layer in layers]
    if any(len(atom.vertices) > 2 for atom in grid.atoms):
        lines = [[row.replace(grid.empty_place, puzzles.Grid.BLANK) for row in layer] for layer in lines]
    return "\n".join("".join((row.rstrip() or puzzles.Grid.BLANK) + "\n" for row in layer) for layer in lines)


def _differences(grid: puzzles.Grid, paint: Painted, atoms: set[puzzles.AtomId], optional: set[puzzles.AtomId]) -> Table:
    """``remove`` and ``optional``: the atoms that a region has too many, and the optional atoms that it lacks."""
    table: Table = {}
    if extra := atoms - paint.atoms:
        table["remove"] = _refs(grid, extra)
    if more := paint.optional - optional:
        table["optional"] = "all" if paint.optional == paint.atoms else _refs(grid, more)
    return table


def _refs(grid: puzzles.Grid, atoms: Iterable[puzzles.AtomId]) -> list[list[int | str]]:
    return [grid.ref(a) for a in sorted(atoms, key=puzzles.atom_order)]


def _colours(grid: puzzles.Grid, colours: Mapping[puzzles.AtomId, str]) -> dict[str, list[list[int | str]]]:
    return {name: _refs(grid, (a for a, own in colours.items() if own == name)) for name in sorted(set(colours.values()))}


Rules = Mapping[str, Any]
"""Keys of [solutions]."""


def choices(instance: puzzles.Instance) -> list[dict[str, Any]]:
    """Return an example of each rule that is meaningful for a puzzle."""
    names, colours = pieces(instance), form_colours(instance)
    all_rules: list[dict[str, Any]] = [
        *({key: True} for key in sorted(puzzles.PLACE_RULES)),
        {"colours": 3},
        {"touch_border": "all"},
        {"inside": "all"},
        *({"apart": [[name]]} for name in names[:1]),
        *({"holds": [{"colour": colour, "equals": 1}]} for colour in colours[:1]),
    ]
    return [rules for rules in all_rules if has_meaning(instance, rules)]


def pieces(instance: puzzles.Instance) -> list[str]:
    """Return the names of the pieces as in a file."""
    return [name for tile in instance.puzzle.tiles for name in tile.members]


def form_colours(instance: puzzles.Instance) -> list[str]:
    """Return the colours of the form's cells."""
    return sorted(set(instance.puzzle.form.colours.values()))


def has_meaning(instance: puzzles.Instance, rules: Rules) -> bool:
    """Return whether rules on solutions are meaningful for a puzzle."""
    try:
        puzzles.with_rules(instance, rules)
    except PuzzleError:
        return False
    return True
