"""A grid as plain data for drawing and painting on the page, and the tiles of a puzzle as plain data."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from puzzlesat.base import PuzzleError, PuzzleWarning, Sentence, data_files
from puzzlesat.designing import groups
from puzzlesat.pages.studio.open import PACKAGE, PAGE, PagePuzzle, grid_said, instance_of
from puzzlesat.pictures import cartesian, grid_drawing, tile_colours, tile_svg
from puzzlesat.puzzles import Grid, Instance, Matrix, ModelFile, Motion, Puzzle, Symmetry, read_table, validated

Json = dict[str, Any]
OF_SYMMETRY = ("name", "matrix", "image", "shift", "mirror", "degrees", "over")
"""Attributes of a symmetry in the data of a grid."""
UPRIGHT = 1e-9
"""Tolerance for an unchanged upright direction."""


@cache
def grid_as_json(grid: Grid) -> Json:
    """Return the page's data of a grid: its drawing (``grid_drawing``) and its structure.

    ``neighbours``: for each atom of the cell, the atoms that share a side; ``sides``: the atoms on its sides that carry marks, clockwise if
    the grid's file has them in this order. ``symmetries``: the atom (c, a) is mapped to (matrix c + shift[a], image[a]), divided by
    ``over``. ``chess``: weights of cells and atoms with which neighbours have different sums modulo 2, if there are any.
    """
    drawn = grid_drawing(grid)
    drawn_atoms = drawn.pop("atoms")
    return {
        "name": grid.name,
        "title": grid.title,
        "dimension": grid.dimension,
        **drawn,
        "atoms": [
            {
                "name": atom.name,
                "drawn": own["drawn"],
                "main": atom.kind == grid.main_kind,
                "crossing": atom.kind in grid.crossing_kinds,
                "kind": atom.kind,
                "role": atom.role,
                "sections": own["sections"],
            }
            for atom, own in zip(grid.atoms, drawn_atoms, strict=True)
        ],
        "neighbours": [_neighbours(grid, number) for number in range(len(grid.atoms))],
        "sides": [_sides(grid, number) for number in range(len(grid.atoms))],
        "symmetries": [{key: getattr(g, key) for key in OF_SYMMETRY} for g in grid.motions],
        "parts": _parts(grid),
        "shapes": sorted(grid.shapes),
        "beside": sorted({a.kind for a in grid.atoms if a.role == "cover"} - {grid.main_kind} - grid.crossing_kinds),
        "crossings": [{"through": [*c.through], "blocks": [*c.blocks]} for c in sorted(grid.all_crossings, key=lambda c: c.through)],
        "chess": _chess(grid),
        "brushes": _brushes(grid),
    }


def _neighbours(grid: Grid, number: int) -> list[list[int]]:
    origin = (0,) * grid.dimension
    return [[*other] for other in grid.neighbours((*origin, number)) if grid.atoms[number].kind == grid.main_kind]


def _sides(grid: Grid, number: int) -> list[list[int]]:
    """The atoms on the sides of a face of the plane that carry marks."""
    if grid.dimension != 2 or grid.atoms[number].kind != grid.main_kind:
        return []
    carriers = [side for side in grid.sides_of((0, 0, number)) if grid.atoms[side[-1]].role == "mark"]
    ring = grid.rings.get(number, ())
    return [[*side] for side in (ring if {*ring} == {*carriers} else carriers)]


def _parts(grid: Grid) -> list[Json]:
    """Glyphs for several atoms of a cell, which can be painted together."""
    return [{"glyph": glyph, "atoms": [*meant]} for site in grid.layout.sites for glyph, meant in site.glyphs.items() if len(meant) > 1]


def _chess(grid: Grid) -> Json | None:
    """Weights 0 and 1 for lattice vectors and atoms, with which neighbours differ; None if there are none."""
    main = [a for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
    for along in product((1, 0), repeat=grid.dimension):
        shift = {main[0]: 0}
        todo = [main[0]]
        while todo:
            here = todo.pop()
            for *cell, other in _neighbours(grid, here):
                weight = (shift[here] + 1 + sum(a * c for a, c in zip(along, cell, strict=True))) % 2
                if other not in shift:
                    shift[other] = weight
                    todo.append(other)
                elif shift[other] != weight:
                    break
            else:
                continue
            break
        else:
            if len(shift) == len(main):
                return {"along": [*along], "shift": [shift.get(a, 0) for a in range(len(grid.atoms))]}
    return None


def _brushes(grid: Grid) -> list[Json]:
    """The groups of turns and mirrors for brushes, each with its places: one for each kind of centre."""
    brushes: dict[frozenset[Matrix], tuple[Json, list[tuple[Motion, ...]]]] = {}
    upright = _upright(grid)
    for name, generators in _generators(grid, upright):
        chosen = grid.generated(generators)
        level = not any(_flips_layers(grid, g) for g in chosen)
        if (key := frozenset(g.matrix for g in chosen)) not in brushes and (places := groups(grid, chosen, level=level)):
            brushes[key] = {"name": name, "order": len(chosen), "mirrors": any(g.mirror for g in chosen)}, places
    return [
        {**about, "groups": [[{"symmetry": grid.symmetries.index(m.symmetry), "move": [*m.move]} for m in group] for group in places]}
        for about, places in brushes.values()
    ]


def _generators(grid: Grid, upright: list[Symmetry]) -> Iterable[tuple[str, list[Symmetry]]]:
    """Generators of each group: a turn, a mirror, or both; in space turns and mirrors that keep layers, and the mirror between layers."""
    order = {g: len(grid.generated([g])) for g in upright}
    turns = sorted((g for g in upright if not g.mirror and order[g] > 1 and not _flips_layers(grid, g)), key=order.__getitem__)
    mirrors = [g for g in upright if g.mirror and order[g] == 2 and g not in turns and not _inverts(grid, g)]
    for turn in turns:
        yield f"turn {order[turn]}", [turn]
    for mirror in mirrors:
        yield mirror.name, [mirror]
    flat = [g for g in mirrors if grid.dimension == 2 or not _flips_layers(grid, g)]
    for turn in turns:
        for mirror in flat:
            yield f"turn {order[turn]} and {mirror.name}", [turn, mirror]


def _upright(grid: Grid) -> list[Symmetry]:
    """In the plane all symmetries; in space the symmetries that keep or reverse the direction of stacking."""
    if grid.dimension == 2:
        return list(grid.symmetries)
    return [g for g in grid.symmetries if abs(abs(cartesian(grid, g)[2, 2]) - 1) < UPRIGHT]


def _flips_layers(grid: Grid, g: Symmetry) -> bool:
    return grid.dimension == 3 and cartesian(grid, g)[2, 2] < 0


def _inverts(grid: Grid, g: Symmetry) -> bool:
    """Return whether a symmetry is the inversion of space, which is not a mirror."""
    return grid.dimension == 3 and bool(np.trace(cartesian(grid, g)) < -2)


ALONE = ("title", "source", "model", "grid", "flips", "turns", "may_cross", "marks", "colours", "generate", "tiles", "use")
"""Keys of an instance that define its tiles."""
RULES = ("flips", "turns", "may_cross")
RULES_BY_NAME = ("marks", "colours", "tiles")
SHAPES = {"picture", "atoms", "around"}


def grid_of(table: Mapping[str, Any]) -> Grid:
    """Return the grid of a puzzle's table, given in it or in its model. Raises PuzzleError if there is none."""
    named = table.get("grid")
    if (model := table.get("model")) is not None:
        named = PACKAGE.model(str(model), PAGE)[0].grid
    if named is None:
        raise PuzzleError(Sentence("the puzzle names neither a model nor a grid; choose one"))
    return grid_said(named)


def kit_of(table: Mapping[str, Any]) -> Instance:
    """Return an instance with the tiles of a table and the smallest form. Raises PuzzleError with every error."""
    bare = {key: table[key] for key in ALONE if key in table}
    if not any(table.get(key) for key in ("model", "tiles", "generate")):
        raise PuzzleError(Sentence("there are no pieces yet; choose a set, or draw some"))
    tiles = bare.get("tiles")
    for name, tile in tiles.items() if isinstance(tiles, Mapping) else ():
        if isinstance(tile, Mapping) and "placements" in tile:
            message = "tiles.{name}: you can change its placements only in the file, where they are listed"
            raise PuzzleError(Sentence(message, name=name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PuzzleWarning)  # the data of tiles have the number of parts, so no warning is needed
        return instance_of(PagePuzzle("tiles", {"title": "tiles", **bare, "form": {"box": [1] * grid_of(table).dimension}}))


def rules_of(table: Mapping[str, Any]) -> Json:
    """Return the rules for the tiles of a table as in files, including rules of its model; and tiles that define their shapes."""
    model = _model_of(table)
    rules = {key: value for key, value in (model | dict(table)).items() if key in RULES}
    for key in RULES_BY_NAME:
        own_entries = {name: entry for name, entry in _named(table, key).items() if key != "tiles" or SHAPES & entry.keys()}
        rules[key] = {**model.get(key, {}), **own_entries}
    return rules


def colours_said(table: Mapping[str, Any]) -> dict[str, str]:
    """Return the colours of pieces in pictures that a table or its model defines."""
    entries = [*_named(_model_of(table), "tiles").items(), *_named(table, "tiles").items()]
    return {name: tile["colour"] for name, tile in entries if "colour" in tile}


def _model_of(table: Mapping[str, Any]) -> Json:
    """The table of the model that a table names; empty if it names none."""
    return {} if table.get("model") is None else read_table(PACKAGE.model(str(table["model"]), PAGE)[1])


def _named(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    entries = table.get(key, {})
    known = isinstance(entries, Mapping) and (key == "colours" or all(isinstance(entry, Mapping) for entry in entries.values()))
    return entries if known else {}


def tiles_as_json(puzzle: Puzzle) -> list[Json]:
    """Return the tiles.

    Each has its name, atoms, marks (side, face, name), colours of atoms, copies, symmetries (by number), size, parts, the names of equal
    tiles, colour, and picture.
    """
    grid, colours = puzzle.grid, tile_colours(puzzle)
    return [
        {
            "name": tile.name,
            "members": list(tile.members),
            "ranges": [list(pair) for pair in tile.ranges],
            "atoms": [list(a) for a in tile.atoms],
            "marks": [[[*m.side], [*m.face], m.name] for m in tile.marks if not m.is_colour],
            "colours": [[[*m.face], m.name] for m in tile.marks if m.is_colour],
            "size": grid.number_of(tile.atoms),
            "low": tile.low,
            "high": tile.high,
            "symmetries": list(tile.symmetries),
            "flips": any(grid.motions[i].mirror for i in tile.symmetries),
            "parts": len(grid.parts(tile.atoms)),
            "colour": colour,
            "svg": tile_svg(grid, tile.name, tile.atoms, 0, colour=colour, marks=tile.marks, puzzle=puzzle),
        }
        for tile, colour in zip(puzzle.tiles, colours, strict=True)
    ]


@cache
def models_as_json() -> list[Json]:
    """Return the models of the package: name, title and grid."""
    models = []
    for path in data_files("models"):
        model = validated(ModelFile, read_table(path), path)
        models.append({"name": path.stem, "title": model.title, "grid": model.grid, "marks": bool(model.marks)})
    return models
