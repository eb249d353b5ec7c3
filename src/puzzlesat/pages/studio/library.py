"""The puzzles of the package as a library: in groups (``library.toml``), and with their names in shops and elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from puzzlesat.puzzles import data_files, other_names, table_of, text_of

REST = "others"
"""The group of puzzles that the file assigns to no group."""


@cache
def arrangement() -> dict[str, dict[str, list[str]]]:
    """Return the content of ``library.toml``, with its ``groups``."""
    file = Path(str(files(__package__).joinpath("library.toml")))
    return table_of(text_of(file), file)


def entries() -> list[dict[str, Any]]:
    """Return the library's data of each puzzle: names, titles, maker and group, in the order of the groups."""
    models = {file.stem: _table(file) for file in data_files("models")}
    grids = {file.stem: _table(file)["title"] for file in data_files("grids")}
    order = {name: (g, i) for g, group in reversed([*enumerate(arrangement()["groups"].values())]) for i, name in enumerate(group)}
    found = [(_place(file, order), _entry(file, _table(file), models, grids)) for file in data_files("instances")]
    groups = [*arrangement()["groups"], REST]
    return [{**entry, "group": groups[place[0]]} for place, entry in sorted(found, key=lambda one: one[0])]


def _place(file: Path, order: dict[str, tuple[int, int]]) -> tuple[int, int]:
    """The sort key of a puzzle: the number of its group, and the index there of the puzzle or its family."""
    keys = f"{file.parent.name}/{file.stem}", file.stem if file.stem != file.parent.name else "", file.parent.name
    last = len(arrangement()["groups"]), 0
    return next((order[key] for key in keys if key in order), last)


def _entry(file: Path, table: dict[str, Any], models: dict[str, dict[str, Any]], grids: dict[str, str]) -> dict[str, Any]:
    model = models.get(table.get("model", ""), table)
    names = other_names()
    return {
        "name": file.stem,
        "title": table["title"],
        "set": model["title"],
        "grid": model["grid"],
        "grid_title": grids[model["grid"]],
        "family": file.parent.name,
        "maker": model.get("source", ""),
        "aliases": list(names.of(file)),
        "like": list(names.of(file, like=True)),
    }


def _table(file: Path) -> dict[str, Any]:
    return table_of(text_of(file), file)
