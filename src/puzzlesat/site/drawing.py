"""What drawing in the browser needs of the grids and models of the package: plain data, made of their files alone."""

from __future__ import annotations

from functools import cache
from typing import Any

from puzzlesat.config.package import grid_files, model_files
from puzzlesat.config.read import read_table
from puzzlesat.cover.parity import periodic_colouring
from puzzlesat.draw.page.turns import ways
from puzzlesat.draw.palette import TILES, shade
from puzzlesat.grid.lattice import Grid
from puzzlesat.puzzle.grids import load_grid
from puzzlesat.studio.gridview import grid_as_json

Json = dict[str, Any]
NOT_LAID = ("marks", "colours")
"""Keys of a model whose tiles the browser does not lay."""


@cache
def drawing_as_json() -> Json:
    """Return the ``grids``, and the ``models`` that a browser can lay as their files say them, both by name; the ``palette`` of tiles."""
    grids = [load_grid(path) for path in grid_files()]
    models = {path.stem: read_table(path) for path in model_files()}
    return {
        "palette": [shade(colour, 0.0) for colour in TILES],
        "grids": {grid.name: _grid(grid) for grid in grids},
        "models": {name: table for name, table in models.items() if _is_laid(table)},
    }


def _is_laid(model: Json) -> bool:
    shapes = model.get("tiles", {}).values()
    return not any(model.get(key) for key in NOT_LAID) and not any("placements" in shape or "colours" in shape for shape in shapes)


def _grid(grid: Grid) -> Json:
    """Return what ``grid_as_json`` says of a grid, and what the browser reads forms and tiles with.

    ``turns``: how many of the symmetries come before motions of balls alone. ``layout``: how pictures lie on the grid. ``corners``: those
    of each shape of size n, as pairs (a, b) for a n + b. ``centres``: of each atom, its numerators and then their denominator.
    ``along``: for each atom, those on its sides that tiles may cover. ``ring``: the atoms round a face. ``ways``: the symmetries by which
    a piece in the hand is turned, turned back, tipped over and mirrored, the usual one first.
    """
    found = periodic_colouring(grid)
    return grid_as_json(grid) | {
        "turns": len(grid.symmetries),
        "layout": {
            "steps": grid.layout.steps,
            "sites": [{"at": site.at, "glyphs": site.glyphs, "optional": site.optional} for site in grid.layout.sites],
        },
        "corners": grid.shapes,
        "centres": [_centre(grid, number) for number in range(len(grid.atoms))],
        "polyforms": grid.polyforms,
        "along": [_covered_beside(grid, number) for number in range(len(grid.atoms))],
        "ring": grid.rings.get(0, ()),
        "ways": {key: [grid.motions.index(g) for g in getattr(ways(grid), key)] for key in ("turn", "back", "tip", "mirror")},
        "colouring": None if found is None else dict(zip(("of", "along", "shift"), found, strict=True)),
    }


def _centre(grid: Grid, number: int) -> list[int]:
    centre = grid.atoms[number].centre
    over = 1
    for x in centre:
        over *= x.denominator
    return [*(int(x * over) for x in centre), over]


def _covered_beside(grid: Grid, number: int) -> list[list[int]]:
    if grid.atoms[number].kind != grid.main_kind:
        return []
    return [[*side] for side in grid.sides_of((*(0,) * grid.dimension, number)) if grid.atoms[side[-1]].role == "cover"]
