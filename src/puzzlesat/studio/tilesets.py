"""The tiles of a puzzle as the page shows them: atoms, copies, pictures, and what is odd about them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

from puzzlesat.config.package import model_files
from puzzlesat.config.read import read_model, read_table
from puzzlesat.draw.bodies import Solid
from puzzlesat.draw.canvas import make_canvas, pixels
from puzzlesat.draw.flat import piece
from puzzlesat.draw.isometric import at_home, solids_picture
from puzzlesat.draw.palette import TILES, mark_colours, shade, tile_colours
from puzzlesat.draw.pieces import draw_piece
from puzzlesat.draw.svg import Picture, document
from puzzlesat.errors import PuzzleError, PuzzleWarning
from puzzlesat.grid.lattice import AtomId, Grid
from puzzlesat.grid.region import parts
from puzzlesat.puzzle.data import Form, Mark, Puzzle, Tile
from puzzlesat.puzzle.instance import Instance
from puzzlesat.puzzle.tiles import covered
from puzzlesat.sentences import Sentence
from puzzlesat.studio.gridview import Json
from puzzlesat.studio.open import PACKAGE, PAGE, grid_said, instance_of
from puzzlesat.studio.open import Puzzle as Asked

ALONE = ("title", "source", "model", "grid", "flips", "turns", "may_cross", "marks", "colours", "generate", "tiles", "use")
"""Keys of an instance that say its tiles."""
RULES = ("flips", "turns", "may_cross")
RULES_BY_NAME = ("marks", "colours", "tiles")
SHAPES = {"picture", "atoms", "around"}
SCALE = 0.5
"""Pictures of tiles are smaller than those of forms."""


def grid_of(table: Mapping[str, Any]) -> Grid:
    """Return the grid of a puzzle's table, which stands in it or in the model that it names. Raises PuzzleError where there is none."""
    named = table.get("grid")
    if (model := table.get("model")) is not None:
        named = PACKAGE.model(str(model), PAGE)[0].grid
    if named is None:
        raise PuzzleError(Sentence("the puzzle names neither a model nor a grid; choose one"))
    return grid_said(named)


def kit_of(table: Mapping[str, Any]) -> Instance:
    """Return an instance with the tiles that a table says and the smallest form there is. Raises PuzzleError with all that is wrong."""
    bare = {key: table[key] for key in ALONE if key in table}
    if not any(table.get(key) for key in ("model", "tiles", "generate")):
        raise PuzzleError(Sentence("there are no pieces yet; choose a set, or draw some"))
    tiles = bare.get("tiles")
    for name, tile in tiles.items() if isinstance(tiles, Mapping) else ():
        if isinstance(tile, Mapping) and "placements" in tile:
            said = "tiles.{name}: you can change its placements only in the file, where they are listed"
            raise PuzzleError(Sentence(said, name=name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PuzzleWarning)  # tiles in two parts are told with the tile
        return instance_of(Asked("tiles", {"title": "tiles", **bare, "form": {"box": [1] * grid_of(table).dimension}}))


def rules_of(table: Mapping[str, Any]) -> Json:
    """Return the rules for the tiles of a table, with those of the model that it names, as files have them; and tiles with their shapes."""
    model = _model_of(table)
    rules = {key: value for key, value in (model | dict(table)).items() if key in RULES}
    for key in RULES_BY_NAME:
        own = {name: said for name, said in _named(table, key).items() if key != "tiles" or SHAPES & said.keys()}
        rules[key] = {**model.get(key, {}), **own}
    return rules


def colours_said(table: Mapping[str, Any]) -> dict[str, str]:
    """Return the colours that pieces of a table have in pictures, where it or its model says them."""
    said = [*_named(_model_of(table), "tiles").items(), *_named(table, "tiles").items()]
    return {name: tile["colour"] for name, tile in said if "colour" in tile}


def _model_of(table: Mapping[str, Any]) -> Json:
    """The table of the model that a table names; empty where it names none."""
    return {} if table.get("model") is None else read_table(PACKAGE.model(str(table["model"]), PAGE)[1])


def _named(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = table.get(key, {})
    return found if isinstance(found, Mapping) and (key == "colours" or all(isinstance(said, Mapping) for said in found.values())) else {}


def tiles_as_json(puzzle: Puzzle) -> list[Json]:
    """Return the tiles.

    Of each its name, atoms, marks (side, face, name), colours of atoms, copies, symmetries (by number), size, parts, the names of equal
    ones, colour, picture.
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
            "size": size(grid, tile.atoms),
            "low": tile.low,
            "high": tile.high,
            "symmetries": list(tile.symmetries),
            "flips": any(grid.motions[i].mirror for i in tile.symmetries),
            "parts": len(parts(grid, tile.atoms)),
            "colour": colour,
            "svg": tile_svg(grid, tile.name, tile.atoms, 0, colour=colour, marks=tile.marks, puzzle=puzzle),
        }
        for tile, colour in zip(puzzle.tiles, colours, strict=True)
    ]


def size(grid: Grid, atoms: Sequence[AtomId]) -> int:
    """Return the number of faces (or edges, or balls) of a tile."""
    return sum(grid.atoms[a[-1]].kind == grid.main_kind for a in atoms)


def tile_svg(
    grid: Grid,
    name: str,
    atoms: Sequence[AtomId],
    number: int,
    *,
    colour: str | None = None,
    marks: Sequence[Mark] = (),
    puzzle: Puzzle | None = None,
) -> str:
    """Return the picture of a tile, in space as a body; ``number`` chooses its colour where none is given."""
    colour = colour or shade(TILES[number % len(TILES)], 0.0)
    known = Puzzle(grid, (), Form((), ())) if puzzle is None else puzzle
    factor = pixels(grid)[0] * SCALE
    if grid.dimension == 3:
        spots = {m.face: mark_colours(known)[m.name] for m in marks}
        picture = solids_picture(grid, at_home([Solid(tuple(atoms), colour, name, spots=spots)]), 0.8 * factor)
    else:
        board = make_canvas(grid, atoms, factor=factor)
        picture = Picture(board.width, board.height, piece(known, board, draw_piece(board, atoms, marks), colour, name, ""))
    return document(picture, name)


@cache
def models_as_json() -> list[Json]:
    """Return the models of the package: name, title and grid."""
    found = []
    for path in model_files():
        model = read_model(path)
        found.append({"name": path.stem, "title": model.title, "grid": model.grid, "marks": bool(model.marks)})
    return found


def area(grid: Grid, tiles: Sequence[Tile]) -> tuple[int, int | None]:
    """Return the fewest and the most faces that tiles cover; None: as many as one likes."""
    return covered(tiles, partial(size, grid))
