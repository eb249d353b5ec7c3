"""An instance and the model it names as one table, to be sent as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from puzzlesat.config.library import find_grid, find_instance, find_model
from puzzlesat.config.package import data_folder
from puzzlesat.config.read import read_table
from puzzlesat.config.schema import CHANGES, GenerateTable, ModelFile
from puzzlesat.errors import PuzzleError, near_match
from puzzlesat.formats.foreign import Foreign
from puzzlesat.grid.lattice import Grid, translate
from puzzlesat.puzzle.grids import atom_ref
from puzzlesat.puzzle.load import load_puzzle
from puzzlesat.puzzle.tiles import generated_tiles, with_sizes

FIRST = (
    "title",
    "source",
    "grid",
    "flips",
    "turns",
    "may_cross",
    "mirrored",
    "use",
    "break_on",
    "together",
    "marks",
    "colours",
    "generate",
    "tiles",
    "form",
)
"""The order of the keys; others follow."""


def read_folded(name: str | Path) -> list[Foreign]:
    """Return the one puzzle of an instance, by name or file, as ``folded`` does."""
    return [Foreign(*folded(str(name)))]


def folded(name: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the table of an instance that needs no other file: its model is in it, and a grid that is not of the package.

    It loads as the same puzzle. Raises PuzzleError for an instance that is wrong.
    """
    puzzle = load_puzzle(name)  # says everything that is wrong
    path = find_instance(name)
    instance = read_table(path)
    model_path = find_model(instance["model"], path) if "model" in instance else path
    model = read_table(model_path) if "model" in instance else {}
    holder = model or instance
    if isinstance(said := holder["grid"], str) and (file := find_grid(said, model_path)).parent != data_folder("models") / "grids":
        holder["grid"] = stated(file)
    table = fold(puzzle.grid, model, instance)
    return path.stem, table


def stated(file: Path) -> dict[str, Any]:
    """Return the table of a grid as a puzzle's file holds it that shall need no other file."""
    return {"name": file.stem, **{key: value for key, value in read_table(file).items() if key != "about"}}


def fold(grid: Grid, model: dict[str, Any], instance: dict[str, Any]) -> dict[str, Any]:
    """Return the table of an instance with the keys of the model in it that it names, both as files have them, and each valid by itself.

    Raises PuzzleError where it changes a tile that the model has not.
    """
    table = {key: value for key, value in (model | instance).items() if key != "model"}
    for key in ModelFile.model_fields.keys() & model.keys() & instance.keys():
        if isinstance(model[key], dict):
            table[key] = {**model[key], **instance[key]}
    generate, tiles = _spelled_out(grid, [*model.get("generate", []), *instance.get("generate", [])], model, instance)
    for tile, own in instance.get("tiles", {}).items():
        if _changes(own) and tile not in tiles:
            raise PuzzleError(f"tiles: there is no tile {tile!r}{near_match(tile, tiles)}")
        tiles[tile] = {**tiles.get(tile, {}), **own} if _changes(own) else own
    table |= {"generate": generate, "tiles": tiles}
    order = [key for key in FIRST if table.get(key) not in (None, [], {})] + [key for key in table if key not in FIRST]
    return {key: table[key] for key in order}


def _spelled_out(
    grid: Grid, generators: list[dict[str, Any]], model: dict[str, Any], instance: dict[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """The generators, and the tiles of the model; those of a generator of which the instance changes one are spelled out."""
    changed = instance.get("tiles", {}).keys()
    if not changed:
        return generators, dict(model.get("tiles", {}))
    kept: list[dict[str, Any]] = []
    tiles: dict[str, dict[str, Any]] = {}
    tables = [GenerateTable.model_validate(generator) for generator in generators]
    made = [generated_tiles(grid, table, (), may_cross=True) for table in tables]  # crossings come by themselves
    named = with_sizes(list(zip(tables, made, strict=True)))
    alone = [tile.name for own in made for tile in own] == [tile.name for own in named for tile in own]  # else names come of all together
    for generator, own in zip(generators, named, strict=True):
        if alone and changed.isdisjoint(tile.name for tile in own):
            kept.append(generator)
            continue
        copies = {key: generator[key] for key in ("copies",) if key in generator}
        tiles |= {
            tile.name: {"atoms": [atom_ref(grid, translate(atom, (1,) * grid.dimension)) for atom in tile.atoms], **copies} for tile in own
        }
    return kept, tiles | {name: {**tiles.get(name, {}), **own} if _changes(own) else own for name, own in model.get("tiles", {}).items()}


def _changes(table: dict[str, Any]) -> bool:
    """Whether the table of a tile changes one whose shape is said elsewhere."""
    return bool(table) and table.keys() <= set(CHANGES)
